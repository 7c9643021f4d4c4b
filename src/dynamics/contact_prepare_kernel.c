// SPDX-License-Identifier: MIT
// contact_prepare_kernel.c - eight patches from rows to lanes, and their masses.
//
// In:   what is to be known of each patch, in one piece; states and tensors of the bodies.
// Out:  a batch that is ready for its first sweep.

#include "dynamics/solver_soft.h"

/// Mean distance from the middle of an evenly pressed disc, and line, over that of its rim or ends:
/// pressure is taken as even when a patch turns about its normal.
#define EVEN_DISC (2.0f / 3.0f)
#define EVEN_LINE 0.5f

// ---- rows to lanes -------------------------------------------------------------------------

/// What is needed besides what is put into the batch at once.
typedef struct Input {
    sdVec3x8 turn; ///< of shape A's frame: vector part
    sdF8 turnScalar;
    sdVec3x8 offset, between, friction, rolling, fall; ///< as in sdPatchInput
    sdF8 pointCount, spinFriction;
    sdBodyLanes a, b;         ///< velocities and masses
    float bounceSpeed, reach; ///< m/s; s that sub-steps look ahead
} Input;

/// Row `row` of eight inputs.
SD_INLINE void loadRow(const sdPatchInput* const* inputs, size_t offset, sdVec3x8* xyz, sdF8* w) {
    const float* rows[SD_LANES];
    sdF8 out[4];
    for (int i = 0; i < SD_LANES; ++i) {
        rows[i] = (const float*)(const void*)((const char*)inputs[i] + offset);
    }
    sdF8_LoadRows(rows, 0, out);
    *xyz = (sdVec3x8){out[0], out[1], out[2]};
    *w = out[3];
}

SD_INLINE sdSym3x8 loadTensors(const int32_t* states, const sdTensorRows* tensors) {
    static const sdTensorRows none = {.xx = 0.0f};
    const float* rows[SD_LANES];
    sdF8 a[4], b[4];
    for (int i = 0; i < SD_LANES; ++i) {
        rows[i] = states[i] >= 0 ? &tensors[states[i]].xx : &none.xx;
    }
    sdF8_LoadRows(rows, 0, a);
    sdF8_LoadRows(rows, 4, b);
    return (sdSym3x8){a[0], a[1], a[2], a[3], b[0], b[1]};
}

SD_INLINE bool hasPositive(sdF8 a) {
    return sdI8_Any(sdF8_Less(sdF8_Zero(), a));
}

SD_INLINE Input loadRows(sdSoftBatch* batch, const sdPatchInput* const* inputs, const sdStep* step,
                         float bounceSpeed) {
    Input in = {.bounceSpeed = bounceSpeed, .reach = step->dt + step->h};
    loadRow(inputs, offsetof(sdPatchInput, turn), &in.turn, &in.turnScalar);
    loadRow(inputs, offsetof(sdPatchInput, offset), &in.offset, &in.pointCount);
    loadRow(inputs, offsetof(sdPatchInput, between), &in.between, &in.spinFriction);
    loadRow(inputs, offsetof(sdPatchInput, normal), &batch->normal, &batch->staticFriction);
    loadRow(inputs, offsetof(sdPatchInput, friction), &in.friction, &batch->slidingFriction);
    loadRow(inputs, offsetof(sdPatchInput, rolling), &in.rolling, &batch->rollingArm);
    loadRow(inputs, offsetof(sdPatchInput, fall), &in.fall, &batch->restitution);
    sdVec3x8 statesAndSlop;
    sdF8 pad;
    loadRow(inputs, offsetof(sdPatchInput, stateA), &statesAndSlop, &pad);
    batch->slop = statesAndSlop.z;
    for (int i = 0; i < SD_LANES; ++i) {
        batch->stateA[i] = inputs[i]->stateA;
        batch->stateB[i] = inputs[i]->stateB;
    }
    in.a = sdBodyLanes_GatherVelocities(batch->stateA, step->states);
    in.b = sdBodyLanes_GatherVelocities(batch->stateB, step->states);
    batch->inertiaA = loadTensors(batch->stateA, step->tensors);
    batch->inertiaB = loadTensors(batch->stateB, step->tensors);
    batch->writesA = (uint8_t)sdI8_MaskBits(sdF8_Less(sdF8_Zero(), in.a.inverseMass));
    batch->writesB = (uint8_t)sdI8_MaskBits(sdF8_Less(sdF8_Zero(), in.b.inverseMass));
    batch->hasTwist = hasPositive(in.spinFriction) || hasPositive(in.pointCount - sdF8_Splat(1.0f));
    batch->hasRolling = hasPositive(batch->rollingArm);
    batch->hasRestitution = hasPositive(batch->restitution);
    return in;
}

