// SPDX-License-Identifier: MIT
// test_broadphase.c - the front end of broad phases: boxes, ids, pairs, queries, bad input, memory.

#include "broadphase/broadphase.h"
#include "broadphase_scene.h"

#include <stdlib.h>
#include <string.h>

static sdWorldBox boxAt(double x, double y, double z, double half) {
    return sdWorldBox_Make(sdPos_Make(x - half, y - half, z - half),
                           sdPos_Make(x + half, y + half, z + half));
}

static sdProxyId addBox(sdBroadphase* bp, sdWorldBox box) {
    sdProxyDef def = sdProxyDef_Default();
    def.box = box;
    sdProxyId id;
    CHECK_INT(sdBroadphase_Add(bp, &def, &id), SD_OK);
    return id;
}

static sdBroadphase* create(const sdContext* context, sdBroadphaseKind kind) {
    sdBroadphaseDef def = sdBroadphaseDef_Default();
    def.kind = kind;
    sdBroadphase* bp;
    CHECK_INT(sdBroadphase_Create(context, &def, &bp), SD_OK);
    return bp;
}

// ---- pairs ---------------------------------------------------------------------------------

static void checkLifeOfPair(sdBroadphaseKind kind) {
    TestContext test;
    TestContext_Init(&test);
    sdBroadphase* bp = create(&test.context, kind);
    sdProxyId a = addBox(bp, boxAt(0.0, 0.0, 0.0, 0.5));
    sdProxyId b = addBox(bp, boxAt(5.0, 0.0, 0.0, 0.5));
    sdPairChanges changes;
    CHECK_INT(sdBroadphase_UpdatePairs(bp, &changes), SD_OK);
    CHECK_INT(changes.newCount + changes.lostCount, 0);

    CHECK_INT(sdBroadphase_Move(bp, b, boxAt(0.9, 0.0, 0.0, 0.5)), SD_OK);
    CHECK_INT(sdBroadphase_UpdatePairs(bp, &changes), SD_OK);
    REQUIRE(changes.newCount == 1 && changes.lostCount == 0);
    CHECK(changes.newPairs[0].a == a && changes.newPairs[0].b == b);

    // nothing that stays inside its fat box is touched
    CHECK(!sdBroadphase_NeedsMove(bp, b, boxAt(0.91, 0.0, 0.0, 0.5)));
    CHECK(sdBroadphase_NeedsMove(bp, b, boxAt(1.91, 0.0, 0.0, 0.5)));
    CHECK_INT(sdBroadphase_Move(bp, b, boxAt(0.91, 0.0, 0.0, 0.5)), SD_OK);
    CHECK_INT(sdBroadphase_UpdatePairs(bp, &changes), SD_OK);
    CHECK_INT(changes.newCount + changes.lostCount, 0);
    CHECK_INT(sdBroadphase_GetStats(bp).touchedCount, 0);

    CHECK(sdBroadphase_GetStats(bp).findMs == 0.0f);

    // a box that has become much smaller gets a new fat box
    CHECK(sdBroadphase_NeedsMove(bp, b, boxAt(0.9, 0.0, 0.0, 0.1)));

    // one that comes and goes between updates leaves no trace, and away and back is no change
    sdProxyId c = addBox(bp, boxAt(0.0, 0.0, 0.0, 0.5));
    CHECK_INT(sdBroadphase_Remove(bp, c), SD_OK);
    CHECK_INT(sdBroadphase_Move(bp, b, boxAt(100.0, 0.0, 0.0, 0.5)), SD_OK);
    CHECK_INT(sdBroadphase_Move(bp, b, boxAt(0.9, 0.0, 0.0, 0.5)), SD_OK);
    CHECK_INT(sdBroadphase_UpdatePairs(bp, &changes), SD_OK);
    CHECK_INT(changes.newCount + changes.lostCount, 0);

    // a removed proxy's pairs are lost by its old id, also when another one is there instead
    CHECK_INT(sdBroadphase_Remove(bp, a), SD_OK);
    sdProxyId d = addBox(bp, boxAt(0.0, 0.0, 0.0, 0.5));
    CHECK(d != a && !sdBroadphase_IsValidId(bp, a));
    CHECK_INT(sdBroadphase_GetProxyCount(bp), 2);
    CHECK_INT(sdBroadphase_UpdatePairs(bp, &changes), SD_OK);
    REQUIRE(changes.newCount == 1 && changes.lostCount == 1);
    CHECK(changes.lostPairs[0].a == a && changes.lostPairs[0].b == b);
    sdProxyId partner = SD_NULL_PROXY;
    CHECK_INT(sdBroadphase_GetPartners(bp, d, &partner, 1), 1);
    CHECK(partner == b);

    // filters
    CHECK_INT(sdBroadphase_SetFilter(bp, d, 1, 2), SD_OK);
    CHECK_INT(sdBroadphase_UpdatePairs(bp, &changes), SD_OK);
    CHECK(changes.newCount == 0 && changes.lostCount == 1);
    CHECK(sdBroadphase_Validate(bp));
    sdBroadphase_Destroy(bp);
    TestContext_Finish(&test);
}

