// SPDX-License-Identifier: MIT
// Pairs step by step, planes and animations, in the module: the page draws what is found here.

import assert from 'node:assert/strict';
import test from 'node:test';

import { loadEngine, openScene } from './engine.mjs';
import { validateGlb } from './glb.mjs';

const sudar = await loadEngine();
const { Body, Flat, FlatScene, GlbWriter, Shape, View, World } = sudar;

function makePair(distance) {
    const world = World.create();
    const bodies = [[0, 1, 0], [distance, 1.2, 0.1]].map((position) => {
        const body = Body.create(world, { type: 'dynamic', position });
        body.addShape({ shape: Shape.box(0.5, 0.5, 0.5) });
        return body;
    });
    return { world, bodies };
}

test('each algorithm explains itself and ends where the library does', () => {
    for (const [distance, methods] of [[2, ['gjk', 'sat', 'vclip']], [0.7, ['gjk', 'epa', 'sat']]]) {
        const { world, bodies } = makePair(distance);
        for (const method of methods) {
            const steps = View.explain(world, ...bodies, method);
            const count = steps.getStepCount();
            assert.ok(count > 2, `${method}: ${count} steps`);
            assert.match(steps.getText(count - 1), /The library's own answer/);
            assert.ok(Math.abs(steps.getFound() - steps.getAnswer()) < (method === 'sat' && distance > 1 ? 0.5 : 1e-5), `${method}: ${steps.getFound()} and ${steps.getAnswer()}`);
            const all = Array.from({ length: count }, (_, i) => steps.getMarks(i));
            assert.ok(all.every((marks) => marks.length % 12 === 0 && marks.every(Number.isFinite)));
            assert.ok(new Set(all.map(String)).size > 1, `${method}: the steps look different`);
            assert.equal(method === 'sat', steps.getIntervals(1).length === 5);
            steps.free();
        }
        world.free();
    }
    const { world, bodies } = makePair(2);
    const floor = Body.create(world, {});
    floor.addShape({ shape: Shape.halfSpace() });
    assert.match(View.explain(world, floor, bodies[0], 'gjk').getText(0), /half-space/);
    assert.throws(() => View.explain(world, bodies[0], bodies[1], 'mpr'), /gjk, epa, sat, vclip/);
});

test('marks are where the bodies are', () => {
    const { world, bodies } = makePair(2);
    const steps = View.explain(world, ...bodies, 'vclip');
    const last = steps.getMarks(steps.getStepCount() - 1);
    // from face to face: A ends at x = 0.5, B begins at x = 1.5
    assert.ok(Math.abs(last[3] - 0.5) < 1e-6 && Math.abs(last[6] - 1.5) < 1e-6, String(last));
    world.free();
});

const flatScene = (name) => Array.from({ length: FlatScene.getCount() }, (_, i) => FlatScene.get(i)).findIndex((scene) => scene.name === name);

test('planes: what touches has points, new first, then kept', () => {
    const flat = Flat.create(flatScene('flat-touch'), 12);
    const states = [];
    let fresh = 0;
    let kept = 0;
    for (let i = 0; i < 300; i += 1) {
        flat.step();
        const contacts = flat.getContacts();
        for (let k = 8; k < contacts.length; k += 11) {
            fresh += contacts[k] === 0;
            kept += contacts[k] === 1;
        }
        states.push([flat.getState(), flat.getHash()]);
    }
    assert.ok(fresh > 5 && kept > 5 * fresh, `${fresh} new, ${kept} kept`);
    flat.setState(states[99][0]);
    assert.equal(flat.getHash(), states[99][1]);
    flat.step();
    assert.equal(flat.getHash(), states[100][1]);
    assert.equal(flat.getPoses().length, 12 * 12);
    assert.throws(() => flat.setState([1, 2, 3]), /3 values/);
    assert.throws(() => Flat.create(0, 1000), /1000/);
    const piece = flat.pick(flat.getPoses()[7], flat.getPoses()[8]);
    assert.ok(piece >= 0);
    flat.pull(0, 0, 0, 1, 2);
    assert.deepEqual([...flat.getPoses().subarray(0, 2)], [1, 2]);
    const steps = flat.explain(0, 2, 'sat');
    assert.ok(steps.getStepCount() > 4);
    assert.ok(flat.explain(0, 2, 'gjk').getMarks(-1).length > 0);
    flat.free();
});

test('planes: only bullets that look ahead never pass a wall', () => {
    for (const [speed, passes] of [[2, false], [60, true], [400, true]]) {
        const flat = Flat.create(flatScene('flat-bullet'), speed);
        for (let i = 0; i < 2000; i += 1) {
            flat.step();
        }
        const { hitCount, passCount, blindPassCount } = flat.getFigures();
        assert.equal(passCount, 0, `${speed} m/s`);
        assert.ok(hitCount > 0, `${speed} m/s`);
        assert.equal(blindPassCount > 0, passes, `${speed} m/s: ${blindPassCount} passed`);
        flat.free();
    }
});

test('planes: the fewer the parts, the more counts as touching', () => {
    const flat = Flat.create(flatScene('flat-figure'), 0);
    // pieces of the figures and their two balls each: 1 + 2, 2 + 2, 4 + 2
    const first = [0, 3, 7, 13];
    const touching = [0, 0, 0];
    for (let i = 0; i < 1200; i += 1) {
        flat.step();
        const contacts = flat.getContacts();
        for (let k = 9; k < contacts.length; k += 11) {
            touching[first.findIndex((_, n) => contacts[k] < first[n + 1])] += 1;
        }
    }
    assert.ok(touching[0] > touching[1] && touching[1] > touching[2] && touching[2] > 0, String(touching));
    flat.free();
});

test('a run becomes a valid animation, with bodies that came later', async () => {
    const { scene, world } = openScene(sudar, 'dominoes');
    const late = Body.create(world, { type: 'dynamic', position: [0, 3, 0] });
    late.addShape({ shape: Shape.sphere(0.1) });
    const writer = GlbWriter.create(world, 'Dominoes');
    const start = openScene(sudar, 'dominoes').world;
    writer.addFrame(start, 0);
    for (let i = 1; i <= 30; i += 1) {
        world.step(scene.dt);
        writer.addFrame(world, i * scene.dt);
    }
    const bytes = writer.getBytes();
    assert.equal(bytes.length, writer.getBytes().length);
    const { info } = await validateGlb(bytes);
    assert.ok(info === null || info.animationCount === 1);
    writer.free();
});
