// SPDX-License-Identifier: MIT
// gjk.c - distance, overlap and penetration of convex shapes by GJK and EPA.

#include "narrow/gjk.h"

#include "narrow/epa.h"

/// What sdPairCache.kind holds when GJK wrote it.
#define CACHE_GJK 1

void sdGjk_Witnesses(const sdSimplex* simplex, sdVec3d* pointA, sdVec3d* pointB) {
    sdVec3d a = sdV3d(0.0, 0.0, 0.0), w = a;
    for (int i = 0; i < simplex->count; ++i) {
        a = sdMulAddD(a, simplex->weights[i], simplex->points[i].a);
        w = sdMulAddD(w, simplex->weights[i], simplex->points[i].w);
    }
    *pointA = a;
    *pointB = sdSubD(a, w);
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
    if (cache == NULL || cache->kind != CACHE_GJK || cache->count > 3) {
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
    // four points contain the origin: any three of them are a good start
    int count = simplex->count < 3 ? simplex->count : 3;
    cache->kind = CACHE_GJK;
    cache->count = (uint8_t)count;
    cache->axis = sdNormalize(sdVec3d_Round(sdScaleD(-1.0, output->v)));
    for (int i = 0; i < count; ++i) {
        int indexA = simplex->points[i].indexA, indexB = simplex->points[i].indexB;
        if (indexA < 0 || indexB < 0 || indexA > UINT16_MAX || indexB > UINT16_MAX) {
            // smooth shapes and huge hulls remember the axis only
            cache->count = 0;
            return;
        }
        cache->indexA[i] = (uint16_t)indexA;
        cache->indexB[i] = (uint16_t)indexB;
    }
}

/// From the middle of A to the middle of B, or the remembered axis.
static sdVec3d startDirection(const sdConvexPair* pair, const sdPairCache* cache) {
    if (cache != NULL && cache->kind == CACHE_GJK && sdVec3_IsFinite(cache->axis) &&
        sdLengthSquared(cache->axis) > 0.0f) {
        return sdVec3d_From(cache->axis);
    }
    sdVec3d middleB = sdConvexPair_ToA(pair, sdVec3d_From(pair->b.inside));
    sdVec3d d = sdSubD(middleB, sdVec3d_From(pair->a.inside));
    return sdDotD(d, d) > 0.0 ? d : sdV3d(1.0, 0.0, 0.0);
}

// ---- results -------------------------------------------------------------------------------

static sdSeparation invalidSeparation(void) {
    return (sdSeparation){
        .childA = SD_NULL_INDEX, .childB = SD_NULL_INDEX, .status = SD_STATUS_INVALID};
}

/// Add the rounding radii to what was found for the cores.
static sdSeparation roundedSeparation(const sdConvexPair* pair, double separation, sdVec3d normal,
                                      sdVec3d pointA, sdVec3d pointB) {
    double radiusA = (double)pair->a.radius, radiusB = (double)pair->b.radius;
    return (sdSeparation){
        .separation = (float)(separation - radiusA - radiusB),
        .normal = sdVec3d_Round(normal),
        .pointA = sdVec3d_Round(sdMulAddD(pointA, radiusA, normal)),
        .pointB = sdVec3d_Round(sdMulAddD(pointB, -radiusB, normal)),
        .childA = SD_NULL_INDEX,
        .childB = SD_NULL_INDEX,
    };
}

/// Rounding of the result itself to single precision.
static float resultError(const sdConvexPair* pair, double error, sdVec3d point) {
    return (float)(error + (double)FLT_EPSILON * (pair->scale + sdLengthD(point)));
}

static sdSeparation separationOf(const sdConvexPair* pair, const sdGjkOutput* gjk) {
    sdVec3d pointA, pointB;
    sdGjk_Witnesses(&gjk->simplex, &pointA, &pointB);
    sdVec3d normal = sdScaleD(-1.0 / gjk->distance, gjk->v);
    sdSeparation result = roundedSeparation(pair, gjk->distance, normal, pointA, pointB);
    result.status = gjk->status;
    result.iterations = gjk->iterations;
    result.error = resultError(pair, gjk->distance - gjk->lowerBound, pair->offset);
    return result;
}

static sdSeparation penetrationOf(const sdConvexPair* pair, const sdGjkOutput* gjk) {
    sdEpaOutput epa;
    SD_DISPATCH(sdEpa_Run)(pair, &gjk->simplex, &epa);
    sdSeparation result = roundedSeparation(pair, -epa.depth, epa.normal, epa.pointA, epa.pointB);
    result.status = epa.status;
    result.iterations = gjk->iterations + epa.iterations;
    result.error = resultError(pair, epa.error, pair->offset);
    return result;
}

sdSeparation sdGjk_Distance(const sdShape* a, const sdShape* b, sdTransform xfAB,
                            sdPairCache* cache) {
    sdConvexPair pair;
    if (!sdConvexPair_Init(&pair, a, b, xfAB)) {
        return invalidSeparation();
    }
    sdGjkOutput gjk;
    sdGjk_LoadCache(&pair, cache, &gjk.simplex);
    double radii = (double)pair.a.radius + (double)pair.b.radius;
    SD_DISPATCH(sdGjk_Run)(&pair, startDirection(&pair, cache), DBL_MAX, 0.0, &gjk);
    sdGjk_StoreCache(&pair, &gjk, cache);
    if (!gjk.isOverlapping && gjk.distance > radii) {
        return separationOf(&pair, &gjk);
    }
    // a common point, and no direction in which to part
    sdVec3d pointA, pointB;
    sdGjk_Witnesses(&gjk.simplex, &pointA, &pointB);
    sdVec3 common = sdVec3d_Round(gjk.simplex.count == 4 ? gjk.simplex.points[0].a : pointA);
    return (sdSeparation){.pointA = common,
                          .pointB = common,
                          .childA = SD_NULL_INDEX,
                          .childB = SD_NULL_INDEX,
                          .status = gjk.status,
                          .iterations = gjk.iterations,
                          .error = resultError(&pair, 0.0, pair.offset)};
}

sdOverlapResult sdGjk_Overlap(const sdShape* a, const sdShape* b, sdTransform xfAB,
                              sdPairCache* cache) {
    sdConvexPair pair;
    if (!sdConvexPair_Init(&pair, a, b, xfAB)) {
        return (sdOverlapResult){.status = SD_STATUS_INVALID};
    }
    sdGjkOutput gjk;
    sdGjk_LoadCache(&pair, cache, &gjk.simplex);
    double radii = (double)pair.a.radius + (double)pair.b.radius;
    SD_DISPATCH(sdGjk_Run)(&pair, startDirection(&pair, cache), radii, radii, &gjk);
    sdGjk_StoreCache(&pair, &gjk, cache);
    return (sdOverlapResult){gjk.isOverlapping || gjk.distance <= radii, gjk.status,
                             gjk.iterations};
}

sdSeparation sdEpa_Penetration(const sdShape* a, const sdShape* b, sdTransform xfAB,
                               sdPairCache* cache) {
    sdConvexPair pair;
    if (!sdConvexPair_Init(&pair, a, b, xfAB)) {
        return invalidSeparation();
    }
    sdGjkOutput gjk;
    sdGjk_LoadCache(&pair, cache, &gjk.simplex);
    SD_DISPATCH(sdGjk_Run)(&pair, startDirection(&pair, cache), DBL_MAX, 0.0, &gjk);
    sdGjk_StoreCache(&pair, &gjk, cache);
    return gjk.isOverlapping ? penetrationOf(&pair, &gjk) : separationOf(&pair, &gjk);
}
