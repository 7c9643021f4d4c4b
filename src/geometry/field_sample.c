// SPDX-License-Identifier: MIT
// field_sample.c - distance and gradient of a field at one point or many, and cell look-up.
//
// In:   any point, also outside of the grid, infinite or NaN.
// Out:  finite distances and gradients. One point and many give the same bits: what is written
//       here for one lane is written in field_kernel.c for eight, operation by operation.
// Ref:  S2 (2.1)-(2.7).
// Note: outside of the grid let c be the nearest point of the grid, o = p - c and d the distance at
//       c. For every point q of the body |p - q|² = o² + |c - q|² + 2 o·(c - q), where |c - q| >= d
//       and c - q is at least the inset along every axis of o. So sqrt(o² + 2 o·inset + d²) never
//       exceeds the true distance, and it is the true distance opposite a flat side.

#include "geometry/field.h"

/// Two neighbours along x, in units.
typedef struct rowPair {
    float start, step;
} rowPair;

/// A cell, or a coarse cell, and where in it a point lies (0 .. 1).
typedef struct cellPoint {
    float tx, ty, tz;
    rowPair a, b, c, d;  ///< (y, z) = (0, 0), (1, 0), (0, 1), (1, 1)
    float base;          ///< to be added, in units
    float scale;         ///< metres a unit
    float gradientScale; ///< the same, divided by the cell's side
} cellPoint;

SD_INLINE rowPair loadPacked(const uint8_t* row, int bit) {
    const uint8_t* p = row + (bit >> 3);
    uint32_t word = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    word >>= bit & 7;
    int low = (int32_t)(word << (32 - SD_FIELD_VALUE_BITS)) >> (32 - SD_FIELD_VALUE_BITS);
    int high = (int32_t)(word << (32 - 2 * SD_FIELD_VALUE_BITS)) >> (32 - SD_FIELD_VALUE_BITS);
    return (rowPair){(float)low, (float)(high - low)};
}

SD_INLINE rowPair loadCoarse(const int16_t* p) {
    return (rowPair){(float)p[0], (float)(p[1] - p[0])};
}

SD_INLINE cellPoint locateInBrick(const sdField* field, int32_t entry, sdVec3 c, int ix, int iy,
                                  int iz) {
    const int mask = SD_FIELD_BRICK_CELLS - 1, side = SD_FIELD_BRICK_SIDE;
    const int rowY = SD_FIELD_ROW_BYTES, rowZ = SD_FIELD_ROW_BYTES * side;
    size_t index = (size_t)((entry >> SD_FIELD_BASE_BITS) - 1);
    const uint8_t* row =
        field->rows + index * SD_FIELD_BRICK_BYTES + (iz & mask) * rowZ + (iy & mask) * rowY;
    int bit = (ix & mask) * SD_FIELD_VALUE_BITS;
    return (cellPoint){
        .tx = c.x - (float)ix,
        .ty = c.y - (float)iy,
        .tz = c.z - (float)iz,
        .a = loadPacked(row, bit),
        .b = loadPacked(row + rowY, bit),
        .c = loadPacked(row + rowZ, bit),
        .d = loadPacked(row + rowY + rowZ, bit),
        .base = (float)sdField_GetBase(entry),
        .scale = field->brickScale,
        .gradientScale = field->brickScale * field->inverseCellSize,
    };
}

SD_INLINE cellPoint locateInCoarse(const sdField* field, sdVec3 c, int bx, int by, int bz) {
    int shift = field->spacingShift;
    float inverse = 1.0f / (float)(1 << shift);
    int strideY = field->coarseCells[0] + 1;
    int strideZ = strideY * (field->coarseCells[1] + 1);
    const int16_t* first = field->coarse + (bz * strideZ + by * strideY + bx);
    return (cellPoint){
        .tx = (c.x - (float)(bx << shift)) * inverse,
        .ty = (c.y - (float)(by << shift)) * inverse,
        .tz = (c.z - (float)(bz << shift)) * inverse,
        .a = loadCoarse(first),
        .b = loadCoarse(first + strideY),
        .c = loadCoarse(first + strideZ),
        .d = loadCoarse(first + strideY + strideZ),
        .base = 0.0f,
        .scale = field->coarseScale,
        .gradientScale = field->coarseScale * field->inverseCellSize * inverse,
    };
}

/// @param c in cells, inside of the grid
SD_INLINE cellPoint locate(const sdField* field, sdVec3 c) {
    const int* cells = field->grid.cells;
    int ix = (int)sdMinF(c.x, (float)(cells[0] - 1));
    int iy = (int)sdMinF(c.y, (float)(cells[1] - 1));
    int iz = (int)sdMinF(c.z, (float)(cells[2] - 1));
    int shift = field->spacingShift;
    int bx = ix >> shift, by = iy >> shift, bz = iz >> shift;
    if (field->bricks != NULL) {
        int brick = (bz * field->coarseCells[1] + by) * field->coarseCells[0] + bx;
        int32_t entry = field->bricks[brick];
        if (entry != 0) {
            return locateInBrick(field, entry, c, ix, iy, iz);
        }
    }
    return locateInCoarse(field, c, bx, by, bz);
}

