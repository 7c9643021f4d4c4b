// SPDX-License-Identifier: MIT
// joint_load.c - joints into lanes.
//
// In:   active joints, those that are swept with their rows; batches and groups that they are in.
// Out:  batches of joints that are swept, and groups of slender sets, ready for sub-steps.
// Note: rows of slender sets are made here, eight joints at a time, and not kept: a list of all of
//       them would go to memory and back.

#include "dynamics/joint.h"
#include "dynamics/joint_tree.h"

/// Batches per task.
#define BATCH_GRAIN 16
/// Part of a body's radius by which it may be off its joint unseen.
#define SLOP_SHARE 2e-3f
/// Batches ahead of the one at hand that memory is asked for.
#define BATCHES_AHEAD 2
/// The same of slots of bodies, and nodes, of a group.
#define BODIES_AHEAD 3
#define NODES_AHEAD 1

// ---- one joint to one lane -----------------------------------------------------------------

static void setMask(sdF8* to, int lane, bool isSet) {
    uint32_t mask = isSet ? 0xFFFFFFFFu : 0u;
    memcpy((char*)to + (size_t)lane * sizeof mask, &mask, sizeof mask);
}

/// 0 of a body that cannot move.
static float inverseMassOf(const sdStep* step, int state) {
    uint32_t all = SD_LOCK_X | SD_LOCK_Y | SD_LOCK_Z;
    return (step->motions[state].locks & all) == all ? 0.0f : step->states[state].inverseMass;
}

static void loadBodies(const sdJointSolver* solver, const sdActiveJoint* active,
                       sdJointBatch* batch, int lane) {
    const sdStep* step = solver->step;
    batch->stateA[lane] = active->stateA;
    batch->stateB[lane] = active->stateB;
    if (sdStep_IsPushed(step, active->stateA)) {
        batch->writesA |= (uint8_t)(1u << lane);
        batch->massA[lane] = inverseMassOf(step, active->stateA);
        if (!active->isInTree) {
            sdSym3x8_SetLane(&batch->startInertiaA, lane, &solver->tensors[active->stateA]);
        }
    }
    if (sdStep_IsPushed(step, active->stateB)) {
        batch->writesB |= (uint8_t)(1u << lane);
        batch->massB[lane] = inverseMassOf(step, active->stateB);
        if (!active->isInTree) {
            sdSym3x8_SetLane(&batch->startInertiaB, lane, &solver->tensors[active->stateB]);
        }
    }
}

/// In lanes that have no joint, and of joints without a block.
static const sdJointRows noRows;
static const float noImpulse[4];
static const sdJointRow noRow;

static int flagsOf(const sdJointRow* row) {
    static const int kinds[] = {[SD_ROW_TURN] = SD_ROW_IS_USED,
                                [SD_ROW_MOVE] = SD_ROW_IS_USED | SD_ROW_IS_MOVE,
                                [SD_ROW_LINE] = SD_ROW_IS_USED | SD_ROW_IS_MOVE | SD_ROW_IS_LINE,
                                [SD_ROW_CONE] = SD_ROW_IS_USED | SD_ROW_IS_CONE};
    return kinds[row->kind] | (row->isLimit ? SD_ROW_IS_LIMIT : 0) |
           (row->isUpper ? SD_ROW_IS_UPPER : 0) | (row->isSoft ? SD_ROW_IS_SOFT : 0) |
           (row->isSpring ? SD_ROW_IS_SPRING : 0);
}

/// One row of eight joints.
/// @param rows of each; NULL: there is no joint
static void loadRow(const sdJointSolver* solver, sdJointBatch* batch, int index,
                    const sdActiveJoint* const actives[SD_LANES],
                    const sdJointRows* const rows[SD_LANES]) {
    sdRowSources sources;
    sources.impulseScale = solver->impulseScale;
    for (int lane = 0; lane < SD_LANES; ++lane) {
        bool isThere = index < rows[lane]->count;
        const sdJointRow* row = isThere ? &rows[lane]->rows[index] : &noRow;
        sources.numbers[lane] = &row->axis.x;
        sources.impulses[lane] = isThere ? actives[lane]->joint->impulses[row->slot] : 0.0f;
        sources.flags[lane] = isThere ? flagsOf(row) : 0;
        batch->rows[index].slots[lane] =
            (int8_t)(isThere ? row->slot | (row->isUpper ? SD_ROW_KEPT_TURNED : 0) : -1);
    }
    SD_DISPATCH(sdJointRow8_Load)(&batch->rows[index], &sources, &batch->offset);
}

