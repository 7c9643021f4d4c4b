// SPDX-License-Identifier: MIT
// nesting.c - which closed components lie inside which.
//
// In:   triangles and their components.
// Out:  depth, winding and outermost component of each closed one.
// Note: a ray along x from a point of each component, through a tree over all triangles. A
//       crossing is decided in the plane across the ray by the triangle's edges, each taken from
//       its lower to its higher vertex, so that two triangles at an edge never both own it nor
//       both miss it.

#include "base/array.h"
#include "geometry/mesh_build.h"

/// How far below the surface the point lies, as a part of the size of the triangle above it: clear
/// of faces of other components that lie on this one.
#define POINT_DEPTH 1e-3

typedef struct Crossings {
    const sdMeshData* data;
    const sdMeshComponents* components;
    const sdAllocator* allocator;
    sdVec3d point;
    int self;
    uint8_t* isOdd;     ///< one a component: the ray has crossed it an odd number of times so far
    sdIntArray touched; ///< components crossed, some more than once
    bool failed;
} Crossings;

/// Twice the area of (a b p) across x, the same bits whichever way the edge is run along.
static double edgeSide(const sdVec3* vertices, int a, int b, sdVec3d p) {
    sdVec3d low = sdVec3d_From(vertices[a < b ? a : b]);
    sdVec3d high = sdVec3d_From(vertices[a < b ? b : a]);
    double side = (high.y - low.y) * (p.z - low.z) - (high.z - low.z) * (p.y - low.y);
    return a < b ? side : -side;
}

/// Does the ray from p along +y, in the plane across x, cross the edge? Points at p's height count
/// as below it.
static bool crossesEdge(const sdVec3* vertices, int a, int b, sdVec3d p, double side) {
    bool aAbove = (double)vertices[a].z > p.z, bAbove = (double)vertices[b].z > p.z;
    // going up, p must lie on the left of the edge for the edge to be on p's +y side
    return aAbove != bAbove && (bAbove ? side > 0.0 : side < 0.0);
}

/// Does the ray from p along +x cross the triangle?
static bool crossesTriangle(const sdVec3* vertices, const int32_t* v, sdVec3d p) {
    double side[3];
    bool isInside = false;
    for (int k = 0; k < 3; ++k) {
        int a = v[k], b = v[(k + 1) % 3];
        side[k] = edgeSide(vertices, a, b, p);
        isInside = isInside != crossesEdge(vertices, a, b, p, side[k]);
    }
    if (!isInside) {
        return false;
    }
    double x[3] = {(double)vertices[v[0]].x, (double)vertices[v[1]].x, (double)vertices[v[2]].x};
    double sum = side[0] + side[1] + side[2];
    // side[k] is the weight of the corner that edge k does not touch
    double at = sum != 0.0 ? (side[1] * x[0] + side[2] * x[1] + side[0] * x[2]) / sum : x[0];
    // nearly edge-on the quotient is noise, but the triangle ends at its corners
    double low = fmin(x[0], fmin(x[1], x[2])), high = fmax(x[0], fmax(x[1], x[2]));
    return (at < low ? low : (at > high ? high : at)) > p.x;
}

static bool visitTriangle(void* arg, int triangle) {
    Crossings* crossings = arg;
    int component = crossings->components->ofTriangle[triangle];
    if (component == crossings->self || !crossings->components->items[component].isClosed) {
        return true;
    }
    const sdMeshData* data = crossings->data;
    if (crossesTriangle(data->vertices, data->triangles + 3 * (size_t)triangle, crossings->point)) {
        crossings->isOdd[component] ^= 1;
        crossings->failed = !sdIntArray_Push(&crossings->touched, crossings->allocator, component);
    }
    return !crossings->failed;
}

