// SPDX-License-Identifier: MIT
// joint_tree_lanes.h - eight slender sets of joints at a time: bodies, rows, matrix, factor. For
// kernels.
//
// Ref:  block Cholesky in the order of elimination; Baraff, "Linear-Time Dynamics using Lagrange
//       Multipliers", 1996, for the same in the space of bodies and joints.

#ifndef SD_DYNAMICS_JOINT_TREE_LANES_H
#define SD_DYNAMICS_JOINT_TREE_LANES_H

#include "dynamics/joint_grip_lanes.h"

/// rad that a body turns in a sub-step at most.
#define MAX_TURN 0.8f
/// Of what a row about an axis would give if nothing were locked: less is rounding, whose square it
/// is.
#define LEAST_SHARE 1e-9f

// ---- bodies --------------------------------------------------------------------------------

SD_INLINE sdVec3x8 zeroVec(void) {
    return (sdVec3x8){sdF8_Zero(), sdF8_Zero(), sdF8_Zero()};
}

/// From the start of the step to now.
SD_INLINE sdVec3x8 forth(const sdTreeBody* body, sdVec3x8 v) {
    sdVec3x8 r = sdVec3x8_Scale(v.x, body->rotation[0]);
    r = sdVec3x8_MulAdd(r, v.y, body->rotation[1]);
    return sdVec3x8_MulAdd(r, v.z, body->rotation[2]);
}

SD_INLINE void setRotation(sdTreeBody* body) {
    sdVec3x8 q = body->now.turn;
    sdF8 s = body->now.turnScalar, one = sdF8_Splat(1.0f), two = sdF8_Splat(2.0f);
    sdF8 xx = two * q.x * q.x, yy = two * q.y * q.y, zz = two * q.z * q.z;
    sdF8 xy = two * q.x * q.y, xz = two * q.x * q.z, yz = two * q.y * q.z;
    sdF8 sx = two * s * q.x, sy = two * s * q.y, sz = two * s * q.z;
    body->rotation[0] = (sdVec3x8){one - yy - zz, xy + sz, xz - sy};
    body->rotation[1] = (sdVec3x8){xy - sz, one - xx - zz, yz + sx};
    body->rotation[2] = (sdVec3x8){xz + sy, yz - sx, one - xx - yy};
}

/// A tensor of the start of the step, turned.
SD_INLINE sdSym3x8 turnTensor(const sdTreeBody* body, const sdSym3x8* m) {
    const sdVec3x8* r = body->rotation;
    // columns of R m
    sdVec3x8 x = forth(body, (sdVec3x8){m->xx, m->xy, m->xz});
    sdVec3x8 y = forth(body, (sdVec3x8){m->xy, m->yy, m->yz});
    sdVec3x8 z = forth(body, (sdVec3x8){m->xz, m->yz, m->zz});
    return (sdSym3x8){
        x.x * r[0].x + y.x * r[1].x + z.x * r[2].x, x.x * r[0].y + y.x * r[1].y + z.x * r[2].y,
        x.x * r[0].z + y.x * r[1].z + z.x * r[2].z, x.y * r[0].y + y.y * r[1].y + z.y * r[2].y,
        x.y * r[0].z + y.y * r[1].z + z.y * r[2].z, x.z * r[0].z + y.z * r[1].z + z.z * r[2].z};
}

/// Number by number: compilers copy structs by halves of lanes, and what is read as a whole right
/// after that has to wait.
SD_INLINE void copyTensor(sdSym3x8* to, const sdSym3x8* from) {
    to->xx = from->xx;
    to->xy = from->xy;
    to->xz = from->xz;
    to->yy = from->yy;
    to->yz = from->yz;
    to->zz = from->zz;
}

/// Tensors where a body is now.
SD_INLINE void turnTensors(sdTreeBody* body) {
    body->momentNow = turnTensor(body, &body->moment);
    body->inertia = turnTensor(body, &body->startInertia);
    if (body->isPlain) {
        copyTensor(&body->freeNow, &body->inertia);
    } else {
        body->freeNow = turnTensor(body, &body->freeInertia);
    }
}

