// SPDX-License-Identifier: MIT
// Threads of the engine: the same bits, and errors rather than endless waits.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';

import { openBrowser } from './browser.mjs';
import { loadEngine, loadThreads, openScene, root, runNative } from './engine.mjs';
import { serve } from '../serve.mjs';

const STEPS = 100;
const STACK_SIZE = 1 << 20; // of threads.js
const STACK_LEFT = 256;

/** Hashes of scenes, by an engine in a process of its own. */
const PROGRAM = `
import { hashText, loadThreads, openScene } from '${root}web/test/engine.mjs';
const [threads, scenes, steps] = JSON.parse(process.argv[1]);
const sudar = await loadThreads(threads);
const hashes = scenes.map(([name, size]) => {
    const { scene, world } = openScene(sudar, name, { size });
    for (let k = 0; k < steps; k += 1) {
        world.step(scene.dt);
    }
    return hashText(world);
});
console.log(JSON.stringify({ threads: sudar.threadCount, hashes }));
process.exit();
`;

test('1, 2 and 4 threads give the native hash', () => {
    const scenes = [['pile', 60], ['rings', 9], ['ragdolls', 3], ['pyramid', 12]];
    const hashes = scenes.map(([name, size]) => runNative(name, { steps: STEPS, size }).hash);
    for (const threads of [1, 2, 4]) {
        const said = execFileSync('node', ['--input-type=module', '-e', PROGRAM, JSON.stringify([threads, scenes, STEPS])], { encoding: 'utf8' });
        assert.deepEqual(JSON.parse(said), { threads, hashes });
    }
});

test('the engine without threads has one, however many are asked for', async () => {
    assert.equal((await loadEngine({ threads: 4 })).threadCount, 1);
    for (const threads of [-1, 65, 1.5, NaN, '2']) {
        await assert.rejects(loadEngine({ threads }), /threads must be a whole number from 0 to 64/);
    }
});

/** An engine whose second thread has next to no stack: its code traps as soon as it has some work. */
async function loadBroken() {
    const { instantiate } = WebAssembly;
    WebAssembly.instantiate = async (...given) => {
        const { exports } = await instantiate(...given);
        return { exports: { ...exports, malloc: (size) => (size === STACK_SIZE ? STACK_LEFT - size : exports.malloc(size)) } };
    };
    try {
        return await loadThreads(2);
    } finally {
        WebAssembly.instantiate = instantiate;
    }
}

test('code that traps in a thread is an error, not a wait for ever', async () => {
    const sudar = await loadBroken();
    const { scene, world } = openScene(sudar, 'pile', { size: 60 });
    const stopped = ({ message, result }) => result === 'stopped' && /the engine stopped and must be loaded again/.test(message);
    assert.throws(() => { for (let i = 0; i < 100; i += 1) { world.step(scene.dt); } }, stopped);
    // and it stays so, in words
    assert.throws(() => world.getHash(), stopped);
    world.free();
});

test('a page has threads where it is isolated, unless the address says one, and one where it is not', async () => {
    const isolated = await serve(`${root}build/web`, 8400);
    const open = await serve(`${root}build/web`, 8300, {});
    const b = await openBrowser(undefined, isolated.address);
    const native = runNative('pyramid', { steps: 30, size: 5 }).hash;
    const spare = Math.min(Math.max(await b.page.evaluate(() => navigator.hardwareConcurrency) - 1, 1), 8);
    for (const [address, threads] of [['', spare], ['?threads=3', 3], ['?threads=1', 1], ['?threads=none', spare], [open.address, 1], [`${open.address}?threads=2`, 1]]) {
        await b.page.goto('about:blank');
        await b.page.goto(`${new URL(address, isolated.address)}#scene=pyramid&size=5&at=30`);
        await b.waitForStep(30);
        assert.equal(await b.page.evaluate(() => Number(document.querySelector('.pane').dataset.threads)), threads, address);
        assert.equal(await b.hash(), native, address);
    }
    assert.deepEqual(b.complaints, []);
    await b.close();
    isolated.server.close();
    open.server.close();
});
