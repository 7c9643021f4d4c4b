// SPDX-License-Identifier: MIT
// collide_box_floats.h - two boxes that overlap by a corner or two edges, in single precision: the
// only point there is.
//
// In:   half extents, B's place and rotation in A's frame, the axis of the least depth.
// Out:  a manifold, or nothing where others may be within the margin or floats cannot tell.
// Note: the same as collide_box_one.h, which says why such a point is alone; one whose sides leave
//       the face so near that a second point would be merged with it is alone as well. Outputs are
//       floats, so that doubles would lose half of their digits in the end; what is lost here
//       besides is 3e-7 of the boxes' sizes. Vectors of four floats take half of the time.

#ifndef SD_NARROW_COLLIDE_BOX_FLOATS_H
#define SD_NARROW_COLLIDE_BOX_FLOATS_H

#include "base/simd4.h"
#include "narrow/collide_box_one.h"

/// What is as good as nothing, as a fraction of sizes and distance: rounding of places.
#define SD_BOX_FLOAT_SLACK (32.0f * FLT_EPSILON)
/// Components of normals below this are left to doubles: bodies may touch flat.
#define SD_BOX_FLOAT_TILT 0.011f
/// Squares of sines of edges that cross: below this places are off by too much.
#define SD_BOX_FLOAT_CROSSING 0.1f
/// Edges that cross this near to a corner, as a fraction of the smaller box, too.
#define SD_BOX_FLOAT_CORNER 1e-4f
/// Sides that leave a face this near to the point, as a fraction of the smaller box, give no other.
#define SD_BOX_FLOAT_MERGE (float)SD_MANIFOLD_MERGE
/// Of boxes that are deeper than the margin by more than this fraction, points are seldom alone.
#define SD_BOX_FLOAT_RISE 0.016f

/// The axis with the largest component; the first of equal ones.
SD_INLINE int sdF4_LargestAxis(sdF4 size) {
    sdF4 most = sdF4_Max(sdF4_Max(size, sdF4_Next(size)), sdF4_Previous(size));
    return __builtin_ctz(~sdI4_Bits3(size < most) & 7u);
}

/// Rotation of B in A's frame: with r_ji the component i of axis j of B, lane k of the diagonals is
/// r_kk, r_k,k+1 and r_k+1,k.
typedef struct sdBoxDiagonals {
    sdF4 own, above, below;
} sdBoxDiagonals;

/// Lanes of an axis; looked up, for which it is cannot be foreseen.
typedef struct sdBoxFloatAxis {
    int32_t lane[4];  ///< of the face, or of A's edge
    int32_t other[4]; ///< of B's edge; of a face: all if it is one of B, else none
} sdBoxFloatAxis;

#define SD_BOX_LANE(k)                                                                             \
    { -((k) == 0), -((k) == 1), -((k) == 2), 0 }
#define SD_BOX_EDGES(i)                                                                            \
    {SD_BOX_LANE(i), SD_BOX_LANE(0)}, {SD_BOX_LANE(i), SD_BOX_LANE(1)}, {                          \
        SD_BOX_LANE(i), SD_BOX_LANE(2)                                                             \
    }

static const sdBoxFloatAxis sdBoxFloatAxes[SD_BOX_AXIS_COUNT + 1] = {
    {SD_BOX_LANE(0), {0}},
    {SD_BOX_LANE(1), {0}},
    {SD_BOX_LANE(2), {0}},
    {SD_BOX_LANE(0), {-1, -1, -1, -1}},
    {SD_BOX_LANE(1), {-1, -1, -1, -1}},
    {SD_BOX_LANE(2), {-1, -1, -1, -1}},
    SD_BOX_EDGES(0),
    SD_BOX_EDGES(1),
    SD_BOX_EDGES(2),
    {{0}, {0}}};

/// The axis of B that a lane stands for, in A's frame.
SD_INLINE sdF4 sdBoxDiagonals_Row(sdF4 own, sdF4 above, sdF4 below, sdI4 lane) {
    return (sdF4)(((sdI4)own & lane) | ((sdI4)sdF4_Previous(above) & sdI4_Previous(lane)) |
                  ((sdI4)below & sdI4_Next(lane)));
}

/// The axis of A, in B's frame.
SD_INLINE sdF4 sdBoxDiagonals_Column(sdF4 own, sdF4 above, sdF4 below, sdI4 lane) {
    return (sdF4)(((sdI4)own & lane) | ((sdI4)above & sdI4_Next(lane)) |
                  ((sdI4)sdF4_Previous(below) & sdI4_Previous(lane)));
}