/// The same where a step begins.
SD_INLINE void startTurn(sdTreeBody* body) {
    sdF8 one = sdF8_Splat(1.0f), zero = sdF8_Zero();
    body->rotation[0] = (sdVec3x8){one, zero, zero};
    body->rotation[1] = (sdVec3x8){zero, one, zero};
    body->rotation[2] = (sdVec3x8){zero, zero, one};
    copyTensor(&body->momentNow, &body->moment);
    copyTensor(&body->inertia, &body->startInertia);
    copyTensor(&body->freeNow, &body->freeInertia);
}

SD_INLINE void gatherBody(sdTreeBody* body, const sdBodyState* states) {
    body->now = sdBodyLanes_Gather(body->states, states);
}

/// The angle of the sub-step with the angular velocity as it is at its start. A body without torque
/// keeps its angular momentum, so its mean velocity is w + h/2 I⁻¹ ((I w) × w).
/// @return the momentum
SD_INLINE sdVec3x8 findAngle(sdTreeBody* body, float h) {
    sdVec3x8 w = body->now.angularVelocity;
    sdF8 step = sdF8_Splat(h);
    sdVec3x8 momentum = sdSym3x8_Mul(&body->momentNow, w);
    sdVec3x8 rate = sdSym3x8_Mul(&body->freeNow, sdVec3x8_Cross(momentum, w));
    sdVec3x8 mean = sdVec3x8_MulAdd(w, sdF8_Splat(0.5f * h), rate);
    mean = sdVec3x8_Select((sdI8)body->isEven, w, mean);
    body->angle = sdVec3x8_Scale(step, mean);
    return momentum;
}

/// Wide angles are cut, so that series hold.
SD_INLINE sdVec3x8 cutAngle(sdVec3x8 angle) {
    sdF8 square = sdVec3x8_Dot(angle, angle), limit = sdF8_Splat(MAX_TURN * MAX_TURN);
    sdI8 isWide = sdF8_Less(limit, square);
    if (!sdI8_Any(isWide)) {
        return angle;
    }
    sdF8 one = sdF8_Splat(1.0f);
    sdF8 scale = sdF8_Select(isWide, sdF8_Sqrt(limit / sdF8_Max(square, limit)), one);
    return sdVec3x8_Scale(scale, angle);
}

/// Turn by an angle up to MAX_TURN: series of sine and cosine of its half, unit length by a step of
/// Newton's method.
SD_INLINE void turnBy(sdBodyLanes* body, sdVec3x8 angle) {
    sdF8 square = sdVec3x8_Dot(angle, angle) * sdF8_Splat(0.25f), one = sdF8_Splat(1.0f);
    sdF8 sine = one - square * (sdF8_Splat(1.0f / 6.0f) - square * sdF8_Splat(1.0f / 120.0f));
    sdF8 s = one - square * (sdF8_Splat(0.5f) - square * (sdF8_Splat(1.0f / 24.0f) -
                                                          square * sdF8_Splat(1.0f / 720.0f)));
    sdVec3x8 v = sdVec3x8_Scale(sdF8_Splat(0.5f) * sine, angle);
    sdVec3x8 rv = sdVec3x8_MulAdd(sdVec3x8_Cross(v, body->turn), s, body->turn);
    rv = sdVec3x8_MulAdd(rv, body->turnScalar, v);
    sdF8 rs = s * body->turnScalar - sdVec3x8_Dot(v, body->turn);
    sdF8 scale = sdF8_Splat(1.5f) - sdF8_Splat(0.5f) * (sdVec3x8_Dot(rv, rv) + rs * rs);
    body->turn = sdVec3x8_Scale(scale, rv);
    body->turnScalar = scale * rs;
}

