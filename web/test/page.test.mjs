// SPDX-License-Identifier: MIT
// The viewer in Chromium: scenes, views, time, links, files.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import test, { after, before } from 'node:test';
import { gzipSync } from 'node:zlib';

import { openBrowser } from './browser.mjs';
import { loadEngine, root, runNative, testSize } from './engine.mjs';
import { makeGlb, validateGlb } from './glb.mjs';

const FRAMES = 120;

let b;
before(async () => { b = await openBrowser(); });
after(async () => { await b?.close(); });

const digest = async () => (await b.picture()).digest;
const bodyCount = () => b.page.evaluate(() => Number(/^\d+/.exec(document.getElementById('figures').textContent)[0]));
/** Codec and number of pictures of a video, as ffprobe tells them. */
const probe = (path) => execFileSync('ffprobe', ['-v', 'error', '-count_frames', '-select_streams', 'v:0', '-show_entries', 'stream=codec_name,nb_read_frames', '-of', 'csv=p=0', path], { encoding: 'utf8' }).trim().split(',');
const check = (label) => b.page.getByLabel(label, { exact: true }).click();

test('every scene opens and steps, and is seen', async () => {
    const sudar = await loadEngine();
    await b.open('scene=heavy');
    for (let i = 0; i < sudar.Scene.getCount(); i += 1) {
        const scene = sudar.Scene.get(i);
        const { name, title } = scene;
        // large ones would take their time to draw
        await b.page.evaluate((state) => { location.hash = state; }, `scene=${name}&size=${testSize(scene)}&at=${FRAMES}`);
        await b.page.waitForFunction(([wanted, step]) => document.body.dataset.scene === wanted && Number(document.body.dataset.step) >= step, [name, FRAMES]);
        assert.equal(await b.page.textContent('#title'), title);
        await b.settle();
        assert.ok((await b.picture()).colors > 12, `${name} is blank`);
    }
    assert.deepEqual(b.complaints, []);
    // hashes of all scenes: worker.test.mjs
    await b.page.click('#scenes [data-scene="pyramid"]');
    await b.page.waitForFunction(() => document.body.dataset.scene === 'pyramid');
    for (let i = 1; i <= 3; i += 1) {
        await b.page.keyboard.press('ArrowRight');
    }
    await b.waitForExactly(3);
    assert.equal(await b.hash(), runNative('pyramid', { steps: 3 }).hash);
    // one that there is not, and none
    await b.page.evaluate(() => { location.hash = 'scene=nothing'; });
    await b.page.waitForFunction(() => /no scene 'nothing'/.test(document.getElementById('error').textContent));
    await b.page.goto('about:blank');
    await b.page.goto(b.address);
    await b.waitForStep(1);
    assert.equal(await b.page.evaluate(() => document.body.dataset.scene), sudar.Scene.get(0).name);
});

test('each view changes the picture, and back', async () => {
    await b.open('scene=rings&size=9&at=80');
    const plain = await digest();
    for (const label of ['Wireframe', 'Shadows', 'Shadows on the plane', 'Contact points', 'Normals and impulses', 'Bounding boxes', 'Bounding spheres', 'Oriented boxes', '14-DOPs', 'Hulls', 'Boxes of the broad phase', 'Centres of mass', 'Inertia', 'Broad phase cells', 'Sample points', 'Distance field', 'Solid']) {
        await check(label);
        await b.settle();
        assert.notEqual(await digest(), plain, label);
        await check(label);
        await b.settle();
        assert.equal(await digest(), plain, `${label}, off again`);
    }
    const seen = new Set([plain]);
    for (let i = 0; i < 4; i += 1) {
        await b.page.keyboard.press('i');
        await b.settle();
        seen.add(await digest());
    }
    assert.equal(seen.size, 5, 'colourings');
    await b.open('scene=ragdolls&size=1&at=10');
    const without = await digest();
    await b.page.keyboard.press('j');
    await b.settle();
    const withJoints = await digest();
    assert.notEqual(withJoints, without, 'joints');
    await check('Limits of joints');
    await b.settle();
    assert.notEqual(await digest(), withJoints, 'limits');
    // each broad phase has cells of its own
    const cells = new Set();
    for (const kind of ['tree', 'octree', 'sap']) {
        await b.open(`scene=pyramid&size=4&at=10&view=cells&set=broadphase.kind:${kind}`);
        cells.add(await digest());
    }
    assert.equal(cells.size, 3, 'cells');
});

