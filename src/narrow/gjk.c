// SPDX-License-Identifier: MIT
// gjk.c - distance, overlap and penetration of convex shapes by GJK and EPA.

#include "narrow/gjk.h"

#include "geometry/hull.h"
#include "narrow/epa.h"
#include "narrow/hull_depth.h"
#include "narrow/hulls_overlap.h"

/// Between cores that are nearer than this fraction of their size, GJK's direction may be rounding
/// only: it is asked for a proof.
#define UNSURE 1e-5
/// Cores that overlap by less than this fraction of their size touch: EPA's deepest points may then
/// be rounding only, and a common point is as deep.
#define NEARLY_TOUCHING 5e-7

/// Points nearer than this fraction of the simplex are one: far below single precision.
#define SAME_POINT 1e-12

/// Hulls whose middles are nearer than this, on the way from where balls in them touch to where
/// balls about them do, are asked for their depth first: of those that touch nearly all are, of
/// those further apart one in ten.
#define NEAR_MIDDLES 0.75

/// Of the radii of balls in single precision.
#define BALL_ROUNDING 1e-6

void sdGjk_Witnesses(const sdSimplex* simplex, sdVec3d* pointA, sdVec3d* pointB) {
    sdVec3d a = sdV3d(0.0, 0.0, 0.0), w = a;
    // always three, those that are missing without weight: their number could not be foretold
    for (int i = 0; i < 3; ++i) {
        int at = i < simplex->count ? i : 0;
        double weight = simplex->weights[at] * (i < simplex->count ? 1.0 : 0.0);
        a = sdMulAddD(a, weight, simplex->points[at].a);
        w = sdMulAddD(w, weight, simplex->points[at].w);
    }
    if (simplex->count > 3) {
        a = sdMulAddD(a, simplex->weights[3], simplex->points[3].a);
        w = sdMulAddD(w, simplex->weights[3], simplex->points[3].w);
    }
    *pointA = a;
    *pointB = sdSubD(a, w);
}

/// Weights of thin tetrahedra lose their digits along the longest edge, where it shows most: shift
/// weight along it until the points that they give on A and on B agree as well as they can.
static void correctWeights(const sdMinkowskiPoint* p, double weights[4]) {
    sdVec3d off = sdV3d(0.0, 0.0, 0.0), edge = off;
    double size = 0.0;
    for (int i = 0; i < 4; ++i) {
        off = sdMulAddD(off, weights[i], p[i].w);
        size += sdDotD(p[i].w, p[i].w);
    }
    // nearly always they agree
    if (sdDotD(off, off) <= SAME_POINT * SAME_POINT * size) {
        return;
    }
    int from = 0, to = 0;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < i; ++j) {
            sdVec3d d = sdSubD(p[i].w, p[j].w);
            if (sdDotD(d, d) > sdDotD(edge, edge)) {
                edge = d;
                from = j;
                to = i;
            }
        }
    }
    double squared = sdDotD(edge, edge);
    double shift = squared > 0.0 ? -sdDotD(off, edge) / squared : 0.0;
    shift = fmin(fmax(shift, -weights[to]), weights[from]);
    weights[from] -= shift;
    weights[to] += shift;
}

sdVec3d sdGjk_CommonPoint(const sdSimplex* simplex) {
    const sdMinkowskiPoint* p = simplex->points;
    if (simplex->count < 4) {
        sdVec3d pointA, pointB;
        sdGjk_Witnesses(simplex, &pointA, &pointB);
        return pointA;
    }
    // weights of the origin by the volumes that it leaves opposite each corner
    double weights[4], sum = 0.0;
    for (int i = 0; i < 4; ++i) {
        sdVec3d u = p[(i + 1) & 3].w, v = p[(i + 2) & 3].w, w = p[(i + 3) & 3].w;
        weights[i] = fabs(sdDotD(u, sdCrossD(v, w)));
        sum += weights[i];
    }
    double share = sum > 0.0 ? 1.0 / sum : 0.0;
    for (int i = 0; i < 4; ++i) {
        weights[i] = sum > 0.0 ? weights[i] * share : 0.25;
    }
    correctWeights(p, weights);
    sdVec3d r = sdV3d(0.0, 0.0, 0.0);
    for (int i = 0; i < 4; ++i) {
        r = sdMulAddD(r, weights[i], p[i].a);
    }
    return r;
}

