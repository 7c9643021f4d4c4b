// SPDX-License-Identifier: MIT
// continuous.c - bodies so fast that they would pass through others within a step (B16).
//
// In:   where the solver has brought the bodies, and how far that was.
// Out:  poses and velocities of those that met something on their way.
// Ref:  Mirtich, "Impulse-based dynamic simulation", 1996: impacts in the order of their times.
// Note: contacts see a little ahead, so most bodies need nothing of this: only those that have gone
//       further in the step than they are thick. Each of them is a flight: its way through the step
//       is looked at with the ways of all that is near it, turning included. The first impact of
//       all is taken, both bodies are brought to where they are at that time, get the impulses of
//       the impact and fly on for the rest of the step; their next impacts are found, and so on.
//       So nobody stops at the time of impact, two that are fast bounce off each other, and
//       restitution is exact. Nothing is kept from step to step. One after the other, but for the
//       first search, in an order that depends on times and slots only.
//
//       Shapes that touch already when a way begins cannot be kept apart by their distance; what is
//       left then is the core, a ball in the middle of the shape: it stops before it has passed a
//       surface, and the next step has contacts that push the rest of the body back.

#include "dynamics/continuous.h"

#include "dynamics/contact.h"
#include "dynamics/fixture.h"
#include "dynamics/impact.h"
#include "dynamics/island.h"
#include "dynamics/pair.h"
#include "geometry/compound.h"
#include "geometry/hull.h"

/// m at which two shapes on their way count as touching; for thin ones a part of their thinness.
#define TARGET 1e-4f
#define TARGET_PART 0.1f
/// The least one, m: nearer, two shapes count as overlapping.
#define MIN_TARGET 1e-6f
/// Radius of the core and the separation at which it stops, as parts of the thinness.
#define CORE_PART 0.25f
#define CORE_TARGET 0.05f
/// m by which bodies that do not turn far may come nearer without an impact, and the same as a part
/// of the thinness: they slide, or graze.
#define GENTLE 5e-3f
#define GENTLE_PART 0.5f
/// Impacts that a body has in a step with all of its shape, then with its core; then it stops.
#define MAX_IMPACTS 8
#define MAX_CORE_IMPACTS 12
/// Beyond the end of the step: no impact.
#define NEVER 2.0f
/// Flights per task of the first search.
#define FLIGHT_GRAIN 4
/// rad that a body turns, beyond which the ball about it is asked first.
#define WIDE_TURN 0.5f
#define TWO_PI 6.2831853f

/// A body's way through the rest of the step, from a time on.
typedef struct Flight {
    int body;
    float time; ///< of the pose: 0 at the start of the step, 1 at its end
    sdPos center;
    sdQuat rotation;
    sdVec3 translation, turn; ///< until the end of the step
    int impactCount;
    bool isBent; ///< it is not where the solver has brought it
    // the next impact
    int fixture, otherFixture;
    bool isCore;
    sdImpactPoint point;
} Flight;

struct sdContinuous {
    Flight* flights;
    int count;
    int* flightOf; ///< of each body; SD_NULL_INDEX: none
    float* times;  ///< of the next impacts
    int* others;   ///< bodies of the next impacts
    bool hasBent;  ///< some flight is
};

/// One way that is looked for impacts.
typedef struct Search {
    const sdStep* step;
    Flight* flight;
    float now;
    float time; ///< of the first impact so far
    int other;  ///< its body
} Search;

// ---- thinness ------------------------------------------------------------------------------

static float thinnessOf(const sdShape* shape) {
    if (shape->type == SD_SHAPE_HALF_SPACE || shape->concave != NULL) {
        return FLT_MAX;
    }
    if (shape->type == SD_SHAPE_COMPOUND) {
        float least = FLT_MAX;
        for (int i = 0; i < shape->compound->childCount; ++i) {
            least = sdMinF(least, thinnessOf(&shape->compound->children[i].shape));
        }
        return least;
    }
    sdAABB box = sdShape_GetBounds(shape, sdTransform_Identity());
    sdVec3 size = sdSub(box.upper, box.lower);
    float least = sdMinF(size.x, sdMinF(size.y, size.z));
    int count = 0;
    const sdVec3* directions = sdKdop_GetDirections(SD_KDOP_26, &count);
    for (int i = 3; shape->type == SD_SHAPE_HULL && i < count; ++i) {
        // a plate of a hull may stand askew in its frame
        float lower, upper;
        sdProject(shape, sdNormalize(directions[i]), SD_PROJECT_SCAN, &lower, &upper);
        least = sdMinF(least, upper - lower);
    }
    return 0.5f * least;
}

