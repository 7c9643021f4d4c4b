// SPDX-License-Identifier: MIT
// pack.mjs - the engine as an npm package: node web/pack.mjs [build/npm] makes sudar-VERSION.tgz there

import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const SOURCES = ['sudar.js', 'sudar.d.ts', 'api.js', 'memory.js', 'system.js', 'threads.js', 'thread.js', 'README.md'].map((name) => here + name);
const ENGINES = ['wasm/web/sudar.wasm', 'wasm-threads/web/sudar-threads.wasm'].map((name) => `${here}../build/${name}`);

/** @return the path of the package */
export async function pack(out) {
    const folder = `${out}/package`;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const { devDependencies, ...manifest } = JSON.parse(await readFile(`${here}package.json`, 'utf8'));
    const files = [...SOURCES, ...ENGINES, `${here}../LICENSE`];
    for (const file of files) {
        await copyFile(file, `${folder}/${file.split('/').pop()}`);
    }
    await writeFile(`${folder}/package.json`, `${JSON.stringify(manifest, null, 4)}\n`);
    const name = execFileSync('npm', ['pack', folder, '--pack-destination', out, '--silent'], { encoding: 'utf8' }).trim();
    return `${out}/${name}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
    console.log(await pack(resolve(process.argv[2] ?? `${here}../build/npm`)));
}
