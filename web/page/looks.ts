// SPDX-License-Identifier: MIT
// looks.ts - which bodies look how: each geometry is made once and shared.

import type { Sudar } from '../sudar.js';
import type { Look } from './protocol.js';
import type { Simulation } from './simulation.js';

/** @param known keys that the page has already; new ones are added */
export function listLooks(sudar: Sudar, simulation: Simulation, known: Set<number>): Look[] {
    const looks = new Map<number, { bodies: number[]; triangles: Float32Array | null; isEndless: boolean; isGlass: boolean }>();
    simulation.getBodies().forEach((body, number) => {
        for (const shape of body.getShapes()) {
            const key = sudar.View.getShapeKey(simulation.world, shape);
            let look = looks.get(key);
            if (look === undefined) {
                const triangles = known.has(key) ? null : sudar.View.getTriangles(simulation.world, shape);
                look = { bodies: [], triangles, isEndless: shape.getDef()?.shape.type === 'half-space', isGlass: sudar.View.isGlass(simulation.world, shape) };
                looks.set(key, look);
                known.add(key);
            }
            look.bodies.push(number);
        }
    });
    return [...looks].map(([key, look]) => ({ key, ...look, bodies: Int32Array.from(look.bodies) }));
}
