// SPDX-License-Identifier: MIT
// adjacency.c - edges and neighbours.
//
// In:   checked triangles.
// Out:  half-edges gathered by edge and paired (sdEdgeTable); edges and neighbours of an sdMesh.
// Note: two counting sorts, so linear in triangles and vertices; edges come out ordered by their
//       vertices. Only edges with three or more triangles need geometry.

#include "base/sort.h"
#include "geometry/mesh_build.h"
#include "math/trig.h"

#include <string.h>

/// Angles around an edge nearer than this (radians) are one angle, so that faces that lie on each
/// other are ordered by direction rather than by rounding. Floats resolve about 1e-7.
#define RADIAL_STEP 1e-6

#define TWO_PI 6.283185307179586

/// A triangle at an edge of three or more, seen along the edge, as a key to sort by: the angle in
/// RADIAL_STEPs (23 bits), whether the solid lies at larger angles, and the half-edge (29 bits).
/// Where faces lie on each other, what leaves the solid comes before what enters it, so that the
/// wedges on both sides stay apart.
#define RADIAL_ENTERS ((uint64_t)1 << 29)
#define RADIAL_HALF_EDGE (RADIAL_ENTERS - 1)
#define RADIAL_ANGLE_SHIFT 30

// ---- gathering -----------------------------------------------------------------------------

static int lowVertex(const int32_t* triangles, int h) {
    return sdMinI(triangles[h], triangles[sdHalfEdge_Next(h)]);
}

static int highVertex(const int32_t* triangles, int h) {
    return sdMaxI(triangles[h], triangles[sdHalfEdge_Next(h)]);
}

/// counts[v] becomes the place where the items of v start.
static void startsFromCounts(int32_t* counts, int count) {
    int32_t sum = 0;
    for (int i = 0; i < count; ++i) {
        int32_t c = counts[i];
        counts[i] = sum;
        sum += c;
    }
}

/// All half-edges, ordered by lower vertex, then higher vertex, then number.
/// @return how many there are
static int sortHalfEdges(const sdMeshData* data, int32_t* counts, int32_t* scratch, int32_t* out) {
    const int32_t* triangles = data->triangles;
    int useCount = 0;
    size_t countBytes = (size_t)data->vertexCount * sizeof(int32_t);
    memset(counts, 0, countBytes);
    for (int t = 0; t < data->triangleCount; ++t) {
        if (!sdTriangle_IsCollapsed(triangles + 3 * (size_t)t)) {
            for (int h = 3 * t; h < 3 * t + 3; ++h) {
                counts[highVertex(triangles, h)] += 1;
            }
            useCount += 3;
        }
    }
    startsFromCounts(counts, data->vertexCount);
    for (int t = 0; t < data->triangleCount; ++t) {
        if (!sdTriangle_IsCollapsed(triangles + 3 * (size_t)t)) {
            for (int h = 3 * t; h < 3 * t + 3; ++h) {
                scratch[counts[highVertex(triangles, h)]++] = h;
            }
        }
    }

    memset(counts, 0, countBytes);
    for (int i = 0; i < useCount; ++i) {
        counts[lowVertex(triangles, scratch[i])] += 1;
    }
    startsFromCounts(counts, data->vertexCount);
    for (int i = 0; i < useCount; ++i) {
        int h = scratch[i];
        out[counts[lowVertex(triangles, h)]++] = h;
    }
    return useCount;
}

static void findGroups(const int32_t* triangles, sdEdgeTable* table) {
    for (int i = 0; i < table->useCount;) {
        int low = lowVertex(triangles, table->uses[i]);
        int high = highVertex(triangles, table->uses[i]);
        int end = i + 1;
        while (end < table->useCount && lowVertex(triangles, table->uses[end]) == low &&
               highVertex(triangles, table->uses[end]) == high) {
            end += 1;
        }
        table->starts[table->edgeCount++] = i;
        table->pairCount += (end - i + 1) / 2;
        table->mostUses = sdMaxI(table->mostUses, end - i);
        i = end;
    }
    table->starts[table->edgeCount] = table->useCount;
}

// ---- edges of three or more triangles ------------------------------------------------------

static void measureAngles(const sdMeshData* data, const int32_t* halfEdges, int count,
                          uint64_t* keys) {
    const int32_t* triangles = data->triangles;
    sdVec3d a = sdVec3d_From(data->vertices[lowVertex(triangles, halfEdges[0])]);
    sdVec3d b = sdVec3d_From(data->vertices[highVertex(triangles, halfEdges[0])]);
    sdVec3d axis = sdSubD(b, a);
    double length = sdLengthD(axis);
    axis = sdScaleD(length > 0.0 ? 1.0 / length : 0.0, axis);
    sdVec3d zero = sdV3d(0.0, 0.0, 0.0), e1 = zero, e2 = zero;
    for (int i = 0; i < count; ++i) {
        int h = halfEdges[i];
        sdVec3d d = sdSubD(sdVec3d_From(data->vertices[triangles[sdHalfEdge_Opposite(h)]]), a);
        if (i == 0) {
            // the first triangle is at angle 0
            e2 = sdCrossD(axis, d);
            e1 = sdCrossD(e2, axis);
        }
        double angle = sdAtan2D(sdDotD(d, e2), sdDotD(d, e1));
        angle = angle < -0.5 * RADIAL_STEP ? angle + TWO_PI : angle;
        // the triangle lies to the left of a forward half-edge and the solid below it
        uint64_t enters = sdHalfEdge_IsForward(triangles, h) ? 0 : RADIAL_ENTERS;
        uint64_t steps = (uint64_t)(angle / RADIAL_STEP + 0.5);
        keys[i] = steps << RADIAL_ANGLE_SHIFT | enters | (uint64_t)h;
    }
}

