// SPDX-License-Identifier: MIT
// sat_box_quick_kernel.c - two boxes by their 15 separating axes in single precision, where that is
// enough.
//
// In:   half extents, B's pose in A's frame. Nothing needs to be valid.
// Out:  surely apart, surely overlapping and on which axis, or not known. Never allocates.
// Ref:  Gottschalk, Lin, Manocha, "OBBTree", SIGGRAPH 1996; S4.
// Note: most pairs are clear. The rotation matrix is kept as its three diagonals, which is how a
//       quaternion gives it; all 15 axes are made of these diagonals and their rotations, three
//       axes at a time, and nothing branches before the end.

#include "base/simd4.h"
#include "narrow/collide_box_floats.h"
#include "narrow/collide_boxes.h"
#include "narrow/manifold.h"
#include "narrow/sat_box.h"

/// Errors of a gap as a fraction of the boxes' sizes and distance: entries of the matrix are right
/// to 3 units in the last place of 1, and so is the square of the quaternion's length; products add
/// 1 unit and sums 3, and the limit, which is no more than the distance, has 5. A unit is half of
/// FLT_EPSILON.
#define ERROR (6.0f * FLT_EPSILON)
/// Products of smaller sizes lose digits, m.
#define LEAST_SIZE 1e-20f
/// Squares of depths of smaller sizes do, m.
#define LEAST_SQUARED 1e-12f
/// Squares of lengths of quaternions differ from 1 by less: then 2 - |q|² is 1 / |q|² to 1e-8.
#define UNIT_TOLERANCE 1e-4f

/// Depths are compared with this many errors to either side: lengths of crossed edges are off, too,
/// and of depths that are tied within SD_SAT_TIE of a box it is not the least that counts.
#define DEPTH_ERRORS 2.0f

/// Numbers of axes in squares of depths take up to 15 units off the last place.
#define UNTAGGED (1.0f + 16.0f * FLT_EPSILON)

/// Squares of sines of edges that are parallel: quotients that are not finite have no room for such
/// a number, and boxes that lie square would be asked once more in double.
#define PARALLEL 1e-20f

/// Squares of lengths of quaternions and axes that were rounded to floats differ from 1 by less.
#define UNIT_ON_AXIS 1e-6f
/// Errors of a gap on such an axis: 2e-6 by the lengths, and rounding.
#define ERROR_ON_AXIS (40.0f * FLT_EPSILON)

/// How far ahead a pair that is apart by the axis of last time has to be, that its cache be there
/// in time: such pairs take 10 ns each, and a cache that comes from beyond the second level 70 ns
/// and more.
#define CACHES_AHEAD 12

/// Boxes that are further apart than this by a face, as a fraction of their sizes and distance, are
/// so before other axes are asked. Whether those that nearly touch are apart cannot be foreseen:
/// one wrong guess, when all is known, costs less than two.
#define CLEARLY_APART 0.005f

/// Of masks of five groups of three axes each.
#define AXIS_BITS 20
#define EVERY_AXIS 0x77777u

SD_INLINE sdF4 square(sdF4 a) {
    return a * a;
}

/// The sum of all lanes, in each of them.
SD_INLINE sdF4 sumOf4(sdF4 a) {
    sdF4 pairs = a + __builtin_shufflevector(a, a, 2, 3, 0, 1);
    return pairs + __builtin_shufflevector(pairs, pairs, 1, 0, 3, 2);
}

/// Sums of all lanes of two vectors, in turns.
SD_INLINE sdF4 sumsOf4(sdF4 a, sdF4 b) {
    sdF4 pairs =
        __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
    return pairs + __builtin_shufflevector(pairs, pairs, 2, 3, 0, 1);
}

/// The fourth lane is whatever follows in the shape.
SD_INLINE sdF4 halfExtentsOf(const sdShape* shape) {
    sdF4 half;
    memcpy(&half, (const char*)shape + offsetof(sdShape, box), sizeof half);
    return half;
}

