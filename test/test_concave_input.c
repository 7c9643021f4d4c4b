// SPDX-License-Identifier: MIT
// Meshes of all sorts as bodies that move: they work, by field or by triangles, or are refused in
// words. Each that works is dropped on a floor, three at a time.

#include "mesh_support.h"
#include "support.h"
#include "world_support.h"

#include "sudar/concave.h"

#include <math.h>

#define STEPS 150

/// What is to become of a mesh.
typedef struct Sort {
    const char* name;
    sdConcaveRoute route; ///< the one to be taken
    const char* words;    ///< in its reason
} Sort;

/// Drop three, which must stay above the floor.
/// @param size across
static void dropThree(const sdConcave* concave, const char* name, float size) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    TestWorld_AddFloor(world, TestWorld_Friction(0.5f));
    sdShapeDef shape = sdShapeDef_Default(sdShape_Concave(concave));
    sdBodyId bodies[3];
    TestRandom random = TestRandom_Make(8);
    for (int i = 0; i < 3; ++i) {
        sdPos at = sdPos_Make(0.1 * (double)size * i, (double)size * (0.8 + 1.1 * i), 0.0);
        bodies[i] =
            TestWorld_AddBody(world, SD_BODY_DYNAMIC, at, TestRandom_Rotation(&random), shape);
    }
    TestWorld_Run(world, STEPS);
    for (int i = 0; i < 3; ++i) {
        sdPos p = sdBody_GetCenter(world, bodies[i]);
        bool isThere = p.y > -0.02 * (double)size && p.y < 4.0 * (double)size &&
                       hypot(p.x, p.z) < 10.0 * (double)size;
        if (!isThere) {
            sdTest_Print("%s: body %d is at %g %g %g", name, i, p.x, p.y, p.z);
        }
        CHECK(isThere);
        CHECK(sdLength(sdBody_GetVelocity(world, bodies[i])) < 3.0f);
    }
    sdWorld_Destroy(world);
}

/// Make it a body, look at the report, and drop three. Frees the triangles.
static void tryMesh(TestMesh* triangles, Sort sort, float size) {
    TestContext test;
    TestContext_Init(&test);
    sdMeshDef def = TestMesh_Def(triangles);
    sdMesh* mesh = TestMesh_Create(&test.context, &def);
    TestMesh_Free(triangles);
    sdConcaveDef concaveDef = sdConcaveDef_Default();
    sdConcave* concave = NULL;
    CHECK_INT(sdConcave_Create(&test.context, mesh, &concaveDef, &concave), SD_OK);
    sdConcaveInfo info = sdConcave_GetInfo(concave);
    sdTest_Print("%s: %s, wall %g", sort.name, info.reason, (double)info.wall);
    CHECK_INT(info.route, sort.route);
    CHECK_TEXT(info.reason, sort.words);
    if (sort.route == SD_CONCAVE_TRIANGLES) {
        CHECK_TEXT(test.lastText, "triangles will collide");
    }
    dropThree(concave, sort.name, size);
    sdConcave_Release(concave);
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

static const sdVec3 origin = {0.0f, 0.0f, 0.0f};

SD_TEST(concave_input_open_box) {
    TestMesh mesh = {0};
    TestMesh_AddBox(&mesh, origin, sdV3(0.5f, 0.5f, 0.5f));
    mesh.triangleCount -= 2;
    tryMesh(&mesh, (Sort){"open box", SD_CONCAVE_TRIANGLES, "open"}, 1.0f);
}

SD_TEST(concave_input_inverted) {
    TestMesh mesh = {0};
    TestMesh_AddTorus(&mesh, 0.35, 0.15, 24, 12);
    TestMesh_FlipAll(&mesh, 0, mesh.triangleCount);
    tryMesh(&mesh, (Sort){"inverted torus", SD_CONCAVE_FIELD, ""}, 1.0f);
}

SD_TEST(concave_input_crossing_itself) {
    TestMesh mesh = {0};
    TestMesh_AddBox(&mesh, sdV3(-0.1f, 0.0f, 0.0f), sdV3(0.3f, 0.2f, 0.2f));
    TestMesh_AddBox(&mesh, sdV3(0.1f, 0.05f, 0.03f), sdV3(0.2f, 0.3f, 0.25f));
    tryMesh(&mesh, (Sort){"two boxes in each other", SD_CONCAVE_FIELD, ""}, 1.0f);
}

SD_TEST(concave_input_of_several_parts) {
    TestMesh mesh = {0};
    TestMesh_AddBall(&mesh, sdV3(-0.3f, 0.0f, 0.0f), 0.2, 8, 12);
    TestMesh_AddBall(&mesh, sdV3(0.3f, 0.0f, 0.0f), 0.2, 8, 12);
    TestMesh_AddBox(&mesh, sdV3(0.0f, 0.4f, 0.0f), sdV3(0.1f, 0.1f, 0.1f));
    tryMesh(&mesh, (Sort){"three parts", SD_CONCAVE_FIELD, ""}, 1.0f);
}

SD_TEST(concave_input_thinner_than_a_cell) {
    TestMesh mesh = {0};
    TestMesh_AddBox(&mesh, origin, sdV3(0.5f, 0.0005f, 0.5f));
    tryMesh(&mesh, (Sort){"sheet of 1 mm", SD_CONCAVE_TRIANGLES, "thin"}, 1.0f);
}

SD_TEST(concave_input_without_volume) {
    TestMesh mesh = {0};
    TestMesh_AddLoose(&mesh, sdV3(-0.5f, 0.0f, -0.5f), sdV3(0.5f, 0.0f, -0.5f),
                      sdV3(0.0f, 0.0f, 0.5f));
    TestMesh_AddLoose(&mesh, sdV3(-0.5f, 0.0f, -0.5f), sdV3(0.0f, 0.0f, 0.5f),
                      sdV3(0.5f, 0.0f, -0.5f));
    tryMesh(&mesh, (Sort){"triangle with two sides", SD_CONCAVE_TRIANGLES, ""}, 1.0f);
}

SD_TEST(concave_input_soup) {
    TestRandom random = TestRandom_Make(3);
    TestMesh mesh = TestMesh_Soup(&random, 60, 0.5f, 0.3f, origin);
    tryMesh(&mesh, (Sort){"soup", SD_CONCAVE_TRIANGLES, ""}, 1.0f);
}

/// A million triangles in `make soak`.
SD_TEST(concave_input_of_many_triangles) {
    int around = TestScale() < 10 ? 100 : 1000;
    TestMesh mesh = {0};
    TestMesh_AddTorus(&mesh, 0.35, 0.15, around, around / 2);
    sdTest_Print("%d triangles", mesh.triangleCount);
    tryMesh(&mesh, (Sort){"fine torus", SD_CONCAVE_FIELD, ""}, 1.0f);
}
