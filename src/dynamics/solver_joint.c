// SPDX-License-Identifier: MIT
// solver_joint.c - joints: colours, batches, sweeps.
//
// In:   the world's joints and the step's body states.
// Out:  velocities; impulses back in the joints for the next step, forces to be read.
// Note: see joint_rows.h for what rows are, joint_soft_kernel.c for the arithmetic.

#include "dynamics/solver_joint.h"

#include "dynamics/joint.h"
#include "dynamics/joint_tree.h"

/// Joints and batches per task.
#define JOINT_GRAIN 32
#define BATCH_GRAIN 4

// ---- list ----------------------------------------------------------------------------------

static int stateOf(const sdBody* body) {
    return body->type != SD_BODY_STATIC ? body->awakeIndex : SD_NULL_INDEX;
}

static void listJoints(sdJointSolver* solver) {
    sdWorld* world = solver->step->world;
    solver->jointCount = 0;
    for (int i = sdBitSet_Next(&world->activeJoints, 0); i != SD_NULL_INDEX;
         i = sdBitSet_Next(&world->activeJoints, i + 1)) {
        sdJoint* joint = &world->joints.data[i];
        sdActiveJoint* active = &solver->joints[solver->jointCount++];
        joint->activeIndex = solver->jointCount - 1;
        active->joint = joint;
        active->isInTree = false;
        active->stateA = stateOf(&world->bodies.data[joint->bodyA]);
        active->stateB = stateOf(&world->bodies.data[joint->bodyB]);
    }
}

static void buildRows(void* arg, int begin, int end, int worker) {
    (void)worker;
    sdJointSolver* solver = (sdJointSolver*)arg;
    for (int i = begin; i < end; ++i) {
        sdActiveJoint* active = &solver->joints[i];
        sdJoint_BuildRows(solver->step->world, active->joint, solver->step->h, &active->rows);
    }
}

// ---- one joint to one lane -----------------------------------------------------------------

static void setVec(sdVec3x8* to, int lane, sdVec3 v) {
    to->x[lane] = v.x;
    to->y[lane] = v.y;
    to->z[lane] = v.z;
}

static void setSym(sdSym3x8* to, int lane, const sdMat33* m) {
    to->xx[lane] = m->cx.x;
    to->xy[lane] = m->cy.x;
    to->xz[lane] = m->cz.x;
    to->yy[lane] = m->cy.y;
    to->yz[lane] = m->cz.y;
    to->zz[lane] = m->cz.z;
}

static void setMask(sdF8* to, int lane, bool isSet) {
    uint32_t mask = isSet ? 0xFFFFFFFFu : 0u;
    memcpy((char*)to + (size_t)lane * sizeof mask, &mask, sizeof mask);
}

static void loadBodies(const sdStep* step, const sdActiveJoint* active, sdJointBatch* batch,
                       int lane) {
    batch->stateA[lane] = active->stateA;
    batch->stateB[lane] = active->stateB;
    if (sdStep_IsPushed(step, active->stateA)) {
        batch->writesA |= (uint8_t)(1u << lane);
        batch->massA[lane] = step->states[active->stateA].inverseMass;
        setSym(&batch->startInertiaA, lane, &step->motions[active->stateA].inverseInertia);
    }
    if (sdStep_IsPushed(step, active->stateB)) {
        batch->writesB |= (uint8_t)(1u << lane);
        batch->massB[lane] = step->states[active->stateB].inverseMass;
        setSym(&batch->startInertiaB, lane, &step->motions[active->stateB].inverseInertia);
    }
}

static void loadRow(const sdJointRow* from, sdVec3 offset, float impulse, sdJointRow8* row,
                    int lane) {
    bool isMove = from->kind != SD_ROW_TURN;
    float along = sdDot(from->axis, offset);
    setVec(&row->axis, lane, from->axis);
    setMask(&row->isMove, lane, isMove);
    setMask(&row->isLine, lane, from->kind == SD_ROW_LINE);
    row->lineSign[lane] = along < 0.0f ? -1.0f : 1.0f;
    row->error[lane] = from->error - (isMove ? along : 0.0f);
    row->isUsed[lane] = 1.0f;
    row->target[lane] = from->target;
    row->lower[lane] = from->lower;
    row->upper[lane] = from->upper;
    // limits may have become tighter
    row->impulse[lane] = sdClampF(impulse, from->lower, from->upper);
    row->rate[lane] = from->softness.rate;
    row->massScale[lane] = from->softness.massScale;
    row->impulseScale[lane] = from->softness.impulseScale;
    setMask(&row->isLimit, lane, from->isLimit);
    setMask(&row->isSoft, lane, from->isSoft);
}

