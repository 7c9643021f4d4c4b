// SPDX-License-Identifier: MIT
// body_lanes.h - the bodies of eight constraints in lanes, for kernels.

#ifndef SD_DYNAMICS_BODY_LANES_H
#define SD_DYNAMICS_BODY_LANES_H

#include "base/simd.h"
#include "dynamics/step.h"

/// Symmetric matrices.
typedef struct sdSym3x8 {
    sdF8 xx, xy, xz, yy, yz, zz;
} sdSym3x8;

// ---- one lane -------------------------------------------------------------------------------

/// One lane and nothing else: its neighbours may be other workers', and a compiler may write all
/// lanes of a vector to set one.
SD_INLINE void sdF8_SetLane(sdF8* to, int lane, float value) {
    memcpy((char*)to + (size_t)lane * sizeof value, &value, sizeof value);
}

SD_INLINE void sdVec3x8_SetLane(sdVec3x8* to, int lane, sdVec3 v) {
    sdF8_SetLane(&to->x, lane, v.x);
    sdF8_SetLane(&to->y, lane, v.y);
    sdF8_SetLane(&to->z, lane, v.z);
}

SD_INLINE sdVec3 sdVec3x8_GetLane(const sdVec3x8* v, int lane) {
    return sdV3(v->x[lane], v->y[lane], v->z[lane]);
}

SD_INLINE void sdSym3x8_SetLane(sdSym3x8* to, int lane, const sdMat33* m) {
    sdF8_SetLane(&to->xx, lane, m->cx.x);
    sdF8_SetLane(&to->xy, lane, m->cy.x);
    sdF8_SetLane(&to->xz, lane, m->cz.x);
    sdF8_SetLane(&to->yy, lane, m->cy.y);
    sdF8_SetLane(&to->yz, lane, m->cz.y);
    sdF8_SetLane(&to->zz, lane, m->cz.z);
}

/// What locks leave of velocities.
/// @param locks of eight bodies
/// @param first of the bits of the axes: 0, of turns 3
SD_INLINE sdVec3x8 sdVec3x8_ApplyLocks(sdVec3x8 v, const uint32_t locks[SD_LANES], int first) {
    sdI8 bits, zero = (sdI8)sdF8_Zero();
    memcpy(&bits, locks, sizeof bits);
    return (sdVec3x8){sdF8_Select((bits >> first & 1) == zero, v.x, sdF8_Zero()),
                      sdF8_Select((bits >> (first + 1) & 1) == zero, v.y, sdF8_Zero()),
                      sdF8_Select((bits >> (first + 2) & 1) == zero, v.z, sdF8_Zero())};
}

// ---- bodies to lanes -----------------------------------------------------------------------

typedef struct sdBodyLanes {
    sdVec3x8 velocity, angularVelocity, displacement;
    sdVec3x8 turn; ///< vector part
    sdF8 turnScalar;
    sdF8 inverseMass;
} sdBodyLanes;

/// Eight rows of four floats as four vectors of eight.
SD_INLINE void sdF8_LoadRows(const float* const* rows, int offset, sdF8 out[4]) {
    sdF4 r[SD_LANES], c[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        memcpy(&r[i], rows[i] + offset, sizeof r[i]);
    }
    sdF4_Transpose(r, c);
    sdF4_Transpose(r + 4, c + 4);
    for (int i = 0; i < 4; ++i) {
        out[i] = sdF8_Join(c[i], c[4 + i]);
    }
}

SD_INLINE void sdF8_StoreRows(float* const* rows, int offset, const sdF8 in[4]) {
    sdF4 c[SD_LANES], r[SD_LANES];
    for (int i = 0; i < 4; ++i) {
        c[i] = sdF8_Low(in[i]);
        c[4 + i] = sdF8_High(in[i]);
    }
    sdF4_Transpose(c, r);
    sdF4_Transpose(c + 4, r + 4);
    for (int i = 0; i < SD_LANES; ++i) {
        memcpy(rows[i] + offset, &r[i], sizeof r[i]);
    }
}

/// Eight symmetric matrices.
SD_INLINE sdSym3x8 sdSym3x8_Gather(const sdMat33* const* matrices) {
    const float* rows[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        rows[i] = &matrices[i]->cx.x;
    }
    // columns: the last four numbers, and five before them
    sdF8 a[4], b[4], c[4];
    sdF8_LoadRows(rows, 0, a);
    sdF8_LoadRows(rows, 1, b);
    sdF8_LoadRows(rows, 5, c);
    return (sdSym3x8){a[0], a[3], c[1], b[3], c[2], c[3]};
}

static const sdBodyState sdStillBody = {.turn = {{0.0f, 0.0f, 0.0f}, 1.0f}};

/// @param rows where the states of eight bodies are
SD_INLINE void sdBodyLanes_FindRows(const int32_t* indices, const sdBodyState* states,
                                    const float* rows[SD_LANES]) {
    for (int i = 0; i < SD_LANES; ++i) {
        const sdBodyState* state = indices[i] >= 0 ? states + indices[i] : &sdStillBody;
        rows[i] = &state->velocity.x;
    }
}

