// SPDX-License-Identifier: MIT
// toi.c - when two moving and turning bodies first touch (B16).
//
// In:   two shapes, the motion of each from time 0 to 1.
// Out:  the first time at which their separation is down to the target, where, and the normal.
// Ref:  S3 §4, algorithm 4.1 with its corrections; Mirtich, "Impulse-based dynamic simulation",
//       1996, conservative advancement.
// Note: conservative advancement looks at the gap between the bodies along the normal n of their
//       distance, kept fixed in space. Every point moves as n·(c + v t + R(t) q), whose first
//       derivative is bounded by v·n + |n × w| r and whose second by |w| |n × w| r. So the gap
//       between two times is above its chord less the sag of the second derivative. One support
//       query at the far end of a step proves it, which is much better than the first derivative
//       alone when bodies turn fast. Never allocates.

#include "narrow/toi.h"

#include "geometry/compound.h"
#include "math/trig.h"
#include "narrow/collide_mesh.h"
#include "narrow/half_space.h"

/// Steps of conservative advancement: 4 to 8 are usual, hundreds where blades that turn fast pass
/// close to each other.
#define MAX_STEPS 2048
/// Steps along one axis before the distance is asked for again.
#define MAX_AXIS_STEPS 16
/// Part of the gap that a step may lose by the sag of its chord.
#define SAG 0.5
/// Separation at which bodies count as touching when none is given, and how exactly it is met: as
/// parts of their size, 1e-5 and 2.5e-6. Rounding of support points is 4e-7.
#define TARGET ((double)SD_QUERY_TOLERANCE)
#define MEET 0.25
/// Turns beyond this in one step lose the digits of the angle, rad.
#define MAX_TURN 1e4f
/// Bisection stops at intervals of 2^-20 of the step, or after so many of them.
#define MAX_LEVEL 20
#define MAX_INTERVALS 20000
/// Of single precision, in the sum of a few coordinates.
#define ROUNDING 1e-6
/// Part of the larger of two bodies that counts for the tolerance of meshes and compounds.
#define LARGE_PART 0.1

// ---- motion --------------------------------------------------------------------------------

/// Distance from the centre of a sweep to the furthest point of a core. The rounding radius does
/// not count: a ball that turns stays where it is.
static double radiusOf(const sdConvex* core, sdVec3d center) {
    double most = 0.0;
    for (int i = 0; i < core->count; ++i) {
        sdVec3d p = sdV3d((double)core->x[i], (double)core->y[i], (double)core->z[i]);
        sdVec3d d = sdSubD(p, center);
        double squared = sdDotD(d, d);
        most = squared > most ? squared : most;
    }
    if (core->count > 0) {
        return sqrt(most);
    }
    sdVec3d half = sdVec3d_From(core->half);
    if (core->type == SD_SHAPE_CYLINDER || core->type == SD_SHAPE_CONE) {
        double side = half.x + sqrt(center.x * center.x + center.z * center.z);
        double height = half.y + fabs(center.y);
        return sqrt(side * side + height * height);
    }
    return sdLengthD(
        sdV3d(half.x + fabs(center.x), half.y + fabs(center.y), half.z + fabs(center.z)));
}

/// The same for any shape, by its box; none for a half-space.
static double radiusOfBox(const sdShape* shape, sdVec3d center) {
    sdAABB box = {sdVec3d_Round(center), sdVec3d_Round(center)};
    if (shape->type == SD_SHAPE_MESH) {
        box = sdMesh_GetBounds(shape->mesh);
    } else if (shape->type == SD_SHAPE_COMPOUND) {
        box = shape->compound->bounds;
    } else if (shape->type != SD_SHAPE_HALF_SPACE) {
        box = sdShape_GetBounds(shape, sdTransform_Identity());
    }
    sdVec3d lower = sdSubD(sdVec3d_From(box.lower), center);
    sdVec3d upper = sdSubD(sdVec3d_From(box.upper), center);
    sdVec3d far = sdV3d(fmax(-lower.x, upper.x), fmax(-lower.y, upper.y), fmax(-lower.z, upper.z));
    return sdLengthD(far) * (1.0 + ROUNDING);
}

