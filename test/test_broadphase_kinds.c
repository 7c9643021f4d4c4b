// SPDX-License-Identifier: MIT
// test_broadphase_kinds.c - every kind of broad phase against brute force, over long random lives.

#include "broadphase_scene.h"

enum { MOST_PHASES = SD_BROADPHASE_KIND_COUNT + 1 };

/// Brute force first, then each other kind, then one that changes its kind as it goes.
static int createAll(const sdContext* context, sdBroadphase* out[MOST_PHASES]) {
    sdBroadphaseKind kinds[SD_BROADPHASE_KIND_COUNT];
    int kindCount = TestKinds_List(kinds);
    sdBroadphaseDef def = sdBroadphaseDef_Default();
    def.kind = SD_BROADPHASE_BRUTE;
    CHECK_INT(sdBroadphase_Create(context, &def, &out[0]), SD_OK);
    int count = 1;
    for (int i = 0; i < kindCount; ++i) {
        def.kind = kinds[i];
        if (kinds[i] != SD_BROADPHASE_BRUTE) {
            CHECK_INT(sdBroadphase_Create(context, &def, &out[count++]), SD_OK);
        }
    }
    CHECK_INT(sdBroadphase_Create(context, NULL, &out[count++]), SD_OK);
    return count;
}

static void switchKind(sdBroadphase* broadphase, int step) {
    sdBroadphaseKind kinds[SD_BROADPHASE_KIND_COUNT];
    int count = TestKinds_List(kinds);
    CHECK_INT(sdBroadphase_SetKind(broadphase, kinds[step % count]), SD_OK);
}

/// The same life in every kind; all must tell the same changes at every step.
static void compareKinds(TestScene* scene, int stepCount) {
    TestContext test;
    TestContext_Init(&test);
    sdBroadphase* phases[MOST_PHASES];
    int count = createAll(&test.context, phases);
    TestScene_AddAll(scene, phases, count);
    TestPairs pairs = {0}, expected = {0};
    int64_t newTotal = 0, lostTotal = 0;
    for (int step = 0; step < stepCount; ++step) {
        if (step % 7 == 3) {
            switchKind(phases[count - 1], step / 7);
        }
        sdPairChanges changes;
        REQUIRE(sdBroadphase_UpdatePairs(phases[0], &changes) == SD_OK);
        TestPairs_Apply(&pairs, &changes);
        newTotal += changes.newCount;
        lostTotal += changes.lostCount;
        if (step % 50 == 0) {
            TestScene_FindPairs(scene, phases[0], &expected);
            TestPairs_Compare(&expected, phases[0]);
        }
        for (int i = 0; i < count; ++i) {
            sdPairChanges others;
            REQUIRE(i == 0 || sdBroadphase_UpdatePairs(phases[i], &others) == SD_OK);
            bool isSame = i == 0 || (others.newCount == changes.newCount &&
                                     others.lostCount == changes.lostCount);
            for (int k = 0; i > 0 && isSame && k < changes.newCount; ++k) {
                isSame = others.newPairs[k].a == changes.newPairs[k].a &&
                         others.newPairs[k].b == changes.newPairs[k].b;
            }
            for (int k = 0; i > 0 && isSame && k < changes.lostCount; ++k) {
                isSame = others.lostPairs[k].a == changes.lostPairs[k].a &&
                         others.lostPairs[k].b == changes.lostPairs[k].b;
            }
            if (!CHECK(isSame)) {
                sdTest_Print("%s differs from brute force in step %d",
                             sdBroadphase_GetStats(phases[i]).kindName, step);
                goto end;
            }
            if (step % 25 == 0) {
                if (!CHECK(sdBroadphase_Validate(phases[i]))) {
                    sdTest_Print("%s", test.lastError);
                    goto end;
                }
                TestPairs_Compare(&pairs, phases[i]);
            }
        }
        TestScene_Step(scene, phases, count);
    }
end:
    sdTest_Print("%d steps: %lld pairs came, %lld went, %d are there", stepCount,
                 (long long)newTotal, (long long)lostTotal, pairs.count);
    TestPairs_Free(&pairs);
    TestPairs_Free(&expected);
    for (int i = 0; i < count; ++i) {
        sdBroadphase_Destroy(phases[i]);
    }
    TestContext_Finish(&test);
}

