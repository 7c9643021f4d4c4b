// SPDX-License-Identifier: MIT
// joint_plan.c - see joint_plan.h.

#include "dynamics/joint_plan.h"

#include "dynamics/island.h"

// ---- list ----------------------------------------------------------------------------------

static int stateOf(const sdWorld* world, int body) {
    const sdBody* at = &world->bodies.data[body];
    return at->type != SD_BODY_STATIC ? at->awakeIndex : SD_NULL_INDEX;
}

/// Bytes of a joint's rows. There are many balls that nothing limits, and most stages ask all
/// joints for a little: what is not there is no room to pass over.
static size_t sizeOfRows(const sdJoint* joint) {
    const sdJointDef* def = &joint->def;
    size_t count = SD_JOINT_MAX_ROWS;
    if (joint->isPlain) {
        count = 0;
    } else if (def->type == SD_JOINT_BALL) {
        count = 1; // a cone
        for (int i = SD_AXIS_TURN_X; i < SD_AXIS_COUNT; ++i) {
            count += (def->axes[i].mode != SD_AXIS_FREE ? 1 : 0);
            count += (def->axes[i].drive != SD_DRIVE_NONE ? 1 : 0);
        }
    }
    size_t size = offsetof(sdJointRows, rows) + count * sizeof(sdJointRow);
    return (size + sizeof(void*) - 1) & ~(sizeof(void*) - 1);
}

static bool isSameSet(const sdBitSet* a, const sdBitSet* b) {
    return a->wordCount == b->wordCount &&
           memcmp(a->words, b->words, (size_t)a->wordCount * sizeof *a->words) == 0;
}

static bool copySet(sdBitSet* to, const sdBitSet* from, sdArena* arena) {
    size_t count = (size_t)from->wordCount;
    if (to->wordCount != from->wordCount) {
        to->words = sdArena_Alloc(arena, count, sizeof *to->words);
        to->wordCount = to->words != NULL ? from->wordCount : 0;
    }
    if (to->words != NULL) {
        memcpy(to->words, from->words, count * sizeof *to->words);
    }
    return to->words != NULL;
}

/// List the joints of a new plan.
static bool list(sdJointPlan* plan, sdWorld* world) {
    sdArena* arena = &world->planArena;
    size_t size = 0, count = 0;
    for (int i = sdBitSet_Next(&world->activeJoints, 0); i != SD_NULL_INDEX;
         i = sdBitSet_Next(&world->activeJoints, i + 1)) {
        size += sizeOfRows(&world->joints.data[i]);
        count += 1;
    }
    char* rows = sdArena_Alloc(arena, size, 1);
    plan->list = sdArena_Alloc(arena, count, sizeof *plan->list);
    if (rows == NULL || plan->list == NULL) {
        return false;
    }
    for (int i = sdBitSet_Next(&world->activeJoints, 0); i != SD_NULL_INDEX;
         i = sdBitSet_Next(&world->activeJoints, i + 1)) {
        sdJoint* joint = &world->joints.data[i];
        joint->activeIndex = plan->jointCount++;
        plan->hasBreakable = plan->hasBreakable || joint->isBreakable;
        plan->list[joint->activeIndex] =
            (sdActiveJoint){.joint = joint, .rows = (sdJointRows*)(void*)rows};
        rows += sizeOfRows(joint);
    }
    return true;
}

/// Find what joints connect.
static bool connect(sdJointPlan* plan, sdWorld* world) {
    int count = world->bodyList.count;
    if (count > plan->stateCount) {
        plan->islands = sdArena_Alloc(&world->planArena, (size_t)count, sizeof *plan->islands);
        plan->stateCount = plan->islands != NULL ? count : 0;
    }
    if (plan->islands != NULL) {
        sdWorld_UniteJoined(world, plan->islands);
    }
    return plan->islands != NULL;
}

/// Say which states bodies have.
static bool number(sdJointPlan* plan, sdWorld* world) {
    for (int i = 0; i < plan->jointCount; ++i) {
        sdActiveJoint* active = &plan->list[i];
        active->stateA = stateOf(world, active->joint->bodyA);
        active->stateB = stateOf(world, active->joint->bodyB);
    }
    int* state = plan->states;
    for (int t = 0; t < plan->groupCount; ++t) {
        const sdTreePlan* tree = &plan->trees[t];
        for (int i = 0; i < tree->bodyCount * SD_LANES; ++i) {
            const sdTreeSlot* slot = &tree->slots[i / SD_LANES];
            int joint = tree->joints[slot->node * SD_LANES + i % SD_LANES];
            const sdActiveJoint* active = &plan->list[sdMaxI(joint, 0)];
            int own = slot->isB ? active->stateB : active->stateA;
            *state++ = joint != SD_NULL_INDEX ? own : SD_NULL_INDEX;
        }
    }
    for (int i = 0; i < plan->pulledCount; ++i) {
        plan->pulled[i].state = stateOf(world, plan->pulled[i].body);
    }
    return connect(plan, world) && copySet(&plan->bodies, &world->awakeBodies, &world->planArena);
}

