// SPDX-License-Identifier: MIT
// tree.c - keeps the tree: changes in place, insertion, removal, and when to build it again.
//
// In:   slots whose boxes have changed.
// Out:  a tree that fits, through which pairs and queries go (tree_kernel.c).
// Ref:  Guttman, "R-trees", 1984 (splits keep the height); Beckmann et al., "The R*-tree", 1990
//       (split by the axis, then by area).
// Note: an update costs what has changed times the height; a build at most n log n.

#include "broadphase/tree.h"

/// More proxies to be inserted than this fraction of all, and building is quicker.
#define BUILD_FRACTION 4

/// The sum of the nodes' surfaces has grown by this factor, mostly by mixing: build again.
#define WORN_FACTOR 1.5
/// The sum has shrunk to this share: what it was built with is gone, and so are the digits that a
/// sum of much less needs.
#define SHRUNK_SHARE 1e-6

/// Parts of a split have at least so many children.
#define SPLIT_LEAST 3

/// Nodes that a task takes at once, at least.
#define GROUP_GRAIN 32

// ---- nodes ---------------------------------------------------------------------------------

static void clearLane(sdTreeNode* node, int lane) {
    const float inf = INFINITY;
    sdTree_SetLaneBox(node, lane, (sdAABB){{inf, inf, inf}, {-inf, -inf, -inf}});
    node->child[lane] = SD_TREE_NO_CHILD;
}

static sdAABB boundsOf(const sdTree* tree, int node) {
    return SD_DISPATCH(sdTreeNode_Bounds)(tree->nodes.data + node);
}

void sdTree_Reset(sdTree* tree) {
    tree->nodes.count = 0;
    tree->root = SD_NULL_INDEX;
    tree->firstFree = SD_NULL_INDEX;
    tree->freeCount = 0;
    tree->height = 0;
    tree->proxyCount = 0;
    tree->area = 0.0;
    tree->areaWhenBuilt = 0.0;
    tree->isReady = true;
    for (int i = 0; i < tree->places.count; ++i) {
        tree->places.data[i] = SD_NULL_INDEX;
    }
}

int sdTree_AllocNode(sdTree* tree, const sdAllocator* allocator) {
    int index = tree->firstFree;
    if (index != SD_NULL_INDEX) {
        tree->firstFree = tree->nodes.data[index].lane;
        tree->freeCount -= 1;
    } else {
        index = tree->nodes.count;
        // places are node * 8 + lane in an int
        if (index >= INT_MAX / SD_LANES ||
            !sdTreeNodeArray_Resize(&tree->nodes, allocator, (int64_t)index + 1)) {
            return SD_NULL_INDEX;
        }
    }
    sdTreeNode* node = tree->nodes.data + index;
    *node = (sdTreeNode){.parent = SD_NULL_INDEX};
    for (int lane = 0; lane < SD_LANES; ++lane) {
        clearLane(node, lane);
    }
    return index;
}

static void freeNode(sdTree* tree, int index) {
    sdTreeNode* node = tree->nodes.data + index;
    node->count = 0;
    node->parent = SD_NULL_INDEX;
    node->lane = tree->firstFree;
    node->dirty = 0;
    tree->firstFree = index;
    tree->freeCount += 1;
}

/// Put a child into a lane; what points back at it follows.
static void placeChild(sdTree* tree, int nodeIndex, int lane, int32_t child, sdAABB box) {
    sdTreeNode* node = tree->nodes.data + nodeIndex;
    sdTree_SetLaneBox(node, lane, box);
    node->child[lane] = child;
    if (child >= 0) {
        tree->nodes.data[child].parent = nodeIndex;
        tree->nodes.data[child].lane = lane;
    } else {
        tree->places.data[~child] = nodeIndex * SD_LANES + lane;
    }
}

void sdTree_SetLane(sdTree* tree, int node, int lane, int32_t child, sdAABB box) {
    placeChild(tree, node, lane, child, box);
    tree->nodes.data[node].count = sdMaxI(tree->nodes.data[node].count, lane + 1);
    tree->area += child >= 0 ? (double)sdTree_HalfArea(box) : 0.0;
}

