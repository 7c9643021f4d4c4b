// SPDX-License-Identifier: MIT
// integrate.c - free motion of bodies: forces to velocities, velocities to poses (D1, D2).
//
// In:   states at the start of a sub-step, gravity, applied forces, the force callback.
// Out:  velocities after it; poses once contacts have had their say.
// Note: eight bodies at a time (integrate_kernel.c); those that are special one by one
//       (free_motion.h).

#include "dynamics/integrate.h"

#include "dynamics/free_motion.h"
#include "math/quatd.h"

/// Bodies per task.
#define BODY_GRAIN 64
/// Blocks of eight bodies per task.
#define BLOCK_GRAIN 8
// ---- all bodies ----------------------------------------------------------------------------

/// Relative difference of moments of inertia below which a body is taken for round.
#define ROUND_TOLERANCE 1e-6f

static bool isRound(const sdMat33* m) {
    float limit = ROUND_TOLERANCE * m->cx.x;
    return sdAbsF(m->cy.y - m->cx.x) <= limit && sdAbsF(m->cz.z - m->cx.x) <= limit &&
           sdAbsF(m->cy.x) <= limit && sdAbsF(m->cz.x) <= limit && sdAbsF(m->cz.y) <= limit;
}

/// Whether a body turns about one of the world's axes at most: its tensor says nothing then that
/// would change its angular velocity.
static bool isPlanar(uint32_t locks) {
    uint32_t turns = locks >> 3;
    return __builtin_popcount(turns) >= 2;
}

/// What contacts work with is not turned within the step: a body that turns far gets the inverse of
/// what its largest moment would be at most, about all axes, for what is easy to turn about an axis
/// now may be hard to turn about the same axis when a contact acts. So does a needle: friction
/// would spin it so wildly about its axis that the end of a step, where the axis has gone on a
/// little, had nothing to do with its beginning.
static void evenOut(sdBodyMotion* motion, sdTensorRows* rows, const sdBody* body) {
    bool isNeedle = sdBody_IsNeedle(body) && body->jointCount == 0;
    if ((motion->isWhirling || isNeedle) && body->type == SD_BODY_DYNAMIC) {
        float trace = body->inertia.cx.x + body->inertia.cy.y + body->inertia.cz.z;
        float inverse = trace > 0.0f ? 2.0f / trace : 0.0f;
        motion->inverseInertia = sdMat33_Diagonal(inverse, inverse, inverse);
        *rows = (sdTensorRows){.xx = inverse, .yy = inverse, .zz = inverse};
    }
}

/// What gravity and applied forces give a body.
static sdVec3 accelerationOf(const sdWorld* world, const sdBody* body) {
    return sdMulAdd(sdScale(body->gravityScale, world->def.gravity), body->inverseMass,
                    body->force);
}

static void fillMotion(const sdStep* step, int index, sdBodyMotion* motion) {
    const sdWorld* world = step->world;
    const sdBody* body = &world->bodies.data[index];
    bool isDynamic = body->type == SD_BODY_DYNAMIC;
    bool isSteady = world->def.integrator == SD_INTEGRATOR_SEMI_IMPLICIT &&
                    world->forceFcn == NULL && sdLengthSquared(body->torque) == 0.0f;
    bool isWhirling = world->def.enableContinuous && sdBody_IsWhirling(body, step->dt);
    // all but the tensors, which come next
    memset(motion, 0, offsetof(sdBodyMotion, inertia));
    motion->gain =
        isDynamic ? sdScale(step->h, accelerationOf(world, body)) : sdV3(0.0f, 0.0f, 0.0f);
    // implicit damping never turns a body round
    motion->damping = isDynamic ? 1.0f / (1.0f + step->h * body->linearDamping) : 1.0f;
    motion->angularDamping = isDynamic ? 1.0f / (1.0f + step->h * body->angularDamping) : 1.0f;
    motion->isSteady = isSteady || !isDynamic;
    motion->isRound = isRound(&body->inertia) || isPlanar(body->locks);
    motion->isNeedle =
        isDynamic && sdBody_IsNeedle(body) && world->def.integrator == SD_INTEGRATOR_SEMI_IMPLICIT;
    motion->isDynamic = isDynamic;
    motion->hasJoints = body->jointCount > 0;
    motion->isFree = body->jointCount == 0;
    motion->locks = body->locks;
    motion->isWhirling = isWhirling;
    motion->body = index;
    motion->way = 0.0f;
}