float sdBody_FindThinness(const sdWorld* world, const sdBody* body) {
    float least = FLT_MAX;
    for (int i = body->firstShape; i != SD_NULL_INDEX; i = world->fixtures.data[i].next) {
        const sdShapeDef* def = &world->fixtures.data[i].def;
        least = def->isSensor ? least : sdMinF(least, thinnessOf(&def->shape));
    }
    return least;
}

/// A point inside of a convex shape: where the core is.
/// @param center of mass of the body, which is the best of them
static sdVec3 middleOf(const sdShape* shape, sdVec3 center) {
    if (sdShape_ContainsPoint(shape, center)) {
        return center;
    }
    if (shape->type == SD_SHAPE_HULL) {
        return shape->hull->center;
    }
    sdAABB box = sdShape_GetBounds(shape, sdTransform_Identity());
    return sdScale(0.5f, sdAdd(box.lower, box.upper));
}

// ---- ways ----------------------------------------------------------------------------------

/// The rotation vector of a turn that may have gone round more than half, by the angular velocity.
static sdVec3 unwind(sdQuat turn, sdVec3 w, float dt) {
    sdVec3 v = sdQuat_ToRotationVector(turn);
    float angle = sdLength(v), expected = dt * sdLength(w);
    if (angle < 1e-3f || expected < 0.25f * TWO_PI) {
        return v;
    }
    sdVec3 axis = sdScale(1.0f / angle, v);
    float rounds = floorf((dt * sdDot(w, axis) - angle) / TWO_PI + 0.5f);
    return sdScale(angle + TWO_PI * rounds, axis);
}

/// What a needle turns by, but for the spin about its axis, which nobody sees: about its angular
/// momentum.
static sdVec3 swingOf(const sdBody* body, sdQuat rotation, sdVec3 w) {
    sdVec3 axis = sdRotate(rotation, body->needleAxis);
    return sdMulAdd(w, -sdDot(axis, w), axis);
}

/// The way of a body that has met nothing yet.
static Flight flightOf(const sdStep* step, int index) {
    const sdBody* body = &step->world->bodies.data[index];
    Flight flight = {.body = index, .center = body->center, .rotation = body->rotation};
    int state = body->awakeIndex;
    if (body->type != SD_BODY_STATIC && state != SD_NULL_INDEX && state < step->bodyCount &&
        step->motions[state].body == index) {
        const sdBodyState* moved = &step->states[state];
        flight.translation = moved->displacement;
        flight.turn = unwind(moved->turn, body->angularVelocity, step->dt);
        flight.center = sdPos_Add(body->center, sdNeg(moved->displacement));
        if (sdBody_IsNeedle(body)) {
            sdVec3 end = sdRotate(body->rotation, body->needleAxis);
            bool isFree = step->motions[state].isFree;
            flight.turn =
                isFree
                    ? sdScale(step->dt, swingOf(body, body->rotation, body->angularVelocity))
                    : sdQuat_ToRotationVector(sdQuat_Between(sdInvRotate(moved->turn, end), end));
        }
        sdQuat back = sdQuat_FromRotationVector(sdNeg(flight.turn));
        flight.rotation = sdNormalizeQ(sdMulQ(back, body->rotation));
    }
    return flight;
}

/// The part of a flight that is over at a time.
static float partAt(const Flight* flight, float now) {
    return flight->time < 1.0f ? (now - flight->time) / (1.0f - flight->time) : 1.0f;
}

static sdPos centerAt(const Flight* flight, float now) {
    return sdPos_Add(flight->center, sdScale(partAt(flight, now), flight->translation));
}

