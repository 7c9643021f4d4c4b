// SPDX-License-Identifier: MIT
// arena.c - see arena.h.

#include "base/arena.h"

/// The smallest block; small steps should not come back for more.
#define MIN_BLOCK ((size_t)16 * 1024)

/// In front of the memory that it describes.
struct sdArenaBlock {
    _Alignas(64) sdArenaBlock* next;
    size_t capacity;
};

void sdArena_Init(sdArena* arena, const sdAllocator* allocator) {
    *arena = (sdArena){.allocator = *allocator};
}

void sdArena_Free(sdArena* arena) {
    sdArenaBlock* block = arena->first;
    while (block != NULL) {
        sdArenaBlock* next = block->next;
        sdFree(&arena->allocator, block, sizeof(sdArenaBlock) + block->capacity);
        block = next;
    }
    *arena = (sdArena){.allocator = arena->allocator};
}

/// The next block, or a further one. Those that are too small go: they would be in the way in every
/// step from now on.
static sdArenaBlock* findBlock(sdArena* arena, size_t size) {
    sdArenaBlock** place = arena->current != NULL ? &arena->current->next : &arena->first;
    while (*place != NULL && size > (*place)->capacity) {
        sdArenaBlock* small = *place;
        *place = small->next;
        sdFree(&arena->allocator, small, sizeof(sdArenaBlock) + small->capacity);
    }
    if (*place != NULL) {
        return *place;
    }
    // half as much again as there is, so that even the first step takes few blocks, and some more
    // than is asked for; whoever comes again because there was no memory takes what must be
    size_t half = arena->isShort ? 0 : sdArena_GetCapacity(arena) / 2;
    size_t capacity = arena->isShort ? size : size + size / 4;
    capacity = capacity < half ? half : capacity;
    capacity = capacity < MIN_BLOCK ? MIN_BLOCK : capacity;
    sdArenaBlock* block = sdAlloc(&arena->allocator, sizeof(sdArenaBlock) + capacity);
    arena->isShort = block == NULL;
    if (block != NULL) {
        *block = (sdArenaBlock){.capacity = capacity};
        *place = block;
    }
    return block;
}

void* sdArena_Alloc(sdArena* arena, size_t count, size_t itemSize) {
    sdBlockLayout layout = {0};
    sdBlockLayout_Add(&layout, count, itemSize);
    if (layout.overflow || layout.size == 0 || layout.size > SIZE_MAX / 4) {
        return NULL;
    }
    if (arena->current == NULL || layout.size > arena->current->capacity - arena->used) {
        sdArenaBlock* block = findBlock(arena, layout.size);
        if (block == NULL) {
            return NULL;
        }
        arena->current = block;
        arena->usedBefore += arena->used;
        arena->used = 0;
    }
    unsigned char* memory = (unsigned char*)(arena->current + 1) + arena->used;
    arena->used += layout.size;
    return memory;
}

void sdArena_Reset(sdArena* arena) {
    arena->current = NULL;
    arena->used = 0;
    arena->usedBefore = 0;
}

size_t sdArena_GetUsed(const sdArena* arena) {
    return arena->usedBefore + arena->used;
}

size_t sdArena_GetCapacity(const sdArena* arena) {
    size_t size = 0;
    for (const sdArenaBlock* block = arena->first; block != NULL; block = block->next) {
        size += sizeof *block + block->capacity;
    }
    return size;
}
