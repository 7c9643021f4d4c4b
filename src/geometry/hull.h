// SPDX-License-Identifier: MIT
// hull.h - what an sdHull is made of, and the workbench on which it is built.
//
// Building goes through these files:
//     hull_build.c        points on a lattice, first tetrahedron, adding a point to the hull
//     hull_quick.c        or hull_incremental.c: which point next
//     hull_merge.c        triangles that lie in one plane become polygons
//     hull_remove.c       vertices that polygons do not need go
//     hull.c              polygons become one immutable block
//
// How it stays right whatever the input is: coordinates are taken relative to the middle of the
// bounding box and rounded to a lattice twice as fine as the floats at the rim of such a box about
// the origin. Edge vectors then have 26 bits, normals are exact in double, and the side of a plane
// on which a point lies is found without error. The triangles are therefore at every moment exactly
// the boundary of the convex hull of the points added so far, and the horizon seen from a point is
// always one closed loop. Tolerance comes in at two places only: points that stick out by less are
// not added, and faces that differ by less are merged.

#ifndef SD_GEOMETRY_HULL_H
#define SD_GEOMETRY_HULL_H

#include "base/array.h"
#include "sudar/hull.h"

/// What a face touches with, in a line of the processor's cache: its first corners, of triangles
/// the first of all again, and its plane. By way of half-edges and vertices it is in five lines,
/// which are asked for one after the other.
typedef struct sdHullCorners {
    float x[4], y[4], z[4];
    sdPlane plane;
} sdHullCorners;

struct sdHull {
    sdRefCount refCount;
    sdContext context;
    size_t byteCount;

    // what contacts that last ask for is in one or two lines of the processor's cache
    int vertexCount;
    int halfEdgeCount;
    int faceCount;
    float reach; ///< of the corners of `half`
    sdVec3* vertices;
    sdHalfEdge* edges;
    sdPlane* planes;
    sdHullCorners* corners; ///< of each face
    int32_t* vertexEdges;

    // for support queries
    float* soa; ///< x, then y, then z of the vertices; each padded with the first to `soaStride`
    int soaStride;
    // neighbours of vertex v: neighborStarts[v] .. neighborStarts[v + 1] - 1; by the edges of the
    // triangles, which are exactly convex, while polygons are so only within the tolerance
    int32_t* neighborStarts;
    int32_t* neighbors;
    uint16_t* cells; ///< about the furthest vertex, by cell of directions; NULL: better scan

    // for bounds of all faces of small hulls at once; NULL for others
    float* planeSoa; ///< x, y, z of the normals, then the offsets; each padded with the first
    int planeStride;
    uint64_t* sideFaces; ///< of each face, bit i: it shares an edge with face i
    float flatness;      ///< no vertex of a face is further below or above its plane
    /// 1 / cos of half of the largest angle between normals at an edge, or INFINITY.
    float arcStretch;

    sdAABB bounds;
    sdVec3 half;       ///< of the least box about the frame's origin that the hull is in
    sdVec3 center;     ///< mean of the vertices; inside, as the middle of the bounds need not be
    float innerRadius; ///< of a ball about the centre that is in the hull; 0 when it is too thin
    float outerRadius; ///< of the ball about the centre that the hull is in
    float tolerance;

    // last, so that all else stays in its line of the processor's cache
    int32_t* faceEdges;
    /// Of small hulls: vertices at the ends of the edges of face f, from faceEdges[f] on, in the
    /// order of its bits in sideFaces.
    uint8_t (*sideEnds)[2];
};

/// Hulls with no more vertices are small; they have at most 60 faces.
#define SD_HULL_SMALL 32

/// Hulls with more vertices are climbed, smaller ones are scanned; measured, see
/// bench/queries_support.c.
#define SD_HULL_SCAN_LIMIT 480

/// Hulls with more vertices have one of them for each cell of directions; fewer are scanned as
/// quickly as a cell is found.
#define SD_HULL_CELLS_ABOVE 64

/// Cells of an octahedron around the hull, on a side of each half of it: fine enough that of 256
/// vertices it is the furthest itself, or one beside it; measured.
#define SD_HULL_CELL_SIDE 24
#define SD_HULL_CELL_COUNT (2 * SD_HULL_CELL_SIDE * SD_HULL_CELL_SIDE)

