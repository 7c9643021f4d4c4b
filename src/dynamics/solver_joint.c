// SPDX-License-Identifier: MIT
// solver_joint.c - joints: colours, batches, sweeps.
//
// In:   the world's joints and the step's body states.
// Out:  velocities; impulses back in the joints for the next step, forces to be read.
// Note: see joint_rows.h for what rows are, joint_soft_kernel.c for the arithmetic.

#include "dynamics/solver_joint.h"

#include "dynamics/joint.h"
#include "dynamics/joint_plan.h"

#include <float.h>

/// Joints and bodies, pulled bodies, and batches per task.
#define ITEM_GRAIN 64
#define BODY_GRAIN 64
#define BATCH_GRAIN 16
/// Groups that take turns with contacts, per task, at most: memory of the next one is asked for
/// meanwhile.
#define GROUP_GRAIN 4
/// Batches ahead of the one at hand that memory is asked for: joints lie in no order.
#define BATCHES_AHEAD 2
/// (ω h)² of the fastest swing that sub-steps follow well; from 4 on they blow it up.
#define RESOLVED_STIFFNESS 1.0f
/// By which forces may grow until the next step looks at them again.
#define SAFETY 4.0f
/// Sweeps of a sub-step where joints with limits take turns with contacts, those that push and
/// those that relax. With one of each, a foot that is stamped between the ground and the limit of
/// its joint was spun up for ever: arms turn while a single sweep leaves the three of them at odds.
#define LIMIT_PUSHES 3
#define LIMIT_RELAXES 2

// ---- rows ------------------------------------------------------------------------------------

/// h² times the force of a joint along its arms: half of the trace of the stiffness that it gives
/// its bodies. Most of them need no more.
static void notePulls(const sdJointSolver* solver, int index) {
    const sdActiveJoint* active = &solver->joints[index];
    sdVec3 force =
        sdScale(SAFETY * solver->step->h * solver->impulseScale, active->joint->blockImpulse);
    float a = active->rows->hasBlock ? sdDot(sdNeg(force), active->rows->rA) : 0.0f;
    float b = active->rows->hasBlock ? sdDot(force, active->rows->rB) : 0.0f;
    solver->pulls[2 * index] = sdMaxF(0.0f, a);
    solver->pulls[2 * index + 1] = sdMaxF(0.0f, b);
}

/// The rows of a joint.
static void buildRows(const sdJointSolver* solver, int index) {
    const sdActiveJoint* active = &solver->joints[index];
    sdJoint_BuildRows(solver->step->world, active->joint, solver->step->h, active->rows);
    if (!active->isInTree) {
        notePulls(solver, index);
    }
}

// ---- tensors -------------------------------------------------------------------------------

static float trace(const sdMat33* m) {
    return m->cx.x + m->cy.y + m->cz.z;
}

static float sumPulls(const sdJointSolver* solver, const sdPulledBody* body) {
    float sum = 0.0f;
    for (int i = 0; i < body->pullCount; ++i) {
        sum += solver->pulls[solver->plan->pulls[body->firstPull + i]];
    }
    return sum;
}

/// h² times the stiffness that pulls a body's arms in line with the forces at them: of a force f at
/// an arm r, (f · r) (1 - n nᵀ) with n along r.
static sdMat33 sumStiffness(const sdJointSolver* solver, const sdPulledBody* body) {
    sdMat33 sum = sdMat33_Diagonal(0.0f, 0.0f, 0.0f);
    for (int i = 0; i < body->pullCount; ++i) {
        int at = solver->plan->pulls[body->firstPull + i];
        float pull = solver->pulls[at];
        const sdJointRows* rows = solver->joints[at >> 1].rows;
        sdVec3 r = (at & 1) == 0 ? rows->rA : rows->rB;
        float square = sdLengthSquared(r);
        if (pull > 0.0f && square > 0.0f) {
            sdVec3 n = sdScale(-pull / square, r);
            sum.cx = sdAdd(sum.cx, sdMulAdd(sdV3(pull, 0.0f, 0.0f), r.x, n));
            sum.cy = sdAdd(sum.cy, sdMulAdd(sdV3(0.0f, pull, 0.0f), r.y, n));
            sum.cz = sdAdd(sum.cz, sdMulAdd(sdV3(0.0f, 0.0f, pull), r.z, n));
        }
    }
    return sum;
}

