// SPDX-License-Identifier: MIT
// way.c - whether two bodies may meet on their ways, at little cost (B16).
//
// In:   ways of two bodies through what is left of a step, balls about them, a shape.
// Out:  false only where there is no impact to be found; what remains is looked at in meeting.c.
// Note: a ball goes straight past a shape whose turn moves no point by more than some way. It is
//       past if it stays behind a plane through the nearest point of the shape, or if the line of
//       its centre misses the box about the shape, grown by its radius and that way. What has just
//       bounced still touches, but parts: so it does not meet again as long as it goes away from
//       that plane faster than the shape can turn after it.

#include "dynamics/way.h"

#include "dynamics/meeting.h"

/// Rounding of floats in a passing, relative to its coordinates: turned twice, and added.
#define ROUNDING 2e-6f
/// Of SD_MEETING_TARGET, what two shapes touch at at most, with what times of impact may miss.
#define TOUCH_PART 2.0f
/// m: shapes that are nearer may count as overlapping.
#define LEAST_GAP 1e-5f
/// rad that a body turns in a step, below which the pose at its end says how.
#define CLEAR_TURN 1.0f

// ---- ways ----------------------------------------------------------------------------------

sdWay sdWay_OfFlight(const sdWorld* world, const sdFlight* flight, float now) {
    float part = sdFlight_PartAt(flight, now);
    float angle = sdLengthSquared(flight->turn);
    return (sdWay){
        .center = sdPos_Add(flight->center, sdScale(part, flight->translation)),
        .rest = sdScale(1.0f - part, flight->translation),
        .whole = flight->translation,
        .turnWay = angle > 0.0f ? sqrtf(angle) * world->bodies.data[flight->body].radius : 0.0f,
        .isUnseen = flight->isBent || flight->isWhirling || flight->isSunk,
        .turnsFar = angle > SD_WIDE_TURN * SD_WIDE_TURN,
        .isPoseNow = part == 0.0f || angle == 0.0f,
        .isFlight = true,
        .rotation = &flight->rotation,
    };
}

sdWay sdWay_OfBody(const sdStep* step, int index, float now) {
    const sdBody* body = &step->world->bodies.data[index];
    int state = sdStep_StateOf(step, index);
    sdWay way = {.center = body->center, .isPoseNow = true, .rotation = &body->rotation};
    if (state != SD_NULL_INDEX) {
        const sdBodyState* moved = &step->states[state];
        way.whole = moved->displacement;
        way.rest = sdScale(1.0f - now, way.whole);
        way.center = sdPos_Add(body->center, sdNeg(way.rest));
        float angle = sdLengthSquared(moved->turn.v);
        way.turnWay = 2.0f * sqrtf(angle) * body->radius;
        way.isPoseNow = angle == 0.0f;
    }
    return way;
}

bool sdBody_TurnsClearly(const sdBody* body, float dt) {
    // what turns more may have gone round, and a needle goes by its axis (flight.c)
    return dt * dt * sdLengthSquared(body->angularVelocity) <= CLEAR_TURN * CLEAR_TURN &&
           !sdBody_IsNeedle(body);
}

// ---- balls about bodies --------------------------------------------------------------------

sdEncounter sdEncounter_Make(const sdBody* bodyA, const sdWay* wayA, const sdBody* bodyB,
                             const sdWay* wayB, float now, float before) {
    return (sdEncounter){.bodyA = bodyA,
                         .bodyB = bodyB,
                         .wayA = wayA,
                         .wayB = wayB,
                         .between = sdPos_Sub(wayB->center, wayA->center),
                         .motion = sdSub(wayB->rest, wayA->rest),
                         .part = (before - now) / (1.0f - now)};
}

bool sdEncounter_IsFast(const sdEncounter* encounter) {
    const sdBody *a = encounter->bodyA, *b = encounter->bodyB;
    const sdWay *wayA = encounter->wayA, *wayB = encounter->wayB;
    bool isNew = !wayA->isUnseen && !wayB->isUnseen && !a->isBullet && !b->isBullet;
    float thinness = b->type == SD_BODY_DYNAMIC ? sdMinF(a->thinness, b->thinness) : a->thinness;
    float way = sdLength(sdSub(wayB->whole, wayA->whole)) + wayA->turnWay + wayB->turnWay;
    // as far as contacts see the two
    float otherRadius = b->type == SD_BODY_STATIC ? a->radius : b->radius;
    float reach = sdBody_IsHeld(a) ? SD_HELD_REACH * sdMinF(a->radius, otherRadius) : 0.0f;
    return !(isNew && way <= SD_SPECULATIVE_MARGIN + sdMaxF(thinness, reach));
}

