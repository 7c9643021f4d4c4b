// SPDX-License-Identifier: MIT
// declare.mjs - sudar.d.ts from the table of api.inc: node web/declare.mjs >web/sudar.d.ts

import { pathToFileURL } from 'node:url';

import { SCALARS } from './api.js';

const plain = (type) => type.replace(/^sd/, '');

/** Names of types; `isInput` allows lists of numbers and leaves out what has a default. */
function typeName(api, type, isInput) {
    const { base } = type;
    if (base === 'char') {
        return 'string';
    }
    if (base === 'void') {
        return 'Uint8Array';
    }
    const known = api.classes.get(base) ?? api.ids.get(base);
    if (known !== undefined) {
        return known.name;
    }
    if (api.structs.has(base)) {
        return api.structs.get(base).isStatic || !isInput ? plain(base) : `${plain(base)}Input`;
    }
    return api.enums.has(base) ? plain(base) : SCALARS[base].kind;
}

const FLAT = { float: 'Float32Array', sdVec3: 'Float32Array', int32_t: 'Int32Array', int: 'Int32Array', uint32_t: 'Uint32Array', void: 'Uint8Array' };

function listName(api, type, isInput) {
    if (type.base === 'char') {
        return 'string';
    }
    const flat = FLAT[type.base];
    if (isInput) {
        const numbers = flat === undefined ? '' : type.base === 'void' ? 'Uint8Array' : 'ArrayLike<number>';
        const items = type.base === 'void' || SCALARS[type.base] !== undefined ? '' : `readonly ${typeName(api, type, true)}[]`;
        return [numbers, items].filter((part) => part !== '').join(' | ');
    }
    return flat ?? `${typeName(api, type, false)}[]`;
}

function fieldType(api, field, isInput) {
    if (field.kind === 'array') {
        return listName(api, field.type, isInput);
    }
    const one = typeName(api, field.type, isInput);
    if (field.kind === 'items') {
        return `${isInput ? 'readonly ' : ''}${one}[]`;
    }
    return !isInput && api.ids.has(field.type.base) ? `${one} | null` : one;
}

/** Only numbers, so that a list of them may stand for it. */
function isFlat(api, struct) {
    return struct.fields.every(({ kind, type }) => kind === 'field' && type.stars === 0
        && (SCALARS[type.base]?.kind === 'number' || (api.structs.has(type.base) && isFlat(api, api.structs.get(type.base)))));
}

function declareStruct(api, struct) {
    const fields = struct.fields.filter(({ type }) => type.base !== 'sdContext');
    const line = (field, isInput) => {
        const mark = isInput || field.kind === 'case' ? '?' : '';
        return `    ${struct.isStatic ? 'readonly ' : ''}${field.name}${mark}: ${fieldType(api, field, isInput)};`;
    };
    const name = plain(struct.name);
    const parts = [`export interface ${name} {`, ...fields.map((field) => line(field, false)), '}'];
    if (!struct.isStatic) {
        const input = isFlat(api, struct) ? `${name}Fields` : `${name}Input`;
        parts.push(`export interface ${input} {`, ...fields.map((field) => line(field, true)), '}');
        if (input !== `${name}Input`) {
            parts.push(`export type ${name}Input = ${input} | ArrayLike<number>;`);
        }
    }
    return parts.join('\n');
}

function declareEnum(list) {
    return `export type ${plain(list.name)} = ${list.values.map(({ name }) => `'${name}'`).join(' | ')};`;
}

// ---- functions -----------------------------------------------------------------------------

function returnType(api, entry) {
    const { returns, output } = entry;
    if (output !== null) {
        const { role, type } = output;
        if (role === 'list' || role === 'mirror') {
            return listName(api, type, false);
        }
        return typeName(api, type, false);
    }
    if (returns.base === 'sdResult' || (returns.base === 'void' && returns.stars === 0)) {
        return 'void';
    }
    if (entry.parameters.some((p) => p.role === 'total')) {
        return listName(api, returns, false);
    }
    const one = typeName(api, returns, false);
    return returns.stars > 0 || api.ids.has(returns.base) ? `${one} | null` : one;
}

function signature(api, entry) {
    const given = entry.parameters.filter(({ role }) => ['handle', 'id', 'string', 'struct', 'pointer', 'inout', 'scalar', 'array'].includes(role));
    const list = given.map((p, i) => {
        const hasDefault = ({ role, type }) => role === 'pointer' && api.isOptional(type.base);
        const isOptional = given.slice(i).every(hasDefault);
        const type = p.role === 'array' ? listName(api, p.type, true) : typeName(api, p.type, true);
        const isNullable = hasDefault(p) && !isOptional;
        return `${p.name}${isOptional ? '?' : ''}: ${type}${isNullable ? ' | null' : ''}`;
    });
    return `${entry.method}(${list.join(', ')}): ${returnType(api, entry)};`;
}

function declareClass(api, name, isId) {
    const own = [...api.functions.values()].filter(({ owner }) => owner === name);
    const lines = own.filter(({ isMethod }) => isMethod).map((entry) => `    /** ${entry.name} */\n    ${signature(api, entry)}`);
    const head = isId
        ? ['    readonly world: World;', '    readonly id: number;', '    /** Whether both mean the same: handles are made anew each time. */', `    equals(other: ${name}): boolean;`]
        : ['    readonly pointer: number;', '    readonly isFree: boolean;', '    /** At once, rather than when the collector comes by. Again is allowed. */', '    free(): void;'];
    return [`export interface ${name} {`, ...head, ...lines, '}'].join('\n');
}

function declareLibrary(api) {
    const groups = new Map();
    for (const entry of api.functions.values()) {
        if (!entry.isMethod) {
            groups.set(entry.owner, [...(groups.get(entry.owner) ?? []), entry]);
        }
    }
    const lines = ['export interface Sudar {', '    /** That steps are made by. */', '    readonly threadCount: number;'];
    for (const [owner, entries] of groups) {
        const inner = entries.map((entry) => `/** ${entry.name} */\n${signature(api, entry)}`).join('\n').split('\n');
        lines.push(...(owner === null ? inner.map((text) => `    ${text}`)
            : [`    readonly ${owner}: {`, ...inner.map((text) => `        ${text}`), '    };']));
    }
    return [...lines, '}'].join('\n');
}

export function declare(api) {
    const classes = [...api.classes.values()].map(({ name }) => declareClass(api, name, false));
    const ids = [...api.ids.values()].map(({ name }) => declareClass(api, name, true));
    return [
        '// SPDX-License-Identifier: MIT',
        '// Written by declare.mjs from the same table as the engine itself: change api.inc, not this file.',
        '// What the functions do is told by the C headers of the same names.',
        '',
        "export class SudarError extends Error {\n    readonly result: string;\n}",
        '',
        'export interface LoadOptions {\n    log?: (level: LogLevel, text: string) => void;\n    /** 1 unless given; 0: one a processor. Where threads cannot be there is one. */\n    threads?: number;\n}',
        '',
        '/** sudar.wasm is looked for beside sudar.js unless it is given. */',
        'export function load(source?: BufferSource | WebAssembly.Module | string | URL, options?: LoadOptions): Promise<Sudar>;',
        '',
        ...[...api.enums.values()].map(declareEnum), '',
        ...[...api.structs.values()].map((struct) => declareStruct(api, struct)), '',
        ...classes, ...ids, declareLibrary(api), '',
    ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
    const { loadEngine } = await import('./test/engine.mjs');
    process.stdout.write(declare((await loadEngine()).api));
}
