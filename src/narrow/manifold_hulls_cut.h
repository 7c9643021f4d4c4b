// SPDX-License-Identifier: MIT
// manifold_hulls_cut.h - what two faces of three or four sides have in common, as seen along the
// normal.
//
// In:   a face of each hull, in A's frame.
// Out:  the corners of B's face that lie inside of A's, and where sides cross.
// Ref:  Sutherland, Hodgman, "Reentrant polygon clipping", CACM 1974.
// Note: corners of a face are lanes, and those of what is left of a face stay where they are: what
//       changes with every cut is a word that has their numbers in order.

#ifndef SD_NARROW_MANIFOLD_HULLS_CUT_H
#define SD_NARROW_MANIFOLD_HULLS_CUT_H

#include "narrow/manifold_hulls.h"

/// Corners of B, and two for each side of A.
#define MAX_CORNERS (3 * SD_HULLS_MAX_SIDES)

typedef struct Vec3x4 {
    sdD4 x, y, z;
} Vec3x4;

/// A face in A's frame.
typedef struct Face {
    int count;        ///< of sides
    int first;        ///< half-edge
    const char* data; ///< see setFace
    sdVec3d normal;
    Vec3x4 corners; ///< where there are three, the first is there again
} Face;

// Without wide registers compilers make vectors of single numbers in memory, and wait for them when
// they read them by halves; with them, they make those of halves in memory, and wait, too.

SD_INLINE sdD4 splat(double a) {
#if defined(__AVX2__)
    return sdD4_Splat(a);
#else
    sdD4Halves r = {.half = {{a, a}, {a, a}}};
    return r.whole;
#endif
}

SD_INLINE sdD4 join(sdD2 low, sdD2 high) {
#if defined(__AVX2__)
    return __builtin_shufflevector(low, high, 0, 1, 2, 3);
#else
    sdD4Halves r = {.half = {low, high}};
    return r.whole;
#endif
}

/// Lanes 1, 2, 3, 0.
SD_INLINE sdD4 nextOf(sdD4 a) {
#if defined(__AVX2__)
    return __builtin_shufflevector(a, a, 1, 2, 3, 0);
#else
    sdD4Halves u = {.whole = a}, r;
    r.half[0] = __builtin_shufflevector(u.half[0], u.half[1], 1, 2);
    r.half[1] = __builtin_shufflevector(u.half[1], u.half[0], 1, 2);
    return r.whole;
#endif
}

/// Lanes last, 0, 1, 2.
SD_INLINE sdD4 previousOf(sdD4 a, bool isLast3) {
#if defined(__AVX2__)
    sdD4 three = __builtin_shufflevector(a, a, 2, 0, 1, 2);
    return isLast3 ? __builtin_shufflevector(a, a, 3, 0, 1, 2) : three;
#else
    sdD4Halves u = {.whole = a}, r;
    double last = isLast3 ? u.half[1][1] : u.half[1][0];
    r.half[0] = (sdD2){last, u.half[0][0]};
    r.half[1] = __builtin_shufflevector(u.half[0], u.half[1], 1, 2);
    return r.whole;
#endif
}

SD_INLINE sdD4 dot(sdVec3d a, const Vec3x4* b) {
    return splat(a.x) * b->x + splat(a.y) * b->y + splat(a.z) * b->z;
}

/// @param data an sdHullCorners, or a copy in a cache
SD_INLINE void setFace(Face* out, const char* data, int first, int count) {
    sdF4 x, y, z;
    sdVec3 normal;
    memcpy(&x, data + offsetof(sdHullCorners, x), sizeof x);
    memcpy(&y, data + offsetof(sdHullCorners, y), sizeof y);
    memcpy(&z, data + offsetof(sdHullCorners, z), sizeof z);
    memcpy(&normal, data + offsetof(sdHullCorners, plane), sizeof normal);
    out->data = data;
    out->corners = (Vec3x4){sdD4_FromFloats(x), sdD4_FromFloats(y), sdD4_FromFloats(z)};
    out->normal = sdVec3d_From(normal);
    out->count = count;
    out->first = first;
}

/// Of B, into A's frame.
SD_INLINE void placeFace(Face* face, const sdPose* pose) {
    Vec3x4 p = face->corners;
    sdVec3d i = pose->columns[0], j = pose->columns[1], k = pose->columns[2];
    face->corners.x =
        splat(pose->offset.x) + (p.x * splat(i.x) + p.y * splat(j.x) + p.z * splat(k.x));
    face->corners.y =
        splat(pose->offset.y) + (p.x * splat(i.y) + p.y * splat(j.y) + p.z * splat(k.y));
    face->corners.z =
        splat(pose->offset.z) + (p.x * splat(i.z) + p.y * splat(j.z) + p.z * splat(k.z));
    face->normal = sdPose_Rotate(pose, face->normal);
}

// ---- what they have in common --------------------------------------------------------------

