// SPDX-License-Identifier: MIT
// impulse_joint.h - joints by impulses, for the impulse solver (D12, D13; S2 §9, §10).
//
// A joint of S2 takes away 3, 2 or 1 translations and 3, 2 or 1 rotations of a frame on body B
// against one on body A. Here each freedom that is gone is a row: a function C of both poses that
// should be 0, and how it changes with them,
//
//     dC = u · (dxB - dxA) + b · dφB - a · dφA
//
// with an axis u and arms a, b (zero u: a rotation). The rows of a joint together are the matrix P
// of S2: P K_T Pᵀ of (9.5) and P L_T Pᵀ of (9.14) are the blocks on the diagonal of what is solved.
//
// Positions are stabilised ahead: impulses at the start of the step such that C is 0 at its end,
// (9.1) to (9.16) by Newton's method; velocities after it: impulses at its end such that C' is 0.
// That is RATTLE: what joints do to the energy does not add up.
//
// Joints are solved one by one as in S2, or all together (sdImpulseDef.joints).

#ifndef SD_DYNAMICS_IMPULSE_JOINT_H
#define SD_DYNAMICS_IMPULSE_JOINT_H

#include "dynamics/impulse_body.h"

typedef struct sdImpulseJoints sdImpulseJoints;

/// List the active joints.
/// @param bodies by state; what does not move is at step->bodyCount
/// @return NULL when memory is short
sdImpulseJoints* sdImpulseJoints_Prepare(sdStep* step, sdImpulseBody* bodies);

/// Take away what velocities would part joints by, where the bodies are now: sweeps until they
/// would not part by more than the tolerance in a step, jointPassCount at most.
void sdImpulseJoints_StabilizeVelocities(sdImpulseJoints* joints);

/// One pass: change velocities so that joints will not have parted at the end of the step. Joints
/// that are solved together wait for the last level.
/// @param level joints between a body of that level and one of the same or a lower one
void sdImpulseJoints_StabilizePositions(sdImpulseJoints* joints, int level, int levelCount);
/// The same while bodies below that level are held (S2 §10): always one by one.
void sdImpulseJoints_PropagateShock(sdImpulseJoints* joints, int level);

/// The bodies are where they will be at the end of the step.
void sdImpulseJoints_Move(sdImpulseJoints* joints);

/// Give forces to the world's joints.
void sdImpulseJoints_Store(sdImpulseJoints* joints);

#endif
