// SPDX-License-Identifier: MIT
// test_broadphase_settings.c - settings of the octree and of sweep and prune: they change what is
// compared, never what is found; and what S1 §5 found about them.

#include "broadphase_scene.h"

#include <math.h>

static sdBroadphase* create(const sdContext* context, const sdBroadphaseDef* def) {
    sdBroadphase* bp;
    CHECK_INT(sdBroadphase_Create(context, def, &bp), SD_OK);
    return bp;
}

static sdProxyId addBox(sdBroadphase* bp, sdPos center, double half) {
    sdProxyDef def = sdProxyDef_Default();
    def.box = sdWorldBox_Make(sdPos_Make(center.x - half, center.y - half, center.z - half),
                              sdPos_Make(center.x + half, center.y + half, center.z + half));
    sdProxyId id;
    CHECK_INT(sdBroadphase_Add(bp, &def, &id), SD_OK);
    return id;
}

// ---- same pairs ----------------------------------------------------------------------------

enum { DEF_COUNT = 10 };

/// Brute force first.
static void listDefs(sdBroadphaseDef defs[DEF_COUNT]) {
    for (int i = 0; i < DEF_COUNT; ++i) {
        defs[i] = sdBroadphaseDef_Default();
        defs[i].kind = i == 0  ? SD_BROADPHASE_BRUTE
                       : i < 4 ? SD_BROADPHASE_SAP
                               : SD_BROADPHASE_OCTREE;
        defs[i].sapAxisCount = i >= 1 && i < 4 ? i : 3;
    }
    defs[4].octreeMaxDepth = 0;
    defs[5].octreeMaxDepth = SD_OCTREE_MAX_DEPTH;
    defs[5].octreeSplitLimit = 1;
    defs[5].octreeMergeLimit = 0;
    defs[6].octreeMaxDepth = 4;
    defs[6].octreeMaxCopies = 8.0f;
    defs[6].octreeMergeLimit = 6;
    defs[7].octreeMaxCopies = 1.0f;
    defs[8].octreeSplitLimit = 51;
    defs[8].octreeMergeLimit = 49;
    defs[9].octreeSplitLimit = 2;
    defs[9].octreeMergeLimit = 2;
}

static void compareSettings(TestScene* scene, int stepCount) {
    TestContext test;
    TestContext_Init(&test);
    sdBroadphaseDef defs[DEF_COUNT];
    sdBroadphase* phases[DEF_COUNT];
    TestPairs pairs[DEF_COUNT] = {{0}};
    listDefs(defs);
    for (int i = 0; i < DEF_COUNT; ++i) {
        phases[i] = create(&test.context, &defs[i]);
    }
    TestScene_AddAll(scene, phases, DEF_COUNT);
    bool isRight = true;
    for (int step = 0; step < stepCount && isRight; ++step) {
        for (int i = 0; i < DEF_COUNT && isRight; ++i) {
            sdPairChanges changes;
            REQUIRE(sdBroadphase_UpdatePairs(phases[i], &changes) == SD_OK);
            TestPairs_Apply(&pairs[i], &changes);
            TestPairs_Compare(&pairs[0], phases[i]);
            isRight = CHECK_INT(pairs[i].count, pairs[0].count) &&
                      CHECK(sdBroadphase_Validate(phases[i]));
            if (!isRight) {
                sdTest_Print("settings %d, step %d: %s", i, step, test.lastError);
            }
        }
        TestScene_Step(scene, phases, DEF_COUNT);
    }
    for (int i = 0; i < DEF_COUNT; ++i) {
        TestPairs_Free(&pairs[i]);
        sdBroadphase_Destroy(phases[i]);
    }
    TestContext_Finish(&test);
}

SD_TEST(broadphase_settings_do_not_change_pairs) {
    TestScene scene;
    TestScene_Init(&scene, 400, 5.0f, 11);
    compareSettings(&scene, TestRounds(150));
    TestScene_Free(&scene);
}

