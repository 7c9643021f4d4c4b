// SPDX-License-Identifier: MIT
// joint_lanes.h - eight joints at a time, for kernels.

#ifndef SD_DYNAMICS_JOINT_LANES_H
#define SD_DYNAMICS_JOINT_LANES_H

#include "dynamics/solver_joint.h"

#include <float.h>

// ---- pose ----------------------------------------------------------------------------------

/// 1 / a, and 0 where a is not positive.
SD_INLINE sdF8 sdF8_InverseOf(sdF8 a) {
    sdF8 zero = sdF8_Zero(), one = sdF8_Splat(1.0f);
    sdI8 isPositive = sdF8_Less(zero, a);
    return sdF8_Select(isPositive, one / sdF8_Select(isPositive, a, one), zero);
}

/// v turned by a body since the start of the step.
SD_INLINE sdVec3x8 sdJointLanes_Turn(const sdBodyLanes* body, sdVec3x8 v) {
    sdVec3x8 t = sdVec3x8_Scale(sdF8_Splat(2.0f), sdVec3x8_Cross(body->turn, v));
    sdVec3x8 r = sdVec3x8_Add(v, sdVec3x8_Cross(body->turn, t));
    return sdVec3x8_MulAdd(r, body->turnScalar, t);
}

/// A tensor turned by a body since the start of the step.
SD_INLINE sdSym3x8 sdJointLanes_TurnTensor(const sdBodyLanes* body, const sdSym3x8* m) {
    // rows of R m, then R of their columns
    sdVec3x8 x = sdJointLanes_Turn(body, (sdVec3x8){m->xx, m->xy, m->xz});
    sdVec3x8 y = sdJointLanes_Turn(body, (sdVec3x8){m->xy, m->yy, m->yz});
    sdVec3x8 z = sdJointLanes_Turn(body, (sdVec3x8){m->xz, m->yz, m->zz});
    sdVec3x8 cx = sdJointLanes_Turn(body, (sdVec3x8){x.x, y.x, z.x});
    sdVec3x8 cy = sdJointLanes_Turn(body, (sdVec3x8){x.y, y.y, z.y});
    sdVec3x8 cz = sdJointLanes_Turn(body, (sdVec3x8){x.z, y.z, z.z});
    return (sdSym3x8){cx.x, cx.y, cx.z, cy.y, cy.z, cz.z};
}

SD_INLINE void sdJointLanes_TurnTensors(sdJointBatch* batch, const sdBodyLanes* a,
                                        const sdBodyLanes* b) {
    if (batch->isRound) {
        batch->inertiaA = batch->startInertiaA;
        batch->inertiaB = batch->startInertiaB;
        return;
    }
    batch->inertiaA = sdJointLanes_TurnTensor(a, &batch->startInertiaA);
    batch->inertiaB = sdJointLanes_TurnTensor(b, &batch->startInertiaB);
}

SD_INLINE sdJointPose sdJointLanes_GetPose(const sdJointBatch* batch, const sdBodyLanes* a,
                                           const sdBodyLanes* b) {
    sdJointPose pose = {sdJointLanes_Turn(a, batch->rA), sdJointLanes_Turn(b, batch->rB),
                        batch->offset};
    sdVec3x8 wayA = sdVec3x8_Add(a->displacement, sdVec3x8_Sub(pose.rA, batch->rA));
    sdVec3x8 wayB = sdVec3x8_Add(b->displacement, sdVec3x8_Sub(pose.rB, batch->rB));
    pose.offset = sdVec3x8_Add(batch->offset, sdVec3x8_Sub(wayB, wayA));
    return pose;
}

// ---- push ----------------------------------------------------------------------------------

SD_INLINE void sdJointKick_AddBlock(const sdJointBatch* batch, const sdJointPose* pose,
                                    sdVec3x8 impulse, sdJointKick* sum) {
    sdVec3x8 torqueA = sdVec3x8_Cross(pose->rA, impulse);
    sdVec3x8 torqueB = sdVec3x8_Cross(pose->rB, impulse);
    sum->impulse = sdVec3x8_Add(sum->impulse, impulse);
    if (batch->isRound) {
        sum->spinA = sdVec3x8_MulAdd(sum->spinA, batch->startInertiaA.xx, torqueA);
        sum->spinB = sdVec3x8_MulAdd(sum->spinB, batch->startInertiaB.xx, torqueB);
        return;
    }
    sum->spinA = sdVec3x8_Add(sum->spinA, sdSym3x8_Mul(&batch->inertiaA, torqueA));
    sum->spinB = sdVec3x8_Add(sum->spinB, sdSym3x8_Mul(&batch->inertiaB, torqueB));
}