static bool isUsable(const sdSweep* sweep) {
    return sdTransform_IsValid(sweep->start) && sdVec3_IsFinite(sweep->center) &&
           sdVec3_IsFinite(sweep->translation) && sdVec3_IsFinite(sweep->rotation) &&
           sdLength(sweep->start.p) <= SD_MAX_REACH && sdLength(sweep->center) <= SD_MAX_REACH &&
           sdLength(sweep->translation) <= SD_MAX_REACH && sdLength(sweep->rotation) <= MAX_TURN;
}

static void setBody(sdToiBody* body, const sdSweep* sweep) {
    sdPose_Set(&body->start, sweep->start);
    body->local = sdVec3d_From(sweep->center);
    body->center = sdPose_Point(&body->start, body->local);
    body->velocity = sdVec3d_From(sweep->translation);
    body->spin = sdVec3d_From(sweep->rotation);
    body->rate = sdLengthD(body->spin);
    body->axis = body->rate > 0.0 ? sdScaleD(1.0 / body->rate, body->spin) : body->spin;
    body->radius = 0.0;
}

/// A direction turned about the unit axis (Rodrigues).
static sdVec3d turn(sdVec3d d, sdVec3d axis, double sine, double cosine) {
    sdVec3d r = sdMulAddD(sdScaleD(cosine, d), sine, sdCrossD(axis, d));
    return sdMulAddD(r, (1.0 - cosine) * sdDotD(axis, d), axis);
}

static void poseAt(const sdToiBody* body, double t, sdPose* out) {
    *out = body->start;
    if (body->rate > 0.0) {
        double sine, cosine;
        sdSinCosD(body->rate * t, &sine, &cosine);
        for (int i = 0; i < 3; ++i) {
            out->columns[i] = turn(body->start.columns[i], body->axis, sine, cosine);
        }
    }
    sdVec3d center = sdMulAddD(body->center, t, body->velocity);
    out->offset = sdSubD(center, sdPose_Rotate(out, body->local));
}

/// Both bodies as they are at time t: B in A's frame, and A's own pose.
static void placeAt(sdToi* toi, double t) {
    sdPose poseB;
    poseAt(&toi->a, t, &toi->poseA);
    poseAt(&toi->b, t, &poseB);
    sdConvexPair* pair = &toi->pair;
    double half[3] = {(double)pair->b.half.x, (double)pair->b.half.y, (double)pair->b.half.z};
    for (int i = 0; i < 3; ++i) {
        pair->columns[i] = sdPose_InvRotate(&toi->poseA, poseB.columns[i]);
        pair->halfAxes[i] = sdScaleD(half[i], pair->columns[i]);
    }
    pair->offset = sdPose_InvPoint(&toi->poseA, poseB.offset);
}

// ---- distance ------------------------------------------------------------------------------

/// Of bodies that are not both convex, in A's frame.
static void separateAny(const sdToi* toi, double t, bool wantsDepth, sdPairResult* out) {
    const sdToiInput* input = toi->input;
    sdTransform xfA = sdSweep_Pose(&input->sweepA, (float)t);
    sdTransform xfB = sdSweep_Pose(&input->sweepB, (float)t);
    wantsDepth = wantsDepth || toi->kind == SD_TOI_HALF_SPACE;
    sdSeparation s = sdMeshPair_Separation(input->a, input->b, sdInvMulXf(xfA, xfB), wantsDepth);
    out->separation = (double)s.separation;
    out->normal = sdVec3d_From(s.normal);
    out->pointA = sdVec3d_From(s.pointA);
    out->pointB = sdVec3d_From(s.pointB);
    out->status = s.status;
    out->iterations = s.iterations;
    out->error = (double)s.error;
}

double sdToi_Measure(sdToi* toi, double t, bool wantsDepth) {
    sdPairResult* at = &toi->at;
    if (toi->kind == SD_TOI_CONVEX) {
        placeAt(toi, t);
        sdGjk_Separate(&toi->pair, wantsDepth, DBL_MAX, &toi->cache, at);
    } else {
        poseAt(&toi->a, t, &toi->poseA);
        separateAny(toi, t, wantsDepth, at);
    }
    toi->iterations += at->iterations;
    toi->status = at->status > toi->status ? at->status : toi->status;
    toi->normal = sdPose_Rotate(&toi->poseA, at->normal);
    return at->separation;
}

