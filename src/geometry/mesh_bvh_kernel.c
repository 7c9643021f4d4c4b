// SPDX-License-Identifier: MIT
// mesh_bvh_kernel.c - the way down the tree, eight boxes and eight triangles at a time.
//
// In:   a tree, a point, a bound.
// Out:  the nearest triangle. Never allocates.
// Note: compiled twice, see simd.h.

#include "geometry/mesh_bvh.h"

/// Children still to be visited, the nearest on top. A key is the squared distance to the child's
/// box with its lane in the last three bits, which rounds the distance down: as a float, so that
/// keys are sorted by the instructions for floats.
typedef struct Stack {
    int count;
    float keys[SD_BVH_STACK_SIZE + SD_LANES]; ///< pushed eight at a time, so with room for a row
    int32_t nodes[SD_BVH_STACK_SIZE + SD_LANES];
} Stack;

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

/// The nearest points of eight triangles.
typedef struct Nearest8 {
    sdVec3x8 offset; ///< from p to the point
    sdF8 distanceSquared;
    sdI8 region;
} Nearest8;

/// As keepNearer of point_triangle.c.
SD_INLINE void keepNearer(Nearest8* best, sdI8 isValid, sdVec3x8 q, sdI8 region) {
    sdF8 d = sdVec3x8_Dot(q, q);
    sdI8 isCorner = region >= sdI8_Splat(SD_REGION_VERTEX_A);
    sdI8 isNearer =
        isValid & ((d < best->distanceSquared) | (~isCorner & (d == best->distanceSquared)));
    best->offset.x = sdF8_Select(isNearer, q.x, best->offset.x);
    best->offset.y = sdF8_Select(isNearer, q.y, best->offset.y);
    best->offset.z = sdF8_Select(isNearer, q.z, best->offset.z);
    best->distanceSquared =
        sdF8_Select(isValid & (d < best->distanceSquared), d, best->distanceSquared);
    best->region = sdI8_Select(isNearer, region, best->region);
}

/// As tryEdge of point_triangle.c.
SD_INLINE void tryEdges(Nearest8* best, sdVec3x8 a, sdVec3x8 ab, sdTriangleRegion edge,
                        sdTriangleRegion corner) {
    sdF8 t = -sdVec3x8_Dot(a, ab) / sdVec3x8_Dot(ab, ab);
    sdI8 isEdge = t > sdF8_Zero();
    t = sdF8_Max(t, sdF8_Zero());
    sdI8 region = sdI8_Select(isEdge, sdI8_Splat((int32_t)edge), sdI8_Splat((int32_t)corner));
    keepNearer(best, t < sdF8_Splat(1.0f), sdVec3x8_MulAdd(a, t, ab), region);
}

/// As sdClosestPointOnTriangle. What a caller does not use costs nothing once inlined.
SD_INLINE Nearest8 nearestOnTriangles(const sdMeshBvhLeaf* leaf, sdVec3x8 p) {
    sdF8 zero = sdF8_Zero();
    sdF8 one = sdF8_Splat(1.0f);
    sdVec3x8 a = loadCorner(leaf, 0);
    sdVec3x8 b = loadCorner(leaf, 1);
    sdVec3x8 c = loadCorner(leaf, 2);
    sdVec3x8 ab = sdVec3x8_Sub(b, a);
    sdVec3x8 bc = sdVec3x8_Sub(c, b);
    sdVec3x8 ca = sdVec3x8_Sub(a, c);
    sdVec3x8 pa = sdVec3x8_Sub(a, p);

    Nearest8 best = {pa, sdVec3x8_Dot(pa, pa), sdI8_Splat(SD_REGION_VERTEX_A)};
    tryEdges(&best, sdVec3x8_Sub(b, p), bc, SD_REGION_EDGE_BC, SD_REGION_VERTEX_B);
    tryEdges(&best, sdVec3x8_Sub(c, p), ca, SD_REGION_EDGE_CA, SD_REGION_VERTEX_C);

    sdF8 invLength = one / sdVec3x8_Dot(ab, ab);
    sdF8 t = -sdVec3x8_Dot(pa, ab) * invLength;
    sdF8 tc = -sdVec3x8_Dot(ca, ab) * invLength;
    sdVec3x8 onLine = sdVec3x8_MulAdd(pa, t, ab);
    keepNearer(&best, (t > zero) & (t < one), onLine, sdI8_Splat(SD_REGION_EDGE_AB));

    sdVec3x8 h = sdVec3x8_MulAdd(ca, tc, ab);
    sdF8 s = -sdVec3x8_Dot(onLine, h) / sdVec3x8_Dot(h, h);
    sdF8 weightB = t + tc * s;
    sdF8 weightA = one + s - weightB;
    keepNearer(&best, (s < zero) & (weightA > zero) & (weightB > zero),
               sdVec3x8_MulAdd(onLine, s, h), sdI8_Splat(SD_REGION_FACE));
    return best;
}

