// SPDX-License-Identifier: MIT
// simd_kernel.h - every function of simd.h, run at the base level and at AVX2.

#ifndef SD_TEST_SIMD_KERNEL_H
#define SD_TEST_SIMD_KERNEL_H

#include "base/simd.h"

/// What a function of simd.h gave, lane by lane.
typedef enum TestSimdRow {
    ROW_SPLAT,
    ROW_ZERO,
    ROW_FROM_INT,
    ROW_TO_INT, ///< as float again
    ROW_JOIN,   ///< low half of a, high half of b
    ROW_LESS,   ///< 1 or 0
    ROW_LESS_EQUAL,
    ROW_EQUAL,
    ROW_SELECT, ///< a < b ? a : c
    ROW_SELECT_INT,
    ROW_MASK_BITS, ///< of a < b, in every lane
    ROW_ANY,       ///< 1 or 0
    ROW_MIN,
    ROW_MAX,
    ROW_ABS,
    ROW_SQRT, ///< of |a|
    ROW_CLAMP,
    ROW_REDUCE_MIN,
    ROW_REDUCE_MAX,
    ROW_OPERATORS, ///< (a + b) * c - a / b
    ROW_VEC_SPLAT,
    ROW_VEC_SUB, ///< x + y + z of the result
    ROW_VEC_ADD,
    ROW_VEC_MUL_ADD,
    ROW_VEC_DOT,
    ROW_VEC_CROSS,
    ROW_COUNT
} TestSimdRow;

/// @param a, b, c eight floats each; vectors are (a, b, c) and (b, c, a)
/// @param rows ROW_COUNT times eight floats
SD_DECLARE_KERNEL(void, TestSimd_All,
                  (const float* a, const float* b, const float* c, float* rows));

/// A long computation on `count` times eight lanes, in place, that uses all of simd.h and stays
/// finite.
SD_DECLARE_KERNEL(void, TestSimd_Chain, (float* state, int count, int rounds));

#endif
