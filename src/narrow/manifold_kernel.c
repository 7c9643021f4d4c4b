// SPDX-License-Identifier: MIT
// manifold_kernel.c - how far a hull reaches, for pairs that are asked on their last axis only.

#include "narrow/manifold_kernel.h"

#include "narrow/manifold.h"

/// Squares of lengths of quaternions and axes that were rounded to floats differ from 1 by less.
#define UNIT_TOLERANCE 1e-6f
/// Errors of a gap on such an axis, as a fraction of sizes and distance: 2e-6 by the lengths, as
/// much by rounding, and SD_MANIFOLD_MARGIN.
#define GAP_ERROR 6e-6f

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

bool SD_KERNEL(sdManifold_AreHullsApart)(const sdHull* a, const sdHull* b, const sdTransform* xfAB,
                                         sdVec3 axis, float margin) {
    sdVec3 p = xfAB->p, u = xfAB->q.v, turn = sdCross(axis, u);
    float s = xfAB->q.s, size = a->reach + b->reach + sdAbsF(p.x) + sdAbsF(p.y) + sdAbsF(p.z);
    // against the axis, in B's frame
    sdVec3 half = sdMulAdd(sdCross(turn, u), s, turn);
    sdVec3 back = sdNeg(sdAdd(axis, sdAdd(half, half)));
    float most = sdDot(axis, p) - GAP_ERROR * size;
    // written so that NaN is refused
    bool isUnit = sdAbsF(sdDot(u, u) + s * s - 1.0f) < UNIT_TOLERANCE &&
                  sdAbsF(sdDot(axis, axis) - 1.0f) < UNIT_TOLERANCE && size < SD_MAX_REACH;
    // balls around large hulls may do
    float gap = most - sdDot(axis, a->center) - sdDot(back, b->center) -
                (a->outerRadius + b->outerRadius) * (1.0f + UNIT_TOLERANCE);
    if (a->soaStride + b->soaStride < LEAST_FOR_BALLS || !(gap > margin)) {
        gap = most - heightOf(a->soa, a->soaStride, axis) - heightOf(b->soa, b->soaStride, back);
    }
    return isUnit && gap > margin;
}
