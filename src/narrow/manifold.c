// SPDX-License-Identifier: MIT
// manifold.c - where two convex shapes touch: up to four points for a solver.
//
// In:   two shapes, B's pose in A's frame, a margin.
// Out:  a normal, points on both surfaces with their separation along it, what touches what.
// Ref:  S0 §4.2 (with its remark on face-face contact corrected); clipping as in Gregorius, "Robust
//       contact creation for physics simulations", GDC 2015.
// Note: the normal comes from the nearest or deepest points. The faces of both bodies that look
//       along it are projected along it and intersected: every corner of what they have in common
//       lies on both surfaces. The deepest point is always among those that are given.

#include "narrow/manifold.h"
#include "geometry/hull.h"
#include "narrow/collide_boxes.h"
#include "narrow/collide_mesh.h"
#include "narrow/half_space.h"
#include "narrow/manifold_cache.h"
#include "narrow/manifold_hulls.h"
#include "narrow/manifold_kernel.h"
#include "narrow/narrowphase.h"
#include "narrow/sat.h"
#include "narrow/sat_box.h"
#include "narrow/support_face.h"

/// Angle within which a flat or straight part of a round body gives the exact normal, rad.
#define POLISH_ANGLE 2e-3
/// Fraction of the smaller body by which a normal may be worse and still be preferred for being
/// that of a flat part: the accuracy of EPA for round bodies.
#define POLISH_TOLERANCE 2e-7

/// Squares of the lengths of remembered axes differ from 1 by less than this.
#define UNIT_TOLERANCE 1e-5

// ---- normals of round bodies ---------------------------------------------------------------

/// How far B has to move along n to leave A; minus the gap when they are apart.
static double exitDepth(const sdPairContact* contact, sdVec3d n) {
    sdVec3d inB = sdPose_InvRotate(&contact->pose, sdScaleD(-1.0, n));
    return sdSupport_Height(contact->a, n) + sdSupport_Height(contact->b, inB) -
           sdDotD(n, contact->pose.offset);
}

static bool isRound(const sdShape* shape) {
    return shape->type == SD_SHAPE_CYLINDER || shape->type == SD_SHAPE_CONE;
}

/// The direction across the straight line that a round body touches with, nearest to n.
/// @param face with that line, a segment
static sdVec3d acrossSegment(const sdSupportFace* face, sdVec3d n) {
    sdVec3d d = sdSubD(face->polygon.points[1].p, face->polygon.points[0].p);
    double squared = sdDotD(d, d);
    return squared > 0.0 ? sdMulAddD(n, -sdDotD(n, d) / squared, d) : n;
}

/// The best normal so far.
typedef struct Polish {
    sdVec3d normal;
    double depth;
    bool isOfA; ///< it is that of a part of A
} Polish;

static void tryNormal(const sdPairContact* contact, sdVec3d candidate, bool isOfA, Polish* best) {
    double length = sdLengthD(candidate);
    if (!(length > 0.0)) {
        return;
    }
    candidate = sdScaleD(1.0 / length, candidate);
    sdVec3d turn = sdCrossD(candidate, contact->normal);
    double angle = sdDotD(candidate, contact->normal) > 0.0 ? sdLengthD(turn) : 1.0;
    if (angle <= POLISH_ANGLE) {
        double depth = exitDepth(contact, candidate);
        *best = depth <= best->depth ? (Polish){candidate, depth, isOfA} : *best;
    }
}

static void tryFace(const sdPairContact* contact, const sdSupportFace* face, bool isOfA,
                    Polish* best) {
    if (face->polygon.count > 2) {
        tryNormal(contact, sdScaleD(isOfA ? 1.0 : -1.0, face->normal), isOfA, best);
    } else if (face->polygon.count == 2) {
        tryNormal(contact, acrossSegment(face, contact->normal), isOfA, best);
    }
}

