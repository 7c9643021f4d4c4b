// SPDX-License-Identifier: MIT
// support.c - memory and words through a context, as the library has them, from outside of it.

#include "support.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/// Longest message, bytes; longer ones are cut.
#define MAX_TEXT 1024

/// Enough for every type that is kept in arrays here.
#define ALIGNMENT ((size_t)16)

sdContext sdRender_GetContext(const sdContext* context) {
    return context != NULL ? *context : sdContext_Default();
}

sdResult sdRender_Fail(const sdContext* context, sdResult result, const char* format, ...) {
    char text[MAX_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    context->logger.log(context->logger.user, SD_LOG_ERROR, text);
    return result;
}

void* sdRender_Alloc(const sdAllocator* allocator, size_t size) {
    void* memory = allocator->allocate(allocator->user, size, ALIGNMENT);
    if (memory != NULL) {
        memset(memory, 0, size);
    }
    return memory;
}

void sdRender_Free(const sdAllocator* allocator, void* memory, size_t size) {
    if (memory != NULL) {
        allocator->release(allocator->user, memory, size);
    }
}

bool sdRender_Reserve(const sdAllocator* allocator, void** array, int* capacity, int count,
                      size_t itemSize) {
    if (count <= *capacity) {
        return true;
    }
    // half as much again, so that growing item by item stays linear
    int64_t grown = (int64_t)*capacity + *capacity / 2 + 16;
    grown = grown < count ? count : grown;
    if (grown > INT32_MAX || (uint64_t)grown > SIZE_MAX / itemSize) {
        return false;
    }
    void* larger = sdRender_Alloc(allocator, (size_t)grown * itemSize);
    if (larger == NULL) {
        return false;
    }
    if (*array != NULL) {
        memcpy(larger, *array, (size_t)*capacity * itemSize);
        sdRender_Free(allocator, *array, (size_t)*capacity * itemSize);
    }
    *array = larger;
    *capacity = (int)grown;
    return true;
}

// ---- hulls ---------------------------------------------------------------------------------

static void ignoreLog(void* user, sdLogLevel level, const char* text) {
    (void)user;
    (void)level;
    (void)text;
}

bool sdRender_MakeHull(const sdContext* context, const sdVec3* points, int count, sdHull** out) {
    sdContext quiet = *context;
    quiet.logger.log = ignoreLog;
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = count;
    return sdHull_Create(&quiet, &def, out) != SD_ERROR_OUT_OF_MEMORY;
}
