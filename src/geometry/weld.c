// SPDX-License-Identifier: MIT
// weld.c - which vertices are one, which triangles are there twice.
//
// In:   checked vertices and triangles.
// Out:  for each vertex the one that stands for it; a mark for each repeated triangle.
// Note: hashing, expected linear time; the result depends on the order of the input only.

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

/// Every bit of the input moves about half of the result's (the finalizer of splitmix64).
static uint64_t mixBits(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

static uint32_t hash3(uint64_t a, uint64_t b, uint64_t c) {
    return (uint32_t)(mixBits(a + 0x9E3779B97F4A7C15ull + mixBits(b + mixBits(c))) >> 16);
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

/// The same cycle of vertices, starting with the smallest one.
static void canonicalCycle(const int32_t* v, int32_t out[3]) {
    int first = v[0] <= v[1] ? (v[0] <= v[2] ? 0 : 2) : (v[1] <= v[2] ? 1 : 2);
    for (int k = 0; k < 3; ++k) {
        out[k] = v[(first + k) % 3];
    }
}

/// The best of the earlier triangles on the same vertices.
static sdDuplicateKind compareWithChain(const HashChains* chains, const int32_t* triangles,
                                        const int32_t a[3], int j) {
    sdDuplicateKind kind = SD_DUPLICATE_NONE;
    for (; j >= 0; j = chains->links[j]) {
        int32_t b[3];
        canonicalCycle(triangles + 3 * (size_t)j, b);
        if (a[0] == b[0] && a[1] == b[1] && a[2] == b[2]) {
            return SD_DUPLICATE_SAME;
        }
        if (a[0] == b[0] && a[1] == b[2] && a[2] == b[1]) {
            kind = SD_DUPLICATE_OPPOSITE;
        }
    }
    return kind;
}

sdResult sdFindDuplicateTriangles(const sdContext* context, const char* function,
                                  const int32_t* triangles, int triangleCount, uint8_t* kinds) {
    HashChains chains = {0};
    sdResult result = createChains(context, function, triangleCount, &chains);
    if (result != SD_OK) {
        return result;
    }
    for (int t = 0; t < triangleCount; ++t) {
        kinds[t] = SD_DUPLICATE_NONE;
        if (sdTriangle_IsCollapsed(triangles + 3 * (size_t)t)) {
            continue;
        }
        int32_t a[3];
        canonicalCycle(triangles + 3 * (size_t)t, a);
        // symmetric in the last two, so that both senses meet in one chain
        int low = sdMinI(a[1], a[2]), high = sdMaxI(a[1], a[2]);
        uint32_t hash = hash3((uint32_t)a[0], (uint32_t)low, (uint32_t)high);
        kinds[t] =
            (uint8_t)compareWithChain(&chains, triangles, a, chains.heads[hash & chains.mask]);
        // of each sense one: a chain has at most two triangles on the same vertices
        if (kinds[t] != SD_DUPLICATE_SAME) {
            addToChain(&chains, hash, t);
        }
    }
    sdFree(&context->allocator, chains.heads, chains.byteCount);
    return SD_OK;
}
