// SPDX-License-Identifier: MIT
// joint_distance.c - a rod, a rope or a spring between two anchors.
//
// With d from A's anchor to B's and u = d / |d|:
//
//     C  = |d| - length (rod),  |d| - lower and upper - |d| (limits)
//     C' = u · (vB + wB × rB - vA - wA × rA)
//     J  = [ -u  -(rA × u)   u   rB × u ]
//     effective mass: (mA⁻¹ + mB⁻¹ + a · IA⁻¹ a + b · IB⁻¹ b)⁻¹ with a = rA × u, b = rB × u
//
// A spring draws |d| to its target. A rod has lower = upper, a rope lower = 0.

#include "dynamics/joint_rows.h"

void sdJointRows_Distance(sdJointRows* rows, const sdJointDef* def) {
    sdJointRows_AddDistance(rows, &def->axes[SD_AXIS_MOVE_X]);
}
