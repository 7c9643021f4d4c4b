// SPDX-License-Identifier: MIT
// meeting.c - when a convex part of a body on its way first meets a shape on its own (B16).
//
// In:   two flights, a shape on each, the time of the step from which on they are looked at.
// Out:  the time at which they meet, where, and the normal.
// Note: what is apart when the way begins meets as by the time of impact. Shapes that overlap
//       already cannot be kept apart by their distance: what a part is in, be it only by the slop
//       of a body at rest, holds it for the rest of the step like a half-space, at the depth that
//       it has. So what lies on a floor and is hit from above does not go through it; and what
//       slides over the floor of a mesh meets its walls. Besides there is the core, a ball in the
//       middle of the part: it stops before it has passed a surface, and the next step has contacts
//       that push the rest of the body back.
//       A body that jams between others is to pass them in the end, but never what does not give
//       way: that is met with all of the shape, on all of the way, up to the last impact of the
//       step, after which the body stays where it is.

#include "dynamics/meeting.h"

#include "dynamics/contact.h"
#include "geometry/compound.h"
#include "geometry/hull.h"
#include "narrow/collide_surface.h"
#include "narrow/toi.h"

/// SD_MEETING_TARGET of thin bodies, as a part of their thinness.
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
/// m that they come nearer in a whole step, beyond which that is no sliding or grazing.
#define SLOW_APPROACH SD_SPECULATIVE_MARGIN
/// Rounding of the speed at which two come nearer, relative to their speeds.
#define SPEED_ROUNDING 1e-6f
/// Impacts that a body has in a step with all of its shape; further ones with what gives way are
/// its core's.
#define MAX_SHAPE_IMPACTS 28
/// Looks at a way, each from where the part has left what it was in; then that holds it on.
#define MAX_LOOKS 4
/// Surfaces of a mesh that a part may be in at the same time.
#define MAX_SURFACES 8
/// How far above the surface that a part touches others count as the same, in targets.
#define PLANE_SLACK 4.0f

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

/// As sdTimeOfImpact, and quicker when one of the two is a ball.
static sdToiResult timeOfImpact(const sdToiInput* input) {
    if (sdToi_IsBallPair(input)) {
        return sdToi_AdvanceBall(input);
    }
    sdToiInput swapped = *input;
    swapped.a = input->b;
    swapped.b = input->a;
    swapped.sweepA = input->sweepB;
    swapped.sweepB = input->sweepA;
    if (!sdToi_IsBallPair(&swapped)) {
        return sdTimeOfImpact(input);
    }
    sdToiResult result = sdToi_AdvanceBall(&swapped);
    result.normal = sdNeg(result.normal);
    return result;
}

/// Whether two shapes that part will not meet again in this step: convex ones that do not turn.
static bool isOnlyStraight(const sdToiInput* input) {
    bool turnsA = sdLengthSquared(input->sweepA.rotation) > 0.0f && !sdToi_IsBallPair(input);
    return !turnsA && sdLengthSquared(input->sweepB.rotation) == 0.0f &&
           sdShape_IsConvex(input->a) && sdShape_IsConvex(input->b);
}

/// What approachAt may be off by.
static float approachError(const sdToiInput* input, const sdToiResult* at) {
    const sdSweep *a = &input->sweepA, *b = &input->sweepB;
    float reachA = sdLength(sdSub(at->point, sdTransformPoint(a->start, a->center)));
    float reachB = sdLength(sdSub(at->point, sdTransformPoint(b->start, b->center)));
    return SPEED_ROUNDING * (sdLength(a->translation) + sdLength(b->translation) +
                             sdLength(a->rotation) * reachA + sdLength(b->rotation) * reachB);
}

/// Whether shapes touch at the start and do not come nearer to each other.
static bool isParting(const sdToiInput* input, const sdToiResult* hit) {
    if (hit->state != SD_TOI_HIT || hit->time > 0.0f) {
        return false;
    }
    float approach = approachAt(input, hit);
    return approach <= 0.0f || approach <= approachError(input, hit);
}

/// Whether two come nearer by so little until the end of the step that contacts take care of it.
/// @param gentle m by which they may, if they are slow
/// @param rest the part of the step that the way takes
static bool isGentle(const sdToiInput* input, const sdToiResult* hit, float gentle, float rest) {
    float approach = approachAt(input, hit);
    return approach < SLOW_APPROACH * rest && (1.0f - hit->time) * approach < gentle;
}

typedef enum Finding {
    FINDING_NOTHING,
    FINDING_IMPACT,
    FINDING_GRAZE,  ///< contacts take care of it
    FINDING_OVERLAP ///< from the start, or it is not known
} Finding;

