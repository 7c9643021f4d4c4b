// SPDX-License-Identifier: MIT
// concave.h - what an sdConcave is made of.

#ifndef SD_GEOMETRY_CONCAVE_H
#define SD_GEOMETRY_CONCAVE_H

#include "base/memory.h"
#include "geometry/sample_tree.h"
#include "sudar/concave.h"

#define SD_CONCAVE_REASON_SIZE 160

struct sdConcave {
    sdRefCount refCount;
    sdContext context;
    size_t byteCount; ///< of the block that this struct opens

    const sdMesh* mesh;
    const sdField* field; ///< NULL: its triangles collide
    sdHull* hull;         ///< for its box; NULL when it is flat
    float wall;           ///< m
    sdConcaveDef def;     ///< as it was given
    sdSampleTree corners;
    sdSampleTree edges;
    char reason[SD_CONCAVE_REASON_SIZE];
};

/// m by which a surface without inside collides on both of its sides.
float sdConcave_GetSkin(const sdConcave* concave);

/// Thickness of a solid where it is thinnest, wedges aside: along rays into it from the middles of
/// triangles, the one below which a twentieth of the surface is. 0 when there is none.
sdResult sdMesh_FindWall(const sdContext* context, const sdMesh* mesh, float* out);

#endif
