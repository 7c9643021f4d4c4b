// SPDX-License-Identifier: MIT
// flight.c - the way of a body through a step, straight and about one axis between its impacts.
//
// In:   where the solver has brought a body, and how far that was; velocities after impacts.
// Out:  sweeps for the time of impact, pose and velocity at any time.
// Note: what turns far is hit at the velocity of its way, or the impact would not part what it
//       should part. Its angular velocity is about the axis of its way, at the energy that it has:
//       a body that turns about the axis of its angular velocity keeps that energy. Its angular
//       momentum, which it keeps where it is free, changes its direction then; after more than half
//       a radian in a step nobody can tell.

#include "dynamics/flight.h"

#include "dynamics/free_motion.h"

#define TWO_PI 6.2831853f
/// rad, below which a turn has no axis to go by.
#define NO_TURN 1e-3f
/// rad that a way turns by at most: of more, floats do not say where the end of a needle is as
/// exactly as it touches, and of ten times as much there is no time of impact.
#define MOST_TURN 1000.0f

// ---- turns ---------------------------------------------------------------------------------

/// A turn of a way without the rounds that are too many: it ends as it would.
static sdVec3 leaveOutRounds(sdVec3 turn) {
    float angle = sdLength(turn);
    if (angle <= MOST_TURN) {
        return turn;
    }
    float rounds = ceilf((angle - MOST_TURN) / TWO_PI);
    return sdScale((angle - TWO_PI * rounds) / angle, turn);
}

/// The rotation vector of a turn that may have gone round more than half, by the angular velocity.
static sdVec3 unwind(sdQuat turn, sdVec3 w, float dt) {
    sdVec3 v = sdQuat_ToRotationVector(turn);
    float angle = sdLength(v), expected = dt * sdLength(w);
    if (angle < NO_TURN || expected < 0.25f * TWO_PI) {
        return v;
    }
    sdVec3 axis = sdScale(1.0f / angle, v);
    float rounds = floorf((dt * sdDot(w, axis) - angle) / TWO_PI + 0.5f);
    return sdScale(angle + TWO_PI * rounds, axis);
}

/// What a needle turns by, but for a spin about its axis, which nobody sees: its angular momentum
/// over the moment across. Even of a needle, so fast a spin as a light blow at a corner gives
/// counts there.
static sdVec3 roundOf(const sdBody* body, sdQuat rotation, sdVec3 w) {
    sdVec3 axis = sdRotate(rotation, body->needleAxis);
    const sdMat33* m = &body->inertia;
    float along = sdDot(body->needleAxis, sdMulMV(*m, body->needleAxis));
    float across = 0.5f * (m->cx.x + m->cy.y + m->cz.z - along);
    return sdMulAdd(w, (along / across - 1.0f) * sdDot(axis, w), axis);
}

/// Without its part along an axis.
static sdVec3 acrossOf(sdVec3 v, sdVec3 axis) {
    return sdMulAdd(v, -sdDot(axis, v), axis);
}

/// Angular velocity of a needle that has turned without torque: as of other bodies, but a small
/// error of the rotation would be a wild spin about the axis, which stays as it is.
static sdVec3 spinOfNeedle(const sdBody* body, sdQuat from, sdVec3 w, sdQuat to) {
    sdVec3 start = sdRotate(from, body->needleAxis), end = sdRotate(to, body->needleAxis);
    sdVec3 swing = acrossOf(roundOf(body, from, w), end);
    float has = sdLength(swing), had = sdLength(acrossOf(w, start));
    return sdMulAdd(sdScale(has > 0.0f ? had / has : 0.0f, swing), sdDot(start, w), end);
}

/// Whether all axes are alike.
static bool isRound(const sdBody* body) {
    const sdMat33* m = &body->inertia;
    return m->cx.x == m->cy.y && m->cx.x == m->cz.z && m->cx.y == 0.0f && m->cx.z == 0.0f &&
           m->cy.z == 0.0f;
}

/// Angular velocity of a body that has turned without torque, at a new rotation: it keeps its
/// angular momentum, and its energy exactly, so that many turns do not wind it up.
static sdVec3 spinAt(const sdBody* body, sdQuat from, sdVec3 w, sdQuat to) {
    if (body->type != SD_BODY_DYNAMIC || sdLengthSquared(w) == 0.0f || isRound(body)) {
        return w;
    }
    if (sdBody_IsNeedle(body)) {
        return spinOfNeedle(body, from, w, to);
    }
    sdVec3 local = sdInvRotate(from, w);
    sdVec3 momentum = sdRotate(from, sdMulMV(body->inertia, local));
    sdVec3 localMomentum = sdInvRotate(to, momentum);
    sdVec3 next = sdMulMV(body->inverseInertia, localMomentum);
    float before = sdDot(local, sdMulMV(body->inertia, local)), after = sdDot(next, localMomentum);
    float scale = before > 0.0f && after > 0.0f ? sqrtf(before / after) : 1.0f;
    return sdScale(scale, sdRotate(to, next));
}