/// The inverse of a tensor for turns about axes that are not locked.
static sdMat33 invertUnlocked(sdMat33 m, uint32_t locks) {
    sdVec3 keep = {(locks & 1u) != 0 ? 0.0f : 1.0f, (locks & 2u) != 0 ? 0.0f : 1.0f,
                   (locks & 4u) != 0 ? 0.0f : 1.0f};
    sdVec3 lock = sdSub(sdV3(1.0f, 1.0f, 1.0f), keep);
    m.cx = sdAdd(sdScale(keep.x, sdMul(keep, m.cx)), sdV3(lock.x, 0.0f, 0.0f));
    m.cy = sdAdd(sdScale(keep.y, sdMul(keep, m.cy)), sdV3(0.0f, lock.y, 0.0f));
    m.cz = sdAdd(sdScale(keep.z, sdMul(keep, m.cz)), sdV3(0.0f, 0.0f, lock.z));
    sdMat33 r = sdMat33_Inverse(m);
    r.cx = sdScale(keep.x, r.cx);
    r.cy = sdScale(keep.y, r.cy);
    r.cz = sdScale(keep.z, r.cz);
    return r;
}

/// The tensor of a body as it is, for turns that are not locked.
static void takeTensor(const sdJointSolver* solver, int state) {
    const sdBodyMotion* motion = &solver->step->motions[state];
    if (motion->hasJoints && motion->isDynamic) {
        uint32_t locks = motion->locks >> 3;
        solver->tensors[state] =
            locks != 0 ? invertUnlocked(motion->inertia, locks) : motion->inverseInertia;
    }
}

typedef struct Measures {
    const sdJointSolver* solver;
    const int* joints; ///< in the list; NULL: all of it
    int jointCount;
} Measures;

/// Joints, then all bodies: one loop, for these are short.
static void measure(void* arg, int begin, int end, int worker) {
    (void)worker;
    const Measures* measures = (const Measures*)arg;
    int jointCount = measures->jointCount;
    for (int i = begin; i < sdMinI(end, jointCount); ++i) {
        buildRows(measures->solver, measures->joints != NULL ? measures->joints[i] : i);
    }
    for (int i = sdMaxI(begin, jointCount); i < end; ++i) {
        takeTensor(measures->solver, i - jointCount);
    }
}

/// Rows of joints that are swept; where it is not known yet which these are, of all. Tensors of all
/// bodies.
static void measureAll(const sdJointSolver* solver) {
    const sdStep* step = solver->step;
    const sdTaskSystem* tasks = &step->world->context.tasks;
    bool isNew = step->world->jointPlan == NULL;
    Measures measures = {solver, isNew ? NULL : solver->plan->loose,
                         isNew ? solver->jointCount : solver->plan->looseCount};
    tasks->parallelFor(tasks->user, measure, &measures, measures.jointCount + step->bodyCount,
                       ITEM_GRAIN);
}

/// A light link between heavy weights swings faster than sub-steps can follow, and would shake
/// itself to pieces. It gets as much inertia as makes it slow enough. Of joints that are swept:
/// slender sets see to that themselves.
/// Ref: Andrews, Teichmann, Kry: Geometric Stiffness for Real-time Constrained Multibody Dynamics,
///      2017.
static void stiffenTensors(void* arg, int begin, int end, int worker) {
    (void)worker;
    const sdJointSolver* solver = (const sdJointSolver*)arg;
    for (int i = begin; i < end; ++i) {
        const sdPulledBody* body = &solver->plan->pulled[i];
        const sdBodyMotion* motion = &solver->step->motions[body->state];
        sdMat33 m = motion->inertia;
        float limit = RESOLVED_STIFFNESS * trace(&m);
        if (2.0f * sumPulls(solver, body) <= limit) {
            continue;
        }
        sdMat33 stiffness = sumStiffness(solver, body);
        // shares of the trace, so that a long thin link is judged by its length
        float ratio = trace(&stiffness) / trace(&m);
        if (ratio > RESOLVED_STIFFNESS) {
            float share = 1.0f - RESOLVED_STIFFNESS / ratio;
            m.cx = sdMulAdd(m.cx, share, stiffness.cx);
            m.cy = sdMulAdd(m.cy, share, stiffness.cy);
            m.cz = sdMulAdd(m.cz, share, stiffness.cz);
            solver->tensors[body->state] = invertUnlocked(m, motion->locks >> 3);
        }
    }
}

