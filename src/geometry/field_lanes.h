// SPDX-License-Identifier: MIT
// field_lanes.h - eight samples of a field at a time, for kernels.
//
// In:   points; see field_sample.c, which does the same for one.
// Out:  distances and, if wanted, gradients, the same bits as one at a time.
// Note: corners are fetched with plain 32-bit loads, two neighbours along x each: measured faster
//       than gather instructions on the processors at hand, and the same on all targets.

#ifndef SD_GEOMETRY_FIELD_LANES_H
#define SD_GEOMETRY_FIELD_LANES_H

#include "geometry/field.h"

/// Corners of eight cells or coarse cells, and where in them the points lie (0 .. 1).
typedef struct sdFieldCells {
    sdF8 tx, ty, tz;
    sdF8 start[4]; ///< units at the lower x; (y, z) = (0, 0), (1, 0), (0, 1), (1, 1)
    sdF8 step[4];  ///< from there to the upper x
    sdF8 base;     ///< to be added, in units
    sdF8 scale;
    sdF8 gradientScale;
} sdFieldCells;

SD_INLINE int32_t sdField_LoadWord(const uint8_t* p) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#error "two neighbours are loaded as one little-endian word"
#endif
    int32_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

#define SD_FIELD_LOAD_LANES(p, offset)                                                             \
    ((sdI8){sdField_LoadWord((p)[0] + (offset)), sdField_LoadWord((p)[1] + (offset)),              \
            sdField_LoadWord((p)[2] + (offset)), sdField_LoadWord((p)[3] + (offset)),              \
            sdField_LoadWord((p)[4] + (offset)), sdField_LoadWord((p)[5] + (offset)),              \
            sdField_LoadWord((p)[6] + (offset)), sdField_LoadWord((p)[7] + (offset))})

/// The words of the four rows, all lanes with the same strides.
SD_INLINE void sdField_LoadUniform(const uint8_t* bytes, sdI8 offset, ptrdiff_t strideY,
                                   ptrdiff_t strideZ, sdI8 words[4]) {
    const uint8_t* p[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        p[i] = bytes + (uint32_t)offset[i];
    }
    words[0] = SD_FIELD_LOAD_LANES(p, 0);
    words[1] = SD_FIELD_LOAD_LANES(p, strideY);
    words[2] = SD_FIELD_LOAD_LANES(p, strideZ);
    words[3] = SD_FIELD_LOAD_LANES(p, strideY + strideZ);
}

/// Some lanes in bricks, some in the coarse grid.
SD_INLINE void sdField_LoadMixed(const uint8_t* bytes, sdI8 offset, sdI8 strideY, sdI8 strideZ,
                                 sdI8 words[4]) {
    sdI8 rows[4] = {offset, offset + strideY, offset + strideZ, offset + strideY + strideZ};
    for (int k = 0; k < 4; ++k) {
        int32_t o[SD_LANES];
        sdI8_Store(o, rows[k]);
        const uint8_t* p[SD_LANES];
        for (int i = 0; i < SD_LANES; ++i) {
            p[i] = bytes + (uint32_t)o[i];
        }
        words[k] = SD_FIELD_LOAD_LANES(p, 0);
    }
}

/// Two 16-bit values of the coarse grid.
SD_INLINE sdF8 sdField_SplitCoarse(sdI8 word, sdF8* step) {
    sdI8 low = (sdI8)((sdU8)word << 16) >> 16;
    sdI8 high = word >> 16;
    *step = sdF8_FromI8(high - low);
    return sdF8_FromI8(low);
}

/// Two 11-bit values of a brick, `shift` bits above the lowest.
SD_INLINE sdF8 sdField_SplitPacked(sdI8 word, sdI8 shift, sdF8* step) {
    const int bits = SD_FIELD_VALUE_BITS;
#if defined(__AVX2__)
    sdI8 low = (sdI8)_mm256_sllv_epi32((__m256i)word, (__m256i)((32 - bits) - shift));
    sdI8 high = (sdI8)_mm256_sllv_epi32((__m256i)word, (__m256i)((32 - 2 * bits) - shift));
#else
    // lanes cannot be shifted by different counts, but multiplied: by 2^(10 - shift), which is made
    // as a float
    sdI8 exponent = (127 + 32 - 2 * bits) - shift;
    sdI8 factor = sdI8_FromF8((sdF8)(exponent << 23));
    sdI8 low = (sdI8)((sdU8)word * ((sdU8)factor << bits));
    sdI8 high = (sdI8)((sdU8)word * (sdU8)factor);
#endif
    low >>= 32 - bits;
    high >>= 32 - bits;
    *step = sdF8_FromI8(high - low);
    return sdF8_FromI8(low);
}

