// SPDX-License-Identifier: MIT
// bvh_bottom_up.c - builds a tree by joining boxes that are near each other.
//
// In:   the boxes of the slots in tree->keys.
// Out:  a tree of little surface.
// Ref:  Meister and Bittner, "Parallel locally-ordered clustering for bounding volume hierarchy
//       construction", 2018; S3 §5.3.3.
// Note: boxes stand in the order of a curve, so the nearest one is looked for among a few
//       neighbours in that order. The binary tree that comes of joining is folded into nodes of
//       eight. After a number of rounds whatever is left is joined by pairs, so that the tree
//       cannot become very deep.

#include "broadphase/tree.h"

/// Neighbours on each side among which the nearest is looked for.
#define REACH 12

/// Rounds after which neighbours are joined without asking: by then few clusters are left, and each
/// further round halves them.
#define MOST_ROUNDS 64

/// A box of the binary tree: those of proxies first, then joined ones.
typedef struct Cluster {
    sdAABB box;
    int32_t left, right; ///< SD_NULL_INDEX: a proxy
    int32_t slot;
    int32_t size; ///< proxies in it
} Cluster;

typedef struct Builder {
    sdTree* tree;
    const sdAllocator* allocator;
    Cluster* clusters;
    int clusterCount;
    int32_t* row;     ///< clusters that are still apart, in the order of the curve
    int32_t* nearest; ///< for each place in the row, a place in the row
    int rowCount;
} Builder;

// ---- joining -------------------------------------------------------------------------------

static float joinedArea(const Builder* builder, int i, int j) {
    return sdTree_HalfArea(sdAABB_Union(builder->clusters[builder->row[i]].box,
                                        builder->clusters[builder->row[j]].box));
}

static void findNearest(Builder* builder) {
    for (int i = 0; i < builder->rowCount; ++i) {
        int best = SD_NULL_INDEX;
        float least = INFINITY;
        int end = sdMinI(i + REACH, builder->rowCount - 1);
        for (int j = sdMaxI(i - REACH, 0); j <= end; ++j) {
            float area = j != i ? joinedArea(builder, i, j) : INFINITY;
            if (area < least) {
                least = area;
                best = j;
            }
        }
        // where all surfaces overflow any neighbour will do
        builder->nearest[i] = best != SD_NULL_INDEX ? best : (i > 0 ? i - 1 : 1);
    }
}

/// Pair off neighbours.
static void pairOff(Builder* builder) {
    for (int i = 0; i < builder->rowCount; ++i) {
        builder->nearest[i] = (i ^ 1) < builder->rowCount ? i ^ 1 : i - 1;
    }
}

static int join(Builder* builder, int a, int b) {
    const Cluster* left = builder->clusters + a;
    const Cluster* right = builder->clusters + b;
    int index = builder->clusterCount++;
    builder->clusters[index] = (Cluster){sdAABB_Union(left->box, right->box), a, b, SD_NULL_INDEX,
                                         left->size + right->size};
    return index;
}

/// Join those that are each other's nearest; the rest goes on.
/// @return false when no two were
static bool joinRow(Builder* builder) {
    int kept = 0;
    for (int i = 0; i < builder->rowCount; ++i) {
        int other = builder->nearest[i];
        bool isMutual = builder->nearest[other] == i;
        if (!isMutual) {
            builder->row[kept++] = builder->row[i];
        } else if (i < other) {
            // the later one is left out when its turn comes
            builder->row[kept++] = join(builder, builder->row[i], builder->row[other]);
        }
    }
    bool hasJoined = kept < builder->rowCount;
    builder->rowCount = kept;
    return hasJoined;
}

static void joinAll(Builder* builder) {
    // halving alone ends after 24 rounds, so this ends
    for (int round = 0; builder->rowCount > 1; ++round) {
        if (round < MOST_ROUNDS) {
            findNearest(builder);
        } else {
            pairOff(builder);
        }
        if (!joinRow(builder)) {
            pairOff(builder);
            joinRow(builder);
        }
    }
}

// ---- folding -------------------------------------------------------------------------------

/// The cluster to be opened next, the largest; SD_NULL_INDEX when all of them fit into nodes.
static int chooseCluster(const Builder* builder, const int32_t* children, int count) {
    int best = SD_NULL_INDEX;
    float most = -1.0f;
    for (int i = 0; i < count; ++i) {
        const Cluster* cluster = builder->clusters + children[i];
        float area = sdTree_HalfArea(cluster->box);
        if (cluster->size > SD_LANES && area > most) {
            best = i;
            most = area;
        }
    }
    return best;
}