/// Bit 4 k + i is set when lane i of mask k is true.
SD_INLINE unsigned bitsOfAll(const sdI4 masks[5]) {
#if defined(__SSE2__)
    __m128i low = _mm_packs_epi32((__m128i)masks[0], (__m128i)masks[1]);
    __m128i high = _mm_packs_epi32((__m128i)masks[2], (__m128i)masks[3]);
    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, high)) |
           (unsigned)_mm_movemask_ps((__m128)masks[4]) << 16;
#else
    unsigned bits = 0;
    for (unsigned k = 0; k < 5; ++k) {
        bits |= sdI4_Bits3(masks[k]) << 4 * k;
    }
    return bits;
#endif
}

/// Errors of gaps, in each of three lanes.
SD_INLINE sdF4 errorOf(sdF4 size) {
    return sdF4_Splat(ERROR) * size;
}

/// Sizes and distance, in each of three lanes.
SD_INLINE sdF4 sizeOf(sdF4 a, sdF4 b, sdF4 t) {
    return sdF4_Sum3(a + b + sdF4_Abs(t));
}

// Boxes that are apart are about as many as others, so that whoever asks has to wait for what comes
// out here as often as not: of ways that take as many operations, these are the shortest. Gaps are
// times that square, too, which spares to wait for it.

/// Times the square of the length of the quaternion.
/// @param squares of the parts of q
SD_INLINE sdBoxDiagonals diagonalsOf(sdF4 q, sdF4 squares) {
    sdF4 twice = q + q, even = twice * sdF4_Next(q);
    sdF4 odd = __builtin_shufflevector(q, q, 3, 3, 3, 3) * sdF4_Previous(twice);
    sdF4 last = __builtin_shufflevector(squares, squares, 3, 3, 3, 3);
    return (sdBoxDiagonals){(last + squares) - (sdF4_Next(squares) + sdF4_Previous(squares)),
                            even + odd, even - odd};
}

/// Gaps of faces of A and of B.
/// @param squared length of the quaternion
SD_INLINE void gapsOfFaces(sdBoxDiagonals r, sdF4 squared, sdF4 a, sdF4 b, sdF4 t, sdF4* faceA,
                           sdF4* faceB) {
    sdF4 own = sdF4_Abs(r.own), above = sdF4_Abs(r.above), below = sdF4_Abs(r.below);
    *faceA = ((sdF4_Abs(t) - a) * squared - b * own) -
             (sdF4_Previous(b) * sdF4_Previous(above) + sdF4_Next(b) * below);
    *faceB =
        sdF4_Abs(t * r.own + sdF4_Next(t) * r.above + sdF4_Previous(t) * sdF4_Previous(r.below)) -
        ((b * squared + a * own) +
         (sdF4_Next(a) * above + sdF4_Previous(a) * sdF4_Previous(below)));
}

/// Gaps of edges: axis k of A with the axes k, k + 1 and k + 2 of B. They are not of unit axes, so
/// they are smaller than they should be.
SD_INLINE void gapsOfEdges(sdBoxDiagonals r, sdF4 a, sdF4 b, sdF4 t, sdF4 out[3]) {
    sdF4 a1 = sdF4_Next(a), a2 = sdF4_Previous(a), b1 = sdF4_Next(b), b2 = sdF4_Previous(b);
    sdF4 t1 = sdF4_Next(t), t2 = sdF4_Previous(t);
    sdF4 own = sdF4_Abs(r.own), above = sdF4_Abs(r.above), below = sdF4_Abs(r.below);
    sdF4 above2 = sdF4_Previous(above);
    out[0] = sdF4_Abs(t2 * r.above - t1 * sdF4_Previous(r.below)) -
             ((a1 * sdF4_Previous(below) + a2 * above) + (b1 * above2 + b2 * below));
    out[1] = sdF4_Abs(t2 * sdF4_Next(r.own) - t1 * sdF4_Next(r.above)) -
             ((a1 * sdF4_Next(above) + a2 * sdF4_Next(own)) + (b2 * own + b * above2));
    out[2] = sdF4_Abs(t2 * sdF4_Next(r.below) - t1 * sdF4_Previous(r.own)) -
             ((a1 * sdF4_Previous(own) + a2 * sdF4_Next(below)) + (b * below + b1 * own));
}

