// SPDX-License-Identifier: MIT
// joint_grip.c - which points of contacts hold the bodies of slender sets.
//
// In:   groups of joints, batches of contacts.
// Out:  grips of the groups' bodies.

#include "dynamics/joint_grip.h"

#include "dynamics/joint_tree.h"

/// Batches ahead of the one at hand whose patches are asked for: they lie in no order.
#define BATCHES_AHEAD 2

/// A patch that holds a body.
typedef struct Hold {
    sdSoftBatch* batch;
    int lane;
    int next; ///< of the same body; SD_NULL_INDEX: it is the last
    uint8_t pointCount;
    bool isB; ///< the body is B
} Hold;

/// Those of all bodies, in lists: what each body has of them is two numbers, so that those of all
/// stay in the caches.
typedef struct Holds {
    int* first; ///< of each state; SD_NULL_INDEX: none
    int* last;  ///< not set where there is none
    Hold* items;
    int count;
} Holds;

/// Add one at the end of its body's list.
static void addHold(Holds* holds, int state, Hold hold) {
    int index = holds->count++;
    holds->items[index] = hold;
    if (holds->first[state] == SD_NULL_INDEX) {
        holds->first[state] = index;
    } else {
        holds->items[holds->last[state]].next = index;
    }
    holds->last[state] = index;
}

/// Ask for the patches of a batch.
SD_PREFETCHING void prefetchPatches(const sdStep* step, const sdSoftBatch* batch) {
    for (int lane = 0; lane < SD_LANES && batch->patches[lane] != SD_NULL_INDEX; ++lane) {
        sdPrefetch(&step->patches[batch->patches[lane]].pointCount, 1);
    }
}

/// List what holds bodies of slender sets.
static void listHolds(const sdJointSolver* solver, const sdSoftSolver* contacts, Holds* holds) {
    const sdStep* step = solver->step;
    int batchCount = contacts->coloring.batchCount;
    for (int i = 0; i < batchCount; ++i) {
        sdSoftBatch* batch = contacts->batches[i];
        prefetchPatches(step, contacts->batches[sdMinI(i + BATCHES_AHEAD, batchCount - 1)]);
        for (int lane = 0; lane < SD_LANES && batch->patches[lane] != SD_NULL_INDEX; ++lane) {
            bool movesA = (batch->writesA >> lane & 1) != 0;
            bool movesB = (batch->writesB >> lane & 1) != 0;
            int state = movesA ? batch->stateA[lane] : batch->stateB[lane];
            if (movesA != movesB && solver->setOf[state] != SD_NULL_INDEX) {
                uint8_t pointCount = step->patches[batch->patches[lane]].pointCount;
                addHold(holds, state, (Hold){batch, lane, SD_NULL_INDEX, pointCount, movesB});
            }
        }
    }
}

/// The points of a body that count.
static int countGrips(const Holds* holds, int state) {
    int count = 0;
    for (int i = holds->first[state]; i != SD_NULL_INDEX; i = holds->items[i].next) {
        count += holds->items[i].pointCount;
    }
    return sdMinI(count, SD_MAX_GRIPS);
}

/// Put the points of a patch into a lane of grips.
/// @param first grip that is free
/// @return the next one
static int fillLane(sdTreeGrip* grips, int first, int lane, const Hold* hold) {
    sdSoftBatch* batch = hold->batch;
    int at = hold->lane;
    sdVec3 n = sdVec3x8_GetLane(&batch->normal, at);
    sdVec3 center = sdVec3x8_GetLane(hold->isB ? &batch->centerB : &batch->centerA, at);
    n = hold->isB ? n : sdNeg(n);
    int end = sdMinI(first + hold->pointCount, SD_MAX_GRIPS);
    for (int i = first; i < end; ++i) {
        sdSoftPoint* point = &batch->points[i - first];
        sdVec3 arm = sdAdd(center, sdVec3x8_GetLane(&point->r, at));
        grips[i].impulses[lane] = (float*)(void*)&point->impulse + at;
        grips[i].batches[lane] = batch;
        grips[i].lanes[lane] = at;
        sdVec3x8_SetLane(&grips[i].normal, lane, n);
        sdVec3x8_SetLane(&grips[i].spin, lane, sdCross(arm, n));
    }
    return end;
}

/// Put the grips of eight bodies into lanes.
static bool fillBody(sdJointSolver* solver, const int states[SD_LANES], const Holds* holds,
                     sdTreeKept* body) {
    int counts[SD_LANES], most = 0;
    for (int lane = 0; lane < SD_LANES; ++lane) {
        bool isPushed = sdStep_IsPushed(solver->step, states[lane]);
        counts[lane] = isPushed ? countGrips(holds, states[lane]) : 0;
        most = sdMaxI(most, counts[lane]);
    }
    if (most == 0) {
        return true;
    }
    body->gripCount = most;
    body->grips = sdArena_Alloc(&solver->step->world->arena, (size_t)most, sizeof *body->grips);
    if (body->grips == NULL) {
        return false;
    }
    memset(body->grips, 0, (size_t)most * sizeof *body->grips);
    for (int lane = 0; lane < SD_LANES; ++lane) {
        int hold = counts[lane] > 0 ? holds->first[states[lane]] : SD_NULL_INDEX;
        for (int i = 0; i < counts[lane]; hold = holds->items[hold].next) {
            i = fillLane(body->grips, i, lane, &holds->items[hold]);
        }
    }
    return true;
}

bool sdJointSolver_FindGrips(sdJointSolver* solver, const sdSoftSolver* contacts) {
    const sdStep* step = solver->step;
    if (solver->heldCount == 0) {
        return true;
    }
    sdArena* arena = &step->world->arena;
    Holds holds = {
        .first = sdArena_Alloc(arena, (size_t)step->bodyCount + 1, sizeof *holds.first),
        .last = sdArena_Alloc(arena, (size_t)step->bodyCount + 1, sizeof *holds.last),
        .items = sdArena_Alloc(arena, (size_t)step->patchCount + 1, sizeof *holds.items),
    };
    if (holds.first == NULL || holds.last == NULL || holds.items == NULL) {
        return false;
    }
    for (int i = 0; i < step->bodyCount; ++i) {
        holds.first[i] = SD_NULL_INDEX;
    }
    listHolds(solver, contacts, &holds);
    for (int i = 0; i < solver->heldCount; ++i) {
        sdTreeGroup* group = &solver->groups[solver->shared[i]];
        for (int slot = 0; slot < group->plan->bodyCount; ++slot) {
            const int* states = group->plan->states + slot * SD_LANES;
            if (!fillBody(solver, states, &holds, &group->kept[slot])) {
                return false;
            }
            group->hasGrips = group->hasGrips || group->kept[slot].gripCount > 0;
        }
    }
    return true;
}
