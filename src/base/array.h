// SPDX-License-Identifier: MIT
// array.h - growing arrays of one type.
//
// SD_DEFINE_ARRAY(sdIntArray, int) makes the struct sdIntArray and its functions. A zeroed struct
// is an empty array. Whatever can fail returns false and leaves the array as it was.

#ifndef SD_BASE_ARRAY_H
#define SD_BASE_ARRAY_H

#include "base/memory.h"

#include <limits.h>
#include <string.h>

#if defined(__GNUC__)
#define SD_MAYBE_UNUSED __attribute__((unused))
#else
#define SD_MAYBE_UNUSED
#endif

/// Grow `data` to hold at least `needed` items, by half as much again.
/// @return the new memory, or NULL when memory is short or `needed` is over INT_MAX
void* sdArray_Grow(const sdAllocator* allocator, void* data, size_t itemSize, int* capacity,
                   int64_t needed);

#define SD_DEFINE_ARRAY(Name, Type)                                                                \
    typedef struct Name {                                                                          \
        Type* data;                                                                                \
        int count;                                                                                 \
        int capacity;                                                                              \
    } Name;                                                                                        \
                                                                                                   \
    SD_MAYBE_UNUSED static inline bool Name##_Reserve(Name* array, const sdAllocator* allocator,   \
                                                      int64_t capacity) {                          \
        if (capacity <= array->capacity) {                                                         \
            return true;                                                                           \
        }                                                                                          \
        void* data =                                                                               \
            sdArray_Grow(allocator, array->data, sizeof(Type), &array->capacity, capacity);        \
        array->data = data != NULL ? (Type*)data : array->data;                                    \
        return data != NULL;                                                                       \
    }                                                                                              \
                                                                                                   \
    SD_MAYBE_UNUSED static inline bool Name##_Push(Name* array, const sdAllocator* allocator,      \
                                                   Type value) {                                   \
        if (!Name##_Reserve(array, allocator, (int64_t)array->count + 1)) {                        \
            return false;                                                                          \
        }                                                                                          \
        array->data[array->count++] = value;                                                       \
        return true;                                                                               \
    }                                                                                              \
                                                                                                   \
    /* new items are not set */                                                                    \
    SD_MAYBE_UNUSED static inline bool Name##_Resize(Name* array, const sdAllocator* allocator,    \
                                                     int64_t count) {                              \
        if (!Name##_Reserve(array, allocator, count)) {                                            \
            return false;                                                                          \
        }                                                                                          \
        array->count = (int)count;                                                                 \
        return true;                                                                               \
    }                                                                                              \
                                                                                                   \
    SD_MAYBE_UNUSED static inline void Name##_Free(Name* array, const sdAllocator* allocator) {    \
        sdFree(allocator, array->data, (size_t)array->capacity * sizeof(Type));                    \
        *array = (Name){0};                                                                        \
    }

SD_DEFINE_ARRAY(sdIntArray, int)

#endif
