// SPDX-License-Identifier: MIT
// explain.ts - two bodies and an algorithm between them, step by step: words, A - B, intervals.

import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

import { Marks } from './marks.js';
import { METHODS, type Explanation, type Method, type PairWanted } from './protocol.js';

const FIT = 3.2; // distance of the camera, of the reach of A - B
const METHOD_NAMES: Record<Method, string> = { gjk: 'GJK', epa: 'EPA', sat: 'SAT', vclip: 'V-Clip' };
const WIDTH = 300; // of the diagram, in its own units
const SVG = 'http://www.w3.org/2000/svg';

/** What is explained, and which step is seen; -1 for a body that is still to be chosen. */
export interface ExplainState extends PairWanted {
    step: number;
}

export const explainToText = ({ method, a, b, step }: ExplainState): string => [method, a, b, step].join(',');

export function explainFromText(text: string | null): ExplainState | null {
    const [method, a, b, step] = (text ?? '').split(',');
    const numbers = [a, b, step].map(Number);
    return METHODS.includes(method as Method) && numbers.every((value) => Number.isInteger(value) && value >= -1)
        ? { method: method as Method, a: numbers[0] as number, b: numbers[1] as number, step: Math.max(0, numbers[2] as number) }
        : null;
}

const find = <T extends Element>(id: string): T => document.getElementById(id) as unknown as T;

/** A - B about the origin, turned by the hand. */
class DifferenceView {
    readonly marks = new Marks();
    private readonly scene = new THREE.Scene();
    private readonly camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
    private readonly renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    private readonly controls: OrbitControls;
    private fitted = '';

    constructor(private readonly container: HTMLElement) {
        this.renderer.debug.checkShaderErrors = false;
        const canvas = this.renderer.domElement;
        canvas.setAttribute('role', 'img');
        canvas.setAttribute('aria-label', 'A minus B: grey its edges, a cross the origin. Drag to turn it.');
        container.append(canvas);
        const cross = new THREE.AxesHelper(1);
        cross.name = 'cross';
        this.scene.add(this.marks.root, cross);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.addEventListener('change', () => this.draw());
    }

    update({ shared, marks }: Explanation, step: number, isPlanar: boolean): void {
        const now = marks[step] ?? new Float32Array();
        this.marks.update([shared, now], 1);
        // the same camera for all steps of a pair
        const reach = shared.reduce((most, value, i) => (i % 12 > 2 ? Math.max(most, Math.abs(value)) : most), 1e-6);
        const key = `${isPlanar} ${reach.toPrecision(2)}`;
        if (key !== this.fitted) {
            this.fitted = key;
            const direction = isPlanar ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(0.5, 0.45, 0.74);
            this.camera.position.copy(direction.multiplyScalar(FIT * reach));
            this.camera.near = 0.01 * reach;
            this.camera.far = 40 * reach;
            this.scene.getObjectByName('cross')?.scale.setScalar(0.25 * reach);
            this.controls.enableRotate = !isPlanar;
            this.controls.target.set(0, 0, 0);
            this.controls.update();
        }
        this.draw();
    }

    draw(): void {
        const { clientWidth: width, clientHeight: height } = this.container;
        if (width > 0 && height > 0) {
            this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
            this.renderer.setSize(width, height);
            this.camera.aspect = width / height;
            this.camera.updateProjectionMatrix();
            this.renderer.render(this.scene, this.camera);
        }
    }
}

/** Both intervals on an axis, one over the other, with what lies between them or in both. */
function drawIntervals(svg: SVGElement, intervals: Float32Array | null): void {
    svg.replaceChildren();
    if (intervals === null || intervals.length < 5) {
        return;
    }
    const [lowerA, upperA, lowerB, upperB] = intervals as unknown as [number, number, number, number];
    const lower = Math.min(lowerA, lowerB);
    const scale = (WIDTH - 20) / Math.max(1e-9, Math.max(upperA, upperB) - lower);
    const at = (value: number): number => 10 + scale * (value - lower);
    const add = (name: string, attributes: Record<string, string | number>, text = ''): void => {
        const element = document.createElementNS(SVG, name);
        Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, String(value)));
        element.textContent = text;
        svg.append(element);
    };
    const isApart = lowerB > upperA;
    const [from, to] = isApart ? [upperA, lowerB] : [lowerB, upperA];
    add('rect', { x: at(Math.min(from, to)), y: 6, width: Math.max(1, Math.abs(at(to) - at(from))), height: 44, class: isApart ? 'gap' : 'overlap' });
    add('rect', { x: at(lowerA), y: 10, width: at(upperA) - at(lowerA), height: 14, class: 'of-a' });
    add('rect', { x: at(lowerB), y: 32, width: at(upperB) - at(lowerB), height: 14, class: 'of-b' });
    add('text', { x: at(lowerA) + 4, y: 21 }, 'A');
    add('text', { x: at(lowerB) + 4, y: 43 }, 'B');
    add('text', { x: WIDTH / 2, y: 64, 'text-anchor': 'middle' }, `${isApart ? 'gap' : 'overlap'} ${Math.abs(lowerB - upperA).toPrecision(4)} m`);
}

