// SPDX-License-Identifier: MIT
// orient.c - turn triangles around so that neighbours agree and solids have their inside inside.
//
// In:   triangles, their edges and components.
// Out:  triangles, some with two corners exchanged.
// Note: "repairs that never change the solid": what agrees with itself is turned only as a whole,
//       and only when it is certain that it is inside out. A shell inside another one is a cavity
//       when it faces inward and stays one.

#include "geometry/mesh_build.h"

#include <string.h>

typedef struct OrientWork {
    int32_t* mates; ///< of each half-edge: the other one when its edge has two uses
    int32_t* queue; ///< triangles of the patch at hand
    uint8_t* isFlipped;
    uint8_t* isVisited;
    char* block;
    size_t byteCount;
} OrientWork;

static sdResult createWork(const sdContext* context, const char* function, int triangleCount,
                           OrientWork* out) {
    size_t count = (size_t)triangleCount;
    sdBlockLayout layout = {0};
    size_t matesAt = sdBlockLayout_Add(&layout, 3 * count, sizeof(int32_t));
    size_t queueAt = sdBlockLayout_Add(&layout, count, sizeof(int32_t));
    size_t flippedAt = sdBlockLayout_Add(&layout, count, 1);
    size_t visitedAt = sdBlockLayout_Add(&layout, count, 1);
    char* block = layout.overflow ? NULL : sdAlloc(&context->allocator, layout.size);
    if (block == NULL) {
        return sdFailMemory(context, function, layout.size);
    }
    *out = (OrientWork){
        .mates = (int32_t*)(block + matesAt),
        .queue = (int32_t*)(block + queueAt),
        .isFlipped = (uint8_t*)(block + flippedAt),
        .isVisited = (uint8_t*)(block + visitedAt),
        .block = block,
        .byteCount = layout.size,
    };
    memset(out->isFlipped, 0, count);
    memset(out->isVisited, 0, count);
    return SD_OK;
}

static void findMates(const sdEdgeTable* table, int triangleCount, int32_t* mates) {
    for (size_t h = 0; h < 3 * (size_t)triangleCount; ++h) {
        mates[h] = SD_NULL_INDEX;
    }
    for (int e = 0; e < table->edgeCount; ++e) {
        int begin = table->starts[e];
        if (table->starts[e + 1] - begin == 2) {
            mates[table->uses[begin]] = table->uses[begin + 1];
            mates[table->uses[begin + 1]] = table->uses[begin];
        }
    }
}

/// Make all triangles that can be reached from `seed` agree with it.
/// @return their number; negative when that is impossible, as on a Moebius strip
static int floodPatch(const int32_t* triangles, int seed, OrientWork* work) {
    int count = 0;
    bool isOrientable = true;
    work->isVisited[seed] = 1;
    work->queue[count++] = seed;
    for (int i = 0; i < count; ++i) {
        int t = work->queue[i];
        for (int h = 3 * t; h < 3 * t + 3; ++h) {
            int mate = work->mates[h];
            if (mate == SD_NULL_INDEX) {
                continue;
            }
            // both run the same way: one of the two must turn
            uint8_t differ =
                sdHalfEdge_IsForward(triangles, h) == sdHalfEdge_IsForward(triangles, mate);
            uint8_t wanted = work->isFlipped[t] ^ differ;
            if (work->isVisited[mate / 3] == 0) {
                work->isVisited[mate / 3] = 1;
                work->isFlipped[mate / 3] = wanted;
                work->queue[count++] = mate / 3;
            } else if (work->isFlipped[mate / 3] != wanted) {
                isOrientable = false;
            }
        }
    }
    return isOrientable ? count : -count;
}

/// Keep as many triangles of the patch as they were as possible.
static void settlePatch(int count, OrientWork* work) {
    int size = count < 0 ? -count : count;
    int flipCount = 0;
    for (int i = 0; i < size; ++i) {
        flipCount += work->isFlipped[work->queue[i]];
    }
    bool invert = 2 * (int64_t)flipCount > size;
    for (int i = 0; i < size; ++i) {
        uint8_t* flag = &work->isFlipped[work->queue[i]];
        *flag = count < 0 ? 0 : (invert ? *flag ^ 1 : *flag);
    }
}

