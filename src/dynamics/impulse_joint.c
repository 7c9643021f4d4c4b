// SPDX-License-Identifier: MIT
// impulse_joint.c - see impulse_joint.h.

#include "dynamics/impulse_joint.h"

struct sdImpulseJoints {
    sdStep* step;
    sdImpulseBody* bodies;
};

sdImpulseJoints* sdImpulseJoints_Prepare(sdStep* step, sdImpulseBody* bodies) {
    sdImpulseJoints* joints = sdArena_Alloc(&step->world->arena, 1, sizeof *joints);
    if (joints != NULL) {
        *joints = (sdImpulseJoints){step, bodies};
    }
    return joints;
}

void sdImpulseJoints_StabilizeVelocities(sdImpulseJoints* joints) {
    (void)joints;
}

void sdImpulseJoints_StabilizePositions(sdImpulseJoints* joints, int level) {
    (void)joints;
    (void)level;
}

void sdImpulseJoints_Store(sdImpulseJoints* joints) {
    (void)joints;
}
