// SPDX-License-Identifier: MIT
// field_file.c - fields to and from files.
//
// In:   a field and a path; or a path.
// Out:  a file that is either whole or not there; or a field.
// Note: what is behind a path may be anything (a folder, a pipe, endless), so its size is learnt by
//       reading, and reading stops where the header says that the field ends.

#include "geometry/field.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/// What is asked for first when a file is read, at least its header; doubled while there is more.
#define FIRST_READ ((size_t)65536)

/// Room for what a temporary name has more than the name that it stands for.
#define SUFFIX_ROOM 24

// ---- writing -------------------------------------------------------------------------------

static bool writeFile(const char* path, const void* data, size_t size) {
    FILE* file = fopen(path, "wb");
    if (file == NULL) {
        return false;
    }
    bool isWhole = fwrite(data, 1, size, file) == size;
    isWhole = fflush(file) == 0 && isWhole;
    int error = errno;
    isWhole = fclose(file) == 0 && isWhole;
    errno = isWhole || error == 0 ? errno : error;
    return isWhole;
}

static bool moveFile(const char* from, const char* to) {
#if defined(_WIN32)
    // rename does not replace there
    remove(to);
#endif
    return rename(from, to) == 0;
}

/// The temporary name ends in the checksum, so that two who write different fields at once do not
/// write into one file.
static sdResult saveBytes(const sdContext* context, const uint8_t* data, size_t size,
                          const char* path) {
    size_t room = strlen(path) + SUFFIX_ROOM;
    char* temporary = sdAlloc(&context->allocator, room);
    if (temporary == NULL) {
        return sdFailMemory(context, "sdField_Save", room);
    }
    uint64_t checksum;
    memcpy(&checksum, data + SD_FIELD_CHECKSUM_OFFSET, sizeof checksum);
    snprintf(temporary, room, "%s.%08x.tmp", path, (unsigned)(checksum & 0xFFFFFFFFu));
    sdResult result = SD_OK;
    errno = 0;
    if (!writeFile(temporary, data, size) || !moveFile(temporary, path)) {
        int error = errno;
        remove(temporary);
        result = sdFail(context, SD_ERROR_IO, "sdField_Save: cannot write \"%s\": %s", path,
                        error != 0 ? strerror(error) : "unknown reason");
    }
    sdFree(&context->allocator, temporary, room);
    return result;
}

sdResult sdField_Save(const sdContext* context, const sdField* field, const char* path) {
    sdContext own;
    sdResult result = sdContext_Resolve(context, &own);
    if (result != SD_OK) {
        return result;
    }
    if (field == NULL || path == NULL) {
        return sdFail(&own, SD_ERROR_INVALID_ARGUMENT,
                      "sdField_Save: field and path must not be NULL");
    }
    size_t size = 0;
    result = sdField_Write(field, NULL, &size);
    uint8_t* data = result == SD_OK ? sdAlloc(&own.allocator, size) : NULL;
    if (data == NULL) {
        return sdFailMemory(&own, "sdField_Save", size);
    }
    size_t written = size;
    result = sdField_Write(field, data, &written);
    result = result != SD_OK ? result : saveBytes(&own, data, size, path);
    sdFree(&own.allocator, data, size);
    return result;
}

// ---- reading -------------------------------------------------------------------------------

typedef struct byteBuffer {
    uint8_t* data;
    size_t size;
    size_t capacity;
} byteBuffer;

static bool growBuffer(const sdAllocator* allocator, byteBuffer* buffer) {
    size_t capacity = buffer->capacity == 0 ? FIRST_READ : 2 * buffer->capacity;
    uint8_t* data = capacity > buffer->capacity ? sdAlloc(allocator, capacity) : NULL;
    if (data == NULL) {
        return false;
    }
    if (buffer->data != NULL) {
        memcpy(data, buffer->data, buffer->size);
        sdFree(allocator, buffer->data, buffer->capacity);
    }
    *buffer = (byteBuffer){data, buffer->size, capacity};
    return true;
}

/// Read to the end of the file, but not beyond one byte more than the field claims to have.
static sdResult readFile(const sdContext* context, FILE* file, const char* path,
                         byteBuffer* buffer) {
    uint64_t claimed = 0;
    for (;;) {
        if (buffer->size == buffer->capacity && !growBuffer(&context->allocator, buffer)) {
            return sdFailMemory(context, "sdField_Load", buffer->capacity);
        }
        bool isFirst = buffer->size == 0;
        size_t wanted = buffer->capacity - buffer->size;
        size_t got = fread(buffer->data + buffer->size, 1, wanted, file);
        buffer->size += got;
        if (ferror(file) != 0) {
            return sdFail(context, SD_ERROR_IO, "sdField_Load: cannot read \"%s\": %s", path,
                          strerror(errno));
        }
        if (isFirst) {
            sdResult result =
                sdField_CheckStart(context, "sdField_Load", buffer->data, buffer->size, &claimed);
            if (result != SD_OK) {
                return result;
            }
        }
        if (got < wanted || buffer->size > claimed) {
            return SD_OK;
        }
    }
}

sdResult sdField_Load(const sdContext* context, const char* path, sdField** out) {
    sdContext own;
    if (out != NULL) {
        *out = NULL;
    }
    sdResult result = sdContext_Resolve(context, &own);
    if (result != SD_OK) {
        return result;
    }
    if (path == NULL || out == NULL) {
        return sdFail(&own, SD_ERROR_INVALID_ARGUMENT,
                      "sdField_Load: path and out must not be NULL");
    }
    errno = 0;
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        return sdFail(&own, SD_ERROR_IO, "sdField_Load: cannot open \"%s\": %s", path,
                      strerror(errno));
    }
    byteBuffer buffer = {0};
    result = readFile(&own, file, path, &buffer);
    fclose(file);
    if (result == SD_OK) {
        result = sdField_Read(&own, buffer.data, buffer.size, out);
    }
    sdFree(&own.allocator, buffer.data, buffer.capacity);
    return result;
}
