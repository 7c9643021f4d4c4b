// SPDX-License-Identifier: MIT
// Compiled, not run: sudar.d.ts says what the module is used like.

import { load, type Body, type World } from '../sudar.js';

export async function fall(): Promise<number> {
    const sudar = await load();
    const world: World = sudar.World.create({ gravity: [0, -9.81, 0], integrator: 'rk4' });
    const body: Body = sudar.Body.create(world, { type: 'dynamic', position: { x: 0, y: 2, z: 0 } });
    body.addShape({ shape: sudar.Shape.box(0.5, 0.5, 0.5), density: 1000 });
    world.step(1 / 60);
    // @ts-expect-error a word that is no integrator
    sudar.World.create({ integrator: 'euler' });
    // @ts-expect-error a step has a length
    world.step();
    const hit = world.raycast({ origin: [0, 5, 0], translation: [0, -9, 0] });
    const { p } = body.getTransform();
    world.free();
    return p.y + (hit.body === null ? 0 : hit.fraction);
}
