// SPDX-License-Identifier: MIT
// arena.c - see arena.h.

#include "base/arena.h"

/// The smallest block; small steps should not come back for more.
#define MIN_BLOCK ((size_t)16 * 1024)

/// In front of the memory that it describes.
struct sdArenaBlock {
    _Alignas(64) sdArenaBlock* previous;
    size_t capacity;
};

static sdArenaBlock* newBlock(sdArena* arena, size_t capacity) {
    sdArenaBlock* block = sdAlloc(&arena->allocator, sizeof(sdArenaBlock) + capacity);
    if (block != NULL) {
        block->previous = NULL;
        block->capacity = capacity;
    }
    return block;
}

void sdArena_Init(sdArena* arena, const sdAllocator* allocator) {
    *arena = (sdArena){.allocator = *allocator};
}

void sdArena_Free(sdArena* arena) {
    sdArenaBlock* block = arena->newest;
    while (block != NULL) {
        sdArenaBlock* previous = block->previous;
        sdFree(&arena->allocator, block, sizeof(sdArenaBlock) + block->capacity);
        block = previous;
    }
    arena->newest = NULL;
    arena->used = 0;
    arena->usedBefore = 0;
}

void* sdArena_Alloc(sdArena* arena, size_t count, size_t itemSize) {
    sdBlockLayout layout = {0};
    sdBlockLayout_Add(&layout, count, itemSize);
    if (layout.overflow || layout.size == 0 || layout.size > SIZE_MAX / 4) {
        return NULL;
    }
    size_t left = arena->newest != NULL ? arena->newest->capacity - arena->used : 0;
    if (layout.size > left) {
        // at least as much again as there was, so that even the first step takes few blocks
        size_t capacity = sdArena_GetUsed(arena);
        capacity = capacity < arena->wanted ? arena->wanted : capacity;
        capacity = capacity < MIN_BLOCK ? MIN_BLOCK : capacity;
        capacity = capacity < layout.size ? layout.size : capacity;
        sdArenaBlock* block = newBlock(arena, capacity);
        // whoever comes again takes no more than must be
        arena->wanted = 0;
        if (block == NULL) {
            return NULL;
        }
        block->previous = arena->newest;
        arena->usedBefore += arena->used;
        arena->used = 0;
        arena->newest = block;
    }
    unsigned char* memory = (unsigned char*)(arena->newest + 1) + arena->used;
    arena->used += layout.size;
    return memory;
}

void sdArena_Reset(sdArena* arena) {
    if (arena->newest != NULL && arena->newest->previous != NULL) {
        // the next step takes one block, and one that takes a little more shall do with it as well
        size_t used = sdArena_GetUsed(arena);
        sdArena_Free(arena);
        arena->wanted = used + used / 4;
    }
    arena->used = 0;
    arena->usedBefore = 0;
}

size_t sdArena_GetUsed(const sdArena* arena) {
    return arena->usedBefore + arena->used;
}

size_t sdArena_GetCapacity(const sdArena* arena) {
    size_t size = 0;
    for (const sdArenaBlock* block = arena->newest; block != NULL; block = block->previous) {
        size += sizeof *block + block->capacity;
    }
    return size;
}
