// SPDX-License-Identifier: MIT
// api.js - the table of api.inc as objects, and how each C function becomes a method.
//
// One rule for all: sdWorld_Step(world, dt) is world.step(dt). Functions whose first argument is
// their own object are methods of it, others are functions of the class (World.create), and those
// without a class belong to the library itself (sdDistance is distance). What C returns through
// pointers is returned; hooks for memory and log are not seen.

/** In the order of sdWebRow in exports.h. */
const KINDS = ['class', 'id', 'enum', 'value', 'struct', 'static', 'field', 'items', 'array', 'case', 'function'];

/** Sizes and kinds of C's own types. */
export const SCALARS = {
    float: { size: 4, kind: 'number' },
    double: { size: 8, kind: 'number' },
    int: { size: 4, kind: 'number' },
    int32_t: { size: 4, kind: 'number' },
    uint32_t: { size: 4, kind: 'number' },
    size_t: { size: 4, kind: 'number' },
    uint64_t: { size: 8, kind: 'bigint' },
    bool: { size: 1, kind: 'boolean' },
};

const lowerFirst = (text) => text[0].toLowerCase() + text.slice(1);

/** "const sdMesh*" as { base, stars, isConst }. */
export function parseType(text) {
    const match = /^(const )?(\w+) ?(\*{0,2})$/.exec(text.trim());
    return { base: match[2], stars: match[3].length, isConst: match[1] !== undefined };
}

/** SD_BODY_STATIC, SD_BODY_DYNAMIC: static, dynamic. */
function nameValues(values) {
    const words = values.map((value) => value.constant.split('_'));
    let common = 0;
    while (words.every((list) => list.length > common + 1 && list[common] === words[0][common])) {
        common += 1;
    }
    values.forEach((value, i) => {
        value.name = words[i].slice(common).join('-').toLowerCase();
    });
}

export class Api {
    constructor() {
        this.classes = new Map(); // by C type
        this.ids = new Map();
        this.enums = new Map();
        this.structs = new Map();
        this.functions = new Map();
    }

    addRow(kindNumber, type, name, more, value, size) {
        const kind = KINDS[kindNumber];
        switch (kind) {
            case 'class':
                this.classes.set(type, { name: type.slice(2), release: name, retain: more });
                break;
            case 'id':
                this.ids.set(type, { name });
                break;
            case 'enum':
                this.lastEnum = { name: type, values: [] };
                this.enums.set(type, this.lastEnum);
                break;
            case 'value':
                this.lastEnum.values.push({ constant: name, value });
                break;
            case 'struct':
            case 'static':
                this.lastStruct = { name: type, size, align: value, isStatic: kind === 'static', fields: [] };
                this.structs.set(type, this.lastStruct);
                break;
            case 'function':
                this.functions.set(name, { name, returns: parseType(type), text: more });
                break;
            default:
                this.lastStruct.fields.push({ kind, name, type: parseType(type), offset: value, size, more });
        }
    }

    finish() {
        for (const list of this.enums.values()) {
            nameValues(list.values);
        }
        for (const entry of this.functions.values()) {
            Object.assign(entry, this.plan(entry));
        }
    }

    isClass(type) {
        return this.classes.has(type.base);
    }

    /** Whether a struct may be left out: settings that have a default. */
    isOptional(base) {
        const initial = this.functions.get(`${base}_Default`);
        return initial === undefined ? base.endsWith('Options') : initial.text === '(void)';
    }

    parseParameters(text) {
        const inside = text.slice(1, -1);
        return inside === 'void' ? [] : inside.split(', ').map((part) => {
            const space = part.lastIndexOf(' ');
            return { name: part.slice(space + 1), type: parseType(part.slice(0, space)) };
        });
    }

    /** Who a function belongs to, and what each of its parameters is for. */
    plan({ name, returns, text }) {
        const [, owner = null, verb] = /^sd(?:([A-Za-z0-9]+)_)?(\w+)$/.exec(name);
        const parameters = this.parseParameters(text);
        const seen = parameters.filter(({ type }) => type.base !== 'sdContext');
        const isOwn = (p) => p !== undefined && p.type.base === `sd${owner}` && p.type.stars === 1;
        const isOwnId = (p) => p !== undefined && this.ids.get(p.type.base)?.name === owner && p.type.stars === 0;
        let isMethod = false;
        if (owner !== null && this.classes.has(`sd${owner}`) && isOwn(seen[0])) {
            seen[0].role = 'self';
            isMethod = true;
        } else if (seen[0]?.type.base === 'sdWorld' && isOwnId(seen[1])) {
            seen[0].role = 'world';
            seen[1].role = 'self';
            isMethod = true;
        }
        parameters.forEach((p, i) => {
            p.role ??= this.roleOf(p, parameters, i, returns);
        });
        const outputs = parameters.filter((p) => ['new', 'list', 'mirror', 'out', 'inout'].includes(p.role));
        // of several results the one that is named `out` is given
        for (const p of outputs.slice(1)) {
            p.role = 'none';
        }
        return { owner, method: lowerFirst(verb), isMethod, parameters, output: outputs[0] ?? null };
    }

    roleOf({ name, type }, parameters, i, returns) {
        const next = parameters[i + 1];
        const counts = next !== undefined && next.type.stars === 0 && /^(count|size|length|\w+Count)$/.test(next.name);
        if (type.base === 'sdContext') {
            return 'context';
        }
        // what a pair is remembered by, meshes in other files, reasons that the log has as well, ids that
        // sdWorld_GetBodies tells
        if (['sdPairCache', 'sdMeshReader', 'sdFault'].includes(type.base) || name === 'bodies') {
            return 'none';
        }
        if (type.stars === 0) {
            return this.structs.has(type.base) ? 'struct' : this.ids.has(type.base) ? 'id' : 'scalar';
        }
        if (type.stars === 2) {
            return 'new';
        }
        if (this.isClass(type)) {
            return 'handle';
        }
        if (type.isConst) {
            if (counts) {
                next.role = 'length';
                return 'array';
            }
            return type.base === 'char' ? 'string' : 'pointer';
        }
        if (next?.name === 'capacity') {
            next.role = 'capacity';
            return 'list';
        }
        if (/^(count|size)$/.test(name) && (returns.stars === 1 || parameters.some((p) => p.role === 'list'))) {
            return 'total';
        }
        if (name === 'def') {
            return 'inout';
        }
        return parameters.some((p) => p.role === 'array') ? 'mirror' : 'out';
    }
}
