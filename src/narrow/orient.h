// SPDX-License-Identifier: MIT
// orient.h - on which side of a plane or line a point lies, with exact signs for all floats.

#ifndef SD_NARROW_ORIENT_H
#define SD_NARROW_ORIENT_H

#include "math/vec3d.h"

/// det(b - a, c - a, d - a): positive when a, b, c run counter-clockwise seen from d. The sign is
/// exact, zero included; the size is right to within rounding.
/// @param a..d points whose coordinates are floats
double sdOrient3d(sdVec3d a, sdVec3d b, sdVec3d c, sdVec3d d);

/// det(b - a, c - a) in the plane of two of the axes x, y, z (0, 1, 2).
double sdOrient2d(const double a[3], const double b[3], const double c[3], int axisX, int axisY);

#endif