/// Whether there are eight joints of a tree, all limbs of a kind.
static bool areLimbs(const sdJointSolver* solver, const int joints[SD_LANES]) {
    bool areAlike = joints[SD_LANES - 1] != SD_NULL_INDEX;
    for (int lane = 0; lane < SD_LANES && areAlike; ++lane) {
        const sdActiveJoint* active = &solver->joints[joints[lane]];
        areAlike = active->isInTree && active->limb != SD_LIMB_NONE &&
                   active->limb == solver->joints[joints[0]].limb;
    }
    return areAlike;
}

/// Eight limbs into a batch that is clear.
static void loadLimbs(const sdJointSolver* solver, sdJointBatch* batch,
                      const int joints[SD_LANES]) {
    const sdBody* bodies = solver->step->world->bodies.data;
    sdLimbSources from;
    from.h = solver->step->h;
    from.impulseScale = solver->impulseScale;
    from.rigid = solver->rigid;
    for (int lane = 0; lane < SD_LANES; ++lane) {
        const sdActiveJoint* active = &solver->joints[joints[lane]];
        const sdBody *a = &bodies[active->joint->bodyA], *b = &bodies[active->joint->bodyB];
        sdVec3 between = sdPos_Sub(b->center, a->center);
        from.joints[lane] = active->joint;
        from.bodiesA[lane] = a;
        from.bodiesB[lane] = b;
        from.between[0][lane] = between.x;
        from.between[1][lane] = between.y;
        from.between[2][lane] = between.z;
        batch->joints[lane] = joints[lane];
        loadBodies(solver, active, batch, lane);
    }
    const sdActiveJoint* first = &solver->joints[joints[0]];
    from.isHinge = first->limb == SD_LIMB_HINGE;
    batch->hasBlock = true;
    batch->lockCount = first->lockCount;
    SD_DISPATCH(sdJointBatch_LoadLimbs)(batch, &from);
}

/// Eight joints with rows, or of a tree, into a batch that is clear.
/// @param joints in the list; SD_NULL_INDEX: none
static void loadJoints(const sdJointSolver* solver, sdJointBatch* batch,
                       const int joints[SD_LANES]) {
    if (areLimbs(solver, joints)) {
        loadLimbs(solver, batch, joints);
        return;
    }
    const sdActiveJoint* actives[SD_LANES];
    const sdJointRows* rows[SD_LANES];
    // rows of trees are made here, where they stay in the caches: nobody else asks for them
    sdJointRows own[SD_LANES];
    sdJointSources from;
    from.impulseScale = solver->impulseScale;
    for (int lane = 0; lane < SD_LANES; ++lane) {
        const sdActiveJoint* active = joints[lane] >= 0 ? &solver->joints[joints[lane]] : NULL;
        rows[lane] = active != NULL ? active->rows : &noRows;
        if (active != NULL && active->isInTree) {
            sdJoint_BuildRows(solver->step->world, active->joint, solver->step->h, &own[lane]);
            rows[lane] = &own[lane];
        }
        bool hasBlock = rows[lane]->hasBlock;
        actives[lane] = active;
        from.arms[lane] = &rows[lane]->rA.x;
        from.impulses[lane] = hasBlock ? &active->joint->blockImpulse.x : noImpulse;
        from.hasBlock[lane] = hasBlock ? 1.0f : 0.0f;
        batch->hasBlock = batch->hasBlock || hasBlock;
        batch->joints[lane] = joints[lane];
        batch->lockCount = active != NULL ? rows[lane]->lockCount : batch->lockCount;
        // trees have copies of their bodies, and only rows that are swept ask for more
        if (active != NULL && (!active->isInTree || batch->rowCount > 0)) {
            loadBodies(solver, active, batch, lane);
        }
    }
    SD_DISPATCH(sdJointBatch_LoadArms)(batch, &from);
    for (int i = 0; i < batch->rowCount; ++i) {
        loadRow(solver, batch, i, actives, rows);
    }
}

// ---- eight joints that are swept -----------------------------------------------------------

/// Of what is not pushed.
static const sdMat33 noTensor;

