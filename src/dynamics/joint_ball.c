// SPDX-License-Identifier: MIT
// joint_ball.c - two anchors are one point.
//
//     C  = (xB + rB) - (xA + rA)                      three rows, one block
//     C' = vB + wB × rB - vA - wA × rA
//     J  = [ -1   [rA]×   1   -[rB]× ]
//     effective mass: (mA⁻¹ + mB⁻¹ - [rA]× IA⁻¹ [rA]× - [rB]× IB⁻¹ [rB]×)⁻¹
//
// Cone, with a the angle between both x axes and n their common normal:
//
//     C = coneAngle - a,  C' = -n · (wB - wA),  J = [ 0  n  0  -n ],  (n · (IA⁻¹ + IB⁻¹) n)⁻¹
//
// Twist, limits and drives of turning: joint_six.c.

#include "dynamics/joint_rows.h"

bool sdJointDef_IsPlainBall(const sdJointDef* def) {
    bool isPlain = def->type == SD_JOINT_BALL && sdCone_IsOpen(def->coneAngle);
    for (int i = SD_AXIS_TURN_X; isPlain && i < SD_AXIS_COUNT; ++i) {
        isPlain = def->axes[i].mode == SD_AXIS_FREE && def->axes[i].drive == SD_DRIVE_NONE;
    }
    return isPlain;
}

void sdJointRows_Ball(sdJointRows* rows, const sdJointDef* def) {
    rows->hasBlock = true;
    for (int i = SD_AXIS_TURN_X; i < SD_AXIS_COUNT; ++i) {
        sdJointRows_AddAxis(rows, i, &def->axes[i]);
    }
    sdJointRows_AddCone(rows, def->coneAngle);
}
