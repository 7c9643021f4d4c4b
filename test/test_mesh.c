// SPDX-License-Identifier: MIT
// test_mesh.c - building meshes: refusal, weld, drop, lifetime, samples.

#include "geometry/mesh.h"
#include "mesh_support.h"

#include <stdlib.h>
#include <string.h>

static const sdVec3 origin = {0.0f, 0.0f, 0.0f};

SD_TEST(mesh_box_is_a_solid) {
    TestMesh box = {0};
    TestMesh_AddBox(&box, origin, sdV3(1.0f, 1.0f, 1.0f));
    sdMeshReport report = TestMesh_RepairedReport(&box);
    CHECK_INT(report.vertexCount, 8);
    CHECK_INT(report.triangleCount, 12);
    CHECK_INT(report.edgeCount, 18);
    CHECK_INT(report.componentCount, 1);
    CHECK_INT(report.genus, 0);
    CHECK_INT(report.boundaryEdgeCount, 0);
    CHECK_INT(report.flippedTriangleCount, 0);
    CHECK_INT(report.selfIntersectionCount, -1);
    CHECK(report.isClosed && report.isManifold && report.isOriented && report.isSolid);
    CHECK_NEAR(report.volume, 8.0, 1e-12);
    CHECK_NEAR(report.area, 24.0, 1e-12);
    TestMesh_Free(&box);
}

SD_TEST(mesh_getters_give_what_was_built) {
    TestContext test;
    TestContext_Init(&test);
    TestMesh box = {0};
    TestMesh_AddBox(&box, sdV3(1.0f, 2.0f, 3.0f), sdV3(1.0f, 2.0f, 3.0f));
    sdMeshDef def = TestMesh_Def(&box);
    sdMesh* mesh = TestMesh_Create(&test.context, &def);
    REQUIRE(mesh != NULL);
    sdMeshData data = sdMesh_GetData(mesh);
    CHECK_INT(data.vertexCount, 8);
    CHECK_INT(data.triangleCount, 12);
    CHECK(memcmp(data.vertices, box.vertices, 8 * sizeof(sdVec3)) == 0);
    CHECK(memcmp(data.triangles, box.triangles, 36 * sizeof(int32_t)) == 0);
    sdAABB bounds = sdMesh_GetBounds(mesh);
    CHECK(bounds.lower.x == 0.0f && bounds.lower.y == 0.0f && bounds.lower.z == 0.0f);
    CHECK(bounds.upper.x == 2.0f && bounds.upper.y == 4.0f && bounds.upper.z == 6.0f);
    CHECK_INT(sdMesh_GetByteCount(mesh), test.liveBytes);
    // shared: it lives until the last one lets go
    sdMesh_Retain(mesh);
    sdMesh_Release(mesh);
    CHECK(test.liveCount > 0);
    sdMesh_Release(mesh);
    // a missing mesh is an empty one
    int count = 7;
    sdMesh_Release(NULL);
    sdMesh_Retain(NULL);
    CHECK(sdMesh_GetReport(NULL) == NULL && sdMesh_GetNeighbors(NULL) == NULL);
    CHECK(sdMesh_GetEdges(NULL, &count) == NULL && sdMesh_GetEdges(NULL, NULL) == NULL);
    CHECK_INT(count, 0);
    CHECK_INT(sdMesh_GetData(NULL).triangleCount, 0);
    CHECK_INT(sdMesh_GetByteCount(NULL), 0);
    CHECK(!sdAABB_IsValid(sdMesh_GetBounds(NULL)));
    TestMesh_Free(&box);
    TestContext_Finish(&test);
}

// ---- refusal -------------------------------------------------------------------------------

static void checkRefused(sdMeshDef def, sdResult expected, const char* words) {
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = (sdMesh*)(uintptr_t)1;
    CHECK_INT(sdMesh_Create(&test.context, &def, &mesh), expected);
    CHECK(mesh == NULL);
    CHECK_INT(test.errorCount, 1);
    CHECK_TEXT(test.lastError, "sdMesh_Create");
    CHECK_TEXT(test.lastError, words);
    TestContext_Finish(&test);
}

