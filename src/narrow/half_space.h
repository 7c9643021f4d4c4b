// SPDX-License-Identifier: MIT
// half_space.h - a half-space against everything else: closed forms of the lowest point.

#ifndef SD_NARROW_HALF_SPACE_H
#define SD_NARROW_HALF_SPACE_H

#include "sudar/collide.h"

static inline bool sdHalfSpace_IsInPair(const sdShape* a, const sdShape* b) {
    return (a != NULL && a->type == SD_SHAPE_HALF_SPACE) ||
           (b != NULL && b->type == SD_SHAPE_HALF_SPACE);
}

/// As sdPenetration, or, without `wantsDepth`, as sdDistance. One of the two must be a half-space.
sdSeparation sdHalfSpace_Separation(const sdShape* a, const sdShape* b, sdTransform xfAB,
                                    bool wantsDepth);

/// As sdRaycast of a half-space.
sdRayHit sdHalfSpace_Raycast(sdVec3 origin, sdVec3 translation);

/// As sdShapeCast. One of the two must be a half-space.
sdCastHit sdHalfSpace_Cast(const sdShape* a, const sdShape* b, sdTransform xfAB,
                           sdVec3 translation);

#endif