/// Lanes without the point have zeros.
SD_INLINE void loadPoint(sdSoftPoint* point, const sdPatchInput* const* inputs, int index,
                         sdF8 pointCount) {
    sdVec3x8 middle, rest, none = {sdF8_Zero(), sdF8_Zero(), sdF8_Zero()};
    sdF8 separation, pad;
    loadRow(inputs, offsetof(sdPatchInput, points[index].middle), &middle, &separation);
    loadRow(inputs, offsetof(sdPatchInput, points[index].impulse), &rest, &pad);
    sdI8 isUsed = sdF8_Less(sdF8_Splat((float)index), pointCount);
    rest = sdVec3x8_Select(isUsed, rest, none);
    point->r = sdVec3x8_Select(isUsed, middle, none);
    point->separation = sdF8_Select(isUsed, separation, none.x);
    point->impulse = rest.x;
    point->roundA = rest.y;
    point->roundB = rest.z;
}

// ---- masses --------------------------------------------------------------------------------

SD_INLINE sdVec3x8 turnForth(const Input* input, sdVec3x8 v) {
    sdVec3x8 t = sdVec3x8_Scale(sdF8_Splat(2.0f), sdVec3x8_Cross(input->turn, v));
    sdVec3x8 r = sdVec3x8_Add(v, sdVec3x8_Cross(input->turn, t));
    return sdVec3x8_MulAdd(r, input->turnScalar, t);
}

/// 1 / a, and 0 where a is not positive.
SD_INLINE sdF8 inverseOf(sdF8 a) {
    sdF8 zero = sdF8_Zero(), one = sdF8_Splat(1.0f);
    sdI8 isPositive = sdF8_Less(zero, a);
    return sdF8_Select(isPositive, one / sdF8_Select(isPositive, a, one), zero);
}

/// A unit vector across a unit vector, as sdPerp.
SD_INLINE sdVec3x8 perpOf(sdVec3x8 n) {
    sdF8 one = sdF8_Splat(1.0f), zero = sdF8_Zero();
    sdF8 sign = sdF8_Select(sdF8_Less(n.z, zero), zero - one, one);
    sdF8 b = (zero - one) / (sign + n.z);
    return (sdVec3x8){one + sign * n.x * n.x * b, sign * n.x * n.y * b, zero - sign * n.x};
}

/// Normal velocity with which a gap is closed, of bodies that approach and gain speed on the way.
SD_INLINE sdF8 impactSpeed(sdF8 approach, sdF8 gap, sdF8 fall) {
    sdF8 zero = sdF8_Zero(), two = sdF8_Splat(2.0f);
    sdF8 squared = approach * approach - two * sdF8_Min(fall, zero) * sdF8_Max(gap, zero);
    return sdF8_Select(sdF8_Less(approach, zero), zero - sdF8_Sqrt(squared), approach);
}

