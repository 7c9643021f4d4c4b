// SPDX-License-Identifier: MIT
// joint_support.h - a body on a joint, for tests.

#ifndef SD_TEST_JOINT_SUPPORT_H
#define SD_TEST_JOINT_SUPPORT_H

#include "world_support.h"

/// A joint between A, which is static unless it says otherwise, and B with its centre at the
/// anchor.
typedef struct JointRig {
    sdWorld* world;
    sdBodyId a, b;
    sdJointId joint;
} JointRig;

/// Mass of B and its moment about any axis.
#define RIG_MASS 2.0f
#define RIG_INERTIA 0.5f

/// A body without shapes whose moments are all the same.
sdBodyId TestJoint_AddMass(sdWorld* world, sdBodyType type, sdPos position, float mass,
                           float inertia);
/// Joined at a point; the id is SD_NULL_JOINT on failure.
sdJointId TestJoint_Join(sdWorld* world, sdJointDef def, sdPos anchor, sdVec3 axis);

/// Both frames stand as the world's axes do.
JointRig JointRig_Make(sdWorldDef def, sdJointType type);
/// The same from a definition whose bodies and frames are still to be set.
JointRig JointRig_MakeFrom(sdWorldDef def, sdJointDef jointDef, sdPos anchor);
void JointRig_SetAxis(JointRig* rig, sdAxis axis, sdJointAxis settings);
/// Push B with the same force and torque in every step.
void JointRig_Push(JointRig* rig, sdVec3 force, sdVec3 torque, int steps);
void JointRig_Free(JointRig* rig);

/// Links of spheres with their bodies' centres half-way between joints; the first hangs on a static
/// body at `start`, each further joint is `way` from the one before.
/// @return the last link
sdBodyId TestJoint_AddChain(sdWorld* world, int count, sdPos start, sdVec3 way, float mass);
/// Largest sdJoint_GetError of all joints.
float TestJoint_WorstError(const sdWorld* world, float* angle);
/// Kinetic, and potential above y = 0, J.
double TestJoint_Energy(const sdWorld* world);

#endif
