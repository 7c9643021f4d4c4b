// SPDX-License-Identifier: MIT
// test_hull.c - convex hulls: structure, robustness, support, mass.

#include "geometry/hull_kernel.h"
#include "hull_check.h"

#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__wasm__)
#define SLOWNESS 4
#else
#define SLOWNESS 1
#endif

static sdHull* makeHull(TestContext* test, const sdVec3* points, int count, sdHullMethod method) {
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = count;
    def.method = method;
    sdHull* hull = NULL;
    sdHull_Create(&test->context, &def, &hull);
    return hull;
}

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
        sdHull* hull = makeHull(test, points, count, (sdHullMethod)(i % 2));
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
        checkSets(&test, (TestPoints)kind, 200 / SLOWNESS, 200, 1.0f, 0.0f);
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
            checkSets(&test, (TestPoints)kind, 20 / SLOWNESS, 200, scales[i], 0.0f);
        }
        checkSets(&test, (TestPoints)kind, 20 / SLOWNESS, 200, 1.0f, 1e6f);
        checkSets(&test, (TestPoints)kind, 20 / SLOWNESS, 200, 1e-2f, 10.0f);
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
        sdHull* a = makeHull(&test, points, 100, SD_HULL_QUICK);
        sdHull* b = makeHull(&test, scaled, 100, SD_HULL_QUICK);
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
    sdHull* hull = makeHull(&test, points, 4, SD_HULL_QUICK);
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

// ---- the workbench -------------------------------------------------------------------------