SD_TEST(mesh_refuses_bad_arrays) {
    TestMesh box = {0};
    TestMesh_AddBox(&box, origin, sdV3(1.0f, 1.0f, 1.0f));
    sdMeshDef def = TestMesh_Def(&box), bad = def;
    bad.data.vertices = NULL;
    checkRefused(bad, SD_ERROR_INVALID_ARGUMENT, "no vertices");
    bad = def;
    bad.data.triangles = NULL;
    checkRefused(bad, SD_ERROR_INVALID_ARGUMENT, "no triangles");
    const int counts[] = {0, -1, INT32_MIN};
    for (int i = 0; i < 3; ++i) {
        bad = def;
        bad.data.vertexCount = counts[i];
        checkRefused(bad, SD_ERROR_INVALID_ARGUMENT, "no vertices");
        bad = def;
        bad.data.triangleCount = counts[i];
        checkRefused(bad, SD_ERROR_INVALID_ARGUMENT, "no triangles");
    }
    // the limits are checked before anything is read
    bad = def;
    bad.data.vertexCount = SD_MESH_MAX_VERTICES + 1;
    checkRefused(bad, SD_ERROR_LIMIT, "100000001 vertices");
    bad = def;
    bad.data.triangleCount = INT32_MAX;
    checkRefused(bad, SD_ERROR_LIMIT, "2147483647 triangles");
    TestMesh_Free(&box);
}

SD_TEST(mesh_refuses_bad_numbers) {
    TestMesh box = {0};
    TestMesh_AddBox(&box, origin, sdV3(1.0f, 1.0f, 1.0f));
    const float numbers[] = {TestNaN(), TestInfinity(), -TestInfinity()};
    for (int i = 0; i < 3; ++i) {
        float* coordinate = i == 0 ? &box.vertices[5].x : &box.vertices[5].z;
        float good = *coordinate;
        *coordinate = numbers[i];
        checkRefused(TestMesh_Def(&box), SD_ERROR_INVALID_ARGUMENT, "vertex 5 is not finite");
        *coordinate = good;
        sdMeshDef def = TestMesh_Def(&box);
        def.weldDistance = numbers[i];
        checkRefused(def, SD_ERROR_INVALID_ARGUMENT, "weldDistance");
    }
    const int32_t indices[] = {8, -1, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 4; ++i) {
        int32_t good = box.triangles[22];
        box.triangles[22] = indices[i];
        checkRefused(TestMesh_Def(&box), SD_ERROR_INVALID_ARGUMENT, "triangle 7 uses vertex");
        box.triangles[22] = good;
    }
    sdMeshDef def = TestMesh_Def(&box);
    def.weldDistance = -1.0f;
    checkRefused(def, SD_ERROR_INVALID_ARGUMENT, "weldDistance -1");
    def = TestMesh_Def(&box);
    def.repairs = 16;
    checkRefused(def, SD_ERROR_INVALID_ARGUMENT, "repairs");
    TestMesh_Free(&box);
}

SD_TEST(mesh_refuses_missing_arguments) {
    TestContext test;
    TestContext_Init(&test);
    sdMeshDef def = sdMeshDef_Default();
    sdMesh* mesh = (sdMesh*)(uintptr_t)1;
    CHECK_INT(sdMesh_Create(&test.context, NULL, &mesh), SD_ERROR_INVALID_ARGUMENT);
    CHECK(mesh == NULL);
    CHECK_INT(sdMesh_Create(&test.context, &def, NULL), SD_ERROR_INVALID_ARGUMENT);
    sdContext broken = test.context;
    broken.allocator.allocate = NULL;
    CHECK_INT(sdMesh_Create(&broken, &def, &mesh), SD_ERROR_INVALID_ARGUMENT);
    TestContext_Finish(&test);
}