static void fitUpwards(sdTree* tree, int index) {
    SD_DISPATCH(sdTree_FitUpwards)(tree, index);
}

// ---- insertion -----------------------------------------------------------------------------

enum { SPLIT_COUNT = SD_LANES + 1 };

typedef struct Child {
    sdAABB box;
    int32_t child;
} Child;

static float centerOf(const Child* child, int axis) {
    const sdAABB* box = &child->box;
    switch (axis) {
        case 0:
            return box->lower.x + box->upper.x;
        case 1:
            return box->lower.y + box->upper.y;
        default:
            return box->lower.z + box->upper.z;
    }
}

static int widestAxis(const Child* children) {
    int best = 0;
    float widest = -1.0f;
    for (int axis = 0; axis < 3; ++axis) {
        float lower = INFINITY, upper = -INFINITY;
        for (int i = 0; i < SPLIT_COUNT; ++i) {
            lower = sdMinF(lower, centerOf(children + i, axis));
            upper = sdMaxF(upper, centerOf(children + i, axis));
        }
        if (upper - lower > widest) {
            widest = upper - lower;
            best = axis;
        }
    }
    return best;
}

/// Sort along the axis on which they lie furthest apart, and find where to cut.
static int findCut(Child* children) {
    int axis = widestAxis(children);
    for (int i = 1; i < SPLIT_COUNT; ++i) {
        Child child = children[i];
        int j = i;
        for (; j > 0 && centerOf(children + j - 1, axis) > centerOf(&child, axis); --j) {
            children[j] = children[j - 1];
        }
        children[j] = child;
    }
    float areas[SPLIT_COUNT];
    sdAABB box = sdAABB_Empty();
    for (int i = SPLIT_COUNT - 1; i > 0; --i) {
        box = sdAABB_Union(box, children[i].box);
        areas[i] = sdTree_HalfArea(box) * (float)(SPLIT_COUNT - i);
    }
    int best = SPLIT_LEAST;
    float least = INFINITY;
    box = sdAABB_Empty();
    for (int i = 0; i < SPLIT_COUNT - SPLIT_LEAST; ++i) {
        box = sdAABB_Union(box, children[i].box);
        float cost = sdTree_HalfArea(box) * (float)(i + 1) + areas[i + 1];
        if (i + 1 >= SPLIT_LEAST && cost < least) {
            least = cost;
            best = i + 1;
        }
    }
    return best;
}

/// Share a full node's children and one more between it and an empty one.
static void splitNode(sdTree* tree, int nodeIndex, int sibling, Child added) {
    sdTreeNode* node = tree->nodes.data + nodeIndex;
    Child children[SPLIT_COUNT];
    for (int lane = 0; lane < SD_LANES; ++lane) {
        children[lane] = (Child){sdTree_GetLaneBox(node, lane), node->child[lane]};
        clearLane(node, lane);
    }
    children[SD_LANES] = added;
    tree->area += added.child >= 0 ? (double)sdTree_HalfArea(added.box) : 0.0;
    int cut = findCut(children);
    for (int i = 0; i < SPLIT_COUNT; ++i) {
        placeChild(tree, i < cut ? nodeIndex : sibling, i < cut ? i : i - cut, children[i].child,
                   children[i].box);
    }
    node->count = cut;
    tree->nodes.data[sibling].count = SPLIT_COUNT - cut;
}

/// Add a child to a node, splitting full nodes on the way up.
static bool addChild(sdTree* tree, const sdAllocator* allocator, int index, Child added) {
    // ends at the root at the latest
    while (tree->nodes.data[index].count == SD_LANES) {
        int sibling = sdTree_AllocNode(tree, allocator);
        if (sibling == SD_NULL_INDEX) {
            return false;
        }
        splitNode(tree, index, sibling, added);
        int parent = tree->nodes.data[index].parent;
        if (parent == SD_NULL_INDEX) {
            parent = sdTree_AllocNode(tree, allocator);
            if (parent == SD_NULL_INDEX) {
                return false;
            }
            sdTree_SetLane(tree, parent, 0, index, boundsOf(tree, index));
            tree->root = parent;
            tree->height += 1;
        } else {
            fitUpwards(tree, index);
        }
        added = (Child){boundsOf(tree, sibling), sibling};
        index = parent;
    }
    sdTree_SetLane(tree, index, tree->nodes.data[index].count, added.child, added.box);
    fitUpwards(tree, index);
    return true;
}