SD_TEST(broadphase_kinds_agree_over_a_thousand_steps) {
    TestScene scene;
    TestScene_Init(&scene, 2000, 8.0f, 1);
    compareKinds(&scene, TestRounds(1000));
    TestScene_Free(&scene);
}

SD_TEST(broadphase_kinds_agree_far_from_the_origin) {
    TestScene scene;
    TestScene_Init(&scene, 300, 20.0f, 2);
    scene.center = sdPos_Make(1e7, -1e7, 3e6);
    for (int i = 0; i < scene.bodyCount; ++i) {
        sdPos p = scene.bodies[i].position;
        scene.bodies[i].position = sdPos_Make(p.x + 1e7, p.y - 1e7, p.z + 3e6);
    }
    compareKinds(&scene, TestRounds(100));
    TestScene_Free(&scene);
}

SD_TEST(broadphase_kinds_agree_on_stacked_copies) {
    // many boxes in the very same places
    TestScene scene;
    TestScene_Init(&scene, 400, 3.0f, 3);
    for (int i = 0; i < scene.bodyCount; ++i) {
        scene.bodies[i].position = sdPos_Make(i % 5, 0.0, 0.0);
        scene.bodies[i].halfExtents = sdV3(0.2f, 0.2f, 0.2f);
    }
    compareKinds(&scene, TestRounds(60));
    TestScene_Free(&scene);
}

SD_TEST(broadphase_kinds_agree_on_a_wide_range_of_sizes) {
    TestScene scene;
    TestScene_Init(&scene, 500, 50.0f, 4);
    for (int i = 0; i < scene.bodyCount; ++i) {
        float size = 1e-4f * (float)(1 << i % 20);
        scene.bodies[i].halfExtents = sdV3(size, size, size * (float)(i % 3));
    }
    compareKinds(&scene, TestRounds(60));
    TestScene_Free(&scene);
}

/// Hash of all changes in a life, with a number of workers.
static uint64_t hashOfLife(sdBroadphaseKind kind, int workerCount) {
    sdScheduler* scheduler;
    CHECK_INT(sdScheduler_Create(NULL, workerCount, &scheduler), SD_OK);
    sdContext context = sdContext_Default();
    context.tasks = sdScheduler_GetTasks(scheduler);
    sdBroadphaseDef def = sdBroadphaseDef_Default();
    def.kind = kind;
    sdBroadphase* bp;
    CHECK_INT(sdBroadphase_Create(&context, &def, &bp), SD_OK);
    TestScene scene;
    TestScene_Init(&scene, 3000, 9.0f, 9);
    TestScene_AddAll(&scene, &bp, 1);
    uint64_t hash = TEST_HASH_START;
    for (int step = 0; step < 12; ++step) {
        sdPairChanges changes;
        CHECK_INT(sdBroadphase_UpdatePairs(bp, &changes), SD_OK);
        hash = TestHash(hash, changes.newPairs, (size_t)changes.newCount * sizeof(sdProxyPair));
        hash = TestHash(hash, changes.lostPairs, (size_t)changes.lostCount * sizeof(sdProxyPair));
        int64_t testCount = sdBroadphase_GetStats(bp).testCount;
        hash = TestHash(hash, &testCount, sizeof testCount);
        TestScene_Step(&scene, &bp, 1);
        // one step in which all of them jump
        for (int i = 0; step == 6 && i < scene.bodyCount; ++i) {
            TestBody* body = scene.bodies + i;
            body->position = sdPos_Make(-body->position.z, body->position.x, body->position.y);
            if (body->id != SD_NULL_PROXY) {
                CHECK_INT(sdBroadphase_Move(bp, body->id, TestBody_GetBox(body)), SD_OK);
            }
        }
    }
    CHECK(sdBroadphase_Validate(bp));
    sdBroadphase_Destroy(bp);
    TestScene_Free(&scene);
    sdScheduler_Destroy(scheduler);
    return hash;
}

SD_TEST(broadphase_parallel_gives_the_same) {
    sdBroadphaseKind kinds[SD_BROADPHASE_KIND_COUNT];
    int kindCount = TestKinds_List(kinds);
    for (int k = 0; k < kindCount; ++k) {
        uint64_t expected = hashOfLife(kinds[k], 1);
        CHECK(hashOfLife(kinds[k], 2) == expected);
        CHECK(hashOfLife(kinds[k], 4) == expected);
    }
}
