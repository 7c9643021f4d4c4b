// SPDX-License-Identifier: MIT
// touch_patches.h - many touches of two bodies become a few manifolds.

#ifndef SD_NARROW_TOUCH_PATCHES_H
#define SD_NARROW_TOUCH_PATCHES_H

#include "narrow/touch.h"
#include "sudar/collide.h"

/// Manifolds of a pair at most.
#define SD_TOUCH_MAX_PATCHES 6
/// Points of the step before that are remembered.
#define SD_TOUCH_MAX_KEPT (SD_TOUCH_MAX_PATCHES * SD_MANIFOLD_MAX_POINTS)

/// A touch as a contact point of both bodies, in A's frame.
typedef struct sdMeeting {
    sdVec3 pointA, pointB;
    sdVec3 normal; ///< unit, A to B
    float separation;
    uint32_t id;
} sdMeeting;

/// What a pair had in the step before: what it has now is like it, if it can be.
typedef struct sdMeetingMemory {
    int normalCount;
    sdVec3 normals[SD_TOUCH_MAX_PATCHES];
    int idCount;
    uint32_t ids[SD_TOUCH_MAX_KEPT];
} sdMeetingMemory;

/// @param margin up to which separations are wanted
/// @param memory may be NULL
/// @return the number of manifolds, deepest first
int sdMeetings_MakePatches(const sdMeeting* meetings, int count, float margin,
                           const sdMeetingMemory* memory, sdManifold* out, int capacity);

#endif