SD_TEST(broadphase_life_of_a_pair) {
    sdBroadphaseKind kinds[SD_BROADPHASE_KIND_COUNT];
    int count = TestKinds_List(kinds);
    for (int i = 0; i < count; ++i) {
        checkLifeOfPair(kinds[i]);
    }
}

// ---- ways ----------------------------------------------------------------------------------

static bool isInFatBox(const sdBroadphase* bp, sdProxyId id, const sdWorldBox* box) {
    sdAABB fat = bp->boxes[sdProxyId_Slot(id)];
    return (double)fat.lower.x <= box->lower.x && (double)fat.upper.x >= box->upper.x &&
           (double)fat.lower.y <= box->lower.y && (double)fat.upper.y >= box->upper.y &&
           (double)fat.lower.z <= box->lower.z && (double)fat.upper.z >= box->upper.z;
}

/// Move a box of 1 m along x, and tell how far it goes.
/// @return in how many of 30 steps it was given a new fat box
static int countRenewals(sdBroadphase* bp, sdProxyId id, float way, float told) {
    int count = 0;
    for (int i = 0; i < 30; ++i) {
        sdWorldBox box = boxAt((double)way * i, 0.0, 0.0, 0.5);
        if (sdBroadphase_Refit(bp, id, &box, sdV3(told, 0.0f, 0.0f))) {
            sdBroadphase_Touch(bp, id);
            ++count;
        }
        CHECK(isInFatBox(bp, id, &box));
        CHECK_INT(sdBroadphase_UpdatePairs(bp, NULL), SD_OK);
    }
    return count;
}

SD_TEST(broadphase_boxes_whose_way_is_known_are_renewed_seldom) {
    sdBroadphase* bp = create(NULL, SD_BROADPHASE_TREE);
    float margin = sdBroadphaseDef_Default().margin;
    sdProxyId id = addBox(bp, boxAt(0.0, 0.0, 0.0, 0.5));
    const sdAABB* fat = bp->boxes + sdProxyId_Slot(id);
    CHECK(countRenewals(bp, id, 0.1f, 0.0f) >= 20);
    CHECK(countRenewals(bp, id, 0.1f, 0.1f) <= 12);
    CHECK(countRenewals(bp, id, -0.1f, -0.1f) <= 12);

    // one that has stopped is left no more than its margins
    sdWorldBox box = boxAt(20.0, 0.0, 0.0, 0.5);
    CHECK(sdBroadphase_Refit(bp, id, &box, sdV3(-0.1f, 0.0f, 0.0f)));
    CHECK(fat->lower.x < 19.3f && fat->upper.x < 20.51f);
    CHECK(!sdBroadphase_Refit(bp, id, &box, sdV3(-0.1f, 0.0f, 0.0f)));
    CHECK(sdBroadphase_Refit(bp, id, &box, sdV3(0.0f, 0.0f, 0.0f)));
    CHECK(fat->upper.x - fat->lower.x < 1.01f + 2.0f * margin);
    CHECK(!sdBroadphase_Refit(bp, id, &box, sdV3(0.0f, 0.0f, 0.0f)));

    // one that will leave its fat box at once, or goes nobody knows where, is not grown ahead
    const float ways[] = {1.0f, -30.0f, FLT_MAX, NAN, INFINITY};
    for (int i = 0; i < 5; ++i) {
        box = boxAt(10.0 * i - 60.0, 0.0, 0.0, 0.5);
        CHECK(sdBroadphase_Refit(bp, id, &box, sdV3(0.0f, ways[i], 0.01f)));
        CHECK(isInFatBox(bp, id, &box) && fat->upper.y - fat->lower.y < 1.01f + 2.0f * margin);
    }
    sdBroadphase_Touch(bp, id);
    CHECK_INT(sdBroadphase_UpdatePairs(bp, NULL), SD_OK);
    CHECK(sdBroadphase_Validate(bp));
    sdBroadphase_Destroy(bp);
}

