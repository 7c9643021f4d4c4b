// SPDX-License-Identifier: MIT
// collide_box_lanes.h - two boxes in vectors of four doubles: all axes, the best of them, and what
// faces have in common.
//
// Everything here is inline and nothing branches: which axis, which faces and which of the sixteen
// points there are cannot be foreseen, and a branch that is foreseen wrongly costs more than all
// points do. So queries of one pair after the other overlap in the processor.

#ifndef SD_NARROW_COLLIDE_BOX_LANES_H
#define SD_NARROW_COLLIDE_BOX_LANES_H

#include "narrow/collide_box_faces.h"

// ---- four doubles --------------------------------------------------------------------------

/// a with the sign of lanes of b turned where that is negative.
SD_INLINE sdD4 sdD4_Turn(sdD4 a, sdD4 b) {
    const int64_t sign = INT64_MIN;
    return (sdD4)((sdL4)a ^ ((sdL4)b & (sdL4){sign, sign, sign, sign}));
}

/// mask ? a : b, by the signs of the mask.
SD_INLINE sdD4 sdD4_BySign(sdD4 mask, sdD4 a, sdD4 b) {
#if defined(__AVX2__)
    return (sdD4)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
#else
    return sdD4_Select((sdL4)mask >> 63, a, b);
#endif
}

/// Lanes 1, 2, 0, 3.
SD_INLINE sdD4 sdD4_Next(sdD4 a) {
    return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}

/// Lanes 2, 0, 1, 3.
SD_INLINE sdD4 sdD4_Previous(sdD4 a) {
    return __builtin_shufflevector(a, a, 2, 0, 1, 3);
}

/// Sums of lanes (0 + 1) + (2 + 3) of four vectors.
SD_INLINE sdD4 sdD4_Sums(sdD4 a, sdD4 b, sdD4 c, sdD4 d) {
#if defined(__AVX2__)
    // two orders and a sum: the one instruction for it is twice as many in some processors
    sdD4 ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
    sdD4 cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
    __m256d low = _mm256_permute2f128_pd((__m256d)ab, (__m256d)cd, 0x20);
    return (sdD4)low + (sdD4)_mm256_permute2f128_pd((__m256d)ab, (__m256d)cd, 0x31);
#else
    return (sdD4){(a[0] + a[1]) + (a[2] + a[3]), (b[0] + b[1]) + (b[2] + b[3]),
                  (c[0] + c[1]) + (c[2] + c[3]), (d[0] + d[1]) + (d[2] + d[3])};
#endif
}

/// The sum of all lanes, in all of them.
SD_INLINE sdD4 sdD4_Sum(sdD4 a) {
#if defined(__AVX2__)
    sdD4 pairs = a + __builtin_shufflevector(a, a, 1, 0, 3, 2);
    return pairs + (sdD4)_mm256_permute2f128_pd((__m256d)pairs, (__m256d)pairs, 1);
#else
    return sdD4_Splat((a[0] + a[1]) + (a[2] + a[3]));
#endif
}

