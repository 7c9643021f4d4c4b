// SPDX-License-Identifier: MIT
// inspect.c - what is true of a set of triangles.
//
// In:   a user's triangles, as they are.
// Out:  refusal with a reason, or an sdMeshReport.
// Note: everything is counted by edges and corners; no tolerance enters except for triangles
//       without area.

#include "geometry/mesh_build.h"

#include <string.h>

/// A triangle whose height is below this part of its longest edge has no normal: its corners, given
/// as floats, round by about 6e-8 of their size.
#define DEGENERATE_HEIGHT 1e-6

bool sdTriangle_IsDegenerate(const sdVec3* vertices, const int32_t* v) {
    if (sdTriangle_IsCollapsed(v)) {
        return true;
    }
    sdVec3d a = sdVec3d_From(vertices[v[0]]), b = sdVec3d_From(vertices[v[1]]),
            c = sdVec3d_From(vertices[v[2]]);
    sdVec3d ab = sdSubD(b, a), bc = sdSubD(c, b), ca = sdSubD(a, c);
    double ab2 = sdDotD(ab, ab), bc2 = sdDotD(bc, bc), ca2 = sdDotD(ca, ca);
    double longest = ab2 > bc2 ? ab2 : bc2;
    longest = longest > ca2 ? longest : ca2;
    sdVec3d cross = sdCrossD(ab, bc);
    // |cross| = base * height; also true when any of the lengths is zero
    return !(sdDotD(cross, cross) > DEGENERATE_HEIGHT * DEGENERATE_HEIGHT * longest * longest);
}

// ---- refusal -------------------------------------------------------------------------------

static sdResult checkCounts(const sdContext* context, const char* function,
                            const sdMeshData* data) {
    if (data->vertices == NULL || data->vertexCount <= 0) {
        return sdFail(context, SD_ERROR_INVALID_ARGUMENT,
                      "%s: there are no vertices (vertices %s, vertexCount %d)", function,
                      data->vertices == NULL ? "NULL" : "given", data->vertexCount);
    }
    if (data->triangles == NULL || data->triangleCount <= 0) {
        return sdFail(context, SD_ERROR_INVALID_ARGUMENT,
                      "%s: there are no triangles (triangles %s, triangleCount %d)", function,
                      data->triangles == NULL ? "NULL" : "given", data->triangleCount);
    }
    if (data->vertexCount > SD_MESH_MAX_VERTICES) {
        return sdFail(context, SD_ERROR_LIMIT, "%s: %d vertices, but at most %d are supported",
                      function, data->vertexCount, SD_MESH_MAX_VERTICES);
    }
    if (data->triangleCount > SD_MESH_MAX_TRIANGLES) {
        return sdFail(context, SD_ERROR_LIMIT, "%s: %d triangles, but at most %d are supported",
                      function, data->triangleCount, SD_MESH_MAX_TRIANGLES);
    }
    return SD_OK;
}

sdResult sdMeshData_Check(const sdContext* context, const char* function, const sdMeshData* data) {
    sdResult result = checkCounts(context, function, data);
    if (result != SD_OK) {
        return result;
    }
    for (int i = 0; i < data->vertexCount; ++i) {
        if (!sdVec3_IsFinite(data->vertices[i])) {
            return sdFail(context, SD_ERROR_INVALID_ARGUMENT,
                          "%s: vertex %d is not finite (%g, %g, %g)", function, i,
                          (double)data->vertices[i].x, (double)data->vertices[i].y,
                          (double)data->vertices[i].z);
        }
    }
    for (int t = 0; t < data->triangleCount; ++t) {
        for (int k = 0; k < 3; ++k) {
            int32_t v = data->triangles[3 * (size_t)t + (size_t)k];
            if (v < 0 || v >= data->vertexCount) {
                return sdFail(context, SD_ERROR_INVALID_ARGUMENT,
                              "%s: triangle %d uses vertex %d, but there are only %d vertices "
                              "(numbered from 0)",
                              function, t, v, data->vertexCount);
            }
        }
    }
    return SD_OK;
}

// ---- counting ------------------------------------------------------------------------------

static void noteEdge(int first[2], const int32_t* triangles, int h) {
    if (first[0] == SD_NULL_INDEX) {
        first[0] = triangles[h];
        first[1] = triangles[sdHalfEdge_Next(h)];
    }
}

