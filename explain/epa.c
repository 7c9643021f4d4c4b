// SPDX-License-Identifier: MIT
// epa.c - EPA step by step: a polytope in A - B that grows towards the face nearest to the origin.
//
// In:   two convex bodies that overlap.
// Out:  a step for each support point: the nearest face, and the faces that make way.
// Ref:  van den Bergen, "Proximity Queries and Penetration Depth Computation on 3D Game Objects",
//       2001.

#include "trace.h"

#include <stdlib.h>

#define MAX_ITERATIONS 64
#define MAX_FACES 512
/// Part of the size of the bodies within which a bound counts as met.
#define TOLERANCE 1e-6

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
        Vec axis = {i / 2 == 0 ? sign : 0.0, i / 2 == 1 ? sign : 0.0, i / 2 == 2 ? sign : 0.0};
        s[i] = sdExplain_Support(pair, axis).w;
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

// ---- steps ---------------------------------------------------------------------------------

static int findNearest(const Polytope* p) {
    int nearest = 0;
    for (int k = 1; k < p->count; ++k) {
        nearest = p->faces[k].distance < p->faces[nearest].distance ? k : nearest;
    }
    return nearest;
}

static void draw(sdExplanation* e, const Polytope* p, const Face* nearest, const SupportPoint* s) {
    for (int i = 0; i < p->count; ++i) {
        const Face* f = &p->faces[i];
        for (int k = 0; k < 3; ++k) {
            sdTrace_Line(e, IN_DIFFERENCE, SD_MARK_SIMPLEX, f->v[k], f->v[(k + 1) % 3]);
        }
        if (f != nearest && s != NULL && dot(f->normal, s->w) - f->distance > 1e-12) {
            sdTrace_Triangle(e, IN_DIFFERENCE, SD_MARK_LEAVING, f->v[0], f->v[1], f->v[2]);
        }
    }
    Vec foot = scale(nearest->distance, nearest->normal);
    sdTrace_Triangle(e, IN_DIFFERENCE, SD_MARK_NEAREST, nearest->v[0], nearest->v[1],
                     nearest->v[2]);
    sdTrace_Line(e, IN_DIFFERENCE, SD_MARK_NEAREST, originPoint, foot);
    if (s != NULL) {
        sdTrace_Point(e, IN_DIFFERENCE, SD_MARK_SUPPORT, s->w);
        sdTrace_Point(e, BETWEEN_BODIES, SD_MARK_A, s->a);
        sdTrace_Point(e, BETWEEN_BODIES, SD_MARK_B, s->b);
    }
}

/// @return whether there is more to do
static bool takeStep(sdExplanation* e, const Pair* pair, Polytope* p) {
    const Face* nearest = &p->faces[findNearest(p)];
    Face face = *nearest;
    SupportPoint s = sdExplain_Support(pair, face.normal);
    double reach = dot(face.normal, s.w);
    bool isMet = reach - face.distance <= TOLERANCE * pair->size;
    sdTrace_Step(e,
                 "%d faces. The nearest one is %.6g m from the origin, along (%.4g, %.4g, %.4g); "
                 "A - B reaches %.6g m that way%s",
                 p->count, face.distance, face.normal.x, face.normal.y, face.normal.z, reach,
                 isMet ? ": the face is on the surface."
                       : ". That point is new: faces that see it make way for ones to it.");
    draw(e, p, nearest, isMet ? NULL : &s);
    if (isMet) {
        sdTrace_Conclude(e, pair, -reach, true,
                         "The shortest way out is along that face's normal: depth");
        return false;
    }
    if (expand(p, s.w) == 0) {
        sdTrace_Step(e, "No further: the depth is within %.3g m.", reach - face.distance);
        return false;
    }
    return true;
}

void sdExplain_Epa(sdExplanation* e, const Pair* pair) {
    Polytope* p = malloc(sizeof *p);
    if (p == NULL) {
        return;
    }
    startPolytope(pair, p);
    sdTrace_Step(e, "EPA looks for the face of A - B nearest to the origin. It starts from the "
                    "octahedron of the six points of A - B furthest along the axes.");
    draw(e, p, &p->faces[findNearest(p)], NULL);
    for (int i = 1; i <= MAX_ITERATIONS && p->count > 0 && takeStep(e, pair, p); ++i) {
    }
    free(p);
}
