// SPDX-License-Identifier: MIT
// joint.h - joints inside the world.

#ifndef SD_DYNAMICS_JOINT_H
#define SD_DYNAMICS_JOINT_H

#include "dynamics/joint_rows.h"
#include "dynamics/step.h"

/// The rows of a joint as it is now.
/// @param centers poses of the bodies' centres of mass
void sdJoint_BuildRows(const sdWorld* world, const sdJoint* joint, float h, sdJointRows* rows);

/// Whether a joint keeps two bodies from colliding.
bool sdWorld_AreJoined(const sdWorld* world, int bodyA, int bodyB);

/// Without waking and without pairs: the body is about to go.
void sdWorld_DropJointsOf(sdWorld* world, int body);

/// Let go of joints that held more than they can, after a step.
void sdWorld_BreakJoints(sdWorld* world);

#endif