/// Two boxes that overlap.
typedef struct sdBoxFloats {
    sdF4 a, b, t;
    sdBoxDiagonals r;
    sdF4 size; ///< sizes and distance, in each lane
    float margin;
} sdBoxFloats;

/// Of the smaller box, or less, in each lane: the length of a diagonal is at least the sum of its
/// parts by the root of three.
SD_INLINE sdF4 sdBoxFloats_Smaller(const sdBoxFloats* pair) {
    return sdF4_Splat(0.577f) * sdF4_Min(sdF4_Sum3(pair->a), sdF4_Sum3(pair->b));
}

/// From B's frame to A's.
SD_INLINE sdF4 sdBoxFloats_Forth(sdF4 own, sdF4 above, sdF4 below, sdF4 d) {
    return d * own + sdF4_Previous(d * above) + sdF4_Next(d) * below;
}

/// And back.
SD_INLINE sdF4 sdBoxFloats_Back(sdF4 own, sdF4 above, sdF4 below, sdF4 d) {
    return d * own + sdF4_Next(d) * above + sdF4_Previous(d) * sdF4_Previous(below);
}

/// @param n unit, A to B
SD_INLINE void sdBoxFloats_Write(sdF4 onA, sdF4 onB, sdF4 n, float separation, uint32_t id,
                                 sdContactKind kind, sdManifold* out) {
    float name;
    memcpy(&name, &id, sizeof name);
    sdF4 tail = {separation, name, 0.0f, 0.0f};
    sdF4 parts[8] = {__builtin_shufflevector(onA, onB, 0, 1, 2, 4),
                     __builtin_shufflevector(onB, tail, 1, 2, 4, 5)};
    _Static_assert(sizeof parts == sizeof out->points, "four points");
    memcpy(out->points, parts, sizeof parts);
    out->normal = sdV3(n[0], n[1], n[2]);
    out->pointCount = 1;
    out->kind = kind;
    out->childA = SD_NULL_INDEX;
    out->childB = SD_NULL_INDEX;
    out->status = SD_STATUS_EXACT;
    out->iterations = 1;
}

