// SPDX-License-Identifier: MIT
// field_kernel.c - eight samples of a field at a time.
//
// In:   points; see field_sample.c, which does the same for one.
// Out:  distances and, if wanted, gradients, the same bits as one at a time.
// Note: corners are fetched with plain 32-bit loads, two neighbours along x each: measured faster
//       than gather instructions on the processors at hand, and the same on all targets.

#include "geometry/field.h"

/// Four pairs of neighbours along x, each lane an int16 pair as it lies in memory.
typedef struct cornerPairs {
    sdI8 a, b, c, d; ///< (y, z) = (0, 0), (1, 0), (0, 1), (1, 1)
} cornerPairs;

typedef struct cellPoints {
    sdF8 tx, ty, tz;
    sdF8 scale, gradientScale;
    cornerPairs pairs;
} cellPoints;

SD_INLINE int32_t loadPair(const int16_t* p) {
    int32_t pair;
    memcpy(&pair, p, sizeof pair);
    return pair;
}

#define LOAD_LANES(p, offset)                                                                      \
    ((sdI8){loadPair((p)[0] + (offset)), loadPair((p)[1] + (offset)), loadPair((p)[2] + (offset)), \
            loadPair((p)[3] + (offset)), loadPair((p)[4] + (offset)), loadPair((p)[5] + (offset)), \
            loadPair((p)[6] + (offset)), loadPair((p)[7] + (offset))})

/// All lanes with the same strides.
SD_INLINE cornerPairs loadUniform(const int16_t* values, sdI8 base, int strideY, int strideZ) {
    const int16_t* p[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        p[i] = values + base[i];
    }
    return (cornerPairs){LOAD_LANES(p, 0), LOAD_LANES(p, strideY), LOAD_LANES(p, strideZ),
                         LOAD_LANES(p, strideY + strideZ)};
}

/// Some lanes in bricks, some in the coarse grid.
SD_INLINE cornerPairs loadMixed(const int16_t* values, sdI8 base, sdI8 strideY, sdI8 strideZ) {
    const int16_t *a[SD_LANES], *b[SD_LANES], *c[SD_LANES], *d[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        a[i] = values + base[i];
        b[i] = a[i] + strideY[i];
        c[i] = a[i] + strideZ[i];
        d[i] = b[i] + strideZ[i];
    }
    return (cornerPairs){LOAD_LANES(a, 0), LOAD_LANES(b, 0), LOAD_LANES(c, 0), LOAD_LANES(d, 0)};
}

/// @param c in cells, inside of the grid
SD_INLINE cellPoints locateDense(const sdField* field, sdVec3x8 c, sdI8 ix, sdI8 iy, sdI8 iz) {
    int strideY = field->coarseCells[0] + 1;
    int strideZ = strideY * (field->coarseCells[1] + 1);
    return (cellPoints){
        .tx = c.x - sdF8_FromI8(ix),
        .ty = c.y - sdF8_FromI8(iy),
        .tz = c.z - sdF8_FromI8(iz),
        .scale = sdF8_Splat(field->coarseScale),
        .gradientScale = sdF8_Splat(field->coarseScale * field->inverseCellSize),
        .pairs = loadUniform(field->values, iz * strideZ + iy * strideY + ix, strideY, strideZ),
    };
}

