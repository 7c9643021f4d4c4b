// SPDX-License-Identifier: MIT
// mesh_bvh_kernel.c - nearest triangles through the tree: of one point, eight triangles at a time,
// and of eight neighbouring points, one triangle at a time; triangles in a box.
//
// In:   a tree, points, bounds.
// Out:  the nearest triangle, point and region; triangles to a visitor. Never allocates.
// Note: compiled twice, see simd.h.

#include "geometry/mesh_bvh_walk.h"

// ---- points and triangles ------------------------------------------------------------------

/// Eight triangles, or one eight times, with all that does not depend on the point.
typedef struct Triangles8 {
    sdVec3x8 a, b, c;
    sdVec3x8 ab, bc, ca;
    sdVec3x8 h; ///< from the line ab to c, at right angles, negative
    sdF8 tc;    ///< where the foot of c lies on the line from a (0) to b (1)
    sdF8 inverseAB, inverseBC, inverseCA, inverseH; ///< of squared lengths
} Triangles8;

/// The nearest points of eight triangles, or of one to eight points.
typedef struct Nearest8 {
    sdVec3x8 offset; ///< from p to the point
    sdF8 distanceSquared;
    sdI8 region;
} Nearest8;

SD_INLINE sdVec3x8 loadVec3x8(const float v[3][SD_LANES]) {
    return (sdVec3x8){sdF8_Load(v[0]), sdF8_Load(v[1]), sdF8_Load(v[2])};
}

SD_INLINE sdVec3x8 splatFrom(const float v[3][SD_LANES], int lane) {
    return (sdVec3x8){sdF8_Splat(v[0][lane]), sdF8_Splat(v[1][lane]), sdF8_Splat(v[2][lane])};
}

SD_INLINE Triangles8 prepareTriangles(sdVec3x8 a, sdVec3x8 b, sdVec3x8 c) {
    sdF8 one = sdF8_Splat(1.0f);
    Triangles8 t = {.a = a, .b = b, .c = c};
    t.ab = sdVec3x8_Sub(b, a);
    t.bc = sdVec3x8_Sub(c, b);
    t.ca = sdVec3x8_Sub(a, c);
    t.inverseAB = one / sdVec3x8_Dot(t.ab, t.ab);
    t.inverseBC = one / sdVec3x8_Dot(t.bc, t.bc);
    t.inverseCA = one / sdVec3x8_Dot(t.ca, t.ca);
    t.tc = -sdVec3x8_Dot(t.ca, t.ab) * t.inverseAB;
    t.h = sdVec3x8_MulAdd(t.ca, t.tc, t.ab);
    t.inverseH = one / sdVec3x8_Dot(t.h, t.h);
    return t;
}

SD_INLINE sdVec3x8 splatLane(const sdVec3x8* v, int lane) {
    return (sdVec3x8){sdF8_Splat(v->x[lane]), sdF8_Splat(v->y[lane]), sdF8_Splat(v->z[lane])};
}

SD_INLINE Triangles8 splatTriangle(const Triangles8* t, int lane) {
    return (Triangles8){
        .a = splatLane(&t->a, lane),
        .b = splatLane(&t->b, lane),
        .c = splatLane(&t->c, lane),
        .ab = splatLane(&t->ab, lane),
        .bc = splatLane(&t->bc, lane),
        .ca = splatLane(&t->ca, lane),
        .h = splatLane(&t->h, lane),
        .tc = sdF8_Splat(t->tc[lane]),
        .inverseAB = sdF8_Splat(t->inverseAB[lane]),
        .inverseBC = sdF8_Splat(t->inverseBC[lane]),
        .inverseCA = sdF8_Splat(t->inverseCA[lane]),
        .inverseH = sdF8_Splat(t->inverseH[lane]),
    };
}

