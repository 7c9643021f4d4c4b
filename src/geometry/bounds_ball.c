// SPDX-License-Identifier: MIT
// bounds_ball.c - bounding balls: around the box, around the mean, the smallest one.
//
// In:   points.
// Out:  a ball that contains every point by sdBall_ContainsPoint.
// Ref:  Welzl, "Smallest enclosing disks (balls and ellipsoids)", 1991;
//       Gaertner, "Fast and robust smallest enclosing balls", ESA 1999.
// Note: pivoting (take the farthest point in, drop what it makes superfluous) ends after a handful
//       of passes over the points on all that was measured, but nothing proves it. After
//       PIVOT_PASS_LIMIT passes Welzl's algorithm, of expected linear time, takes over.

#include "base/memory.h"
#include "geometry/bounds.h"

/// Passes over the points. Everything from ten points to a million, on a sphere or not, took 2
/// to 13.
#define PIVOT_PASS_LIMIT 48

/// Relative, of the squared radius. A point so little outside is left to the rounding of the radius
/// to float, which is 100 000 times as coarse.
#define SETTLED 1e-12

/// Relative. A distance and a sum in double are off by less, and so is sdBall_ContainsPoint: a
/// point in one ball is in the union of two.
#define UNION_ROUNDING 2e-15

/// Seed of the fixed shuffle; any other would do.
#define SHUFFLE_SEED 0x9E3779B97F4A7C15ull

/// The most points that a smallest ball in space rests on.
#define SUPPORT_MAX 4

typedef struct Support {
    sdVec3d points[SUPPORT_MAX];
    int count;
} Support;

static double distanceSquared(sdVec3d a, sdVec3d b) {
    sdVec3d d = sdSubD(a, b);
    return sdDotD(d, d);
}

/// The ball through 1 to 4 points whose centre lies in their affine hull.
/// @return false when they are not affinely independent
static bool circumscribe(const Support* support, sdSphered* out) {
    sdVec3d origin = support->points[0];
    sdVec3d a = {0}, b = {0}, c = {0};
    sdVec3d toCenter = {0};
    double scale = 1.0;
    if (support->count > 1) {
        a = sdSubD(support->points[1], origin);
        toCenter = sdScaleD(0.5, a);
    }
    if (support->count > 2) {
        b = sdSubD(support->points[2], origin);
        sdVec3d n = sdCrossD(a, b);
        scale = 2.0 * sdDotD(n, n);
        sdVec3d ab = sdSubD(sdScaleD(sdDotD(a, a), b), sdScaleD(sdDotD(b, b), a));
        toCenter = sdCrossD(ab, n);
    }
    if (support->count > 3) {
        c = sdSubD(support->points[3], origin);
        sdVec3d bc = sdCrossD(b, c);
        scale = 2.0 * sdDotD(a, bc);
        toCenter = sdScaleD(sdDotD(a, a), bc);
        toCenter = sdMulAddD(toCenter, sdDotD(b, b), sdCrossD(c, a));
        toCenter = sdMulAddD(toCenter, sdDotD(c, c), sdCrossD(a, b));
    }
    toCenter = sdScaleD(1.0 / scale, toCenter);
    out->center = sdAddD(origin, toCenter);
    out->squared = sdDotD(toCenter, toCenter);
    // also false for NaN: 0 / 0 of points on a line or in a plane
    return out->squared <= DBL_MAX;
}

// ---- pivoting ------------------------------------------------------------------------------

static double radiusAround(sdVec3d center, const sdVec3d* points, int count) {
    double squared = 0.0;
    for (int i = 0; i < count; ++i) {
        double d = distanceSquared(points[i], center);
        squared = d > squared ? d : squared;
    }
    return squared;
}

