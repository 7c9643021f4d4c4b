// SPDX-License-Identifier: MIT
// glb_file.c - an animation on the disk.

#include "file.h"
#include "glb.h"

sdResult sdGlbWriter_Write(sdGlbWriter* w, const char* path) {
    sdOutFile file = {0};
    sdResult result = sdGlbWriter_Finish(w);
    if (result == SD_OK) {
        result = sdOutFile_Open(sdGlbWriter_GetContext(w), path, &file);
    }
    if (result == SD_OK) {
        size_t size;
        const void* bytes = sdGlbWriter_GetBytes(w, &size);
        sdOutFile_Write(&file, bytes, size);
        result = sdOutFile_Commit(&file);
        sdOutFile_Close(&file);
    }
    return result;
}
