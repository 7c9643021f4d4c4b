// SPDX-License-Identifier: MIT
// test_debug.c - what a viewer asks for: levels, cells, boxes, samples.

#include "support.h"

static sdBodyId addBox(sdWorld* world, sdBodyType type, double x, double y, float half) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = type;
    def.position = sdPos_Make(x, y, 0.0);
    sdBodyId body;
    sdShapeDef shape = sdShapeDef_Default(sdShape_Box(half, 0.5f, half));
    CHECK_INT(sdBody_Create(world, &def, &body), SD_OK);
    CHECK_INT(sdBody_AddShape(world, body, &shape, NULL), SD_OK);
    return body;
}

/// Two columns of unequal height, a lintel on both, and a box in the air.
static sdWorld* makePortal(const sdContext* context) {
    sdWorld* world = NULL;
    if (sdWorld_Create(context, NULL, &world) != SD_OK) {
        return NULL;
    }
    addBox(world, SD_BODY_STATIC, 0.0, -0.5, 10.0f);
    addBox(world, SD_BODY_DYNAMIC, -2.0, 0.5, 0.5f);
    addBox(world, SD_BODY_DYNAMIC, -2.0, 1.5, 0.5f);
    addBox(world, SD_BODY_STATIC, 2.0, 0.5, 0.5f);
    addBox(world, SD_BODY_DYNAMIC, 2.0, 1.5, 0.5f);
    addBox(world, SD_BODY_DYNAMIC, 0.0, 2.5, 3.0f);
    addBox(world, SD_BODY_DYNAMIC, 0.0, 20.0, 0.5f);
    return world;
}

SD_TEST(debug_levels_count_from_the_ground) {
    sdWorld* world = makePortal(NULL);
    CHECK_INT(sdWorld_Step(world, 1.0f / 60.0f), SD_OK);
    static const int expected[7] = {0, 1, 2, 0, 1, 3, 1};
    int levels[7] = {0};
    CHECK_INT(sdWorld_FindLevels(world, levels, 7), SD_OK);
    for (int i = 0; i < 7; ++i) {
        CHECK_INT(levels[i], expected[i]);
    }
    CHECK_INT(sdWorld_FindLevels(NULL, levels, 7), SD_ERROR_INVALID_ARGUMENT);
    sdWorld_Destroy(world);
}

static sdResult findLevels(const sdContext* context, void* arg) {
    (void)arg;
    int levels[7];
    sdWorld* world = NULL;
    sdResult result = sdWorld_Create(context, NULL, &world);
    if (result == SD_OK) {
        result = sdWorld_FindLevels(world, levels, 7);
    }
    sdWorld_Destroy(world);
    return result;
}

SD_TEST(debug_levels_survive_lack_of_memory) {
    CHECK(TestContext_FailEach(findLevels, NULL) > 2);
}

static bool countCell(void* arg, sdAABB box, int depth, int proxyCount) {
    (void)proxyCount;
    CHECK(sdAABB_IsValid(box) && depth >= 0);
    ++*(int*)arg;
    return true;
}

SD_TEST(debug_cells_and_fat_boxes_hold_the_shapes) {
    sdWorld* world = makePortal(NULL);
    CHECK_INT(sdWorld_Step(world, 1.0f / 60.0f), SD_OK);
    int count = 0;
    sdWorld_VisitCells(world, countCell, &count);
    CHECK(count > 0);
    sdBodyId bodies[7];
    CHECK_INT(sdWorld_GetBodies(world, bodies, 7), 7);
    for (int i = 0; i < 7; ++i) {
        sdShapeId shape;
        CHECK_INT(sdBody_GetShapes(world, bodies[i], &shape, 1), 1);
        sdWorldTransform xf = sdBody_GetTransform(world, bodies[i]);
        sdVec3 p = sdV3((float)xf.p.x, (float)xf.p.y, (float)xf.p.z);
        sdAABB box =
            sdShape_GetBounds(&sdShapeId_GetDef(world, shape)->shape, sdTransform_Make(p, xf.q));
        CHECK(sdAABB_Contains(sdShapeId_GetFatBox(world, shape), sdAABB_Grow(box, -1e-4f)));
    }
    CHECK(!sdAABB_IsValid(sdShapeId_GetFatBox(world, 12345u)));
    sdWorld_Destroy(world);
}

SD_TEST(debug_samples_are_corners_and_edges) {
    sdMesh* mesh = NULL;
    sdConcave* concave = NULL;
    sdConcaveDef def = sdConcaveDef_Default();
    REQUIRE(sdModel_Create(NULL, SD_MODEL_STAR, 1.0f, &mesh) == SD_OK);
    REQUIRE(sdConcave_Create(NULL, mesh, &def, &concave) == SD_OK);
    sdConcaveInfo info = sdConcave_GetInfo(concave);
    sdVec3 points[256];
    int count = sdConcave_GetSamples(concave, points, 256);
    CHECK_INT(count, info.vertexCount + info.edgeCount);
    for (int i = 0; i < count; ++i) {
        CHECK(sdMesh_ClosestPoint(mesh, points[i], 1.0f).distance < 1e-4f);
    }
    CHECK_INT(sdConcave_GetSamples(NULL, NULL, 0), 0);
    sdConcave_Release(concave);
    sdMesh_Release(mesh);
}
