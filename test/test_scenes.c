// SPDX-License-Identifier: MIT
// The table of scenes: each builds, runs and ends as it says; some of them give the recorded bits
// on every compiler, thread count and SIMD level.

#include "simd_level.h"
#include "support.h"

#include "scenes.h"

#include <string.h>

/// NULL on failure, with CHECKs that say where.
static sdWorld* build(const sdScene* scene, const sdContext* context, int size) {
    sdWorldDef def = sdScene_GetWorldDef(scene);
    sdSceneOptions options = {.size = size, .context = context};
    sdWorld* world = NULL;
    if (CHECK_INT(sdWorld_Create(context, &def, &world), SD_OK) &&
        !CHECK_INT(sdScene_Build(scene, world, &options), SD_OK)) {
        sdWorld_Destroy(world);
        world = NULL;
    }
    return world;
}

static bool run(sdWorld* world, const sdScene* scene, int steps) {
    bool isGood = true;
    for (int i = 0; i < steps && isGood; ++i) {
        isGood = CHECK_INT(sdWorld_Step(world, scene->dt), SD_OK);
    }
    return isGood;
}

// ---- the table -----------------------------------------------------------------------------

static bool isWordy(const char* text) {
    return text != NULL && strlen(text) > 1 && strchr(text, '\n') == NULL;
}

