// SPDX-License-Identifier: MIT
// worker.ts - the engine in its own thread: it simulates, the page draws, neither waits.

import { load, type Body, type Scene, type Sudar } from '../sudar.js';
import { FlatSimulation, listFlatScenes } from './flat.js';
import { listLooks } from './looks.js';
import { Motion } from './motion.js';
import { tellExplanation } from './pair.js';
import type { Frame, FromEngine, OpenOptions, SceneInfo, Setting, ToEngine, Vector, Wants } from './protocol.js';
import { listBodySettings, listSettings } from './settings.js';
import { Simulation } from './simulation.js';
import { describeScene, openSource } from './source.js';

/** ms of stepping after which the page is heard again. */
const SLICE_MS = 12;
/** Seconds that the simulation may be behind before it gives up catching up. */
const MAX_LAG = 0.1;
const SLICE_CELLS = 64; // of a field, along each side
const GRAB_LENGTH = 1e4; // m
/** More make a step of what a page can draw no faster. */
const MAX_THREADS = 8;
/** What changes the world, or begins to: not while time is on its way somewhere, for it would come at another step. */
const CHANGES = ['advance', 'input', 'grab', 'motion'];

const port = self as unknown as {
    postMessage(message: FromEngine, transfer?: Transferable[]): void;
    onmessage: (event: MessageEvent<ToEngine>) => void;
};

let sudar: Sudar;
let simulation: Simulation | FlatSimulation | null = null;
let known = new Set<number>();
let sentRevision = -1;
let isRunning = false;
let speed = 1;
let scene = ''; // its title
let seekTo = -1;
let lag = 0;
let lastTick = 0;
let isDrawn = true;
let isChanged = false;
let timer: ReturnType<typeof setTimeout> | undefined;
let motion: Motion | null = null;
let dragged: { body: number; local: Vector; target: Vector } | null = null;
let wants: Wants = { contacts: false, joints: false, boxes: false, cells: false, islands: false, levels: false, samples: false, slice: false, lines: 0, lineSize: 0, explain: null, version: 0, selected: -1 };

const vector = ({ x, y, z }: { x: number; y: number; z: number }): Vector => [x, y, z];

// ---- what the page is told -------------------------------------------------------------------

function say(text: string): void {
    port.postMessage({ kind: 'error', text });
}

/** The body whose samples or slice are shown: the selected one, or the first that has a field. */
function findShown(s: Simulation): { number: number; shape: ReturnType<Body['getShapes']>[number] } | null {
    const bodies = s.getBodies();
    const numbers = wants.selected >= 0 && wants.selected < bodies.length ? [wants.selected] : bodies.map((_, i) => i);
    for (const number of numbers) {
        const shape = (bodies[number] as Body).getShapes().find((one) => one.getDef()?.shape.type === 'mesh');
        if (shape !== undefined && ((bodies[number] as Body).getType() === 'dynamic' || numbers.length === 1)) {
            return { number, shape };
        }
    }
    return null;
}

/** Steps of an algorithm between two bodies, if both are there. */
function explain(s: Simulation): Frame['explanation'] {
    const [a, b] = wants.explain === null ? [] : [s.getBodies()[wants.explain.a], s.getBodies()[wants.explain.b]];
    return wants.explain === null || a === undefined || b === undefined || a === b ? null
        : tellExplanation(wants.explain, sudar.View.explain(s.world, a, b, wants.explain.method));
}

function makeFrame(s: Simulation): Frame {
    const { View } = sudar;
    const { world } = s;
    const shown = wants.samples || wants.slice ? findShown(s) : null;
    const stats = world.getStats();
    return {
        kind: 'frame',
        step: s.step,
        lastStep: s.lastStep,
        time: world.getTime(),
        hash: world.getHash().toString(16).padStart(16, '0'),
        isRunning,
        poses: View.getPoses(world),
        contacts: wants.contacts ? View.getContacts(world) : null,
        joints: wants.joints ? View.getJoints(world) : null,
        boxes: wants.boxes ? View.getBoxes(world) : null,
        cells: wants.cells ? View.getCells(world) : null,
        islands: wants.islands ? View.getIslands(world) : null,
        levels: wants.levels ? View.getLevels(world) : null,
        samples: shown !== null && wants.samples ? View.getSamples(world, shown.shape) : null,
        slice: shown !== null && wants.slice ? View.getFieldSlice(world, shown.shape, SLICE_CELLS) : null,
        lines: wants.lines !== 0 ? View.getLines(world, wants.lines, wants.lineSize) : null,
        explanation: explain(s),
        shown: shown?.number ?? -1,
        version: wants.version,
        stats: { ...stats, ...View.getFigures(world) },
    };
}

