// SPDX-License-Identifier: MIT
// feature.c - contact sets of touching polyhedra.
//
// In:   two polyhedra, the axis of their smallest overlap.
// Out:  their common points: a point, a segment or a convex polygon, in the plane halfway between
//       the two surfaces. Never allocates.
// Ref:  S3 §2.5.2, §3.2.
// Note: the features are those that the axis meets first, found by height along it and not by the
//       kind of axis: the axis of a face may end at a face, an edge or a vertex of the other body.

#include "narrow/feature.h"

#include "narrow/clip.h"
#include "narrow/gjk.h"

// ---- the feature of one body ---------------------------------------------------------------

typedef struct Touch {
    const sdSatPair* pair;
    sdVec3d axis;       ///< unit, A to B
    double levelA;      ///< of A's furthest point along the axis
    double levelB;      ///< of B's nearest
    double flatness[2]; ///< vertices of B, of A that are no further from the level touch, m
    double tolerance;   ///< points of the set that are no further from each other are one, m
} Touch;

/// How far a vertex is from the plane in which its body touches.
static double depthOf(const Touch* touch, bool isOfA, sdVec3d p) {
    double height = sdDotD(touch->axis, p);
    return isOfA ? touch->levelA - height : height - touch->levelB;
}

static sdVec3d vertexOf(const Touch* touch, bool isOfA, int vertex) {
    const sdPolyhedron* body = isOfA ? &touch->pair->a : &touch->pair->b;
    sdVec3d p = sdVec3d_From(body->vertices[vertex]);
    return isOfA ? p : sdConvexPair_ToA(&touch->pair->convex, p);
}

/// The face that looks most along the axis.
static int facingFace(const Touch* touch, bool isOfA) {
    const sdPolyhedron* body = isOfA ? &touch->pair->a : &touch->pair->b;
    const sdVec3d* columns = touch->pair->convex.columns;
    sdVec3d axis = touch->axis;
    if (!isOfA) {
        axis =
            sdV3d(-sdDotD(axis, columns[0]), -sdDotD(axis, columns[1]), -sdDotD(axis, columns[2]));
    }
    int best = 0;
    double most = -DBL_MAX;
    for (int f = 0; f < body->faceCount; ++f) {
        double along = sdDotD(axis, sdVec3d_From(body->planes[f].normal));
        best = along > most ? f : best;
        most = along > most ? along : most;
    }
    return best;
}

static double deepest(const Touch* touch, bool isOfA, const sdClipPolygon* polygon) {
    double most = 0.0;
    for (int i = 0; i < polygon->count; ++i) {
        most = fmax(most, depthOf(touch, isOfA, polygon->points[i].p));
    }
    return most;
}

/// The longest edge that touches, or failing that the vertex that is first along the axis. Bodies
/// without thickness have edges that are only points.
static void setEdge(sdClipPolygon* polygon, const Touch* touch, bool isOfA) {
    const sdPolyhedron* body = isOfA ? &touch->pair->a : &touch->pair->b;
    double flatness = touch->flatness[isOfA], least = DBL_MAX, longest = -1.0;
    sdClipPoint ends[2] = {0}, vertex = {0};
    for (int e = 0; e < body->halfEdgeCount; ++e) {
        int twin = body->edges[e].twin;
        sdVec3d p = vertexOf(touch, isOfA, body->edges[e].origin);
        double depth = depthOf(touch, isOfA, p);
        if (depth < least) {
            least = depth;
            vertex = (sdClipPoint){p, e, e};
        }
        if (depth > flatness || e > twin) {
            continue;
        }
        sdVec3d q = vertexOf(touch, isOfA, body->edges[twin].origin);
        double length = sdLengthD(sdSubD(q, p));
        if (depthOf(touch, isOfA, q) <= flatness && length > longest) {
            longest = length;
            ends[0] = (sdClipPoint){p, e, e};
            ends[1] = (sdClipPoint){q, e, e};
        }
    }
    bool isEdge = longest >= 0.0;
    polygon->points[0] = isEdge ? ends[0] : vertex;
    polygon->points[1] = ends[1];
    polygon->count = isEdge ? 2 : 1;
    polygon->isThinned = false;
}

// ---- points, segments and polygons ---------------------------------------------------------

/// Into the plane halfway between the surfaces.
static void flatten(sdClipPolygon* polygon, const Touch* touch) {
    double level = 0.5 * (touch->levelA + touch->levelB);
    for (int i = 0; i < polygon->count; ++i) {
        sdVec3d* p = &polygon->points[i].p;
        *p = sdMulAddD(*p, level - sdDotD(touch->axis, *p), touch->axis);
    }
}

