// SPDX-License-Identifier: MIT
// joint_grip.h - contacts that hold bodies of slender sets while joints pull at them.
//
// A foot of half a kilogram under a doll of fifty: a contact that knows the foot only, and joints
// that know nothing of the ground, take turns for a hundred rounds until the leg has stopped. So
// joints are told of the contacts that push at their bodies: of M⁻¹ of a body is left
//
//     M⁻¹ - Σ u uᵀ,   u = M⁻¹ Jᵀ / √(J M⁻¹ Jᵀ)
//
// with J of each point's normal, one after the other. When joints have been solved with that, the
// contacts get what they took, as long as they push. Those with other bodies that move are left
// out.

#ifndef SD_DYNAMICS_JOINT_GRIP_H
#define SD_DYNAMICS_JOINT_GRIP_H

#include "dynamics/solver_joint.h"
#include "dynamics/solver_soft.h"

/// Points of a body that count: enough for a box to stand.
#define SD_MAX_GRIPS 3

/// A point of contact of each lane.
typedef struct sdTreeGrip {
    float* impulses[SD_LANES];      ///< the contact's; NULL: none
    sdSoftBatch* batches[SD_LANES]; ///< where it is, and in which lane
    int lanes[SD_LANES];
    sdVec3x8 normal, spin; ///< J: linear and angular part
    uint8_t held;          ///< lanes in which it pushes
    sdVec3x8 whirl;        ///< angular part of M⁻¹ Jᵀ
    sdF8 whole;            ///< J M⁻¹ Jᵀ
    sdF8 impulse;          ///< the contact's, where the solution under way began
    sdF8 change;           ///< of it, in that solution
    // u, 1 / √(J M⁻¹ Jᵀ), and u · J of those that come after; 0 where it does not push
    sdVec3x8 move, turn;
    sdF8 inverseRoot;
    sdF8 couplings[SD_MAX_GRIPS];
} sdTreeGrip;

/// Find the grips of all bodies of groups that are not alone.
/// @return false when memory is short
bool sdJointSolver_FindGrips(sdJointSolver* solver, const sdSoftSolver* contacts);

#endif
