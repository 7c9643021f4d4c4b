// SPDX-License-Identifier: MIT
// bvh_top_down.c - builds a tree by cutting sets of boxes in two.
//
// In:   the boxes of the slots in tree->keys.
// Out:  a tree of little surface.
// Ref:  Wald, "On fast construction of SAH-based bounding volume hierarchies", 2007; S3 §5.3.3.
// Note: O(n log n), no recursion. From a depth on sets are cut by halves, so that no arrangement of
//       boxes makes the tree deep.

#include "broadphase/tree.h"

/// Candidate planes an axis are one less.
#define BIN_COUNT 16

/// Levels that are cut by surface; below, by halves: eight ways a level, 8 levels for 2^24 proxies.
#define AREA_DEPTH 24

/// Boxes count as thicker by this fraction of the longest side of what is cut, so that boxes along
/// a line, which have no surface, are cut by length.
#define PAD_FRACTION 1e-4f

typedef struct Ref {
    sdAABB box;
    int32_t slot;
} Ref;

/// Refs begin .. end - 1.
typedef struct Part {
    int begin, end;
    sdAABB box;
    sdAABB centers; ///< around the doubled centres
} Part;

/// A part that becomes a node, and the place where it hangs.
typedef struct Task {
    Part part;
    int parent; ///< SD_NULL_INDEX: the root
    int lane;
    int depth;
} Task;

SD_DEFINE_ARRAY(TaskArray, Task)

typedef struct Builder {
    sdTree* tree;
    const sdAllocator* allocator;
    Ref* refs;
    TaskArray tasks;
} Builder;

static float axisOf(sdVec3 v, int axis) {
    return axis == 0 ? v.x : (axis == 1 ? v.y : v.z);
}

static sdVec3 centerOf(const Ref* ref) {
    return sdAdd(ref->box.lower, ref->box.upper);
}

static Part measure(const Ref* refs, int begin, int end) {
    Part part = {begin, end, sdAABB_Empty(), sdAABB_Empty()};
    for (int i = begin; i < end; ++i) {
        part.box = sdAABB_Union(part.box, refs[i].box);
        part.centers = sdAABB_AddPoint(part.centers, centerOf(refs + i));
    }
    return part;
}

static float paddedArea(sdAABB box, float pad) {
    return sdTree_HalfArea((sdAABB){box.lower, sdAdd(box.upper, sdV3(pad, pad, pad))});
}

static float padOf(sdAABB box) {
    sdVec3 d = sdSub(box.upper, box.lower);
    return PAD_FRACTION * sdMaxF(d.x, sdMaxF(d.y, d.z));
}

// ---- cutting -------------------------------------------------------------------------------

typedef struct Bins {
    sdAABB boxes[BIN_COUNT];
    int counts[BIN_COUNT];
} Bins;

typedef struct Cut {
    float cost;
    int axis; ///< SD_NULL_INDEX: no plane separates the centres
    int bin;  ///< bins below this one go to the left
} Cut;

static int binOf(const Part* part, int axis, const Ref* ref) {
    float lower = axisOf(part->centers.lower, axis);
    float length = axisOf(part->centers.upper, axis) - lower;
    float bin = (axisOf(centerOf(ref), axis) - lower) * ((float)BIN_COUNT / length);
    // written so that what is not a number is a bin as well
    return bin < (float)(BIN_COUNT - 1) ? (int)bin : BIN_COUNT - 1;
}

/// Rows of eight boxes: what a set costs to visit.
static float countRows(int count) {
    return (float)((count + SD_LANES - 1) / SD_LANES);
}

static void sweepBins(const Bins* bins, int axis, float pad, Cut* best) {
    float rights[BIN_COUNT];
    sdAABB box = sdAABB_Empty();
    int count = 0;
    for (int i = BIN_COUNT - 1; i > 0; --i) {
        box = sdAABB_Union(box, bins->boxes[i]);
        count += bins->counts[i];
        rights[i] = count > 0 ? paddedArea(box, pad) * countRows(count) : -1.0f;
    }
    box = sdAABB_Empty();
    count = 0;
    for (int i = 1; i < BIN_COUNT; ++i) {
        box = sdAABB_Union(box, bins->boxes[i - 1]);
        count += bins->counts[i - 1];
        if (count == 0 || rights[i] < 0.0f) {
            continue;
        }
        float cost = paddedArea(box, pad) * countRows(count) + rights[i];
        if (cost < best->cost) {
            *best = (Cut){cost, axis, i};
        }
    }
}