// ---- batches -------------------------------------------------------------------------------

void sdJointBatch_Clear(sdJointBatch* batch, int rowCount) {
    memset(batch, 0, sizeof *batch);
    batch->rowCount = rowCount;
    for (int i = 0; i < rowCount; ++i) {
        batch->rows[i].mass = sdF8_Zero();
        batch->rows[i].isAimed = batch->rows[i].isIdle = false;
    }
    for (int lane = 0; lane < SD_LANES; ++lane) {
        batch->stateA[lane] = SD_NULL_INDEX;
        batch->stateB[lane] = SD_NULL_INDEX;
        batch->joints[lane] = SD_NULL_INDEX;
    }
}

sdJointSolver* sdJointSolver_Prepare(sdStep* step, const sdSoftSolver* contacts) {
    sdWorld* world = step->world;
    sdJointSolver* solver = sdArena_Alloc(&world->arena, 1, sizeof *solver);
    if (solver == NULL) {
        return NULL;
    }
    *solver = (sdJointSolver){
        .step = step,
        .rigid = sdSoftness_Rigid(step->h),
        .impulseScale = world->jointH > 0.0f ? step->h / world->jointH : 1.0f,
    };
    if (sdBitSet_Next(&world->activeJoints, 0) == SD_NULL_INDEX) {
        return solver;
    }
    if (!sdJointSolver_ListJoints(solver)) {
        return NULL;
    }
    size_t sides = 2 * (size_t)solver->jointCount, bodies = (size_t)step->bodyCount + 1;
    solver->pulls = sdArena_Alloc(&world->arena, sides, sizeof *solver->pulls);
    solver->tensors = sdArena_Alloc(&world->arena, bodies, sizeof *solver->tensors);
    if (solver->pulls == NULL || solver->tensors == NULL) {
        return NULL;
    }
    measureAll(solver);
    if (!sdJointSolver_TakePlan(solver)) {
        return NULL;
    }
    const sdTaskSystem* tasks = &world->context.tasks;
    tasks->parallelFor(tasks->user, stiffenTensors, solver, solver->plan->pulledCount, BODY_GRAIN);
    if (!sdJointSolver_PartGroups(solver) || !sdJointSolver_FindGrips(solver, contacts)) {
        return NULL;
    }
    sdJointSolver_Load(solver);
    return solver;
}

// ---- store ---------------------------------------------------------------------------------

/// Give a joint its impulses back, by the slots of its rows.
static void storeImpulses(sdJoint* joint, const sdJointBatch* batch, int lane) {
    memset(joint->impulses, 0, sizeof joint->impulses);
    for (int j = 0; j < batch->rowCount; ++j) {
        int slot = batch->rows[j].slots[lane];
        float impulse = batch->rows[j].impulse[lane];
        if (slot >= 0) {
            joint->impulses[slot & SD_ROW_SLOT_MASK] =
                (slot & SD_ROW_KEPT_TURNED) != 0 ? -impulse : impulse;
        }
    }
}

static void storeBatch(const sdJointSolver* solver, const sdJointBatch* batch) {
    sdJointForces from;
    SD_DISPATCH(sdJointBatch_FindForces)(batch, solver->step->h, &from);
    for (int lane = 0; lane < SD_LANES && batch->joints[lane] != SD_NULL_INDEX; ++lane) {
        sdJoint* joint = solver->joints[batch->joints[lane]].joint;
        joint->blockImpulse = sdV3(from.block[0][lane], from.block[1][lane], from.block[2][lane]);
        joint->force = sdV3(from.force[0][lane], from.force[1][lane], from.force[2][lane]);
        joint->torque = sdV3(from.torque[0][lane], from.torque[1][lane], from.torque[2][lane]);
        if (!joint->isPlain) {
            storeImpulses(joint, batch, lane);
        }
        // bodies that left the numbers were put back, at rest: their joints start anew, too
        if (!sdIsFinite(from.sum[lane])) {
            sdJoint_Forget(joint);
        }
    }
}

