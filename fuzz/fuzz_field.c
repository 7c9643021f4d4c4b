// SPDX-License-Identifier: MIT
// fuzz_field.c - the bytes of distance fields: read and asked, or refused with a reason.
//
// A checksum stands in every field. The first byte of an input says whether it is made right, so
// that what is behind it is reached, and whether the size that the field claims is.

#include "fuzz.h"
#include "geometry/field.h"

#include <stdlib.h>
#include <string.h>

#define SIZE_OFFSET 16
#define MAX_SIZE 16384

static void putWord(uint8_t* p, uint64_t value) {
    for (int i = 0; i < 8; ++i) {
        p[i] = (uint8_t)(value >> (8 * i));
    }
}

static uint64_t ask(uint64_t hash, const sdField* field) {
    sdFieldInfo info = sdField_GetInfo(field);
    sdVec3 points[20];
    float distances[20];
    sdVec3 gradients[20];
    for (int i = 0; i < 20; ++i) {
        float t = (float)i / 9.0f - 0.5f;
        points[i] = sdLerp(info.bounds.lower, info.bounds.upper, t);
        points[i].x += (float)(i % 3) * info.cellSize;
    }
    points[18] = sdV3(TestNaN(), 0.0f, 0.0f);
    points[19] = sdV3(1e30f, TestInfinity(), 0.0f);
    sdField_SampleMany(field, points, 20, distances, gradients);
    for (int i = 0; i < 20; ++i) {
        sdVec3 gradient;
        CHECK(sdIsFinite(distances[i]));
        CHECK(sdField_SampleGradient(field, points[i], &gradient) == distances[i]);
        CHECK(sdVec3_IsFinite(gradient));
        hash = FuzzHash_Float(hash, distances[i]);
        int cell[3];
        if (sdField_FindCell(field, points[i], cell)) {
            CHECK(cell[0] >= 0 && cell[0] < info.cells[0]);
            hash = FuzzHash_Float(hash, sdField_GetGridValue(field, cell[0], cell[1], cell[2]));
        }
    }
    sdMassProps mass;
    return FuzzHash_Int(hash, sdField_GetMass(field, 1.0f, &mass));
}

/// What was read is what is written.
static void writeBack(const sdField* field, const uint8_t* bytes, size_t size) {
    uint8_t* again = malloc(size);
    size_t room = size;
    CHECK_INT(sdField_Write(field, again, &room), SD_OK);
    CHECK_INT(room, size);
    CHECK(memcmp(again, bytes, size) == 0);
    free(again);
}

static uint64_t run(const uint8_t* bytes, size_t size) {
    if (size == 0) {
        return 0;
    }
    size_t length = size - 1;
    uint8_t* data = malloc(length + 1);
    memcpy(data, bytes + 1, length);
    if (length >= SD_FIELD_CHECKSUM_OFFSET + 8) {
        if (bytes[0] & 1) {
            putWord(data + SIZE_OFFSET, length);
        }
        if (bytes[0] & 2) {
            putWord(data + SD_FIELD_CHECKSUM_OFFSET, sdField_FindChecksum(data, length));
        }
    }
    TestContext test;
    TestContext_Init(&test);
    sdField* field = NULL;
    sdResult result = sdField_Read(&test.context, data, length, &field);
    CHECK((result == SD_OK) == (field != NULL));
    CHECK(field != NULL || test.lastError[0] != '\0');
    uint64_t hash = FuzzHash_Int(TEST_HASH_START, result);
    if (field != NULL) {
        hash = ask(hash, field);
        writeBack(field, data, length);
        sdField_Release(field);
    }
    TestContext_Finish(&test);
    free(data);
    return hash;
}

static void addSeeds(FuzzSeeds* seeds) {
    for (int i = 0; i < 4; ++i) {
        sdMesh* mesh = NULL;
        CHECK_INT(sdModel_CreateOctahedron(NULL, 8 + 8 * i, 1.0f, &mesh), SD_OK);
        sdFieldDef def = sdFieldDef_Default();
        def.resolution = 4 + 2 * i;
        def.marginCells = 1;
        def.layout = i % 2 == 0 ? SD_FIELD_SPARSE : SD_FIELD_DENSE;
        sdField* field = NULL;
        CHECK_INT(sdField_Create(NULL, mesh, &def, &field), SD_OK);
        uint8_t bytes[MAX_SIZE] = {3};
        size_t size = sizeof bytes - 1;
        CHECK_INT(sdField_Write(field, bytes + 1, &size), SD_OK);
        FuzzSeeds_Add(seeds, bytes, size + 1);
        sdField_Release(field);
        sdMesh_Release(mesh);
    }
}

const FuzzTarget fuzzTarget = {"field", run, addSeeds, MAX_SIZE, NULL};
