// SPDX-License-Identifier: MIT
// collide_mesh_walk.h - the triangles of a mesh near another body, through its tree of boxes.
//
// A walk shows triangles to a visitor, the nearest boxes first. The visitor gives back how near a
// box must be to be looked at from then on: its best result so far. What is measured is either the
// distance of boxes, or, for a body that moves, the fraction of its way at which they meet.

#ifndef SD_NARROW_COLLIDE_MESH_WALK_H
#define SD_NARROW_COLLIDE_MESH_WALK_H

#include "geometry/mesh_bvh.h"

/// No bound: everything is near enough.
#define SD_WALK_EVERYTHING FLT_MAX
/// As a new bound: nothing more is wanted.
#define SD_WALK_STOP (-1.0f)

/// A direction that parts the bodies, as far as it was found: what is far away along it cannot be
/// near. The visitor may change it at any time.
typedef struct sdWalkAxis {
    bool isSet;
    sdVec3 normal; ///< unit, in the mesh's (of two: in A's) frame, from there to the other body
    float reach;   ///< the least normal·x of the other body, rounded down; not used for two meshes
} sdWalkAxis;

/// @return the new bound, not greater than the last one
typedef float sdTriangleVisit(void* arg, const sdMeshBvhLeaf* leaf, int lane);

/// A mesh and a box.
typedef struct sdMeshBoxWalk {
    const sdMeshBvh* bvh;
    sdAABB box;    ///< of the other body, in the mesh's frame, rounded outwards
    bool isMoving; ///< bounds are fractions of the translation, else distances
    sdVec3 translation;
    const sdWalkAxis* axis; ///< only for distances
    float bound;
    sdTriangleVisit* visit;
    void* arg;
} sdMeshBoxWalk;

SD_DECLARE_KERNEL(void, sdMeshBoxWalk_Run, (const sdMeshBoxWalk* walk));

/// A mesh and a half-space. Bounds are heights and may be negative; -FLT_MAX stops the walk.
typedef struct sdMeshPlaneWalk {
    const sdMeshBvh* bvh;
    sdVec3 normal; ///< unit, in the mesh's frame
    float offset;  ///< heights are normal·x - offset
    float slack;   ///< m, by which a height may be rounded
    float bound;
    sdTriangleVisit* visit;
    void* arg;
} sdMeshPlaneWalk;

void sdMeshPlaneWalk_Run(const sdMeshPlaneWalk* walk);

typedef float sdTrianglePairVisit(void* arg, const sdMeshBvhLeaf* leafA, int laneA,
                                  const sdMeshBvhLeaf* leafB, int laneB);

/// Two meshes.
typedef struct sdMeshPairWalk {
    const sdMeshBvh* a;
    const sdMeshBvh* b;
    sdAABB boundsA; ///< of all of A
    sdAABB boundsB; ///< of all of B, in B's frame
    sdTransform xfAB;
    bool isMoving;
    sdVec3 translation; ///< of B, in A's frame
    const sdWalkAxis* axis;
    float bound;
    sdTrianglePairVisit* visit;
    void* arg;
} sdMeshPairWalk;

SD_DECLARE_KERNEL(void, sdMeshPairWalk_Run, (const sdMeshPairWalk* walk));

#endif