/// EPA knows the normal of a round surface as well as the root of its tolerance. Where a flat or
/// straight part touches, the exact normal is that of the part: every normal gives a depth, and the
/// least one is right.
/// @return true when the normal has changed
static bool polishNormal(sdPairContact* contact, sdPairResult* result) {
    if (!result->isDeep || (!isRound(contact->a) && !isRound(contact->b))) {
        return false;
    }
    const sdSupportFace *faceA = &contact->faceA, *faceB = &contact->faceB;
    double depth = exitDepth(contact, contact->normal) + POLISH_TOLERANCE * contact->size;
    const Polish start = {contact->normal, depth, true};
    Polish best = start;
    tryFace(contact, faceA, true, &best);
    tryFace(contact, faceB, false, &best);
    if (faceA->polygon.count == 2 && faceB->polygon.count == 2) {
        sdVec3d u = sdSubD(faceA->polygon.points[1].p, faceA->polygon.points[0].p);
        sdVec3d v = sdSubD(faceB->polygon.points[1].p, faceB->polygon.points[0].p);
        sdVec3d both = sdCrossD(u, v);
        double side = sdDotD(both, contact->normal) < 0.0 ? -1.0 : 1.0;
        tryNormal(contact, sdScaleD(side, both), true, &best);
    }
    if (best.depth == start.depth) {
        return false;
    }
    contact->normal = best.normal;
    result->separation = -best.depth;
    // what is flat can be touched a little beside; a corner cannot
    if (best.isOfA) {
        result->pointA = sdMulAddD(result->pointB, best.depth, best.normal);
    } else {
        result->pointB = sdMulAddD(result->pointA, -best.depth, best.normal);
    }
    return true;
}

// ---- pairs ---------------------------------------------------------------------------------

/// No point of the shape is further from its origin.
static double reachOf(const sdShape* shape) {
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            return (double)shape->sphere.radius;
        case SD_SHAPE_CAPSULE:
            return (double)shape->capsule.radius + (double)shape->capsule.halfLength;
        case SD_SHAPE_BOX:
            return sdLengthD(sdVec3d_From(shape->box.halfExtents));
        case SD_SHAPE_CYLINDER:
            return (double)shape->cylinder.radius + (double)shape->cylinder.halfHeight;
        case SD_SHAPE_CONE:
            return (double)shape->cone.radius + (double)shape->cone.halfHeight;
        case SD_SHAPE_TRIANGLE: {
            sdVec3 far =
                sdMax(sdMax(sdAbs(shape->triangle.vertices[0]), sdAbs(shape->triangle.vertices[1])),
                      sdAbs(shape->triangle.vertices[2]));
            return sdLengthD(sdVec3d_From(far));
        }
        case SD_SHAPE_HULL:
            return shape->hull != NULL ? (double)shape->hull->reach : 0.0;
        default:
            return DBL_MAX;
    }
}

static void startContact(sdPairContact* contact, const sdShape* a, const sdShape* b,
                         const sdTransform* xfAB, float margin) {
    contact->a = a;
    contact->b = b;
    contact->reachA = reachOf(a);
    contact->reachB = reachOf(b);
    contact->size = contact->reachA < contact->reachB ? contact->reachA : contact->reachB;
    contact->limit = sdManifold_Limit(margin, contact->size, xfAB);
}

static void findFaces(sdPairContact* contact, const sdPairResult* result) {
    sdVec3d inB = sdPose_InvRotate(&contact->pose, sdScaleD(-1.0, contact->normal));
    sdSupportFace_Find(&contact->faceA, contact->a, contact->normal, result->indexA, NULL);
    sdSupportFace_Find(&contact->faceB, contact->b, inB, result->indexB, &contact->pose);
}

static void writeManifold(const sdPairContact* contact, float margin, sdPairCache* cache,
                          sdManifold* out) {
    sdPairContact_Write(contact, margin, cache, out);
    out->kind =
        sdManifold_Kind(sdSupportFace_Touch(&contact->faceA, contact->normal),
                        sdSupportFace_Touch(&contact->faceB, sdScaleD(-1.0, contact->normal)));
}