SD_TEST(mesh_refuses_triangles_without_area) {
    // all points equal; all on a line; two equal indices; closed but flat to a line
    TestMesh equal = {0}, line = {0}, indices = {0};
    TestMesh_AddLoose(&equal, sdV3(1.0f, 2.0f, 3.0f), sdV3(1.0f, 2.0f, 3.0f),
                      sdV3(1.0f, 2.0f, 3.0f));
    for (int i = 0; i < 4; ++i) {
        TestMesh_AddVertex(&line, i, 2.0 * i, -i);
        TestMesh_AddVertex(&indices, i, i * i, 0.0);
    }
    TestMesh_AddTriangle(&line, 0, 2, 1);
    TestMesh_AddTriangle(&line, 0, 1, 3);
    TestMesh_AddTriangle(&line, 0, 3, 2);
    TestMesh_AddTriangle(&line, 1, 2, 3);
    TestMesh_AddTriangle(&indices, 0, 0, 3);
    TestMesh_AddTriangle(&indices, 1, 2, 2);
    const TestMesh* all[] = {&equal, &line, &indices};
    for (int i = 0; i < 3; ++i) {
        sdMeshDef def = TestMesh_Def(all[i]);
        checkRefused(def, SD_ERROR_DEGENERATE, "no area");
        def.repairs = 0;
        checkRefused(def, SD_ERROR_DEGENERATE, "no area");
        // kept out of sight by others, they are dropped and counted
    }
    TestMesh_Free(&equal);
    TestMesh_Free(&line);
    TestMesh_Free(&indices);
}

// ---- weld ----------------------------------------------------------------------------------

SD_TEST(mesh_soup_is_welded) {
    TestMesh ball = {0}, soup = {0};
    TestMesh_AddBall(&ball, origin, 1.0, 8, 12);
    TestMesh_AddBall(&soup, origin, 1.0, 8, 12);
    TestMesh_Unshare(&soup);
    // -0 and +0 are one place
    for (int i = 0; i < soup.vertexCount; i += 2) {
        soup.vertices[i].x = soup.vertices[i].x == 0.0f ? -0.0f : soup.vertices[i].x;
    }
    sdMeshReport report = TestMesh_RepairedReport(&soup);
    CHECK_INT(report.vertexCount, ball.vertexCount);
    CHECK_INT(report.weldedVertexCount, soup.vertexCount - ball.vertexCount);
    CHECK_INT(report.droppedVertexCount, 0);
    CHECK(report.isSolid && report.isManifold);
    TestMesh_Free(&ball);
    TestMesh_Free(&soup);
}

SD_TEST(mesh_weld_keeps_the_order_of_what_stays) {
    TestContext test;
    TestContext_Init(&test);
    TestMesh sheet = {0};
    // vertex 0 is not used, 3 lies where 1 does
    TestMesh_AddVertex(&sheet, 9.0, 9.0, 9.0);
    TestMesh_AddVertex(&sheet, 0.0, 0.0, 0.0);
    TestMesh_AddVertex(&sheet, 1.0, 0.0, 0.0);
    TestMesh_AddVertex(&sheet, 0.0, 0.0, 0.0);
    TestMesh_AddVertex(&sheet, 0.0, 1.0, 0.0);
    TestMesh_AddVertex(&sheet, 1.0, 1.0, 0.0);
    TestMesh_AddTriangle(&sheet, 3, 2, 4);
    TestMesh_AddTriangle(&sheet, 5, 4, 2);
    sdMeshDef def = TestMesh_Def(&sheet);
    sdMesh* mesh = TestMesh_Create(&test.context, &def);
    REQUIRE(mesh != NULL);
    CHECK_TEXT(test.lastText, "joined 1 vertices, dropped 1 unused");
    sdMeshData data = sdMesh_GetData(mesh);
    const int32_t expected[] = {0, 1, 2, 3, 2, 1};
    CHECK_INT(data.vertexCount, 4);
    CHECK(memcmp(data.triangles, expected, sizeof expected) == 0);
    CHECK_INT(sdMesh_GetReport(mesh)->weldedVertexCount, 1);
    CHECK_INT(sdMesh_GetReport(mesh)->droppedVertexCount, 1);
    sdMesh_Release(mesh);
    // and nothing is touched when nothing is asked for
    def.repairs = 0;
    mesh = TestMesh_Create(&test.context, &def);
    REQUIRE(mesh != NULL);
    data = sdMesh_GetData(mesh);
    CHECK_INT(data.vertexCount, 6);
    CHECK(memcmp(data.triangles, sheet.triangles, 6 * sizeof(int32_t)) == 0);
    CHECK_INT(sdMesh_GetReport(mesh)->unusedVertexCount, 2);
    CHECK(sdMesh_GetBounds(mesh).upper.x == 1.0f);
    sdMesh_Release(mesh);
    TestMesh_Free(&sheet);
    TestContext_Finish(&test);
}