/// Bring the tensors of up to eight bodies to the world.
static void turnTensors(const sdStep* step, int first, int count) {
    static const sdBody nobody = {.rotation = {{0.0f, 0.0f, 0.0f}, 1.0f}};
    sdBodyMotion noMotion;
    sdTensorRows noTensor;
    const sdBody* bodies[SD_LANES];
    sdBodyMotion* motions[SD_LANES];
    sdTensorRows* tensors[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        bool isThere = i < count;
        bodies[i] = isThere ? &step->world->bodies.data[step->motions[first + i].body] : &nobody;
        motions[i] = isThere ? &step->motions[first + i] : &noMotion;
        tensors[i] = isThere ? &step->tensors[first + i] : &noTensor;
    }
    SD_DISPATCH(sdTensors_Turn)(bodies, motions, tensors);
    for (int i = 0; i < count; ++i) {
        evenOut(motions[i], tensors[i], bodies[i]);
    }
}

static void loadBodies(void* arg, int begin, int end, int worker) {
    (void)worker;
    sdStep* step = (sdStep*)arg;
    for (int i = begin; i < end; ++i) {
        int index = step->world->bodyList.data[i];
        const sdBody* body = &step->world->bodies.data[index];
        step->states[i] = (sdBodyState){
            .velocity = body->velocity,
            .inverseMass = body->inverseMass,
            .angularVelocity = body->angularVelocity,
            .turn = sdQuat_Identity(),
        };
        fillMotion(step, index, &step->motions[i]);
    }
    for (int i = begin; i < end; i += SD_LANES) {
        turnTensors(step, i, sdMinI(SD_LANES, end - i));
    }
}

bool sdStep_LoadBodies(sdStep* step) {
    sdArena* arena = &step->world->arena;
    const sdTaskSystem* tasks = &step->world->context.tasks;
    size_t blockCount = (size_t)(step->bodyCount + SD_LANES - 1) / SD_LANES + 1;
    step->states = sdArena_Alloc(arena, blockCount * SD_LANES, sizeof *step->states);
    step->motions = sdArena_Alloc(arena, blockCount * SD_LANES, sizeof *step->motions);
    step->tensors = sdArena_Alloc(arena, blockCount * SD_LANES, sizeof *step->tensors);
    step->blocks = sdArena_Alloc(arena, blockCount, sizeof *step->blocks);
    if (step->states == NULL || step->motions == NULL || step->tensors == NULL ||
        step->blocks == NULL) {
        return false;
    }
    tasks->parallelFor(tasks->user, loadBodies, step, step->bodyCount, BODY_GRAIN);
    for (size_t i = (size_t)step->bodyCount; i < blockCount * SD_LANES; ++i) {
        step->states[i] = (sdBodyState){.turn = sdQuat_Identity()};
    }
    return true;
}

// ---- lanes ---------------------------------------------------------------------------------

/// Take the spin of a needle about its axis out of what contacts see: their arms do not follow the
/// axis as it swings, so that it would be a wild motion of the needle's ends to them.
static void hideSpin(const sdStep* step, sdBodyState* state, sdBodyMotion* motion) {
    const sdBody* body = &step->world->bodies.data[motion->body];
    sdVec3 axis = sdRotate(body->rotation, body->needleAxis);
    motion->hiddenSpin = sdDot(axis, state->angularVelocity);
    state->angularVelocity = sdMulAdd(state->angularVelocity, -motion->hiddenSpin, axis);
}