/// Faces of hulls that are known need not be looked for again.
static void setHullFace(sdSupportFace* out, const sdShape* shape, sdVec3d direction, int vertex,
                        int face, const sdPose* pose) {
    if (face != SD_NULL_INDEX) {
        sdSupportFace_SetHullFace(out, shape->hull, face, pose);
    } else {
        sdSupportFace_Find(out, shape, direction, vertex, pose);
    }
}

/// Two hulls by faces of few sides.
/// @return false when they do not touch so: then their faces are found, and no more
static bool collideHulls(sdPairContact* contact, const sdPairResult* result, float margin,
                         sdPairCache* cache, sdManifold* out) {
    const sdShape *a = contact->a, *b = contact->b;
    sdVec3d n = contact->normal, inB = sdPose_InvRotate(&contact->pose, sdScaleD(-1.0, n));
    int faceA = sdSupportFace_OfHull(a->hull, n, result->indexA);
    int faceB = sdSupportFace_OfHull(b->hull, inB, result->indexB);
    contact->deepest = result->separation;
    bool isDone = faceA != SD_NULL_INDEX && faceB != SD_NULL_INDEX &&
                  SD_DISPATCH(sdHulls_Touch)(contact, faceA, faceB, result, margin, cache, out);
    // with a cache, what is remembered depends on them
    if (!isDone || cache != NULL) {
        setHullFace(&contact->faceA, a, n, result->indexA, faceA, NULL);
        setHullFace(&contact->faceB, b, inB, result->indexB, faceB, &contact->pose);
    }
    return isDone;
}

static void collideConvex(sdPairContact* contact, sdPairResult* result, float margin,
                          sdPairCache* cache, sdManifold* out) {
    contact->normal = result->normal;
    if (contact->a->type == SD_SHAPE_HULL && contact->b->type == SD_SHAPE_HULL) {
        if (collideHulls(contact, result, margin, cache, out)) {
            return;
        }
    } else {
        findFaces(contact, result);
        if (polishNormal(contact, result)) {
            findFaces(contact, result);
        }
    }
    contact->deepest = result->separation;
    sdPairContact_AddPoints(contact);
    sdPairContact_AddDeepest(contact, result->pointA, result->pointB);
    writeManifold(contact, margin, cache, out);
}

/// At least the height of a shape along a unit direction.
static double heightAtMost(const sdShape* shape, sdVec3d d, double reach) {
    if (shape->type != SD_SHAPE_HULL || shape->hull->vertexCount > SD_HULL_SCAN_LIMIT) {
        return sdSupport_Height(shape, d);
    }
    float height = SD_DISPATCH(sdManifold_HullHeight)(shape->hull->soa, shape->hull->soaStride,
                                                      sdVec3d_Round(d));
    return (double)height + SD_SUPPORT_ROUNDING * reach;
}

/// How far apart the bodies are along the axis of the last query, at least; -DBL_MAX without one.
static double gapOnLastAxis(const sdPairContact* contact, const sdTransform* xfAB,
                            const sdPairCache* cache) {
    sdVec3d axis = sdVec3d_From(cache->axis);
    // what callers leave in a cache may be anything
    if (!(fabs(sdDotD(axis, axis) - 1.0) < UNIT_TOLERANCE) || !sdTransform_IsValid(*xfAB)) {
        return -DBL_MAX;
    }
    // into B's frame, for quaternions that are not quite of unit length, too
    sdVec3d u = sdVec3d_From(xfAB->q.v);
    double s = (double)xfAB->q.s, n = 2.0 / (sdDotD(u, u) + s * s);
    sdVec3d t = sdCrossD(axis, u);
    sdVec3d inB = sdMulAddD(sdMulAddD(axis, n * s, t), n, sdCrossD(t, u));
    return sdDotD(axis, sdVec3d_From(xfAB->p)) - heightAtMost(contact->a, axis, contact->reachA) -
           heightAtMost(contact->b, sdScaleD(-1.0, inB), contact->reachB);
}

