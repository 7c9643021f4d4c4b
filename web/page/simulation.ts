// SPDX-License-Identifier: MIT
// simulation.ts - a scene in the engine, with a past that can be gone back to.
//
// The past is the world at some steps and all inputs: the world at any other step is had by going
// on from the step before it, with the same inputs, to the same bits.

import type { Body, Snapshot, Sudar, World } from '../sudar.js';
import type { Input, OpenOptions, SettingValues, Vector } from './protocol.js';
import { applyBodySettings, withValues } from './settings.js';
import type { Source } from './source.js';

/** Snapshots that are kept; when there are more, every second one goes. */
const MAX_SNAPSHOTS = 96;
const MIN_SNAPSHOTS = 8;
/** Bytes of all of them, roughly: large worlds have fewer. */
const MAX_BYTES = 128 << 20;
const FIRST_INTERVAL = 8; // steps between snapshots
/** Hz, of the spring by which a body is dragged; it is damped so that it does not swing. */
const DRAG_FREQUENCY = 4;

const vector = ({ x, y, z }: { x: number; y: number; z: number }): Vector => [x, y, z];

export class Simulation {
    readonly world: World;
    readonly dt: number;
    step = 0;
    lastStep = 0;
    /** Changes when bodies come or go. */
    revision = 0;
    private readonly sudar: Sudar;
    private snapshots = new Map<number, Snapshot>();
    private interval = FIRST_INTERVAL;
    private inputs = new Map<number, Input[]>();
    private bodies: Body[] | null = null;

    constructor(sudar: Sudar, source: Source, options: OpenOptions) {
        this.sudar = sudar;
        this.world = sudar.World.create(withValues(source.def, options.settings));
        this.dt = source.info.dt;
        try {
            source.build(this.world);
            applyBodySettings(this.getBodies(), options.settings);
        } catch (error) {
            this.world.free();
            throw error;
        }
        this.remember();
    }

    free(): void {
        this.world.free();
        this.snapshots.forEach((snapshot) => snapshot.free());
        this.snapshots.clear();
    }

    getBodies(): Body[] {
        this.bodies ??= this.world.getBodies();
        return this.bodies;
    }

    private changeBodies(): void {
        this.bodies = null;
        this.revision += 1;
    }

    // ---- time --------------------------------------------------------------------------------

    private remember(): void {
        const snapshot = this.sudar.Snapshot.create();
        this.world.save(snapshot);
        this.snapshots.set(this.step, snapshot);
        const room = Math.floor(MAX_BYTES / (this.world.getStats().byteCount + 1));
        if (this.snapshots.size > Math.max(MIN_SNAPSHOTS, Math.min(MAX_SNAPSHOTS, room))) {
            this.interval *= 2;
            for (const [step, old] of this.snapshots) {
                if (step % this.interval !== 0) {
                    old.free();
                    this.snapshots.delete(step);
                }
            }
        }
    }

    advance(): void {
        for (const input of this.inputs.get(this.step) ?? []) {
            try {
                this.apply(input);
            } catch (error) {
                // what the engine refuses is not tried again
                this.inputs.set(this.step, (this.inputs.get(this.step) ?? []).filter((other) => other !== input));
                throw error;
            }
        }
        this.world.step(this.dt);
        this.step += 1;
        this.lastStep = Math.max(this.lastStep, this.step);
        if (this.step % this.interval === 0 && !this.snapshots.has(this.step)) {
            this.remember();
        }
    }

    /** To the last snapshot that is not later than a step.
     * @return whether steps are missing: `advance` makes them */
    rewind(step: number): void {
        const from = Math.max(...[...this.snapshots.keys()].filter((key) => key <= step));
        const isNearer = this.step <= step && this.step >= from;
        if (!isNearer) {
            this.world.restore(this.snapshots.get(from) as Snapshot);
            this.step = from;
            this.changeBodies();
        }
    }

    // ---- inputs ------------------------------------------------------------------------------

    /** From now on: what was to come is forgotten. */
    add(input: Input): void {
        for (const step of [...this.snapshots.keys()].filter((key) => key > this.step)) {
            this.snapshots.get(step)?.free();
            this.snapshots.delete(step);
        }
        for (const step of [...this.inputs.keys()].filter((key) => key > this.step)) {
            this.inputs.delete(step);
        }
        this.lastStep = this.step;
        const here = this.inputs.get(this.step) ?? [];
        // of one step only the last drag counts
        const kept = input.kind === 'drag' ? here.filter(({ kind }) => kind !== 'drag') : here;
        this.inputs.set(this.step, [...kept, input]);
    }

    /** Settings of the world and of its bodies, all or none. */
    set(values: SettingValues): void {
        const before = this.world.getDef();
        this.world.setDef(withValues(before, values));
        try {
            applyBodySettings(this.getBodies(), values);
        } catch (error) {
            this.world.setDef(before);
            throw error;
        }
    }

    private apply(input: Input): void {
        switch (input.kind) {
            case 'settings':
                this.set(input.values);
                break;
            case 'throw':
                this.throwBall(input.origin, input.velocity, input.radius);
                break;
            case 'drag':
                this.pull(this.getBodies()[input.body], input.local, input.target);
                break;
            case 'drop':
                this.drop(input);
                break;
        }
    }

    private throwBall(origin: Vector, velocity: Vector, radius: number): void {
        const body = this.sudar.Body.create(this.world, { type: 'dynamic', position: origin, velocity, isBullet: true });
        body.addShape({ shape: this.sudar.Shape.sphere(radius), density: 2000 });
        this.changeBodies();
    }

    /** A damped spring from a point of the body to a place. */
    private pull(body: Body | undefined, local: Vector, target: Vector): void {
        if (body === undefined || body.getType() !== 'dynamic') {
            return;
        }
        const point = vector(body.getWorldPoint(local));
        const velocity = vector(body.getVelocityAt(point));
        const omega = 2 * Math.PI * DRAG_FREQUENCY;
        const { mass } = body.getMass();
        const force = target.map((t, i) =>
            mass * (omega * omega * (t - (point[i] as number)) - 2 * omega * (velocity[i] as number)));
        body.applyForce(force, point);
    }

    private drop({ vertices, triangles, count, size, at }: Extract<Input, { kind: 'drop' }>): void {
        const { Mesh, Concave, Shape, Body } = this.sudar;
        const mesh = Mesh.create({ data: { vertices, triangles } });
        const concave = Concave.create(mesh);
        for (let i = 0; i < count; i += 1) {
            const position = [at[0] + 0.3 * size * Math.sin(2.4 * i), at[1] + 1.3 * size * i, at[2] + 0.3 * size * Math.cos(2.4 * i)];
            Body.create(this.world, { type: 'dynamic', position }).addShape({ shape: Shape.concave(concave) });
        }
        concave.free();
        mesh.free();
        this.changeBodies();
    }
}
