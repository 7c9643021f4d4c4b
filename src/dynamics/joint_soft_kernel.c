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

/// What a block's impulse changes by.
SD_INLINE sdVec3x8 solveBlock(sdJointBatch* batch, const sdJointPose* pose, const sdSoftness* rigid,
                              bool isBiased, const sdBodyLanes* a, const sdBodyLanes* b) {
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
    return change;
}

/// Limits and drives: what is free to move, with the anchors held.
SD_INLINE sdI8 isFree(const sdJointRow8* row) {
    return (sdI8)row->isLimit | (sdI8)row->isSoft;
}

/// By how much an impulse of 1 along a row makes the anchors part.
SD_INLINE sdVec3x8 partBy(const sdJointBatch* batch, const sdJointPose* pose,
                          const sdJointJacobian* j) {
    sdF8 mass = batch->massA + batch->massB;
    sdVec3x8 parted = sdVec3x8_MulAdd(sdVec3x8_Cross(j->turnA, pose->rA), mass, j->linear);
    return sdVec3x8_Add(parted, sdVec3x8_Cross(j->turnB, pose->rB));
}

/// Of rows: locks have their own, what is free to move counts the anchors as held, as far as soft
/// blocks hold them.
SD_INLINE void prepareRows(sdJointBatch* batch, const sdJointPose* pose, float held,
                           const sdBodyLanes* a, const sdBodyLanes* b) {
    for (int i = 0; i < batch->rowCount; ++i) {
        sdJointRow8* row = &batch->rows[i];
        sdJointJacobian j = sdJointLanes_GetJacobian(batch, row, pose, a, b);
        sdVec3x8 parted = partBy(batch, pose, &j);
        sdF8 taken = sdVec3x8_Dot(parted, sdSym3x8_Mul(&batch->blockMass, parted));
        row->mass =
            sdJointRow8_MassOf(row, sdJointLanes_GetInverseMass(batch, &j),
                               sdF8_Select(isFree(row), sdF8_Splat(held) * taken, sdF8_Zero()));
    }
}

SD_INLINE void giveBlock(sdJointBatch* batch, const sdJointPose* pose, sdVec3x8 change,
                         sdJointKick* sum, sdBodyLanes* a, sdBodyLanes* b) {
    sdJointKick next = *sum;
    sdJointKick_AddBlock(batch, pose, change, &next);
    sdJointKick_Apply(batch, sum, &next, a, b);
    *sum = next;
}

/// What a row that is free to move has given, the block answers at once, so that the anchors stay
/// as they are. The row's mass counts on that; it is many times what a light hand on a long arm has
/// alone.
SD_INLINE void answerRow(sdJointBatch* batch, const sdJointRow8* row, const sdJointPose* pose,
                         float held, sdF8 change, sdJointKick* sum, sdBodyLanes* a,
                         sdBodyLanes* b) {
    sdJointJacobian j = sdJointLanes_GetJacobian(batch, row, pose, a, b);
    sdVec3x8 answer = sdSym3x8_Mul(&batch->blockMass, partBy(batch, pose, &j));
    change = sdF8_Select(isFree(row), sdF8_Splat(-held) * change, sdF8_Zero());
    answer = sdVec3x8_Scale(change, answer);
    batch->impulse = sdVec3x8_Add(batch->impulse, answer);
    giveBlock(batch, pose, answer, sum, a, b);
}

// ---- passes --------------------------------------------------------------------------------

void SD_KERNEL(sdJointBatch_WarmStart)(sdJointBatch* batch, const sdJointSolver* solver) {
    sdBodyState* states = solver->step->states;
    sdBodyLanes a = sdBodyLanes_Gather(batch->stateA, states);
    sdBodyLanes b = sdBodyLanes_Gather(batch->stateB, states);
    sdJointPose pose = sdJointLanes_GetPose(batch, &a, &b);
    sdJointLanes_Aim(batch, &pose, &a, &b);
    if (batch->hasBlock) {
        prepareBlock(batch, &pose);
    }
    prepareRows(batch, &pose, solver->rigid.massScale, &a, &b);
    sdBodyLanes_Scatter(batch->stateA, batch->writesA, states, &a);
    sdBodyLanes_Scatter(batch->stateB, batch->writesB, states, &b);
}

