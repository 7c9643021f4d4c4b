// SPDX-License-Identifier: MIT
// engine.mjs - the engine and the command of the same sources, for tests and measurements.

import { execFile, execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { load } from '../sudar.js';

export const root = fileURLToPath(new URL('../../', import.meta.url));
const wasm = process.env.SUDAR_WASM ?? `${root}build/wasm/web/sudar.wasm`;
export const command = process.env.SUDAR_COMMAND ?? `${root}build/release/cli/sudar`;

export const loadEngine = async (options) => load(await readFile(wasm), options);
/** The one with threads. */
export const loadThreads = async (threads) => load(await readFile(`${root}build/wasm-threads/web/sudar-threads.wasm`), { threads });

/** Sizes that make large scenes short; all others are run as they are. */
const SIZES = {
    'tight-pyramid': 20, pyramid: 20, pile: 150, 'wide-pile': 200, rain: 60, 'joint-grid': 12, ragdolls: 5,
    bullets: 60, 'rings-500': 20, 'bones-500': 8, rings: 20, skulls: 10, 'skull-chain': 12, chains: 6, sleepers: 10,
};
/** Of a scene, for tests: sizes that it takes may change, so the nearest. */
export const testSize = ({ name, size, minSize, maxSize }) => Math.min(Math.max(SIZES[name] ?? size, minSize), maxSize);

/** A scene in a new world. */
export function openScene(sudar, name, options) {
    const scene = sudar.Scene.find(name);
    const world = sudar.World.create(sudar.Scene.getWorldDef(scene));
    sudar.Scene.build(scene, world, options);
    return { scene, world };
}

const nativeArguments = (name, { steps, size, more = [] }) =>
    ['run', name, '--steps', `${steps}`, '--json', '--quiet', ...(size === undefined ? [] : ['--size', `${size}`]), ...more];
const silent = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };

/** What the command says of a run, one thread. */
export const runNative = (name, run) => JSON.parse(execFileSync(command, nativeArguments(name, run), silent));

/** The same, beside what else is done. */
export const runNativeLater = async (name, run) => JSON.parse((await promisify(execFile)(command, nativeArguments(name, run))).stdout);

/** The same with the milliseconds of the processor that all of it took, as the shell tells them. */
export function timeNative(name, run) {
    const said = execFileSync('sh', ['-c', '"$@"; times', 'sh', command, ...nativeArguments(name, run)], silent);
    const [, minutes, seconds] = /(\d+)m([\d.]+)s \d+m[\d.]+s\s*$/.exec(said);
    return { ...JSON.parse(said.slice(0, said.lastIndexOf('}') + 1)), ms: 6e4 * minutes + 1e3 * seconds };
}

export const hashText = (world) => world.getHash().toString(16).padStart(16, '0');