/// How the gap along a direction can change.
typedef struct Change {
    double speed; ///< it shrinks no faster than this
    double bend;  ///< its second derivative is between -bend and bend
} Change;

static Change changeAlong(const sdToi* toi, sdVec3d normal) {
    const sdToiBody* a = &toi->a;
    const sdToiBody* b = &toi->b;
    double approach = -sdDotD(normal, sdSubD(b->velocity, a->velocity));
    double turnA = sdLengthD(sdCrossD(normal, a->spin)) * a->radius;
    double turnB = sdLengthD(sdCrossD(normal, b->spin)) * b->radius;
    return (Change){approach + turnA + turnB, a->rate * turnA + b->rate * turnB};
}

/// A half-space that turns takes its normal with it. In its frame the other body moves as by the
/// centrifugal and Coriolis terms of the furthest point.
static Change changeOverTurning(const sdToiBody* plane, const sdToiBody* other) {
    double linear = sdLengthD(sdSubD(other->velocity, plane->velocity));
    double turning = other->rate * other->radius;
    double reach = sdLengthD(sdSubD(other->center, plane->center)) + linear + other->radius;
    double w = plane->rate;
    return (Change){linear + turning + w * reach,
                    w * w * reach + 2.0 * w * (linear + turning) + other->rate * turning};
}

static Change changeOf(const sdToi* toi, sdVec3d normal) {
    if (toi->kind == SD_TOI_HALF_SPACE) {
        bool isA = toi->input->a->type == SD_SHAPE_HALF_SPACE;
        const sdToiBody* plane = isA ? &toi->a : &toi->b;
        if (plane->rate > 0.0) {
            return changeOverTurning(plane, isA ? &toi->b : &toi->a);
        }
    }
    return changeAlong(toi, normal);
}

double sdToi_MaxSpeed(const sdToi* toi) {
    if (toi->kind == SD_TOI_HALF_SPACE) {
        bool isA = toi->input->a->type == SD_SHAPE_HALF_SPACE;
        return changeOverTurning(isA ? &toi->a : &toi->b, isA ? &toi->b : &toi->a).speed;
    }
    double linear = sdLengthD(sdSubD(toi->b.velocity, toi->a.velocity));
    return linear + toi->a.rate * toi->a.radius + toi->b.rate * toi->b.radius;
}

/// The gap between the bodies along a direction, or over the half-space, at time t.
static double gapAlong(sdToi* toi, double t, sdVec3d normal) {
    if (toi->kind == SD_TOI_HALF_SPACE) {
        return sdToi_Measure(toi, t, true) - toi->at.error;
    }
    placeAt(toi, t);
    const sdConvexPair* pair = &toi->pair;
    sdVec3d n = sdPose_InvRotate(&toi->poseA, normal);
    double reach = sdDotD(n, sdConvexPair_Support(pair, n).w);
    return -reach - (double)pair->a.radius - (double)pair->b.radius - pair->supportError;
}

// ---- conservative advancement --------------------------------------------------------------

/// The first s in 0 .. length at which the bound of the gap is used up: a chord less its sag,
///     gap + (end - gap) s / length - bend / 2 s (length - s).
static double firstRoot(double gap, double end, double length, double bend) {
    double b = (end - gap) / length - 0.5 * bend * length;
    double rest = b * b - 2.0 * bend * gap;
    if (b >= 0.0 || rest < 0.0) {
        return length;
    }
    double s = 2.0 * gap / (sqrt(rest) - b);
    return s < length ? s : length;
}

