// SPDX-License-Identifier: MIT
// test_hulls_overlap.c - what floats say of two small hulls, against GJK and EPA in double.

#include "narrow/convex.h"
#include "narrow/hulls_overlap.h"
#include "support.h"

#define HULL_COUNT 40

/// Hulls of any size and thickness, with their origin in them or beside them.
static void makeHulls(TestRandom* random, const sdContext* context, sdHull* hulls[HULL_COUNT]) {
    for (int h = 0; h < HULL_COUNT; ++h) {
        sdVec3 points[SD_SCAN_AT_ONCE], center = TestRandom_InBox(random, h % 2 == 0 ? 0.0f : 2.0f);
        // some are as thin as a leaf or a needle
        float thin = h % 4 == 1 ? 1e-3f : 1.0f, narrow = h % 8 == 1 ? 1e-3f : 1.0f;
        sdVec3 sizes = sdV3(TestRandom_Float(random, 0.3f, 1.0f), thin, narrow);
        int count = 4 + TestRandom_Int(random, SD_SCAN_AT_ONCE - 3);
        for (int i = 0; i < count; ++i) {
            points[i] = sdAdd(center, sdMul(sizes, TestRandom_OnSphere(random)));
        }
        sdHullDef def = sdHullDef_Default();
        def.points = points;
        def.pointCount = count;
        CHECK_INT(sdHull_Create(context, &def, &hulls[h]), SD_OK);
    }
}

/// Overlapping or apart, many of them just so.
static sdTransform makePose(TestRandom* random, const sdShape* a, const sdShape* b) {
    sdTransform xf = sdTransform_Make(TestRandom_InBox(random, 2.0f), TestRandom_Rotation(random));
    if (TestRandom_Int(random, 3) == 0) {
        return xf;
    }
    float wanted = TestRandom_Float(random, -1.0f, 1.0f);
    for (int power = TestRandom_Int(random, 8); power > 0; --power) {
        wanted *= 0.1f;
    }
    sdSeparation now = sdPenetration(a, b, xf, NULL);
    xf.p = sdMulAdd(xf.p, wanted - now.separation, now.normal);
    return xf;
}

SD_TEST(hulls_overlap_by_floats_only_where_doubles_agree) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(21);
    sdHull* hulls[HULL_COUNT];
    makeHulls(&random, &test.context, hulls);
    int wrong = 0, levels = 0, answers = 0, overlapping = 0, apart = 0, far = 0;
    int count = TestRounds(100000);
    for (int i = 0; i < count; ++i) {
        sdShape a = sdShape_Hull(hulls[TestRandom_Int(&random, HULL_COUNT)]);
        sdShape b = sdShape_Hull(hulls[TestRandom_Int(&random, HULL_COUNT)]);
        sdTransform xf = makePose(&random, &a, &b);
        int start[4][2] = {{0}}, base[4][2] = {{0}};
        sdHullVerdict verdict = SD_DISPATCH(sdHulls_Overlap)(a.hull, b.hull, &xf, start);
        levels += verdict != sdHulls_Overlap_base(a.hull, b.hull, &xf, base) ? 1 : 0;
        levels += memcmp(start, base, sizeof start) != 0 ? 1 : 0;
        sdSeparation s = sdPenetration(&a, &b, xf, NULL);
        wrong += verdict == SD_HULLS_OVERLAPPING && s.separation > 0.0f ? 1 : 0;
        wrong += verdict == SD_HULLS_APART && s.separation <= 0.0f ? 1 : 0;
        overlapping += verdict == SD_HULLS_OVERLAPPING ? 1 : 0;
        apart += verdict == SD_HULLS_APART ? 1 : 0;
        for (int k = 0; k < 4 && verdict == SD_HULLS_UNSURE && start[0][0] >= 0; ++k) {
            far += start[k][0] < 0 || start[k][0] >= a.hull->vertexCount ? 1 : 0;
            far += start[k][1] < 0 || start[k][1] >= b.hull->vertexCount ? 1 : 0;
        }
        // and the whole answer, beyond rounding
        bool isOverlapping = sdOverlap(&a, &b, xf, NULL).isOverlapping;
        bool isClear = sdAbsF(s.separation) > s.error;
        answers += isClear && isOverlapping != (s.separation < 0.0f) ? 1 : 0;
    }
    sdTest_Print("%d of %d overlap, %d are apart; wrong %d, answers %d, levels %d", overlapping,
                 count, apart, wrong, answers, levels);
    CHECK_INT(wrong + answers + levels + far, 0);
    CHECK(overlapping > count / 20 && apart > count / 20);
    for (int h = 0; h < HULL_COUNT; ++h) {
        sdHull_Release(hulls[h]);
    }
    TestContext_Finish(&test);
}

