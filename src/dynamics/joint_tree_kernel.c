// SPDX-License-Identifier: MIT
// joint_tree_kernel.c - eight slender sets of joints at a time: matrix, factor, solution.
//
// Ref:  block Cholesky in the order of elimination; Baraff, "Linear-Time Dynamics using Lagrange
//       Multipliers", 1996, for the same in the space of bodies and joints.
// Note: per joint of a chain some 400 multiplications for a factor of 3 x 3 blocks and 60 for a
//       solution, eight at once. All functions are compiled for sizes 3 and 6.

#include "dynamics/joint_lanes.h"
#include "dynamics/joint_tree.h"

#define MAX_SIZE 6

// ---- rows ----------------------------------------------------------------------------------

SD_INLINE sdTreeRow makeRow(const sdJointBatch* batch, sdVec3x8 linear, sdVec3x8 angularA,
                            sdVec3x8 angularB) {
    return (sdTreeRow){linear, angularA, angularB, sdSym3x8_Mul(&batch->inertiaA, angularA),
                       sdSym3x8_Mul(&batch->inertiaB, angularB)};
}

/// The three rows of a block, then those that lock.
SD_INLINE void makeRows(const sdJointBatch* batch, const sdJointPose* pose, const sdBodyLanes* a,
                        const sdBodyLanes* b, int size, sdTreeRow* rows) {
    int count = 0;
    sdF8 zero = sdF8_Zero(), one = batch->hasBlockLane;
    for (int i = 0; batch->hasBlock && i < 3; ++i) {
        sdVec3x8 e = {i == 0 ? one : zero, i == 1 ? one : zero, i == 2 ? one : zero};
        rows[count++] = makeRow(batch, e, sdVec3x8_Cross(pose->rA, e), sdVec3x8_Cross(pose->rB, e));
    }
    for (int i = 0; i < batch->lockCount; ++i) {
        sdJointJacobian j = sdJointLanes_GetJacobian(batch, &batch->rows[i], pose, a, b);
        rows[count++] = (sdTreeRow){j.linear, j.angularA, j.angularB, j.turnA, j.turnB};
    }
    for (; count < size; ++count) {
        memset(&rows[count], 0, sizeof rows[count]);
    }
}

// ---- matrix --------------------------------------------------------------------------------

SD_INLINE void makeDiagonal(const sdJointBatch* batch, const sdTreeRow* rows, int size,
                            float softness, sdF8* m) {
    sdF8 mass = batch->massA + batch->massB, zero = sdF8_Zero(), one = sdF8_Splat(1.0f);
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j <= i; ++j) {
            sdF8 k = mass * sdVec3x8_Dot(rows[i].linear, rows[j].linear) +
                     sdVec3x8_Dot(rows[i].angularA, rows[j].turnA) +
                     sdVec3x8_Dot(rows[i].angularB, rows[j].turnB);
            m[i * size + j] = k;
            m[j * size + i] = k;
        }
        sdF8 k = m[i * size + i];
        // rows that are not there
        k = sdF8_Select(sdF8_Less(zero, k), k * sdF8_Splat(1.0f + softness), one);
        m[i * size + i] = k;
    }
}

SD_INLINE void addCoupling(const sdTreeGroup* group, const sdTreeCoupling* c, int size, sdF8* m) {
    const sdTreeRow* rows = group->rows + (size_t)c->row * (size_t)size;
    const sdTreeRow* columns = group->rows + (size_t)c->column * (size_t)size;
    const sdJointBatch* batch = group->nodes[c->row].batch;
    sdF8 mass = c->rowIsB ? batch->massB : batch->massA;
    sdF8 sign = sdF8_Splat(c->rowIsB == c->columnIsB ? 1.0f : -1.0f);
    for (int i = 0; i < size; ++i) {
        sdVec3x8 turn = c->rowIsB ? rows[i].turnB : rows[i].turnA;
        for (int j = 0; j < size; ++j) {
            sdVec3x8 arm = c->columnIsB ? columns[j].angularB : columns[j].angularA;
            m[i * size + j] += sign * (mass * sdVec3x8_Dot(rows[i].linear, columns[j].linear) +
                                       sdVec3x8_Dot(turn, arm));
        }
    }
}