SD_TEST(broadphase_boxes_that_go_their_ways_meet_all_that_overlap) {
    enum { COUNT = 60, STEPS = 200 };
    TestRandom random = TestRandom_Make(12);
    sdBroadphase* bp = create(NULL, SD_BROADPHASE_TREE);
    sdVec3 places[COUNT], ways[COUNT];
    sdWorldBox boxes[COUNT];
    sdProxyId ids[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        places[i] = TestRandom_InBox(&random, 2.0f);
        ways[i] = TestRandom_InBox(&random, 0.2f);
        boxes[i] = boxAt((double)places[i].x, (double)places[i].y, (double)places[i].z, 0.3);
        ids[i] = addBox(bp, boxes[i]);
    }
    int overlapCount = 0;
    for (int step = 0; step < STEPS; ++step) {
        for (int i = 0; i < COUNT; ++i) {
            // those that come too far turn round, and some are told a way that they do not go
            ways[i] = sdLength(places[i]) > 3.0f ? sdScale(-0.05f, places[i]) : ways[i];
            places[i] = sdAdd(places[i], ways[i]);
            boxes[i] = boxAt((double)places[i].x, (double)places[i].y, (double)places[i].z, 0.3);
            if (sdBroadphase_Refit(bp, ids[i], &boxes[i],
                                   sdScale(i % 7 == 0 ? -1.0f : 1.0f, ways[i]))) {
                sdBroadphase_Touch(bp, ids[i]);
            }
        }
        CHECK_INT(sdBroadphase_UpdatePairs(bp, NULL), SD_OK);
        for (int i = 0; i < COUNT * COUNT; ++i) {
            int a = i / COUNT, b = i % COUNT;
            sdVec3 d = sdAbs(sdSub(places[a], places[b]));
            if (a < b && sdMaxF(d.x, sdMaxF(d.y, d.z)) < 0.59f) {
                CHECK(sdBroadphase_HasPair(bp, ids[a], ids[b]));
                ++overlapCount;
            }
        }
    }
    CHECK(overlapCount > STEPS && sdBroadphase_Validate(bp));
    sdBroadphase_Destroy(bp);
}

SD_TEST(broadphase_without_boxes_pairs_everything) {
    TestContext test;
    TestContext_Init(&test);
    sdBroadphase* bp = create(&test.context, SD_BROADPHASE_ALL_PAIRS);
    sdProxyId ids[20];
    for (int i = 0; i < 20; ++i) {
        ids[i] = addBox(bp, boxAt(10.0 * i, 0.0, 0.0, 0.5));
    }
    CHECK_INT(sdBroadphase_UpdatePairs(bp, NULL), SD_OK);
    CHECK_INT(sdBroadphase_GetPairCount(bp), 190);
    CHECK_INT(sdBroadphase_Remove(bp, ids[3]), SD_OK);
    CHECK_INT(sdBroadphase_UpdatePairs(bp, NULL), SD_OK);
    CHECK_INT(sdBroadphase_GetPairCount(bp), 171);
    // boxes count again in another kind, and back
    CHECK_INT(sdBroadphase_SetKind(bp, SD_BROADPHASE_BRUTE), SD_OK);
    CHECK_INT(sdBroadphase_UpdatePairs(bp, NULL), SD_OK);
    CHECK_INT(sdBroadphase_GetPairCount(bp), 0);
    CHECK_INT(sdBroadphase_SetKind(bp, SD_BROADPHASE_ALL_PAIRS), SD_OK);
    CHECK_INT(sdBroadphase_UpdatePairs(bp, NULL), SD_OK);
    CHECK_INT(sdBroadphase_GetPairCount(bp), 171);
    CHECK(sdBroadphase_Validate(bp));
    sdBroadphase_Destroy(bp);
    TestContext_Finish(&test);
}

SD_TEST(broadphase_never_loses_an_overlap_far_out) {
    // boxes in double that touch in one point, with and without a margin, up to 1e7 m out
    TestRandom random = TestRandom_Make(5);
    for (int trial = 0; trial < 400; ++trial) {
        sdBroadphaseDef def = sdBroadphaseDef_Default();
        def.margin = trial % 2 == 0 ? 0.0f : def.margin;
        sdBroadphase* bp;
        REQUIRE(sdBroadphase_Create(NULL, &def, &bp) == SD_OK);
        double scale = trial % 4 < 2 ? 1e7 : 1.0;
        sdPos corner = {scale * (double)TestRandom_Float(&random, -1.0f, 1.0f) / 3.0,
                        scale * (double)TestRandom_Float(&random, -1.0f, 1.0f) / 7.0,
                        scale * (double)TestRandom_Float(&random, -1.0f, 1.0f)};
        sdPos lower = {corner.x - 0.3, corner.y - 0.1, corner.z - 1e-3};
        sdPos upper = {corner.x + 0.2, corner.y + 5.0, corner.z + 0.7};
        addBox(bp, sdWorldBox_Make(lower, corner));
        addBox(bp, sdWorldBox_Make(corner, upper));
        CHECK_INT(sdBroadphase_UpdatePairs(bp, NULL), SD_OK);
        CHECK_INT(sdBroadphase_GetPairCount(bp), 1);
        int count;
        sdProxyId found[2];
        CHECK_INT(
            sdBroadphase_FindInBox(bp, sdWorldBox_Make(corner, corner), ~0u, found, 2, &count),
            SD_OK);
        CHECK_INT(count, 2);
        sdBroadphase_Destroy(bp);
    }
}