test('a pair is explained step by step, and a link shows the same step', async () => {
    await b.open('scene=heavy&at=3');
    const plain = await digest();
    await b.page.keyboard.press('e');
    const text = () => b.page.textContent('#explain-text');
    assert.match(await text(), /Touch a body/);
    // the two boxes stand over each other in the middle
    const box = await b.page.locator('.pane canvas').boundingBox();
    const touch = (y) => b.page.mouse.click(box.x + box.width / 2, box.y + y * box.height);
    await touch(0.62);
    await b.page.waitForFunction(() => /second body/.test(document.getElementById('explain-text').textContent));
    await touch(0.4);
    await b.page.waitForFunction(() => /GJK looks for/.test(document.getElementById('explain-text').textContent));
    assert.ok(await b.page.locator('#explain-difference canvas').isVisible());
    for (const method of ['gjk', 'epa', 'sat', 'vclip']) {
        await b.page.selectOption('#explain-method', method);
        await b.page.waitForFunction((wanted) => location.hash.includes(`explain=${wanted}`), method);
        await b.settle();
        const last = Number(await b.page.getAttribute('#explain-step', 'max'));
        const [seen, said] = [new Set([plain]), new Set()];
        for (let i = 0; i <= last; i += 1) {
            await b.page.waitForFunction((step) => document.getElementById('explain-step').value === String(step), i);
            await b.page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
            seen.add(await digest());
            said.add(await text());
            await b.page.keyboard.press(']');
        }
        assert.ok(last >= 1 && said.size === last + 1, `${method}: ${last + 1} steps, ${said.size} sentences`);
        assert.ok(seen.size > 2, `${method}: ${seen.size} pictures`);
    }
    await b.page.keyboard.press('[');
    await b.page.waitForTimeout(500); // the address follows
    const link = await b.page.evaluate(() => location.hash);
    const words = await text();
    await b.open(`${link.slice(1)}&at=3`);
    await b.page.waitForFunction((wanted) => document.getElementById('explain-text').textContent === wanted, words);
    await b.page.click('#explain-close');
    await b.settle();
    assert.equal(await digest(), plain, 'closed again');
});

test('planes: seen from in front, dragged, gone back in and explained', async () => {
    for (const name of ['flat-touch', 'flat-bullet', 'flat-figure']) {
        await b.open(`scene=${name}&at=${FRAMES}`);
        assert.ok((await b.picture()).colors > 12, `${name} is blank`);
    }
    await b.open('scene=flat-bullet&size=60&at=200');
    assert.match(await b.page.textContent('#figures'), /without looking ahead .* [1-9]\d* walls passed .* 0 passed/);
    await b.open('scene=flat-touch&size=6&at=90');
    const [end, picture] = [await b.hash(), await digest()];
    await b.seek(20);
    await b.seek(90);
    assert.equal(await b.hash(), end);
    await b.settle();
    assert.equal(await digest(), picture);
    const plain = await digest();
    await check('Contact points');
    await b.settle();
    assert.notEqual(await digest(), plain, 'points');
    await b.open('scene=flat-touch&size=2&at=1');
    const box = await b.page.locator('.pane canvas').boundingBox();
    // the first stands in the middle
    const middle = [box.x + box.width / 2, box.y + box.height / 2];
    await b.page.click('#play');
    await b.page.mouse.move(...middle);
    await b.page.mouse.down();
    await b.page.mouse.move(middle[0] + 90, middle[1] - 60, { steps: 4 });
    await b.page.waitForTimeout(300);
    await b.page.mouse.up();
    await b.page.click('#play');
    const step = await b.page.evaluate(() => Number(document.body.dataset.step));
    const dragged = await b.hash();
    await b.open(`scene=flat-touch&size=2&at=${step}`);
    assert.notEqual(await b.hash(), dragged, 'it was dragged');
    for (const method of ['gjk', 'sat']) {
        await b.open(`scene=flat-touch&size=6&at=90&explain=${method},0,2,2`);
        await b.page.waitForFunction(() => / of \d+/.test(document.getElementById('explain-count').textContent));
        assert.ok((await b.page.textContent('#explain-text')).length > 40);
    }
    // back in space, the view is that of space; the panel is made after the first picture
    assert.ok(!await b.page.getByLabel('Shadows', { exact: true }).isChecked());
    await b.page.click('#scenes [data-scene="heavy"]');
    await b.page.waitForFunction(() => document.body.dataset.scene === 'heavy');
    await b.page.getByLabel('Shadows', { exact: true }).and(b.page.locator(':checked')).waitFor({ state: 'attached' });
});

