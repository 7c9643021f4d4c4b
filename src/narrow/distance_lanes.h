// SPDX-License-Identifier: MIT
// distance_lanes.h - signed distances of shapes at eight points, with their gradients.
//
// In:   points in the shape's frame.
// Out:  negative inside; unit gradients. Exact for primitives; for hulls outside of edges and
//       corners the largest distance from a face, which is a little less than the true one.

#ifndef SD_NARROW_DISTANCE_LANES_H
#define SD_NARROW_DISTANCE_LANES_H

#include "base/simd.h"
#include "geometry/hull.h"
#include "sudar/shapes.h"

/// Squares of lengths below which there is no direction.
#define SD_DISTANCE_TINY 1e-30f

SD_INLINE sdF8 sdLanes_Sign(sdF8 a) {
    sdF8 one = sdF8_Splat(1.0f);
    return sdF8_Select(sdF8_Less(a, sdF8_Zero()), -one, one);
}

/// v divided by its length, and the length; `otherwise` where there is none.
SD_INLINE sdF8 sdLanes_Normalize(sdVec3x8* v, sdVec3x8 otherwise) {
    sdF8 squared = sdVec3x8_Dot(*v, *v);
    sdI8 isShort = sdF8_Less(squared, sdF8_Splat(SD_DISTANCE_TINY));
    sdF8 length = sdF8_Sqrt(squared);
    sdF8 inverse = 1.0f / sdF8_Select(isShort, sdF8_Splat(1.0f), length);
    v->x = sdF8_Select(isShort, otherwise.x, inverse * v->x);
    v->y = sdF8_Select(isShort, otherwise.y, inverse * v->y);
    v->z = sdF8_Select(isShort, otherwise.z, inverse * v->z);
    return length;
}

SD_INLINE sdF8 sdSphere_Distances(sdSphere sphere, sdVec3x8 p, sdVec3x8* gradient) {
    *gradient = p;
    return sdLanes_Normalize(gradient, sdVec3x8_Splat(sdV3(0.0f, 1.0f, 0.0f))) - sphere.radius;
}

SD_INLINE sdF8 sdCapsule_Distances(sdCapsule capsule, sdVec3x8 p, sdVec3x8* gradient) {
    sdF8 half = sdF8_Splat(capsule.halfLength);
    *gradient = p;
    gradient->y = p.y - sdF8_Clamp(p.y, -half, half);
    return sdLanes_Normalize(gradient, sdVec3x8_Splat(sdV3(1.0f, 0.0f, 0.0f))) - capsule.radius;
}

SD_INLINE sdF8 sdBox_Distances(sdBox box, sdVec3x8 p, sdVec3x8* gradient) {
    sdF8 zero = sdF8_Zero();
    sdVec3x8 q = {sdF8_Abs(p.x) - box.halfExtents.x, sdF8_Abs(p.y) - box.halfExtents.y,
                  sdF8_Abs(p.z) - box.halfExtents.z};
    sdF8 most = sdF8_Max(q.x, sdF8_Max(q.y, q.z));
    // inside: through the nearest face, the first of those at the same distance
    sdI8 isX = sdF8_Equal(q.x, most), isY = sdF8_Equal(q.y, most) & ~isX, isZ = ~(isX | isY);
    sdVec3x8 inner = {sdF8_Select(isX, sdLanes_Sign(p.x), zero),
                      sdF8_Select(isY, sdLanes_Sign(p.y), zero),
                      sdF8_Select(isZ, sdLanes_Sign(p.z), zero)};
    *gradient =
        (sdVec3x8){sdF8_Max(q.x, zero) * sdLanes_Sign(p.x), sdF8_Max(q.y, zero) * sdLanes_Sign(p.y),
                   sdF8_Max(q.z, zero) * sdLanes_Sign(p.z)};
    sdF8 outside = sdLanes_Normalize(gradient, inner);
    return outside + sdF8_Min(most, zero);
}

SD_INLINE sdF8 sdCylinder_Distances(sdCylinder cylinder, sdVec3x8 p, sdVec3x8* gradient) {
    sdF8 zero = sdF8_Zero();
    sdVec3x8 radial = {p.x, zero, p.z};
    sdF8 a = sdLanes_Normalize(&radial, sdVec3x8_Splat(sdV3(1.0f, 0.0f, 0.0f))) - cylinder.radius;
    sdF8 b = sdF8_Abs(p.y) - cylinder.halfHeight, up = sdLanes_Sign(p.y);
    sdI8 isSide = sdF8_LessEqual(b, a);
    sdVec3x8 inner = {sdF8_Select(isSide, radial.x, zero), sdF8_Select(isSide, zero, up),
                      sdF8_Select(isSide, radial.z, zero)};
    sdF8 outA = sdF8_Max(a, zero), outB = sdF8_Max(b, zero);
    *gradient = (sdVec3x8){outA * radial.x, outB * up, outA * radial.z};
    sdF8 outside = sdLanes_Normalize(gradient, inner);
    return outside + sdF8_Min(sdF8_Max(a, b), zero);
}