/// From time t, how long the bodies are proved to stay apart by the axis of their distance.
static double advance(sdToi* toi, double t, double separation) {
    sdVec3d normal = toi->normal;
    Change change = changeOf(toi, normal);
    double gap = gapAlong(toi, t, normal) - toi->target;
    double least = MEET * (separation - toi->target);
    gap = gap > least ? gap : least;
    double first = gap, from = t;
    for (int step = 0; step < MAX_AXIS_STEPS; ++step) {
        double rest = toi->end - t;
        double sure = change.speed > 0.0 ? gap / change.speed : rest;
        if (sure >= rest) {
            return toi->end - from;
        }
        double length = change.bend > 0.0 ? sqrt(8.0 * SAG * gap / change.bend) : rest;
        length = length < rest ? length : rest;
        if (length <= sure) {
            t += sure;
            break;
        }
        double end = gapAlong(toi, t + length, normal) - toi->target;
        double s = firstRoot(gap, end, length, change.bend);
        t += s > sure ? s : sure;
        // a nearer axis is worth more than going on with this one
        if (s < length || t >= toi->end || end < 0.5 * first) {
            break;
        }
        gap = end;
    }
    return t - from;
}

/// The result at time t, for which toi->at stands.
static sdToiResult resultAt(const sdToi* toi, sdToiState state, double t) {
    sdVec3d middle = sdScaleD(0.5, sdAddD(toi->at.pointA, toi->at.pointB));
    float time = (float)t;
    return (sdToiResult){
        .state = state,
        // never late by rounding
        .time = (double)time > t ? nextafterf(time, 0.0f) : time,
        .point = sdVec3d_Round(sdPose_Point(&toi->poseA, middle)),
        .normal = sdVec3d_Round(toi->normal),
        .status = toi->status,
        .iterations = toi->iterations,
        .error = FLT_EPSILON,
    };
}

sdToiResult sdToi_NoContact(const sdToi* toi) {
    return (sdToiResult){.time = (float)toi->end,
                         .status = toi->status,
                         .iterations = toi->iterations,
                         .error = FLT_EPSILON};
}

sdToiResult sdToi_Overlapped(sdToi* toi) {
    sdToi_Measure(toi, 0.0, true);
    return resultAt(toi, SD_TOI_OVERLAPPED, 0.0);
}

/// A contact after the start. Where times are too coarse for so fast a body it may be past the
/// first touch: then the way out of the depth is the normal.
static sdToiResult hitAt(sdToi* toi, double t) {
    if (sdToi_Measure(toi, t, false) <= 0.0) {
        sdToi_Measure(toi, t, true);
    }
    return resultAt(toi, SD_TOI_HIT, t);
}

sdToiResult sdToi_Advance(sdToi* toi) {
    double t = toi->begin;
    for (int step = 0; step < MAX_STEPS; ++step) {
        double separation = sdToi_Measure(toi, t, false);
        if (separation <= 0.0 && t == 0.0) {
            return sdToi_Overlapped(toi);
        }
        if (separation <= toi->target + toi->tolerance) {
            return separation > 0.0 ? resultAt(toi, SD_TOI_HIT, t) : hitAt(toi, t);
        }
        t += advance(toi, t, separation);
        if (t >= toi->end) {
            return sdToi_NoContact(toi);
        }
    }
    // apart until t; whatever comes after is not known
    sdToiResult result = hitAt(toi, t);
    result.status = SD_STATUS_LIMIT;
    return result;
}

// ---- bisection and sub-steps ---------------------------------------------------------------

/// Corrected: the time is passed down, the bound takes both ends of the interval together, and the
/// number of intervals is limited, as in the worst case it is not logarithmic.
static sdToiResult bisect(sdToi* toi) {
    double speed = sdToi_MaxSpeed(toi);
    double from = 0.0, atStart = sdToi_Measure(toi, 0.0, false);
    if (atStart <= 0.0) {
        return sdToi_Overlapped(toi);
    }
    uint32_t index = 0;
    int level = 0, count = 0;
    for (; count < MAX_INTERVALS; ++count) {
        if (atStart <= toi->target + toi->tolerance) {
            break;
        }
        double length = 1.0 / (double)(1u << level);
        double atEnd = sdToi_Measure(toi, from + length, false);
        if (atStart + atEnd > speed * length + 2.0 * toi->target) {
            // on to the next interval, as long as the tree allows
            index += 1;
            from = (double)index * length;
            atStart = atEnd;
            for (; level > 0 && (index & 1u) == 0; --level) {
                index >>= 1;
            }
            if (level == 0) {
                return sdToi_NoContact(toi);
            }
        } else if (level == MAX_LEVEL) {
            break;
        } else {
            level += 1;
            index <<= 1;
        }
    }
    toi->status = count == MAX_INTERVALS ? SD_STATUS_LIMIT : toi->status;
    return hitAt(toi, from);
}