/// Which cell of a side, from 0 .. SD_HULL_CELL_SIDE; also for NaN.
static inline int sdHull_BinOf(float u) {
    const float last = (float)(SD_HULL_CELL_SIDE - 1);
    return u > 0.0f ? (int)(u < last ? u : last) : 0;
}

/// Cell that the direction passes through: an octahedron, each half of it laid flat and turned to
/// be a square. Directions are hard to foretell, so that finding the side of a cube would cost two
/// branches gone wrong; this has none.
static inline int sdHull_CellOf(sdVec3 d) {
    float length = sdAbsF(d.x) + sdAbsF(d.y) + sdAbsF(d.z);
    float scale = length > 0.0f ? 0.5f * (float)SD_HULL_CELL_SIDE / length : 0.0f;
    float middle = 0.5f * (float)SD_HULL_CELL_SIDE;
    int u = sdHull_BinOf(middle + (d.x + d.y) * scale);
    int v = sdHull_BinOf(middle + (d.x - d.y) * scale);
    return ((d.z < 0.0f ? SD_HULL_CELL_SIDE : 0) + u) * SD_HULL_CELL_SIDE + v;
}

/// Set the cells.
/// @param quarters, list of as many numbers as there are vertices, to work with
void sdHull_FillCells(sdHull* hull, int32_t* quarters, int32_t* list);

// ---- the workbench -------------------------------------------------------------------------

/// Bits of a lattice coordinate, sign aside. 25 is the most for which normals are exact in double:
/// edge vectors have 26 bits, their products 52, the difference of two products 53.
#define SD_HULL_LATTICE_BITS 25

/// A point on the lattice; whole numbers, in steps.
typedef struct sdHullPoint {
    double x, y, z;
} sdHullPoint;

/// Unit normal; in steps.
typedef struct sdHullPlane {
    double x, y, z, offset;
} sdHullPlane;

/// A triangle of the growing hull. Half-edge 3 * face + i goes from vertex[i] to vertex[i + 1].
/// One cache line.
typedef struct sdHullFace {
    sdHullPlane plane;
    int32_t vertex[3];
    int32_t twin[3];
    int32_t firstPoint; ///< points above this face, through sdHullBuild.nextPoint, furthest first
    int32_t mark;       ///< when it was last looked at, see hull_build.c; SD_HULL_FREE: no face
} sdHullFace;

#define SD_HULL_FREE (-1)

/// An edge between what a new point sees and what it does not.
typedef struct sdHullHorizon {
    int32_t from, to; ///< vertices, counter-clockwise seen from the point
    int32_t twin;     ///< half-edge on the face that stays
} sdHullHorizon;

/// A face made for the newest point.
typedef struct sdHullCreated {
    double reach; ///< distance of the furthest point given to it
    int32_t face;
} sdHullCreated;

SD_DEFINE_ARRAY(sdHullFaceArray, sdHullFace)
SD_DEFINE_ARRAY(sdHullPlaneArray, sdHullPlane)
SD_DEFINE_ARRAY(sdHullHorizonArray, sdHullHorizon)
SD_DEFINE_ARRAY(sdHullCreatedArray, sdHullCreated)

typedef struct sdHullBuild {
    const sdContext* context;
    const sdVec3* input;
    int pointCount;
    int maxVertexCount; ///< INT_MAX: no limit

    double center[3]; ///< of the lattice, m
    double step;      ///< of the lattice, m; a power of two
    double tolerance; ///< points that stick out less are not added; in steps
    double deviation; ///< how far points that were left out stick out at most; in steps

    void* block; ///< holds the four arrays by point
    size_t blockSize;
    sdHullPoint* points;
    int32_t* nextPoint;
    int32_t* pointFace; ///< of a vertex: new face whose horizon edge starts there; else scratch
    int32_t* orphans;   ///< points whose face is gone
    int orphanCount;

    sdHullFaceArray faces;
    int liveFaceCount;
    int32_t firstFree; ///< through vertex[0]
    int32_t mark;

    sdIntArray visible;         ///< faces that the newest point saw
    sdHullHorizonArray horizon; ///< of the newest point
    sdHullCreatedArray created;
    sdHullPlaneArray planes; ///< of `created`
} sdHullBuild;