static void loadJoint(sdJointSolver* solver, int index) {
    const sdActiveJoint* active = &solver->joints[index];
    sdJointBatch* batch = active->batch;
    const sdJointRows* rows = &active->rows;
    int lane = active->lane;
    batch->joints[lane] = index;
    batch->lockCount = rows->lockCount;
    loadBodies(solver->step, active, batch, lane);
    setVec(&batch->rA, lane, rows->rA);
    setVec(&batch->rB, lane, rows->rB);
    setVec(&batch->offset, lane, rows->offset);
    if (rows->hasBlock) {
        batch->hasBlock = true;
        batch->hasBlockLane[lane] = 1.0f;
        setVec(&batch->impulse, lane, active->joint->blockImpulse);
    }
    for (int i = 0; i < rows->count; ++i) {
        loadRow(&rows->rows[i], rows->offset, active->joint->impulses[rows->rows[i].slot],
                &batch->rows[i], lane);
    }
}

// ---- batches -------------------------------------------------------------------------------

sdJointBatch* sdJointBatch_Alloc(sdArena* arena, int rowCount) {
    size_t size = sizeof(sdJointBatch) + (size_t)rowCount * sizeof(sdJointRow8);
    sdJointBatch* batch = sdArena_Alloc(arena, size, 1);
    if (batch != NULL) {
        memset(batch, 0, size);
        batch->rowCount = rowCount;
        for (int lane = 0; lane < SD_LANES; ++lane) {
            batch->stateA[lane] = SD_NULL_INDEX;
            batch->stateB[lane] = SD_NULL_INDEX;
            batch->joints[lane] = SD_NULL_INDEX;
        }
    }
    return batch;
}

static void loadBatches(void* arg, int begin, int end, int worker) {
    (void)worker;
    sdJointSolver* solver = (sdJointSolver*)arg;
    for (int i = begin; i < end; ++i) {
        const int* lanes = solver->coloring.lanes + (size_t)i * SD_LANES;
        for (int lane = 0; lane < SD_LANES && lanes[lane] != SD_NULL_INDEX; ++lane) {
            loadJoint(solver, solver->loose[lanes[lane]]);
        }
    }
}

static void loadGroups(void* arg, int begin, int end, int worker) {
    (void)worker;
    sdJointSolver* solver = (sdJointSolver*)arg;
    for (int i = begin; i < end; ++i) {
        const sdTreeGroup* group = &solver->groups[i];
        for (int j = 0; j < group->nodeCount; ++j) {
            const sdJointBatch* batch = group->nodes[j].batch;
            for (int lane = 0; lane < SD_LANES && batch->joints[lane] != SD_NULL_INDEX; ++lane) {
                loadJoint(solver, batch->joints[lane]);
            }
        }
    }
}

/// Colour the joints that are in no tree; those with the most rows come first.
static bool colorJoints(sdJointSolver* solver) {
    sdStep* step = solver->step;
    sdArena* arena = &step->world->arena;
    size_t most = (size_t)solver->jointCount + 1;
    sdColorItem* items = sdArena_Alloc(arena, most, sizeof *items);
    solver->loose = sdArena_Alloc(arena, most, sizeof *solver->loose);
    int count = 0;
    for (int i = 0; items != NULL && solver->loose != NULL && i < solver->jointCount; ++i) {
        const sdActiveJoint* joint = &solver->joints[i];
        if (!joint->isInTree) {
            int kind = SD_JOINT_MAX_ROWS - joint->rows.count;
            items[count] = (sdColorItem){joint->stateA, joint->stateB, kind};
            solver->loose[count++] = i;
        }
    }
    return items != NULL && solver->loose != NULL &&
           sdColoring_Make(&solver->coloring, step, items, count);
}

static bool placeBatches(sdJointSolver* solver) {
    sdArena* arena = &solver->step->world->arena;
    size_t count = (size_t)solver->coloring.batchCount;
    solver->batches = sdArena_Alloc(arena, count + 1, sizeof *solver->batches);
    for (size_t i = 0; solver->batches != NULL && i < count; ++i) {
        const int* lanes = solver->coloring.lanes + i * SD_LANES;
        // the others of a batch have as many rows or fewer
        int rowCount = solver->joints[solver->loose[lanes[0]]].rows.count;
        solver->batches[i] = sdJointBatch_Alloc(arena, rowCount);
        if (solver->batches[i] == NULL) {
            return false;
        }
        for (int lane = 0; lane < SD_LANES && lanes[lane] != SD_NULL_INDEX; ++lane) {
            sdActiveJoint* joint = &solver->joints[solver->loose[lanes[lane]]];
            joint->batch = solver->batches[i];
            joint->lane = lane;
        }
    }
    return solver->batches != NULL;
}

