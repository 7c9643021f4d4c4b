// SPDX-License-Identifier: MIT
// features.c - V-Clip step by step: from one pair of features to the next, each nearer.
//
// In:   two boxes or hulls.
// Out:  a step for each pair of features that sdVClip_Distance comes by, with their regions.
// Ref:  B. Mirtich, "V-Clip: fast and robust polyhedral collision detection", 1998.

#include "trace.h"

#include <float.h>

#define MAX_STEPS 400
#define MAX_ITERATIONS 64
/// Corners of a face that are looked at.
#define MAX_CORNERS 64
/// Of a region's sides, of the size of both bodies.
#define REGION_LENGTH 0.25

// ---- features ------------------------------------------------------------------------------

typedef struct Feature {
    sdHullFeature kind;
    int index;
} Feature;

typedef struct Body {
    const sdHull* hull;
    const sdVec3* vertices;
    const sdHalfEdge* edges;
    const int32_t *vertexEdges, *faceEdges;
    sdTransform xf;
} Body;

static Body openBody(const sdHull* hull, sdTransform xf) {
    int count;
    return (Body){hull,
                  sdHull_GetVertices(hull, &count),
                  sdHull_GetEdges(hull, &count),
                  sdHull_GetVertexEdges(hull),
                  sdHull_GetFaceEdges(hull),
                  xf};
}

static Vec cornerAt(const Body* body, int vertex) {
    return toVec(sdTransformPoint(body->xf, body->vertices[vertex]));
}

/// The corners that span a feature.
static int listCorners(const Body* body, Feature f, Vec* out) {
    if (f.kind == SD_HULL_VERTEX) {
        out[0] = cornerAt(body, f.index);
        return 1;
    }
    if (f.kind == SD_HULL_EDGE) {
        out[0] = cornerAt(body, body->edges[f.index].origin);
        out[1] = cornerAt(body, body->edges[body->edges[f.index].next].origin);
        return 2;
    }
    int count = 0, first = body->faceEdges[f.index], e = first;
    do {
        out[count++] = cornerAt(body, body->edges[e].origin);
        e = body->edges[e].next;
    } while (e != first && count < MAX_CORNERS);
    return count;
}

// ---- distance ------------------------------------------------------------------------------

static Vec furthest(const Vec* points, int count, Vec d) {
    Vec best = points[0];
    for (int i = 1; i < count; ++i) {
        best = dot(points[i], d) > dot(best, d) ? points[i] : best;
    }
    return best;
}

/// Of the hulls of two small sets of points, by GJK.
static double distanceOf(const Body* bodies, const Feature* features) {
    Vec a[MAX_CORNERS], b[MAX_CORNERS];
    int n = listCorners(&bodies[0], features[0], a), m = listCorners(&bodies[1], features[1], b);
    Simplex simplex = {.points = {sub(a[0], b[0])}, .count = 1};
    Vec v = simplex.points[0];
    for (int i = 0; i < MAX_ITERATIONS && simplex.count < 4 && norm(v) > 1e-9; ++i) {
        Vec back = {-v.x, -v.y, -v.z};
        Vec w = sub(furthest(a, n, back), furthest(b, m, v));
        if (dot(v, v) - dot(v, w) <= 1e-10 * dot(v, v)) {
            break;
        }
        simplex.points[simplex.count++] = w;
        v = sdSimplex_Reduce(&simplex);
    }
    return simplex.count == 4 ? 0.0 : norm(v);
}

// ---- drawing -------------------------------------------------------------------------------

static void drawFeature(sdExplanation* e, const Body* body, Feature f, sdMarkRole role) {
    Vec corners[MAX_CORNERS];
    int count = listCorners(body, f, corners);
    if (count == 1) {
        sdTrace_Point(e, BETWEEN_BODIES, role, corners[0]);
    }
    for (int i = 0; i + 1 < count + (count > 2); ++i) {
        sdTrace_Line(e, BETWEEN_BODIES, role, corners[i], corners[(i + 1) % count]);
    }
    for (int i = 1; i + 1 < count; ++i) {
        sdTrace_Triangle(e, BETWEEN_BODIES, role, corners[0], corners[i], corners[i + 1]);
    }
}

/// The edge of a region: from a corner, along the normal of a face beside it.
static void drawRay(sdExplanation* e, const Body* body, Vec corner, int face, double length) {
    int count;
    sdVec3 normal = sdHull_GetPlanes(body->hull, &count)[face].normal;
    Vec n = toVec(sdRotate(body->xf.q, normal));
    sdTrace_Line(e, BETWEEN_BODIES, SD_MARK_REGION, corner, mulAdd(corner, length, n));
}

