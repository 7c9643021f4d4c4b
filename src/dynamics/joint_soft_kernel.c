// SPDX-License-Identifier: MIT
// joint_soft_kernel.c - eight joints at a time.
//
// Note: in the sweep that pushes errors out rows give like very stiff springs, so that nets and
// other
//       loops of joints stay quiet; in the other one they are rigid. What gives by its nature, a
//       spring, does so in both.

#include "dynamics/solver_joint.h"

// ---- prepare -------------------------------------------------------------------------------

/// 1 / a, and 0 where a is not positive.
SD_INLINE sdF8 inverseOf(sdF8 a) {
    sdF8 zero = sdF8_Zero(), one = sdF8_Splat(1.0f);
    sdI8 isPositive = sdF8_Less(zero, a);
    return sdF8_Select(isPositive, one / sdF8_Select(isPositive, a, one), zero);
}

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

/// A joint as it is in the sub-step.
typedef struct Pose {
    sdVec3x8 rA, rB, offset;
} Pose;

/// v turned by a body since the start of the step.
SD_INLINE sdVec3x8 turn(const sdBodyLanes* body, sdVec3x8 v) {
    sdVec3x8 t = sdVec3x8_Scale(sdF8_Splat(2.0f), sdVec3x8_Cross(body->turn, v));
    sdVec3x8 r = sdVec3x8_Add(v, sdVec3x8_Cross(body->turn, t));
    return sdVec3x8_MulAdd(r, body->turnScalar, t);
}

/// A tensor turned by a body since the start of the step.
SD_INLINE sdSym3x8 turnTensor(const sdBodyLanes* body, const sdSym3x8* m) {
    // rows of R m, then R of their columns
    sdVec3x8 x = turn(body, (sdVec3x8){m->xx, m->xy, m->xz});
    sdVec3x8 y = turn(body, (sdVec3x8){m->xy, m->yy, m->yz});
    sdVec3x8 z = turn(body, (sdVec3x8){m->xz, m->yz, m->zz});
    sdVec3x8 cx = turn(body, (sdVec3x8){x.x, y.x, z.x});
    sdVec3x8 cy = turn(body, (sdVec3x8){x.y, y.y, z.y});
    sdVec3x8 cz = turn(body, (sdVec3x8){x.z, y.z, z.z});
    return (sdSym3x8){cx.x, cx.y, cx.z, cy.y, cy.z, cz.z};
}

SD_INLINE Pose poseOf(const sdJointBatch* batch, const sdBodyLanes* a, const sdBodyLanes* b) {
    Pose pose = {turn(a, batch->rA), turn(b, batch->rB), batch->offset};
    sdVec3x8 wayA = sdVec3x8_Add(a->displacement, sdVec3x8_Sub(pose.rA, batch->rA));
    sdVec3x8 wayB = sdVec3x8_Add(b->displacement, sdVec3x8_Sub(pose.rB, batch->rB));
    pose.offset = sdVec3x8_Add(batch->offset, sdVec3x8_Sub(wayB, wayA));
    return pose;
}

SD_INLINE void prepareBlock(sdJointBatch* batch, const Pose* pose) {
    sdF8 mass = batch->massA + batch->massB, zero = sdF8_Zero();
    sdSym3x8 k = {mass, zero, zero, mass, zero, mass};
    addArm(&k, &batch->inertiaA, pose->rA);
    addArm(&k, &batch->inertiaB, pose->rB);
    sdF8 xx = k.yy * k.zz - k.yz * k.yz, xy = k.xz * k.yz - k.xy * k.zz;
    sdF8 xz = k.xy * k.yz - k.xz * k.yy;
    sdF8 s = batch->hasBlockLane * inverseOf(k.xx * xx + k.xy * xy + k.xz * xz);
    batch->blockMass = (sdSym3x8){s * xx,
                                  s * xy,
                                  s * xz,
                                  s * (k.xx * k.zz - k.xz * k.xz),
                                  s * (k.xy * k.xz - k.xx * k.yz),
                                  s * (k.xx * k.yy - k.xy * k.xy)};
}

