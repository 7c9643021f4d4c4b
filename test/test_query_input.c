// SPDX-License-Identifier: MIT
// Queries of a world: callbacks, bad input, and bodies that come and go.

#include "query_scene.h"

#include <float.h>

// ---- callbacks -----------------------------------------------------------------------------

typedef struct Walk {
    int count, stopAt;
    bool isClipping;
    double nearest;
} Walk;

static float walk(void* user, const sdQueryHit* hit, float maxFraction) {
    Walk* self = user;
    self->count += 1;
    self->nearest = hit->distance < self->nearest ? hit->distance : self->nearest;
    if (self->count == self->stopAt) {
        return 0.0f;
    }
    return self->isClipping ? hit->fraction : maxFraction;
}

SD_TEST(query_callbacks_stop_and_clip) {
    sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
    for (int i = 0; i < 50; ++i) {
        TestWorld_AddDynamic(world, sdPos_Make(2.0 * i, 0.0, 0.0), TestWorld_BoxOf(0.5f));
    }
    TestWorld_Run(world, 1);
    sdRay ray = {{-5.0, 0.0, 0.0}, {200.0f, 0.0f, 0.0f}};
    sdPlacedShape probe = {sdShape_Sphere(0.25f), {ray.origin, sdQuat_Identity()}};
    sdWorldBox all = {{-10.0, -1.0, -1.0}, {200.0, 1.0, 1.0}};
    Walk every = {.nearest = DBL_MAX}, two = {.stopAt = 2}, clip = {0, 0, true, DBL_MAX};
    CHECK_INT(sdWorld_RaycastEach(world, &ray, NULL, walk, &every), SD_OK);
    CHECK_INT(every.count, 50);
    CHECK_NEAR(every.nearest, 4.5, 1e-5);
    CHECK_INT(sdWorld_RaycastEach(world, &ray, NULL, walk, &two), SD_OK);
    CHECK_INT(two.count, 2);
    CHECK_INT(sdWorld_RaycastEach(world, &ray, NULL, walk, &clip), SD_OK);
    CHECK(clip.count < 10);
    CHECK_NEAR(clip.nearest, 4.5, 1e-5);
    every = (Walk){.nearest = DBL_MAX};
    CHECK_INT(sdWorld_ShapeCastEach(world, &probe, ray.translation, NULL, walk, &every), SD_OK);
    CHECK_INT(every.count, 50);
    CHECK_NEAR(every.nearest, 4.25, 1e-4);
    two = (Walk){.stopAt = 2};
    CHECK_INT(sdWorld_OverlapBoxEach(world, all, NULL, walk, &two), SD_OK);
    CHECK_INT(two.count, 2);
    every = (Walk){0};
    CHECK_INT(sdWorld_OverlapBoxEach(world, all, NULL, walk, &every), SD_OK);
    CHECK_INT(every.count, 50);
    sdWorld_Destroy(world);
}

// ---- bad input -----------------------------------------------------------------------------

static void checkNone(const sdQueryHit* hit) {
    CHECK(hit->body == SD_NULL_BODY && hit->shape == SD_NULL_SHAPE && hit->fraction == 1.0f &&
          hit->child == SD_NULL_INDEX && hit->distance == 0.0);
}

