// SPDX-License-Identifier: MIT
// integrate.c - free motion of bodies: forces to velocities, velocities to poses (D1, D2).
//
// In:   states at the start of a sub-step, gravity, applied forces, the force callback.
// Out:  velocities after it; poses once contacts have had their say.
// Ref:  S0 §3 (Euler, semi-implicit Euler, RK4), S2 §5. By default a rotation keeps the angular
//       momentum, so that there is no gyroscopic torque to be integrated.
// Note: an integrator gives the velocities at the end of the sub-step and a *drift*: by how much
//       the mean velocity over it differs from them. Contacts change velocities; the drift stays.
//       So every integrator works with every solver, and free bodies move by it exactly.

#include "dynamics/integrate.h"

#include "math/vec3d.h"

/// Angle of a sub-step, rad, below which the turn of the tensor is not worth following.
#define SMALL_TURN 1e-3f
/// Angle, rad, below which a series of few terms is as good as sine and cosine.
#define EASY_TURN 0.2f
/// Angle, rad, that a free body turns at a time, and sub-steps.
#define LONG_TURN 0.03f
#define MAX_STRIDE 8
/// Relative error of the way that a body has gone.
#define WAY_ERROR 1e-5f
/// Bodies per task.
#define BODY_GRAIN 64
/// Blocks of eight bodies per task.
#define BLOCK_GRAIN 8
/// Turns of a sub-step beyond WIDE_TURN, rad, are made in parts.
#define WIDE_TURN 0.5f
#define WIDE_PART 0.25f
#define MAX_PARTS 64
/// Farthest that a body turns in a sub-step at once, rad.
#define MAX_TURN 3.0f

// ---- one body ------------------------------------------------------------------------------

// Rotations are carried forward in double: what a float quaternion is too long or too short by
// always errs to the same side, and a body would spin up.

/// Of any length; it stands for the rotation of the unit quaternion along it.
typedef struct Turn {
    sdVec3d v;
    double s;
} Turn;

static Turn turnFrom(sdQuat q) {
    return (Turn){sdVec3d_From(q.v), (double)q.s};
}

static sdQuat turnToQuat(Turn t) {
    double scale = 1.0 / sqrt(sdDotD(t.v, t.v) + t.s * t.s);
    return (sdQuat){sdVec3d_Round(sdScaleD(scale, t.v)), (float)(scale * t.s)};
}

static Turn mulTurns(Turn a, Turn b) {
    sdVec3d v = sdMulAddD(sdCrossD(a.v, b.v), a.s, b.v);
    return (Turn){sdMulAddD(v, b.s, a.v), a.s * b.s - sdDotD(a.v, b.v)};
}

static sdVec3d applyTurn(Turn t, sdVec3d p) {
    double scale = 2.0 / (sdDotD(t.v, t.v) + t.s * t.s);
    sdVec3d c = sdScaleD(scale, sdCrossD(t.v, p));
    return sdAddD(sdMulAddD(p, t.s, c), sdCrossD(t.v, c));
}

static Turn conjugate(Turn t) {
    return (Turn){sdScaleD(-1.0, t.v), t.s};
}

/// World tensor of a body at a rotation, times a vector.
static sdVec3d timesTensor(const sdMat33* local, Turn t, sdVec3d v) {
    sdVec3d p = applyTurn(conjugate(t), v);
    sdVec3d r = sdScaleD(p.x, sdVec3d_From(local->cx));
    r = sdMulAddD(r, p.y, sdVec3d_From(local->cy));
    return applyTurn(t, sdMulAddD(r, p.z, sdVec3d_From(local->cz)));
}

/// q' = ½ ω q
static Turn rateOf(Turn t, sdVec3d w) {
    return mulTurns((Turn){sdScaleD(0.5, w), 0.0}, t);
}

static Turn addScaled(Turn t, double h, Turn rate) {
    return (Turn){sdMulAddD(t.v, h, rate.v), t.s + h * rate.s};
}

