// SPDX-License-Identifier: MIT
// joint_motor.c - B's frame is drawn to a place in A's by springs.
//
// One row along each axis of A's frame as in joint_slider.c and one about each as in joint_six.c,
// each with C - target for a spring, C' - target for a motor, and a largest force. Nothing is
// locked: a motor can be held up by whatever is stronger.

#include "dynamics/joint_rows.h"

void sdJointRows_Motor(sdJointRows* rows, const sdJointDef* def) {
    for (int i = 0; i < SD_AXIS_COUNT; ++i) {
        sdJointRows_AddAxis(rows, i, &def->axes[i]);
    }
}
