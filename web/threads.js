// SPDX-License-Identifier: MIT
// threads.js - the engine's threads: whether there can be any, and their start.

const STACK_SIZE = 1 << 20;
const PAGE_SIZE = 65536;
const FAILURE_MS = 50; // in which a thread that cannot begin says so
const MAX_THREADS = 64; // SD_MAX_WORKERS

const isNode = typeof process !== 'undefined' && process.versions?.node !== undefined;

/** Whether threads may share memory and wait for each other here: in Node, and in Workers of pages
 * that are cross-origin isolated. */
export const canHaveThreads = typeof SharedArrayBuffer !== 'undefined'
    && (isNode || (globalThis.crossOriginIsolated === true && typeof WorkerGlobalScope !== 'undefined'));

/** @return how many of those asked for there can be; 0 asks for one a processor */
export async function countThreads(wanted) {
    if (!Number.isInteger(wanted) || wanted < 0 || wanted > MAX_THREADS) {
        throw new RangeError(`load: threads must be a whole number from 0 to ${MAX_THREADS}, not ${wanted}`);
    }
    if (!canHaveThreads) {
        return 1;
    }
    const processors = isNode ? (await import('node:os')).availableParallelism() : navigator.hardwareConcurrency;
    return wanted === 0 ? Math.min(processors, MAX_THREADS) : wanted;
}

/** Memory as the module's import asks for it. */
export function makeSharedMemory() {
    return new WebAssembly.Memory({ initial: (64 << 20) / PAGE_SIZE, maximum: (2 ** 31) / PAGE_SIZE, shared: true });
}

/** One Worker of Node or of a browser, with the same few events. */
async function startWorker(hear, fail) {
    if (isNode) {
        const { Worker: NodeWorker } = await import('node:worker_threads');
        // flags of the program are not for them
        const worker = new NodeWorker(new URL('thread.js', import.meta.url), { execArgv: [] });
        worker.on('message', hear);
        worker.on('error', fail);
        return worker;
    }
    const worker = new Worker(new URL('thread.js', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }) => hear(data);
    worker.onerror = ({ message }) => fail(new Error(message));
    return worker;
}

/** Workers beside the calling thread, ready to be given something to do.
 * @param onFailure told in words when the code of one traps */
export async function startThreads({ module, memory, exports, count, log, onFailure }) {
    const workers = [];
    exports.sdThread_Expect(count - 1);
    // one after the other, so that the first that fails is the one that is told
    for (let number = 0; number < count - 1; number += 1) {
        const stack = exports.malloc(STACK_SIZE) + STACK_SIZE;
        const data = exports.malloc(exports.__tls_size.value + exports.__tls_align.value);
        const align = Math.max(exports.__tls_align.value, 1);
        await new Promise((ready, fail) => {
            startWorker((message) => {
                if (message.isReady) {
                    // it waits for ever: the program need not (Node)
                    workers[number].unref?.();
                    ready();
                } else if (message.words !== undefined) {
                    log(message.level, message.words);
                } else {
                    onFailure(message.text);
                    fail(new Error(message.text));
                }
            }, fail).then((worker) => {
                workers[number] = worker;
                worker.postMessage({ module, memory, number, stack: stack & ~15, data: Math.ceil(data / align) * align });
            }, fail);
        });
    }
    return workers;
}

/** Until threads that fail at once have told so. */
export const waitForFailures = () => new Promise((done) => { setTimeout(done, FAILURE_MS); });
