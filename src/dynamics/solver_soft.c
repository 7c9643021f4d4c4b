// SPDX-License-Identifier: MIT
// solver_soft.c - sub-stepped contacts: colours, batches, sweeps.
//
// In:   the step's patches and body states.
// Out:  velocities; impulses back in the patches for the next step.
// Note: see solver_soft.h for the idea, contact_soft_kernel.c for the arithmetic.

#include "dynamics/solver_soft.h"

#include "dynamics/contact.h"
#include "geometry/compound.h"

/// Batches per task.
#define BATCH_GRAIN 4
/// Times the push rate at which overlaps beyond SD_DEEP_SLOPS are pushed apart.
#define DEEP_RATE 6.0f
/// Part of the smaller body's radius that the slop is at most: a thousandth of its size.
#define SLOP_SHARE 2e-3f
/// Part of a normal that must be across the axis of a cylinder or cone for its round side to touch.
#define ROUND_SIDE 0.5f
/// Sub-steps of gravity, and a speed, m/s: what slips slower than their sum may come to hold.
#define STICK_STEPS 0.1f
#define STICK_SPEED 1e-3f
/// Steps of gravity, as a speed: what approaches slower rests instead of bouncing.
#define RESTITUTION_STEPS 1.5f

// ---- one patch to one lane -----------------------------------------------------------------

/// How far below its surface a shape is round about a point or line, at a contact point: what is
/// round turns under its contact, so that the point of the core below it is followed from sub-step
/// to sub-step, not that of the surface.
/// @param p, n contact point and normal, in the shape's frame
static float roundingOf(const sdShape* shape, sdVec3 p, sdVec3 n) {
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            return shape->sphere.radius;
        case SD_SHAPE_CAPSULE:
            return shape->capsule.radius;
        case SD_SHAPE_CYLINDER:
        case SD_SHAPE_CONE: {
            // from the side along the normal to the axis; flat ends are not round
            float across = sqrtf(n.x * n.x + n.z * n.z);
            return across > ROUND_SIDE ? sqrtf(p.x * p.x + p.z * p.z) / across : 0.0f;
        }
        default:
            return 0.0f;
    }
}

/// The convex part of a fixture that a patch is on, and its pose in the fixture's frame.
static const sdShape* partOf(const sdFixture* fixture, const sdManyPatch* many, bool isA,
                             sdTransform* xf) {
    const sdShape* shape = &fixture->def.shape;
    *xf = sdTransform_Identity();
    if (shape->type == SD_SHAPE_COMPOUND) {
        int child = isA ? many->childA : many->childB;
        *xf = shape->compound->children[child].xf;
        shape = &shape->compound->children[child].shape;
    }
    return shape;
}

static bool isRound(const sdShape* shape) {
    return shape->type == SD_SHAPE_SPHERE || shape->type == SD_SHAPE_CAPSULE ||
           shape->type == SD_SHAPE_CYLINDER || shape->type == SD_SHAPE_CONE;
}

static bool mayBeRound(const sdFixture* fixture) {
    return isRound(&fixture->def.shape) || fixture->def.shape.type == SD_SHAPE_COMPOUND;
}

/// @param xfAB fixture B's frame in fixture A's
static void loadRounding(const sdFixture* a, const sdFixture* b, sdTransform xfAB,
                         const sdPatch* patch, sdSoftPoint* points, int lane) {
    sdTransform xfA, xfB;
    // who has children has many patches
    const sdManyPatch* many = (const sdManyPatch*)(const void*)patch;
    const sdShape *partA = partOf(a, many, true, &xfA), *partB = partOf(b, many, false, &xfB);
    xfB = sdMulXf(xfAB, xfB);
    for (int i = 0; i < patch->pointCount; ++i) {
        if (isRound(partA)) {
            sdVec3 n = sdInvRotate(xfA.q, patch->normal);
            sdVec3 p = sdInvTransformPoint(xfA, patch->points[i].pointA);
            points[i].roundA[lane] = roundingOf(partA, p, n);
        }
        if (isRound(partB)) {
            sdVec3 n = sdInvRotate(xfB.q, patch->normal);
            sdVec3 p = sdInvTransformPoint(xfB, sdPatch_GetPointB(patch, i));
            points[i].roundB[lane] = roundingOf(partB, p, n);
        }
    }
}

