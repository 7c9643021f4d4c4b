// SPDX-License-Identifier: MIT
// test_containers.c - arena, id pool, bit set, key set, hashes, timer.

#include "base/arena.h"
#include "base/hash.h"
#include "base/id_pool.h"
#include "base/key_set.h"
#include "base/timer.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

// ---- arena ----------------------------------------------------------------------------------

SD_TEST(containers_arena_settles_on_few_blocks) {
    TestContext test;
    TestContext_Init(&test);
    sdArena arena;
    sdArena_Init(&arena, &test.context.allocator);
    CHECK_INT(test.allocationCount, 0);
    TestRandom random = TestRandom_Make(1);
    int settledAt = 0;
    for (int step = 0; step < 50; ++step) {
        // sizes differ a little from step to step
        unsigned char* pieces[200];
        size_t sizes[200];
        for (int i = 0; i < 200; ++i) {
            sizes[i] = (size_t)(900 + TestRandom_Int(&random, 100));
            pieces[i] = sdArena_Alloc(&arena, sizes[i], 1);
            REQUIRE(pieces[i] != NULL);
            CHECK_INT((uintptr_t)pieces[i] % SD_ALIGNMENT, 0);
            memset(pieces[i], i, sizes[i]);
        }
        // no piece was written over by another
        for (int i = 0; i < 200; ++i) {
            CHECK(pieces[i][0] == (unsigned char)i && pieces[i][sizes[i] - 1] == (unsigned char)i);
        }
        CHECK(sdArena_GetUsed(&arena) >= (size_t)200 * 900);
        CHECK(sdArena_GetCapacity(&arena) >= sdArena_GetUsed(&arena));
        sdArena_Reset(&arena);
        CHECK_INT(sdArena_GetUsed(&arena), 0);
        settledAt = step == 1 ? test.allocationCount : settledAt;
    }
    CHECK_INT(test.allocationCount, settledAt);
    CHECK_INT(test.liveCount, settledAt);
    CHECK(settledAt <= 8 && sdArena_GetCapacity(&arena) <= (size_t)2 * 200 * 1064);
    sdArena_Free(&arena);
    TestContext_Finish(&test);
}

/// What grows a little from step to step does not leave a block behind in each.
SD_TEST(containers_arena_grows_with_what_it_is_for) {
    TestContext test;
    TestContext_Init(&test);
    sdArena arena;
    sdArena_Init(&arena, &test.context.allocator);
    size_t size = 20000;
    for (int step = 0; step < 500; ++step) {
        CHECK(sdArena_Alloc(&arena, size, 1) != NULL);
        CHECK(sdArena_Alloc(&arena, size / 2, 1) != NULL);
        sdArena_Reset(&arena);
        size += size / 100;
    }
    sdTest_Print("%.1f times what is needed, %d blocks, %d in all",
                 (double)sdArena_GetCapacity(&arena) / (1.5 * (double)size), (int)test.liveCount,
                 (int)test.allocationCount);
    CHECK((double)sdArena_GetCapacity(&arena) < 2.0 * 1.5 * (double)size);
    CHECK(test.liveCount <= 3 && test.allocationCount < 100);
    sdArena_Free(&arena);
    TestContext_Finish(&test);
}

