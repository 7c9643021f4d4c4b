// SPDX-License-Identifier: MIT
// collide_box_one.h - two boxes that touch with a corner or two edges: the only point there is.
//
// In:   a normal, and how deep along it.
// Out:  the point, or nothing where others may be within the margin.
// Note: what is in both faces along the normal is convex, and the separation is linear there. So
//       what of it is within the margin is a triangle, if the two sides that leave the deepest
//       point reach the margin before they end or leave the other face: then that point is alone.
//       All comparisons are on the safe side, and false for NaN.

#ifndef SD_NARROW_COLLIDE_BOX_ONE_H
#define SD_NARROW_COLLIDE_BOX_ONE_H

#include "narrow/collide_box_lanes.h"

/// Keeps a lane out of the least one, m.
#define SD_BOX_FAR 1e30
/// Edges that cross this near to a corner, as a fraction of the smaller box, are left to clipping.
#define SD_BOX_CORNER (10.0 * SD_MANIFOLD_RIM)
/// Components of unit normals below this are none.
#define SD_BOX_ACROSS 1e-9

/// The least of the first three lanes, in all lanes.
SD_INLINE sdD4 sdD4_Least3(sdD4 a) {
    return sdD4_Min(sdD4_Min(SD_D4_LANE(a, 0), SD_D4_LANE(a, 1)), SD_D4_LANE(a, 2));
}

/// A face of a box as sdSupportFace_Find numbers them, and which of its corners and sides is the
/// highest; looked up, for which it is cannot be foreseen. Corners are 0 at +u +v, 1 at -u +v, 2 at
/// -u -v, 3 at +u -v, and sides 0 at +v, 1 at -u, 2 at -v, 3 at +u.
typedef struct sdBoxTop {
    uint32_t corners[2]; ///< name of the highest corner, as one of B or of A
    uint8_t sides[3];    ///< label of the highest side along an edge
    /// Of that side: bit 0 is set when an edge of the other box comes in there against its own
    /// sense, the normal being the cross product of A's edge and B's; bit 1 when B's face has the
    /// edge as a side that comes in
    uint8_t ways[3];
} sdBoxTop;

#define SD_BOX_LABEL(m, isBack) (4 * (2 * (m) + (isBack)))
/// Where side k starts side k - 1 ends; those of A go round the other way.
#define SD_BOX_CORNERS(label, k)                                                                   \
    {                                                                                              \
        (uint32_t)((label) + (((k) + 3) & 3)) << 16 | (uint32_t)((label) + (k)),                   \
            ~((uint32_t)((label) + (k)) << 16 | (uint32_t)((label) + (((k) + 3) & 3)))             \
    }
/// @param sign1,sign2 of the axes after and before the edge
/// @param isBefore the face looks along the latter
#define SD_BOX_WAYS(isBack, side, sign1, sign2, isBefore)                                          \
    ((((sign1) ^ (sign2) ^ (isBefore)) & 1) | ((((side) >> 1 ^ 1) ^ ((side) & (isBack))) & 1) << 1)
#define SD_BOX_TOP_OF(m, u, v, isBack, isU, isV, s)                                                \
    {                                                                                              \
        .corners = SD_BOX_CORNERS(SD_BOX_LABEL(m, isBack), 2 * (isV) + ((isU) ^ (isV))),           \
        .sides = {[u] = SD_BOX_LABEL(m, isBack) + 2 * (isV),                                       \
                  [v] = SD_BOX_LABEL(m, isBack) + 3 - 2 * (isU)},                                  \
        .ways = {                                                                                  \
            [u] = SD_BOX_WAYS(isBack, 2 * (isV), (s) >> (v), (s) >> (m), 1),                       \
            [v] = SD_BOX_WAYS(isBack, 3 - 2 * (isU), (s) >> (m), (s) >> (u), 0)                    \
        }                                                                                          \
    }
#define SD_BOX_TOP(m, u, v, signs)                                                                 \
    SD_BOX_TOP_OF(m, u, v, (signs) >> (m)&1, (signs) >> (u)&1,                                     \
                  ((signs) >> (v) ^ (signs) >> (m)) & 1, signs)
#define SD_BOX_TOPS(m, u, v)                                                                       \
    {                                                                                              \
        SD_BOX_TOP(m, u, v, 0), SD_BOX_TOP(m, u, v, 1), SD_BOX_TOP(m, u, v, 2),                    \
            SD_BOX_TOP(m, u, v, 3), SD_BOX_TOP(m, u, v, 4), SD_BOX_TOP(m, u, v, 5),                \
            SD_BOX_TOP(m, u, v, 6), SD_BOX_TOP(m, u, v, 7)                                         \
    }

