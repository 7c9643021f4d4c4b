// SPDX-License-Identifier: MIT
// test_field_mesh.c - fields built from meshes: signs, scales, faults, workers, mass.

#include "geometry/field.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

/// Bodies with holes, handles, cavities, thin walls and sharp edges.
static const sdModelKind bodies[8] = {SD_MODEL_TORUS, SD_MODEL_RING,    SD_MODEL_CHAIN_LINK,
                                      SD_MODEL_NUT,   SD_MODEL_BOWL,    SD_MODEL_SKULL,
                                      SD_MODEL_STAR,  SD_MODEL_TETRAPOD};

static sdMesh* makeModel(sdModelKind kind, float size) {
    sdMesh* mesh = NULL;
    CHECK_INT(sdModel_Create(NULL, kind, size, &mesh), SD_OK);
    return mesh;
}

static sdMesh* makeMesh(const sdVec3* vertices, int vertexCount, const int32_t* triangles,
                        int triangleCount) {
    sdMeshDef def = sdMeshDef_Default();
    def.data = (sdMeshData){vertices, vertexCount, triangles, triangleCount};
    sdMesh* mesh = NULL;
    CHECK_INT(sdMesh_Create(NULL, &def, &mesh), SD_OK);
    return mesh;
}

static sdField* makeField(const sdMesh* mesh, int resolution, sdFieldSign sign) {
    sdFieldDef def = sdFieldDef_Default();
    def.resolution = resolution;
    def.sign = sign;
    sdField* field = NULL;
    CHECK_INT(sdField_Create(NULL, mesh, &def, &field), SD_OK);
    return field;
}

static uint64_t hashField(const sdField* field) {
    size_t size = 0;
    CHECK_INT(sdField_Write(field, NULL, &size), SD_OK);
    uint8_t* data = malloc(size);
    CHECK_INT(sdField_Write(field, data, &size), SD_OK);
    uint64_t hash = TestHash(TEST_HASH_START, data, size);
    free(data);
    return hash;
}

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
        sdMesh* mesh = makeModel(bodies[i], 1.0f);
        REQUIRE(mesh != NULL);
        compareLayouts(mesh, sdModel_Name(bodies[i]));
        sdMesh_Release(mesh);
    }
}

SD_TEST(field_values_at_grid_points_are_distances) {
    for (int i = 0; i < 8; ++i) {
        sdMesh* mesh = makeModel(bodies[i], 1.0f);
        REQUIRE(mesh != NULL);
        sdField* field = makeField(mesh, 40, SD_FIELD_SIGN_AUTO);
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
        sdMesh* mesh = makeModel(bodies[i], 1.0f);
        REQUIRE(mesh != NULL);
        sdField* field = makeField(mesh, 32, SD_FIELD_SIGN_AUTO);
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
        sdMesh* mesh = makeModel(bodies[i], 1.0f);
        REQUIRE(mesh != NULL);
        sdField* field = makeField(mesh, 64, SD_FIELD_SIGN_AUTO);
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
        sdMesh* mesh = makeModel(bodies[i], 2.0f);
        REQUIRE(mesh != NULL);
        uint64_t hash[3];
        for (int rule = 0; rule < 3; ++rule) {
            sdFieldSign sign = (sdFieldSign)(SD_FIELD_SIGN_PSEUDO_NORMAL + rule);
            sdField* field = makeField(mesh, 20, sign);
            REQUIRE(field != NULL);
            CHECK_INT(sdField_GetInfo(field).sign, sign);
            // the rule is part of the data
            field->sign = SD_FIELD_SIGN_WINDING;
            hash[rule] = hashField(field);
            sdField_Release(field);
        }
        CHECK(hash[0] == hash[1] && hash[0] == hash[2]);
        sdMesh_Release(mesh);
    }
}

// ---- meshes with faults --------------------------------------------------------------------

static const sdVec3 cubeVertices[8] = {
    {-0.5f, -0.5f, -0.5f}, {0.5f, -0.5f, -0.5f}, {-0.5f, 0.5f, -0.5f}, {0.5f, 0.5f, -0.5f},
    {-0.5f, -0.5f, 0.5f},  {0.5f, -0.5f, 0.5f},  {-0.5f, 0.5f, 0.5f},  {0.5f, 0.5f, 0.5f}};
