// SPDX-License-Identifier: MIT
// manifold_cache.c - contact points from what touched in the last query of a pair.
//
// In:   the features that made the last normal, and the pose at the time.
// Out:  contact points along the axis of the same features at the present pose, or nothing when
//       the bodies have moved too far or no longer touch there.
// Note: an axis by the features of the bodies turns with them. The depth along any axis changes by
//       no more than the bodies have moved relative to each other, δ, so the depth along what was
//       the best axis is within 2 δ of the least one. Besides, the axis must still be a local
//       optimum: the deepest points along it must lie on both surfaces, one over the other. When
//       they do, they prove a distance, and that bodies which seem to overlap do.

#include "narrow/manifold_cache.h"
#include "narrow/manifold.h"

/// Sine of the angle within which a normal is that of a face, or across an edge.
#define ALIGNED 1e-5
/// By how much more than rounding a vertex has to be further than others, as a fraction of the
/// hull.
#define ROUNDING 2e-6
/// Faces with more sides are looked for anew.
#define KEPT_SIDES 8

static bool isSmallerB(const sdPairContact* contact) {
    return contact->reachB <= contact->reachA;
}

// ---- features ------------------------------------------------------------------------------

/// Outward normal of a flat face, in the shape's frame.
static bool faceNormal(const sdShape* shape, int index, sdVec3d* normal) {
    double side = (index & 1) == 0 ? 1.0 : -1.0;
    switch (shape->type) {
        case SD_SHAPE_BOX:
            *normal = sdV3d(index / 2 == 0 ? side : 0.0, index / 2 == 1 ? side : 0.0,
                            index / 2 == 2 ? side : 0.0);
            return index < 6;
        case SD_SHAPE_CYLINDER:
        case SD_SHAPE_CONE:
            *normal = sdV3d(0.0, side, 0.0);
            return index < 2;
        case SD_SHAPE_HULL:
            if (index >= shape->hull->faceCount) {
                return false;
            }
            *normal = sdVec3d_From(shape->hull->planes[index].normal);
            *normal = sdScaleD(1.0 / sdLengthD(*normal), *normal);
            return true;
        default:
            return false;
    }
}

/// Direction of an edge, of any length, in the shape's frame.
static bool edgeDirection(const sdShape* shape, int index, sdVec3d* edge) {
    switch (shape->type) {
        case SD_SHAPE_BOX:
            *edge = sdV3d(index == 0 ? 1.0 : 0.0, index == 1 ? 1.0 : 0.0, index == 2 ? 1.0 : 0.0);
            return index < 3;
        case SD_SHAPE_CAPSULE:
            *edge = sdV3d(0.0, 1.0, 0.0);
            return true;
        case SD_SHAPE_HULL: {
            const sdHull* hull = shape->hull;
            if (index >= hull->halfEdgeCount) {
                return false;
            }
            *edge = sdHull_EdgeOf(hull, index).along;
            return true;
        }
        default:
            return false;
    }
}

/// The axis of the remembered features at the present pose, unit, A to B.
static bool findAxis(const sdPairContact* contact, const sdPairCache* cache, sdVec3d* axis) {
    sdVec3d a, b;
    switch (cache->featureType) {
        case SD_FEATURE_FACE_A:
            return faceNormal(contact->a, cache->indexA[0], axis);
        case SD_FEATURE_FACE_B:
            if (!faceNormal(contact->b, cache->indexB[0], &b)) {
                return false;
            }
            *axis = sdScaleD(-1.0, sdPose_Rotate(&contact->pose, b));
            return true;
        default: {
            if (!edgeDirection(contact->a, cache->indexA[0], &a) ||
                !edgeDirection(contact->b, cache->indexB[0], &b)) {
                return false;
            }
            sdVec3d cross = sdCrossD(a, sdPose_Rotate(&contact->pose, b));
            double squared = sdDotD(cross, cross);
            double side = sdDotD(cross, sdVec3d_From(cache->axis)) < 0.0 ? -1.0 : 1.0;
            *axis = sdScaleD(side / sqrt(squared), cross);
            return squared > SD_CACHE_PARALLEL * SD_CACHE_PARALLEL * sdDotD(a, a) * sdDotD(b, b);
        }
    }
}

