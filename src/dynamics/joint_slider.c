// SPDX-License-Identifier: MIT
// joint_slider.c - B moves along A's x axis and does not turn.
//
// With d from A's anchor to B's and an axis u of A's frame that turns with A, for u = y, z:
//
//     C  = u · d
//     C' = u · (vB - vA) + (rB × u) · wB - ((rA + d) × u) · wA
//     J  = [ -u  -(rA + d) × u   u   rB × u ]
//     effective mass: (mA⁻¹ + mB⁻¹ + a · IA⁻¹ a + b · IB⁻¹ b)⁻¹ with the arms a, b of J
//
// Turning is locked as in joint_hinge.c, about all three axes. Limits and drives along x are rows
// of the same form with u = x.

#include "dynamics/joint_rows.h"

void sdJointRows_Slider(sdJointRows* rows, const sdJointDef* def) {
    sdJointRows_AddAxis(rows, SD_AXIS_MOVE_X, &def->axes[SD_AXIS_MOVE_X]);
    for (int i = SD_AXIS_MOVE_Y; i < SD_AXIS_COUNT; ++i) {
        sdJointRows_AddLock(rows, i);
    }
}