SD_TEST(hulls_overlap_by_one_axis_only_where_doubles_agree) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(23);
    sdHull* hulls[HULL_COUNT];
    makeHulls(&random, &test.context, hulls);
    int wrong = 0, levels = 0, answers = 0, overlapping = 0, apart = 0, missed = 0;
    int count = TestRounds(100000);
    for (int i = 0; i < count; ++i) {
        sdShape a = sdShape_Hull(hulls[TestRandom_Int(&random, HULL_COUNT)]);
        sdShape b = sdShape_Hull(hulls[TestRandom_Int(&random, HULL_COUNT)]);
        sdTransform xf = makePose(&random, &a, &b);
        sdSeparation s = sdPenetration(&a, &b, xf, NULL);
        bool isGood = i % 2 == 0 && s.separation > 0.0f;
        // of any length, so short that gaps have no digits, or none
        float length = i % 5 == 0 ? 1e-20f : TestRandom_Float(&random, 0.1f, 10.0f);
        sdVec3 axis = sdScale(length, isGood ? s.normal : TestRandom_OnSphere(&random));
        const sdVec3* by = i % 3 == 0 ? NULL : &axis;
        sdHullVerdict verdict = SD_DISPATCH(sdHulls_JudgeSmall)(a.hull, b.hull, &xf, by);
        levels += verdict != sdHulls_JudgeSmall_base(a.hull, b.hull, &xf, by) ? 1 : 0;
        wrong += verdict == SD_HULLS_OVERLAPPING && s.separation > 0.0f ? 1 : 0;
        wrong += verdict == SD_HULLS_APART && s.separation <= 0.0f ? 1 : 0;
        overlapping += verdict == SD_HULLS_OVERLAPPING ? 1 : 0;
        apart += verdict == SD_HULLS_APART ? 1 : 0;
        missed += isGood && by != NULL && length > 0.1f && s.separation > 1e-3f &&
                          verdict != SD_HULLS_APART
                      ? 1
                      : 0;
        // and the whole answer, beyond rounding
        sdPairCache cache = {.axis = axis, .kind = by == NULL ? 0 : 1};
        bool isOverlapping = sdOverlap(&a, &b, xf, &cache).isOverlapping;
        bool isClear = sdAbsF(s.separation) > s.error;
        answers += isClear && isOverlapping != (s.separation < 0.0f) ? 1 : 0;
    }
    sdTest_Print("%d of %d overlap, %d are apart; wrong %d, answers %d, levels %d", overlapping,
                 count, apart, wrong, answers, levels);
    CHECK_INT(wrong + answers + levels + missed, 0);
    CHECK(overlapping > count / 1000 && apart > count / 20);
    for (int h = 0; h < HULL_COUNT; ++h) {
        sdHull_Release(hulls[h]);
    }
    TestContext_Finish(&test);
}

SD_TEST(hulls_overlap_is_never_clear_of_bad_poses) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(22);
    sdHull* hulls[HULL_COUNT];
    makeHulls(&random, &test.context, hulls);
    sdShape a = sdShape_Hull(hulls[0]), b = sdShape_Hull(hulls[2]);
    const float bad[4] = {TestNaN(), INFINITY, -INFINITY, 1e30f};
    for (int i = 0; i < 28; ++i) {
        sdTransform xf = sdTransform_Make(sdV3(0.1f, 0.2f, 0.3f), sdQuat_Identity());
        float* numbers[7] = {&xf.p.x, &xf.p.y, &xf.p.z, &xf.q.v.x, &xf.q.v.y, &xf.q.v.z, &xf.q.s};
        *numbers[i % 7] = bad[i / 7];
        int start[4][2];
        CHECK_INT(SD_DISPATCH(sdHulls_Overlap)(a.hull, b.hull, &xf, start), SD_HULLS_UNSURE);
        CHECK_INT(start[0][0], SD_NULL_INDEX);
        const sdVec3 axis = sdV3(1.0f, 0.0f, 0.0f);
        CHECK_INT(SD_DISPATCH(sdHulls_JudgeSmall)(a.hull, b.hull, &xf, NULL), SD_HULLS_UNSURE);
        CHECK_INT(SD_DISPATCH(sdHulls_JudgeSmall)(a.hull, b.hull, &xf, &axis), SD_HULLS_UNSURE);
        CHECK_INT(sdOverlap(&a, &b, xf, NULL).status, SD_STATUS_INVALID);
    }
    for (int i = 0; i < 12; ++i) {
        sdTransform xf = sdTransform_Make(sdV3(0.1f, 0.2f, 0.3f), sdQuat_Identity());
        sdVec3 axis = sdV3(1.0f, 0.5f, 0.2f);
        float* numbers[3] = {&axis.x, &axis.y, &axis.z};
        *numbers[i % 3] = bad[i / 3];
        CHECK_INT(SD_DISPATCH(sdHulls_JudgeSmall)(a.hull, b.hull, &xf, &axis), SD_HULLS_UNSURE);
    }
    // the same place for both middles is no direction, but no trouble either
    sdTransform same = sdTransform_Identity();
    CHECK(sdOverlap(&a, &a, same, NULL).isOverlapping);
    // a quaternion that is not quite of unit length is for doubles
    same.q.s = 1.00001f;
    CHECK(sdOverlap(&a, &a, same, NULL).isOverlapping);
    for (int h = 0; h < HULL_COUNT; ++h) {
        sdHull_Release(hulls[h]);
    }
    TestContext_Finish(&test);
}
