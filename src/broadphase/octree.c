// SPDX-License-Identifier: MIT
// octree.c - pairs and queries by cells of an octree.
//
// In:   the cells that octree_update.c keeps.
// Out:  pairs of bodies that share a cell, each from one cell; bodies in a box or on a way.
// Ref:  S1 §3.1 and §5: it helps when bodies are small beside the scene; large ones stand in many
//       cells, and two of them are compared in each that they share.

#include "broadphase/octree.h"

/// Leaves that a task takes at once, at least.
#define FIND_GRAIN 64

// ---- pairs ---------------------------------------------------------------------------------

/// Compare the touched bodies of a leaf with all others in it.
static bool findInLeaf(const sdBroadphase* bp, sdPairSink* sink, const sdOctreeCell* leaf) {
    const sdOctree* octree = sdOctree_Of(bp);
    sdOctreeBodies outer = sdOctreeBodies_Of(octree, leaf);
    for (int a = sdOctreeBodies_Next(&outer); a != SD_NULL_INDEX; a = sdOctreeBodies_Next(&outer)) {
        if (!sdBitSet_Test(&bp->touched, a)) {
            continue;
        }
        sdAABB box = bp->boxes[a];
        sdOctreeBodies inner = sdOctreeBodies_Of(octree, leaf);
        for (int b = sdOctreeBodies_Next(&inner); b != SD_NULL_INDEX;
             b = sdOctreeBodies_Next(&inner)) {
            // of two that are touched, the one with the smaller slot looks for the other
            if (b <= a && (b == a || sdBitSet_Test(&bp->touched, b))) {
                continue;
            }
            sink->testCount += 1;
            if (sdAABB_Overlaps(box, bp->boxes[b]) &&
                sdOctree_Holds(&leaf->reach, sdMax(box.lower, bp->boxes[b].lower)) &&
                !sdPairSink_Add(bp, sink, a, b)) {
                return false;
            }
        }
    }
    return true;
}

static void findTask(void* arg, int begin, int end, int worker) {
    const sdBroadphase* bp = arg;
    const sdOctree* octree = sdOctree_Of(bp);
    bool goesOn = true;
    for (int i = begin; i < end && goesOn; ++i) {
        const sdOctreeCell* leaf = octree->cells.data + octree->list.data[i];
        goesOn = findInLeaf(bp, bp->sinks + worker, leaf);
    }
}

static void findPairs(sdBroadphase* broadphase, const int* touched, int count) {
    sdOctree* octree = sdOctree_Of(broadphase);
    sdIntArray* list = &octree->list;
    list->count = 0;
    for (int i = 0; i < count; ++i) {
        sdOctreeWalk walk;
        sdOctreeWalk_Begin(&walk, octree, broadphase->boxes[touched[i]]);
        for (int leaf = sdOctreeWalk_Next(&walk); leaf != SD_NULL_INDEX;
             leaf = sdOctreeWalk_Next(&walk)) {
            if (!octree->cells.data[leaf].isMarked) {
                octree->cells.data[leaf].isMarked = true;
                // the update has made room for all cells
                list->data[list->count++] = leaf;
            }
        }
    }
    const sdTaskSystem* tasks = &broadphase->context.tasks;
    tasks->parallelFor(tasks->user, findTask, broadphase, list->count, FIND_GRAIN);
    for (int i = 0; i < list->count; ++i) {
        octree->cells.data[list->data[i]].isMarked = false;
    }
}

// ---- queries -------------------------------------------------------------------------------

static void queryBox(const sdBroadphase* broadphase, const sdBoxQuery* query) {
    const sdOctree* octree = sdOctree_Of(broadphase);
    sdOctreeWalk walk;
    sdOctreeWalk_Begin(&walk, octree, query->box);
    for (int leaf = sdOctreeWalk_Next(&walk); leaf != SD_NULL_INDEX;
         leaf = sdOctreeWalk_Next(&walk)) {
        const sdOctreeCell* cell = octree->cells.data + leaf;
        sdOctreeBodies bodies = sdOctreeBodies_Of(octree, cell);
        for (int slot = sdOctreeBodies_Next(&bodies); slot != SD_NULL_INDEX;
             slot = sdOctreeBodies_Next(&bodies)) {
            sdAABB box = octree->boxes[slot];
            if (sdAABB_Overlaps(box, query->box) &&
                sdOctree_Holds(&cell->reach, sdMax(box.lower, query->box.lower)) &&
                !sdBoxQuery_Visit(query, slot)) {
                return;
            }
        }
    }
}

