// SPDX-License-Identifier: MIT
// hull_kernel.h - the inner loops of hulls, compiled once for each SIMD level.

#ifndef SD_GEOMETRY_HULL_KERNEL_H
#define SD_GEOMETRY_HULL_KERNEL_H

#include "base/simd.h"
#include "geometry/hull.h"

/// Index of the point furthest along the direction; the lowest of equal ones.
/// @param soa x, then y, then z of the points
/// @param stride between them; a multiple of SD_LANES, padded with copies of the first point
SD_DECLARE_KERNEL(int, sdHullKernel_Scan, (const float* soa, int stride, sdVec3 direction));

/// For each direction, which of some vertices is the furthest; the first of equal ones.
/// @param list numbers of `count` vertices, below 65 536
/// @param directions x, then y, then z of them
/// @param directionCount a multiple of 2 SD_LANES
SD_DECLARE_KERNEL(void, sdHullKernel_FurthestOf,
                  (const sdVec3* vertices, const int32_t* list, int count, const float* directions,
                   int directionCount, uint16_t* furthest));

/// For each of `count` points: which plane it is furthest above (the first of equal ones), and how
/// far.
/// @param order indices of the points
SD_DECLARE_KERNEL(void, sdHullKernel_Furthest,
                  (const sdHullPoint* points, const int32_t* order, int count,
                   const sdHullPlane* planes, int planeCount, int32_t* nearest, double* distances));

#endif
