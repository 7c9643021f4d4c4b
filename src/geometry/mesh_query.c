// SPDX-License-Identifier: MIT
// mesh_query.c - nearest points, rays, boxes and inside tests of a mesh, through its tree.
//
// In:   a mesh, a point, ray or box.
// Out:  small values. Never allocates, never changes the mesh: any number of threads at once.

#include "geometry/mesh.h"

sdMeshPoint sdMeshBvh_ClosestPoint(const sdMeshBvh* bvh, sdVec3 p, float maxDistance) {
    sdMeshPoint result = {p, 0.0f, SD_NULL_INDEX, SD_REGION_FACE};
    if (!sdVec3_IsFinite(p) || !(maxDistance >= 0.0f)) {
        return result;
    }
    // children that are not there are infinitely far and must stay out
    float bound = sdMinF(maxDistance * maxDistance, FLT_MAX);
    sdMeshBvhNearest nearest = {.distanceSquared = bound, .triangle = INT32_MAX};
    SD_DISPATCH(sdMeshBvh_Nearest)(bvh, p, &nearest);
    if (nearest.triangle == INT32_MAX) {
        return result;
    }
    result = (sdMeshPoint){sdAdd(p, nearest.offset), sqrtf(nearest.distanceSquared),
                           nearest.triangle, nearest.region};
    // corners are given back to the bit
    if (nearest.region >= SD_REGION_VERTEX_A) {
        result.point = sdMeshBvhLeaf_GetCorner(bvh->leaves + nearest.leaf, nearest.lane,
                                               (int)(nearest.region - SD_REGION_VERTEX_A));
    }
    return result;
}
