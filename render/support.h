// SPDX-License-Identifier: MIT
// support.h - memory and words through a context, as the library has them, from outside of it.

#ifndef SD_RENDER_SUPPORT_H
#define SD_RENDER_SUPPORT_H

#include "sudar/hull.h"

#if defined(__GNUC__)
#define SD_RENDER_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SD_RENDER_PRINTF(text, first)
#endif

/// The context itself, or the default one for NULL.
sdContext sdRender_GetContext(const sdContext* context);

/// Log why, and return `result`.
sdResult sdRender_Fail(const sdContext* context, sdResult result, const char* format, ...)
    SD_RENDER_PRINTF(3, 4);

/// Cleared memory, or NULL.
void* sdRender_Alloc(const sdAllocator* allocator, size_t size);
void sdRender_Free(const sdAllocator* allocator, void* memory, size_t size);

/// Make room for `count` items in an array that keeps its items.
/// @return false, and nothing changed, when memory is short
bool sdRender_Reserve(const sdAllocator* allocator, void** array, int* capacity, int count,
                      size_t itemSize);

/// The hull of points, for drawing. Flat sets have none, which is no reason for words.
/// @param out NULL when there is none
/// @return false when there is no memory
bool sdRender_MakeHull(const sdContext* context, const sdVec3* points, int count, sdHull** out);

#endif