/// Boxes that no face parts. A function of its own, with all its arguments in registers, so that
/// those that one does part need not put anything aside.
/// @param faces gaps of the faces
/// @param most gaps above this part them
static __attribute__((noinline)) sdBoxVerdict askEdges(sdF4 a, sdF4 b, sdF4 t, sdF4 own, sdF4 above,
                                                       sdF4 below, sdF4 faces, sdF4 most) {
    sdF4 edges[3];
    gapsOfEdges((sdBoxDiagonals){own, above, below}, a, b, t, edges);
    sdF4 gaps = sdF4_Max(sdF4_Max(sdF4_Max(edges[0], edges[1]), edges[2]), faces);
    unsigned isApart = sdI4_Bits3(gaps > most) != 0;
    unsigned isOverlapping = sdI4_Bits3(gaps < -errorOf(sizeOf(a, b, t))) == 7u;
    // which it is cannot be foreseen, so nothing branches
    return (sdBoxVerdict)(isApart * SD_BOXES_APART + isOverlapping * SD_BOXES_OVERLAPPING);
}

/// As bits come, in fours of which three count: faces, then axis k of A with the axes k, k + 1 and
/// k + 2 of B; and none.
static const uint8_t axesOfBits[AXIS_BITS + 1] = {
    0, 1, 2, 0, 3, 4, 5, 0, 6, 10, 14, 0, 7, 11, 12, 0, 8, 9, 13, 0, SD_BOX_AXIS_COUNT};
static const uint8_t bitsOfAxes[SD_BOX_AXIS_COUNT + 1] = {0,  1,  2, 4,  5,  6,  8,  12,
                                                          16, 17, 9, 13, 14, 18, 10, AXIS_BITS};

/// One axis or two of which one has the least depth, of boxes where it is not clearly one.
/// @param rest bits of axes that may be it
static __attribute__((noinline)) int axesOf(bool isSound, unsigned rest) {
    unsigned others = rest & (rest - 1);
    if (!(isSound & (rest != 0) & ((others & (others - 1)) == 0))) {
        return SD_BOX_NO_AXES;
    }
    others = others != 0 ? others : rest;
    return SD_BOX_AXES(axesOfBits[__builtin_ctz(rest)], axesOfBits[__builtin_ctz(others)]);
}

/// The number of the axis in the last bits of the square of its depth, where the least wins.
SD_INLINE sdF4 tagged(sdF4 square, int x, int y, int z) {
    const int others = ~15;
    return (sdF4)(((sdI4)square & (sdI4){others, others, others, others}) | (sdI4){x, y, z, 0});
}

SD_INLINE int tagOf(sdF4 square) {
    return ((sdI4)square)[0] & 15;
}