static void fillLane(sdStep* step, sdMotionBlock* block, int lane, int index) {
    sdBodyMotion* motion = &step->motions[index];
    if (motion->isAlone) {
        // its joints move it
        block->special |= (uint8_t)(1u << lane);
        block->absent |= (uint8_t)(1u << lane);
        return;
    }
    // in a sub-step it only turns; its parabola comes at the end, in one go
    motion->isCoasting = motion->isFree && motion->isSteady && motion->isDynamic &&
                         motion->damping == 1.0f && step->world->def.solver == SD_SOLVER_SOFT;
    motion->gain = motion->isCoasting ? sdV3(0.0f, 0.0f, 0.0f) : motion->gain;
    bool isEven = motion->isRound || !motion->isDynamic;
    bool isHinged = (motion->locks >> 3) != 0 && !isPlanar(motion->locks);
    bool isSpecial =
        !motion->isSteady || isHinged || (motion->isFree && !isEven) || motion->isNeedle;
    uint32_t mask = isEven ? 0xFFFFFFFFu : 0u;
    if (motion->isNeedle && !motion->isFree && !motion->hasJoints) {
        hideSpin(step, &step->states[index], motion);
    }
    motion->stride = motion->isFree && motion->isSteady && !isEven && !motion->isNeedle
                         ? sdStrideOf(step->states[index].angularVelocity, step->h)
                         : 1;
    sdVec3x8_SetLane(&block->gain, lane, motion->gain);
    block->damping[lane] = motion->damping;
    block->angularDamping[lane] = motion->angularDamping;
    sdSym3x8_SetLane(&block->inertia, lane, &motion->inertia);
    sdSym3x8_SetLane(&block->inverseInertia, lane, &motion->inverseInertia);
    memcpy((char*)&block->isEven + (size_t)lane * sizeof mask, &mask, sizeof mask);
    block->locks[lane] = motion->locks;
    block->hasLocks = block->hasLocks || motion->locks != 0;
    block->hasUneven = block->hasUneven || (!isEven && !isSpecial);
    block->special |= (uint8_t)((isSpecial ? 1u : 0u) << lane);
}

/// Whether the joints of all bodies of a block move them.
static bool areAlone(const sdStep* step, int block) {
    bool areAlone = true;
    int end = sdMinI((block + 1) * SD_LANES, step->bodyCount);
    for (int i = block * SD_LANES; i < end && areAlone; ++i) {
        areAlone = step->motions[i].isAlone;
    }
    return areAlone;
}

static void fillBlocks(void* arg, int begin, int end, int worker) {
    (void)worker;
    sdStep* step = (sdStep*)arg;
    for (int i = begin; i < end; ++i) {
        sdMotionBlock* block = &step->blocks[i];
        if (areAlone(step, i)) {
            block->special = block->absent = 0xFF;
            continue;
        }
        *block = (sdMotionBlock){.special = 0};
        for (int lane = 0; lane < SD_LANES; ++lane) {
            int index = i * SD_LANES + lane;
            if (index < step->bodyCount) {
                fillLane(step, block, lane, index);
            } else {
                block->special |= (uint8_t)(1u << lane);
                block->absent |= (uint8_t)(1u << lane);
            }
        }
    }
}

static int blockCountOf(const sdStep* step) {
    return (step->bodyCount + SD_LANES - 1) / SD_LANES;
}

void sdStep_FillBlocks(sdStep* step) {
    sdTeam_For(step->team, fillBlocks, step, blockCountOf(step), BLOCK_GRAIN);
    step->hasOthers = false;
    for (int i = 0; i < blockCountOf(step) && !step->hasOthers; ++i) {
        step->hasOthers = step->blocks[i].absent != 0xFF;
    }
}

typedef struct SubStepTask {
    sdStep* step;
    int subStep;
} SubStepTask;

