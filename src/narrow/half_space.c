// SPDX-License-Identifier: MIT
// half_space.c - distance and depth of a half-space and any other shape.
//
// In:   a pair of which one is a half-space.
// Out:  the lowest point of the other one over the plane: separation, normal, points. Exact.
// Note: everything is computed in the frame of the other shape, in which the half-space is one
//       vector and one number, in double. Never allocates.

#include "narrow/half_space.h"

#include "geometry/compound.h"
#include "geometry/mesh.h"
#include "math/vec3d.h"
#include "narrow/collide_mesh_walk.h"
#include "narrow/pair.h"

/// Relative rounding of heights in single precision, of the vertex that was searched for with them,
/// and of results.
#define ROUNDING 1e-6

/// A half-space in the frame of the other shape: all x with normal·x <= offset.
typedef struct Plane {
    sdVec3d normal;
    double offset;
} Plane;

typedef struct Lowest {
    sdVec3d point;
    double height; ///< over the plane
    int child;
} Lowest;

// ---- planes --------------------------------------------------------------------------------

/// R v for the rotation R of q, whose length need not be exactly 1.
static sdVec3d rotate(sdQuat q, sdVec3d v) {
    sdVec3d u = sdVec3d_From(q.v);
    double s = (double)q.s;
    double n = 2.0 / (sdDotD(u, u) + s * s);
    sdVec3d t = sdCrossD(u, v);
    return sdMulAddD(sdMulAddD(v, n * s, t), n, sdCrossD(u, t));
}

static sdVec3d place(sdTransform xf, sdVec3d p) {
    return sdAddD(rotate(xf.q, p), sdVec3d_From(xf.p));
}

/// The half-space of the frame H, which xfXH places in X.
static Plane planeOf(sdTransform xfXH) {
    sdVec3d normal = rotate(xfXH.q, sdV3d(0.0, 1.0, 0.0));
    return (Plane){normal, sdDotD(normal, sdVec3d_From(xfXH.p))};
}

/// The half-space of the frame H, in which xfHX places X.
static Plane planeUnder(sdTransform xfHX) {
    return (Plane){rotate(sdConjugate(xfHX.q), sdV3d(0.0, 1.0, 0.0)), -(double)xfHX.p.y};
}

/// The same plane in the frame of a child.
static Plane planeOfChild(Plane plane, sdTransform xf) {
    return (Plane){rotate(sdConjugate(xf.q), plane.normal),
                   plane.offset - sdDotD(plane.normal, sdVec3d_From(xf.p))};
}

static double heightOf(const Plane* plane, sdVec3d p) {
    return sdDotD(plane->normal, p) - plane->offset;
}

// ---- lowest points -------------------------------------------------------------------------

static Lowest lowestOfConvex(const sdShape* shape, const Plane* plane) {
    sdVec3 down = sdVec3d_Round(sdScaleD(-1.0, plane->normal));
    sdVec3d point = sdVec3d_From(sdShape_Support(shape, down));
    return (Lowest){point, heightOf(plane, point), SD_NULL_INDEX};
}

typedef struct LowestSearch {
    const Plane* plane;
    Lowest lowest;
} LowestSearch;

static float visitLowest(void* arg, const sdMeshBvhLeaf* leaf, int lane) {
    LowestSearch* search = arg;
    Lowest* lowest = &search->lowest;
    int triangle = leaf->triangle[lane];
    for (int i = 0; i < 3; ++i) {
        sdVec3d corner = sdVec3d_From(sdMeshBvhLeaf_GetCorner(leaf, lane, i));
        double height = heightOf(search->plane, corner);
        if (height < lowest->height || (height == lowest->height && triangle < lowest->child)) {
            *lowest = (Lowest){corner, height, triangle};
        }
    }
    return (float)lowest->height;
}

static float reachOf(sdAABB box) {
    sdVec3 far = sdMax(sdAbs(box.lower), sdAbs(box.upper));
    return sdMaxF(far.x, sdMaxF(far.y, far.z));
}

static Lowest lowestOfMesh(const sdMesh* mesh, const Plane* plane) {
    LowestSearch search = {plane, {.height = DBL_MAX, .child = SD_NULL_INDEX}};
    sdMeshPlaneWalk walk = {
        .bvh = &mesh->bvh,
        .normal = sdVec3d_Round(plane->normal),
        .offset = (float)plane->offset,
        .slack = (float)(ROUNDING * ((double)reachOf(mesh->bounds) + fabs(plane->offset))),
        .bound = SD_WALK_EVERYTHING,
        .visit = visitLowest,
        .arg = &search,
    };
    sdMeshPlaneWalk_Run(&walk);
    return search.lowest;
}

static Lowest lowestOf(const sdShape* shape, const Plane* plane) {
    if (shape->type == SD_SHAPE_MESH) {
        return lowestOfMesh(shape->mesh, plane);
    }
    if (shape->type != SD_SHAPE_COMPOUND) {
        return lowestOfConvex(shape, plane);
    }
    Lowest lowest = {.height = DBL_MAX};
    for (int i = 0; i < shape->compound->childCount; ++i) {
        const sdCompoundChild* child = &shape->compound->children[i];
        Plane own = planeOfChild(*plane, child->xf);
        Lowest other = child->shape.type == SD_SHAPE_MESH ? lowestOfMesh(child->shape.mesh, &own)
                                                          : lowestOfConvex(&child->shape, &own);
        if (other.height < lowest.height) {
            lowest = (Lowest){place(child->xf, other.point), other.height, i};
        }
    }
    return lowest;
}

// ---- results -------------------------------------------------------------------------------

