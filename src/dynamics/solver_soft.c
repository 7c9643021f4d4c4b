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
/// Overlaps deeper than this many slops are pushed apart faster, by DEEP_RATE times the push rate.
#define DEEP_SLOPS 6.0f
#define DEEP_RATE 6.0f
/// Steps of gravity, as a speed: what approaches slower rests instead of bouncing.
#define RESTITUTION_STEPS 1.5f

// ---- colours -------------------------------------------------------------------------------

/// Whether contacts change a body: only such bodies must not be in two lanes at once.
static bool isPushed(const sdStep* step, int state) {
    return state >= 0 && step->states[state].inverseMass > 0.0f;
}

/// Give each patch the first colour that neither of the bodies it pushes has.
/// @param colors of the patches; SD_COLOR_COUNT: none was free
static void colorPatches(const sdStep* step, uint32_t* taken, uint8_t* colors, int* counts) {
    memset(taken, 0, (size_t)step->bodyCount * sizeof *taken);
    for (int i = 0; i < step->patchCount; ++i) {
        const sdActivePatch* patch = &step->patches[i];
        bool isPushedA = isPushed(step, patch->stateA), isPushedB = isPushed(step, patch->stateB);
        uint32_t used =
            (isPushedA ? taken[patch->stateA] : 0u) | (isPushedB ? taken[patch->stateB] : 0u);
        int color = used != 0xFFFFFFFFu ? __builtin_ctz(~used) : SD_COLOR_COUNT;
        colors[i] = (uint8_t)color;
        counts[color] += 1;
        if (color < SD_COLOR_COUNT) {
            if (isPushedA) {
                taken[patch->stateA] |= 1u << color;
            }
            if (isPushedB) {
                taken[patch->stateB] |= 1u << color;
            }
        }
    }
}

// ---- one patch to one lane -----------------------------------------------------------------

static void setVec(sdVec3x8* to, int lane, sdVec3 v) {
    to->x[lane] = v.x;
    to->y[lane] = v.y;
    to->z[lane] = v.z;
}

static void setSym(sdSym3x8* to, int lane, sdMat33 m) {
    to->xx[lane] = m.cx.x;
    to->xy[lane] = m.cy.x;
    to->xz[lane] = m.cz.x;
    to->yy[lane] = m.cy.y;
    to->yz[lane] = m.cz.y;
    to->zz[lane] = m.cz.z;
}

/// A body as a patch sees it.
typedef struct Side {
    float inverseMass;
    sdMat33 inverseInertia;
    sdVec3 velocity, angularVelocity;
} Side;

static Side sideOf(const sdStep* step, int state) {
    Side side = {0};
    if (state >= 0) {
        side.inverseMass = step->states[state].inverseMass;
        side.inverseInertia = step->motions[state].inverseInertia;
        side.velocity = step->states[state].velocity;
        side.angularVelocity = step->states[state].angularVelocity;
    }
    return side;
}

/// J M⁻¹ Jᵀ of two rows along u at rU and along w at rW.
static float couple(const Side* side, sdVec3 rU, sdVec3 u, sdVec3 rW, sdVec3 w) {
    return side->inverseMass * sdDot(u, w) +
           sdDot(sdCross(rU, u), sdMulMV(side->inverseInertia, sdCross(rW, w)));
}