static sdQuat rotationAt(const Flight* flight, float now) {
    sdVec3 turn = sdScale(partAt(flight, now), flight->turn);
    return sdNormalizeQ(sdMulQ(sdQuat_FromRotationVector(turn), flight->rotation));
}

/// The rest of the way of a shape.
/// @param local its frame in that of the centre of mass
static sdSweep sweepFrom(const Flight* flight, float now, sdPos origin, sdTransform local) {
    float rest = 1.0f - partAt(flight, now);
    sdTransform center = {sdPos_Sub(centerAt(flight, now), origin), rotationAt(flight, now)};
    return (sdSweep){
        .center = sdInvTransformPoint(local, sdV3(0.0f, 0.0f, 0.0f)),
        .start = sdMulXf(center, local),
        .translation = sdScale(rest, flight->translation),
        .rotation = sdScale(rest, flight->turn),
    };
}

// ---- impact of two shapes ------------------------------------------------------------------

/// How fast B comes nearer to A at a point.
static float approachAt(const sdToiInput* input, const sdToiResult* at) {
    const sdSweep *a = &input->sweepA, *b = &input->sweepB;
    sdVec3 centerA = sdMulAdd(sdTransformPoint(a->start, a->center), at->time, a->translation);
    sdVec3 centerB = sdMulAdd(sdTransformPoint(b->start, b->center), at->time, b->translation);
    sdVec3 rA = sdSub(at->point, centerA), rB = sdSub(at->point, centerB);
    sdVec3 va = sdAdd(a->translation, sdCross(a->rotation, rA));
    sdVec3 vb = sdAdd(b->translation, sdCross(b->rotation, rB));
    return -sdDot(at->normal, sdSub(vb, va));
}

/// As sdTimeOfImpact, but of shapes that touch and part when they meet again.
/// @param gentle m by which they may come nearer until the end of the step: contacts take care of
/// it
/// @return false when they overlap from the start, meet gently, or it is not known
static bool findImpact(sdToiInput* input, float gentle, sdToiResult* hit) {
    *hit = sdTimeOfImpact(input);
    if (hit->status == SD_STATUS_INVALID) {
        return false;
    }
    if (hit->state == SD_TOI_HIT && hit->time <= 0.0f && approachAt(input, hit) <= 0.0f) {
        sdTransform xf = sdInvMulXf(input->sweepA.start, input->sweepB.start);
        input->target = 0.5f * sdDistance(input->a, input->b, xf, NULL).separation;
        if (!(input->target > MIN_TARGET)) {
            return false;
        }
        *hit = sdTimeOfImpact(input);
        if (hit->status == SD_STATUS_INVALID ||
            (hit->state == SD_TOI_HIT && hit->time <= 0.0f && approachAt(input, hit) <= 0.0f)) {
            return false;
        }
    }
    bool isGentle =
        hit->state == SD_TOI_HIT && (1.0f - hit->time) * approachAt(input, hit) < gentle;
    return hit->state != SD_TOI_OVERLAPPED && !isGentle;
}

/// A convex part of the body that flies, and what it may meet.
typedef struct Meeting {
    int fixture, otherFixture;
    const sdShape* part;
    sdTransform local; ///< of the part, from the centre of mass
    const Flight* other;
    sdTransform otherLocal;
} Meeting;

/// Take an impact that comes before all others; of two at the same time, that of the lower slot.
/// @param from where the way began that was looked at
static void take(Search* search, const Meeting* meeting, const sdToiResult* hit, sdPos origin,
                 float from, bool isCore) {
    Flight* flight = search->flight;
    float time = from + hit->time * (1.0f - from);
    if (hit->state != SD_TOI_HIT || time > search->time ||
        (time == search->time && meeting->otherFixture >= flight->otherFixture)) {
        return;
    }
    search->time = time;
    search->other = meeting->other->body;
    flight->fixture = meeting->fixture;
    flight->otherFixture = meeting->otherFixture;
    flight->isCore = isCore;
    flight->point = (sdImpactPoint){sdPos_Add(origin, hit->point), hit->normal};
}

