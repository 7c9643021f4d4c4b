// SPDX-License-Identifier: MIT
// field_sign.h - a mesh as a source of signed distances, and how to tell that a sign rule failed.

#ifndef SD_GEOMETRY_FIELD_SIGN_H
#define SD_GEOMETRY_FIELD_SIGN_H

#include "geometry/field.h"

typedef struct sdFieldMesh {
    const sdMesh* mesh;
    sdAABB bounds;    ///< of the mesh
    sdFieldSign sign; ///< not SD_FIELD_SIGN_AUTO
} sdFieldMesh;

/// The function of an sdFieldSource; `arg` is an sdFieldMesh.
void sdFieldMesh_Evaluate(const void* arg, const sdVec3* points, int count, float* distances);

/// Whether the field's signs are those of the winding number at some grid points, spread over the
/// whole grid.
bool sdFieldMesh_AgreesWithWinding(const sdMesh* mesh, const sdField* field);

/// Whether any stored distance is negative.
bool sdField_HasInside(const sdField* field);

#endif
