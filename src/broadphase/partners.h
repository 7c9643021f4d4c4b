// SPDX-License-Identifier: MIT
// partners.h - for each slot, the sorted list of the slots that it makes a pair with.
//
// A pair stands in the lists of both. All lists live in one growing pool, in blocks of 2^k places;
// blocks that are given back are taken again. What it costs to change pairs depends on the lists
// that change, never on how many pairs there are.

#ifndef SD_BROADPHASE_PARTNERS_H
#define SD_BROADPHASE_PARTNERS_H

#include "base/array.h"

#define SD_PARTNER_CLASS_COUNT 32

/// Set in a partner that is about to be taken out. The order of a list goes by the other bits.
#define SD_PARTNER_MARK INT32_MIN

typedef struct sdPartnerList {
    int32_t offset;    ///< of its block in the pool
    int32_t count;     ///< partners, ascending
    int32_t reserved;  ///< places that are promised to partners still to come
    int32_t sizeClass; ///< the block has 2^sizeClass places; 0: there is none
} sdPartnerList;

/// A zeroed struct has no lists.
typedef struct sdPartners {
    sdPartnerList* lists; ///< one a slot
    int listCount;
    int listCapacity;
    sdIntArray pool;
    int32_t freeBlocks[SD_PARTNER_CLASS_COUNT]; ///< offset + 1 of the first, which knows the next
} sdPartners;

void sdPartners_Free(sdPartners* partners, const sdAllocator* allocator);

/// Have lists for slots 0 .. count - 1.
/// @return false when memory is short; nothing has changed
bool sdPartners_ReserveSlots(sdPartners* partners, const sdAllocator* allocator, int count);

/// Directed pairs, slot << 32 | partner, sorted. Promise a place to each.
/// @return false when memory is short; some places are promised, sdPartners_Unreserve them all
bool sdPartners_Reserve(sdPartners* partners, const sdAllocator* allocator, const uint64_t* keys,
                        int count);
void sdPartners_Unreserve(sdPartners* partners, const uint64_t* keys, int count);

/// Add directed pairs, sorted, each absent and with a place reserved.
void sdPartners_Insert(sdPartners* partners, const uint64_t* keys, int count);

/// Take directed pairs out, sorted, each present.
void sdPartners_Remove(sdPartners* partners, const uint64_t* keys, int count);

/// Give the block of a list back that is empty and to which no place is promised.
void sdPartners_Trim(sdPartners* partners, int slot);

/// Marked or not.
bool sdPartners_Contains(const sdPartners* partners, int slot, int partner);

static inline int32_t* sdPartners_Get(const sdPartners* partners, int slot) {
    // NULL while there has never been a pair
    return partners->pool.data != NULL ? partners->pool.data + partners->lists[slot].offset : NULL;
}

#endif