SD_TEST(containers_arena_without_memory) {
    TestContext test;
    TestContext_Init(&test);
    sdArena arena;
    sdArena_Init(&arena, &test.context.allocator);
    CHECK(sdArena_Alloc(&arena, 0, 8) == NULL);
    CHECK(sdArena_Alloc(&arena, SIZE_MAX / 2, 8) == NULL);
    CHECK(sdArena_Alloc(&arena, SIZE_MAX - 3, 1) == NULL);
    char* first = sdArena_Alloc(&arena, 100, 1);
    REQUIRE(first != NULL);
    test.failAt = test.allocationCount;
    CHECK(sdArena_Alloc(&arena, 100000, 1) == NULL);
    // the rest of the block is still there
    CHECK(sdArena_Alloc(&arena, 100, 1) != NULL);
    CHECK(sdArena_Alloc(&arena, 100000, 1) != NULL);
    // the blocks are kept, and cut again
    test.failAt = test.allocationCount;
    sdArena_Reset(&arena);
    CHECK_INT(test.liveCount, 2);
    CHECK(sdArena_Alloc(&arena, 100, 1) == first);
    CHECK(sdArena_Alloc(&arena, 100000, 1) != NULL);
    CHECK(sdArena_Alloc(&arena, 100000, 1) == NULL);
    // who comes again takes no more than must be
    size_t capacity = sdArena_GetCapacity(&arena);
    CHECK(sdArena_Alloc(&arena, 20000, 1) != NULL);
    CHECK(sdArena_GetCapacity(&arena) - capacity < 21000);
    sdArena_Free(&arena);
    sdArena_Free(&arena);
    TestContext_Finish(&test);
}

// ---- bit set --------------------------------------------------------------------------------

SD_TEST(containers_bitset_agrees_with_an_array_of_flags) {
    TestContext test;
    TestContext_Init(&test);
    const sdAllocator* allocator = &test.context.allocator;
    TestRandom random = TestRandom_Make(2);
    sdBitSet set = {0}, other = {0};
    bool flags[1000] = {false}, otherFlags[1000] = {false};
    CHECK(!sdBitSet_Test(&set, 0) && sdBitSet_Next(&set, 0) == SD_NULL_INDEX);
    CHECK_INT(sdBitSet_NextAbsent(&set, 5), 5);
    for (int round = 0; round < 20; ++round) {
        int size = 50 * (round + 1);
        REQUIRE(sdBitSet_Reserve(&set, allocator, size));
        for (int i = 0; i < size; ++i) {
            int k = TestRandom_Int(&random, size);
            flags[k] = TestRandom_Int(&random, 3) > 0;
            (flags[k] ? sdBitSet_Set : sdBitSet_Clear)(&set, k);
        }
        int count = 0, next = SD_NULL_INDEX, absent = 1000;
        for (int i = 999; i >= 0; --i) {
            CHECK_INT(sdBitSet_Test(&set, i), flags[i]);
            count += flags[i] ? 1 : 0;
            next = flags[i] ? i : next;
            absent = flags[i] ? absent : i;
            CHECK_INT(sdBitSet_Next(&set, i), next);
            if (absent < 1000) {
                CHECK_INT(sdBitSet_NextAbsent(&set, i), absent);
            }
        }
        CHECK_INT(sdBitSet_Count(&set), count);
    }
    REQUIRE(sdBitSet_Reserve(&other, allocator, 700));
    for (int i = 0; i < 700; i += 3) {
        sdBitSet_Set(&other, i);
        otherFlags[i] = true;
    }
    sdBitSet_Unite(&set, &other);
    for (int i = 0; i < 1000; ++i) {
        CHECK_INT(sdBitSet_Test(&set, i), flags[i] || otherFlags[i]);
    }
    sdBitSet_ClearAll(&set);
    CHECK_INT(sdBitSet_Count(&set), 0);
    sdBitSet_Free(&set, allocator);
    sdBitSet_Free(&other, allocator);
    TestContext_Finish(&test);
}

SD_TEST(containers_bitset_grows_by_doubling_or_not_at_all) {
    TestContext test;
    TestContext_Init(&test);
    sdBitSet set = {0};
    for (int i = 0; i < 100000; ++i) {
        REQUIRE(sdBitSet_Reserve(&set, &test.context.allocator, i + 1));
        sdBitSet_Set(&set, i);
    }
    CHECK(test.allocationCount < 15);
    CHECK_INT(sdBitSet_Count(&set), 100000);
    CHECK_INT(sdBitSet_NextAbsent(&set, 0), 100000);
    test.failAt = test.allocationCount;
    CHECK(!sdBitSet_Reserve(&set, &test.context.allocator, 1000000));
    CHECK(!sdBitSet_Reserve(&set, &test.context.allocator, INT32_MAX));
    CHECK_INT(sdBitSet_Count(&set), 100000);
    sdBitSet_Free(&set, &test.context.allocator);
    TestContext_Finish(&test);
}

