// SPDX-License-Identifier: MIT
// query.h - questions to a world: what is on this ray, on this shape's way, in this place, nearest
// to this point.
//
//     sdRay ray = {sdPos_Make(0.0, 10.0, 0.0), {0.0f, -20.0f, 0.0f}};
//     sdQueryHit hit;
//     sdWorld_Raycast(world, &ray, NULL, &hit);
//     if (hit.body != SD_NULL_BODY) ...
//
// Queries see bodies where they are now, asleep or awake, by their exact shapes; bodies that are
// not enabled are not there. They change nothing and allocate nothing: any number of threads may
// ask at the same time, as long as nobody changes the world. From a callback that runs during a
// step they return SD_ERROR_LOCKED. Bodies that left their boxes since the tree was last brought up
// to date are looked at one by one: sdWorld_PrepareQueries helps where many move and much is asked.
//
// Positions are double. Each shape is met in coordinates of its own, close to where the ray enters
// its box: what is asked 1e7 m from the origin, or from 1e7 m away, is answered as exactly as
// doubles allow. Answers do not depend on the kind of broad phase, threads or the order in which
// shapes are found: of equally near ones the one with the lowest slot is meant.
//
// All return SD_ERROR_INVALID_ARGUMENT, with words in the log, for pointers that are NULL and must
// not be, numbers that are not finite, positions, lengths and sizes beyond SD_MAX_COORDINATE, and
// shapes that are not valid (negative sizes) or not convex. Results are then as for nothing found.

#ifndef SUDAR_QUERY_H
#define SUDAR_QUERY_H

#include "sudar/world.h"

SD_BEGIN_C

// ---- before many queries -------------------------------------------------------------------

/// Bring what queries search through up to date, which the next step would do otherwise: queries
/// are then quick also after a step in which thousands of bodies moved, or after building a world.
/// Answers are the same with and without.
/// @param queryCount that are to come, roughly: for more than one for each eight shapes a better
///        tree is built as well, which takes some 30 ns a shape
/// @return SD_ERROR_OUT_OF_MEMORY: queries still work, slowly. SD_ERROR_LOCKED during a step.
SD_API sdResult sdWorld_PrepareQueries(sdWorld* world, int queryCount);

// ---- filters -------------------------------------------------------------------------------

/// Whether a query sees a shape that all else lets through. Called before the shape is looked at,
/// in no particular order; by sdWorld_RaycastMany from any worker.
typedef bool sdQueryFilterFcn(void* user, sdBodyId body, sdShapeId shape);

/// Groups (sdFilter) do not count here.
typedef struct sdQueryFilter {
    uint32_t category; ///< the query is in: a shape's mask must have one of these
    uint32_t mask;     ///< a shape must be in one of these categories
    bool includeSensors;
    const sdBodyId* ignored; ///< bodies that are not seen; stale and null ids are no bodies
    int ignoredCount;
    sdQueryFilterFcn* accept; ///< NULL: accept all
    void* user;
} sdQueryFilter;

/// All categories, no sensors, nobody ignored. What a filter of NULL means.
SD_API sdQueryFilter sdQueryFilter_Default(void);

// ---- answers -------------------------------------------------------------------------------

/// One for each shape that is found. When nothing is: body and shape are null, child is
/// SD_NULL_INDEX, fraction 1, the rest 0.
typedef struct sdQueryHit {
    sdBodyId body;
    sdShapeId shape;
    int child;       ///< triangle of a mesh or child of a compound; SD_NULL_INDEX otherwise
    float fraction;  ///< of the translation, 0 .. 1; 0 where nothing moves
    double distance; ///< m: along the way; to a point; of overlaps minus the depth
    sdPos point;     ///< on the surface: where it is hit or nearest; where it is deepest
    sdVec3 normal;   ///< unit, out of the shape that is found
} sdQueryHit;

/// Called for each hit, nearer ones as a rule first.
/// @param maxFraction how far the way is still looked at
/// @return maxFraction to go on, hit->fraction to see only what is nearer, 0 or less to stop
typedef float sdQueryHitFcn(void* user, const sdQueryHit* hit, float maxFraction);

// Functions named All write a list, nearest (or deepest) first, the lowest slot first of equals.
// out has room for `capacity` hits and gets the first ones when there are more; count, which may
// not be NULL, receives how many there are.

