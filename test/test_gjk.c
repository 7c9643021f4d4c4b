// SPDX-License-Identifier: MIT
// test_gjk.c - GJK and EPA against analytic answers, dense direction sweeps and each other.

#include "hull_check.h"
#include "narrow/convex.h"
#include "shape_zoo.h"
#include "simd_level.h"

static void checkWitnesses(const sdSeparation* s) {
    CHECK_NEAR(sdLength(s->normal), 1.0, 1e-5);
    sdVec3 b = sdMulAdd(s->pointA, s->separation, s->normal);
    CHECK_NEAR(sdLength(sdSub(b, s->pointB)), 0.0, 2e-5);
}

/// m, of bodies of about 1 m.
#define ON_SURFACE 1e-4

/// The plane through p across `outward` touches the shape there.
static bool isOnSurface(const sdShape* shape, sdVec3 p, sdVec3 outward) {
    return fabs(TestSupportError(shape, p, outward)) <= ON_SURFACE;
}

SD_TEST(gjk_distance_of_separated_shapes_is_proved_by_its_axis) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(1);
    int separated = 0, wrong = 0;
    for (int i = 0; i < 20000; ++i) {
        sdShape a = ShapeZoo_Pick(&zoo, &random), b = ShapeZoo_Pick(&zoo, &random);
        sdTransform xf = TestRandom_Pose(&random, 3.0f);
        sdSeparation s = sdGjk_Distance(&a, &b, xf, NULL);
        CHECK(s.status != SD_STATUS_INVALID);
        if (s.separation <= 0.0f) {
            continue;
        }
        separated += 1;
        checkWitnesses(&s);
        // the gap along the normal is a lower bound, the witnesses an upper one: they must meet
        double gap = -TestExitDepth(&a, &b, xf, s.normal);
        wrong += fabs(gap - (double)s.separation) > 1e-4 ? 1 : 0;
        CHECK(isOnSurface(&a, s.pointA, s.normal));
        CHECK(
            isOnSurface(&b, sdInvTransformPoint(xf, s.pointB), sdInvRotate(xf.q, sdNeg(s.normal))));
    }
    sdTest_Print("%d separated pairs, %d wrong", separated, wrong);
    CHECK_INT(wrong, 0);
    CHECK(separated > 5000);
    ShapeZoo_Free(&zoo);
}

#define LARGE_HULLS 9

/// Hulls of more vertices than are looked at without cells: round, flat and edged ones.
static void makeLargeHulls(TestContext* test, TestRandom* random, sdHull* out[LARGE_HULLS]) {
    static const TestPoints kinds[3] = {TEST_POINTS_SPHERE, TEST_POINTS_CYLINDER, TEST_POINTS_LENS};
    static const int counts[3] = {200, 256, 700};
    static sdVec3 points[700];
    for (int i = 0; i < LARGE_HULLS; ++i) {
        TestPoints_Fill(kinds[i % 3], random, points, counts[i / 3]);
        out[i] = TestHull_Make(test, points, counts[i / 3], SD_HULL_QUICK);
        REQUIRE(out[i] != NULL);
    }
}

SD_TEST(gjk_distance_of_large_hulls_is_proved_by_its_axis) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(21);
    sdHull* hulls[LARGE_HULLS];
    makeLargeHulls(&test, &random, hulls);
    int separated = 0, wrong = 0, differ = 0, looked = 0, count = TestRounds(10000);
    for (int i = 0; i < count; ++i) {
        sdShape a = sdShape_Hull(hulls[TestRandom_Int(&random, LARGE_HULLS)]);
        sdShape b = sdShape_Hull(hulls[TestRandom_Int(&random, LARGE_HULLS)]);
        sdTransform xf = TestRandom_Pose(&random, 2.0f);
        sdSeparation s[2];
        bool isOverlapping[2];
        for (int level = 0; level < 2; ++level) {
            TestSimd_ForceBase(level == 0);
            s[level] = sdGjk_Distance(&a, &b, xf, NULL);
            isOverlapping[level] = sdGjk_Overlap(&a, &b, xf, NULL).isOverlapping;
        }
        looked += a.hull->cells != NULL && b.hull->cells != NULL ? 1 : 0;
        differ += memcmp(&s[0], &s[1], sizeof s[0]) != 0 || isOverlapping[0] != isOverlapping[1];
        bool isApart = s[1].separation > 0.0f, isClear = s[1].separation > s[1].error;
        wrong += isApart ? (isClear && isOverlapping[1] ? 1 : 0) : (isOverlapping[1] ? 0 : 1);
        if (isApart) {
            separated += 1;
            checkWitnesses(&s[1]);
            double gap = -TestExitDepth(&a, &b, xf, s[1].normal);
            wrong += fabs(gap - (double)s[1].separation) > (double)s[1].error + 1e-5 ? 1 : 0;
        }
    }
    sdTest_Print("%d pairs, %d with cells, %d separated, %d wrong, %d differ", count, looked,
                 separated, wrong, differ);
    CHECK_INT(wrong, 0);
    CHECK_INT(differ, 0);
    CHECK(separated > count / 4 && looked > count / 3);
    for (int i = 0; i < LARGE_HULLS; ++i) {
        sdHull_Release(hulls[i]);
    }
    TestContext_Finish(&test);
}

