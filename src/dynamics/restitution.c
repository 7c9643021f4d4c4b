// SPDX-License-Identifier: MIT
// restitution.c - bodies that bounce, and hand on a blow through others that they touch.
//
// In:   velocities at the start of a step, contacts with their gaps.
// Out:  velocities at its end.
// Ref:  Guendelman, Bridson, Fedkiw, "Nonconvex rigid bodies with stacking", 2003: collisions come
//       before contacts; here they are found before the sub-steps and take effect after them.
// Note: sub-steps bring bodies that meet to where they touch, as if nothing bounced: nothing sinks
//       in, nothing turns round in the air. What each contact gave for that is exchanged for what
//       impacts give: pair by pair, each with its restitution and friction, on the velocities
//       before the step, again and again until nothing approaches. One impulse never adds energy,
//       so no sequence of them does. Rest is left alone: only contacts that are struck are
//       exchanged.
//
//       What gravity did over the step goes with it. A body that lands on what does not give way
//       parts at e times the speed of its impact, and stands where that was. For others gravity is
//       added by its work: what has come down by d has v² = v0² + 2 g d, whatever time that took.

#include "dynamics/solver_soft.h"

/// Sweeps over all contacts until nothing approaches: a row of n balls takes about n.
#define MAX_PASSES 32
#define LANE_BIT(lane) (1u << (lane))

bool sdSoftSolver_PrepareBlows(sdSoftSolver* solver) {
    sdStep* step = solver->step;
    if (atomic_load_explicit(&step->hasBouncing, memory_order_relaxed) == 0) {
        return true;
    }
    sdArena* arena = &step->world->arena;
    size_t count = (size_t)step->bodyCount + 1;
    solver->startVelocities = sdArena_Alloc(arena, 2 * count, sizeof *solver->startVelocities);
    solver->landings = sdArena_Alloc(arena, count, sizeof *solver->landings);
    solver->isHeld = sdArena_Alloc(arena, count, sizeof *solver->isHeld);
    solver->isStruck = sdArena_Alloc(arena, count, sizeof *solver->isStruck);
    if (solver->startVelocities == NULL || solver->landings == NULL || solver->isHeld == NULL ||
        solver->isStruck == NULL) {
        return false;
    }
    memset(solver->landings, 0, count * sizeof *solver->landings);
    memset(solver->isHeld, 0, count);
    memset(solver->isStruck, 0, count);
    return true;
}

// ---- before the sub-steps ------------------------------------------------------------------

/// Mark the bodies of a lane that are pushed.
static void markBodies(const sdSoftBatch* batch, int lane, uint8_t* marks) {
    if ((batch->writesA >> lane & 1) != 0) {
        marks[batch->stateA[lane]] = 1;
    }
    if ((batch->writesB >> lane & 1) != 0) {
        marks[batch->stateB[lane]] = 1;
    }
}

/// Remember what a body has met that does not give way.
static void noteLanding(const sdSoftSolver* solver, sdSoftBatch* batch, int lane) {
    bool isPushedA = (batch->writesA >> lane & 1) != 0,
         isPushedB = (batch->writesB >> lane & 1) != 0;
    if (solver->isFirstPass && isPushedA != isPushedB) {
        int state = isPushedA ? batch->stateA[lane] : batch->stateB[lane];
        solver->landings[state] = (sdLanding){sdVec3x8_GetLane(&batch->normal, lane), batch, lane};
    }
}

static void strike(void* arg, int begin, int end, int worker) {
    (void)worker;
    sdSoftSolver* solver = (sdSoftSolver*)arg;
    const sdStep* step = solver->step;
    for (int i = begin; i < end; ++i) {
        sdSoftBatch* batch = solver->batches[i];
        uint8_t lanes = SD_DISPATCH(sdSoftBatch_Strike)(batch, step->states, solver->bounceSpeed,
                                                        step->dt + step->h, solver->isFirstPass);
        for (int lane = 0; lanes >> lane != 0; ++lane) {
            if ((lanes >> lane & 1) != 0) {
                markBodies(batch, lane, solver->isStruck);
                noteLanding(solver, batch, lane);
                atomic_store_explicit(&solver->hasBlows, 1, memory_order_relaxed);
            }
        }
    }
}

void sdSoftSolver_FindBlows(sdSoftSolver* solver) {
    if (solver->isStruck == NULL) {
        return;
    }
    const sdStep* step = solver->step;
    for (int i = 0; i < step->bodyCount; ++i) {
        solver->startVelocities[2 * i] = step->states[i].velocity;
        solver->startVelocities[2 * i + 1] = step->states[i].angularVelocity;
    }
    for (int pass = 0; pass < MAX_PASSES; ++pass) {
        solver->isFirstPass = pass == 0;
        atomic_store_explicit(&solver->hasBlows, 0, memory_order_relaxed);
        sdColoring_Sweep(&solver->coloring, step->team, strike, solver);
        if (atomic_load_explicit(&solver->hasBlows, memory_order_relaxed) == 0) {
            break;
        }
    }
    for (int i = 0; i < step->bodyCount; ++i) {
        step->states[i].velocity = solver->startVelocities[2 * i];
        step->states[i].angularVelocity = solver->startVelocities[2 * i + 1];
    }
}

