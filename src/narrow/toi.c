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

#include "math/trig.h"
#include "narrow/gjk.h"

/// Steps of conservative advancement: 4 to 8 are usual, 40 where bodies pass close to each other.
#define MAX_STEPS 256
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

/// A body in motion: its centre on a line, its turn about an axis that stays.
typedef struct Body {
    sdPose start;
    sdVec3d local;    ///< centre in its own frame
    sdVec3d center;   ///< the same at time 0
    sdVec3d velocity; ///< of the centre
    sdVec3d spin;     ///< angular velocity
    sdVec3d axis;     ///< its direction
    double rate;      ///< its length
    double radius;    ///< no point of the core is further from the centre
} Body;

typedef struct Toi {
    Body a, b;
    sdConvexPair pair;
    sdPairCache cache;
    double target;    ///< separation at which they touch
    double tolerance; ///< how exactly it is met
    sdPose poseA;     ///< at the time last looked at
    sdPairResult at;  ///< then, in A's frame
    sdVec3d normal;   ///< then, in the common frame
    int iterations;
    sdStatus status;
} Toi;

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

static bool isUsable(const sdSweep* sweep) {
    return sdTransform_IsValid(sweep->start) && sdVec3_IsFinite(sweep->center) &&
           sdVec3_IsFinite(sweep->translation) && sdVec3_IsFinite(sweep->rotation) &&
           sdLength(sweep->start.p) <= SD_MAX_REACH && sdLength(sweep->center) <= SD_MAX_REACH &&
           sdLength(sweep->translation) <= SD_MAX_REACH && sdLength(sweep->rotation) <= MAX_TURN;
}

static void setBody(Body* body, const sdSweep* sweep, const sdConvex* core) {
    sdPose_Set(&body->start, sweep->start);
    body->local = sdVec3d_From(sweep->center);
    body->center = sdPose_Point(&body->start, body->local);
    body->velocity = sdVec3d_From(sweep->translation);
    body->spin = sdVec3d_From(sweep->rotation);
    body->rate = sdLengthD(body->spin);
    body->axis = body->rate > 0.0 ? sdScaleD(1.0 / body->rate, body->spin) : body->spin;
    body->radius = radiusOf(core, body->local);
}

/// A direction turned about the unit axis (Rodrigues).
static sdVec3d turn(sdVec3d d, sdVec3d axis, double sine, double cosine) {
    sdVec3d r = sdMulAddD(sdScaleD(cosine, d), sine, sdCrossD(axis, d));
    return sdMulAddD(r, (1.0 - cosine) * sdDotD(axis, d), axis);
}

