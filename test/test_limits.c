// SPDX-License-Identifier: MIT
// test_limits.c - what happens at the limits that docs/limits.md states.

#include "world_support.h"

#include "base/id_pool.h"
#include "sudar/snapshot.h"

SD_TEST(limits_of_pairs_are_told_and_gone_back_from) {
    TestContext test;
    TestContext_Init(&test);
    sdWorldDef def = sdWorldDef_Default();
    def.broadphase.maxPairs = 4;
    sdWorld* world = NULL;
    CHECK_INT(sdWorld_Create(&test.context, &def, &world), SD_OK);
    sdBodyId bodies[6];
    for (int i = 0; i < 6; ++i) {
        bodies[i] =
            TestWorld_AddDynamic(world, sdPos_Make(0.1 * i, 0.0, 0.0), TestWorld_BoxOf(0.5f));
    }
    uint64_t before = sdWorld_GetHash(world);
    CHECK_INT(sdWorld_Step(world, DT), SD_ERROR_LIMIT);
    CHECK_TEXT(test.lastError, "maxPairs = 4");
    CHECK(sdWorld_GetHash(world) == before);
    CHECK(sdWorld_GetTime(world) == 0.0);
    for (int i = 3; i < 6; ++i) {
        CHECK_INT(sdBody_Destroy(world, bodies[i]), SD_OK);
    }
    CHECK_INT(sdWorld_Step(world, DT), SD_OK);
    CHECK_INT(sdWorld_GetStats(world).pairCount, 3);
    sdWorld_Destroy(world);
    TestContext_Finish(&test);
}

/// A slot has 255 ids, one after the other, and then rests: no id ever means another body.
SD_TEST(limits_of_ids_never_give_one_twice) {
    enum { ROUNDS = 1000 };
    sdWorld* world = TestWorld_Make(sdWorldDef_Default());
    sdBodyDef def = sdBodyDef_Default();
    sdBodyId first, last = SD_NULL_BODY;
    CHECK_INT(sdBody_Create(world, &def, &first), SD_OK);
    CHECK_INT(sdBody_Destroy(world, first), SD_OK);
    for (int i = 0; i < ROUNDS; ++i) {
        sdBodyId body;
        CHECK_INT(sdBody_Create(world, &def, &body), SD_OK);
        CHECK(body != first && body != last);
        CHECK(!sdBody_IsValid(world, first) && !sdBody_IsValid(world, last));
        CHECK_INT(sdBody_Destroy(world, body), SD_OK);
        last = body;
    }
    sdWorld_Destroy(world);
}

SD_TEST(limits_of_counts_are_refused_before_anything_is_read) {
    TestContext test;
    TestContext_Init(&test);
    const sdContext* context = &test.context;
    // arrays that are not there: whoever looked at them would crash
    static const sdVec3 point = {0.0f, 0.0f, 0.0f};
    static const int32_t triangle[3] = {0, 0, 0};
    sdMeshDef mesh = sdMeshDef_Default();
    mesh.data = (sdMeshData){&point, SD_MESH_MAX_VERTICES + 1, triangle, 1};
    sdMesh* noMesh = NULL;
    CHECK_INT(sdMesh_Create(context, &mesh, &noMesh), SD_ERROR_LIMIT);
    mesh.data = (sdMeshData){&point, 1, triangle, SD_MESH_MAX_TRIANGLES + 1};
    CHECK_INT(sdMesh_Create(context, &mesh, &noMesh), SD_ERROR_LIMIT);
    sdHullDef hull = sdHullDef_Default();
    hull.points = &point;
    hull.pointCount = (1 << 27) + 1;
    sdHull* noHull = NULL;
    CHECK_INT(sdHull_Create(context, &hull, &noHull), SD_ERROR_LIMIT);
    static const sdCompoundChild child;
    sdCompound* noCompound = NULL;
    CHECK(sdCompound_Create(context, &child, SD_COMPOUND_MAX_CHILDREN + 1, &noCompound) != SD_OK);
    sdHistory* noHistory = NULL;
    CHECK_INT(sdHistory_Create(context, SD_HISTORY_MAX_COUNT + 1, &noHistory),
              SD_ERROR_INVALID_ARGUMENT);
    sdScheduler* noScheduler = NULL;
    CHECK_INT(sdScheduler_Create(context, SD_MAX_WORKERS + 1, &noScheduler),
              SD_ERROR_INVALID_ARGUMENT);
    CHECK(noMesh == NULL && noHull == NULL && noCompound == NULL && noHistory == NULL &&
          noScheduler == NULL);
    TestContext_Finish(&test);
}

SD_TEST(limits_of_sizes_and_speeds_hold) {
    sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
    sdBodyDef def = sdBodyDef_Default();
    sdBodyId body;
    def.position = sdPos_Make(1.001 * SD_MAX_COORDINATE, 0.0, 0.0);
    CHECK_INT(sdBody_Create(world, &def, &body), SD_ERROR_INVALID_ARGUMENT);
    def.position = sdPos_Make(0.0, 0.0, 0.0);
    def.type = SD_BODY_DYNAMIC;
    def.velocity = sdV3(1.001f * SD_MAX_SPEED, 0.0f, 0.0f);
    CHECK_INT(sdBody_Create(world, &def, &body), SD_ERROR_INVALID_ARGUMENT);
    // at the limit of both, it stays there
    def.position = sdPos_Make(SD_MAX_COORDINATE, 0.0, 0.0);
    def.velocity = sdV3(SD_MAX_SPEED, 0.0f, 0.0f);
    CHECK_INT(sdBody_Create(world, &def, &body), SD_OK);
    for (int i = 0; i < 3; ++i) {
        CHECK_INT(sdWorld_Step(world, SD_MAX_TIME_STEP), SD_OK);
        CHECK(sdBody_GetCenter(world, body).x <= SD_MAX_COORDINATE);
    }
    CHECK_INT(sdWorld_Step(world, 1.01f * SD_MAX_TIME_STEP), SD_ERROR_INVALID_ARGUMENT);
    sdWorld_Destroy(world);
}
