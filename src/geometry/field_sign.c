// SPDX-License-Identifier: MIT
// field_sign.c - signed distances of a mesh for field_build.c, by one of three sign rules.
//
// In:   a mesh and points.
// Out:  distance to the nearest triangle, negative inside.
// Ref:  S2 §3.1; Baerentzen and Aanaes, "Signed distance computation using the angle weighted
//       pseudonormal", 2005; Barill et al., "Fast winding numbers for soups and clouds", 2018.
// Note: what lies outside of the mesh's box is outside for every rule.

#include "geometry/field_sign.h"
#include "geometry/mesh.h"

/// Points that are looked up in one call.
#define BATCH 64

/// Most grid points at which pseudo-normals are compared with the winding number, to find meshes
/// whose parts cross each other although each is closed.
#define AUDIT_POINTS 1024

/// Points nearer to the surface than this many cells are not compared: the fast winding number is
/// an approximation.
#define AUDIT_CLEARANCE 0.25f

static bool isInside(const sdFieldMesh* source, sdVec3 p, int triangle, sdTriangleRegion region) {
    if (!sdAABB_ContainsPoint(source->bounds, p)) {
        return false;
    }
    if (source->sign == SD_FIELD_SIGN_PARITY) {
        return sdMesh_ContainsByParity(source->mesh, p);
    }
    if (source->sign == SD_FIELD_SIGN_WINDING) {
        return sdMesh_WindingNumberFast(source->mesh, p) > 0.5f;
    }
    // any point of the feature will do: its normal is at right angles to it
    static const int corners[] = {
        [SD_REGION_FACE] = 0,    [SD_REGION_EDGE_AB] = 0,  [SD_REGION_EDGE_BC] = 1,
        [SD_REGION_EDGE_CA] = 2, [SD_REGION_VERTEX_A] = 0, [SD_REGION_VERTEX_B] = 1,
        [SD_REGION_VERTEX_C] = 2};
    sdMeshData data = sdMesh_GetData(source->mesh);
    sdVec3 corner = data.vertices[data.triangles[3 * triangle + corners[region]]];
    return sdDot(sdMesh_PseudoNormal(source->mesh, triangle, region), sdSub(p, corner)) < 0.0f;
}

void sdFieldMesh_Evaluate(const void* arg, const sdVec3* points, int count, float* distances) {
    const sdFieldMesh* source = arg;
    sdMeshPoint nearest[BATCH];
    for (int start = 0; start < count; start += BATCH) {
        int used = sdMinI(BATCH, count - start);
        sdMeshBvh_ClosestPoints(&source->mesh->bvh, points + start, used, FLT_MAX, nearest);
        for (int i = 0; i < used; ++i) {
            bool inside =
                isInside(source, points[start + i], nearest[i].triangle, nearest[i].region);
            distances[start + i] = inside ? -nearest[i].distance : nearest[i].distance;
        }
    }
}

bool sdFieldMesh_AgreesWithWinding(const sdMesh* mesh, const sdField* field) {
    const int* cells = field->grid.cells;
    int64_t total = (int64_t)(cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1);
    // an odd stride, so that points do not line up in planes
    int64_t stride = total / AUDIT_POINTS | 1;
    float clearance = AUDIT_CLEARANCE * field->grid.cellSize;
    sdAABB bounds = sdMesh_GetBounds(mesh);
    for (int64_t i = stride / 2; i < total; i += stride) {
        int x = (int)(i % (cells[0] + 1));
        int y = (int)(i / (cells[0] + 1) % (cells[1] + 1));
        int z = (int)(i / (cells[0] + 1) / (cells[1] + 1));
        sdVec3 p = sdFieldGrid_Point(&field->grid, x, y, z);
        float distance = sdField_GetGridValue(field, x, y, z);
        if (sdAbsF(distance) < clearance || !sdAABB_ContainsPoint(bounds, p)) {
            continue;
        }
        if ((distance < 0.0f) != (sdMesh_WindingNumberFast(mesh, p) > 0.5f)) {
            return false;
        }
    }
    return true;
}

bool sdField_HasInside(const sdField* field) {
    for (int i = 0; i < field->coarseCount; ++i) {
        if (field->coarse[i] < 0) {
            return true;
        }
    }
    int64_t count = field->bricks != NULL ? sdFieldGrid_CountBricks(&field->grid) : 0;
    for (int64_t i = 0; i < count; ++i) {
        int16_t values[SD_FIELD_BRICK_VALUES];
        if (field->bricks[i] == 0) {
            continue;
        }
        sdField_UnpackBrick(field, field->bricks[i], values);
        for (int k = 0; k < SD_FIELD_BRICK_VALUES; ++k) {
            if (values[k] < 0) {
                return true;
            }
        }
    }
    return false;
}
