// SPDX-License-Identifier: MIT
// memory.js - values of JavaScript in the engine's memory and back, by the table of api.inc.

import { SCALARS } from './api.js';

const SCRATCH_SIZE = 1 << 16;
const ALIGN = 16;
const FLAT = { float: Float32Array, double: Float64Array, int: Int32Array, int32_t: Int32Array, uint32_t: Uint32Array };

/** A mistake in what was handed over, in words. */
function refuse(place, wanted, value) {
    const shown = typeof value === 'string' ? `'${value}'` : String(value);
    throw new TypeError(`${place} must be ${wanted}, not ${shown}`);
}

export class Memory {
    /** @param objects makes and reads handles: { wrap, unwrap, wrapId, unwrapId } */
    constructor(exports, api, objects) {
        this.exports = exports;
        this.api = api;
        this.objects = objects;
        this.scratch = exports.malloc(SCRATCH_SIZE);
        this.used = 0;
        this.extra = [];
        this.decoder = new TextDecoder();
        this.encoder = new TextEncoder();
    }

    // ---- room for the arguments of one call ------------------------------------------------

    get view() {
        const { buffer } = this.exports.memory;
        if (this.lastView === undefined || this.lastView.buffer !== buffer) {
            this.lastView = new DataView(buffer);
        }
        return this.lastView;
    }

    bytes(address, size) {
        return new Uint8Array(this.exports.memory.buffer, address, size);
    }

    /** Cleared, until `release`. */
    take(size) {
        let address = this.scratch + this.used;
        if (this.used + size <= SCRATCH_SIZE) {
            this.used += (size + ALIGN - 1) & ~(ALIGN - 1);
        } else {
            address = this.exports.malloc(size);
            if (address === 0) {
                throw new RangeError(`sudar: no memory for ${size} bytes`);
            }
            this.extra.push(address);
        }
        this.bytes(address, size).fill(0);
        return address;
    }

    release() {
        this.used = 0;
        for (const address of this.extra.splice(0)) {
            this.exports.free(address);
        }
    }

    // ---- strings and arrays ----------------------------------------------------------------

    readString(address) {
        if (address === 0) {
            return null;
        }
        const all = new Uint8Array(this.exports.memory.buffer);
        return this.decoder.decode(all.slice(address, all.indexOf(0, address)));
    }

    putString(text) {
        const bytes = this.encoder.encode(text);
        const address = this.take(bytes.length + 1);
        this.bytes(address, bytes.length).set(bytes);
        return address;
    }

    sizeOf(base) {
        return this.api.structs.get(base)?.size ?? SCALARS[base]?.size ?? 4;
    }

    /** @return [address, number of items]; a flat list of numbers may stand for a list of structs */
    putArray(type, value, place) {
        const { base } = type;
        if (base === 'char') {
            return [this.putString(value), this.encoder.encode(value).length];
        }
        if (base === 'void') {
            const address = this.take(value.byteLength);
            this.bytes(address, value.byteLength).set(value);
            return [address, value.byteLength];
        }
        if (value?.length === undefined) {
            refuse(place, 'a list', value);
        }
        // triangles are counted, their indices are stored
        const Flat = base === 'sdVec3' ? Float32Array : FLAT[base];
        if (Flat !== undefined && (value.length === 0 || typeof value[0] === 'number')) {
            const address = this.take(Math.max(4, value.length * Flat.BYTES_PER_ELEMENT));
            new Flat(this.exports.memory.buffer, address, value.length).set(value);
            const per = base === 'sdVec3' || base === 'int32_t' ? 3 : 1;
            if (value.length % per !== 0) {
                refuse(`the length of ${place}`, `a multiple of ${per}`, value.length);
            }
            return [address, value.length / per];
        }
        const size = this.sizeOf(base);
        const address = this.take(Math.max(4, size * value.length));
        for (let i = 0; i < value.length; i += 1) {
            this.clear(base, address + i * size);
            this.write({ base, stars: 0 }, address + i * size, value[i], `${place}[${i}]`);
        }
        return [address, value.length];
    }