/// What made the axis, of one of the bodies: a face or an edge, or neither.
typedef struct Maker {
    int face, edge;
} Maker;

static Maker makerOf(const sdPairCache* cache, sdFeatureType face, uint16_t index) {
    bool isEdges =
        cache->featureType != SD_FEATURE_FACE_A && cache->featureType != SD_FEATURE_FACE_B;
    return (Maker){cache->featureType == face ? index : SD_NULL_INDEX,
                   isEdges ? index : SD_NULL_INDEX};
}

static bool isFurthest(const sdHull* hull, int index, sdVec3d d) {
    sdHullEdge edge = sdHull_EdgeOf(hull, index);
    return sdHullEdge_IsFurthest(&edge, d);
}

/// Height of a shape along a direction.
/// @param maker feature that looks that way, if there is one
/// @param near a vertex of a hull that was it last time; in and out
/// @param vertex that it is taken at, for hulls
static double heightOf(const sdShape* shape, sdVec3d d, Maker maker, uint16_t* near, int* vertex) {
    *vertex = SD_NULL_INDEX;
    if (shape->type != SD_SHAPE_HULL) {
        return sdSupport_Height(shape, d);
    }
    const sdHull* hull = shape->hull;
    if (maker.face != SD_NULL_INDEX) {
        *vertex = hull->edges[hull->faceEdges[maker.face]].origin;
    } else if (maker.edge != SD_NULL_INDEX && isFurthest(hull, maker.edge, d)) {
        *vertex = hull->edges[maker.edge].origin;
    } else if (hull->vertexCount <= SD_CACHE_FEW_VERTICES) {
        *vertex = sdHull_SupportScan(hull, sdVec3d_Round(d));
    } else {
        *vertex = sdHull_SupportClimb(hull, sdVec3d_Round(d), *near);
        *near = (uint16_t)*vertex;
    }
    return sdDotD(d, sdVec3d_From(hull->vertices[*vertex]));
}

/// What is kept of the face that a hull touches with: its number plus one, or 0.
static uint16_t keptFace(const sdShape* shape, const sdSupportFace* face) {
    bool isKept = shape->type == SD_SHAPE_HULL && face->polygon.count > 2 &&
                  !face->polygon.isThinned && face->index < UINT16_MAX;
    return (uint16_t)(isKept ? face->index + 1 : 0);
}

/// Some corner of that face.
static uint16_t keptVertex(const sdShape* shape, const sdSupportFace* face) {
    uint16_t kept = keptFace(shape, face);
    return (uint16_t)(kept > 0 ? shape->hull->edges[shape->hull->faceEdges[kept - 1]].origin : 0);
}

/// Whether a face of few sides has a vertex.
static bool hasVertex(const sdHull* hull, int face, int vertex) {
    int first = hull->faceEdges[face], e = first;
    for (int i = 0; i < KEPT_SIDES; ++i) {
        if (hull->edges[e].origin == vertex) {
            return true;
        }
        e = hull->edges[e].next;
        if (e == first) {
            return false;
        }
    }
    return false;
}

/// The part of a body that looks along a direction. The face of last time stays as long as the
/// furthest vertex is one of its corners: to look at all faces there takes longer than all else.
/// @param face that made the axis, or SD_NULL_INDEX
/// @param kept see keptFace; in and out
static void findFace(sdSupportFace* out, const sdShape* shape, sdVec3d d, int face, int vertex,
                     const sdPose* pose, uint16_t* kept) {
    int last = *kept - 1;
    if (face == SD_NULL_INDEX && shape->type == SD_SHAPE_HULL && last >= 0 &&
        last < shape->hull->faceCount && hasVertex(shape->hull, last, vertex) &&
        sdDotD(sdVec3d_From(shape->hull->planes[last].normal), d) > SD_SUPPORT_FACE_COSINE) {
        face = last;
    }
    if (face != SD_NULL_INDEX && shape->type == SD_SHAPE_HULL) {
        sdSupportFace_SetHullFace(out, shape->hull, face, pose);
    } else {
        sdSupportFace_Find(out, shape, d, vertex, pose);
        *kept = keptFace(shape, out);
    }
}

