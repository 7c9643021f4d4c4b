// SPDX-License-Identifier: MIT
// vec3d.h - vectors in double precision, for the inside of functions that round only at the end.
//
// Squares and triple products of any floats, the smallest and the largest included, neither
// overflow nor vanish in double: code written with these needs no scaling.

#ifndef SD_MATH_VEC3D_H
#define SD_MATH_VEC3D_H

#include "sudar/vecmath.h"

typedef struct sdVec3d {
    double x, y, z;
} sdVec3d;

static inline sdVec3d sdV3d(double x, double y, double z) {
    sdVec3d r = {x, y, z};
    return r;
}

static inline sdVec3d sdVec3d_From(sdVec3 a) {
    return sdV3d((double)a.x, (double)a.y, (double)a.z);
}

static inline sdVec3 sdVec3d_Round(sdVec3d a) {
    return sdV3((float)a.x, (float)a.y, (float)a.z);
}

static inline sdVec3d sdAddD(sdVec3d a, sdVec3d b) {
    return sdV3d(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline sdVec3d sdSubD(sdVec3d a, sdVec3d b) {
    return sdV3d(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline sdVec3d sdScaleD(double s, sdVec3d a) {
    return sdV3d(s * a.x, s * a.y, s * a.z);
}

/// a + s b
static inline sdVec3d sdMulAddD(sdVec3d a, double s, sdVec3d b) {
    return sdV3d(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline double sdDotD(sdVec3d a, sdVec3d b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline sdVec3d sdCrossD(sdVec3d a, sdVec3d b) {
    return sdV3d(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double sdLengthD(sdVec3d a) {
    return sqrt(sdDotD(a, a));
}

#endif
