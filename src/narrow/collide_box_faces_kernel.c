// SPDX-License-Identifier: MIT
// collide_box_faces_kernel.c - what faces of two boxes have in common.
//
// In:   a rectangle and a parallelogram in its plane.
// Out:  corners of each inside of the other, and crossings of their sides, each with a name that
//       lasts. Never allocates.
// Ref:  Liang, Barsky, "A new concept and method for line clipping", ACM TOG 1984.
// Note: four sides, one vector. Which of the sixteen points there are cannot be foreseen, so all
//       are computed and those that count are kept.

#include "narrow/collide_box_faces.h"

/// Lengths below this stand for none.
#define NO_LENGTH 1e-200

typedef double D2 __attribute__((vector_size(16)));
typedef double D4 __attribute__((vector_size(32)));
typedef int64_t L4 __attribute__((vector_size(32)));

typedef union Halves {
    D4 whole;
    D2 half[2];
} Halves;

SD_INLINE D4 splat(double a) {
    return (D4){a, a, a, a};
}

SD_INLINE D4 absolute(D4 a) {
    const int64_t most = INT64_MAX;
    return (D4)((L4)a & (L4){most, most, most, most});
}

/// The magnitude of a, the sign of b.
SD_INLINE D4 withSign(D4 a, D4 b) {
    const int64_t sign = INT64_MIN;
    return (D4)((L4)a | ((L4)b & (L4){sign, sign, sign, sign}));
}

/// a < b, by halves where vectors are that wide: whole ones are taken apart lane by lane.
SD_INLINE L4 isLess(D4 a, D4 b) {
#if defined(__AVX2__)
    return a < b;
#else
    Halves x = {.whole = a}, y = {.whole = b}, r;
    r.half[0] = (D2)(x.half[0] < y.half[0]);
    r.half[1] = (D2)(x.half[1] < y.half[1]);
    return (L4)r.whole;
#endif
}

SD_INLINE D4 choose(L4 mask, D4 a, D4 b) {
#if defined(__AVX2__)
    return (D4)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
#else
    return (D4)((mask & (L4)a) | (~mask & (L4)b));
#endif
}

/// Bit i is set when lane i of the mask is true.
SD_INLINE unsigned bitsOf(L4 mask) {
#if defined(__AVX2__)
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
#else
    return (unsigned)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
#endif
}

/// Lanes 1, 2, 3, 0.
SD_INLINE D4 turned(D4 a) {
    return __builtin_shufflevector(a, a, 1, 2, 3, 0);
}

/// Four points, as many of them as count.
typedef struct Group {
    D4 u, v, separation;
    unsigned bits;
} Group;

/// What a side crosses at a fraction of its length.
SD_INLINE Group pointsAt(const Group* from, const D4 run[3], D4 t, L4 isThere) {
    Group g = {from->u + t * run[0], from->v + t * run[1], from->separation + t * run[2], 0};
    g.bits = bitsOf(isThere & isLess(splat(0.0), t) & isLess(t, splat(1.0)));
    return g;
}

typedef struct Crossings {
    Group in, out;
    unsigned isInByU, isOutByU;
    unsigned isBackU, isBackV; ///< the side runs against u, v
} Crossings;

/// Where the sides of B cross those of A's rectangle: fractions at which they come in and leave,
/// between each two opposite sides.
SD_INLINE void findCrossings(Crossings* out, const sdBoxFaces* f, const Group* corners, L4 isOut) {
    D4 run[3] = {turned(corners->u) - corners->u, turned(corners->v) - corners->v,
                 turned(corners->separation) - corners->separation};
    D4 lengthU = absolute(run[0]), lengthV = absolute(run[1]), none = splat(NO_LENGTH);
    D4 slopeU = splat(1.0) / choose(isLess(lengthU, none), none, lengthU);
    D4 slopeV = splat(1.0) / choose(isLess(lengthV, none), none, lengthV);
    D4 middleU = -corners->u * withSign(slopeU, run[0]), reachU = splat(f->halfU) * slopeU;
    D4 middleV = -corners->v * withSign(slopeV, run[1]), reachV = splat(f->halfV) * slopeV;
    L4 isInByU = isLess(middleV - reachV, middleU - reachU);
    L4 isOutByU = isLess(middleU + reachU, middleV + reachV);
    D4 in = choose(isInByU, middleU - reachU, middleV - reachV);
    D4 leave = choose(isOutByU, middleU + reachU, middleV + reachV);
    L4 isMet = ~isLess(leave, in), isNextOut = (L4)turned((D4)isOut);
    out->in = pointsAt(corners, run, in, isMet & isOut);
    out->out = pointsAt(corners, run, leave, isMet & isNextOut);
    out->isInByU = bitsOf(isInByU);
    out->isOutByU = bitsOf(isOutByU);
    out->isBackU = bitsOf(isLess(run[0], splat(0.0)));
    out->isBackV = bitsOf(isLess(run[1], splat(0.0)));
}

