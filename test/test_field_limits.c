// SPDX-License-Identifier: MIT
// test_field_limits.c - fields of any size, arguments, memory, workers, and their mass.

#include "field_shapes.h"

#include <stdlib.h>
#include <string.h>

// ---- sizes, limits, arguments --------------------------------------------------------------

SD_TEST(field_of_any_size_is_the_same) {
    sdMesh* mesh = TestField_Model(SD_MODEL_RING, 1.0f);
    REQUIRE(mesh != NULL);
    sdField* field = TestField_Make(mesh, 32, SD_FIELD_SIGN_AUTO);
    sdMeshData data = sdMesh_GetData(mesh);
    sdVec3* vertices = malloc((size_t)data.vertexCount * sizeof(sdVec3));
    REQUIRE(field != NULL && vertices != NULL);
    const float sizes[] = {1e-6f, 1e-3f, 1e3f, 1e6f};
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < data.vertexCount; ++i) {
            vertices[i] = sdScale(sizes[k], data.vertices[i]);
        }
        sdMesh* scaled =
            TestField_Mesh(vertices, data.vertexCount, data.triangles, data.triangleCount);
        REQUIRE(scaled != NULL);
        sdField* other = TestField_Make(scaled, 32, SD_FIELD_SIGN_AUTO);
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
    sdMesh* mesh = TestField_Model(SD_MODEL_BOX, 1.0f);
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
    mesh = TestField_Slab(sdV3(1.0f, 1.0f, 1.0f), sdQuat_Identity(), sdV3(1e5f, 0.0f, 0.0f));
    REQUIRE(mesh != NULL);
    CHECK_INT(createWith(&test, mesh, def), SD_ERROR_LIMIT);
    CHECK_TEXT(test.lastError, "move the mesh to the origin");
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

SD_TEST(field_resolution_is_kept) {
    sdMesh* mesh =
        TestField_Slab(sdV3(1.0f, 0.02f, 0.02f), sdQuat_Identity(), sdV3(3.0f, 2.0f, 1.0f));
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
    sdMesh* mesh = TestField_Model(SD_MODEL_TORUS, 1.0f);
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
    sdMesh* mesh = TestField_Model(SD_MODEL_BOWL, 1.0f);
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
            hash[way] = TestField_Hash(field);
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
    sdField* field = TestField_Make(mesh, resolution, SD_FIELD_SIGN_AUTO);
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
        sdMesh* mesh = i == 0
                           ? TestField_Slab(sdV3(1.0f, 0.7f, 0.4f), tilt, sdV3(0.3f, 0.1f, -0.2f))
                       : i == 1 ? TestField_Model(SD_MODEL_TORUS, 1.0f)
                       : i == 2 ? TestField_Model(SD_MODEL_BOWL, 1.0f)
                                : TestField_Model(SD_MODEL_SKULL, 1.0f);
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
    sdMesh* mesh = TestField_Model(SD_MODEL_BOX, 1.0f);
    REQUIRE(mesh != NULL);
    MassError error = compareMass(mesh, 32);
    sdTest_Print("box: mass off by %.4f %%", 100.0 * error.mass);
    CHECK(error.mass < 0.004 && error.center < 1e-5);
    sdMesh_Release(mesh);
}

SD_TEST(field_mass_density_out_of_range) {
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = TestField_Model(SD_MODEL_BOX, 1.0f);
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
