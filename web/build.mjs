// SPDX-License-Identifier: MIT
// build.mjs - the page, ready to be put on any server: node web/build.mjs [build/web]

import { build } from 'esbuild';
import { copyFile, mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = fileURLToPath(new URL('.', import.meta.url));
const out = resolve(process.argv[2] ?? `${here}../build/web`);

await mkdir(out, { recursive: true });
// names of parts change with their content: none of an older build stays
for (const name of await readdir(out)) {
    if (name.startsWith('part-')) {
        await rm(`${out}/${name}`);
    }
}
const { metafile } = await build({
    metafile: true,
    entryPoints: { start: `${here}page/start.ts`, main: `${here}page/main.ts`, worker: `${here}page/worker.ts`, thread: `${here}thread.js`, style: `${here}page/style.css` },
    outdir: out,
    bundle: true,
    splitting: true,
    chunkNames: 'part-[hash]',
    minify: true,
    format: 'esm',
    target: 'es2022',
    external: ['node:*'],
    legalComments: 'eof',
    logLevel: 'warning',
});
// what start.js will ask for is fetched beside it, not after it
const importsOf = (name) => metafile.outputs[relative(process.cwd(), `${out}/${name}`)].imports;
const parts = [...importsOf('main.js').filter(({ kind }) => kind === 'import-statement'), { path: 'main.js' }];
const links = parts.map(({ path }) => `    <link rel="modulepreload" href="${basename(path)}">\n`).join('');
await writeFile(`${out}/index.html`, (await readFile(`${here}page/index.html`, 'utf8')).replace('</head>', `${links}</head>`));
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
