// SPDX-License-Identifier: MIT
// mesh_bvh.c - builds the tree over a mesh's triangles.
//
// In:   vertices and triangles that have been checked.
// Out:  nodes of up to eight children, leaves of up to eight triangles, in one block.
// Ref:  Wald, "On fast construction of SAH-based bounding volume hierarchies", 2007 (bins);
//       Wald, Benthin, Boulos, "Getting rid of packets", 2008 (wide nodes).
// Note: O(n log n), no recursion. The upper levels are built by the caller's thread, the parts
//       below them by tasks; what is a task depends on the mesh alone, never on the workers.

#include "geometry/mesh_bvh.h"

#include "base/array.h"

/// Candidate planes an axis are one less. More bins make the tree hardly better.
#define BIN_COUNT 16

/// Parts of at most this many triangles are built as one task.
#define TASK_SIZE 4096

/// Boxes count as thicker by this fraction of the longest side of the part being cut, so that
/// triangles along a line, whose boxes have no area, are cut by length.
#define PAD_FRACTION 1e-4f

/// A box as four lanes of its lower corner and four of its negated upper one (the fourth is not
/// used), so that the union of two boxes is one minimum. A triangle keeps its index in lane 3.
typedef sdF8 Box;

typedef struct Ref {
    float lower[3];
    int32_t triangle;
    float negUpper[3];
    float unused;
} Ref;

/// Triangles begin .. end - 1 of the builder's order.
typedef struct Part {
    int begin, end;
    Box box;
    Box centroids; ///< box of the triangles' box centres, doubled
} Part;

typedef struct LeafRange {
    int begin, end;
} LeafRange;

/// A part that is built by a task, and the place in the upper levels where it hangs.
typedef struct Subtree {
    Part part;
    int depth;
    int parentNode;
    int parentLane;
} Subtree;

SD_DEFINE_ARRAY(NodeArray, sdMeshBvhNode)
SD_DEFINE_ARRAY(LeafArray, LeafRange)
SD_DEFINE_ARRAY(SubtreeArray, Subtree)

/// What one task, or the caller for the upper levels, produces. Indices count from 0.
typedef struct Piece {
    NodeArray nodes;
    LeafArray leaves;
    bool isOutOfMemory;
    int nodeOffset; ///< where its nodes and leaves start in the finished tree
    int leafOffset;
} Piece;

typedef struct Builder {
    const sdContext* context;
    const sdMeshData* data;
    Ref* refs;
    SubtreeArray subtrees;
    Piece* pieces; ///< the upper levels, then one a subtree
    int pieceCount;
    sdMeshBvh bvh;
} Builder;

// ---- boxes ---------------------------------------------------------------------------------

static Box emptyBox(void) {
    return sdF8_Splat(INFINITY);
}

/// Half of the surface of a box that is thickened by `pad`; not a number for an empty one.
static float halfArea(Box box, float pad) {
    float x = -box[4] - box[0] + pad;
    float y = -box[5] - box[1] + pad;
    float z = -box[6] - box[2] + pad;
    return x * y + y * z + z * x;
}

static float longestSide(Box box) {
    return sdMaxF(sdMaxF(-box[4] - box[0], -box[5] - box[1]), -box[6] - box[2]);
}

static float doubledCentroid(const Ref* ref, int axis) {
    return ref->lower[axis] - ref->negUpper[axis];
}

static Box loadBox(const Ref* ref) {
    return sdF8_Load(ref->lower);
}

/// The box of a box's doubled centre.
static Box centroidBox(Box box) {
    // the index of the triangle is not a number to reckon with
    const sdI4 mask = {-1, -1, -1, 0};
    sdF4 lower = (sdF4)((sdI4)sdF8_Low(box) & mask);
    sdF4 center = lower - sdF8_High(box);
    return sdF8_Join(center, -center);
}

static Part measurePart(const Ref* refs, int begin, int end) {
    Part part = {begin, end, emptyBox(), emptyBox()};
    for (int i = begin; i < end; ++i) {
        Box box = loadBox(refs + i);
        part.box = sdF8_Min(part.box, box);
        part.centroids = sdF8_Min(part.centroids, centroidBox(box));
    }
    return part;
}