// ---- after them ----------------------------------------------------------------------------

static bool isStruckBody(const sdSoftSolver* solver, int state) {
    return state != SD_NULL_INDEX && solver->isStruck[state] != 0;
}

/// Whether the impulses of a lane are those of an impact that a blow goes through, not of rest.
static bool isImpact(const sdSoftSolver* solver, const sdSoftBatch* batch, int lane) {
    if (!isStruckBody(solver, batch->stateA[lane]) && !isStruckBody(solver, batch->stateB[lane])) {
        return false;
    }
    bool isStruck = false;
    for (int i = 0; i < batch->pointCount; ++i) {
        isStruck = isStruck || batch->blows[i].blow[lane] > 0.0f ||
                   ((uint32_t)sdI8_MaskBits((sdI8)batch->blows[i].isStruck) & LANE_BIT(lane)) != 0;
    }
    return isStruck;
}

/// N s that the points of a lane were given.
static float pressureOf(sdSoftBatch* batch, int lane) {
    const sdF8* totals = sdSoftBatch_GetTotals(batch);
    float sum = 0.0f;
    for (int i = 0; i < batch->pointCount; ++i) {
        sum += totals[i][lane];
    }
    return sum;
}

static void takeBlows(void* arg, int begin, int end, int worker) {
    (void)worker;
    sdSoftSolver* solver = (sdSoftSolver*)arg;
    for (int i = begin; i < end; ++i) {
        sdSoftBatch* batch = solver->batches[i];
        uint8_t lanes = 0;
        for (int lane = 0; lane < SD_LANES; ++lane) {
            if (isImpact(solver, batch, lane)) {
                lanes |= (uint8_t)LANE_BIT(lane);
            } else if (pressureOf(batch, lane) > 0.0f) {
                markBodies(batch, lane, solver->isHeld);
            }
        }
        if (lanes != 0) {
            SD_DISPATCH(sdSoftBatch_TakeBlows)(batch, solver->step->states, lanes);
        }
    }
}

/// Exchange what gravity gave a body over the step for its work on the way that it came.
static void fallByWork(const sdStep* step, sdBodyState* state, const sdBodyMotion* motion) {
    float gain = sdLength(motion->gain), total = gain * (float)step->subStepCount;
    if (!(gain > 0.0f)) {
        return;
    }
    sdVec3 down = sdScale(1.0f / gain, motion->gain);
    float speed = sdDot(state->velocity, down) - total;
    float work = 2.0f * total / step->dt * sdDot(state->displacement, down);
    float end = sqrtf(sdMaxF(speed * speed + work, 0.0f));
    end = speed + total >= 0.0f ? end : -end;
    state->velocity = sdMulAdd(state->velocity, end - speed - total, down);
}

/// One that has landed has no gravity along the normal: it stands there until the end of the step,
/// and presses on what it stands on.
static void restOnLanding(const sdStep* step, sdBodyState* state, const sdBodyMotion* motion,
                          const sdLanding* landing) {
    float gained = (float)step->subStepCount * sdDot(motion->gain, landing->normal);
    state->velocity = sdMulAdd(state->velocity, -gained, landing->normal);
    bool isA = (landing->batch->writesA >> landing->lane & 1) != 0;
    float given = pressureOf(landing->batch, landing->lane);
    float load = (isA ? gained : -gained) / state->inverseMass;
    float scale = given > 0.0f ? sdMaxF(1.0f + load / given, 0.0f) : 1.0f;
    sdF8* totals = sdSoftBatch_GetTotals(landing->batch);
    for (int i = 0; i < landing->batch->pointCount; ++i) {
        sdF8_SetLane(&totals[i], landing->lane, scale * totals[i][landing->lane]);
    }
}

/// What is near something that bounces, but meets nothing, is on its parabola, too.
static void flyOn(const sdStep* step, sdBodyState* state, const sdBodyMotion* motion) {
    if (!motion->isFree && motion->damping == 1.0f) {
        state->displacement = sdMulAdd(state->displacement, -0.5f * step->dt, motion->gain);
    }
}

void sdSoftSolver_TakeBlows(sdSoftSolver* solver) {
    const sdStep* step = solver->step;
    if (solver->isStruck == NULL) {
        return;
    }
    sdColoring_Sweep(&solver->coloring, step->team, takeBlows, solver);
    for (int i = 0; i < step->bodyCount; ++i) {
        sdBodyState* state = &step->states[i];
        const sdBodyMotion* motion = &step->motions[i];
        bool isPlain = motion->isDynamic && motion->isSteady && !motion->hasJoints &&
                       motion->locks == 0 && solver->isHeld[i] == 0;
        if (!isPlain) {
            continue;
        }
        if (solver->isStruck[i] == 0) {
            flyOn(step, state, motion);
        } else if (solver->landings[i].batch != NULL) {
            restOnLanding(step, state, motion, &solver->landings[i]);
        } else {
            fallByWork(step, state, motion);
        }
    }
}
