// SPDX-License-Identifier: MIT
// planar.h - two convex shapes in the plane: overlap, distance, penetration, manifold, contact set,
// ray, cast, moving bodies, separating axes.
//
// As in collide.h everything happens in A's frame: xfAB places B in it. Normals are unit and point
// from A to B; separation < 0 is overlap. Nothing allocates or keeps state. Input that is not
// finite or not valid gives SD_STATUS_INVALID and a zeroed result.
//
// Every shape is a convex polygon rounded by a radius: a point is a circle, a segment a capsule.
// Point-circle, circle-circle, point-box and box-box for axis-aligned boxes (B1) are in bounds.h:
// sdCircle2_ContainsPoint, sdCircle2_Overlaps, sdAABB2_ContainsPoint, sdAABB2_Overlaps.

#ifndef SUDAR_PLANAR_H
#define SUDAR_PLANAR_H

#include "sudar/bounds.h"
#include "sudar/collide.h"

SD_BEGIN_C

// ---- transform -----------------------------------------------------------------------------

/// Rotation, then translation.
typedef struct sdTransform2 {
    sdVec2 p;
    float c, s; ///< cosine and sine of the angle
} sdTransform2;

/// @param angle rad, counter-clockwise
SD_API sdTransform2 sdTransform2_Make(sdVec2 position, float angle);

static inline sdTransform2 sdTransform2_Identity(void) {
    sdTransform2 r = {{0.0f, 0.0f}, 1.0f, 0.0f};
    return r;
}

static inline sdVec2 sdTransform2_Point(sdTransform2 xf, sdVec2 a) {
    return sdV2(xf.c * a.x - xf.s * a.y + xf.p.x, xf.s * a.x + xf.c * a.y + xf.p.y);
}

static inline sdVec2 sdTransform2_Vector(sdTransform2 xf, sdVec2 a) {
    return sdV2(xf.c * a.x - xf.s * a.y, xf.s * a.x + xf.c * a.y);
}

static inline sdTransform2 sdTransform2_Inverse(sdTransform2 xf) {
    sdTransform2 r = {{0.0f, 0.0f}, xf.c, -xf.s};
    r.p = sdTransform2_Vector(r, sdV2(-xf.p.x, -xf.p.y));
    return r;
}

/// xfAC from xfAB and xfBC.
static inline sdTransform2 sdTransform2_Mul(sdTransform2 ab, sdTransform2 bc) {
    sdTransform2 r = {sdTransform2_Point(ab, bc.p), ab.c * bc.c - ab.s * bc.s,
                      ab.s * bc.c + ab.c * bc.s};
    return r;
}

// ---- shapes --------------------------------------------------------------------------------

#define SD_POLYGON2_MAX_VERTICES 16
/// Points that sdPolygon2_Make takes.
#define SD_POLYGON2_MAX_POINTS 64

/// Made by the functions below, which give a count of 0 for values that are not finite or negative;
/// queries answer that with SD_STATUS_INVALID.
typedef struct sdPolygon2 {
    sdVec2 vertices[SD_POLYGON2_MAX_VERTICES]; ///< counter-clockwise, strictly convex
    sdVec2 normals[SD_POLYGON2_MAX_VERTICES]; ///< unit, outward, of the edge from vertex i to i + 1
    int count;                                ///< 1: point or circle; 2: segment or capsule
    float radius;                             ///< of the rounding, >= 0
} sdPolygon2;

/// The convex hull of up to SD_POLYGON2_MAX_POINTS points, in any order.
/// @param out of 1 or 2 vertices when all points are equal or on a line
/// @return SD_ERROR_LIMIT for a hull of more than SD_POLYGON2_MAX_VERTICES
SD_API sdResult sdPolygon2_Make(const sdContext* context, const sdVec2* points, int count,
                                float radius, sdPolygon2* out);
SD_API sdPolygon2 sdPolygon2_Circle(sdVec2 center, float radius);
SD_API sdPolygon2 sdPolygon2_Capsule(sdVec2 a, sdVec2 b, float radius);
SD_API sdPolygon2 sdPolygon2_Segment(sdVec2 a, sdVec2 b);
/// Axis-aligned about the origin. Zero half extents make a segment or point of it.
SD_API sdPolygon2 sdPolygon2_Box(sdVec2 halfExtents);
/// Finite, strictly convex, counter-clockwise, and normals that fit.
SD_API bool sdPolygon2_IsValid(const sdPolygon2* polygon);

// ---- projection (B5) -----------------------------------------------------------------------

typedef enum sdProject2Method {
    SD_PROJECT2_SCAN,  ///< all vertices
    SD_PROJECT2_SEARCH ///< O(log n) by bisection
} sdProject2Method;

typedef struct sdProjection2 {
    double lower, upper;
    int lowerIndex, upperIndex; ///< a vertex at either end
    int lookCount;              ///< vertices looked at, for both ends together
} sdProjection2;

/// Interval of a convex polygon on a direction, which need not be unit.
/// @param vertices counter-clockwise and strictly convex, as many as you like
/// @return zeros for a count below 1 or no vertices
SD_API sdProjection2 sdProject2(const sdVec2* vertices, int count, sdVec2 direction,
                                sdProject2Method method);

