// SPDX-License-Identifier: MIT
// winding_kernel.c - solid angles of clusters and triangles, eight at a time.
//
// In:   a tree with dipoles, a point.
// Out:  the solid angle under which the whole surface is seen.
// Ref:  as winding.c.
// Note: compiled twice, see simd.h. Angles of triangles are added as complex numbers are
//       multiplied, with a count of full turns: one arc tangent a lane at the end instead of one a
//       triangle.

#include "geometry/mesh_bvh.h"
#include "math/trig.h"

#define TWO_PI 6.283185307179586477

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

/// Sums of angles, one a lane: that of the complex number x + iy, between -pi and pi, and turns.
typedef struct Angles8 {
    sdF8 x, y;
    sdI8 turns;
} Angles8;

/// Add the angles of x + iy; 0 + i0 and what overflowed count as no angle.
SD_INLINE void addAngles(Angles8* sum, sdF8 x, sdF8 y, sdI8 isCounted) {
    sdF8 zero = sdF8_Zero();
    sdF8 one = sdF8_Splat(1.0f);
    sdF8 size = sdF8_Max(sdF8_Abs(x), sdF8_Abs(y));
    sdI8 isAngle = isCounted & sdF8_Less(zero, size) & sdF8_LessEqual(size, sdF8_Splat(FLT_MAX));
    x = sdF8_Select(isAngle, x / size, one);
    y = sdF8_Select(isAngle, y / size, zero);

    sdF8 productX = sum->x * x - sum->y * y;
    sdF8 productY = sum->x * y + sum->y * x;
    // two angles of one sign whose sum has the other one went over half a turn
    sdI8 wasNegative = sdF8_Less(sum->y, zero);
    sdI8 isNegative = sdF8_Less(y, zero);
    sdI8 becomesNegative = sdF8_Less(productY, zero);
    sdI8 isOver = ~wasNegative & ~isNegative & becomesNegative;
    sdI8 isUnder = wasNegative & isNegative & ~becomesNegative;
    // a true lane is -1
    sum->turns = sum->turns - isOver + isUnder;

    // the factor was between 1 and 1.5 long: keep the product near that
    sdF8 inverse = one / sdF8_Max(sdF8_Abs(productX), sdF8_Abs(productY));
    sum->x = productX * inverse;
    sum->y = productY * inverse;
}

/// Add half of the solid angles of a leaf's triangles.
SD_INLINE void addLeaf(Angles8* sum, const sdMeshBvhLeaf* leaf, sdVec3x8 p) {
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
    // lanes left over repeat the last triangle
    sdI8 triangle = sdI8_Load(leaf->triangle);
    sdI8 before = __builtin_shufflevector(triangle, triangle, 0, 0, 1, 2, 3, 4, 5, 6);
    const sdI8 first = {-1, 0, 0, 0, 0, 0, 0, 0};
    addAngles(sum, x, y, (triangle != before) | first);
}

double SD_KERNEL(sdMeshBvh_SumSolidAngles)(const sdMeshBvh* bvh, sdVec3 p) {
    sdVec3x8 p8 = sdVec3x8_Splat(p);
    sdF8 far = sdF8_Zero();
    Angles8 near = {sdF8_Splat(1.0f), sdF8_Zero(), sdI8_Splat(0)};
    int32_t stack[SD_BVH_STACK_SIZE];
    int count = 1;
    stack[0] = 0;
    while (count > 0) {
        int32_t index = stack[--count];
        if (index < 0) {
            addLeaf(&near, bvh->leaves + ~index, p8);
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
    double sum = 0.0;
    for (int lane = 0; lane < SD_LANES; ++lane) {
        double angle = sdAtan2D((double)near.y[lane], (double)near.x[lane]) +
                       TWO_PI * (double)near.turns[lane];
        sum += 2.0 * angle + (double)far[lane];
    }
    return sum;
}
