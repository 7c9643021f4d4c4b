// SPDX-License-Identifier: MIT
// sat_box_quick_kernel.c - two boxes by their 15 separating axes in single precision, where that is
// enough.
//
// In:   half extents, B's pose in A's frame. Nothing needs to be valid.
// Out:  surely apart, surely overlapping, or not known. Never allocates.
// Ref:  Gottschalk, Lin, Manocha, "OBBTree", SIGGRAPH 1996; S4.
// Note: most pairs are clear. The rotation matrix is kept as its three diagonals, which is how a
//       quaternion gives it; all 15 axes are made of these diagonals and their rotations, three
//       axes at a time, and nothing branches before the end.

#include "narrow/sat_box.h"

/// Errors of a gap as a fraction of the boxes' sizes and distance: entries of the matrix are right
/// to 15 units in the last place of 1, products and sums add 7, and a unit is half of FLT_EPSILON.
#define ERROR (16.0f * FLT_EPSILON)
/// Products of smaller sizes lose digits, m.
#define LEAST_SIZE 1e-20f
/// Squares of lengths of quaternions differ from 1 by less: then 2 - |q|² is 1 / |q|² to 1e-8.
#define UNIT_TOLERANCE 1e-4f

/// Squares of lengths of quaternions and axes that were rounded to floats differ from 1 by less.
#define UNIT_ON_AXIS 1e-6f
/// Errors of a gap on such an axis: 2e-6 by the lengths, and rounding.
#define ERROR_ON_AXIS (40.0f * FLT_EPSILON)

SD_INLINE sdF4 splat(float a) {
    return (sdF4){a, a, a, a};
}

SD_INLINE sdF4 absolute(sdF4 a) {
    return (sdF4)((sdI4)a & (sdI4){INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX});
}

/// Of numbers that are not NaN.
SD_INLINE sdF4 greater(sdF4 a, sdF4 b) {
#if defined(__SSE2__)
    return (sdF4)_mm_max_ps((__m128)a, (__m128)b);
#else
    sdI4 isMore = a > b;
    return (sdF4)((isMore & (sdI4)a) | (~isMore & (sdI4)b));
#endif
}

/// Lanes y, z, x.
SD_INLINE sdF4 next(sdF4 a) {
    return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}

/// Lanes z, x, y.
SD_INLINE sdF4 previous(sdF4 a) {
    return __builtin_shufflevector(a, a, 2, 0, 1, 3);
}

/// The sum of the first three lanes, in each of them.
SD_INLINE sdF4 sumOf3(sdF4 a) {
    return a + next(a) + previous(a);
}

/// The sum of all lanes, in each of them.
SD_INLINE sdF4 sumOf4(sdF4 a) {
    sdF4 pairs = a + __builtin_shufflevector(a, a, 2, 3, 0, 1);
    return pairs + __builtin_shufflevector(pairs, pairs, 1, 0, 3, 2);
}

/// The fourth lane is whatever follows in the shape.
SD_INLINE sdF4 halfExtentsOf(const sdShape* shape) {
    sdF4 half;
    memcpy(&half, (const char*)shape + offsetof(sdShape, box), sizeof half);
    return half;
}

/// Bit i is set when lane i of the first three is negative, or true.
SD_INLINE unsigned bitsOf3(sdI4 signs) {
#if defined(__SSE2__)
    return (unsigned)_mm_movemask_ps((__m128)signs) & 7u;
#else
    return (unsigned)((signs[0] < 0) | (signs[1] < 0) << 1 | (signs[2] < 0) << 2);
#endif
}

/// Errors of gaps, in each of three lanes.
SD_INLINE sdF4 errorOf(sdF4 size) {
    return splat(ERROR) * size;
}

/// Sizes and distance, in each of three lanes.
SD_INLINE sdF4 sizeOf(sdF4 a, sdF4 b, sdF4 t) {
    return sumOf3(a + b + absolute(t));
}

/// Rotation of B in A's frame. With r_ji the component i of axis j of B, lane k of the diagonals is
/// r_kk, r_k,k+1 and r_k+1,k.
typedef struct Diagonals {
    sdF4 own, above, below;
} Diagonals;

/// @param squared length of q
SD_INLINE Diagonals diagonalsOf(sdF4 q, sdF4 squared) {
    sdF4 q2 = (splat(4.0f) - squared - squared) * q, next2 = next(q2), previous2 = previous(q2);
    sdF4 even = q2 * next(q), odd = __builtin_shufflevector(q, q, 3, 3, 3, 3) * previous2;
    return (Diagonals){splat(1.0f) - (next2 * next(q) + previous2 * previous(q)), even + odd,
                       even - odd};
}

/// The greater of two gaps in each of three lanes: faces of A and of B.
SD_INLINE sdF4 gapsOfFaces(Diagonals r, sdF4 a, sdF4 b, sdF4 t) {
    sdF4 own = absolute(r.own), above = absolute(r.above), below = absolute(r.below);
    sdF4 faceA = absolute(t) - a - (b * own + previous(b) * previous(above) + next(b) * below);
    sdF4 faceB = absolute(t * r.own + next(t) * r.above + previous(t) * previous(r.below)) - b -
                 (a * own + next(a) * above + previous(a) * previous(below));
    return greater(faceA, faceB);
}

