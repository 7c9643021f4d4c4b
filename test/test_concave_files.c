// SPDX-License-Identifier: MIT
// Scanned and modelled bodies of other people as dynamic bodies: OFF files of Debian's
// libcgal-demo, unpacked when the tests are configured and left out where the package is not there.
// Nothing of it is part of this project.

#include "mesh_depth.h"
#include "off_file.h"
#include "world_support.h"

#include "sudar/concave.h"

#include <stdio.h>

#ifdef SD_TEST_MESHES

#define PILE_COUNT 10
#define PITCH 1.8 // m: no two touch, however turned
#define MOST_RATIO 0.02f

/// The longest side becomes 1 m, the middle of the box the origin.
static void normalize(TestMesh* mesh) {
    sdAABB box = sdAABB_Empty();
    for (int i = 0; i < mesh->vertexCount; ++i) {
        box = sdAABB_AddPoint(box, mesh->vertices[i]);
    }
    sdVec3 sides = sdSub(box.upper, box.lower);
    sdVec3 middle = sdScale(0.5f, sdAdd(box.upper, box.lower));
    float scale = 1.0f / sdMaxF(sides.x, sdMaxF(sides.y, sides.z));
    for (int i = 0; i < mesh->vertexCount; ++i) {
        mesh->vertices[i] = sdScale(scale, sdSub(mesh->vertices[i], middle));
    }
}

/// NULL when the file is not there or is no mesh.
static sdMesh* load(const sdContext* context, const char* name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.off", SD_TEST_MESHES, name);
    TestMesh triangles = {0};
    sdMesh* mesh = NULL;
    const char* fault = TestMesh_ReadOff(&triangles, path);
    if (fault != NULL) {
        sdTest_Print("%s: %s", path, fault);
    } else {
        normalize(&triangles);
        sdMeshDef def = TestMesh_Def(&triangles);
        mesh = TestMesh_Create(context, &def);
    }
    TestMesh_Free(&triangles);
    return mesh;
}

/// Ten in a loose column over the floor.
static sdWorld* pileUp(const sdConcave* concave, int count) {
    sdWorld* world = TestWorld_Make(sdWorldDef_Default());
    if (world == NULL) {
        return NULL;
    }
    TestWorld_AddFloor(world, TestWorld_Friction(0.6f));
    TestRandom random = TestRandom_Make(3);
    for (int i = 0; i < count; ++i) {
        sdPos p = sdPos_Make(0.6 * (i % 2), 1.0 + PITCH * (i / 2), 1.8 * (i % 2));
        sdShapeDef shape = sdShapeDef_Default(sdShape_Concave(concave));
        shape.material = TestWorld_Friction(0.6f);
        TestWorld_AddBody(world, SD_BODY_DYNAMIC, p, TestRandom_Rotation(&random), shape);
    }
    return world;
}

static void tryFile(const char* name) {
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = load(&test.context, name);
    if (mesh != NULL) {
        const sdMeshReport* report = sdMesh_GetReport(mesh);
        sdConcaveDef def = sdConcaveDef_Default();
        sdConcave* concave = NULL;
        if (CHECK_INT(sdConcave_Create(&test.context, mesh, &def, &concave), SD_OK)) {
            sdConcaveInfo info = sdConcave_GetInfo(concave);
            sdTest_Print("%s: %d triangles, %s; %s: %s; wall %.4f m, %d KB", name,
                         report->triangleCount, report->isSolid ? "solid" : "not a solid",
                         info.route == SD_CONCAVE_FIELD ? "field" : "triangles", info.reason,
                         (double)info.wall, (int)(info.byteCount / 1000));
            CHECK(info.route == SD_CONCAVE_FIELD || info.route == SD_CONCAVE_TRIANGLES);
            CHECK(info.route == SD_CONCAVE_TRIANGLES || report->isSolid);
            // a surface without inside has no mass to fall with: it refuses to, and says why
            sdWorld* world = report->isSolid ? pileUp(concave, PILE_COUNT) : NULL;
            sdWorldDepth depth = {0};
            if (world != NULL) {
                TestWorld_Run(world, TestScale() < 10 ? 150 : 1200);
                CHECK(sdMeshDepth_OfWorld(world, NULL, 1.0f, 0.004f, &depth));
                sdTest_Print("%s: ten piled up, deepest %.2f %%, %d awake", name,
                             1e2 * (double)depth.ratio, sdWorld_GetStats(world).awakeCount);
                CHECK(depth.ratio < MOST_RATIO);
            }
            sdWorld_Destroy(world);
        }
        sdConcave_Release(concave);
        sdMesh_Release(mesh);
    }
    TestContext_Finish(&test);
}

SD_TEST(concave_file_femur) {
    tryFile("femur");
}
SD_TEST(concave_file_bones) {
    tryFile("bones");
}
SD_TEST(concave_file_elephant) {
    tryFile("elephant");
}
SD_TEST(concave_file_knot) {
    tryFile("knot1");
}
SD_TEST(concave_file_elephant_with_holes) {
    tryFile("elephant-with-holes");
}

#endif

SD_TEST(concave_file_reader_refuses_nonsense) {
    TestMesh mesh = {0};
    CHECK_TEXT(TestMesh_ReadOff(&mesh, "/nowhere/at/all.off"), "cannot be opened");
    TestMesh_Free(&mesh);
}
