// SPDX-License-Identifier: MIT
// flat.ts - a demonstration in the plane, as a simulation that can be gone back in: its states are
// small, so all of them are kept.

import type { Flat, FlatScene, Sudar } from '../sudar.js';
import type { Explanation, Frame, Input, Look, OpenOptions, SceneInfo, Stats, Vector, Wants } from './protocol.js';
import { tellExplanation } from './pair.js';

/** Of a camera that sees the whole of a plane. */
const EYE_DISTANCE = 10;

export function listFlatScenes(sudar: Sudar): SceneInfo[] {
    return Array.from({ length: sudar.FlatScene.getCount() }, (_, i) => {
        const { name, title, text, sizeName, size, minSize, maxSize, dt, halfWidth, halfHeight } = sudar.FlatScene.get(i) as FlatScene;
        return { name, title, text, sizeName, size, minSize, maxSize, dt, eye: [0, 0, EYE_DISTANCE] as Vector, target: [0, 0, 0] as Vector, plane: [halfWidth, halfHeight] as [number, number] };
    });
}

export class FlatSimulation {
    readonly dt: number;
    readonly revision = 0;
    step = 0;
    lastStep = 0;
    private readonly flat: Flat;
    private readonly states: Float32Array[] = [];
    private readonly drags = new Map<number, Extract<Input, { kind: 'drag' }>>();

    constructor(sudar: Sudar, readonly info: SceneInfo, options: OpenOptions) {
        const index = listFlatScenes(sudar).findIndex(({ name }) => name === info.name);
        this.flat = sudar.Flat.create(index, options.size);
        this.dt = info.dt;
        this.states.push(this.flat.getState());
    }

    free(): void {
        this.flat.free();
    }

    // ---- time --------------------------------------------------------------------------------

    advance(): void {
        const drag = this.drags.get(this.step);
        if (drag !== undefined) {
            this.flat.pull(drag.body, drag.local[0], drag.local[1], drag.target[0], drag.target[1]);
        }
        this.flat.step();
        this.step += 1;
        this.states[this.step] = this.flat.getState();
        this.lastStep = Math.max(this.lastStep, this.step);
    }

    rewind(step: number): void {
        const from = Math.min(step, this.lastStep);
        // through the step before it, whose points tell which of this one's are kept
        for (const one of [Math.max(0, from - 1), from]) {
            this.flat.setState(this.states[one] as Float32Array);
        }
        this.step = from;
    }

    add(input: Input): void {
        if (input.kind !== 'drag') {
            throw new Error('in the plane, shapes are dragged; nothing is thrown, dropped or set');
        }
        for (const step of [...this.drags.keys()].filter((key) => key > this.step)) {
            this.drags.delete(step);
        }
        this.drags.set(this.step, input);
        this.states.length = this.step + 1;
        this.lastStep = this.step;
    }

    // ---- what is seen ------------------------------------------------------------------------

    /** What a ray meets in the plane. */
    grab(origin: Vector, direction: Vector): { body: number; local: Vector; point: Vector } | null {
        const t = -origin[2] / direction[2];
        const point: Vector = [origin[0] + t * direction[0], origin[1] + t * direction[1], 0];
        const body = this.flat.pick(point[0], point[1]);
        if (body < 0) {
            return null;
        }
        const [x, y, , , , s, c] = this.flat.getPoses().subarray(12 * body) as unknown as [number, number, number, number, number, number, number];
        const [cos, sin] = [c * c - s * s, 2 * s * c];
        const [dx, dy] = [point[0] - x, point[1] - y];
        return { body, local: [cos * dx + sin * dy, cos * dy - sin * dx, 0], point };
    }

    listLooks(): Look[] {
        return Array.from({ length: this.flat.getPieceCount() }, (_, i) => ({
            key: this.flat.getShapeKey(i), triangles: this.flat.getTriangles(i), bodies: Int32Array.of(i), isEndless: false,
        }));
    }

    private explain({ explain }: Wants): Explanation | null {
        const count = this.flat.getPieceCount();
        return explain === null || Math.min(explain.a, explain.b) < 0 || Math.max(explain.a, explain.b) >= count ? null
            : tellExplanation(explain, this.flat.explain(explain.a, explain.b, explain.method));
    }

    makeFrame(wants: Wants, isRunning: boolean): Frame {
        const { flat } = this;
        const { maxPenetration, hitCount, passCount, blindHitCount, blindPassCount } = flat.getFigures();
        const contacts = flat.getContacts();
        const bodyCount = flat.getPieceCount();
        const pointCount = contacts.length / 11;
        const stats: Stats = {
            bodyCount, awakeCount: bodyCount, contactCount: pointCount, pointCount, islandCount: 0, pairCount: 0, byteCount: 0,
            pairMs: 0, contactMs: 0, islandMs: 0, solveMs: 0, refitMs: 0, sleepMs: 0, stepMs: 0, kinetic: 0, potential: 0, maxPenetration,
        };
        const hasBullets = this.info.name === 'flat-bullet';
        return {
            kind: 'frame', step: this.step, lastStep: this.lastStep, time: this.step * this.dt,
            hash: flat.getHash().toString(16).padStart(16, '0'), isRunning, poses: flat.getPoses(),
            contacts: wants.contacts ? contacts : null, boxes: wants.boxes ? flat.getBoxes() : null,
            joints: null, cells: null, islands: null, levels: null, samples: null, slice: null, lines: flat.getLines(), shown: -1,
            explanation: this.explain(wants), version: wants.version, stats,
            note: hasBullets ? `without looking ahead ${blindHitCount} hits, ${blindPassCount} walls passed · looking ahead ${hitCount} hits, ${passCount} passed` : null,
        };
    }
}