/// The smallest ball of at most four points and one more that lies on its surface: the best of all
/// balls through the new point and some of the others. Each is judged by the radius that it needs
/// to hold all five, so that no tolerance is involved and bad supports lose by themselves.
static sdSphered takeIn(Support* support, sdVec3d p) {
    sdVec3d all[SUPPORT_MAX + 1];
    memcpy(all, support->points, sizeof support->points);
    int oldCount = support->count;
    all[oldCount] = p;
    sdSphered best = {p, INFINITY};
    for (int subset = 0; subset < 1 << oldCount; ++subset) {
        Support trial = {.points = {p}, .count = 1};
        for (int i = 0; i < oldCount && trial.count < SUPPORT_MAX; ++i) {
            if (subset >> i & 1) {
                trial.points[trial.count++] = all[i];
            }
        }
        sdSphered sphere;
        if (circumscribe(&trial, &sphere)) {
            sphere.squared = radiusAround(sphere.center, all, oldCount + 1);
            if (sphere.squared < best.squared) {
                best = sphere;
                *support = trial;
            }
        }
    }
    return best;
}

bool sdBall_Pivot(const sdVec3* points, int count, int* passes, sdSphered* out) {
    Support support = {.points = {sdVec3d_From(points[0])}, .count = 1};
    sdSphered ball = {support.points[0], 0.0};
    bool isSettled = false;
    int passCount = 0;
    while (passCount < *passes && !isSettled) {
        passCount += 1;
        double farthest;
        int index = SD_DISPATCH(sdPoints_Farthest)(points, count, ball.center, &farthest);
        isSettled = farthest <= ball.squared * (1.0 + SETTLED);
        if (!isSettled) {
            sdSphered grown = takeIn(&support, sdVec3d_From(points[index]));
            // each ball is larger than the last, until rounding has the final word
            isSettled = !(grown.squared > ball.squared);
            ball = isSettled ? ball : grown;
        }
    }
    *passes = passCount;
    *out = ball;
    return isSettled;
}

// ---- Welzl ---------------------------------------------------------------------------------

typedef struct Welzl {
    sdVec3* points;
    Support support;
    sdSphered ball;
} Welzl;

static void shuffle(sdVec3* points, int count) {
    uint64_t state = SHUFFLE_SEED;
    for (int i = count - 1; i > 0; --i) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        int j = (int)(((state >> 32) * (uint64_t)(i + 1)) >> 32);
        sdVec3 p = points[i];
        points[i] = points[j];
        points[j] = p;
    }
}

/// The smallest ball of the first `end` points with the support on its surface, which is where the
/// ball stands when this is called. Each level adds one to the support: at most four levels.
static void enclose(Welzl* w, int end) {
    if (w->support.count == SUPPORT_MAX) {
        return;
    }
    for (int i = 0; i < end; ++i) {
        sdVec3 p = w->points[i];
        sdVec3d pd = sdVec3d_From(p);
        if (distanceSquared(pd, w->ball.center) <= w->ball.squared * (1.0 + SETTLED)) {
            continue;
        }
        sdSphered old = w->ball;
        w->support.points[w->support.count++] = pd;
        if (circumscribe(&w->support, &w->ball)) {
            enclose(w, i);
        } else {
            w->ball = old;
        }
        w->support.count -= 1;
        // points that once decided will do so again: look at them first
        memmove(w->points + 1, w->points, (size_t)i * sizeof *w->points);
        w->points[0] = p;
    }
}

sdSphered sdBall_Welzl(sdVec3* points, int count) {
    shuffle(points, count);
    Welzl w = {.points = points, .ball = {sdVec3d_From(points[0]), 0.0}};
    enclose(&w, count);
    return w.ball;
}

// ---- public --------------------------------------------------------------------------------

/// The ball around a centre, which is rounded to float first.
static sdResult surround(const sdVec3* points, int count, sdVec3d center, sdBall* out) {
    sdBall ball = {sdVec3d_Round(center), 0.0f};
    double squared;
    SD_DISPATCH(sdPoints_Farthest)(points, count, sdVec3d_From(ball.center), &squared);
    ball.radius = sdRoundUp(sqrt(squared));
    if ((double)ball.radius * (double)ball.radius < squared) {
        ball.radius = nextafterf(ball.radius, INFINITY);
    }
    if (!sdIsFinite(ball.radius)) {
        return SD_ERROR_LIMIT;
    }
    *out = ball;
    return SD_OK;
}

