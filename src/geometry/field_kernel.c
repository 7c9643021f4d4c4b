// SPDX-License-Identifier: MIT
// field_kernel.c - many samples of a field, eight at a time.

#include "geometry/field_lanes.h"

// four vectors as they lie in memory: x y z x, y z x y, z x y z

SD_INLINE void loadQuad(const float* p, sdF4* x, sdF4* y, sdF4* z) {
    sdF4 a, b, c;
    memcpy(&a, p, sizeof a);
    memcpy(&b, p + 4, sizeof b);
    memcpy(&c, p + 8, sizeof c);
    sdF4 bc = __builtin_shufflevector(b, c, 2, 5, 3, 6); // x2 x3 y2 y3
    sdF4 ab = __builtin_shufflevector(a, b, 1, 4, 2, 5); // y0 y1 z0 z1
    *x = __builtin_shufflevector(a, bc, 0, 3, 4, 5);
    *y = __builtin_shufflevector(ab, bc, 0, 1, 6, 7);
    *z = __builtin_shufflevector(ab, c, 2, 3, 4, 7);
}

SD_INLINE void storeQuad(float* p, sdF4 x, sdF4 y, sdF4 z) {
    sdF4 xy = __builtin_shufflevector(x, y, 0, 2, 4, 6); // x0 x2 y0 y2
    sdF4 yz = __builtin_shufflevector(y, z, 1, 3, 5, 7); // y1 y3 z1 z3
    sdF4 zx = __builtin_shufflevector(z, x, 0, 2, 5, 7); // z0 z2 x1 x3
    sdF4 a = __builtin_shufflevector(xy, zx, 0, 2, 4, 6);
    sdF4 b = __builtin_shufflevector(yz, xy, 0, 2, 5, 7);
    sdF4 c = __builtin_shufflevector(zx, yz, 1, 3, 5, 7);
    memcpy(p, &a, sizeof a);
    memcpy(p + 4, &b, sizeof b);
    memcpy(p + 8, &c, sizeof c);
}

SD_INLINE sdVec3x8 loadPoints(const sdVec3* points) {
    sdF4 x[2], y[2], z[2];
    loadQuad(&points[0].x, x, y, z);
    loadQuad(&points[4].x, x + 1, y + 1, z + 1);
    return (sdVec3x8){sdF8_Join(x[0], x[1]), sdF8_Join(y[0], y[1]), sdF8_Join(z[0], z[1])};
}

SD_INLINE void storeVectors(sdVec3* out, sdVec3x8 v) {
    storeQuad(&out[0].x, sdF8_Low(v.x), sdF8_Low(v.y), sdF8_Low(v.z));
    storeQuad(&out[4].x, sdF8_High(v.x), sdF8_High(v.y), sdF8_High(v.z));
}

void SD_KERNEL(sdField_SampleKernel)(const sdField* field, const sdVec3* points, int count,
                                     float* distances, sdVec3* gradients) {
    sdVec3x8 gradient = {0};
    int i = 0;
    if (gradients != NULL) {
        for (; i + SD_LANES <= count; i += SD_LANES) {
            sdF8_Store(distances + i,
                       sdField_SampleLanes(field, loadPoints(points + i), true, &gradient));
            storeVectors(gradients + i, gradient);
        }
    } else {
        for (; i + SD_LANES <= count; i += SD_LANES) {
            sdF8_Store(distances + i,
                       sdField_SampleLanes(field, loadPoints(points + i), false, &gradient));
        }
    }
    if (i >= count) {
        return;
    }
    // the rest, with the last point repeated
    sdVec3 block[SD_LANES], blockGradients[SD_LANES];
    float blockDistances[SD_LANES];
    for (int k = 0; k < SD_LANES; ++k) {
        block[k] = points[sdMinI(i + k, count - 1)];
    }
    sdF8_Store(blockDistances, sdField_SampleLanes(field, loadPoints(block), true, &gradient));
    storeVectors(blockGradients, gradient);
    memcpy(distances + i, blockDistances, (size_t)(count - i) * sizeof(float));
    if (gradients != NULL) {
        memcpy(gradients + i, blockGradients, (size_t)(count - i) * sizeof(sdVec3));
    }
}
