// SPDX-License-Identifier: MIT
// The module: values that come back as they went, errors in words, handles that are freed.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';

import { declare } from '../declare.mjs';
import { hashText, loadEngine, openScene } from './engine.mjs';

const sudar = await loadEngine();
const { Body, Concave, Hull, Joint, JointDef, Mesh, Model, Shape, Snapshot, View, World } = sudar;
const dt = 1 / 60;

function makeWorld(def) {
    const world = World.create(def);
    Body.create(world, {}).addShape({ shape: Shape.halfSpace() });
    return world;
}

function addBox(world, position) {
    const body = Body.create(world, { type: 'dynamic', position });
    body.addShape({ shape: Shape.box(0.5, 0.5, 0.5) });
    return body;
}

test('sudar.d.ts is that of the table', async () => {
    const file = await readFile(new URL('../sudar.d.ts', import.meta.url), 'utf8');
    assert.equal(file, declare(sudar.api), 'run: node web/declare.mjs >web/sudar.d.ts');
});

test('functions have as many parameters as the table says', () => {
    for (const { name, parameters, returns } of sudar.api.functions.values()) {
        const isStruct = returns.stars === 0 && sudar.api.structs.has(returns.base);
        assert.equal(sudar.exports[name].length, parameters.length + Number(isStruct), name);
    }
});

test('settings come back as they were given', () => {
    const given = { gravity: { x: 1, y: -2, z: 0.5 }, subStepCount: 3, integrator: 'rk4', narrowphase: 'sat', enableSleep: false };
    const world = World.create(given);
    const def = world.getDef();
    for (const key of Object.keys(given)) {
        assert.deepEqual(def[key], given[key]);
    }
    world.setDef({ ...def, broadphase: { ...def.broadphase, kind: 'octree' } });
    assert.equal(world.getDef().broadphase.kind, 'octree');
    assert.equal(world.getDef().combineFriction, 'geometric-mean');
    world.free();
});

test('a box falls on the floor, and contacts, events and queries tell of it', () => {
    const world = makeWorld();
    const box = addBox(world, [0, 0.6, 0]);
    let begun = 0;
    for (let i = 0; i < 60; i += 1) {
        world.step(dt);
        begun += world.getEvents().begin.length;
    }
    assert.equal(begun, 1);
    assert.ok(Math.abs(box.getTransform().p.y - 0.5) < 1e-3);
    const [contact] = world.getContacts();
    assert.equal(contact.points.length, 4);
    assert.ok([contact.shapeA, contact.shapeB].some((shape) => shape.getBody().equals(box)));
    const hit = world.raycast({ origin: [0, 5, 0], translation: [0, -10, 0] });
    assert.ok(hit.body.equals(box) && Math.abs(hit.fraction - 0.4) < 1e-3);
    assert.equal(world.raycast({ origin: [0, 5, 0], translation: [0, 10, 0] }).body, null);
    assert.equal(world.raycastAll({ origin: [0, 5, 0], translation: [0, -10, 0] }).length, 2);
    const many = world.raycastMany([{ origin: [0, 5, 0], translation: [0, -10, 0] }, { origin: [9, 5, 0], translation: [0, -10, 0] }]);
    assert.deepEqual(many.map(({ body }) => body.id), [box.id, world.getBodies()[0].id]);
    const filter = { ignored: [box] };
    assert.ok(!world.raycast({ origin: [0, 5, 0], translation: [0, -10, 0] }, filter).body.equals(box));
    world.free();
});

test('lists longer than the first room are whole', () => {
    const world = makeWorld();
    for (let i = 0; i < 200; i += 1) {
        addBox(world, [2 * i, 0.5, 0]);
    }
    world.step(dt);
    assert.equal(world.getBodies().length, 201);
    assert.equal(world.getContacts().length, 200);
    assert.equal(View.getPoses(world).length, 201 * 12);
    assert.equal(View.getContacts(world).length, 200 * 4 * 11);
    assert.deepEqual([...new Set(View.getLevels(world))].sort(), [0, 1]);
    assert.equal(new Set(View.getIslands(world)).size, 201);
    assert.ok(View.getCells(world).length > 0);
    world.free();
});

test('joints are made, placed and changed', () => {
    const world = makeWorld();
    const a = addBox(world, [0, 3, 0]);
    const b = addBox(world, [1.5, 3, 0]);
    const def = JointDef.place(world, JointDef.make('hinge', a, b), [0.75, 3, 0], [0, 0, 1]);
    assert.ok(def.bodyA.equals(a));
    const joint = Joint.create(world, { ...def, maxForce: 1e9 });
    const axis = joint.getDef().axes[3];
    assert.equal(axis.mode, 'free');
    joint.setAxis('turn-x', { ...axis, drive: 'motor', target: 1, maxForce: 1e9 });
    world.step(dt);
    assert.equal(joint.getDef().axes[3].drive, 'motor');
    assert.equal(a.getJoints().length, 1);
    assert.equal(View.getJoints(world).length, 12);
    joint.destroy();
    assert.equal(joint.isValid(), false);
    world.free();
});