/// Ask for the joints of a batch: they lie in no order.
SD_PREFETCHING void prefetchJoints(const sdJointSolver* solver, const sdJointBatch* batch) {
    for (int lane = 0; lane < SD_LANES && batch->joints[lane] != SD_NULL_INDEX; ++lane) {
        const sdJoint* joint = solver->joints[batch->joints[lane]].joint;
        sdPrefetch(joint, 1);
        if (batch->rowCount > 0) {
            sdPrefetch(joint->impulses, sizeof joint->impulses);
        }
    }
}

static void storeBatches(void* arg, int begin, int end, int worker) {
    (void)worker;
    const sdJointSolver* solver = (const sdJointSolver*)arg;
    for (int i = begin; i < end; ++i) {
        prefetchJoints(solver, solver->batches[sdMinI(i + BATCHES_AHEAD, end - 1)]);
        storeBatch(solver, solver->batches[i]);
    }
}

static void storeGroup(const sdJointSolver* solver, const sdTreeGroup* group) {
    int last = group->plan->nodeCount - 1;
    for (int i = 0; i <= last; ++i) {
        prefetchJoints(solver, group->batches[sdMinI(i + BATCHES_AHEAD, last)]);
        storeBatch(solver, group->batches[i]);
    }
}

static void storeShared(void* arg, int begin, int end, int worker) {
    (void)worker;
    const sdJointSolver* solver = (const sdJointSolver*)arg;
    for (int i = begin; i < end; ++i) {
        storeGroup(solver, &solver->groups[solver->shared[i]]);
    }
}

void sdJointSolver_Store(sdJointSolver* solver) {
    sdTeam* team = solver->step->team;
    sdTeam_For(team, storeShared, solver, solver->sharedCount, 1);
    sdTeam_For(team, storeBatches, solver, solver->coloring.batchCount, BATCH_GRAIN);
}

// ---- sweeps --------------------------------------------------------------------------------

typedef struct Sweep {
    sdJointSolver* solver;
    bool isBiased;
} Sweep;

static void warmStart(void* arg, int begin, int end, int worker) {
    (void)worker;
    const sdJointSolver* solver = ((const Sweep*)arg)->solver;
    for (int i = begin; i < end; ++i) {
        sdJointBatch* batch = solver->batches[i];
        if (batch->rowCount > 0) {
            SD_DISPATCH(sdJointBatch_WarmStart)(batch, solver);
        } else if (!solver->isWarm) {
            SD_DISPATCH(sdJointBatch_WarmStartBlocks)(batch, solver->step->states);
        }
    }
}

static void solveRange(void* arg, int begin, int end, int worker) {
    (void)worker;
    const Sweep* sweep = (const Sweep*)arg;
    for (int i = begin; i < end; ++i) {
        sdJointBatch* batch = sweep->solver->batches[i];
        if (batch->rowCount > 0) {
            SD_DISPATCH(sdJointBatch_Solve)(batch, sweep->solver, sweep->isBiased);
        } else {
            SD_DISPATCH(sdJointBatch_SolveBlocks)(batch, sweep->solver, sweep->isBiased);
        }
    }
}

static int groupGrain(const sdJointSolver* solver, int count) {
    int tasks = 4 * solver->step->world->context.tasks.workerCount;
    return sdMinI(sdMaxI(count / tasks, 1), GROUP_GRAIN);
}

/// Bring a group to a worker, who goes on to the next one after that.
static sdTreeGroup* openShared(const sdJointSolver* solver, int index, int end, int worker) {
    sdTreeGroup* group = &solver->groups[solver->shared[index]];
    sdTreeGroup_Open(group, sdJointSolver_GetWorkMemory(solver, worker));
    group->next = index + 1 < end ? &solver->groups[solver->shared[index + 1]] : NULL;
    return group;
}

static void startGroups(void* arg, int begin, int end, int worker) {
    const Sweep* sweep = (const Sweep*)arg;
    for (int i = begin; i < end; ++i) {
        sdTreeGroup* group = openShared(sweep->solver, i, end, worker);
        SD_DISPATCH(sdTreeGroup_Start)(group, sweep->solver);
    }
}

/// Whether the sub-step under way is the last one.
static bool isLast(const sdJointSolver* solver) {
    return solver->startedCount == solver->step->subStepCount;
}