/// Where the block of two positions is, below the diagonal.
SD_INLINE sdF8* blockOf(const sdTreeGroup* group, int row, int column, int size) {
    const sdTreeNode* node = &group->nodes[column];
    int i = 0;
    while (i + 1 < node->pattern->neighbourCount && node->pattern->neighbours[i] != row) {
        i += 1;
    }
    return group->below + (size_t)(node->firstBelow + i) * (size_t)(size * size);
}

// ---- factor --------------------------------------------------------------------------------

/// The inverse of a symmetric positive matrix, in place, by Gauss and Jordan.
SD_INLINE void invert(int size, sdF8* m) {
    sdF8 one = sdF8_Splat(1.0f), zero = sdF8_Zero();
    for (int k = 0; k < size; ++k) {
        sdF8 pivot = one / m[k * size + k];
        sdF8 row[MAX_SIZE];
        for (int j = 0; j < size; ++j) {
            row[j] = m[k * size + j] * pivot;
        }
        for (int i = 0; i < size; ++i) {
            sdF8 f = m[i * size + k];
            for (int j = 0; i != k && j < size; ++j) {
                m[i * size + j] = j == k ? zero - f * pivot : m[i * size + j] - f * row[j];
            }
        }
        for (int j = 0; j < size; ++j) {
            m[k * size + j] = j == k ? pivot : row[j];
        }
    }
}

/// b becomes b d.
SD_INLINE void mulRight(int size, sdF8* b, const sdF8* d) {
    for (int i = 0; i < size; ++i) {
        sdF8 row[MAX_SIZE];
        for (int j = 0; j < size; ++j) {
            row[j] = b[i * size] * d[j];
            for (int k = 1; k < size; ++k) {
                row[j] += b[i * size + k] * d[k * size + j];
            }
        }
        for (int j = 0; j < size; ++j) {
            b[i * size + j] = row[j];
        }
    }
}

/// m -= a bᵀ
SD_INLINE void subtractProduct(int size, sdF8* m, const sdF8* a, const sdF8* b) {
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
            sdF8 sum = a[i * size] * b[j * size];
            for (int k = 1; k < size; ++k) {
                sum += a[i * size + k] * b[j * size + k];
            }
            m[i * size + j] -= sum;
        }
    }
}

/// Columns in the order of elimination: D⁻¹, and B D⁻¹ below it.
SD_INLINE void factor(const sdTreeGroup* group, int size) {
    size_t square = (size_t)(size * size);
    for (int c = 0; c < group->nodeCount; ++c) {
        const sdTreeNode* node = &group->nodes[c];
        sdF8* d = group->diagonal + (size_t)c * square;
        invert(size, d);
        for (int i = 0; i < node->pattern->neighbourCount; ++i) {
            sdF8* b = group->below + (size_t)(node->firstBelow + i) * square;
            sdF8 scaled[MAX_SIZE * MAX_SIZE];
            memcpy(scaled, b, square * sizeof *b);
            mulRight(size, scaled, d);
            int row = node->pattern->neighbours[i];
            // those before have been scaled already, and are not needed any more as they were
            for (int j = i; j < node->pattern->neighbourCount; ++j) {
                const sdF8* other = group->below + (size_t)(node->firstBelow + j) * square;
                int otherRow = node->pattern->neighbours[j];
                if (otherRow == row) {
                    subtractProduct(size, group->diagonal + (size_t)row * square, scaled, other);
                } else {
                    // neighbours ascend
                    subtractProduct(size, blockOf(group, otherRow, row, size), other, scaled);
                }
            }
            memcpy(b, scaled, square * sizeof *b);
        }
    }
}