test('going back and on again gives the same, with what was thrown', async () => {
    await b.open('scene=pyramid&size=6&at=40');
    await b.page.keyboard.press('t');
    for (let i = 41; i <= 60; i += 1) {
        await b.page.keyboard.press('ArrowRight');
    }
    await b.waitForExactly(60);
    const end = await b.hash();
    const bodies = await bodyCount();
    await b.seek(10);
    assert.equal(await bodyCount(), bodies - 1);
    await b.seek(60);
    assert.equal(await b.hash(), end);
    await b.seek(33);
    await b.page.click('#play');
    await b.waitForStep(60);
    await b.page.click('#play');
    await b.seek(60);
    assert.equal(await b.hash(), end);
});

test('settings reach the engine, and a link restores them', async () => {
    await b.open('scene=pyramid&size=6&at=30');
    const plain = await b.hash();
    await b.open('scene=pyramid&size=6&at=30&set=subStepCount:3&view=boxes,color-islands');
    const changed = await b.hash();
    assert.notEqual(changed, plain);
    await b.page.click('#share');
    const link = await b.page.evaluate(() => location.hash);
    for (const part of ['scene=pyramid', 'size=6', 'at=30', 'set=subStepCount%3A3', 'view=boxes%2Ccolor-islands']) {
        assert.ok(link.includes(part), `${part} in ${link}`);
    }
    await b.open(link.slice(1));
    assert.equal(await b.hash(), changed);
    await b.page.click('#share');
    assert.equal(await b.page.evaluate(() => location.hash), link);
    // of all bodies, in each pane its own, and after a reset
    await b.open('scene=dominoes&at=60&set=bodies.friction:0.05&other=');
    const slippery = await b.hash();
    assert.notEqual(slippery, runNative('dominoes', { steps: 60 }).hash);
    const friction = () => b.page.waitForFunction(() => document.querySelector('[aria-label="bodies friction"]:is(input)')?.value === '0.05');
    await friction();
    await b.page.click('#reset');
    await b.waitForExactly(0);
    await friction();
    await b.open('scene=dominoes&at=60&set=bodies.friction:0.05&other=');
    await b.page.locator('.badge').last().click();
    await b.page.keyboard.press('ArrowRight');
    await b.page.waitForFunction((hash) => document.body.dataset.step === '61' && document.body.dataset.hash !== hash, slippery);
    assert.equal(await b.hash(), runNative('dominoes', { steps: 61 }).hash);
    // what is refused is not kept
    await b.open('scene=pyramid&size=6&at=30');
    await b.page.getByLabel('impulse collision pass count').fill('-1');
    await b.page.keyboard.press('Enter');
    await b.page.waitForFunction(() => /collisionPassCount/.test(document.getElementById('error').textContent));
    await b.page.click('#reset');
    await b.waitForExactly(0);
    // in the panel, while it stands
    await b.page.getByLabel('integrator').selectOption('rk4');
    await b.page.getByLabel('narrowphase').selectOption('vclip');
    await b.page.keyboard.press('Escape');
    await b.page.waitForFunction(() => location.hash.includes('integrator%3Ark4') && location.hash.includes('narrowphase%3Avclip'));
});

