// SPDX-License-Identifier: MIT
// sat_box_kernel.c - two boxes by their 15 separating axes, all at once.
//
// In:   half extents, B's pose in A's frame.
// Out:  the gap on every axis, or only whether all are closed. Never allocates.
// Ref:  Gottschalk, Lin, Manocha, "OBBTree", SIGGRAPH 1996; S4.
// Note: five groups of three axes, one vector of doubles each: the faces of A, the faces of B, and
//       each edge direction of A with those of B. Nothing branches, because which axis separates
//       two boxes cannot be foreseen.

#include "narrow/sat_box.h"

/// Gaps are taken this fraction of the boxes' size and distance smaller than they are: more than
/// rounding can add to a gap on a cross product of parallel edges, which has no length. On an axis
/// of length s it costs 1e-15 / s of the size, and leaving the axis out costs s.
#define SLACK 1e-15
/// Keeps the quotient of an axis without length finite, squared.
#define NO_LENGTH 1e-300

typedef double D4 __attribute__((vector_size(32)));
typedef int64_t L4 __attribute__((vector_size(32)));

SD_INLINE D4 splat(double a) {
    return (D4){a, a, a, a};
}

SD_INLINE D4 absolute(D4 a) {
    const int64_t most = INT64_MAX;
    return (D4)((L4)a & (L4){most, most, most, most});
}

/// Unnormalised gaps.
typedef struct Groups {
    D4 faceA, faceB, cross[3];
    D4 squared[3]; ///< lengths of the cross products
} Groups;

SD_INLINE void setPair(sdBoxPair* pair, sdVec3 halfA, sdVec3 halfB, const sdTransform* xfAB) {
    double x = (double)xfAB->q.v.x, y = (double)xfAB->q.v.y, z = (double)xfAB->q.v.z;
    double s = (double)xfAB->q.s;
    // a quaternion that is a little too long must not make B larger
    double n = 2.0 / (x * x + y * y + z * z + s * s);
    pair->r[0][0] = 1.0 - n * (y * y + z * z);
    pair->r[0][1] = n * (x * y + s * z);
    pair->r[0][2] = n * (x * z - s * y);
    pair->r[1][0] = n * (x * y - s * z);
    pair->r[1][1] = 1.0 - n * (x * x + z * z);
    pair->r[1][2] = n * (y * z + s * x);
    pair->r[2][0] = n * (x * z + s * y);
    pair->r[2][1] = n * (y * z - s * x);
    pair->r[2][2] = 1.0 - n * (x * x + y * y);
    pair->a[0] = (double)halfA.x;
    pair->a[1] = (double)halfA.y;
    pair->a[2] = (double)halfA.z;
    pair->b[0] = (double)halfB.x;
    pair->b[1] = (double)halfB.y;
    pair->b[2] = (double)halfB.z;
    pair->t[0] = (double)xfAB->p.x;
    pair->t[1] = (double)xfAB->p.y;
    pair->t[2] = (double)xfAB->p.z;
}

/// Edge direction i of A with the three of B.
/// @param rows axis i, i + 1, i + 2 of A in B's frame
SD_INLINE void setCross(Groups* groups, const sdBoxPair* pair, const D4 rows[3], int i, D4 slack) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    const double *a = pair->a, *b = pair->b, *t = pair->t;
    const double m0 = fabs(pair->r[0][i]), m1 = fabs(pair->r[1][i]), m2 = fabs(pair->r[2][i]);
    D4 reachA = splat(a[i1]) * absolute(rows[i2]) + splat(a[i2]) * absolute(rows[i1]);
    D4 reachB = (D4){b[1], b[2], b[0], 0.0} * (D4){m2, m0, m1, 0.0} +
                (D4){b[2], b[0], b[1], 0.0} * (D4){m1, m2, m0, 0.0};
    D4 away = absolute(splat(t[i2]) * rows[i1] - splat(t[i1]) * rows[i2]);
    groups->cross[i] = away - reachA - reachB - slack;
    groups->squared[i] = rows[i1] * rows[i1] + rows[i2] * rows[i2];
}