static float clampComponent(float a, float limit) {
    float most = a > limit ? limit : a;
    // not a number counts as nothing
    return most >= -limit ? most : (most < -limit ? -limit : 0.0f);
}

static sdVec3 clampLength(sdVec3 v, float limit, bool* isClamped) {
    if (sdLengthSquared(v) <= limit * limit) {
        return v;
    }
    // squares overflow long before their roots
    sdVec3 u = {clampComponent(v.x, limit), clampComponent(v.y, limit), clampComponent(v.z, limit)};
    *isClamped = true;
    return sdScale(limit / sdMaxF(sdLength(u), limit), u);
}

static sdVec3 applyLocks(sdVec3 v, uint32_t locks) {
    return sdV3((locks & 1u) != 0 ? 0.0f : v.x, (locks & 2u) != 0 ? 0.0f : v.y,
                (locks & 4u) != 0 ? 0.0f : v.z);
}

/// Motion of a free body, and what acts on it.
typedef struct Free {
    sdPos center;
    Turn rotation;
    sdVec3 velocity;
    sdVec3d momentum; ///< angular
} Free;

typedef struct Rates {
    sdVec3 velocity, acceleration;
    sdVec3d angularVelocity, torque;
} Rates;

typedef struct Forces {
    const sdWorld* world;
    const sdBody* body;
    sdBodyId id;
    double time;
    uint8_t* faults;
} Forces;

static void findForces(const Forces* forces, const Free* state, sdVec3 w, double time,
                       sdVec3* acceleration, sdVec3* torque) {
    const sdBody* body = forces->body;
    const sdWorld* world = forces->world;
    sdVec3 force = body->force;
    *torque = body->torque;
    if (world->forceFcn != NULL) {
        sdMotionState motion = {state->center, turnToQuat(state->rotation), state->velocity, w,
                                time};
        world->forceFcn(world->forceUser, world, forces->id, &motion, &force, torque);
        if (!sdVec3_IsFinite(force) || !sdVec3_IsFinite(*torque)) {
            force = body->force;
            *torque = body->torque;
            *forces->faults |= SD_FAULT_FORCE;
        }
    }
    *acceleration =
        sdMulAdd(sdScale(body->gravityScale, world->def.gravity), body->inverseMass, force);
}

static Rates ratesOf(const Forces* forces, const Free* state, double time) {
    const sdBody* body = forces->body;
    Rates rates;
    sdVec3 torque;
    rates.velocity = state->velocity;
    rates.angularVelocity = timesTensor(&body->inverseInertia, state->rotation, state->momentum);
    findForces(forces, state, sdVec3d_Round(rates.angularVelocity), time, &rates.acceleration,
               &torque);
    // damping as a force, so that it has the order of the integrator
    rates.acceleration = sdMulAdd(rates.acceleration, -body->linearDamping, state->velocity);
    rates.torque = sdMulAddD(sdVec3d_From(torque), -(double)body->angularDamping, state->momentum);
    return rates;
}

static Free advance(const Free* start, const Free* at, const Rates* rates, float h) {
    return (Free){
        .center = sdPos_Add(start->center, sdScale(h, rates->velocity)),
        .rotation =
            addScaled(start->rotation, (double)h, rateOf(at->rotation, rates->angularVelocity)),
        .velocity = sdMulAdd(start->velocity, h, rates->acceleration),
        .momentum = sdMulAddD(start->momentum, (double)h, rates->torque),
    };
}

static sdVec3 meanOf(sdVec3 k1, sdVec3 k2, sdVec3 k3, sdVec3 k4) {
    return sdScale(1.0f / 6.0f, sdAdd(sdAdd(k1, k4), sdScale(2.0f, sdAdd(k2, k3))));
}

