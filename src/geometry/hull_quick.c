// SPDX-License-Identifier: MIT
// hull_quick.c - quickhull: the next point is the furthest one above some face.
//
// In:   a build that holds points only.
// Out:  triangles; every other point is above no plane by more than the tolerance, unless the
//       number of vertices is limited.
// Ref:  Barber, Dobkin, Huhdanpaa, "The quickhull algorithm for convex hulls", ACM TOMS 1996.
// Note: without a limit the newest face is served first, which stays near what is in the cache.
// With
//       one, the point that sticks out furthest of all goes first, so that the vertices that there
//       may be count most.
//       A point that is outside sees one of the new faces when the face that it was above goes: it
//       sees a face on each side of some horizon edge, and so the new face there, whose plane lies
//       between theirs. So no point outside is lost.

#include "geometry/hull.h"

/// A face whose furthest point waits to be added. Not withdrawn when the face goes: what is found
/// on taking it out decides.
typedef struct Waiting {
    double distance;
    int32_t face;
    int32_t point;
} Waiting;

SD_DEFINE_ARRAY(WaitingArray, Waiting)

typedef struct Queue {
    WaitingArray items;
    bool isHeap; ///< else a stack
} Queue;

static bool isBefore(Waiting a, Waiting b) {
    return a.distance > b.distance || (a.distance == b.distance && a.point < b.point);
}

static bool push(Queue* queue, const sdAllocator* allocator, Waiting item) {
    WaitingArray* items = &queue->items;
    if (!WaitingArray_Push(items, allocator, item)) {
        return false;
    }
    int i = items->count - 1;
    while (queue->isHeap && i > 0 && isBefore(item, items->data[(i - 1) / 2])) {
        items->data[i] = items->data[(i - 1) / 2];
        i = (i - 1) / 2;
        items->data[i] = item;
    }
    return true;
}

static bool pop(Queue* queue, Waiting* out) {
    WaitingArray* items = &queue->items;
    if (items->count == 0) {
        return false;
    }
    Waiting last = items->data[--items->count];
    *out = last;
    if (!queue->isHeap || items->count == 0) {
        return true;
    }
    *out = items->data[0];
    int i = 0;
    for (int child = 1; child < items->count; child = 2 * i + 1) {
        child += child + 1 < items->count && isBefore(items->data[child + 1], items->data[child]);
        if (!isBefore(items->data[child], last)) {
            break;
        }
        items->data[i] = items->data[child];
        i = child;
    }
    items->data[i] = last;
    return true;
}

/// @param distance of the face's furthest point
static sdResult enqueue(sdHullBuild* build, Queue* queue, int32_t face, double distance) {
    Waiting item = {distance, face, build->faces.data[face].firstPoint};
    if (distance > build->tolerance && !push(queue, &build->context->allocator, item)) {
        return sdFailMemory(build->context, "sdHull_Create",
                            sizeof(Waiting) * (size_t)queue->items.count);
    }
    return SD_OK;
}

static sdResult enqueueCreated(sdHullBuild* build, Queue* queue) {
    sdResult result = SD_OK;
    for (int i = 0; i < build->created.count && result == SD_OK; ++i) {
        result = enqueue(build, queue, build->created.data[i].face, build->created.data[i].reach);
    }
    return result;
}

static sdResult enqueueAll(sdHullBuild* build, Queue* queue) {
    sdResult result = SD_OK;
    for (int32_t i = 0; i < build->faces.count && result == SD_OK; ++i) {
        const sdHullFace* face = &build->faces.data[i];
        if (face->mark != SD_HULL_FREE && face->firstPoint != SD_NULL_INDEX) {
            sdHullPoint p = build->points[face->firstPoint];
            result = enqueue(build, queue, i, sdHullPlane_Distance(&face->plane, p));
        }
    }
    return result;
}

/// Add points until none waits or there are enough vertices.
static sdResult serve(sdHullBuild* build, Queue* queue) {
    Waiting item;
    while (sdHullBuild_VertexCount(build) < build->maxVertexCount && pop(queue, &item)) {
        sdHullFace* face = &build->faces.data[item.face];
        // the face may have gone, and another may have come in its place
        if (face->mark == SD_HULL_FREE || face->firstPoint != item.point) {
            continue;
        }
        face->firstPoint = build->nextPoint[item.point];
        sdResult result = sdHullBuild_AddPoint(build, item.point, item.face);
        if (result == SD_OK) {
            sdHullBuild_Partition(build);
            result = enqueueCreated(build, queue);
        }
        if (result != SD_OK) {
            return result;
        }
    }
    return SD_OK;
}

static sdResult addPoints(sdHullBuild* build, Queue* queue) {
    sdResult result = sdHullBuild_AddTetrahedron(build);
    if (result != SD_OK) {
        return result;
    }
    build->orphanCount = build->pointCount;
    for (int32_t i = 0; i < build->pointCount; ++i) {
        build->orphans[i] = i;
    }
    sdHullBuild_Partition(build);
    // A point may be hardly above the face that it was given to and well above another that it was
    // not compared with, hence the rounds. Each adds a point, so there are at most as many.
    do {
        result = enqueueAll(build, queue);
        if (result == SD_OK) {
            result = serve(build, queue);
        }
        queue->items.count = 0;
        if (result == SD_OK) {
            result = sdHullBuild_Settle(build);
        }
    } while (result == SD_OK && build->deviation > build->tolerance &&
             sdHullBuild_VertexCount(build) < build->maxVertexCount);
    return result;
}

sdResult sdHullBuild_Quick(sdHullBuild* build) {
    Queue queue = {.isHeap = build->maxVertexCount != INT_MAX};
    sdResult result = addPoints(build, &queue);
    WaitingArray_Free(&queue.items, &build->context->allocator);
    return result;
}