/// The corners of the face that looks at a half-space, or the lowest point.
static void collidePlane(sdPairContact* contact, const sdTransform* xfAB, float margin,
                         sdPairCache* cache, sdManifold* out) {
    bool isPlaneA = contact->a->type == SD_SHAPE_HALF_SPACE;
    const sdShape* body = isPlaneA ? contact->b : contact->a;
    if (!sdShape_IsValid(body) || !sdTransform_IsValid(*xfAB) ||
        !(sdLength(xfAB->p) <= SD_MAX_REACH) || !(contact->size <= (double)SD_MAX_REACH)) {
        return;
    }
    out->status = SD_STATUS_EXACT;
    out->iterations = 1;
    sdPose_Set(&contact->pose, *xfAB);
    sdVec3d up = isPlaneA ? sdV3d(0.0, 1.0, 0.0) : contact->pose.columns[1];
    sdVec3d origin = isPlaneA ? sdV3d(0.0, 0.0, 0.0) : contact->pose.offset;
    sdVec3d down = sdScaleD(-1.0, up);
    sdVec3d inBody = isPlaneA ? sdPose_InvRotate(&contact->pose, down) : down;
    int vertex = body->type == SD_SHAPE_HULL ? sdHull_Support(body->hull, sdVec3d_Round(inBody))
                                             : SD_NULL_INDEX;
    sdVec3d lowest = vertex != SD_NULL_INDEX ? sdVec3d_From(body->hull->vertices[vertex])
                                             : sdSupport_Point(body, inBody);
    lowest = isPlaneA ? sdPose_Point(&contact->pose, lowest) : lowest;
    contact->deepest = sdDotD(up, sdSubD(lowest, origin));
    if (contact->deepest > contact->limit) {
        return;
    }
    sdSupportFace* face = isPlaneA ? &contact->faceB : &contact->faceA;
    contact->normal = isPlaneA ? up : down;
    sdSupportFace_Find(face, body, inBody, vertex, isPlaneA ? &contact->pose : NULL);
    sdPairContact_AddFeet(contact, isPlaneA, origin);
    sdVec3d foot = sdMulAddD(lowest, -contact->deepest, up);
    sdPairContact_AddDeepest(contact, isPlaneA ? foot : lowest, isPlaneA ? lowest : foot);
    sdPairContact_Write(contact, margin, cache, out);
    out->kind = sdManifold_Kind(2, sdSupportFace_Touch(face, down));
}

/// By what the last query found.
/// @return false when everything has to be searched
static bool collideAsBefore(sdPairContact* contact, const sdTransform* xfAB, float margin,
                            sdPairCache* cache, sdManifold* out) {
    if (cache == NULL || cache->kind == 0 || !sdShape_IsValid(contact->a) ||
        !sdShape_IsValid(contact->b)) {
        return false;
    }
    bool isKnown = cache->isApart && gapOnLastAxis(contact, xfAB, cache) > contact->limit;
    if (!isKnown) {
        sdCacheAnswer answer = sdPairContact_Recall(contact, xfAB, cache);
        isKnown = answer != SD_CACHE_NOTHING;
        if (answer == SD_CACHE_CONTACT) {
            writeManifold(contact, margin, cache, out);
        }
    }
    out->status = isKnown ? SD_STATUS_TOLERANCE : out->status;
    out->iterations = isKnown ? 1 : 0;
    return isKnown;
}