/// Runge and Kutta: state at the end, mean velocities over the sub-step.
static void stepRk4(const Forces* forces, const Free* start, float h, Free* end, sdVec3* meanV,
                    sdVec3* meanW) {
    double half = forces->time + 0.5 * (double)h, sixth = (double)h / 6.0;
    Rates k1 = ratesOf(forces, start, forces->time);
    Free at2 = advance(start, start, &k1, 0.5f * h);
    Rates k2 = ratesOf(forces, &at2, half);
    Free at3 = advance(start, &at2, &k2, 0.5f * h);
    Rates k3 = ratesOf(forces, &at3, half);
    Free at4 = advance(start, &at3, &k3, h);
    Rates k4 = ratesOf(forces, &at4, forces->time + (double)h);

    Turn q = addScaled(start->rotation, sixth, rateOf(start->rotation, k1.angularVelocity));
    q = addScaled(q, 2.0 * sixth, rateOf(at2.rotation, k2.angularVelocity));
    q = addScaled(q, 2.0 * sixth, rateOf(at3.rotation, k3.angularVelocity));
    end->rotation = addScaled(q, sixth, rateOf(at4.rotation, k4.angularVelocity));
    end->velocity =
        sdMulAdd(start->velocity, h,
                 meanOf(k1.acceleration, k2.acceleration, k3.acceleration, k4.acceleration));
    sdVec3d torque =
        sdAddD(sdAddD(k1.torque, k4.torque), sdScaleD(2.0, sdAddD(k2.torque, k3.torque)));
    end->momentum = sdMulAddD(start->momentum, sixth, torque);
    *meanV = meanOf(k1.velocity, k2.velocity, k3.velocity, k4.velocity);
    Turn step = mulTurns(end->rotation, conjugate(start->rotation));
    *meanW = sdScale(1.0f / h, sdQuat_ToRotationVector(turnToQuat(step)));
}

/// Where velocities are to be clamped, the drift from them means nothing.
static void dropWildDrift(const sdBodyState* state, sdBodyMotion* motion) {
    float v = sdLengthSquared(state->velocity) + sdLengthSquared(motion->drift);
    float w = sdLengthSquared(state->angularVelocity) + sdLengthSquared(motion->angularDrift);
    if (!(v <= SD_MAX_SPEED * SD_MAX_SPEED && w <= SD_MAX_SPEED * SD_MAX_SPEED)) {
        motion->drift = sdV3(0.0f, 0.0f, 0.0f);
        motion->angularDrift = motion->drift;
    }
}

/// Velocities at the end of a sub-step of a body that nothing touches, and its drift.
static void moveFreely(const sdStep* step, sdBodyState* state, sdBodyMotion* motion, int subStep) {
    const sdWorld* world = step->world;
    const sdBody* body = &world->bodies.data[motion->body];
    float h = step->h;
    Forces forces = {world, body, sdIdPool_GetId(&world->bodyPool, motion->body),
                     world->time + (double)subStep * (double)h, &motion->faults};
    Turn rotation = mulTurns(turnFrom(state->turn), turnFrom(body->rotation));
    sdVec3 v = state->velocity, w = state->angularVelocity;
    Free start = {sdPos_Add(body->center, state->displacement), rotation, v,
                  timesTensor(&body->inertia, rotation, sdVec3d_From(w))};
    if (world->def.integrator == SD_INTEGRATOR_RK4) {
        Free end;
        sdVec3 meanV, meanW;
        stepRk4(&forces, &start, h, &end, &meanV, &meanW);
        state->velocity = end.velocity;
        state->angularVelocity =
            sdVec3d_Round(timesTensor(&body->inverseInertia, end.rotation, end.momentum));
        motion->drift = sdSub(meanV, state->velocity);
        motion->angularDrift = sdSub(meanW, state->angularVelocity);
        dropWildDrift(state, motion);
        return;
    }
    sdVec3 acceleration, torque;
    findForces(&forces, &start, w, forces.time, &acceleration, &torque);
    if (world->def.integrator == SD_INTEGRATOR_EXPLICIT_EULER) {
        torque = sdSub(torque, sdCross(w, sdVec3d_Round(start.momentum)));
    }
    sdVec3 turn = sdVec3d_Round(timesTensor(&body->inverseInertia, rotation, sdVec3d_From(torque)));
    state->velocity = sdScale(motion->damping, sdMulAdd(v, h, acceleration));
    state->angularVelocity = sdScale(motion->angularDamping, sdMulAdd(w, h, turn));
    if (world->def.integrator == SD_INTEGRATOR_EXPLICIT_EULER) {
        motion->drift = sdSub(v, state->velocity);
        motion->angularDrift = sdSub(w, state->angularVelocity);
        dropWildDrift(state, motion);
    }
}

