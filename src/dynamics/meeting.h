// SPDX-License-Identifier: MIT
// meeting.h - when a convex part of a body on its way first meets a shape on its own.

#ifndef SD_DYNAMICS_MEETING_H
#define SD_DYNAMICS_MEETING_H

#include "dynamics/flight.h"

/// m at which two shapes on their way count as touching; for thin ones less.
#define SD_MEETING_TARGET 1e-4f

/// A convex part of a body that flies, and what it may meet.
typedef struct sdMeeting {
    const sdFlight* flight;
    int fixture;
    const sdShape* part;
    sdTransform local; ///< of the part, from the centre of mass
    const sdFlight* other;
    int otherFixture;
    sdTransform otherLocal;
} sdMeeting;

typedef struct sdMeetingHit {
    float time; ///< of the step
    sdImpactPoint point;
    bool isCore; ///< only the point counts: the shapes may be anyhow
} sdMeetingHit;

/// @param now from which on they are looked at
/// @param before later ones are not wanted
/// @return whether they meet
bool sdMeeting_Find(const sdWorld* world, const sdMeeting* meeting, float now, float before,
                    sdMeetingHit* hit);

/// m that a body may come nearer to something without an impact: it slides, or grazes.
float sdBody_GentleWay(const sdBody* body);

/// Half of the least width of a body's shapes; FLT_MAX without any.
float sdBody_FindThinness(const sdWorld* world, const sdBody* body);

#endif
