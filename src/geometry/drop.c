// SPDX-License-Identifier: MIT
// drop.c - which triangles can go without changing the solid.
//
// In:   checked triangles.
// Out:  a mark for each one that can be dropped.
// Note: a triangle without area may still be what holds a surface together (its long edge on one
//       side, its two short ones on the other), and two triangles that face each other may be the
//       two sides of a sheet. Both are told apart by the number of triangles at their edges.

#include "geometry/mesh_build.h"

#include <string.h>

/// Clear the marks of triangles all of whose edges have two or more triangles.
static void keepWhatCloses(const sdEdgeTable* table, const sdMeshData* data, uint8_t* sideCounts,
                           uint8_t* marks) {
    memset(sideCounts, 0, (size_t)data->triangleCount);
    for (int e = 0; e < table->edgeCount; ++e) {
        int begin = table->starts[e], end = table->starts[e + 1];
        for (int i = begin; i < end && end - begin >= 2; ++i) {
            sideCounts[table->uses[i] / 3] += 1;
        }
    }
    for (int t = 0; t < data->triangleCount; ++t) {
        marks[t] = marks[t] != 0 && sideCounts[t] < 3;
    }
}

sdResult sdMarkDegenerate(const sdContext* context, const char* function, const sdMeshData* data,
                          uint8_t* marks) {
    bool hasSlivers = false;
    for (int t = 0; t < data->triangleCount; ++t) {
        const int32_t* v = data->triangles + 3 * (size_t)t;
        marks[t] = sdTriangle_IsDegenerate(data->vertices, v);
        hasSlivers = hasSlivers || (marks[t] != 0 && !sdTriangle_IsCollapsed(v));
    }
    if (!hasSlivers) {
        return SD_OK;
    }
    uint8_t* sideCounts = sdAlloc(&context->allocator, (size_t)data->triangleCount);
    if (sideCounts == NULL) {
        return sdFailMemory(context, function, (size_t)data->triangleCount);
    }
    sdEdgeTable table = {0};
    sdResult result = sdEdgeTable_Build(context, function, data, &table);
    if (result == SD_OK) {
        keepWhatCloses(&table, data, sideCounts, marks);
    }
    sdEdgeTable_Free(&context->allocator, &table);
    sdFree(&context->allocator, sideCounts, (size_t)data->triangleCount);
    return result;
}

/// Join triangles of kind SD_DUPLICATE_OPPOSITE that meet at an edge: they go or stay together.
static void joinOpposites(const sdEdgeTable* table, const uint8_t* kinds, int32_t* parents) {
    for (int e = 0; e < table->edgeCount; ++e) {
        int last = SD_NULL_INDEX;
        for (int i = table->starts[e]; i < table->starts[e + 1]; ++i) {
            int t = table->uses[i] / 3;
            if (kinds[t] != SD_DUPLICATE_OPPOSITE) {
                continue;
            }
            if (last != SD_NULL_INDEX) {
                parents[sdFindRoot(parents, t)] = sdFindRoot(parents, last);
            }
            last = t;
        }
    }
}

/// A group stays when an edge would be left with an odd number of triangles.
static void keepOpenOpposites(const sdEdgeTable* table, const uint8_t* kinds, int32_t* parents,
                              uint8_t* stays) {
    for (int e = 0; e < table->edgeCount; ++e) {
        int left = 0, opposite = SD_NULL_INDEX;
        for (int i = table->starts[e]; i < table->starts[e + 1]; ++i) {
            int t = table->uses[i] / 3;
            left += kinds[t] == SD_DUPLICATE_NONE;
            opposite = kinds[t] == SD_DUPLICATE_OPPOSITE ? t : opposite;
        }
        if (opposite != SD_NULL_INDEX && left % 2 != 0) {
            stays[sdFindRoot(parents, opposite)] = 1;
        }
    }
}

sdResult sdMarkDuplicates(const sdContext* context, const char* function, const sdMeshData* data,
                          uint8_t* marks) {
    sdResult result =
        sdFindDuplicateTriangles(context, function, data->triangles, data->triangleCount, marks);
    bool hasOpposites = result == SD_OK &&
                        memchr(marks, SD_DUPLICATE_OPPOSITE, (size_t)data->triangleCount) != NULL;
    if (!hasOpposites) {
        return result;
    }
    size_t count = (size_t)data->triangleCount;
    sdEdgeTable table = {0};
    int32_t* parents = sdAlloc(&context->allocator, count * (sizeof(int32_t) + 1));
    if (parents == NULL) {
        return sdFailMemory(context, function, count * (sizeof(int32_t) + 1));
    }
    uint8_t* stays = (uint8_t*)(parents + count);
    memset(stays, 0, count);
    for (int t = 0; t < data->triangleCount; ++t) {
        parents[t] = t;
    }
    result = sdEdgeTable_Build(context, function, data, &table);
    if (result == SD_OK) {
        joinOpposites(&table, marks, parents);
        keepOpenOpposites(&table, marks, parents, stays);
        for (int t = 0; t < data->triangleCount; ++t) {
            marks[t] = marks[t] == SD_DUPLICATE_SAME ||
                       (marks[t] == SD_DUPLICATE_OPPOSITE && stays[sdFindRoot(parents, t)] == 0);
        }
    }
    sdEdgeTable_Free(&context->allocator, &table);
    sdFree(&context->allocator, parents, count * (sizeof(int32_t) + 1));
    return result;
}