/// Turn a body for h with its angular momentum kept: q' = ½ I(q)⁻¹ L q by RK4.
static void turnWithMomentum(const sdBody* body, sdBodyState* state, float h) {
    double step = (double)h;
    Turn q1 = mulTurns(turnFrom(state->turn), turnFrom(body->rotation));
    sdVec3d w = sdVec3d_From(state->angularVelocity);
    sdVec3d momentum = timesTensor(&body->inertia, q1, w);
    Turn k1 = rateOf(q1, w);
    Turn q2 = addScaled(q1, 0.5 * step, k1);
    Turn k2 = rateOf(q2, timesTensor(&body->inverseInertia, q2, momentum));
    Turn q3 = addScaled(q1, 0.5 * step, k2);
    Turn k3 = rateOf(q3, timesTensor(&body->inverseInertia, q3, momentum));
    Turn q4 = addScaled(q1, step, k3);
    Turn k4 = rateOf(q4, timesTensor(&body->inverseInertia, q4, momentum));
    Turn end = addScaled(addScaled(q1, step / 6.0, k1), step / 3.0, k2);
    end = addScaled(addScaled(end, step / 3.0, k3), step / 6.0, k4);
    state->turn = turnToQuat(mulTurns(end, conjugate(turnFrom(body->rotation))));
    state->angularVelocity = sdVec3d_Round(timesTensor(&body->inverseInertia, end, momentum));
}

/// Turn a body for h in parts, with its energy kept as well: what a part loses is little, but
/// always to the same side.
static void turnFar(const sdBody* body, sdBodyState* state, float h, int parts) {
    sdQuat from = sdNormalizeQ(sdMulQ(state->turn, body->rotation));
    sdVec3 before = sdInvRotate(from, state->angularVelocity);
    for (int i = 0; i < parts; ++i) {
        turnWithMomentum(body, state, h / (float)parts);
    }
    sdQuat to = sdNormalizeQ(sdMulQ(state->turn, body->rotation));
    sdVec3 after = sdInvRotate(to, state->angularVelocity);
    float had = sdDot(before, sdMulMV(body->inertia, before));
    float has = sdDot(after, sdMulMV(body->inertia, after));
    float scale = has > 0.0f ? sqrtf(had / has) : 1.0f;
    state->angularVelocity = sdScale(scale, state->angularVelocity);
}

/// Turn a needle for h. About its axis it has next to no inertia, so that the least error of its
/// rotation would be a wild spin about it: as a top with two equal moments its motion has a closed
/// form, at any speed. It turns about its angular momentum, and about its own axis.
static void turnNeedle(const sdBody* body, sdBodyState* state, float h) {
    Turn q = mulTurns(turnFrom(state->turn), turnFrom(body->rotation));
    sdVec3d axis = applyTurn(q, sdVec3d_From(body->needleAxis));
    sdVec3d w = sdVec3d_From(state->angularVelocity);
    double along = (double)sdDot(body->needleAxis, sdMulMV(body->inertia, body->needleAxis));
    double trace = (double)(body->inertia.cx.x + body->inertia.cy.y + body->inertia.cz.z);
    double across = 0.5 * (trace - along), spin = sdDotD(axis, w), part = along / across;
    // angular momentum over the moment across, and what is left of the spin
    sdVec3d round = sdMulAddD(w, (part - 1.0) * spin, axis);
    double own = (1.0 - part) * spin, step = (double)h;
    sdQuat roll = sdQuat_FromRotationVector(sdVec3d_Round(sdScaleD(step * own, axis)));
    sdQuat swing = sdQuat_FromRotationVector(sdVec3d_Round(sdScaleD(step, round)));
    Turn by = turnFrom(swing);
    state->turn = turnToQuat(mulTurns(mulTurns(by, turnFrom(roll)), turnFrom(state->turn)));
    state->angularVelocity = sdVec3d_Round(sdMulAddD(round, own, applyTurn(by, axis)));
}