// ---- splitting -----------------------------------------------------------------------------

/// Bins of equal width between the smallest and the largest centroid.
typedef struct Binning {
    float origin;
    float scale; ///< bins a metre; 0 when all centroids are in one place
} Binning;

typedef struct Split {
    float cost;
    int axis; ///< SD_NULL_INDEX: no plane separates the centroids
    int bin;  ///< bins below this one go to the left
} Split;

static Binning makeBinning(const Part* part, int axis) {
    float lower = part->centroids[axis];
    float upper = -part->centroids[4 + axis];
    float scale = (float)BIN_COUNT / (upper - lower);
    bool isUsable = upper > lower && sdIsFinite(scale);
    return (Binning){lower, isUsable ? scale : 0.0f};
}

static int findBin(Binning binning, float centroid) {
    // written so that a product that is not a number, after an overflow, is a bin as well
    float bin = (centroid - binning.origin) * binning.scale;
    return bin < (float)(BIN_COUNT - 1) ? (int)bin : BIN_COUNT - 1;
}

/// Rows of eight triangles: what a leaf costs to visit.
static float countRows(int count) {
    return (float)((count + SD_LANES - 1) / SD_LANES);
}

/// The cheapest of the planes between bins of one axis.
static void sweepBins(const Box* boxes, const int* counts, int axis, float pad, Split* best) {
    // cost of everything to the right of each plane
    float rightCosts[BIN_COUNT];
    Box box = emptyBox();
    int count = 0;
    for (int i = BIN_COUNT - 1; i > 0; --i) {
        box = sdF8_Min(box, boxes[i]);
        count += counts[i];
        rightCosts[i] = count > 0 ? halfArea(box, pad) * countRows(count) : -1.0f;
    }
    box = emptyBox();
    count = 0;
    for (int i = 1; i < BIN_COUNT; ++i) {
        box = sdF8_Min(box, boxes[i - 1]);
        count += counts[i - 1];
        if (count == 0 || rightCosts[i] < 0.0f) {
            continue;
        }
        float cost = halfArea(box, pad) * countRows(count) + rightCosts[i];
        if (cost < best->cost) {
            *best = (Split){cost, axis, i};
        }
    }
}

static Split findSplit(const Ref* refs, const Part* part) {
    Box boxes[3][BIN_COUNT];
    int counts[3][BIN_COUNT] = {{0}};
    Binning binnings[3];
    for (int axis = 0; axis < 3; ++axis) {
        binnings[axis] = makeBinning(part, axis);
        for (int i = 0; i < BIN_COUNT; ++i) {
            boxes[axis][i] = emptyBox();
        }
    }
    for (int i = part->begin; i < part->end; ++i) {
        Box box = loadBox(refs + i);
        for (int axis = 0; axis < 3; ++axis) {
            int bin = findBin(binnings[axis], doubledCentroid(refs + i, axis));
            boxes[axis][bin] = sdF8_Min(boxes[axis][bin], box);
            counts[axis][bin] += 1;
        }
    }
    float pad = PAD_FRACTION * longestSide(part->box);
    Split best = {INFINITY, SD_NULL_INDEX, 0};
    for (int axis = 0; axis < 3; ++axis) {
        sweepBins(boxes[axis], counts[axis], axis, pad, &best);
    }
    return best;
}

static int partition(Ref* refs, const Part* part, Split split) {
    Binning binning = makeBinning(part, split.axis);
    int i = part->begin;
    int j = part->end;
    while (i < j) {
        if (findBin(binning, doubledCentroid(refs + i, split.axis)) < split.bin) {
            ++i;
        } else {
            Ref swap = refs[--j];
            refs[j] = refs[i];
            refs[i] = swap;
        }
    }
    return i;
}

/// Cut a part of two or more triangles in two that are not empty.
static void splitPart(Ref* refs, bool byHalves, Part* part, Part* right) {
    int middle = part->begin + (part->end - part->begin) / 2;
    if (!byHalves) {
        Split split = findSplit(refs, part);
        if (split.axis != SD_NULL_INDEX) {
            middle = partition(refs, part, split);
        }
    }
    *right = measurePart(refs, middle, part->end);
    *part = measurePart(refs, part->begin, middle);
}

