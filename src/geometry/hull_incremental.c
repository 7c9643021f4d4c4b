// SPDX-License-Identifier: MIT
// hull_incremental.c - point by point: what a new point sees goes, and the horizon is joined to it.
//
// In:   a build that holds points only.
// Out:  as hull_quick.c.
// Ref:  S0 §6.1.2; O'Rourke, "Computational Geometry in C", 1998, chapter 4.
// Note: every face is asked for every point, so the time is O(n · faces); it is here to be compared
//       with quickhull. The order is random from a fixed seed, as the expected number of faces
//       made is then linear. S0 does not say what happens to points in the plane of a face: they do
//       not see it.

#include "geometry/hull.h"

static uint32_t nextRandom(uint64_t* state) {
    // Knuth's MMIX constants; the high bits are good enough for a shuffle
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/// The face that the point is furthest above.
static double findFurthestFace(const sdHullBuild* build, int32_t point, int32_t* face) {
    double best = -DBL_MAX;
    for (int32_t i = 0; i < build->faces.count; ++i) {
        if (build->faces.data[i].mark == SD_HULL_FREE) {
            continue;
        }
        double d = sdHullPlane_Distance(&build->faces.data[i].plane, build->points[point]);
        if (d > best) {
            best = d;
            *face = i;
        }
    }
    return best;
}

static void shuffle(int32_t* order, int count) {
    uint64_t state = 1;
    for (int i = 0; i < count; ++i) {
        order[i] = i;
    }
    for (int i = count - 1; i > 0; --i) {
        int k = (int)(nextRandom(&state) % (uint32_t)(i + 1));
        int32_t swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
}

/// One look at every point.
static sdResult addRound(sdHullBuild* build, const int32_t* order, bool* isAdded) {
    *isAdded = false;
    for (int i = 0; i < build->pointCount; ++i) {
        int32_t face = SD_NULL_INDEX;
        double height = findFurthestFace(build, order[i], &face);
        if (height > build->tolerance && sdHullBuild_VertexCount(build) < build->maxVertexCount) {
            sdResult result = sdHullBuild_AddPoint(build, order[i], face);
            if (result != SD_OK) {
                return result;
            }
            *isAdded = true;
        }
    }
    return SD_OK;
}

sdResult sdHullBuild_Incremental(sdHullBuild* build) {
    sdResult result = sdHullBuild_AddTetrahedron(build);
    int32_t* order = build->nextPoint;
    shuffle(order, build->pointCount);
    // a point that was hardly above any face may be well above one that came later, so look again
    // until nothing is added; each round adds a point, so there are at most as many
    bool isAdded = result == SD_OK;
    while (isAdded && result == SD_OK) {
        result = addRound(build, order, &isAdded);
    }
    if (result != SD_OK) {
        return result;
    }
    for (int32_t i = 0; i < build->pointCount; ++i) {
        int32_t face = SD_NULL_INDEX;
        findFurthestFace(build, i, &face);
        if (sdHullBuild_Side(build, build->faces.data[face].vertex, i) > 0) {
            sdHullBuild_Give(build, i, face, false);
        }
    }
    return sdHullBuild_Settle(build);
}