SD_TEST(gjk_overlap_agrees_with_distance_and_epa) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(2);
    int wrong = 0, overlapping = 0;
    for (int i = 0; i < 20000; ++i) {
        sdShape a = ShapeZoo_Pick(&zoo, &random), b = ShapeZoo_Pick(&zoo, &random);
        sdTransform xf = TestRandom_Pose(&random, 1.5f);
        bool isOverlapping = sdGjk_Overlap(&a, &b, xf, NULL).isOverlapping;
        sdSeparation s = sdEpa_Penetration(&a, &b, xf, NULL);
        bool isClear = sdAbsF(s.separation) > s.error;
        wrong += isClear && isOverlapping != (s.separation < 0.0f) ? 1 : 0;
        overlapping += isOverlapping ? 1 : 0;
    }
    sdTest_Print("%d overlapping of 20000, %d disagree", overlapping, wrong);
    CHECK_INT(wrong, 0);
    ShapeZoo_Free(&zoo);
}

SD_TEST(gjk_balls_are_in_and_around_every_core) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(6);
    int withBall = 0, stickingOut = 0, escaping = 0;
    for (int i = 0; i < 400; ++i) {
        sdShape shape = ShapeZoo_Pick(&zoo, &random);
        sdConvexPair pair;
        CHECK(sdConvexPair_Init(&pair, &shape, &shape, sdTransform_Identity()));
        withBall += pair.a.inner > 0.0f ? 1 : 0;
        for (int k = 0; k < 200; ++k) {
            int index;
            sdVec3d d = sdVec3d_From(TestRandom_OnSphere(&random));
            sdVec3d p = sdConvexPair_SupportA(&pair, d, &index);
            sdVec3d from = sdSubD(p, sdVec3d_From(pair.a.inside));
            stickingOut += sdDotD(from, d) < (double)pair.a.inner * (1.0 - 1e-6) - 1e-6 ? 1 : 0;
            escaping += sdLengthD(from) > (double)pair.a.outer * (1.0 + 1e-6) ? 1 : 0;
        }
    }
    sdTest_Print("%d of 400 with a ball, %d sticking out, %d escaping", withBall, stickingOut,
                 escaping);
    CHECK(withBall > 100);
    CHECK_INT(stickingOut, 0);
    CHECK_INT(escaping, 0);
    ShapeZoo_Free(&zoo);
}

SD_TEST(epa_depth_is_least_over_a_dense_sweep) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(3);
    int overlapping = 0, tooDeep = 0, tooShallow = 0, limits = 0;
    for (int i = 0; i < 4000; ++i) {
        sdShape a = ShapeZoo_Pick(&zoo, &random), b = ShapeZoo_Pick(&zoo, &random);
        sdTransform xf = TestRandom_Pose(&random, 0.8f);
        sdSeparation s = sdEpa_Penetration(&a, &b, xf, NULL);
        if (s.separation >= 0.0f) {
            continue;
        }
        overlapping += 1;
        limits += s.status == SD_STATUS_LIMIT ? 1 : 0;
        checkWitnesses(&s);
        // it parts them
        double depth = -(double)s.separation;
        tooShallow += TestExitDepth(&a, &b, xf, s.normal) > depth + 1e-4 ? 1 : 0;
        // nothing parts them with less
        for (int k = 0; k < 500; ++k) {
            sdVec3 n = TestRandom_OnSphere(&random);
            tooDeep += TestExitDepth(&a, &b, xf, n) < depth - (double)s.error - 1e-5 ? 1 : 0;
        }
    }
    sdTest_Print("%d overlapping, %d too deep, %d too shallow, %d at the limit", overlapping,
                 tooDeep, tooShallow, limits);
    CHECK_INT(tooDeep, 0);
    CHECK_INT(tooShallow, 0);
    ShapeZoo_Free(&zoo);
}

