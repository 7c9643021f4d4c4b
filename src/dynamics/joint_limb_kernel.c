// SPDX-License-Identifier: MIT
// joint_limb_kernel.c - rows of limbs: of eight joints that are set up alike, at once.
//
// In:   eight balls with a limit of their twist and a cone, or eight hinges with a limit, and their
//       bodies.
// Out:  a batch with their arms, blocks and rows.
// Note: the same as sdJoint_BuildRows and sdJointRow8_Load of each, to the last bit: every sum and
//       product is made in the same order. Formulas: joint_rows.c.

#include "dynamics/solver_joint.h"

#include "math/trig.h"

_Static_assert(offsetof(sdBody, localCenter) - offsetof(sdBody, rotation) == 4 * sizeof(float) &&
                   offsetof(sdJointDef, frameB) - offsetof(sdJointDef, frameA) ==
                       7 * sizeof(float) &&
                   offsetof(sdTransform, q) == 3 * sizeof(float),
               "what is read lies in rows");

/// Places where impulses are kept, of limits and locks about axes of A.
#define TWIST_SLOT (2 * SD_AXIS_TURN_X)
#define LOCK_SLOT_Y (2 * SD_AXIS_TURN_Y)
#define LOCK_SLOT_Z (2 * SD_AXIS_TURN_Z)

typedef struct Quat8 {
    sdVec3x8 v;
    sdF8 s;
} Quat8;

/// Eight joints as they are now.
typedef struct Limbs {
    Quat8 frame;    ///< A's in the world
    Quat8 relative; ///< B's in A's
    sdVec3x8 offset;
    sdF8 impulses[2][4]; ///< as they are kept: four from TWIST_SLOT on, and the last four
} Limbs;

// ---- algebra -------------------------------------------------------------------------------

SD_INLINE Quat8 quatOf(const sdF8 q[4]) {
    return (Quat8){{q[0], q[1], q[2]}, q[3]};
}

SD_INLINE Quat8 multiply(Quat8 a, Quat8 b) {
    sdVec3x8 v = sdVec3x8_Add(sdVec3x8_Cross(a.v, b.v), sdVec3x8_Scale(a.s, b.v));
    return (Quat8){sdVec3x8_Add(v, sdVec3x8_Scale(b.s, a.v)), a.s * b.s - sdVec3x8_Dot(a.v, b.v)};
}

SD_INLINE sdVec3x8 negate(sdVec3x8 a) {
    return (sdVec3x8){-a.x, -a.y, -a.z};
}

SD_INLINE sdVec3x8 rotate(Quat8 q, sdVec3x8 v) {
    sdVec3x8 t = sdVec3x8_Scale(sdF8_Splat(2.0f), sdVec3x8_Cross(q.v, v));
    return sdVec3x8_Add(sdVec3x8_MulAdd(v, q.s, t), sdVec3x8_Cross(q.v, t));
}

/// Of unit length, the scalar not negative.
SD_INLINE Quat8 normalize(Quat8 q) {
    sdF8 zero = sdF8_Zero(), one = sdF8_Splat(1.0f);
    sdF8 squared = sdVec3x8_Dot(q.v, q.v) + q.s * q.s;
    sdI8 isLong = sdF8_LessEqual(sdF8_Splat(FLT_MIN), squared);
    sdF8 scale = one / sdF8_Sqrt(sdF8_Select(isLong, squared, one));
    sdVec3x8 none = {zero, zero, zero};
    Quat8 r = {sdVec3x8_Select(isLong, sdVec3x8_Scale(scale, q.v), none),
               sdF8_Select(isLong, scale * q.s, one)};
    sdI8 isTurned = sdF8_Less(r.s, zero);
    return (Quat8){sdVec3x8_Select(isTurned, negate(r.v), r.v), sdF8_Select(isTurned, -r.s, r.s)};
}

// ---- eight joints --------------------------------------------------------------------------