/// @return false when they are further apart than the limit
static bool writeResult(sdPairContact* contact, const sdTransform* xfAB, float margin,
                        sdPairResult* result, sdPairCache* cache, sdManifold* out) {
    out->status = result->status;
    out->iterations = result->iterations;
    if (!(result->separation <= contact->limit)) {
        return false;
    }
    sdPose_Set(&contact->pose, *xfAB);
    collideConvex(contact, result, margin, cache, out);
    return true;
}

static void collidePair(sdPairContact* contact, sdTransform xfAB, float margin, sdPairCache* cache,
                        sdManifold* out) {
    const sdShape *a = contact->a, *b = contact->b;
    bool areBoxes = sdShape_AreBoxes(a, b);
    if (!areBoxes && collideAsBefore(contact, &xfAB, margin, cache, out)) {
        return;
    }
    sdPairResult result;
    if (!sdPair_Separate(a, b, xfAB, true, contact->limit, cache, &result)) {
        return;
    }
    if (writeResult(contact, &xfAB, margin, &result, cache, out)) {
        // what has a closed form needs no memory, except that of a sphere deep inside of a hull
        bool hasHull = a->type == SD_SHAPE_HULL || b->type == SD_SHAPE_HULL;
        if (cache != NULL && !areBoxes && (result.status != SD_STATUS_EXACT || hasHull)) {
            sdPairContact_Remember(contact, &xfAB, cache);
        }
    }
}

/// Everything but two boxes, and those of which their faces do not tell.
static __attribute__((noinline)) void collideAny(const sdShape* a, const sdShape* b,
                                                 const sdTransform* xfAB, float margin,
                                                 sdPairCache* cache, sdManifold* out) {
    bool isPlane = sdHalfSpace_IsInPair(a, b);
    bool isConvexA = sdShape_IsConvex(a), isConvexB = sdShape_IsConvex(b);
    if (isPlane ? isConvexA == isConvexB : !isConvexA || !isConvexB) {
        return;
    }
    sdPairContact contact;
    startContact(&contact, a, b, xfAB, margin);
    if (isPlane) {
        collidePlane(&contact, xfAB, margin, cache, out);
    } else {
        collidePair(&contact, *xfAB, margin, cache, out);
    }
}

/// What goes with whatever points there are.
static inline int finish(sdPairCache* cache, sdManifold* out) {
    // where there are no points at all, nobody looks at them
    if (out->pointCount > 0 || out->status == SD_STATUS_INVALID) {
        for (int i = out->pointCount; i < SD_MANIFOLD_MAX_POINTS; ++i) {
            out->points[i] = (sdManifoldPoint){.id = 0};
        }
    }
    if (cache != NULL) {
        cache->isApart = out->pointCount == 0;
    }
    return out->pointCount;
}

int sdManifold_MakeAt(const sdShape* a, const sdShape* b, const sdTransform* xfAB, float margin,
                      sdPairResult* nearest, sdManifold* out) {
    sdPairContact contact;
    startContact(&contact, a, b, xfAB, margin);
    sdManifold_SetEmpty(out, nearest->status, nearest->iterations);
    writeResult(&contact, xfAB, margin, nearest, NULL, out);
    return finish(NULL, out);
}

// ---- spheres and capsules ------------------------------------------------------------------

static bool isBallOrCapsule(const sdShape* shape) {
    return shape != NULL && (shape->type == SD_SHAPE_SPHERE || shape->type == SD_SHAPE_CAPSULE);
}

/// As sdSupportFace_Touch: 1 along the length of a capsule, 0 at a round end.
/// @param along of the normal, on the capsule's axis
static int touchOfRound(const sdShape* shape, double along) {
    bool isLevel = along * along <= SD_MANIFOLD_FLAT_TILT * SD_MANIFOLD_FLAT_TILT;
    return shape->type == SD_SHAPE_CAPSULE && shape->capsule.halfLength > 0.0f && isLevel ? 1 : 0;
}

