// SPDX-License-Identifier: MIT
// hull_support.c - the vertex of a hull that is furthest along a direction.
//
// In:   a hull, a direction of any length.
// Out:  index of a vertex. Never allocates.
// Note: climbing from far away costs a step for every ring of vertices on the way, so hulls keep a
//       good start for each cell of an octahedron around them.

#include "geometry/hull.h"
#include "geometry/hull_kernel.h"

/// Products of floats are exact in double and their sum nearly so: a walk that compares neighbours
/// must not stop early because of rounding.
static double along(sdVec3 p, sdVec3 direction) {
    return (double)p.x * (double)direction.x + (double)p.y * (double)direction.y +
           (double)p.z * (double)direction.z;
}

/// A quarter of the cells of each half: few vertices are the furthest along any of its directions.
#define QUARTER_SIDE (SD_HULL_CELL_SIDE / 2)
#define QUARTER_CELLS (QUARTER_SIDE * QUARTER_SIDE)
#define QUARTER_COUNT 8

/// The bit of the quarter that a direction is in, see sdHull_CellOf.
static int32_t quarterBit(sdVec3 d) {
    return 1 << ((d.z < 0.0f ? 4 : 0) + (d.x + d.y >= 0.0f ? 2 : 0) + (d.x - d.y >= 0.0f ? 1 : 0));
}

/// The middles of the cells of a quarter.
static void setDirections(int quarter, float directions[3][QUARTER_CELLS]) {
    const float size = 2.0f / (float)SD_HULL_CELL_SIDE;
    int row = quarter / 2 % 2 * QUARTER_SIDE, column = quarter % 2 * QUARTER_SIDE;
    for (int i = 0; i < QUARTER_CELLS; ++i) {
        float u = ((float)(row + i / QUARTER_SIDE) + 0.5f) * size - 1.0f;
        float v = ((float)(column + i % QUARTER_SIDE) + 0.5f) * size - 1.0f;
        float x = 0.5f * (u + v), y = 0.5f * (u - v), z = 1.0f - sdAbsF(x) - sdAbsF(y);
        directions[0][i] = x;
        directions[1][i] = y;
        directions[2][i] = quarter < QUARTER_COUNT / 2 ? z : -z;
    }
}

/// Vertices that may be the furthest along directions of a quarter: those with a face that looks
/// there. A vertex whose faces all look past it is left out, for the sake of time.
static int listVertices(const sdHull* hull, int quarter, const int32_t* quarters, int32_t* list) {
    // those that a cell can name
    int count = 0, end = sdMinI(hull->vertexCount, UINT16_MAX + 1);
    for (int i = 0; i < end; ++i) {
        list[count] = i;
        count += (quarters[i] >> quarter) & 1;
    }
    if (count == 0) {
        // where no face looks at all, any vertex may be
        for (; count < end; ++count) {
            list[count] = count;
        }
    }
    return count;
}

void sdHull_FillCells(sdHull* hull, int32_t* quarters, int32_t* list) {
    memset(quarters, 0, (size_t)hull->vertexCount * sizeof *quarters);
    for (int f = 0, e = 0; f < hull->faceCount; ++f) {
        int32_t bit = quarterBit(hull->planes[f].normal);
        int end = f + 1 < hull->faceCount ? hull->faceEdges[f + 1] : hull->halfEdgeCount;
        for (; e < end; ++e) {
            quarters[hull->edges[e].origin] |= bit;
        }
    }
    for (int quarter = 0; quarter < QUARTER_COUNT; ++quarter) {
        float directions[3][QUARTER_CELLS];
        uint16_t furthest[QUARTER_CELLS];
        setDirections(quarter, directions);
        int count = listVertices(hull, quarter, quarters, list);
        SD_DISPATCH(sdHullKernel_FurthestOf)
        (hull->vertices, list, count, directions[0], QUARTER_CELLS, furthest);
        int first = quarter / 2 * QUARTER_SIDE * SD_HULL_CELL_SIDE + quarter % 2 * QUARTER_SIDE;
        for (int i = 0; i < QUARTER_SIDE; ++i) {
            memcpy(&hull->cells[first + i * SD_HULL_CELL_SIDE], &furthest[i * QUARTER_SIDE],
                   QUARTER_SIDE * sizeof *furthest);
        }
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
    if (hull->vertexCount <= SD_HULL_SCAN_LIMIT) {
        return sdHull_SupportScan(hull, direction);
    }
    return sdHull_SupportClimb(hull, direction, hull->cells[sdHull_CellOf(direction)]);
}