// ---- warm start ----------------------------------------------------------------------------

/// Point of a core by the index that its support function gave.
static bool findPoint(const sdConvex* convex, int index, sdVec3d* out) {
    if (index < 0) {
        return false;
    }
    if (convex->count > 0) {
        if (index >= convex->count) {
            return false;
        }
        *out = sdV3d((double)convex->x[index], (double)convex->y[index], (double)convex->z[index]);
        return true;
    }
    sdVec3d half = sdVec3d_From(convex->half);
    *out = sdV3d((index & 1) != 0 ? -half.x : half.x, (index & 2) != 0 ? -half.y : half.y,
                 (index & 4) != 0 ? -half.z : half.z);
    return index < 8 && convex->type != SD_SHAPE_CYLINDER && convex->type != SD_SHAPE_CONE;
}

void sdGjk_LoadCache(const sdConvexPair* pair, const sdPairCache* cache, sdSimplex* simplex) {
    simplex->count = 0;
    if (cache == NULL || cache->kind != SD_CACHE_GJK || cache->count > 3) {
        return;
    }
    for (int i = 0; i < cache->count; ++i) {
        sdVec3d a, b;
        if (!findPoint(&pair->a, cache->indexA[i], &a) ||
            !findPoint(&pair->b, cache->indexB[i], &b)) {
            simplex->count = 0;
            return;
        }
        sdVec3d w = sdSubD(a, sdConvexPair_ToA(pair, b));
        simplex->points[simplex->count++] =
            (sdMinkowskiPoint){w, a, cache->indexA[i], cache->indexB[i]};
    }
}

void sdGjk_StoreCache(const sdConvexPair* pair, const sdGjkOutput* output, sdPairCache* cache) {
    (void)pair;
    if (cache == NULL) {
        return;
    }
    const sdSimplex* simplex = &output->simplex;
    cache->kind = SD_CACHE_GJK;
    cache->count = 0;
    cache->axis = sdNormalize(sdVec3d_Round(sdScaleD(-1.0, output->v)));
    // four points contain the origin: any three of them are a good start
    for (int i = 0; i < simplex->count && cache->count < 3; ++i) {
        int indexA = simplex->points[i].indexA, indexB = simplex->points[i].indexB;
        // smooth shapes and huge hulls remember the axis only
        if (indexA >= 0 && indexB >= 0 && indexA <= UINT16_MAX && indexB <= UINT16_MAX) {
            cache->indexA[cache->count] = (uint16_t)indexA;
            cache->indexB[cache->count] = (uint16_t)indexB;
            cache->count += 1;
        }
    }
}

/// From the middle of A to the middle of B.
static sdVec3d middleToMiddle(const sdConvexPair* pair) {
    sdVec3d middleB = sdConvexPair_ToA(pair, sdVec3d_From(pair->b.inside));
    return sdSubD(middleB, sdVec3d_From(pair->a.inside));
}

static bool hasAxis(const sdPairCache* cache) {
    return cache != NULL && cache->kind == SD_CACHE_GJK && sdVec3_IsFinite(cache->axis) &&
           sdLengthSquared(cache->axis) > 0.0f;
}

/// The remembered axis, or one from A to B.
static sdVec3d startDirection(sdVec3d toB, const sdPairCache* cache) {
    if (hasAxis(cache)) {
        return sdVec3d_From(cache->axis);
    }
    return sdDotD(toB, toB) > 0.0 ? toB : sdV3d(1.0, 0.0, 0.0);
}

/// Of the ball about the middle of A - B that is in it, radii apart; 0 when not known.
static double innerRadius(const sdConvexPair* pair) {
    return ((double)pair->a.inner + (double)pair->b.inner) * (1.0 - BALL_ROUNDING);
}

// ---- results -------------------------------------------------------------------------------