/// The same, and which axis has the least depth.
/// @param limit see sdSatBox_QuickAxes
SD_INLINE int askAxes(sdF4 a, sdF4 b, sdF4 t, sdF4 own, sdF4 above, sdF4 below, sdF4 faceA,
                      sdF4 faceB, sdF4 size, sdF4 squared, float limit, sdF4* depth) {
    sdF4 edges[3], error = errorOf(size), off = sdF4_Splat(DEPTH_ERRORS) * error;
    gapsOfEdges((sdBoxDiagonals){own, above, below}, a, b, t, edges);
    sdF4 edge = sdF4_Max(sdF4_Max(edges[0], edges[1]), edges[2]), face = sdF4_Max(faceA, faceB);
    // cannot be foreseen, but is known long before the rest
    if (sdI4_Bits3(sdF4_Max(edge, face) > sdF4_Splat(limit) * squared + error) != 0) {
        return SD_NULL_INDEX;
    }
    sdF4 own1 = sdF4_Next(own), own2 = sdF4_Previous(own), above1 = sdF4_Next(above);
    sdF4 below1 = sdF4_Next(below), below2 = sdF4_Previous(below), unit = squared * squared;
    sdF4 scales[3] = {unit / sdF4_Max(above * above + below2 * below2, sdF4_Splat(PARALLEL)),
                      unit / sdF4_Max(own1 * own1 + above1 * above1, sdF4_Splat(PARALLEL)),
                      unit / sdF4_Max(below1 * below1 + own2 * own2, sdF4_Splat(PARALLEL))};
    // squares of depths, which spare roots: the least is no more than any of these
    sdF4 most[5] = {square(off - faceA), square(off - faceB), square(off - edges[0]) * scales[0],
                    square(off - edges[1]) * scales[1], square(off - edges[2]) * scales[2]};
    sdF4 least = sdF4_MinBits(
        sdF4_MinBits(sdF4_MinBits(tagged(most[0], 0, 1, 2), tagged(most[1], 3, 4, 5)),
                     sdF4_MinBits(tagged(most[2], 6, 10, 14), tagged(most[3], 7, 11, 12))),
        tagged(most[4], 8, 9, 13));
    least = sdF4_MinBits(sdF4_MinBits(least, sdF4_Next(least)), sdF4_Previous(least));
    *depth = least;
    int axis = tagOf(least);
    // and no less than those; written so that NaN may be it
    sdF4 none = sdF4_Splat(0.0f), atMost = least * sdF4_Splat(UNTAGGED);
    sdI4 isMore[5] = {square(sdF4_Min(faceA + off, none)) > atMost,
                      square(sdF4_Min(faceB + off, none)) > atMost,
                      square(sdF4_Min(edges[0] + off, none)) * scales[0] > atMost,
                      square(sdF4_Min(edges[1] + off, none)) * scales[1] > atMost,
                      square(sdF4_Min(edges[2] + off, none)) * scales[2] > atMost};
    sdI4 isSound =
        (sdF4_Max(edge, face) < off) & (off > sdF4_Splat(DEPTH_ERRORS * ERROR * LEAST_SQUARED));
    unsigned rest = ~bitsOfAll(isMore) & EVERY_AXIS;
    // mostly it is one, and nothing needs to wait for that
    if (!((sdI4_Bits3(isSound) == 7u) & (rest == 1u << bitsOfAxes[axis]))) {
        return axesOf(sdI4_Bits3(isSound) == 7u, rest);
    }
    return SD_BOX_AXES(axis, axis);
}

/// Two boxes as they are needed here.
typedef struct Boxes {
    sdF4 a, b, t;
    sdBoxDiagonals r;
    sdF4 faceA, faceB, size, squared;
} Boxes;

/// @return false when something is not valid or not clearly so
SD_INLINE bool setBoxes(Boxes* boxes, const sdShape* shapeA, const sdShape* shapeB,
                        const sdTransform* xfAB) {
    sdF4 a = halfExtentsOf(shapeA), b = halfExtentsOf(shapeB);
    sdF4 t = sdTransform_Place(xfAB), q;
    memcpy(&q, &xfAB->q, sizeof q);
    sdF4 squares = q * q, squared = sumOf4(squares), size = sizeOf(a, b, t);
    // written so that NaN is refused
    sdI4 isClear = (sdF4_Abs(squared - sdF4_Splat(1.0f)) < sdF4_Splat(UNIT_TOLERANCE)) &
                   (size >= sdF4_Splat(LEAST_SIZE)) & (size <= sdF4_Splat(SD_MAX_REACH));
    if (sdI4_Bits3(isClear & ~((sdI4)a | (sdI4)b)) != 7u) {
        return false;
    }
    boxes->a = a;
    boxes->b = b;
    boxes->t = t;
    boxes->size = size;
    boxes->squared = squared;
    boxes->r = diagonalsOf(q, squares);
    gapsOfFaces(boxes->r, squared, a, b, t, &boxes->faceA, &boxes->faceB);
    return true;
}

