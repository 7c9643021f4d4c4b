// SPDX-License-Identifier: MIT
// joint_part.c - which slender sets are alone, which are held, and which take turns with others.
//
// In:   groups of joints, patches of contact, joints that are swept.
// Out:  groups whose lanes have sets that need the same, and lists of them; bodies of those that
//       are alone are marked.

#include "dynamics/joint.h"
#include "dynamics/joint_tree.h"

/// m/s, of a body that is near something: sets that go faster land hard. With 1 m/s one joint in a
/// thousand of dolls that fall on each other is off by 2.2 mm, with this by 1.6, and a tenth more
/// sets are held.
#define LANDING_SPEED 0.7f
/// Groups whose sets a worker describes at a time.
#define GROUP_GRAIN 8

/// Whether a body is free, or all that keeps it in a plane: then joints in that plane do not push
/// against its locks.
static bool isInPlane(uint32_t locks) {
    return locks == 0 || locks == SD_LOCK_PLANAR ||
           locks == (SD_LOCK_X | SD_LOCK_ROTATION_Y | SD_LOCK_ROTATION_Z) ||
           locks == (SD_LOCK_Y | SD_LOCK_ROTATION_Z | SD_LOCK_ROTATION_X);
}

static void markAlone(const sdStep* step, const sdTreePlan* plan) {
    for (int i = 0; i < plan->bodyCount * SD_LANES; ++i) {
        if (sdStep_IsPushed(step, plan->states[i])) {
            step->motions[plan->states[i]].isAlone = true;
        }
    }
}

// ---- what acts on sets ---------------------------------------------------------------------

/// What acts on a body besides its slender set, on a set, or on some set of a group.
enum {
    TOUCHES_FIXED = 1,  ///< what is not pushed, or its own set
    TOUCHES_MOVING = 2, ///< others
    TOUCHES_BOTH = TOUCHES_FIXED | TOUCHES_MOVING,
    IS_LANDING = 4,
    IS_BOUND = 8,                                          ///< forces that are not steady, or locks
    TOUCHES_CARRIED = 16,                                  ///< what moves by itself
    MAY_GAIN = TOUCHES_MOVING | TOUCHES_CARRIED | IS_BOUND ///< energy, from elsewhere than gravity
};

static void touch(uint8_t* touched, int state, uint8_t by) {
    if (state != SD_NULL_INDEX) {
        touched[state] |= by;
    }
}