/// Matrix of the normals. Points are where their impulses act on the shapes' cores.
SD_INLINE void prepareNormals(sdSoftBatch* batch, const Input* input) {
    sdVec3x8 n = batch->normal;
    sdVec3x8 turnA[SD_MANIFOLD_MAX_POINTS], turnB[SD_MANIFOLD_MAX_POINTS];
    sdVec3x8 armA[SD_MANIFOLD_MAX_POINTS], armB[SD_MANIFOLD_MAX_POINTS];
    sdF8 mass = input->a.inverseMass + input->b.inverseMass, zero = sdF8_Zero();
    sdF8 fall = sdVec3x8_Dot(n, input->fall);
    sdF8 apart = sdVec3x8_Dot(n, sdVec3x8_Sub(batch->centerB, batch->centerA));
    sdF8* totals = sdSoftBatch_GetTotals(batch);
    batch->fall = fall;
    batch->approach = batch->impact = zero;
    // points that are not there are in the middle of the others, and not faster than all of these
    for (int i = 0; i < batch->pointCount; ++i) {
        sdSoftPoint* point = &batch->points[i];
        armA[i] = sdVec3x8_Cross(sdVec3x8_Add(batch->centerA, point->r), n);
        armB[i] = sdVec3x8_Cross(sdVec3x8_Add(batch->centerB, point->r), n);
        turnA[i] = sdSym3x8_Mul(&batch->inertiaA, armA[i]);
        turnB[i] = sdSym3x8_Mul(&batch->inertiaB, armB[i]);
        sdVec3x8 v = sdVec3x8_Sub(input->b.velocity, input->a.velocity);
        sdF8 approach = sdVec3x8_Dot(n, v) + sdVec3x8_Dot(armB[i], input->b.angularVelocity) -
                        sdVec3x8_Dot(armA[i], input->a.angularVelocity);
        batch->approach = sdF8_Min(batch->approach, approach);
        if (batch->blows != NULL) {
            sdF8 impact = impactSpeed(approach, point->separation, fall);
            batch->impact = sdF8_Min(batch->impact, impact);
            sdF8 ahead = point->separation + sdF8_Splat(input->reach) * impact;
            sdI8 isStruck =
                sdF8_Less(impact, sdF8_Splat(-input->bounceSpeed)) & sdF8_Less(ahead, zero);
            batch->blows[i] = (sdSoftBlow){zero, (sdF8)isStruck};
        }
        totals[i] = zero;
        point->gap = point->separation;
        point->separation -= apart + point->roundA + point->roundB;
    }
    batch->impact = batch->blows != NULL ? batch->impact : batch->approach;
    for (int i = 0; i < batch->pointCount; ++i) {
        sdSoftPoint* point = &batch->points[i];
        sdI8 isUsed = sdF8_Less(sdF8_Splat((float)i), input->pointCount);
        sdF8 k = mass + sdVec3x8_Dot(armA[i], turnA[i]) + sdVec3x8_Dot(armB[i], turnB[i]);
        point->inverseK = sdF8_Select(isUsed, inverseOf(k), zero);
        for (int j = 0; j < batch->pointCount; ++j) {
            if (j != i) {
                k = mass + sdVec3x8_Dot(armA[i], turnA[j]) + sdVec3x8_Dot(armB[i], turnB[j]);
                point->couplings[sdSoftPoint_CouplingOf(i, j, batch->pointCount)] =
                    k * point->inverseK;
            }
        }
    }
}

