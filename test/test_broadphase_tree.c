// SPDX-License-Identifier: MIT
// test_broadphase_tree.c - builders of trees: valid, of expected quality, robust.

#include "broadphase_scene.h"

#include <stdlib.h>

static const char* const builderNames[SD_TREE_BUILDER_COUNT] = {
    [SD_TREE_HILBERT] = "Hilbert",     [SD_TREE_MORTON] = "Morton",
    [SD_TREE_TOP_DOWN] = "top-down",   [SD_TREE_BOTTOM_UP] = "bottom-up",
    [SD_TREE_INSERTION] = "insertion",
};

typedef enum Layout {
    UNIFORM,
    CLUSTERED,
    ONE_HUGE,
    ON_A_LINE,
    IN_ONE_PLACE,
    NESTED,
    LAYOUT_COUNT
} Layout;

static const char* const layoutNames[LAYOUT_COUNT] = {"uniform",   "clustered",    "one huge",
                                                      "on a line", "in one place", "nested"};

static sdWorldBox makeBox(TestRandom* random, Layout layout, int i) {
    sdVec3 p = TestRandom_InBox(random, 20.0f);
    float half = TestRandom_Float(random, 0.1f, 0.5f);
    switch (layout) {
        case CLUSTERED:
            p = sdAdd(sdScale(0.05f, p),
                      sdV3(100.0f * (float)(i % 7), 3.0f * (float)(i % 5), 0.0f));
            break;
        case ONE_HUGE:
            half = i == 17 ? 30.0f : 0.1f;
            break;
        case ON_A_LINE:
            p = sdV3(p.x * 50.0f, 0.0f, 0.0f);
            break;
        case IN_ONE_PLACE:
            p = sdV3(1.0f, 2.0f, 3.0f);
            break;
        case NESTED:
            // each many times as large as one before: what makes trees deep
            p = sdV3(0.0f, 0.0f, 0.0f);
            half = 1e-6f * (float)(1 << i % 30);
            break;
        default:
            break;
    }
    sdVec3 h = {half, half, half};
    return sdWorldBox_FromLocal(sdPos_Make(0.0, 0.0, 0.0), (sdAABB){sdSub(p, h), sdAdd(p, h)});
}

static sdBroadphase* buildLayout(const sdContext* context, Layout layout, int count,
                                 sdTreeBuilder builder) {
    sdBroadphaseDef def = sdBroadphaseDef_Default();
    def.treeBuilder = builder;
    sdBroadphase* bp;
    if (!CHECK(sdBroadphase_Create(context, &def, &bp) == SD_OK)) {
        return NULL;
    }
    TestRandom random = TestRandom_Make(21);
    for (int i = 0; i < count; ++i) {
        sdProxyDef proxy = sdProxyDef_Default();
        proxy.box = makeBox(&random, layout, i);
        sdProxyId id;
        CHECK_INT(sdBroadphase_Add(bp, &proxy, &id), SD_OK);
    }
    return bp;
}

typedef struct CellSum {
    int proxyCount;
    int cellCount;
    int deepest;
    sdAABB box;
} CellSum;

static bool sumCells(void* arg, sdAABB box, int depth, int proxyCount) {
    CellSum* sum = arg;
    sum->proxyCount += proxyCount;
    sum->cellCount += 1;
    sum->deepest = sdMaxI(sum->deepest, depth);
    sum->box = sdAABB_Union(sum->box, box);
    return true;
}