function sendLooks(s: Simulation | FlatSimulation): void {
    if (s.revision !== sentRevision) {
        sentRevision = s.revision;
        const looks = s instanceof Simulation ? listLooks(sudar, s, known) : s.listLooks();
        const bodyCount = s instanceof Simulation ? s.getBodies().length : looks.length;
        const transfer = looks.flatMap(({ triangles, bodies }) => (triangles === null ? [bodies.buffer] : [bodies.buffer, triangles.buffer]));
        port.postMessage({ kind: 'looks', looks, bodyCount }, transfer as Transferable[]);
    }
}

/** When something changed and the page has drawn what it had. */
function sendFrame(): void {
    if (simulation !== null && isDrawn && isChanged) {
        sendLooks(simulation);
        const frame = simulation instanceof Simulation ? makeFrame(simulation) : simulation.makeFrame(wants, isRunning);
        const transfer = Object.values(frame).filter((value) => ArrayBuffer.isView(value)).map((value) => value.buffer);
        isDrawn = false;
        isChanged = false;
        port.postMessage(frame, transfer as Transferable[]);
    }
}

// ---- time ------------------------------------------------------------------------------------

function advance(s: Simulation | FlatSimulation): void {
    if (dragged !== null) {
        s.add({ kind: 'drag', ...dragged });
    }
    s.advance();
    isChanged = true;
}

/** All steps once more, for a file of them. */
function workOnMotion(own: Motion, end: number): void {
    const bytes = own.work(end);
    if (bytes !== null) {
        port.postMessage({ kind: 'motion', bytes });
        seekTo = own.from;
        own.free();
        motion = null;
    }
}

/** Steps that are due, as far as they fit in a slice of time. */
function work(s: Simulation | FlatSimulation): void {
    const end = performance.now() + SLICE_MS;
    if (motion !== null) {
        workOnMotion(motion, end);
        return;
    }
    if (seekTo >= 0) {
        s.rewind(seekTo);
        while (s.step < seekTo && performance.now() < end) {
            s.advance();
        }
        seekTo = s.step >= seekTo ? -1 : seekTo;
        isChanged = seekTo < 0;
        return;
    }
    const now = performance.now();
    lag = isRunning ? Math.min(lag + (speed * (now - lastTick)) / 1e3, Math.max(MAX_LAG, s.dt)) : 0;
    lastTick = now;
    while (lag >= s.dt && performance.now() < end) {
        advance(s);
        lag -= s.dt;
    }
}

function tick(): void {
    timer = undefined;
    if (simulation !== null) {
        try {
            work(simulation);
            sendFrame();
        } catch (error) {
            isRunning = false;
            seekTo = -1;
            motion?.free();
            motion = null;
            say((error as Error).message);
        }
        if (isRunning || seekTo >= 0 || motion !== null) {
            timer = setTimeout(tick, seekTo >= 0 || motion !== null ? 0 : 4);
        }
    }
}

function wake(): void {
    if (timer === undefined) {
        lastTick = performance.now();
        timer = setTimeout(tick, 0);
    }
}

// ---- what the page says ----------------------------------------------------------------------

/** A plane has none. */
const settingsOf = (s: Simulation | FlatSimulation): Setting[] =>
    (s instanceof Simulation ? [...listSettings(sudar, s.world.getDef()), ...listBodySettings(s.getBodies())] : []);

function open(options: OpenOptions): void {
    const plane = options.file === null ? listFlatScenes(sudar).find(({ name }) => name === options.scene) : undefined;
    let next: Simulation | FlatSimulation;
    let info = plane;
    if (plane !== undefined) {
        next = new FlatSimulation(sudar, plane, options);
    } else {
        const source = openSource(sudar, options.scene === '' && options.file === null ? { ...options, scene: (sudar.Scene.get(0) as Scene).name } : options);
        next = new Simulation(sudar, source, options);
        ({ info } = source);
        source.free();
    }
    motion?.free();
    motion = null;
    simulation?.free();
    simulation = next;
    scene = (info as SceneInfo).title;
    known = new Set();
    sentRevision = -1;
    dragged = null;
    lag = 0;
    isDrawn = true;
    isChanged = true;
    seekTo = options.at > 0 ? options.at : -1;
    port.postMessage({ kind: 'opened', scene: info as SceneInfo, settings: settingsOf(next), options });
}

