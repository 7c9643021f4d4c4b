// SPDX-License-Identifier: MIT
// test_mesh_inspect.c - reports on triangles as they are, self-intersections, reports in words.

#include "geometry/mesh_build.h"
#include "mesh_support.h"

#include <math.h>
#include <string.h>

static const sdVec3 origin = {0.0f, 0.0f, 0.0f};

static sdMeshReport inspect(const TestMesh* triangles, bool findSelfIntersections) {
    TestContext test;
    TestContext_Init(&test);
    sdMeshData data = TestMesh_Data(triangles);
    sdMeshReport report;
    CHECK_INT(sdMesh_Inspect(&test.context, &data, findSelfIntersections, &report), SD_OK);
    TestContext_Finish(&test);
    return report;
}

SD_TEST(mesh_inspect_refuses_bad_input) {
    TestContext test;
    TestContext_Init(&test);
    TestMesh box = {0};
    TestMesh_AddBox(&box, origin, sdV3(1.0f, 1.0f, 1.0f));
    sdMeshData data = TestMesh_Data(&box), bad = data;
    sdMeshReport report;
    CHECK_INT(sdMesh_Inspect(&test.context, NULL, true, &report), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdMesh_Inspect(&test.context, &data, true, NULL), SD_ERROR_INVALID_ARGUMENT);
    bad.triangleCount = 0;
    memset(&report, 0xFF, sizeof report);
    CHECK_INT(sdMesh_Inspect(&test.context, &bad, true, &report), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(report.triangleCount, 0);
    CHECK_INT(report.vertexCount, 0);
    bad = data;
    bad.vertexCount = 7;
    CHECK_INT(sdMesh_Inspect(&test.context, &bad, true, &report), SD_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT(test.lastError, "uses vertex 7, but there are only 7 vertices");
    box.vertices[3].y = TestNaN();
    CHECK_INT(sdMesh_Inspect(&test.context, &data, true, &report), SD_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT(test.lastError, "vertex 3 is not finite");
    TestMesh_Free(&box);
    TestContext_Finish(&test);
}

SD_TEST(mesh_inspect_changes_nothing) {
    TestMesh box = {0};
    TestMesh_AddBox(&box, origin, sdV3(1.0f, 1.0f, 1.0f));
    TestMesh_FlipAll(&box, 0, 12);
    TestMesh_AddVertex(&box, 3.0, 0.0, 0.0);
    uint64_t before = TestHash(TEST_HASH_START, box.triangles, 36 * sizeof(int32_t));
    sdMeshReport report = inspect(&box, true);
    CHECK(TestHash(TEST_HASH_START, box.triangles, 36 * sizeof(int32_t)) == before);
    CHECK_INT(report.invertedComponentCount, 1);
    CHECK_INT(report.unusedVertexCount, 1);
    CHECK_INT(report.flippedTriangleCount, 0);
    CHECK_INT(report.selfIntersectionCount, 0);
    CHECK_NEAR(report.volume, -8.0, 1e-12);
    CHECK(report.isClosed && report.isOriented && !report.isSolid);
    TestMesh_Free(&box);
}

SD_TEST(mesh_inspect_counts_handles) {
    // 0 for balls, 1 for each torus, all components together
    TestMesh mesh = {0};
    int expected = 0;
    for (int i = 0; i < 5; ++i) {
        int begin = mesh.vertexCount;
        if (i % 2 == 0) {
            TestMesh_AddTorus(&mesh, 1.0, 0.3, 9 + i, 7);
            expected += 1;
        } else {
            TestMesh_AddBall(&mesh, origin, 1.0, 5 + i, 7);
        }
        for (int v = begin; v < mesh.vertexCount; ++v) {
            mesh.vertices[v].x += 4.0f * (float)i;
        }
        sdMeshReport report = inspect(&mesh, false);
        CHECK_INT(report.genus, expected);
        CHECK_INT(report.componentCount, i + 1);
    }
    // a frame with two windows: 2 handles in one component. Cells of a 5 by 3 sheet, two left out
    TestMesh frame = {0};
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 24; ++i) {
            TestMesh_AddVertex(&frame, i % 6, i / 6, k);
        }
    }
    static const int isCell[5][7] = {
        {0, 0, 0, 0, 0, 0, 0}, {0, 1, 1, 1, 1, 1, 0}, {0, 1, 0, 1, 0, 1, 0}, {0, 1, 1, 1, 1, 1, 0}};
    for (int y = 0; y < 3; ++y) {
        for (int x = 0; x < 5; ++x) {
            if (isCell[y + 1][x + 1] == 0) {
                continue;
            }
            int a = 6 * y + x, corners[4] = {a, a + 1, a + 7, a + 6};
            const int sides[4] = {isCell[y][x + 1], isCell[y + 1][x + 2], isCell[y + 2][x + 1],
                                  isCell[y + 1][x]};
            TestMesh_AddTriangle(&frame, corners[0], corners[2], corners[1]);
            TestMesh_AddTriangle(&frame, corners[0], corners[3], corners[2]);
            TestMesh_AddTriangle(&frame, 24 + corners[0], 24 + corners[1], 24 + corners[2]);
            TestMesh_AddTriangle(&frame, 24 + corners[0], 24 + corners[2], 24 + corners[3]);
            for (int k = 0; k < 4; ++k) {
                int p = corners[k], q = corners[(k + 1) % 4];
                if (sides[k] == 0) {
                    TestMesh_AddTriangle(&frame, p, q, 24 + q);
                    TestMesh_AddTriangle(&frame, p, 24 + q, 24 + p);
                }
            }
        }
    }
    sdMeshReport report = inspect(&frame, true);
    CHECK_INT(report.genus, 2);
    CHECK(report.isSolid && report.isManifold);
    CHECK_NEAR(report.volume, 13.0, 1e-9);
    CHECK_INT(report.selfIntersectionCount, 0);
    TestMesh_Free(&frame);
    TestMesh_Free(&mesh);
}

SD_TEST(mesh_inspect_finds_holes_and_branches) {
    TestMesh box = {0};
    TestMesh_AddBox(&box, origin, sdV3(1.0f, 1.0f, 1.0f));
    box.triangleCount = 11; // without (4 7 6)
    sdMeshReport report = inspect(&box, false);
    CHECK_INT(report.boundaryEdgeCount, 3);
    CHECK(!report.isClosed && !report.isSolid && report.isManifold && report.isOriented);
    CHECK_INT(report.genus, -1);
    int a = report.firstBoundaryEdge[0], b = report.firstBoundaryEdge[1];
    CHECK((a == 4 || a == 6 || a == 7) && (b == 4 || b == 6 || b == 7) && a != b);
    // a fin on an edge
    box.triangleCount = 12;
    int fin = TestMesh_AddVertex(&box, 3.0, 3.0, 0.0);
    TestMesh_AddTriangle(&box, 3, 7, fin);
    report = inspect(&box, false);
    CHECK_INT(report.nonManifoldEdgeCount, 1);
    CHECK_INT(report.boundaryEdgeCount, 2);
    CHECK_INT(report.firstNonManifoldEdge[0] + report.firstNonManifoldEdge[1], 10);
    CHECK(!report.isClosed && !report.isManifold);
    // one triangle around the wrong way
    box.triangleCount = 12;
    TestMesh_Flip(&box, 5);
    report = inspect(&box, false);
    CHECK_INT(report.misorientedEdgeCount, 3);
    CHECK(report.isClosed && !report.isOriented && !report.isSolid);
    CHECK(report.firstMisorientedEdge[0] != SD_NULL_INDEX);
    TestMesh_Free(&box);
}

SD_TEST(mesh_inspect_finds_vertices_of_several_fans) {
    // two boxes, corner to corner in one vertex
    TestMesh boxes = {0};
    TestMesh_AddBox(&boxes, origin, sdV3(1.0f, 1.0f, 1.0f));
    TestMesh_AddBox(&boxes, sdV3(2.0f, 2.0f, 2.0f), sdV3(1.0f, 1.0f, 1.0f));
    for (int h = 36; h < 72; ++h) {
        boxes.triangles[h] = boxes.triangles[h] == 8 ? 7 : boxes.triangles[h];
    }
    sdMeshReport report = inspect(&boxes, true);
    CHECK_INT(report.nonManifoldVertexCount, 1);
    CHECK_INT(report.nonManifoldEdgeCount, 0);
    CHECK_INT(report.componentCount, 2);
    CHECK_INT(report.unusedVertexCount, 1);
    CHECK_INT(report.selfIntersectionCount, 0);
    CHECK(report.isSolid && !report.isManifold);
    TestMesh_Free(&boxes);
}

// ---- crossing triangles --------------------------------------------------------------------

/// Six times the volume of the tetrahedron.
static double volumeOf(const sdVec3d* a, const sdVec3d* b, const sdVec3d* c, const sdVec3d* d) {
    return sdDotD(sdSubD(*b, *a), sdCrossD(sdSubD(*c, *a), sdSubD(*d, *a)));
}

/// Does the segment pq pass through the triangle, by signs of volumes? Sets *isClear to false when
/// one of them is so small that rounding or the tolerance of the library may decide.
static bool segmentCrosses(const sdVec3d* p, const sdVec3d* q, const sdVec3d t[3], bool* isClear) {
    double sides[5] = {volumeOf(&t[0], &t[1], &t[2], p), volumeOf(&t[0], &t[1], &t[2], q),
                       volumeOf(p, q, &t[0], &t[1]), volumeOf(p, q, &t[1], &t[2]),
                       volumeOf(p, q, &t[2], &t[0])};
    for (int i = 0; i < 5; ++i) {
        *isClear = *isClear && fabs(sides[i]) > 1e-3;
    }
    bool straddles = (sides[0] > 0.0) != (sides[1] > 0.0);
    bool isBetween = (sides[2] > 0.0) == (sides[3] > 0.0) && (sides[3] > 0.0) == (sides[4] > 0.0);
    return straddles && isBetween;
}

static sdVec3d randomPoint(TestRandom* random) {
    return sdVec3d_From(TestRandom_InBox(random, 1.0f));
}

SD_TEST(mesh_crossing_triangles_match_segment_tests) {
    TestRandom random = TestRandom_Make(64);
    int tested = 0, crossed = 0;
    for (int i = 0; i < 20000; ++i) {
        sdVec3d a[3], b[3];
        // every other pair shares a vertex
        int shared = i % 2;
        for (int k = 0; k < 3; ++k) {
            a[k] = randomPoint(&random);
            b[k] = k < shared ? a[k] : randomPoint(&random);
        }
        bool isClear = true, expected = false;
        for (int k = 0; k < 3; ++k) {
            // sides at the shared vertex touch there and cross nowhere else
            bool isOpposite = shared == 0 || k == 1;
            if (isOpposite) {
                bool first = segmentCrosses(&a[k], &a[(k + 1) % 3], b, &isClear);
                bool second = segmentCrosses(&b[k], &b[(k + 1) % 3], a, &isClear);
                expected = expected || first || second;
            }
        }
        if (!isClear) {
            continue;
        }
        tested += 1;
        crossed += expected;
        CHECK(sdTriangles_Cross(a, b) == expected);
        CHECK(sdTriangles_Cross(b, a) == expected);
    }
    CHECK(tested > 5000 && crossed > 500);
}

SD_TEST(mesh_touching_triangles_do_not_cross) {
    // coordinates in eighths, at several scales and far away
    static const struct {
        double a[9], b[9];
        bool crosses;
    } cases[] = {
        // share an edge, at several angles
        {{0, 0, 0, 8, 0, 0, 0, 8, 0}, {0, 0, 0, 8, 0, 0, 0, -8, 0}, false},
        {{0, 0, 0, 8, 0, 0, 0, 8, 0}, {0, 0, 0, 8, 0, 0, 0, 8, 1}, false},
        // share an edge and lie on each other
        {{0, 0, 0, 8, 0, 0, 0, 8, 0}, {0, 0, 0, 8, 0, 0, 4, 8, 0}, true},
        // a corner on a face, on an edge, on a corner
        {{0, 0, 0, 8, 0, 0, 0, 8, 0}, {2, 2, 0, 2, 2, 8, 8, 8, 8}, false},
        {{0, 0, 0, 8, 0, 0, 0, 8, 0}, {4, 0, 0, 2, 2, 8, 8, 8, 8}, false},
        {{0, 0, 0, 8, 0, 0, 0, 8, 0}, {0, 0, 0, 2, 2, 8, 8, 8, 8}, false},
        // an edge on a face
        {{0, 0, 0, 8, 0, 0, 0, 8, 0}, {1, 1, 0, 3, 1, 0, 2, 2, 8}, false},
        // through it
        {{0, 0, 0, 8, 0, 0, 0, 8, 0}, {2, 2, -1, 2, 2, 8, 8, 8, 8}, true},
        // share a vertex and go through from there
        {{0, 0, 0, 8, 0, 0, 0, 8, 0}, {0, 0, 0, 8, 8, 8, 8, 8, -8}, true},
        {{0, 0, 0, 8, 0, 0, 0, 8, 0}, {0, 0, 0, -8, -8, 8, -8, -8, -8}, false},
        // in one plane: apart, edges touching, overlapping, one inside the other, the same
        {{0, 0, 0, 8, 0, 0, 0, 8, 0}, {9, 0, 0, 16, 0, 0, 9, 8, 0}, false},
        {{0, 0, 0, 8, 0, 0, 0, 8, 0}, {8, 0, 0, 8, 8, 0, 0, 8, 0}, false},
        {{0, 0, 0, 8, 0, 0, 0, 8, 0}, {2, 2, 0, 9, 2, 0, 2, 9, 0}, true},
        {{0, 0, 0, 8, 0, 0, 0, 8, 0}, {1, 1, 0, 2, 1, 0, 1, 2, 0}, true},
        {{0, 0, 0, 8, 0, 0, 0, 8, 0}, {0, 0, 0, 0, 8, 0, 8, 0, 0}, true},
        // parallel planes
        {{0, 0, 0, 8, 0, 0, 0, 8, 0}, {0, 0, 1, 8, 0, 1, 0, 8, 1}, false},
    };
    const double scales[] = {1.0, 1e-7, 1e7};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        for (int s = 0; s < 6; ++s) {
            sdVec3d a[3], b[3], away = sdV3d(s < 3 ? 0.0 : 3e6, 0.0, s < 3 ? 0.0 : -7e6);
            double scale = scales[s % 3];
            for (int k = 0; k < 3; ++k) {
                const double* p = cases[i].a + 3 * k;
                const double* q = cases[i].b + 3 * k;
                a[k] = sdScaleD(scale, sdAddD(away, sdV3d(p[0], p[1], p[2])));
                b[k] = sdScaleD(scale, sdAddD(away, sdV3d(q[0], q[1], q[2])));
            }
            for (int turn = 0; turn < 3; ++turn) {
                if (!CHECK(sdTriangles_Cross(a, b) == cases[i].crosses) ||
                    !CHECK(sdTriangles_Cross(b, a) == cases[i].crosses)) {
                    sdTest_Print("case %d, scale %g", (int)i, scale);
                }
                sdVec3d first = a[0];
                a[0] = a[1];
                a[1] = a[2];
                a[2] = first;
            }
        }
    }
}

