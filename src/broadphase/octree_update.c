// SPDX-License-Identifier: MIT
// octree_update.c - the cells of an octree follow its bodies.
//
// In:   slots whose boxes are new, other or gone, all at once.
// Out:  leaves that hold the bodies that touch them: split above octreeSplitLimit bodies, joined
//       again at octreeMergeLimit, down to octreeMaxDepth.
// Ref:  S1 §3.1.
// Note: in four passes, each over all changes: clear leaves of what has left them, put in what is
//       new in them, split, join. So a leaf with a million bodies is looked through once, not once
//       for each of those that leave it.

#include "base/sort.h"
#include "broadphase/octree.h"

#include <float.h>

/// A tree is built again when one change in so many bodies comes at once ...
#define REBUILD_FRACTION 4

/// ... or when each body has changed so often, on average, so that refused splits are tried again.
#define REBUILD_AFTER 8

/// Each time that as many have changed as there are, the root is looked at: the tree is built again
/// when the bodies have left it by half its size, or would do with one of half or twice the size.
#define ROOT_CHANGE 2.0f

/// Bodies whose places decide where the root is. The outermost 1/32 on each side do not count: a
/// few that are far off would make all cells too large for the others.
#define ROOT_SAMPLES 1024
#define ROOT_TRIM 32

/// Cells are no longer split when bodies are stored so often, all together: 256 MiB.
#define MOST_ENTRIES ((int64_t)1 << 26)

// ---- chunks and cells ----------------------------------------------------------------------

static bool push(sdOctree* octree, const sdAllocator* allocator, int leaf, int slot) {
    sdOctreeCell* cell = octree->cells.data + leaf;
    int place = cell->count % SD_OCTREE_CHUNK_SIZE;
    if (place == 0) {
        int chunk = octree->freeChunks - 1;
        if (chunk >= 0) {
            octree->freeChunks = octree->chunks.data[chunk].next;
        } else {
            chunk = octree->chunks.count;
            if (!sdOctreeChunkArray_Push(&octree->chunks, allocator, (sdOctreeChunk){0})) {
                return false;
            }
        }
        octree->chunks.data[chunk].next = cell->firstChunk;
        cell->firstChunk = chunk;
    }
    octree->chunks.data[cell->firstChunk].slots[place] = slot;
    cell->count += 1;
    octree->entryCount += 1;
    return true;
}

static void freeChunk(sdOctree* octree, int chunk) {
    octree->chunks.data[chunk].next = octree->freeChunks;
    octree->freeChunks = chunk + 1;
}

static void freeBodies(sdOctree* octree, sdOctreeCell* leaf) {
    octree->entryCount -= leaf->count;
    for (int chunk = leaf->firstChunk; chunk != SD_NULL_INDEX;) {
        int next = octree->chunks.data[chunk].next;
        freeChunk(octree, chunk);
        chunk = next;
    }
    leaf->firstChunk = SD_NULL_INDEX;
    leaf->count = 0;
}

/// Eight cells in a row.
/// @return SD_NULL_INDEX when memory is short
static int allocCells(sdOctree* octree, const sdAllocator* allocator) {
    int first = octree->freeCells - 1;
    if (first >= 0) {
        octree->freeCells = octree->cells.data[first].firstChild;
    } else {
        first = octree->cells.count;
        if (!sdOctreeCellArray_Resize(&octree->cells, allocator, (int64_t)first + 8)) {
            return SD_NULL_INDEX;
        }
    }
    octree->usedCells += 8;
    return first;
}

static void freeCells(sdOctree* octree, int first) {
    for (int i = 0; i < 8; ++i) {
        octree->cells.data[first + i].depth = -1;
    }
    octree->cells.data[first].firstChild = octree->freeCells;
    octree->freeCells = first + 1;
    octree->usedCells -= 8;
}

// ---- splitting -----------------------------------------------------------------------------

static float halfOf(const sdOctree* octree, int depth) {
    return octree->rootHalf / (float)(1 << depth);
}