static void poseAt(const Body* body, double t, sdPose* out) {
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
static void placeAt(Toi* toi, double t) {
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

static double measure(Toi* toi, double t, bool wantsDepth) {
    placeAt(toi, t);
    sdPairResult* at = &toi->at;
    sdGjk_Separate(&toi->pair, wantsDepth, DBL_MAX, &toi->cache, at);
    toi->iterations += at->iterations;
    toi->status = at->status == SD_STATUS_LIMIT ? SD_STATUS_LIMIT : toi->status;
    toi->normal = sdPose_Rotate(&toi->poseA, at->normal);
    return at->separation;
}

/// Of bodies that may turn: how fast any two of their points can come nearer, at most.
static double maxSpeed(const Toi* toi) {
    double linear = sdLengthD(sdSubD(toi->b.velocity, toi->a.velocity));
    return linear + toi->a.rate * toi->a.radius + toi->b.rate * toi->b.radius;
}

/// The gap between the bodies along a direction, at time t.
static double gapAlong(Toi* toi, double t, sdVec3d normal) {
    placeAt(toi, t);
    const sdConvexPair* pair = &toi->pair;
    sdVec3d n = sdPose_InvRotate(&toi->poseA, normal);
    double reach = sdDotD(n, sdConvexPair_Support(pair, n).w);
    return -reach - (double)pair->a.radius - (double)pair->b.radius - pair->supportError;
}

// ---- conservative advancement --------------------------------------------------------------

/// How the gap along a direction can change.
typedef struct Change {
    double speed; ///< it shrinks no faster than this
    double bend;  ///< its second derivative is between -bend and bend
} Change;

static Change changeAlong(const Toi* toi, sdVec3d normal) {
    const Body* a = &toi->a;
    const Body* b = &toi->b;
    double approach = -sdDotD(normal, sdSubD(b->velocity, a->velocity));
    double turnA = sdLengthD(sdCrossD(normal, a->spin)) * a->radius;
    double turnB = sdLengthD(sdCrossD(normal, b->spin)) * b->radius;
    return (Change){approach + turnA + turnB, a->rate * turnA + b->rate * turnB};
}

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
static double advance(Toi* toi, double t, double separation) {
    sdVec3d normal = toi->normal;
    Change change = changeAlong(toi, normal);
    double gap = gapAlong(toi, t, normal) - toi->target;
    double least = MEET * (separation - toi->target);
    gap = gap > least ? gap : least;
    double first = gap, from = t;
    for (int step = 0; step < MAX_AXIS_STEPS; ++step) {
        double rest = 1.0 - t;
        double sure = change.speed > 0.0 ? gap / change.speed : rest;
        if (sure >= rest) {
            return 1.0 - from;
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
        if (s < length || t >= 1.0 || end < 0.5 * first) {
            break;
        }
        gap = end;
    }
    return t - from;
}

/// The result at time t, for which toi->at stands.
static sdToiResult resultAt(const Toi* toi, sdToiState state, double t) {
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

static sdToiResult noContact(const Toi* toi) {
    return (sdToiResult){
        .time = 1.0f, .status = toi->status, .iterations = toi->iterations, .error = FLT_EPSILON};
}

static sdToiResult overlapped(Toi* toi) {
    measure(toi, 0.0, true);
    return resultAt(toi, SD_TOI_OVERLAPPED, 0.0);
}

static sdToiResult advanceConservatively(Toi* toi) {
    double t = 0.0;
    for (int step = 0; step < MAX_STEPS; ++step) {
        double separation = measure(toi, t, false);
        if (separation <= 0.0 && step == 0) {
            return overlapped(toi);
        }
        if (separation <= toi->target + toi->tolerance) {
            return resultAt(toi, SD_TOI_HIT, t);
        }
        t += advance(toi, t, separation);
        if (t >= 1.0) {
            return noContact(toi);
        }
    }
    // apart until t; whatever comes after is not known
    measure(toi, t, false);
    toi->status = SD_STATUS_LIMIT;
    return resultAt(toi, SD_TOI_HIT, t);
}

// ---- bisection and sub-steps ---------------------------------------------------------------

/// Corrected: the time is passed down, the bound takes both ends of the interval together, and the
/// number of intervals is limited, as in the worst case it is not logarithmic.
static sdToiResult bisect(Toi* toi) {
    double speed = maxSpeed(toi);
    double from = 0.0, atStart = measure(toi, 0.0, false);
    if (atStart <= 0.0) {
        return overlapped(toi);
    }
    uint32_t index = 0;
    int level = 0, count = 0;
    for (; count < MAX_INTERVALS; ++count) {
        if (atStart <= toi->target + toi->tolerance) {
            break;
        }
        double length = 1.0 / (double)(1u << level);
        double atEnd = measure(toi, from + length, false);
        if (atStart + atEnd > speed * length + 2.0 * toi->target) {
            // on to the next interval, as long as the tree allows
            index += 1;
            from = (double)index * length;
            atStart = atEnd;
            for (; level > 0 && (index & 1u) == 0; --level) {
                index >>= 1;
            }
            if (level == 0) {
                return noContact(toi);
            }
        } else if (level == MAX_LEVEL) {
            break;
        } else {
            level += 1;
            index <<= 1;
        }
    }
    toi->status = count == MAX_INTERVALS ? SD_STATUS_LIMIT : toi->status;
    measure(toi, from, false);
    return resultAt(toi, SD_TOI_HIT, from);
}

static sdToiResult subStep(Toi* toi, int count) {
    if (measure(toi, 0.0, false) <= 0.0) {
        return overlapped(toi);
    }
    double apart = 0.0, touching = -1.0;
    for (int i = 1; i <= count && touching < 0.0; ++i) {
        double t = (double)i / (double)count;
        bool isTouching = measure(toi, t, false) <= toi->target;
        apart = isTouching ? apart : t;
        touching = isTouching ? t : touching;
    }
    if (touching < 0.0) {
        return noContact(toi);
    }
    for (int i = 0; i < MAX_LEVEL; ++i) {
        double middle = 0.5 * (apart + touching);
        bool isTouching = measure(toi, middle, false) <= toi->target;
        apart = isTouching ? apart : middle;
        touching = isTouching ? middle : touching;
    }
    measure(toi, apart, false);
    sdToiResult result = resultAt(toi, SD_TOI_HIT, apart);
    // what happened between earlier sub-steps was not looked at
    result.error = result.time;
    return result;
}

// ---- swept volume --------------------------------------------------------------------------

/// Balls about the centres, swept along their lines, whatever the time.
static sdToiResult meetSwept(const Toi* toi) {
    sdVec3d endA = sdAddD(toi->a.center, toi->a.velocity);
    sdVec3d endB = sdAddD(toi->b.center, toi->b.velocity);
    // in double the nearest points of two segments would be needed; floats about A are near enough
    // with their rounding added
    sdVec3d origin = toi->a.center;
    sdVec3 none = sdV3(0.0f, 0.0f, 0.0f);
    sdVec3 a1 = sdVec3d_Round(toi->a.velocity);
    sdVec3 b0 = sdVec3d_Round(sdSubD(toi->b.center, origin));
    sdVec3 b1 = sdVec3d_Round(sdSubD(endB, origin));
    double distance = sqrt((double)sdClosestPointsOfSegments(none, a1, b0, b1).distanceSquared);
    double rounding =
        ROUNDING * (sdLengthD(sdSubD(endA, origin)) + (double)sdLength(b0) + (double)sdLength(b1));
    double reach = toi->a.radius + toi->b.radius + (double)toi->pair.a.radius +
                   (double)toi->pair.b.radius + toi->target;
    sdToiResult result = {.status = SD_STATUS_TOLERANCE, .iterations = 1, .error = 1.0f};
    if (distance > reach + rounding) {
        return noContact(toi);
    }
    result.state = SD_TOI_HIT;
    return result;
}

// ---- public --------------------------------------------------------------------------------

sdTransform sdSweep_Pose(const sdSweep* sweep, float t) {
    sdQuat q = sdMulQ(sdQuat_FromRotationVector(sdScale(t, sweep->rotation)), sweep->start.q);
    // at time 0 exactly the start
    sdVec3 swing = sdSub(sdRotate(sweep->start.q, sweep->center), sdRotate(q, sweep->center));
    return sdTransform_Make(sdAdd(sdMulAdd(sweep->start.p, t, sweep->translation), swing), q);
}

static bool init(Toi* toi, const sdToiInput* input) {
    if (input == NULL || !isUsable(&input->sweepA) || !isUsable(&input->sweepB) ||
        !(input->target >= 0.0f) || !sdIsFinite(input->target)) {
        return false;
    }
    if (!sdConvexPair_Init(&toi->pair, input->a, input->b, sdTransform_Identity())) {
        return false;
    }
    setBody(&toi->a, &input->sweepA, &toi->pair.a);
    setBody(&toi->b, &input->sweepB, &toi->pair.b);
    toi->cache = (sdPairCache){.count = 0};
    toi->target = input->target > 0.0f ? (double)input->target : TARGET * toi->pair.scale;
    double least = toi->target < TARGET * toi->pair.scale ? toi->target : TARGET * toi->pair.scale;
    toi->tolerance = MEET * least;
    toi->iterations = 0;
    toi->status = SD_STATUS_TOLERANCE;
    return true;
}

sdToiResult sdTimeOfImpact(const sdToiInput* input) {
    Toi toi;
    sdToiResult invalid = {.status = SD_STATUS_INVALID};
    if (!init(&toi, input)) {
        return invalid;
    }
    switch (input->method) {
        case SD_TOI_CONSERVATIVE:
            return advanceConservatively(&toi);
        case SD_TOI_BISECTION:
            return bisect(&toi);
        case SD_TOI_SUBSTEPS:
            return input->subStepCount > 0 ? subStep(&toi, input->subStepCount) : invalid;
        case SD_TOI_SWEPT_VOLUME:
            return meetSwept(&toi);
    }
    return invalid;
}
