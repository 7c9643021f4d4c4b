// SPDX-License-Identifier: MIT
// contact_soft_kernel.c - eight patches at a time: normals as a block, friction as a cone.
//
// Ref:  sub-steps and relaxation as in Catto, "Solver2D", 2024. The points of a patch are one small
//       complementarity problem, solved by projected Gauss-Seidel on its 4 x 4 matrix.

#include "dynamics/solver_soft.h"

/// Sweeps over the points of a patch.
#define LOCAL_SWEEPS 8

// ---- bodies to lanes -----------------------------------------------------------------------

typedef struct BodyLanes {
    sdVec3x8 velocity, angularVelocity, displacement;
    sdVec3x8 turn; ///< vector part
    sdF8 turnScalar;
} BodyLanes;

/// Eight rows of four floats as four vectors of eight.
SD_INLINE void loadRows(const float* const* rows, int offset, sdF8 out[4]) {
    for (int half = 0; half < 2; ++half) {
        sdF4 r[4];
        for (int i = 0; i < 4; ++i) {
            memcpy(&r[i], rows[4 * half + i] + offset, sizeof r[i]);
        }
        sdF4 ab = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
        sdF4 cd = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
        sdF4 ef = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
        sdF4 gh = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
        sdF4 c[4] = {__builtin_shufflevector(ab, cd, 0, 1, 4, 5),
                     __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
                     __builtin_shufflevector(ef, gh, 0, 1, 4, 5),
                     __builtin_shufflevector(ef, gh, 2, 3, 6, 7)};
        for (int i = 0; i < 4; ++i) {
            memcpy((char*)&out[i] + (size_t)half * sizeof c[i], &c[i], sizeof c[i]);
        }
    }
}

static const sdBodyState still = {.turn = {{0.0f, 0.0f, 0.0f}, 1.0f}};

SD_INLINE void findRows(const int32_t* indices, const sdBodyState* states, const float** rows) {
    for (int i = 0; i < SD_LANES; ++i) {
        const sdBodyState* state = indices[i] >= 0 ? states + indices[i] : &still;
        rows[i] = &state->velocity.x;
    }
}

SD_INLINE BodyLanes gather(const int32_t* indices, const sdBodyState* states) {
    const float* rows[SD_LANES];
    findRows(indices, states, rows);
    sdF8 a[4], b[4], c[4], d[4];
    loadRows(rows, 0, a);
    loadRows(rows, 4, b);
    loadRows(rows, 8, c);
    loadRows(rows, 12, d);
    return (BodyLanes){
        {a[0], a[1], a[2]}, {b[0], b[1], b[2]}, {c[0], c[1], c[2]}, {d[0], d[1], d[2]}, d[3]};
}

SD_INLINE void scatter(const int32_t* indices, const bool* writes, sdBodyState* states,
                       const BodyLanes* lanes) {
    for (int i = 0; i < SD_LANES; ++i) {
        if (writes[i]) {
            sdBodyState* state = states + indices[i];
            state->velocity =
                sdV3(lanes->velocity.x[i], lanes->velocity.y[i], lanes->velocity.z[i]);
            state->angularVelocity = sdV3(lanes->angularVelocity.x[i], lanes->angularVelocity.y[i],
                                          lanes->angularVelocity.z[i]);
        }
    }
}

// ---- algebra -------------------------------------------------------------------------------

SD_INLINE sdVec3x8 timesSym(const sdSym3x8* m, sdVec3x8 v) {
    return (sdVec3x8){m->xx * v.x + m->xy * v.y + m->xz * v.z,
                      m->xy * v.x + m->yy * v.y + m->yz * v.z,
                      m->xz * v.x + m->yz * v.y + m->zz * v.z};
}

SD_INLINE sdVec3x8 scale8(sdF8 s, sdVec3x8 a) {
    return (sdVec3x8){s * a.x, s * a.y, s * a.z};
}

/// v turned back by a unit quaternion.
SD_INLINE sdVec3x8 turnBack(const BodyLanes* body, sdVec3x8 v) {
    sdF8 two = sdF8_Splat(2.0f);
    sdVec3x8 q = body->turn;
    sdVec3x8 t = scale8(two, sdVec3x8_Cross(q, v));
    sdVec3x8 r = sdVec3x8_Add(v, sdVec3x8_Cross(q, t));
    return sdVec3x8_Sub(r, scale8(body->turnScalar, t));
}

