// SPDX-License-Identifier: MIT
// broadphase.h - parts of bench_broadphase.

#ifndef SD_BENCH_BROADPHASE_H
#define SD_BENCH_BROADPHASE_H

#include "rivals_broadphase.h"
#include "sudar/sudar.h"

typedef enum benchLayout {
    LAYOUT_UNIFORM,   ///< boxes of side 0.5 to 1.5 m, one in 8 m^3
    LAYOUT_CLUSTERED, ///< the same in balls of about a hundred, denser
    LAYOUT_HUGE,      ///< of side 0.05 to 0.15 m, and one around all of them
    LAYOUT_S1_LARGE,  ///< S1 §5: side 1.0 in a cube of side 20
    LAYOUT_S1_SMALL,  ///< side 0.1
    LAYOUT_S1_RANDOM, ///< side 0.0 to 1.0
    LAYOUT_COUNT
} benchLayout;

typedef enum benchMotion {
    MOTION_REST,
    MOTION_SLOW, ///< straight on, a hundredth of its side a step at the most
    MOTION_TELEPORT,
    MOTION_COUNT
} benchMotion;

typedef struct benchBodies {
    benchLayout layout;
    benchMotion motion;
    int count;
    float halfSize; ///< of the cube that their centres are in, m
    sdVec3* positions;
    sdVec3* velocities; ///< m a step
    float* halfSides;
    sdVec3* centers; ///< of clusters
    int centerCount;
    uint64_t random;
    sdWorldBox* own;
    float* floats;
    rivalBoxes boxes; ///< as they are now
} benchBodies;

/// @return false when memory ran out
bool benchBodies_Create(benchLayout layout, benchMotion motion, int count, benchBodies* out);
void benchBodies_Destroy(benchBodies* bodies);
void benchBodies_Step(benchBodies* bodies);

extern const rivalPhase rivalTree, rivalOctree, rivalSap, rivalBrute;

/// A broad phase of ours with settings of one's own; step and destroy as any.
void* benchOwn_Create(const rivalBoxes* boxes, const sdBroadphaseDef* def);
sdBroadphaseStats benchOwn_GetStats(const void* self);

/// Depth and cell limits of the octree in S1's scenes, axes of sweep and prune.
void bench_BroadphaseSettings(bool isQuick);

#endif