export class ExplainPanel {
    private state: ExplainState | null = null;
    private explanation: Explanation | null = null;
    private isPlanar = false;
    private view: DifferenceView | null = null;
    private readonly range = find<HTMLInputElement>('explain-step');
    private readonly method = find<HTMLSelectElement>('explain-method');

    /** @param onChange told what is to be explained now; null: nothing any more */
    constructor(private readonly onChange: (state: ExplainState | null) => void) {
        this.method.append(...METHODS.map((name) => new Option(METHOD_NAMES[name], name)));
        this.method.addEventListener('change', () => this.change({ method: this.method.value as Method, step: 0 }));
        this.range.addEventListener('input', () => this.change({ step: Number(this.range.value) }));
        for (const name of ['a', 'b'] as const) {
            const input = find<HTMLInputElement>(`explain-${name}`);
            input.addEventListener('change', () => this.change({ [name]: Number(input.value), step: 0 }));
        }
        find<HTMLButtonElement>('explain-back').addEventListener('click', () => this.go(-1));
        find<HTMLButtonElement>('explain-next').addEventListener('click', () => this.go(1));
        find<HTMLButtonElement>('explain-close').addEventListener('click', () => this.onChange(null));
    }

    get isOn(): boolean {
        return this.state !== null;
    }

    private change(values: Partial<ExplainState>): void {
        if (this.state !== null) {
            this.onChange({ ...this.state, ...values });
        }
    }

    go(by: number): void {
        const last = (this.explanation?.texts.length ?? 1) - 1;
        this.change({ step: Math.min(last, Math.max(0, (this.state?.step ?? 0) + by)) });
    }

    /** A body that was touched: the first is A, the next is B, then A again. */
    pick(body: number): void {
        const { a = -1, b = -1 } = this.state ?? {};
        this.change(a < 0 || b >= 0 ? { a: body, b: -1, step: 0 } : { b: body, step: 0 });
    }

    /** Show what is to be explained. */
    set(state: ExplainState | null, isPlanar: boolean): void {
        this.state = state;
        this.isPlanar = isPlanar;
        const box = find<HTMLElement>('explain');
        if (box.hidden && state !== null) {
            (box.parentElement as HTMLElement).scrollTop = 0;
        }
        box.hidden = state === null;
        if (state === null) {
            this.explanation = null;
            return;
        }
        this.method.value = state.method;
        find<HTMLInputElement>('explain-a').value = String(state.a);
        find<HTMLInputElement>('explain-b').value = String(state.b);
        if (state.a < 0 || state.b < 0) {
            this.explanation = null;
        }
        this.show();
    }

    /** What the engine says of it. */
    hear(explanation: Explanation | null): void {
        if (this.state !== null && this.state.a >= 0 && this.state.b >= 0) {
            this.explanation = explanation;
            this.show();
        }
    }

    private show(): void {
        const { state, explanation } = this;
        const text = find<HTMLElement>('explain-text');
        const box = find<HTMLElement>('explain-difference');
        const svg = find<SVGElement>('explain-intervals');
        const step = Math.min(state?.step ?? 0, Math.max(0, (explanation?.texts.length ?? 1) - 1));
        this.range.max = String(Math.max(0, (explanation?.texts.length ?? 1) - 1));
        this.range.value = String(step);
        find<HTMLElement>('explain-count').textContent = explanation === null ? '' : `${step + 1} of ${explanation.texts.length}`;
        svg.classList.toggle('hidden', explanation === null || state?.method !== 'sat');
        box.hidden = explanation === null || explanation.shared.length === 0;
        if (explanation === null) {
            text.textContent = state !== null && state.a >= 0 ? 'Touch the second body, B.' : 'Touch a body: it is A. Then touch another one, B.';
            return;
        }
        text.textContent = explanation.texts[step] ?? '';
        drawIntervals(svg, explanation.intervals[step] ?? null);
        if (!box.hidden) {
            this.view ??= new DifferenceView(box);
            this.view.update(explanation, step, this.isPlanar);
        }
    }
}
