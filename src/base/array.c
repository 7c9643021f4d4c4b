// SPDX-License-Identifier: MIT
// array.c - the one part of growing arrays that need not know their type.

#include "base/array.h"

/// Smallest capacity, so that short arrays do not grow one by one.
#define MIN_CAPACITY 8

void* sdArray_Grow(const sdAllocator* allocator, void* data, size_t itemSize, int* capacity,
                   int64_t needed) {
    int64_t grown = (int64_t)*capacity + *capacity / 2;
    grown = grown < MIN_CAPACITY ? MIN_CAPACITY : grown;
    grown = grown > INT_MAX ? INT_MAX : grown;
    grown = grown < needed ? needed : grown;
    if (grown > INT_MAX) {
        return NULL;
    }
    void* memory = sdAllocArray(allocator, (size_t)grown, itemSize);
    if (memory == NULL) {
        return NULL;
    }
    if (data != NULL) {
        memcpy(memory, data, (size_t)*capacity * itemSize);
        sdFree(allocator, data, (size_t)*capacity * itemSize);
    }
    *capacity = (int)grown;
    return memory;
}
