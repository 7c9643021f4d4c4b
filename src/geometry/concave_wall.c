// SPDX-License-Identifier: MIT
// concave_wall.c - how thin the walls of a solid are.
//
// In:   a mesh that has an inside.
// Out:  the thickness below which a small part of its surface is.
// Note: every solid is as thin as you like next to a sharp edge. What a field must resolve are
//       walls with two sides that face away from each other over some area, so thickness counts by
//       area and only where the far side looks the other way.

#include "base/sort.h"
#include "geometry/concave.h"
#include "geometry/mesh.h"

/// Rays that are cast at most, spread over the triangles.
#define MAX_RAYS 4096
/// Part of the area that may be thinner.
#define THIN_PART 0.05
/// Cosine between the way and the normal of the far side from which the two sides are a wall.
#define FACING 0.5f
/// Start of a ray below the surface, as a part of the mesh's size.
#define START 1e-5f

/// @return 0 where there is no wall
static float thicknessAt(const sdMesh* mesh, int triangle, float size, double* area) {
    const int32_t* t = mesh->triangles + 3 * (size_t)triangle;
    sdVec3 a = mesh->vertices[t[0]], b = mesh->vertices[t[1]], c = mesh->vertices[t[2]];
    sdVec3 normal = sdCross(sdSub(b, a), sdSub(c, a));
    float twice = sdLength(normal);
    *area = 0.5 * (double)twice;
    if (!(twice > 0.0f)) {
        return 0.0f;
    }
    sdVec3 way = sdScale(-1.0f / twice, normal);
    sdVec3 middle = sdScale(1.0f / 3.0f, sdAdd(a, sdAdd(b, c)));
    float length = 4.0f * size;
    sdMeshHit hit = sdMesh_Raycast(mesh, sdMulAdd(middle, START * size, way), sdScale(length, way));
    bool isWall = hit.triangle != SD_NULL_INDEX && sdDot(hit.normal, way) > FACING;
    return isWall ? hit.fraction * length : 0.0f;
}

sdResult sdMesh_FindWall(const sdContext* context, const sdMesh* mesh, float* out) {
    *out = 0.0f;
    int step = (mesh->triangleCount + MAX_RAYS - 1) / MAX_RAYS;
    int room = (mesh->triangleCount + step - 1) / step;
    // thickness above, index of the area below: positive floats are ordered as their bits are
    uint64_t* keys = sdAllocArray(&context->allocator, (size_t)room, sizeof *keys);
    double* areas = sdAllocArray(&context->allocator, (size_t)room, sizeof *areas);
    sdResult result = SD_OK;
    if (keys == NULL || areas == NULL) {
        result = sdFailMemory(context, "sdConcave_Create", (size_t)room * sizeof *keys);
    } else {
        float size = sdLength(sdSub(mesh->bounds.upper, mesh->bounds.lower));
        double total = 0.0;
        int count = 0;
        for (int i = 0; i < mesh->triangleCount; i += step) {
            float thickness = thicknessAt(mesh, i, size, &areas[count]);
            if (thickness > 0.0f) {
                uint32_t bits;
                memcpy(&bits, &thickness, sizeof bits);
                total += areas[count];
                keys[count] = (uint64_t)bits << 32 | (uint32_t)count;
                count += 1;
            }
        }
        sdSortKeys(keys, count);
        double sum = 0.0;
        for (int i = 0; i < count && *out == 0.0f; ++i) {
            sum += areas[keys[i] & 0xFFFFFFFFu];
            if (sum >= THIN_PART * total) {
                uint32_t bits = (uint32_t)(keys[i] >> 32);
                memcpy(out, &bits, sizeof bits);
            }
        }
    }
    sdFree(&context->allocator, keys, (size_t)room * sizeof *keys);
    sdFree(&context->allocator, areas, (size_t)room * sizeof *areas);
    return result;
}
