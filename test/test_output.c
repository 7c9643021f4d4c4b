// SPDX-License-Identifier: MIT
// test_output.c - files that a run writes: recordings that come back as they were, and are refused
// when they are cut or altered; files that appear whole or not at all.

// files, getpid
#define _POSIX_C_SOURCE 200809L

#include "support.h"

#if defined(SD_TEST_OUTPUT)

#include "file.h"
#include "glb.h"
#include "record.h"
#include "record_format.h"

#include "sudar/concave.h"
#include "sudar/joint.h"
#include "sudar/models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// A file of this process alone.
static const char* tempName(const char* ending) {
    static char name[64];
    snprintf(name, sizeof name, "/tmp/sudar_test_%ld%s", (long)getpid(), ending);
    return name;
}

static sdRecordInfo makeInfo(void) {
    sdRecordInfo info = {.name = "yard", .title = "A yard", .dt = 1.0 / 60.0};
    return info;
}

static void addBody(sdWorld* world, sdBodyType type, double x, sdShape shape) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = type;
    def.position = sdPos_Make(x, type == SD_BODY_STATIC ? 0.0 : 1.5, 0.25 * x);
    def.angularVelocity = sdV3(0.0f, type == SD_BODY_STATIC ? 0.0f : 1.0f, 0.5f);
    if (type == SD_BODY_STATIC) {
        def.angularVelocity = sdV3(0.0f, 0.0f, 0.0f);
    }
    sdBodyId body;
    sdShapeDef own = sdShapeDef_Default(shape);
    CHECK_INT(sdBody_Create(world, &def, &body), SD_OK);
    CHECK_INT(sdBody_AddShape(world, body, &own, NULL), SD_OK);
}

/// Every kind of shape, and a joint.
static sdWorld* makeYard(void) {
    sdWorld* world = NULL;
    CHECK_INT(sdWorld_Create(NULL, NULL, &world), SD_OK);
    addBody(world, SD_BODY_STATIC, 0.0, sdShape_HalfSpace());
    addBody(world, SD_BODY_DYNAMIC, 0.0, sdShape_Sphere(0.3f));
    addBody(world, SD_BODY_DYNAMIC, 1.0, sdShape_Capsule(0.3f, 0.2f));
    addBody(world, SD_BODY_DYNAMIC, 2.0, sdShape_Box(0.2f, 0.3f, 0.4f));
    addBody(world, SD_BODY_DYNAMIC, 3.0, sdShape_Cylinder(0.2f, 0.3f));
    addBody(world, SD_BODY_DYNAMIC, 4.0, sdShape_Cone(0.3f, 0.3f));
    const sdVec3 points[5] = {{0.3f, 0.0f, 0.0f},
                              {-0.3f, 0.0f, 0.1f},
                              {0.0f, 0.4f, 0.0f},
                              {0.0f, 0.0f, 0.4f},
                              {0.0f, -0.2f, -0.3f}};
    sdHullDef hullDef = sdHullDef_Default();
    hullDef.points = points;
    hullDef.pointCount = 5;
    sdHull* hull = NULL;
    sdMesh* mesh = NULL;
    sdConcave* concave = NULL;
    sdCompound* compound = NULL;
    sdConcaveDef concaveDef = sdConcaveDef_Default();
    CHECK_INT(sdHull_Create(NULL, &hullDef, &hull), SD_OK);
    CHECK_INT(sdModel_Create(NULL, SD_MODEL_STAR, 0.8f, &mesh), SD_OK);
    CHECK_INT(sdConcave_Create(NULL, mesh, &concaveDef, &concave), SD_OK);
    const sdCompoundChild children[2] = {
        {sdShape_Hull(hull), sdTransform_Make(sdV3(0.3f, 0.0f, 0.0f), sdQuat_Identity())},
        {sdShape_Sphere(0.2f), sdTransform_Make(sdV3(-0.3f, 0.0f, 0.0f), sdQuat_Identity())}};
    CHECK_INT(sdCompound_Create(NULL, children, 2, &compound), SD_OK);
    addBody(world, SD_BODY_DYNAMIC, 5.0, sdShape_Hull(hull));
    addBody(world, SD_BODY_DYNAMIC, 6.0, sdShape_Concave(concave));
    addBody(world, SD_BODY_DYNAMIC, 7.0, sdShape_Concave(concave));
    addBody(world, SD_BODY_DYNAMIC, 8.0, sdShape_Compound(compound));
    addBody(world, SD_BODY_STATIC, 9.0, sdShape_Mesh(mesh));
    addBody(world, SD_BODY_KINEMATIC, 11.0, sdShape_Box(0.2f, 0.2f, 0.2f));
    sdHull_Release(hull);
    sdMesh_Release(mesh);
    sdConcave_Release(concave);
    sdCompound_Release(compound);

    sdBodyId bodies[16];
    sdWorld_GetBodies(world, bodies, 16);
    sdJointDef joint = sdJointDef_Make(SD_JOINT_BALL, bodies[1], bodies[2]);
    sdJointId id;
    CHECK_INT(sdJointDef_Place(world, &joint, sdPos_Make(0.5, 1.5, 0.0), sdV3(0, 1, 0)), SD_OK);
    CHECK_INT(sdJoint_Create(world, &joint, &id), SD_OK);
    return world;
}

