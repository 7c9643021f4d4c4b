// SPDX-License-Identifier: MIT
// impact.h - two bodies that meet at one moment.

#ifndef SD_DYNAMICS_IMPACT_H
#define SD_DYNAMICS_IMPACT_H

#include "dynamics/world.h"

/// One of two bodies at the moment of their impact.
typedef struct sdImpactSide {
    const sdBody* body;
    int fixture;
    sdPos center;
    sdQuat rotation;
    sdVec3 velocity, angularVelocity; ///< before, then after
    bool isWay; ///< they are those of a way: that of a needle has no spin about its axis
} sdImpactSide;

/// Where they touch, when the shapes themselves do not say.
typedef struct sdImpactPoint {
    sdPos position;
    sdVec3 normal; ///< unit, A to B
} sdImpactPoint;

/// Change velocities as by an impact.
/// @param only the one point to use; NULL: all points of the shapes that touch
/// @param bounceSpeed m/s: what approaches slower does not bounce
/// @param impulse gets the sum of what acted along normals, N s; 0: none
/// @return false: they do not approach, or touch nowhere
bool sdImpact_Solve(const sdWorld* world, sdImpactSide* a, sdImpactSide* b,
                    const sdImpactPoint* only, float bounceSpeed, float* impulse);

#endif