static sdToiResult subStep(sdToi* toi, int count) {
    if (sdToi_Measure(toi, 0.0, false) <= 0.0) {
        return sdToi_Overlapped(toi);
    }
    double apart = 0.0, touching = -1.0;
    for (int i = 1; i <= count && touching < 0.0; ++i) {
        double t = (double)i / (double)count;
        bool isTouching = sdToi_Measure(toi, t, false) <= toi->target;
        apart = isTouching ? apart : t;
        touching = isTouching ? t : touching;
    }
    if (touching < 0.0) {
        return sdToi_NoContact(toi);
    }
    for (int i = 0; i < MAX_LEVEL; ++i) {
        double middle = 0.5 * (apart + touching);
        bool isTouching = sdToi_Measure(toi, middle, false) <= toi->target;
        apart = isTouching ? apart : middle;
        touching = isTouching ? middle : touching;
    }
    sdToiResult result = hitAt(toi, apart);
    // what happened between earlier sub-steps was not looked at
    result.error = result.time;
    return result;
}

// ---- swept volume --------------------------------------------------------------------------

/// The ball about a body against a half-space at both ends of the way. One that turns may be
/// anywhere.
static bool meetsHalfSpace(const sdToi* toi) {
    bool isA = toi->input->a->type == SD_SHAPE_HALF_SPACE;
    const sdToiBody* plane = isA ? &toi->a : &toi->b;
    const sdToiBody* other = isA ? &toi->b : &toi->a;
    sdVec3d up = plane->start.columns[1];
    double start = sdDotD(up, sdSubD(other->center, plane->start.offset));
    double end = start + sdDotD(up, sdSubD(other->velocity, plane->velocity));
    return plane->rate > 0.0 || fmin(start, end) <= other->radius + toi->target;
}

/// Balls about the centres, swept along their lines, whatever the time.
static bool meetsBall(const sdToi* toi) {
    // in floats about A's centre, with their rounding added
    sdVec3d fromA = sdSubD(toi->b.center, toi->a.center);
    sdVec3 a0 = sdV3(0.0f, 0.0f, 0.0f), a1 = sdVec3d_Round(toi->a.velocity);
    sdVec3 b0 = sdVec3d_Round(fromA), b1 = sdVec3d_Round(sdAddD(fromA, toi->b.velocity));
    double distance = sqrt((double)sdClosestPointsOfSegments(a0, a1, b0, b1).distanceSquared);
    double rounding = ROUNDING * (double)(sdLength(a1) + sdLength(b0) + sdLength(b1));
    double reach = toi->a.radius + toi->b.radius + toi->target;
    if (toi->kind == SD_TOI_CONVEX) {
        reach += (double)toi->pair.a.radius + (double)toi->pair.b.radius;
    }
    return distance <= reach + rounding;
}

static sdToiResult meetSwept(const sdToi* toi) {
    bool isMet = toi->kind == SD_TOI_HALF_SPACE ? meetsHalfSpace(toi) : meetsBall(toi);
    sdToiResult hit = {
        .state = SD_TOI_HIT, .status = SD_STATUS_TOLERANCE, .iterations = 1, .error = 1.0f};
    return isMet ? hit : sdToi_NoContact(toi);
}

// ---- public --------------------------------------------------------------------------------

sdTransform sdSweep_Pose(const sdSweep* sweep, float t) {
    sdQuat q = sdMulQ(sdQuat_FromRotationVector(sdScale(t, sweep->rotation)), sweep->start.q);
    // at time 0 exactly the start
    sdVec3 swing = sdSub(sdRotate(sweep->start.q, sweep->center), sdRotate(q, sweep->center));
    return sdTransform_Make(sdAdd(sdMulAdd(sweep->start.p, t, sweep->translation), swing), q);
}