/// Which part to cut next, the costliest; SD_NULL_INDEX when all of them fit into leaves.
static int choosePart(const Part* parts, int count, bool byHalves, float pad) {
    int best = SD_NULL_INDEX;
    float bestValue = -INFINITY;
    for (int i = 0; i < count; ++i) {
        int size = parts[i].end - parts[i].begin;
        float value = (float)size * (byHalves ? 1.0f : halfArea(parts[i].box, pad));
        if (size > SD_LANES && (best == SD_NULL_INDEX || value > bestValue)) {
            best = i;
            bestValue = value;
        }
    }
    return best;
}

/// Cut parts[0] in up to eight.
static int splitWide(Ref* refs, bool byHalves, Part parts[SD_LANES]) {
    float pad = PAD_FRACTION * longestSide(parts[0].box);
    int count = 1;
    while (count < SD_LANES) {
        int chosen = choosePart(parts, count, byHalves, pad);
        if (chosen == SD_NULL_INDEX) {
            break;
        }
        splitPart(refs, byHalves, parts + chosen, parts + count);
        ++count;
    }
    return count;
}

// ---- nodes ---------------------------------------------------------------------------------

typedef struct WorkItem {
    Part part;
    int node;
    int depth;
} WorkItem;

static sdMeshBvhNode makeNode(const Part* parts, int count) {
    sdMeshBvhNode node;
    for (int lane = 0; lane < SD_LANES; ++lane) {
        Box box = lane < count ? parts[lane].box : emptyBox();
        for (int axis = 0; axis < 3; ++axis) {
            node.lower[axis][lane] = box[axis];
            node.upper[axis][lane] = -box[4 + axis];
        }
        node.child[lane] = SD_BVH_NO_CHILD;
    }
    return node;
}

/// Make the node of one work item. Children that need nodes of their own become work items, or
/// subtrees for tasks when `subtrees` is given and they are small enough.
static bool buildNode(Builder* builder, Piece* piece, SubtreeArray* subtrees, WorkItem* work,
                      int* workCount) {
    const sdAllocator* allocator = &builder->context->allocator;
    WorkItem item = work[--*workCount];
    Part parts[SD_LANES];
    parts[0] = item.part;
    int count = item.part.end > item.part.begin
                    ? splitWide(builder->refs, item.depth >= SD_BVH_AREA_DEPTH, parts)
                    : 0;

    sdMeshBvhNode node = makeNode(parts, count);
    for (int lane = 0; lane < count; ++lane) {
        int size = parts[lane].end - parts[lane].begin;
        if (size <= SD_LANES) {
            node.child[lane] = ~piece->leaves.count;
            LeafRange range = {parts[lane].begin, parts[lane].end};
            if (!LeafArray_Push(&piece->leaves, allocator, range)) {
                return false;
            }
        } else if (subtrees != NULL && size <= TASK_SIZE) {
            Subtree subtree = {parts[lane], item.depth + 1, item.node, lane};
            if (!SubtreeArray_Push(subtrees, allocator, subtree)) {
                return false;
            }
        } else {
            node.child[lane] = piece->nodes.count;
            work[(*workCount)++] = (WorkItem){parts[lane], piece->nodes.count, item.depth + 1};
            if (!NodeArray_Push(&piece->nodes, allocator, node)) {
                return false;
            }
        }
    }
    piece->nodes.data[item.node] = node;
    return true;
}

static void buildPiece(Builder* builder, Piece* piece, SubtreeArray* subtrees, const Part* part,
                       int depth) {
    WorkItem work[SD_BVH_STACK_SIZE];
    int workCount = 1;
    work[0] = (WorkItem){*part, 0, depth};
    bool isOk = NodeArray_Resize(&piece->nodes, &builder->context->allocator, 1);
    while (isOk && workCount > 0) {
        isOk = buildNode(builder, piece, subtrees, work, &workCount);
    }
    piece->isOutOfMemory = !isOk;
}

