// SPDX-License-Identifier: MIT
// manifold_cache.h - when what touched in the last query of a pair may touch again.

#ifndef SD_NARROW_MANIFOLD_CACHE_H
#define SD_NARROW_MANIFOLD_CACHE_H

#include "geometry/hull.h"
#include "narrow/pair.h"

/// What sdPairCache.kind holds when it has the features of a contact.
#define SD_CACHE_FEATURES 5

/// Twice the motion up to which the remembered features are good enough, as a fraction of the
/// smaller body; see sdPairCache.
#define SD_CACHE_MOTION 0.01
/// Vertices up to which a hull is scanned, though one is known from which it is not far to the
/// furthest.
#define SD_CACHE_FEW_VERTICES 64
/// Sine of the angle below which two edges have no axis.
#define SD_CACHE_PARALLEL 1e-3

/// The origin of the smaller body in the frame of the other.
static inline sdVec3 sdPairCache_Origin(bool isSmallerB, const sdTransform* xfAB) {
    return isSmallerB ? xfAB->p : sdNeg(sdInvRotate(xfAB->q, xfAB->p));
}

/// No point of the smaller body has moved further, seen from the other, since the full answer.
/// @param size of the smaller body
static inline double sdPairCache_Motion(const sdPairCache* cache, bool isSmallerB, double size,
                                        const sdTransform* xfAB) {
    sdVec3 moved = sdSub(sdPairCache_Origin(isSmallerB, xfAB), cache->origin);
    sdQuat q = xfAB->q, last = cache->rotation;
    float sign = sdDotQ(q, last) < 0.0f ? -1.0f : 1.0f;
    sdVec3 v = sdMulAdd(q.v, -sign, last.v);
    float s = q.s - sign * last.s;
    // a turn by an angle has |q - q'| = 2 sin(angle / 4) and moves a point at r by 2 r sin(angle /
    // 2), which is less than 2 r |q - q'|
    double turned = 2.0 * (double)sqrtf(sdDot(v, v) + s * s);
    return (double)sdLength(moved) + size * turned;
}

/// An edge of a hull that may make an axis.
typedef struct sdHullEdge {
    int origin;
    sdVec3d along;
    sdVec3d left, right; ///< normals of the faces beside it
} sdHullEdge;

static inline sdHullEdge sdHull_EdgeOf(const sdHull* hull, int edge) {
    const sdHalfEdge *e = &hull->edges[edge], *twin = &hull->edges[e->twin];
    return (sdHullEdge){
        e->origin,
        sdSubD(sdVec3d_From(hull->vertices[twin->origin]), sdVec3d_From(hull->vertices[e->origin])),
        sdVec3d_From(hull->planes[e->face].normal), sdVec3d_From(hull->planes[twin->face].normal)};
}

/// Whether no point of a hull is further along a direction across one of its edges than the edge:
/// what is below the planes of both faces is, when neither face rises from there.
static inline bool sdHullEdge_IsFurthest(const sdHullEdge* edge, sdVec3d d) {
    double rise = sdDotD(sdCrossD(edge->left, edge->along), d);
    double other = sdDotD(sdCrossD(edge->along, edge->right), d);
    return (rise <= 0.0) & (other <= 0.0);
}

#endif
