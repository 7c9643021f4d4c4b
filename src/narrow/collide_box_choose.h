// SPDX-License-Identifier: MIT
// collide_box_choose.h - four of up to eight points that faces of boxes share, all at once.
//
// In:   the points, which of them there are.
// Out:  those that sdFlatPoints_Choose would choose, or nothing.
// Note: sdFlatPoints_Choose goes through the points again and again, and of those that are about as
//       good takes the first. Where none is just beyond being about as good, that is the first of
//       those within the tie of the best, whatever the order, and lanes have them all at once.
//       Where one is, which is rare, and where points must give way to others, it has to be asked.

#ifndef SD_NARROW_COLLIDE_BOX_CHOOSE_H
#define SD_NARROW_COLLIDE_BOX_CHOOSE_H

#include "narrow/collide_box_lanes.h"
#include "narrow/manifold.h"

/// A convex polygon of four sides cut by another has no more corners.
#define SD_BOX_MOST_POINTS 8

/// Keeps a product of ties on the safe side of rounding.
#define SD_BOX_TIE_ROUNDING 1e-12

/// Points in lanes; those that are missing repeat the first.
typedef struct sdBoxEight {
    sdD4 u[2], v[2], separation[2];
    unsigned at[SD_BOX_MOST_POINTS]; ///< their numbers in sdBoxPoints
    bool isUnclear;                  ///< the order in which they are looked at counts
} sdBoxEight;

SD_INLINE void sdBoxEight_Set(sdBoxEight* eight, const sdBoxPoints* points) {
    unsigned rest = points->bits, first = (unsigned)__builtin_ctz(rest);
    for (int i = 0; i < SD_BOX_MOST_POINTS; ++i) {
        eight->at[i] = rest != 0 ? (unsigned)__builtin_ctz(rest) : first;
        rest &= rest - 1;
    }
    for (int k = 0; k < 2; ++k) {
        const unsigned* at = eight->at + 4 * k;
        const double *u = points->u, *v = points->v, *s = points->separation;
        eight->u[k] = (sdD4){u[at[0]], u[at[1]], u[at[2]], u[at[3]]};
        eight->v[k] = (sdD4){v[at[0]], v[at[1]], v[at[2]], v[at[3]]};
        eight->separation[k] = (sdD4){s[at[0]], s[at[1]], s[at[2]], s[at[3]]};
    }
}

/// The greatest lane, in all lanes.
SD_INLINE sdD4 sdD4_SplatMax(sdD4 a) {
    sdD4 pairs = sdD4_Max(a, __builtin_shufflevector(a, a, 2, 3, 0, 1));
    return sdD4_Max(pairs, __builtin_shufflevector(pairs, pairs, 1, 0, 3, 2));
}

SD_INLINE unsigned sdD4_BitsOf2(sdL4 low, sdL4 high) {
    return (unsigned)sdL4_MaskBits(low) | (unsigned)sdL4_MaskBits(high) << 4;
}

/// The first point that is as deep as the deepest, but for the tie.
SD_INLINE unsigned sdBoxEight_Deepest(sdBoxEight* eight, double tie) {
    const sdD4 *s = eight->separation, by = sdD4_Splat(tie);
    sdD4 least = sdD4_SplatMin(sdD4_Min(s[0], s[1]));
    sdD4 twice = by + by + sdD4_Splat(SD_BOX_TIE_ROUNDING * tie);
    unsigned isLess = sdD4_BitsOf2(sdD4_Less(least, s[0] - by), sdD4_Less(least, s[1] - by));
    unsigned isMuch = sdD4_BitsOf2(sdD4_Less(least, s[0] - twice), sdD4_Less(least, s[1] - twice));
    eight->isUnclear |= isLess != isMuch;
    return (unsigned)__builtin_ctz(~isLess);
}

/// The first of the greatest numbers, one for each point, but for the tie.
SD_INLINE unsigned sdBoxEight_Greatest(sdBoxEight* eight, sdD4 low, sdD4 high) {
    const double tie = 1.0 + SD_MANIFOLD_TIE;
    const sdD4 by = sdD4_Splat(tie), twice = sdD4_Splat(tie * tie * (1.0 + SD_BOX_TIE_ROUNDING));
    sdD4 most = sdD4_SplatMax(sdD4_Max(low, high));
    unsigned isLess = sdD4_BitsOf2(sdD4_Less(low * by, most), sdD4_Less(high * by, most));
    unsigned isMuch = sdD4_BitsOf2(sdD4_Less(low * twice, most), sdD4_Less(high * twice, most));
    // none at all is for others, too
    eight->isUnclear |= (isLess != isMuch) | !(most[0] > 0.0);
    return (unsigned)__builtin_ctz(~isLess);
}

/// Twice the areas of triangles of two points and each of the others.
SD_INLINE void sdBoxEight_Areas(const sdBoxEight* eight, sdD4 u, sdD4 v, sdD4 u2, sdD4 v2,
                                sdD4 out[2]) {
    for (int k = 0; k < 2; ++k) {
        out[k] = (u2 - u) * (eight->v[k] - v) - (v2 - v) * (eight->u[k] - u);
    }
}