SD_INLINE void setGroups(Groups* groups, const sdBoxPair* pair) {
    const double *a = pair->a, *b = pair->b, *t = pair->t;
    const D4 columns[3] = {{pair->r[0][0], pair->r[0][1], pair->r[0][2], 0.0},
                           {pair->r[1][0], pair->r[1][1], pair->r[1][2], 0.0},
                           {pair->r[2][0], pair->r[2][1], pair->r[2][2], 0.0}};
    const D4 rows[3] = {{pair->r[0][0], pair->r[1][0], pair->r[2][0], 0.0},
                        {pair->r[0][1], pair->r[1][1], pair->r[2][1], 0.0},
                        {pair->r[0][2], pair->r[1][2], pair->r[2][2], 0.0}};
    double size = a[0] + a[1] + a[2] + b[0] + b[1] + b[2];
    D4 slack = splat(SLACK * (size + fabs(t[0]) + fabs(t[1]) + fabs(t[2])));
    groups->faceA = absolute((D4){t[0], t[1], t[2], 0.0}) - (D4){a[0], a[1], a[2], 0.0} -
                    splat(b[0]) * absolute(columns[0]) - splat(b[1]) * absolute(columns[1]) -
                    splat(b[2]) * absolute(columns[2]) - slack;
    groups->faceB =
        absolute(splat(t[0]) * rows[0] + splat(t[1]) * rows[1] + splat(t[2]) * rows[2]) -
        (D4){b[0], b[1], b[2], 0.0} - splat(a[0]) * absolute(rows[0]) -
        splat(a[1]) * absolute(rows[1]) - splat(a[2]) * absolute(rows[2]) - slack;
    setCross(groups, pair, rows, 0, slack);
    setCross(groups, pair, rows, 1, slack);
    setCross(groups, pair, rows, 2, slack);
}

/// Whether any of the first three lanes is negative, by the signs: a comparison of vectors that are
/// wider than the target's is taken apart by compilers.
SD_INLINE bool isAnyNegative(L4 signs) {
    return (signs[0] | signs[1] | signs[2]) < 0;
}

void SD_KERNEL(sdSatBox_Gaps)(sdVec3 halfA, sdVec3 halfB, const sdTransform* xfAB, double limit,
                              sdBoxPair* pair, sdBoxGaps* gaps) {
    Groups groups;
    sdBoxPair own;
    setPair(&own, halfA, halfB, xfAB);
    setGroups(&groups, &own);
    *pair = own;
    memcpy(gaps->faceA, &groups.faceA, sizeof groups.faceA);
    memcpy(gaps->faceB, &groups.faceB, sizeof groups.faceB);
    L4 above = (L4)(splat(limit) - groups.faceA) | (L4)(splat(limit) - groups.faceB);
    D4 limitSquared = splat(limit * limit);
    for (int i = 0; i < 3; ++i) {
        D4 square =
            groups.cross[i] * absolute(groups.cross[i]) / (groups.squared[i] + splat(NO_LENGTH));
        memcpy(gaps->cross[i], &square, sizeof square);
        above |= (L4)(limitSquared - square);
    }
    gaps->isApart = isAnyNegative(above);
}

bool SD_KERNEL(sdSatBox_AreOverlapping)(sdVec3 halfA, sdVec3 halfB, const sdTransform* xfAB) {
    Groups groups;
    sdBoxPair pair;
    setPair(&pair, halfA, halfB, xfAB);
    setGroups(&groups, &pair);
    // not by negation, which makes a negative zero of a gap of zero
    const D4 zero = splat(0.0);
    L4 above = (L4)(zero - groups.faceA) | (L4)(zero - groups.faceB) |
               (L4)(zero - groups.cross[0]) | (L4)(zero - groups.cross[1]) |
               (L4)(zero - groups.cross[2]);
    return !isAnyNegative(above);
}