/// Measure the joints, and set arms and blocks.
SD_INLINE Limbs load(sdJointBatch* batch, const sdLimbSources* from) {
    const float *bodies[2][SD_LANES], *frames[SD_LANES], *blocks[SD_LANES], *kept[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        bodies[0][i] = &from->bodiesA[i]->rotation.v.x;
        bodies[1][i] = &from->bodiesB[i]->rotation.v.x;
        frames[i] = &from->joints[i]->def.frameA.p.x;
        blocks[i] = &from->joints[i]->blockImpulse.x;
        kept[i] = from->joints[i]->impulses;
    }
    sdF8 turns[2][4], centers[2][4], p[4], q[4], block[4];
    sdVec3x8 arms[2];
    Quat8 own[2];
    for (int side = 0; side < 2; ++side) {
        sdF8_LoadRows(bodies[side], 0, turns[side]);
        sdF8_LoadRows(bodies[side], 4, centers[side]);
        sdF8_LoadRows(frames, 7 * side, p);
        sdF8_LoadRows(frames, 7 * side + 3, q);
        const sdF8* c = centers[side];
        sdVec3x8 local = {p[0] - c[0], p[1] - c[1], p[2] - c[2]};
        arms[side] = rotate(quatOf(turns[side]), local);
        own[side] = multiply(quatOf(turns[side]), quatOf(q));
    }
    sdVec3x8 between = {sdF8_Load(from->between[0]), sdF8_Load(from->between[1]),
                        sdF8_Load(from->between[2])};
    sdF8_LoadRows(blocks, 0, block);
    Limbs limbs = {.frame = own[0]};
    limbs.offset = sdVec3x8_Add(between, sdVec3x8_Sub(arms[1], arms[0]));
    limbs.relative = normalize(multiply((Quat8){negate(own[0].v), own[0].s}, own[1]));
    sdF8_LoadRows(kept, TWIST_SLOT, limbs.impulses[0]);
    sdF8_LoadRows(kept, SD_JOINT_CONE_ROW - 3, limbs.impulses[1]);
    batch->rA = arms[0];
    batch->rB = arms[1];
    batch->offset = limbs.offset;
    batch->impulse =
        sdVec3x8_Scale(sdF8_Splat(from->impulseScale), (sdVec3x8){block[0], block[1], block[2]});
    batch->hasBlockLane = sdF8_Splat(1.0f);
    return limbs;
}

// ---- rows ----------------------------------------------------------------------------------

/// What rows about an axis have in common; the rest is left to the caller.
SD_INLINE void startRow(sdJointRow8* row, sdVec3x8 axis, const Limbs* limbs, sdF8 error) {
    sdF8 zero = sdF8_Zero(), one = sdF8_Splat(1.0f);
    sdF8 along = sdVec3x8_Dot(axis, limbs->offset);
    row->axis = axis;
    row->other = (sdVec3x8){zero, zero, zero};
    row->isMove = row->isLine = row->isCone = row->isSoft = row->isSpring = zero;
    row->isUsed = one;
    row->scale = sdF8_Select(sdF8_Less(along, zero), zero - one, one);
    row->error = error - zero;
    row->target = zero;
}

SD_INLINE void setSoftness(sdJointRow8* row, sdSoftness softness) {
    row->stiffness = sdF8_Splat(softness.stiffness);
    row->massScale = sdF8_Splat(softness.massScale);
    row->impulseScale = sdF8_Splat(softness.impulseScale);
}

SD_INLINE void setSlots(sdJointRow8* row, int slot, sdI8 isTurned) {
    int turned = sdI8_MaskBits(isTurned);
    for (int i = 0; i < SD_LANES; ++i) {
        row->slots[i] = (int8_t)(slot | ((turned >> i & 1) != 0 ? SD_ROW_KEPT_TURNED : 0));
    }
}

/// @param kept impulse of the step before
SD_INLINE void setLimit(sdJointRow8* row, const sdLimbSources* from, sdF8 range, sdF8 kept) {
    sdI8 all = sdI8_Splat(-1);
    row->isLimit = (sdF8)all;
    row->lower = sdF8_Zero();
    row->upper = sdF8_Splat(FLT_MAX);
    row->range = range;
    row->impulse = sdF8_Clamp(kept, row->lower, row->upper);
    setSoftness(row, (sdSoftness){SD_JOINT_LIMIT_SHARE / from->h, 1.0f, 0.0f});
}

