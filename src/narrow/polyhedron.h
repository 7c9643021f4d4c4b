// SPDX-License-Identifier: MIT
// polyhedron.h - a box, hull or triangle seen as vertices, edges and faces.

#ifndef SD_NARROW_POLYHEDRON_H
#define SD_NARROW_POLYHEDRON_H

#include "math/vec3d.h"
#include "sudar/collide.h"

/// The arrays are those of sdHull (hull.h), or stand in an sdPolyhedronStorage.
typedef struct sdPolyhedron {
    const sdVec3* vertices;
    const int32_t* vertexEdges;
    const sdHalfEdge* edges;
    const sdPlane* planes;
    const int32_t* faceEdges;
    int vertexCount;
    int halfEdgeCount;
    int faceCount;
    sdVec3 center;    ///< mean of the vertices: inside, or on the triangle
    sdShapeType type; ///< box, hull or triangle
} sdPolyhedron;

/// Room for what a box or a triangle does not have as arrays.
typedef struct sdPolyhedronStorage {
    sdVec3 vertices[8];
    sdPlane planes[6];
} sdPolyhedronStorage;

/// A box has vertex i at -half.x where bit 0 of i is set, -half.y for bit 1, -half.z for bit 2, and
/// faces +x -x +y -y +z -z. A triangle has two faces, back to back; without area its normal is some
/// unit vector across its longest side.
/// @param storage must live as long as the polyhedron
/// @return false for other shapes and for invalid ones
bool sdPolyhedron_Init(sdPolyhedron* polyhedron, sdPolyhedronStorage* storage,
                       const sdShape* shape);

/// Along a half-edge, of any length: not zero for the edges of a box without extent, but zero where
/// corners of a triangle coincide.
sdVec3d sdPolyhedron_EdgeVector(const sdPolyhedron* polyhedron, int edge);

/// The half-edge of a box (the lower of the two) along an axis 0 .. 2 that is furthest along the
/// direction d.
int sdPolyhedron_BoxEdge(int axis, sdVec3d d);

#endif
