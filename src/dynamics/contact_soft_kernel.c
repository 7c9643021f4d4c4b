// SPDX-License-Identifier: MIT
// contact_soft_kernel.c - eight patches at a time: normals as a block, friction as a cone.
//
// Ref:  sub-steps and relaxation as in Catto, "Solver2D", 2024. The points of a patch are one small
//       complementarity problem, solved by projected Gauss-Seidel on its 4 x 4 matrix.

#include "dynamics/solver_soft.h"

/// Sweeps over the points of a patch.
#define LOCAL_SWEEPS 8
/// Share of the pressure that a sweep may still change when it is the last.
#define LOCAL_ERROR 1e-4f
/// The same for what bounces, which is rare and must not turn what lands flat.
#define BOUNCE_SWEEPS 24

// ---- push ----------------------------------------------------------------------------------

/// Add an impulse P on B at the centre with a torque on each; the opposite on A.
SD_INLINE void push(const sdSoftBatch* batch, sdBodyLanes* a, sdBodyLanes* b, sdVec3x8 impulse,
                    sdVec3x8 torqueA, sdVec3x8 torqueB) {
    sdF8 zero = sdF8_Zero();
    a->velocity = sdVec3x8_MulAdd(a->velocity, zero - a->inverseMass, impulse);
    b->velocity = sdVec3x8_MulAdd(b->velocity, b->inverseMass, impulse);
    a->angularVelocity = sdVec3x8_Sub(a->angularVelocity, sdSym3x8_Mul(&batch->inertiaA, torqueA));
    b->angularVelocity = sdVec3x8_Add(b->angularVelocity, sdSym3x8_Mul(&batch->inertiaB, torqueB));
}

/// Turn B by a torque, and A by the opposite.
SD_INLINE void turnBy(const sdSoftBatch* batch, sdVec3x8 torque, sdBodyLanes* a, sdBodyLanes* b) {
    a->angularVelocity = sdVec3x8_Sub(a->angularVelocity, sdSym3x8_Mul(&batch->inertiaA, torque));
    b->angularVelocity = sdVec3x8_Add(b->angularVelocity, sdSym3x8_Mul(&batch->inertiaB, torque));
}

// ---- friction ------------------------------------------------------------------------------

/// Angular impulse against rolling, and about the normal.
SD_INLINE sdVec3x8 spinOf(const sdSoftBatch* batch) {
    return sdVec3x8_MulAdd(batch->rolling, batch->twist, batch->normal);
}

SD_INLINE void solveTwist(sdSoftBatch* batch, sdBodyLanes* a, sdBodyLanes* b, sdF8 pressure) {
    sdVec3x8 n = batch->normal;
    sdVec3x8 w = sdVec3x8_Sub(b->angularVelocity, a->angularVelocity);
    sdF8 limit = batch->twistArm * pressure;
    sdF8 next = sdF8_Clamp(batch->twist - batch->twistMass * sdVec3x8_Dot(n, w),
                           sdF8_Zero() - limit, limit);
    sdVec3x8 torque = sdVec3x8_Scale(next - batch->twist, n);
    batch->twist = next;
    turnBy(batch, torque, a, b);
}

/// Torque against rolling: about axes in the tangent plane.
SD_INLINE void solveRolling(sdSoftBatch* batch, sdBodyLanes* a, sdBodyLanes* b, sdF8 pressure) {
    sdVec3x8 n = batch->normal;
    sdVec3x8 w = sdVec3x8_Sub(b->angularVelocity, a->angularVelocity);
    w = sdVec3x8_MulAdd(w, sdF8_Zero() - sdVec3x8_Dot(n, w), n);
    sdVec3x8 next = sdVec3x8_MulAdd(batch->rolling, sdF8_Zero() - batch->rollingMass, w);
    sdF8 length = sdF8_Sqrt(sdVec3x8_Dot(next, next));
    sdF8 limit = batch->rollingArm * pressure;
    sdF8 one = sdF8_Splat(1.0f);
    sdF8 s =
        sdF8_Select(sdF8_Less(limit, length), limit / sdF8_Max(length, sdF8_Splat(FLT_MIN)), one);
    next = sdVec3x8_Scale(s, next);
    sdVec3x8 torque = sdVec3x8_Sub(next, batch->rolling);
    batch->rolling = next;
    turnBy(batch, torque, a, b);
}

