// SPDX-License-Identifier: MIT
// pane.ts - one simulation and its picture: an engine in a Worker, a stage, and the hand in it.

import * as THREE from 'three';

import { Bodies } from './bodies.js';
import { listen, type Engine } from './engine.js';
import type { ExplainState } from './explain.js';
import { Marks } from './marks.js';
import { Overlays } from './overlays.js';
import { POSE_SIZE, type Frame, type FromEngine, type ToEngine, type Vector } from './protocol.js';
import { Stage } from './stage.js';
import { defaultView, wantsOf, type View } from './view.js';

const NORMAL_LENGTH = 0.02; // of the distance of the camera
const LIMIT_SIZE = 0.035; // the same
const GRAB_MARGIN = 0.002; // the same
const BALL_RADIUS = 0.02; // the same
const BALL_SPEED = 4; // times the speed of a fall from that far

export class Pane {
    readonly stage: Stage;
    frame: Frame | null = null;
    selected = -1;
    isFollowing = false;
    view: View = defaultView();
    /** Told of everything that the engine says, after the pane itself. */
    onMessage: (message: FromEngine) => void = () => undefined;
    onCamera: () => void = () => undefined;
    /** Told of a body that is touched, instead of dragging it. */
    onPick: ((body: number) => void) | null = null;
    private readonly bodies = new Bodies();
    private readonly overlays = new Overlays();
    private readonly marks = new Marks();
    private explain: ExplainState | null = null;
    private readonly dragLine = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0xffc233, depthTest: false }));
    private drag: { last: PointerEvent; plane: THREE.Plane; target: THREE.Vector3 } | null = null;
    private isHandingOver = false;
    private isStale = true;
    private isFresh = false;
    private version = 0;

    constructor(container: HTMLElement, private readonly engine: Engine) {
        this.stage = new Stage(container, () => {
            this.isStale = true;
            this.onCamera();
        }, () => this.redraw());
        this.dragLine.visible = false;
        this.dragLine.frustumCulled = false;
        this.stage.scene.add(this.bodies.root, this.overlays.root, this.marks.root, this.dragLine);
        listen(engine, ({ data }) => this.hear(data), ({ message }) => this.onMessage({ kind: 'error', text: message }));
        this.listen();
        // while the engine is on its way
        this.bodies.rehearse();
        this.stage.draw();
        this.bodies.clear();
    }

    close(): void {
        this.engine.terminate();
        this.stage.renderer.dispose();
        this.stage.container.remove();
    }

    post(message: ToEngine, transfer: Transferable[] = []): void {
        this.engine.postMessage(message, transfer);
    }

    setTheme(isDark: boolean): void {
        this.stage.setTheme(isDark);
        this.bodies.setTheme(isDark);
        this.isStale = true;
    }

    setView(view: View): void {
        this.view = view;
        this.bodies.isSolid = view.solid;
        this.bodies.isWireframe = view.wireframe;
        this.bodies.coloring = view.coloring;
        this.bodies.hasFlatShadows = view.flatShadows;
        this.stage.setShadows(view.shadows);
        this.ask();
        this.refresh();
    }

    /** Two bodies whose algorithm is drawn, step by step; null: none. */
    setExplain(state: ExplainState | null): void {
        const isOther = state?.method !== this.explain?.method || state?.a !== this.explain?.a || state?.b !== this.explain?.b;
        this.explain = state;
        this.bodies.pair = [state?.a ?? -1, state?.b ?? -1];
        if (isOther) {
            this.ask();
        }
        this.refresh();
    }

    select(body: number): void {
        this.selected = body;
        this.stage.follow(null);
        this.ask();
    }

    /** For the arrays that the view needs. */
    private ask(): void {
        this.version += 1;
        this.stage.container.dataset.wanted = String(this.version);
        this.post({ kind: 'wants', wants: wantsOf(this.view, this.selected, this.version, this.explain, LIMIT_SIZE * this.stage.getDistance()) });
    }

    private hear(message: FromEngine): void {
        switch (message.kind) {
            case 'scenes':
                this.stage.container.dataset.threads = String(message.threads);
                break;
            case 'opened':
                this.bodies.clear();
                this.frame = null;
                this.selected = -1;
                this.endDrag();
                break;
            case 'looks':
                this.bodies.setLooks(message.looks);
                break;
            case 'frame':
                this.frame = message;
                this.isFresh = true;
                this.refresh();
                break;
        }
        this.onMessage(message);
    }

    /** Look at all that moves. */
    fit(): void {
        const box = new THREE.Box3();
        const poses = this.frame?.poses ?? new Float32Array();
        for (let i = 0; i < poses.length; i += POSE_SIZE) {
            if (poses[i + 10] === 2) {
                box.expandByPoint(new THREE.Vector3().fromArray(poses, i + 7));
            }
        }
        const size = box.getSize(new THREE.Vector3()).length();
        if (!box.isEmpty() && size > 0) {
            this.stage.fit(box.getCenter(new THREE.Vector3()), 0.55 * size);
        }
    }

    // ---- drawing -----------------------------------------------------------------------------

    refresh(): void {
        this.isStale = true;
    }

    /** At once, for the picture was emptied. */
    private redraw(): void {
        this.isStale = true;
        // not while it is being made
        if ((this.stage as Stage | undefined) !== undefined) {
            this.draw();
        }
    }

    private bodyCenter(body: number): THREE.Vector3 | null {
        const at = body * POSE_SIZE + 7;
        return this.frame === null || body < 0 || at + 3 > this.frame.poses.length ? null : new THREE.Vector3().fromArray(this.frame.poses, at);
    }

    private updateDragLine(): void {
        const from = this.bodyCenter(this.selected);
        this.dragLine.visible = this.drag !== null && from !== null;
        if (this.drag !== null && from !== null) {
            this.dragLine.geometry.setFromPoints([from, this.drag.target]);
        }
    }

    draw(): void {
        this.stage.controls.update();
        if (!this.isStale) {
            return;
        }
        this.isStale = false;
        if (this.frame !== null) {
            const distance = this.stage.getDistance();
            this.stage.follow(this.isFollowing ? this.bodyCenter(this.selected) : null);
            this.bodies.update(this.frame);
            this.overlays.update(this.frame, this.view, NORMAL_LENGTH * distance);
            const { explanation = null } = this.frame;
            this.marks.root.visible = this.explain !== null && explanation !== null;
            if (this.explain !== null && explanation !== null) {
                this.marks.update([explanation.marks[Math.min(this.explain.step, explanation.marks.length - 1)] as Float32Array], 0);
            }
            this.updateDragLine();
        }
        this.stage.draw();
        // what is on the screen now, for those who look from outside
        this.stage.container.dataset.drawn = this.frame === null ? '' : `${this.frame.version} ${this.frame.step}`;
        if (this.isFresh) {
            this.isFresh = false;
            this.post({ kind: 'drawn' });
        }
    }

    // ---- pointer -----------------------------------------------------------------------------

    private listen(): void {
        const { container } = this.stage;
        // before the camera's own listeners, which are on the canvas
        container.addEventListener('pointerdown', (event) => this.press(event), { capture: true });
        container.addEventListener('pointermove', (event) => this.move(event), { capture: true });
        container.addEventListener('pointerup', (event) => this.lift(event), { capture: true });
        container.addEventListener('pointercancel', (event) => this.lift(event), { capture: true });
    }

    /** A second finger, while the first one holds a body: both move the camera, as they do beside it. */
    private handOver(): void {
        const { last } = this.drag as { last: PointerEvent };
        this.endDrag();
        this.isHandingOver = true;
        this.stage.renderer.domElement.dispatchEvent(new PointerEvent('pointerdown', last));
        this.isHandingOver = false;
    }

    private press(event: PointerEvent): void {
        if (this.drag !== null && event.pointerType === 'touch' && !event.isPrimary) {
            this.handOver();
        }
        if (this.isHandingOver || event.button !== 0 || this.frame === null || !event.isPrimary) {
            return;
        }
        const caster = this.stage.cast(event);
        if (event.shiftKey) {
            this.throwBall(caster.ray);
            event.stopPropagation();
            return;
        }
        const body = this.bodies.pick(caster, this.frame, this.onPick !== null);
        if (body < 0) {
            return;
        }
        if (this.onPick !== null) {
            this.onPick(body);
            event.stopPropagation();
            return;
        }
        const normal = this.stage.camera.getWorldDirection(new THREE.Vector3());
        const point = this.bodyCenter(body) as THREE.Vector3;
        this.select(body);
        this.drag = { last: event, plane: new THREE.Plane().setFromNormalAndCoplanarPoint(normal, point), target: point };
        this.stage.controls.enabled = false;
        // from just before the body: glass may be in front of it
        const origin = caster.ray.at(this.bodies.hitDistance - GRAB_MARGIN * this.stage.getDistance(), new THREE.Vector3());
        this.post({ kind: 'grab', origin: origin.toArray() as Vector, direction: caster.ray.direction.toArray() as Vector });
        this.move(event);
    }

    private move(event: PointerEvent): void {
        if (this.drag !== null && event.pointerId === this.drag.last.pointerId) {
            this.drag.last = event;
            const target = this.stage.cast(event).ray.intersectPlane(this.drag.plane, new THREE.Vector3());
            if (target !== null) {
                this.drag.target = target;
                this.post({ kind: 'pull', target: target.toArray() as Vector });
            }
        }
    }

    private lift(event: PointerEvent): void {
        if (event.pointerId === this.drag?.last.pointerId) {
            this.endDrag();
        }
    }

    private endDrag(): void {
        this.drag = null;
        this.stage.controls.enabled = true;
        this.post({ kind: 'letGo' });
        this.refresh();
    }

    /** A ball along a ray, or from the camera to what it looks at. */
    throwBall(ray = new THREE.Ray(this.stage.camera.position.clone(), this.stage.camera.getWorldDirection(new THREE.Vector3()))): void {
        const distance = this.stage.getDistance();
        const speed = BALL_SPEED * Math.sqrt(9.81 * distance);
        const origin = ray.at(0.1 * distance, new THREE.Vector3());
        const velocity = ray.direction.clone().multiplyScalar(speed);
        this.post({ kind: 'input', input: { kind: 'throw', origin: origin.toArray() as Vector, velocity: velocity.toArray() as Vector, radius: BALL_RADIUS * distance } });
    }
}