/// One body that is not for kernels.
static void accelerate(sdStep* step, int index, int subStep) {
    sdBodyState* state = &step->states[index];
    sdBodyMotion* motion = &step->motions[index];
    sdVec3 push = {0.0f, 0.0f, 0.0f}, spin = push;
    if (subStep > 0) {
        push = sdSub(state->velocity, motion->freeVelocity);
        spin = sdSub(state->angularVelocity, motion->freeAngularVelocity);
    }
    if (motion->isSteady) {
        state->velocity = sdScale(motion->damping, sdAdd(state->velocity, motion->gain));
        state->angularVelocity = sdScale(motion->angularDamping, state->angularVelocity);
    } else {
        sdBodyState_Accelerate(step, state, motion, subStep);
    }
    bool isClamped = false;
    state->velocity =
        sdClampLength(sdApplyLocks(state->velocity, motion->locks), SD_MAX_SPEED, &isClamped);
    state->angularVelocity = sdClampLength(sdApplyLocks(state->angularVelocity, motion->locks >> 3),
                                           SD_MAX_SPEED, &isClamped);
    motion->faults |= isClamped ? SD_FAULT_SPEED : 0;
    motion->freeVelocity = state->velocity;
    motion->freeAngularVelocity = state->angularVelocity;
    state->velocity = sdAdd(state->velocity, push);
    state->angularVelocity = sdAdd(state->angularVelocity, spin);
}

/// One of a block that is too fast for it: what contacts gave it before is forgotten.
static void brake(sdMotionBlock* block, sdBodyState* state, sdBodyMotion* motion, int lane) {
    bool isClamped = true;
    sdVec3 v = sdScale(motion->damping, sdAdd(state->velocity, motion->gain));
    sdVec3 w = sdScale(motion->angularDamping, state->angularVelocity);
    state->velocity = sdClampLength(sdApplyLocks(v, motion->locks), SD_MAX_SPEED, &isClamped);
    state->angularVelocity =
        sdClampLength(sdApplyLocks(w, motion->locks >> 3), SD_MAX_SPEED, &isClamped);
    motion->faults |= SD_FAULT_SPEED;
    sdVec3x8_SetLane(&block->freeVelocity, lane, state->velocity);
    sdVec3x8_SetLane(&block->freeAngularVelocity, lane, state->angularVelocity);
}

static void integrateVelocities(void* arg, int begin, int end, int worker) {
    (void)worker;
    const SubStepTask* task = (const SubStepTask*)arg;
    sdStep* step = task->step;
    for (int i = begin; i < end; ++i) {
        sdMotionBlock* block = &step->blocks[i];
        if (block->absent == 0xFF) {
            continue;
        }
        sdBodyState* states = step->states + (size_t)i * SD_LANES;
        uint8_t fast =
            SD_DISPATCH(sdMotionBlock_Accelerate)(block, states, task->subStep == 0, SD_MAX_SPEED);
        for (int lane = 0; (fast | block->special) != 0 && lane < SD_LANES; ++lane) {
            int index = i * SD_LANES + lane;
            if (((block->special & ~block->absent) >> lane & 1) != 0) {
                accelerate(step, index, task->subStep);
            } else if ((fast >> lane & 1) != 0) {
                brake(block, &states[lane], &step->motions[index], lane);
            }
        }
    }
}

void sdStep_IntegrateVelocities(sdStep* step, int subStep) {
    SubStepTask task = {step, subStep};
    int count = step->hasOthers ? blockCountOf(step) : 0;
    sdTeam_For(step->team, integrateVelocities, &task, count, BLOCK_GRAIN);
}