    readArray(type, address, count, world) {
        const { base } = type;
        const per = base === 'sdVec3' || (base === 'int32_t' && type.isConst) ? 3 : 1;
        const Flat = base === 'void' ? Uint8Array : base === 'sdVec3' ? Float32Array : FLAT[base];
        if (Flat !== undefined) {
            return new Flat(this.exports.memory.buffer, address, count * per).slice();
        }
        const size = this.sizeOf(base);
        return Array.from({ length: count }, (_, i) => this.read({ base, stars: 0 }, address + i * size, world));
    }

    // ---- values ----------------------------------------------------------------------------

    /** Zero, with rotations that do not turn. */
    clear(base, address) {
        const struct = this.api.structs.get(base);
        if (base === 'sdQuat') {
            this.view.setFloat32(address + struct.fields[1].offset, 1, true);
        }
        for (const field of struct?.fields ?? []) {
            if (field.kind === 'field' && field.type.stars === 0) {
                this.clear(field.type.base, address + field.offset);
            }
        }
    }

    /** A struct for one call: defaults, then what is given. */
    putStruct(base, value, place) {
        const struct = this.api.structs.get(base);
        if (typeof value !== 'object' || value === null) {
            refuse(place, `an object (${base})`, value);
        }
        if (struct.isStatic) {
            return value.pointer ?? refuse(place, `one of those that the library gives (${base})`, value);
        }
        const address = this.take(struct.size);
        const initial = this.api.functions.get(`${base}_Default`);
        if (initial !== undefined) {
            const given = initial.parameters.map((p) => this.putStruct(p.type.base, value[p.name] ?? refuse(`${place}.${p.name}`, 'given', undefined), `${place}.${p.name}`));
            this.exports[initial.name](address, ...given);
        } else {
            this.clear(base, address);
        }
        this.write({ base, stars: 0 }, address, value, place);
        return address;
    }

    toNumber(base, value, place) {
        if (this.api.enums.has(base)) {
            const { values } = this.api.enums.get(base);
            const found = values.find((entry) => entry.name === value || entry.value === value);
            return found?.value ?? refuse(place, `one of ${values.map((entry) => entry.name).join(', ')}`, value);
        }
        const { kind } = SCALARS[base];
        if (kind === 'bigint') {
            return typeof value === 'bigint' || Number.isInteger(value) ? BigInt.asUintN(64, BigInt(value)) : refuse(place, 'a whole number', value);
        }
        if (typeof value !== kind) {
            refuse(place, kind === 'boolean' ? 'true or false' : 'a number', value);
        }
        if (kind === 'number' && SCALARS[base].size === 4 && base !== 'float' && !Number.isInteger(value)) {
            refuse(place, 'a whole number', value);
        }
        return kind === 'boolean' ? Number(value) : value;
    }

    fromNumber(base, value) {
        const list = this.api.enums.get(base);
        if (list !== undefined) {
            return list.values.find((entry) => entry.value === value)?.name ?? value;
        }
        switch (base) {
            case 'bool':
                return value !== 0;
            case 'uint64_t':
                return BigInt.asUintN(64, value);
            case 'uint32_t':
            case 'size_t':
                return value >>> 0;
            default:
                return value;
        }
    }

    write(type, address, value, place) {
        const { base } = type;
        const { view } = this;
        if (type.stars > 0) {
            if (base === 'sdContext') {
                view.setUint32(address, this.exports.sdWeb_GetContext(), true);
            } else if (base !== 'char') {
                view.setUint32(address, this.objects.unwrap(base, value, place), true);
            }
        } else if (this.api.structs.has(base)) {
            this.writeStruct(this.api.structs.get(base), address, value, place);
        } else if (this.api.ids.has(base)) {
            view.setUint32(address, this.objects.unwrapId(base, value, place), true);
        } else {
            const number = this.toNumber(base, value, place);
            switch (base) {
                case 'float': view.setFloat32(address, number, true); break;
                case 'double': view.setFloat64(address, number, true); break;
                case 'uint64_t': view.setBigUint64(address, number, true); break;
                case 'bool': view.setUint8(address, number); break;
                default: view.setInt32(address, number, true);
            }
        }
    }

