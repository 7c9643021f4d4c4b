// SPDX-License-Identifier: MIT
// self_intersect.c - pairs of triangles of one mesh that cross each other.
//
// In:   checked triangles.
// Out:  their number and the first pair.
// Ref:  separating axes; Ericson, "Real-Time Collision Detection", 2005, section 5.2.1.
// Note: an axis that separates proves that a pair does not cross, whatever its direction, so axes
//       that rounding has spoiled can hide no separation that others show.

#include "geometry/mesh_build.h"

/// Counting stops here: a mesh with so many crossings is of no use, and there may be n² of them.
#define MAX_INTERSECTIONS 1000000

/// Edges of which the cross product is shorter than this part of the product of their lengths are
/// parallel; the other axes decide.
#define PARALLEL 1e-9

typedef struct TrianglePair {
    const sdVec3d* a;
    const sdVec3d* b;
    double tolerance; ///< m, overlap that counts as touching
} TrianglePair;

/// By how much the two overlap along the unit axis; negative when apart.
static double overlapAlong(const TrianglePair* pair, sdVec3d axis) {
    double a0 = 0.0, a1 = 0.0, b0 = 0.0, b1 = 0.0;
    for (int k = 0; k < 3; ++k) {
        // from a common point, so that places far from the origin lose no digits
        double a = sdDotD(axis, sdSubD(pair->a[k], pair->a[0]));
        double b = sdDotD(axis, sdSubD(pair->b[k], pair->a[0]));
        a0 = k == 0 || a < a0 ? a : a0;
        a1 = k == 0 || a > a1 ? a : a1;
        b0 = k == 0 || b < b0 ? b : b0;
        b1 = k == 0 || b > b1 ? b : b1;
    }
    return a1 - b0 < b1 - a0 ? a1 - b0 : b1 - a0;
}

/// @return whether an axis of that direction, of any length but zero, separates
static bool separates(const TrianglePair* pair, sdVec3d direction, double minLength) {
    double length = sdLengthD(direction);
    if (!(length > minLength)) {
        return false;
    }
    return overlapAlong(pair, sdScaleD(1.0 / length, direction)) <= pair->tolerance;
}

static sdVec3d edgeOf(const sdVec3d t[3], int k) {
    return sdSubD(t[(k + 1) % 3], t[k]);
}

static sdVec3d normalOf(const sdVec3d t[3]) {
    return sdCrossD(edgeOf(t, 0), edgeOf(t, 1));
}

static double longestEdge(const sdVec3d t[3]) {
    double longest = 0.0;
    for (int k = 0; k < 3; ++k) {
        double length = sdLengthD(edgeOf(t, k));
        longest = length > longest ? length : longest;
    }
    return longest;
}

/// All corners of `other` within the tolerance of the plane of `t`.
static bool liesInPlane(const sdVec3d t[3], sdVec3d normal, const sdVec3d other[3],
                        double tolerance) {
    double length = sdLengthD(normal);
    for (int k = 0; k < 3; ++k) {
        if (fabs(sdDotD(normal, sdSubD(other[k], t[0]))) > tolerance * length) {
            return false;
        }
    }
    return true;
}

static bool overlapInPlane(const TrianglePair* pair, sdVec3d normal) {
    for (int k = 0; k < 3; ++k) {
        if (separates(pair, sdCrossD(normal, edgeOf(pair->a, k)), 0.0) ||
            separates(pair, sdCrossD(normal, edgeOf(pair->b, k)), 0.0)) {
            return false;
        }
    }
    return true;
}

bool sdTriangles_Cross(const sdVec3d a[3], const sdVec3d b[3]) {
    double sizeA = longestEdge(a), sizeB = longestEdge(b);
    TrianglePair pair = {a, b, SD_TOUCH_DEPTH * (sizeA > sizeB ? sizeA : sizeB)};
    sdVec3d normalA = normalOf(a), normalB = normalOf(b);
    if (liesInPlane(a, normalA, b, pair.tolerance) && liesInPlane(b, normalB, a, pair.tolerance)) {
        return overlapInPlane(&pair, normalA);
    }
    if (separates(&pair, normalA, 0.0) || separates(&pair, normalB, 0.0)) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        sdVec3d edgeA = edgeOf(a, i);
        for (int j = 0; j < 3; ++j) {
            sdVec3d edgeB = edgeOf(b, j);
            double minLength = PARALLEL * sdLengthD(edgeA) * sdLengthD(edgeB);
            if (separates(&pair, sdCrossD(edgeA, edgeB), minLength)) {
                return false;
            }
        }
    }
    return true;
}

// ---- all pairs -----------------------------------------------------------------------------

typedef struct PairSearch {
    const sdMeshData* data;
    sdMeshReport* report;
    sdVec3d corners[3];
    int triangle;
    int partner; ///< smallest one found
} PairSearch;

static void getCorners(const sdMeshData* data, int t, sdVec3d out[3]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = sdVec3d_From(data->vertices[data->triangles[3 * (size_t)t + (size_t)k]]);
    }
}

static bool visitPartner(void* arg, int other) {
    PairSearch* search = arg;
    const int32_t* v = search->data->triangles + 3 * (size_t)other;
    if (other <= search->triangle || sdTriangle_IsDegenerate(search->data->vertices, v)) {
        return true;
    }
    sdVec3d corners[3];
    getCorners(search->data, other, corners);
    if (sdTriangles_Cross(search->corners, corners)) {
        search->report->selfIntersectionCount += 1;
        search->partner = search->partner == SD_NULL_INDEX ? other : sdMinI(search->partner, other);
    }
    return search->report->selfIntersectionCount < MAX_INTERSECTIONS;
}

sdResult sdMeshData_FindSelfIntersections(const sdContext* context, const sdMeshData* data,
                                          sdMeshReport* report) {
    sdMeshBvh bvh = {0};
    sdResult result = sdMeshBvh_Build(context, data, &bvh);
    if (result != SD_OK) {
        return result;
    }
    report->selfIntersectionCount = 0;
    PairSearch search = {.data = data, .report = report};
    for (int t = 0; t < data->triangleCount; ++t) {
        const int32_t* v = data->triangles + 3 * (size_t)t;
        if (sdTriangle_IsDegenerate(data->vertices, v)) {
            continue;
        }
        search.triangle = t;
        search.partner = SD_NULL_INDEX;
        getCorners(data, t, search.corners);
        sdAABB box = sdAABB_Empty();
        for (int k = 0; k < 3; ++k) {
            box = sdAABB_AddPoint(box, data->vertices[v[k]]);
        }
        sdMeshBvh_VisitBox(&bvh, box, visitPartner, &search);
        if (search.partner != SD_NULL_INDEX && report->firstIntersection[0] == SD_NULL_INDEX) {
            report->firstIntersection[0] = t;
            report->firstIntersection[1] = search.partner;
        }
        if (report->selfIntersectionCount >= MAX_INTERSECTIONS) {
            break;
        }
    }
    sdMeshBvh_Free(&context->allocator, &bvh);
    return SD_OK;
}
