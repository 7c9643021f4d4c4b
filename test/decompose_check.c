// SPDX-License-Identifier: MIT
// decompose_check.c - see decompose_check.h.

#include "decompose_check.h"

#include <float.h>

static float diagonalOf(const sdMesh* mesh) {
    sdAABB box = sdMesh_GetBounds(mesh);
    return sdLength(sdSub(box.upper, box.lower));
}

static float cellOf(const sdMesh* mesh, int resolution) {
    sdVec3 extent = sdSub(sdMesh_GetBounds(mesh).upper, sdMesh_GetBounds(mesh).lower);
    return sdMaxF(extent.x, sdMaxF(extent.y, extent.z)) / (float)resolution;
}

bool TestCompound_Contains(const sdCompound* compound, sdVec3 p, float margin) {
    int count;
    const sdCompoundChild* children = sdCompound_GetChildren(compound, &count);
    for (int i = 0; i < count; ++i) {
        if (sdHull_Contains(children[i].shape.hull, p, margin)) {
            return true;
        }
    }
    return false;
}

float TestMesh_DepthOutside(const sdMesh* mesh, sdVec3 p) {
    return sdMesh_ContainsByParity(mesh, p) ? 0.0f : sdMesh_ClosestPoint(mesh, p, FLT_MAX).distance;
}

sdVec3 TestHull_Sample(const sdHull* hull, TestRandom* random) {
    int vertexCount, edgeCount, faceCount;
    const sdVec3* vertices = sdHull_GetVertices(hull, &vertexCount);
    const sdHalfEdge* edges = sdHull_GetEdges(hull, &edgeCount);
    sdHull_GetPlanes(hull, &faceCount);
    int first = sdHull_GetFaceEdges(hull)[TestRandom_Int(random, faceCount)];
    sdVec3 sum = {0};
    float total = 0.0f;
    int edge = first;
    do {
        float w = TestRandom_Float(random, 0.0f, 1.0f);
        w = w * w * w;
        sum = sdMulAdd(sum, w, vertices[edges[edge].origin]);
        total += w;
        edge = edges[edge].next;
    } while (edge != first);
    sdVec3 p = total > 0.0f ? sdScale(1.0f / total, sum) : vertices[edges[first].origin];
    if (TestRandom_Int(random, 2) == 0) {
        sdVec3 q = vertices[TestRandom_Int(random, vertexCount)];
        p = sdLerp(p, q, TestRandom_Float(random, 0.0f, 1.0f));
    }
    return p;
}

TestVerdict TestVerdict_Make(const sdMesh* mesh, const sdCompound* compound, int resolution,
                             int sampleCount) {
    TestVerdict v = {.diagonal = diagonalOf(mesh), .cell = cellOf(mesh, resolution)};
    const sdCompoundChild* children = sdCompound_GetChildren(compound, &v.partCount);
    TestRandom random = TestRandom_Make(12);
    sdAABB box = sdMesh_GetBounds(mesh);
    int inParts = 0;
    for (int i = 0; i < sampleCount; ++i) {
        sdVec3 t = {TestRandom_Float(&random, 0.0f, 1.0f), TestRandom_Float(&random, 0.0f, 1.0f),
                    TestRandom_Float(&random, 0.0f, 1.0f)};
        sdVec3 p = sdAdd(box.lower, sdMul(t, sdSub(box.upper, box.lower)));
        bool isInside = sdMesh_ContainsByParity(mesh, p);
        // 1e-5 of the size: rounding of planes and points
        bool isIn = TestCompound_Contains(compound, p, 1e-5f * v.diagonal);
        v.insideCount += isInside ? 1 : 0;
        v.missedCount += isInside && !isIn ? 1 : 0;
        inParts += isIn ? 1 : 0;
        v.deepest = isIn ? sdMaxF(v.deepest, TestMesh_DepthOutside(mesh, p)) : v.deepest;
    }
    v.volumeRatio = (double)inParts / (double)sdMaxI(v.insideCount, 1);
    for (int i = 0; i < v.partCount; ++i) {
        int vertexCount;
        sdHull_GetVertices(children[i].shape.hull, &vertexCount);
        v.vertexCount += vertexCount;
        for (int k = 0; k < sampleCount / v.partCount; ++k) {
            sdVec3 p = TestHull_Sample(children[i].shape.hull, &random);
            v.deepest = sdMaxF(v.deepest, TestMesh_DepthOutside(mesh, p));
        }
    }
    return v;
}

void TestVerdict_Check(const TestVerdict* v, float concavity) {
    CHECK(v->insideCount > 0);
    CHECK_INT(v->missedCount, 0);
    float reported = concavity * v->diagonal;
    CHECK(v->deepest <= reported + 0.25f * v->cell + 1e-5f * v->diagonal);
    CHECK(v->deepest >= reported - v->cell);
}
