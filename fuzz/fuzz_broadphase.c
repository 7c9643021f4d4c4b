// SPDX-License-Identifier: MIT
// fuzz_broadphase.c - calls to all kinds of broad phases at once: the same ids, pairs and answers.

#include "fuzz.h"

#include <string.h>

#define MAX_PROXIES 96
#define MAX_PAIRS 5000
#define MAX_CALLS 400
/// All but SD_BROADPHASE_ALL_PAIRS, which means something else by a pair.
#define KIND_COUNT 4

typedef struct Bench {
    TestContext test;
    sdBroadphase* all[KIND_COUNT];
    sdProxyId ids[MAX_PROXIES]; ///< some of them stale
    int idCount;
    FuzzInput in;
    uint64_t hash;
} Bench;

static sdWorldBox readBox(FuzzInput* in) {
    sdPos p = FuzzInput_Pos(in, 10.0);
    sdVec3 half = sdV3(FuzzInput_Size(in, 0.5f), 0.0f, 0.0f);
    half.y = FuzzInput_Bool(in) ? half.x : FuzzInput_Size(in, 0.5f);
    half.z = FuzzInput_Bool(in) ? half.x : FuzzInput_Size(in, 0.5f);
    return sdWorldBox_Make(sdPos_Add(p, sdNeg(half)), sdPos_Add(p, half));
}

static sdProxyId readId(Bench* b) {
    return b->idCount > 0 ? b->ids[FuzzInput_Int(&b->in, b->idCount)] : FuzzInput_Word(&b->in);
}

/// All kinds must answer the same.
static void agree(Bench* b, const sdResult results[KIND_COUNT]) {
    for (int k = 1; k < KIND_COUNT; ++k) {
        CHECK_INT(results[k], results[0]);
    }
    b->hash = FuzzHash_Int(b->hash, results[0]);
}

static void add(Bench* b) {
    sdProxyDef def = {.box = readBox(&b->in)};
    int kind = FuzzInput_Int(&b->in, 6);
    def.category = kind == 0 ? 2u : 1u;
    def.mask = kind == 1 ? 1u : ~0u;
    def.isStatic = kind == 2;
    sdResult results[KIND_COUNT];
    sdProxyId id = SD_NULL_PROXY;
    for (int k = 0; k < KIND_COUNT; ++k) {
        sdProxyId own;
        results[k] = sdBroadphase_Add(b->all[k], &def, &own);
        CHECK((results[k] == SD_OK) == (own != SD_NULL_PROXY));
        CHECK(k == 0 || own == id);
        id = own;
    }
    agree(b, results);
    if (id != SD_NULL_PROXY) {
        int place = b->idCount < MAX_PROXIES ? b->idCount++ : FuzzInput_Int(&b->in, MAX_PROXIES);
        if (sdBroadphase_IsValidId(b->all[0], b->ids[place])) {
            for (int k = 0; k < KIND_COUNT; ++k) {
                CHECK_INT(sdBroadphase_Remove(b->all[k], b->ids[place]), SD_OK);
            }
        }
        b->ids[place] = id;
    }
}

static void change(Bench* b, int what) {
    sdProxyId id = readId(b);
    sdWorldBox box = readBox(&b->in);
    uint32_t bits = FuzzInput_Byte(&b->in);
    sdResult results[KIND_COUNT];
    for (int k = 0; k < KIND_COUNT; ++k) {
        results[k] = what == 0   ? sdBroadphase_Move(b->all[k], id, box)
                     : what == 1 ? sdBroadphase_Remove(b->all[k], id)
                                 : sdBroadphase_SetFilter(b->all[k], id, bits, ~bits | 1u);
    }
    agree(b, results);
}

