// SPDX-License-Identifier: MIT
// joint_hinge.c - two anchors are one point, and B turns about A's x axis only.
//
// The block of joint_ball.c, and with the rotation (v, s) of B's frame in A's, for i = y, z:
//
//     C  = 2 v_i
//     C' = (s e_i + v × e_i) · (wB - wA) = j · (wB - wA)
//     J  = [ 0  -j  0  j ]
//     effective mass: (j · (IA⁻¹ + IB⁻¹) j)⁻¹
//
// Limits and drives of the turn about x: joint_six.c, where j = x.

#include "dynamics/joint_rows.h"

void sdJointRows_Hinge(sdJointRows* rows, const sdJointDef* def) {
    rows->hasBlock = true;
    sdJointRows_AddAxis(rows, SD_AXIS_TURN_X, &def->axes[SD_AXIS_TURN_X]);
    sdJointRows_AddLock(rows, SD_AXIS_TURN_Y);
    sdJointRows_AddLock(rows, SD_AXIS_TURN_Z);
}
