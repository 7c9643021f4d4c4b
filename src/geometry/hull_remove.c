// SPDX-License-Identifier: MIT
// hull_remove.c - take a vertex away from a hull, without error.
//
// In:   triangles, exactly convex.
// Out:  the hull of the remaining vertices: the faces around the vertex are replaced by ears cut
//       off the loop of its neighbours.
// Note: a triangle of three neighbours that has the vertex above it and no neighbour above it is a
//       face of the new hull: whatever else were above it would lie inside the cone from the vertex
//       through its neighbours, above the triangle, and so inside the old hull. Neighbours in the
//       plane of the triangle must not be on it, as for ears of a polygon in the plane.

#include "geometry/hull.h"

/// Cutting ears takes time cubic in the number of neighbours; vertices with more are kept. Those
/// that spoil a polygon have a few.
#define MAX_NEIGHBORS 48

/// Tolerances that a vertex may be above a new face and still be removed. Above the one that is
/// straight under it, it is less than two, as merging promises; above the planes of steep slivers
/// beside it, it can be some more.
#define REMOVABLE_HEIGHT 8.0

typedef struct Loop {
    int32_t vertex[MAX_NEIGHBORS]; ///< counter-clockwise seen from outside
    int32_t twin[MAX_NEIGHBORS];   ///< across the edge to the next one: half-edge that stays
    int32_t faces[MAX_NEIGHBORS];  ///< around the vertex
    int count;
} Loop;

static bool findLoop(const sdHullBuild* build, int32_t halfEdge, Loop* loop) {
    loop->count = 0;
    int32_t e = halfEdge;
    do {
        if (loop->count == MAX_NEIGHBORS) {
            return false;
        }
        int32_t outer = sdHullBuild_Next(e);
        loop->vertex[loop->count] = sdHullBuild_Origin(build, outer);
        loop->twin[loop->count] = sdHullBuild_Twin(build, outer);
        loop->faces[loop->count++] = e / 3;
        e = sdHullBuild_Twin(build, sdHullBuild_Next(outer));
    } while (e != halfEdge);
    return true;
}

static sdHullPoint normalOf(const sdHullBuild* build, const int32_t corners[3]) {
    sdHullPoint a = build->points[corners[0]];
    return sdHullPoint_Cross(sdHullPoint_Sub(build->points[corners[1]], a),
                             sdHullPoint_Sub(build->points[corners[2]], a));
}

/// Of a point in the plane of a triangle: inside or on it, without error.
static bool isWithin(const sdHullBuild* build, const int32_t ear[3], sdHullPoint n, int32_t p) {
    double ax = fabs(n.x), ay = fabs(n.y), az = fabs(n.z);
    for (int i = 0; i < 3; ++i) {
        const int32_t part[3] = {ear[i], ear[(i + 1) % 3], p};
        // parallel to n, as all is in one plane
        sdHullPoint area = normalOf(build, part);
        double turn =
            ax >= ay && ax >= az ? area.x * n.x : (ay >= az ? area.y * n.y : area.z * n.z);
        if (turn < 0.0) {
            return false;
        }
    }
    return true;
}

/// @param up sum of the normals around the vertex
static bool isEar(const sdHullBuild* build, const Loop* all, const int32_t ear[3], int32_t top,
                  sdHullPoint up) {
    sdHullPoint n = normalOf(build, ear);
    int side = sdHullBuild_Side(build, ear, top);
    if (side < 0) {
        return false;
    }
    bool isUp = side > 0;
    for (int i = 0; i < all->count; ++i) {
        int32_t p = all->vertex[i];
        if (p == ear[0] || p == ear[1] || p == ear[2]) {
            continue;
        }
        int over = sdHullBuild_Side(build, ear, p);
        if (over > 0 || (over == 0 && isWithin(build, ear, n, p))) {
            return false;
        }
        isUp = isUp || over < 0;
    }
    // where all are in one plane, as around a vertex in the middle of a face, nothing else tells
    // which side is up
    return isUp || sdHullPoint_Dot(n, up) > 0.0;
}