test('a mesh is dropped ten times; what is none is refused in words', async () => {
    await b.open('scene=pyramid&size=4&at=5');
    const before = await bodyCount();
    const cube = ['v 0 0 0', 'v 1 0 0', 'v 1 1 0', 'v 0 1 0', 'v 0 0 1', 'v 1 0 1', 'v 1 1 1', 'v 0 1 1',
        'f 4 3 2 1', 'f 5 6 7 8', 'f 1 2 6 5', 'f 2 3 7 6', 'f 3 4 8 7', 'f 4 1 5 8'].join('\n');
    const give = (name, text) => b.page.setInputFiles('#file', { name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    await b.page.evaluate((text) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([text], 'cube.obj'));
        document.getElementById('panes').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, cancelable: true }));
    }, cube);
    await b.page.waitForFunction((n) => document.getElementById('figures').textContent.startsWith(`${n} `), before + 10);
    // a tetrahedron in the other formats
    const corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
    const faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    const stl = `solid t\n${faces.map((face) => `facet normal 0 0 0\nouter loop\n${face.map((i) => `vertex ${corners[i].join(' ')}`).join('\n')}\nendloop\nendfacet`).join('\n')}\nendsolid t\n`;
    const ply = `ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n${corners.map((one) => one.join(' ')).join('\n')}\n${faces.map((one) => `3 ${one.join(' ')}`).join('\n')}\n`;
    let expected = before + 10;
    for (const [name, content] of [['t.stl', stl], ['t.ply', ply], ['t.glb', makeGlb(corners, faces)]]) {
        await give(name, content);
        expected += 10;
        await b.page.waitForFunction((n) => document.getElementById('figures').textContent.startsWith(`${n} `), expected);
    }
    // made in the page and dropped there, large and random
    await b.page.evaluate(() => {
        const part = crypto.getRandomValues(new Uint8Array(65536));
        const transfer = new DataTransfer();
        transfer.items.add(new File(Array.from({ length: 763 }, () => part), 'noise.glb'));
        document.getElementById('panes').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, cancelable: true }));
    });
    await b.page.waitForFunction(() => /noise.glb is not a mesh/.test(document.getElementById('error').textContent));
    const noise = Buffer.from(Uint8Array.from({ length: 100000 }, (_, i) => Math.imul(i, 2654435761) >>> 24));
    for (const [name, content] of [['noise.stl', noise], ['noise.ply', noise], ['noise.obj', noise], ['nan.obj', cube.replace('v 0 0 0', 'v nan 0 0')], ['words.txt', 'hello']]) {
        await b.page.evaluate(() => { document.getElementById('error').hidden = true; });
        await give(name, content);
        await b.page.waitForSelector('#error:not([hidden])');
        assert.match(await b.page.textContent('#error'), /\w+/, name);
    }
    const step = await b.page.evaluate(() => Number(document.body.dataset.step));
    await b.page.keyboard.press('ArrowRight');
    await b.waitForStep(step + 1);
});