/// Whether a point of the other body is over a face.
/// @param n unit, along which is looked, out of the face
static bool isOver(const sdSupportFace* face, sdVec3d p, sdVec3d n, double tolerance) {
    const sdClipPolygon* polygon = &face->polygon;
    bool isInside = polygon->count > 2;
    for (int i = 0; i < polygon->count; ++i) {
        sdVec3d from = polygon->points[i].p;
        sdVec3d side = sdSubD(polygon->points[i + 1 < polygon->count ? i + 1 : 0].p, from);
        sdVec3d outward = sdCrossD(side, n);
        double length = fabs(outward.x) + fabs(outward.y) + fabs(outward.z);
        isInside = isInside && sdDotD(outward, sdSubD(p, from)) <= tolerance * length;
    }
    return isInside;
}

/// The deepest point of a body over a face of the other, which no corner has: the end of a capsule,
/// the rim of a cylinder, a corner of a hull whose faces are all steep.
static bool addDeepest(sdPairContact* contact, bool isFaceA, int vertex) {
    const sdShape* shape = isFaceA ? contact->b : contact->a;
    sdVec3d n = contact->normal;
    sdVec3d d = isFaceA ? sdPose_InvRotate(&contact->pose, sdScaleD(-1.0, n)) : n;
    sdVec3d p = vertex != SD_NULL_INDEX ? sdVec3d_From(shape->hull->vertices[vertex])
                                        : sdSupport_Point(shape, d);
    p = isFaceA ? sdPose_Point(&contact->pose, p) : p;
    if (!isOver(isFaceA ? &contact->faceA : &contact->faceB, p, isFaceA ? n : sdScaleD(-1.0, n),
                SD_MANIFOLD_RIM * contact->size)) {
        return false;
    }
    sdVec3d pointA = isFaceA ? sdMulAddD(p, -contact->deepest, n) : p;
    sdPairContact_AddDeepest(contact, pointA, isFaceA ? p : sdMulAddD(p, contact->deepest, n));
    return true;
}

sdCacheAnswer sdPairContact_Recall(sdPairContact* contact, const sdTransform* xfAB,
                                   sdPairCache* cache) {
    if (cache->kind != SD_CACHE_FEATURES || contact->a->type == SD_SHAPE_TRIANGLE ||
        contact->b->type == SD_SHAPE_TRIANGLE || !sdTransform_IsValid(*xfAB) ||
        !(2.0 * sdPairCache_Motion(cache, isSmallerB(contact), contact->size, xfAB,
                                   sdPairCache_Turn(cache, xfAB)) <=
          SD_CACHE_MOTION * contact->size)) {
        return SD_CACHE_NOTHING;
    }
    sdVec3d n;
    sdPose_Set(&contact->pose, *xfAB);
    if (!findAxis(contact, cache, &n)) {
        return SD_CACHE_NOTHING;
    }
    Maker makerA = makerOf(cache, SD_FEATURE_FACE_A, cache->indexA[0]);
    Maker makerB = makerOf(cache, SD_FEATURE_FACE_B, cache->indexB[0]);
    int faceA = makerA.face, faceB = makerB.face, vertexA, vertexB;
    sdVec3d inB = sdPose_InvRotate(&contact->pose, sdScaleD(-1.0, n));
    contact->normal = n;
    contact->deepest = sdDotD(n, contact->pose.offset) -
                       heightOf(contact->a, n, makerA, &cache->indexA[2], &vertexA) -
                       heightOf(contact->b, inB, makerB, &cache->indexB[2], &vertexB);
    cache->axis = sdVec3d_Round(n);
    if (contact->deepest > contact->limit) {
        return SD_CACHE_APART;
    }
    findFace(&contact->faceA, contact->a, n, faceA, vertexA, NULL, &cache->indexA[1]);
    findFace(&contact->faceB, contact->b, inB, faceB, vertexB, &contact->pose, &cache->indexB[1]);
    if (contact->a->type == SD_SHAPE_HULL && contact->b->type == SD_SHAPE_HULL) {
        sdPairCache_KeepFaces(cache, contact->a->hull, contact->b->hull);
    }
    sdPairContact_AddPoints(contact);
    bool isFound = sdPairContact_HasDeepest(contact) ||
                   (faceA != SD_NULL_INDEX && addDeepest(contact, true, vertexB)) ||
                   (faceB != SD_NULL_INDEX && addDeepest(contact, false, vertexA));
    return isFound ? SD_CACHE_CONTACT : SD_CACHE_NOTHING;
}