SD_TEST(broadphase_local_box_is_rounded_outwards) {
    TestRandom random = TestRandom_Make(6);
    for (int i = 0; i < 1000; ++i) {
        double p = 1e7 * (double)TestRandom_Float(&random, -1.0f, 1.0f) / 3.0;
        float half = TestRandom_Float(&random, 0.0f, 1.0f);
        sdAABB local = {sdV3(-half, -half, -half), sdV3(half, half, half)};
        sdWorldBox box = sdWorldBox_FromLocal(sdPos_Make(p, p, p), local);
        // the difference of neighbouring doubles is exact
        CHECK(box.lower.x - p <= -(double)half && box.upper.x - p >= (double)half);
        CHECK(box.upper.x - p <= (double)half + 1e-8);
    }
}

// ---- queries -------------------------------------------------------------------------------

typedef struct Nearest {
    const sdBroadphase* broadphase;
    const sdBoxCast* cast;
    sdProxyId id;
    float fraction;
} Nearest;

/// Where a ray enters the ball inside a proxy's fat box: something whose nearest hit is unique.
static float hitBall(const sdBroadphase* bp, const sdBoxCast* cast, sdProxyId id) {
    sdAABB box = sdBroadphase_GetFatBox(bp, id);
    sdVec3 center = sdAABB_Center(box);
    sdVec3 half = sdAABB_HalfExtents(box);
    float radius = sdMinF(half.x, sdMinF(half.y, half.z));
    sdVec3 m = sdPos_Sub(cast->box.lower,
                         sdPos_Make((double)center.x, (double)center.y, (double)center.z));
    sdVec3 d = cast->translation;
    float a = sdDot(d, d), b = sdDot(m, d), c = sdDot(m, m) - radius * radius;
    float inside = b * b - a * c;
    return a > 0.0f && inside >= 0.0f ? (-b - sqrtf(inside)) / a : 2.0f;
}

static float keepNearest(void* arg, sdProxyId id, uint64_t userData, float maxFraction) {
    Nearest* nearest = arg;
    (void)userData;
    float hit = hitBall(nearest->broadphase, nearest->cast, id);
    if (hit >= 0.0f && hit < nearest->fraction) {
        nearest->fraction = hit;
        nearest->id = id;
        return hit > 0.0f ? hit : 1e-30f;
    }
    return maxFraction;
}

static sdBoxCast randomCast(TestScene* scene, int i) {
    TestRandom* random = &scene->random;
    sdPos origin = sdPos_Add(scene->center, TestRandom_InBox(random, 1.5f * scene->halfSize));
    sdVec3 translation = TestRandom_InBox(random, 2.0f * scene->halfSize);
    // along axes, and none at all
    translation.x = i % 5 == 0 ? 0.0f : translation.x;
    translation.y = i % 7 < 2 ? 0.0f : translation.y;
    translation = i % 11 == 0 ? sdV3(0.0f, 0.0f, translation.z) : translation;
    translation = i % 31 == 0 ? sdV3(0.0f, 0.0f, 0.0f) : translation;
    sdBoxCast cast = sdBoxCast_Ray(origin, translation);
    if (i % 2 == 0) {
        sdVec3 half = sdAbs(TestRandom_InBox(random, 1.0f));
        cast.box = sdWorldBox_FromLocal(origin, (sdAABB){sdNeg(half), half});
    }
    cast.mask = i % 3 == 0 ? 0x5u : ~0u;
    cast.maxFraction = i % 4 == 0 ? 0.5f : 1.0f;
    return cast;
}

enum { MOST_FOUND = 4096 };