static void dropRepeated(sdClipPolygon* polygon, double tolerance) {
    int count = 0;
    for (int i = 0; i < polygon->count; ++i) {
        sdVec3d p = polygon->points[i].p;
        bool isRepeated =
            count > 0 && sdLengthD(sdSubD(p, polygon->points[count - 1].p)) <= tolerance;
        isRepeated |= count > 1 && i == polygon->count - 1 &&
                      sdLengthD(sdSubD(p, polygon->points[0].p)) <= tolerance;
        if (!isRepeated) {
            polygon->points[count++] = polygon->points[i];
        }
    }
    polygon->count = count;
}

/// The two corners that are furthest from each other, one of them being furthest from the first.
static void findEnds(const sdClipPolygon* polygon, int ends[2]) {
    ends[0] = 0;
    for (int k = 0; k < 2; ++k) {
        int from = ends[0];
        double most = -1.0;
        for (int i = 0; i < polygon->count; ++i) {
            sdVec3d d = sdSubD(polygon->points[i].p, polygon->points[from].p);
            if (sdDotD(d, d) > most) {
                most = sdDotD(d, d);
                ends[0] = i;
            }
        }
        ends[1] = from;
    }
}

/// Make a point of corners that coincide and a segment of corners on a line.
static void simplify(sdClipPolygon* polygon, double tolerance) {
    dropRepeated(polygon, tolerance);
    if (polygon->count < 2) {
        return;
    }
    int ends[2];
    findEnds(polygon, ends);
    sdClipPoint a = polygon->points[ends[1]], b = polygon->points[ends[0]];
    sdVec3d along = sdSubD(b.p, a.p);
    double length = sdLengthD(along);
    for (int i = 0; i < polygon->count; ++i) {
        sdVec3d across = sdCrossD(along, sdSubD(polygon->points[i].p, a.p));
        if (sdLengthD(across) > tolerance * length) {
            return;
        }
    }
    polygon->points[0] = a;
    polygon->points[1] = b;
    polygon->count = length > tolerance ? 2 : 1;
}

static void setFeature(sdClipPolygon* polygon, const Touch* touch, bool isOfA) {
    sdClip_SetFace(polygon, touch->pair, isOfA, facingFace(touch, isOfA));
    if (deepest(touch, isOfA, polygon) > touch->flatness[isOfA]) {
        setEdge(polygon, touch, isOfA);
    }
    flatten(polygon, touch);
    simplify(polygon, touch->tolerance);
}

// ---- what two features have in common ------------------------------------------------------

/// Two segments in a plane: what they share of a line, or where they cross.
static void meetSegments(sdClipPolygon* a, const sdClipPolygon* b, double tolerance) {
    sdVec3d p = a->points[0].p, u = sdSubD(a->points[1].p, p);
    sdVec3d q = b->points[0].p, v = sdSubD(b->points[1].p, q);
    double uu = sdDotD(u, u), uv = sdDotD(u, v), vv = sdDotD(v, v);
    sdVec3d w = sdSubD(q, p), across = sdCrossD(u, v);
    double lengthU = sqrt(uu), lengthV = sqrt(vv), area = sdLengthD(across);
    // apart from each other by less than the tolerance along the shorter one
    if (area <= tolerance * fmax(lengthU, lengthV)) {
        double s0 = sdDotD(w, u) / uu, s1 = (sdDotD(w, u) + uv) / uu;
        double from = fmin(fmax(fmin(s0, s1), 0.0), 1.0);
        double to = fmin(fmax(fmax(s0, s1), 0.0), 1.0);
        a->points[0].p = sdMulAddD(p, from, u);
        a->points[1].p = sdMulAddD(p, to, u);
        return;
    }
    double s = (vv * sdDotD(w, u) - uv * sdDotD(w, v)) / (area * area);
    s = fmin(fmax(s, 0.0), 1.0);
    a->points[0].p = sdMulAddD(p, s, u);
    a->count = 1;
}

