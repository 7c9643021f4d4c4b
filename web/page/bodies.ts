// SPDX-License-Identifier: MIT
// bodies.ts - all bodies, one instanced mesh for each geometry.

import * as THREE from 'three';

import { CORNER_SIZE, POSE_SIZE, type Frame, type Look } from './protocol.js';

export type Coloring = 'bodies' | 'islands' | 'sleep' | 'levels' | 'touching';
export const COLORINGS: Coloring[] = ['bodies', 'islands', 'sleep', 'levels', 'touching'];

const GOLDEN = 0.618033988749895;
const STATIC_COLOR = new THREE.Color(0x9aa1a8);
const ASLEEP_COLOR = new THREE.Color(0x6b7688);
const AWAKE_COLOR = new THREE.Color(0xe8a33d);
const TOUCHING_COLOR = new THREE.Color(0xd8423a);
const FREE_COLOR = new THREE.Color(0x4d8fd1);
const LEVEL_STEP = 0.09; // of the circle of hues, for each level

interface Group {
    mesh: THREE.InstancedMesh;
    lines: THREE.InstancedMesh;
    bodies: Int32Array;
    isEndless: boolean;
}

const hue = (number: number, lightness = 0.56): THREE.Color => new THREE.Color().setHSL((number * GOLDEN) % 1, 0.55, lightness);

export class Bodies {
    readonly root = new THREE.Group();
    coloring: Coloring = 'bodies';
    isSolid = true;
    isWireframe = false;
    private geometries = new Map<number, THREE.BufferGeometry>();
    private groups: Group[] = [];
    private readonly solid = new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0.02, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    private readonly wire = new THREE.MeshBasicMaterial({ wireframe: true, color: 0x20242a, transparent: true, opacity: 0.3 });

    /** Forget all geometries: a scene was opened. */
    clear(): void {
        this.setLooks([]);
        this.geometries.forEach((geometry) => geometry.dispose());
        this.geometries.clear();
    }

    setTheme(isDark: boolean): void {
        this.wire.color.set(isDark ? 0xdfe6ee : 0x20242a);
    }

    setLooks(looks: Look[]): void {
        for (const { mesh, lines } of this.groups) {
            this.root.remove(mesh, lines);
            mesh.dispose();
            lines.dispose();
        }
        this.groups = looks.map((look) => this.makeGroup(look));
    }

    private makeGroup({ key, triangles, bodies, isEndless }: Look): Group {
        if (triangles !== null) {
            const data = new THREE.InterleavedBuffer(triangles, CORNER_SIZE);
            const geometry = new THREE.BufferGeometry();
            geometry.setAttribute('position', new THREE.InterleavedBufferAttribute(data, 3, 0));
            geometry.setAttribute('normal', new THREE.InterleavedBufferAttribute(data, 3, 3));
            this.geometries.set(key, geometry);
        }
        const geometry = this.geometries.get(key) ?? new THREE.BufferGeometry();
        const mesh = new THREE.InstancedMesh(geometry, this.solid, bodies.length);
        const lines = new THREE.InstancedMesh(geometry, this.wire, bodies.length);
        mesh.castShadow = !isEndless;
        mesh.receiveShadow = true;
        for (const one of [mesh, lines]) {
            one.frustumCulled = false;
            one.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
            this.root.add(one);
        }
        return { mesh, lines, bodies, isEndless };
    }

    private colorOf(frame: Frame, body: number, touching: Set<number>): THREE.Color {
        const at = body * POSE_SIZE;
        if (frame.poses[at + 10] !== 2) {
            return STATIC_COLOR;
        }
        const isAwake = frame.poses[at + 11] === 1;
        switch (this.coloring) {
            case 'islands':
                return isAwake ? hue((frame.islands?.[body] ?? body) + 1) : ASLEEP_COLOR;
            case 'sleep':
                return isAwake ? AWAKE_COLOR : ASLEEP_COLOR;
            case 'levels': {
                const level = frame.levels?.[body] ?? -1;
                return level < 0 ? FREE_COLOR : new THREE.Color().setHSL((level * LEVEL_STEP) % 1, 0.65, 0.55);
            }
            case 'touching':
                return touching.has(body) ? TOUCHING_COLOR : FREE_COLOR;
            default:
                return hue(body + 1, isAwake ? 0.58 : 0.44);
        }
    }

    /** The dynamic body that a ray meets first; -1 for none. */
    pick(caster: THREE.Raycaster, frame: Frame): number {
        const [hit] = caster.intersectObjects(this.groups.map(({ mesh }) => mesh), false);
        const group = this.groups.find(({ mesh }) => mesh === hit?.object);
        const body = group?.bodies[hit?.instanceId ?? 0] ?? -1;
        return body >= 0 && frame.poses[body * POSE_SIZE + 10] === 2 ? body : -1;
    }

    update(frame: Frame): void {
        const matrix = new THREE.Matrix4();
        const place = new THREE.Vector3();
        const rotation = new THREE.Quaternion();
        const one = new THREE.Vector3(1, 1, 1);
        const touching = new Set<number>();
        if (this.coloring === 'touching' && frame.contacts !== null) {
            for (let i = 9; i < frame.contacts.length; i += 11) {
                touching.add(frame.contacts[i] as number).add(frame.contacts[i + 1] as number);
            }
        }
        for (const { mesh, lines, bodies, isEndless } of this.groups) {
            bodies.forEach((body, i) => {
                const at = body * POSE_SIZE;
                place.fromArray(frame.poses, at);
                rotation.fromArray(frame.poses, at + 3);
                mesh.setMatrixAt(i, matrix.compose(place, rotation, one));
                mesh.setColorAt(i, this.colorOf(frame, body, touching));
            });
            lines.instanceMatrix.copy(mesh.instanceMatrix);
            mesh.instanceMatrix.needsUpdate = true;
            lines.instanceMatrix.needsUpdate = true;
            if (mesh.instanceColor !== null) {
                mesh.instanceColor.needsUpdate = true;
            }
            mesh.boundingSphere = null; // found anew when something is picked
            mesh.visible = this.isSolid || isEndless;
            lines.visible = this.isWireframe && !isEndless;
        }
    }
}