sdBoxVerdict SD_KERNEL(sdSatBox_Quick)(const sdShape* shapeA, const sdShape* shapeB,
                                       const sdTransform* xfAB, float limit) {
    Boxes p;
    if (!setBoxes(&p, shapeA, shapeB, xfAB)) {
        return SD_BOXES_UNSURE;
    }
    sdF4 faces = sdF4_Max(p.faceA, p.faceB), most = sdF4_Splat(limit) * p.squared + errorOf(p.size);
    // most boxes that are apart are so by a face
    if (sdI4_Bits3(faces > most) != 0) {
        return SD_BOXES_APART;
    }
    return askEdges(p.a, p.b, p.t, p.r.own, p.r.above, p.r.below, faces, most);
}

int SD_KERNEL(sdSatBox_QuickAxes)(const sdShape* shapeA, const sdShape* shapeB,
                                  const sdTransform* xfAB, float limit) {
    Boxes p;
    if (!setBoxes(&p, shapeA, shapeB, xfAB)) {
        return SD_BOX_NO_AXES;
    }
    if (sdI4_Bits3(sdF4_Max(p.faceA, p.faceB) >
                   sdF4_Splat(limit) + sdF4_Splat(CLEARLY_APART) * p.size) != 0) {
        return SD_NULL_INDEX;
    }
    sdF4 depth;
    return askAxes(p.a, p.b, p.t, p.r.own, p.r.above, p.r.below, p.faceA, p.faceB, p.size,
                   p.squared, limit, &depth);
}

/// Whether they are apart along an axis.
/// @param n unit, A to B; the fourth lane is 0
SD_INLINE bool areApartOn(const sdShape* shapeA, const sdShape* shapeB, const sdTransform* xfAB,
                          float limit, sdF4 n) {
    sdF4 a = halfExtentsOf(shapeA), b = halfExtentsOf(shapeB), t = sdTransform_Place(xfAB), q;
    memcpy(&q, &xfAB->q, sizeof q);
    sdF4 squares = sumsOf4(q * q, n * n);
    // into B's frame: n + 2 s (n x u) + 2 (n x u) x u
    sdF4 q1 = sdF4_Next(q), q2 = sdF4_Previous(q), s = __builtin_shufflevector(q, q, 3, 3, 3, 3);
    sdF4 turn = sdF4_Next(n) * q2 - sdF4_Previous(n) * q1;
    sdF4 half = s * turn + (sdF4_Next(turn) * q2 - sdF4_Previous(turn) * q1), inB = n + half + half;
    // the gap less its error, in three parts
    sdF4 size = a + b + sdF4_Abs(t);
    sdF4 gap =
        sdF4_Sum3(n * t - sdF4_Abs(n) * a - sdF4_Abs(inB) * b - sdF4_Splat(ERROR_ON_AXIS) * size);
    // written so that NaN is refused
    sdI4 isClear = (sdF4_Abs(squares - sdF4_Splat(1.0f)) < sdF4_Splat(UNIT_ON_AXIS)) &
                   (gap > sdF4_Splat(limit)) & (size < sdF4_Splat(0.1f * SD_MAX_REACH));
    return sdI4_Bits3(isClear & ~((sdI4)a | (sdI4)b)) == 7u;
}

bool SD_KERNEL(sdSatBox_IsApartOn)(const sdShape* shapeA, const sdShape* shapeB,
                                   const sdTransform* xfAB, float limit, sdVec3 axis) {
    return areApartOn(shapeA, shapeB, xfAB, limit, (sdF4){axis.x, axis.y, axis.z, 0.0f});
}

// ---- contact points -------------------------------------------------------------------------
// Most boxes that are asked for are apart, by the axis of last time or clearly by some other; gaps
// within the tolerance of the margin are not clear enough. Those that are not are answered from
// here, so that whoever asks has nothing to keep for them.

