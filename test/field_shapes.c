// SPDX-License-Identifier: MIT
// field_shapes.c - see field_shapes.h.

#include "field_shapes.h"

#include "harness.h"

static const float halfExtents[FIELD_SHAPE_COUNT][3] = {
    {0.5f, 0.5f, 0.5f}, {0.5f, 0.3f, 0.2f}, {0.5f, 0.5f, 0.15f}};

static double boxDistance(const double p[3]) {
    double outside = 0.0, inside = -1e30;
    for (int axis = 0; axis < 3; ++axis) {
        double q = fabs(p[axis]) - (double)halfExtents[FIELD_BOX][axis];
        outside += q > 0.0 ? q * q : 0.0;
        inside = q > inside ? q : inside;
    }
    return inside > 0.0 ? sqrt(outside) : inside;
}

double FieldShape_Distance(FieldShape shape, sdVec3 p) {
    double x[3] = {(double)p.x, (double)p.y, (double)p.z};
    double radial = sqrt(x[0] * x[0] + x[1] * x[1]);
    switch (shape) {
        case FIELD_SPHERE:
            return sqrt(radial * radial + x[2] * x[2]) - 0.5;
        case FIELD_BOX:
            return boxDistance(x);
        default:
            return sqrt((radial - 0.35) * (radial - 0.35) + x[2] * x[2]) - 0.15;
    }
}

sdFieldGrid FieldShape_Grid(FieldShape shape, int resolution) {
    float h = 1.0f / (float)resolution;
    sdFieldGrid grid = {.cellSize = h};
    float origin[3], inset[3];
    for (int axis = 0; axis < 3; ++axis) {
        float half = halfExtents[shape][axis];
        int cells = (int)ceilf(2.0f * half / h - 1e-3f) + 4;
        grid.cells[axis] = (cells + SD_FIELD_BRICK_CELLS - 1) & ~(SD_FIELD_BRICK_CELLS - 1);
        origin[axis] = -0.5f * h * (float)grid.cells[axis];
        inset[axis] = 0.999f * (-origin[axis] - half);
    }
    grid.origin = sdV3(origin[0], origin[1], origin[2]);
    grid.inset = sdV3(inset[0], inset[1], inset[2]);
    return grid;
}

static void evaluate(const void* arg, const sdVec3* points, int count, float* distances) {
    for (int i = 0; i < count; ++i) {
        distances[i] = (float)FieldShape_Distance(*(const FieldShape*)arg, points[i]);
    }
}

sdField* FieldShape_Build(const sdContext* context, FieldShape shape, int resolution,
                          sdFieldLayout layout) {
    sdFieldGrid grid = FieldShape_Grid(shape, resolution);
    sdFieldSource source = {evaluate, &shape};
    sdField* field = NULL;
    sdContext resolved;
    CHECK_INT(sdContext_Resolve(context, &resolved), SD_OK);
    CHECK_INT(sdField_Build(&resolved, &grid, layout, &source, &field), SD_OK);
    if (field != NULL) {
        field->sign = SD_FIELD_SIGN_PSEUDO_NORMAL;
    }
    return field;
}