static void initChild(sdOctree* octree, const sdBroadphaseDef* def, int parent, int which) {
    const sdOctreeCell* from = octree->cells.data + parent;
    sdOctreeCell* child = octree->cells.data + from->firstChild + which;
    float quarter = 0.5f * halfOf(octree, from->depth);
    sdVec3 m = from->middle;
    *child = (sdOctreeCell){.reach = from->reach,
                            .homes = sdAABB_Empty(),
                            .firstChild = SD_NULL_INDEX,
                            .firstChunk = SD_NULL_INDEX,
                            .splitAbove = def->octreeSplitLimit,
                            .parent = parent,
                            .depth = from->depth + 1};
    child->middle = sdV3((which & 1) != 0 ? m.x + quarter : m.x - quarter,
                         (which & 2) != 0 ? m.y + quarter : m.y - quarter,
                         (which & 4) != 0 ? m.z + quarter : m.z - quarter);
    *((which & 1) != 0 ? &child->reach.lower.x : &child->reach.upper.x) = m.x;
    *((which & 2) != 0 ? &child->reach.lower.y : &child->reach.upper.y) = m.y;
    *((which & 4) != 0 ? &child->reach.lower.z : &child->reach.upper.z) = m.z;
}

/// Whether there is a use in splitting a leaf: the floats between its faces are not used up, and
/// its bodies are small enough to be told apart by it.
static bool isWorthSplitting(const sdBroadphase* bp, const sdOctree* octree,
                             const sdOctreeCell* leaf) {
    float quarter = 0.5f * halfOf(octree, leaf->depth);
    sdVec3 m = leaf->middle;
    if (leaf->depth >= bp->def.octreeMaxDepth || !(m.x + quarter > m.x) || !(m.y + quarter > m.y) ||
        !(m.z + quarter > m.z) || !(m.x - quarter < m.x) || !(m.y - quarter < m.y) ||
        !(m.z - quarter < m.z)) {
        return false;
    }
    int64_t copies = 0;
    sdOctreeBodies bodies = sdOctreeBodies_Of(octree, leaf);
    for (int slot = sdOctreeBodies_Next(&bodies); slot != SD_NULL_INDEX;
         slot = sdOctreeBodies_Next(&bodies)) {
        copies += __builtin_popcount((unsigned)sdOctree_ChildMask(m, bp->boxes + slot));
    }
    return (float)copies <= bp->def.octreeMaxCopies * (float)leaf->count &&
           octree->entryCount + copies <= MOST_ENTRIES;
}

/// Into the children of a cell that was a leaf.
static bool distribute(const sdBroadphase* bp, sdOctree* octree, int index) {
    sdOctreeCell* cell = octree->cells.data + index;
    sdOctreeCell* children = octree->cells.data + cell->firstChild;
    sdOctreeBodies bodies = sdOctreeBodies_Of(octree, cell);
    for (int slot = sdOctreeBodies_Next(&bodies); slot != SD_NULL_INDEX;
         slot = sdOctreeBodies_Next(&bodies)) {
        const sdAABB* box = bp->boxes + slot;
        for (int mask = sdOctree_ChildMask(cell->middle, box); mask != 0; mask &= mask - 1) {
            int child = cell->firstChild + __builtin_ctz((unsigned)mask);
            if (!push(octree, &bp->context.allocator, child, slot)) {
                return false;
            }
        }
        if (sdOctree_Holds(&cell->reach, box->lower)) {
            sdOctreeCell* home = children + sdOctree_ChildOfPoint(cell->middle, box->lower);
            home->homes = sdAABB_Union(home->homes, *box);
        }
    }
    freeBodies(octree, cell);
    return true;
}

/// Split a leaf that has too many bodies, and its children; at most octreeMaxDepth deep.
static bool split(const sdBroadphase* bp, sdOctree* octree, int index) {
    sdOctreeCell* cell = octree->cells.data + index;
    if (!isWorthSplitting(bp, octree, cell)) {
        // look again when there are twice as many
        cell->splitAbove = cell->count < INT_MAX / 2 ? 2 * cell->count : INT_MAX;
        return true;
    }
    int first = allocCells(octree, &bp->context.allocator);
    if (first == SD_NULL_INDEX) {
        return false;
    }
    octree->cells.data[index].firstChild = first;
    for (int i = 0; i < 8; ++i) {
        initChild(octree, &bp->def, index, i);
    }
    if (!distribute(bp, octree, index)) {
        return false;
    }
    for (int i = first; i < first + 8; ++i) {
        if (octree->cells.data[i].count > octree->cells.data[i].splitAbove &&
            !split(bp, octree, i)) {
            return false;
        }
    }
    return true;
}

