// SPDX-License-Identifier: MIT
// joint.h - joints inside the world.

#ifndef SD_DYNAMICS_JOINT_H
#define SD_DYNAMICS_JOINT_H

#include "dynamics/joint_rows.h"
#include "dynamics/step.h"

/// Where the centres of mass of a joint's bodies are, and how they are turned.
typedef struct sdJointPoses {
    sdPos centerA, centerB;
    sdQuat rotationA, rotationB;
} sdJointPoses;

/// The rows of a joint with its bodies somewhere.
void sdJoint_BuildRowsAt(const sdWorld* world, const sdJoint* joint, const sdJointPoses* poses,
                         float h, sdJointRows* rows);
/// The rows of a joint as it is now.
void sdJoint_BuildRows(const sdWorld* world, const sdJoint* joint, float h, sdJointRows* rows);

/// From A's anchor to B's, as it is in the rows.
sdVec3 sdJoint_GetOffset(const sdWorld* world, const sdJoint* joint);

/// What is wrong with a definition, whatever its bodies are, or NULL.
const char* sdJointDef_FindFault(const sdJointDef* def);
/// Whether some force breaks it.
bool sdJointDef_IsBreakable(const sdJointDef* def);

/// Whether a joint keeps two bodies from colliding.
bool sdWorld_AreJoined(const sdWorld* world, int bodyA, int bodyB);

/// Without waking and without pairs: the body is about to go.
void sdWorld_DropJointsOf(sdWorld* world, int body);

/// Nothing hangs on a body that takes no part: its joints rest as well, and begin anew with it.
void sdWorld_EnableJointsOf(sdWorld* world, int body, bool isEnabled);

/// Impulses and forces of the last step are nobody's guess any more.
void sdJoint_Forget(sdJoint* joint);

/// Let go of joints that held more than they can, after a step.
void sdWorld_BreakJoints(sdWorld* world);

#endif
