// SPDX-License-Identifier: MIT
// test_mesh_orient.c - which way triangles face: shuffled, nested, one-sided, inside out.

#include "mesh_support.h"

static const sdVec3 origin = {0.0f, 0.0f, 0.0f};

SD_TEST(mesh_orients_what_was_shuffled) {
    TestRandom random = TestRandom_Make(8);
    for (int i = 0; i < 40; ++i) {
        TestMesh mesh = {0};
        if (i % 2 == 0) {
            TestMesh_AddBall(&mesh, sdV3(5.0f, 0.0f, 0.0f), 1.0, 8, 12);
        } else {
            TestMesh_AddTorus(&mesh, 1.0, 0.3, 14, 9);
        }
        int flipped = 0;
        for (int t = 0; t < mesh.triangleCount; ++t) {
            if (TestRandom_Int(&random, 40) < i) {
                TestMesh_Flip(&mesh, t);
                flipped += 1;
            }
        }
        sdMeshReport report = TestMesh_RepairedReport(&mesh);
        CHECK_INT(report.flippedTriangleCount, flipped);
        CHECK(report.isSolid);
        CHECK_INT(report.invertedComponentCount, 0);
        CHECK_INT(report.genus, i % 2);
        TestMesh_Free(&mesh);
    }
}

/// Balls around each other, from the outside in, each facing as told: 1 outward, -1 inward.
static void makeOnion(TestMesh* mesh, const int* facing, int count) {
    for (int i = 0; i < count; ++i) {
        int begin = mesh->triangleCount;
        TestMesh_AddBall(mesh, sdV3(0.02f * (float)i, 0.0f, 0.0f), 1.0 - 0.2 * i, 6, 8);
        if (facing[i] < 0) {
            TestMesh_FlipAll(mesh, begin, mesh->triangleCount);
        }
    }
}

