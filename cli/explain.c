// SPDX-License-Identifier: MIT
// explain.c - GJK, EPA and SAT step by step, written to be read; V-Clip is in explain_features.c.
//
// In:   two convex shapes.
// Out:  a line for each iteration on stdout.
// Ref:  Gilbert, Johnson, Keerthi 1988; van den Bergen, "Proximity Queries and Penetration Depth
//       Computation on 3D Game Objects", 2001.
// Note: everything happens in the difference of both bodies, {a - b}, in A's frame and in double.

#include "explain.h"
#include "pair.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define MAX_ITERATIONS 64
#define MAX_FACES 512
/// Part of the size of the bodies within which a bound counts as met.
#define TOLERANCE 1e-6
/// Lines about axes of SAT that are printed.
#define MAX_AXIS_LINES 40

typedef struct Pair {
    const sdShape *a, *b;
    sdTransform xfAB;
    double size;
} Pair;

static Pair makePair(const sdShape* a, const sdShape* b, sdTransform xfAB) {
    sdAABB boxA = sdShape_GetBounds(a, sdTransform_Identity());
    sdAABB boxB = sdShape_GetBounds(b, sdTransform_Identity());
    double size = (double)sdLength(sdSub(boxA.upper, boxA.lower)) +
                  (double)sdLength(sdSub(boxB.upper, boxB.lower));
    return (Pair){a, b, xfAB, size};
}

/// The point of A - B furthest along a direction.
static Vec support(const Pair* pair, Vec direction) {
    // of any length, but floats should not lose it
    double length = norm(direction);
    Vec unit = length > 0.0
                   ? (Vec){direction.x / length, direction.y / length, direction.z / length}
                   : (Vec){1.0, 0.0, 0.0};
    sdVec3 a = sdShape_Support(pair->a, toFloats(unit));
    sdVec3 back = sdInvRotate(pair->xfAB.q, sdNeg(toFloats(unit)));
    sdVec3 b = sdTransformPoint(pair->xfAB, sdShape_Support(pair->b, back));
    return sub(toVec(a), toVec(b));
}

// ---- GJK -----------------------------------------------------------------------------------

/// @return whether the origin is inside
static bool runGjk(const Pair* pair, CliSimplex* simplex) {
    static const char* const names[] = {"", "point", "segment", "triangle", "tetrahedron"};
    simplex->count = 1;
    simplex->points[0] = support(pair, toVec(sdNeg(pair->xfAB.p)));
    Vec v = simplex->points[0];
    printf("GJK: the point of A - B nearest to the origin\n");
    for (int i = 1; i <= MAX_ITERATIONS; ++i) {
        double length = norm(v);
        if (length <= TOLERANCE * pair->size || simplex->count == 4) {
            printf("  %2d  the origin is in the %s: the bodies overlap\n", i,
                   names[simplex->count]);
            return true;
        }
        Vec w = support(pair, (Vec){-v.x, -v.y, -v.z});
        double bound = dot(v, w) / length;
        printf("  %2d  v (%.6g, %.6g, %.6g), distance at most %.9g, support (%.6g, %.6g, %.6g), at "
               "least %.9g, %s\n",
               i, v.x, v.y, v.z, length, w.x, w.y, w.z, bound > 0.0 ? bound : 0.0,
               names[simplex->count]);
        if (length - bound <= TOLERANCE * pair->size) {
            printf("      both bounds meet: the distance is %.9g\n", length);
            return false;
        }
        simplex->points[simplex->count++] = w;
        v = CliSimplex_Reduce(simplex);
    }
    printf("      not met after %d iterations\n", MAX_ITERATIONS);
    return false;
}

void CliExplain_Gjk(const sdShape* a, const sdShape* b, sdTransform xfAB) {
    Pair pair = makePair(a, b, xfAB);
    CliSimplex simplex;
    runGjk(&pair, &simplex);
}

// ---- EPA -----------------------------------------------------------------------------------

typedef struct Face {
    Vec v[3], normal;
    double distance;
} Face;

