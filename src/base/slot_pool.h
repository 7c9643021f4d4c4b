// SPDX-License-Identifier: MIT
// slot_pool.h - which slots of an array are in use, the lowest free one first.
//
// For things that only the library names: unlike ids (id_pool.h) slots are used again for ever.

#ifndef SD_BASE_SLOT_POOL_H
#define SD_BASE_SLOT_POOL_H

#include "base/bitset.h"

/// A zeroed struct is an empty pool.
typedef struct sdSlotPool {
    sdBitSet taken;
    int slotCount; ///< slots ever used: indices are below this
    int liveCount;
    int firstFree; ///< no slot below this is free
} sdSlotPool;

/// Make sure that the next slots can be taken.
/// @return false when memory is short; the pool is as it was
static inline bool sdSlotPool_Reserve(sdSlotPool* pool, const sdAllocator* allocator, int count) {
    return sdBitSet_Reserve(&pool->taken, allocator, pool->slotCount + count);
}

/// After sdSlotPool_Reserve.
static inline int sdSlotPool_Take(sdSlotPool* pool) {
    int index = sdBitSet_NextAbsent(&pool->taken, pool->firstFree);
    sdBitSet_Set(&pool->taken, index);
    pool->slotCount = index < pool->slotCount ? pool->slotCount : index + 1;
    pool->firstFree = index + 1;
    pool->liveCount += 1;
    return index;
}

static inline void sdSlotPool_Release(sdSlotPool* pool, int index) {
    sdBitSet_Clear(&pool->taken, index);
    pool->firstFree = index < pool->firstFree ? index : pool->firstFree;
    pool->liveCount -= 1;
}

/// Whether a pool that came from outside is one.
static inline bool sdSlotPool_IsSound(const sdSlotPool* pool) {
    return sdBitSet_IsWithin(&pool->taken, pool->slotCount) && pool->firstFree >= 0 &&
           pool->firstFree <= pool->slotCount && sdBitSet_Count(&pool->taken) == pool->liveCount;
}

static inline void sdSlotPool_Free(sdSlotPool* pool, const sdAllocator* allocator) {
    sdBitSet_Free(&pool->taken, allocator);
    *pool = (sdSlotPool){0};
}

#endif