/// Put the points on the lattice.
/// @param box of the points
/// @return SD_ERROR_DEGENERATE when they are all equal
sdResult sdHullBuild_Init(sdHullBuild* build, const sdContext* context, const sdHullDef* def,
                          sdAABB box);
void sdHullBuild_Free(sdHullBuild* build);

/// The first four faces, in `created`.
/// @return SD_ERROR_DEGENERATE when the points lie on a line or in a plane
sdResult sdHullBuild_AddTetrahedron(sdHullBuild* build);

/// Add a point that sees `face`. Faces that it sees go, their points become `orphans`, and a fan of
/// `created` faces joins the point to the horizon.
sdResult sdHullBuild_AddPoint(sdHullBuild* build, int32_t point, int32_t face);

/// Take a vertex away again, and close the hole by faces between its neighbours.
/// @param halfEdge that starts from the vertex
/// @param isRemoved false when the vertex stays: too many neighbours, or it sticks out too far
sdResult sdHullBuild_RemoveVertex(sdHullBuild* build, int32_t halfEdge, bool* isRemoved);

/// Give each orphan to the new face that it is furthest above; those that see none are inside.
void sdHullBuild_Partition(sdHullBuild* build);

/// Give each point that is above a face to the furthest of all faces that it sees, and find
/// `deviation`.
sdResult sdHullBuild_Settle(sdHullBuild* build);

/// Put a point at the head of a face's list, or second.
void sdHullBuild_Give(sdHullBuild* build, int32_t point, int32_t face, bool isFurthest);

/// Room to add faces after some were removed.
sdResult sdHullBuild_Reserve(sdHullBuild* build, int removedCount, int addedCount);

/// Room must have been reserved. Appended to `created`. The corners must not be on a line.
int32_t sdHullBuild_AddFace(sdHullBuild* build, int32_t v0, int32_t v1, int32_t v2);

/// Its points become orphans.
void sdHullBuild_RemoveFace(sdHullBuild* build, int32_t face);

/// The sign of (b - a) x (c - a) . (p - a), without error.
int sdHullBuild_Side(const sdHullBuild* build, const int32_t corners[3], int32_t p);

static inline sdHullPoint sdHullPoint_Sub(sdHullPoint a, sdHullPoint b) {
    return (sdHullPoint){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline sdHullPoint sdHullPoint_Cross(sdHullPoint a, sdHullPoint b) {
    return (sdHullPoint){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double sdHullPoint_Dot(sdHullPoint a, sdHullPoint b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline double sdHullPlane_Distance(const sdHullPlane* plane, sdHullPoint p) {
    return plane->x * p.x + plane->y * p.y + plane->z * p.z - plane->offset;
}

static inline int sdHullBuild_VertexCount(const sdHullBuild* build) {
    // Euler, for triangles
    return build->liveFaceCount / 2 + 2;
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

static inline void sdHullBuild_Link(sdHullBuild* build, int32_t a, int32_t b) {
    build->faces.data[a / 3].twin[a % 3] = b;
    build->faces.data[b / 3].twin[b % 3] = a;
}

sdResult sdHullBuild_Quick(sdHullBuild* build);
sdResult sdHullBuild_Incremental(sdHullBuild* build);

// ---- polygons ------------------------------------------------------------------------------

/// A side of a polygon. Those of a polygon follow each other, counter-clockwise seen from outside.
typedef struct sdHullSide {
    int32_t vertex; ///< input point where it starts
    int32_t twin;   ///< the same side of the neighbour
} sdHullSide;

SD_DEFINE_ARRAY(sdHullSideArray, sdHullSide)

typedef struct sdHullPolygons {
    sdIntArray starts; ///< first side of each polygon, and one more entry
    sdHullSideArray sides;
    sdIntArray faces; ///< of each polygon: a triangle of it, which has the polygon's plane
    double deviation; ///< how far input points lie outside of these planes at most; in steps
    bool isWhole;     ///< every vertex of the triangles is one of the polygons
} sdHullPolygons;

/// May remove vertices that spoil a polygon, which costs no more than the tolerance. Sets planes.
sdResult sdHullBuild_Merge(sdHullBuild* build, sdHullPolygons* out);
void sdHullPolygons_Free(sdHullPolygons* polygons, const sdAllocator* allocator);

#endif