/// The sign of (b - a) x (c - a) . (p - a) by long multiplication in base 2^15.
static int referenceSide(const sdHullPoint q[4]) {
    int64_t d[3][3];
    for (int i = 0; i < 3; ++i) {
        d[i][0] = (int64_t)(q[i + 1].x - q[0].x);
        d[i][1] = (int64_t)(q[i + 1].y - q[0].y);
        d[i][2] = (int64_t)(q[i + 1].z - q[0].z);
    }
    int64_t digits[8] = {0};
    for (int term = 0; term < 6; ++term) {
        static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                         {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
        const int* o = orders[term];
        // two of the factors together have 54 bits, the third is taken digit by digit
        int64_t a = d[0][o[0]] * d[1][o[1]], b = d[2][o[2]];
        int64_t sign = ((a < 0) != (b < 0) ? -1 : 1) * (term < 3 ? 1 : -1);
        a = a < 0 ? -a : a;
        b = b < 0 ? -b : b;
        for (int i = 0; i < 4; ++i) {
            for (int k = 0; k < 2; ++k) {
                digits[i + k] += sign * ((a >> (15 * i)) & 32767) * ((b >> (15 * k)) & 32767);
            }
        }
    }
    int64_t carry = 0;
    bool isZero = true;
    for (int i = 0; i < 8; ++i) {
        int64_t value = digits[i] + carry;
        carry = (value - (((value % 32768) + 32768) % 32768)) / 32768;
        isZero = isZero && value - carry * 32768 == 0;
    }
    // the digits are not negative now, so the carry has the sign
    return carry < 0 ? -1 : (isZero && carry == 0 ? 0 : 1);
}

static sdHullPoint onLattice(TestRandom* random, int range) {
    int x = TestRandom_Int(random, 2 * range + 1) - range;
    int y = TestRandom_Int(random, 2 * range + 1) - range;
    int z = TestRandom_Int(random, 2 * range + 1) - range;
    return (sdHullPoint){x, y, z};
}

SD_TEST(hull_side_of_a_plane_is_exact) {
    TestRandom random = TestRandom_Make(14);
    const int full = 1 << SD_HULL_LATTICE_BITS;
    int counts[3] = {0};
    for (int round = 0; round < 200000 / SLOWNESS; ++round) {
        sdHullPoint q[4];
        int range = round % 8 == 0 ? full : 1 << TestRandom_Int(&random, SD_HULL_LATTICE_BITS);
        for (int i = 0; i < 4; ++i) {
            q[i] = onLattice(&random, range);
        }
        if (round % 4 != 0) {
            // next to the plane: the sum of two corners less the third, and a step aside
            q[0] = onLattice(&random, range / 4);
            q[1] = onLattice(&random, range / 4);
            q[2] = onLattice(&random, range / 4);
            sdHullPoint aside = onLattice(&random, round % 4 == 1 ? 0 : 1);
            q[3].x = q[1].x + q[2].x - q[0].x + aside.x;
            q[3].y = q[1].y + q[2].y - q[0].y + aside.y;
            q[3].z = q[1].z + q[2].z - q[0].z + aside.z;
        }
        const int32_t corners[3] = {0, 1, 2};
        sdHullBuild build = {.points = q};
        int side = sdHullBuild_Side(&build, corners, 3);
        CHECK_INT(side, referenceSide(q));
        counts[side + 1] += 1;
    }
    CHECK(counts[0] > 1000 && counts[1] > 1000 && counts[2] > 1000);
}

/// No vertex is above any face, exactly, and all edges have two sides.
static bool isExactHull(const sdHullBuild* build, const bool* isVertex) {
    for (int32_t f = 0; f < build->faces.count; ++f) {
        const sdHullFace* face = &build->faces.data[f];
        if (face->mark == SD_HULL_FREE) {
            continue;
        }
        for (int32_t e = 3 * f; e < 3 * f + 3; ++e) {
            int32_t twin = sdHullBuild_Twin(build, e);
            if (sdHullBuild_Twin(build, twin) != e || !isVertex[sdHullBuild_Origin(build, e)] ||
                sdHullBuild_Origin(build, twin) != sdHullBuild_Origin(build, sdHullBuild_Next(e))) {
                return false;
            }
        }
        for (int32_t p = 0; p < build->pointCount; ++p) {
            if (isVertex[p] && sdHullBuild_Side(build, face->vertex, p) > 0) {
                return false;
            }
        }
    }
    return true;
}

/// Vertices are removed one after the other until few are left; the rest must stay a hull.
static void checkRemoval(TestContext* test, const sdVec3* points, int count, TestRandom* random) {
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = count;
    sdAABB box = sdAABB_Empty();
    for (int i = 0; i < count; ++i) {
        box = sdAABB_AddPoint(box, points[i]);
    }
    sdHullBuild build;
    bool isVertex[100] = {false};
    bool isBuilt = sdHullBuild_Init(&build, &test->context, &def, box) == SD_OK &&
                   sdHullBuild_Quick(&build) == SD_OK;
    for (int32_t e = 0; isBuilt && e < 3 * build.faces.count; ++e) {
        if (build.faces.data[e / 3].mark != SD_HULL_FREE) {
            isVertex[sdHullBuild_Origin(&build, e)] = true;
        }
    }
    CHECK(!isBuilt || isExactHull(&build, isVertex));
    // any height will do
    build.tolerance *= 1e6;
    int start = isBuilt ? sdHullBuild_VertexCount(&build) : 0;
    for (int tries = 0; tries < start && sdHullBuild_VertexCount(&build) > 8; ++tries) {
        int32_t e;
        do {
            e = TestRandom_Int(random, 3 * build.faces.count);
        } while (build.faces.data[e / 3].mark == SD_HULL_FREE);
        int32_t vertex = sdHullBuild_Origin(&build, e);
        int before = sdHullBuild_VertexCount(&build);
        bool isRemoved;
        REQUIRE(sdHullBuild_RemoveVertex(&build, e, &isRemoved) == SD_OK);
        isVertex[vertex] = isVertex[vertex] && !isRemoved;
        CHECK_INT(sdHullBuild_VertexCount(&build), before - (isRemoved ? 1 : 0));
        CHECK(isRemoved || before < 12);
        CHECK(isExactHull(&build, isVertex));
    }
    sdHullBuild_Free(&build);
}

SD_TEST(hull_vertices_are_removed_exactly) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(15);
    sdVec3 points[100];
    const TestPoints kinds[] = {TEST_POINTS_SPHERE, TEST_POINTS_GRID, TEST_POINTS_CYLINDER,
                                TEST_POINTS_BOX_SURFACE, TEST_POINTS_LENS};
    for (int i = 0; i < 60 / SLOWNESS; ++i) {
        TestPoints_Fill(kinds[i % 5], &random, points, 100);
        checkRemoval(&test, points, 100, &random);
    }
    TestContext_Finish(&test);
}

// ---- support -------------------------------------------------------------------------------

static double along(sdVec3 p, sdVec3 d) {
    return (double)p.x * (double)d.x + (double)p.y * (double)d.y + (double)p.z * (double)d.z;
}

