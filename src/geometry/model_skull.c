// SPDX-License-Identifier: MIT
// model_skull.c - a skull: brain case with a cavity that opens below, eye sockets, nose, jaw.
//
// In:   the outer solid as a function of the point, the cavity as an ellipsoid.
// Out:  2970 triangles (S2 §12), one surface: outside, around the rim of the opening, inside.
// Note: y is up, the face looks along z. Self-made; after no particular person.

#include "geometry/model.h"
#include "geometry/model_implicit.h"

#define SKULL_TRIANGLES 2970
/// So many spread evenly over the sphere before the rest goes where the surface is stretched.
#define SKULL_EVEN_TRIANGLES 256
/// From the middle, beyond the chin and the back of the head.
#define SKULL_REACH 1.6f

/// The sphere's belt between these heights, a sixth of its girth, becomes the rim of the opening.
#define BELT 0.45f
/// How far the rim bulges into the opening.
#define RIM_BULGE 0.06f

/// A surface that is seen whole from one point inside, but for the cone of the opening.
typedef struct View {
    sdVec3 origin;
    sdVec3 up;    ///< unit, away from the opening, x = 0
    float cosine; ///< between `up` and the rim
} View;

static const View outerView = {{0.0f, -0.12f, 0.08f}, {0.0f, 0.8f, 0.6f}, -0.86f};
static const View innerView = {{0.0f, 0.23f, -0.20f}, {0.0f, 0.99503719f, 0.09950372f}, -0.91f};

/// A dent or, with a negative depth, a bump of the outer surface along the lines of sight.
typedef struct Feature {
    sdVec3 center;     ///< x is taken on both sides
    sdVec2 halfWidths; ///< across and upwards, at the centre's distance
    float depth;
    float taper; ///< how much narrower it is at its top than in its middle, as a part
} Feature;

static const Feature features[] = {
    {{0.25f, 0.00f, 0.76f}, {0.22f, 0.21f}, 0.30f, -0.12f}, // eye sockets
    {{0.0f, -0.32f, 0.82f}, {0.12f, 0.18f}, 0.18f, 0.55f},  // nose
    {{0.0f, -0.60f, 0.76f}, {0.28f, 0.05f}, 0.05f, 0.0f},   // between the teeth
    {{0.45f, -0.20f, 0.52f}, {0.30f, 0.10f}, -0.08f, 0.0f}, // cheek bones
    {{0.25f, 0.27f, 0.70f}, {0.32f, 0.10f}, -0.04f, 0.0f},  // brows
    {{0.66f, 0.08f, 0.36f}, {0.30f, 0.30f}, 0.10f, 0.0f},   // temples
    {{0.40f, -0.46f, 0.38f}, {0.34f, 0.20f}, 0.12f, 0.0f},  // hollow below the cheek bones
};

static float ellipsoidAt(sdVec3 p, float x, float y, float z, sdVec3 radii) {
    return sdImplicit_Ellipsoid(sdSub(p, sdV3(x, y, z)), radii);
}

/// Brain case, face and jaw, without features.
static float skullSolid(sdVec3 p) {
    float brainCase = ellipsoidAt(p, 0.0f, 0.20f, -0.12f, sdV3(0.67f, 0.62f, 0.84f));
    float face = ellipsoidAt(p, 0.0f, -0.25f, 0.40f, sdV3(0.44f, 0.56f, 0.44f));
    float jaw = ellipsoidAt(p, 0.0f, -0.66f, 0.44f, sdV3(0.31f, 0.25f, 0.36f));
    return sdImplicit_Union(sdImplicit_Union(brainCase, face, 0.20f), jaw, 0.12f);
}

/// 1 in the middle of a feature, 0 outside of it, level in both places.
static float featureWeight(const Feature* feature, sdVec3 direction) {
    sdVec3 toCenter = sdSub(feature->center, outerView.origin);
    float distance = sdLength(toCenter);
    sdVec3 axis = sdScale(1.0f / distance, toCenter);
    float along = sdDot(direction, axis);
    if (along <= 0.5f) {
        return 0.0f;
    }
    // on the plane through the centre, across the line of sight
    sdVec3 offset = sdSub(sdScale(distance / along, direction), toCenter);
    sdVec3 side = sdNormalize(sdV3(axis.z, 0.0f, -axis.x));
    float y = sdDot(offset, sdCross(axis, side)) / feature->halfWidths.y;
    float x = sdDot(offset, side) / (feature->halfWidths.x * (1.0f - feature->taper * y));
    float s = sdClampF(2.0f * (1.0f - x * x - y * y), 0.0f, 1.0f);
    return s * s * (3.0f - 2.0f * s);
}

