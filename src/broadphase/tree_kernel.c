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

/// With more nodes than this, what is needed next may not be in a cache near by.
#define MANY_NODES 1024

/// Pairs of a slot are reported when there are more.
#define MOST_HITS 48

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

SD_INLINE int32_t bitsOf(float a) {
    union {
        float f;
        int32_t i;
    } bits = {.f = a};
    return bits.i;
}

/// To the bit, zeros with their signs.
SD_INLINE bool areSame(const sdAABB* a, const sdAABB* b) {
    return ((bitsOf(a->lower.x) ^ bitsOf(b->lower.x)) | (bitsOf(a->lower.y) ^ bitsOf(b->lower.y)) |
            (bitsOf(a->lower.z) ^ bitsOf(b->lower.z)) | (bitsOf(a->upper.x) ^ bitsOf(b->upper.x)) |
            (bitsOf(a->upper.y) ^ bitsOf(b->upper.y)) |
            (bitsOf(a->upper.z) ^ bitsOf(b->upper.z))) == 0;
}

void SD_KERNEL(sdTree_FitUpwards)(sdTree* tree, int index) {
    while (tree->nodes.data[index].parent != SD_NULL_INDEX) {
        const sdTreeNode* node = tree->nodes.data + index;
        sdTreeNode* parent = tree->nodes.data + node->parent;
        Boxes boxes = loadBoxes(node);
        sdAABB box = reduce(&boxes);
        sdAABB old = sdTree_GetLaneBox(parent, node->lane);
        if (areSame(&box, &old)) {
            return;
        }
        tree->area += (double)sdTree_HalfArea(box) - (double)sdTree_HalfArea(old);
        sdTree_SetLaneBox(parent, node->lane, box);
        index = node->parent;
    }
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

// ---- curves --------------------------------------------------------------------------------

/// Eight cells, by coordinates.
typedef struct Cells {
    sdI8 x[3];
} Cells;

/// Turn coordinates into those whose bits, taken in turn, count along a Hilbert curve
/// (Skilling, "Programming the Hilbert curve", 2004).
SD_INLINE void turnIntoHilbert(Cells* cells) {
    const sdI8 zero = sdI8_Splat(0);
    sdI8* x = cells->x;
    for (int bit = SD_TREE_CELL_BITS - 1; bit > 0; --bit) {
        sdI8 mask = sdI8_Splat(1 << bit);
        sdI8 below = sdI8_Splat((1 << bit) - 1);
        for (int i = 0; i < 3; ++i) {
            sdI8 isSet = (x[i] & mask) != zero;
            sdI8 swapped = (x[0] ^ x[i]) & below & ~isSet;
            x[0] ^= swapped | (below & isSet);
            // with itself there is nothing to swap
            x[i] ^= i > 0 ? swapped : zero;
        }
    }
    x[1] ^= x[0];
    x[2] ^= x[1];
    sdI8 flip = zero;
    for (int bit = SD_TREE_CELL_BITS - 1; bit > 0; --bit) {
        sdI8 isSet = (x[2] & sdI8_Splat(1 << bit)) != zero;
        flip ^= isSet & sdI8_Splat((1 << bit) - 1);
    }
    for (int i = 0; i < 3; ++i) {
        x[i] ^= flip;
    }
}

/// Leave two bits free after each of ten.
SD_INLINE sdI8 spreadBits(sdI8 x) {
    x = (x | x << 16) & sdI8_Splat(0x030000FF);
    x = (x | x << 8) & sdI8_Splat(0x0300F00F);
    x = (x | x << 4) & sdI8_Splat(0x030C30C3);
    return (x | x << 2) & sdI8_Splat(0x09249249);
}

SD_INLINE sdI8 cellsOf(sdF8 center, float origin, float scale) {
    // a product that is not a number, after an overflow, is a cell as well
    const sdF8 most = sdF8_Splat((float)((1 << SD_TREE_CELL_BITS) - 1));
    sdF8 cell = (center - sdF8_Splat(origin)) * sdF8_Splat(scale);
    return sdI8_FromF8(sdF8_Min(sdF8_Max(cell, sdF8_Zero()), most));
}

void SD_KERNEL(sdTree_AssignCells)(const sdTreeGrid* grid, const sdAABB* boxes, uint64_t* keys,
                                   int count) {
    for (int i = 0; i < count; i += SD_LANES) {
        int laneCount = sdMinI(SD_LANES, count - i);
        sdVec3x8 center = {sdF8_Zero(), sdF8_Zero(), sdF8_Zero()};
        for (int lane = 0; lane < laneCount; ++lane) {
            const sdAABB* box = boxes + (keys[i + lane] & SD_TREE_SLOT_MASK);
            center.x[lane] = box->lower.x + box->upper.x;
            center.y[lane] = box->lower.y + box->upper.y;
            center.z[lane] = box->lower.z + box->upper.z;
        }
        Cells cells = {{cellsOf(center.x, grid->origin.x, grid->scale.x),
                        cellsOf(center.y, grid->origin.y, grid->scale.y),
                        cellsOf(center.z, grid->origin.z, grid->scale.z)}};
        if (grid->isHilbert) {
            turnIntoHilbert(&cells);
        }
        sdI8 code =
            spreadBits(cells.x[0]) << 2 | spreadBits(cells.x[1]) << 1 | spreadBits(cells.x[2]);
        for (int lane = 0; lane < laneCount; ++lane) {
            keys[i + lane] = (uint64_t)(uint32_t)code[lane] << SD_TREE_SLOT_BITS |
                             (keys[i + lane] & SD_TREE_SLOT_MASK);
        }
    }
}

// ---- pairs ---------------------------------------------------------------------------------

/// The dirty lanes of one node, on their way through the tree.
typedef struct Group {
    const sdBroadphase* broadphase;
    sdPairSink* sink;
    const sdTreeNode* node;
    int index; ///< of the node
    bool isWhole;
    Boxes boxes;
} Group;

/// Report the pairs of a proxy with the group's lanes.
/// @param isOtherWhole both nodes are whole and not the same; the other one comes later
SD_INLINE bool meetGroup(const Group* group, const sdTreeNode* node, int lane, bool isOtherWhole) {
    Boxes box = splatLane(node, lane);
    unsigned lanes = group->node->dirty & (unsigned)sdI8_MaskBits(overlap(&group->boxes, &box));
    int b = ~node->child[lane];
    bool isOrdered = (node->dirty >> lane & 1) != 0 && !isOtherWhole;
    for (; lanes != 0; lanes &= lanes - 1) {
        int a = ~group->node->child[__builtin_ctz(lanes)];
        // of two that have changed, the one with the smaller slot finds the other
        if (a == b || (isOrdered && a > b)) {
            continue;
        }
        if (!sdPairSink_Add(group->broadphase, group->sink, a, b)) {
            return false;
        }
    }
    return true;
}

/// Append the given lanes of a vector to a list that has room for eight more: without a branch for
/// each where there are instructions for it, as which lanes overlap is anyone's guess.
/// @return how many they are
SD_INLINE int appendLanes(int32_t* list, const int32_t items[SD_LANES], unsigned lanes) {
#if defined(__AVX2__)
    static const int32_t picks[16][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0},
                                         {2, 0, 0, 0}, {0, 2, 0, 0}, {1, 2, 0, 0}, {0, 1, 2, 0},
                                         {3, 0, 0, 0}, {0, 3, 0, 0}, {1, 3, 0, 0}, {0, 1, 3, 0},
                                         {2, 3, 0, 0}, {0, 2, 3, 0}, {1, 2, 3, 0}, {0, 1, 2, 3}};
    int lowCount = __builtin_popcount(lanes & 15);
    const float* from = (const float*)(const void*)items;
    float* to = (float*)(void*)list;
    __m128i low = _mm_loadu_si128((const __m128i*)(const void*)picks[lanes & 15]);
    __m128i high = _mm_loadu_si128((const __m128i*)(const void*)picks[lanes >> 4]);
    _mm_storeu_ps(to, _mm_permutevar_ps(_mm_loadu_ps(from), low));
    _mm_storeu_ps(to + lowCount, _mm_permutevar_ps(_mm_loadu_ps(from + 4), high));
    return lowCount + __builtin_popcount(lanes >> 4);
#else
    int count = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        list[count++] = items[__builtin_ctz(lanes)];
    }
    return count;