/// The top, z = 0.5, comes last.
static const int32_t cubeTriangles[36] = {0, 2, 1, 1, 2, 3, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7,
                                          0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5, 4, 5, 6, 5, 7, 6};

SD_TEST(field_open_mesh_takes_the_winding_number) {
    TestContext test;
    TestContext_Init(&test);
    // a box without its lid
    sdMesh* mesh = makeMesh(cubeVertices, 8, cubeTriangles, 10);
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
    mesh = makeMesh(cubeVertices, 8, cubeTriangles, 2);
    REQUIRE(mesh != NULL);
    CHECK_INT(sdField_Create(&test.context, mesh, &def, &field), SD_ERROR_BAD_MESH);
    CHECK_TEXT(test.lastError, "no inside");
    CHECK(field == NULL);
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

SD_TEST(field_small_hole_does_not_matter) {
    sdMesh* whole = makeModel(SD_MODEL_SPHERE, 1.0f);
    REQUIRE(whole != NULL);
    sdMeshData data = sdMesh_GetData(whole);
    sdMesh* holed =
        makeMesh(data.vertices, data.vertexCount, data.triangles, data.triangleCount - 1);
    REQUIRE(holed != NULL);
    sdField* a = makeField(whole, 32, SD_FIELD_SIGN_AUTO);
    sdField* b = makeField(holed, 32, SD_FIELD_SIGN_AUTO);
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
        flipped[i] = cubeTriangles[i / 3 * 3 + 2 - i % 3];
    }
    sdMeshDef meshDef = sdMeshDef_Default();
    meshDef.data = (sdMeshData){cubeVertices, 8, flipped, 12};
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
        vertices[i] = cubeVertices[i];
        vertices[8 + i] = sdScale(0.5f, cubeVertices[i]);
    }
    for (int i = 0; i < 36; ++i) {
        triangles[i] = cubeTriangles[i];
        triangles[36 + i] = cubeTriangles[i / 3 * 3 + 2 - i % 3] + 8;
    }
    sdMesh* mesh = makeMesh(vertices, 16, triangles, 24);
    REQUIRE(mesh != NULL);
    sdField* field = makeField(mesh, 32, SD_FIELD_SIGN_AUTO);
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
        vertices[i] = cubeVertices[i];
        vertices[8 + i] = sdAdd(cubeVertices[i], sdV3(0.4f, 0.3f, 0.2f));
    }
    for (int i = 0; i < 36; ++i) {
        triangles[i] = cubeTriangles[i];
        triangles[36 + i] = cubeTriangles[i] + 8;
    }
    sdMesh* mesh = makeMesh(vertices, 16, triangles, 24);
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

/// A cube stretched and turned.
static sdMesh* makeSlab(sdVec3 size, sdQuat rotation, sdVec3 offset) {
    sdVec3 vertices[8];
    for (int i = 0; i < 8; ++i) {
        vertices[i] = sdAdd(sdRotate(rotation, sdMul(size, cubeVertices[i])), offset);
    }
    return makeMesh(vertices, 8, cubeTriangles, 12);
}

#define FIELD_SLAB_HASH 0x0fc59c046019eb4cull

