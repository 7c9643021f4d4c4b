// SPDX-License-Identifier: MIT
// file.h - a file that appears under its name only when it is complete.

#ifndef SD_OUTPUT_FILE_H
#define SD_OUTPUT_FILE_H

#include "bytes.h"

#include <stdio.h>

SD_BEGIN_C

/// Written beside its name, as NAME.PID.part, and renamed at the end.
typedef struct sdOutFile {
    sdContext context;
    FILE* file;
    char* path;    ///< as it will be called
    char* part;    ///< as it is called now
    size_t size;   ///< of both texts together
    bool isBroken; ///< a write failed, and that was said
} sdOutFile;

/// @param context hooks for memory and log; NULL for the default
/// @return SD_ERROR_IO when it cannot be made there (the log says why)
sdResult sdOutFile_Open(const sdContext* context, const char* path, sdOutFile* out);
/// After a failure further writes do nothing and fail, without words.
sdResult sdOutFile_Write(sdOutFile* file, const void* bytes, size_t size);
/// All is written: give the file its name.
/// @return SD_ERROR_IO when the disk did not take it all: nothing is left then
sdResult sdOutFile_Commit(sdOutFile* file);
/// Without sdOutFile_Commit, nothing is left. A cleared struct is allowed.
void sdOutFile_Close(sdOutFile* file);

/// The whole of a file.
/// @param bytes to be freed by sdOutput_Free with *size
sdResult sdOutput_ReadFile(const sdContext* context, const char* path, uint8_t** bytes,
                           size_t* size);

SD_END_C

#endif
