// SPDX-License-Identifier: MIT
// manifold.h - tolerances and small parts that all makers of contact points share.

#ifndef SD_NARROW_MANIFOLD_H
#define SD_NARROW_MANIFOLD_H

#include "narrow/pair.h"
#include "narrow/support_face.h"

/// Corners that stick out of the other face by less than this fraction of the smaller body count as
/// on its rim, so that bodies of the same size keep their points while they shift by rounding.
#define SD_MANIFOLD_RIM 1e-5
/// Least part of the rim that sharp corners leave: more than rounding, which would cut a face
/// without width to pieces.
#define SD_MANIFOLD_LEAST_RIM 1e-6
/// Points nearer to each other than this fraction of the smaller body are one; so are a corner and
/// the cut of a segment.
#define SD_MANIFOLD_MERGE 1e-3
/// The deepest point must be given to within this fraction of the smaller body.
#define SD_MANIFOLD_DEEPEST 1e-5
/// Points this much further away than the margin, as a fraction of the smaller body, still count:
/// faces that touch exactly must not lose corners by rounding.
#define SD_MANIFOLD_MARGIN 1e-6
/// A deepest point that no corner has is given by moving the nearest corner there, when it is
/// within this fraction of the smaller face.
#define SD_MANIFOLD_SNAP 0.2
/// Sine of the tilt up to which an edge or face counts as touching flat.
#define SD_MANIFOLD_FLAT_TILT 0.01
/// Cosine of the angle between two capsules up to which they touch along their length.
#define SD_MANIFOLD_CAPSULE_TWIST 0.95
/// Of corners that are about as good, by this fraction, the first is taken: it is the same one in
/// the next step.
#define SD_MANIFOLD_TIE 1e-3

/// Points whose depths differ by less than this fraction of the smaller body are about as deep.
#define SD_MANIFOLD_ROCKING 1e-3
/// Points that are further open than this fraction of the smaller body carry nothing.
#define SD_MANIFOLD_OPEN 0.01

/// Of points that no corner or crossing made.
#define SD_MANIFOLD_WITNESS_ID 0x7FFF7FFFu

#define SD_MANIFOLD_MAX_CANDIDATES (SD_CLIP_MAX_POINTS + 1)

/// Name of a corner: the sides of the polygon of B that end and start there, complements (~) of
/// A's.
static inline uint32_t sdManifold_Id(int32_t in, int32_t out) {
    return ((uint32_t)in << 16) | ((uint32_t)out & 0xFFFFu);
}

/// Ids are cut to 16 bits a side, so hulls with very many edges could have two that are equal.
/// @param count points that have theirs
static inline uint32_t sdManifold_UniqueId(const sdManifold* manifold, int count, uint32_t id) {
    for (int i = 0; i < count; ++i) {
        if (manifold->points[i].id == id) {
            id += 0x00010001u;
            i = -1;
        }
    }
    return id;
}

/// Points further apart are not wanted.
/// @param size of the smaller body
static inline double sdManifold_Limit(float margin, double size, const sdTransform* xfAB) {
    return (double)margin + SD_MANIFOLD_MARGIN * size +
           sdPairResult_Rounding((double)sdLength(xfAB->p));
}

