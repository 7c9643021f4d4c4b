// SPDX-License-Identifier: MIT
// settings.ts - settings of a world as a flat list, by the names of the C struct.

import type { Sudar, World, WorldDef } from '../sudar.js';
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
    for (const [path, value] of Object.entries(values)) {
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

export function applySettings(world: World, values: SettingValues): void {
    world.setDef(withValues(world.getDef(), values));
}
