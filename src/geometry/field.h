// SPDX-License-Identifier: MIT
// field.h - what an sdField is made of, and how one is built from any source of distances.
//
// A coarse grid of distances covers the whole box, one point every SD_FIELD_BRICK_CELLS cells, 16
// bits each. Where that is not good enough, a brick replaces one coarse cell: the distances at all
// grid points of its 4 x 4 x 4 cells, faces included, so that a sample never looks into two bricks.
// Bricks of four cells were measured against bricks of eight: a third less memory, a coarse grid
// twice as fine, and a sample touches fewer cache lines.
//
// A brick's values span no more than its diagonal, so 11 bits are enough beside a base that is kept
// in the table of bricks: steps of 1/292 of a cell. Five of them, a row along x, take 7 bytes. Two
// neighbours along x always lie within four bytes, so a sample is four 32-bit loads, as in the
// coarse grid. A value is the same integer in every brick that has its point: no seams.
//
// The dense layout is the coarse grid alone, with a point at every cell.

#ifndef SD_GEOMETRY_FIELD_H
#define SD_GEOMETRY_FIELD_H

#include "base/memory.h"
#include "base/simd.h"
#include "sudar/field.h"

#define SD_FIELD_BRICK_SHIFT 2
#define SD_FIELD_BRICK_CELLS (1 << SD_FIELD_BRICK_SHIFT)
#define SD_FIELD_BRICK_SIDE (SD_FIELD_BRICK_CELLS + 1)
#define SD_FIELD_BRICK_VALUES (SD_FIELD_BRICK_SIDE * SD_FIELD_BRICK_SIDE * SD_FIELD_BRICK_SIDE)

/// Bits of a value, bytes of a row of five and of a brick.
#define SD_FIELD_VALUE_BITS 11
#define SD_FIELD_ROW_BYTES 7
#define SD_FIELD_BRICK_BYTES (SD_FIELD_ROW_BYTES * SD_FIELD_BRICK_SIDE * SD_FIELD_BRICK_SIDE)

/// An entry of the table of bricks holds one more than the brick's index above these bits, and the
/// brick's base in them, signed, in steps of SD_FIELD_BASE_STEP units. 0: no brick.
#define SD_FIELD_BASE_BITS 8
#define SD_FIELD_BASE_STEP 16
#define SD_FIELD_MAX_BRICKS ((1 << (31 - SD_FIELD_BASE_BITS)) - 2)

/// Half of a brick's diagonal and half a step of the base, a little rounded up, in cells, must be
/// within the reach of 11 signed bits.
#define SD_FIELD_BRICK_REACH 3.5f

/// Largest magnitude that a 16-bit value takes; -32768 is not used, so that signs are symmetric.
#define SD_FIELD_MAX_VALUE 32767

/// Points that are farther outside along an axis, or not finite, count as this far (metres); its
/// square is finite.
#define SD_FIELD_FAR 1e18f

/// Range of cell sizes in metres, in which squares of distances neither overflow nor underflow.
#define SD_FIELD_MIN_CELL_SIZE 1e-12f
#define SD_FIELD_MAX_CELL_SIZE 1e12f

/// Where the checksum stands in a written field.
#define SD_FIELD_CHECKSUM_OFFSET 24

/// Most cells along a side: the body's, two margins of 64, rounded up to bricks.
#define SD_FIELD_MAX_CELLS                                                                         \
    (SD_FIELD_MAX_RESOLUTION + 2 * SD_FIELD_MAX_MARGIN + SD_FIELD_BRICK_CELLS)

/// Where the grid lies.
typedef struct sdFieldGrid {
    sdVec3 origin;
    float cellSize;
    int cells[3]; ///< whole bricks along every axis, in both layouts
    sdVec3 inset; ///< metres between the grid's faces and the body's box, at least
} sdFieldGrid;

struct sdField {
    sdRefCount refCount;
    sdContext context;
    size_t byteCount;

    sdFieldGrid grid;
    float inverseCellSize;
    sdFieldSign sign;
    sdFieldLayout layout;

    int spacingShift;   ///< log2 of the cells between coarse points: 0 when dense
    int coarseCells[3]; ///< coarse cells along each axis
    float coarseScale;  ///< metres a unit of coarse values
    float brickScale;   ///< metres a unit of brick values
    float bandWidth;    ///< as sdFieldInfo
    int brickCount;
    int coarseCount;       ///< values of the coarse grid
    const int16_t* coarse; ///< in one piece with the rows, which follow
    const uint8_t* rows;   ///< SD_FIELD_BRICK_BYTES a brick
    const int32_t* bricks; ///< an entry for each coarse cell; NULL when dense
};

/// A brick's base in units, from its entry.
static inline int sdField_GetBase(int32_t entry) {
    return (int)(int8_t)(entry & ((1 << SD_FIELD_BASE_BITS) - 1)) * SD_FIELD_BASE_STEP;
}

/// The values of a brick, in units, x fastest.
void sdField_UnpackBrick(const sdField* field, int32_t entry, int16_t values[]);

/// Sizes that follow from the grid and the number of bricks; *out has no values yet.
/// Used by building and reading alike, so that both agree.
/// @return SD_ERROR_LIMIT when values could not be counted in 31 bits
sdResult sdField_Allocate(const sdContext* context, const char* function, const sdFieldGrid* grid,
                          sdFieldLayout layout, int brickCount, sdField** out);

/// Coarse cells of a sparse grid, one brick each at the most.
int64_t sdFieldGrid_CountBricks(const sdFieldGrid* grid);

static inline sdVec3 sdFieldGrid_Point(const sdFieldGrid* grid, int x, int y, int z) {
    return sdV3(grid->origin.x + (float)x * grid->cellSize,
                grid->origin.y + (float)y * grid->cellSize,
                grid->origin.z + (float)z * grid->cellSize);
}

/// Where distances come from while a field is built. Called from any worker.
typedef struct sdFieldSource {
    /// Signed distances at points, of which eight that follow each other are neighbours.
    void (*evaluate)(const void* arg, const sdVec3* points, int count, float* distances);
    const void* arg;
} sdFieldSource;

/// A field of anything that has a distance. Its sign rule is still to be set.
sdResult sdField_Build(const sdContext* context, const sdFieldGrid* grid, sdFieldLayout layout,
                       const sdFieldSource* source, sdField** out);

/// What must stand at SD_FIELD_CHECKSUM_OFFSET of a written field.
/// @param size of the whole, more than the offset and eight bytes
uint64_t sdField_FindChecksum(const uint8_t* p, size_t size);

/// The first bytes of a written field: is it one, and how long does it claim to be?
sdResult sdField_CheckStart(const sdContext* context, const char* function, const uint8_t* p,
                            size_t size, uint64_t* claimed);

/// The kernel behind sdField_SampleMany.
/// @param gradients NULL when not wanted
SD_DECLARE_KERNEL(void, sdField_SampleKernel,
                  (const sdField* field, const sdVec3* points, int count, float* distances,
                   sdVec3* gradients));

#endif
