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
#include "narrow/collide_box_clip.h"
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

/// Depths that differ by less, as a fraction of the boxes' sizes and distance, are the same: then a
/// face of A counts rather than one of B, and that rather than edges.
#define TIE (2.0f * FLT_EPSILON)
/// Of the smaller box, as a fraction of the same, at least: for others it is more than rounding.
#define LEAST_SMALLER 0.02f
/// 1 over squares of sines of edges that are nearly parallel: their depths are off by more than is
/// told of sdSatBox_QuickAxis.
#define NARROW 100.0f

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

/// The number of the axis in the last bits of the square of its depth, where the least wins.
SD_INLINE sdF4 tagged(sdF4 square, int x, int y, int z) {
    const int others = ~15;
    return (sdF4)(((sdI4)square & (sdI4){others, others, others, others}) | (sdI4){x, y, z, 0});
}

SD_INLINE int tagOf(sdF4 square) {
    return ((sdI4)square)[0] & 15;
}

/// Of the smaller box, or less, in each lane: the length of a diagonal is at least the sum of its
/// parts by the root of three.
SD_INLINE sdF4 smallerOf(sdF4 a, sdF4 b) {
    return sdF4_Splat(0.577f) * sdF4_Min(sdF4_Sum3(a), sdF4_Sum3(b));
}

/// Whether edges other than those of the axis that was found may have a clearly smaller depth:
/// those that are nearly parallel. A function of its own, for it is seldom asked.
/// @param least key of that axis
static __attribute__((noinline)) bool mayEdgesBeBetter(sdF4 edges0, sdF4 edges1, sdF4 edges2,
                                                       sdF4 scales0, sdF4 scales1, sdF4 scales2,
                                                       sdF4 error, sdF4 least) {
    const sdI4 axis = (sdI4)least & sdI4_Splat(15);
    const sdF4 zero = sdF4_Splat(0.0f);
    // written so that NaN may be better
    sdI4 isMore = ((axis == (sdI4){6, 10, 14, 0}) |
                   (square(sdF4_Min(edges0 + error, zero)) * scales0 > least)) &
                  ((axis == (sdI4){7, 11, 12, 0}) |
                   (square(sdF4_Min(edges1 + error, zero)) * scales1 > least)) &
                  ((axis == (sdI4){8, 9, 13, 0}) |
                   (square(sdF4_Min(edges2 + error, zero)) * scales2 > least));
    return sdI4_Bits3(isMore) != 7u;
}

/// Which axis has the least depth.
/// @param key gets its number, in the last bits of the square of the depth
SD_INLINE int askAxes(sdBoxFloats* p, sdF4 squared, sdF4* key) {
    const sdF4 own = p->r.own, above = p->r.above, below = p->r.below, size = p->size;
    sdF4 edges[3], error = errorOf(size);
    gapsOfEdges(p->r, p->a, p->b, p->t, edges);
    sdF4 edge = sdF4_Max(sdF4_Max(edges[0], edges[1]), edges[2]),
         face = sdF4_Max(p->faceA, p->faceB);
    // cannot be foreseen, but is known long before the rest
    if (sdI4_Bits3(sdF4_Max(edge, face) > sdF4_Splat(p->margin) * squared + error) != 0) {
        return SD_NULL_INDEX;
    }
    p->smaller = smallerOf(p->a, p->b);
    sdF4 own1 = sdF4_Next(own), own2 = sdF4_Previous(own), above1 = sdF4_Next(above);
    sdF4 below1 = sdF4_Next(below), below2 = sdF4_Previous(below), unit = squared * squared;
    sdF4 scales[3] = {unit / sdF4_Max(above * above + below2 * below2, sdF4_Splat(PARALLEL)),
                      unit / sdF4_Max(own1 * own1 + above1 * above1, sdF4_Splat(PARALLEL)),
                      unit / sdF4_Max(below1 * below1 + own2 * own2, sdF4_Splat(PARALLEL))};
    // squares of depths, which spare roots
    sdF4 tie = sdF4_Splat(TIE) * size;
    sdF4 least = sdF4_MinBits(
        sdF4_MinBits(sdF4_MinBits(tagged(square(p->faceA), 0, 1, 2),
                                  tagged(square(tie - p->faceB), 3, 4, 5)),
                     sdF4_MinBits(tagged(square(error - edges[0]) * scales[0], 6, 10, 14),
                                  tagged(square(error - edges[1]) * scales[1], 7, 11, 12))),
        tagged(square(error - edges[2]) * scales[2], 8, 9, 13));
    least = sdF4_MinBits(sdF4_MinBits(least, sdF4_Next(least)), sdF4_Previous(least));
    *key = least;
    // they overlap for sure; written so that NaN is not sound
    sdI4 isSound = (sdF4_Max(edge, face) < sdF4_Splat(0.0f) - error) &
                   (size > sdF4_Splat(LEAST_SQUARED)) &
                   (p->smaller > sdF4_Splat(LEAST_SMALLER) * size);
    sdF4 narrowest = sdF4_Max(sdF4_Max(scales[0], scales[1]), scales[2]);
    if (sdI4_Bits3(isSound & (narrowest < sdF4_Splat(NARROW))) != 7u) {
        if (sdI4_Bits3(isSound) != 7u || mayEdgesBeBetter(edges[0], edges[1], edges[2], scales[0],
                                                          scales[1], scales[2], error, least)) {
            return SD_BOX_AXIS_COUNT;
        }
    }
    return tagOf(least);
}

