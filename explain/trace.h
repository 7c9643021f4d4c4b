// SPDX-License-Identifier: MIT
// trace.h - what the algorithms that explain themselves share: vectors in double, the pair, the
// list of steps.

#ifndef SD_EXPLAIN_TRACE_H
#define SD_EXPLAIN_TRACE_H

#include "explain.h"

#include <math.h>

typedef struct Vec {
    double x, y, z;
} Vec;

static inline Vec sub(Vec a, Vec b) {
    return (Vec){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline Vec mulAdd(Vec a, double s, Vec b) {
    return (Vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline Vec scale(double s, Vec a) {
    return (Vec){s * a.x, s * a.y, s * a.z};
}
static inline double dot(Vec a, Vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline Vec cross(Vec a, Vec b) {
    return (Vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double norm(Vec a) {
    return sqrt(dot(a, a));
}
static inline Vec toVec(sdVec3 v) {
    return (Vec){(double)v.x, (double)v.y, (double)v.z};
}
static inline Vec toVec2(sdVec2 v) {
    return (Vec){(double)v.x, (double)v.y, 0.0};
}
static inline sdVec3 toFloats(Vec v) {
    return sdV3((float)v.x, (float)v.y, (float)v.z);
}

static const Vec originPoint = {0.0, 0.0, 0.0};

// ---- pair ----------------------------------------------------------------------------------

/// A point of A - B and what it is made of, in A's frame.
typedef struct SupportPoint {
    Vec w, a, b;
} SupportPoint;

/// Two shapes, in space or in the plane.
typedef struct Pair {
    const sdShape *a, *b; ///< NULL in the plane
    sdTransform xfAB;
    const sdPolygon2 *a2, *b2;
    sdTransform2 xfAB2;
    double size;
} Pair;

Pair sdExplain_MakePair(const sdShape* a, const sdShape* b, sdTransform xfAB);
Pair sdExplain_MakePlanarPair(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB);

/// The point of A - B furthest along a direction of any length.
SupportPoint sdExplain_Support(const Pair* pair, Vec direction);

/// The library's word on it: separation, and both points.
typedef struct Answer {
    double separation;
    Vec pointA, pointB;
} Answer;

Answer sdExplain_Ask(const Pair* pair, bool wantsDepth);

/// A box or hull as a hull of its own, to be released; NULL for other shapes.
sdHull* sdExplain_HullOf(const sdShape* shape);

/// Up to four points of A - B.
typedef struct Simplex {
    Vec points[4];
    int count;
} Simplex;

/// Of all parts of the simplex, the nearest to the origin; the others are dropped.
/// @return its point nearest to the origin
Vec sdSimplex_Reduce(Simplex* simplex);

// ---- steps ---------------------------------------------------------------------------------

/// Which of the two spaces a mark is in.
typedef enum Space { BETWEEN_BODIES, IN_DIFFERENCE } Space;

#if defined(__GNUC__)
#define SD_EXPLAIN_PRINTF __attribute__((format(printf, 2, 3)))
#else
#define SD_EXPLAIN_PRINTF
#endif

/// The next step. Marks that are added before the first one are of all steps.
void sdTrace_Step(sdExplanation* e, const char* format, ...) SD_EXPLAIN_PRINTF;
void sdTrace_Point(sdExplanation* e, Space space, sdMarkRole role, Vec p);
void sdTrace_Line(sdExplanation* e, Space space, sdMarkRole role, Vec p, Vec q);
void sdTrace_Triangle(sdExplanation* e, Space space, sdMarkRole role, Vec p, Vec q, Vec r);
/// Of the present step.
void sdTrace_Intervals(sdExplanation* e, double lowerA, double upperA, double lowerB, double upperB,
                       double best);
/// The last step: what was found, and whether the library says the same.
void sdTrace_Conclude(sdExplanation* e, const Pair* pair, double found, bool wantsDepth,
                      const char* words);

// ---- methods -------------------------------------------------------------------------------

/// @return whether the origin is inside
bool sdExplain_Gjk(sdExplanation* e, const Pair* pair);
void sdExplain_Epa(sdExplanation* e, const Pair* pair);
void sdExplain_Sat(sdExplanation* e, const Pair* pair);
void sdExplain_SatPlanar(sdExplanation* e, const Pair* pair);
void sdExplain_Features(sdExplanation* e, const Pair* pair);
/// Edges of A - B, as marks of all steps.
void sdExplain_Difference(sdExplanation* e, const Pair* pair);

#endif
