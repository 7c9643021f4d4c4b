// SPDX-License-Identifier: MIT
// sat.c - separating axes of two polyhedra, last axis of overlap, projection intervals.
//
// In:   two of box, hull, triangle; poses.
// Out:  greatest separation, its axis and features. Never allocates.
// Ref:  S3 §2.3, §2.4.2; S4.

#include "narrow/sat.h"

#include "geometry/hull.h"

static double bodySize(const sdConvex* convex) {
    return (double)convex->half.x + (double)convex->half.y + (double)convex->half.z;
}

bool sdSatPair_Init(sdSatPair* pair, const sdShape* a, const sdShape* b, sdTransform xfAB) {
    if (!sdPolyhedron_Init(&pair->a, &pair->storageA, a) ||
        !sdPolyhedron_Init(&pair->b, &pair->storageB, b) ||
        !sdConvexPair_Init(&pair->convex, a, b, xfAB)) {
        return false;
    }
    double sizeA = bodySize(&pair->convex.a), sizeB = bodySize(&pair->convex.b);
    pair->tie = SD_SAT_TIE * (sizeA < sizeB ? sizeA : sizeB);
    return true;
}

static sdVec3d rotateToA(const sdSatPair* pair, sdVec3d v) {
    return sdSubD(sdConvexPair_ToA(&pair->convex, v), pair->convex.offset);
}

bool sdSatPair_Axis(const sdSatPair* pair, const sdFacet* features, sdVec3d like, sdVec3d* axis) {
    int a = features->indexA, b = features->indexB;
    bool isOfA = features->type != SD_FEATURE_FACE_B, isOfB = features->type != SD_FEATURE_FACE_A;
    int countA = isOfB ? pair->a.halfEdgeCount : pair->a.faceCount;
    int countB = isOfA ? pair->b.halfEdgeCount : pair->b.faceCount;
    if ((isOfA && (a < 0 || a >= countA)) || (isOfB && (b < 0 || b >= countB))) {
        return false;
    }
    sdVec3d n;
    if (!isOfB) {
        n = sdVec3d_From(pair->a.planes[a].normal);
    } else if (!isOfA) {
        n = sdScaleD(-1.0, rotateToA(pair, sdVec3d_From(pair->b.planes[b].normal)));
    } else {
        sdVec3d eA = sdPolyhedron_EdgeVector(&pair->a, a);
        sdVec3d eB = rotateToA(pair, sdPolyhedron_EdgeVector(&pair->b, b));
        n = sdCrossD(eA, eB);
        if (sdDotD(n, n) <= SD_SAT_PARALLEL * SD_SAT_PARALLEL * sdDotD(eA, eA) * sdDotD(eB, eB)) {
            return false;
        }
        n = sdDotD(n, like) < 0.0 ? sdScaleD(-1.0, n) : n;
    }
    *axis = sdScaleD(1.0 / sdLengthD(n), n);
    return true;
}

// ---- search --------------------------------------------------------------------------------

typedef struct Search {
    sdFacet best;
    bool isFull;
} Search;

static bool takeGreatest(void* user, const sdFacet* facet, double* limit) {
    Search* search = user;
    search->best = *facet;
    *limit = facet->separation;
    return search->isFull || facet->separation <= 0.0;
}

int sdSatPair_Search(const sdSatPair* pair, bool isFull, sdFacet* best) {
    Search search = {.isFull = isFull};
    sdFacetWalk walk = {.pair = pair, .limit = -DBL_MAX, .visit = takeGreatest, .user = &search};
    SD_DISPATCH(sdSat_Walk)(&walk);
    *best = search.best;
    return walk.axisCount;
}

// ---- results and cache ---------------------------------------------------------------------

static sdSatResult invalidResult(void) {
    return (sdSatResult){
        .indexA = SD_NULL_INDEX, .indexB = SD_NULL_INDEX, .status = SD_STATUS_INVALID};
}

static sdSatResult resultOf(const sdFacet* facet, int axisCount) {
    return (sdSatResult){.separation = (float)facet->separation,
                         .axis = sdVec3d_Round(facet->axis),
                         .featureType = facet->type,
                         .indexA = facet->indexA,
                         .indexB = facet->indexB,
                         .axisCount = axisCount,
                         .status = SD_STATUS_EXACT};
}

/// What an index is stored as when there is none or it does not fit.
#define NO_INDEX UINT16_MAX

static uint16_t packIndex(int index) {
    return index >= 0 && index < NO_INDEX ? (uint16_t)index : NO_INDEX;
}

static int unpackIndex(uint16_t index) {
    return index == NO_INDEX ? SD_NULL_INDEX : index;
}

static void store(sdPairCache* cache, const sdFacet* facet) {
    if (cache == NULL) {
        return;
    }
    cache->axis = sdVec3d_Round(facet->axis);
    cache->kind = SD_CACHE_SAT;
    cache->count = 1;
    cache->featureType = (uint8_t)facet->type;
    cache->indexA[0] = packIndex(facet->indexA);
    cache->indexB[0] = packIndex(facet->indexB);
}