typedef struct Polytope {
    Face faces[MAX_FACES];
    int count;
} Polytope;

static bool addFace(Polytope* p, Vec a, Vec b, Vec c) {
    Vec n = cross(sub(b, a), sub(c, a));
    double length = norm(n);
    if (p->count == MAX_FACES || !(length > 0.0)) {
        return p->count < MAX_FACES;
    }
    Vec unit = {n.x / length, n.y / length, n.z / length};
    p->faces[p->count++] = (Face){{a, b, c}, unit, dot(unit, a)};
    return true;
}

/// A body with volume around the origin: the axes' supports, as an octahedron.
static void startPolytope(const Pair* pair, Polytope* p) {
    Vec s[6];
    for (int i = 0; i < 6; ++i) {
        double sign = i % 2 == 0 ? 1.0 : -1.0;
        s[i] = support(
            pair, (Vec){i / 2 == 0 ? sign : 0.0, i / 2 == 1 ? sign : 0.0, i / 2 == 2 ? sign : 0.0});
    }
    p->count = 0;
    for (int i = 0; i < 8; ++i) {
        Vec x = s[i & 1], y = s[2 + (i >> 1 & 1)], z = s[4 + (i >> 2 & 1)];
        // counter-clockwise seen from outside in every octant
        bool isEven = ((i & 1) + (i >> 1 & 1) + (i >> 2 & 1)) % 2 == 0;
        addFace(p, x, isEven ? y : z, isEven ? z : y);
    }
}

/// Replace all faces that see the point by ones to it.
/// @return how many went; 0 when there is no room
static int expand(Polytope* p, Vec w) {
    Vec edges[3 * MAX_FACES][2];
    int edgeCount = 0, removed = 0;
    for (int i = 0; i < p->count;) {
        Face* f = &p->faces[i];
        if (dot(f->normal, w) - f->distance <= 1e-12) {
            ++i;
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            Vec a = f->v[k], b = f->v[(k + 1) % 3];
            int found = -1;
            for (int e = 0; e < edgeCount && found < 0; ++e) {
                bool isTwin = norm(sub(edges[e][0], b)) == 0.0 && norm(sub(edges[e][1], a)) == 0.0;
                found = isTwin ? e : -1;
            }
            // an edge of two faces that go is inside
            if (found >= 0) {
                --edgeCount;
                edges[found][0] = edges[edgeCount][0];
                edges[found][1] = edges[edgeCount][1];
            } else {
                edges[edgeCount][0] = a;
                edges[edgeCount++][1] = b;
            }
        }
        p->faces[i] = p->faces[--p->count];
        ++removed;
    }
    for (int e = 0; e < edgeCount; ++e) {
        if (!addFace(p, edges[e][0], edges[e][1], w)) {
            return 0;
        }
    }
    return removed;
}

void CliExplain_Epa(const sdShape* a, const sdShape* b, sdTransform xfAB) {
    Pair pair = makePair(a, b, xfAB);
    CliSimplex simplex;
    if (!runGjk(&pair, &simplex)) {
        return;
    }
    Polytope* p = malloc(sizeof *p);
    if (p == NULL) {
        return;
    }
    startPolytope(&pair, p);
    printf("EPA: from the octahedron of the supports along the axes, the face of A - B nearest to "
           "the origin\n");
    for (int i = 1; i <= MAX_ITERATIONS && p->count > 0; ++i) {
        int nearest = 0;
        for (int k = 1; k < p->count; ++k) {
            nearest = p->faces[k].distance < p->faces[nearest].distance ? k : nearest;
        }
        Face face = p->faces[nearest];
        Vec w = support(&pair, face.normal);
        double reach = dot(face.normal, w);
        printf("  %2d  %d faces, nearest %.9g along (%.6g, %.6g, %.6g), support reaches %.9g", i,
               p->count, face.distance, face.normal.x, face.normal.y, face.normal.z, reach);
        if (reach - face.distance <= TOLERANCE * pair.size) {
            printf(": depth %.9g\n", reach);
            break;
        }
        int removed = expand(p, w);
        printf(": %d faces make way\n", removed);
        if (removed == 0) {
            printf("      no further; the depth is within %.3g\n", reach - face.distance);
            break;
        }
    }
    free(p);
}

