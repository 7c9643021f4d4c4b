// SPDX-License-Identifier: MIT
// Going back in time: the way on is the same to the last bit.

#include "scenes.h"
#include "snapshot_support.h"

#include "base/delta.h"
#include "broadphase/broadphase.h"
#include "dynamics/world.h"

#include <stdlib.h>
#include <string.h>

// ---- nothing forgotten ---------------------------------------------------------------------

/// Whoever changes one of these looks at listParts of snapshot.c (or, of the broad phase,
/// sdBroadphase_ListParts): is the new field part of the state, and has it an address? A change of
/// meaning needs a new SD_IMAGE_VERSION. Then the new size belongs here.
SD_TEST(snapshot_has_been_told_of_every_field) {
    if (sizeof(void*) != 8) {
        return;
    }
    CHECK_INT(sizeof(sdWorld) - sizeof(sdWorldDef) - sizeof(sdWorldStats), 948);
    CHECK_INT(sizeof(sdBody), 256);
    CHECK_INT(sizeof(sdFixture) - sizeof(sdShapeDef), 64);
    CHECK_INT(sizeof(sdShapeDef), 136);
    CHECK_INT(sizeof(sdShapePair), 44);
    CHECK_INT(sizeof(sdPatch), 172);
    CHECK_INT(sdContactStore_GetSize(SD_STORE_SLIM), 128);
    CHECK_INT(sdContactStore_GetSize(SD_STORE_FULL), 288);
    CHECK_INT(sizeof(sdManyContact), 56);
    CHECK_INT(sizeof(sdJoint) - sizeof(sdJointDef), 160);
    CHECK_INT(sizeof(sdBroadphase) - sizeof(sdBroadphaseDef) - sizeof(sdBroadphaseStats), 520);
    CHECK_INT(sizeof(sdProxy), 24);
    CHECK_INT(sizeof(sdIdPool), 40);
    CHECK_INT(sizeof(sdSlotPool), 32);
}

// ---- rollback ------------------------------------------------------------------------------

typedef struct Place {
    const char* scene; ///< NULL: the yard
    int size;
} Place;

static const Place places[] = {{"pyramid", 8},    {"pile", 60}, {"rain", 40},
                               {"card-house", 2}, {"arch", 9},  {"domino-ring", 12},
                               {"bullets", 12},   {NULL, 0}};

static const char* nameOf(const Place* place) {
    return place->scene != NULL ? place->scene : "yard";
}

static sdWorld* openPlace(const Place* place, const sdContext* context) {
    const sdScene* scene = place->scene != NULL ? sdScene_Find(place->scene) : NULL;
    sdWorldDef def = scene != NULL ? sdScene_GetWorldDef(scene) : sdWorldDef_Default();
    sdWorld* world = NULL;
    CHECK_INT(sdWorld_Create(context, &def, &world), SD_OK);
    if (scene == NULL) {
        TestYard_Build(world);
    } else {
        sdSceneOptions options = {.size = place->size};
        CHECK_INT(sdScene_Build(scene, world, &options), SD_OK);
    }
    return world;
}

#define BACK 30
#define MAX_STEPS 20000

/// When the state is kept that a step is made again from.
typedef enum Moment {
    MOMENT_QUIET,  ///< between steps, and nothing is changed there
    MOMENT_BEFORE, ///< before the changes that belong to a step
    MOMENT_AFTER   ///< after them, when they have not been dealt with
} Moment;

/// @param isFirst the state is the one that was kept
static void advance(sdWorld* world, sdHistory* history, Moment moment, int step, bool isFirst) {
    if (moment != MOMENT_AFTER && !isFirst) {
        CHECK_INT(sdHistory_Record(history, world), SD_OK);
    }
    if (moment == MOMENT_BEFORE || (moment == MOMENT_AFTER && !isFirst)) {
        TestWorld_Stir(world, step);
    }
    if (moment == MOMENT_AFTER && !isFirst) {
        CHECK_INT(sdHistory_Record(history, world), SD_OK);
    }
    // boxes that were made for a shorter step do not suit a longer one
    CHECK_INT(sdWorld_Step(world, step % 7 == 3 ? 1.5f * DT : DT), SD_OK);
}

