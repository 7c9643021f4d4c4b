// SPDX-License-Identifier: MIT
// build.mjs - the page, ready to be put on any server: node web/build.mjs [build/web]

import { build } from 'esbuild';
import { copyFile, mkdir, readFile, readdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = fileURLToPath(new URL('.', import.meta.url));
const out = resolve(process.argv[2] ?? `${here}../build/web`);

await mkdir(out, { recursive: true });
await build({
    entryPoints: { main: `${here}page/main.ts`, worker: `${here}page/worker.ts`, thread: `${here}thread.js`, style: `${here}page/style.css` },
    outdir: out,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    external: ['node:*'],
    legalComments: 'eof',
    logLevel: 'warning',
});
await copyFile(`${here}page/index.html`, `${out}/index.html`);
await copyFile(`${here}../build/wasm/web/sudar.wasm`, `${out}/sudar.wasm`);
await copyFile(`${here}../build/wasm-threads/web/sudar-threads.wasm`, `${out}/sudar-threads.wasm`);

let total = 0;
for (const name of await readdir(out)) {
    // a page loads one engine, with threads or without
    if ((await stat(`${out}/${name}`)).isFile() && name !== 'sudar.wasm') {
        total += gzipSync(await readFile(`${out}/${name}`)).length;
    }
}
console.log(`${out}: ${Math.round(total / 1024)} KiB when transferred`);
