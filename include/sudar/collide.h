// SPDX-License-Identifier: MIT
// collide.h - two shapes in 3D: overlap, distance, penetration, contact manifold, ray, cast, time
// of impact; by the best algorithm for the pair, or by one algorithm of your choice.
//
// Everything happens in A's frame: xfAB places B in it, and all results are in it. Normals are unit
// and point from A to B; separation < 0 is overlap. Nothing here allocates or keeps state; a cache
// belongs to the caller and only makes the next query of the same pair faster, never different
// beyond the stated error.
//
// No query fails silently. Each result carries a status, the number of iterations and a bound of
// its error. Input that is not finite or not valid gives SD_STATUS_INVALID and a zeroed result.

#ifndef SUDAR_COLLIDE_H
#define SUDAR_COLLIDE_H

#include "sudar/shapes.h"

SD_BEGIN_C

typedef enum sdStatus {
    SD_STATUS_EXACT,     ///< a closed form: right up to rounding
    SD_STATUS_TOLERANCE, ///< iterated until the error was below the tolerance
    SD_STATUS_LIMIT, ///< stopped at the iteration limit: the best bound so far, error says how good
    SD_STATUS_INVALID ///< not computed: numbers not finite, or a pair that has no such query
} sdStatus;

/// Iterative queries stop when the error is below this fraction of the bodies' size (and of their
/// distance, when that is larger).
#define SD_QUERY_TOLERANCE 1e-5f

#define SD_PAIR_POLYTOPE_VERTICES 16
#define SD_PAIR_POLYTOPE_FACES 28

/// What proved the depth of two hulls: triangles around the origin whose corners are differences of
/// a vertex of each.
typedef struct sdPairPolytope {
    uint32_t check;      ///< sum of all that follows
    uint8_t vertexCount; ///< without faces 255: it took more than there is room for
    uint8_t faceCount;   ///< 0: nothing remembered
    uint8_t unused[2];
    uint8_t vertices[SD_PAIR_POLYTOPE_VERTICES][2]; ///< of A and of B
    uint8_t faces[3][SD_PAIR_POLYTOPE_FACES];       ///< their corners
} sdPairPolytope;

/// What a query remembers of a pair for the next one. Zero it for a new pair. Keep those of many
/// pairs in an array, in the order in which pairs are asked: then they are fetched ahead.
///
/// sdPenetration of hulls that still overlap asks the same triangles at the present pose: as long
/// as they are around the origin and none is nearer than a face of the bodies' difference, they
/// prove its depth to be the least, and nothing is searched.
///
/// sdCollide asks it first. Bodies that were apart are apart when the axis still parts them. Bodies
/// that touched by a face, or by two edges, touch by the same ones as long as the deepest points
/// there lie on both surfaces, one over the other, and the bodies have moved little since all axes
/// were searched: then the depth is that of this axis, at the present pose and to rounding, and the
/// least depth over all axes is smaller by no more than 1 % of the smaller body's size (if it is
/// negative, the bodies have just parted). Beyond that everything is searched again. So contacts at
/// rest keep their normal and their points, and do not change between two axes that are about as
/// good. The face of a hull that an axis does not give stays, too, as long as the furthest vertex
/// is one of its corners. Two boxes that search all axes anew keep the last one while no other is
/// better by more than 0.1 % of the smaller box. Where there are more than four points,
/// the four of last time are given again while they are there, span 80 % of what the best four do,
/// and none of the others is deeper by more than 0.1 % of the smaller body's size.
typedef struct sdPairCache {
    // bodies that are still apart need no more than these 16 bytes, which are in one line of the
    // processor's cache when an array of these begins at a multiple of 16
    sdVec3 axis;         ///< last separating or contact axis, in A's frame
    uint8_t kind;        ///< which algorithm wrote it
    bool isApart;        ///< sdCollide found no points: the axis is tried first next time
    uint8_t count;       ///< of indices; 0: nothing remembered
    uint8_t featureType; ///< of SAT, V-Clip and sdCollide
    uint16_t indexA[4];  ///< support vertices of the last simplex, or features
    uint16_t indexB[4];
    sdVec3 origin;      ///< of the smaller body in the other's frame when all axes were searched;
                        ///< of boxes that are apart by corners, the nearest point of A
    uint8_t pointCount; ///< of the points that sdCollide gave last
    uint8_t unused[3];
    sdQuat rotation; ///< B's in A's frame when all axes were searched
    uint32_t pointIds[4];
    sdPairPolytope polytope; ///< of sdPenetration; of sdCollide copies of faces of two hulls
    uint8_t unusedAtEnd[4];
} sdPairCache;

