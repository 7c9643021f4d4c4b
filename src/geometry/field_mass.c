// SPDX-License-Identifier: MIT
// field_mass.c - mass, centre and inertia of the inside of a field, summed cell by cell.
//
// In:   a field and a density.
// Out:  mass properties; the error falls with the square of the cell.
// Ref:  S2 §4.5-4.6, (4.12)-(4.17), which counts a cell when its centre is inside.
// Note: whole cells are cubes as in the document. A cell that the surface crosses is cut into six
//       tetrahedra on which the distance is taken as linear, and the inside part of each is summed
//       exactly: counting such cells whole or not at all would leave an error of first order.

#include "geometry/field.h"

/// Volume, first and second moments, about the middle of the grid, in cells.
typedef struct moments {
    double volume;
    double first[3];
    double second[6]; ///< xx, yy, zz, xy, yz, zx
} moments;

typedef struct point3 {
    double x[3];
} point3;

static void addSecond(moments* m, double scale, const double a[3], const double b[3]) {
    m->second[0] += scale * a[0] * b[0];
    m->second[1] += scale * a[1] * b[1];
    m->second[2] += scale * a[2] * b[2];
    m->second[3] += scale * a[0] * b[1];
    m->second[4] += scale * a[1] * b[2];
    m->second[5] += scale * a[2] * b[0];
}

/// A cube by its middle: m (c cᵀ + d²/12 1), which gives the document's m d²/6 about each axis.
static void addCube(moments* m, const double center[3], double side) {
    double volume = side * side * side;
    m->volume += volume;
    for (int axis = 0; axis < 3; ++axis) {
        m->first[axis] += volume * center[axis];
        m->second[axis] += volume * side * side / 12.0;
    }
    addSecond(m, volume, center, center);
}

/// A tetrahedron: ∫ x xᵀ = V/20 (s sᵀ + Σ v vᵀ) with s the sum of the corners.
static void addTetrahedron(moments* m, const point3 v[4], double sign) {
    double e[3][3], sum[3];
    for (int axis = 0; axis < 3; ++axis) {
        for (int i = 0; i < 3; ++i) {
            e[i][axis] = v[i + 1].x[axis] - v[0].x[axis];
        }
        sum[axis] = v[0].x[axis] + v[1].x[axis] + v[2].x[axis] + v[3].x[axis];
    }
    double volume = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
                    e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
                    e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    volume = sign * (volume < 0.0 ? -volume : volume) / 6.0;
    m->volume += volume;
    for (int axis = 0; axis < 3; ++axis) {
        m->first[axis] += volume * sum[axis] / 4.0;
    }
    addSecond(m, volume / 20.0, sum, sum);
    for (int i = 0; i < 4; ++i) {
        addSecond(m, volume / 20.0, v[i].x, v[i].x);
    }
}

/// Where the distance is zero between an inside and an outside corner.
static point3 crossing(const point3* a, double da, const point3* b, double db) {
    double t = da / (da - db);
    point3 p;
    for (int axis = 0; axis < 3; ++axis) {
        p.x[axis] = a->x[axis] + t * (b->x[axis] - a->x[axis]);
    }
    return p;
}

/// The part of a tetrahedron where the linear function with these corner values is negative.
static void addCutTetrahedron(moments* m, const point3 v[4], const double d[4]) {
    int inside[4], outside[4], insideCount = 0, outsideCount = 0;
    for (int i = 0; i < 4; ++i) {
        if (d[i] < 0.0) {
            inside[insideCount++] = i;
        } else {
            outside[outsideCount++] = i;
        }
    }
    if (insideCount == 0) {
        return;
    }
    if (insideCount == 2) {
        // a wedge between two triangles, as three tetrahedra
        int a = inside[0], b = inside[1], e = outside[0], f = outside[1];
        point3 ae = crossing(v + a, d[a], v + e, d[e]), af = crossing(v + a, d[a], v + f, d[f]);
        point3 be = crossing(v + b, d[b], v + e, d[e]), bf = crossing(v + b, d[b], v + f, d[f]);
        addTetrahedron(m, (point3[4]){v[a], ae, af, bf}, 1.0);
        addTetrahedron(m, (point3[4]){v[a], ae, be, bf}, 1.0);
        addTetrahedron(m, (point3[4]){v[a], v[b], be, bf}, 1.0);
        return;
    }
    if (insideCount >= 3) {
        addTetrahedron(m, v, 1.0);
    }
    if (insideCount == 4) {
        return;
    }
    // the corner that differs from the other three, added or taken away
    int apex = insideCount == 1 ? inside[0] : outside[0];
    point3 corner[4] = {v[apex]};
    int count = 1;
    for (int i = 0; i < 4; ++i) {
        if (i != apex) {
            corner[count++] = crossing(v + apex, d[apex], v + i, d[i]);
        }
    }
    addTetrahedron(m, corner, insideCount == 1 ? 1.0 : -1.0);
}

