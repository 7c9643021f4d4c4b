// SPDX-License-Identifier: MIT
// hull.h - what an sdHull is made of, and the workbench on which it is built.
//
// Building goes through four files:
//     hull_build.c        points on a lattice, first tetrahedron, adding a point to the hull
//     hull_quick.c        or hull_incremental.c: which point next
//     hull_merge.c        triangles that lie in one plane become polygons
//     hull.c              polygons become one immutable block
//
// How it stays right whatever the input is: coordinates are taken relative to the middle of the
// bounding box and rounded to a lattice of 2^26 steps across it (finer than a float's resolution
// of the box by a factor of four). Edge vectors then have 26 bits, normals are exact in double,
// and the side of a plane on which a point lies is found without error. The triangles are
// therefore at every moment exactly the boundary of the convex hull of the points added so far,
// and the horizon seen from a point is always one closed loop. Tolerance comes in at two places
// only: points that stick out by less are not added, and faces that differ by less are merged.

#ifndef SD_GEOMETRY_HULL_H
#define SD_GEOMETRY_HULL_H

#include "base/array.h"
#include "sudar/hull.h"

struct sdHull {
    sdRefCount refCount;
    sdContext context;
    size_t byteCount;

    int vertexCount;
    int halfEdgeCount;
    int faceCount;
    sdVec3* vertices;
    int32_t* vertexEdges;
    sdHalfEdge* edges;
    sdPlane* planes;
    int32_t* faceEdges;

    // for support queries
    float* soa; ///< x, then y, then z of the vertices; each padded with the first to `soaStride`
    int soaStride;
    int32_t* neighborStarts; ///< vertexCount + 1
    int32_t* neighbors;      ///< of vertex v: neighborStarts[v] .. neighborStarts[v + 1] - 1

    sdAABB bounds;
    float tolerance;
};

// ---- the workbench -------------------------------------------------------------------------

/// Bits of a lattice coordinate, sign aside. 25 is the most for which normals are exact in double:
/// edge vectors have 26 bits, their products 52, the difference of two products 53.
#define SD_HULL_LATTICE_BITS 25

/// Steps. Computed distances above it have the right sign: coordinates have 25 bits, so rounding of
/// the four terms of a distance is below 2^-23.
#define SD_HULL_SURE_DISTANCE (1.0 / 1048576.0)

/// A point on the lattice; whole numbers, in steps.
typedef struct sdHullPoint {
    double x, y, z;
} sdHullPoint;

/// Unit normal; in steps.
typedef struct sdHullPlane {
    double x, y, z, offset;
} sdHullPlane;

/// A triangle of the growing hull. Half-edge 3 * face + i goes from vertex[i] to vertex[i + 1].
typedef struct sdHullFace {
    sdHullPlane plane;
    int32_t vertex[3];
    int32_t twin[3];
    int32_t firstPoint; ///< list of points above this face, through sdHullBuild.nextPoint
    int32_t farPoint;   ///< the furthest of them
    double farDistance; ///< in steps
    int64_t mark;       ///< when it was last looked at, see hull_build.c; SD_HULL_FREE: no face
} sdHullFace;

#define SD_HULL_FREE (-1)

/// An edge between what a new point sees and what it does not.
typedef struct sdHullHorizon {
    int32_t from, to; ///< vertices, counter-clockwise seen from the point
    int32_t twin;     ///< half-edge on the face that stays
} sdHullHorizon;

SD_DEFINE_ARRAY(sdHullFaceArray, sdHullFace)
SD_DEFINE_ARRAY(sdHullPlaneArray, sdHullPlane)
SD_DEFINE_ARRAY(sdHullHorizonArray, sdHullHorizon)

typedef struct sdHullBuild {
    const sdContext* context;
    const sdVec3* input;
    int pointCount;
    int maxVertexCount; ///< INT_MAX: no limit

    double center[3]; ///< of the lattice, m
    double step;      ///< of the lattice, m; a power of two
    double tolerance; ///< points that stick out less are not added; in steps
    double deviation; ///< how far points that were left out stick out at most; in steps

    void* block; ///< holds the three arrays below
    size_t blockSize;
    sdHullPoint* points;
    int32_t* nextPoint;
    int32_t* fanFace; ///< by vertex: new face whose horizon edge starts there

    sdHullFaceArray faces;
    int liveFaceCount;
    int32_t firstFree; ///< through vertex[0]
    int64_t mark;

    sdIntArray visible;         ///< faces that the newest point saw
    sdHullHorizonArray horizon; ///< of the newest point
    sdIntArray orphans;         ///< points whose face is gone
    sdIntArray created;         ///< faces made for the newest point
} sdHullBuild;

/// Put the points on the lattice.
/// @return SD_ERROR_DEGENERATE when they are all equal
sdResult sdHullBuild_Init(sdHullBuild* build, const sdContext* context, const sdHullDef* def);
void sdHullBuild_Free(sdHullBuild* build);

/// The first four faces, in `created`.
/// @return SD_ERROR_DEGENERATE when the points lie on a line or in a plane
sdResult sdHullBuild_AddTetrahedron(sdHullBuild* build);

/// Add a point that sees `face`. Faces that it sees go, their points become `orphans`, and a fan of
/// `created` faces joins the point to the horizon.
sdResult sdHullBuild_AddPoint(sdHullBuild* build, int32_t point, int32_t face);

/// Strictly above the face's plane, without error.
bool sdHullBuild_Sees(const sdHullBuild* build, int32_t point, const sdHullFace* face);

/// Largest distance of a point from the planes of the faces that it sees, found by walking from a
/// face that it sees.
double sdHullBuild_Height(sdHullBuild* build, int32_t point, int32_t face, int32_t* furthest);

static inline int sdHullBuild_VertexCount(const sdHullBuild* build) {
    // Euler, for triangles
    return build->liveFaceCount / 2 + 2;
}

static inline double sdHullPlane_Distance(const sdHullPlane* plane, sdHullPoint p) {
    return plane->x * p.x + plane->y * p.y + plane->z * p.z - plane->offset;
}

static inline int32_t sdHullBuild_Next(int32_t halfEdge) {
    return halfEdge % 3 == 2 ? halfEdge - 2 : halfEdge + 1;
}

static inline int32_t sdHullBuild_Origin(const sdHullBuild* build, int32_t halfEdge) {
    return build->faces.data[halfEdge / 3].vertex[halfEdge % 3];
}

static inline int32_t sdHullBuild_Twin(const sdHullBuild* build, int32_t halfEdge) {
    return build->faces.data[halfEdge / 3].twin[halfEdge % 3];
}

sdResult sdHullBuild_Quick(sdHullBuild* build);
sdResult sdHullBuild_Incremental(sdHullBuild* build);

/// Polygons, counter-clockwise seen from outside. Vertices are indices of input points.
typedef struct sdHullPolygons {
    sdIntArray starts; ///< one more than there are polygons
    sdIntArray vertices;
    sdHullPlaneArray planes;
    double deviation; ///< how far input points lie outside of these planes at most; in steps
} sdHullPolygons;

sdResult sdHullBuild_Merge(sdHullBuild* build, sdHullPolygons* out);
void sdHullPolygons_Free(sdHullPolygons* polygons, const sdAllocator* allocator);

#endif
