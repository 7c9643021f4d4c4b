// SPDX-License-Identifier: MIT
// glb.h - a run as an animated glTF file that Blender, browsers and engines open.
//
// One node a body, with tracks of its translation and rotation; bodies of the same shape share its
// triangles; colours are those of the renderer. Metres, y up, as glTF has them. Positions become
// floats, so worlds more than some kilometres from their origin lose their fine motion.

#ifndef SD_OUTPUT_GLB_H
#define SD_OUTPUT_GLB_H

#include "sudar/world.h"

SD_BEGIN_C

typedef struct sdGlbWriter sdGlbWriter;

/// Take the shapes of all bodies that are there, which are those of the file. In frames where one
/// of them is not there yet it stands where it will come, and where it was last when it is gone.
/// @param context hooks for memory and log; NULL for the default
/// @param title of the scene in the file
/// @return SD_ERROR_OUT_OF_MEMORY, SD_ERROR_LIMIT for more than a file can hold (4 GB)
sdResult sdGlbWriter_Create(const sdContext* context, const sdWorld* world, const char* title,
                            sdGlbWriter** out);
/// NULL is allowed.
void sdGlbWriter_Destroy(sdGlbWriter* writer);

/// Where all bodies are at a time, s, which must be greater than that of the frame before.
sdResult sdGlbWriter_AddFrame(sdGlbWriter* writer, const sdWorld* world, double time);

/// No more frames: make the file.
/// @return SD_ERROR_OUT_OF_MEMORY, SD_ERROR_LIMIT for more than a file can hold
sdResult sdGlbWriter_Finish(sdGlbWriter* writer);
/// Its bytes; finishes it. Borrowed until the writer is destroyed; NULL where that failed.
const void* sdGlbWriter_GetBytes(sdGlbWriter* writer, size_t* size);
const sdContext* sdGlbWriter_GetContext(const sdGlbWriter* writer);

/// The file appears under its name only when it is complete.
sdResult sdGlbWriter_Write(sdGlbWriter* writer, const char* path);

SD_END_C

#endif