/// Match what enters the solid with what leaves it next, as brackets are matched in
/// a circle. What is left over all runs in one direction and is paired in order.
static void pairRadially(const uint64_t* keys, int count, int32_t* open, int32_t* rest,
                         int32_t* out) {
    int outCount = 0, openCount = 0, restCount = 0;
    for (int i = 0; i < count; ++i) {
        int32_t h = (int32_t)(keys[i] & RADIAL_HALF_EDGE);
        if ((keys[i] & RADIAL_ENTERS) != 0) {
            open[openCount++] = h;
        } else if (openCount > 0) {
            out[outCount++] = open[--openCount];
            out[outCount++] = h;
        } else {
            rest[restCount++] = h;
        }
    }
    int next = 0;
    while (openCount > 0 && next < restCount) {
        out[outCount++] = open[--openCount];
        out[outCount++] = rest[next++];
    }
    for (int i = 0; i < openCount; ++i) {
        out[outCount++] = open[i];
    }
    while (next < restCount) {
        out[outCount++] = rest[next++];
    }
}

static sdResult pairGroups(const sdContext* context, const char* function, const sdMeshData* data,
                           sdEdgeTable* table) {
    size_t largest = (size_t)table->mostUses;
    size_t size = largest * (sizeof(uint64_t) + 2 * sizeof(int32_t));
    uint64_t* keys = sdAlloc(&context->allocator, size);
    if (keys == NULL) {
        return sdFailMemory(context, function, size);
    }
    int32_t* open = (int32_t*)(keys + largest);
    int32_t* rest = open + largest;
    for (int e = 0; e < table->edgeCount; ++e) {
        int32_t* uses = table->uses + table->starts[e];
        int count = table->starts[e + 1] - table->starts[e];
        if (count >= 3) {
            measureAngles(data, uses, count, keys);
            sdSortKeys(keys, count);
            pairRadially(keys, count, open, rest, uses);
        }
    }
    sdFree(&context->allocator, keys, size);
    return SD_OK;
}

// ---- the table -----------------------------------------------------------------------------

void sdEdgeTable_Free(const sdAllocator* allocator, sdEdgeTable* table) {
    sdFree(allocator, table->block, table->byteCount);
    *table = (sdEdgeTable){0};
}

sdResult sdEdgeTable_Build(const sdContext* context, const char* function, const sdMeshData* data,
                           sdEdgeTable* out) {
    *out = (sdEdgeTable){0};
    size_t useCapacity = 3 * (size_t)data->triangleCount;
    out->byteCount = (2 * useCapacity + 1) * sizeof(int32_t);
    out->block = sdAlloc(&context->allocator, out->byteCount);
    if (out->block == NULL) {
        return sdFailMemory(context, function, out->byteCount);
    }
    out->uses = out->block;
    out->starts = out->uses + useCapacity;

    size_t countBytes = (size_t)data->vertexCount * sizeof(int32_t);
    int32_t* counts = sdAlloc(&context->allocator, countBytes);
    if (counts == NULL) {
        sdEdgeTable_Free(&context->allocator, out);
        return sdFailMemory(context, function, countBytes);
    }
    // the starts are written after the sort, so their room can serve it
    out->useCount = sortHalfEdges(data, counts, out->starts, out->uses);
    sdFree(&context->allocator, counts, countBytes);

    findGroups(data->triangles, out);
    sdResult result = SD_OK;
    if (out->mostUses >= 3) {
        result = pairGroups(context, function, data, out);
    }
    if (result != SD_OK) {
        sdEdgeTable_Free(&context->allocator, out);
    }
    return result;
}

// ---- edges of a mesh -----------------------------------------------------------------------

void sdMesh_LinkEdges(sdMesh* mesh, const sdEdgeTable* table) {
    for (size_t h = 0; h < 3 * (size_t)mesh->triangleCount; ++h) {
        mesh->neighbors[h] = SD_NULL_INDEX;
        mesh->triangleEdges[h] = SD_NULL_INDEX;
    }
    int edgeIndex = 0;
    for (int e = 0; e < table->edgeCount; ++e) {
        for (int i = table->starts[e]; i < table->starts[e + 1]; i += 2) {
            int h0 = table->uses[i];
            int h1 = i + 1 < table->starts[e + 1] ? table->uses[i + 1] : SD_NULL_INDEX;
            int t1 = h1 >= 0 ? h1 / 3 : SD_NULL_INDEX;
            mesh->edges[edgeIndex] = (sdMeshEdge){
                .vertices = {mesh->triangles[h0], mesh->triangles[sdHalfEdge_Next(h0)]},
                .triangles = {h0 / 3, t1},
            };
            mesh->triangleEdges[h0] = edgeIndex;
            mesh->neighbors[h0] = t1;
            if (h1 >= 0) {
                mesh->triangleEdges[h1] = edgeIndex;
                mesh->neighbors[h1] = h0 / 3;
            }
            edgeIndex += 1;
        }
    }
}