/// Whether a cell has bodies at home that a cast may meet, and from which fraction on.
static bool meetsHomes(const sdCastQuery* query, const sdOctreeCell* cell, double* fraction) {
    return cell->homes.lower.x <= cell->homes.upper.x &&
           sdCastQuery_Meets(query, cell->homes, fraction);
}

/// Offer the bodies that are at home below a cell; at most octreeMaxDepth deep.
static bool castCell(const sdOctree* octree, sdCastQuery* query, int index) {
    const sdOctreeCell* cell = octree->cells.data + index;
    if (cell->firstChild == SD_NULL_INDEX) {
        sdOctreeBodies bodies = sdOctreeBodies_Of(octree, cell);
        for (int slot = sdOctreeBodies_Next(&bodies); slot != SD_NULL_INDEX;
             slot = sdOctreeBodies_Next(&bodies)) {
            if (sdOctree_Holds(&cell->reach, octree->boxes[slot].lower) &&
                !sdCastQuery_Visit(query, slot)) {
                return false;
            }
        }
        return true;
    }
    // nearer ones first
    int children[8];
    double fractions[8];
    int count = 0;
    for (int i = cell->firstChild; i < cell->firstChild + 8; ++i) {
        double fraction;
        if (meetsHomes(query, octree->cells.data + i, &fraction)) {
            int k = count++;
            for (; k > 0 && fractions[k - 1] > fraction; --k) {
                fractions[k] = fractions[k - 1];
                children[k] = children[k - 1];
            }
            fractions[k] = fraction;
            children[k] = i;
        }
    }
    for (int k = 0; k < count && fractions[k] <= (double)query->maxFraction; ++k) {
        if (!castCell(octree, query, children[k])) {
            return false;
        }
    }
    return true;
}

static void cast(const sdBroadphase* broadphase, sdCastQuery* query) {
    const sdOctree* octree = sdOctree_Of(broadphase);
    double fraction;
    if (octree->cells.count > 0 && meetsHomes(query, octree->cells.data, &fraction)) {
        castCell(octree, query, 0);
    }
}

// ---- what there is -------------------------------------------------------------------------

static void getStats(const sdBroadphase* broadphase, sdBroadphaseStats* stats) {
    const sdOctree* octree = sdOctree_Of(broadphase);
    stats->cellCount = octree->usedCells;
    for (int i = 0; i < octree->cells.count; ++i) {
        stats->depth = sdMaxI(stats->depth, octree->cells.data[i].depth + 1);
    }
    stats->byteCount += sizeof *octree + (size_t)octree->cells.capacity * sizeof(sdOctreeCell) +
                        (size_t)octree->chunks.capacity * sizeof(sdOctreeChunk) +
                        (size_t)octree->boxCapacity * sizeof(sdAABB) +
                        (size_t)octree->list.capacity * sizeof(int);
}

static void visitCells(const sdBroadphase* broadphase, sdCellFcn* visit, void* arg) {
    const sdOctree* octree = sdOctree_Of(broadphase);
    for (int i = 0; i < octree->cells.count; ++i) {
        const sdOctreeCell* cell = octree->cells.data + i;
        if (cell->depth >= 0 && cell->firstChild == SD_NULL_INDEX) {
            // drawn as if they ended at the root's faces
            sdVec3 half = sdV3(octree->rootHalf, octree->rootHalf, octree->rootHalf);
            sdAABB box = {sdMax(cell->reach.lower, sdSub(octree->rootMiddle, half)),
                          sdMin(cell->reach.upper, sdAdd(octree->rootMiddle, half))};
            if (!visit(arg, box, cell->depth, cell->count)) {
                return;
            }
        }
    }
}

