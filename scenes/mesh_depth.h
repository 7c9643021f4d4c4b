// SPDX-License-Identifier: MIT
// mesh_depth.h - how deep solids of triangles are in each other, measured without distance fields.
//
// The depth of a pair is the greatest distance from a point of one surface that is inside the other
// solid to the other's surface. Both surfaces are searched whole, faces and edges as well as
// corners, so nothing between samples is missed. A yardstick for worlds of any engine: scenes,
// tests and benchmarks judge by it, collisions know nothing of it.

#ifndef SD_SCENES_MESH_DEPTH_H
#define SD_SCENES_MESH_DEPTH_H

#include "sudar/world.h"

SD_BEGIN_C

/// Closed meshes, boxes and half-spaces have a depth; all other shapes have not.
bool sdMeshDepth_IsKnown(const sdShape* shape);

/// Depth of a pair, if it is more than `floor`; otherwise `floor`.
/// @param xfAB B in A's frame
/// @param tolerance m, > 0: the true depth is at most so much more than the answer
/// @param pointA may be NULL; receives the deepest point in A's frame when there is one
float sdMeshDepth_OfPair(const sdShape* a, const sdShape* b, sdTransform xfAB, float floor,
                         float tolerance, sdVec3* pointA);

/// The deepest pair of a world. Sizes are the longest side of the smaller of two moving bodies.
typedef struct sdWorldDepth {
    float ratio; ///< of depth to size, largest of all pairs
    float depth; ///< m, of that pair
    sdBodyId bodyA, bodyB;
    sdPos point;
    int pairCount;    ///< that were looked at
    int deepCount;    ///< pairs whose ratio is above the limit
    int unknownCount; ///< pairs with a shape that has no depth here
} sdWorldDepth;

/// Pairs of static bodies and of bodies that a joint keeps from colliding are left out.
/// @param poses of all bodies, in the order of sdWorld_GetBodies, instead of those that they have;
///        NULL: as they are
/// @param limit ratio above which pairs are counted
/// @param tolerance of the ratio, > 0
/// @return false when there is no memory
bool sdMeshDepth_OfWorld(const sdWorld* world, const sdWorldTransform* poses, float limit,
                         float tolerance, sdWorldDepth* out);

SD_END_C

#endif
