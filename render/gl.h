// SPDX-License-Identifier: MIT
// gl.h - OpenGL ES 3 without a screen: context, programs, triangles on the card's side.

#ifndef SD_RENDER_GL_H
#define SD_RENDER_GL_H

// the platform types of X11 are not needed, nor its headers
#define EGL_NO_X11
#define MESA_EGL_NO_X11_HEADERS

#include "sudar/shapes.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>

// ---- context -------------------------------------------------------------------------------

typedef struct sdGlContext {
    EGLDisplay display;
    EGLContext context;
} sdGlContext;

/// What was current before, to be put back: a program may have a context of its own.
typedef struct sdGlScope {
    EGLDisplay display;
    EGLSurface draw, read;
    EGLContext context;
} sdGlScope;

sdResult sdGlContext_Create(const sdContext* context, sdGlContext* out);
void sdGlContext_Destroy(sdGlContext* gl);
/// @return false when the driver refuses
bool sdGlContext_Enter(const sdGlContext* gl, sdGlScope* scope);
void sdGlContext_Leave(const sdGlContext* gl, const sdGlScope* scope);

// ---- programs ------------------------------------------------------------------------------

typedef enum sdProgramKind {
    SD_PROGRAM_SKY,
    SD_PROGRAM_SHADOW,
    SD_PROGRAM_BODY,
    SD_PROGRAM_FLOOR,
    SD_PROGRAM_GLASS,
    SD_PROGRAM_OVERLAY,
    SD_PROGRAM_COUNT
} sdProgramKind;

/// Locations of attributes.
typedef enum sdAttribute {
    SD_ATTRIBUTE_CORE, ///< and position of overlays
    SD_ATTRIBUTE_NORMAL,
    SD_ATTRIBUTE_EDGE,
    SD_ATTRIBUTE_ROTATION,
    SD_ATTRIBUTE_PLACE,
    SD_ATTRIBUTE_SCALE,
    SD_ATTRIBUTE_COLOR
} sdAttribute;

/// @param program receives 0 on failure
sdResult sdProgram_Create(const sdContext* context, sdProgramKind kind, GLuint* program);

// ---- triangles -----------------------------------------------------------------------------

/// As the vertex shader reads it.
typedef struct sdGlVertex {
    sdVec3 core;
    sdVec3 normal;
    float edge;
} sdGlVertex;

typedef struct sdGlMesh {
    GLuint array, vertices, indices;
    int indexCount;
    float radius; ///< of the ball about the origin that holds all cores
    bool isClosed;
} sdGlMesh;

/// The triangles of a shape.
/// @param rounding the radius that is taken off along the normals: what is left is the core
sdResult sdGlMesh_Create(const sdContext* context, const sdShape* shape, int segmentCount,
                         float rounding, sdGlMesh* out);
void sdGlMesh_Destroy(sdGlMesh* mesh);

/// Triangles of hulls, meshes and loose triangles, kept from picture to picture.
typedef struct sdGlCache {
    sdContext context;
    struct sdGlCacheEntry* entries;
    int count, capacity;
    int* slots; ///< open addressing: index of an entry or SD_NULL_INDEX
    int slotCount;
    uint32_t picture; ///< number of the present one
} sdGlCache;

/// @return index of an entry, made if need be; negative when memory is short
int sdGlCache_Find(sdGlCache* cache, const sdShape* shape);
const sdGlMesh* sdGlCache_Get(const sdGlCache* cache, int index);
/// Drop what the present picture did not use, and begin the next one.
void sdGlCache_EndPicture(sdGlCache* cache);
void sdGlCache_Free(sdGlCache* cache);

#endif