const sdJointPlan* sdWorld_GetJointPlan(const sdWorld* world) {
    const sdJointPlan* plan = world->jointPlan;
    bool isCurrent = plan != NULL && isSameSet(&plan->joints, &world->activeJoints) &&
                     isSameSet(&plan->bodies, &world->awakeBodies);
    return isCurrent ? plan : NULL;
}

bool sdJointSolver_ListJoints(sdJointSolver* solver) {
    sdWorld* world = solver->step->world;
    sdJointPlan* plan = world->jointPlan;
    bool isKept = plan != NULL && plan->isDirect == world->def.enableDirect &&
                  isSameSet(&plan->joints, &world->activeJoints);
    bool isThere = true;
    if (!isKept) {
        world->jointPlan = NULL;
        sdArena_Reset(&world->planArena);
        plan = sdArena_Alloc(&world->planArena, 1, sizeof *plan);
        if (plan == NULL) {
            return false;
        }
        *plan = (sdJointPlan){.isDirect = world->def.enableDirect};
        isThere =
            copySet(&plan->joints, &world->activeJoints, &world->planArena) && list(plan, world);
    }
    if (isThere && !(isKept && isSameSet(&plan->bodies, &world->awakeBodies))) {
        isThere = number(plan, world);
    }
    solver->plan = plan;
    solver->jointCount = plan->jointCount;
    solver->joints = plan->list;
    return isThere;
}

// ---- slender sets --------------------------------------------------------------------------

/// Most rows that a lane of a node has.
static int countRows(const sdActiveJoint* joints, const sdTreePlan* plan, int node) {
    int most = 0;
    for (int lane = 0; lane < plan->laneCount; ++lane) {
        most = sdMaxI(most, joints[plan->joints[node * SD_LANES + lane]].rowCount);
    }
    return most;
}

bool sdTreeGroup_Make(sdTreeGroup* group, const sdActiveJoint* joints, const sdTreePlan* plan,
                      sdArena* arena) {
    *group = (sdTreeGroup){.plan = plan, .isAlone = true};
    group->rowCounts = sdArena_Alloc(arena, (size_t)plan->nodeCount, sizeof *group->rowCounts);
    for (int i = 0; group->rowCounts != NULL && i < plan->nodeCount; ++i) {
        int first = plan->joints[i * SD_LANES];
        group->rowCounts[i] = countRows(joints, plan, i);
        group->hasSweeps = group->hasSweeps || group->rowCounts[i] > joints[first].lockCount;
    }
    return group->rowCounts != NULL;
}

/// Make groups of the trees, and room for the states of their bodies.
static bool makeGroups(sdJointPlan* plan, sdWorld* world) {
    sdArena* arena = &world->planArena;
    size_t slotCount = 0;
    for (int i = 0; i < plan->groupCount; ++i) {
        slotCount += (size_t)plan->trees[i].bodyCount * SD_LANES;
    }
    plan->states = sdArena_Alloc(arena, slotCount + 1, sizeof *plan->states);
    plan->groups = sdArena_Alloc(arena, (size_t)plan->groupCount + 1, sizeof *plan->groups);
    if (plan->states == NULL || plan->groups == NULL) {
        return false;
    }
    int* states = plan->states;
    for (int i = 0; i < plan->groupCount; ++i) {
        plan->trees[i].states = states;
        states += plan->trees[i].bodyCount * SD_LANES;
        if (!sdTreeGroup_Make(&plan->groups[i], plan->list, &plan->trees[i], arena)) {
            return false;
        }
    }
    return number(plan, world);
}

// ---- joints that are swept -----------------------------------------------------------------

/// Colour the joints that are in no tree; those with the most rows come first.
static bool colorJoints(sdJointPlan* plan, sdStep* step) {
    size_t most = (size_t)plan->jointCount + 1;
    sdColorItem* items = sdArena_Alloc(&step->world->arena, most, sizeof *items);
    plan->loose = sdArena_Alloc(&step->world->planArena, most, sizeof *plan->loose);
    if (items == NULL || plan->loose == NULL) {
        return false;
    }
    for (int i = 0; i < plan->jointCount; ++i) {
        const sdActiveJoint* joint = &plan->list[i];
        if (!joint->isInTree) {
            int kind = SD_JOINT_MAX_ROWS - joint->rows->count;
            items[plan->looseCount] = (sdColorItem){joint->stateA, joint->stateB, kind};
            plan->loose[plan->looseCount++] = i;
            for (int k = 0; k < joint->rows->count; ++k) {
                plan->hasLimits = plan->hasLimits || joint->rows->rows[k].isLimit;
            }
        }
    }
    return sdColoring_Make(&plan->coloring, step, &step->world->planArena, items, plan->looseCount);
}

