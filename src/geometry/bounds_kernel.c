// SPDX-License-Identifier: MIT
// bounds_kernel.c - passes over many points: box, farthest point, ranges along directions.
//
// In:   points as they lie in memory, x y z x y z ...
// Out:  extremes. All but the box are computed in double: four points at a time.
// Note: extremes do not depend on the order of operations, so base and AVX2 level agree.

#include "geometry/bounds.h"

/// x, y and z of four points.
typedef struct Four {
    sdD4 x, y, z;
} Four;

SD_INLINE sdD4 max4(sdD4 a, sdD4 b) {
#if defined(__AVX2__)
    return (sdD4)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
    return sdD4_Select(a > b, a, b);
#endif
}

/// Points i .. i + 3; beyond the end the last point stands in.
SD_INLINE Four loadFour(const sdVec3* points, int i, int count) {
    sdVec3 tail[4];
    const sdVec3* from = points + i;
    if (count - i < 4) {
        for (int k = 0; k < 4; ++k) {
            tail[k] = points[sdMinI(i + k, count - 1)];
        }
        from = tail;
    }
    sdF4 a, b, c;
    memcpy(&a, (const char*)from, 16);
    memcpy(&b, (const char*)from + 16, 16);
    memcpy(&c, (const char*)from + 32, 16);
    // a b c = x y z x, y z x y, z x y z
    sdF4 x = __builtin_shufflevector(__builtin_shufflevector(a, b, 0, 3, 6, 6), c, 0, 1, 2, 5);
    sdF4 y = __builtin_shufflevector(__builtin_shufflevector(a, b, 1, 4, 7, 7), c, 0, 1, 2, 6);
    sdF4 z = __builtin_shufflevector(__builtin_shufflevector(a, b, 2, 5, 5, 5), c, 0, 1, 4, 7);
    return (Four){__builtin_convertvector(x, sdD4), __builtin_convertvector(y, sdD4),
                  __builtin_convertvector(z, sdD4)};
}

SD_INLINE double reduceMax(sdD4 a) {
    double r = a[0];
    for (int i = 1; i < 4; ++i) {
        r = a[i] > r ? a[i] : r;
    }
    return r;
}

bool SD_KERNEL(sdPoints_Box)(const sdVec3* points, int count, sdAABB* out) {
    // eight points are three registers whose lanes belong to x, y, z in turn
    const int floatsPerBlock = 3 * SD_LANES;
    sdAABB box = {points[0], points[0]};
    bool isFinite = true;
    int blockCount = count / SD_LANES;
    if (blockCount > 0) {
        sdF8 lower[3], upper[3];
        sdI8 bad = sdI8_Splat(0);
        for (int k = 0; k < 3; ++k) {
            lower[k] = upper[k] = sdF8_Load(&points[0].x + k * SD_LANES);
        }
        for (int i = 0; i < blockCount; ++i) {
            const float* from = (const float*)points + (ptrdiff_t)i * floatsPerBlock;
            for (int k = 0; k < 3; ++k) {
                sdF8 v = sdF8_Load(from + k * SD_LANES);
                sdI8 exponent = (sdI8)v & sdI8_Splat(0x7F800000);
                bad |= exponent == sdI8_Splat(0x7F800000);
                lower[k] = sdF8_Min(lower[k], v);
                upper[k] = sdF8_Max(upper[k], v);
            }
        }
        isFinite = !sdI8_Any(bad);
        sdVec3 lowers[SD_LANES], uppers[SD_LANES];
        memcpy(lowers, lower, sizeof lowers);
        memcpy(uppers, upper, sizeof uppers);
        for (int i = 0; i < SD_LANES; ++i) {
            box = sdAABB_Union(box, (sdAABB){lowers[i], uppers[i]});
        }
    }
    for (int i = blockCount * SD_LANES; i < count; ++i) {
        isFinite = isFinite && sdVec3_IsFinite(points[i]);
        box = sdAABB_AddPoint(box, points[i]);
    }
    *out = box;
    return isFinite;
}

