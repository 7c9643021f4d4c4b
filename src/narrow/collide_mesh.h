// SPDX-License-Identifier: MIT
// collide_mesh.h - pairs with a mesh, a compound or a half-space.
//
// Meshes are taken triangle by triangle, compounds child by child, and the convex queries answer
// for each two such pieces. A closed mesh is solid, as it is for sdShape_ContainsPoint: a body
// inside of it overlaps it even where it touches no triangle. An open mesh is only its surface.
//
// One of the two shapes, at least, must be a mesh, compound or half-space: what is convex on both
// sides has better queries of its own. Two half-spaces give SD_STATUS_INVALID.

#ifndef SD_NARROW_COLLIDE_MESH_H
#define SD_NARROW_COLLIDE_MESH_H

#include "sudar/collide.h"

/// As sdOverlap.
sdOverlapResult sdMeshPair_Overlap(const sdShape* a, const sdShape* b, sdTransform xfAB);

/// As sdDistance, or, with `wantsDepth`, as sdPenetration.
///
/// The distance is that of the nearest two pieces. The depth is that of the deepest two: of all
/// pairs of pieces that overlap, the one that is hardest to part. A triangle is parted as a plate
/// with two sides. Its translation parts these two and may leave others overlapping. A body inside
/// a solid mesh that touches no triangle has to leave through the nearest point of the surface: its
/// depth is the distance to there and its own width in that direction, pointA is that point (or
/// pointB, when B is the mesh), and the other one lies in the plane that touches the far side.
/// Against a half-space the depth is that of the lowest point, exactly.
sdSeparation sdMeshPair_Separation(const sdShape* a, const sdShape* b, sdTransform xfAB,
                                   bool wantsDepth);

/// As sdCollideMany. When there is not room for all, those with the smallest indices are given.
/// The triangles of a mesh that is a compound's child share that child's index, and the ids of
/// their points tell them apart.
/// @param narrowphase by which each two pieces are asked
int sdMeshPair_CollideMany(sdNarrowphase narrowphase, const sdShape* a, const sdShape* b,
                           sdTransform xfAB, float margin, sdManifold* out, int capacity,
                           int* total);

/// What answers for one convex shape, as sdRaycast, and for two, as sdShapeCast.
typedef sdRayHit sdConvexRaycast(const sdShape* shape, sdVec3 origin, sdVec3 translation);
typedef sdCastHit sdConvexCast(const sdShape* a, const sdShape* b, sdTransform xfAB,
                               sdVec3 translation);

/// As sdRaycast, for a mesh, compound or half-space. A ray that starts inside a closed mesh, or on
/// the surface of any, hits at once, and the nearest triangle is named; meshes that are open are
/// hit from both sides.
sdRayHit sdMeshPair_Raycast(const sdShape* shape, sdVec3 origin, sdVec3 translation,
                            sdConvexRaycast* raycast);

/// As sdShapeCast. Bodies that overlap at the start have the normal of their depth.
sdCastHit sdMeshPair_Cast(const sdShape* a, const sdShape* b, sdTransform xfAB, sdVec3 translation,
                          sdConvexCast* cast);

#endif
