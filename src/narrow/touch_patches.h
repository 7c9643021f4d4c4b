// SPDX-License-Identifier: MIT
// touch_patches.h - many touches of two bodies become a few manifolds.

#ifndef SD_NARROW_TOUCH_PATCHES_H
#define SD_NARROW_TOUCH_PATCHES_H

#include "narrow/touch.h"
#include "sudar/collide.h"

/// Manifolds of a pair at most.
#define SD_TOUCH_MAX_PATCHES 12
/// Points of the step before that are remembered.
#define SD_TOUCH_MAX_KEPT (SD_TOUCH_MAX_PATCHES * SD_MANIFOLD_MAX_POINTS)

/// A touch as a contact point of both bodies, in A's frame.
typedef struct sdMeeting {
    sdVec3 pointA, pointB;
    sdVec3 normal; ///< unit, A to B
    float separation;
    float ahead; ///< separation at the end of the step, if they went on as they do
    uint32_t id;
} sdMeeting;

/// What is known of a pair: how it moves, and what it had in the step before. What it has now is
/// like that, if it can be.
typedef struct sdMeetingMemory {
    sdVec3 motion;   ///< m, of B's origin against A within the step, in A's frame
    sdVec3 rotation; ///< rad, of B against A within the step, in A's frame
    float way;       ///< m by which points can come nearer within the step, a part of the margin
    int normalCount;
    sdVec3 normals[SD_TOUCH_MAX_PATCHES];
    int pointCount;
    uint32_t ids[SD_TOUCH_MAX_KEPT];
    sdVec3 points[SD_TOUCH_MAX_KEPT];     ///< on A
    float separations[SD_TOUCH_MAX_KEPT]; ///< of those on B, along the normal
    uint8_t normalOf[SD_TOUCH_MAX_KEPT];  ///< index in normals
    sdTransform change;                   ///< how B has moved since, in A's frame
} sdMeetingMemory;

/// @param margin up to which separations are wanted
/// @param memory may be NULL
/// @return the number of manifolds
int sdMeetings_MakePatches(const sdMeeting* meetings, int count, float margin,
                           const sdMeetingMemory* memory, sdManifold* out, int capacity);

#endif
