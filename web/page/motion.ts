// SPDX-License-Identifier: MIT
// motion.ts - all steps so far as an animated glTF file, had again from the start.

import type { GlbWriter, Sudar } from '../sudar.js';
import type { Simulation } from './simulation.js';

const FRAMES_PER_SECOND = 30;

export class Motion {
    private writer: GlbWriter | null = null;
    private readonly every: number;
    /** Where time stood, and is to stand again. */
    from: number;

    constructor(private readonly sudar: Sudar, private readonly simulation: Simulation, private readonly title: string) {
        this.from = simulation.step;
        this.every = Math.max(1, Math.round(1 / FRAMES_PER_SECOND / simulation.dt));
    }

    /** A part of the work: first to the end, where all bodies are that ever came, then from the start.
     * @return the file when it is done */
    work(until: number): Uint8Array | null {
        const { simulation } = this;
        if (this.writer === null) {
            while (simulation.step < simulation.lastStep && performance.now() < until) {
                simulation.advance();
            }
            if (simulation.step < simulation.lastStep) {
                return null;
            }
            this.writer = this.sudar.GlbWriter.create(simulation.world, this.title);
            simulation.rewind(0);
            this.writer.addFrame(simulation.world, 0);
        }
        while (simulation.step < simulation.lastStep && performance.now() < until) {
            simulation.advance();
            if (simulation.step % this.every === 0 || simulation.step === simulation.lastStep) {
                this.writer.addFrame(simulation.world, simulation.world.getTime());
            }
        }
        return simulation.step < simulation.lastStep ? null : this.writer.getBytes();
    }

    free(): void {
        this.writer?.free();
        this.writer = null;
    }
}
