// SPDX-License-Identifier: MIT
// Snapshots as bytes: the same world elsewhere. What is not a snapshot is refused with words, and
// neither that nor short memory changes anything.

#include "snapshot_support.h"

#include "base/image.h"
#include "broadphase/broadphase.h"
#include "dynamics/world.h"

#include <stdlib.h>
#include <string.h>

// ---- bytes ---------------------------------------------------------------------------------

/// A yard with all kinds of things.
static sdWorld* openYard(const sdContext* context) {
    sdWorld* world = NULL;
    CHECK_INT(sdWorld_Create(context, NULL, &world), SD_OK);
    TestYard_Build(world);
    return world;
}

SD_TEST(snapshot_bytes_make_the_same_world_elsewhere) {
    sdWorld* world = openYard(NULL);
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

/// Give altered bytes the checksum of a snapshot that is whole, and live in the world that they
/// make.
/// @return whether they were taken
static bool tryForged(TestContext* test, const char* bytes, size_t size, const sdShape* object) {
    sdSnapshot* snapshot = NULL;
    sdWorld* world = NULL;
    char* copy = malloc(size);
    memcpy(copy, bytes, size);
    sdImage_Seal(copy);
    CHECK_INT(sdSnapshot_Create(&test->context, &snapshot), SD_OK);
    CHECK_INT(sdWorld_Create(&test->context, NULL, &world), SD_OK);
    test->lastError[0] = '\0';
    bool isTaken = sdSnapshot_SetBytes(snapshot, copy, size, object, 1) == SD_OK;
    CHECK(isTaken || strlen(test->lastError) > 0);
    if (isTaken && sdWorld_Restore(world, snapshot) == SD_OK) {
        TestWorld_LiveOn(world);
    }
    sdWorld_Destroy(world);
    sdSnapshot_Destroy(snapshot);
    free(copy);
    return isTaken;
}

/// A small world and its bytes, to be altered.
typedef struct Forgery {
    TestContext test;
    sdHull* hull;
    sdShape object; ///< the hull, which the bytes ask for
    sdWorld* world;
    char* bytes;
    size_t size;
} Forgery;

static bool openForgery(Forgery* f) {
    TestContext_Init(&f->test);
    f->hull = makeHull(0.5f, 8);
    f->object = sdShape_Hull(f->hull);
    f->world = openSmall(&f->test.context, f->hull);
    sdSnapshot* here = NULL;
    if (sdSnapshot_Create(&f->test.context, &here) != SD_OK ||
        sdWorld_Save(f->world, here) != SD_OK) {
        return false;
    }
    const void* bytes = sdSnapshot_GetBytes(here, &f->size);
    f->bytes = malloc(f->size);
    memcpy(f->bytes, bytes, f->size);
    sdSnapshot_Destroy(here);
    return true;
}

static void closeForgery(Forgery* f) {
    free(f->bytes);
    sdWorld_Destroy(f->world);
    sdHull_Release(f->hull);
    TestContext_Finish(&f->test);
}

SD_TEST(snapshot_bytes_of_strangers_never_lead_astray) {
    Forgery f;
    REQUIRE(openForgery(&f));
    char* copy = f.bytes;
    size_t size = f.size;
    CHECK(tryForged(&f.test, copy, size, &f.object));
    // zero, no index, too many of anything, true that is not, not a number, huge
    const uint32_t values[] = {0u, UINT32_MAX, INT32_MAX, 2u, 0x7FC00000u, 0x7F000000u};
    int takenCount = 0, count = 0;
    for (size_t i = offsetof(sdImageHead, checksum) + 8; i + 4 <= size; i += 4) {
        uint32_t before, value = values[(i / 4) % 6];
        memcpy(&before, copy + i, 4);
        for (int k = 0; k < 2; ++k, value = values[(i / 4 + 1 + i / 24 % 5) % 6]) {
            memcpy(copy + i, &value, 4);
            takenCount += tryForged(&f.test, copy, size, &f.object) ? 1 : 0;
            count += 1;
        }
        memcpy(copy + i, &before, 4);
    }
    sdTest_Print("%zu bytes: of %d changes %d made a world", size, count, takenCount);
    CHECK(takenCount > 0 && takenCount < count / 2);
    closeForgery(&f);
}

/// Each coordinate of the boxes of all shapes: a finite number, of which floats know nothing.
SD_TEST(snapshot_with_a_box_beyond_floats_is_refused) {
    Forgery f;
    REQUIRE(openForgery(&f));
    char* copy = f.bytes;
    size_t size = f.size;
    size_t boxBytes = (size_t)f.world->boxes.count * sizeof(sdWorldBox), place = 0;
    while (place + boxBytes < size && memcmp(copy + place, f.world->boxes.data, boxBytes) != 0) {
        place += 8;
    }
    REQUIRE(place + boxBytes < size);
    for (size_t i = 0; i < boxBytes; i += sizeof(double)) {
        // the lower corner, then the upper one
        double before, beyond = i % sizeof(sdWorldBox) < sizeof(sdPos) ? -1e300 : 1e300;
        memcpy(&before, copy + place + i, sizeof before);
        memcpy(copy + place + i, &beyond, sizeof beyond);
        CHECK(!tryForged(&f.test, copy, size, &f.object));
        CHECK_TEXT(f.test.lastError, "a mass or box that cannot be");
        memcpy(copy + place + i, &before, sizeof before);
    }
    CHECK(tryForged(&f.test, copy, size, &f.object));
    closeForgery(&f);
}

SD_TEST(snapshot_of_another_version_is_refused) {
    TestContext test;
    TestContext_Init(&test);
    sdHull* hull = makeHull(0.5f, 8);
    sdWorld* world = openSmall(&test.context, hull);
    sdSnapshot* snapshot = NULL;
    REQUIRE(sdSnapshot_Create(&test.context, &snapshot) == SD_OK);
    REQUIRE(sdWorld_Save(world, snapshot) == SD_OK);
    size_t size;
    const void* bytes = sdSnapshot_GetBytes(snapshot, &size);
    char* copy = malloc(size);
    memcpy(copy, bytes, size);
    sdImageHead head;
    memcpy(&head, copy, sizeof head);
    CHECK_INT(head.version, SD_IMAGE_VERSION);
    sdShape object = sdShape_Hull(hull);
    const uint32_t versions[4] = {0, SD_IMAGE_VERSION - 1, SD_IMAGE_VERSION + 1, UINT32_MAX};
    for (int i = 0; i < 4; ++i) {
        head.version = versions[i];
        memcpy(copy, &head, sizeof head);
        CHECK_INT(sdSnapshot_SetBytes(snapshot, copy, size, &object, 1), SD_ERROR_VERSION);
        CHECK(strstr(test.lastError, "another version") != NULL);
    }
    // it still is what it was
    uint64_t print = TestWorld_Fingerprint(world);
    TestWorld_Run(world, 5);
    CHECK(sdWorld_Restore(world, snapshot) == SD_OK && TestWorld_Fingerprint(world) == print);
    free(copy);
    sdWorld_Destroy(world);
    sdSnapshot_Destroy(snapshot);
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
    sdWorld* first = openYard(&test.context);
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
    sdWorld* world = openYard(NULL);
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
