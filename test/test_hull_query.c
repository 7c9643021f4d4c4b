// SPDX-License-Identifier: MIT
// test_hull_query.c - questions to convex hulls: support, inside, mass, the same bits.

#include "geometry/hull_kernel.h"
#include "hull_check.h"

#include <string.h>

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
            sdHull* hull = TestHull_Make(&test, points, count, SD_HULL_QUICK);
            for (int i = 0; hull != NULL && i < TestRounds(200); ++i) {
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

SD_TEST(hull_corners_are_those_of_its_faces) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(10);
    sdVec3 points[200];
    int wrong = 0, faces = 0;
    for (int kind = 0; kind < TEST_POINTS_COUNT; ++kind) {
        TestPoints_Fill((TestPoints)kind, &random, points, 200);
        sdHull* hull = TestHull_Make(&test, points, 200, SD_HULL_QUICK);
        for (int f = 0; hull != NULL && f < hull->faceCount; ++f, ++faces) {
            const sdHullCorners* corners = &hull->corners[f];
            int e = hull->faceEdges[f];
            for (int i = 0; i < 4; ++i, e = hull->edges[e].next) {
                sdVec3 p = sdV3(corners->x[i], corners->y[i], corners->z[i]);
                wrong += memcmp(&p, &hull->vertices[hull->edges[e].origin], sizeof p) != 0 ? 1 : 0;
            }
            wrong += memcmp(&corners->plane, &hull->planes[f], sizeof corners->plane) != 0 ? 1 : 0;
            // in one line of the processor's cache
            wrong += (size_t)corners % sizeof *corners != 0 ? 1 : 0;
        }
        sdHull_Release(hull);
    }
    sdTest_Print("%d faces, %d wrong", faces, wrong);
    CHECK_INT(wrong, 0);
    CHECK(faces > 100);
    TestContext_Finish(&test);
}

/// How much less than the furthest vertex of a round hull that of a cell may reach, as a fraction
/// of the hull: a cell is 0.13 rad wide, and vertices are further apart than that.
#define CELL_REACH 0.03

SD_TEST(hull_cells_have_a_vertex_that_is_about_the_furthest) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(9);
    static sdVec3 points[1500];
    int wrong = 0, furthest = 0, round = 0;
    for (int kind = 0; kind < TEST_POINTS_COUNT; ++kind) {
        TestPoints_Fill((TestPoints)kind, &random, points, kind == TEST_POINTS_SPHERE ? 256 : 1500);
        sdHull* hull =
            TestHull_Make(&test, points, kind == TEST_POINTS_SPHERE ? 256 : 1500, SD_HULL_QUICK);
        if (hull == NULL) {
            continue;
        }
        wrong += (hull->cells != NULL) != (hull->vertexCount > SD_HULL_CELLS_ABOVE) ? 1 : 0;
        for (int i = 0; hull->cells != NULL && i < SD_HULL_CELL_COUNT; ++i) {
            wrong += hull->cells[i] >= hull->vertexCount ? 1 : 0;
        }
        for (int i = 0; kind == TEST_POINTS_SPHERE && i < TestRounds(2000); ++i, ++round) {
            sdVec3 d = TestRandom_OnSphere(&random);
            int cell = hull->cells[sdHull_CellOf(d)], best = sdHull_SupportScan(hull, d);
            double less = along(hull->vertices[best], d) - along(hull->vertices[cell], d);
            wrong += less > CELL_REACH * (double)hull->reach ? 1 : 0;
            furthest += cell == best ? 1 : 0;
        }
        sdHull_Release(hull);
    }
    sdTest_Print("%d of %d cells have the furthest, %d wrong", furthest, round, wrong);
    CHECK_INT(wrong, 0);
    CHECK(round > 0 && furthest > round / 2);
    TestContext_Finish(&test);
}

SD_TEST(hull_support_survives_any_direction) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(7);
    sdVec3 points[600];
    for (int count = 5; count <= 600; count += 595) {
        TestPoints_Fill(TEST_POINTS_SPHERE, &random, points, count);
        sdHull* hull = TestHull_Make(&test, points, count, SD_HULL_QUICK);
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

SD_TEST(hull_cells_have_the_same_bits_at_both_levels) {
    if (!sdSimd_HasAvx2()) {
        return;
    }
    TestRandom random = TestRandom_Make(10);
    sdVec3 vertices[100];
    float directions[3][32];
    int32_t list[100];
    uint16_t furthest[2][32];
    for (int round = 0; round < 100; ++round) {
        int count = 1 + TestRandom_Int(&random, 100);
        for (int i = 0; i < 100; ++i) {
            vertices[i] = TestRandom_InBox(&random, 1.0f);
            list[i] = TestRandom_Int(&random, 100);
        }
        for (int i = 0; i < 32; ++i) {
            sdVec3 d = TestRandom_OnSphere(&random);
            directions[0][i] = d.x;
            directions[1][i] = d.y;
            directions[2][i] = d.z;
        }
        sdHullKernel_FurthestOf_base(vertices, list, count, directions[0], 32, furthest[0]);
        sdHullKernel_FurthestOf_avx2(vertices, list, count, directions[0], 32, furthest[1]);
        CHECK(memcmp(furthest[0], furthest[1], sizeof furthest[0]) == 0);
        for (int i = 0; i < 32; ++i) {
            sdVec3 d = sdV3(directions[0][i], directions[1][i], directions[2][i]);
            for (int k = 0; k < count; ++k) {
                CHECK(along(vertices[furthest[0][i]], d) >= along(vertices[list[k]], d) - 1e-6);
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
        sdHull* hull = TestHull_Make(&test, points, 150, SD_HULL_QUICK);
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
        sdHull* hull = TestHull_Make(&test, corners, 8, SD_HULL_QUICK);
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
    sdHull* hull = TestHull_Make(&test, points, 12, SD_HULL_INCREMENTAL);
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
            sdHull* hull = TestHull_Make(&test, points, 500, (sdHullMethod)method);
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