SD_TEST(mesh_self_intersections_match_all_pairs) {
    TestRandom random = TestRandom_Make(65);
    TestMesh soup = {0};
    for (int t = 0; t < 300; ++t) {
        sdVec3 p = TestRandom_InBox(&random, 1.0f);
        TestMesh_AddLoose(&soup, p, sdAdd(p, TestRandom_InBox(&random, 0.3f)),
                          sdAdd(p, TestRandom_InBox(&random, 0.3f)));
    }
    int expected = 0, first[2] = {SD_NULL_INDEX, SD_NULL_INDEX};
    for (int t = 0; t < soup.triangleCount; ++t) {
        for (int u = t + 1; u < soup.triangleCount; ++u) {
            sdVec3d a[3], b[3];
            for (int k = 0; k < 3; ++k) {
                a[k] = sdVec3d_From(soup.vertices[soup.triangles[3 * t + k]]);
                b[k] = sdVec3d_From(soup.vertices[soup.triangles[3 * u + k]]);
            }
            if (sdTriangles_Cross(a, b)) {
                first[0] = expected == 0 ? t : first[0];
                first[1] = expected == 0 ? u : first[1];
                expected += 1;
            }
        }
    }
    sdMeshReport report = inspect(&soup, true);
    CHECK(expected > 20);
    CHECK_INT(report.selfIntersectionCount, expected);
    CHECK_INT(report.firstIntersection[0], first[0]);
    CHECK_INT(report.firstIntersection[1], first[1]);
    CHECK_INT(inspect(&soup, false).selfIntersectionCount, -1);
    TestMesh_Free(&soup);
}

