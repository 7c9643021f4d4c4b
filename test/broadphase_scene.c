// SPDX-License-Identifier: MIT
// broadphase_scene.c - see broadphase_scene.h.

#include "broadphase_scene.h"

#include <stdlib.h>
#include <string.h>

int TestKinds_List(sdBroadphaseKind kinds[SD_BROADPHASE_KIND_COUNT]) {
    int count = 0;
    for (int kind = 0; kind < SD_BROADPHASE_KIND_COUNT; ++kind) {
        if (kind != SD_BROADPHASE_ALL_PAIRS) {
            kinds[count++] = (sdBroadphaseKind)kind;
        }
    }
    return count;
}

// ---- bodies --------------------------------------------------------------------------------

static sdPos randomPosition(TestScene* scene) {
    return sdPos_Add(scene->center, TestRandom_InBox(&scene->random, scene->halfSize));
}

void TestScene_Init(TestScene* scene, int bodyCount, float halfSize, uint64_t seed) {
    *scene = (TestScene){TestRandom_Make(seed), NULL, bodyCount, halfSize, {0.0, 0.0, 0.0}};
    scene->bodies = calloc((size_t)bodyCount, sizeof(TestBody));
    TestRandom* random = &scene->random;
    for (int i = 0; i < bodyCount; ++i) {
        TestBody* body = scene->bodies + i;
        body->position = randomPosition(scene);
        body->velocity = sdScale(0.02f, TestRandom_InBall(random));
        // mostly of a size, some flat, a few large
        float size = TestRandom_Int(random, 200) == 0 ? 0.4f * halfSize : 0.7f;
        body->halfExtents = sdV3(TestRandom_Float(random, 0.1f, size),
                                 TestRandom_Int(random, 10) == 0 ? 0.0f : 0.4f,
                                 TestRandom_Float(random, 0.1f, size));
        body->isStatic = TestRandom_Int(random, 10) == 0;
        body->category = 1u << TestRandom_Int(random, 4);
        body->mask = TestRandom_Int(random, 4) == 0 ? 0x7u : 0xFFFFFFFFu;
    }
}

void TestScene_Free(TestScene* scene) {
    free(scene->bodies);
}

sdWorldBox TestBody_GetBox(const TestBody* body) {
    sdAABB local = {sdNeg(body->halfExtents), body->halfExtents};
    return sdWorldBox_FromLocal(body->position, local);
}

static void add(TestBody* body, sdBroadphase* const* broadphases, int count) {
    sdProxyDef def = sdProxyDef_Default();
    def.box = TestBody_GetBox(body);
    def.category = body->category;
    def.mask = body->mask;
    def.isStatic = body->isStatic;
    for (int i = 0; i < count; ++i) {
        sdProxyId id;
        CHECK_INT(sdBroadphase_Add(broadphases[i], &def, &id), SD_OK);
        CHECK(i == 0 || id == body->id);
        body->id = id;
    }
}

void TestScene_AddAll(TestScene* scene, sdBroadphase* const* broadphases, int count) {
    for (int i = 0; i < scene->bodyCount; ++i) {
        if (i % 10 != 9) {
            add(scene->bodies + i, broadphases, count);
        }
    }
}

static void removeBody(TestBody* body, sdBroadphase* const* broadphases, int count) {
    for (int i = 0; i < count; ++i) {
        CHECK_INT(sdBroadphase_Remove(broadphases[i], body->id), SD_OK);
    }
    body->id = SD_NULL_PROXY;
}

static void refilter(TestScene* scene, TestBody* body, sdBroadphase* const* broadphases,
                     int count) {
    body->category = 1u << TestRandom_Int(&scene->random, 4);
    for (int i = 0; i < count; ++i) {
        CHECK_INT(sdBroadphase_SetFilter(broadphases[i], body->id, body->category, body->mask),
                  SD_OK);
    }
}

/// Positions leave the cube on one side and come back on the other.
static double wrap(double x, double center, double halfSize) {
    if (x > center + halfSize) {
        return x - 2.0 * halfSize;
    }
    return x < center - halfSize ? x + 2.0 * halfSize : x;
}

static void move(TestScene* scene, TestBody* body, sdBroadphase* const* broadphases, int count) {
    double h = (double)scene->halfSize;
    sdPos p = sdPos_Add(body->position, body->velocity);
    body->position = sdPos_Make(wrap(p.x, scene->center.x, h), wrap(p.y, scene->center.y, h),
                                wrap(p.z, scene->center.z, h));
    for (int i = 0; i < count; ++i) {
        CHECK_INT(sdBroadphase_Move(broadphases[i], body->id, TestBody_GetBox(body)), SD_OK);
    }
}

