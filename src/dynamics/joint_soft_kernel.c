// SPDX-License-Identifier: MIT
// joint_soft_kernel.c - eight joints at a time.
//
// Note: in the sweep that pushes errors out rows give like very stiff springs, so that nets and
// other
//       loops of joints stay quiet; in the other one they are rigid. What gives by its nature, a
//       spring, does so in both.

#include "dynamics/joint_lanes.h"

// ---- block ---------------------------------------------------------------------------------

/// m -= [r]× I [r]×
SD_INLINE void addArm(sdSym3x8* m, const sdSym3x8* i, sdVec3x8 r) {
    sdF8 zero = sdF8_Zero();
    // columns of -[r]×, that is r × e with the sign turned
    sdVec3x8 x = {zero, zero - r.z, r.y}, y = {r.z, zero, zero - r.x}, z = {zero - r.y, r.x, zero};
    sdVec3x8 ix = sdSym3x8_Mul(i, x), iy = sdSym3x8_Mul(i, y), iz = sdSym3x8_Mul(i, z);
    m->xx += sdVec3x8_Dot(x, ix);
    m->xy += sdVec3x8_Dot(x, iy);
    m->xz += sdVec3x8_Dot(x, iz);
    m->yy += sdVec3x8_Dot(y, iy);
    m->yz += sdVec3x8_Dot(y, iz);
    m->zz += sdVec3x8_Dot(z, iz);
}

/// The same with a tensor of i about all axes: m += i (r² - r rᵀ)
SD_INLINE void addRoundArm(sdSym3x8* m, sdF8 i, sdVec3x8 r) {
    sdVec3x8 s = sdVec3x8_Scale(i, r);
    m->xx += s.y * r.y + s.z * r.z;
    m->xy -= s.x * r.y;
    m->xz -= s.x * r.z;
    m->yy += s.x * r.x + s.z * r.z;
    m->yz -= s.y * r.z;
    m->zz += s.x * r.x + s.y * r.y;
}

SD_INLINE void prepareBlock(sdJointBatch* batch, const sdJointPose* pose) {
    sdF8 mass = batch->massA + batch->massB, zero = sdF8_Zero();
    sdSym3x8 k = {mass, zero, zero, mass, zero, mass};
    if (batch->isRound) {
        addRoundArm(&k, batch->startInertiaA.xx, pose->rA);
        addRoundArm(&k, batch->startInertiaB.xx, pose->rB);
    } else {
        addArm(&k, &batch->inertiaA, pose->rA);
        addArm(&k, &batch->inertiaB, pose->rB);
    }
    sdF8 xx = k.yy * k.zz - k.yz * k.yz, xy = k.xz * k.yz - k.xy * k.zz;
    sdF8 xz = k.xy * k.yz - k.xz * k.yy;
    sdF8 s = batch->hasBlockLane * sdF8_InverseOf(k.xx * xx + k.xy * xy + k.xz * xz);
    batch->blockMass = (sdSym3x8){s * xx,
                                  s * xy,
                                  s * xz,
                                  s * (k.xx * k.zz - k.xz * k.xz),
                                  s * (k.xy * k.xz - k.xx * k.yz),
                                  s * (k.xx * k.yy - k.xy * k.xy)};
}

SD_INLINE void solveBlock(sdJointBatch* batch, const sdJointPose* pose, const sdSoftness* rigid,
                          bool isBiased, sdBodyLanes* a, sdBodyLanes* b, sdJointKick* sum) {
    sdVec3x8 va = sdVec3x8_Add(a->velocity, sdVec3x8_Cross(a->angularVelocity, pose->rA));
    sdVec3x8 vb = sdVec3x8_Add(b->velocity, sdVec3x8_Cross(b->angularVelocity, pose->rB));
    sdVec3x8 speed = sdVec3x8_Sub(vb, va);
    sdF8 zero = sdF8_Zero(), massScale = sdF8_Splat(1.0f), impulseScale = zero;
    if (isBiased) {
        massScale = sdF8_Splat(rigid->massScale);
        speed = sdVec3x8_MulAdd(speed, sdF8_Splat(rigid->stiffness) / massScale, pose->offset);
        impulseScale = sdF8_Splat(rigid->impulseScale) * batch->hasBlockLane;
    }
    sdVec3x8 change = sdVec3x8_Scale(zero - massScale, sdSym3x8_Mul(&batch->blockMass, speed));
    change = sdVec3x8_MulAdd(change, zero - impulseScale, batch->impulse);
    batch->impulse = sdVec3x8_Add(batch->impulse, change);
    sdJointKick next = *sum;
    sdJointKick_AddBlock(batch, pose, change, &next);
    sdJointKick_Apply(batch, sum, &next, a, b);
    *sum = next;
}