// ---- id pool --------------------------------------------------------------------------------

SD_TEST(containers_ids_reuse_the_lowest_slot_and_notice_stale_ones) {
    TestContext test;
    TestContext_Init(&test);
    const sdAllocator* allocator = &test.context.allocator;
    sdIdPool pool = {0};
    uint32_t ids[100];
    CHECK(!sdIdPool_IsLive(&pool, SD_NULL_ID) && !sdIdPool_IsLive(&pool, 0x01000000u));
    for (int i = 0; i < 100; ++i) {
        CHECK_INT(sdIdPool_Alloc(&pool, allocator, &ids[i]), SD_OK);
        CHECK_INT(sdId_Index(ids[i]), i);
        CHECK_INT(sdId_Generation(ids[i]), 1);
    }
    CHECK(sdIdPool_Release(&pool, ids[70]) && sdIdPool_Release(&pool, ids[10]));
    CHECK(sdIdPool_Release(&pool, ids[40]) && !sdIdPool_Release(&pool, ids[40]));
    CHECK(!sdIdPool_IsLive(&pool, ids[40]) && sdIdPool_IsLive(&pool, ids[41]));
    CHECK_INT(sdIdPool_GetId(&pool, 40), SD_NULL_ID);
    CHECK_INT(sdIdPool_GetId(&pool, 41), ids[41]);
    CHECK_INT(pool.liveCount, 97);
    const int expected[4] = {10, 40, 70, 100};
    for (int i = 0; i < 4; ++i) {
        uint32_t id;
        CHECK_INT(sdIdPool_Alloc(&pool, allocator, &id), SD_OK);
        CHECK_INT(sdId_Index(id), expected[i]);
        CHECK_INT(sdId_Generation(id), i < 3 ? 2 : 1);
        CHECK(i == 3 || !sdIdPool_IsLive(&pool, ids[expected[i]]));
    }
    CHECK(!sdIdPool_IsLive(&pool, 0xFFFFFFFFu) && !sdIdPool_Release(&pool, SD_NULL_ID));
    CHECK_INT(sdIdPool_GetId(&pool, -1), SD_NULL_ID);
    CHECK_INT(sdIdPool_GetId(&pool, 101), SD_NULL_ID);
    sdIdPool_Free(&pool, allocator);
    TestContext_Finish(&test);
}

SD_TEST(containers_ids_are_never_given_out_twice) {
    TestContext test;
    TestContext_Init(&test);
    const sdAllocator* allocator = &test.context.allocator;
    sdIdPool pool = {0};
    sdKeySet seen = {0};
    uint32_t live[50];
    int liveCount = 0;
    TestRandom random = TestRandom_Make(3);
    for (int i = 0; i < 30000; ++i) {
        bool isNew;
        if (liveCount == 0 || (liveCount < 50 && TestRandom_Int(&random, 2) == 0)) {
            REQUIRE(sdIdPool_Alloc(&pool, allocator, &live[liveCount]) == SD_OK);
            REQUIRE(sdKeySet_Insert(&seen, allocator, live[liveCount], &isNew));
            CHECK(isNew);
            liveCount += 1;
        } else {
            int k = TestRandom_Int(&random, liveCount);
            CHECK(sdIdPool_Release(&pool, live[k]));
            CHECK(!sdIdPool_IsLive(&pool, live[k]));
            live[k] = live[--liveCount];
        }
        CHECK_INT(pool.liveCount, liveCount);
    }
    // 15000 ids wear out 255 at a time
    CHECK(pool.slotCount > 15000 / 255 && pool.slotCount < 15000 / 255 + 100);
    int found = 0;
    for (int i = 0; i < pool.slotCount; ++i) {
        found += sdIdPool_GetId(&pool, i) != SD_NULL_ID ? 1 : 0;
    }
    CHECK_INT(found, liveCount);
    sdKeySet_Free(&seen, allocator);
    sdIdPool_Free(&pool, allocator);
    TestContext_Finish(&test);
}

