// SPDX-License-Identifier: MIT
// segment.h - nearest points of two segments, in double.

#ifndef SD_NARROW_SEGMENT_H
#define SD_NARROW_SEGMENT_H

#include "math/vec3d.h"

typedef struct sdSegmentPointsD {
    sdVec3d pointA, pointB;
    double s, t; ///< fractions along each
    double distanceSquared;
} sdSegmentPointsD;

/// As sdClosestPointsOfSegments.
sdSegmentPointsD sdClosestPointsOfSegmentsD(sdVec3d a0, sdVec3d a1, sdVec3d b0, sdVec3d b1);

#endif
