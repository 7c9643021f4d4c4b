// SPDX-License-Identifier: MIT
// view.ts - what is drawn, as one object of switches.

import { COLORINGS, type Coloring } from './bodies.js';
import type { OverlaySwitches } from './overlays.js';
import type { Wants } from './protocol.js';

export interface View extends OverlaySwitches {
    solid: boolean;
    wireframe: boolean;
    shadows: boolean;
    coloring: Coloring;
}

export const defaultView = (): View => ({
    solid: true,
    wireframe: false,
    shadows: true,
    contacts: false,
    normals: false,
    boxes: false,
    joints: false,
    centers: false,
    cells: false,
    samples: false,
    slice: false,
    coloring: 'bodies',
});

/** Switches by the names that people read. */
export const VIEW_NAMES: Record<Exclude<keyof View, 'coloring'>, string> = {
    solid: 'Solid',
    wireframe: 'Wireframe',
    shadows: 'Shadows',
    contacts: 'Contact points',
    normals: 'Normals and impulses',
    boxes: 'Bounding boxes',
    joints: 'Joints',
    centers: 'Centres of mass',
    cells: 'Broad phase cells',
    samples: 'Sample points',
    slice: 'Distance field',
};

export const COLORING_NAMES: Record<string, Coloring> = {
    'by body': 'bodies',
    'by island': 'islands',
    'awake or asleep': 'sleep',
    'by level of support': 'levels',
    'touching is red': 'touching',
};

/** Names of switches that differ from the default, and the other way round. */
export function viewToText(view: View): string {
    const initial = defaultView();
    const names = (Object.keys(VIEW_NAMES) as (keyof typeof VIEW_NAMES)[]).filter((name) => view[name] !== initial[name]);
    return [...names, ...(view.coloring === 'bodies' ? [] : [`color-${view.coloring}`])].join(',');
}

export function viewFromText(text: string): View {
    const view = defaultView();
    for (const word of text.split(',')) {
        const coloring = COLORINGS.find((name) => `color-${name}` === word);
        if (coloring !== undefined) {
            view.coloring = coloring;
        } else if (word in VIEW_NAMES) {
            const name = word as keyof typeof VIEW_NAMES;
            view[name] = !view[name];
        }
    }
    return view;
}

export function wantsOf(view: View, selected: number, version: number): Wants {
    return {
        contacts: view.contacts || view.normals || view.coloring === 'touching',
        joints: view.joints,
        boxes: view.boxes,
        cells: view.cells,
        islands: view.coloring === 'islands',
        levels: view.coloring === 'levels',
        samples: view.samples,
        slice: view.slice,
        version,
        selected,
    };
}
