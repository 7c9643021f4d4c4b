// SPDX-License-Identifier: MIT
// collide_boxes.h - two boxes: depth and contact points by their separating axes.

#ifndef SD_NARROW_COLLIDE_BOXES_H
#define SD_NARROW_COLLIDE_BOXES_H

#include "base/simd.h"
#include "narrow/pair.h"

/// Depth or distance, normal and deepest or nearest points of two valid boxes.
/// @param wantsDepth else boxes that overlap get a common point only
/// @return false when a few steps do not find them, which is rare but for boxes without thickness:
/// ask GJK
SD_DECLARE_KERNEL(bool, sdBoxes_Separate,
                  (const sdShape* a, const sdShape* b, const sdTransform* xfAB, bool wantsDepth,
                   sdPairResult* out));

typedef enum sdBoxAnswer {
    SD_BOX_APART,   ///< further than the limit
    SD_BOX_CONTACT, ///< with points
    SD_BOX_KEPT,    ///< with points on the axis of last time; others may be a little better
    SD_BOX_UNKNOWN  ///< what is nearest is not on a face or a pair of edges, a box has no
                    ///< thickness, or something may not be valid: ask GJK
} sdBoxAnswer;

/// Contact points of two boxes, which need not be valid.
/// @param margin points further apart are not wanted, m
/// @param cache may be NULL
/// @param out where there is contact, all but status, iterations and children is set
SD_DECLARE_KERNEL(sdBoxAnswer, sdBoxes_Collide,
                  (const sdShape* a, const sdShape* b, const sdTransform* xfAB, float margin,
                   sdPairCache* cache, sdManifold* out));

/// sdCollide of two boxes: by what single precision can tell of their axes, or fully.
SD_DECLARE_KERNEL(int, sdBoxes_CollideQuickly,
                  (const sdShape* a, const sdShape* b, const sdTransform* xfAB, float margin,
                   sdPairCache* cache, sdManifold* out));

/// sdCollide of two boxes that are not clearly apart.
int sdBoxes_CollideFully(const sdShape* a, const sdShape* b, const sdTransform* xfAB, float margin,
                         sdPairCache* cache, sdManifold* out);

#endif
