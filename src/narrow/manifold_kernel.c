// SPDX-License-Identifier: MIT
// manifold_kernel.c - how far a hull reaches, for pairs that are asked on one axis only.

#include "narrow/manifold_kernel.h"

#include "narrow/convex.h"
#include "narrow/manifold.h"

/// Squares of lengths of quaternions that were rounded to floats differ from 1 by less.
#define UNIT_TOLERANCE 1e-6f
/// Errors of a gap, as a fraction of sizes and distance: 2e-6 by the lengths, as much by rounding,
/// and SD_MANIFOLD_MARGIN.
#define GAP_ERROR 6e-6f

/// Squares of lengths of axes along which gaps have all their digits; a cache may hold anything.
#define LEAST_SQUARED 1e-30f

/// Vertices of two hulls from which it pays to look at the balls around them first.
#define LEAST_FOR_BALLS 128

SD_INLINE float heightOf(const float* soa, int stride, sdVec3 direction) {
    const float *x = soa, *y = soa + stride, *z = soa + 2 * (size_t)stride;
    const sdF8 dx = sdF8_Splat(direction.x);
    const sdF8 dy = sdF8_Splat(direction.y);
    const sdF8 dz = sdF8_Splat(direction.z);
    sdF8 most = sdF8_Load(x) * dx + sdF8_Load(y) * dy + sdF8_Load(z) * dz;
    for (int i = SD_LANES; i < stride; i += SD_LANES) {
        sdF8 height = sdF8_Load(x + i) * dx + sdF8_Load(y + i) * dy + sdF8_Load(z + i) * dz;
        most = sdF8_Max(height, most);
    }
    return sdF8_ReduceMax(most);
}

float SD_KERNEL(sdManifold_HullHeight)(const float* soa, int stride, sdVec3 direction) {
    return heightOf(soa, stride, direction);
}

SD_INLINE void setReaches(sdReaches* reaches, const sdHull* hull, sdVec3 d) {
    const float* soa = hull->soa;
    int stride = hull->soaStride;
    sdReaches_Set(reaches, soa, soa + stride, soa + 2 * (size_t)stride, stride, sdF8_Splat(d.x),
                  sdF8_Splat(d.y), sdF8_Splat(d.z));
}

/// From the middle of A to the middle of B.
/// @param xfAB with a quaternion of unit length
SD_INLINE sdVec3 middleToMiddle(const sdHull* a, const sdHull* b, const sdTransform* xfAB) {
    sdVec3 u = xfAB->q.v, side = sdCross(u, b->center);
    sdVec3 half = sdMulAdd(sdCross(u, side), xfAB->q.s, side);
    return sdAdd(sdSub(xfAB->p, a->center), sdAdd(b->center, sdAdd(half, half)));
}

/// Always inlined, with and without an axis of last time.
/// @param isMiddle the axis is the way from middle to middle
SD_INLINE sdHullVerdict judge(const sdHull* a, const sdHull* b, const sdTransform* xfAB,
                              sdVec3 axis, float margin, bool isMiddle, int nearest[2]) {
    sdVec3 p = xfAB->p, u = xfAB->q.v, turn = sdCross(axis, u);
    float s = xfAB->q.s, size = a->reach + b->reach + sdAbsF(p.x) + sdAbsF(p.y) + sdAbsF(p.z);
    float squared = sdDot(axis, axis), error = GAP_ERROR * size;
    float length = sqrtf(squared) * (1.0f + UNIT_TOLERANCE);
    // against the axis, in B's frame
    sdVec3 half = sdMulAdd(sdCross(turn, u), s, turn);
    sdVec3 back = sdNeg(sdAdd(axis, sdAdd(half, half)));
    float most = sdDot(axis, p) - (margin + error) * length;
    // written so that NaN is refused
    bool isUnit = sdAbsF(sdDot(u, u) + s * s - 1.0f) < UNIT_TOLERANCE && size < SD_MAX_REACH;
    // balls around large hulls may do
    bool isLarge = a->soaStride + b->soaStride >= LEAST_FOR_BALLS;
    float gap = most - sdDot(axis, a->center) - sdDot(back, b->center) -
                (a->outerRadius + b->outerRadius) * length;
    if (a->soaStride <= SD_SCAN_AT_ONCE && b->soaStride <= SD_SCAN_AT_ONCE) {
        sdReaches reachA, reachB;
        setReaches(&reachA, a, axis);
        setReaches(&reachB, b, back);
        gap = most - reachA.most[0] - reachB.most[0];
        if (nearest != NULL && !(gap > 0.0f)) {
            nearest[0] = sdReaches_Furthest(&reachA);
            nearest[1] = sdReaches_Furthest(&reachB);
        }
    } else if (!isLarge || (!isMiddle && !(gap > 0.0f))) {
        gap = most - heightOf(a->soa, a->soaStride, axis) - heightOf(b->soa, b->soaStride, back);
    }
    bool isIn = isMiddle & (length < a->innerRadius + b->innerRadius - error);
    sdHullVerdict verdict = isIn ? SD_HULLS_OVERLAPPING : SD_HULLS_UNSURE;
    verdict = ((gap > 0.0f) & (squared > LEAST_SQUARED)) != 0 ? SD_HULLS_APART : verdict;
    return isUnit ? verdict : SD_HULLS_UNSURE;
}

sdHullVerdict SD_KERNEL(sdHulls_Judge)(const sdHull* a, const sdHull* b, const sdTransform* xfAB,
                                       const sdVec3* axis, float margin, int nearest[2]) {
    if (nearest != NULL) {
        nearest[0] = SD_NULL_INDEX;
        nearest[1] = SD_NULL_INDEX;
    }
    return axis != NULL ? judge(a, b, xfAB, *axis, margin, false, nearest)
                        : judge(a, b, xfAB, middleToMiddle(a, b, xfAB), margin, true, nearest);
}
