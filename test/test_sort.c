// SPDX-License-Identifier: MIT
// test_sort.c - sorting keys.

#include "base/sort.h"
#include "support.h"

#include <stdlib.h>

static int compareKeys(const void* a, const void* b) {
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

SD_TEST(base_sort_keys_matches_qsort) {
    TestRandom random = TestRandom_Make(12);
    enum { MOST = 300 };
    uint64_t keys[MOST], expected[MOST];
    for (int count = 0; count < MOST; ++count) {
        // many equal ones, and the largest there are
        uint64_t step = count % 3 == 0 ? UINT64_MAX / 7 : 1;
        for (int i = 0; i < count; ++i) {
            keys[i] = step * (uint64_t)TestRandom_Int(&random, count % 2 == 0 ? 8 : 100000);
            expected[i] = keys[i];
        }
        sdSortKeys(keys, count);
        qsort(expected, (size_t)count, sizeof expected[0], compareKeys);
        for (int i = 0; i < count; ++i) {
            CHECK(keys[i] == expected[i]);
        }
    }
}

SD_TEST(base_sort_keys_by_bits_is_stable) {
    TestRandom random = TestRandom_Make(13);
    enum { MOST = 500 };
    uint64_t keys[MOST], scratch[MOST], expected[MOST];
    for (int trial = 0; trial < 300; ++trial) {
        int count = TestRandom_Int(&random, MOST);
        int bitCount = TestRandom_Int(&random, 54);
        int lowBit = 10 + TestRandom_Int(&random, 55 - bitCount);
        uint64_t mask = (((uint64_t)1 << bitCount) - 1) << lowBit;
        // what is above the bits must not matter; the place, in the lowest bits, shows stability
        for (int i = 0; i < count; ++i) {
            uint64_t few = (uint64_t)TestRandom_Next(&random) << 32 | TestRandom_Next(&random);
            keys[i] =
                (few & (TestRandom_Next(&random) % 2 ? mask : mask & mask >> 3)) | (uint64_t)i;
            expected[i] = keys[i];
        }
        sdSortKeysByBits(keys, scratch, count, lowBit, bitCount);
        qsort(expected, (size_t)count, sizeof expected[0], compareKeys);
        for (int i = 0; i < count; ++i) {
            CHECK(keys[i] == expected[i]);
        }
    }
}
