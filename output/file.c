// SPDX-License-Identifier: MIT
// file.c - a file that appears under its name only when it is complete.
//
// Note: an old file of that name stays as it is until the rename, which replaces it in one go.

// open, fdopen, getpid, fsync
#define _POSIX_C_SOURCE 200809L

#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/// More is not taken into memory, bytes.
#define MAX_FILE_SIZE ((long)2000000000)

// ---- files ---------------------------------------------------------------------------------

static sdResult fail(sdOutFile* file) {
    file->isBroken = true;
    return sdRender_Fail(&file->context, SD_ERROR_IO, "cannot write %s: %s", file->path,
                         strerror(errno));
}

sdResult sdOutFile_Open(const sdContext* context, const char* path, sdOutFile* out) {
    *out = (sdOutFile){.context = sdRender_GetContext(context)};
    size_t length = strlen(path);
    out->size = 2 * length + 40;
    out->path = sdOutput_Alloc(&out->context, out->size);
    if (out->path == NULL) {
        return sdRender_Fail(&out->context, SD_ERROR_OUT_OF_MEMORY, "cannot write %s: no memory",
                             path);
    }
    memcpy(out->path, path, length);
    out->part = out->path + length + 1;
    snprintf(out->part, length + 32, "%s.%ld.part", path, (long)getpid());
    int handle = open(out->part, O_CREAT | O_EXCL | O_WRONLY, 0666);
    out->file = handle >= 0 ? fdopen(handle, "wb") : NULL;
    if (out->file == NULL) {
        sdResult result = fail(out);
        if (handle >= 0) {
            close(handle);
            unlink(out->part);
        }
        sdOutFile_Close(out);
        return result;
    }
    return SD_OK;
}

sdResult sdOutFile_Write(sdOutFile* file, const void* bytes, size_t size) {
    if (file->isBroken || file->file == NULL) {
        return SD_ERROR_IO;
    }
    return size == 0 || fwrite(bytes, 1, size, file->file) == size ? SD_OK : fail(file);
}

sdResult sdOutFile_Commit(sdOutFile* file) {
    if (file->isBroken || file->file == NULL) {
        return SD_ERROR_IO;
    }
    FILE* handle = file->file;
    file->file = NULL;
    // only now is it known that the disk took it all
    if (fclose(handle) != 0 || rename(file->part, file->path) != 0) {
        sdResult result = fail(file);
        unlink(file->part);
        return result;
    }
    return SD_OK;
}

void sdOutFile_Close(sdOutFile* file) {
    if (file->file != NULL) {
        fclose(file->file);
        unlink(file->part);
    }
    sdOutput_Free(&file->context, file->path, file->size);
    *file = (sdOutFile){0};
}

sdResult sdOutput_ReadFile(const sdContext* context, const char* path, uint8_t** bytes,
                           size_t* size) {
    sdContext ctx = sdRender_GetContext(context);
    *bytes = NULL;
    *size = 0;
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        return sdRender_Fail(&ctx, SD_ERROR_IO, "cannot read %s: %s", path, strerror(errno));
    }
    sdResult result = SD_OK;
    long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (length < 0 || length > MAX_FILE_SIZE || fseek(file, 0, SEEK_SET) != 0) {
        result =
            sdRender_Fail(&ctx, SD_ERROR_IO, "cannot read %s: not a file, or larger than %ld bytes",
                          path, MAX_FILE_SIZE);
    } else if ((*bytes = sdOutput_Alloc(&ctx, (size_t)length)) == NULL) {
        result = sdRender_Fail(&ctx, SD_ERROR_OUT_OF_MEMORY, "cannot read %s: no memory", path);
    } else if (fread(*bytes, 1, (size_t)length, file) != (size_t)length) {
        result = sdRender_Fail(&ctx, SD_ERROR_IO, "cannot read %s: %s", path, strerror(errno));
        sdOutput_Free(&ctx, *bytes, (size_t)length);
        *bytes = NULL;
    } else {
        *size = (size_t)length;
    }
    fclose(file);
    return result;
}
