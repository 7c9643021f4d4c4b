// SPDX-License-Identifier: MIT
// mesh_bvh.h - a tree of boxes, eight children a node, over the triangles of a mesh.

#ifndef SD_GEOMETRY_MESH_BVH_H
#define SD_GEOMETRY_MESH_BVH_H

#include "base/memory.h"
#include "sudar/mesh.h"

typedef struct sdMeshBvhNode sdMeshBvhNode;
typedef struct sdMeshBvhLeaf sdMeshBvhLeaf;

typedef struct sdMeshBvh {
    sdMeshBvhNode* nodes; ///< opens the block that holds all of it
    sdMeshBvhLeaf* leaves;
    int nodeCount;
    int leafCount;
    size_t byteCount;
} sdMeshBvh;

/// Vertices and indices must have been checked. Same tree for any number of workers.
sdResult sdMeshBvh_Build(const sdContext* context, const sdMeshData* data, sdMeshBvh* out);
void sdMeshBvh_Free(const sdAllocator* allocator, sdMeshBvh* bvh);

/// Nearest point of the triangles; triangle SD_NULL_INDEX when none is within maxDistance.
sdMeshPoint sdMeshBvh_ClosestPoint(const sdMeshBvh* bvh, sdVec3 p, float maxDistance);

#endif
