// SPDX-License-Identifier: MIT
// rivals_broadphase.h - broad phases, ours and Bullet's, behind one description for
// bench_broadphase.

#ifndef SD_BENCH_RIVALS_BROADPHASE_H
#define SD_BENCH_RIVALS_BROADPHASE_H

#ifdef __cplusplus
extern "C" {
#endif

/// Boxes of all bodies at one time, as each side wants them.
typedef struct rivalBoxes {
    int count;
    const void* own;       ///< sdWorldBox
    const float* floats;   ///< lower x, y, z, 0, upper x, y, z, 0
    float worldHalfExtent; ///< all boxes are inside, m
    float margin;          ///< m, that fat boxes have on each side
} rivalBoxes;

typedef struct rivalCounts {
    long long pairs; ///< there are
    long long added, lost;
} rivalCounts;

typedef struct rivalPhase {
    const char* name;
    void* (*create)(const rivalBoxes* boxes); ///< and find the first pairs
    /// Tell it all boxes, let it find pairs, take what is new and lost. Counts may be NULL.
    void (*step)(void* self, const rivalBoxes* boxes, rivalCounts* counts);
    void (*destroy)(void* self);
} rivalPhase;

extern const rivalPhase rivalBulletDbvt;
/// With 16-bit handles up to 16 384 bodies, then with 32-bit ones.
extern const rivalPhase rivalBulletSweep;

#ifdef __cplusplus
}
#endif

#endif
