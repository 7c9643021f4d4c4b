// SPDX-License-Identifier: MIT
// brute.c - every two proxies, with and without bounding volumes.
//
// In:   the front end's boxes; keeps nothing of its own.
// Out:  all pairs that have a touched member, in O(touched * n).
// Ref:  S1 §3.1 and §5.3: n (n - 1) / 2 tests a step, which is where the other kinds start from.
// Note: short and plain, because the other kinds are tested against it.

#include "broadphase/broadphase.h"

static sdResult update(sdBroadphase* broadphase, const int* changed, int count) {
    (void)broadphase;
    (void)changed;
    (void)count;
    return SD_OK;
}

static void clear(sdBroadphase* broadphase) {
    (void)broadphase;
}

typedef struct FindTask {
    sdBroadphase* broadphase;
    const int* touched;
    bool ignoresBoxes;
} FindTask;

static void findTask(void* arg, int begin, int end, int worker) {
    const FindTask* task = arg;
    sdBroadphase* bp = task->broadphase;
    sdPairSink* sink = bp->sinks + worker;
    for (int i = begin; i < end; ++i) {
        int a = task->touched[i];
        for (int b = 0; b < bp->ids.slotCount; ++b) {
            // of two that are touched, the one with the smaller slot looks for the other
            if (b <= a && (b == a || sdBitSet_Test(&bp->touched, b))) {
                continue;
            }
            sink->testCount += 1;
            if ((task->ignoresBoxes || sdAABB_Overlaps(bp->boxes[a], bp->boxes[b])) &&
                sdBroadphase_IsPresent(bp, b) && !sdPairSink_Add(bp, sink, a, b)) {
                return;
            }
        }
    }
}

static void findPairs(sdBroadphase* broadphase, const int* touched, int count) {
    FindTask task = {broadphase, touched, broadphase->ops->ignoresBoxes};
    const sdTaskSystem* tasks = &broadphase->context.tasks;
    tasks->parallelFor(tasks->user, findTask, &task, count, 1);
}

static void queryBox(const sdBroadphase* broadphase, const sdBoxQuery* query) {
    for (int slot = 0; slot < broadphase->ids.slotCount; ++slot) {
        if (sdAABB_Overlaps(broadphase->boxes[slot], query->box) &&
            !sdBoxQuery_Visit(query, slot)) {
            return;
        }
    }
}

static void cast(const sdBroadphase* broadphase, sdCastQuery* query) {
    for (int slot = 0; slot < broadphase->ids.slotCount; ++slot) {
        if (!sdCastQuery_Visit(query, slot)) {
            return;
        }
    }
}

static void getStats(const sdBroadphase* broadphase, sdBroadphaseStats* stats) {
    (void)broadphase;
    (void)stats;
}

static void visitCells(const sdBroadphase* broadphase, sdCellFcn* visit, void* arg) {
    (void)broadphase;
    (void)visit;
    (void)arg;
}

static const char* validate(const sdBroadphase* broadphase) {
    (void)broadphase;
    return NULL;
}

const sdBroadphaseOps sdBrute_Ops = {.name = "brute",
                                     .update = update,
                                     .findPairs = findPairs,
                                     .queryBox = queryBox,
                                     .cast = cast,
                                     .getStats = getStats,
                                     .visitCells = visitCells,
                                     .validate = validate,
                                     .clear = clear};

const sdBroadphaseOps sdAllPairs_Ops = {.name = "all-pairs",
                                        .ignoresBoxes = true,
                                        .update = update,
                                        .findPairs = findPairs,
                                        .queryBox = queryBox,
                                        .cast = cast,
                                        .getStats = getStats,
                                        .visitCells = visitCells,
                                        .validate = validate,
                                        .clear = clear};
