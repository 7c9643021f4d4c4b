// SPDX-License-Identifier: MIT
// pseudo_normal.c - normals of faces, edges and vertices that tell inside from outside.
//
// In:   a mesh with linked edges.
// Out:  unit normals: of faces; of edges, the sum of their faces'; of vertices, the faces'
//       weighted by the angle that each has there; which sides of triangles stick out.
// Ref:  Baerentzen and Aanaes, "Signed distance computation using the angle weighted
//       pseudonormal", IEEE TVCG 2005; S2 section 3.1.
// Note: all triangles at an edge or vertex take part, however many there are. By the divergence
//       theorem on a small ball, the sum is minus the mean direction of the solid around that
//       point, so it has the right sign where solids touch in an edge or a point as well.

#include "geometry/mesh_build.h"
#include "math/trig.h"

#include <string.h>

/// Two unit normals whose sum is shorter than this are opposite within the rounding of floats:
/// the direction of the sum is noise.
#define FOLDED_LENGTH 1e-5

/// How many triangles without area may lie in a row between ones that have a normal.
#define BORROW_PASSES 16

static sdVec3 roundedUnit(sdVec3d a) {
    double length = sdLengthD(a);
    return length > 0.0 ? sdVec3d_Round(sdScaleD(1.0 / length, a)) : sdV3(0.0f, 0.0f, 0.0f);
}

// ---- faces ---------------------------------------------------------------------------------

static bool isZero(sdVec3 a) {
    return a.x == 0.0f && a.y == 0.0f && a.z == 0.0f;
}

static void computeFaceNormals(sdMesh* mesh) {
    for (int t = 0; t < mesh->triangleCount; ++t) {
        const int32_t* v = mesh->triangles + 3 * (size_t)t;
        mesh->faceNormals[t] = sdTriangle_IsDegenerate(mesh->vertices, v)
                                   ? sdV3(0.0f, 0.0f, 0.0f)
                                   : roundedUnit(sdTriangle_Cross(mesh->vertices, v));
    }
}

/// Give triangles without area the normal of their neighbours: what their own corners say is
/// rounding.
/// @return how many are still without
static int borrowNormals(sdMesh* mesh) {
    int missing = 0;
    for (int t = 0; t < mesh->triangleCount; ++t) {
        if (!isZero(mesh->faceNormals[t])) {
            continue;
        }
        sdVec3 sum = sdV3(0.0f, 0.0f, 0.0f);
        for (size_t k = 0; k < 3; ++k) {
            int neighbor = mesh->neighbors[3 * (size_t)t + k];
            sum = neighbor != SD_NULL_INDEX ? sdAdd(sum, mesh->faceNormals[neighbor]) : sum;
        }
        mesh->faceNormals[t] = sdNormalize(sum);
        missing += isZero(mesh->faceNormals[t]);
    }
    return missing;
}

// ---- edges ---------------------------------------------------------------------------------

/// From the edge away from triangles[0], in its plane.
static sdVec3d awayFromFirst(const sdMesh* mesh, const sdMeshEdge* edge) {
    sdVec3d along = sdSubD(sdVec3d_From(mesh->vertices[edge->vertices[1]]),
                           sdVec3d_From(mesh->vertices[edge->vertices[0]]));
    // the edge runs with triangles[0], which lies to the left of it
    return sdCrossD(along, sdVec3d_From(mesh->faceNormals[edge->triangles[0]]));
}

static bool isSameEdge(const sdMeshEdge* a, const sdMeshEdge* b) {
    return (a->vertices[0] == b->vertices[0] && a->vertices[1] == b->vertices[1]) ||
           (a->vertices[0] == b->vertices[1] && a->vertices[1] == b->vertices[0]);
}

/// Give all entries of the edge that starts at entry `begin` the sum of all normals there.
/// @return the entry after them
static int computeEdgeNormal(sdMesh* mesh, int begin) {
    sdVec3d sum = sdV3d(0.0, 0.0, 0.0);
    int end = begin;
    while (end < mesh->edgeCount && isSameEdge(&mesh->edges[begin], &mesh->edges[end])) {
        const sdMeshEdge* edge = &mesh->edges[end++];
        for (int i = 0; i < 2 && edge->triangles[i] != SD_NULL_INDEX; ++i) {
            sum = sdAddD(sum, sdVec3d_From(mesh->faceNormals[edge->triangles[i]]));
        }
    }
    if (sdLengthD(sum) < FOLDED_LENGTH) {
        // both sides of a sheet: its edge faces away from it
        sum = awayFromFirst(mesh, &mesh->edges[begin]);
    }
    for (int e = begin; e < end; ++e) {
        mesh->edgeNormals[e] = roundedUnit(sum);
    }
    return end;
}

/// The corner of triangle t that is not on the edge.
static sdVec3 oppositeCorner(const sdMesh* mesh, const sdMeshEdge* edge, int t) {
    const int32_t* v = mesh->triangles + 3 * (size_t)t;
    int k = 0;
    while (k < 2 && (v[k] == edge->vertices[0] || v[k] == edge->vertices[1])) {
        k += 1;
    }
    return mesh->vertices[v[k]];
}