SD_TEST(field_same_bits_on_every_target) {
    // not a model, so that models may change
    sdQuat tilt = sdNormalizeQ((sdQuat){{0.3f, 0.5f, -0.2f}, 0.7f});
    sdMesh* mesh = makeSlab(sdV3(1.0f, 0.7f, 0.4f), tilt, sdV3(0.3f, 0.1f, -0.2f));
    REQUIRE(mesh != NULL);
    sdField* field = makeField(mesh, 24, SD_FIELD_SIGN_AUTO);
    REQUIRE(field != NULL);
    uint64_t hash = hashField(field);
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
            sdMesh* mesh = makeSlab(sdV3(1.0f, 1.0f, thickness),
                                    turn == 0 ? sdQuat_Identity() : tilt, sdV3(0.0f, 0.0f, 0.0f));
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

// ---- sizes, limits, arguments --------------------------------------------------------------

SD_TEST(field_of_any_size_is_the_same) {
    sdMesh* mesh = makeModel(SD_MODEL_RING, 1.0f);
    REQUIRE(mesh != NULL);
    sdField* field = makeField(mesh, 32, SD_FIELD_SIGN_AUTO);
    sdMeshData data = sdMesh_GetData(mesh);
    sdVec3* vertices = malloc((size_t)data.vertexCount * sizeof(sdVec3));
    REQUIRE(field != NULL && vertices != NULL);
    const float sizes[] = {1e-6f, 1e-3f, 1e3f, 1e6f};
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < data.vertexCount; ++i) {
            vertices[i] = sdScale(sizes[k], data.vertices[i]);
        }
        sdMesh* scaled = makeMesh(vertices, data.vertexCount, data.triangles, data.triangleCount);
        REQUIRE(scaled != NULL);
        sdField* other = makeField(scaled, 32, SD_FIELD_SIGN_AUTO);
        REQUIRE(other != NULL);
        CHECK_INT(sdField_GetInfo(other).brickCount, sdField_GetInfo(field).brickCount);
        TestRandom random = TestRandom_Make(8);
        double worst = 0.0, h = (double)sdField_GetInfo(field).cellSize;
        for (int i = 0; i < 5000; ++i) {
            sdVec3 p = TestRandom_InBox(&random, 1.0f);
            double a = (double)sdField_Sample(field, p);
            double b = (double)(sdField_Sample(other, sdScale(sizes[k], p)) / sizes[k]);
            worst = fmax(worst, fabs(a - b) / h);
        }
        CHECK(worst < 1e-3);
        sdField_Release(other);
        sdMesh_Release(scaled);
    }
    free(vertices);
    sdField_Release(field);
    sdMesh_Release(mesh);
}

static sdResult createWith(TestContext* test, const sdMesh* mesh, sdFieldDef def) {
    sdField* field = NULL;
    sdResult result = sdField_Create(&test->context, mesh, &def, &field);
    CHECK((result == SD_OK) == (field != NULL));
    sdField_Release(field);
    return result;
}

