// SPDX-License-Identifier: MIT
// test_field_mesh.c - fields built from meshes: signs, scales, faults, workers, mass.

#include "field_shapes.h"

#include <stdlib.h>
#include <string.h>

/// Bodies with holes, handles, cavities, thin walls and sharp edges.
static const sdModelKind bodies[8] = {SD_MODEL_TORUS, SD_MODEL_RING,    SD_MODEL_CHAIN_LINK,
                                      SD_MODEL_NUT,   SD_MODEL_BOWL,    SD_MODEL_SKULL,
                                      SD_MODEL_STAR,  SD_MODEL_TETRAPOD};

// ---- distances -----------------------------------------------------------------------------

/// Where the coarse grid is all that is kept, it must be good enough.
static void compareLayouts(const sdMesh* mesh, const char* name) {
    sdFieldDef def = sdFieldDef_Default();
    def.resolution = 40;
    sdField *sparse, *dense;
    CHECK_INT(sdField_Create(NULL, mesh, &def, &sparse), SD_OK);
    def.layout = SD_FIELD_DENSE;
    CHECK_INT(sdField_Create(NULL, mesh, &def, &dense), SD_OK);
    REQUIRE(sparse != NULL && dense != NULL);
    const int* cells = sparse->grid.cells;
    float h = sparse->grid.cellSize;
    float longest = (float)sdMaxI(cells[0], sdMaxI(cells[1], cells[2]));
    float tolerance = h / longest + 2.0f * sparse->brickScale + dense->coarseScale;
    int wrong = 0, signs = 0, near = 0;
    for (int z = 0; z <= cells[2]; ++z) {
        for (int y = 0; y <= cells[1]; ++y) {
            for (int x = 0; x <= cells[0]; ++x) {
                float a = sdField_GetGridValue(sparse, x, y, z);
                float b = sdField_GetGridValue(dense, x, y, z), size = sdAbsF(b);
                bool isNear = size <= sparse->bandWidth;
                near += isNear ? 1 : 0;
                wrong += isNear && sdAbsF(a - b) > tolerance + 0.125f * size ? 1 : 0;
                signs += size > 2.0f * tolerance && (a < 0.0f) != (b < 0.0f) ? 1 : 0;
            }
        }
    }
    sdTest_Print("%s: %d of %d points near the surface are off, %d signs", name, wrong, near,
                 signs);
    CHECK_INT(wrong, 0);
    CHECK_INT(signs, 0);
    sdField_Release(sparse);
    sdField_Release(dense);
}

SD_TEST(field_layouts_agree_near_any_surface) {
    for (int i = 0; i < 8; ++i) {
        sdMesh* mesh = TestField_Model(bodies[i], 1.0f);
        REQUIRE(mesh != NULL);
        compareLayouts(mesh, sdModel_Name(bodies[i]));
        sdMesh_Release(mesh);
    }
}

SD_TEST(field_values_at_grid_points_are_distances) {
    for (int i = 0; i < 8; ++i) {
        sdMesh* mesh = TestField_Model(bodies[i], 1.0f);
        REQUIRE(mesh != NULL);
        sdField* field = TestField_Make(mesh, 40, SD_FIELD_SIGN_AUTO);
        REQUIRE(field != NULL);
        const int* cells = field->grid.cells;
        TestRandom random = TestRandom_Make(19);
        int wrong = 0;
        for (int k = 0; k < 4000; ++k) {
            int x = TestRandom_Int(&random, cells[0] + 1);
            int y = TestRandom_Int(&random, cells[1] + 1);
            int z = TestRandom_Int(&random, cells[2] + 1);
            sdVec3 p = sdFieldGrid_Point(&field->grid, x, y, z);
            int brick = ((sdMinI(z, cells[2] - 1) / 4) * field->coarseCells[1] +
                         sdMinI(y, cells[1] - 1) / 4) *
                            field->coarseCells[0] +
                        sdMinI(x, cells[0] - 1) / 4;
            float exact = sdMesh_SignedDistance(mesh, p);
            float error = sdAbsF(sdField_GetGridValue(field, x, y, z) - exact);
            wrong += field->bricks[brick] != 0 && error > 0.51f * field->brickScale ? 1 : 0;
        }
        CHECK_INT(wrong, 0);
        sdField_Release(field);
        sdMesh_Release(mesh);
    }
}

