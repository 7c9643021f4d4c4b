// SPDX-License-Identifier: MIT
// bvh_build.c - which builder; the linear one.
//
// In:   the boxes of all slots that are present.
// Out:  a tree over them.
// Ref:  Lauterbach et al., "Fast BVH construction on GPUs", 2009 (Morton order); Roussopoulos and
//       Leifker, "Direct spatial search on pictorial databases using packed R-trees", 1985; S3
//       §5.3.3.
// Note: linear but for the few parts of the order that are sorted again because all their boxes
//       fall into one cell.

#include "base/sort.h"
#include "broadphase/tree.h"

/// Runs in one cell that are longer than this are sorted again in a grid of their own ...
#define LONGEST_RUN 16

/// ... so many times at most, which resolves 2^-50 of the whole.
#define MAX_REFINEMENTS 4

// ---- the order -----------------------------------------------------------------------------

/// Twice the centre.
static sdVec3 centerOf(const sdAABB* boxes, uint64_t key) {
    const sdAABB* box = boxes + (key & SD_TREE_SLOT_MASK);
    return sdAdd(box->lower, box->upper);
}

static float scaleOf(float lower, float upper) {
    float scale = (float)(1 << SD_TREE_CELL_BITS) / (upper - lower);
    return upper > lower && sdIsFinite(scale) ? scale : 0.0f;
}

/// Give keys their cells in a grid around them.
/// @return false when they are all in one place
static bool assignCells(const sdAABB* boxes, uint64_t* keys, int count, bool isHilbert) {
    sdAABB around = sdAABB_Empty();
    for (int i = 0; i < count; ++i) {
        around = sdAABB_AddPoint(around, centerOf(boxes, keys[i]));
    }
    sdVec3 l = around.lower, u = around.upper;
    sdVec3 scale = {scaleOf(l.x, u.x), scaleOf(l.y, u.y), scaleOf(l.z, u.z)};
    if (isHilbert) {
        // its turns mix the axes, so cells are cubes
        float least = sdMinF(
            scale.x > 0.0f ? scale.x : INFINITY,
            sdMinF(scale.y > 0.0f ? scale.y : INFINITY, scale.z > 0.0f ? scale.z : INFINITY));
        scale = least < INFINITY ? sdV3(least, least, least) : scale;
    }
    sdTreeGrid grid = {l, scale, isHilbert};
    SD_DISPATCH(sdTree_AssignCells)(&grid, boxes, keys, count);
    return scale.x > 0.0f || scale.y > 0.0f || scale.z > 0.0f;
}

static void sortRange(const sdAABB* boxes, uint64_t* keys, uint64_t* scratch, int count,
                      bool isHilbert, int refinements) {
    if (!assignCells(boxes, keys, count, isHilbert)) {
        return;
    }
    sdSortKeysByBits(keys, scratch, count, SD_TREE_SLOT_BITS, 3 * SD_TREE_CELL_BITS);
    for (int begin = 0, end; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && keys[end] >> SD_TREE_SLOT_BITS == keys[begin] >> SD_TREE_SLOT_BITS) {
            ++end;
        }
        if (end - begin > LONGEST_RUN && refinements > 0) {
            sortRange(boxes, keys + begin, scratch, end - begin, isHilbert, refinements - 1);
        }
    }
}

void sdTree_SortKeys(const sdAABB* boxes, uint64_t* keys, uint64_t* scratch, int count,
                     bool isHilbert) {
    sortRange(boxes, keys, scratch, count, isHilbert, MAX_REFINEMENTS);
}

// ---- the linear builder --------------------------------------------------------------------

/// Children `first` .. first + count - 1 of a level below become a level of nodes.
static bool packLevel(sdTree* tree, const sdAllocator* allocator, int first, int count) {
    for (int i = 0; i < count; i += SD_LANES) {
        int node = sdTree_AllocNode(tree, allocator);
        if (node == SD_NULL_INDEX) {
            return false;
        }
        for (int lane = 0; lane < sdMinI(SD_LANES, count - i); ++lane) {
            int child = first + i + lane;
            sdAABB box = SD_DISPATCH(sdTreeNode_Bounds)(tree->nodes.data + child);
            sdTree_SetLane(tree, node, lane, child, box);
        }
    }
    return true;
}

