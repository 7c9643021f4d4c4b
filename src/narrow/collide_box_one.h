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
/// highest; looked up, for which it is cannot be foreseen.
typedef struct sdBoxTop {
    uint8_t label;
    uint8_t corner;  ///< 0 at +u +v, 1 at -u +v, 2 at -u -v, 3 at +u -v
    uint8_t side[3]; ///< along an edge: 0 at +v, 1 at -u, 2 at -v, 3 at +u
} sdBoxTop;

#define SD_BOX_TOP_OF(m, u, v, isBack, isU, isV)                                                   \
    {                                                                                              \
        .label = 4 * (2 * (m) + (isBack)), .corner = 2 * (isV) + ((isU) ^ (isV)), .side = {        \
            [u] = 2 * (isV),                                                                       \
            [v] = 3 - 2 * (isU)                                                                    \
        }                                                                                          \
    }
#define SD_BOX_TOP(m, u, v, signs)                                                                 \
    SD_BOX_TOP_OF(m, u, v, (signs) >> (m)&1, (signs) >> (u)&1,                                     \
                  ((signs) >> (v) ^ (signs) >> (m)) & 1)
#define SD_BOX_TOPS(m, u, v)                                                                       \
    {                                                                                              \
        SD_BOX_TOP(m, u, v, 0), SD_BOX_TOP(m, u, v, 1), SD_BOX_TOP(m, u, v, 2),                    \
            SD_BOX_TOP(m, u, v, 3), SD_BOX_TOP(m, u, v, 4), SD_BOX_TOP(m, u, v, 5),                \
            SD_BOX_TOP(m, u, v, 6), SD_BOX_TOP(m, u, v, 7)                                         \
    }

/// By the axis that the face looks along, and the signs of the highest corner.
static const sdBoxTop sdBoxTops[3][8] = {SD_BOX_TOPS(0, 1, 2), SD_BOX_TOPS(1, 2, 0),
                                         SD_BOX_TOPS(2, 0, 1)};

/// The axis after and the one before.
static const uint8_t sdNextAxis[3] = {1, 2, 0}, sdPreviousAxis[3] = {2, 0, 1};

/// Signs of the first three lanes.
SD_INLINE unsigned sdD4_Signs3(sdD4 a) {
    return (unsigned)sdL4_MaskBits((sdL4)a) & 7u;
}

/// Without a branch: which it is cannot be foreseen.
SD_INLINE double sdTurnBy(double a, unsigned isNegative) {
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    bits ^= (uint64_t)isNegative << 63;
    memcpy(&a, &bits, sizeof a);
    return a;
}

/// A name with its halves changed, or not.
SD_INLINE uint32_t sdTurnId(uint32_t id, unsigned isTurned) {
    unsigned by = 16u * isTurned;
    return id << by | id >> (31u & (32u - by));
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
    sdD4 rows[3];
    sdBoxLanes_Rows(pair->own, sdD4_Select(mask, pair->below, pair->above),
                    sdD4_Select(mask, pair->above, pair->below), rows);
    sdD4 middle = sdD4_Select(mask, zero - sdBoxLanes_InB(pair, pair->t), pair->t);
    sdD4 half = sdD4_Select(mask, pair->b, pair->a), other = sdD4_Select(mask, pair->a, pair->b);
    sdD4 tilt = sdD4_Select(mask, n, down), outward = sdD4_Select(mask, down, n);
    sdD4 corner = sdD4_Turn(other, tilt);
    int facing = sdD4_LargestAxis(tilt);
    const sdBoxTop* top = &sdBoxTops[facing][sdD4_Signs3(tilt)];
    // along the sides of its face up to the limit, that across the face not
    sdD4 notSide = sdD4_Load(sdBoxOwnAxes[facing]);
    sdD4 reach = sdD4_Splat(one->rise) * (sdD4_Splat(1.0) / sdD4_Abs(tilt));
    sdD4 step = sdD4_Turn(reach - reach * notSide, tilt);
    sdD4 p = middle + SD_D4_LANE(corner, 0) * rows[0] + SD_D4_LANE(corner, 1) * rows[1] +
             SD_D4_LANE(corner, 2) * rows[2];
    sdD4 at = sdD4_Turn(p, outward), most = at, least = at;
    for (int k = 0; k < 3; ++k) {
        sdD4 end = sdD4_Turn(p - sdD4_Splat(step[k]) * rows[k], outward);
        most = sdD4_Max(most, end);
        least = sdD4_Min(least, end);
    }
    // where the normal looks out of the other box there is nothing to leave
    sdL4 isAcross = sdD4_Less(sdD4_Abs(outward), sdD4_Splat(SD_BOX_ACROSS));
    sdL4 isIn = sdD4_Less(most, sdD4_Select(isAcross, half, far)) & sdD4_Less(zero - half, least) &
                sdD4_Less(reach, other + other + far * notSide);
    int k = top->corner, before = (k + 3) & 3, label = top->label;
    // those of A go round the other way
    uint32_t name = sdManifold_Id(label + before, label + k);
    one->id = sdTurnId(name, isCornerA) ^ (uint32_t)ofA;
    one->onA = sdD4_Select(mask, corner, p - sdD4_Splat(one->gap) * n);
    return (sdL4_MaskBits(isIn) & 7) == 7;
}

