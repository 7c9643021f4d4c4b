// SPDX-License-Identifier: MIT
// simd_kernel.c - see simd_kernel.h.

#include "simd_kernel.h"

static sdF8 sumOf(sdVec3x8 v) {
    return v.x + v.y + v.z;
}

static void putVectors(float* rows, sdVec3x8 v, sdVec3x8 w) {
    sdVec3x8 splat = sdVec3x8_Splat(sdV3(v.x[0], v.y[0], v.z[0]));
    sdF8_Store(rows + 8 * ROW_VEC_SPLAT, sumOf(splat));
    sdF8_Store(rows + 8 * ROW_VEC_SUB, sumOf(sdVec3x8_Sub(v, w)));
    sdF8_Store(rows + 8 * ROW_VEC_ADD, sumOf(sdVec3x8_Add(v, w)));
    sdF8_Store(rows + 8 * ROW_VEC_MUL_ADD, sumOf(sdVec3x8_MulAdd(v, v.x, w)));
    sdF8_Store(rows + 8 * ROW_VEC_DOT, sdVec3x8_Dot(v, w));
    sdF8_Store(rows + 8 * ROW_VEC_CROSS, sumOf(sdVec3x8_Cross(v, w)));
}

void SD_KERNEL(TestSimd_All)(const float* pa, const float* pb, const float* pc, float* rows) {
    sdF8 a = sdF8_Load(pa), b = sdF8_Load(pb), c = sdF8_Load(pc);
    sdF8 one = sdF8_Splat(1.0f), zero = sdF8_Zero();
    sdI8 mask = sdF8_Less(a, b);
    // integers by way of memory, so that load and store are run as well
    int32_t integers[SD_LANES] = {1, -2, 3, -4, 5, -6, 7, INT32_MAX};
    sdI8 i = sdI8_Load(integers);
    sdI8 chosen = sdI8_Select(mask, i, sdI8_Splat(9));
    sdI8_Store(integers, chosen);
    sdF8_Store(rows + 8 * ROW_SPLAT, sdF8_Splat(pa[3]));
    sdF8_Store(rows + 8 * ROW_ZERO, zero);
    sdF8_Store(rows + 8 * ROW_FROM_INT, sdF8_FromI8(i));
    sdF8 bounded = sdF8_Clamp(a, sdF8_Splat(-1e9f), sdF8_Splat(1e9f));
    sdF8_Store(rows + 8 * ROW_TO_INT, sdF8_FromI8(sdI8_FromF8(bounded)));
    sdF8_Store(rows + 8 * ROW_JOIN, sdF8_Join(sdF8_Low(a), sdF8_High(b)));
    sdF8_Store(rows + 8 * ROW_LESS, sdF8_Select(mask, one, zero));
    sdF8_Store(rows + 8 * ROW_LESS_EQUAL, sdF8_Select(sdF8_LessEqual(a, b), one, zero));
    sdF8_Store(rows + 8 * ROW_EQUAL, sdF8_Select(sdF8_Equal(a, b), one, zero));
    sdF8_Store(rows + 8 * ROW_SELECT, sdF8_Select(mask, a, c));
    sdF8_Store(rows + 8 * ROW_SELECT_INT, sdF8_FromI8(sdI8_Load(integers)));
    sdF8_Store(rows + 8 * ROW_MASK_BITS, sdF8_Splat((float)sdI8_MaskBits(mask)));
    sdF8_Store(rows + 8 * ROW_ANY, sdF8_Splat(sdI8_Any(mask) ? 1.0f : 0.0f));
    sdF8_Store(rows + 8 * ROW_MIN, sdF8_Min(a, b));
    sdF8_Store(rows + 8 * ROW_MAX, sdF8_Max(a, b));
    sdF8_Store(rows + 8 * ROW_ABS, sdF8_Abs(a));
    sdF8_Store(rows + 8 * ROW_SQRT, sdF8_Sqrt(sdF8_Abs(a)));
    sdF8_Store(rows + 8 * ROW_CLAMP, sdF8_Clamp(a, b, c));
    sdF8_Store(rows + 8 * ROW_REDUCE_MIN, sdF8_Splat(sdF8_ReduceMin(a)));
    sdF8_Store(rows + 8 * ROW_REDUCE_MAX, sdF8_Splat(sdF8_ReduceMax(a)));
    sdF8_Store(rows + 8 * ROW_OPERATORS, (a + b) * c - a / b);
    putVectors(rows, (sdVec3x8){a, b, c}, (sdVec3x8){b, c, a});
}

/// One round on eight lanes; the values stay within -4 .. 4.
static sdF8 mixLanes(sdF8 a, sdF8 b, int round) {
    sdF8 one = sdF8_Splat(1.0f);
    sdVec3x8 u = {a, b, a * b};
    sdVec3x8 v = sdVec3x8_Sub(sdVec3x8_Cross(u, sdVec3x8_Splat(sdV3(0.3f, -0.7f, 0.2f))), u);
    v = sdVec3x8_MulAdd(v, sdF8_FromI8(sdI8_Splat(round & 7)), sdVec3x8_Add(u, u));
    sdF8 length = sdF8_Sqrt(sdVec3x8_Dot(v, v)) + one;
    sdF8 ratio = (v.x + a) / length;
    sdF8 turned = sdF8_Select(sdF8_Less(ratio, sdF8_Abs(b)), ratio * 3.1f, b - ratio);
    // the part after the point, by way of integers
    sdF8 whole = sdF8_FromI8(sdI8_FromF8(turned * 7.0f));
    turned = turned * 7.0f - whole + sdF8_Min(a, b) * 0.25f - sdF8_Max(a, -b) * 0.125f;
    float shift = 0.01f * (sdF8_ReduceMax(turned) - sdF8_ReduceMin(turned));
    float bits = (float)sdI8_MaskBits(sdF8_LessEqual(b, turned)) * 0x1p-9f;
    return sdF8_Clamp(turned + shift + bits, sdF8_Splat(-4.0f), sdF8_Splat(4.0f));
}

void SD_KERNEL(TestSimd_Chain)(float* state, int count, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < count; ++i) {
            sdF8 a = sdF8_Load(state + 8 * i);
            sdF8 b = sdF8_Load(state + 8 * ((i + 1) % count));
            sdF8_Store(state + 8 * i, mixLanes(a, b, round));
        }
    }
}
