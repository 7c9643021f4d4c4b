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
const A_COLOR = new THREE.Color(0x12b5a6);
const B_COLOR = new THREE.Color(0xa66bff);
/** Where the light comes from, as far as shadows on the plane go, and how high over it they are drawn. */
const LIGHT = new THREE.Vector3(0.5, 1.1, 0.6);
const OVER_PLANE = 0.002;

interface Group {
    mesh: THREE.InstancedMesh;
    lines: THREE.InstancedMesh;
    shadow: THREE.InstancedMesh;
    bodies: Int32Array;
    isEndless: boolean;
}

/** By number and lightness, made once: every body asks for its own in every frame. */
const hues = new Map<number, THREE.Color>();

function hue(number: number, lightness = 0.56): THREE.Color {
    const key = number + lightness;
    const known = hues.get(key) ?? new THREE.Color().setHSL((number * GOLDEN) % 1, 0.55, lightness);
    hues.set(key, known);
    return known;
}

export class Bodies {
    readonly root = new THREE.Group();
    coloring: Coloring = 'bodies';
    isSolid = true;
    isWireframe = false;
    hasFlatShadows = false;
    /** Of what was picked last, from the start of the ray. */
    hitDistance = 0;
    /** Bodies that are explained; -1: none. */
    pair: [number, number] = [-1, -1];
    /** All on the plane y = 0, along the light. */
    private readonly plane = new THREE.Group();
    private readonly dark = new THREE.MeshBasicMaterial({ color: 0x000000, transparent: true, opacity: 0.35, depthWrite: false });
    private geometries = new Map<number, THREE.BufferGeometry>();
    private groups: Group[] = [];
    private readonly solid = new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0.02, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    private readonly glass = new THREE.MeshStandardMaterial({ roughness: 0.4, transparent: true, opacity: 0.22, depthWrite: false });
    private readonly wire = new THREE.MeshBasicMaterial({ wireframe: true, color: 0x20242a, transparent: true, opacity: 0.3 });

    constructor() {
        const { x, y, z } = LIGHT;
        this.plane.matrixAutoUpdate = false;
        this.plane.matrix.set(1, -x / y, 0, 0, 0, 0, 0, OVER_PLANE, 0, -z / y, 1, 0, 0, 0, 0, 1);
        this.root.add(this.plane);
    }

    /** Forget all geometries: a scene was opened. */
    clear(): void {
        this.setLooks([]);
        this.geometries.forEach((geometry) => geometry.dispose());
        this.geometries.clear();
    }

    /** Bodies of all kinds that cannot be seen, so that what draws them is made before there are any. */
    rehearse(): void {
        const triangles = new Float32Array(3 * CORNER_SIZE);
        const kinds = [{ isEndless: false, isGlass: false }, { isEndless: true, isGlass: false }, { isEndless: false, isGlass: true }];
        this.setLooks(kinds.map((kind, key) => ({ key, triangles, bodies: Int32Array.of(0), ...kind })));
        this.groups.forEach(({ mesh }) => mesh.setColorAt(0, STATIC_COLOR));
    }

    setTheme(isDark: boolean): void {
        this.wire.color.set(isDark ? 0xdfe6ee : 0x20242a);
    }

    setLooks(looks: Look[]): void {
        for (const { mesh, lines, shadow } of this.groups) {
            this.root.remove(mesh, lines);
            this.plane.remove(shadow);
            [mesh, lines, shadow].forEach((one) => one.dispose());
        }
        this.groups = looks.map((look) => this.makeGroup(look));
    }

    private makeGroup({ key, triangles, bodies, isEndless, isGlass = false }: Look): Group {
        if (triangles !== null) {
            const data = new THREE.InterleavedBuffer(triangles, CORNER_SIZE);
            const geometry = new THREE.BufferGeometry();
            geometry.setAttribute('position', new THREE.InterleavedBufferAttribute(data, 3, 0));
            geometry.setAttribute('normal', new THREE.InterleavedBufferAttribute(data, 3, 3));
            this.geometries.set(key, geometry);
        }
        const geometry = this.geometries.get(key) ?? new THREE.BufferGeometry();
        const mesh = new THREE.InstancedMesh(geometry, isGlass ? this.glass : this.solid, bodies.length);
        const lines = new THREE.InstancedMesh(geometry, this.wire, bodies.length);
        lines.instanceMatrix = mesh.instanceMatrix;
        mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
        mesh.castShadow = !isEndless && !isGlass;
        mesh.receiveShadow = !isGlass;
        for (const one of [mesh, lines]) {
            one.frustumCulled = false;
            this.root.add(one);
        }
        const shadow = new THREE.InstancedMesh(geometry, this.dark, bodies.length);
        shadow.instanceMatrix = mesh.instanceMatrix;
        shadow.frustumCulled = false;
        this.plane.add(shadow);
        lines.visible = shadow.visible = false;
        return { mesh, lines, shadow, bodies, isEndless };
    }

    private colorOf(frame: Frame, body: number, touching: Set<number>): THREE.Color {
        const at = body * POSE_SIZE;
        if (this.pair.includes(body)) {
            return body === this.pair[0] ? A_COLOR : B_COLOR;
        }
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

    /** The body that a ray meets first; -1 for none, and for one that does not move, unless any will do. */
    pick(caster: THREE.Raycaster, frame: Frame, isAny = false): number {
        const solids = this.groups.filter(({ mesh }) => mesh.material !== this.glass);
        const [hit] = caster.intersectObjects(solids.map(({ mesh }) => mesh), false);
        this.hitDistance = hit?.distance ?? 0;
        const group = this.groups.find(({ mesh }) => mesh === hit?.object);
        const body = group?.bodies[hit?.instanceId ?? 0] ?? -1;
        return body >= 0 && (isAny || frame.poses[body * POSE_SIZE + 10] === 2) ? body : -1;
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
        for (const { mesh, lines, shadow, bodies, isEndless } of this.groups) {
            bodies.forEach((body, i) => {
                const at = body * POSE_SIZE;
                place.fromArray(frame.poses, at);
                rotation.fromArray(frame.poses, at + 3);
                mesh.setMatrixAt(i, matrix.compose(place, rotation, one));
                mesh.setColorAt(i, this.colorOf(frame, body, touching));
            });
            mesh.instanceMatrix.needsUpdate = true;
            if (mesh.instanceColor !== null) {
                mesh.instanceColor.needsUpdate = true;
            }
            mesh.boundingSphere = null; // found anew when something is picked
            mesh.visible = this.isSolid || isEndless;
            lines.visible = this.isWireframe && !isEndless;
            // floors would only darken themselves
            shadow.visible = this.hasFlatShadows && frame.poses[(bodies[0] ?? 0) * POSE_SIZE + 10] === 2;
        }
    }
}
