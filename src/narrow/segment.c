// SPDX-License-Identifier: MIT
// segment.c - nearest points of two segments.
//
// In:   four end points, in any position: parallel, crossing, without length.
// Out:  nearest points, fractions, squared distance.
// Ref:  S1 §3.3 (the two lines); Ericson, "Real-Time Collision Detection", 2005, §5.1.9.
// Note: the squared distance is a convex function of both fractions: its least value is where both
//       derivatives vanish, if that is on both segments, and else at an end of one of them.

#include "narrow/segment.h"

#include "sudar/collide.h"

/// Square of the sine of the angle below which the crossing of two lines is so uncertain that the
/// ends are tried as well.
#define PARALLEL 1e-8

/// The same, above which the end that is nearest is known from the crossing.
#define CROSSING 1e-4

static sdVec3d pointAt(sdVec3d from, sdVec3d to, double t) {
    // ends are given back to the bit
    return t == 1.0 ? to : sdMulAddD(from, t, sdSubD(to, from));
}

/// @param ends of A, then of B
static sdSegmentPointsD pointsAt(const sdVec3d ends[4], double s, double t) {
    sdSegmentPointsD r = {.s = s, .t = t};
    r.pointA = pointAt(ends[0], ends[1], s);
    r.pointB = pointAt(ends[2], ends[3], t);
    sdVec3d d = sdSubD(r.pointA, r.pointB);
    r.distanceSquared = sdDotD(d, d);
    return r;
}

/// Fraction of the point of a segment that is nearest to p.
static double fractionAt(sdVec3d p, sdVec3d from, sdVec3d d, double squared) {
    double along = sdDotD(sdSubD(p, from), d);
    if (along <= 0.0) {
        return 0.0;
    }
    return along >= squared ? 1.0 : along / squared;
}

sdSegmentPointsD sdClosestPointsOfSegmentsD(sdVec3d a0, sdVec3d a1, sdVec3d b0, sdVec3d b1) {
    sdVec3d ends[4] = {a0, a1, b0, b1};
    sdVec3d da = sdSubD(a1, a0), db = sdSubD(b1, b0), r = sdSubD(a0, b0);
    double aa = sdDotD(da, da), bb = sdDotD(db, db), ab = sdDotD(da, db);
    double ar = sdDotD(da, r), br = sdDotD(db, r);
    sdSegmentPointsD best = {.distanceSquared = INFINITY};

    // μa = (d1343 d4321 - d1321 d4343) / (d2121 d4343 - d4321²), μb = (d1343 + μa d4321) / d4343
    double det = aa * bb - ab * ab;
    if (det > 0.0) {
        double s = (br * ab - ar * bb) / det;
        double t = (br + s * ab) / bb;
        if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) {
            best = pointsAt(ends, s, t);
            if (det > PARALLEL * aa * bb) {
                return best;
            }
        } else if (det > CROSSING * aa * bb) {
            // the nearest point of B's line to A, and if that is not on B, of A to B's end
            s = s < 0.0 ? 0.0 : (s > 1.0 ? 1.0 : s);
            t = (br + s * ab) / bb;
            if (t >= 0.0 && t <= 1.0) {
                t = fractionAt(s > 0.0 ? a1 : a0, b0, db, bb);
            } else {
                t = t < 0.0 ? 0.0 : 1.0;
                s = fractionAt(t > 0.0 ? b1 : b0, a0, da, aa);
            }
            return pointsAt(ends, s, t);
        }
    }
    // the nearest point of the other to each end, and of these pairs the nearest
    double s[4] = {0.0, 1.0, fractionAt(b0, a0, da, aa), fractionAt(b1, a0, da, aa)};
    double t[4] = {fractionAt(a0, b0, db, bb), fractionAt(a1, b0, db, bb), 0.0, 1.0};
    int nearest = SD_NULL_INDEX;
    double least = best.distanceSquared;
    for (int i = 0; i < 4; ++i) {
        sdVec3d d = sdSubD(pointAt(a0, a1, s[i]), pointAt(b0, b1, t[i]));
        double squared = sdDotD(d, d);
        nearest = squared < least ? i : nearest;
        least = squared < least ? squared : least;
    }
    return nearest != SD_NULL_INDEX ? pointsAt(ends, s[nearest], t[nearest]) : best;
}

sdSegmentPoints sdClosestPointsOfSegments(sdVec3 a0, sdVec3 a1, sdVec3 b0, sdVec3 b1) {
    if (!sdVec3_IsFinite(a0) || !sdVec3_IsFinite(a1) || !sdVec3_IsFinite(b0) ||
        !sdVec3_IsFinite(b1)) {
        return (sdSegmentPoints){.distanceSquared = 0.0f};
    }
    sdSegmentPointsD r = sdClosestPointsOfSegmentsD(sdVec3d_From(a0), sdVec3d_From(a1),
                                                    sdVec3d_From(b0), sdVec3d_From(b1));
    return (sdSegmentPoints){.pointA = sdVec3d_Round(r.pointA),
                             .pointB = sdVec3d_Round(r.pointB),
                             .s = (float)r.s,
                             .t = (float)r.t,
                             .distanceSquared = (float)r.distanceSquared};
}
