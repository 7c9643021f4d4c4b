// SPDX-License-Identifier: MIT
// bounds_kernel.c - passes over many points: box, farthest point, ranges along directions.
//
// In:   points as they lie in memory, x y z x y z ...
// Out:  extremes. All but the box are computed in double: four points at a time.
// Note: extremes do not depend on the order of operations, so base and AVX2 level agree.

#include "geometry/bounds.h"

typedef double D4 __attribute__((vector_size(32)));
typedef int64_t L4 __attribute__((vector_size(32)));

/// x, y and z of four points.
typedef struct Four {
    D4 x, y, z;
} Four;

SD_INLINE D4 splat(double a) {
    return (D4){a, a, a, a};
}

SD_INLINE D4 select4(L4 mask, D4 a, D4 b) {
    return (D4)((mask & (L4)a) | (~mask & (L4)b));
}

SD_INLINE D4 min4(D4 a, D4 b) {
#if defined(__AVX2__)
    return (D4)_mm256_min_pd((__m256d)a, (__m256d)b);
#else
    return select4(a < b, a, b);
#endif
}

SD_INLINE D4 max4(D4 a, D4 b) {
#if defined(__AVX2__)
    return (D4)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
    return select4(a > b, a, b);
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
    return (Four){__builtin_convertvector(x, D4), __builtin_convertvector(y, D4),
                  __builtin_convertvector(z, D4)};
}

SD_INLINE double reduceMin(D4 a) {
    double r = a[0];
    for (int i = 1; i < 4; ++i) {
        r = a[i] < r ? a[i] : r;
    }
    return r;
}

SD_INLINE double reduceMax(D4 a) {
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
    D4 best = splat(-1.0);
    L4 bestIndex = {0};
    L4 index = {0, 1, 2, 3};
    D4 cx = splat(center.x), cy = splat(center.y), cz = splat(center.z);
    for (int i = 0; i < count; i += 4) {
        Four p = loadFour(points, i, count);
        D4 dx = p.x - cx, dy = p.y - cy, dz = p.z - cz;
        D4 d = dx * dx + dy * dy + dz * dz;
        L4 isFarther = d > best;
        best = select4(isFarther, d, best);
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
    D4 low[3], high[3];
    D4 ox = splat(origin.x), oy = splat(origin.y), oz = splat(origin.z);
    for (int k = 0; k < 3; ++k) {
        low[k] = splat(DBL_MAX);
        high[k] = splat(-DBL_MAX);
    }
    for (int i = 0; i < count; i += 4) {
        Four p = loadFour(points, i, count);
        D4 dx = p.x - ox, dy = p.y - oy, dz = p.z - oz;
        for (int k = 0; k < 3; ++k) {
            D4 d = dx * splat(axes[k].x) + dy * splat(axes[k].y) + dz * splat(axes[k].z);
            low[k] = min4(low[k], d);
            high[k] = max4(high[k], d);
        }
    }
    for (int k = 0; k < 3; ++k) {
        lower[k] = reduceMin(low[k]);
        upper[k] = reduceMax(high[k]);
    }
}

void SD_KERNEL(sdPoints_Slabs)(const sdVec3* points, int count, double lower[SD_KDOP_MAX_SLABS],
                               double upper[SD_KDOP_MAX_SLABS]) {
    D4 low[SD_KDOP_MAX_SLABS], high[SD_KDOP_MAX_SLABS];
    for (int k = 0; k < SD_KDOP_MAX_SLABS; ++k) {
        low[k] = splat(DBL_MAX);
        high[k] = splat(-DBL_MAX);
    }
    for (int i = 0; i < count; i += 4) {
        Four p = loadFour(points, i, count);
        D4 xPlusY = p.x + p.y, xMinusY = p.x - p.y;
        // in the order of sdKdop_GetDirections(SD_KDOP_26)
        D4 d[SD_KDOP_MAX_SLABS] = {
            p.x,    p.y,     p.z,       xPlusY + p.z, xPlusY - p.z, xMinusY + p.z, xMinusY - p.z,
            xPlusY, xMinusY, p.x + p.z, p.x - p.z,    p.y + p.z,    p.y - p.z,
        };
        for (int k = 0; k < SD_KDOP_MAX_SLABS; ++k) {
            low[k] = min4(low[k], d[k]);
            high[k] = max4(high[k], d[k]);
        }
    }
    for (int k = 0; k < SD_KDOP_MAX_SLABS; ++k) {
        lower[k] = reduceMin(low[k]);
        upper[k] = reduceMax(high[k]);
    }
}
