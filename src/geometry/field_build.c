// SPDX-License-Identifier: MIT
// field_build.c - a field from any source of distances: coarse grid, then bricks near the surface.
//
// In:   grid, layout, and a function that gives distances at points.
// Out:  one block. Same bits for any number of workers: every value depends on its point alone.
// Note: points on the faces between two bricks are computed once and copied.

#include "geometry/field.h"

#include <string.h>

#define CELLS SD_FIELD_BRICK_CELLS
#define SIDE SD_FIELD_BRICK_SIDE
#define VALUES SD_FIELD_BRICK_VALUES

/// Half the diagonal of a brick, in cells.
#define BRICK_RADIUS (0.8660254f * CELLS)

/// Longest way from two opposite corners of a brick to a third point of it, together, in cells:
/// one side and the diagonal of a face.
#define BRICK_DETOUR (2.4142136f * CELLS)

/// A coarse cell may become a brick when the surface is within this many cells of it.
#define BAND_CELLS 0.75f

/// ... and does when the coarse grid is off at one of its points by more than a cell divided by the
/// number of cells along the longest side, which keeps the error of second order like that of
/// trilinear interpolation. So flat sides need bricks only along their edges. In cells that the
/// surface does not cross, this part of the distance is allowed as well.
#define COARSE_RELATIVE_ERROR 0.125f

/// Largest magnitude of 11 bits.
#define MAX_PACKED ((1 << (SD_FIELD_VALUE_BITS - 1)) - 1)

/// Rows, bricks that one task takes at least.
#define GRAIN 8

typedef struct builder {
    sdContext context;
    const sdFieldGrid* grid;
    const sdFieldSource* source;
    int bricks[3];     ///< coarse cells along each axis
    int brickTotal;    ///< coarse cells
    int coarseTotal;   ///< coarse points
    float* coarse;     ///< distances at coarse points
    float coarseScale; ///< of the field
    float brickScale;
    float tolerance; ///< error of the coarse grid at the surface that needs no brick, in cells
    int32_t* near;   ///< coarse cells that may become bricks, ascending
    int nearCount;
    float* centers;  ///< distances at the middle of those cells
    int32_t* slots;  ///< coarse cell to its place in `near`, or SD_NULL_INDEX
    int16_t* values; ///< VALUES of each of those cells
    bool* isKept;    ///< which of them become bricks
    sdField* field;
} builder;

static int16_t quantize(float distance, float inverseScale) {
    float v = distance * inverseScale;
    v = v < 0.0f ? v - 0.5f : v + 0.5f;
    return (int16_t)sdClampF(v, -(float)SD_FIELD_MAX_VALUE, (float)SD_FIELD_MAX_VALUE);
}

static int coarseIndex(const builder* b, int x, int y, int z) {
    return (z * (b->bricks[1] + 1) + y) * (b->bricks[0] + 1) + x;
}

static int brickIndex(const builder* b, int x, int y, int z) {
    return (z * b->bricks[1] + y) * b->bricks[0] + x;
}

static void brickPlace(const builder* b, int brick, int place[3]) {
    place[0] = brick % b->bricks[0];
    place[1] = brick / b->bricks[0] % b->bricks[1];
    place[2] = brick / b->bricks[0] / b->bricks[1];
}

// ---- coarse grid ---------------------------------------------------------------------------

/// Points that are evaluated in one call.
#define BATCH 64

/// Distances at grid points (step i, y, z), i = 0 .. count - 1.
static void evaluateRow(const builder* b, int step, int count, int y, int z, float* out) {
    sdVec3 points[BATCH];
    for (int start = 0; start < count; start += BATCH) {
        int batchCount = sdMinI(BATCH, count - start);
        for (int i = 0; i < batchCount; ++i) {
            points[i] = sdFieldGrid_Point(b->grid, (start + i) * step, y, z);
        }
        b->source->evaluate(b->source->arg, points, batchCount, out + start);
    }
}

static void coarseTask(void* arg, int begin, int end, int worker) {
    (void)worker;
    const builder* b = arg;
    for (int row = begin; row < end; ++row) {
        int y = row % (b->bricks[1] + 1), z = row / (b->bricks[1] + 1);
        evaluateRow(b, CELLS, b->bricks[0] + 1, y * CELLS, z * CELLS,
                    b->coarse + coarseIndex(b, 0, y, z));
    }
}

