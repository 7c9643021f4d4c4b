// SPDX-License-Identifier: MIT
// record.h - a run in a file (.sdr): all shapes, and where every body was in every frame.
//
//     sdRecorder* recorder;
//     sdRecorder_Create(NULL, "pile.sdr", world, &info, &recorder);
//     ... sdRecorder_AddFrame(recorder, world, time) after each step
//     sdRecorder_Finish(recorder, sdWorld_GetHash(world));
//     sdRecorder_Destroy(recorder);
//
// Poses and velocities are exact. What does not change takes a bit a frame; the rest is told as the
// difference from what was to be expected from the two frames before, so a body that moves takes
// some 30 bytes instead of 64. Every so many frames begin anew, and an index at the end says where,
// so any frame is reached quickly. Everything has a checksum: a file that is cut or altered is
// refused.

#ifndef SD_OUTPUT_RECORD_H
#define SD_OUTPUT_RECORD_H

#include "sudar/world.h"

SD_BEGIN_C

#define SD_RECORD_VERSION 1

/// Texts are cut to this, bytes with the end.
#define SD_RECORD_TEXT_SIZE 128

typedef struct sdRecordInfo {
    char name[SD_RECORD_TEXT_SIZE];  ///< of the scene
    char title[SD_RECORD_TEXT_SIZE]; ///< the same in words
    double dt;                       ///< s, of the steps
    sdVec3 eye, target;              ///< where to look from
    bool isExactLook;                ///< false: only the direction counts
} sdRecordInfo;

// ---- writing -------------------------------------------------------------------------------

typedef struct sdRecorder sdRecorder;

/// Bodies, shapes and joints must neither come nor go from now on.
/// @param context hooks for memory and log; NULL for the default
sdResult sdRecorder_Create(const sdContext* context, const char* path, const sdWorld* world,
                           const sdRecordInfo* info, sdRecorder** out);
sdResult sdRecorder_AddFrame(sdRecorder* recorder, const sdWorld* world, double time);
/// The file gets its name.
/// @param hash of the world at the end, sdWorld_GetHash
sdResult sdRecorder_Finish(sdRecorder* recorder, uint64_t hash);
/// Without sdRecorder_Finish no file is left. NULL is allowed.
void sdRecorder_Destroy(sdRecorder* recorder);

// ---- reading -------------------------------------------------------------------------------

typedef struct sdRecording sdRecording;

/// All checksums are looked at.
/// @param bytes copied
/// @return SD_ERROR_BAD_FILE for what is no recording, cut short or altered, SD_ERROR_VERSION for
///         one of another version
sdResult sdRecording_Read(const sdContext* context, const void* bytes, size_t size,
                          sdRecording** out);
sdResult sdRecording_Load(const sdContext* context, const char* path, sdRecording** out);
void sdRecording_Destroy(sdRecording* recording);

sdRecordInfo sdRecording_GetInfo(const sdRecording* recording);
int sdRecording_GetBodyCount(const sdRecording* recording);
int sdRecording_GetFrameCount(const sdRecording* recording);
/// sdWorld_GetHash at the end of the run.
uint64_t sdRecording_GetHash(const sdRecording* recording);

/// A world with all bodies, shapes and joints of the recording, which is not to be stepped.
sdResult sdRecording_CreateWorld(const sdRecording* recording, const sdContext* context,
                                 sdWorld** out);

/// Put the bodies of that world where they were, with their velocities.
/// @param frame 0 .. count - 1; the next one is quickest
/// @param time receives that of the frame, s; may be NULL
sdResult sdRecording_Show(sdRecording* recording, int frame, sdWorld* world, double* time);

/// Go through all frames.
/// @return SD_ERROR_BAD_FILE when they are not those that were recorded
sdResult sdRecording_Check(sdRecording* recording);

SD_END_C

#endif
