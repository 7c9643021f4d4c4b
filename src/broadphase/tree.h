// SPDX-License-Identifier: MIT
// tree.h - a hierarchy of boxes, eight children a node, that changes with its boxes.
//
// The boxes of a node's children stand eight abreast: one node is one pass of SIMD. A child is a
// node or a proxy; both may stand in the same node. Builders (bvh_build.c and its friends) make a
// tree at once; tree.c keeps it: boxes that moved a little are changed in place and their ancestors
// fitted again, those that moved far are taken out and inserted where they fit, full nodes are
// split in two as in an R-tree, and a tree that has become bad, or was hit by too many changes, is
// built again. Which tree there is never shows in the results.

#ifndef SD_BROADPHASE_TREE_H
#define SD_BROADPHASE_TREE_H

#include "base/simd.h"
#include "broadphase/broadphase.h"

/// No path is longer, in nodes; a tree that grows beyond it is built again.
#define SD_TREE_MAX_HEIGHT 48
#define SD_TREE_STACK_SIZE (7 * SD_TREE_MAX_HEIGHT + SD_LANES)

/// A child that is not there. Its box is empty: lower = +infinity, upper = -infinity.
#define SD_TREE_NO_CHILD INT32_MIN

typedef struct sdTreeNode {
    float lower[3][SD_LANES];
    float upper[3][SD_LANES];
    int32_t child[SD_LANES]; ///< a node, or ~slot, in the first `count` lanes
    int32_t count;
    int32_t parent; ///< SD_NULL_INDEX: this is the root, or a free node
    int32_t lane;   ///< in the parent; of a free node, the next free one
    uint32_t dirty; ///< lanes that the present update is about
    int32_t unused[4];
} sdTreeNode;

SD_DEFINE_ARRAY(sdTreeNodeArray, sdTreeNode)
SD_DEFINE_ARRAY(sdByteArray, uint8_t)

typedef struct sdTree {
    sdTreeNodeArray nodes;
    int32_t root;      ///< SD_NULL_INDEX: the tree is empty
    int32_t firstFree; ///< node
    int32_t freeCount;
    int height; ///< no path is longer, in nodes
    int proxyCount;
    sdIntArray places; ///< of each slot: node * 8 + lane, or SD_NULL_INDEX
    sdIntArray moving; ///< slots to be inserted in this update
    sdIntArray groups; ///< nodes with dirty lanes
    sdByteArray whole; ///< of each node: all children are proxies with dirty lanes
    double area;       ///< sum of the nodes' half surfaces
    double areaWhenBuilt;
    sdKeyArray keys; ///< of the builders
    sdKeyArray scratch;
    bool isReady; ///< root and firstFree are set
} sdTree;

static inline sdTree* sdTree_Of(const sdBroadphase* broadphase) {
    return broadphase->state;
}

// ---- parts of a tree (tree.c) --------------------------------------------------------------

/// Forget all nodes, keep the memory.
void sdTree_Reset(sdTree* tree);

/// Take a node without children.
/// @return SD_NULL_INDEX when memory is short
int sdTree_AllocNode(sdTree* tree, const sdAllocator* allocator);

/// Set a lane of a node, and what points back at it. No fitting.
void sdTree_SetLane(sdTree* tree, int node, int lane, int32_t child, sdAABB box);

/// Insert a slot where it enlarges the tree least.
/// @return false when memory is short
bool sdTree_Insert(sdTree* tree, const sdAllocator* allocator, int slot, sdAABB box);

static inline sdAABB sdTree_GetLaneBox(const sdTreeNode* node, int lane) {
    return (sdAABB){{node->lower[0][lane], node->lower[1][lane], node->lower[2][lane]},
                    {node->upper[0][lane], node->upper[1][lane], node->upper[2][lane]}};
}

static inline void sdTree_SetLaneBox(sdTreeNode* node, int lane, sdAABB box) {
    node->lower[0][lane] = box.lower.x;
    node->lower[1][lane] = box.lower.y;
    node->lower[2][lane] = box.lower.z;
    node->upper[0][lane] = box.upper.x;
    node->upper[1][lane] = box.upper.y;
    node->upper[2][lane] = box.upper.z;
}

/// Half of the surface of a box.
static inline float sdTree_HalfArea(sdAABB box) {
    sdVec3 d = sdSub(box.upper, box.lower);
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

// ---- builders ------------------------------------------------------------------------------

/// Build a tree over all slots that are present.
/// @return SD_ERROR_OUT_OF_MEMORY: the tree is in pieces, clear it
sdResult sdTree_Build(sdBroadphase* broadphase, sdTree* tree, sdTreeBuilder builder);

/// Cells an axis are 2^10, so that keys are sorted in three passes. 30 bits of cell and 24 of slot
/// make a key.
#define SD_TREE_CELL_BITS 10
#define SD_TREE_SLOT_BITS 24
#define SD_TREE_SLOT_MASK 0xFFFFFFu

/// Sort slots, the lower bits of the keys, along a Hilbert or a Morton curve through the centres of
/// their boxes.
void sdTree_SortKeys(const sdAABB* boxes, uint64_t* keys, uint64_t* scratch, int count,
                     bool isHilbert);

/// Over the slots in tree->keys.
sdResult sdTree_BuildLinear(sdBroadphase* broadphase, sdTree* tree, bool isHilbert);
sdResult sdTree_BuildTopDown(sdBroadphase* broadphase, sdTree* tree);
sdResult sdTree_BuildBottomUp(sdBroadphase* broadphase, sdTree* tree);
sdResult sdTree_BuildByInsertion(sdBroadphase* broadphase, sdTree* tree);

// ---- kernels (tree_kernel.c) ---------------------------------------------------------------

/// A grid over the doubled centres of boxes.
typedef struct sdTreeGrid {
    sdVec3 origin;
    sdVec3 scale; ///< cells a metre
    bool isHilbert;
} sdTreeGrid;

/// Give each key the number of the cell that its slot is in, along the curve.
SD_DECLARE_KERNEL(void, sdTree_AssignCells,
                  (const sdTreeGrid* grid, const sdAABB* boxes, uint64_t* keys, int count));

/// The box around a node's children.
SD_DECLARE_KERNEL(sdAABB, sdTreeNode_Bounds, (const sdTreeNode* node));

/// Fit the boxes of a node and of its ancestors, until one does not change.
SD_DECLARE_KERNEL(void, sdTree_FitUpwards, (sdTree * tree, int index));

/// The lane that a box enlarges least.
SD_DECLARE_KERNEL(int, sdTreeNode_Choose, (const sdTreeNode* node, sdAABB box));

/// Report the pairs of the dirty lanes of groups begin .. end - 1.
SD_DECLARE_KERNEL(void, sdTree_FindPairs,
                  (const sdBroadphase* broadphase, sdPairSink* sink, int begin, int end));

SD_DECLARE_KERNEL(void, sdTree_QueryBox, (const sdTree* tree, const sdBoxQuery* query));
SD_DECLARE_KERNEL(void, sdTree_Cast, (const sdTree* tree, sdCastQuery* query));

#endif