SD_TEST(broadphase_settings_hold_while_all_go_away) {
    // a swarm that leaves the place where the structures were made, and gathers in a small one
    TestScene scene;
    TestScene_Init(&scene, 300, 5.0f, 12);
    for (int i = 0; i < scene.bodyCount; ++i) {
        scene.bodies[i].velocity = sdV3(0.4f, 0.0f, 0.1f);
        scene.bodies[i].isStatic = false;
    }
    scene.halfSize = 500.0f;
    compareSettings(&scene, TestRounds(100));
    scene.halfSize = 0.5f;
    scene.center = sdPos_Make(1e7, 1e7, -1e7);
    for (int i = 0; i < scene.bodyCount; ++i) {
        scene.bodies[i].id = SD_NULL_PROXY;
        // most of them far away from the others
        if (i % 10 != 0) {
            scene.bodies[i].position = sdPos_Make(1e7 + 3.0 * (i % 20), 1e7, -1e7 + 2.0 * (i / 20));
        }
    }
    scene.halfSize = 40.0f;
    compareSettings(&scene, TestRounds(40));
    TestScene_Free(&scene);
}

SD_TEST(broadphase_boxes_that_touch_at_zero_are_pairs) {
    // -0 and +0 are one place
    sdBroadphaseDef defs[DEF_COUNT];
    listDefs(defs);
    for (int i = 0; i < DEF_COUNT; ++i) {
        defs[i].margin = 0.0f;
        sdBroadphase* bp = create(NULL, &defs[i]);
        for (int k = 0; k < 4; ++k) {
            sdProxyDef def = sdProxyDef_Default();
            double zero = k < 2 ? 0.0 : -0.0;
            def.box =
                k % 2 == 0
                    ? sdWorldBox_Make(sdPos_Make(zero, zero, zero), sdPos_Make(1.0, 1.0, 1.0))
                    : sdWorldBox_Make(sdPos_Make(-1.0, -1.0, -1.0), sdPos_Make(zero, zero, zero));
            sdProxyId id;
            CHECK_INT(sdBroadphase_Add(bp, &def, &id), SD_OK);
        }
        CHECK_INT(sdBroadphase_UpdatePairs(bp, NULL), SD_OK);
        CHECK_INT(sdBroadphase_GetPairCount(bp), 6);
        sdWorldBox box = {{-0.5, -0.5, -0.5}, {-0.0, -0.0, -0.0}};
        int count;
        CHECK_INT(sdBroadphase_FindInBox(bp, box, ~0u, NULL, 0, &count), SD_OK);
        CHECK_INT(count, 4);
        sdBroadphase_Destroy(bp);
    }
}

SD_TEST(broadphase_refuses_bad_settings) {
    TestContext test;
    TestContext_Init(&test);
    sdBroadphaseDef defs[9];
    for (int i = 0; i < 9; ++i) {
        defs[i] = sdBroadphaseDef_Default();
    }
    defs[0].octreeMaxDepth = -1;
    defs[1].octreeMaxDepth = SD_OCTREE_MAX_DEPTH + 1;
    defs[2].octreeSplitLimit = 0;
    defs[3].octreeMergeLimit = defs[3].octreeSplitLimit + 1;
    defs[4].octreeMergeLimit = -1;
    defs[5].octreeMaxCopies = TestNaN();
    defs[6].octreeMaxCopies = 9.0f;
    defs[7].sapAxisCount = 0;
    defs[8].sapAxisCount = 4;
    const char* names[9] = {"MaxDepth",  "MaxDepth",  "SplitLimit", "MergeLimit", "MergeLimit",
                            "MaxCopies", "MaxCopies", "AxisCount",  "AxisCount"};
    for (int i = 0; i < 9; ++i) {
        sdBroadphase* bp;
        CHECK_INT(sdBroadphase_Create(&test.context, &defs[i], &bp), SD_ERROR_INVALID_ARGUMENT);
        CHECK(bp == NULL);
        CHECK_TEXT(test.lastError, names[i]);
    }
    TestContext_Finish(&test);
}

// ---- few comparisons -----------------------------------------------------------------------

