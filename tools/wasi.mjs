// SPDX-License-Identifier: MIT
// Run a wasm32-wasi program under Node: node --no-warnings tools/wasi.mjs PROGRAM.wasm [ARGUMENT...]
//
// The program runs in a process of its own. Node 20 now and then breaks its own heap after programs
// that use much memory and dies of a signal. A WebAssembly program cannot cause that (its faults are
// traps, with an exit code), so such a run says nothing about the program and is made again.

import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { WASI } from 'node:wasi';

const MAX_RUNS = 4;

async function run([program, ...args]) {
    const wasi = new WASI({
        version: 'preview1',
        args: [program, ...args],
        env: process.env,
        preopens: { '.': process.cwd(), '/tmp': '/tmp' },
        returnOnExit: true,
    });
    const module = await WebAssembly.compile(await readFile(program));
    const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport });
    process.exit(wasi.start(instance));
}

function supervise(args) {
    const command = [...process.execArgv, fileURLToPath(import.meta.url), '--inside', ...args];
    for (let i = 1; i <= MAX_RUNS; i += 1) {
        const result = spawnSync(process.execPath, command, { stdio: 'inherit' });
        if (result.signal === null) {
            process.exit(result.status);
        }
        console.error(`wasi.mjs: Node died of ${result.signal}, run ${i} of ${MAX_RUNS}`);
    }
    process.exit(1);
}

const args = process.argv.slice(2);
if (args[0] === '--inside') {
    await run(args.slice(1));
} else {
    supervise(args);
}