SD_TEST(gjk_swapped_arguments_mirror) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(4);
    int wrong = 0;
    for (int i = 0; i < 100000; ++i) {
        sdShape a = ShapeZoo_Pick(&zoo, &random), b = ShapeZoo_Pick(&zoo, &random);
        sdTransform xf = TestRandom_Pose(&random, 1.5f);
        sdSeparation s = sdEpa_Penetration(&a, &b, xf, NULL);
        sdSeparation t = sdEpa_Penetration(&b, &a, sdInvertXf(xf), NULL);
        wrong += sdAbsF(s.separation - t.separation) > s.error + t.error + 1e-5f ? 1 : 0;
    }
    sdTest_Print("%d of 100000 differ", wrong);
    CHECK_INT(wrong, 0);
    ShapeZoo_Free(&zoo);
}

SD_TEST(gjk_warm_start_changes_nothing_but_the_work) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(5);
    int wrong = 0;
    long cold = 0, warm = 0;
    for (int i = 0; i < 500; ++i) {
        sdShape a = ShapeZoo_Pick(&zoo, &random), b = ShapeZoo_Pick(&zoo, &random);
        sdTransform xf = TestRandom_Pose(&random, 3.0f);
        sdVec3 step = TestRandom_InBox(&random, 0.02f);
        sdQuat turn = sdQuat_FromRotationVector(TestRandom_InBox(&random, 0.02f));
        sdPairCache cache = {0};
        for (int k = 0; k < 20; ++k) {
            sdSeparation s = sdGjk_Distance(&a, &b, xf, NULL);
            sdSeparation t = sdGjk_Distance(&a, &b, xf, &cache);
            cold += s.iterations;
            warm += t.iterations;
            wrong += sdAbsF(s.separation - t.separation) > s.error + t.error ? 1 : 0;
            xf.p = sdAdd(xf.p, step);
            xf.q = sdNormalizeQ(sdMulQ(turn, xf.q));
        }
    }
    sdTest_Print("%d differ; iterations %ld cold, %ld warm", wrong, cold, warm);
    CHECK_INT(wrong, 0);
    CHECK(warm < cold);
    ShapeZoo_Free(&zoo);
}

/// Two hulls, or a hull and a triangle, that move on past each other.
typedef struct Passage {
    sdShape a, b;
    sdTransform xf;
    sdVec3 step;
    sdQuat turn;
} Passage;

static Passage makePassage(const ShapeZoo* zoo, TestRandom* random) {
    bool hasTriangle = TestRandom_Int(random, 8) == 0;
    float size = TestRandom_Int(random, 4) == 0 ? 0.1f : 0.01f;
    return (Passage){
        .a = ShapeZoo_Make(zoo, random, SD_SHAPE_HULL),
        .b = ShapeZoo_Make(zoo, random, hasTriangle ? SD_SHAPE_TRIANGLE : SD_SHAPE_HULL),
        .xf = TestRandom_Pose(random, 0.8f),
        .step = TestRandom_InBox(random, size),
        .turn = sdQuat_FromRotationVector(TestRandom_InBox(random, size)),
    };
}

static void advance(Passage* passage) {
    passage->xf.p = sdAdd(passage->xf.p, passage->step);
    passage->xf.q = sdNormalizeQ(sdMulQ(passage->turn, passage->xf.q));
}

