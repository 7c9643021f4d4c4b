// SPDX-License-Identifier: MIT
// panel.ts - settings and views as controls, made from what the engine says it has.

import GUI, { type Controller } from 'lil-gui';

import type { Setting, SettingValues } from './protocol.js';
import { COLORING_NAMES, VIEW_NAMES, type View } from './view.js';

/** Settings that most people change, in this order; all others are in a folder of their own. */
const FIRST = ['gravity.y', 'bodies.friction', 'bodies.restitution', 'solver', 'subStepCount', 'jointSubStepCount', 'integrator', 'broadphase.kind', 'narrowphase', 'enableContinuous', 'enableSleep', 'enableDirect', 'impulse.order', 'impulse.collisionPassCount', 'impulse.contactPassCount', 'impulse.jointPassCount', 'impulse.enableShock'];
const RANGES: Record<string, [number, number, number]> = {
    'gravity.x': [-20, 20, 0.1],
    'gravity.y': [-20, 20, 0.1],
    'gravity.z': [-20, 20, 0.1],
    subStepCount: [1, 32, 1],
    jointSubStepCount: [1, 32, 1],
    maxPartCount: [1, 64, 1],
    'bodies.friction': [0, 2, 0.05],
    'bodies.restitution': [0, 1, 0.05],
};

export interface PanelActions {
    onSetting: (values: SettingValues) => void;
    onView: (view: View) => void;
}

/** "broadphase.octreeMaxDepth": "broadphase octree max depth". */
const label = (path: string): string => path.replace(/\./g, ' ').replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);

/** A number of 32 bits by the few digits that tell it. */
function plain(value: Setting['value']): Setting['value'] {
    const short = typeof value === 'number' ? Number(value.toPrecision(7)) : 0;
    return typeof value === 'number' && Math.fround(short) === Math.fround(value) ? short : value;
}

/** lil-gui leaves some of its fields without a name. */
function name(controller: Controller, text: string): Controller {
    controller.name(text);
    controller.domElement.querySelectorAll('input, select, button').forEach((element) => element.setAttribute('aria-label', text));
    return controller;
}

export class Panel {
    private gui: GUI | null = null;
    private views: GUI | null = null;
    private controllers = new Map<string, { values: Record<string, unknown>; controller: Controller }>();

    constructor(private readonly container: HTMLElement, private readonly actions: PanelActions) {}

    /** For a scene that was opened. */
    build(settings: Setting[], view: View): void {
        this.gui?.destroy();
        this.controllers.clear();
        this.gui = new GUI({ container: this.container, title: 'Controls', width: 270 });
        this.buildViews(this.gui.addFolder('View'), view);
        if (settings.length === 0) {
            return; // a plane has views only
        }
        const first = this.gui.addFolder('Settings');
        const rest = this.gui.addFolder('More settings').close();
        for (const path of FIRST) {
            const setting = settings.find((one) => one.path === path);
            if (setting !== undefined) {
                this.addSetting(first, setting);
            }
        }
        // other words choose algorithms: solver, step
        for (const setting of settings.filter(({ path }) => !FIRST.includes(path))) {
            this.addSetting(setting.kind === 'word' && !setting.path.includes('.') && !setting.path.startsWith('combine') ? first : rest, setting);
        }
    }

    private buildViews(folder: GUI, view: View): void {
        this.views = folder;
        name(folder.add(view, 'coloring', COLORING_NAMES), 'Colour').onChange(() => this.actions.onView(view));
        for (const [key, text] of Object.entries(VIEW_NAMES)) {
            name(folder.add(view, key as keyof typeof VIEW_NAMES), text).onChange(() => this.actions.onView(view));
        }
    }

    private addSetting(folder: GUI, { path, kind, words, value }: Setting): void {
        const values: Record<string, unknown> = { [path]: plain(value) };
        const range = RANGES[path];
        const controller = kind === 'word' ? folder.add(values, path, words)
            : range !== undefined ? folder.add(values, path, ...range)
                : folder.add(values, path);
        if (kind === 'whole') {
            controller.step(1);
        }
        name(controller, label(path)).onFinishChange((next: number | boolean | string) => this.actions.onSetting({ [path]: next }));
        this.controllers.set(path, { values, controller });
    }

    /** Values of the engine, which may have refused some. */
    update(settings: Setting[]): void {
        for (const { path, value } of settings) {
            const entry = this.controllers.get(path);
            if (entry !== undefined) {
                entry.values[path] = plain(value);
                entry.controller.updateDisplay();
            }
        }
    }

    updateViews(): void {
        this.views?.controllers.forEach((controller) => controller.updateDisplay());
    }
}
