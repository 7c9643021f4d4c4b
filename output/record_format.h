// SPDX-License-Identifier: MIT
// record_format.h - what writer and reader of recordings share: chunks, numbers, states.
//
// A file is a header, chunks and a tail; all numbers are little-endian.
//
//     header   "SDRECORD", version (4 bytes), 0 (4)
//     chunk    tag (4), size of the content (4), content, CRC-32 of all of these (4)
//     tail     where the chunk INDX begins (8), "SDREND\r\n"
//
//     HEAD     what was run
//     OBJS     hulls, meshes and compounds, those that others are made of first
//     BODY     bodies with their shapes
//     JNTS     joints
//     FRMS     up to SD_RECORD_GROUP frames, the first of which needs no other
//     INDX     where each FRMS begins, how many frames there are, hashes

#ifndef SD_OUTPUT_RECORD_FORMAT_H
#define SD_OUTPUT_RECORD_FORMAT_H

#include "record.h"

#include "file.h"

#include <string.h>

#define SD_RECORD_MAGIC "SDRECORD"
#define SD_RECORD_END "SDREND\r\n"
#define SD_RECORD_HEADER_SIZE 16
#define SD_RECORD_TAIL_SIZE 16

/// Frames that are told one from the other: a second or so.
#define SD_RECORD_GROUP 64

/// Numbers of a body's state: position; rotation, velocity, angular velocity.
#define SD_RECORD_DOUBLES 3
#define SD_RECORD_FLOATS 10

/// A body's state as bits. Read as whole numbers, the bits of floating-point numbers grow with
/// them, so what was to be expected from two of them in a row is a matter of whole numbers, without
/// error.
typedef struct sdRecordState {
    uint64_t d[SD_RECORD_DOUBLES];
    uint32_t f[SD_RECORD_FLOATS];
    bool isAwake;
} sdRecordState;

/// The last frame of all bodies and the one before.
typedef struct sdRecordHistory {
    sdRecordState *last, *before;
    int count;
} sdRecordHistory;

enum { SD_RECORD_CHANGED = 1, SD_RECORD_AWAKE = 2 };

uint32_t sdCrc32(uint32_t crc, const void* bytes, size_t size);
/// Continue a hash with the states of a frame.
uint64_t sdRecord_HashFrame(uint64_t hash, double time, const sdRecordState* states, int count);
#define SD_RECORD_HASH_START UINT64_C(14695981039346656037)

// ---- numbers out ---------------------------------------------------------------------------

static inline void sdPut(sdByteArray* a, const sdContext* c, uint64_t value, int size) {
    uint8_t bytes[8];
    for (int i = 0; i < size; ++i) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
    sdByteArray_Add(a, c, bytes, (size_t)size);
}

static inline void sdPutFloat(sdByteArray* a, const sdContext* c, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    sdPut(a, c, bits, 4);
}

static inline void sdPutDouble(sdByteArray* a, const sdContext* c, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    sdPut(a, c, bits, 8);
}

/// Small differences, either way, in few bytes: seven bits each.
static inline void sdPutDifference(sdByteArray* a, const sdContext* c, int64_t difference) {
    uint64_t v = ((uint64_t)difference << 1) ^ (difference < 0 ? ~UINT64_C(0) : 0);
    uint8_t bytes[10];
    int count = 0;
    while (v >= 128) {
        bytes[count++] = (uint8_t)(v | 128);
        v >>= 7;
    }
    bytes[count++] = (uint8_t)v;
    sdByteArray_Add(a, c, bytes, (size_t)count);
}

// ---- numbers in ----------------------------------------------------------------------------

/// Never reads beyond the end: what is not there is zero, and `isOk` says so.
typedef struct sdByteReader {
    const uint8_t* data;
    size_t size, at;
    bool isOk;
} sdByteReader;

static inline uint64_t sdGet(sdByteReader* r, int size) {
    uint64_t value = 0;
    if (!r->isOk || r->size - r->at < (size_t)size) {
        r->isOk = false;
        return 0;
    }
    for (int i = 0; i < size; ++i) {
        value |= (uint64_t)r->data[r->at++] << (8 * i);
    }
    return value;
}

static inline float sdGetFloat(sdByteReader* r) {
    uint32_t bits = (uint32_t)sdGet(r, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double sdGetDouble(sdByteReader* r) {
    uint64_t bits = sdGet(r, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline int64_t sdGetDifference(sdByteReader* r) {
    uint64_t v = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        uint64_t byte = sdGet(r, 1);
        v |= shift < 64 ? (byte & 127) << shift : 0;
        if (byte < 128) {
            return (int64_t)((v >> 1) ^ (~(v & 1) + 1));
        }
    }
    r->isOk = false;
    return 0;
}

/// A count of things of at least `least` bytes each that are still to come.
static inline int sdGetCount(sdByteReader* r, size_t least) {
    uint64_t count = sdGet(r, 4);
    if (!r->isOk || count > INT32_MAX || count > (r->size - r->at) / least) {
        r->isOk = false;
        return 0;
    }
    return (int)count;
}

#endif