/// Give the bodies what `to` has more than `from`.
SD_INLINE void sdJointKick_Apply(const sdJointBatch* batch, const sdJointKick* from,
                                 const sdJointKick* to, sdBodyLanes* a, sdBodyLanes* b) {
    sdVec3x8 impulse = sdVec3x8_Sub(to->impulse, from->impulse);
    a->velocity = sdVec3x8_MulAdd(a->velocity, sdF8_Zero() - batch->massA, impulse);
    b->velocity = sdVec3x8_MulAdd(b->velocity, batch->massB, impulse);
    a->angularVelocity = sdVec3x8_Sub(a->angularVelocity, sdVec3x8_Sub(to->spinA, from->spinA));
    b->angularVelocity = sdVec3x8_Add(b->angularVelocity, sdVec3x8_Sub(to->spinB, from->spinB));
}

/// J of a row, and what an impulse of 1 does to the angular velocities.
typedef struct sdJointJacobian {
    sdVec3x8 linear, angularA, angularB, turnA, turnB;
    sdVec3x8 axis;
    sdF8 swung; ///< of cones: how far B's axis is from A's, as C measures it
} sdJointJacobian;

SD_INLINE sdJointJacobian sdJointLanes_GetJacobian(const sdJointBatch* batch,
                                                   const sdJointRow8* row, const sdJointPose* pose,
                                                   const sdBodyLanes* a, const sdBodyLanes* b) {
    sdJointJacobian j;
    sdI8 isMove = (sdI8)row->isMove, isCone = (sdI8)row->isCone;
    sdF8 zero = sdF8_Zero();
    sdVec3x8 own = sdJointLanes_Turn(a, row->axis), u = own, none = {zero, zero, zero};
    j.swung = zero;
    if (sdI8_Any(isCone)) {
        sdVec3x8 other = sdJointLanes_Turn(b, row->other);
        j.swung = row->scale * sdVec3x8_Dot(own, other);
        sdVec3x8 cone = sdVec3x8_Scale(row->scale, sdVec3x8_Cross(other, own));
        u = sdVec3x8_Select(isCone, cone, u);
    }
    j.linear = none;
    j.axis = j.angularA = j.angularB = u;
    if (sdI8_Any(isMove)) {
        sdF8 length = sdF8_Sqrt(sdVec3x8_Dot(pose->offset, pose->offset));
        sdF8 tiny = sdF8_Splat(FLT_MIN);
        sdVec3x8 line = sdVec3x8_Scale(row->scale / sdF8_Max(length, tiny), pose->offset);
        u = sdVec3x8_Select((sdI8)row->isLine & sdF8_Less(tiny, length), line, u);
        sdVec3x8 arm = sdVec3x8_Add(pose->rA, pose->offset);
        j.axis = u;
        j.linear = sdVec3x8_Select(isMove, u, none);
        j.angularA = sdVec3x8_Select(isMove, sdVec3x8_Cross(arm, u), u);
        j.angularB = sdVec3x8_Select(isMove, sdVec3x8_Cross(pose->rB, u), u);
    }
    j.turnA = sdSym3x8_Mul(&batch->inertiaA, j.angularA);
    j.turnB = sdSym3x8_Mul(&batch->inertiaB, j.angularB);
    return j;
}

SD_INLINE void sdJointKick_AddRow(const sdJointJacobian* j, sdF8 impulse, sdJointKick* sum) {
    sum->impulse = sdVec3x8_MulAdd(sum->impulse, impulse, j->linear);
    sum->spinA = sdVec3x8_MulAdd(sum->spinA, impulse, j->turnA);
    sum->spinB = sdVec3x8_MulAdd(sum->spinB, impulse, j->turnB);
}

