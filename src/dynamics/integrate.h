// SPDX-License-Identifier: MIT
// integrate.h - eight bodies in lanes, between integrate.c and its kernel.

#ifndef SD_DYNAMICS_INTEGRATE_H
#define SD_DYNAMICS_INTEGRATE_H

#include "dynamics/body_lanes.h"

/// Eight bodies of the step, in the order of its states.
struct sdMotionBlock {
    sdVec3x8 gain; ///< of velocity by forces in a sub-step
    sdF8 damping, angularDamping;
    sdVec3x8 freeVelocity, freeAngularVelocity; ///< as in sdBodyMotion
    sdSym3x8 inertia, inverseInertia;           ///< in the world, at the start of the step
    sdF8 isEven;              ///< mask: turning does not change its angular velocity
    uint32_t locks[SD_LANES]; ///< of each body
    bool hasUneven;           ///< turning changes some
    bool hasLocks;            ///< some have locks
    uint8_t special;          ///< lanes that are not for kernels
    uint8_t absent;           ///< of these, lanes without a body, or with one that others move
};

/// Tensors of eight bodies in the world, with the bits of sdRotateInertia; motions and rows of
/// lanes without a body may be the same ones.
SD_DECLARE_KERNEL(void, sdTensors_Turn,
                  (const sdBody* const* bodies, sdBodyMotion* const* motions,
                   sdTensorRows* const* tensors));

/// Velocities of a sub-step, as if contacts gave what they gave in the one before.
/// @return lanes that were left out because they are too fast
SD_DECLARE_KERNEL(uint8_t, sdMotionBlock_Accelerate,
                  (sdMotionBlock * block, sdBodyState* states, bool isFirst, float maxSpeed));

/// Poses of a sub-step.
/// @return lanes that were left out because they turn by more than maxAngle
SD_DECLARE_KERNEL(uint8_t, sdMotionBlock_Move,
                  (sdMotionBlock * block, sdBodyState* states, float h, float maxAngle));

#endif