static void buildSubtrees(void* arg, int begin, int end, int worker) {
    (void)worker;
    Builder* builder = arg;
    for (int i = begin; i < end; ++i) {
        const Subtree* subtree = builder->subtrees.data + i;
        buildPiece(builder, builder->pieces + 1 + i, NULL, &subtree->part, subtree->depth);
    }
}

// ---- the finished block --------------------------------------------------------------------

static void fillLeaf(const Builder* builder, LeafRange range, sdMeshBvhLeaf* leaf) {
    int count = range.end - range.begin;
    for (int i = 0; i < count; ++i) {
        // insertion keeps the indices ascending
        int32_t triangle = builder->refs[range.begin + i].triangle;
        int place = i;
        for (; place > 0 && leaf->triangle[place - 1] > triangle; --place) {
            leaf->triangle[place] = leaf->triangle[place - 1];
        }
        leaf->triangle[place] = triangle;
    }
    for (int lane = 0; lane < SD_LANES; ++lane) {
        int32_t triangle = leaf->triangle[sdMinI(lane, count - 1)];
        leaf->triangle[lane] = triangle;
        for (int corner = 0; corner < 3; ++corner) {
            sdVec3 v = builder->data->vertices[builder->data->triangles[3 * triangle + corner]];
            leaf->corner[corner][0][lane] = v.x;
            leaf->corner[corner][1][lane] = v.y;
            leaf->corner[corner][2][lane] = v.z;
        }
    }
}

/// Nodes come before those below them, so backwards is from the bottom up.
static void computeDipoles(const sdMeshBvh* bvh, const Piece* piece) {
    for (int k = piece->nodes.count - 1; k >= 0; --k) {
        sdMeshBvh_ComputeDipoles(bvh, piece->nodeOffset + k);
    }
}

/// Copy pieces into the block, turning their indices into the tree's.
static void finishPieces(void* arg, int begin, int end, int worker) {
    (void)worker;
    Builder* builder = arg;
    for (int i = begin; i < end; ++i) {
        const Piece* piece = builder->pieces + i;
        for (int k = 0; k < piece->nodes.count; ++k) {
            sdMeshBvhNode* node = builder->bvh.nodes + piece->nodeOffset + k;
            *node = piece->nodes.data[k];
            for (int lane = 0; lane < SD_LANES; ++lane) {
                int32_t child = node->child[lane];
                if (child >= 0) {
                    node->child[lane] = child + piece->nodeOffset;
                } else if (child != SD_BVH_NO_CHILD) {
                    node->child[lane] = ~(~child + piece->leafOffset);
                }
            }
        }
        for (int k = 0; k < piece->leaves.count; ++k) {
            fillLeaf(builder, piece->leaves.data[k], builder->bvh.leaves + piece->leafOffset + k);
        }
        // below the upper levels, whose subtrees may not be ready
        if (i > 0) {
            computeDipoles(&builder->bvh, piece);
        }
    }
}

static sdResult finish(Builder* builder) {
    const sdContext* context = builder->context;
    sdMeshBvh* bvh = &builder->bvh;
    for (int i = 0; i < builder->pieceCount; ++i) {
        Piece* piece = builder->pieces + i;
        if (piece->isOutOfMemory) {
            return sdFail(context, SD_ERROR_OUT_OF_MEMORY,
                          "sdMeshBvh_Build: no memory for the nodes of %d triangles",
                          builder->data->triangleCount);
        }
        piece->nodeOffset = bvh->nodeCount;
        piece->leafOffset = bvh->leafCount;
        bvh->nodeCount += piece->nodes.count;
        bvh->leafCount += piece->leaves.count;
    }

    sdBlockLayout layout = {0};
    sdBlockLayout_Add(&layout, (size_t)bvh->nodeCount, sizeof(sdMeshBvhNode));
    size_t dipoles = sdBlockLayout_Add(&layout, (size_t)bvh->nodeCount, sizeof(sdMeshBvhDipoles));
    size_t leaves = sdBlockLayout_Add(&layout, (size_t)bvh->leafCount, sizeof(sdMeshBvhLeaf));
    char* block = layout.overflow ? NULL : sdAlloc(&context->allocator, layout.size);
    if (block == NULL) {
        return sdFailMemory(context, "sdMeshBvh_Build", layout.size);
    }
    bvh->nodes = (sdMeshBvhNode*)block;
    bvh->dipoles = (sdMeshBvhDipoles*)(block + dipoles);
    bvh->leaves = (sdMeshBvhLeaf*)(block + leaves);
    bvh->byteCount = layout.size;
    context->tasks.parallelFor(context->tasks.user, finishPieces, builder, builder->pieceCount, 1);

    // hang the subtrees where they belong
    for (int i = 0; i < builder->subtrees.count; ++i) {
        const Subtree* subtree = builder->subtrees.data + i;
        bvh->nodes[subtree->parentNode].child[subtree->parentLane] =
            builder->pieces[1 + i].nodeOffset;
    }
    computeDipoles(bvh, builder->pieces);
    return SD_OK;
}