/// The turn about A's x axis, and how it changes with wB - wA.
SD_INLINE sdF8 findTwist(const Limbs* limbs, sdVec3x8* direction) {
    sdVec3x8 v = limbs->relative.v, e = sdVec3x8_Splat(sdV3(1.0f, 0.0f, 0.0f));
    sdF8 s = limbs->relative.s, c = v.x, one = sdF8_Splat(1.0f);
    sdF8 square = s * s + c * c;
    sdI8 isKnown = sdF8_Less(sdF8_Splat(SD_JOINT_SMALL_SINE * SD_JOINT_SMALL_SINE), square);
    sdVec3x8 j =
        sdVec3x8_Add(sdVec3x8_Scale(s * s, e),
                     sdVec3x8_Add(sdVec3x8_Scale(s, sdVec3x8_Cross(v, e)), sdVec3x8_Scale(c, v)));
    j = sdVec3x8_Scale(one / sdF8_Select(isKnown, square, one), j);
    *direction = rotate(limbs->frame, sdVec3x8_Select(isKnown, j, e));
    float angles[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        angles[i] = sdAtan2(c[i], s[i]);
    }
    return sdF8_Splat(2.0f) * sdF8_Load(angles);
}

/// The limit of the twist, for the nearer one of its ends.
SD_INLINE void setTwist(sdJointRow8* row, const Limbs* limbs, const sdLimbSources* from) {
    const float* ends[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        ends[i] = &from->joints[i]->def.axes[SD_AXIS_TURN_X].lower;
    }
    sdF8 limits[4], zero = sdF8_Zero(), turn = sdF8_Splat(SD_JOINT_TURN);
    sdF8_LoadRows(ends, 0, limits);
    sdVec3x8 direction;
    sdF8 place = findTwist(limbs, &direction);
    sdF8 above = place - limits[0], below = limits[1] - place;
    // beyond one end there may be less to go to the other, round the back
    sdI8 isBelow = sdF8_Less(below, zero), isAbove = ~isBelow & sdF8_Less(above, zero);
    above = sdF8_Select(isBelow, above - turn, above);
    below = sdF8_Select(isAbove, below - turn, below);
    sdI8 isBack = sdF8_Less(above, zero) & sdF8_Less(below, zero);
    sdI8 isUpper = (isBack & sdF8_Less(above, below)) | (~isBack & sdF8_Less(below, above));
    startRow(row, sdVec3x8_Select(isUpper, negate(direction), direction), limbs,
             sdF8_Select(isUpper, below, above));
    sdF8 kept = sdF8_Splat(from->impulseScale) * limbs->impulses[0][0];
    setLimit(row, from, sdF8_Min(limits[1] - limits[0], sdF8_Splat(SD_JOINT_ENDLESS)),
             sdF8_Select(isUpper, -kept, kept));
    setSlots(row, TWIST_SLOT, isUpper);
}

/// What keeps B from turning about the axis y or z of A.
/// @param e the axis
SD_INLINE void setLock(sdJointRow8* row, const Limbs* limbs, const sdLimbSources* from, sdVec3 e,
                       int slot) {
    sdVec3x8 axis = sdVec3x8_Splat(e), v = limbs->relative.v;
    sdVec3x8 j = sdVec3x8_Add(sdVec3x8_Scale(limbs->relative.s, axis), sdVec3x8_Cross(v, axis));
    bool isY = slot == LOCK_SLOT_Y;
    startRow(row, rotate(limbs->frame, j), limbs, sdF8_Splat(2.0f) * (isY ? v.y : v.z));
    row->isLimit = row->range = sdF8_Zero();
    row->lower = sdF8_Splat(-FLT_MAX);
    row->upper = sdF8_Splat(FLT_MAX);
    sdF8 kept =
        sdF8_Splat(from->impulseScale) * (isY ? limbs->impulses[0][2] : limbs->impulses[1][1]);
    row->impulse = sdF8_Clamp(kept, row->lower, row->upper);
    setSoftness(row, from->rigid);
    setSlots(row, slot, sdI8_Splat(0));
}

