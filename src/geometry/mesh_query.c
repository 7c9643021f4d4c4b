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
    // boxes that are not there are infinitely far
    float bound = sdMinF(maxDistance * maxDistance, FLT_MAX);
    sdMeshBvhNearest nearest = {bound, INT32_MAX, 0, 0};
    SD_DISPATCH(sdMeshBvh_Nearest)(bvh, p, &nearest);
    if (nearest.triangle == INT32_MAX) {
        return result;
    }
    const sdMeshBvhLeaf* leaf = bvh->leaves + nearest.leaf;
    sdTrianglePoint point =
        sdClosestPointOnTriangle(p, sdMeshBvhLeaf_GetCorner(leaf, nearest.lane, 0),
                                 sdMeshBvhLeaf_GetCorner(leaf, nearest.lane, 1),
                                 sdMeshBvhLeaf_GetCorner(leaf, nearest.lane, 2));
    return (sdMeshPoint){point.point, sqrtf(nearest.distanceSquared), nearest.triangle,
                         point.region};
}
