// SPDX-License-Identifier: MIT
// pair_table.c - which algorithm answers for which two types of shapes.
//
// In:   two shapes, B's pose in A's frame.
// Out:  overlap, nearest points, depth. Never allocates.
// Note: the table names the best algorithm that was measured for each pair. What is symmetric is
//       written for one order only; the mirror image is made in double.

#include "geometry/hull.h"
#include "narrow/collide_boxes.h"
#include "narrow/collide_mesh.h"
#include "narrow/gjk.h"
#include "narrow/sat_box.h"

/// How a pair is answered for.
typedef enum Route {
    ROUTE_NONE,   ///< not convex
    ROUTE_CLOSED, ///< closed form
    ROUTE_CORES,  ///< a capsule and a triangle: closed form unless the capsule's core goes through
                  ///< it
    ROUTE_BOXES,  ///< separating axes; GJK for the distance
    ROUTE_POINT,  ///< a sphere and a hull: GJK, and the nearest face for a centre inside
    ROUTE_GJK     ///< GJK and EPA
} Route;

#define C ROUTE_CLOSED
#define S ROUTE_CORES
#define B ROUTE_BOXES
#define P ROUTE_POINT
#define G ROUTE_GJK
#define N ROUTE_NONE

static const uint8_t routes[SD_SHAPE_TYPE_COUNT][SD_SHAPE_TYPE_COUNT] = {
    // sphere, capsule, box, cylinder, cone, triangle, hull, half-space, mesh, compound
    [SD_SHAPE_SPHERE] = {C, C, C, C, C, C, P, N, N, N},
    [SD_SHAPE_CAPSULE] = {C, C, G, G, G, S, G, N, N, N},
    [SD_SHAPE_BOX] = {C, G, B, G, G, G, G, N, N, N},
    [SD_SHAPE_CYLINDER] = {C, G, G, G, G, G, G, N, N, N},
    [SD_SHAPE_CONE] = {C, G, G, G, G, G, G, N, N, N},
    [SD_SHAPE_TRIANGLE] = {C, S, G, G, G, G, G, N, N, N},
    [SD_SHAPE_HULL] = {P, G, G, G, G, G, G, N, N, N},
};

#undef C
#undef S
#undef B
#undef P
#undef G
#undef N

/// A point inside a hull leaves through the nearest face, so there is no need for EPA.
/// @param p the sphere's centre in the hull's frame
static void leaveHull(const sdHull* hull, sdVec3d p, double radius, sdPairResult* out) {
    double best = -DBL_MAX;
    sdVec3d normal = sdV3d(0.0, 1.0, 0.0);
    for (int f = 0; f < hull->faceCount; ++f) {
        sdVec3d n = sdVec3d_From(hull->planes[f].normal);
        double height = sdDotD(n, p) - (double)hull->planes[f].offset;
        if (height > best) {
            best = height;
            normal = n;
        }
    }
    normal = sdScaleD(1.0 / sdLengthD(normal), normal);
    // rounding may have it a little outside
    best = best < 0.0 ? best : 0.0;
    out->separation = best - radius;
    out->normal = normal;
    out->pointA = sdMulAddD(p, -best, normal);
    out->pointB = sdMulAddD(p, -radius, normal);
    out->common = p;
    out->status = SD_STATUS_EXACT;
    out->isDeep = false;
}

static void separateSphereAndHull(const sdShape* a, const sdShape* b, const sdConvexPair* pair,
                                  bool wantsDepth, double stopAbove, sdPairCache* cache,
                                  sdPairResult* out) {
    bool isHullFirst = a->type == SD_SHAPE_HULL;
    double radius = (double)(isHullFirst ? b : a)->sphere.radius;
    sdGjk_Separate(pair, false, stopAbove, cache, out);
    bool isInside = out->separation <= -radius;
    if (!isInside || !wantsDepth) {
        return;
    }
    if (isHullFirst) {
        leaveHull(a->hull, pair->offset, radius, out);
        return;
    }
    sdPose pose;
    sdConvexPair_GetPose(pair, &pose);
    leaveHull(b->hull, sdPose_InvPoint(&pose, sdV3d(0.0, 0.0, 0.0)), radius, out);
    sdPairResult_Mirror(out, &pose);
}

static inline bool areBoxesValid(const sdShape* a, const sdShape* b, const sdTransform* xfAB) {
    return sdBoxPair_IsValid(a->box.halfExtents, b->box.halfExtents, xfAB);
}

/// @return false for boxes that are not valid, too
static bool separateBoxes(const sdShape* a, const sdShape* b, const sdTransform* xfAB,
                          bool wantsDepth, const sdPairCache* cache, sdPairResult* out) {
    if (!areBoxesValid(a, b, xfAB)) {
        return false;
    }
    // corners were nearest in the last query of this pair: GJK has them at once
    bool isGjkReady = !wantsDepth && cache != NULL && cache->kind == SD_CACHE_GJK &&
                      SD_DISPATCH(sdSatBox_Quick)(a, b, xfAB, 0.0f) == SD_BOXES_APART;
    return !isGjkReady && SD_DISPATCH(sdBoxes_Separate)(a, b, xfAB, wantsDepth, out);
}