function grab(s: Simulation | FlatSimulation, origin: Vector, direction: Vector): void {
    if (s instanceof FlatSimulation) {
        const found = s.grab(origin, direction);
        dragged = found === null ? null : { body: found.body, local: found.local, target: found.point };
        port.postMessage(found === null ? { kind: 'missed' } : { kind: 'grabbed', body: found.body, point: found.point });
        return;
    }
    const hit = s.world.raycast({ origin, translation: direction.map((d) => GRAB_LENGTH * d) });
    const { body } = hit;
    const number = body === null ? -1 : s.getBodies().findIndex((other) => other.id === body.id);
    if (body === null || number < 0 || body.getType() !== 'dynamic') {
        port.postMessage({ kind: 'missed' });
        return;
    }
    dragged = { body: number, local: vector(body.getLocalPoint(hit.point)), target: vector(hit.point) };
    port.postMessage({ kind: 'grabbed', body: number, point: vector(hit.point) });
}

function hear(s: Simulation | FlatSimulation, message: Exclude<ToEngine, { kind: 'open' }>): void {
    if (CHANGES.includes(message.kind) && (motion !== null || seekTo >= 0)) {
        throw new Error(motion !== null ? 'all steps are being written to a file: wait for it' : `time is on its way to step ${seekTo}: wait for it`);
    }
    switch (message.kind) {
        case 'run':
            isRunning = message.isRunning;
            isChanged = true;
            break;
        case 'speed':
            speed = message.value;
            break;
        case 'advance':
            for (let i = 0; i < message.steps; i += 1) {
                advance(s);
            }
            break;
        case 'seek':
            isRunning = false;
            if (motion !== null) {
                motion.from = Math.max(0, message.step);
            } else {
                seekTo = Math.max(0, message.step);
            }
            break;
        case 'input':
            if (message.input.kind === 'settings' && s instanceof Simulation) {
                // refused at once rather than in the middle of the next step
                s.set(message.input.values);
            }
            s.add(message.input);
            port.postMessage({ kind: 'settings', settings: settingsOf(s) });
            break;
        case 'grab':
            grab(s, message.origin, message.direction);
            break;
        case 'pull':
            if (dragged !== null) {
                dragged.target = message.target;
            }
            break;
        case 'letGo':
            dragged = null;
            break;
        case 'wants':
            wants = message.wants;
            isChanged = true;
            break;
        case 'motion':
            if (s instanceof FlatSimulation) {
                throw new Error('a plane has no bodies that a glTF file could hold');
            }
            isRunning = false;
            motion = new Motion(sudar, s, scene);
            break;
        case 'drawn':
            isDrawn = true;
            break;
    }
}

function take(data: ToEngine): void {
    try {
        if (data.kind === 'open') {
            open(data.options);
        } else if (simulation !== null) {
            hear(simulation, data);
        }
    } catch (error) {
        say((error as Error).message);
        if (data.kind === 'input' && simulation !== null) {
            port.postMessage({ kind: 'settings', settings: settingsOf(simulation) }); // as they are still
        }
    }
    wake();
}

port.postMessage({ kind: 'here' });
// what is said before the engine is there waits for it
const early: ToEngine[] = [];
port.onmessage = ({ data }) => early.push(data);

const log = (level: string, text: string): void => {
    if (level !== 'info') {
        console.info(`${level}: ${text}`);
    }
};
// one a processor, unless the address says how many, but for one: the page draws, and with all of them
// steps wait for pictures. What does not start is done without
const asked = Number(new URLSearchParams(location.search).get('threads') ?? 0);
const spare = Math.max(navigator.hardwareConcurrency - 1, 1);
const threads = Math.min(Number.isInteger(asked) && asked > 0 ? asked : spare, MAX_THREADS);
sudar = await load(undefined, { log, threads }).catch(() => load(undefined, { log }));
const scenes = Array.from({ length: sudar.Scene.getCount() }, (_, i) => describeScene(sudar.Scene.get(i) as Scene));
port.postMessage({ kind: 'scenes', scenes: [...scenes, ...listFlatScenes(sudar)], threads: sudar.threadCount });
port.onmessage = ({ data }) => take(data);
early.forEach(take);
