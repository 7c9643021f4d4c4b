// SPDX-License-Identifier: MIT
// app.ts - what the page knows: the scene, the panes that show it, and what was changed.

import { openEngine } from './engine.js';
import type { ExplainState } from './explain.js';
import { stateFromText, stateToText, type LinkState } from './link.js';
import { Pane } from './pane.js';
import type { FromEngine, Input, SceneInfo, SceneText, Setting, SettingValues, ToEngine } from './protocol.js';
import { defaultView, isPlanar, type View } from './view.js';

const LINK_DELAY_MS = 400;
const ROUNDING = 1e-6;
const NAMES = ['A', 'B'];

export interface AppEvents {
    onScenes: (scenes: SceneInfo[]) => void;
    /** What the pane that is in hand says. */
    onMessage: (message: FromEngine) => void;
    onChange: () => void;
}

export class App {
    readonly panes: Pane[] = [];
    scenes: SceneInfo[] = [];
    scene: SceneInfo | null = null;
    state: LinkState;
    isRunning = false;
    isDark = matchMedia('(prefers-color-scheme: dark)').matches;
    /** Which pane settings and plots are of. */
    active = 0;
    private isToFit = false;
    private wasPlanar = false;
    private linkTimer: ReturnType<typeof setTimeout> | undefined;

    constructor(private readonly container: HTMLElement, private readonly events: AppEvents) {
        this.state = stateFromText(location.hash);
        this.begin();
        // before there is a picture, which takes its time to be made
        const engine = openEngine();
        this.ordersOf(0).forEach((message) => engine.postMessage(message, []));
        this.addPane(engine);
        this.setUp(0);
        this.showPanes(this.state.other !== null);
        if (this.panes.length > 1) {
            this.openPane(1);
        }
        const draw = (): void => {
            this.panes.forEach((pane) => pane.draw());
            requestAnimationFrame(draw);
        };
        draw();
        addEventListener('hashchange', ({ newURL }) => {
            // the address may hold our own state again, if that was written just after
            const wanted = new URL(newURL).hash;
            if (wanted !== stateToText(this.state)) {
                this.restore(wanted);
            }
        });
    }

    get pane(): Pane {
        return this.panes[this.active] as Pane;
    }

    // ---- panes -------------------------------------------------------------------------------

    private addPane(engine = openEngine()): void {
        const number = this.panes.length;
        const element = document.createElement('section');
        element.className = 'pane';
        element.setAttribute('aria-label', `Simulation ${NAMES[number]}`);
        this.container.append(element);
        const pane = new Pane(element, engine);
        pane.onMessage = (message) => this.hear(number, message);
        pane.onCamera = () => this.moveCameras(number);
        element.addEventListener('pointerdown', () => this.activate(number), { capture: true });
        pane.setTheme(this.isDark);
        this.panes.push(pane);
    }

    private activate(number: number): void {
        if (this.active !== number) {
            this.active = number;
            this.showBadges();
            this.events.onChange();
        }
    }

    private showBadges(): void {
        this.panes.forEach((pane, i) => {
            pane.stage.container.querySelector('.badge')?.remove();
            if (this.panes.length > 1) {
                const badge = document.createElement('button');
                badge.className = 'badge';
                badge.setAttribute('aria-pressed', String(i === this.active));
                badge.textContent = i === this.active ? `${NAMES[i]} (settings are for this one)` : (NAMES[i] as string);
                badge.addEventListener('click', () => this.activate(i));
                pane.stage.container.append(badge);
            }
        });
    }

    setCompare(isOn: boolean): void {
        this.showPanes(isOn);
        this.reset();
    }

    private showPanes(isOn: boolean): void {
        if (isOn && this.panes.length === 1) {
            this.state.other ??= { ...this.state.options.settings };
            this.addPane();
        } else if (!isOn && this.panes.length === 2) {
            this.panes.pop()?.close();
            this.state.other = null;
            this.active = 0;
        }
        this.showBadges();
    }

    private moveCameras(from: number): void {
        const camera = (this.panes[from] as Pane | undefined)?.stage.getCamera();
        if (camera === undefined || this.scene === null) {
            return;
        }
        this.state.camera = camera;
        this.updateLink();
        const other = this.panes[1 - from];
        if (other !== undefined) {
            const own = other.stage.getCamera();
            if ([...own.eye, ...own.target].some((value, i) => Math.abs(value - ([...camera.eye, ...camera.target][i] as number)) > 1e-9)) {
                other.stage.look(camera);
                other.refresh();
            }
        }
    }

    // ---- engine ------------------------------------------------------------------------------

    private hear(number: number, message: FromEngine): void {
        if (message.kind === 'scenes') {
            this.scenes = message.scenes;
            this.events.onScenes(message.scenes);
            const { scene, file } = this.state.options;
            if (number === 0 && scene !== '' && file === null && !message.scenes.some(({ name }) => name === scene)) {
                this.open((message.scenes[0] as SceneInfo).name, 0); // the engine has said that there is none
            }
        } else if (message.kind === 'opened' && number === 0) {
            this.scene = message.scene;
            if (this.state.options.file === null) {
                this.state.options.scene = message.scene.name; // of its choice, where none was named
            }
            const isNew = this.state.camera === null;
            const { plane } = message.scene;
            const camera = this.state.camera ?? { eye: message.scene.eye, target: message.scene.target };
            this.panes.forEach(({ stage }) => {
                stage.setPlanar(plane !== undefined);
                stage.look(camera);
                if (plane !== undefined && isNew) {
                    stage.fitPlane(plane);
                }
            });
            this.state.camera = isNew ? null : camera;
            // the scene's own place is for its own size
            this.isToFit = isNew && plane === undefined && ![0, message.scene.size].includes(message.options.size);
        } else if (message.kind === 'settings') {
            this.keepTaken(number === 0 ? this.state.options.settings : (this.state.other ?? {}), message.settings);
        } else if (message.kind === 'frame' && number === 0 && this.isToFit) {
            this.isToFit = false;
            this.pane.fit();
        }
        if (number === this.active || message.kind === 'error') {
            this.events.onMessage(message);
        }
    }

