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
