// SPDX-License-Identifier: MIT
// test_decompose.c - convex decomposition: parts, coverage, and whether the concavity reported is
// true, all judged by sampling with other means than the library's own.

#include "base/timer.h"
#include "decompose_check.h"
#include "geometry/decompose.h"
#include "hull_check.h"
#include "mesh_support.h"

static sdMesh* makeMesh(const sdContext* context, TestMesh* triangles) {
    sdMesh* mesh = TestMesh_Build(context, triangles);
    TestMesh_Free(triangles);
    return mesh;
}

// A prism over a polygon in the plane, whose triangles are given, from z = -depth to depth.
static void addPlate(TestMesh* mesh, const sdVec2* points, int count, const int (*faces)[3],
                     int faceCount, float depth) {
    int first = mesh->vertexCount;
    for (int side = 0; side < 2; ++side) {
        for (int i = 0; i < count; ++i) {
            TestMesh_AddVertex(mesh, (double)points[i].x, (double)points[i].y,
                               (double)(side == 0 ? -depth : depth));
        }
    }
    for (int i = 0; i < faceCount; ++i) {
        const int* f = faces[i];
        TestMesh_AddTriangle(mesh, first + f[0], first + f[2], first + f[1]);
        TestMesh_AddTriangle(mesh, first + count + f[0], first + count + f[1],
                             first + count + f[2]);
    }
    for (int i = 0; i < count; ++i) {
        int j = (i + 1) % count;
        TestMesh_AddTriangle(mesh, first + i, first + j, first + count + j);
        TestMesh_AddTriangle(mesh, first + i, first + count + j, first + count + i);
    }
}

static void addL(TestMesh* mesh) {
    const sdVec2 points[6] = {{0.0f, 0.0f}, {2.0f, 0.0f}, {2.0f, 0.7f},
                              {0.6f, 0.7f}, {0.6f, 1.5f}, {0.0f, 1.5f}};
    const int faces[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
    addPlate(mesh, points, 6, faces, 4, 0.4f);
}

static void addU(TestMesh* mesh) {
    const sdVec2 points[8] = {{0.0f, 0.0f}, {3.0f, 0.0f}, {3.0f, 2.0f}, {2.4f, 2.0f},
                              {2.4f, 0.5f}, {0.7f, 0.5f}, {0.7f, 2.0f}, {0.0f, 2.0f}};
    const int faces[6][3] = {{0, 1, 4}, {0, 4, 5}, {1, 2, 4}, {2, 3, 4}, {0, 5, 7}, {5, 6, 7}};
    addPlate(mesh, points, 8, faces, 6, 0.5f);
}

static double partVolume(const sdCompound* compound) {
    int count;
    const sdCompoundChild* children = sdCompound_GetChildren(compound, &count);
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += TestHull_Volume(children[i].shape.hull);
    }
    return sum;
}

static int partCount(const sdCompound* compound) {
    int count;
    sdCompound_GetChildren(compound, &count);
    return count;
}

// ---- convex input --------------------------------------------------------------------------

static void checkConvex(const sdContext* context, const sdMesh* mesh) {
    sdDecomposeDef def = sdDecomposeDef_Default();
    def.maxHullVertexCount = 0;
    sdCompound* compound;
    float concavity = -1.0f;
    REQUIRE(sdMesh_Decompose(context, mesh, &def, &compound, &concavity) == SD_OK);
    CHECK(concavity == 0.0f);
    int count;
    const sdCompoundChild* children = sdCompound_GetChildren(compound, &count);
    CHECK_INT(count, 1);
    CHECK(children[0].xf.q.s == 1.0f && sdLength(children[0].xf.p) == 0.0f);
    // the very hull of the mesh's vertices
    sdMeshData data = sdMesh_GetData(mesh);
    sdHullDef hullDef = sdHullDef_Default();
    hullDef.points = data.vertices;
    hullDef.pointCount = data.vertexCount;
    sdHull* hull;
    REQUIRE(sdHull_Create(context, &hullDef, &hull) == SD_OK);
    int a, b;
    sdHull_GetVertices(hull, &a);
    sdHull_GetVertices(children[0].shape.hull, &b);
    CHECK_INT(a, b);
    CHECK_NEAR(TestHull_Volume(children[0].shape.hull), TestHull_Volume(hull),
               1e-12 * TestHull_Volume(hull));
    sdHull_Release(hull);
    sdCompound_Release(compound);
}

