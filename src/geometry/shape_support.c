// SPDX-License-Identifier: MIT
// shape_support.c - furthest points of convex shapes along a direction.
//
// In:   a convex shape, a direction of any length in the shape's frame.
// Out:  a point of the shape with the largest dot product, exact but for rounding.
// Ref:  van den Bergen, "Collision Detection in Interactive 3D Environments", 2004, §4.3.
// Note: lengths are taken in double, so no direction is too short or too long to be told from 0.

#include "math/vec3d.h"
#include "sudar/shapes.h"

/// (x, z) at the given length; a point on the x axis when there is no direction.
static sdVec2 rimPoint(float radius, sdVec3 direction) {
    double x = (double)direction.x, z = (double)direction.z;
    double length = sqrt(x * x + z * z);
    if (!(length > 0.0)) {
        return sdV2(radius, 0.0f);
    }
    double s = (double)radius / length;
    return sdV2((float)(s * x), (float)(s * z));
}

static sdVec3 spherePoint(float radius, sdVec3 direction) {
    sdVec3d d = sdVec3d_From(direction);
    double length = sdLengthD(d);
    if (!(length > 0.0)) {
        return sdV3(0.0f, radius, 0.0f);
    }
    return sdVec3d_Round(sdScaleD((double)radius / length, d));
}

static float signedSize(float size, float direction) {
    return direction < 0.0f ? -size : size;
}

static sdVec3 cylinderPoint(sdCylinder cylinder, sdVec3 direction) {
    sdVec2 rim = rimPoint(cylinder.radius, direction);
    return sdV3(rim.x, signedSize(cylinder.halfHeight, direction.y), rim.y);
}

/// The apex, or the rim of the base where it is further: -h y + r |(x, z)| > h y.
static sdVec3 conePoint(sdCone cone, sdVec3 direction) {
    double x = (double)direction.x, z = (double)direction.z;
    double rise = 2.0 * (double)cone.halfHeight * (double)direction.y;
    if (rise >= (double)cone.radius * sqrt(x * x + z * z)) {
        return sdV3(0.0f, cone.halfHeight, 0.0f);
    }
    sdVec2 rim = rimPoint(cone.radius, direction);
    return sdV3(rim.x, -cone.halfHeight, rim.y);
}

static sdVec3 trianglePoint(const sdTriangle* triangle, sdVec3 direction) {
    sdVec3d d = sdVec3d_From(direction);
    int best = 0;
    double furthest = sdDotD(d, sdVec3d_From(triangle->vertices[0]));
    for (int i = 1; i < 3; ++i) {
        double along = sdDotD(d, sdVec3d_From(triangle->vertices[i]));
        best = along > furthest ? i : best;
        furthest = along > furthest ? along : furthest;
    }
    return triangle->vertices[best];
}

sdVec3 sdShape_Support(const sdShape* shape, sdVec3 direction) {
    const sdVec3 origin = {0.0f, 0.0f, 0.0f};
    if (!sdShape_IsValid(shape)) {
        return origin;
    }
    sdVec3 d = sdVec3_IsFinite(direction) ? direction : origin;
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            return spherePoint(shape->sphere.radius, d);
        case SD_SHAPE_CAPSULE: {
            sdVec3 p = spherePoint(shape->capsule.radius, d);
            p.y += signedSize(shape->capsule.halfLength, d.y);
            return p;
        }
        case SD_SHAPE_BOX: {
            sdVec3 h = shape->box.halfExtents;
            return sdV3(signedSize(h.x, d.x), signedSize(h.y, d.y), signedSize(h.z, d.z));
        }
        case SD_SHAPE_CYLINDER:
            return cylinderPoint(shape->cylinder, d);
        case SD_SHAPE_CONE:
            return conePoint(shape->cone, d);
        case SD_SHAPE_TRIANGLE:
            return trianglePoint(&shape->triangle, d);
        case SD_SHAPE_HULL:
            return sdHull_GetVertices(shape->hull, NULL)[sdHull_Support(shape->hull, d)];
        case SD_SHAPE_HALF_SPACE:
        case SD_SHAPE_MESH:
        case SD_SHAPE_COMPOUND:
        case SD_SHAPE_TYPE_COUNT:
            break;
    }
    return origin;
}
