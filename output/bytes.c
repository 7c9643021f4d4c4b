// SPDX-License-Identifier: MIT
// bytes.c - memory and growing bytes.

#include "bytes.h"

#include <string.h>

void* sdOutput_Alloc(const sdContext* context, size_t size) {
    return sdRender_Alloc(&context->allocator, size > 0 ? size : 1);
}

void sdOutput_Free(const sdContext* context, void* memory, size_t size) {
    sdRender_Free(&context->allocator, memory, size > 0 ? size : 1);
}

void sdByteArray_Add(sdByteArray* array, const sdContext* context, const void* bytes, size_t size) {
    if (array->isBroken || size == 0) {
        return;
    }
    if (size > array->capacity - array->count) {
        size_t capacity = array->capacity + array->capacity / 2 + 256;
        capacity = capacity < array->count + size ? array->count + size : capacity;
        uint8_t* larger = sdOutput_Alloc(context, capacity);
        if (larger == NULL) {
            array->isBroken = true;
            return;
        }
        if (array->count > 0) {
            memcpy(larger, array->data, array->count);
        }
        sdOutput_Free(context, array->data, array->capacity);
        array->data = larger;
        array->capacity = capacity;
    }
    memcpy(array->data + array->count, bytes, size);
    array->count += size;
}

void sdByteArray_Free(sdByteArray* array, const sdContext* context) {
    sdOutput_Free(context, array->data, array->capacity);
    *array = (sdByteArray){0};
}
