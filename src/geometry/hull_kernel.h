// SPDX-License-Identifier: MIT
// hull_kernel.h - the inner loops of hulls, compiled once for each SIMD level.

#ifndef SD_GEOMETRY_HULL_KERNEL_H
#define SD_GEOMETRY_HULL_KERNEL_H

#include "base/simd.h"

/// Index of the point furthest along the direction; the lowest of equal ones.
/// @param soa x, then y, then z of the points
/// @param stride between them; a multiple of SD_LANES, padded with copies of the first point
SD_DECLARE_KERNEL(int, sdHullKernel_Scan, (const float* soa, int stride, sdVec3 direction));

#endif
