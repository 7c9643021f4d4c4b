// SPDX-License-Identifier: MIT
// sample_tree.c - a tree of spheres over points and edges.
//
// In:   samples in any order.
// Out:  groups of eight, and spheres around them.
// Note: halves are split across the longest side of their box, at multiples of the largest power of
//       eight that fits, so that every group but the last of its level is full. Equal samples keep
//       the order of their ids: the same tree on every target.

#include "geometry/sample_tree.h"

#include "base/sort.h"
#include "sudar/bounds.h"

#include <float.h>

/// By how much radii are larger than computed: rounding.
#define RADIUS_GUARD 1.00001f

void sdSampleTree_Plan(sdSampleTree* tree, int count, bool hasEdges) {
    *tree = (sdSampleTree){.count = count, .hasEdges = hasEdges};
    tree->groupCount = (count + SD_LANES - 1) / SD_LANES;
    for (int below = tree->groupCount; below > 1; below = (below + SD_LANES - 1) / SD_LANES) {
        tree->levelStarts[tree->levelCount++] = tree->sphereCount;
        tree->sphereCount += (below + SD_LANES - 1) / SD_LANES;
    }
}

// ---- order ---------------------------------------------------------------------------------

static sdAABB boxOf(const sdSample* samples, int count) {
    sdAABB box = sdAABB_Empty();
    for (int i = 0; i < count; ++i) {
        box = sdAABB_AddPoint(box, samples[i].middle);
    }
    return box;
}

static float along(sdVec3 v, int axis) {
    return axis == 0 ? v.x : (axis == 1 ? v.y : v.z);
}

/// Floats as integers of the same order.
static uint32_t orderedBits(float a) {
    uint32_t bits;
    a += 0.0f; // no negative zero
    memcpy(&bits, &a, sizeof bits);
    return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}

/// Put the samples in order along an axis, in place, by cycles.
static void sortAlong(sdSample* samples, uint64_t* keys, int count, int axis) {
    for (int i = 0; i < count; ++i) {
        keys[i] = (uint64_t)orderedBits(along(samples[i].middle, axis)) << 32 | (uint32_t)i;
    }
    sdSortKeys(keys, count);
    for (int i = 0; i < count; ++i) {
        keys[i] &= 0xFFFFFFFFu;
    }
    for (int start = 0; start < count; ++start) {
        sdSample first = samples[start];
        int at = start;
        while (keys[at] != (uint64_t)at) {
            int from = (int)keys[at];
            keys[at] = (uint64_t)at;
            samples[at] = from == start ? first : samples[from];
            at = from;
        }
    }
}

/// Depth of recursion: three times the levels and a little.
static void order(sdSample* samples, uint64_t* keys, int count) {
    while (count > SD_LANES) {
        sdAABB box = boxOf(samples, count);
        sdVec3 size = sdSub(box.upper, box.lower);
        int axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
        sortAlong(samples, keys, count, axis);
        int block = SD_LANES;
        while (block <= (count - 1) / SD_LANES) {
            block *= SD_LANES;
        }
        int blocks = (count + block - 1) / block;
        int left = (blocks + 1) / 2 * block;
        order(samples, keys, left);
        samples += left;
        count -= left;
    }
}

// ---- fill ----------------------------------------------------------------------------------

static void fillGroups(sdSampleTree* tree, const sdSample* samples) {
    for (int i = 0; i < tree->groupCount * SD_LANES; ++i) {
        // what is missing repeats the last one, under no name
        const sdSample* sample = &samples[i < tree->count ? i : tree->count - 1];
        sdSampleGroup* group = &tree->groups[i / SD_LANES];
        int lane = i % SD_LANES;
        group->x[lane] = sample->middle.x;
        group->y[lane] = sample->middle.y;
        group->z[lane] = sample->middle.z;
        group->hx[lane] = sample->half.x;
        group->hy[lane] = sample->half.y;
        group->hz[lane] = sample->half.z;
        group->id[lane] = i < tree->count ? sample->id : SD_NULL_INDEX;
    }
}

static void setSphere(sdSphereGroup* group, int lane, const sdSample* samples, int count) {
    if (count <= 0) {
        group->x[lane] = group->y[lane] = group->z[lane] = 0.0f;
        group->radius[lane] = -FLT_MAX;
        return;
    }
    sdAABB box = sdAABB_Empty();
    for (int i = 0; i < count; ++i) {
        box = sdAABB_AddPoint(box, sdAdd(samples[i].middle, samples[i].half));
        box = sdAABB_AddPoint(box, sdSub(samples[i].middle, samples[i].half));
    }
    sdVec3 center = sdScale(0.5f, sdAdd(box.lower, box.upper));
    float most = 0.0f;
    for (int i = 0; i < count; ++i) {
        sdVec3 from = sdSub(samples[i].middle, center);
        most = sdMaxF(most, sdLengthSquared(sdAdd(from, samples[i].half)));
        most = sdMaxF(most, sdLengthSquared(sdSub(from, samples[i].half)));
    }
    group->x[lane] = center.x;
    group->y[lane] = center.y;
    group->z[lane] = center.z;
    group->radius[lane] = RADIUS_GUARD * sqrtf(most);
}

void sdSampleTree_Build(sdSampleTree* tree, sdSample* samples, uint64_t* scratch) {
    order(samples, scratch, tree->count);
    fillGroups(tree, samples);
    int64_t span = SD_LANES; // samples under a sphere
    int below = tree->groupCount;
    for (int level = 0; level < tree->levelCount; ++level) {
        int groups = (below + SD_LANES - 1) / SD_LANES;
        for (int i = 0; i < groups * SD_LANES; ++i) {
            int64_t first = (int64_t)i * span, rest = tree->count - first;
            setSphere(&tree->spheres[tree->levelStarts[level] + i / SD_LANES], i % SD_LANES,
                      samples + (rest > 0 ? first : 0), (int)(rest < span ? rest : span));
        }
        below = groups;
        span *= SD_LANES;
    }
}
