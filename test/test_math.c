// SPDX-License-Identifier: MIT
// test_math.c - deterministic trigonometry, matrices, quaternions.

#include "math/trig.h"
#include "support.h"

#include <string.h>

// ---- trigonometry ---------------------------------------------------------------------------

/// Distance of `result` from `exact` in units of the last place of the float next to `exact`.
static double ulps(float result, double exact) {
    int exponent;
    frexp(exact, &exponent);
    return fabs((double)result - exact) / ldexp(1.0, exponent - 24 < -149 ? -149 : exponent - 24);
}

static float floatOf(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// The reference is libm's double, good to about 1e-16: 1e-8 units of a float.
SD_TEST(math_trigonometry_is_within_half_a_unit) {
    double sine = 0.0, cosine = 0.0, arcTangent = 0.0, arcCosine = 0.0;
    TestRandom random = TestRandom_Make(1);
    // a stride that meets every exponent and all low bits
    for (uint32_t bits = 0; bits < 0x7F800000u; bits += 2003u) {
        float x = floatOf(bits | (TestRandom_Next(&random) & 0x80000000u));
        sine = fmax(sine, ulps(sdSin(x), sin((double)x)));
        cosine = fmax(cosine, ulps(sdCos(x), cos((double)x)));
        float y = floatOf(TestRandom_Next(&random));
        if (sdIsFinite(y)) {
            arcTangent = fmax(arcTangent, ulps(sdAtan2(y, x), atan2((double)y, (double)x)));
        }
        y = TestRandom_Float(&random, -2.0f, 2.0f);
        arcTangent = fmax(arcTangent, ulps(sdAtan2(y, 1.0f), atan2((double)y, 1.0)));
        arcTangent = fmax(arcTangent, ulps(sdAtan2(y, -1.0f), atan2((double)y, -1.0)));
        if (sdAbsF(x) <= 1.0f) {
            arcCosine = fmax(arcCosine, ulps(sdAcos(x), acos((double)x)));
            arcCosine = fmax(arcCosine, ulps(sdAcos(1.0f - x), acos((double)(1.0f - x))));
        }
    }
    sdTest_Print("error in units of the last place: sin %.5f cos %.5f atan2 %.5f acos %.5f", sine,
                 cosine, arcTangent, arcCosine);
    CHECK(sine < 0.501);
    CHECK(cosine < 0.501);
    CHECK(arcTangent < 0.501);
    CHECK(arcCosine < 0.501);
}

SD_TEST(math_reduction_survives_the_hardest_argument) {
    // of all floats this one comes nearest to a multiple of pi/2
    float x = 16367173.0f * 0x1p72f;
    CHECK(ulps(sdCos(x), -1.6147697982476211883e-9) < 0.501);
    CHECK_NEAR(sdSin(x), sin((double)x), 0.0);
    CHECK(ulps(sdSin(FLT_MAX), -0.52187652333636858) < 0.501);
}

SD_TEST(math_reduction_near_multiples_of_a_quarter_turn) {
    double worst = 0.0;
    for (int k = 1; k < 1200000; k += k < 50000 ? 1 : 7) {
        float x = (float)(k * 1.57079632679489661923);
        worst = fmax(worst, ulps(sdSin(x), sin((double)x)));
        worst = fmax(worst, ulps(sdCos(x), cos((double)x)));
    }
    CHECK(worst < 0.501);
}

SD_TEST(math_double_precision_below_the_floats) {
    TestRandom random = TestRandom_Make(13);
    double worstSine = 0.0, worstTangent = 0.0;
    for (int trial = 0; trial < 100000; ++trial) {
        double low = (double)TestRandom_Float(&random, -1e-8f, 1e-8f);
        float range = trial % 3 == 0 ? 1.0f : (trial % 3 == 1 ? 100.0f : 1e6f);
        double x = (double)TestRandom_Float(&random, -range, range) * (1.0 + low);
        double y = (double)TestRandom_Float(&random, -1.0f, 1.0f) + low;
        double sine, cosine;
        sdSinCosD(x, &sine, &cosine);
        worstSine = fmax(worstSine, fabs(sine / sin(x) - 1.0));
        worstSine = fmax(worstSine, fabs(cosine / cos(x) - 1.0));
        worstTangent = fmax(worstTangent, fabs(sdAtan2D(y, x) / atan2(y, x) - 1.0));
    }
    CHECK(worstSine < 1e-11);
    CHECK(worstTangent < 1e-13);
}

static bool sameBits(float a, float b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

SD_TEST(math_trigonometry_at_the_edges) {
    float inf = TestInfinity(), nan = TestNaN();
    CHECK(isnan(sdSin(inf)) && isnan(sdSin(nan)) && isnan(sdCos(-inf)) && isnan(sdCos(nan)));
    CHECK(sameBits(sdSin(-0.0f), -0.0f) && sameBits(sdSin(0.0f), 0.0f));
    CHECK(sameBits(sdSin(1e-45f), 1e-45f) && sdCos(0.0f) == 1.0f);
    CHECK(isnan(sdAcos(nan)) && sdAcos(1.5f) == 0.0f && sdAcos(-inf) == SD_PI);
    CHECK(sdAcos(1.0f) == 0.0f && sdAcos(-1.0f) == SD_PI && sdAcos(0.0f) == 0.5f * SD_PI);
    CHECK(isnan(sdAtan2(nan, 1.0f)) && isnan(sdAtan2(1.0f, nan)) && isnan(sdAtan2(nan, inf)));
    CHECK(isnan(sdAtan2D((double)nan, 1.0)) && isnan(sdAtan2D(1.0, (double)nan)));
    CHECK(isnan(sdAtan2D((double)inf, (double)inf)) && sdAtan2D(1.0, (double)inf) == 0.0);
    const float values[] = {0.0f,    -0.0f,   1.0f,     -1.0f, 1e-45f,
                            -1e-45f, FLT_MAX, -FLT_MAX, inf,   -inf};
    int count = (int)(sizeof values / sizeof values[0]);
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            float y = values[i], x = values[j];
            CHECK(sameBits(sdAtan2(y, x), (float)atan2((double)y, (double)x)));
        }
    }
}

