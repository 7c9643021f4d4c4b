// SPDX-License-Identifier: MIT
// gjk.c - GJK step by step, in space and in the plane.
//
// In:   two convex bodies.
// Out:  a step for each support point: the simplex, its point nearest to the origin, both bounds.
// Ref:  Gilbert, Johnson, Keerthi 1988; van den Bergen, "A fast and robust GJK implementation",
//       1999.
// Note: everything happens in the difference of both bodies, {a - b}, in A's frame and in double.

#include "trace.h"

#define MAX_ITERATIONS 64
/// Part of the size of the bodies within which a bound counts as met.
#define TOLERANCE 1e-6

static const char* const names[] = {"", "point", "segment", "triangle", "tetrahedron"};

static void drawSimplex(sdExplanation* e, const Simplex* s) {
    const Vec* p = s->points;
    for (int i = 0; i < s->count; ++i) {
        sdTrace_Point(e, IN_DIFFERENCE, SD_MARK_SIMPLEX, p[i]);
        for (int k = 0; k < i; ++k) {
            sdTrace_Line(e, IN_DIFFERENCE, SD_MARK_SIMPLEX, p[k], p[i]);
            for (int n = 0; n < k; ++n) {
                sdTrace_Triangle(e, IN_DIFFERENCE, SD_MARK_SIMPLEX, p[n], p[k], p[i]);
            }
        }
    }
}

static void drawSupport(sdExplanation* e, const SupportPoint* s, Vec v) {
    sdTrace_Point(e, IN_DIFFERENCE, SD_MARK_NEAREST, v);
    sdTrace_Line(e, IN_DIFFERENCE, SD_MARK_NEAREST, originPoint, v);
    sdTrace_Point(e, IN_DIFFERENCE, SD_MARK_SUPPORT, s->w);
    sdTrace_Point(e, BETWEEN_BODIES, SD_MARK_A, s->a);
    sdTrace_Point(e, BETWEEN_BODIES, SD_MARK_B, s->b);
}

static void begin(sdExplanation* e, const Pair* pair, Simplex* simplex) {
    Vec toB = pair->a2 != NULL ? toVec2(pair->xfAB2.p) : toVec(pair->xfAB.p);
    SupportPoint s = sdExplain_Support(pair, scale(-1.0, toB));
    *simplex = (Simplex){.points = {s.w}, .count = 1};
    sdTrace_Step(e, "GJK looks for the point of A - B nearest to the origin: its distance is that "
                    "of the bodies, and when the origin is inside they overlap. It starts with any "
                    "point: a furthest one of A minus one of B.");
    drawSimplex(e, simplex);
    sdTrace_Point(e, BETWEEN_BODIES, SD_MARK_A, s.a);
    sdTrace_Point(e, BETWEEN_BODIES, SD_MARK_B, s.b);
}

/// One support point towards the origin.
/// @return whether it brought anything
static bool takeStep(sdExplanation* e, const Pair* pair, Simplex* simplex, Vec* v) {
    double length = norm(*v);
    SupportPoint s = sdExplain_Support(pair, scale(-1.0, *v));
    double bound = dot(*v, s.w) / length;
    bool isMet = length - bound <= TOLERANCE * pair->size;
    sdTrace_Step(e,
                 "The nearest point v of the %s (%.4g, %.4g, %.4g) is %.6g m from the origin: the "
                 "distance is at most that. Support point towards the origin w (%.4g, %.4g, %.4g): "
                 "at least %.6g m%s",
                 names[simplex->count], v->x, v->y, v->z, length, s.w.x, s.w.y, s.w.z,
                 fmax(bound, 0.0),
                 isMet ? ", both bounds meet." : ". It joins the simplex; what v needs not goes.");
    drawSimplex(e, simplex);
    drawSupport(e, &s, *v);
    if (!isMet) {
        simplex->points[simplex->count++] = s.w;
        *v = sdSimplex_Reduce(simplex);
    }
    return !isMet;
}

bool sdExplain_Gjk(sdExplanation* e, const Pair* pair) {
    Simplex simplex;
    begin(e, pair, &simplex);
    Vec v = simplex.points[0];
    int full = pair->a2 != NULL ? 3 : 4;
    for (int i = 1; i <= MAX_ITERATIONS; ++i) {
        if (norm(v) <= TOLERANCE * pair->size || simplex.count == full) {
            sdTrace_Step(e,
                         "The origin is in the %s: there is a point a of A and a point b of B "
                         "with a - b = 0, so the bodies overlap.",
                         names[simplex.count]);
            drawSimplex(e, &simplex);
            return true;
        }
        if (!takeStep(e, pair, &simplex, &v)) {
            sdTrace_Conclude(e, pair, norm(v), false, "Both bounds meet: the distance is");
            drawSimplex(e, &simplex);
            sdTrace_Line(e, IN_DIFFERENCE, SD_MARK_NEAREST, originPoint, v);
            return false;
        }
    }
    sdTrace_Step(e, "The bounds did not meet after %d steps.", MAX_ITERATIONS);
    return false;
}
