// SPDX-License-Identifier: MIT
// joint_tree_sweeps.h - limits and drives of slender sets of joints, eight at a time: which of them
// have something to do, and their masses. For kernels.

#ifndef SD_DYNAMICS_JOINT_TREE_SWEEPS_H
#define SD_DYNAMICS_JOINT_TREE_SWEEPS_H

#include "dynamics/joint_tree_lanes.h"

/// rad from a limit that nothing reaches in a sub-step unless it is on its way already.
#define IDLE_ANGLE 0.1f

// ---- where rows are ------------------------------------------------------------------------

/// Tell the limits of turns, of which sweeps need little.
SD_INLINE void chooseAims(const sdTreeGroup* group) {
    for (int n = 0; group->hasSweeps && n < group->plan->nodeCount; ++n) {
        sdJointBatch* batch = group->batches[n];
        for (int i = batch->lockCount; i < batch->rowCount; ++i) {
            sdJointRow8* row = &batch->rows[i];
            sdI8 isTurn = (sdI8)row->isLimit & ~(sdI8)row->isMove;
            row->isAimed = !sdI8_Any(sdF8_Less(sdF8_Zero(), row->isUsed) & ~isTurn);
        }
    }
}

/// Find limits of turns of a joint where bodies are now, and the tensors that other rows ask for.
SD_NOINLINE void aimRows(const sdTreeGroup* group, int n) {
    const sdTreeNode* node = &group->plan->nodes[n];
    const sdTreeBody *a = &group->bodies[node->bodyA], *b = &group->bodies[node->bodyB];
    sdJointBatch* batch = group->batches[n];
    for (int i = batch->lockCount; i < batch->rowCount; ++i) {
        const sdJointRow8* row = &batch->rows[i];
        sdTreeAim* aim = &group->aims[n][i];
        aim->held = SD_NOT_HELD;
        if (!row->isAimed) {
            batch->inertiaA = a->inertia;
            batch->inertiaB = b->inertia;
            continue;
        }
        sdI8 isCone = (sdI8)row->isCone;
        sdF8 turned = sdJointLanes_GetTurn(row, &a->now, &b->now);
        aim->axis = aim->own = forth(a, row->axis);
        if (sdI8_Any(isCone)) {
            aim->other = forth(b, row->other);
            sdVec3x8 cone = sdVec3x8_Scale(row->scale, sdVec3x8_Cross(aim->other, aim->own));
            aim->axis = sdVec3x8_Select(isCone, cone, aim->own);
            sdF8 swung = row->scale * sdVec3x8_Dot(aim->own, aim->other);
            turned = sdF8_Select(isCone, swung, turned);
        }
        aim->place = row->error + turned;
        aim->turnA = sdSym3x8_Mul(&a->inertia, aim->axis);
        aim->turnB = sdSym3x8_Mul(&b->inertia, aim->axis);
    }
}

/// C'' of cones, as of sdJointLanes_GetBend: both axes turn.
SD_INLINE sdF8 bendOf(const sdJointRow8* row, const sdTreeAim* aim, sdVec3x8 wA, sdVec3x8 wB) {
    sdVec3x8 u = aim->own, v = aim->other, w = sdVec3x8_Sub(wB, wA);
    sdF8 aU = sdVec3x8_Dot(wA, u), aV = sdVec3x8_Dot(wA, v);
    sdF8 bU = sdVec3x8_Dot(wB, u), bV = sdVec3x8_Dot(wB, v);
    sdF8 bend =
        aU * aV + bU * bV - sdF8_Splat(2.0f) * aV * bU - sdVec3x8_Dot(w, w) * sdVec3x8_Dot(u, v);
    return sdF8_Select((sdI8)row->isCone, row->scale * bend, sdF8_Zero());
}

SD_INLINE void pushAim(const sdTreeAim* aim, sdF8 impulse, sdBodyLanes* a, sdBodyLanes* b) {
    sdF8 back = sdF8_Zero() - impulse;
    a->angularVelocity = sdVec3x8_MulAdd(a->angularVelocity, back, aim->turnA);
    b->angularVelocity = sdVec3x8_MulAdd(b->angularVelocity, impulse, aim->turnB);
}

