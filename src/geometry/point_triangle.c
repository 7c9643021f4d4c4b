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

/// The best candidate so far, relative to p.
typedef struct Candidate {
    sdVec3 offset;
    float distanceSquared;
    sdTriangleRegion region;
} Candidate;

/// The foot on the line from `a` (relative to p) along ab, when it lies between the ends.
static void tryEdge(Candidate* best, sdVec3 a, sdVec3 ab, sdTriangleRegion region) {
    float t = -sdDot(a, ab) / sdDot(ab, ab);
    if (t > 0.0f && t < 1.0f) {
        sdVec3 q = sdMulAdd(a, t, ab);
        float d = sdLengthSquared(q);
        // an edge is preferred to a corner at the same distance, but not to another edge
        bool isCorner = best->region >= SD_REGION_VERTEX_A;
        if (d < best->distanceSquared || (isCorner && d == best->distanceSquared)) {
            *best = (Candidate){q, d, region};
        }
    }
}

static void tryCorner(Candidate* best, sdVec3 a, sdTriangleRegion region) {
    float d = sdLengthSquared(a);
    if (d < best->distanceSquared) {
        *best = (Candidate){a, d, region};
    }
}

/// The foot of p on the plane, when it lies inside; a, b, c relative to p.
static void tryFace(Candidate* best, const sdVec3 corner[3], const sdVec3 edge[3]) {
    // areas that the foot spans with each edge, times the normal's length
    sdVec3 n = sdCross(edge[0], edge[1]);
    float wc = sdDot(n, sdCross(corner[0], edge[0]));
    float wa = sdDot(n, sdCross(corner[1], edge[1]));
    float wb = sdDot(n, sdCross(corner[2], edge[2]));
    if (wa > 0.0f && wb > 0.0f && wc > 0.0f) {
        float scale = 1.0f / (wa + wb + wc);
        sdVec3 q = sdAdd(sdAdd(sdScale(wa * scale, corner[0]), sdScale(wb * scale, corner[1])),
                         sdScale(wc * scale, corner[2]));
        float d = sdLengthSquared(q);
        if (d <= best->distanceSquared) {
            *best = (Candidate){q, d, SD_REGION_FACE};
        }
    }
}

sdTrianglePoint sdClosestPointOnTriangle(sdVec3 p, sdVec3 a, sdVec3 b, sdVec3 c) {
    const sdVec3 corner[3] = {sdSub(a, p), sdSub(b, p), sdSub(c, p)};
    const sdVec3 edge[3] = {sdSub(b, a), sdSub(c, b), sdSub(a, c)};

    Candidate best = {corner[0], sdLengthSquared(corner[0]), SD_REGION_VERTEX_A};
    tryCorner(&best, corner[1], SD_REGION_VERTEX_B);
    tryCorner(&best, corner[2], SD_REGION_VERTEX_C);
    tryEdge(&best, corner[0], edge[0], SD_REGION_EDGE_AB);
    tryEdge(&best, corner[1], edge[1], SD_REGION_EDGE_BC);
    tryEdge(&best, corner[2], edge[2], SD_REGION_EDGE_CA);
    tryFace(&best, corner, edge);

    sdTrianglePoint result = {sdAdd(p, best.offset), best.distanceSquared, best.region};
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
