// SPDX-License-Identifier: MIT
// moving.c - polyhedra at constant velocity: when they first touch, when they part, and where.
//
// In:   two of box, hull, triangle; B's velocity relative to A.
// Out:  times, normal, contact set at the first time. Never allocates.
// Ref:  S3 §3. Its algorithm 3.1 never sets the axis D; 3.2 is right.
// Note: each face of B - A is an axis on which the separation changes at a constant rate. Where it
//       falls, contact begins when the last of them reaches zero; where it grows, contact ends when
//       the first one does.

#include "narrow/feature.h"

/// Relative to size and distance: separations that double precision cannot tell from zero touch.
#define ROUNDING 1e-14

typedef struct Motion {
    sdVec3d velocity;
    double touching; ///< separations up to this are contact, m
    double first, last;
    sdVec3d normal; ///< of the facet that closed last
    bool isApart;   ///< for all times
} Motion;

static bool intersectTimes(void* user, const sdFacet* facet, double* limit) {
    (void)limit;
    Motion* motion = user;
    double rate = sdDotD(motion->velocity, facet->axis);
    double gap =
        facet->separation <= motion->touching && facet->separation > 0.0 ? 0.0 : facet->separation;
    if (rate < 0.0) {
        double time = gap / -rate;
        if (time > motion->first) {
            motion->first = time;
            motion->normal = facet->axis;
        }
    } else if (rate > 0.0) {
        motion->last = fmin(motion->last, -gap / rate);
    }
    motion->isApart = (rate >= 0.0 && gap > 0.0) || motion->first > motion->last;
    return !motion->isApart;
}

static float toTime(double t) {
    return t < (double)FLT_MAX ? (float)t : FLT_MAX;
}

sdMovingResult sdMoving_Test(const sdShape* a, const sdShape* b, sdTransform xfAB, sdVec3 velocity,
                             float maxTime) {
    sdMovingResult result = {.status = SD_STATUS_INVALID};
    sdSatPair pair;
    if (!sdSatPair_Init(&pair, a, b, xfAB) || !sdVec3_IsFinite(velocity) || !sdIsFinite(maxTime) ||
        maxTime < 0.0f) {
        return result;
    }
    result.status = SD_STATUS_EXACT;
    Motion motion = {.velocity = sdVec3d_From(velocity),
                     .touching = ROUNDING * (pair.convex.scale + sdLengthD(pair.convex.offset)),
                     .last = DBL_MAX};
    sdFacetWalk walk = {.pair = &pair, .limit = -DBL_MAX, .visit = intersectTimes, .user = &motion};
    SD_DISPATCH(sdSat_Walk)(&walk);
    if (motion.isApart || motion.first > (double)maxTime) {
        return result;
    }
    result.isHit = true;
    result.first = toTime(motion.first);
    result.last = toTime(motion.last);
    if (motion.first > 0.0) {
        pair.convex.offset = sdMulAddD(pair.convex.offset, motion.first, motion.velocity);
    } else {
        motion.normal = sdSatPair_LeastOverlap(&pair);
    }
    result.normal = sdVec3d_Round(motion.normal);
    sdSatPair_ContactSet(&pair, motion.normal, &result.contact);
    return result;
}
