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

/// Lanes of the largest component, and those that are as large.
SD_INLINE sdI4 sdF4_Largest(sdF4 size) {
    return size >= sdF4_Max(sdF4_Max(size, sdF4_Next(size)), sdF4_Previous(size));
}

/// The axis with the largest component; the first of equal ones.
SD_INLINE int sdF4_LargestAxis(sdF4 size) {
    return __builtin_ctz(sdI4_Bits3(sdF4_Largest(size)));
}

/// Rotation of B in A's frame: with r_ji the component i of axis j of B, lane k of the diagonals is
/// r_kk, r_k,k+1 and r_k+1,k.
typedef struct sdBoxDiagonals {
    sdF4 own, above, below;
} sdBoxDiagonals;

/// The number of an axis in each lane as lanes: of the face.
SD_INLINE sdI4 sdBoxAxis_FaceLane(sdI4 axis) {
    return (axis == (sdI4){0, 1, 2, -1}) | (axis == (sdI4){3, 4, 5, -1});
}

/// Of A's edge.
SD_INLINE sdI4 sdBoxAxis_EdgeLaneA(sdI4 axis) {
    return (axis > (sdI4){5, 8, 11, 15}) & (axis < (sdI4){9, 12, 15, 0});
}

/// Of B's edge.
SD_INLINE sdI4 sdBoxAxis_EdgeLaneB(sdI4 axis) {
    return (axis == (sdI4){6, 7, 8, -1}) | (axis == (sdI4){9, 10, 11, -1}) |
           (axis == (sdI4){12, 13, 14, -1});
}

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
    sdF4 size;         ///< sizes and distance, in each lane
    sdF4 smaller;      ///< of the smaller box, or a little less
    sdF4 faceA, faceB; ///< gaps on faces
    sdI4 axis;         ///< of the least depth, in each lane
    float margin;
} sdBoxFloats;

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
SD_INLINE bool sdBoxFloats_Corner(const sdBoxFloats* pair, sdManifold* out) {
    const sdI4 lane = sdBoxAxis_FaceLane(pair->axis), mask = pair->axis > sdI4_Splat(2);
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
    sdF4 slack = sdF4_Splat(SD_BOX_FLOAT_SLACK) * pair->size;
    // how far it is from the limit need not wait for where it is
    sdF4 deep = sdF4_Sum3(sdF4_Keep(sdF4_Select(mask, pair->faceB, pair->faceA), lane));
    sdF4 rise = (sdF4_Splat(pair->margin) + slack) - deep;
    // along the sides of its face up to the limit, that across the face not
    sdI4 across = sdF4_Largest(size);
    sdF4 reach = sdF4_Drop(rise * inverse, across), step = sdF4_Turn(reach, up);
    sdF4 x = sdF4_Turn(step * own, p), y = sdF4_Turn(sdF4_Previous(step * above), p);
    sdF4 z = sdF4_Turn(sdF4_Next(step) * below, p), room = (half - slack) - sdF4_Abs(p);
    // a side may leave the face by the nearer border, if that is as good as the corner itself; one
    // border only, or the corner of both could be a point
    sdF4 merge = sdF4_Splat(SD_BOX_FLOAT_MERGE) * pair->smaller;
    sdI4 isAt = (room * reach < merge * x) | (x < room);
    isAt &= (room * sdF4_Previous(reach) < merge * y) | (y < room);
    isAt &= (room * sdF4_Next(reach) < merge * z) | (z < room);
    sdI4 isCut = (sdF4_Max(sdF4_Max(x, y), z) >= room) & ~lane;
    unsigned cuts = sdI4_Bits3(isCut), faces = sdI4_Bits3(across);
    // written so that NaN is refused
    sdF4 furthest = sdF4_Max(sdF4_Max(sdF4_Abs(x), sdF4_Abs(y)), sdF4_Abs(z));
    sdI4 isIn = ((isAt & (room > zero) & (furthest < half)) | lane) &
                (reach < other + other - slack) & (size > sdF4_Splat(SD_BOX_FLOAT_TILT));
    if ((sdI4_Bits3(isIn) != 7u) | ((cuts & (cuts - 1)) != 0) | ((faces & (faces - 1)) != 0)) {
        return false;
    }
    uint32_t id = sdBoxTops[faces >> 1][sdI4_Bits3(~(sdI4)up)].corners[mask[0] & 1];
    sdF4 gap = sdF4_Sum3(sdF4_Keep(sdF4_Turn(p, outward) - half, lane));
    sdF4 row = sdBoxDiagonals_Row(own, pair->r.above, pair->r.below, lane);
    sdF4 n = sdF4_Select(mask, zero - (sdF4)((sdI4)row ^ side), outward);
    sdF4 onA = sdF4_Select(mask, corner, p - gap * outward);
    sdF4 onB = sdF4_Select(mask, corner + gap * n, p);
    sdBoxFloats_Write(onA, onB, n, gap[0], id, SD_CONTACT_VERTEX_FACE, out);
    return true;
}

