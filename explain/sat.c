// SPDX-License-Identifier: MIT
// sat.c - separating axes step by step, in space and in the plane.
//
// In:   two boxes or hulls, or two polygons.
// Out:  a step for each axis: both intervals on it, and the best separation so far.
// Ref:  S4; Gottschalk, Lin, Manocha, "OBBTree", 1996.

#include "trace.h"

#include <float.h>

/// Axes that are told one by one; of more, only those that are better than all before.
#define MAX_AXIS_STEPS 60
/// Sine below which two edges count as parallel.
#define PARALLEL 1e-6

typedef struct AxisSearch {
    sdExplanation* e;
    const Pair* pair;
    double best;
    Vec bestAxis;
    int tested;
} AxisSearch;

static double reach(const Pair* pair, Vec d, bool isB) {
    // the support of A - B along d is A's along d and B's against it
    SupportPoint s = sdExplain_Support(pair, isB ? scale(-1.0, d) : d);
    return dot(d, isB ? s.b : s.a);
}

/// How far B is beyond A along a direction, in words.
/// @param unit from A to B
static void testAxis(AxisSearch* search, Vec axis, const char* what) {
    const Pair* pair = search->pair;
    double length = norm(axis);
    if (!(length > 1e-12)) {
        return;
    }
    Vec unit = scale(1.0 / length, axis), back = scale(-1.0, unit);
    double upperA = reach(pair, unit, false), lowerA = -reach(pair, back, false);
    double upperB = reach(pair, unit, true), lowerB = -reach(pair, back, true);
    double separation = lowerB - upperA;
    bool isBest = separation > search->best;
    search->tested += 1;
    if (isBest) {
        search->best = separation;
        search->bestAxis = unit;
    }
    if (!isBest && search->tested > MAX_AXIS_STEPS) {
        return;
    }
    sdTrace_Step(search->e, "Axis %d, %s (%.4g, %.4g, %.4g): %s by %.6g m%s", search->tested, what,
                 unit.x, unit.y, unit.z, separation > 0.0 ? "apart" : "the intervals overlap",
                 fabs(separation),
                 isBest ? ", the best so far." : (separation > 0.0 ? "." : "; no news."));
    // through the middle of where they are
    Vec middle =
        pair->a2 != NULL ? scale(0.5, toVec2(pair->xfAB2.p)) : scale(0.5, toVec(pair->xfAB.p));
    middle = mulAdd(middle, -dot(middle, unit), unit);
    sdTrace_Line(search->e, BETWEEN_BODIES, SD_MARK_AXIS,
                 mulAdd(middle, fmin(lowerA, lowerB) - 0.1 * pair->size, unit),
                 mulAdd(middle, fmax(upperA, upperB) + 0.1 * pair->size, unit));
    sdTrace_Line(search->e, BETWEEN_BODIES, SD_MARK_A, mulAdd(middle, lowerA, unit),
                 mulAdd(middle, upperA, unit));
    sdTrace_Line(search->e, BETWEEN_BODIES, SD_MARK_B, mulAdd(middle, lowerB, unit),
                 mulAdd(middle, upperB, unit));
    sdTrace_Intervals(search->e, lowerA, upperA, lowerB, upperB, search->best);
}

static void conclude(AxisSearch* search) {
    bool isApart = search->best > 0.0;
    // along a face or a pair of edges corners may be further apart than their intervals
    sdTrace_Conclude(search->e, search->pair, search->best, true,
                     isApart ? "There is an axis on which the intervals do not meet: the bodies "
                               "are apart, by at least"
                             : "No axis separates them; the least overlap is the depth: "
                               "they overlap by");
}

// ---- in space ------------------------------------------------------------------------------

static void testFaces(AxisSearch* search, const sdHull* hull, const sdTransform* xf) {
    int count;
    const sdPlane* planes = sdHull_GetPlanes(hull, &count);
    for (int i = 0; i < count; ++i) {
        sdVec3 n = xf != NULL ? sdNeg(sdRotate(xf->q, planes[i].normal)) : planes[i].normal;
        testAxis(search, toVec(n), xf != NULL ? "normal of a face of B" : "normal of a face of A");
    }
}

