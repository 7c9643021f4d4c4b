// SPDX-License-Identifier: MIT
// test_hull.c - convex hulls: structure, robustness, arguments.

#include "geometry/hull_kernel.h"
#include "hull_check.h"

#include <string.h>

/// Some times the tolerance that merging works with, which is 3 epsilon.
static bool isPrecise(const sdHull* hull) {
    sdVec3 half = sdAABB_HalfExtents(sdHull_GetBounds(hull));
    return sdHull_GetTolerance(hull) <= 12.0f * 3.0f * FLT_EPSILON * (half.x + half.y + half.z);
}

/// Sets of one kind, by both methods in turns, moved and scaled.
static void checkSets(TestContext* test, TestPoints kind, int sets, int maxCount, float scale,
                      float offset) {
    enum { ROOM = 3000 };
    static sdVec3 points[ROOM];
    TestRandom random = TestRandom_Make((uint64_t)kind + 1);
    int faults = 0, flat = 0;
    for (int i = 0; i < sets; ++i) {
        int count = maxCount == ROOM ? ROOM : 4 + TestRandom_Int(&random, maxCount - 3);
        TestPoints_Fill(kind, &random, points, count);
        sdVec3 at = sdScale(offset, TestRandom_OnSphere(&random));
        for (int k = 0; k < count; ++k) {
            points[k] = sdMulAdd(at, scale, points[k]);
        }
        sdHull* hull = TestHull_Make(test, points, count, (sdHullMethod)(i % 2));
        const char* fault = hull != NULL ? TestHull_FindFault(hull, points, count) : NULL;
        if (hull != NULL && fault == NULL && offset == 0.0f && !isPrecise(hull)) {
            fault = "the tolerance is more than rounding";
        }
        if (fault != NULL && faults++ < 3) {
            sdTest_Print("%s, set %d of %d points: %s", TestPoints_Name(kind), i, count, fault);
        }
        flat += hull == NULL ? 1 : 0;
        sdHull_Release(hull);
    }
    CHECK_INT(faults, 0);
    // a few points may happen to be in a plane; plates of rounding are flat or not
    bool isOften = kind == TEST_POINTS_FLAT_NOISE || offset > 0.0f;
    CHECK(isOften || 20 * flat <= sets);
}

SD_TEST(hull_random_sets_keep_all_invariants) {
    TestContext test;
    TestContext_Init(&test);
    for (int kind = 0; kind < TEST_POINTS_COUNT; ++kind) {
        checkSets(&test, (TestPoints)kind, TestRounds(200), 200, 1.0f, 0.0f);
    }
    TestContext_Finish(&test);
}

SD_TEST(hull_large_sets_keep_all_invariants) {
    TestContext test;
    TestContext_Init(&test);
    for (int kind = 0; kind < TEST_POINTS_COUNT; ++kind) {
        checkSets(&test, (TestPoints)kind, 2, 3000, 1.0f, 0.0f);
    }
    TestContext_Finish(&test);
}

SD_TEST(hull_any_size_and_place_keeps_all_invariants) {
    TestContext test;
    TestContext_Init(&test);
    for (int kind = 0; kind < TEST_POINTS_COUNT; ++kind) {
        const float scales[] = {1e-30f, 1e-6f, 1e6f, 1e15f};
        for (int i = 0; i < 4; ++i) {
            checkSets(&test, (TestPoints)kind, TestRounds(20), 200, scales[i], 0.0f);
        }
        checkSets(&test, (TestPoints)kind, TestRounds(20), 200, 1.0f, 1e6f);
        checkSets(&test, (TestPoints)kind, TestRounds(20), 200, 1e-2f, 10.0f);
    }
    TestContext_Finish(&test);
}

SD_TEST(hull_scaled_by_a_power_of_two_is_the_same) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(9);
    sdVec3 points[100], scaled[100];
    for (int kind = 0; kind < TEST_POINTS_COUNT; ++kind) {
        TestPoints_Fill((TestPoints)kind, &random, points, 100);
        for (int i = 0; i < 100; ++i) {
            scaled[i] = sdScale(1.0f / 1048576.0f, points[i]);
        }
        sdHull* a = TestHull_Make(&test, points, 100, SD_HULL_QUICK);
        sdHull* b = TestHull_Make(&test, scaled, 100, SD_HULL_QUICK);
        CHECK((a == NULL) == (b == NULL));
        if (a != NULL && b != NULL) {
            int countA, countB;
            const sdHalfEdge* edgesA = sdHull_GetEdges(a, &countA);
            const sdHalfEdge* edgesB = sdHull_GetEdges(b, &countB);
            REQUIRE(countA == countB);
            CHECK(memcmp(edgesA, edgesB, (size_t)countA * sizeof(sdHalfEdge)) == 0);
            const sdPlane* planesA = sdHull_GetPlanes(a, &countA);
            const sdPlane* planesB = sdHull_GetPlanes(b, &countB);
            for (int i = 0; i < countA; ++i) {
                sdVec3 n = planesA[i].normal;
                CHECK(memcmp(&n, &planesB[i].normal, sizeof n) == 0);
            }
        }
        sdHull_Release(a);
        sdHull_Release(b);
    }
    TestContext_Finish(&test);
}

