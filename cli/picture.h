// SPDX-License-Identifier: MIT
// picture.h - pictures that a sub-command writes.

#ifndef SD_CLI_PICTURE_H
#define SD_CLI_PICTURE_H

#include "cli.h"

#include "render.h"

typedef struct CliPicture {
    int width, height;
    sdCamera camera;
    bool showContacts;
    sdRenderer* renderer; ///< NULL: none is wanted
} CliPicture;

/// Get ready to draw; says what is wrong.
CliExit CliPicture_Open(CliPicture* picture);
void CliPicture_Close(CliPicture* picture);

/// Draw the world into a file.
CliExit CliPicture_Write(CliPicture* picture, const sdWorld* world, const char* path);

/// DIR/frame_00042.png
CliExit CliPicture_WriteFrame(CliPicture* picture, const sdWorld* world, const char* folder,
                              int number);

/// Before hours of work: will it be possible to write this file? Says why not.
CliExit Cli_CheckWritable(const char* command, const char* path);
/// Make the folder unless it is there. Says why not.
CliExit Cli_MakeFolder(const char* command, const char* path);

#endif
