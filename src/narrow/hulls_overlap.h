// SPDX-License-Identifier: MIT
// hulls_overlap.h - whether two small hulls overlap, as far as single precision can tell.

#ifndef SD_NARROW_HULLS_OVERLAP_H
#define SD_NARROW_HULLS_OVERLAP_H

#include "narrow/manifold_kernel.h"

/// The pose need not be valid.
/// @param a,b of no more than SD_SCAN_AT_ONCE vertices
/// @param start when it is not sure: vertices of A and of B that make four points of A - B around
///        the way from middle to middle, the first furthest along it; or SD_NULL_INDEX in the first
SD_DECLARE_KERNEL(sdHullVerdict, sdHulls_Overlap,
                  (const sdHull* a, const sdHull* b, const sdTransform* xfAB, int start[4][2]));

/// The same as sdHulls_Judge of such hulls, without a margin.
SD_DECLARE_KERNEL(sdHullVerdict, sdHulls_JudgeSmall,
                  (const sdHull* a, const sdHull* b, const sdTransform* xfAB, const sdVec3* axis));

#endif