/// A corner of one box in a face of the other.
SD_INLINE bool sdBoxFloats_Corner(const sdBoxFloats* pair, int axis, sdManifold* out) {
    sdI4 lane, mask;
    memcpy(&lane, sdBoxFloatAxes[axis].lane, sizeof lane);
    memcpy(&mask, sdBoxFloatAxes[axis].other, sizeof mask);
    int isCornerA = axis >= 3 ? 1 : 0;
    const sdF4 zero = sdF4_Splat(0.0f), one = sdF4_Splat(1.0f);
    const sdF4 own = pair->r.own, above = sdF4_Select(mask, pair->r.below, pair->r.above);
    const sdF4 below = sdF4_Select(mask, pair->r.above, pair->r.below);
    // the box of the corner in the frame of the other
    sdF4 back = zero - sdBoxFloats_Back(own, pair->r.above, pair->r.below, pair->t);
    sdF4 middle = sdF4_Select(mask, back, pair->t);
    sdF4 half = sdF4_Select(mask, pair->b, pair->a), other = sdF4_Select(mask, pair->a, pair->b);
    sdF4 outward = sdF4_Keep(sdF4_Turn(one, middle), lane);
    sdI4 side = (sdI4)outward & sdI4_Splat(INT32_MIN);
    side |= sdI4_Next(side) | sdI4_Previous(side);
    // the corner is furthest against that
    sdF4 up = (sdF4)((sdI4)sdBoxDiagonals_Column(own, above, below, lane) ^ side);
    sdF4 corner = sdF4_Turn(other, zero - up), size = sdF4_Abs(up), inverse = one / size;
    sdF4 p = middle + sdBoxFloats_Forth(own, above, below, corner);
    sdF4 gap = sdF4_Sum3(sdF4_Keep(sdF4_Turn(p, outward) - half, lane));
    sdF4 slack = sdF4_Splat(SD_BOX_FLOAT_SLACK) * pair->size;
    sdF4 rise = (sdF4_Splat(pair->margin) + slack) - gap;
    // along the sides of its face up to the limit, that across the face not
    int facing = sdF4_LargestAxis(size);
    sdI4 across;
    memcpy(&across, sdBoxFloatAxes[facing].lane, sizeof across);
    sdF4 reach = sdF4_Drop(rise * inverse, across), step = sdF4_Turn(reach, up);
    sdF4 x = sdF4_Turn(step * own, p), y = sdF4_Turn(sdF4_Previous(step * above), p);
    sdF4 z = sdF4_Turn(sdF4_Next(step) * below, p), room = (half - slack) - sdF4_Abs(p);
    // a side may leave the face by the nearer border, if that is as good as the corner itself; one
    // border only, or the corner of both could be a point
    sdF4 merge = sdF4_Splat(SD_BOX_FLOAT_MERGE) * sdBoxFloats_Smaller(pair);
    sdI4 isAt = (room * reach < merge * x) | (x < room);
    isAt &= (room * sdF4_Previous(reach) < merge * y) | (y < room);
    isAt &= (room * sdF4_Next(reach) < merge * z) | (z < room);
    sdI4 isCut = (sdF4_Max(sdF4_Max(x, y), z) >= room) & ~lane;
    unsigned cuts = sdI4_Bits3(isCut);
    // written so that NaN is refused
    sdF4 furthest = sdF4_Max(sdF4_Max(sdF4_Abs(x), sdF4_Abs(y)), sdF4_Abs(z));
    sdI4 isIn = ((isAt & (room > zero) & (furthest < half)) | lane) &
                (reach < other + other - slack) & (size > sdF4_Splat(SD_BOX_FLOAT_TILT)) &
                (gap < zero - slack);
    if ((sdI4_Bits3(isIn) != 7u) | ((cuts & (cuts - 1)) != 0)) {
        return false;
    }
    uint32_t id = sdBoxTops[facing][sdI4_Bits3(~(sdI4)up)].corners[isCornerA];
    sdF4 row = sdBoxDiagonals_Row(own, pair->r.above, pair->r.below, lane);
    sdF4 n = sdF4_Select(mask, zero - (sdF4)((sdI4)row ^ side), outward);
    sdF4 onA = sdF4_Select(mask, corner, p - gap * outward);
    sdF4 onB = sdF4_Select(mask, corner + gap * n, p);
    sdBoxFloats_Write(onA, onB, n, gap[0], id, SD_CONTACT_VERTEX_FACE, out);
    return true;
}

/// The name of a crossing.
/// @param n,down the axis, as it looks out of A and B
SD_INLINE uint32_t sdBoxFloats_CrossingId(int axis, sdF4 n, sdF4 down, unsigned isTurned) {
    int i = sdBoxAxisEdges[axis][0], j = sdBoxAxisEdges[axis][1];
    int facingA = sdF4_LargestAxis(sdF4_Abs(n)), facingB = sdF4_LargestAxis(sdF4_Abs(down));
    const sdBoxTop* topA = &sdBoxTops[facingA][sdI4_Bits3((sdI4)n)];
    const sdBoxTop* topB = &sdBoxTops[facingB][sdI4_Bits3((sdI4)down)];
    unsigned isBackB = (topA->ways[i] ^ isTurned) & 1u;
    return sdTurnId(sdManifold_Id(~topA->sides[i], topB->sides[j]),
                    isBackB ^ (unsigned)topB->ways[j] >> 1);
}