/// Velocities and masses; displacements are not set.
SD_INLINE sdBodyLanes sdBodyLanes_GatherVelocities(const int32_t* indices,
                                                   const sdBodyState* states) {
    const float* rows[SD_LANES];
    sdBodyLanes_FindRows(indices, states, rows);
    sdF8 a[4], b[4];
    sdF8_LoadRows(rows, 0, a);
    sdF8_LoadRows(rows, 4, b);
    sdBodyLanes lanes;
    lanes.velocity = (sdVec3x8){a[0], a[1], a[2]};
    lanes.inverseMass = a[3];
    lanes.angularVelocity = (sdVec3x8){b[0], b[1], b[2]};
    return lanes;
}

/// Displacements and turns.
SD_INLINE void sdBodyLanes_GatherMotion(const int32_t* indices, const sdBodyState* states,
                                        sdBodyLanes* lanes) {
    const float* rows[SD_LANES];
    sdBodyLanes_FindRows(indices, states, rows);
    sdF8 c[4], d[4];
    sdF8_LoadRows(rows, 8, c);
    sdF8_LoadRows(rows, 12, d);
    lanes->displacement = (sdVec3x8){c[0], c[1], c[2]};
    lanes->turn = (sdVec3x8){d[0], d[1], d[2]};
    lanes->turnScalar = d[3];
}

SD_INLINE sdBodyLanes sdBodyLanes_Gather(const int32_t* indices, const sdBodyState* states) {
    sdBodyLanes lanes = sdBodyLanes_GatherVelocities(indices, states);
    sdBodyLanes_GatherMotion(indices, states, &lanes);
    return lanes;
}

/// Velocities back to the bodies that contacts push.
SD_INLINE void sdBodyLanes_Scatter(const int32_t* indices, uint8_t writes, sdBodyState* states,
                                   const sdBodyLanes* lanes) {
    sdBodyState nobody;
    float* rows[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        sdBodyState* state = (writes >> i & 1) != 0 ? states + indices[i] : &nobody;
        rows[i] = &state->velocity.x;
    }
    sdF8 v[4] = {lanes->velocity.x, lanes->velocity.y, lanes->velocity.z, lanes->inverseMass};
    sdF8 w[4] = {lanes->angularVelocity.x, lanes->angularVelocity.y, lanes->angularVelocity.z,
                 sdF8_Zero()};
    sdF8_StoreRows(rows, 0, v);
    sdF8_StoreRows(rows, 4, w);
}

// ---- algebra -------------------------------------------------------------------------------

/// Relative difference of moments below which turns of a body do not matter.
#define SD_ROUND_TOLERANCE 1e-6f

/// Whether tensors are the same about all axes, in all lanes.
SD_INLINE bool sdSym3x8_IsRound(const sdSym3x8* m) {
    sdF8 limit = sdF8_Splat(SD_ROUND_TOLERANCE) * m->xx;
    sdI8 isSame = sdF8_LessEqual(sdF8_Abs(m->yy - m->xx), limit) &
                  sdF8_LessEqual(sdF8_Abs(m->zz - m->xx), limit) &
                  sdF8_LessEqual(sdF8_Abs(m->xy), limit) & sdF8_LessEqual(sdF8_Abs(m->xz), limit) &
                  sdF8_LessEqual(sdF8_Abs(m->yz), limit);
    return !sdI8_Any(~isSame);
}

SD_INLINE sdVec3x8 sdSym3x8_Mul(const sdSym3x8* m, sdVec3x8 v) {
    return (sdVec3x8){m->xx * v.x + m->xy * v.y + m->xz * v.z,
                      m->xy * v.x + m->yy * v.y + m->yz * v.z,
                      m->xz * v.x + m->yz * v.y + m->zz * v.z};
}

SD_INLINE sdVec3x8 sdVec3x8_Scale(sdF8 s, sdVec3x8 a) {
    return (sdVec3x8){s * a.x, s * a.y, s * a.z};
}

/// mask ? a : b
SD_INLINE sdVec3x8 sdVec3x8_Select(sdI8 mask, sdVec3x8 a, sdVec3x8 b) {
    return (sdVec3x8){sdF8_Select(mask, a.x, b.x), sdF8_Select(mask, a.y, b.y),
                      sdF8_Select(mask, a.z, b.z)};
}

/// v turned back by a unit quaternion.
SD_INLINE sdVec3x8 sdBodyLanes_TurnBack(const sdBodyLanes* body, sdVec3x8 v) {
    sdF8 two = sdF8_Splat(2.0f);
    sdVec3x8 q = body->turn;
    sdVec3x8 t = sdVec3x8_Scale(two, sdVec3x8_Cross(q, v));
    sdVec3x8 r = sdVec3x8_Add(v, sdVec3x8_Cross(q, t));
    return sdVec3x8_Sub(r, sdVec3x8_Scale(body->turnScalar, t));
}

#endif
