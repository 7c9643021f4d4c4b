// SPDX-License-Identifier: MIT
// mesh_bvh.h - a tree of boxes, eight children a node, over the triangles of a mesh.
//
// Boxes and triangles stand eight abreast, so that one node or one leaf is one pass of SIMD. The
// tree is made once, by binned surface-area splits, and never changed. It copies the corners of
// the triangles into its leaves: a query touches nothing but the tree.

#ifndef SD_GEOMETRY_MESH_BVH_H
#define SD_GEOMETRY_MESH_BVH_H

#include "base/memory.h"
#include "base/simd.h"
#include "sudar/mesh.h"

/// Levels of nodes below which a query's stack cannot overflow. The builder splits by area down to
/// SD_BVH_AREA_DEPTH and by halves from there: 8 ways a level, so 9 levels more for 1e8 triangles.
#define SD_BVH_AREA_DEPTH 24
#define SD_BVH_MAX_DEPTH 34
#define SD_BVH_STACK_SIZE (7 * SD_BVH_MAX_DEPTH + 8)

/// A child that does not exist. Its box is empty: lower = +infinity, upper = -infinity.
#define SD_BVH_NO_CHILD INT32_MIN

typedef struct sdMeshBvhNode {
    float lower[3][SD_LANES];
    float upper[3][SD_LANES];
    int32_t child[SD_LANES]; ///< a node, or ~leaf, or SD_BVH_NO_CHILD in the last places
} sdMeshBvhNode;

typedef struct sdMeshBvhLeaf {
    float corner[3][3][SD_LANES]; ///< corner, axis, lane
    int32_t triangle[SD_LANES];   ///< ascending; lanes left over repeat the last triangle
} sdMeshBvhLeaf;

typedef struct sdMeshBvh {
    sdMeshBvhNode* nodes; ///< opens the block that holds all of it; the root comes first
    sdMeshBvhLeaf* leaves;
    int nodeCount;
    int leafCount;
    size_t byteCount;
} sdMeshBvh;

/// Vertices and indices must have been checked. Same tree for any number of workers.
sdResult sdMeshBvh_Build(const sdContext* context, const sdMeshData* data, sdMeshBvh* out);
void sdMeshBvh_Free(const sdAllocator* allocator, sdMeshBvh* bvh);

/// Nearest point of the triangles; triangle SD_NULL_INDEX when none is within maxDistance or p is
/// not finite. Of triangles at the same distance the one with the smallest index is taken. A good
/// upper bound makes the query much faster; one taken from a neighbouring query must be rounded up.
sdMeshPoint sdMeshBvh_ClosestPoint(const sdMeshBvh* bvh, sdVec3 p, float maxDistance);

/// Corner 0, 1 or 2 of a triangle in a leaf.
static inline sdVec3 sdMeshBvhLeaf_GetCorner(const sdMeshBvhLeaf* leaf, int lane, int corner) {
    return sdV3(leaf->corner[corner][0][lane], leaf->corner[corner][1][lane],
                leaf->corner[corner][2][lane]);
}

// ---- kernels (mesh_bvh_kernel.c) -----------------------------------------------------------

/// The best triangle so far.
typedef struct sdMeshBvhNearest {
    float distanceSquared; ///< in: only triangles at most this far count
    int32_t triangle;      ///< in: INT32_MAX
    int32_t leaf;
    int32_t lane;
    sdVec3 offset; ///< from p to the nearest point
    sdTriangleRegion region;
} sdMeshBvhNearest;

SD_DECLARE_KERNEL(void, sdMeshBvh_Nearest,
                  (const sdMeshBvh* bvh, sdVec3 p, sdMeshBvhNearest* nearest));

#endif