void SD_KERNEL(sdJointBatch_Solve)(sdJointBatch* batch, const sdJointSolver* solver,
                                   bool isBiased) {
    sdBodyState* states = solver->step->states;
    sdBodyLanes a = sdBodyLanes_Gather(batch->stateA, states);
    sdBodyLanes b = sdBodyLanes_Gather(batch->stateB, states);
    sdJointPose pose = sdJointLanes_GetPose(batch, &a, &b);
    sdJointKick sum = batch->applied;
    bool hasLocks = false;
    if (batch->hasBlock) {
        sdVec3x8 change = solveBlock(batch, &pose, &solver->rigid, isBiased, &a, &b);
        giveBlock(batch, &pose, change, &sum, &a, &b);
    }
    // what always holds has the last word
    for (int i = batch->rowCount - 1; i >= 0; --i) {
        sdJointRow8* row = &batch->rows[i];
        sdF8 change =
            sdJointLanes_SolveRow(batch, row, &pose, solver->step->h, isBiased, &a, &b, &sum);
        if (batch->hasBlock) {
            answerRow(batch, row, &pose, solver->rigid.massScale, change, &sum, &a, &b);
            hasLocks = hasLocks || sdI8_Any(~isFree(row) & sdF8_Less(sdF8_Zero(), row->isUsed));
        }
    }
    if (batch->hasBlock && hasLocks) {
        sdVec3x8 change = solveBlock(batch, &pose, &solver->rigid, isBiased, &a, &b);
        giveBlock(batch, &pose, change, &sum, &a, &b);
    }
    batch->applied = sum;
    sdBodyLanes_Scatter(batch->stateA, batch->writesA, states, &a);
    sdBodyLanes_Scatter(batch->stateB, batch->writesB, states, &b);
}

// ---- blocks and no rows --------------------------------------------------------------------

// Arms are found once a sub-step, when bodies have moved, and what bodies have of the impulse so
// far is brought there at once: another sweep for it would ask memory for all joints once more.

SD_INLINE void loadArms(sdJointBatch* batch, const sdJointSources* from) {
    sdF8 a[4], b[4], c[4], impulse[4];
    // both arms and the offset are nine numbers in a row
    sdF8_LoadRows(from->arms, 0, a);
    sdF8_LoadRows(from->arms, 4, b);
    sdF8_LoadRows(from->arms, 5, c);
    sdF8_LoadRows(from->impulses, 0, impulse);
    batch->rA = (sdVec3x8){a[0], a[1], a[2]};
    batch->rB = (sdVec3x8){a[3], b[0], b[1]};
    batch->offset = (sdVec3x8){c[1], c[2], c[3]};
    batch->impulse = sdVec3x8_Scale(sdF8_Splat(from->impulseScale),
                                    (sdVec3x8){impulse[0], impulse[1], impulse[2]});
    batch->hasBlockLane = sdF8_Load(from->hasBlock);
}

void SD_KERNEL(sdJointBatch_LoadArms)(sdJointBatch* batch, const sdJointSources* from) {
    loadArms(batch, from);
}

SD_INLINE sdF8 maskOf(sdI8 flags, sdRowFlag flag) {
    return (sdF8)((flags & (int32_t)flag) != 0);
}

void SD_KERNEL(sdJointRow8_Load)(sdJointRow8* row, const sdRowSources* from,
                                 const sdVec3x8* offset) {
    sdF8 a[4], b[4], c[4], d[4], zero = sdF8_Zero(), one = sdF8_Splat(1.0f);
    sdI8 flags = sdI8_Load(from->flags);
    sdF8_LoadRows(from->numbers, 0, a);
    sdF8_LoadRows(from->numbers, 4, b);
    sdF8_LoadRows(from->numbers, 8, c);
    sdF8_LoadRows(from->numbers, 12, d);
    row->axis = (sdVec3x8){a[0], a[1], a[2]};
    row->other = (sdVec3x8){b[0], b[1], b[2]};
    row->isMove = maskOf(flags, SD_ROW_IS_MOVE);
    row->isLine = maskOf(flags, SD_ROW_IS_LINE);
    row->isCone = maskOf(flags, SD_ROW_IS_CONE);
    row->isLimit = maskOf(flags, SD_ROW_IS_LIMIT);
    row->isSoft = maskOf(flags, SD_ROW_IS_SOFT);
    row->isSpring = maskOf(flags, SD_ROW_IS_SPRING);
    row->isUsed = sdF8_Select((sdI8)maskOf(flags, SD_ROW_IS_USED), one, zero);
    sdI8 isCone = (sdI8)row->isCone;
    sdF8 along = sdVec3x8_Dot(row->axis, *offset);
    sdF8 swing = a[3] * sdVec3x8_Dot(row->axis, row->other);
    sdF8 side = sdF8_Select(sdF8_Less(along, zero), zero - row->isUsed, row->isUsed);
    row->scale = sdF8_Select(isCone, a[3], side);
    row->error = b[3] - sdF8_Select(isCone, swing, sdF8_Select((sdI8)row->isMove, along, zero));
    row->target = c[0];
    row->lower = c[1];
    row->upper = c[2];
    row->range = c[3];
    row->stiffness = d[0];
    row->massScale = d[1];
    row->impulseScale = d[2];
    // limits may have become tighter
    sdF8 kept = sdF8_Splat(from->impulseScale) * sdF8_Load(from->impulses);
    kept = sdF8_Select((sdI8)maskOf(flags, SD_ROW_IS_UPPER), -kept, kept);
    row->impulse = sdF8_Clamp(kept, row->lower, row->upper);
}