bool sdPair_Separate(const sdShape* a, const sdShape* b, sdTransform xfAB, bool wantsDepth,
                     double stopAbove, sdPairCache* cache, sdPairResult* out) {
    Route route = (Route)routes[a->type][b->type];
    if (route == ROUTE_CLOSED) {
        return sdPrimitive_Separation(a, b, xfAB, out);
    }
    if (route == ROUTE_CORES && sdPrimitive_Separation(a, b, xfAB, out)) {
        return true;
    }
    if (route == ROUTE_BOXES && separateBoxes(a, b, &xfAB, wantsDepth, cache, out)) {
        return true;
    }
    sdConvexPair pair;
    if (!sdConvexPair_Init(&pair, a, b, xfAB)) {
        return false;
    }
    if (route == ROUTE_POINT) {
        separateSphereAndHull(a, b, &pair, wantsDepth, stopAbove, cache, out);
    } else {
        sdGjk_Separate(&pair, wantsDepth, stopAbove, cache, out);
    }
    return true;
}

static bool isConvexPair(const sdShape* a, const sdShape* b) {
    return sdShape_IsConvex(a) && sdShape_IsConvex(b);
}

/// Boxes that touch or nearly so, or are not valid. Out of the way of those that do not.
static __attribute__((noinline)) sdOverlapResult overlapOfBoxes(const sdShape* a, const sdShape* b,
                                                                const sdTransform* xfAB) {
    if (!areBoxesValid(a, b, xfAB)) {
        return (sdOverlapResult){.status = SD_STATUS_INVALID};
    }
    bool isOverlapping =
        SD_DISPATCH(sdSatBox_AreOverlapping)(a->box.halfExtents, b->box.halfExtents, xfAB);
    return (sdOverlapResult){isOverlapping, SD_STATUS_EXACT, 1};
}

/// Asked first: handing the transform on to another function would stall, see sdGjk_SeparateShapes.
static bool isGjkPair(const sdShape* a, const sdShape* b) {
    return a != NULL && b != NULL && (unsigned)a->type < SD_SHAPE_TYPE_COUNT &&
           (unsigned)b->type < SD_SHAPE_TYPE_COUNT && routes[a->type][b->type] == ROUTE_GJK;
}

static inline sdOverlapResult overlap(const sdShape* a, const sdShape* b, const sdTransform* xfAB,
                                      sdPairCache* cache) {
    if (sdShape_AreBoxes(a, b)) {
        sdBoxVerdict verdict = SD_DISPATCH(sdSatBox_Quick)(a, b, xfAB, 0.0f);
        return verdict == SD_BOXES_UNSURE
                   ? overlapOfBoxes(a, b, xfAB)
                   : (sdOverlapResult){verdict == SD_BOXES_OVERLAPPING, SD_STATUS_EXACT, 1};
    }
    sdOverlapResult result = {.status = SD_STATUS_INVALID};
    if (!isConvexPair(a, b)) {
        return sdMeshPair_Overlap(a, b, *xfAB);
    }
    Route route = (Route)routes[a->type][b->type];
    if (route != ROUTE_CLOSED) {
        return sdGjk_OverlapShapes(a, b, xfAB, cache);
    }
    sdPairResult pair;
    if (sdPrimitive_Separation(a, b, *xfAB, &pair)) {
        result = (sdOverlapResult){pair.separation <= 0.0, pair.status, pair.iterations};
    }
    return result;
}

sdOverlapResult sdOverlap(const sdShape* a, const sdShape* b, sdTransform xfAB,
                          sdPairCache* cache) {
    return isGjkPair(a, b) ? sdGjk_OverlapShapes(a, b, &xfAB, cache) : overlap(a, b, &xfAB, cache);
}

/// The pose is not copied on the way to two boxes: parts that are stored and loaded again in pieces
/// that do not match stall the processor.
static inline sdSeparation separation(const sdShape* a, const sdShape* b, const sdTransform* xfAB,
                                      bool wantsDepth, sdPairCache* cache) {
    sdPairResult result;
    if (sdShape_AreBoxes(a, b) && separateBoxes(a, b, xfAB, wantsDepth, cache, &result)) {
        return sdPairResult_Round(&result, wantsDepth);
    }
    if (!isConvexPair(a, b)) {
        return sdMeshPair_Separation(a, b, *xfAB, wantsDepth);
    }
    bool isValid = sdPair_Separate(a, b, *xfAB, wantsDepth, DBL_MAX, cache, &result);
    return isValid ? sdPairResult_Round(&result, wantsDepth) : sdSeparation_Invalid();
}

sdSeparation sdDistance(const sdShape* a, const sdShape* b, sdTransform xfAB, sdPairCache* cache) {
    return isGjkPair(a, b) ? sdGjk_SeparateShapes(a, b, &xfAB, false, cache)
                           : separation(a, b, &xfAB, false, cache);
}

sdSeparation sdPenetration(const sdShape* a, const sdShape* b, sdTransform xfAB,
                           sdPairCache* cache) {
    return isGjkPair(a, b) ? sdGjk_SeparateShapes(a, b, &xfAB, true, cache)
                           : separation(a, b, &xfAB, true, cache);
}