/// x becomes the solution.
SD_INLINE void substitute(const sdTreeGroup* group, int size) {
    size_t square = (size_t)(size * size);
    sdF8* x = group->vector;
    for (int c = 0; c < group->nodeCount; ++c) {
        const sdTreeNode* node = &group->nodes[c];
        const sdF8* from = x + (size_t)c * (size_t)size;
        for (int n = 0; n < node->pattern->neighbourCount; ++n) {
            const sdF8* b = group->below + (size_t)(node->firstBelow + n) * square;
            sdF8* to = x + (size_t)node->pattern->neighbours[n] * (size_t)size;
            for (int i = 0; i < size; ++i) {
                for (int j = 0; j < size; ++j) {
                    to[i] -= b[i * size + j] * from[j];
                }
            }
        }
    }
    for (int c = group->nodeCount - 1; c >= 0; --c) {
        const sdTreeNode* node = &group->nodes[c];
        const sdF8* d = group->diagonal + (size_t)c * square;
        sdF8* own = x + (size_t)c * (size_t)size;
        sdF8 next[MAX_SIZE];
        for (int i = 0; i < size; ++i) {
            next[i] = d[i * size] * own[0];
            for (int j = 1; j < size; ++j) {
                next[i] += d[i * size + j] * own[j];
            }
        }
        for (int n = 0; n < node->pattern->neighbourCount; ++n) {
            const sdF8* b = group->below + (size_t)(node->firstBelow + n) * square;
            const sdF8* from = x + (size_t)node->pattern->neighbours[n] * (size_t)size;
            for (int i = 0; i < size; ++i) {
                for (int j = 0; j < size; ++j) {
                    next[j] -= b[i * size + j] * from[i];
                }
            }
        }
        for (int i = 0; i < size; ++i) {
            own[i] = next[i];
        }
    }
}

// ---- masses of limits and drives -----------------------------------------------------------

/// Rows beside those that lock move with the locks held: of the inverse mass k is left k - kᵀ D⁻¹
/// k. Only where no other joint is near: what one row gives is too much until the locks have
/// answered, and the rows of neighbours would take it for real.
SD_INLINE void prepareRows(sdJointBatch* batch, const sdJointPose* pose, const sdBodyLanes* a,
                           const sdBodyLanes* b, int size, const sdTreeRow* locks,
                           const sdF8* diagonal) {
    sdF8 inverse[MAX_SIZE * MAX_SIZE], mass = batch->massA + batch->massB;
    memcpy(inverse, diagonal, (size_t)(size * size) * sizeof *inverse);
    invert(size, inverse);
    for (int r = batch->lockCount; r < batch->rowCount; ++r) {
        sdJointRow8* row = &batch->rows[r];
        sdJointJacobian j = sdJointLanes_GetJacobian(batch, row, pose, a, b);
        sdF8 k[MAX_SIZE], taken = sdF8_Zero();
        for (int i = 0; i < size; ++i) {
            k[i] = mass * sdVec3x8_Dot(locks[i].linear, j.linear) +
                   sdVec3x8_Dot(locks[i].angularA, j.turnA) +
                   sdVec3x8_Dot(locks[i].angularB, j.turnB);
        }
        for (int i = 0; i < size; ++i) {
            for (int c = 0; c < size; ++c) {
                taken += k[i] * inverse[i * size + c] * k[c];
            }
        }
        row->mass = sdJointRow8_MassOf(row, sdJointLanes_GetInverseMass(batch, &j), taken);
    }
}

// ---- start ---------------------------------------------------------------------------------

/// Rows and matrix of a joint where its bodies are now.
SD_INLINE void prepareNode(sdTreeGroup* group, int c, int size, const sdJointPose* pose,
                           const sdBodyLanes* a, const sdBodyLanes* b) {
    sdJointBatch* batch = group->nodes[c].batch;
    sdTreeRow* rows = group->rows + (size_t)c * (size_t)size;
    sdF8* diagonal = group->diagonal + (size_t)c * (size_t)(size * size);
    makeRows(batch, pose, a, b, size, rows);
    makeDiagonal(batch, rows, size, group->softness, diagonal);
    if (batch->rowCount > batch->lockCount) {
        prepareRows(batch, pose, a, b, size, rows, diagonal);
    }
    for (int i = 0; i < size; ++i) {
        group->gives[(size_t)c * (size_t)size + (size_t)i] =
            diagonal[i * size + i] * sdF8_Splat(group->softness);
    }
}

