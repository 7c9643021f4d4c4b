// SPDX-License-Identifier: MIT
// decompose_simplify.c - a hull of few vertices around a hull of many.
//
// In:   a hull and the number of vertices allowed.
// Out:  a hull that contains it.
// Note: a hull of chosen vertices first, which lies inside. Then its vertices move out, each by the
//       shortest way that takes all of its faces past what they left outside; a face that left
//       nothing outside stays in its plane. What is still outside by then is brought in by scaling.

#include "geometry/decompose.h"

// Rounds of moving vertices; what is left outside shrinks to a few per cent in each.
#define SD_SIMPLIFY_ROUNDS 3

// Projections onto the faces around a vertex: they converge within a per cent for corners that are
// not needles.
#define SD_SIMPLIFY_PROJECTIONS 16

// How far the points lie outside of a face.
static float excess(sdPlane plane, const sdVec3* points, int count) {
    float most = 0.0f;
    for (int i = 0; i < count; ++i) {
        most = sdMaxF(most, sdPlane_Distance(plane, points[i]));
    }
    return most;
}

static float greatestExcess(const sdHull* hull, const sdVec3* points, int count) {
    int planeCount;
    const sdPlane* planes = sdHull_GetPlanes(hull, &planeCount);
    float most = 0.0f;
    for (int i = 0; i < planeCount; ++i) {
        most = sdMaxF(most, excess(planes[i], points, count));
    }
    return most;
}

// The shortest move of a vertex, nearly, that takes each of its faces out by what it needs.
static sdVec3 moveOut(const sdHull* hull, int vertex, const float* needs) {
    int edgeCount, planeCount;
    const sdHalfEdge* edges = sdHull_GetEdges(hull, &edgeCount);
    const sdPlane* planes = sdHull_GetPlanes(hull, &planeCount);
    int first = sdHull_GetVertexEdges(hull)[vertex];
    sdVec3 move = {0};
    for (int i = 0; i < SD_SIMPLIFY_PROJECTIONS; ++i) {
        int edge = first;
        for (int k = 0; k < edgeCount; ++k) {
            int face = edges[edge].face;
            float lack = needs[face] - sdDot(planes[face].normal, move);
            move = lack > 0.0f ? sdMulAdd(move, lack, planes[face].normal) : move;
            edge = edges[edges[edge].twin].next;
            if (edge == first) {
                break;
            }
        }
    }
    return move;
}

// One round: replace *hull by the hull of its moved vertices.
static sdResult growHull(sdSolid* solid, const sdVec3* points, int count, sdHull** hull) {
    const sdAllocator* allocator = &solid->context->allocator;
    int planeCount, vertexCount;
    const sdPlane* planes = sdHull_GetPlanes(*hull, &planeCount);
    const sdVec3* vertices = sdHull_GetVertices(*hull, &vertexCount);
    size_t size = (size_t)planeCount * sizeof(float);
    float* needs = sdAlloc(allocator, size);
    if (needs == NULL || !sdPointArray_Resize(&solid->scratch, allocator, vertexCount)) {
        sdFree(allocator, needs, size);
        return SD_ERROR_OUT_OF_MEMORY;
    }
    for (int i = 0; i < planeCount; ++i) {
        needs[i] = excess(planes[i], points, count);
    }
    for (int i = 0; i < vertexCount; ++i) {
        solid->scratch.data[i] = sdAdd(vertices[i], moveOut(*hull, i, needs));
    }
    sdFree(allocator, needs, size);
    sdHull* grown;
    sdResult result = sdSolid_MakeHull(solid, solid->scratch.data, vertexCount, 0, &grown);
    if (result == SD_OK) {
        sdHull_Release(*hull);
        *hull = grown;
    }
    return result;
}

// Scale about the centre of mass until everything is inside.
static sdResult scaleHull(sdSolid* solid, float most, sdHull** hull) {
    int planeCount, vertexCount;
    const sdPlane* planes = sdHull_GetPlanes(*hull, &planeCount);
    const sdVec3* vertices = sdHull_GetVertices(*hull, &vertexCount);
    sdMassProps props;
    sdHull_GetMass(*hull, 1.0f, &props);
    float inner = FLT_MAX;
    for (int i = 0; i < planeCount; ++i) {
        inner = sdMinF(inner, -sdPlane_Distance(planes[i], props.center));
    }
    if (!sdPointArray_Resize(&solid->scratch, &solid->context->allocator, vertexCount)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    float scale = 1.0f + most / sdMaxF(inner, solid->epsilon);
    for (int i = 0; i < vertexCount; ++i) {
        solid->scratch.data[i] = sdMulAdd(props.center, scale, sdSub(vertices[i], props.center));
    }
    sdHull* scaled;
    sdResult result = sdSolid_MakeHull(solid, solid->scratch.data, vertexCount, 0, &scaled);
    if (result == SD_OK) {
        sdHull_Release(*hull);
        *hull = scaled;
    }
    return result;
}

sdResult sdSolid_SimplifyHull(sdSolid* solid, int maxVertexCount, sdHull** hull) {
    int count;
    const sdVec3* points = sdHull_GetVertices(*hull, &count);
    if (maxVertexCount == 0 || count <= maxVertexCount) {
        return SD_OK;
    }
    sdHull* simple;
    sdResult result = sdSolid_MakeHull(solid, points, count, maxVertexCount, &simple);
    if (result != SD_OK) {
        return result;
    }
    float most = greatestExcess(simple, points, count);
    for (int i = 0; i < SD_SIMPLIFY_ROUNDS && result == SD_OK && most > solid->epsilon; ++i) {
        result = growHull(solid, points, count, &simple);
        most = greatestExcess(simple, points, count);
    }
    if (result == SD_OK && most > solid->epsilon) {
        result = scaleHull(solid, most, &simple);
    }
    if (result != SD_OK) {
        sdHull_Release(simple);
        return result;
    }
    sdHull_Release(*hull);
    *hull = simple;
    return SD_OK;
}
