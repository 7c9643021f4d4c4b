// SPDX-License-Identifier: MIT
// joint_tree_sweeps.h - limits and drives of slender sets of joints, eight at a time: which of them
// have something to do, and their masses. For kernels.

#ifndef SD_DYNAMICS_JOINT_TREE_SWEEPS_H
#define SD_DYNAMICS_JOINT_TREE_SWEEPS_H

#include "dynamics/joint_tree_lanes.h"

/// rad from a limit that nothing reaches in a sub-step unless it is on its way already.
#define IDLE_ANGLE 0.1f

// ---- locks of a joint ----------------------------------------------------------------------

/// D of a joint's locks, as D⁻¹ of its first block, what is below times that, and the inverse of
/// what is left of the second.
typedef struct LockFactor {
    sdF8 first[9], below[9], second[9];
} LockFactor;

SD_NOINLINE void factorLocks(const sdTreeGroup* group, const sdTreeNode* node, LockFactor* out) {
    int b = node->firstBlock;
    memcpy(out->first, group->matrices[b].diagonal, sizeof out->first);
    invertBlock(out->first);
    if (node->blockCount > 1) {
        sdF8 part[9];
        memset(part, 0, sizeof part);
        addProduct(group, b + 1, b, false, false, part);
        addProduct(group, b + 1, b, true, true, part);
        product(part, out->first, out->below);
        memcpy(out->second, group->matrices[b + 1].diagonal, sizeof out->second);
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
SD_INLINE bool isIdle(const sdTreeBody* a, const sdTreeBody* b, const sdJointRow8* row, float h) {
    sdF8 zero = sdF8_Zero(), one = sdF8_Splat(1.0f);
    sdI8 isCone = (sdI8)row->isCone, isUsed = sdF8_Less(zero, row->isUsed);
    sdI8 isTurn = (sdI8)row->isLimit & ~(sdI8)row->isMove;
    if (sdI8_Any(isUsed & (~isTurn | sdF8_Less(zero, sdF8_Abs(row->impulse))))) {
        return false;
    }
    sdF8 place = row->error + sdJointLanes_GetTurn(row, &a->now, &b->now);
    if (sdI8_Any(isUsed & isCone)) {
        sdF8 swung = row->scale * sdVec3x8_Dot(forth(a, row->axis), forth(b, row->other));
        place = sdF8_Select(isCone, row->error + swung, place);
    }
    sdVec3x8 w = sdVec3x8_Sub(b->now.angularVelocity, a->now.angularVelocity);
    sdF8 speed = sdF8_Sqrt(sdVec3x8_Dot(w, w)) * sdF8_Select(isCone, row->scale, one);
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
    for (int g = 0; g < body->gripCount; ++g) {
        const sdTreeGrip* grip = &body->grips[g];
        if (grip->held == 0) {
            continue;
        }
        sdF8 own = sdVec3x8_Dot(grip->move, j->linear) +
                   sdVec3x8_Dot(grip->turn, isB ? j->angularB : j->angularA);
        *inverse -= own * own;
        for (int b = 0; b < node->blockCount; ++b) {
            sdVec3x8 arms[3];
            sdF8 locks[3];
            getArms(group, node->firstBlock + b, isB, arms);
            gripRows(group, node->firstBlock + b, arms, grip, locks);
            for (int i = 0; i < 3; ++i) {
                k[3 * b + i] -= locks[i] * own;
            }
        }
    }
}

/// Rows beside those that lock move with the locks of their joint held: of the inverse mass k is
/// left k - kᵀ D⁻¹ k.
SD_NOINLINE sdF8 findSweptMass(const sdTreeGroup* group, int n, const LockFactor* locks,
                               const sdJointRow8* row) {
    const sdTreeNode* node = &group->plan->nodes[n];
    const sdTreeBody *bodyA = &group->bodies[node->bodyA], *bodyB = &group->bodies[node->bodyB];
    const sdJointBatch* batch = group->batches[n];
    sdF8 mass = batch->massA + batch->massB;
    sdJointJacobian j =
        sdJointLanes_GetJacobian(batch, row, &group->poses[n], &bodyA->now, &bodyB->now);
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
    return sdJointRow8_MassOf(row, inverse, takenByLocks(locks, node, k));
}

/// What limits and drives of a joint need in the next sub-step.
SD_INLINE void prepareSweeps(const sdTreeGroup* group, int n, float h) {
    const sdTreeNode* node = &group->plan->nodes[n];
    const sdTreeBody *bodyA = &group->bodies[node->bodyA], *bodyB = &group->bodies[node->bodyB];
    sdJointBatch* batch = group->batches[n];
    bool hasWork = false;
    for (int r = batch->lockCount; r < batch->rowCount; ++r) {
        batch->rows[r].isIdle = isIdle(bodyA, bodyB, &batch->rows[r], h);
        hasWork = hasWork || !batch->rows[r].isIdle;
    }
    if (!hasWork) {
        return;
    }
    LockFactor locks;
    factorLocks(group, node, &locks);
    for (int r = batch->lockCount; r < batch->rowCount; ++r) {
        if (!batch->rows[r].isIdle) {
            batch->rows[r].mass = findSweptMass(group, n, &locks, &batch->rows[r]);
        }
    }
}

#endif
