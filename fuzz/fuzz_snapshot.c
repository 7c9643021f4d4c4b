// SPDX-License-Identifier: MIT
// fuzz_snapshot.c - bytes of snapshots: what is cut or altered is refused, what is whole goes on to
// the same bits, and whatever has a checksum that is right is refused with words or makes a world
// that can be lived in.
//
// The first byte of an input says how many objects are missing, and whether the checksum is made
// right, so that what is behind it is reached.

#include "fuzz.h"

#include "base/image.h"
#include "snapshot_support.h"
#include "sudar/snapshot.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SIZE 262144
#define MAX_OBJECTS 64

/// Bits of the first byte.
#define MISSING_OBJECTS 3
#define IS_SEALED 4
#define IS_SMALL 8

/// A world, and a snapshot of it.
typedef struct Original {
    sdWorld* world;
    sdSnapshot* snapshot;
    const uint8_t* bytes;
    size_t size;
    sdShape objects[MAX_OBJECTS];
    int objectCount;
    uint64_t hash, hashAfter; ///< when it was saved, and a step later
} Original;

/// A yard with all kinds of things, and a few of them.
static Original originals[2];

static void buildFew(sdWorld* world) {
    TestWorld_AddFloor(world, sdMaterial_Default());
    sdBodyId a = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.49, 0.0), TestWorld_BoxOf(0.5f));
    sdBodyId b = TestWorld_AddDynamic(world, sdPos_Make(2.0, 0.49, 0.0), TestWorld_BoxOf(0.5f));
    TestWorld_AddDynamic(world, sdPos_Make(0.2, 1.45, 0.0), TestWorld_BoxOf(0.5f));
    TestWorld_AddDynamic(world, sdPos_Make(2.0, 1.2, 0.1),
                         sdShapeDef_Default(sdShape_Sphere(0.25f)));
    sdShapeDef sensor = TestWorld_BoxOf(1.0f);
    sensor.isSensor = true;
    TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(2.0, 1.0, 0.0), sdQuat_Identity(), sensor);
    sdJointDef def = sdJointDef_Make(SD_JOINT_HINGE, a, b);
    CHECK_INT(sdJointDef_Place(world, &def, sdPos_Make(1.0, 0.5, 0.0), sdV3(0.0f, 0.0f, 1.0f)),
              SD_OK);
    sdJointId joint;
    CHECK_INT(sdJoint_Create(world, &def, &joint), SD_OK);
}

static const Original* getOriginal(bool isSmall) {
    Original* it = &originals[isSmall ? 1 : 0];
    if (it->world != NULL) {
        return it;
    }
    CHECK_INT(sdWorld_Create(NULL, NULL, &it->world), SD_OK);
    (isSmall ? buildFew : TestYard_Build)(it->world);
    for (int i = 0; i < 20; ++i) {
        CHECK_INT(sdWorld_Step(it->world, DT), SD_OK);
    }
    CHECK_INT(sdSnapshot_Create(NULL, &it->snapshot), SD_OK);
    CHECK_INT(sdWorld_Save(it->world, it->snapshot), SD_OK);
    it->bytes = sdSnapshot_GetBytes(it->snapshot, &it->size);
    it->objectCount = sdSnapshot_GetObjects(it->snapshot, it->objects, MAX_OBJECTS);
    CHECK(it->objectCount <= MAX_OBJECTS && it->size + 4 <= MAX_SIZE);
    it->hash = sdWorld_GetHash(it->world);
    CHECK_INT(sdWorld_Step(it->world, DT), SD_OK);
    it->hashAfter = sdWorld_GetHash(it->world);
    return it;
}

/// Make size and checksum what they should be.
static void seal(uint8_t* bytes, size_t size) {
    uint64_t claimed = size;
    if (size >= sizeof(sdImageHead)) {
        memcpy(bytes + offsetof(sdImageHead, size), &claimed, sizeof claimed);
        sdImage_Seal(bytes);
    }
}