#endif
}

/// Report the pairs of a slot with proxies, listed as children, and empty the list.
SD_INLINE bool flushHits(const Group* group, int slot, const int32_t* hits, int* hitCount) {
    bool goesOn = true;
    for (int i = 0; i < *hitCount && goesOn; ++i) {
        goesOn = sdPairSink_Add(group->broadphase, group->sink, slot, ~hits[i]);
    }
    *hitCount = 0;
    return goesOn;
}

/// One dirty lane: what overlaps the box around it overlaps it.
/// @return false when there is no use in going on
SD_INLINE bool findSingle(const sdTree* tree, const Group* group, const Boxes* around) {
    int32_t stack[SD_TREE_STACK_SIZE + SD_LANES];
    int32_t hits[MOST_HITS + SD_LANES];
    int32_t own = group->node->child[__builtin_ctz(group->node->dirty)];
    int count = 1, hitCount = 0;
    int64_t testCount = 0;
    stack[0] = tree->root;
    bool goesOn = true;
    while (count > 0 && goesOn) {
        const sdTreeNode* node = tree->nodes.data + stack[--count];
        Boxes boxes = loadBoxes(node);
        sdI8 child;
        memcpy(&child, node->child, sizeof child);
        testCount += node->count;
        unsigned lanes = (unsigned)sdI8_MaskBits(overlap(&boxes, around));
        unsigned proxies = (unsigned)sdI8_MaskBits(child);
        // of two that have changed, the one with the smaller slot, ~child, finds the other
        unsigned others = ~(node->dirty & (unsigned)sdI8_MaskBits(child >= sdI8_Splat(own)));
        count += appendLanes(stack + count, node->child, lanes & ~proxies);
        hitCount += appendLanes(hits + hitCount, node->child, lanes & proxies & others);
        if (hitCount > MOST_HITS) {
            goesOn = flushHits(group, ~own, hits, &hitCount);
        }
    }
    group->sink->testCount += testCount;
    return goesOn && flushHits(group, ~own, hits, &hitCount);
}