    /** What the engine refused is not opened again, and in no link. */
    private keepTaken(values: SettingValues, settings: Setting[]): void {
        for (const [path, value] of Object.entries(values)) {
            const taken = settings.find((one) => one.path === path)?.value;
            if (taken === undefined) {
                delete values[path];
            } else if (typeof value !== 'number' || Math.abs(value - Number(taken)) > ROUNDING * Math.abs(value)) {
                values[path] = taken; // numbers of the engine are shorter
            }
        }
        this.updateLink();
    }

    private ordersOf(number: number): ToEngine[] {
        const settings = number === 0 ? this.state.options.settings : (this.state.other ?? {});
        return [
            { kind: 'open', options: { ...this.state.options, settings } },
            { kind: 'speed', value: this.state.speed },
            { kind: 'run', isRunning: this.isRunning },
        ];
    }

    private openPane(number: number): void {
        this.ordersOf(number).forEach((message) => this.panes[number]?.post(message));
        this.setUp(number);
    }

    private setUp(number: number): void {
        this.panes[number]?.setView(this.state.view);
        this.panes[number]?.setExplain(this.state.explain);
    }

    /** To all panes. */
    post(message: ToEngine): void {
        this.panes.forEach((pane) => pane.post(message));
    }

    input(input: Input): void {
        if (input.kind === 'settings') {
            const values: SettingValues = this.active === 0 ? this.state.options.settings : (this.state.other ??= {});
            Object.assign(values, input.values);
            this.pane.post({ kind: 'input', input });
            this.updateLink();
        } else {
            this.post({ kind: 'input', input });
        }
    }

    /** @param file instead of the scene */
    open(scene: string, size: number, file: SceneText | null = null): void {
        const isOther = scene !== this.state.options.scene || file !== this.state.options.file;
        const settings = isOther ? {} : this.state.options.settings;
        this.state.options = { scene, size, seed: isOther ? 0 : this.state.options.seed, settings, at: 0, file };
        this.state.camera = isOther ? null : this.state.camera;
        this.state.explain = isOther ? null : this.state.explain;
        // another view only where another is usual
        this.state.view = isPlanar(scene) || this.wasPlanar ? (isOther ? defaultView(scene) : this.state.view) : this.state.view;
        this.wasPlanar = isPlanar(scene);
        this.state.other = isOther && this.state.other !== null ? {} : this.state.other;
        this.openAll();
    }

    /** The same from its start. */
    reset(): void {
        const { scene, size, file } = this.state.options;
        this.open(scene, size, file);
    }

    private openAll(): void {
        this.panes.forEach((_, i) => this.openPane(i));
        this.updateLink();
        this.events.onChange();
    }

    run(isRunning: boolean): void {
        this.isRunning = isRunning;
        this.post({ kind: 'run', isRunning });
        this.events.onChange();
    }

    seek(step: number): void {
        this.isRunning = false;
        this.post({ kind: 'seek', step });
        this.events.onChange();
    }

    advance(): void {
        this.run(false);
        this.post({ kind: 'advance', steps: 1 });
    }

    setSpeed(value: number): void {
        this.state.speed = value;
        this.post({ kind: 'speed', value });
        this.updateLink();
    }

    setView(view: View): void {
        this.state.view = view;
        this.panes.forEach((pane) => pane.setView(view));
        this.updateLink();
    }

    /** What is explained; null: nothing. */
    setExplain(state: ExplainState | null): void {
        this.state.explain = state;
        this.panes.forEach((pane) => pane.setExplain(state));
        this.updateLink();
        this.events.onChange();
    }

    setTheme(isDark: boolean): void {
        this.isDark = isDark;
        document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
        this.panes.forEach((pane) => pane.setTheme(isDark));
    }

    // ---- link --------------------------------------------------------------------------------

    /** The address of what is seen, with the step when time stands still. */
    makeLink(): string {
        const at = this.isRunning ? 0 : (this.pane.frame?.step ?? 0);
        const link = new URL(location.href);
        link.hash = stateToText({ ...this.state, options: { ...this.state.options, at } });
        return link.href;
    }

    private updateLink(): void {
        clearTimeout(this.linkTimer);
        this.linkTimer = setTimeout(() => history.replaceState(null, '', stateToText(this.state)), LINK_DELAY_MS);
    }

    private restore(text: string): void {
        clearTimeout(this.linkTimer);
        this.state = stateFromText(text);
        this.begin();
        this.showPanes(this.state.other !== null);
        this.openAll();
    }

    private begin(): void {
        this.wasPlanar = isPlanar(this.state.options.scene);
        this.isRunning = this.state.options.at === 0 && !matchMedia('(prefers-reduced-motion: reduce)').matches;
    }
}
