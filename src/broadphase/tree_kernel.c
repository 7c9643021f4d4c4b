// SPDX-License-Identifier: MIT
// tree_kernel.c - the ways through a tree, eight boxes at a time.
//
// In:   a tree, and boxes or casts.
// Out:  pairs and answers to queries. Never allocates but for the sink's keys.
// Note: proxies that stand in one node are near each other, so pairs are looked for from node to
//       node: the box around a node's changed lanes goes down the tree once for all of them.

#include "broadphase/tree.h"

/// Of a float quotient of a float difference, relative, with room to spare.
#define CAST_ROUNDING 4.8e-7f

/// Along axes on which a cast moves less than this, m, only the box around the whole way counts.
#define CAST_SHORTEST 1e-20f

typedef struct Boxes {
    sdVec3x8 lower, upper;
} Boxes;

SD_INLINE Boxes loadBoxes(const sdTreeNode* node) {
    return (Boxes){
        {sdF8_Load(node->lower[0]), sdF8_Load(node->lower[1]), sdF8_Load(node->lower[2])},
        {sdF8_Load(node->upper[0]), sdF8_Load(node->upper[1]), sdF8_Load(node->upper[2])}};
}

SD_INLINE Boxes splatBox(sdAABB box) {
    return (Boxes){sdVec3x8_Splat(box.lower), sdVec3x8_Splat(box.upper)};
}

/// One lane in all lanes.
SD_INLINE Boxes splatLane(const sdTreeNode* node, int lane) {
    return (Boxes){{sdF8_Splat(node->lower[0][lane]), sdF8_Splat(node->lower[1][lane]),
                    sdF8_Splat(node->lower[2][lane])},
                   {sdF8_Splat(node->upper[0][lane]), sdF8_Splat(node->upper[1][lane]),
                    sdF8_Splat(node->upper[2][lane])}};
}

SD_INLINE sdI8 overlap(const Boxes* a, const Boxes* b) {
    return sdF8_LessEqual(a->lower.x, b->upper.x) & sdF8_LessEqual(b->lower.x, a->upper.x) &
           sdF8_LessEqual(a->lower.y, b->upper.y) & sdF8_LessEqual(b->lower.y, a->upper.y) &
           sdF8_LessEqual(a->lower.z, b->upper.z) & sdF8_LessEqual(b->lower.z, a->upper.z);
}

SD_INLINE sdAABB reduce(const Boxes* boxes) {
    return (sdAABB){{sdF8_ReduceMin(boxes->lower.x), sdF8_ReduceMin(boxes->lower.y),
                     sdF8_ReduceMin(boxes->lower.z)},
                    {sdF8_ReduceMax(boxes->upper.x), sdF8_ReduceMax(boxes->upper.y),
                     sdF8_ReduceMax(boxes->upper.z)}};
}

sdAABB SD_KERNEL(sdTreeNode_Bounds)(const sdTreeNode* node) {
    Boxes boxes = loadBoxes(node);
    return reduce(&boxes);
}

