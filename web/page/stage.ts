// SPDX-License-Identifier: MIT
// stage.ts - camera, lights and canvas of one view.

import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

import type { Vector } from './protocol.js';

const FOV = 40; // degrees, as the pictures of the command
const SHADOW_SIZE = 2048; // texels
const NEAR = 1 / 200; // of the distance to what is looked at
const FAR = 200;
const PLANE_ROOM = 1.04; // around a plane
const FIT = 1.25; // of the smallest distance from which all is seen

export interface CameraState {
    eye: Vector;
    target: Vector;
}

export class Stage {
    readonly scene = new THREE.Scene();
    readonly camera = new THREE.PerspectiveCamera(FOV, 1, 0.1, 1000);
    readonly renderer: THREE.WebGLRenderer;
    readonly controls: OrbitControls;
    private readonly sun = new THREE.DirectionalLight(0xffffff, 2.4);
    private readonly sky = new THREE.HemisphereLight(0xffffff, 0x8a8378, 1.3);
    private followed: THREE.Vector3 | null = null;

    /** @param onResize the picture is empty then, until it is drawn again */
    constructor(readonly container: HTMLElement, onCamera: () => void, private readonly onResize: () => void) {
        this.renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
        this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
        this.renderer.debug.checkShaderErrors = false; // the page would wait for each
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFShadowMap;
        const canvas = this.renderer.domElement;
        canvas.tabIndex = 0;
        canvas.setAttribute('role', 'img');
        canvas.setAttribute('aria-label', 'The simulated bodies. Drag to turn the camera, drag a body to pull it.');
        container.append(canvas);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.addEventListener('change', onCamera);
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.set(SHADOW_SIZE, SHADOW_SIZE);
        this.sun.shadow.bias = -0.0005;
        this.sun.shadow.normalBias = 0.02;
        this.scene.add(this.sun, this.sun.target, this.sky);
        new ResizeObserver(() => this.resize()).observe(container);
        this.resize();
    }

    resize(): void {
        const { clientWidth: width, clientHeight: height } = this.container;
        if (width > 0 && height > 0) {
            this.renderer.setSize(width, height);
            this.camera.aspect = width / height;
            this.camera.updateProjectionMatrix();
            this.onResize();
        }
    }

    setTheme(isDark: boolean): void {
        this.scene.background = new THREE.Color(isDark ? 0x14171c : 0xe9edf1);
        this.sky.intensity = isDark ? 0.9 : 1.3;
    }

    setShadows(isOn: boolean): void {
        this.sun.castShadow = isOn;
    }

    // ---- camera ------------------------------------------------------------------------------

    look({ eye, target }: CameraState): void {
        this.camera.position.set(...eye);
        this.controls.target.set(...target);
        this.fitDepth();
        this.controls.update();
    }

    /** From the same direction, so far that a ball of points is seen. */
    fit(center: THREE.Vector3, radius: number): void {
        const direction = this.camera.position.clone().sub(this.controls.target).normalize();
        const distance = (FIT * radius) / Math.tan((FOV * Math.PI) / 360);
        this.look({ eye: direction.multiplyScalar(distance).add(center).toArray() as Vector, target: center.toArray() as Vector });
    }

    /** From the camera to what it looks at, m. */
    getDistance(): number {
        return this.camera.position.distanceTo(this.controls.target);
    }

    /** A plane is seen from in front: all of it is at one depth, so that its picture is the orthographic
     * one, and the camera moves along it rather than about it. */
    setPlanar(isPlanar: boolean): void {
        this.controls.enableRotate = !isPlanar;
        this.controls.mouseButtons.LEFT = isPlanar ? THREE.MOUSE.PAN : THREE.MOUSE.ROTATE;
        this.controls.touches.ONE = isPlanar ? THREE.TOUCH.PAN : THREE.TOUCH.ROTATE;
    }

    /** So that a rectangle about the origin is seen, as wide as the picture is. */
    fitPlane([halfWidth, halfHeight]: [number, number]): void {
        const distance = (PLANE_ROOM * Math.max(halfHeight, halfWidth / this.camera.aspect)) / Math.tan((FOV * Math.PI) / 360);
        this.look({ eye: [0, 0, distance], target: [0, 0, 0] });
    }

    getCamera(): CameraState {
        return { eye: this.camera.position.toArray() as Vector, target: this.controls.target.toArray() as Vector };
    }

    /** Light, shadow and clipping planes for what is looked at. */
    private fitDepth(): void {
        const distance = this.getDistance();
        this.camera.near = distance * NEAR;
        this.camera.far = distance * FAR;
        this.camera.updateProjectionMatrix();
        this.sun.target.position.copy(this.controls.target);
        this.sun.position.copy(this.controls.target).add(new THREE.Vector3(0.5, 1.1, 0.6).multiplyScalar(distance));
        const box = this.sun.shadow.camera;
        [box.left, box.right, box.bottom, box.top] = [-0.8 * distance, 0.8 * distance, -0.8 * distance, 0.8 * distance];
        [box.near, box.far] = [0.01 * distance, 4 * distance];
        box.updateProjectionMatrix();
    }

    /** Move with a point, or stay. */
    follow(point: THREE.Vector3 | null): void {
        if (point !== null && this.followed !== null) {
            const moved = point.clone().sub(this.followed);
            this.camera.position.add(moved);
            this.controls.target.add(moved);
        } else if (point !== null) {
            this.controls.target.copy(point);
        }
        this.followed = point === null ? null : point.clone();
    }

    draw(): void {
        this.controls.update();
        this.fitDepth();
        this.renderer.render(this.scene, this.camera);
    }

    /** Through a point of the screen. */
    cast(event: PointerEvent): THREE.Raycaster {
        const bounds = this.renderer.domElement.getBoundingClientRect();
        const point = new THREE.Vector2(
            ((event.clientX - bounds.left) / bounds.width) * 2 - 1,
            1 - ((event.clientY - bounds.top) / bounds.height) * 2,
        );
        const caster = new THREE.Raycaster();
        caster.setFromCamera(point, this.camera);
        return caster;
    }
}