static void agreeWithNeighbors(const sdMeshData* data, const sdMeshComponents* components,
                               OrientWork* work) {
    for (int t = 0; t < data->triangleCount; ++t) {
        if (work->isVisited[t] == 0 && !components->items[components->ofTriangle[t]].isOriented) {
            settlePatch(floodPatch(data->triangles, t, work), work);
        }
    }
}

/// Six times the volume of each component as it will be with the flips made so far, in place of
/// that of the components as they were.
static void measureFlipped(const sdMeshData* data, const sdMeshComponents* components,
                           const uint8_t* isFlipped, double* volumes) {
    memset(volumes, 0, (size_t)components->count * sizeof(double));
    for (int t = 0; t < data->triangleCount; ++t) {
        int c = components->ofTriangle[t];
        int32_t corner = data->triangles[3 * (size_t)components->items[c].firstTriangle];
        const int32_t* v = data->triangles + 3 * (size_t)t;
        sdVec3d arm =
            sdSubD(sdVec3d_From(data->vertices[v[0]]), sdVec3d_From(data->vertices[corner]));
        double volume = sdDotD(arm, sdTriangle_Cross(data->vertices, v));
        volumes[c] += isFlipped[t] != 0 ? -volume : volume;
    }
}

/// Is the component to be turned inside out, after its triangles have been made to agree?
static bool mustTurn(const sdMeshComponents* components, int c, double flippedVolume) {
    const sdMeshComponent* item = &components->items[c];
    if (!item->isClosed) {
        return false;
    }
    if (item->isOriented) {
        // certain for what stands free; what lies inside follows, so that cavities stay cavities
        const sdMeshComponent* outermost = &components->items[item->outermost];
        return outermost->isOriented && outermost->depth == 0 &&
               sdMeshComponent_Facing(outermost) < 0;
    }
    return item->isPlain && (item->depth % 2 == 0 ? flippedVolume < 0.0 : flippedVolume > 0.0);
}

static void faceOutward(const sdMeshData* data, const sdMeshComponents* components, double* volumes,
                        OrientWork* work) {
    measureFlipped(data, components, work->isFlipped, volumes);
    for (int t = 0; t < data->triangleCount; ++t) {
        int c = components->ofTriangle[t];
        work->isFlipped[t] ^= mustTurn(components, c, volumes[c]);
    }
}

static int flipMarked(const uint8_t* isFlipped, int triangleCount, int32_t* triangles) {
    int count = 0;
    for (int t = 0; t < triangleCount; ++t) {
        if (isFlipped[t] != 0) {
            int32_t* v = triangles + 3 * (size_t)t;
            int32_t second = v[1];
            v[1] = v[2];
            v[2] = second;
            count += 1;
        }
    }
    return count;
}

/// Nothing to do in a mesh that is right, as most are.
static bool isRight(const sdMeshComponents* components) {
    for (int c = 0; c < components->count; ++c) {
        if (!components->items[c].isOriented || mustTurn(components, c, 0.0)) {
            return false;
        }
    }
    return true;
}

sdResult sdOrientTriangles(const sdContext* context, const char* function, const sdMeshData* data,
                           const sdEdgeTable* table, const sdMeshComponents* components,
                           int32_t* triangles, int* flipCount) {
    *flipCount = 0;
    if (isRight(components)) {
        return SD_OK;
    }
    size_t volumeBytes = (size_t)components->count * sizeof(double);
    double* volumes = sdAlloc(&context->allocator, volumeBytes);
    if (volumes == NULL) {
        return sdFailMemory(context, function, volumeBytes);
    }
    OrientWork work = {0};
    sdResult result = createWork(context, function, data->triangleCount, &work);
    if (result == SD_OK) {
        findMates(table, data->triangleCount, work.mates);
        agreeWithNeighbors(data, components, &work);
        faceOutward(data, components, volumes, &work);
        *flipCount = flipMarked(work.isFlipped, data->triangleCount, triangles);
        sdFree(&context->allocator, work.block, work.byteCount);
    }
    sdFree(&context->allocator, volumes, volumeBytes);
    return result;
}
