// SPDX-License-Identifier: MIT
// thread.js - a thread of the engine: a Worker with a stack of its own in the memory that all share.
// sudar.js starts it and tells it what it needs.

import { systemImports } from './system.js';

const isNode = typeof process !== 'undefined' && process.versions?.node !== undefined;
const port = isNode ? (await import('node:worker_threads')).parentPort : self;

async function run({ module, memory, number, stack, data }) {
    let instance = null;
    const say = (text) => port.postMessage({ text });
    try {
        instance = await WebAssembly.instantiate(module, {
            env: { memory },
            wasi_snapshot_preview1: systemImports(module, () => memory),
            sudar: {
                row: () => undefined,
                log: (level, address) => {
                    const all = new Uint8Array(memory.buffer);
                    port.postMessage({ level, words: new TextDecoder().decode(all.slice(address, all.indexOf(0, address))) });
                },
            },
        });
        instance.exports.__stack_pointer.value = stack;
        instance.exports.__wasm_init_tls(data);
        port.postMessage({ isReady: true });
        instance.exports.sdThread_Serve(number);
    } catch (error) {
        // whoever waits for this thread is to stop waiting
        instance?.exports.sdThread_Fail();
        say(`a thread stopped: ${error.message}`);
    }
}

if (isNode) {
    port.once('message', run);
} else {
    port.onmessage = ({ data }) => run(data);
}