/// The rule itself: in order, each to the earliest kept one that is near enough.
static void weldSlowly(const TestMesh* mesh, double distance, int* map) {
    for (int i = 0; i < mesh->vertexCount; ++i) {
        map[i] = i;
        for (int j = 0; j < i && map[i] == i; ++j) {
            double dx = (double)mesh->vertices[i].x - (double)mesh->vertices[j].x;
            double dy = (double)mesh->vertices[i].y - (double)mesh->vertices[j].y;
            double dz = (double)mesh->vertices[i].z - (double)mesh->vertices[j].z;
            bool isNear = dx * dx + dy * dy + dz * dz <= distance * distance;
            map[i] = map[j] == j && isNear ? j : i;
        }
    }
}

static void checkWeld(const TestMesh* soup, float distance) {
    TestContext test;
    TestContext_Init(&test);
    int* map = malloc((size_t)soup->vertexCount * sizeof(int));
    weldSlowly(soup, (double)distance, map);
    sdMeshDef def = TestMesh_Def(soup);
    def.repairs = SD_MESH_WELD;
    def.weldDistance = distance;
    sdMesh* mesh = TestMesh_Create(&test.context, &def);
    if (mesh != NULL) {
        sdMeshData data = sdMesh_GetData(mesh);
        int kept = 0;
        for (int i = 0; i < soup->vertexCount; ++i) {
            kept += map[i] == i;
            sdVec3 expected = soup->vertices[map[i]];
            sdVec3 got = data.vertices[data.triangles[i]];
            CHECK(expected.x == got.x && expected.y == got.y && expected.z == got.z);
        }
        CHECK_INT(data.vertexCount, kept);
        CHECK_INT(sdMesh_GetReport(mesh)->weldedVertexCount, soup->vertexCount - kept);
    }
    sdMesh_Release(mesh);
    free(map);
    TestContext_Finish(&test);
}

SD_TEST(mesh_weld_matches_brute_force) {
    TestRandom random = TestRandom_Make(31);
    const float scales[] = {1e-6f, 1.0f, 1e6f};
    for (int i = 0; i < 30; ++i) {
        TestMesh soup = {0};
        float scale = scales[i % 3];
        sdVec3 away = i >= 15 ? TestRandom_InBox(&random, 100.0f) : origin;
        for (int t = 0; t < 100; ++t) {
            sdVec3 p[3];
            for (int k = 0; k < 3; ++k) {
                p[k] = sdScale(scale, sdAdd(away, TestRandom_InBox(&random, 1.0f)));
            }
            TestMesh_AddLoose(&soup, p[0], p[1], p[2]);
        }
        checkWeld(&soup, scale * TestRandom_Float(&random, 0.0f, 0.3f));
        checkWeld(&soup, 0.0f);
        checkWeld(&soup, 1e-30f);
        sdMeshDef far = TestMesh_Def(&soup);
        far.weldDistance = 3e38f;
        checkRefused(far, SD_ERROR_DEGENERATE, "two equal vertices");
        TestMesh_Free(&soup);
    }
}

SD_TEST(mesh_weld_does_not_shrink_chains) {
    // a strip of points 0.6 apart, weld distance 1: every other one stays
    TestMesh strip = {0};
    for (int i = 0; i < 40; ++i) {
        TestMesh_AddVertex(&strip, 0.6 * i, 0.0, 0.0);
        TestMesh_AddVertex(&strip, 0.6 * i, 10.0, 0.0);
    }
    for (int i = 0; i + 1 < 40; ++i) {
        TestMesh_AddTriangle(&strip, 2 * i, 2 * i + 2, 2 * i + 1);
        TestMesh_AddTriangle(&strip, 2 * i + 2, 2 * i + 3, 2 * i + 1);
    }
    TestContext test;
    TestContext_Init(&test);
    sdMeshDef def = TestMesh_Def(&strip);
    def.weldDistance = 1.0f;
    sdMesh* mesh = TestMesh_Create(&test.context, &def);
    REQUIRE(mesh != NULL);
    CHECK_INT(sdMesh_GetReport(mesh)->vertexCount, 40);
    CHECK_INT(sdMesh_GetReport(mesh)->triangleCount, 38);
    CHECK_INT(sdMesh_GetReport(mesh)->droppedDegenerateCount, 40);
    CHECK_INT(sdMesh_GetReport(mesh)->boundaryEdgeCount, 40);
    sdMesh_Release(mesh);
    TestMesh_Free(&strip);
    TestContext_Finish(&test);
}