sdSeparation sdPairResult_Round(const sdPairResult* result, bool wantsDepth) {
    bool isCommon = result->separation <= 0.0 && !wantsDepth;
    const sdVec3d* pointA = isCommon ? &result->common : &result->pointA;
    const sdVec3d* pointB = isCommon ? &result->common : &result->pointB;
    sdVec3 none = {0.0f, 0.0f, 0.0f};
    return (sdSeparation){
        .separation = isCommon ? 0.0f : (float)result->separation,
        // bodies with a common point have no direction in which they are apart
        .normal = isCommon ? none : sdVec3d_Round(result->normal),
        .pointA = sdV3((float)pointA->x, (float)pointA->y, (float)pointA->z),
        .pointB = sdV3((float)pointB->x, (float)pointB->y, (float)pointB->z),
        .childA = SD_NULL_INDEX,
        .childB = SD_NULL_INDEX,
        .status = result->status,
        .iterations = result->iterations,
        .error = (float)result->error,
    };
}

/// Add the rounding radii to what was found for the cores.
static void addRadii(const sdConvexPair* pair, sdPairResult* out) {
    double radiusA = (double)pair->a.radius, radiusB = (double)pair->b.radius;
    // between the cores, within the radius of each
    double d = out->separation > 0.0 ? out->separation : 0.0;
    double from = d > radiusB ? d - radiusB : 0.0, to = d < radiusA ? d : radiusA;
    out->common = sdMulAddD(out->common, 0.5 * (from + to), out->normal);
    out->separation -= radiusA + radiusB;
    out->pointA = sdMulAddD(out->pointA, radiusA, out->normal);
    out->pointB = sdMulAddD(out->pointB, -radiusB, out->normal);
    out->error += sdPairResult_Rounding(pair->scale + sdLengthD(pair->offset));
}

static void setSeparation(const sdConvexPair* pair, const sdGjkOutput* gjk, sdPairResult* out) {
    sdVec3d pointA, pointB;
    sdGjk_Witnesses(&gjk->simplex, &pointA, &pointB);
    // v is better than the weights, where the simplex is thin
    sdVec3d off = sdSubD(sdSubD(pointA, gjk->v), pointB);
    out->common = pointA;
    out->pointA = sdMulAddD(pointA, -0.5, off);
    out->pointB = sdMulAddD(pointB, 0.5, off);
    out->normal = sdScaleD(-1.0 / gjk->distance, gjk->v);
    out->separation = gjk->distance;
    out->error = gjk->distance - gjk->lowerBound;
    out->indexA = gjk->simplex.points[0].indexA;
    out->indexB = gjk->simplex.points[0].indexB;
    addRadii(pair, out);
}

/// The gap along GJK's direction is the distance.
static bool isProved(const sdConvexPair* pair, const sdGjkOutput* gjk) {
    sdMinkowskiPoint furthest = sdConvexPair_Support(pair, sdScaleD(-1.0, gjk->v));
    double gap = sdDotD(gjk->v, furthest.w) / gjk->distance;
    return gap >= gjk->distance - sdPairResult_Rounding(pair->scale);
}

static void setPenetration(const sdConvexPair* pair, const sdGjkOutput* gjk, const sdEpaOutput* epa,
                           sdPairResult* out) {
    out->separation = -epa->depth;
    out->normal = epa->normal;
    out->pointA = epa->pointA;
    out->pointB = epa->pointB;
    out->common = epa->pointB;
    if (epa->depth <= NEARLY_TOUCHING * pair->scale) {
        out->common = sdGjk_CommonPoint(&gjk->simplex);
        // a common point is no deeper in either than the depth
        out->pointA = sdMulAddD(out->common, 0.5 * epa->depth, epa->normal);
        out->pointB = sdMulAddD(out->common, -0.5 * epa->depth, epa->normal);
    }
    out->status = epa->status;
    out->error = epa->error + gjk->distance;
    out->indexA = epa->indexA;
    out->indexB = epa->indexB;
    out->iterations += epa->iterations;
    addRadii(pair, out);
}

/// Cores that overlap, when the depth is not asked for.
static void setOverlap(const sdConvexPair* pair, const sdGjkOutput* gjk, sdPairResult* out) {
    out->common = sdGjk_CommonPoint(&gjk->simplex);
    out->separation = 0.0;
    out->normal = sdV3d(0.0, 1.0, 0.0);
    out->pointA = out->common;
    out->pointB = out->common;
    out->indexA = SD_NULL_INDEX;
    out->indexB = SD_NULL_INDEX;
    out->error = gjk->distance;
    addRadii(pair, out);
}