static void countEdges(const sdMeshData* data, const sdEdgeTable* table, sdMeshReport* report) {
    const int32_t* triangles = data->triangles;
    report->edgeCount = table->edgeCount;
    for (int e = 0; e < table->edgeCount; ++e) {
        int begin = table->starts[e], end = table->starts[e + 1];
        if (end - begin == 1) {
            report->boundaryEdgeCount += 1;
            noteEdge(report->firstBoundaryEdge, triangles, table->uses[begin]);
        } else if (end - begin > 2) {
            report->nonManifoldEdgeCount += 1;
            noteEdge(report->firstNonManifoldEdge, triangles, table->uses[begin]);
        }
        bool disagree = false;
        for (int i = begin; i + 1 < end; i += 2) {
            disagree = disagree || sdHalfEdge_IsForward(triangles, table->uses[i]) ==
                                       sdHalfEdge_IsForward(triangles, table->uses[i + 1]);
        }
        if (disagree) {
            report->misorientedEdgeCount += 1;
            noteEdge(report->firstMisorientedEdge, triangles, table->uses[begin]);
        }
    }
}

static void countTriangles(const sdMeshData* data, sdMeshReport* report) {
    for (int t = 0; t < data->triangleCount; ++t) {
        const int32_t* v = data->triangles + 3 * (size_t)t;
        if (sdTriangle_IsDegenerate(data->vertices, v)) {
            report->degenerateTriangleCount += 1;
            if (report->firstDegenerateTriangle == SD_NULL_INDEX) {
                report->firstDegenerateTriangle = t;
            }
        }
    }
}

static void joinCorners(const int32_t* triangles, int32_t* parents, int h0, int h1) {
    bool sameWay = triangles[h0] == triangles[h1];
    int a0 = h0, b0 = sdHalfEdge_Next(h0);
    int a1 = sameWay ? h1 : sdHalfEdge_Next(h1), b1 = sameWay ? sdHalfEdge_Next(h1) : h1;
    parents[sdFindRoot(parents, a0)] = sdFindRoot(parents, a1);
    parents[sdFindRoot(parents, b0)] = sdFindRoot(parents, b1);
}

/// Corners that meet at a vertex are joined across edges, by pairs; what stays apart are fans.
static void countFans(const sdMeshData* data, const sdEdgeTable* table, int32_t* parents,
                      int32_t* fanCounts) {
    for (int h = 0; h < 3 * data->triangleCount; ++h) {
        parents[h] = h;
    }
    for (int e = 0; e < table->edgeCount; ++e) {
        for (int i = table->starts[e]; i + 1 < table->starts[e + 1]; i += 2) {
            joinCorners(data->triangles, parents, table->uses[i], table->uses[i + 1]);
        }
    }
    memset(fanCounts, 0, (size_t)data->vertexCount * sizeof(int32_t));
    for (int t = 0; t < data->triangleCount; ++t) {
        if (!sdTriangle_IsCollapsed(data->triangles + 3 * (size_t)t)) {
            for (int h = 3 * t; h < 3 * t + 3; ++h) {
                fanCounts[data->triangles[h]] += parents[h] == h;
            }
        }
    }
}

static void countVertices(const sdMeshData* data, const int32_t* fanCounts, uint8_t* isUsed,
                          sdMeshReport* report) {
    memset(isUsed, 0, (size_t)data->vertexCount);
    for (size_t h = 0; h < 3 * (size_t)data->triangleCount; ++h) {
        isUsed[data->triangles[h]] = 1;
    }
    for (int v = 0; v < data->vertexCount; ++v) {
        report->unusedVertexCount += isUsed[v] == 0;
        report->nonManifoldVertexCount += fanCounts[v] > 1;
    }
}

/// Euler: V - E + F = 2 (components - handles). Vertices without a fan and triangles without edges
/// are no part of the surface.
static int countHandles(const sdMeshData* data, const int32_t* fanCounts,
                        const sdMeshReport* report) {
    int64_t euler = -(int64_t)report->edgeCount;
    for (int v = 0; v < data->vertexCount; ++v) {
        euler += fanCounts[v] > 0;
    }
    for (int t = 0; t < data->triangleCount; ++t) {
        euler += !sdTriangle_IsCollapsed(data->triangles + 3 * (size_t)t);
    }
    return (int)(report->componentCount - euler / 2);
}

