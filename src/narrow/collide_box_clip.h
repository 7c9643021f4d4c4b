// SPDX-License-Identifier: MIT
// collide_box_clip.h - two boxes that overlap: what their faces have in common, in single
// precision.
//
// In:   half extents, B's place and rotation in A's frame, the axis of the least depth.
// Out:  a manifold, or nothing where floats cannot tell.
// Note: as findPoints of collide_box_manifold_kernel.c, which says how. Candidates and what is left
//       of them are off by 1e-6 of the boxes' sizes at most. What is inside is told of the same
//       rounded corners that sides start from, so nothing falls between the two. Vectors of four
//       floats have a third of the delays of those of doubles, which go from half to half.

#ifndef SD_NARROW_COLLIDE_BOX_CLIP_H
#define SD_NARROW_COLLIDE_BOX_CLIP_H

#include "narrow/collide_box_choose.h"
#include "narrow/collide_box_floats.h"
#include "narrow/collide_box_write.h"

/// Squares of sines of edges that cross: below this their axis is off by too much.
#define SD_BOX_CLIP_CROSSING 0.01f
/// Lengths below this stand for none.
#define SD_BOX_CLIP_NO_SIDE 1e-30f

/// A lane in all four.
#define SD_F4_LANE(a, i) __builtin_shufflevector(a, a, i, i, i, i)

/// Lanes of a box's frame in that of its face: u and v in its plane, then along its normal.
typedef struct sdF4Order {
#if defined(__AVX2__)
    sdI4 lanes;
#else
    sdI4 isX, isY; ///< the axis of the face, in all lanes
#endif
} sdF4Order;

/// @param lane of the face's axis
SD_INLINE sdF4Order sdF4Order_Make(sdI4 lane) {
    sdI4 isX = SD_F4_LANE(lane, 0), isY = SD_F4_LANE(lane, 1);
#if defined(__AVX2__)
    sdI4 x = {1, 2, 0, 3}, y = {2, 0, 1, 3}, z = {0, 1, 2, 3};
    return (sdF4Order){(x & isX) | (y & isY) | (z & ~(isX | isY))};
#else
    return (sdF4Order){isX, isY};
#endif
}

SD_INLINE sdF4 sdF4_Ordered(sdF4 a, sdF4Order order) {
#if defined(__AVX2__)
    return (sdF4)_mm_permutevar_ps((__m128)a, (__m128i)order.lanes);
#else
    return sdF4_Select(order.isX, sdF4_Next(a), sdF4_Select(order.isY, sdF4_Previous(a), a));
#endif
}

/// The sign of the lane that is kept, in the first three.
SD_INLINE sdI4 sdF4_SignOf(sdF4 a, sdI4 lane) {
    sdI4 sign = (sdI4)a & lane & sdI4_Splat(INT32_MIN);
    return sign | sdI4_Next(sign) | sdI4_Previous(sign);
}

/// The axis along which the boxes touch.
typedef struct sdBoxClipAxis {
    sdF4 n, inB; ///< A to B, of any length, in both frames
    sdF4 squared;
    sdF4 gap; ///< times the length
} sdBoxClipAxis;

SD_INLINE sdBoxClipAxis sdBoxClipAxis_Make(const sdBoxFloats* pair) {
    const sdF4 own = pair->r.own, above = pair->r.above, below = pair->r.below;
    const sdI4 axis = pair->axis, sign = sdI4_Splat(INT32_MIN);
    const sdI4 isEdges = axis > sdI4_Splat(SD_BOX_FACE_AXES - 1), isNotA = axis > sdI4_Splat(2);
    const sdI4 face = sdBoxAxis_FaceLane(axis), edgeA = sdBoxAxis_EdgeLaneA(axis);
    // the axis of B that it is, or is across
    sdI4 row =
        (sdI4)sdBoxDiagonals_Row(own, above, below, face | sdBoxAxis_EdgeLaneB(axis)) & isNotA;
    sdI4 whole = (row & ~isEdges) | ((sdI4)sdF4_Splat(1.0f) & face & ~isNotA);
    sdI4 cross =
        (sdI4_Previous(row) & sdI4_Next(edgeA)) | ((sdI4_Next(row) ^ sign) & sdI4_Previous(edgeA));
    sdF4 raw = (sdF4)(whole | cross), along = sdF4_Sum3(raw * pair->t);
    sdF4 inB = sdBoxFloats_Back(own, above, below, raw);
    sdF4 sizes = sdF4_Sum3(sdF4_Abs(raw) * pair->a + sdF4_Abs(inB) * pair->b);
    return (sdBoxClipAxis){sdF4_Turn(raw, along), sdF4_Turn(inB, along), sdF4_Sum3(raw * raw),
                           sdF4_Abs(along) - sizes};
}

