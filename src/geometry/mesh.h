// SPDX-License-Identifier: MIT
// mesh.h - what an sdMesh is made of.

#ifndef SD_GEOMETRY_MESH_H
#define SD_GEOMETRY_MESH_H

#include "base/memory.h"
#include "geometry/mesh_bvh.h"
#include "sudar/mesh.h"

/// Sine of the angle within which normals are the same: that of a face, or those of two triangles.
#define SD_MESH_SAME_NORMAL 2e-3

/// What the sides of a triangle are to a body that touches it, three bits for each of these.
typedef enum sdMeshSides {
    SD_SIDES_OPEN = 0, ///< that have no flat neighbour
    SD_SIDES_SHARP_FRONT =
        3,                  ///< of these, that stick out, or have no neighbour, seen from the front
    SD_SIDES_SHARP_BACK = 6 ///< the same from behind, where what bulges is hollow
} sdMeshSides;

struct sdMesh {
    sdRefCount refCount;
    sdContext context;
    size_t byteCount; ///< of the block that this struct opens; the tree has one of its own

    int vertexCount;
    int triangleCount;
    int edgeCount;
    sdVec3* vertices;
    int32_t* triangles;     ///< 3 vertices each
    int32_t* neighbors;     ///< 3 triangles each, across edges (v0 v1), (v1 v2), (v2 v0)
    int32_t* triangleEdges; ///< 3 edges each, in the same order; SD_NULL_INDEX where two equal
                            ///< vertices were kept
    sdMeshEdge* edges;
    uint16_t* sides; ///< of each triangle: bits from each place of sdMeshSides on

    // angle-weighted pseudo-normals (Baerentzen and Aanaes 2005), unit length
    sdVec3* faceNormals; ///< of neighbours, for triangles without area
    sdVec3* edgeNormals;
    sdVec3* vertexNormals;

    sdAABB bounds;
    sdMeshBvh bvh;
    sdMeshReport report;
};

#endif