// ---- drop ----------------------------------------------------------------------------------

SD_TEST(mesh_drops_collapsed_triangles) {
    TestMesh box = {0};
    TestMesh_AddBox(&box, origin, sdV3(1.0f, 1.0f, 1.0f));
    TestMesh_AddTriangle(&box, 3, 3, 5);
    TestMesh_AddTriangle(&box, 1, 2, 1);
    int copy = TestMesh_AddVertex(&box, -1.0, -1.0, -1.0);
    TestMesh_AddTriangle(&box, 0, copy, 7); // collapses by welding
    sdMeshReport report = TestMesh_RepairedReport(&box);
    CHECK_INT(report.droppedDegenerateCount, 3);
    CHECK_INT(report.triangleCount, 12);
    CHECK_INT(report.degenerateTriangleCount, 0);
    CHECK(report.isSolid && report.isManifold);
    TestMesh_Free(&box);
}

/// A box with one side cut in two by a corner in the middle of an edge, and a triangle without area
/// that closes the slit, as programs that stitch surfaces make it.
static void makeStitchedBox(TestMesh* mesh) {
    TestMesh_AddBox(mesh, origin, sdV3(1.0f, 1.0f, 1.0f));
    // triangle 8 is (0 2 3) in the side z = -1; m is the middle of its edge 0 2
    int m = TestMesh_AddVertex(mesh, -1.0, 0.0, -1.0);
    mesh->triangles[24] = 0;
    mesh->triangles[25] = m;
    mesh->triangles[26] = 3;
    TestMesh_AddTriangle(mesh, m, 2, 3);
    TestMesh_AddTriangle(mesh, 0, 2, m);
}

SD_TEST(mesh_keeps_triangles_that_close_a_slit) {
    TestContext test;
    TestContext_Init(&test);
    TestMesh box = {0};
    makeStitchedBox(&box);
    sdMeshDef def = TestMesh_Def(&box);
    sdMesh* mesh = TestMesh_Create(&test.context, &def);
    REQUIRE(mesh != NULL);
    const sdMeshReport* report = sdMesh_GetReport(mesh);
    CHECK_INT(report->triangleCount, 14);
    CHECK_INT(report->degenerateTriangleCount, 1);
    CHECK_INT(report->firstDegenerateTriangle, 13);
    CHECK(report->isSolid && report->isManifold);
    // it has a normal all the same: that of its neighbours
    sdVec3 n = sdMesh_PseudoNormal(mesh, 13, SD_REGION_FACE);
    CHECK_NEAR(sdLength(n), 1.0, 1e-6);
    CHECK(n.x <= 0.0f && n.z < 0.0f && n.y == 0.0f);
    sdMassProps props;
    CHECK_INT(sdMesh_GetMass(mesh, 1.0f, &props), SD_OK);
    CHECK_NEAR(props.mass, 8.0, 1e-5);
    sdMesh_Release(mesh);
    // where the surface is open anyway it goes
    def.data.triangleCount = 14;
    TestMesh_Free(&box);
    TestMesh sheet = {0};
    for (int i = 0; i < 3; ++i) {
        TestMesh_AddVertex(&sheet, i, 0.0, 0.0);
        TestMesh_AddVertex(&sheet, i, 1.0, 0.0);
    }
    TestMesh_AddTriangle(&sheet, 0, 4, 5);
    TestMesh_AddTriangle(&sheet, 0, 2, 4);
    CHECK_INT(TestMesh_RepairedReport(&sheet).droppedDegenerateCount, 1);
    TestMesh_Free(&sheet);
    TestContext_Finish(&test);
}

