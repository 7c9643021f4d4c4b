// SPDX-License-Identifier: MIT
// pair.h - what the queries of convex pairs share: a result in double, and its mirror image.

#ifndef SD_NARROW_PAIR_H
#define SD_NARROW_PAIR_H

#include "math/vec3d.h"
#include "sudar/collide.h"

/// Sizes and distances beyond this overflow the products of single precision, m.
#define SD_MAX_REACH 1e12f

/// What sdPairCache.kind holds when GJK wrote it.
#define SD_CACHE_GJK 1

/// B's axes and origin in A's frame.
typedef struct sdPose {
    sdVec3d columns[3];
    sdVec3d offset;
} sdPose;

/// The rotation is normalised: a quaternion that is a little too long must not make B larger.
static inline void sdPose_Set(sdPose* pose, sdTransform xf) {
    double x = (double)xf.q.v.x, y = (double)xf.q.v.y, z = (double)xf.q.v.z, s = (double)xf.q.s;
    double n = 2.0 / (x * x + y * y + z * z + s * s);
    pose->columns[0] = sdV3d(1.0 - n * (y * y + z * z), n * (x * y + s * z), n * (x * z - s * y));
    pose->columns[1] = sdV3d(n * (x * y - s * z), 1.0 - n * (x * x + z * z), n * (y * z + s * x));
    pose->columns[2] = sdV3d(n * (x * z + s * y), n * (y * z - s * x), 1.0 - n * (x * x + y * y));
    pose->offset = sdVec3d_From(xf.p);
}

/// A direction of B's frame in A's.
static inline sdVec3d sdPose_Rotate(const sdPose* pose, sdVec3d d) {
    sdVec3d r = sdScaleD(d.x, pose->columns[0]);
    return sdMulAddD(sdMulAddD(r, d.y, pose->columns[1]), d.z, pose->columns[2]);
}

/// A direction of A's frame in B's.
static inline sdVec3d sdPose_InvRotate(const sdPose* pose, sdVec3d d) {
    return sdV3d(sdDotD(d, pose->columns[0]), sdDotD(d, pose->columns[1]),
                 sdDotD(d, pose->columns[2]));
}

static inline sdVec3d sdPose_Point(const sdPose* pose, sdVec3d p) {
    return sdAddD(pose->offset, sdPose_Rotate(pose, p));
}

static inline sdVec3d sdPose_InvPoint(const sdPose* pose, sdVec3d p) {
    return sdPose_InvRotate(pose, sdSubD(p, pose->offset));
}

/// Nearest or deepest points of two convex shapes in A's frame, before they are rounded.
typedef struct sdPairResult {
    double separation;
    sdVec3d normal; ///< unit, A to B
    sdVec3d pointA, pointB;
    sdVec3d common;     ///< some point of both; when they overlap
    int indexA, indexB; ///< furthest vertices along the normal, or SD_NULL_INDEX
    int iterations;
    sdStatus status;
    bool isDeep;  ///< the cores overlap: EPA has found it
    double error; ///< of the separation, its rounding to single precision included
} sdPairResult;

/// Rounding to single precision of results that are as large as this.
static inline double sdPairResult_Rounding(double size) {
    return (double)FLT_EPSILON * size;
}

/// The result of (B, A) in B's frame becomes that of (A, B) in A's.
static inline void sdPairResult_Mirror(sdPairResult* result, const sdPose* pose) {
    sdVec3d pointA = sdPose_Point(pose, result->pointB);
    result->pointB = sdPose_Point(pose, result->pointA);
    result->pointA = pointA;
    result->common = sdPose_Point(pose, result->common);
    result->normal = sdScaleD(-1.0, sdPose_Rotate(pose, result->normal));
    int index = result->indexA;
    result->indexA = result->indexB;
    result->indexB = index;
}

static inline sdSeparation sdSeparation_Invalid(void) {
    sdSeparation r = {
        .childA = SD_NULL_INDEX, .childB = SD_NULL_INDEX, .status = SD_STATUS_INVALID};
    return r;
}

/// As the public queries give it.
/// @param wantsDepth else overlapping bodies have separation 0 and a common point
sdSeparation sdPairResult_Round(const sdPairResult* result, bool wantsDepth);

/// By the best algorithm for two convex shapes.
/// @param stopAbove bodies that are further apart than this need no nearest points, m
/// @return false when the shapes or the pose are not valid
bool sdPair_Separate(const sdShape* a, const sdShape* b, sdTransform xfAB, bool wantsDepth,
                     double stopAbove, sdPairCache* cache, sdPairResult* out);

// ---- closed forms (collide_primitive.c) ----------------------------------------------------

/// Sphere against sphere, capsule, box, cylinder, cone, triangle, in either order, capsule against
/// capsule, and capsule against a triangle that its core does not touch.
/// @return false when there is no closed form for the pair, or something is not valid
bool sdPrimitive_Separation(const sdShape* a, const sdShape* b, sdTransform xfAB,
                            sdPairResult* out);

#endif