int SD_KERNEL(sdPoints_Farthest)(const sdVec3* points, int count, sdVec3d center, double* squared) {
    sdD4 best = sdD4_Splat(-1.0);
    sdL4 bestIndex = {0};
    sdL4 index = {0, 1, 2, 3};
    sdD4 cx = sdD4_Splat(center.x), cy = sdD4_Splat(center.y), cz = sdD4_Splat(center.z);
    for (int i = 0; i < count; i += 4) {
        Four p = loadFour(points, i, count);
        sdD4 dx = p.x - cx, dy = p.y - cy, dz = p.z - cz;
        sdD4 d = dx * dx + dy * dy + dz * dz;
        sdL4 isFarther = d > best;
        best = sdD4_Select(isFarther, d, best);
        bestIndex = (isFarther & index) | (~isFarther & bestIndex);
        index += 4;
    }
    int lane = 0;
    for (int k = 1; k < 4; ++k) {
        bool isFirst = best[k] == best[lane] && bestIndex[k] < bestIndex[lane];
        lane = best[k] > best[lane] || isFirst ? k : lane;
    }
    *squared = best[lane];
    return (int)bestIndex[lane];
}

void SD_KERNEL(sdPoints_Project)(const sdVec3* points, int count, sdVec3d origin,
                                 const sdVec3d axes[3], double lower[3], double upper[3]) {
    sdD4 low[3], high[3];
    sdD4 ox = sdD4_Splat(origin.x), oy = sdD4_Splat(origin.y), oz = sdD4_Splat(origin.z);
    for (int k = 0; k < 3; ++k) {
        low[k] = sdD4_Splat(DBL_MAX);
        high[k] = sdD4_Splat(-DBL_MAX);
    }
    for (int i = 0; i < count; i += 4) {
        Four p = loadFour(points, i, count);
        sdD4 dx = p.x - ox, dy = p.y - oy, dz = p.z - oz;
        for (int k = 0; k < 3; ++k) {
            sdD4 d = dx * sdD4_Splat(axes[k].x) + dy * sdD4_Splat(axes[k].y) +
                     dz * sdD4_Splat(axes[k].z);
            low[k] = sdD4_Min(low[k], d);
            high[k] = max4(high[k], d);
        }
    }
    for (int k = 0; k < 3; ++k) {
        lower[k] = sdD4_ReduceMin(low[k]);
        upper[k] = reduceMax(high[k]);
    }
}

void SD_KERNEL(sdPoints_Slabs)(const sdVec3* points, int count, double lower[SD_KDOP_MAX_SLABS],
                               double upper[SD_KDOP_MAX_SLABS]) {
    sdD4 low[SD_KDOP_MAX_SLABS], high[SD_KDOP_MAX_SLABS];
    for (int k = 0; k < SD_KDOP_MAX_SLABS; ++k) {
        low[k] = sdD4_Splat(DBL_MAX);
        high[k] = sdD4_Splat(-DBL_MAX);
    }
    for (int i = 0; i < count; i += 4) {
        Four p = loadFour(points, i, count);
        sdD4 xPlusY = p.x + p.y, xMinusY = p.x - p.y;
        // in the order of sdKdop_GetDirections(SD_KDOP_26)
        sdD4 d[SD_KDOP_MAX_SLABS] = {
            p.x,    p.y,     p.z,       xPlusY + p.z, xPlusY - p.z, xMinusY + p.z, xMinusY - p.z,
            xPlusY, xMinusY, p.x + p.z, p.x - p.z,    p.y + p.z,    p.y - p.z,
        };
        for (int k = 0; k < SD_KDOP_MAX_SLABS; ++k) {
            low[k] = sdD4_Min(low[k], d[k]);
            high[k] = max4(high[k], d[k]);
        }
    }
    for (int k = 0; k < SD_KDOP_MAX_SLABS; ++k) {
        lower[k] = sdD4_ReduceMin(low[k]);
        upper[k] = reduceMax(high[k]);
    }
}