// ---- queries -------------------------------------------------------------------------------
// By the Minkowski difference of the polygons, merged in O(n + m): exact, no iteration.
// `iterations` is the number of its edges.

SD_API sdOverlapResult sdOverlap2(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB);

typedef struct sdSeparation2 {
    float separation; ///< distance; negative: depth
    sdVec2 normal;    ///< unit, A to B; moving B by -separation along it makes the bodies touch
    sdVec2 pointA;    ///< on A's surface
    sdVec2 pointB;    ///< on B's surface: pointA + separation * normal
    sdStatus status;
    int iterations;
    float error; ///< the true separation is within this of the one given
} sdSeparation2;

/// Nearest points. Overlapping bodies have separation 0 and a common point.
SD_API sdSeparation2 sdDistance2(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB);

/// The same, and for overlapping bodies the smallest translation that parts them.
SD_API sdSeparation2 sdPenetration2(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB);

#define SD_MANIFOLD2_MAX_POINTS 2

typedef struct sdManifoldPoint2 {
    sdVec2 pointA;    ///< on A
    sdVec2 pointB;    ///< on B
    float separation; ///< along the manifold's normal
    uint32_t id;      ///< of the features that made it; the same from step to step while they last
} sdManifoldPoint2;

typedef struct sdManifold2 {
    sdVec2 normal; ///< unit, A to B
    sdManifoldPoint2 points[SD_MANIFOLD2_MAX_POINTS];
    int pointCount; ///< 0: further apart than the margin
    sdContactKind kind;
    sdStatus status;
    int iterations;
} sdManifold2;

/// @param margin points up to this separation are wanted; >= 0
/// @return the number of points
SD_API int sdCollide2(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB, float margin,
                      sdManifold2* out);

/// Common points of two touching bodies: a point or a segment (B6).
typedef struct sdContactSet2 {
    sdVec2 points[2];
    int pointCount; ///< 0: apart by more than SD_QUERY_TOLERANCE of the bodies' size
    sdVec2 normal;
    sdContactKind kind; ///< vertex-vertex, vertex-edge or edge-edge
    sdStatus status;
} sdContactSet2;

/// By the features of the smallest overlap. Points are midway between the surfaces.
SD_API sdContactSet2 sdContactSet2_Find(const sdPolygon2* a, const sdPolygon2* b,
                                        sdTransform2 xfAB);

typedef struct sdRayHit2 {
    bool isHit;
    float fraction; ///< of the translation, 0 .. 1; 0 with isHit when the origin is inside
    sdVec2 point;
    sdVec2 normal; ///< unit, out of the shape; against the ray when the origin is inside
    sdStatus status;
    int iterations;
} sdRayHit2;

/// From `origin` to `origin + translation`, in the shape's own frame; otherwise as sdRaycast.
SD_API sdRayHit2 sdRaycast2(const sdPolygon2* shape, sdVec2 origin, sdVec2 translation);

typedef struct sdCastHit2 {
    bool isHit;
    float fraction; ///< of the translation, at which they touch; 0 when they overlap at the start
    sdVec2 point;   ///< where they touch, at that time
    sdVec2 normal;  ///< unit, A to B
    sdStatus status;
    int iterations;
} sdCastHit2;

/// B moves by `translation` without turning. Touching bodies that move apart do not hit. A miss has
/// fraction 1.
SD_API sdCastHit2 sdShapeCast2(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB,
                               sdVec2 translation);

typedef struct sdMovingResult2 {
    bool isHit;
    float first; ///< time of first contact, 0 .. maxTime; 0 when they overlap at the start
    float last;  ///< time at which they part again; may be beyond maxTime, FLT_MAX: never
    sdVec2 normal;
    sdContactSet2 contact; ///< at the first time
    sdStatus status;
} sdMovingResult2;

/// Bodies at constant velocity, no rotation (B7).
/// @param velocity of B relative to A, in A's frame
SD_API sdMovingResult2 sdMoving2_Test(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB,
                                      sdVec2 velocity, float maxTime);

// ---- separating axes (B2) ------------------------------------------------------------------
// For polygons of three vertices or more without rounding; others give SD_STATUS_INVALID.

typedef struct sdSatResult2 {
    bool isOverlapping; ///< touching counts
    float
        separation; ///< greatest over the axes tested; when negative, minus the depth. Side form: 0
    sdVec2 axis;    ///< unit, A to B
    int indexA;     ///< edge whose normal it is; SD_NULL_INDEX when of the other
    int indexB;
    int axisCount; ///< axes tested
    sdStatus status;
} sdSatResult2;

/// The plain form: both intervals on every normal of both polygons.
/// @param isFull test all axes: the exact separation of overlapping bodies, a lower bound of the
/// distance of separated ones; otherwise stop at the first separating axis
SD_API sdSatResult2 sdSat2_Test(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB,
                                bool isFull);

/// The form that only asks whether the other polygon lies wholly on the outer side of an edge.
SD_API sdSatResult2 sdSat2_WhichSide(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB);

SD_END_C

#endif