SD_TEST(mesh_round_solids_do_not_cross_themselves) {
    TestMesh torus = {0}, two = {0};
    TestMesh_AddTorus(&torus, 1.0, 0.4, 120, 60);
    sdMeshReport report = inspect(&torus, true);
    CHECK_INT(report.selfIntersectionCount, 0);
    TestMesh_AddBall(&two, origin, 1.0, 12, 16);
    TestMesh_AddBall(&two, sdV3(1.0f, 0.1f, 0.2f), 1.0, 12, 16);
    report = inspect(&two, true);
    CHECK(report.selfIntersectionCount > 20);
    CHECK(report.firstIntersection[0] < two.triangleCount / 2);
    CHECK(report.firstIntersection[1] >= two.triangleCount / 2);
    TestMesh_Free(&torus);
    TestMesh_Free(&two);
}

static sdResult inspectAll(const sdContext* context, void* arg) {
    sdMeshReport report;
    return sdMesh_Inspect(context, arg, true, &report);
}

SD_TEST(mesh_inspect_survives_no_memory) {
    TestMesh mesh = {0};
    TestMesh_AddBall(&mesh, origin, 1.0, 6, 8);
    TestMesh_AddBall(&mesh, origin, 0.5, 6, 8);
    int v = TestMesh_AddVertex(&mesh, 0.0, 0.0, 3.0);
    TestMesh_AddTriangle(&mesh, 0, 1, v); // three triangles at an edge
    sdMeshData data = TestMesh_Data(&mesh);
    TestContext_FailEach(inspectAll, &data);
    TestMesh_Free(&mesh);
}