/// In the half plane through the axis: the nearer of the slanted side and the base.
SD_INLINE sdF8 sdCone_Distances(sdCone cone, sdVec3x8 p, sdVec3x8* gradient) {
    sdF8 zero = sdF8_Zero(), one = sdF8_Splat(1.0f);
    sdVec3x8 radial = {p.x, zero, p.z};
    sdF8 rho = sdLanes_Normalize(&radial, sdVec3x8_Splat(sdV3(1.0f, 0.0f, 0.0f)));
    float h = cone.halfHeight, r = cone.radius, slant = sqrtf(4.0f * h * h + r * r);
    float inverse = slant > 0.0f ? 1.0f / slant : 0.0f;
    float nr = 2.0f * h * inverse, ny = r * inverse; // normal of the side
    // from the apex down the side
    sdF8 down = h - p.y;
    sdF8 t = sdF8_Clamp((rho * r + down * (2.0f * h)) * (inverse * inverse), zero, one);
    sdF8 sideR = rho - t * r, sideY = t * (2.0f * h) - down;
    sdF8 baseR = rho - sdF8_Min(rho, sdF8_Splat(r)), baseY = p.y + h;
    sdF8 side2 = sideR * sideR + sideY * sideY, base2 = baseR * baseR + baseY * baseY;
    sdI8 isBase = sdF8_Less(base2, side2);
    sdF8 dr = sdF8_Select(isBase, baseR, sideR), dy = sdF8_Select(isBase, baseY, sideY);
    sdI8 isInside = sdF8_LessEqual(rho * nr - down * ny, zero) & sdF8_LessEqual(-baseY, zero);
    sdF8 sign = sdF8_Select(isInside, -one, one);
    *gradient = (sdVec3x8){sign * dr * radial.x, sign * dy, sign * dr * radial.z};
    sdF8 flatR = sdF8_Select(isBase, zero, sdF8_Splat(nr));
    sdF8 flatY = sdF8_Select(isBase, -one, sdF8_Splat(ny));
    sdVec3x8 onSurface = {flatR * radial.x, flatY, flatR * radial.z};
    return sign * sdLanes_Normalize(gradient, onSurface);
}

SD_INLINE sdF8 sdHull_Distances(const sdHull* hull, sdVec3x8 p, sdVec3x8* gradient) {
    sdF8 most = sdF8_Splat(-3.0e38f);
    sdVec3x8 normal = sdVec3x8_Splat(sdV3(0.0f, 1.0f, 0.0f));
    for (int i = 0; i < hull->faceCount; ++i) {
        sdVec3x8 n = sdVec3x8_Splat(hull->planes[i].normal);
        sdF8 d = sdVec3x8_Dot(n, p) - hull->planes[i].offset;
        sdI8 isMore = sdF8_Less(most, d);
        most = sdF8_Max(d, most);
        normal.x = sdF8_Select(isMore, n.x, normal.x);
        normal.y = sdF8_Select(isMore, n.y, normal.y);
        normal.z = sdF8_Select(isMore, n.z, normal.z);
    }
    *gradient = normal;
    return most;
}

/// Distances of the convex shapes and of the half-space.
SD_INLINE sdF8 sdShape_Distances(const sdShape* shape, sdVec3x8 p, sdVec3x8* gradient) {
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            return sdSphere_Distances(shape->sphere, p, gradient);
        case SD_SHAPE_CAPSULE:
            return sdCapsule_Distances(shape->capsule, p, gradient);
        case SD_SHAPE_BOX:
            return sdBox_Distances(shape->box, p, gradient);
        case SD_SHAPE_CYLINDER:
            return sdCylinder_Distances(shape->cylinder, p, gradient);
        case SD_SHAPE_CONE:
            return sdCone_Distances(shape->cone, p, gradient);
        case SD_SHAPE_HULL:
            return sdHull_Distances(shape->hull, p, gradient);
        default:
            *gradient = sdVec3x8_Splat(sdV3(0.0f, 1.0f, 0.0f));
            return p.y;
    }
}

#endif