/// Sub-steps that a free body may turn at a time.
static int strideOf(sdVec3 w, float h) {
    int stride = 1;
    float square = sdLengthSquared(w) * h * h;
    while (stride < MAX_STRIDE && square * (float)(4 * stride * stride) < LONG_TURN * LONG_TURN) {
        stride *= 2;
    }
    return stride;
}

/// Turn by a small angle: the series of sine and cosine to the third order.
static sdQuat turnALittle(sdQuat q, sdVec3 angle) {
    float square = sdLengthSquared(angle);
    sdQuat step = {sdScale(0.5f - square * (1.0f / 48.0f), angle), 1.0f - 0.125f * square};
    sdQuat r = sdMulQ(step, q);
    // one step of Newton's method: it was of unit length but for rounding
    float scale = 1.5f - 0.5f * (sdLengthSquared(r.v) + r.s * r.s);
    return (sdQuat){sdScale(scale, r.v), scale * r.s};
}

static void turnBody(const sdStep* step, sdBodyState* state, const sdBodyMotion* motion,
                     int subStep) {
    const sdWorld* world = step->world;
    sdVec3 w = sdAdd(state->angularVelocity, motion->angularDrift);
    float h = step->h, square = sdLengthSquared(w) * h * h;
    if (square < SMALL_TURN * SMALL_TURN && motion->stride == 1) {
        state->turn = turnALittle(state->turn, sdScale(h, w));
        return;
    }
    if (motion->isNeedle) {
        turnNeedle(&world->bodies.data[motion->body], state, h);
        return;
    }
    float angle = h * sdLength(w);
    int parts = angle > WIDE_TURN ? 1 + (int)sdMinF(angle / WIDE_PART, (float)MAX_PARTS) : 1;
    float most = parts == 1 ? MAX_TURN : (float)parts * WIDE_PART;
    bool isClamped = false;
    w = clampLength(w, most / h, &isClamped);
    // the other integrators have the change of the tensor in their velocities already
    bool isEven = motion->isRound || !motion->isDynamic ||
                  world->def.integrator != SD_INTEGRATOR_SEMI_IMPLICIT;
    if (isEven) {
        state->turn = square < EASY_TURN * EASY_TURN ? turnALittle(state->turn, sdScale(h, w))
                                                     : sdQuat_Integrate(state->turn, w, h);
    } else {
        // nobody asks where a free body is within the step, so that it may turn in larger ones
        int left = (subStep + 1) % motion->stride;
        if (left == 0 || subStep + 1 == step->subStepCount) {
            const sdBody* body = &world->bodies.data[motion->body];
            float length = h * (float)(left == 0 ? motion->stride : left);
            if (isClamped && angle <= FLT_MAX) {
                // it turns less far than it should, but keeps its speed and energy
                length *= most / angle;
            } else {
                state->angularVelocity = w;
            }
            if (parts > 1) {
                turnFar(body, state, length, parts);
            } else {
                turnWithMomentum(body, state, length);
            }
        }
    }
}

// ---- all bodies ----------------------------------------------------------------------------

/// Relative difference of moments of inertia below which a body is taken for round.
#define ROUND_TOLERANCE 1e-6f

static bool isRound(const sdMat33* m) {
    float limit = ROUND_TOLERANCE * m->cx.x;
    return sdAbsF(m->cy.y - m->cx.x) <= limit && sdAbsF(m->cz.z - m->cx.x) <= limit &&
           sdAbsF(m->cy.x) <= limit && sdAbsF(m->cz.x) <= limit && sdAbsF(m->cz.y) <= limit;
}