static bool isSame(const sdProxyPair* a, const sdProxyPair* b, int count) {
    return count == 0 || memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

/// Of none there is no list.
static void keepPairs(sdProxyPair* out, const sdProxyPair* pairs, int count) {
    if (count > 0) {
        memcpy(out, pairs, (size_t)count * sizeof *out);
    }
}

static void update(Bench* b) {
    static sdProxyPair first[2 * MAX_PAIRS], all[2][MAX_PAIRS];
    int newCount = 0, lostCount = 0, count = 0;
    for (int k = 0; k < KIND_COUNT; ++k) {
        sdPairChanges changes;
        CHECK_INT(sdBroadphase_UpdatePairs(b->all[k], &changes), SD_OK);
        if (k == 0) {
            newCount = changes.newCount;
            lostCount = changes.lostCount;
            CHECK(newCount <= MAX_PAIRS && lostCount <= MAX_PAIRS);
            keepPairs(first, changes.newPairs, newCount);
            keepPairs(first + MAX_PAIRS, changes.lostPairs, lostCount);
        }
        CHECK_INT(changes.newCount, newCount);
        CHECK_INT(changes.lostCount, lostCount);
        CHECK(isSame(changes.newPairs, first, newCount));
        CHECK(isSame(changes.lostPairs, first + MAX_PAIRS, lostCount));
        int own = sdBroadphase_GetPairs(b->all[k], all[k > 0], MAX_PAIRS);
        CHECK(k == 0 || own == count);
        count = own;
        CHECK(k == 0 || isSame(all[0], all[1], count));
        bool isSound = sdBroadphase_Validate(b->all[k]);
        sdTest_Check(isSound, __FILE__, __LINE__, b->test.lastText);
    }
    b->hash = FuzzHash_Int(FuzzHash_Int(b->hash, count), newCount);
}

static void ask(Bench* b) {
    sdWorldBox box = readBox(&b->in);
    sdBoxCast cast = {.box = box};
    cast.translation = FuzzInput_Vec3(&b->in, 20.0f);
    cast.maxFraction = FuzzInput_Float(&b->in, 0.0f, 1.0f);
    cast.mask = FuzzInput_Bool(&b->in) ? ~0u : 2u;
    bool isCast = FuzzInput_Bool(&b->in);
    sdResult results[KIND_COUNT];
    sdProxyId found[2][MAX_PROXIES];
    int counts[2] = {0, 0};
    for (int k = 0; k < KIND_COUNT; ++k) {
        int i = k > 0;
        results[k] =
            isCast ? sdBroadphase_FindOnCast(b->all[k], &cast, found[i], MAX_PROXIES, &counts[i])
                   : sdBroadphase_FindInBox(b->all[k], box, cast.mask, found[i], MAX_PROXIES,
                                            &counts[i]);
        if (results[k] == SD_OK && k > 0) {
            CHECK_INT(counts[1], counts[0]);
            CHECK(counts[0] <= MAX_PROXIES &&
                  memcmp(found[0], found[1], (size_t)counts[0] * sizeof found[0][0]) == 0);
        }
    }
    agree(b, results);
    b->hash = FuzzHash_Int(b->hash, results[0] == SD_OK ? counts[0] : -1);
}

static void arrange(Bench* b) {
    int what = FuzzInput_Int(&b->in, 3);
    int kind = FuzzInput_Int(&b->in, KIND_COUNT);
    if (what == 0) {
        CHECK_INT(
            sdBroadphase_SetKind(b->all[kind], (sdBroadphaseKind)FuzzInput_Int(&b->in, KIND_COUNT)),
            SD_OK);
    } else if (what == 1) {
        sdBroadphase_Rebuild(b->all[kind], (sdTreeBuilder)FuzzInput_Int(&b->in, 6));
    } else {
        CHECK_INT(sdBroadphase_Refresh(b->all[kind]), SD_OK);
    }
}

static bool create(Bench* b) {
    sdBroadphaseDef def = sdBroadphaseDef_Default();
    FuzzInput* in = &b->in;
    if (FuzzInput_Bool(in)) {
        def.margin = FuzzInput_Size(in, 0.1f);
        def.marginFraction = FuzzInput_Float(in, 0.0f, 0.5f);
        def.prediction = FuzzInput_Float(in, 0.0f, 4.0f);
        def.treeBuilder = (sdTreeBuilder)FuzzInput_Int(in, SD_TREE_BUILDER_COUNT);
        def.octreeMaxDepth = FuzzInput_Int(in, SD_OCTREE_MAX_DEPTH + 2);
        def.octreeSplitLimit = FuzzInput_Int(in, 20);
        def.octreeMergeLimit = FuzzInput_Int(in, 20);
        def.octreeMaxCopies = FuzzInput_Float(in, 0.5f, 9.0f);
        def.sapAxisCount = FuzzInput_Int(in, 5);
    }
    bool isThere = true;
    for (int k = 0; k < KIND_COUNT; ++k) {
        def.kind = (sdBroadphaseKind)k;
        isThere = sdBroadphase_Create(&b->test.context, &def, &b->all[k]) == SD_OK && isThere;
    }
    return isThere;
}

static uint64_t run(const uint8_t* bytes, size_t size) {
    Bench b = {.in = FuzzInput_Make(bytes, size), .hash = TEST_HASH_START};
    TestContext_Init(&b.test);
    b.in.wildness = FuzzInput_Byte(&b.in) % 4 * 4;
    if (create(&b)) {
        for (int i = 0; i < MAX_CALLS && !FuzzInput_IsAtEnd(&b.in); ++i) {
            int call = FuzzInput_Int(&b.in, 12);
            if (call < 4) {
                add(&b);
            } else if (call < 8) {
                change(&b, call < 6 ? 0 : call - 5);
            } else if (call < 10) {
                update(&b);
            } else if (call == 10) {
                ask(&b);
            } else {
                arrange(&b);
            }
        }
        update(&b);
    }
    for (int k = 0; k < KIND_COUNT; ++k) {
        sdBroadphase_Destroy(b.all[k]);
    }
    TestContext_Finish(&b.test);
    return b.hash;
}

static void addSeeds(FuzzSeeds* seeds) {
    for (int i = 0; i < 8; ++i) {
        uint8_t bytes[600];
        TestRandom random = TestRandom_Make((uint64_t)i);
        for (int k = 0; k < (int)sizeof bytes; ++k) {
            bytes[k] = (uint8_t)TestRandom_Next(&random);
        }
        // tame, with the usual settings
        bytes[0] = (uint8_t)(i / 2);
        bytes[1] = (uint8_t)(i % 2);
        FuzzSeeds_Add(seeds, bytes, sizeof bytes);
    }
}

const FuzzTarget fuzzTarget = {"broadphase", run, addSeeds, 2048, NULL};