SD_TEST(field_outside_of_the_grid_never_exceeds_the_distance) {
    for (int i = 0; i < 8; ++i) {
        sdMesh* mesh = TestField_Model(bodies[i], 1.0f);
        REQUIRE(mesh != NULL);
        sdField* field = TestField_Make(mesh, 32, SD_FIELD_SIGN_AUTO);
        REQUIRE(field != NULL);
        TestRandom random = TestRandom_Make(23);
        double over = -1e30, least = 1e30, h = (double)field->grid.cellSize;
        for (int k = 0; k < 4000; ++k) {
            sdVec3 p = TestRandom_InBox(&random, k % 2 == 0 ? 0.7f : 4.0f);
            int cell[3];
            if (!sdField_FindCell(field, p, cell)) {
                double exact = (double)sdMesh_ClosestPoint(mesh, p, FLT_MAX).distance;
                double d = (double)sdField_Sample(field, p);
                over = fmax(over, (d - exact) / h);
                least = fmin(least, d / exact);
            }
        }
        sdTest_Print("%-10s above the distance by at most %.3f cells, at least %.3f of it",
                     sdModel_Name(bodies[i]), over, least);
        CHECK(over < 0.5);
        CHECK(least > 0.7);
        sdField_Release(field);
        sdMesh_Release(mesh);
    }
}

// ---- signs ---------------------------------------------------------------------------------

/// What 100 000 random points of one body said.
typedef struct SignCount {
    int tested;
    int wrong;            ///< points with the sign of the other side
    double farthestWrong; ///< the largest distance of these from the surface, in cells
} SignCount;

/// The winding number is summed exactly at one point and holds for all of the empty ball around
/// it, in which more points are tested.
static SignCount countSigns(const sdMesh* mesh, const sdField* field) {
    enum { BALLS = 5000, POINTS = 20 };
    sdFieldInfo info = sdField_GetInfo(field);
    sdVec3 half = sdAABB_HalfExtents(info.bounds);
    TestRandom random = TestRandom_Make(17);
    SignCount count = {0};
    for (int i = 0; i < BALLS; ++i) {
        sdVec3 t = TestRandom_InBox(&random, 1.0f);
        sdVec3 center = sdAdd(sdAABB_Center(info.bounds), sdMul(t, half));
        if (i % 2 == 0) {
            // close to the surface, where mistakes would be
            sdMeshPoint nearest = sdMesh_ClosestPoint(mesh, center, FLT_MAX);
            sdVec3 offset = sdScale(2.0f * info.cellSize, TestRandom_InBall(&random));
            center = sdAdd(nearest.point, offset);
        }
        bool isInside = sdMesh_WindingNumber(mesh, center) > 0.5;
        float radius = sdMesh_ClosestPoint(mesh, center, FLT_MAX).distance;
        for (int k = 0; k < POINTS; ++k) {
            float r = 0.999f * radius;
            sdVec3 p = sdAdd(center, sdScale(r, TestRandom_InBall(&random)));
            ++count.tested;
            bool isWrong = (sdField_Sample(field, p) < 0.0f) != isInside;
            if (isWrong) {
                float distance = sdMesh_ClosestPoint(mesh, p, FLT_MAX).distance;
                count.wrong += 1;
                count.farthestWrong = fmax(count.farthestWrong, (double)(distance / info.cellSize));
            }
        }
    }
    return count;
}

SD_TEST(field_signs_are_right_at_random_points) {
    for (int i = 0; i < 8; ++i) {
        sdMesh* mesh = TestField_Model(bodies[i], 1.0f);
        REQUIRE(mesh != NULL);
        sdField* field = TestField_Make(mesh, 64, SD_FIELD_SIGN_AUTO);
        REQUIRE(field != NULL);
        SignCount count = countSigns(mesh, field);
        sdTest_Print("%-10s genus %d: %d points, %d with the sign of the other side, the farthest "
                     "of them %.3f cells from the surface",
                     sdModel_Name(bodies[i]), sdMesh_GetReport(mesh)->genus, count.tested,
                     count.wrong, count.farthestWrong);
        CHECK_INT(sdField_GetInfo(field).sign, SD_FIELD_SIGN_PSEUDO_NORMAL);
        CHECK_INT(count.tested, 100000);
        // trilinear interpolation rounds edges off: a part of a cell, and only there
        CHECK(count.farthestWrong < 0.4);
        CHECK(count.wrong < 1000);
        sdField_Release(field);
        sdMesh_Release(mesh);
    }
}

