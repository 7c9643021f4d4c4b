// SPDX-License-Identifier: MIT
// components.c - the pieces of a surface.
//
// In:   checked triangles and their edges.
// Out:  which piece each triangle belongs to; box, volume, closedness and orientation of each.

#include "geometry/mesh_build.h"

/// A volume below this part of area times size is the rounding of a sum that should be zero: both
/// sides of a sheet. A solid that thin cannot be told from one in floats.
#define FLAT_VOLUME 1e-12

static void joinTriangles(int32_t* parents, int a, int b) {
    int rootA = sdFindRoot(parents, a), rootB = sdFindRoot(parents, b);
    // the smaller number wins, so that roots are first triangles
    if (rootA < rootB) {
        parents[rootB] = rootA;
    } else {
        parents[rootA] = rootB;
    }
}

/// @return the number of components; ofTriangle receives the number of each triangle's
static int labelTriangles(const sdEdgeTable* table, int32_t* ofTriangle, int triangleCount) {
    for (int t = 0; t < triangleCount; ++t) {
        ofTriangle[t] = t;
    }
    for (int e = 0; e < table->edgeCount; ++e) {
        for (int i = table->starts[e] + 1; i < table->starts[e + 1]; ++i) {
            joinTriangles(ofTriangle, table->uses[i - 1] / 3, table->uses[i] / 3);
        }
    }
    int count = 0;
    for (int t = 0; t < triangleCount; ++t) {
        // a root comes before all that point at it, so those find a label already
        int root = sdFindRoot(ofTriangle, t);
        ofTriangle[t] = root;
        count += root == t;
    }
    return count;
}

/// Six times the signed volume of the cone from the reference point.
static double coneVolume(const sdMeshData* data, const int32_t* v, sdVec3d reference) {
    sdVec3d a = sdSubD(sdVec3d_From(data->vertices[v[0]]), reference);
    return sdDotD(a, sdTriangle_Cross(data->vertices, v));
}

static void measureTriangles(const sdMeshData* data, sdMeshComponents* components) {
    for (int t = 0; t < data->triangleCount; ++t) {
        const int32_t* v = data->triangles + 3 * (size_t)t;
        sdMeshComponent* item = &components->items[components->ofTriangle[t]];
        item->triangleCount += 1;
        double area = 0.5 * sdLengthD(sdTriangle_Cross(data->vertices, v));
        item->area += area;
        if (area > item->largestArea) {
            item->largestArea = area;
            item->largestTriangle = t;
        }
        for (int k = 0; k < 3; ++k) {
            item->box = sdAABB_AddPoint(item->box, data->vertices[v[k]]);
        }
        // a corner of the component's own: no digits are lost when it is small and far away
        int32_t corner = data->triangles[3 * (size_t)item->firstTriangle];
        item->volume += coneVolume(data, v, sdVec3d_From(data->vertices[corner])) / 6.0;
    }
}

static void judgeEdges(const sdMeshData* data, const sdEdgeTable* table,
                       sdMeshComponents* components) {
    for (int e = 0; e < table->edgeCount; ++e) {
        int count = table->starts[e + 1] - table->starts[e];
        int forwardCount = 0;
        for (int i = table->starts[e]; i < table->starts[e + 1]; ++i) {
            forwardCount += sdHalfEdge_IsForward(data->triangles, table->uses[i]);
        }
        int backwardCount = count - forwardCount;
        int first = table->uses[table->starts[e]] / 3;
        sdMeshComponent* item = &components->items[components->ofTriangle[first]];
        item->isClosed = item->isClosed && count % 2 == 0;
        item->isPlain = item->isPlain && count <= 2;
        item->isOriented = item->isOriented && forwardCount - backwardCount <= 1 &&
                           backwardCount - forwardCount <= 1;
    }
}

int sdMeshComponent_Facing(const sdMeshComponent* component) {
    double size =
        sdLengthD(sdSubD(sdVec3d_From(component->box.upper), sdVec3d_From(component->box.lower)));
    if (!component->isClosed || fabs(component->volume) <= FLAT_VOLUME * component->area * size) {
        return 0;
    }
    return component->volume > 0.0 ? 1 : -1;
}

void sdMeshComponents_Free(const sdAllocator* allocator, sdMeshComponents* components) {
    sdFree(allocator, components->ofTriangle, (size_t)components->triangleCount * sizeof(int32_t));
    sdFree(allocator, components->items, (size_t)components->count * sizeof(sdMeshComponent));
    *components = (sdMeshComponents){0};
}

sdResult sdMeshComponents_Build(const sdContext* context, const char* function,
                                const sdMeshData* data, const sdEdgeTable* table,
                                sdMeshComponents* out) {
    *out = (sdMeshComponents){.triangleCount = data->triangleCount};
    const sdAllocator* allocator = &context->allocator;
    out->ofTriangle = sdAllocArray(allocator, (size_t)data->triangleCount, sizeof(int32_t));
    if (out->ofTriangle == NULL) {
        return sdFailMemory(context, function, (size_t)data->triangleCount * sizeof(int32_t));
    }
    int count = labelTriangles(table, out->ofTriangle, data->triangleCount);
    out->items = sdAllocArray(allocator, (size_t)count, sizeof(sdMeshComponent));
    if (out->items == NULL) {
        sdMeshComponents_Free(allocator, out);
        return sdFailMemory(context, function, (size_t)count * sizeof(sdMeshComponent));
    }
    for (int t = 0; t < data->triangleCount; ++t) {
        int root = out->ofTriangle[t];
        if (root == t) {
            bool hasEdges = !sdTriangle_IsCollapsed(data->triangles + 3 * (size_t)t);
            out->items[out->count] = (sdMeshComponent){.box = sdAABB_Empty(),
                                                       .firstTriangle = t,
                                                       .largestTriangle = t,
                                                       .isClosed = hasEdges,
                                                       .isOriented = true,
                                                       .isPlain = true};
            out->ofTriangle[t] = out->count++;
        } else {
            out->ofTriangle[t] = out->ofTriangle[root];
        }
    }
    measureTriangles(data, out);
    judgeEdges(data, table, out);
    sdResult result = sdMeshComponents_FindNesting(context, function, data, out);
    if (result != SD_OK) {
        sdMeshComponents_Free(allocator, out);
    }
    return result;
}