SD_INLINE void assemble(sdTreeGroup* group, int size) {
    size_t square = (size_t)(size * size);
    memset(group->below, 0, (size_t)group->belowCount * square * sizeof *group->below);
    for (int i = 0; i < group->couplingCount; ++i) {
        const sdTreeCoupling* c = &group->couplings[i];
        addCoupling(group, c, size, blockOf(group, c->row, c->column, size));
    }
    factor(group, size);
}

SD_INLINE void start(sdTreeGroup* group, sdBodyState* states, int size) {
    for (int c = 0; c < group->nodeCount; ++c) {
        sdJointBatch* batch = group->nodes[c].batch;
        sdBodyLanes a = sdBodyLanes_Gather(batch->stateA, states);
        sdBodyLanes b = sdBodyLanes_Gather(batch->stateB, states);
        sdJointPose pose = sdJointLanes_Aim(batch, &a, &b);
        sdBodyLanes_Scatter(batch->stateA, batch->writesA, states, &a);
        sdBodyLanes_Scatter(batch->stateB, batch->writesB, states, &b);
        if (!group->isReady) {
            prepareNode(group, c, size, &pose, &a, &b);
        }
    }
    if (!group->isReady) {
        assemble(group, size);
    }
    group->isReady = true;
}

void SD_KERNEL(sdTreeGroup_Start)(sdTreeGroup* group, sdBodyState* states) {
    if (group->size == 3) {
        start(group, states, 3);
    } else {
        start(group, states, 6);
    }
}

// ---- solve ---------------------------------------------------------------------------------

/// r turned by a small angle, less r: to the third order, as the integrator does it.
SD_INLINE sdVec3x8 sweptBy(sdVec3x8 angle, sdVec3x8 r) {
    sdVec3x8 first = sdVec3x8_Cross(angle, r);
    sdVec3x8 second = sdVec3x8_Cross(angle, first);
    sdVec3x8 third = sdVec3x8_Cross(angle, second);
    sdVec3x8 sum = sdVec3x8_MulAdd(first, sdF8_Splat(0.5f), second);
    return sdVec3x8_MulAdd(sum, sdF8_Splat(1.0f / 6.0f), third);
}

/// How fast the locked rows move.
SD_INLINE void loadSpeeds(const sdTreeRow* rows, int size, const sdBodyLanes* a,
                          const sdBodyLanes* b, sdF8* x) {
    for (int i = 0; i < size; ++i) {
        x[i] = sdVec3x8_Dot(rows[i].linear, sdVec3x8_Sub(a->velocity, b->velocity)) +
               sdVec3x8_Dot(rows[i].angularA, a->angularVelocity) -
               sdVec3x8_Dot(rows[i].angularB, b->angularVelocity);
    }
}

/// What of an error is too much for a sub-step.
SD_INLINE sdF8 excessOf(sdF8 error, sdF8 limit) {
    return error - sdF8_Clamp(error, sdF8_Zero() - limit, limit);
}

