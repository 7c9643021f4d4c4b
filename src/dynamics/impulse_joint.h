// SPDX-License-Identifier: MIT
// impulse_joint.h - joints by impulses, for the impulse solver (D12; S2 §9).

#ifndef SD_DYNAMICS_IMPULSE_JOINT_H
#define SD_DYNAMICS_IMPULSE_JOINT_H

#include "dynamics/impulse_body.h"

typedef struct sdImpulseJoints sdImpulseJoints;

/// List the active joints.
/// @param bodies by state; what does not move is at step->bodyCount
/// @return NULL when memory is short
sdImpulseJoints* sdImpulseJoints_Prepare(sdStep* step, sdImpulseBody* bodies);

/// Take away what velocities would part joints by, where the bodies are now.
void sdImpulseJoints_StabilizeVelocities(sdImpulseJoints* joints);

/// One sweep: change velocities so that joints will not have parted at the end of the step.
/// @param level SD_NULL_INDEX: all joints; else those between a body of that level and one of the
///              same or a lower one
void sdImpulseJoints_StabilizePositions(sdImpulseJoints* joints, int level);

/// Give impulses and forces to the world's joints.
void sdImpulseJoints_Store(sdImpulseJoints* joints);

#endif