static bool turnsFar(const sdBody* body, sdVec3 turn) {
    return body->type == SD_BODY_DYNAMIC && !sdBody_IsNeedle(body) &&
           sdLengthSquared(turn) > SD_WIDE_TURN * SD_WIDE_TURN;
}

/// Angular velocity along an axis, at the energy of another one.
static sdVec3 spinAbout(const sdBody* body, sdQuat rotation, sdVec3 axis, sdVec3 w) {
    sdVec3 from = sdInvRotate(rotation, w), to = sdInvRotate(rotation, axis);
    float has = sdDot(from, sdMulMV(body->inertia, from));
    float gets = sdDot(to, sdMulMV(body->inertia, to));
    return has > 0.0f && gets > 0.0f ? sdScale(sqrtf(has / gets), axis) : w;
}

// ---- ways ----------------------------------------------------------------------------------

/// The turn of a needle between two directions of its axis, about where a guess has it: floats do
/// not know the speed of one that spins wildly well enough to find back to where it was.
static sdVec3 turnBetween(sdVec3 from, sdVec3 to, sdVec3 guess) {
    sdVec3 between = sdSub(to, from);
    float angle = sdLength(guess), chord = sdLengthSquared(between);
    if (angle < NO_TURN) {
        return sdQuat_ToRotationVector(sdQuat_Between(from, to));
    }
    sdVec3 axis = sdScale(1.0f / angle, guess);
    if (chord > NO_TURN * NO_TURN) {
        axis = sdNormalize(sdMulAdd(axis, -sdDot(axis, between) / chord, between));
    }
    sdVec3 a = acrossOf(from, axis), b = acrossOf(to, axis);
    float turn = sdAtan2(sdDot(axis, sdCross(a, b)), sdDot(a, b));
    return sdScale(turn + TWO_PI * floorf((angle - turn) / TWO_PI + 0.5f), axis);
}

/// The turn of a body by what the solver has done.
static sdVec3 turnOf(const sdStep* step, const sdBody* body, int state) {
    sdQuat turn = step->states[state].turn;
    if (!sdBody_IsNeedle(body)) {
        return unwind(turn, body->angularVelocity, step->dt);
    }
    sdVec3 end = sdRotate(body->rotation, body->needleAxis), none = {0.0f, 0.0f, 0.0f};
    bool isFree = step->motions[state].isFree;
    sdVec3 round = isFree ? roundOf(body, body->rotation, body->angularVelocity) : none;
    return turnBetween(sdInvRotate(turn, end), end, sdScale(step->dt, round));
}

sdFlight sdFlight_Make(const sdStep* step, int index) {
    const sdBody* body = &step->world->bodies.data[index];
    sdFlight flight = {.body = index, .center = body->center, .rotation = body->rotation};
    int state = sdStep_StateOf(step, index);
    if (state != SD_NULL_INDEX) {
        flight.isWhirling = step->motions[state].isWhirling;
        flight.isSunk = step->motions[state].isSunk;
        flight.translation = step->states[state].displacement;
        flight.turn = leaveOutRounds(turnOf(step, body, state));
        flight.center = sdPos_Add(body->center, sdNeg(flight.translation));
        if (sdLengthSquared(flight.turn) > 0.0f) {
            sdQuat back = sdQuat_FromRotationVector(sdNeg(flight.turn));
            flight.rotation = sdNormalizeQ(sdMulQ(back, body->rotation));
        }
    }
    return flight;
}

sdQuat sdFlight_RotationAt(const sdFlight* flight, float now) {
    if (sdLengthSquared(flight->turn) == 0.0f) {
        return flight->rotation;
    }
    sdVec3 turn = sdScale(sdFlight_PartAt(flight, now), flight->turn);
    return sdNormalizeQ(sdMulQ(sdQuat_FromRotationVector(turn), flight->rotation));
}

sdSweep sdFlight_Sweep(const sdFlight* flight, float now, sdPos origin, sdTransform local,
                       bool isBall) {
    sdVec3 p = sdPos_Sub(sdFlight_CenterAt(flight, now), origin), zero = {0.0f, 0.0f, 0.0f};
    if (isBall && sdLengthSquared(local.p) == 0.0f) {
        return (sdSweep){.start = {p, flight->rotation},
                         .translation = sdFlight_RestAt(flight, now)};
    }
    sdTransform center = {p, sdFlight_RotationAt(flight, now)};
    return (sdSweep){
        .center = sdInvTransformPoint(local, zero),
        .start = sdMulXf(center, local),
        .translation = sdFlight_RestAt(flight, now),
        .rotation = sdScale(1.0f - sdFlight_PartAt(flight, now), flight->turn),
    };
}