SD_INLINE sdF8 halfArea(sdVec3x8 lower, sdVec3x8 upper) {
    sdVec3x8 d = sdVec3x8_Sub(upper, lower);
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

int SD_KERNEL(sdTreeNode_Choose)(const sdTreeNode* node, sdAABB box) {
    Boxes boxes = loadBoxes(node);
    Boxes added = splatBox(box);
    sdF8 before = halfArea(boxes.lower, boxes.upper);
    sdF8 after =
        halfArea(sdVec3x8_Min(boxes.lower, added.lower), sdVec3x8_Max(boxes.upper, added.upper));
    // of children that need not grow, the smallest
    const sdI8 lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    sdF8 cost = after - before + sdF8_Splat(1e-3f) * after;
    sdI8 isThere = lanes < sdI8_Splat(node->count);
    cost = sdF8_Select(isThere, cost, sdF8_Splat(INFINITY));
    sdI8 isBest = sdF8_Equal(cost, sdF8_Splat(sdF8_ReduceMin(cost)));
    return __builtin_ctz((unsigned)sdI8_MaskBits(isBest & isThere) | 0x80u);
}

// ---- pairs ---------------------------------------------------------------------------------

/// The dirty lanes of one node, on their way through the tree.
typedef struct Group {
    const sdBroadphase* broadphase;
    sdPairSink* sink;
    const sdTreeNode* node;
    Boxes boxes;
} Group;

/// Report the pairs of a proxy with the group's lanes.
SD_INLINE bool meetGroup(const Group* group, const sdTreeNode* node, int lane) {
    Boxes box = splatLane(node, lane);
    unsigned lanes =
        (unsigned)sdI8_MaskBits(overlap(&group->boxes, &box)) & (unsigned)group->node->dirty;
    int b = ~node->child[lane];
    bool isDirty = (node->dirty >> lane & 1) != 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        int a = ~group->node->child[__builtin_ctz(lanes)];
        // of two that have changed, the one with the smaller slot finds the other
        if (a == b || (isDirty && a > b)) {
            continue;
        }
        if (!sdPairSink_Add(group->broadphase, group->sink, a, b)) {
            return false;
        }
    }
    return true;
}

/// @return false when there is no use in going on
SD_INLINE bool findGroup(const sdTree* tree, const Group* group, const Boxes* around) {
    int32_t stack[SD_TREE_STACK_SIZE];
    int count = 1;
    int64_t testCount = 0;
    stack[0] = tree->root;
    bool goesOn = true;
    while (count > 0 && goesOn) {
        const sdTreeNode* node = tree->nodes.data + stack[--count];
        Boxes boxes = loadBoxes(node);
        testCount += node->count;
        unsigned lanes = (unsigned)sdI8_MaskBits(overlap(&boxes, around));
        for (; lanes != 0 && goesOn; lanes &= lanes - 1) {
            int lane = __builtin_ctz(lanes);
            if (node->child[lane] >= 0) {
                stack[count++] = node->child[lane];
            } else {
                goesOn = meetGroup(group, node, lane);
            }
        }
    }
    group->sink->testCount += testCount;
    return goesOn;
}

void SD_KERNEL(sdTree_FindPairs)(const sdBroadphase* broadphase, sdPairSink* sink, int begin,
                                 int end) {
    const sdTree* tree = sdTree_Of(broadphase);
    const sdI8 bits = {1, 2, 4, 8, 16, 32, 64, 128};
    for (int i = begin; i < end; ++i) {
        const sdTreeNode* node = tree->nodes.data + tree->groups.data[i];
        Group group = {broadphase, sink, node, loadBoxes(node)};
        sdI8 isIn = (sdI8_Splat((int32_t)node->dirty) & bits) != sdI8_Splat(0);
        const sdF8 inf = sdF8_Splat(INFINITY);
        Boxes dirty = {{sdF8_Select(isIn, group.boxes.lower.x, inf),
                        sdF8_Select(isIn, group.boxes.lower.y, inf),
                        sdF8_Select(isIn, group.boxes.lower.z, inf)},
                       {sdF8_Select(isIn, group.boxes.upper.x, -inf),
                        sdF8_Select(isIn, group.boxes.upper.y, -inf),
                        sdF8_Select(isIn, group.boxes.upper.z, -inf)}};
        Boxes around = splatBox(reduce(&dirty));
        if (!findGroup(tree, &group, &around)) {
            return;
        }
    }
}

// ---- queries -------------------------------------------------------------------------------

void SD_KERNEL(sdTree_QueryBox)(const sdTree* tree, const sdBoxQuery* query) {
    Boxes box = splatBox(query->box);
    int32_t stack[SD_TREE_STACK_SIZE];
    int count = 1;
    stack[0] = tree->root;
    while (count > 0) {
        const sdTreeNode* node = tree->nodes.data + stack[--count];
        Boxes boxes = loadBoxes(node);
        unsigned lanes = (unsigned)sdI8_MaskBits(overlap(&boxes, &box));
        for (; lanes != 0; lanes &= lanes - 1) {
            int32_t child = node->child[__builtin_ctz(lanes)];
            if (child >= 0) {
                stack[count++] = child;
            } else if (!sdBoxQuery_Visit(query, ~child)) {
                return;
            }
        }
    }
}

