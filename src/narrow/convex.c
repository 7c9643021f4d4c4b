// SPDX-License-Identifier: MIT
// convex.c - shapes and poses made ready for GJK and EPA.

#include "narrow/convex.h"

#include "geometry/hull.h"

static void setTriangle(sdConvex* convex, const sdTriangle* triangle) {
    // unused lanes repeat the first corner
    for (int i = 0; i < SD_LANES; ++i) {
        sdVec3 v = triangle->vertices[i < 3 ? i : 0];
        convex->corners[0][i] = v.x;
        convex->corners[1][i] = v.y;
        convex->corners[2][i] = v.z;
    }
    convex->x = convex->corners[0];
    convex->y = convex->corners[1];
    convex->z = convex->corners[2];
    convex->count = SD_LANES;
    convex->inside = triangle->vertices[0];
    for (int i = 0; i < 3; ++i) {
        convex->half = sdMax(convex->half, sdAbs(triangle->vertices[i]));
    }
    convex->reach = sdLength(convex->half);
    convex->outer = 2.0f * convex->reach;
}

static void setHull(sdConvex* convex, const sdHull* hull) {
    convex->x = hull->soa;
    convex->y = hull->soa + hull->soaStride;
    convex->z = hull->soa + 2 * hull->soaStride;
    convex->count = hull->soaStride;
    convex->hull = hull;
    convex->inside = hull->center;
    convex->half = hull->half;
    convex->reach = hull->reach;
    convex->inner = hull->innerRadius;
    convex->outer = hull->outerRadius;
}

/// Shapes about their origin.
static void setHalf(sdConvex* convex, float x, float y, float z, float inner) {
    convex->half = sdV3(x, y, z);
    convex->reach = sdLength(convex->half);
    convex->inner = inner;
    convex->outer = convex->reach;
}

static void setCone(sdConvex* convex, float radius, float half) {
    // the distance to the side, which is nearer than the base
    float slant = sqrtf(4.0f * half * half + radius * radius);
    setHalf(convex, radius, half, radius, slant > 0.0f ? radius * half / slant : 0.0f);
}

bool sdConvex_Init(sdConvex* convex, const sdShape* shape) {
    // the commonest first, which needs no more than this
    if (shape != NULL && shape->type == SD_SHAPE_HULL && shape->hull != NULL) {
        convex->type = SD_SHAPE_HULL;
        convex->radius = 0.0f;
        setHull(convex, shape->hull);
        return convex->reach <= SD_MAX_REACH;
    }
    if (shape == NULL || !sdShape_IsValid(shape)) {
        return false;
    }
    sdVec3 half;
    convex->type = shape->type;
    convex->radius = 0.0f;
    convex->half = sdV3(0.0f, 0.0f, 0.0f);
    convex->reach = 0.0f;
    convex->inside = sdV3(0.0f, 0.0f, 0.0f);
    convex->inner = 0.0f;
    convex->outer = 0.0f;
    convex->count = 0;
    convex->hull = NULL;
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            convex->radius = shape->sphere.radius;
            break;
        case SD_SHAPE_CAPSULE:
            convex->radius = shape->capsule.radius;
            setHalf(convex, 0.0f, shape->capsule.halfLength, 0.0f, 0.0f);
            break;
        case SD_SHAPE_BOX:
            half = shape->box.halfExtents;
            setHalf(convex, half.x, half.y, half.z, sdMinF(half.x, sdMinF(half.y, half.z)));
            break;
        case SD_SHAPE_CYLINDER:
            half = sdV3(shape->cylinder.radius, shape->cylinder.halfHeight, 0.0f);
            setHalf(convex, half.x, half.y, half.x, sdMinF(half.x, half.y));
            break;
        case SD_SHAPE_CONE:
            setCone(convex, shape->cone.radius, shape->cone.halfHeight);
            break;
        case SD_SHAPE_TRIANGLE:
            setTriangle(convex, &shape->triangle);
            break;
        default:
            return false;
    }
    return convex->reach + convex->radius <= SD_MAX_REACH;
}

void sdConvexPair_SetPose(sdConvexPair* pair, const sdTransform* xfAB) {
    sdPose pose;
    sdPose_Set(&pose, *xfAB);
    pair->columns[0] = pose.columns[0];
    pair->columns[1] = pose.columns[1];
    pair->columns[2] = pose.columns[2];
    pair->offset = pose.offset;
    if (!sdConvex_IsScanned(&pair->b)) {
        sdVec3d half = sdVec3d_From(pair->b.half);
        pair->halfAxes[0] = sdScaleD(half.x, pose.columns[0]);
        pair->halfAxes[1] = sdScaleD(half.y, pose.columns[1]);
        pair->halfAxes[2] = sdScaleD(half.z, pose.columns[2]);
    }
}

bool sdConvexPair_SetShapes(sdConvexPair* pair, const sdShape* a, const sdShape* b,
                            const sdTransform* xfAB) {
    if (!sdConvex_Init(&pair->a, a) || !sdConvex_Init(&pair->b, b) || !sdTransform_IsValid(*xfAB) ||
        !(sdLengthSquared(xfAB->p) <= SD_MAX_REACH * SD_MAX_REACH)) {
        return false;
    }
    pair->scale = (double)pair->a.reach + (double)pair->b.reach + (double)pair->a.radius +
                  (double)pair->b.radius;
    double scannedA = sdConvex_IsScanned(&pair->a) ? (double)pair->a.reach : 0.0;
    double scannedB = sdConvex_IsScanned(&pair->b) ? (double)pair->b.reach : 0.0;
    double turned = sdConvex_IsScanned(&pair->a) ? scannedB : 0.0;
    pair->supportError = SD_SUPPORT_ROUNDING * (scannedA + scannedB) + SD_TURN_ROUNDING * turned;
    return true;
}

bool sdConvexPair_Set(sdConvexPair* pair, const sdShape* a, const sdShape* b,
                      const sdTransform* xfAB) {
    if (!sdConvexPair_SetShapes(pair, a, b, xfAB)) {
        return false;
    }
    sdConvexPair_SetPose(pair, xfAB);
    return true;
}
