// SPDX-License-Identifier: MIT
// integrate_kernel.c - eight bodies at a time: velocities and poses of a sub-step.
//
// Note: for bodies whose forces are steady and that turn by small angles. A turn keeps the angular
//       momentum by the rule of the midpoint; what is free for long, or fast, is integrate.c's.

#include "dynamics/integrate.h"

SD_INLINE void loadBlock(const sdBodyState* states, sdF8 rows[4][4]) {
    const float* from[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        from[i] = &states[i].velocity.x;
    }
    for (int i = 0; i < 4; ++i) {
        sdF8_LoadRows(from, 4 * i, rows[i]);
    }
}

/// Lanes that are special keep what they have.
SD_INLINE void storeBlock(sdBodyState* states, uint8_t special, sdF8 rows[4][4], int first,
                          int end) {
    sdBodyState nobody;
    float* to[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        to[i] = (special >> i & 1) != 0 ? &nobody.velocity.x : &states[i].velocity.x;
    }
    for (int i = first; i < end; ++i) {
        sdF8_StoreRows(to, 4 * i, rows[i]);
    }
}

SD_INLINE sdVec3x8 vecOf(const sdF8 row[4]) {
    return (sdVec3x8){row[0], row[1], row[2]};
}

SD_INLINE void setRow(sdF8 row[4], sdVec3x8 v) {
    row[0] = v.x;
    row[1] = v.y;
    row[2] = v.z;
}

uint8_t SD_KERNEL(sdMotionBlock_Accelerate)(sdMotionBlock* block, sdBodyState* states, bool isFirst,
                                            float maxSpeed) {
    sdF8 rows[4][4];
    loadBlock(states, rows);
    sdVec3x8 v = vecOf(rows[0]), w = vecOf(rows[1]);
    sdVec3x8 none = {sdF8_Zero(), sdF8_Zero(), sdF8_Zero()};
    sdVec3x8 push = isFirst ? none : sdVec3x8_Sub(v, block->freeVelocity);
    sdVec3x8 spin = isFirst ? none : sdVec3x8_Sub(w, block->freeAngularVelocity);
    v = sdVec3x8_Scale(block->damping, sdVec3x8_Add(v, block->gain));
    w = sdVec3x8_Scale(block->angularDamping, w);
    sdF8 limit = sdF8_Splat(maxSpeed * maxSpeed);
    sdI8 isSlow = sdF8_Less(sdVec3x8_Dot(v, v), limit) & sdF8_Less(sdVec3x8_Dot(w, w), limit);
    uint8_t special = (uint8_t)(block->special | (~sdI8_MaskBits(isSlow) & 0xFF));
    block->freeVelocity = v;
    block->freeAngularVelocity = w;
    setRow(rows[0], sdVec3x8_Add(v, push));
    setRow(rows[1], sdVec3x8_Add(w, spin));
    storeBlock(states, special, rows, 0, 2);
    return (uint8_t)(special & ~block->special);
}

// ---- turn ----------------------------------------------------------------------------------

typedef struct Quat8 {
    sdVec3x8 v;
    sdF8 s;
} Quat8;

SD_INLINE sdVec3x8 turnVec(const Quat8* q, sdVec3x8 p, sdF8 sign) {
    sdVec3x8 t = sdVec3x8_Scale(sdF8_Splat(2.0f), sdVec3x8_Cross(q->v, p));
    sdVec3x8 r = sdVec3x8_Add(p, sdVec3x8_Cross(q->v, t));
    return sdVec3x8_MulAdd(r, sign * q->s, t);
}

/// World tensor at the start of the step, turned since, times a vector.
SD_INLINE sdVec3x8 timesTurned(const sdSym3x8* m, const Quat8* turn, sdVec3x8 p) {
    sdF8 one = sdF8_Splat(1.0f);
    sdVec3x8 back = turnVec(turn, p, sdF8_Zero() - one);
    return turnVec(turn, sdSym3x8_Mul(m, back), one);
}

/// By a small angle: the series of sine and cosine to the third order; unit length by one step of
/// Newton's method.
SD_INLINE Quat8 turnALittle(const Quat8* q, sdVec3x8 angle) {
    sdF8 square = sdVec3x8_Dot(angle, angle);
    sdVec3x8 v = sdVec3x8_Scale(sdF8_Splat(0.5f) - square * sdF8_Splat(1.0f / 48.0f), angle);
    sdF8 s = sdF8_Splat(1.0f) - sdF8_Splat(0.125f) * square;
    sdVec3x8 rv = sdVec3x8_MulAdd(sdVec3x8_Cross(v, q->v), s, q->v);
    rv = sdVec3x8_MulAdd(rv, q->s, v);
    sdF8 rs = s * q->s - sdVec3x8_Dot(v, q->v);
    sdF8 scale = sdF8_Splat(1.5f) - sdF8_Splat(0.5f) * (sdVec3x8_Dot(rv, rv) + rs * rs);
    return (Quat8){sdVec3x8_Scale(scale, rv), scale * rs};
}

uint8_t SD_KERNEL(sdMotionBlock_Move)(sdMotionBlock* block, sdBodyState* states, float h,
                                      float maxAngle) {
    sdF8 rows[4][4];
    loadBlock(states, rows);
    sdF8 step = sdF8_Splat(h), half = sdF8_Splat(0.5f * h);
    sdVec3x8 w = vecOf(rows[1]);
    Quat8 turn = {vecOf(rows[3]), rows[3][3]};
    setRow(rows[2], sdVec3x8_MulAdd(vecOf(rows[2]), step, vecOf(rows[0])));
    sdI8 isSmall = sdF8_Less(sdVec3x8_Dot(w, w) * step * step, sdF8_Splat(maxAngle * maxAngle));
    uint8_t fast = (uint8_t)(~sdI8_MaskBits(isSmall) & 0xFF & ~block->special);
    sdVec3x8 mean = w, end = w;
    if (block->hasUneven) {
        sdVec3x8 momentum = timesTurned(&block->inertia, &turn, w);
        Quat8 middle = turnALittle(&turn, sdVec3x8_Scale(half, w));
        sdI8 isEven = (sdI8)block->isEven;
        mean = sdVec3x8_Select(isEven, w, timesTurned(&block->inverseInertia, &middle, momentum));
        Quat8 next = turnALittle(&turn, sdVec3x8_Scale(step, mean));
        end = sdVec3x8_Select(isEven, w, timesTurned(&block->inverseInertia, &next, momentum));
        turn = next;
    } else {
        turn = turnALittle(&turn, sdVec3x8_Scale(step, w));
    }
    // a turn that changes the angular velocity is no doing of the contacts
    sdVec3x8 change = sdVec3x8_Select(isSmall, sdVec3x8_Sub(end, w), sdVec3x8_Sub(w, w));
    block->freeAngularVelocity = sdVec3x8_Add(block->freeAngularVelocity, change);
    setRow(rows[1], end);
    setRow(rows[3], turn.v);
    rows[3][3] = turn.s;
    storeBlock(states, (uint8_t)(block->special | fast), rows, 1, 4);
    return fast;
}
