// SPDX-License-Identifier: MIT
// Every scene comes to the same bits as in the native build.

import assert from 'node:assert/strict';
import test from 'node:test';

import { hashText, loadEngine, openScene, runNative } from './engine.mjs';

/** Sizes that make large scenes short; all others are run as they are. */
const SIZES = {
    'tight-pyramid': 20, pyramid: 20, pile: 150, 'wide-pile': 200, rain: 60, 'joint-grid': 12, ragdolls: 5,
    bullets: 60, 'rings-500': 20, 'bones-500': 8, rings: 20, skulls: 10, 'skull-chain': 12, chains: 6, sleepers: 10,
};
const STEPS = 300;
/** Sizes that scenes take may change; those outside are run at the nearest. */
const clamp = (scene, size) => Math.min(Math.max(size ?? scene.size, scene.minSize), scene.maxSize);

const sudar = await loadEngine();

for (let i = 0; i < sudar.Scene.getCount(); i += 1) {
    const { name } = sudar.Scene.get(i);
    test(`scene ${name} has the native hash`, () => {
        const size = clamp(sudar.Scene.get(i), SIZES[name]);
        const { scene, world } = openScene(sudar, name, { size });
        for (let k = 0; k < STEPS; k += 1) {
            world.step(scene.dt);
        }
        const hash = hashText(world);
        world.free();
        assert.equal(hash, runNative(name, { steps: STEPS, size }).hash);
    });
}