static double heightAbove(const sdHullBuild* build, const int32_t ear[3], int32_t top) {
    sdHullPoint n = normalOf(build, ear);
    sdHullPoint d = sdHullPoint_Sub(build->points[top], build->points[ear[0]]);
    return sdHullPoint_Dot(n, d) / sqrt(sdHullPoint_Dot(n, n));
}

static sdHullPoint sumNormals(const sdHullBuild* build, const Loop* loop) {
    sdHullPoint sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < loop->count; ++i) {
        const sdHullPlane* plane = &build->faces.data[loop->faces[i]].plane;
        sum.x += plane->x;
        sum.y += plane->y;
        sum.z += plane->z;
    }
    return sum;
}

/// The order in which to cut: positions in the shrinking loop of the ears' first corners.
/// @return false when the vertex must stay
static bool planCuts(const sdHullBuild* build, const Loop* loop, int32_t top, int* cuts) {
    int32_t rest[MAX_NEIGHBORS];
    memcpy(rest, loop->vertex, (size_t)loop->count * sizeof(int32_t));
    const sdHullPoint up = sumNormals(build, loop);
    for (int count = loop->count; count >= 3; --count) {
        int at = 0;
        int32_t ear[3];
        for (; at < count; ++at) {
            ear[0] = rest[at];
            ear[1] = rest[(at + 1) % count];
            ear[2] = rest[(at + 2) % count];
            if (isEar(build, loop, ear, top, up)) {
                break;
            }
        }
        if (at == count || heightAbove(build, ear, top) > REMOVABLE_HEIGHT * build->tolerance) {
            return false;
        }
        cuts[loop->count - count] = at;
        int middle = (at + 1) % count;
        memmove(rest + middle, rest + middle + 1, (size_t)(count - middle - 1) * sizeof(int32_t));
    }
    return true;
}

static void cutEars(sdHullBuild* build, Loop* loop, const int* cuts) {
    int cutCount = loop->count - 2;
    for (int i = 0; i < cutCount; ++i) {
        int count = loop->count;
        int a = cuts[i], b = (a + 1) % count, c = (a + 2) % count;
        int32_t face =
            sdHullBuild_AddFace(build, loop->vertex[a], loop->vertex[b], loop->vertex[c]);
        sdHullBuild_Link(build, 3 * face, loop->twin[a]);
        sdHullBuild_Link(build, 3 * face + 1, loop->twin[b]);
        if (count == 3) {
            sdHullBuild_Link(build, 3 * face + 2, loop->twin[c]);
            break;
        }
        // the cut is an edge of what is left
        loop->twin[a] = 3 * face + 2;
        size_t moved = (size_t)(count - b - 1) * sizeof(int32_t);
        memmove(loop->vertex + b, loop->vertex + b + 1, moved);
        memmove(loop->twin + b, loop->twin + b + 1, moved);
        loop->count = count - 1;
    }
}

sdResult sdHullBuild_RemoveVertex(sdHullBuild* build, int32_t halfEdge, bool* isRemoved) {
    *isRemoved = false;
    Loop loop;
    int cuts[MAX_NEIGHBORS];
    int32_t top = sdHullBuild_Origin(build, halfEdge);
    if (sdHullBuild_VertexCount(build) <= 4 || !findLoop(build, halfEdge, &loop) ||
        !planCuts(build, &loop, top, cuts)) {
        return SD_OK;
    }
    sdResult result = sdHullBuild_Reserve(build, loop.count, loop.count - 2);
    if (result != SD_OK) {
        return result;
    }
    build->orphanCount = 0;
    for (int i = 0; i < loop.count; ++i) {
        sdHullBuild_RemoveFace(build, loop.faces[i]);
    }
    build->orphans[build->orphanCount++] = top;
    build->created.count = build->planes.count = 0;
    cutEars(build, &loop, cuts);
    sdHullBuild_Partition(build);
    *isRemoved = true;
    return SD_OK;
}