/// As sdJointLanes_SolveRow.
/// @return by how much its impulse has changed
SD_INLINE sdF8 solveAim(sdJointRow8* row, const sdTreeAim* aim, float h, bool isBiased,
                        sdBodyLanes* a, sdBodyLanes* b) {
    sdVec3x8 wA = a->angularVelocity, wB = b->angularVelocity;
    sdF8 speed = sdVec3x8_Dot(aim->axis, sdVec3x8_Sub(wB, wA)), c = aim->place;
    if (isBiased && sdI8_Any((sdI8)row->isCone)) {
        c += sdF8_Splat(0.5f * h * h) * bendOf(row, aim, wA, wB);
    }
    sdF8 next = sdJointLanes_FindLimit(row, c, speed, h, isBiased);
    sdF8 change = next - row->impulse;
    row->impulse = next;
    pushAim(aim, change, a, b);
    return change;
}

// ---- locks of a joint ----------------------------------------------------------------------

/// D of a joint's locks, as D⁻¹ of its first block, what is below times that, and the inverse of
/// what is left of the second.
typedef struct LockFactor {
    sdF8 first[9], below[9], second[9];
} LockFactor;

SD_NOINLINE void factorLocks(const sdTreeGroup* group, const sdTreeNode* node, LockFactor* out) {
    int b = node->firstBlock;
    copyBlock(group->matrices[b].diagonal, out->first);
    invertBlock(out->first);
    if (node->blockCount > 1) {
        sdF8 part[9];
        memset(part, 0, sizeof part);
        addProduct(group, b + 1, b, false, false, part);
        addProduct(group, b + 1, b, true, true, part);
        product(part, out->first, out->below);
        copyBlock(group->matrices[b + 1].diagonal, out->second);
        subtractSquare(out->second, out->below, part);
        invertBlock(out->second);
    }
}

/// vᵀ M v
SD_INLINE sdF8 squareBy(const sdF8* m, const sdF8* v) {
    sdF8 sum = sdF8_Zero();
    for (int i = 0; i < 3; ++i) {
        sum += v[i] * (m[3 * i] * v[0] + m[3 * i + 1] * v[1] + m[3 * i + 2] * v[2]);
    }
    return sum;
}

/// kᵀ D⁻¹ k; k of the second block is changed.
SD_INLINE sdF8 takenByLocks(const LockFactor* locks, const sdTreeNode* node, sdF8* k) {
    sdF8 taken = squareBy(locks->first, k);
    if (node->blockCount > 1) {
        const sdF8* w = locks->below;
        for (int i = 0; i < 3; ++i) {
            k[3 + i] -= w[3 * i] * k[0] + w[3 * i + 1] * k[1] + w[3 * i + 2] * k[2];
        }
        taken += squareBy(locks->second, k + 3);
    }
    return taken;
}

/// Whether a row is a limit of turns that no lane can reach in the next sub-step, nor leans on: it
/// does nothing, and most are so most of the time.
SD_INLINE bool isIdle(const sdTreeBody* a, const sdTreeBody* b, const sdJointRow8* row,
                      const sdTreeAim* aim, float h) {
    sdF8 zero = sdF8_Zero(), one = sdF8_Splat(1.0f), place = aim->place;
    sdI8 isUsed = sdF8_Less(zero, row->isUsed);
    if (!row->isAimed || sdI8_Any(isUsed & sdF8_Less(zero, sdF8_Abs(row->impulse)))) {
        return false;
    }
    sdVec3x8 w = sdVec3x8_Sub(b->now.angularVelocity, a->now.angularVelocity);
    sdF8 speed = sdF8_Sqrt(sdVec3x8_Dot(w, w)) * sdF8_Select((sdI8)row->isCone, row->scale, one);
    sdF8 reach = sdF8_Splat(IDLE_ANGLE) + sdF8_Splat(2.0f * h) * speed;
    return !sdI8_Any(isUsed & sdF8_LessEqual(sdF8_Min(place, row->range - place), reach));
}

/// What contacts hold of a body counts for a row and for the locks of its joint alike: otherwise
/// locks would seem to take more of the row's inverse mass than there is.
/// @param k J M⁻¹ Jᵀ between the locks and the row
/// @param inverse J M⁻¹ Jᵀ of the row
SD_INLINE void subtractGripsOf(const sdTreeGroup* group, const sdTreeNode* node, bool isB,
                               const sdJointJacobian* j, sdF8* k, sdF8* inverse) {
    const sdTreeBody* body = &group->bodies[isB ? node->bodyB : node->bodyA];
    for (int g = 0; body->isHeld && g < body->gripCount; ++g) {
        const sdTreeGrip* grip = &body->grips[g];
        if (grip->held == 0) {
            continue;
        }
        sdF8 own = sdVec3x8_Dot(grip->move, j->linear) +
                   sdVec3x8_Dot(grip->turn, isB ? j->angularB : j->angularA);
        *inverse -= own * own;
        for (int b = 0; b < node->blockCount; ++b) {
            sdF8 locks[3];
            gripRows(group, node->firstBlock + b, isB, grip, locks);
            for (int i = 0; i < 3; ++i) {
                k[3 * b + i] -= locks[i] * own;
            }
        }
    }
}

