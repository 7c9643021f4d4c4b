// SPDX-License-Identifier: MIT
// shape_contains.c - points in solids (A11).
//
// Ref:  S0 §4.1: half-spaces for convex bodies, ray parity for all others.

#include "geometry/compound.h"
#include "math/vec3d.h"

/// Points so far outside, as a part of the shape's largest coordinate, are on its surface: a few
/// roundings of the point, and of planes and sums. So furthest points are in their shapes.
#define SURFACE_TOLERANCE (8.0 * (double)FLT_EPSILON)

static double surfaceMargin(sdAABB box) {
    sdVec3 reach = sdMax(sdAbs(box.lower), sdAbs(box.upper));
    return SURFACE_TOLERANCE * (double)sdMaxF(reach.x, sdMaxF(reach.y, reach.z));
}

// Lengths in double, where the squares of all floats fit.

static bool sphereContains(sdSphere sphere, sdVec3d p, double margin) {
    return sdLengthD(p) <= (double)sphere.radius + margin;
}

static bool capsuleContains(sdCapsule capsule, sdVec3d p, double margin) {
    double over = fabs(p.y) - (double)capsule.halfLength;
    double distance = sdLengthD(sdV3d(p.x, over > 0.0 ? over : 0.0, p.z));
    return distance <= (double)capsule.radius + margin;
}

static bool boxContains(sdBox box, sdVec3d p, double margin) {
    return fabs(p.x) <= (double)box.halfExtents.x + margin &&
           fabs(p.y) <= (double)box.halfExtents.y + margin &&
           fabs(p.z) <= (double)box.halfExtents.z + margin;
}

static bool cylinderContains(sdCylinder cylinder, sdVec3d p, double margin) {
    return fabs(p.y) <= (double)cylinder.halfHeight + margin &&
           sdLengthD(sdV3d(p.x, 0.0, p.z)) <= (double)cylinder.radius + margin;
}

/// Base, rim and slope; on the slope 2 h d + r (y - h) = 0, where d is the distance from the axis.
static bool coneContains(sdCone cone, sdVec3d p, double margin) {
    double h = (double)cone.halfHeight, r = (double)cone.radius;
    double distance = sdLengthD(sdV3d(p.x, 0.0, p.z));
    double slope = sqrt(4.0 * h * h + r * r);
    return fabs(p.y) <= h + margin && distance <= r + margin &&
           2.0 * h * distance + r * (p.y - h) <= slope * margin;
}

static bool triangleContains(const sdTriangle* triangle, sdVec3 p, double margin) {
    const sdVec3* v = triangle->vertices;
    sdVec3 nearest = sdClosestPointOnTriangle(p, v[0], v[1], v[2]).point;
    return sdLengthD(sdSubD(sdVec3d_From(p), sdVec3d_From(nearest))) <= margin;
}

static bool meshContains(const sdMesh* mesh, sdVec3 p, float margin) {
    if (!sdAABB_ContainsPoint(sdAABB_Grow(sdMesh_GetBounds(mesh), margin), p)) {
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

static double localMargin(const sdShape* shape) {
    switch (shape->type) {
        case SD_SHAPE_HULL:
            return surfaceMargin(sdHull_GetBounds(shape->hull));
        case SD_SHAPE_MESH:
            return surfaceMargin(sdMesh_GetBounds(shape->mesh));
        case SD_SHAPE_HALF_SPACE:
        case SD_SHAPE_COMPOUND:
            // the one has no size to round, the other leaves it to its children
            return 0.0;
        default:
            return surfaceMargin(sdShape_GetBounds(shape, sdTransform_Identity()));
    }
}

bool sdShape_ContainsPoint(const sdShape* shape, sdVec3 p) {
    if (!sdShape_IsValid(shape) || !sdVec3_IsFinite(p)) {
        return false;
    }
    sdVec3d q = sdVec3d_From(p);
    double margin = localMargin(shape);
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            return sphereContains(shape->sphere, q, margin);
        case SD_SHAPE_CAPSULE:
            return capsuleContains(shape->capsule, q, margin);
        case SD_SHAPE_BOX:
            return boxContains(shape->box, q, margin);
        case SD_SHAPE_CYLINDER:
            return cylinderContains(shape->cylinder, q, margin);
        case SD_SHAPE_CONE:
            return coneContains(shape->cone, q, margin);
        case SD_SHAPE_TRIANGLE:
            return triangleContains(&shape->triangle, p, margin);
        case SD_SHAPE_HULL:
            return sdHull_Contains(shape->hull, p, (float)margin);
        case SD_SHAPE_HALF_SPACE:
            return p.y <= 0.0f;
        case SD_SHAPE_MESH:
            return meshContains(shape->mesh, p, (float)margin);
        case SD_SHAPE_COMPOUND:
            return compoundContains(shape->compound, p);
        case SD_SHAPE_TYPE_COUNT:
            break;
    }
    return false;
}
