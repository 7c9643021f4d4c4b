// SPDX-License-Identifier: MIT
// The engine's Worker in Chromium, without a page around it: every scene comes to the native bits.
// SUDAR_SCENES=full takes scenes as large as they are; otherwise the large ones are made small.

import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';

import { openBrowser } from './browser.mjs';
import { loadEngine, runNativeLater, testSize } from './engine.mjs';

const STEPS = 300;
const WORKERS = 2;

let b;
before(async () => {
    b = await openBrowser();
    b.page.setDefaultTimeout(0);
    // any file of the page's own address: its Workers may have threads, and it draws nothing
    await b.page.goto(`${b.address}style.css`);
});
after(async () => { await b?.close(); });

const open = (scene, size, at) => ({ kind: 'open', options: { scene, size, seed: 0, settings: {}, at, file: null } });

/** Hashes by name, each at the step that its order asks for. */
const runInBrowser = (orders) => b.page.evaluate(async ([waiting, count]) => {
    const hashes = {};
    await Promise.all(Array.from({ length: count }, () => new Promise((done, fail) => {
        const worker = new Worker('worker.js?threads=1', { type: 'module' });
        let order;
        const next = () => {
            order = waiting.shift();
            if (order === undefined) {
                worker.terminate();
                done();
            } else {
                worker.postMessage(order);
            }
        };
        worker.onmessage = ({ data }) => {
            if (data.kind === 'frame' && data.step === order.options.at) {
                hashes[order.options.scene] = data.hash;
            }
            if (['scenes', 'frame'].includes(data.kind)) {
                next();
            } else if (data.kind === 'error') {
                fail(new Error(`${order.options.scene}: ${data.text}`));
            }
        };
        worker.onerror = ({ message }) => fail(new Error(message));
    })));
    return hashes;
}, [orders, WORKERS]);

async function runNatively(orders) {
    const hashes = {};
    for (const { options: { scene, size, at } } of orders) {
        hashes[scene] = (await runNativeLater(scene, { steps: at, size })).hash;
    }
    return hashes;
}

test('every scene has the native hash', async () => {
    const sudar = await loadEngine();
    const isFull = process.env.SUDAR_SCENES === 'full';
    const scenes = Array.from({ length: sudar.Scene.getCount() }, (_, i) => sudar.Scene.get(i));
    const orders = scenes.map((scene) => open(scene.name, isFull ? scene.size : testSize(scene), STEPS));
    const [found, native] = await Promise.all([runInBrowser(orders), runNatively(orders)]);
    assert.equal(Object.keys(found).length, scenes.length);
    assert.deepEqual(found, native);
});

/** What a Worker says to some messages, up to the first of a kind: words of errors, sizes of files. */
const ask = (messages, last) => b.page.evaluate(([sent, wanted]) => new Promise((done) => {
    const worker = new Worker('worker.js?threads=1', { type: 'module' });
    const heard = [];
    worker.onmessage = ({ data }) => {
        if (data.kind === 'scenes') {
            sent.forEach((message) => worker.postMessage(message));
        } else if (['error', 'motion'].includes(data.kind)) {
            heard.push(data.text ?? data.bytes.length);
        }
        if (data.kind === wanted) {
            worker.terminate();
            done(heard);
        }
    };
}), [messages, last]);

test('while time is on its way, nothing is changed in it', async () => {
    const throwBall = { kind: 'input', input: { kind: 'throw', origin: [0, 1, 4], velocity: [0, 0, -9], radius: 0.2 } };
    const advance = { kind: 'advance', steps: 200 };
    assert.deepEqual(await ask([open('pyramid', 6, 200), throwBall], 'error'), ['time is on its way to step 200: wait for it']);
    const [first, second, size] = await ask([open('pyramid', 6, 0), advance, { kind: 'motion' }, throwBall, advance], 'motion');
    assert.deepEqual([first, second], Array(2).fill('all steps are being written to a file: wait for it'));
    // 100 frames of 21 bodies, 7 numbers each
    assert.ok(size > 100 * 21 * 7 * 4, `${size} bytes`);
});

test('settings are taken all or none', async () => {
    const values = { 'gravity.y': 0, 'bodies.restitution': 7 };
    const [text, gravity] = await b.page.evaluate(([first, input]) => new Promise((done) => {
        const worker = new Worker('worker.js?threads=1', { type: 'module' });
        let error = null;
        worker.onmessage = ({ data }) => {
            if (data.kind === 'scenes') {
                [first, input].forEach((message) => worker.postMessage(message));
            } else if (data.kind === 'error') {
                error = data.text;
            } else if (data.kind === 'settings') {
                worker.terminate();
                done([error, data.settings.find(({ path }) => path === 'gravity.y').value]);
            }
        };
    }), [open('pyramid', 3, 0), { kind: 'input', input: { kind: 'settings', values } }]);
    assert.match(String(text), /restitution/);
    assert.ok(Math.abs(gravity + 9.81) < 1e-6, `gravity is ${gravity}`);
});