/// Whether the axis of the remembered features still separates.
static bool isApartOnLastAxis(const sdSatPair* pair, const sdPairCache* cache, sdFacet* facet) {
    if (cache == NULL || cache->kind != SD_CACHE_SAT || cache->count != 1 ||
        cache->featureType > SD_FEATURE_EDGE_EDGE) {
        return false;
    }
    *facet = (sdFacet){.type = (sdFeatureType)cache->featureType,
                       .indexA = unpackIndex(cache->indexA[0]),
                       .indexB = unpackIndex(cache->indexB[0])};
    if (!sdSatPair_Axis(pair, facet, sdVec3d_From(cache->axis), &facet->axis)) {
        return false;
    }
    facet->separation = SD_DISPATCH(sdSat_Along)(&pair->convex, facet->axis);
    return facet->separation > 0.0;
}

static bool isBox(const sdShape* shape) {
    return shape != NULL && shape->type == SD_SHAPE_BOX;
}

sdSatResult sdSat_Test(const sdShape* a, const sdShape* b, sdTransform xfAB, bool isFull,
                       sdPairCache* cache) {
    if (isBox(a) && isBox(b)) {
        return sdSatBox_Run(a->box.halfExtents, b->box.halfExtents, xfAB, isFull, cache);
    }
    sdSatPair pair;
    if (!sdSatPair_Init(&pair, a, b, xfAB)) {
        return invalidResult();
    }
    sdFacet best;
    if (!isFull && isApartOnLastAxis(&pair, cache, &best)) {
        cache->axis = sdVec3d_Round(best.axis);
        return resultOf(&best, 1);
    }
    int axisCount = sdSatPair_Search(&pair, isFull, &best);
    store(cache, &best);
    return resultOf(&best, axisCount);
}

// ---- the axis on which overlap appeared last (B14) -----------------------------------------

typedef struct LastAxis {
    const sdSatPair* after;
    sdFacet best; ///< at the pose after the step
    double time;  ///< 0 .. 1: when its gap closed
    bool isFound;
} LastAxis;

static bool takeLatest(void* user, const sdFacet* facet, double* limit) {
    LastAxis* last = user;
    // only axes that separated before
    *limit = 0.0;
    sdFacet now = *facet;
    bool hasAxis = facet->type == SD_FEATURE_EDGE_EDGE &&
                           (facet->indexA == SD_NULL_INDEX || facet->indexB == SD_NULL_INDEX)
                       ? true
                       : sdSatPair_Axis(last->after, facet, facet->axis, &now.axis);
    if (facet->separation <= 0.0 || !hasAxis) {
        return true;
    }
    now.separation = SD_DISPATCH(sdSat_Along)(&last->after->convex, now.axis);
    // gaps close at a constant rate (S4); one that is still open closes last of all
    double time = now.separation < facet->separation
                      ? facet->separation / (facet->separation - now.separation)
                      : DBL_MAX;
    if (!last->isFound || time > last->time) {
        last->best = now;
        last->time = time;
        last->isFound = true;
    }
    return true;
}

sdSatResult sdSat_LastAxis(const sdShape* a, const sdShape* b, sdTransform xfABBefore,
                           sdTransform xfABAfter) {
    sdSatPair before, after;
    if (!sdSatPair_Init(&before, a, b, xfABBefore) || !sdSatPair_Init(&after, a, b, xfABAfter)) {
        return invalidResult();
    }
    sdFacet least;
    int axisCount = sdSatPair_Search(&after, true, &least);
    if (least.separation > 0.0) {
        return resultOf(&least, axisCount);
    }
    LastAxis last = {.after = &after};
    sdFacetWalk walk = {.pair = &before, .limit = -DBL_MAX, .visit = takeLatest, .user = &last};
    SD_DISPATCH(sdSat_Walk)(&walk);
    axisCount += walk.axisCount;
    return resultOf(last.isFound ? &last.best : &least, axisCount);
}

// ---- projection intervals (B5) -------------------------------------------------------------

static sdVec3 furthest(const sdShape* shape, sdVec3 direction, sdProjectMethod method) {
    if (shape->type != SD_SHAPE_HULL) {
        return sdShape_Support(shape, direction);
    }
    int index = method == SD_PROJECT_CLIMB ? sdHull_SupportClimb(shape->hull, direction, 0)
                                           : sdHull_SupportScan(shape->hull, direction);
    return shape->hull->vertices[index];
}

void sdProject(const sdShape* shape, sdVec3 direction, sdProjectMethod method, float* lower,
               float* upper) {
    double least = 0.0, most = 0.0;
    if (sdShape_IsValid(shape) && sdShape_IsConvex(shape) && sdVec3_IsFinite(direction)) {
        sdVec3d d = sdVec3d_From(direction);
        most = sdDotD(d, sdVec3d_From(furthest(shape, direction, method)));
        least = sdDotD(d, sdVec3d_From(furthest(shape, sdNeg(direction), method)));
    }
    if (lower != NULL) {
        *lower = (float)least;
    }
    if (upper != NULL) {
        *upper = (float)most;
    }
}