/// As sdTimeOfImpact, but of shapes that touch and part when they meet again.
static Finding findImpact(sdToiInput* input, float gentle, float rest, sdToiResult* hit) {
    *hit = timeOfImpact(input);
    if (hit->status != SD_STATUS_INVALID && isParting(input, hit)) {
        if (isOnlyStraight(input)) {
            return FINDING_NOTHING;
        }
        sdTransform xf = sdInvMulXf(input->sweepA.start, input->sweepB.start);
        input->target = 0.5f * sdDistance(input->a, input->b, xf, NULL).separation;
        if (!(input->target > MIN_TARGET)) {
            return FINDING_OVERLAP;
        }
        *hit = timeOfImpact(input);
        if (hit->status != SD_STATUS_INVALID && isParting(input, hit)) {
            return FINDING_OVERLAP;
        }
    }
    if (hit->status == SD_STATUS_INVALID || hit->state == SD_TOI_OVERLAPPED) {
        return FINDING_OVERLAP;
    }
    if (hit->state != SD_TOI_HIT) {
        return FINDING_NOTHING;
    }
    return isGentle(input, hit, gentle, rest) ? FINDING_GRAZE : FINDING_IMPACT;
}

// ---- one part and one shape ----------------------------------------------------------------

/// A meeting as it is looked at.
typedef struct Look {
    const sdWorld* world;
    const sdMeeting* meeting;
    float from;         ///< time of the step
    float target;       ///< m
    float gentle;       ///< m
    bool isFirm;        ///< the other does not give way
    int count;          ///< of looks, this one included
    sdMeetingHit first; ///< so far
    bool isMet;
} Look;

static sdToiInput inputOf(const Look* look, const sdShape* part, sdTransform local, float target) {
    const sdMeeting* meeting = look->meeting;
    const sdShape* other = &look->world->fixtures.data[meeting->otherFixture].def.shape;
    bool isBall = part->type == SD_SHAPE_SPHERE, isOtherBall = other->type == SD_SHAPE_SPHERE;
    sdPos origin = sdFlight_CenterAt(meeting->flight, look->from);
    return (sdToiInput){
        .a = part,
        .b = other,
        .sweepA = sdFlight_Sweep(meeting->flight, look->from, origin, local, isBall),
        .sweepB =
            sdFlight_Sweep(meeting->other, look->from, origin, meeting->otherLocal, isOtherBall),
        .target = target,
    };
}

static void take(Look* look, const sdToiResult* hit, bool isCore) {
    float time = look->from + hit->time * (1.0f - look->from);
    if (time > look->first.time) {
        return;
    }
    sdPos origin = sdFlight_CenterAt(look->meeting->flight, look->from);
    look->isMet = true;
    look->first = (sdMeetingHit){time, {sdPos_Add(origin, hit->point), hit->normal}, isCore};
}

/// When the ball about a body that turns far first meets something: it costs little to find out.
/// 1: not in this step.
static float meetBall(const Look* look) {
    const sdBody* body = &look->world->bodies.data[look->meeting->flight->body];
    sdShape ball = sdShape_Sphere(body->radius + SD_MEETING_TARGET);
    sdToiInput input = inputOf(look, &ball, sdTransform_Identity(), SD_MEETING_TARGET);
    sdToiResult hit = timeOfImpact(&input);
    if (hit.status == SD_STATUS_INVALID || hit.state == SD_TOI_OVERLAPPED) {
        return look->from;
    }
    return hit.state == SD_TOI_HIT ? look->from + hit.time * (1.0f - look->from) : 1.0f;
}

static bool isOfPieces(const sdShape* shape) {
    return shape->type == SD_SHAPE_MESH || shape->type == SD_SHAPE_COMPOUND;
}

/// Where two shapes touch.
/// @param xf B in A's frame
static int findSurfaces(const sdToiInput* input, sdTransform xf, sdManifold* out) {
    bool isPlain = sdShape_IsConvex(input->b) || input->b->type == SD_SHAPE_HALF_SPACE;
    int total;
    if (isPlain) {
        sdCollide(input->a, input->b, xf, input->target, NULL, &out[0]);
        return out[0].pointCount > 0 ? 1 : 0;
    }
    return sdSurface_Collide(SD_NARROWPHASE_AUTO, input->a, input->b, xf, input->target, out,
                             MAX_SURFACES, &total);
}

/// The way of a half-space that B carries.
/// @param start its pose then
static sdSweep sweepWith(const sdSweep* b, sdTransform start) {
    sdSweep sweep = *b;
    sweep.start = start;
    sweep.center = sdInvTransformPoint(start, sdTransformPoint(b->start, b->center));
    return sweep;
}

