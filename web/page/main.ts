// SPDX-License-Identifier: MIT
// main.ts - buttons, slider and lists of the page, tied to the app.

import { App } from './app.js';
import { ExplainPanel } from './explain.js';
import { Recorder, save } from './files.js';
import { fillHelp, listenToKeys, type Key } from './keys.js';
import { Panel } from './panel.js';
import { Plots } from './plots.js';
import type { Frame, FromEngine, SceneInfo, Setting, Vector } from './protocol.js';
import { COLORINGS } from './bodies.js';
import { isPlanar } from './view.js';

const ERROR_MS = 8000;
const DROPPED = 10; // bodies of a mesh
const DROPPED_SIZE = 0.12; // of the distance of the camera

const find = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const time = find<HTMLInputElement>('time');
const size = find<HTMLInputElement>('size');
const play = find<HTMLButtonElement>('play');
const help = find<HTMLDialogElement>('help');
const main = document.querySelector('main') as HTMLElement;

let errorTimer: ReturnType<typeof setTimeout> | undefined;

function showError(text: string): void {
    const box = find('error');
    box.textContent = text;
    box.hidden = false;
    clearTimeout(errorTimer);
    errorTimer = setTimeout(() => { box.hidden = true; }, ERROR_MS);
}

// ---- what is shown ---------------------------------------------------------------------------

function showScenes(scenes: SceneInfo[]): void {
    find('scenes').replaceChildren(...scenes.map(({ name, title, text }) => {
        const button = document.createElement('button');
        button.dataset.scene = name;
        button.append(title);
        const small = document.createElement('small');
        small.textContent = text;
        button.append(small);
        button.addEventListener('click', () => app.open(name, 0));
        return button;
    }));
}

function showScene(scene: SceneInfo, chosen: number): void {
    find('title').textContent = scene.title;
    find('text').textContent = scene.text;
    document.title = `${scene.title} - Sudar`;
    document.body.dataset.scene = scene.name;
    size.min = String(scene.minSize);
    size.max = String(scene.maxSize);
    size.value = String(chosen === 0 ? scene.size : chosen);
    size.title = scene.sizeName;
    find('scenes').querySelectorAll('button').forEach((button) => {
        const isThis = button.dataset.scene === scene.name;
        button.setAttribute('aria-current', String(isThis));
        if (isThis) {
            button.scrollIntoView({ block: 'nearest' });
        }
    });
}

function showFrame(frame: Frame): void {
    const { stats } = frame;
    time.max = String(frame.lastStep);
    if (document.activeElement !== time || app.isRunning) {
        time.value = String(frame.step);
    }
    find('clock').textContent = `${frame.time.toFixed(2)} s, step ${frame.step}`;
    find('clock').title = `hash ${frame.hash}`;
    find('figures').textContent = frame.note ?? `${stats.bodyCount} bodies, ${stats.awakeCount} awake · ${stats.pointCount} points · ${stats.stepMs.toFixed(2)} ms`;
    document.body.dataset.running = String(frame.isRunning);
    document.body.dataset.step = String(frame.step);
    document.body.dataset.hash = frame.hash;
    plots.add(frame);
    explain.hear(frame.explanation ?? null);
}

/** Settings that the panel is still to be made of. */
let settings: Setting[] | null = null;

/** When the first picture of a scene is on the screen: it does not wait for controls and plots. */
function buildPanel(): void {
    if (settings !== null) {
        const told = settings;
        settings = null;
        requestAnimationFrame(() => setTimeout(() => {
            panel.build(told, app.state.view);
            plots.show();
        }));
    }
}

