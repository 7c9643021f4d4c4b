// SPDX-License-Identifier: MIT
// bounds.h - bounding volumes in 3D and 2D: fit, overlap, size.
//
// Fitting functions contain every given point by the volume's own ContainsPoint: they are computed
// in double and rounded outwards. They return SD_ERROR_INVALID_ARGUMENT for NULL, for no points or
// for numbers that are not finite, and SD_ERROR_LIMIT when the volume is beyond FLT_MAX; *out is
// then unchanged. None of them needs memory unless it takes a context. Overlap includes touching.
// Sizes (radius, half extents) are not negative, and volumes beyond FLT_MAX are infinite.

#ifndef SUDAR_BOUNDS_H
#define SUDAR_BOUNDS_H

#include "sudar/vecmath.h"

SD_BEGIN_C

// ---- axis-aligned box ----------------------------------------------------------------------

typedef struct sdAABB {
    sdVec3 lower, upper;
} sdAABB;

/// lower > upper: contains nothing, and the union with any box is that box.
static inline sdAABB sdAABB_Empty(void) {
    sdAABB r = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    return r;
}

static inline sdAABB sdAABB_Union(sdAABB a, sdAABB b) {
    sdAABB r = {sdMin(a.lower, b.lower), sdMax(a.upper, b.upper)};
    return r;
}

static inline sdAABB sdAABB_AddPoint(sdAABB a, sdVec3 p) {
    sdAABB r = {sdMin(a.lower, p), sdMax(a.upper, p)};
    return r;
}

static inline sdAABB sdAABB_Grow(sdAABB a, float margin) {
    sdVec3 m = sdV3(margin, margin, margin);
    sdAABB r = {sdSub(a.lower, m), sdAdd(a.upper, m)};
    return r;
}