void sdToi_SetTarget(sdToi* toi, float target) {
    double own = TARGET * toi->size;
    toi->target = target > 0.0f ? (double)target : own;
    toi->tolerance = MEET * (toi->target < own ? toi->target : own);
}

bool sdToi_SetConvex(sdToi* toi, const sdShape* a, const sdShape* b) {
    if (!sdConvexPair_Init(&toi->pair, a, b, sdTransform_Identity())) {
        return false;
    }
    toi->kind = SD_TOI_CONVEX;
    toi->cache = (sdPairCache){.count = 0};
    toi->size = toi->pair.scale;
    toi->a.radius = radiusOf(&toi->pair.a, toi->a.local);
    toi->b.radius = radiusOf(&toi->pair.b, toi->b.local);
    return true;
}

/// A half-space has no size of its own, and the other may be anything.
static bool setAny(sdToi* toi, const sdShape* a, const sdShape* b) {
    if (!sdShape_IsValid(a) || !sdShape_IsValid(b)) {
        return false;
    }
    toi->kind = sdHalfSpace_IsInPair(a, b) ? SD_TOI_HALF_SPACE : SD_TOI_PIECES;
    toi->a.radius = radiusOfBox(a, toi->a.local);
    toi->b.radius = radiusOfBox(b, toi->b.local);
    double less = fmin(toi->a.radius, toi->b.radius), more = fmax(toi->a.radius, toi->b.radius);
    // a small body on a large one: no more of the large one than its rounding asks for
    toi->size = toi->kind == SD_TOI_HALF_SPACE ? more : less + LARGE_PART * more;
    return a->type != b->type || a->type != SD_SHAPE_HALF_SPACE;
}

static bool init(sdToi* toi, const sdToiInput* input) {
    if (input == NULL || !isUsable(&input->sweepA) || !isUsable(&input->sweepB) ||
        !(input->target >= 0.0f) || !sdIsFinite(input->target)) {
        return false;
    }
    toi->input = input;
    toi->planes = NULL;
    toi->planeCount = 0;
    toi->begin = 0.0;
    toi->end = 1.0;
    toi->iterations = 0;
    toi->status = SD_STATUS_TOLERANCE;
    setBody(&toi->a, &input->sweepA);
    setBody(&toi->b, &input->sweepB);
    bool isConvex = sdShape_IsConvex(input->a) && sdShape_IsConvex(input->b);
    if (!(isConvex ? sdToi_SetConvex(toi, input->a, input->b) : setAny(toi, input->a, input->b))) {
        return false;
    }
    sdToi_SetTarget(toi, input->target);
    return true;
}

static sdToiResult run(sdToi* toi, const sdToiInput* input) {
    sdToiResult invalid = {.status = SD_STATUS_INVALID};
    switch (input->method) {
        case SD_TOI_CONSERVATIVE:
            return toi->kind == SD_TOI_PIECES ? sdToi_AdvancePieces(toi) : sdToi_Advance(toi);
        case SD_TOI_BISECTION:
            return bisect(toi);
        case SD_TOI_SUBSTEPS:
            return input->subStepCount > 0 ? subStep(toi, input->subStepCount) : invalid;
        case SD_TOI_SWEPT_VOLUME:
            return meetSwept(toi);
    }
    return invalid;
}

sdToiResult sdTimeOfImpact(const sdToiInput* input) {
    sdToi toi;
    sdToiResult invalid = {.status = SD_STATUS_INVALID};
    if (!init(&toi, input)) {
        return invalid;
    }
    sdToiResult result = run(&toi, input);
    return result.status != SD_STATUS_INVALID ? result : invalid;
}

sdToiResult sdToi_AdvanceBeyond(const sdToiInput* input, const sdToiPlane* planes, int planeCount) {
    sdToi toi;
    sdToiResult invalid = {.status = SD_STATUS_INVALID};
    if (!init(&toi, input) || toi.kind != SD_TOI_PIECES || !sdShape_IsConvex(input->a)) {
        return invalid;
    }
    toi.planes = planes;
    toi.planeCount = planeCount;
    sdToiResult result = sdToi_AdvancePieces(&toi);
    return result.status != SD_STATUS_INVALID ? result : invalid;
}