/// Again and again: on by some steps, back by BACK of them, and on to where it was.
static void rollBack(const Place* place, int trialCount, Moment moment) {
    uint64_t* prints = malloc(MAX_STEPS * sizeof *prints);
    TestRandom random = TestRandom_Make(5);
    sdHistory* history = NULL;
    REQUIRE(sdHistory_Create(NULL, 60, &history) == SD_OK);
    sdWorld* world = openPlace(place, NULL);
    int step = 0, compared = 0, wrongCount = 0;
    for (int trial = 0; trial < trialCount && wrongCount == 0; ++trial) {
        int end = step + (trial == 0 ? BACK : 1 + TestRandom_Int(&random, 5));
        for (; step < end && step < MAX_STEPS; ++step) {
            advance(world, history, moment, step, false);
            prints[step] = TestWorld_Fingerprint(world);
        }
        REQUIRE(sdHistory_Restore(history, world, BACK - 1) == SD_OK);
        if (moment != MOMENT_AFTER && step > BACK) {
            CHECK(TestWorld_Fingerprint(world) == prints[step - BACK - 1]);
        }
        for (int i = step - BACK; i < step; ++i) {
            advance(world, history, moment, i, i == step - BACK);
            wrongCount += TestWorld_Fingerprint(world) != prints[i] ? 1 : 0;
            ++compared;
        }
    }
    CHECK_INT(wrongCount, 0);
    sdTest_Print("%s: went back %d steps %d times, %d steps compared; %.0f kB for %d snapshots",
                 nameOf(place), BACK, trialCount, compared,
                 (double)sdHistory_GetByteCount(history) / 1e3, sdHistory_GetCount(history));
    sdWorld_Destroy(world);
    sdHistory_Destroy(history);
    free(prints);
}

/// A body that touches two others is hit: in which of the orders that trees may give it meets them
/// at that moment must not count. It happens here after so many steps.
SD_TEST(snapshot_what_meets_two_at_once_goes_on_the_same) {
    enum { BEFORE = 2253, AFTER = 6 };
    sdSnapshot* kept = NULL;
    REQUIRE(sdSnapshot_Create(NULL, &kept) == SD_OK);
    sdWorld *world = openPlace(&places[2], NULL), *other = openPlace(&places[2], NULL);
    for (int step = 0; step < BEFORE; ++step) {
        TestWorld_Stir(world, step);
        CHECK_INT(sdWorld_Step(world, step % 7 == 3 ? 1.5f * DT : DT), SD_OK);
    }
    REQUIRE(sdWorld_Save(world, kept) == SD_OK);
    REQUIRE(sdWorld_Restore(other, kept) == SD_OK);
    for (int step = BEFORE; step < BEFORE + AFTER; ++step) {
        TestWorld_Stir(world, step);
        TestWorld_Stir(other, step);
        CHECK_INT(sdWorld_Step(world, step % 7 == 3 ? 1.5f * DT : DT), SD_OK);
        CHECK_INT(sdWorld_Step(other, step % 7 == 3 ? 1.5f * DT : DT), SD_OK);
        CHECK(TestWorld_Fingerprint(world) == TestWorld_Fingerprint(other));
    }
    sdWorld_Destroy(world);
    sdWorld_Destroy(other);
    sdSnapshot_Destroy(kept);
}

SD_TEST(snapshot_going_back_and_on_again_is_the_same) {
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
        rollBack(&places[i], TestCount(1000), MOMENT_BEFORE);
    }
}

/// Which of ten dolls share lanes depends on what touches them now, on nothing that was.
SD_TEST(snapshot_sets_of_joints_share_lanes_as_before) {
    rollBack(&(Place){"ragdolls", 10}, TestCount(200), MOMENT_QUIET);
}

SD_TEST(snapshot_amid_changes_is_the_same) {
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
        rollBack(&places[i], TestCount(300), MOMENT_AFTER);
    }
}

