// SPDX-License-Identifier: MIT
// hull_depth.h - penetration of two small hulls that overlap clearly, or how far they are apart,
// without iterations.

#ifndef SD_NARROW_HULL_DEPTH_H
#define SD_NARROW_HULL_DEPTH_H

#include "narrow/epa.h"

typedef enum sdDepthVerdict {
    SD_DEPTH_FOUND,
    SD_DEPTH_APART, ///< the depth is negative, and the points are the nearest
    SD_DEPTH_NONE,  ///< the bodies are apart, or hardly overlap: GJK is to be asked
    SD_DEPTH_OPEN,  ///< EPA is to be asked: these are no small hulls, or the deepest points are not
                    ///< unique
} sdDepthVerdict;

/// What sdEpa_RunDeep finds. Bodies that are apart need not be known as such.
SD_DECLARE_KERNEL(sdDepthVerdict, sdHulls_Depth, (const sdConvexPair* pair, sdEpaOutput* output));

#endif