/// Coulomb's cone: what would hold is given up to the static limit. Beyond it the sliding one acts,
/// against the slip; at less than the speed of sticking still the static one, so that what is slow
/// can come to rest.
SD_INLINE void solveFriction(sdSoftBatch* batch, sdBodyLanes* a, sdBodyLanes* b, sdF8 pressure,
                             float stickSpeed, bool isLast) {
    sdVec3x8 t1 = batch->tangent, t2 = sdVec3x8_Cross(batch->normal, batch->tangent);
    sdVec3x8 va = sdVec3x8_Add(a->velocity, sdVec3x8_Cross(a->angularVelocity, batch->centerA));
    sdVec3x8 vb = sdVec3x8_Add(b->velocity, sdVec3x8_Cross(b->angularVelocity, batch->centerB));
    sdVec3x8 v = sdVec3x8_Sub(vb, va);
    sdF8 v1 = sdVec3x8_Dot(v, t1), v2 = sdVec3x8_Dot(v, t2);
    sdF8 next1 = batch->friction1 - (batch->t11 * v1 + batch->t12 * v2);
    sdF8 next2 = batch->friction2 - (batch->t12 * v1 + batch->t22 * v2);
    sdF8 hold = batch->staticFriction * pressure, square = sdF8_Splat(stickSpeed * stickSpeed);
    sdI8 slides = sdF8_Less(hold * hold, next1 * next1 + next2 * next2);
    // at rest all hold, and need not wait for a root and a quotient
    if (sdI8_Any(slides)) {
        sdF8 slide1 = batch->friction1 - batch->slideMass * v1;
        sdF8 slide2 = batch->friction2 - batch->slideMass * v2;
        sdI8 isSlow = sdF8_Less(v1 * v1 + v2 * v2, square);
        sdF8 length = sdF8_Sqrt(slide1 * slide1 + slide2 * slide2);
        sdF8 limit = sdF8_Select(isSlow, hold, batch->slidingFriction * pressure);
        sdF8 s = limit / sdF8_Max(length, sdF8_Splat(FLT_MIN));
        next1 = sdF8_Select(slides, s * slide1, next1);
        next2 = sdF8_Select(slides, s * slide2, next2);
    }
    sdVec3x8 impulse =
        sdVec3x8_MulAdd(sdVec3x8_Scale(next1 - batch->friction1, t1), next2 - batch->friction2, t2);
    batch->friction1 = next1;
    batch->friction2 = next2;
    if (isLast) {
        batch->slip1 += next1;
        batch->slip2 += next2;
    }
    push(batch, a, b, impulse, sdVec3x8_Cross(batch->centerA, impulse),
         sdVec3x8_Cross(batch->centerB, impulse));
}

// ---- normals -------------------------------------------------------------------------------

/// The points' impulses that leave no approach beyond `residual`, as far as pushes alone can:
/// x_i = max(0, c_i - Σ k_ij / k_ii x_j).
SD_INLINE void solvePoints(const sdSoftBatch* batch, int count, const sdF8* residual,
                           const sdF8* start, sdF8* next) {
    sdF8 constant[SD_MANIFOLD_MAX_POINTS], zero = sdF8_Zero();
    for (int i = 0; i < count; ++i) {
        const sdSoftPoint* point = &batch->points[i];
        constant[i] = start[i] - residual[i] * point->inverseK;
        for (int j = 0; j < count; ++j) {
            constant[i] +=
                j != i ? point->couplings[sdSoftPoint_CouplingOf(i, j, count)] * start[j] : zero;
        }
        next[i] = start[i];
    }
    int sweeps = count == 1 ? 1 : LOCAL_SWEEPS;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        sdF8 change = zero, sum = zero;
        for (int i = 0; i < count; ++i) {
            // the one that has just changed comes last, so that the others need not wait for it
            sdF8 wanted = constant[i];
            for (int j = i + 1; j < i + count; ++j) {
                wanted -= batch->points[i].couplings[j - i - 1] * next[j % count];
            }
            wanted = sdF8_Max(wanted, zero);
            change += sdF8_Abs(wanted - next[i]);
            sum += wanted;
            next[i] = wanted;
        }
        // at rest there is nothing left to do
        if (!sdI8_Any(sdF8_Less(sdF8_Splat(LOCAL_ERROR) * sum, change))) {
            return;
        }
    }
}

