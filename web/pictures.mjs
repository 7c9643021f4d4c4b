// SPDX-License-Identifier: MIT
// pictures.mjs - the pictures of docs/viewer.md, made anew: node web/pictures.mjs [name ...]

import { openBrowser } from './test/browser.mjs';
import { root } from './test/engine.mjs';

const QUALITY = 78;

/** The page as it is seen. */
const PAGES = [
    { name: 'page', state: 'scene=rings&at=150&view=boxes,color-islands' },
    { name: 'compare', state: 'scene=rings&size=15&at=60&other=gravity.y:-1', isDark: true },
    { name: 'gjk', state: 'scene=arch&at=60&explain=gjk,4,9,3' },
    { name: 'gjk2d', state: 'scene=flat-touch&at=90&explain=gjk,0,2,2' },
    { name: 'sat', state: 'scene=arch&at=60&explain=sat,4,9,6' },
    { name: 'vclip', state: 'scene=pyramid&size=4&at=30&explain=vclip,2,9,1' },
    { name: 'plane', state: 'scene=flat-figure&at=200' },
    { name: 'phone', state: 'scene=pyramid&size=8&at=60&view=contacts', size: { width: 390, height: 780 } },
];

const RINGS = 'scene=rings&size=9&at=100&camera=2.6,2.4,3.6,0,0.55,0';
const FALLING = 'scene=rings&size=9&at=25';
const PYRAMID = 'scene=pyramid&size=5&at=60';
const DOLL = 'scene=ragdolls&size=1&at=4';
const CLOSER = -900; // of the wheel

/** Many small pictures in one. */
const SHEETS = [
    {
        name: 'scenes',
        tiles: [['pile', 'scene=pile&size=300&at=150'], ['arch', 'scene=arch&at=60'], ['card house', 'scene=card-house&at=60'], ['dominoes', 'scene=dominoes&at=150'],
            ['skulls', 'scene=skulls&size=20&at=150'], ['joined skulls', 'scene=skull-chain&size=12&at=120'], ['ragdolls', 'scene=ragdolls&size=6&at=90'], ['shapes that touch', 'scene=flat-touch&at=90']],
    },
    {
        name: 'volumes',
        tiles: [['Shadows', FALLING], ['Shadows on the plane', `${FALLING}&view=shadows,flatShadows`], ['Wireframe', `${RINGS}&view=wireframe`], ['Contact points, normals', `${RINGS}&view=contacts,normals`],
            ['Bounding boxes', `${RINGS}&view=boxes`], ['Bounding spheres', `${RINGS}&view=spheres`], ['Oriented boxes', `${RINGS}&view=obbs`], ['14-DOPs', `${RINGS}&view=kdops`],
            ['Hulls', `${RINGS}&view=hulls`], ['Boxes of the broad phase', `${RINGS}&view=fatBoxes`], ['Sample points', `${RINGS}&view=samples`], ['Distance field', `${RINGS}&view=slice`]],
    },
    {
        name: 'views',
        tiles: [['Cells: tree', `${PYRAMID}&view=cells`], ['Cells: octree', `${PYRAMID}&view=cells&set=broadphase.kind:octree`], ['Cells: intervals of a sweep', `${PYRAMID}&view=cells&set=broadphase.kind:sap`], ['By level', `${PYRAMID}&view=color-levels`],
            ['Joints', `${DOLL}&view=joints`, CLOSER], ['Limits of joints', `${DOLL}&view=limits`, CLOSER], ['Centres of mass', `${DOLL}&view=centers`, CLOSER], ['Inertia', `${DOLL}&view=inertia`, CLOSER],
            ['By body', 'scene=rings&at=150'], ['By island', 'scene=rings&at=150&view=color-islands'], ['Awake or asleep', 'scene=rings&at=330&view=color-sleep'], ['Touching is red', 'scene=rings&at=40&view=color-touching']],
    },
];

const wanted = process.argv.slice(2);
const isWanted = ({ name }) => wanted.length === 0 || wanted.includes(name);
const b = await openBrowser({ width: 1120, height: 640 });
const save = (target, name) => target.screenshot({ path: `${root}docs/viewer-${name}.jpg`, type: 'jpeg', quality: QUALITY });

for (const { name, state, isDark, size = { width: 1120, height: 640 } } of PAGES.filter(isWanted)) {
    await b.page.setViewportSize(size);
    await b.open(state);
    if (isDark) {
        await b.page.click('#theme');
        await b.settle();
    }
    await b.page.waitForTimeout(500); // plots
    await save(b.page, name);
}

const BARE = 'header, footer, nav, aside { display: none !important } main { display: block !important } #panes { height: 100vh !important }';
for (const { name, tiles } of SHEETS.filter(isWanted)) {
    await b.page.setViewportSize({ width: 320, height: 230 });
    const figures = [];
    for (const [text, state, wheel = 0] of tiles) {
        await b.open(state);
        await b.page.addStyleTag({ content: BARE });
        await b.page.mouse.move(160, 115);
        await b.page.mouse.wheel(0, wheel);
        await b.page.waitForTimeout(300);
        const picture = await b.page.screenshot({ type: 'png' });
        figures.push(`<figure><img src="data:image/png;base64,${picture.toString('base64')}"><figcaption>${text}</figcaption></figure>`);
    }
    await b.page.setViewportSize({ width: 1040, height: 600 });
    await b.page.goto('about:blank');
    await b.page.setContent(`<style>body { margin: 0; background: #fff; font: 13px sans-serif } div { display: grid; grid-template-columns: repeat(4, 1fr); width: 1040px }
        figure { margin: 4px } img { width: 100%; display: block } figcaption { padding: 2px }</style><div>${figures.join('')}</div>`);
    await save(b.page.locator('div'), name);
}
await b.close();