/// As keepNearer of point_triangle.c.
SD_INLINE void keepNearer(Nearest8* best, sdI8 isValid, sdVec3x8 q, sdI8 region) {
    sdF8 d = sdVec3x8_Dot(q, q);
    sdI8 isNear = isValid & sdF8_Less(d, best->distanceSquared);
    sdI8 isCorner = region >= sdI8_Splat(SD_REGION_VERTEX_A);
    sdI8 isEqual = isValid & ~isCorner & sdF8_Equal(d, best->distanceSquared);
    sdI8 isBetter = isNear | isEqual;
    best->offset.x = sdF8_Select(isBetter, q.x, best->offset.x);
    best->offset.y = sdF8_Select(isBetter, q.y, best->offset.y);
    best->offset.z = sdF8_Select(isBetter, q.z, best->offset.z);
    best->region = sdI8_Select(isBetter, region, best->region);
    best->distanceSquared = sdF8_Select(isNear, d, best->distanceSquared);
}

/// As tryEdge of point_triangle.c.
SD_INLINE void tryEdges(Nearest8* best, sdVec3x8 a, sdVec3x8 ab, sdF8 inverse,
                        sdTriangleRegion edge, sdTriangleRegion corner) {
    sdF8 t = -sdVec3x8_Dot(a, ab) * inverse;
    sdI8 isEdge = sdF8_Less(sdF8_Zero(), t);
    t = sdF8_Max(t, sdF8_Zero());
    sdI8 region = sdI8_Select(isEdge, sdI8_Splat((int32_t)edge), sdI8_Splat((int32_t)corner));
    keepNearer(best, sdF8_Less(t, sdF8_Splat(1.0f)), sdVec3x8_MulAdd(a, t, ab), region);
}

/// As sdClosestPointOnTriangle. What a caller does not use costs nothing once inlined.
SD_INLINE Nearest8 nearestOnTriangles(const Triangles8* triangles, sdVec3x8 p) {
    sdF8 zero = sdF8_Zero();
    sdF8 one = sdF8_Splat(1.0f);
    sdVec3x8 pa = sdVec3x8_Sub(triangles->a, p);
    sdVec3x8 pb = sdVec3x8_Sub(triangles->b, p);
    sdVec3x8 pc = sdVec3x8_Sub(triangles->c, p);

    Nearest8 best = {pa, sdVec3x8_Dot(pa, pa), sdI8_Splat(SD_REGION_VERTEX_A)};
    tryEdges(&best, pb, triangles->bc, triangles->inverseBC, SD_REGION_EDGE_BC, SD_REGION_VERTEX_B);
    tryEdges(&best, pc, triangles->ca, triangles->inverseCA, SD_REGION_EDGE_CA, SD_REGION_VERTEX_C);

    sdF8 t = -sdVec3x8_Dot(pa, triangles->ab) * triangles->inverseAB;
    sdVec3x8 onLine = sdVec3x8_MulAdd(pa, t, triangles->ab);
    keepNearer(&best, sdF8_Less(zero, t) & sdF8_Less(t, one), onLine,
               sdI8_Splat(SD_REGION_EDGE_AB));

    sdF8 s = -sdVec3x8_Dot(onLine, triangles->h) * triangles->inverseH;
    sdF8 weightB = t + triangles->tc * s;
    sdF8 weightA = one + s - weightB;
    sdI8 isInside = sdF8_Less(s, zero) & sdF8_Less(zero, weightA) & sdF8_Less(zero, weightB);
    keepNearer(&best, isInside, sdVec3x8_MulAdd(onLine, s, triangles->h),
               sdI8_Splat(SD_REGION_FACE));
    return best;
}

SD_INLINE Triangles8 prepareLeaf(const sdMeshBvhLeaf* leaf) {
    return prepareTriangles(loadVec3x8(leaf->corner[0]), loadVec3x8(leaf->corner[1]),
                            loadVec3x8(leaf->corner[2]));
}

// ---- one point -----------------------------------------------------------------------------

/// Squared distances between the boxes of a node's children, or of triangles, and a box; infinite
/// where there is no child.
SD_INLINE sdF8 distanceBetween(sdVec3x8 lower, sdVec3x8 upper, sdVec3x8 boxLower,
                               sdVec3x8 boxUpper) {
    sdF8 zero = sdF8_Zero();
    sdF8 x = sdF8_Max(sdF8_Max(lower.x - boxUpper.x, boxLower.x - upper.x), zero);
    sdF8 y = sdF8_Max(sdF8_Max(lower.y - boxUpper.y, boxLower.y - upper.y), zero);
    sdF8 z = sdF8_Max(sdF8_Max(lower.z - boxUpper.z, boxLower.z - upper.z), zero);
    return x * x + y * y + z * z;
}