/// Add an impulse P on B at the centre with a torque on each; the opposite on A.
SD_INLINE void push(const sdSoftBatch* batch, BodyLanes* a, BodyLanes* b, sdVec3x8 impulse,
                    sdVec3x8 torqueA, sdVec3x8 torqueB) {
    sdF8 zero = sdF8_Zero();
    a->velocity = sdVec3x8_MulAdd(a->velocity, zero - batch->massA, impulse);
    b->velocity = sdVec3x8_MulAdd(b->velocity, batch->massB, impulse);
    a->angularVelocity = sdVec3x8_Sub(a->angularVelocity, timesSym(&batch->inertiaA, torqueA));
    b->angularVelocity = sdVec3x8_Add(b->angularVelocity, timesSym(&batch->inertiaB, torqueB));
}

// ---- friction ------------------------------------------------------------------------------

SD_INLINE void solveTwist(sdSoftBatch* batch, BodyLanes* a, BodyLanes* b, sdF8 pressure) {
    sdVec3x8 n = batch->normal;
    sdVec3x8 w = sdVec3x8_Sub(b->angularVelocity, a->angularVelocity);
    sdF8 limit = batch->twistArm * pressure;
    sdF8 next = sdF8_Clamp(batch->twist - batch->twistMass * sdVec3x8_Dot(n, w),
                           sdF8_Zero() - limit, limit);
    sdVec3x8 torque = scale8(next - batch->twist, n);
    batch->twist = next;
    a->angularVelocity = sdVec3x8_Sub(a->angularVelocity, timesSym(&batch->inertiaA, torque));
    b->angularVelocity = sdVec3x8_Add(b->angularVelocity, timesSym(&batch->inertiaB, torque));
}

/// Torque against rolling: about axes in the tangent plane.
SD_INLINE void solveRolling(sdSoftBatch* batch, BodyLanes* a, BodyLanes* b, sdF8 pressure) {
    sdVec3x8 n = batch->normal;
    sdVec3x8 w = sdVec3x8_Sub(b->angularVelocity, a->angularVelocity);
    w = sdVec3x8_MulAdd(w, sdF8_Zero() - sdVec3x8_Dot(n, w), n);
    sdVec3x8 next = sdVec3x8_MulAdd(batch->rolling, sdF8_Zero() - batch->rollingMass, w);
    sdF8 length = sdF8_Sqrt(sdVec3x8_Dot(next, next));
    sdF8 limit = batch->rollingArm * pressure;
    sdF8 one = sdF8_Splat(1.0f);
    sdF8 s =
        sdF8_Select(sdF8_Less(limit, length), limit / sdF8_Max(length, sdF8_Splat(FLT_MIN)), one);
    next = scale8(s, next);
    sdVec3x8 torque = sdVec3x8_Sub(next, batch->rolling);
    batch->rolling = next;
    a->angularVelocity = sdVec3x8_Sub(a->angularVelocity, timesSym(&batch->inertiaA, torque));
    b->angularVelocity = sdVec3x8_Add(b->angularVelocity, timesSym(&batch->inertiaB, torque));
}

/// Coulomb's cone: what would hold is given up to the static limit; beyond it the sliding one acts.
SD_INLINE void solveFriction(sdSoftBatch* batch, BodyLanes* a, BodyLanes* b, sdF8 pressure) {
    sdVec3x8 t1 = batch->tangent, t2 = sdVec3x8_Cross(batch->normal, batch->tangent);
    sdVec3x8 va = sdVec3x8_Add(a->velocity, sdVec3x8_Cross(a->angularVelocity, batch->centerA));
    sdVec3x8 vb = sdVec3x8_Add(b->velocity, sdVec3x8_Cross(b->angularVelocity, batch->centerB));
    sdVec3x8 v = sdVec3x8_Sub(vb, va);
    sdF8 v1 = sdVec3x8_Dot(v, t1), v2 = sdVec3x8_Dot(v, t2);
    sdF8 next1 = batch->friction1 - (batch->t11 * v1 + batch->t12 * v2);
    sdF8 next2 = batch->friction2 - (batch->t12 * v1 + batch->t22 * v2);
    sdF8 length = sdF8_Sqrt(next1 * next1 + next2 * next2);
    sdI8 slides = sdF8_Less(batch->staticFriction * pressure, length);
    sdF8 s = sdF8_Select(slides,
                         batch->slidingFriction * pressure / sdF8_Max(length, sdF8_Splat(FLT_MIN)),
                         sdF8_Splat(1.0f));
    next1 *= s;
    next2 *= s;
    sdVec3x8 impulse =
        sdVec3x8_MulAdd(scale8(next1 - batch->friction1, t1), next2 - batch->friction2, t2);
    batch->friction1 = next1;
    batch->friction2 = next2;
    push(batch, a, b, impulse, sdVec3x8_Cross(batch->centerA, impulse),
         sdVec3x8_Cross(batch->centerB, impulse));
}

