// SPDX-License-Identifier: MIT
// tessellate.h - triangles of any shape, for drawing and for files.

#ifndef SD_TESSELLATE_H
#define SD_TESSELLATE_H

#include "sudar/shapes.h"

SD_BEGIN_C

/// The edge distance of vertices whose edges are not shown.
#define SD_TESSELLATION_FAR 1e30f

typedef struct sdTessellationVertex {
    sdVec3 position;
    sdVec3 normal; ///< unit, outwards; neighbouring faces share it where the surface is smooth
    float edge;    ///< m to the rim of a hull's face, linear over each triangle, or the above
} sdTessellationVertex;

/// One shape in its own frame. Triangles are counter-clockwise seen from outside.
typedef struct sdTessellation {
    sdTessellationVertex* vertices;
    uint32_t* indices; ///< three a triangle
    int vertexCount, indexCount;
    // what is allocated
    int vertexCapacity, indexCapacity;
    sdAllocator allocator;
} sdTessellation;

typedef struct sdTessellationDef {
    int segmentCount;      ///< around what is round, 4 .. 1024; balls take the next multiple of 4
    float creaseCos;       ///< mesh faces that meet at a smaller cosine have an edge between them
    float halfSpaceExtent; ///< m: half the side of the square that stands for a half-space
} sdTessellationDef;

/// 32 segments, edges from 40 degrees on, 100 m.
sdTessellationDef sdTessellationDef_Default(void);

/// @param context hooks for memory and log; NULL for the default
/// @param def NULL for the default
/// @return SD_ERROR_INVALID_ARGUMENT for a shape or settings that are not valid
sdResult sdTessellate(const sdContext* context, const sdShape* shape, const sdTessellationDef* def,
                      sdTessellation* out);
/// Frees the arrays; a cleared struct is allowed.
void sdTessellation_Free(sdTessellation* tessellation);

SD_END_C

#endif
