// SPDX-License-Identifier: MIT
// arena.h - scratch memory of a step: taken piece by piece, given back all at once.
//
// When a block is used up the arena takes a further one, and keeps them: memory that was
// written once is not asked for again, which the system would have to clear first, and after a step
// or two the allocator is not called any more.

#ifndef SD_BASE_ARENA_H
#define SD_BASE_ARENA_H

#include "base/memory.h"

typedef struct sdArenaBlock sdArenaBlock;

/// Owned by one thread at a time.
typedef struct sdArena {
    sdAllocator allocator;
    sdArenaBlock* first;   ///< it knows the others
    sdArenaBlock* current; ///< the block that pieces are cut from; NULL after a reset
    size_t used;           ///< bytes of that block
    size_t usedBefore;     ///< bytes of all earlier ones
    bool isShort;          ///< there was no memory for the last block that was asked for
} sdArena;

/// Allocates nothing yet.
void sdArena_Init(sdArena* arena, const sdAllocator* allocator);
void sdArena_Free(sdArena* arena);

/// Memory for count items of itemSize bytes, aligned to SD_ALIGNMENT, not cleared, valid until the
/// next reset. NULL when the size is 0 or overflows, or when memory is short.
void* sdArena_Alloc(sdArena* arena, size_t count, size_t itemSize);

/// Everything that was taken is gone.
void sdArena_Reset(sdArena* arena);

/// Bytes taken since the last reset.
size_t sdArena_GetUsed(const sdArena* arena);

/// Bytes that it has from the allocator.
size_t sdArena_GetCapacity(const sdArena* arena);

#endif
