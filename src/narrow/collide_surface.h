// SPDX-License-Identifier: MIT
// collide_surface.h - where a body touches a mesh as a whole, for a solver.
//
// A triangle on its own can be touched by its edges and corners from any side. In a mesh most of
// these lie inside of a surface, where nothing can catch; a body that slides over them must not be
// stopped or thrown (a "ghost hit"). What a mesh can be touched with is: its faces, along their
// normals; and edges and corners that stick out, along normals that keep everything around them
// on the far side.

#ifndef SD_NARROW_COLLIDE_SURFACE_H
#define SD_NARROW_COLLIDE_SURFACE_H

#include "sudar/collide.h"

/// As sdCollideMany, but triangles of a mesh that a convex body touches along the same normal give
/// one manifold together, of at most four points, and inner edges give none. Its child is the
/// triangle of the deepest point. A body that a solid mesh has swallowed by more than half is
/// pushed out through the nearest point of the surface.
/// Pairs of two meshes, and such that have no mesh, are those of sdCollideMany.
/// @param narrowphase by which convex pieces are asked where no mesh takes part
int sdSurface_Collide(sdNarrowphase narrowphase, const sdShape* a, const sdShape* b,
                      sdTransform xfAB, float margin, sdManifold* out, int capacity, int* total);

/// The same, but spheres and capsules are asked as all other bodies are: what their own way is
/// tested against.
int sdSurface_CollideAny(const sdShape* a, const sdShape* b, sdTransform xfAB, float margin,
                         sdManifold* out, int capacity);

#endif
