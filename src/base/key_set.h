// SPDX-License-Identifier: MIT
// key_set.h - a hash set of 64-bit keys, such as pairs of bodies.
//
// Open addressing with linear probing in a table that is at most half full; deletion moves keys
// back instead of leaving marks, so the table does not age. A zeroed struct is an empty set.

#ifndef SD_BASE_KEY_SET_H
#define SD_BASE_KEY_SET_H

#include "base/memory.h"

typedef struct sdKeySet {
    uint64_t* keys; ///< 0: empty place
    int count;
    int capacity; ///< 0 or a power of two
} sdKeySet;

/// The key of an unordered pair of different indices or ids. Never 0.
static inline uint64_t sdPairKey(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/// Make room for `count` keys, so that inserting them will not fail.
/// @return false when memory is short or count is over 2^29; the set is as it was
bool sdKeySet_Reserve(sdKeySet* set, const sdAllocator* allocator, int count);

/// @param isNew receives whether the key was absent; may be NULL
/// @return false when memory is short or the key is 0, which is no key; the set is as it was
bool sdKeySet_Insert(sdKeySet* set, const sdAllocator* allocator, uint64_t key, bool* isNew);

/// @return whether the key was there
bool sdKeySet_Remove(sdKeySet* set, uint64_t key);
bool sdKeySet_Contains(const sdKeySet* set, uint64_t key);

/// Empty the set, keep its memory.
void sdKeySet_ClearAll(sdKeySet* set);
void sdKeySet_Free(sdKeySet* set, const sdAllocator* allocator);

#endif