SD_TEST(snapshot_undisturbed_scenes_are_the_same) {
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
        rollBack(&places[i], TestCount(300), MOMENT_QUIET);
    }
}

static void withThreads(int count, void (*run)(const sdContext* context, void* arg), void* arg) {
    sdScheduler* scheduler = NULL;
    REQUIRE(sdScheduler_Create(NULL, count, &scheduler) == SD_OK);
    sdContext context = sdContext_Default();
    context.tasks = sdScheduler_GetTasks(scheduler);
    run(&context, arg);
    sdScheduler_Destroy(scheduler);
}

#define THREAD_STEPS 40

typedef struct Threads {
    const Place* place;
    const uint64_t* prints; ///< of one thread
    sdSnapshot* start;      ///< by one thread, before the first step
} Threads;

static void runThreads(const sdContext* context, void* arg) {
    const Threads* threads = arg;
    sdWorldDef def = sdWorldDef_Default();
    sdWorld* world = NULL;
    sdSnapshot* middle = NULL;
    REQUIRE(sdSnapshot_Create(NULL, &middle) == SD_OK);
    if (threads->place->scene != NULL) {
        def = sdScene_GetWorldDef(sdScene_Find(threads->place->scene));
    }
    // an empty world becomes the other one
    REQUIRE(sdWorld_Create(context, &def, &world) == SD_OK);
    REQUIRE(sdWorld_Restore(world, threads->start) == SD_OK);
    for (int round = 0; round < 3; ++round) {
        for (int i = round == 0 ? 0 : THREAD_STEPS / 2; i < THREAD_STEPS; ++i) {
            if (i == THREAD_STEPS / 2) {
                REQUIRE((round == 0 ? sdWorld_Save(world, middle)
                                    : sdWorld_Restore(world, middle)) == SD_OK);
            }
            CHECK(TestWorld_StirredStep(world, i) == threads->prints[i]);
        }
    }
    sdWorld_Destroy(world);
    sdSnapshot_Destroy(middle);
}

SD_TEST(snapshot_suits_any_number_of_threads) {
    static const Place some[] = {{"pile", 300}, {NULL, 0}};
    for (int k = 0; k < 2; ++k) {
        uint64_t prints[THREAD_STEPS];
        sdSnapshot* start = NULL;
        REQUIRE(sdSnapshot_Create(NULL, &start) == SD_OK);
        sdWorld* world = openPlace(&some[k], NULL);
        REQUIRE(sdWorld_Save(world, start) == SD_OK);
        for (int i = 0; i < THREAD_STEPS; ++i) {
            prints[i] = TestWorld_StirredStep(world, i);
        }
        sdWorld_Destroy(world);
        Threads threads = {&some[k], prints, start};
        for (int count = 1; count <= 4; count *= 2) {
            withThreads(count, runThreads, &threads);
        }
        sdSnapshot_Destroy(start);
    }
}

SD_TEST(snapshot_brings_back_what_is_gone) {
    sdWorld* world = openPlace(&(Place){NULL, 0}, NULL);
    sdSnapshot* snapshot = NULL;
    REQUIRE(sdSnapshot_Create(NULL, &snapshot) == SD_OK);
    TestWorld_Run(world, 30);
    REQUIRE(sdWorld_Save(world, snapshot) == SD_OK);
    uint64_t before = TestWorld_Fingerprint(world);
    sdBodyId bodies[64];
    int count = sdWorld_GetBodies(world, bodies, 64);
    for (int i = 0; i < count; ++i) {
        CHECK_INT(sdBody_Destroy(world, bodies[i]), SD_OK);
    }
    sdBodyId stranger = TestWorld_AddDynamic(world, sdPos_Make(0.0, 1.0, 0.0), TestWorld_BoxOf(1));
    TestWorld_Run(world, 3);
    REQUIRE(sdWorld_Restore(world, snapshot) == SD_OK);
    CHECK(TestWorld_Fingerprint(world) == before);
    for (int i = 0; i < count; ++i) {
        CHECK(sdBody_IsValid(world, bodies[i]));
    }
    CHECK(!sdBody_IsValid(world, stranger));
    CHECK(sdBroadphase_Validate(world->broadphase));
    TestWorld_Run(world, 10);
    CHECK(sdBroadphase_Validate(world->broadphase));
    sdWorld_Destroy(world);
    sdSnapshot_Destroy(snapshot);
}