/// @return how many answers there were
static int64_t compareQueries(TestScene* scene, const sdBroadphase* a, const sdBroadphase* b,
                              int count) {
    static sdProxyId foundA[MOST_FOUND], foundB[MOST_FOUND];
    int countA, countB;
    int64_t total = 0;
    for (int i = 0; i < count; ++i) {
        sdBoxCast cast = randomCast(scene, i);
        CHECK_INT(sdBroadphase_FindOnCast(a, &cast, foundA, MOST_FOUND, &countA), SD_OK);
        CHECK_INT(sdBroadphase_FindOnCast(b, &cast, foundB, MOST_FOUND, &countB), SD_OK);
        CHECK_INT(countA, countB);
        CHECK(memcmp(foundA, foundB, (size_t)sdMinI(countA, countB) * sizeof foundA[0]) == 0);
        total += countA;
        CHECK_INT(sdBroadphase_FindInBox(a, cast.box, cast.mask, foundA, MOST_FOUND, &countA),
                  SD_OK);
        CHECK_INT(sdBroadphase_FindInBox(b, cast.box, cast.mask, foundB, MOST_FOUND, &countB),
                  SD_OK);
        CHECK_INT(countA, countB);
        CHECK(memcmp(foundA, foundB, (size_t)sdMinI(countA, countB) * sizeof foundA[0]) == 0);
        total += countA;

        Nearest nearestA = {a, &cast, SD_NULL_PROXY, 1.0f};
        Nearest nearestB = {b, &cast, SD_NULL_PROXY, 1.0f};
        CHECK_INT(sdBroadphase_Cast(a, &cast, keepNearest, &nearestA), SD_OK);
        CHECK_INT(sdBroadphase_Cast(b, &cast, keepNearest, &nearestB), SD_OK);
        CHECK(nearestA.id == nearestB.id);
    }
    return total;
}

SD_TEST(broadphase_queries_match_brute_force) {
    sdBroadphaseKind kinds[SD_BROADPHASE_KIND_COUNT];
    int kindCount = TestKinds_List(kinds);
    for (int k = 0; k < kindCount; ++k) {
        for (int where = 0; where < 2; ++where) {
            TestScene scene;
            TestScene_Init(&scene, 1000, 8.0f, 7);
            double shift = where == 0 ? 0.0 : 1e6;
            scene.center = sdPos_Make(shift, 0.0, -shift);
            for (int i = 0; i < scene.bodyCount; ++i) {
                sdPos p = scene.bodies[i].position;
                scene.bodies[i].position = sdPos_Make(p.x + shift, p.y, p.z - shift);
            }
            sdBroadphase* phases[2] = {create(NULL, SD_BROADPHASE_BRUTE), create(NULL, kinds[k])};
            TestScene_AddAll(&scene, phases, 2);
            // nothing known to the structure, all of it, some of it
            compareQueries(&scene, phases[0], phases[1], 50);
            CHECK_INT(sdBroadphase_Refresh(phases[1]), SD_OK);
            int64_t total = compareQueries(&scene, phases[0], phases[1], 200);
            CHECK(total > 200);
            for (int step = 0; step < 10; ++step) {
                TestScene_Step(&scene, phases, 2);
                compareQueries(&scene, phases[0], phases[1], 40);
                CHECK_INT(sdBroadphase_UpdatePairs(phases[0], NULL), SD_OK);
                CHECK_INT(sdBroadphase_UpdatePairs(phases[1], NULL), SD_OK);
                compareQueries(&scene, phases[0], phases[1], 40);
            }
            sdBroadphase_Destroy(phases[0]);
            sdBroadphase_Destroy(phases[1]);
            TestScene_Free(&scene);
        }
    }
}

static bool countAndStop(void* arg, sdProxyId id, uint64_t userData) {
    (void)id;
    (void)userData;
    int* left = arg;
    *left -= 1;
    return *left > 0;
}

static float countCastAndStop(void* arg, sdProxyId id, uint64_t userData, float maxFraction) {
    return countAndStop(arg, id, userData) ? maxFraction : 0.0f;
}