/// By how much the locked rows will be off at the end of the sub-step, as things move now: arms
/// turn on circles, not along tangents. Without that, links that whip would leave each other, and
/// to pull them back would cost energy.
SD_INLINE void loadErrors(const sdJointBatch* batch, const sdJointPose* pose, float h,
                          const sdBodyLanes* a, const sdBodyLanes* b, sdF8* x) {
    sdF8 step = sdF8_Splat(h), rate = sdF8_Splat(-1.0f / h),
         limit = sdF8_Splat(SD_JOINT_MAX_PUSH * h);
    sdVec3x8 angleA = sdVec3x8_Scale(step, a->angularVelocity);
    sdVec3x8 angleB = sdVec3x8_Scale(step, b->angularVelocity);
    sdVec3x8 way = sdVec3x8_Scale(step, sdVec3x8_Sub(b->velocity, a->velocity));
    way = sdVec3x8_Add(way, sdVec3x8_Sub(sweptBy(angleB, pose->rB), sweptBy(angleA, pose->rA)));
    int first = 0;
    if (batch->hasBlock) {
        sdF8 scale = rate * batch->hasBlockLane;
        x[0] = scale * (pose->offset.x + way.x - excessOf(pose->offset.x, limit));
        x[1] = scale * (pose->offset.y + way.y - excessOf(pose->offset.y, limit));
        x[2] = scale * (pose->offset.z + way.z - excessOf(pose->offset.z, limit));
        first = 3;
    }
    if (batch->lockCount == 0) {
        return;
    }
    // exp(-a) exp(b) is exp(b - a - a × b / 2) to the second order
    sdVec3x8 turn = sdVec3x8_Sub(angleB, angleA);
    turn = sdVec3x8_MulAdd(turn, sdF8_Splat(-0.5f), sdVec3x8_Cross(angleA, angleB));
    sdVec3x8 end = sdVec3x8_Add(pose->offset, way);
    for (int i = 0; i < batch->lockCount; ++i) {
        const sdJointRow8* row = &batch->rows[i];
        sdJointJacobian j = sdJointLanes_GetJacobian(batch, row, pose, a, b);
        sdF8 place = sdJointLanes_GetPlace(row, &j, pose, a, b);
        sdVec3x8 axis = sdVec3x8_Add(j.axis, sweptBy(angleA, j.axis));
        sdF8 length = row->scale * sdF8_Sqrt(sdVec3x8_Dot(end, end));
        sdF8 moved = sdF8_Select((sdI8)row->isLine, length, sdVec3x8_Dot(axis, end)) + row->error;
        sdF8 turned = place + sdVec3x8_Dot(j.axis, turn);
        sdF8 next = sdF8_Select((sdI8)row->isMove, moved, turned);
        x[first + i] = rate * row->isUsed * (next - excessOf(place, limit));
    }
}

SD_INLINE void loadNode(sdTreeGroup* group, int c, int size, const sdJointSolver* solver,
                        bool isBiased) {
    sdJointBatch* batch = group->nodes[c].batch;
    sdBodyState* states = solver->step->states;
    const sdTreeRow* rows = group->rows + (size_t)c * (size_t)size;
    sdF8* x = group->vector + (size_t)c * (size_t)size;
    sdBodyLanes a = sdBodyLanes_Gather(batch->stateA, states);
    sdBodyLanes b = sdBodyLanes_Gather(batch->stateB, states);
    if (isBiased) {
        sdJointPose pose = sdJointLanes_GetPose(batch, &a, &b);
        memset(x, 0, (size_t)size * sizeof *x);
        loadErrors(batch, &pose, solver->step->h, &a, &b, x);
    } else {
        loadSpeeds(rows, size, &a, &b, x);
    }
    // what gives in proportion to what it holds shares out what is held twice
    const sdF8* gives = group->gives + (size_t)c * (size_t)size;
    int first = batch->hasBlock ? 3 : 0;
    sdF8 held[3] = {batch->impulse.x, batch->impulse.y, batch->impulse.z};
    for (int i = 0; i < first; ++i) {
        x[i] -= gives[i] * held[i];
    }
    for (int i = 0; i < batch->lockCount; ++i) {
        x[first + i] -= gives[first + i] * batch->rows[i].impulse;
    }
}

