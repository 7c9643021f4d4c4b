// SPDX-License-Identifier: MIT
// manifold2d.c - where two bodies in the plane touch: one or two points.
//
// In:   the Minkowski difference of two polygons and its point nearest to the origin.
// Out:  a manifold for a solver; the contact set, a point or a segment.
// Ref:  Catto, "Contact manifolds", GDC 2007; S3 §2.5.

#include "planar/difference2d.h"

#include <string.h>

/// Bit of an id: the vertex is A's and the edge B's.
#define ID_VERTEX_OF_A 0x10000u
/// Bit of an id: two vertices.
#define ID_VERTICES 0x20000u

static uint32_t featureId(bool isVertexOfA, int vertex, int edge) {
    return (isVertexOfA ? ID_VERTEX_OF_A : 0u) | (uint32_t)edge << 8 | (uint32_t)vertex;
}

/// @param pointA, pointB on the cores
static void addPoint(const sdDifference2* d, sdVec2d normal, sdVec2d pointA, sdVec2d pointB,
                     double margin, uint32_t id, sdManifold2* out) {
    double separation = sdDot2D(normal, sdSub2D(pointB, pointA)) - d->radius;
    if (separation > margin) {
        return;
    }
    sdManifoldPoint2* point = &out->points[out->pointCount++];
    point->pointA = sdVec2d_ToFloat(sdMulAdd2D(pointA, d->a.radius, normal));
    point->pointB = sdVec2d_ToFloat(sdMulAdd2D(pointB, -d->b.radius, normal));
    point->separation = (float)separation;
    point->id = id;
}

/// The edge that faces most against `outward`, the outward normal of the other body's edge.
static int incidentEdge(const sdCore2* core, sdVec2d outward) {
    int best = 0;
    double least = DBL_MAX;
    for (int i = 0; i < core->count; ++i) {
        sdVec2d e = core->edges[i];
        double length = sqrt(sdDot2D(e, e));
        double along = length > 0.0 ? (outward.x * e.y - outward.y * e.x) / length : DBL_MAX;
        if (along < least) {
            least = along;
            best = i;
        }
    }
    return best;
}

/// The incident edge, cut to the width of the reference edge. Each end is a vertex of the incident
/// edge or lies above a vertex of the reference edge.
static void clipEdges(const sdDifference2* d, const sdNearest2* nearest, double margin,
                      sdManifold2* out) {
    bool isReferenceA = d->isEdgeOfA[nearest->edge];
    const sdCore2* reference = isReferenceA ? &d->a : &d->b;
    const sdCore2* incident = isReferenceA ? &d->b : &d->a;
    int r = isReferenceA ? d->indexA[nearest->edge] : d->indexB[nearest->edge];
    double sign = isReferenceA ? 1.0 : -1.0;
    sdVec2d outward = {sign * nearest->normal.x, sign * nearest->normal.y};
    sdVec2d along = {-outward.y, outward.x};
    int i = incidentEdge(incident, outward);
    sdVec2d origin = reference->vertices[r];
    double width = sdDot2D(along, reference->edges[r]);
    double from = sdDot2D(along, sdSub2D(incident->vertices[i], origin));
    double step = sdDot2D(along, incident->edges[i]); // negative: edges run against each other
    double tiny = (double)FLT_EPSILON * d->size;
    for (int end = 0; end < 2; ++end) {
        double at = end == 0 ? from : from + step;
        double cut = at < 0.0 ? 0.0 : (at > width ? width : at);
        // an end that is beside the width by rounding is not cut: where edges are at right angles,
        // all of the incident one would be, and its deep end with it
        cut = fabs(cut - at) <= tiny ? at : cut;
        double t = cut == at || step == 0.0 ? (double)end : (cut - from) / step;
        t = t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
        sdVec2d p = sdMulAdd2D(incident->vertices[i], t, incident->edges[i]);
        double above = sdDot2D(outward, sdSub2D(p, origin));
        sdVec2d foot = sdMulAdd2D(p, -above, outward);
        bool isCut = cut != at;
        int incidentVertex = (i + end) % incident->count;
        int referenceVertex = (r + (at < 0.0 ? 0 : 1)) % reference->count;
        uint32_t id = isCut ? featureId(isReferenceA, referenceVertex, i)
                            : featureId(!isReferenceA, incidentVertex, r);
        addPoint(d, nearest->normal, isReferenceA ? foot : p, isReferenceA ? p : foot, margin, id,
                 out);
    }
}