/// Cubes in a cube of side 20, as in S1 §5.
static sdBroadphaseStats countTests(const sdBroadphaseDef* def, int count, double side) {
    sdBroadphase* bp = create(NULL, def);
    TestRandom random = TestRandom_Make(13);
    for (int i = 0; i < count; ++i) {
        sdVec3 p = TestRandom_InBox(&random, 10.0f - (float)(0.5 * side));
        addBox(bp, sdPos_Make((double)p.x, (double)p.y, (double)p.z), 0.5 * side);
    }
    CHECK_INT(sdBroadphase_UpdatePairs(bp, NULL), SD_OK);
    sdBroadphaseStats stats = sdBroadphase_GetStats(bp);
    sdBroadphase_Destroy(bp);
    return stats;
}

SD_TEST(broadphase_octree_helps_small_bodies_and_hurts_large_ones) {
    sdBroadphaseDef octree = sdBroadphaseDef_Default();
    octree.kind = SD_BROADPHASE_OCTREE;
    octree.margin = 0.0f;
    sdBroadphaseDef brute = octree;
    brute.kind = SD_BROADPHASE_BRUTE;
    double all = (double)countTests(&brute, 500, 0.1).testCount;
    CHECK_INT((int64_t)all, 500 * 499 / 2);
    // as the document has it: cells are split whatever that leads to
    octree.octreeMaxDepth = 4;
    octree.octreeSplitLimit = 6;
    octree.octreeMergeLimit = 3;
    octree.octreeMaxCopies = 8.0f;
    static const double sides[4] = {0.1, 1.0, 4.0, 8.0};
    double part[4];
    for (int i = 0; i < 4; ++i) {
        part[i] = (double)countTests(&octree, 500, sides[i]).testCount / all;
        sdTest_Print("cubes of side %.1f: %.4f of all pairs are compared", sides[i], part[i]);
        CHECK(i == 0 || part[i] > part[i - 1]);
    }
    CHECK(part[0] < 0.02 && part[3] > 2.0);
    // by default it stops before it hurts
    octree = sdBroadphaseDef_Default();
    octree.kind = SD_BROADPHASE_OCTREE;
    octree.margin = 0.0f;
    CHECK((double)countTests(&octree, 500, 8.0).testCount < 1.1 * all);
}

SD_TEST(broadphase_octree_has_a_small_best_cell_limit) {
    // a cell that is looked at costs about as much as two boxes that are compared
    static const int limits[8] = {1, 3, 6, 12, 25, 51, 101, 500};
    double work[8];
    int best = 0;
    for (int i = 0; i < 8; ++i) {
        sdBroadphaseDef def = sdBroadphaseDef_Default();
        def.kind = SD_BROADPHASE_OCTREE;
        def.margin = 0.0f;
        def.octreeSplitLimit = limits[i];
        def.octreeMergeLimit = limits[i] / 2;
        sdBroadphaseStats stats = countTests(&def, 500, 0.1);
        work[i] = (double)stats.testCount + (double)stats.cellCount;
        sdTest_Print("at most %3d bodies a cell: %6lld tests, %5d cells", limits[i],
                     (long long)stats.testCount, stats.cellCount);
        best = work[i] < work[best] ? i : best;
    }
    CHECK(limits[best] >= 3 && limits[best] <= 12);
    CHECK(work[6] > 4.0 * work[2] && work[5] > 2.0 * work[2]);
}