function hear(message: FromEngine): void {
    switch (message.kind) {
        case 'opened':
            delete document.body.dataset.step;
            showScene(message.scene, message.options.size);
            settings = message.settings;
            plots.clear();
            break;
        case 'settings':
            if (settings === null) {
                panel.update(message.settings);
            } else {
                settings = message.settings;
            }
            break;
        case 'frame':
            showFrame(message);
            buildPanel();
            break;
        case 'motion':
            save(`${app.state.options.scene}.glb`, new Blob([message.bytes as BlobPart], { type: 'model/gltf-binary' }));
            find('motion').removeAttribute('aria-busy');
            break;
        case 'error':
            find('motion').removeAttribute('aria-busy');
            showError(message.text);
            break;
    }
}

function showState(): void {
    play.textContent = app.isRunning ? 'Pause' : 'Play';
    find('compare').setAttribute('aria-pressed', String(app.panes.length > 1));
    find('follow').setAttribute('aria-pressed', String(app.pane.isFollowing));
    find<HTMLSelectElement>('speed').value = String(app.state.speed);
    const isExplaining = app.state.explain !== null;
    find('explain-open').setAttribute('aria-pressed', String(isExplaining));
    explain.set(app.state.explain, isPlanar(app.state.options.scene));
    app.panes.forEach((pane) => { pane.onPick = isExplaining ? (body) => explain.pick(body) : null; });
}

// ---- what is done ----------------------------------------------------------------------------

const explain = new ExplainPanel((state) => app.setExplain(state));
const plots = new Plots(find('plots'));
const panel = new Panel(find('panel'), {
    onSetting: (values) => app.input({ kind: 'settings', values }),
    onView: (view) => app.setView(view),
});
const app = new App(find('panes'), { onScenes: showScenes, onMessage: hear, onChange: showState });
const recorder = new Recorder((bytes) => { find('record').dataset.bytes = String(bytes); }, showError);

function toggleFollow(): void {
    app.panes.forEach((pane) => { pane.isFollowing = !pane.isFollowing; });
    showState();
}

function toggleRecord(): void {
    try {
        if (recorder.isOn) {
            recorder.stop();
        } else {
            recorder.start(app.pane.stage.renderer.domElement, app.state.options.scene);
        }
    } catch (error) {
        showError((error as Error).message);
    }
    find('record').setAttribute('aria-pressed', String(recorder.isOn));
}

/** All steps so far, made once more by the engine. */
function saveMotion(): void {
    find('motion').setAttribute('aria-busy', 'true');
    app.run(false);
    app.pane.post({ kind: 'motion' });
}

/** The body that was touched last is A. */
function toggleExplain(): void {
    app.setExplain(app.state.explain !== null ? null : { method: 'gjk', a: app.pane.selected, b: -1, step: 0 });
}

function toggleTheme(isDark: boolean): void {
    app.setTheme(isDark);
    plots.hide();
    plots.show();
}

async function share(): Promise<void> {
    const link = app.makeLink();
    history.replaceState(null, '', link);
    try {
        await navigator.clipboard.writeText(link);
        find('share').textContent = 'Copied';
    } catch {
        find('share').textContent = 'In the address';
    }
    setTimeout(() => { find('share').textContent = 'Link'; }, 2000);
}

async function dropFile(file: File | undefined): Promise<void> {
    if (file === undefined) {
        return;
    }
    try {
        // those who read files come when there is one
        const { readMesh, readText } = await import('./meshes.js');
        if (file.name.endsWith('.json')) {
            app.open('', 0, { name: file.name, text: await readText(file) });
            return;
        }
        const { eye, target } = app.pane.stage.getCamera();
        const bodySize = DROPPED_SIZE * Math.hypot(...eye.map((value, i) => value - (target[i] as number)));
        const { vertices, triangles } = await readMesh(file, bodySize);
        const at: Vector = [target[0], target[1] + 2 * bodySize, target[2]];
        app.input({ kind: 'drop', vertices, triangles, count: DROPPED, size: bodySize, at });
        // bodies come with a step: show them also while time stands still
        if (!app.isRunning) {
            app.advance();
        }
    } catch (error) {
        showError((error as Error).message);
    }
}