/// Joints that have blocks at most; nothing need be cleared for them.
static void loadBlocks(const sdJointSolver* solver, sdJointBatch* batch, const int* lanes) {
    const sdStep* step = solver->step;
    sdJointSources from = {.impulseScale = solver->impulseScale};
    batch->writesA = batch->writesB = 0;
    batch->rowCount = batch->lockCount = 0;
    batch->hasBlock = true;
    for (int lane = 0; lane < SD_LANES; ++lane) {
        int index = lanes[lane] != SD_NULL_INDEX ? solver->loose[lanes[lane]] : SD_NULL_INDEX;
        const sdActiveJoint* active = index != SD_NULL_INDEX ? &solver->joints[index] : NULL;
        const sdJointRows* rows = active != NULL ? active->rows : &noRows;
        int a = active != NULL ? active->stateA : SD_NULL_INDEX;
        int b = active != NULL ? active->stateB : SD_NULL_INDEX;
        bool isPushedA = sdStep_IsPushed(step, a), isPushedB = sdStep_IsPushed(step, b);
        batch->joints[lane] = index;
        batch->stateA[lane] = a;
        batch->stateB[lane] = b;
        batch->writesA |= (uint8_t)((isPushedA ? 1u : 0u) << lane);
        batch->writesB |= (uint8_t)((isPushedB ? 1u : 0u) << lane);
        from.arms[lane] = &rows->rA.x;
        from.impulses[lane] = rows->hasBlock ? &active->joint->blockImpulse.x : noImpulse;
        from.hasBlock[lane] = rows->hasBlock ? 1.0f : 0.0f;
        from.massA[lane] = isPushedA ? inverseMassOf(step, a) : 0.0f;
        from.massB[lane] = isPushedB ? inverseMassOf(step, b) : 0.0f;
        from.tensorsA[lane] = isPushedA ? &solver->tensors[a] : &noTensor;
        from.tensorsB[lane] = isPushedB ? &solver->tensors[b] : &noTensor;
    }
    SD_DISPATCH(sdJointBatch_LoadBlocks)(batch, &from);
}

/// Ask for the joints of a batch: they lie in no order.
SD_PREFETCHING void prefetchJoints(const sdJointSolver* solver, const int* lanes) {
    for (int lane = 0; lane < SD_LANES && lanes[lane] != SD_NULL_INDEX; ++lane) {
        const sdActiveJoint* active = &solver->joints[solver->loose[lanes[lane]]];
        sdPrefetch(active->rows, offsetof(sdJointRows, rows));
        sdPrefetch(active->joint, 1);
    }
}

static void loadBatches(void* arg, int begin, int end, int worker) {
    (void)worker;
    sdJointSolver* solver = (sdJointSolver*)arg;
    for (int i = begin; i < end; ++i) {
        const int* lanes = solver->coloring.lanes + (size_t)i * SD_LANES;
        sdJointBatch* batch = solver->batches[i];
        int rowCount = sdJointSolver_CountRows(solver, i);
        if (i + BATCHES_AHEAD < end) {
            prefetchJoints(solver, lanes + BATCHES_AHEAD * SD_LANES);
        }
        if (rowCount == 0) {
            loadBlocks(solver, batch, lanes);
            continue;
        }
        sdJointBatch_Clear(batch, rowCount);
        int joints[SD_LANES];
        for (int lane = 0; lane < SD_LANES; ++lane) {
            joints[lane] = lanes[lane] >= 0 ? solver->loose[lanes[lane]] : SD_NULL_INDEX;
        }
        loadJoints(solver, batch, joints);
        batch->isRound =
            sdSym3x8_IsRound(&batch->startInertiaA) && sdSym3x8_IsRound(&batch->startInertiaB);
    }
}

// ---- groups --------------------------------------------------------------------------------

/// A body of a group; what comes in rows is left to sdTreeGroup_Begin.
static void loadTreeBody(const sdJointSolver* solver, sdTreeBody* body, int lane, int state) {
    const sdStep* step = solver->step;
    body->states[lane] = state;
    body->locks[lane] = 0;
    setMask(&body->isEven, lane, true);
    if (!sdStep_IsPushed(step, state)) {
        return;
    }
    const sdBodyMotion* motion = &step->motions[state];
    bool isEven = motion->isRound || step->world->def.integrator != SD_INTEGRATOR_SEMI_IMPLICIT;
    body->writes |= (uint8_t)(1u << lane);
    sdF8_SetLane(&body->mass, lane, inverseMassOf(step, state));
    setMask(&body->isEven, lane, isEven);
    setMask(&body->isLocked, lane, (motion->locks >> 3) != 0);
    body->locks[lane] = motion->locks;
    body->hasLocks = body->hasLocks || motion->locks != 0;
}