static int fillCube(sdVec3* points, int side) {
    int count = 0;
    for (int i = 0; i < side * side * side; ++i) {
        points[count++] =
            sdV3((float)(i % side), (float)(i / side % side), (float)(i / (side * side)));
    }
    return count;
}

SD_TEST(hull_grid_of_points_is_a_box) {
    TestContext test;
    TestContext_Init(&test);
    sdVec3 points[1000];
    int count = fillCube(points, 10);
    for (int method = 0; method < 2; ++method) {
        sdHull* hull = TestHull_Make(&test, points, count, (sdHullMethod)method);
        REQUIRE(hull != NULL);
        int vertexCount, edgeCount, faceCount;
        sdHull_GetVertices(hull, &vertexCount);
        sdHull_GetEdges(hull, &edgeCount);
        sdHull_GetPlanes(hull, &faceCount);
        CHECK_INT(vertexCount, 8);
        CHECK_INT(edgeCount, 24);
        CHECK_INT(faceCount, 6);
        CHECK(TestHull_FindFault(hull, points, count) == NULL);
        sdMassProps mass;
        sdHull_GetMass(hull, 2.0f, &mass);
        CHECK_NEAR(mass.mass, 2.0 * 729.0, 1e-3);
        CHECK_NEAR(mass.center.x, 4.5, 1e-5);
        CHECK_NEAR(mass.inertia.cy.y, 2.0 * 729.0 * 162.0 / 12.0, 0.01);
        sdHull_Release(hull);
    }
    TestContext_Finish(&test);
}

static void checkDegenerate(const sdVec3* points, int count, const char* reason) {
    TestContext test;
    TestContext_Init(&test);
    for (int method = 0; method < 2; ++method) {
        sdHullDef def = sdHullDef_Default();
        def.points = points;
        def.pointCount = count;
        def.method = (sdHullMethod)method;
        sdHull* hull = (sdHull*)&test;
        CHECK_INT(sdHull_Create(&test.context, &def, &hull), SD_ERROR_DEGENERATE);
        CHECK(hull == NULL);
        CHECK_TEXT(test.lastError, reason);
    }
    TestContext_Finish(&test);
}

SD_TEST(hull_without_volume_says_which) {
    TestRandom random = TestRandom_Make(3);
    for (int round = 0; round < 50; ++round) {
        sdVec3 points[40];
        sdVec3 a = TestRandom_InBox(&random, 10.0f), u = TestRandom_InBox(&random, 1.0f);
        sdVec3 w = TestRandom_InBox(&random, 1.0f);
        int count = 1 + TestRandom_Int(&random, 40);
        for (int i = 0; i < count; ++i) {
            points[i] = a;
        }
        checkDegenerate(points, count, "points are equal");
        count = 2 + TestRandom_Int(&random, 39);
        for (int i = 0; i < count; ++i) {
            points[i] = sdScale((float)i - 7.0f, u);
        }
        checkDegenerate(points, count, "on a line");
        count = 4 + TestRandom_Int(&random, 37);
        for (int i = 0; i < count; ++i) {
            points[i] = sdMulAdd(sdScale((float)(i % 3) - 1.0f, u), (float)(i / 3), w);
        }
        checkDegenerate(points, count, "in a plane");
    }
}

static sdResult createHull(const sdContext* context, void* arg) {
    sdHull* hull = NULL;
    sdResult result = sdHull_Create(context, arg, &hull);
    CHECK((hull != NULL) == (result == SD_OK));
    sdHull_Release(hull);
    return result;
}

SD_TEST(hull_survives_every_failing_allocation) {
    TestRandom random = TestRandom_Make(4);
    sdVec3 points[300];
    for (int kind = 0; kind < TEST_POINTS_COUNT; ++kind) {
        sdHullDef def = sdHullDef_Default();
        def.points = points;
        def.pointCount = 300;
        def.method = (sdHullMethod)(kind % 2);
        TestPoints_Fill((TestPoints)kind, &random, points, def.pointCount);
        def.maxVertexCount = kind % 3 == 0 ? 20 : 0;
        CHECK(TestContext_FailEach(createHull, &def) >= 5);
    }
}