static bool packProxies(const sdBroadphase* bp, sdTree* tree) {
    for (int i = 0; i < tree->keys.count; i += SD_LANES) {
        int node = sdTree_AllocNode(tree, &bp->context.allocator);
        if (node == SD_NULL_INDEX) {
            return false;
        }
        for (int lane = 0; lane < sdMinI(SD_LANES, tree->keys.count - i); ++lane) {
            int slot = (int)(tree->keys.data[i + lane] & SD_TREE_SLOT_MASK);
            sdTree_SetLane(tree, node, lane, ~slot, bp->boxes[slot]);
        }
    }
    return true;
}

sdResult sdTree_BuildLinear(sdBroadphase* broadphase, sdTree* tree, bool isHilbert) {
    const sdAllocator* allocator = &broadphase->context.allocator;
    sdTree_SortKeys(broadphase->boxes, tree->keys.data, tree->scratch.data, tree->keys.count,
                    isHilbert);
    bool isOk = packProxies(broadphase, tree);
    tree->height = 1;
    int first = 0;
    int count = tree->nodes.count;
    while (isOk && count > 1) {
        isOk = packLevel(tree, allocator, first, count);
        first += count;
        count = tree->nodes.count - first;
        tree->height += 1;
    }
    tree->root = tree->nodes.count - 1;
    return isOk ? SD_OK : SD_ERROR_OUT_OF_MEMORY;
}

// ---- by insertion --------------------------------------------------------------------------

/// A step through the slots that meets each once, in no order: neighbours that follow each other
/// make worse trees (S3 §5.3.3).
static int strideFor(int count) {
    const int primes[] = {7919, 104729, 1299709, 15485863};
    for (int i = 0; i < 4; ++i) {
        if (count % primes[i] != 0) {
            return primes[i];
        }
    }
    return 1;
}

sdResult sdTree_BuildByInsertion(sdBroadphase* broadphase, sdTree* tree) {
    int64_t count = tree->keys.count;
    int64_t stride = strideFor(tree->keys.count);
    for (int64_t i = 0, at = 0; i < count; ++i, at = (at + stride) % count) {
        int slot = (int)tree->keys.data[at];
        if (!sdTree_Insert(tree, &broadphase->context.allocator, slot, broadphase->boxes[slot])) {
            return SD_ERROR_OUT_OF_MEMORY;
        }
    }
    return SD_OK;
}

// ---- all builders --------------------------------------------------------------------------

static sdResult runBuilder(sdBroadphase* broadphase, sdTree* tree, sdTreeBuilder builder) {
    switch (builder) {
        case SD_TREE_TOP_DOWN:
            return sdTree_BuildTopDown(broadphase, tree);
        case SD_TREE_BOTTOM_UP:
            return sdTree_BuildBottomUp(broadphase, tree);
        case SD_TREE_INSERTION:
            return sdTree_BuildByInsertion(broadphase, tree);
        default:
            return sdTree_BuildLinear(broadphase, tree, builder == SD_TREE_HILBERT);
    }
}

sdResult sdTree_Build(sdBroadphase* broadphase, sdTree* tree, sdTreeBuilder builder) {
    const sdAllocator* allocator = &broadphase->context.allocator;
    sdTree_Reset(tree);
    int slotCount = broadphase->ids.slotCount;
    if (!sdKeyArray_Reserve(&tree->keys, allocator, slotCount) ||
        !sdKeyArray_Reserve(&tree->scratch, allocator, slotCount)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    tree->keys.count = 0;
    for (int slot = 0; slot < slotCount; ++slot) {
        if (sdBroadphase_IsPresent(broadphase, slot)) {
            tree->keys.data[tree->keys.count++] = (uint64_t)slot;
        }
    }
    if (tree->keys.count == 0) {
        return SD_OK;
    }
    sdResult result = runBuilder(broadphase, tree, builder);
    if (result == SD_OK && tree->height > SD_TREE_MAX_HEIGHT) {
        // boxes that each contain the last by far can do that; packing them cannot be deep
        int count = tree->keys.count;
        sdTree_Reset(tree);
        tree->keys.count = count;
        result = sdTree_BuildLinear(broadphase, tree, true);
    }
    tree->proxyCount = tree->keys.count;
    tree->areaWhenBuilt = tree->area;
    return result;
}