/// Two edges that cross, whose cross product is an axis, A to B.
typedef struct sdBoxCrossing {
    int axis;
    const sdD4* rows;      ///< axes of B in A's frame
    sdD4 edge;             ///< that of B
    sdD4 n, inB;           ///< the axis in both frames, as long as the sine of their angle
    sdD4 squared, inverse; ///< of that length
    unsigned isTurned;     ///< the axis is against the cross product
} sdBoxCrossing;

SD_INLINE bool sdBoxOne_IsCrossing(sdBoxOne* one, const sdBoxLanes* pair, const sdBoxCrossing* c) {
    int i = sdBoxAxisEdges[c->axis][0], j = sdBoxAxisEdges[c->axis][1];
    const sdD4 unit = sdD4_Splat(1.0), far = sdD4_Splat(SD_BOX_FAR), zero = sdD4_Splat(0.0);
    sdD4 edgeA = sdD4_Load(sdBoxOwnAxes[i]), edgeB = sdD4_Load(sdBoxOwnAxes[j]);
    sdD4 restA = unit - edgeA, restB = unit - edgeB, down = zero - c->inB;
    sdD4 sizeA = sdD4_Abs(c->n), sizeB = sdD4_Abs(c->inB);
    // where they cross, from the middles of both
    sdD4 p = restA * sdD4_Turn(pair->a, c->n), q = restB * sdD4_Turn(pair->b, down);
    sdD4 d = (pair->t - p) + SD_D4_LANE(q, 0) * c->rows[0] + SD_D4_LANE(q, 1) * c->rows[1] +
             SD_D4_LANE(q, 2) * c->rows[2];
    sdD4 turned = edgeA * c->edge;
    sdD4 sums = sdD4_Sums((c->edge - turned) * d, edgeA * d, turned, zero);
    double turn = sums[2], atB = -(sums[0] * (1.0 / c->squared[0])), atA = sums[1] + atB * turn;
    // along each into the face of the other up to the limit
    sdD4 slope = sdD4_Splat(one->rise) * c->inverse;
    sdD4 mostA = sdD4_Greatest3(sizeA), mostB = sdD4_Greatest3(sizeB);
    sdD4 reachA = slope * (mostB / sdD4_Least3(sizeB + far * edgeB));
    sdD4 reachB = slope * (mostA / sdD4_Least3(sizeA + far * edgeA));
    int facingA = sdD4_LargestAxis(c->n), facingB = sdD4_LargestAxis(c->inB);
    unsigned signsA = sdD4_Signs3(c->n), signsB = sdD4_Signs3(down);
    const sdBoxTop *topA = &sdBoxTops[facingA][signsA], *topB = &sdBoxTops[facingB][signsB];
    int i1 = sdNextAxis[i], i2 = sdPreviousAxis[i], j1 = sdNextAxis[j], j2 = sdPreviousAxis[j];
    unsigned isBackA = (signsB >> j1 ^ signsB >> j2 ^ c->isTurned ^ (facingB == j2)) & 1u;
    unsigned isBackB = (signsA >> i1 ^ signsA >> i2 ^ c->isTurned ^ (facingA == i2)) & 1u;
    double stepA = sdTurnBy(reachA[0], isBackA), stepB = sdTurnBy(reachB[0], isBackB);
    // where corners are, they give the name
    double rim = SD_BOX_CORNER * pair->size;
    double halfA = (double)pair->halfA[i] - rim, halfB = (double)pair->halfB[j] - rim;
    sdD4 ends = {atA + stepA, atA + stepB * turn, atB + stepA * turn, atB + stepB};
    sdL4 isIn = sdD4_Less(sdD4_Abs(ends), (sdD4){halfA, halfA, halfB, halfB}) &
                sdD4_Less(sdD4_Abs((sdD4){atA, atA, atB, atB}), (sdD4){halfA, halfA, halfB, halfB});
    sdD4 height = sdD4_Splat(0.5) * slope * c->squared;
    sdL4 isShort = sdD4_Less(pair->a * sizeA + far * edgeA, height) |
                   sdD4_Less(pair->b * sizeB + far * edgeB, height);
    one->onA = p + sdD4_Splat(atA) * edgeA;
    // whether B's side, in the sense of its face, comes in there: 0 and 1 run back, and v of a face
    // at the back does
    unsigned sideB = topB->side[j], back = (sideB >> 1 ^ 1u) ^ (sideB & signsB >> facingB & 1u);
    int a = ~(topA->label + topA->side[i]), b = topB->label + (int)sideB;
    one->id = sdTurnId(sdManifold_Id(a, b), isBackB ^ back);
    return ((sdL4_MaskBits(isIn) ^ 15) | (sdL4_MaskBits(isShort) & 7)) == 0;
}

#endif
