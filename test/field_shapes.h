// SPDX-License-Identifier: MIT
// field_shapes.h - fields of bodies whose distance is a formula, for the tests of fields.

#ifndef SD_TEST_FIELD_SHAPES_H
#define SD_TEST_FIELD_SHAPES_H

#include "geometry/field.h"

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

#endif