static sdToiInput inputFrom(const Search* search, const Meeting* meeting, const sdShape* part,
                            sdTransform local, float from, float target) {
    sdPos origin = centerAt(search->flight, from);
    return (sdToiInput){
        .a = part,
        .b = &search->step->world->fixtures.data[meeting->otherFixture].def.shape,
        .sweepA = sweepFrom(search->flight, from, origin, local),
        .sweepB = sweepFrom(meeting->other, from, origin, meeting->otherLocal),
        .target = target,
    };
}

/// When the ball about a body that turns far first meets something: it costs little to find out.
/// NEVER: not in this step.
static float meetBall(const Search* search, const Meeting* meeting) {
    const sdBody* body = &search->step->world->bodies.data[search->flight->body];
    sdShape ball = sdShape_Sphere(body->radius + TARGET);
    sdToiInput input =
        inputFrom(search, meeting, &ball, sdTransform_Identity(), search->now, TARGET);
    sdToiResult hit = sdTimeOfImpact(&input);
    bool isApart = hit.status != SD_STATUS_INVALID && hit.state == SD_TOI_SEPARATED;
    bool isLater = hit.status != SD_STATUS_INVALID && hit.state == SD_TOI_HIT;
    return isApart ? NEVER
                   : (isLater ? search->now + hit.time * (1.0f - search->now) : search->now);
}

static void meet(Search* search, const Meeting* meeting) {
    const sdWorld* world = search->step->world;
    const Flight* flight = search->flight;
    float thinness = world->bodies.data[flight->body].thinness, from = search->now;
    float gentle = sdMinF(GENTLE, GENTLE_PART * thinness);
    if (sdLengthSquared(flight->turn) > WIDE_TURN * WIDE_TURN) {
        gentle = -FLT_MAX;
        from = meetBall(search, meeting);
        if (from >= search->time || from >= 1.0f) {
            return;
        }
    }
    sdPos origin = centerAt(flight, from);
    float target = sdMinF(TARGET, TARGET_PART * thinness);
    sdToiInput input = inputFrom(search, meeting, meeting->part, meeting->local, from, target);
    sdToiResult hit;
    if (flight->impactCount < MAX_IMPACTS && findImpact(&input, gentle, &hit)) {
        take(search, meeting, &hit, origin, from, false);
        return;
    }
    sdShape core = sdShape_Sphere(CORE_PART * thinness);
    sdVec3 center = sdInvTransformPoint(meeting->local, sdV3(0.0f, 0.0f, 0.0f));
    sdTransform middle = {sdTransformPoint(meeting->local, middleOf(meeting->part, center)),
                          meeting->local.q};
    input = inputFrom(search, meeting, &core, middle, from, CORE_TARGET * thinness);
    if (findImpact(&input, -FLT_MAX, &hit)) {
        take(search, meeting, &hit, origin, from, true);
    }
}

// ---- what is on the way --------------------------------------------------------------------

/// How far points of the two bodies go with respect to each other.
static float wayBetween(const sdBody* a, const Flight* flightA, const sdBody* b,
                        const Flight* flightB) {
    return sdLength(sdSub(flightB->translation, flightA->translation)) +
           sdLength(flightA->turn) * a->radius + sdLength(flightB->turn) * b->radius;
}

/// Whether the balls about two bodies meet, or contacts are not enough for them.
static bool mayHit(const Search* search, const sdBody* other, const Flight* otherFlight,
                   bool isEndless) {
    const Flight* flight = search->flight;
    const sdBody* body = &search->step->world->bodies.data[flight->body];
    bool isNew = !flight->isBent && !otherFlight->isBent && !body->isBullet && !other->isBullet;
    float thinness =
        other->type == SD_BODY_DYNAMIC ? sdMinF(body->thinness, other->thinness) : body->thinness;
    if (isNew && wayBetween(body, flight, other, otherFlight) <= SD_SPECULATIVE_MARGIN + thinness) {
        return false;
    }
    if (isEndless) {
        return true;
    }
    float now = search->now;
    sdVec3 between = sdPos_Sub(centerAt(otherFlight, now), centerAt(flight, now));
    sdVec3 motion = sdSub(sdScale(1.0f - partAt(otherFlight, now), otherFlight->translation),
                          sdScale(1.0f - partAt(flight, now), flight->translation));
    float square = sdLengthSquared(motion);
    float s = square > 0.0f ? sdClampF(-sdDot(between, motion) / square, 0.0f, 1.0f) : 0.0f;
    float reach = body->radius + other->radius + TARGET;
    return sdLengthSquared(sdMulAdd(between, s, motion)) <= reach * reach * 1.0001f;
}

