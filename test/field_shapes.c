// SPDX-License-Identifier: MIT
// field_shapes.c - see field_shapes.h.

#include "field_shapes.h"

#include "harness.h"

#include <stdlib.h>

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

const sdVec3 testFieldCubeVertices[8] = {
    {-0.5f, -0.5f, -0.5f}, {0.5f, -0.5f, -0.5f}, {-0.5f, 0.5f, -0.5f}, {0.5f, 0.5f, -0.5f},
    {-0.5f, -0.5f, 0.5f},  {0.5f, -0.5f, 0.5f},  {-0.5f, 0.5f, 0.5f},  {0.5f, 0.5f, 0.5f}};
/// The top, z = 0.5, comes last.
const int32_t testFieldCubeTriangles[36] = {0, 2, 1, 1, 2, 3, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7,
                                            0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5, 4, 5, 6, 5, 7, 6};

sdMesh* TestField_Model(sdModelKind kind, float size) {
    sdMesh* mesh = NULL;
    CHECK_INT(sdModel_Create(NULL, kind, size, &mesh), SD_OK);
    return mesh;
}

sdMesh* TestField_Mesh(const sdVec3* vertices, int vertexCount, const int32_t* triangles,
                       int triangleCount) {
    sdMeshDef def = sdMeshDef_Default();
    def.data = (sdMeshData){vertices, vertexCount, triangles, triangleCount};
    sdMesh* mesh = NULL;
    CHECK_INT(sdMesh_Create(NULL, &def, &mesh), SD_OK);
    return mesh;
}

sdMesh* TestField_Slab(sdVec3 size, sdQuat rotation, sdVec3 offset) {
    sdVec3 vertices[8];
    for (int i = 0; i < 8; ++i) {
        vertices[i] = sdAdd(sdRotate(rotation, sdMul(size, testFieldCubeVertices[i])), offset);
    }
    return TestField_Mesh(vertices, 8, testFieldCubeTriangles, 12);
}

sdField* TestField_Make(const sdMesh* mesh, int resolution, sdFieldSign sign) {
    sdFieldDef def = sdFieldDef_Default();
    def.resolution = resolution;
    def.sign = sign;
    sdField* field = NULL;
    CHECK_INT(sdField_Create(NULL, mesh, &def, &field), SD_OK);
    return field;
}

uint64_t TestField_Hash(const sdField* field) {
    size_t size = 0;
    CHECK_INT(sdField_Write(field, NULL, &size), SD_OK);
    uint8_t* data = malloc(size);
    CHECK_INT(sdField_Write(field, data, &size), SD_OK);
    uint64_t hash = TestHash(TEST_HASH_START, data, size);
    free(data);
    return hash;
}
