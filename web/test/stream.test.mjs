// SPDX-License-Identifier: MIT
// `sudar view`: who is let in, what it does with what it hears, and the page over it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import test, { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { openBrowser } from './browser.mjs';
import { command, loadEngine, openScene, runNative } from './engine.mjs';
import { validateGlb } from './glb.mjs';
import { Client, makeFrame, startView } from './stream.mjs';

let view;
before(async () => { view = await startView(['pyramid', '--size', '6', '--threads', '2']); });
after(async () => { await view?.stop(); });

/** Status of a plain request. */
const get = (path, { host = `127.0.0.1:${view.port}`, method = 'GET' } = {}) => new Promise((done, fail) => {
    request({ port: view.port, host: '127.0.0.1', path, method, headers: { host } }, (response) => {
        response.resume();
        response.on('end', () => done(response.statusCode));
    }).on('error', fail).end();
});

/** That the server still does what it is for. */
async function checkAlive() {
    const client = await Client.open(view);
    const frame = await client.openScene({ scene: 'pyramid', size: 5, at: 20 });
    assert.equal(frame.hash, runNative('pyramid', { steps: 20, size: 5 }).hash);
    client.socket.destroy();
}

test('nothing is to be had without the token, by another name or from another page', async () => {
    const wrong = '0'.repeat(view.token.length);
    assert.equal(await get(`/${view.token}/`), 200);
    assert.equal(await get(`/${view.token}/main.js`), 200);
    for (const path of ['/', '/main.js', '/stream', `/${wrong}/`, `/${wrong}/main.js`, `/${view.token}`, `/${view.token.slice(1)}/`, `/${view.token}0/`]) {
        assert.equal(await get(path), 403, path);
    }
    assert.equal(await get(`/${view.token}/`, { host: 'page.example' }), 403);
    assert.equal(await get(`/${view.token}/nothing.js`), 404);
    assert.equal(await get(`/${view.token}/.git.js`), 404);
    assert.equal(await get(`/${view.token}/`, { method: 'POST' }), 405);
    // ways out of the folder end before it, or are no names
    for (const path of ['../web/main.js', '..%2fweb%2fmain.js', '../../CMakeLists.txt', '%2e%2e/%2e%2e/README.md']) {
        assert.ok([403, 404].includes(await get(`/${view.token}/${path}`)), path);
    }
    for (const [label, options] of Object.entries({
        'no token': { path: '/stream' },
        'wrong token': { path: `/${wrong}/stream` },
        'other stream': { path: `/${view.token}/streams` },
        'other page': { origin: 'http://page.example' },
        'other port': { origin: `http://127.0.0.1:${view.port + 1}` },
        'no page': { origin: null },
        'other name': { host: `page.example:${view.port}` },
    })) {
        assert.equal(await Client.open(view, options), 403, label);
    }
    await checkAlive();
});

test('what is no message is told so, and the connection is closed', async () => {
    for (const garbage of ['', 'hello', '{', '[]', '{"kind": 3}', '{"kind":"run"', '\u0000\u0001', '['.repeat(100000), '{"kind":"drawn"} {"kind":"drawn"}']) {
        const client = await Client.open(view);
        client.send(garbage);
        assert.match((await client.next('error')).text, /no message/, garbage.slice(0, 20));
        assert.ok(await client.closed());
        assert.equal(client.closeCode, 1007);
    }
    await checkAlive();
});

test('messages that are too large are not kept', async () => {
    const client = await Client.open(view);
    client.socket.write(makeFrame(Buffer.alloc((8 << 20) + 1, ' ')));
    assert.match((await client.next('error')).text, /larger than 8 MiB/);
    assert.ok(await client.closed());
    assert.equal(client.closeCode, 1009);
    // in pieces, without an end
    const other = await Client.open(view);
    const piece = Buffer.alloc(1 << 20, ' ');
    other.socket.write(makeFrame(piece, { isLast: false }));
    for (let i = 0; i < 8; i += 1) {
        other.socket.write(makeFrame(piece, { opcode: 0, isLast: false }));
    }
    assert.match((await other.next('error')).text, /larger than 8 MiB/);
    assert.ok(await other.closed());
    await checkAlive();
});

test('connections that break off leave nothing behind', async () => {
    for (const bytes of [makeFrame('{"kind":"drawn"}').subarray(0, 7), makeFrame('x', { opcode: 11 }), Buffer.from('\xff\xff\xff\xff', 'latin1'), Buffer.alloc(0)]) {
        const client = await Client.open(view);
        client.socket.write(bytes);
        await sleep(20);
        client.socket.destroy();
    }
    // more pages than are served: the rest is sent away, and room comes back
    const clients = await Promise.all(Array.from({ length: 12 }, () => Client.open(view)));
    await sleep(100);
    assert.equal(clients.filter(({ isClosed }) => isClosed).length, 4);
    clients.forEach(({ socket }) => socket.destroy());
    await sleep(100);
    await checkAlive();
});

