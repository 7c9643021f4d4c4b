// SPDX-License-Identifier: MIT
// test_narrowphase.c - worlds whose contacts are found by an algorithm of one's choice: the same
// resting places, changed while they run, kept by snapshots, refused when there is none.

#include "world_support.h"

#include "scenes.h"
#include "sudar/snapshot.h"

#define MAX_BODIES 400

static sdWorld* build(const char* name, int size, sdNarrowphase narrowphase) {
    const sdScene* scene = sdScene_Find(name);
    sdSceneOptions options = {.size = size};
    sdWorldDef def = sdScene_GetWorldDef(scene);
    def.narrowphase = narrowphase;
    sdWorld* world = TestWorld_Make(def);
    CHECK_INT(sdScene_Build(scene, world, &options), SD_OK);
    return world;
}

static void checkEnd(const char* name, int size, const sdWorld* world) {
    const sdScene* scene = sdScene_Find(name);
    sdSceneOptions options = {.size = size};
    char reason[SD_SCENE_REASON_SIZE] = "";
    CHECK(sdScene_Check(scene, world, &options, reason, sizeof reason));
    sdTest_Print("%s, %s: %s", name, sdNarrowphase_Name(sdWorld_GetDef(world).narrowphase), reason);
}

static void setNarrowphase(sdWorld* world, sdNarrowphase narrowphase) {
    sdWorldDef def = sdWorld_GetDef(world);
    def.narrowphase = narrowphase;
    CHECK_INT(sdWorld_SetDef(world, &def), SD_OK);
}

/// How far any body of a world is from where it is in the other.
static double findShift(const sdWorld* a, const sdWorld* b) {
    sdBodyId ids[MAX_BODIES];
    int count = sdWorld_GetBodies(a, ids, MAX_BODIES);
    double most = 0.0;
    for (int i = 0; i < count; ++i) {
        sdVec3 d = sdPos_Sub(sdBody_GetTransform(a, ids[i]).p, sdBody_GetTransform(b, ids[i]).p);
        most = fmax(most, (double)sdLength(d));
    }
    return most;
}

/// What stands does not leave its place, so it is the same for all.
SD_TEST(narrowphase_does_not_change_where_things_rest) {
    const struct {
        const char* name;
        int size, steps;
    } scenes[] = {
        {"pyramid", 8, 300}, {"tight-pyramid", 6, 300}, {"tower", 10, 300}, {"arch", 0, 120}};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i += TestIsShort() ? 2 : 1) {
        sdWorld* usual = build(scenes[i].name, scenes[i].size, SD_NARROWPHASE_AUTO);
        TestWorld_Run(usual, scenes[i].steps);
        for (int by = 1; by < SD_NARROWPHASE_COUNT; ++by) {
            sdWorld* world = build(scenes[i].name, scenes[i].size, (sdNarrowphase)by);
            TestWorld_Run(world, scenes[i].steps);
            checkEnd(scenes[i].name, scenes[i].size, world);
            CHECK(findShift(world, usual) < 1e-3);
            sdWorld_Destroy(world);
        }
        sdWorld_Destroy(usual);
    }
}

/// What falls goes its own way by the last digits: no two algorithms leave the same.
SD_TEST(narrowphase_scenes_end_as_they_must) {
    const struct {
        const char* name;
        int size, steps;
    } scenes[] = {{"dominoes", 20, 1200}, {"pile", 200, 200}, {"rain", 100, 200}};
    uint64_t hashes[SD_NARROWPHASE_COUNT];
    for (int by = 0; by < SD_NARROWPHASE_COUNT; ++by) {
        hashes[by] = TEST_HASH_START;
        for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
            sdWorld* world = build(scenes[i].name, scenes[i].size, (sdNarrowphase)by);
            TestWorld_Run(world, scenes[i].steps);
            checkEnd(scenes[i].name, scenes[i].size, world);
            uint64_t hash = sdWorld_GetHash(world);
            hashes[by] = TestHash(hashes[by], &hash, sizeof hash);
            sdWorld_Destroy(world);
        }
        for (int other = 0; other < by; ++other) {
            CHECK(hashes[by] != hashes[other]);
        }
    }
}

