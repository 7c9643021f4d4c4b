// SPDX-License-Identifier: MIT
// manifold.h - tolerances and small parts that all makers of contact points share.

#ifndef SD_NARROW_MANIFOLD_H
#define SD_NARROW_MANIFOLD_H

#include "narrow/pair.h"

/// Corners that stick out of the other face by less than this fraction of the smaller body count as
/// on its rim, so that bodies of the same size keep their points while they shift by rounding.
#define SD_MANIFOLD_RIM 1e-5
/// Points nearer to each other than this fraction of the smaller body are one; so are a corner and
/// the cut of a segment.
#define SD_MANIFOLD_MERGE 1e-3
/// The deepest point must be given to within this fraction of the smaller body.
#define SD_MANIFOLD_DEEPEST 1e-5
/// Sine of the tilt up to which an edge or face counts as touching flat.
#define SD_MANIFOLD_FLAT_TILT 0.01
/// Of corners that are about as good, by this fraction, the first is taken: it is the same one in
/// the next step.
#define SD_MANIFOLD_TIE 1e-3

/// Name of a corner: the sides of the polygon of B that end and start there, complements (~) of
/// A's.
static inline uint32_t sdManifold_Id(int32_t in, int32_t out) {
    return ((uint32_t)in << 16) | ((uint32_t)out & 0xFFFFu);
}

/// @param touchA 0: a corner touches, 1: an edge, 2: a face
static inline sdContactKind sdManifold_Kind(int touchA, int touchB) {
    static const uint8_t kinds[3][3] = {
        {SD_CONTACT_VERTEX_VERTEX, SD_CONTACT_VERTEX_EDGE, SD_CONTACT_VERTEX_FACE},
        {SD_CONTACT_VERTEX_EDGE, SD_CONTACT_EDGE_EDGE, SD_CONTACT_EDGE_FACE},
        {SD_CONTACT_VERTEX_FACE, SD_CONTACT_EDGE_FACE, SD_CONTACT_FACE_FACE},
    };
    return (sdContactKind)kinds[touchA][touchB];
}

/// A contact point seen along the normal.
typedef struct sdFlatPoint {
    double u, v; ///< in some frame across the normal or in a face, m
    double separation;
    uint32_t id;
} sdFlatPoint;

/// Add a point, or let it become one with another that is as good: the deepest of them.
/// @return the new count
static inline int sdFlatPoints_Add(sdFlatPoint* points, int count, sdFlatPoint point, double size) {
    const double merge = SD_MANIFOLD_MERGE * size, tie = SD_MANIFOLD_DEEPEST * size;
    for (int i = 0; i < count; ++i) {
        double du = point.u - points[i].u, dv = point.v - points[i].v;
        if (du * du + dv * dv <= merge * merge) {
            points[i] = point.separation < points[i].separation - tie ? point : points[i];
            return count;
        }
    }
    points[count] = point;
    return count + 1;
}

/// The deepest point, the one farthest from it, and those that span most area with them; in the
/// order of the points.
/// @return how many were chosen
int sdFlatPoints_Choose(const sdFlatPoint* points, int count, double size,
                        int chosen[SD_MANIFOLD_MAX_POINTS]);

#endif
