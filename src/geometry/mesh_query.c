// SPDX-License-Identifier: MIT
// mesh_query.c - nearest points, rays, boxes and inside tests of a mesh, through its tree.
//
// In:   a mesh, a point, ray or box.
// Out:  small values. Never allocates, never changes the mesh: any number of threads at once.

#include "geometry/mesh.h"

static const sdMeshPoint nothing = {{0.0f, 0.0f, 0.0f}, 0.0f, SD_NULL_INDEX, SD_REGION_FACE};

/// Children that are not there are infinitely far, and must stay out.
static float squareBound(float maxDistance) {
    return maxDistance >= 0.0f ? sdMinF(maxDistance * maxDistance, FLT_MAX) : -1.0f;
}

static sdMeshPoint makePoint(const sdMeshBvh* bvh, sdVec3 p, const sdMeshBvhNearest* nearest) {
    if (nearest->triangle == INT32_MAX) {
        return nothing;
    }
    sdMeshPoint result = {sdAdd(p, nearest->offset), sqrtf(nearest->distanceSquared),
                          nearest->triangle, nearest->region};
    // corners are given back to the bit
    if (nearest->region >= SD_REGION_VERTEX_A) {
        result.point = sdMeshBvhLeaf_GetCorner(bvh->leaves + nearest->leaf, nearest->lane,
                                               (int)(nearest->region - SD_REGION_VERTEX_A));
    }
    return result;
}

sdMeshPoint sdMeshBvh_ClosestPoint(const sdMeshBvh* bvh, sdVec3 p, float maxDistance) {
    if (!sdVec3_IsFinite(p)) {
        return nothing;
    }
    sdMeshBvhNearest nearest = {.distanceSquared = squareBound(maxDistance), .triangle = INT32_MAX};
    SD_DISPATCH(sdMeshBvh_Nearest)(bvh, p, &nearest);
    return makePoint(bvh, p, &nearest);
}

void sdMeshBvh_ClosestPoints(const sdMeshBvh* bvh, const sdVec3* points, int count,
                             float maxDistance, sdMeshPoint* out) {
    float bound = squareBound(maxDistance);
    int seed = SD_NULL_INDEX;
    for (int first = 0; first < count; first += SD_LANES) {
        int used = sdMinI(SD_LANES, count - first);
        sdVec3 packet[SD_LANES];
        sdMeshBvhNearest nearest[SD_LANES];
        bool isFinite = true;
        for (int i = 0; i < SD_LANES; ++i) {
            packet[i] = points[first + sdMinI(i, used - 1)];
            nearest[i].distanceSquared = bound;
            isFinite = isFinite && sdVec3_IsFinite(packet[i]);
        }
        // one by one where a single bad point would spoil the box around all
        if (!isFinite) {
            for (int i = 0; i < used; ++i) {
                out[first + i] = sdMeshBvh_ClosestPoint(bvh, packet[i], maxDistance);
            }
            continue;
        }
        SD_DISPATCH(sdMeshBvh_NearestOfEight)(bvh, packet, seed, nearest);
        for (int i = 0; i < used; ++i) {
            out[first + i] = makePoint(bvh, packet[i], nearest + i);
        }
        const sdMeshBvhNearest* last = nearest + used - 1;
        seed = last->triangle != INT32_MAX ? last->leaf * SD_LANES + last->lane : seed;
    }
}

sdMeshPoint sdMesh_ClosestPoint(const sdMesh* mesh, sdVec3 p, float maxDistance) {
    if (mesh == NULL) {
        return nothing;
    }
    return sdMeshBvh_ClosestPoint(&mesh->bvh, p, maxDistance);
}

void sdMesh_ClosestPoints(const sdMesh* mesh, const sdVec3* points, int count, float maxDistance,
                          sdMeshPoint* out) {
    if (mesh != NULL) {
        sdMeshBvh_ClosestPoints(&mesh->bvh, points, count, maxDistance, out);
        return;
    }
    for (int i = 0; i < count; ++i) {
        out[i] = nothing;
    }
}

float sdMesh_SignedDistance(const sdMesh* mesh, sdVec3 p) {
    sdMeshPoint q = sdMesh_ClosestPoint(mesh, p, INFINITY);
    if (q.triangle == SD_NULL_INDEX) {
        return FLT_MAX;
    }
    // any point of the feature will do, its normal being at right angles to it: a corner is exact
    static const int corners[] = {
        [SD_REGION_FACE] = 0,     [SD_REGION_EDGE_AB] = 0,  [SD_REGION_EDGE_BC] = 1,
        [SD_REGION_EDGE_CA] = 2,  [SD_REGION_VERTEX_A] = 0, [SD_REGION_VERTEX_B] = 1,
        [SD_REGION_VERTEX_C] = 2,
    };
    sdVec3 corner = mesh->vertices[mesh->triangles[3 * q.triangle + corners[q.region]]];
    sdVec3 normal = sdMesh_PseudoNormal(mesh, q.triangle, q.region);
    return sdDot(normal, sdSub(p, corner)) < 0.0f ? -q.distance : q.distance;
}

