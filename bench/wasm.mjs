// SPDX-License-Identifier: MIT
// wasm.mjs - our WebAssembly beside jolt-physics and @dimforge/rapier3d-simd, in Node, one thread.
//
//     node bench/wasm.mjs FOLDER     where FOLDER/node_modules has both (tools/bench.sh)
//
// Scenes are scene files, written by the command, so all get the same bodies, shapes, frictions and
// joints; steps of 1/60 s, nothing sleeps, each engine with its own default settings. They take
// turns; the shortest time of each counts. With BENCH_CSV rows are recorded as by the C programs.

import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { register } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { loadEngine, root } from '../web/test/engine.mjs';

register('./wasm_hooks.mjs', import.meta.url);

const DT = 1 / 60;
const ROUNDS = 3;
const DENSITY = 1000; // kg/m³, as where a scene file says nothing
const FRICTION = 0.6;
const CASES = [
    { scene: 'pyramid', size: 30, steps: 180, first: 60, title: 'pyramid of 465 boxes' },
    { scene: 'pile', size: 1000, steps: 300, first: 240, title: 'pile of 1000' },
    { scene: 'chains', size: 50, steps: 180, first: 60, title: '50 chains of 20' },
];

const folder = resolve(process.argv[2] ?? 'build/bench-node');
const use = (path) => import(pathToFileURL(`${folder}/node_modules/${path}`));

const readScene = ({ scene, size }) => {
    const command = process.env.SUDAR_COMMAND ?? `${root}build/release/cli/sudar`;
    return JSON.parse(execFileSync(command, ['scene', scene, '--size', `${size}`, '--out', '-'], { encoding: 'utf8', maxBuffer: 1 << 28 }));
};
const frictionOf = (file, shape) => file.materials?.[shape.material]?.slidingFriction ?? FRICTION;
const isDynamic = (body) => body.type === 'dynamic';

// ---- engines: open a scene, step, say where bodies are, close -------------------------------

async function openSudar() {
    const sudar = await loadEngine();
    return {
        name: 'Sudar',
        open(file) {
            const parsed = sudar.SceneFile.parse('scene.json', JSON.stringify(file));
            const world = sudar.World.create({ ...parsed.getWorldDef(), enableSleep: false });
            parsed.build(world);
            return world;
        },
        step: (world) => world.step(DT),
        getPositions: (world) => world.getBodies().map((body) => {
            const { p } = body.getTransform();
            return [p.x ?? p[0], p.y ?? p[1], p.z ?? p[2]];
        }),
        close: (world) => world.free(),
    };
}

async function openRapier() {
    const rapier = (await use('@dimforge/rapier3d-simd/rapier.js')).default;
    const vector = ([x, y, z]) => ({ x, y, z });
    const makeShape = ({ type, halfExtents, radius, halfLength }) => {
        switch (type) {
            case 'box': return rapier.ColliderDesc.cuboid(...halfExtents);
            case 'sphere': return rapier.ColliderDesc.ball(radius);
            case 'capsule': return rapier.ColliderDesc.capsule(halfLength, radius);
            default: throw new Error(`not supported: ${type}`);
        }
    };
    return {
        name: 'Rapier',
        open(file) {
            const world = new rapier.World({ x: 0, y: -9.81, z: 0 });
            world.timestep = DT;
            const bodies = file.bodies.map((body) => {
                const desc = isDynamic(body) ? rapier.RigidBodyDesc.dynamic() : rapier.RigidBodyDesc.fixed();
                desc.setTranslation(...body.position).setCanSleep(false);
                if (body.rotation !== undefined) {
                    const [x, y, z, w] = body.rotation;
                    desc.setRotation({ x, y, z, w });
                }
                const rigid = world.createRigidBody(desc);
                for (const entry of body.shapes) {
                    world.createCollider(makeShape(entry.shape).setDensity(DENSITY).setFriction(frictionOf(file, entry)), rigid);
                }
                return rigid;
            });
            for (const joint of file.joints ?? []) {
                const data = rapier.JointData.spherical(vector(joint.frameA.position), vector(joint.frameB.position));
                world.createImpulseJoint(data, bodies[joint.bodyA], bodies[joint.bodyB], true).setContactsEnabled(false);
            }
            return { world, bodies };
        },
        step: ({ world }) => world.step(),
        getPositions: ({ bodies }) => bodies.map((body) => {
            const { x, y, z } = body.translation();
            return [x, y, z];
        }),
        close: ({ world }) => world.free(),
    };
}