SD_TEST(hull_refuses_bad_arguments) {
    TestContext test;
    TestContext_Init(&test);
    sdVec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.1f, 0.1f, 0.1f}};
    sdHullDef def = sdHullDef_Default();
    sdHull* hull = (sdHull*)&test;
    CHECK_INT(sdHull_Create(&test.context, NULL, &hull), SD_ERROR_INVALID_ARGUMENT);
    CHECK(hull == NULL);
    CHECK_INT(sdHull_Create(&test.context, &def, &hull), SD_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT(test.lastError, "no points");
    def.points = points;
    def.pointCount = 5;
    CHECK_INT(sdHull_Create(&test.context, &def, NULL), SD_ERROR_INVALID_ARGUMENT);
    def.maxVertexCount = 3;
    CHECK_INT(sdHull_Create(&test.context, &def, &hull), SD_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT(test.lastError, "maxVertexCount is 3");
    def.maxVertexCount = 0;
    def.method = (sdHullMethod)7;
    CHECK_INT(sdHull_Create(&test.context, &def, &hull), SD_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT(test.lastError, "method 7");
    def.method = SD_HULL_QUICK;
    for (int i = 0; i < 5; ++i) {
        sdVec3 keep = points[i];
        points[i].y = i % 2 == 0 ? TestNaN() : -TestInfinity();
        CHECK_INT(sdHull_Create(&test.context, &def, &hull), SD_ERROR_INVALID_ARGUMENT);
        char expected[] = "point 0 of 5 is not finite";
        expected[6] = (char)('0' + i);
        CHECK_TEXT(test.lastError, expected);
        points[i] = keep;
    }
    points[4].x = 1e19f;
    CHECK_INT(sdHull_Create(&test.context, &def, &hull), SD_ERROR_LIMIT);
    TestContext_Finish(&test);
}

SD_TEST(hull_is_counted_and_shared) {
    TestContext test;
    TestContext_Init(&test);
    sdVec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    sdHull* hull = TestHull_Make(&test, points, 4, SD_HULL_QUICK);
    REQUIRE(hull != NULL);
    CHECK(sdHull_GetByteCount(hull) > 4 * sizeof(sdVec3));
    CHECK_INT(sdHull_GetByteCount(hull), test.liveBytes);
    sdAABB bounds = sdHull_GetBounds(hull);
    CHECK(bounds.lower.x == 0.0f && bounds.upper.z == 1.0f);
    sdHull_Retain(hull);
    sdHull_Release(hull);
    CHECK_INT(test.liveCount, 1);
    sdHull_Release(hull);
    sdHull_Release(NULL);
    sdHull_Retain(NULL);
    TestContext_Finish(&test);
}

SD_TEST(hull_with_limited_vertices_tells_how_far_off_it_is) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(5);
    enum { COUNT = 2000 };
    static sdVec3 points[COUNT];
    for (int kind = 0; kind < TEST_POINTS_COUNT; ++kind) {
        TestPoints_Fill((TestPoints)kind, &random, points, COUNT);
        double last = 1e300;
        for (int limit = 4; limit <= 256; limit *= 2) {
            sdHullDef def = sdHullDef_Default();
            def.points = points;
            def.pointCount = COUNT;
            def.maxVertexCount = limit;
            sdHull* hull = NULL;
            sdResult result = sdHull_Create(&test.context, &def, &hull);
            if (result == SD_ERROR_DEGENERATE && kind == TEST_POINTS_FLAT_NOISE) {
                continue;
            }
            REQUIRE(result == SD_OK);
            int count;
            sdHull_GetVertices(hull, &count);
            CHECK(count <= limit);
            double outside = TestHull_Outside(hull, points, COUNT);
            double tolerance = (double)sdHull_GetTolerance(hull);
            CHECK(outside <= tolerance);
            // not a bound that says nothing
            CHECK(tolerance <= 1.5 * outside + 1e-5);
            // planes of flat sets may tilt, but those of round ones come nearer and nearer
            CHECK(outside <= last || kind > TEST_POINTS_BALL);
            last = outside;
            if (kind == TEST_POINTS_SPHERE && limit == 256) {
                // a sphere of 256 well spread points: faces are about 0.013 inside
                CHECK(outside < 0.03);
            }
            sdHull_Release(hull);
        }
    }
    TestContext_Finish(&test);
}
