// SPDX-License-Identifier: MIT
// settings.ts - settings of a world as a flat list, by the names of the C struct.

import type { Body, Material, Sudar, WorldDef } from '../sudar.js';
import type { Setting, SettingValues } from './protocol.js';

interface Field {
    kind: string;
    name: string;
    type: { base: string };
}

interface Table {
    structs: Map<string, { fields: Field[] }>;
    enums: Map<string, { values: { name: string }[] }>;
}

/** Settings of all bodies at once: which fields of their materials. */
const OF_BODIES: Record<string, (keyof Material)[]> = {
    'bodies.friction': ['staticFriction', 'slidingFriction'],
    'bodies.restitution': ['restitution'],
};

const tableOf = (sudar: Sudar): Table => (sudar as unknown as { api: Table }).api;

function kindOf(table: Table, base: string): Setting['kind'] {
    if (table.enums.has(base)) {
        return 'word';
    }
    return base === 'bool' ? 'boolean' : base === 'float' || base === 'double' ? 'number' : 'whole';
}

/** Every number, switch and word, by its path: "gravity.y", "broadphase.kind". */
export function listSettings(sudar: Sudar, def: WorldDef): Setting[] {
    const table = tableOf(sudar);
    const list: Setting[] = [];
    const visit = (base: string, value: Record<string, unknown>, prefix: string): void => {
        for (const field of table.structs.get(base)?.fields ?? []) {
            const inner = value[field.name];
            const path = prefix + field.name;
            if (table.structs.has(field.type.base)) {
                visit(field.type.base, inner as Record<string, unknown>, `${path}.`);
            } else {
                const words = table.enums.get(field.type.base)?.values.map(({ name }) => name) ?? [];
                list.push({ path, kind: kindOf(table, field.type.base), words, value: inner as number });
            }
        }
    };
    visit('sdWorldDef', def as unknown as Record<string, unknown>, '');
    return list;
}

/** Values into a copy of the settings. What is not there is refused by the engine, in words. */
export function withValues(def: WorldDef, values: SettingValues): WorldDef {
    const copy = structuredClone(def) as unknown as Record<string, unknown>;
    for (const [path, value] of Object.entries(values).filter(([name]) => !(name in OF_BODIES))) {
        const names = path.split('.');
        const last = names.pop() as string;
        let place = copy;
        for (const name of names) {
            if (typeof place[name] !== 'object') {
                throw new Error(`there is no setting '${path}'`);
            }
            place = place[name] as Record<string, unknown>;
        }
        place[last] = value;
    }
    return copy as unknown as WorldDef;
}

/** As the first body that moves has them. */
export function listBodySettings(bodies: Body[]): Setting[] {
    const shape = bodies.filter((body) => body.getType() === 'dynamic').flatMap((body) => body.getShapes().slice(0, 1))[0];
    const material = shape?.getDef()?.material;
    return material === undefined ? []
        : Object.entries(OF_BODIES).map(([path, [field]]) => ({ path, kind: 'number', words: [], value: material[field as keyof Material] as number }));
}

export function applyBodySettings(bodies: Body[], values: SettingValues): void {
    const fields = Object.entries(values).flatMap(([path, value]) => (OF_BODIES[path] ?? []).map((field) => [field, value]));
    for (const body of fields.length > 0 ? bodies : []) {
        for (const shape of body.getShapes()) {
            shape.setMaterial({ ...shape.getDef()?.material, ...Object.fromEntries(fields) });
        }
        body.setAwake(true);
    }
}