/// Balls that are in both cores meet: GJK's answer without GJK.
static void setCommonBall(const sdConvexPair* pair, sdVec3d toB, sdGjkOutput* gjk) {
    double innerA = (double)pair->a.inner, innerB = (double)pair->b.inner;
    sdVec3d common = sdMulAddD(sdVec3d_From(pair->a.inside), innerA / (innerA + innerB), toB);
    sdVec3d zero = sdV3d(0.0, 0.0, 0.0);
    gjk->v = zero;
    gjk->distance = 0.0;
    gjk->lowerBound = 0.0;
    gjk->isOverlapping = true;
    gjk->iterations = 0;
    gjk->status = SD_STATUS_EXACT;
    gjk->simplex.points[0] = (sdMinkowskiPoint){zero, common, SD_NULL_INDEX, SD_NULL_INDEX};
    gjk->simplex.weights[0] = 1.0;
    gjk->simplex.count = 1;
}

/// Bodies that overlap so much that there is no need for GJK.
/// @param memory see sdEpa_Run
/// @return false when they do not; gjk->simplex is then a start for GJK
static bool separateDeep(const sdConvexPair* pair, const sdEpaStart* start, sdPairCache* cache,
                         sdPairPolytope* memory, sdGjkOutput* gjk, sdPairResult* out) {
    sdEpaOutput epa;
    if (!SD_DISPATCH(sdEpa_RunDeep)(pair, start, &gjk->simplex, memory, &epa)) {
        return false;
    }
    gjk->distance = 0.0;
    out->isDeep = true;
    out->iterations = 1;
    setPenetration(pair, gjk, &epa, out);
    if (cache != NULL) {
        cache->kind = SD_CACHE_GJK;
        cache->count = 0;
        cache->axis = sdVec3d_Round(epa.normal);
    }
    return true;
}

/// What is asked of bodies that overlap.
typedef enum Depth { DEPTH_NONE, DEPTH_BEST, DEPTH_BY_EPA } Depth;

/// What GJK has found, or, where bodies overlap, EPA.
/// @param memory see sdEpa_Run
SD_INLINE void setResult(const sdConvexPair* pair, const sdGjkOutput* gjk, bool wantsDepth,
                         sdPairPolytope* memory, sdPairResult* out) {
    out->status = gjk->status;
    out->iterations = gjk->iterations;
    bool isUnsure =
        !gjk->isOverlapping && gjk->distance <= UNSURE * pair->scale && !isProved(pair, gjk);
    out->isDeep = gjk->isOverlapping || isUnsure;
    if (!out->isDeep) {
        setSeparation(pair, gjk, out);
    } else if (wantsDepth) {
        sdEpaOutput epa;
        SD_DISPATCH(sdEpa_Run)(pair, &gjk->simplex, memory, &epa);
        setPenetration(pair, gjk, &epa, out);
    } else {
        setOverlap(pair, gjk, out);
    }
}

