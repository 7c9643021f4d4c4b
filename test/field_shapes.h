// SPDX-License-Identifier: MIT
// field_shapes.h - bodies and their fields for the tests of fields, some with distances by formula.

#ifndef SD_TEST_FIELD_SHAPES_H
#define SD_TEST_FIELD_SHAPES_H

#include "geometry/field.h"
#include "support.h"

typedef enum FieldShape {
    FIELD_SPHERE, ///< radius 0.5
    FIELD_BOX,    ///< half extents 0.5, 0.3, 0.2
    FIELD_TORUS,  ///< radii 0.35 and 0.15, around z
    FIELD_SHAPE_COUNT
} FieldShape;

/// Exact signed distance, in double.
double FieldShape_Distance(FieldShape shape, sdVec3 p);

/// Cubic grid with a margin of two cells at least.
/// @param resolution cells along x of the body
sdFieldGrid FieldShape_Grid(FieldShape shape, int resolution);

/// A field built from the formula; NULL on failure, which is then already checked.
sdField* FieldShape_Build(const sdContext* context, FieldShape shape, int resolution,
                          sdFieldLayout layout);

/// Meshes and a field, without a context of their own; NULL on failure, which is already
/// checked.
sdMesh* TestField_Model(sdModelKind kind, float size);
sdMesh* TestField_Mesh(const sdVec3* vertices, int vertexCount, const int32_t* triangles,
                       int triangleCount);
/// A cube, and the same stretched and turned.
extern const sdVec3 testFieldCubeVertices[8];
extern const int32_t testFieldCubeTriangles[36];
sdMesh* TestField_Slab(sdVec3 size, sdQuat rotation, sdVec3 offset);
sdField* TestField_Make(const sdMesh* mesh, int resolution, sdFieldSign sign);
/// Of all its bytes.
uint64_t TestField_Hash(const sdField* field);

#endif