/// Whether two points are as good as one.
/// @param count of those that are there
SD_INLINE bool sdBoxEight_IsAnyNear(const sdBoxEight* eight, int count, double merge) {
    static const double away[SD_BOX_MOST_POINTS + 4] = {0.0, 0.0, 0.0,   0.0,   0.0,   0.0,
                                                        0.0, 0.0, 1e100, 2e100, 3e100, 4e100};
    // those that are missing are elsewhere
    const double* from = away + SD_BOX_MOST_POINTS - count;
    sdD4 u0 = eight->u[0] + sdD4_Load(from), u1 = eight->u[1] + sdD4_Load(from + 4);
    sdD4 v0 = eight->v[0], v1 = eight->v[1];
    sdD4 least = sdD4_Splat(DBL_MAX);
#define SD_BOX_COMPARE(a, b, c, d)                                                                 \
    {                                                                                              \
        sdD4 du = u0 - __builtin_shufflevector(u0, u1, a, b, c, d);                                \
        sdD4 dv = v0 - __builtin_shufflevector(v0, v1, a, b, c, d);                                \
        sdD4 eu = u1 - __builtin_shufflevector(u1, u0, a, b, c, d);                                \
        sdD4 ev = v1 - __builtin_shufflevector(v1, v0, a, b, c, d);                                \
        least = sdD4_Min(least, sdD4_Min(du * du + dv * dv, eu * eu + ev * ev));                   \
    }
    SD_BOX_COMPARE(1, 2, 3, 4)
    SD_BOX_COMPARE(2, 3, 4, 5)
    SD_BOX_COMPARE(3, 4, 5, 6)
    SD_BOX_COMPARE(4, 5, 6, 7)
#undef SD_BOX_COMPARE
    return sdL4_MaskBits(sdD4_Less(sdD4_Splat(merge * merge), least)) != 15;
}

/// Choose four of five to eight points.
/// @param size of the smaller box
/// @return their bits; 0 where it does not tell
SD_INLINE unsigned sdBoxPoints_ChooseFour(const sdBoxPoints* points, int count, double size) {
    sdBoxEight eight;
    sdBoxEight_Set(&eight, points);
    // points that are open, or as good as one, are for others
    sdD4 open = sdD4_Splat(SD_MANIFOLD_OPEN * size);
    sdD4 furthest = sdD4_Max(eight.separation[0], eight.separation[1]);
    bool isNear = sdBoxEight_IsAnyNear(&eight, count, SD_MANIFOLD_MERGE * size);
    eight.isUnclear = isNear | (sdL4_MaskBits(sdD4_Less(furthest, open)) != 15);
    unsigned deepest = sdBoxEight_Deepest(&eight, SD_MANIFOLD_DEEPEST * size);
    unsigned i = sdBoxEight_Deepest(&eight, SD_MANIFOLD_ROCKING * size), at = eight.at[i];
    sdD4 ui = sdD4_Splat(points->u[at]), vi = sdD4_Splat(points->v[at]), areas[2];
    for (int k = 0; k < 2; ++k) {
        sdD4 du = eight.u[k] - ui, dv = eight.v[k] - vi;
        areas[k] = du * du + dv * dv;
    }
    unsigned bits = 1u << at;
    at = eight.at[sdBoxEight_Greatest(&eight, areas[0], areas[1])];
    bits |= 1u << at;
    sdD4 uj = sdD4_Splat(points->u[at]), vj = sdD4_Splat(points->v[at]), first[2], second[2];
    sdBoxEight_Areas(&eight, ui, vi, uj, vj, first);
    at = eight.at[sdBoxEight_Greatest(&eight, sdD4_Abs(first[0]), sdD4_Abs(first[1]))];
    bits |= 1u << at;
    sdD4 uk = sdD4_Splat(points->u[at]), vk = sdD4_Splat(points->v[at]), third[2];
    sdBoxEight_Areas(&eight, uj, vj, uk, vk, second);
    sdBoxEight_Areas(&eight, uk, vk, ui, vi, third);
    // outside of the triangle is on the other side than its corners
    sdD4 turn = sdD4_Splat(0.0) - ((uj - ui) * (vk - vi) - (vj - vi) * (uk - ui));
    for (int k = 0; k < 2; ++k) {
        areas[k] = sdD4_Max(sdD4_Max(sdD4_Turn(first[k], turn), sdD4_Turn(second[k], turn)),
                            sdD4_Turn(third[k], turn));
    }
    at = eight.at[sdBoxEight_Greatest(&eight, areas[0], areas[1])];
    bits |= 1u << at;
    // if the deepest is not there, one as deep is, or it has to take the place of another
    bool hasDeepest = (bits >> eight.at[deepest] & 1u) != 0;
    return (hasDeepest & !eight.isUnclear) ? bits : 0u;
}

/// Up to four of more points, or of some that are as good as one.
/// @param at gets those that are left, whose places may change
/// @param size of the smaller box
/// @param cache may be NULL
/// @return how many they are
SD_DECLARE_KERNEL(int, sdBoxPoints_Choose,
                  (sdBoxPoints * points, unsigned at[4], double size, sdPairCache* cache));

#endif
