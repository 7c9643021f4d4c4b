// SPDX-License-Identifier: MIT
// decompose_merge.c - join parts that need not have been separated.
//
// In:   the hulls of the parts of a solid, the greatest number wanted.
// Out:  fewer hulls.
// Note: greedy: of all neighbours the two whose common hull bulges least are joined first. The
//       hull of two hulls is that of their vertices, so nothing of the mesh is touched here.

#include "geometry/decompose.h"

// Depths are compared within this part of themselves.
#define SD_MERGE_SLACK 0.05f

// Points looked at before two hulls are joined for a trial.
#define SD_MERGE_LOOKS 64

typedef struct HullPair {
    int a, b;    ///< a < b
    float depth; ///< goal when it is below the goal
    float added; ///< volume of the hull of both less that of each
} HullPair;

SD_DEFINE_ARRAY(HullPairArray, HullPair)

typedef struct Merge {
    sdSolid* solid;
    sdHull** hulls; ///< NULL where one was joined to another
    int count;
    int liveCount;
    int maxCount;
    float limit; ///< pairs that bulge more are not joined
    HullPairArray pairs;
} Merge;

static sdResult joinHulls(Merge* merge, int a, int b, sdHull** out) {
    sdSolid* solid = merge->solid;
    const sdAllocator* allocator = &solid->context->allocator;
    *out = NULL;
    int countA, countB;
    const sdVec3* pointsA = sdHull_GetVertices(merge->hulls[a], &countA);
    const sdVec3* pointsB = sdHull_GetVertices(merge->hulls[b], &countB);
    if (!sdPointArray_Resize(&solid->scratch, allocator, (int64_t)countA + countB)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    memcpy(solid->scratch.data, pointsA, (size_t)countA * sizeof(sdVec3));
    memcpy(solid->scratch.data + countA, pointsB, (size_t)countB * sizeof(sdVec3));
    return sdSolid_MakeHull(solid, solid->scratch.data, solid->scratch.count, 0, out);
}

static float volumeOf(const sdHull* hull) {
    sdMassProps props;
    sdHull_GetMass(hull, 1.0f, &props);
    return props.mass;
}

// Points between vertices of two hulls are inside the hull of both: look at some of them before it
// is built, which tells most pairs that are not to be joined.
static bool isTooDeep(Merge* merge, int a, int b, float ceiling) {
    int countA, countB;
    const sdVec3* pointsA = sdHull_GetVertices(merge->hulls[a], &countA);
    const sdVec3* pointsB = sdHull_GetVertices(merge->hulls[b], &countB);
    for (int i = 0; i < SD_MERGE_LOOKS; ++i) {
        // strides without a common factor with the other count visit all sorts of pairs
        sdVec3 p = pointsA[i * 7 % countA], q = pointsB[i * 11 % countB];
        float low, high;
        sdSolid_BoundDistance(merge->solid, sdScale(0.5f, sdAdd(p, q)), &low, &high);
        if (low > ceiling) {
            return true;
        }
    }
    return false;
}

static sdResult addPair(Merge* merge, int a, int b) {
    sdSolid* solid = merge->solid;
    // how much over the goal only matters while there are too many
    float ceiling = merge->liveCount > merge->maxCount ? merge->limit : solid->goal;
    if (isTooDeep(merge, a, b, ceiling)) {
        return SD_OK;
    }
    sdHull* both;
    sdResult result = joinHulls(merge, a, b, &both);
    if (result != SD_OK) {
        return result;
    }
    HullPair pair = {.a = sdMinI(a, b), .b = sdMaxI(a, b)};
    pair.depth = sdSolid_Depth(solid, both, solid->goal, ceiling, SD_MERGE_SLACK);
    pair.added = volumeOf(both) - volumeOf(merge->hulls[a]) - volumeOf(merge->hulls[b]);
    sdHull_Release(both);
    if (pair.depth > ceiling) {
        return SD_OK;
    }
    bool isKept = HullPairArray_Push(&merge->pairs, &solid->context->allocator, pair);
    return isKept ? SD_OK : SD_ERROR_OUT_OF_MEMORY;
}

// Pairs of hull `a` with those from `first` on: its neighbours, or all.
static sdResult addPairs(Merge* merge, int a, int first, bool isForAll) {
    sdAABB box = sdAABB_Grow(sdHull_GetBounds(merge->hulls[a]), merge->solid->grid.size);
    sdResult result = SD_OK;
    for (int b = first; b < merge->count && result == SD_OK; ++b) {
        if (b != a && merge->hulls[b] != NULL &&
            (isForAll || sdAABB_Overlaps(box, sdHull_GetBounds(merge->hulls[b])))) {
            result = addPair(merge, a, b);
        }
    }
    return result;
}

static sdResult addAllPairs(Merge* merge, bool isForAll) {
    sdResult result = SD_OK;
    for (int a = 0; a < merge->count && result == SD_OK; ++a) {
        if (merge->hulls[a] != NULL) {
            result = addPairs(merge, a, a + 1, isForAll);
        }
    }
    return result;
}

static bool isBetter(HullPair a, HullPair b) {
    return a.depth < b.depth || (a.depth == b.depth && a.added < b.added);
}

static int bestPair(const Merge* merge) {
    int best = SD_NULL_INDEX;
    for (int i = 0; i < merge->pairs.count; ++i) {
        if (best < 0 || isBetter(merge->pairs.data[i], merge->pairs.data[best])) {
            best = i;
        }
    }
    return best;
}

// Put the hull of both in the place of the first and look at its neighbours anew.
static sdResult joinPair(Merge* merge, HullPair pair) {
    sdHull* both;
    sdResult result = joinHulls(merge, pair.a, pair.b, &both);
    if (result != SD_OK) {
        return result;
    }
    sdHull_Release(merge->hulls[pair.a]);
    sdHull_Release(merge->hulls[pair.b]);
    merge->hulls[pair.a] = both;
    merge->hulls[pair.b] = NULL;
    merge->liveCount--;
    int kept = 0;
    for (int i = 0; i < merge->pairs.count; ++i) {
        HullPair other = merge->pairs.data[i];
        if (other.a != pair.a && other.a != pair.b && other.b != pair.a && other.b != pair.b) {
            merge->pairs.data[kept++] = other;
        }
    }
    merge->pairs.count = kept;
    return addPairs(merge, pair.a, 0, false);
}

sdResult sdSolid_MergeHulls(sdSolid* solid, float limit, int maxCount, sdHull** hulls, int* count) {
    Merge merge = {.solid = solid, .hulls = hulls, .count = *count, .liveCount = *count};
    merge.maxCount = maxCount;
    merge.limit = limit;
    sdResult result = addAllPairs(&merge, false);
    // every turn joins two or ends
    while (result == SD_OK && merge.liveCount > 1) {
        int best = bestPair(&merge);
        bool isForced = merge.liveCount > maxCount;
        if (best < 0 && isForced && limit == FLT_MAX) {
            // no neighbours are left, but there are still too many: join across gaps
            result = addAllPairs(&merge, true);
            best = result == SD_OK ? bestPair(&merge) : SD_NULL_INDEX;
        }
        if (best < 0 || (!isForced && merge.pairs.data[best].depth > solid->goal)) {
            break;
        }
        result = joinPair(&merge, merge.pairs.data[best]);
    }
    HullPairArray_Free(&merge.pairs, &solid->context->allocator);
    int live = 0;
    for (int i = 0; i < merge.count; ++i) {
        if (hulls[i] != NULL) {
            hulls[live++] = hulls[i];
        }
    }
    *count = live;
    return result;
}
