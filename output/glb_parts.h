// SPDX-License-Identifier: MIT
// glb_parts.h - the parts of a glTF file: buffers, accessors, meshes, materials, nodes.

#ifndef SD_OUTPUT_GLB_PARTS_H
#define SD_OUTPUT_GLB_PARTS_H

#include "bytes.h"
#include "sudar/world.h"

typedef enum sdGlbElement {
    SD_GLB_SCALARS,
    SD_GLB_VECTORS,
    SD_GLB_ROTATIONS,
    SD_GLB_INDICES
} sdGlbElement;

/// Triangles of a shape, of the size that its scale is relative to.
typedef struct sdGlbGeometry {
    sdShape shape;
    int position, normal, index; ///< accessors
} sdGlbGeometry;

typedef struct sdGlbMaterial {
    uint8_t color[4];
} sdGlbMaterial;

/// A geometry in a colour.
typedef struct sdGlbMesh {
    int geometry, material;
} sdGlbMesh;

/// Lists of JSON objects, separated by commas, and what the numbers in them count.
typedef struct sdGlbParts {
    sdContext context;
    const char* title;
    sdByteArray bin;
    sdByteArray views, accessors, nodes;
    sdByteArray roots; ///< nodes of bodies
    sdByteArray geometryList, materialList, meshList;
    int viewCount, accessorCount, nodeCount, samplerCount;
    int geometryCount, materialCount, meshCount;
    int firstBodyNode; ///< one a body follows
    size_t viewStart;
    int viewTarget;
    bool isBroken; ///< there was no memory
} sdGlbParts;

/// All bodies with their shapes.
sdResult sdGlbParts_Build(sdGlbParts* parts, const sdWorld* world, const sdBodyId* bodies,
                          int count, const char* title);
void sdGlbParts_Free(sdGlbParts* parts);

/// Bytes that belong together; `target` is OpenGL's number of their use, 0 for none.
int sdGlbParts_BeginView(sdGlbParts* parts, int target);
void sdGlbParts_AddBytes(sdGlbParts* parts, const void* bytes, size_t size);
void sdGlbParts_EndView(sdGlbParts* parts);
/// @param lower,upper of all elements, as many floats as one has; NULL: not said
int sdGlbParts_AddAccessor(sdGlbParts* parts, int view, sdGlbElement element, int count,
                           const float* lower, const float* upper);

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void sdGlb_Print(sdGlbParts* parts, sdByteArray* text, const char* format, ...);

/// The whole of the JSON part.
void sdGlbParts_PrintJson(sdGlbParts* parts, const sdByteArray* samplers,
                          const sdByteArray* channels, sdByteArray* json);

/// A static box that stands upright and is thin: drawn as glass, for what it holds is behind it.
bool sdGlb_IsWall(sdBodyType type, const sdShape* shape, sdQuat q);

#endif
