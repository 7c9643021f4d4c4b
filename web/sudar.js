// SPDX-License-Identifier: MIT
// sudar.js - the engine for pages, Workers and Node.
//
//     import { load } from 'sudar';
//     const { World, Body, Shape } = await load();
//     const world = World.create({ gravity: [0, -9.81, 0] });
//     const body = Body.create(world, { type: 'dynamic', position: [0, 2, 0] });
//     body.addShape({ shape: Shape.box(0.5, 0.5, 0.5), density: 1000 });
//     world.step(1 / 60);
//     console.log(body.getTransform().p);
//     world.free();
//
// Names are those of the C headers (api.js says how they are turned into methods); sudar.d.ts lists
// them. What C refuses is thrown as a SudarError with the library's own words.

import { Api } from './api.js';
import { Memory } from './memory.js';
import { systemImports } from './system.js';
import { countThreads, makeSharedMemory, startThreads, waitForFailures } from './threads.js';

const LOG_ERROR = 2;
const LIST_CAPACITY = 64;

export class SudarError extends Error {
    /** @param result 'invalid-argument', 'out-of-memory', ... */
    constructor(message, result) {
        super(message);
        this.name = 'SudarError';
        this.result = result;
    }
}

// ---- loading -------------------------------------------------------------------------------

async function compile(source, name) {
    if (source instanceof WebAssembly.Module) {
        return source;
    }
    if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
        return WebAssembly.compile(source);
    }
    const url = new URL(source ?? name, import.meta.url);
    if (url.protocol === 'file:') {
        const { readFile } = await import('node:fs/promises');
        return WebAssembly.compile(await readFile(url));
    }
    const response = await fetch(url);
    // while it arrives, where the server says what it is
    return response.headers.get('content-type') === 'application/wasm' ? WebAssembly.compileStreaming(response)
        : WebAssembly.compile(await response.arrayBuffer());
}

function defaultLog(level, text) {
    if (level === 'warning') {
        console.warn(`sudar: ${text}`);
    }
}

/**
 * @param source bytes, a WebAssembly.Module or an address; sudar.wasm beside this file unless given, or
 *     sudar-threads.wasm for more than one thread
 * @param options.log receives level and text of what the library says; warnings go to the console
 * @param options.threads that steps are made by, 0 for one a processor; where threads cannot be (pages
 *     that are not cross-origin isolated, the main thread of a page) there is one
 */
export async function load(source, { log = defaultLog, threads = 1 } = {}) {
    const count = await countThreads(threads);
    const module = await compile(source, count > 1 ? 'sudar-threads.wasm' : 'sudar.wasm');
    const isShared = WebAssembly.Module.imports(module).some(({ kind }) => kind === 'memory');
    const api = new Api();
    // Workers that nobody refers to are ended by Node's collector, whatever they do
    const state = { failure: null, workers: [] };
    let memory = isShared ? makeSharedMemory() : null;
    let exports = isShared ? { memory } : null;
    const errors = [];
    const text = (address) => {
        if (address === 0) {
            return null;
        }
        const all = new Uint8Array(exports.memory.buffer);
        return new TextDecoder().decode(all.slice(address, all.indexOf(0, address)));
    };
    const say = (level, words) => {
        if (level === LOG_ERROR) {
            errors.push(words);
        }
        log(['info', 'warning', 'error'][level], words);
    };
    const instance = await WebAssembly.instantiate(module, {
        env: { memory },
        wasi_snapshot_preview1: systemImports(module, () => exports.memory),
        sudar: {
            row: (kind, type, name, more, value, size) => api.addRow(kind, text(type), text(name), text(more), value, size),
            log: (level, address) => say(level, text(address)),
        },
    });
    exports = isShared ? { ...instance.exports, memory } : instance.exports;
    exports._initialize?.();
    exports.sdWeb_Describe();
    api.finish();
    const threadCount = isShared ? count : 1;
    if (threadCount > 1) {
        const onFailure = (words) => { state.failure ??= words; };
        state.workers = await startThreads({ module, memory, exports, count, log: say, onFailure });
        exports.sdWeb_StartThreads(count);
        await waitForFailures();
        if (state.failure !== null) {
            throw new SudarError(`the threads could not be started: ${state.failure}; load the engine again, or with one`, 'stopped');
        }
    }

    const objects = makeObjects(api, exports, state);
    memory = new Memory(exports, api, objects);
    const library = { api, SudarError, exports, threadCount };
    for (const [name, Class] of objects.byName) {
        library[name] = Class;
    }
    const call = makeCaller({ api, exports, memory, objects, errors, state });
    for (const entry of api.functions.values()) {
        install(library, entry, call);
    }
    return library;
}