/// Push the children of a node that are within `bound` of a box.
SD_INLINE void visitNode(const sdMeshBvh* bvh, int index, sdVec3x8 boxLower, sdVec3x8 boxUpper,
                         float bound, Stack* stack) {
    const sdMeshBvhNode* node = bvh->nodes + index;
    sdF8 distance =
        distanceBetween(loadVec3x8(node->lower), loadVec3x8(node->upper), boxLower, boxUpper);
    pushChildren(stack, index, distance, sdF8_LessEqual(distance, sdF8_Splat(bound)));
}

SD_INLINE void visitLeaf(const sdMeshBvh* bvh, int leafIndex, sdVec3x8 p, sdMeshBvhNearest* best) {
    const sdMeshBvhLeaf* leaf = bvh->leaves + leafIndex;
    Triangles8 triangles = prepareLeaf(leaf);
    sdF8 d = nearestOnTriangles(&triangles, p).distanceSquared;
    float nearest = sdF8_ReduceMin(d);
    if (nearest <= best->distanceSquared) {
        // triangles ascend from lane to lane, so the first lane has the smallest index
        unsigned lanes = (unsigned)sdI8_MaskBits(sdF8_Equal(d, sdF8_Splat(nearest)));
        int lane = __builtin_ctz(lanes | 0x80u);
        int triangle = leaf->triangle[lane];
        if (nearest < best->distanceSquared || triangle < best->triangle) {
            best->distanceSquared = nearest;
            best->triangle = triangle;
            best->leaf = leafIndex;
            best->lane = lane;
        }
    }
}

void SD_KERNEL(sdMeshBvh_Nearest)(const sdMeshBvh* bvh, sdVec3 p, sdMeshBvhNearest* nearest) {
    sdVec3x8 p8 = sdVec3x8_Splat(p);
    sdMeshBvhNearest best = *nearest;
    Stack stack;
    stack.count = 0;
    visitNode(bvh, 0, p8, p8, best.distanceSquared, &stack);
    while (stack.count > 0) {
        StackEntry entry = popChild(&stack, bvh);
        if (entry.distance > best.distanceSquared) {
            continue;
        }
        if (entry.child < 0) {
            visitLeaf(bvh, ~entry.child, p8, &best);
        } else {
            visitNode(bvh, entry.child, p8, p8, best.distanceSquared, &stack);
        }
    }
    if (best.triangle != INT32_MAX) {
        int lane = best.lane;
        Triangles8 triangles = prepareLeaf(bvh->leaves + best.leaf);
        Nearest8 q = nearestOnTriangles(&triangles, p8);
        best.offset = sdV3(q.offset.x[lane], q.offset.y[lane], q.offset.z[lane]);
        best.region = (sdTriangleRegion)q.region[lane];
    }
    *nearest = best;
}

// ---- eight points --------------------------------------------------------------------------

/// Eight points and the best triangle of each so far.
typedef struct Packet {
    sdVec3x8 p;
    sdVec3x8 lower, upper; ///< the box around all, in every lane
    sdF8 distanceSquared;
    sdI8 triangle; ///< INT32_MAX: none
    sdI8 place;    ///< leaf * 8 + lane
} Packet;

SD_INLINE void tryTriangle(Packet* packet, const Triangles8* triangles, int lane, int32_t triangle,
                           int32_t place) {
    Triangles8 one = splatTriangle(triangles, lane);
    sdF8 d = nearestOnTriangles(&one, packet->p).distanceSquared;
    sdI8 index = sdI8_Splat(triangle);
    sdI8 isBetter = sdF8_Less(d, packet->distanceSquared) |
                    (sdF8_Equal(d, packet->distanceSquared) & (index < packet->triangle));
    packet->distanceSquared = sdF8_Select(isBetter, d, packet->distanceSquared);
    packet->triangle = sdI8_Select(isBetter, index, packet->triangle);
    packet->place = sdI8_Select(isBetter, sdI8_Splat(place), packet->place);
}