sdResult sdBall_FitInPasses(const sdContext* context, const sdVec3* points, int count, int passes,
                            sdBall* out) {
    sdSphered ball;
    bool isSettled = sdBall_Pivot(points, count, &passes, &ball);
    sdResult result = surround(points, count, ball.center, out);
    if (isSettled || result != SD_OK) {
        return result;
    }
    size_t size = (size_t)count * sizeof *points;
    sdVec3* copy = sdAlloc(&context->allocator, size);
    if (copy == NULL) {
        return sdFailMemory(context, "sdBall_FitSmallest", size);
    }
    memcpy(copy, points, size);
    ball = sdBall_Welzl(copy, count);
    sdFree(&context->allocator, copy, size);
    sdBall other;
    if (surround(points, count, ball.center, &other) == SD_OK && other.radius < out->radius) {
        *out = other;
    }
    return SD_OK;
}

/// SD_OK when there are points and all are finite.
static sdResult boxOf(const sdVec3* points, int count, const sdBall* out, sdAABB* box) {
    return out == NULL ? SD_ERROR_INVALID_ARGUMENT : sdAABB_Fit(points, count, box);
}

sdResult sdBall_FitBox(const sdVec3* points, int count, sdBall* out) {
    sdAABB box;
    sdResult result = boxOf(points, count, out, &box);
    if (result != SD_OK) {
        return result;
    }
    sdVec3d sum = sdAddD(sdVec3d_From(box.lower), sdVec3d_From(box.upper));
    return surround(points, count, sdScaleD(0.5, sum), out);
}

sdResult sdBall_FitCentroid(const sdVec3* points, int count, sdBall* out) {
    sdAABB box;
    sdResult result = boxOf(points, count, out, &box);
    if (result != SD_OK) {
        return result;
    }
    sdVec3d sum = {0};
    for (int i = 0; i < count; ++i) {
        sum = sdAddD(sum, sdVec3d_From(points[i]));
    }
    return surround(points, count, sdScaleD(1.0 / (double)count, sum), out);
}

sdResult sdBall_FitSmallest(const sdContext* context, const sdVec3* points, int count,
                            sdBall* out) {
    sdContext resolved;
    sdResult result = sdContext_Resolve(context, &resolved);
    if (result != SD_OK) {
        return result;
    }
    sdAABB box;
    result = boxOf(points, count, out, &box);
    if (result != SD_OK) {
        return sdFail(&resolved, result,
                      "sdBall_FitSmallest: needs one or more points, all finite, and out");
    }
    result = sdBall_FitInPasses(&resolved, points, count, PIVOT_PASS_LIMIT, out);
    if (result == SD_ERROR_LIMIT) {
        return sdFail(&resolved, result, "sdBall_FitSmallest: the radius is over FLT_MAX");
    }
    return result;
}

bool sdBall_Overlaps(sdBall a, sdBall b) {
    double reach = (double)a.radius + (double)b.radius;
    return distanceSquared(sdVec3d_From(a.center), sdVec3d_From(b.center)) <= reach * reach;
}

bool sdBall_ContainsPoint(sdBall ball, sdVec3 p) {
    double radius = (double)ball.radius;
    return distanceSquared(sdVec3d_From(p), sdVec3d_From(ball.center)) <= radius * radius;
}

float sdBall_Volume(sdBall ball) {
    double r = (double)ball.radius;
    return (float)(4.0 / 3.0 * 3.14159265358979323846 * r * r * r);
}

sdBall sdBall_Union(sdBall a, sdBall b) {
    sdVec3d ca = sdVec3d_From(a.center), cb = sdVec3d_From(b.center);
    double ra = (double)a.radius, rb = (double)b.radius;
    double distance = sqrt(distanceSquared(ca, cb));
    if (distance == 0.0 || (distance + rb) * (1.0 + UNION_ROUNDING) <= ra) {
        return ra >= rb ? a : b;
    }
    if ((distance + ra) * (1.0 + UNION_ROUNDING) <= rb) {
        return b;
    }
    // on the line of centres, halfway between the two far ends
    double t = 0.5 * (distance + rb - ra) / distance;
    sdBall ball = {sdVec3d_Round(sdMulAddD(ca, t, sdSubD(cb, ca))), 0.0f};
    sdVec3d center = sdVec3d_From(ball.center);
    double reachA = sqrt(distanceSquared(center, ca)) + ra;
    double reachB = sqrt(distanceSquared(center, cb)) + rb;
    ball.radius = sdRoundUp((reachA > reachB ? reachA : reachB) * (1.0 + UNION_ROUNDING));
    return ball;
}