// ---- handles -------------------------------------------------------------------------------

function makeObjects(api, exports, state) {
    const release = (name, pointer) => {
        // of an engine that stopped in the middle of something nothing is touched any more
        if (state.failure === null) {
            exports[name](pointer);
        }
    };
    const registry = new FinalizationRegistry((held) => release(held.release, held.pointer));
    const byName = new Map();
    const byType = new Map();

    for (const [type, { name, release: releaseName, retain }] of api.classes) {
        const Class = {
            [name]: class {
                #pointer;
                constructor(pointer) {
                    this.#pointer = pointer;
                    registry.register(this, { release: releaseName, pointer }, this);
                }
                get pointer() {
                    if (this.#pointer === 0) {
                        throw new SudarError(`${name}: used after free()`, 'error-stale-id');
                    }
                    return this.#pointer;
                }
                get isFree() {
                    return this.#pointer === 0;
                }
                /** At once, rather than when the collector comes by. Again is allowed. */
                free() {
                    if (this.#pointer !== 0) {
                        registry.unregister(this);
                        release(releaseName, this.#pointer);
                        this.#pointer = 0;
                    }
                }
            },
        }[name];
        if (Symbol.dispose !== undefined) {
            Class.prototype[Symbol.dispose] = Class.prototype.free;
        }
        byName.set(name, Class);
        byType.set(type, { Class, retain });
    }
    for (const [type, { name }] of api.ids) {
        const Class = {
            [name]: class {
                constructor(world, id) {
                    this.world = world;
                    this.id = id;
                }
                /** Whether both mean the same: handles are made anew each time. */
                equals(other) {
                    return other instanceof Class && other.id === this.id && other.world === this.world;
                }
            },
        }[name];
        byName.set(name, Class);
        byType.set(type, { Class });
    }

    const refuse = (place, name, value) => {
        throw new TypeError(`${place} must be a ${name}, not ${value === null ? 'null' : typeof value}`);
    };
    return {
        byName,
        wrap(type, pointer, isBorrowed) {
            if (pointer === 0) {
                return null;
            }
            const { Class, retain } = byType.get(type);
            if (isBorrowed) {
                exports[retain](pointer);
            }
            return new Class(pointer);
        },
        unwrap(type, value, place) {
            const { Class } = byType.get(type);
            return value instanceof Class ? value.pointer : refuse(place, Class.name, value);
        },
        wrapId(type, id, world) {
            const { Class } = byType.get(type);
            return id === 0 ? null : new Class(world, id);
        },
        unwrapId(type, value, place) {
            const { Class } = byType.get(type);
            return value instanceof Class ? value.id : refuse(place, Class.name, value);
        },
    };
}

// ---- calls ---------------------------------------------------------------------------------

/** What a function gives back through a parameter: where it is written and how it is read. */
function makeCaller({ api, exports, memory, objects, errors, state }) {
    function toArgument(p, value, place) {
        const { base } = p.type;
        switch (p.role) {
            case 'handle': return objects.unwrap(base, value, place);
            case 'id': return objects.unwrapId(base, value, place);
            case 'string': return memory.putString(String(value));
            case 'struct':
            case 'pointer':
            case 'inout': return memory.putStruct(base, value ?? (api.isOptional(base) ? {} : value), place);
            default: return memory.toNumber(base, value, place);
        }
    }

    function readReturned(entry, value, world, total) {
        const { base, stars } = entry.returns;
        if (stars > 0 && base === 'char') {
            return memory.readString(value);
        }
        if (total !== 0) {
            const count = value === 0 ? 0 : memory.view.getInt32(total, true);
            return memory.readArray(entry.returns, value, count, world);
        }
        if (stars > 0) {
            return api.classes.has(base) ? objects.wrap(base, value, true) : value === 0 ? null : memory.read({ base, stars: 0 }, value, world);
        }
        return api.ids.has(base) ? objects.wrapId(base, value >>> 0, world) : memory.fromNumber(base, value);
    }

    function check(result, entry) {
        if (result !== 0) {
            const { name } = api.enums.get('sdResult').values.find(({ value }) => value === result);
            const words = errors.at(-1) ?? `${entry.name}: ${memory.readString(exports.sdResult_Text(result))}`;
            throw new SudarError(words, name.replace('error-', ''));
        }
    }

    /** One call into the engine; lists that turn out longer than their room are asked for again. */
    function attempt(entry, self, given, capacity) {
        const { returns, output } = entry;
        const args = [];
        const returnsStruct = returns.stars === 0 && api.structs.has(returns.base);
        let world = self?.world ?? (self?.step !== undefined ? self : null);
        let result = 0;
        let out = 0;
        let total = 0;
        let arrayLength = 0;
        let next = 0;
        if (returnsStruct) {
            result = memory.take(api.structs.get(returns.base).size);
            args.push(result);
        }
        for (const p of entry.parameters) {
            const place = `${entry.owner ?? 'sudar'}.${entry.method}: ${p.name}`;
            switch (p.role) {
                case 'context': args.push(exports.sdWeb_GetContext()); break;
                case 'none': args.push(0); break;
                case 'world': args.push(self.world.pointer); break;
                case 'self': args.push(p.type.stars > 0 ? self.pointer : self.id); break;
                case 'array': {
                    const [address, count] = memory.putArray(p.type, given[next++], place);
                    arrayLength = count;
                    args.push(address, count);
                    break;
                }
                case 'length': break;
                case 'capacity': args.push(capacity); break;
                case 'total': total = memory.take(4); args.push(total); break;
                case 'list': out = memory.take(capacity * memory.sizeOf(p.type.base)); args.push(out); break;
                case 'mirror': out = memory.take(arrayLength * memory.sizeOf(p.type.base)); args.push(out); break;
                case 'new':
                case 'out': out = memory.take(memory.sizeOf(p.type.base)); args.push(out); break;
                default: {
                    const value = given[next++];
                    world ??= value?.world ?? (p.type.base === 'sdWorld' ? value : null);
                    args.push(toArgument(p, value, place));
                    out = p.role === 'inout' ? args.at(-1) : out;
                }
            }
        }
        const value = exports[entry.name](...args);
        if (returns.base === 'sdResult') {
            check(value, entry);
        }
        if (returnsStruct) {
            return memory.read({ base: returns.base, stars: 0 }, result, world);
        }
        if (output === null) {
            return returns.base === 'sdResult' || returns.base === 'void' && returns.stars === 0 ? undefined : readReturned(entry, value, world, total);
        }
        switch (output.role) {
            case 'new': return objects.wrap(output.type.base, memory.view.getUint32(out, true), false);
            case 'mirror': return memory.readArray(output.type, out, arrayLength, world);
            case 'list': {
                const count = total === 0 ? value : memory.view.getInt32(total, true);
                if (count > capacity) {
                    memory.release();
                    return attempt(entry, self, given, count);
                }
                return memory.readArray({ ...output.type, isConst: false }, out, count, world);
            }
            default: return memory.read({ base: output.type.base, stars: 0 }, out, world);
        }
    }

    return function call(entry, self, given) {
        errors.length = 0;
        if (state.failure !== null) {
            throw new SudarError(`the engine stopped and must be loaded again: ${state.failure}`, 'stopped');
        }
        try {
            return attempt(entry, self, given, LIST_CAPACITY);
        } catch (error) {
            if (error instanceof WebAssembly.RuntimeError) {
                // what it was doing is half done
                state.failure = `${entry.name}: ${error.message}`;
                throw new SudarError(`the engine stopped and must be loaded again: ${state.failure}`, 'stopped');
            }
            throw error;
        } finally {
            memory.release();
        }
    };
}

function install(library, entry, call) {
    const { owner, method, isMethod } = entry;
    if (owner === null) {
        library[method] = (...given) => call(entry, null, given);
        return;
    }
    library[owner] ??= {};
    if (isMethod) {
        library[owner].prototype[method] = function (...given) {
            return call(entry, this, given);
        };
    } else {
        library[owner][method] = (...given) => call(entry, null, given);
    }
}