/// Corner i of a cell is at x = i & 1, y = i >> 1 & 1, z = i >> 2. The six tetrahedra of Kuhn all
/// share the diagonal 0-7 and fit those of the neighbouring cells.
static void addCutCell(moments* m, const point3 corners[8], const double distances[8]) {
    static const int paths[6][2] = {{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}};
    for (int i = 0; i < 6; ++i) {
        const int index[4] = {0, paths[i][0], paths[i][1], 7};
        point3 v[4];
        double d[4];
        for (int k = 0; k < 4; ++k) {
            v[k] = corners[index[k]];
            d[k] = distances[index[k]];
        }
        addCutTetrahedron(m, v, d);
    }
}

/// A cell of any side, its lowest corner at `place` (cells from the middle of the grid).
static void addCell(moments* m, const double place[3], double side, const int16_t* values,
                    int strideY, int strideZ) {
    double distances[8];
    int insideCount = 0;
    for (int i = 0; i < 8; ++i) {
        int value = values[(i & 1) + (i >> 1 & 1) * strideY + (i >> 2) * strideZ];
        distances[i] = value;
        insideCount += value < 0 ? 1 : 0;
    }
    if (insideCount == 8) {
        double center[3] = {place[0] + 0.5 * side, place[1] + 0.5 * side, place[2] + 0.5 * side};
        addCube(m, center, side);
    } else if (insideCount > 0) {
        point3 corners[8];
        for (int i = 0; i < 8; ++i) {
            corners[i] = (point3){{place[0] + side * (i & 1), place[1] + side * (i >> 1 & 1),
                                   place[2] + side * (i >> 2)}};
        }
        addCutCell(m, corners, distances);
    }
}

static void addBrick(moments* m, const double place[3], const sdField* field, int32_t entry) {
    const int side = SD_FIELD_BRICK_SIDE;
    int16_t values[SD_FIELD_BRICK_VALUES];
    sdField_UnpackBrick(field, entry, values);
    for (int z = 0; z < SD_FIELD_BRICK_CELLS; ++z) {
        for (int y = 0; y < SD_FIELD_BRICK_CELLS; ++y) {
            for (int x = 0; x < SD_FIELD_BRICK_CELLS; ++x) {
                double cell[3] = {place[0] + x, place[1] + y, place[2] + z};
                addCell(m, cell, 1.0, values + (z * side + y) * side + x, side, side * side);
            }
        }
    }
}

static moments sumField(const sdField* field) {
    moments m = {0};
    const int* coarse = field->coarseCells;
    int strideY = coarse[0] + 1, strideZ = strideY * (coarse[1] + 1);
    double side = 1 << field->spacingShift;
    for (int z = 0; z < coarse[2]; ++z) {
        for (int y = 0; y < coarse[1]; ++y) {
            for (int x = 0; x < coarse[0]; ++x) {
                double place[3] = {x * side - 0.5 * field->grid.cells[0],
                                   y * side - 0.5 * field->grid.cells[1],
                                   z * side - 0.5 * field->grid.cells[2]};
                int cell = (z * coarse[1] + y) * coarse[0] + x;
                if (field->bricks != NULL && field->bricks[cell] > 0) {
                    addBrick(&m, place, field, field->bricks[cell]);
                } else {
                    addCell(&m, place, side, field->coarse + z * strideZ + y * strideY + x, strideY,
                            strideZ);
                }
            }
        }
    }
    return m;
}

sdResult sdField_GetMass(const sdField* field, float density, sdMassProps* out) {
    if (out != NULL) {
        *out = (sdMassProps){0};
    }
    if (field == NULL || out == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    if (!sdIsFinite(density) || !(density > 0.0f)) {
        return sdFail(&field->context, SD_ERROR_INVALID_ARGUMENT,
                      "sdField_GetMass: density %g must be finite and greater than 0",
                      (double)density);
    }
    moments m = sumField(field);
    if (!(m.volume > 0.0)) {
        return sdFail(&field->context, SD_ERROR_DEGENERATE,
                      "sdField_GetMass: no part of any cell is inside");
    }
    const sdFieldGrid* grid = &field->grid;
    double h = (double)grid->cellSize;
    double mass = m.volume * h * h * h * (double)density;
    double c[3], second[6];
    for (int axis = 0; axis < 3; ++axis) {
        c[axis] = m.first[axis] / m.volume;
    }
    // about the centre of mass, per unit of mass, in metres
    static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
    for (int i = 0; i < 6; ++i) {
        second[i] = mass * h * h * (m.second[i] / m.volume - c[pair[i][0]] * c[pair[i][1]]);
    }
    float xy = (float)-second[3], yz = (float)-second[4], zx = (float)-second[5];
    out->mass = (float)mass;
    out->center = sdV3((float)((double)grid->origin.x + h * (c[0] + 0.5 * grid->cells[0])),
                       (float)((double)grid->origin.y + h * (c[1] + 0.5 * grid->cells[1])),
                       (float)((double)grid->origin.z + h * (c[2] + 0.5 * grid->cells[2])));
    out->inertia = sdMat33_Columns(sdV3((float)(second[1] + second[2]), xy, zx),
                                   sdV3(xy, (float)(second[2] + second[0]), yz),
                                   sdV3(zx, yz, (float)(second[0] + second[1])));
    return SD_OK;
}
