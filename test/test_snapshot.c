// SPDX-License-Identifier: MIT
// Going back in time: the way on is the same to the last bit. What is not a snapshot is refused.

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
    CHECK_INT(sizeof(sdWorld) - sizeof(sdWorldDef) - sizeof(sdWorldStats), 932);
    CHECK_INT(sizeof(sdBody), 256);
    CHECK_INT(sizeof(sdFixture) - sizeof(sdShapeDef), 64);
    CHECK_INT(sizeof(sdShapeDef), 136);
    CHECK_INT(sizeof(sdShapePair), 44);
    CHECK_INT(sizeof(sdPatch), 136);
    CHECK_INT(sdContactStore_GetSize(SD_STORE_SLIM), 96);
    CHECK_INT(sdContactStore_GetSize(SD_STORE_FULL), 256);
    CHECK_INT(sizeof(sdManyContact), 56);
    CHECK_INT(sizeof(sdJoint) - sizeof(sdJointDef), 120);
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

static const Place places[] = {{"pyramid", 8}, {"pile", 60},     {"rain", 40},    {"card-house", 2},
                               {"arch", 9},    {"dominoes", 12}, {"bullets", 12}, {NULL, 0}};

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

SD_TEST(snapshot_going_back_and_on_again_is_the_same) {
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
        rollBack(&places[i], TestCount(1000), MOMENT_BEFORE);
    }
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

// ---- bytes ---------------------------------------------------------------------------------

SD_TEST(snapshot_bytes_make_the_same_world_elsewhere) {
    sdWorld* world = openPlace(&(Place){NULL, 0}, NULL);
    sdSnapshot *here = NULL, *there = NULL;
    REQUIRE(sdSnapshot_Create(NULL, &here) == SD_OK && sdSnapshot_Create(NULL, &there) == SD_OK);
    TestWorld_Run(world, 40);
    REQUIRE(sdWorld_Save(world, here) == SD_OK);
    size_t size;
    const char* bytes = sdSnapshot_GetBytes(here, &size);
    sdShape objects[32];
    int count = sdSnapshot_GetObjects(here, objects, 32);
    CHECK(count > 5 && count <= 32);
    // not aligned
    char* moved = malloc(size + 1);
    memcpy(moved + 1, bytes, size);
    REQUIRE(sdSnapshot_SetBytes(there, moved + 1, size, objects, count) == SD_OK);
    free(moved);
    sdWorld* other = TestWorld_Make(sdWorldDef_Default());
    REQUIRE(sdWorld_Restore(other, there) == SD_OK);
    for (int i = 0; i < 40; ++i) {
        CHECK(TestWorld_StirredStep(world, i) == TestWorld_StirredStep(other, i));
    }
    sdTest_Print("%zu bytes for %d bodies", size, sdWorld_GetStats(world).bodyCount);
    sdWorld_Destroy(world);
    sdWorld_Destroy(other);
    sdSnapshot_Destroy(here);
    sdSnapshot_Destroy(there);
}

/// Small, but with a joint, a hull and contacts.
static sdWorld* openSmall(const sdContext* context, const sdHull* hull) {
    sdWorld* world = NULL;
    CHECK_INT(sdWorld_Create(context, NULL, &world), SD_OK);
    TestWorld_AddFloor(world, sdMaterial_Default());
    sdBodyId a = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.49, 0.0), TestWorld_BoxOf(0.5f));
    sdBodyId b = TestWorld_AddDynamic(world, sdPos_Make(2.0, 0.5, 0.0),
                                      sdShapeDef_Default(sdShape_Hull(hull)));
    sdJointDef def = sdJointDef_Make(SD_JOINT_BALL, a, b);
    CHECK_INT(sdJointDef_Place(world, &def, sdPos_Make(1.0, 0.5, 0.0), sdV3(1.0f, 0.0f, 0.0f)),
              SD_OK);
    sdJointId joint;
    CHECK_INT(sdJoint_Create(world, &def, &joint), SD_OK);
    TestWorld_Run(world, 2);
    return world;
}

static sdHull* makeHull(float size, int count) {
    sdVec3 points[16];
    TestRandom random = TestRandom_Make(3);
    for (int i = 0; i < count; ++i) {
        points[i] = sdScale(size, TestRandom_OnSphere(&random));
    }
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = count;
    sdHull* hull = NULL;
    CHECK_INT(sdHull_Create(NULL, &def, &hull), SD_OK);
    return hull;
}

