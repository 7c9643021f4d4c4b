// SPDX-License-Identifier: MIT
// bitset.h - a growing set of small non-negative integers, one bit each.
//
// A zeroed struct is an empty set of no size. To visit all members in ascending order:
//     for (int i = sdBitSet_Next(&set, 0); i != SD_NULL_INDEX; i = sdBitSet_Next(&set, i + 1))

#ifndef SD_BASE_BITSET_H
#define SD_BASE_BITSET_H

#include "base/memory.h"

typedef struct sdBitSet {
    uint64_t* words;
    int wordCount;
} sdBitSet;

/// Make room for 0 .. count - 1; never shrinks. New members are absent. The size at least doubles
/// when it grows, so the members may be added one by one.
/// @return false when memory is short or count is over INT_MAX - 63; the set is as it was
bool sdBitSet_Reserve(sdBitSet* set, const sdAllocator* allocator, int count);
void sdBitSet_Free(sdBitSet* set, const sdAllocator* allocator);

void sdBitSet_ClearAll(sdBitSet* set);
int sdBitSet_Count(const sdBitSet* set);

/// Whether the set has room for 0 .. count - 1, and no other members.
bool sdBitSet_IsWithin(const sdBitSet* set, int count);

/// The first member >= from, or SD_NULL_INDEX.
int sdBitSet_Next(const sdBitSet* set, int from);

/// The first integer >= from that is not a member; it may lie beyond the reserved size.
int sdBitSet_NextAbsent(const sdBitSet* set, int from);

/// Add all members of b, for which a must have room.
void sdBitSet_Unite(sdBitSet* a, const sdBitSet* b);

/// For Set and Clear, i must be within the reserved size.
static inline void sdBitSet_Set(sdBitSet* set, int i) {
    set->words[i >> 6] |= (uint64_t)1 << (i & 63);
}

static inline void sdBitSet_Clear(sdBitSet* set, int i) {
    set->words[i >> 6] &= ~((uint64_t)1 << (i & 63));
}

/// False beyond the reserved size.
static inline bool sdBitSet_Test(const sdBitSet* set, int i) {
    return i >> 6 < set->wordCount && (set->words[i >> 6] >> (i & 63) & 1) != 0;
}

#endif
