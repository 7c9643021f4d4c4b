// SPDX-License-Identifier: MIT
// outputs.h - what a run or a replay writes, all at once: pictures, video, animation, table,
// recording.
//
// Frames are taken at even times, --fps of them a second of the world, and once at its end. Every
// file appears under its name only when it is complete.

#ifndef SD_CLI_OUTPUTS_H
#define SD_CLI_OUTPUTS_H

#include "picture.h"

#include "csv.h"
#include "glb.h"
#include "record.h"
#include "video.h"

typedef struct CliOutputOptions {
    const char* png;
    const char* frames; ///< a folder
    const char *video, *glb, *csv, *record;
    double fps; ///< 0: every step
    int width, height;
    double camera[6];  ///< eye, target; NaN: not given
    double turn, rise; ///< degrees, by which the eye goes around the target
    double zoom;
    const char* views; ///< names, separated by commas
} CliOutputOptions;

CliOutputOptions CliOutputOptions_Default(void);

#define CLI_MAX_PIXELS 16384

// clang-format off

/// Rows of a table of options: of pictures alone, and of all files.
#define CLI_PICTURE_ROWS(o) \
    {"--width", "W", "pixels (1280)", CLI_INT, &(o)->width, 1, CLI_MAX_PIXELS}, \
    {"--height", "H", "pixels (720)", CLI_INT, &(o)->height, 1, CLI_MAX_PIXELS}, \
    {"--camera", "ex,ey,ez,tx,ty,tz", "where the eye is, and what it looks at, m", \
     CLI_NUMBERS, (o)->camera, 0, 6}, \
    {"--turn", "DEGREES", "go around what is looked at", CLI_NUMBER, &(o)->turn, -360, 360}, \
    {"--rise", "DEGREES", "look from higher up, or lower", CLI_NUMBER, &(o)->rise, -180, 180}, \
    {"--zoom", "X", "from nearer by (1)", CLI_NUMBER, &(o)->zoom, 0.01, 100}, \
    {"--view", "NAMES", "what pictures show, by commas: 'sudar help views'", \
     CLI_TEXT, &(o)->views, 0, 0}

#define CLI_OUTPUT_ROWS(o) \
    {"--png", "FILE", "draw the end as a picture", CLI_TEXT, &(o)->png, 0, 0}, \
    {"--frames", "DIR", "numbered pictures: DIR/frame_00000.png ...", \
     CLI_TEXT, &(o)->frames, 0, 0}, \
    {"--video", "FILE", "a video: .mp4, .webm or .gif (needs ffmpeg)", \
     CLI_TEXT, &(o)->video, 0, 0}, \
    {"--glb", "FILE", "animated glTF, for Blender and browsers", CLI_TEXT, &(o)->glb, 0, 0}, \
    {"--csv", "FILE", "poses and velocities as a table", CLI_TEXT, &(o)->csv, 0, 0}, \
    {"--record", "FILE", "everything, for 'sudar replay' (.sdr)", \
     CLI_TEXT, &(o)->record, 0, 0}, \
    {"--fps", "N", "frames a second of the world (60); 0: every step", \
     CLI_NUMBER, &(o)->fps, 0, 1e6}, \
    CLI_PICTURE_ROWS(o)

// clang-format on

/// What is shown: what files say of themselves, and where to look from when no camera is given.
typedef sdRecordInfo CliShow;

typedef struct CliOutputs {
    const char* command;
    CliOutputOptions options;
    CliPicture picture;
    sdVideo* video;
    sdGlbWriter* glb;
    sdOutFile csv;
    sdRecorder* recorder;
    const CliShow* show;
    int filmCount;   ///< pictures in the video
    int frameCount;  ///< taken so far
    double lastTime; ///< of the last frame, s
} CliOutputs;

/// Where pictures are taken from.
CliExit CliOutputs_Aim(CliOutputs* outputs, const sdWorld* world, const CliShow* show);

/// Get ready; whatever can be known to fail fails here, with words.
/// @param show must outlive the outputs
CliExit CliOutputs_Open(CliOutputs* outputs, const char* command, const CliOutputOptions* options,
                        const sdWorld* world, const CliShow* show);
/// The world at a time; takes a frame when one is due.
CliExit CliOutputs_Look(CliOutputs* outputs, const sdWorld* world, double time);
/// The end: the last frame, and all files get their names.
/// @param hash of the run's end
CliExit CliOutputs_Finish(CliOutputs* outputs, const sdWorld* world, double time, uint64_t hash);
/// What was written, a line each on `file`.
void CliOutputs_Print(const CliOutputs* outputs, FILE* file);
/// Files without their names yet go.
void CliOutputs_Close(CliOutputs* outputs);

#endif
