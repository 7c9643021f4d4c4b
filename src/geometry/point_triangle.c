// SPDX-License-Identifier: MIT
// point_triangle.c - nearest point of one triangle and the Voronoi region that decides it (A9).
//
// In:   a point and three corners, any shape: needles, segments and points are allowed.
// Out:  nearest point, squared distance, region.
// Ref:  S2 section 3.2; Ericson, "Real-Time Collision Detection", 5.1.5.
// Note: every candidate (corner, foot on an edge, foot on the face) is a point of the triangle and
//       the nearest candidate wins, so that rounding in the tests for regions, which is wild for
//       needles, can never give a point that is off the triangle or far from the nearest one.
//       mesh_bvh_kernel.c does the same eight abreast and must stay the same to the bit.

#include "sudar/mesh.h"

/// The best candidate so far; the point is relative to p.
typedef struct Candidate {
    sdVec3 point;
    float distanceSquared;
    sdTriangleRegion region;
} Candidate;

static void keepNearer(Candidate* best, sdVec3 point, sdTriangleRegion region) {
    // of candidates that are equally far, as rounding sees it, the feature of more dimensions wins
    float d = sdLengthSquared(point);
    bool isCorner = region >= SD_REGION_VERTEX_A;
    if (d < best->distanceSquared || (d == best->distanceSquared && !isCorner)) {
        *best = (Candidate){point, d, region};
    }
}

/// The corner `a` (relative to p) or the foot of p on the edge from there along ab. The other end
/// is left to the next edge: rounding must not make two points of one corner.
static void tryEdge(Candidate* best, sdVec3 a, sdVec3 ab, sdTriangleRegion edge,
                    sdTriangleRegion corner) {
    float t = -sdDot(a, ab) * (1.0f / sdDot(ab, ab));
    if (t > 0.0f && t < 1.0f) {
        keepNearer(best, sdMulAdd(a, t, ab), edge);
    } else if (!(t > 0.0f)) {
        keepNearer(best, a, corner);
    }
}

sdTrianglePoint sdClosestPointOnTriangle(sdVec3 p, sdVec3 a, sdVec3 b, sdVec3 c) {
    sdVec3 pa = sdSub(a, p);
    sdVec3 pb = sdSub(b, p);
    sdVec3 pc = sdSub(c, p);
    sdVec3 ab = sdSub(b, a);
    sdVec3 bc = sdSub(c, b);
    sdVec3 ca = sdSub(a, c);

    Candidate best = {pa, sdLengthSquared(pa), SD_REGION_VERTEX_A};
    tryEdge(&best, pb, bc, SD_REGION_EDGE_BC, SD_REGION_VERTEX_B);
    tryEdge(&best, pc, ca, SD_REGION_EDGE_CA, SD_REGION_VERTEX_C);

    // axes of the plane: along ab, and h from the line ab to c; t and s measure the foot of p
    float invLength = 1.0f / sdDot(ab, ab);
    float t = -sdDot(pa, ab) * invLength;
    float tc = -sdDot(ca, ab) * invLength;
    sdVec3 onLine = sdMulAdd(pa, t, ab);
    if (t > 0.0f && t < 1.0f) {
        keepNearer(&best, onLine, SD_REGION_EDGE_AB);
    }
    sdVec3 h = sdNeg(sdMulAdd(ca, tc, ab));
    float s = -sdDot(onLine, h) * (1.0f / sdDot(h, h));
    float weightB = t - tc * s;
    float weightA = 1.0f - s - weightB;
    if (s > 0.0f && weightA > 0.0f && weightB > 0.0f) {
        keepNearer(&best, sdMulAdd(onLine, s, h), SD_REGION_FACE);
    }

    sdTrianglePoint result = {sdAdd(p, best.point), best.distanceSquared, best.region};
    // corners are given back to the bit
    if (best.region == SD_REGION_VERTEX_A) {
        result.point = a;
    } else if (best.region == SD_REGION_VERTEX_B) {
        result.point = b;
    } else if (best.region == SD_REGION_VERTEX_C) {
        result.point = c;
    }
    return result;
}
