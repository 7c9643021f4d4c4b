// SPDX-License-Identifier: MIT
// scene_text.c - see scene_text.h.

#include "scene_text.h"

#include "scenefile.h"

#include <stdlib.h>
#include <string.h>

#define STEP_COUNT 2
/// More is right, and takes long.
#define MAX_STEPPED_BODIES 60

typedef struct Text {
    char* data;
    size_t length, capacity;
} Text;

static bool addText(void* user, const char* text, size_t length) {
    Text* t = user;
    if (t->length + length > t->capacity) {
        t->capacity = 2 * (t->length + length);
        t->data = realloc(t->data, t->capacity);
        CHECK(t->data != NULL);
    }
    memcpy(t->data + t->length, text, length);
    t->length += length;
    return true;
}

static sdWorld* build(const sdContext* context, const sdSceneFile* file) {
    sdWorld* world = NULL;
    CHECK_INT(sdWorld_Create(context, sdSceneFile_GetWorldDef(file), &world), SD_OK);
    CHECK_INT(sdSceneFile_Build(file, world, NULL), SD_OK);
    return world;
}

/// A world of the text of another.
static sdWorld* copy(const sdContext* context, const sdWorld* world, const sdSceneInfo* info) {
    Text text = {0};
    CHECK_INT(sdSceneFile_Write(context, world, info, addText, &text), SD_OK);
    sdSceneFile* file = NULL;
    sdFault fault = {0};
    sdResult result =
        sdSceneFile_Parse(context, "again.json", text.data, text.length, NULL, &file, &fault);
    sdTest_Check(result == SD_OK, __FILE__, __LINE__, fault.text);
    sdWorld* again = build(context, file);
    sdSceneFile_Destroy(file);
    free(text.data);
    return again;
}

/// A world as it was built, written and read again, is the same.
static void writeAndRead(const sdContext* context, const sdWorld* world, const sdSceneInfo* info) {
    sdWorld* again = copy(context, world, info);
    CHECK(sdWorld_GetHash(again) == sdWorld_GetHash(world));
    sdWorld_Destroy(again);
}

/// Contacts are not written, and slots of bodies that are gone close up: it need not do the same.
void FuzzSceneText_Copy(const sdContext* context, const sdWorld* world) {
    sdWorld* again = copy(context, world, NULL);
    sdWorldStats stats = sdWorld_GetStats(world), other = sdWorld_GetStats(again);
    CHECK_INT(other.bodyCount, stats.bodyCount);
    CHECK_INT(other.shapeCount, stats.shapeCount);
    // those that hold nothing are left out
    CHECK(other.jointCount <= stats.jointCount);
    CHECK_INT(sdWorld_Step(again, 1.0f / 60.0f), SD_OK);
    sdWorld_Destroy(again);
}

static uint64_t step(uint64_t hash, sdWorld* world, float dt) {
    sdWorldDef def = sdWorld_GetDef(world);
    // what takes minutes is no fault
    def.subStepCount = sdMinI(def.subStepCount, 8);
    def.jointSubStepCount = sdMinI(def.jointSubStepCount, 8);
    def.maxPartCount = sdMinI(def.maxPartCount, 4);
    def.impulse.collisionPassCount = sdMinI(def.impulse.collisionPassCount, 10);
    def.impulse.contactPassCount = sdMinI(def.impulse.contactPassCount, 10);
    def.impulse.jointPassCount = sdMinI(def.impulse.jointPassCount, 10);
    CHECK_INT(sdWorld_SetDef(world, &def), SD_OK);
    for (int i = 0; i < STEP_COUNT; ++i) {
        CHECK_INT(sdWorld_Step(world, dt), SD_OK);
    }
    sdBodyId bodies[MAX_STEPPED_BODIES];
    int count = sdWorld_GetBodies(world, bodies, MAX_STEPPED_BODIES);
    for (int i = 0; i < count; ++i) {
        CHECK(sdPos_IsFinite(sdBody_GetCenter(world, bodies[i])));
        CHECK(sdVec3_IsFinite(sdBody_GetVelocity(world, bodies[i])));
    }
    return FuzzHash_Int(hash, (long long)sdWorld_GetHash(world));
}

uint64_t FuzzSceneText_Run(uint64_t hash, const char* text, size_t length) {
    TestContext test;
    TestContext_Init(&test);
    sdSceneFile* file = NULL;
    sdFault fault = {0};
    sdResult result =
        sdSceneFile_Parse(&test.context, "fuzz.json", text, length, NULL, &file, &fault);
    CHECK((result == SD_OK) == (file != NULL));
    hash = FuzzHash_Int(hash, result);
    if (file == NULL) {
        CHECK(fault.text[0] != '\0' && fault.line >= 0 && fault.column >= 0);
        hash = FuzzHash_Int(FuzzHash_Int(hash, fault.line), fault.column);
    } else {
        sdWorld* world = build(&test.context, file);
        writeAndRead(&test.context, world, sdSceneFile_GetInfo(file));
        if (sdSceneFile_GetBodyCount(file) <= MAX_STEPPED_BODIES) {
            hash = step(hash, world, sdSceneFile_GetInfo(file)->dt);
        }
        sdWorld_Destroy(world);
        sdSceneFile_Destroy(file);
    }
    TestContext_Finish(&test);
    return hash;
}
