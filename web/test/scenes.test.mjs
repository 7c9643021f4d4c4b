// SPDX-License-Identifier: MIT
// Every scene comes to the same bits as in the native build.

import assert from 'node:assert/strict';
import test from 'node:test';

import { hashText, loadEngine, openScene, runNative, testSize } from './engine.mjs';

const STEPS = 300;
const sudar = await loadEngine();

for (let i = 0; i < sudar.Scene.getCount(); i += 1) {
    const { name } = sudar.Scene.get(i);
    test(`scene ${name} has the native hash`, () => {
        const size = testSize(sudar.Scene.get(i));
        const { scene, world } = openScene(sudar, name, { size });
        for (let k = 0; k < STEPS; k += 1) {
            world.step(scene.dt);
        }
        const hash = hashText(world);
        world.free();
        assert.equal(hash, runNative(name, { steps: STEPS, size }).hash);
    });
}
