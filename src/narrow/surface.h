// SPDX-License-Identifier: MIT
// surface.h - one convex body and one mesh, triangle by triangle.

#ifndef SD_NARROW_SURFACE_H
#define SD_NARROW_SURFACE_H

#include "geometry/mesh.h"
#include "narrow/surface_patch.h"

/// Triangles that are put in order before they are looked at, so that points are found in the same
/// order from step to step.
#define SD_SURFACE_CHUNK 512
/// Triangles nearer to a contact point than this fraction of the body's size meet there.
#define SD_SURFACE_MEETING 1e-4

/// Depth, as a fraction of the body's size, down to which a body lies on a face for certain.
#define SD_SURFACE_SHALLOW 0.01
/// The same of its middle, in a solid: a needle that is pressed in by more than it is thick lies on
/// the face still.
#define SD_SURFACE_SUNK 0.02

/// What the body shows to a face: points that may touch it.
typedef struct sdSurfaceView {
    sdVec3d normal; ///< of the face
    sdVec3d down;   ///< against it, in the body's frame
    sdVec3d lowest;
    bool hasFace; ///< what follows is set
    sdSupportFace face;
    sdContactKind kind;
    int count;
    sdVec3d points[SD_CLIP_MAX_POINTS + 1];
    uint32_t ids[SD_CLIP_MAX_POINTS + 1];
} sdSurfaceView;

/// One convex body and one mesh, in the mesh's frame.
typedef struct sdSurfaceSearch {
    const sdMesh* mesh;
    const sdShape* body;
    sdTransform xf; ///< of the body
    sdPose pose;
    sdVec3d center; ///< of its box
    double size, limit;
    bool isRound;    ///< a sphere or capsule: points with a radius around them
    sdVec3d ends[2]; ///< of its core
    double radius;
    float margin;
    int chunk[SD_SURFACE_CHUNK];
    sdVec3d normals[SD_SURFACE_CHUNK]; ///< by their own order of corners; zero without area
    int chunkCount;
    bool isWhole;  ///< all triangles in the box are in the chunk
    double room;   ///< from the center to where the box ends
    double side;   ///< of the surface, on which the body is: 1 front, -1 back; 0: any
    bool hasSide;  ///< that is known
    bool isBehind; ///< the body is behind a triangle of a solid
    bool hasView;
    sdSurfaceView view;
    sdSurfacePatches patches;
} sdSurfaceSearch;

typedef struct sdSurfaceTriangle {
    int index;
    sdVec3d corners[3];
    sdVec3d normal;     ///< unit, on the side of the body
    sdVec3d outward[3]; ///< unit, across the sides, in the plane
    uint32_t open;      ///< sides that have no flat neighbour
    uint32_t sharp;     ///< sides that stick out, or have no neighbour
} sdSurfaceTriangle;

static inline double sdSurfaceTriangle_Height(const sdSurfaceTriangle* triangle, sdVec3d p) {
    return sdDotD(triangle->normal, sdSubD(p, triangle->corners[0]));
}

static inline bool sdSurfaceTriangle_IsUnder(const sdSurfaceTriangle* triangle, sdVec3d p,
                                             double tolerance) {
    for (int i = 0; i < 3; ++i) {
        if (sdDotD(triangle->outward[i], sdSubD(p, triangle->corners[i])) > tolerance) {
            return false;
        }
    }
    return true;
}

// ---- collide_surface.c ---------------------------------------------------------------------

/// The normal of a triangle by its own order of corners; zero for one without area.
sdVec3d sdSurface_NormalOf(const sdMesh* mesh, int index);

/// Take which sides have neighbours in the plane of this triangle, and which fall away.
/// @param isFront whether the body is on the side of its own normal
static inline void sdSurfaceTriangle_Classify(sdSurfaceTriangle* triangle, const sdMesh* mesh,
                                              bool isFront) {
    uint32_t sides = mesh->sides[triangle->index];
    triangle->open = sides >> SD_SIDES_OPEN & 7u;
    triangle->sharp = sides >> (isFront ? SD_SIDES_SHARP_FRONT : SD_SIDES_SHARP_BACK) & 7u;
}

/// What is left to do of a triangle that sticks out.
typedef enum sdSurfaceSharp {
    SD_SURFACE_DONE,    ///< nothing
    SD_SURFACE_NEAREST, ///< it is touched at its nearest point
    SD_SURFACE_HOLLOW   ///< only its face is, and its hollow sides
} sdSurfaceSharp;

/// Tell how a triangle that sticks out is touched; add the points of its face where it is.
/// @param p nearest point of the triangle
/// @param n unit, from there to the body
sdSurfaceSharp sdSurfaceSearch_AddSharp(sdSurfaceSearch* search, const sdSurfaceTriangle* triangle,
                                        sdVec3d p, sdVec3d n, bool isInFront);

/// Add the points of a triangle on its own.
void sdSurfaceSearch_AddManifold(sdSurfaceSearch* search, const sdSurfaceTriangle* triangle,
                                 const sdManifold* manifold, sdVec3d normal);

/// Add the points of a triangle, whatever the body is.
/// @param n its normal; zero for one without area
void sdSurfaceSearch_AddTriangle(sdSurfaceSearch* search, int index, sdVec3d n);

/// Normals of all triangles in the chunk.
void sdSurfaceSearch_SetNormals(sdSurfaceSearch* search);

/// The side of a surface on which the body's middle is. A solid has one side; where triangles
/// disagree which side is which, each is asked on its own, and where the surface is out of reach.
/// The normals must be set.
double sdSurfaceSearch_FindSide(const sdSurfaceSearch* search);

// ---- surface_round.c -----------------------------------------------------------------------

/// Add the points of a sphere or capsule and all triangles, which are in the chunk.
/// @return false when too many are near; nothing was added
bool sdSurfaceSearch_AddRound(sdSurfaceSearch* search);

// ---- surface_face.c ------------------------------------------------------------------------

/// Find the body's lowest point over a face. Triangles of one plane share it.
/// @param normal unit, from the face to the body
void sdSurfaceSearch_Look(sdSurfaceSearch* search, sdVec3d normal);

/// Add all that the body shows to the face of a triangle and is over it. What crosses a side to a
/// flat neighbour goes on there.
/// @param sides whose crossings are wanted, as bits
/// @param rim points that are beside it by no more still count, m
/// @return whether there is a point
bool sdSurfaceSearch_AddFace(sdSurfaceSearch* search, const sdSurfaceTriangle* triangle,
                             uint32_t sides, double rim);

// ---- surface_edge.c ------------------------------------------------------------------------

/// Whether the mesh, not only this triangle, can be touched at p along n: whether no triangle
/// around rises above the plane across n there.
bool sdSurfaceSearch_IsTouchable(const sdSurfaceSearch* search, const sdSurfaceTriangle* triangle,
                                 sdVec3d p, sdVec3d n);

#endif