static sdResult fillIdPool(const sdContext* context, void* arg) {
    (void)arg;
    sdIdPool pool = {0};
    sdResult result = SD_OK;
    for (int i = 0; i < 1000 && result == SD_OK; ++i) {
        uint32_t id;
        result = sdIdPool_Alloc(&pool, &context->allocator, &id);
        CHECK((result == SD_OK) == sdIdPool_IsLive(&pool, id));
        CHECK_INT(pool.liveCount, result == SD_OK ? i + 1 : i);
    }
    sdIdPool_Free(&pool, &context->allocator);
    return result == SD_OK ? SD_OK : sdFailMemory(context, "fillIdPool", 0);
}

SD_TEST(containers_ids_survive_no_memory_and_the_last_slot) {
    CHECK(TestContext_FailEach(fillIdPool, NULL) > 5);
    TestContext test;
    TestContext_Init(&test);
    sdIdPool pool = {0};
    uint32_t id = 0, last = 0;
    sdResult result = SD_OK;
    while (result == SD_OK) {
        last = id;
        result = sdIdPool_Alloc(&pool, &test.context.allocator, &id);
    }
    CHECK_INT(result, SD_ERROR_LIMIT);
    CHECK_INT(id, SD_NULL_ID);
    CHECK_INT(sdId_Index(last), SD_MAX_SLOTS - 1);
    CHECK(sdIdPool_Release(&pool, last));
    CHECK_INT(sdIdPool_Alloc(&pool, &test.context.allocator, &id), SD_OK);
    CHECK_INT(sdId_Index(id), SD_MAX_SLOTS - 1);
    sdIdPool_Free(&pool, &test.context.allocator);
    TestContext_Finish(&test);
}

// ---- key set --------------------------------------------------------------------------------

/// Few different keys and a small table: long runs that wrap around its end.
static void fightOverKeys(uint64_t (*makeKey)(int), uint64_t seed) {
    enum { KEYS = 700 };
    TestContext test;
    TestContext_Init(&test);
    const sdAllocator* allocator = &test.context.allocator;
    TestRandom random = TestRandom_Make(seed);
    sdKeySet set = {0};
    bool isMember[KEYS] = {false};
    int count = 0;
    for (int i = 0; i < 50000; ++i) {
        int k = TestRandom_Int(&random, KEYS);
        // grow and shrink in turns
        if (TestRandom_Int(&random, 10) < (i / 5000 % 2 == 0 ? 7 : 3)) {
            bool isNew;
            REQUIRE(sdKeySet_Insert(&set, allocator, makeKey(k), &isNew));
            CHECK_INT(isNew, !isMember[k]);
            count += isMember[k] ? 0 : 1;
            isMember[k] = true;
        } else {
            CHECK_INT(sdKeySet_Remove(&set, makeKey(k)), isMember[k]);
            count -= isMember[k] ? 1 : 0;
            isMember[k] = false;
        }
        CHECK_INT(set.count, count);
        if (i % 500 == 0) {
            for (int j = 0; j < KEYS; ++j) {
                CHECK_INT(sdKeySet_Contains(&set, makeKey(j)), isMember[j]);
            }
        }
    }
    sdKeySet_ClearAll(&set);
    CHECK_INT(set.count, 0);
    CHECK(!sdKeySet_Contains(&set, makeKey(0)));
    sdKeySet_Free(&set, allocator);
    TestContext_Finish(&test);
}

static uint64_t smallKey(int i) {
    return (uint64_t)i + 1;
}

static uint64_t pairKey(int i) {
    return sdPairKey((uint32_t)(i / 20), (uint32_t)(i % 20 + 100));
}

static uint64_t highKey(int i) {
    return (uint64_t)(i + 1) << 48;
}

SD_TEST(containers_key_set_agrees_with_an_array_of_flags) {
    fightOverKeys(smallKey, 4);
    fightOverKeys(pairKey, 5);
    fightOverKeys(highKey, 6);
    CHECK(sdPairKey(3, 8) == sdPairKey(8, 3) && sdPairKey(0, 1) != 0);
}

