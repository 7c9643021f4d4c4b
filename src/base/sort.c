// SPDX-License-Identifier: MIT
// sort.c - see sort.h.

#include "base/sort.h"

/// Below this many, moving keys along one by one is quicker.
#define SHORT_COUNT 12

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
