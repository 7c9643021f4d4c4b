// SPDX-License-Identifier: MIT
// picture.c - pictures that a sub-command writes.

// access, mkdir, stat
#define _POSIX_C_SOURCE 200809L

#include "picture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Longest path, bytes.
#define MAX_PATH_SIZE 4096

/// The library's reason becomes the command's.
static void say(void* user, sdLogLevel level, const char* text) {
    (void)user;
    if (level == SD_LOG_ERROR) {
        Cli_Fail(CLI_FAILED, NULL, "%s", text);
    }
}

sdContext Cli_GetContext(void) {
    sdContext context = sdContext_Default();
    context.logger.log = say;
    return context;
}

CliExit CliPicture_Open(CliPicture* picture) {
    sdContext context = Cli_GetContext();
    return sdRenderer_Create(&context, picture->width, picture->height, &picture->renderer) == SD_OK
               ? CLI_OK
               : CLI_FAILED;
}

void CliPicture_Close(CliPicture* picture) {
    sdRenderer_Destroy(picture->renderer);
    picture->renderer = NULL;
}

CliExit CliPicture_Draw(CliPicture* picture, const sdWorld* world) {
    sdDrawOptions options = sdDrawOptions_Default();
    options.showContacts = picture->showContacts;
    return sdRenderer_Draw(picture->renderer, world, &picture->camera, &options) == SD_OK
               ? CLI_OK
               : CLI_FAILED;
}

CliExit CliPicture_Write(const CliPicture* picture, const char* path) {
    return sdRenderer_WritePng(picture->renderer, path) == SD_OK ? CLI_OK : CLI_FAILED;
}

CliExit CliPicture_WriteFrame(const CliPicture* picture, const char* folder, int number) {
    char path[MAX_PATH_SIZE];
    int length = snprintf(path, sizeof path, "%s/frame_%05d.png", folder, number);
    if (length < 0 || length >= (int)sizeof path) {
        return Cli_Fail(CLI_FAILED, NULL, "the name of the folder '%s' is too long", folder);
    }
    return CliPicture_Write(picture, path);
}

CliExit Cli_CheckWritable(const char* command, const char* path) {
    char folder[MAX_PATH_SIZE];
    struct stat info;
    if (strlen(path) == 0 || strlen(path) >= sizeof folder) {
        return Cli_Fail(CLI_FAILED, command, "cannot write '%s': not the name of a file", path);
    }
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return Cli_Fail(CLI_FAILED, command, "cannot write %s: it is a folder", path);
    }
    strcpy(folder, path);
    char* slash = strrchr(folder, '/');
    if (slash == NULL) {
        strcpy(folder, ".");
    } else {
        // the root keeps its slash
        slash[slash == folder ? 1 : 0] = '\0';
    }
    if (access(folder, W_OK) != 0) {
        return Cli_Fail(CLI_FAILED, command, "cannot write %s: %s: %s", path, folder,
                        strerror(errno));
    }
    return CLI_OK;
}

CliExit Cli_MakeFolder(const char* command, const char* path) {
    struct stat info;
    bool isThere = stat(path, &info) == 0;
    if (isThere && !S_ISDIR(info.st_mode)) {
        return Cli_Fail(CLI_FAILED, command, "%s is not a folder", path);
    }
    if (!isThere && mkdir(path, 0777) != 0) {
        return Cli_Fail(CLI_FAILED, command, "cannot make the folder %s: %s", path,
                        strerror(errno));
    }
    return CLI_OK;
}