SD_INLINE void sdJointLanes_PushRow(const sdJointBatch* batch, const sdJointJacobian* j,
                                    sdF8 impulse, sdBodyLanes* a, sdBodyLanes* b) {
    sdF8 zero = sdF8_Zero();
    a->velocity = sdVec3x8_MulAdd(a->velocity, zero - batch->massA * impulse, j->linear);
    b->velocity = sdVec3x8_MulAdd(b->velocity, batch->massB * impulse, j->linear);
    a->angularVelocity = sdVec3x8_MulAdd(a->angularVelocity, zero - impulse, j->turnA);
    b->angularVelocity = sdVec3x8_MulAdd(b->angularVelocity, impulse, j->turnB);
}

/// m/s, rad/s: speed at which errors are taken back at most.
#define SD_JOINT_MAX_PUSH 4.0f

// ---- solve ---------------------------------------------------------------------------------

/// By how much B has turned more than A since the start of the step, about the axis of a row.
SD_INLINE sdF8 sdJointLanes_GetTurn(const sdJointRow8* row, const sdBodyLanes* a,
                                    const sdBodyLanes* b) {
    // in the axes of the start: q_A⁻¹ q_B
    sdVec3x8 v = sdVec3x8_Sub(sdVec3x8_Scale(a->turnScalar, b->turn),
                              sdVec3x8_Scale(b->turnScalar, a->turn));
    v = sdVec3x8_Sub(v, sdVec3x8_Cross(a->turn, b->turn));
    // 2 sin(x / 2), so x is that and the third power of it
    sdF8 chord = sdF8_Splat(2.0f) * sdVec3x8_Dot(row->axis, v);
    return chord + chord * chord * chord * sdF8_Splat(1.0f / 24.0f);
}

/// C now.
SD_INLINE sdF8 sdJointLanes_GetPlace(const sdJointRow8* row, const sdJointJacobian* j,
                                     const sdJointPose* pose, const sdBodyLanes* a,
                                     const sdBodyLanes* b) {
    sdF8 moved = sdVec3x8_Dot(j->axis, pose->offset);
    sdF8 turned = sdF8_Select((sdI8)row->isCone, j->swung, sdJointLanes_GetTurn(row, a, b));
    return row->error + sdF8_Select((sdI8)row->isMove, moved, turned);
}

/// C'' of cones, from the turning of both axes: what goes round a cone would leave it along a
/// tangent.
SD_INLINE sdF8 sdJointLanes_GetBend(const sdJointRow8* row, const sdBodyLanes* a,
                                    const sdBodyLanes* b) {
    sdVec3x8 u = sdJointLanes_Turn(a, row->axis), v = sdJointLanes_Turn(b, row->other);
    sdVec3x8 du = sdVec3x8_Cross(a->angularVelocity, u), dv = sdVec3x8_Cross(b->angularVelocity, v);
    sdF8 bend = sdVec3x8_Dot(sdVec3x8_Cross(a->angularVelocity, du), v) +
                sdVec3x8_Dot(sdVec3x8_Cross(b->angularVelocity, dv), u) +
                sdF8_Splat(2.0f) * sdVec3x8_Dot(du, dv);
    return sdF8_Select((sdI8)row->isCone, row->scale * bend, sdF8_Zero());
}

/// J M⁻¹ Jᵀ of a row.
SD_INLINE sdF8 sdJointLanes_GetInverseMass(const sdJointBatch* batch, const sdJointJacobian* j) {
    return (batch->massA + batch->massB) * sdVec3x8_Dot(j->linear, j->linear) +
           sdVec3x8_Dot(j->angularA, j->turnA) + sdVec3x8_Dot(j->angularB, j->turnB);
}

/// Share of a row's inverse mass that may be left when its joint's locks are accounted for; with
/// less, they lock the row.
#define SD_JOINT_LEAST_MASS 1e-4f

/// The mass of a row with an inverse mass of which its joint's locks take a part.
SD_INLINE sdF8 sdJointRow8_MassOf(const sdJointRow8* row, sdF8 inverse, sdF8 taken) {
    sdF8 left = inverse - taken;
    sdI8 isFree = sdF8_Less(inverse * sdF8_Splat(SD_JOINT_LEAST_MASS), left);
    return row->isUsed * sdF8_InverseOf(sdF8_Select(isFree, left, sdF8_Zero()));
}

/// Speed at which a limit may be approached, where c is left until there; it is left at what is
/// negative.
SD_INLINE sdF8 sdJointLanes_GetWay(const sdJointRow8* row, sdF8 c, float h, bool isBiased) {
    sdF8 zero = sdF8_Zero();
    sdF8 back = isBiased ? sdF8_Max(row->stiffness * c, sdF8_Splat(-SD_JOINT_MAX_PUSH)) : zero;
    return sdF8_Select(sdF8_Less(zero, c), c * sdF8_Splat(1.0f / h), back);
}