/// Friction rows at the middle of the points.
static void setFriction(sdSoftBatch* batch, int lane, const sdActivePatch* active, const Side* a,
                        const Side* b, const sdVec3* rA, const sdVec3* rB) {
    const sdManifold* manifold = &active->patch->manifold;
    const sdContact* contact = active->contact;
    float inverseCount = 1.0f / (float)manifold->pointCount;
    sdVec3 cA = {0.0f, 0.0f, 0.0f}, cB = cA;
    for (int i = 0; i < manifold->pointCount; ++i) {
        cA = sdMulAdd(cA, inverseCount, rA[i]);
        cB = sdMulAdd(cB, inverseCount, rB[i]);
    }
    float arm = 0.0f;
    for (int i = 0; i < manifold->pointCount; ++i) {
        arm += inverseCount * sdLength(sdSub(rA[i], cA));
    }
    sdVec3 n = sdV3(batch->normal.x[lane], batch->normal.y[lane], batch->normal.z[lane]);
    sdVec3 t1 = sdPerp(n), t2 = sdCross(n, t1);
    float k11 = couple(a, cA, t1, cA, t1) + couple(b, cB, t1, cB, t1);
    float k12 = couple(a, cA, t1, cA, t2) + couple(b, cB, t1, cB, t2);
    float k22 = couple(a, cA, t2, cA, t2) + couple(b, cB, t2, cB, t2);
    float determinant = k11 * k22 - k12 * k12;
    float inverse = determinant > 0.0f ? 1.0f / determinant : 0.0f;
    setVec(&batch->tangent, lane, t1);
    setVec(&batch->centerA, lane, cA);
    setVec(&batch->centerB, lane, cB);
    batch->t11[lane] = inverse * k22;
    batch->t12[lane] = -inverse * k12;
    batch->t22[lane] = inverse * k11;
    float twist = sdDot(n, sdMulMV(a->inverseInertia, n)) + sdDot(n, sdMulMV(b->inverseInertia, n));
    batch->twistMass[lane] = twist > 0.0f ? 1.0f / twist : 0.0f;
    batch->staticFriction[lane] = contact->staticFriction;
    batch->slidingFriction[lane] = contact->slidingFriction;
    batch->twistArm[lane] = contact->staticFriction * arm + contact->spinFriction;
    batch->rollingArm[lane] = contact->rollingFriction;
    // the softest direction bounds the step from above: no overshoot
    sdMat33 sum = sdMat33_Add(a->inverseInertia, b->inverseInertia);
    float largest = sum.cx.x + sum.cy.y + sum.cz.z;
    batch->rollingMass[lane] = largest > 0.0f ? 1.0f / largest : 0.0f;
    sdVec3 friction = active->patch->friction;
    batch->friction1[lane] = sdDot(friction, t1);
    batch->friction2[lane] = sdDot(friction, t2);
    sdVec3 rolling = active->patch->rolling;
    float spin = sdDot(rolling, n);
    batch->twist[lane] = spin;
    setVec(&batch->rolling, lane, sdMulAdd(rolling, -spin, n));
    batch->hasRolling = batch->hasRolling || contact->rollingFriction > 0.0f;
}

static void setNormals(sdSoftBatch* batch, int lane, const sdActivePatch* active, const Side* a,
                       const Side* b, const sdVec3* rA, const sdVec3* rB) {
    const sdManifold* manifold = &active->patch->manifold;
    sdVec3 n = sdV3(batch->normal.x[lane], batch->normal.y[lane], batch->normal.z[lane]);
    uint32_t all = 0xFFFFFFFFu;
    for (int i = 0; i < manifold->pointCount; ++i) {
        sdSoftPoint* point = &batch->points[i];
        setVec(&point->rA, lane, rA[i]);
        setVec(&point->rB, lane, rB[i]);
        point->separation[lane] = manifold->points[i].separation - sdDot(n, sdSub(rB[i], rA[i]));
        point->impulse[lane] = active->patch->normalImpulses[i];
        sdVec3 va = sdAdd(a->velocity, sdCross(a->angularVelocity, rA[i]));
        sdVec3 vb = sdAdd(b->velocity, sdCross(b->angularVelocity, rB[i]));
        point->approach[lane] = sdDot(n, sdSub(vb, va));
        memcpy((char*)&batch->used[i] + (size_t)lane * sizeof all, &all, sizeof all);
        for (int j = 0; j <= i; ++j) {
            float k = couple(a, rA[i], n, rA[j], n) + couple(b, rB[i], n, rB[j], n);
            batch->k[i * (i + 1) / 2 + j][lane] = k;
            if (i == j) {
                batch->inverseK[i][lane] = k > 0.0f ? 1.0f / k : 0.0f;
            }
        }
    }
    batch->pointCount = sdMaxI(batch->pointCount, manifold->pointCount);
    batch->restitution[lane] = active->contact->restitution;
    batch->hasRestitution = batch->hasRestitution || active->contact->restitution > 0.0f;
}

/// Rounding of a shape around its core: what is round turns under its contact, so that the point of
/// the core below it is followed from sub-step to sub-step, not that of the surface.
static float roundingOf(const sdShape* shape) {
    return shape->type == SD_SHAPE_SPHERE    ? shape->sphere.radius
           : shape->type == SD_SHAPE_CAPSULE ? shape->capsule.radius
                                             : 0.0f;
}

