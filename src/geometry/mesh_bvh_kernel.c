// SPDX-License-Identifier: MIT
// mesh_bvh_kernel.c - the way down the tree, eight boxes and eight triangles at a time.
//
// In:   a tree; a point and a bound, or a segment.
// Out:  the nearest triangle, the first that is hit, how many are. Never allocates.
// Ref:  Woop, Benthin, Wald, "Watertight ray/triangle intersection", JCGT 2013.
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
    sdI8 isNearer = isValid & (sdF8_Less(d, best->distanceSquared) |
                               (~isCorner & sdF8_Equal(d, best->distanceSquared)));
    best->offset.x = sdF8_Select(isNearer, q.x, best->offset.x);
    best->offset.y = sdF8_Select(isNearer, q.y, best->offset.y);
    best->offset.z = sdF8_Select(isNearer, q.z, best->offset.z);
    best->distanceSquared =
        sdF8_Select(isValid & sdF8_Less(d, best->distanceSquared), d, best->distanceSquared);
    best->region = sdI8_Select(isNearer, region, best->region);
}

/// As tryEdge of point_triangle.c.
SD_INLINE void tryEdges(Nearest8* best, sdVec3x8 a, sdVec3x8 ab, sdTriangleRegion edge,
                        sdTriangleRegion corner) {
    sdF8 t = -sdVec3x8_Dot(a, ab) / sdVec3x8_Dot(ab, ab);
    sdI8 isEdge = sdF8_Less(sdF8_Zero(), t);
    t = sdF8_Max(t, sdF8_Zero());
    sdI8 region = sdI8_Select(isEdge, sdI8_Splat((int32_t)edge), sdI8_Splat((int32_t)corner));
    keepNearer(best, sdF8_Less(t, sdF8_Splat(1.0f)), sdVec3x8_MulAdd(a, t, ab), region);
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
    keepNearer(&best, sdF8_Less(zero, t) & sdF8_Less(t, one), onLine,
               sdI8_Splat(SD_REGION_EDGE_AB));

    sdVec3x8 h = sdVec3x8_MulAdd(ca, tc, ab);
    sdF8 s = -sdVec3x8_Dot(onLine, h) / sdVec3x8_Dot(h, h);
    sdF8 weightB = t + tc * s;
    sdF8 weightA = one + s - weightB;
    keepNearer(&best, sdF8_Less(s, zero) & sdF8_Less(zero, weightA) & sdF8_Less(zero, weightB),
               sdVec3x8_MulAdd(onLine, s, h), sdI8_Splat(SD_REGION_FACE));
    return best;
}