sdJointSolver* sdJointSolver_Prepare(sdStep* step) {
    sdWorld* world = step->world;
    size_t count = (size_t)sdBitSet_Count(&world->activeJoints);
    sdJointSolver* solver = sdArena_Alloc(&world->arena, 1, sizeof *solver);
    if (solver == NULL) {
        return NULL;
    }
    *solver = (sdJointSolver){.step = step, .rigid = sdSoftness_Rigid(step->h)};
    if (count == 0) {
        return solver;
    }
    solver->joints = sdArena_Alloc(&world->arena, count, sizeof *solver->joints);
    if (solver->joints == NULL) {
        return NULL;
    }
    const sdTaskSystem* tasks = &world->context.tasks;
    listJoints(solver);
    tasks->parallelFor(tasks->user, buildRows, solver, solver->jointCount, JOINT_GRAIN);
    bool hasTrees = !world->def.enableDirect || sdJointSolver_FindTrees(solver);
    if (!hasTrees || !colorJoints(solver) || !placeBatches(solver)) {
        return NULL;
    }
    tasks->parallelFor(tasks->user, loadGroups, solver, solver->groupCount, 1);
    tasks->parallelFor(tasks->user, loadBatches, solver, solver->coloring.batchCount, BATCH_GRAIN);
    return solver;
}

// ---- sweeps --------------------------------------------------------------------------------

typedef struct Sweep {
    sdJointSolver* solver;
    bool isBiased;
} Sweep;

static void warmStart(void* arg, int begin, int end, int worker) {
    (void)worker;
    const Sweep* sweep = (const Sweep*)arg;
    for (int i = begin; i < end; ++i) {
        SD_DISPATCH(sdJointBatch_WarmStart)
        (sweep->solver->batches[i], sweep->solver->step->states);
    }
}

static void solveRange(void* arg, int begin, int end, int worker) {
    (void)worker;
    const Sweep* sweep = (const Sweep*)arg;
    for (int i = begin; i < end; ++i) {
        SD_DISPATCH(sdJointBatch_Solve)(sweep->solver->batches[i], sweep->solver, sweep->isBiased);
    }
}

static void startGroups(void* arg, int begin, int end, int worker) {
    (void)worker;
    const Sweep* sweep = (const Sweep*)arg;
    for (int i = begin; i < end; ++i) {
        SD_DISPATCH(sdTreeGroup_Start)(&sweep->solver->groups[i], sweep->solver->step->states);
    }
}

static void solveGroups(void* arg, int begin, int end, int worker) {
    (void)worker;
    const Sweep* sweep = (const Sweep*)arg;
    for (int i = begin; i < end; ++i) {
        SD_DISPATCH(sdTreeGroup_Solve)(&sweep->solver->groups[i], sweep->solver, sweep->isBiased);
    }
}

void sdJointSolver_WarmStart(sdJointSolver* solver) {
    Sweep arg = {solver, false};
    sdTeam_For(solver->step->team, startGroups, &arg, solver->groupCount, 1);
    sdColoring_Sweep(&solver->coloring, solver->step->team, warmStart, &arg);
}

void sdJointSolver_Solve(sdJointSolver* solver, bool isBiased) {
    Sweep arg = {solver, isBiased};
    sdTeam_For(solver->step->team, solveGroups, &arg, solver->groupCount, 1);
    sdColoring_Sweep(&solver->coloring, solver->step->team, solveRange, &arg);
}

// ---- store ---------------------------------------------------------------------------------

/// What a joint has put on B in the last sub-step, as a force at the anchor.
static void findForce(sdJoint* joint, const sdJointRows* rows, float h) {
    sdVec3 force = joint->blockImpulse, torque = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < rows->count; ++i) {
        const sdJointRow* row = &rows->rows[i];
        sdVec3 impulse = sdScale(joint->impulses[row->slot], row->axis);
        if (row->kind == SD_ROW_TURN) {
            torque = sdAdd(torque, impulse);
        } else {
            force = sdAdd(force, impulse);
        }
    }
    joint->force = sdScale(1.0f / h, force);
    joint->torque = sdScale(1.0f / h, torque);
}

static void storeJoints(void* arg, int begin, int end, int worker) {
    (void)worker;
    sdJointSolver* solver = (sdJointSolver*)arg;
    for (int i = begin; i < end; ++i) {
        const sdActiveJoint* active = &solver->joints[i];
        const sdJointBatch* batch = active->batch;
        sdJoint* joint = active->joint;
        int lane = active->lane;
        memset(joint->impulses, 0, sizeof joint->impulses);
        joint->blockImpulse =
            sdV3(batch->impulse.x[lane], batch->impulse.y[lane], batch->impulse.z[lane]);
        for (int j = 0; j < active->rows.count; ++j) {
            joint->impulses[active->rows.rows[j].slot] = batch->rows[j].impulse[lane];
        }
        findForce(joint, &active->rows, solver->step->h);
    }
}

void sdJointSolver_Store(sdJointSolver* solver) {
    sdTeam_For(solver->step->team, storeJoints, solver, solver->jointCount, JOINT_GRAIN);
}