/// Rows, tensors and factor where bodies are now: for this sub-step's end and the next one's start.
SD_INLINE void follow(sdTreeGroup* group, const sdBodyState* states, int size) {
    for (int c = 0; c < group->nodeCount; ++c) {
        sdJointBatch* batch = group->nodes[c].batch;
        sdBodyLanes a = sdBodyLanes_Gather(batch->stateA, states);
        sdBodyLanes b = sdBodyLanes_Gather(batch->stateB, states);
        sdJointPose pose = sdJointLanes_GetPose(batch, &a, &b);
        sdJointLanes_TurnTensors(batch, &a, &b);
        prepareNode(group, c, size, &pose, &a, &b);
    }
    assemble(group, size);
}

SD_INLINE void sweepNode(sdJointBatch* batch, const sdJointSolver* solver, bool isBiased) {
    sdBodyState* states = solver->step->states;
    sdBodyLanes a = sdBodyLanes_Gather(batch->stateA, states);
    sdBodyLanes b = sdBodyLanes_Gather(batch->stateB, states);
    sdJointPose pose = sdJointLanes_GetPose(batch, &a, &b);
    sdJointKick sum = batch->applied;
    for (int i = batch->rowCount - 1; i >= batch->lockCount; --i) {
        sdJointLanes_SolveRow(batch, &batch->rows[i], &pose, solver->step->h, isBiased, &a, &b,
                              &sum);
    }
    batch->applied = sum;
    sdBodyLanes_Scatter(batch->stateA, batch->writesA, states, &a);
    sdBodyLanes_Scatter(batch->stateB, batch->writesB, states, &b);
}

SD_INLINE void storeNode(sdTreeGroup* group, int c, int size, sdBodyState* states) {
    sdJointBatch* batch = group->nodes[c].batch;
    const sdTreeRow* rows = group->rows + (size_t)c * (size_t)size;
    const sdF8* x = group->vector + (size_t)c * (size_t)size;
    sdBodyLanes a = sdBodyLanes_Gather(batch->stateA, states);
    sdBodyLanes b = sdBodyLanes_Gather(batch->stateB, states);
    int first = batch->hasBlock ? 3 : 0;
    sdJointKick sum = batch->applied;
    for (int i = 0; i < size; ++i) {
        sum.impulse = sdVec3x8_MulAdd(sum.impulse, x[i], rows[i].linear);
        sum.spinA = sdVec3x8_MulAdd(sum.spinA, x[i], rows[i].turnA);
        sum.spinB = sdVec3x8_MulAdd(sum.spinB, x[i], rows[i].turnB);
    }
    sdJointKick_Apply(batch, &batch->applied, &sum, &a, &b);
    batch->applied = sum;
    if (batch->hasBlock) {
        batch->impulse.x += x[0] * batch->hasBlockLane;
        batch->impulse.y += x[1] * batch->hasBlockLane;
        batch->impulse.z += x[2] * batch->hasBlockLane;
    }
    for (int i = 0; i < batch->lockCount; ++i) {
        batch->rows[i].impulse += x[first + i] * batch->rows[i].isUsed;
    }
    sdBodyLanes_Scatter(batch->stateA, batch->writesA, states, &a);
    sdBodyLanes_Scatter(batch->stateB, batch->writesB, states, &b);
}

SD_INLINE void solve(sdTreeGroup* group, const sdJointSolver* solver, int size, bool isBiased) {
    if (!isBiased) {
        follow(group, solver->step->states, size);
    }
    for (int c = 0; c < group->nodeCount; ++c) {
        sdJointBatch* batch = group->nodes[c].batch;
        if (batch->rowCount > batch->lockCount) {
            sweepNode(batch, solver, isBiased);
        }
    }
    for (int c = 0; c < group->nodeCount; ++c) {
        loadNode(group, c, size, solver, isBiased);
    }
    substitute(group, size);
    for (int c = 0; c < group->nodeCount; ++c) {
        storeNode(group, c, size, solver->step->states);
    }
}

void SD_KERNEL(sdTreeGroup_Solve)(sdTreeGroup* group, const sdJointSolver* solver, bool isBiased) {
    if (group->size == 3) {
        solve(group, solver, 3, isBiased);
    } else {
        solve(group, solver, 6, isBiased);
    }
}
