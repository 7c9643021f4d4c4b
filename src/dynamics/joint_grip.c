// SPDX-License-Identifier: MIT
// joint_grip.c - which points of contacts hold the bodies of slender sets.
//
// In:   groups of joints, batches of contacts.
// Out:  grips of the groups' bodies.

#include "dynamics/joint_grip.h"

#include "dynamics/joint_tree.h"

/// A point that holds a body.
typedef struct Grip {
    float* impulse;
    sdSoftBatch* batch;
    int lane;
    sdVec3 normal, spin;
} Grip;

typedef struct Grips {
    int count;
    Grip items[SD_MAX_GRIPS];
} Grips;

/// Add the points of a patch to those of a body.
static void addPatch(Grips* grips, sdSoftBatch* batch, int lane, bool isB, int pointCount) {
    sdVec3 n = sdVec3x8_GetLane(&batch->normal, lane);
    sdVec3 center = sdVec3x8_GetLane(isB ? &batch->centerB : &batch->centerA, lane);
    n = isB ? n : sdNeg(n);
    for (int i = 0; i < pointCount && grips->count < SD_MAX_GRIPS; ++i) {
        sdSoftPoint* point = &batch->points[i];
        sdVec3 arm = sdAdd(center, sdVec3x8_GetLane(&point->r, lane));
        float* impulse = (float*)(void*)&point->impulse + lane;
        grips->items[grips->count++] = (Grip){impulse, batch, lane, n, sdCross(arm, n)};
    }
}

/// Those of all bodies, by state.
static void listGrips(const sdStep* step, const sdSoftSolver* contacts, Grips* grips) {
    for (int i = 0; i < contacts->coloring.batchCount; ++i) {
        sdSoftBatch* batch = contacts->batches[i];
        for (int lane = 0; lane < SD_LANES && batch->patches[lane] != SD_NULL_INDEX; ++lane) {
            const sdActivePatch* patch = &step->patches[batch->patches[lane]];
            bool movesA = sdStep_IsPushed(step, patch->stateA);
            bool movesB = sdStep_IsPushed(step, patch->stateB);
            int state = movesA ? patch->stateA : patch->stateB;
            if (movesA != movesB && step->motions[state].hasJoints) {
                addPatch(&grips[state], batch, lane, movesB, patch->pointCount);
            }
        }
    }
}

static int stateAt(const sdJointSolver* solver, const sdTreePlan* plan, int slot, int lane) {
    int joint = plan->joints[plan->slots[slot].node * SD_LANES + lane];
    if (joint == SD_NULL_INDEX) {
        return SD_NULL_INDEX;
    }
    const sdActiveJoint* active = &solver->joints[joint];
    int state = plan->slots[slot].isB ? active->stateB : active->stateA;
    return sdStep_IsPushed(solver->step, state) ? state : SD_NULL_INDEX;
}

/// Put the grips of eight bodies into lanes.
static bool fillBody(sdJointSolver* solver, const sdTreePlan* plan, int slot, const Grips* grips,
                     sdTreeKept* body) {
    int states[SD_LANES], most = 0;
    for (int lane = 0; lane < SD_LANES; ++lane) {
        states[lane] = stateAt(solver, plan, slot, lane);
        most = states[lane] >= 0 ? sdMaxI(most, grips[states[lane]].count) : most;
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
        const Grips* own = states[lane] >= 0 ? &grips[states[lane]] : NULL;
        for (int i = 0; own != NULL && i < own->count; ++i) {
            body->grips[i].impulses[lane] = own->items[i].impulse;
            body->grips[i].batches[lane] = own->items[i].batch;
            body->grips[i].lanes[lane] = own->items[i].lane;
            sdVec3x8_SetLane(&body->grips[i].normal, lane, own->items[i].normal);
            sdVec3x8_SetLane(&body->grips[i].spin, lane, own->items[i].spin);
        }
    }
    return true;
}

bool sdJointSolver_FindGrips(sdJointSolver* solver, const sdSoftSolver* contacts) {
    const sdStep* step = solver->step;
    if (solver->heldCount == 0) {
        return true;
    }
    Grips* grips = sdArena_Alloc(&step->world->arena, (size_t)step->bodyCount + 1, sizeof *grips);
    if (grips == NULL) {
        return false;
    }
    for (int i = 0; i < step->bodyCount; ++i) {
        grips[i].count = 0;
    }
    listGrips(step, contacts, grips);
    for (int i = 0; i < solver->heldCount; ++i) {
        sdTreeGroup* group = &solver->groups[solver->shared[i]];
        for (int slot = 0; slot < group->plan->bodyCount; ++slot) {
            if (!fillBody(solver, group->plan, slot, grips, &group->kept[slot])) {
                return false;
            }
            group->hasGrips = group->hasGrips || group->kept[slot].gripCount > 0;
        }
    }
    return true;
}