static void meetFixture(Search* search, int otherFixture) {
    const sdWorld* world = search->step->world;
    const sdContinuous* all = search->step->continuous;
    const Flight* flight = search->flight;
    const sdBody* body = &world->bodies.data[flight->body];
    const sdFixture* other = &world->fixtures.data[otherFixture];
    const sdBody* otherBody = &world->bodies.data[other->body];
    int index = all->flightOf[other->body];
    Flight plain = index == SD_NULL_INDEX ? flightOf(search->step, other->body) : (Flight){0};
    const Flight* otherFlight = index == SD_NULL_INDEX ? &plain : &all->flights[index];
    bool isEndless = other->def.shape.type == SD_SHAPE_HALF_SPACE;
    if (other->body == flight->body || other->def.isSensor ||
        (body->type != SD_BODY_DYNAMIC && otherBody->type != SD_BODY_DYNAMIC) ||
        !mayHit(search, otherBody, otherFlight, isEndless)) {
        return;
    }
    Meeting meeting = {.otherFixture = otherFixture,
                       .other = otherFlight,
                       .otherLocal = sdFixture_ToCenter(otherBody, other)};
    for (int i = body->firstShape; i != SD_NULL_INDEX; i = world->fixtures.data[i].next) {
        const sdFixture* fixture = &world->fixtures.data[i];
        const sdShape* shape = &fixture->def.shape;
        if (fixture->def.isSensor || !sdWorld_MayMeet(world, i, otherFixture)) {
            continue;
        }
        meeting.fixture = i;
        meeting.local = sdFixture_ToCenter(body, fixture);
        if (sdShape_IsConvex(shape)) {
            meeting.part = shape;
            meet(search, &meeting);
        }
        for (int j = 0; shape->type == SD_SHAPE_COMPOUND && j < shape->compound->childCount; ++j) {
            const sdCompoundChild* child = &shape->compound->children[j];
            meeting.part = &child->shape;
            meeting.local = sdMulXf(sdFixture_ToCenter(body, fixture), child->xf);
            meet(search, &meeting);
        }
    }
}

static bool visitProxy(void* arg, sdProxyId id, uint64_t userData) {
    (void)id;
    Search* search = (Search*)arg;
    const sdContinuous* all = search->step->continuous;
    int fixture = (int)userData;
    int index = all->flightOf[search->step->world->fixtures.data[fixture].body];
    // those that were thrown off their way are not where the broad phase has them
    if (index == SD_NULL_INDEX || !all->flights[index].isBent) {
        meetFixture(search, fixture);
    }
    return true;
}

/// The box that a body stays in from now on.
static sdWorldBox boxOf(const Flight* flight, float now, float radius) {
    sdVec3 motion = sdScale(1.0f - partAt(flight, now), flight->translation);
    sdVec3 reach = {radius + TARGET, radius + TARGET, radius + TARGET}, zero = {0.0f, 0.0f, 0.0f};
    sdAABB box = {sdSub(sdMin(motion, zero), reach), sdAdd(sdMax(motion, zero), reach)};
    return sdWorldBox_FromLocal(centerAt(flight, now), box);
}