SD_TEST(broadphase_queries_stop_when_told_and_cut_lists) {
    sdBroadphaseKind kinds[SD_BROADPHASE_KIND_COUNT];
    int kindCount = TestKinds_List(kinds);
    for (int k = 0; k < kindCount; ++k) {
        sdBroadphase* bp = create(NULL, kinds[k]);
        sdProxyId ids[100];
        for (int i = 0; i < 100; ++i) {
            ids[i] = addBox(bp, boxAt(0.01 * (99 - i), 0.0, 0.0, 0.5));
            if (i == 49) {
                CHECK_INT(sdBroadphase_Refresh(bp), SD_OK);
            }
        }
        sdBoxCast ray = sdBoxCast_Ray(sdPos_Make(-5.0, 0.0, 0.0), sdV3(10.0f, 0.0f, 0.0f));
        for (int most = 1; most <= 100; most += 9) {
            int left = most;
            CHECK_INT(
                sdBroadphase_QueryBox(bp, boxAt(0.5, 0.0, 0.0, 1.0), ~0u, countAndStop, &left),
                SD_OK);
            CHECK_INT(left, 0);
            left = most;
            CHECK_INT(sdBroadphase_Cast(bp, &ray, countCastAndStop, &left), SD_OK);
            CHECK_INT(left, 0);
            // the lowest slots when there is not room for all
            sdProxyId found[100];
            int count;
            CHECK_INT(
                sdBroadphase_FindInBox(bp, boxAt(0.5, 0.0, 0.0, 1.0), ~0u, found, most, &count),
                SD_OK);
            CHECK_INT(count, 100);
            CHECK(memcmp(found, ids, (size_t)most * sizeof found[0]) == 0);
            CHECK_INT(sdBroadphase_FindOnCast(bp, &ray, found, most, &count), SD_OK);
            CHECK_INT(count, 100);
            CHECK(memcmp(found, ids, (size_t)most * sizeof found[0]) == 0);
        }
        sdBroadphase_Destroy(bp);
    }
}

// ---- bad input -----------------------------------------------------------------------------

