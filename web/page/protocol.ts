// SPDX-License-Identifier: MIT
// protocol.ts - what page and engine say to each other. State goes in flat arrays, which are handed
// over rather than copied.
//
// The engine is a Worker of the page, or the command `sudar view` at the other end of a WebSocket
// (cli/view_message.h); messages are the same. There, what the page says is JSON, a text of at most
// 8 MiB, with arrays as lists. What it is told is one binary message: the length of its head (4 bytes,
// lowest first), the head, JSON padded with spaces to a multiple of 4, and the bytes of all arrays.
// An array stands in the head as {"f32": [at, count]}, {"i32": ...} or {"u8": ...}, floats or integers of
// 4 bytes, or bytes, `at` counted in bytes from the end of the head. The page asks for frames by 'drawn':
// the next one is sent after it.

/** Numbers of a body in Frame.poses, of a contact point and of a joint (view.h). */
export const POSE_SIZE = 12;
export const CONTACT_SIZE = 11;
export const JOINT_SIZE = 12;
export const BOX_SIZE = 6;
export const CELL_SIZE = 7;
export const CORNER_SIZE = 6;
export const SLICE_HEAD = 4;
export const LINE_SIZE = 6;
/** Of an explanation (explain.h). */
export const MARK_SIZE = 12;

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
    plane?: [number, number]; // half width and height of a demonstration in the plane, m
}

/** Algorithms that explain themselves, in the words of the engine. */
export const METHODS = ['gjk', 'epa', 'sat', 'vclip'] as const;
export type Method = (typeof METHODS)[number];

/** Two bodies, by their numbers, and an algorithm. */
export interface PairWanted {
    method: Method;
    a: number;
    b: number;
}

/** Its steps: words, marks to draw (rows of MARK_SIZE), and the intervals of SAT. */
export interface Explanation extends PairWanted {
    texts: string[];
    shared: Float32Array; // marks of all steps
    marks: Float32Array[];
    intervals: Float32Array[];
    found: number;
    answer: number;
}

/** A setting of the world, told so that a panel can be made of it; 'bodies.friction' and 'bodies.restitution' are of all bodies. */
export interface Setting {
    path: string;
    kind: 'number' | 'whole' | 'boolean' | 'word';
    words: string[];
    value: number | boolean | string;
}

export type SettingValues = Record<string, number | boolean | string>;

/** What changes the world besides time. Inputs are kept with their step, so that going back and on
 * again gives the same result. */
export type Input =
    | { kind: 'settings'; values: SettingValues }
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
    lines: number; // bits of sdView_GetLines
    lineSize: number; // m, of limits of joints
    explain: PairWanted | null;
    version: number; // comes back with the first frame that has them
    selected: number; // a body's number, for what is shown of one body only; -1: the first that has it
}

/** A scene file. */
export interface SceneText {
    name: string;
    text: string;
}

export interface OpenOptions {
    scene: string; // empty: the engine's choice
    size: number; // 0: the scene's own
    seed: number;
    settings: SettingValues;
    at: number; // step to go to first
    file: SceneText | null; // instead of a scene by name; not in links
}

export type ToEngine =
    | { kind: 'open'; options: OpenOptions; number?: number } // of a WebSocket: comes back with 'opened'
    | { kind: 'run'; isRunning: boolean }
    | { kind: 'speed'; value: number }
    | { kind: 'advance'; steps: number }
    | { kind: 'seek'; step: number }
    | { kind: 'input'; input: Input }
    | { kind: 'grab'; origin: Vector; direction: Vector }
    | { kind: 'pull'; target: Vector }
    | { kind: 'letGo' }
    | { kind: 'wants'; wants: Wants }
    | { kind: 'motion' } // all steps so far as a file
    | { kind: 'drawn' };

/** A geometry that bodies share, and which ones. */
export interface Look {
    key: number;
    triangles: Float32Array | null; // null: known already
    bodies: Int32Array;
    isEndless: boolean; // a half-space
    isGlass?: boolean; // a wall, or a sensor
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
    lines?: Float32Array | null; // two ends each: place, colour
    explanation?: Explanation | null;
    note?: string | null; // what else is to be said of the step
    shown: number;
    version: number;
    stats: Stats;
}

export type FromEngine =
    | { kind: 'here' } // a Worker whose engine is still on its way
    | { kind: 'scenes'; scenes: SceneInfo[]; threads: number }
    | { kind: 'opened'; scene: SceneInfo; settings: Setting[]; options: OpenOptions; number?: number }
    | { kind: 'settings'; settings: Setting[] }
    | { kind: 'looks'; looks: Look[]; bodyCount: number }
    | { kind: 'grabbed'; body: number; point: Vector }
    | { kind: 'missed' }
    | { kind: 'motion'; bytes: Uint8Array }
    | { kind: 'error'; text: string }
    | Frame;

// ---- through a WebSocket ---------------------------------------------------------------------

const ARRAYS = { f32: Float32Array, i32: Int32Array, u8: Uint8Array };

export function writeMessage(message: ToEngine): string {
    return JSON.stringify(message, (_, value: unknown) => (ArrayBuffer.isView(value) ? Array.from(value as Float32Array) : value));
}

export function readMessage(bytes: ArrayBuffer): FromEngine {
    const start = 4 + new DataView(bytes).getUint32(0, true);
    const head = new TextDecoder().decode(new Uint8Array(bytes, 4, start - 4));
    return JSON.parse(head, (_, value: Partial<Record<keyof typeof ARRAYS, [number, number]>> | null) => {
        for (const [type, List] of Object.entries(ARRAYS)) {
            const place = value?.[type as keyof typeof ARRAYS];
            if (place !== undefined) {
                // a copy, so that each has a buffer of its own as those of a Worker have
                const from = start + place[0];
                return new List(bytes.slice(from, from + List.BYTES_PER_ELEMENT * place[1]));
            }
        }
        return value;
    }) as FromEngine;
}