/// Arms to the middle of the points, of round shapes to that of their cores. Exactly it does not
/// matter where along the normal they end, but a ball that rolls turns by far more than it slips.
typedef struct Arms {
    sdVec3x8 a, b;
} Arms;

SD_INLINE Arms armsOf(const sdSoftBatch* batch) {
    Arms arms = {batch->centerA, batch->centerB};
    if (batch->isRound) {
        const sdSoftPoint* first = &batch->points[0];
        arms.a = sdVec3x8_MulAdd(arms.a, sdF8_Zero() - first->roundA, batch->normal);
        arms.b = sdVec3x8_MulAdd(arms.b, first->roundB, batch->normal);
    }
    return arms;
}

/// How far apart the points are now. Bodies move once in a sub-step: what the second sweep finds is
/// right for the first one of the next, too.
SD_INLINE void updateGaps(sdSoftBatch* batch, int count, const Arms* arms, const sdBodyLanes* a,
                          const sdBodyLanes* b) {
    sdVec3x8 n = batch->normal;
    sdVec3x8 backA = sdBodyLanes_TurnBack(a, n), backB = sdBodyLanes_TurnBack(b, n);
    sdVec3x8 back = sdVec3x8_Sub(backB, backA);
    sdF8 moved = sdVec3x8_Dot(n, sdVec3x8_Sub(b->displacement, a->displacement)) +
                 sdVec3x8_Dot(arms->b, backB) - sdVec3x8_Dot(arms->a, backA);
    const sdSoftPoint* first = &batch->points[0];
    for (int i = 0; i < count; ++i) {
        sdSoftPoint* point = &batch->points[i];
        sdF8 gap = moved + point->separation + sdVec3x8_Dot(point->r, back);
        // those of a cone are not equally deep
        if (batch->isRound && i > 0) {
            gap += (point->roundA - first->roundA) * sdVec3x8_Dot(n, backA) +
                   (point->roundB - first->roundB) * sdVec3x8_Dot(n, backB);
        }
        point->gap = gap;
    }
}

