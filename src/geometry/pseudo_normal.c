// SPDX-License-Identifier: MIT
// pseudo_normal.c - normals of faces, edges and vertices that tell inside from outside.
//
// In:   a mesh with linked edges.
// Out:  unit normals: of faces; of edges, the sum of both faces'; of vertices, the faces' weighted
//       by the angle that each has there.
// Ref:  Baerentzen and Aanaes, "Signed distance computation using the angle weighted
//       pseudonormal", IEEE TVCG 2005; S2 section 3.1.

#include "geometry/mesh_build.h"
#include "math/trig.h"

#include <string.h>

/// Two unit normals whose sum is shorter than this are opposite within the rounding of floats:
/// the direction of the sum is noise.
#define FOLDED_LENGTH 1e-5

static sdVec3 roundedUnit(sdVec3d a) {
    double length = sdLengthD(a);
    return length > 0.0 ? sdVec3d_Round(sdScaleD(1.0 / length, a)) : sdV3(0.0f, 0.0f, 0.0f);
}

void sdMesh_ComputeFaceNormals(sdMesh* mesh) {
    for (int t = 0; t < mesh->triangleCount; ++t) {
        const int32_t* v = mesh->triangles + 3 * (size_t)t;
        mesh->faceNormals[t] = sdTriangle_IsDegenerate(mesh->vertices, v)
                                   ? sdV3(0.0f, 0.0f, 0.0f)
                                   : roundedUnit(sdTriangle_Cross(mesh->vertices, v));
    }
}

/// From the edge away from triangle t, in its plane, of unit length.
static sdVec3d awayFromTriangle(const sdMesh* mesh, const sdMeshEdge* edge, int t) {
    sdVec3d along = sdSubD(sdVec3d_From(mesh->vertices[edge->vertices[1]]),
                           sdVec3d_From(mesh->vertices[edge->vertices[0]]));
    // the edge runs with triangles[0]; a triangle lies to the left of its edges
    sdVec3d away = sdCrossD(along, sdVec3d_From(mesh->faceNormals[t]));
    double length = sdLengthD(away);
    return sdScaleD(length > 0.0 ? 1.0 / length : 0.0, away);
}

static sdVec3 edgeNormal(const sdMesh* mesh, const sdMeshEdge* edge) {
    sdVec3d n0 = sdVec3d_From(mesh->faceNormals[edge->triangles[0]]);
    if (edge->triangles[1] == SD_NULL_INDEX) {
        return roundedUnit(n0);
    }
    sdVec3d sum = sdAddD(n0, sdVec3d_From(mesh->faceNormals[edge->triangles[1]]));
    if (sdLengthD(sum) < FOLDED_LENGTH) {
        // both sides of a sheet: its edge faces away from it
        sum = awayFromTriangle(mesh, edge, edge->triangles[0]);
    }
    return roundedUnit(sum);
}

/// Angle of the corner at p between q and r, radians.
static double cornerAngle(sdVec3 p, sdVec3 q, sdVec3 r) {
    sdVec3d u = sdSubD(sdVec3d_From(q), sdVec3d_From(p));
    sdVec3d v = sdSubD(sdVec3d_From(r), sdVec3d_From(p));
    return sdAtan2D(sdLengthD(sdCrossD(u, v)), sdDotD(u, v));
}

void sdMesh_ComputePseudoNormals(sdMesh* mesh) {
    for (int e = 0; e < mesh->edgeCount; ++e) {
        mesh->edgeNormals[e] = edgeNormal(mesh, &mesh->edges[e]);
    }
    memset(mesh->vertexNormals, 0, (size_t)mesh->vertexCount * sizeof(sdVec3));
    for (int t = 0; t < mesh->triangleCount; ++t) {
        const int32_t* v = mesh->triangles + 3 * (size_t)t;
        for (int k = 0; k < 3; ++k) {
            double angle = cornerAngle(mesh->vertices[v[k]], mesh->vertices[v[(k + 1) % 3]],
                                       mesh->vertices[v[(k + 2) % 3]]);
            sdVec3* sum = &mesh->vertexNormals[v[k]];
            *sum = sdMulAdd(*sum, (float)angle, mesh->faceNormals[t]);
        }
    }
    for (int v = 0; v < mesh->vertexCount; ++v) {
        mesh->vertexNormals[v] = sdNormalize(mesh->vertexNormals[v]);
    }
}

sdVec3 sdMesh_PseudoNormal(const sdMesh* mesh, int triangle, sdTriangleRegion region) {
    if (mesh == NULL || triangle < 0 || triangle >= mesh->triangleCount) {
        return sdV3(0.0f, 0.0f, 0.0f);
    }
    size_t first = 3 * (size_t)triangle;
    switch (region) {
        case SD_REGION_EDGE_AB:
        case SD_REGION_EDGE_BC:
        case SD_REGION_EDGE_CA: {
            int edge = mesh->triangleEdges[first + (size_t)(region - SD_REGION_EDGE_AB)];
            return edge != SD_NULL_INDEX ? mesh->edgeNormals[edge] : mesh->faceNormals[triangle];
        }
        case SD_REGION_VERTEX_A:
        case SD_REGION_VERTEX_B:
        case SD_REGION_VERTEX_C:
            return mesh
                ->vertexNormals[mesh->triangles[first + (size_t)(region - SD_REGION_VERTEX_A)]];
        case SD_REGION_FACE:
        default:
            return mesh->faceNormals[triangle];
    }
}