/// Spheres and capsules touch at their nearest points, in the same way as all others but without
/// faces to clip; unless capsules lie beside each other.
/// @return false when they have to be asked as all others are
static bool collideRound(const sdShape* a, const sdShape* b, const sdTransform* xfAB, float margin,
                         sdManifold* out) {
    sdPose pose;
    sdPose_Set(&pose, *xfAB);
    bool areCapsules = a->type == SD_SHAPE_CAPSULE && b->type == SD_SHAPE_CAPSULE;
    bool mayBeBeside = areCapsules && !(fabs(pose.columns[1].y) < SD_MANIFOLD_CAPSULE_TWIST);
    sdPairResult result;
    if (mayBeBeside || !sdPrimitive_Separation(a, b, *xfAB, &result)) {
        return false;
    }
    double reachA = reachOf(a), reachB = reachOf(b);
    sdManifold_SetEmpty(out, result.status, result.iterations);
    if (!(result.separation <= sdManifold_Limit(margin, reachA < reachB ? reachA : reachB, xfAB))) {
        return true;
    }
    out->normal = sdVec3d_Round(result.normal);
    out->pointCount = 1;
    out->kind = sdManifold_Kind(touchOfRound(a, result.normal.y),
                                touchOfRound(b, sdDotD(result.normal, pose.columns[1])));
    out->points[0] = (sdManifoldPoint){
        .pointA = sdVec3d_Round(result.pointA),
        .pointB = sdVec3d_Round(result.pointB),
        .separation = sdMinF((float)result.separation, margin),
        .id = SD_MANIFOLD_WITNESS_ID,
    };
    return true;
}

// ---- any two -------------------------------------------------------------------------------

static bool isScannedHull(const sdShape* shape) {
    return shape != NULL && shape->type == SD_SHAPE_HULL && shape->hull != NULL &&
           shape->hull->vertexCount <= SD_HULL_SCAN_LIMIT;
}

/// Hulls that were apart probably still are, on the same axis; those that nothing is known of, on
/// the way from middle to middle.
static bool areHullsApart(const sdShape* a, const sdShape* b, const sdTransform* xfAB, float margin,
                          const sdPairCache* cache) {
    bool isAsked = cache == NULL || (cache->isApart && cache->kind != 0);
    return isAsked && margin >= 0.0f && isScannedHull(a) && isScannedHull(b) &&
           SD_DISPATCH(sdHulls_Judge)(a->hull, b->hull, xfAB, cache != NULL ? &cache->axis : NULL,
                                      margin, NULL) == SD_HULLS_APART;
}

/// Hulls that touched probably still do, in the same way.
static bool touchAsBefore(const sdShape* a, const sdShape* b, const sdTransform* xfAB, float margin,
                          sdPairCache* cache, sdManifold* out) {
    if (a == NULL || b == NULL || a->type != SD_SHAPE_HULL || b->type != SD_SHAPE_HULL ||
        a->hull == NULL || b->hull == NULL || !(margin >= 0.0f && sdIsFinite(margin)) ||
        !SD_DISPATCH(sdHulls_Recall)(a->hull, b->hull, xfAB, margin, cache, out)) {
        return false;
    }
    out->childA = SD_NULL_INDEX;
    out->childB = SD_NULL_INDEX;
    out->status = SD_STATUS_TOLERANCE;
    out->iterations = 1;
    return true;
}

/// Everything but two boxes, and those of which their axes do not tell.
static __attribute__((noinline)) int collide(const sdShape* a, const sdShape* b,
                                             const sdTransform* xfAB, float margin,
                                             sdPairCache* cache, sdManifold* out) {
    if (areHullsApart(a, b, xfAB, margin, cache)) {
        sdManifold_SetEmpty(out, SD_STATUS_TOLERANCE, 1);
        return 0;
    }
    if (cache != NULL && cache->kind == SD_CACHE_FEATURES && !cache->isApart &&
        touchAsBefore(a, b, xfAB, margin, cache, out)) {
        return out->pointCount;
    }
    bool isMargin = margin >= 0.0f && sdIsFinite(margin);
    if (isMargin && cache == NULL && isBallOrCapsule(a) && isBallOrCapsule(b) &&
        collideRound(a, b, xfAB, margin, out)) {
        return finish(NULL, out);
    }
    sdManifold_SetEmpty(out, SD_STATUS_INVALID, 0);
    if (isMargin) {
        collideAny(a, b, xfAB, margin, cache, out);
    }
    return finish(cache, out);
}