SD_TEST(broadphase_octree_does_not_mind_bodies_far_away) {
    // a few that are a billion times as far off as the others are apart must not make cells coarse
    sdBroadphaseDef def = sdBroadphaseDef_Default();
    def.kind = SD_BROADPHASE_OCTREE;
    sdBroadphase* bp = create(NULL, &def);
    TestRandom random = TestRandom_Make(16);
    sdProxyId ids[1000];
    for (int i = 0; i < 1000; ++i) {
        sdVec3 p = TestRandom_InBox(&random, 10.0f);
        double far = i % 50 == 0 ? 1e10 * (i - 500) : 1.0;
        ids[i] = addBox(bp, sdPos_Make(far * (double)p.x, (double)p.y, far * (double)p.z), 0.1);
    }
    CHECK_INT(sdBroadphase_UpdatePairs(bp, NULL), SD_OK);
    CHECK(sdBroadphase_GetStats(bp).testCount < 15000);
    CHECK(sdBroadphase_Validate(bp));
    // nor when the others leave: the cells follow
    for (int step = 0; step < 26; ++step) {
        for (int i = 50 * (step % 20) + 1; i < 50 * (step % 20) + 50; ++i) {
            sdVec3 p = TestRandom_InBox(&random, 10.0f);
            sdPos to = {1e6 + (double)p.x, 1e6 + (double)p.y, (double)p.z};
            sdWorldBox box = {{to.x - 0.1, to.y - 0.1, to.z - 0.1},
                              {to.x + 0.1, to.y + 0.1, to.z + 0.1}};
            CHECK_INT(sdBroadphase_Move(bp, ids[i], box), SD_OK);
        }
        CHECK_INT(sdBroadphase_UpdatePairs(bp, NULL), SD_OK);
        CHECK(sdBroadphase_Validate(bp));
    }
    for (int i = 0; i < 1000; ++i) {
        CHECK_INT(sdBroadphase_SetFilter(bp, ids[i], 2, ~0u), SD_OK);
    }
    CHECK_INT(sdBroadphase_UpdatePairs(bp, NULL), SD_OK);
    sdTest_Print("%lld tests where they have gone to",
                 (long long)sdBroadphase_GetStats(bp).testCount);
    CHECK(sdBroadphase_GetStats(bp).testCount < 30000);
    sdBroadphase_Destroy(bp);
}

SD_TEST(broadphase_sap_sweeps_along_the_best_axis) {
    // a flat layer: along its normal everything overlaps
    for (int axisCount = 1; axisCount <= 3; ++axisCount) {
        sdBroadphaseDef def = sdBroadphaseDef_Default();
        def.kind = SD_BROADPHASE_SAP;
        def.sapAxisCount = axisCount;
        sdBroadphase* bp = create(NULL, &def);
        TestRandom random = TestRandom_Make(14);
        for (int i = 0; i < 1000; ++i) {
            sdVec3 p = TestRandom_InBox(&random, 50.0f);
            addBox(bp, sdPos_Make(0.0, (double)p.y, (double)p.z), 0.5);
        }
        CHECK_INT(sdBroadphase_UpdatePairs(bp, NULL), SD_OK);
        int64_t tests = sdBroadphase_GetStats(bp).testCount;
        CHECK(axisCount == 1 ? tests == 1000 * 999 / 2 : tests < 30000);
        sdBroadphase_Destroy(bp);
    }
}

// ---- viewers -------------------------------------------------------------------------------

typedef struct Cells {
    double volume;
    int count;
    int stopAfter;
} Cells;

static bool addCell(void* arg, sdAABB box, int depth, int proxyCount) {
    Cells* cells = arg;
    CHECK(depth >= 0 && proxyCount >= 0 && sdAABB_IsValid(box));
    sdVec3 d = sdSub(box.upper, box.lower);
    cells->volume += (double)d.x * (double)d.y * (double)d.z;
    cells->count += 1;
    return cells->count != cells->stopAfter;
}

SD_TEST(broadphase_octree_cells_fill_the_root) {
    sdBroadphaseDef def = sdBroadphaseDef_Default();
    def.kind = SD_BROADPHASE_OCTREE;
    sdBroadphase* bp = create(NULL, &def);
    TestRandom random = TestRandom_Make(15);
    for (int i = 0; i < 300; ++i) {
        sdVec3 p = TestRandom_InBox(&random, 10.0f);
        addBox(bp, sdPos_Make((double)p.x, (double)p.y, (double)p.z), 0.2);
    }
    CHECK_INT(sdBroadphase_UpdatePairs(bp, NULL), SD_OK);
    Cells cells = {0};
    sdBroadphase_VisitCells(bp, addCell, &cells);
    // leaves are 7/8 of all cells, and one more
    CHECK_INT(cells.count, sdBroadphase_GetStats(bp).cellCount / 8 * 7 + 1);
    double side = cbrt(cells.volume);
    CHECK(side > 18.0 && side < 26.0);
    cells = (Cells){.stopAfter = 5};
    sdBroadphase_VisitCells(bp, addCell, &cells);
    CHECK_INT(cells.count, 5);
    sdBroadphase_Destroy(bp);
}