/// Record so many steps; the states are kept to compare with.
static void recordYard(const char* path, int frameCount, sdWorldTransform* poses,
                       sdVec3* velocities) {
    sdWorld* world = makeYard();
    int bodyCount = sdWorld_GetBodies(world, NULL, 0);
    sdBodyId bodies[16];
    sdWorld_GetBodies(world, bodies, 16);
    sdRecorder* recorder = NULL;
    sdRecordInfo info = makeInfo();
    REQUIRE(sdRecorder_Create(NULL, path, world, &info, &recorder) == SD_OK);
    for (int i = 0; i < frameCount; ++i) {
        CHECK_INT(sdRecorder_AddFrame(recorder, world, i / 60.0), SD_OK);
        for (int k = 0; k < bodyCount && poses != NULL; ++k) {
            poses[i * bodyCount + k] = sdBody_GetTransform(world, bodies[k]);
            velocities[i * bodyCount + k] = sdBody_GetVelocity(world, bodies[k]);
        }
        CHECK_INT(sdWorld_Step(world, 1.0f / 60.0f), SD_OK);
    }
    CHECK_INT(sdRecorder_Finish(recorder, 0x1234u), SD_OK);
    sdRecorder_Destroy(recorder);
    sdWorld_Destroy(world);
}

static double poseDifference(sdWorldTransform a, sdWorldTransform b) {
    sdVec3 p = sdPos_Sub(a.p, b.p), v = sdSub(a.q.v, b.q.v);
    return (double)(sdLength(p) + sdLength(v) + sdAbsF(a.q.s - b.q.s));
}

SD_TEST(output_recording_comes_back_in_any_order) {
    enum { FRAMES = 150, BODIES = 12 };
    const char* path = tempName(".sdr");
    sdWorldTransform* poses = calloc(FRAMES * BODIES, sizeof *poses);
    sdVec3* velocities = calloc(FRAMES * BODIES, sizeof *velocities);
    recordYard(path, FRAMES, poses, velocities);
    sdRecording* recording = NULL;
    REQUIRE(sdRecording_Load(NULL, path, &recording) == SD_OK);
    CHECK_INT(sdRecording_GetFrameCount(recording), FRAMES);
    CHECK_INT(sdRecording_GetBodyCount(recording), BODIES);
    CHECK_INT(sdRecording_GetHash(recording), 0x1234);
    CHECK_TEXT(sdRecording_GetInfo(recording).title, "A yard");
    CHECK_INT(sdRecording_Check(recording), SD_OK);

    sdWorld* world = NULL;
    REQUIRE(sdRecording_CreateWorld(recording, NULL, &world) == SD_OK);
    CHECK_INT(sdWorld_GetStats(world).jointCount, 1);
    sdBodyId bodies[16];
    CHECK_INT(sdWorld_GetBodies(world, bodies, 16), BODIES);
    static const int order[] = {0, 1, 149, 63, 64, 65, 2, 128, 100, 101, 102, 7};
    double worst = 0.0;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; ++i) {
        double time;
        REQUIRE(sdRecording_Show(recording, order[i], world, &time) == SD_OK);
        CHECK(time == order[i] / 60.0);
        for (int k = 0; k < BODIES; ++k) {
            int at = order[i] * BODIES + k;
            double off = poseDifference(sdBody_GetTransform(world, bodies[k]), poses[at]);
            worst = off > worst ? off : worst;
            sdVec3 v = sdBody_GetVelocity(world, bodies[k]);
            CHECK(memcmp(&v, &velocities[at], sizeof v) == 0);
        }
    }
    // a body's origin is found from its centre again
    CHECK(worst < 1e-12);
    CHECK_INT(sdRecording_Show(recording, FRAMES, world, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdRecording_Show(recording, -1, world, NULL), SD_ERROR_INVALID_ARGUMENT);
    sdWorld_Destroy(world);
    sdRecording_Destroy(recording);
    free(poses);
    free(velocities);
    remove(path);
}