/// The impulse of a limit on both sides: what one of them needs is nothing to the other.
SD_INLINE sdF8 sdJointLanes_FindLimit(const sdJointRow8* row, sdF8 c, sdF8 speed, float h,
                                      bool isBiased) {
    sdF8 zero = sdF8_Zero();
    sdF8 way = sdJointLanes_GetWay(row, c, h, isBiased);
    sdF8 otherWay = sdJointLanes_GetWay(row, row->range - c, h, isBiased);
    return sdF8_Max(row->impulse - row->mass * (speed + way), zero) +
           sdF8_Min(row->impulse - row->mass * (speed - otherWay), zero);
}

/// @return by how much its impulse has changed
SD_INLINE sdF8 sdJointLanes_SolveRow(const sdJointBatch* batch, sdJointRow8* row,
                                     const sdJointPose* pose, float h, bool isBiased,
                                     sdBodyLanes* a, sdBodyLanes* b, sdJointKick* sum) {
    sdF8 zero = sdF8_Zero(), one = sdF8_Splat(1.0f);
    sdJointJacobian j = sdJointLanes_GetJacobian(batch, row, pose, a, b);
    sdF8 speed = sdVec3x8_Dot(j.linear, sdVec3x8_Sub(b->velocity, a->velocity)) +
                 sdVec3x8_Dot(j.angularB, b->angularVelocity) -
                 sdVec3x8_Dot(j.angularA, a->angularVelocity);
    sdF8 c = sdJointLanes_GetPlace(row, &j, pose, a, b);
    if (isBiased && sdI8_Any((sdI8)row->isCone)) {
        c += sdF8_Splat(0.5f * h * h) * sdJointLanes_GetBend(row, a, b);
    }
    sdI8 isSoft = isBiased ? sdI8_Splat(-1) : (sdI8)row->isSoft;
    sdF8 bias = sdF8_Select(isSoft, row->stiffness * c, zero);
    sdF8 massScale = sdF8_Select(isSoft, row->massScale, one);
    sdF8 impulseScale = sdF8_Select(isSoft, row->impulseScale, zero);
    sdF8 change =
        zero - row->mass * (massScale * (speed - row->target) + bias) - impulseScale * row->impulse;
    sdF8 next = sdF8_Clamp(row->impulse + change, row->lower, row->upper);
    if (!isBiased) {
        // a spring has its say where the sub-step began
        next = sdF8_Select((sdI8)row->isSpring, row->impulse, next);
    }
    if (sdI8_Any((sdI8)row->isLimit)) {
        sdF8 held = sdJointLanes_FindLimit(row, c, speed, h, isBiased);
        next = sdF8_Select((sdI8)row->isLimit, held, next);
    }
    change = next - row->impulse;
    row->impulse = next;
    sdJointLanes_PushRow(batch, &j, change, a, b);
    sdJointKick_AddRow(&j, change, sum);
    return change;
}

// ---- start ---------------------------------------------------------------------------------

/// Arms and axes turn within a step. What the bodies have of a joint's impulses from the sub-step
/// before points where they were then; to leave it so would feed energy into everything that
/// swings. Bring tensors and impulses to where they belong now.
SD_INLINE void sdJointLanes_Aim(sdJointBatch* batch, const sdJointPose* pose, sdBodyLanes* a,
                                sdBodyLanes* b) {
    sdJointLanes_TurnTensors(batch, a, b);
    sdVec3x8 none = {sdF8_Zero(), sdF8_Zero(), sdF8_Zero()};
    sdJointKick sum = {none, none, none};
    for (int i = 0; i < batch->rowCount; ++i) {
        sdJointJacobian j = sdJointLanes_GetJacobian(batch, &batch->rows[i], pose, a, b);
        sdJointKick_AddRow(&j, batch->rows[i].impulse, &sum);
    }
    if (batch->hasBlock) {
        sdJointKick_AddBlock(batch, pose, batch->impulse, &sum);
    }
    sdJointKick_Apply(batch, &batch->applied, &sum, a, b);
    batch->applied = sum;
}

#endif
