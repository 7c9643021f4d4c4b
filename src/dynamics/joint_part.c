// SPDX-License-Identifier: MIT
// joint_part.c - which slender sets are alone, which are held, and which take turns with others.
//
// In:   groups of joints, patches of contact, joints that are swept.
// Out:  lists of groups; bodies of those that are alone are marked.

#include "dynamics/joint_tree.h"

/// m/s, of a body that is near something: sets that go faster land hard.
#define LANDING_SPEED 1.0f

/// Whether nothing but its joints acts on the bodies of a group.
static bool isAlone(const sdJointSolver* solver, const sdTreePlan* plan, const uint8_t* touched) {
    const sdStep* step = solver->step;
    for (int i = 0; i < plan->bodyCount * plan->laneCount; ++i) {
        const sdTreeSlot* slot = &plan->slots[i / plan->laneCount];
        const sdActiveJoint* active =
            &solver->joints[plan->joints[slot->node * SD_LANES + i % plan->laneCount]];
        int state = slot->isB ? active->stateB : active->stateA;
        if (state == SD_NULL_INDEX) {
            continue;
        }
        const sdBodyMotion* motion = &step->motions[state];
        bool isHeld = sdStep_IsPushed(step, state) && touched[state] != 0;
        if (isHeld || !motion->isSteady || motion->locks != 0 || motion->isNeedle) {
            return false;
        }
    }
    return true;
}

static void markAlone(const sdJointSolver* solver, const sdTreePlan* plan) {
    for (int i = 0; i < plan->nodeCount * SD_LANES; ++i) {
        if (plan->joints[i] != SD_NULL_INDEX) {
            const sdActiveJoint* active = &solver->joints[plan->joints[i]];
            int states[2] = {active->stateA, active->stateB};
            for (int side = 0; side < 2; ++side) {
                if (sdStep_IsPushed(solver->step, states[side])) {
                    solver->step->motions[states[side]].isAlone = true;
                }
            }
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
        for (int j = 0; j < plan->nodeCount * SD_LANES; ++j) {
            if (plan->joints[j] != SD_NULL_INDEX) {
                const sdActiveJoint* active = &solver->joints[plan->joints[j]];
                int states[2] = {active->stateA, active->stateB};
                for (int side = 0; side < 2; ++side) {
                    if (sdStep_IsPushed(solver->step, states[side])) {
                        setOf[states[side]] = i * SD_LANES + j % SD_LANES;
                    }
                }
            }
        }
    }
}

/// Whether a body that something touches is fast, or a joint has parted.
static bool isLanding(const sdStep* step, const sdActiveJoint* active, const uint8_t* touched) {
    int states[2] = {active->stateA, active->stateB};
    bool isFast = false;
    for (int side = 0; side < 2; ++side) {
        if (sdStep_IsPushed(step, states[side]) && touched[states[side]] != 0) {
            sdVec3 v = step->states[states[side]].velocity;
            isFast = isFast || sdLengthSquared(v) > LANDING_SPEED * LANDING_SPEED;
        }
    }
    float slop = step->world->def.slop;
    return isFast ||
           (active->rows->hasBlock && sdLengthSquared(active->rows->offset) > slop * slop);
}

/// Whether joints have the last word, with contacts as grips: where all contacts are with what is
/// not pushed; otherwise contacts have it, unless a set lands, for then joints would part.
static bool isHeld(const sdJointSolver* solver, sdTreeGroup* group, const uint8_t* touched) {
    const sdTreePlan* plan = group->plan;
    uint8_t by = 0;
    bool isHard = false;
    for (int i = 0; i < plan->nodeCount * SD_LANES; ++i) {
        if (plan->joints[i] != SD_NULL_INDEX) {
            const sdActiveJoint* active = &solver->joints[plan->joints[i]];
            by |= sdStep_IsPushed(solver->step, active->stateA) ? touched[active->stateA] : 0;
            by |= sdStep_IsPushed(solver->step, active->stateB) ? touched[active->stateB] : 0;
            isHard = isHard || isLanding(solver->step, active, touched);
        }
    }
    group->isShared = by != TOUCHES_FIXED;
    group->isTouched = by != 0;
    return by == TOUCHES_FIXED || ((by & TOUCHES_FIXED) != 0 && isHard);
}

/// Take memory for the groups: as many of those that are alone share it as can.
static bool placeGroups(sdJointSolver* solver) {
    sdArena* arena = &solver->step->world->arena;
    for (int i = 0; i < solver->sharedCount; ++i) {
        sdTreeGroup* group = &solver->groups[solver->shared[i]];
        void* memory = sdArena_Alloc(arena, sdTreeGroup_GetSize(group), 1);
        if (memory == NULL) {
            return false;
        }
        sdTreeGroup_Place(group, memory);
    }
    for (int i = 0; i < solver->aloneCount; ++i) {
        size_t size = sdTreeGroup_GetSize(&solver->groups[solver->alone[i]]);
        solver->aloneSize = size > solver->aloneSize ? size : solver->aloneSize;
    }
    int count = sdMinI(solver->aloneCount, solver->step->world->context.tasks.workerCount);
    solver->aloneMemory = sdArena_Alloc(arena, (size_t)count, solver->aloneSize);
    return count == 0 || solver->aloneMemory != NULL;
}

bool sdJointSolver_PartGroups(sdJointSolver* solver) {
    sdStep* step = solver->step;
    sdArena* arena = &step->world->arena;
    size_t count = (size_t)solver->groupCount + 1;
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
    for (int i = 0; i < solver->jointCount; ++i) {
        if (!solver->joints[i].isInTree) {
            touch(touched, solver->joints[i].stateA, TOUCHES_MOVING);
            touch(touched, solver->joints[i].stateB, TOUCHES_MOVING);
        }
    }
    for (int i = 0; i < solver->groupCount; ++i) {
        sdTreeGroup* group = &solver->groups[i];
        group->isAlone = isAlone(solver, group->plan, touched);
        if (group->isAlone) {
            markAlone(solver, group->plan);
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