SD_TEST(snapshot_bytes_that_were_altered_are_refused) {
    TestContext test;
    TestContext_Init(&test);
    sdHull* hull = makeHull(0.5f, 8);
    sdWorld* world = openSmall(&test.context, hull);
    sdSnapshot *here = NULL, *there = NULL;
    REQUIRE(sdSnapshot_Create(&test.context, &here) == SD_OK);
    REQUIRE(sdSnapshot_Create(&test.context, &there) == SD_OK);
    REQUIRE(sdWorld_Save(world, here) == SD_OK);
    size_t size;
    const void* bytes = sdSnapshot_GetBytes(here, &size);
    sdShape object = sdShape_Hull(hull);
    char* copy = malloc(size + 8);
    memcpy(copy, bytes, size);
    REQUIRE(sdSnapshot_SetBytes(there, copy, size, &object, 1) == SD_OK);
    int wrongCount = 0;
    for (size_t i = 0; i < size; ++i) {
        copy[i] ^= (char)(1 << (i % 8));
        sdResult result = sdSnapshot_SetBytes(there, copy, size, &object, 1);
        wrongCount += result != SD_ERROR_BAD_FILE && result != SD_ERROR_VERSION ? 1 : 0;
        copy[i] ^= (char)(1 << (i % 8));
    }
    CHECK_INT(wrongCount, 0);
    for (size_t i = 1; i < size + 8; ++i) {
        char* part = malloc(i); // so that a sanitizer sees reading beyond its end
        memset(part, 0, i);
        memcpy(part, copy, i < size ? i : size);
        sdResult result = sdSnapshot_SetBytes(there, part, i, &object, 1);
        wrongCount += (result == SD_OK) != (i == size) ? 1 : 0;
        free(part);
    }
    CHECK_INT(wrongCount, 0);
    sdTest_Print("%zu bytes, each altered once, and cut at each", size);
    CHECK(strlen(test.lastError) > 0);
    // it still is what it was
    uint64_t print = TestWorld_Fingerprint(world);
    TestWorld_Run(world, 5);
    CHECK(sdWorld_Restore(world, there) == SD_OK && TestWorld_Fingerprint(world) == print);
    free(copy);
    sdWorld_Destroy(world);
    sdSnapshot_Destroy(here);
    sdSnapshot_Destroy(there);
    sdHull_Release(hull);
    TestContext_Finish(&test);
}

