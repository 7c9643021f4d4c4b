// SPDX-License-Identifier: MIT
// joint_part.c - which slender sets are alone, which are held, and which take turns with others.
//
// In:   groups of joints, patches of contact, joints that are swept.
// Out:  lists of groups; bodies of those that are alone are marked.

#include "dynamics/joint_tree.h"

/// m/s, of a body that is near something: sets that go faster land hard.
#define LANDING_SPEED 1.0f

/// Whether a body is free, or all that keeps it in a plane: then joints in that plane do not push
/// against its locks.
static bool isInPlane(uint32_t locks) {
    return locks == 0 || locks == SD_LOCK_PLANAR ||
           locks == (SD_LOCK_X | SD_LOCK_ROTATION_Y | SD_LOCK_ROTATION_Z) ||
           locks == (SD_LOCK_Y | SD_LOCK_ROTATION_Z | SD_LOCK_ROTATION_X);
}

/// Whether nothing but its joints acts on the bodies of a group.
static bool isAlone(const sdStep* step, const sdTreePlan* plan, const uint8_t* touched) {
    for (int i = 0; i < plan->bodyCount * SD_LANES; ++i) {
        int state = plan->states[i];
        if (state == SD_NULL_INDEX) {
            continue;
        }
        const sdBodyMotion* motion = &step->motions[state];
        bool isHeld = sdStep_IsPushed(step, state) && touched[state] != 0;
        if (isHeld || !motion->isSteady || !isInPlane(motion->locks) || motion->isNeedle) {
            return false;
        }
    }
    return true;
}

static void markAlone(const sdStep* step, const sdTreePlan* plan) {
    for (int i = 0; i < plan->bodyCount * SD_LANES; ++i) {
        if (sdStep_IsPushed(step, plan->states[i])) {
            step->motions[plan->states[i]].isAlone = true;
        }
    }
}

/// What acts on a body besides its slender set.
enum { TOUCHES_FIXED = 1, TOUCHES_MOVING = 2 };

static void touch(uint8_t* touched, int state, uint8_t by) {
    if (state != SD_NULL_INDEX) {
        touched[state] |= by;
    }
}

/// Number the sets of the groups' bodies; SD_NULL_INDEX: in none.
static void findSets(const sdJointSolver* solver, int* setOf) {
    for (int i = 0; i < solver->step->bodyCount; ++i) {
        setOf[i] = SD_NULL_INDEX;
    }
    for (int i = 0; i < solver->groupCount; ++i) {
        const sdTreePlan* plan = solver->groups[i].plan;
        for (int j = 0; j < plan->bodyCount * SD_LANES; ++j) {
            if (sdStep_IsPushed(solver->step, plan->states[j])) {
                setOf[plan->states[j]] = i * SD_LANES + j % SD_LANES;
            }
        }
    }
}

/// Whether a body that something touches is fast.
static bool isFast(const sdStep* step, int state, const uint8_t* touched) {
    sdVec3 v = step->states[state].velocity;
    return touched[state] != 0 && sdLengthSquared(v) > LANDING_SPEED * LANDING_SPEED;
}

/// Whether anchors that should be together have parted.
static bool hasParted(const sdStep* step, const sdJointRows* rows) {
    float slop = step->world->def.slop;
    return rows->hasBlock && sdLengthSquared(rows->offset) > slop * slop;
}

/// Whether joints have the last word, with contacts as grips: where all contacts are with what is
/// not pushed; otherwise contacts have it, unless a set lands, for then joints would part.
static bool isHeld(const sdJointSolver* solver, sdTreeGroup* group, const uint8_t* touched) {
    const sdStep* step = solver->step;
    const sdTreePlan* plan = group->plan;
    uint8_t by = 0;
    bool isLanding = false;
    for (int i = 0; i < plan->bodyCount * SD_LANES; ++i) {
        if (sdStep_IsPushed(step, plan->states[i])) {
            by |= touched[plan->states[i]];
            isLanding = isLanding || isFast(step, plan->states[i], touched);
        }
    }
    group->isShared = by != TOUCHES_FIXED;
    group->isTouched = by != 0;
    if (by == TOUCHES_FIXED || (by & TOUCHES_FIXED) == 0) {
        return by == TOUCHES_FIXED;
    }
    for (int i = 0; !isLanding && i < plan->nodeCount * SD_LANES; ++i) {
        isLanding = plan->joints[i] != SD_NULL_INDEX &&
                    hasParted(step, solver->joints[plan->joints[i]].rows);
    }
    return isLanding;
}

