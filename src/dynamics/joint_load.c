// SPDX-License-Identifier: MIT
// joint_load.c - joints into lanes.
//
// In:   active joints with their rows, and the batches and groups in which they have a lane.
// Out:  batches of joints that are swept, and groups of slender sets, ready for sub-steps.

#include "dynamics/joint_tree.h"

/// Batches per task.
#define BATCH_GRAIN 16
/// Part of a body's radius by which it may be off its joint unseen.
#define SLOP_SHARE 2e-3f
/// Batches ahead of the one at hand that memory is asked for.
#define BATCHES_AHEAD 2

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

static void loadRow(const sdJointRow* from, sdVec3 offset, float impulse, sdJointRow8* row,
                    int lane) {
    bool isMove = from->kind == SD_ROW_MOVE || from->kind == SD_ROW_LINE;
    bool isCone = from->kind == SD_ROW_CONE;
    float along = sdDot(from->axis, offset);
    sdVec3x8_SetLane(&row->axis, lane, from->axis);
    setMask(&row->isMove, lane, isMove);
    setMask(&row->isLine, lane, from->kind == SD_ROW_LINE);
    sdVec3x8_SetLane(&row->other, lane, from->other);
    setMask(&row->isCone, lane, isCone);
    row->scale[lane] = isCone ? from->scale : along < 0.0f ? -1.0f : 1.0f;
    float measured = isCone ? from->scale * sdDot(from->axis, from->other) : isMove ? along : 0.0f;
    row->error[lane] = from->error - measured;
    row->isUsed[lane] = 1.0f;
    row->target[lane] = from->target;
    row->lower[lane] = from->lower;
    row->upper[lane] = from->upper;
    // limits may have become tighter
    row->impulse[lane] = sdClampF(from->isUpper ? -impulse : impulse, from->lower, from->upper);
    row->stiffness[lane] = from->softness.stiffness;
    row->massScale[lane] = from->softness.massScale;
    row->impulseScale[lane] = from->softness.impulseScale;
    row->range[lane] = from->range;
    setMask(&row->isLimit, lane, from->isLimit);
    setMask(&row->isSoft, lane, from->isSoft);
    setMask(&row->isSpring, lane, from->isSpring);
}

static void loadJoint(const sdJointSolver* solver, sdJointBatch* batch, int lane, int index) {
    const sdActiveJoint* active = &solver->joints[index];
    const sdJointRows* rows = active->rows;
    batch->joints[lane] = index;
    batch->lockCount = rows->lockCount;
    if (!active->isInTree || batch->rowCount > 0) {
        // trees have copies of their bodies, and only rows that are swept ask for more
        loadBodies(solver, active, batch, lane);
    }
    sdVec3x8_SetLane(&batch->rA, lane, rows->rA);
    sdVec3x8_SetLane(&batch->rB, lane, rows->rB);
    sdVec3x8_SetLane(&batch->offset, lane, rows->offset);
    if (rows->hasBlock) {
        batch->hasBlock = true;
        batch->hasBlockLane[lane] = 1.0f;
        sdVec3x8_SetLane(&batch->impulse, lane, active->joint->blockImpulse);
    }
    for (int i = 0; i < rows->count; ++i) {
        loadRow(&rows->rows[i], rows->offset, active->joint->impulses[rows->rows[i].slot],
                &batch->rows[i], lane);
    }
}

// ---- eight joints that are swept -----------------------------------------------------------

/// In lanes that have no joint, and of joints without a block.
static const sdJointRows noRows;
static const float noImpulse[4];
/// Of what is not pushed.
static const sdMat33 noTensor;

/// Joints that have blocks at most; nothing need be cleared for them.
static void loadBlocks(const sdJointSolver* solver, sdJointBatch* batch, const int* lanes) {
    const sdStep* step = solver->step;
    sdJointSources from;
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
        for (int lane = 0; lane < SD_LANES && lanes[lane] != SD_NULL_INDEX; ++lane) {
            loadJoint(solver, batch, lane, solver->loose[lanes[lane]]);
        }
        batch->isRound =
            sdSym3x8_IsRound(&batch->startInertiaA) && sdSym3x8_IsRound(&batch->startInertiaB);
    }
}

// ---- groups --------------------------------------------------------------------------------

/// A body of a group; what comes in rows is left to sdTreeGroup_Begin.
static void loadTreeBody(const sdJointSolver* solver, sdTreeBody* body, int lane, int state) {
    const sdStep* step = solver->step;
    body->states[lane] = state;
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

void sdTreeGroup_Load(sdTreeGroup* group, const sdJointSolver* solver) {
    const sdTreePlan* plan = group->plan;
    for (int i = 0; i < plan->bodyCount; ++i) {
        sdTreeGrip* grips = group->bodies[i].grips;
        int gripCount = group->bodies[i].gripCount;
        memset(&group->bodies[i], 0, sizeof group->bodies[i]);
        group->bodies[i].grips = grips;
        group->bodies[i].gripCount = gripCount;
        for (int lane = 0; lane < SD_LANES; ++lane) {
            int state = plan->states[i * SD_LANES + lane];
            loadTreeBody(solver, &group->bodies[i], lane, state);
            group->isCarried =
                group->isCarried || (state >= 0 && !sdStep_IsPushed(solver->step, state));
        }
    }
    group->slop = group->isShared ? findSlop(solver, group) : 0.0f;
    for (int i = 0; i < plan->nodeCount; ++i) {
        for (int lane = 0; lane < plan->laneCount; ++lane) {
            loadJoint(solver, group->batches[i], lane, plan->joints[i * SD_LANES + lane]);
        }
    }
    SD_DISPATCH(sdTreeGroup_Begin)(group, solver);
}

static void loadShared(void* arg, int begin, int end, int worker) {
    (void)worker;
    sdJointSolver* solver = (sdJointSolver*)arg;
    for (int i = begin; i < end; ++i) {
        sdTreeGroup_Load(&solver->groups[solver->shared[i]], solver);
    }
}

void sdJointSolver_Load(sdJointSolver* solver) {
    const sdTaskSystem* tasks = &solver->step->world->context.tasks;
    tasks->parallelFor(tasks->user, loadShared, solver, solver->sharedCount, 1);
    tasks->parallelFor(tasks->user, loadBatches, solver, solver->coloring.batchCount, BATCH_GRAIN);
}