SD_TEST(mesh_without_area_is_a_matter_of_height) {
    for (int i = 0; i < 2; ++i) {
        TestMesh sheet = {0};
        TestMesh_AddLoose(&sheet, origin, sdV3(1.0f, 0.0f, 0.0f), sdV3(0.0f, 1.0f, 0.0f));
        TestMesh_AddLoose(&sheet, origin, sdV3(1.0f, 0.0f, 0.0f),
                          sdV3(0.4f, i == 0 ? -1e-7f : -1e-5f, 0.0f));
        CHECK_INT(TestMesh_RepairedReport(&sheet).droppedDegenerateCount, 1 - i);
        TestMesh_Free(&sheet);
    }
}

SD_TEST(mesh_drops_repeated_triangles) {
    TestMesh box = {0};
    TestMesh_AddBox(&box, origin, sdV3(1.0f, 1.0f, 1.0f));
    // in the same sense, another corner first; and one that faces inward
    TestMesh_AddTriangle(&box, box.triangles[1], box.triangles[2], box.triangles[0]);
    TestMesh_AddTriangle(&box, box.triangles[9], box.triangles[11], box.triangles[10]);
    sdMeshReport report = TestMesh_RepairedReport(&box);
    CHECK_INT(report.droppedDuplicateCount, 2);
    CHECK_INT(report.triangleCount, 12);
    CHECK(report.isSolid && report.isManifold);
    // on an open surface, in the same sense only
    box.triangleCount = 10;
    TestMesh_AddTriangle(&box, box.triangles[1], box.triangles[2], box.triangles[0]);
    TestMesh_AddTriangle(&box, box.triangles[9], box.triangles[11], box.triangles[10]);
    report = TestMesh_RepairedReport(&box);
    CHECK_INT(report.droppedDuplicateCount, 1);
    box.triangleCount = 0;
    box.vertexCount = 0;
    TestMesh_AddBox(&box, origin, sdV3(1.0f, 1.0f, 1.0f));
    // the whole box twice, the second time with triangles facing either way
    TestRandom random = TestRandom_Make(5);
    box.triangleCount = 12;
    for (int t = 0; t < 12; ++t) {
        TestMesh_AddTriangle(&box, box.triangles[3 * t], box.triangles[3 * t + 1],
                             box.triangles[3 * t + 2]);
        if (TestRandom_Int(&random, 2) == 0) {
            TestMesh_Flip(&box, 12 + t);
        }
    }
    report = TestMesh_RepairedReport(&box);
    CHECK_INT(report.droppedDuplicateCount, 12);
    CHECK(report.isSolid && report.isManifold);
    CHECK_NEAR(report.volume, 8.0, 1e-12);
    TestMesh_Free(&box);
}

SD_TEST(mesh_keeps_sheets_and_walls) {
    // both sides of a sheet
    TestMesh sheet = {0};
    for (int i = 0; i < 3; ++i) {
        TestMesh_AddVertex(&sheet, i, 0.0, 0.0);
        TestMesh_AddVertex(&sheet, i, 1.0, 0.0);
    }
    for (int i = 0; i < 2; ++i) {
        TestMesh_AddTriangle(&sheet, 2 * i, 2 * i + 2, 2 * i + 1);
        TestMesh_AddTriangle(&sheet, 2 * i + 2, 2 * i + 3, 2 * i + 1);
        TestMesh_AddTriangle(&sheet, 2 * i, 2 * i + 1, 2 * i + 2);
        TestMesh_AddTriangle(&sheet, 2 * i + 2, 2 * i + 1, 2 * i + 3);
    }
    sdMeshReport report = TestMesh_RepairedReport(&sheet);
    CHECK_INT(report.droppedDuplicateCount, 0);
    CHECK_INT(report.duplicateTriangleCount, 4);
    CHECK_INT(report.triangleCount, 8);
    CHECK(report.isClosed && report.isOriented && !report.isSolid);
    TestMesh_Free(&sheet);

    // two boxes that share a side, which both have
    TestMesh boxes = {0};
    TestMesh_AddBox(&boxes, origin, sdV3(1.0f, 1.0f, 1.0f));
    TestMesh_AddBox(&boxes, sdV3(2.0f, 0.0f, 0.0f), sdV3(1.0f, 1.0f, 1.0f));
    // the same diagonal on both sides of the wall: triangles 2 and 3 of a box face +x, 0 and 1 -x
    for (int t = 0; t < 2; ++t) {
        for (int k = 0; k < 3; ++k) {
            boxes.triangles[3 * (12 + t) + k] = boxes.triangles[3 * (2 + t) + k];
        }
        TestMesh_Flip(&boxes, 12 + t);
    }
    report = TestMesh_RepairedReport(&boxes);
    CHECK_INT(report.triangleCount, 24);
    CHECK_INT(report.duplicateTriangleCount, 2);
    CHECK_INT(report.nonManifoldEdgeCount, 5);
    CHECK_INT(report.misorientedEdgeCount, 0);
    CHECK(report.isSolid && !report.isManifold);
    CHECK_NEAR(report.volume, 16.0, 1e-9);
    TestMesh_Free(&boxes);
}