/// Move for a sub-step; turns keep the angular momentum.
SD_INLINE void moveBody(sdTreeBody* body, float h) {
    sdBodyLanes* now = &body->now;
    now->displacement = sdVec3x8_MulAdd(now->displacement, sdF8_Splat(h), now->velocity);
    sdVec3x8 w = now->angularVelocity, momentum = findAngle(body, h);
    turnBy(now, cutAngle(body->angle));
    setRotation(body);
    turnTensors(body);
    sdVec3x8 next = sdSym3x8_Mul(&body->freeNow, momentum);
    now->angularVelocity = sdVec3x8_Select((sdI8)body->isEven, w, next);
}

// ---- rows ----------------------------------------------------------------------------------

/// I (r × e) for the axes of the world.
SD_INLINE void turnArms(const sdSym3x8* m, sdVec3x8 r, sdVec3x8 out[3]) {
    out[0] =
        (sdVec3x8){m->xy * r.z - m->xz * r.y, m->yy * r.z - m->yz * r.y, m->yz * r.z - m->zz * r.y};
    out[1] =
        (sdVec3x8){m->xz * r.x - m->xx * r.z, m->yz * r.x - m->xy * r.z, m->zz * r.x - m->xz * r.z};
    out[2] =
        (sdVec3x8){m->xx * r.y - m->xy * r.x, m->xy * r.y - m->yy * r.x, m->xz * r.y - m->yz * r.x};
}

/// r × e for the axes of the world: the rows of anchors turn bodies about these.
SD_INLINE void armRows(sdVec3x8 r, sdVec3x8 out[3]) {
    sdF8 zero = sdF8_Zero();
    out[0] = (sdVec3x8){zero, r.z, zero - r.y};
    out[1] = (sdVec3x8){zero - r.z, zero, r.x};
    out[2] = (sdVec3x8){r.y, zero - r.x, zero};
}

SD_INLINE void findPose(const sdTreeGroup* group, int n) {
    const sdTreeNode* node = &group->plan->nodes[n];
    const sdJointBatch* batch = group->batches[n];
    const sdTreeBody *a = &group->bodies[node->bodyA], *b = &group->bodies[node->bodyB];
    sdJointPose* pose = &group->poses[n];
    pose->rA = forth(a, batch->rA);
    pose->rB = forth(b, batch->rB);
    sdVec3x8 wayA = sdVec3x8_Add(a->now.displacement, sdVec3x8_Sub(pose->rA, batch->rA));
    sdVec3x8 wayB = sdVec3x8_Add(b->now.displacement, sdVec3x8_Sub(pose->rB, batch->rB));
    pose->offset = sdVec3x8_Add(batch->offset, sdVec3x8_Sub(wayB, wayA));
}

/// What turns a body, of a side of a block.
SD_INLINE void getArms(const sdTreeGroup* group, int b, bool isB, sdVec3x8 out[3]) {
    const sdTreeBlock* block = &group->plan->blocks[b];
    const sdJointPose* pose = &group->poses[block->node];
    if (block->firstRow == SD_NULL_INDEX) {
        armRows(isB ? pose->rB : pose->rA, out);
        return;
    }
    const sdVec3x8* from = isB ? group->rows[b].angularB : group->rows[b].angularA;
    for (int i = 0; i < 3; ++i) {
        out[i] = from[i];
    }
}

SD_INLINE void makeRows(const sdTreeGroup* group, int b) {
    const sdTreeBlock* block = &group->plan->blocks[b];
    const sdTreeNode* node = &group->plan->nodes[block->node];
    const sdJointBatch* batch = group->batches[block->node];
    sdTreeRows* rows = &group->rows[b];
    for (int i = 0; i < 3; ++i) {
        int r = block->firstRow + i;
        rows->linear[i] = rows->angularA[i] = rows->angularB[i] = zeroVec();
        if (r < batch->lockCount) {
            sdJointJacobian j = sdJointLanes_GetJacobian(
                batch, &batch->rows[r], &group->poses[block->node], &group->bodies[node->bodyA].now,
                &group->bodies[node->bodyB].now);
            sdF8 used = batch->rows[r].isUsed;
            rows->linear[i] = sdVec3x8_Scale(used, j.linear);
            rows->angularA[i] = sdVec3x8_Scale(used, j.angularA);
            rows->angularB[i] = sdVec3x8_Scale(used, j.angularB);
        }
    }
}