/// How far a point is outside of a feature, in the plane of the touch.
static double gapOf(const sdClipPolygon* feature, sdVec3d p, sdVec3d normal) {
    if (feature->count < 3) {
        sdVec3d a = feature->points[0].p, d = sdSubD(feature->points[feature->count - 1].p, a);
        double dd = sdDotD(d, d);
        double t = dd > 0.0 ? fmin(fmax(sdDotD(sdSubD(p, a), d) / dd, 0.0), 1.0) : 0.0;
        return sdLengthD(sdSubD(p, sdMulAddD(a, t, d)));
    }
    double most = -DBL_MAX;
    for (int i = 0; i < feature->count; ++i) {
        sdVec3d a = feature->points[i].p, b = feature->points[(i + 1) % feature->count].p;
        sdVec3d outward = sdCrossD(sdSubD(b, a), normal);
        most = fmax(most, sdDotD(outward, sdSubD(p, a)) / sdLengthD(outward));
    }
    return most;
}

/// Of polygons that miss each other by rounding: the corner that misses least.
static void setNearestCorner(sdClipPolygon* out, const sdClipPolygon* corners,
                             const sdClipPolygon* sides, sdVec3d normal) {
    double least = DBL_MAX;
    for (int k = 0; k < corners->count; ++k) {
        double most = gapOf(sides, corners->points[k].p, normal);
        if (most < least) {
            least = most;
            out->points[0] = corners->points[k];
        }
    }
    out->count = 1;
}

/// @param out a copy of a feature that has no more corners than the other
static void intersect(sdClipPolygon* out, const sdClipPolygon* other, const Touch* touch,
                      bool isOtherOfA) {
    // counter-clockwise around the face's own normal
    sdVec3d normal = sdScaleD(isOtherOfA ? 1.0 : -1.0, touch->axis);
    if (out->count == 1) {
        return;
    }
    if (other->count == 2) {
        meetSegments(out, other, touch->tolerance);
    } else {
        sdClipPolygon whole = *out;
        sdClip_BySides(out, other, normal, touch->tolerance);
        if (out->count == 0) {
            setNearestCorner(out, &whole, other, normal);
        }
    }
    simplify(out, touch->tolerance);
}

// ---- kind ----------------------------------------------------------------------------------

static bool isNearSegment(sdVec3d p, sdVec3d a, sdVec3d b, double tolerance) {
    sdVec3d d = sdSubD(b, a), w = sdSubD(p, a);
    double dd = sdDotD(d, d);
    double t = dd > 0.0 ? fmin(fmax(sdDotD(w, d) / dd, 0.0), 1.0) : 0.0;
    return sdLengthD(sdMulAddD(w, -t, d)) <= tolerance;
}

static bool areAllNear(const sdClipPolygon* set, sdVec3d a, sdVec3d b, double tolerance) {
    for (int i = 0; i < set->count; ++i) {
        if (!isNearSegment(set->points[i].p, a, b, tolerance)) {
            return false;
        }
    }
    return true;
}

/// 0, 1, 2: the set lies in a vertex, an edge, the face of the feature.
static int dimension(const sdClipPolygon* feature, const sdClipPolygon* set, double tolerance) {
    int least = feature->count > 2 ? 2 : feature->count - 1;
    for (int i = 0; i < feature->count; ++i) {
        sdVec3d a = feature->points[i].p;
        sdVec3d b = feature->points[(i + 1) % feature->count].p;
        if (areAllNear(set, a, a, tolerance)) {
            return 0;
        }
        if (least == 2 && areAllNear(set, a, b, tolerance)) {
            least = 1;
        }
    }
    return least;
}

static sdContactKind kindOf(int a, int b) {
    static const sdContactKind kinds[3][3] = {
        {SD_CONTACT_VERTEX_VERTEX, SD_CONTACT_VERTEX_EDGE, SD_CONTACT_VERTEX_FACE},
        {SD_CONTACT_VERTEX_EDGE, SD_CONTACT_EDGE_EDGE, SD_CONTACT_EDGE_FACE},
        {SD_CONTACT_VERTEX_FACE, SD_CONTACT_EDGE_FACE, SD_CONTACT_FACE_FACE}};
    return kinds[a][b];
}

// ---- the set -------------------------------------------------------------------------------

static void setPoints(sdContactSet* out, const sdClipPolygon* set) {
    bool isCut = set->isThinned || set->count > SD_CONTACT_SET_MAX_POINTS;
    out->pointCount = sdMinI(set->count, SD_CONTACT_SET_MAX_POINTS);
    // evenly spread over the corners where there are too many
    for (int i = 0; i < out->pointCount; ++i) {
        int from = (int)((int64_t)i * set->count / out->pointCount);
        out->points[i] = sdVec3d_Round(set->points[from].p);
    }
    out->status = isCut ? SD_STATUS_LIMIT : SD_STATUS_EXACT;
}