static void prepareLane(const sdStep* step, sdSoftBatch* batch, int lane, int index) {
    const sdActivePatch* active = &step->patches[index];
    const sdWorld* world = step->world;
    const sdContact* contact = active->contact;
    const sdBody* bodyA = &world->bodies.data[contact->bodyA];
    const sdBody* bodyB = &world->bodies.data[contact->bodyB];
    sdTransform local = sdFixture_ToCenter(bodyA, &world->fixtures.data[contact->fixtureA]);
    sdTransform turn = {sdV3(0.0f, 0.0f, 0.0f), bodyA->rotation};
    sdTransform xf = sdMulXf(turn, local);
    sdVec3 between = sdPos_Sub(bodyB->center, bodyA->center);
    const sdManifold* manifold = &active->patch->manifold;
    sdVec3 rA[SD_MANIFOLD_MAX_POINTS], rB[SD_MANIFOLD_MAX_POINTS];
    for (int i = 0; i < manifold->pointCount; ++i) {
        const sdManifoldPoint* point = &manifold->points[i];
        sdVec3 middle = sdScale(0.5f, sdAdd(point->pointA, point->pointB));
        rA[i] = sdTransformPoint(xf, middle);
        rB[i] = sdSub(rA[i], between);
    }
    Side a = sideOf(step, active->stateA), b = sideOf(step, active->stateB);
    batch->patches[lane] = index;
    batch->stateA[lane] = active->stateA;
    batch->stateB[lane] = active->stateB;
    batch->writesA[lane] = isPushed(step, active->stateA);
    batch->writesB[lane] = isPushed(step, active->stateB);
    batch->massA[lane] = a.inverseMass;
    batch->massB[lane] = b.inverseMass;
    setSym(&batch->inertiaA, lane, a.inverseInertia);
    setSym(&batch->inertiaB, lane, b.inverseInertia);
    setVec(&batch->normal, lane, sdRotate(xf.q, manifold->normal));
    setFriction(batch, lane, active, &a, &b, rA, rB);
    sdVec3 n = sdV3(batch->normal.x[lane], batch->normal.y[lane], batch->normal.z[lane]);
    float roundingA = roundingOf(&world->fixtures.data[contact->fixtureA].def.shape);
    float roundingB = roundingOf(&world->fixtures.data[contact->fixtureB].def.shape);
    for (int i = 0; i < manifold->pointCount; ++i) {
        rA[i] = sdMulAdd(rA[i], -roundingA, n);
        rB[i] = sdMulAdd(rB[i], roundingB, n);
    }
    setNormals(batch, lane, active, &a, &b, rA, rB);
}

// ---- batches -------------------------------------------------------------------------------

static void clearBatch(sdSoftBatch* batch) {
    memset(batch, 0, sizeof *batch);
    for (int i = 0; i < SD_LANES; ++i) {
        batch->stateA[i] = SD_NULL_INDEX;
        batch->stateB[i] = SD_NULL_INDEX;
        batch->patches[i] = SD_NULL_INDEX;
    }
}

typedef struct PrepareTask {
    sdSoftSolver* solver;
    const int* lanes; ///< patch of each lane of each batch, SD_NULL_INDEX for none
} PrepareTask;

static void prepareBatches(void* arg, int begin, int end, int worker) {
    (void)worker;
    const PrepareTask* task = (const PrepareTask*)arg;
    for (int i = begin; i < end; ++i) {
        sdSoftBatch* batch = &task->solver->batches[i];
        clearBatch(batch);
        for (int lane = 0; lane < SD_LANES; ++lane) {
            int patch = task->lanes[i * SD_LANES + lane];
            if (patch != SD_NULL_INDEX) {
                prepareLane(task->solver->step, batch, lane, patch);
            }
        }
    }
}

/// Where batches of each colour begin, and which patch is in which lane.
static void layOut(sdSoftSolver* solver, const uint8_t* colors, const int* counts, int* lanes) {
    int next[SD_COLOR_COUNT + 1];
    int batch = 0;
    for (int c = 0; c < SD_COLOR_COUNT; ++c) {
        solver->colorStarts[c] = batch;
        next[c] = batch * SD_LANES;
        batch += (counts[c] + SD_LANES - 1) / SD_LANES;
        solver->colorCount = counts[c] > 0 ? c + 1 : solver->colorCount;
    }
    solver->colorStarts[SD_COLOR_COUNT] = batch;
    next[SD_COLOR_COUNT] = batch * SD_LANES;
    for (int i = 0; i < solver->batchCount * SD_LANES; ++i) {
        lanes[i] = SD_NULL_INDEX;
    }
    for (int i = 0; i < solver->step->patchCount; ++i) {
        int color = colors[i];
        lanes[next[color]] = i;
        // those without a colour have a batch each
        next[color] += color < SD_COLOR_COUNT ? 1 : SD_LANES;
    }
}

