// SPDX-License-Identifier: MIT
// manifold_kernel.h - inner loops of contact points.

#ifndef SD_NARROW_MANIFOLD_KERNEL_H
#define SD_NARROW_MANIFOLD_KERNEL_H

#include "base/simd.h"
#include "geometry/hull.h"

/// The greatest dot product of points and a direction, by floats.
/// @param soa x, then y, then z of the points
/// @param stride between them; a multiple of SD_LANES, padded with copies of one
SD_DECLARE_KERNEL(float, sdManifold_HullHeight, (const float* soa, int stride, sdVec3 direction));

typedef enum sdHullVerdict {
    SD_HULLS_UNSURE,     ///< ask in double; so, too, when something is not valid
    SD_HULLS_APART,      ///< by more than the margin
    SD_HULLS_OVERLAPPING ///< not just touching
} sdHullVerdict;

/// What single precision can say for sure of two hulls by one axis, or by balls around and in them.
/// The pose and the axis need not be valid.
/// @param axis in A's frame, A to B, of any length; NULL: from middle to middle, and whether large
///        hulls are apart by the balls alone
/// @param margin gaps up to this, and the tolerance of contact points, do not count, m
/// @param nearest vertices of A and B that face each other along the axis, if they are not apart;
///        SD_NULL_INDEX where they were not looked for. NULL: not wanted
SD_DECLARE_KERNEL(sdHullVerdict, sdHulls_Judge,
                  (const sdHull* a, const sdHull* b, const sdTransform* xfAB, const sdVec3* axis,
                   float margin, int nearest[2]));

#endif
