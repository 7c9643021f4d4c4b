// SPDX-License-Identifier: MIT
// test_hull.c - convex hulls: structure, robustness, support, mass.

#include "hull_check.h"

#include <string.h>

static sdHull* makeHull(TestContext* test, const sdVec3* points, int count, sdHullMethod method) {
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = count;
    def.method = method;
    sdHull* hull = NULL;
    sdHull_Create(&test->context, &def, &hull);
    return hull;
}

SD_TEST(hull_random_sets_keep_all_invariants) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(1);
    enum { MAX_COUNT = 200 };
    sdVec3 points[MAX_COUNT];
    for (int kind = 0; kind < TEST_POINTS_NEAR_LINE; ++kind) {
        int faults = 0, flat = 0;
        for (int i = 0; i < 400; ++i) {
            int count = 4 + TestRandom_Int(&random, MAX_COUNT - 3);
            TestPoints_Fill((TestPoints)kind, &random, points, count);
            sdHull* hull = makeHull(&test, points, count, (sdHullMethod)(i % 2));
            const char* fault = hull != NULL ? TestHull_FindFault(hull, points, count) : NULL;
            if (fault != NULL && faults++ < 3) {
                sdTest_Print("%s, set %d of %d points: %s", TestPoints_Name((TestPoints)kind), i,
                             count, fault);
            }
            flat += hull == NULL;
            sdHull_Release(hull);
        }
        CHECK_INT(faults, 0);
        sdTest_Print("%s: %d faults, %d without volume of 400", TestPoints_Name((TestPoints)kind),
                     faults, flat);
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
        sdHull* hull = makeHull(&test, points, count, (sdHullMethod)method);
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
    for (int kind = 0; kind < TEST_POINTS_NEAR_LINE; ++kind) {
        sdHullDef def = sdHullDef_Default();
        def.points = points;
        def.pointCount = 300;
        def.method = (sdHullMethod)(kind % 2);
        TestPoints_Fill((TestPoints)kind, &random, points, def.pointCount);
        CHECK(TestContext_FailEach(createHull, &def) >= 5);
    }
}