static void evaluateCoarse(builder* b) {
    const sdTaskSystem* tasks = &b->context.tasks;
    tasks->parallelFor(tasks->user, coarseTask, b, (b->bricks[1] + 1) * (b->bricks[2] + 1), GRAIN);
}

static float largestCoarse(const builder* b) {
    float largest = 0.0f;
    for (int i = 0; i < b->coarseTotal; ++i) {
        largest = sdMaxF(largest, sdAbsF(b->coarse[i]));
    }
    return largest;
}

// ---- which coarse cells become bricks ------------------------------------------------------

/// Whether the distances at the corners leave room for a surface in the band.
static bool mayHoldSurface(const builder* b, int x, int y, int z, float limit) {
    for (int i = 0; i < 4; ++i) {
        int ix = i & 1, iy = i >> 1;
        float near = b->coarse[coarseIndex(b, x + ix, y + iy, z)];
        float far = b->coarse[coarseIndex(b, x + 1 - ix, y + 1 - iy, z + 1)];
        if (sdAbsF(near) + sdAbsF(far) > limit) {
            return false;
        }
    }
    return true;
}

static void listPossible(builder* b) {
    float limit = (BRICK_DETOUR + 2.0f * BAND_CELLS) * b->grid->cellSize;
    b->nearCount = 0;
    for (int z = 0; z < b->bricks[2]; ++z) {
        for (int y = 0; y < b->bricks[1]; ++y) {
            for (int x = 0; x < b->bricks[0]; ++x) {
                if (mayHoldSurface(b, x, y, z, limit)) {
                    b->near[b->nearCount++] = brickIndex(b, x, y, z);
                }
            }
        }
    }
}

static void centerTask(void* arg, int begin, int end, int worker) {
    (void)worker;
    const builder* b = arg;
    sdVec3 points[BATCH];
    for (int start = begin; start < end; start += BATCH) {
        int batchCount = sdMinI(BATCH, end - start);
        for (int i = 0; i < batchCount; ++i) {
            int place[3];
            brickPlace(b, b->near[start + i], place);
            points[i] =
                sdFieldGrid_Point(b->grid, place[0] * CELLS + CELLS / 2,
                                  place[1] * CELLS + CELLS / 2, place[2] * CELLS + CELLS / 2);
        }
        b->source->evaluate(b->source->arg, points, batchCount, b->centers + start);
    }
}

static void listNear(builder* b) {
    listPossible(b);
    const sdTaskSystem* tasks = &b->context.tasks;
    tasks->parallelFor(tasks->user, centerTask, b, b->nearCount, GRAIN);
    memset(b->slots, 0xFF, (size_t)b->brickTotal * sizeof(int32_t));
    float limit = (BRICK_RADIUS + BAND_CELLS) * b->grid->cellSize;
    int count = 0;
    for (int i = 0; i < b->nearCount; ++i) {
        if (sdAbsF(b->centers[i]) <= limit) {
            b->slots[b->near[i]] = count;
            b->near[count++] = b->near[i];
        }
    }
    b->nearCount = count;
}

// ---- values of the bricks ------------------------------------------------------------------

static int16_t* brickValues(const builder* b, int slot) {
    return b->values + (size_t)slot * VALUES;
}

/// The cell that computes a grid point: the one that has it on its lower faces. SD_NULL_INDEX when
/// that one is not near; then everyone computes the point alone.
static int findOwner(const builder* b, const int place[3], const int local[3]) {
    int owner[3];
    for (int axis = 0; axis < 3; ++axis) {
        owner[axis] = place[axis] + (local[axis] == CELLS ? 1 : 0);
        if (owner[axis] == b->bricks[axis]) {
            return SD_NULL_INDEX;
        }
    }
    return b->slots[brickIndex(b, owner[0], owner[1], owner[2])];
}