static Vec edgeOf(const sdHull* hull, int e, const sdTransform* xf) {
    int count;
    const sdHalfEdge* edges = sdHull_GetEdges(hull, &count);
    const sdVec3* v = sdHull_GetVertices(hull, &count);
    sdVec3 d = sdSub(v[edges[edges[e].next].origin], v[edges[e].origin]);
    return toVec(xf != NULL ? sdRotate(xf->q, d) : d);
}

/// The directions of a hull's edges, parallel ones once.
static int listDirections(const sdHull* hull, const sdTransform* xf, Vec* out, int capacity) {
    int edgeCount, count = 0;
    const sdHalfEdge* edges = sdHull_GetEdges(hull, &edgeCount);
    for (int i = 0; i < edgeCount && count < capacity; ++i) {
        Vec d = edgeOf(hull, i, xf);
        bool isNew = i < edges[i].twin;
        for (int k = 0; k < count && isNew; ++k) {
            isNew = norm(cross(d, out[k])) > PARALLEL * norm(d) * norm(out[k]);
        }
        if (isNew) {
            out[count++] = d;
        }
    }
    return count;
}

#define MAX_DIRECTIONS 256

static void testEdges(AxisSearch* search, const sdHull* a, const sdHull* b) {
    Vec ofA[MAX_DIRECTIONS], ofB[MAX_DIRECTIONS];
    int countA = listDirections(a, NULL, ofA, MAX_DIRECTIONS);
    int countB = listDirections(b, &search->pair->xfAB, ofB, MAX_DIRECTIONS);
    for (int i = 0; i < countA; ++i) {
        for (int k = 0; k < countB; ++k) {
            Vec axis = cross(ofA[i], ofB[k]);
            if (norm(axis) <= PARALLEL * norm(ofA[i]) * norm(ofB[k])) {
                continue;
            }
            // the way on which B is further out
            Vec unit = scale(1.0 / norm(axis), axis), back = scale(-1.0, unit);
            double along = -dot(unit, sdExplain_Support(search->pair, unit).w);
            double against = -dot(back, sdExplain_Support(search->pair, back).w);
            testAxis(search, along >= against ? unit : back, "edge of A x edge of B");
        }
    }
}

void sdExplain_Sat(sdExplanation* e, const Pair* pair) {
    sdHull *a = sdExplain_HullOf(pair->a), *b = sdExplain_HullOf(pair->b);
    if (a == NULL || b == NULL) {
        sdTrace_Step(e, "SAT asks normals of faces and directions of edges: it is for boxes and "
                        "hulls.");
    } else {
        AxisSearch search = {.e = e, .pair = pair, .best = -DBL_MAX};
        sdTrace_Step(e, "SAT projects both bodies on axes. If the intervals do not meet on one of "
                        "them, the bodies are apart; of polyhedra it is enough to ask the normals "
                        "of all faces and the cross products of their edges.");
        testFaces(&search, a, NULL);
        testFaces(&search, b, &pair->xfAB);
        testEdges(&search, a, b);
        conclude(&search);
    }
    sdHull_Release(a);
    sdHull_Release(b);
}

// ---- in the plane --------------------------------------------------------------------------

void sdExplain_SatPlanar(sdExplanation* e, const Pair* pair) {
    if (pair->a2->count < 3 || pair->b2->count < 3 || pair->a2->radius > 0.0f ||
        pair->b2->radius > 0.0f) {
        sdTrace_Step(e, "SAT asks the normals of edges: it is for polygons without rounding.");
        return;
    }
    AxisSearch search = {.e = e, .pair = pair, .best = -DBL_MAX};
    sdTrace_Step(e, "SAT projects both polygons on the normals of all their edges. If the "
                    "intervals do not meet on one of them, the polygons are apart.");
    for (int i = 0; i < pair->a2->count; ++i) {
        testAxis(&search, toVec2(pair->a2->normals[i]), "normal of an edge of A");
    }
    for (int i = 0; i < pair->b2->count; ++i) {
        sdVec2 n = sdTransform2_Vector(pair->xfAB2, pair->b2->normals[i]);
        testAxis(&search, toVec2(sdV2(-n.x, -n.y)), "normal of an edge of B");
    }
    conclude(&search);
}