/// Two unit vectors across the normal and each other, with it a right-handed frame.
static inline void sdManifold_SetAcross(sdVec3d n, sdVec3d across[2]) {
    // Duff et al., "Building an orthonormal basis, revisited", JCGT 2017
    double sign = copysign(1.0, n.z), a = -1.0 / (sign + n.z), b = n.x * n.y * a;
    across[0] = sdV3d(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x);
    across[1] = sdV3d(b, sign + n.y * n.y * a, -n.y);
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

/// Before anything is known, or where nothing touches.
static inline void sdManifold_SetEmpty(sdManifold* out, sdStatus status, int iterations) {
    out->normal = sdV3(0.0f, 0.0f, 0.0f);
    out->pointCount = 0;
    out->kind = SD_CONTACT_NONE;
    out->childA = SD_NULL_INDEX;
    out->childB = SD_NULL_INDEX;
    out->status = status;
    out->iterations = iterations;
}

/// A contact point seen along the normal.
typedef struct sdFlatPoint {
    double u, v; ///< in some frame across the normal or in a face, m
    double separation;
    uint32_t id;
} sdFlatPoint;

/// Where a point goes: the place of another that is as good as it, or the end.
static inline int sdFlatPoints_Find(const sdFlatPoint* points, int count, double u, double v,
                                    double size) {
    const double merge = SD_MANIFOLD_MERGE * size;
    int at = 0;
    for (; at < count; ++at) {
        double du = u - points[at].u, dv = v - points[at].v;
        if (du * du + dv * dv <= merge * merge) {
            break;
        }
    }
    return at;
}

/// The deepest point, the one farthest from it, and those that span most area with them; in the
/// order of the points. Those that were chosen last time stay while they are about as good.
/// @param cache may be NULL
/// @return how many were chosen
int sdFlatPoints_Choose(const sdFlatPoint* points, int count, double size, sdPairCache* cache,
                        int chosen[SD_MANIFOLD_MAX_POINTS]);

// ---- any two convex shapes -----------------------------------------------------------------

/// Two bodies and what they touch with, in A's frame.
typedef struct sdPairContact {
    const sdShape *a, *b;
    sdPose pose;
    sdVec3d normal;
    double reachA, reachB; ///< no point of a body is further from its origin
    double size;           ///< of the smaller body
    double limit;          ///< points further apart are not wanted
    double deepest;        ///< least separation
    sdSupportFace faceA, faceB;
    sdVec3d across[2]; ///< unit, across the normal and each other
    sdFlatPoint flat[SD_MANIFOLD_MAX_CANDIDATES];
    sdVec3d pointsA[SD_MANIFOLD_MAX_CANDIDATES];
    sdVec3d pointsB[SD_MANIFOLD_MAX_CANDIDATES];
    int count;
} sdPairContact;

/// What the faces, edges or corners have in common along the normal.
void sdPairContact_AddPoints(sdPairContact* contact);

/// The corners of the face that looks at a plane, with their feet on it.
/// @param origin of the plane
void sdPairContact_AddFeet(sdPairContact* contact, bool isPlaneA, sdVec3d origin);

/// Whether a point is as deep as `deepest` says.
bool sdPairContact_HasDeepest(const sdPairContact* contact);

/// Corners of a face are not its lowest point where it is round, and touching corners can be lost
/// by rounding: the deepest point is known from elsewhere.
void sdPairContact_AddDeepest(sdPairContact* contact, sdVec3d pointA, sdVec3d pointB);

/// The points that a solver gets.
void sdPairContact_Write(const sdPairContact* contact, float margin, sdPairCache* cache,
                         sdManifold* out);

typedef enum sdCacheAnswer {
    SD_CACHE_NOTHING, ///< ask in full
    SD_CACHE_APART,   ///< by more than the limit
    SD_CACHE_CONTACT  ///< points, the deepest among them, are there
} sdCacheAnswer;

/// Contact points by the features of the last full answer (manifold_cache.c).
/// @param contact shapes, sizes and limit are set; gets pose, normal, faces, points
sdCacheAnswer sdPairContact_Recall(sdPairContact* contact, const sdTransform* xfAB,
                                   sdPairCache* cache);

/// Remember what made the normal of a full answer, if it is a flat face or two edges.
void sdPairContact_Remember(const sdPairContact* contact, const sdTransform* xfAB,
                            sdPairCache* cache);

/// As sdCollide, of two shapes whose nearest points are known.
/// @return how many points there are
int sdManifold_MakeAt(const sdShape* a, const sdShape* b, const sdTransform* xfAB, float margin,
                      sdPairResult* nearest, sdManifold* out);

/// 0: a corner touches, 1: an edge, 2: a face.
/// @param n unit, out of the body
int sdSupportFace_Touch(const sdSupportFace* face, sdVec3d n);

#endif
