// SPDX-License-Identifier: MIT
// hull_kernel.c - see hull_kernel.h.

#include "geometry/hull_kernel.h"

SD_INLINE sdI8 minI8(sdI8 a, sdI8 b) {
    return sdI8_Select(a < b, a, b);
}

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
        sdI8 isBetter = sdF8_Less(best, d);
        best = sdF8_Max(d, best);
        bestIndex = sdI8_Select(isBetter, index, bestIndex);
        index += sdI8_Splat(SD_LANES);
    }
    // of equal lanes the lowest index, which is what a plain loop finds
    sdF8 most = sdF8_Splat(sdF8_ReduceMax(best));
    sdI8 lowest = sdI8_Select(sdF8_Equal(best, most), bestIndex, sdI8_Splat(INT32_MAX));
    lowest = minI8(lowest, __builtin_shufflevector(lowest, lowest, 4, 5, 6, 7, 0, 1, 2, 3));
    lowest = minI8(lowest, __builtin_shufflevector(lowest, lowest, 2, 3, 0, 1, 6, 7, 4, 5));
    lowest = minI8(lowest, __builtin_shufflevector(lowest, lowest, 1, 0, 3, 2, 5, 4, 7, 6));
    return lowest[0];
}

/// Eight directions, and the furthest vertex along each.
typedef struct Furthest {
    sdVec3x8 d;
    sdF8 reach;
    sdI8 vertex;
} Furthest;

SD_INLINE Furthest startFurthest(const float* directions, int stride) {
    sdVec3x8 d = {sdF8_Load(directions), sdF8_Load(directions + stride),
                  sdF8_Load(directions + 2 * (size_t)stride)};
    return (Furthest){d, sdF8_Splat(-FLT_MAX), sdI8_Splat(0)};
}

SD_INLINE void tryVertex(Furthest* furthest, sdVec3x8 p, sdI8 vertex) {
    sdF8 reach = p.x * furthest->d.x + p.y * furthest->d.y + p.z * furthest->d.z;
    furthest->vertex = sdI8_Select(sdF8_Less(furthest->reach, reach), vertex, furthest->vertex);
    furthest->reach = sdF8_Max(reach, furthest->reach);
}

SD_INLINE void storeFurthest(const Furthest* furthest, uint16_t* out) {
    int32_t vertices[SD_LANES];
    sdI8_Store(vertices, furthest->vertex);
    for (int lane = 0; lane < SD_LANES; ++lane) {
        out[lane] = (uint16_t)vertices[lane];
    }
}

void SD_KERNEL(sdHullKernel_FurthestOf)(const sdVec3* vertices, const int32_t* list, int count,
                                        const float* directions, int directionCount,
                                        uint16_t* furthest) {
    for (int i = 0; i < directionCount; i += 2 * SD_LANES) {
        Furthest first = startFurthest(directions + i, directionCount);
        Furthest second = startFurthest(directions + i + SD_LANES, directionCount);
        for (int k = 0; k < count; ++k) {
            sdVec3x8 p = sdVec3x8_Splat(vertices[list[k]]);
            sdI8 vertex = sdI8_Splat(list[k]);
            tryVertex(&first, p, vertex);
            tryVertex(&second, p, vertex);
        }
        storeFurthest(&first, furthest + i);
        storeFurthest(&second, furthest + i + SD_LANES);
    }
}

void SD_KERNEL(sdHullKernel_Furthest)(const sdHullPoint* points, const int32_t* order, int count,
                                      const sdHullPlane* planes, int planeCount, int32_t* nearest,
                                      double* distances) {
    for (int i = 0; i < count; i += SD_LANES_D) { // distances must not be rounded to float
        // at the end, the last point again
        int last = count - 1 - i;
        sdHullPoint p0 = points[order[i]];
        sdHullPoint p1 = points[order[i + (last < 1 ? last : 1)]];
        sdHullPoint p2 = points[order[i + (last < 2 ? last : 2)]];
        sdHullPoint p3 = points[order[i + (last < 3 ? last : 3)]];
        const sdD4 x = {p0.x, p1.x, p2.x, p3.x};
        const sdD4 y = {p0.y, p1.y, p2.y, p3.y};
        const sdD4 z = {p0.z, p1.z, p2.z, p3.z};
        sdD4 best = sdD4_Splat(-DBL_MAX);
        sdD4 bestPlane = sdD4_Splat(0.0), plane = sdD4_Splat(0.0);
        for (int k = 0; k < planeCount; ++k) {
            sdHullPlane q = planes[k];
            sdD4 d = sdD4_Splat(q.x) * x + sdD4_Splat(q.y) * y + sdD4_Splat(q.z) * z -
                     sdD4_Splat(q.offset);
            sdL4 isBetter = d > best;
            best = sdD4_Select(isBetter, d, best);
            bestPlane = sdD4_Select(isBetter, plane, bestPlane);
            plane += sdD4_Splat(1.0);
        }
        int lanes = last < SD_LANES_D - 1 ? last + 1 : SD_LANES_D;
        for (int lane = 0; lane < lanes; ++lane) {
            nearest[i + lane] = (int32_t)bestPlane[lane];
            distances[i + lane] = best[lane];
        }
    }
}