static void checkSupport(const sdHull* hull, sdVec3 d) {
    int count;
    const sdVec3* vertices = sdHull_GetVertices(hull, &count);
    double most = -1e300, size = 0.0;
    for (int i = 0; i < count; ++i) {
        double a = along(vertices[i], d);
        most = a > most ? a : most;
        size = (double)sdLength(vertices[i]) > size ? (double)sdLength(vertices[i]) : size;
    }
    double length = (double)sdLength(d);
    double rounding = 4.0 * (double)FLT_EPSILON * size * length;
    double slack = 0.25 * (double)sdHull_GetTolerance(hull) * length + rounding;
    int scan = sdHull_SupportScan(hull, d);
    REQUIRE(scan >= 0 && scan < count);
    CHECK(along(vertices[scan], d) >= most - rounding);
    int start = (int)(fabs((double)d.x) * 1e3) % count;
    CHECK(along(vertices[sdHull_SupportClimb(hull, d, start)], d) >= most - slack);
    CHECK(along(vertices[sdHull_Support(hull, d)], d) >= most - slack);
#if defined(SD_HAVE_AVX2_KERNELS)
    if (sdSimd_HasAvx2()) {
        CHECK_INT(sdHullKernel_Scan_base(hull->soa, hull->soaStride, d),
                  sdHullKernel_Scan_avx2(hull->soa, hull->soaStride, d));
    }
#endif
}

SD_TEST(hull_support_finds_the_furthest_vertex) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(6);
    enum { COUNT = 1500 };
    static sdVec3 points[COUNT];
    for (int kind = 0; kind < TEST_POINTS_COUNT; ++kind) {
        for (int count = 10; count <= COUNT; count *= 5) {
            TestPoints_Fill((TestPoints)kind, &random, points, count);
            sdHull* hull = makeHull(&test, points, count, SD_HULL_QUICK);
            for (int i = 0; hull != NULL && i < 200 / SLOWNESS; ++i) {
                checkSupport(hull, sdScale(i % 3 == 0 ? 1e3f : 1.0f, TestRandom_InBall(&random)));
            }
            int faceCount = 0;
            const sdPlane* planes = hull != NULL ? sdHull_GetPlanes(hull, &faceCount) : NULL;
            for (int i = 0; i < faceCount && i < 50; ++i) {
                checkSupport(hull, planes[i].normal);
                checkSupport(hull, sdNeg(planes[i].normal));
            }
            sdHull_Release(hull);
        }
    }
    TestContext_Finish(&test);
}

SD_TEST(hull_support_survives_any_direction) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(7);
    sdVec3 points[600];
    for (int count = 5; count <= 600; count += 595) {
        TestPoints_Fill(TEST_POINTS_SPHERE, &random, points, count);
        sdHull* hull = makeHull(&test, points, count, SD_HULL_QUICK);
        REQUIRE(hull != NULL);
        float odd[] = {0.0f, TestNaN(), TestInfinity(), -TestInfinity(), FLT_MAX, 1e-45f, -0.0f};
        for (int i = 0; i < 7 * 7 * 7; ++i) {
            sdVec3 d = sdV3(odd[i % 7], odd[i / 7 % 7], odd[i / 49]);
            int scan = sdHull_SupportScan(hull, d), best = sdHull_Support(hull, d);
            int climb = sdHull_SupportClimb(hull, d, i - 100);
            CHECK(scan >= 0 && scan < count && best >= 0 && best < count);
            CHECK(climb >= 0 && climb < count);
        }
        sdHull_Release(hull);
    }
    TestContext_Finish(&test);
}

