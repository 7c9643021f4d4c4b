// SPDX-License-Identifier: MIT
// pictures.mjs - the pictures of docs/viewer.md, made anew: node web/pictures.mjs

import { openBrowser } from './test/browser.mjs';
import { root } from './test/engine.mjs';

const PICTURES = [
    { name: 'contacts', state: 'scene=card-house&at=60&view=contacts,normals' },
    { name: 'islands', state: 'scene=rings&at=150&view=boxes,color-islands' },
    { name: 'levels', state: 'scene=pyramid&size=12&at=60&view=cells,color-levels' },
    { name: 'joints', state: 'scene=ragdolls&size=5&at=90&view=joints', isDark: true },
    { name: 'field', state: 'scene=skulls&size=1&at=20&view=slice,wireframe,solid&camera=-1.6,1.5,1.6,0,0.55,0' },
    { name: 'compare', state: 'scene=rings&size=15&at=60&other=gravity.y:-1' },
];

const b = await openBrowser({ width: 1120, height: 640 });
for (const { name, state, isDark } of PICTURES) {
    await b.open(state);
    if (isDark) {
        await b.page.click('#theme');
        await b.settle();
    }
    await b.page.waitForTimeout(500); // plots
    await b.page.screenshot({ path: `${root}docs/viewer-${name}.png` });
}
await b.close();
