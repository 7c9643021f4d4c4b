// SPDX-License-Identifier: MIT
// field_sign.c - signed distances of a mesh for field_build.c, by one of three sign rules.
//
// In:   a mesh and points.
// Out:  distance to the nearest triangle, negative inside.
// Ref:  S2 §3.1; Baerentzen and Aanaes, "Signed distance computation using the angle weighted
//       pseudonormal", 2005; Barill et al., "Fast winding numbers for soups and clouds", 2018.
// Note: what lies outside of the mesh's box is outside for every rule.

#include "geometry/field_sign.h"

/// How much the bound from the last point is widened, for the rounding of lengths.
#define BOUND_SLACK 1.0001f

/// Most grid points at which pseudo-normals are compared with the winding number, to find meshes
/// whose parts cross each other although each is closed.
#define AUDIT_POINTS 1024

/// Points nearer to the surface than this many cells are not compared: the fast winding number is
/// an approximation.
#define AUDIT_CLEARANCE 0.25f

static bool isInside(const sdFieldMesh* source, sdVec3 p, const sdMeshPoint* nearest) {
    if (!sdAABB_ContainsPoint(source->bounds, p)) {
        return false;
    }
    switch (source->sign) {
        case SD_FIELD_SIGN_PARITY:
            return sdMesh_ContainsByParity(source->mesh, p);
        case SD_FIELD_SIGN_WINDING:
            return sdMesh_WindingNumberFast(source->mesh, p) > 0.5f;
        default: {
            sdVec3 normal = sdMesh_PseudoNormal(source->mesh, nearest->triangle, nearest->region);
            return sdDot(normal, sdSub(p, nearest->point)) < 0.0f;
        }
    }
}

void sdFieldMesh_Evaluate(const void* arg, const sdVec3* points, int count, float* distances) {
    const sdFieldMesh* source = arg;
    float bound = FLT_MAX;
    for (int i = 0; i < count; ++i) {
        sdMeshPoint nearest = sdMesh_ClosestPoint(source->mesh, points[i], bound);
        if (nearest.triangle == SD_NULL_INDEX) {
            nearest = sdMesh_ClosestPoint(source->mesh, points[i], FLT_MAX);
        }
        bool inside = isInside(source, points[i], &nearest);
        distances[i] = inside ? -nearest.distance : nearest.distance;
        if (i + 1 < count) {
            // distance is 1-Lipschitz
            float step = sdLength(sdSub(points[i + 1], points[i]));
            bound = (nearest.distance + step) * BOUND_SLACK;
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
    int64_t count = field->coarseCount + (int64_t)field->brickCount * SD_FIELD_BRICK_VALUES;
    for (int64_t i = 0; i < count; ++i) {
        if (field->values[i] < 0) {
            return true;
        }
    }
    return false;
}