/// The sides of A as seen along the normal; the fourth of a triangle has no length.
typedef struct Sides {
    sdD4 u, v, du, dv;
    sdD4 slack; ///< corners that stick out by no more are inside
    sdD4 least; ///< those that stick out by no more are so with any slack
    int first;  ///< half-edge
} Sides;

/// Corners as seen along the normal, by their numbers: those of B, then those that cuts have made.
typedef struct Corners {
    sdD2 places[MAX_CORNERS];                        ///< u and v
    uint32_t ids[MAX_CORNERS];                       ///< see sdManifold_Id
    double heights[MAX_CORNERS][SD_HULLS_MAX_SIDES]; ///< over the sides of A; inside at most 0
} Corners;

/// Which of them are left. Nobody has its address for long, so that it is in registers.
typedef struct Left {
    uint64_t places; ///< for each that is left, in order: four bits of its number, four of sides
                     ///< that it is outside of
    int bits;        ///< of places that are taken; those beyond are 0
    int start;       ///< the place that comes first of all
    sdL4 isOnRim;    ///< of some the slack has decided
} Left;

SD_INLINE void setSides(Sides* sides, const Face* face, const sdVec3d across[2], double tolerance) {
    sdD4 u = dot(across[0], &face->corners), v = dot(across[1], &face->corners);
    sides->u = u;
    sides->v = v;
    sides->du = nextOf(u) - u;
    sides->dv = nextOf(v) - v;
    // between the length and 1.5 times that; a side without length cuts nothing
    sides->slack = splat(tolerance) * (sdD4_Abs(sides->du) + sdD4_Abs(sides->dv));
    sides->least = splat(0.5 * SD_MANIFOLD_LEAST_RIM) * sides->slack;
    sides->first = face->first;
}

/// The slack that sharp corners leave, see manifold_points.c.
/// @return false when there are none
SD_INLINE bool sharpenSides(Sides* sides, double tolerance, bool isQuad) {
    sdD4 lengths = sdD4_Abs(sides->du) + sdD4_Abs(sides->dv);
    sdD4 u = previousOf(sides->du, isQuad), v = previousOf(sides->dv, isQuad);
    sdD4 turn = splat(2.0) * (u * sides->dv - v * sides->du);
    sdD4 along = u * sides->du + v * sides->dv;
    // where a side has no length, nothing is along it
    sdD4 sine = sdD4_Select(sdD4_Less(along, splat(0.0)),
                            turn / (previousOf(lengths, isQuad) * lengths), splat(1.0));
    double least = sdD4_ReduceMin(sine);
    if (!(least < 1.0)) {
        return false;
    }
    least = least > SD_MANIFOLD_LEAST_RIM ? least : SD_MANIFOLD_LEAST_RIM;
    sides->slack = splat(tolerance * least) * lengths;
    return true;
}

/// @return what is in its place, see Left
SD_INLINE uint64_t setCorner(Corners* corners, const Sides* sides, int at, sdD2 place, uint32_t id,
                             Left* left) {
    sdD4 heights =
        (splat(place[0]) - sides->u) * sides->dv - (splat(place[1]) - sides->v) * sides->du;
    sdL4 isOut = sdD4_Less(sides->slack, heights);
    left->isOnRim |= sdD4_Less(sides->least, heights) & ~isOut;
    corners->places[at] = place;
    corners->ids[at] = id;
    sdD4_Store(corners->heights[at], sdD4_Select(isOut, heights, sdD4_Min(heights, splat(0.0))));
    return (uint64_t)(at | (sdL4_MaskBits(isOut) << 4));
}

/// Where a side of B crosses one of A.
/// @param from, to the corners that it joins
/// @param heightFrom, heightTo of them over that side; one of them is outside
SD_INLINE sdD2 crossingOf(sdD2 from, sdD2 to, double heightFrom, double heightTo) {
    double t = heightFrom / (heightFrom - heightTo);
    return from + (sdD2){t, t} * (to - from);
}

/// The number of the corner at a place.
SD_INLINE int numberAt(uint64_t places, int place) {
    return (int)(places >> place) & 15;
}

/// Those before a place.
SD_INLINE uint64_t placesBelow(uint64_t places, int end) {
    return places & ((UINT64_C(1) << end) - 1);
}

/// What is at a place comes first.
/// @param end of all places
SD_INLINE uint64_t turn(uint64_t places, int place, int end) {
    // those before it may be none, and a word is not shifted by all its bits
    return places >> place | placesBelow(places, place) << ((end - place) & 63);
}