// ---- matrices -------------------------------------------------------------------------------

static sdMat33 randomMatrix(TestRandom* random) {
    sdVec3 x = TestRandom_InBox(random, 1.0f);
    sdVec3 y = TestRandom_InBox(random, 1.0f);
    sdVec3 z = TestRandom_InBox(random, 1.0f);
    return sdMat33_Columns(x, y, z);
}

static sdMat33 randomRotation(TestRandom* random) {
    return sdQuat_ToMatrix(TestRandom_Rotation(random));
}

static float largestEntry(sdMat33 m) {
    sdVec3 a = sdMax(sdMax(sdAbs(m.cx), sdAbs(m.cy)), sdAbs(m.cz));
    return sdMaxF(a.x, sdMaxF(a.y, a.z));
}

static sdMat33 subtract(sdMat33 a, sdMat33 b) {
    return sdMat33_Add(a, sdMat33_Scale(-1.0f, b));
}

static void checkMatrix(sdMat33 a, sdMat33 b, float tolerance) {
    CHECK_NEAR(largestEntry(subtract(a, b)), 0.0f, tolerance);
}

static void checkVector(sdVec3 a, sdVec3 b, float tolerance) {
    CHECK_NEAR(sdLength(sdSub(a, b)), 0.0f, tolerance);
}

static void checkRotation(sdMat33 r, float tolerance) {
    checkMatrix(sdMulMM(sdMat33_Transpose(r), r), sdMat33_Identity(), tolerance);
    CHECK_NEAR(sdMat33_Determinant(r), 1.0f, tolerance);
}

static bool isZero(sdMat33 m) {
    return largestEntry(m) == 0.0f;
}

SD_TEST(math_inverse_and_solution_at_every_scale) {
    TestRandom random = TestRandom_Make(2);
    for (int trial = 0; trial < 2000; ++trial) {
        sdMat33 unit = randomMatrix(&random);
        if (sdAbsF(sdMat33_Determinant(unit)) < 0.01f) {
            continue;
        }
        // powers of two, so that the scaled matrix is the same up to its exponent
        float s = floatOf((uint32_t)(127 + TestRandom_Int(&random, 121) - 60) << 23);
        sdMat33 m = sdMat33_Scale(s, unit);
        sdMat33 inverse = sdMat33_Inverse(m);
        float size = largestEntry(sdMat33_Inverse(unit));
        checkMatrix(sdMulMM(m, inverse), sdMat33_Identity(), 1e-6f * size);
        checkMatrix(sdMat33_Scale(s, inverse), sdMat33_Inverse(unit), 0.0f);
        sdVec3 x = TestRandom_InBox(&random, 1.0f);
        checkVector(sdMat33_Solve(m, sdMulMV(m, x)), x, 1e-6f * size);
    }
}

