// SPDX-License-Identifier: MIT
// surface_patch.h - contact points of one body with many triangles, gathered by normal.
//
// Triangles of one plane touch a body as one face would: their points become one patch of at most
// four, chosen from all of them. Points keep the names that the body's own corners give them, so a
// body that slides from triangle to triangle keeps its impulses.

#ifndef SD_NARROW_SURFACE_PATCH_H
#define SD_NARROW_SURFACE_PATCH_H

#include "geometry/mesh.h"
#include "narrow/manifold.h"

/// Patches of two simple shapes. When there are more, those that are furthest away are left out.
#define SD_SURFACE_MAX_PATCHES 24
/// Points of a patch before it is reduced.
#define SD_SURFACE_MAX_POINTS 24

/// Sine of the angle within which normals are the same.
#define SD_SURFACE_SAME_NORMAL SD_MESH_SAME_NORMAL

/// In the mesh's frame.
typedef struct sdSurfacePoint {
    sdVec3d onMesh, onBody;
    double separation; ///< along the normal of its own triangle
    uint32_t id;
    int triangle;
    bool isCrossing; ///< of the body's outline and a side
} sdSurfacePoint;

typedef struct sdSurfacePatch {
    sdVec3d normal; ///< unit, from mesh to body
    sdContactKind kind;
    int count;
    sdSurfacePoint points[SD_SURFACE_MAX_POINTS];
} sdSurfacePatch;

typedef struct sdSurfacePatches {
    double size; ///< of the body
    int count;
    int lostCount; ///< patches there was no room for
    sdSurfacePatch items[SD_SURFACE_MAX_PATCHES];
} sdSurfacePatches;

/// Add a point to the patch of its normal. One that is as good as another there becomes one with
/// it.
void sdSurfacePatches_Add(sdSurfacePatches* patches, sdVec3d normal, sdContactKind kind,
                          const sdSurfacePoint* point);

/// The best four points, in the mesh's frame, the mesh as A.
/// @param triangle receives that of the deepest point
void sdSurfacePatch_Write(sdSurfacePatch* patch, double size, float margin, sdManifold* out,
                          int* triangle);

#endif
