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
/// By axis and by a vertex at either end.
static const uint8_t boxEdgeAt[3][8] = {
    {9, 9, 13, 13, 11, 11, 15, 15}, {2, 4, 2, 4, 0, 6, 0, 6}, {1, 5, 3, 7, 1, 5, 3, 7}};

static const sdHalfEdge triangleEdges[6] = {{0, 5, 1, 0}, {1, 4, 2, 0}, {2, 3, 0, 0},
                                            {0, 2, 4, 1}, {2, 1, 5, 1}, {1, 0, 3, 1}};
static const int32_t triangleVertexEdges[3] = {0, 1, 2};
static const int32_t triangleFaceEdges[2] = {0, 3};

/// Twice the area of a triangle over the square of its longest side, at or below which its corners
/// count as lying on a line: rounding of the products in double is a hundredth of this.
#define FLAT_TRIANGLE 1e-14

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
        .type = SD_SHAPE_BOX,
    };
}

static sdVec3d longestSide(const sdVec3d corners[3]) {
    sdVec3d longest = sdSubD(corners[1], corners[0]);
    for (int i = 1; i < 3; ++i) {
        sdVec3d side = sdSubD(corners[(i + 1) % 3], corners[i]);
        longest = sdDotD(side, side) > sdDotD(longest, longest) ? side : longest;
    }
    return longest;
}

/// In double: the corners of a needle lie on a line as far as single precision can see.
static sdVec3 triangleNormal(const sdVec3 corners[3]) {
    const sdVec3d v[3] = {sdVec3d_From(corners[0]), sdVec3d_From(corners[1]),
                          sdVec3d_From(corners[2])};
    sdVec3d normal = sdCrossD(sdSubD(v[1], v[0]), sdSubD(v[2], v[0]));
    sdVec3d side = longestSide(v);
    double area = sdLengthD(normal), squared = sdDotD(side, side);
    if (area > FLAT_TRIANGLE * squared) {
        return sdVec3d_Round(sdScaleD(1.0 / area, normal));
    }
    if (squared == 0.0) {
        return sdV3(0.0f, 0.0f, 1.0f);
    }
    return sdPerp(sdVec3d_Round(sdScaleD(1.0 / sqrt(squared), side)));
}

static void setTriangle(sdPolyhedron* polyhedron, sdPolyhedronStorage* storage,
                        const sdVec3 corners[3]) {
    for (int i = 0; i < 3; ++i) {
        storage->vertices[i] = corners[i];
    }
    sdVec3 normal = triangleNormal(corners);
    float offset = sdDot(normal, corners[0]);
    storage->planes[0] = (sdPlane){normal, offset};
    storage->planes[1] = (sdPlane){sdNeg(normal), -offset};
    const float third = 1.0f / 3.0f;
    *polyhedron = (sdPolyhedron){
        .vertices = storage->vertices,
        .vertexEdges = triangleVertexEdges,
        .edges = triangleEdges,
        .planes = storage->planes,
        .faceEdges = triangleFaceEdges,
        .vertexCount = 3,
        .halfEdgeCount = 6,
        .faceCount = 2,
        .center =
            sdMulAdd(sdMulAdd(sdScale(third, corners[0]), third, corners[1]), third, corners[2]),
        .type = SD_SHAPE_TRIANGLE,
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
        .center = hull->center,
        .type = SD_SHAPE_HULL,
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

sdVec3d sdPolyhedron_EdgeVector(const sdPolyhedron* polyhedron, int edge) {
    const sdHalfEdge* edges = polyhedron->edges;
    int from = edges[edge].origin, to = edges[edges[edge].twin].origin;
    if (polyhedron->type == SD_SHAPE_BOX) {
        // the bit in which the two corners differ is set on the negative side
        return sdV3d((double)((from & 1) - (to & 1)), (double)((from & 2) - (to & 2)),
                     (double)((from & 4) - (to & 4)));
    }
    return sdSubD(sdVec3d_From(polyhedron->vertices[to]), sdVec3d_From(polyhedron->vertices[from]));
}

int sdPolyhedron_BoxEdge(int axis, sdVec3d d) {
    return boxEdgeAt[axis][(d.x < 0.0 ? 1 : 0) | (d.y < 0.0 ? 2 : 0) | (d.z < 0.0 ? 4 : 0)];
}