/// By the axis that the face looks along, and the signs of the highest corner.
static const sdBoxTop sdBoxTops[3][8] = {SD_BOX_TOPS(0, 1, 2), SD_BOX_TOPS(1, 2, 0),
                                         SD_BOX_TOPS(2, 0, 1)};

/// Signs of the first three lanes.
SD_INLINE unsigned sdD4_Signs3(sdD4 a) {
    return (unsigned)sdL4_MaskBits((sdL4)a) & 7u;
}

/// A name with its halves changed, or not.
SD_INLINE uint32_t sdTurnId(uint32_t id, unsigned isTurned) {
    unsigned by = 16u * isTurned;
    return id << by | id >> (31u & (32u - by));
}

/// One lane each.
static const int64_t sdBoxLaneMasks[3][4] = {{-1, 0, 0, 0}, {0, -1, 0, 0}, {0, 0, -1, 0}};

SD_INLINE sdD4 sdBoxLane_Pick(sdD4 a, int lane) {
    sdL4 mask;
    memcpy(&mask, sdBoxLaneMasks[lane], sizeof mask);
    return (sdD4)((sdL4)a & mask);
}

/// How one point is looked for.
typedef struct sdBoxOne {
    double gap;  ///< along the normal, m
    double rise; ///< from there to the limit, m
    sdD4 onA;    ///< the point that was found
    uint32_t id;
} sdBoxOne;

/// A corner of one box on a face or an edge of the other.
/// @param isCornerA else it is one of B
/// @param n,inB the unit normal, A to B, in both frames
SD_INLINE bool sdBoxOne_IsCorner(sdBoxOne* one, const sdBoxLanes* pair, bool isCornerA, sdD4 n,
                                 sdD4 inB) {
    int64_t ofA = -(int64_t)isCornerA;
    sdL4 mask = {ofA, ofA, ofA, ofA};
    const sdD4 zero = sdD4_Splat(0.0), far = sdD4_Splat(SD_BOX_FAR), down = zero - inB;
    // the box of the corner in the frame of the other
    const sdD4 own = pair->own, above = sdD4_Select(mask, pair->below, pair->above);
    const sdD4 below = sdD4_Select(mask, pair->above, pair->below);
    sdD4 middle = sdD4_Select(mask, zero - sdBoxLanes_InB(pair, pair->t), pair->t);
    sdD4 half = sdD4_Select(mask, pair->b, pair->a), other = sdD4_Select(mask, pair->a, pair->b);
    sdD4 tilt = sdD4_Select(mask, n, down), outward = sdD4_Select(mask, down, n);
    sdD4 corner = sdD4_Turn(other, tilt);
    int facing = sdD4_LargestAxis(tilt);
    // along the sides of its face up to the limit, that across the face not
    sdD4 reach = sdD4_Splat(one->rise) * (sdD4_Splat(1.0) / sdD4_Abs(tilt));
    sdD4 step = sdD4_Turn(reach - sdBoxLane_Pick(reach, facing), tilt);
    sdD4 p = middle + corner * own + sdD4_Previous(corner * above) + sdD4_Next(corner) * below;
    sdD4 x = sdD4_Turn(step * own, outward), at = sdD4_Turn(p, outward);
    sdD4 y = sdD4_Turn(sdD4_Previous(step * above), outward);
    sdD4 z = sdD4_Turn(sdD4_Next(step) * below, outward);
    // one of the three steps is 0
    sdD4 most = at - sdD4_Min(sdD4_Min(x, y), z), least = at - sdD4_Max(sdD4_Max(x, y), z);
    // where the normal looks out of the other box there is nothing to leave
    sdL4 isAcross = sdD4_Less(sdD4_Abs(outward), sdD4_Splat(SD_BOX_ACROSS));
    sdL4 isIn = sdD4_Less(most, sdD4_Select(isAcross, half, far)) & sdD4_Less(zero - half, least) &
                sdD4_Less(reach, other + other + sdBoxLane_Pick(far, facing));
    one->id = sdBoxTops[facing][sdD4_Signs3(tilt)].corners[isCornerA];
    one->onA = sdD4_Select(mask, corner, p - sdD4_Splat(one->gap) * n);
    return (sdL4_MaskBits(isIn) & 7) == 7;
}

/// Two edges that cross, whose cross product is an axis, A to B.
typedef struct sdBoxCrossing {
    int axis;
    const sdD4* rows;      ///< axes of B in A's frame
    sdD4 edge;             ///< that of B
    sdD4 n, inB;           ///< the axis in both frames, as long as the sine of their angle
    sdD4 squared, inverse; ///< square of that length, and 1 over it
    /// From the gap to the limit, divided by that length, or a little more
    sdD4 slope;
    unsigned isTurned; ///< the axis is against the cross product
} sdBoxCrossing;