// ---- grips ---------------------------------------------------------------------------------

/// J of a block's rows, of a side, times u of a grip.
SD_INLINE void gripRows(const sdTreeGroup* group, int b, bool isB, const sdTreeGrip* grip,
                        sdF8 out[3]) {
    const sdTreeBlock* block = &group->plan->blocks[b];
    if (block->firstRow == SD_NULL_INDEX) {
        const sdJointPose* pose = &group->poses[block->node];
        sdVec3x8 arm = isB ? pose->rB : pose->rA;
        sdVec3x8 moved = sdVec3x8_Add(grip->move, sdVec3x8_Cross(grip->turn, arm));
        out[0] = moved.x;
        out[1] = moved.y;
        out[2] = moved.z;
        return;
    }
    const sdTreeRows* rows = &group->rows[b];
    const sdVec3x8* arms = isB ? rows->angularB : rows->angularA;
    for (int i = 0; i < 3; ++i) {
        out[i] = sdVec3x8_Dot(grip->move, rows->linear[i]) + sdVec3x8_Dot(grip->turn, arms[i]);
    }
}

/// m -= sign Σ (J_row u) (J_column u)ᵀ of the grips of the body that two blocks share.
SD_INLINE void subtractGrips(const sdTreeGroup* group, const sdTreeBody* body, int row, int column,
                             bool rowIsB, bool columnIsB, sdF8* m) {
    bool isSame = row == column && rowIsB == columnIsB;
    sdF8 sign = sdF8_Splat(rowIsB == columnIsB ? 1.0f : -1.0f);
    for (int g = 0; g < body->gripCount; ++g) {
        const sdTreeGrip* grip = &body->grips[g];
        sdF8 r[3], c[3];
        if (grip->held == 0) {
            continue;
        }
        gripRows(group, row, rowIsB, grip, r);
        if (isSame) {
            c[0] = r[0];
            c[1] = r[1];
            c[2] = r[2];
        } else {
            gripRows(group, column, columnIsB, grip, c);
        }
        for (int i = 0; i < 9; ++i) {
            m[i] -= sign * r[i / 3] * c[i % 3];
        }
    }
}

// ---- matrix --------------------------------------------------------------------------------

/// One by one: as a copy of so many bytes it would be a loop of the processor's, which is slow to
/// start.
SD_INLINE void copyBlock(const sdF8* from, sdF8* to) {
    to[0] = from[0];
    to[1] = from[1];
    to[2] = from[2];
    to[3] = from[3];
    to[4] = from[4];
    to[5] = from[5];
    to[6] = from[6];
    to[7] = from[7];
    to[8] = from[8];
}

/// m += sign [r]× of each turn: r × e for the axes of the world, times turn
SD_INLINE void addArms(sdVec3x8 r, const sdVec3x8 turn[3], sdF8 sign, sdF8* m) {
    for (int j = 0; j < 3; ++j) {
        sdVec3x8 column = sdVec3x8_Cross(turn[j], r);
        m[j] += sign * column.x;
        m[3 + j] += sign * column.y;
        m[6 + j] += sign * column.z;
    }
}