test('meshes, hulls and bodies of any shape come from arrays', () => {
    const { vertices, triangles } = Model.create('ring', 1).getData();
    const mesh = Mesh.create({ data: { vertices, triangles } });
    assert.equal(mesh.getReport().triangleCount, 216);
    assert.ok(mesh.getReport().isSolid);
    const ring = Concave.create(mesh);
    const hull = Hull.create({ points: [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1] });
    assert.equal(hull.getVertices().length, 12);
    const world = makeWorld();
    const body = Body.create(world, { type: 'dynamic', position: [0, 1, 0] });
    const shape = body.addShape({ shape: Shape.concave(ring) });
    mesh.free();
    ring.free();
    for (let i = 0; i < 60; i += 1) {
        world.step(dt);
    }
    const kept = shape.getDef().shape;
    assert.equal(kept.type, 'mesh');
    assert.equal(kept.concave.getInfo().route, 'field');
    assert.equal(View.getTriangles(world, shape).length, 216 * 3 * 6);
    assert.ok(View.getSamples(world, shape).length > 0);
    assert.equal(View.getFieldSlice(world, shape, 16).length, 4 + 256);
    world.free();
});

test('scene files are read, and refused with the place', () => {
    const text = '{"sudar": 1, "bodies": [{"type": "dynamic", "shapes": [{"shape": {"type": "sphere", "radius": 1}}]}]}';
    const file = sudar.SceneFile.parse('ball.json', text);
    const world = World.create(file.getWorldDef());
    file.build(world);
    assert.equal(world.getBodies().length, file.getBodyCount());
    assert.ok(file.getInfo().dt > 0);
    assert.throws(() => sudar.SceneFile.parse('ball.json', text.replace('radius', 'raduis')), /raduis.*radius/s);
    assert.throws(() => sudar.SceneFile.parse('ball.json', '{'), (error) => error.result === 'bad-file');
    file.free();
    world.free();
});

test('what C refuses is thrown in its words', () => {
    const world = makeWorld();
    const says = (call, result, words) => assert.throws(call, (error) => {
        assert.ok(error instanceof sudar.SudarError, String(error));
        assert.equal(error.result, result);
        assert.match(error.message, words);
        return true;
    });
    says(() => world.step(-1), 'invalid-argument', /sdWorld_Step: dt is -1 s/);
    says(() => world.step(NaN), 'invalid-argument', /dt/);
    says(() => Mesh.create({ data: { vertices: [0, 0, 0, 1, 0, 0, 0, 1, 0], triangles: [0, 1, 7] } }), 'invalid-argument', /triangle 0 uses vertex 7/);
    says(() => Mesh.create({ data: { vertices: [NaN, 0, 0, 1, 0, 0, 0, 1, 0], triangles: [0, 1, 2] } }), 'invalid-argument', /finite/);
    says(() => Hull.create({ points: [0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0] }), 'degenerate', /line/);
    says(() => sudar.Scene.build(sudar.Scene.find('pyramid'), world, { size: 100000 }), 'invalid-argument', /./);
    const body = addBox(world, [0, 1, 0]);
    body.destroy();
    says(() => body.applyTorque([0, 1, 0]), 'stale-id', /./);
    assert.equal(body.isValid(), false);
    world.free();
    assert.throws(() => world.step(dt), /World: used after free\(\)/);
});

test('what JavaScript gets wrong is refused before C sees it', () => {
    assert.throws(() => World.create({ gravty: 1 }), /no field 'gravty'/);
    assert.throws(() => World.create({ integrator: 'euler' }), /one of semi-implicit, explicit-euler, rk4, not 'euler'/);
    assert.throws(() => World.create({ gravity: [0, 1] }), /3 numbers/);
    assert.throws(() => World.create({ gravity: { x: 'a' } }), /a number, not 'a'/);
    assert.throws(() => World.create({ subStepCount: 1.5 }), /whole number/);
    assert.throws(() => Body.create({}, {}), /world must be a World/);
    assert.throws(() => Mesh.create({ data: { vertices: [0, 0], triangles: [] } }), /multiple of 3/);
    assert.equal(sudar.Scene.find('no such scene'), null);
});

test('memory is given back, by free() and by the collector', async () => {
    const run = () => {
        const { world } = openScene(sudar, 'pyramid', { size: 20 });
        world.step(dt);
        return world;
    };
    const pages = () => sudar.exports.memory.buffer.byteLength;
    run().free();
    const before = pages();
    for (let i = 0; i < 50; i += 1) {
        run().free();
    }
    assert.equal(pages(), before);
    run().free();
    const world = run();
    world.free();
    world.free();
    assert.ok(world.isFree);
    if (globalThis.gc !== undefined) {
        for (let i = 0; i < 50; i += 1) {
            run();
            globalThis.gc();
            await new Promise((resolve) => { setTimeout(resolve, 0); });
        }
        assert.ok(pages() - before < 16 << 20);
    }
});

test('a snapshot goes on to the same bits, also as bytes in another world', () => {
    const { scene, world } = openScene(sudar, 'rings', { size: 6 });
    const steps = (w, count) => {
        for (let i = 0; i < count; i += 1) {
            w.step(scene.dt);
        }
        return hashText(w);
    };
    steps(world, 40);
    const snapshot = Snapshot.create();
    world.save(snapshot);
    const then = hashText(world);
    const end = steps(world, 40);
    world.restore(snapshot);
    assert.equal(hashText(world), then);
    assert.equal(steps(world, 40), end);
    const bytes = snapshot.getBytes();
    const copy = Snapshot.create();
    copy.setBytes(bytes, snapshot.getObjects());
    const other = World.create(world.getDef());
    other.restore(copy);
    assert.equal(steps(other, 40), end);
    bytes[bytes.length >> 1] ^= 1;
    assert.throws(() => copy.setBytes(bytes, snapshot.getObjects()), (error) => error.result === 'bad-file');
    assert.throws(() => copy.setBytes(bytes.subarray(0, 10), snapshot.getObjects()), sudar.SudarError);
    [world, other].forEach((w) => w.free());
});