static void loadBodies(const sdStep* step, const sdActivePatch* active, sdSoftBatch* batch,
                       sdSoftInput* input, int lane) {
    batch->stateA[lane] = active->stateA;
    batch->stateB[lane] = active->stateB;
    if (active->stateA >= 0) {
        const sdBodyState* state = &step->states[active->stateA];
        batch->writesA |= (uint8_t)((sdStep_IsPushed(step, active->stateA) ? 1u : 0u) << lane);
        batch->massA[lane] = state->inverseMass;
        sdSym3x8_SetLane(&batch->inertiaA, lane, &step->motions[active->stateA].inverseInertia);
        sdVec3x8_SetLane(&input->velocityA, lane, state->velocity);
        sdVec3x8_SetLane(&input->spinA, lane, state->angularVelocity);
    }
    if (active->stateB >= 0) {
        const sdBodyState* state = &step->states[active->stateB];
        batch->writesB |= (uint8_t)((sdStep_IsPushed(step, active->stateB) ? 1u : 0u) << lane);
        batch->massB[lane] = state->inverseMass;
        sdSym3x8_SetLane(&batch->inertiaB, lane, &step->motions[active->stateB].inverseInertia);
        sdVec3x8_SetLane(&input->velocityB, lane, state->velocity);
        sdVec3x8_SetLane(&input->spinB, lane, state->angularVelocity);
    }
}

/// What pulls a body, as an acceleration.
static sdVec3 fallOf(const sdWorld* world, const sdBody* body) {
    float scale = body->type == SD_BODY_DYNAMIC ? body->gravityScale : 0.0f;
    return sdScale(scale, world->def.gravity);
}

/// Bodies that turn far in a step bounce where they meet on their way, not where they were near to
/// something when it began.
static bool isWhirling(const sdStep* step, const sdActivePatch* active) {
    const sdWorld* world = step->world;
    return world->def.enableContinuous &&
           (sdBody_IsWhirling(&world->bodies.data[active->bodyA], step->dt) ||
            sdBody_IsWhirling(&world->bodies.data[active->bodyB], step->dt));
}

/// Small bodies would rest visibly deep in each other.
static float slopOf(const sdWorld* world, const sdBody* a, const sdBody* b) {
    float radiusA = a->type == SD_BODY_STATIC ? FLT_MAX : a->radius;
    float radiusB = b->type == SD_BODY_STATIC ? FLT_MAX : b->radius;
    return sdMinF(world->def.slop, SLOP_SHARE * sdMinF(radiusA, radiusB));
}

static void loadMaterial(const sdMaterial* material, sdSoftBatch* batch, sdSoftInput* input,
                         int lane) {
    batch->staticFriction[lane] = material->staticFriction;
    batch->slidingFriction[lane] = material->slidingFriction;
    batch->rollingArm[lane] = material->rollingFriction;
    batch->restitution[lane] = material->restitution;
    input->spinFriction[lane] = material->spinFriction;
    batch->hasTwist = batch->hasTwist || material->spinFriction > 0.0f;
    batch->hasRolling = batch->hasRolling || material->rollingFriction > 0.0f;
    batch->hasRestitution = batch->hasRestitution || material->restitution > 0.0f;
}