/// One or the other.
SD_INLINE sdF8 sdField_SplitEither(sdI8 word, sdI8 isCoarse, sdI8 shift, sdF8* step) {
#if defined(__AVX2__)
    const int bits = SD_FIELD_VALUE_BITS;
    __m256i up = (__m256i)sdI8_Select(isCoarse, sdI8_Splat(16), (32 - bits) - shift);
    __m256i upHigh = (__m256i)(~isCoarse & ((32 - 2 * bits) - shift));
    __m256i down = (__m256i)sdI8_Select(isCoarse, sdI8_Splat(16), sdI8_Splat(32 - bits));
    sdI8 low = (sdI8)_mm256_srav_epi32(_mm256_sllv_epi32((__m256i)word, up), down);
    sdI8 high = (sdI8)_mm256_srav_epi32(_mm256_sllv_epi32((__m256i)word, upHigh), down);
    *step = sdF8_FromI8(high - low);
    return sdF8_FromI8(low);
#else
    sdF8 packedStep, coarseStep;
    sdF8 packed = sdField_SplitPacked(word, shift, &packedStep);
    sdF8 coarse = sdField_SplitCoarse(word, &coarseStep);
    *step = sdF8_Select(isCoarse, coarseStep, packedStep);
    return sdF8_Select(isCoarse, coarse, packed);
#endif
}

/// @param c in cells, inside of the grid
SD_INLINE sdFieldCells sdField_LocateDense(const sdField* field, sdVec3x8 c, sdI8 ix, sdI8 iy,
                                           sdI8 iz) {
    int strideY = field->coarseCells[0] + 1;
    int strideZ = strideY * (field->coarseCells[1] + 1);
    sdFieldCells cell;
    cell.tx = c.x - sdF8_FromI8(ix);
    cell.ty = c.y - sdF8_FromI8(iy);
    cell.tz = c.z - sdF8_FromI8(iz);
    cell.base = sdF8_Zero();
    cell.scale = sdF8_Splat(field->coarseScale);
    cell.gradientScale = sdF8_Splat(field->coarseScale * field->inverseCellSize);
    // values, not bytes, are counted in 31 bits here
    sdI8 index = iz * strideZ + iy * strideY + ix;
    const uint8_t* p[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        p[i] = (const uint8_t*)(field->coarse + (uint32_t)index[i]);
    }
    ptrdiff_t y = 2 * (ptrdiff_t)strideY, z = 2 * (ptrdiff_t)strideZ;
    cell.start[0] = sdField_SplitCoarse(SD_FIELD_LOAD_LANES(p, 0), &cell.step[0]);
    cell.start[1] = sdField_SplitCoarse(SD_FIELD_LOAD_LANES(p, y), &cell.step[1]);
    cell.start[2] = sdField_SplitCoarse(SD_FIELD_LOAD_LANES(p, z), &cell.step[2]);
    cell.start[3] = sdField_SplitCoarse(SD_FIELD_LOAD_LANES(p, y + z), &cell.step[3]);
    return cell;
}

/// Lanes without a brick take the coarse grid; the others stay as they are.
SD_INLINE void sdField_MixCoarse(const sdField* field, sdVec3x8 c, sdI8 ix, sdI8 iy, sdI8 iz,
                                 sdI8 isCoarse, sdI8 inBrick, sdI8 shift, sdFieldCells* cell) {
    const int mask = SD_FIELD_BRICK_CELLS - 1;
    const float inverse = 1.0f / SD_FIELD_BRICK_CELLS;
    int strideY = field->coarseCells[0] + 1;
    int strideZ = strideY * (field->coarseCells[1] + 1);
    const int rowY = SD_FIELD_ROW_BYTES, rowZ = SD_FIELD_ROW_BYTES * SD_FIELD_BRICK_SIDE;
    sdI8 index = (iz >> SD_FIELD_BRICK_SHIFT) * strideZ + (iy >> SD_FIELD_BRICK_SHIFT) * strideY +
                 (ix >> SD_FIELD_BRICK_SHIFT);
    sdI8 words[4];
    sdField_LoadMixed((const uint8_t*)field->coarse, sdI8_Select(isCoarse, 2 * index, inBrick),
                      sdI8_Select(isCoarse, sdI8_Splat(2 * strideY), sdI8_Splat(rowY)),
                      sdI8_Select(isCoarse, sdI8_Splat(2 * strideZ), sdI8_Splat(rowZ)), words);
    for (int i = 0; i < 4; ++i) {
        cell->start[i] = sdField_SplitEither(words[i], isCoarse, shift, cell->step + i);
    }
    cell->tx = sdF8_Select(isCoarse, (c.x - sdF8_FromI8(ix & ~mask)) * inverse, cell->tx);
    cell->ty = sdF8_Select(isCoarse, (c.y - sdF8_FromI8(iy & ~mask)) * inverse, cell->ty);
    cell->tz = sdF8_Select(isCoarse, (c.z - sdF8_FromI8(iz & ~mask)) * inverse, cell->tz);
    cell->scale = sdF8_Select(isCoarse, sdF8_Splat(field->coarseScale), cell->scale);
    float gradientScale = field->coarseScale * field->inverseCellSize * inverse;
    cell->gradientScale = sdF8_Select(isCoarse, sdF8_Splat(gradientScale), cell->gradientScale);
}

