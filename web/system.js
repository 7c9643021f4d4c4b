// SPDX-License-Identifier: MIT
// system.js - what wasi-libc asks of a system: a clock and a place for words; there are no files here.

const ENOSYS = 52;

/** @param getMemory the engine's, when it is there */
export function systemImports(module, getMemory) {
    const known = {
        clock_time_get(id, precision, out) {
            const nanoseconds = BigInt(Math.round(performance.now() * 1e6));
            new DataView(getMemory().buffer).setBigUint64(out, nanoseconds, true);
            return 0;
        },
        fd_write(fd, parts, count, out) {
            const view = new DataView(getMemory().buffer);
            let total = 0;
            for (let i = 0; i < count; i += 1) {
                total += view.getUint32(parts + 8 * i + 4, true);
            }
            view.setUint32(out, total, true);
            return 0;
        },
        proc_exit(code) {
            throw new Error(`sudar: the engine stopped with code ${code}`);
        },
    };
    const names = WebAssembly.Module.imports(module).filter((entry) => entry.module === 'wasi_snapshot_preview1');
    return Object.fromEntries(names.map(({ name }) => [name, known[name] ?? (() => ENOSYS)]));
}