static void loadPatch(const sdStep* step, sdSoftBatch* batch, sdSoftInput* input, int lane,
                      int index) {
    const sdActivePatch* active = &step->patches[index];
    const sdWorld* world = step->world;
    const sdBody* bodyA = &world->bodies.data[active->bodyA];
    const sdBody* bodyB = &world->bodies.data[active->bodyB];
    const sdFixture* fixtureA = &world->fixtures.data[active->fixtureA];
    const sdFixture* fixtureB = &world->fixtures.data[active->fixtureB];
    sdTransform local = sdFixture_ToCenter(bodyA, fixtureA);
    sdQuat turn = sdMulQ(bodyA->rotation, local.q);
    batch->patches[lane] = index;
    batch->slop[lane] = slopOf(world, bodyA, bodyB);
    sdVec3x8_SetLane(&input->turn, lane, turn.v);
    input->turnScalar[lane] = turn.s;
    sdVec3x8_SetLane(&input->offset, lane, sdRotate(bodyA->rotation, local.p));
    sdVec3x8_SetLane(&input->between, lane, sdPos_Sub(bodyB->center, bodyA->center));
    loadBodies(step, active, batch, input, lane);
    sdMaterial material = sdWorld_MixMaterials(world, fixtureA, fixtureB);
    if (material.restitution > 0.0f && isWhirling(step, active)) {
        material.restitution = 0.0f;
    }
    loadMaterial(&material, batch, input, lane);
    if (material.restitution > 0.0f) {
        sdVec3x8_SetLane(&input->fall, lane, sdSub(fallOf(world, bodyB), fallOf(world, bodyA)));
    }
    const sdPatch* patch = active->patch;
    if (mayBeRound(fixtureA) || mayBeRound(fixtureB)) {
        sdWorldTransform centerA = {bodyA->center, bodyA->rotation};
        sdWorldTransform centerB = {bodyB->center, bodyB->rotation};
        sdTransform localB = sdMulXf(sdWorldTransform_Relative(centerA, centerB),
                                     sdFixture_ToCenter(bodyB, fixtureB));
        loadRounding(fixtureA, fixtureB, sdInvMulXf(local, localB), patch, batch->points, lane);
    }
    sdVec3x8_SetLane(&batch->normal, lane, patch->normal);
    sdVec3x8_SetLane(&input->friction, lane, patch->friction);
    sdVec3x8_SetLane(&input->rolling, lane, patch->rolling);
    input->pointCount[lane] = (float)patch->pointCount;
    batch->hasTwist = batch->hasTwist || patch->pointCount > 1;
    for (int i = 0; i < patch->pointCount; ++i) {
        const sdPatchPoint* from = &patch->points[i];
        sdSoftPoint* point = &batch->points[i];
        sdVec3 middle = sdMulAdd(from->pointA, 0.5f * from->separation, patch->normal);
        sdVec3x8_SetLane(&point->r, lane, middle);
        point->separation[lane] = from->separation;
        point->impulse[lane] = from->impulse;
    }
}

// ---- batches -------------------------------------------------------------------------------

/// Bytes of a batch.
static size_t sizeOfBatch(int pointCount) {
    return sizeof(sdSoftBatch) + (size_t)pointCount * (sizeof(sdSoftPoint) + sizeof(sdSoftBounce));
}

/// An empty lane has a normal, so that nothing divides by zero.
static void clearBatch(sdSoftBatch* batch, int pointCount) {
    memset(batch, 0, sizeOfBatch(pointCount));
    batch->pointCount = pointCount;
    for (int i = 0; i < SD_LANES; ++i) {
        batch->stateA[i] = SD_NULL_INDEX;
        batch->stateB[i] = SD_NULL_INDEX;
        batch->patches[i] = SD_NULL_INDEX;
        batch->normal.x[i] = 1.0f;
    }
}

/// Free flight by Euler's methods keeps the energy of velocities that are half a sub-step off.
static float lagOf(const sdStep* step) {
    switch (step->world->def.integrator) {
        case SD_INTEGRATOR_SEMI_IMPLICIT:
            return 0.5f * step->h;
        case SD_INTEGRATOR_EXPLICIT_EULER:
            return -0.5f * step->h;
        default:
            return 0.0f;
    }
}

/// Of the first patch: the others of a batch have as many points or fewer.
static int countPoints(const sdStep* step, const int* lanes) {
    return step->patches[lanes[0]].pointCount;
}