/// @param c in cells, inside of the grid
SD_INLINE cellPoints locateSparse(const sdField* field, sdVec3x8 c, sdI8 ix, sdI8 iy, sdI8 iz) {
    const int mask = SD_FIELD_BRICK_CELLS - 1, side = SD_FIELD_BRICK_SIDE;
    sdI8 bx = ix >> SD_FIELD_BRICK_SHIFT;
    sdI8 by = iy >> SD_FIELD_BRICK_SHIFT;
    sdI8 bz = iz >> SD_FIELD_BRICK_SHIFT;
    sdI8 brick = (bz * field->coarseCells[1] + by) * field->coarseCells[0] + bx;
    const int32_t* bricks = field->bricks;
    sdI8 first = {bricks[brick[0]], bricks[brick[1]], bricks[brick[2]], bricks[brick[3]],
                  bricks[brick[4]], bricks[brick[5]], bricks[brick[6]], bricks[brick[7]]};
    sdI8 inBrick = first + (((iz & mask) * side + (iy & mask)) * side + (ix & mask));
    sdI8 isCoarse = first == 0;

    cellPoints cell;
    cell.tx = c.x - sdF8_FromI8(ix);
    cell.ty = c.y - sdF8_FromI8(iy);
    cell.tz = c.z - sdF8_FromI8(iz);
    cell.scale = sdF8_Splat(field->brickScale);
    cell.gradientScale = sdF8_Splat(field->brickScale * field->inverseCellSize);
    if (!sdI8_Any(isCoarse)) {
        cell.pairs = loadUniform(field->values, inBrick, side, side * side);
        return cell;
    }
    const float inverse = 1.0f / SD_FIELD_BRICK_CELLS;
    int strideY = field->coarseCells[0] + 1;
    int strideZ = strideY * (field->coarseCells[1] + 1);
    sdI8 inCoarse = bz * strideZ + by * strideY + bx;
    cell.tx = sdF8_Select(isCoarse, (c.x - sdF8_FromI8(ix & ~mask)) * inverse, cell.tx);
    cell.ty = sdF8_Select(isCoarse, (c.y - sdF8_FromI8(iy & ~mask)) * inverse, cell.ty);
    cell.tz = sdF8_Select(isCoarse, (c.z - sdF8_FromI8(iz & ~mask)) * inverse, cell.tz);
    cell.scale = sdF8_Select(isCoarse, sdF8_Splat(field->coarseScale), cell.scale);
    float gradientScale = field->coarseScale * field->inverseCellSize * inverse;
    cell.gradientScale = sdF8_Select(isCoarse, sdF8_Splat(gradientScale), cell.gradientScale);
    cell.pairs = loadMixed(field->values, sdI8_Select(isCoarse, inCoarse, inBrick),
                           sdI8_Select(isCoarse, sdI8_Splat(strideY), sdI8_Splat(side)),
                           sdI8_Select(isCoarse, sdI8_Splat(strideZ), sdI8_Splat(side * side)));
    return cell;
}

/// The value at the lower x of a pair, and the step to the upper one.
SD_INLINE sdF8 splitPair(sdI8 pair, sdF8* step) {
    sdI8 low = (pair << 16) >> 16;
    sdI8 high = pair >> 16;
    *step = sdF8_FromI8(high - low);
    return sdF8_FromI8(low);
}

/// S2 (2.1) for the distance, (2.4) and (2.5) for its derivatives.
SD_INLINE sdF8 interpolate(const cellPoints* cell, bool wantGradient, sdVec3x8* gradient) {
    sdF8 ax, bx, cx, dx;
    sdF8 a0 = splitPair(cell->pairs.a, &ax), b0 = splitPair(cell->pairs.b, &bx);
    sdF8 c0 = splitPair(cell->pairs.c, &cx), d0 = splitPair(cell->pairs.d, &dx);
    sdF8 av = a0 + cell->tx * ax, bv = b0 + cell->tx * bx;
    sdF8 cv = c0 + cell->tx * cx, dv = d0 + cell->tx * dx;
    sdF8 aby = bv - av, cdy = dv - cv;
    sdF8 ab = av + cell->ty * aby, cd = cv + cell->ty * cdy;
    sdF8 z = cd - ab;
    if (wantGradient) {
        sdF8 abx = ax + cell->ty * (bx - ax), cdx = cx + cell->ty * (dx - cx);
        gradient->x = (abx + cell->tz * (cdx - abx)) * cell->gradientScale;
        gradient->y = (aby + cell->tz * (cdy - aby)) * cell->gradientScale;
        gradient->z = z * cell->gradientScale;
    }
    return (ab + cell->tz * z) * cell->scale;
}

/// One axis of points outside: the term of the squared distance, and of its gradient.
SD_INLINE sdF8 extend(sdF8 o, float inset, sdF8 distance, sdF8 q, sdF8* gradient) {
    sdI8 isOutside = o > sdF8_Zero();
    sdF8 sign = sdF8_Select(q > sdF8_Zero(), sdF8_Splat(1.0f), sdF8_Splat(-1.0f));
    *gradient = sdF8_Select(isOutside, sign * (o + inset), distance * *gradient);
    return sdF8_Select(isOutside, o * (o + (inset + inset)), sdF8_Zero());
}

/// Replace the lanes outside of the grid by the bound that field_sample.c explains.
SD_INLINE sdF8 sampleOutside(const sdFieldGrid* grid, sdVec3x8 q, sdVec3x8 c, sdI8 isInside,
                             sdF8 distance, sdVec3x8* gradient) {
    sdF8 far = sdF8_Splat(SD_FIELD_FAR);
    sdVec3x8 g = *gradient;
    sdF8 squared = distance * distance;
    sdF8 ox = sdF8_Min(grid->cellSize * sdF8_Abs(q.x - c.x), far);
    sdF8 oy = sdF8_Min(grid->cellSize * sdF8_Abs(q.y - c.y), far);
    sdF8 oz = sdF8_Min(grid->cellSize * sdF8_Abs(q.z - c.z), far);
    squared += extend(ox, grid->inset.x, distance, q.x, &g.x);
    squared += extend(oy, grid->inset.y, distance, q.y, &g.y);
    squared += extend(oz, grid->inset.z, distance, q.z, &g.z);
    sdF8 outer = sdF8_Sqrt(squared);
    // inside lanes may be 0 here and are not used
    sdF8 inverse = 1.0f / outer;
    gradient->x = sdF8_Select(isInside, gradient->x, inverse * g.x);
    gradient->y = sdF8_Select(isInside, gradient->y, inverse * g.y);
    gradient->z = sdF8_Select(isInside, gradient->z, inverse * g.z);
    return sdF8_Select(isInside, distance, outer);
}

