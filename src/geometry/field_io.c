// SPDX-License-Identifier: MIT
// field_io.c - fields as bytes and files.
//
// In:   a field; or bytes from anywhere, which may be cut short, altered or made to do harm.
// Out:  bytes that are the same on every target; or a field, or a reason.
// Note: layout, all numbers little-endian:
//           0  magic "sdField\n"            8 bytes
//           8  version                      u32
//          12  layout                       u32
//          16  size of the whole            u64
//          24  hash of all bytes after it   u64
//          32  sign rule                    u32
//          36  cells                        3 u32
//          48  number of bricks             u32
//          52  origin                       3 f32
//          64  cell size                    f32
//          68  inset                        3 f32
//          80  band width                   f32
//          84  coarse scale, brick scale    2 f32
//          92  zero                         u32
//          96  coarse grid                  i16 each
//           .  rows of the bricks           175 bytes each, as field.h describes
//           .  bases of the bricks          i8 each
//           .  one bit for each coarse cell, lowest first: whether it has a brick; sparse only
//       The place of a brick follows from how many come before it, so no offset is read from a
//       file. Sizes follow from the cells and the number of bricks and must match what there is
//       before memory is asked for, which is never more than a few times the size of the data.

#include "geometry/field.h"

#include <string.h>

#define MAGIC "sdField\n"
#define VERSION 1
#define HEADER_SIZE ((size_t)96)
#define HASH_START (SD_FIELD_CHECKSUM_OFFSET + 8)

// ---- bytes ---------------------------------------------------------------------------------

