// SPDX-License-Identifier: MIT
// outputs.h - what a run or a replay writes, all at once: pictures, video, animation, table,
// recording.
//
// Frames are taken at even times, --fps of them a second of the world, and once at its end. Every
// file appears under its name only when it is complete.

#ifndef SD_CLI_OUTPUTS_H
#define SD_CLI_OUTPUTS_H

#include "picture.h"

typedef struct CliOutputOptions {
    const char* png;
    const char* frames; ///< a folder
    double fps;         ///< 0: every step
    int width, height;
    double camera[6]; ///< eye, target; NaN: not given
    bool showContacts;
} CliOutputOptions;

CliOutputOptions CliOutputOptions_Default(void);

#define CLI_MAX_PIXELS 16384

/// Rows of a table of options.
#define CLI_OUTPUT_ROWS(o)                                                                         \
    {"--png", "FILE", "draw the end as a picture", CLI_TEXT, &(o)->png, 0, 0},                     \
        {"--frames", "DIR", "numbered pictures: DIR/frame_00000.png ...", CLI_TEXT, &(o)->frames,  \
         0,          0},                                                                           \
        {"--fps", "N", "frames a second of the world (60); 0: every step", CLI_NUMBER, &(o)->fps,  \
         0,       1e6},                                                                            \
        {"--width", "W", "pixels (1280)", CLI_INT, &(o)->width, 1, CLI_MAX_PIXELS},                \
        {"--height", "H", "pixels (720)", CLI_INT, &(o)->height, 1, CLI_MAX_PIXELS},               \
        {"--camera",                                                                               \
         "ex,ey,ez,tx,ty,tz",                                                                      \
         "where the eye is, and what it looks at, m",                                              \
         CLI_NUMBERS,                                                                              \
         (o)->camera,                                                                              \
         0,                                                                                        \
         6},                                                                                       \
    {                                                                                              \
        "--contacts", "", "draw contact points: new ones cyan, kept ones white", CLI_FLAG,         \
            &(o)->showContacts, 0, 0                                                               \
    }

/// Where to look from when no camera is given.
typedef struct CliLook {
    sdVec3 eye, target;
    bool isExact; ///< else from the same direction, so that all bodies are seen
} CliLook;

typedef struct CliOutputs {
    const char* command;
    CliOutputOptions options;
    CliPicture picture;
    int frameCount; ///< taken so far
    int frameLimit; ///< without the last
} CliOutputs;

/// Get ready; whatever can be known to fail fails here, with words.
CliExit CliOutputs_Open(CliOutputs* outputs, const char* command, const CliOutputOptions* options,
                        const sdWorld* world, const CliLook* look);
/// The world at a time; takes a frame when one is due.
CliExit CliOutputs_Look(CliOutputs* outputs, const sdWorld* world, double time);
/// The end: the last frame, and all files get their names.
CliExit CliOutputs_Finish(CliOutputs* outputs, const sdWorld* world);
/// What was written, a line each on `file`.
void CliOutputs_Print(const CliOutputs* outputs, FILE* file);
/// Files without their names yet go.
void CliOutputs_Close(CliOutputs* outputs);

#endif