// ---- queries by the best algorithm ---------------------------------------------------------

typedef struct sdOverlapResult {
    bool isOverlapping; ///< touching counts
    sdStatus status;
    int iterations;
} sdOverlapResult;

/// @param cache may be NULL
SD_API sdOverlapResult sdOverlap(const sdShape* a, const sdShape* b, sdTransform xfAB,
                                 sdPairCache* cache);

typedef struct sdSeparation {
    float separation; ///< distance; negative: depth
    sdVec3 normal;    ///< unit, A to B; moving B by -separation along it makes the bodies touch
    sdVec3 pointA;    ///< on A's surface
    sdVec3 pointB;    ///< on B's surface: pointA + separation * normal
    int childA;       ///< triangle of a mesh or child of a compound; SD_NULL_INDEX otherwise
    int childB;
    sdStatus status;
    int iterations;
    float error; ///< the true separation is within this of the one given
} sdSeparation;

/// Nearest points. Overlapping bodies have separation 0 and a common point.
SD_API sdSeparation sdDistance(const sdShape* a, const sdShape* b, sdTransform xfAB,
                               sdPairCache* cache);

/// The same, and for overlapping bodies the smallest translation that parts them: depth, normal and
/// deepest points. Against meshes: of the deepest triangle.
SD_API sdSeparation sdPenetration(const sdShape* a, const sdShape* b, sdTransform xfAB,
                                  sdPairCache* cache);

// ---- contact manifold ----------------------------------------------------------------------

/// What touches what (S0 §4.2).
typedef enum sdContactKind {
    SD_CONTACT_NONE,
    SD_CONTACT_VERTEX_VERTEX,
    SD_CONTACT_VERTEX_EDGE,
    SD_CONTACT_VERTEX_FACE,
    SD_CONTACT_EDGE_EDGE,
    SD_CONTACT_EDGE_FACE,
    SD_CONTACT_FACE_FACE
} sdContactKind;

#define SD_MANIFOLD_MAX_POINTS 4

typedef struct sdManifoldPoint {
    sdVec3 pointA;    ///< on A
    sdVec3 pointB;    ///< on B
    float separation; ///< along the manifold's normal
    uint32_t id;      ///< of the features that made it; the same from step to step while they last
} sdManifoldPoint;

/// Where two convex shapes touch, for a solver.
typedef struct sdManifold {
    sdVec3 normal;                                  ///< unit, A to B
    sdManifoldPoint points[SD_MANIFOLD_MAX_POINTS]; ///< zero beyond pointCount, unless
                                                    ///< that is 0: then not set
    int pointCount;                                 ///< 0: further apart than the margin
    sdContactKind kind;
    int childA; ///< as in sdSeparation
    int childB;
    sdStatus status;
    int iterations;
} sdManifold;

/// Convex against convex, or against a half-space.
/// @param margin points up to this separation are wanted (speculative contacts); >= 0
/// @return the number of points; 0 also for pairs with a mesh or compound: use sdCollideMany
SD_API int sdCollide(const sdShape* a, const sdShape* b, sdTransform xfAB, float margin,
                     sdPairCache* cache, sdManifold* out);

/// Which algorithm finds where two convex shapes touch. All give the same contacts within their
/// tolerances; only the first is made for speed. What an algorithm is not for is answered by GJK
/// and EPA: round bodies, boxes without extent in some direction, triangles without area or touched
/// by their rim, and what rounding leaves unproved.
typedef enum sdNarrowphase {
    SD_NARROWPHASE_AUTO,  ///< the fastest that is right for the pair: sdCollide
    SD_NARROWPHASE_GJK,   ///< GJK, and EPA where they overlap: no closed form, no code for boxes
    SD_NARROWPHASE_SAT,   ///< separating axes of two polyhedra (box, hull, triangle); GJK for the
                          ///< nearest points of those that are apart by less than the margin
    SD_NARROWPHASE_VCLIP, ///< V-Clip of two polyhedra that are apart, SAT where they overlap
    SD_NARROWPHASE_COUNT
} sdNarrowphase;

