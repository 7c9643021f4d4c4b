// SPDX-License-Identifier: MIT
// video.h - pictures to a video file, through the program ffmpeg.

#ifndef SD_OUTPUT_VIDEO_H
#define SD_OUTPUT_VIDEO_H

#include "sudar/base.h"

SD_BEGIN_C

typedef struct sdVideo sdVideo;

typedef struct sdVideoDef {
    int width, height; ///< pixels; an odd row or column is cut off where the format wants even ones
    double fps;        ///< pictures a second
} sdVideoDef;

/// Whether a file of that name can be a video: .mp4, .webm, .gif.
bool sdVideo_IsName(const char* path);

/// Start ffmpeg.
/// @param context hooks for memory and log; NULL for the default
/// @return SD_ERROR_IO when there is no ffmpeg (the log says how to get it) or the name is none of
///         a video
sdResult sdVideo_Create(const sdContext* context, const char* path, const sdVideoDef* def,
                        sdVideo** out);
/// @param pixels four bytes each (red, green, blue, any), rows from top to bottom
sdResult sdVideo_AddPicture(sdVideo* video, const uint8_t* pixels);
/// Wait for ffmpeg; the file gets its name.
sdResult sdVideo_Finish(sdVideo* video);
/// Without sdVideo_Finish, no file is left. NULL is allowed.
void sdVideo_Destroy(sdVideo* video);

SD_END_C

#endif