/// J of a row, where bodies are now.
SD_INLINE sdJointJacobian jacobianOf(const sdTreeGroup* group, int n, int i) {
    const sdTreeNode* node = &group->plan->nodes[n];
    const sdTreeBody *a = &group->bodies[node->bodyA], *b = &group->bodies[node->bodyB];
    const sdJointBatch* batch = group->batches[n];
    const sdTreeAim* aim = &group->aims[n][i];
    if (batch->rows[i].isAimed) {
        return (sdJointJacobian){.linear = zeroVec(),
                                 .angularA = aim->axis,
                                 .angularB = aim->axis,
                                 .turnA = aim->turnA,
                                 .turnB = aim->turnB};
    }
    return sdJointLanes_GetJacobian(batch, &batch->rows[i], &group->poses[n], &a->now, &b->now);
}

/// Rows beside those that lock move with the locks of their joint held: of the inverse mass k is
/// left k - kᵀ D⁻¹ k.
SD_NOINLINE sdF8 findSweptMass(const sdTreeGroup* group, int n, const LockFactor* locks, int row) {
    const sdTreeNode* node = &group->plan->nodes[n];
    const sdJointBatch* batch = group->batches[n];
    sdF8 mass = batch->massA + batch->massB;
    sdJointJacobian j = jacobianOf(group, n, row);
    sdF8 k[3 * SD_TREE_JOINT_BLOCKS], inverse = sdJointLanes_GetInverseMass(batch, &j);
    for (int i = 0; i < 3 * node->blockCount; ++i) {
        int b = node->firstBlock + i / 3;
        const sdTreeMatrix* matrix = &group->matrices[b];
        // (M⁻¹ Jᵀ of the lock) · J of the row
        k[i] = sdVec3x8_Dot(matrix->turnA[i % 3], j.angularA) +
               sdVec3x8_Dot(matrix->turnB[i % 3], j.angularB);
        sdF8 part[3] = {j.linear.x, j.linear.y, j.linear.z};
        bool isPoint = group->plan->blocks[b].firstRow == SD_NULL_INDEX;
        k[i] +=
            mass * (isPoint ? part[i % 3] : sdVec3x8_Dot(group->rows[b].linear[i % 3], j.linear));
    }
    subtractGripsOf(group, node, false, &j, k, &inverse);
    subtractGripsOf(group, node, true, &j, k, &inverse);
    return sdJointRow8_MassOf(&batch->rows[row], inverse, takenByLocks(locks, node, k));
}

/// The points that hold the bodies of a joint now, lane by lane.
SD_INLINE uint64_t heldBy(const sdTreeBody* a, const sdTreeBody* b) {
    uint64_t held = 0;
    for (int g = 0; g < a->gripCount; ++g) {
        held = held << SD_LANES | a->grips[g].held;
    }
    for (int g = 0; g < b->gripCount; ++g) {
        held = held << SD_LANES | b->grips[g].held;
    }
    return held;
}

/// What limits and drives of a joint need in the next sub-step. Masses stay as they are while the
/// same points hold where bodies are; once those have moved they are others: what locks leave of a
/// long arm is little, and soon ten times as much.
SD_INLINE void prepareSweeps(const sdTreeGroup* group, int n, float h) {
    const sdTreeNode* node = &group->plan->nodes[n];
    const sdTreeBody *bodyA = &group->bodies[node->bodyA], *bodyB = &group->bodies[node->bodyB];
    sdJointBatch* batch = group->batches[n];
    sdTreeAim* aims = group->aims[n];
    uint64_t held = heldBy(bodyA, bodyB);
    bool hasWork = false;
    for (int r = batch->lockCount; r < batch->rowCount; ++r) {
        sdJointRow8* row = &batch->rows[r];
        row->isIdle = isIdle(bodyA, bodyB, row, &aims[r], h);
        hasWork = hasWork || (!row->isIdle && aims[r].held != held);
    }
    if (!hasWork) {
        return;
    }
    LockFactor locks;
    factorLocks(group, node, &locks);
    for (int r = batch->lockCount; r < batch->rowCount; ++r) {
        if (!batch->rows[r].isIdle) {
            batch->rows[r].mass = findSweptMass(group, n, &locks, r);
            aims[r].held = held;
        }
    }
}

#endif
