// SPDX-License-Identifier: MIT
// integrate_kernel.c - eight bodies at a time: velocities and poses of a sub-step.
//
// Note: for bodies whose forces are steady and that turn by small angles. A turn keeps the angular
//       momentum by the rule of the midpoint; what is free for long, or fast, is integrate.c's.

#include "dynamics/integrate.h"

// ---- tensors -------------------------------------------------------------------------------

typedef struct sdVec3x4d {
    sdD4 x, y, z;
} sdVec3x4d;

SD_INLINE sdD4 widen(sdF4 a) {
    return __builtin_convertvector(a, sdD4);
}

SD_INLINE sdD4 dot4(const sdVec3x4d* a, const sdVec3x4d* b) {
    return a->x * b->x + a->y * b->y + a->z * b->z;
}

/// Rows of the matrices of four rotations, as math/quat.c has them of one.
SD_INLINE void rowsOf(const sdF4 q[4], sdVec3x4d rows[3]) {
    sdD4 x = widen(q[0]), y = widen(q[1]), z = widen(q[2]), s = widen(q[3]);
    const sdD4 zero = {0.0}, one = {1.0, 1.0, 1.0, 1.0}, two = one + one;
    sdD4 squared = x * x + y * y + z * z + s * s;
    sdL4 isTurn = (sdL4)(squared > zero);
    sdD4 k = (sdD4)((sdL4)(two / squared) & isTurn);
    rows[0] = (sdVec3x4d){one - k * (y * y + z * z), k * (x * y - s * z), k * (x * z + s * y)};
    rows[1] = (sdVec3x4d){k * (x * y + s * z), one - k * (x * x + z * z), k * (y * z - s * x)};
    rows[2] = (sdVec3x4d){k * (x * z - s * y), k * (y * z + s * x), one - k * (x * x + y * y)};
}

/// Share of its trace below which a product of inertia is none: floats would not notice, and to
/// multiply by what is nearly too small for them takes some processors a hundred times as long.
#define TINY_PRODUCT 1e-10

SD_INLINE sdF4 productOf(sdD4 product, sdD4 least) {
    sdL4 isMore = (sdL4)(product > least) | (sdL4)(product < -least);
    return __builtin_convertvector((sdD4)((sdL4)product & isMore), sdF4);
}

/// Four tensors, given by their columns, turned; of the result xx, xy, xz, yy, yz, zz.
SD_INLINE void turnFour(const sdVec3x4d rows[3], const sdF4 m[9], sdF4 out[6]) {
    sdVec3x4d c[3], t[3];
    for (int i = 0; i < 3; ++i) {
        c[i] = (sdVec3x4d){widen(m[3 * i]), widen(m[3 * i + 1]), widen(m[3 * i + 2])};
    }
    for (int i = 0; i < 3; ++i) {
        t[i] = (sdVec3x4d){dot4(&rows[i], &c[0]), dot4(&rows[i], &c[1]), dot4(&rows[i], &c[2])};
    }
    const sdD4 tiny = {TINY_PRODUCT, TINY_PRODUCT, TINY_PRODUCT, TINY_PRODUCT};
    sdD4 xx = dot4(&t[0], &rows[0]), yy = dot4(&t[1], &rows[1]), zz = dot4(&t[2], &rows[2]);
    sdD4 least = tiny * (xx + yy + zz);
    out[0] = __builtin_convertvector(xx, sdF4);
    out[1] = productOf(dot4(&t[1], &rows[0]), least);
    out[2] = productOf(dot4(&t[2], &rows[0]), least);
    out[3] = __builtin_convertvector(yy, sdF4);
    out[4] = productOf(dot4(&t[2], &rows[1]), least);
    out[5] = __builtin_convertvector(zz, sdF4);
}

/// Eight tensors of bodies to the world.
SD_INLINE void turnEight(const sdVec3x4d low[3], const sdVec3x4d high[3], const float* const* from,
                         float* const* to, sdF8 out[6]) {
    sdF8 a[4], b[4], c[4];
    sdF8_LoadRows(from, 0, a);
    sdF8_LoadRows(from, 4, b);
    sdF8_LoadRows(from, 5, c);
    const sdF8 m[9] = {a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], c[3]};
    sdF4 half[9], r[2][6];
    for (int i = 0; i < 9; ++i) {
        half[i] = sdF8_Low(m[i]);
    }
    turnFour(low, half, r[0]);
    for (int i = 0; i < 9; ++i) {
        half[i] = sdF8_High(m[i]);
    }
    turnFour(high, half, r[1]);
    for (int i = 0; i < 6; ++i) {
        out[i] = sdF8_Join(r[0][i], r[1][i]);
    }
    const sdF8 first[4] = {out[0], out[1], out[2], out[1]};
    const sdF8 middle[4] = {out[3], out[4], out[2], out[4]};
    const sdF8 last[4] = {out[4], out[2], out[4], out[5]};
    sdF8_StoreRows(to, 0, first);
    sdF8_StoreRows(to, 4, middle);
    sdF8_StoreRows(to, 5, last);
}

void SD_KERNEL(sdTensors_Turn)(const sdBody* const* bodies, sdBodyMotion* const* motions,
                               sdTensorRows* const* tensors) {
    const float *turns[SD_LANES], *moments[SD_LANES], *inverses[SD_LANES];
    float *toMoments[SD_LANES], *toInverses[SD_LANES], *toRows[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        turns[i] = &bodies[i]->rotation.v.x;
        moments[i] = &bodies[i]->inertia.cx.x;
        inverses[i] = &bodies[i]->inverseInertia.cx.x;
        toMoments[i] = &motions[i]->inertia.cx.x;
        toInverses[i] = &motions[i]->inverseInertia.cx.x;
        toRows[i] = &tensors[i]->xx;
    }
    sdF8 q[4], out[6];
    sdF8_LoadRows(turns, 0, q);
    sdVec3x4d low[3], high[3];
    rowsOf((const sdF4[4]){sdF8_Low(q[0]), sdF8_Low(q[1]), sdF8_Low(q[2]), sdF8_Low(q[3])}, low);
    rowsOf((const sdF4[4]){sdF8_High(q[0]), sdF8_High(q[1]), sdF8_High(q[2]), sdF8_High(q[3])},
           high);
    turnEight(low, high, moments, toMoments, out);
    turnEight(low, high, inverses, toInverses, out);
    const sdF8 rest[4] = {out[4], out[5], sdF8_Zero(), sdF8_Zero()};
    sdF8_StoreRows(toRows, 0, out);
    sdF8_StoreRows(toRows, 4, rest);
}

// ---- velocities ----------------------------------------------------------------------------

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
    if (block->hasLocks) {
        v = sdVec3x8_ApplyLocks(v, block->locks, 0);
        w = sdVec3x8_ApplyLocks(w, block->locks, 3);
    }
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
    if (block->hasLocks) {
        setRow(rows[0], sdVec3x8_ApplyLocks(vecOf(rows[0]), block->locks, 0));
        setRow(rows[1], sdVec3x8_ApplyLocks(vecOf(rows[1]), block->locks, 3));
    }
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
    storeBlock(states, (uint8_t)(block->special | fast), rows, block->hasLocks ? 0 : 1, 4);
    return fast;
}
