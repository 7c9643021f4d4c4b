// SPDX-License-Identifier: MIT
// trig.h - the double precision under sdSin, sdCos, sdAtan2 and sdAcos.
//
// Deterministic as everything in src/math: the same bits on every target. For code that turns
// angles into rotations and must not lose digits on the way.

#ifndef SD_MATH_TRIG_H
#define SD_MATH_TRIG_H

#include "sudar/vecmath.h"

/// Up to this angle the series below hold: a little more than pi/4, for what rounding leaves of a
/// reduction.
#define SD_SERIES_ANGLE 0.7854

/// sin(x) / x, of x² for |x| up to that; the first term left out is below 1e-11 of the result.
static inline double sdSincSeries(double z) {
    double p = -1.0 / 39916800.0;
    p = p * z + 1.0 / 362880.0;
    p = p * z - 1.0 / 5040.0;
    p = p * z + 1.0 / 120.0;
    p = p * z - 1.0 / 6.0;
    return 1.0 + z * p;
}

/// cos(x), likewise; the first term left out is below 1e-12 of the result.
static inline double sdCosineSeries(double z) {
    double p = 1.0 / 479001600.0;
    p = p * z - 1.0 / 3628800.0;
    p = p * z + 1.0 / 40320.0;
    p = p * z - 1.0 / 720.0;
    p = p * z + 1.0 / 24.0;
    p = p * z - 0.5;
    return 1.0 + z * p;
}

/// Up to 1e6 radians the error is below 1e-11 of the result or, near a zero, 1e-20. A larger angle
/// is rounded to float first, as nobody knows one better than that. NaN for what is not finite or
/// over FLT_MAX.
void sdSinCosD(double angle, double* sine, double* cosine);

/// As atan2 of C for finite numbers, -pi .. pi; relative error below 1e-13. NaN for one that is not
/// a number, and for two infinities.
double sdAtan2D(double y, double x);

#endif