test('what cannot be done is told in words, and the stream goes on', async () => {
    const client = await Client.open(view);
    const base = { scene: 'pyramid', size: 4, seed: 0, at: 0, settings: {}, file: null };
    const open = (options) => ({ kind: 'open', number: 1, options: { ...base, ...options } });
    const input = (value) => ({ kind: 'input', input: value });
    const mesh = { kind: 'drop', count: 2, size: 1, at: [0, 3, 0], vertices: [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], triangles: [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3] };
    const refused = async (message, words) => {
        client.send(message);
        assert.match((await client.next('error')).text, words, JSON.stringify(message).slice(0, 100));
    };
    await refused(open({ scene: 'nothing' }), /no scene 'nothing'/);
    await refused(open({ size: 1e9 }), /from \d+ to \d+/);
    await refused(open({ size: -1 }), /'size' must be a number from 0/);
    await refused(open({ settings: { subStepCont: 3 } }), /did you mean 'subStepCount'/);
    await refused(open({ settings: { 'gravity.y': 'down' } }), /gravity/);
    await refused(open({ file: { name: 'a.json', text: '{"bodies": 3}' } }), /a\.json:1:/);
    await refused({ kind: 'open' }, /'options' must be an object/);
    await client.openScene(base);
    await refused({ kind: 'dance' }, /does not know 'dance'/);
    await refused({ kind: 'seek', step: 1e300 }, /'step' must be a number/);
    await refused({ kind: 'seek', step: 1.5 }, /whole number/);
    await refused({ kind: 'advance', steps: 1e9 }, /'steps'/);
    await refused({ kind: 'speed', value: -1 }, /'value'/);
    await refused({ kind: 'wants', wants: { contacts: 1 } }, /'contacts' must be true or false/);
    await refused({ kind: 'grab', origin: [0, 0], direction: [0, 0, 1] }, /'origin' must be three numbers/);
    await refused({ kind: 'grab', origin: [1e300, 0, 0], direction: [0, 0, 1] }, /too far away/);
    await refused(input({ kind: 'settings', values: { 'solver': 'magic' } }), /magic/);
    await refused(input({ kind: 'settings', values: { 'solver': [] } }), /must be a number, a switch or a word/);
    await refused(input({ kind: 'settings', values: { slop: `0.001${'0'.repeat(200)}` } }), /a short one/);
    await refused(input({ kind: 'settings', values: { 'bodies.restitution': 1.5 } }), /bodies.restitution must be a number from 0 to 1, not '1.5'/);
    await refused(input({ kind: 'dance' }), /no input 'dance'/);
    await refused(input({ kind: 'throw', origin: [0, 1, 0], velocity: [0, 0, 0], radius: -1 }), /'radius'/);
    await refused(input({ ...mesh, vertices: [] }), /'vertices' must be a list of numbers, not an empty one/);
    await refused(input({ ...mesh, triangles: [0, 1, 99] }), /99/);
    await refused(input({ ...mesh, triangles: [0, 1, 1e300] }), /index|vertex|triangle/i);
    // and all goes on
    client.send(input(mesh));
    const { stats } = await client.advance(1);
    const frame = await client.advance(1);
    assert.equal(frame.stats.bodyCount, stats.bodyCount);
    assert.equal(frame.step, 2);
    client.socket.destroy();
});

test('going back and on again gives the same, with what was done', async () => {
    const client = await Client.open(view);
    await client.openScene({ scene: 'pyramid', size: 4 });
    await client.advance(30);
    client.send({ kind: 'input', input: { kind: 'throw', origin: [0, 1, 4], velocity: [0, 0, -20], radius: 0.2 } });
    client.send({ kind: 'input', input: { kind: 'settings', values: { 'gravity.y': -1.62, enableSleep: false } } });
    const told = (await client.next('settings', ({ settings }) => settings.some(({ path, value }) => path === 'gravity.y' && Math.abs(value + 1.62) < 1e-6))).settings;
    assert.equal(told.find(({ path }) => path === 'enableSleep').value, false);
    client.send({ kind: 'grab', origin: [0.01, 50, 0.01], direction: [0, -1, 0] });
    assert.ok((await client.next('grabbed')).body >= 0);
    client.send({ kind: 'pull', target: [0, 4, 4] });
    await client.advance(20);
    client.send({ kind: 'letGo' });
    const end = await client.advance(40);
    assert.equal(end.step, 90);
    for (const step of [45, 0, 90]) {
        client.send({ kind: 'drawn' });
        client.send({ kind: 'seek', step });
        const frame = await client.next('frame', (one) => one.step === step);
        assert.equal(frame.lastStep, 90);
        if (step === 90) {
            assert.equal(frame.hash, end.hash);
        }
    }
    client.socket.destroy();
});