// ---- normals -------------------------------------------------------------------------------

/// Index of row i, column j <= i in the lower triangle.
#define LOWER(i, j) ((i) * ((i) + 1) / 2 + (j))

SD_INLINE sdF8 entry(const sdSoftBatch* batch, int i, int j) {
    return batch->k[i >= j ? LOWER(i, j) : LOWER(j, i)];
}

/// The points' impulses that leave no approach beyond `residual`, as far as pushes alone can.
SD_INLINE void solvePoints(const sdSoftBatch* batch, int count, const sdF8* residual,
                           const sdF8* start, sdF8* next) {
    sdF8 change[SD_MANIFOLD_MAX_POINTS];
    for (int i = 0; i < count; ++i) {
        change[i] = sdF8_Zero();
    }
    for (int sweep = 0; sweep < LOCAL_SWEEPS; ++sweep) {
        for (int i = 0; i < count; ++i) {
            sdF8 r = residual[i];
            for (int j = 0; j < count; ++j) {
                r += entry(batch, i, j) * change[j];
            }
            sdF8 wanted = start[i] + change[i] - r * batch->inverseK[i];
            change[i] = sdF8_Max(wanted, sdF8_Zero()) - start[i];
        }
    }
    for (int i = 0; i < count; ++i) {
        next[i] = start[i] + change[i];
    }
}

SD_INLINE void solveNormals(sdSoftBatch* batch, const sdSoftSolver* solver, int count,
                            bool isBiased, BodyLanes* a, BodyLanes* b) {
    sdVec3x8 n = batch->normal;
    sdF8 inverseH = sdF8_Splat(1.0f / solver->step->h), slop = sdF8_Splat(solver->slop);
    sdF8 slowRate = sdF8_Splat(solver->pushRate), fastRate = sdF8_Splat(solver->deepPushRate);
    sdF8 deep = sdF8_Splat(solver->deepSlop);
    sdF8 pushLimit = sdF8_Splat(-solver->maxPushSpeed), zero = sdF8_Zero();
    sdF8 along = sdVec3x8_Dot(n, sdVec3x8_Sub(b->velocity, a->velocity));
    sdVec3x8 spinA = sdVec3x8_Cross(n, a->angularVelocity);
    sdVec3x8 spinB = sdVec3x8_Cross(n, b->angularVelocity);
    sdVec3x8 backA = turnBack(a, n), backB = turnBack(b, n);
    sdF8 moved = sdVec3x8_Dot(n, sdVec3x8_Sub(b->displacement, a->displacement));
    sdF8 start[SD_MANIFOLD_MAX_POINTS], residual[SD_MANIFOLD_MAX_POINTS];
    sdF8 next[SD_MANIFOLD_MAX_POINTS];
    for (int i = 0; i < count; ++i) {
        const sdSoftPoint* point = &batch->points[i];
        start[i] = point->impulse;
        // w · (r × n) = r · (n × w)
        sdF8 speed = along + sdVec3x8_Dot(point->rB, spinB) - sdVec3x8_Dot(point->rA, spinA);
        sdF8 gap = moved + point->separation + sdVec3x8_Dot(point->rB, backB) -
                   sdVec3x8_Dot(point->rA, backA);
        sdF8 target = gap * inverseH;
        sdF8 bias = zero;
        if (isBiased) {
            sdF8 slow = slowRate * sdF8_Min(gap + slop, zero);
            sdF8 fast = fastRate * sdF8_Min(gap + deep, zero);
            bias = sdF8_Max(slow + fast, pushLimit);
        }
        residual[i] = speed + sdF8_Select(sdF8_Less(zero, gap), target, bias);
    }
    solvePoints(batch, count, residual, start, next);
    sdF8 sum = zero;
    sdVec3x8 armA = {zero, zero, zero}, armB = {zero, zero, zero};
    for (int i = 0; i < count; ++i) {
        sdSoftPoint* point = &batch->points[i];
        sdF8 impulse = (sdF8)((sdI8)next[i] & (sdI8)batch->used[i]);
        sdF8 change = impulse - start[i];
        point->impulse = impulse;
        point->maxImpulse = sdF8_Max(point->maxImpulse, impulse);
        sum += change;
        armA = sdVec3x8_MulAdd(armA, change, point->rA);
        armB = sdVec3x8_MulAdd(armB, change, point->rB);
    }
    push(batch, a, b, scale8(sum, n), sdVec3x8_Cross(armA, n), sdVec3x8_Cross(armB, n));
}

// ---- passes --------------------------------------------------------------------------------