/// @param c in cells, inside of the grid
SD_INLINE sdFieldCells sdField_LocateSparse(const sdField* field, sdVec3x8 c, sdI8 ix, sdI8 iy,
                                            sdI8 iz) {
    const int mask = SD_FIELD_BRICK_CELLS - 1;
    const int rowY = SD_FIELD_ROW_BYTES, rowZ = SD_FIELD_ROW_BYTES * SD_FIELD_BRICK_SIDE;
    sdI8 brick =
        ((iz >> SD_FIELD_BRICK_SHIFT) * field->coarseCells[1] + (iy >> SD_FIELD_BRICK_SHIFT)) *
            field->coarseCells[0] +
        (ix >> SD_FIELD_BRICK_SHIFT);
    // as unsigned numbers they need no extension of the sign
    sdU8 place = (sdU8)brick;
    const int32_t* bricks = field->bricks;
    sdI8 entry = {bricks[place[0]], bricks[place[1]], bricks[place[2]], bricks[place[3]],
                  bricks[place[4]], bricks[place[5]], bricks[place[6]], bricks[place[7]]};
    // no entry is negative
    sdI8 isCoarse = (entry - 1) >> 31;
    sdI8 bit = (ix & mask) * SD_FIELD_VALUE_BITS;
    sdI8 shift = bit & 7;
    int rows = (int)sizeof(int16_t) * field->coarseCount - SD_FIELD_BRICK_BYTES;
    sdI8 inBrick = (entry >> SD_FIELD_BASE_BITS) * SD_FIELD_BRICK_BYTES + rows +
                   (iz & mask) * rowZ + (iy & mask) * rowY + (bit >> 3);
    const int top = 32 - SD_FIELD_BASE_BITS;

    sdFieldCells cell;
    cell.tx = c.x - sdF8_FromI8(ix);
    cell.ty = c.y - sdF8_FromI8(iy);
    cell.tz = c.z - sdF8_FromI8(iz);
    cell.base = sdF8_FromI8(((sdI8)((sdU8)entry << top) >> top) * SD_FIELD_BASE_STEP);
    cell.scale = sdF8_Splat(field->brickScale);
    cell.gradientScale = sdF8_Splat(field->brickScale * field->inverseCellSize);
    if (sdI8_Any(isCoarse)) {
        sdField_MixCoarse(field, c, ix, iy, iz, isCoarse, inBrick, shift, &cell);
        return cell;
    }
    sdI8 words[4];
    sdField_LoadUniform((const uint8_t*)field->coarse, inBrick, rowY, rowZ, words);
    for (int i = 0; i < 4; ++i) {
        cell.start[i] = sdField_SplitPacked(words[i], shift, &cell.step[i]);
    }
    return cell;
}

/// S2 (2.1) for the distance, (2.4) and (2.5) for its derivatives.
SD_INLINE sdF8 sdFieldCells_Interpolate(const sdFieldCells* cell, bool wantGradient,
                                        sdVec3x8* gradient) {
    const sdF8* dx = cell->step;
    sdF8 v[4];
    for (int i = 0; i < 4; ++i) {
        v[i] = cell->start[i] + cell->tx * dx[i];
    }
    sdF8 lowY = v[1] - v[0], highY = v[3] - v[2];
    sdF8 low = v[0] + cell->ty * lowY, high = v[2] + cell->ty * highY;
    sdF8 z = high - low;
    if (wantGradient) {
        sdF8 lowX = dx[0] + cell->ty * (dx[1] - dx[0]);
        sdF8 highX = dx[2] + cell->ty * (dx[3] - dx[2]);
        gradient->x = (lowX + cell->tz * (highX - lowX)) * cell->gradientScale;
        gradient->y = (lowY + cell->tz * (highY - lowY)) * cell->gradientScale;
        gradient->z = z * cell->gradientScale;
    }
    return (low + cell->tz * z + cell->base) * cell->scale;
}