/// One body that is not for kernels, or turns too fast for them.
/// @return by how much the turn changed its angular velocity: that is no doing of the contacts
static sdVec3 moveOn(sdStep* step, int index, int subStep) {
    sdBodyState* state = &step->states[index];
    const sdBodyMotion* motion = &step->motions[index];
    if (motion->locks != 0) {
        state->velocity = sdApplyLocks(state->velocity, motion->locks);
        state->angularVelocity = sdApplyLocks(state->angularVelocity, motion->locks >> 3);
    }
    sdVec3 v = sdAdd(state->velocity, motion->drift);
    state->displacement = sdMulAdd(state->displacement, step->h, v);
    sdVec3 before = state->angularVelocity;
    sdBodyState_Turn(step, state, motion, subStep);
    return sdSub(state->angularVelocity, before);
}

static void integratePositions(void* arg, int begin, int end, int worker) {
    (void)worker;
    const SubStepTask* task = (const SubStepTask*)arg;
    sdStep* step = task->step;
    for (int i = begin; i < end; ++i) {
        sdMotionBlock* block = &step->blocks[i];
        if (block->absent == 0xFF) {
            continue;
        }
        sdBodyState* states = step->states + (size_t)i * SD_LANES;
        uint8_t fast = SD_DISPATCH(sdMotionBlock_Move)(block, states, step->h, SD_EASY_TURN);
        for (int lane = 0; (fast | block->special) != 0 && lane < SD_LANES; ++lane) {
            int index = i * SD_LANES + lane;
            if (((block->special & ~block->absent) >> lane & 1) != 0) {
                sdBodyMotion* motion = &step->motions[index];
                motion->freeAngularVelocity =
                    sdAdd(motion->freeAngularVelocity, moveOn(step, index, task->subStep));
            } else if ((fast >> lane & 1) != 0) {
                sdVec3 change = moveOn(step, index, task->subStep);
                block->freeAngularVelocity.x[lane] += change.x;
                block->freeAngularVelocity.y[lane] += change.y;
                block->freeAngularVelocity.z[lane] += change.z;
            }
        }
    }
}

void sdStep_IntegratePositions(sdStep* step, int subStep) {
    SubStepTask task = {step, subStep};
    int count = step->hasOthers ? blockCountOf(step) : 0;
    sdTeam_For(step->team, integratePositions, &task, count, BLOCK_GRAIN);
}

/// The parabola of a body that nothing touches: sub-steps would be off by half of one of gravity,
/// and round the velocity in each.
static void coast(const sdStep* step, const sdBody* body, sdBodyState* state) {
    double t = (double)step->dt;
    sdVec3d v = sdVec3d_From(sdApplyLocks(body->velocity, body->locks));
    sdVec3d a = sdVec3d_From(sdApplyLocks(accelerationOf(step->world, body), body->locks));
    state->displacement = sdVec3d_Round(sdScaleD(t, sdMulAddD(v, 0.5 * t, a)));
    state->velocity = sdVec3d_Round(sdMulAddD(v, t, a));
}

/// Whether all numbers are: infinities less themselves are not.
static bool isFinite(const sdBodyState* state) {
    sdVec3 sum = sdAdd(sdAdd(state->velocity, state->angularVelocity),
                       sdAdd(state->displacement, state->turn.v));
    float all = sum.x + sum.y + sum.z + state->turn.s;
    return all - all == 0.0f;
}

static double clampCoordinate(double a) {
    return a > SD_MAX_COORDINATE ? SD_MAX_COORDINATE
                                 : (a < -SD_MAX_COORDINATE ? -SD_MAX_COORDINATE : a);
}

/// A body that has left the world stays at its end.
static void stopAtTheEnd(sdBody* body, sdBodyMotion* motion) {
    sdPos p = body->center;
    sdPos q = {clampCoordinate(p.x), clampCoordinate(p.y), clampCoordinate(p.z)};
    if (p.x != q.x || p.y != q.y || p.z != q.z) {
        body->center = q;
        body->velocity = sdV3(0.0f, 0.0f, 0.0f);
        motion->faults |= SD_FAULT_FAR;
    }
}

