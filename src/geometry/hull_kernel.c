// SPDX-License-Identifier: MIT
// hull_kernel.c - the vertex furthest along a direction, eight at a time.

#include "geometry/hull_kernel.h"
#include "base/simd.h"

int SD_KERNEL(sdHullKernel_Scan)(const float* soa, int stride, sdVec3 direction) {
    const sdF8 dx = sdF8_Splat(direction.x);
    const sdF8 dy = sdF8_Splat(direction.y);
    const sdF8 dz = sdF8_Splat(direction.z);
    sdI8 index = {0, 1, 2, 3, 4, 5, 6, 7};
    sdI8 bestIndex = index;
    sdF8 best = sdF8_Splat(-FLT_MAX);
    for (int i = 0; i < stride; i += SD_LANES) {
        sdF8 d = sdF8_Load(soa + i) * dx + sdF8_Load(soa + stride + i) * dy +
                 sdF8_Load(soa + 2 * (size_t)stride + i) * dz;
        sdI8 isBetter = d > best;
        best = sdF8_Max(d, best);
        bestIndex = sdI8_Select(isBetter, index, bestIndex);
        index += sdI8_Splat(SD_LANES);
    }
    // of equal lanes the lowest index, which is the order of a plain loop
    float most = sdF8_ReduceMax(best);
    int result = INT32_MAX;
    for (int i = 0; i < SD_LANES; ++i) {
        if (best[i] == most && bestIndex[i] < result) {
            result = bestIndex[i];
        }
    }
    return result;
}