/// The Voronoi region of a feature: all points that are nearer to it than to any other.
static void drawRegion(sdExplanation* e, const Body* body, Feature f, double length) {
    Vec corners[MAX_CORNERS];
    int count = listCorners(body, f, corners);
    if (f.kind == SD_HULL_VERTEX) {
        int first = body->vertexEdges[f.index], edge = first;
        do {
            drawRay(e, body, corners[0], body->edges[edge].face, length);
            edge = body->edges[body->edges[edge].twin].next;
        } while (edge != first);
        return;
    }
    for (int i = 0; i < count; ++i) {
        if (f.kind == SD_HULL_FACE) {
            drawRay(e, body, corners[i], f.index, length);
        } else {
            drawRay(e, body, corners[i], body->edges[f.index].face, length);
            drawRay(e, body, corners[i], body->edges[body->edges[f.index].twin].face, length);
        }
    }
}

static void drawStep(sdExplanation* e, const Body* bodies, const Feature* features, double size) {
    drawFeature(e, &bodies[0], features[0], SD_MARK_A);
    drawFeature(e, &bodies[1], features[1], SD_MARK_B);
    drawRegion(e, &bodies[0], features[0], REGION_LENGTH * size);
    drawRegion(e, &bodies[1], features[1], REGION_LENGTH * size);
}

// ---- steps ---------------------------------------------------------------------------------

static const char* const names[] = {"vertex", "edge", "face"};

/// Why this pair is not the last: what the other's region says.
static void tellStep(sdExplanation* e, const Feature* f, const Feature* next, double distance) {
    if (next == NULL) {
        sdTrace_Step(e, "%s %d of A, %s %d of B: %.9g m. %s", names[f[0].kind], f[0].index,
                     names[f[1].kind], f[1].index, distance,
                     distance > 0.0 ? "Each nearest point is in the other's Voronoi region."
                                    : "The features meet.");
        return;
    }
    int side = next[0].kind != f[0].kind || next[0].index != f[0].index ? 0 : 1;
    sdTrace_Step(e,
                 "%s %d of A, %s %d of B: %.9g m. The nearest point of %s is outside of the region "
                 "of %s's %s: beyond that side lies %s %d.",
                 names[f[0].kind], f[0].index, names[f[1].kind], f[1].index, distance,
                 side == 0 ? "B" : "A", side == 0 ? "A" : "B", names[f[side].kind],
                 names[next[side].kind], next[side].index);
}

static void walk(sdExplanation* e, const Pair* pair, const Body* bodies) {
    sdFeaturePair way[MAX_STEPS];
    sdShape a = sdShape_Hull(bodies[0].hull), b = sdShape_Hull(bodies[1].hull);
    int count = sdMinI(MAX_STEPS, sdVClip_Trace(&a, &b, pair->xfAB, way, MAX_STEPS));
    double distance = 0.0;
    for (int i = 0; i < count; ++i) {
        Feature f[2] = {{way[i].typeA, way[i].indexA}, {way[i].typeB, way[i].indexB}},
                next[2] = {0};
        if (i + 1 < count) {
            next[0] = (Feature){way[i + 1].typeA, way[i + 1].indexA};
            next[1] = (Feature){way[i + 1].typeB, way[i + 1].indexB};
        }
        distance = distanceOf(bodies, f);
        tellStep(e, f, i + 1 < count ? next : NULL, distance);
        drawStep(e, bodies, f, pair->size);
    }
    bool isOverlapping = sdOverlap(pair->a, pair->b, pair->xfAB, NULL).isOverlapping;
    sdTrace_Conclude(e, pair, isOverlapping ? 0.0 : distance, false,
                     isOverlapping ? "The bodies overlap; V-Clip leaves the depth to EPA. Distance"
                                   : "No neighbour is nearer: the distance is");
}

void sdExplain_Features(sdExplanation* e, const Pair* pair) {
    sdHull *hullA = sdExplain_HullOf(pair->a), *hullB = sdExplain_HullOf(pair->b);
    if (hullA == NULL || hullB == NULL) {
        sdTrace_Step(e, "V-Clip goes over vertices, edges and faces: it is for boxes and hulls.");
    } else {
        Body bodies[2] = {openBody(hullA, sdTransform_Identity()), openBody(hullB, pair->xfAB)};
        walk(e, pair, bodies);
    }
    sdHull_Release(hullA);
    sdHull_Release(hullB);
}