SD_TEST(mesh_cavities_stay_cavities) {
    static const struct {
        int facing[4];
        int expected[4]; ///< after repair
        int inverted;    ///< before repair
        int nested;
    } cases[] = {
        // right already: solid, cavity, solid in it, cavity in that
        {{1, -1, 1, -1}, {1, -1, 1, -1}, 0, 0},
        // all of it inside out
        {{-1, 1, -1, 1}, {1, -1, 1, -1}, 2, 0},
        // a solid in a solid may be meant: left alone, but told
        {{1, 1, 1, 1}, {1, 1, 1, 1}, 0, 3},
        {{-1, -1, -1, -1}, {1, 1, 1, 1}, 4, 0},
        {{1, -1, -1, 1}, {1, -1, -1, 1}, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        TestContext test;
        TestContext_Init(&test);
        TestMesh onion = {0};
        makeOnion(&onion, cases[i].facing, 4);
        sdMeshData data = TestMesh_Data(&onion);
        sdMeshReport before;
        REQUIRE(sdMesh_Inspect(&test.context, &data, false, &before) == SD_OK);
        CHECK_INT(before.componentCount, 4);
        CHECK_INT(before.invertedComponentCount, cases[i].inverted);
        CHECK_INT(before.nestedComponentCount, cases[i].nested);
        CHECK(before.isSolid == (cases[i].inverted == 0));
        sdMeshDef def = TestMesh_Def(&onion);
        sdMesh* mesh = TestMesh_Create(&test.context, &def);
        REQUIRE(mesh != NULL);
        for (int k = 0; k < 4; ++k) {
            // the first triangle of each ball, which faces up when it faces outward
            int t = k * (onion.triangleCount / 4);
            sdVec3 n = sdMesh_PseudoNormal(mesh, t, SD_REGION_FACE);
            CHECK((n.z > 0.0f) == (cases[i].expected[k] > 0));
        }
        sdMesh_Release(mesh);
        TestMesh_Free(&onion);
        TestContext_Finish(&test);
    }
}

SD_TEST(mesh_shuffled_cavities_face_inward) {
    TestRandom random = TestRandom_Make(17);
    TestMesh onion = {0};
    const int facing[] = {1, 1, 1, 1};
    makeOnion(&onion, facing, 4);
    // a second one beside it, right already
    int begin = onion.triangleCount;
    TestMesh_AddBall(&onion, sdV3(5.0f, 0.0f, 0.0f), 1.0, 6, 8);
    for (int t = 0; t < begin; ++t) {
        if (TestRandom_Int(&random, 2) == 0) {
            TestMesh_Flip(&onion, t);
        }
    }
    sdMeshReport report = TestMesh_RepairedReport(&onion);
    CHECK(report.isSolid);
    CHECK_INT(report.invertedComponentCount, 0);
    CHECK_INT(report.nestedComponentCount, 0);
    double ball = 0.0, unit = 0.0;
    for (int i = 0; i < 5; ++i) {
        TestMesh one = {0};
        TestMesh_AddBall(&one, origin, i == 4 ? 1.0 : 1.0 - 0.2 * i, 6, 8);
        unit = TestMesh_RepairedReport(&one).volume;
        ball += i % 2 == 0 ? unit : -unit;
        TestMesh_Free(&one);
    }
    CHECK_NEAR(report.volume, ball, 1e-5);
    TestMesh_Free(&onion);
}

/// A band of n quads around z, half a turn of twist or none.
static void makeBand(TestMesh* mesh, int n, bool isTwisted) {
    for (int i = 0; i < n; ++i) {
        double u = 2.0 * TEST_PI * i / n, half = isTwisted ? 0.5 * u : 0.0;
        for (int k = -1; k <= 1; k += 2) {
            double r = 2.0 + 0.5 * k * TestCos(half);
            TestMesh_AddVertex(mesh, r * TestCos(u), r * TestSin(u), 0.5 * k * TestSin(half));
        }
    }
    for (int i = 0; i < n; ++i) {
        bool isLast = i == n - 1;
        int a = 2 * i, b = 2 * i + 1, c = isLast ? 0 : 2 * i + 2, d = isLast ? 1 : 2 * i + 3;
        if (isLast && isTwisted) {
            c = 1;
            d = 0;
        }
        TestMesh_AddTriangle(mesh, a, b, d);
        TestMesh_AddTriangle(mesh, a, d, c);
    }
}

SD_TEST(mesh_moebius_strip_is_reported_and_left) {
    TestMesh strip = {0}, band = {0};
    makeBand(&strip, 20, true);
    sdMeshReport report = TestMesh_RepairedReport(&strip);
    CHECK(!report.isOriented && !report.isSolid && !report.isClosed && report.isManifold);
    CHECK_INT(report.flippedTriangleCount, 0);
    CHECK_INT(report.misorientedEdgeCount, 1);
    CHECK_INT(report.genus, -1);
    // an open band can be oriented: the fewer triangles turn
    makeBand(&band, 20, false);
    for (int t = 3; t < 12; ++t) {
        TestMesh_Flip(&band, t);
    }
    report = TestMesh_RepairedReport(&band);
    CHECK(report.isOriented && !report.isClosed);
    CHECK_INT(report.flippedTriangleCount, 9);
    // also when the first one is among them
    TestMesh_FlipAll(&band, 0, 12);
    report = TestMesh_RepairedReport(&band);
    CHECK(report.isOriented);
    CHECK_INT(report.flippedTriangleCount, 3);
    TestMesh_Free(&strip);
    TestMesh_Free(&band);
}

SD_TEST(mesh_klein_bottle_is_reported_and_left) {
    // a torus whose tube is turned over before it closes
    const int major = 12, minor = 8;
    TestMesh bottle = {0};
    TestMesh_AddTorus(&bottle, 1.0, 0.3, major, minor);
    for (int t = 2 * minor * (major - 1); t < bottle.triangleCount; ++t) {
        for (int k = 0; k < 3; ++k) {
            int32_t* v = &bottle.triangles[3 * t + k];
            if (*v < minor) {
                *v = (minor - *v) % minor;
            }
        }
    }
    sdMeshReport report = TestMesh_RepairedReport(&bottle);
    CHECK(report.isClosed && report.isManifold && !report.isOriented && !report.isSolid);
    CHECK(report.misorientedEdgeCount > 0);
    CHECK_INT(report.flippedTriangleCount, 0);
    CHECK_INT(report.genus, -1);
    TestMesh_Free(&bottle);
}

SD_TEST(mesh_boxes_that_touch_are_not_inside_each_other) {
    // a slab inside out on top of a box, its underside in the middle of the box's top; and one
    // that hangs from the inside of a box's top
    for (int i = 0; i < 2; ++i) {
        TestMesh boxes = {0};
        TestMesh_AddBox(&boxes, origin, sdV3(4.0f, 4.0f, 4.0f));
        TestMesh_AddBox(&boxes, sdV3(0.3f, 0.1f, i == 0 ? 4.25f : 3.75f), sdV3(2.0f, 2.0f, 0.25f));
        TestMesh_FlipAll(&boxes, 12, 24);
        sdMeshReport report = TestMesh_RepairedReport(&boxes);
        CHECK_INT(report.flippedTriangleCount, i == 0 ? 12 : 0);
        CHECK_NEAR(report.volume, i == 0 ? 520.0 : 504.0, 1e-3);
        CHECK(report.isSolid);
        TestMesh_Free(&boxes);
    }
}

SD_TEST(mesh_turned_sheets_have_no_volume) {
    // both sides of a bent sheet, turned so that sums round
    TestRandom random = TestRandom_Make(6);
    for (int i = 0; i < 10; ++i) {
        TestMesh sheet = {0};
        makeBand(&sheet, 20, false);
        int count = sheet.triangleCount;
        for (int v = 0; v < sheet.vertexCount; ++v) {
            sheet.vertices[v].z = TestRandom_Float(&random, -0.3f, 0.3f);
        }
        for (int t = 0; t < count; ++t) {
            TestMesh_AddTriangle(&sheet, sheet.triangles[3 * t], sheet.triangles[3 * t + 2],
                                 sheet.triangles[3 * t + 1]);
        }
        sdTransform xf = {TestRandom_InBox(&random, 9.0f), TestRandom_Rotation(&random)};
        TestMesh_Move(&sheet, 1.0f, xf);
        sdMeshReport report = TestMesh_RepairedReport(&sheet);
        CHECK(report.isClosed && !report.isSolid);
        CHECK_INT(report.invertedComponentCount, 0);
        CHECK_INT(report.flippedTriangleCount, 0);
        TestMesh_Free(&sheet);
    }
}

SD_TEST(mesh_open_sheets_keep_their_side) {
    // consistent, whatever their volume says
    TestMesh bowl = {0};
    TestMesh_AddBall(&bowl, origin, 1.0, 8, 12);
    bowl.triangleCount = 96;
    TestMesh_FlipAll(&bowl, 0, bowl.triangleCount);
    sdMeshReport report = TestMesh_RepairedReport(&bowl);
    CHECK_INT(report.flippedTriangleCount, 0);
    CHECK_INT(report.invertedComponentCount, 0);
    CHECK(!report.isClosed && report.isOriented);
    TestMesh_Free(&bowl);
}
