// SPDX-License-Identifier: MIT
// png_file.h - pixels to a PNG file.

#ifndef SD_RENDER_PNG_FILE_H
#define SD_RENDER_PNG_FILE_H

#include "sudar/base.h"

/// The file appears under its name only when it is complete.
/// @param pixels four bytes each, rows from top to bottom; the fourth byte is left out
/// @return SD_ERROR_IO when it cannot be written, with the reason in the log
sdResult sdWritePng(const sdContext* context, const char* path, const uint8_t* pixels, int width,
                    int height);

#endif