/// One axis of points outside: the term of the squared distance, and of its gradient.
SD_INLINE sdF8 sdField_Extend(sdF8 o, float inset, sdF8 distance, sdF8 q, sdF8* gradient) {
    sdI8 isOutside = sdF8_Less(sdF8_Zero(), o);
    sdF8 sign = sdF8_Select(sdF8_Less(sdF8_Zero(), q), sdF8_Splat(1.0f), sdF8_Splat(-1.0f));
    *gradient = sdF8_Select(isOutside, sign * (o + inset), distance * *gradient);
    return sdF8_Select(isOutside, o * (o + (inset + inset)), sdF8_Zero());
}

/// Replace the lanes outside of the grid by the bound that field_sample.c explains.
SD_INLINE sdF8 sdField_SampleOutside(const sdFieldGrid* grid, sdVec3x8 q, sdVec3x8 c, sdI8 isInside,
                                     sdF8 distance, sdVec3x8* gradient) {
    sdF8 far = sdF8_Splat(SD_FIELD_FAR);
    sdVec3x8 g = *gradient;
    sdF8 squared = distance * distance;
    sdF8 ox = sdF8_Min(grid->cellSize * sdF8_Abs(q.x - c.x), far);
    sdF8 oy = sdF8_Min(grid->cellSize * sdF8_Abs(q.y - c.y), far);
    sdF8 oz = sdF8_Min(grid->cellSize * sdF8_Abs(q.z - c.z), far);
    squared += sdField_Extend(ox, grid->inset.x, distance, q.x, &g.x);
    squared += sdField_Extend(oy, grid->inset.y, distance, q.y, &g.y);
    squared += sdField_Extend(oz, grid->inset.z, distance, q.z, &g.z);
    sdF8 outer = sdF8_Sqrt(squared);
    // inside lanes may be 0 here and are not used
    sdF8 inverse = 1.0f / outer;
    gradient->x = sdF8_Select(isInside, gradient->x, inverse * g.x);
    gradient->y = sdF8_Select(isInside, gradient->y, inverse * g.y);
    gradient->z = sdF8_Select(isInside, gradient->z, inverse * g.z);
    return sdF8_Select(isInside, distance, outer);
}

/// Distances at eight points and, if wanted, gradients.
SD_INLINE sdF8 sdField_SampleLanes(const sdField* field, sdVec3x8 p, bool wantGradient,
                                   sdVec3x8* gradient) {
    const sdFieldGrid* grid = &field->grid;
    sdF8 zero = sdF8_Zero();
    sdVec3x8 q = {field->inverseCellSize * (p.x - grid->origin.x),
                  field->inverseCellSize * (p.y - grid->origin.y),
                  field->inverseCellSize * (p.z - grid->origin.z)};
    float nx = (float)grid->cells[0], ny = (float)grid->cells[1], nz = (float)grid->cells[2];
    // in this order of arguments NaN becomes 0
    sdVec3x8 c = {sdF8_Min(sdF8_Max(q.x, zero), sdF8_Splat(nx)),
                  sdF8_Min(sdF8_Max(q.y, zero), sdF8_Splat(ny)),
                  sdF8_Min(sdF8_Max(q.z, zero), sdF8_Splat(nz))};
    sdI8 ix = sdI8_FromF8(sdF8_Min(c.x, sdF8_Splat(nx - 1.0f)));
    sdI8 iy = sdI8_FromF8(sdF8_Min(c.y, sdF8_Splat(ny - 1.0f)));
    sdI8 iz = sdI8_FromF8(sdF8_Min(c.z, sdF8_Splat(nz - 1.0f)));
    sdFieldCells cell = field->bricks != NULL ? sdField_LocateSparse(field, c, ix, iy, iz)
                                              : sdField_LocateDense(field, c, ix, iy, iz);
    sdI8 isInside = sdF8_Equal(c.x, q.x) & sdF8_Equal(c.y, q.y) & sdF8_Equal(c.z, q.z);
    if (sdI8_MaskBits(isInside) == (1 << SD_LANES) - 1) {
        return sdFieldCells_Interpolate(&cell, wantGradient, gradient);
    }
    sdF8 distance = sdFieldCells_Interpolate(&cell, true, gradient);
    return sdField_SampleOutside(grid, q, c, isInside, distance, gradient);
}

#endif