test('a scene file is opened, reset, and refused in words', async () => {
    await b.open('scene=heavy&at=2');
    const text = '{"sudar": 1, "title": "Two balls", "bodies": [{"shapes": [{"shape": {"type": "half-space"}}]}, '
        + '{"type": "dynamic", "position": [0, 2, 0], "shapes": [{"shape": {"type": "sphere", "radius": 0.5}}]}]}';
    const give = (name, content) => b.page.setInputFiles('#file', { name, mimeType: 'application/json', buffer: Buffer.from(content) });
    await give('balls.json', text);
    await b.page.waitForFunction(() => document.getElementById('title').textContent === 'Two balls');
    await b.page.keyboard.press('ArrowRight');
    await b.waitForStep(1);
    assert.equal(await bodyCount(), 2);
    await b.page.click('#reset');
    await b.waitForExactly(0);
    assert.equal(await b.page.textContent('#title'), 'Two balls');
    await give('bad.json', text.replace('radius', 'raduis'));
    await b.page.waitForFunction(() => /bad.json:1:\d+:.*radius/.test(document.getElementById('error').textContent));
});

test('two panes show two settings', async () => {
    await b.open('scene=pyramid&size=4&at=20&other=gravity.y:0');
    assert.equal(await b.page.locator('.pane canvas').count(), 2);
    await b.page.waitForFunction(() => document.querySelectorAll('.badge').length === 2);
    await b.page.click('#compare');
    assert.equal(await b.page.locator('.pane canvas').count(), 1);
});

test('a body is dragged by the hand, the camera beside it', async () => {
    await b.open('scene=heavy&at=5');
    await b.page.click('#play');
    const box = await b.page.locator('.pane canvas').boundingBox();
    const middle = [box.x + box.width / 2, box.y + box.height / 2];
    const camera = () => b.page.evaluate(() => location.hash);
    const still = await camera();
    await b.page.mouse.move(...middle);
    await b.page.mouse.down();
    await b.page.mouse.move(middle[0] + 60, middle[1] - 120, { steps: 3 });
    await b.page.waitForTimeout(500);
    await b.page.mouse.up();
    assert.equal(await camera(), still, 'the camera stays');
    await b.page.mouse.move(box.x + 20, box.y + 20);
    await b.page.mouse.down();
    await b.page.mouse.move(box.x + 120, box.y + 60, { steps: 3 });
    await b.page.mouse.up();
    await b.page.waitForFunction((before) => location.hash !== before, still);
});

test('help, themes and names', async () => {
    await b.open('scene=heavy&at=5');
    await b.page.keyboard.press('?');
    assert.ok(await b.page.locator('#help').isVisible());
    assert.ok((await b.page.locator('#keys dt').count()) > 8);
    await b.page.keyboard.press('Escape');
    const light = await digest();
    await b.page.click('#theme');
    await b.settle();
    assert.notEqual(await digest(), light);
    const nameless = await b.page.evaluate(() => [...document.querySelectorAll('button, input, select, .pane canvas')]
        .filter((element) => !(element.ariaLabel || element.textContent.trim() || element.labels?.length))
        .map((element) => element.outerHTML));
    assert.deepEqual(nameless, []);
});

test('tables and videos are saved', async () => {
    await b.open('scene=dominoes');
    await b.waitForStep(20);
    const [table] = await Promise.all([b.page.waitForEvent('download'), b.page.click('#csv')]);
    const rows = (await readFile(await table.path(), 'utf8')).trim().split('\n');
    assert.match(rows[0], /^step,time,bodyCount/);
    assert.ok(rows.length > 3);
    await b.page.click('#record');
    await b.page.waitForTimeout(1200);
    // however slow the machine is
    await b.page.evaluate((count) => new Promise((done) => {
        const next = (left) => (left > 0 ? requestAnimationFrame(() => next(left - 1)) : done());
        next(count);
    }), 12);
    await b.page.waitForFunction(() => Number(document.querySelector('#record').dataset.bytes) > 0);
    const [video] = await Promise.all([b.page.waitForEvent('download'), b.page.click('#record')]);
    const bytes = await readFile(await video.path());
    assert.equal(bytes.subarray(0, 4).toString('hex'), '1a45dfa3', 'WebM begins so');
    const [codec, count] = probe(await video.path());
    assert.match(codec, /^(vp8|vp9|av1|h264)$/);
    assert.ok(Number(count) >= 5, `${count} pictures`);
    // no empty file where nothing was drawn in between
    await b.page.evaluate(() => { document.querySelector('#record').click(); document.querySelector('#record').click(); });
    await b.page.waitForFunction(() => /nothing was recorded/.test(document.querySelector('#error').textContent));
});

