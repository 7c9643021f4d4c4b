// SPDX-License-Identifier: MIT
// record_read.h - a recording while it is read.

#ifndef SD_OUTPUT_RECORD_READ_H
#define SD_OUTPUT_RECORD_READ_H

#include "record_format.h"

typedef struct sdRecordGroup {
    size_t offset;
    int firstFrame;
} sdRecordGroup;

enum {
    SD_RECORD_PART_HEAD,
    SD_RECORD_PART_OBJECTS,
    SD_RECORD_PART_BODIES,
    SD_RECORD_PART_JOINTS,
    SD_RECORD_PART_COUNT
};

struct sdRecording {
    sdContext context;
    uint8_t* bytes;
    size_t size;
    sdRecordInfo info;
    sdByteReader parts[SD_RECORD_PART_COUNT]; ///< bodies: after their number
    sdRecordGroup* groups;
    int groupCount, frameCount, bodyCount;
    uint64_t worldHash, frameHash;

    // the present frame
    int frame; ///< -1: none
    double time;
    sdByteReader frames; ///< the rest of its group
    sdRecordState* states;
    sdRecordHistory history;
    bool* isSet;
};

/// Make a frame the present one.
sdResult sdRecording_Seek(sdRecording* recording, int frame);

#endif