/// Take memory for the groups, and for those who work on them: what they do with those that are
/// alone, from first to last, is all there.
static bool placeGroups(sdJointSolver* solver) {
    sdArena* arena = &solver->step->world->arena;
    for (int i = 0; i < solver->sharedCount; ++i) {
        sdTreeGroup* group = &solver->groups[solver->shared[i]];
        void* memory = sdArena_Alloc(arena, sdTreeGroup_GetKeptSize(group), 1);
        if (memory == NULL) {
            return false;
        }
        sdTreeGroup_Place(group, memory);
    }
    size_t kept = 0;
    for (int i = 0; i < solver->aloneCount; ++i) {
        size_t size = sdTreeGroup_GetKeptSize(&solver->groups[solver->alone[i]]);
        kept = size > kept ? size : kept;
    }
    for (int i = 0; i < solver->groupCount; ++i) {
        size_t size = sdTreeGroup_GetWorkSize(&solver->groups[i]);
        solver->workSize = size > solver->workSize ? size : solver->workSize;
    }
    solver->placeSize = solver->workSize + kept;
    size_t count = (size_t)solver->step->world->context.tasks.workerCount;
    solver->workMemory = sdArena_Alloc(arena, count, solver->placeSize);
    return solver->workMemory != NULL;
}

bool sdJointSolver_PartGroups(sdJointSolver* solver) {
    sdStep* step = solver->step;
    sdArena* arena = &step->world->arena;
    size_t count = (size_t)solver->groupCount + 1;
    if (solver->groupCount == 0) {
        return true;
    }
    uint8_t* touched = sdArena_Alloc(arena, (size_t)step->bodyCount + 1, sizeof *touched);
    solver->alone = sdArena_Alloc(arena, count, sizeof *solver->alone);
    solver->shared = sdArena_Alloc(arena, count, sizeof *solver->shared);
    int* setOf = sdArena_Alloc(arena, (size_t)step->bodyCount + 1, sizeof *setOf);
    if (touched == NULL || solver->alone == NULL || solver->shared == NULL || setOf == NULL) {
        return false;
    }
    memset(touched, 0, (size_t)step->bodyCount + 1);
    if (step->patchCount > 0) {
        findSets(solver, setOf);
    }
    for (int i = 0; i < step->patchCount; ++i) {
        int a = step->patches[i].stateA, b = step->patches[i].stateB;
        bool isBoth = sdStep_IsPushed(step, a) && sdStep_IsPushed(step, b) &&
                      (setOf[a] == SD_NULL_INDEX || setOf[a] != setOf[b]);
        touch(touched, a, isBoth ? TOUCHES_MOVING : TOUCHES_FIXED);
        touch(touched, b, isBoth ? TOUCHES_MOVING : TOUCHES_FIXED);
    }
    for (int i = 0; i < solver->looseCount; ++i) {
        const sdActiveJoint* active = &solver->joints[solver->loose[i]];
        touch(touched, active->stateA, TOUCHES_MOVING);
        touch(touched, active->stateB, TOUCHES_MOVING);
    }
    for (int i = 0; i < solver->groupCount; ++i) {
        sdTreeGroup* group = &solver->groups[i];
        group->isAlone = isAlone(step, group->plan, touched);
        if (group->isAlone) {
            markAlone(step, group->plan);
            solver->alone[solver->aloneCount++] = i;
        } else {
            int at = solver->sharedCount++;
            if (isHeld(solver, group, touched)) {
                solver->shared[at] = solver->shared[solver->heldCount];
                at = solver->heldCount++;
            }
            solver->shared[at] = i;
        }
    }
    return placeGroups(solver);
}