// ---- words ---------------------------------------------------------------------------------

SD_TEST(mesh_report_says_what_to_do) {
    char text[4096];
    TestMesh box = {0};
    TestMesh_AddBox(&box, origin, sdV3(1.0f, 1.0f, 1.0f));
    sdMeshReport report = inspect(&box, true);
    sdMeshReport_Describe(&report, text, sizeof text);
    CHECK_TEXT(text, "12 triangles, 8 vertices, 18 edges in 1 piece");
    CHECK_TEXT(text, "volume 8 m3");
    CHECK_TEXT(text, "no faults found");

    box.triangleCount = 11;
    TestMesh_Flip(&box, 2);
    TestMesh_AddVertex(&box, 9.0, 9.0, 9.0);
    report = inspect(&box, true);
    sdMeshReport_Describe(&report, text, sizeof text);
    CHECK_TEXT(text, "3 edges belong to one triangle only: the surface has holes, the first at "
                     "vertices");
    CHECK_TEXT(text, "3 edges join triangles that disagree");
    CHECK_TEXT(text, "1 vertex is used by no triangle");
    CHECK(strstr(text, "no faults") == NULL);
    TestMesh_Free(&box);

    TestMesh ball = {0};
    TestMesh_AddBall(&ball, origin, 1.0, 6, 8);
    TestMesh_FlipAll(&ball, 0, ball.triangleCount);
    TestMesh_AddTriangle(&ball, 0, 1, 1);
    TestMesh_AddTriangle(&ball, ball.triangles[0], ball.triangles[1], ball.triangles[2]);
    report = inspect(&ball, true);
    sdMeshReport_Describe(&report, text, sizeof text);
    CHECK_TEXT(text, "1 triangle has no area");
    CHECK_TEXT(text, "1 triangle repeats");
    TestMesh_Free(&ball);
}