/// m += sign (mass L_row L_columnᵀ + G_row (I G_column)ᵀ)
SD_INLINE void addProduct(const sdTreeGroup* group, int row, int column, bool rowIsB,
                          bool columnIsB, sdF8* m) {
    const sdTreePlan* plan = group->plan;
    const sdTreeNode* node = &plan->nodes[plan->blocks[row].node];
    sdF8 mass = group->bodies[rowIsB ? node->bodyB : node->bodyA].mass;
    sdF8 sign = sdF8_Splat(rowIsB == columnIsB ? 1.0f : -1.0f);
    const sdVec3x8* turn =
        columnIsB ? group->matrices[column].turnB : group->matrices[column].turnA;
    bool isPoint = plan->blocks[row].firstRow == SD_NULL_INDEX;
    bool isColumnPoint = plan->blocks[column].firstRow == SD_NULL_INDEX;
    if (isPoint) {
        const sdJointPose* pose = &group->poses[plan->blocks[row].node];
        addArms(rowIsB ? pose->rB : pose->rA, turn, sign, m);
    } else {
        sdVec3x8 arms[3];
        getArms(group, row, rowIsB, arms);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                m[3 * i + j] += sign * sdVec3x8_Dot(arms[i], turn[j]);
            }
        }
    }
    mass *= sign;
    const sdTreeBody* body = &group->bodies[rowIsB ? node->bodyB : node->bodyA];
    if (body->isHeld) {
        subtractGrips(group, body, row, column, rowIsB, columnIsB, m);
    }
    if (isPoint && isColumnPoint) {
        m[0] += mass;
        m[4] += mass;
        m[8] += mass;
        return;
    }
    static const float units[3][3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    for (int i = 0; i < 3; ++i) {
        sdVec3x8 u = isPoint ? sdVec3x8_Splat(sdV3(units[i][0], units[i][1], units[i][2]))
                             : group->rows[row].linear[i];
        for (int j = 0; j < 3; ++j) {
            sdVec3x8 v = isColumnPoint ? sdVec3x8_Splat(sdV3(units[j][0], units[j][1], units[j][2]))
                                       : group->rows[column].linear[j];
            m[3 * i + j] += mass * sdVec3x8_Dot(u, v);
        }
    }
}

/// J M⁻¹ Jᵀ of anchors, the lower triangle.
SD_INLINE void preparePoint(const sdTreeGroup* group, int b, sdF8 mass) {
    const sdTreeBlock* block = &group->plan->blocks[b];
    const sdTreeNode* node = &group->plan->nodes[block->node];
    const sdJointPose* pose = &group->poses[block->node];
    sdTreeMatrix* matrix = &group->matrices[b];
    sdF8* m = matrix->whole;
    sdVec3x8 rA = pose->rA, rB = pose->rB;
    turnArms(&group->bodies[node->bodyA].inertia, rA, matrix->turnA);
    turnArms(&group->bodies[node->bodyB].inertia, rB, matrix->turnB);
    const sdVec3x8 *a = matrix->turnA, *c = matrix->turnB;
    m[0] = mass + (a[0].y * rA.z - a[0].z * rA.y) + (c[0].y * rB.z - c[0].z * rB.y);
    m[3] = (a[0].z * rA.x - a[0].x * rA.z) + (c[0].z * rB.x - c[0].x * rB.z);
    m[6] = (a[0].x * rA.y - a[0].y * rA.x) + (c[0].x * rB.y - c[0].y * rB.x);
    m[4] = mass + (a[1].z * rA.x - a[1].x * rA.z) + (c[1].z * rB.x - c[1].x * rB.z);
    m[7] = (a[1].x * rA.y - a[1].y * rA.x) + (c[1].x * rB.y - c[1].y * rB.x);
    m[8] = mass + (a[2].x * rA.y - a[2].y * rA.x) + (c[2].x * rB.y - c[2].y * rB.x);
}

