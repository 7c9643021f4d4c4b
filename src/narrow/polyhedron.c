// SPDX-License-Identifier: MIT
// polyhedron.c - boxes and triangles get the arrays that hulls have.

#include "narrow/polyhedron.h"

#include "geometry/hull.h"

static const sdHalfEdge boxEdges[24] = {
    {6, 21, 1, 0}, {4, 10, 2, 0},  {0, 17, 3, 0},  {2, 12, 0, 0},  {3, 19, 5, 1},  {1, 8, 6, 1},
    {5, 23, 7, 1}, {7, 14, 4, 1},  {5, 5, 9, 2},   {1, 18, 10, 2}, {0, 1, 11, 2},  {4, 20, 8, 2},
    {6, 3, 13, 3}, {2, 16, 14, 3}, {3, 7, 15, 3},  {7, 22, 12, 3}, {3, 13, 17, 4}, {2, 2, 18, 4},
    {0, 9, 19, 4}, {1, 4, 16, 4},  {5, 11, 21, 5}, {4, 0, 22, 5},  {6, 15, 23, 5}, {7, 6, 20, 5}};
static const int32_t boxVertexEdges[8] = {2, 5, 3, 4, 1, 6, 0, 7};
static const int32_t boxFaceEdges[6] = {0, 4, 8, 12, 16, 20};

static const sdHalfEdge triangleEdges[6] = {{0, 5, 1, 0}, {1, 4, 2, 0}, {2, 3, 0, 0},
                                            {0, 2, 4, 1}, {2, 1, 5, 1}, {1, 0, 3, 1}};
static const int32_t triangleVertexEdges[3] = {0, 1, 2};
static const int32_t triangleFaceEdges[2] = {0, 3};

static void setBox(sdPolyhedron* polyhedron, sdPolyhedronStorage* storage, sdVec3 half) {
    for (int i = 0; i < 8; ++i) {
        storage->vertices[i] =
            sdV3((i & 1) != 0 ? -half.x : half.x, (i & 2) != 0 ? -half.y : half.y,
                 (i & 4) != 0 ? -half.z : half.z);
    }
    storage->planes[0] = (sdPlane){{1.0f, 0.0f, 0.0f}, half.x};
    storage->planes[1] = (sdPlane){{-1.0f, 0.0f, 0.0f}, half.x};
    storage->planes[2] = (sdPlane){{0.0f, 1.0f, 0.0f}, half.y};
    storage->planes[3] = (sdPlane){{0.0f, -1.0f, 0.0f}, half.y};
    storage->planes[4] = (sdPlane){{0.0f, 0.0f, 1.0f}, half.z};
    storage->planes[5] = (sdPlane){{0.0f, 0.0f, -1.0f}, half.z};
    *polyhedron = (sdPolyhedron){
        .vertices = storage->vertices,
        .vertexEdges = boxVertexEdges,
        .edges = boxEdges,
        .planes = storage->planes,
        .faceEdges = boxFaceEdges,
        .vertexCount = 8,
        .halfEdgeCount = 24,
        .faceCount = 6,
    };
}

static void setTriangle(sdPolyhedron* polyhedron, sdPolyhedronStorage* storage,
                        const sdVec3 corners[3]) {
    for (int i = 0; i < 3; ++i) {
        storage->vertices[i] = corners[i];
    }
    sdVec3 normal =
        sdNormalize(sdCross(sdSub(corners[1], corners[0]), sdSub(corners[2], corners[0])));
    float offset = sdDot(normal, corners[0]);
    storage->planes[0] = (sdPlane){normal, offset};
    storage->planes[1] = (sdPlane){sdNeg(normal), -offset};
    sdVec3 lower = sdMin(sdMin(corners[0], corners[1]), corners[2]);
    sdVec3 upper = sdMax(sdMax(corners[0], corners[1]), corners[2]);
    *polyhedron = (sdPolyhedron){
        .vertices = storage->vertices,
        .vertexEdges = triangleVertexEdges,
        .edges = triangleEdges,
        .planes = storage->planes,
        .faceEdges = triangleFaceEdges,
        .vertexCount = 3,
        .halfEdgeCount = 6,
        .faceCount = 2,
        .center = sdScale(0.5f, sdAdd(lower, upper)),
    };
}

static void setHull(sdPolyhedron* polyhedron, const sdHull* hull) {
    *polyhedron = (sdPolyhedron){
        .vertices = hull->vertices,
        .vertexEdges = hull->vertexEdges,
        .edges = hull->edges,
        .planes = hull->planes,
        .faceEdges = hull->faceEdges,
        .vertexCount = hull->vertexCount,
        .halfEdgeCount = hull->halfEdgeCount,
        .faceCount = hull->faceCount,
        .center = sdAABB_Center(hull->bounds),
    };
}

bool sdPolyhedron_Init(sdPolyhedron* polyhedron, sdPolyhedronStorage* storage,
                       const sdShape* shape) {
    if (shape == NULL || !sdShape_IsValid(shape)) {
        return false;
    }
    switch (shape->type) {
        case SD_SHAPE_BOX:
            setBox(polyhedron, storage, shape->box.halfExtents);
            return true;
        case SD_SHAPE_TRIANGLE:
            setTriangle(polyhedron, storage, shape->triangle.vertices);
            return true;
        case SD_SHAPE_HULL:
            setHull(polyhedron, shape->hull);
            return true;
        default:
            return false;
    }
}