SD_TEST(broadphase_refuses_bad_boxes) {
    TestContext test;
    TestContext_Init(&test);
    sdBroadphase* bp = create(&test.context, sdBroadphaseDef_Default().kind);
    sdProxyId good = addBox(bp, boxAt(0.0, 0.0, 0.0, 1.0));
    double nan = (double)TestNaN(), inf = (double)TestInfinity();
    sdWorldBox bad[] = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 1.0}},   {{nan, 0.0, 0.0}, {1.0, 1.0, 1.0}},
                        {{0.0, 0.0, 0.0}, {1.0, nan, 1.0}},   {{-inf, 0.0, 0.0}, {1.0, 1.0, 1.0}},
                        {{0.0, 0.0, 0.0}, {1.0, 1.0, inf}},   {{-inf, -inf, -inf}, {inf, inf, inf}},
                        {{0.0, 0.0, 0.0}, {1.0, 1.0, 1e16}},  {{-1e300, 0.0, 0.0}, {1.0, 1.0, 1.0}},
                        {{inf, inf, inf}, {-inf, -inf, -inf}}};
    const char* reasons[] = {"inverted",   "not finite", "not finite", "not finite", "not finite",
                             "not finite", "beyond",     "beyond",     "not finite"};
    for (int i = 0; i < 9; ++i) {
        sdProxyDef def = sdProxyDef_Default();
        def.box = bad[i];
        sdProxyId id = 77;
        CHECK_INT(sdBroadphase_Add(bp, &def, &id), SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(id, SD_NULL_PROXY);
        CHECK_TEXT(test.lastError, reasons[i]);
        CHECK_INT(sdBroadphase_Move(bp, good, bad[i]), SD_ERROR_INVALID_ARGUMENT);
        int count = 5;
        CHECK_INT(sdBroadphase_FindInBox(bp, bad[i], ~0u, &id, 1, &count),
                  SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(count, 0);
        sdBoxCast cast = {bad[i], {1.0f, 0.0f, 0.0f}, 1.0f, ~0u};
        CHECK_INT(sdBroadphase_FindOnCast(bp, &cast, &id, 1, &count), SD_ERROR_INVALID_ARGUMENT);
    }
    sdBoxCast cast = sdBoxCast_Ray(sdPos_Make(0.0, 0.0, 0.0), sdV3(TestNaN(), 0.0f, 0.0f));
    int count;
    CHECK_INT(sdBroadphase_FindOnCast(bp, &cast, NULL, 0, &count), SD_ERROR_INVALID_ARGUMENT);
    cast.translation = sdV3(1e20f, 0.0f, 0.0f);
    CHECK_INT(sdBroadphase_FindOnCast(bp, &cast, NULL, 0, &count), SD_ERROR_INVALID_ARGUMENT);
    cast.translation = sdV3(1.0f, 0.0f, 0.0f);
    cast.maxFraction = TestNaN();
    CHECK_INT(sdBroadphase_FindOnCast(bp, &cast, NULL, 0, &count), SD_ERROR_INVALID_ARGUMENT);
    cast.maxFraction = 1.0f;
    CHECK_INT(sdBroadphase_FindOnCast(bp, &cast, NULL, 0, &count), SD_OK);
    CHECK_INT(count, 1);
    CHECK_INT(sdBroadphase_GetProxyCount(bp), 1);
    CHECK_INT(sdBroadphase_UpdatePairs(bp, NULL), SD_OK);
    CHECK(sdBroadphase_Validate(bp));
    sdBroadphase_Destroy(bp);
    TestContext_Finish(&test);
}

SD_TEST(broadphase_catches_stale_ids_and_nulls) {
    TestContext test;
    TestContext_Init(&test);
    sdBroadphase* bp = create(&test.context, sdBroadphaseDef_Default().kind);
    sdProxyId a = addBox(bp, boxAt(0.0, 0.0, 0.0, 1.0));
    sdProxyId b = addBox(bp, boxAt(0.0, 0.0, 0.0, 1.0));
    CHECK_INT(sdBroadphase_UpdatePairs(bp, NULL), SD_OK);
    CHECK_INT(sdBroadphase_Remove(bp, a), SD_OK);
    sdProxyId stale[] = {a, SD_NULL_PROXY, 0xFFFFFFFFu, b + 1, b ^ 0x01000000u};
    for (int i = 0; i < 5; ++i) {
        CHECK_INT(sdBroadphase_Remove(bp, stale[i]), SD_ERROR_STALE_ID);
        CHECK_INT(sdBroadphase_Move(bp, stale[i], boxAt(0.0, 0.0, 0.0, 1.0)), SD_ERROR_STALE_ID);
        CHECK_INT(sdBroadphase_SetFilter(bp, stale[i], 1, 1), SD_ERROR_STALE_ID);
        CHECK(!sdBroadphase_IsValidId(bp, stale[i]));
        CHECK(sdBroadphase_NeedsMove(bp, stale[i], boxAt(0.0, 0.0, 0.0, 1.0)));
        CHECK_INT(sdBroadphase_GetPartners(bp, stale[i], NULL, 0), 0);
        CHECK_INT(sdBroadphase_GetUserData(bp, stale[i]), 0);
        CHECK(!sdAABB_IsValid(sdBroadphase_GetFatBox(bp, stale[i])));
    }
    CHECK_TEXT(test.lastError, "proxy 0x");
    CHECK_INT(sdBroadphase_GetProxyCount(bp), 1);
    CHECK_INT(sdBroadphase_Add(NULL, NULL, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdBroadphase_Add(bp, NULL, &a), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdBroadphase_Move(NULL, b, boxAt(0.0, 0.0, 0.0, 1.0)), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdBroadphase_MoveMany(bp, NULL, NULL, 3), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdBroadphase_MoveMany(bp, NULL, NULL, 0), SD_OK);
    CHECK_INT(sdBroadphase_UpdatePairs(NULL, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdBroadphase_QueryBox(bp, boxAt(0.0, 0.0, 0.0, 1.0), 1, NULL, NULL),
              SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdBroadphase_Cast(bp, NULL, NULL, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdBroadphase_SetKind(bp, (sdBroadphaseKind)99), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdBroadphase_SetKind(NULL, SD_BROADPHASE_BRUTE), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdBroadphase_Create(&test.context, NULL, NULL), SD_ERROR_INVALID_ARGUMENT);
    sdBroadphase* none;
    sdBroadphaseDef def = sdBroadphaseDef_Default();
    def.margin = TestNaN();
    CHECK_INT(sdBroadphase_Create(&test.context, &def, &none), SD_ERROR_INVALID_ARGUMENT);
    CHECK(none == NULL);
    CHECK_TEXT(test.lastError, "margin");
    def = sdBroadphaseDef_Default();
    def.maxPairs = 0;
    CHECK_INT(sdBroadphase_Create(&test.context, &def, &none), SD_ERROR_INVALID_ARGUMENT);
    sdBroadphase_Destroy(NULL);
    CHECK(!sdBroadphase_Validate(NULL));
    sdBroadphase_Destroy(bp);
    TestContext_Finish(&test);
}

SD_TEST(broadphase_a_million_proxies_in_one_place) {
    sdBroadphaseKind kinds[SD_BROADPHASE_KIND_COUNT];
    int kindCount = TestKinds_List(kinds);
    for (int k = 0; k < kindCount; ++k) {
        TestContext test;
        TestContext_Init(&test);
        sdBroadphaseDef def = sdBroadphaseDef_Default();
        def.kind = kinds[k];
        def.maxPairs = 10000;
        sdBroadphase* bp;
        REQUIRE(sdBroadphase_Create(&test.context, &def, &bp) == SD_OK);
        // all the same, so that a list of their ids is not needed to take them out again
        const int count = TestIsShort() ? 200000 : 1000000;
        sdProxyDef proxy = sdProxyDef_Default();
        proxy.box = boxAt(1.0, 2.0, 3.0, 0.0);
        sdProxyId* ids = malloc((size_t)count * sizeof(sdProxyId));
        for (int i = 0; i < count; ++i) {
            sdBroadphase_Add(bp, &proxy, &ids[i]);
        }
        CHECK_INT(sdBroadphase_GetProxyCount(bp), count);
        CHECK_INT(sdBroadphase_UpdatePairs(bp, NULL), SD_ERROR_LIMIT);
        CHECK_TEXT(test.lastError, "maxPairs");
        CHECK_INT(sdBroadphase_GetPairCount(bp), 0);
        // still usable: when most are gone, the pairs of the others are found
        for (int i = 100; i < count; ++i) {
            sdBroadphase_Remove(bp, ids[i]);
        }
        sdPairChanges changes;
        CHECK_INT(sdBroadphase_UpdatePairs(bp, &changes), SD_OK);
        CHECK_INT(changes.newCount, 100 * 99 / 2);
        CHECK(sdBroadphase_Validate(bp));
        free(ids);
        sdBroadphase_Destroy(bp);
        TestContext_Finish(&test);
    }
}

// ---- memory --------------------------------------------------------------------------------

/// A call that fails for lack of memory is made again and must then succeed.
#define RETRY(call)                                                                                \
    do {                                                                                           \
        sdResult retryResult = (call);                                                             \
        if (retryResult != SD_OK) {                                                                \
            first = first == SD_OK ? retryResult : first;                                          \
            CHECK_INT((call), SD_OK);                                                              \
        }                                                                                          \
    } while (0)

/// A short life with every kind of call; ends by comparing with what two loops find.
static sdResult liveShortly(const sdContext* context, void* arg) {
    sdBroadphaseDef def = sdBroadphaseDef_Default();
    def.kind = *(const sdBroadphaseKind*)arg;
    sdResult first = SD_OK;
    sdBroadphase* bp;
    RETRY(sdBroadphase_Create(context, &def, &bp));
    TestScene scene;
    TestScene_Init(&scene, 150, 3.0f, 8);
    TestPairs pairs = {0}, expected = {0};
    for (int step = 0; step < 6; ++step) {
        for (int i = 0; i < scene.bodyCount; ++i) {
            TestBody* body = scene.bodies + i;
            sdProxyDef proxy = sdProxyDef_Default();
            body->position = sdPos_Add(body->position, sdScale(10.0f, body->velocity));
            proxy.box = TestBody_GetBox(body);
            proxy.category = body->category;
            proxy.mask = body->mask;
            proxy.isStatic = body->isStatic;
            if (body->id == SD_NULL_PROXY && (i + step) % 4 != 0) {
                RETRY(sdBroadphase_Add(bp, &proxy, &body->id));
            } else if (body->id != SD_NULL_PROXY && (i + step) % 9 == 0) {
                CHECK_INT(sdBroadphase_Remove(bp, body->id), SD_OK);
                body->id = SD_NULL_PROXY;
            } else if (body->id != SD_NULL_PROXY) {
                CHECK_INT(sdBroadphase_Move(bp, body->id, proxy.box), SD_OK);
            }
        }
        if (step == 3) {
            RETRY(sdBroadphase_SetKind(bp, SD_BROADPHASE_BRUTE));
            RETRY(sdBroadphase_SetKind(bp, def.kind));
        }
        if (step == 4) {
            RETRY(sdBroadphase_Refresh(bp));
        }
        sdPairChanges changes;
        RETRY(sdBroadphase_UpdatePairs(bp, &changes));
        CHECK(sdBroadphase_Validate(bp));
        TestPairs_Apply(&pairs, &changes);
        TestScene_FindPairs(&scene, bp, &expected);
        TestPairs_Compare(&expected, bp);
        TestPairs_Compare(&pairs, bp);
    }
    TestPairs_Free(&pairs);
    TestPairs_Free(&expected);
    TestScene_Free(&scene);
    sdBroadphase_Destroy(bp);
    return first;
}

SD_TEST(broadphase_survives_every_allocation_failure) {
    sdBroadphaseKind kinds[SD_BROADPHASE_KIND_COUNT];
    int kindCount = TestKinds_List(kinds);
    for (int k = 0; k < kindCount; ++k) {
        int count = TestContext_FailEach(liveShortly, &kinds[k]);
        sdTest_Print("%s: %d allocations", sdBroadphaseKind_Name(kinds[k]), count);
        CHECK(count > 20);
    }
}