static void measureEdge(const sdMesh* mesh, sdMeshEdge* edge) {
    edge->cosAngle = 1.0f;
    edge->isConvex = true;
    if (edge->triangles[1] == SD_NULL_INDEX) {
        return;
    }
    sdVec3 first = mesh->faceNormals[edge->triangles[0]];
    edge->cosAngle = sdClampF(sdDot(first, mesh->faceNormals[edge->triangles[1]]), -1.0f, 1.0f);
    // the second triangle falls away from the plane of the first
    sdVec3d arm = sdSubD(sdVec3d_From(oppositeCorner(mesh, edge, edge->triangles[1])),
                         sdVec3d_From(mesh->vertices[edge->vertices[0]]));
    edge->isConvex = sdDotD(sdVec3d_From(first), arm) < 0.0;
}

/// Find which sides of a triangle have neighbours in its plane, and which fall away.
static uint16_t describeSides(const sdMesh* mesh, int triangle) {
    const double flat = 0.5 * SD_MESH_SAME_NORMAL * SD_MESH_SAME_NORMAL;
    const int32_t* edges = mesh->triangleEdges + 3 * (size_t)triangle;
    uint32_t open = 0, front = 0, back = 0;
    for (int i = 0; i < 3; ++i) {
        const sdMeshEdge* edge = edges[i] != SD_NULL_INDEX ? &mesh->edges[edges[i]] : NULL;
        bool isBoundary = edge == NULL || edge->triangles[1] == SD_NULL_INDEX;
        if (isBoundary || (double)edge->cosAngle < 1.0 - flat) {
            open |= 1u << i;
            front |= isBoundary || edge->isConvex ? 1u << i : 0u;
            back |= isBoundary || !edge->isConvex ? 1u << i : 0u;
        }
    }
    return (uint16_t)(open << SD_SIDES_OPEN | front << SD_SIDES_SHARP_FRONT |
                      back << SD_SIDES_SHARP_BACK);
}

// ---- vertices ------------------------------------------------------------------------------

/// The normal of triangle t, weighted by its angle at corner k in radians.
static sdVec3d weightedNormal(const sdMesh* mesh, int t, int k) {
    const int32_t* v = mesh->triangles + 3 * (size_t)t;
    sdVec3d p = sdVec3d_From(mesh->vertices[v[k]]);
    sdVec3d a = sdSubD(sdVec3d_From(mesh->vertices[v[(k + 1) % 3]]), p);
    sdVec3d b = sdSubD(sdVec3d_From(mesh->vertices[v[(k + 2) % 3]]), p);
    double angle = sdAtan2D(sdLengthD(sdCrossD(a, b)), sdDotD(a, b));
    return sdScaleD(angle, sdVec3d_From(mesh->faceNormals[t]));
}

static void computeVertexNormals(sdMesh* mesh) {
    memset(mesh->vertexNormals, 0, (size_t)mesh->vertexCount * sizeof(sdVec3));
    for (int t = 0; t < mesh->triangleCount; ++t) {
        for (int k = 0; k < 3; ++k) {
            int v = mesh->triangles[3 * (size_t)t + (size_t)k];
            mesh->vertexNormals[v] =
                sdAdd(mesh->vertexNormals[v], sdVec3d_Round(weightedNormal(mesh, t, k)));
        }
    }
    for (int v = 0; v < mesh->vertexCount; ++v) {
        mesh->vertexNormals[v] = sdNormalize(mesh->vertexNormals[v]);
    }
}

// ---- all -----------------------------------------------------------------------------------

void sdMesh_ComputeNormals(sdMesh* mesh) {
    computeFaceNormals(mesh);
    for (int pass = 0; pass < BORROW_PASSES && borrowNormals(mesh) > 0; ++pass) {
    }
    for (int e = 0; e < mesh->edgeCount; ++e) {
        measureEdge(mesh, &mesh->edges[e]);
    }
    for (int e = 0; e < mesh->edgeCount;) {
        e = computeEdgeNormal(mesh, e);
    }
    computeVertexNormals(mesh);
    for (int t = 0; t < mesh->triangleCount; ++t) {
        mesh->sides[t] = describeSides(mesh, t);
    }
}

sdVec3 sdMesh_PseudoNormal(const sdMesh* mesh, int triangle, sdTriangleRegion region) {
    if (mesh == NULL || triangle < 0 || triangle >= mesh->triangleCount) {
        return sdV3(0.0f, 0.0f, 0.0f);
    }
    size_t first = 3 * (size_t)triangle;
    if (region >= SD_REGION_EDGE_AB && region <= SD_REGION_EDGE_CA) {
        int edge = mesh->triangleEdges[first + (size_t)(region - SD_REGION_EDGE_AB)];
        return edge != SD_NULL_INDEX ? mesh->edgeNormals[edge] : mesh->faceNormals[triangle];
    }
    if (region >= SD_REGION_VERTEX_A && region <= SD_REGION_VERTEX_C) {
        size_t corner = (size_t)(region - SD_REGION_VERTEX_A);
        return mesh->vertexNormals[mesh->triangles[first + corner]];
    }
    return mesh->faceNormals[triangle];
}