/// Steps of A's edge and B's in turns: which of them go back.
static const int64_t sdBoxBackSigns[4][4] = {{0, 0, 0, 0},
                                             {INT64_MIN, 0, INT64_MIN, 0},
                                             {0, INT64_MIN, 0, INT64_MIN},
                                             {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN}};

SD_INLINE bool sdBoxOne_IsCrossing(sdBoxOne* one, const sdBoxLanes* pair, const sdBoxCrossing* c) {
    int i = sdBoxAxisEdges[c->axis][0], j = sdBoxAxisEdges[c->axis][1];
    const sdD4 unit = sdD4_Splat(1.0), far = sdD4_Splat(SD_BOX_FAR), zero = sdD4_Splat(0.0);
    sdD4 down = zero - c->inB, sizeA = sdD4_Abs(c->n), sizeB = sdD4_Abs(c->inB);
    // where they cross, from the middles of both
    sdD4 cornerA = sdD4_Turn(pair->a, c->n), cornerB = sdD4_Turn(pair->b, down);
    sdD4 p = cornerA - sdBoxLane_Pick(cornerA, i), q = cornerB - sdBoxLane_Pick(cornerB, j);
    sdD4 d = (pair->t - p) + SD_D4_LANE(q, 0) * c->rows[0] + SD_D4_LANE(q, 1) * c->rows[1] +
             SD_D4_LANE(q, 2) * c->rows[2];
    sdD4 turned = sdBoxLane_Pick(c->edge, i);
    sdD4 sums = sdD4_Sums((c->edge - turned) * d, sdBoxLane_Pick(d, i), turned, zero);
    double turn = sums[2], atB = -(sums[0] * c->inverse[0]), atA = sums[1] + atB * turn;
    // the greater and the smaller component of the axis in B's frame and in A's, in turns; the
    // third is 0
    sdD4 x = __builtin_shufflevector(sizeB, sizeA, 0, 4, 2, 6);
    sdD4 y = __builtin_shufflevector(sizeB, sizeA, 1, 5, 3, 7);
    sdD4 z = __builtin_shufflevector(x, x, 2, 3, 2, 3), more = sdD4_Max(x, y);
    sdD4 greater = sdD4_Max(more, z), smaller = sdD4_Max(sdD4_Min(x, y), sdD4_Min(more, z));
    // along each into the face of the other up to the limit
    sdD4 slope = c->slope, reach = slope * (greater / smaller);
    int facingA = sdD4_LargestAxis(c->n), facingB = sdD4_LargestAxis(c->inB);
    const sdBoxTop* topA = &sdBoxTops[facingA][sdD4_Signs3(c->n)];
    const sdBoxTop* topB = &sdBoxTops[facingB][sdD4_Signs3(down)];
    unsigned isBackA = (topB->ways[j] ^ c->isTurned) & 1u;
    unsigned isBackB = (topA->ways[i] ^ c->isTurned) & 1u;
    sdD4 steps = (sdD4)((sdL4)__builtin_shufflevector(reach, reach, 0, 1, 0, 1) ^
                        (sdL4)sdD4_Load((const double*)sdBoxBackSigns[isBackA + 2 * isBackB]));
    // where corners are, they give the name
    double rim = SD_BOX_CORNER * pair->size;
    double halfA = (double)pair->halfA[i] - rim, halfB = (double)pair->halfB[j] - rim;
    sdD4 at = {atA, atA, atB, atB}, half = {halfA, halfA, halfB, halfB};
    sdD4 ends = at + steps * __builtin_shufflevector(unit, sdD4_Splat(turn), 0, 5, 6, 3);
    sdL4 isIn = sdD4_Less(sdD4_Abs(ends), half) & sdD4_Less(sdD4_Abs(at), half);
    sdD4 height = sdD4_Splat(0.5) * slope * c->squared;
    sdL4 isShort = sdD4_Less(pair->a * sizeA + sdBoxLane_Pick(far, i), height) |
                   sdD4_Less(pair->b * sizeB + sdBoxLane_Pick(far, j), height);
    one->onA = p + sdBoxLane_Pick(sdD4_Splat(atA), i);
    one->id = sdTurnId(sdManifold_Id(~topA->sides[i], topB->sides[j]),
                       isBackB ^ (unsigned)topB->ways[j] >> 1);
    return ((sdL4_MaskBits(isIn) ^ 15) | (sdL4_MaskBits(isShort) & 7)) == 0;
}

#endif