/// Two boxes as they are needed here.
/// @param squared gets the square of the length of the quaternion
/// @return false when something is not valid or not clearly so
SD_INLINE bool setBoxes(sdBoxFloats* boxes, sdF4* squared, const sdShape* shapeA,
                        const sdShape* shapeB, const sdTransform* xfAB, float margin) {
    sdF4 a = halfExtentsOf(shapeA), b = halfExtentsOf(shapeB);
    sdF4 t = sdTransform_Place(xfAB), q;
    memcpy(&q, &xfAB->q, sizeof q);
    sdF4 squares = q * q, size = sizeOf(a, b, t);
    *squared = sumOf4(squares);
    // written so that NaN is refused
    sdI4 isClear = (sdF4_Abs(*squared - sdF4_Splat(1.0f)) < sdF4_Splat(UNIT_TOLERANCE)) &
                   (size >= sdF4_Splat(LEAST_SIZE)) & (size <= sdF4_Splat(SD_MAX_REACH));
    if (sdI4_Bits3(isClear & ~((sdI4)a | (sdI4)b)) != 7u) {
        return false;
    }
    boxes->a = a;
    boxes->b = b;
    boxes->t = t;
    boxes->size = size;
    boxes->margin = margin;
    boxes->r = diagonalsOf(q, squares);
    gapsOfFaces(boxes->r, *squared, a, b, t, &boxes->faceA, &boxes->faceB);
    return true;
}

sdBoxVerdict SD_KERNEL(sdSatBox_Quick)(const sdShape* shapeA, const sdShape* shapeB,
                                       const sdTransform* xfAB, float limit) {
    sdBoxFloats p;
    sdF4 squared;
    if (!setBoxes(&p, &squared, shapeA, shapeB, xfAB, limit)) {
        return SD_BOXES_UNSURE;
    }
    sdF4 faces = sdF4_Max(p.faceA, p.faceB), most = sdF4_Splat(limit) * squared + errorOf(p.size);
    // most boxes that are apart are so by a face
    if (sdI4_Bits3(faces > most) != 0) {
        return SD_BOXES_APART;
    }
    return askEdges(p.a, p.b, p.t, p.r.own, p.r.above, p.r.below, faces, most);
}

/// Whether a face parts them, and not just so.
SD_INLINE bool areClearlyApart(const sdBoxFloats* p) {
    return sdI4_Bits3(sdF4_Max(p->faceA, p->faceB) >
                      sdF4_Splat(p->margin) + sdF4_Splat(CLEARLY_APART) * p->size) != 0;
}

int SD_KERNEL(sdSatBox_QuickAxis)(const sdShape* shapeA, const sdShape* shapeB,
                                  const sdTransform* xfAB, float limit) {
    sdBoxFloats p;
    sdF4 squared, key;
    if (!setBoxes(&p, &squared, shapeA, shapeB, xfAB, limit)) {
        return SD_BOX_AXIS_COUNT;
    }
    if (areClearlyApart(&p)) {
        return SD_NULL_INDEX;
    }
    return askAxes(&p, squared, &key);
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
    sdF4 key, size = sizeOf(a, b, t);
    sdBoxFloats pair = {a, b, t, {own, above, below}, size, size, faceA, faceB, {0}, margin};
    int axis = askAxes(&pair, squared, &key);
    if (axis == SD_NULL_INDEX) {
        sdManifold_SetEmpty(out, SD_STATUS_EXACT, 1);
        return 0;
    }
    if (axis == SD_BOX_AXIS_COUNT) {
        return sdBoxes_CollideFully(shapeA, shapeB, xfAB, margin, NULL, out);
    }
    sdF4 n = sdF4_Splat(2.0f) - squared;
    pair.r = (sdBoxDiagonals){own * n, above * n, below * n};
    pair.faceA = faceA * n;
    pair.faceB = faceB * n;
    // nothing waits for it to go by other registers
    pair.axis = (sdI4)key & sdI4_Splat(15);
    sdF4 shallow = sdF4_Splat(SD_BOX_FLOAT_RISE) * size - sdF4_Splat(margin);
    if (sdI4_Bits3(key < shallow * sdF4_Abs(shallow)) == 7u) {
        if (axis < SD_BOX_FACE_AXES ? sdBoxFloats_Corner(&pair, out)
                                    : sdBoxFloats_Crossing(&pair, out)) {
            return 1;
        }
    }
    int count = sdBoxFloats_Clip(&pair, out);
    return count != SD_NULL_INDEX ? count
                                  : sdBoxes_CollideFully(shapeA, shapeB, xfAB, margin, NULL, out);
}

/// Boxes of which nothing is known.
static int collideNew(const sdShape* a, const sdShape* b, const sdTransform* xfAB, float margin,
                      sdManifold* out) {
    sdBoxFloats p;
    sdF4 squared;
    if (!setBoxes(&p, &squared, a, b, xfAB, margin)) {
        return sdBoxes_CollideFully(a, b, xfAB, margin, NULL, out);
    }
    if (areClearlyApart(&p)) {
        sdManifold_SetEmpty(out, SD_STATUS_EXACT, 1);
        return 0;
    }
    return collideNear(p.a, p.b, p.t, p.r.own, p.r.above, p.r.below, p.faceA, p.faceB, squared, a,
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