/// Points of a brick in an order in which eight that follow each other are neighbours: blocks of
/// 2 x 2 x 2, of which the last along an axis have only one layer.
static void orderPoints(int order[VALUES]) {
    int count = 0;
    for (int block = 0; block < 27; ++block) {
        int x = 2 * (block % 3), y = 2 * (block / 3 % 3), z = 2 * (block / 9);
        for (int i = 0; i < 8; ++i) {
            int px = x + (i & 1), py = y + (i >> 1 & 1), pz = z + (i >> 2);
            if (px < SIDE && py < SIDE && pz < SIDE) {
                order[count++] = (pz * SIDE + py) * SIDE + px;
            }
        }
    }
}

static void brickTask(void* arg, int begin, int end, int worker) {
    (void)worker;
    const builder* b = arg;
    float inverseScale = 1.0f / b->brickScale;
    int order[VALUES];
    orderPoints(order);
    for (int slot = begin; slot < end; ++slot) {
        int place[3];
        brickPlace(b, b->near[slot], place);
        sdVec3 points[VALUES];
        float distances[VALUES];
        int indices[VALUES];
        int count = 0;
        for (int i = 0; i < VALUES; ++i) {
            int local[3] = {order[i] % SIDE, order[i] / SIDE % SIDE, order[i] / (SIDE * SIDE)};
            int owner = findOwner(b, place, local);
            if (owner == SD_NULL_INDEX || owner == slot) {
                indices[count] = order[i];
                points[count++] =
                    sdFieldGrid_Point(b->grid, place[0] * CELLS + local[0],
                                      place[1] * CELLS + local[1], place[2] * CELLS + local[2]);
            }
        }
        b->source->evaluate(b->source->arg, points, count, distances);
        int16_t* values = brickValues(b, slot);
        for (int i = 0; i < count; ++i) {
            values[indices[i]] = quantize(distances[i], inverseScale);
        }
    }
}

/// Upper faces from the bricks that computed them.
static void copyFaces(const builder* b, int slot) {
    int place[3];
    brickPlace(b, b->near[slot], place);
    int16_t* values = brickValues(b, slot);
    for (int i = 0; i < VALUES; ++i) {
        int local[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)};
        int owner = findOwner(b, place, local);
        if (owner != SD_NULL_INDEX && owner != slot) {
            int x = local[0] % CELLS, y = local[1] % CELLS, z = local[2] % CELLS;
            values[i] = brickValues(b, owner)[(z * SIDE + y) * SIDE + x];
        }
    }
}

/// Whether the coarse grid alone would be too far off in this cell.
static bool needsBrick(const builder* b, int slot) {
    int place[3];
    brickPlace(b, b->near[slot], place);
    float corner[8];
    float coarseUnit = b->coarseScale / b->grid->cellSize;
    for (int i = 0; i < 8; ++i) {
        int index =
            coarseIndex(b, place[0] + (i & 1), place[1] + (i >> 1 & 1), place[2] + (i >> 2));
        corner[i] = (float)quantize(b->coarse[index], 1.0f / b->coarseScale) * coarseUnit;
    }
    const int16_t* values = brickValues(b, slot);
    bool hasInside = false, hasOutside = false;
    for (int i = 0; i < VALUES; ++i) {
        hasInside = hasInside || values[i] < 0;
        hasOutside = hasOutside || values[i] >= 0;
    }
    float relative = hasInside && hasOutside ? 0.0f : COARSE_RELATIVE_ERROR;
    float unit = b->brickScale / b->grid->cellSize;
    for (int i = 0; i < VALUES; ++i) {
        float tx = (float)(i % SIDE) / CELLS, ty = (float)(i / SIDE % SIDE) / CELLS;
        float tz = (float)(i / (SIDE * SIDE)) / CELLS;
        float c[4];
        for (int k = 0; k < 4; ++k) {
            c[k] = corner[2 * k] + tx * (corner[2 * k + 1] - corner[2 * k]);
        }
        float low = c[0] + ty * (c[1] - c[0]), high = c[2] + ty * (c[3] - c[2]);
        float fine = (float)values[i] * unit;
        float error = sdAbsF(low + tz * (high - low) - fine);
        if (error > b->tolerance + relative * sdAbsF(fine)) {
            return true;
        }
    }
    return false;
}

