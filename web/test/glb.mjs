// SPDX-License-Identifier: MIT
// glb.mjs - whether bytes are a glTF file, by its header and, where it is there, by Khronos' validator.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

import { root } from './engine.mjs';

const validator = `${root}build/node/node_modules/gltf-validator`;

/** @return what the validator tells of it, null when that is not installed */
export async function validateGlb(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    assert.equal(view.getUint32(0, true), 0x46546c67, 'glTF begins so');
    assert.equal(view.getUint32(8, true), bytes.byteLength);
    if (!existsSync(validator)) {
        return { info: null };
    }
    const { issues, info } = await createRequire(import.meta.url)(validator).validateBytes(new Uint8Array(bytes));
    assert.equal(issues.numErrors + issues.numWarnings, 0, JSON.stringify(issues.messages.slice(0, 3)));
    return { info };
}
