// SPDX-License-Identifier: MIT
// solver_soft.c - sub-stepped contacts: colours, batches, sweeps.
//
// In:   the step's patches and body states.
// Out:  velocities; impulses back in the patches for the next step.
// Note: see solver_soft.h for the idea, contact_soft_kernel.c for the arithmetic.

#include "dynamics/solver_soft.h"

#include "dynamics/contact.h"

/// Batches per task.
#define BATCH_GRAIN 4
/// Patches beyond which batches do not fit into the caches of a core, with what else is there.
#define LARGE_COUNT 6000
/// Batches ahead of the one at hand that sweeps ask for: one takes about as long as memory does.
#define BATCHES_AHEAD 3
/// Times the push rate at which overlaps beyond SD_DEEP_SLOPS are pushed apart.
#define DEEP_RATE 6.0f
/// Sub-steps of gravity, and a speed, m/s: what slips slower than their sum may come to hold.
#define STICK_STEPS 0.1f
#define STICK_SPEED 1e-3f
/// Steps of gravity, as a speed: what approaches slower rests instead of bouncing.
#define RESTITUTION_STEPS 1.5f

// ---- batches -------------------------------------------------------------------------------

/// Bytes of a batch, without blows.
static size_t sizeOfBatch(int pointCount) {
    return sizeof(sdSoftBatch) + (size_t)pointCount * (sizeof(sdSoftPoint) + sizeof(sdF8));
}

/// Bytes of blows that come after it.
static size_t sizeOfBlows(const sdSoftSolver* solver, int pointCount) {
    return solver->isStruck != NULL ? (size_t)pointCount * sizeof(sdSoftBlow) : 0;
}

/// Of the first patch: the others of a batch have as many points or fewer.
static int countPoints(const sdStep* step, const int* lanes) {
    return step->patches[lanes[0]].pointCount;
}

/// In a lane without a patch: it has a normal, so that nothing divides by zero.
static const sdPatchInput noInput = {
    .normal = {1.0f, 0.0f, 0.0f}, .stateA = SD_NULL_INDEX, .stateB = SD_NULL_INDEX};

/// Ask for the inputs of a batch, of their points as many as most have.
SD_PREFETCHING void prefetchInputs(const sdStep* step, const int* lanes) {
    for (int i = 0; i < SD_LANES; ++i) {
        sdPrefetch(&step->inputs[lanes[i]], offsetof(sdPatchInput, points[2]));
    }
}

/// Ask for the bodies of a batch.
SD_PREFETCHING void prefetchBodies(const sdStep* step, const int* lanes) {
    for (int i = 0; i < SD_LANES && lanes[i] != SD_NULL_INDEX; ++i) {
        const sdPatchInput* input = &step->inputs[lanes[i]];
        sdPrefetch(&step->states[input->stateA], 1);
        sdPrefetch(&step->states[input->stateB], 1);
        sdPrefetch(&step->tensors[input->stateA], 1);
        sdPrefetch(&step->tensors[input->stateB], 1);
    }
}

/// Mark patches of a batch whose points approach so fast that it may be a hit.
static void markFast(sdStep* step, const sdSoftBatch* batch) {
    sdF8 limit = sdF8_Splat(-step->world->def.hitSpeed);
    uint32_t lanes = (uint32_t)sdI8_MaskBits(sdF8_Less(batch->approach, limit));
    for (int lane = 0; lanes >> lane != 0; ++lane) {
        if ((lanes >> lane & 1) != 0) {
            sdStep_MarkFast(step, batch->patches[lane], -batch->approach[lane]);
        }
    }
}

static void prepareBatches(void* arg, int begin, int end, int worker) {
    (void)worker;
    sdSoftSolver* solver = (sdSoftSolver*)arg;
    sdStep* step = solver->step;
    for (int i = begin; i < end; ++i) {
        sdSoftBatch* batch = solver->batches[i];
        const int* lanes = solver->coloring.lanes + (size_t)i * SD_LANES;
        if (i + 2 < end) {
            prefetchInputs(step, lanes + 2 * SD_LANES);
            prefetchBodies(step, lanes + SD_LANES);
        }
        const sdPatchInput* inputs[SD_LANES];
        for (int lane = 0; lane < SD_LANES; ++lane) {
            inputs[lane] = lanes[lane] != SD_NULL_INDEX ? &step->inputs[lanes[lane]] : &noInput;
            batch->patches[lane] = lanes[lane];
        }
        batch->pointCount = countPoints(step, lanes);
        SD_DISPATCH(sdSoftBatch_Prepare)(batch, inputs, step, solver->bounceSpeed);
        markFast(step, batch);
    }
}