/// The same of one just below the lowest point of A.
/// @param normal A to B, in A's frame
static sdSweep sweepBelow(const sdToiInput* input, sdVec3 normal) {
    float lower, upper;
    sdProject(input->a, normal, SD_PROJECT_SCAN, &lower, &upper);
    sdTransform local = {sdScale(upper + 2.0f * input->target, normal),
                         sdQuat_Between(sdV3(0.0f, 1.0f, 0.0f), sdNeg(normal))};
    return sweepWith(&input->sweepB, sdMulXf(input->sweepA.start, local));
}

/// Whether A is in B at a time.
static bool isIn(const sdToiInput* input, float time) {
    sdTransform a = sdSweep_Pose(&input->sweepA, time), b = sdSweep_Pose(&input->sweepB, time);
    return sdOverlap(input->a, input->b, sdInvMulXf(a, b), NULL).isOverlapping;
}

/// Take a hit with a half-space if the part is in what that stands for.
/// @return the part of the way that is known: where it is not in the other it may come back
static float takeIfIn(Look* look, const sdToiInput* input, const sdToiResult* hit, bool isCore) {
    if (look->count < MAX_LOOKS && !isIn(input, hit->time)) {
        return hit->time;
    }
    take(look, hit, isCore);
    return 1.0f;
}

/// A body that turns may graze something with one end and strike it with the other: it may go in by
/// as much as is gentle, with all of its points.
/// @return the part of the way that is known
static float meetAfterGraze(Look* look, const sdToiInput* input, const sdToiResult* graze) {
    const sdBody* body = &look->world->bodies.data[look->meeting->flight->body];
    float turn = sdLength(input->sweepA.rotation) + sdLength(input->sweepB.rotation);
    if ((1.0f - graze->time) * turn * 2.0f * body->radius < look->gentle) {
        return 1.0f;
    }
    sdTransform then = sdSweep_Pose(&input->sweepB, graze->time);
    sdVec3 point = sdInvTransformPoint(then, sdMulAdd(graze->point, look->gentle, graze->normal));
    sdTransform local = {
        point, sdQuat_Between(sdV3(0.0f, 1.0f, 0.0f), sdInvRotate(then.q, sdNeg(graze->normal)))};
    sdShape ground = sdShape_HalfSpace();
    sdToiInput below = *input;
    below.b = &ground;
    below.sweepB = sweepWith(&input->sweepB, sdMulXf(input->sweepB.start, local));
    sdToiResult hit = sdTimeOfImpact(&below);
    // what is below it from the start is not over the other
    bool isHit = hit.status != SD_STATUS_INVALID && hit.state == SD_TOI_HIT;
    return isHit ? takeIfIn(look, input, &hit, false) : 1.0f;
}

/// What a part is in holds it at its depth, as long as it is there.
/// @return the part of the way that is known
static float meetSurface(Look* look, const sdToiInput* input, sdVec3 normal, bool isCore) {
    sdShape ground = sdShape_HalfSpace();
    sdToiInput below = *input;
    below.b = &ground;
    below.sweepB = sweepBelow(input, normal);
    sdToiResult hit;
    Finding finding = findImpact(&below, look->gentle, 1.0f - look->from, &hit);
    if (finding == FINDING_IMPACT) {
        return takeIfIn(look, input, &hit, isCore);
    }
    return finding == FINDING_GRAZE ? meetAfterGraze(look, input, &hit) : 1.0f;
}

/// The core of a part: a ball in its middle, which must not pass what the part may overlap. What
/// does not give way holds it where it is in that already: the side from which it came is nearer.
static void meetWithCore(Look* look) {
    const sdMeeting* meeting = look->meeting;
    float thinness = look->world->bodies.data[meeting->flight->body].thinness;
    sdShape core = sdShape_Sphere(CORE_PART * thinness);
    sdVec3 center = sdInvTransformPoint(meeting->local, sdV3(0.0f, 0.0f, 0.0f));
    sdTransform middle = {sdTransformPoint(meeting->local, middleOf(meeting->part, center)),
                          meeting->local.q};
    sdToiInput input = inputOf(look, &core, middle, CORE_TARGET * thinness);
    sdToiResult hit;
    Finding finding = findImpact(&input, -FLT_MAX, 1.0f, &hit);
    if (finding == FINDING_IMPACT) {
        take(look, &hit, true);
    } else if (finding == FINDING_OVERLAP && look->isFirm) {
        sdManifold manifolds[MAX_SURFACES];
        sdTransform xf = sdInvMulXf(input.sweepA.start, input.sweepB.start);
        int count = findSurfaces(&input, xf, manifolds);
        for (int i = 0; i < count; ++i) {
            meetSurface(look, &input, manifolds[i].normal, true);
        }
    }
}

/// The plane of a surface of B.
/// @param pose of B, in the frame of point and normal
/// @param normal into B
static sdToiPlane planeAt(sdTransform pose, sdVec3 point, sdVec3 normal, float target) {
    sdVec3 up = sdInvRotate(pose.q, sdNeg(normal));
    return (sdToiPlane){up, sdDot(up, sdInvTransformPoint(pose, point)) + PLANE_SLACK * target};
}

