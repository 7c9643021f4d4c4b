// SPDX-License-Identifier: MIT
// fuzz_recording.c - recordings (.sdr): read and shown, or refused with a reason.
//
// Chunks have checksums. The first byte of an input says whether they are made right, so that what
// is behind them is reached.

#include "fuzz.h"

#include "record_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_SIZE 8192
#define MAX_SHOWN 24

/// Give every chunk the checksum of its content, and the tail the place of the last one.
static void seal(uint8_t* bytes, size_t size) {
    size_t at = SD_RECORD_HEADER_SIZE, last = at;
    size_t end = size > SD_RECORD_TAIL_SIZE ? size - SD_RECORD_TAIL_SIZE : 0;
    while (at + 12 <= end) {
        sdByteReader head = {bytes + at, 8, 4, true};
        size_t length = (size_t)sdGet(&head, 4);
        if (length > end - at - 12) {
            return;
        }
        last = at;
        uint32_t crc = sdCrc32(0, bytes + at, length + 8);
        for (int i = 0; i < 4; ++i) {
            bytes[at + 8 + length + (size_t)i] = (uint8_t)(crc >> (8 * i));
        }
        at += length + 12;
    }
    for (int i = 0; i < 8 && end > 0; ++i) {
        bytes[end + (size_t)i] = (uint8_t)((uint64_t)last >> (8 * i));
    }
}

static uint64_t show(uint64_t hash, const sdContext* context, sdRecording* recording) {
    hash = FuzzHash_Int(hash, sdRecording_GetFrameCount(recording));
    int frames = sdMinI(sdRecording_GetFrameCount(recording), MAX_SHOWN);
    if (sdRecording_GetFrameCount(recording) <= MAX_SHOWN) {
        hash = FuzzHash_Int(hash, sdRecording_Check(recording));
    }
    sdWorld* world = NULL;
    sdResult result = sdRecording_CreateWorld(recording, context, &world);
    CHECK((result == SD_OK) == (world != NULL));
    hash = FuzzHash_Int(hash, result);
    if (world == NULL) {
        return hash;
    }
    for (int i = 0; i < frames; ++i) {
        // there and back
        double time;
        int frame = i % 2 == 0 ? i : frames - i;
        hash = FuzzHash_Int(hash, sdRecording_Show(recording, frame, world, &time));
    }
    sdBodyId bodies[64];
    int count = sdMinI(sdWorld_GetBodies(world, bodies, 64), 64);
    for (int i = 0; i < count; ++i) {
        CHECK(sdPos_IsFinite(sdBody_GetCenter(world, bodies[i])));
    }
    hash = FuzzHash_Int(hash, (long long)sdWorld_GetHash(world));
    sdWorld_Destroy(world);
    return hash;
}

static uint64_t run(const uint8_t* bytes, size_t size) {
    if (size == 0) {
        return 0;
    }
    uint8_t* data = malloc(size);
    memcpy(data, bytes + 1, size - 1);
    if (bytes[0] & 1) {
        seal(data, size - 1);
    }
    TestContext test;
    TestContext_Init(&test);
    sdRecording* recording = NULL;
    sdResult result = sdRecording_Read(&test.context, data, size - 1, &recording);
    CHECK((result == SD_OK) == (recording != NULL));
    CHECK(recording != NULL || test.lastError[0] != '\0');
    uint64_t hash = FuzzHash_Int(TEST_HASH_START, result);
    if (recording != NULL) {
        hash = show(hash, &test.context, recording);
        sdRecording_Destroy(recording);
    }
    TestContext_Finish(&test);
    free(data);
    return hash;
}

// ---- seeds ---------------------------------------------------------------------------------

static void addBody(sdWorld* world, sdBodyType type, double y, sdShape shape, sdBodyId* out) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = type;
    def.position = sdPos_Make(0.1 * y, y, 0.0);
    CHECK_INT(sdBody_Create(world, &def, out), SD_OK);
    sdShapeDef shapeDef = sdShapeDef_Default(shape);
    CHECK_INT(sdBody_AddShape(world, *out, &shapeDef, NULL), SD_OK);
}