function changeView(change: (view: typeof app.state.view) => void): void {
    change(app.state.view);
    app.setView(app.state.view);
    panel.updateViews();
}

const reset = (): void => app.reset();
const toggleScenes = (): void => {
    const isHidden = main.classList.toggle('no-scenes');
    find('menu').setAttribute('aria-expanded', String(!isHidden));
};

const keys: Key[] = [
    { key: ' ', text: 'play or pause', act: () => app.run(!app.isRunning) },
    { key: 'ArrowRight', text: 'one step', act: () => app.advance() },
    { key: 'ArrowLeft', text: 'one step back', act: () => app.seek((app.pane.frame?.step ?? 1) - 1) },
    { key: 'r', text: 'reset', act: reset },
    { key: 't', text: 'throw a ball', act: () => app.pane.throwBall() },
    { key: 'f', text: 'follow the body that was touched last', act: toggleFollow },
    { key: 'w', text: 'wireframe', act: () => changeView((view) => { view.wireframe = !view.wireframe; }) },
    { key: 'c', text: 'contact points and normals', act: () => changeView((view) => { view.contacts = !view.contacts; view.normals = view.contacts; }) },
    { key: 'b', text: 'bounding boxes', act: () => changeView((view) => { view.boxes = !view.boxes; }) },
    { key: 'j', text: 'joints', act: () => changeView((view) => { view.joints = !view.joints; }) },
    { key: 'i', text: 'next colouring: bodies, islands, sleep, levels, touching', act: () => changeView((view) => { view.coloring = COLORINGS[(COLORINGS.indexOf(view.coloring) + 1) % COLORINGS.length] ?? 'bodies'; }) },
    { key: 'e', text: 'explain a pair: touch two bodies', act: toggleExplain },
    { key: ']', text: 'next step of what is explained', act: () => explain.go(1) },
    { key: '[', text: 'step before it', act: () => explain.go(-1) },
    { key: 'g', text: 'save all steps so far as GLB', act: saveMotion },
    { key: 'm', text: 'list of scenes', act: toggleScenes },
    { key: '?', text: 'this list', act: () => help.showModal() },
];

const onClick = (id: string, act: () => void): void => find(id).addEventListener('click', act);
onClick('play', () => app.run(!app.isRunning));
onClick('step', () => app.advance());
onClick('reset', reset);
onClick('throw', () => app.pane.throwBall());
onClick('follow', toggleFollow);
onClick('compare', () => app.setCompare(app.panes.length === 1));
onClick('record', toggleRecord);
onClick('motion', saveMotion);
onClick('explain-open', toggleExplain);
onClick('share', () => void share());
onClick('theme', () => toggleTheme(!app.isDark));
onClick('help-open', () => help.showModal());
onClick('menu', toggleScenes);
onClick('csv', () => save(`${app.state.options.scene}.csv`, new Blob([plots.toCsv()], { type: 'text/csv' })));
time.addEventListener('input', () => app.seek(Number(time.value)));
size.addEventListener('change', () => app.open(app.state.options.scene, Number(size.value)));
find<HTMLSelectElement>('speed').addEventListener('change', ({ target }) => app.setSpeed(Number((target as HTMLSelectElement).value)));
find<HTMLInputElement>('file').addEventListener('change', ({ target }) => void dropFile((target as HTMLInputElement).files?.[0]));

const panes = find('panes');
for (const name of ['dragenter', 'dragover']) {
    panes.addEventListener(name, (event) => {
        event.preventDefault();
        panes.classList.add('target');
    });
}
panes.addEventListener('dragleave', () => panes.classList.remove('target'));
panes.addEventListener('drop', (event) => {
    event.preventDefault();
    panes.classList.remove('target');
    void dropFile(event.dataTransfer?.files[0]);
});

listenToKeys(keys);
fillHelp(find('keys'), keys);
app.setTheme(app.isDark);
showState();
if (matchMedia('(max-width: 800px)').matches) {
    toggleScenes();
}