const WANTS = { contacts: false, joints: false, boxes: false, cells: false, islands: false, levels: false, samples: false, slice: false, lines: 0, lineSize: 1, explain: null, version: 1, selected: -1 };

test('a pair is explained as the page\'s own engine does', async () => {
    const client = await Client.open(view);
    await client.openScene({ scene: 'pyramid', size: 4, at: 20 });
    const sudar = await loadEngine();
    const { scene, world } = openScene(sudar, 'pyramid', { size: 4 });
    for (let i = 0; i < 20; i += 1) {
        world.step(scene.dt);
    }
    const ask = async (explain) => {
        client.send({ kind: 'drawn' });
        client.send({ kind: 'wants', wants: { ...WANTS, explain } });
        return (await client.next('frame')).explanation;
    };
    for (const method of ['gjk', 'epa', 'sat', 'vclip']) {
        const told = await ask({ method, a: 2, b: 9 });
        const own = sudar.View.explain(world, world.getBodies()[2], world.getBodies()[9], method);
        const steps = Array.from({ length: own.getStepCount() }, (_, i) => i);
        assert.ok(steps.length > 1, method);
        assert.deepEqual(told.texts, steps.map((i) => own.getText(i)), method);
        assert.equal(told.shared.f32[1], own.getMarks(-1).length, method);
        assert.deepEqual(told.marks.map(({ f32 }) => f32[1]), steps.map((i) => own.getMarks(i).length), method);
        assert.deepEqual(told.intervals.map(({ f32 }) => f32[1]), steps.map((i) => own.getIntervals(i).length), method);
        own.free();
    }
    // bodies that are not there, not chosen, or the same
    for (const [a, b] of [[2, 999], [-1, 3], [3, 3]]) {
        assert.equal(await ask({ method: 'gjk', a, b }), null);
    }
    for (const [explain, words] of [[{ method: 'magic', a: 1, b: 2 }, /no algorithm 'magic'/], [{ method: 'gjk', a: 1.5, b: 2 }, /'a' must be a whole number/], [3, /'explain' must be an object/]]) {
        client.send({ kind: 'wants', wants: { ...WANTS, explain } });
        assert.match((await client.next('error')).text, words);
    }
    world.free();
    client.socket.destroy();
});

test('all steps are written to a file, and nothing is changed meanwhile', async () => {
    const client = await Client.open(view);
    await client.openScene({ scene: 'pile', size: 300 });
    const end = await client.advance(200);
    const throwBall = { kind: 'input', input: { kind: 'throw', origin: [0, 1, 4], velocity: [0, 0, -20], radius: 0.2 } };
    client.send({ kind: 'motion' });
    client.send(throwBall);
    assert.match((await client.next('error')).text, /being written to a file/);
    const { bytes } = await client.next('motion');
    // 101 frames of bodies that move, 7 numbers each
    assert.ok(bytes.u8[1] > 101 * 300 * 7 * 4, `${bytes.u8[1]} bytes`);
    client.send({ kind: 'drawn' });
    assert.equal((await client.next('frame', ({ step }) => step === 200)).hash, end.hash, 'time stands where it stood');
    client.send({ kind: 'seek', step: 5000 });
    client.send(throwBall);
    assert.match((await client.next('error')).text, /on its way to step 5000/);
    client.socket.destroy();
});

test('friction of all bodies is a setting as others are', async () => {
    const client = await Client.open(view);
    const values = { 'bodies.friction': 0.05, 'bodies.restitution': 0.5 };
    await client.openScene({ scene: 'dominoes' });
    client.send({ kind: 'input', input: { kind: 'settings', values } });
    const { settings } = await client.next('settings');
    assert.deepEqual(settings.slice(-2).map(({ path, value }) => [path, Math.round(100 * value) / 100]), Object.entries(values));
    const changed = await client.advance(60);
    assert.notEqual(changed.hash, runNative('dominoes', { steps: 60 }).hash);
    assert.equal((await client.openScene({ scene: 'dominoes', at: 60, settings: values })).hash, changed.hash, 'opened with it');
    client.send({ kind: 'input', input: { kind: 'settings', values: { 'bodies.friction': -1 } } });
    assert.match((await client.next('error')).text, /bodies.friction must be a number from 0/);
    client.socket.destroy();
});