void TestScene_Step(TestScene* scene, sdBroadphase* const* broadphases, int count) {
    TestRandom* random = &scene->random;
    for (int i = 0; i < scene->bodyCount; ++i) {
        TestBody* body = scene->bodies + i;
        int dice = TestRandom_Int(random, 1000);
        if (body->id == SD_NULL_PROXY) {
            if (dice < 50) {
                add(body, broadphases, count);
            }
        } else if (dice < 5) {
            removeBody(body, broadphases, count);
            // the slot of one that is gone may be used again at once
            if (dice < 2) {
                add(body, broadphases, count);
            }
        } else if (dice < 10) {
            body->position = randomPosition(scene);
            move(scene, body, broadphases, count);
        } else if (dice < 13) {
            refilter(scene, body, broadphases, count);
        } else if (!body->isStatic && dice < 300) {
            move(scene, body, broadphases, count);
        }
    }
}

// ---- pairs ---------------------------------------------------------------------------------

static int comparePairs(const void* a, const void* b) {
    const sdProxyPair* p = a;
    const sdProxyPair* q = b;
    uint64_t x = (uint64_t)sdProxyId_Slot(p->a) << 32 | (uint64_t)sdProxyId_Slot(p->b);
    uint64_t y = (uint64_t)sdProxyId_Slot(q->a) << 32 | (uint64_t)sdProxyId_Slot(q->b);
    return (x > y) - (x < y);
}

static bool areSame(sdProxyPair p, sdProxyPair q) {
    return p.a == q.a && p.b == q.b;
}

static bool isSorted(const sdProxyPair* pairs, int count) {
    for (int i = 0; i < count; ++i) {
        if (sdProxyId_Slot(pairs[i].a) >= sdProxyId_Slot(pairs[i].b) ||
            (i > 0 && comparePairs(pairs + i - 1, pairs + i) >= 0)) {
            return false;
        }
    }
    return true;
}

static void reserve(TestPairs* pairs, int count) {
    if (count > pairs->capacity) {
        pairs->capacity = 2 * count;
        pairs->pairs = realloc(pairs->pairs, (size_t)pairs->capacity * sizeof(sdProxyPair));
    }
}

void TestPairs_Free(TestPairs* pairs) {
    free(pairs->pairs);
    *pairs = (TestPairs){0};
}

void TestPairs_Apply(TestPairs* pairs, const sdPairChanges* changes) {
    CHECK(isSorted(changes->newPairs, changes->newCount));
    CHECK(isSorted(changes->lostPairs, changes->lostCount));
    // every lost pair was there
    int kept = 0, lost = 0;
    for (int i = 0; i < pairs->count; ++i) {
        if (lost < changes->lostCount && areSame(pairs->pairs[i], changes->lostPairs[lost])) {
            ++lost;
        } else {
            pairs->pairs[kept++] = pairs->pairs[i];
        }
    }
    CHECK_INT(lost, changes->lostCount);
    // no new one was
    reserve(pairs, kept + changes->newCount);
    if (changes->newCount > 0) {
        memcpy(pairs->pairs + kept, changes->newPairs,
               (size_t)changes->newCount * sizeof(sdProxyPair));
    }
    pairs->count = kept + changes->newCount;
    if (pairs->count > 0) {
        qsort(pairs->pairs, (size_t)pairs->count, sizeof(sdProxyPair), comparePairs);
    }
    CHECK(isSorted(pairs->pairs, pairs->count));
}

void TestPairs_Compare(const TestPairs* pairs, const sdBroadphase* broadphase) {
    CHECK_INT(sdBroadphase_GetPairCount(broadphase), pairs->count);
    sdProxyPair* found = malloc((size_t)(pairs->count + 1) * sizeof(sdProxyPair));
    int count = sdBroadphase_GetPairs(broadphase, found, pairs->count);
    int differing = 0;
    for (int i = 0; i < pairs->count && count == pairs->count; ++i) {
        differing += areSame(pairs->pairs[i], found[i]) ? 0 : 1;
    }
    CHECK_INT(differing, 0);
    free(found);
}

static bool mayMeet(const TestBody* a, const TestBody* b) {
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0 &&
           !(a->isStatic && b->isStatic);
}

void TestScene_FindPairs(const TestScene* scene, const sdBroadphase* broadphase, TestPairs* out) {
    out->count = 0;
    for (int i = 0; i < scene->bodyCount; ++i) {
        const TestBody* a = scene->bodies + i;
        sdAABB box = sdBroadphase_GetFatBox(broadphase, a->id);
        for (int j = i + 1; j < scene->bodyCount && a->id != SD_NULL_PROXY; ++j) {
            const TestBody* b = scene->bodies + j;
            if (b->id != SD_NULL_PROXY && mayMeet(a, b) &&
                sdAABB_Overlaps(box, sdBroadphase_GetFatBox(broadphase, b->id))) {
                bool isFirst = sdProxyId_Slot(a->id) < sdProxyId_Slot(b->id);
                reserve(out, out->count + 1);
                out->pairs[out->count++] =
                    isFirst ? (sdProxyPair){a->id, b->id} : (sdProxyPair){b->id, a->id};
            }
        }
    }
    if (out->count > 0) {
        qsort(out->pairs, (size_t)out->count, sizeof(sdProxyPair), comparePairs);
    }
}