/// Find the next impact of a flight.
static void searchAhead(const sdStep* step, int index, float now) {
    sdContinuous* all = step->continuous;
    const sdWorld* world = step->world;
    Flight* flight = &all->flights[index];
    Search search = {step, flight, now, NEVER, SD_NULL_INDEX};
    if (flight->impactCount < MAX_CORE_IMPACTS && flight->time < 1.0f && now < 1.0f) {
        sdWorldBox box = boxOf(flight, now, world->bodies.data[flight->body].radius);
        sdBroadphase_QueryBox(world->broadphase, box, 0xFFFFFFFFu, visitProxy, &search);
        for (int i = 0; all->hasBent && i < all->count; ++i) {
            const sdBody* body = &world->bodies.data[all->flights[i].body];
            for (int j = body->firstShape; all->flights[i].isBent && j != SD_NULL_INDEX;
                 j = world->fixtures.data[j].next) {
                meetFixture(&search, j);
            }
        }
    }
    all->times[index] = search.time;
    all->others[index] = search.other;
}

// ---- impacts -------------------------------------------------------------------------------

/// Angular velocity of a body that has turned without torque, at a new rotation: it keeps its
/// angular momentum, and its energy exactly, so that many turns do not wind it up.
static sdVec3 spinAt(const sdBody* body, sdQuat from, sdVec3 w, sdQuat to) {
    if (body->type != SD_BODY_DYNAMIC) {
        return w;
    }
    if (sdBody_IsNeedle(body)) {
        // a small error of the rotation would be a wild spin about the axis
        sdVec3 swing = swingOf(body, from, w);
        float spin = sdDot(sdRotate(from, body->needleAxis), w);
        return sdMulAdd(swingOf(body, to, swing), spin, sdRotate(to, body->needleAxis));
    }
    sdVec3 local = sdInvRotate(from, w);
    sdVec3 momentum = sdRotate(from, sdMulMV(body->inertia, local));
    sdVec3 localMomentum = sdInvRotate(to, momentum);
    sdVec3 next = sdMulMV(body->inverseInertia, localMomentum);
    float before = sdDot(local, sdMulMV(body->inertia, local)), after = sdDot(next, localMomentum);
    float scale = before > 0.0f && after > 0.0f ? sqrtf(before / after) : 1.0f;
    return sdScale(scale, sdRotate(to, next));
}

/// Velocity that gravity gives a body that touches nothing in the rest of the step.
static sdVec3 fallFrom(const sdStep* step, const sdBody* body, float now) {
    int state = body->awakeIndex;
    bool falls = body->type == SD_BODY_DYNAMIC && state != SD_NULL_INDEX &&
                 state < step->bodyCount && step->motions[state].isFree;
    return falls ? sdScale((1.0f - now) * step->dt * body->gravityScale, step->world->def.gravity)
                 : sdV3(0.0f, 0.0f, 0.0f);
}

/// Whether a body turns so far until the end of the step that its axis is kept: where else it would
/// have come to nobody can tell, but what it hits on its way it must hit at the velocity of its
/// way. A body that turns about the axis of its angular velocity keeps its energy.
static bool turnsFar(const sdBody* body, sdVec3 turn) {
    return body->type == SD_BODY_DYNAMIC && !sdBody_IsNeedle(body) &&
           sdLengthSquared(turn) > WIDE_TURN * WIDE_TURN;
}

/// Angular velocity about an axis, at the energy of another one.
static sdVec3 spinAbout(const sdBody* body, sdQuat rotation, sdVec3 axis, sdVec3 w) {
    sdVec3 from = sdInvRotate(rotation, w), to = sdInvRotate(rotation, axis);
    float have = sdDot(from, sdMulMV(body->inertia, from));
    float get = sdDot(to, sdMulMV(body->inertia, to));
    return have > 0.0f && get > 0.0f ? sdScale(sqrtf(have / get), axis) : w;
}

static sdImpactSide sideAt(const sdStep* step, const Flight* flight, int fixture, float now) {
    const sdBody* body = &step->world->bodies.data[flight->body];
    sdImpactSide side = {.body = body,
                         .fixture = fixture,
                         .center = centerAt(flight, now),
                         .rotation = rotationAt(flight, now)};
    side.velocity = sdSub(body->velocity, fallFrom(step, body, now));
    sdQuat end = rotationAt(flight, 1.0f);
    side.angularVelocity = spinAt(body, end, body->angularVelocity, side.rotation);
    if (turnsFar(body, flight->turn)) {
        side.angularVelocity = spinAbout(body, side.rotation, flight->turn, side.angularVelocity);
    }
    return side;
}