/// Keep what is left of a side. Places are counted in bits here.
/// @return false when the polygon is bent
SD_INLINE bool cutBySide(Corners* corners, const Sides* sides, int side, Left* left) {
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t places = left->places;
    int end = left->bits, highest = end - 8;
    uint64_t all = placesBelow(ones, end), outside = (places >> (4 + side)) & all;
    if (outside == 0 || outside == all) {
        left->bits = outside == 0 ? end : 0;
        return true;
    }
    uint64_t firsts = outside & ~((outside << 8) | (outside >> highest));
    if ((firsts & (firsts - 1)) != 0) {
        return false;
    }
    // turned so that those that go come first; j is the one behind them and i the last
    int first = __builtin_ctzll(firsts), gone = 8 * (int)((outside * ones) >> 56);
    places = turn(places, first, end);
    int atFirst = numberAt(places, 0), atLast = numberAt(places, gone - 8);
    int atJ = numberAt(places, gone), atI = numberAt(places, highest);
    int leaving = SD_HULLS_MAX_SIDES + 2 * side, label = ~(sides->first + side);
    double heightI = corners->heights[atI][side], heightFirst = corners->heights[atFirst][side];
    double heightLast = corners->heights[atLast][side], heightJ = corners->heights[atJ][side];
    sdD2 leavingAt =
        crossingOf(corners->places[atI], corners->places[atFirst], heightI, heightFirst);
    sdD2 comingAt = crossingOf(corners->places[atLast], corners->places[atJ], heightLast, heightJ);
    // the side of B that a corner ends is the lower half of its name
    uint32_t leavingId = sdManifold_Id((int32_t)corners->ids[atI], label);
    uint32_t comingId = sdManifold_Id(label, (int32_t)corners->ids[atLast]);
    uint64_t leave = setCorner(corners, sides, leaving, leavingAt, leavingId, left);
    uint64_t come = setCorner(corners, sides, leaving + 1, comingAt, comingId, left);
    // a corner on the side is where they cross
    bool isLeaving = heightI * heightFirst < 0.0, isComing = heightLast * heightJ < 0.0;
    int leavingBits = isLeaving ? 8 : 0, comingBits = isComing ? 8 : 0;
    int keptBits = end - gone, coming = keptBits + leavingBits;
    left->places =
        places >> gone | (isLeaving ? leave : 0) << keptBits | (isComing ? come : 0) << coming;
    left->bits = coming + comingBits;
    // where the first of all goes, what is left begins where B's side comes in
    int start = left->start - first;
    start += start < 0 ? end : 0;
    int begin = isComing ? coming : 0;
    left->start = start < gone ? begin : start - gone;
    return true;
}

/// The part of B's face that lies inside of A's sides.
/// @return false when rounding has bent it
SD_INLINE bool cutBySides(Corners* corners, const Sides* sides, const Face* b,
                          const sdVec3d across[2], Left* left) {
    sdD4 u = dot(across[0], &b->corners), v = dot(across[1], &b->corners);
    int first = b->first;
    left->isOnRim = (sdL4){0};
    uint64_t places = setCorner(corners, sides, 0, (sdD2){u[0], v[0]},
                                sdManifold_Id(first + b->count - 1, first), left);
    for (int i = 1; i < 3; ++i) {
        uint32_t id = sdManifold_Id(first + i - 1, first + i);
        places |= setCorner(corners, sides, i, (sdD2){u[i], v[i]}, id, left) << (8 * i);
    }
    if (b->count > 3) {
        uint32_t id = sdManifold_Id(first + 2, first + 3);
        places |= setCorner(corners, sides, 3, (sdD2){u[3], v[3]}, id, left) << 24;
    }
    left->places = places;
    left->bits = 8 * b->count;
    left->start = 0;
    // what a cut has made is outside of no side that all corners were inside of
    unsigned cutting =
        (unsigned)((places >> 4) | (places >> 12) | (places >> 20) | (places >> 28)) & 15;
    for (; cutting != 0; cutting &= cutting - 1) {
        if (!cutBySide(corners, sides, __builtin_ctz(cutting), left)) {
            return false;
        }
    }
    left->places = turn(left->places, left->start, left->bits);
    return true;
}

/// The same where something is on the rim of a face with sharp corners.
SD_NOINLINE bool intersectSharp(const Face* a, const Face* b, const sdVec3d across[2],
                                double tolerance, Corners* corners, Left* left) {
    Sides sides;
    setSides(&sides, a, across, tolerance);
    return !sharpenSides(&sides, tolerance, a->count > 3) ||
           cutBySides(corners, &sides, b, across, left);
}

/// The part of B's face that lies inside of A's. How sharp that is, few have to know.
/// @return false when rounding has bent it
SD_INLINE bool intersect(const Face* a, const Face* b, const sdVec3d across[2], double tolerance,
                         Corners* corners, Left* left) {
    Sides sides;
    setSides(&sides, a, across, tolerance);
    if (!cutBySides(corners, &sides, b, across, left)) {
        return false;
    }
    if (sdL4_MaskBits(left->isOnRim) == 0) {
        return true;
    }
    Left sharp = *left;
    bool isWhole = intersectSharp(a, b, across, tolerance, corners, &sharp);
    *left = sharp;
    return isWhole;
}

#endif
