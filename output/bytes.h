// SPDX-License-Identifier: MIT
// bytes.h - memory and growing bytes: what the files of this folder share.

#ifndef SD_OUTPUT_BYTES_H
#define SD_OUTPUT_BYTES_H

#include "support.h"

SD_BEGIN_C

// Words are those of render/support.h.

/// Zeroed; NULL when there is none.
void* sdOutput_Alloc(const sdContext* context, size_t size);
void sdOutput_Free(const sdContext* context, void* memory, size_t size);

/// Bytes that grow at their end.
typedef struct sdByteArray {
    uint8_t* data;
    size_t count, capacity;
    bool isBroken; ///< there was no memory: whatever was added since is not there
} sdByteArray;

void sdByteArray_Add(sdByteArray* array, const sdContext* context, const void* bytes, size_t size);
void sdByteArray_Free(sdByteArray* array, const sdContext* context);

SD_END_C

#endif