/// Friction rows at the middle of the points.
SD_INLINE void prepareFriction(sdSoftBatch* batch, const Input* input) {
    sdVec3x8 n = batch->normal, t1 = perpOf(n), t2 = sdVec3x8_Cross(n, t1);
    sdVec3x8 a1 = sdVec3x8_Cross(batch->centerA, t1), a2 = sdVec3x8_Cross(batch->centerA, t2);
    sdVec3x8 b1 = sdVec3x8_Cross(batch->centerB, t1), b2 = sdVec3x8_Cross(batch->centerB, t2);
    sdVec3x8 turnA = sdSym3x8_Mul(&batch->inertiaA, a1), turnB = sdSym3x8_Mul(&batch->inertiaB, b1);
    sdF8 mass = input->a.inverseMass + input->b.inverseMass;
    sdF8 k11 = mass + sdVec3x8_Dot(a1, turnA) + sdVec3x8_Dot(b1, turnB);
    sdF8 k12 = sdVec3x8_Dot(a2, turnA) + sdVec3x8_Dot(b2, turnB);
    sdF8 k22 = mass + sdVec3x8_Dot(a2, sdSym3x8_Mul(&batch->inertiaA, a2)) +
               sdVec3x8_Dot(b2, sdSym3x8_Mul(&batch->inertiaB, b2));
    // the same in all directions, so that sliding friction is against the slip
    sdF8 scale = inverseOf(k11 + k22);
    batch->slideMass = scale;
    batch->tangent = t1;
    // of order 1, whatever the masses: no product of them may overflow
    k11 *= scale;
    k12 *= scale;
    k22 *= scale;
    sdF8 inverse = scale * inverseOf(k11 * k22 - k12 * k12);
    batch->t11 = inverse * k22;
    batch->t12 = sdF8_Zero() - inverse * k12;
    batch->t22 = inverse * k11;
    batch->friction1 = sdVec3x8_Dot(input->friction, t1);
    batch->friction2 = sdVec3x8_Dot(input->friction, t2);
    batch->slip1 = batch->slip2 = sdF8_Zero();
    batch->twistMass = inverseOf(sdVec3x8_Dot(n, sdSym3x8_Mul(&batch->inertiaA, n)) +
                                 sdVec3x8_Dot(n, sdSym3x8_Mul(&batch->inertiaB, n)));
    // a normal that has turned since takes with it what is about it; nothing is kept that no row
    // would take back
    sdF8 zero = sdF8_Zero(), twist = sdVec3x8_Dot(input->rolling, n);
    sdVec3x8 none = {zero, zero, zero};
    if (batch->blows != NULL) {
        batch->blowSlip1 = batch->blowSlip2 = zero;
        batch->spin = batch->blowSpin = none;
    }
    batch->twist = batch->hasTwist ? twist : zero;
    batch->rolling = batch->hasRolling ? sdVec3x8_MulAdd(input->rolling, zero - twist, n) : none;
    // the softest direction bounds the step from above: no overshoot
    batch->rollingMass = inverseOf(batch->inertiaA.xx + batch->inertiaA.yy + batch->inertiaA.zz +
                                   batch->inertiaB.xx + batch->inertiaB.yy + batch->inertiaB.zz);
}

void SD_KERNEL(sdSoftBatch_Prepare)(sdSoftBatch* batch, const sdPatchInput* const* inputs,
                                    const sdStep* step, float bounceSpeed) {
    Input loaded = loadRows(batch, inputs, step, bounceSpeed), *input = &loaded;
    sdF8 zero = sdF8_Zero(), inverseCount = inverseOf(input->pointCount);
    sdVec3x8 center = {zero, zero, zero};
    batch->normal = turnForth(input, batch->normal);
    batch->isRound = false;
    for (int i = 0; i < batch->pointCount; ++i) {
        sdSoftPoint* point = &batch->points[i];
        loadPoint(point, inputs, i, input->pointCount);
        point->r = sdVec3x8_Add(turnForth(input, point->r), input->offset);
        sdI8 isUsed = sdF8_Less(sdF8_Splat((float)i), input->pointCount);
        center = sdVec3x8_MulAdd(center, sdF8_Select(isUsed, inverseCount, zero), point->r);
    }
    sdF8 arm = zero;
    for (int i = 0; i < batch->pointCount; ++i) {
        sdSoftPoint* point = &batch->points[i];
        sdI8 isUsed = sdF8_Less(sdF8_Splat((float)i), input->pointCount);
        point->r = sdVec3x8_Sub(point->r, center);
        arm +=
            sdF8_Select(isUsed, inverseCount * sdF8_Sqrt(sdVec3x8_Dot(point->r, point->r)), zero);
        sdI8 isRound = sdF8_Less(zero, point->roundA + point->roundB);
        batch->isRound = batch->isRound || sdI8_Any(isRound);
    }
    batch->centerA = center;
    batch->centerB = sdVec3x8_Sub(center, input->between);
    sdF8 even = sdF8_Select(sdF8_Less(sdF8_Splat(2.5f), input->pointCount), sdF8_Splat(EVEN_DISC),
                            sdF8_Splat(EVEN_LINE));
    batch->twistArm = even * batch->slidingFriction * arm + input->spinFriction;
    sdF8 pressure = zero;
    for (int i = 0; i < batch->pointCount; ++i) {
        pressure += batch->points[i].impulse;
    }
    batch->isFresh = sdI8_Any(sdF8_LessEqual(pressure, zero));
    prepareFriction(batch, input);
    prepareNormals(batch, input);
}
