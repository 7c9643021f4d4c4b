// SPDX-License-Identifier: MIT
// fuzz_snapshot.c - bytes of snapshots: what is cut or altered is refused, what is whole goes on to
// the same bits. (Their checksum finds accidents; bytes of strangers are not to be taken.)

#include "fuzz.h"

#include "snapshot_support.h"
#include "sudar/snapshot.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SIZE 262144
#define MAX_OBJECTS 64

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

static Original original;

static void makeOriginal(void) {
    if (original.world != NULL) {
        return;
    }
    CHECK_INT(sdWorld_Create(NULL, NULL, &original.world), SD_OK);
    TestYard_Build(original.world);
    for (int i = 0; i < 20; ++i) {
        CHECK_INT(sdWorld_Step(original.world, DT), SD_OK);
    }
    CHECK_INT(sdSnapshot_Create(NULL, &original.snapshot), SD_OK);
    CHECK_INT(sdWorld_Save(original.world, original.snapshot), SD_OK);
    original.bytes = sdSnapshot_GetBytes(original.snapshot, &original.size);
    original.objectCount = sdSnapshot_GetObjects(original.snapshot, original.objects, MAX_OBJECTS);
    CHECK(original.objectCount <= MAX_OBJECTS && original.size + 4 <= MAX_SIZE);
    original.hash = sdWorld_GetHash(original.world);
    CHECK_INT(sdWorld_Step(original.world, DT), SD_OK);
    original.hashAfter = sdWorld_GetHash(original.world);
}

/// The first byte says how many objects are missing, the others are the snapshot.
static uint64_t run(const uint8_t* bytes, size_t size) {
    makeOriginal();
    if (size == 0) {
        return 0;
    }
    int objectCount = sdMaxI(original.objectCount - bytes[0] % 4, 0);
    bool isWhole = size - 1 == original.size && memcmp(bytes + 1, original.bytes, size - 1) == 0 &&
                   objectCount == original.objectCount;
    TestContext test;
    TestContext_Init(&test);
    sdSnapshot* snapshot = NULL;
    CHECK_INT(sdSnapshot_Create(&test.context, &snapshot), SD_OK);
    sdResult result =
        sdSnapshot_SetBytes(snapshot, bytes + 1, size - 1, original.objects, objectCount);
    // times and what lies between fields differ from process to process, and so do whole snapshots
    bool isTaken = result == SD_OK;
    CHECK(isTaken || !isWhole);
    CHECK(isTaken || test.lastError[0] != '\0');
    sdWorld* world = NULL;
    CHECK_INT(sdWorld_Create(&test.context, NULL, &world), SD_OK);
    CHECK_INT(sdWorld_Restore(world, snapshot) == SD_OK, isTaken);
    if (isTaken) {
        CHECK(sdWorld_GetHash(world) == original.hash);
        CHECK_INT(sdWorld_Step(world, DT), SD_OK);
        CHECK(sdWorld_GetHash(world) == original.hashAfter);
    }
    sdWorld_Destroy(world);
    sdSnapshot_Destroy(snapshot);
    TestContext_Finish(&test);
    return FuzzHash_Int(TEST_HASH_START, result);
}

static void addSeeds(FuzzSeeds* seeds) {
    makeOriginal();
    uint8_t* bytes = malloc(original.size + 1);
    CHECK(bytes != NULL);
    bytes[0] = 0;
    memcpy(bytes + 1, original.bytes, original.size);
    FuzzSeeds_Add(seeds, bytes, original.size + 1);
    FuzzSeeds_Add(seeds, bytes, 400);
    free(bytes);
}

const FuzzTarget fuzzTarget = {"snapshot", run, addSeeds, MAX_SIZE, NULL};