SD_INLINE sdD4 sdD4_Sqrt(sdD4 a) {
#if defined(__AVX2__)
    return (sdD4)_mm256_sqrt_pd((__m256d)a);
#else
    return (sdD4){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
#endif
}

/// The greatest of the first three lanes, in all lanes.
SD_INLINE sdD4 sdD4_Greatest3(sdD4 a) {
    return sdD4_Max(sdD4_Max(SD_D4_LANE(a, 0), SD_D4_LANE(a, 1)), SD_D4_LANE(a, 2));
}

// Compilers convert wide vectors by halves that they put together again.

SD_INLINE sdI4 sdI4_FromDoubles(sdD4 a) {
#if defined(__AVX2__)
    return (sdI4)_mm256_cvttpd_epi32((__m256d)a);
#else
    return __builtin_convertvector(a, sdI4);
#endif
}

// ---- the pair and its axes -----------------------------------------------------------------

/// Slack of gaps, see sat_box_kernel.c.
#define SD_BOX_SLACK 1e-15
/// Keeps the quotient of an axis without length finite, squared.
#define SD_BOX_NO_LENGTH 1e-300

/// Two boxes; with r_ji the component i of axis j of B in A's frame, lane k of the diagonals is
/// r_kk, r_k,k+1 and r_k+1,k. The fourth lanes are 0.
typedef struct sdBoxLanes {
    sdD4 own, above, below;
    sdD4 a, b, t;
    double size;  ///< of the smaller box
    double limit; ///< points further apart are not wanted
    sdL4 isSmallerB;
    const float *halfA, *halfB;
} sdBoxLanes;

/// Gaps, those of crossed edges squared with their sign.
typedef struct sdBoxGapLanes {
    sdD4 faceA, faceB, cross[3];
} sdBoxGapLanes;

SD_INLINE sdF4 sdBoxLanes_Load3(const void* from) {
    sdF4 v;
    memcpy(&v, from, sizeof v);
    return (sdF4)((sdI4)v & (sdI4){-1, -1, -1, 0});
}

/// @return false when something is not valid or not clearly so
SD_INLINE bool sdBoxLanes_Set(sdBoxLanes* pair, const sdShape* shapeA, const sdShape* shapeB,
                              const sdTransform* xfAB, float margin) {
    sdF4 halfA = sdBoxLanes_Load3((const char*)shapeA + offsetof(sdShape, box));
    sdF4 halfB = sdBoxLanes_Load3((const char*)shapeB + offsetof(sdShape, box)), rotation;
    memcpy(&rotation, &xfAB->q, sizeof rotation);
    sdD4 a = sdD4_FromFloats(halfA), b = sdD4_FromFloats(halfB);
    sdD4 t = sdD4_FromFloats(sdTransform_Place(xfAB));
    sdD4 q = sdD4_FromFloats(rotation), square = q * q;
    // across the halves of wide registers orders of lanes take long: less as floats
    sdD4 q1 = sdD4_FromFloats(__builtin_shufflevector(rotation, rotation, 1, 2, 0, 3));
    sdD4 q2 = sdD4_FromFloats(__builtin_shufflevector(rotation, rotation, 2, 0, 1, 3));
    sdD4 q3 = sdD4_FromFloats(__builtin_shufflevector(rotation, rotation, 3, 3, 3, 3));
    sdD4 sums = sdD4_Sums(a * a, b * b, t * t, square);
    // written so that NaN is refused; a box without thickness is for others
    const double most = 0.1 * (double)SD_MAX_REACH;
    sdL4 isLow = sdD4_Less(sums, (sdD4){most * most, most * most, most * most, 1.0 + 1e-4});
    sdL4 isHigh = sdD4_Less((sdD4){0.0, 0.0, 0.0, 1.0 - 1e-4}, sums);
    sdL4 isThick = sdD4_Less(sdD4_Splat(0.0), sdD4_Min(a, b));
    unsigned low = (unsigned)sdL4_MaskBits(isLow), high = (unsigned)sdL4_MaskBits(isHigh);
    unsigned thick = (unsigned)sdL4_MaskBits(isThick);
    bool isValid = (low == 15u) & ((high & 8u) != 0) & ((thick & 7u) == 7u);

    // a quaternion that is a little too long must not make B larger: of 1 / |q|² = 1 / (1 - e)
    // three terms, for with two of them edges that are parallel would not be by 1e-14, ten times
    // the slack of gaps; the fourth lanes stay 0
    sdD4 one = sdD4_Splat(1.0), e = one - sdD4_Sum(square), n = one + e + e * e;
    n = (sdD4)((sdL4)(n + n) & (sdL4){-1, -1, -1, 0});
    sdD4 even = q * q1, odd = q3 * q2;
    pair->own = (sdD4){1.0, 1.0, 1.0, 0.0} - n * (q1 * q1 + q2 * q2);
    pair->above = n * (even + odd);
    pair->below = n * (even - odd);
    pair->a = a;
    pair->b = b;
    pair->t = t;
    pair->isSmallerB = ~sdD4_Less(SD_D4_LANE(sums, 0), SD_D4_LANE(sums, 1));
    pair->size = sqrt(sums[0] < sums[1] ? sums[0] : sums[1]);
    pair->halfA = &shapeA->box.halfExtents.x;
    pair->halfB = &shapeB->box.halfExtents.x;
    pair->limit =
        (double)margin + SD_MANIFOLD_MARGIN * pair->size + sdPairResult_Rounding(sqrt(sums[2]));
    return isValid;
}

SD_INLINE void sdBoxLanes_Gaps(const sdBoxLanes* pair, sdBoxGapLanes* gaps) {
    const sdD4 a = pair->a, b = pair->b, t = pair->t;
    const sdD4 own = pair->own, above = pair->above, below = pair->below;
    const sdD4 a1 = sdD4_Next(a), a2 = sdD4_Previous(a);
    const sdD4 b1 = sdD4_Next(b), b2 = sdD4_Previous(b);
    const sdD4 t1 = sdD4_Next(t), t2 = sdD4_Previous(t);
    const sdD4 own1 = sdD4_Next(own), own2 = sdD4_Previous(own);
    const sdD4 above1 = sdD4_Next(above), below1 = sdD4_Next(below);
    const sdD4 below2 = sdD4_Previous(below), reach2 = sdD4_Abs(sdD4_Previous(above));
    const sdD4 reachOwn = sdD4_Abs(own), reachBelow = sdD4_Abs(below), reachAbove = sdD4_Abs(above);
    const sdD4 reachBelow2 = sdD4_Abs(below2);
    sdD4 sizes = a + b + sdD4_Abs(t);
    sdD4 slack = sdD4_Splat(SD_BOX_SLACK) * (sizes + sdD4_Next(sizes) + sdD4_Previous(sizes));
    gaps->faceA = sdD4_Abs(t) - a - (b * reachOwn + b2 * reach2 + b1 * reachBelow) - slack;
    gaps->faceB = sdD4_Abs(t * own + t1 * above + t2 * below2) - b -
                  (a * reachOwn + a1 * reachAbove + a2 * reachBelow2) - slack;
    sdD4 cross0 = sdD4_Abs(t2 * above - t1 * below2) - (a1 * reachBelow2 + a2 * reachAbove) -
                  (b1 * reach2 + b2 * reachBelow) - slack;
    sdD4 cross1 = sdD4_Abs(t2 * own1 - t1 * above1) -
                  (a1 * sdD4_Abs(above1) + a2 * sdD4_Abs(own1)) - (b2 * reachOwn + b * reach2) -
                  slack;
    sdD4 cross2 = sdD4_Abs(t2 * below1 - t1 * own2) -
                  (a1 * sdD4_Abs(own2) + a2 * sdD4_Abs(below1)) - (b * reachBelow + b1 * reachOwn) -
                  slack;
    const sdD4 none = sdD4_Splat(SD_BOX_NO_LENGTH);
    gaps->cross[0] = cross0 * sdD4_Abs(cross0) / (above * above + below2 * below2 + none);
    gaps->cross[1] = cross1 * sdD4_Abs(cross1) / (own1 * own1 + above1 * above1 + none);
    gaps->cross[2] = cross2 * sdD4_Abs(cross2) / (below1 * below1 + own2 * own2 + none);
}

/// The number of the axis is written into the last bits of its gap, where it costs 1e-15 of it, and
/// the greatest number wins.
SD_INLINE sdD4 sdBoxGapLanes_Tag(sdD4 gaps, int64_t x, int64_t y, int64_t z) {
    const int64_t others = ~(int64_t)15;
    return (sdD4)(((sdL4)gaps & (sdL4){others, others, others, others}) | (sdL4){x, y, z, 0});
}

SD_INLINE int64_t sdBoxGapLanes_Bits(double gap) {
    int64_t bits;
    memcpy(&bits, &gap, sizeof bits);
    return bits;
}

/// The axis of the greatest gap: a face of A rather than one of B, and a face rather than edges,
/// unless the other is more by the tie, or parts the boxes where the first does not.
/// @param isApart whether some gap is above the limit
SD_INLINE int sdBoxGapLanes_Best(const sdBoxGapLanes* gaps, double tie, double limit, double* gap,
                                 bool* isApart) {
    sdD4 tagA = sdBoxGapLanes_Tag(gaps->faceA, 0, 1, 2);
    sdD4 tagB = sdBoxGapLanes_Tag(gaps->faceB, 3, 4, 5);
    sdD4 edge = sdD4_Max(sdD4_Max(sdBoxGapLanes_Tag(gaps->cross[0], 6, 10, 14),
                                  sdBoxGapLanes_Tag(gaps->cross[1], 7, 11, 12)),
                         sdBoxGapLanes_Tag(gaps->cross[2], 8, 9, 13));
    const sdD4 zero = sdD4_Splat(0.0), most = sdD4_Splat(limit);
    sdD4 faceA = sdD4_Greatest3(tagA), faceB = sdD4_Greatest3(tagB), edges = sdD4_Greatest3(edge);
    *isApart =
        sdL4_MaskBits(sdD4_Less(most, sdD4_Max(faceA, faceB)) | sdD4_Less(most * most, edges)) != 0;
    sdL4 isFaceB = sdD4_Less(faceA + sdD4_Splat(tie), faceB) |
                   (sdD4_Less(zero, faceB) & ~sdD4_Less(zero, faceA));
    sdD4 face = sdD4_Select(isFaceB, faceB, faceA), enough = face + sdD4_Splat(tie);
    // squares with the sign of the gap
    sdL4 isEdges = sdD4_Less(enough * sdD4_Abs(enough), edges) |
                   (sdD4_Less(zero, edges) & ~sdD4_Less(zero, face));
    double root = copysign(sqrt(fabs(edges[0])), edges[0]);
    *gap = sdD4_Select(isEdges, sdD4_Splat(root), face)[0];
    return (int)(((sdL4)sdD4_Select(isEdges, edges, face))[0] & 15);
}

// ---- normal ---------------------------------------------------------------------------------

/// Axes of A in its own frame.
static const double sdBoxOwnAxes[3][4] = {
    {1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}};

/// Axes of B in A's frame, in memory, where they can be chosen by number.
typedef struct sdBoxView {
    _Alignas(32) double rows[5][4]; ///< the first two once more: those across one come after it
} sdBoxView;

/// Axes of a box in the frame of the other, by the diagonals.
SD_INLINE void sdBoxLanes_Rows(sdD4 own, sdD4 above, sdD4 below, sdD4 rows[3]) {
    sdD4 after = sdD4_Previous(above);
    rows[0] =
        __builtin_shufflevector(__builtin_shufflevector(own, after, 0, 5, 2, 3), below, 0, 1, 6, 3);
    rows[1] =
        __builtin_shufflevector(__builtin_shufflevector(below, own, 0, 5, 2, 3), after, 0, 1, 6, 3);
    rows[2] =
        __builtin_shufflevector(__builtin_shufflevector(after, below, 0, 5, 2, 3), own, 0, 1, 6, 3);
}

SD_INLINE void sdBoxLanes_View(const sdBoxLanes* pair, sdBoxView* out) {
    sdD4 rows[3];
    sdBoxLanes_Rows(pair->own, pair->above, pair->below, rows);
    for (int k = 0; k < 5; ++k) {
        sdD4_Store(out->rows[k], rows[k % 3]);
    }
}

/// Edges of A and B whose cross product an axis is, or the one whose face.
static const uint8_t sdBoxAxisEdges[SD_BOX_AXIS_COUNT + 1][2] = {
    {0, 0}, {1, 0}, {2, 0}, {0, 0}, {0, 1}, {0, 2}, {0, 0}, {0, 1},
    {0, 2}, {1, 0}, {1, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}, {0, 0}};

/// What an axis is made of: the axis of A, the one of B, or of that the lanes before and after that
/// of A's edge. Looked up, for which it is cannot be foreseen.
typedef struct sdBoxAxis {
    double own[4]; ///< -0 for those of edges, so that nothing is added to them
    double before[4], after[4];
    // masks of all lanes
    int64_t isX, isY; ///< which axis of B
    int64_t isB;      ///< it is a face of B
    int64_t isEdges;
    double squared; ///< of the length of those that are not of edges
    int64_t unused[3];
} sdBoxAxis;

#define SD_BOX_AXIS_OF_A(x, y, z)                                                                  \
    { .own = {x, y, z, 0.0}, .isX = -1, .squared = 1.0 }
#define SD_BOX_AXIS_OF_B(j)                                                                        \
    { .isX = -((j) == 0), .isY = -((j) == 1), .isB = -1, .squared = 1.0 }
#define SD_BOX_AXIS_OF_EDGES(x, y, z, j)                                                           \
    {                                                                                              \
        .own = {-0.0, -0.0, -0.0, -0.0}, .before = {y, z, x, 0.0}, .after = {z, x, y, 0.0},        \
        .isX = -((j) == 0), .isY = -((j) == 1), .isEdges = -1                                      \
    }

static const sdBoxAxis sdBoxAxes[SD_BOX_AXIS_COUNT + 1] = {SD_BOX_AXIS_OF_A(1.0, 0.0, 0.0),
                                                           SD_BOX_AXIS_OF_A(0.0, 1.0, 0.0),
                                                           SD_BOX_AXIS_OF_A(0.0, 0.0, 1.0),
                                                           SD_BOX_AXIS_OF_B(0),
                                                           SD_BOX_AXIS_OF_B(1),
                                                           SD_BOX_AXIS_OF_B(2),
                                                           SD_BOX_AXIS_OF_EDGES(1.0, 0.0, 0.0, 0),
                                                           SD_BOX_AXIS_OF_EDGES(1.0, 0.0, 0.0, 1),
                                                           SD_BOX_AXIS_OF_EDGES(1.0, 0.0, 0.0, 2),
                                                           SD_BOX_AXIS_OF_EDGES(0.0, 1.0, 0.0, 0),
                                                           SD_BOX_AXIS_OF_EDGES(0.0, 1.0, 0.0, 1),
                                                           SD_BOX_AXIS_OF_EDGES(0.0, 1.0, 0.0, 2),
                                                           SD_BOX_AXIS_OF_EDGES(0.0, 0.0, 1.0, 0),
                                                           SD_BOX_AXIS_OF_EDGES(0.0, 0.0, 1.0, 1),
                                                           SD_BOX_AXIS_OF_EDGES(0.0, 0.0, 1.0, 2),
                                                           {.squared = 1.0}};

SD_INLINE sdL4 sdL4_Splat(int64_t a) {
    return (sdL4){a, a, a, a};
}

/// An axis, one way or the other. That of two edges is as long as the sine of their angle.
/// @param r axis of B that it is, or is across
/// @param squared the square of its length
/// @param along its component along the line between the middles
SD_INLINE sdD4 sdBoxLanes_AxisOf(const sdBoxLanes* pair, int axis, sdD4 r, sdD4* squared,
                                 sdD4* along) {
    const sdBoxAxis* of = &sdBoxAxes[axis];
    sdL4 whole = ((sdL4)r & sdL4_Splat(of->isB)) | (sdL4)sdD4_Load(of->own);
    sdD4 cross = sdD4_Load(of->before) * sdD4_Previous(r) - sdD4_Load(of->after) * sdD4_Next(r);
    sdD4 n = (sdD4)whole + cross;
    sdL4 length = (sdL4)sdD4_Sum(n * n) & sdL4_Splat(of->isEdges);
    *squared = (sdD4)(length | (sdL4)sdD4_Splat(of->squared));
    *along = sdD4_Sum(n * pair->t);
    return n;
}

/// The same, A to B.
SD_INLINE sdD4 sdBoxLanes_Axis(const sdBoxLanes* pair, const sdBoxView* view, int axis,
                               sdD4* squared) {
    sdD4 along, r = sdD4_Load(view->rows[sdBoxAxisEdges[axis][1]]);
    sdD4 n = sdBoxLanes_AxisOf(pair, axis, r, squared, &along);
    return sdD4_Turn(n, along);
}

/// A direction of A's frame in B's.
SD_INLINE sdD4 sdBoxLanes_InB(const sdBoxLanes* pair, sdD4 d) {
    return d * pair->own + sdD4_Next(d) * pair->above +
           sdD4_Previous(d) * sdD4_Previous(pair->below);
}

/// The axis with the largest component; the first of equal ones.
SD_INLINE int sdD4_LargestAxis(sdD4 d) {
    sdD4 size = sdD4_Abs(d);
    unsigned isLess = (unsigned)sdL4_MaskBits(sdD4_Less(size, sdD4_Greatest3(size)));
    return __builtin_ctz(~isLess & 7u);
}

// ---- faces ----------------------------------------------------------------------------------

/// Places in the frame of A's face: u and v in its plane, then along its outward normal.
typedef struct sdBoxFrame {
    int32_t lanes[8]; ///< of the box's frame, as pairs of halves
    int64_t signs[4]; ///< turned ones
    int32_t back[4];  ///< lanes of floats on the way back
    int32_t flip[4];  ///< and signs before that
} sdBoxFrame;

#define SD_BOX_FRAME(u, v, w, bx, by, bz, sign64, sign32)                                          \
    {                                                                                              \
        {2 * (u), 2 * (u) + 1, 2 * (v), 2 * (v) + 1, 2 * (w), 2 * (w) + 1, 6, 7},                  \
            {0, sign64, sign64, 0}, {bx, by, bz, 3}, {                                             \
            0, sign32, sign32, 0                                                                   \
        }                                                                                          \
    }

/// By axis, and whether the face looks against it.
static const sdBoxFrame sdBoxFrames[6] = {
    SD_BOX_FRAME(1, 2, 0, 2, 0, 1, 0, 0), SD_BOX_FRAME(1, 2, 0, 2, 0, 1, INT64_MIN, INT32_MIN),
    SD_BOX_FRAME(2, 0, 1, 1, 2, 0, 0, 0), SD_BOX_FRAME(2, 0, 1, 1, 2, 0, INT64_MIN, INT32_MIN),
    SD_BOX_FRAME(0, 1, 2, 0, 1, 2, 0, 0), SD_BOX_FRAME(0, 1, 2, 0, 1, 2, INT64_MIN, INT32_MIN),
};

SD_INLINE sdD4 sdBoxFrame_Order(const sdBoxFrame* frame, sdD4 a) {
#if defined(__AVX2__)
    __m256i lanes;
    memcpy(&lanes, frame->lanes, sizeof lanes);
    return (sdD4)_mm256_permutevar8x32_ps((__m256)a, lanes);
#else
    // not by numbers of lanes, which clang 14 mixes up for WebAssembly
    int64_t isNext = -(int64_t)(frame->lanes[0] == 2), isLast = -(int64_t)(frame->lanes[0] == 4);
    sdL4 next = {isNext, isNext, isNext, isNext}, last = {isLast, isLast, isLast, isLast};
    return sdD4_Select(next, sdD4_Next(a), sdD4_Select(last, sdD4_Previous(a), a));
#endif
}

SD_INLINE sdD4 sdBoxFrame_From(const sdBoxFrame* frame, sdD4 a) {
    sdL4 signs;
    memcpy(&signs, frame->signs, sizeof signs);
    return (sdD4)((sdL4)sdBoxFrame_Order(frame, a) ^ signs);
}

SD_INLINE sdF4 sdBoxFrame_Back(const sdBoxFrame* frame, sdF4 a) {
    sdI4 flip;
    memcpy(&flip, frame->flip, sizeof flip);
    sdI4 turned = (sdI4)a ^ flip;
#if defined(__AVX2__)
    __m128i lanes;
    memcpy(&lanes, frame->back, sizeof lanes);
    return (sdF4)_mm_permutevar_ps((__m128)turned, lanes);
#else
    int32_t isNext = -(int32_t)(frame->back[0] == 1), isLast = -(int32_t)(frame->back[0] == 2);
    sdI4 next = {isNext, isNext, isNext, isNext}, last = {isLast, isLast, isLast, isLast};
    sdI4 by1 = __builtin_shufflevector(turned, turned, 1, 2, 0, 3);
    sdI4 by2 = __builtin_shufflevector(turned, turned, 2, 0, 1, 3);
    return (sdF4)((next & by1) | (last & by2) | (~(next | last) & turned));
#endif
}

/// Faces of both boxes that look at each other, in the frame of A's face.
typedef struct sdBoxFaceLanes {
    const sdBoxFrame* frame;
    int labelA, labelB; ///< of sides and corners, those of sdSupportFace_Find
    sdD4 half;          ///< of A's box: u, v, and the height of the face
    sdD4 normal;        ///< not of unit length
    /// Of B's face, projected along the normal: middle, and half sides; each number in all lanes,
    /// the third is the separation along the normal
    sdD4 middle[3], u[3], v[3];
} sdBoxFaceLanes;

/// @param steps along the normal
SD_INLINE void sdBoxFaceLanes_Project(const sdBoxFaceLanes* faces, sdD4 d, sdD4 steps, sdD4 length,
                                      sdD4 out[3]) {
    sdD4 p = d - steps * faces->normal;
    out[0] = SD_D4_LANE(p, 0);
    out[1] = SD_D4_LANE(p, 1);
    out[2] = steps * length;
}

/// @param n of any length, A to B
/// @param inB the same in B's frame
SD_INLINE void sdBoxFaceLanes_Set(sdBoxFaceLanes* faces, const sdBoxLanes* pair,
                                  const sdBoxView* view, sdD4 n, sdD4 inB, sdD4 length) {
    int axisA = sdD4_LargestAxis(n), axisB = sdD4_LargestAxis(inB);
    unsigned backA = (unsigned)sdL4_MaskBits((sdL4)n) >> axisA & 1u;
    unsigned frontB = (unsigned)sdL4_MaskBits((sdL4)inB) >> axisB & 1u;
    const sdBoxFrame* frame = &sdBoxFrames[2 * axisA + (int)backA];
    double sizes[8];
    sdD4_Store(sizes, pair->b);
    sdD4_Store(sizes + 3, pair->b);
    // B's face looks against the normal
    int64_t turn = frontB != 0 ? 0 : INT64_MIN;
    sdL4 turns = {turn, turn, turn, turn};
    sdD4 middle =
        (sdD4)((sdL4)(sdD4_Splat(sizes[axisB]) * sdD4_Load(view->rows[axisB])) ^ turns) + pair->t;
    sdD4 u = sdD4_Splat(sizes[axisB + 1]) * sdD4_Load(view->rows[axisB + 1]);
    sdD4 v =
        (sdD4)((sdL4)(sdD4_Splat(sizes[axisB + 2]) * sdD4_Load(view->rows[axisB + 2])) ^ turns);
    faces->frame = frame;
    faces->labelA = 4 * (2 * axisA + (int)backA);
    faces->labelB = 4 * (2 * axisB + 1 - (int)frontB);
    faces->half = sdBoxFrame_Order(frame, pair->a);
    faces->normal = sdBoxFrame_From(frame, n);
    middle = sdBoxFrame_From(frame, middle);
    u = sdBoxFrame_From(frame, u);
    v = sdBoxFrame_From(frame, v);
    sdD4 scale = sdD4_Splat(1.0) / SD_D4_LANE(faces->normal, 2);
    sdBoxFaceLanes_Project(faces, middle, SD_D4_LANE(middle - faces->half, 2) * scale, length,
                           faces->middle);
    sdBoxFaceLanes_Project(faces, u, SD_D4_LANE(u, 2) * scale, length, faces->u);
    sdBoxFaceLanes_Project(faces, v, SD_D4_LANE(v, 2) * scale, length, faces->v);
}

// ---- what faces have in common --------------------------------------------------------------

/// Corners of B's face, where its sides come in and leave A's, and corners of A's face.
typedef struct sdBoxPoints {
    double u[SD_BOX_CANDIDATES], v[SD_BOX_CANDIDATES], separation[SD_BOX_CANDIDATES];
    uint32_t ids[SD_BOX_CANDIDATES];
    unsigned bits; ///< those that are there
    bool hasDeepest;
} sdBoxPoints;

/// What counts of the points.
typedef struct sdBoxRange {
    sdD4 rim;   ///< corners that stick out by no more count as inside, m
    sdD4 least; ///< separations of the points that are wanted, m
    sdD4 limit;
    sdD4 deep; ///< of the deepest point at the most, m
} sdBoxRange;

/// Lengths below this stand for none.
#define SD_BOX_NO_SIDE 1e-200

/// @param isGone lanes that are not wanted
/// @return lanes that are not wanted or not deep
SD_INLINE sdL4 sdBoxPoints_Store(sdBoxPoints* points, int at, const sdBoxRange* range, sdD4 u,
                                 sdD4 v, sdD4 separation, sdL4 isGone) {
    sdD4_Store(points->u + at, u);
    sdD4_Store(points->v + at, v);
    sdD4_Store(points->separation + at, separation);
    isGone |= sdD4_Less(separation, range->least) | sdD4_Less(range->limit, separation);
    points->bits ^= (unsigned)sdL4_MaskBits(isGone) << at;
    return isGone | sdD4_Less(range->deep, separation);
}

SD_INLINE void sdBoxPoints_StoreIds(sdBoxPoints* points, int at, uint32_t first, sdI4 rest) {
    int32_t base = (int32_t)first;
    sdI4 ids = (sdI4){base, base, base, base} + rest;
    memcpy(points->ids + at, &ids, sizeof ids);
}

/// Corners of B's face, in order.
SD_INLINE void sdBoxFaceLanes_Corners(const sdBoxFaceLanes* f, sdD4 out[3]) {
    const sdD4 turnU = {1.0, -1.0, -1.0, 1.0}, turnV = {1.0, 1.0, -1.0, -1.0};
    for (int i = 0; i < 3; ++i) {
        out[i] = f->middle[i] + sdD4_Turn(f->u[i], turnU) + sdD4_Turn(f->v[i], turnV);
    }
}

/// Where sides of B's face cross those of A's: fractions at which they come in and leave between
/// each two opposite sides (Liang, Barsky, "A new concept and method for line clipping", ACM TOG
/// 1984).
SD_INLINE sdL4 sdBoxPoints_AddCrossings(sdBoxPoints* points, const sdBoxFaceLanes* f,
                                        const sdBoxRange* range, const sdD4 corners[3],
                                        sdL4 isOut) {
    const sdD4 zero = sdD4_Splat(0.0), one = sdD4_Splat(1.0), none = sdD4_Splat(SD_BOX_NO_SIDE);
    const sdD4 whole = {-2.0, -2.0, 2.0, 2.0};
    sdD4 u = corners[0], v = corners[1], separation = corners[2];
    sdD4 runU = __builtin_shufflevector(f->u[0], f->v[0], 0, 5, 2, 7) * whole;
    sdD4 runV = __builtin_shufflevector(f->u[1], f->v[1], 0, 5, 2, 7) * whole;
    sdD4 runS = __builtin_shufflevector(f->u[2], f->v[2], 0, 5, 2, 7) * whole;
    sdD4 slopeU = one / sdD4_Max(sdD4_Abs(runU), none);
    sdD4 slopeV = one / sdD4_Max(sdD4_Abs(runV), none);
    sdD4 middleU = sdD4_Turn(u, runU) * slopeU, reachU = SD_D4_LANE(f->half, 0) * slopeU;
    sdD4 middleV = sdD4_Turn(v, runV) * slopeV, reachV = SD_D4_LANE(f->half, 1) * slopeV;
    // the same with the other sign
    sdD4 inU = zero - (middleU + reachU), inV = zero - (middleV + reachV);
    sdD4 outU = reachU - middleU, outV = reachV - middleV;
    sdL4 isInByU = sdD4_Less(inV, inU), isOutByU = sdD4_Less(outU, outV);
    sdD4 in = sdD4_Max(inU, inV), out = sdD4_Min(outU, outV);
    sdL4 isMissed = sdD4_Less(out, in);
    sdL4 isNextOut = __builtin_shufflevector(isOut, isOut, 1, 2, 3, 0);
    sdL4 isIn = isOut & sdD4_Less(zero, in) & sdD4_Less(in, one);
    sdL4 isLeaving = isNextOut & sdD4_Less(zero, out) & sdD4_Less(out, one);
    sdL4 isShallow = sdBoxPoints_Store(points, 4, range, u + in * runU, v + in * runV,
                                       separation + in * runS, isMissed | ~isIn);
    isShallow &= sdBoxPoints_Store(points, 8, range, u + out * runU, v + out * runV,
                                   separation + out * runS, isMissed | ~isLeaving);
    // sides of A: 0 at +v, 1 at -u, 2 at -v, 3 at +u; who runs against u comes in at +u
    const double left = 65536.0;
    sdD4 inSideU = sdD4_BySign(runU, sdD4_Splat(3.0 * left), sdD4_Splat(left));
    sdD4 inSideV = sdD4_BySign(runV, zero, sdD4_Splat(2.0 * left));
    sdD4 outSideU = sdD4_BySign(runU, one, sdD4_Splat(3.0));
    sdD4 outSideV = sdD4_BySign(runV, sdD4_Splat(2.0), zero);
    sdI4 sideIn = sdI4_FromDoubles(sdD4_Select(isInByU, inSideU, inSideV));
    sdI4 sideOut = sdI4_FromDoubles(sdD4_Select(isOutByU, outSideU, outSideV));
    sdBoxPoints_StoreIds(points, 4, sdManifold_Id(~f->labelA, f->labelB),
                         (sdI4){0, 1, 2, 3} - sideIn);
    sdBoxPoints_StoreIds(points, 8, sdManifold_Id(f->labelB, ~f->labelA),
                         (sdI4){0, 1 << 16, 2 << 16, 3 << 16} - sideOut);
    return isShallow;
}

/// Corners of A's face inside of B's.
SD_INLINE sdL4 sdBoxPoints_AddCornersOfA(sdBoxPoints* points, const sdBoxFaceLanes* f,
                                         const sdBoxRange* range) {
    const sdD4 turnU = {1.0, -1.0, -1.0, 1.0}, turnV = {1.0, 1.0, -1.0, -1.0};
    // their coordinates there, times the area
    sdD4 area = f->u[0] * f->v[1] - f->u[1] * f->v[0], reach = sdD4_Abs(area);
    sdD4 u = sdD4_Turn(SD_D4_LANE(f->half, 0), turnU), du = u - f->middle[0];
    sdD4 v = sdD4_Turn(SD_D4_LANE(f->half, 1), turnV), dv = v - f->middle[1];
    sdD4 s = du * f->v[1] - dv * f->v[0], t = f->u[0] * dv - f->u[1] * du;
    // a rim of this width is as wide as that times the length of the other half side
    sdD4 rimU = range->rim * (sdD4_Abs(f->v[0]) + sdD4_Abs(f->v[1]));
    sdD4 rimV = range->rim * (sdD4_Abs(f->u[0]) + sdD4_Abs(f->u[1]));
    sdL4 isOut = sdD4_Less(reach + rimU, sdD4_Abs(s)) | sdD4_Less(reach + rimV, sdD4_Abs(t));
    sdD4 separation = f->middle[2] + (s * f->u[2] + t * f->v[2]) / area;
    // corner k is where side k ends and side k - 1 starts, the other way round than B's
    const int32_t before = (int32_t)0xFFFF0000, third = -3;
    sdBoxPoints_StoreIds(points, 12, sdManifold_Id(~f->labelA, ~f->labelA),
                         (sdI4){third, before, 2 * before - 1, 3 * before - 2});
    return sdBoxPoints_Store(points, 12, range, u, v, separation, isOut);
}

SD_INLINE void sdBoxPoints_Find(sdBoxPoints* points, const sdBoxFaceLanes* f,
                                const sdBoxRange* range) {
    sdD4 corners[3];
    points->bits = (1u << SD_BOX_CANDIDATES) - 1u;
    sdBoxFaceLanes_Corners(f, corners);
    sdL4 isOut = sdD4_Less(SD_D4_LANE(f->half, 0) + range->rim, sdD4_Abs(corners[0])) |
                 sdD4_Less(SD_D4_LANE(f->half, 1) + range->rim, sdD4_Abs(corners[1]));
    sdL4 isShallow = sdBoxPoints_Store(points, 0, range, corners[0], corners[1], corners[2], isOut);
    sdBoxPoints_StoreIds(points, 0, sdManifold_Id(f->labelB, f->labelB),
                         (sdI4){3 << 16, 1, (1 << 16) + 2, (2 << 16) + 3});
    isShallow &= sdBoxPoints_AddCrossings(points, f, range, corners, isOut);
    isShallow &= sdBoxPoints_AddCornersOfA(points, f, range);
    points->hasDeepest = sdL4_MaskBits(isShallow) != 15;
}

#endif