SD_TEST(mesh_report_is_cut_at_its_capacity) {
    sdMeshReport report;
    memset(&report, 1, sizeof report); // every count and flag set, so every sentence is there
    char whole[8192], part[8192];
    int length = sdMeshReport_Describe(&report, whole, sizeof whole);
    CHECK_INT(length, strlen(whole));
    CHECK_TEXT(whole, "were turned around");
    CHECK_TEXT(whole, "cross each other");
    CHECK_INT(sdMeshReport_Describe(&report, NULL, 0), length);
    CHECK_INT(sdMeshReport_Describe(&report, NULL, 100), length);
    for (int capacity = 0; capacity <= length + 2; capacity += capacity < 100 ? 1 : 37) {
        memset(part, 'x', sizeof part);
        CHECK_INT(sdMeshReport_Describe(&report, part, capacity), length);
        if (capacity > 0) {
            size_t expected = (size_t)(capacity - 1 < length ? capacity - 1 : length);
            CHECK_INT(strlen(part), expected);
            CHECK(strncmp(part, whole, expected) == 0);
        }
        CHECK(part[capacity] == 'x');
    }
    CHECK(sdMeshReport_Describe(NULL, part, sizeof part) > 0);
    CHECK_INT(sdMeshReport_Describe(&report, part, -5), length);
}