SD_TEST(epa_depth_that_is_kept_is_that_of_a_search) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(6);
    int wrong = 0, tooDeep = 0, overlapping = 0, kept = 0, off = 0, limits = 0;
    for (int i = 0; i < TestRounds(2000); ++i) {
        Passage passage = makePassage(&zoo, &random);
        const sdShape *a = &passage.a, *b = &passage.b;
        sdPairCache cache = {0};
        for (int k = 0; k < 20; ++k, advance(&passage)) {
            sdTransform xf = passage.xf;
            sdSeparation s = sdPenetration(a, b, xf, NULL), t = sdPenetration(a, b, xf, &cache);
            wrong += sdAbsF(s.separation - t.separation) > s.error + t.error ? 1 : 0;
            // one may come to its limit where the other just does not, and says how good it is
            limits += t.status == SD_STATUS_LIMIT ? 1 : 0;
            wrong += t.status > SD_STATUS_LIMIT ? 1 : 0;
            checkWitnesses(&t);
            if (t.separation >= 0.0f) {
                continue;
            }
            overlapping += 1;
            // a search takes more than one
            kept += t.iterations == 1 ? 1 : 0;
            sdVec3 n = t.normal, inB = sdInvRotate(xf.q, sdNeg(n));
            // as far as is said where the search came to its limit
            double limit = t.status == SD_STATUS_LIMIT ? (double)t.error : ON_SURFACE;
            off += fabs(TestSupportError(a, t.pointA, n)) <= limit ? 0 : 1;
            off +=
                fabs(TestSupportError(b, sdInvTransformPoint(xf, t.pointB), inB)) <= limit ? 0 : 1;
            double least = -(double)t.separation - (double)t.error - 1e-5;
            for (int j = 0; j < 20; ++j) {
                tooDeep += TestExitDepth(a, b, xf, TestRandom_OnSphere(&random)) < least ? 1 : 0;
            }
        }
    }
    sdTest_Print(
        "%d overlapping, %d kept, %d differ, %d too deep, %d witnesses off, %d at the limit",
        overlapping, kept, wrong, tooDeep, off, limits);
    CHECK_INT(wrong, 0);
    CHECK_INT(tooDeep, 0);
    CHECK_INT(off, 0);
    CHECK(kept > overlapping / 3 && limits <= overlapping / 1000);
    ShapeZoo_Free(&zoo);
}

SD_TEST(epa_depth_that_is_kept_has_the_same_bits_at_both_levels) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(7);
    int differ = 0;
    for (int i = 0; i < TestRounds(1000); ++i) {
        Passage passage = makePassage(&zoo, &random);
        sdPairCache caches[2] = {{.count = 0}, {.count = 0}};
        for (int k = 0; k < 10; ++k, advance(&passage)) {
            sdSeparation s[2];
            for (int level = 0; level < 2; ++level) {
                TestSimd_ForceBase(level == 0);
                s[level] = sdPenetration(&passage.a, &passage.b, passage.xf, &caches[level]);
            }
            differ += s[0].separation != s[1].separation || s[0].iterations != s[1].iterations ||
                              s[0].pointA.x != s[1].pointA.x || s[0].normal.y != s[1].normal.y ||
                              s[0].pointB.z != s[1].pointB.z || s[0].error != s[1].error
                          ? 1
                          : 0;
            differ += memcmp(&caches[0].polytope, &caches[1].polytope, sizeof caches[0].polytope);
        }
    }
    CHECK_INT(differ, 0);
    ShapeZoo_Free(&zoo);
}

/// Of a memory of this or another pair: one face in place of all, a byte changed, or all at random.
static void spoil(sdPairPolytope* memory, TestRandom* random) {
    uint8_t bytes[sizeof *memory];
    int way = TestRandom_Int(random, 4), face = TestRandom_Int(random, SD_PAIR_POLYTOPE_FACES);
    for (int k = 0; k < 3 * SD_PAIR_POLYTOPE_FACES && way < 2; ++k) {
        uint8_t* corners = memory->faces[k / SD_PAIR_POLYTOPE_FACES];
        int other = memory->faceCount > 0 ? face % memory->faceCount : 0;
        if (k % SD_PAIR_POLYTOPE_FACES != other) {
            corners[k % SD_PAIR_POLYTOPE_FACES] = corners[other];
        }
    }
    memcpy(bytes, memory, sizeof bytes);
    for (size_t k = 0; k < sizeof bytes && way == 2; ++k) {
        bytes[k] = (uint8_t)TestRandom_Int(random, 256);
    }
    int place = TestRandom_Int(random, (int)sizeof bytes);
    bytes[place] = (uint8_t)(bytes[place] + (way == 3 ? 1 : 0));
    memcpy(memory, bytes, sizeof bytes);
}

