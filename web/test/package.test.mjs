// SPDX-License-Identifier: MIT
// The npm package, installed in a project that knows nothing of this one.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import test from 'node:test';

import { pack } from '../pack.mjs';
import { root, runNative } from './engine.mjs';

/** The program of README.md, as it stands there. */
async function readmeProgram() {
    const [, code] = /```js\n([\s\S]*?)```/.exec(await readFile(`${root}web/README.md`, 'utf8'));
    return code;
}

const SCENE = `
import { load, SudarError } from 'sudar';
const sudar = await load(undefined, { threads: 2 });
const scene = sudar.Scene.find('pyramid');
const world = sudar.World.create(sudar.Scene.getWorldDef(scene));
sudar.Scene.build(scene, world, { size: 5 });
for (let i = 0; i < 30; i += 1) {
    world.step(scene.dt);
}
try {
    world.step(NaN);
} catch (error) {
    console.log(JSON.stringify({ threads: sudar.threadCount, hash: world.getHash().toString(16).padStart(16, '0'), isOurs: error instanceof SudarError }));
}
world.free();
`;

const TYPES = `
import { load, type World } from 'sudar';
const { World, Body } = await load(undefined, { threads: 1 });
const world: World = World.create({ gravity: [0, -1, 0] });
const body = Body.create(world, { type: 'dynamic', position: [0, 2, 0] });
world.step(1 / 60);
console.log(body.getTransform().p.y);
`;

test('npm pack, npm install, and the programs of users', async () => {
    const work = await mkdtemp(`${tmpdir()}/sudar-package-`);
    const run = (command, words) => execFileSync(command, words, { cwd: work, encoding: 'utf8' });
    try {
        const archive = await pack(work);
        await writeFile(`${work}/package.json`, '{ "name": "user", "version": "1.0.0", "type": "module", "private": true }');
        run('npm', ['install', archive, '--offline', '--no-audit', '--no-fund', '--silent']);
        await rm(`${work}/package`, { recursive: true });

        await writeFile(`${work}/readme.js`, await readmeProgram());
        const said = run('node', ['readme.js']);
        assert.match(said, /y: 0\.\d+|y: 2|\d+n/, said);
        await writeFile(`${work}/scene.js`, SCENE);
        assert.deepEqual(JSON.parse(run('node', ['scene.js'])), { threads: 2, hash: runNative('pyramid', { steps: 30, size: 5 }).hash, isOurs: true });
        await writeFile(`${work}/types.ts`, TYPES);
        run(`${root}web/node_modules/.bin/tsc`, ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom,esnext', 'types.ts']);
    } finally {
        await rm(work, { recursive: true, force: true });
    }
});