static float featureDepth(sdVec3 direction) {
    // both halves are alike
    sdVec3 d = sdV3(sdAbsF(direction.x), direction.y, direction.z);
    float depth = 0.0f;
    for (size_t i = 0; i < sizeof features / sizeof features[0]; ++i) {
        depth += features[i].depth * featureWeight(&features[i], d);
    }
    return depth;
}

static sdVec3 directionAt(const View* view, float cosine, sdVec2 around) {
    float sine = sqrtf(sdMaxF(1.0f - cosine * cosine, 0.0f));
    sdVec3 forward = sdV3(0.0f, -view->up.z, view->up.y);
    sdVec3 level = sdAdd(sdV3(around.x, 0.0f, 0.0f), sdScale(around.y, forward));
    return sdAdd(sdScale(cosine, view->up), sdScale(sine, level));
}

/// A cap of the sphere, opened up to the rim with all angles kept: tan(T/2) = s tan(t/2).
/// @param height BELT at the cap's rim, 1 at its pole
static sdVec3 capDirection(const View* view, float height, sdVec2 around) {
    float rim = (1.0f - view->cosine) / (1.0f + view->cosine);
    float stretch = rim * (1.0f + BELT) / (1.0f - BELT);
    float k = stretch * (1.0f - height) / (1.0f + height);
    return directionAt(view, (1.0f - k) / (1.0f + k), around);
}

static sdVec3 outerPoint(sdVec3 direction) {
    float distance = sdImplicit_RayExit(skullSolid, outerView.origin, direction, SKULL_REACH);
    return sdMulAdd(outerView.origin, distance - featureDepth(direction), direction);
}

/// The cavity is an ellipsoid about its origin.
static sdVec3 innerPoint(sdVec3 direction) {
    const sdVec3 radii = {0.53f, 0.48f, 0.60f};
    sdVec3 d = sdV3(direction.x / radii.x, direction.y / radii.y, direction.z / radii.z);
    return sdMulAdd(innerView.origin, 1.0f / sdLength(d), direction);
}

static sdVec3 skullMap(sdVec3 u) {
    float length = sdLength2(sdV2(u.x, u.z));
    sdVec2 around = length > 0.0f ? sdV2(u.x / length, u.z / length) : sdV2(1.0f, 0.0f);
    if (u.y > BELT) {
        return outerPoint(capDirection(&outerView, u.y, around));
    }
    if (u.y < -BELT) {
        return innerPoint(capDirection(&innerView, -u.y, around));
    }
    // half an ellipse from the outer to the inner surface
    float angle = 0.5f * SD_PI * (1.0f - u.y / BELT);
    sdVec3 outer = outerPoint(directionAt(&outerView, outerView.cosine, around));
    sdVec3 inner = innerPoint(directionAt(&innerView, innerView.cosine, around));
    sdVec3 p = sdLerp(inner, outer, 0.5f + 0.5f * sdCos(angle));
    sdVec3 inward = sdV3(-around.x, 0.0f, -around.y);
    return sdMulAdd(p, RIM_BULGE * sdSin(angle), inward);
}

/// The face is more than twice as fine as the rest.
static float skullDetail(sdVec3 p) {
    float front = sdClampF(4.0f * (p.z - 0.4f), 0.0f, 1.0f);
    float low = sdClampF(4.0f * (0.5f - p.y), 0.0f, 1.0f);
    return 1.0f + 1.5f * front * low;
}

void sdModel_AddSkull(sdModelBuilder* builder) {
    sdModelMap map = {skullMap, skullDetail};
    sdModelBuilder_AddSphereMap(builder, &map, SKULL_EVEN_TRIANGLES, SKULL_TRIANGLES);
}
