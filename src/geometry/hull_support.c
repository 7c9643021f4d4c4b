// SPDX-License-Identifier: MIT
// hull_support.c - the vertex of a hull that is furthest along a direction.
//
// In:   a hull, a direction of any length.
// Out:  index of a vertex. Never allocates.
// Note: climbing from far away costs a step for every ring of vertices on the way, so hulls that
//       are climbed keep a good start for each cell of a cube around them.

#include "geometry/hull.h"
#include "geometry/hull_kernel.h"

/// Products of floats are exact in double and their sum nearly so: a walk that compares neighbours
/// must not stop early because of rounding.
static double along(sdVec3 p, sdVec3 direction) {
    return (double)p.x * (double)direction.x + (double)p.y * (double)direction.y +
           (double)p.z * (double)direction.z;
}

/// Which quarter of -1 .. 1; also for NaN.
static int quarter(float u) {
    return (u > -0.5f ? 1 : 0) + (u > 0.0f ? 1 : 0) + (u > 0.5f ? 1 : 0);
}

/// Cell of the cube that the direction passes through.
static int findCell(sdVec3 d) {
    sdVec3 a = sdAbs(d);
    float main = a.x, u = d.y, v = d.z;
    int side = d.x < 0.0f ? 1 : 0;
    if (a.y > main) {
        main = a.y;
        u = d.z;
        v = d.x;
        side = d.y < 0.0f ? 3 : 2;
    }
    if (a.z > main) {
        main = a.z;
        u = d.x;
        v = d.y;
        side = d.z < 0.0f ? 5 : 4;
    }
    float scale = main > 0.0f ? 1.0f / main : 0.0f;
    return 16 * side + 4 * quarter(u * scale) + quarter(v * scale);
}

static sdVec3 cellDirection(int cell) {
    float u = ((float)(cell / 4 % 4) - 1.5f) * 0.5f, v = ((float)(cell % 4) - 1.5f) * 0.5f;
    int side = cell / 16;
    float main = side % 2 == 0 ? 1.0f : -1.0f;
    return side < 2 ? sdV3(main, u, v) : (side < 4 ? sdV3(v, main, u) : sdV3(u, v, main));
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