// ---- push ----------------------------------------------------------------------------------

/// Put an impulse on B, its opposite on A, and torques on both.
SD_INLINE void push(const sdJointBatch* batch, sdVec3x8 impulse, sdVec3x8 torqueA, sdVec3x8 torqueB,
                    sdBodyLanes* a, sdBodyLanes* b) {
    a->velocity = sdVec3x8_MulAdd(a->velocity, sdF8_Zero() - batch->massA, impulse);
    b->velocity = sdVec3x8_MulAdd(b->velocity, batch->massB, impulse);
    sdVec3x8 turnA = sdSym3x8_Mul(&batch->inertiaA, torqueA);
    sdVec3x8 turnB = sdSym3x8_Mul(&batch->inertiaB, torqueB);
    a->angularVelocity = sdVec3x8_Sub(a->angularVelocity, turnA);
    b->angularVelocity = sdVec3x8_Add(b->angularVelocity, turnB);
}

/// All that a batch has put on its bodies.
typedef struct Wrench {
    sdVec3x8 impulse, torqueA, torqueB;
} Wrench;

SD_INLINE void addBlock(const Pose* pose, sdVec3x8 impulse, Wrench* sum) {
    sum->impulse = sdVec3x8_Add(sum->impulse, impulse);
    sum->torqueA = sdVec3x8_Add(sum->torqueA, sdVec3x8_Cross(pose->rA, impulse));
    sum->torqueB = sdVec3x8_Add(sum->torqueB, sdVec3x8_Cross(pose->rB, impulse));
}

/// J of a row, and what an impulse of 1 does to the angular velocities.
typedef struct Jacobian {
    sdVec3x8 linear, angularA, angularB, turnA, turnB;
    sdVec3x8 axis;
} Jacobian;

SD_INLINE sdVec3x8 selectVec(sdI8 mask, sdVec3x8 a, sdVec3x8 b) {
    return (sdVec3x8){sdF8_Select(mask, a.x, b.x), sdF8_Select(mask, a.y, b.y),
                      sdF8_Select(mask, a.z, b.z)};
}

SD_INLINE Jacobian jacobianOf(const sdJointBatch* batch, const sdJointRow8* row, const Pose* pose,
                              const sdBodyLanes* a) {
    Jacobian j;
    sdI8 isMove = (sdI8)row->isMove;
    sdF8 zero = sdF8_Zero(), tiny = sdF8_Splat(FLT_MIN);
    sdF8 length = sdF8_Sqrt(sdVec3x8_Dot(pose->offset, pose->offset));
    sdVec3x8 line = sdVec3x8_Scale(row->lineSign / sdF8_Max(length, tiny), pose->offset);
    sdI8 isLine = (sdI8)row->isLine & sdF8_Less(tiny, length);
    sdVec3x8 u = selectVec(isLine, line, turn(a, row->axis));
    sdVec3x8 none = {zero, zero, zero};
    j.axis = u;
    j.linear = selectVec(isMove, u, none);
    sdVec3x8 arm = sdVec3x8_Add(pose->rA, pose->offset);
    j.angularA = selectVec(isMove, sdVec3x8_Cross(arm, u), u);
    j.angularB = selectVec(isMove, sdVec3x8_Cross(pose->rB, u), u);
    j.turnA = sdSym3x8_Mul(&batch->inertiaA, j.angularA);
    j.turnB = sdSym3x8_Mul(&batch->inertiaB, j.angularB);
    return j;
}

SD_INLINE void addRow(const Jacobian* j, sdF8 impulse, Wrench* sum) {
    sum->impulse = sdVec3x8_MulAdd(sum->impulse, impulse, j->linear);
    sum->torqueA = sdVec3x8_MulAdd(sum->torqueA, impulse, j->angularA);
    sum->torqueB = sdVec3x8_MulAdd(sum->torqueB, impulse, j->angularB);
}

