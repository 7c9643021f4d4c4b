// SPDX-License-Identifier: MIT
// manifold_kernel.h - inner loops of contact points.

#ifndef SD_NARROW_MANIFOLD_KERNEL_H
#define SD_NARROW_MANIFOLD_KERNEL_H

#include "base/simd.h"

/// The greatest dot product of points and a direction, by floats.
/// @param soa x, then y, then z of the points
/// @param stride between them; a multiple of SD_LANES, padded with copies of one
SD_DECLARE_KERNEL(float, sdManifold_HullHeight, (const float* soa, int stride, sdVec3 direction));

#endif
