// SPDX-License-Identifier: MIT
// picture.h - pictures that a sub-command writes.

#ifndef SD_CLI_PICTURE_H
#define SD_CLI_PICTURE_H

#include "cli.h"

#include "render.h"

typedef struct CliPicture {
    int width, height;
    sdCamera camera;
    uint32_t views;       ///< of sdDrawView
    sdRenderer* renderer; ///< NULL: none is wanted
} CliPicture;

/// Get ready to draw; says what is wrong.
CliExit CliPicture_Open(CliPicture* picture);
void CliPicture_Close(CliPicture* picture);

/// Draw the world; the pixels are the renderer's until the next picture.
CliExit CliPicture_Draw(CliPicture* picture, const sdWorld* world);
/// The last picture to a file.
CliExit CliPicture_Write(const CliPicture* picture, const char* path);
/// The same to DIR/frame_00042.png
CliExit CliPicture_WriteFrame(const CliPicture* picture, const char* folder, int number);

/// The default context, with the library's reasons as the command's words.
sdContext Cli_GetContext(void);

/// "wireframe,contacts", or "+contacts" for what is usual and contacts. Says what is wrong.
/// @param names NULL for what is usual
CliExit Cli_ReadViews(const char* command, const char* names, uint32_t* out);
/// All of them with what they show, on stdout.
void Cli_PrintViews(void);

/// Before hours of work: will it be possible to write this file? Says why not.
CliExit Cli_CheckWritable(const char* command, const char* path);
/// Make the folder unless it is there. Says why not.
CliExit Cli_MakeFolder(const char* command, const char* path);

#endif