/// "auto", "gjk", "sat", "vclip"; "unknown" outside the enumeration.
SD_API const char* sdNarrowphase_Name(sdNarrowphase narrowphase);

/// As sdCollide, by an algorithm of your choice. It is asked every time: of the last query it knows
/// what it remembers itself (support vertices of GJK, axis of SAT, features of V-Clip). Half-spaces
/// have a closed form, whatever is chosen.
SD_API int sdCollideBy(sdNarrowphase narrowphase, const sdShape* a, const sdShape* b,
                       sdTransform xfAB, float margin, sdPairCache* cache, sdManifold* out);

/// Any pair: one manifold for each pair of triangles or children that are within the margin, in
/// order of (childA, childB).
/// @param capacity manifolds that fit at `out`
/// @param total how many there are, which may be more than `capacity`; may be NULL
/// @return how many were written
SD_API int sdCollideMany(const sdShape* a, const sdShape* b, sdTransform xfAB, float margin,
                         sdManifold* out, int capacity, int* total);

// ---- ray and cast --------------------------------------------------------------------------

typedef struct sdRayHit {
    bool isHit;
    float fraction; ///< of the translation, 0 .. 1; 0 with isHit when the origin is inside
    sdVec3 point;
    sdVec3 normal; ///< unit, out of the shape; against the ray when the origin is inside
    int child;     ///< as childA in sdSeparation
    sdStatus status;
    int iterations;
} sdRayHit;

/// From `origin` to `origin + translation`, in the shape's own frame. Solids: a ray that starts
/// inside or on the surface hits at once. A translation of zero asks whether the origin is inside.
/// A miss has fraction 1.
SD_API sdRayHit sdRaycast(const sdShape* shape, sdVec3 origin, sdVec3 translation);

typedef struct sdCastHit {
    bool isHit;
    float fraction; ///< of the translation, at which they touch; 0 when they overlap at the start
    sdVec3 point;   ///< where they touch, at that time
    sdVec3 normal;  ///< unit, A to B
    int childA;
    int childB;
    sdStatus status;
    int iterations;
} sdCastHit;

/// B moves by `translation` without turning. Never late; early by no more than it takes to close a
/// gap of SD_QUERY_TOLERANCE of the bodies' size. Bodies that only move apart do not hit. A miss
/// has fraction 1.
SD_API sdCastHit sdShapeCast(const sdShape* a, const sdShape* b, sdTransform xfAB,
                             sdVec3 translation);

// ---- time of impact (B16) ------------------------------------------------------------------

/// A motion from one pose to another: the given centre moves on a line, the body turns about it at
/// constant angular velocity.
typedef struct sdSweep {
    sdVec3 center;      ///< local point about which it turns, usually the centre of mass
    sdTransform start;  ///< pose at time 0
    sdVec3 translation; ///< of the centre until time 1
    sdVec3 rotation;    ///< rotation vector until time 1, rad
} sdSweep;

/// The pose at time t.
SD_API sdTransform sdSweep_Pose(const sdSweep* sweep, float t);

typedef enum sdToiMethod {
    SD_TOI_CONSERVATIVE, ///< conservative advancement by distance and bound of motion: the default
    SD_TOI_BISECTION,    ///< interval bisection on swept bounds (S3 algorithm 4.1, corrected)
    SD_TOI_SUBSTEPS,     ///< fixed sub-steps, then bisection: can miss, as the document shows
    SD_TOI_SWEPT_VOLUME  ///< only whether the swept bounds meet: can report a false hit, and has
                         ///< no time, point or normal
} sdToiMethod;

typedef enum sdToiState {
    SD_TOI_SEPARATED, ///< no contact in 0 .. 1
    SD_TOI_HIT,
    SD_TOI_OVERLAPPED ///< already at time 0
} sdToiState;

