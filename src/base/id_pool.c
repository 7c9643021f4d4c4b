// SPDX-License-Identifier: MIT
// id_pool.c - see id_pool.h.

#include "base/id_pool.h"

#include "base/array.h"

#define LAST_GENERATION 255

static uint32_t makeId(int index, uint8_t generation) {
    return (uint32_t)generation << 24 | (uint32_t)index;
}

sdResult sdIdPool_Alloc(sdIdPool* pool, const sdAllocator* allocator, uint32_t* id) {
    *id = SD_NULL_ID;
    int index = sdBitSet_NextAbsent(&pool->taken, pool->firstFree);
    if (index >= SD_MAX_SLOTS) {
        return SD_ERROR_LIMIT;
    }
    if (index >= pool->capacity) {
        uint8_t* grown = sdArray_Grow(allocator, pool->generations, 1, &pool->capacity, index + 1);
        if (grown == NULL) {
            return SD_ERROR_OUT_OF_MEMORY;
        }
        pool->generations = grown;
    }
    if (!sdBitSet_Reserve(&pool->taken, allocator, index + 1)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    if (index == pool->slotCount) {
        pool->generations[index] = 1;
        pool->slotCount += 1;
    }
    sdBitSet_Set(&pool->taken, index);
    pool->firstFree = index + 1;
    pool->liveCount += 1;
    *id = makeId(index, pool->generations[index]);
    return SD_OK;
}

bool sdIdPool_Release(sdIdPool* pool, uint32_t id) {
    if (!sdIdPool_IsLive(pool, id)) {
        return false;
    }
    int index = sdId_Index(id);
    pool->liveCount -= 1;
    if (pool->generations[index] == LAST_GENERATION) {
        // stays taken for ever
        pool->generations[index] = 0;
        return true;
    }
    pool->generations[index] += 1;
    sdBitSet_Clear(&pool->taken, index);
    pool->firstFree = index < pool->firstFree ? index : pool->firstFree;
    return true;
}

void sdIdPool_Free(sdIdPool* pool, const sdAllocator* allocator) {
    sdFree(allocator, pool->generations, (size_t)pool->capacity);
    sdBitSet_Free(&pool->taken, allocator);
    *pool = (sdIdPool){0};
}

uint32_t sdIdPool_GetId(const sdIdPool* pool, int index) {
    if (index < 0 || index >= pool->slotCount || !sdBitSet_Test(&pool->taken, index) ||
        pool->generations[index] == 0) {
        return SD_NULL_ID;
    }
    return makeId(index, pool->generations[index]);
}

bool sdIdPool_IsSound(const sdIdPool* pool) {
    if (pool->slotCount < 0 || pool->slotCount > SD_MAX_SLOTS || pool->capacity < pool->slotCount ||
        !sdBitSet_IsWithin(&pool->taken, pool->slotCount) || pool->firstFree < 0 ||
        pool->firstFree > pool->slotCount) {
        return false;
    }
    int liveCount = 0;
    for (int i = 0; i < pool->slotCount; ++i) {
        bool isTaken = sdBitSet_Test(&pool->taken, i), isRetired = pool->generations[i] == 0;
        if (isRetired && !isTaken) {
            return false;
        }
        liveCount += isTaken && !isRetired ? 1 : 0;
    }
    return liveCount == pool->liveCount;
}