static sdWorld* makeWorld(int kind) {
    sdWorld* world = NULL;
    sdBodyId floor, a, b;
    CHECK_INT(sdWorld_Create(NULL, NULL, &world), SD_OK);
    addBody(world, SD_BODY_STATIC, 0.0, sdShape_HalfSpace(), &floor);
    addBody(world, SD_BODY_DYNAMIC, 1.0, sdShape_Box(0.2f, 0.2f, 0.2f), &a);
    addBody(world, SD_BODY_DYNAMIC, 2.0, sdShape_Capsule(0.2f, 0.2f), &b);
    if (kind == 1) {
        sdMesh* mesh = NULL;
        sdConcave* concave = NULL;
        sdConcaveDef def = sdConcaveDef_Default();
        def.field.resolution = 6;
        CHECK_INT(sdModel_CreateOctahedron(NULL, 12, 0.5f, &mesh), SD_OK);
        CHECK_INT(sdConcave_Create(NULL, mesh, &def, &concave), SD_OK);
        addBody(world, SD_BODY_DYNAMIC, 3.0, sdShape_Concave(concave), &b);
        sdHullDef hullDef = sdHullDef_Default();
        sdMeshData data = sdMesh_GetData(mesh);
        hullDef.points = data.vertices;
        hullDef.pointCount = data.vertexCount;
        sdHull* hull = NULL;
        CHECK_INT(sdHull_Create(NULL, &hullDef, &hull), SD_OK);
        sdCompoundChild children[] = {{sdShape_Hull(hull), sdTransform_Identity()},
                                      {sdShape_Sphere(0.3f), TestAt(0.5f, 0.0f, 0.0f)}};
        sdCompound* compound = NULL;
        CHECK_INT(sdCompound_Create(NULL, children, 2, &compound), SD_OK);
        addBody(world, SD_BODY_DYNAMIC, 5.0, sdShape_Compound(compound), &b);
        sdCompound_Release(compound);
        sdHull_Release(hull);
        sdConcave_Release(concave);
        sdMesh_Release(mesh);
    } else {
        sdJointDef joint = sdJointDef_Make(SD_JOINT_HINGE, a, b);
        sdJointId id;
        CHECK_INT(sdJoint_Create(world, &joint, &id), SD_OK);
    }
    return world;
}

static void addSeeds(FuzzSeeds* seeds) {
    const char* folder = getenv("TMPDIR");
    char path[256];
    snprintf(path, sizeof path, "%s/fuzz-%ld.sdr", folder != NULL ? folder : "/tmp",
             (long)getpid());
    for (int kind = 0; kind < 2; ++kind) {
        sdWorld* world = makeWorld(kind);
        sdRecordInfo info = {.name = "fuzz", .title = "seed", .dt = 1.0 / 60.0};
        sdRecorder* recorder = NULL;
        CHECK_INT(sdRecorder_Create(NULL, path, world, &info, &recorder), SD_OK);
        for (int i = 0; i < 6; ++i) {
            CHECK_INT(sdRecorder_AddFrame(recorder, world, sdWorld_GetTime(world)), SD_OK);
            CHECK_INT(sdWorld_Step(world, 1.0f / 60.0f), SD_OK);
        }
        CHECK_INT(sdRecorder_Finish(recorder, sdWorld_GetHash(world)), SD_OK);
        sdRecorder_Destroy(recorder);
        sdWorld_Destroy(world);
        uint8_t bytes[MAX_SIZE] = {1};
        FILE* file = fopen(path, "rb");
        CHECK(file != NULL);
        size_t size = fread(bytes + 1, 1, sizeof bytes - 1, file);
        fclose(file);
        unlink(path);
        // a seed that is refused reaches nothing
        sdRecording* recording = NULL;
        seal(bytes + 1, size);
        CHECK_INT(sdRecording_Read(NULL, bytes + 1, size, &recording), SD_OK);
        sdRecording_Destroy(recording);
        FuzzSeeds_Add(seeds, bytes, size + 1);
    }
}

const FuzzTarget fuzzTarget = {"recording", run, addSeeds, MAX_SIZE, NULL};
