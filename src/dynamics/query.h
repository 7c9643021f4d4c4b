// SPDX-License-Identifier: MIT
// query.h - what queries share: something that is, or moves, in a world, and how it meets a shape.

#ifndef SD_DYNAMICS_QUERY_H
#define SD_DYNAMICS_QUERY_H

#include "dynamics/world.h"
#include "math/vec3d.h"
#include "sudar/query.h"

/// A point or a convex shape on its way.
typedef struct sdMover {
    sdPos origin; ///< of its frame
    sdQuat rotation;
    const sdShape* shape; ///< NULL: a point
    double radius;        ///< m: no point of it is further from its origin
    sdVec3d direction;    ///< unit, or zero
    double length;        ///< m, of its way
} sdMover;

static inline sdQueryHit sdQueryHit_None(void) {
    return (sdQueryHit){.child = SD_NULL_INDEX, .fraction = 1.0f};
}

/// Equally near shapes: the lowest slot wins.
static inline bool sdQueryHit_IsBefore(const sdQueryHit* a, const sdQueryHit* b) {
    return a->distance != b->distance ? a->distance < b->distance
                                      : sdId_Index(a->shape) < sdId_Index(b->shape);
}

sdMover sdMover_Ray(const sdRay* ray);
sdMover sdMover_Shape(const sdPlacedShape* placed, sdVec3 translation);

/// What a mover does to a shape. All but body and shape of the hit are filled in.
/// @return false for no hit within limit m
typedef bool sdMeetFcn(const sdMover* mover, const sdWorld* world, int fixture, double limit,
                       sdQueryHit* hit);

/// As a ray, by sdRaycast.
bool sdMover_MeetAsRay(const sdMover* mover, const sdWorld* world, int fixture, double limit,
                       sdQueryHit* hit);
/// As a moving shape, by sdShapeCast.
bool sdMover_MeetAsShape(const sdMover* mover, const sdWorld* world, int fixture, double limit,
                         sdQueryHit* hit);
/// Where it stands, by sdOverlap and sdPenetration.
bool sdMover_MeetAtRest(const sdMover* mover, const sdWorld* world, int fixture, double limit,
                        sdQueryHit* hit);
/// From its origin to the shape, by sdDistance.
bool sdMover_MeetNearest(const sdMover* mover, const sdWorld* world, int fixture, double limit,
                         sdQueryHit* hit);

// ---- checks (query.c), which say what is wrong ---------------------------------------------

sdResult sdQuery_CheckFilter(const sdWorld* world, const char* function,
                             const sdQueryFilter* filter);
/// What is wrong with a ray, or NULL.
const char* sdRay_Fault(const sdRay* ray);

/// The nearest hit of a valid ray.
void sdWorld_RaycastNearest(const sdWorld* world, const sdRay* ray, const sdQueryFilter* filter,
                            sdQueryHit* out);

#endif
