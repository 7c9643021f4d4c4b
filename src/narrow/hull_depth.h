// SPDX-License-Identifier: MIT
// hull_depth.h - penetration of two small hulls that overlap clearly, or how far they are apart,
// without iterations.

#ifndef SD_NARROW_HULL_DEPTH_H
#define SD_NARROW_HULL_DEPTH_H

#include "narrow/epa.h"

typedef enum sdDepthVerdict {
    SD_DEPTH_FOUND,
    SD_DEPTH_APART,  ///< the depth is negative, and the points are the nearest
    SD_DEPTH_PARTED, ///< the bodies are apart, and GJK is to be asked how far
    SD_DEPTH_NONE,   ///< they hardly overlap, or are hardly apart: GJK is to be asked
    SD_DEPTH_OPEN, ///< EPA is to be asked: these are no small hulls, or the deepest points are not
                   ///< unique
} sdDepthVerdict;

/// What sdEpa_RunDeep finds. Bodies that are apart need not be known as such.
/// @param nearest of bodies that are parted: vertices of A and of B that make three points of A -
/// B, about where it is nearest to the origin. NULL: not wanted
SD_DECLARE_KERNEL(sdDepthVerdict, sdHulls_Depth,
                  (const sdConvexPair* pair, int nearest[3][2], sdEpaOutput* output));

#endif