#if defined(SD_HAVE_AVX2_KERNELS)
SD_TEST(hull_kernels_give_the_same_bits) {
    if (!sdSimd_HasAvx2()) {
        return;
    }
    TestRandom random = TestRandom_Make(8);
    sdHullPoint points[64];
    sdHullPlane planes[9];
    int32_t order[64], nearest[2][64];
    double distances[2][64];
    for (int round = 0; round < 100; ++round) {
        for (int i = 0; i < 64; ++i) {
            sdVec3 p = TestRandom_InBox(&random, 1e6f);
            points[i] = (sdHullPoint){(double)p.x, (double)p.y, (double)p.z};
            order[i] = TestRandom_Int(&random, 64);
        }
        for (int i = 0; i < 9; ++i) {
            sdVec3 n = TestRandom_OnSphere(&random);
            planes[i] = (sdHullPlane){(double)n.x, (double)n.y, (double)n.z, 1e3 * (double)i};
        }
        int count = 1 + TestRandom_Int(&random, 64);
        int planeCount = 1 + TestRandom_Int(&random, 9);
        sdHullKernel_Furthest_base(points, order, count, planes, planeCount, nearest[0],
                                   distances[0]);
        sdHullKernel_Furthest_avx2(points, order, count, planes, planeCount, nearest[1],
                                   distances[1]);
        CHECK(memcmp(nearest[0], nearest[1], (size_t)count * sizeof(int32_t)) == 0);
        CHECK(memcmp(distances[0], distances[1], (size_t)count * sizeof(double)) == 0);
        for (int i = 0; i < count; ++i) {
            for (int k = 0; k < planeCount; ++k) {
                CHECK(distances[0][i] >= sdHullPlane_Distance(&planes[k], points[order[i]]));
            }
        }
    }
}
#endif

// ---- inside, mass, bits --------------------------------------------------------------------

SD_TEST(hull_contains_what_its_vertices_span) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(10);
    sdVec3 points[150];
    for (int kind = 0; kind < TEST_POINTS_COUNT; ++kind) {
        TestPoints_Fill((TestPoints)kind, &random, points, 150);
        sdHull* hull = makeHull(&test, points, 150, SD_HULL_QUICK);
        if (hull == NULL) {
            continue;
        }
        float tolerance = sdHull_GetTolerance(hull);
        for (int i = 0; i < 150; ++i) {
            CHECK(sdHull_Contains(hull, points[i], tolerance));
            sdVec3 other = points[TestRandom_Int(&random, 150)];
            sdVec3 p = sdLerp(points[i], other, TestRandom_Float(&random, 0.0f, 1.0f));
            CHECK(sdHull_Contains(hull, p, 2.0f * tolerance));
        }
        // from a vertex of each face straight out, and a point far away
        int faceCount;
        const sdPlane* planes = sdHull_GetPlanes(hull, &faceCount);
        const sdVec3* vertices = sdHull_GetVertices(hull, NULL);
        for (int f = 0; f < faceCount; ++f) {
            sdVec3 p = vertices[sdHull_GetEdges(hull, NULL)[sdHull_GetFaceEdges(hull)[f]].origin];
            p = sdMulAdd(p, 1e-4f + 3.0f * tolerance, planes[f].normal);
            CHECK(!sdHull_Contains(hull, p, 1e-4f));
        }
        CHECK(!sdHull_Contains(hull, sdV3(TestNaN(), 0.0f, 0.0f), 1.0f));
        sdHull_Release(hull);
    }
    TestContext_Finish(&test);
}

static void checkMass(sdMassProps props, sdMassProps expected, double tolerance) {
    double size = fabs((double)expected.mass) * tolerance;
    CHECK_NEAR(props.mass, expected.mass, size);
    CHECK_NEAR(props.center.x, expected.center.x, tolerance);
    CHECK_NEAR(props.center.y, expected.center.y, tolerance);
    CHECK_NEAR(props.center.z, expected.center.z, tolerance);
    sdMat33 a = props.inertia, b = expected.inertia;
    double scale = tolerance * (double)(b.cx.x + b.cy.y + b.cz.z);
    CHECK_NEAR(a.cx.x, b.cx.x, scale);
    CHECK_NEAR(a.cy.y, b.cy.y, scale);
    CHECK_NEAR(a.cz.z, b.cz.z, scale);
    CHECK_NEAR(a.cx.y, b.cx.y, scale);
    CHECK_NEAR(a.cy.z, b.cy.z, scale);
    CHECK_NEAR(a.cz.x, b.cz.x, scale);
    CHECK(a.cx.y == a.cy.x && a.cx.z == a.cz.x && a.cy.z == a.cz.y);
}

