// SPDX-License-Identifier: MIT
// view_shape.c - a shape of a body as triangles, samples and a slice of its field.

#include "glb_parts.h"
#include "tessellate.h"
#include "view.h"

#include "sudar/debug.h"

#include <stdlib.h>

#define SEGMENTS 24              // around what is round
#define HALF_SPACE_EXTENT 100.0f // m

/// FNV-1a, 32 bits.
#define HASH_START 2166136261u
#define HASH_PRIME 16777619u

// ---- triangles -----------------------------------------------------------------------------

static void putCorner(float* out, sdTransform xf, const sdTessellationVertex* v) {
    sdVec3 p = sdTransformPoint(xf, v->position), n = sdRotate(xf.q, v->normal);
    float corner[SD_VIEW_CORNER_SIZE] = {p.x, p.y, p.z, n.x, n.y, n.z};
    for (int i = 0; i < SD_VIEW_CORNER_SIZE; ++i) {
        out[i] = corner[i];
    }
}

/// @return numbers of all triangles; those that fit are written
static int putShape(const sdShape* shape, sdTransform xf, float* out, int capacity) {
    sdTessellationDef def = sdTessellationDef_Default();
    def.segmentCount = SEGMENTS;
    def.halfSpaceExtent = HALF_SPACE_EXTENT;
    sdTessellation t = {0};
    if (sdTessellate(NULL, shape, &def, &t) != SD_OK) {
        return 0;
    }
    int count = t.indexCount;
    for (int i = 0; i < count && (i + 1) * SD_VIEW_CORNER_SIZE <= capacity; ++i) {
        putCorner(&out[i * SD_VIEW_CORNER_SIZE], xf, &t.vertices[t.indices[i]]);
    }
    sdTessellation_Free(&t);
    return count * SD_VIEW_CORNER_SIZE;
}

int sdView_GetTriangles(const sdWorld* world, sdShapeId shape, float* out, int capacity) {
    const sdShapeDef* def = sdShapeId_GetDef(world, shape);
    return def != NULL ? putShape(&def->shape, def->xf, out, capacity) : 0;
}

static uint32_t addBytes(uint32_t hash, const void* data, size_t size) {
    const unsigned char* bytes = data;
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ bytes[i]) * HASH_PRIME;
    }
    return hash;
}

uint32_t sdView_HashBytes(const void* bytes, size_t size) {
    return addBytes(HASH_START, bytes, size);
}

bool sdView_IsGlass(const sdWorld* world, sdShapeId shape) {
    const sdShapeDef* def = sdShapeId_GetDef(world, shape);
    sdBodyId body = sdShapeId_GetBody(world, shape);
    return def != NULL &&
           (def->isSensor || sdGlb_IsWall(sdBody_GetType(world, body), &def->shape,
                                          sdMulQ(sdBody_GetTransform(world, body).q, def->xf.q)));
}

uint32_t sdView_GetShapeKey(const sdWorld* world, sdShapeId shape) {
    const sdShapeDef* def = sdShapeId_GetDef(world, shape);
    if (def == NULL) {
        return 0;
    }
    // the union is written as a whole by those who make shapes, so unused bytes are zero
    uint32_t hash = addBytes(HASH_START, &def->shape, sizeof def->shape);
    hash = addBytes(hash, &def->xf, sizeof def->xf);
    return sdView_IsGlass(world, shape) ? ~hash : hash;
}

// ---- meshes --------------------------------------------------------------------------------

int sdView_GetSamples(const sdWorld* world, sdShapeId shape, float* out, int capacity) {
    const sdShapeDef* def = sdShapeId_GetDef(world, shape);
    if (def == NULL || def->shape.concave == NULL) {
        return 0;
    }
    int count = sdConcave_GetSamples(def->shape.concave, NULL, 0);
    sdVec3* points = malloc(((size_t)count + 1) * sizeof *points);
    if (points == NULL) {
        return 0;
    }
    sdConcave_GetSamples(def->shape.concave, points, count);
    for (int i = 0; i < count && 3 * (i + 1) <= capacity; ++i) {
        sdVec3 p = sdTransformPoint(def->xf, points[i]);
        out[3 * i] = p.x;
        out[3 * i + 1] = p.y;
        out[3 * i + 2] = p.z;
    }
    free(points);
    return 3 * count;
}

int sdView_GetFieldSlice(const sdWorld* world, sdShapeId shape, int cellCount, float* out,
                         int capacity) {
    const sdShapeDef* def = sdShapeId_GetDef(world, shape);
    if (def == NULL || def->shape.concave == NULL || cellCount < 1 ||
        cellCount > SD_VIEW_SLICE_MAX_CELLS) {
        return 0;
    }
    const sdField* field = sdConcave_GetField(def->shape.concave);
    int count = SD_VIEW_SLICE_HEAD + cellCount * cellCount;
    if (field == NULL || capacity < count) {
        return field == NULL ? 0 : count;
    }
    sdAABB box = sdField_GetInfo(field).bounds;
    sdVec3 size = sdSub(box.upper, box.lower);
    float step = sdMaxF(size.x, size.y) / (float)cellCount;
    sdVec3 middle = sdAABB_Center(box);
    float half = 0.5f * step * (float)cellCount;
    sdVec3 origin = sdV3(middle.x - half, middle.y - half, middle.z);
    float head[SD_VIEW_SLICE_HEAD] = {origin.x, origin.y, origin.z, step};
    for (int i = 0; i < SD_VIEW_SLICE_HEAD; ++i) {
        out[i] = head[i];
    }
    for (int i = 0; i < cellCount * cellCount; ++i) {
        float x = (float)(i % cellCount) + 0.5f, y = (float)(i / cellCount) + 0.5f;
        sdVec3 p = sdV3(origin.x + step * x, origin.y + step * y, origin.z);
        out[SD_VIEW_SLICE_HEAD + i] = sdField_Sample(field, p);
    }
    return count;
}
