// SPDX-License-Identifier: MIT
// meshes.ts - triangles out of files that people have: OBJ, STL, GLB, PLY.

import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { OBJLoader } from 'three/addons/loaders/OBJLoader.js';
import { PLYLoader } from 'three/addons/loaders/PLYLoader.js';
import { STLLoader } from 'three/addons/loaders/STLLoader.js';

const MAX_BYTES = 64 << 20;
const MAX_TRIANGLES = 500000;
const HEAD_BYTES = 4096;

export interface MeshData {
    vertices: Float32Array;
    triangles: Int32Array;
}

/** Whether bytes begin, or are as long, as those of such a file: large ones that are something else are not looked through. */
function looksLike(kind: string | undefined, bytes: ArrayBuffer): boolean {
    const head = new Uint8Array(bytes, 0, Math.min(bytes.byteLength, HEAD_BYTES));
    const words = new TextDecoder('latin1').decode(head);
    switch (kind) {
        case 'glb':
            return words.startsWith('glTF');
        case 'ply':
            return words.startsWith('ply');
        case 'stl': {
            const count = bytes.byteLength >= 84 ? new DataView(bytes).getUint32(80, true) : -1;
            return bytes.byteLength === 84 + 50 * count || /^\s*solid/.test(words);
        }
        default:
            return !head.includes(0);
    }
}

async function parse(name: string, bytes: ArrayBuffer): Promise<THREE.Object3D> {
    const asMesh = (geometry: THREE.BufferGeometry): THREE.Object3D => new THREE.Mesh(geometry);
    const kind = name.split('.').pop()?.toLowerCase();
    if (!looksLike(kind, bytes)) {
        throw new Error(`it does not begin as a .${kind} file does`);
    }
    switch (kind) {
        case 'obj':
            return new OBJLoader().parse(new TextDecoder().decode(bytes));
        case 'stl':
            return asMesh(new STLLoader().parse(bytes));
        case 'ply':
            return asMesh(new PLYLoader().parse(bytes));
        case 'glb':
            return (await new GLTFLoader().parseAsync(bytes, '')).scene;
        default:
            throw new Error('files of meshes are .obj, .stl, .glb and .ply');
    }
}

/** All meshes of a file as one; the engine joins what is at the same place. */
function gather(root: THREE.Object3D): { positions: number[]; indices: number[] } {
    const positions: number[] = [];
    const indices: number[] = [];
    const point = new THREE.Vector3();
    root.updateMatrixWorld(true);
    root.traverse((object) => {
        const geometry = object instanceof THREE.Mesh ? (object.geometry as THREE.BufferGeometry) : null;
        const place = geometry?.getAttribute('position');
        if (geometry === null || place === undefined) {
            return;
        }
        const first = positions.length / 3;
        for (let i = 0; i < place.count; i += 1) {
            positions.push(...point.fromBufferAttribute(place, i).applyMatrix4(object.matrixWorld).toArray());
        }
        const count = geometry.index?.count ?? place.count;
        if (indices.length / 3 + count / 3 > MAX_TRIANGLES) {
            throw new Error(`it has more than ${MAX_TRIANGLES} triangles`);
        }
        for (let i = 0; i < count; i += 1) {
            indices.push(first + (geometry.index?.getX(i) ?? i));
        }
    });
    return { positions, indices };
}

/** A file of words.
 * @throws when it is too large */
export async function readText(file: File): Promise<string> {
    if (file.size > MAX_BYTES) {
        throw new Error(`${file.name}: ${Math.round(file.size / 1e6)} MB are more than ${MAX_BYTES >> 20} MiB`);
    }
    return file.text();
}

/** A mesh of the given size about the origin.
 * @throws with words when the file is none */
export async function readMesh(file: File, size: number): Promise<MeshData> {
    if (file.size > MAX_BYTES) {
        throw new Error(`${file.name}: ${Math.round(file.size / 1e6)} MB are more than ${MAX_BYTES >> 20} MiB`);
    }
    try {
        const { positions, indices } = gather(await parse(file.name, await file.arrayBuffer()));
        if (indices.length < 3) {
            throw new Error('it has no triangles');
        }
        const box = new THREE.Box3().setFromArray(positions);
        const middle = box.getCenter(new THREE.Vector3());
        const scale = size / Math.max(...box.getSize(new THREE.Vector3()).toArray());
        if (!Number.isFinite(scale) || positions.some((value) => !Number.isFinite(value))) {
            throw new Error('it has coordinates that are not numbers, or no size');
        }
        const vertices = Float32Array.from(positions, (value, i) => (value - middle.getComponent(i % 3)) * scale);
        return { vertices, triangles: Int32Array.from(indices.slice(0, indices.length - (indices.length % 3))) };
    } catch (error) {
        throw new Error(`${file.name} is not a mesh that can be read: ${(error as Error).message}`);
    }
}
