// SPDX-License-Identifier: MIT
// explain.h - what the algorithms that explain themselves share: vectors in double, simplices.

#ifndef SD_CLI_EXPLAIN_H
#define SD_CLI_EXPLAIN_H

#include "sudar/sudar.h"

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
static inline sdVec3 toFloats(Vec v) {
    return sdV3((float)v.x, (float)v.y, (float)v.z);
}

/// Up to four points of A - B.
typedef struct CliSimplex {
    Vec points[4];
    int count;
} CliSimplex;

/// Of all parts of the simplex, the nearest to the origin; the others are dropped.
/// @return its point nearest to the origin
Vec CliSimplex_Reduce(CliSimplex* simplex);

/// A box or hull as a hull of its own, to be released; NULL for other shapes.
sdHull* CliExplain_HullOf(const sdShape* shape);

#endif
