// SPDX-License-Identifier: MIT
// overlays.ts - what explains a step: contacts, boxes, joints, cells, samples, a slice of a field.

import * as THREE from 'three';

import { BOX_SIZE, CELL_SIZE, CONTACT_SIZE, JOINT_SIZE, LINE_SIZE, POSE_SIZE, SLICE_HEAD, type Frame } from './protocol.js';

const NEW_COLOR = new THREE.Color(0x00e5ff);
const KEPT_COLOR = new THREE.Color(0xffffff);
const INSIDE_COLOR = [60, 190, 90];
const OUTSIDE_COLOR = [225, 70, 60];
const SLICE_BANDS = 8; // from the surface to the edge of the square

/** Corners of a box, two for each of its twelve edges: which end along x, y, z. */
const BOX_EDGES = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];

/** A disc with a dark rim, so that white is seen on light ground. */
function makeDisc(): THREE.DataTexture {
    const side = 16;
    const pixels = new Uint8Array(4 * side * side);
    for (let i = 0; i < side * side; i += 1) {
        const r = Math.hypot((i % side) - side / 2 + 0.5, Math.floor(i / side) - side / 2 + 0.5) / (side / 2);
        const shade = r < 0.68 ? 255 : 30;
        pixels.set([shade, shade, shade, r < 1 ? 255 : 0], 4 * i);
    }
    const texture = new THREE.DataTexture(pixels, side, side);
    texture.magFilter = THREE.LinearFilter;
    texture.minFilter = THREE.LinearFilter;
    texture.needsUpdate = true;
    return texture;
}

/** Points or lines whose number changes from frame to frame. */
export class Cloud {
    readonly object: THREE.Points | THREE.LineSegments;
    private readonly geometry = new THREE.BufferGeometry();
    private readonly positions: number[] = [];
    private readonly colors: number[] = [];

    constructor(makeLines: boolean, size: number, isOnTop: boolean) {
        const common = { vertexColors: true, depthTest: !isOnTop, transparent: true };
        this.object = makeLines
            ? new THREE.LineSegments(this.geometry, new THREE.LineBasicMaterial(common))
            : new THREE.Points(this.geometry, new THREE.PointsMaterial({ ...common, size, sizeAttenuation: false, map: makeDisc(), alphaTest: 0.5 }));
        this.object.frustumCulled = false;
        this.object.renderOrder = isOnTop ? 2 : 1;
    }

    begin(): void {
        this.positions.length = 0;
        this.colors.length = 0;
    }

    add(x: number, y: number, z: number, color: THREE.Color): void {
        this.positions.push(x, y, z);
        this.colors.push(color.r, color.g, color.b);
    }

    addBox(array: Float32Array, at: number, color: THREE.Color): void {
        for (const corner of BOX_EDGES) {
            const end = (axis: number): number => array[at + axis + ((corner >> axis) & 1) * 3] as number;
            this.add(end(0), end(1), end(2), color);
        }
    }

    end(): void {
        this.object.visible = this.positions.length > 0;
        this.geometry.setAttribute('position', new THREE.Float32BufferAttribute(this.positions, 3));
        this.geometry.setAttribute('color', new THREE.Float32BufferAttribute(this.colors, 3));
    }
}

export interface OverlaySwitches {
    contacts: boolean;
    normals: boolean;
    boxes: boolean;
    joints: boolean;
    centers: boolean;
    cells: boolean;
    samples: boolean;
    slice: boolean;
}

export class Overlays {
    readonly root = new THREE.Group();
    private readonly points = new Cloud(false, 7, true);
    private readonly samples = new Cloud(false, 4, true);
    private readonly lines = new Cloud(true, 1, true);
    private readonly boxes = new Cloud(true, 1, false);
    private readonly color = new THREE.Color();
    private readonly slice = new THREE.Mesh(
        new THREE.PlaneGeometry(1, 1),
        new THREE.MeshBasicMaterial({ side: THREE.DoubleSide, transparent: true, opacity: 0.85, depthTest: false }),
    );

    constructor() {
        this.slice.visible = false;
        this.slice.renderOrder = 1;
        this.root.add(this.points.object, this.samples.object, this.lines.object, this.boxes.object, this.slice);
    }

    /** @param size m: how long normals are drawn, from the distance of the camera */
    update(frame: Frame, switches: OverlaySwitches, size: number): void {
        [this.points, this.samples, this.lines, this.boxes].forEach((cloud) => cloud.begin());
        if (frame.contacts !== null && (switches.contacts || switches.normals)) {
            this.addContacts(frame.contacts, switches, size);
        }
        if (switches.joints && frame.joints !== null) {
            this.addJoints(frame.joints, frame.poses, size);
        }
        if (switches.boxes && frame.boxes !== null) {
            this.addBoxes(frame.boxes, frame.poses);
        }
        if (switches.cells && frame.cells !== null) {
            for (let i = 0; i < frame.cells.length; i += CELL_SIZE) {
                this.boxes.addBox(frame.cells, i, new THREE.Color().setHSL((0.58 + 0.11 * (frame.cells[i + 6] as number)) % 1, 0.8, 0.5));
            }
        }
        for (let i = 0; i < (frame.lines?.length ?? 0); i += LINE_SIZE) {
            const [x, y, z, r, g, b] = (frame.lines as Float32Array).subarray(i, i + LINE_SIZE) as unknown as [number, number, number, number, number, number];
            this.boxes.add(x, y, z, this.color.setRGB(r, g, b, THREE.SRGBColorSpace));
        }
        if (switches.centers) {
            this.addCenters(frame.poses, size);
        }
        if (switches.samples && frame.samples !== null) {
            this.addSamples(frame.samples, frame.poses, frame.shown);
        }
        this.updateSlice(frame, switches.slice);
        [this.points, this.samples, this.lines, this.boxes].forEach((cloud) => cloud.end());
    }