/// A point just inside the component, or just beside it when inside cannot be told.
static sdVec3d pointInside(const sdMeshData* data, const sdMeshComponent* component) {
    const int32_t* v = data->triangles + 3 * (size_t)component->largestTriangle;
    sdVec3d sum =
        sdAddD(sdAddD(sdVec3d_From(data->vertices[v[0]]), sdVec3d_From(data->vertices[v[1]])),
               sdVec3d_From(data->vertices[v[2]]));
    sdVec3d cross = sdTriangle_Cross(data->vertices, v);
    double length = sdLengthD(cross);
    // the length of the cross product is twice the area: its root is the triangle's size
    double step = length > 0.0 ? POINT_DEPTH * sqrt(length) / length : 0.0;
    step = component->volume > 0.0 ? -step : step;
    return sdMulAddD(sdScaleD(1.0 / 3.0, sum), step, cross);
}

static sdAABB rayBox(sdVec3d p, float end) {
    sdVec3 near = sdVec3d_Round(p);
    // the triangle's boxes hold floats and p does not round to one: widen by a step each way
    sdVec3 lower = sdV3(nextafterf(near.x, -FLT_MAX), nextafterf(near.y, -FLT_MAX),
                        nextafterf(near.z, -FLT_MAX));
    sdVec3 upper = sdV3(end, nextafterf(near.y, FLT_MAX), nextafterf(near.z, FLT_MAX));
    return (sdAABB){lower, upper};
}

/// The components that were crossed an odd number of times are around this one.
static void countAround(sdMeshComponents* components, Crossings* crossings) {
    sdMeshComponent* item = &components->items[crossings->self];
    for (int i = 0; i < crossings->touched.count; ++i) {
        int around = crossings->touched.data[i];
        if (crossings->isOdd[around] != 0) {
            crossings->isOdd[around] = 0; // counted; the next ray starts afresh
            item->depth += 1;
            item->winding += sdMeshComponent_Facing(&components->items[around]);
            // the one that holds all the others is the largest
            if (item->outermost == crossings->self ||
                fabs(components->items[around].volume) >
                    fabs(components->items[item->outermost].volume)) {
                item->outermost = around;
            }
        }
    }
}

static sdResult castRays(const sdContext* context, const char* function, const sdMeshBvh* bvh,
                         Crossings* crossings, sdMeshComponents* components) {
    for (int i = 0; i < components->count; ++i) {
        if (!components->items[i].isClosed) {
            continue;
        }
        crossings->self = i;
        crossings->point = pointInside(crossings->data, &components->items[i]);
        crossings->touched.count = 0;
        sdMeshBvh_VisitBox(bvh, rayBox(crossings->point, FLT_MAX), visitTriangle, crossings);
        if (crossings->failed) {
            return sdFailMemory(context, function, sizeof(int) * (size_t)crossings->touched.count);
        }
        countAround(components, crossings);
    }
    return SD_OK;
}

sdResult sdMeshComponents_FindNesting(const sdContext* context, const char* function,
                                      const sdMeshData* data, sdMeshComponents* components) {
    int closedCount = 0;
    for (int i = 0; i < components->count; ++i) {
        components->items[i].outermost = i;
        closedCount += components->items[i].isClosed;
    }
    if (closedCount < 2) {
        return SD_OK;
    }
    const sdAllocator* allocator = &context->allocator;
    uint8_t* isOdd = sdAllocZero(allocator, (size_t)components->count);
    if (isOdd == NULL) {
        return sdFailMemory(context, function, (size_t)components->count);
    }
    sdMeshBvh bvh = {0};
    sdResult result = sdMeshBvh_Build(context, data, &bvh);
    if (result == SD_OK) {
        Crossings crossings = {
            .data = data, .components = components, .allocator = allocator, .isOdd = isOdd};
        result = castRays(context, function, &bvh, &crossings, components);
        sdIntArray_Free(&crossings.touched, allocator);
        sdMeshBvh_Free(allocator, &bvh);
    }
    sdFree(allocator, isOdd, (size_t)components->count);
    return result;
}