/// Faces of both boxes that look at each other, in the frame of A's face.
typedef struct sdBoxClip {
    bool isClear;         ///< else several faces look as much along the normal
    unsigned face;        ///< of A: twice its axis, and whether it looks against that
    int labelA, labelB;   ///< of sides and corners, those of sdSupportFace_Find
    sdF4 half;            ///< of A's box: u, v, and the height of the face
    sdF4 normal;          ///< not of unit length
    sdF4 length, inverse; ///< of the normal, and 1 over it
    /// Of B's face, projected along the normal: middle, and half sides; each number in all lanes,
    /// the third is the separation along the normal
    sdF4 middle[3], u[3], v[3];
    sdF4 rim, least, limit, deep;       ///< as in sdBoxRange
    float places[3][SD_BOX_CANDIDATES]; ///< of the points: u, v and separation
    uint32_t ids[SD_BOX_CANDIDATES];
    unsigned bits; ///< those that are there
} sdBoxClip;

SD_INLINE void sdBoxClip_Project(const sdBoxClip* clip, sdF4 d, sdF4 steps, sdF4 out[3]) {
    sdF4 p = d - steps * clip->normal;
    out[0] = SD_F4_LANE(p, 0);
    out[1] = SD_F4_LANE(p, 1);
    out[2] = steps * clip->length;
}

SD_INLINE void sdBoxClip_SetFaces(sdBoxClip* clip, const sdBoxFloats* pair,
                                  const sdBoxClipAxis* axis) {
    const sdF4 n = axis->n, inB = axis->inB;
    sdI4 laneA = sdF4_Largest(sdF4_Abs(n)), laneB = sdF4_Largest(sdF4_Abs(inB));
    // half sides of B, times its axes, by their diagonals
    sdF4 own = pair->r.own * pair->b, above = pair->r.above * pair->b;
    sdF4 below = pair->r.below * sdF4_Next(pair->b);
    // B's face looks against the normal
    sdI4 turnB = sdF4_SignOf(inB, laneB) ^ sdI4_Splat(INT32_MIN);
    sdF4 middle = (sdF4)((sdI4)sdBoxDiagonals_Row(own, above, below, laneB) ^ turnB) + pair->t;
    sdF4 u = sdBoxDiagonals_Row(own, above, below, sdI4_Previous(laneB));
    sdF4 v = (sdF4)((sdI4)sdBoxDiagonals_Row(own, above, below, sdI4_Next(laneB)) ^ turnB);
    sdF4Order order = sdF4Order_Make(laneA);
    sdI4 turnA = sdF4_SignOf(n, laneA) & (sdI4){0, -1, -1, 0};
    clip->half = sdF4_Ordered(pair->a, order);
    clip->normal = (sdF4)((sdI4)sdF4_Ordered(n, order) ^ turnA);
    middle = (sdF4)((sdI4)sdF4_Ordered(middle, order) ^ turnA);
    u = (sdF4)((sdI4)sdF4_Ordered(u, order) ^ turnA);
    v = (sdF4)((sdI4)sdF4_Ordered(v, order) ^ turnA);
    sdF4 scale = sdF4_Splat(1.0f) / SD_F4_LANE(clip->normal, 2);
    sdBoxClip_Project(clip, middle, SD_F4_LANE(middle - clip->half, 2) * scale, clip->middle);
    sdBoxClip_Project(clip, u, SD_F4_LANE(u, 2) * scale, clip->u);
    sdBoxClip_Project(clip, v, SD_F4_LANE(v, 2) * scale, clip->v);
    // bits of one of three axes are twice its number, but for the first
    unsigned facesA = sdI4_Bits3(laneA), facesB = sdI4_Bits3(laneB);
    unsigned isBackA = (sdI4_Bits3((sdI4)n) & facesA) != 0;
    unsigned isFrontB = (sdI4_Bits3((sdI4)inB) & facesB) != 0;
    clip->isClear = ((facesA & (facesA - 1)) | (facesB & (facesB - 1))) == 0;
    clip->face = (facesA & 6u) + isBackA;
    clip->labelA = (int)(4u * clip->face);
    clip->labelB = (int)(4u * ((facesB & 6u) + 1u - isFrontB));
}