typedef struct sdToiInput {
    const sdShape* a;
    const sdShape* b;
    sdSweep sweepA; ///< in a common frame
    sdSweep sweepB;
    sdToiMethod method;
    float target;     ///< separation at which bodies count as touching, m; 0: a tolerance is chosen
    int subStepCount; ///< of SD_TOI_SUBSTEPS
} sdToiInput;

typedef struct sdToiResult {
    sdToiState state;
    float time;    ///< 0 .. 1; never later than the true time by more than `error`
    sdVec3 point;  ///< in the common frame
    sdVec3 normal; ///< unit, A to B
    sdStatus status;
    int iterations;
    float error; ///< of the time
} sdToiResult;

/// SD_STATUS_LIMIT: apart until `time`, unknown after it, which counts as a hit.
SD_API sdToiResult sdTimeOfImpact(const sdToiInput* input);

// ---- algorithms by name --------------------------------------------------------------------
// For convex shapes. SAT, V-Clip and moving SAT are for polyhedra: box, hull, triangle; other
// shapes give SD_STATUS_INVALID.

/// GJK (Gilbert, Johnson, Keerthi; vector method): distance, nearest points, warm start (B11).
SD_API sdSeparation sdGjk_Distance(const sdShape* a, const sdShape* b, sdTransform xfAB,
                                   sdPairCache* cache);
/// GJK that stops as soon as a separating axis or a common point is known.
SD_API sdOverlapResult sdGjk_Overlap(const sdShape* a, const sdShape* b, sdTransform xfAB,
                                     sdPairCache* cache);
/// GJK and, when they overlap, EPA: depth, normal, witnesses (B12).
SD_API sdSeparation sdEpa_Penetration(const sdShape* a, const sdShape* b, sdTransform xfAB,
                                      sdPairCache* cache);

typedef enum sdFeatureType {
    SD_FEATURE_FACE_A,   ///< axis is a face normal of A
    SD_FEATURE_FACE_B,   ///< axis is a face normal of B
    SD_FEATURE_EDGE_EDGE ///< axis is the cross product of two edges
} sdFeatureType;

typedef struct sdSatResult {
    float separation; ///< greatest over all axes; when negative, minus the depth
    sdVec3 axis;      ///< unit, A to B
    sdFeatureType featureType;
    int indexA; ///< face, or half-edge for edge-edge; SD_NULL_INDEX when not involved
    int indexB;
    int axisCount; ///< axes tested
    sdStatus status;
} sdSatResult;

/// Separating axes: face normals and edge × edge, parallel edges skipped (B3). Stops at the first
/// separating axis, the remembered one first; `isFull` tests all axes for the exact separation of
/// overlapping bodies and a lower bound of the distance of separated ones.
SD_API sdSatResult sdSat_Test(const sdShape* a, const sdShape* b, sdTransform xfAB, bool isFull,
                              sdPairCache* cache);

/// Normal by the axis on which overlap appeared last, from the poses before and after a step (B14,
/// S4). Falls back to the least overlap when they overlapped before.
SD_API sdSatResult sdSat_LastAxis(const sdShape* a, const sdShape* b, sdTransform xfABBefore,
                                  sdTransform xfABAfter);

/// How the projection interval of a hull is found (B5).
typedef enum sdProjectMethod { SD_PROJECT_SCAN, SD_PROJECT_CLIMB } sdProjectMethod;

/// Interval of a convex shape on a direction through its origin.
SD_API void sdProject(const sdShape* shape, sdVec3 direction, sdProjectMethod method, float* lower,
                      float* upper);

/// Two boxes by 15 axes (B4, S4), written to be read.
SD_API sdSatResult sdSatBox_Readable(sdBox a, sdBox b, sdTransform xfAB);
/// The same expanded in A's frame: sphere pre-test, axes in the order in which they separate most
/// often, stops at the first separating one; full result when they overlap.
SD_API sdSatResult sdSatBox_Expanded(sdBox a, sdBox b, sdTransform xfAB, sdPairCache* cache);