/// @return false when there is no use in going on
SD_INLINE bool findGroup(const sdTree* tree, const Group* group, const Boxes* around) {
    int32_t stack[SD_TREE_STACK_SIZE];
    int count = 1;
    int64_t testCount = 0;
    stack[0] = tree->root;
    bool goesOn = true;
    const uint8_t* whole = tree->whole.data;
    while (count > 0 && goesOn) {
        int index = stack[--count];
        const sdTreeNode* node = tree->nodes.data + index;
        Boxes boxes = loadBoxes(node);
        testCount += node->count;
        bool isOtherWhole = group->isWhole && whole[index] != 0 && index != group->index;
        unsigned lanes = (unsigned)sdI8_MaskBits(overlap(&boxes, around));
        for (; lanes != 0 && goesOn; lanes &= lanes - 1) {
            int lane = __builtin_ctz(lanes);
            int32_t child = node->child[lane];
            if (child < 0) {
                goesOn = meetGroup(group, node, lane, isOtherWhole);
            } else if (child >= group->index || !group->isWhole || whole[child] == 0) {
                stack[count++] = child;
            }
        }
    }
    group->sink->testCount += testCount;
    return goesOn;
}

/// The box around some lanes, in all lanes.
SD_INLINE Boxes aroundLanes(const Boxes* boxes, uint32_t lanes) {
    const sdI8 bits = {1, 2, 4, 8, 16, 32, 64, 128};
    sdI8 isIn = (sdI8_Splat((int32_t)lanes) & bits) != sdI8_Splat(0);
    const sdF8 inf = sdF8_Splat(INFINITY);
    Boxes some = {{sdF8_Select(isIn, boxes->lower.x, inf), sdF8_Select(isIn, boxes->lower.y, inf),
                   sdF8_Select(isIn, boxes->lower.z, inf)},
                  {sdF8_Select(isIn, boxes->upper.x, -inf), sdF8_Select(isIn, boxes->upper.y, -inf),
                   sdF8_Select(isIn, boxes->upper.z, -inf)}};
    return splatBox(reduce(&some));
}

/// The nodes of groups further on, and the partners of what is in them.
SD_INLINE void prefetchGroups(const sdBroadphase* bp, const sdTree* tree, int i, int end) {
    if (i + 4 < end) {
        const char* node = (const char*)(tree->nodes.data + tree->groups.data[i + 4]);
        __builtin_prefetch(node);
        __builtin_prefetch(node + 64);
        __builtin_prefetch(node + 128);
        __builtin_prefetch(node + 192);
    }
    if (i + 2 < end) {
        const sdTreeNode* node = tree->nodes.data + tree->groups.data[i + 2];
        for (unsigned lanes = node->dirty; lanes != 0; lanes &= lanes - 1) {
            __builtin_prefetch(bp->partners.lists + ~node->child[__builtin_ctz(lanes)]);
        }
    }
    if (i + 1 < end) {
        const sdTreeNode* node = tree->nodes.data + tree->groups.data[i + 1];
        for (unsigned lanes = node->dirty; lanes != 0; lanes &= lanes - 1) {
            __builtin_prefetch(sdPartners_Get(&bp->partners, ~node->child[__builtin_ctz(lanes)]));
        }
    }
}

void SD_KERNEL(sdTree_FindPairs)(const sdBroadphase* broadphase, sdPairSink* sink, int begin,
                                 int end) {
    const sdTree* tree = sdTree_Of(broadphase);
    bool areMany = tree->nodes.count > MANY_NODES;
    for (int i = begin; i < end; ++i) {
        if (areMany) {
            prefetchGroups(broadphase, tree, i, end);
        }
        int index = tree->groups.data[i];
        const sdTreeNode* node = tree->nodes.data + index;
        Group group = {broadphase,     sink, node, index, tree->whole.data[index] != 0,
                       loadBoxes(node)};
        bool isSingle = (node->dirty & (node->dirty - 1)) == 0;
        Boxes around = isSingle ? splatLane(node, __builtin_ctz(node->dirty))
                                : aroundLanes(&group.boxes, node->dirty);
        bool goesOn = isSingle && !group.isWhole ? findSingle(tree, &group, &around)
                                                 : findGroup(tree, &group, &around);
        if (!goesOn) {
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
