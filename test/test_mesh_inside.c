// SPDX-License-Identifier: MIT
// test_mesh_inside.c - inside or outside of a mesh: signed distance, parity and winding number
// agree.

#include "geometry/mesh.h"
#include "mesh_support.h"

static void checkInside(const sdMesh* mesh, sdVec3 p, bool withWinding) {
    float distance = sdMesh_SignedDistance(mesh, p);
    if (fabsf(distance) < 1e-5f) {
        return;
    }
    bool isInside = distance < 0.0f;
    CHECK_INT(sdMesh_ContainsByParity(mesh, p), isInside);
    if (withWinding) {
        double winding = sdMesh_WindingNumber(mesh, p);
        CHECK_NEAR(winding, isInside ? 1.0 : 0.0, 1e-9);
        CHECK_NEAR(sdMesh_WindingNumberFast(mesh, p), winding, 0.01);
    }
}

static void checkInsideTests(const TestMesh* data, uint64_t seed) {
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = TestMesh_Build(&test.context, data);
    TestRandom random = TestRandom_Make(seed);
    for (int i = 0; i < 50000; ++i) {
        checkInside(mesh, TestRandom_InBox(&random, 1.5f), i % 50 == 0);
    }
    // rays that meet corners and edges, in the directions of the parity test among others
    const sdVec3 directions[] = {{0.0f, 0.0f, 1.0f},
                                 {1.0f, 0.0f, 0.0f},
                                 {0.0f, 1.0f, 0.0f},
                                 {0.5773f, 0.2113f, 0.7887f},
                                 {-0.3271f, 0.8731f, 0.3617f}};
    for (int t = 0; t < data->triangleCount; ++t) {
        sdVec3 a = TestMesh_Corner(data, t, 0), b = TestMesh_Corner(data, t, 1);
        for (int k = 0; k < 5; ++k) {
            float s = TestRandom_Float(&random, 0.01f, 1.0f);
            checkInside(mesh, sdMulAdd(a, -s, directions[k]), false);
            checkInside(mesh, sdMulAdd(sdLerp(a, b, 0.5f), -s, directions[k]), false);
        }
    }
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

SD_TEST(mesh_query_inside_of_star) {
    TestMesh data = TestMesh_Hills(24, 16, 0.25);
    checkInsideTests(&data, 20);
    TestMesh_Free(&data);
}

SD_TEST(mesh_query_inside_of_torus) {
    TestMesh data = {0};
    TestMesh_AddTorus(&data, 1.0, 0.4, 32, 12);
    checkInsideTests(&data, 21);
    TestMesh_Free(&data);
}

SD_TEST(mesh_query_inside_far_from_the_origin) {
    // coordinates are multiples of 1/16 here
    TestMesh data = TestMesh_Hills(24, 16, 0.25);
    sdVec3 center = {1e6f, -1e6f, 5e5f};
    for (int i = 0; i < data.vertexCount; ++i) {
        data.vertices[i] = sdMulAdd(center, 100.0f, data.vertices[i]);
    }
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = TestMesh_Build(&test.context, &data);
    TestRandom random = TestRandom_Make(23);
    for (int i = 0; i < 3000; ++i) {
        sdVec3 p = sdAdd(center, TestRandom_InBox(&random, 150.0f));
        float distance = sdMesh_SignedDistance(mesh, p);
        if (fabsf(distance) > 0.05f) {
            bool isInside = sdMesh_WindingNumber(mesh, p) > 0.5;
            CHECK_INT(distance < 0.0f, isInside);
            CHECK_INT(sdMesh_ContainsByParity(mesh, p), isInside);
            CHECK_INT(sdMesh_WindingNumberFast(mesh, p) > 0.5f, isInside);
        }
    }
    sdMesh_Release(mesh);
    TestMesh_Free(&data);
    TestContext_Finish(&test);
}

SD_TEST(mesh_query_inside_of_octahedron_on_a_grid) {
    // corners, edges and faces in common with the points and with rays along the axes
    TestMesh data = TestMesh_Hills(4, 2, 0.0);
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = TestMesh_Build(&test.context, &data);
    for (int x = -16; x <= 16; ++x) {
        for (int y = -16; y <= 16; ++y) {
            for (int z = -16; z <= 16; ++z) {
                checkInside(mesh, sdV3((float)x / 16.0f, (float)y / 16.0f, (float)z / 16.0f), true);
            }
        }
    }
    sdMesh_Release(mesh);
    TestMesh_Free(&data);
    TestContext_Finish(&test);
}

SD_TEST(mesh_query_winding_of_large_mesh) {
    TestMesh data = TestMesh_Hills(100, 60, 0.25);
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = TestMesh_Build(&test.context, &data);
    TestRandom random = TestRandom_Make(22);
    double worst = 0.0;
    for (int i = 0; i < 1000; ++i) {
        // near the surface, where errors are largest, and anywhere
        sdVec3 p = TestRandom_InBox(&random, i % 5 == 0 ? 20.0f : 1.5f);
        if (i % 2 == 0) {
            int vertex = TestRandom_Int(&random, mesh->vertexCount);
            p = sdMulAdd(mesh->vertices[vertex], 0.03f, TestRandom_OnSphere(&random));
        }
        double exact = sdMesh_WindingNumber(mesh, p);
        double error = fabs((double)sdMesh_WindingNumberFast(mesh, p) - exact);
        CHECK(fabs(exact) < 1e-9 || fabs(exact - 1.0) < 1e-9);
        worst = error > worst ? error : worst;
    }
    CHECK(worst < 0.01);
    sdTest_Print("largest error of the fast winding number: %.4f", worst);
    sdMesh_Release(mesh);
    TestMesh_Free(&data);
    TestContext_Finish(&test);
}

SD_TEST(mesh_query_winding_of_open_mesh) {
    // one triangle far away: its solid angle is area / distance²
    TestMesh data = {0};
    TestMesh_AddLoose(&data, sdV3(0.0f, 0.0f, 0.0f), sdV3(1.0f, 0.0f, 0.0f),
                      sdV3(0.0f, 1.0f, 0.0f));
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = TestMesh_Build(&test.context, &data);
    sdVec3 far = {0.3f, 0.3f, -1000.0f};
    double expected = 0.5 / 1e6 / (4.0 * 3.14159265358979);
    CHECK_NEAR(sdMesh_WindingNumber(mesh, far), expected, 1e-4 * expected);
    CHECK_NEAR(sdMesh_WindingNumberFast(mesh, far), expected, 1e-3 * expected);
    // just behind the face and just before it
    CHECK_NEAR(sdMesh_WindingNumber(mesh, sdV3(0.3f, 0.3f, -1e-6f)), 0.5, 1e-4);
    CHECK_NEAR(sdMesh_WindingNumberFast(mesh, sdV3(0.3f, 0.3f, 1e-6f)), -0.5, 1e-4);
    CHECK_NEAR(sdMesh_WindingNumber(mesh, sdV3(TestNaN(), 0.0f, 0.0f)), 0.0, 0.0);
    CHECK_NEAR(sdMesh_WindingNumberFast(mesh, sdV3(0.0f, TestInfinity(), 0.0f)), 0.0, 0.0);
    sdMesh_Release(mesh);
    TestMesh_Free(&data);
    TestContext_Finish(&test);
}