static void solveGroups(void* arg, int begin, int end, int worker) {
    const Sweep* sweep = (const Sweep*)arg;
    for (int i = begin; i < end; ++i) {
        sdTreeGroup* group = &sweep->solver->groups[sweep->solver->shared[i]];
        if (sweep->isBiased || sdTreeGroup_Relaxes(group, isLast(sweep->solver))) {
            group = openShared(sweep->solver, i, end, worker);
            SD_DISPATCH(sdTreeGroup_Solve)(group, sweep->solver, sweep->isBiased);
        }
    }
}

typedef struct Range {
    Sweep* sweep;
    int first;
} Range;

/// Of groups that contacts do not hold: they begin their sub-step here as well.
static void solveOthers(void* arg, int begin, int end, int worker) {
    const Range* range = (const Range*)arg;
    const sdJointSolver* solver = range->sweep->solver;
    int first = range->first + begin, last = range->first + end;
    if (!range->sweep->isBiased) {
        solveGroups(range->sweep, first, last, worker);
        return;
    }
    for (int i = first; i < last; ++i) {
        sdTreeGroup* group = openShared(solver, i, last, worker);
        SD_DISPATCH(sdTreeGroup_StartAndSolve)(group, solver);
    }
}

static void runAlone(void* arg, int begin, int end, int worker) {
    sdJointSolver* solver = (sdJointSolver*)arg;
    for (int i = begin; i < end; ++i) {
        sdTreeGroup* group = &solver->groups[solver->alone[i]];
        char* place = sdJointSolver_GetWorkMemory(solver, worker);
        sdTreeGroup_Open(group, place);
        sdTreeGroup_Place(group, place + solver->workSize);
        sdTreeGroup_Load(group, solver);
        SD_DISPATCH(sdTreeGroup_Run)(group, solver);
        storeGroup(solver, group);
    }
}

void sdJointSolver_RunAlone(sdJointSolver* solver) {
    sdTeam_For(solver->step->team, runAlone, solver, solver->aloneCount, 1);
}

void sdJointSolver_WarmStart(sdJointSolver* solver) {
    Sweep arg = {solver, false};
    solver->startedCount += 1;
    sdTeam_For(solver->step->team, startGroups, &arg, solver->heldCount,
               groupGrain(solver, solver->heldCount));
    if (!solver->isWarm || solver->hasRows) {
        sdColoring_Sweep(&solver->coloring, solver->step->team, warmStart, &arg);
    }
    solver->isWarm = true;
}

void sdJointSolver_Sweep(sdJointSolver* solver, bool isBiased) {
    Sweep arg = {solver, isBiased};
    sdColoring_Sweep(&solver->coloring, solver->step->team, solveRange, &arg);
}

void sdJointSolver_Solve(sdJointSolver* solver, bool isBiased) {
    Sweep arg = {solver, isBiased};
    Range range = {&arg, solver->heldCount};
    int count = solver->sharedCount - solver->heldCount;
    sdTeam_For(solver->step->team, solveOthers, &range, count, groupGrain(solver, count));
    sdJointSolver_Sweep(solver, isBiased);
}

int sdJointSolver_CountSweeps(const sdJointSolver* solver, bool isBiased) {
    return !solver->hasLimits ? 1 : isBiased ? LIMIT_PUSHES : LIMIT_RELAXES;
}

void sdJointSolver_Hold(sdJointSolver* solver, bool isBiased) {
    Sweep arg = {solver, isBiased};
    sdTeam_For(solver->step->team, solveGroups, &arg, solver->heldCount,
               groupGrain(solver, solver->heldCount));
}

bool sdJointSolver_HoldsAtLast(const sdJointSolver* solver) {
    bool holds = false;
    for (int i = 0; i < solver->heldCount && !holds; ++i) {
        holds = sdTreeGroup_Relaxes(&solver->groups[solver->shared[i]], isLast(solver));
    }
    return holds;
}

bool sdJointSolver_AreFine(const sdJointSolver* solver) {
    bool areFine = solver->looseCount > 0;
    for (int i = 0; i < solver->sharedCount && !areFine; ++i) {
        areFine = !solver->groups[solver->shared[i]].isTouched;
    }
    // those that fly beside others that lie have no more of them than these
    for (int i = 0; i < solver->aloneCount && solver->sharedCount == 0 && !areFine; ++i) {
        areFine = solver->groups[solver->alone[i]].hasSweeps;
    }
    return areFine;
}
