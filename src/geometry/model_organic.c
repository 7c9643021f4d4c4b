// SPDX-License-Identifier: MIT
// model_organic.c - models that are images of the sphere along rays: bone and tetrapod.
//
// In:   solids as functions (model_implicit.h).
// Out:  triangles of their surfaces, found along rays from points inside.

#include "geometry/model.h"
#include "geometry/model_implicit.h"

/// Places looked at on a ray before the crossing is closed in on. The thinnest part of a solid
/// must be thicker than reach / RAY_STEPS.
#define RAY_STEPS 40
/// Halvings: reach / (RAY_STEPS * 2^RAY_HALVINGS) is below the rounding of a float.
#define RAY_HALVINGS 18

#define BONE_TRIANGLES 1024
#define TETRAPOD_TRIANGLES 960

float sdImplicit_RayExit(sdImplicitFcn* solid, sdVec3 origin, sdVec3 direction, float reach) {
    float outside = reach, inside = 0.0f;
    for (int i = RAY_STEPS - 1; i > 0; --i) {
        float t = reach * (float)i / RAY_STEPS;
        if (solid(sdMulAdd(origin, t, direction)) < 0.0f) {
            inside = t;
            break;
        }
        outside = t;
    }
    for (int i = 0; i < RAY_HALVINGS; ++i) {
        float t = 0.5f * (inside + outside);
        bool isInside = solid(sdMulAdd(origin, t, direction)) < 0.0f;
        inside = isInside ? t : inside;
        outside = isInside ? outside : t;
    }
    return 0.5f * (inside + outside);
}

// ---- bone ----------------------------------------------------------------------------------

static float boneSolid(sdVec3 p) {
    // the same at both ends and on both sides
    sdVec3 q = sdV3(sdAbsF(p.x), sdAbsF(p.y), p.z);
    float shaft =
        sdImplicit_RoundCone(q, sdV3(0.0f, 0.0f, 0.0f), sdV3(0.4f, 0.0f, 0.0f), 0.06f, 0.085f);
    float knuckle =
        sdImplicit_Ellipsoid(sdSub(q, sdV3(0.395f, 0.085f, 0.0f)), sdV3(0.105f, 0.1f, 0.1f));
    return sdImplicit_Union(shaft, knuckle, 0.06f);
}

/// Rays start from a segment on the bone's axis: straight out along it, all around at its ends.
static sdVec3 boneMap(sdVec3 u) {
    const float halfAxis = 0.37f, band = 0.6f;
    sdVec3 around = sdNormalize(sdV3(0.0f, u.y, u.z));
    if (sdAbsF(u.x) <= band) {
        sdVec3 origin = sdV3(halfAxis * u.x / band, 0.0f, 0.0f);
        return sdMulAdd(origin, sdImplicit_RayExit(boneSolid, origin, around, 0.4f), around);
    }
    float sign = u.x < 0.0f ? -1.0f : 1.0f;
    float s = sdMinF((sdAbsF(u.x) - band) / (1.0f - band), 1.0f);
    sdVec3 direction = sdScale(sqrtf(1.0f - s * s), around);
    direction.x = sign * s;
    sdVec3 origin = sdV3(sign * halfAxis, 0.0f, 0.0f);
    return sdMulAdd(origin, sdImplicit_RayExit(boneSolid, origin, direction, 0.4f), direction);
}

void sdModel_AddBone(sdModelBuilder* builder) {
    sdModelMap map = {boneMap, NULL};
    sdModelBuilder_AddSphereMap(builder, &map, BONE_TRIANGLES / 8, BONE_TRIANGLES);
}

// ---- tetrapod ------------------------------------------------------------------------------

static float tetrapodSolid(sdVec3 p) {
    // corners of a tetrahedron that stands on a face: y = -1/3, radius sqrt(8)/3
    static const sdVec3 feet[4] = {{0.0f, 0.5f, 0.0f},
                                   {0.47140452f, -0.16666667f, 0.0f},
                                   {-0.23570226f, -0.16666667f, 0.40824829f},
                                   {-0.23570226f, -0.16666667f, -0.40824829f}};
    float d = FLT_MAX;
    for (int i = 0; i < 4; ++i) {
        float leg = sdImplicit_RoundCone(p, sdV3(0.0f, 0.0f, 0.0f), feet[i], 0.17f, 0.1f);
        d = i == 0 ? leg : sdImplicit_Union(d, leg, 0.08f);
    }
    return d;
}

static sdVec3 tetrapodMap(sdVec3 u) {
    sdVec3 origin = sdV3(0.0f, 0.0f, 0.0f);
    return sdScale(sdImplicit_RayExit(tetrapodSolid, origin, u, 0.8f), u);
}

void sdModel_AddTetrapod(sdModelBuilder* builder) {
    sdModelMap map = {tetrapodMap, NULL};
    sdModelBuilder_AddSphereMap(builder, &map, TETRAPOD_TRIANGLES / 8, TETRAPOD_TRIANGLES);
}