// ---- samples -------------------------------------------------------------------------------

SD_TEST(mesh_samples_lie_on_vertices_and_edges) {
    TestContext test;
    TestContext_Init(&test);
    TestMesh box = {0};
    TestMesh_AddBox(&box, origin, sdV3(1.0f, 2.0f, 3.0f));
    sdMeshDef def = TestMesh_Def(&box);
    sdMesh* mesh = TestMesh_Create(&test.context, &def);
    REQUIRE(mesh != NULL);
    CHECK_INT(sdMesh_CountSamples(mesh, 0), 8);
    CHECK_INT(sdMesh_CountSamples(mesh, 3), 8 + 3 * 18);
    CHECK_INT(sdMesh_CountSamples(mesh, -1), 0);
    CHECK_INT(sdMesh_CountSamples(mesh, INT32_MAX), 0);
    sdVec3 points[8 + 3 * 18];
    sdMesh_GetSamples(mesh, 3, points);
    CHECK(memcmp(points, box.vertices, 8 * sizeof(sdVec3)) == 0);
    int edgeCount = 0;
    const sdMeshEdge* edges = sdMesh_GetEdges(mesh, &edgeCount);
    for (int e = 0; e < edgeCount; ++e) {
        sdVec3 a = box.vertices[edges[e].vertices[0]], b = box.vertices[edges[e].vertices[1]];
        for (int i = 0; i < 3; ++i) {
            sdVec3 expected = sdLerp(a, b, 0.25f * (float)(i + 1));
            CHECK_NEAR(sdLength(sdSub(points[8 + 3 * e + i], expected)), 0.0, 1e-6);
        }
    }
    sdMesh_GetSamples(mesh, -1, points);
    sdMesh_GetSamples(mesh, 1, NULL);
    sdMesh_Release(mesh);
    TestMesh_Free(&box);
    TestContext_Finish(&test);
}

// ---- memory, size --------------------------------------------------------------------------

static sdResult createAndRelease(const sdContext* context, void* arg) {
    sdMesh* mesh = NULL;
    sdResult result = sdMesh_Create(context, arg, &mesh);
    CHECK((mesh != NULL) == (result == SD_OK));
    sdMesh_Release(mesh);
    return result;
}

/// Something for every stage to do.
static void makeTrouble(TestMesh* mesh) {
    makeStitchedBox(mesh);
    TestMesh_AddTriangle(mesh, 0, 6, 4); // faces the other way
    TestMesh_AddTriangle(mesh, 5, 5, 1);
    TestMesh_Flip(mesh, 3);
    int begin = mesh->triangleCount;
    TestMesh_AddBall(mesh, origin, 0.5, 4, 5);
    TestMesh_FlipAll(mesh, begin, mesh->triangleCount);
    TestMesh_AddBall(mesh, sdV3(4.0f, 0.0f, 0.0f), 1.0, 4, 5);
    // three triangles at an edge
    int v = TestMesh_AddVertex(mesh, 4.0, 3.0, 0.0);
    TestMesh_AddTriangle(mesh, mesh->triangles[3 * begin], mesh->triangles[3 * begin + 1], v);
}

