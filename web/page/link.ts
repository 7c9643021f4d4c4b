// SPDX-License-Identifier: MIT
// link.ts - scene, settings, view and camera in the address: a link opens the same again.

import type { OpenOptions, SettingValues, Vector } from './protocol.js';
import { explainFromText, explainToText, type ExplainState } from './explain.js';
import type { CameraState } from './stage.js';
import { viewFromText, viewToText, type View } from './view.js';

export interface LinkState {
    options: OpenOptions;
    view: View;
    camera: CameraState | null; // null: the scene's own
    speed: number;
    other: SettingValues | null; // of the second pane; null: there is none
    explain: ExplainState | null;
}

const DIGITS = 5;

function valuesToText(values: SettingValues): string {
    return Object.entries(values).map(([path, value]) => `${path}:${value}`).join(';');
}

function valuesFromText(text: string): SettingValues {
    const values: SettingValues = {};
    for (const part of text.split(';').filter((one) => one.includes(':'))) {
        const [path, word] = part.split(':') as [string, string];
        values[path] = word === 'true' || word === 'false' ? word === 'true' : word !== '' && Number.isFinite(Number(word)) ? Number(word) : word;
    }
    return values;
}

const whole = (text: string | null, otherwise: number): number => {
    const value = Number(text);
    return text !== null && Number.isInteger(value) && value >= 0 ? value : otherwise;
};

function cameraFromText(text: string | null): CameraState | null {
    const numbers = (text ?? '').split(',').map(Number);
    return numbers.length === 6 && numbers.every(Number.isFinite)
        ? { eye: numbers.slice(0, 3) as Vector, target: numbers.slice(3) as Vector }
        : null;
}

export function stateToText({ options, view, camera, speed, other, explain }: LinkState): string {
    const parts = new URLSearchParams({ scene: options.scene });
    const set = (name: string, value: string | number, initial: string | number): void => {
        if (value !== initial) {
            parts.set(name, String(value));
        }
    };
    set('size', options.size, 0);
    set('seed', options.seed, 0);
    set('at', options.at, 0);
    set('speed', speed, 1);
    set('set', valuesToText(options.settings), '');
    set('view', viewToText(view, options.scene), '');
    set('explain', explain === null ? '' : explainToText(explain), '');
    if (camera !== null) {
        parts.set('camera', [...camera.eye, ...camera.target].map((value) => Number(value.toPrecision(DIGITS))).join(','));
    }
    if (other !== null) {
        parts.set('other', valuesToText(other));
    }
    return `#${parts.toString()}`;
}

export function stateFromText(text: string): LinkState {
    const parts = new URLSearchParams(text.replace(/^#/, ''));
    const speed = Number(parts.get('speed') ?? 1);
    return {
        options: {
            scene: parts.get('scene') ?? '',
            size: whole(parts.get('size'), 0),
            seed: whole(parts.get('seed'), 0),
            at: whole(parts.get('at'), 0),
            settings: valuesFromText(parts.get('set') ?? ''),
            file: null,
        },
        view: viewFromText(parts.get('view') ?? '', parts.get('scene') ?? ''),
        explain: explainFromText(parts.get('explain')),
        camera: cameraFromText(parts.get('camera')),
        speed: speed > 0 && speed <= 4 ? speed : 1,
        other: parts.has('other') ? valuesFromText(parts.get('other') as string) : null,
    };
}
