// SPDX-License-Identifier: MIT
// The manual's site in Chromium: every chapter opens from disk without a complaint and fits a phone; search, menu and theme work.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { after, before, test } from 'node:test';

import { openBrowser } from './browser.mjs';
import { root } from './engine.mjs';

const site = `${root}build/docs`;
let browser;

before(async () => {
    execFileSync('/usr/bin/python3', [`${root}tools/docs.py`, site]);
    browser = await openBrowser({ width: 390, height: 800 }, `file://${site}/`);
});
after(() => browser.close());

test('every chapter of the manual opens and is no wider than a phone', async () => {
    const { page, complaints } = browser;
    // pages of sources are all alike, and so are those of headers
    const names = (await readdir(site)).filter((name) => name.endsWith('.html') && !/^(file-|api-(?!collide))/.test(name));
    assert.ok(names.length > 25, `${names.length} pages`);
    for (const name of names) {
        await page.goto(`file://${site}/${name}`, { waitUntil: 'domcontentloaded' });
        const wide = await page.evaluate(() => [...document.querySelectorAll('main *')]
            .filter((part) => part.getBoundingClientRect().right > innerWidth + 1 && !part.closest('pre, .table'))
            .map((part) => part.textContent.slice(0, 60)));
        assert.deepEqual([name, wide], [name, []]);
    }
    assert.deepEqual(complaints, []);
});

test('the manual is searched by keys, and leads to what was found', async () => {
    const { page } = browser;
    await page.goto(`file://${site}/index.html`);
    await page.keyboard.press('/');
    await page.keyboard.type('sdWorld_ShapeCast');
    assert.match(await page.textContent('#found li'), /^sdWorld_ShapeCastquery\.h/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/api-query.html#sdWorld_ShapeCast');
    await page.fill('#search', 'restitution clay');
    assert.match(await page.textContent('#found'), /Materials/);
    await page.fill('#search', 'qqqqq');
    assert.match(await page.textContent('#found'), /Nothing/);
});

test('chapters of the manual are behind a button on a phone, and its theme can be chosen', async () => {
    const { page } = browser;
    await page.goto(`file://${site}/hello.html`);
    const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await page.isVisible('nav a[href="shapes.html"]'), false);
    await page.click('#menu');
    await page.click('nav a[href="shapes.html"]');
    await page.waitForURL('**/shapes.html');
    const first = await back();
    await page.click('#theme');
    assert.notEqual(await back(), first);
});

test('the manual is not put where other things are', async () => {
    const folder = await mkdtemp(`${tmpdir()}/sudar-site-`);
    await writeFile(`${folder}/mine.txt`, 'mine');
    const { status, stdout } = spawnSync('/usr/bin/python3', [`${root}tools/docs.py`, folder], { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stdout, /holds other things/);
    assert.deepEqual(await readdir(folder), ['mine.txt']);
    await rm(folder, { recursive: true });
});