/// Ask for what is loaded of the patches of a batch.
SD_PREFETCHING void prefetchPatches(const sdStep* step, const int* lanes) {
    for (int i = 0; i < SD_LANES && lanes[i] != SD_NULL_INDEX; ++i) {
        const sdActivePatch* active = &step->patches[lanes[i]];
        sdPrefetch(active->patch, sizeof(sdPatch));
        sdWorld_PrefetchFixture(step->world, active->fixtureA);
        sdWorld_PrefetchFixture(step->world, active->fixtureB);
        sdPrefetch(&step->world->bodies.data[active->bodyA], offsetof(sdBody, angularVelocity));
        sdPrefetch(&step->world->bodies.data[active->bodyB], offsetof(sdBody, angularVelocity));
        sdPrefetch(&step->states[active->stateA], sizeof(sdBodyState));
        sdPrefetch(&step->states[active->stateB], sizeof(sdBodyState));
        sdPrefetch(&step->motions[active->stateA].inverseInertia, sizeof(sdMat33));
        sdPrefetch(&step->motions[active->stateB].inverseInertia, sizeof(sdMat33));
    }
}

static void prepareBatches(void* arg, int begin, int end, int worker) {
    (void)worker;
    sdSoftSolver* solver = (sdSoftSolver*)arg;
    const sdStep* step = solver->step;
    for (int i = begin; i < end; ++i) {
        sdSoftBatch* batch = solver->batches[i];
        const int* lanes = solver->coloring.lanes + (size_t)i * SD_LANES;
        if (i + 1 < end) {
            prefetchPatches(step, lanes + SD_LANES);
        }
        sdSoftInput input = {.lag = lagOf(step)};
        clearBatch(batch, countPoints(step, lanes));
        for (int lane = 0; lane < SD_LANES && lanes[lane] != SD_NULL_INDEX; ++lane) {
            loadPatch(step, batch, &input, lane, lanes[lane]);
        }
        SD_DISPATCH(sdSoftBatch_Prepare)(batch, &input);
    }
}

/// Colour the patches; those with the most points come first.
static bool colorPatches(sdSoftSolver* solver) {
    sdStep* step = solver->step;
    size_t count = (size_t)step->patchCount + 1;
    sdColorItem* items = sdArena_Alloc(&step->world->arena, count, sizeof *items);
    for (int i = 0; items != NULL && i < step->patchCount; ++i) {
        const sdActivePatch* patch = &step->patches[i];
        int kind = SD_MANIFOLD_MAX_POINTS - patch->pointCount;
        items[i] = (sdColorItem){patch->stateA, patch->stateB, kind};
    }
    return items != NULL && sdColoring_Make(&solver->coloring, step, items, step->patchCount);
}

/// Take memory for the batches.
static bool placeBatches(sdSoftSolver* solver) {
    sdArena* arena = &solver->step->world->arena;
    const int* lanes = solver->coloring.lanes;
    int count = solver->coloring.batchCount;
    size_t size = 0;
    for (int i = 0; i < count; ++i) {
        size += sizeOfBatch(countPoints(solver->step, lanes + (size_t)i * SD_LANES));
    }
    solver->batches = sdArena_Alloc(arena, (size_t)count + 1, sizeof *solver->batches);
    char* memory = sdArena_Alloc(arena, size + 1, 1);
    if (solver->batches == NULL || memory == NULL) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        solver->batches[i] = (sdSoftBatch*)(void*)memory;
        memory += sizeOfBatch(countPoints(solver->step, lanes + (size_t)i * SD_LANES));
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
    };
    if (!colorPatches(solver) || !placeBatches(solver)) {
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
    bool isBiased;
} Sweep;

static void sweep(sdSoftSolver* solver, sdTaskFcn* task, bool isBiased) {
    Sweep arg = {solver, isBiased};
    sdColoring_Sweep(&solver->coloring, solver->step->team, task, &arg);
}

static void warmStart(void* arg, int begin, int end, int worker) {
    (void)worker;
    const Sweep* sweep = (const Sweep*)arg;
    for (int i = begin; i < end; ++i) {
        SD_DISPATCH(sdSoftBatch_WarmStart)
        (sweep->solver->batches[i], sweep->solver->step->states);
    }
}

