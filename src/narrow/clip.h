// SPDX-License-Identifier: MIT
// clip.h - convex polygons in space, cut by planes; contact sets and manifolds are made with it.

#ifndef SD_NARROW_CLIP_H
#define SD_NARROW_CLIP_H

#include "narrow/sat.h"

/// Corners of a polygon. Each plane adds at most one; a polygon that would grow beyond is thinned.
#define SD_CLIP_MAX_POINTS 128

typedef struct sdClipPoint {
    sdVec3d p;
    int32_t in;  ///< label of the side that ends here
    int32_t out; ///< label of the side that starts here
} sdClipPoint;

/// Convex, in order. Sides are labelled by the half-edge they lie on; a cut by the complement (~)
/// of the plane's label, so that what made a corner is known and stays the same from step to step.
typedef struct sdClipPolygon {
    sdClipPoint points[SD_CLIP_MAX_POINTS];
    int count;
    bool isThinned; ///< corners were left out: it lies within what it should be
} sdClipPolygon;

/// The face of A or B, in A's frame.
void sdClip_SetFace(sdClipPolygon* polygon, const sdSatPair* pair, bool isOfA, int face);

/// Keep what has dot(normal, x) <= offset. Works for segments (two corners), too.
/// @param normal unit
/// @param tolerance corners that stick out by no more are kept as they are, m
void sdClip_ByPlane(sdClipPolygon* polygon, sdVec3d normal, double offset, double tolerance,
                    int32_t label);

/// Keep what lies over or under another polygon: cut by planes through its sides.
/// @param normal unit; the polygon is counter-clockwise around it
/// @param tolerance as above
void sdClip_BySides(sdClipPolygon* polygon, const sdClipPolygon* sides, sdVec3d normal,
                    double tolerance);

#endif
