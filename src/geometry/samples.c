// SPDX-License-Identifier: MIT
// samples.c - points on the surface of a mesh (A10).
//
// In:   a mesh and a number of points per edge.
// Out:  its vertices, then evenly spaced inner points of each edge.
// Ref:  S2 section 3.

#include "geometry/mesh.h"

#include <limits.h>

int sdMesh_CountSamples(const sdMesh* mesh, int pointsPerEdge) {
    if (mesh == NULL || pointsPerEdge < 0) {
        return 0;
    }
    int64_t count = mesh->vertexCount + (int64_t)pointsPerEdge * mesh->edgeCount;
    return count <= INT_MAX ? (int)count : 0;
}

void sdMesh_GetSamples(const sdMesh* mesh, int pointsPerEdge, sdVec3* out) {
    if (out == NULL || sdMesh_CountSamples(mesh, pointsPerEdge) == 0) {
        return;
    }
    for (int v = 0; v < mesh->vertexCount; ++v) {
        *out++ = mesh->vertices[v];
    }
    float step = 1.0f / (float)(pointsPerEdge + 1);
    for (int e = 0; e < mesh->edgeCount; ++e) {
        sdVec3 a = mesh->vertices[mesh->edges[e].vertices[0]];
        sdVec3 b = mesh->vertices[mesh->edges[e].vertices[1]];
        for (int i = 1; i <= pointsPerEdge; ++i) {
            *out++ = sdLerp(a, b, (float)i * step);
        }
    }
}