SD_TEST(field_three_sign_rules_agree_on_solids) {
    for (int i = 0; i < 8; ++i) {
        sdMesh* mesh = TestField_Model(bodies[i], 2.0f);
        REQUIRE(mesh != NULL);
        uint64_t hash[3];
        for (int rule = 0; rule < 3; ++rule) {
            sdFieldSign sign = (sdFieldSign)(SD_FIELD_SIGN_PSEUDO_NORMAL + rule);
            sdField* field = TestField_Make(mesh, 20, sign);
            REQUIRE(field != NULL);
            CHECK_INT(sdField_GetInfo(field).sign, sign);
            // the rule is part of the data
            field->sign = SD_FIELD_SIGN_WINDING;
            hash[rule] = TestField_Hash(field);
            sdField_Release(field);
        }
        CHECK(hash[0] == hash[1] && hash[0] == hash[2]);
        sdMesh_Release(mesh);
    }
}

// ---- meshes with faults --------------------------------------------------------------------

SD_TEST(field_open_mesh_takes_the_winding_number) {
    TestContext test;
    TestContext_Init(&test);
    // a box without its lid
    sdMesh* mesh = TestField_Mesh(testFieldCubeVertices, 8, testFieldCubeTriangles, 10);
    REQUIRE(mesh != NULL);
    sdFieldDef def = sdFieldDef_Default();
    def.resolution = 24;
    sdField* field;
    def.sign = SD_FIELD_SIGN_PSEUDO_NORMAL;
    CHECK_INT(sdField_Create(&test.context, mesh, &def, &field), SD_ERROR_BAD_MESH);
    CHECK_TEXT(test.lastError, "4 boundary edges");
    CHECK(field == NULL);
    def.sign = SD_FIELD_SIGN_PARITY;
    CHECK_INT(sdField_Create(&test.context, mesh, &def, &field), SD_ERROR_BAD_MESH);
    def.sign = SD_FIELD_SIGN_AUTO;
    CHECK_INT(sdField_Create(&test.context, mesh, &def, &field), SD_OK);
    REQUIRE(field != NULL);
    CHECK_TEXT(test.lastText, "winding number");
    CHECK_INT(sdField_GetInfo(field).sign, SD_FIELD_SIGN_WINDING);
    CHECK(sdField_Sample(field, sdV3(0.1f, 0.0f, -0.2f)) < 0.0f);
    CHECK(sdField_Sample(field, sdV3(0.1f, 0.0f, -0.55f)) > 0.0f);
    CHECK(sdField_Sample(field, sdV3(0.1f, 0.0f, 0.55f)) > 0.0f);
    sdField_Release(field);
    sdMesh_Release(mesh);
    // one side of a box winds around nothing by more than one half
    mesh = TestField_Mesh(testFieldCubeVertices, 8, testFieldCubeTriangles, 2);
    REQUIRE(mesh != NULL);
    CHECK_INT(sdField_Create(&test.context, mesh, &def, &field), SD_ERROR_BAD_MESH);
    CHECK_TEXT(test.lastError, "no inside");
    CHECK(field == NULL);
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

SD_TEST(field_small_hole_does_not_matter) {
    sdMesh* whole = TestField_Model(SD_MODEL_SPHERE, 1.0f);
    REQUIRE(whole != NULL);
    sdMeshData data = sdMesh_GetData(whole);
    sdMesh* holed =
        TestField_Mesh(data.vertices, data.vertexCount, data.triangles, data.triangleCount - 1);
    REQUIRE(holed != NULL);
    sdField* a = TestField_Make(whole, 32, SD_FIELD_SIGN_AUTO);
    sdField* b = TestField_Make(holed, 32, SD_FIELD_SIGN_AUTO);
    REQUIRE(a != NULL && b != NULL);
    CHECK_INT(sdField_GetInfo(b).sign, SD_FIELD_SIGN_WINDING);
    TestRandom random = TestRandom_Make(2);
    float h = sdField_GetInfo(a).cellSize;
    int wrong = 0;
    for (int i = 0; i < 20000; ++i) {
        sdVec3 p = TestRandom_InBox(&random, 0.6f);
        float da = sdField_Sample(a, p), db = sdField_Sample(b, p);
        wrong += sdAbsF(da) > h && (da < 0.0f) != (db < 0.0f) ? 1 : 0;
    }
    CHECK_INT(wrong, 0);
    sdField_Release(a);
    sdField_Release(b);
    sdMesh_Release(whole);
    sdMesh_Release(holed);
}

SD_TEST(field_inside_out_mesh_is_refused) {
    TestContext test;
    TestContext_Init(&test);
    int32_t flipped[36];
    for (int i = 0; i < 36; ++i) {
        flipped[i] = testFieldCubeTriangles[i / 3 * 3 + 2 - i % 3];
    }
    sdMeshDef meshDef = sdMeshDef_Default();
    meshDef.data = (sdMeshData){testFieldCubeVertices, 8, flipped, 12};
    meshDef.repairs = 0;
    sdMesh* mesh;
    CHECK_INT(sdMesh_Create(NULL, &meshDef, &mesh), SD_OK);
    REQUIRE(mesh != NULL);
    sdFieldDef def = sdFieldDef_Default();
    def.resolution = 16;
    sdField* field;
    CHECK_INT(sdField_Create(&test.context, mesh, &def, &field), SD_ERROR_BAD_MESH);
    CHECK_TEXT(test.lastError, "SD_MESH_ORIENT");
    def.sign = SD_FIELD_SIGN_PSEUDO_NORMAL;
    CHECK_INT(sdField_Create(&test.context, mesh, &def, &field), SD_ERROR_BAD_MESH);
    // parity does not mind
    def.sign = SD_FIELD_SIGN_PARITY;
    CHECK_INT(sdField_Create(&test.context, mesh, &def, &field), SD_OK);
    CHECK(field != NULL && sdField_Sample(field, sdV3(0.1f, 0.1f, 0.1f)) < 0.0f);
    sdField_Release(field);
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

SD_TEST(field_of_a_hollow_body) {
    // a cube with a closed cavity of half its size
    sdVec3 vertices[16];
    int32_t triangles[72];
    for (int i = 0; i < 8; ++i) {
        vertices[i] = testFieldCubeVertices[i];
        vertices[8 + i] = sdScale(0.5f, testFieldCubeVertices[i]);
    }
    for (int i = 0; i < 36; ++i) {
        triangles[i] = testFieldCubeTriangles[i];
        triangles[36 + i] = testFieldCubeTriangles[i / 3 * 3 + 2 - i % 3] + 8;
    }
    sdMesh* mesh = TestField_Mesh(vertices, 16, triangles, 24);
    REQUIRE(mesh != NULL);
    sdField* field = TestField_Make(mesh, 32, SD_FIELD_SIGN_AUTO);
    REQUIRE(field != NULL);
    CHECK_INT(sdField_GetInfo(field).sign, SD_FIELD_SIGN_PSEUDO_NORMAL);
    TestRandom random = TestRandom_Make(12);
    float h = sdField_GetInfo(field).cellSize;
    int wrong = 0;
    for (int i = 0; i < 20000; ++i) {
        sdVec3 p = TestRandom_InBox(&random, 0.6f), a = sdAbs(p);
        float largest = sdMaxF(a.x, sdMaxF(a.y, a.z));
        bool isInside = largest > 0.25f && largest < 0.5f;
        bool isClear = sdAbsF(largest - 0.25f) > 0.4f * h && sdAbsF(largest - 0.5f) > 0.4f * h;
        wrong += isClear && (sdField_Sample(field, p) < 0.0f) != isInside ? 1 : 0;
    }
    CHECK_INT(wrong, 0);
    sdMassProps mass;
    CHECK_INT(sdField_GetMass(field, 1.0f, &mass), SD_OK);
    CHECK_NEAR(mass.mass, 0.875, 0.01);
    sdField_Release(field);
    sdMesh_Release(mesh);
}

SD_TEST(field_parts_that_cross_are_one_solid) {
    TestContext test;
    TestContext_Init(&test);
    // two cubes, the second moved by (0.4, 0.3, 0.2): in the overlap their pseudo-normals are wrong
    sdVec3 vertices[16];
    int32_t triangles[72];
    for (int i = 0; i < 8; ++i) {
        vertices[i] = testFieldCubeVertices[i];
        vertices[8 + i] = sdAdd(testFieldCubeVertices[i], sdV3(0.4f, 0.3f, 0.2f));
    }
    for (int i = 0; i < 36; ++i) {
        triangles[i] = testFieldCubeTriangles[i];
        triangles[36 + i] = testFieldCubeTriangles[i] + 8;
    }
    sdMesh* mesh = TestField_Mesh(vertices, 16, triangles, 24);
    REQUIRE(mesh != NULL);
    sdFieldDef def = sdFieldDef_Default();
    def.resolution = 32;
    sdField* field;
    CHECK_INT(sdField_Create(&test.context, mesh, &def, &field), SD_OK);
    REQUIRE(field != NULL);
    CHECK_INT(sdField_GetInfo(field).sign, SD_FIELD_SIGN_WINDING);
    TestRandom random = TestRandom_Make(6);
    float h = sdField_GetInfo(field).cellSize;
    int wrong = 0;
    for (int i = 0; i < 20000; ++i) {
        sdVec3 p = TestRandom_InBox(&random, 1.0f);
        sdVec3 a = sdAbs(p), b = sdAbs(sdSub(p, sdV3(0.4f, 0.3f, 0.2f)));
        float da = sdMaxF(a.x, sdMaxF(a.y, a.z)) - 0.5f, db = sdMaxF(b.x, sdMaxF(b.y, b.z)) - 0.5f;
        bool isClear = sdAbsF(da) > h && sdAbsF(db) > h;
        bool isInside = da < 0.0f || db < 0.0f;
        wrong += isClear && (sdField_Sample(field, p) < 0.0f) != isInside ? 1 : 0;
    }
    CHECK_INT(wrong, 0);
    sdField_Release(field);
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

#define FIELD_SLAB_HASH 0x0fc59c046019eb4cull

SD_TEST(field_same_bits_on_every_target) {
    // not a model, so that models may change
    sdQuat tilt = sdNormalizeQ((sdQuat){{0.3f, 0.5f, -0.2f}, 0.7f});
    sdMesh* mesh = TestField_Slab(sdV3(1.0f, 0.7f, 0.4f), tilt, sdV3(0.3f, 0.1f, -0.2f));
    REQUIRE(mesh != NULL);
    sdField* field = TestField_Make(mesh, 24, SD_FIELD_SIGN_AUTO);
    REQUIRE(field != NULL);
    uint64_t hash = TestField_Hash(field);
    sdTest_Print("slab: %016llx", (unsigned long long)hash);
    CHECK(hash == FIELD_SLAB_HASH);
    sdField_Release(field);
    sdMesh_Release(mesh);
}

SD_TEST(field_thin_bodies) {
    TestContext test;
    TestContext_Init(&test);
    sdQuat tilt = sdQuat_FromAxisAngle(sdNormalize(sdV3(1.0f, 2.0f, 0.5f)), 0.7f);
    int tooThin = 0;
    for (float thickness = 1.0f; thickness > 1e-6f; thickness *= 0.25f) {
        for (int turn = 0; turn < 2; ++turn) {
            sdMesh* mesh =
                TestField_Slab(sdV3(1.0f, 1.0f, thickness), turn == 0 ? sdQuat_Identity() : tilt,
                               sdV3(0.0f, 0.0f, 0.0f));
            REQUIRE(mesh != NULL);
            sdFieldDef def = sdFieldDef_Default();
            def.resolution = 32;
            sdField* field;
            sdResult result = sdField_Create(&test.context, mesh, &def, &field);
            CHECK((result == SD_OK) == (field != NULL));
            if (result == SD_OK) {
                // thinner than a cell or not: away from it the sign is right
                CHECK(sdField_Sample(field, sdV3(0.3f, 0.2f, 0.9f)) > 0.0f);
                CHECK(sdField_Sample(field, sdRotate(turn == 0 ? sdQuat_Identity() : tilt,
                                                     sdV3(0.1f, 0.1f, 0.5f * thickness + 0.05f))) >
                      0.0f);
            } else {
                CHECK_INT(result, SD_ERROR_DEGENERATE);
                CHECK_TEXT(test.lastError, "thinner than a cell");
                CHECK(thickness < 0.05f);
                ++tooThin;
            }
            // a slab along the axes always has a plane of grid points in its middle; in the end
            // 11 bits do not tell their depth from 0
            CHECK(turn == 1 || thickness < 2e-4f || result == SD_OK);
            sdField_Release(field);
            sdMesh_Release(mesh);
        }
    }
    sdTest_Print("%d slabs had no grid point inside", tooThin);
    TestContext_Finish(&test);
}