/// A cast in float, rounded so that nothing is missed.
typedef struct Cast {
    Boxes swept;
    sdF8 lower[3], upper[3]; ///< of the box at its start, rounded outwards
    sdF8 inverse[3];         ///< of the translation
    bool isUsed[3];          ///< the translation along the axis is long enough to be divided by
} Cast;

SD_INLINE float roundDown(double a) {
    // two steps of a float at least, which is enough
    return (float)(a - fabs(a) * 2.4e-7 - 1e-37);
}

SD_INLINE Cast makeCast(const sdCastQuery* query) {
    Cast cast = {.swept = splatBox(query->swept)};
    for (int axis = 0; axis < 3; ++axis) {
        float translation = (float)query->translation[axis];
        cast.isUsed[axis] = sdAbsF(translation) > CAST_SHORTEST;
        cast.lower[axis] = sdF8_Splat(roundDown(query->lower[axis]));
        cast.upper[axis] = sdF8_Splat(-roundDown(-query->upper[axis]));
        cast.inverse[axis] = sdF8_Splat(cast.isUsed[axis] ? 1.0f / translation : 0.0f);
    }
    return cast;
}

/// Lanes that the cast may meet up to a fraction.
/// @param enter receives a fraction before which it does not
SD_INLINE sdI8 castLanes(const Cast* cast, const sdTreeNode* node, float maxFraction, sdF8* enter) {
    Boxes boxes = loadBoxes(node);
    sdI8 mask = overlap(&boxes, &cast->swept);
    sdF8 first = sdF8_Zero();
    sdF8 last = sdF8_Splat(maxFraction);
    const sdF8* lower = &boxes.lower.x;
    const sdF8* upper = &boxes.upper.x;
    for (int axis = 0; axis < 3; ++axis) {
        if (!cast->isUsed[axis]) {
            continue;
        }
        sdF8 a = (lower[axis] - cast->upper[axis]) * cast->inverse[axis];
        sdF8 b = (upper[axis] - cast->lower[axis]) * cast->inverse[axis];
        sdF8 low = sdF8_Min(a, b);
        sdF8 high = sdF8_Max(a, b);
        first = sdF8_Max(first, low - sdF8_Abs(low) * sdF8_Splat(CAST_ROUNDING));
        last = sdF8_Min(last, high + sdF8_Abs(high) * sdF8_Splat(CAST_ROUNDING));
    }
    *enter = first;
    return mask & sdF8_LessEqual(first, last);
}

typedef struct CastEntry {
    float fraction;
    int32_t child;
} CastEntry;

void SD_KERNEL(sdTree_Cast)(const sdTree* tree, sdCastQuery* query) {
    Cast cast = makeCast(query);
    CastEntry stack[SD_TREE_STACK_SIZE];
    int count = 1;
    stack[0] = (CastEntry){0.0f, tree->root};
    while (count > 0) {
        CastEntry entry = stack[--count];
        if (entry.fraction > query->maxFraction) {
            continue;
        }
        if (entry.child < 0) {
            if (!sdCastQuery_Visit(query, ~entry.child)) {
                return;
            }
            continue;
        }
        const sdTreeNode* node = tree->nodes.data + entry.child;
        sdF8 enter;
        unsigned lanes =
            (unsigned)sdI8_MaskBits(castLanes(&cast, node, query->maxFraction, &enter));
        // the nearest on top
        int begin = count;
        for (; lanes != 0; lanes &= lanes - 1) {
            int lane = __builtin_ctz(lanes);
            CastEntry hit = {enter[lane], node->child[lane]};
            int i = count++;
            for (; i > begin && stack[i - 1].fraction < hit.fraction; --i) {
                stack[i] = stack[i - 1];
            }
            stack[i] = hit;
        }
    }
}
