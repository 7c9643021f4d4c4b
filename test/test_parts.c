// SPDX-License-Identifier: MIT
// Steps that are made in parts, for meshes that are small against the way they fall in one.

#include "support.h"
#include "world_support.h"

#include "sudar/concave.h"
#include "sudar/models.h"

#include <math.h>

#define DT (1.0f / 60.0f)
#define SMALL 0.01f
#define PARTS 6 // of a step, for rings of that size

static sdConcave* makeRing(const sdContext* context, float size) {
    sdMesh* mesh = NULL;
    sdConcave* ring = NULL;
    sdConcaveDef def = sdConcaveDef_Default();
    if (sdModel_Create(context, SD_MODEL_RING, size, &mesh) == SD_OK) {
        sdConcave_Create(context, mesh, &def, &ring);
    }
    sdMesh_Release(mesh);
    return ring;
}

static sdBodyId addRing(sdWorld* world, sdPos position, float size) {
    sdConcave* ring = makeRing(NULL, size);
    sdShapeDef shape = sdShapeDef_Default(sdShape_Concave(ring));
    shape.material.restitution = 0.3f;
    TestRandom random = TestRandom_Make((uint64_t)(1e6 * position.y));
    sdBodyId body =
        TestWorld_AddBody(world, SD_BODY_DYNAMIC, position, TestRandom_Rotation(&random), shape);
    sdConcave_Release(ring);
    return body;
}

/// Rings of a centimetre that fall on each other.
static sdWorld* makeHeap(int maxPartCount) {
    sdWorldDef def = TestWorld_AwakeDef();
    def.maxPartCount = maxPartCount;
    sdWorld* world = TestWorld_Make(def);
    TestWorld_AddFloor(world, TestWorld_Friction(0.5f));
    for (int i = 0; i < 6; ++i) {
        addRing(world, sdPos_Make(0.002 * (i % 3), 0.01 + 0.01 * i, 0.003 * (i % 2)), SMALL);
    }
    return world;
}

static int partsOf(sdWorld* world) {
    CHECK_INT(sdWorld_Step(world, DT), SD_OK);
    return sdWorld_GetStats(world).partCount;
}

SD_TEST(parts_are_for_small_meshes_that_are_awake) {
    sdWorld* world = TestWorld_Make(sdWorldDef_Default());
    TestWorld_AddFloor(world, TestWorld_Friction(0.5f));
    TestWorld_AddDynamic(world, sdPos_Make(0.1, 0.005, 0.0), TestWorld_BoxOf(0.005f));
    CHECK_INT(partsOf(world), 1);
    addRing(world, sdPos_Make(3.0, 1.0, 0.0), 1.0f);
    CHECK_INT(partsOf(world), 1);
    sdBodyId small = addRing(world, sdPos_Make(0.0, 0.01, 0.0), SMALL);
    CHECK_INT(partsOf(world), PARTS);
    sdWorldDef def = sdWorld_GetDef(world);
    def.maxPartCount = 3;
    CHECK_INT(sdWorld_SetDef(world, &def), SD_OK);
    CHECK_INT(partsOf(world), 3);
    def.maxPartCount = 1;
    CHECK_INT(sdWorld_SetDef(world, &def), SD_OK);
    CHECK_INT(partsOf(world), 1);
    def.maxPartCount = 65;
    CHECK_INT(sdWorld_SetDef(world, &def), SD_ERROR_INVALID_ARGUMENT);
    def.maxPartCount = 0;
    CHECK_INT(sdWorld_SetDef(world, &def), SD_ERROR_INVALID_ARGUMENT);
    def.maxPartCount = 16;
    CHECK_INT(sdWorld_SetDef(world, &def), SD_OK);
    TestWorld_Run(world, 300);
    CHECK(!sdBody_IsAwake(world, small));
    CHECK_INT(partsOf(world), 1);
    // nothing falls
    CHECK_INT(sdBody_SetAwake(world, small, true), SD_OK);
    def.gravity = sdV3(0.0f, 0.0f, 0.0f);
    CHECK_INT(sdWorld_SetDef(world, &def), SD_OK);
    CHECK_INT(partsOf(world), 1);
    sdWorld_Destroy(world);
}

SD_TEST(parts_take_a_force_as_one_step_does) {
    sdWorld* world = TestWorld_Make(sdWorldDef_Default());
    sdBodyId ring = addRing(world, sdPos_Make(0.0, 1.0, 0.0), SMALL);
    float mass = sdBody_GetMass(world, ring).mass;
    CHECK_INT(sdBody_ApplyForceToCenter(world, ring, sdV3(6.0f * mass, 0.0f, 0.0f)), SD_OK);
    CHECK_INT(partsOf(world), PARTS);
    CHECK_NEAR(sdBody_GetVelocity(world, ring).x, 0.1, 1e-5);
    CHECK_NEAR(sdBody_GetVelocity(world, ring).y, -9.81 / 60.0, 1e-5);
    CHECK_INT(partsOf(world), PARTS);
    CHECK_NEAR(sdBody_GetVelocity(world, ring).x, 0.1, 1e-5);
    CHECK_NEAR(sdWorld_GetTime(world), 2.0 / 60.0, 1e-6);
    sdWorld_Destroy(world);
}

