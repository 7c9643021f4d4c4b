// SPDX-License-Identifier: MIT
// trig.c - sine, cosine, arc tangent and arc cosine that give the same bits everywhere.
//
// Out:  floats within 0.501 units in the last place, for every argument.
// Ref:  Payne, Hanek, "Radian reduction for trigonometric functions", SIGNUM 18, 1983.
// Note: computed in double with + - * / sqrt alone. The series are Taylor's: on the short
//       intervals that are left after reduction, one term more than a fitted polynomial is cheaper
//       than having to trust its table of coefficients.

#include "math/trig.h"

#include <string.h>

#define PI_D 3.14159265358979323846
#define HALF_PI_D 1.57079632679489661923

/// Quadrants up to which the two-part constant below leaves no error: 33 bits of pi/2 times 20
/// bits of the count are exact in a double.
#define MAX_QUADRANT 1048576.0

/// Cut the angle into the nearest multiple of pi/2 and a rest of at most pi/4.
static double reduceSmall(double angle, int* quadrant) {
    // pi/2 in two parts, the first with 33 significant bits
    const double high = 0x1.921fb544p+0;
    const double low = 0x1.0b4611a626331p-34;
    double turns = angle * (1.0 / HALF_PI_D);
    *quadrant = (int)(turns < 0.0 ? turns - 0.5 : turns + 0.5);
    double k = (double)*quadrant;
    return (angle - k * high) - k * low;
}

/// The same for large floats: multiply by as many bits of 2/pi as matter.
static double reduceLarge(float angle, int* quadrant) {
    // a word of zeros, then the bits of 2/pi
    static const uint32_t twoOverPi[8] = {0x00000000u, 0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u,
                                          0xF534DDC0u, 0xDB629599u, 0x3C439041u, 0xFE5163ABu};
    uint32_t bits;
    memcpy(&bits, &angle, sizeof bits);
    uint64_t mantissa = (bits & 0x007FFFFFu) | 0x00800000u;
    int exponent = (int)((bits >> 23) & 0xFFu) - 150;

    // |angle| = mantissa 2^exponent; bits of 2/pi that would give multiples of 4 are passed over
    int first = exponent + 30;
    uint64_t words[3];
    for (int i = 0; i < 3; ++i) {
        const uint32_t* from = twoOverPi + (first >> 5) + i;
        uint64_t pair = (uint64_t)from[0] << 32 | from[1];
        words[i] = (pair << (first & 31)) >> 32;
    }

    // quadrants mod 4, in units of 2^-62: the nearest float to a multiple of pi/2 is 2^-29 away
    uint64_t product = mantissa * (words[0] << 32 | words[1]) + (mantissa * words[2] >> 32);
    uint64_t nearest = (product + ((uint64_t)1 << 61)) >> 62;
    double rest = (double)(int64_t)(product - (nearest << 62)) * (HALF_PI_D * 0x1p-62);
    bool isNegative = bits >> 31 != 0;
    *quadrant = isNegative ? -(int)nearest : (int)nearest;
    return isNegative ? -rest : rest;
}

/// 0 <= t <= 1, as the angle of the nearest eighth and a rest of at most 1/16.
static double arcTangent(double t) {
    static const double eighths[9] = {
        0.0,
        0.12435499454676144,
        0.24497866312686414,
        0.35877067027057225,
        0.4636476090008061,
        0.5585993153435624,
        0.6435011087932844,
        0.7188299996216245,
        0.7853981633974483,
    };
    int k = (int)(8.0 * t + 0.5);
    double c = 0.125 * k;
    double u = (t - c) / (1.0 + t * c);
    // the first term left out is below 1e-15 of the result
    double z = u * u;
    double p = -1.0 / 11.0;
    p = p * z + 1.0 / 9.0;
    p = p * z - 1.0 / 7.0;
    p = p * z + 1.0 / 5.0;
    p = p * z - 1.0 / 3.0;
    return eighths[k] + u * (1.0 + z * p);
}

void sdSinCosD(double angle, double* sine, double* cosine) {
    double size = angle < 0.0 ? -angle : angle;
    if (!(size <= (double)FLT_MAX)) {
        *sine = *cosine = (double)NAN;
        return;
    }
    int quadrant;
    double rest =
        size < MAX_QUADRANT ? reduceSmall(angle, &quadrant) : reduceLarge((float)angle, &quadrant);
    double s = rest * sdSincSeries(rest * rest);
    double c = sdCosineSeries(rest * rest);
    switch (quadrant & 3) {
        case 0:
            *sine = s;
            *cosine = c;
            break;
        case 1:
            *sine = c;
            *cosine = -s;
            break;
        case 2:
            *sine = -s;
            *cosine = -c;
            break;
        default:
            *sine = -c;
            *cosine = s;
            break;
    }
}

double sdAtan2D(double y, double x) {
    double ay = fabs(y);
    double ax = fabs(x);
    double angle;
    if (isnan(x) || isnan(y) || (isinf(x) && isinf(y))) {
        return (double)NAN;
    }
    if (ay <= ax) {
        angle = ax > 0.0 ? arcTangent(ay / ax) : 0.0;
    } else {
        angle = HALF_PI_D - arcTangent(ax / ay);
    }
    angle = signbit(x) ? PI_D - angle : angle;
    return signbit(y) ? -angle : angle;
}

float sdSin(float x) {
    double sine, cosine;
    sdSinCosD((double)x, &sine, &cosine);
    return (float)sine;
}

float sdCos(float x) {
    double sine, cosine;
    sdSinCosD((double)x, &sine, &cosine);
    return (float)cosine;
}

float sdAtan2(float y, float x) {
    if (isnan(x) || isnan(y)) {
        return NAN;
    }
    if (isinf(x) && isinf(y)) {
        // C wants the diagonals
        x = signbit(x) ? -1.0f : 1.0f;
        y = signbit(y) ? -1.0f : 1.0f;
    } else if (isinf(x) || isinf(y)) {
        // the finite one counts as nothing beside the infinite one
        x = isinf(x) ? (signbit(x) ? -1.0f : 1.0f) : (signbit(x) ? -0.0f : 0.0f);
        y = isinf(y) ? (signbit(y) ? -1.0f : 1.0f) : (signbit(y) ? -0.0f : 0.0f);
    }
    return (float)sdAtan2D((double)y, (double)x);
}

float sdAcos(float x) {
    if (isnan(x)) {
        return NAN;
    }
    double c = x < -1.0f ? -1.0 : (x > 1.0f ? 1.0 : (double)x);
    return (float)sdAtan2D(sqrt((1.0 - c) * (1.0 + c)), c);
}