    writeStruct(struct, address, value, place) {
        if (typeof value !== 'object' || value === null) {
            refuse(place, `an object (${struct.name})`, value);
        }
        if (Array.isArray(value) || ArrayBuffer.isView(value)) {
            this.writeFlat(struct, address, value, place);
            return;
        }
        for (const key of Object.keys(value)) {
            if (!struct.fields.some((field) => field.name === key)) {
                throw new TypeError(`${place}: ${struct.name} has no field '${key}'; it has ${struct.fields.map((field) => field.name).join(', ')}`);
            }
        }
        for (const field of struct.fields) {
            if (value[field.name] !== undefined && value[field.name] !== null || field.type.base === 'sdContext') {
                this.writeField(field, address, value[field.name], `${place}.${field.name}`);
            }
        }
    }

    writeField(field, address, value, place) {
        const { kind, type } = field;
        if (kind === 'array') {
            const [items, count] = this.putArray(type, value, place);
            this.view.setUint32(address + field.offset, items, true);
            this.view.setInt32(address + field.size, count, true);
        } else if (kind === 'items') {
            const size = this.sizeOf(type.base);
            if (value.length > field.size) {
                refuse(place, `at most ${field.size} long`, `${value.length} long`);
            }
            value.forEach((item, i) => this.write(type, address + field.offset + i * size, item, `${place}[${i}]`));
        } else {
            this.write(type, address + field.offset, value, place);
        }
    }

    /** Numbers in the order of the fields: [x, y, z] for { x, y, z }. */
    writeFlat(struct, address, values, place) {
        const places = [];
        const visit = (s, at) => {
            for (const field of s.fields) {
                const inner = this.api.structs.get(field.type.base);
                if (field.kind !== 'field' || field.type.stars > 0) {
                    refuse(place, `an object (${struct.name})`, 'a list');
                } else if (inner !== undefined) {
                    visit(inner, at + field.offset);
                } else {
                    places.push([field.type, at + field.offset]);
                }
            }
        };
        visit(struct, address);
        if (values.length !== places.length) {
            refuse(place, `${places.length} numbers`, `${values.length} of them`);
        }
        places.forEach(([type, at], i) => this.write(type, at, values[i], `${place}[${i}]`));
    }

    read(type, address, world) {
        const { base } = type;
        const { view } = this;
        if (type.stars > 0) {
            const pointer = view.getUint32(address, true);
            return base === 'char' ? this.readString(pointer) : this.objects.wrap(base, pointer, true);
        }
        if (this.api.structs.has(base)) {
            return this.readStruct(this.api.structs.get(base), address, world);
        }
        if (this.api.ids.has(base)) {
            return this.objects.wrapId(base, view.getUint32(address, true), world);
        }
        switch (base) {
            case 'float': return view.getFloat32(address, true);
            case 'double': return view.getFloat64(address, true);
            case 'uint64_t': return view.getBigUint64(address, true);
            case 'bool': return view.getUint8(address) !== 0;
            case 'uint32_t':
            case 'size_t': return view.getUint32(address, true);
            default: return this.fromNumber(base, view.getInt32(address, true));
        }
    }

    readStruct(struct, address, world) {
        const result = {};
        for (const field of struct.fields) {
            const { kind, type, name } = field;
            const at = address + field.offset;
            if (type.base === 'sdContext') {
                continue;
            }
            if (kind === 'case') {
                const isThere = this.view.getInt32(address, true) === field.size;
                const isNull = type.stars > 0 && isThere && this.view.getUint32(at, true) === 0;
                if (isThere && !isNull) {
                    result[name] = this.read(type, at, world);
                }
            } else if (kind === 'array') {
                const count = this.view.getInt32(address + field.size, true);
                result[name] = this.readArray(type, this.view.getUint32(at, true), count, world);
            } else if (kind === 'items') {
                const count = struct.fields.find((other) => other.name === name.replace(/s$/, 'Count'));
                const length = count === undefined ? field.size : this.view.getInt32(address + count.offset, true);
                const size = this.sizeOf(type.base);
                result[name] = Array.from({ length }, (_, i) => this.read(type, at + i * size, world));
            } else {
                result[name] = this.read(type, at, world);
            }
        }
        if (struct.isStatic) {
            Object.defineProperty(result, 'pointer', { value: address });
        }
        return result;
    }
}