/// The greatest of three gaps in each of three lanes: axis k of A with the axes k, k + 1 and k + 2
/// of B. They are not of unit axes, so they are smaller than they should be.
SD_INLINE sdF4 gapsOfEdges(Diagonals r, sdF4 a, sdF4 b, sdF4 t) {
    sdF4 a1 = next(a), a2 = previous(a), b1 = next(b), b2 = previous(b);
    sdF4 t1 = next(t), t2 = previous(t);
    sdF4 own = absolute(r.own), above = absolute(r.above), below = absolute(r.below);
    sdF4 above2 = previous(above);
    sdF4 cross0 = absolute(t2 * r.above - t1 * previous(r.below)) -
                  (a1 * previous(below) + a2 * above + b1 * above2 + b2 * below);
    sdF4 cross1 = absolute(t2 * next(r.own) - t1 * next(r.above)) -
                  (a1 * next(above) + a2 * next(own) + b2 * own + b * above2);
    sdF4 cross2 = absolute(t2 * next(r.below) - t1 * previous(r.own)) -
                  (a1 * previous(own) + a2 * next(below) + b * below + b1 * own);
    return greater(greater(cross0, cross1), cross2);
}

/// Boxes that no face parts. A function of its own, with all its arguments in registers, so that
/// those that one does part need not put anything aside.
/// @param faces gaps of the faces
/// @param most gaps above this part them
static __attribute__((noinline)) sdBoxVerdict askEdges(sdF4 a, sdF4 b, sdF4 t, sdF4 own, sdF4 above,
                                                       sdF4 below, sdF4 faces, sdF4 most) {
    sdF4 gaps = greater(gapsOfEdges((Diagonals){own, above, below}, a, b, t), faces);
    unsigned isApart = bitsOf3(gaps > most) != 0;
    unsigned isOverlapping = bitsOf3(gaps < -errorOf(sizeOf(a, b, t))) == 7u;
    // which it is cannot be foreseen, so nothing branches
    return (sdBoxVerdict)(isApart * SD_BOXES_APART + isOverlapping * SD_BOXES_OVERLAPPING);
}

sdBoxVerdict SD_KERNEL(sdSatBox_Quick)(const sdShape* shapeA, const sdShape* shapeB,
                                       const sdTransform* xfAB, float limit) {
    sdF4 a = halfExtentsOf(shapeA), b = halfExtentsOf(shapeB);
    sdF4 t = {xfAB->p.x, xfAB->p.y, xfAB->p.z, 0.0f}, q;
    memcpy(&q, &xfAB->q, sizeof q);
    sdF4 squared = sumOf4(q * q), size = sizeOf(a, b, t);
    // written so that NaN is refused
    sdI4 isClear = (absolute(squared - splat(1.0f)) < splat(UNIT_TOLERANCE)) &
                   (size >= splat(LEAST_SIZE)) & (size <= splat(SD_MAX_REACH));
    if (bitsOf3(isClear & ~((sdI4)a | (sdI4)b)) != 7u) {
        return SD_BOXES_UNSURE;
    }
    Diagonals r = diagonalsOf(q, squared);
    sdF4 faces = gapsOfFaces(r, a, b, t), most = splat(limit) + errorOf(size);
    // most boxes that are apart are so by a face
    if (bitsOf3(faces > most) != 0) {
        return SD_BOXES_APART;
    }
    return askEdges(a, b, t, r.own, r.above, r.below, faces, most);
}

bool SD_KERNEL(sdSatBox_IsApartOn)(const sdShape* shapeA, const sdShape* shapeB,
                                   const sdTransform* xfAB, float limit, sdVec3 axis) {
    sdF4 a = halfExtentsOf(shapeA), b = halfExtentsOf(shapeB);
    sdF4 t = {xfAB->p.x, xfAB->p.y, xfAB->p.z, 0.0f}, n = {axis.x, axis.y, axis.z, 0.0f}, q;
    memcpy(&q, &xfAB->q, sizeof q);
    sdF4 squared = sumOf4(q * q), length = sumOf4(n * n);
    // into B's frame: n + 2 s (n x u) + 2 (n x u) x u
    sdF4 q1 = next(q), q2 = previous(q), s = __builtin_shufflevector(q, q, 3, 3, 3, 3);
    sdF4 turn = next(n) * q2 - previous(n) * q1;
    sdF4 half = s * turn + (next(turn) * q2 - previous(turn) * q1), inB = n + half + half;
    // the gap less its error, in three parts
    sdF4 size = a + b + absolute(t);
    sdF4 gap = sumOf3(n * t - absolute(n) * a - absolute(inB) * b - splat(ERROR_ON_AXIS) * size);
    sdF4 one = splat(1.0f), unit = splat(UNIT_ON_AXIS);
    // written so that NaN is refused
    sdI4 isClear = (absolute(squared - one) < unit) & (absolute(length - one) < unit) &
                   (gap > splat(limit)) & (size < splat(0.1f * SD_MAX_REACH));
    return bitsOf3(isClear & ~((sdI4)a | (sdI4)b)) == 7u;
}
