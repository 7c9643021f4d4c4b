// SPDX-License-Identifier: MIT
// source.ts - where a world comes from: a scene by name, or a file.

import type { Scene, SceneFile, Sudar, World, WorldDef } from '../sudar.js';
import type { OpenOptions, SceneInfo, Vector } from './protocol.js';

/** Where a file without a camera is looked at from. */
const EYE: Vector = [6, 5, 9];

export interface Source {
    info: SceneInfo;
    def: WorldDef;
    build(world: World): void;
    free(): void;
}

const vector = ({ x, y, z }: { x: number; y: number; z: number }): Vector => [x, y, z];

export function describeScene(scene: Scene): SceneInfo {
    const { name, title, text, sizeName, size, minSize, maxSize, dt } = scene;
    return { name, title, text, sizeName, size, minSize, maxSize, dt, eye: vector(scene.eye), target: vector(scene.target) };
}

function openFile(sudar: Sudar, name: string, text: string): Source {
    const file: SceneFile = sudar.SceneFile.parse(name, text);
    const info = file.getInfo();
    const def = file.getWorldDef();
    if (info === null || def === null) {
        throw new Error(`${name} has nothing in it`);
    }
    return {
        info: {
            name,
            title: info.title || info.name || name,
            text: info.text || `A scene file with ${file.getBodyCount()} bodies.`,
            sizeName: '',
            size: 1,
            minSize: 1,
            maxSize: 1,
            dt: info.dt,
            eye: info.hasCamera ? vector(info.eye) : EYE,
            target: info.hasCamera ? vector(info.target) : [0, 0, 0],
        },
        def,
        build: (world) => file.build(world),
        free: () => file.free(),
    };
}

export function openSource(sudar: Sudar, options: OpenOptions): Source {
    if (options.file !== null) {
        return openFile(sudar, options.file.name, options.file.text);
    }
    const scene = sudar.Scene.find(options.scene);
    if (scene === null) {
        throw new Error(`there is no scene '${options.scene}'`);
    }
    return {
        info: describeScene(scene),
        def: sudar.Scene.getWorldDef(scene),
        build: (world) => sudar.Scene.build(scene, world, { size: options.size, seed: BigInt(options.seed) }),
        free: () => undefined,
    };
}