/// S2 (2.1) for the distance, (2.4) and (2.5) for its derivatives.
SD_INLINE float interpolate(const cellPoint* cell, sdVec3* gradient) {
    float tx = cell->tx, ty = cell->ty, tz = cell->tz;
    float a = cell->a.start + tx * cell->a.step, b = cell->b.start + tx * cell->b.step;
    float c = cell->c.start + tx * cell->c.step, d = cell->d.start + tx * cell->d.step;
    float lowY = b - a, highY = d - c;
    float low = a + ty * lowY, high = c + ty * highY;
    float z = high - low;
    if (gradient != NULL) {
        float lowX = cell->a.step + ty * (cell->b.step - cell->a.step);
        float highX = cell->c.step + ty * (cell->d.step - cell->c.step);
        gradient->x = (lowX + tz * (highX - lowX)) * cell->gradientScale;
        gradient->y = (lowY + tz * (highY - lowY)) * cell->gradientScale;
        gradient->z = z * cell->gradientScale;
    }
    return (low + tz * z + cell->base) * cell->scale;
}

/// One axis of a point outside: the term of the squared distance, and of its gradient.
SD_INLINE float extend(float o, float inset, float derivative, float distance, float sign,
                       float* gradient) {
    bool isOutside = o > 0.0f;
    *gradient = isOutside ? sign * (o + inset) : distance * derivative;
    return isOutside ? o * (o + (inset + inset)) : 0.0f;
}

/// Without a field everything is far away.
static float sampleNothing(sdVec3* gradient) {
    if (gradient != NULL) {
        *gradient = sdV3(0.0f, 0.0f, 0.0f);
    }
    return SD_FIELD_FAR;
}

float sdField_SampleGradient(const sdField* field, sdVec3 p, sdVec3* gradient) {
    if (field == NULL) {
        return sampleNothing(gradient);
    }
    const sdFieldGrid* grid = &field->grid;
    sdVec3 q = sdScale(field->inverseCellSize, sdSub(p, grid->origin));
    sdVec3 upper = sdV3((float)grid->cells[0], (float)grid->cells[1], (float)grid->cells[2]);
    // in this order of arguments NaN becomes 0
    sdVec3 c = sdMin(sdMax(q, sdV3(0.0f, 0.0f, 0.0f)), upper);
    cellPoint cell = locate(field, c);
    if (c.x == q.x && c.y == q.y && c.z == q.z) {
        return interpolate(&cell, gradient);
    }
    sdVec3 far = sdV3(SD_FIELD_FAR, SD_FIELD_FAR, SD_FIELD_FAR);
    sdVec3 o = sdMin(sdScale(grid->cellSize, sdAbs(sdSub(q, c))), far);
    sdVec3 inner, g;
    float d = interpolate(&cell, &inner);
    float squared = d * d;
    squared += extend(o.x, grid->inset.x, inner.x, d, q.x > 0.0f ? 1.0f : -1.0f, &g.x);
    squared += extend(o.y, grid->inset.y, inner.y, d, q.y > 0.0f ? 1.0f : -1.0f, &g.y);
    squared += extend(o.z, grid->inset.z, inner.z, d, q.z > 0.0f ? 1.0f : -1.0f, &g.z);
    float distance = sqrtf(squared);
    if (gradient != NULL) {
        // the inset is at least a cell, so the distance is not zero
        *gradient = sdScale(1.0f / distance, g);
    }
    return distance;
}

float sdField_Sample(const sdField* field, sdVec3 p) {
    return sdField_SampleGradient(field, p, NULL);
}

void sdField_SampleMany(const sdField* field, const sdVec3* points, int count, float* distances,
                        sdVec3* gradients) {
    if (field == NULL) {
        for (int i = 0; i < count; ++i) {
            distances[i] = sampleNothing(gradients != NULL ? gradients + i : NULL);
        }
        return;
    }
    SD_DISPATCH(sdField_SampleKernel)(field, points, count, distances, gradients);
}

bool sdField_FindCell(const sdField* field, sdVec3 p, int cell[3]) {
    if (field == NULL) {
        return false;
    }
    const sdFieldGrid* grid = &field->grid;
    sdVec3 q = sdScale(field->inverseCellSize, sdSub(p, grid->origin));
    int found[3];
    for (int axis = 0; axis < 3; ++axis) {
        float a = sdVec3_Get(q, axis);
        if (!(a >= 0.0f && a <= (float)grid->cells[axis])) {
            return false;
        }
        found[axis] = sdMinI((int)a, grid->cells[axis] - 1);
    }
    memcpy(cell, found, sizeof found);
    return true;
}

float sdField_GetGridValue(const sdField* field, int x, int y, int z) {
    if (field == NULL) {
        return SD_FIELD_FAR;
    }
    const int* cells = field->grid.cells;
    sdVec3 c = sdV3((float)sdMaxI(0, sdMinI(x, cells[0])), (float)sdMaxI(0, sdMinI(y, cells[1])),
                    (float)sdMaxI(0, sdMinI(z, cells[2])));
    cellPoint cell = locate(field, c);
    return interpolate(&cell, NULL);
}
