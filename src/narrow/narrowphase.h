// SPDX-License-Identifier: MIT
// narrowphase.h - two convex shapes by an algorithm of one's choice.

#ifndef SD_NARROW_NARROWPHASE_H
#define SD_NARROW_NARROWPHASE_H

#include "narrow/pair.h"

static inline bool sdNarrowphase_IsValid(sdNarrowphase narrowphase) {
    return (int)narrowphase >= 0 && narrowphase < SD_NARROWPHASE_COUNT;
}

/// As sdPair_Separate, with the depth.
/// @param narrowphase not SD_NARROWPHASE_AUTO
/// @return false when the shapes or the pose are not valid
bool sdPair_SeparateBy(sdNarrowphase narrowphase, const sdShape* a, const sdShape* b,
                       sdTransform xfAB, double limit, sdPairCache* cache, sdPairResult* out);

#endif
