// SPDX-License-Identifier: MIT
// model_implicit.h - solids as functions: negative inside, nearly a distance, smoothly joined.

#ifndef SD_GEOMETRY_MODEL_IMPLICIT_H
#define SD_GEOMETRY_MODEL_IMPLICIT_H

#include "sudar/vecmath.h"

typedef float sdImplicitFcn(sdVec3 p);

/// Near the surface the distance to an ellipsoid at the origin.
static inline float sdImplicit_Ellipsoid(sdVec3 p, sdVec3 radii) {
    sdVec3 q = sdV3(p.x / radii.x, p.y / radii.y, p.z / radii.z);
    sdVec3 g = sdV3(q.x / radii.x, q.y / radii.y, q.z / radii.z);
    float k = sdLength(q), slope = sdLength(g);
    return slope > 0.0f ? k * (k - 1.0f) / slope : -sdMinF(radii.x, sdMinF(radii.y, radii.z));
}

/// Cone with round ends along the segment ab: radius ra at a, rb at b.
static inline float sdImplicit_RoundCone(sdVec3 p, sdVec3 a, sdVec3 b, float ra, float rb) {
    sdVec3 d = sdSub(b, a);
    float t = sdClampF(sdDot(sdSub(p, a), d) / sdDot(d, d), 0.0f, 1.0f);
    return sdLength(sdSub(p, sdMulAdd(a, t, d))) - (ra + t * (rb - ra));
}

/// The smaller of both, rounded off where they differ by less than k.
static inline float sdImplicit_Union(float a, float b, float k) {
    float h = sdMaxF(k - sdAbsF(a - b), 0.0f);
    return sdMinF(a, b) - 0.25f * h * h / k;
}

/// a without b.
static inline float sdImplicit_Subtract(float a, float b, float k) {
    return -sdImplicit_Union(-a, b, k);
}

/// Distance to the outermost point of the solid on a ray that starts inside of it.
/// @param reach beyond which there is nothing
float sdImplicit_RayExit(sdImplicitFcn* solid, sdVec3 origin, sdVec3 direction, float reach);

#endif
