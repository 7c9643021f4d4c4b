// SPDX-License-Identifier: MIT
// speed.mjs - how long the page lets its user wait: node web/speed.mjs [load|smooth|threads ...]
//
// load: first picture and the moment from which the page answers; smooth: pauses of the page beside
// 1 000 bodies; threads: ms of a step in the page's Worker, by the number of threads.

import { readFile, readdir } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

import { openBrowser } from './test/browser.mjs';
import { root } from './test/engine.mjs';

const ROUNDS = 3;
const WATCHED_MS = 5000;
const STEPS = 240;

/** In the page, from its start: when a body was first on the screen, and pauses of its thread. */
function watch() {
    const times = { picture: 0, pauses: [] };
    globalThis.speed = times;
    let last = performance.now();
    const look = () => {
        const now = performance.now();
        times.pauses.push(now - last);
        last = now;
        if (times.picture === 0 && (document.querySelector('.pane')?.dataset.drawn ?? '') !== '') {
            const canvas = document.querySelector('.pane canvas');
            new OffscreenCanvas(1, 1).getContext('2d').drawImage(canvas, 0, 0); // until it is drawn indeed
            times.picture = performance.now();
        }
    };
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { look(); setTimeout(() => port2.postMessage(0), 1); };
    port2.postMessage(0);
}

async function measureLoad() {
    const sizes = {};
    for (const name of await readdir(`${root}build/web`)) {
        sizes[name] = gzipSync(await readFile(`${root}build/web/${name}`)).length;
    }
    for (let i = 0; i < ROUNDS; i += 1) {
        const b = await openBrowser();
        await b.page.addInitScript(watch);
        await b.page.goto(`${b.address}#scene=rings&size=30`);
        await b.page.waitForFunction(() => globalThis.speed.picture > 0);
        await b.page.waitForTimeout(500);
        const { picture, pauses } = await b.page.evaluate(() => globalThis.speed);
        console.log(`first picture after ${picture.toFixed(0)} ms, longest pause ${Math.max(...pauses).toFixed(0)} ms`);
        await b.close();
    }
    const total = Object.entries(sizes).filter(([name]) => name !== 'sudar.wasm').reduce((sum, [, size]) => sum + size, 0);
    console.log(`${total} bytes when transferred (gzip): ${JSON.stringify(sizes)}`);
}

async function measureSmooth() {
    for (const query of ['', '?threads=1']) {
        const b = await openBrowser();
        await b.page.addInitScript(watch);
        await b.page.goto(`${b.address}${query}#scene=pile&size=1000`);
        await b.waitForStep(30);
        await b.page.evaluate(() => { globalThis.speed.pauses.length = 0; });
        const from = await b.page.evaluate(() => Number(document.body.dataset.step));
        await b.page.waitForTimeout(WATCHED_MS);
        const { pauses, step, figures, threads } = await b.page.evaluate(() => ({
            pauses: globalThis.speed.pauses, step: Number(document.body.dataset.step), figures: document.getElementById('figures').textContent,
            threads: document.querySelector('.pane').dataset.threads,
        }));
        const long = pauses.filter((ms) => ms > 50);
        console.log(`pile of 1000, ${threads} threads: longest pause ${Math.max(...pauses).toFixed(0)} ms, ${long.length} over 50 ms in ${WATCHED_MS / 1e3} s, ${step - from} steps; ${figures}`);
        await b.close();
    }
}

async function measureThreads() {
    const b = await openBrowser();
    await b.page.goto(`${b.address}style.css`);
    for (const [scene, size] of [['pyramid', 4], ['pyramid', 10], ['pile', 30], ['pile', 60], ['pile', 120], ['pile', 250], ['pile', 1000], ['rings', 3], ['rings', 9], ['rings', 30], ['ragdolls', 2], ['ragdolls', 10]]) {
        const ms = [];
        for (const threads of [1, 2, 1, 2]) {
            ms.push(await b.page.evaluate(([name, count, steps, workers]) => new Promise((done) => {
                const worker = new Worker(`worker.js?threads=${workers}`, { type: 'module' });
                let start = 0;
                worker.onmessage = ({ data }) => {
                    if (data.kind === 'scenes') {
                        worker.postMessage({ kind: 'open', options: { scene: name, size: count, seed: 0, settings: {}, at: 30, file: null } });
                    } else if (data.kind === 'frame' && data.step === 30) {
                        start = performance.now();
                        worker.postMessage({ kind: 'drawn' });
                        worker.postMessage({ kind: 'seek', step: 30 + steps });
                    } else if (data.kind === 'frame') {
                        worker.terminate();
                        done((performance.now() - start) / steps);
                    }
                };
            }), [scene, size, STEPS, threads]));
        }
        const [one, two] = [Math.min(ms[0], ms[2]), Math.min(ms[1], ms[3])];
        console.log(`${scene} ${size}: ${one.toFixed(3)} ms with one thread, ${two.toFixed(3)} with two, ${(two / one).toFixed(2)}`);
    }
    await b.close();
}

const MEASURES = { load: measureLoad, smooth: measureSmooth, threads: measureThreads };
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(MEASURES);
for (const name of wanted) {
    await MEASURES[name]();
}