/// What else there is of a mesh or compound, beyond the surfaces that a part touches or grazes.
/// @param planes of these; room for MAX_SURFACES
/// @return the part of the way that is known
static float meetBeyond(Look* look, const sdToiInput* input, sdToiPlane* planes, int count) {
    float known = 1.0f;
    for (; count < MAX_SURFACES; ++count) {
        sdToiResult hit = sdToi_AdvanceBeyond(input, planes, count);
        if (hit.status == SD_STATUS_INVALID || hit.state != SD_TOI_HIT) {
            break;
        }
        if (!isGentle(input, &hit, look->gentle, 1.0f - look->from)) {
            take(look, &hit, false);
            break;
        }
        known = sdMinF(known, meetAfterGraze(look, input, &hit));
        sdTransform pose = sdSweep_Pose(&input->sweepB, hit.time);
        planes[count] = planeAt(pose, hit.point, hit.normal, input->target);
    }
    return known;
}

/// Two that overlap when the way begins.
/// @return the part of the way that is known
static float meetOverlapped(Look* look, const sdToiInput* input) {
    sdManifold manifolds[MAX_SURFACES];
    sdToiPlane planes[MAX_SURFACES];
    sdTransform xf = sdInvMulXf(input->sweepA.start, input->sweepB.start);
    int count = findSurfaces(input, xf, manifolds);
    float known = 1.0f;
    for (int i = 0; i < count; ++i) {
        known = sdMinF(known, meetSurface(look, input, manifolds[i].normal, false));
        planes[i] = planeAt(xf, manifolds[i].points[0].pointB, manifolds[i].normal, input->target);
    }
    if (isOfPieces(input->b)) {
        known = sdMinF(known, meetBeyond(look, input, planes, count));
    }
    return known;
}

float sdBody_GentleWay(const sdBody* body) {
    return sdMinF(GENTLE, GENTLE_PART * body->thinness);
}

/// Look at a way from where it is not known yet.
/// @return the part of it that is known then
static float lookAhead(Look* look) {
    const sdMeeting* meeting = look->meeting;
    sdToiInput input = inputOf(look, meeting->part, meeting->local, look->target);
    sdToiResult found;
    Finding finding = FINDING_OVERLAP;
    // what gives way may be passed by a body that is jammed, but nothing else
    if (look->isFirm || meeting->flight->impactCount < MAX_SHAPE_IMPACTS) {
        finding = findImpact(&input, look->gentle, 1.0f - look->from, &found);
    }
    if (finding == FINDING_IMPACT) {
        take(look, &found, false);
    } else if (finding != FINDING_NOTHING) {
        meetWithCore(look);
    }
    if (finding == FINDING_OVERLAP) {
        input.target = look->target;
        return meetOverlapped(look, &input);
    }
    if (finding != FINDING_GRAZE) {
        return 1.0f;
    }
    float known = meetAfterGraze(look, &input, &found);
    if (isOfPieces(input.b)) {
        sdTransform pose = sdSweep_Pose(&input.sweepB, found.time);
        sdToiPlane planes[MAX_SURFACES] = {planeAt(pose, found.point, found.normal, look->target)};
        known = sdMinF(known, meetBeyond(look, &input, planes, 1));
    }
    return known;
}

bool sdMeeting_Find(const sdWorld* world, const sdMeeting* meeting, float now, float before,
                    sdMeetingHit* hit) {
    const sdFlight* flight = meeting->flight;
    const sdBody* body = &world->bodies.data[flight->body];
    Look look = {.world = world,
                 .meeting = meeting,
                 .from = now,
                 .target = sdMinF(SD_MEETING_TARGET, TARGET_PART * body->thinness),
                 .gentle = sdBody_GentleWay(body),
                 .isFirm = world->bodies.data[meeting->other->body].type != SD_BODY_DYNAMIC,
                 .first = {.time = before}};
    if (sdBody_IsHeld(body)) {
        meetWithCore(&look);
        *hit = look.first;
        return look.isMet;
    }
    if (sdLengthSquared(flight->turn) > SD_WIDE_TURN * SD_WIDE_TURN) {
        look.gentle = -FLT_MAX;
        look.from = meetBall(&look);
        if (look.from > before || look.from >= 1.0f) {
            return false;
        }
    }
    float known = 0.0f;
    // also where all that is left is this moment: of two impacts at one time, who looks chooses,
    // and what is found must not depend on who came first
    while (known < 1.0f && look.from <= look.first.time) {
        look.count += 1;
        known = lookAhead(&look);
        look.from += known * (1.0f - look.from);
    }
    *hit = look.first;
    return look.isMet;
}