test('a body of any number of shapes is shown whole', async () => {
    const client = await Client.open(view);
    const shapes = Array.from({ length: 300 }, (_, i) => ({ shape: { type: 'sphere', radius: 0.1 + 0.001 * i } }));
    const text = JSON.stringify({ sudar: 1, name: 'many', bodies: [{ type: 'dynamic', position: [0, 0, 0], shapes }] });
    client.send({ kind: 'open', number: 0, options: { scene: '', size: 0, seed: 0, at: 0, settings: {}, file: { name: 'many.json', text } } });
    assert.equal((await client.next('looks')).looks.length, 300);
    client.socket.destroy();
});

test('a page that draws slowly is sent no more than it can draw', async () => {
    const client = await Client.open(view);
    await client.openScene({ scene: 'pyramid', size: 6 });
    const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${view.child.pid}/status`, 'utf8'))[1]);
    client.send({ kind: 'run', isRunning: true });
    await sleep(300);
    assert.equal(client.messages.filter(({ kind }) => kind === 'frame').length, 0, 'before it has drawn');
    client.send({ kind: 'drawn' });
    const frame = await client.next('frame');
    assert.ok(frame.step > 5, `time went on: ${frame.step}`);
    await sleep(300);
    assert.equal(client.messages.filter(({ kind }) => kind === 'frame').length, 0, 'after one more');
    // one that asks and does not listen: answers do not pile up
    const before = rss();
    client.socket.pause();
    const asking = Buffer.concat(Array.from({ length: 2000 }, () => makeFrame(JSON.stringify({ kind: 'input', input: { kind: 'settings', values: { subStepCount: 4 } } }))));
    for (let i = 0; i < 10; i += 1) {
        client.socket.write(asking);
    }
    await sleep(500);
    assert.ok(rss() < before + 32 * 1024, `from ${before} to ${rss()} KiB`);
    client.socket.destroy();
    await checkAlive();
});

test('Ctrl-C ends it, with pages open', async () => {
    const other = await startView(['rings', '--size', '3']);
    const client = await Client.open(other);
    await client.openScene({ scene: 'rings', size: 3 });
    client.send({ kind: 'run', isRunning: true });
    const { code, errors } = await other.stop();
    assert.equal(code, 0, errors);
    assert.equal(errors, '');
    assert.ok(await client.closed());
});

test('a page shows what the command simulates', async () => {
    // as users run it: quick
    const native = await startView(['rings', '--size', '9', '--set', 'gravity=0,-5,0', '--threads', '2'], command);
    const b = await openBrowser(undefined, native.address);
    try {
        assert.equal(native.state, 'scene=rings&size=9');
        await b.open(`${native.state}&at=60`);
        assert.equal(await b.hash(), runNative('rings', { steps: 60, size: 9, more: ['--set', 'gravity=0,-5,0'] }).hash);
        assert.ok((await b.picture()).colors > 12);
        const plain = (await b.picture()).digest;
        for (const label of ['Contact points', 'Bounding boxes', 'Sample points', 'Distance field']) {
            await b.page.getByLabel(label, { exact: true }).click();
            await b.settle();
            assert.notEqual((await b.picture()).digest, plain, label);
            await b.page.getByLabel(label, { exact: true }).click();
            await b.settle();
        }
        await b.page.keyboard.press('t');
        for (let i = 61; i <= 70; i += 1) {
            await b.page.keyboard.press('ArrowRight');
        }
        await b.waitForExactly(70);
        const end = await b.hash();
        await b.seek(10);
        await b.seek(70);
        assert.equal(await b.hash(), end);
        // a file of all steps, with what was thrown; a pair, step by step
        const [file] = await Promise.all([b.page.waitForEvent('download'), b.page.click('#motion')]);
        await validateGlb(await readFile(await file.path()));
        await b.page.keyboard.press('e');
        for (const [name, number] of [['a', '4'], ['b', '9']]) {
            await b.page.fill(`#explain-${name}`, number);
            await b.page.press(`#explain-${name}`, 'Enter');
        }
        await b.page.waitForFunction(() => /^1 of [1-9]/.test(document.getElementById('explain-count').textContent));
        await b.page.click('#explain-close');
        assert.equal(await b.hash(), end);
        await b.page.click('#play');
        await b.waitForStep(100);
        await b.page.click('#reset');
        await b.page.waitForFunction(() => Number(document.body.dataset.step) < 70);
        assert.deepEqual(b.complaints, []);
        await native.stop();
        await b.page.waitForFunction(() => !document.getElementById('error').hidden);
        assert.match(await b.page.textContent('#error'), /start 'sudar view' again/);
    } finally {
        await b.close();
        await native.stop();
    }
});