bool sdTree_Insert(sdTree* tree, const sdAllocator* allocator, int slot, sdAABB box) {
    if (tree->root == SD_NULL_INDEX) {
        tree->root = sdTree_AllocNode(tree, allocator);
        tree->height = 1;
        if (tree->root == SD_NULL_INDEX) {
            return false;
        }
    }
    int index = tree->root;
    for (int level = 0; level < tree->height; ++level) {
        const sdTreeNode* node = tree->nodes.data + index;
        int32_t child =
            node->count > 0 ? node->child[SD_DISPATCH(sdTreeNode_Choose)(node, box)] : -1;
        if (child < 0) {
            break;
        }
        index = child;
    }
    tree->proxyCount += 1;
    return addChild(tree, allocator, index, (Child){box, ~slot});
}

// ---- removal -------------------------------------------------------------------------------

/// Take a lane out; the last one takes its place.
static void removeLane(sdTree* tree, int index, int lane) {
    sdTreeNode* node = tree->nodes.data + index;
    if (node->child[lane] >= 0) {
        tree->area -= (double)sdTree_HalfArea(sdTree_GetLaneBox(node, lane));
    }
    int last = --node->count;
    if (lane != last) {
        placeChild(tree, index, lane, node->child[last], sdTree_GetLaneBox(node, last));
    }
    clearLane(node, last);
}

static void removeSlot(sdTree* tree, int slot) {
    int index = tree->places.data[slot] / SD_LANES;
    removeLane(tree, index, tree->places.data[slot] % SD_LANES);
    tree->places.data[slot] = SD_NULL_INDEX;
    tree->proxyCount -= 1;
    // nodes without children go as well
    while (tree->nodes.data[index].count == 0) {
        int parent = tree->nodes.data[index].parent;
        int lane = tree->nodes.data[index].lane;
        freeNode(tree, index);
        if (parent == SD_NULL_INDEX) {
            tree->root = SD_NULL_INDEX;
            tree->height = 0;
            return;
        }
        removeLane(tree, parent, lane);
        index = parent;
    }
    fitUpwards(tree, index);
    // a root with nothing but one node below it is not needed
    while (tree->nodes.data[tree->root].count == 1 && tree->nodes.data[tree->root].child[0] >= 0) {
        int old = tree->root;
        tree->root = tree->nodes.data[old].child[0];
        removeLane(tree, old, 0);
        freeNode(tree, old);
        tree->nodes.data[tree->root].parent = SD_NULL_INDEX;
        tree->height -= 1;
    }
}

// ---- updates -------------------------------------------------------------------------------

/// Whether a box is still near the others of the node that it is in.
static bool staysInNode(const sdTree* tree, int place, sdAABB box) {
    const sdTreeNode* node = tree->nodes.data + place / SD_LANES;
    return node->parent == SD_NULL_INDEX ||
           sdAABB_Overlaps(sdTree_GetLaneBox(tree->nodes.data + node->parent, node->lane), box);
}

/// List the slots that have to be inserted, anew or again.
static bool listMoving(sdBroadphase* bp, sdTree* tree, const int* changed, int count) {
    const sdAllocator* allocator = &bp->context.allocator;
    int known = tree->places.count;
    if (!sdIntArray_Resize(&tree->places, allocator, sdMaxI(bp->ids.slotCount, known)) ||
        !sdIntArray_Reserve(&tree->moving, allocator, count)) {
        return false;
    }
    for (int slot = known; slot < tree->places.count; ++slot) {
        tree->places.data[slot] = SD_NULL_INDEX;
    }
    tree->moving.count = 0;
    for (int i = 0; i < count; ++i) {
        int slot = changed[i];
        int place = tree->places.data[slot];
        if (sdBroadphase_IsPresent(bp, slot) &&
            (place == SD_NULL_INDEX || !staysInNode(tree, place, bp->boxes[slot]))) {
            tree->moving.data[tree->moving.count++] = slot;
        }
    }
    return true;
}

