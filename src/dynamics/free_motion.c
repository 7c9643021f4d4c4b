// SPDX-License-Identifier: MIT
// free_motion.c - see free_motion.h.
//
// Ref:  S0 §3 (Euler, semi-implicit Euler, RK4), S2 §5. By default a rotation keeps the angular
//       momentum, so that there is no gyroscopic torque to be integrated.

#include "dynamics/free_motion.h"

#include "math/quatd.h"

/// Angle of a sub-step, rad, below which the turn of the tensor is not worth following.
#define SMALL_TURN 1e-3f
/// Angle, rad, that a free body turns at a time, and sub-steps.
#define LONG_TURN 0.03f
#define MAX_STRIDE 8
/// Turns of a sub-step beyond WIDE_TURN, rad, are made in parts.
#define WIDE_TURN 0.5f
#define WIDE_PART 0.25f
#define MAX_PARTS 64
/// Farthest that a body turns in a sub-step at once, rad.
#define MAX_TURN 3.0f

// ---- limits --------------------------------------------------------------------------------

static float clampComponent(float a, float limit) {
    float most = a > limit ? limit : a;
    // not a number counts as nothing
    return most >= -limit ? most : (most < -limit ? -limit : 0.0f);
}

sdVec3 sdCutLength(sdVec3 v, float limit) {
    // squares overflow long before their roots
    sdVec3 u = {clampComponent(v.x, limit), clampComponent(v.y, limit), clampComponent(v.z, limit)};
    return sdScale(limit / sdMaxF(sdLength(u), limit), u);
}

// ---- forces --------------------------------------------------------------------------------

/// World tensor of a body at a rotation, times a vector.
static sdVec3d timesTensor(const sdMat33* local, sdQuatd t, sdVec3d v) {
    sdVec3d p = sdRotateD(sdConjugateD(t), v);
    sdVec3d r = sdScaleD(p.x, sdVec3d_From(local->cx));
    r = sdMulAddD(r, p.y, sdVec3d_From(local->cy));
    return sdRotateD(t, sdMulAddD(r, p.z, sdVec3d_From(local->cz)));
}

/// q' = ½ ω q
static sdQuatd rateOf(sdQuatd t, sdVec3d w) {
    return sdMulQD((sdQuatd){sdScaleD(0.5, w), 0.0}, t);
}

static sdQuatd addScaled(sdQuatd t, double h, sdQuatd rate) {
    return (sdQuatd){sdMulAddD(t.v, h, rate.v), t.s + h * rate.s};
}