// ---- impacts -------------------------------------------------------------------------------

/// Velocity that gravity gives a body that touches nothing in the rest of the step.
static sdVec3 fallFrom(const sdStep* step, int index, float now) {
    const sdBody* body = &step->world->bodies.data[index];
    int state = sdStep_StateOf(step, index);
    bool falls =
        body->type == SD_BODY_DYNAMIC && state != SD_NULL_INDEX && step->motions[state].isFree;
    return falls ? sdScale((1.0f - now) * step->dt * body->gravityScale, step->world->def.gravity)
                 : sdV3(0.0f, 0.0f, 0.0f);
}

sdImpactSide sdFlight_At(const sdStep* step, const sdFlight* flight, int fixture, float now) {
    const sdBody* body = &step->world->bodies.data[flight->body];
    sdImpactSide side = {.body = body,
                         .fixture = fixture,
                         .center = sdFlight_CenterAt(flight, now),
                         .rotation = sdFlight_RotationAt(flight, now)};
    side.velocity = sdSub(body->velocity, fallFrom(step, flight->body, now));
    side.angularVelocity = body->angularVelocity;
    if (!isRound(body)) {
        sdQuat end = sdFlight_RotationAt(flight, 1.0f);
        side.angularVelocity = spinAt(body, end, body->angularVelocity, side.rotation);
    }
    if (turnsFar(body, flight->turn)) {
        side.angularVelocity = spinAbout(body, side.rotation, flight->turn, side.angularVelocity);
    }
    return side;
}

static sdVec3 keepLocks(sdVec3 v, uint32_t locks) {
    return sdV3((locks & 1u) != 0 ? 0.0f : v.x, (locks & 2u) != 0 ? 0.0f : v.y,
                (locks & 4u) != 0 ? 0.0f : v.z);
}

/// The mean angular velocity over the rest of the step.
static sdVec3 meanSpin(const sdBody* body, sdQuat rotation, sdVec3 w, float rest) {
    if (sdBody_IsNeedle(body)) {
        return roundOf(body, rotation, w);
    }
    if (sdLengthSquared(w) == 0.0f || isRound(body)) {
        return w;
    }
    sdQuat half = sdQuat_Integrate(rotation, w, 0.5f * rest);
    return keepLocks(spinAt(body, rotation, w, half), body->locks >> 3);
}

void sdFlight_Bend(const sdStep* step, sdFlight* flight, const sdImpactSide* side, float now) {
    sdBody* body = &step->world->bodies.data[flight->body];
    flight->impactCount += 1;
    if (body->type != SD_BODY_DYNAMIC) {
        return;
    }
    bool isStopped = flight->impactCount >= SD_MAX_IMPACTS;
    float dt = (1.0f - now) * step->dt, rest = isStopped ? 0.0f : dt;
    sdVec3 fall = fallFrom(step, flight->body, now);
    sdVec3 v = keepLocks(side->velocity, body->locks);
    sdVec3 w = keepLocks(side->angularVelocity, body->locks >> 3);
    bool isFar = turnsFar(body, sdScale(dt, w));
    flight->isBent = true;
    flight->time = isStopped ? 1.0f : now;
    flight->center = side->center;
    flight->rotation = side->rotation;
    flight->translation = sdScale(rest, sdMulAdd(v, 0.5f, fall));
    flight->turn = leaveOutRounds(sdScale(rest, isFar ? w : meanSpin(body, side->rotation, w, dt)));
    body->velocity = sdAdd(v, keepLocks(fall, body->locks));
    if (!isFar && !isRound(body)) {
        sdQuat end = sdFlight_RotationAt(flight, 1.0f);
        w = keepLocks(spinAt(body, side->rotation, w, end), body->locks >> 3);
    }
    bool isClamped = false;
    body->velocity = sdClampLength(body->velocity, SD_MAX_SPEED, &isClamped);
    body->angularVelocity = sdClampLength(w, SD_MAX_SPEED, &isClamped);
}

void sdFlight_SetWay(const sdStep* step, sdFlight* flight, const sdImpactSide* side,
                     const sdImpactSide* way) {
    sdBody* body = &step->world->bodies.data[flight->body];
    if (body->type != SD_BODY_DYNAMIC) {
        return;
    }
    float rest = (1.0f - flight->time) * step->dt;
    flight->translation = sdScale(rest, keepLocks(way->velocity, body->locks));
    flight->turn = leaveOutRounds(sdScale(rest, keepLocks(way->angularVelocity, body->locks >> 3)));
    sdVec3 w =
        spinAt(body, side->rotation, side->angularVelocity, sdFlight_RotationAt(flight, 1.0f));
    bool isClamped = false;
    body->angularVelocity = sdClampLength(keepLocks(w, body->locks >> 3), SD_MAX_SPEED, &isClamped);
}