/// Ask for the batch after the next, and for the bodies of the next one.
SD_PREFETCHING void prefetchBatches(const sdSoftSolver* solver, int index, int end) {
    if (index + 2 < end) {
        const sdSoftBatch* batch = solver->batches[index + 2];
        sdPrefetch(batch, offsetof(sdSoftBatch, rolling));
        sdPrefetch(batch->points, 2 * sizeof(sdSoftPoint));
    }
    if (index + 1 < end) {
        const sdSoftBatch* batch = solver->batches[index + 1];
        const sdBodyState* states = solver->step->states;
        for (int i = 0; i < SD_LANES; ++i) {
            sdPrefetch(&states[batch->stateA[i]], 1);
            sdPrefetch(&states[batch->stateB[i]], 1);
        }
    }
}

static void solveRange(void* arg, int begin, int end, int worker) {
    (void)worker;
    const Sweep* sweep = (const Sweep*)arg;
    for (int i = begin; i < end; ++i) {
        prefetchBatches(sweep->solver, i, end);
        SD_DISPATCH(sdSoftBatch_Solve)
        (sweep->solver->batches[i], sweep->solver, sweep->isBiased);
    }
}

float sdStep_GetBounceSpeed(const sdStep* step) {
    return RESTITUTION_STEPS * step->dt * sdLength(step->world->def.gravity);
}

static void restitute(void* arg, int begin, int end, int worker) {
    (void)worker;
    const Sweep* sweep = (const Sweep*)arg;
    const sdStep* step = sweep->solver->step;
    float threshold = sdStep_GetBounceSpeed(sweep->solver->step);
    for (int i = begin; i < end; ++i) {
        sdSoftBatch* batch = sweep->solver->batches[i];
        if (batch->hasRestitution) {
            SD_DISPATCH(sdSoftBatch_Restitute)(batch, step->states, threshold);
        }
    }
}

void sdSoftSolver_WarmStart(sdSoftSolver* solver) {
    sweep(solver, warmStart, false);
}

void sdSoftSolver_Solve(sdSoftSolver* solver, bool isBiased) {
    sweep(solver, solveRange, isBiased);
}

void sdSoftSolver_Restitute(sdSoftSolver* solver) {
    bool isNeeded = false;
    for (int i = 0; i < solver->coloring.batchCount && !isNeeded; ++i) {
        isNeeded = solver->batches[i]->hasRestitution;
    }
    if (isNeeded) {
        sweep(solver, restitute, false);
    }
}

static void storePatch(sdPatch* patch, const sdSoftBatch* batch, int lane) {
    for (int i = 0; i < patch->pointCount; ++i) {
        patch->points[i].impulse = batch->points[i].impulse[lane];
    }
    sdVec3 n = sdVec3x8_GetLane(&batch->normal, lane);
    sdVec3 t1 = sdVec3x8_GetLane(&batch->tangent, lane);
    patch->friction =
        sdAdd(sdScale(batch->friction1[lane], t1), sdScale(batch->friction2[lane], sdCross(n, t1)));
    patch->rolling = sdMulAdd(sdVec3x8_GetLane(&batch->rolling, lane), batch->twist[lane], n);
}

static void storeBatches(void* arg, int begin, int end, int worker) {
    (void)worker;
    const sdSoftSolver* solver = (const sdSoftSolver*)arg;
    const sdActivePatch* patches = solver->step->patches;
    for (int i = begin; i < end; ++i) {
        const int* lanes = solver->coloring.lanes + (size_t)i * SD_LANES;
        for (int lane = 0; lane < SD_LANES && i + 1 < end; ++lane) {
            int next = lanes[SD_LANES + lane];
            sdPrefetch(next >= 0 ? patches[next].patch : NULL, sizeof(sdPatch));
        }
        for (int lane = 0; lane < SD_LANES && lanes[lane] != SD_NULL_INDEX; ++lane) {
            storePatch(patches[lanes[lane]].patch, solver->batches[i], lane);
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