/// Both ends in one place are one point.
static void dropTwin(const sdDifference2* d, sdManifold2* out) {
    double tiny = (double)FLT_EPSILON * d->size;
    if (out->pointCount == 2) {
        sdVec2d gap =
            sdSub2D(sdVec2d_From(out->points[0].pointA), sdVec2d_From(out->points[1].pointA));
        if (sdDot2D(gap, gap) <= tiny * tiny) {
            bool isSecondDeeper = out->points[1].separation < out->points[0].separation;
            out->points[0] = isSecondDeeper ? out->points[1] : out->points[0];
            out->points[1] = (sdManifoldPoint2){0};
            out->pointCount = 1;
        }
    }
}

int sdDifference2_Manifold(const sdDifference2* d, const sdNearest2* nearest, double margin,
                           sdManifold2* out) {
    memset(out, 0, sizeof *out);
    out->status = SD_STATUS_EXACT;
    out->iterations = d->count;
    double separation = nearest->separation - d->radius;
    if (separation > margin) {
        return 0;
    }
    out->normal = sdVec2d_ToFloat(nearest->normal);
    int k = nearest->edge;
    bool isEdge = !nearest->isVertex && d->count > 1;
    bool isOtherEdge = (d->isEdgeOfA[k] ? d->b.count : d->a.count) > 1;
    if (isEdge && isOtherEdge) {
        clipEdges(d, nearest, margin, out);
        dropTwin(d, out);
    }
    if (out->pointCount == 0) {
        uint32_t id = ID_VERTICES | (uint32_t)d->indexA[k] << 8 | d->indexB[k];
        if (isEdge) {
            id = d->isEdgeOfA[k] ? featureId(false, d->indexB[k], d->indexA[k])
                                 : featureId(true, d->indexA[k], d->indexB[k]);
        }
        addPoint(d, nearest->normal, nearest->pointA, nearest->pointB, DBL_MAX, id, out);
    }
    out->kind = out->pointCount == 2 ? SD_CONTACT_EDGE_EDGE
                                     : (isEdge ? SD_CONTACT_VERTEX_EDGE : SD_CONTACT_VERTEX_VERTEX);
    return out->pointCount;
}

/// Distance from A's first vertex over which tolerances of the contact set are measured: the
/// bodies' own size, wherever they are.
static double bodySize(const sdCore2* core) {
    double size = core->radius;
    for (int i = 1; i < core->count; ++i) {
        sdVec2d d = sdSub2D(core->vertices[i], core->vertices[0]);
        double length = sqrt(sdDot2D(d, d));
        size = length > size ? length : size;
    }
    return size;
}

/// Of an overlap, the points that are as deep as the deepest: a segment when edges are parallel.
sdContactSet2 sdDifference2_ContactSet(const sdDifference2* d, const sdNearest2* nearest) {
    sdContactSet2 out = {0};
    double tolerance = (double)SD_QUERY_TOLERANCE * (bodySize(&d->a) + bodySize(&d->b));
    sdManifold2 manifold;
    int count = sdDifference2_Manifold(d, nearest, tolerance, &manifold);
    if (count == 0) {
        return out;
    }
    float deepest = manifold.points[0].separation;
    deepest = count == 2 ? sdMinF(deepest, manifold.points[1].separation) : deepest;
    for (int i = 0; i < count; ++i) {
        const sdManifoldPoint2* p = &manifold.points[i];
        if ((double)p->separation - (double)deepest <= tolerance) {
            out.points[out.pointCount++] = sdScale2(0.5f, sdAdd2(p->pointA, p->pointB));
        }
    }
    out.normal = manifold.normal;
    out.kind = out.pointCount < 2 && manifold.kind == SD_CONTACT_EDGE_EDGE ? SD_CONTACT_VERTEX_EDGE
                                                                           : manifold.kind;
    return out;
}

int sdCollide2(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB, float margin,
               sdManifold2* out) {
    if (out == NULL) {
        return 0;
    }
    sdDifference2 d;
    if (!sdIsFinite(margin) || margin < 0.0f || !sdDifference2_Make(a, b, xfAB, &d)) {
        memset(out, 0, sizeof *out);
        out->status = SD_STATUS_INVALID;
        return 0;
    }
    sdNearest2 nearest = sdDifference2_Nearest(&d);
    return sdDifference2_Manifold(&d, &nearest, (double)margin, out);
}

sdContactSet2 sdContactSet2_Find(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB) {
    sdDifference2 d;
    if (!sdDifference2_Make(a, b, xfAB, &d)) {
        return (sdContactSet2){.status = SD_STATUS_INVALID};
    }
    sdNearest2 nearest = sdDifference2_Nearest(&d);
    return sdDifference2_ContactSet(&d, &nearest);
}