SD_TEST(hull_mass_of_boxes_matches_closed_form) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(11);
    for (int round = 0; round < 100; ++round) {
        sdVec3 half = sdAdd(sdV3(0.2f, 0.2f, 0.2f), sdAbs(TestRandom_InBox(&random, 2.0f)));
        sdQuat q = TestRandom_Rotation(&random);
        sdVec3 at = TestRandom_InBox(&random, 5.0f), corners[8];
        for (int i = 0; i < 8; ++i) {
            sdVec3 c =
                sdV3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
            corners[i] = sdAdd(at, sdRotate(q, c));
        }
        sdHull* hull = makeHull(&test, corners, 8, SD_HULL_QUICK);
        REQUIRE(hull != NULL);
        int faceCount;
        sdHull_GetPlanes(hull, &faceCount);
        CHECK_INT(faceCount, 6);
        float mass = 3.0f * 8.0f * half.x * half.y * half.z;
        sdVec3 s = sdMul(half, half);
        sdMassProps expected = {mass, at,
                                sdRotateInertia(q, sdMat33_Diagonal(mass / 3.0f * (s.y + s.z),
                                                                    mass / 3.0f * (s.z + s.x),
                                                                    mass / 3.0f * (s.x + s.y)))};
        sdMassProps props;
        sdHull_GetMass(hull, 3.0f, &props);
        checkMass(props, expected, 1e-5);
        sdHull_Release(hull);
    }
    TestContext_Finish(&test);
}

/// Mean over many points inside, found by chance.
SD_TEST(hull_mass_matches_sampling) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(12);
    sdVec3 points[12];
    TestPoints_Fill(TEST_POINTS_BALL, &random, points, 12);
    sdHull* hull = makeHull(&test, points, 12, SD_HULL_INCREMENTAL);
    REQUIRE(hull != NULL);
    sdMassProps props;
    sdHull_GetMass(hull, 1.0f, &props);
    CHECK_NEAR(props.mass, TestHull_Volume(hull), 1e-6);
    enum { SAMPLES = 100000 };
    double first[3] = {0}, xy = 0.0, xx = 0.0, yy = 0.0;
    int inside = 0;
    for (int i = 0; i < SAMPLES; ++i) {
        sdVec3 p = TestRandom_InBox(&random, 1.0f);
        if (sdHull_Contains(hull, p, 0.0f)) {
            sdVec3 d = sdSub(p, props.center);
            inside += 1;
            first[0] += (double)p.x;
            first[1] += (double)p.y;
            first[2] += (double)p.z;
            xy += (double)d.x * (double)d.y;
            xx += (double)d.x * (double)d.x;
            yy += (double)d.y * (double)d.y;
        }
    }
    double cell = 8.0 / SAMPLES;
    CHECK_NEAR(props.mass, cell * inside, 0.02);
    CHECK_NEAR(props.center.x, first[0] / inside, 0.01);
    CHECK_NEAR(props.center.y, first[1] / inside, 0.01);
    CHECK_NEAR(props.center.z, first[2] / inside, 0.01);
    CHECK_NEAR(props.inertia.cz.z, cell * (xx + yy), 0.01);
    CHECK_NEAR(props.inertia.cx.y, -cell * xy, 0.005);
    sdHull_Release(hull);
    TestContext_Finish(&test);
}

/// Changes with every intended change of results; must not depend on compiler or processor.
#define EXPECTED_HASH 0x35eafed554b482f4ull

SD_TEST(hull_gives_the_same_bits_everywhere) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(13);
    sdVec3 points[500];
    uint64_t hash = TEST_HASH_START;
    for (int kind = 0; kind < TEST_POINTS_COUNT; ++kind) {
        for (int method = 0; method < 2; ++method) {
            TestPoints_Fill((TestPoints)kind, &random, points, 500);
            sdHull* hull = makeHull(&test, points, 500, (sdHullMethod)method);
            if (hull == NULL) {
                continue;
            }
            int edgeCount, faceCount;
            const sdHalfEdge* edges = sdHull_GetEdges(hull, &edgeCount);
            const sdPlane* planes = sdHull_GetPlanes(hull, &faceCount);
            hash = TestHash(hash, edges, (size_t)edgeCount * sizeof(sdHalfEdge));
            hash = TestHash(hash, planes, (size_t)faceCount * sizeof(sdPlane));
            float tolerance = sdHull_GetTolerance(hull);
            hash = TestHash(hash, &tolerance, sizeof tolerance);
            sdMassProps props;
            sdHull_GetMass(hull, 1.5f, &props);
            hash = TestHash(hash, &props, sizeof props);
            sdHull_Release(hull);
        }
    }
    if (!CHECK(hash == EXPECTED_HASH)) {
        sdTest_Print("the hash is %016llx", (unsigned long long)hash);
    }
    TestContext_Finish(&test);
}