SD_TEST(broadphase_builders_make_valid_trees) {
    for (int layout = 0; layout < LAYOUT_COUNT; ++layout) {
        int count = layout == IN_ONE_PLACE || layout == NESTED ? 300 : 4000;
        uint64_t expected = 0;
        for (int b = 0; b < SD_TREE_BUILDER_COUNT; ++b) {
            TestContext test;
            TestContext_Init(&test);
            sdBroadphase* bp = buildLayout(&test.context, (Layout)layout, count, (sdTreeBuilder)b);
            REQUIRE(bp != NULL);
            sdPairChanges changes;
            CHECK_INT(sdBroadphase_UpdatePairs(bp, &changes), SD_OK);
            if (!CHECK(sdBroadphase_Validate(bp))) {
                sdTest_Print("%s, %s: %s", layoutNames[layout], builderNames[b], test.lastError);
            }
            uint64_t hash = TestHash(TEST_HASH_START, changes.newPairs,
                                     (size_t)changes.newCount * sizeof(sdProxyPair));
            expected = b == 0 ? hash : expected;
            CHECK(hash == expected);
            CellSum sum = {0, 0, 0, sdAABB_Empty()};
            sdBroadphase_VisitCells(bp, sumCells, &sum);
            sdBroadphaseStats stats = sdBroadphase_GetStats(bp);
            CHECK_INT(sum.proxyCount, count);
            CHECK_INT(sum.cellCount, stats.cellCount);
            CHECK(sum.deepest < stats.depth && stats.depth < 20);
            sdBroadphase_Destroy(bp);
            TestContext_Finish(&test);
        }
    }
}

SD_TEST(broadphase_builders_are_ordered_by_quality) {
    const Layout layouts[] = {UNIFORM, CLUSTERED, ONE_HUGE};
    for (int k = 0; k < 3; ++k) {
        float costs[SD_TREE_BUILDER_COUNT];
        long long tests[SD_TREE_BUILDER_COUNT];
        for (int b = 0; b < SD_TREE_BUILDER_COUNT; ++b) {
            sdBroadphase* bp = buildLayout(NULL, layouts[k], 20000, (sdTreeBuilder)b);
            REQUIRE(bp != NULL);
            CHECK_INT(sdBroadphase_UpdatePairs(bp, NULL), SD_OK);
            sdBroadphaseStats stats = sdBroadphase_GetStats(bp);
            costs[b] = stats.sahCost;
            tests[b] = (long long)stats.testCount;
            sdTest_Print("%-9s %-9s cost %6.2f, %7d nodes, depth %d, %8lld tests",
                         layoutNames[layouts[k]], builderNames[b], (double)costs[b],
                         stats.cellCount, stats.depth, tests[b]);
            sdBroadphase_Destroy(bp);
        }
        // builders that look at surfaces beat those that follow a curve, and Hilbert's curve beats
        // Morton's; insertion comes out at about a curve
        CHECK(costs[SD_TREE_TOP_DOWN] < costs[SD_TREE_HILBERT]);
        CHECK(costs[SD_TREE_BOTTOM_UP] < 1.02f * costs[SD_TREE_HILBERT]);
        CHECK(costs[SD_TREE_HILBERT] < costs[SD_TREE_MORTON]);
        CHECK(tests[SD_TREE_TOP_DOWN] < tests[SD_TREE_MORTON]);
    }
}