/// Inverse tensor that contacts work with, in the world. It is not turned within the step: one that
/// turns far gets what its largest moment would be at most about all axes, for what is easy to turn
/// about an axis now may be hard to turn about the same axis when a contact acts. So does a needle:
/// friction would spin it so wildly about its axis that the end of a step, where the axis has gone
/// on a little, had nothing to do with its beginning.
static sdMat33 inverseFor(const sdBody* body, bool isWhirling) {
    bool isNeedle = sdBody_IsNeedle(body) && body->jointCount == 0;
    if ((isWhirling || isNeedle) && body->type == SD_BODY_DYNAMIC) {
        float trace = body->inertia.cx.x + body->inertia.cy.y + body->inertia.cz.z;
        float inverse = trace > 0.0f ? 2.0f / trace : 0.0f;
        return sdMat33_Diagonal(inverse, inverse, inverse);
    }
    return sdRotateInertia(body->rotation, body->inverseInertia);
}

static sdBodyMotion motionOf(const sdStep* step, int index) {
    const sdWorld* world = step->world;
    const sdBody* body = &world->bodies.data[index];
    bool isDynamic = body->type == SD_BODY_DYNAMIC;
    bool isSteady = world->def.integrator == SD_INTEGRATOR_SEMI_IMPLICIT &&
                    world->forceFcn == NULL && sdLengthSquared(body->torque) == 0.0f;
    bool isWhirling = world->def.enableContinuous && sdBody_IsWhirling(body, step->dt);
    sdVec3 acceleration =
        sdMulAdd(sdScale(body->gravityScale, world->def.gravity), body->inverseMass, body->force);
    return (sdBodyMotion){
        .gain = isDynamic ? sdScale(step->h, acceleration) : sdV3(0.0f, 0.0f, 0.0f),
        // implicit damping never turns a body round
        .damping = isDynamic ? 1.0f / (1.0f + step->h * body->linearDamping) : 1.0f,
        .angularDamping = isDynamic ? 1.0f / (1.0f + step->h * body->angularDamping) : 1.0f,
        .isSteady = isSteady || !isDynamic,
        .isRound = isRound(&body->inertia),
        .isNeedle = isDynamic && sdBody_IsNeedle(body) &&
                    world->def.integrator == SD_INTEGRATOR_SEMI_IMPLICIT,
        .isDynamic = isDynamic,
        .hasJoints = body->jointCount > 0,
        .isFree = body->jointCount == 0,
        .locks = body->locks,
        .inertia = sdRotateInertia(body->rotation, body->inertia),
        .inverseInertia = inverseFor(body, isWhirling),
        .isWhirling = isWhirling,
        .body = index,
    };
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
        step->motions[i] = motionOf(step, index);
    }
}

