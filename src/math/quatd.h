// SPDX-License-Identifier: MIT
// quatd.h - rotations in double precision, for the inside of functions that round only at the end.
//
// What a float quaternion is too long or too short by always errs to the same side: a body that is
// carried forward in floats spins up.

#ifndef SD_MATH_QUATD_H
#define SD_MATH_QUATD_H

#include "math/vec3d.h"

/// Of any length; it stands for the rotation of the unit quaternion along it.
typedef struct sdQuatd {
    sdVec3d v;
    double s;
} sdQuatd;

static inline sdQuatd sdQuatd_From(sdQuat q) {
    return (sdQuatd){sdVec3d_From(q.v), (double)q.s};
}

/// To unit length, then to float; the identity when q has no direction.
static inline sdQuat sdQuatd_Round(sdQuatd q) {
    double squared = sdDotD(q.v, q.v) + q.s * q.s;
    if (!(squared > 0.0)) {
        // NaN must stay visible
        return squared == 0.0 ? sdQuat_Identity() : (sdQuat){sdVec3d_Round(q.v), (float)q.s};
    }
    double scale = 1.0 / sqrt(squared);
    return (sdQuat){sdVec3d_Round(sdScaleD(scale, q.v)), (float)(scale * q.s)};
}

/// First b, then a.
static inline sdQuatd sdMulQD(sdQuatd a, sdQuatd b) {
    sdVec3d v = sdMulAddD(sdCrossD(a.v, b.v), a.s, b.v);
    return (sdQuatd){sdMulAddD(v, b.s, a.v), a.s * b.s - sdDotD(a.v, b.v)};
}

static inline sdQuatd sdConjugateD(sdQuatd q) {
    return (sdQuatd){sdScaleD(-1.0, q.v), q.s};
}

static inline sdVec3d sdRotateD(sdQuatd q, sdVec3d p) {
    double scale = 2.0 / (sdDotD(q.v, q.v) + q.s * q.s);
    sdVec3d c = sdScaleD(scale, sdCrossD(q.v, p));
    return sdAddD(sdMulAddD(p, q.s, c), sdCrossD(q.v, c));
}

#endif
