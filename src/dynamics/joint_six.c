// SPDX-License-Identifier: MIT
// joint_six.c - six axes, each free, limited or locked, with or without a drive (D12).
//
// Moving: rows of joint_slider.c. Turning, locked: rows of joint_hinge.c. The angle about an axis e
// of A's frame, with the rotation (v, s) of B's frame in A's and c = v · e:
//
//     a  = 2 atan2(c, s)
//     a' = j · (wB - wA),  j = (s² e + s v × e + c v) / (s² + c²)
//     C  = a - lower or upper - a (limit), a - target (spring);  C' = a' - target (motor)
//     J  = [ 0  -j  0  j ],  effective mass (j · (IA⁻¹ + IB⁻¹) j)⁻¹
//
// Two or three limited turns are exact one by one and only nearly so together: use a cone for them.

#include "dynamics/joint_rows.h"

void sdJointRows_Six(sdJointRows* rows, const sdJointDef* def) {
    rows->hasBlock = def->axes[SD_AXIS_MOVE_X].mode == SD_AXIS_LOCKED &&
                     def->axes[SD_AXIS_MOVE_Y].mode == SD_AXIS_LOCKED &&
                     def->axes[SD_AXIS_MOVE_Z].mode == SD_AXIS_LOCKED;
    for (int i = rows->hasBlock ? SD_AXIS_TURN_X : 0; i < SD_AXIS_COUNT; ++i) {
        sdJointRows_AddAxis(rows, i, &def->axes[i]);
    }
    sdJointRows_AddCone(rows, def->coneAngle);
}