SD_TEST(snapshot_suits_every_broad_phase) {
    sdWorld* world = openPlace(&(Place){NULL, 0}, NULL);
    sdSnapshot* snapshot = NULL;
    REQUIRE(sdSnapshot_Create(NULL, &snapshot) == SD_OK);
    uint64_t prints[40];
    REQUIRE(sdWorld_Save(world, snapshot) == SD_OK);
    for (int i = 0; i < 40; ++i) {
        prints[i] = TestWorld_StirredStep(world, i);
    }
    for (int kind = 0; kind < SD_BROADPHASE_ALL_PAIRS; ++kind) {
        sdWorldDef def = sdWorldDef_Default();
        def.broadphase.kind = (sdBroadphaseKind)kind;
        sdWorld* other = TestWorld_Make(def);
        for (int round = 0; round < 2; ++round) {
            REQUIRE(sdWorld_Restore(other, snapshot) == SD_OK);
            CHECK_INT(sdWorld_GetDef(other).broadphase.kind, SD_BROADPHASE_TREE);
            // with its own kind, which the image does not know
            REQUIRE(sdBroadphase_SetKind(other->broadphase, (sdBroadphaseKind)kind) == SD_OK);
            for (int i = 0; i < 40; ++i) {
                CHECK(TestWorld_StirredStep(other, i) == prints[i]);
            }
            CHECK(sdBroadphase_Validate(other->broadphase));
        }
        sdWorld_Destroy(other);
    }
    sdWorld_Destroy(world);
    sdSnapshot_Destroy(snapshot);
}

SD_TEST(snapshot_taken_again_has_the_same_bytes) {
    sdWorld* world = openPlace(&(Place){NULL, 0}, NULL);
    sdSnapshot* snapshots[3] = {NULL};
    size_t sizes[3];
    const void* bytes[3] = {NULL};
    TestWorld_Run(world, 60);
    for (int k = 0; k < 3; ++k) {
        REQUIRE(sdSnapshot_Create(NULL, &snapshots[k]) == SD_OK);
        REQUIRE(sdWorld_Save(world, snapshots[k]) == SD_OK);
        bytes[k] = sdSnapshot_GetBytes(snapshots[k], &sizes[k]);
        for (int i = 0; i < 20; ++i) {
            TestWorld_StirredStep(world, i);
        }
        REQUIRE(sdWorld_Restore(world, snapshots[k]) == SD_OK);
    }
    // the first time round, there was less room
    CHECK_INT(sizes[1], sizes[2]);
    CHECK(sizes[1] == sizes[2] && memcmp(bytes[1], bytes[2], sizes[1]) == 0);
    sdWorld_Destroy(world);
    for (int k = 0; k < 3; ++k) {
        sdSnapshot_Destroy(snapshots[k]);
    }
}

// ---- history -------------------------------------------------------------------------------