SD_TEST(mesh_create_survives_no_memory) {
    TestMesh trouble = {0};
    makeTrouble(&trouble);
    sdMeshDef def = TestMesh_Def(&trouble);
    int count = TestContext_FailEach(createAndRelease, &def);
    def.weldDistance = 1e-3f;
    CHECK_INT(TestContext_FailEach(createAndRelease, &def), count);
    TestMesh_Free(&trouble);
}

SD_TEST(mesh_of_many_triangles) {
    TestContext test;
    TestContext_Init(&test);
    TestMesh torus = {0};
    TestMesh_AddTorus(&torus, 1.0, 0.4, 500, 200);
    TestMesh_Unshare(&torus);
    sdMeshDef def = TestMesh_Def(&torus);
    sdMesh* mesh = TestMesh_Create(&test.context, &def);
    REQUIRE(mesh != NULL);
    const sdMeshReport* report = sdMesh_GetReport(mesh);
    CHECK_INT(report->triangleCount, 200000);
    CHECK_INT(report->vertexCount, 100000);
    CHECK_INT(report->edgeCount, 300000);
    CHECK_INT(report->genus, 1);
    CHECK(report->isSolid);
    sdMesh_Release(mesh);
    TestMesh_Free(&torus);
    TestContext_Finish(&test);
}

SD_TEST(mesh_fan_of_many_triangles_is_not_slow) {
    // every triangle at one vertex, every triangle at one edge, every piece loose: none may be
    // quadratic
    const int n = 60000;
    TestMesh cone = {0}, book = {0}, loose = {0};
    TestMesh_AddVertex(&cone, 0.0, 0.0, 1.0);
    TestMesh_AddVertex(&book, 0.0, 0.0, -1.0);
    TestMesh_AddVertex(&book, 0.0, 0.0, 1.0);
    for (int i = 0; i < n; ++i) {
        double u = 2.0 * TEST_PI * i / n, r = 100.0;
        TestMesh_AddVertex(&cone, r * TestCos(u), r * TestSin(u), 0.0);
        TestMesh_AddVertex(&book, r * TestCos(u), r * TestSin(u), 0.0);
        TestMesh_AddTriangle(&cone, 0, 1 + i, 1 + (i + 1) % n);
        TestMesh_AddTriangle(&book, 0, 1, 2 + i);
        sdVec3 p = sdV3((float)(i % 300), (float)(i / 300), 0.0f);
        TestMesh_AddLoose(&loose, p, sdAdd(p, sdV3(0.5f, 0.0f, 0.0f)),
                          sdAdd(p, sdV3(0.0f, 0.5f, 0.0f)));
    }
    sdMeshReport report = TestMesh_RepairedReport(&cone);
    CHECK_INT(report.boundaryEdgeCount, n);
    report = TestMesh_RepairedReport(&book);
    CHECK_INT(report.nonManifoldEdgeCount, 1);
    CHECK_INT(report.boundaryEdgeCount, 2 * n);
    report = TestMesh_RepairedReport(&loose);
    CHECK_INT(report.componentCount, n);
    TestMesh_Free(&cone);
    TestMesh_Free(&book);
    TestMesh_Free(&loose);
}

SD_TEST(mesh_of_many_closed_pieces_is_not_slow) {
    // bubbles in a block
    TestMesh cheese = {0};
    TestMesh_AddBox(&cheese, sdV3(10.0f, 10.0f, 10.0f), sdV3(12.0f, 12.0f, 12.0f));
    for (int i = 0; i < 8000; ++i) {
        int begin = cheese.triangleCount;
        TestMesh_AddBox(&cheese, sdV3((float)(i % 20), (float)(i / 20 % 20), (float)(i / 400)),
                        sdV3(0.3f, 0.3f, 0.3f));
        TestMesh_FlipAll(&cheese, begin, cheese.triangleCount);
    }
    sdMeshReport report = TestMesh_RepairedReport(&cheese);
    CHECK_INT(report.componentCount, 8001);
    CHECK_INT(report.flippedTriangleCount, 0);
    CHECK_INT(report.invertedComponentCount, 0);
    CHECK(report.isSolid);
    CHECK_NEAR(report.volume, 24.0 * 24.0 * 24.0 - 8000.0 * 0.216, 0.01);
    TestMesh_Free(&cheese);
}
