// SPDX-License-Identifier: MIT
// test_simd.c - simd.h against scalar code at every level, and the same bits everywhere.

#include "base/hash.h"
#include "simd_kernel.h"
#include "support.h"

// ---- each function --------------------------------------------------------------------------

typedef void AllFcn(const float* a, const float* b, const float* c, float* rows);

static float minOf(float a, float b) {
    return a < b ? a : b;
}

static float maxOf(float a, float b) {
    return a > b ? a : b;
}

static float sumOf(sdVec3 v) {
    return v.x + v.y + v.z;
}

/// What the rows should hold, one lane at a time.
static void scalarRows(const float* a, const float* b, const float* c, float* rows) {
    const int32_t integers[SD_LANES] = {1, -2, 3, -4, 5, -6, 7, INT32_MAX};
    int bits = 0;
    for (int i = 0; i < SD_LANES; ++i) {
        bits |= (a[i] < b[i] ? 1 : 0) << i;
    }
    sdVec3 first = sdV3(a[0], b[0], c[0]);
    for (int i = 0; i < SD_LANES; ++i) {
        float* r = rows + i;
        sdVec3 v = sdV3(a[i], b[i], c[i]), w = sdV3(b[i], c[i], a[i]);
        r[8 * ROW_SPLAT] = a[3];
        r[8 * ROW_ZERO] = 0.0f;
        r[8 * ROW_FROM_INT] = (float)integers[i];
        r[8 * ROW_TO_INT] = (float)(int32_t)minOf(maxOf(a[i], -1e9f), 1e9f);
        r[8 * ROW_JOIN] = i < 4 ? a[i] : b[i];
        r[8 * ROW_LESS] = a[i] < b[i] ? 1.0f : 0.0f;
        r[8 * ROW_LESS_EQUAL] = a[i] <= b[i] ? 1.0f : 0.0f;
        r[8 * ROW_EQUAL] = a[i] == b[i] ? 1.0f : 0.0f;
        r[8 * ROW_SELECT] = a[i] < b[i] ? a[i] : c[i];
        r[8 * ROW_SELECT_INT] = (float)(a[i] < b[i] ? integers[i] : 9);
        r[8 * ROW_MASK_BITS] = (float)bits;
        r[8 * ROW_ANY] = bits != 0 ? 1.0f : 0.0f;
        r[8 * ROW_MIN] = minOf(a[i], b[i]);
        r[8 * ROW_MAX] = maxOf(a[i], b[i]);
        r[8 * ROW_ABS] = fabsf(a[i]);
        r[8 * ROW_SQRT] = sqrtf(fabsf(a[i]));
        r[8 * ROW_CLAMP] = minOf(maxOf(a[i], b[i]), c[i]);
        r[8 * ROW_OPERATORS] = (a[i] + b[i]) * c[i] - a[i] / b[i];
        r[8 * ROW_VEC_SPLAT] = sumOf(first);
        r[8 * ROW_VEC_SUB] = sumOf(sdSub(v, w));
        r[8 * ROW_VEC_ADD] = sumOf(sdAdd(v, w));
        r[8 * ROW_VEC_MUL_ADD] = sumOf(sdMulAdd(v, v.x, w));
        r[8 * ROW_VEC_DOT] = sdDot(v, w);
        r[8 * ROW_VEC_CROSS] = sumOf(sdCross(v, w));
        float least = a[0], most = a[0];
        for (int k = 1; k < SD_LANES; ++k) {
            least = minOf(a[k], least);
            most = maxOf(a[k], most);
        }
        r[8 * ROW_REDUCE_MIN] = least;
        r[8 * ROW_REDUCE_MAX] = most;
    }
}

/// The same bits. What is not a number may differ in its payload where it was computed.
static bool isSame(float a, float b, bool mayDiffer) {
    return memcmp(&a, &b, sizeof a) == 0 || (mayDiffer && isnan(a) && isnan(b));
}