SD_INLINE void solveNormals(sdSoftBatch* batch, const sdSoftSolver* solver, int count,
                            sdSweepKind kind, sdBodyLanes* a, sdBodyLanes* b) {
    bool isBiased = kind == SD_SWEEP_PUSH;
    sdVec3x8 n = batch->normal;
    sdF8 inverseH = sdF8_Splat(1.0f / solver->step->h), slop = batch->slop;
    sdF8 slowRate = sdF8_Splat(solver->pushRate), fastRate = sdF8_Splat(solver->deepPushRate);
    sdF8 deep = sdF8_Splat(SD_DEEP_SLOPS) * slop;
    sdF8 pushLimit = sdF8_Splat(-solver->maxPushSpeed), zero = sdF8_Zero();
    // w · (r × n) = r · (n × w); what is due to the middle is the same for all points
    sdVec3x8 spinA = sdVec3x8_Cross(n, a->angularVelocity);
    sdVec3x8 spinB = sdVec3x8_Cross(n, b->angularVelocity);
    sdVec3x8 spin = sdVec3x8_Sub(spinB, spinA);
    Arms arms = armsOf(batch);
    sdF8 along = sdVec3x8_Dot(n, sdVec3x8_Sub(b->velocity, a->velocity)) +
                 sdVec3x8_Dot(arms.b, spinB) - sdVec3x8_Dot(arms.a, spinA);
    sdF8 start[SD_MANIFOLD_MAX_POINTS], residual[SD_MANIFOLD_MAX_POINTS];
    sdF8 next[SD_MANIFOLD_MAX_POINTS];
    if (!isBiased) {
        updateGaps(batch, count, &arms, a, b);
    }
    for (int i = 0; i < count; ++i) {
        const sdSoftPoint* point = &batch->points[i];
        start[i] = point->impulse;
        sdF8 speed = along + sdVec3x8_Dot(point->r, spin), gap = point->gap;
        // one that has just pushed rests where it is: to close it at once would make a stack sway
        sdI8 isHeld = sdF8_Less(zero, start[i]) & sdF8_Less(gap, slop);
        sdF8 target = sdF8_Select(isHeld, zero, gap * inverseH);
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
    sdVec3x8 arm = {zero, zero, zero};
    for (int i = 0; i < count; ++i) {
        sdSoftPoint* point = &batch->points[i];
        sdF8 change = next[i] - start[i];
        point->impulse = next[i];
        sum += change;
        arm = sdVec3x8_MulAdd(arm, change, point->r);
    }
    sdVec3x8 armA = sdVec3x8_MulAdd(arm, sum, arms.a), armB = sdVec3x8_MulAdd(arm, sum, arms.b);
    push(batch, a, b, sdVec3x8_Scale(sum, n), sdVec3x8_Cross(armA, n), sdVec3x8_Cross(armB, n));
    if (kind == SD_SWEEP_LAST) {
        sdF8* totals = sdSoftBatch_GetTotals(batch);
        for (int i = 0; i < count; ++i) {
            totals[i] += next[i];
        }
    }
}

// ---- passes --------------------------------------------------------------------------------

void SD_KERNEL(sdSoftBatch_Fetch)(const sdSoftBatch* batch, const sdBodyState* states) {
    for (int i = 0; i < SD_LANES; ++i) {
        sdPrefetchToWrite(&states[batch->stateA[i]]);
        sdPrefetchToWrite(&states[batch->stateB[i]]);
    }
}

void SD_KERNEL(sdSoftBatch_WarmStart)(sdSoftBatch* batch, sdBodyState* states) {
    sdBodyLanes a = sdBodyLanes_GatherVelocities(batch->stateA, states),
                b = sdBodyLanes_GatherVelocities(batch->stateB, states);
    sdVec3x8 n = batch->normal, t1 = batch->tangent, t2 = sdVec3x8_Cross(n, t1);
    sdVec3x8 tangential =
        sdVec3x8_MulAdd(sdVec3x8_Scale(batch->friction1, t1), batch->friction2, t2);
    sdVec3x8 spin = sdVec3x8_MulAdd(batch->rolling, batch->twist, n);
    sdF8 zero = sdF8_Zero(), sum = zero;
    sdVec3x8 arm = {zero, zero, zero};
    for (int i = 0; i < batch->pointCount; ++i) {
        const sdSoftPoint* point = &batch->points[i];
        sum += point->impulse;
        arm = sdVec3x8_MulAdd(arm, point->impulse, point->r);
    }
    sdVec3x8 force = sdVec3x8_MulAdd(tangential, sum, n);
    sdVec3x8 torque = sdVec3x8_Add(sdVec3x8_Cross(arm, n), spin);
    sdVec3x8 torqueA = sdVec3x8_Add(sdVec3x8_Cross(batch->centerA, force), torque);
    sdVec3x8 torqueB = sdVec3x8_Add(sdVec3x8_Cross(batch->centerB, force), torque);
    push(batch, &a, &b, force, torqueA, torqueB);
    sdBodyLanes_Scatter(batch->stateA, batch->writesA, states, &a);
    sdBodyLanes_Scatter(batch->stateB, batch->writesB, states, &b);
}

SD_INLINE void solveTangents(sdSoftBatch* batch, const sdSoftSolver* solver, sdBodyLanes* a,
                             sdBodyLanes* b, bool isLast) {
    sdF8 pressure = sdF8_Zero();
    for (int i = 0; i < batch->pointCount; ++i) {
        pressure += batch->points[i].impulse;
    }
    if (batch->hasRolling) {
        solveRolling(batch, a, b, pressure);
    }
    if (batch->hasTwist) {
        solveTwist(batch, a, b, pressure);
    }
    if (isLast && batch->blows != NULL) {
        batch->spin = sdVec3x8_Add(batch->spin, spinOf(batch));
    }
    solveFriction(batch, a, b, pressure, solver->stickSpeed, isLast);
}

void SD_KERNEL(sdSoftBatch_Solve)(sdSoftBatch* batch, const sdSoftSolver* solver,
                                  sdSweepKind kind) {
    bool isBiased = kind == SD_SWEEP_PUSH;
    sdBodyState* states = solver->step->states;
    sdBodyLanes a = sdBodyLanes_GatherVelocities(batch->stateA, states),
                b = sdBodyLanes_GatherVelocities(batch->stateB, states);
    if (!isBiased) {
        sdBodyLanes_GatherMotion(batch->stateA, states, &a);
        sdBodyLanes_GatherMotion(batch->stateB, states, &b);
    }
    // the last word of a sub-step has friction after the normals, where their pressure is right
    if (isBiased) {
        solveTangents(batch, solver, &a, &b, false);
    }
    // with the count known to the compiler, points stay in registers
    switch (batch->pointCount) {
        case 1:
            solveNormals(batch, solver, 1, kind, &a, &b);
            break;
        case 2:
            solveNormals(batch, solver, 2, kind, &a, &b);
            break;
        case 3:
            solveNormals(batch, solver, 3, kind, &a, &b);
            break;
        default:
            solveNormals(batch, solver, 4, kind, &a, &b);
    }
    if (!isBiased || batch->isFresh) {
        solveTangents(batch, solver, &a, &b, kind == SD_SWEEP_LAST);
        batch->isFresh = false;
    }
    sdBodyLanes_Scatter(batch->stateA, batch->writesA, states, &a);
    sdBodyLanes_Scatter(batch->stateB, batch->writesB, states, &b);
}

// ---- blows ---------------------------------------------------------------------------------

/// Normal velocity at a point.
SD_INLINE sdF8 speedAt(const sdSoftBatch* batch, const Arms* arms, int point, const sdBodyLanes* a,
                       const sdBodyLanes* b) {
    sdVec3x8 n = batch->normal, r = batch->points[point].r;
    return sdVec3x8_Dot(n, sdVec3x8_Sub(b->velocity, a->velocity)) +
           sdVec3x8_Dot(sdVec3x8_Add(arms->b, r), sdVec3x8_Cross(n, b->angularVelocity)) -
           sdVec3x8_Dot(sdVec3x8_Add(arms->a, r), sdVec3x8_Cross(n, a->angularVelocity));
}

SD_INLINE void pushAt(const sdSoftBatch* batch, const Arms* arms, int point, sdF8 size,
                      sdBodyLanes* a, sdBodyLanes* b) {
    sdVec3x8 impulse = sdVec3x8_Scale(size, batch->normal), r = batch->points[point].r;
    push(batch, a, b, impulse, sdVec3x8_Cross(sdVec3x8_Add(arms->a, r), impulse),
         sdVec3x8_Cross(sdVec3x8_Add(arms->b, r), impulse));
}

/// Add an impulse along the tangents, at the middle of the points.
SD_INLINE void pushAside(const sdSoftBatch* batch, sdF8 size1, sdF8 size2, sdBodyLanes* a,
                         sdBodyLanes* b) {
    sdVec3x8 t1 = batch->tangent, t2 = sdVec3x8_Cross(batch->normal, t1);
    sdVec3x8 impulse = sdVec3x8_MulAdd(sdVec3x8_Scale(size1, t1), size2, t2);
    push(batch, a, b, impulse, sdVec3x8_Cross(batch->centerA, impulse),
         sdVec3x8_Cross(batch->centerB, impulse));
}

/// Friction of an impact: what stops the slip, if that is within Coulomb's cone; else against the
/// slip, and never so much that it turns round. So it takes energy, whatever comes of the normals.
SD_INLINE void strikeAside(sdSoftBatch* batch, sdF8 pressure, sdBodyLanes* a, sdBodyLanes* b) {
    sdF8 tiny = sdF8_Splat(FLT_MIN);
    sdVec3x8 t1 = batch->tangent, t2 = sdVec3x8_Cross(batch->normal, t1);
    sdVec3x8 va = sdVec3x8_Add(a->velocity, sdVec3x8_Cross(a->angularVelocity, batch->centerA));
    sdVec3x8 vb = sdVec3x8_Add(b->velocity, sdVec3x8_Cross(b->angularVelocity, batch->centerB));
    sdVec3x8 v = sdVec3x8_Sub(vb, va);
    sdF8 v1 = sdVec3x8_Dot(v, t1), v2 = sdVec3x8_Dot(v, t2);
    sdF8 stop1 = batch->t11 * v1 + batch->t12 * v2, stop2 = batch->t12 * v1 + batch->t22 * v2;
    sdF8 hold = batch->staticFriction * pressure, limit = batch->slidingFriction * pressure;
    sdI8 slides = sdF8_Less(hold * hold, stop1 * stop1 + stop2 * stop2);
    // along itself the slip is gone at 1 / k of its speed; t = K⁻¹, of order 1
    sdF8 scale = sdF8_Splat(1.0f) / sdF8_Max(batch->slideMass, tiny), square = v1 * v1 + v2 * v2;
    sdF8 t11 = scale * batch->t11, t12 = scale * batch->t12, t22 = scale * batch->t22;
    sdF8 along = t22 * v1 * v1 - sdF8_Splat(2.0f) * t12 * v1 * v2 + t11 * v2 * v2;
    sdF8 most = batch->slideMass * (t11 * t22 - t12 * t12) * square / sdF8_Max(along, tiny);
    sdF8 s = sdF8_Min(most, limit / sdF8_Max(sdF8_Sqrt(square), tiny));
    sdF8 size1 = sdF8_Zero() - sdF8_Select(slides, s * v1, stop1);
    sdF8 size2 = sdF8_Zero() - sdF8_Select(slides, s * v2, stop2);
    pushAside(batch, size1, size2, a, b);
    batch->blowSlip1 += size1;
    batch->blowSlip2 += size2;
}

/// Friction of an impact against spinning about the normal and rolling, as in sub-steps.
SD_INLINE void strikeSpin(sdSoftBatch* batch, sdF8 pressure, sdBodyLanes* a, sdBodyLanes* b) {
    sdVec3x8 n = batch->normal, w = sdVec3x8_Sub(b->angularVelocity, a->angularVelocity);
    sdF8 about = sdVec3x8_Dot(n, w), limit = batch->twistArm * pressure;
    sdF8 twist = sdF8_Clamp(sdF8_Zero() - batch->twistMass * about, sdF8_Zero() - limit, limit);
    sdVec3x8 torque = sdVec3x8_Scale(twist, n);
    if (batch->hasRolling) {
        sdVec3x8 rolls = sdVec3x8_MulAdd(w, sdF8_Zero() - about, n);
        sdF8 speed = sdF8_Max(sdF8_Sqrt(sdVec3x8_Dot(rolls, rolls)), sdF8_Splat(FLT_MIN));
        sdF8 s = sdF8_Min(batch->rollingMass, batch->rollingArm * pressure / speed);
        torque = sdVec3x8_MulAdd(torque, sdF8_Zero() - s, rolls);
    }
    turnBy(batch, torque, a, b);
    batch->blowSpin = sdVec3x8_Add(batch->blowSpin, torque);
}

/// Speed of parting: e times that of the impact, with what a body that lands gains on its way.
SD_INLINE sdF8 partingSpeed(const sdSoftBatch* batch, sdF8 speed, sdF8 gap, sdI8 isLanding) {
    sdF8 zero = sdF8_Zero();
    sdF8 gained = sdF8_Splat(-2.0f) * sdF8_Min(batch->fall, zero) * sdF8_Max(gap, zero);
    gained = sdF8_Select(isLanding, gained, zero);
    return batch->restitution * sdF8_Sqrt(speed * speed + gained);
}

uint8_t SD_KERNEL(sdSoftBatch_Strike)(sdSoftBatch* batch, sdBodyState* states, float bounceSpeed,
                                      float reach, bool isFirst) {
    sdBodyLanes a = sdBodyLanes_GatherVelocities(batch->stateA, states),
                b = sdBodyLanes_GatherVelocities(batch->stateB, states);
    Arms arms = armsOf(batch);
    int count = batch->pointCount, sweeps = count == 1 ? 1 : BOUNCE_SWEEPS;
    sdF8 zero = sdF8_Zero(), time = sdF8_Splat(reach), half = sdF8_Splat(0.5f * reach);
    sdF8 wanted[SD_MANIFOLD_MAX_POINTS], blows[SD_MANIFOLD_MAX_POINTS];
    sdI8 meets[SD_MANIFOLD_MAX_POINTS], none = sdF8_Less(zero, zero), any = none;
    sdI8 isLanding = isFirst ? sdF8_LessEqual(sdF8_Min(a.inverseMass, b.inverseMass), zero) : none;
    for (int i = 0; i < count; ++i) {
        sdF8 speed = speedAt(batch, &arms, i, &a, &b), gap = batch->points[i].gap;
        sdF8 ahead = gap + time * (speed + half * sdF8_Min(batch->fall, zero));
        meets[i] = sdF8_Less(speed, sdF8_Splat(-bounceSpeed)) & sdF8_Less(ahead, zero) &
                   sdF8_Less(zero, batch->points[i].inverseK);
        wanted[i] = partingSpeed(batch, speed, gap, isLanding);
        blows[i] = zero;
        any |= meets[i];
    }
    if (!sdI8_Any(any)) {
        return 0;
    }
    for (int k = 0; k < sweeps * count; ++k) {
        int i = k % count;
        sdF8 missing = wanted[i] - speedAt(batch, &arms, i, &a, &b);
        sdF8 next = sdF8_Max(blows[i] + missing * batch->points[i].inverseK, zero);
        next = sdF8_Select(meets[i], next, zero);
        pushAt(batch, &arms, i, next - blows[i], &a, &b);
        blows[i] = next;
    }
    sdF8 pressure = zero;
    for (int i = 0; i < count; ++i) {
        batch->blows[i].blow += blows[i];
        pressure += blows[i];
    }
    strikeAside(batch, pressure, &a, &b);
    strikeSpin(batch, pressure, &a, &b);
    sdBodyLanes_Scatter(batch->stateA, batch->writesA, states, &a);
    sdBodyLanes_Scatter(batch->stateB, batch->writesB, states, &b);
    return (uint8_t)sdI8_MaskBits(any & sdF8_Less(zero, batch->restitution));
}

void SD_KERNEL(sdSoftBatch_TakeBlows)(sdSoftBatch* batch, sdBodyState* states, uint8_t lanes) {
    sdBodyLanes a = sdBodyLanes_GatherVelocities(batch->stateA, states),
                b = sdBodyLanes_GatherVelocities(batch->stateB, states);
    Arms arms = armsOf(batch);
    uint32_t bits[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        bits[i] = (lanes >> i & 1) != 0 ? 0xFFFFFFFFu : 0u;
    }
    sdI8 isTaken;
    memcpy(&isTaken, bits, sizeof isTaken);
    sdF8* totals = sdSoftBatch_GetTotals(batch);
    for (int i = 0; i < batch->pointCount; ++i) {
        sdF8 change = sdF8_Select(isTaken, batch->blows[i].blow - totals[i], sdF8_Zero());
        pushAt(batch, &arms, i, change, &a, &b);
        totals[i] = sdF8_Select(isTaken, batch->blows[i].blow, totals[i]);
        batch->points[i].impulse = sdF8_Select(isTaken, sdF8_Zero(), batch->points[i].impulse);
    }
    sdF8 zero = sdF8_Zero();
    pushAside(batch, sdF8_Select(isTaken, batch->blowSlip1 - batch->slip1, zero),
              sdF8_Select(isTaken, batch->blowSlip2 - batch->slip2, zero), &a, &b);
    batch->slip1 = sdF8_Select(isTaken, batch->blowSlip1, batch->slip1);
    batch->slip2 = sdF8_Select(isTaken, batch->blowSlip2, batch->slip2);
    sdVec3x8 none = {zero, zero, zero}, spin = sdVec3x8_Sub(batch->blowSpin, batch->spin);
    turnBy(batch, sdVec3x8_Select(isTaken, spin, none), &a, &b);
    batch->rolling = sdVec3x8_Select(isTaken, none, batch->rolling);
    batch->twist = sdF8_Select(isTaken, zero, batch->twist);
    batch->friction1 = sdF8_Select(isTaken, zero, batch->friction1);
    batch->friction2 = sdF8_Select(isTaken, zero, batch->friction2);
    sdBodyLanes_Scatter(batch->stateA, batch->writesA, states, &a);
    sdBodyLanes_Scatter(batch->stateB, batch->writesB, states, &b);
}
