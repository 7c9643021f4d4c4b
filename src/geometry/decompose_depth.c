// SPDX-License-Identifier: MIT
// decompose_depth.c - how far a hull bulges over a solid.
//
// In:   a hull and the solid that it approximates.
// Out:  max over the points of the hull of the distance to the solid (one-sided Hausdorff
//       distance), within a tolerance.
// Ref:  Wei et al., "Approximate convex decomposition for 3D meshes with collision-aware concavity
//       and tree search", 2022, on why this measure and not volume.
// Note: branch and bound: distance changes by at most one metre a metre, so a box of radius r
//       around a point of distance d has nothing deeper than d + r. Points that lie inside of a
//       cavity are found as well as those on the hull's surface.

#include "geometry/decompose.h"

// Boxes looked at in one search. Only reached by tolerances far below a cell; the result is then
// still a depth that occurs.
#define SD_DEPTH_MAX_BOXES (1 << 20)

// Halvings of the hull's box: 2^40 boxes is beyond any tolerance that floats can tell.
#define SD_DEPTH_MAX_LEVEL 40

// Times that a point is moved to a face that it lies outside of. Corners of the hull need three.
#define SD_DEPTH_PROJECTIONS 4

typedef struct DepthBox {
    sdVec3 center;
    sdVec3 half;
    float bound; ///< nothing in it is deeper
} DepthBox;

typedef struct DepthSearch {
    sdSolid* solid;
    const sdPlane* planes;
    int planeCount;
    float best;
    float slack;
} DepthSearch;

float sdSolid_Distance(const sdSolid* solid, sdVec3 p, float reach) {
    // a little more than what is known, for its rounding
    sdMeshPoint q = sdMesh_ClosestPoint(solid->mesh, p, reach + solid->epsilon);
    if (q.triangle == SD_NULL_INDEX) {
        q = sdMesh_ClosestPoint(solid->mesh, p, FLT_MAX);
    }
    sdVec3 normal = sdMesh_PseudoNormal(solid->mesh, q.triangle, q.region);
    if (sdDot(normal, sdSub(p, q.point)) < 0.0f) {
        return -q.distance;
    }
    // outside of the nearest component may still be inside of another one
    bool isInside = sdMesh_GetReport(solid->mesh)->componentCount > 1 &&
                    sdMesh_WindingNumberFast(solid->mesh, p) > 0.5f;
    return isInside ? 0.0f : q.distance;
}

float sdSolid_CellDistance(sdSolid* solid, int cell) {
    sdCellGrid* grid = &solid->grid;
    if (grid->kinds[cell] == SD_CELL_CORE) {
        return -0.5f * grid->size;
    }
    if (grid->distances[cell] == FLT_MAX) {
        sdVec3 center = sdCellGrid_Center(grid, cell);
        grid->distances[cell] = sdSolid_Distance(solid, center, FLT_MAX);
    }
    return grid->distances[cell];
}

void sdSolid_BoundDistance(sdSolid* solid, sdVec3 p, float* low, float* high) {
    int cell = sdCellGrid_Find(&solid->grid, p);
    float known = sdSolid_CellDistance(solid, cell);
    float error = sdLength(sdSub(p, sdCellGrid_Center(&solid->grid, cell)));
    *low = known - error;
    *high = known + error;
}

// Boxes are of interest when their bound is over this.
static float wanted(const DepthSearch* search) {
    return search->best + sdMaxF(search->solid->tolerance, search->slack * search->best);
}

// Index of the face that p is furthest outside of, and by how much. A box of half size `half`
// around p that misses the hull gives SD_NULL_INDEX.
static int worstFace(const DepthSearch* search, sdVec3 p, sdVec3 half, float* distance) {
    int worst = 0;
    *distance = -FLT_MAX;
    for (int i = 0; i < search->planeCount; ++i) {
        float d = sdPlane_Distance(search->planes[i], p);
        if (d > *distance) {
            *distance = d;
            worst = i;
            if (d > sdDot(sdAbs(search->planes[i].normal), half)) {
                return SD_NULL_INDEX;
            }
        }
    }
    return worst;
}

// Evaluate at the box's centre, moved into the hull: moving a point to the boundary of a
// half-space brings it nearer to every point of the half-space, so the bound stays true.
static void boundBox(DepthSearch* search, DepthBox* box) {
    const sdVec3 anywhere = {FLT_MAX, FLT_MAX, FLT_MAX};
    float radius = sdLength(box->half), low, high;
    sdSolid_BoundDistance(search->solid, box->center, &low, &high);
    box->bound = -FLT_MAX;
    if (high + radius <= wanted(search)) {
        return;
    }
    sdVec3 p = box->center;
    float outside;
    int face = worstFace(search, p, box->half, &outside);
    if (face == SD_NULL_INDEX) {
        return;
    }
    for (int i = 0; i < SD_DEPTH_PROJECTIONS && outside > search->solid->epsilon; ++i) {
        p = sdMulAdd(p, -outside, search->planes[face].normal);
        face = worstFace(search, p, anywhere, &outside);
    }
    sdSolid_BoundDistance(search->solid, p, &low, &high);
    // big boxes need no better; and small ones do only when they may still matter
    if (radius < search->solid->grid.size && high + radius > wanted(search)) {
        low = high = sdSolid_Distance(search->solid, p, sdMaxF(high, -low));
    }
    box->bound = high + radius;
    if (outside <= search->solid->epsilon) {
        search->best = sdMaxF(search->best, low);
    }
}

static void halve(const DepthBox* box, DepthBox* low, DepthBox* high) {
    sdVec3 half = box->half, step = {0};
    if (half.x >= half.y && half.x >= half.z) {
        step.x = half.x *= 0.5f;
    } else if (half.y >= half.z) {
        step.y = half.y *= 0.5f;
    } else {
        step.z = half.z *= 0.5f;
    }
    *low = (DepthBox){sdSub(box->center, step), half, 0.0f};
    *high = (DepthBox){sdAdd(box->center, step), half, 0.0f};
}

float sdSolid_Depth(sdSolid* solid, const sdHull* hull, float floor, float ceiling, float slack) {
    DepthSearch search = {.solid = solid, .best = floor, .slack = slack};
    search.planes = sdHull_GetPlanes(hull, &search.planeCount);
    sdAABB bounds = sdHull_GetBounds(hull);
    DepthBox stack[SD_DEPTH_MAX_LEVEL + 2];
    stack[0] = (DepthBox){sdAABB_Center(bounds), sdAABB_HalfExtents(bounds), 0.0f};
    boundBox(&search, &stack[0]);
    int count = 1;
    for (int i = 0; i < SD_DEPTH_MAX_BOXES && count > 0 && search.best <= ceiling; ++i) {
        DepthBox box = stack[--count];
        if (box.bound <= wanted(&search) || count >= SD_DEPTH_MAX_LEVEL) {
            continue;
        }
        DepthBox* low = &stack[count];
        DepthBox* high = &stack[count + 1];
        halve(&box, low, high);
        boundBox(&search, low);
        boundBox(&search, high);
        // the more promising half is taken next
        if (low->bound > high->bound) {
            DepthBox other = *low;
            *low = *high;
            *high = other;
        }
        count += 2;
    }
    return search.best;
}
