// SPDX-License-Identifier: MIT
// flight.h - the way of a body through a step, straight and about one axis between its impacts.

#ifndef SD_DYNAMICS_FLIGHT_H
#define SD_DYNAMICS_FLIGHT_H

#include "dynamics/impact.h"
#include "dynamics/step.h"

/// rad that a body turns until the end of the step, beyond which it turns far.
#define SD_WIDE_TURN 0.5f
/// Impacts that a body has in a step; then it stops where it is.
#define SD_MAX_IMPACTS 32

/// From a time on, 0 at the start of the step and 1 at its end.
typedef struct sdFlight {
    int body;
    float time; ///< of the pose
    sdPos center;
    sdQuat rotation;
    sdVec3 translation, turn; ///< until the end of the step
    int impactCount;
    bool isBent;     ///< it is not where the solver has brought it
    bool isWhirling; ///< no contact has looked ahead for it
    bool isSunk;     ///< contacts have, but did not hold it
} sdFlight;

/// The way of a body that has met nothing yet, by what the solver has done.
sdFlight sdFlight_Make(const sdStep* step, int body);

/// The part of a flight that is over at a time.
static inline float sdFlight_PartAt(const sdFlight* flight, float now) {
    return flight->time < 1.0f ? (now - flight->time) / (1.0f - flight->time) : 1.0f;
}

static inline sdPos sdFlight_CenterAt(const sdFlight* flight, float now) {
    return sdPos_Add(flight->center, sdScale(sdFlight_PartAt(flight, now), flight->translation));
}

/// How far the centre goes from a time on.
static inline sdVec3 sdFlight_RestAt(const sdFlight* flight, float now) {
    return sdScale(1.0f - sdFlight_PartAt(flight, now), flight->translation);
}

sdQuat sdFlight_RotationAt(const sdFlight* flight, float now);

/// The rest of the way of a shape.
/// @param local its frame in that of the centre of mass
/// @param isBall it does not matter how it is turned
sdSweep sdFlight_Sweep(const sdFlight* flight, float now, sdPos origin, sdTransform local,
                       bool isBall);

/// Pose and velocity at a time.
sdImpactSide sdFlight_At(const sdStep* step, const sdFlight* flight, int fixture, float now);

/// Fly on from an impact: the way and the body's velocity at its end.
void sdFlight_Bend(const sdStep* step, sdFlight* flight, const sdImpactSide* side, float now);

/// Go another way than by the velocities, until the end of the step.
/// @param side at the flight's time
/// @param way the same with the velocities of the way
void sdFlight_SetWay(const sdStep* step, sdFlight* flight, const sdImpactSide* side,
                     const sdImpactSide* way);

#endif
