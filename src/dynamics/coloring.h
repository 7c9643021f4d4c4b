// SPDX-License-Identifier: MIT
// coloring.h - constraints between two bodies in batches of eight that can be solved at once.
//
// No two constraints of a colour push the same body. Eight of one colour make a batch, and batches
// of one colour may run on any worker in any order; colours come one after the other, so the result
// is the same for any number of workers. Within a colour, constraints of one kind come together, so
// that few lanes are idle.

#ifndef SD_DYNAMICS_COLORING_H
#define SD_DYNAMICS_COLORING_H

#include "base/simd.h"
#include "dynamics/step.h"

/// Colours that may be shared by lanes; constraints beyond have a batch each.
#define SD_COLOR_COUNT 32
/// Kinds of constraints: those with the most work are kind 0.
#define SD_COLOR_KINDS 16

typedef struct sdColorItem {
    int stateA, stateB; ///< SD_NULL_INDEX: does not move
    int kind;           ///< 0 .. SD_COLOR_KINDS - 1
} sdColorItem;

typedef struct sdColoring {
    int batchCount;
    int colorCount;
    int colorStarts[SD_COLOR_COUNT + 1]; ///< first batch of each colour; overflow follows the last
    int* lanes; ///< item of each lane of each batch, SD_NULL_INDEX for none; full ones first
} sdColoring;

/// @param arena of the lanes
/// @return false when memory is short
bool sdColoring_Make(sdColoring* coloring, sdStep* step, sdArena* arena, const sdColorItem* items,
                     int count);

/// Whether constraints change a body: only such bodies must not be in two lanes at once.
static inline bool sdStep_IsPushed(const sdStep* step, int state) {
    return state >= 0 && step->states[state].inverseMass > 0.0f;
}

/// Run a task over all batches, colour by colour; within the sub-steps.
void sdColoring_Sweep(const sdColoring* coloring, sdTeam* team, sdTaskFcn* task, void* arg);

#endif