SD_TEST(snapshot_objects_must_be_those_that_were_there) {
    TestContext test;
    TestContext_Init(&test);
    sdHull *hull = makeHull(0.5f, 8), *larger = makeHull(0.6f, 8);
    sdWorld* world = openSmall(&test.context, hull);
    sdSnapshot *here = NULL, *there = NULL;
    REQUIRE(sdSnapshot_Create(&test.context, &here) == SD_OK);
    REQUIRE(sdSnapshot_Create(&test.context, &there) == SD_OK);
    size_t size;
    CHECK(sdSnapshot_GetBytes(here, &size) == NULL && size == 0);
    REQUIRE(sdWorld_Save(world, here) == SD_OK);
    const void* bytes = sdSnapshot_GetBytes(here, &size);
    sdShape right = sdShape_Hull(hull), wrong = sdShape_Hull(larger), box = sdShape_Box(1, 1, 1);
    sdShape two[] = {right, right};
    CHECK(sdSnapshot_SetBytes(there, bytes, size, &wrong, 1) == SD_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT(test.lastError, "not the one that was there");
    CHECK(sdSnapshot_SetBytes(there, bytes, size, &box, 1) == SD_ERROR_INVALID_ARGUMENT);
    CHECK(sdSnapshot_SetBytes(there, bytes, size, NULL, 0) == SD_ERROR_INVALID_ARGUMENT);
    CHECK(sdSnapshot_SetBytes(there, bytes, size, NULL, 1) == SD_ERROR_INVALID_ARGUMENT);
    CHECK(sdSnapshot_SetBytes(there, bytes, size, two, 2) == SD_ERROR_INVALID_ARGUMENT);
    CHECK(sdSnapshot_SetBytes(there, bytes, 0, &right, 1) == SD_ERROR_INVALID_ARGUMENT);
    CHECK(sdSnapshot_SetBytes(there, NULL, size, &right, 1) == SD_ERROR_INVALID_ARGUMENT);
    CHECK(sdWorld_Restore(world, there) == SD_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT(test.lastError, "empty");
    CHECK(sdSnapshot_SetBytes(there, bytes, size, &right, 1) == SD_OK);
    sdWorld_Destroy(world);
    sdHull_Release(hull);
    sdHull_Release(larger);
    sdSnapshot_Destroy(here);
    sdSnapshot_Destroy(there);
    TestContext_Finish(&test);
}

SD_TEST(snapshot_of_other_settings_is_refused) {
    TestContext test;
    TestContext_Init(&test);
    sdWorldDef def = sdWorldDef_Default();
    sdWorld *a = NULL, *b = NULL;
    sdSnapshot* snapshot = NULL;
    REQUIRE(sdWorld_Create(&test.context, &def, &a) == SD_OK);
    def.broadphase.margin *= 2.0f;
    REQUIRE(sdWorld_Create(&test.context, &def, &b) == SD_OK);
    REQUIRE(sdSnapshot_Create(&test.context, &snapshot) == SD_OK);
    REQUIRE(sdWorld_Save(a, snapshot) == SD_OK);
    CHECK(sdWorld_Restore(b, snapshot) == SD_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT(test.lastError, "broad phase");
    CHECK(sdWorld_Save(NULL, snapshot) == SD_ERROR_INVALID_ARGUMENT);
    CHECK(sdWorld_Save(a, NULL) == SD_ERROR_INVALID_ARGUMENT);
    CHECK(sdWorld_Restore(NULL, snapshot) == SD_ERROR_INVALID_ARGUMENT);
    CHECK(sdWorld_Restore(a, NULL) == SD_ERROR_INVALID_ARGUMENT);
    CHECK(sdSnapshot_Create(&test.context, NULL) == SD_ERROR_INVALID_ARGUMENT);
    sdSnapshot_Destroy(snapshot);
    sdWorld_Destroy(a);
    sdWorld_Destroy(b);
    TestContext_Finish(&test);
}

// ---- callbacks -----------------------------------------------------------------------------

typedef struct Caller {
    sdWorld* world;
    sdSnapshot* snapshot;
    int callCount, wrongCount;
} Caller;

static void callBack(void* user, const sdWorld* world, sdBodyId body, const sdMotionState* state,
                     sdVec3* force, sdVec3* torque) {
    (void)world, (void)body, (void)state, (void)force, (void)torque;
    Caller* caller = user;
    caller->callCount += 1;
    caller->wrongCount += sdWorld_Save(caller->world, caller->snapshot) != SD_ERROR_LOCKED ? 1 : 0;
    caller->wrongCount +=
        sdWorld_Restore(caller->world, caller->snapshot) != SD_ERROR_LOCKED ? 1 : 0;
}

SD_TEST(snapshot_waits_for_the_end_of_a_step) {
    TestContext test;
    TestContext_Init(&test);
    sdHull* hull = makeHull(0.5f, 8);
    sdWorld* world = openSmall(&test.context, hull);
    Caller caller = {.world = world};
    REQUIRE(sdSnapshot_Create(&test.context, &caller.snapshot) == SD_OK);
    REQUIRE(sdWorld_Save(world, caller.snapshot) == SD_OK);
    sdWorld_SetForceFcn(world, callBack, &caller);
    TestWorld_Run(world, 1);
    CHECK(caller.callCount > 0);
    CHECK_INT(caller.wrongCount, 0);
    CHECK(sdWorld_Restore(world, caller.snapshot) == SD_OK);
    sdWorld_Destroy(world);
    sdSnapshot_Destroy(caller.snapshot);
    sdHull_Release(hull);
    TestContext_Finish(&test);
}

// ---- memory --------------------------------------------------------------------------------

typedef sdResult Call(void* arg);

/// Call with each allocation failing in turn, until it is done; the world must not change before.
static int failEach(TestContext* test, Call* call, void* arg, const sdWorld* world) {
    uint64_t print = TestWorld_Fingerprint(world);
    for (int i = 0; i < 1000; ++i) {
        test->failAt = test->allocationCount + i;
        sdResult result = call(arg);
        test->failAt = -1;
        if (result == SD_OK) {
            return i;
        }
        CHECK_INT(result, SD_ERROR_OUT_OF_MEMORY);
        CHECK(TestWorld_Fingerprint(world) == print);
        CHECK(sdBroadphase_Validate(world->broadphase));
    }
    CHECK(false);
    return 0;
}

typedef struct Args {
    sdWorld* world;
    sdSnapshot* snapshot;
    sdHistory* history;
    const void* bytes;
    size_t size;
    sdShape objects[32];
    int objectCount;
} Args;

static sdResult saveCall(void* arg) {
    Args* args = arg;
    return sdWorld_Save(args->world, args->snapshot);
}

static sdResult restoreCall(void* arg) {
    Args* args = arg;
    return sdWorld_Restore(args->world, args->snapshot);
}

static sdResult recordCall(void* arg) {
    Args* args = arg;
    int count = sdHistory_GetCount(args->history);
    sdResult result = sdHistory_Record(args->history, args->world);
    CHECK_INT(sdHistory_GetCount(args->history), count + (result == SD_OK ? 1 : 0));
    return result;
}

static sdResult backCall(void* arg) {
    Args* args = arg;
    int count = sdHistory_GetCount(args->history);
    sdResult result = sdHistory_Restore(args->history, args->world, 5);
    CHECK_INT(sdHistory_GetCount(args->history), count - (result == SD_OK ? 5 : 0));
    return result;
}

static sdResult bytesCall(void* arg) {
    Args* args = arg;
    return sdSnapshot_SetBytes(args->snapshot, args->bytes, args->size, args->objects,
                               args->objectCount);
}

SD_TEST(snapshot_without_memory_changes_nothing) {
    TestContext test;
    TestContext_Init(&test);
    sdWorld* first = openPlace(&(Place){NULL, 0}, &test.context);
    sdSnapshot* away = NULL;
    Args args = {.world = first};
    REQUIRE(sdSnapshot_Create(&test.context, &args.snapshot) == SD_OK);
    REQUIRE(sdSnapshot_Create(&test.context, &away) == SD_OK);
    REQUIRE(sdHistory_Create(&test.context, 10, &args.history) == SD_OK);
    for (int i = 0; i < 50; ++i) {
        TestWorld_StirredStep(first, i);
    }
    int saves = failEach(&test, saveCall, &args, first);
    sdHull* hull = makeHull(0.5f, 8);
    args.world = openSmall(&test.context, hull);
    restoreCall(&args);
    CHECK(TestWorld_Fingerprint(args.world) == TestWorld_Fingerprint(first));
    for (int i = 50; i < 60; ++i) {
        CHECK(TestWorld_StirredStep(args.world, i) == TestWorld_StirredStep(first, i));
    }
    int records = 0;
    for (int i = 60; i < 68; ++i) {
        records += failEach(&test, recordCall, &args, args.world);
        TestWorld_StirredStep(args.world, i);
    }
    int backs = failEach(&test, backCall, &args, args.world);
    for (int i = 60; i < 62; ++i) {
        TestWorld_StirredStep(first, i);
    }
    CHECK(TestWorld_Fingerprint(args.world) == TestWorld_Fingerprint(first));
    REQUIRE(sdWorld_Save(first, away) == SD_OK);
    args.bytes = sdSnapshot_GetBytes(away, &args.size);
    args.objectCount = sdSnapshot_GetObjects(away, args.objects, 32);
    int loads = failEach(&test, bytesCall, &args, first);
    sdTest_Print("allocations: save %d, 8 records %d, history %d, bytes %d", saves, records, backs,
                 loads);
    CHECK(saves > 0 && records > 8 && loads > 0);
    sdWorld_Destroy(args.world);
    sdWorld_Destroy(first);
    sdSnapshot_Destroy(args.snapshot);
    sdSnapshot_Destroy(away);
    sdHistory_Destroy(args.history);
    sdHull_Release(hull);
    TestContext_Finish(&test);
}

SD_TEST(snapshot_restore_without_memory_changes_nothing) {
    sdWorld* world = openPlace(&(Place){NULL, 0}, NULL);
    sdHull* hull = makeHull(0.5f, 8);
    Args args = {.world = NULL};
    REQUIRE(sdSnapshot_Create(NULL, &args.snapshot) == SD_OK);
    for (int i = 0; i < 50; ++i) {
        TestWorld_StirredStep(world, i);
    }
    REQUIRE(sdWorld_Save(world, args.snapshot) == SD_OK);
    uint64_t next = TestWorld_StirredStep(world, 50);
    bool isDone = false;
    int count = 0;
    for (; !isDone && count < 1000; ++count) {
        TestContext test;
        TestContext_Init(&test);
        // other things are in it; each time a new one, which has not kept any memory
        args.world = openSmall(&test.context, hull);
        uint64_t print = TestWorld_Fingerprint(args.world);
        test.failAt = test.allocationCount + count;
        sdResult result = restoreCall(&args);
        test.failAt = -1;
        isDone = result == SD_OK;
        CHECK(isDone || result == SD_ERROR_OUT_OF_MEMORY);
        CHECK(isDone || TestWorld_Fingerprint(args.world) == print);
        CHECK(sdBroadphase_Validate(args.world->broadphase));
        CHECK(isDone || sdWorld_Step(args.world, DT) == SD_OK);
        CHECK(isDone || restoreCall(&args) == SD_OK);
        CHECK(TestWorld_StirredStep(args.world, 50) == next);
        sdWorld_Destroy(args.world);
        TestContext_Finish(&test);
    }
    sdTest_Print("restore: %d allocations", count - 1);
    CHECK(isDone && count > 30);
    sdWorld_Destroy(world);
    sdSnapshot_Destroy(args.snapshot);
    sdHull_Release(hull);
}