/// List the bodies that joints pull at which are swept, each with its joints: in parallel, so each
/// body looks at its joints, not each joint at its bodies.
static bool listPulls(sdJointPlan* plan, sdStep* step) {
    sdArena* arena = &step->world->planArena;
    size_t most = 2 * (size_t)plan->looseCount;
    int* places = sdArena_Alloc(&step->world->arena, (size_t)step->bodyCount + 1, sizeof *places);
    plan->pulled = sdArena_Alloc(arena, most + 1, sizeof *plan->pulled);
    plan->pulls = sdArena_Alloc(arena, most + 1, sizeof *plan->pulls);
    if (places == NULL || plan->pulled == NULL || plan->pulls == NULL) {
        return false;
    }
    for (int i = 0; i < step->bodyCount; ++i) {
        places[i] = SD_NULL_INDEX;
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < 2 * plan->looseCount; ++i) {
            int pull = plan->loose[i >> 1] << 1 | (i & 1);
            const sdActiveJoint* active = &plan->list[pull >> 1];
            int state = (pull & 1) == 0 ? active->stateA : active->stateB;
            if (!sdStep_IsPushed(step, state)) {
                continue;
            }
            if (places[state] == SD_NULL_INDEX) {
                places[state] = plan->pulledCount++;
                plan->pulled[places[state]] =
                    (sdPulledBody){.body = step->motions[state].body, .state = state};
            }
            sdPulledBody* body = &plan->pulled[places[state]];
            if (pass == 1) {
                plan->pulls[body->firstPull + body->pullCount] = pull;
            }
            body->pullCount += 1;
        }
        int first = 0;
        for (int i = 0; pass == 0 && i < plan->pulledCount; ++i) {
            plan->pulled[i].firstPull = first;
            first += plan->pulled[i].pullCount;
            plan->pulled[i].pullCount = 0;
        }
    }
    return true;
}

static bool placeBatches(sdJointPlan* plan, sdArena* arena) {
    int count = plan->coloring.batchCount;
    plan->batches = sdArena_Alloc(arena, (size_t)count + 1, sizeof *plan->batches);
    for (int i = 0; plan->batches != NULL && i < count; ++i) {
        int first = plan->coloring.lanes[(size_t)i * SD_LANES];
        int rowCount = plan->list[plan->loose[first]].rows->count;
        plan->batches[i] = sdArena_Alloc(arena, sdJointBatch_SizeOf(rowCount), 1);
        plan->hasRows = plan->hasRows || rowCount > 0;
        if (plan->batches[i] == NULL) {
            return false;
        }
    }
    return plan->batches != NULL;
}

// ---- plan ----------------------------------------------------------------------------------

/// The kind of limb that a joint is.
static sdLimbKind limbOf(const sdJointDef* def) {
    const sdJointAxis *x = &def->axes[SD_AXIS_TURN_X], *y = &def->axes[SD_AXIS_TURN_Y],
                      *z = &def->axes[SD_AXIS_TURN_Z];
    if (x->mode != SD_AXIS_LIMITED || x->drive != SD_DRIVE_NONE) {
        return SD_LIMB_NONE;
    }
    bool isFree = y->mode == SD_AXIS_FREE && y->drive == SD_DRIVE_NONE && z->mode == SD_AXIS_FREE &&
                  z->drive == SD_DRIVE_NONE;
    bool isBall = def->type == SD_JOINT_BALL && isFree && !sdCone_IsOpen(def->coneAngle);
    return isBall ? SD_LIMB_BALL : def->type == SD_JOINT_HINGE ? SD_LIMB_HINGE : SD_LIMB_NONE;
}

/// How many rows joints have, and which are limits, is known from their settings: it is the same
/// wherever bodies are.
static bool complete(sdJointPlan* plan, sdJointSolver* solver) {
    sdStep* step = solver->step;
    for (int i = 0; i < plan->jointCount; ++i) {
        sdActiveJoint* active = &plan->list[i];
        active->hasBlock = active->rows->hasBlock;
        active->rowCount = (uint8_t)active->rows->count;
        active->lockCount = (uint8_t)active->rows->lockCount;
        active->limb = (uint8_t)limbOf(&active->joint->def);
    }
    return (!plan->isDirect || sdJointPlan_FindTrees(plan, solver)) &&
           makeGroups(plan, step->world) && colorJoints(plan, step) && listPulls(plan, step) &&
           placeBatches(plan, &step->world->planArena);
}

bool sdJointSolver_TakePlan(sdJointSolver* solver) {
    sdWorld* world = solver->step->world;
    sdJointPlan* plan = solver->plan;
    if (world->jointPlan == NULL && !complete(plan, solver)) {
        return false;
    }
    world->jointPlan = plan;
    size_t count = (size_t)plan->groupCount;
    solver->groupCount = plan->groupCount;
    solver->groups = sdArena_Alloc(&world->arena, count + 1, sizeof *solver->groups);
    if (solver->groups == NULL) {
        return false;
    }
    memcpy(solver->groups, plan->groups, count * sizeof *solver->groups);
    solver->looseCount = plan->looseCount;
    solver->loose = plan->loose;
    solver->hasRows = plan->hasRows;
    solver->hasLimits = plan->hasLimits;
    solver->coloring = plan->coloring;
    solver->batches = plan->batches;
    return true;
}
