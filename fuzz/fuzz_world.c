// SPDX-License-Identifier: MIT
// fuzz_world.c - bytes as calls to a world, once with one thread and once with more. See world.h.

#include "scene_text.h"
#include "world.h"

#include <string.h>

/// Schedulers are kept: starting threads takes longer than most inputs.
static sdScheduler* schedulers[2];

static uint64_t runCalls(const uint8_t* bytes, size_t size, const sdContext* context) {
    FuzzWorld w = {.in = FuzzInput_Make(bytes, size), .context = *context};
    w.hash = TEST_HASH_START;
    w.in.wildness = FuzzInput_Byte(&w.in) % 8 == 0 ? 12 : 0;
    FuzzWorld_Create(&w);
    for (int i = 0; i < FUZZ_MAX_CALLS && !FuzzInput_IsAtEnd(&w.in); ++i) {
        FuzzWorld_Call(&w);
    }
    FuzzWorld_Check(&w);
    // of four inputs, one; files refuse some of the wild numbers that worlds take
    if (bytes[0] / 32 % 4 == 0 && w.in.wildness == 0) {
        FuzzSceneText_Copy(context, w.world);
    }
    FuzzWorld_Destroy(&w);
    return w.hash;
}

static void keepQuiet(void* user, sdLogLevel level, const char* text) {
    (void)user;
    (void)level;
    (void)text;
}

static uint64_t run(const uint8_t* bytes, size_t size) {
    if (size == 0) {
        return 0;
    }
    TestContext test;
    TestContext_Init(&test);
    uint64_t hash = runCalls(bytes, size, &test.context);
    TestContext_Finish(&test);
    // of four inputs, one is run with two threads as well, and one with four
    int choice = bytes[0] / 8 % 4;
    if (choice < 2) {
        if (schedulers[choice] == NULL) {
            CHECK_INT(sdScheduler_Create(NULL, 2 << choice, &schedulers[choice]), SD_OK);
        }
        sdContext context = sdContext_Default();
        context.logger = (sdLogger){keepQuiet, NULL};
        context.tasks = sdScheduler_GetTasks(schedulers[choice]);
        CHECK(runCalls(bytes, size, &context) == hash);
    }
    return hash;
}

// ---- seeds ---------------------------------------------------------------------------------

/// A floor, then random calls: worlds of all kinds, in which things happen.
static void addSeeds(FuzzSeeds* seeds) {
    for (int i = 0; i < 24; ++i) {
        uint8_t bytes[480];
        TestRandom random = TestRandom_Make(100 + (uint64_t)i);
        for (int k = 0; k < (int)sizeof bytes; ++k) {
            bytes[k] = (uint8_t)TestRandom_Next(&random);
        }
        // tame but for one, either solver, a static half-space turned as it is
        const uint8_t floor[] = {
            (uint8_t)(i * 8 + (i % 6 != 0)), (uint8_t)(i % 2), 0, 0, 128, 0, 128, 0, 128, 0, 0, 0};
        memcpy(bytes, floor, sizeof floor);
        FuzzSeeds_Add(seeds, bytes, i % 3 == 0 ? 200 : sizeof bytes);
    }
}

const FuzzTarget fuzzTarget = {"world", run, addSeeds, 2048, NULL};