test('all steps so far are saved as a glTF file, with what was thrown', async () => {
    await b.open('scene=heavy&at=20');
    await b.page.keyboard.press('t');
    for (let i = 0; i < 10; i += 1) {
        await b.page.keyboard.press('ArrowRight');
    }
    await b.waitForExactly(30);
    const end = await b.hash();
    const [file] = await Promise.all([b.page.waitForEvent('download'), b.page.click('#motion')]);
    assert.equal(file.suggestedFilename(), 'heavy.glb');
    const bytes = await readFile(await file.path());
    const { info } = await validateGlb(bytes);
    const json = JSON.parse(bytes.toString('utf8', 20, 20 + bytes.readUInt32LE(12)));
    assert.equal(json.nodes.filter(({ name }) => /^body \d+$/.test(name)).length, await bodyCount());
    assert.ok(info === null || info.hasMorphTargets === false);
    assert.equal(await b.hash(), end, 'time stands where it stood');
    await b.open('scene=flat-touch&at=5');
    await b.page.click('#motion');
    await b.page.waitForFunction(() => /plane/.test(document.getElementById('error').textContent));
});

test('a phone: all is reached by touch, nothing is wider than the screen', async () => {
    await b.page.setViewportSize({ width: 390, height: 780 });
    await b.open('scene=pyramid&size=4&at=5&explain=gjk,2,9,1');
    const { wide, canvas, small } = await b.page.evaluate(() => {
        const shown = [...document.querySelectorAll('button, select, input, canvas')].filter((element) => element.checkVisibility() && !element.closest('.lil-gui'));
        return {
            wide: shown.filter((element) => element.getBoundingClientRect().right > innerWidth + 1).map((element) => element.id),
            canvas: document.querySelector('.pane canvas').getBoundingClientRect().height,
            small: shown.filter((element) => element.matches('footer button, header button') && element.getBoundingClientRect().height < 40).map((element) => element.id),
        };
    });
    assert.deepEqual([wide, small], [[], []]);
    assert.ok(canvas > 300, `${canvas} pixels of picture`);
    assert.ok(await b.page.locator('#explain-text').isVisible());
    // two fingers move the camera, also when the first of them is on a body
    await b.open('scene=heavy&at=5');
    const box = await b.page.locator('.pane canvas').boundingBox();
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const client = await b.page.context().newCDPSession(b.page);
    const touch = (type, ...offsets) => client.send('Input.dispatchTouchEvent', { type, touchPoints: offsets.map((y, id) => ({ x: middle.x, y: middle.y + y, id })) });
    await touch('touchStart', 0);
    await touch('touchMove', 2);
    await touch('touchStart', 2, 40);
    for (const y of [60, 90, 120]) {
        await touch('touchMove', 2, y);
    }
    await touch('touchEnd');
    await b.page.waitForFunction(() => location.hash.includes('camera='));
    await b.page.setViewportSize({ width: 960, height: 640 });
});

test('all of it is small enough to wait for', async () => {
    let total = 0;
    // of the two engines a page loads one, the larger one at most
    const files = await readdir(`${root}build/web`, { withFileTypes: true });
    const names = files.filter((file) => file.isFile() && file.name !== 'sudar.wasm').map(({ name }) => name);
    assert.ok(names.includes('sudar-threads.wasm'));
    for (const name of names) {
        total += gzipSync(await readFile(`${root}build/web/${name}`)).length;
    }
    assert.ok(total <= 1.5e6, `${total} bytes`);
});

test('the console has nothing to complain of', () => {
    assert.deepEqual(b.complaints.filter((text) => !/GPU stall|GL Driver/.test(text)), []);
});