SD_TEST(field_arguments_out_of_range) {
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = makeModel(SD_MODEL_BOX, 1.0f);
    REQUIRE(mesh != NULL);
    const sdFieldDef def = sdFieldDef_Default();
    sdField* field;
    CHECK_INT(sdField_Create(&test.context, NULL, &def, &field), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdField_Create(&test.context, mesh, NULL, &field), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdField_Create(&test.context, mesh, &def, NULL), SD_ERROR_INVALID_ARGUMENT);
    sdFieldDef bad[9] = {def, def, def, def, def, def, def, def, def};
    bad[0].resolution = SD_FIELD_MIN_RESOLUTION - 1;
    bad[1].resolution = SD_FIELD_MAX_RESOLUTION + 1;
    bad[2].cellSize = -1.0f;
    bad[3].cellSize = TestNaN();
    bad[4].cellSize = TestInfinity();
    bad[5].marginCells = 0;
    bad[6].marginCells = SD_FIELD_MAX_MARGIN + 1;
    bad[7].sign = (sdFieldSign)9;
    bad[8].layout = (sdFieldLayout)-1;
    for (int i = 0; i < 9; ++i) {
        CHECK_INT(createWith(&test, mesh, bad[i]), SD_ERROR_INVALID_ARGUMENT);
    }
    sdFieldDef small = def;
    small.cellSize = 1.0f / 1100.0f;
    CHECK_INT(createWith(&test, mesh, small), SD_ERROR_LIMIT);
    CHECK_TEXT(test.lastError, "at most 1024");
    small.cellSize = 1e-13f;
    CHECK_INT(createWith(&test, mesh, small), SD_ERROR_LIMIT);
    // larger than the body
    sdFieldDef large = def;
    large.cellSize = 0.9f;
    CHECK_INT(createWith(&test, mesh, large), SD_OK);
    large.marginCells = SD_FIELD_MAX_MARGIN;
    CHECK_INT(createWith(&test, mesh, large), SD_OK);
    sdMesh_Release(mesh);
    // too far from the origin for its size
    mesh = makeSlab(sdV3(1.0f, 1.0f, 1.0f), sdQuat_Identity(), sdV3(1e5f, 0.0f, 0.0f));
    REQUIRE(mesh != NULL);
    CHECK_INT(createWith(&test, mesh, def), SD_ERROR_LIMIT);
    CHECK_TEXT(test.lastError, "move the mesh to the origin");
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

SD_TEST(field_resolution_is_kept) {
    sdMesh* mesh = makeSlab(sdV3(1.0f, 0.02f, 0.02f), sdQuat_Identity(), sdV3(3.0f, 2.0f, 1.0f));
    REQUIRE(mesh != NULL);
    for (int resolution = 4; resolution <= 1024; resolution *= 4) {
        sdFieldDef def = sdFieldDef_Default();
        def.resolution = resolution;
        def.marginCells = 3;
        sdField* field;
        CHECK_INT(sdField_Create(NULL, mesh, &def, &field), SD_OK);
        REQUIRE(field != NULL);
        sdFieldInfo info = sdField_GetInfo(field);
        CHECK_NEAR(info.cellSize, 1.0 / resolution, 1e-6);
        CHECK(info.cells[0] >= resolution + 6 && info.cells[0] < resolution + 10);
        // the body's box and its margin lie in the grid, in the middle
        sdAABB body = sdAABB_Grow(sdMesh_GetBounds(mesh), 2.999f * info.cellSize);
        CHECK(sdAABB_Contains(info.bounds, body));
        CHECK_NEAR(sdAABB_Center(info.bounds).y, 2.0, 1e-5);
        CHECK(sdField_Sample(field, sdV3(3.0f, 2.0f, 1.0f)) < 0.0f);
        sdField_Release(field);
    }
    sdMesh_Release(mesh);
}

// ---- memory and workers --------------------------------------------------------------------

static sdResult createAction(const sdContext* context, void* arg) {
    sdFieldDef def = sdFieldDef_Default();
    def.resolution = 8;
    sdField* field = NULL;
    sdResult result = sdField_Create(context, arg, &def, &field);
    def.layout = SD_FIELD_DENSE;
    sdField* dense = NULL;
    result = result != SD_OK ? result : sdField_Create(context, arg, &def, &dense);
    sdField_Release(field);
    sdField_Release(dense);
    return result;
}

SD_TEST(field_no_memory_for_building) {
    sdMesh* mesh = makeModel(SD_MODEL_TORUS, 1.0f);
    REQUIRE(mesh != NULL);
    CHECK(TestContext_FailEach(createAction, mesh) >= 4);
    sdMesh_Release(mesh);
}

/// A task system that runs every item alone and from the end.
static void backwardsFor(void* user, sdTaskFcn* task, void* arg, int count, int grain) {
    (void)user;
    (void)grain;
    for (int i = count - 1; i >= 0; --i) {
        task(arg, i, i + 1, i % 3);
    }
}

SD_TEST(field_same_bits_for_any_number_of_workers) {
    sdMesh* mesh = makeModel(SD_MODEL_BOWL, 1.0f);
    REQUIRE(mesh != NULL);
    for (int layout = SD_FIELD_SPARSE; layout <= SD_FIELD_DENSE; ++layout) {
        sdFieldDef def = sdFieldDef_Default();
        def.resolution = 24;
        def.layout = (sdFieldLayout)layout;
        uint64_t hash[3];
        for (int way = 0; way < 3; ++way) {
            sdContext context = sdContext_Default();
            sdScheduler* scheduler = NULL;
            if (way == 1) {
                context.tasks = (sdTaskSystem){backwardsFor, NULL, 3};
            } else if (way == 2) {
                CHECK_INT(sdScheduler_Create(NULL, 4, &scheduler), SD_OK);
                context.tasks = sdScheduler_GetTasks(scheduler);
            }
            sdField* field;
            CHECK_INT(sdField_Create(&context, mesh, &def, &field), SD_OK);
            REQUIRE(field != NULL);
            hash[way] = hashField(field);
            sdField_Release(field);
            sdScheduler_Destroy(scheduler);
        }
        CHECK(hash[0] == hash[1] && hash[0] == hash[2]);
    }
    sdMesh_Release(mesh);
}

// ---- mass (A3) -----------------------------------------------------------------------------

typedef struct MassError {
    double mass, center, inertia;
} MassError;

static MassError compareMass(const sdMesh* mesh, int resolution) {
    sdField* field = makeField(mesh, resolution, SD_FIELD_SIGN_AUTO);
    sdMassProps a, b;
    CHECK_INT(sdMesh_GetMass(mesh, 1000.0f, &a), SD_OK);
    CHECK_INT(sdField_GetMass(field, 1000.0f, &b), SD_OK);
    CHECK(sdMassProps_IsValid(b));
    sdField_Release(field);
    double size = (double)a.inertia.cx.x + (double)a.inertia.cy.y + (double)a.inertia.cz.z;
    sdVec3 dx = sdSub(a.inertia.cx, b.inertia.cx), dy = sdSub(a.inertia.cy, b.inertia.cy);
    sdVec3 dz = sdSub(a.inertia.cz, b.inertia.cz);
    double sum = (double)(sdDot(dx, dx) + sdDot(dy, dy) + sdDot(dz, dz));
    return (MassError){fabs((double)(a.mass - b.mass)) / (double)a.mass,
                       (double)sdLength(sdSub(a.center, b.center)), sqrt(sum) / size};
}

SD_TEST(field_mass_converges_to_that_of_the_mesh) {
    sdQuat tilt = sdQuat_FromAxisAngle(sdNormalize(sdV3(1.0f, 2.0f, 0.5f)), 0.7f);
    for (int i = 0; i < 4; ++i) {
        static const char* const names[4] = {"tilted box", "torus", "bowl", "skull"};
        sdMesh* mesh = i == 0   ? makeSlab(sdV3(1.0f, 0.7f, 0.4f), tilt, sdV3(0.3f, 0.1f, -0.2f))
                       : i == 1 ? makeModel(SD_MODEL_TORUS, 1.0f)
                       : i == 2 ? makeModel(SD_MODEL_BOWL, 1.0f)
                                : makeModel(SD_MODEL_SKULL, 1.0f);
        REQUIRE(mesh != NULL);
        MassError coarse = compareMass(mesh, 16), fine = compareMass(mesh, 64);
        double order = 0.5 * log2(coarse.mass / fine.mass);
        double inertiaOrder = 0.5 * log2(coarse.inertia / fine.inertia);
        sdTest_Print("%-10s mass off by %.3f %% at 16 cells, %.4f %% at 64: order %.2f; inertia "
                     "%.3f %%, %.4f %%: order %.2f; centre %.5f m",
                     names[i], 100.0 * coarse.mass, 100.0 * fine.mass, order,
                     100.0 * coarse.inertia, 100.0 * fine.inertia, inertiaOrder, fine.center);
        CHECK(order > 1.7);
        CHECK(inertiaOrder > 1.7);
        CHECK(fine.mass < 0.004 && fine.inertia < 0.004 && fine.center < 1e-3);
        sdMesh_Release(mesh);
    }
}

SD_TEST(field_mass_of_aligned_box_is_nearly_exact) {
    sdMesh* mesh = makeModel(SD_MODEL_BOX, 1.0f);
    REQUIRE(mesh != NULL);
    MassError error = compareMass(mesh, 32);
    sdTest_Print("box: mass off by %.4f %%", 100.0 * error.mass);
    CHECK(error.mass < 0.004 && error.center < 1e-5);
    sdMesh_Release(mesh);
}

SD_TEST(field_mass_density_out_of_range) {
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = makeModel(SD_MODEL_BOX, 1.0f);
    REQUIRE(mesh != NULL);
    sdFieldDef def = sdFieldDef_Default();
    def.resolution = 8;
    sdField* field;
    CHECK_INT(sdField_Create(&test.context, mesh, &def, &field), SD_OK);
    REQUIRE(field != NULL);
    sdMassProps out;
    CHECK_INT(sdField_GetMass(NULL, 1.0f, &out), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdField_GetMass(field, 1.0f, NULL), SD_ERROR_INVALID_ARGUMENT);
    const float bad[] = {0.0f, -1.0f, TestNaN(), TestInfinity()};
    for (int i = 0; i < 4; ++i) {
        CHECK_INT(sdField_GetMass(field, bad[i], &out), SD_ERROR_INVALID_ARGUMENT);
        CHECK_TEXT(test.lastError, "density");
        CHECK(out.mass == 0.0f);
    }
    sdField_Release(field);
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}