// ---- rays ----------------------------------------------------------------------------------

/// From `origin` to `origin + translation`. Shapes are solid: a ray that starts inside hits at
/// once, with the origin as the point and a normal against the ray. A translation of zero asks what
/// the origin is in; normals are then +y. Endless rays are refused: give one that is long enough.
typedef struct sdRay {
    sdPos origin;
    sdVec3 translation;
} sdRay;

/// The nearest hit.
SD_API sdResult sdWorld_Raycast(const sdWorld* world, const sdRay* ray, const sdQueryFilter* filter,
                                sdQueryHit* out);
/// Whether there is a hit: stops at the first.
SD_API sdResult sdWorld_RaycastAny(const sdWorld* world, const sdRay* ray,
                                   const sdQueryFilter* filter, bool* out);
SD_API sdResult sdWorld_RaycastEach(const sdWorld* world, const sdRay* ray,
                                    const sdQueryFilter* filter, sdQueryHitFcn* visit, void* user);
SD_API sdResult sdWorld_RaycastAll(const sdWorld* world, const sdRay* ray,
                                   const sdQueryFilter* filter, sdQueryHit* out, int capacity,
                                   int* count);

/// The nearest hit of each of many rays, by the context's tasks: the same bits as one by one. Rays
/// that follow each other should be near each other, as those of a picture or a sensor are.
/// @param out room for `count` hits
/// @return SD_ERROR_INVALID_ARGUMENT when one of the rays is not valid: the log says which, and no
///         ray hits anything
SD_API sdResult sdWorld_RaycastMany(const sdWorld* world, const sdRay* rays, int count,
                                    const sdQueryFilter* filter, sdQueryHit* out);

// ---- shapes --------------------------------------------------------------------------------

/// A convex shape somewhere in the world.
typedef struct sdPlacedShape {
    sdShape shape;
    sdWorldTransform xf;
} sdPlacedShape;

/// What the shape touches first when it moves by `translation` without turning. Never late; early
/// by no more than sdShapeCast. Shapes that it overlaps at the start are hit at once, with the way
/// out as the normal.
SD_API sdResult sdWorld_ShapeCast(const sdWorld* world, const sdPlacedShape* shape,
                                  sdVec3 translation, const sdQueryFilter* filter, sdQueryHit* out);
SD_API sdResult sdWorld_ShapeCastEach(const sdWorld* world, const sdPlacedShape* shape,
                                      sdVec3 translation, const sdQueryFilter* filter,
                                      sdQueryHitFcn* visit, void* user);
SD_API sdResult sdWorld_ShapeCastAll(const sdWorld* world, const sdPlacedShape* shape,
                                     sdVec3 translation, const sdQueryFilter* filter,
                                     sdQueryHit* out, int capacity, int* count);

/// What the shape overlaps; touching counts. Moved by -distance along the normal it is free of it.
SD_API sdResult sdWorld_OverlapEach(const sdWorld* world, const sdPlacedShape* shape,
                                    const sdQueryFilter* filter, sdQueryHitFcn* visit, void* user);
SD_API sdResult sdWorld_OverlapAll(const sdWorld* world, const sdPlacedShape* shape,
                                   const sdQueryFilter* filter, sdQueryHit* out, int capacity,
                                   int* count);

/// The same for a box along the axes: what is in it by its exact shape.
/// @return SD_ERROR_INVALID_ARGUMENT also for a box that is inverted
SD_API sdResult sdWorld_OverlapBoxEach(const sdWorld* world, sdWorldBox box,
                                       const sdQueryFilter* filter, sdQueryHitFcn* visit,
                                       void* user);
SD_API sdResult sdWorld_OverlapBoxAll(const sdWorld* world, sdWorldBox box,
                                      const sdQueryFilter* filter, sdQueryHit* out, int capacity,
                                      int* count);

// ---- points --------------------------------------------------------------------------------

/// The shape nearest to a point. Inside a shape the distance is 0, the point is the one given and
/// the normal is zero.
/// @param maxDistance shapes further away do not count; >= 0. The less, the quicker.
SD_API sdResult sdWorld_FindNearest(const sdWorld* world, sdPos point, float maxDistance,
                                    const sdQueryFilter* filter, sdQueryHit* out);

SD_END_C

#endif