/// @param memory see sdEpa_Run
static void separate(const sdConvexPair* pair, Depth depth, double stopAbove, sdPairCache* cache,
                     sdPairPolytope* memory, sdPairResult* out) {
    sdGjkOutput gjk;
    bool wantsDepth = depth != DEPTH_NONE;
    double radii = (double)pair->a.radius + (double)pair->b.radius;
    sdVec3d toB = middleToMiddle(pair), start = startDirection(toB, cache);
    // bodies that were apart probably still are
    bool wantsCommon = !wantsDepth && !hasAxis(cache);
    double inner = wantsCommon ? innerRadius(pair) : 0.0;
    gjk.simplex.count = 0;
    if (cache != NULL) {
        sdGjk_LoadCache(pair, cache, &gjk.simplex);
    }
    bool isFirst = gjk.simplex.count == 0;
    // most pairs that a limit is given for are further apart, and the first axis tells
    if (isFirst && stopAbove < DBL_MAX &&
        SD_DISPATCH(sdGjk_RunApart)(pair, &start, stopAbove + radii, &gjk)) {
        sdGjk_StoreCache(pair, &gjk, cache);
        out->status = gjk.status;
        out->iterations = gjk.iterations;
        out->isDeep = false;
        setSeparation(pair, &gjk, out);
        return;
    }
    // what could not be remembered last time will not be next time either
    bool isForgotten = memory != NULL && memory->vertexCount == SD_EPA_TOO_MANY;
    bool isOnce = depth == DEPTH_BEST && (cache == NULL || isForgotten);
    if (wantsDepth && (isFirst || isOnce)) {
        const sdEpaStart deep = {start, sdScaleD(-1.0, toB), innerRadius(pair), isOnce};
        if (separateDeep(pair, &deep, cache, memory, &gjk, out)) {
            return;
        }
    }
    if (wantsCommon && sdDotD(toB, toB) < inner * inner) {
        setCommonBall(pair, toB, &gjk);
    } else {
        sdVec3d middle = sdScaleD(-1.0, toB);
        SD_DISPATCH(sdGjk_Run)(pair, &start, stopAbove + radii, &middle, inner, &gjk);
    }
    if (cache != NULL) {
        sdGjk_StoreCache(pair, &gjk, cache);
    }
    setResult(pair, &gjk, wantsDepth, memory, out);
}

void sdGjk_Separate(const sdConvexPair* pair, bool wantsDepth, double stopAbove, sdPairCache* cache,
                    sdPairResult* out) {
    separate(pair, wantsDepth ? DEPTH_BEST : DEPTH_NONE, stopAbove, cache, NULL, out);
}

/// By what proved the depth in the last query.
static bool separateAsBefore(const sdConvexPair* pair, const sdPairPolytope* memory,
                             sdPairResult* out) {
    sdEpaOutput epa;
    if (!SD_DISPATCH(sdEpa_Recall)(pair, memory, &epa)) {
        return false;
    }
    // deeper than what a common point is asked for
    const sdGjkOutput gjk = {.distance = 0.0};
    out->isDeep = true;
    out->iterations = 0;
    setPenetration(pair, &gjk, &epa, out);
    return true;
}

/// @param nearest see sdGjk_RunOverlap
static bool areOverlapping(const sdConvexPair* pair, const int nearest[2], sdPairCache* cache,
                           sdStatus* status, int* iterations) {
    double radii = (double)pair->a.radius + (double)pair->b.radius;
    double inner = innerRadius(pair) + radii * (1.0 - BALL_ROUNDING);
    double outer = ((double)pair->a.outer + (double)pair->b.outer + radii) * (1.0 + BALL_ROUNDING);
    sdVec3d toB = middleToMiddle(pair);
    double squared = sdDotD(toB, toB);
    *status = SD_STATUS_EXACT;
    *iterations = 0;
    if (squared > outer * outer || squared <= inner * inner) {
        return squared <= inner * inner;
    }
    sdGjkOutput gjk;
    sdVec3d start = startDirection(toB, cache), middle = sdScaleD(-1.0, toB);
    sdGjk_LoadCache(pair, cache, &gjk.simplex);
    bool isOverlapping =
        SD_DISPATCH(sdGjk_RunOverlap)(pair, &start, nearest, &middle, inner, cache == NULL, &gjk);
    sdGjk_StoreCache(pair, &gjk, cache);
    *status = gjk.status;
    *iterations = gjk.iterations;
    return isOverlapping;
}

static bool areSmallHulls(const sdConvexPair* pair) {
    const sdHull *a = pair->a.hull, *b = pair->b.hull;
    return a != NULL && b != NULL && a->planeSoa != NULL && b->planeSoa != NULL;
}

/// Hulls that are apart, from vertices about where they are nearest.
/// @param at vertices of A and of B that make three points of A - B
SD_NOINLINE void separateParted(const sdConvexPair* pair, const int at[3][2], sdPairResult* out) {
    sdGjkOutput gjk;
    sdVec3d zero = sdV3d(0.0, 0.0, 0.0);
    for (int i = 0; i < 3; ++i) {
        sdVec3d a, b;
        findPoint(&pair->a, at[i][0], &a);
        findPoint(&pair->b, at[i][1], &b);
        sdVec3d w = sdSubD(a, sdConvexPair_ToA(pair, b));
        gjk.simplex.points[i] = (sdMinkowskiPoint){w, a, at[i][0], at[i][1]};
    }
    gjk.simplex.count = 3;
    SD_DISPATCH(sdGjk_Run)(pair, &zero, DBL_MAX, &zero, 0.0, &gjk);
    setResult(pair, &gjk, true, NULL, out);
}

