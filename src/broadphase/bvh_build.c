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

/// Cells an axis are 2^13. 39 bits of cell and 24 of slot make a key.
#define CELL_BITS 13
#define SLOT_BITS 24
#define SLOT_MASK 0xFFFFFFu

/// Runs in one cell that are longer than this are sorted again in a grid of their own ...
#define LONGEST_RUN 16

/// ... so many times at most, which resolves 2^-52 of the whole.
#define MAX_REFINEMENTS 4

// ---- the order -----------------------------------------------------------------------------

/// Leave two bits free after each.
static uint64_t spreadBits(uint32_t x) {
    uint64_t r = x;
    r = (r | r << 16) & 0x00FF0000FF0000FFu;
    r = (r | r << 8) & 0xF00F00F00F00F00Fu;
    r = (r | r << 4) & 0x30C30C30C30C30C3u;
    return (r | r << 2) & 0x9249249249249249u;
}

static uint32_t cellOf(float center, float origin, float scale) {
    // written so that a product that is not a number, after an overflow, is a cell as well
    float cell = (center - origin) * scale;
    return cell < (float)((1 << CELL_BITS) - 1) ? (uint32_t)cell : (1u << CELL_BITS) - 1;
}

/// Twice the centre.
static sdVec3 centerOf(const sdAABB* boxes, uint64_t key) {
    const sdAABB* box = boxes + (key & SLOT_MASK);
    return sdAdd(box->lower, box->upper);
}

static float scaleOf(float lower, float upper) {
    float scale = (float)(1 << CELL_BITS) / (upper - lower);
    return upper > lower && sdIsFinite(scale) ? scale : 0.0f;
}

/// Give keys their cells in a grid around them.
/// @return false when they are all in one place
static bool assignCells(const sdAABB* boxes, uint64_t* keys, int count) {
    sdAABB around = sdAABB_Empty();
    for (int i = 0; i < count; ++i) {
        around = sdAABB_AddPoint(around, centerOf(boxes, keys[i]));
    }
    sdVec3 l = around.lower;
    sdVec3 scale = sdV3(scaleOf(l.x, around.upper.x), scaleOf(l.y, around.upper.y),
                        scaleOf(l.z, around.upper.z));
    for (int i = 0; i < count; ++i) {
        sdVec3 center = centerOf(boxes, keys[i]);
        uint64_t cell = spreadBits(cellOf(center.x, l.x, scale.x)) |
                        spreadBits(cellOf(center.y, l.y, scale.y)) << 1 |
                        spreadBits(cellOf(center.z, l.z, scale.z)) << 2;
        keys[i] = cell << SLOT_BITS | (keys[i] & SLOT_MASK);
    }
    return scale.x > 0.0f || scale.y > 0.0f || scale.z > 0.0f;
}

static void sortRange(const sdAABB* boxes, uint64_t* keys, uint64_t* scratch, int count,
                      int refinements) {
    if (!assignCells(boxes, keys, count)) {
        return;
    }
    sdSortKeysByBits(keys, scratch, count, SLOT_BITS, 3 * CELL_BITS);
    for (int begin = 0, end; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && keys[end] >> SLOT_BITS == keys[begin] >> SLOT_BITS) {
            ++end;
        }
        if (end - begin > LONGEST_RUN && refinements > 0) {
            sortRange(boxes, keys + begin, scratch, end - begin, refinements - 1);
        }
    }
}

void sdTree_SortKeys(const sdAABB* boxes, uint64_t* keys, uint64_t* scratch, int count) {
    sortRange(boxes, keys, scratch, count, MAX_REFINEMENTS);
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
            int slot = (int)(tree->keys.data[i + lane] & SLOT_MASK);
            sdTree_SetLane(tree, node, lane, ~slot, bp->boxes[slot]);
        }
    }
    return true;
}

sdResult sdTree_BuildLinear(sdBroadphase* broadphase, sdTree* tree) {
    const sdAllocator* allocator = &broadphase->context.allocator;
    sdTree_SortKeys(broadphase->boxes, tree->keys.data, tree->scratch.data, tree->keys.count);
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
    sdResult result = builder == SD_TREE_INSERTION ? sdTree_BuildByInsertion(broadphase, tree)
                                                   : sdTree_BuildLinear(broadphase, tree);
    tree->proxyCount = tree->keys.count;
    tree->areaWhenBuilt = tree->area;
    return result;
}
