// SPDX-License-Identifier: MIT
// pair.ts - an explanation of the engine as words and arrays that can be handed over.

import type { Explanation as Steps } from '../sudar.js';
import type { Explanation, PairWanted } from './protocol.js';

/** The engine's object is freed. */
export function tellExplanation(wanted: PairWanted, steps: Steps): Explanation {
    const numbers = Array.from({ length: steps.getStepCount() }, (_, i) => i);
    const told = {
        ...wanted,
        texts: numbers.map((i) => steps.getText(i) ?? ''),
        shared: steps.getMarks(-1),
        marks: numbers.map((i) => steps.getMarks(i)),
        intervals: numbers.map((i) => steps.getIntervals(i)),
        found: steps.getFound(),
        answer: steps.getAnswer(),
    };
    steps.free();
    return told;
}
