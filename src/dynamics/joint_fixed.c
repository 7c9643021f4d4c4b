// SPDX-License-Identifier: MIT
// joint_fixed.c - two frames are one.
//
// The block of joint_ball.c, and the three rows of turning as in joint_hinge.c, for i = x, y, z.

#include "dynamics/joint_rows.h"

void sdJointRows_Fixed(sdJointRows* rows, const sdJointDef* def) {
    (void)def;
    rows->hasBlock = true;
    for (int i = SD_AXIS_TURN_X; i < SD_AXIS_COUNT; ++i) {
        sdJointRows_AddLock(rows, i);
    }
}