/// Two of them fall on the floor, one across the other.
SD_TEST(narrowphase_holds_for_the_children_of_compounds) {
    const sdCompoundChild children[] = {
        {.shape = sdShape_Capsule(0.5f, 0.1f), .xf = TestAt(-0.2f, 0.0f, 0.0f)},
        {.shape = sdShape_Box(0.1f, 0.6f, 0.1f), .xf = TestAt(0.2f, 0.0f, 0.0f)},
    };
    sdCompound* compound = NULL;
    REQUIRE(sdCompound_Create(NULL, children, 2, &compound) == SD_OK);
    sdShapeDef rods = sdShapeDef_Default(sdShape_Compound(compound));
    uint64_t hashes[SD_NARROWPHASE_COUNT];
    for (int by = 0; by < SD_NARROWPHASE_COUNT; ++by) {
        sdWorldDef def = TestWorld_AwakeDef();
        def.narrowphase = (sdNarrowphase)by;
        sdWorld* world = TestWorld_Make(def);
        TestWorld_AddFloor(world, TestWorld_Friction(0.6f));
        sdQuat flat = sdQuat_FromRotationVector(sdV3(0.5f * SD_PI, 0.0f, 0.0f));
        sdQuat across = sdMulQ(sdQuat_FromRotationVector(sdV3(0.0f, 1.4f, 0.1f)), flat);
        TestWorld_AddBody(world, SD_BODY_DYNAMIC, sdPos_Make(0.0, 0.1, 0.0), flat, rods);
        sdBodyId upper =
            TestWorld_AddBody(world, SD_BODY_DYNAMIC, sdPos_Make(0.0, 0.5, 0.0), across, rods);
        TestWorld_Run(world, 200);
        CHECK_NEAR(sdBody_GetTransform(world, upper).p.y, 0.3, 0.01);
        hashes[by] = sdWorld_GetHash(world);
        sdWorld_Destroy(world);
    }
    // the last digits differ
    CHECK(hashes[SD_NARROWPHASE_GJK] != hashes[SD_NARROWPHASE_AUTO]);
    sdCompound_Release(compound);
}

SD_TEST(narrowphase_changes_between_any_two_steps) {
    sdWorld* world = build("pile", 100, SD_NARROWPHASE_AUTO);
    sdWorld* tower = build("tower", 10, SD_NARROWPHASE_AUTO);
    for (int i = 0; i < 240; ++i) {
        setNarrowphase(world, (sdNarrowphase)(i % SD_NARROWPHASE_COUNT));
        setNarrowphase(tower, (sdNarrowphase)(i % SD_NARROWPHASE_COUNT));
        TestWorld_Run(world, 1);
        TestWorld_Run(tower, 1);
    }
    checkEnd("pile", 100, world);
    checkEnd("tower", 10, tower);
    sdWorld_Destroy(world);
    sdWorld_Destroy(tower);
}

SD_TEST(narrowphase_is_part_of_a_snapshot) {
    for (int by = 0; by < SD_NARROWPHASE_COUNT; ++by) {
        sdWorld* world = build("pile", 60, (sdNarrowphase)by);
        sdSnapshot* snapshot = NULL;
        REQUIRE(sdSnapshot_Create(NULL, &snapshot) == SD_OK);
        TestWorld_Run(world, 40);
        CHECK_INT(sdWorld_Save(world, snapshot), SD_OK);
        TestWorld_Run(world, 40);
        uint64_t hash = sdWorld_GetHash(world);
        setNarrowphase(world, (sdNarrowphase)((by + 1) % SD_NARROWPHASE_COUNT));
        TestWorld_Run(world, 10);
        CHECK_INT(sdWorld_Restore(world, snapshot), SD_OK);
        CHECK_INT(sdWorld_GetDef(world).narrowphase, by);
        TestWorld_Run(world, 40);
        CHECK(sdWorld_GetHash(world) == hash);
        sdSnapshot_Destroy(snapshot);
        sdWorld_Destroy(world);
    }
}

SD_TEST(narrowphase_that_is_not_there_is_refused) {
    TestContext test;
    TestContext_Init(&test);
    const int bad[] = {-1, SD_NARROWPHASE_COUNT, 1 << 20};
    for (int i = 0; i < 3; ++i) {
        sdWorldDef def = sdWorldDef_Default();
        sdWorld* world = NULL;
        REQUIRE(sdWorld_Create(&test.context, &def, &world) == SD_OK);
        def.narrowphase = (sdNarrowphase)bad[i];
        CHECK_INT(sdWorld_SetDef(world, &def), SD_ERROR_INVALID_ARGUMENT);
        CHECK_TEXT(test.lastError, "narrowphase");
        CHECK_INT(sdWorld_GetDef(world).narrowphase, SD_NARROWPHASE_AUTO);
        sdWorld_Destroy(world);
        CHECK_INT(sdWorld_Create(&test.context, &def, &world), SD_ERROR_INVALID_ARGUMENT);
        CHECK_TEXT(test.lastError, "narrowphase");
        CHECK(world == NULL);
    }
    TestContext_Finish(&test);
}