/// Whether a body moves by itself.
static bool isCarried(const sdStep* step, int state) {
    return state != SD_NULL_INDEX && !sdStep_IsPushed(step, state);
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

/// Find what acts on bodies, and which sets these are in.
static void findTouched(const sdJointSolver* solver, uint8_t* touched) {
    const sdStep* step = solver->step;
    int* setOf = solver->setOf;
    memset(touched, 0, (size_t)step->bodyCount + 1);
    if (step->patchCount > 0) {
        findSets(solver, setOf);
    }
    for (int i = 0; i < step->patchCount; ++i) {
        int a = step->patches[i].stateA, b = step->patches[i].stateB;
        bool isBoth = sdStep_IsPushed(step, a) && sdStep_IsPushed(step, b) &&
                      (setOf[a] == SD_NULL_INDEX || setOf[a] != setOf[b]);
        uint8_t by = isBoth                                     ? TOUCHES_MOVING
                     : isCarried(step, a) || isCarried(step, b) ? TOUCHES_FIXED | TOUCHES_CARRIED
                                                                : TOUCHES_FIXED;
        touch(touched, a, by);
        touch(touched, b, by);
    }
    for (int i = 0; i < solver->looseCount; ++i) {
        const sdActiveJoint* active = &solver->joints[solver->loose[i]];
        touch(touched, active->stateA, TOUCHES_MOVING);
        touch(touched, active->stateB, TOUCHES_MOVING);
    }
}

/// Whether anchors of a set that should be together have parted.
static bool hasParted(const sdJointSolver* solver, const sdTreePlan* plan, int lane) {
    float slop = solver->step->world->def.slop;
    bool isParted = false;
    for (int i = 0; !isParted && i < plan->nodeCount; ++i) {
        const sdActiveJoint* active = &solver->joints[plan->joints[i * SD_LANES + lane]];
        isParted =
            active->hasBlock &&
            sdLengthSquared(sdJoint_GetOffset(solver->step->world, active->joint)) > slop * slop;
    }
    return isParted;
}

/// Ask for what that takes: joints and bodies of a set lie in no order.
SD_PREFETCHING void prefetchSet(const sdJointSolver* solver, const sdTreePlan* plan, int lane) {
    const sdWorld* world = solver->step->world;
    for (int i = 0; i < plan->nodeCount; ++i) {
        const sdJoint* joint = solver->joints[plan->joints[i * SD_LANES + lane]].joint;
        sdPrefetch(joint, offsetof(sdJoint, next));
        sdWorld_PrefetchBody(world, joint->bodyB);
    }
}

/// What acts on a set.
static uint8_t describe(const sdStep* step, const sdTreePlan* plan, int lane,
                        const uint8_t* touched) {
    uint8_t what = 0;
    for (int i = 0; i < plan->bodyCount; ++i) {
        int state = plan->states[i * SD_LANES + lane];
        if (state == SD_NULL_INDEX) {
            continue;
        }
        const sdBodyMotion* motion = &step->motions[state];
        if (!motion->isSteady || !isInPlane(motion->locks) || motion->isNeedle) {
            what |= IS_BOUND;
        }
        if (sdStep_IsPushed(step, state) && touched[state] != 0) {
            sdVec3 v = step->states[state].velocity;
            what |= touched[state];
            what |= sdLengthSquared(v) > LANDING_SPEED * LANDING_SPEED ? IS_LANDING : 0;
        }
    }
    return what;
}

typedef struct Description {
    const sdJointSolver* solver;
    const uint8_t* touched;
    uint8_t* whats; ///< of each lane of each group
} Description;

static void describeGroups(void* arg, int begin, int end, int worker) {
    (void)worker;
    const Description* to = (const Description*)arg;
    for (int g = begin; g < end; ++g) {
        const sdTreePlan* plan = to->solver->groups[g].plan;
        uint8_t* whats = to->whats + (size_t)g * SD_LANES;
        for (int lane = 0; lane < plan->laneCount; ++lane) {
            whats[lane] = describe(to->solver->step, plan, lane, to->touched);
            if ((whats[lane] & (TOUCHES_MOVING | IS_LANDING)) == TOUCHES_MOVING) {
                prefetchSet(to->solver, plan, lane);
            }
        }
        // by now joints have come
        for (int lane = 0; lane < plan->laneCount; ++lane) {
            if ((whats[lane] & (TOUCHES_MOVING | IS_LANDING)) == TOUCHES_MOVING &&
                hasParted(to->solver, plan, lane)) {
                whats[lane] |= IS_LANDING;
            }
        }
    }
}

// ---- sets that need the same ---------------------------------------------------------------

/// How sets are solved.
typedef enum Kind {
    KIND_ALONE,
    KIND_HELD,   ///< all contacts are with what is not pushed
    KIND_LANDS,  ///< others whose joints have the last word
    KIND_SHARED, ///< whose contacts have it
    KIND_COUNT
} Kind;

/// Joints have the last word, with contacts as grips, where all contacts are with what is not
/// pushed; otherwise contacts have it, unless a set lands, for then joints would part.
/// @param what acts on a set, or on some set of a group
static Kind kindOf(uint8_t what) {
    bool isHeld = (what & TOUCHES_BOTH) == TOUCHES_FIXED;
    return (what & (TOUCHES_BOTH | IS_BOUND)) == 0 ? KIND_ALONE
           : isHeld                                ? KIND_HELD
           : (what & IS_LANDING) != 0              ? KIND_LANDS
                                                   : KIND_SHARED;
}

/// Sets that land are put together, whatever they land on: while others are near, errors of their
/// joints are taken out gently, without which a hand was thrown by 0.8 m in every third heap of
/// 1000 dolls.
static Kind placeOf(uint8_t what) {
    return (what & IS_LANDING) != 0 ? KIND_LANDS : kindOf(what);
}

/// Sets of a family in the order of their kinds.
/// @param whats of each lane of each group
/// @param sets group * SD_LANES + lane of each
/// @return whether there are several kinds
static bool sortFamily(const sdJointSolver* solver, int family, const uint8_t* whats, int* sets) {
    int counts[KIND_COUNT] = {0}, setCount = 0;
    for (int g = family; g != SD_NULL_INDEX; g = solver->groups[g].plan->next) {
        setCount += solver->groups[g].plan->laneCount;
        for (int lane = 0; lane < solver->groups[g].plan->laneCount; ++lane) {
            counts[placeOf(whats[g * SD_LANES + lane])] += 1;
        }
    }
    for (int k = 0, first = 0; k < KIND_COUNT; ++k) {
        if (counts[k] == setCount) {
            return false;
        }
        int count = counts[k];
        counts[k] = first;
        first += count;
    }
    for (int g = family; g != SD_NULL_INDEX; g = solver->groups[g].plan->next) {
        for (int lane = 0; lane < solver->groups[g].plan->laneCount; ++lane) {
            sets[counts[placeOf(whats[g * SD_LANES + lane])]++] = g * SD_LANES + lane;
        }
    }
    return true;
}

/// A plan with other sets in its lanes.
/// @param plans of all groups as they were
static bool fillPlan(sdTreePlan* plan, const sdTreePlan* const* plans, const int* sets,
                     sdArena* arena) {
    size_t jointCount = (size_t)plan->nodeCount * SD_LANES;
    size_t stateCount = (size_t)plan->bodyCount * SD_LANES;
    int* joints = sdArena_Alloc(arena, jointCount, sizeof *joints);
    int* states = sdArena_Alloc(arena, stateCount, sizeof *states);
    if (joints == NULL || states == NULL) {
        return false;
    }
    for (int lane = 0; lane < SD_LANES; ++lane) {
        bool isThere = lane < plan->laneCount;
        const sdTreePlan* from = isThere ? plans[sets[lane] / SD_LANES] : plan;
        int at = isThere ? sets[lane] % SD_LANES : lane;
        for (int i = 0; i < plan->nodeCount; ++i) {
            joints[i * SD_LANES + lane] = from->joints[i * SD_LANES + at];
        }
        for (int i = 0; i < plan->bodyCount; ++i) {
            states[i * SD_LANES + lane] = from->states[i * SD_LANES + at];
        }
    }
    plan->joints = joints;
    plan->states = states;
    return true;
}

/// What a family needs to have its sets in another order.
typedef struct Sorting {
    sdJointSolver* solver;
    const uint8_t* whats;
    uint8_t* sorted; ///< the same in the new order
    int* sets;
    const sdTreePlan** plans; ///< of all groups as they were
} Sorting;

/// Sets that need the same share lanes, as far as they come out even: one doll that lands would
/// make seven others that lie, or fly, go as short a way. A function of the world's state alone.
static bool sortSets(const Sorting* sorting, int family) {
    sdJointSolver* solver = sorting->solver;
    sdArena* arena = &solver->step->world->arena;
    if (!sortFamily(solver, family, sorting->whats, sorting->sets)) {
        return true;
    }
    const int* sets = sorting->sets;
    for (int g = family; g != SD_NULL_INDEX; g = sorting->plans[g]->next) {
        sdTreePlan* plan = sdArena_Alloc(arena, 1, sizeof *plan);
        if (plan == NULL) {
            return false;
        }
        *plan = *sorting->plans[g];
        if (!fillPlan(plan, sorting->plans, sets, arena) ||
            !sdTreeGroup_Make(&solver->groups[g], solver->joints, plan, arena)) {
            return false;
        }
        for (int lane = 0; lane < plan->laneCount; ++lane) {
            sorting->sorted[g * SD_LANES + lane] = sorting->whats[sets[lane]];
        }
        sets += plan->laneCount;
    }
    return true;
}

/// Bring sets together that need the same.
/// @return what acts on them, of each lane of each group; NULL when memory is short
static const uint8_t* gatherSets(sdJointSolver* solver, const uint8_t* touched) {
    sdArena* arena = &solver->step->world->arena;
    size_t count = (size_t)solver->groupCount, lanes = count * SD_LANES;
    uint8_t* whats = sdArena_Alloc(arena, lanes, sizeof *whats);
    Sorting sorting = {.solver = solver,
                       .whats = whats,
                       .sorted = sdArena_Alloc(arena, lanes, sizeof *sorting.sorted),
                       .sets = sdArena_Alloc(arena, lanes, sizeof *sorting.sets),
                       .plans = sdArena_Alloc(arena, count, sizeof *sorting.plans)};
    if (whats == NULL || sorting.sorted == NULL || sorting.sets == NULL || sorting.plans == NULL) {
        return NULL;
    }
    const sdTaskSystem* tasks = &solver->step->world->context.tasks;
    Description description = {solver, touched, whats};
    tasks->parallelFor(tasks->user, describeGroups, &description, solver->groupCount, GROUP_GRAIN);
    for (int g = 0; g < solver->groupCount; ++g) {
        sorting.plans[g] = solver->groups[g].plan;
    }
    memcpy(sorting.sorted, whats, lanes);
    for (int g = 0; g < solver->groupCount; ++g) {
        if (sorting.plans[g]->family == g && sorting.plans[g]->next != SD_NULL_INDEX &&
            !sortSets(&sorting, g)) {
            return NULL;
        }
    }
    return sorting.sorted;
}

// ---- groups --------------------------------------------------------------------------------

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
    solver->setOf = sdArena_Alloc(arena, (size_t)step->bodyCount + 1, sizeof *solver->setOf);
    if (touched == NULL || solver->alone == NULL || solver->shared == NULL ||
        solver->setOf == NULL) {
        return false;
    }
    findTouched(solver, touched);
    const uint8_t* whats = gatherSets(solver, touched);
    for (int i = 0; whats != NULL && i < solver->groupCount; ++i) {
        sdTreeGroup* group = &solver->groups[i];
        uint8_t what = 0;
        memset(group->ownEnergy, 0, sizeof group->ownEnergy);
        for (int lane = 0; lane < group->plan->laneCount; ++lane) {
            what |= whats[i * SD_LANES + lane];
            group->ownEnergy[lane] = (whats[i * SD_LANES + lane] & MAY_GAIN) == 0 ? -1 : 0;
        }
        Kind kind = kindOf(what);
        group->isAlone = kind == KIND_ALONE;
        if (group->isAlone) {
            markAlone(step, group->plan);
            solver->alone[solver->aloneCount++] = i;
            continue;
        }
        group->isShared = kind != KIND_HELD;
        group->isTouched = (what & TOUCHES_BOTH) != 0;
        int at = solver->sharedCount++;
        if (kind != KIND_SHARED) {
            solver->shared[at] = solver->shared[solver->heldCount];
            at = solver->heldCount++;
        }
        solver->shared[at] = i;
    }
    return whats != NULL && placeGroups(solver);
}