SD_INLINE void visitLeaf(const sdMeshBvh* bvh, int leafIndex, sdVec3x8 p, sdMeshBvhNearest* best) {
    const sdMeshBvhLeaf* leaf = bvh->leaves + leafIndex;
    sdF8 d = nearestOnTriangles(leaf, p).distanceSquared;
    float nearest = sdF8_ReduceMin(d);
    if (nearest <= best->distanceSquared) {
        // triangles ascend from lane to lane, so the first lane has the smallest index
        int lane = __builtin_ctz((unsigned)sdI8_MaskBits(d == sdF8_Splat(nearest)) | 0x80u);
        int triangle = leaf->triangle[lane];
        if (nearest < best->distanceSquared || triangle < best->triangle) {
            best->distanceSquared = nearest;
            best->triangle = triangle;
            best->leaf = leafIndex;
            best->lane = lane;
        }
    }
}

/// One layer of a sorting network: compare each lane with its partner in `b`; the larger goes to
/// the lanes of the mask.
SD_INLINE sdF8 compareExchange(sdF8 a, sdF8 b, sdI8 takesLarger) {
    return sdF8_Select(takesLarger, sdF8_Max(a, b), sdF8_Min(a, b));
}

/// Largest first (Batcher's bitonic network).
SD_INLINE sdF8 sortDescending(sdF8 a) {
    a = compareExchange(a, __builtin_shufflevector(a, a, 1, 0, 3, 2, 5, 4, 7, 6),
                        (sdI8){-1, 0, 0, -1, -1, 0, 0, -1});
    a = compareExchange(a, __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5),
                        (sdI8){-1, -1, 0, 0, 0, 0, -1, -1});
    a = compareExchange(a, __builtin_shufflevector(a, a, 1, 0, 3, 2, 5, 4, 7, 6),
                        (sdI8){-1, 0, -1, 0, 0, -1, 0, -1});
    a = compareExchange(a, __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3),
                        (sdI8){-1, -1, -1, -1, 0, 0, 0, 0});
    a = compareExchange(a, __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5),
                        (sdI8){-1, -1, 0, 0, -1, -1, 0, 0});
    return compareExchange(a, __builtin_shufflevector(a, a, 1, 0, 3, 2, 5, 4, 7, 6),
                           (sdI8){-1, 0, -1, 0, -1, 0, -1, 0});
}

/// Push the children that are near enough, the nearest on top. The others sort behind them and
/// land above the top.
SD_INLINE void pushChildren(Stack* stack, int node, sdF8 distance, float bound) {
    const sdI8 lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    sdI8 isNear = distance <= sdF8_Splat(bound);
    sdF8 keys = (sdF8)(((sdI8)distance & sdI8_Splat(~7)) | lanes);
    keys = sortDescending(sdF8_Select(isNear, keys, sdF8_Splat(-1.0f)));
    sdF8_Store(stack->keys + stack->count, keys);
    sdI8_Store(stack->nodes + stack->count, sdI8_Splat(node));
    stack->count += __builtin_popcount((unsigned)sdI8_MaskBits(isNear));
}

void SD_KERNEL(sdMeshBvh_Nearest)(const sdMeshBvh* bvh, sdVec3 p, sdMeshBvhNearest* nearest) {
    sdVec3x8 p8 = sdVec3x8_Splat(p);
    sdMeshBvhNearest best = *nearest;
    Stack stack;
    stack.count = 0;
    pushChildren(&stack, 0, distanceToBoxes(bvh->nodes, p8), best.distanceSquared);
    while (stack.count > 0) {
        float key = stack.keys[--stack.count];
        uint32_t bits;
        memcpy(&bits, &key, sizeof bits);
        int32_t child = bvh->nodes[stack.nodes[stack.count]].child[bits & 7u];
        bits &= ~7u;
        memcpy(&key, &bits, sizeof key);
        if (key > best.distanceSquared) {
            continue;
        }
        if (child < 0) {
            visitLeaf(bvh, ~child, p8, &best);
        } else {
            pushChildren(&stack, child, distanceToBoxes(bvh->nodes + child, p8),
                         best.distanceSquared);
        }
    }
    if (best.triangle != INT32_MAX) {
        int lane = best.lane;
        Nearest8 q = nearestOnTriangles(bvh->leaves + best.leaf, p8);
        best.offset = sdV3(q.offset.x[lane], q.offset.y[lane], q.offset.z[lane]);
        best.region = (sdTriangleRegion)q.region[lane];
    }
    *nearest = best;
}
