// SPDX-License-Identifier: MIT
// octree.h - space cut in eight, again and again; a body stands in every cell that it touches.
//
// Cells are told apart by comparing with the middles of the cells above and by nothing else, so the
// outermost ones reach to infinity: a body that leaves the root, however far, is still in some cell
// and is found. It only costs time, and the tree is built again when most have left.
//
// Two bodies that meet share a cell, as a rule several. The one that has the lower corner of what
// they share reports them. In the same way each body has one home, the cell of its lower corner.

#ifndef SD_BROADPHASE_OCTREE_H
#define SD_BROADPHASE_OCTREE_H

#include "broadphase/broadphase.h"

/// A walk holds 7 cells of each level and 8 of the last.
#define SD_OCTREE_STACK_SIZE (7 * SD_OCTREE_MAX_DEPTH + 8)

#define SD_OCTREE_CHUNK_SIZE 7

/// Some of the bodies of a cell; half a cache line.
typedef struct sdOctreeChunk {
    int32_t slots[SD_OCTREE_CHUNK_SIZE];
    int32_t next; ///< SD_NULL_INDEX: none
} sdOctreeChunk;

typedef struct sdOctreeCell {
    sdAABB reach; ///< half-open; +-FLT_MAX where it reaches to infinity
    sdVec3 middle;
    sdAABB homes;       ///< around the bodies whose home is in it, or larger
    int32_t firstChild; ///< of eight in a row; SD_NULL_INDEX: this is a leaf
    int32_t firstChunk; ///< of a leaf; all but this one are full
    int32_t count;      ///< bodies of a leaf
    int32_t splitAbove; ///< so many bodies
    int32_t parent;
    int32_t depth; ///< -1: not in use
    bool isMarked;
} sdOctreeCell;

SD_DEFINE_ARRAY(sdOctreeCellArray, sdOctreeCell)
SD_DEFINE_ARRAY(sdOctreeChunkArray, sdOctreeChunk)

typedef struct sdOctree {
    sdOctreeCellArray cells; ///< the root is the first
    sdOctreeChunkArray chunks;
    int32_t freeCells;  ///< index + 1 of the first of eight free ones, whose firstChild is the next
    int32_t freeChunks; ///< index + 1
    int usedCells;
    int64_t entryCount; ///< bodies, each as often as it is stored
    sdVec3 rootMiddle;
    float rootHalf;

    sdAABB* boxes; ///< of each slot, as the tree has it; empty when it is not there
    int boxCount;
    int boxCapacity;
    int64_t changesSinceBuilt;
    int64_t changesSinceLook; ///< at whether the root still suits
    sdIntArray list;          ///< cells that there is something to do with
} sdOctree;

static inline sdOctree* sdOctree_Of(const sdBroadphase* broadphase) {
    return broadphase->state;
}

static inline bool sdOctree_Touches(const sdAABB* reach, const sdAABB* box) {
    return box->lower.x < reach->upper.x && box->upper.x >= reach->lower.x &&
           box->lower.y < reach->upper.y && box->upper.y >= reach->lower.y &&
           box->lower.z < reach->upper.z && box->upper.z >= reach->lower.z;
}

static inline bool sdOctree_Holds(const sdAABB* reach, sdVec3 p) {
    return p.x >= reach->lower.x && p.x < reach->upper.x && p.y >= reach->lower.y &&
           p.y < reach->upper.y && p.z >= reach->lower.z && p.z < reach->upper.z;
}

/// Which of a cell's children a box touches, by bits. Bit 0 of a child's number: the upper half in
/// x; bit 1: in y; bit 2: in z.
static inline int sdOctree_ChildMask(sdVec3 middle, const sdAABB* box) {
    int x = (box->lower.x < middle.x ? 0x55 : 0) | (box->upper.x >= middle.x ? 0xAA : 0);
    int y = (box->lower.y < middle.y ? 0x33 : 0) | (box->upper.y >= middle.y ? 0xCC : 0);
    int z = (box->lower.z < middle.z ? 0x0F : 0) | (box->upper.z >= middle.z ? 0xF0 : 0);
    return x & y & z;
}

static inline int sdOctree_ChildOfPoint(sdVec3 middle, sdVec3 p) {
    return (p.x >= middle.x ? 1 : 0) | (p.y >= middle.y ? 2 : 0) | (p.z >= middle.z ? 4 : 0);
}

// ---- walks ---------------------------------------------------------------------------------

/// All leaves that a box touches.
typedef struct sdOctreeWalk {
    const sdOctree* octree;
    sdAABB box;
    int count;
    int stack[SD_OCTREE_STACK_SIZE];
} sdOctreeWalk;

static inline void sdOctreeWalk_Begin(sdOctreeWalk* walk, const sdOctree* octree, sdAABB box) {
    walk->octree = octree;
    walk->box = box;
    walk->count = octree->cells.count > 0 && box.lower.x <= box.upper.x ? 1 : 0;
    walk->stack[0] = 0;
}

/// @return SD_NULL_INDEX at the end
static inline int sdOctreeWalk_Next(sdOctreeWalk* walk) {
    while (walk->count > 0) {
        int index = walk->stack[--walk->count];
        const sdOctreeCell* cell = walk->octree->cells.data + index;
        if (cell->firstChild == SD_NULL_INDEX) {
            return index;
        }
        for (int mask = sdOctree_ChildMask(cell->middle, &walk->box); mask != 0; mask &= mask - 1) {
            walk->stack[walk->count++] = cell->firstChild + __builtin_ctz((unsigned)mask);
        }
    }
    return SD_NULL_INDEX;
}

/// All bodies of a leaf.
typedef struct sdOctreeBodies {
    const sdOctree* octree;
    int chunk;
    int left; ///< of the chunk
} sdOctreeBodies;

static inline sdOctreeBodies sdOctreeBodies_Of(const sdOctree* octree, const sdOctreeCell* leaf) {
    return (sdOctreeBodies){octree, leaf->firstChunk,
                            leaf->count > 0 ? (leaf->count - 1) % SD_OCTREE_CHUNK_SIZE + 1 : 0};
}

/// @return a slot, or SD_NULL_INDEX at the end
static inline int sdOctreeBodies_Next(sdOctreeBodies* bodies) {
    if (bodies->left == 0) {
        return SD_NULL_INDEX;
    }
    const sdOctreeChunk* chunk = bodies->octree->chunks.data + bodies->chunk;
    int slot = chunk->slots[--bodies->left];
    if (bodies->left == 0 && chunk->next != SD_NULL_INDEX) {
        bodies->chunk = chunk->next;
        bodies->left = SD_OCTREE_CHUNK_SIZE;
    }
    return slot;
}

/// Take in changes, as a kind of broad phase does (octree_update.c).
sdResult sdOctree_Update(sdBroadphase* broadphase, const int* changed, int count);

#endif