SD_TEST(query_refuses_bad_numbers_with_words) {
    QueryScene scene;
    QueryScene_Init(&scene, querySceneDefs[0]);
    const sdWorld* world = scene.world;
    const float bad[5] = {TestNaN(), TestInfinity(), -TestInfinity(), FLT_MAX, 2e12f};
    for (int i = 0; i < 5; ++i) {
        for (int axis = 0; axis < 6; ++axis) {
            sdRay rays[2] = {{{0, 0, 0}, {1.0f, 0.0f, 0.0f}}, {{0, 0, 0}, {1.0f, 0.0f, 0.0f}}};
            double* origin = &rays[1].origin.x;
            float* way = &rays[1].translation.x;
            if (axis < 3) {
                origin[axis] = (double)bad[i];
            } else {
                way[axis - 3] = bad[i];
            }
            sdQueryHit hits[2] = {{.body = 7}, {.body = 7}};
            sdPlacedShape probe = {sdShape_Sphere(1.0f), {rays[1].origin, sdQuat_Identity()}};
            bool isAny = true;
            int count = 7;
            CHECK_INT(sdWorld_Raycast(world, &rays[1], NULL, hits), SD_ERROR_INVALID_ARGUMENT);
            CHECK_TEXT(scene.test.lastError, axis < 3 ? "origin" : "translation");
            checkNone(&hits[0]);
            CHECK_INT(sdWorld_RaycastAny(world, &rays[1], NULL, &isAny), SD_ERROR_INVALID_ARGUMENT);
            CHECK(!isAny);
            CHECK_INT(sdWorld_RaycastAll(world, &rays[1], NULL, hits, 2, &count),
                      SD_ERROR_INVALID_ARGUMENT);
            CHECK_INT(count, 0);
            CHECK_INT(sdWorld_RaycastMany(world, rays, 2, NULL, hits), SD_ERROR_INVALID_ARGUMENT);
            CHECK_TEXT(scene.test.lastError, "ray 1");
            checkNone(&hits[1]);
            CHECK_INT(sdWorld_ShapeCast(world, &probe, rays[1].translation, NULL, hits),
                      SD_ERROR_INVALID_ARGUMENT);
        }
        sdQueryHit hit;
        CHECK_INT(sdWorld_FindNearest(world, sdPos_Make((double)bad[i], 0, 0), 1.0f, NULL, &hit),
                  SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(sdWorld_FindNearest(world, sdPos_Make(0, 0, 0), bad[i], NULL, &hit),
                  SD_ERROR_INVALID_ARGUMENT);
        checkNone(&hit);
        int count = 7;
        sdWorldBox box = {{0, 0, 0}, {1.0, (double)bad[i], 1.0}};
        CHECK_INT(sdWorld_OverlapBoxAll(world, box, NULL, &hit, 1, &count),
                  SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(count, 0);
        sdPlacedShape probe = {sdShape_Sphere(bad[i]), {{0, 0, 0}, sdQuat_Identity()}};
        CHECK_INT(sdWorld_OverlapAll(world, &probe, NULL, &hit, 1, &count),
                  SD_ERROR_INVALID_ARGUMENT);
    }
    QueryScene_Free(&scene);
}

SD_TEST(query_refuses_bad_arguments_with_words) {
    QueryScene scene;
    QueryScene_Init(&scene, querySceneDefs[0]);
    const sdWorld* world = scene.world;
    sdRay ray = {{0, 0, 0}, {1.0f, 0.0f, 0.0f}};
    sdQueryHit hit;
    int count;
    bool isAny;
    sdResult bad = SD_ERROR_INVALID_ARGUMENT;
    CHECK_INT(sdWorld_PrepareQueries(NULL, 1), bad);
    CHECK_INT(sdWorld_Raycast(NULL, &ray, NULL, &hit), bad);
    CHECK_INT(sdWorld_Raycast(world, NULL, NULL, &hit), bad);
    CHECK_INT(sdWorld_Raycast(world, &ray, NULL, NULL), bad);
    CHECK_INT(sdWorld_RaycastAny(world, &ray, NULL, NULL), bad);
    CHECK_INT(sdWorld_RaycastEach(world, &ray, NULL, NULL, NULL), bad);
    CHECK_INT(sdWorld_RaycastAll(world, &ray, NULL, NULL, 3, &count), bad);
    CHECK_INT(sdWorld_RaycastAll(world, &ray, NULL, &hit, -1, &count), bad);
    CHECK_INT(sdWorld_RaycastAll(world, &ray, NULL, &hit, 1, NULL), bad);
    CHECK_INT(sdWorld_RaycastAll(world, &ray, NULL, NULL, 0, &count), SD_OK);
    CHECK_INT(sdWorld_RaycastMany(world, NULL, 1, NULL, &hit), bad);
    CHECK_INT(sdWorld_RaycastMany(world, &ray, -1, NULL, &hit), bad);
    CHECK_INT(sdWorld_RaycastMany(world, NULL, 0, NULL, NULL), SD_OK);
    CHECK_INT(sdWorld_ShapeCast(world, NULL, ray.translation, NULL, &hit), bad);
    CHECK_INT(sdWorld_FindNearest(world, ray.origin, -1.0f, NULL, &hit), bad);
    sdWorldBox inverted = {{1.0, 0.0, 0.0}, {0.0, 1.0, 1.0}};
    CHECK_INT(sdWorld_OverlapBoxAll(world, inverted, NULL, &hit, 1, &count), bad);
    sdShape shapes[4] = {sdShape_Sphere(-1.0f), sdShape_HalfSpace(), sdShape_Mesh(NULL),
                         sdShape_Box(1.0f, -1.0f, 1.0f)};
    for (int i = 0; i < 4; ++i) {
        sdPlacedShape probe = {shapes[i], {{0, 0, 0}, sdQuat_Identity()}};
        CHECK_INT(sdWorld_ShapeCast(world, &probe, ray.translation, NULL, &hit), bad);
        CHECK_TEXT(scene.test.lastError, i == 1 ? "convex" : "not valid");
        CHECK_INT(sdWorld_OverlapAll(world, &probe, NULL, &hit, 1, &count), bad);
    }
    sdPlacedShape turned = {sdShape_Sphere(1.0f), {{0, 0, 0}, {{0, 0, 0}, 0.0f}}};
    CHECK_INT(sdWorld_ShapeCast(world, &turned, ray.translation, NULL, &hit), bad);
    sdQueryFilter filter = sdQueryFilter_Default();
    filter.ignoredCount = 3;
    CHECK_INT(sdWorld_Raycast(world, &ray, &filter, &hit), bad);
    CHECK_TEXT(scene.test.lastError, "ignores 3 bodies");
    filter.ignoredCount = -1;
    CHECK_INT(sdWorld_RaycastAny(world, &ray, &filter, &isAny), bad);
    CHECK_INT(sdWorld_RaycastMany(world, &ray, 1, &filter, &hit), bad);
    QueryScene_Free(&scene);
}

static void askInStep(void* user, const sdWorld* world, sdBodyId body, const sdMotionState* state,
                      sdVec3* force, sdVec3* torque) {
    (void)body;
    (void)force;
    (void)torque;
    sdRay ray = {state->center, {0.0f, -1.0f, 0.0f}};
    sdQueryHit hit;
    *(sdResult*)user = sdWorld_Raycast(world, &ray, NULL, &hit);
    checkNone(&hit);
}

SD_TEST(query_during_a_step_is_refused) {
    TestContext test;
    TestContext_Init(&test);
    sdWorld* world;
    REQUIRE(sdWorld_Create(&test.context, NULL, &world) == SD_OK);
    TestWorld_AddDynamic(world, sdPos_Make(0, 0, 0), TestWorld_BoxOf(0.5f));
    sdResult result = SD_OK;
    sdWorld_SetForceFcn(world, askInStep, &result);
    CHECK_INT(sdWorld_Step(world, DT), SD_OK);
    CHECK_INT(result, SD_ERROR_LOCKED);
    CHECK_TEXT(test.lastError, "between steps");
    sdWorld_Destroy(world);
    TestContext_Finish(&test);
}

SD_TEST(query_sees_bodies_as_they_come_and_go) {
    sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
    sdRay ray = {{0.0, 5.0, 0.0}, {0.0f, -10.0f, 0.0f}};
    sdQueryHit hit;
    CHECK_INT(sdWorld_Raycast(world, &ray, NULL, &hit), SD_OK);
    checkNone(&hit);
    sdBodyId body = TestWorld_AddDynamic(world, sdPos_Make(0, 0, 0), TestWorld_BoxOf(0.5f));
    for (int i = 0; i < 2; ++i) {
        CHECK_INT(sdWorld_Raycast(world, &ray, NULL, &hit), SD_OK);
        CHECK(hit.body == body);
        CHECK_INT(sdBody_SetTransform(world, body, sdPos_Make(3, 0, 0), sdQuat_Identity()), SD_OK);
        CHECK_INT(sdWorld_Raycast(world, &ray, NULL, &hit), SD_OK);
        checkNone(&hit);
        CHECK_INT(sdBody_SetTransform(world, body, sdPos_Make(0, 0, 0), sdQuat_Identity()), SD_OK);
        CHECK_INT(sdBody_SetEnabled(world, body, false), SD_OK);
        CHECK_INT(sdWorld_Raycast(world, &ray, NULL, &hit), SD_OK);
        checkNone(&hit);
        CHECK_INT(sdBody_SetEnabled(world, body, true), SD_OK);
        TestWorld_Run(world, 1);
    }
    // a centre of mass far outside its shapes
    sdMassProps props = sdBody_GetMass(world, body);
    props.center = sdV3(0.0f, 40.0f, 0.0f);
    CHECK_INT(sdBody_SetMass(world, body, props), SD_OK);
    for (int i = 0; i < 2; ++i) {
        CHECK_INT(sdWorld_Raycast(world, &ray, NULL, &hit), SD_OK);
        CHECK(hit.body == body);
        CHECK_NEAR(hit.distance, 4.5, 1e-5);
        TestWorld_Run(world, 1);
    }
    CHECK_INT(sdBody_Destroy(world, body), SD_OK);
    CHECK_INT(sdWorld_Raycast(world, &ray, NULL, &hit), SD_OK);
    checkNone(&hit);
    sdWorld_Destroy(world);
}
