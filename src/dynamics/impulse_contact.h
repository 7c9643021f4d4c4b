// SPDX-License-Identifier: MIT
// impulse_contact.h - what two bodies do to each other at one point (D4, D5, D6).

#ifndef SD_DYNAMICS_IMPULSE_CONTACT_H
#define SD_DYNAMICS_IMPULSE_CONTACT_H

#include "dynamics/impulse_body.h"

/// What has acted between two bodies so far. Friction is bound by all that presses: at which points
/// and in how many small impulses it came does not matter.
typedef struct sdImpulseLoad {
    float normal;    ///< N s
    sdVec3 friction; ///< N s
    float twist;     ///< N m s: of the friction, about the normal through the middle of the points
    float width;     ///< m: mean distance of the points from there
    float rolled;    ///< N m s: what rolling friction took so far
    float spun;      ///< N m s: what spinning friction took so far
} sdImpulseLoad;

/// It was not looked yet where the impulses of a point are noted.
#define SD_RECORD_UNKNOWN (-2)

/// Where two bodies touch, or will. S2 has normals from B to A and calls the body that they point
/// to the first: that is our B, with normals from A to B.
typedef struct sdImpulsePoint {
    sdVec3 normal;     ///< unit, A to B
    float base;        ///< separation at the end of the step if its velocity were zero
    sdVec3 armA, armB; ///< from the centres of mass
    float pushed;      ///< N s along the normal since it was found
    sdVec3 side;       ///< from the middle of the pair's points
    sdVec3 place;      ///< in shape A's frame
    int record;        ///< place in the pair's records; SD_NULL_INDEX: none
    uint32_t id;
    bool isDone;   ///< it has parted, or was pushed, in this pass
    bool isMerged; ///< it acts with others as one
} sdImpulsePoint;

/// The relative velocity that an impulse is to leave: speed N + keep u_t.
typedef struct sdImpulseGoal {
    float speed; ///< along the normal
    float keep;  ///< share of the tangential velocity that is left if friction can hold
} sdImpulseGoal;

/// What an impulse was.
typedef struct sdImpulseReaction {
    sdVec3 push;    ///< N s, on B
    float normal;   ///< of that, along the normal
    sdVec3 rolling; ///< N m s, on B: rolling and spinning friction
} sdImpulseReaction;

/// (7.12): how fast B's point moves against A's.
static inline sdVec3 sdImpulsePoint_GetVelocity(const sdImpulsePoint* point, const sdImpulseBody* a,
                                                const sdImpulseBody* b) {
    return sdSub(sdImpulseBody_VelocityAt(b, point->armB),
                 sdImpulseBody_VelocityAt(a, point->armA));
}

/// Pull a point back that was pushed too far, by no more than it was pushed; without friction.
sdImpulseReaction sdImpulsePoint_PullBack(const sdImpulsePoint* point, sdImpulseBody* a,
                                          sdImpulseBody* b, float speed, sdImpulseLoad* load);

/// Bring the velocity at a point to the goal, as far as friction can. The energy of the two never
/// grows, unless the goal is faster than they came.
/// @param load of impulses before, to which this one is added
sdImpulseReaction sdImpulsePoint_React(const sdImpulsePoint* point, sdImpulseBody* a,
                                       sdImpulseBody* b, const sdMaterial* material,
                                       sdImpulseGoal goal, sdImpulseLoad* load);

#endif