static inline bool sdAABB_Overlaps(sdAABB a, sdAABB b) {
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
           b.lower.y <= a.upper.y && a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

static inline bool sdAABB_Contains(sdAABB a, sdAABB b) {
    return a.lower.x <= b.lower.x && a.lower.y <= b.lower.y && a.lower.z <= b.lower.z &&
           a.upper.x >= b.upper.x && a.upper.y >= b.upper.y && a.upper.z >= b.upper.z;
}

static inline bool sdAABB_ContainsPoint(sdAABB a, sdVec3 p) {
    return a.lower.x <= p.x && a.lower.y <= p.y && a.lower.z <= p.z && a.upper.x >= p.x &&
           a.upper.y >= p.y && a.upper.z >= p.z;
}

static inline sdVec3 sdAABB_Center(sdAABB a) {
    return sdScale(0.5f, sdAdd(a.lower, a.upper));
}

static inline sdVec3 sdAABB_HalfExtents(sdAABB a) {
    return sdScale(0.5f, sdSub(a.upper, a.lower));
}

/// Surface area.
static inline float sdAABB_Area(sdAABB a) {
    sdVec3 d = sdSub(a.upper, a.lower);
    return 2.0f * (d.x * d.y + d.y * d.z + d.z * d.x);
}

static inline float sdAABB_Volume(sdAABB a) {
    sdVec3 d = sdSub(a.upper, a.lower);
    return d.x * d.y * d.z;
}

/// Finite and not inverted.
static inline bool sdAABB_IsValid(sdAABB a) {
    return sdVec3_IsFinite(a.lower) && sdVec3_IsFinite(a.upper) && a.lower.x <= a.upper.x &&
           a.lower.y <= a.upper.y && a.lower.z <= a.upper.z;
}

/// The smallest box of points.
/// @return SD_ERROR_INVALID_ARGUMENT for no points or numbers not finite
SD_API sdResult sdAABB_Fit(const sdVec3* points, int count, sdAABB* out);

/// Box, in A, of a box given in B: the smallest with float corners around the exact one. An empty
/// box stays empty; numbers that are not finite give a box of everything.
SD_API sdAABB sdAABB_Transform(sdTransform xfAB, sdAABB box);

// ---- sphere --------------------------------------------------------------------------------

typedef struct sdBall {
    sdVec3 center;
    float radius;
} sdBall;

/// Centre of the bounding box.
SD_API sdResult sdBall_FitBox(const sdVec3* points, int count, sdBall* out);
/// Mean of the points.
SD_API sdResult sdBall_FitCentroid(const sdVec3* points, int count, sdBall* out);
/// The smallest ball, in expected linear time: a bounded number of passes with the farthest point
/// as pivot, which is nearly always enough, then Welzl's algorithm with move-to-front.
/// @param context for a copy of the points, which only Welzl's algorithm needs
SD_API sdResult sdBall_FitSmallest(const sdContext* context, const sdVec3* points, int count,
                                   sdBall* out);
SD_API bool sdBall_Overlaps(sdBall a, sdBall b);
SD_API bool sdBall_ContainsPoint(sdBall ball, sdVec3 p);
SD_API float sdBall_Volume(sdBall ball);
/// The smallest ball around two.
SD_API sdBall sdBall_Union(sdBall a, sdBall b);

// ---- oriented box --------------------------------------------------------------------------

typedef struct sdOBB {
    sdVec3 center;
    sdMat33 axes; ///< columns: the box's own axes, a rotation
    sdVec3 halfExtents;
} sdOBB;

/// Axes from the covariance of the hull's surface, so that neither points inside nor uneven spacing
/// matter: quick. Flat sets get their smallest box, and whatever fits better along the axes of
/// coordinates a box along these.
SD_API sdResult sdOBB_FitCovariance(const sdContext* context, const sdVec3* points, int count,
                                    sdOBB* out);
/// A box of nearly the smallest volume: the faces and edges of the hull tried as directions (on
/// hulls of thousands of faces some of them), each completed by rotating calipers, the best
/// refined. Never larger than the axis-aligned box or the one above, but for rounding. Also for
/// flat and thin point sets.
SD_API sdResult sdOBB_FitSmallest(const sdContext* context, const sdVec3* points, int count,
                                  sdOBB* out);
/// 15 separating axes. Never false for boxes that share a point, by their corners or by
/// sdOBB_ContainsPoint, however the axes were rounded.
SD_API bool sdOBB_Overlaps(const sdOBB* a, const sdOBB* b);
SD_API bool sdOBB_ContainsPoint(const sdOBB* box, sdVec3 p);
SD_API float sdOBB_Volume(const sdOBB* box);
/// Bit k of a corner's number is set when it is on the positive side of axis k.
SD_API void sdOBB_GetCorners(const sdOBB* box, sdVec3 corners[8]);

// ---- k-DOP ---------------------------------------------------------------------------------

/// Intersections of slabs along fixed directions. The kind is the number of half-spaces.
typedef enum sdKdopKind {
    SD_KDOP_14 = 14, ///< box and cube corners
    SD_KDOP_18 = 18, ///< box and cube edges
    SD_KDOP_26 = 26  ///< all three
} sdKdopKind;

#define SD_KDOP_MAX_SLABS 13

typedef struct sdKdop {
    sdKdopKind kind;
    float lower[SD_KDOP_MAX_SLABS]; ///< along sdKdop_GetDirections, which are not normalised
    float upper[SD_KDOP_MAX_SLABS];
} sdKdop;

/// @return NULL for an unknown kind; *count receives kind / 2
SD_API const sdVec3* sdKdop_GetDirections(sdKdopKind kind, int* count);
SD_API sdResult sdKdop_Fit(sdKdopKind kind, const sdVec3* points, int count, sdKdop* out);
/// Along the slabs that both have: the three axes at least, so kinds may differ.
SD_API bool sdKdop_Overlaps(const sdKdop* a, const sdKdop* b);
SD_API bool sdKdop_ContainsPoint(const sdKdop* kdop, sdVec3 p);
/// Volume of the polytope, to compare tightness.
SD_API float sdKdop_Volume(const sdKdop* kdop);

// ---- 2D ------------------------------------------------------------------------------------

typedef struct sdAABB2 {
    sdVec2 lower, upper;
} sdAABB2;

typedef struct sdCircle2 {
    sdVec2 center;
    float radius;
} sdCircle2;

typedef struct sdOBB2 {
    sdVec2 center;
    sdVec2 axis; ///< unit, along halfExtents.x
    sdVec2 halfExtents;
} sdOBB2;

/// Four slabs: x, y, x + y, x - y.
typedef struct sdKdop2 {
    float lower[4], upper[4];
} sdKdop2;

/// Convex hull in the plane, counter-clockwise, no collinear points.
/// @param out room for `count` points
/// @param outCount 1 or 2 when all points are equal or on a line
SD_API sdResult sdHull2_Fit(const sdContext* context, const sdVec2* points, int count, sdVec2* out,
                            int* outCount);

/// The same in the plane as in space: touching counts as overlap.
SD_API sdResult sdAABB2_Fit(const sdVec2* points, int count, sdAABB2* out);
SD_API bool sdAABB2_Overlaps(sdAABB2 a, sdAABB2 b);
SD_API bool sdAABB2_ContainsPoint(sdAABB2 box, sdVec2 p);
SD_API sdResult sdCircle2_FitSmallest(const sdContext* context, const sdVec2* points, int count,
                                      sdCircle2* out);
SD_API bool sdCircle2_Overlaps(sdCircle2 a, sdCircle2 b);
SD_API bool sdCircle2_ContainsPoint(sdCircle2 circle, sdVec2 p);
/// The box of smallest area, exact: rotating calipers around the hull.
SD_API sdResult sdOBB2_FitSmallest(const sdContext* context, const sdVec2* points, int count,
                                   sdOBB2* out);
/// Four separating axes.
SD_API bool sdOBB2_Overlaps(sdOBB2 a, sdOBB2 b);
SD_API bool sdOBB2_ContainsPoint(sdOBB2 box, sdVec2 p);
SD_API sdResult sdKdop2_Fit(const sdVec2* points, int count, sdKdop2* out);
SD_API bool sdKdop2_Overlaps(const sdKdop2* a, const sdKdop2* b);
SD_API bool sdKdop2_ContainsPoint(const sdKdop2* kdop, sdVec2 p);

SD_END_C

#endif
