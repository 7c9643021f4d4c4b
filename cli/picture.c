// SPDX-License-Identifier: MIT
// picture.c - pictures that a sub-command writes.

// access, mkdir, stat
#define _POSIX_C_SOURCE 200809L

#include "picture.h"

#include "scenefile.h"

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
    options.views = picture->views;
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

// ---- views ---------------------------------------------------------------------------------

static const char* getViewName(const void* user, int i) {
    (void)user;
    return sdDrawView_Name(i);
}

static CliExit failView(const char* command, const char* name) {
    const char* nearest = sdNearestWord(name, getViewName, NULL);
    return nearest != NULL
               ? Cli_Fail(CLI_USAGE, command, "--view: there is no '%s'; did you mean '%s'?", name,
                          nearest)
               : Cli_Fail(CLI_USAGE, command,
                          "--view: there is no '%s'; 'sudar help views' lists them", name);
}

CliExit Cli_ReadViews(const char* command, const char* names, uint32_t* out) {
    *out = sdDrawOptions_Default().views;
    if (names == NULL) {
        return CLI_OK;
    }
    if (names[0] == '+') {
        ++names;
    } else {
        *out = 0;
    }
    while (true) {
        char name[32];
        size_t length = strcspn(names, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), names);
        int i = 0;
        while (sdDrawView_Name(i) != NULL && strcmp(sdDrawView_Name(i), name) != 0) {
            ++i;
        }
        if (sdDrawView_Name(i) == NULL) {
            return failView(command, name);
        }
        *out |= 1u << i;
        if (names[length] == '\0') {
            return CLI_OK;
        }
        names += length + 1;
    }
}

void Cli_PrintViews(void) {
    static const char* const texts[SD_VIEW_COUNT] = {
        "bodies as they are (usual)",
        "of solids (usual)",
        "solids that sleep are paler (usual)",
        "solids in the colours of their islands: what touches or is joined",
        "edges of all shapes",
        "points with which meshes touch others; corners of hulls and boxes",
        "a slice through distance fields: inside green, outside red",
        "world boxes of all shapes that move",
        "the same as the broad phase has them: with margins, ahead of motion",
        "smallest balls around shapes",
        "oriented boxes",
        "14-DOPs",
        "convex hulls",
        "cells or nodes of the broad phase, from blue at the root to red",
        "contact points on top, new ones cyan, kept ones white; normals yellow",
        "anchors, arms and axes of joints",
        "centres of mass with principal axes",
        "solids in the colours of their levels of the contact graph, blue to red",
    };
    printf("What pictures show, for --view NAMES, separated by commas; with a + before them, "
           "besides the usual:\n\n");
    for (int i = 0; i < SD_VIEW_COUNT; ++i) {
        printf("  %-12s%s\n", sdDrawView_Name(i), texts[i]);
    }
}

// ---- files ---------------------------------------------------------------------------------

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
