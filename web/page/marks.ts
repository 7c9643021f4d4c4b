// SPDX-License-Identifier: MIT
// marks.ts - points, lines and triangles by which a step of an algorithm is drawn.

import * as THREE from 'three';

import { Cloud } from './overlays.js';
import { MARK_SIZE } from './protocol.js';

/** In the order of sdMarkRole. */
const COLORS = [0x8a94a0, 0x3e8bff, 0xffa51f, 0xff3fa4, 0xff8a80, 0x12b5a6, 0xa66bff, 0xd9b400, 0x6f7782, 0xff4d3d].map((color) => new THREE.Color(color));
/** Of triangles, by role: what is behind them is to be seen. */
const OPACITY = 0.22;

/** What a mark stands for, where that changes how it is drawn (explain.h). */
export const ROLE_DIFFERENCE = 0;

export class Marks {
    readonly root = new THREE.Group();
    private readonly points = new Cloud(false, 9, true);
    private readonly lines = new Cloud(true, 1, true);
    private readonly faces = new THREE.Mesh(
        new THREE.BufferGeometry(),
        new THREE.MeshBasicMaterial({ vertexColors: true, transparent: true, opacity: OPACITY, side: THREE.DoubleSide, depthTest: false, depthWrite: false }),
    );

    constructor() {
        this.faces.frustumCulled = false;
        this.faces.renderOrder = 1;
        this.root.add(this.faces, this.lines.object, this.points.object);
    }

    /** @param space 1: those in A - B, 0: those between the bodies */
    update(lists: Float32Array[], space: number): void {
        const corners: number[] = [];
        const colors: number[] = [];
        this.points.begin();
        this.lines.begin();
        for (const list of lists) {
            for (let i = 0; i < list.length; i += MARK_SIZE) {
                const [count, role, own] = list.subarray(i, i + 3) as unknown as [number, number, number];
                const color = COLORS[role] as THREE.Color;
                if (own !== space) {
                    continue;
                }
                for (let k = 0; k < count; k += 1) {
                    const [x, y, z] = list.subarray(i + 3 + 3 * k, i + 6 + 3 * k) as unknown as [number, number, number];
                    if (count === 3) {
                        corners.push(x, y, z);
                        colors.push(color.r, color.g, color.b);
                    } else {
                        (count === 1 ? this.points : this.lines).add(x, y, z, color);
                    }
                }
            }
        }
        this.points.end();
        this.lines.end();
        this.faces.visible = corners.length > 0;
        this.faces.geometry.setAttribute('position', new THREE.Float32BufferAttribute(corners, 3));
        this.faces.geometry.setAttribute('color', new THREE.Float32BufferAttribute(colors, 3));
    }
}
