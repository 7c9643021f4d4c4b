// SPDX-License-Identifier: MIT
// bounds.h - what the bounding volumes share: rounding outwards, passes over points, plane hulls.

#ifndef SD_GEOMETRY_BOUNDS_H
#define SD_GEOMETRY_BOUNDS_H

#include "base/simd.h"
#include "math/vec3d.h"
#include "sudar/bounds.h"

// ---- rounding outwards ---------------------------------------------------------------------
// Volumes are computed in double and rounded once, away from what they bound.

/// The smallest float that is not below a; infinity beyond FLT_MAX.
static inline float sdRoundUp(double a) {
    if (a > (double)FLT_MAX) {
        return INFINITY;
    }
    if (a < -(double)FLT_MAX) {
        return -FLT_MAX;
    }
    float r = (float)a;
    return (double)r < a ? nextafterf(r, INFINITY) : r;
}

/// The largest float that is not above a; minus infinity below -FLT_MAX.
static inline float sdRoundDown(double a) {
    return -sdRoundUp(-a);
}

// ---- passes over points (bounds_kernel.c) --------------------------------------------------
// count >= 1. Results are the same at every SIMD level.

/// @return false when a number is not finite; the box is then meaningless
SD_DECLARE_KERNEL(bool, sdPoints_Box, (const sdVec3* points, int count, sdAABB* out));

/// @return the point furthest from `center`, the first of equals
/// @param squared receives its squared distance, by the operations of sdBall_ContainsPoint
SD_DECLARE_KERNEL(int, sdPoints_Farthest,
                  (const sdVec3* points, int count, sdVec3d center, double* squared));

/// Ranges of dot(p - origin, axes[i]), by the operations of sdOBB_ContainsPoint.
SD_DECLARE_KERNEL(void, sdPoints_Project,
                  (const sdVec3* points, int count, sdVec3d origin, const sdVec3d axes[3],
                   double lower[3], double upper[3]));

/// Ranges along the directions of SD_KDOP_26.
SD_DECLARE_KERNEL(void, sdPoints_Slabs,
                  (const sdVec3* points, int count, double lower[SD_KDOP_MAX_SLABS],
                   double upper[SD_KDOP_MAX_SLABS]));

// ---- balls ---------------------------------------------------------------------------------

/// A ball in double, before it is rounded outwards.
typedef struct sdSphered {
    sdVec3d center;
    double squared; ///< radius
} sdSphered;

/// Smallest ball by Welzl's algorithm alone, within rounding.
/// @param points change places: a fixed shuffle, then move-to-front
sdSphered sdBall_Welzl(sdVec3* points, int count);

/// Smallest ball by pivoting.
/// @param passes in: the most passes over the points; out: how many there were
/// @return false when that was not enough and some point is still outside
bool sdBall_Pivot(const sdVec3* points, int count, int* passes, sdSphered* out);

/// sdBall_FitSmallest after its checks: pivoting, then Welzl's algorithm when the passes run out.
sdResult sdBall_FitInPasses(const sdContext* context, const sdVec3* points, int count, int passes,
                            sdBall* out);

// ---- in the plane --------------------------------------------------------------------------
// Floats in, so that products are exact in double and no decision depends on rounding.

typedef struct sdVec2d {
    double x, y;
} sdVec2d;

/// Convex hull by Andrew's chain, counter-clockwise, no three on a line. Exact.
/// @param points are sorted
/// @param hull room for count + 1
/// @return the number of hull vertices
int sdHull2_Chain(sdVec2* points, int count, sdVec2* hull);

/// The box of smallest area around a hull from sdHull2_Chain, by rotating calipers.
/// @param axis receives the unit direction of one side
/// @return its area, 0 for one or two vertices
double sdHull2_SmallestBox(const sdVec2* hull, int count, sdVec2d* axis);

#endif
