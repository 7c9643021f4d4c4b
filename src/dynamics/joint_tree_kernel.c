// SPDX-License-Identifier: MIT
// joint_tree_kernel.c - eight slender sets of joints at a time: matrix, factor, solution.
//
// Ref:  block Cholesky in the order of elimination; Baraff, "Linear-Time Dynamics using Lagrange
//       Multipliers", 1996, for the same in the space of bodies and joints.
// Note: per joint of a chain some 400 multiplications for a factor of 3 x 3 blocks and 60 for a
//       solution, eight at once. All functions are compiled for sizes 3 and 6.

#include "dynamics/joint_lanes.h"
#include "dynamics/joint_tree.h"

/// Added to the diagonal, of its size: joints that lock the same twice share what they hold.
#define REGULARIZATION 1e-5f
/// Share of an error that a sub-step takes back.
#define PUSH_SHARE 0.4f

#define MAX_SIZE 6

// ---- rows ----------------------------------------------------------------------------------

SD_INLINE sdTreeRow makeRow(const sdJointBatch* batch, sdVec3x8 linear, sdVec3x8 angularA,
                            sdVec3x8 angularB) {
    return (sdTreeRow){linear, angularA, angularB, sdSym3x8_Mul(&batch->inertiaA, angularA),
                       sdSym3x8_Mul(&batch->inertiaB, angularB)};
}

/// The three rows of a block, then those that lock.
SD_INLINE void makeRows(const sdJointBatch* batch, const sdJointPose* pose, const sdBodyLanes* a,
                        int size, sdTreeRow* rows) {
    int count = 0;
    sdF8 zero = sdF8_Zero(), one = batch->hasBlockLane;
    for (int i = 0; batch->hasBlock && i < 3; ++i) {
        sdVec3x8 e = {i == 0 ? one : zero, i == 1 ? one : zero, i == 2 ? one : zero};
        rows[count++] = makeRow(batch, e, sdVec3x8_Cross(pose->rA, e), sdVec3x8_Cross(pose->rB, e));
    }
    for (int i = 0; i < batch->lockCount; ++i) {
        sdJointJacobian j = sdJointLanes_GetJacobian(batch, &batch->rows[i], pose, a);
        rows[count++] = (sdTreeRow){j.linear, j.angularA, j.angularB, j.turnA, j.turnB};
    }
    for (; count < size; ++count) {
        memset(&rows[count], 0, sizeof rows[count]);
    }
}

// ---- matrix --------------------------------------------------------------------------------

SD_INLINE void makeDiagonal(const sdJointBatch* batch, const sdTreeRow* rows, int size, sdF8* m) {
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
        k = sdF8_Select(sdF8_Less(zero, k), k * sdF8_Splat(1.0f + REGULARIZATION), one);
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

// ---- start ---------------------------------------------------------------------------------

SD_INLINE void startNode(sdTreeGroup* group, int c, int size, sdBodyState* states) {
    sdJointBatch* batch = group->nodes[c].batch;
    sdTreeRow* rows = group->rows + (size_t)c * (size_t)size;
    sdBodyLanes a = sdBodyLanes_Gather(batch->stateA, states);
    sdBodyLanes b = sdBodyLanes_Gather(batch->stateB, states);
    sdJointPose pose = sdJointLanes_Aim(batch, &a, &b);
    makeRows(batch, &pose, &a, size, rows);
    makeDiagonal(batch, rows, size, group->diagonal + (size_t)c * (size_t)(size * size));
    sdBodyLanes_Scatter(batch->stateA, batch->writesA, states, &a);
    sdBodyLanes_Scatter(batch->stateB, batch->writesB, states, &b);
}

SD_INLINE void start(sdTreeGroup* group, sdBodyState* states, int size) {
    size_t square = (size_t)(size * size);
    for (int c = 0; c < group->nodeCount; ++c) {
        startNode(group, c, size, states);
    }
    memset(group->below, 0, (size_t)group->belowCount * square * sizeof *group->below);
    for (int i = 0; i < group->couplingCount; ++i) {
        const sdTreeCoupling* c = &group->couplings[i];
        addCoupling(group, c, size, blockOf(group, c->row, c->column, size));
    }
    factor(group, size);
}

void SD_KERNEL(sdTreeGroup_Start)(sdTreeGroup* group, sdBodyState* states) {
    if (group->size == 3) {
        start(group, states, 3);
    } else {
        start(group, states, 6);
    }
}

// ---- solve ---------------------------------------------------------------------------------

/// What limits and drives have to say, then how fast the locked rows move.
SD_INLINE void loadNode(sdTreeGroup* group, int c, int size, const sdJointSolver* solver,
                        bool isBiased) {
    sdJointBatch* batch = group->nodes[c].batch;
    sdBodyState* states = solver->step->states;
    sdTreeRow* rows = group->rows + (size_t)c * (size_t)size;
    sdF8* x = group->vector + (size_t)c * (size_t)size;
    sdBodyLanes a = sdBodyLanes_Gather(batch->stateA, states);
    sdBodyLanes b = sdBodyLanes_Gather(batch->stateB, states);
    sdJointPose pose = sdJointLanes_GetPose(batch, &a, &b);
    if (!isBiased) {
        // the bodies have moved since the start
        makeRows(batch, &pose, &a, size, rows);
    }
    sdF8 zero = sdF8_Zero(), rate = sdF8_Splat(isBiased ? PUSH_SHARE / solver->step->h : 0.0f);
    for (int i = 0; i < size; ++i) {
        x[i] = zero - (sdVec3x8_Dot(rows[i].linear, sdVec3x8_Sub(b.velocity, a.velocity)) +
                       sdVec3x8_Dot(rows[i].angularB, b.angularVelocity) -
                       sdVec3x8_Dot(rows[i].angularA, a.angularVelocity));
    }
    if (isBiased) {
        int first = batch->hasBlock ? 3 : 0;
        sdF8 offset[3] = {pose.offset.x, pose.offset.y, pose.offset.z};
        for (int i = 0; i < first; ++i) {
            x[i] -= rate * batch->hasBlockLane * offset[i];
        }
        for (int i = 0; i < batch->lockCount; ++i) {
            sdJointJacobian j = sdJointLanes_GetJacobian(batch, &batch->rows[i], &pose, &a);
            x[first + i] -= rate * batch->rows[i].isUsed *
                            sdJointLanes_GetPlace(&batch->rows[i], &j, &pose, &a, &b);
        }
    }
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