SD_TEST(epa_memory_of_anything_is_harmless) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(8);
    sdPairCache other = {0};
    int wrong = 0;
    for (int i = 0; i < TestRounds(20000); ++i) {
        Passage passage = makePassage(&zoo, &random);
        sdSeparation s = sdPenetration(&passage.a, &passage.b, passage.xf, NULL);
        sdPairCache own = {0}, cache;
        sdPenetration(&passage.a, &passage.b, passage.xf, &own);
        cache = i % 2 == 0 ? own : other;
        spoil(&cache.polytope, &random);
        sdSeparation t = sdPenetration(&passage.a, &passage.b, passage.xf, &cache);
        wrong += sdAbsF(s.separation - t.separation) > s.error + t.error ? 1 : 0;
        // of another pair, as it is: it may prove the depth, or not
        cache = other;
        t = sdPenetration(&passage.a, &passage.b, passage.xf, &cache);
        wrong += sdAbsF(s.separation - t.separation) > s.error + t.error ? 1 : 0;
        other = own;
    }
    CHECK_INT(wrong, 0);
    ShapeZoo_Free(&zoo);
}

SD_TEST(gjk_two_stacked_unit_cubes_touch) {
    sdShape cube = sdShape_Box(0.5f, 0.5f, 0.5f);
    sdTransform xf = sdTransform_Identity();
    xf.p = sdV3(0.0f, 1.0f, 0.0f);
    sdSeparation s = sdEpa_Penetration(&cube, &cube, xf, NULL);
    CHECK_NEAR(s.separation, 0.0, 1e-6);
    CHECK_NEAR(s.normal.y, 1.0, 1e-6);
    CHECK(sdGjk_Overlap(&cube, &cube, xf, NULL).isOverlapping);
}

SD_TEST(gjk_identical_bodies_at_the_same_place) {
    sdShape box = sdShape_Box(0.5f, 0.25f, 1.0f);
    sdSeparation s = sdEpa_Penetration(&box, &box, sdTransform_Identity(), NULL);
    CHECK_NEAR(s.separation, -0.5, 1e-5);
    CHECK_NEAR(sdAbsF(s.normal.y), 1.0, 1e-5);
}

SD_TEST(epa_flat_and_single_point_bodies) {
    sdShape plate = sdShape_Box(1.0f, 0.0f, 1.0f), point = sdShape_Box(0.0f, 0.0f, 0.0f);
    sdTransform xf = sdTransform_Identity();
    xf.p = sdV3(0.3f, 0.0f, 0.2f);
    sdSeparation s = sdEpa_Penetration(&plate, &plate, xf, NULL);
    CHECK_NEAR(s.separation, 0.0, 1e-6);
    CHECK_NEAR(sdAbsF(s.normal.y), 1.0, 1e-5);
    s = sdEpa_Penetration(&plate, &point, xf, NULL);
    CHECK_NEAR(s.separation, 0.0, 1e-6);
    s = sdEpa_Penetration(&point, &point, sdTransform_Identity(), NULL);
    CHECK_NEAR(s.separation, 0.0, 1e-6);
    CHECK_NEAR(sdLength(s.normal), 1.0, 1e-5);
}

SD_TEST(gjk_bad_poses_are_refused) {
    sdShape box = sdShape_Box(1.0f, 1.0f, 1.0f);
    sdTransform xf = sdTransform_Identity();
    xf.p.x = TestNaN();
    CHECK_INT(sdGjk_Distance(&box, &box, xf, NULL).status, SD_STATUS_INVALID);
    CHECK_INT(sdGjk_Overlap(&box, NULL, sdTransform_Identity(), NULL).status, SD_STATUS_INVALID);
    xf = sdTransform_Identity();
    xf.q.s = 0.0f;
    CHECK_INT(sdEpa_Penetration(&box, &box, xf, NULL).status, SD_STATUS_INVALID);
}

SD_TEST(gjk_flat_bodies_overlap_as_they_do_from_any_remembered_axis) {
    sdVec3 corners[3] = {{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}};
    sdShape triangle = sdShape_Triangle(corners[0], corners[1], corners[2]);
    sdShape point = sdShape_Sphere(0.0f);
    TestRandom random = TestRandom_Make(11);
    int wrong = 0;
    for (int i = 0; i < 5000; ++i) {
        sdVec3 offset = TestRandom_InBall(&random);
        sdTransform xf = sdTransform_Make(offset, TestRandom_Rotation(&random));
        const sdShape* a = i % 2 == 0 ? &triangle : &point;
        bool isOverlapping = sdGjk_Distance(a, &triangle, xf, NULL).separation <= 0.0f;
        sdPairCache cache = {.axis = TestRandom_OnSphere(&random), .kind = SD_CACHE_GJK};
        wrong += sdGjk_Overlap(a, &triangle, xf, &cache).isOverlapping != isOverlapping ? 1 : 0;
    }
    CHECK_INT(wrong, 0);
}
