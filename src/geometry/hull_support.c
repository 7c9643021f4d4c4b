// SPDX-License-Identifier: MIT
// hull_support.c - the vertex of a hull that is furthest along a direction.
//
// In:   a hull, a direction of any length.
// Out:  index of a vertex. Never allocates.

#include "geometry/hull.h"
#include "geometry/hull_kernel.h"

/// Hulls with more vertices are climbed, smaller ones are scanned; measured, see
/// bench/geometry_hull.c.
#define SCAN_LIMIT 256

/// Products of floats are exact in double and their sum nearly so: a walk that compares neighbours
/// must not stop early because of rounding.
static double along(sdVec3 p, sdVec3 direction) {
    return (double)p.x * (double)direction.x + (double)p.y * (double)direction.y +
           (double)p.z * (double)direction.z;
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
    return hull->vertexCount <= SCAN_LIMIT ? sdHull_SupportScan(hull, direction)
                                           : sdHull_SupportClimb(hull, direction, 0);
}