/// Of rows: locks have their own, what is free to move counts the anchors as held.
SD_INLINE void prepareRows(sdJointBatch* batch, const sdJointPose* pose, const sdBodyLanes* a,
                           const sdBodyLanes* b) {
    sdF8 mass = batch->massA + batch->massB;
    for (int i = 0; i < batch->rowCount; ++i) {
        sdJointRow8* row = &batch->rows[i];
        sdJointJacobian j = sdJointLanes_GetJacobian(batch, row, pose, a, b);
        sdVec3x8 shared = sdVec3x8_MulAdd(sdVec3x8_Cross(j.turnA, pose->rA), mass, j.linear);
        shared = sdVec3x8_Add(shared, sdVec3x8_Cross(j.turnB, pose->rB));
        sdF8 taken = sdVec3x8_Dot(shared, sdSym3x8_Mul(&batch->blockMass, shared));
        sdI8 isFree = (sdI8)row->isLimit | (sdI8)row->isSoft;
        row->mass = sdJointRow8_MassOf(row, sdJointLanes_GetInverseMass(batch, &j),
                                       sdF8_Select(isFree, taken, sdF8_Zero()));
    }
}

// ---- passes --------------------------------------------------------------------------------

/// Blocks and no rows: nothing but velocities is asked of the bodies where arms are known.
SD_INLINE bool hasPose(const sdJointBatch* batch) {
    return batch->rowCount == 0;
}

void SD_KERNEL(sdJointBatch_WarmStart)(sdJointBatch* batch, sdBodyState* states) {
    sdBodyLanes a = sdBodyLanes_GatherVelocities(batch->stateA, states);
    sdBodyLanes b = sdBodyLanes_GatherVelocities(batch->stateB, states);
    if (!hasPose(batch) || !batch->isRound) {
        sdBodyLanes_GatherMotion(batch->stateA, states, &a);
        sdBodyLanes_GatherMotion(batch->stateB, states, &b);
    }
    sdJointPose pose = hasPose(batch) ? batch->pose : sdJointLanes_GetPose(batch, &a, &b);
    sdJointLanes_Aim(batch, &pose, &a, &b);
    if (batch->hasBlock) {
        prepareBlock(batch, &pose);
    }
    prepareRows(batch, &pose, &a, &b);
    sdBodyLanes_Scatter(batch->stateA, batch->writesA, states, &a);
    sdBodyLanes_Scatter(batch->stateB, batch->writesB, states, &b);
}

void SD_KERNEL(sdJointBatch_Solve)(sdJointBatch* batch, const sdJointSolver* solver,
                                   bool isBiased) {
    sdBodyState* states = solver->step->states;
    sdBodyLanes a = sdBodyLanes_GatherVelocities(batch->stateA, states);
    sdBodyLanes b = sdBodyLanes_GatherVelocities(batch->stateB, states);
    sdJointPose pose = batch->pose;
    // bodies have not moved since the sweep of the sub-step before that was not biased
    if (!hasPose(batch) || !isBiased) {
        sdBodyLanes_GatherMotion(batch->stateA, states, &a);
        sdBodyLanes_GatherMotion(batch->stateB, states, &b);
        pose = sdJointLanes_GetPose(batch, &a, &b);
        batch->pose = pose;
    }
    sdJointKick sum = batch->applied;
    // what always holds has the last word
    for (int i = batch->rowCount - 1; i >= 0; --i) {
        sdJointLanes_SolveRow(batch, &batch->rows[i], &pose, solver->step->h, isBiased, &a, &b,
                              &sum);
    }
    if (batch->hasBlock) {
        solveBlock(batch, &pose, &solver->rigid, isBiased, &a, &b, &sum);
    }
    batch->applied = sum;
    sdBodyLanes_Scatter(batch->stateA, batch->writesA, states, &a);
    sdBodyLanes_Scatter(batch->stateB, batch->writesB, states, &b);
}