SD_TEST(snapshot_history_keeps_sixty) {
    sdWorld* world = openPlace(&(Place){NULL, 0}, NULL);
    sdHistory* history = NULL;
    REQUIRE(sdHistory_Create(NULL, 60, &history) == SD_OK);
    CHECK_INT(sdHistory_GetCount(history), 0);
    uint64_t prints[100];
    for (int i = 0; i < 100; ++i) {
        prints[i] = TestWorld_Fingerprint(world);
        REQUIRE(sdHistory_Record(history, world) == SD_OK);
        CHECK_INT(sdHistory_GetCount(history), sdMinI(i + 1, 60));
        TestWorld_StirredStep(world, i);
    }
    int newest = 99;
    static const int backs[] = {0, 1, 0, 2, 7, 20, 1, 28};
    for (size_t i = 0; i < sizeof backs / sizeof backs[0]; ++i) {
        REQUIRE(sdHistory_Restore(history, world, backs[i]) == SD_OK);
        newest -= backs[i];
        CHECK(TestWorld_Fingerprint(world) == prints[newest]);
        CHECK_INT(sdHistory_GetCount(history), newest - 39);
    }
    // 40 is the oldest
    CHECK_INT(newest, 40);
    CHECK(sdHistory_Restore(history, world, 1) == SD_ERROR_INVALID_ARGUMENT);
    CHECK(sdHistory_Restore(history, world, -1) == SD_ERROR_INVALID_ARGUMENT);
    for (int i = newest; i < 99; ++i) {
        TestWorld_StirredStep(world, i);
        CHECK(TestWorld_Fingerprint(world) == prints[i + 1]);
        REQUIRE(sdHistory_Record(history, world) == SD_OK);
    }
    sdWorld_Destroy(world);
    sdHistory_Destroy(history);
}

SD_TEST(snapshot_history_of_one) {
    sdWorld* world = openPlace(&(Place){"pyramid", 3}, NULL);
    sdHistory* history = NULL;
    CHECK(sdHistory_Create(NULL, 0, &history) == SD_ERROR_INVALID_ARGUMENT && history == NULL);
    REQUIRE(sdHistory_Create(NULL, 1, &history) == SD_OK);
    CHECK(sdHistory_Restore(history, world, 0) == SD_ERROR_INVALID_ARGUMENT);
    REQUIRE(sdHistory_Record(history, world) == SD_OK);
    TestWorld_Run(world, 3);
    REQUIRE(sdHistory_Record(history, world) == SD_OK);
    uint64_t print = TestWorld_Fingerprint(world);
    TestWorld_Run(world, 3);
    CHECK(sdHistory_Restore(history, world, 1) == SD_ERROR_INVALID_ARGUMENT);
    CHECK(sdHistory_Restore(history, world, 0) == SD_OK);
    CHECK(TestWorld_Fingerprint(world) == print);
    sdWorld_Destroy(world);
    sdHistory_Destroy(history);
}

SD_TEST(snapshot_differences_of_words) {
    enum { MOST = 3000 };
    static uint32_t from[MOST], to[MOST], back[MOST];
    TestRandom random = TestRandom_Make(9);
    uint8_t* delta = malloc(sdDelta_Bound(sizeof to) + SD_DELTA_SLACK);
    for (int trial = 0; trial < 300; ++trial) {
        int fromCount = TestRandom_Int(&random, MOST), count = TestRandom_Int(&random, MOST);
        int changes = trial % 3 == 0 ? MOST : TestRandom_Int(&random, 40);
        for (int i = 0; i < MOST; ++i) {
            from[i] = TestRandom_Next(&random);
            to[i] = from[i];
        }
        for (int i = 0; i < changes; ++i) {
            to[TestRandom_Int(&random, MOST)] ^=
                TestRandom_Next(&random) >> TestRandom_Int(&random, 32);
        }
        // exactly as large as they are, so that a sanitizer sees a step beyond
        uint32_t* before = malloc((size_t)fromCount * sizeof *before + 1);
        memcpy(before, from, (size_t)fromCount * sizeof *before);
        size_t size = sdDelta_Encode(before, (size_t)fromCount * 4, to, (size_t)count * 4, delta);
        CHECK(size <= sdDelta_Bound((size_t)count * 4));
        memset(back, 0xAB, sizeof back);
        CHECK_INT(sdDelta_Decode(before, (size_t)fromCount * 4, back, (size_t)count * 4, delta),
                  size);
        CHECK(memcmp(back, to, (size_t)count * 4) == 0);
        CHECK(count == MOST || back[count] == 0xABABABABu);
        free(before);
    }
    // much of the same takes little, and more than a run can count
    size_t large = 5000000;
    char* zeros = calloc(large, 1);
    CHECK(sdDelta_Encode(zeros, large, zeros, large, delta) < 32);
    free(zeros);
    free(delta);
}
