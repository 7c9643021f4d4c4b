// SPDX-License-Identifier: MIT
// bench.mjs - WebAssembly under Node beside the native build, one thread each, turn by turn, best
// of each:
//     node web/bench.mjs

import { hashText, loadEngine, openScene, timeNative } from './test/engine.mjs';

const ROUNDS = 3;
const CASES = [
    { name: 'pile', size: 500, steps: 600 },
    { name: 'rings', size: 60, steps: 240 },
];

const sudar = await loadEngine();

/** Milliseconds of the processor, so that other programs count little, and the hash at the end. */
function runHere({ name, size, steps }) {
    const { scene, world } = openScene(sudar, name, { size });
    const start = process.cpuUsage();
    for (let i = 0; i < steps; i += 1) {
        world.step(scene.dt);
    }
    const ms = process.cpuUsage(start).user / 1e3;
    const hash = hashText(world);
    world.free();
    return { ms, hash };
}

console.log('scene       size  native ms  wasm ms  ratio');
for (const entry of CASES) {
    const first = Math.min(...Array.from({ length: ROUNDS }, () => timeNative(entry.name, { ...entry, steps: 1 }).ms));
    let native = Infinity;
    let wasm = Infinity;
    for (let i = 0; i < ROUNDS; i += 1) {
        const theirs = timeNative(entry.name, entry);
        const ours = runHere(entry);
        if (theirs.hash !== ours.hash) {
            throw new Error(`${entry.name}: the hashes differ, ${theirs.hash} and ${ours.hash}`);
        }
        native = Math.min(native, (theirs.ms - first) / (entry.steps - 1));
        wasm = Math.min(wasm, ours.ms / entry.steps);
    }
    console.log(`${entry.name.padEnd(12)}${String(entry.size).padStart(4)}${native.toFixed(3).padStart(11)}${wasm.toFixed(3).padStart(9)}${(wasm / native).toFixed(2).padStart(7)}`);
}
