// SPDX-License-Identifier: MIT
// weld.c - which vertices are one.
//
// In:   checked vertices.
// Out:  for each vertex the one that stands for it.
// Note: hashing, expected linear time; the result depends on the order of the input only.

#include "base/hash.h"
#include "geometry/mesh_build.h"

#include <string.h>

/// Cells along the longest side of the vertices' box at most: their numbers stay exact in double.
/// A weld distance below extent / MAX_CELLS is still compared exactly, in cells of that size.
#define MAX_CELLS 1e15

/// Chained hash table of small integers: heads by hash, links by item.
typedef struct HashChains {
    int32_t* heads;
    int32_t* links;
    uint32_t mask;
    size_t byteCount;
} HashChains;

static sdResult createChains(const sdContext* context, const char* function, int count,
                             HashChains* out) {
    size_t headCount = 16;
    while (headCount < (size_t)count) {
        headCount *= 2;
    }
    out->byteCount = (headCount + (size_t)count) * sizeof(int32_t);
    out->heads = sdAlloc(&context->allocator, out->byteCount);
    if (out->heads == NULL) {
        return sdFailMemory(context, function, out->byteCount);
    }
    out->links = out->heads + headCount;
    out->mask = (uint32_t)(headCount - 1);
    memset(out->heads, 0xFF, headCount * sizeof(int32_t));
    return SD_OK;
}

static void addToChain(HashChains* chains, uint32_t hash, int item) {
    uint32_t slot = hash & chains->mask;
    chains->links[item] = chains->heads[slot];
    chains->heads[slot] = item;
}

static uint32_t hash3(uint64_t a, uint64_t b, uint64_t c) {
    return (uint32_t)(sdHash_Mix(a ^ sdHash_Mix(b ^ sdHash_Mix(c))) >> 16);
}

static uint32_t bitsOf(float x) {
    // -0 and +0 are one place
    float positive = x + 0.0f;
    uint32_t bits;
    memcpy(&bits, &positive, sizeof bits);
    return bits;
}

static bool samePlace(sdVec3 a, sdVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void weldEqual(const sdVec3* vertices, int count, HashChains* chains, int32_t* map) {
    for (int i = 0; i < count; ++i) {
        sdVec3 p = vertices[i];
        uint32_t hash = hash3(bitsOf(p.x), bitsOf(p.y), bitsOf(p.z));
        int j = chains->heads[hash & chains->mask];
        while (j >= 0 && !samePlace(vertices[j], p)) {
            j = chains->links[j];
        }
        map[i] = j >= 0 ? j : i;
        if (j < 0) {
            addToChain(chains, hash, i);
        }
    }
}

typedef struct WeldGrid {
    sdVec3d lower;
    double cell; ///< at least twice the distance: a ball meets at most two cells on each axis
    double distanceSquared;
} WeldGrid;

static WeldGrid makeGrid(const sdVec3* vertices, int count, float distance) {
    sdAABB box = sdAABB_Empty();
    for (int i = 0; i < count; ++i) {
        box = sdAABB_AddPoint(box, vertices[i]);
    }
    sdVec3d lower = sdVec3d_From(box.lower);
    sdVec3d size = sdSubD(sdVec3d_From(box.upper), lower);
    double extent = size.x > size.y ? size.x : size.y;
    extent = extent > size.z ? extent : size.z;
    double d = (double)distance;
    double cell = 2.0 * d > extent / MAX_CELLS ? 2.0 * d : extent / MAX_CELLS;
    return (WeldGrid){lower, cell, d * d};
}

/// The earliest kept vertex near p, or SD_NULL_INDEX.
static int findNear(const WeldGrid* grid, const HashChains* chains, const sdVec3* vertices,
                    sdVec3d p, sdVec3d position) {
    int best = SD_NULL_INDEX;
    // the cell of p minus half a cell, and the seven that follow it, cover the ball around p
    double x = floor(position.x - 0.5), y = floor(position.y - 0.5), z = floor(position.z - 0.5);
    for (int k = 0; k < 8; ++k) {
        int64_t i0 = (int64_t)x + (k & 1), i1 = (int64_t)y + ((k >> 1) & 1),
                i2 = (int64_t)z + (k >> 2);
        uint32_t hash = hash3((uint64_t)i0, (uint64_t)i1, (uint64_t)i2);
        for (int j = chains->heads[hash & chains->mask]; j >= 0; j = chains->links[j]) {
            sdVec3d d = sdSubD(sdVec3d_From(vertices[j]), p);
            if (sdDotD(d, d) <= grid->distanceSquared && (best == SD_NULL_INDEX || j < best)) {
                best = j;
            }
        }
    }
    return best;
}

static void weldNear(const WeldGrid* grid, const sdVec3* vertices, int count, HashChains* chains,
                     int32_t* map) {
    for (int i = 0; i < count; ++i) {
        sdVec3d p = sdVec3d_From(vertices[i]);
        sdVec3d position = sdScaleD(1.0 / grid->cell, sdSubD(p, grid->lower));
        int j = findNear(grid, chains, vertices, p, position);
        map[i] = j >= 0 ? j : i;
        if (j < 0) {
            addToChain(chains,
                       hash3((uint64_t)(int64_t)floor(position.x),
                             (uint64_t)(int64_t)floor(position.y),
                             (uint64_t)(int64_t)floor(position.z)),
                       i);
        }
    }
}

sdResult sdWeldVertices(const sdContext* context, const char* function, const sdVec3* vertices,
                        int count, float distance, int32_t* map) {
    HashChains chains = {0};
    sdResult result = createChains(context, function, count, &chains);
    if (result != SD_OK) {
        return result;
    }
    WeldGrid grid = makeGrid(vertices, count, distance);
    // all at one place: any cell will do, and there is none to be had
    if (distance > 0.0f && grid.cell > 0.0) {
        weldNear(&grid, vertices, count, &chains, map);
    } else {
        weldEqual(vertices, count, &chains, map);
    }
    sdFree(&context->allocator, chains.heads, chains.byteCount);
    return SD_OK;
}