static sdVec3 keepLocks(sdVec3 v, uint32_t locks) {
    return sdV3((locks & 1u) != 0 ? 0.0f : v.x, (locks & 2u) != 0 ? 0.0f : v.y,
                (locks & 4u) != 0 ? 0.0f : v.z);
}

/// Fly on from an impact.
static void bend(const sdStep* step, Flight* flight, const sdImpactSide* side, float now) {
    sdBody* body = &step->world->bodies.data[flight->body];
    float rest = (1.0f - now) * step->dt;
    flight->impactCount += 1;
    if (body->type != SD_BODY_DYNAMIC) {
        return;
    }
    sdVec3 fall = fallFrom(step, body, now), w = keepLocks(side->angularVelocity, body->locks >> 3);
    sdVec3 v = keepLocks(side->velocity, body->locks);
    sdQuat half = sdQuat_Integrate(side->rotation, w, 0.5f * rest);
    bool isStopped = flight->impactCount >= MAX_CORE_IMPACTS;
    sdVec3 meanSpin = keepLocks(spinAt(body, side->rotation, w, half), body->locks >> 3);
    meanSpin = sdBody_IsNeedle(body) ? swingOf(body, side->rotation, w) : meanSpin;
    bool isFar = turnsFar(body, sdScale(rest, w));
    meanSpin = isFar ? w : meanSpin;
    flight->isBent = true;
    step->continuous->hasBent = true;
    flight->time = isStopped ? 1.0f : now;
    flight->center = side->center;
    flight->rotation = side->rotation;
    flight->translation = sdScale(isStopped ? 0.0f : rest, sdMulAdd(v, 0.5f, fall));
    flight->turn = sdScale(isStopped ? 0.0f : rest, meanSpin);
    sdQuat end = rotationAt(flight, 1.0f);
    body->velocity = sdAdd(v, keepLocks(fall, body->locks));
    sdVec3 spin = isFar ? w : spinAt(body, side->rotation, w, end);
    body->angularVelocity = keepLocks(spin, body->locks >> 3);
}

/// The flight of a body that somebody meets; a static one has none.
static Flight* join(sdStep* step, int index, Flight* still) {
    sdContinuous* all = step->continuous;
    sdWorld* world = step->world;
    if (world->bodies.data[index].type == SD_BODY_STATIC) {
        *still = flightOf(step, index);
        return still;
    }
    if (all->flightOf[index] == SD_NULL_INDEX) {
        Flight flight = flightOf(step, index);
        all->flightOf[index] = all->count;
        all->times[all->count] = NEVER;
        all->others[all->count] = SD_NULL_INDEX;
        all->flights[all->count++] = flight;
        sdWorld_WakeBody(world, index);
    }
    return &all->flights[all->flightOf[index]];
}

/// @return the body that was met
static int takeImpact(sdStep* step, int index) {
    sdContinuous* all = step->continuous;
    float now = all->times[index];
    int other = all->others[index];
    Flight still;
    Flight* b = join(step, other, &still);
    Flight* a = &all->flights[index];
    sdImpactSide sideA = sideAt(step, a, a->fixture, now);
    sdImpactSide sideB = sideAt(step, b, a->otherFixture, now);
    float bounceSpeed = sdStep_GetBounceSpeed(step);
    bool isMet = !a->isCore && sdImpact_Solve(step->world, &sideA, &sideB, NULL, bounceSpeed);
    if (!isMet) {
        sdImpact_Solve(step->world, &sideA, &sideB, &a->point, bounceSpeed);
    }
    bend(step, a, &sideA, now);
    if (b != &still) {
        bend(step, b, &sideB, now);
    }
    return other;
}

static int findFirst(const sdContinuous* all) {
    int first = 0;
    for (int i = 1; i < all->count; ++i) {
        first = all->times[i] < all->times[first] ? i : first;
    }
    return first;
}

