// SPDX-License-Identifier: MIT
// free_motion.h - how one body moves in a sub-step: by any integrator, and however fast it turns
// (D1, D2).
//
// An integrator gives the velocities at the end of the sub-step and a *drift*: by how much the mean
// velocity over it differs from them. Contacts change velocities; the drift stays. So every
// integrator works with every solver, and free bodies move by it exactly.

#ifndef SD_DYNAMICS_FREE_MOTION_H
#define SD_DYNAMICS_FREE_MOTION_H

#include "dynamics/step.h"

/// Angle, rad, below which a series of few terms is as good as sine and cosine.
#define SD_EASY_TURN 0.2f

/// A vector that is longer than a limit, cut to it; numbers that are not finite count as nothing.
sdVec3 sdCutLength(sdVec3 v, float limit);

/// @param isClamped set, never cleared
static inline sdVec3 sdClampLength(sdVec3 v, float limit, bool* isClamped) {
    if (sdLengthSquared(v) <= limit * limit) {
        return v;
    }
    *isClamped = true;
    return sdCutLength(v, limit);
}

static inline sdVec3 sdApplyLocks(sdVec3 v, uint32_t locks) {
    return sdV3((locks & 1u) != 0 ? 0.0f : v.x, (locks & 2u) != 0 ? 0.0f : v.y,
                (locks & 4u) != 0 ? 0.0f : v.z);
}

/// Velocities at the end of a sub-step of a body that nothing touches, and its drift.
void sdBodyState_Accelerate(const sdStep* step, sdBodyState* state, sdBodyMotion* motion,
                            int subStep);

/// Turn a body by its angular velocity for a sub-step, which may change that.
void sdBodyState_Turn(const sdStep* step, sdBodyState* state, const sdBodyMotion* motion,
                      int subStep);

/// Sub-steps that a free body may turn at a time.
int sdStrideOf(sdVec3 w, float h);

#endif
