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
}

static void setHull(sdConvex* convex, const sdHull* hull) {
    convex->x = hull->soa;
    convex->y = hull->soa + hull->soaStride;
    convex->z = hull->soa + 2 * hull->soaStride;
    convex->count = hull->soaStride;
    convex->inside = sdAABB_Center(hull->bounds);
    convex->half = sdMax(sdAbs(hull->bounds.lower), sdAbs(hull->bounds.upper));
}

bool sdConvex_Init(sdConvex* convex, const sdShape* shape) {
    if (shape == NULL || !sdShape_IsValid(shape)) {
        return false;
    }
    convex->type = shape->type;
    convex->radius = 0.0f;
    convex->half = sdV3(0.0f, 0.0f, 0.0f);
    convex->inside = sdV3(0.0f, 0.0f, 0.0f);
    convex->count = 0;
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            convex->radius = shape->sphere.radius;
            break;
        case SD_SHAPE_CAPSULE:
            convex->radius = shape->capsule.radius;
            convex->half.y = shape->capsule.halfLength;
            break;
        case SD_SHAPE_BOX:
            convex->half = shape->box.halfExtents;
            break;
        case SD_SHAPE_CYLINDER:
            convex->half =
                sdV3(shape->cylinder.radius, shape->cylinder.halfHeight, shape->cylinder.radius);
            break;
        case SD_SHAPE_CONE:
            convex->half = sdV3(shape->cone.radius, shape->cone.halfHeight, shape->cone.radius);
            break;
        case SD_SHAPE_TRIANGLE:
            setTriangle(convex, &shape->triangle);
            break;
        case SD_SHAPE_HULL:
            setHull(convex, shape->hull);
            break;
        default:
            return false;
    }
    convex->reach = sdLength(convex->half);
    return convex->reach + convex->radius <= SD_MAX_REACH;
}

static void setPose(sdConvexPair* pair, sdTransform xfAB) {
    sdPose pose;
    sdPose_Set(&pose, xfAB);
    sdVec3d half = sdVec3d_From(pair->b.half);
    pair->columns[0] = pose.columns[0];
    pair->columns[1] = pose.columns[1];
    pair->columns[2] = pose.columns[2];
    pair->halfAxes[0] = sdScaleD(half.x, pose.columns[0]);
    pair->halfAxes[1] = sdScaleD(half.y, pose.columns[1]);
    pair->halfAxes[2] = sdScaleD(half.z, pose.columns[2]);
    pair->offset = pose.offset;
}

static bool isScanned(const sdConvex* convex) {
    return convex->type == SD_SHAPE_HULL || convex->type == SD_SHAPE_TRIANGLE;
}

bool sdConvexPair_Init(sdConvexPair* pair, const sdShape* a, const sdShape* b, sdTransform xfAB) {
    if (!sdConvex_Init(&pair->a, a) || !sdConvex_Init(&pair->b, b) || !sdTransform_IsValid(xfAB) ||
        !(sdLength(xfAB.p) <= SD_MAX_REACH)) {
        return false;
    }
    setPose(pair, xfAB);
    pair->scale = (double)pair->a.reach + (double)pair->b.reach + (double)pair->a.radius +
                  (double)pair->b.radius;
    double scanned = (isScanned(&pair->a) ? (double)pair->a.reach : 0.0) +
                     (isScanned(&pair->b) ? (double)pair->b.reach : 0.0);
    pair->supportError = SD_SUPPORT_ROUNDING * scanned;
    return true;
}
