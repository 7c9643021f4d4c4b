// SPDX-License-Identifier: MIT
// view.ts - what is drawn, as one object of switches.

import { COLORINGS, type Coloring } from './bodies.js';
import type { OverlaySwitches } from './overlays.js';
import type { PairWanted, Wants } from './protocol.js';

export interface View extends OverlaySwitches {
    solid: boolean;
    wireframe: boolean;
    shadows: boolean;
    flatShadows: boolean;
    spheres: boolean;
    obbs: boolean;
    kdops: boolean;
    hulls: boolean;
    fatBoxes: boolean;
    inertia: boolean;
    limits: boolean;
    coloring: Coloring;
}

/** Bits of sdView_GetLines, of render.h and view.h. */
const LINE_BITS = { fatBoxes: 1 << 8, spheres: 1 << 9, obbs: 1 << 10, kdops: 1 << 11, hulls: 1 << 12, inertia: 1 << 24, limits: 1 << 25 } as const;

export const isPlanar = (scene: string): boolean => scene.startsWith('flat-');

/** In the plane, what touches what is what is to be seen. */
export const defaultView = (scene = ''): View => (isPlanar(scene)
    ? { ...plainView(), shadows: false, contacts: true, normals: true, boxes: scene === 'flat-figure', coloring: 'touching' }
    : plainView());

const plainView = (): View => ({
    solid: true,
    wireframe: false,
    shadows: true,
    flatShadows: false,
    contacts: false,
    normals: false,
    boxes: false,
    joints: false,
    centers: false,
    cells: false,
    samples: false,
    slice: false,
    spheres: false,
    obbs: false,
    kdops: false,
    hulls: false,
    fatBoxes: false,
    inertia: false,
    limits: false,
    coloring: 'bodies',
});

/** Switches by the names that people read. */
export const VIEW_NAMES: Record<Exclude<keyof View, 'coloring'>, string> = {
    solid: 'Solid',
    wireframe: 'Wireframe',
    shadows: 'Shadows',
    flatShadows: 'Shadows on the plane',
    contacts: 'Contact points',
    normals: 'Normals and impulses',
    boxes: 'Bounding boxes',
    spheres: 'Bounding spheres',
    obbs: 'Oriented boxes',
    kdops: '14-DOPs',
    hulls: 'Hulls',
    fatBoxes: 'Boxes of the broad phase',
    joints: 'Joints',
    limits: 'Limits of joints',
    centers: 'Centres of mass',
    inertia: 'Inertia',
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
export function viewToText(view: View, scene: string): string {
    const initial = defaultView(scene);
    const names = (Object.keys(VIEW_NAMES) as (keyof typeof VIEW_NAMES)[]).filter((name) => view[name] !== initial[name]);
    return [...names, ...(view.coloring === initial.coloring ? [] : [`color-${view.coloring}`])].join(',');
}

export function viewFromText(text: string, scene: string): View {
    const view = defaultView(scene);
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

/** @param lineSize m, of what has no size of its own */
export function wantsOf(view: View, selected: number, version: number, explain: PairWanted | null, lineSize: number): Wants {
    const lines = Object.entries(LINE_BITS).reduce((bits, [name, bit]) => (view[name as keyof typeof LINE_BITS] ? bits | bit : bits), 0);
    return {
        contacts: view.contacts || view.normals || view.coloring === 'touching',
        joints: view.joints,
        boxes: view.boxes,
        cells: view.cells,
        islands: view.coloring === 'islands',
        levels: view.coloring === 'levels',
        samples: view.samples,
        slice: view.slice,
        lines,
        lineSize,
        explain: explain === null ? null : { method: explain.method, a: explain.a, b: explain.b },
        version,
        selected,
    };
}