SD_INLINE sdF8 sampleLanes(const sdField* field, sdVec3x8 p, bool wantGradient,
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
    cellPoints cell = field->bricks != NULL ? locateSparse(field, c, ix, iy, iz)
                                            : locateDense(field, c, ix, iy, iz);
    sdI8 isInside = (c.x == q.x) & (c.y == q.y) & (c.z == q.z);
    if (sdI8_MaskBits(isInside) == (1 << SD_LANES) - 1) {
        return interpolate(&cell, wantGradient, gradient);
    }
    sdF8 distance = interpolate(&cell, true, gradient);
    return sampleOutside(grid, q, c, isInside, distance, gradient);
}

/// Eight points as they lie in memory, to lanes.
SD_INLINE sdVec3x8 loadPoints(const sdVec3* points) {
    const float* p = &points->x;
    sdF8 a = sdF8_Load(p), b = sdF8_Load(p + 8), c = sdF8_Load(p + 16);
    sdF8 x = __builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, 0, 0);
    sdF8 y = __builtin_shufflevector(a, b, 1, 4, 7, 10, 13, 0, 0, 0);
    sdF8 z = __builtin_shufflevector(a, b, 2, 5, 8, 11, 14, 0, 0, 0);
    return (sdVec3x8){__builtin_shufflevector(x, c, 0, 1, 2, 3, 4, 5, 10, 13),
                      __builtin_shufflevector(y, c, 0, 1, 2, 3, 4, 8, 11, 14),
                      __builtin_shufflevector(z, c, 0, 1, 2, 3, 4, 9, 12, 15)};
}

/// Lanes to eight vectors in memory.
SD_INLINE void storeVectors(sdVec3* out, sdVec3x8 v) {
    float* p = &out->x;
    sdF8 xy = __builtin_shufflevector(v.x, v.y, 0, 8, 1, 9, 2, 10, 3, 11);
    sdF8 a = __builtin_shufflevector(xy, v.z, 0, 1, 8, 2, 3, 9, 4, 5);
    sdF8 xz = __builtin_shufflevector(v.x, v.z, 10, 3, 11, 4, 12, 5, 0, 0);
    sdF8 b = __builtin_shufflevector(xz, v.y, 0, 1, 11, 2, 3, 12, 4, 5);
    sdF8 yz = __builtin_shufflevector(v.y, v.z, 5, 13, 6, 14, 7, 15, 0, 0);
    sdF8 c = __builtin_shufflevector(yz, v.x, 0, 1, 14, 2, 3, 15, 4, 5);
    sdF8_Store(p, a);
    sdF8_Store(p + 8, b);
    sdF8_Store(p + 16, c);
}

void SD_KERNEL(sdField_SampleKernel)(const sdField* field, const sdVec3* points, int count,
                                     float* distances, sdVec3* gradients) {
    sdVec3x8 gradient = {0};
    int i = 0;
    if (gradients != NULL) {
        for (; i + SD_LANES <= count; i += SD_LANES) {
            sdF8_Store(distances + i, sampleLanes(field, loadPoints(points + i), true, &gradient));
            storeVectors(gradients + i, gradient);
        }
    } else {
        for (; i + SD_LANES <= count; i += SD_LANES) {
            sdF8_Store(distances + i, sampleLanes(field, loadPoints(points + i), false, &gradient));
        }
    }
    if (i >= count) {
        return;
    }
    // the rest, with the last point repeated
    sdVec3 block[SD_LANES], blockGradients[SD_LANES];
    float blockDistances[SD_LANES];
    for (int k = 0; k < SD_LANES; ++k) {
        block[k] = points[sdMinI(i + k, count - 1)];
    }
    sdF8_Store(blockDistances, sampleLanes(field, loadPoints(block), true, &gradient));
    storeVectors(blockGradients, gradient);
    memcpy(distances + i, blockDistances, (size_t)(count - i) * sizeof(float));
    if (gradients != NULL) {
        memcpy(gradients + i, blockGradients, (size_t)(count - i) * sizeof(sdVec3));
    }
}