/// What a crossing is called, and which way its edges go into the other's face.
typedef struct sdBoxCrossingName {
    uint32_t id;
    sdI4 backs; ///< signs of ways of A's edge and of B's, in turns
} sdBoxCrossingName;

/// @param n,down the axis, as it looks out of A and B
SD_INLINE sdBoxCrossingName sdBoxCrossingName_Make(int axis, sdF4 n, sdF4 down, unsigned isTurned) {
    int i = sdBoxAxisEdges[axis][0], j = sdBoxAxisEdges[axis][1];
    int facingA = sdF4_LargestAxis(sdF4_Abs(n)), facingB = sdF4_LargestAxis(sdF4_Abs(down));
    const sdBoxTop* topA = &sdBoxTops[facingA][sdI4_Bits3((sdI4)n)];
    const sdBoxTop* topB = &sdBoxTops[facingB][sdI4_Bits3((sdI4)down)];
    unsigned isBackA = (topB->ways[j] ^ isTurned) & 1u, isBackB = (topA->ways[i] ^ isTurned) & 1u;
    int32_t backA = (int32_t)(isBackA << 31), backB = (int32_t)(isBackB << 31);
    return (sdBoxCrossingName){sdTurnId(sdManifold_Id(~topA->sides[i], topB->sides[j]),
                                        isBackB ^ (unsigned)topB->ways[j] >> 1),
                               {backA, backB, backA, backB}};
}

/// Two edges that cross.
SD_INLINE bool sdBoxFloats_Crossing(const sdBoxFloats* pair, sdManifold* out) {
    const sdI4 lane = sdBoxAxis_EdgeLaneA(pair->axis), laneB = sdBoxAxis_EdgeLaneB(pair->axis);
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
    // along each into the face of the other up to the limit: the two
    // components of the axis in a frame, u and v, have max(u, v) / min(u, v) < squared / (u v)
    sdF4 sizeA = sdF4_Abs(n), sizeB = sdF4_Abs(inB);
    sdF4 productA = sdF4_Sum3(sizeA * sdF4_Next(sizeA));
    sdF4 productB = sdF4_Sum3(sizeB * sdF4_Next(sizeB));
    sdF4 products = __builtin_shufflevector(productB, productA, 0, 4, 0, 4);
    sdF4 reach = sdF4_First(height) * (one / products);
    sdBoxCrossingName name =
        sdBoxCrossingName_Make(pair->axis[0], up, down, (unsigned)turn[0] >> 31);
    sdF4 share = __builtin_shufflevector(one, cosine, 0, 4, 4, 0);
    sdF4 halfA = sdF4_Sum3(sdF4_Keep(pair->a, lane)), halfB = sdF4_Sum3(sdF4_Keep(pair->b, laneB));
    sdF4 smaller = sdF4_First(pair->smaller);
    sdF4 rim = sdF4_Splat(SD_BOX_FLOAT_CORNER) * smaller;
    sdF4 merge = sdF4_Splat(SD_BOX_FLOAT_MERGE) * smaller;
    sdF4 half = __builtin_shufflevector(halfA, halfB, 0, 0, 4, 4), extent = reach * share;
    sdF4 at = __builtin_shufflevector(atA, atB, 0, 0, 4, 4), room = half - sdF4_Abs(at);
    sdF4 end = at + (sdF4)((sdI4)extent ^ name.backs);
    // the end of one of the edges may be nearer, if that is as good as the crossing itself
    sdI4 isFar = sdF4_Abs(end) < half - rim;
    sdI4 isOtherFar = __builtin_shufflevector(isFar, isFar, 2, 2, 0, 0) &
                      __builtin_shufflevector(isFar, isFar, 3, 3, 1, 1);
    sdI4 isAt = isFar | ((room < merge * sdF4_Abs(share)) & isOtherFar);
    // written so that NaN is refused
    sdI4 isIn = isAt & (room > rim) & (sdF4_Abs(extent) < half);
    isIn &= __builtin_shufflevector(isIn, isIn, 3, 3, 3, 3);
    isIn &= (products > sdF4_Splat(SD_BOX_FLOAT_TILT) * squared) &
            (squared > sdF4_Splat(SD_BOX_FLOAT_CROSSING)) &
            (pair->a * sizeA + sdF4_Keep(far, lane) > height) &
            (pair->b * sizeB + sdF4_Keep(far, laneB) > height);
    if (sdI4_Bits3(isIn) != 7u) {
        return false;
    }
    sdF4 onA = p + sdF4_Keep(atA, lane), scale = sdF4_Sqrt(squared) * inverse;
    sdBoxFloats_Write(onA, onA + raw * inverse * up, up * scale, (raw * scale)[0], name.id,
                      SD_CONTACT_EDGE_EDGE, out);
    return true;
}

#endif