/// Boxes that no face clearly parts. A function of its own, as askEdges.
static __attribute__((noinline)) int collideNear(sdF4 a, sdF4 b, sdF4 t, sdF4 own, sdF4 above,
                                                 sdF4 below, sdF4 faceA, sdF4 faceB, sdF4 squared,
                                                 const sdShape* shapeA, const sdShape* shapeB,
                                                 const sdTransform* xfAB, float margin,
                                                 sdManifold* out) {
    sdF4 depth, size = sizeOf(a, b, t);
    int axes = askAxes(a, b, t, own, above, below, faceA, faceB, size, squared, margin, &depth);
    if (axes == SD_NULL_INDEX) {
        sdManifold_SetEmpty(out, SD_STATUS_EXACT, 1);
        return 0;
    }
    if (axes == SD_BOX_NO_AXES) {
        return sdBoxes_CollideFully(shapeA, shapeB, xfAB, margin, NULL, out);
    }
    sdF4 shallow = sdF4_Splat(SD_BOX_FLOAT_RISE) * size - sdF4_Splat(margin);
    int axis = SD_BOX_FIRST_AXIS(axes);
    if (axis != SD_BOX_SECOND_AXIS(axes)) {
        axis = SD_KERNEL(sdBoxes_ChooseAxis)(shapeA, shapeB, xfAB, axes);
        if (axis == SD_NULL_INDEX) {
            return sdBoxes_CollideFully(shapeA, shapeB, xfAB, margin, NULL, out);
        }
    }
    if (sdI4_Bits3(depth < shallow * sdF4_Abs(shallow)) == 7u) {
        sdF4 n = sdF4_Splat(2.0f) - squared;
        sdBoxFloats pair = {a, b, t, {own * n, above * n, below * n}, size, margin};
        if (axis < SD_BOX_FACE_AXES ? sdBoxFloats_Corner(&pair, axis, out)
                                    : sdBoxFloats_Crossing(&pair, axis, out)) {
            return 1;
        }
    }
    int count = SD_KERNEL(sdBoxes_CollideOn)(shapeA, shapeB, xfAB, margin, axis, out);
    return count != SD_NULL_INDEX ? count
                                  : sdBoxes_CollideFully(shapeA, shapeB, xfAB, margin, NULL, out);
}

/// Boxes of which nothing is known.
static int collideNew(const sdShape* a, const sdShape* b, const sdTransform* xfAB, float margin,
                      sdManifold* out) {
    Boxes p;
    if (!setBoxes(&p, a, b, xfAB)) {
        return sdBoxes_CollideFully(a, b, xfAB, margin, NULL, out);
    }
    if (sdI4_Bits3(sdF4_Max(p.faceA, p.faceB) >
                   sdF4_Splat(margin) + sdF4_Splat(CLEARLY_APART) * p.size) != 0) {
        sdManifold_SetEmpty(out, SD_STATUS_EXACT, 1);
        return 0;
    }
    return collideNear(p.a, p.b, p.t, p.r.own, p.r.above, p.r.below, p.faceA, p.faceB, p.squared, a,
                       b, xfAB, margin, out);
}

int SD_KERNEL(sdBoxes_CollideQuickly)(const sdShape* a, const sdShape* b, const sdTransform* xfAB,
                                      float margin, sdPairCache* cache, sdManifold* out) {
    if (!(margin >= 0.0f && margin <= SD_MAX_REACH)) {
        return sdBoxes_CollideFully(a, b, xfAB, margin, cache, out);
    }
    if (cache == NULL) {
        return collideNew(a, b, xfAB, margin, out);
    }
    // caches of pairs that are asked one after the other mostly lie one after the other
    __builtin_prefetch(cache + CACHES_AHEAD);
    if (cache->isApart && cache->kind == SD_CACHE_SAT_BOX) {
        sdF4 axis;
        _Static_assert(offsetof(sdPairCache, axis) + sizeof axis <= sizeof *cache, "read whole");
        memcpy(&axis, &cache->axis, sizeof axis);
        axis = (sdF4)((sdI4)axis & (sdI4){-1, -1, -1, 0});
        if (areApartOn(a, b, xfAB, margin, axis)) {
            sdManifold_SetEmpty(out, SD_STATUS_EXACT, 1);
            return 0;
        }
    }
    return sdBoxes_CollideFully(a, b, xfAB, margin, cache, out);
}
