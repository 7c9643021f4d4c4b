// SPDX-License-Identifier: MIT
// sample_tree.h - points and edges with which a body touches others, in a tree of spheres.
//
// Samples lie in groups of eight, sorted so that groups are near together; eight groups have a
// sphere each in a group of spheres, eight of those again, up to one group. Whoever looks for the
// samples that are near another body takes a group of spheres at a time and goes down where the
// distance of the centre is no more than the radius.

#ifndef SD_GEOMETRY_SAMPLE_TREE_H
#define SD_GEOMETRY_SAMPLE_TREE_H

#include "base/simd.h"

/// Levels of spheres: enough for 8^9 samples.
#define SD_SAMPLE_MAX_LEVELS 8

/// Eight samples. An edge is middle +- half; a point has half 0.
typedef struct sdSampleGroup {
    float x[SD_LANES], y[SD_LANES], z[SD_LANES];
    float hx[SD_LANES], hy[SD_LANES], hz[SD_LANES];
    int32_t id[SD_LANES]; ///< SD_NULL_INDEX: there are no more
} sdSampleGroup;

/// Spheres around eight groups of the level below.
typedef struct sdSphereGroup {
    float x[SD_LANES], y[SD_LANES], z[SD_LANES];
    float radius[SD_LANES]; ///< -FLT_MAX: there are no more
} sdSphereGroup;

typedef struct sdSampleTree {
    int count; ///< of samples
    bool hasEdges;
    int groupCount;
    sdSampleGroup* groups;
    int levelCount; ///< 0 when there is at most one group
    int levelStarts[SD_SAMPLE_MAX_LEVELS];
    int sphereCount;
    sdSphereGroup* spheres; ///< those around the groups of samples first
} sdSampleTree;

typedef struct sdSample {
    sdVec3 middle, half;
    int32_t id;
} sdSample;

/// Sizes of the arrays for `count` samples.
void sdSampleTree_Plan(sdSampleTree* tree, int count, bool hasEdges);

/// Fill the arrays of a tree that was planned. Changes the order of the samples.
/// @param scratch room for `count` keys
void sdSampleTree_Build(sdSampleTree* tree, sdSample* samples, uint64_t* scratch);

#endif