SD_TEST(math_inverse_of_rows_and_columns_far_apart) {
    TestRandom random = TestRandom_Make(3);
    for (int trial = 0; trial < 500; ++trial) {
        sdMat33 m = sdMat33_Add(randomMatrix(&random), sdMat33_Diagonal(2.0f, 2.0f, 2.0f));
        // D m E: its inverse is E^-1 m^-1 D^-1
        sdVec3 d = sdV3(0x1p50f, 0x1p-20f, 0x1p-40f);
        sdMat33 scaled = sdMat33_Columns(sdMul(d, m.cx), sdMul(d, m.cy), sdMul(d, m.cz));
        sdMat33 inverse = sdMat33_Inverse(scaled);
        sdMat33 expected = sdMat33_Inverse(m);
        expected = sdMat33_Columns(sdScale(0x1p-50f, expected.cx), sdScale(0x1p20f, expected.cy),
                                   sdScale(0x1p40f, expected.cz));
        CHECK(memcmp(&inverse, &expected, sizeof inverse) == 0);
    }
}

SD_TEST(math_singular_matrices_have_no_inverse) {
    sdMat33 count = {{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}, {7.0f, 8.0f, 9.0f}};
    CHECK(isZero(sdMat33_Inverse(count)));
    CHECK(isZero(sdMat33_Inverse(sdMat33_Scale(0.0f, count))));
    checkVector(sdMat33_Solve(count, sdV3(1.0f, 0.0f, 0.0f)), sdV3(0.0f, 0.0f, 0.0f), 0.0f);
    TestRandom random = TestRandom_Make(4);
    for (int trial = 0; trial < 1000; ++trial) {
        // powers of two keep the combination exact
        sdVec3 a = TestRandom_InBox(&random, 1.0f);
        sdMat33 flat = sdMat33_Columns(a, TestRandom_InBox(&random, 1.0f), sdScale(-0.25f, a));
        CHECK(isZero(sdMat33_Inverse(flat)));
        CHECK(isZero(sdMat33_Inverse(sdMat33_Transpose(flat))));
    }
    // the inverse would be infinite
    CHECK(isZero(sdMat33_Inverse(sdMat33_Diagonal(1e-40f, 1.0f, 1.0f))));
    CHECK(isZero(sdMat33_Inverse(sdMat33_Diagonal(TestNaN(), 1.0f, 1.0f))));
    CHECK(isZero(sdMat33_Inverse(sdMat33_Diagonal(TestInfinity(), 1.0f, 1.0f))));
    // nearly singular is not singular
    sdMat33 near = {{1.0f, 1.0f, 0.0f}, {1.0f, 1.0f + FLT_EPSILON, 0.0f}, {0.0f, 0.0f, 1.0f}};
    float large = 1.0f / FLT_EPSILON;
    sdMat33 expected = {{large + 1.0f, -large, 0.0f}, {-large, large, 0.0f}, {0.0f, 0.0f, 1.0f}};
    checkMatrix(sdMat33_Inverse(near), expected, 0.0f);
    // far from singular, for all that its determinant is 1e-36
    checkMatrix(sdMat33_Inverse(sdMat33_Diagonal(1e-12f, 1e-12f, 1e-12f)),
                sdMat33_Diagonal(1e12f, 1e12f, 1e12f), 1e6f);
}

static void checkEigen(sdMat33 m, float scale) {
    sdVec3 values;
    sdMat33 v = sdMat33_Eigen(m, &values);
    CHECK(values.x >= values.y && values.y >= values.z);
    checkRotation(v, 5e-7f);
    // M V = V diag, relative to the largest value
    sdMat33 left = sdMat33_Scale(1.0f / scale, sdMulMM(m, v));
    sdMat33 right =
        sdMulMM(v, sdMat33_Diagonal(values.x / scale, values.y / scale, values.z / scale));
    checkMatrix(left, right, 1e-6f);
}

/// V diag(values) V^T, rounded to float and symmetric.
static sdMat33 symmetricFrom(sdVec3 values, sdQuat q) {
    return sdRotateInertia(q, sdMat33_Diagonal(values.x, values.y, values.z));
}

