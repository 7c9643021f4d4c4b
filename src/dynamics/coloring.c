// SPDX-License-Identifier: MIT
// coloring.c - see coloring.h.
//
// Note: greedy, in the order of the items: each takes the first colour that neither of its bodies
//       has. A body with more than SD_COLOR_COUNT constraints leaves the rest without one.

#include "dynamics/coloring.h"

/// Batches per task.
#define BATCH_GRAIN 8
#define CLASS_COUNT ((SD_COLOR_COUNT + 1) * SD_COLOR_KINDS)

/// @param taken receives the colours that each body has
/// @param colors receives that of each item
static void pickColors(sdStep* step, const sdColorItem* items, int count, uint32_t* taken,
                       uint8_t* colors) {
    memset(taken, 0, (size_t)step->bodyCount * sizeof *taken);
    for (int i = 0; i < count; ++i) {
        const sdColorItem* item = &items[i];
        bool isPushedA = sdStep_IsPushed(step, item->stateA);
        bool isPushedB = sdStep_IsPushed(step, item->stateB);
        uint32_t used =
            (isPushedA ? taken[item->stateA] : 0u) | (isPushedB ? taken[item->stateB] : 0u);
        int color = used != 0xFFFFFFFFu ? __builtin_ctz(~used) : SD_COLOR_COUNT;
        colors[i] = (uint8_t)color;
        // one that has no colour left leaves its partners without one
        uint32_t bit = color < SD_COLOR_COUNT ? 1u << color : 0u;
        if (isPushedA) {
            taken[item->stateA] |= bit;
            step->motions[item->stateA].isFree = false;
        }
        if (isPushedB) {
            taken[item->stateB] |= bit;
            step->motions[item->stateB].isFree = false;
        }
    }
}

/// Where each class begins, in lanes.
static void placeClasses(sdColoring* coloring, const int* counts, int* next) {
    int batch = 0;
    for (int c = 0; c <= SD_COLOR_COUNT; ++c) {
        // those without a colour have a batch each
        int stride = c < SD_COLOR_COUNT ? 1 : SD_LANES;
        int lane = batch * SD_LANES;
        coloring->colorStarts[c] = batch;
        for (int i = 0; i < SD_COLOR_KINDS; ++i) {
            next[c * SD_COLOR_KINDS + i] = lane;
            lane += stride * counts[c * SD_COLOR_KINDS + i];
        }
        if (c < SD_COLOR_COUNT && lane > batch * SD_LANES) {
            coloring->colorCount = c + 1;
        }
        batch = (lane + SD_LANES - 1) / SD_LANES;
    }
    coloring->batchCount = batch;
}

bool sdColoring_Make(sdColoring* coloring, sdStep* step, sdArena* arena, const sdColorItem* items,
                     int count) {
    sdArena* own = &step->world->arena;
    uint32_t* taken = sdArena_Alloc(own, (size_t)step->bodyCount + 1, sizeof *taken);
    uint8_t* colors = sdArena_Alloc(own, (size_t)count + 1, sizeof *colors);
    if (taken == NULL || colors == NULL) {
        return false;
    }
    pickColors(step, items, count, taken, colors);
    int counts[CLASS_COUNT] = {0}, next[CLASS_COUNT];
    for (int i = 0; i < count; ++i) {
        counts[colors[i] * SD_COLOR_KINDS + items[i].kind] += 1;
    }
    *coloring = (sdColoring){0};
    placeClasses(coloring, counts, next);
    size_t laneCount = (size_t)coloring->batchCount * SD_LANES;
    coloring->lanes = sdArena_Alloc(arena, laneCount + 1, sizeof *coloring->lanes);
    if (coloring->lanes == NULL) {
        return false;
    }
    for (size_t i = 0; i < laneCount; ++i) {
        coloring->lanes[i] = SD_NULL_INDEX;
    }
    for (int i = 0; i < count; ++i) {
        int* lane = &next[colors[i] * SD_COLOR_KINDS + items[i].kind];
        coloring->lanes[*lane] = i;
        *lane += colors[i] < SD_COLOR_COUNT ? 1 : SD_LANES;
    }
    return true;
}

typedef struct SweepTask {
    sdTaskFcn* task;
    void* arg;
    int first; ///< batch of the colour
} SweepTask;

static void runPart(void* arg, int begin, int end, int worker) {
    const SweepTask* sweep = (const SweepTask*)arg;
    sweep->task(sweep->arg, sweep->first + begin, sweep->first + end, worker);
}

void sdColoring_Sweep(const sdColoring* coloring, sdTeam* team, sdTaskFcn* task, void* arg) {
    for (int c = 0; c < coloring->colorCount; ++c) {
        int first = coloring->colorStarts[c];
        SweepTask sweep = {task, arg, first};
        sdTeam_For(team, runPart, &sweep, coloring->colorStarts[c + 1] - first, BATCH_GRAIN);
    }
    // those without a colour one after the other
    int first = coloring->colorStarts[SD_COLOR_COUNT];
    if (first < coloring->batchCount) {
        task(arg, first, coloring->batchCount, 0);
    }
}