void SD_KERNEL(sdSoftBatch_WarmStart)(sdSoftBatch* batch, sdBodyState* states) {
    BodyLanes a = gather(batch->stateA, states), b = gather(batch->stateB, states);
    sdVec3x8 n = batch->normal, t1 = batch->tangent, t2 = sdVec3x8_Cross(n, t1);
    sdVec3x8 tangential = sdVec3x8_MulAdd(scale8(batch->friction1, t1), batch->friction2, t2);
    sdVec3x8 spin = sdVec3x8_MulAdd(batch->rolling, batch->twist, n);
    sdF8 zero = sdF8_Zero(), sum = zero;
    sdVec3x8 armA = {zero, zero, zero}, armB = {zero, zero, zero};
    for (int i = 0; i < batch->pointCount; ++i) {
        const sdSoftPoint* point = &batch->points[i];
        sum += point->impulse;
        armA = sdVec3x8_MulAdd(armA, point->impulse, point->rA);
        armB = sdVec3x8_MulAdd(armB, point->impulse, point->rB);
    }
    sdVec3x8 torqueA =
        sdVec3x8_Add(sdVec3x8_Cross(armA, n), sdVec3x8_Cross(batch->centerA, tangential));
    sdVec3x8 torqueB =
        sdVec3x8_Add(sdVec3x8_Cross(armB, n), sdVec3x8_Cross(batch->centerB, tangential));
    push(batch, &a, &b, sdVec3x8_MulAdd(tangential, sum, n), sdVec3x8_Add(torqueA, spin),
         sdVec3x8_Add(torqueB, spin));
    scatter(batch->stateA, batch->writesA, states, &a);
    scatter(batch->stateB, batch->writesB, states, &b);
}

SD_INLINE void solveTangents(sdSoftBatch* batch, BodyLanes* a, BodyLanes* b) {
    sdF8 pressure = sdF8_Zero();
    for (int i = 0; i < batch->pointCount; ++i) {
        pressure += batch->points[i].impulse;
    }
    if (batch->hasRolling) {
        solveRolling(batch, a, b, pressure);
    }
    solveTwist(batch, a, b, pressure);
    solveFriction(batch, a, b, pressure);
}

void SD_KERNEL(sdSoftBatch_Solve)(sdSoftBatch* batch, const sdSoftSolver* solver, bool isBiased) {
    sdBodyState* states = solver->step->states;
    BodyLanes a = gather(batch->stateA, states), b = gather(batch->stateB, states);
    // the last word of a sub-step has friction after the normals, where their pressure is right
    if (isBiased) {
        solveTangents(batch, &a, &b);
    }
    // with the count known to the compiler, points stay in registers
    switch (batch->pointCount) {
        case 1:
            solveNormals(batch, solver, 1, isBiased, &a, &b);
            break;
        case 2:
            solveNormals(batch, solver, 2, isBiased, &a, &b);
            break;
        default:
            solveNormals(batch, solver, 4, isBiased, &a, &b);
    }
    if (!isBiased) {
        solveTangents(batch, &a, &b);
    }
    scatter(batch->stateA, batch->writesA, states, &a);
    scatter(batch->stateB, batch->writesB, states, &b);
}

void SD_KERNEL(sdSoftBatch_Restitute)(sdSoftBatch* batch, sdBodyState* states, float threshold) {
    BodyLanes a = gather(batch->stateA, states), b = gather(batch->stateB, states);
    sdVec3x8 n = batch->normal;
    sdF8 zero = sdF8_Zero();
    for (int i = 0; i < batch->pointCount; ++i) {
        sdSoftPoint* point = &batch->points[i];
        sdF8 along = sdVec3x8_Dot(n, sdVec3x8_Sub(b.velocity, a.velocity));
        sdF8 speed = along + sdVec3x8_Dot(point->rB, sdVec3x8_Cross(n, b.angularVelocity)) -
                     sdVec3x8_Dot(point->rA, sdVec3x8_Cross(n, a.angularVelocity));
        sdI8 bounces = sdF8_Less(point->approach, sdF8_Splat(-threshold)) &
                       sdF8_Less(zero, point->maxImpulse) & (sdI8)batch->used[i];
        sdF8 wanted =
            point->impulse - (speed + batch->restitution * point->approach) * batch->inverseK[i];
        sdF8 next = sdF8_Select(bounces, sdF8_Max(wanted, zero), point->impulse);
        sdF8 change = next - point->impulse;
        point->impulse = next;
        sdVec3x8 impulse = scale8(change, n);
        push(batch, &a, &b, impulse, sdVec3x8_Cross(point->rA, impulse),
             sdVec3x8_Cross(point->rB, impulse));
    }
    scatter(batch->stateA, batch->writesA, states, &a);
    scatter(batch->stateB, batch->writesB, states, &b);
}