static void compareRows(AllFcn* all, const float* a, const float* b, const float* c, bool hasNaN) {
    float rows[8 * ROW_COUNT], expected[8 * ROW_COUNT];
    all(a, b, c, rows);
    scalarRows(a, b, c, expected);
    for (int i = 0; i < 8 * ROW_COUNT; ++i) {
        int row = i / 8;
        // the order of comparisons decides what becomes of NaN, and of the two zeros
        bool isReduction = row == ROW_REDUCE_MIN || row == ROW_REDUCE_MAX;
        if (isReduction && (hasNaN || expected[i] == 0.0f)) {
            continue;
        }
        bool isComputed = row == ROW_SQRT || row >= ROW_OPERATORS;
        if (!isSame(rows[i], expected[i], isComputed)) {
            sdTest_Print("row %d lane %d: %g, expected %g", row, i % 8, (double)rows[i],
                         (double)expected[i]);
            CHECK(false);
        }
    }
}

static void testLevel(AllFcn* all) {
    TestRandom random = TestRandom_Make(21);
    const float special[] = {0.0f,    -0.0f, 1.0f,     -1.0f,          1e-45f,          -1e-40f,
                             FLT_MAX, 2.5f,  -FLT_MAX, TestInfinity(), -TestInfinity(), TestNaN()};
    for (int trial = 0; trial < 2000; ++trial) {
        float values[3][SD_LANES + 1];
        bool hasNaN = false;
        for (int k = 0; k < 3; ++k) {
            for (int i = 0; i <= SD_LANES; ++i) {
                bool isSpecial = trial % 2 == 1 && TestRandom_Int(&random, 3) == 0;
                values[k][i] = isSpecial ? special[TestRandom_Int(&random, 12)]
                                         : TestRandom_Float(&random, -10.0f, 10.0f);
                hasNaN = hasNaN || isnan(values[k][i]);
            }
        }
        values[1][trial % 8] = values[0][trial % 8];
        // any alignment
        compareRows(all, values[0] + trial % 2, values[1], values[2] + 1, hasNaN);
    }
}

SD_TEST(simd_functions_agree_with_scalar_code) {
    testLevel(TestSimd_All_base);
#if defined(SD_HAVE_AVX2_KERNELS)
    if (sdSimd_HasAvx2()) {
        testLevel(TestSimd_All_avx2);
    }
#endif
}

SD_TEST(simd_min_and_max_give_the_second_when_one_is_not_a_number) {
    float nan = TestNaN(), a[8], b[8], c[8] = {0}, rows[8 * ROW_COUNT];
    for (int i = 0; i < 8; ++i) {
        a[i] = i % 2 == 0 ? nan : 1.0f;
        b[i] = i % 2 == 0 ? 2.0f : nan;
    }
    SD_DISPATCH(TestSimd_All)(a, b, c, rows);
    for (int i = 0; i < 8; ++i) {
        CHECK(i % 2 == 0 ? rows[8 * ROW_MIN + i] == 2.0f : isnan(rows[8 * ROW_MIN + i]));
        CHECK(i % 2 == 0 ? rows[8 * ROW_MAX + i] == 2.0f : isnan(rows[8 * ROW_MAX + i]));
    }
}

// ---- the same bits ---------------------------------------------------------------------------

#define CHAIN_COUNT 32

/// For every compiler, level of optimisation, sanitizer, processor and level of SIMD. It changes
/// only when a function of vecmath.h or the test itself is changed on purpose.
#define SAME_BITS 0xE85EC0948F4E2006u

typedef void ChainFcn(float* state, int count, int rounds);

/// State of a walk through all of vecmath.h that is not inline.
typedef struct Walk {
    sdQuat q;
    sdVec3 v;
    sdMat33 m;
    sdVec3 values;
    float angle;
} Walk;