async function openJolt() {
    const jolt = await (await use('jolt-physics/dist/jolt-physics.wasm-compat.js')).default();
    const STILL = 0;
    const MOVING = 1;
    const makeShape = ({ type, halfExtents, radius, halfLength }) => {
        switch (type) {
            case 'box': return new jolt.BoxShape(new jolt.Vec3(...halfExtents), Math.min(0.05, 0.2 * Math.min(...halfExtents)));
            case 'sphere': return new jolt.SphereShape(radius);
            case 'capsule': return new jolt.CapsuleShape(halfLength, radius);
            default: throw new Error(`not supported: ${type}`);
        }
    };
    const makeSystem = () => {
        const settings = new jolt.JoltSettings();
        settings.mMaxWorkerThreads = 0;
        const pairs = new jolt.ObjectLayerPairFilterTable(2);
        pairs.EnableCollision(STILL, MOVING);
        pairs.EnableCollision(MOVING, MOVING);
        const layers = new jolt.BroadPhaseLayerInterfaceTable(2, 2);
        layers.MapObjectToBroadPhaseLayer(STILL, new jolt.BroadPhaseLayer(0));
        layers.MapObjectToBroadPhaseLayer(MOVING, new jolt.BroadPhaseLayer(1));
        settings.mObjectLayerPairFilter = pairs;
        settings.mBroadPhaseLayerInterface = layers;
        settings.mObjectVsBroadPhaseLayerFilter = new jolt.ObjectVsBroadPhaseLayerFilterTable(layers, 2, pairs, 2);
        return new jolt.JoltInterface(settings);
    };
    return {
        name: 'Jolt',
        open(file) {
            const system = makeSystem();
            const space = system.GetPhysicsSystem();
            space.SetGravity(new jolt.Vec3(0, -9.81, 0));
            const bodies = file.bodies.map((body) => {
                const [entry] = body.shapes;
                const shape = makeShape(entry.shape);
                shape.SetDensity?.(DENSITY);
                const settings = new jolt.BodyCreationSettings(shape, new jolt.RVec3(...body.position),
                    new jolt.Quat(...(body.rotation ?? [0, 0, 0, 1])), isDynamic(body) ? jolt.EMotionType_Dynamic : jolt.EMotionType_Static, isDynamic(body) ? MOVING : STILL);
                settings.mFriction = frictionOf(file, entry);
                settings.mAllowSleeping = false;
                settings.mLinearDamping = 0;
                settings.mAngularDamping = 0;
                const made = space.GetBodyInterface().CreateBody(settings);
                space.GetBodyInterface().AddBody(made.GetID(), jolt.EActivation_Activate);
                return made;
            });
            for (const joint of file.joints ?? []) {
                const settings = new jolt.PointConstraintSettings();
                settings.mSpace = jolt.EConstraintSpace_LocalToBodyCOM;
                settings.mPoint1 = new jolt.RVec3(...joint.frameA.position);
                settings.mPoint2 = new jolt.RVec3(...joint.frameB.position);
                space.AddConstraint(settings.Create(bodies[joint.bodyA], bodies[joint.bodyB]));
            }
            return { system, bodies };
        },
        step: ({ system }) => system.Step(DT, 1),
        getPositions: ({ bodies }) => bodies.map((body) => {
            const p = body.GetPosition();
            return [p.GetX(), p.GetY(), p.GetZ()];
        }),
        close: ({ system }) => jolt.destroy(system),
    };
}

// ---- runs ----------------------------------------------------------------------------------

/** Ms of the processor a step, and the farthest that a body of the scene has moved. */
function run(engine, file, { steps, first }) {
    const world = engine.open(file);
    for (let i = 0; i < first; i += 1) {
        engine.step(world);
    }
    const start = process.cpuUsage();
    for (let i = first; i < steps; i += 1) {
        engine.step(world);
    }
    const ms = process.cpuUsage(start).user / 1e3 / (steps - first);
    const positions = engine.getPositions(world);
    if (!positions.flat().every(Number.isFinite)) {
        throw new Error('failed: positions that are not finite');
    }
    const move = Math.max(...positions.map((p, i) => Math.hypot(...p.map((x, k) => x - file.bodies[i].position[k]))));
    engine.close(world);
    return { ms, move };
}

const quote = (text) => `"${text.replaceAll('"', '""')}"`;
function record(group, row, engine, value, unit, spread, note) {
    const fields = [quote(group), quote(row), quote(engine), value ?? '', quote(unit), spread > 0 ? spread.toPrecision(3) : '', '', quote(note)];
    if (process.env.BENCH_CSV !== undefined) {
        appendFileSync(process.env.BENCH_CSV, `${fields.join(',')}\n`);
    }
}

const engines = [];
for (const [name, open] of [['Sudar', openSudar], ['Jolt', openJolt], ['Rapier', openRapier]]) {
    try {
        engines.push(await open());
    } catch (error) {
        engines.push({ name, open() { throw error; } });
    }
}
for (const entry of CASES) {
    const file = readScene(entry);
    const times = engines.map(() => []);
    const moves = engines.map(() => undefined);
    const reasons = engines.map(() => '');
    for (let round = 0; round < ROUNDS; round += 1) {
        engines.forEach((engine, i) => {
            try {
                const { ms, move } = reasons[i] === '' ? run(engine, file, entry) : {};
                times[i].push(ms);
                moves[i] = move;
            } catch (error) {
                reasons[i] = `${error.message}`.startsWith('not supported') ? error.message : `failed: ${error.message}`;
            }
        });
    }
    console.log(`${entry.title}:`);
    engines.forEach((engine, i) => {
        const group = `wasm, ${entry.title}`;
        if (reasons[i] !== '') {
            console.log(`  ${engine.name.padEnd(8)} ${reasons[i]}`);
            record(group, 'ms a step', engine.name, undefined, 'ms', 0, reasons[i]);
            return;
        }
        const best = Math.min(...times[i]);
        const spread = Math.max(...times[i]) / best - 1;
        console.log(`  ${engine.name.padEnd(8)} ${best.toFixed(3)} ms a step (+ ${(100 * spread).toFixed(0)} %), farthest move ${moves[i].toFixed(4)} m`);
        record(group, 'ms a step', engine.name, best, 'ms', spread, '');
        if (entry.scene === 'pyramid') {
            record(group, 'farthest move', engine.name, 1e3 * moves[i], 'mm', 0, '');
        }
    });
}
