// SPDX-License-Identifier: MIT
// collide_mesh_manifold.c - manifolds of all pieces of two bodies that are near each other.
//
// In:   two shapes, at least one of them a mesh or compound; a margin; room for results.
// Out:  one manifold for each two pieces, ordered by their indices, and how many there are.
// Note: trees give pieces in an order of their own. The results are kept as a heap, so that those
//       with the smallest indices stay when there is not room for all, and sorted at the end: what
//       comes out does not depend on the trees. Never allocates.

#include "narrow/collide_mesh_pieces.h"

/// sdCollide keeps points that are a little further away than the margin, by a part of the pieces'
/// size, so that faces that touch lose none to rounding. Boxes must let these through: a greater
/// part of the smaller body's size.
#define MARGIN_SLACK 1e-5f

typedef struct ManifoldSearch {
    sdPieceSearch base;
    sdNarrowphase narrowphase;
    float margin;
    float bound;      ///< of boxes
    sdManifold* heap; ///< the greatest first
    int capacity;
    int count;
    int total;
} ManifoldSearch;

// ---- order ---------------------------------------------------------------------------------

static int comparePoints(sdVec3 a, sdVec3 b) {
    if (a.x != b.x) {
        return a.x < b.x ? -1 : 1;
    }
    if (a.y != b.y) {
        return a.y < b.y ? -1 : 1;
    }
    return a.z != b.z ? (a.z < b.z ? -1 : 1) : 0;
}

/// By indices. Triangles of a mesh that is a compound's child share them: by place.
static bool isBefore(const sdManifold* a, const sdManifold* b) {
    if (a->childA != b->childA) {
        return a->childA < b->childA;
    }
    if (a->childB != b->childB) {
        return a->childB < b->childB;
    }
    int order = comparePoints(a->points[0].pointA, b->points[0].pointA);
    order = order != 0 ? order : comparePoints(a->normal, b->normal);
    return order != 0 ? order < 0 : a->points[0].id < b->points[0].id;
}

static void swap(sdManifold* a, sdManifold* b) {
    sdManifold t = *a;
    *a = *b;
    *b = t;
}

static void siftUp(sdManifold* heap, int at) {
    while (at > 0 && isBefore(&heap[(at - 1) / 2], &heap[at])) {
        swap(&heap[(at - 1) / 2], &heap[at]);
        at = (at - 1) / 2;
    }
}

static void siftDown(sdManifold* heap, int count, int at) {
    while (2 * at + 1 < count) {
        int child = 2 * at + 1;
        if (child + 1 < count && isBefore(&heap[child], &heap[child + 1])) {
            child += 1;
        }
        if (!isBefore(&heap[at], &heap[child])) {
            return;
        }
        swap(&heap[at], &heap[child]);
        at = child;
    }
}

static void sort(sdManifold* heap, int count) {
    for (int end = count - 1; end > 0; --end) {
        swap(&heap[0], &heap[end]);
        siftDown(heap, end, 0);
    }
}

// ---- pieces --------------------------------------------------------------------------------

/// A triangle of a compound's child is known by its own index only here.
static uint32_t mixId(uint32_t id, const sdPiecePair* pair) {
    const uint32_t factorA = 0x9E3779B1u, factorB = 0x85EBCA77u;
    return id ^ ((uint32_t)(pair->subA + 1) * factorA) ^ ((uint32_t)(pair->subB + 1) * factorB);
}

static void finish(sdManifold* manifold, const sdPiecePair* pair) {
    manifold->childA = pair->childA;
    manifold->childB = pair->childB;
    for (int i = 0; i < manifold->pointCount; ++i) {
        sdManifoldPoint* point = &manifold->points[i];
        point->id = mixId(point->id, pair);
        if (pair->isAMoved) {
            point->pointA = sdTransformPoint(pair->xfA, point->pointA);
            point->pointB = sdTransformPoint(pair->xfA, point->pointB);
        }
    }
    if (pair->isAMoved) {
        manifold->normal = sdRotate(pair->xfA.q, manifold->normal);
    }
}

static void keep(ManifoldSearch* search, const sdManifold* manifold) {
    search->total += 1;
    if (search->count < search->capacity) {
        search->heap[search->count] = *manifold;
        siftUp(search->heap, search->count);
        search->count += 1;
    } else if (search->capacity > 0 && isBefore(manifold, &search->heap[0])) {
        search->heap[0] = *manifold;
        siftDown(search->heap, search->count, 0);
    }
}

static float visitManifold(void* arg, const sdPiecePair* pair) {
    ManifoldSearch* search = arg;
    sdManifold manifold;
    if (sdCollideBy(search->narrowphase, &pair->a, &pair->b, pair->xf, search->margin, NULL,
                    &manifold) > 0) {
        finish(&manifold, pair);
        keep(search, &manifold);
    }
    return search->bound;
}

static float sizeOf(const sdShape* shape) {
    sdAABB box = sdPiece_GetBox(shape, sdTransform_Identity());
    return sdLength(sdSub(box.upper, box.lower));
}

int sdMeshPair_CollideMany(sdNarrowphase narrowphase, const sdShape* a, const sdShape* b,
                           sdTransform xfAB, float margin, sdManifold* out, int capacity,
                           int* total) {
    ManifoldSearch search = {.narrowphase = narrowphase,
                             .margin = margin,
                             .heap = out,
                             .capacity = out != NULL && capacity > 0 ? capacity : 0};
    if (margin >= 0.0f && margin <= SD_MAX_REACH && sdPieceSearch_Init(&search.base, a, b, xfAB)) {
        search.base.visit = visitManifold;
        search.base.arg = &search;
        search.bound = margin + MARGIN_SLACK * sdMinF(sizeOf(a), sizeOf(b));
        search.base.bound = search.bound;
        sdPieceSearch_Run(&search.base);
        sort(search.heap, search.count);
    }
    if (total != NULL) {
        *total = search.total;
    }
    return search.count;
}