static Walk walkOn(Walk w, TestRandom* random) {
    sdVec3 kick = TestRandom_InBox(random, 1.0f);
    w.q = sdQuat_Integrate(w.q, sdAdd(w.v, kick), 0.25f);
    w.v = sdRotate(w.q, sdLerp(w.v, kick, 0.3f));
    w.angle = sdAtan2(sdSin(w.angle + kick.x), sdCos(w.angle * 1000.0f) + kick.y);
    w.angle += sdAcos(kick.z) - sdSin(1e6f * kick.x) + sdCos(1e30f * kick.y);
    sdMat33 spin = sdQuat_ToMatrix(w.q);
    w.m = sdMat33_Add(sdMulMM(spin, w.m), sdMat33_Skew(kick));
    w.m = sdMat33_Add(sdMat33_Scale(0.5f, w.m), sdMat33_PolarRotation(w.m));
    sdMat33 axes =
        sdMat33_Eigen(sdRotateInertia(w.q, sdMat33_Diagonal(1.0f, 2.0f, w.angle)), &w.values);
    w.v = sdAdd(w.v, sdMulMV(axes, sdScale(0.1f, w.values)));
    w.v = sdMulAdd(w.v, 0.01f, sdMat33_Solve(w.m, kick));
    w.v = sdAdd(w.v, sdScale(0.01f, sdMulMV(sdMat33_Inverse(w.m), w.v)));
    w.v = sdMin(sdMax(w.v, sdV3(-9.0f, -9.0f, -9.0f)), sdV3(9.0f, 9.0f, 9.0f));
    w.q = sdMulQ(w.q, sdQuat_Between(sdNormalize(w.v), sdNormalize(kick)));
    w.q = sdMulQ(sdQuat_FromMatrix(axes), w.q);
    w.v = sdAdd(w.v, sdQuat_ToRotationVector(sdNormalizeQ(w.q)));
    w.q = sdNormalizeQ(sdMulQ(w.q, sdQuat_FromRotationVector(w.v)));
    return w;
}

static uint64_t hashOfWalk(void) {
    TestRandom random = TestRandom_Make(23);
    Walk walk = {.q = sdQuat_Identity(), .m = sdMat33_Identity(), .angle = 1.0f};
    uint64_t hash = 0;
    for (int i = 0; i < 20000; ++i) {
        walk = walkOn(walk, &random);
        hash = sdHash_Words(&walk, sizeof walk / 4, hash);
    }
    CHECK(sdQuat_IsUnit(walk.q) && sdVec3_IsFinite(walk.v) && sdVec3_IsFinite(walk.m.cx));
    return hash;
}

static uint64_t hashOfLanes(ChainFcn* chain, uint64_t seed) {
    float state[8 * CHAIN_COUNT];
    TestRandom random = TestRandom_Make(22);
    for (int i = 0; i < 8 * CHAIN_COUNT; ++i) {
        state[i] = TestRandom_Float(&random, -2.0f, 2.0f);
    }
    chain(state, CHAIN_COUNT, 2000);
    // a computation that has died down to one value would prove nothing
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < 8 * CHAIN_COUNT; ++i) {
        sum += (double)state[i];
        squares += (double)state[i] * (double)state[i];
    }
    double n = 8.0 * CHAIN_COUNT;
    CHECK(squares / n - sum * sum / (n * n) > 0.05);
    return sdHash_Words(state, 8 * CHAIN_COUNT, seed);
}

static void checkBits(const char* level, uint64_t walk, uint64_t both) {
    if (!CHECK(both == SAME_BITS)) {
        sdTest_Print("%s: scalar part 0x%016llX, with lanes 0x%016llX", level,
                     (unsigned long long)walk, (unsigned long long)both);
    }
}

SD_TEST(simd_and_math_give_the_same_bits_everywhere) {
    uint64_t walk = hashOfWalk();
    checkBits("base", walk, hashOfLanes(TestSimd_Chain_base, walk));
#if defined(SD_HAVE_AVX2_KERNELS)
    if (sdSimd_HasAvx2()) {
        checkBits("avx2", walk, hashOfLanes(TestSimd_Chain_avx2, walk));
    }
#endif
}
