// SPDX-License-Identifier: MIT
// fuzz_hull.c - any points: a hull of which all holds that must, by both methods, or a reason.

#include "fuzz.h"
#include "hull_check.h"

#include <string.h>

#define MAX_POINTS 96

static int readPoints(FuzzInput* in, sdVec3* points) {
    int kind = FuzzInput_Int(in, TEST_POINTS_COUNT + 4);
    if (kind < TEST_POINTS_COUNT) {
        // points that are hard for hulls, some of them moved
        TestRandom random = TestRandom_Make(FuzzInput_Byte(in));
        int count = 4 + FuzzInput_Int(in, MAX_POINTS - 4);
        TestPoints_Fill((TestPoints)kind, &random, points, count);
        float scale = FuzzInput_Size(in, 1.0f);
        for (int i = 0; i < count; ++i) {
            points[i] = sdScale(scale, points[i]);
        }
        while (!FuzzInput_IsAtEnd(in)) {
            int i = FuzzInput_Int(in, count);
            points[i] = FuzzInput_Bool(in) ? points[FuzzInput_Int(in, count)]
                                           : sdAdd(points[i], FuzzInput_Vec3(in, 1e-4f));
        }
        return count;
    }
    float scale = FuzzInput_Size(in, 1.0f);
    int count = 0;
    while (!FuzzInput_IsAtEnd(in) && count < MAX_POINTS) {
        points[count++] = sdScale(scale, FuzzInput_Vec3(in, 1.0f));
    }
    return count;
}

static uint64_t look(uint64_t hash, const sdHull* hull, const sdVec3* points, int count,
                     bool isWhole) {
    const char* fault = isWhole ? TestHull_FindFault(hull, points, count) : NULL;
    sdTest_Check(fault == NULL, __FILE__, __LINE__, fault != NULL ? fault : "");
    int vertexCount;
    const sdVec3* vertices = sdHull_GetVertices(hull, &vertexCount);
    for (int i = 0; i < 6; ++i) {
        sdVec3 d = i < 3 ? points[i % count] : sdV3((float)(i - 4), (float)(i == 5), 0.5f);
        int found = sdHull_Support(hull, d), scanned = sdHull_SupportScan(hull, d);
        int climbed = sdHull_SupportClimb(hull, d, i % vertexCount);
        CHECK(found >= 0 && found < vertexCount && scanned >= 0 && scanned < vertexCount &&
              climbed >= 0 && climbed < vertexCount);
        hash = FuzzHash_Vec3(hash, vertices[found]);
    }
    sdMassProps mass;
    sdHull_GetMass(hull, 1.0f, &mass);
    // of the largest hulls it is infinite
    CHECK(mass.mass >= 0.0f);
    return FuzzHash_Float(hash, mass.mass);
}

static uint64_t run(const uint8_t* bytes, size_t size) {
    FuzzInput in = FuzzInput_Make(bytes, size);
    in.wildness = FuzzInput_Byte(&in) % 4 * 8;
    int maxVertexCount = FuzzInput_Int(&in, 3) == 0 ? FuzzInput_Int(&in, 40) : 0;
    sdVec3 points[MAX_POINTS];
    int count = readPoints(&in, points);
    uint64_t hash = TEST_HASH_START;
    sdResult results[2];
    for (int method = 0; method < 2; ++method) {
        TestContext test;
        TestContext_Init(&test);
        sdHullDef def = sdHullDef_Default();
        def.points = points;
        def.pointCount = count;
        def.method = (sdHullMethod)method;
        def.maxVertexCount = maxVertexCount;
        sdHull* hull = NULL;
        results[method] = sdHull_Create(&test.context, &def, &hull);
        CHECK((results[method] == SD_OK) == (hull != NULL));
        CHECK(hull != NULL || test.lastError[0] != '\0');
        hash = FuzzHash_Int(hash, results[method]);
        if (hull != NULL) {
            hash = look(hash, hull, points, count, maxVertexCount == 0);
            sdHull_Release(hull);
        }
        TestContext_Finish(&test);
    }
    CHECK_INT(results[0], results[1]);
    return hash;
}

static void addSeeds(FuzzSeeds* seeds) {
    for (int kind = 0; kind < TEST_POINTS_COUNT; ++kind) {
        const uint8_t bytes[] = {0, 1, (uint8_t)kind, 7, 40, 0, 128, 3, 0, 9, 9, 9, 9, 9, 9};
        FuzzSeeds_Add(seeds, bytes, sizeof bytes);
    }
    uint8_t cloud[4 + 6 * 24];
    for (int i = 0; i < (int)sizeof cloud; ++i) {
        cloud[i] = (uint8_t)(i * 77 + i / 3);
    }
    memcpy(cloud, (const uint8_t[]){1, 1, TEST_POINTS_COUNT, 0}, 4);
    FuzzSeeds_Add(seeds, cloud, sizeof cloud);
}

const FuzzTarget fuzzTarget = {"hull", run, addSeeds, 512, NULL};