/// Write the boxes that stay in their nodes; fit each node once.
static bool moveInPlace(sdBroadphase* bp, sdTree* tree, const int* changed, int count) {
    if (!sdIntArray_Reserve(&tree->groups, &bp->context.allocator, count)) {
        return false;
    }
    tree->groups.count = 0;
    for (int i = 0; i < count; ++i) {
        int place = tree->places.data[changed[i]];
        if (place == SD_NULL_INDEX) {
            continue;
        }
        sdTreeNode* node = tree->nodes.data + place / SD_LANES;
        sdTree_SetLaneBox(node, place % SD_LANES, bp->boxes[changed[i]]);
        if (node->dirty == 0) {
            tree->groups.data[tree->groups.count++] = place / SD_LANES;
        }
        node->dirty = 1;
    }
    for (int i = 0; i < tree->groups.count; ++i) {
        tree->nodes.data[tree->groups.data[i]].dirty = 0;
        fitUpwards(tree, tree->groups.data[i]);
    }
    return true;
}

static bool applyChanges(sdBroadphase* bp, sdTree* tree, const int* changed, int count) {
    for (int i = 0; i < count; ++i) {
        if (tree->places.data[changed[i]] != SD_NULL_INDEX &&
            !sdBroadphase_IsPresent(bp, changed[i])) {
            removeSlot(tree, changed[i]);
        }
    }
    for (int i = 0; i < tree->moving.count; ++i) {
        if (tree->places.data[tree->moving.data[i]] != SD_NULL_INDEX) {
            removeSlot(tree, tree->moving.data[i]);
        }
    }
    if (!moveInPlace(bp, tree, changed, count)) {
        return false;
    }
    for (int i = 0; i < tree->moving.count; ++i) {
        int slot = tree->moving.data[i];
        if (!sdTree_Insert(tree, &bp->context.allocator, slot, bp->boxes[slot])) {
            return false;
        }
    }
    return true;
}