static Cut findCut(const Ref* refs, const Part* part) {
    Cut best = {INFINITY, SD_NULL_INDEX, 0};
    float pad = padOf(part->box);
    for (int axis = 0; axis < 3; ++axis) {
        if (!(axisOf(part->centers.upper, axis) > axisOf(part->centers.lower, axis))) {
            continue;
        }
        Bins bins;
        for (int i = 0; i < BIN_COUNT; ++i) {
            bins.boxes[i] = sdAABB_Empty();
            bins.counts[i] = 0;
        }
        for (int i = part->begin; i < part->end; ++i) {
            int bin = binOf(part, axis, refs + i);
            bins.boxes[bin] = sdAABB_Union(bins.boxes[bin], refs[i].box);
            bins.counts[bin] += 1;
        }
        sweepBins(&bins, axis, pad, &best);
    }
    return best;
}

/// Cut a part of two or more in two that are not empty.
static void cutPart(Ref* refs, bool byHalves, Part* part, Part* right) {
    int middle = part->begin + (part->end - part->begin) / 2;
    Cut cut = {0.0f, SD_NULL_INDEX, 0};
    if (!byHalves) {
        cut = findCut(refs, part);
    }
    if (cut.axis != SD_NULL_INDEX) {
        int end = part->end;
        middle = part->begin;
        while (middle < end) {
            if (binOf(part, cut.axis, refs + middle) < cut.bin) {
                ++middle;
            } else {
                Ref swap = refs[--end];
                refs[end] = refs[middle];
                refs[middle] = swap;
            }
        }
    }
    *right = measure(refs, middle, part->end);
    *part = measure(refs, part->begin, middle);
}

/// Which part to cut next, the costliest; SD_NULL_INDEX when all of them fit into nodes.
static int choosePart(const Part* parts, int count, bool byHalves) {
    int best = SD_NULL_INDEX;
    float most = -1.0f;
    for (int i = 0; i < count; ++i) {
        int size = parts[i].end - parts[i].begin;
        float value =
            (float)size * (byHalves ? 1.0f : paddedArea(parts[i].box, padOf(parts[i].box)));
        if (size > SD_LANES && value > most) {
            best = i;
            most = value;
        }
    }
    return best;
}

// ---- nodes ---------------------------------------------------------------------------------

/// Make the node of a task: lanes for single proxies, tasks for the others.
static bool makeNode(Builder* builder, const Task* task) {
    sdTree* tree = builder->tree;
    int node = sdTree_AllocNode(tree, builder->allocator);
    if (node == SD_NULL_INDEX) {
        return false;
    }
    if (task->parent == SD_NULL_INDEX) {
        tree->root = node;
    } else {
        sdTree_SetLane(tree, task->parent, task->lane, node, task->part.box);
    }
    tree->height = sdMaxI(tree->height, task->depth + 1);
    if (task->part.end - task->part.begin <= SD_LANES) {
        for (int i = task->part.begin; i < task->part.end; ++i) {
            const Ref* ref = builder->refs + i;
            sdTree_SetLane(tree, node, i - task->part.begin, ~ref->slot, ref->box);
        }
        return true;
    }
    Part parts[SD_LANES] = {task->part};
    bool byHalves = task->depth >= AREA_DEPTH;
    int count = 1;
    for (int chosen = 0; chosen != SD_NULL_INDEX && count < SD_LANES;) {
        chosen = choosePart(parts, count, byHalves);
        if (chosen != SD_NULL_INDEX) {
            cutPart(builder->refs, byHalves, parts + chosen, parts + count);
            ++count;
        }
    }
    for (int lane = 0; lane < count; ++lane) {
        const Ref* first = builder->refs + parts[lane].begin;
        // so that lanes that are filled later count as there
        sdTree_SetLane(tree, node, lane, ~first->slot, first->box);
        Task next = {parts[lane], node, lane, task->depth + 1};
        if (parts[lane].end - parts[lane].begin > 1 &&
            !TaskArray_Push(&builder->tasks, builder->allocator, next)) {
            return false;
        }
    }
    return true;
}

sdResult sdTree_BuildTopDown(sdBroadphase* broadphase, sdTree* tree) {
    const sdAllocator* allocator = &broadphase->context.allocator;
    int count = tree->keys.count;
    Builder builder = {tree, allocator, sdAllocArray(allocator, (size_t)count, sizeof(Ref)), {0}};
    bool isOk = builder.refs != NULL;
    for (int i = 0; isOk && i < count; ++i) {
        int slot = (int)tree->keys.data[i];
        builder.refs[i] = (Ref){broadphase->boxes[slot], slot};
    }
    if (isOk) {
        Task root = {measure(builder.refs, 0, count), SD_NULL_INDEX, 0, 0};
        isOk = TaskArray_Push(&builder.tasks, allocator, root);
    }
    while (isOk && builder.tasks.count > 0) {
        Task task = builder.tasks.data[--builder.tasks.count];
        isOk = makeNode(&builder, &task);
    }
    TaskArray_Free(&builder.tasks, allocator);
    sdFree(allocator, builder.refs, (size_t)count * sizeof(Ref));
    return isOk ? SD_OK : SD_ERROR_OUT_OF_MEMORY;
}