bool sdStep_LoadBodies(sdStep* step) {
    sdArena* arena = &step->world->arena;
    const sdTaskSystem* tasks = &step->world->context.tasks;
    size_t blockCount = (size_t)(step->bodyCount + SD_LANES - 1) / SD_LANES + 1;
    step->states = sdArena_Alloc(arena, blockCount * SD_LANES, sizeof *step->states);
    step->motions = sdArena_Alloc(arena, blockCount * SD_LANES, sizeof *step->motions);
    step->blocks = sdArena_Alloc(arena, blockCount, sizeof *step->blocks);
    if (step->states == NULL || step->motions == NULL || step->blocks == NULL) {
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
    bool isEven = motion->isRound || !motion->isDynamic;
    bool isSpecial = !motion->isSteady || motion->locks != 0 || (motion->isFree && !isEven) ||
                     motion->isNeedle || motion->isAlone;
    uint32_t mask = isEven ? 0xFFFFFFFFu : 0u;
    if (motion->isNeedle && !motion->isFree && !motion->hasJoints) {
        hideSpin(step, &step->states[index], motion);
    }
    motion->stride = motion->isFree && motion->isSteady && !isEven && !motion->isNeedle
                         ? strideOf(step->states[index].angularVelocity, step->h)
                         : 1;
    sdVec3x8_SetLane(&block->gain, lane, motion->gain);
    block->damping[lane] = motion->damping;
    block->angularDamping[lane] = motion->angularDamping;
    sdSym3x8_SetLane(&block->inertia, lane, &motion->inertia);
    sdSym3x8_SetLane(&block->inverseInertia, lane, &motion->inverseInertia);
    memcpy((char*)&block->isEven + (size_t)lane * sizeof mask, &mask, sizeof mask);
    block->hasUneven = block->hasUneven || (!isEven && !isSpecial);
    block->special |= (uint8_t)((isSpecial ? 1u : 0u) << lane);
    block->absent |= (uint8_t)((motion->isAlone ? 1u : 0u) << lane);
}

static void fillBlocks(void* arg, int begin, int end, int worker) {
    (void)worker;
    sdStep* step = (sdStep*)arg;
    for (int i = begin; i < end; ++i) {
        sdMotionBlock* block = &step->blocks[i];
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
        moveFreely(step, state, motion, subStep);
    }
    bool isClamped = false;
    state->velocity =
        clampLength(applyLocks(state->velocity, motion->locks), SD_MAX_SPEED, &isClamped);
    state->angularVelocity = clampLength(applyLocks(state->angularVelocity, motion->locks >> 3),
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
    state->velocity = clampLength(v, SD_MAX_SPEED, &isClamped);
    state->angularVelocity = clampLength(w, SD_MAX_SPEED, &isClamped);
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
    sdTeam_For(step->team, integrateVelocities, &task, blockCountOf(step), BLOCK_GRAIN);
}

/// One body that is not for kernels, or turns too fast for them.
/// @return by how much the turn changed its angular velocity: that is no doing of the contacts
static sdVec3 moveOn(sdStep* step, int index, int subStep) {
    sdBodyState* state = &step->states[index];
    const sdBodyMotion* motion = &step->motions[index];
    if (motion->locks != 0) {
        state->velocity = applyLocks(state->velocity, motion->locks);
        state->angularVelocity = applyLocks(state->angularVelocity, motion->locks >> 3);
    }
    sdVec3 v = sdAdd(state->velocity, motion->drift);
    state->displacement = sdMulAdd(state->displacement, step->h, v);
    sdVec3 before = state->angularVelocity;
    turnBody(step, state, motion, subStep);
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
        uint8_t fast = SD_DISPATCH(sdMotionBlock_Move)(block, states, step->h, EASY_TURN);
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
    sdTeam_For(step->team, integratePositions, &task, blockCountOf(step), BLOCK_GRAIN);
}

/// How far any point of a body has gone in the step, rounded up.
static float wayOf(const sdBody* body, const sdBodyState* state) {
    // a point at r goes along a chord of 2 r sin(angle / 2)
    float way = sdLength(state->displacement) + 2.0f * sdLength(state->turn.v) * body->radius;
    return way * (1.0f + WAY_ERROR);
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
        if (!isFinite(state)) {
            motion->faults |= SD_FAULT_NUMBERS;
            *state = (sdBodyState){.turn = sdQuat_Identity()};
        }
        float way = wayOf(body, state);
        world->reaches.data[motion->body].moved = way;
        if (motion->isWhirling || way > sdBody_SafeWay(body)) {
            atomic_store_explicit(&step->hasFast, 1, memory_order_relaxed);
        }
        body->center = sdPos_Add(body->center, state->displacement);
        body->rotation = sdNormalizeQ(sdMulQ(state->turn, body->rotation));
        body->velocity = applyLocks(state->velocity, body->locks);
        sdVec3 w = state->angularVelocity;
        if (motion->hiddenSpin != 0.0f) {
            w = sdMulAdd(w, motion->hiddenSpin, sdRotate(body->rotation, body->needleAxis));
        }
        body->angularVelocity = applyLocks(w, body->locks >> 3);
        if (world->part + 1 == world->partCount) {
            body->force = sdV3(0.0f, 0.0f, 0.0f);
            body->torque = body->force;
        }
        stopAtTheEnd(body, motion);
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
