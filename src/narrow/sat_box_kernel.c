// SPDX-License-Identifier: MIT
// sat_box_kernel.c - two boxes by their 15 separating axes, all at once.
//
// In:   half extents, B's pose in A's frame.
// Out:  the gap on every axis, or only whether all are closed. Never allocates.
// Ref:  Gottschalk, Lin, Manocha, "OBBTree", SIGGRAPH 1996; S4.
// Note: five groups of three axes, one vector of doubles each: the faces of A, the faces of B, and
//       edge k of A with the edges k, k + 1 and k + 2 of B. The rotation matrix is kept as its
//       three diagonals, which is how a quaternion gives it: all groups are made of these and their
//       rotations. Nothing branches, because which axis separates two boxes cannot be foreseen.

#include "narrow/sat_box.h"

/// Gaps are taken this fraction of the boxes' size and distance smaller than they are: more than
/// rounding can add to a gap on a cross product of parallel edges, which has no length. On an axis
/// of length s it costs 1e-15 / s of the size, and leaving the axis out costs s.
#define SLACK 1e-15
/// Keeps the quotient of an axis without length finite, squared.
#define NO_LENGTH 1e-300

/// Lanes y, z, x.
SD_INLINE sdD4 next(sdD4 a) {
    return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}

/// Lanes z, x, y.
SD_INLINE sdD4 previous(sdD4 a) {
    return __builtin_shufflevector(a, a, 2, 0, 1, 3);
}

SD_INLINE sdD4 vectorOf(sdVec3 v) {
    return (sdD4){(double)v.x, (double)v.y, (double)v.z, 0.0};
}

/// Two boxes; with r_ji the component i of axis j of B in A's frame, lane k of the diagonals is
/// r_kk, r_k,k+1 and r_k+1,k.
typedef struct Pair {
    sdD4 own, above, below;
    sdD4 a, b, t;
} Pair;

/// Unnormalised gaps.
typedef struct Groups {
    sdD4 faceA, faceB, cross[3];
    sdD4 squared[3]; ///< lengths of the cross products
} Groups;

SD_INLINE void setPair(Pair* pair, sdVec3 halfA, sdVec3 halfB, const sdTransform* xfAB) {
    sdD4 q = vectorOf(xfAB->q.v), square = q * q;
    double s = (double)xfAB->q.s;
    // a quaternion that is a little too long must not make B larger
    sdD4 n = sdD4_Splat(2.0 / (square[0] + square[1] + square[2] + s * s));
    sdD4 even = q * next(q), odd = sdD4_Splat(s) * previous(q);
    pair->own = sdD4_Splat(1.0) - n * (next(square) + previous(square));
    pair->above = n * (even + odd);
    pair->below = n * (even - odd);
    pair->a = vectorOf(halfA);
    pair->b = vectorOf(halfB);
    pair->t = vectorOf(xfAB->p);
}

SD_INLINE void setGroups(Groups* groups, const Pair* pair) {
    const sdD4 a = pair->a, b = pair->b, t = pair->t;
    const sdD4 own = pair->own, above = pair->above, below = pair->below;
    const sdD4 a1 = next(a), a2 = previous(a), b1 = next(b), b2 = previous(b);
    const sdD4 t1 = next(t), t2 = previous(t);
    const sdD4 own1 = next(own), own2 = previous(own), above1 = next(above), below1 = next(below);
    const sdD4 below2 = previous(below), reach2 = sdD4_Abs(previous(above));
    sdD4 sizes = a + b + sdD4_Abs(t);
    sdD4 slack = sdD4_Splat(SLACK * (sizes[0] + sizes[1] + sizes[2]));
    groups->faceA =
        sdD4_Abs(t) - a - (b * sdD4_Abs(own) + b2 * reach2 + b1 * sdD4_Abs(below)) - slack;
    groups->faceB = sdD4_Abs(t * own + t1 * above + t2 * below2) - b -
                    (a * sdD4_Abs(own) + a1 * sdD4_Abs(above) + a2 * sdD4_Abs(below2)) - slack;
    groups->cross[0] = sdD4_Abs(t2 * above - t1 * below2) -
                       (a1 * sdD4_Abs(below2) + a2 * sdD4_Abs(above)) -
                       (b1 * reach2 + b2 * sdD4_Abs(below)) - slack;
    groups->cross[1] = sdD4_Abs(t2 * own1 - t1 * above1) -
                       (a1 * sdD4_Abs(above1) + a2 * sdD4_Abs(own1)) -
                       (b2 * sdD4_Abs(own) + b * reach2) - slack;
    groups->cross[2] = sdD4_Abs(t2 * below1 - t1 * own2) -
                       (a1 * sdD4_Abs(own2) + a2 * sdD4_Abs(below1)) -
                       (b * sdD4_Abs(below) + b1 * sdD4_Abs(own)) - slack;
    groups->squared[0] = above * above + below2 * below2;
    groups->squared[1] = own1 * own1 + above1 * above1;
    groups->squared[2] = below1 * below1 + own2 * own2;
}

SD_INLINE void storePair(const Pair* pair, sdBoxPair* out) {
    for (int k = 0; k < 3; ++k) {
        out->r[k][k] = pair->own[k];
        out->r[k][(k + 1) % 3] = pair->above[k];
        out->r[(k + 1) % 3][k] = pair->below[k];
        out->a[k] = pair->a[k];
        out->b[k] = pair->b[k];
        out->t[k] = pair->t[k];
    }
}

/// Whether any of the first three lanes is negative, by the signs: a comparison of vectors that are
/// wider than the target's is taken apart by compilers.
SD_INLINE bool isAnyNegative(sdL4 signs) {
    return (signs[0] | signs[1] | signs[2]) < 0;
}

void SD_KERNEL(sdSatBox_Gaps)(sdVec3 halfA, sdVec3 halfB, const sdTransform* xfAB, double limit,
                              sdBoxPair* pair, sdBoxGaps* gaps) {
    Groups groups;
    Pair own;
    setPair(&own, halfA, halfB, xfAB);
    setGroups(&groups, &own);
    storePair(&own, pair);
    memcpy(gaps->faceA, &groups.faceA, sizeof groups.faceA);
    memcpy(gaps->faceB, &groups.faceB, sizeof groups.faceB);
    sdL4 above =
        (sdL4)(sdD4_Splat(limit) - groups.faceA) | (sdL4)(sdD4_Splat(limit) - groups.faceB);
    sdD4 limitSquared = sdD4_Splat(limit * limit);
    for (int i = 0; i < 3; ++i) {
        sdD4 square = groups.cross[i] * sdD4_Abs(groups.cross[i]) /
                      (groups.squared[i] + sdD4_Splat(NO_LENGTH));
        memcpy(gaps->cross[i], &square, sizeof square);
        above |= (sdL4)(limitSquared - square);
    }
    gaps->isApart = isAnyNegative(above);
}

bool SD_KERNEL(sdSatBox_AreOverlapping)(sdVec3 halfA, sdVec3 halfB, const sdTransform* xfAB) {
    Groups groups;
    Pair pair;
    setPair(&pair, halfA, halfB, xfAB);
    setGroups(&groups, &pair);
    // not by negation, which makes a negative zero of a gap of zero
    const sdD4 zero = sdD4_Splat(0.0);
    sdL4 above = (sdL4)(zero - groups.faceA) | (sdL4)(zero - groups.faceB) |
                 (sdL4)(zero - groups.cross[0]) | (sdL4)(zero - groups.cross[1]) |
                 (sdL4)(zero - groups.cross[2]);
    return !isAnyNegative(above);
}