/// True when some point is near enough to a box to find something better there.
SD_INLINE bool mayImprove(const Packet* packet, sdVec3x8 lower, sdVec3x8 upper) {
    sdF8 distance = distanceBetween(lower, upper, packet->p, packet->p);
    return sdI8_Any(sdF8_LessEqual(distance, packet->distanceSquared));
}

/// @return the largest of the packet's distances
SD_INLINE float visitLeafByPacket(const sdMeshBvh* bvh, int leafIndex, float bound,
                                  Packet* packet) {
    const sdMeshBvhLeaf* leaf = bvh->leaves + leafIndex;
    Triangles8 triangles = prepareLeaf(leaf);
    sdVec3x8 lower = sdVec3x8_Min(sdVec3x8_Min(triangles.a, triangles.b), triangles.c);
    sdVec3x8 upper = sdVec3x8_Max(sdVec3x8_Max(triangles.a, triangles.b), triangles.c);
    sdF8 distance = distanceBetween(lower, upper, packet->lower, packet->upper);
    sdI8 isNear = sdF8_LessEqual(distance, sdF8_Splat(bound));
    for (unsigned lanes = (unsigned)sdI8_MaskBits(isNear); lanes != 0; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        if (mayImprove(packet, splatLane(&lower, lane), splatLane(&upper, lane))) {
            tryTriangle(packet, &triangles, lane, leaf->triangle[lane],
                        leafIndex * SD_LANES + lane);
        }
    }
    return sdF8_ReduceMax(packet->distanceSquared);
}

SD_INLINE void walkByPacket(const sdMeshBvh* bvh, Packet* packet) {
    float bound = sdF8_ReduceMax(packet->distanceSquared);
    Stack stack;
    stack.count = 0;
    visitNode(bvh, 0, packet->lower, packet->upper, bound, &stack);
    while (stack.count > 0) {
        StackEntry entry = popChild(&stack, bvh);
        const sdMeshBvhNode* node = bvh->nodes + entry.node;
        if (entry.distance > bound || !mayImprove(packet, splatFrom(node->lower, entry.lane),
                                                  splatFrom(node->upper, entry.lane))) {
            continue;
        }
        if (entry.child < 0) {
            bound = visitLeafByPacket(bvh, ~entry.child, bound, packet);
        } else {
            visitNode(bvh, entry.child, packet->lower, packet->upper, bound, &stack);
        }
    }
}

/// Each point to its own best triangle once more, for the point and the region.
SD_INLINE void finishPacket(const sdMeshBvh* bvh, const Packet* packet, sdMeshBvhNearest* out) {
    sdMeshBvhLeaf own;
    for (int lane = 0; lane < SD_LANES; ++lane) {
        bool isFound = packet->triangle[lane] != INT32_MAX;
        int place = isFound ? packet->place[lane] : 0;
        out[lane].distanceSquared = packet->distanceSquared[lane];
        out[lane].triangle = packet->triangle[lane];
        out[lane].leaf = place / SD_LANES;
        out[lane].lane = place % SD_LANES;
        const sdMeshBvhLeaf* leaf = bvh->leaves + place / SD_LANES;
        for (int i = 0; i < 3; ++i) {
            for (int axis = 0; axis < 3; ++axis) {
                own.corner[i][axis][lane] = leaf->corner[i][axis][place % SD_LANES];
            }
        }
    }
    Triangles8 triangles = prepareLeaf(&own);
    Nearest8 q = nearestOnTriangles(&triangles, packet->p);
    for (int lane = 0; lane < SD_LANES; ++lane) {
        out[lane].offset = sdV3(q.offset.x[lane], q.offset.y[lane], q.offset.z[lane]);
        out[lane].region = (sdTriangleRegion)q.region[lane];
    }
}