// ---- SAT -----------------------------------------------------------------------------------

typedef struct AxisSearch {
    const Pair* pair;
    double best;
    int tested, lines;
} AxisSearch;

/// How far B is beyond A along a direction.
static void testAxis(AxisSearch* search, Vec axis, const char* what, int i, int k) {
    double length = norm(axis);
    if (!(length > 1e-9)) {
        return;
    }
    Vec unit = {axis.x / length, axis.y / length, axis.z / length};
    Vec w = support(search->pair, unit);
    double separation = -dot(unit, w);
    ++search->tested;
    if (separation > search->best) {
        search->best = separation;
        if (search->lines++ < MAX_AXIS_LINES) {
            printf("  axis %3d, %s %d", search->tested, what, i);
            if (k >= 0) {
                printf(" x %d", k);
            }
            printf(" (%.6g, %.6g, %.6g): separation %.9g, the best so far\n", unit.x, unit.y,
                   unit.z, separation);
        }
    }
}

static void testFaces(AxisSearch* search, const sdHull* hull, const sdTransform* xf) {
    int count;
    const sdPlane* planes = sdHull_GetPlanes(hull, &count);
    for (int i = 0; i < count; ++i) {
        sdVec3 n = xf != NULL ? sdNeg(sdRotate(xf->q, planes[i].normal)) : planes[i].normal;
        testAxis(search, toVec(n), xf != NULL ? "face of B" : "face of A", i, -1);
    }
}

static Vec edgeOf(const sdHull* hull, int e, const sdTransform* xf) {
    int count;
    const sdHalfEdge* edges = sdHull_GetEdges(hull, &count);
    const sdVec3* v = sdHull_GetVertices(hull, &count);
    sdVec3 d = sdSub(v[edges[edges[e].next].origin], v[edges[e].origin]);
    return toVec(xf != NULL ? sdRotate(xf->q, d) : d);
}

static void testEdges(AxisSearch* search, const sdHull* a, const sdHull* b) {
    int countA, countB;
    const sdHalfEdge *edgesA = sdHull_GetEdges(a, &countA), *edgesB = sdHull_GetEdges(b, &countB);
    Vec between = toVec(search->pair->xfAB.p);
    for (int i = 0; i < countA; ++i) {
        for (int k = 0; k < countB; ++k) {
            // each edge once
            if (i > edgesA[i].twin || k > edgesB[k].twin) {
                continue;
            }
            Vec axis = cross(edgeOf(a, i, NULL), edgeOf(b, k, &search->pair->xfAB));
            axis = dot(axis, between) < 0.0 ? (Vec){-axis.x, -axis.y, -axis.z} : axis;
            testAxis(search, axis, "edge of A x edge of B", i, k);
        }
    }
}

void CliExplain_Sat(const sdShape* a, const sdShape* b, sdTransform xfAB) {
    Pair pair = makePair(a, b, xfAB);
    sdHull *hullA = CliExplain_HullOf(a), *hullB = CliExplain_HullOf(b);
    if (hullA == NULL || hullB == NULL) {
        printf("SAT: for boxes and hulls only\n");
    } else {
        AxisSearch search = {.pair = &pair, .best = -DBL_MAX};
        printf("SAT: the axis along which the bodies are furthest apart, or overlap least\n");
        testFaces(&search, hullA, NULL);
        testFaces(&search, hullB, &xfAB);
        testEdges(&search, hullA, hullB);
        printf("  %d axes: %s by %.9g\n", search.tested,
               search.best > 0.0 ? "apart, along the best one" : "they overlap", fabs(search.best));
    }
    sdHull_Release(hullA);
    sdHull_Release(hullB);
}