// ---- points --------------------------------------------------------------------------------

/// @param isGone lanes that are not wanted
/// @return lanes that are not wanted or not deep
SD_INLINE sdI4 sdBoxClip_Store(sdBoxClip* clip, int at, sdF4 u, sdF4 v, sdF4 separation,
                               sdI4 isGone) {
    memcpy(clip->places[0] + at, &u, sizeof u);
    memcpy(clip->places[1] + at, &v, sizeof v);
    memcpy(clip->places[2] + at, &separation, sizeof separation);
    isGone |= (separation < clip->least) | (clip->limit < separation);
    clip->bits ^= (unsigned)sdI4_MaskBits(isGone) << at;
    return isGone | (clip->deep < separation);
}

SD_INLINE void sdBoxClip_StoreIds(sdBoxClip* clip, int at, uint32_t first, sdI4 rest) {
    sdI4 ids = sdI4_Splat((int32_t)first) + rest;
    memcpy(clip->ids + at, &ids, sizeof ids);
}

/// Where sides of B's face cross those of A's, see sdBoxPoints_AddCrossings.
SD_INLINE sdI4 sdBoxClip_AddCrossings(sdBoxClip* clip, const sdF4 corners[3], sdI4 isOut) {
    const sdF4 zero = sdF4_Splat(0.0f), one = sdF4_Splat(1.0f);
    const sdF4 none = sdF4_Splat(SD_BOX_CLIP_NO_SIDE), whole = {-2.0f, -2.0f, 2.0f, 2.0f};
    sdF4 u = corners[0], v = corners[1], separation = corners[2];
    sdF4 runU = __builtin_shufflevector(clip->u[0], clip->v[0], 0, 5, 2, 7) * whole;
    sdF4 runV = __builtin_shufflevector(clip->u[1], clip->v[1], 0, 5, 2, 7) * whole;
    sdF4 runS = __builtin_shufflevector(clip->u[2], clip->v[2], 0, 5, 2, 7) * whole;
    sdF4 slopeU = one / sdF4_Max(sdF4_Abs(runU), none);
    sdF4 slopeV = one / sdF4_Max(sdF4_Abs(runV), none);
    sdF4 middleU = sdF4_Turn(u, runU) * slopeU, reachU = SD_F4_LANE(clip->half, 0) * slopeU;
    sdF4 middleV = sdF4_Turn(v, runV) * slopeV, reachV = SD_F4_LANE(clip->half, 1) * slopeV;
    sdF4 inU = zero - (middleU + reachU), inV = zero - (middleV + reachV);
    sdF4 outU = reachU - middleU, outV = reachV - middleV;
    sdI4 isInByU = inV < inU, isOutByU = outU < outV;
    sdF4 in = sdF4_Max(inU, inV), out = sdF4_Min(outU, outV);
    sdI4 isMissed = out < in, isNextOut = __builtin_shufflevector(isOut, isOut, 1, 2, 3, 0);
    sdI4 isIn = isOut & (zero < in) & (in < one);
    sdI4 isLeaving = isNextOut & (zero < out) & (out < one);
    sdI4 isShallow = sdBoxClip_Store(clip, 4, u + in * runU, v + in * runV, separation + in * runS,
                                     isMissed | ~isIn);
    isShallow &= sdBoxClip_Store(clip, 8, u + out * runU, v + out * runV, separation + out * runS,
                                 isMissed | ~isLeaving);
    // sides of A: 0 at +v, 1 at -u, 2 at -v, 3 at +u; who runs against u comes in at +u
    sdI4 isBackU = (sdI4)runU >> 31, isBackV = (sdI4)runV >> 31;
    sdI4 inSideU = sdI4_Splat(1) + (isBackU & sdI4_Splat(2)), inSideV = sdI4_Splat(2) & ~isBackV;
    sdI4 sideIn = (isInByU & inSideU) | (~isInByU & inSideV);
    sdI4 sideOut = ((isOutByU & inSideU) | (~isOutByU & inSideV)) ^ sdI4_Splat(2);
    sdBoxClip_StoreIds(clip, 4, sdManifold_Id(~clip->labelA, clip->labelB),
                       (sdI4){0, 1, 2, 3} - (sideIn << 16));
    sdBoxClip_StoreIds(clip, 8, sdManifold_Id(clip->labelB, ~clip->labelA),
                       (sdI4){0, 1 << 16, 2 << 16, 3 << 16} - sideOut);
    return isShallow;
}

