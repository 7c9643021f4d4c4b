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

/** The smallest file of a mesh that there is. */
export function makeGlb(corners, faces) {
    const data = Buffer.concat([Buffer.from(Float32Array.from(corners.flat()).buffer), Buffer.from(Uint32Array.from(faces.flat()).buffer)]);
    const split = corners.length * 12;
    const json = JSON.stringify({
        asset: { version: '2.0' },
        scene: 0,
        scenes: [{ nodes: [0] }],
        nodes: [{ mesh: 0 }],
        meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
        buffers: [{ byteLength: data.length }],
        bufferViews: [{ buffer: 0, byteOffset: 0, byteLength: split }, { buffer: 0, byteOffset: split, byteLength: data.length - split }],
        accessors: [
            { bufferView: 0, componentType: 5126, count: corners.length, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 1] },
            { bufferView: 1, componentType: 5125, count: 3 * faces.length, type: 'SCALAR' },
        ],
    });
    const head = Buffer.from(json.padEnd(Math.ceil(json.length / 4) * 4));
    const chunk = (bytes, type) => Buffer.concat([Buffer.from(Uint32Array.of(bytes.length, type).buffer), bytes]);
    const chunks = Buffer.concat([chunk(head, 0x4e4f534a), chunk(data, 0x004e4942)]);
    return Buffer.concat([Buffer.from(Uint32Array.of(0x46546c67, 2, 12 + chunks.length).buffer), chunks]);
}
