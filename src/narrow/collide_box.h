// SPDX-License-Identifier: MIT
// collide_box.h - two boxes: depth and contact points by their separating axes.

#ifndef SD_NARROW_COLLIDE_BOX_H
#define SD_NARROW_COLLIDE_BOX_H

#include "narrow/pair.h"

/// Depth, normal and deepest points of two boxes that overlap.
/// @return false when they do not, or have no deepest point by their faces: boxes without thickness
bool sdBoxes_Depth(sdVec3 halfA, sdVec3 halfB, sdTransform xfAB, sdPairResult* out);

typedef enum sdBoxAnswer {
    SD_BOX_APART,   ///< further than the limit
    SD_BOX_CONTACT, ///< with points
    SD_BOX_UNKNOWN  ///< what is nearest is not on a face or a pair of edges: ask GJK
} sdBoxAnswer;

/// Contact points of two valid boxes.
/// @param limit points further apart are not wanted, m
/// @param size of the smaller box, for tolerances
/// @param cache may be NULL
sdBoxAnswer sdBoxes_Collide(sdVec3 halfA, sdVec3 halfB, const sdTransform* xfAB, double limit,
                            double size, sdPairCache* cache, sdManifold* out);

#endif