SD_INLINE void pushRow(const sdJointBatch* batch, const Jacobian* j, sdF8 impulse, sdBodyLanes* a,
                       sdBodyLanes* b) {
    sdF8 zero = sdF8_Zero();
    a->velocity = sdVec3x8_MulAdd(a->velocity, zero - batch->massA * impulse, j->linear);
    b->velocity = sdVec3x8_MulAdd(b->velocity, batch->massB * impulse, j->linear);
    a->angularVelocity = sdVec3x8_MulAdd(a->angularVelocity, zero - impulse, j->turnA);
    b->angularVelocity = sdVec3x8_MulAdd(b->angularVelocity, impulse, j->turnB);
}

// ---- solve ---------------------------------------------------------------------------------

/// C now: of rows that turn, to the first order of what happened since the start of the step.
SD_INLINE sdF8 placeOf(const sdJointRow8* row, const Jacobian* j, const Pose* pose,
                       const sdBodyLanes* a, const sdBodyLanes* b) {
    sdF8 moved = sdVec3x8_Dot(j->axis, pose->offset);
    sdF8 turned = sdF8_Splat(2.0f) * sdVec3x8_Dot(j->axis, sdVec3x8_Sub(b->turn, a->turn));
    return row->error + sdF8_Select((sdI8)row->isMove, moved, turned);
}

SD_INLINE void solveRow(const sdJointBatch* batch, sdJointRow8* row, const Pose* pose, float h,
                        bool isBiased, sdBodyLanes* a, sdBodyLanes* b, Wrench* sum) {
    sdF8 zero = sdF8_Zero(), one = sdF8_Splat(1.0f);
    Jacobian j = jacobianOf(batch, row, pose, a);
    if (isBiased) {
        sdF8 k = (batch->massA + batch->massB) * sdVec3x8_Dot(j.linear, j.linear) +
                 sdVec3x8_Dot(j.angularA, j.turnA) + sdVec3x8_Dot(j.angularB, j.turnB);
        row->mass = row->isUsed * inverseOf(k);
    }
    sdF8 speed = sdVec3x8_Dot(j.linear, sdVec3x8_Sub(b->velocity, a->velocity)) +
                 sdVec3x8_Dot(j.angularB, b->angularVelocity) -
                 sdVec3x8_Dot(j.angularA, a->angularVelocity);
    sdF8 c = placeOf(row, &j, pose, a, b);
    sdI8 isSoft = isBiased ? sdI8_Splat(-1) : (sdI8)row->isSoft;
    sdI8 isAhead = (sdI8)row->isLimit & sdF8_Less(zero, c);
    sdF8 bias = sdF8_Select(isSoft, row->rate * c, zero);
    bias = sdF8_Select(isAhead, c * sdF8_Splat(1.0f / h), bias);
    isSoft &= ~isAhead;
    sdF8 massScale = sdF8_Select(isSoft, row->massScale, one);
    sdF8 impulseScale = sdF8_Select(isSoft, row->impulseScale, zero);
    sdF8 change =
        zero - row->mass * massScale * (speed - row->target + bias) - impulseScale * row->impulse;
    sdF8 next = sdF8_Clamp(row->impulse + change, row->lower, row->upper);
    change = next - row->impulse;
    row->impulse = next;
    pushRow(batch, &j, change, a, b);
    addRow(&j, change, sum);
}

