// SPDX-License-Identifier: MIT
// winding_kernel.c - solid angles of clusters and triangles, eight at a time.
//
// In:   a tree with dipoles, a point.
// Out:  the solid angle under which the whole surface is seen.
// Ref:  as winding.c.
// Note: compiled twice, see simd.h. The visiting order, and with it the rounding of the sum,
//       depends on the tree and the point alone.

#include "geometry/mesh_bvh.h"
#include "math/trig.h"

/// Solid angles of a node's far children, 0 for near ones; *isNear says which those are.
SD_INLINE sdF8 angleOfDipoles(const sdMeshBvhDipoles* dipoles, sdVec3x8 p, sdI8* isNear) {
    sdVec3x8 d = {sdF8_Load(dipoles->center[0]) - p.x, sdF8_Load(dipoles->center[1]) - p.y,
                  sdF8_Load(dipoles->center[2]) - p.z};
    sdVec3x8 n = {sdF8_Load(dipoles->normal[0]), sdF8_Load(dipoles->normal[1]),
                  sdF8_Load(dipoles->normal[2])};
    sdF8 squared = sdVec3x8_Dot(d, d);
    *isNear = sdF8_LessEqual(squared, sdF8_Load(dipoles->reachSquared));
    sdF8 angle = sdVec3x8_Dot(d, n) / (squared * sdF8_Sqrt(squared));
    return sdF8_Select(*isNear, sdF8_Zero(), angle);
}

SD_INLINE double angleOfLeaf(const sdMeshBvhLeaf* leaf, sdVec3x8 p) {
    sdVec3x8 v[3];
    for (int i = 0; i < 3; ++i) {
        v[i] = (sdVec3x8){sdF8_Load(leaf->corner[i][0]) - p.x, sdF8_Load(leaf->corner[i][1]) - p.y,
                          sdF8_Load(leaf->corner[i][2]) - p.z};
    }
    sdF8 la = sdF8_Sqrt(sdVec3x8_Dot(v[0], v[0]));
    sdF8 lb = sdF8_Sqrt(sdVec3x8_Dot(v[1], v[1]));
    sdF8 lc = sdF8_Sqrt(sdVec3x8_Dot(v[2], v[2]));
    sdVec3x8 normal = sdVec3x8_Cross(sdVec3x8_Sub(v[1], v[0]), sdVec3x8_Sub(v[2], v[0]));
    sdF8 y = sdVec3x8_Dot(v[0], normal);
    sdF8 x = la * lb * lc + sdVec3x8_Dot(v[0], v[1]) * lc + sdVec3x8_Dot(v[1], v[2]) * la +
             sdVec3x8_Dot(v[2], v[0]) * lb;
    double sum = 0.0;
    for (int lane = 0; lane < SD_LANES; ++lane) {
        // lanes left over repeat the last triangle
        if (lane > 0 && leaf->triangle[lane] == leaf->triangle[lane - 1]) {
            break;
        }
        sum += 2.0 * sdAtan2D((double)y[lane], (double)x[lane]);
    }
    return sum;
}

double SD_KERNEL(sdMeshBvh_SumSolidAngles)(const sdMeshBvh* bvh, sdVec3 p) {
    sdVec3x8 p8 = sdVec3x8_Splat(p);
    sdF8 far = sdF8_Zero();
    double near = 0.0;
    int32_t stack[SD_BVH_STACK_SIZE];
    int count = 1;
    stack[0] = 0;
    while (count > 0) {
        int32_t index = stack[--count];
        if (index < 0) {
            near += angleOfLeaf(bvh->leaves + ~index, p8);
            continue;
        }
        sdI8 isNear;
        far += angleOfDipoles(bvh->dipoles + index, p8, &isNear);
        const int32_t* child = bvh->nodes[index].child;
        for (unsigned lanes = (unsigned)sdI8_MaskBits(isNear); lanes != 0; lanes &= lanes - 1) {
            int lane = __builtin_ctz(lanes);
            if (child[lane] != SD_BVH_NO_CHILD) {
                stack[count++] = child[lane];
            }
        }
    }
    for (int lane = 0; lane < SD_LANES; ++lane) {
        near += (double)far[lane];
    }
    return near;
}