static uint64_t run(const uint8_t* bytes, size_t size) {
    if (size == 0) {
        return 0;
    }
    const Original* original = getOriginal((bytes[0] & IS_SMALL) != 0);
    size -= 1;
    // aligned, as images are
    uint8_t* data = malloc(size + 1);
    CHECK(data != NULL);
    memcpy(data, bytes + 1, size);
    if ((bytes[0] & IS_SEALED) != 0) {
        seal(data, size);
    }
    int objectCount = sdMaxI(original->objectCount - (bytes[0] & MISSING_OBJECTS), 0);
    bool isWhole = size == original->size && memcmp(data, original->bytes, size) == 0 &&
                   objectCount == original->objectCount;
    TestContext test;
    TestContext_Init(&test);
    sdSnapshot* snapshot = NULL;
    CHECK_INT(sdSnapshot_Create(&test.context, &snapshot), SD_OK);
    sdResult result = sdSnapshot_SetBytes(snapshot, data, size, original->objects, objectCount);
    // times and what lies between fields differ from process to process, and so do whole snapshots
    bool isTaken = result == SD_OK;
    CHECK(isTaken || !isWhole);
    CHECK(isTaken || test.lastError[0] != '\0');
    sdWorld* world = NULL;
    CHECK_INT(sdWorld_Create(&test.context, NULL, &world), SD_OK);
    result = sdWorld_Restore(world, snapshot);
    // only what it does not say of itself can be wrong: margins and limits
    CHECK(isTaken ? result == SD_OK || result == SD_ERROR_INVALID_ARGUMENT : result != SD_OK);
    if (isWhole) {
        CHECK(sdWorld_GetHash(world) == original->hash);
        CHECK_INT(sdWorld_Step(world, DT), SD_OK);
        CHECK(sdWorld_GetHash(world) == original->hashAfter);
    } else if (result == SD_OK) {
        TestWorld_LiveOn(world);
    }
    sdWorld_Destroy(world);
    sdSnapshot_Destroy(snapshot);
    TestContext_Finish(&test);
    free(data);
    return FuzzHash_Int(TEST_HASH_START, isTaken);
}

// ---- seeds ---------------------------------------------------------------------------------

/// An original with another number in some place.
static void addChanged(FuzzSeeds* seeds, uint8_t* bytes, size_t size, size_t place, int32_t value) {
    int32_t before;
    memcpy(&before, bytes + 1 + place, sizeof before);
    memcpy(bytes + 1 + place, &value, sizeof value);
    FuzzSeeds_Add(seeds, bytes, size + 1);
    memcpy(bytes + 1 + place, &before, sizeof before);
}

/// The room of each part, and its first number.
static void addParts(FuzzSeeds* seeds, const Original* original, uint8_t* bytes) {
    int partCount = (int)sdImage_Head(original->bytes)->partCount;
    for (int i = 0; i < partCount; ++i) {
        const sdImageLine* line = sdImage_Line(original->bytes, i);
        size_t table = (size_t)((const uint8_t*)line - original->bytes);
        if (line->used > 0) {
            addChanged(seeds, bytes, original->size, (size_t)line->offset, i % 2 == 0 ? -1 : 1);
        } else {
            size_t room = table + offsetof(sdImageLine, room);
            addChanged(seeds, bytes, original->size, room, INT32_MAX);
        }
    }
}

static void addSeeds(FuzzSeeds* seeds) {
    for (int i = 0; i < 2; ++i) {
        const Original* original = getOriginal(i == 1);
        uint8_t* bytes = malloc(original->size + 1);
        CHECK(bytes != NULL);
        memcpy(bytes + 1, original->bytes, original->size);
        bytes[0] = i == 1 ? IS_SMALL : 0;
        FuzzSeeds_Add(seeds, bytes, original->size + 1);
        FuzzSeeds_Add(seeds, bytes, 400);
        bytes[0] |= IS_SEALED;
        FuzzSeeds_Add(seeds, bytes, original->size + 1);
        if (i == 1) {
            addParts(seeds, original, bytes);
        }
        free(bytes);
    }
}

const FuzzTarget fuzzTarget = {"snapshot", run, addSeeds, MAX_SIZE, NULL};