static void ignoreLog(void* user, sdLogLevel level, const char* text) {
    (void)user;
    (void)level;
    (void)text;
}

static sdContext quietContext(void) {
    sdContext context = sdContext_Default();
    context.logger.log = ignoreLog;
    return context;
}

SD_TEST(output_recording_cut_at_any_byte_is_refused) {
    const char* path = tempName(".sdr");
    recordYard(path, 70, NULL, NULL);
    uint8_t* bytes = NULL;
    size_t size = 0;
    REQUIRE(sdOutput_ReadFile(NULL, path, &bytes, &size) == SD_OK);
    sdContext quiet = quietContext();
    int accepted = 0;
    for (size_t i = 0; i < size; ++i) {
        sdRecording* recording = NULL;
        sdResult result = sdRecording_Read(&quiet, bytes, i, &recording);
        accepted += result == SD_OK || recording != NULL;
        sdRecording_Destroy(recording);
    }
    CHECK_INT(accepted, 0);
    sdRecording* whole = NULL;
    CHECK_INT(sdRecording_Read(&quiet, bytes, size, &whole), SD_OK);
    sdRecording_Destroy(whole);
    sdTest_Print("%zu bytes, cut at each of them", size);
    sdContext own = sdContext_Default();
    sdOutput_Free(&own, bytes, size);
    remove(path);
}

SD_TEST(output_recording_with_an_altered_byte_is_refused) {
    const char* path = tempName(".sdr");
    recordYard(path, 5, NULL, NULL);
    uint8_t* bytes = NULL;
    size_t size = 0;
    REQUIRE(sdOutput_ReadFile(NULL, path, &bytes, &size) == SD_OK);
    sdContext quiet = quietContext();
    int accepted = 0;
    for (size_t i = 0; i < size; ++i) {
        // the last four bytes of the header mean nothing yet
        if (i >= 12 && i < 16) {
            continue;
        }
        bytes[i] ^= 0x10;
        sdRecording* recording = NULL;
        accepted += sdRecording_Read(&quiet, bytes, size, &recording) == SD_OK;
        sdRecording_Destroy(recording);
        bytes[i] ^= 0x10;
    }
    CHECK_INT(accepted, 0);
    sdContext own = sdContext_Default();
    sdOutput_Free(&own, bytes, size);
    remove(path);
}

/// Whoever writes a file on purpose can make its checksums right: nothing may go wrong then,
/// either.
SD_TEST(output_recording_with_right_checksums_is_not_believed) {
    const char* path = tempName(".sdr");
    recordYard(path, 3, NULL, NULL);
    uint8_t* bytes = NULL;
    size_t size = 0;
    REQUIRE(sdOutput_ReadFile(NULL, path, &bytes, &size) == SD_OK);
    sdContext quiet = quietContext();
    TestRandom random = TestRandom_Make(5);
    int refused = 0, rounds = TestRounds(300);
    for (int round = 0; round < rounds; ++round) {
        uint8_t* copy = malloc(size);
        memcpy(copy, bytes, size);
        // alter a byte of some chunk and make its checksum anew
        size_t at = 16;
        int skip = (int)(TestRandom_Next(&random) % 7);
        for (int i = 0; i < skip; ++i) {
            uint32_t length;
            memcpy(&length, copy + at + 4, 4);
            if (at + length + 12 + 12 >= size) {
                break;
            }
            at += length + 12;
        }
        uint32_t length;
        memcpy(&length, copy + at + 4, 4);
        for (int i = 0; i < 3 && length > 0; ++i) {
            copy[at + 8 + TestRandom_Next(&random) % length] = (uint8_t)TestRandom_Next(&random);
        }
        uint32_t crc = sdCrc32(0, copy + at, length + 8);
        memcpy(copy + at + 8 + length, &crc, 4);
        sdRecording* recording = NULL;
        sdWorld* world = NULL;
        bool ok = sdRecording_Read(&quiet, copy, size, &recording) == SD_OK &&
                  sdRecording_CreateWorld(recording, &quiet, &world) == SD_OK &&
                  sdRecording_Check(recording) == SD_OK;
        for (int i = 0; ok && i < sdRecording_GetFrameCount(recording); ++i) {
            ok = sdRecording_Show(recording, i, world, NULL) == SD_OK;
        }
        refused += !ok;
        sdWorld_Destroy(world);
        sdRecording_Destroy(recording);
        free(copy);
    }
    CHECK(refused > rounds / 4);
    sdContext own = sdContext_Default();
    sdOutput_Free(&own, bytes, size);
    remove(path);
}

