// SPDX-License-Identifier: MIT
// mesh_bvh_kernel.c - the way down the tree, eight boxes and eight triangles at a time.
//
// In:   a tree, a point, a bound.
// Out:  the nearest triangle. Never allocates.
// Note: compiled twice, see simd.h.

#include "geometry/mesh_bvh.h"

typedef struct StackEntry {
    float distanceSquared;
    int32_t child;
} StackEntry;

/// Squared distances to the boxes of a node's children; infinite where there is no child.
SD_INLINE sdF8 distanceToBoxes(const sdMeshBvhNode* node, sdVec3x8 p) {
    sdF8 zero = sdF8_Zero();
    sdF8 x =
        sdF8_Max(sdF8_Max(sdF8_Load(node->lower[0]) - p.x, p.x - sdF8_Load(node->upper[0])), zero);
    sdF8 y =
        sdF8_Max(sdF8_Max(sdF8_Load(node->lower[1]) - p.y, p.y - sdF8_Load(node->upper[1])), zero);
    sdF8 z =
        sdF8_Max(sdF8_Max(sdF8_Load(node->lower[2]) - p.z, p.z - sdF8_Load(node->upper[2])), zero);
    return x * x + y * y + z * z;
}

SD_INLINE sdVec3x8 loadCorner(const sdMeshBvhLeaf* leaf, int corner) {
    return (sdVec3x8){sdF8_Load(leaf->corner[corner][0]), sdF8_Load(leaf->corner[corner][1]),
                      sdF8_Load(leaf->corner[corner][2])};
}

/// As tryEdge of point_triangle.c.
SD_INLINE sdF8 tryEdges(sdF8 best, sdVec3x8 a, sdVec3x8 ab) {
    sdF8 t = -sdVec3x8_Dot(a, ab) / sdVec3x8_Dot(ab, ab);
    sdVec3x8 q = sdVec3x8_MulAdd(a, t, ab);
    sdF8 d = sdVec3x8_Dot(q, q);
    sdI8 isBetween = (t > sdF8_Zero()) & (t < sdF8_Splat(1.0f));
    return sdF8_Select(isBetween & (d < best), d, best);
}

/// Squared distances to eight triangles, as sdClosestPointOnTriangle.
SD_INLINE sdF8 distanceToTriangles(const sdMeshBvhLeaf* leaf, sdVec3x8 p) {
    sdVec3x8 a = loadCorner(leaf, 0);
    sdVec3x8 b = loadCorner(leaf, 1);
    sdVec3x8 c = loadCorner(leaf, 2);
    sdVec3x8 ab = sdVec3x8_Sub(b, a);
    sdVec3x8 bc = sdVec3x8_Sub(c, b);
    sdVec3x8 ca = sdVec3x8_Sub(a, c);
    a = sdVec3x8_Sub(a, p);
    b = sdVec3x8_Sub(b, p);
    c = sdVec3x8_Sub(c, p);

    sdF8 best = sdVec3x8_Dot(a, a);
    best = sdF8_Min(sdVec3x8_Dot(b, b), best);
    best = sdF8_Min(sdVec3x8_Dot(c, c), best);
    best = tryEdges(best, a, ab);
    best = tryEdges(best, b, bc);
    best = tryEdges(best, c, ca);

    sdF8 zero = sdF8_Zero();
    sdVec3x8 n = sdVec3x8_Cross(ab, bc);
    sdF8 wc = sdVec3x8_Dot(n, sdVec3x8_Cross(a, ab));
    sdF8 wa = sdVec3x8_Dot(n, sdVec3x8_Cross(b, bc));
    sdF8 wb = sdVec3x8_Dot(n, sdVec3x8_Cross(c, ca));
    sdI8 isInside = (wa > zero) & (wb > zero) & (wc > zero);
    sdF8 scale = sdF8_Splat(1.0f) / (wa + wb + wc);
    wa *= scale;
    wb *= scale;
    wc *= scale;
    sdVec3x8 q = {wa * a.x + wb * b.x + wc * c.x, wa * a.y + wb * b.y + wc * c.y,
                  wa * a.z + wb * b.z + wc * c.z};
    sdF8 d = sdVec3x8_Dot(q, q);
    return sdF8_Select(isInside & (d < best), d, best);
}

SD_INLINE void visitLeaf(const sdMeshBvh* bvh, int leafIndex, sdVec3x8 p, sdMeshBvhNearest* best) {
    const sdMeshBvhLeaf* leaf = bvh->leaves + leafIndex;
    sdF8 d = distanceToTriangles(leaf, p);
    float nearest = sdF8_ReduceMin(d);
    if (nearest <= best->distanceSquared) {
        // triangles ascend from lane to lane, so the first lane has the smallest index
        int lane = __builtin_ctz((unsigned)sdI8_MaskBits(d == sdF8_Splat(nearest)) | 0x100u);
        int triangle = leaf->triangle[lane & 7];
        if (nearest < best->distanceSquared || triangle < best->triangle) {
            *best = (sdMeshBvhNearest){nearest, triangle, leafIndex, lane & 7};
        }
    }
}

/// Push the children that are near enough, the nearest on top.
SD_INLINE int pushChildren(StackEntry* stack, int count, const sdMeshBvhNode* node, sdF8 distance,
                           float bound) {
    float distances[SD_LANES];
    sdF8_Store(distances, distance);
    unsigned bits = (unsigned)sdI8_MaskBits(distance <= sdF8_Splat(bound));
    int base = count;
    for (; bits != 0; bits &= bits - 1) {
        int lane = __builtin_ctz(bits);
        StackEntry entry = {distances[lane], node->child[lane]};
        int place = count++;
        for (; place > base && stack[place - 1].distanceSquared < entry.distanceSquared; --place) {
            stack[place] = stack[place - 1];
        }
        stack[place] = entry;
    }
    return count;
}

void SD_KERNEL(sdMeshBvh_Nearest)(const sdMeshBvh* bvh, sdVec3 p, sdMeshBvhNearest* nearest) {
    sdVec3x8 p8 = sdVec3x8_Splat(p);
    sdMeshBvhNearest best = *nearest;
    StackEntry stack[SD_BVH_STACK_SIZE];
    stack[0] = (StackEntry){0.0f, 0};
    int count = 1;
    while (count > 0) {
        StackEntry entry = stack[--count];
        if (entry.distanceSquared > best.distanceSquared) {
            continue;
        }
        if (entry.child < 0) {
            visitLeaf(bvh, ~entry.child, p8, &best);
        } else {
            const sdMeshBvhNode* node = bvh->nodes + entry.child;
            sdF8 distance = distanceToBoxes(node, p8);
            count = pushChildren(stack, count, node, distance, best.distanceSquared);
        }
    }
    *nearest = best;
}
