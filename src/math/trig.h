// SPDX-License-Identifier: MIT
// trig.h - the double precision under sdSin, sdCos, sdAtan2 and sdAcos.
//
// Deterministic as everything in src/math: the same bits on every target. For code that turns
// angles into rotations and must not lose digits on the way.

#ifndef SD_MATH_TRIG_H
#define SD_MATH_TRIG_H

#include "sudar/vecmath.h"

/// Up to 1e6 radians the error is below 1e-11 of the result or, near a zero, 1e-20. A larger angle
/// is rounded to float first, as nobody knows one better than that. NaN for what is not finite or
/// over FLT_MAX.
void sdSinCosD(double angle, double* sine, double* cosine);

/// As atan2 of C for finite numbers, -pi .. pi; relative error below 1e-13. NaN for one that is not
/// a number, and for two infinities.
double sdAtan2D(double y, double x);

#endif
