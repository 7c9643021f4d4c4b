// SPDX-License-Identifier: MIT
// field.c - the life of an sdField: one block, counted references, what it says about itself.

#include "geometry/field.h"

#include <limits.h>

sdFieldDef sdFieldDef_Default(void) {
    return (sdFieldDef){
        .resolution = 64,
        .cellSize = 0.0f,
        .marginCells = 2,
        .sign = SD_FIELD_SIGN_AUTO,
        .layout = SD_FIELD_SPARSE,
    };
}

int64_t sdFieldGrid_CountBricks(const sdFieldGrid* grid) {
    int64_t count = 1;
    for (int axis = 0; axis < 3; ++axis) {
        count *= grid->cells[axis] >> SD_FIELD_BRICK_SHIFT;
    }
    return count;
}

sdResult sdField_Allocate(const sdContext* context, const char* function, const sdFieldGrid* grid,
                          sdFieldLayout layout, int brickCount, sdField** out) {
    *out = NULL;
    bool isSparse = layout == SD_FIELD_SPARSE;
    int shift = isSparse ? SD_FIELD_BRICK_SHIFT : 0;
    int64_t coarseCount = 1;
    for (int axis = 0; axis < 3; ++axis) {
        coarseCount *= (grid->cells[axis] >> shift) + 1;
    }
    if (coarseCount > INT_MAX || brickCount > SD_FIELD_MAX_BRICKS) {
        return sdFail(context, SD_ERROR_LIMIT,
                      "%s: %lld grid points and %d bricks are more than can be counted; use larger "
                      "cells",
                      function, (long long)coarseCount, brickCount);
    }
    sdBlockLayout block = {0};
    sdBlockLayout_Add(&block, 1, sizeof(sdField));
    size_t table = isSparse ? (size_t)sdFieldGrid_CountBricks(grid) : 0;
    size_t bricks = sdBlockLayout_Add(&block, table, sizeof(int32_t));
    // rows are read four bytes at a time, a little beyond their end
    size_t rowBytes = (size_t)brickCount * SD_FIELD_BRICK_BYTES + sizeof(int32_t);
    size_t coarseBytes = (size_t)coarseCount * sizeof(int16_t);
    size_t values = sdBlockLayout_Add(&block, 1, coarseBytes + (isSparse ? rowBytes : 0));
    char* memory = block.overflow ? NULL : sdAlloc(&context->allocator, block.size);
    if (memory == NULL) {
        return sdFailMemory(context, function, block.size);
    }
    sdField* field = (sdField*)memory;
    *field = (sdField){
        .context = *context,
        .byteCount = block.size,
        .grid = *grid,
        .inverseCellSize = 1.0f / grid->cellSize,
        .layout = layout,
        .spacingShift = shift,
        .coarseCells = {grid->cells[0] >> shift, grid->cells[1] >> shift, grid->cells[2] >> shift},
        .brickCount = brickCount,
        .coarseCount = (int)coarseCount,
        .coarse = (int16_t*)(void*)(memory + values),
        .rows = (uint8_t*)(memory + values + coarseBytes),
        .bricks = isSparse ? (int32_t*)(void*)(memory + bricks) : NULL,
    };
    sdRefCount_Init(&field->refCount);
    *out = field;
    return SD_OK;
}

void sdField_UnpackBrick(const sdField* field, int32_t entry, int16_t values[]) {
    const uint8_t* row =
        field->rows + (size_t)((entry >> SD_FIELD_BASE_BITS) - 1) * SD_FIELD_BRICK_BYTES;
    int base = sdField_GetBase(entry);
    for (int i = 0; i < SD_FIELD_BRICK_VALUES; row += SD_FIELD_ROW_BYTES) {
        uint64_t bits = 0;
        for (int k = SD_FIELD_ROW_BYTES - 1; k >= 0; --k) {
            bits = bits << 8 | row[k];
        }
        for (int x = 0; x < SD_FIELD_BRICK_SIDE; ++x, ++i, bits >>= SD_FIELD_VALUE_BITS) {
            int32_t top = (int32_t)((uint32_t)bits << (32 - SD_FIELD_VALUE_BITS));
            values[i] = (int16_t)(base + (top >> (32 - SD_FIELD_VALUE_BITS)));
        }
    }
}

void sdField_Retain(const sdField* field) {
    if (field != NULL) {
        // counting is the one thing that changes in an immutable object
        sdRefCount_Retain(&((sdField*)field)->refCount);
    }
}

void sdField_Release(const sdField* field) {
    if (field != NULL && sdRefCount_Release(&((sdField*)field)->refCount)) {
        sdContext context = field->context;
        sdFree(&context.allocator, (void*)field, field->byteCount);
    }
}

sdFieldInfo sdField_GetInfo(const sdField* field) {
    if (field == NULL) {
        return (sdFieldInfo){0};
    }
    const sdFieldGrid* grid = &field->grid;
    const int* cells = grid->cells;
    return (sdFieldInfo){
        .origin = grid->origin,
        .cellSize = grid->cellSize,
        .cells = {cells[0], cells[1], cells[2]},
        .sign = field->sign,
        .layout = field->layout,
        .brickCount = field->brickCount,
        .byteCount = field->byteCount,
        .bounds = {grid->origin, sdFieldGrid_Point(grid, cells[0], cells[1], cells[2])},
        .bandWidth = field->bandWidth,
    };
}