SD_TEST(broadphase_rebuild_keeps_pairs) {
    TestContext test;
    TestContext_Init(&test);
    TestScene scene;
    TestScene_Init(&scene, 800, 6.0f, 31);
    sdBroadphase* bp;
    REQUIRE(sdBroadphase_Create(&test.context, NULL, &bp) == SD_OK);
    TestScene_AddAll(&scene, &bp, 1);
    TestPairs pairs = {0}, expected = {0};
    for (int step = 0; step < 40; ++step) {
        TestScene_Step(&scene, &bp, 1);
        CHECK_INT(sdBroadphase_Rebuild(bp, (sdTreeBuilder)(step % SD_TREE_BUILDER_COUNT)), SD_OK);
        sdPairChanges changes;
        CHECK_INT(sdBroadphase_UpdatePairs(bp, &changes), SD_OK);
        TestPairs_Apply(&pairs, &changes);
        TestScene_FindPairs(&scene, bp, &expected);
        TestPairs_Compare(&expected, bp);
        TestPairs_Compare(&pairs, bp);
        CHECK(sdBroadphase_Validate(bp));
    }
    CHECK_INT(sdBroadphase_Rebuild(bp, SD_TREE_BUILDER_COUNT), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdBroadphase_SetKind(bp, SD_BROADPHASE_BRUTE), SD_OK);
    CHECK_INT(sdBroadphase_Rebuild(bp, SD_TREE_HILBERT), SD_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT(test.lastError, "SD_BROADPHASE_TREE");
    TestPairs_Free(&pairs);
    TestPairs_Free(&expected);
    TestScene_Free(&scene);
    sdBroadphase_Destroy(bp);
    TestContext_Finish(&test);
}

/// Build, with a second try after a failure, as a usable structure allows.
static sdResult buildTwice(const sdContext* context, void* arg) {
    sdTreeBuilder builder = *(const sdTreeBuilder*)arg;
    sdBroadphase* bp;
    sdResult result = sdBroadphase_Create(context, NULL, &bp);
    if (result != SD_OK) {
        return result;
    }
    TestRandom random = TestRandom_Make(22);
    sdResult first = SD_OK;
    for (int i = 0; i < 200; ++i) {
        sdProxyDef proxy = sdProxyDef_Default();
        proxy.box = makeBox(&random, CLUSTERED, i);
        sdProxyId id;
        result = sdBroadphase_Add(bp, &proxy, &id);
        if (result != SD_OK) {
            first = result;
            CHECK_INT(sdBroadphase_Add(bp, &proxy, &id), SD_OK);
        }
    }
    for (int k = 0; k < 2; ++k) {
        result = sdBroadphase_Rebuild(bp, builder);
        if (result != SD_OK) {
            first = result;
            // queries are answered all the same
            int count;
            sdWorldBox all = {{-1e6, -1e6, -1e6}, {1e6, 1e6, 1e6}};
            CHECK_INT(sdBroadphase_FindInBox(bp, all, ~0u, NULL, 0, &count), SD_OK);
            CHECK_INT(count, 200);
            CHECK_INT(sdBroadphase_Rebuild(bp, builder), SD_OK);
        }
        CHECK(sdBroadphase_Validate(bp));
    }
    sdBroadphase_Destroy(bp);
    return first;
}

SD_TEST(broadphase_builders_survive_every_allocation_failure) {
    for (int b = 0; b < SD_TREE_BUILDER_COUNT; ++b) {
        sdTreeBuilder builder = (sdTreeBuilder)b;
        CHECK(TestContext_FailEach(buildTwice, &builder) > 10);
    }
}

SD_TEST(broadphase_tree_stays_shallow_under_churn) {
    // add ahead and remove behind, along a line, for long: single insertions only
    sdBroadphase* bp;
    REQUIRE(sdBroadphase_Create(NULL, NULL, &bp) == SD_OK);
    enum { ALIVE = 500 };
    sdProxyId ids[ALIVE];
    for (int i = 0; i < 20000; ++i) {
        if (i >= ALIVE) {
            CHECK_INT(sdBroadphase_Remove(bp, ids[i % ALIVE]), SD_OK);
        }
        sdProxyDef proxy = sdProxyDef_Default();
        double x = i * 0.7;
        proxy.box = sdWorldBox_Make(sdPos_Make(x, 0.0, 0.0), sdPos_Make(x + 1.0, 1.0, 1.0));
        CHECK_INT(sdBroadphase_Add(bp, &proxy, &ids[i % ALIVE]), SD_OK);
        if (i % 50 == 0) {
            CHECK_INT(sdBroadphase_UpdatePairs(bp, NULL), SD_OK);
            CHECK(sdBroadphase_GetStats(bp).depth < 12);
        }
        if (i % 2500 == 0) {
            CHECK(sdBroadphase_Validate(bp));
        }
    }
    CHECK_INT(sdBroadphase_UpdatePairs(bp, NULL), SD_OK);
    CHECK_INT(sdBroadphase_GetPairCount(bp), ALIVE - 1);
    sdBroadphase_Destroy(bp);
}
