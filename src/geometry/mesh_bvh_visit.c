// SPDX-License-Identifier: MIT
// mesh_bvh_visit.c - the triangles of a tree whose boxes overlap a box.

#include "geometry/mesh_build.h"

static bool leafOverlaps(const sdMeshBvhLeaf* leaf, int lane, sdAABB box) {
    sdVec3 a = sdMeshBvhLeaf_GetCorner(leaf, lane, 0), b = sdMeshBvhLeaf_GetCorner(leaf, lane, 1),
           c = sdMeshBvhLeaf_GetCorner(leaf, lane, 2);
    return sdAABB_Overlaps((sdAABB){sdMin(a, sdMin(b, c)), sdMax(a, sdMax(b, c))}, box);
}

static bool visitLeaf(const sdMeshBvhLeaf* leaf, sdAABB box, sdTriangleFcn* visit, void* arg) {
    for (int lane = 0; lane < SD_LANES; ++lane) {
        // lanes left over repeat the last triangle
        if (lane > 0 && leaf->triangle[lane] == leaf->triangle[lane - 1]) {
            break;
        }
        if (leafOverlaps(leaf, lane, box) && !visit(arg, leaf->triangle[lane])) {
            return false;
        }
    }
    return true;
}

void sdMeshBvh_VisitOverlaps(const sdMeshBvh* bvh, sdAABB box, sdTriangleFcn* visit, void* arg) {
    int32_t stack[SD_BVH_STACK_SIZE];
    int depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const sdMeshBvhNode* node = &bvh->nodes[stack[--depth]];
        for (int k = 0; k < SD_LANES && node->child[k] != SD_BVH_NO_CHILD; ++k) {
            sdAABB childBox = {sdV3(node->lower[0][k], node->lower[1][k], node->lower[2][k]),
                               sdV3(node->upper[0][k], node->upper[1][k], node->upper[2][k])};
            if (!sdAABB_Overlaps(childBox, box)) {
                continue;
            }
            if (node->child[k] >= 0) {
                stack[depth++] = node->child[k];
            } else if (!visitLeaf(&bvh->leaves[~node->child[k]], box, visit, arg)) {
                return;
            }
        }
    }
}