// ---- remembering ---------------------------------------------------------------------------

/// Whether a face looks along a direction.
static bool isAligned(const sdSupportFace* face, sdVec3d n) {
    sdVec3d turn = sdCrossD(face->normal, n);
    return face->polygon.count > 2 && face->index != SD_NULL_INDEX && face->index <= UINT16_MAX &&
           sdDotD(turn, turn) <= ALIGNED * ALIGNED && sdDotD(face->normal, n) > 0.0;
}

/// Which edge of its shape the side of a face is.
static int edgeOf(const sdShape* shape, const sdSupportFace* face, int side) {
    int label = face->polygon.points[side].out;
    switch (shape->type) {
        case SD_SHAPE_BOX: {
            int axis = label / 8, u = axis == 2 ? 0 : axis + 1, v = axis == 0 ? 2 : axis - 1;
            return face->polygon.count != 4 ? SD_NULL_INDEX : ((label & 1) == 0 ? u : v);
        }
        case SD_SHAPE_CAPSULE:
            return face->polygon.count == 2 ? 0 : SD_NULL_INDEX;
        case SD_SHAPE_HULL:
            return face->polygon.isThinned || label > UINT16_MAX ? SD_NULL_INDEX : label;
        default:
            return SD_NULL_INDEX;
    }
}

/// The highest side of a face that is across the normal.
/// @param direction of it
static int edgeAcross(const sdShape* shape, const sdSupportFace* face, sdVec3d n,
                      sdVec3d* direction) {
    int best = SD_NULL_INDEX, count = face->polygon.count;
    double most = -DBL_MAX;
    for (int i = 0; i < count && count >= 2; ++i) {
        sdVec3d from = face->polygon.points[i].p;
        sdVec3d edge = sdSubD(face->polygon.points[i + 1 < count ? i + 1 : 0].p, from);
        double along = sdDotD(edge, n), height = sdDotD(from, n);
        bool isAcross = along * along <= ALIGNED * ALIGNED * sdDotD(edge, edge);
        if (isAcross && height > most) {
            most = height;
            best = edgeOf(shape, face, i);
            *direction = edge;
        }
    }
    return best;
}

/// How far a direction may turn until another vertex is further along it than this one, by its
/// neighbours.
static double steadinessOfVertex(const sdHull* hull, int vertex, sdVec3d d) {
    double least = 1.0, rounding = ROUNDING * (double)hull->reach;
    sdVec3d p = sdVec3d_From(hull->vertices[vertex]);
    for (int i = hull->neighborStarts[vertex]; i < hull->neighborStarts[vertex + 1]; ++i) {
        sdVec3d down = sdSubD(p, sdVec3d_From(hull->vertices[hull->neighbors[i]]));
        double steady = (sdDotD(down, d) - rounding) / sdLengthD(down);
        least = steady < least ? steady : least;
    }
    return least;
}

/// The same of an edge, by the faces beside it.
static double steadinessOfEdge(const sdHull* hull, int index, sdVec3d d) {
    sdHullEdge edge = sdHull_EdgeOf(hull, index);
    double rise = sdDotD(sdCrossD(edge.left, edge.along), d);
    double other = sdDotD(sdCrossD(edge.along, edge.right), d);
    double rounding = ROUNDING * (double)hull->reach;
    return -((rise > other ? rise : other) + rounding) / sdLengthD(edge.along);
}

/// The corner of a face that is the furthest.
static int furthestCorner(const sdHull* hull, int face, sdVec3d d) {
    int first = hull->faceEdges[face], best = hull->edges[first].origin;
    int end = face + 1 < hull->faceCount ? hull->faceEdges[face + 1] : hull->halfEdgeCount;
    for (int e = first + 1; e < end; ++e) {
        sdVec3 v = hull->vertices[hull->edges[e].origin];
        bool isFurther = sdDotD(sdVec3d_From(v), d) > sdDotD(sdVec3d_From(hull->vertices[best]), d);
        best = isFurther ? hull->edges[e].origin : best;
    }
    return best;
}