/// Corners of A's rectangle inside of B's parallelogram.
SD_INLINE Group cornersOfA(const sdBoxFaces* f, D4 turnU, D4 turnV, double rim) {
    double area = f->u[0] * f->v[1] - f->u[1] * f->v[0];
    double lengthU = fabs(f->u[0]) + fabs(f->u[1]), lengthV = fabs(f->v[0]) + fabs(f->v[1]);
    D4 u = turnU * splat(f->halfU), v = turnV * splat(f->halfV);
    D4 du = u - splat(f->middle[0]), dv = v - splat(f->middle[1]);
    // times the area
    D4 s = du * splat(f->v[1]) - dv * splat(f->v[0]), t = splat(f->u[0]) * dv - splat(f->u[1]) * du;
    // a rim of this width is as wide as that times the length of the other half side
    double reach = fabs(area);
    L4 isOut = isLess(splat(reach + rim * lengthV), absolute(s)) |
               isLess(splat(reach + rim * lengthU), absolute(t));
    D4 scale = splat(1.0 / area);
    return (Group){u, v, splat(f->middle[2]) + scale * (s * splat(f->u[2]) + t * splat(f->v[2])),
                   bitsOf(~isOut)};
}

/// Keep the points of a group that count.
/// @param ids of all four
SD_INLINE int keep(sdFlatPoint* points, int count, const Group* g, double least, double limit,
                   const uint32_t ids[4]) {
    double u[4], v[4], separation[4];
    memcpy(u, &g->u, sizeof u);
    memcpy(v, &g->v, sizeof v);
    memcpy(separation, &g->separation, sizeof separation);
    L4 isUnwanted = isLess(g->separation, splat(least)) | isLess(splat(limit), g->separation);
    unsigned bits = g->bits & ~bitsOf(isUnwanted);
    for (int k = 0; k < 4; ++k) {
        points[count] = (sdFlatPoint){u[k], v[k], separation[k], ids[k]};
        count += (int)(bits >> k) & 1;
    }
    return count;
}

/// The side of A that the side k of B crosses: 0 at +v, 1 at -u, 2 at -v, 3 at +u.
/// @param isIn it comes in there
SD_INLINE int crossedSide(const Crossings* c, int k, bool isIn) {
    unsigned isByU = (isIn ? c->isInByU : c->isOutByU) >> k & 1u;
    unsigned back = (isByU != 0 ? c->isBackU : c->isBackV) >> k & 1u;
    // coming in against u is at +u, leaving so at -u; the same for v
    unsigned isPlus = isIn ? back : 1u - back;
    return (int)(isByU != 0 ? (isPlus != 0 ? 3u : 1u) : (isPlus != 0 ? 0u : 2u));
}

int SD_KERNEL(sdBoxFaces_Intersect)(const sdBoxFaces* f, double rim, double least, double limit,
                                    sdFlatPoint points[SD_BOX_MAX_POINTS]) {
    const D4 turnU = {1.0, -1.0, -1.0, 1.0}, turnV = {1.0, 1.0, -1.0, -1.0};
    Group corners = {
        splat(f->middle[0]) + turnU * splat(f->u[0]) + turnV * splat(f->v[0]),
        splat(f->middle[1]) + turnU * splat(f->u[1]) + turnV * splat(f->v[1]),
        splat(f->middle[2]) + turnU * splat(f->u[2]) + turnV * splat(f->v[2]),
        0,
    };
    L4 isOut = isLess(splat(f->halfU + rim), absolute(corners.u)) |
               isLess(splat(f->halfV + rim), absolute(corners.v));
    corners.bits = bitsOf(~isOut);
    uint32_t ids[4];
    for (int k = 0; k < 4; ++k) {
        ids[k] = sdManifold_Id(f->labelB + ((k + 3) & 3), f->labelB + k);
    }
    int count = keep(points, 0, &corners, least, limit, ids);
    if (corners.bits == 0xFu) {
        return count;
    }
    Crossings crossings;
    findCrossings(&crossings, f, &corners, isOut);
    for (int k = 0; k < 4; ++k) {
        ids[k] = sdManifold_Id(~(f->labelA + crossedSide(&crossings, k, true)), f->labelB + k);
    }
    count = keep(points, count, &crossings.in, least, limit, ids);
    for (int k = 0; k < 4; ++k) {
        ids[k] = sdManifold_Id(f->labelB + k, ~(f->labelA + crossedSide(&crossings, k, false)));
    }
    count = keep(points, count, &crossings.out, least, limit, ids);
    Group own = cornersOfA(f, turnU, turnV, rim);
    for (int k = 0; k < 4; ++k) {
        ids[k] = sdManifold_Id(~(f->labelA + k), ~(f->labelA + ((k + 3) & 3)));
    }
    return keep(points, count, &own, least, limit, ids);
}
