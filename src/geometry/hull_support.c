// SPDX-License-Identifier: MIT
// hull_support.c - the vertex of a hull that is furthest along a direction.
//
// In:   a hull, a direction of any length.
// Out:  index of a vertex. Never allocates.
// Note: climbing from far away costs a step for every ring of vertices on the way, so hulls that
//       are climbed keep a good start for each cell of an octahedron around them.

#include "geometry/hull.h"
#include "geometry/hull_kernel.h"

/// Products of floats are exact in double and their sum nearly so: a walk that compares neighbours
/// must not stop early because of rounding.
static double along(sdVec3 p, sdVec3 direction) {
    return (double)p.x * (double)direction.x + (double)p.y * (double)direction.y +
           (double)p.z * (double)direction.z;
}

/// Which cell of a side, from 0 .. SD_HULL_SUPPORT_SIDE; also for NaN.
static int bin(float u) {
    const float last = (float)(SD_HULL_SUPPORT_SIDE - 1);
    return u > 0.0f ? (int)(u < last ? u : last) : 0;
}

/// Cell that the direction passes through: an octahedron, each half of it laid flat and turned to
/// be a square. Directions are hard to foretell, so that finding the side of a cube would cost two
/// branches gone wrong; this has none.
static int findCell(sdVec3 d) {
    float length = sdAbsF(d.x) + sdAbsF(d.y) + sdAbsF(d.z);
    float scale = length > 0.0f ? 0.5f * (float)SD_HULL_SUPPORT_SIDE / length : 0.0f;
    float middle = 0.5f * (float)SD_HULL_SUPPORT_SIDE;
    int u = bin(middle + (d.x + d.y) * scale), v = bin(middle + (d.x - d.y) * scale);
    return ((d.z < 0.0f ? SD_HULL_SUPPORT_SIDE : 0) + u) * SD_HULL_SUPPORT_SIDE + v;
}

static sdVec3 cellDirection(int cell) {
    const float size = 2.0f / (float)SD_HULL_SUPPORT_SIDE;
    int row = cell / SD_HULL_SUPPORT_SIDE;
    float u = ((float)(row % SD_HULL_SUPPORT_SIDE) + 0.5f) * size - 1.0f;
    float v = ((float)(cell % SD_HULL_SUPPORT_SIDE) + 0.5f) * size - 1.0f;
    float x = 0.5f * (u + v), y = 0.5f * (u - v), z = 1.0f - sdAbsF(x) - sdAbsF(y);
    return sdV3(x, y, row < SD_HULL_SUPPORT_SIDE ? z : -z);
}

void sdHull_FindSupportStarts(sdHull* hull) {
    int last = 0;
    for (int cell = 0; cell < SD_HULL_SUPPORT_CELLS; ++cell) {
        last = sdHull_SupportClimb(hull, cellDirection(cell), last);
        hull->supportStarts[cell] = last;
    }
}

int sdHull_SupportScan(const sdHull* hull, sdVec3 direction) {
    return SD_DISPATCH(sdHullKernel_Scan)(hull->soa, hull->soaStride, direction);
}

int sdHull_SupportClimb(const sdHull* hull, sdVec3 direction, int start) {
    int best = start >= 0 && start < hull->vertexCount ? start : 0;
    double most = along(hull->vertices[best], direction);
    // every step goes strictly up, so no vertex is met twice
    for (int step = 0; step < hull->vertexCount; ++step) {
        int from = best;
        for (int i = hull->neighborStarts[from]; i < hull->neighborStarts[from + 1]; ++i) {
            double d = along(hull->vertices[hull->neighbors[i]], direction);
            if (d > most) {
                most = d;
                best = hull->neighbors[i];
            }
        }
        if (best == from) {
            break;
        }
    }
    return best;
}

int sdHull_Support(const sdHull* hull, sdVec3 direction) {
    if (hull->supportStarts == NULL) {
        return sdHull_SupportScan(hull, direction);
    }
    return sdHull_SupportClimb(hull, direction, hull->supportStarts[findCell(direction)]);
}