/// Corners of A's face inside of B's, see sdBoxPoints_AddCornersOfA.
SD_INLINE sdI4 sdBoxClip_AddCornersOfA(sdBoxClip* clip) {
    const sdF4 turnU = {1.0f, -1.0f, -1.0f, 1.0f}, turnV = {1.0f, 1.0f, -1.0f, -1.0f};
    sdF4 area = clip->u[0] * clip->v[1] - clip->u[1] * clip->v[0], reach = sdF4_Abs(area);
    sdF4 inverse = sdF4_Splat(1.0f) / area;
    sdF4 u = sdF4_Turn(SD_F4_LANE(clip->half, 0), turnU), du = u - clip->middle[0];
    sdF4 v = sdF4_Turn(SD_F4_LANE(clip->half, 1), turnV), dv = v - clip->middle[1];
    sdF4 s = du * clip->v[1] - dv * clip->v[0], t = clip->u[0] * dv - clip->u[1] * du;
    sdF4 rimU = clip->rim * (sdF4_Abs(clip->v[0]) + sdF4_Abs(clip->v[1]));
    sdF4 rimV = clip->rim * (sdF4_Abs(clip->u[0]) + sdF4_Abs(clip->u[1]));
    sdI4 isOut = (reach + rimU < sdF4_Abs(s)) | (reach + rimV < sdF4_Abs(t));
    sdF4 separation = clip->middle[2] + (s * clip->u[2] + t * clip->v[2]) * inverse;
    const int32_t before = (int32_t)0xFFFF0000, third = -3;
    sdBoxClip_StoreIds(clip, 12, sdManifold_Id(~clip->labelA, ~clip->labelA),
                       (sdI4){third, before, 2 * before - 1, 3 * before - 2});
    return sdBoxClip_Store(clip, 12, u, v, separation, isOut);
}

/// @return whether the deepest point is as deep as the axis says
SD_INLINE bool sdBoxClip_FindPoints(sdBoxClip* clip) {
    const sdF4 turnU = {1.0f, -1.0f, -1.0f, 1.0f}, turnV = {1.0f, 1.0f, -1.0f, -1.0f};
    sdF4 corners[3];
    for (int i = 0; i < 3; ++i) {
        corners[i] = clip->middle[i] + sdF4_Turn(clip->u[i], turnU) + sdF4_Turn(clip->v[i], turnV);
    }
    clip->bits = (1u << SD_BOX_CANDIDATES) - 1u;
    sdI4 isOut = (SD_F4_LANE(clip->half, 0) + clip->rim < sdF4_Abs(corners[0])) |
                 (SD_F4_LANE(clip->half, 1) + clip->rim < sdF4_Abs(corners[1]));
    sdI4 isShallow = sdBoxClip_Store(clip, 0, corners[0], corners[1], corners[2], isOut);
    sdBoxClip_StoreIds(clip, 0, sdManifold_Id(clip->labelB, clip->labelB),
                       (sdI4){3 << 16, 1, (1 << 16) + 2, (2 << 16) + 3});
    isShallow &= sdBoxClip_AddCrossings(clip, corners, isOut);
    isShallow &= sdBoxClip_AddCornersOfA(clip);
    return sdI4_MaskBits(isShallow) != 15;
}