// ---- boxes ---------------------------------------------------------------------------------

void sdMeshBvh_VisitBox(const sdMeshBvh* bvh, sdAABB box, sdTriangleFcn* visit, void* arg) {
    SD_DISPATCH(sdMeshBvh_Visit)(bvh, &box, visit, arg);
}

void sdMesh_QueryBox(const sdMesh* mesh, sdAABB box, sdTriangleFcn* visit, void* arg) {
    if (mesh != NULL && visit != NULL) {
        sdMeshBvh_VisitBox(&mesh->bvh, box, visit, arg);
    }
}

// ---- segments ------------------------------------------------------------------------------

/// Stands for the inverse of a component that is 0, or so small that the segment does not move
/// along that axis by as much as a mesh can measure.
#define LARGEST_INVERSE 1e30f

bool sdMeshRay_Make(sdVec3 origin, sdVec3 translation, sdMeshRay* out) {
    if (!sdVec3_IsFinite(origin) || !sdVec3_IsFinite(translation)) {
        return false;
    }
    float step[3] = {translation.x, translation.y, translation.z};
    int depth = 0;
    for (int i = 1; i < 3; ++i) {
        depth = sdAbsF(step[i]) > sdAbsF(step[depth]) ? i : depth;
    }
    float scale = 1.0f / step[depth];
    if (!sdIsFinite(scale)) {
        return false;
    }
    *out = (sdMeshRay){
        .origin = {origin.x, origin.y, origin.z},
        .axis = {(depth + 1) % 3, (depth + 2) % 3, depth},
        .scale = scale,
    };
    out->shear[0] = step[out->axis[0]] / step[depth];
    out->shear[1] = step[out->axis[1]] / step[depth];
    for (int i = 0; i < 3; ++i) {
        float inverse = 1.0f / step[i];
        out->inverse[i] = sdAbsF(inverse) <= LARGEST_INVERSE ? inverse : LARGEST_INVERSE;
    }
    return true;
}

int sdMeshBvh_Raycast(const sdMeshBvh* bvh, sdVec3 origin, sdVec3 translation, float* fraction) {
    sdMeshRay ray;
    sdMeshBvhHit hit = {1.0f, INT32_MAX};
    if (sdMeshRay_Make(origin, translation, &ray)) {
        SD_DISPATCH(sdMeshBvh_FirstHit)(bvh, &ray, &hit);
    }
    *fraction = hit.fraction;
    return hit.triangle != INT32_MAX ? hit.triangle : SD_NULL_INDEX;
}

sdMeshHit sdMesh_Raycast(const sdMesh* mesh, sdVec3 origin, sdVec3 translation) {
    sdMeshHit hit = {1.0f, sdAdd(origin, translation), {0.0f, 0.0f, 0.0f}, SD_NULL_INDEX};
    if (mesh == NULL) {
        return hit;
    }
    hit.triangle = sdMeshBvh_Raycast(&mesh->bvh, origin, translation, &hit.fraction);
    if (hit.triangle != SD_NULL_INDEX) {
        hit.point = sdMulAdd(origin, hit.fraction, translation);
        hit.normal = mesh->faceNormals[hit.triangle];
    }
    return hit;
}

// ---- inside or not -------------------------------------------------------------------------

/// Directions without relation to the axes or to each other, tried in turn.
static const sdVec3 parityDirections[] = {
    {0.5773f, 0.2113f, 0.7887f},   {-0.3271f, 0.8731f, 0.3617f},  {0.7193f, -0.6131f, 0.3271f},
    {-0.1259f, -0.4373f, 0.8904f}, {0.9013f, 0.3967f, -0.1741f},  {-0.6427f, 0.1153f, -0.7574f},
    {0.2339f, -0.9161f, -0.3257f}, {-0.8123f, -0.5519f, 0.1889f},
};
#define PARITY_DIRECTION_COUNT ((int)(sizeof parityDirections / sizeof parityDirections[0]))

bool sdMesh_ContainsByParity(const sdMesh* mesh, sdVec3 p) {
    if (mesh == NULL || !sdAABB_ContainsPoint(mesh->bounds, p)) {
        return false;
    }
    // from any point of the box this leads out of it, also when rounded
    float length = 2.0f * sdLength(sdSub(mesh->bounds.upper, mesh->bounds.lower));
    for (int i = 0; i < PARITY_DIRECTION_COUNT; ++i) {
        sdMeshRay ray;
        if (!sdMeshRay_Make(p, sdScale(length, parityDirections[i]), &ray)) {
            return false;
        }
        int count = SD_DISPATCH(sdMeshBvh_CountCrossings)(&mesh->bvh, &ray);
        if (count != SD_NULL_INDEX) {
            return count % 2 != 0;
        }
    }
    // every direction grazes something: p lies on an edge or corner, or nearly so
    return sdMesh_WindingNumber(mesh, p) > 0.5;
}