void SD_KERNEL(sdMeshBvh_NearestOfEight)(const sdMeshBvh* bvh, const sdVec3 points[SD_LANES],
                                         int seed, sdMeshBvhNearest nearest[SD_LANES]) {
    Packet packet = {.triangle = sdI8_Splat(INT32_MAX)};
    for (int lane = 0; lane < SD_LANES; ++lane) {
        packet.p.x[lane] = points[lane].x;
        packet.p.y[lane] = points[lane].y;
        packet.p.z[lane] = points[lane].z;
        packet.distanceSquared[lane] = nearest[lane].distanceSquared;
    }
    sdVec3 lower = {sdF8_ReduceMin(packet.p.x), sdF8_ReduceMin(packet.p.y),
                    sdF8_ReduceMin(packet.p.z)};
    sdVec3 upper = {sdF8_ReduceMax(packet.p.x), sdF8_ReduceMax(packet.p.y),
                    sdF8_ReduceMax(packet.p.z)};
    packet.lower = sdVec3x8_Splat(lower);
    packet.upper = sdVec3x8_Splat(upper);
    if (seed != SD_NULL_INDEX) {
        const sdMeshBvhLeaf* leaf = bvh->leaves + seed / SD_LANES;
        Triangles8 triangles = prepareLeaf(leaf);
        int lane = seed % SD_LANES;
        tryTriangle(&packet, &triangles, lane, leaf->triangle[lane], seed);
    }
    walkByPacket(bvh, &packet);
    finishPacket(bvh, &packet, nearest);
}

// ---- boxes ---------------------------------------------------------------------------------

SD_INLINE sdI8 overlapsBox(sdVec3x8 lower, sdVec3x8 upper, const sdAABB* box) {
    return sdF8_LessEqual(lower.x, sdF8_Splat(box->upper.x)) &
           sdF8_LessEqual(lower.y, sdF8_Splat(box->upper.y)) &
           sdF8_LessEqual(lower.z, sdF8_Splat(box->upper.z)) &
           sdF8_LessEqual(sdF8_Splat(box->lower.x), upper.x) &
           sdF8_LessEqual(sdF8_Splat(box->lower.y), upper.y) &
           sdF8_LessEqual(sdF8_Splat(box->lower.z), upper.z);
}

SD_INLINE unsigned overlappingChildren(const sdMeshBvhNode* node, const sdAABB* box) {
    return (unsigned)sdI8_MaskBits(
        overlapsBox(loadVec3x8(node->lower), loadVec3x8(node->upper), box));
}

SD_INLINE unsigned overlappingTriangles(const sdMeshBvhLeaf* leaf, const sdAABB* box) {
    sdVec3x8 a = loadVec3x8(leaf->corner[0]), b = loadVec3x8(leaf->corner[1]);
    sdVec3x8 c = loadVec3x8(leaf->corner[2]);
    sdVec3x8 lower = sdVec3x8_Min(sdVec3x8_Min(a, b), c);
    sdVec3x8 upper = sdVec3x8_Max(sdVec3x8_Max(a, b), c);
    return (unsigned)sdI8_MaskBits(overlapsBox(lower, upper, box));
}

SD_INLINE bool visitTriangles(const sdMeshBvhLeaf* leaf, const sdAABB* box, sdTriangleFcn* visit,
                              void* arg) {
    for (unsigned lanes = overlappingTriangles(leaf, box); lanes != 0; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        bool isRepeated = lane > 0 && leaf->triangle[lane] == leaf->triangle[lane - 1];
        if (!isRepeated && !visit(arg, leaf->triangle[lane])) {
            return false;
        }
    }
    return true;
}

void SD_KERNEL(sdMeshBvh_Visit)(const sdMeshBvh* bvh, const sdAABB* box, sdTriangleFcn* visit,
                                void* arg) {
    int32_t stack[SD_BVH_STACK_SIZE];
    int count = 1;
    stack[0] = 0;
    while (count > 0) {
        const sdMeshBvhNode* node = bvh->nodes + stack[--count];
        for (unsigned lanes = overlappingChildren(node, box); lanes != 0; lanes &= lanes - 1) {
            int32_t child = node->child[__builtin_ctz(lanes)];
            if (child >= 0) {
                stack[count++] = child;
            } else if (child != SD_BVH_NO_CHILD &&
                       !visitTriangles(bvh->leaves + ~child, box, visit, arg)) {
                return;
            }
        }
    }
}