SD_INLINE void solveBlock(sdJointBatch* batch, const Pose* pose, const sdSoftness* rigid,
                          bool isBiased, sdBodyLanes* a, sdBodyLanes* b, Wrench* sum) {
    sdVec3x8 va = sdVec3x8_Add(a->velocity, sdVec3x8_Cross(a->angularVelocity, pose->rA));
    sdVec3x8 vb = sdVec3x8_Add(b->velocity, sdVec3x8_Cross(b->angularVelocity, pose->rB));
    sdVec3x8 speed = sdVec3x8_Sub(vb, va);
    sdF8 zero = sdF8_Zero(), massScale = sdF8_Splat(1.0f), impulseScale = zero;
    if (isBiased) {
        prepareBlock(batch, pose);
        speed = sdVec3x8_MulAdd(speed, sdF8_Splat(rigid->rate), pose->offset);
        massScale = sdF8_Splat(rigid->massScale);
        impulseScale = sdF8_Splat(rigid->impulseScale) * batch->hasBlockLane;
    }
    sdVec3x8 change = sdVec3x8_Scale(zero - massScale, sdSym3x8_Mul(&batch->blockMass, speed));
    change = sdVec3x8_MulAdd(change, zero - impulseScale, batch->impulse);
    batch->impulse = sdVec3x8_Add(batch->impulse, change);
    push(batch, change, sdVec3x8_Cross(pose->rA, change), sdVec3x8_Cross(pose->rB, change), a, b);
    addBlock(pose, change, sum);
}

// Arms and axes turn within a step. What the bodies have of a joint's impulses from the sub-step
// before points where they were then; to leave it so would feed energy into everything that swings.
void SD_KERNEL(sdJointBatch_WarmStart)(sdJointBatch* batch, sdBodyState* states) {
    sdBodyLanes a = sdBodyLanes_Gather(batch->stateA, states);
    sdBodyLanes b = sdBodyLanes_Gather(batch->stateB, states);
    Pose pose = poseOf(batch, &a, &b);
    batch->inertiaA = turnTensor(&a, &batch->startInertiaA);
    batch->inertiaB = turnTensor(&b, &batch->startInertiaB);
    sdVec3x8 none = {sdF8_Zero(), sdF8_Zero(), sdF8_Zero()};
    Wrench sum = {none, none, none};
    for (int i = 0; i < batch->rowCount; ++i) {
        Jacobian j = jacobianOf(batch, &batch->rows[i], &pose, &a);
        addRow(&j, batch->rows[i].impulse, &sum);
    }
    if (batch->hasBlock) {
        addBlock(&pose, batch->impulse, &sum);
    }
    push(batch, sdVec3x8_Sub(sum.impulse, batch->applied),
         sdVec3x8_Sub(sum.torqueA, batch->appliedA), sdVec3x8_Sub(sum.torqueB, batch->appliedB), &a,
         &b);
    batch->applied = sum.impulse;
    batch->appliedA = sum.torqueA;
    batch->appliedB = sum.torqueB;
    sdBodyLanes_Scatter(batch->stateA, batch->writesA, states, &a);
    sdBodyLanes_Scatter(batch->stateB, batch->writesB, states, &b);
}

void SD_KERNEL(sdJointBatch_Solve)(sdJointBatch* batch, const sdJointSolver* solver,
                                   bool isBiased) {
    sdBodyState* states = solver->step->states;
    sdBodyLanes a = sdBodyLanes_Gather(batch->stateA, states);
    sdBodyLanes b = sdBodyLanes_Gather(batch->stateB, states);
    Pose pose = poseOf(batch, &a, &b);
    Wrench sum = {batch->applied, batch->appliedA, batch->appliedB};
    for (int i = 0; i < batch->rowCount; ++i) {
        solveRow(batch, &batch->rows[i], &pose, solver->step->h, isBiased, &a, &b, &sum);
    }
    if (batch->hasBlock) {
        solveBlock(batch, &pose, &solver->rigid, isBiased, &a, &b, &sum);
    }
    batch->applied = sum.impulse;
    batch->appliedA = sum.torqueA;
    batch->appliedB = sum.torqueB;
    sdBodyLanes_Scatter(batch->stateA, batch->writesA, states, &a);
    sdBodyLanes_Scatter(batch->stateB, batch->writesB, states, &b);
}