/// Colour the patches; those with the most points come first.
static bool colorPatches(sdSoftSolver* solver) {
    sdStep* step = solver->step;
    sdArena* arena = &step->world->arena;
    size_t count = (size_t)step->patchCount + 1;
    sdColorItem* items = sdArena_Alloc(arena, count, sizeof *items);
    for (int i = 0; items != NULL && i < step->patchCount; ++i) {
        const sdActivePatch* patch = &step->patches[i];
        int kind = SD_MANIFOLD_MAX_POINTS - patch->pointCount;
        items[i] = (sdColorItem){patch->stateA, patch->stateB, kind};
    }
    return items != NULL &&
           sdColoring_Make(&solver->coloring, step, arena, items, step->patchCount);
}

/// Take memory for the batches.
static bool placeBatches(sdSoftSolver* solver) {
    sdArena* arena = &solver->step->world->arena;
    const int* lanes = solver->coloring.lanes;
    int count = solver->coloring.batchCount;
    size_t size = 0;
    for (int i = 0; i < count; ++i) {
        int points = countPoints(solver->step, lanes + (size_t)i * SD_LANES);
        size += sizeOfBatch(points) + sizeOfBlows(solver, points);
    }
    solver->batches = sdArena_Alloc(arena, (size_t)count + 1, sizeof *solver->batches);
    char* memory = sdArena_Alloc(arena, size + 1, 1);
    if (solver->batches == NULL || memory == NULL) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        int points = countPoints(solver->step, lanes + (size_t)i * SD_LANES);
        solver->batches[i] = (sdSoftBatch*)(void*)memory;
        memory += sizeOfBatch(points);
        solver->batches[i]->blows = solver->isStruck != NULL ? (sdSoftBlow*)(void*)memory : NULL;
        memory += sizeOfBlows(solver, points);
    }
    return true;
}

sdSoftSolver* sdSoftSolver_Prepare(sdStep* step) {
    sdWorld* world = step->world;
    sdSoftSolver* solver = sdArena_Alloc(&world->arena, 1, sizeof *solver);
    if (solver == NULL) {
        return NULL;
    }
    const sdWorldDef* def = &world->def;
    *solver = (sdSoftSolver){
        .step = step,
        .slop = def->slop,
        .stickSpeed = STICK_STEPS * step->h * sdLength(def->gravity) + STICK_SPEED,
        .pushRate = def->pushRate,
        .deepPushRate = DEEP_RATE * def->pushRate,
        .maxPushSpeed = def->maxPushSpeed,
        .bounceSpeed = sdStep_GetBounceSpeed(step),
    };
    solver->asksAhead = step->patchCount > LARGE_COUNT || world->context.tasks.workerCount > 1;
    if (!colorPatches(solver) || !sdSoftSolver_PrepareBlows(solver) || !placeBatches(solver)) {
        return NULL;
    }
    const sdTaskSystem* tasks = &world->context.tasks;
    tasks->parallelFor(tasks->user, prepareBatches, solver, solver->coloring.batchCount,
                       BATCH_GRAIN);
    world->stats.colorCount = solver->coloring.colorCount;
    return solver;
}

// ---- sweeps --------------------------------------------------------------------------------

typedef struct Sweep {
    sdSoftSolver* solver;
    sdSweepKind kind;
} Sweep;

static void sweep(sdSoftSolver* solver, sdTaskFcn* task, sdSweepKind kind) {
    Sweep arg = {solver, kind};
    sdColoring_Sweep(&solver->coloring, solver->step->team, task, &arg);
}

/// Ask for a batch that is due soon, and for the bodies of the next one.
SD_PREFETCHING void prefetchBatches(const sdSoftSolver* solver, int index, int end) {
    if (!solver->asksAhead) {
        return;
    }
    if (index + BATCHES_AHEAD < end) {
        const sdSoftBatch* batch = solver->batches[index + BATCHES_AHEAD];
        sdPrefetch(batch, offsetof(sdSoftBatch, rolling));
        sdPrefetch(batch->points, 2 * sizeof(sdSoftPoint));
    }
    if (index + 1 < end) {
        SD_DISPATCH(sdSoftBatch_Fetch)(solver->batches[index + 1], solver->step->states);
    }
}

