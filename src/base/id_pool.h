// SPDX-License-Identifier: MIT
// id_pool.h - 32-bit ids that know when what they name is gone.
//
// An id is a slot's index (24 bits, to look things up) and the slot's generation (8 bits, to see
// whether it still is the same thing). Generations begin at 1, so the id 0 never names anything.
// A freed slot goes to its next generation; one that has used all 255 is retired, so no id is ever
// given out twice. The lowest free slot is taken first: arrays stay dense, and which id comes next
// depends only on which slots are used, not on the order in which they became free.

#ifndef SD_BASE_ID_POOL_H
#define SD_BASE_ID_POOL_H

#include "base/bitset.h"

#define SD_NULL_ID 0u

/// 2^24
#define SD_MAX_SLOTS 16777216

/// A zeroed struct is an empty pool.
typedef struct sdIdPool {
    uint8_t* generations; ///< of each slot, the one that its id has or will have; 0: retired
    int capacity;         ///< of generations
    int slotCount;        ///< slots ever used: indices are below this
    int liveCount;        ///< ids given out and not freed
    int firstFree;        ///< no slot below this is free
    sdBitSet taken;       ///< slots that are live or retired
} sdIdPool;

/// @return SD_ERROR_OUT_OF_MEMORY, or SD_ERROR_LIMIT when all slots are live or retired; *id is
///         SD_NULL_ID then and the pool is as it was
sdResult sdIdPool_Alloc(sdIdPool* pool, const sdAllocator* allocator, uint32_t* id);

/// @return false for an id that is null, stale or made up; nothing happens then
bool sdIdPool_Release(sdIdPool* pool, uint32_t id);

/// Frees the pool's own memory.
void sdIdPool_Free(sdIdPool* pool, const sdAllocator* allocator);

/// The id of the live thing in a slot, or SD_NULL_ID. To visit all, ask for 0 .. slotCount - 1.
uint32_t sdIdPool_GetId(const sdIdPool* pool, int index);

/// Whether a pool that came from outside is one.
bool sdIdPool_IsSound(const sdIdPool* pool);

/// The slot of an id. Says nothing about whether the id is live.
static inline int sdId_Index(uint32_t id) {
    return (int)(id & 0x00FFFFFFu);
}

static inline uint8_t sdId_Generation(uint32_t id) {
    return (uint8_t)(id >> 24);
}

static inline bool sdIdPool_IsLive(const sdIdPool* pool, uint32_t id) {
    int index = sdId_Index(id);
    return index < pool->slotCount && id != SD_NULL_ID &&
           pool->generations[index] == sdId_Generation(id) && sdBitSet_Test(&pool->taken, index);
}

#endif