static sdResult readWithMemory(const sdContext* context, void* arg) {
    sdRecording* recording = NULL;
    sdWorld* world = NULL;
    sdResult result = sdRecording_Load(context, arg, &recording);
    if (result == SD_OK) {
        result = sdRecording_CreateWorld(recording, context, &world);
    }
    if (result == SD_OK) {
        result = sdRecording_Show(recording, 1, world, NULL);
    }
    sdWorld_Destroy(world);
    sdRecording_Destroy(recording);
    return result;
}

static sdResult writeWithMemory(const sdContext* context, void* arg) {
    sdWorld* world = makeYard();
    sdRecorder* recorder = NULL;
    sdGlbWriter* glb = NULL;
    sdRecordInfo info = makeInfo();
    sdResult result = sdRecorder_Create(context, tempName(".sdr"), world, &info, &recorder);
    if (result == SD_OK) {
        result = sdGlbWriter_Create(context, world, "yard", &glb);
    }
    for (int i = 0; i < 3 && result == SD_OK; ++i) {
        result = sdRecorder_AddFrame(recorder, world, i / 60.0);
        if (result == SD_OK) {
            result = sdGlbWriter_AddFrame(glb, world, i / 60.0);
        }
        sdWorld_Step(world, 1.0f / 60.0f);
    }
    if (result == SD_OK) {
        result = sdGlbWriter_Write(glb, tempName(".glb"));
    }
    if (result == SD_OK) {
        result = sdRecorder_Finish(recorder, 0);
    }
    sdRecorder_Destroy(recorder);
    sdGlbWriter_Destroy(glb);
    sdWorld_Destroy(world);
    (void)arg;
    return result;
}

SD_TEST(output_short_memory_leaves_nothing) {
    int count = TestContext_FailEach(writeWithMemory, NULL);
    CHECK(count > 10);
    char path[64];
    snprintf(path, sizeof path, "%s", tempName(".sdr"));
    recordYard(path, 3, NULL, NULL);
    count = TestContext_FailEach(readWithMemory, path);
    CHECK(count > 10);
    remove(path);
    remove(tempName(".glb"));
}

SD_TEST(output_files_appear_whole_or_not_at_all) {
    char path[64];
    snprintf(path, sizeof path, "%s", tempName(".bin"));
    sdOutFile file;
    REQUIRE(sdOutFile_Open(NULL, path, &file) == SD_OK);
    CHECK_INT(sdOutFile_Write(&file, "abc", 3), SD_OK);
    CHECK(access(path, F_OK) != 0);
    sdOutFile_Close(&file);
    CHECK(access(path, F_OK) != 0);

    REQUIRE(sdOutFile_Open(NULL, path, &file) == SD_OK);
    CHECK_INT(sdOutFile_Write(&file, "abc", 3), SD_OK);
    CHECK_INT(sdOutFile_Commit(&file), SD_OK);
    sdOutFile_Close(&file);
    uint8_t* bytes = NULL;
    size_t size = 0;
    REQUIRE(sdOutput_ReadFile(NULL, path, &bytes, &size) == SD_OK);
    CHECK(size == 3 && memcmp(bytes, "abc", 3) == 0);
    sdContext own = sdContext_Default();
    sdOutput_Free(&own, bytes, size);
    remove(path);
    sdContext quiet = quietContext();
    CHECK_INT(sdOutFile_Open(&quiet, "/nowhere/at/all", &file), SD_ERROR_IO);
    CHECK_INT(sdOutput_ReadFile(&quiet, "/nowhere/at/all", &bytes, &size), SD_ERROR_IO);
}

#endif
