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

/// No direction has turned further since the full answer, as the length of its change.
static inline double sdPairCache_Turn(const sdPairCache* cache, const sdTransform* xfAB) {
    sdQuat q = xfAB->q, last = cache->rotation;
    float sign = sdDotQ(q, last) < 0.0f ? -1.0f : 1.0f;
    sdVec3 v = sdMulAdd(q.v, -sign, last.v);
    float s = q.s - sign * last.s;
    // a turn by an angle has |q - q'| = 2 sin(angle / 4) and moves a point at r by 2 r sin(angle /
    // 2), which is less than 2 r |q - q'|
    return 2.0 * (double)sqrtf(sdDot(v, v) + s * s);
}

/// No point of the smaller body has moved further, seen from the other, since the full answer.
/// @param size of the smaller body
/// @param turn see sdPairCache_Turn
static inline double sdPairCache_Motion(const sdPairCache* cache, bool isSmallerB, double size,
                                        const sdTransform* xfAB, double turn) {
    sdVec3 moved = sdSub(sdPairCache_Origin(isSmallerB, xfAB), cache->origin);
    return (double)sdLength(moved) + size * turn;
}

// Of two hulls indexA[3] has how far directions may turn before other vertices are the furthest, in
// parts of 65 536, and indexB[3] whether this is of the same hulls and features: what callers leave
// in a cache may be anything.

#define SD_CACHE_STEADY 65536.0

static inline uint16_t sdPairCache_Check(const sdPairCache* cache, const sdHull* a,
                                         const sdHull* b) {
    uint32_t reaches[2], features[3];
    memcpy(&reaches[0], &a->reach, sizeof reaches[0]);
    memcpy(&reaches[1], &b->reach, sizeof reaches[1]);
    features[0] = cache->indexA[0] | (uint32_t)cache->indexB[0] << 16;
    features[1] = cache->indexA[1] | (uint32_t)cache->indexB[1] << 16;
    features[2] = cache->indexA[2] | (uint32_t)cache->indexB[2] << 16;
    uint32_t counts = (uint32_t)a->vertexCount ^ (uint32_t)b->vertexCount << 16;
    // odd numbers without a pattern
    uint32_t sum = reaches[0] * 0x9E3779B1u + reaches[1] * 0x85EBCA6Bu + counts * 0xC2B2AE35u +
                   features[0] * 0x27D4EB2Fu + features[1] * 0x165667B1u +
                   features[2] * 0xB5297A4Du + cache->indexA[3] * 0x68E31DA4u +
                   cache->featureType * 0x1B56C4E9u;
    return (uint16_t)((sum ^ sum >> 15) * 0x2C1B3C6Du >> 16);
}

/// The vertices that touched are still the furthest along directions that have changed by no more
/// than this.
static inline double sdPairCache_Steady(const sdPairCache* cache, const sdHull* a,
                                        const sdHull* b) {
    bool isKnown = cache->indexB[3] == sdPairCache_Check(cache, a, b);
    return isKnown ? (double)cache->indexA[3] / SD_CACHE_STEADY : 0.0;
}

// Where sdPenetration keeps its triangles, two hulls that touched have copies of their faces: those
// of the hulls lie anywhere in memory, and to wait for them takes as long as half of all else. They
// are compared at the end, when they have come.

/// Of what is copied of sdHullCorners: all but the offset of the plane.
#define SD_CACHE_FACE_BYTES (sizeof(sdHullCorners) - sizeof(float))

/// That copies are of these faces.
static inline uint32_t sdPairCache_FacesTag(int faceA, int faceB) {
    // an odd number without a pattern
    return ((uint32_t)faceA | (uint32_t)faceB << 16) * 0x9E3779B1u + 1;
}

/// The copy of a face.
static inline const char* sdPairCache_Face(const sdPairCache* cache, bool isOfB) {
    return (const char*)&cache->polytope + sizeof(uint32_t) + (isOfB ? SD_CACHE_FACE_BYTES : 0);
}

/// Copy the faces that hulls touch with, if they are known.
static inline void sdPairCache_KeepFaces(sdPairCache* cache, const sdHull* a, const sdHull* b) {
    _Static_assert(sizeof(uint32_t) + 2 * SD_CACHE_FACE_BYTES <= sizeof cache->polytope,
                   "copies of two faces have no room");
    int faceA = cache->indexA[1] - 1, faceB = cache->indexB[1] - 1;
    if (faceA >= 0 && faceB >= 0 && faceA < a->faceCount && faceB < b->faceCount) {
        char* copies = (char*)&cache->polytope;
        uint32_t tag = sdPairCache_FacesTag(faceA, faceB);
        memcpy(copies, &tag, sizeof tag);
        memcpy(copies + sizeof tag, &a->corners[faceA], SD_CACHE_FACE_BYTES);
        memcpy(copies + sizeof tag + SD_CACHE_FACE_BYTES, &b->corners[faceB], SD_CACHE_FACE_BYTES);
    }
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