static void storeBodies(void* arg, int begin, int end, int worker) {
    (void)worker;
    sdStep* step = (sdStep*)arg;
    sdWorld* world = step->world;
    for (int i = begin; i < end; ++i) {
        sdBodyState* state = &step->states[i];
        sdBodyMotion* motion = &step->motions[i];
        sdBody* body = &world->bodies.data[motion->body];
        if (motion->isCoasting) {
            coast(step, body, state);
        }
        if (!isFinite(state)) {
            motion->faults |= SD_FAULT_NUMBERS;
            *state = (sdBodyState){.turn = sdQuat_Identity()};
        }
        // a point at r goes along a chord of 2 r sin(angle / 2)
        float moved = sdLength(state->displacement);
        float turned = 2.0f * sdLength(state->turn.v) * body->radius;
        float way = (moved + turned) * (1.0f + SD_WAY_ERROR);
        sdPos start = body->center;
        if (motion->isWhirling || way > sdBody_SafeWay(body)) {
            atomic_store_explicit(&step->hasFast, 1, memory_order_relaxed);
        } else if (way > body->thinness) {
            atomic_store_explicit(&step->hasThin, 1, memory_order_relaxed);
        }
        body->center = sdPos_Add(body->center, state->displacement);
        body->rotation = sdNormalizeQ(sdMulQ(state->turn, body->rotation));
        // contacts and joints of the last sub-step came after the limit was looked at
        bool isClamped = false;
        body->velocity =
            sdClampLength(sdApplyLocks(state->velocity, body->locks), SD_MAX_SPEED, &isClamped);
        sdVec3 w = state->angularVelocity;
        if (motion->hiddenSpin != 0.0f) {
            w = sdMulAdd(w, motion->hiddenSpin, sdRotate(body->rotation, body->needleAxis));
        }
        body->angularVelocity =
            sdClampLength(sdApplyLocks(w, body->locks >> 3), SD_MAX_SPEED, &isClamped);
        motion->faults |= isClamped ? SD_FAULT_SPEED : 0;
        if (world->part + 1 == world->partCount) {
            body->force = sdV3(0.0f, 0.0f, 0.0f);
            body->torque = body->force;
        }
        stopAtTheEnd(body, motion);
        motion->way = way;
        sdReach* reach = &world->reaches.data[motion->body];
        reach->moved = sdPos_Sub(body->center, start);
        reach->turned = turned + SD_WAY_ERROR * (moved + turned);
        if (motion->faults != 0) {
            atomic_store_explicit(&step->hasFaults, 1, memory_order_relaxed);
        }
    }
}

void sdStep_StoreBodies(sdStep* step) {
    sdTeam_For(step->team, storeBodies, step, step->bodyCount, BODY_GRAIN);
}

void sdStep_ReportFaults(sdStep* step) {
    if (atomic_load_explicit(&step->hasFaults, memory_order_relaxed) == 0) {
        return;
    }
    static const char* const texts[SD_FAULT_COUNT] = {
        "is kept to 1e9 m/s and 1e9 rad/s, beyond which forces would have driven it",
        "has a force or torque from the callback that is not finite, which is ignored",
        "would have left the numbers, and stays where it was, at rest",
        "has come to the end of the world at 1e12 m, where it stays"};
    const sdWorld* world = step->world;
    for (int k = 0; k < SD_FAULT_COUNT; ++k) {
        int count = 0, first = SD_NULL_INDEX;
        for (int i = 0; i < step->bodyCount; ++i) {
            if ((step->motions[i].faults >> k & 1) != 0) {
                first = count == 0 ? step->motions[i].body : first;
                count += 1;
            }
        }
        if (count > 0) {
            sdLog(&world->context, SD_LOG_WARNING, "sdWorld_Step: body %08x %s (%d in all)",
                  (unsigned)sdIdPool_GetId(&world->bodyPool, first), texts[k], count);
        }
    }
}