static void keepTask(void* arg, int begin, int end, int worker) {
    (void)worker;
    const builder* b = arg;
    for (int slot = begin; slot < end; ++slot) {
        copyFaces(b, slot);
        b->isKept[slot] = needsBrick(b, slot);
    }
}

static void packRow(const int16_t* values, int base, uint8_t* row) {
    uint64_t bits = 0;
    for (int x = SIDE - 1; x >= 0; --x) {
        int value = sdMaxI(-MAX_PACKED, sdMinI(values[x] - base, MAX_PACKED));
        bits = bits << SD_FIELD_VALUE_BITS | ((uint64_t)(uint32_t)value & (2 * MAX_PACKED + 1));
    }
    for (int k = 0; k < SD_FIELD_ROW_BYTES; ++k, bits >>= 8) {
        row[k] = (uint8_t)bits;
    }
}

/// @return the brick's entry
static int32_t packBrick(const int16_t* values, int index, uint8_t* rows) {
    int least = values[0], greatest = values[0];
    for (int i = 1; i < VALUES; ++i) {
        least = sdMinI(least, values[i]);
        greatest = sdMaxI(greatest, values[i]);
    }
    // the step next to the middle, towards minus infinity
    int middle = (least + greatest + SD_FIELD_BASE_STEP) / 2 + 128 * SD_FIELD_BASE_STEP;
    int step = sdMaxI(0, sdMinI(middle / SD_FIELD_BASE_STEP, 255)) - 128;
    for (int i = 0; i < SIDE * SIDE; ++i) {
        packRow(values + i * SIDE, step * SD_FIELD_BASE_STEP, rows + i * SD_FIELD_ROW_BYTES);
    }
    return (index + 1) << SD_FIELD_BASE_BITS | (step & 255);
}

/// Coarse values, and the bricks that are kept, in order.
static void fillSparse(const builder* b) {
    sdField* field = b->field;
    int16_t* coarse = (int16_t*)field->coarse;
    for (int i = 0; i < b->coarseTotal; ++i) {
        coarse[i] = quantize(b->coarse[i], 1.0f / b->coarseScale);
    }
    int32_t* table = (int32_t*)field->bricks;
    memset(table, 0, (size_t)b->brickTotal * sizeof(int32_t));
    uint8_t* rows = (uint8_t*)field->rows;
    int next = 0;
    for (int slot = 0; slot < b->nearCount; ++slot) {
        if (b->isKept[slot]) {
            table[b->near[slot]] = packBrick(brickValues(b, slot), next++, rows);
            rows += SD_FIELD_BRICK_BYTES;
        }
    }
}

static sdResult buildSparse(builder* b) {
    b->coarseScale = sdMaxF(largestCoarse(b), b->grid->cellSize) / SD_FIELD_MAX_VALUE;
    b->brickScale = SD_FIELD_BRICK_REACH * b->grid->cellSize / MAX_PACKED;
    const int* cells = b->grid->cells;
    float unit = b->coarseScale / b->grid->cellSize;
    b->tolerance = sdMaxF(1.0f / (float)sdMaxI(cells[0], sdMaxI(cells[1], cells[2])), unit);
    listNear(b);
    const sdAllocator* allocator = &b->context.allocator;
    size_t count = (size_t)b->nearCount;
    b->values = sdAllocArray(allocator, count, VALUES * sizeof(int16_t));
    b->isKept = sdAllocArray(allocator, count, sizeof(bool));
    if (count > 0 && (b->values == NULL || b->isKept == NULL)) {
        return sdFailMemory(&b->context, "sdField_Create", count * VALUES * sizeof(int16_t));
    }
    const sdTaskSystem* tasks = &b->context.tasks;
    tasks->parallelFor(tasks->user, brickTask, b, b->nearCount, GRAIN);
    tasks->parallelFor(tasks->user, keepTask, b, b->nearCount, GRAIN);
    int brickCount = 0;
    for (int slot = 0; slot < b->nearCount; ++slot) {
        brickCount += b->isKept[slot] ? 1 : 0;
    }
    sdResult result = sdField_Allocate(&b->context, "sdField_Create", b->grid, SD_FIELD_SPARSE,
                                       brickCount, &b->field);
    if (result == SD_OK) {
        b->field->bandWidth = BAND_CELLS * b->grid->cellSize;
        b->field->coarseScale = b->coarseScale;
        b->field->brickScale = b->brickScale;
        fillSparse(b);
    }
    return result;
}

