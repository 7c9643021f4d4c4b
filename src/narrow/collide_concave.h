// SPDX-License-Identifier: MIT
// collide_concave.h - where two bodies touch of which one at least is a mesh that may move.

#ifndef SD_NARROW_COLLIDE_CONCAVE_H
#define SD_NARROW_COLLIDE_CONCAVE_H

#include "narrow/touch_patches.h"

/// Whether sdConcave_Collide is the way for a pair.
static inline bool sdConcave_IsPair(const sdShape* a, const sdShape* b) {
    return (a->concave != NULL || b->concave != NULL) && a->type != SD_SHAPE_COMPOUND &&
           b->type != SD_SHAPE_COMPOUND;
}

/// Manifolds by normal, in A's frame. Never allocates.
/// @param a,b any but compounds
/// @param margin separations up to this are wanted
/// @param memory of the pair's last answer, or NULL
int sdConcave_Collide(const sdShape* a, const sdShape* b, sdTransform xfAB, float margin,
                      const sdMeetingMemory* memory, sdManifold* out, int capacity);

/// How far apart they are at least, as far as `within`; less than zero when they overlap.
float sdConcave_Distance(const sdShape* a, const sdShape* b, sdTransform xfAB, float within);

#endif