SD_TEST(decompose_convex_is_its_own_hull) {
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh;
    REQUIRE(sdModel_Create(&test.context, SD_MODEL_BOX, 1.0f, &mesh) == SD_OK);
    checkConvex(&test.context, mesh);
    sdMesh_Release(mesh);
    REQUIRE(sdModel_Create(&test.context, SD_MODEL_SPHERE, 3.0f, &mesh) == SD_OK);
    checkConvex(&test.context, mesh);
    sdMesh_Release(mesh);
    REQUIRE(sdModel_CreateOctahedron(&test.context, 8, 0.5f, &mesh) == SD_OK);
    checkConvex(&test.context, mesh);
    sdMesh_Release(mesh);
    TestMesh plate = {0};
    TestMesh_AddBox(&plate, sdV3(10.0f, 0.0f, 0.0f), sdV3(1.0f, 0.002f, 0.5f));
    mesh = makeMesh(&test.context, &plate);
    checkConvex(&test.context, mesh);
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

// A hull of fewer vertices lies around the solid, not inside of it, and keeps flat faces.
SD_TEST(decompose_simplifies_outwards) {
    TestContext test;
    TestContext_Init(&test);
    TestMesh triangles = {0};
    TestMesh_AddPrism(&triangles, 1.0, 0.8, 100);
    sdMesh* mesh = makeMesh(&test.context, &triangles);
    for (int limit = 12; limit <= 64; limit += 26) {
        sdDecomposeDef def = sdDecomposeDef_Default();
        def.maxHullVertexCount = limit;
        sdCompound* compound;
        float concavity;
        REQUIRE(sdMesh_Decompose(&test.context, mesh, &def, &compound, &concavity) == SD_OK);
        TestVerdict v = TestVerdict_Make(mesh, compound, def.resolution, TestRounds(4000));
        sdTest_Print("prism of 200 vertices within %d: concavity %.4f, union %.3f of the solid",
                     v.vertexCount, (double)concavity, v.volumeRatio);
        CHECK_INT(v.partCount, 1);
        CHECK(v.vertexCount <= limit);
        TestVerdict_Check(&v, concavity);
        // the ends are flat and stay where they are
        sdAABB box = sdCompound_GetBounds(compound);
        CHECK_NEAR(box.upper.z, 0.4, limit == 12 ? 0.05 : 1e-3);
        sdCompound_Release(compound);
    }
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

// ---- simple figures ------------------------------------------------------------------------

SD_TEST(decompose_l_is_two_exact_parts) {
    TestContext test;
    TestContext_Init(&test);
    TestRandom random = TestRandom_Make(5);
    for (int i = 0; i < 6; ++i) {
        TestMesh triangles = {0};
        addL(&triangles);
        sdTransform xf = sdTransform_Identity();
        if (i > 0) {
            xf = sdTransform_Make(TestRandom_InBox(&random, 3.0f), TestRandom_Rotation(&random));
        }
        TestMesh_Move(&triangles, 1.0f, xf);
        sdMesh* mesh = makeMesh(&test.context, &triangles);
        sdDecomposeDef def = sdDecomposeDef_Default();
        sdCompound* compound;
        float concavity;
        REQUIRE(sdMesh_Decompose(&test.context, mesh, &def, &compound, &concavity) == SD_OK);
        CHECK_INT(partCount(compound), 2);
        CHECK(concavity < 1e-4f);
        CHECK_NEAR(partVolume(compound), sdMesh_GetReport(mesh)->volume, 1e-4);
        TestVerdict v = TestVerdict_Make(mesh, compound, def.resolution, 2000);
        TestVerdict_Check(&v, concavity);
        sdCompound_Release(compound);
        sdMesh_Release(mesh);
    }
    TestContext_Finish(&test);
}

SD_TEST(decompose_u_is_three_parts) {
    TestContext test;
    TestContext_Init(&test);
    TestMesh triangles = {0};
    addU(&triangles);
    sdMesh* mesh = makeMesh(&test.context, &triangles);
    sdDecomposeDef def = sdDecomposeDef_Default();
    sdCompound* compound;
    float concavity;
    REQUIRE(sdMesh_Decompose(&test.context, mesh, &def, &compound, &concavity) == SD_OK);
    CHECK_INT(partCount(compound), 3);
    CHECK(concavity < 1e-4f);
    CHECK_NEAR(partVolume(compound), sdMesh_GetReport(mesh)->volume, 1e-4);
    sdCompound_Release(compound);
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

// S3 §6.4 shows one figure as 1, 2 and 4 parts.
SD_TEST(decompose_keeps_to_the_number_of_parts) {
    TestContext test;
    TestContext_Init(&test);
    const sdModelKind kinds[3] = {SD_MODEL_STAR, SD_MODEL_TETRAPOD, SD_MODEL_TORUS};
    const int counts[5] = {1, 2, 3, 4, 8};
    for (int k = 0; k < 3; ++k) {
        sdMesh* mesh;
        REQUIRE(sdModel_Create(&test.context, kinds[k], 1.0f, &mesh) == SD_OK);
        float last = 1.0f;
        for (int i = 0; i < 5; ++i) {
            sdDecomposeDef def = sdDecomposeDef_Default();
            def.maxPartCount = counts[i];
            def.resolution = 32;
            sdCompound* compound;
            float concavity;
            REQUIRE(sdMesh_Decompose(&test.context, mesh, &def, &compound, &concavity) == SD_OK);
            sdTest_Print("%s, at most %d: %d parts, concavity %.4f", sdModel_Name(kinds[k]),
                         counts[i], partCount(compound), (double)concavity);
            CHECK(partCount(compound) <= counts[i]);
            CHECK(i > 0 || partCount(compound) == 1);
            CHECK(concavity <= last + 0.01f);
            last = concavity;
            TestVerdict v = TestVerdict_Make(mesh, compound, def.resolution, 2000);
            TestVerdict_Check(&v, concavity);
            sdCompound_Release(compound);
        }
        sdMesh_Release(mesh);
    }
    TestContext_Finish(&test);
}

SD_TEST(decompose_leaves_holes_free) {
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh;
    REQUIRE(sdModel_CreateTorus(&test.context, 1.0f, 0.3f, 32, 12, &mesh) == SD_OK);
    sdDecomposeDef def = sdDecomposeDef_Default();
    sdCompound* compound;
    float concavity;
    REQUIRE(sdMesh_Decompose(&test.context, mesh, &def, &compound, &concavity) == SD_OK);
    CHECK(partCount(compound) >= 6);
    CHECK(concavity <= 0.012f);
    // a post through the hole, thinner than the hole by the concavity
    TestRandom random = TestRandom_Make(8);
    sdVec3 thin = sdSub(sdMesh_GetBounds(mesh).upper, sdMesh_GetBounds(mesh).lower);
    int axis = thin.x < thin.y && thin.x < thin.z ? 0 : (thin.y < thin.z ? 1 : 2);
    float free = 0.68f - concavity * sdLength(sdSub(sdMesh_GetBounds(mesh).upper,
                                                    sdMesh_GetBounds(mesh).lower));
    for (int i = 0; i < 1000; ++i) {
        sdVec3 p = sdScale(free, TestRandom_InBall(&random));
        float along = TestRandom_Float(&random, -0.3f, 0.3f);
        p = axis == 0   ? sdV3(along, p.y, p.z)
            : axis == 1 ? sdV3(p.x, along, p.z)
                        : sdV3(p.x, p.y, along);
        CHECK(!TestCompound_Contains(compound, p, 0.0f));
    }
    sdCompound_Release(compound);
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

// ---- several pieces, cavities --------------------------------------------------------------

SD_TEST(decompose_takes_pieces_apart) {
    TestContext test;
    TestContext_Init(&test);
    TestMesh triangles = {0};
    TestMesh_AddBox(&triangles, sdV3(0.0f, 0.0f, 0.0f), sdV3(1.0f, 0.5f, 0.5f));
    TestMesh_AddBox(&triangles, sdV3(3.0f, 0.2f, 0.0f), sdV3(0.5f, 0.5f, 0.5f));
    TestMesh_AddBall(&triangles, sdV3(0.0f, 3.0f, 0.0f), 1.0, 6, 10);
    sdMesh* mesh = makeMesh(&test.context, &triangles);
    const int limits[3] = {32, 2, 1};
    for (int i = 0; i < 3; ++i) {
        sdDecomposeDef def = sdDecomposeDef_Default();
        def.maxPartCount = limits[i];
        sdCompound* compound;
        float concavity;
        REQUIRE(sdMesh_Decompose(&test.context, mesh, &def, &compound, &concavity) == SD_OK);
        CHECK_INT(partCount(compound), sdMinI(3, limits[i]));
        if (i == 0) {
            CHECK(concavity < 2e-3f);
            double volume = sdMesh_GetReport(mesh)->volume;
            CHECK_NEAR(partVolume(compound), volume, 0.02 * volume);
        }
        TestVerdict v = TestVerdict_Make(mesh, compound, def.resolution, 3000);
        TestVerdict_Check(&v, concavity);
        sdCompound_Release(compound);
    }
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

SD_TEST(decompose_joins_too_many_pieces) {
    TestContext test;
    TestContext_Init(&test);
    TestMesh triangles = {0};
    for (int i = 0; i < 49; ++i) {
        sdVec3 center = {(float)(i % 7), (float)(i / 7), 0.0f};
        TestMesh_AddBox(&triangles, center, sdV3(0.3f, 0.3f, 0.3f));
    }
    sdMesh* mesh = makeMesh(&test.context, &triangles);
    const int limits[3] = {49, 30, 4};
    for (int i = 0; i < 3; ++i) {
        sdDecomposeDef def = sdDecomposeDef_Default();
        def.maxPartCount = limits[i];
        def.resolution = 32;
        sdCompound* compound;
        float concavity;
        REQUIRE(sdMesh_Decompose(&test.context, mesh, &def, &compound, &concavity) == SD_OK);
        CHECK(partCount(compound) <= limits[i]);
        CHECK(i > 0 || partCount(compound) == 49);
        TestVerdict v = TestVerdict_Make(mesh, compound, def.resolution, 2000);
        TestVerdict_Check(&v, concavity);
        sdCompound_Release(compound);
    }
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

// Boxes that overlap are one solid, though their surfaces cross.
SD_TEST(decompose_joins_overlapping_pieces) {
    TestContext test;
    TestContext_Init(&test);
    TestMesh triangles = {0};
    TestMesh_AddBox(&triangles, sdV3(0.0f, 0.0f, 0.0f), sdV3(2.0f, 0.5f, 0.5f));
    TestMesh_AddBox(&triangles, sdV3(0.1f, 0.1f, 0.0f), sdV3(0.5f, 2.0f, 0.4f));
    sdMesh* mesh = makeMesh(&test.context, &triangles);
    sdDecomposeDef def = sdDecomposeDef_Default();
    sdCompound* compound;
    float concavity;
    REQUIRE(sdMesh_Decompose(&test.context, mesh, &def, &compound, &concavity) == SD_OK);
    sdTest_Print("two crossing bars: %d parts, concavity %.4f", partCount(compound),
                 (double)concavity);
    CHECK(concavity <= 0.01f);
    CHECK(partCount(compound) <= 4);
    TestRandom random = TestRandom_Make(3);
    for (int i = 0; i < 3000; ++i) {
        sdVec3 p = TestRandom_InBox(&random, 2.2f);
        sdVec3 q = sdAbs(sdSub(p, sdV3(0.1f, 0.1f, 0.0f))), r = sdAbs(p);
        bool isInside =
            (r.x < 2.0f && r.y < 0.5f && r.z < 0.5f) || (q.x < 0.5f && q.y < 2.0f && q.z < 0.4f);
        CHECK(!isInside || TestCompound_Contains(compound, p, 1e-4f));
    }
    sdCompound_Release(compound);
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

SD_TEST(decompose_leaves_cavities_free) {
    TestContext test;
    TestContext_Init(&test);
    TestMesh triangles = {0};
    TestMesh_AddBox(&triangles, sdV3(0.0f, 0.0f, 0.0f), sdV3(1.0f, 1.0f, 1.0f));
    int outer = triangles.triangleCount;
    TestMesh_AddBox(&triangles, sdV3(0.1f, 0.0f, 0.0f), sdV3(0.6f, 0.7f, 0.8f));
    TestMesh_FlipAll(&triangles, outer, triangles.triangleCount);
    sdMesh* mesh = makeMesh(&test.context, &triangles);
    sdDecomposeDef def = sdDecomposeDef_Default();
    sdCompound* compound;
    float concavity;
    REQUIRE(sdMesh_Decompose(&test.context, mesh, &def, &compound, &concavity) == SD_OK);
    TestVerdict v = TestVerdict_Make(mesh, compound, def.resolution, 4000);
    sdTest_Print("hollow box: %d parts, concavity %.4f, union %.3f of the solid", v.partCount,
                 (double)concavity, v.volumeRatio);
    TestVerdict_Check(&v, concavity);
    CHECK(concavity < 0.01f);
    CHECK(!TestCompound_Contains(compound, sdV3(0.1f, 0.0f, 0.0f), 0.0f));
    sdCompound_Release(compound);
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

// ---- models --------------------------------------------------------------------------------

SD_TEST(decompose_models) {
    TestContext test;
    TestContext_Init(&test);
    for (int kind = 0; kind < SD_MODEL_COUNT; kind += TestIsShort() ? 2 : 1) {
        sdMesh* mesh;
        REQUIRE(sdModel_Create(&test.context, (sdModelKind)kind, 1.0f, &mesh) == SD_OK);
        sdDecomposeDef def = sdDecomposeDef_Default();
        sdCompound* compound;
        float concavity;
        uint64_t start = sdTimer_Now();
        REQUIRE(sdMesh_Decompose(&test.context, mesh, &def, &compound, &concavity) == SD_OK);
        double ms = (double)sdTimer_ElapsedMs(start);
        TestVerdict v = TestVerdict_Make(mesh, compound, def.resolution, 4000);
        sdTest_Print("%-10s %4d triangles: %2d parts, %4d vertices, concavity %.4f (sampled "
                     "%.4f), union %.3f of the solid, %.0f ms",
                     sdModel_Name((sdModelKind)kind), sdMesh_GetReport(mesh)->triangleCount,
                     v.partCount, v.vertexCount, (double)concavity,
                     (double)(v.deepest / v.diagonal), v.volumeRatio, ms);
        TestVerdict_Check(&v, concavity);
        CHECK(v.partCount <= def.maxPartCount);
        CHECK(v.vertexCount <= v.partCount * def.maxHullVertexCount);
        // within what was asked for, but for simplified hulls; only thin curved shells need more
        bool isShell = kind == SD_MODEL_SKULL || kind == SD_MODEL_BOWL || kind == SD_MODEL_NUT;
        CHECK(concavity <= (isShell ? 0.06f : 0.025f));
        sdCompound_Release(compound);
        sdMesh_Release(mesh);
    }
    TestContext_Finish(&test);
}

// Depths are known within a tolerance, so that a part close to the goal may fall on either side of
// it when coordinates are rounded differently.
SD_TEST(decompose_same_at_all_sizes) {
    TestContext test;
    TestContext_Init(&test);
    const sdModelKind kinds[3] = {SD_MODEL_STAR, SD_MODEL_TETRAPOD, SD_MODEL_CHAIN_LINK};
    const float sizes[4] = {1.0f, 1e-6f, 1e6f, 0.37f};
    for (int k = 0; k < 3; ++k) {
        int expected = 0;
        for (int i = 0; i < 4; ++i) {
            sdMesh* mesh;
            REQUIRE(sdModel_Create(&test.context, kinds[k], sizes[i], &mesh) == SD_OK);
            sdDecomposeDef def = sdDecomposeDef_Default();
            def.resolution = 32;
            def.maxConcavity = 0.03f;
            sdCompound* compound;
            float concavity;
            REQUIRE(sdMesh_Decompose(&test.context, mesh, &def, &compound, &concavity) == SD_OK);
            expected = i == 0 ? partCount(compound) : expected;
            CHECK_NEAR(partCount(compound), expected, 1);
            CHECK(concavity <= 0.04f);
            TestVerdict v = TestVerdict_Make(mesh, compound, def.resolution, 500);
            CHECK_INT(v.missedCount, 0);
            sdCompound_Release(compound);
            sdMesh_Release(mesh);
        }
    }
    TestContext_Finish(&test);
}

// Scaling by a power of two rounds nothing and must change nothing.
SD_TEST(decompose_scales_exactly) {
    TestContext test;
    TestContext_Init(&test);
    const float scales[3] = {1.0f, 0x1p-20f, 0x1p20f};
    const sdCompoundChild* children[3];
    sdCompound* compounds[3];
    int counts[3];
    for (int i = 0; i < 3; ++i) {
        TestMesh triangles = {0};
        TestMesh_AddTorus(&triangles, 1.0, 0.25, 20, 10);
        TestMesh_Move(&triangles, scales[i], sdTransform_Identity());
        sdMesh* mesh = makeMesh(&test.context, &triangles);
        sdDecomposeDef def = sdDecomposeDef_Default();
        def.resolution = 32;
        REQUIRE(sdMesh_Decompose(&test.context, mesh, &def, &compounds[i], NULL) == SD_OK);
        children[i] = sdCompound_GetChildren(compounds[i], &counts[i]);
        sdMesh_Release(mesh);
    }
    for (int i = 1; i < 3; ++i) {
        CHECK_INT(counts[i], counts[0]);
        for (int k = 0; k < sdMinI(counts[i], counts[0]); ++k) {
            int a, b;
            const sdVec3* pa = sdHull_GetVertices(children[0][k].shape.hull, &a);
            const sdVec3* pb = sdHull_GetVertices(children[i][k].shape.hull, &b);
            CHECK_INT(a, b);
            for (int v = 0; v < sdMinI(a, b); ++v) {
                sdVec3 p = sdScale(scales[i], pa[v]);
                CHECK(p.x == pb[v].x && p.y == pb[v].y && p.z == pb[v].z);
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        sdCompound_Release(compounds[i]);
    }
    TestContext_Finish(&test);
}

static uint64_t hashParts(const sdCompound* compound) {
    int count;
    const sdCompoundChild* children = sdCompound_GetChildren(compound, &count);
    uint64_t hash = TEST_HASH_START;
    for (int i = 0; i < count; ++i) {
        int vertexCount;
        const sdVec3* vertices = sdHull_GetVertices(children[i].shape.hull, &vertexCount);
        hash = TestHash(hash, vertices, (size_t)vertexCount * sizeof(sdVec3));
    }
    return hash;
}

// Nothing depends on what memory held before, on the pool or on how often it is done.
SD_TEST(decompose_gives_the_same_bits_again) {
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh;
    REQUIRE(sdModel_Create(&test.context, SD_MODEL_CHAIN_LINK, 1.0f, &mesh) == SD_OK);
    sdDecomposeDef def = sdDecomposeDef_Default();
    def.resolution = 32;
    uint64_t hashes[2];
    for (int i = 0; i < 2; ++i) {
        sdScheduler* scheduler;
        REQUIRE(sdScheduler_Create(&test.context, 1 + i, &scheduler) == SD_OK);
        sdContext context = test.context;
        context.tasks = sdScheduler_GetTasks(scheduler);
        sdCompound* compound;
        REQUIRE(sdMesh_Decompose(&context, mesh, &def, &compound, NULL) == SD_OK);
        hashes[i] = hashParts(compound);
        sdCompound_Release(compound);
        sdScheduler_Destroy(scheduler);
    }
    sdTest_Print("hash %016llx", (unsigned long long)hashes[0]);
    CHECK(hashes[0] == hashes[1]);
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

// ---- refusals ------------------------------------------------------------------------------

SD_TEST(decompose_refuses_what_has_no_inside) {
    TestContext test;
    TestContext_Init(&test);
    TestMesh triangles = {0};
    TestMesh_AddBox(&triangles, sdV3(0.0f, 0.0f, 0.0f), sdV3(1.0f, 1.0f, 1.0f));
    triangles.triangleCount--;
    sdMesh* mesh = makeMesh(&test.context, &triangles);
    sdDecomposeDef def = sdDecomposeDef_Default();
    sdCompound* compound = (sdCompound*)&def;
    CHECK_INT(sdMesh_Decompose(&test.context, mesh, &def, &compound, NULL), SD_ERROR_BAD_MESH);
    CHECK(compound == NULL);
    CHECK_TEXT(test.lastError, "sdMesh_Decompose: the mesh is open (3 edges");
    sdMesh_Release(mesh);
    TestMesh inverted = {0};
    TestMesh_AddBox(&inverted, sdV3(0.0f, 0.0f, 0.0f), sdV3(1.0f, 1.0f, 1.0f));
    TestMesh_FlipAll(&inverted, 0, inverted.triangleCount);
    sdMeshDef meshDef = TestMesh_Def(&inverted);
    meshDef.repairs = 0;
    REQUIRE(sdMesh_Create(&test.context, &meshDef, &mesh) == SD_OK);
    CHECK_INT(sdMesh_Decompose(&test.context, mesh, &def, &compound, NULL), SD_ERROR_BAD_MESH);
    CHECK_TEXT(test.lastError, "no inside");
    sdMesh_Release(mesh);
    TestMesh_Free(&inverted);
    TestContext_Finish(&test);
}

SD_TEST(decompose_refuses_bad_settings) {
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh;
    REQUIRE(sdModel_Create(&test.context, SD_MODEL_BOX, 1.0f, &mesh) == SD_OK);
    const sdDecomposeDef good = sdDecomposeDef_Default();
    CHECK(good.maxPartCount == 32 && good.resolution == 64 && good.maxHullVertexCount == 64);
    CHECK(good.maxConcavity == 0.01f);
    const struct {
        sdDecomposeDef def;
        const char* text;
    } cases[] = {
        {{0, 0.01f, 64, 64}, "maxPartCount is 0"},
        {{1025, 0.01f, 64, 64}, "maxPartCount is 1025"},
        {{32, -0.01f, 64, 64}, "maxConcavity"},
        {{32, 1.5f, 64, 64}, "maxConcavity"},
        {{32, TestNaN(), 64, 64}, "maxConcavity"},
        {{32, TestInfinity(), 64, 64}, "maxConcavity"},
        {{32, 0.01f, 7, 64}, "resolution is 7"},
        {{32, 0.01f, 257, 64}, "resolution is 257"},
        {{32, 0.01f, 64, 3}, "maxHullVertexCount is 3"},
        {{32, 0.01f, 64, -1}, "maxHullVertexCount is -1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sdCompound* compound = (sdCompound*)&test;
        CHECK_INT(sdMesh_Decompose(&test.context, mesh, &cases[i].def, &compound, NULL),
                  SD_ERROR_INVALID_ARGUMENT);
        CHECK(compound == NULL);
        CHECK_TEXT(test.lastError, cases[i].text);
    }
    sdCompound* compound;
    CHECK_INT(sdMesh_Decompose(&test.context, NULL, &good, &compound, NULL),
              SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdMesh_Decompose(&test.context, mesh, NULL, &compound, NULL),
              SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdMesh_Decompose(&test.context, mesh, &good, NULL, NULL), SD_ERROR_INVALID_ARGUMENT);
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

static sdResult decomposeOnce(const sdContext* context, void* arg) {
    sdDecomposeDef def = sdDecomposeDef_Default();
    def.resolution = 8;
    def.maxPartCount = 3;
    def.maxHullVertexCount = 10;
    sdCompound* compound;
    sdResult result = sdMesh_Decompose(context, arg, &def, &compound, NULL);
    CHECK((result == SD_OK) == (compound != NULL));
    sdCompound_Release(compound);
    return result;
}

SD_TEST(decompose_survives_no_memory) {
    TestContext test;
    TestContext_Init(&test);
    TestMesh triangles = {0};
    addL(&triangles);
    TestMesh_Move(&triangles, 1.0f, sdTransform_Make(sdV3(1.0f, 0.0f, 0.0f), sdQuat_Identity()));
    TestMesh_AddPrism(&triangles, 0.4, 1.0, 6);
    sdMesh* mesh = makeMesh(&test.context, &triangles);
    int count = TestContext_FailEach(decomposeOnce, mesh);
    sdTest_Print("%d allocations", count);
    CHECK(count > 100);
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

// ---- inside --------------------------------------------------------------------------------

// Kinds of cells against distances and points on triangles.
SD_TEST(decompose_cells_know_their_kind) {
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh;
    REQUIRE(sdModel_Create(&test.context, SD_MODEL_TETRAPOD, 1.0f, &mesh) == SD_OK);
    sdCellGrid grid;
    REQUIRE(sdCellGrid_Build(&grid, &test.context.allocator, mesh, 24));
    int counts[4] = {0};
    for (int i = 0; i < grid.total; ++i) {
        sdVec3 p = sdCellGrid_Center(&grid, i);
        float distance = sdMesh_ClosestPoint(mesh, p, FLT_MAX).distance;
        bool isInside = sdMesh_ContainsByParity(mesh, p);
        counts[grid.kinds[i]]++;
        CHECK_INT(sdCellGrid_Find(&grid, p), i);
        if (grid.kinds[i] == SD_CELL_SURFACE) {
            // half the diagonal, and the slack
            CHECK(distance <= 0.87f * grid.size);
        } else {
            CHECK(distance >= 0.499f * grid.size);
            CHECK(isInside == (grid.kinds[i] == SD_CELL_CORE));
        }
    }
    CHECK(counts[SD_CELL_UNKNOWN] == 0 && counts[SD_CELL_CORE] > 50);
    sdMeshData data = sdMesh_GetData(mesh);
    TestRandom random = TestRandom_Make(4);
    for (int i = 0; i < 5000; ++i) {
        const int32_t* t = data.triangles + 3 * TestRandom_Int(&random, data.triangleCount);
        sdVec3 p =
            sdLerp(data.vertices[t[0]], data.vertices[t[1]], TestRandom_Float(&random, 0.0f, 1.0f));
        p = sdLerp(p, data.vertices[t[2]], TestRandom_Float(&random, 0.0f, 1.0f));
        CHECK_INT(grid.kinds[sdCellGrid_Find(&grid, p)], SD_CELL_SURFACE);
    }
    sdCellGrid_Free(&grid, &test.context.allocator);
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

// The depth of a hull against a dense grid of points in it.
SD_TEST(decompose_depth_is_the_greatest) {
    TestContext test;
    TestContext_Init(&test);
    const sdModelKind kinds[4] = {SD_MODEL_BOWL, SD_MODEL_STAR, SD_MODEL_TORUS, SD_MODEL_SKULL};
    for (int k = 0; k < 4; ++k) {
        sdMesh* mesh;
        REQUIRE(sdModel_Create(&test.context, kinds[k], 1.0f, &mesh) == SD_OK);
        sdDecomposeDef def = sdDecomposeDef_Default();
        def.maxConcavity = 0.0f;
        sdSolid solid;
        REQUIRE(sdSolid_Init(&solid, &test.context, mesh, &def) == SD_OK);
        TestRandom random = TestRandom_Make((uint64_t)k);
        for (int i = 0; i < 5; ++i) {
            // the hull of some of the vertices
            sdVec3 points[40];
            for (int j = 0; j < 40; ++j) {
                points[j] = solid.data.vertices[TestRandom_Int(&random, solid.data.vertexCount)];
            }
            sdHull* hull;
            REQUIRE(sdSolid_MakeHull(&solid, points, 40, 0, &hull) == SD_OK);
            float depth = sdSolid_Depth(&solid, hull, 0.0f, FLT_MAX, 0.0f);
            float deepest = 0.0f;
            sdAABB box = sdHull_GetBounds(hull);
            for (int j = 0; j < 20000; ++j) {
                sdVec3 t = {(float)(j % 27) / 26.0f, (float)(j / 27 % 27) / 26.0f,
                            (float)(j / 729) / 27.0f};
                sdVec3 p = sdAdd(box.lower, sdMul(t, sdSub(box.upper, box.lower)));
                if (j % 10 == 0) {
                    p = TestHull_Sample(hull, &random);
                }
                if (sdHull_Contains(hull, p, 0.0f)) {
                    deepest = sdMaxF(deepest, TestMesh_DepthOutside(mesh, p));
                }
            }
            CHECK(deepest <= depth + solid.tolerance);
            // the samples are some two cells apart
            CHECK(deepest >= depth - 2.0f * solid.grid.size);
            // a floor is kept to, a ceiling ends early
            CHECK(sdSolid_Depth(&solid, hull, 2.0f, FLT_MAX, 0.0f) == 2.0f);
            CHECK(sdSolid_Depth(&solid, hull, 0.0f, 0.01f, 0.0f) > sdMinF(0.01f, 0.9f * depth));
            sdHull_Release(hull);
        }
        sdSolid_Free(&solid);
        sdMesh_Release(mesh);
    }
    TestContext_Finish(&test);
}