/// Find the next impacts of the two that met, and of those who were to meet one of them.
static void renewSearches(sdStep* step, int bodyA, int bodyB, float now) {
    sdContinuous* all = step->continuous;
    const sdWorld* world = step->world;
    for (int i = 0; i < all->count; ++i) {
        int body = all->flights[i].body;
        bool isOne = body == bodyA || body == bodyB;
        if (!isOne && all->others[i] != bodyA && all->others[i] != bodyB) {
            continue;
        }
        const Flight* flight = &all->flights[i];
        float way = sdLength(flight->translation) +
                    sdLength(flight->turn) * world->bodies.data[body].radius;
        if (!isOne || way > sdBody_SafeWay(&world->bodies.data[body]) ||
            all->others[i] != SD_NULL_INDEX) {
            searchAhead(step, i, now);
        }
    }
}

// ---- the step ------------------------------------------------------------------------------

bool sdStep_PrepareContinuous(sdStep* step) {
    sdWorld* world = step->world;
    if (!world->def.enableContinuous) {
        return true;
    }
    size_t count = (size_t)world->bodies.count + 1;
    sdContinuous* all = sdArena_Alloc(&world->arena, 1, sizeof *all);
    if (all == NULL) {
        return false;
    }
    *all = (sdContinuous){
        .flights = sdArena_Alloc(&world->arena, count, sizeof *all->flights),
        .flightOf = sdArena_Alloc(&world->arena, count, sizeof *all->flightOf),
        .times = sdArena_Alloc(&world->arena, count, sizeof *all->times),
        .others = sdArena_Alloc(&world->arena, count, sizeof *all->others),
    };
    step->continuous = all;
    return all->flights != NULL && all->flightOf != NULL && all->times != NULL &&
           all->others != NULL;
}

static void searchRange(void* arg, int begin, int end, int worker) {
    (void)worker;
    const sdStep* step = (const sdStep*)arg;
    for (int i = begin; i < end; ++i) {
        searchAhead(step, i, 0.0f);
    }
}

static void listFlights(sdStep* step) {
    const sdWorld* world = step->world;
    sdContinuous* all = step->continuous;
    for (int i = 0; i < world->bodies.count; ++i) {
        all->flightOf[i] = SD_NULL_INDEX;
    }
    for (int i = 0; i < step->bodyCount; ++i) {
        int index = step->motions[i].body;
        if (world->reaches.data[index].moved > sdBody_SafeWay(&world->bodies.data[index])) {
            all->flightOf[index] = all->count;
            all->flights[all->count++] = flightOf(step, index);
        }
    }
}

/// Give the bodies that met something their poses.
static void land(sdStep* step) {
    sdWorld* world = step->world;
    const sdContinuous* all = step->continuous;
    for (int i = 0; i < all->count; ++i) {
        const Flight* flight = &all->flights[i];
        sdBody* body = &world->bodies.data[flight->body];
        if (flight->isBent) {
            body->center = sdPos_Add(flight->center, flight->translation);
            body->rotation = rotationAt(flight, 1.0f);
            sdWorld_MoveFixtures(world, flight->body);
        }
    }
}

void sdStep_MeetOnTheWay(sdStep* step) {
    sdContinuous* all = step->continuous;
    if (all == NULL || atomic_load_explicit(&step->hasFast, memory_order_relaxed) == 0) {
        return;
    }
    const sdTaskSystem* tasks = &step->world->context.tasks;
    listFlights(step);
    // the user's filter is asked by one thread only
    int grain = step->world->filterFcn == NULL ? FLIGHT_GRAIN : all->count + 1;
    tasks->parallelFor(tasks->user, searchRange, step, all->count, grain);
    int limit = MAX_CORE_IMPACTS * step->world->bodies.count;
    for (int i = 0; i < limit; ++i) {
        int first = findFirst(all);
        float now = all->times[first];
        if (!(now < 1.0f)) {
            break;
        }
        int body = all->flights[first].body;
        renewSearches(step, body, takeImpact(step, first), now);
    }
    land(step);
}