// ---- the whole -----------------------------------------------------------------------------

static void makeRefs(void* arg, int begin, int end, int worker) {
    (void)worker;
    Builder* builder = arg;
    for (int i = begin; i < end; ++i) {
        const int32_t* t = builder->data->triangles + 3 * (size_t)i;
        const sdVec3* v = builder->data->vertices;
        sdVec3 lower = sdMin(sdMin(v[t[0]], v[t[1]]), v[t[2]]);
        sdVec3 upper = sdMax(sdMax(v[t[0]], v[t[1]]), v[t[2]]);
        builder->refs[i] =
            (Ref){{lower.x, lower.y, lower.z}, i, {-upper.x, -upper.y, -upper.z}, 0.0f};
    }
}

static sdResult buildPieces(Builder* builder) {
    const sdContext* context = builder->context;
    Piece top = {0};
    Part all = measurePart(builder->refs, 0, builder->data->triangleCount);
    buildPiece(builder, &top, &builder->subtrees, &all, 0);

    int pieceCount = 1 + builder->subtrees.count;
    size_t size = (size_t)pieceCount * sizeof(Piece);
    builder->pieces = sdAllocZero(&context->allocator, size);
    if (builder->pieces == NULL) {
        NodeArray_Free(&top.nodes, &context->allocator);
        LeafArray_Free(&top.leaves, &context->allocator);
        return sdFailMemory(context, "sdMeshBvh_Build", size);
    }
    builder->pieces[0] = top;
    builder->pieceCount = pieceCount;
    context->tasks.parallelFor(context->tasks.user, buildSubtrees, builder, builder->subtrees.count,
                               1);
    return SD_OK;
}

static void freeScratch(Builder* builder) {
    const sdAllocator* allocator = &builder->context->allocator;
    for (int i = 0; i < builder->pieceCount; ++i) {
        NodeArray_Free(&builder->pieces[i].nodes, allocator);
        LeafArray_Free(&builder->pieces[i].leaves, allocator);
    }
    sdFree(allocator, builder->pieces, (size_t)builder->pieceCount * sizeof(Piece));
    SubtreeArray_Free(&builder->subtrees, allocator);
    sdFree(allocator, builder->refs, (size_t)builder->data->triangleCount * sizeof(Ref));
}

sdResult sdMeshBvh_Build(const sdContext* context, const sdMeshData* data, sdMeshBvh* out) {
    *out = (sdMeshBvh){0};
    Builder builder = {.context = context, .data = data};
    size_t count = (size_t)data->triangleCount;
    builder.refs = sdAllocArray(&context->allocator, count, sizeof(Ref));
    if (builder.refs == NULL && count > 0) {
        return sdFailMemory(context, "sdMeshBvh_Build", count * sizeof(Ref));
    }
    context->tasks.parallelFor(context->tasks.user, makeRefs, &builder, data->triangleCount, 4096);

    sdResult result = buildPieces(&builder);
    if (result == SD_OK) {
        result = finish(&builder);
    }
    freeScratch(&builder);
    if (result == SD_OK) {
        *out = builder.bvh;
    }
    return result;
}

void sdMeshBvh_Free(const sdAllocator* allocator, sdMeshBvh* bvh) {
    sdFree(allocator, bvh->nodes, bvh->byteCount);
    *bvh = (sdMeshBvh){0};
}