SD_TEST(containers_key_set_without_memory_or_key) {
    TestContext test;
    TestContext_Init(&test);
    const sdAllocator* allocator = &test.context.allocator;
    sdKeySet set = {0};
    CHECK(!sdKeySet_Contains(&set, 1) && !sdKeySet_Remove(&set, 1));
    CHECK(!sdKeySet_Insert(&set, allocator, 0, NULL));
    test.failAt = 0;
    CHECK(!sdKeySet_Insert(&set, allocator, 5, NULL));
    CHECK(sdKeySet_Insert(&set, allocator, 5, NULL));
    CHECK(!sdKeySet_Contains(&set, 0) && !sdKeySet_Remove(&set, 0));
    CHECK_INT(set.count, 1);
    CHECK(!sdKeySet_Reserve(&set, allocator, INT32_MAX));
    REQUIRE(sdKeySet_Reserve(&set, allocator, 1000));
    int allocations = test.allocationCount;
    for (uint64_t key = 1; key <= 1000; ++key) {
        CHECK(sdKeySet_Insert(&set, allocator, key, NULL));
    }
    CHECK_INT(test.allocationCount, allocations);
    CHECK_INT(set.count, 1000);
    sdKeySet_Free(&set, allocator);
    TestContext_Finish(&test);
}

// ---- hash, timer ----------------------------------------------------------------------------

SD_TEST(containers_hash_is_xxh64) {
    // published values
    CHECK(sdHash_Bytes("", 0, 0) == 0xEF46DB3751D8E999u);
    CHECK(sdHash_Bytes("a", 1, 0) == 0xD24EC4F1A98C6E5Bu);
    CHECK(sdHash_Bytes("abc", 3, 0) == 0x44BC2CF5AD770999u);
    const char* text = "Nobody inspects the spammish repetition";
    CHECK(sdHash_Bytes(text, strlen(text), 0) == 0xFBCEA83C8A378BF1u);
    CHECK(sdHash_Bytes("xxhash", 6, 20141025) == 0xB559B98D844E0635u);
}

SD_TEST(containers_hash_sees_every_bit) {
    unsigned char bytes[101] = {0};
    sdKeySet seen = {0};
    sdContext context = sdContext_Default();
    bool isNew;
    for (size_t size = 0; size <= 100; ++size) {
        REQUIRE(sdKeySet_Insert(&seen, &context.allocator, sdHash_Bytes(bytes, size, 7), &isNew));
        CHECK(isNew);
        for (size_t bit = 0; bit < 8 * size; ++bit) {
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            uint64_t hash = sdHash_Bytes(bytes, size, 7);
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            REQUIRE(sdKeySet_Insert(&seen, &context.allocator, hash, &isNew));
            CHECK(isNew);
        }
    }
    // any alignment; words as their little-endian bytes
    memcpy(bytes + 1, "0123456789012345678901234567890123456789", 40);
    CHECK(sdHash_Bytes(bytes + 1, 40, 0) ==
          sdHash_Bytes("0123456789012345678901234567890123456789", 40, 0));
    const uint32_t words[3] = {0x64636261u, 0x68676665u, 0x6C6B6A69u};
    CHECK(sdHash_Words(words, 3, 1) == sdHash_Bytes("abcdefghijkl", 12, 1));
    sdKeySet_Free(&seen, &context.allocator);
}

SD_TEST(containers_timer_goes_forward) {
    uint64_t start = sdTimer_Now();
    uint64_t last = start;
    CHECK(start > 0);
    for (int i = 0; i < 1000; ++i) {
        uint64_t now = sdTimer_Now();
        CHECK(now >= last);
        last = now;
    }
    float whole = sdTimer_ElapsedMs(start);
    float lap = sdTimer_LapMs(&start);
    CHECK(whole >= 0.0f && lap >= whole && lap < 10000.0f);
    CHECK(start >= last);
}
