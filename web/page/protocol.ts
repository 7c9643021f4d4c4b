// SPDX-License-Identifier: MIT
// protocol.ts - what page and engine say to each other. State goes in flat arrays, which are handed
// over rather than copied.

/** Numbers of a body in Frame.poses, of a contact point and of a joint (view.h). */
export const POSE_SIZE = 12;
export const CONTACT_SIZE = 11;
export const JOINT_SIZE = 12;
export const BOX_SIZE = 6;
export const CELL_SIZE = 7;
export const CORNER_SIZE = 6;
export const SLICE_HEAD = 4;

export type Vector = [number, number, number];

export interface SceneInfo {
    name: string;
    title: string;
    text: string;
    sizeName: string;
    size: number;
    minSize: number;
    maxSize: number;
    dt: number;
    eye: Vector;
    target: Vector;
}

/** A setting of the world, told so that a panel can be made of it. */
export interface Setting {
    path: string;
    kind: 'number' | 'whole' | 'boolean' | 'word';
    words: string[];
    value: number | boolean | string;
}

export type SettingValues = Record<string, number | boolean | string>;

export interface Materials {
    friction: number;
    restitution: number;
}

/** What changes the world besides time. Inputs are kept with their step, so that going back and on
 * again gives the same result. */
export type Input =
    | { kind: 'settings'; values: SettingValues }
    | { kind: 'materials'; values: Materials }
    | { kind: 'throw'; origin: Vector; velocity: Vector; radius: number }
    | { kind: 'drag'; body: number; local: Vector; target: Vector }
    | { kind: 'drop'; vertices: Float32Array; triangles: Int32Array; count: number; size: number; at: Vector };

/** Arrays that are wanted besides poses. */
export interface Wants {
    contacts: boolean;
    joints: boolean;
    boxes: boolean;
    cells: boolean;
    islands: boolean;
    levels: boolean;
    samples: boolean;
    slice: boolean;
    version: number; // comes back with the first frame that has them
    selected: number; // a body's number, for what is shown of one body only; -1: the first that has it
}

/** A scene file. */
export interface SceneText {
    name: string;
    text: string;
}

export interface OpenOptions {
    scene: string;
    size: number; // 0: the scene's own
    seed: number;
    settings: SettingValues;
    at: number; // step to go to first
    file: SceneText | null; // instead of a scene by name; not in links
}

export type ToEngine =
    | { kind: 'open'; options: OpenOptions }
    | { kind: 'run'; isRunning: boolean }
    | { kind: 'speed'; value: number }
    | { kind: 'advance'; steps: number }
    | { kind: 'seek'; step: number }
    | { kind: 'input'; input: Input }
    | { kind: 'grab'; origin: Vector; direction: Vector }
    | { kind: 'pull'; target: Vector }
    | { kind: 'letGo' }
    | { kind: 'wants'; wants: Wants }
    | { kind: 'drawn' };

/** A geometry that bodies share, and which ones. */
export interface Look {
    key: number;
    triangles: Float32Array | null; // null: known already
    bodies: Int32Array;
    isEndless: boolean; // a half-space
}

export interface Stats {
    bodyCount: number;
    awakeCount: number;
    contactCount: number;
    pointCount: number;
    islandCount: number;
    pairCount: number;
    pairMs: number;
    contactMs: number;
    islandMs: number;
    solveMs: number;
    refitMs: number;
    sleepMs: number;
    stepMs: number;
    byteCount: number;
    kinetic: number;
    potential: number;
    maxPenetration: number;
}

export interface Frame {
    kind: 'frame';
    step: number;
    lastStep: number; // up to which the timeline goes
    time: number;
    hash: string;
    isRunning: boolean;
    poses: Float32Array;
    contacts: Float32Array | null;
    joints: Float32Array | null;
    boxes: Float32Array | null;
    cells: Float32Array | null;
    islands: Int32Array | null;
    levels: Int32Array | null;
    samples: Float32Array | null; // in the frame of body `shown`
    slice: Float32Array | null; // the same
    shown: number;
    version: number;
    stats: Stats;
}

export type FromEngine =
    | { kind: 'scenes'; scenes: SceneInfo[] }
    | { kind: 'opened'; scene: SceneInfo; settings: Setting[]; options: OpenOptions }
    | { kind: 'settings'; settings: Setting[] }
    | { kind: 'looks'; looks: Look[]; bodyCount: number }
    | { kind: 'grabbed'; body: number; point: Vector }
    | { kind: 'missed' }
    | { kind: 'error'; text: string }
    | Frame;
