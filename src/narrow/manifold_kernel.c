// SPDX-License-Identifier: MIT
// manifold_kernel.c - how far a hull reaches, for pairs that are asked on their last axis only.

#include "narrow/manifold_kernel.h"

float SD_KERNEL(sdManifold_HullHeight)(const float* soa, int stride, sdVec3 direction) {
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