/// Motion of a free body, and what acts on it.
typedef struct Free {
    sdPos center;
    sdQuatd rotation;
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
        sdMotionState motion = {state->center, sdQuatd_Round(state->rotation), state->velocity, w,
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

    sdQuatd q = addScaled(start->rotation, sixth, rateOf(start->rotation, k1.angularVelocity));
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
    sdQuatd step = sdMulQD(end->rotation, sdConjugateD(start->rotation));
    *meanW = sdScale(1.0f / h, sdQuat_ToRotationVector(sdQuatd_Round(step)));
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

void sdBodyState_Accelerate(const sdStep* step, sdBodyState* state, sdBodyMotion* motion,
                            int subStep) {
    const sdWorld* world = step->world;
    const sdBody* body = &world->bodies.data[motion->body];
    float h = step->h;
    Forces forces = {world, body, sdIdPool_GetId(&world->bodyPool, motion->body),
                     world->time + (double)subStep * (double)h, &motion->faults};
    sdQuatd rotation = sdMulQD(sdQuatd_From(state->turn), sdQuatd_From(body->rotation));
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

/// sdQuatd a body for h with its angular momentum kept: q' = ½ I(q)⁻¹ L q by RK4.
static void turnWithMomentum(const sdBody* body, sdBodyState* state, float h) {
    double step = (double)h;
    sdQuatd q1 = sdMulQD(sdQuatd_From(state->turn), sdQuatd_From(body->rotation));
    sdVec3d w = sdVec3d_From(state->angularVelocity);
    sdVec3d momentum = timesTensor(&body->inertia, q1, w);
    sdQuatd k1 = rateOf(q1, w);
    sdQuatd q2 = addScaled(q1, 0.5 * step, k1);
    sdQuatd k2 = rateOf(q2, timesTensor(&body->inverseInertia, q2, momentum));
    sdQuatd q3 = addScaled(q1, 0.5 * step, k2);
    sdQuatd k3 = rateOf(q3, timesTensor(&body->inverseInertia, q3, momentum));
    sdQuatd q4 = addScaled(q1, step, k3);
    sdQuatd k4 = rateOf(q4, timesTensor(&body->inverseInertia, q4, momentum));
    sdQuatd end = addScaled(addScaled(q1, step / 6.0, k1), step / 3.0, k2);
    end = addScaled(addScaled(end, step / 3.0, k3), step / 6.0, k4);
    state->turn = sdQuatd_Round(sdMulQD(end, sdConjugateD(sdQuatd_From(body->rotation))));
    state->angularVelocity = sdVec3d_Round(timesTensor(&body->inverseInertia, end, momentum));
}

/// sdQuatd a body for h in parts, with its energy kept as well: what a part loses is little, but
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

/// sdQuatd a needle for h. About its axis it has next to no inertia, so that the least error of its
/// rotation would be a wild spin about it: as a top with two equal moments its motion has a closed
/// form, at any speed. It turns about its angular momentum, and about its own axis.
static void turnNeedle(const sdBody* body, sdBodyState* state, float h) {
    sdQuatd q = sdMulQD(sdQuatd_From(state->turn), sdQuatd_From(body->rotation));
    sdVec3d axis = sdRotateD(q, sdVec3d_From(body->needleAxis));
    sdVec3d w = sdVec3d_From(state->angularVelocity);
    double along = (double)sdDot(body->needleAxis, sdMulMV(body->inertia, body->needleAxis));
    double trace = (double)(body->inertia.cx.x + body->inertia.cy.y + body->inertia.cz.z);
    double across = 0.5 * (trace - along), spin = sdDotD(axis, w), part = along / across;
    // angular momentum over the moment across, and what is left of the spin
    sdVec3d round = sdMulAddD(w, (part - 1.0) * spin, axis);
    double own = (1.0 - part) * spin, step = (double)h;
    sdQuat roll = sdQuat_FromRotationVector(sdVec3d_Round(sdScaleD(step * own, axis)));
    sdQuat swing = sdQuat_FromRotationVector(sdVec3d_Round(sdScaleD(step, round)));
    sdQuatd by = sdQuatd_From(swing);
    state->turn =
        sdQuatd_Round(sdMulQD(sdMulQD(by, sdQuatd_From(roll)), sdQuatd_From(state->turn)));
    state->angularVelocity = sdVec3d_Round(sdMulAddD(round, own, sdRotateD(by, axis)));
}

int sdStrideOf(sdVec3 w, float h) {
    int stride = 1;
    float square = sdLengthSquared(w) * h * h;
    while (stride < MAX_STRIDE && square * (float)(4 * stride * stride) < LONG_TURN * LONG_TURN) {
        stride *= 2;
    }
    return stride;
}

/// sdQuatd by a small angle: the series of sine and cosine to the third order.
static sdQuat turnALittle(sdQuat q, sdVec3 angle) {
    float square = sdLengthSquared(angle);
    sdQuat step = {sdScale(0.5f - square * (1.0f / 48.0f), angle), 1.0f - 0.125f * square};
    sdQuat r = sdMulQ(step, q);
    // one step of Newton's method: it was of unit length but for rounding
    float scale = 1.5f - 0.5f * (sdLengthSquared(r.v) + r.s * r.s);
    return (sdQuat){sdScale(scale, r.v), scale * r.s};
}

void sdBodyState_Turn(const sdStep* step, sdBodyState* state, const sdBodyMotion* motion,
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
    w = sdClampLength(w, most / h, &isClamped);
    // the other integrators have the change of the tensor in their velocities already
    bool isEven = motion->isRound || !motion->isDynamic ||
                  world->def.integrator != SD_INTEGRATOR_SEMI_IMPLICIT;
    if (isEven) {
        state->turn = square < SD_EASY_TURN * SD_EASY_TURN ? turnALittle(state->turn, sdScale(h, w))
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