static sdResult update(sdBroadphase* broadphase, const int* changed, int count) {
    sdBroadphase* bp = broadphase;
    sdTree* tree = sdTree_Of(bp);
    if (!tree->isReady) {
        sdTree_Reset(tree);
    }
    if (!listMoving(bp, tree, changed, count)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    if (tree->moving.count > SD_LANES &&
        tree->moving.count > sdBroadphase_GetProxyCount(bp) / BUILD_FRACTION) {
        return sdTree_Build(bp, tree, bp->def.treeBuilder);
    }
    if (!applyChanges(bp, tree, changed, count)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    bool isWorn = tree->height > 1 && (tree->area > WORN_FACTOR * tree->areaWhenBuilt ||
                                       tree->area < SHRUNK_SHARE * tree->areaWhenBuilt);
    // without inner nodes there is nothing to add up but what was rounded off
    tree->area = tree->height > 1 ? tree->area : 0.0;
    return isWorn || tree->height > SD_TREE_MAX_HEIGHT ? sdTree_Build(bp, tree, bp->def.treeBuilder)
                                                       : SD_OK;
}

static void clear(sdBroadphase* broadphase) {
    sdTree* tree = sdTree_Of(broadphase);
    const sdAllocator* allocator = &broadphase->context.allocator;
    sdTreeNodeArray_Free(&tree->nodes, allocator);
    sdIntArray_Free(&tree->places, allocator);
    sdIntArray_Free(&tree->moving, allocator);
    sdIntArray_Free(&tree->groups, allocator);
    sdByteArray_Free(&tree->whole, allocator);
    sdKeyArray_Free(&tree->keys, allocator);
    sdKeyArray_Free(&tree->scratch, allocator);
    *tree = (sdTree){0};
}

// ---- pairs and queries ---------------------------------------------------------------------

static bool isWhole(const sdTreeNode* node) {
    bool areProxies = true;
    for (int lane = 0; lane < node->count; ++lane) {
        areProxies = areProxies && node->child[lane] < 0;
    }
    return areProxies && node->dirty == (1u << node->count) - 1;
}

/// Mark the lanes of touched slots and list their nodes, near ones after each other.
static void listGroups(sdTree* tree, const int* touched, int count) {
    memset(tree->whole.data, 0, (size_t)tree->nodes.count);
    for (int i = 0; i < count; ++i) {
        int place = tree->places.data[touched[i]];
        sdTreeNode* node = tree->nodes.data + place / SD_LANES;
        if (node->dirty == 0) {
            tree->groups.data[tree->groups.count++] = place / SD_LANES;
        }
        node->dirty |= 1u << place % SD_LANES;
    }
    // when they are many, the order in which nodes lie is the better one
    if (tree->groups.count > tree->nodes.count / 16) {
        tree->groups.count = 0;
        for (int i = 0; i < tree->nodes.count; ++i) {
            if (tree->nodes.data[i].dirty != 0) {
                tree->groups.data[tree->groups.count++] = i;
            }
        }
    }
    for (int i = 0; i < tree->groups.count; ++i) {
        int index = tree->groups.data[i];
        tree->whole.data[index] = isWhole(tree->nodes.data + index) ? 1 : 0;
    }
}

static void findTask(void* arg, int begin, int end, int worker) {
    sdBroadphase* bp = arg;
    SD_DISPATCH(sdTree_FindPairs)(bp, bp->sinks + worker, begin, end);
}

static void findPairs(sdBroadphase* broadphase, const int* touched, int count) {
    sdTree* tree = sdTree_Of(broadphase);
    const sdTaskSystem* tasks = &broadphase->context.tasks;
    const sdAllocator* allocator = &broadphase->context.allocator;
    tree->groups.count = 0;
    if (count == 0) {
        return;
    }
    if (!sdIntArray_Reserve(&tree->groups, allocator, count) ||
        !sdByteArray_Reserve(&tree->whole, allocator, tree->nodes.count)) {
        broadphase->sinks[0].result = SD_ERROR_OUT_OF_MEMORY;
        return;
    }
    listGroups(tree, touched, count);
    tasks->parallelFor(tasks->user, findTask, broadphase, tree->groups.count, GROUP_GRAIN);
    for (int i = 0; i < tree->groups.count; ++i) {
        tree->nodes.data[tree->groups.data[i]].dirty = 0;
    }
}

static bool isEmpty(const sdTree* tree) {
    return !tree->isReady || tree->root == SD_NULL_INDEX;
}

static void queryBox(const sdBroadphase* broadphase, const sdBoxQuery* query) {
    const sdTree* tree = sdTree_Of(broadphase);
    if (!isEmpty(tree)) {
        SD_DISPATCH(sdTree_QueryBox)(tree, query);
    }
}

static void cast(const sdBroadphase* broadphase, sdCastQuery* query) {
    const sdTree* tree = sdTree_Of(broadphase);
    if (!isEmpty(tree)) {
        SD_DISPATCH(sdTree_Cast)(tree, query);
    }
}

// ---- looking at it -------------------------------------------------------------------------

static void getStats(const sdBroadphase* broadphase, sdBroadphaseStats* stats) {
    const sdTree* tree = sdTree_Of(broadphase);
    stats->cellCount = tree->nodes.count - tree->freeCount;
    stats->depth = tree->height;
    stats->byteCount += (size_t)tree->nodes.capacity * sizeof(sdTreeNode) +
                        (size_t)tree->places.capacity * sizeof(int);
    if (!isEmpty(tree)) {
        double root = (double)sdTree_HalfArea(boundsOf(tree, tree->root));
        stats->sahCost = (float)(root > 0.0 ? 1.0 + tree->area / root : 1.0);
    }
}

static int depthOf(const sdTree* tree, int node) {
    int depth = 0;
    while (tree->nodes.data[node].parent != SD_NULL_INDEX && depth <= SD_TREE_MAX_HEIGHT) {
        node = tree->nodes.data[node].parent;
        ++depth;
    }
    return depth;
}

static void visitCells(const sdBroadphase* broadphase, sdCellFcn* visit, void* arg) {
    const sdTree* tree = sdTree_Of(broadphase);
    for (int i = 0; i < tree->nodes.count; ++i) {
        const sdTreeNode* node = tree->nodes.data + i;
        int proxyCount = 0;
        for (int lane = 0; lane < node->count; ++lane) {
            proxyCount += node->child[lane] < 0 ? 1 : 0;
        }
        if (node->count > 0 && !visit(arg, boundsOf(tree, i), depthOf(tree, i), proxyCount)) {
            return;
        }
    }
}

/// One lane of a node.
static const char* checkLane(const sdBroadphase* bp, const sdTree* tree, int index, int lane) {
    const sdTreeNode* node = tree->nodes.data + index;
    int32_t child = node->child[lane];
    sdAABB box = sdTree_GetLaneBox(node, lane);
    if (lane >= node->count) {
        return child == SD_TREE_NO_CHILD && box.lower.x > box.upper.x ? NULL
                                                                      : "a lane without child";
    }
    if (child >= 0) {
        if (child >= tree->nodes.count || tree->nodes.data[child].parent != index ||
            tree->nodes.data[child].lane != lane || tree->nodes.data[child].count == 0) {
            return "a node and its parent disagree";
        }
        sdAABB bounds = boundsOf(tree, child);
        return memcmp(&bounds, &box, sizeof box) == 0 ? NULL : "a box does not fit its children";
    }
    int slot = ~child;
    if (slot >= tree->places.count || tree->places.data[slot] != index * SD_LANES + lane) {
        return "a slot is not where it should be";
    }
    bool isDue = sdBitSet_Test(&bp->changed, slot);
    return isDue || memcmp(&box, bp->boxes + slot, sizeof box) == 0 ? NULL : "an old box";
}

static const char* validate(const sdBroadphase* broadphase) {
    const sdTree* tree = sdTree_Of(broadphase);
    int proxyCount = 0, nodeCount = 0;
    double area = 0.0;
    for (int i = 0; i < tree->nodes.count; ++i) {
        const sdTreeNode* node = tree->nodes.data + i;
        nodeCount += node->count > 0 ? 1 : 0;
        if (node->count > 0 && (node->parent == SD_NULL_INDEX) != (i == tree->root)) {
            return "a node hangs in the air";
        }
        if (depthOf(tree, i) >= sdMaxI(tree->height, 1)) {
            return "a path is longer than the height";
        }
        for (int lane = 0; node->count > 0 && lane < SD_LANES; ++lane) {
            const char* fault = checkLane(broadphase, tree, i, lane);
            if (fault != NULL) {
                return fault;
            }
            bool isNode = lane < node->count && node->child[lane] >= 0;
            proxyCount += lane < node->count && !isNode ? 1 : 0;
            area += isNode ? (double)sdTree_HalfArea(sdTree_GetLaneBox(node, lane)) : 0.0;
        }
    }
    if (proxyCount != tree->proxyCount || nodeCount != tree->nodes.count - tree->freeCount) {
        return "the number of proxies or nodes is wrong";
    }
    for (int slot = 0; slot < broadphase->ids.slotCount; ++slot) {
        bool isIn = slot < tree->places.count && tree->places.data[slot] != SD_NULL_INDEX;
        if (tree->isReady && isIn != sdBroadphase_IsPresent(broadphase, slot) &&
            !sdBitSet_Test(&broadphase->changed, slot)) {
            return "a slot is missing, or there when it should not";
        }
    }
    return fabs(area - tree->area) <= 1e-6 * area + 1e-6 ? NULL : "the sum of surfaces is wrong";
}

const sdBroadphaseOps sdTree_Ops = {.name = "tree",
                                    .stateSize = sizeof(sdTree),
                                    .update = update,
                                    .findPairs = findPairs,
                                    .queryBox = queryBox,
                                    .cast = cast,
                                    .getStats = getStats,
                                    .visitCells = visitCells,
                                    .validate = validate,
                                    .clear = clear};