// ---- result --------------------------------------------------------------------------------

/// Up to four points, each number in a lane of its own.
typedef struct sdBoxFour {
    sdF4 u, v, separation;
    sdI4 ids;
    int count;
} sdBoxFour;

SD_INLINE sdF4 sdBoxClip_Gather(const float* from, const unsigned at[4]) {
    return (sdF4){from[at[0]], from[at[1]], from[at[2]], from[at[3]]};
}

/// The first four points; those that are missing repeat some candidate.
SD_INLINE sdBoxFour sdBoxClip_GetFour(const sdBoxClip* clip) {
    unsigned at[4], rest = clip->bits;
    for (int i = 0; i < 4; ++i) {
        at[i] = sdBoxPoints_First(rest);
        rest &= rest - 1;
    }
    const uint32_t* ids = clip->ids;
    return (sdBoxFour){
        sdBoxClip_Gather(clip->places[0], at), sdBoxClip_Gather(clip->places[1], at),
        sdBoxClip_Gather(clip->places[2], at),
        (sdI4){(int32_t)ids[at[0]], (int32_t)ids[at[1]], (int32_t)ids[at[2]], (int32_t)ids[at[3]]},
        __builtin_popcount(clip->bits)};
}

/// Whether two of them are as good as one.
SD_INLINE bool sdBoxFour_IsAnyNear(const sdBoxFour* four, float merge) {
    static const float far[4][4] = {{0.0f, 1e15f, 2e15f, 3e15f},
                                    {0.0f, 0.0f, 1e15f, 2e15f},
                                    {0.0f, 0.0f, 0.0f, 1e15f},
                                    {0.0f, 0.0f, 0.0f, 0.0f}};
    sdF4 away, v = four->v;
    memcpy(&away, far[four->count - 1], sizeof away);
    sdF4 u = four->u + away;
    sdF4 u1 = u - __builtin_shufflevector(u, u, 1, 2, 3, 0);
    sdF4 u2 = u - __builtin_shufflevector(u, u, 2, 3, 0, 1);
    sdF4 v1 = v - __builtin_shufflevector(v, v, 1, 2, 3, 0);
    sdF4 v2 = v - __builtin_shufflevector(v, v, 2, 3, 0, 1);
    sdF4 least = sdF4_Min(u1 * u1 + v1 * v1, u2 * u2 + v2 * v2);
    return sdI4_MaskBits(sdF4_Splat(merge * merge) < least) != 15;
}

/// More points than are wanted, or some that are as good as one.
/// @param size of the smaller box
static __attribute__((noinline)) void sdBoxClip_Choose(const sdBoxClip* clip, float size,
                                                       sdBoxFour* out) {
    sdBoxPoints points = {.bits = clip->bits};
    for (int i = 0; i < SD_BOX_CANDIDATES; ++i) {
        points.u[i] = (double)clip->places[0][i];
        points.v[i] = (double)clip->places[1][i];
        points.separation[i] = (double)clip->places[2][i];
        points.ids[i] = clip->ids[i];
    }
    unsigned at[4];
    out->count = SD_KERNEL(sdBoxPoints_Choose)(&points, at, (double)size, NULL);
    for (int i = 0; i < 4; ++i) {
        out->u[i] = (float)points.u[at[i]];
        out->v[i] = (float)points.v[at[i]];
        out->separation[i] = (float)points.separation[at[i]];
        out->ids[i] = (int32_t)points.ids[at[i]];
    }
}