/// Two edges that cross.
SD_INLINE bool sdBoxFloats_Crossing(const sdBoxFloats* pair, int axis, sdManifold* out) {
    sdI4 lane, laneB;
    memcpy(&lane, sdBoxFloatAxes[axis].lane, sizeof lane);
    memcpy(&laneB, sdBoxFloatAxes[axis].other, sizeof laneB);
    const sdF4 zero = sdF4_Splat(0.0f), one = sdF4_Splat(1.0f), far = sdF4_Splat(1e30f);
    const sdF4 own = pair->r.own, above = pair->r.above, below = pair->r.below;
    const sdI4 sign = sdI4_Splat(INT32_MIN);
    // that of B, and what is across both, as long as the sine of their angle
    sdF4 edge = sdBoxDiagonals_Row(own, above, below, laneB);
    sdF4 n = (sdF4)(((sdI4)sdF4_Previous(edge) & sdI4_Next(lane)) |
                    (((sdI4)sdF4_Next(edge) ^ sign) & sdI4_Previous(lane)));
    sdF4 along = sdF4_Sum3(n * pair->t), squared = sdF4_Sum3(n * n), inverse = one / squared;
    sdF4 inB = sdBoxFloats_Back(own, above, below, n);
    sdI4 turn = (sdI4)along & sign;
    sdF4 up = (sdF4)((sdI4)n ^ turn), down = (sdF4)((sdI4)inB ^ (turn ^ sign));
    // where they cross, from the middles of both
    sdF4 p = sdF4_Drop(sdF4_Turn(pair->a, up), lane);
    sdF4 q = sdF4_Drop(sdF4_Turn(pair->b, down), laneB);
    sdF4 d = (pair->t - p) + sdBoxFloats_Forth(own, above, below, q);
    sdF4 turned = sdF4_Keep(edge, lane), cosine = sdF4_Sum3(turned);
    sdF4 slide = sdF4_Sum3((edge - turned) * d), raw = sdF4_Sum3(up * d);
    sdF4 atB = zero - slide * inverse, atA = sdF4_Sum3(sdF4_Keep(d, lane)) + atB * cosine;
    // from the depth up to the margin, times the sine: no more than with the mean of 1 and its
    // square for it
    sdF4 slack = sdF4_Splat(SD_BOX_FLOAT_SLACK) * pair->size;
    sdF4 limit = sdF4_Splat(pair->margin) + slack;
    sdF4 height = limit * (sdF4_Splat(0.5f) + sdF4_Splat(0.5f) * squared) - raw;
    // along each into the face of the other up to the limit, one way or the other: the two
    // components of the axis in a frame, u and v, have max(u, v) / min(u, v) < squared / (u v)
    sdF4 sizeA = sdF4_Abs(n), sizeB = sdF4_Abs(inB);
    sdF4 productA = sdF4_Sum3(sizeA * sdF4_Next(sizeA));
    sdF4 productB = sdF4_Sum3(sizeB * sdF4_Next(sizeB));
    sdF4 products = __builtin_shufflevector(productB, productA, 0, 4, 0, 4);
    sdF4 reach = sdF4_First(height) / products;
    sdF4 share = __builtin_shufflevector(one, sdF4_Abs(cosine), 0, 4, 4, 0);
    sdF4 halfA = sdF4_Sum3(sdF4_Keep(pair->a, lane)), halfB = sdF4_Sum3(sdF4_Keep(pair->b, laneB));
    sdF4 smaller = sdF4_First(sdBoxFloats_Smaller(pair));
    sdF4 rim = sdF4_Splat(SD_BOX_FLOAT_CORNER) * smaller;
    sdF4 merge = sdF4_Splat(SD_BOX_FLOAT_MERGE) * smaller;
    sdF4 half = __builtin_shufflevector(halfA, halfB, 0, 0, 4, 4), extent = reach * share;
    sdF4 room = half - sdF4_Abs(__builtin_shufflevector(atA, atB, 0, 0, 4, 4));
    // the end of one of the edges may be nearer, if that is as good as the crossing itself
    sdI4 isFar = extent < room - rim;
    sdI4 isOtherFar = __builtin_shufflevector(isFar, isFar, 2, 2, 0, 0) &
                      __builtin_shufflevector(isFar, isFar, 3, 3, 1, 1);
    sdI4 isAt = isFar | ((room < merge * share) & isOtherFar);
    // written so that NaN is refused
    sdI4 isIn = isAt & (room > rim) & (extent < half);
    isIn &= __builtin_shufflevector(isIn, isIn, 3, 3, 3, 3);
    isIn &= (products > sdF4_Splat(SD_BOX_FLOAT_TILT) * squared) & (raw < zero - slack) &
            (squared > sdF4_Splat(SD_BOX_FLOAT_CROSSING)) &
            (pair->a * sizeA + sdF4_Keep(far, lane) > height) &
            (pair->b * sizeB + sdF4_Keep(far, laneB) > height);
    if (sdI4_Bits3(isIn) != 7u) {
        return false;
    }
    uint32_t id = sdBoxFloats_CrossingId(axis, up, down, (unsigned)turn[0] >> 31);
    sdF4 onA = p + sdF4_Keep(atA, lane), scale = sdF4_Sqrt(squared) * inverse;
    sdBoxFloats_Write(onA, onA + raw * inverse * up, up * scale, (raw * scale)[0], id,
                      SD_CONTACT_EDGE_EDGE, out);
    return true;
}

#endif