SD_INLINE void visitLeaf(const sdMeshBvh* bvh, int leafIndex, sdVec3x8 p, sdMeshBvhNearest* best) {
    const sdMeshBvhLeaf* leaf = bvh->leaves + leafIndex;
    sdF8 d = nearestOnTriangles(leaf, p).distanceSquared;
    float nearest = sdF8_ReduceMin(d);
    if (nearest <= best->distanceSquared) {
        // triangles ascend from lane to lane, so the first lane has the smallest index
        int lane =
            __builtin_ctz((unsigned)sdI8_MaskBits(sdF8_Equal(d, sdF8_Splat(nearest))) | 0x80u);
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

/// Push the children of the mask, the nearest on top. The others sort behind them and land above
/// the top.
SD_INLINE void pushChildren(Stack* stack, int node, sdF8 distance, sdI8 isWanted) {
    const sdI8 lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    sdF8 keys = (sdF8)(((sdI8)distance & sdI8_Splat(~7)) | lanes);
    keys = sortDescending(sdF8_Select(isWanted, keys, sdF8_Splat(-1.0f)));
    sdF8_Store(stack->keys + stack->count, keys);
    sdI8_Store(stack->nodes + stack->count, sdI8_Splat(node));
    stack->count += __builtin_popcount((unsigned)sdI8_MaskBits(isWanted));
}

/// @param distance receives the distance that the child was pushed with, rounded down
SD_INLINE int32_t popChild(Stack* stack, const sdMeshBvh* bvh, float* distance) {
    stack->count -= 1;
    uint32_t bits;
    memcpy(&bits, stack->keys + stack->count, sizeof bits);
    uint32_t distanceBits = bits & ~7u;
    memcpy(distance, &distanceBits, sizeof distanceBits);
    return bvh->nodes[stack->nodes[stack->count]].child[bits & 7u];
}

SD_INLINE void visitNode(const sdMeshBvh* bvh, int node, sdVec3x8 p, float bound, Stack* stack) {
    sdF8 distance = distanceToBoxes(bvh->nodes + node, p);
    pushChildren(stack, node, distance, sdF8_LessEqual(distance, sdF8_Splat(bound)));
}

void SD_KERNEL(sdMeshBvh_Nearest)(const sdMeshBvh* bvh, sdVec3 p, sdMeshBvhNearest* nearest) {
    sdVec3x8 p8 = sdVec3x8_Splat(p);
    sdMeshBvhNearest best = *nearest;
    Stack stack;
    stack.count = 0;
    visitNode(bvh, 0, p8, best.distanceSquared, &stack);
    while (stack.count > 0) {
        float distance;
        int32_t child = popChild(&stack, bvh, &distance);
        if (distance > best.distanceSquared) {
            continue;
        }
        if (child < 0) {
            visitLeaf(bvh, ~child, p8, &best);
        } else {
            visitNode(bvh, child, p8, best.distanceSquared, &stack);
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

// ---- segments ------------------------------------------------------------------------------

/// Boxes are thickened by this fraction of their furthest coordinate from the segment's start: a
/// few units in the last place, more than the view of the triangles inside can round by.
#define BOX_PAD 1e-6f

/// The segment enters boxes at *enter (at least 0). The mask holds the children that it meets
/// before `bound`.
SD_INLINE sdI8 clipToBoxes(const sdMeshBvhNode* node, const sdMeshRay* ray, float bound,
                           sdF8* enter) {
    sdF8 lower[3], upper[3];
    sdF8 size = sdF8_Zero();
    for (int i = 0; i < 3; ++i) {
        lower[i] = sdF8_Load(node->lower[i]) - sdF8_Splat(ray->origin[i]);
        upper[i] = sdF8_Load(node->upper[i]) - sdF8_Splat(ray->origin[i]);
        size = sdF8_Max(size, sdF8_Max(upper[i], -lower[i]));
    }
    sdF8 pad = size * sdF8_Splat(BOX_PAD);
    sdF8 first = sdF8_Zero();
    sdF8 last = sdF8_Splat(bound);
    for (int i = 0; i < 3; ++i) {
        sdF8 inverse = sdF8_Splat(ray->inverse[i]);
        sdF8 a = (lower[i] - pad) * inverse;
        sdF8 b = (upper[i] + pad) * inverse;
        first = sdF8_Max(first, sdF8_Min(a, b));
        last = sdF8_Min(last, sdF8_Max(a, b));
    }
    *enter = first;
    // the box of a child that is not there is the wrong way round
    return sdF8_LessEqual(first, last) & sdF8_LessEqual(lower[0], upper[0]);
}

/// A row of triangles as the segment sees it.
typedef struct View8 {
    sdF8 x[3], y[3], z[3]; ///< right, up, and depth as a fraction of the segment
    sdF8 weight[3];        ///< twice the areas that the eye spans with the opposite edges
} View8;

/// A product of two floats is exact in double and so is the sign of the difference of two: signs
/// that single precision cannot tell from 0 are looked up here. The same edge seen from its other
/// triangle gets exactly the opposite.
SD_INLINE void makeWeightsExact(View8* view, unsigned lanes) {
    for (; lanes != 0; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3;
            int k = (i + 2) % 3;
            double weight = (double)view->x[k][lane] * (double)view->y[j][lane] -
                            (double)view->y[k][lane] * (double)view->x[j][lane];
            // what would vanish in single precision keeps its sign
            float rounded = (float)weight;
            bool hasVanished = rounded == 0.0f && weight != 0.0;
            view->weight[i][lane] = hasVanished ? (weight > 0.0 ? FLT_MIN : -FLT_MIN) : rounded;
        }
    }
}

SD_INLINE View8 viewTriangles(const sdMeshBvhLeaf* leaf, const sdMeshRay* ray) {
    View8 view;
    for (int i = 0; i < 3; ++i) {
        sdF8 x = sdF8_Load(leaf->corner[i][ray->axis[0]]) - sdF8_Splat(ray->origin[ray->axis[0]]);
        sdF8 y = sdF8_Load(leaf->corner[i][ray->axis[1]]) - sdF8_Splat(ray->origin[ray->axis[1]]);
        sdF8 z = sdF8_Load(leaf->corner[i][ray->axis[2]]) - sdF8_Splat(ray->origin[ray->axis[2]]);
        view.x[i] = x - sdF8_Splat(ray->shear[0]) * z;
        view.y[i] = y - sdF8_Splat(ray->shear[1]) * z;
        view.z[i] = z * sdF8_Splat(ray->scale);
    }
    sdI8 isZero = sdI8_Splat(0);
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        int k = (i + 2) % 3;
        view.weight[i] = view.x[k] * view.y[j] - view.y[k] * view.x[j];
        isZero |= sdF8_Equal(view.weight[i], sdF8_Zero());
    }
    unsigned lanes = (unsigned)sdI8_MaskBits(isZero);
    if (lanes != 0) {
        makeWeightsExact(&view, lanes);
    }
    return view;
}

/// The triangles, edges included, that the line through the segment goes through.
SD_INLINE sdI8 isMet(const View8* view) {
    sdF8 zero = sdF8_Zero();
    const sdF8* w = view->weight;
    return (sdF8_LessEqual(zero, w[0]) & sdF8_LessEqual(zero, w[1]) & sdF8_LessEqual(zero, w[2])) |
           (sdF8_LessEqual(w[0], zero) & sdF8_LessEqual(w[1], zero) & sdF8_LessEqual(w[2], zero));
}

/// Where on the segment; not a number for triangles that are seen from their edge.
SD_INLINE sdF8 fractionOf(const View8* view) {
    const sdF8* w = view->weight;
    return (w[0] * view->z[0] + w[1] * view->z[1] + w[2] * view->z[2]) / (w[0] + w[1] + w[2]);
}

SD_INLINE void hitLeaf(const sdMeshBvhLeaf* leaf, const sdMeshRay* ray, sdMeshBvhHit* hit) {
    View8 view = viewTriangles(leaf, ray);
    sdF8 fraction = fractionOf(&view);
    sdI8 isHit = isMet(&view) & sdF8_LessEqual(sdF8_Zero(), fraction) &
                 sdF8_LessEqual(fraction, sdF8_Splat(hit->fraction));
    for (unsigned lanes = (unsigned)sdI8_MaskBits(isHit); lanes != 0; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        bool isBetter = fraction[lane] < hit->fraction ||
                        (fraction[lane] == hit->fraction && leaf->triangle[lane] < hit->triangle);
        if (isBetter) {
            *hit = (sdMeshBvhHit){fraction[lane], leaf->triangle[lane]};
        }
    }
}

void SD_KERNEL(sdMeshBvh_FirstHit)(const sdMeshBvh* bvh, const sdMeshRay* ray, sdMeshBvhHit* hit) {
    Stack stack;
    stack.count = 0;
    int32_t child = 0;
    for (;;) {
        if (child >= 0) {
            sdF8 enter;
            sdI8 isWanted = clipToBoxes(bvh->nodes + child, ray, hit->fraction, &enter);
            pushChildren(&stack, child, enter, isWanted);
        } else {
            hitLeaf(bvh->leaves + ~child, ray, hit);
        }
        float enter;
        do {
            if (stack.count == 0) {
                return;
            }
            child = popChild(&stack, bvh, &enter);
        } while (enter > hit->fraction);
    }
}

/// @return SD_NULL_INDEX when an edge or a corner is met
SD_INLINE int countInLeaf(const sdMeshBvhLeaf* leaf, const sdMeshRay* ray) {
    View8 view = viewTriangles(leaf, ray);
    sdF8 zero = sdF8_Zero();
    sdI8 isGrazed = sdF8_Equal(view.weight[0], zero) | sdF8_Equal(view.weight[1], zero) |
                    sdF8_Equal(view.weight[2], zero);
    sdI8 met = isMet(&view);
    if (sdI8_Any(met & isGrazed)) {
        return SD_NULL_INDEX;
    }
    sdF8 fraction = fractionOf(&view);
    met &= sdF8_LessEqual(zero, fraction) & sdF8_LessEqual(fraction, sdF8_Splat(1.0f));
    // lanes that repeat a triangle do not count
    unsigned lanes = (unsigned)sdI8_MaskBits(met);
    int count = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        count += lane == 0 || leaf->triangle[lane] != leaf->triangle[lane - 1] ? 1 : 0;
    }
    return count;
}

int SD_KERNEL(sdMeshBvh_CountCrossings)(const sdMeshBvh* bvh, const sdMeshRay* ray) {
    Stack stack;
    stack.count = 0;
    int32_t child = 0;
    int count = 0;
    for (;;) {
        if (child >= 0) {
            sdF8 enter;
            sdI8 isWanted = clipToBoxes(bvh->nodes + child, ray, 1.0f, &enter);
            pushChildren(&stack, child, enter, isWanted);
        } else {
            int added = countInLeaf(bvh->leaves + ~child, ray);
            if (added == SD_NULL_INDEX) {
                return SD_NULL_INDEX;
            }
            count += added;
        }
        if (stack.count == 0) {
            return count;
        }
        float enter;
        child = popChild(&stack, bvh, &enter);
    }
}
