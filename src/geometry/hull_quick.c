// SPDX-License-Identifier: MIT
// hull_quick.c - quickhull: the next point is the furthest one above some face.
//
// In:   a build that holds points only.
// Out:  triangles; every other point is above no plane by more than the tolerance, unless the
//       number of vertices is limited.
// Ref:  Barber, Dobkin, Huhdanpaa, "The quickhull algorithm for convex hulls", ACM TOMS 1996.
// Note: without a limit faces are served first come, first served. With one, the point that sticks
//       out furthest of all goes first, so that the vertices that there are count most.

#include "geometry/hull.h"

/// A face that waits for its furthest point to be added. Not withdrawn when the face goes: what is
/// found on taking it out decides.
typedef struct Waiting {
    double distance;
    int32_t face;
} Waiting;

SD_DEFINE_ARRAY(WaitingArray, Waiting)

typedef struct Queue {
    WaitingArray items;
    int first; ///< first come, first served
    bool isHeap;
} Queue;

/// Shortest part of the queue that is worth moving the rest to the front for.
#define QUEUE_SLACK 1024

static bool isBefore(Waiting a, Waiting b) {
    return a.distance > b.distance || (a.distance == b.distance && a.face < b.face);
}

static bool pushQueue(Queue* queue, const sdAllocator* allocator, Waiting item) {
    WaitingArray* items = &queue->items;
    if (!queue->isHeap && queue->first > QUEUE_SLACK && 2 * queue->first > items->count) {
        items->count -= queue->first;
        memmove(items->data, items->data + queue->first, (size_t)items->count * sizeof(Waiting));
        queue->first = 0;
    }
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

static bool popQueue(Queue* queue, Waiting* out) {
    WaitingArray* items = &queue->items;
    if (queue->first >= items->count) {
        return false;
    }
    *out = items->data[queue->first];
    if (!queue->isHeap) {
        queue->first += 1;
        return true;
    }
    Waiting last = items->data[--items->count];
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

static void giveToFace(sdHullBuild* build, int32_t point, int32_t index, double distance) {
    sdHullFace* face = &build->faces.data[index];
    build->nextPoint[point] = face->firstPoint;
    face->firstPoint = point;
    if (distance > face->farDistance) {
        face->farDistance = distance;
        face->farPoint = point;
    }
}

/// The new face that the point is furthest above; SD_NULL_INDEX when it sees none.
static int32_t findFace(const sdHullBuild* build, int32_t point, double* distance) {
    sdHullPoint p = build->points[point];
    const sdIntArray* created = &build->created;
    double best = -DBL_MAX;
    int32_t bestFace = SD_NULL_INDEX;
    for (int i = 0; i < created->count; ++i) {
        double d = sdHullPlane_Distance(&build->faces.data[created->data[i]].plane, p);
        if (d > best) {
            best = d;
            bestFace = created->data[i];
        }
    }
    *distance = best;
    if (best > SD_HULL_SURE_DISTANCE) {
        return bestFace;
    }
    if (best < -SD_HULL_SURE_DISTANCE) {
        return SD_NULL_INDEX;
    }
    for (int i = 0; i < created->count; ++i) {
        if (sdHullBuild_Sees(build, point, &build->faces.data[created->data[i]])) {
            return created->data[i];
        }
    }
    return SD_NULL_INDEX;
}

/// Every orphan goes to the new face that it is furthest above. One that sees no new face is
/// inside: had it been outside, it would have seen a face on each side of some horizon edge, and so
/// the new face between them, whose plane lies between theirs.
static void partition(sdHullBuild* build) {
    for (int i = 0; i < build->orphans.count; ++i) {
        double distance;
        int32_t face = findFace(build, build->orphans.data[i], &distance);
        if (face != SD_NULL_INDEX) {
            giveToFace(build, build->orphans.data[i], face, distance);
        }
    }
}

static sdResult enqueue(sdHullBuild* build, Queue* queue, int32_t index) {
    const sdHullFace* face = &build->faces.data[index];
    Waiting item = {face->farDistance, index};
    if (face->mark != SD_HULL_FREE && face->farDistance > build->tolerance &&
        !pushQueue(queue, &build->context->allocator, item)) {
        return sdFailMemory(build->context, "sdHull_Create",
                            sizeof(Waiting) * (size_t)queue->items.count);
    }
    return SD_OK;
}

/// Add points until no face waits or there are enough vertices.
static sdResult serve(sdHullBuild* build, Queue* queue) {
    Waiting item;
    while (sdHullBuild_VertexCount(build) < build->maxVertexCount && popQueue(queue, &item)) {
        const sdHullFace* face = &build->faces.data[item.face];
        // the face may have gone, and another may have come in its place
        if (face->mark == SD_HULL_FREE || face->farDistance != item.distance) {
            continue;
        }
        sdResult result = sdHullBuild_AddPoint(build, face->farPoint, item.face);
        if (result == SD_OK) {
            partition(build);
        }
        for (int i = 0; i < build->created.count && result == SD_OK; ++i) {
            result = enqueue(build, queue, build->created.data[i]);
        }
        if (result != SD_OK) {
            return result;
        }
    }
    return SD_OK;
}

/// A point may be hardly above the face that it was given to and well above another that it was not
/// compared with. Give each point left over to the furthest of all faces that it sees.
static void reconsider(sdHullBuild* build) {
    build->orphans.count = 0;
    for (int32_t i = 0; i < build->faces.count; ++i) {
        sdHullFace* face = &build->faces.data[i];
        if (face->mark == SD_HULL_FREE) {
            continue;
        }
        for (int32_t p = face->firstPoint; p != SD_NULL_INDEX; p = build->nextPoint[p]) {
            build->orphans.data[build->orphans.count++] = p;
            build->fanFace[p] = i;
        }
        face->firstPoint = SD_NULL_INDEX;
        face->farPoint = SD_NULL_INDEX;
        face->farDistance = 0.0;
    }
    build->deviation = 0.0;
    for (int i = 0; i < build->orphans.count; ++i) {
        int32_t point = build->orphans.data[i];
        int32_t face = build->fanFace[point];
        double height = sdHullBuild_Height(build, point, face, &face);
        giveToFace(build, point, face, height);
        build->deviation = height > build->deviation ? height : build->deviation;
    }
}

static sdResult addPoints(sdHullBuild* build, Queue* queue) {
    sdResult result = sdHullBuild_AddTetrahedron(build);
    if (result != SD_OK) {
        return result;
    }
    build->orphans.count = 0;
    for (int32_t i = 0; i < build->pointCount; ++i) {
        build->orphans.data[build->orphans.count++] = i;
    }
    partition(build);
    // each round adds a point, so there are at most as many
    do {
        for (int32_t i = 0; i < build->faces.count && result == SD_OK; ++i) {
            result = enqueue(build, queue, i);
        }
        if (result == SD_OK) {
            result = serve(build, queue);
        }
        if (result != SD_OK) {
            return result;
        }
        reconsider(build);
    } while (build->deviation > build->tolerance &&
             sdHullBuild_VertexCount(build) < build->maxVertexCount);
    return SD_OK;
}

sdResult sdHullBuild_Quick(sdHullBuild* build) {
    Queue queue = {.isHeap = build->maxVertexCount != INT_MAX};
    sdResult result = addPoints(build, &queue);
    WaitingArray_Free(&queue.items, &build->context->allocator);
    return result;
}