/// V-Clip (Mirtich): nearest features by Voronoi regions, from the last pair of features (B13).
SD_API sdSeparation sdVClip_Distance(const sdShape* a, const sdShape* b, sdTransform xfAB,
                                     sdPairCache* cache);

typedef enum sdHullFeature { SD_HULL_VERTEX, SD_HULL_EDGE, SD_HULL_FACE } sdHullFeature;

/// Features by their numbers in the hulls: vertices, half-edges, faces.
typedef struct sdFeaturePair {
    sdHullFeature typeA;
    int indexA;
    sdHullFeature typeB;
    int indexB;
} sdFeaturePair;

/// The pairs of features that sdVClip_Distance goes by without a cache, in their order: to be
/// looked at.
/// @return how many there are, of which the first `capacity` are written; 0 for what has a side of
/// no extent, which V-Clip leaves to GJK
SD_API int sdVClip_Trace(const sdShape* a, const sdShape* b, sdTransform xfAB, sdFeaturePair* out,
                         int capacity);

#define SD_CONTACT_SET_MAX_POINTS 64

/// Common points of two touching polyhedra: a point, a segment or a convex polygon (B6).
typedef struct sdContactSet {
    sdVec3 points[SD_CONTACT_SET_MAX_POINTS];
    int pointCount; ///< 1, 2, or more for a polygon
    sdVec3 normal;
    sdContactKind kind;
    sdStatus status; ///< SD_STATUS_LIMIT when the polygon had more points
} sdContactSet;

/// By the features of the smallest overlap (or distance) that SAT found.
SD_API sdContactSet sdSat_ContactSet(const sdShape* a, const sdShape* b, sdTransform xfAB);

typedef struct sdMovingResult {
    bool isHit;
    float first; ///< time of first contact, 0 .. maxTime; 0 when they overlap at the start
    float last;  ///< time at which they part again; may be beyond maxTime, FLT_MAX: never
    sdVec3 normal;
    sdContactSet contact; ///< at the first time
    sdStatus status;
} sdMovingResult;

/// Polyhedra at constant velocity, no rotation (B7, S3 §3): intervals of overlap on every axis.
/// @param velocity of B relative to A, in A's frame
SD_API sdMovingResult sdMoving_Test(const sdShape* a, const sdShape* b, sdTransform xfAB,
                                    sdVec3 velocity, float maxTime);

// ---- triangles (B8, B9) --------------------------------------------------------------------

typedef struct sdTriTriResult {
    bool isIntersecting; ///< touching counts
    bool isCoplanar;     ///< all six corners are in one plane
    sdVec3 segment[2];   ///< the common segment, a point when both are equal; coplanar: two of the
                         ///< common points that are furthest apart
    /// Intervals of both triangles on the common line, to tell vertex-face from edge-edge: m, along
    /// normalA × normalB, from the point nearest to a[0]. Zero when coplanar or without area.
    float intervalA[2];
    float intervalB[2];
} sdTriTriResult;

/// Möller 1997. Whether they meet is decided exactly, whatever the floats. A triangle without area
/// is the segment or point that it is. Numbers that are not finite meet nothing.
SD_API sdTriTriResult sdTriTri_Test(const sdVec3 a[3], const sdVec3 b[3]);

/// Contact of two crossing triangles (S1 §3.3): vertex-face when one interval contains the other,
/// with the corner that is deepest behind the other's plane (triangles are counter-clockwise seen
/// from outside); edge-edge otherwise. Coplanar: separation 0. Apart: their distance.
/// @param kind may be NULL; SD_CONTACT_NONE when they are apart
SD_API sdSeparation sdTriTri_Contact(const sdVec3 a[3], const sdVec3 b[3], sdContactKind* kind);

typedef struct sdSegmentPoints {
    sdVec3 pointA, pointB;
    float s, t; ///< fractions along each
    float distanceSquared;
} sdSegmentPoints;

/// Nearest points of two segments, degenerate ones included. Zeros for numbers that are not finite.
SD_API sdSegmentPoints sdClosestPointsOfSegments(sdVec3 a0, sdVec3 a1, sdVec3 b0, sdVec3 b1);

SD_END_C

#endif