SD_INLINE void sdBoxClip_Write(const sdBoxClip* clip, const sdBoxClipAxis* axis,
                               const sdBoxFour* four, float margin, sdManifold* out) {
    sdF4 steps = four->separation * clip->inverse;
    sdF4 onA[3] = {four->u, four->v, SD_F4_LANE(clip->half, 2)};
    sdF4 onB[3] = {onA[0] + steps * SD_F4_LANE(clip->normal, 0),
                   onA[1] + steps * SD_F4_LANE(clip->normal, 1),
                   onA[2] + steps * SD_F4_LANE(clip->normal, 2)};
    sdBoxFrame_WriteFour(&sdBoxFrames[clip->face], onA, onB, four->separation, four->ids,
                         four->count, margin, out->points);
    sdF4 n = axis->n * clip->inverse;
    out->normal = sdV3(n[0], n[1], n[2]);
    out->pointCount = four->count;
    out->kind = sdBox_KindOf(n, axis->inB * clip->inverse);
    out->childA = SD_NULL_INDEX;
    out->childB = SD_NULL_INDEX;
    out->status = SD_STATUS_EXACT;
    out->iterations = 1;
}

// ---- all of it -----------------------------------------------------------------------------

/// What counts of the points.
/// @return whether floats can tell
SD_INLINE bool sdBoxClip_SetRange(sdBoxClip* clip, const sdBoxFloats* pair,
                                  const sdBoxClipAxis* axis) {
    const sdF4 zero = sdF4_Splat(0.0f), one = sdF4_Splat(1.0f);
    sdF4 smaller = sdF4_First(pair->smaller), inverse = one / axis->squared;
    clip->length = SD_F4_LANE(sdF4_Sqrt(axis->squared), 0);
    clip->inverse = clip->length * SD_F4_LANE(inverse, 0);
    sdF4 gap = SD_F4_LANE(axis->gap, 0) * clip->inverse;
    sdF4 tolerance = sdF4_Splat((float)SD_MANIFOLD_DEEPEST) * smaller +
                     sdF4_Splat(SD_BOX_FLOAT_SLACK) * sdF4_First(pair->size);
    clip->least = gap - tolerance;
    clip->deep = gap + tolerance;
    clip->limit = sdF4_Splat(pair->margin) + sdF4_Splat(FLT_EPSILON) * sdF4_First(pair->size) +
                  sdF4_Splat((float)SD_MANIFOLD_MARGIN) * smaller;
    // what sticks out of the rim of a steep face is far from its plane: by the squares of cosines
    sdF4 sizeA = sdF4_Abs(axis->n), sizeB = sdF4_Abs(axis->inB);
    sdF4 facing = sdF4_Max(sdF4_Max(sizeA, sdF4_Next(sizeA)), sdF4_Previous(sizeA)) *
                  sdF4_Max(sdF4_Max(sizeB, sdF4_Next(sizeB)), sdF4_Previous(sizeB));
    sdF4 steep = SD_F4_LANE(facing * inverse, 0);
    clip->rim = sdF4_Splat((float)SD_MANIFOLD_RIM) * smaller * steep * steep;
    // written so that NaN is refused; a box without thickness is for others
    sdI4 isClear = (zero < sdF4_Min(pair->a, pair->b)) & (gap < zero) &
                   (sdF4_Splat(SD_BOX_CLIP_CROSSING) < axis->squared);
    return sdI4_Bits3(isClear) == 7u;
}

/// Contact points of boxes that overlap.
/// @return how many; SD_NULL_INDEX where floats cannot tell
SD_INLINE int sdBoxFloats_Clip(const sdBoxFloats* pair, sdManifold* out) {
    sdBoxClip clip;
    sdBoxClipAxis axis = sdBoxClipAxis_Make(pair);
    bool isClear = sdBoxClip_SetRange(&clip, pair, &axis);
    sdBoxClip_SetFaces(&clip, pair, &axis);
    isClear &= clip.isClear;
    if (!(isClear & sdBoxClip_FindPoints(&clip))) {
        return SD_NULL_INDEX;
    }
    sdBoxFour four = sdBoxClip_GetFour(&clip);
    float size = pair->smaller[0];
    if (four.count > 4 || sdBoxFour_IsAnyNear(&four, (float)SD_MANIFOLD_MERGE * size)) {
        sdBoxClip_Choose(&clip, size, &four);
    }
    sdBoxClip_Write(&clip, &axis, &four, pair->margin, out);
    return four.count;
}

#endif
