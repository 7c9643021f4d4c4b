// SPDX-License-Identifier: MIT
// key_set.c - see key_set.h.
//
// Ref:  Knuth, "The Art of Computer Programming", vol. 3, 6.4, algorithms L and R.

#include "base/key_set.h"

#include "base/hash.h"

#include <string.h>

#define MIN_CAPACITY 16

/// The largest power of two in an int.
#define MAX_CAPACITY (1 << 30)

static size_t byteCount(int capacity) {
    return (size_t)capacity * sizeof(uint64_t);
}

/// Where a key would like to be.
static int homeOf(uint64_t key, int capacity) {
    return (int)(sdHash_Mix(key) & (uint64_t)(capacity - 1));
}

/// Where the key is, or the empty place where it would go. The table is never full.
static int findPlace(const uint64_t* keys, int capacity, uint64_t key) {
    int i = homeOf(key, capacity);
    while (keys[i] != 0 && keys[i] != key) {
        i = (i + 1) & (capacity - 1);
    }
    return i;
}

static bool rehash(sdKeySet* set, const sdAllocator* allocator, int capacity) {
    uint64_t* keys = sdAllocZero(allocator, byteCount(capacity));
    if (keys == NULL) {
        return false;
    }
    for (int i = 0; i < set->capacity; ++i) {
        if (set->keys[i] != 0) {
            keys[findPlace(keys, capacity, set->keys[i])] = set->keys[i];
        }
    }
    sdFree(allocator, set->keys, byteCount(set->capacity));
    set->keys = keys;
    set->capacity = capacity;
    return true;
}

bool sdKeySet_Reserve(sdKeySet* set, const sdAllocator* allocator, int count) {
    if (count <= set->capacity / 2) {
        return true;
    }
    if (count > MAX_CAPACITY / 2) {
        return false;
    }
    int capacity = set->capacity > MIN_CAPACITY ? set->capacity : MIN_CAPACITY;
    while (capacity / 2 < count) {
        capacity *= 2;
    }
    return rehash(set, allocator, capacity);
}

bool sdKeySet_Insert(sdKeySet* set, const sdAllocator* allocator, uint64_t key, bool* isNew) {
    if (key == 0) {
        return false;
    }
    int place = set->capacity > 0 ? findPlace(set->keys, set->capacity, key) : SD_NULL_INDEX;
    bool isAbsent = place == SD_NULL_INDEX || set->keys[place] != key;
    if (isAbsent) {
        if (set->count >= set->capacity / 2) {
            if (!sdKeySet_Reserve(set, allocator, set->count + 1)) {
                return false;
            }
            place = findPlace(set->keys, set->capacity, key);
        }
        set->keys[place] = key;
        set->count += 1;
    }
    if (isNew != NULL) {
        *isNew = isAbsent;
    }
    return true;
}

bool sdKeySet_Remove(sdKeySet* set, uint64_t key) {
    if (set->capacity == 0 || key == 0) {
        return false;
    }
    int hole = findPlace(set->keys, set->capacity, key);
    if (set->keys[hole] != key) {
        return false;
    }
    int mask = set->capacity - 1;
    // move back every later key of the run that may stand in the hole
    for (int i = (hole + 1) & mask; set->keys[i] != 0; i = (i + 1) & mask) {
        int home = homeOf(set->keys[i], set->capacity);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            set->keys[hole] = set->keys[i];
            hole = i;
        }
    }
    set->keys[hole] = 0;
    set->count -= 1;
    return true;
}

bool sdKeySet_Contains(const sdKeySet* set, uint64_t key) {
    return key != 0 && set->capacity > 0 &&
           set->keys[findPlace(set->keys, set->capacity, key)] == key;
}

void sdKeySet_ClearAll(sdKeySet* set) {
    if (set->capacity > 0) {
        memset(set->keys, 0, byteCount(set->capacity));
    }
    set->count = 0;
}

void sdKeySet_Free(sdKeySet* set, const sdAllocator* allocator) {
    sdFree(allocator, set->keys, byteCount(set->capacity));
    *set = (sdKeySet){0};
}