SD_TEST(math_eigen_of_symmetric_matrices_at_every_scale) {
    TestRandom random = TestRandom_Make(5);
    const float scales[] = {1e-38f, 1e-18f, 1e-6f, 1.0f, 1e6f, 1e18f, 1e37f};
    for (int trial = 0; trial < 3000; ++trial) {
        float scale = scales[trial % 7];
        sdVec3 values = TestRandom_InBox(&random, 1.0f);
        // repeated, nearly repeated and zero values as well
        values.y = trial % 5 == 1 ? values.x : (trial % 5 == 2 ? values.x * 1.000001f : values.y);
        values.z = trial % 7 == 1 ? values.x : (trial % 7 == 2 ? 0.0f : values.z);
        sdMat33 m = symmetricFrom(sdScale(scale, values), TestRandom_Rotation(&random));
        checkEigen(m, scale);
        sdVec3 found;
        sdMat33_Eigen(m, &found);
        float high = sdMaxF(values.x, sdMaxF(values.y, values.z));
        float low = sdMinF(values.x, sdMinF(values.y, values.z));
        CHECK_NEAR(found.x / scale, high, 1e-6f);
        CHECK_NEAR(found.z / scale, low, 1e-6f);
    }
}

SD_TEST(math_eigen_of_special_matrices) {
    sdVec3 values;
    checkMatrix(sdMat33_Eigen(sdMat33_Diagonal(0.0f, 0.0f, 0.0f), &values), sdMat33_Identity(),
                0.0f);
    checkVector(values, sdV3(0.0f, 0.0f, 0.0f), 0.0f);
    checkMatrix(sdMat33_Eigen(sdMat33_Identity(), &values), sdMat33_Identity(), 0.0f);
    checkEigen(sdMat33_Diagonal(1.0f, 2.0f, 3.0f), 3.0f);
    checkEigen(sdMat33_Diagonal(-1.0f, 2.0f, -3.0f), 3.0f);
    // all ones: 3, 0, 0
    sdVec3 one = sdV3(1.0f, 1.0f, 1.0f);
    sdMat33 ones = sdMat33_Columns(one, one, one);
    checkEigen(ones, 3.0f);
    sdMat33_Eigen(ones, &values);
    checkVector(values, sdV3(3.0f, 0.0f, 0.0f), 1e-6f);
    // graded: the small values keep their digits, as the exact determinant shows
    sdMat33 graded = {{1e12f, 1e3f, 0.0f}, {1e3f, 1.0f, 1e-7f}, {0.0f, 1e-7f, 1e-12f}};
    sdMat33_Eigen(graded, &values);
    CHECK_NEAR(values.x, 1e12f, 1e6f);
    CHECK_NEAR(values.y, 1.0f - 1e-6f, 1e-6f);
    CHECK_NEAR(values.z / 9.9e-13f, 1.0f, 1e-2f);
    graded = (sdMat33){{1e18f, 0.1f, 0.0f}, {0.1f, 1e-18f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    sdMat33_Eigen(graded, &values);
    CHECK_NEAR(values.z / 1e-18f, 0.99f, 1e-6f);
    // only the lower triangle counts
    sdMat33 lower = {{2.0f, 1.0f, 0.0f}, {99.0f, 2.0f, 0.0f}, {TestNaN(), 99.0f, 5.0f}};
    sdMat33_Eigen(lower, &values);
    checkVector(values, sdV3(5.0f, 3.0f, 1.0f), 1e-6f);
    sdMat33_Eigen(sdMat33_Diagonal(TestNaN(), 1.0f, 1.0f), &values);
    checkVector(values, sdV3(0.0f, 0.0f, 0.0f), 0.0f);
}

/// trace(R^T M): the larger, the nearer R is to M.
static float agreement(sdMat33 r, sdMat33 m) {
    return sdDot(r.cx, m.cx) + sdDot(r.cy, m.cy) + sdDot(r.cz, m.cz);
}

/// No rotation, random or close by, agrees better with M.
static void checkNearest(sdMat33 m, TestRandom* random) {
    float size = largestEntry(m);
    sdMat33 unit = size > 0.0f ? sdMat33_Scale(1.0f / size, m) : m;
    sdMat33 r = sdMat33_PolarRotation(m);
    checkRotation(r, 5e-7f);
    float best = agreement(r, unit);
    for (int i = 0; i < 20; ++i) {
        float angle = i < 10 ? 3.0f : 0.01f;
        sdQuat turn = sdQuat_FromRotationVector(TestRandom_InBox(random, angle));
        float other = agreement(sdMulMM(sdQuat_ToMatrix(turn), r), unit);
        CHECK(other <= best + 1e-6f);
    }
}

SD_TEST(math_polar_rotation_is_the_nearest) {
    TestRandom random = TestRandom_Make(6);
    for (int trial = 0; trial < 1000; ++trial) {
        float scale = trial % 3 == 0 ? 1e-18f : (trial % 3 == 1 ? 1.0f : 1e18f);
        sdMat33 m = sdMat33_Scale(scale, randomMatrix(&random));
        checkNearest(m, &random);
        // a reflection, a plane, a line
        checkNearest(sdMat33_Columns(m.cy, m.cx, m.cz), &random);
        checkNearest(sdMat33_Columns(m.cy, m.cx, sdSub(m.cx, m.cy)), &random);
        checkNearest(sdMat33_Columns(m.cx, sdScale(2.0f, m.cx), sdScale(-3.0f, m.cx)), &random);
        checkNearest(sdMat33_Columns(m.cx, sdScale(0.0f, m.cx), m.cx), &random);
    }
}

SD_TEST(math_polar_rotation_of_known_matrices) {
    TestRandom random = TestRandom_Make(7);
    for (int trial = 0; trial < 500; ++trial) {
        sdMat33 r = randomRotation(&random);
        checkMatrix(sdMat33_PolarRotation(r), r, 6e-7f);
        // R times a positive definite stretch has R as its rotation
        sdVec3 stretch = sdV3(1.0f, 1e-3f + TestRandom_Float(&random, 0.0f, 1.0f), 1e-3f);
        sdMat33 s = symmetricFrom(stretch, TestRandom_Rotation(&random));
        checkMatrix(sdMat33_PolarRotation(sdMulMM(r, s)), r, 1e-4f);
    }
    sdMat33 identity = sdMat33_Identity();
    checkMatrix(sdMat33_PolarRotation(sdMat33_Diagonal(0.0f, 0.0f, 0.0f)), identity, 0.0f);
    checkMatrix(sdMat33_PolarRotation(sdMat33_Diagonal(1e18f, 1.0f, 1e-18f)), identity, 0.0f);
    checkMatrix(sdMat33_PolarRotation(sdMat33_Diagonal(0.0f, 0.0f, 2.0f)), identity, 0.0f);
    checkMatrix(sdMat33_PolarRotation(sdMat33_Diagonal(3.0f, 2.0f, -1.0f)), identity, 0.0f);
    checkMatrix(sdMat33_PolarRotation(sdMat33_Diagonal(TestNaN(), 1.0f, 1.0f)), identity, 0.0f);
}

// ---- quaternions ----------------------------------------------------------------------------

static void checkSameRotation(sdQuat a, sdQuat b, float tolerance) {
    float sign = sdDotQ(a, b) < 0.0f ? -1.0f : 1.0f;
    checkVector(a.v, sdScale(sign, b.v), tolerance);
    CHECK_NEAR(a.s, sign * b.s, tolerance);
}

SD_TEST(math_quaternion_and_matrix_are_the_same_rotation) {
    TestRandom random = TestRandom_Make(8);
    for (int trial = 0; trial < 2000; ++trial) {
        sdQuat q = TestRandom_Rotation(&random);
        // half turns about axes and diagonals, where single formulas break down
        if (trial % 4 == 0) {
            q.s = 0.0f;
            q.v = trial % 8 == 0 ? sdV3(0.0f, 1.0f, 0.0f) : q.v;
            q = sdNormalizeQ(q);
        }
        sdMat33 m = sdQuat_ToMatrix(q);
        checkRotation(m, 2e-6f);
        sdQuat back = sdQuat_FromMatrix(m);
        checkSameRotation(back, q, 3e-7f);
        CHECK_NEAR(sdDotQ(back, back), 1.0f, 2e-7f);
        sdVec3 v = TestRandom_InBox(&random, 1.0f);
        checkVector(sdRotate(q, v), sdMulMV(m, v), 6e-7f);
        checkVector(sdInvRotate(q, v), sdMulTMV(m, v), 6e-7f);
        // R I R^T
        sdMat33 i = symmetricFrom(TestRandom_InBox(&random, 1.0f), TestRandom_Rotation(&random));
        sdMat33 turned = sdRotateInertia(q, i);
        checkMatrix(turned, sdMulMM(sdMulMM(m, i), sdMat33_Transpose(m)), 1e-6f);
        CHECK(turned.cx.y == turned.cy.x && turned.cx.z == turned.cz.x &&
              turned.cy.z == turned.cz.y);
    }
}

SD_TEST(math_quaternion_between_directions) {
    TestRandom random = TestRandom_Make(9);
    for (int trial = 0; trial < 2000; ++trial) {
        sdVec3 a = TestRandom_OnSphere(&random);
        sdVec3 b = TestRandom_OnSphere(&random);
        if (trial % 4 == 1) {
            b = sdNeg(a);
        } else if (trial % 4 == 2) {
            // all but opposite
            b = sdNormalize(sdMulAdd(sdNeg(a), 1e-6f, b));
        } else if (trial % 4 == 3) {
            b = sdNormalize(sdMulAdd(a, 1e-6f, b));
        }
        sdQuat q = sdQuat_Between(a, b);
        CHECK_NEAR(sdDotQ(q, q), 1.0f, 3e-7f);
        checkVector(sdRotate(q, a), b, 6e-7f);
        // the shortest one has its axis across both
        CHECK_NEAR(sdDot(q.v, a), 0.0f, 3e-7f);
        CHECK(q.s >= 0.0f);
    }
    sdVec3 x = sdV3(1.0f, 0.0f, 0.0f), zero = sdV3(0.0f, 0.0f, 0.0f);
    CHECK(sdQuat_Between(x, x).s == 1.0f);
    CHECK(sdQuat_Between(zero, x).s == 1.0f && sdQuat_Between(x, zero).s == 1.0f);
}

SD_TEST(math_rotation_vectors_there_and_back) {
    TestRandom random = TestRandom_Make(10);
    for (int trial = 0; trial < 2000; ++trial) {
        float angle = trial % 2 == 0 ? TestRandom_Float(&random, 0.0f, 3.14f)
                                     : floatOf((uint32_t)(TestRandom_Int(&random, 128)) << 23);
        sdVec3 v = sdScale(angle, TestRandom_OnSphere(&random));
        sdQuat q = sdQuat_FromRotationVector(v);
        CHECK_NEAR(sdDotQ(q, q), 1.0f, 3e-7f);
        sdVec3 back = sdQuat_ToRotationVector(q);
        // relative, down to the smallest numbers
        checkVector(back, v, 5e-7f * angle + 1e-44f);
        checkVector(sdQuat_ToRotationVector((sdQuat){sdNeg(q.v), -q.s}), back, 0.0f);
    }
    // whole turns and huge angles
    for (int exponent = 0; exponent < 127; ++exponent) {
        float angle = floatOf((uint32_t)(127 + exponent) << 23 | 0x123456u);
        sdQuat q = sdQuat_FromRotationVector(sdV3(0.0f, angle, 0.0f));
        CHECK_NEAR(q.s, cos(0.5 * (double)angle), 1e-7);
        CHECK_NEAR(q.v.y, sin(0.5 * (double)angle), 1e-7);
    }
    sdVec3 zero = sdV3(0.0f, 0.0f, 0.0f);
    checkVector(sdQuat_ToRotationVector(sdQuat_Identity()), zero, 0.0f);
    checkSameRotation(sdQuat_FromRotationVector(zero), sdQuat_Identity(), 0.0f);
}

SD_TEST(math_integration_is_exact_and_does_not_wear_out) {
    sdVec3 w = sdV3(1.0f, -2.0f, 3.0f);
    sdQuat start = {{0.5f, 0.5f, 0.5f}, 0.5f};
    sdQuat q = start;
    for (int i = 0; i < 100000; ++i) {
        q = sdQuat_Integrate(q, w, 0x1p-10f);
    }
    CHECK_NEAR(sdDotQ(q, q), 1.0f, 3e-7f);
    sdQuat once = sdQuat_Integrate(start, w, 100000.0f * 0x1p-10f);
    // 100 000 roundings of 6e-8 walk about as far as their square root
    checkSameRotation(q, once, 1e-4f);
    // w is in world coordinates: it turns the result, not the start
    sdVec3 before = sdRotate(start, sdV3(1.0f, 0.0f, 0.0f));
    sdVec3 after = sdRotate(sdQuat_Integrate(start, w, 1e-3f), sdV3(1.0f, 0.0f, 0.0f));
    checkVector(sdScale(1e3f, sdSub(after, before)), sdCross(w, before), 1e-2f);
}