/// Without a body in any lane. Most of a body follows from where it is, and is not touched here.
static void clearTreeBody(sdTreeBody* body) {
    body->writes = 0;
    body->mass = body->isLocked = sdF8_Zero();
    body->hasLocks = body->isHeld = false;
    body->gripCount = 0;
    body->grips = NULL;
}

/// Errors that nobody sees, m.
static float findSlop(const sdJointSolver* solver, const sdTreeGroup* group) {
    const sdStep* step = solver->step;
    float slop = step->world->def.slop;
    for (int i = 0; i < group->plan->bodyCount * SD_LANES; ++i) {
        int state = group->bodies[i / SD_LANES].states[i % SD_LANES];
        float radius =
            state >= 0 ? step->world->bodies.data[step->motions[state].body].radius : 0.0f;
        slop = radius > 0.0f ? sdMinF(slop, SLOP_SHARE * radius) : slop;
    }
    return slop;
}

/// Ask for the bodies of a slot. Those of a group's lanes lie in eight places.
SD_PREFETCHING void prefetchTreeBodies(const sdStep* step, const int states[SD_LANES]) {
    for (int lane = 0; lane < SD_LANES; ++lane) {
        int state = states[lane];
        if (state != SD_NULL_INDEX) {
            sdPrefetch(&step->states[state], 1);
            sdPrefetch(&step->motions[state], sizeof(sdBodyMotion));
            sdWorld_PrefetchBody(step->world, step->world->bodyList.data[state]);
        }
    }
}

/// Ask for joints of a tree, from which their rows will be made.
SD_PREFETCHING void prefetchTreeJoints(const sdJointSolver* solver, const int joints[SD_LANES]) {
    for (int lane = 0; lane < SD_LANES && joints[lane] != SD_NULL_INDEX; ++lane) {
        sdPrefetch(solver->joints[joints[lane]].joint, sizeof(sdJoint));
    }
}

/// Without joints; where they have no rows, nothing else is asked.
static void clearBatch(sdJointBatch* batch, int rowCount) {
    if (rowCount > 0) {
        sdJointBatch_Clear(batch, rowCount);
    } else {
        batch->rowCount = batch->lockCount = 0;
        batch->hasBlock = false;
    }
}

void sdTreeGroup_Load(sdTreeGroup* group, const sdJointSolver* solver) {
    const sdTreePlan* plan = group->plan;
    for (int i = 0; i < plan->bodyCount; ++i) {
        if (i + BODIES_AHEAD < plan->bodyCount) {
            prefetchTreeBodies(solver->step, plan->states + (i + BODIES_AHEAD) * SD_LANES);
        }
        clearTreeBody(&group->bodies[i]);
        for (int lane = 0; lane < SD_LANES; ++lane) {
            int state = plan->states[i * SD_LANES + lane];
            loadTreeBody(solver, &group->bodies[i], lane, state);
            group->isCarried =
                group->isCarried || (state >= 0 && !sdStep_IsPushed(solver->step, state));
        }
    }
    group->slop = group->isShared ? findSlop(solver, group) : 0.0f;
    for (int i = 0; i < plan->nodeCount; ++i) {
        const int* joints = plan->joints + (size_t)i * SD_LANES;
        if (i + NODES_AHEAD < plan->nodeCount) {
            prefetchTreeJoints(solver, joints + NODES_AHEAD * SD_LANES);
        }
        clearBatch(group->batches[i], group->rowCounts[i]);
        loadJoints(solver, group->batches[i], joints);
    }
    SD_DISPATCH(sdTreeGroup_Begin)(group, solver);
}

static void loadShared(void* arg, int begin, int end, int worker) {
    sdJointSolver* solver = (sdJointSolver*)arg;
    for (int i = begin; i < end; ++i) {
        sdTreeGroup* group = &solver->groups[solver->shared[i]];
        sdTreeGroup_Open(group, sdJointSolver_GetWorkMemory(solver, worker));
        sdTreeGroup_Load(group, solver);
    }
}

void sdJointSolver_Load(sdJointSolver* solver) {
    const sdTaskSystem* tasks = &solver->step->world->context.tasks;
    tasks->parallelFor(tasks->user, loadShared, solver, solver->sharedCount, 1);
    tasks->parallelFor(tasks->user, loadBatches, solver, solver->coloring.batchCount, BATCH_GRAIN);
}
