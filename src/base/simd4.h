// SPDX-License-Identifier: MIT
// simd4.h - four float lanes, of which three are a vector: what pairs of boxes are asked with.
//
// Note: the fourth lane takes part in everything and may hold anything; nothing here looks at it.

#ifndef SD_BASE_SIMD4_H
#define SD_BASE_SIMD4_H

#include "base/simd.h"

SD_INLINE sdF4 sdF4_Splat(float a) {
    return (sdF4){a, a, a, a};
}

SD_INLINE sdI4 sdI4_Splat(int32_t a) {
    return (sdI4){a, a, a, a};
}

SD_INLINE sdF4 sdF4_Abs(sdF4 a) {
    return (sdF4)((sdI4)a & sdI4_Splat(INT32_MAX));
}

/// Of numbers that are not NaN.
SD_INLINE sdF4 sdF4_Max(sdF4 a, sdF4 b) {
#if defined(__SSE2__)
    return (sdF4)_mm_max_ps((__m128)a, (__m128)b);
#else
    sdI4 isMore = a > b;
    return (sdF4)((isMore & (sdI4)a) | (~isMore & (sdI4)b));
#endif
}

/// Of numbers that are not NaN.
SD_INLINE sdF4 sdF4_Min(sdF4 a, sdF4 b) {
#if defined(__SSE2__)
    return (sdF4)_mm_min_ps((__m128)a, (__m128)b);
#else
    sdI4 isLess = a < b;
    return (sdF4)((isLess & (sdI4)a) | (~isLess & (sdI4)b));
#endif
}

/// Of numbers that are neither negative nor NaN, whose bits compare as they do: that is quicker.
SD_INLINE sdF4 sdF4_MinBits(sdF4 a, sdF4 b) {
#if defined(__SSE4_1__)
    return (sdF4)_mm_min_epi32((__m128i)a, (__m128i)b);
#else
    return sdF4_Min(a, b);
#endif
}

SD_INLINE sdF4 sdF4_Sqrt(sdF4 a) {
#if defined(__SSE2__)
    return (sdF4)_mm_sqrt_ps((__m128)a);
#else
    return (sdF4){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])};
#endif
}

/// The first lane in all four.
SD_INLINE sdF4 sdF4_First(sdF4 a) {
    return __builtin_shufflevector(a, a, 0, 0, 0, 0);
}

/// Lanes y, z, x.
SD_INLINE sdF4 sdF4_Next(sdF4 a) {
    return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}

/// Lanes z, x, y.
SD_INLINE sdF4 sdF4_Previous(sdF4 a) {
    return __builtin_shufflevector(a, a, 2, 0, 1, 3);
}

SD_INLINE sdI4 sdI4_Next(sdI4 a) {
    return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}

SD_INLINE sdI4 sdI4_Previous(sdI4 a) {
    return __builtin_shufflevector(a, a, 2, 0, 1, 3);
}

/// The sum of the first three lanes, in each of them.
SD_INLINE sdF4 sdF4_Sum3(sdF4 a) {
    return a + sdF4_Next(a) + sdF4_Previous(a);
}

/// Lanes of a, with the other sign where those of b are negative.
SD_INLINE sdF4 sdF4_Turn(sdF4 a, sdF4 b) {
    return (sdF4)((sdI4)a ^ ((sdI4)b & sdI4_Splat(INT32_MIN)));
}

/// mask ? a : 0
SD_INLINE sdF4 sdF4_Keep(sdF4 a, sdI4 mask) {
    return (sdF4)((sdI4)a & mask);
}

/// mask ? 0 : a
SD_INLINE sdF4 sdF4_Drop(sdF4 a, sdI4 mask) {
    return (sdF4)((sdI4)a & ~mask);
}

/// Bit i is set when lane i of the first three is negative, or true.
SD_INLINE unsigned sdI4_Bits3(sdI4 signs) {
#if defined(__SSE2__)
    return (unsigned)_mm_movemask_ps((__m128)signs) & 7u;
#else
    return (unsigned)((signs[0] < 0) | (signs[1] < 0) << 1 | (signs[2] < 0) << 2);
#endif
}

#endif