// ---- joining -------------------------------------------------------------------------------

/// Visit each body of eight leaves once, at the first of those that it is in.
/// @return how many there are
static int joinBodies(const sdBroadphase* bp, sdOctree* octree, int index, bool doPush,
                      bool* isShort) {
    int count = 0;
    sdVec3 middle = octree->cells.data[index].middle;
    int first = octree->cells.data[index].firstChild;
    for (int i = 0; i < 8; ++i) {
        sdOctreeBodies bodies = sdOctreeBodies_Of(octree, octree->cells.data + first + i);
        for (int slot = sdOctreeBodies_Next(&bodies); slot != SD_NULL_INDEX;
             slot = sdOctreeBodies_Next(&bodies)) {
            if (__builtin_ctz((unsigned)sdOctree_ChildMask(middle, bp->boxes + slot)) == i) {
                ++count;
                *isShort =
                    *isShort || (doPush && !push(octree, &bp->context.allocator, index, slot));
            }
        }
    }
    return count;
}

/// Join a cell's children when they are leaves with few bodies.
/// @return whether that was done
static bool join(const sdBroadphase* bp, sdOctree* octree, int index, bool* isShort) {
    int first = octree->cells.data[index].firstChild;
    int64_t total = 0;
    for (int i = 0; i < 8; ++i) {
        const sdOctreeCell* child = octree->cells.data + first + i;
        if (child->firstChild != SD_NULL_INDEX) {
            return false;
        }
        total += child->count;
    }
    if (total > 8 * (int64_t)bp->def.octreeMergeLimit ||
        joinBodies(bp, octree, index, false, isShort) > bp->def.octreeMergeLimit) {
        return false;
    }
    joinBodies(bp, octree, index, true, isShort);
    for (int i = 0; i < 8; ++i) {
        freeBodies(octree, octree->cells.data + first + i);
    }
    octree->cells.data[index].firstChild = SD_NULL_INDEX;
    octree->cells.data[index].splitAbove = bp->def.octreeSplitLimit;
    freeCells(octree, first);
    return true;
}

// ---- building ------------------------------------------------------------------------------

