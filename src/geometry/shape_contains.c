// SPDX-License-Identifier: MIT
// shape_contains.c - points in solids (A11).
//
// Ref:  S0 §4.1: half-spaces for convex bodies, ray parity for all others.

#include "geometry/compound.h"
#include "math/vec3d.h"

/// Points so far from a triangle, hull or mesh, as a part of its largest coordinate, are on it:
/// a few roundings of the point and of the planes.
#define SURFACE_TOLERANCE (8.0f * FLT_EPSILON)

static float surfaceMargin(sdAABB box) {
    sdVec3 reach = sdMax(sdAbs(box.lower), sdAbs(box.upper));
    return SURFACE_TOLERANCE * sdMaxF(reach.x, sdMaxF(reach.y, reach.z));
}

static bool boxContains(sdBox box, sdVec3 p) {
    return sdAbsF(p.x) <= box.halfExtents.x && sdAbsF(p.y) <= box.halfExtents.y &&
           sdAbsF(p.z) <= box.halfExtents.z;
}

/// In double, where the squares of all floats fit.
static double lengthOf(float x, float y, float z) {
    return sdLengthD(sdV3d((double)x, (double)y, (double)z));
}

static bool capsuleContains(sdCapsule capsule, sdVec3 p) {
    float y = sdMaxF(sdAbsF(p.y) - capsule.halfLength, 0.0f);
    return lengthOf(p.x, y, p.z) <= (double)capsule.radius;
}

static bool cylinderContains(sdCylinder cylinder, sdVec3 p) {
    return sdAbsF(p.y) <= cylinder.halfHeight &&
           lengthOf(p.x, 0.0f, p.z) <= (double)cylinder.radius;
}

/// The radius shrinks from y = -h to 0 at y = h; a cone of no height is the disc of its base.
static bool coneContains(sdCone cone, sdVec3 p) {
    double h = (double)cone.halfHeight, r = (double)cone.radius, y = (double)p.y;
    double distance = lengthOf(p.x, 0.0f, p.z);
    return sdAbsF(p.y) <= cone.halfHeight && distance <= r && 2.0 * h * distance <= r * (h - y);
}

static bool triangleContains(const sdShape* shape, sdVec3 p) {
    const sdVec3* v = shape->triangle.vertices;
    float margin = surfaceMargin(sdShape_GetBounds(shape, sdTransform_Identity()));
    sdVec3 nearest = sdClosestPointOnTriangle(p, v[0], v[1], v[2]).point;
    return sdLengthD(sdSubD(sdVec3d_From(p), sdVec3d_From(nearest))) <= (double)margin;
}

static bool meshContains(const sdMesh* mesh, sdVec3 p) {
    sdAABB box = sdMesh_GetBounds(mesh);
    float margin = surfaceMargin(box);
    if (!sdAABB_ContainsPoint(sdAABB_Grow(box, margin), p)) {
        return false;
    }
    return (sdMesh_GetReport(mesh)->isClosed && sdMesh_ContainsByParity(mesh, p)) ||
           sdMesh_ClosestPoint(mesh, p, margin).triangle != SD_NULL_INDEX;
}

static bool compoundContains(const sdCompound* compound, sdVec3 p) {
    for (int i = 0; i < compound->childCount; ++i) {
        const sdCompoundChild* child = &compound->children[i];
        if (sdShape_ContainsPoint(&child->shape, sdInvTransformPoint(child->xf, p))) {
            return true;
        }
    }
    return false;
}

bool sdShape_ContainsPoint(const sdShape* shape, sdVec3 p) {
    if (!sdShape_IsValid(shape) || !sdVec3_IsFinite(p)) {
        return false;
    }
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            return lengthOf(p.x, p.y, p.z) <= (double)shape->sphere.radius;
        case SD_SHAPE_CAPSULE:
            return capsuleContains(shape->capsule, p);
        case SD_SHAPE_BOX:
            return boxContains(shape->box, p);
        case SD_SHAPE_CYLINDER:
            return cylinderContains(shape->cylinder, p);
        case SD_SHAPE_CONE:
            return coneContains(shape->cone, p);
        case SD_SHAPE_TRIANGLE:
            return triangleContains(shape, p);
        case SD_SHAPE_HULL:
            return sdHull_Contains(shape->hull, p, surfaceMargin(sdHull_GetBounds(shape->hull)));
        case SD_SHAPE_HALF_SPACE:
            return p.y <= 0.0f;
        case SD_SHAPE_MESH:
            return meshContains(shape->mesh, p);
        case SD_SHAPE_COMPOUND:
            return compoundContains(shape->compound, p);
        case SD_SHAPE_TYPE_COUNT:
            break;
    }
    return false;
}