/// The same of rows beside them.
SD_INLINE void prepareRows(const sdTreeGroup* group, int b, sdF8 mass) {
    const sdTreeNode* node = &group->plan->nodes[group->plan->blocks[b].node];
    const sdTreeBody *bodyA = &group->bodies[node->bodyA], *bodyB = &group->bodies[node->bodyB];
    const sdTreeRows* rows = &group->rows[b];
    sdTreeMatrix* matrix = &group->matrices[b];
    makeRows(group, b);
    for (int i = 0; i < 3; ++i) {
        matrix->turnA[i] = sdSym3x8_Mul(&bodyA->inertia, rows->angularA[i]);
        matrix->turnB[i] = sdSym3x8_Mul(&bodyB->inertia, rows->angularB[i]);
        for (int j = 0; j <= i; ++j) {
            matrix->whole[3 * i + j] = sdVec3x8_Dot(rows->angularA[i], matrix->turnA[j]) +
                                       sdVec3x8_Dot(rows->angularB[i], matrix->turnB[j]) +
                                       mass * sdVec3x8_Dot(rows->linear[i], rows->linear[j]);
        }
    }
}

/// Rows of a block where bodies are now, and what their impulses do.
SD_INLINE void prepareBlock(const sdTreeGroup* group, int b) {
    const sdTreeBlock* block = &group->plan->blocks[b];
    const sdTreeNode* node = &group->plan->nodes[block->node];
    sdF8 mass = group->bodies[node->bodyA].mass + group->bodies[node->bodyB].mass;
    if (block->firstRow == SD_NULL_INDEX) {
        preparePoint(group, b, mass);
    } else {
        prepareRows(group, b, mass);
    }
    const sdSym3x8 *iA = &group->bodies[node->bodyA].inertia,
                   *iB = &group->bodies[node->bodyB].inertia;
    sdF8 inertia = iA->xx + iA->yy + iA->zz + iB->xx + iB->yy + iB->zz;
    sdVec3x8 arms[3];
    getArms(group, b, true, arms);
    for (int i = 0; i < 3; ++i) {
        group->matrices[b].least[i] =
            inertia * sdVec3x8_Dot(arms[i], arms[i]) * sdF8_Splat(LEAST_SHARE);
    }
}

/// Its part of the matrix with the points that hold now: the lower triangle.
SD_INLINE void loadBlock(const sdTreeGroup* group, int b) {
    const sdTreeBlock* block = &group->plan->blocks[b];
    const sdTreeNode* node = &group->plan->nodes[block->node];
    const sdTreeBody *bodyA = &group->bodies[node->bodyA], *bodyB = &group->bodies[node->bodyB];
    sdTreeMatrix* matrix = &group->matrices[b];
    sdF8* m = matrix->diagonal;
    copyBlock(matrix->whole, m);
    if (bodyA->isHeld) {
        subtractGrips(group, bodyA, b, b, false, false, m);
    }
    if (bodyB->isHeld) {
        subtractGrips(group, bodyB, b, b, true, true, m);
    }
    sdF8 one = sdF8_Splat(1.0f), softness = sdF8_Load(group->softness);
    for (int i = 0; i < 3; ++i) {
        // rows that are not there, and those about axes that are locked on both bodies, of which
        // rounding leaves a little
        sdF8 k = m[4 * i] * (one + softness);
        matrix->gives[i] = m[4 * i] * softness;
        m[4 * i] = sdF8_Select(sdF8_Less(matrix->least[i], k), k, one);
    }
}

// ---- factor --------------------------------------------------------------------------------

/// The inverse of a symmetric positive matrix, of its lower triangle, in place, by L D Lᵀ.
SD_INLINE void invertBlock(sdF8* m) {
    sdF8 one = sdF8_Splat(1.0f), zero = sdF8_Zero();
    sdF8 d0 = one / m[0], l10 = m[3] * d0, l20 = m[6] * d0;
    sdF8 m21 = m[7] - l20 * m[3], m22 = m[8] - l20 * m[6];
    sdF8 d1 = one / (m[4] - l10 * m[3]), l21 = m21 * d1;
    sdF8 d2 = one / (m22 - l21 * m21), n20 = l10 * l21 - l20;
    sdF8 i21 = zero - l21 * d2, i20 = n20 * d2, i10 = n20 * i21 - l10 * d1;
    m[0] = d0 + l10 * l10 * d1 + n20 * i20;
    m[4] = d1 - l21 * i21;
    m[8] = d2;
    m[1] = m[3] = i10;
    m[2] = m[6] = i20;
    m[5] = m[7] = i21;
}

