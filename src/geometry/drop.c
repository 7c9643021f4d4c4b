// SPDX-License-Identifier: MIT
// drop.c - which triangles can go without changing the solid.
//
// In:   checked triangles and their edges.
// Out:  a mark for each one that can be dropped.
// Note: a triangle without area may still be what holds a surface together (its long edge on one
//       side, its two short ones on the other), and two triangles that face each other may be the
//       two sides of a sheet. Both are told apart by the number of triangles at their edges.

#include "base/sort.h"
#include "geometry/mesh_build.h"

#include <string.h>

// ---- triangles without area ----------------------------------------------------------------

void sdMarkSlivers(const sdMeshData* data, const sdEdgeTable* table, uint8_t* marks) {
    enum { STAYS, HAS_NEIGHBORS, HAS_FREE_SIDE };
    bool hasSlivers = false;
    for (int t = 0; t < data->triangleCount; ++t) {
        const int32_t* v = data->triangles + 3 * (size_t)t;
        bool isSliver = !sdTriangle_IsCollapsed(v) && sdTriangle_IsDegenerate(data->vertices, v);
        marks[t] = isSliver ? HAS_NEIGHBORS : STAYS;
        hasSlivers = hasSlivers || isSliver;
    }
    for (int e = 0; e < table->edgeCount && hasSlivers; ++e) {
        int t = table->uses[table->starts[e]] / 3;
        if (table->starts[e + 1] - table->starts[e] == 1 && marks[t] == HAS_NEIGHBORS) {
            marks[t] = HAS_FREE_SIDE;
        }
    }
    for (int t = 0; t < data->triangleCount && hasSlivers; ++t) {
        marks[t] = marks[t] == HAS_FREE_SIDE;
    }
}

// ---- triangles on the same vertices --------------------------------------------------------

/// Is h the side of its triangle between the two lower vertices? Triangles on the same vertices
/// have that side in common, and each triangle has one.
static bool isLowSide(const int32_t* triangles, int h) {
    int opposite = triangles[sdHalfEdge_Opposite(h)];
    return opposite > triangles[h] && opposite > triangles[sdHalfEdge_Next(h)];
}

/// The low sides at an edge, as keys ordered by the third vertex and then by triangle.
static int gatherLowSides(const int32_t* triangles, const int32_t* uses, int count,
                          uint64_t* keys) {
    int keyCount = 0;
    for (int i = 0; i < count; ++i) {
        int h = uses[i];
        if (isLowSide(triangles, h)) {
            keys[keyCount++] = (uint64_t)triangles[sdHalfEdge_Opposite(h)] << 32 | (uint64_t)h;
        }
    }
    sdSortKeys(keys, keyCount);
    return keyCount;
}

/// @return how many of the triangles repeat others
static int compareLowSides(const int32_t* triangles, const uint64_t* keys, int keyCount,
                           uint8_t* kinds) {
    int count = 0;
    bool seen[2] = {false, false};
    for (int i = 0; i < keyCount; ++i) {
        int h = (int)(keys[i] & UINT32_MAX);
        bool isForward = sdHalfEdge_IsForward(triangles, h);
        if (i == 0 || keys[i] >> 32 != keys[i - 1] >> 32) {
            seen[0] = false;
            seen[1] = false;
        }
        if (seen[0] || seen[1]) {
            kinds[h / 3] = seen[isForward] ? SD_DUPLICATE_SAME : SD_DUPLICATE_OPPOSITE;
            count += 1;
        }
        seen[isForward] = true;
    }
    return count;
}

sdResult sdFindDuplicates(const sdContext* context, const char* function, const sdMeshData* data,
                          const sdEdgeTable* table, uint8_t* kinds, int* count) {
    *count = 0;
    memset(kinds, SD_DUPLICATE_NONE, (size_t)data->triangleCount);
    if (table->mostUses < 2) {
        return SD_OK;
    }
    size_t size = (size_t)table->mostUses * sizeof(uint64_t);
    uint64_t* keys = sdAlloc(&context->allocator, size);
    if (keys == NULL) {
        return sdFailMemory(context, function, size);
    }
    for (int e = 0; e < table->edgeCount; ++e) {
        int begin = table->starts[e], end = table->starts[e + 1];
        if (end - begin >= 2) {
            int keyCount = gatherLowSides(data->triangles, table->uses + begin, end - begin, keys);
            *count += compareLowSides(data->triangles, keys, keyCount, kinds);
        }
    }
    sdFree(&context->allocator, keys, size);
    return SD_OK;
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

static void dropOpposites(const sdEdgeTable* table, int triangleCount, int32_t* parents,
                          uint8_t* stays, uint8_t* kinds) {
    memset(stays, 0, (size_t)triangleCount);
    for (int t = 0; t < triangleCount; ++t) {
        parents[t] = t;
    }
    joinOpposites(table, kinds, parents);
    keepOpenOpposites(table, kinds, parents, stays);
    for (int t = 0; t < triangleCount; ++t) {
        if (kinds[t] == SD_DUPLICATE_OPPOSITE && stays[sdFindRoot(parents, t)] != 0) {
            kinds[t] = SD_DUPLICATE_NONE;
        }
    }
}

sdResult sdMarkDuplicates(const sdContext* context, const char* function, const sdMeshData* data,
                          const sdEdgeTable* table, uint8_t* marks) {
    int count = 0;
    sdResult result = sdFindDuplicates(context, function, data, table, marks, &count);
    if (result != SD_OK || count == 0) {
        return result;
    }
    size_t triangleCount = (size_t)data->triangleCount;
    size_t size = triangleCount * (sizeof(int32_t) + 1);
    int32_t* parents = sdAlloc(&context->allocator, size);
    if (parents == NULL) {
        return sdFailMemory(context, function, size);
    }
    dropOpposites(table, data->triangleCount, parents, (uint8_t*)(parents + triangleCount), marks);
    for (size_t t = 0; t < triangleCount; ++t) {
        marks[t] = marks[t] != SD_DUPLICATE_NONE;
    }
    sdFree(&context->allocator, parents, size);
    return SD_OK;
}