static void warmStart(void* arg, int begin, int end, int worker) {
    (void)worker;
    const Sweep* sweep = (const Sweep*)arg;
    for (int i = begin; i < end; ++i) {
        prefetchBatches(sweep->solver, i, end);
        SD_DISPATCH(sdSoftBatch_WarmStart)
        (sweep->solver->batches[i], sweep->solver->step->states);
    }
}

static void solveRange(void* arg, int begin, int end, int worker) {
    (void)worker;
    const Sweep* sweep = (const Sweep*)arg;
    for (int i = begin; i < end; ++i) {
        prefetchBatches(sweep->solver, i, end);
        SD_DISPATCH(sdSoftBatch_Solve)
        (sweep->solver->batches[i], sweep->solver, sweep->kind);
    }
}

float sdStep_GetBounceSpeed(const sdStep* step) {
    return RESTITUTION_STEPS * step->dt * sdLength(step->world->def.gravity);
}

void sdSoftSolver_WarmStart(sdSoftSolver* solver) {
    sweep(solver, warmStart, SD_SWEEP_PUSH);
}

void sdSoftSolver_Solve(sdSoftSolver* solver, sdSweepKind kind) {
    sweep(solver, solveRange, kind);
}

/// @param isFirst part of the step: what was given before it is of the last step
static void storePatch(sdPatch* patch, sdSoftBatch* batch, int lane, bool isFirst) {
    const sdF8* totals = sdSoftBatch_GetTotals(batch);
    float all = 0.0f;
    for (int i = 0; i < patch->pointCount; ++i) {
        sdPatchPoint* point = &patch->points[i];
        float total = totals[i][lane];
        point->impulse = batch->points[i].impulse[lane];
        point->total = isFirst ? total : point->total + total;
        all += total;
    }
    sdVec3 n = sdVec3x8_GetLane(&batch->normal, lane);
    sdVec3 t1 = sdVec3x8_GetLane(&batch->tangent, lane), t2 = sdCross(n, t1);
    sdVec3 slip = sdAdd(sdScale(batch->slip1[lane], t1), sdScale(batch->slip2[lane], t2));
    patch->friction =
        sdAdd(sdScale(batch->friction1[lane], t1), sdScale(batch->friction2[lane], t2));
    patch->frictionTotal = isFirst ? slip : sdAdd(patch->frictionTotal, slip);
    patch->rolling = sdMulAdd(sdVec3x8_GetLane(&batch->rolling, lane), batch->twist[lane], n);
    sdPatch_NoteBlow(patch, all);
    // a body that left the numbers begins anew, and so must its contacts
    if (!sdIsFinite(all) || !sdVec3_IsFinite(patch->frictionTotal) ||
        !sdVec3_IsFinite(patch->rolling)) {
        sdPatch_Forget(patch);
    }
}

static void storeBatches(void* arg, int begin, int end, int worker) {
    (void)worker;
    const sdSoftSolver* solver = (const sdSoftSolver*)arg;
    const sdActivePatch* patches = solver->step->patches;
    bool isFirst = solver->step->world->part == 0;
    for (int i = begin; i < end; ++i) {
        const int* lanes = solver->coloring.lanes + (size_t)i * SD_LANES;
        for (int lane = 0; lane < SD_LANES && i + 2 < end; ++lane) {
            int next = lanes[2 * SD_LANES + lane];
            sdPrefetch(next >= 0 ? patches[next].patch : NULL, offsetof(sdPatch, points[2]));
        }
        for (int lane = 0; lane < SD_LANES && lanes[lane] != SD_NULL_INDEX; ++lane) {
            storePatch(patches[lanes[lane]].patch, solver->batches[i], lane, isFirst);
        }
    }
}

void sdSoftSolver_Store(sdSoftSolver* solver) {
    sdStep* step = solver->step;
    sdTeam_For(step->team, storeBatches, solver, solver->coloring.batchCount, BATCH_GRAIN);
    int pointCount = 0;
    for (int i = 0; i < step->patchCount; ++i) {
        pointCount += step->patches[i].pointCount;
    }
    step->world->stats.pointCount = pointCount;
}