/// out = b d
SD_INLINE void product(const sdF8* b, const sdF8* d, sdF8* out) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out[3 * i + j] = b[3 * i] * d[j] + b[3 * i + 1] * d[3 + j] + b[3 * i + 2] * d[6 + j];
        }
    }
}

/// m -= a bᵀ
SD_INLINE void subtractProduct(sdF8* m, const sdF8* a, const sdF8* b) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            m[3 * i + j] -=
                a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] + a[3 * i + 2] * b[3 * j + 2];
        }
    }
}

/// The same of a symmetric m, the lower triangle.
SD_INLINE void subtractSquare(sdF8* m, const sdF8* a, const sdF8* b) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j) {
            m[3 * i + j] -=
                a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] + a[3 * i + 2] * b[3 * j + 2];
        }
    }
}

/// Columns in the order of elimination: D⁻¹, and B D⁻¹ below it.
SD_INLINE void factor(const sdTreeGroup* group) {
    const sdTreePlan* plan = group->plan;
    for (int c = 0; c < plan->blockCount; ++c) {
        const sdTreeBlock* block = &plan->blocks[c];
        sdF8* d = group->matrices[c].diagonal;
        sdF8* first = group->below + (size_t)block->firstBelow * 9;
        const int* target = plan->targets + block->firstTarget;
        invertBlock(d);
        for (int i = 0; i < block->neighbourCount; ++i) {
            sdF8 scaled[9];
            sdF8* b = first + 9 * (size_t)i;
            product(b, d, scaled);
            subtractSquare(group->matrices[block->neighbours[i]].diagonal, scaled, b);
            target += 1;
            // those before have been scaled already, and are not needed any more as they were
            for (int j = i + 1; j < block->neighbourCount; ++j) {
                subtractProduct(group->below + (size_t)*target++ * 9, first + 9 * (size_t)j,
                                scaled);
            }
            copyBlock(scaled, b);
        }
    }
}

/// Vectors become the solution.
SD_INLINE void substitute(const sdTreeGroup* group) {
    const sdTreePlan* plan = group->plan;
    for (int c = 0; c < plan->blockCount; ++c) {
        const sdTreeBlock* block = &plan->blocks[c];
        const sdF8* from = group->matrices[c].vector;
        const sdF8* b = group->below + (size_t)block->firstBelow * 9;
        for (int n = 0; n < block->neighbourCount; ++n, b += 9) {
            sdF8* to = group->matrices[block->neighbours[n]].vector;
            for (int i = 0; i < 3; ++i) {
                to[i] -= b[3 * i] * from[0] + b[3 * i + 1] * from[1] + b[3 * i + 2] * from[2];
            }
        }
    }
    for (int c = plan->blockCount - 1; c >= 0; --c) {
        const sdTreeBlock* block = &plan->blocks[c];
        const sdF8* d = group->matrices[c].diagonal;
        const sdF8* b = group->below + (size_t)block->firstBelow * 9;
        sdF8 *own = group->matrices[c].vector, next[3];
        for (int i = 0; i < 3; ++i) {
            next[i] = d[3 * i] * own[0] + d[3 * i + 1] * own[1] + d[3 * i + 2] * own[2];
        }
        for (int n = 0; n < block->neighbourCount; ++n, b += 9) {
            const sdF8* from = group->matrices[block->neighbours[n]].vector;
            for (int i = 0; i < 3; ++i) {
                next[i] -= b[i] * from[0] + b[3 + i] * from[1] + b[6 + i] * from[2];
            }
        }
        for (int i = 0; i < 3; ++i) {
            own[i] = next[i];
        }
    }
}

#endif