/// What lets two hulls be asked by the same vertices, without a look at those beside them.
static void rememberSteadiness(const sdPairContact* contact, sdPairCache* cache) {
    const sdHull *a = contact->a->hull, *b = contact->b->hull;
    int faceA = cache->indexA[1] - 1, faceB = cache->indexB[1] - 1;
    if (faceA < 0 || faceB < 0) {
        return;
    }
    sdVec3d n = contact->normal, inB = sdPose_InvRotate(&contact->pose, sdScaleD(-1.0, n));
    double steady;
    if (cache->featureType == SD_FEATURE_FACE_A) {
        int vertex = furthestCorner(b, faceB, inB);
        cache->indexB[2] = (uint16_t)vertex;
        steady = vertex <= UINT16_MAX ? steadinessOfVertex(b, vertex, inB) : 0.0;
    } else if (cache->featureType == SD_FEATURE_FACE_B) {
        int vertex = furthestCorner(a, faceA, n);
        cache->indexA[2] = (uint16_t)vertex;
        steady = vertex <= UINT16_MAX ? steadinessOfVertex(a, vertex, n) : 0.0;
    } else {
        double ofA = steadinessOfEdge(a, cache->indexA[0], n);
        double ofB = steadinessOfEdge(b, cache->indexB[0], inB);
        steady = ofA < ofB ? ofA : ofB;
    }
    steady = (steady < 1.0 ? steady : 1.0) * SD_CACHE_STEADY - 1.0;
    cache->indexA[3] = (uint16_t)(steady > 0.0 ? steady : 0.0);
    cache->indexB[3] = sdPairCache_Check(cache, a, b);
}

void sdPairContact_Remember(const sdPairContact* contact, const sdTransform* xfAB,
                            sdPairCache* cache) {
    sdVec3d n = contact->normal, back = sdScaleD(-1.0, n), u, v;
    int indexA = contact->faceA.index, indexB = contact->faceB.index;
    sdFeatureType type;
    // a body without thickness can be passed through by a hair
    if (contact->a->type == SD_SHAPE_TRIANGLE || contact->b->type == SD_SHAPE_TRIANGLE) {
        return;
    }
    if (isAligned(&contact->faceA, n)) {
        type = SD_FEATURE_FACE_A;
    } else if (isAligned(&contact->faceB, back)) {
        type = SD_FEATURE_FACE_B;
    } else {
        type = SD_FEATURE_EDGE_EDGE;
        indexA = edgeAcross(contact->a, &contact->faceA, n, &u);
        indexB = edgeAcross(contact->b, &contact->faceB, back, &v);
        if (indexA == SD_NULL_INDEX || indexB == SD_NULL_INDEX) {
            return;
        }
        sdVec3d cross = sdCrossD(u, v);
        if (!(sdDotD(cross, cross) >
              SD_CACHE_PARALLEL * SD_CACHE_PARALLEL * sdDotD(u, u) * sdDotD(v, v))) {
            return;
        }
    }
    sdPairCache last = *cache;
    *cache = (sdPairCache){
        .axis = sdVec3d_Round(n),
        .indexA = {(uint16_t)indexA, keptFace(contact->a, &contact->faceA),
                   keptVertex(contact->a, &contact->faceA)},
        .indexB = {(uint16_t)indexB, keptFace(contact->b, &contact->faceB),
                   keptVertex(contact->b, &contact->faceB)},
        .count = 1,
        .kind = SD_CACHE_FEATURES,
        .featureType = (uint8_t)type,
        .origin = sdPairCache_Origin(isSmallerB(contact), xfAB),
        .rotation = xfAB->q,
        .pointCount = last.pointCount,
    };
    memcpy(cache->pointIds, last.pointIds, sizeof last.pointIds);
    if (contact->a->type == SD_SHAPE_HULL && contact->b->type == SD_SHAPE_HULL) {
        rememberSteadiness(contact, cache);
        sdPairCache_KeepFaces(cache, contact->a->hull, contact->b->hull);
    }
}