static void putU16(uint8_t* p, uint32_t v) {
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

static void putU32(uint8_t* p, uint32_t v) {
    putU16(p, v);
    putU16(p + 2, v >> 16);
}

static void putU64(uint8_t* p, uint64_t v) {
    putU32(p, (uint32_t)v);
    putU32(p + 4, (uint32_t)(v >> 32));
}

static void putF32(uint8_t* p, float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    putU32(p, bits);
}

static uint32_t getU32(const uint8_t* p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t getU64(const uint8_t* p) {
    return getU32(p) | (uint64_t)getU32(p + 4) << 32;
}

static float getF32(const uint8_t* p) {
    uint32_t bits = getU32(p);
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/// FNV-1a over words of eight bytes. Every step is one to one, so a change within one word is
/// always noticed, and others with a chance of 2^-64 of being missed.
static uint64_t hashBytes(const uint8_t* p, size_t size) {
    uint64_t hash = 14695981039346656037ull ^ size;
    for (; size >= 8; size -= 8, p += 8) {
        hash = (hash ^ getU64(p)) * 1099511628211ull;
        hash ^= hash >> 29;
    }
    for (; size > 0; --size, ++p) {
        hash = (hash ^ *p) * 1099511628211ull;
    }
    return hash ^ hash >> 32;
}

uint64_t sdField_FindChecksum(const uint8_t* p, size_t size) {
    return hashBytes(p + HASH_START, size - HASH_START);
}

// ---- header --------------------------------------------------------------------------------

typedef struct header {
    sdFieldGrid grid;
    sdFieldLayout layout;
    sdFieldSign sign;
    int brickCount;
    float bandWidth, coarseScale, brickScale;
} header;

/// Bytes of a field with these cells and bricks, header included.
static uint64_t countBytes(const sdFieldGrid* grid, sdFieldLayout layout, int brickCount) {
    bool isSparse = layout == SD_FIELD_SPARSE;
    int shift = isSparse ? SD_FIELD_BRICK_SHIFT : 0;
    uint64_t bricks = (uint64_t)brickCount * (SD_FIELD_BRICK_BYTES + 1), coarse = 1;
    for (int axis = 0; axis < 3; ++axis) {
        coarse *= (uint64_t)(grid->cells[axis] >> shift) + 1;
    }
    uint64_t bits = isSparse ? (uint64_t)sdFieldGrid_CountBricks(grid) : 0;
    return HEADER_SIZE + coarse * sizeof(int16_t) + bricks + (bits + 7) / 8;
}

static void putHeader(const sdField* field, uint64_t size, uint8_t* p) {
    const sdFieldGrid* grid = &field->grid;
    memcpy(p, MAGIC, 8);
    putU32(p + 8, VERSION);
    putU32(p + 12, (uint32_t)field->layout);
    putU64(p + 16, size);
    putU32(p + 32, (uint32_t)field->sign);
    for (int axis = 0; axis < 3; ++axis) {
        putU32(p + 36 + 4 * axis, (uint32_t)grid->cells[axis]);
        putF32(p + 52 + 4 * axis, sdVec3_Get(grid->origin, axis));
        putF32(p + 68 + 4 * axis, sdVec3_Get(grid->inset, axis));
    }
    putU32(p + 48, (uint32_t)field->brickCount);
    putF32(p + 64, grid->cellSize);
    putF32(p + 80, field->bandWidth);
    putF32(p + 84, field->coarseScale);
    putF32(p + 88, field->brickScale);
    putU32(p + 92, 0);
}

sdResult sdField_CheckStart(const sdContext* context, const char* function, const uint8_t* p,
                            size_t size, uint64_t* claimed) {
    if (size < HEADER_SIZE || memcmp(p, MAGIC, 8) != 0) {
        return sdFail(context, SD_ERROR_BAD_FILE, "%s: not a distance field: %s", function,
                      size < HEADER_SIZE ? "shorter than its header" : "wrong first bytes");
    }
    uint32_t version = getU32(p + 8);
    if (version != VERSION) {
        return sdFail(context, SD_ERROR_VERSION,
                      "%s: the field has version %u, but this library reads %d; build it again",
                      function, (unsigned)version, VERSION);
    }
    *claimed = getU64(p + 16);
    return SD_OK;
}

static bool isPositive(float a) {
    return sdIsFinite(a) && a > 0.0f;
}

/// Numbers that a field can have; whatever else the values are, sampling stays finite and inside
/// of the arrays.
static const char* findFault(const header* h, const uint8_t* p) {
    const sdFieldGrid* grid = &h->grid;
    for (int axis = 0; axis < 3; ++axis) {
        int cells = grid->cells[axis];
        if (cells < SD_FIELD_BRICK_CELLS || cells > SD_FIELD_MAX_CELLS ||
            cells % SD_FIELD_BRICK_CELLS != 0) {
            return "a number of cells that no field has";
        }
    }
    if (getU32(p + 12) > SD_FIELD_DENSE || getU32(p + 32) > SD_FIELD_SIGN_WINDING ||
        h->sign == SD_FIELD_SIGN_AUTO || getU32(p + 92) != 0) {
        return "an unknown layout or sign rule";
    }
    if (h->brickCount < 0 || h->brickCount > sdFieldGrid_CountBricks(grid) ||
        (h->layout == SD_FIELD_DENSE && h->brickCount != 0)) {
        return "more bricks than cells";
    }
    bool isSane = sdVec3_IsFinite(grid->origin) && isPositive(grid->inset.x) &&
                  isPositive(grid->inset.y) && isPositive(grid->inset.z) &&
                  grid->cellSize >= SD_FIELD_MIN_CELL_SIZE &&
                  grid->cellSize <= SD_FIELD_MAX_CELL_SIZE && isPositive(h->bandWidth) &&
                  isPositive(h->coarseScale) && isPositive(h->brickScale);
    // distances and insets of fields are no larger than their grids
    float largest = 2.0f * SD_FIELD_MAX_CELLS * grid->cellSize;
    isSane = isSane && h->coarseScale * SD_FIELD_MAX_VALUE <= largest &&
             h->brickScale * SD_FIELD_MAX_VALUE <= largest && h->bandWidth <= largest &&
             grid->inset.x <= largest && grid->inset.y <= largest && grid->inset.z <= largest;
    return isSane ? NULL : "lengths that no field has";
}

static sdResult getHeader(const sdContext* context, const uint8_t* p, size_t size, header* out) {
    uint64_t claimed;
    sdResult result = sdField_CheckStart(context, "sdField_Read", p, size, &claimed);
    if (result != SD_OK) {
        return result;
    }
    if (claimed != size) {
        return sdFail(context, SD_ERROR_BAD_FILE,
                      "sdField_Read: the field should have %llu bytes, but there are %zu",
                      (unsigned long long)claimed, size);
    }
    if (getU64(p + SD_FIELD_CHECKSUM_OFFSET) != sdField_FindChecksum(p, size)) {
        return sdFail(context, SD_ERROR_BAD_FILE,
                      "sdField_Read: the checksum is wrong; the data have been altered");
    }
    *out = (header){
        .grid = {.origin = sdV3(getF32(p + 52), getF32(p + 56), getF32(p + 60)),
                 .cellSize = getF32(p + 64),
                 .cells = {(int)getU32(p + 36), (int)getU32(p + 40), (int)getU32(p + 44)},
                 .inset = sdV3(getF32(p + 68), getF32(p + 72), getF32(p + 76))},
        .layout = (sdFieldLayout)getU32(p + 12),
        .sign = (sdFieldSign)getU32(p + 32),
        .brickCount = (int)getU32(p + 48),
        .bandWidth = getF32(p + 80),
        .coarseScale = getF32(p + 84),
        .brickScale = getF32(p + 88),
    };
    const char* fault = findFault(out, p);
    if (fault == NULL && countBytes(&out->grid, out->layout, out->brickCount) != size) {
        fault = "another size than its cells and bricks need";
    }
    return fault == NULL
               ? SD_OK
               : sdFail(context, SD_ERROR_BAD_FILE, "sdField_Read: the field has %s", fault);
}

// ---- bytes to fields and back --------------------------------------------------------------

/// Bases and bits, which are the table of bricks in a file.
static void putBricks(const sdField* field, uint8_t* p) {
    uint8_t* bits = p + field->brickCount;
    int64_t count = sdFieldGrid_CountBricks(&field->grid);
    memset(bits, 0, (size_t)(count + 7) / 8);
    for (int64_t i = 0; i < count; ++i) {
        int32_t entry = field->bricks[i];
        if (entry != 0) {
            p[(entry >> SD_FIELD_BASE_BITS) - 1] = (uint8_t)entry;
            bits[i / 8] = (uint8_t)(bits[i / 8] | 1u << (i % 8));
        }
    }
}

sdResult sdField_Write(const sdField* field, void* data, size_t* size) {
    if (field == NULL || size == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    uint64_t needed = countBytes(&field->grid, field->layout, field->brickCount);
    size_t room = *size;
    *size = (size_t)needed;
    if (data == NULL) {
        return SD_OK;
    }
    if (room < needed) {
        return sdFail(&field->context, SD_ERROR_LIMIT,
                      "sdField_Write: room for %zu bytes, but %llu are needed", room,
                      (unsigned long long)needed);
    }
    uint8_t* start = data;
    putHeader(field, needed, start);
    uint8_t* p = start + HEADER_SIZE;
    for (int i = 0; i < field->coarseCount; ++i, p += 2) {
        putU16(p, (uint32_t)(uint16_t)field->coarse[i]);
    }
    if (field->bricks != NULL) {
        size_t rowBytes = (size_t)field->brickCount * SD_FIELD_BRICK_BYTES;
        memcpy(p, field->rows, rowBytes);
        putBricks(field, p + rowBytes);
    }
    putU64(start + SD_FIELD_CHECKSUM_OFFSET, sdField_FindChecksum(start, (size_t)needed));
    return SD_OK;
}

/// Entries of the bricks: places counted from the bits that say which there are.
/// @return false when there are not as many as the header says
static bool getBricks(sdField* field, const uint8_t* p) {
    const uint8_t* bits = p + field->brickCount;
    int32_t* bricks = (int32_t*)field->bricks;
    int64_t total = sdFieldGrid_CountBricks(&field->grid);
    int count = 0;
    for (int64_t i = 0; i < total; ++i) {
        bool isStored = (bits[i / 8] >> (i % 8) & 1) != 0;
        if (isStored && count == field->brickCount) {
            return false;
        }
        bricks[i] = isStored ? (count + 1) << SD_FIELD_BASE_BITS | p[count] : 0;
        count += isStored ? 1 : 0;
    }
    // nor are there bits of bricks beyond the last
    bool isOver = total % 8 != 0 && bits[total / 8] >> (total % 8) != 0;
    return count == field->brickCount && !isOver;
}

static sdResult readBytes(const sdContext* context, const uint8_t* data, size_t size,
                          sdField** out) {
    header h;
    sdResult result = getHeader(context, data, size, &h);
    if (result == SD_OK) {
        result = sdField_Allocate(context, "sdField_Read", &h.grid, h.layout, h.brickCount, out);
    }
    if (result != SD_OK) {
        return result;
    }
    sdField* field = *out;
    field->sign = h.sign;
    field->bandWidth = h.bandWidth;
    field->coarseScale = h.coarseScale;
    field->brickScale = h.brickScale;
    const uint8_t* p = data + HEADER_SIZE;
    int16_t* coarse = (int16_t*)field->coarse;
    for (int i = 0; i < field->coarseCount; ++i, p += 2) {
        coarse[i] = (int16_t)(uint16_t)(p[0] | p[1] << 8);
    }
    size_t rowBytes = (size_t)field->brickCount * SD_FIELD_BRICK_BYTES;
    if (field->bricks != NULL) {
        memcpy((uint8_t*)field->rows, p, rowBytes);
    }
    if (field->bricks != NULL && !getBricks(field, p + rowBytes)) {
        sdField_Release(field);
        *out = NULL;
        return sdFail(context, SD_ERROR_BAD_FILE,
                      "sdField_Read: the field marks another number of bricks than it has");
    }
    return SD_OK;
}

sdResult sdField_Read(const sdContext* context, const void* data, size_t size, sdField** out) {
    sdContext own;
    if (out != NULL) {
        *out = NULL;
    }
    sdResult result = sdContext_Resolve(context, &own);
    if (result != SD_OK) {
        return result;
    }
    if (data == NULL || out == NULL) {
        return sdFail(&own, SD_ERROR_INVALID_ARGUMENT,
                      "sdField_Read: data and out must not be NULL");
    }
    return readBytes(&own, data, size, out);
}