/// Open clusters until there are eight children, or all proxies of a small one.
static int openCluster(const Builder* builder, int index, int32_t children[SD_LANES]) {
    children[0] = index;
    int count = 1;
    bool isSmall = builder->clusters[index].size <= SD_LANES;
    while (count < SD_LANES) {
        int chosen = chooseCluster(builder, children, count);
        for (int i = 0; isSmall && chosen == SD_NULL_INDEX && i < count; ++i) {
            chosen = builder->clusters[children[i]].size > 1 ? i : SD_NULL_INDEX;
        }
        if (chosen == SD_NULL_INDEX) {
            break;
        }
        const Cluster* cluster = builder->clusters + children[chosen];
        children[chosen] = cluster->left;
        children[count++] = cluster->right;
    }
    return count;
}

/// Make nodes from the root down. The row, which is not needed any more, is the list of clusters
/// that become nodes; nearest says where each hangs.
static bool fold(Builder* builder) {
    sdTree* tree = builder->tree;
    builder->row[0] = builder->clusterCount - 1;
    builder->nearest[0] = SD_NULL_INDEX;
    int count = 1;
    for (int next = 0; next < count; ++next) {
        int node = sdTree_AllocNode(tree, builder->allocator);
        if (node == SD_NULL_INDEX) {
            return false;
        }
        int place = builder->nearest[next];
        if (place == SD_NULL_INDEX) {
            tree->root = node;
        } else {
            sdTree_SetLane(tree, place / SD_LANES, place % SD_LANES, node,
                           builder->clusters[builder->row[next]].box);
        }
        int32_t children[SD_LANES];
        int childCount = openCluster(builder, builder->row[next], children);
        for (int lane = 0; lane < childCount; ++lane) {
            const Cluster* child = builder->clusters + children[lane];
            // any slot of it holds the lane until its node is there
            const Cluster* first = child;
            while (first->size > 1) {
                first = builder->clusters + first->left;
            }
            sdTree_SetLane(tree, node, lane, ~first->slot, first->box);
            if (child->size > 1) {
                builder->row[count] = children[lane];
                builder->nearest[count++] = node * SD_LANES + lane;
            }
        }
    }
    return true;
}

static void measureHeight(sdTree* tree) {
    for (int i = 0; i < tree->nodes.count; ++i) {
        int depth = 1;
        for (int node = i; tree->nodes.data[node].parent != SD_NULL_INDEX; ++depth) {
            node = tree->nodes.data[node].parent;
        }
        tree->height = sdMaxI(tree->height, depth);
    }
}

sdResult sdTree_BuildBottomUp(sdBroadphase* broadphase, sdTree* tree) {
    const sdAllocator* allocator = &broadphase->context.allocator;
    int count = tree->keys.count;
    size_t most = 2 * (size_t)count;
    Builder builder = {.tree = tree,
                       .allocator = allocator,
                       .clusters = sdAllocArray(allocator, most, sizeof(Cluster)),
                       .row = sdAllocArray(allocator, (size_t)count, sizeof(int32_t)),
                       .nearest = sdAllocArray(allocator, (size_t)count, sizeof(int32_t)),
                       .clusterCount = count,
                       .rowCount = count};
    bool isOk = builder.clusters != NULL && builder.row != NULL && builder.nearest != NULL;
    if (isOk) {
        sdTree_SortKeys(broadphase->boxes, tree->keys.data, tree->scratch.data, count, true);
        for (int i = 0; i < count; ++i) {
            int slot = (int)(tree->keys.data[i] & SD_TREE_SLOT_MASK);
            builder.clusters[i] =
                (Cluster){broadphase->boxes[slot], SD_NULL_INDEX, SD_NULL_INDEX, slot, 1};
            builder.row[i] = i;
        }
        joinAll(&builder);
        isOk = fold(&builder);
        measureHeight(tree);
    }
    sdFree(allocator, builder.clusters, most * sizeof(Cluster));
    sdFree(allocator, builder.row, (size_t)count * sizeof(int32_t));
    sdFree(allocator, builder.nearest, (size_t)count * sizeof(int32_t));
    return isOk ? SD_OK : SD_ERROR_OUT_OF_MEMORY;
}