/// A step of six parts is six steps, and has the events of all.
SD_TEST(parts_are_the_same_as_short_steps) {
    sdWorld *whole = makeHeap(16), *divided = makeHeap(1);
    int beginCount = 0, endCount = 0, wrong = 0;
    for (int i = 0; i < 60; ++i) {
        CHECK_INT(partsOf(whole), PARTS);
        sdWorldEvents events = sdWorld_GetEvents(whole);
        int begins = 0, ends = 0;
        for (int k = 0; k < PARTS; ++k) {
            CHECK_INT(sdWorld_Step(divided, DT / (float)PARTS), SD_OK);
            sdWorldEvents part = sdWorld_GetEvents(divided);
            for (int j = 0; j < part.beginCount && begins < events.beginCount; ++j) {
                wrong += events.begin[begins].shapeA != part.begin[j].shapeA ||
                         events.begin[begins].shapeB != part.begin[j].shapeB;
                ++begins;
            }
            ends += part.endCount;
        }
        CHECK_INT(events.beginCount, begins);
        CHECK_INT(events.endCount, ends);
        beginCount += begins;
        endCount += ends;
        CHECK(sdWorld_GetHash(whole) == sdWorld_GetHash(divided));
    }
    sdTest_Print("%d began, %d ended, %d wrong", beginCount, endCount, wrong);
    CHECK_INT(wrong, 0);
    CHECK(beginCount > 6 && endCount > 0);
    sdWorld_Destroy(whole);
    sdWorld_Destroy(divided);
}

typedef struct HeapRun {
    sdConcave* ring;
    uint64_t hash; ///< when all went well
} HeapRun;

static sdResult stepHeap(const sdContext* context, void* arg) {
    const HeapRun* run = (const HeapRun*)arg;
    sdWorld* world;
    sdResult result = sdWorld_Create(context, NULL, &world);
    sdShapeDef shape = sdShapeDef_Default(sdShape_Concave(run->ring));
    for (int i = 0; i < 4 && result == SD_OK; ++i) {
        sdBodyDef def = sdBodyDef_Default();
        def.type = i == 0 ? SD_BODY_STATIC : SD_BODY_DYNAMIC;
        def.position = sdPos_Make(0.001 * i, 0.004 * i, 0.0);
        sdBodyId body;
        result = sdBody_Create(world, &def, &body);
        result = result == SD_OK ? sdBody_AddShape(world, body, &shape, NULL) : result;
    }
    sdResult first = result;
    for (int i = 0; i < 4 && result == SD_OK; ++i) {
        result = sdWorld_Step(world, DT);
        if (result != SD_OK) {
            // it goes on where it stopped, now that there is memory
            first = result;
            result = sdWorld_Step(world, DT);
            CHECK_INT(result, SD_OK);
        }
    }
    CHECK(result != SD_OK || sdWorld_GetHash(world) == run->hash);
    sdWorld_Destroy(world);
    return first;
}

SD_TEST(parts_go_on_after_memory_was_short) {
    HeapRun run = {.ring = makeRing(NULL, SMALL)};
    sdWorld* world = NULL;
    CHECK_INT(sdWorld_Create(NULL, NULL, &world), SD_OK);
    sdShapeDef shape = sdShapeDef_Default(sdShape_Concave(run.ring));
    for (int i = 0; i < 4; ++i) {
        TestWorld_AddBody(world, i == 0 ? SD_BODY_STATIC : SD_BODY_DYNAMIC,
                          sdPos_Make(0.001 * i, 0.004 * i, 0.0), sdQuat_Identity(), shape);
    }
    TestWorld_Run(world, 4);
    run.hash = sdWorld_GetHash(world);
    sdWorld_Destroy(world);
    CHECK(TestContext_FailEach(stepHeap, &run) > 10);
    sdConcave_Release(run.ring);
}

/// Rings shot at a thin wall from where the step ends in it, before it and behind it.
static int shootRings(float size, float speed) {
    int passed = 0;
    for (int i = 0; i < 8; ++i) {
        sdWorldDef def = TestWorld_AwakeDef();
        def.gravity = sdV3(0.0f, 0.0f, 0.0f);
        sdWorld* world = TestWorld_Make(def);
        sdShapeDef wall = sdShapeDef_Default(sdShape_Box(0.01f * size, 50.0f * size, 50.0f * size));
        TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(),
                          wall);
        double from = 2.0 * (double)size + 0.125 * i * (double)(speed * DT);
        sdBodyId ring = addRing(world, sdPos_Make(-from, 0.01 * i * (double)size, 0.0), size);
        sdVec3 spin = {(float)(i % 5), (float)(i % 3), (float)-i};
        CHECK_INT(sdBody_SetVelocity(world, ring, sdV3(speed, 0.0f, 0.0f), spin), SD_OK);
        TestWorld_Run(world, 4);
        passed += sdBody_GetCenter(world, ring).x > 0.2 * (double)size ? 1 : 0;
        sdWorld_Destroy(world);
    }
    return passed;
}

SD_TEST(parts_keep_fast_meshes_from_passing_walls) {
    const float speeds[] = {30.0f, 200.0f, 400.0f, 800.0f, 2000.0f};
    for (int i = 0; i < 5; ++i) {
        CHECK_INT(shootRings(1.0f, speeds[i]), 0);
        CHECK_INT(shootRings(SMALL, SMALL * speeds[i]), 0);
    }
}