/// Whether a point that moves by `motion` comes as near as reach to the origin, from where it is
/// `between`, before a part of that motion is over.
static bool meetsBefore(sdVec3 between, sdVec3 motion, float reach, float part) {
    float a = sdLengthSquared(motion), b = sdDot(between, motion);
    float c = sdLengthSquared(between) - reach * reach;
    if (c <= 0.0f) {
        return true;
    }
    float root = b * b - a * c, last = sdMinF(part, 1.0f) + SD_PART_SLACK;
    // it enters at (-b - sqrt(root)) / a
    return b < 0.0f && root >= 0.0f && c <= last * (sqrtf(root) - b);
}

bool sdEncounter_MeetsBalls(const sdEncounter* encounter) {
    float reach = (encounter->bodyA->radius + encounter->bodyB->radius + SD_MEETING_TARGET) *
                  (1.0f + SD_WAY_ROUNDING);
    return meetsBefore(encounter->between, encounter->motion, reach, encounter->part);
}

// ---- a ball and a shape --------------------------------------------------------------------

/// A box about a shape's frame that holds the shape when it is rounded.
/// @return false when there is none at hand
static bool boxOf(const sdShape* shape, sdVec3* half, float* rounding) {
    *rounding = 0.0f;
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            *half = sdV3(0.0f, 0.0f, 0.0f);
            *rounding = shape->sphere.radius;
            return true;
        case SD_SHAPE_CAPSULE:
            *half = sdV3(0.0f, shape->capsule.halfLength, 0.0f);
            *rounding = shape->capsule.radius;
            return true;
        case SD_SHAPE_BOX:
            *half = shape->box.halfExtents;
            return true;
        case SD_SHAPE_CYLINDER:
            *half =
                sdV3(shape->cylinder.radius, shape->cylinder.halfHeight, shape->cylinder.radius);
            return true;
        case SD_SHAPE_CONE:
            *half = sdV3(shape->cone.radius, shape->cone.halfHeight, shape->cone.radius);
            return true;
        default:
            return false;
    }
}

static float sumOf(sdVec3 v) {
    return sdAbsF(v.x) + sdAbsF(v.y) + sdAbsF(v.z);
}

/// Whether a line meets a box about the origin, by the axes that may part them.
/// @param middle, way of the line, which goes from middle - way to middle + way
static bool lineMeetsBox(sdVec3 middle, sdVec3 way, sdVec3 half) {
    sdVec3 m = sdAbs(middle), w = sdAbs(way), cross = sdAbs(sdCross(middle, way));
    return !(m.x > half.x + w.x || m.y > half.y + w.y || m.z > half.z + w.z ||
             cross.x > half.y * w.z + half.z * w.y || cross.y > half.z * w.x + half.x * w.z ||
             cross.z > half.x * w.y + half.y * w.x);
}

/// Whether a line comes as near to the origin as reach.
/// @param way from its start to its end
static bool lineMeetsBall(sdVec3 start, sdVec3 way, float reach) {
    float a = sdLengthSquared(way), b = -sdDot(start, way);
    float t = b >= a ? 1.0f : sdMaxF(b, 0.0f) / sdMaxF(a, FLT_MIN);
    return !(sdLengthSquared(sdMulAdd(start, t, way)) > reach * reach);
}

bool sdPassing_MayTouch(const sdPassing* passing) {
    sdVec3 half;
    float rounding;
    if (!boxOf(passing->shape, &half, &rounding)) {
        return true;
    }
    sdVec3 center = sdInvTransformPoint(passing->frame, passing->center);
    sdVec3 motion = sdInvRotate(passing->frame.q, passing->motion);
    float last = sdMinF(passing->part, 1.0f) + SD_PART_SLACK;
    float error = ROUNDING * (sumOf(center) + sumOf(motion) + sumOf(half) + rounding);
    float slack = TOUCH_PART * SD_MEETING_TARGET + error;
    float before = passing->isPoseNow ? 0.0f : passing->turnWay;
    float after = passing->isPoseNow ? passing->turnWay : 0.0f;
    sdVec3 out = sdSub(center, sdMax(sdMin(center, half), sdNeg(half)));
    float far = sdLength(out), gap = far - passing->radius - rounding - before;
    if (gap > LEAST_GAP + error) {
        // all of the core is behind the plane through its nearest point
        float opening = sdDot(out, motion) / far - after;
        if (gap + last * sdMinF(opening, 0.0f) > slack) {
            return false;
        }
        // normals are as exact as the places that they are found by
        float openingError = error * (1.0f + sumOf(motion) / far);
        if (passing->isBall && passing->isPoseNow && opening > openingError) {
            return false;
        }
    }
    float reach = passing->radius + rounding + passing->turnWay + slack;
    sdVec3 way = sdScale(last, motion);
    if (passing->shape->type == SD_SHAPE_SPHERE) {
        return lineMeetsBall(center, way, reach);
    }
    sdVec3 aside = sdScale(0.5f, way);
    return lineMeetsBox(sdAdd(center, aside), aside, sdAdd(half, sdV3(reach, reach, reach)));
}
