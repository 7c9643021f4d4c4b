// SPDX-License-Identifier: MIT
// gjk.h - what the GJK loop gives to distance, overlap, EPA and casts.

#ifndef SD_NARROW_GJK_H
#define SD_NARROW_GJK_H

#include "narrow/convex.h"
#include "narrow/pair.h"

/// Iterations after which GJK returns the best bound so far. Polytopes need 4 to 12, smooth shapes
/// up to 40.
#define SD_GJK_MAX_ITERATIONS 100

typedef struct sdGjkOutput {
    sdSimplex simplex;  ///< whose nearest point to the origin is v, or which contains the origin
    sdVec3d v;          ///< nearest point of A - B (cores only) to the origin; points from B to A
    double distance;    ///< |v|; 0 when the cores touch or overlap
    double lowerBound;  ///< the cores' distance is at least this
    bool isOverlapping; ///< the cores touch or overlap
    int iterations;
    sdStatus status;
} sdGjkOutput;

/// @param output its simplex may hold points of an earlier query; count 0 for none
/// @param start first search direction, from A towards B; used when the simplex is empty
/// @param stopAbove stop as soon as the distance of the cores is proved to be greater
/// @param middle of a ball in A - B, used when the simplex is empty: the first support point and it
/// may tell at once that the cores overlap
/// @param inner radius of that ball; 0: do not try, as EPA wants vertices for a start
SD_DECLARE_KERNEL(void, sdGjk_Run,
                  (const sdConvexPair* pair, const sdVec3d* start, double stopAbove,
                   const sdVec3d* middle, double inner, sdGjkOutput* output));

/// Whether one support point tells that the cores are further apart than a limit.
/// @param axis from A towards B, any length
/// @param output when they are: that point, with a distance that is proved, not the exact one
SD_DECLARE_KERNEL(bool, sdGjk_RunApart,
                  (const sdConvexPair* pair, const sdVec3d* axis, double limit,
                   sdGjkOutput* output));

/// Whether the bodies overlap. One support point often tells; else it and the middle of a ball that
/// is in A - B are a good start.
/// @param axis first search direction, from A towards B
/// @param nearest vertices of hulls that are not apart on that axis, and face each other there;
/// SD_NULL_INDEX: not known
/// @param inner radius of the ball, with the rounding radii of the bodies
/// @param isVerdict nobody will ask for the simplex
/// @param output its simplex may hold points of an earlier query; v is across a plane between
/// bodies that are apart, distance and bound are of no use
SD_DECLARE_KERNEL(bool, sdGjk_RunOverlap,
                  (const sdConvexPair* pair, const sdVec3d* axis, const int nearest[2],
                   const sdVec3d* middle, double inner, bool isVerdict, sdGjkOutput* output));

/// The same of hulls, from four points of A - B around the way from one to the other.
/// @param start vertices of A and of B that make them
/// @param output its simplex is of no use
SD_DECLARE_KERNEL(bool, sdGjk_RunFour,
                  (const sdConvexPair* pair, const int start[4][2], sdGjkOutput* output));

/// The origin is in the cone between a point and a ball, beyond the ball's middle. With e the
/// origin and u the point, seen from that middle, the sine of the cone's half angle is r / |u|.
SD_INLINE bool sdGjk_IsInCone(sdVec3d middle, double radius, sdVec3d point) {
    sdVec3d u = sdSubD(point, middle);
    double ee = sdDotD(middle, middle), eu = -sdDotD(middle, u), uu = sdDotD(u, u);
    double rr = radius * radius;
    // the distance from the axis, squared, against the tangent times the distance from the point
    bool isNarrow = (ee * uu - eu * eu) * (uu - rr) <= (uu - eu) * (uu - eu) * rr;
    // a ball without size is no room to be in
    return isNarrow & (rr > 0.0) & (eu >= rr) & (eu <= uu);
}

/// When the origin is in that cone, or in the ball: the point and the one of the ball between which
/// it lies. The latter goes back through the middles of both cores' balls.
/// @param simplex its first point is the cone's tip
SD_INLINE bool sdGjk_UseCone(const sdConvexPair* pair, const sdVec3d* middle, double radius,
                             sdSimplex* simplex) {
    sdVec3d w = simplex->points[0].w;
    bool isInBall = sdDotD(*middle, *middle) < radius * radius;
    if (!isInBall && !sdGjk_IsInCone(*middle, radius, w)) {
        return false;
    }
    // the point of the line through w and the origin that is nearest to the ball's middle
    double ratio = isInBall ? 0.0 : -sdDotD(*middle, w) / sdDotD(w, w);
    sdVec3d q = sdScaleD(-ratio, w), out = sdSubD(q, *middle);
    // not so when rounding has the origin in the cone's tip
    if (!(ratio >= 0.0 && sdDotD(out, out) <= radius * radius)) {
        return false;
    }
    double share = (double)pair->a.inner / ((double)pair->a.inner + (double)pair->b.inner);
    sdVec3d a = sdMulAddD(sdVec3d_From(pair->a.inside), share, out);
    simplex->points[1] = (sdMinkowskiPoint){q, a, SD_NULL_INDEX, SD_NULL_INDEX};
    simplex->weights[0] = ratio / (1.0 + ratio);
    simplex->weights[1] = 1.0 / (1.0 + ratio);
    simplex->count = 2;
    return true;
}

/// Points of both cores where v is taken.
void sdGjk_Witnesses(const sdSimplex* simplex, sdVec3d* pointA, sdVec3d* pointB);

/// Some point of both cores, when they overlap.
sdVec3d sdGjk_CommonPoint(const sdSimplex* simplex);

/// Recall the simplex of the last query of this pair. Leaves it empty when there is none that fits.
void sdGjk_LoadCache(const sdConvexPair* pair, const sdPairCache* cache, sdSimplex* simplex);
void sdGjk_StoreCache(const sdConvexPair* pair, const sdGjkOutput* output, sdPairCache* cache);

/// Nearest points, or, with `wantsDepth`, the deepest ones of bodies that overlap.
/// @param stopAbove bodies proved to be further apart than this need no nearest points, m
void sdGjk_Separate(const sdConvexPair* pair, bool wantsDepth, double stopAbove, sdPairCache* cache,
                    sdPairResult* out);

/// What sdGjk_Distance, sdPenetration and sdGjk_Overlap do. A transform that is copied stalls
/// the processor: its parts are stored and loaded again in pieces that do not match.
sdSeparation sdGjk_SeparateShapes(const sdShape* a, const sdShape* b, const sdTransform* xfAB,
                                  bool wantsDepth, sdPairCache* cache);
sdOverlapResult sdGjk_OverlapShapes(const sdShape* a, const sdShape* b, const sdTransform* xfAB,
                                    sdPairCache* cache);

#endif