static void judge(const sdMeshData* data, const sdMeshComponents* components,
                  const int32_t* fanCounts, sdMeshReport* report) {
    report->isClosed = true;
    report->isOriented = true;
    bool hasInside = false;
    for (int i = 0; i < components->count; ++i) {
        const sdMeshComponent* item = &components->items[i];
        report->area += item->area;
        if (sdTriangle_IsCollapsed(data->triangles + 3 * (size_t)item->firstTriangle)) {
            continue;
        }
        report->componentCount += 1;
        report->volume += item->volume;
        report->isClosed = report->isClosed && item->isClosed;
        report->isOriented = report->isOriented && item->isOriented;
        int facing = item->isOriented ? sdMeshComponent_Facing(item) : 0;
        // a shell that faces inward bounds a cavity when there is solid around it
        report->invertedComponentCount += facing < 0 && item->winding < 1;
        report->nestedComponentCount += facing > 0 && item->winding > 0;
        hasInside = hasInside || facing > 0;
    }
    report->isClosed = report->isClosed && report->componentCount > 0;
    report->isManifold = report->nonManifoldEdgeCount == 0 && report->nonManifoldVertexCount == 0;
    report->isSolid = report->isClosed && report->isOriented && hasInside &&
                      report->invertedComponentCount == 0 && report->volume > 0.0;
    if (report->isClosed && report->isManifold && report->isOriented) {
        report->genus = countHandles(data, fanCounts, report);
    }
}

static void clearFindings(const sdMeshData* data, sdMeshReport* report) {
    report->vertexCount = data->vertexCount;
    report->triangleCount = data->triangleCount;
    report->genus = -1;
    report->selfIntersectionCount = -1;
    report->firstDegenerateTriangle = SD_NULL_INDEX;
    for (int k = 0; k < 2; ++k) {
        report->firstBoundaryEdge[k] = SD_NULL_INDEX;
        report->firstNonManifoldEdge[k] = SD_NULL_INDEX;
        report->firstMisorientedEdge[k] = SD_NULL_INDEX;
        report->firstIntersection[k] = SD_NULL_INDEX;
    }
}

sdResult sdMeshData_Analyze(const sdContext* context, const char* function, const sdMeshData* data,
                            const sdEdgeTable* table, const sdMeshComponents* components,
                            sdMeshReport* report) {
    clearFindings(data, report);
    sdBlockLayout layout = {0};
    size_t parentsAt = sdBlockLayout_Add(&layout, 3 * (size_t)data->triangleCount, sizeof(int32_t));
    size_t fansAt = sdBlockLayout_Add(&layout, (size_t)data->vertexCount, sizeof(int32_t));
    size_t usedAt = sdBlockLayout_Add(&layout, (size_t)data->vertexCount, 1);
    size_t kindsAt = sdBlockLayout_Add(&layout, (size_t)data->triangleCount, 1);
    char* block = layout.overflow ? NULL : sdAlloc(&context->allocator, layout.size);
    if (block == NULL) {
        return sdFailMemory(context, function, layout.size);
    }
    int32_t* fanCounts = (int32_t*)(block + fansAt);
    countEdges(data, table, report);
    countTriangles(data, report);
    countFans(data, table, (int32_t*)(block + parentsAt), fanCounts);
    countVertices(data, fanCounts, (uint8_t*)(block + usedAt), report);
    judge(data, components, fanCounts, report);
    sdResult result = sdFindDuplicates(context, function, data, table, (uint8_t*)(block + kindsAt),
                                       &report->duplicateTriangleCount);
    sdFree(&context->allocator, block, layout.size);
    return result;
}

static sdResult inspectChecked(const sdContext* context, const char* function,
                               const sdMeshData* data, sdMeshReport* report) {
    sdEdgeTable table = {0};
    sdMeshComponents components = {0};
    sdResult result = sdEdgeTable_Build(context, function, data, &table);
    if (result == SD_OK) {
        result = sdMeshComponents_Build(context, function, data, &table, &components);
    }
    if (result == SD_OK) {
        result = sdMeshData_Analyze(context, function, data, &table, &components, report);
    }
    sdMeshComponents_Free(&context->allocator, &components);
    sdEdgeTable_Free(&context->allocator, &table);
    return result;
}

sdResult sdMesh_Inspect(const sdContext* context, const sdMeshData* data,
                        bool findSelfIntersections, sdMeshReport* report) {
    static const char* const function = "sdMesh_Inspect";
    sdContext resolved;
    sdResult result = sdContext_Resolve(context, &resolved);
    if (result != SD_OK) {
        return result;
    }
    if (data == NULL || report == NULL) {
        return sdFail(&resolved, SD_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", function,
                      data == NULL ? "data" : "report");
    }
    *report = (sdMeshReport){0};
    result = sdMeshData_Check(&resolved, function, data);
    if (result == SD_OK) {
        result = inspectChecked(&resolved, function, data, report);
    }
    if (result == SD_OK && findSelfIntersections) {
        result = sdMeshData_FindSelfIntersections(&resolved, data, report);
    }
    if (result != SD_OK) {
        *report = (sdMeshReport){0};
    }
    return result;
}
