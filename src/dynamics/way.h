// SPDX-License-Identifier: MIT
// way.h - whether two bodies may meet on their ways, at little cost.

#ifndef SD_DYNAMICS_WAY_H
#define SD_DYNAMICS_WAY_H

#include "dynamics/flight.h"

/// By which a part of a way is taken for longer than it is.
#define SD_PART_SLACK 1e-3f
/// Rounding of floats in balls and boxes about ways, relative to their coordinates.
#define SD_WAY_ROUNDING 1e-6f

/// What is known of a way at little cost.
typedef struct sdWay {
    sdPos center;           ///< at the time of the search
    sdVec3 rest;            ///< of its translation from then on
    sdVec3 whole;           ///< all of it
    float turnWay;          ///< m that its turn moves its points by
    bool isUnseen;          ///< contacts did not look along it, or in vain
    bool isPoseNow;         ///< the rotation is that at the time of the search
    bool turnsFar;          ///< as a flight
    bool isFlight;          ///< its turn is that of a flight, else that of a body's pose
    const sdQuat* rotation; ///< at some time of the rest of the step
} sdWay;

sdWay sdWay_OfFlight(const sdWorld* world, const sdFlight* flight, float now);

/// Of a body without a flight.
sdWay sdWay_OfBody(const sdStep* step, int body, float now);

/// Whether a body's turn within a step moves no point further than its pose tells.
bool sdBody_TurnsClearly(const sdBody* body, float dt);

/// Two bodies from now on, B as A sees it.
typedef struct sdEncounter {
    const sdBody *bodyA, *bodyB;
    const sdWay *wayA, *wayB;
    sdVec3 between; ///< from A's centre to B's
    sdVec3 motion;  ///< until the end of the step
    float part;     ///< of the rest of the step that counts
} sdEncounter;

/// @param before impacts later than that are not wanted
sdEncounter sdEncounter_Make(const sdBody* bodyA, const sdWay* wayA, const sdBody* bodyB,
                             const sdWay* wayB, float now, float before);

/// Whether contacts are not enough for two bodies.
bool sdEncounter_IsFast(const sdEncounter* encounter);

/// Whether the balls about them meet.
bool sdEncounter_MeetsBalls(const sdEncounter* encounter);

/// A ball on a straight way past a shape that turns.
typedef struct sdPassing {
    const sdShape* shape;
    sdTransform frame; ///< of the shape, from a point that does not move
    float turnWay;     ///< m that its turn moves points of the shape by, at most
    bool isPoseNow;    ///< it begins to turn from there; else it may be turned by all of it already
    sdVec3 center;     ///< of the ball, from the same point
    sdVec3 motion;     ///< until the end of the step
    float radius;
    float part;  ///< of the motion that counts
    bool isBall; ///< the ball is all that there is; else there is something in it that may turn
} sdPassing;

/// Whether they may touch.
/// @return true where it is not known
bool sdPassing_MayTouch(const sdPassing* passing);

#endif