/// Lanes whose axes are not surely inside of their cone, one by one.
/// @return lanes that turn back instead
SD_INLINE sdI8 leaveCones(const Limbs* limbs, const sdLimbSources* from, int lanes, sdVec3x8* axis,
                          sdVec3x8 other, sdF8* error) {
    int32_t left[SD_LANES] = {0};
    for (; lanes != 0; lanes &= lanes - 1) {
        int i = __builtin_ctz((unsigned)lanes);
        sdVec3x8 v = limbs->relative.v;
        sdQuat relative = {{v.x[i], v.y[i], v.z[i]}, limbs->relative.s[i]};
        sdJointRow row = {.axis = sdVec3x8_GetLane(axis, i),
                          .other = sdVec3x8_GetLane(&other, i),
                          .scale = from->joints[i]->cone.scale,
                          .error = (*error)[i],
                          .kind = SD_ROW_CONE};
        sdJointRow_LeaveCone(&row, relative, from->joints[i]->def.coneAngle);
        left[i] = row.kind == SD_ROW_CONE ? 0 : -1;
        sdVec3x8_SetLane(axis, i, row.axis);
        sdF8_SetLane(error, i, row.error);
    }
    return sdI8_Load(left);
}

SD_INLINE void setCone(sdJointRow8* row, const Limbs* limbs, const sdLimbSources* from) {
    float scales[SD_LANES], cosines[SD_LANES];
    for (int i = 0; i < SD_LANES; ++i) {
        scales[i] = from->joints[i]->cone.scale;
        cosines[i] = from->joints[i]->cone.cosine;
    }
    sdVec3x8 x = sdVec3x8_Splat(sdV3(1.0f, 0.0f, 0.0f));
    sdVec3x8 axis = rotate(limbs->frame, x);
    sdVec3x8 other = rotate(limbs->frame, rotate(limbs->relative, x));
    sdF8 scale = sdF8_Load(scales), limit = sdF8_Load(cosines);
    sdF8 cosine = sdVec3x8_Dot(axis, other), error = scale * (cosine - limit);
    sdI8 isInside = sdF8_Less(limit + sdF8_Splat(SD_JOINT_SURELY_INSIDE), cosine);
    sdI8 isLeft = leaveCones(limbs, from, ~sdI8_MaskBits(isInside) & 0xFF, &axis, other, &error);
    startRow(row, axis, limbs, error);
    row->other = other;
    row->isCone = (sdF8)~isLeft;
    row->scale = sdF8_Select(isLeft, row->scale, scale);
    row->error = error - sdF8_Select(isLeft, sdF8_Zero(), scale * sdVec3x8_Dot(axis, other));
    sdF8 kept = sdF8_Splat(from->impulseScale) * limbs->impulses[1][3];
    setLimit(row, from, sdF8_Splat(SD_JOINT_ENDLESS), kept);
    setSlots(row, SD_JOINT_CONE_ROW, sdI8_Splat(0));
}

void SD_KERNEL(sdJointBatch_LoadLimbs)(sdJointBatch* batch, const sdLimbSources* from) {
    Limbs limbs = load(batch, from);
    if (from->isHinge) {
        setLock(&batch->rows[0], &limbs, from, sdV3(0.0f, 1.0f, 0.0f), LOCK_SLOT_Y);
        setLock(&batch->rows[1], &limbs, from, sdV3(0.0f, 0.0f, 1.0f), LOCK_SLOT_Z);
        setTwist(&batch->rows[2], &limbs, from);
    } else {
        setTwist(&batch->rows[0], &limbs, from);
        setCone(&batch->rows[1], &limbs, from);
    }
    sdSimd_Leave();
}