/// No coordinate of a point of the shape is greater.
static float sizeOf(const sdShape* shape) {
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            return shape->sphere.radius;
        case SD_SHAPE_CAPSULE:
            return shape->capsule.halfLength + shape->capsule.radius;
        case SD_SHAPE_BOX: {
            sdVec3 half = shape->box.halfExtents;
            return sdMaxF(half.x, sdMaxF(half.y, half.z));
        }
        case SD_SHAPE_CYLINDER:
            return sdMaxF(shape->cylinder.halfHeight, shape->cylinder.radius);
        case SD_SHAPE_CONE:
            return sdMaxF(shape->cone.halfHeight, shape->cone.radius);
        case SD_SHAPE_HULL:
            return reachOf(sdHull_GetBounds(shape->hull));
        case SD_SHAPE_MESH:
            return reachOf(shape->mesh->bounds);
        case SD_SHAPE_COMPOUND:
            return reachOf(shape->compound->bounds);
        default:
            return reachOf(sdShape_GetBounds(shape, sdTransform_Identity()));
    }
}

static bool isUsable(const sdShape* a, const sdShape* b, sdTransform xfAB) {
    if (!sdShape_IsValid(a) || !sdShape_IsValid(b) || !sdTransform_IsValid(xfAB) ||
        !(sdLength(xfAB.p) <= SD_MAX_REACH)) {
        return false;
    }
    bool isA = a->type == SD_SHAPE_HALF_SPACE, isB = b->type == SD_SHAPE_HALF_SPACE;
    return isA != isB && sizeOf(isA ? b : a) <= SD_MAX_REACH;
}

sdSeparation sdHalfSpace_Separation(const sdShape* a, const sdShape* b, sdTransform xfAB,
                                    bool wantsDepth) {
    sdSeparation result = sdSeparation_Invalid();
    if (!isUsable(a, b, xfAB)) {
        return result;
    }
    bool isA = a->type == SD_SHAPE_HALF_SPACE;
    const sdShape* other = isA ? b : a;
    Plane plane = isA ? planeUnder(xfAB) : planeOf(xfAB);
    Lowest lowest = lowestOf(other, &plane);
    sdVec3d foot = sdMulAddD(lowest.point, -lowest.height, plane.normal);
    if (isA) {
        lowest.point = place(xfAB, lowest.point);
        foot = sdV3d(lowest.point.x, 0.0, lowest.point.z);
    }
    bool isCommon = lowest.height <= 0.0 && !wantsDepth;
    result.separation = isCommon ? 0.0f : (float)lowest.height;
    // as GJK has it: no normal where a common point is all that was asked for
    if (!isCommon) {
        sdVec3d normal = isA ? sdV3d(0.0, 1.0, 0.0) : sdScaleD(-1.0, plane.normal);
        result.normal = sdVec3d_Round(normal);
    }
    foot = isCommon ? lowest.point : foot;
    result.pointA = sdVec3d_Round(isA ? foot : lowest.point);
    result.pointB = sdVec3d_Round(isA ? lowest.point : foot);
    result.childA = isA ? SD_NULL_INDEX : lowest.child;
    result.childB = isA ? lowest.child : SD_NULL_INDEX;
    result.status = SD_STATUS_EXACT;
    result.iterations = 1;
    result.error = (float)(ROUNDING * ((double)sizeOf(other) + fabs(plane.offset)));
    return result;
}

// ---- rays and moving bodies ----------------------------------------------------------------

sdRayHit sdHalfSpace_Raycast(sdVec3 origin, sdVec3 translation) {
    sdRayHit hit = {.fraction = 1.0f, .child = SD_NULL_INDEX, .iterations = 1};
    double start = (double)origin.y, step = (double)translation.y;
    if (start <= 0.0) {
        sdVec3 back = sdNormalize(sdNeg(translation));
        hit.isHit = true;
        hit.fraction = 0.0f;
        hit.point = origin;
        hit.normal = sdLengthSquared(back) > 0.0f ? back : sdV3(0.0f, 1.0f, 0.0f);
    } else if (start + step <= 0.0) {
        hit.isHit = true;
        hit.fraction = (float)(start / -step);
        hit.point = sdMulAdd(origin, hit.fraction, translation);
        hit.point.y = 0.0f;
        hit.normal = sdV3(0.0f, 1.0f, 0.0f);
    }
    return hit;
}

sdCastHit sdHalfSpace_Cast(const sdShape* a, const sdShape* b, sdTransform xfAB,
                           sdVec3 translation) {
    sdCastHit hit = {.fraction = 1.0f, .childA = SD_NULL_INDEX, .childB = SD_NULL_INDEX};
    sdSeparation s = sdHalfSpace_Separation(a, b, xfAB, true);
    if (s.status == SD_STATUS_INVALID || !sdVec3_IsFinite(translation)) {
        hit.fraction = 0.0f;
        hit.status = SD_STATUS_INVALID;
        return hit;
    }
    hit.status = s.status;
    hit.iterations = s.iterations;
    // the separation changes evenly, and the lowest point stays the lowest
    double step = sdDotD(sdVec3d_From(s.normal), sdVec3d_From(translation));
    double start = (double)s.separation;
    if (start > 0.0 && start + step > 0.0) {
        return hit;
    }
    hit.isHit = true;
    hit.fraction = start > 0.0 ? (float)(start / -step) : 0.0f;
    hit.normal = s.normal;
    bool isA = a->type == SD_SHAPE_HALF_SPACE;
    hit.point = isA ? sdMulAdd(s.pointB, hit.fraction, translation) : s.pointA;
    hit.childA = s.childA;
    hit.childB = s.childB;
    return hit;
}