/// The order of floats as that of integers.
static uint64_t sortableBits(float a) {
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

static float fromSortableBits(uint64_t key) {
    uint32_t bits = (uint32_t)key;
    bits = (bits & 0x80000000u) != 0 ? bits & 0x7FFFFFFFu : ~bits;
    float a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

/// A cube around most of the bodies.
/// @return half of its side
static float chooseRoot(const sdBroadphase* bp, sdVec3* middle) {
    uint64_t keys[ROOT_SAMPLES];
    float middles[3] = {0.0f, 0.0f, 0.0f};
    float half = 0.0f;
    int stride = bp->ids.slotCount / ROOT_SAMPLES + 1;
    for (int axis = 0; axis < 3; ++axis) {
        int count = 0;
        for (int slot = 0; slot < bp->ids.slotCount; slot += stride) {
            if (sdBroadphase_IsPresent(bp, slot)) {
                sdVec3 center = sdAABB_Center(bp->boxes[slot]);
                keys[count++] = sortableBits(sdVec3_Get(center, axis));
            }
        }
        if (count > 0) {
            sdSortKeys(keys, count);
            float lower = fromSortableBits(keys[count / ROOT_TRIM]);
            float upper = fromSortableBits(keys[count - 1 - count / ROOT_TRIM]);
            middles[axis] = 0.5f * lower + 0.5f * upper;
            half = sdMaxF(half, 0.5f * (upper - lower));
        }
    }
    *middle = sdV3(middles[0], middles[1], middles[2]);
    // a little larger, for what was trimmed and for motion; of any size when all are in one place
    return half > 0.0f ? 1.25f * half : 1.0f;
}

/// Whether another root would suit the bodies much better.
static bool isRootBad(const sdBroadphase* bp, const sdOctree* octree) {
    sdVec3 middle;
    float half = chooseRoot(bp, &middle);
    sdVec3 d = sdAbs(sdSub(middle, octree->rootMiddle));
    float allowed = octree->rootHalf / ROOT_CHANGE;
    return half > ROOT_CHANGE * octree->rootHalf || half < allowed || d.x > allowed ||
           d.y > allowed || d.z > allowed;
}

/// Everything into one leaf, then split that.
static bool build(const sdBroadphase* bp, sdOctree* octree) {
    const sdAllocator* allocator = &bp->context.allocator;
    octree->chunks.count = 0;
    octree->freeChunks = 0;
    octree->freeCells = 0;
    octree->entryCount = 0;
    octree->usedCells = 1;
    if (!sdOctreeCellArray_Resize(&octree->cells, allocator, 1)) {
        return false;
    }
    octree->rootHalf = chooseRoot(bp, &octree->rootMiddle);
    octree->cells.data[0] = (sdOctreeCell){
        .reach = {{-FLT_MAX, -FLT_MAX, -FLT_MAX}, {FLT_MAX, FLT_MAX, FLT_MAX}},
        .middle = octree->rootMiddle,
        .homes = sdAABB_Empty(),
        .firstChild = SD_NULL_INDEX,
        .firstChunk = SD_NULL_INDEX,
        .splitAbove = bp->def.octreeSplitLimit,
        .parent = SD_NULL_INDEX,
    };
    octree->changesSinceBuilt = 0;
    octree->changesSinceLook = 0;
    for (int slot = 0; slot < bp->ids.slotCount; ++slot) {
        octree->boxes[slot] = bp->boxes[slot];
        if (!sdBroadphase_IsPresent(bp, slot)) {
            octree->boxes[slot] = sdAABB_Empty();
            continue;
        }
        octree->cells.data[0].homes = sdAABB_Union(octree->cells.data[0].homes, bp->boxes[slot]);
        if (!push(octree, allocator, 0, slot)) {
            return false;
        }
    }
    return octree->cells.data[0].count <= bp->def.octreeSplitLimit || split(bp, octree, 0);
}

// ---- changing ------------------------------------------------------------------------------

/// List the leaves that a body has left.
static bool listLeft(sdOctree* octree, const sdAllocator* allocator, int slot, const sdAABB* box) {
    sdOctreeWalk walk;
    sdOctreeWalk_Begin(&walk, octree, octree->boxes[slot]);
    for (int leaf = sdOctreeWalk_Next(&walk); leaf != SD_NULL_INDEX;
         leaf = sdOctreeWalk_Next(&walk)) {
        sdOctreeCell* cell = octree->cells.data + leaf;
        if (!cell->isMarked && !sdOctree_Touches(&cell->reach, box)) {
            cell->isMarked = true;
            if (!sdIntArray_Push(&octree->list, allocator, leaf)) {
                return false;
            }
        }
    }
    return true;
}

/// Keep in a leaf what still touches it.
static bool clearLeaf(const sdBroadphase* bp, sdOctree* octree, int leaf) {
    sdOctreeCell* cell = octree->cells.data + leaf;
    int chunk = cell->firstChunk;
    int left = cell->count > 0 ? (cell->count - 1) % SD_OCTREE_CHUNK_SIZE + 1 : 0;
    octree->entryCount -= cell->count;
    cell->count = 0;
    cell->firstChunk = SD_NULL_INDEX;
    cell->homes = sdAABB_Empty();
    cell->isMarked = false;
    while (chunk != SD_NULL_INDEX) {
        sdOctreeChunk old = octree->chunks.data[chunk];
        freeChunk(octree, chunk);
        for (int i = 0; i < left; ++i) {
            const sdAABB* box = bp->boxes + old.slots[i];
            if (sdOctree_Touches(&cell->reach, box)) {
                if (!push(octree, &bp->context.allocator, leaf, old.slots[i])) {
                    return false;
                }
                cell->homes = sdOctree_Holds(&cell->reach, box->lower)
                                  ? sdAABB_Union(cell->homes, *box)
                                  : cell->homes;
            }
        }
        chunk = old.next;
        left = SD_OCTREE_CHUNK_SIZE;
    }
    if (cell->count <= bp->def.octreeSplitLimit) {
        cell->splitAbove = bp->def.octreeSplitLimit;
    }
    return true;
}

/// From the root to a body's home.
static void growHomes(sdOctree* octree, const sdAABB* box) {
    for (int index = 0; index != SD_NULL_INDEX;) {
        sdOctreeCell* cell = octree->cells.data + index;
        cell->homes = sdAABB_Union(cell->homes, *box);
        index = cell->firstChild != SD_NULL_INDEX
                    ? cell->firstChild + sdOctree_ChildOfPoint(cell->middle, box->lower)
                    : SD_NULL_INDEX;
    }
}

/// Put a body into the leaves that it has come to. Those that get too full are listed.
static bool enter(const sdBroadphase* bp, sdOctree* octree, int slot) {
    const sdAllocator* allocator = &bp->context.allocator;
    sdAABB old = octree->boxes[slot];
    sdOctreeWalk walk;
    sdOctreeWalk_Begin(&walk, octree, bp->boxes[slot]);
    for (int leaf = sdOctreeWalk_Next(&walk); leaf != SD_NULL_INDEX;
         leaf = sdOctreeWalk_Next(&walk)) {
        const sdOctreeCell* cell = octree->cells.data + leaf;
        if (sdOctree_Touches(&cell->reach, &old)) {
            continue;
        }
        // this happens once to a leaf
        bool isFull = cell->count == cell->splitAbove;
        if (!push(octree, allocator, leaf, slot) ||
            (isFull && !sdIntArray_Push(&octree->list, allocator, leaf))) {
            return false;
        }
    }
    growHomes(octree, bp->boxes + slot);
    return true;
}

static bool change(const sdBroadphase* bp, sdOctree* octree, const int* changed, int count) {
    sdIntArray* list = &octree->list;
    list->count = 0;
    for (int i = 0; i < count; ++i) {
        if (!listLeft(octree, &bp->context.allocator, changed[i], bp->boxes + changed[i])) {
            return false;
        }
    }
    int leftCount = list->count;
    for (int i = 0; i < leftCount; ++i) {
        if (!clearLeaf(bp, octree, list->data[i])) {
            return false;
        }
    }
    for (int i = 0; i < count; ++i) {
        int slot = changed[i];
        bool isPresent = sdBroadphase_IsPresent(bp, slot);
        if (isPresent && !enter(bp, octree, slot)) {
            return false;
        }
        octree->boxes[slot] = isPresent ? bp->boxes[slot] : sdAABB_Empty();
    }
    for (int i = leftCount; i < list->count; ++i) {
        if (!split(bp, octree, list->data[i])) {
            return false;
        }
    }
    // a leaf may be gone by now, joined with another one of the list
    bool isShort = false;
    for (int i = 0; i < leftCount; ++i) {
        int index = list->data[i];
        bool isLeaf = octree->cells.data[index].depth > 0;
        while (isLeaf && octree->cells.data[index].depth > 0) {
            index = octree->cells.data[index].parent;
            isLeaf = join(bp, octree, index, &isShort);
        }
    }
    return !isShort;
}

sdResult sdOctree_Update(sdBroadphase* broadphase, const int* changed, int count) {
    const sdBroadphase* bp = broadphase;
    sdOctree* octree = sdOctree_Of(bp);
    const sdAllocator* allocator = &bp->context.allocator;
    if (bp->ids.slotCount > octree->boxCapacity) {
        sdAABB* boxes = sdArray_Grow(allocator, octree->boxes, sizeof(sdAABB), &octree->boxCapacity,
                                     bp->ids.slotCount);
        if (boxes == NULL) {
            return SD_ERROR_OUT_OF_MEMORY;
        }
        octree->boxes = boxes;
    }
    while (octree->boxCount < bp->ids.slotCount) {
        octree->boxes[octree->boxCount++] = sdAABB_Empty();
    }
    int64_t bodyCount = sdBroadphase_GetProxyCount(bp);
    octree->changesSinceBuilt += count;
    octree->changesSinceLook += count;
    bool isDue = octree->cells.count == 0 || (int64_t)count * REBUILD_FRACTION > bodyCount ||
                 octree->changesSinceBuilt > bodyCount * REBUILD_AFTER;
    if (!isDue && octree->changesSinceLook > bodyCount) {
        octree->changesSinceLook = 0;
        isDue = isRootBad(bp, octree);
    }
    bool isDone = isDue ? build(bp, octree) : change(bp, octree, changed, count);
    // so that looking for pairs needs no memory
    isDone = isDone && sdIntArray_Reserve(&octree->list, allocator, octree->cells.count);
    return isDone ? SD_OK : SD_ERROR_OUT_OF_MEMORY;
}