void SD_KERNEL(sdJointBatch_LoadBlocks)(sdJointBatch* batch, const sdJointSources* from) {
    loadArms(batch, from);
    batch->massA = sdF8_Load(from->massA);
    batch->massB = sdF8_Load(from->massB);
    batch->startInertiaA = sdSym3x8_Gather(from->tensorsA);
    batch->startInertiaB = sdSym3x8_Gather(from->tensorsB);
    batch->isRound =
        sdSym3x8_IsRound(&batch->startInertiaA) && sdSym3x8_IsRound(&batch->startInertiaB);
}

/// What an impulse at arms turns bodies by.
SD_INLINE void turnBlock(const sdJointBatch* batch, sdVec3x8 torqueA, sdVec3x8 torqueB,
                         sdBodyLanes* a, sdBodyLanes* b) {
    sdVec3x8 spinA, spinB;
    if (batch->isRound) {
        spinA = sdVec3x8_Scale(batch->startInertiaA.xx, torqueA);
        spinB = sdVec3x8_Scale(batch->startInertiaB.xx, torqueB);
    } else {
        spinA = sdSym3x8_Mul(&batch->inertiaA, torqueA);
        spinB = sdSym3x8_Mul(&batch->inertiaB, torqueB);
    }
    a->angularVelocity = sdVec3x8_Sub(a->angularVelocity, spinA);
    b->angularVelocity = sdVec3x8_Add(b->angularVelocity, spinB);
}

SD_INLINE void pushBlock(const sdJointBatch* batch, const sdJointPose* pose, sdVec3x8 impulse,
                         sdBodyLanes* a, sdBodyLanes* b) {
    a->velocity = sdVec3x8_MulAdd(a->velocity, sdF8_Zero() - batch->massA, impulse);
    b->velocity = sdVec3x8_MulAdd(b->velocity, batch->massB, impulse);
    turnBlock(batch, sdVec3x8_Cross(pose->rA, impulse), sdVec3x8_Cross(pose->rB, impulse), a, b);
}

void SD_KERNEL(sdJointBatch_WarmStartBlocks)(sdJointBatch* batch, sdBodyState* states) {
    sdBodyLanes a = sdBodyLanes_GatherVelocities(batch->stateA, states);
    sdBodyLanes b = sdBodyLanes_GatherVelocities(batch->stateB, states);
    if (!batch->isRound) {
        batch->inertiaA = batch->startInertiaA;
        batch->inertiaB = batch->startInertiaB;
    }
    batch->pose = (sdJointPose){batch->rA, batch->rB, batch->offset};
    prepareBlock(batch, &batch->pose);
    pushBlock(batch, &batch->pose, batch->impulse, &a, &b);
    sdBodyLanes_Scatter(batch->stateA, batch->writesA, states, &a);
    sdBodyLanes_Scatter(batch->stateB, batch->writesB, states, &b);
}

/// Bring arms, what bodies have of the impulse, and the mass to where bodies are now.
SD_INLINE void followBlock(sdJointBatch* batch, sdBodyLanes* a, sdBodyLanes* b) {
    sdJointPose pose = sdJointLanes_GetPose(batch, a, b);
    sdVec3x8 impulse = batch->impulse;
    if (batch->isRound) {
        turnBlock(batch, sdVec3x8_Cross(sdVec3x8_Sub(pose.rA, batch->pose.rA), impulse),
                  sdVec3x8_Cross(sdVec3x8_Sub(pose.rB, batch->pose.rB), impulse), a, b);
    } else {
        sdVec3x8 back = sdVec3x8_Scale(sdF8_Splat(-1.0f), impulse);
        turnBlock(batch, sdVec3x8_Cross(batch->pose.rA, back), sdVec3x8_Cross(batch->pose.rB, back),
                  a, b);
        sdJointLanes_TurnTensors(batch, a, b);
        turnBlock(batch, sdVec3x8_Cross(pose.rA, impulse), sdVec3x8_Cross(pose.rB, impulse), a, b);
    }
    batch->pose = pose;
    prepareBlock(batch, &pose);
}

void SD_KERNEL(sdJointBatch_SolveBlocks)(sdJointBatch* batch, const sdJointSolver* solver,
                                         bool isBiased) {
    sdBodyState* states = solver->step->states;
    sdBodyLanes a = sdBodyLanes_GatherVelocities(batch->stateA, states);
    sdBodyLanes b = sdBodyLanes_GatherVelocities(batch->stateB, states);
    if (!isBiased) {
        sdBodyLanes_GatherMotion(batch->stateA, states, &a);
        sdBodyLanes_GatherMotion(batch->stateB, states, &b);
        followBlock(batch, &a, &b);
    }
    sdVec3x8 change = solveBlock(batch, &batch->pose, &solver->rigid, isBiased, &a, &b);
    pushBlock(batch, &batch->pose, change, &a, &b);
    sdBodyLanes_Scatter(batch->stateA, batch->writesA, states, &a);
    sdBodyLanes_Scatter(batch->stateB, batch->writesB, states, &b);
}