static void setTouch(Touch* touch, const sdSatPair* pair, sdVec3d axis) {
    const sdConvexPair* convex = &pair->convex;
    int index;
    double sizeA = (double)convex->a.reach, sizeB = (double)convex->b.reach;
    double rounding = (double)FLT_EPSILON * (convex->scale + sdLengthD(convex->offset));
    touch->pair = pair;
    touch->axis = axis;
    touch->levelA = sdDotD(axis, sdConvexPair_SupportA(convex, axis, &index));
    touch->levelB = sdDotD(axis, sdConvexPair_SupportB(convex, sdScaleD(-1.0, axis), &index));
    touch->flatness[1] = SD_TOUCH_TOLERANCE * sizeA + rounding;
    touch->flatness[0] = SD_TOUCH_TOLERANCE * sizeB + rounding;
    // a small body on a large one
    touch->tolerance = fmin(touch->flatness[0], touch->flatness[1]);
}

/// Axes only bound the distance of bodies that are apart: a gap of nearly nothing along the best of
/// them may belong to bodies that are far from each other sideways.
/// @return false when they do not touch; else *point is between their nearest points
static bool findTouch(const Touch* touch, sdVec3d* point) {
    sdGjkOutput gjk;
    gjk.simplex.count = 0;
    SD_DISPATCH(sdGjk_Run)
    (&touch->pair->convex, &touch->axis, touch->tolerance, &touch->axis, 0.0, &gjk);
    // only what is proved: between needles the distance may stop short of the tolerance
    if (!gjk.isOverlapping && gjk.lowerBound > touch->tolerance) {
        return false;
    }
    sdVec3d onA, onB;
    sdGjk_Witnesses(&gjk.simplex, &onA, &onB);
    *point = sdScaleD(0.5, sdAddD(onA, onB));
    return true;
}

/// The point of a set that is a point only is part of both features. A needle can touch along many
/// axes at once; along the wrong one the other body may have a feature that is far away.
static bool isCommon(const sdClipPolygon* set, const sdClipPolygon* a, const sdClipPolygon* b,
                     const Touch* touch) {
    sdVec3d p = set->points[0].p, axis = touch->axis;
    double allowed = 4.0 * fmax(touch->flatness[0], touch->flatness[1]);
    return set->count != 1 ||
           (gapOf(a, p, axis) <= allowed && gapOf(b, p, sdScaleD(-1.0, axis)) <= allowed);
}

void sdSatPair_ContactSet(const sdSatPair* pair, sdVec3d axis, sdContactSet* out) {
    Touch touch;
    setTouch(&touch, pair, axis);
    *out = (sdContactSet){.normal = sdVec3d_Round(axis), .status = SD_STATUS_EXACT};
    bool isDeep = touch.levelA - touch.levelB > touch.tolerance;
    sdVec3d touchPoint = sdV3d(0.0, 0.0, 0.0);
    if (!isDeep && !findTouch(&touch, &touchPoint)) {
        return;
    }
    sdClipPolygon a, b;
    setFeature(&a, &touch, true);
    setFeature(&b, &touch, false);
    bool isAFewer = a.count < b.count;
    sdClipPolygon set = isAFewer ? a : b;
    intersect(&set, isAFewer ? &b : &a, &touch, !isAFewer);
    set.isThinned = a.isThinned || b.isThinned || set.isThinned;
    if (!isDeep && !isCommon(&set, &a, &b, &touch)) {
        set.points[0].p = touchPoint;
    }
    setPoints(out, &set);
    out->kind = kindOf(dimension(&a, &set, 2.0 * touch.tolerance),
                       dimension(&b, &set, 2.0 * touch.tolerance));
}

sdVec3d sdSatPair_LeastOverlap(sdSatPair* pair) {
    // features are found by height here; an axis that is not quite the best would move the points
    pair->tie = 0.0;
    sdFacet facet;
    sdSatPair_Search(pair, true, &facet);
    return facet.axis;
}

sdContactSet sdSat_ContactSet(const sdShape* a, const sdShape* b, sdTransform xfAB) {
    sdContactSet out = {.status = SD_STATUS_INVALID};
    sdSatPair pair;
    if (sdSatPair_Init(&pair, a, b, xfAB)) {
        sdSatPair_ContactSet(&pair, sdSatPair_LeastOverlap(&pair), &out);
    }
    return out;
}