SD_TEST(scene_table_is_complete) {
    for (int i = 0; i < sdScene_GetCount(); ++i) {
        const sdScene* scene = sdScene_Get(i);
        CHECK(isWordy(scene->name) && isWordy(scene->title) && isWordy(scene->text));
        CHECK(isWordy(scene->end) && scene->rows != NULL && isWordy(scene->sizeName));
        CHECK(strspn(scene->name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(scene->name));
        CHECK(sdScene_Find(scene->name) == scene);
        CHECK(scene->minSize >= 1 && scene->minSize <= scene->size &&
              scene->size <= scene->maxSize);
        CHECK(scene->stepCount > 0 && scene->dt > 0.0f);
        CHECK(sdLength(sdSub(scene->eye, scene->target)) > 0.1f);
        CHECK(scene->build != NULL && scene->check != NULL);
    }
    CHECK(sdScene_Get(-1) == NULL && sdScene_Get(sdScene_GetCount()) == NULL);
    CHECK(sdScene_Find("no-such-scene") == NULL && sdScene_Find(NULL) == NULL);
}

SD_TEST(scene_bad_options_are_refused) {
    const sdScene* scene = sdScene_Find("tower");
    sdWorld* world = NULL;
    REQUIRE(sdWorld_Create(NULL, NULL, &world) == SD_OK);
    sdSceneOptions options = {.size = -1};
    CHECK_INT(sdScene_Build(scene, world, &options), SD_ERROR_INVALID_ARGUMENT);
    options.size = scene->maxSize + 1;
    CHECK_INT(sdScene_Build(scene, world, &options), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdScene_Build(NULL, world, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdScene_Build(scene, NULL, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdWorld_GetBodies(world, NULL, 0), 0);
    // a world that does not hold the scene is told apart
    char reason[SD_SCENE_REASON_SIZE];
    CHECK(!sdScene_Check(scene, world, NULL, reason, sizeof reason));
    CHECK_TEXT(reason, "the world has 0 bodies, the scene 101");
    sdWorld_Destroy(world);
}

SD_TEST(scene_seed_changes_what_is_random) {
    const sdScene* scene = sdScene_Find("pile");
    uint64_t hashes[3];
    for (int i = 0; i < 3; ++i) {
        sdWorld* world = NULL;
        sdSceneOptions options = {.size = 20, .seed = i == 2 ? 2 : 1};
        REQUIRE(sdWorld_Create(NULL, NULL, &world) == SD_OK);
        CHECK_INT(sdScene_Build(scene, world, &options), SD_OK);
        hashes[i] = sdWorld_GetHash(world);
        sdWorld_Destroy(world);
    }
    CHECK(hashes[0] == hashes[1]);
    CHECK(hashes[0] != hashes[2]);
}

// ---- ends ----------------------------------------------------------------------------------

/// Sizes that are cheap; 0 is the scene's own. `make soak` runs the full ones.
static const struct {
    const char* name;
    int size, stepCount;
} shortRuns[] = {
    {"pyramid", 10, 300},      {"tight-pyramid", 10, 300},
    {"tower", 10, 300},        {"heavy", 50, 300},
    {"card-house", 2, 300},    {"arch", 0, 120},
    {"pile", 200, 200},        {"wide-pile", 200, 200},
    {"rain", 100, 200},        {"octahedra", 0, 0},
    {"cubes", 100, 120},       {"small-cubes", 200, 120},
    {"mixed-cubes", 200, 120}, {"seesaw", 0, 0},
    {"plank", 0, 0},           {"pendulum", 0, 0},
    {"rigid-pendulum", 0, 0},  {"hinge-slider", 0, 0},
    {"dominoes", 20, 0},       {"slope", 0, 0},
    {"domino-ring", 20, 0},    {"billiards", 0, 0},
    {"sleepers", 400, 60},     {"chains", 8, 120},
    {"joint-grid", 200, 60},   {"ragdolls", 4, 200},
    {"rings", 6, 400},         {"rings-500", 10, 400},
    {"skulls", 5, 300},        {"skull-chain", 1, 200},
    {"bones-500", 5, 200},     {"bowls", 4, 200},
    {"hanging-chain", 3, 300}, {"nut", 0, 0},
    {"nut-holds", 0, 120},     {"bullets", 60, 60},
};

SD_TEST(scene_each_runs_and_ends_as_it_says) {
    CHECK_INT(sizeof shortRuns / sizeof shortRuns[0], sdScene_GetCount());
    for (size_t i = 0; i < sizeof shortRuns / sizeof shortRuns[0]; ++i) {
        TestContext test;
        TestContext_Init(&test);
        const sdScene* scene = sdScene_Find(shortRuns[i].name);
        REQUIRE(scene != NULL);
        sdSceneOptions options = {.size = shortRuns[i].size, .context = &test.context};
        sdWorld* world = build(scene, &test.context, shortRuns[i].size);
        REQUIRE(world != NULL);
        run(world, scene, shortRuns[i].stepCount == 0 ? scene->stepCount : shortRuns[i].stepCount);
        char reason[SD_SCENE_REASON_SIZE] = "";
        bool isTrue = sdScene_Check(scene, world, &options, reason, sizeof reason);
        sdTest_Print("%s: %s", scene->name, reason);
        CHECK(isTrue);
        sdWorld_Destroy(world);
        TestContext_Finish(&test);
    }
}

/// Dolls that fall on dolls: nobody is stopped alone on its way and torn from its joints.
SD_TEST(scene_dolls_on_dolls_stay_together) {
    const sdScene* scene = sdScene_Find("ragdolls");
    enum { MOST = 400 };
    sdJointId joints[MOST];
    sdWorld* world = build(scene, NULL, 20);
    REQUIRE(world != NULL);
    int count = sdMinI(sdWorld_GetJoints(world, joints, MOST), MOST);
    float worst = 0.0f;
    for (int i = 0; i < 120; ++i) {
        run(world, scene, 1);
        for (int j = 0; j < count; ++j) {
            worst = sdMaxF(worst, sdJoint_GetError(world, joints[j], NULL));
        }
    }
    sdTest_Print("joints off by %.1f mm at most", 1e3 * (double)worst);
    CHECK(count > 200);
    CHECK(worst < 0.02f);
    sdWorld_Destroy(world);
}

/// As the table has it, in `make soak`.
static void runFull(const char* name) {
    const sdScene* scene = sdScene_Find(name);
    if (TestScale() < 10) {
        sdTest_Print("left to make soak");
        return;
    }
    sdWorld* world = build(scene, NULL, 0);
    REQUIRE(world != NULL);
    run(world, scene, scene->stepCount);
    char reason[SD_SCENE_REASON_SIZE] = "";
    CHECK(sdScene_Check(scene, world, NULL, reason, sizeof reason));
    sdTest_Print("%s, %d steps: %s", name, scene->stepCount, reason);
    sdWorld_Destroy(world);
}

SD_TEST(scene_full_pyramid) {
    runFull("pyramid");
}
SD_TEST(scene_full_tight_pyramid) {
    runFull("tight-pyramid");
}
SD_TEST(scene_full_tower) {
    runFull("tower");
}
SD_TEST(scene_full_heavy) {
    runFull("heavy");
}
SD_TEST(scene_full_card_house) {
    runFull("card-house");
}
SD_TEST(scene_full_arch) {
    runFull("arch");
}
SD_TEST(scene_full_pile) {
    runFull("pile");
}
SD_TEST(scene_full_wide_pile) {
    runFull("wide-pile");
}
SD_TEST(scene_full_rain) {
    runFull("rain");
}
SD_TEST(scene_full_dominoes) {
    runFull("dominoes");
}
SD_TEST(scene_full_domino_ring) {
    runFull("domino-ring");
}
SD_TEST(scene_full_cubes) {
    runFull("cubes");
}
SD_TEST(scene_full_sleepers) {
    runFull("sleepers");
}
SD_TEST(scene_full_bullets) {
    runFull("bullets");
}

/// A check that holds of everything would be no check.
SD_TEST(scene_checks_can_fail) {
    for (int i = 0; i < sdScene_GetCount(); ++i) {
        const sdScene* scene = sdScene_Get(i);
        sdSceneOptions options = {.size = sdMaxI(scene->minSize, sdMinI(scene->size, 20))};
        sdWorld* world = build(scene, NULL, options.size);
        REQUIRE(world != NULL);
        sdBodyId bodies[256];
        int count = sdMinI(sdWorld_GetBodies(world, bodies, 256), 256);
        // the last one sinks into the ground, sideways
        sdWorldTransform pose = sdBody_GetTransform(world, bodies[count - 1]);
        CHECK_INT(sdBody_SetTransform(world, bodies[count - 1],
                                      sdPos_Make(pose.p.x + 0.05, pose.p.y - 20.0, pose.p.z - 0.2),
                                      pose.q),
                  SD_OK);
        run(world, scene, 1);
        char reason[SD_SCENE_REASON_SIZE] = "";
        CHECK(!sdScene_Check(scene, world, &options, reason, sizeof reason));
        CHECK(reason[0] != '\0');
        sdWorld_Destroy(world);
    }
}

static sdResult buildAction(const sdContext* context, void* arg) {
    const sdScene* scene = arg;
    sdWorldDef def = sdScene_GetWorldDef(scene);
    sdSceneOptions options = {.size = scene->minSize, .context = context};
    sdWorld* world = NULL;
    sdResult result = sdWorld_Create(context, &def, &world);
    if (result == SD_OK) {
        result = sdScene_Build(scene, world, &options);
    }
    sdWorld_Destroy(world);
    return result;
}

SD_TEST(scene_survives_every_failing_allocation) {
    const sdScene* scenes[3] = {sdScene_Find("arch"), sdScene_Find("rain"), sdScene_Find("rings")};
    for (int i = 0; i < 3; ++i) {
        CHECK(TestContext_FailEach(buildAction, (void*)(uintptr_t)scenes[i]) > 0);
    }
}

// ---- same bits everywhere ------------------------------------------------------------------

#define HASH_STEPS 120

/// When the step changes on purpose, tools/record_hashes.sh writes the file anew.
static const struct {
    const char* name;
    int size;
    uint64_t hash;
} recorded[] = {
#include "scene_hashes.inc"
};

#define RECORDED_COUNT ((int)(sizeof recorded / sizeof recorded[0]))

static uint64_t hashAfterRun(int index, int threadCount) {
    const sdScene* scene = sdScene_Find(recorded[index].name);
    sdScheduler* scheduler = NULL;
    sdContext context = sdContext_Default();
    if (threadCount > 1 && CHECK_INT(sdScheduler_Create(NULL, threadCount, &scheduler), SD_OK)) {
        context.tasks = sdScheduler_GetTasks(scheduler);
    }
    uint64_t hash = 0;
    sdWorld* world = build(scene, &context, recorded[index].size);
    if (world != NULL && run(world, scene, HASH_STEPS)) {
        hash = sdWorld_GetHash(world);
    }
    sdWorld_Destroy(world);
    sdScheduler_Destroy(scheduler);
    return hash;
}

static void checkHashes(int threadCount) {
    uint64_t hashes[RECORDED_COUNT];
    bool isSame = true;
    for (int i = 0; i < RECORDED_COUNT; ++i) {
        hashes[i] = hashAfterRun(i, threadCount);
        isSame = hashes[i] == recorded[i].hash && isSame;
    }
    CHECK(isSame);
    for (int i = 0; i < RECORDED_COUNT && !isSame; ++i) {
        sdTest_Print("{\"%s\", %d, 0x%016llx},%s", recorded[i].name, recorded[i].size,
                     (unsigned long long)hashes[i],
                     hashes[i] == recorded[i].hash ? "" : " // recorded: another");
    }
}

SD_TEST(scene_hashes_are_those_recorded) {
    checkHashes(1);
}

SD_TEST(scene_hashes_are_those_recorded_parallel_2) {
    checkHashes(2);
}

SD_TEST(scene_hashes_are_those_recorded_parallel_4) {
    checkHashes(4);
}

SD_TEST(scene_hashes_are_those_recorded_at_the_base_level) {
    sdTest_Print(TestSimd_ForceBase(true) ? "SSE2 instead of AVX2" : "the only level there is");
    checkHashes(1);
    TestSimd_ForceBase(false);
}