/// Small hulls of which nothing is known and that may touch: by their axes, whether they overlap or
/// are just apart.
/// @return false when they have to be asked as all others are
SD_NOINLINE bool separateHulls(const sdConvexPair* pair, sdSeparation* out) {
    sdVec3d toB = middleToMiddle(pair);
    double inner = innerRadius(pair), outer = (double)pair->a.outer + (double)pair->b.outer;
    double near = inner + NEAR_MIDDLES * (outer - inner);
    if (!(sdDotD(toB, toB) < near * near)) {
        return false;
    }
    sdEpaOutput epa;
    int nearest[3][2];
    sdDepthVerdict verdict = SD_DISPATCH(sdHulls_Depth)(pair, nearest, &epa);
    if (verdict == SD_DEPTH_PARTED) {
        sdPairResult result;
        separateParted(pair, (const int(*)[2])nearest, &result);
        *out = sdPairResult_Round(&result, true);
        return true;
    }
    if (verdict != SD_DEPTH_FOUND && verdict != SD_DEPTH_APART) {
        return false;
    }
    *out = (sdSeparation){
        .separation = (float)-epa.depth,
        .normal = sdVec3d_Round(epa.normal),
        .pointA = sdVec3d_Round(epa.pointA),
        .pointB = sdVec3d_Round(epa.pointB),
        .childA = SD_NULL_INDEX,
        .childB = SD_NULL_INDEX,
        .status = epa.status,
        .iterations = epa.iterations,
        .error = (float)(epa.error + sdPairResult_Rounding(pair->scale + sdLengthD(pair->offset))),
    };
    return true;
}

/// Inline: see sdGjk_SeparateShapes of the transform.
SD_INLINE sdSeparation separateShapes(const sdShape* a, const sdShape* b, const sdTransform* xfAB,
                                      Depth depth, sdPairCache* cache) {
    bool wantsDepth = depth != DEPTH_NONE;
    sdConvexPair pair;
    if (!sdConvexPair_Set(&pair, a, b, xfAB)) {
        return sdSeparation_Invalid();
    }
    sdPairResult result;
    sdPairPolytope* memory = wantsDepth && cache != NULL ? &cache->polytope : NULL;
    if (memory != NULL && memory->faceCount > 0) {
        if (separateAsBefore(&pair, memory, &result)) {
            return sdPairResult_Round(&result, true);
        }
        memory->faceCount = 0;
    }
    if (depth == DEPTH_BEST && cache == NULL && areSmallHulls(&pair)) {
        sdSeparation answer;
        if (separateHulls(&pair, &answer)) {
            return answer;
        }
        depth = DEPTH_BY_EPA;
    }
    separate(&pair, depth, DBL_MAX, cache, memory, &result);
    return sdPairResult_Round(&result, wantsDepth);
}

sdSeparation sdGjk_SeparateShapes(const sdShape* a, const sdShape* b, const sdTransform* xfAB,
                                  bool wantsDepth, sdPairCache* cache) {
    return separateShapes(a, b, xfAB, wantsDepth ? DEPTH_BEST : DEPTH_NONE, cache);
}

/// Balls about the origins of both frames are apart.
static bool areFar(const sdConvexPair* pair, sdVec3 offset) {
    double reach = pair->scale * (1.0 + BALL_ROUNDING);
    sdVec3d p = sdVec3d_From(offset);
    return sdDotD(p, p) > reach * reach;
}

static bool areHulls(const sdShape* a, const sdShape* b) {
    return a != NULL && b != NULL && a->type == SD_SHAPE_HULL && b->type == SD_SHAPE_HULL &&
           a->hull != NULL && b->hull != NULL;
}

/// Vertices are looked at without a loop.
static bool areSmall(const sdHull* a, const sdHull* b) {
    return a->soaStride <= SD_SCAN_AT_ONCE && b->soaStride <= SD_SCAN_AT_ONCE;
}