static const char* checkLeaf(const sdOctree* octree, const sdBroadphaseDef* def, int index) {
    const sdOctreeCell* cell = octree->cells.data + index;
    if (cell->count > cell->splitAbove || cell->splitAbove < def->octreeSplitLimit) {
        return "a cell with too many bodies is not split";
    }
    if (cell->isMarked) {
        return "a cell is still marked";
    }
    sdOctreeBodies bodies = sdOctreeBodies_Of(octree, cell);
    for (int slot = sdOctreeBodies_Next(&bodies); slot != SD_NULL_INDEX;
         slot = sdOctreeBodies_Next(&bodies)) {
        if (slot < 0 || slot >= octree->boxCount) {
            return "a cell has a body that is none";
        }
        const sdAABB* box = octree->boxes + slot;
        if (!sdOctree_Touches(&cell->reach, box)) {
            return "a body does not touch the cell that it is in";
        }
        if (sdOctree_Holds(&cell->reach, box->lower)) {
            for (int i = index; i != SD_NULL_INDEX; i = octree->cells.data[i].parent) {
                if (!sdAABB_Contains(octree->cells.data[i].homes, *box)) {
                    return "a cell does not know of a body that is at home in it";
                }
            }
        }
    }
    return NULL;
}

static const char* checkCells(const sdOctree* octree, const sdBroadphaseDef* def) {
    int used = 0;
    int64_t stored = 0;
    for (int i = 0; i < octree->cells.count; ++i) {
        const sdOctreeCell* cell = octree->cells.data + i;
        if (cell->depth < 0) {
            continue;
        }
        ++used;
        bool isRoot = i == 0;
        if (isRoot != (cell->parent == SD_NULL_INDEX) || cell->depth > def->octreeMaxDepth ||
            (!isRoot && (octree->cells.data[cell->parent].depth + 1 != cell->depth ||
                         (unsigned)(i - octree->cells.data[cell->parent].firstChild) >= 8u))) {
            return "a cell is in the wrong place";
        }
        if (cell->firstChild != SD_NULL_INDEX) {
            if (cell->count != 0 || cell->firstChunk != SD_NULL_INDEX) {
                return "a cell that is split has bodies of its own";
            }
            continue;
        }
        const char* fault = checkLeaf(octree, def, i);
        if (fault != NULL) {
            return fault;
        }
        stored += cell->count;
    }
    if (used != octree->usedCells) {
        return "the number of cells is wrong";
    }
    return stored == octree->entryCount ? NULL : "the number of bodies in cells is wrong";
}

static const char* validate(const sdBroadphase* broadphase) {
    const sdOctree* octree = sdOctree_Of(broadphase);
    if (octree->cells.count == 0) {
        return NULL;
    }
    // each is in all the leaves that it touches: all are in leaves that they touch, and there are
    // as many places
    int64_t wanted = 0;
    for (int slot = 0; slot < octree->boxCount; ++slot) {
        sdAABB box = octree->boxes[slot];
        sdOctreeWalk walk;
        sdOctreeWalk_Begin(&walk, octree, box);
        for (int leaf = sdOctreeWalk_Next(&walk); leaf != SD_NULL_INDEX;
             leaf = sdOctreeWalk_Next(&walk)) {
            ++wanted;
        }
    }
    const char* fault = checkCells(octree, &broadphase->def);
    return fault == NULL && wanted != octree->entryCount
               ? "a body is missing from a cell that it touches"
               : fault;
}

static void clear(sdBroadphase* broadphase) {
    sdOctree* octree = sdOctree_Of(broadphase);
    const sdAllocator* allocator = &broadphase->context.allocator;
    sdOctreeCellArray_Free(&octree->cells, allocator);
    sdOctreeChunkArray_Free(&octree->chunks, allocator);
    sdIntArray_Free(&octree->list, allocator);
    sdFree(allocator, octree->boxes, (size_t)octree->boxCapacity * sizeof(sdAABB));
    *octree = (sdOctree){0};
}

const sdBroadphaseOps sdOctree_Ops = {.name = "octree",
                                      .stateSize = sizeof(sdOctree),
                                      .update = sdOctree_Update,
                                      .findPairs = findPairs,
                                      .queryBox = queryBox,
                                      .cast = cast,
                                      .getStats = getStats,
                                      .visitCells = visitCells,
                                      .validate = validate,
                                      .clear = clear};