int sdBoxes_CollideFully(const sdShape* a, const sdShape* b, const sdTransform* xfAB, float margin,
                         sdPairCache* cache, sdManifold* out) {
    sdBoxAnswer answer = SD_BOX_UNKNOWN;
    if (margin >= 0.0f && margin <= SD_MAX_REACH) {
        answer = SD_DISPATCH(sdBoxes_Collide)(a, b, xfAB, margin, cache, out);
    }
    if (answer == SD_BOX_UNKNOWN) {
        return collide(a, b, xfAB, margin, cache, out);
    }
    if (cache != NULL) {
        cache->isApart = answer == SD_BOX_APART;
    }
    if (answer == SD_BOX_APART) {
        sdManifold_SetEmpty(out, SD_STATUS_EXACT, 1);
        return 0;
    }
    out->childA = SD_NULL_INDEX;
    out->childB = SD_NULL_INDEX;
    out->status = answer == SD_BOX_KEPT ? SD_STATUS_TOLERANCE : SD_STATUS_EXACT;
    out->iterations = 1;
    return out->pointCount;
}

int sdCollide(const sdShape* a, const sdShape* b, sdTransform xfAB, float margin,
              sdPairCache* cache, sdManifold* out) {
    if (out == NULL) {
        return 0;
    }
    if (sdShape_AreBoxes(a, b)) {
        return SD_DISPATCH(sdBoxes_CollideQuickly)(a, b, &xfAB, margin, cache, out);
    }
    return collide(a, b, &xfAB, margin, cache, out);
}

int sdCollideBy(sdNarrowphase narrowphase, const sdShape* a, const sdShape* b, sdTransform xfAB,
                float margin, sdPairCache* cache, sdManifold* out) {
    if (narrowphase == SD_NARROWPHASE_AUTO || out == NULL || sdHalfSpace_IsInPair(a, b)) {
        return sdCollide(a, b, xfAB, margin, cache, out);
    }
    sdManifold_SetEmpty(out, SD_STATUS_INVALID, 0);
    sdPairContact contact;
    sdPairResult result;
    if (sdNarrowphase_IsValid(narrowphase) && margin >= 0.0f && sdIsFinite(margin) &&
        sdShape_IsConvex(a) && sdShape_IsConvex(b)) {
        startContact(&contact, a, b, &xfAB, margin);
        if (sdPair_SeparateBy(narrowphase, a, b, xfAB, contact.limit, cache, &result)) {
            writeResult(&contact, &xfAB, margin, &result, cache, out);
        }
    }
    return finish(cache, out);
}

static bool hasPieces(const sdShape* shape) {
    return shape != NULL && (shape->type == SD_SHAPE_MESH || shape->type == SD_SHAPE_COMPOUND);
}

int sdCollideMany(const sdShape* a, const sdShape* b, sdTransform xfAB, float margin,
                  sdManifold* out, int capacity, int* total) {
    if (hasPieces(a) || hasPieces(b)) {
        return sdMeshPair_CollideMany(SD_NARROWPHASE_AUTO, a, b, xfAB, margin, out, capacity,
                                      total);
    }
    sdManifold manifold;
    int count = sdCollide(a, b, xfAB, margin, NULL, &manifold) > 0 ? 1 : 0;
    if (total != NULL) {
        *total = count;
    }
    if (count == 0 || capacity < 1 || out == NULL) {
        return 0;
    }
    *out = manifold;
    return 1;
}