    private addContacts(contacts: Float32Array, switches: OverlaySwitches, size: number): void {
        let most = 0;
        for (let i = 7; i < contacts.length; i += CONTACT_SIZE) {
            most = Math.max(most, contacts[i] as number);
        }
        for (let i = 0; i < contacts.length; i += CONTACT_SIZE) {
            const [x, y, z, nx, ny, nz, , impulse, state] = contacts.subarray(i, i + CONTACT_SIZE) as unknown as number[] as [number, number, number, number, number, number, number, number, number];
            const color = state === 0 ? NEW_COLOR : KEPT_COLOR;
            if (switches.contacts) {
                this.points.add(x, y, z, color);
            }
            if (switches.normals) {
                // longer where more is carried
                const length = size * (0.5 + (most > 0 ? (1.5 * impulse) / most : 0));
                this.lines.add(x, y, z, color);
                this.lines.add(x + length * nx, y + length * ny, z + length * nz, color);
            }
        }
    }

    private addJoints(joints: Float32Array, poses: Float32Array, size: number): void {
        const anchor = new THREE.Color(0xffc233);
        const link = new THREE.Color(0xff8a1f);
        const axis = new THREE.Color(0x9d7bff);
        for (let i = 0; i < joints.length; i += JOINT_SIZE) {
            for (const [at, body] of [[i + 1, joints[i + 10]], [i + 4, joints[i + 11]]] as [number, number][]) {
                const isMoving = poses[body * POSE_SIZE + 10] === 2;
                this.points.add(joints[at] as number, joints[at + 1] as number, joints[at + 2] as number, anchor);
                if (isMoving) {
                    const c = body * POSE_SIZE + 7;
                    this.lines.add(poses[c] as number, poses[c + 1] as number, poses[c + 2] as number, link);
                    this.lines.add(joints[at] as number, joints[at + 1] as number, joints[at + 2] as number, link);
                }
            }
            for (const side of [-0.5, 0.5]) {
                this.lines.add(...[0, 1, 2].map((k) => (joints[i + 1 + k] as number) + side * size * (joints[i + 7 + k] as number)) as [number, number, number], axis);
            }
        }
    }

    private addBoxes(boxes: Float32Array, poses: Float32Array): void {
        const moving = new THREE.Color(0x2f9e57);
        const fixed = new THREE.Color(0x8a8f96);
        for (let i = 0; i < boxes.length; i += BOX_SIZE) {
            const type = poses[(i / BOX_SIZE) * POSE_SIZE + 10];
            this.boxes.addBox(boxes, i, type === 2 ? moving : fixed);
        }
    }

    private addCenters(poses: Float32Array, size: number): void {
        const axes = [new THREE.Color(0xe5484d), new THREE.Color(0x46a758), new THREE.Color(0x3e7bfa)];
        const rotation = new THREE.Quaternion();
        for (let i = 0; i < poses.length; i += POSE_SIZE) {
            if (poses[i + 10] === 2) {
                const center = new THREE.Vector3().fromArray(poses, i + 7);
                rotation.fromArray(poses, i + 3);
                axes.forEach((color, k) => {
                    const end = new THREE.Vector3().setComponent(k, size).applyQuaternion(rotation).add(center);
                    this.lines.add(center.x, center.y, center.z, color);
                    this.lines.add(end.x, end.y, end.z, color);
                });
            }
        }
    }

    private addSamples(samples: Float32Array, poses: Float32Array, body: number): void {
        const color = new THREE.Color(0xff5fb0);
        const rotation = new THREE.Quaternion().fromArray(poses, body * POSE_SIZE + 3);
        const place = new THREE.Vector3().fromArray(poses, body * POSE_SIZE);
        const point = new THREE.Vector3();
        for (let i = 0; i < samples.length; i += 3) {
            point.fromArray(samples, i).applyQuaternion(rotation).add(place);
            this.samples.add(point.x, point.y, point.z, color);
        }
    }

    /** Green inside, red outside, darker with the distance, a light line where the surface is. */
    private updateSlice({ slice, poses, shown }: Frame, isOn: boolean): void {
        this.slice.visible = isOn && slice !== null && slice.length > SLICE_HEAD;
        if (!this.slice.visible || slice === null) {
            return;
        }
        const side = Math.round(Math.sqrt(slice.length - SLICE_HEAD));
        const [x, y, z, step] = slice as unknown as [number, number, number, number];
        const pixels = new Uint8Array(4 * side * side);
        for (let i = 0; i < side * side; i += 1) {
            const distance = slice[SLICE_HEAD + i] as number;
            const color = distance < 0 ? INSIDE_COLOR : OUTSIDE_COLOR;
            const shade = 1 - Math.min(0.75, (Math.abs(distance) * SLICE_BANDS) / (step * side * 2));
            const isSurface = Math.abs(distance) < 0.6 * step;
            pixels.set([...color.map((c) => (isSurface ? 250 : c * shade)), 255], 4 * i);
        }
        const material = this.slice.material;
        material.map?.dispose();
        material.map = new THREE.DataTexture(pixels, side, side);
        material.map.colorSpace = THREE.SRGBColorSpace;
        material.map.needsUpdate = true;
        material.needsUpdate = true;
        const half = (step * side) / 2;
        const rotation = new THREE.Quaternion().fromArray(poses, shown * POSE_SIZE + 3);
        this.slice.scale.set(2 * half, 2 * half, 1);
        this.slice.quaternion.copy(rotation);
        this.slice.position.set(x + half, y + half, z).applyQuaternion(rotation).add(new THREE.Vector3().fromArray(poses, shown * POSE_SIZE));
    }
}
