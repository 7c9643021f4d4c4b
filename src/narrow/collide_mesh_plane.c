// SPDX-License-Identifier: MIT
// collide_mesh_plane.c - the lowest triangles of a mesh over a plane, through its tree.

#include "narrow/collide_mesh_walk.h"

static sdVec3x8 loadVec3x8(const float v[3][SD_LANES]) {
    return (sdVec3x8){sdF8_Load(v[0]), sdF8_Load(v[1]), sdF8_Load(v[2])};
}

/// Heights of the lowest corners of eight boxes; infinite where there is no child.
static sdF8 boxHeights(const sdMeshBvhNode* node, sdVec3 normal, float offset) {
    sdVec3x8 lower = loadVec3x8(node->lower), upper = loadVec3x8(node->upper);
    sdF8 x = (normal.x > 0.0f ? lower.x : upper.x) * sdF8_Splat(normal.x);
    sdF8 y = (normal.y > 0.0f ? lower.y : upper.y) * sdF8_Splat(normal.y);
    sdF8 z = (normal.z > 0.0f ? lower.z : upper.z) * sdF8_Splat(normal.z);
    sdI8 isThere = sdF8_LessEqual(lower.x, upper.x);
    return sdF8_Select(isThere, x + y + z - sdF8_Splat(offset), sdF8_Splat(INFINITY));
}

static sdF8 cornerHeights(const sdMeshBvhLeaf* leaf, sdVec3 normal, float offset) {
    sdVec3x8 n = sdVec3x8_Splat(normal);
    sdF8 a = sdVec3x8_Dot(loadVec3x8(leaf->corner[0]), n);
    sdF8 b = sdVec3x8_Dot(loadVec3x8(leaf->corner[1]), n);
    sdF8 c = sdVec3x8_Dot(loadVec3x8(leaf->corner[2]), n);
    return sdF8_Min(sdF8_Min(a, b), c) - sdF8_Splat(offset);
}

static float visitLeaf(const sdMeshPlaneWalk* walk, int leafIndex, float bound) {
    const sdMeshBvhLeaf* leaf = walk->bvh->leaves + leafIndex;
    float heights[SD_LANES];
    sdF8_Store(heights, cornerHeights(leaf, walk->normal, walk->offset));
    for (int lane = 0; lane < SD_LANES; ++lane) {
        bool isRepeated = lane > 0 && leaf->triangle[lane] == leaf->triangle[lane - 1];
        if (!isRepeated && heights[lane] <= bound + walk->slack) {
            bound = walk->visit(walk->arg, leaf, lane);
        }
    }
    return bound;
}

void sdMeshPlaneWalk_Run(const sdMeshPlaneWalk* walk) {
    int32_t children[SD_BVH_STACK_SIZE];
    float heights[SD_BVH_STACK_SIZE];
    int count = 1;
    children[0] = 0;
    heights[0] = -FLT_MAX;
    float bound = walk->bound;
    while (count > 0) {
        count -= 1;
        if (heights[count] > bound + walk->slack) {
            continue;
        }
        if (children[count] < 0) {
            bound = visitLeaf(walk, ~children[count], bound);
            continue;
        }
        const sdMeshBvhNode* node = walk->bvh->nodes + children[count];
        float row[SD_LANES];
        sdF8_Store(row, boxHeights(node, walk->normal, walk->offset));
        // the lowest child on top
        int lowest = 0;
        for (int lane = 1; lane < SD_LANES; ++lane) {
            lowest = row[lane] < row[lowest] ? lane : lowest;
        }
        for (int i = 0; i < SD_LANES; ++i) {
            int lane = i == SD_LANES - 1 ? lowest : (i < lowest ? i : i + 1);
            if (row[lane] <= bound + walk->slack && node->child[lane] != SD_BVH_NO_CHILD) {
                children[count] = node->child[lane];
                heights[count] = row[lane];
                count += 1;
            }
        }
    }
}
