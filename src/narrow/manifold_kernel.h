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

/// Whether single precision can say for sure that two hulls are apart along an axis. The pose and
/// the axis need not be valid.
/// @param axis in A's frame, A to B
/// @param margin gaps up to this, and the tolerance of contact points, do not count, m
SD_DECLARE_KERNEL(bool, sdManifold_AreHullsApart,
                  (const sdHull* a, const sdHull* b, const sdTransform* xfAB, sdVec3 axis,
                   float margin));

#endif
