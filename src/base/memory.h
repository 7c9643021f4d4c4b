// SPDX-License-Identifier: MIT
// memory.h - allocation through a context, single-block objects, and failure with a reason.

#ifndef SD_BASE_MEMORY_H
#define SD_BASE_MEMORY_H

#include "sudar/base.h"

#include <stdatomic.h>

/// What every block and SIMD array is aligned to: one cache line, two AVX registers.
#define SD_ALIGNMENT ((size_t)64)

/// A compiler takes a function that only asks for memory ahead for one that does nothing, unless it
/// is part of its caller.
#define SD_PREFETCHING static inline __attribute__((always_inline))

#if defined(__GNUC__)
#define SD_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SD_PRINTF(text, first)
#endif

/// The context itself, or the default one for NULL, or an error for one with missing hooks.
/// Every public function that takes a context copies it through here first.
sdResult sdContext_Resolve(const sdContext* context, sdContext* out);

/// NULL when size is 0 or memory is short. Memory is not cleared.
void* sdAlloc(const sdAllocator* allocator, size_t size);
void* sdAllocZero(const sdAllocator* allocator, size_t size);
/// NULL also when count * itemSize overflows.
void* sdAllocArray(const sdAllocator* allocator, size_t count, size_t itemSize);
/// NULL memory is allowed.
void sdFree(const sdAllocator* allocator, void* memory, size_t size);

void sdLog(const sdContext* context, sdLogLevel level, const char* format, ...) SD_PRINTF(3, 4);

/// Log why, and return `result`. Without a context, where there is no object to take it from, the
/// default one serves. The text names the function, the fault and, where there is one,
/// the way out: "sdMesh_Create: triangle 7 uses vertex 12, but there are only 8 vertices".
sdResult sdFail(const sdContext* context, sdResult result, const char* format, ...) SD_PRINTF(3, 4);

/// sdFail for the commonest case; `what` is what was being made.
sdResult sdFailMemory(const sdContext* context, const char* function, size_t size);

/// Lay out an object in one block: add each array, allocate `size` once, then point at offsets.
/// Offsets are multiples of SD_ALIGNMENT. Sets *overflow (never clears it) when sizes overflow.
typedef struct sdBlockLayout {
    size_t size;
    bool overflow;
} sdBlockLayout;

size_t sdBlockLayout_Add(sdBlockLayout* layout, size_t count, size_t itemSize);

/// Ask for the cache lines of what will be read soon and lies in no order that the processor can
/// foresee. Into the second cache: of lines that are on their way to the first there can be few.
/// Any address will do.
SD_PREFETCHING void sdPrefetch(const void* memory, size_t size) {
    for (size_t i = 0; i < size; i += SD_ALIGNMENT) {
        __builtin_prefetch((const char*)memory + i, 0, 2);
    }
}

/// The same of one that will be written, and was perhaps by another processor: it is asked for
/// once, and not once more when it is written. For kernels: the base level of x86-64 can only read
/// ahead.
SD_PREFETCHING void sdPrefetchToWrite(const void* memory) {
    __builtin_prefetch(memory, 1, 2);
}

/// Shared, immutable objects carry one of these.
typedef struct sdRefCount {
    atomic_int value;
} sdRefCount;

void sdRefCount_Init(sdRefCount* count);
void sdRefCount_Retain(sdRefCount* count);
/// @return true when the last reference has gone and the object must be freed
bool sdRefCount_Release(sdRefCount* count);

#endif