sdSoftSolver* sdSoftSolver_Prepare(sdStep* step) {
    sdWorld* world = step->world;
    size_t bodies = (size_t)step->bodyCount + 1, patches = (size_t)step->patchCount + 1;
    sdSoftSolver* solver = sdArena_Alloc(&world->arena, 1, sizeof *solver);
    uint32_t* taken = sdArena_Alloc(&world->arena, bodies, sizeof *taken);
    uint8_t* colors = sdArena_Alloc(&world->arena, patches, sizeof *colors);
    if (solver == NULL || taken == NULL || colors == NULL) {
        return NULL;
    }
    const sdWorldDef* def = &world->def;
    *solver = (sdSoftSolver){
        .step = step,
        .slop = def->slop,
        .deepSlop = DEEP_SLOPS * def->slop,
        .pushRate = def->pushRate,
        .deepPushRate = DEEP_RATE * def->pushRate,
        .maxPushSpeed = def->maxPushSpeed,
    };
    int counts[SD_COLOR_COUNT + 1] = {0};
    colorPatches(step, taken, colors, counts);
    for (int c = 0; c < SD_COLOR_COUNT; ++c) {
        solver->batchCount += (counts[c] + SD_LANES - 1) / SD_LANES;
    }
    solver->batchCount += counts[SD_COLOR_COUNT];
    size_t batches = (size_t)solver->batchCount + 1;
    solver->batches = sdArena_Alloc(&world->arena, batches, sizeof *solver->batches);
    int* lanes = sdArena_Alloc(&world->arena, batches * SD_LANES, sizeof *lanes);
    if (solver->batches == NULL || lanes == NULL) {
        return NULL;
    }
    layOut(solver, colors, counts, lanes);
    PrepareTask task = {solver, lanes};
    const sdTaskSystem* tasks = &world->context.tasks;
    if (solver->batchCount > 0) {
        tasks->parallelFor(tasks->user, prepareBatches, &task, solver->batchCount, BATCH_GRAIN);
    }
    world->stats.colorCount = solver->colorCount;
    return solver;
}

// ---- sweeps --------------------------------------------------------------------------------

static void sweep(sdSoftSolver* solver, sdTaskFcn* task, bool isBiased) {
    const sdTaskSystem* tasks = &solver->step->world->context.tasks;
    for (int c = 0; c < solver->colorCount; ++c) {
        int first = solver->colorStarts[c];
        int end = c + 1 < solver->colorCount ? solver->colorStarts[c + 1]
                                             : solver->colorStarts[SD_COLOR_COUNT];
        sdSoftSweep arg = {solver, isBiased, first};
        tasks->parallelFor(tasks->user, task, &arg, end - first, BATCH_GRAIN);
    }
    // those without a colour one after the other
    int first = solver->colorStarts[SD_COLOR_COUNT];
    sdSoftSweep arg = {solver, isBiased, first};
    if (first < solver->batchCount) {
        task(&arg, 0, solver->batchCount - first, 0);
    }
}

static void warmStart(void* arg, int begin, int end, int worker) {
    (void)worker;
    const sdSoftSweep* sweep = (const sdSoftSweep*)arg;
    for (int i = begin; i < end; ++i) {
        SD_DISPATCH(sdSoftBatch_WarmStart)
        (&sweep->solver->batches[sweep->first + i], sweep->solver->step->states);
    }
}

static void solveRange(void* arg, int begin, int end, int worker) {
    (void)worker;
    const sdSoftSweep* sweep = (const sdSoftSweep*)arg;
    for (int i = begin; i < end; ++i) {
        SD_DISPATCH(sdSoftBatch_Solve)
        (&sweep->solver->batches[sweep->first + i], sweep->solver, sweep->isBiased);
    }
}

static void restitute(void* arg, int begin, int end, int worker) {
    (void)worker;
    const sdSoftSweep* sweep = (const sdSoftSweep*)arg;
    const sdStep* step = sweep->solver->step;
    float threshold = RESTITUTION_STEPS * step->dt * sdLength(step->world->def.gravity);
    for (int i = begin; i < end; ++i) {
        sdSoftBatch* batch = &sweep->solver->batches[sweep->first + i];
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
    for (int i = 0; i < solver->batchCount && !isNeeded; ++i) {
        isNeeded = solver->batches[i].hasRestitution;
    }
    if (isNeeded) {
        sweep(solver, restitute, false);
    }
}

static sdVec3 laneOf(const sdVec3x8* v, int lane) {
    return sdV3(v->x[lane], v->y[lane], v->z[lane]);
}

void sdSoftSolver_Store(sdSoftSolver* solver) {
    int pointCount = 0;
    for (int i = 0; i < solver->batchCount; ++i) {
        const sdSoftBatch* batch = &solver->batches[i];
        for (int lane = 0; lane < SD_LANES; ++lane) {
            if (batch->patches[lane] == SD_NULL_INDEX) {
                continue;
            }
            sdPatch* patch = solver->step->patches[batch->patches[lane]].patch;
            for (int j = 0; j < patch->manifold.pointCount; ++j) {
                patch->normalImpulses[j] = batch->points[j].impulse[lane];
            }
            pointCount += patch->manifold.pointCount;
            sdVec3 n = laneOf(&batch->normal, lane), t1 = laneOf(&batch->tangent, lane);
            patch->friction = sdAdd(sdScale(batch->friction1[lane], t1),
                                    sdScale(batch->friction2[lane], sdCross(n, t1)));
            patch->rolling = sdMulAdd(laneOf(&batch->rolling, lane), batch->twist[lane], n);
        }
    }
    solver->step->world->stats.pointCount = pointCount;
}