// ---- dense layout --------------------------------------------------------------------------

static void denseTask(void* arg, int begin, int end, int worker) {
    (void)worker;
    const builder* b = arg;
    const int* cells = b->grid->cells;
    float inverseScale = 1.0f / b->field->coarseScale;
    float distances[SD_FIELD_MAX_CELLS + 1];
    for (int row = begin; row < end; ++row) {
        int y = row % (cells[1] + 1), z = row / (cells[1] + 1);
        evaluateRow(b, 1, cells[0] + 1, y, z, distances);
        int16_t* values = (int16_t*)b->field->coarse + (size_t)row * (size_t)(cells[0] + 1);
        for (int x = 0; x <= cells[0]; ++x) {
            values[x] = quantize(distances[x], inverseScale);
        }
    }
}

static sdResult buildDense(builder* b) {
    sdResult result =
        sdField_Allocate(&b->context, "sdField_Create", b->grid, SD_FIELD_DENSE, 0, &b->field);
    if (result != SD_OK) {
        return result;
    }
    // no point is farther from a coarse one than a brick's radius, and distance is 1-Lipschitz
    float range = largestCoarse(b) + BRICK_RADIUS * b->grid->cellSize;
    b->field->bandWidth = range;
    b->field->coarseScale = range / SD_FIELD_MAX_VALUE;
    b->field->brickScale = b->field->coarseScale;
    const int* cells = b->grid->cells;
    const sdTaskSystem* tasks = &b->context.tasks;
    tasks->parallelFor(tasks->user, denseTask, b, (cells[1] + 1) * (cells[2] + 1), GRAIN);
    return SD_OK;
}

// ---- all together --------------------------------------------------------------------------

static void freeScratch(builder* b) {
    const sdAllocator* allocator = &b->context.allocator;
    size_t bricks = (size_t)b->brickTotal, near = (size_t)b->nearCount;
    sdFree(allocator, b->coarse, (size_t)b->coarseTotal * sizeof(float));
    sdFree(allocator, b->slots, bricks * sizeof(int32_t));
    sdFree(allocator, b->near, bricks * sizeof(int32_t));
    sdFree(allocator, b->centers, bricks * sizeof(float));
    sdFree(allocator, b->values, near * VALUES * sizeof(int16_t));
    sdFree(allocator, b->isKept, near * sizeof(bool));
}

sdResult sdField_Build(const sdContext* context, const sdFieldGrid* grid, sdFieldLayout layout,
                       const sdFieldSource* source, sdField** out) {
    *out = NULL;
    builder b = {.context = *context, .grid = grid, .source = source};
    b.brickTotal = (int)sdFieldGrid_CountBricks(grid);
    b.coarseTotal = 1;
    for (int axis = 0; axis < 3; ++axis) {
        b.bricks[axis] = grid->cells[axis] / CELLS;
        b.coarseTotal *= b.bricks[axis] + 1;
    }
    const sdAllocator* allocator = &context->allocator;
    size_t bricks = (size_t)b.brickTotal;
    b.coarse = sdAllocArray(allocator, (size_t)b.coarseTotal, sizeof(float));
    b.slots = sdAllocArray(allocator, bricks, sizeof(int32_t));
    b.near = sdAllocArray(allocator, bricks, sizeof(int32_t));
    b.centers = sdAllocArray(allocator, bricks, sizeof(float));
    sdResult result;
    if (b.coarse == NULL || b.slots == NULL || b.near == NULL || b.centers == NULL) {
        result = sdFailMemory(context, "sdField_Create", bricks * 4 * sizeof(float));
    } else {
        evaluateCoarse(&b);
        result = layout == SD_FIELD_DENSE ? buildDense(&b) : buildSparse(&b);
    }
    freeScratch(&b);
    *out = result == SD_OK ? b.field : NULL;
    return result;
}
