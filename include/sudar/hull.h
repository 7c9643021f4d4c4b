// SPDX-License-Identifier: MIT
// hull.h - convex hulls.
//
// An sdHull is immutable, one block, reference counted. Its vertices are input points, bit by bit.
// Triangles in one plane, within rounding of the points' coordinates, are merged into polygons,
// which are flat and convex within sdHull_GetTolerance. Half-edges of a face follow each other
// counter-clockwise seen from outside. Points should be given near the origin: a plane's offset has
// the resolution of a float.

#ifndef SUDAR_HULL_H
#define SUDAR_HULL_H

#include "sudar/bounds.h"
#include "sudar/mass.h"

SD_BEGIN_C

typedef enum sdHullMethod {
    SD_HULL_QUICK,      ///< quickhull: the farthest point of a face's outside set first
    SD_HULL_INCREMENTAL ///< point by point, with the horizon (S0 §6.1.2)
} sdHullMethod;

typedef struct sdHullDef {
    const sdVec3* points;
    int pointCount;
    sdHullMethod method;
    /// The most vertices; 0: no limit, else at least 4. With SD_HULL_QUICK the point that sticks
    /// out furthest is added next, so this hull lies inside the full one and is near it;
    /// sdHull_GetTolerance says how near.
    int maxVertexCount;
} sdHullDef;

/// Quickhull, no limit of vertices. `points` are to be filled in.
SD_API sdHullDef sdHullDef_Default(void);

typedef struct sdHalfEdge {
    int32_t origin; ///< vertex that it starts from
    int32_t twin;   ///< the same edge on the neighbouring face
    int32_t next;   ///< on the same face
    int32_t face;
} sdHalfEdge;

/// Points x of the plane: dot(normal, x) = offset. The solid is below.
typedef struct sdPlane {
    sdVec3 normal;
    float offset;
} sdPlane;

static inline float sdPlane_Distance(sdPlane plane, sdVec3 p) {
    return sdDot(plane.normal, p) - plane.offset;
}

typedef struct sdHull sdHull;

/// @return SD_ERROR_INVALID_ARGUMENT for no points or numbers not finite; SD_ERROR_DEGENERATE when
///         all points are equal, on a line or in a plane within rounding (the log says which);
///         SD_ERROR_LIMIT for more than 2^27 points, coordinates beyond 1e18 m and hulls below
///         1e-30 m
SD_API sdResult sdHull_Create(const sdContext* context, const sdHullDef* def, sdHull** out);

/// One more reference, and one less: the last frees the hull. NULL may be released.
SD_API void sdHull_Retain(const sdHull* hull);
SD_API void sdHull_Release(const sdHull* hull);

/// Borrowed arrays, valid as long as the hull.
SD_API const sdVec3* sdHull_GetVertices(const sdHull* hull, int* count);
/// One half-edge that starts from each vertex.
SD_API const int32_t* sdHull_GetVertexEdges(const sdHull* hull);
SD_API const sdHalfEdge* sdHull_GetEdges(const sdHull* hull, int* halfEdgeCount);
SD_API const sdPlane* sdHull_GetPlanes(const sdHull* hull, int* faceCount);
/// One half-edge of each face.
SD_API const int32_t* sdHull_GetFaceEdges(const sdHull* hull);
SD_API sdAABB sdHull_GetBounds(const sdHull* hull);
SD_API size_t sdHull_GetByteCount(const sdHull* hull);
/// No input point lies further outside of a face than this: rounding only, about 1e-6 of the size,
/// unless maxVertexCount cut the hull short.
SD_API float sdHull_GetTolerance(const sdHull* hull);

/// By the half-spaces of its faces (A11).
/// @param margin points so far outside still count as inside
SD_API bool sdHull_Contains(const sdHull* hull, sdVec3 p, float margin);

/// Index of the vertex furthest along `direction`: all vertices looked at, eight at a time.
SD_API int sdHull_SupportScan(const sdHull* hull, sdVec3 direction);
/// The same by walking from neighbour to neighbour, from the vertex `start`. Where faces are flat
/// only within the tolerance, the vertex found may be so much less far.
SD_API int sdHull_SupportClimb(const sdHull* hull, sdVec3 direction, int start);
/// The faster of the two for this hull.
SD_API int sdHull_Support(const sdHull* hull, sdVec3 direction);

/// Infinite where a float cannot hold it, which sdShape_GetMass refuses.
SD_API void sdHull_GetMass(const sdHull* hull, float density, sdMassProps* out);

SD_END_C

#endif
