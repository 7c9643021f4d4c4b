// SPDX-License-Identifier: MIT
// joint_store_kernel.c - what joints have given, eight at a time.
//
// In:   a batch of joints at the end of a step.
// Out:  their impulses at the anchors, and forces and torques of the last sub-step.

#include "dynamics/solver_joint.h"

static void store(float out[3][SD_LANES], sdVec3x8 v) {
    sdF8_Store(out[0], v.x);
    sdF8_Store(out[1], v.y);
    sdF8_Store(out[2], v.z);
}

void SD_KERNEL(sdJointBatch_FindForces)(const sdJointBatch* batch, float h, sdJointForces* out) {
    sdF8 zero = sdF8_Zero(), perTime = sdF8_Splat(1.0f / h);
    sdVec3x8 force = batch->impulse, torque = {zero, zero, zero};
    sdF8 sum = sdF8_Sqrt(sdVec3x8_Dot(batch->impulse, batch->impulse));
    for (int i = 0; i < batch->rowCount; ++i) {
        const sdJointRow8* row = &batch->rows[i];
        sdI8 isCone = (sdI8)row->isCone, isUsed = sdF8_Less(zero, row->isUsed);
        sdI8 isMove = (sdI8)row->isMove;
        sdVec3x8 cone = sdVec3x8_Scale(row->scale, sdVec3x8_Cross(row->other, row->axis));
        sdVec3x8 axis = sdVec3x8_Select(isCone, cone, row->axis);
        sdVec3x8 impulse = sdVec3x8_Scale(row->impulse, axis);
        // lanes are left as they are, not added to: zeros have signs
        force = sdVec3x8_Select(isMove, sdVec3x8_Add(force, impulse), force);
        torque = sdVec3x8_Select(isUsed & ~isMove, sdVec3x8_Add(torque, impulse), torque);
        sum += sdF8_Select(isUsed, sdF8_Abs(row->impulse), zero);
    }
    store(out->block, batch->impulse);
    store(out->force, sdVec3x8_Scale(perTime, force));
    store(out->torque, sdVec3x8_Scale(perTime, torque));
    sdF8_Store(out->sum, sum);
}
