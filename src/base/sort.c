// SPDX-License-Identifier: MIT
// sort.c - see sort.h.

#include "base/sort.h"

#include <string.h>

/// Below this many, moving keys along one by one is quicker.
#define SHORT_COUNT 32

/// Most bits that one pass of a radix sort looks at: 2^11 counters stay in the first cache.
#define RADIX_BITS 11

static void insertionSort(uint64_t* keys, int count) {
    for (int i = 1; i < count; ++i) {
        uint64_t key = keys[i];
        int j = i;
        for (; j > 0 && keys[j - 1] > key; --j) {
            keys[j] = keys[j - 1];
        }
        keys[j] = key;
    }
}

/// Put `key` into the heap of `count` keys whose root is vacant.
static void siftDown(uint64_t* heap, int64_t root, int64_t count, uint64_t key) {
    for (int64_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        child += child + 1 < count && heap[child] < heap[child + 1];
        if (heap[child] <= key) {
            break;
        }
        heap[root] = heap[child];
        root = child;
    }
    heap[root] = key;
}

void sdSortKeys(uint64_t* keys, int count) {
    if (count <= SHORT_COUNT) {
        insertionSort(keys, count);
        return;
    }
    for (int i = count / 2 - 1; i >= 0; --i) {
        siftDown(keys, i, count, keys[i]);
    }
    for (int i = count - 1; i > 0; --i) {
        uint64_t last = keys[i];
        keys[i] = keys[0];
        siftDown(keys, 0, i, last);
    }
}

/// One stable pass.
static void scatter(const uint64_t* from, uint64_t* to, int count, int shift, int bitCount) {
    int counts[1 << RADIX_BITS] = {0};
    uint64_t mask = ((uint64_t)1 << bitCount) - 1;
    for (int i = 0; i < count; ++i) {
        counts[from[i] >> shift & mask] += 1;
    }
    int sum = 0;
    for (uint64_t i = 0; i <= mask; ++i) {
        int size = counts[i];
        counts[i] = sum;
        sum += size;
    }
    for (int i = 0; i < count; ++i) {
        to[counts[from[i] >> shift & mask]++] = from[i];
    }
}

void sdSortKeysByBits(uint64_t* keys, uint64_t* scratch, int count, int lowBit, int bitCount) {
    int passCount = (bitCount + RADIX_BITS - 1) / RADIX_BITS;
    uint64_t* from = keys;
    uint64_t* to = scratch;
    int shift = lowBit;
    for (int pass = 0; pass < passCount; ++pass) {
        // passes of nearly equal width
        int width = (bitCount - (shift - lowBit) + passCount - pass - 1) / (passCount - pass);
        scatter(from, to, count, shift, width);
        shift += width;
        uint64_t* swap = from;
        from = to;
        to = swap;
    }
    if (from != keys) {
        memcpy(keys, from, (size_t)count * sizeof keys[0]);
    }
}