/// Out of the way of those that are judged at once.
static __attribute__((noinline)) sdOverlapResult
overlapOfAny(const sdShape* a, const sdShape* b, const sdTransform* xfAB, sdPairCache* cache) {
    bool isOfHulls = areHulls(a, b);
    int nearest[2] = {SD_NULL_INDEX, SD_NULL_INDEX};
    // nearly all hulls that are apart are so on the first axis, and floats tell
    if (isOfHulls) {
        const sdVec3* axis = hasAxis(cache) ? &cache->axis : NULL;
        sdHullVerdict verdict =
            SD_DISPATCH(sdHulls_Judge)(a->hull, b->hull, xfAB, axis, 0.0f, nearest);
        if (verdict != SD_HULLS_UNSURE) {
            return (sdOverlapResult){verdict == SD_HULLS_OVERLAPPING, SD_STATUS_EXACT, 1};
        }
    }
    sdConvexPair pair;
    if (!sdConvexPair_SetShapes(&pair, a, b, xfAB)) {
        return (sdOverlapResult){false, SD_STATUS_INVALID, 0};
    }
    if (!isOfHulls && areFar(&pair, xfAB->p)) {
        return (sdOverlapResult){false, SD_STATUS_EXACT, 0};
    }
    sdConvexPair_SetPose(&pair, xfAB);
    sdStatus status;
    int iterations;
    bool isOverlapping = areOverlapping(&pair, nearest, cache, &status, &iterations);
    return (sdOverlapResult){isOverlapping, status, iterations};
}

/// Small hulls that floats could not tell of.
/// @param start see sdHulls_Overlap
static __attribute__((noinline)) sdOverlapResult
overlapOfFour(const sdShape* a, const sdShape* b, const sdTransform* xfAB, const int start[4][2]) {
    sdConvexPair pair;
    if (start[0][0] == SD_NULL_INDEX || !sdConvexPair_Set(&pair, a, b, xfAB)) {
        return overlapOfAny(a, b, xfAB, NULL);
    }
    sdGjkOutput gjk;
    bool isOverlapping = SD_DISPATCH(sdGjk_RunFour)(&pair, start, &gjk);
    return (sdOverlapResult){isOverlapping, gjk.status, gjk.iterations};
}

sdOverlapResult sdGjk_OverlapShapes(const sdShape* a, const sdShape* b, const sdTransform* xfAB,
                                    sdPairCache* cache) {
    if (!areHulls(a, b) || !areSmall(a->hull, b->hull)) {
        return overlapOfAny(a, b, xfAB, cache);
    }
    int start[4][2];
    bool isKnown = cache != NULL && cache->kind == SD_CACHE_GJK;
    sdHullVerdict verdict = SD_HULLS_UNSURE;
    // floats tell of nearly all that are not just touching
    if (cache == NULL) {
        verdict = SD_DISPATCH(sdHulls_Overlap)(a->hull, b->hull, xfAB, start);
    } else if (!isKnown || hasAxis(cache)) {
        verdict =
            SD_DISPATCH(sdHulls_JudgeSmall)(a->hull, b->hull, xfAB, isKnown ? &cache->axis : NULL);
    }
    if (verdict != SD_HULLS_UNSURE) {
        return (sdOverlapResult){verdict == SD_HULLS_OVERLAPPING, SD_STATUS_EXACT, 1};
    }
    return cache == NULL ? overlapOfFour(a, b, xfAB, (const int(*)[2])start)
                         : overlapOfAny(a, b, xfAB, cache);
}

sdSeparation sdGjk_Distance(const sdShape* a, const sdShape* b, sdTransform xfAB,
                            sdPairCache* cache) {
    return sdGjk_SeparateShapes(a, b, &xfAB, false, cache);
}

sdSeparation sdEpa_Penetration(const sdShape* a, const sdShape* b, sdTransform xfAB,
                               sdPairCache* cache) {
    return separateShapes(a, b, &xfAB, DEPTH_BY_EPA, cache);
}

sdOverlapResult sdGjk_Overlap(const sdShape* a, const sdShape* b, sdTransform xfAB,
                              sdPairCache* cache) {
    return sdGjk_OverlapShapes(a, b, &xfAB, cache);
}
