// SPDX-License-Identifier: MIT
// vecmath.h - vectors, quaternions, matrices, transforms.
//
// Right-handed, SI units, radians, column vectors. Single precision, except for positions in a
// world (sdPos), which are double. A transform xfAB maps B's coordinates to A's.
// Everything here uses only + - * / and sqrt, so it gives the same bits on every target when
// compiled without contraction into fused operations (-ffp-contract=off, as the library is).

#ifndef SUDAR_VECMATH_H
#define SUDAR_VECMATH_H

#include "sudar/base.h"

#include <float.h>
#include <math.h>

SD_BEGIN_C

#define SD_PI 3.14159265358979323846f

typedef struct sdVec2 {
    float x, y;
} sdVec2;

typedef struct sdVec3 {
    float x, y, z;
} sdVec3;

/// A unit quaternion is a rotation: s = cos(angle / 2), v = sin(angle / 2) * axis.
typedef struct sdQuat {
    sdVec3 v;
    float s;
} sdQuat;

/// By columns.
typedef struct sdMat33 {
    sdVec3 cx, cy, cz;
} sdMat33;

/// Rotation, then translation.
typedef struct sdTransform {
    sdVec3 p;
    sdQuat q;
} sdTransform;

/// A position in the world.
typedef struct sdPos {
    double x, y, z;
} sdPos;

/// A body's pose in the world.
typedef struct sdWorldTransform {
    sdPos p;
    sdQuat q;
} sdWorldTransform;

// ---- deterministic functions (src/math/trig.c) ---------------------------------------------

/// The same bits on every target, unlike libm's. The error is below 0.501 units in the last place
/// for every argument, the largest included; not finite gives NaN.
SD_API float sdSin(float x);
SD_API float sdCos(float x);
/// Error below 0.501 units in the last place. As atan2 of C, signed zeros and infinities included.
SD_API float sdAtan2(float y, float x);
/// Error below 0.501 units in the last place. x is clamped to -1..1; NaN gives NaN.
SD_API float sdAcos(float x);

// ---- scalars -------------------------------------------------------------------------------

static inline float sdMinF(float a, float b) {
    return a < b ? a : b;
}

static inline float sdMaxF(float a, float b) {
    return a > b ? a : b;
}

static inline float sdClampF(float a, float lower, float upper) {
    return a < lower ? lower : (a > upper ? upper : a);
}

static inline float sdAbsF(float a) {
    return fabsf(a);
}

static inline int sdMinI(int a, int b) {
    return a < b ? a : b;
}

static inline int sdMaxI(int a, int b) {
    return a > b ? a : b;
}

/// Neither NaN nor infinite; works under -ffast-math as well.
static inline bool sdIsFinite(float a) {
    union {
        float f;
        uint32_t u;
    } bits;
    bits.f = a;
    return (bits.u & 0x7F800000u) != 0x7F800000u;
}

// ---- 2D vectors ----------------------------------------------------------------------------

static inline sdVec2 sdV2(float x, float y) {
    sdVec2 r = {x, y};
    return r;
}

static inline sdVec2 sdAdd2(sdVec2 a, sdVec2 b) {
    return sdV2(a.x + b.x, a.y + b.y);
}

static inline sdVec2 sdSub2(sdVec2 a, sdVec2 b) {
    return sdV2(a.x - b.x, a.y - b.y);
}

static inline sdVec2 sdScale2(float s, sdVec2 a) {
    return sdV2(s * a.x, s * a.y);
}

/// a + s b
static inline sdVec2 sdMulAdd2(sdVec2 a, float s, sdVec2 b) {
    return sdV2(a.x + s * b.x, a.y + s * b.y);
}

static inline float sdDot2(sdVec2 a, sdVec2 b) {
    return a.x * b.x + a.y * b.y;
}

/// z of the cross product: positive when b is to the left of a.
static inline float sdCross2(sdVec2 a, sdVec2 b) {
    return a.x * b.y - a.y * b.x;
}

/// A quarter turn to the left.
static inline sdVec2 sdPerp2(sdVec2 a) {
    return sdV2(-a.y, a.x);
}

static inline float sdLength2(sdVec2 a) {
    return sqrtf(sdDot2(a, a));
}

static inline bool sdVec2_IsFinite(sdVec2 a) {
    return sdIsFinite(a.x) && sdIsFinite(a.y);
}

// ---- 3D vectors ----------------------------------------------------------------------------

static inline sdVec3 sdV3(float x, float y, float z) {
    sdVec3 r = {x, y, z};
    return r;
}

static inline sdVec3 sdAdd(sdVec3 a, sdVec3 b) {
    return sdV3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline sdVec3 sdSub(sdVec3 a, sdVec3 b) {
    return sdV3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline sdVec3 sdNeg(sdVec3 a) {
    return sdV3(-a.x, -a.y, -a.z);
}

static inline sdVec3 sdScale(float s, sdVec3 a) {
    return sdV3(s * a.x, s * a.y, s * a.z);
}

/// Component by component.
static inline sdVec3 sdMul(sdVec3 a, sdVec3 b) {
    return sdV3(a.x * b.x, a.y * b.y, a.z * b.z);
}

/// a + s b
static inline sdVec3 sdMulAdd(sdVec3 a, float s, sdVec3 b) {
    return sdV3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline float sdDot(sdVec3 a, sdVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline sdVec3 sdCross(sdVec3 a, sdVec3 b) {
    return sdV3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline float sdLengthSquared(sdVec3 a) {
    return sdDot(a, a);
}

static inline float sdLength(sdVec3 a) {
    return sqrtf(sdDot(a, a));
}

static inline float sdDistanceSquared(sdVec3 a, sdVec3 b) {
    return sdLengthSquared(sdSub(a, b));
}

/// Unit vector, or zero for a vector whose squared length underflows.
static inline sdVec3 sdNormalize(sdVec3 a) {
    float squared = sdDot(a, a);
    return squared >= FLT_MIN ? sdScale(1.0f / sqrtf(squared), a) : sdV3(0.0f, 0.0f, 0.0f);
}

static inline sdVec3 sdMin(sdVec3 a, sdVec3 b) {
    return sdV3(sdMinF(a.x, b.x), sdMinF(a.y, b.y), sdMinF(a.z, b.z));
}

static inline sdVec3 sdMax(sdVec3 a, sdVec3 b) {
    return sdV3(sdMaxF(a.x, b.x), sdMaxF(a.y, b.y), sdMaxF(a.z, b.z));
}

static inline sdVec3 sdAbs(sdVec3 a) {
    return sdV3(sdAbsF(a.x), sdAbsF(a.y), sdAbsF(a.z));
}

/// a + t (b - a), exact at t = 0.
static inline sdVec3 sdLerp(sdVec3 a, sdVec3 b, float t) {
    return sdMulAdd(a, t, sdSub(b, a));
}

static inline bool sdVec3_IsFinite(sdVec3 a) {
    return sdIsFinite(a.x) && sdIsFinite(a.y) && sdIsFinite(a.z);
}

/// 0, 1 or 2: x, y or z.
static inline float sdVec3_Get(sdVec3 a, int axis) {
    return axis == 0 ? a.x : (axis == 1 ? a.y : a.z);
}

/// A unit vector at right angles to the unit vector a, without branches on direction.
static inline sdVec3 sdPerp(sdVec3 a) {
    // Duff et al., "Building an orthonormal basis, revisited", JCGT 2017
    float sign = a.z < 0.0f ? -1.0f : 1.0f;
    float b = -1.0f / (sign + a.z);
    return sdV3(1.0f + sign * a.x * a.x * b, sign * a.x * a.y * b, -sign * a.x);
}

// ---- matrices ------------------------------------------------------------------------------

static inline sdMat33 sdMat33_Identity(void) {
    sdMat33 r = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    return r;
}

static inline sdMat33 sdMat33_Diagonal(float x, float y, float z) {
    sdMat33 r = {{x, 0.0f, 0.0f}, {0.0f, y, 0.0f}, {0.0f, 0.0f, z}};
    return r;
}

static inline sdMat33 sdMat33_Columns(sdVec3 cx, sdVec3 cy, sdVec3 cz) {
    sdMat33 r = {cx, cy, cz};
    return r;
}

/// M v
static inline sdVec3 sdMulMV(sdMat33 m, sdVec3 v) {
    return sdV3(m.cx.x * v.x + m.cy.x * v.y + m.cz.x * v.z,
                m.cx.y * v.x + m.cy.y * v.y + m.cz.y * v.z,
                m.cx.z * v.x + m.cy.z * v.y + m.cz.z * v.z);
}

/// Mᵀ v
static inline sdVec3 sdMulTMV(sdMat33 m, sdVec3 v) {
    return sdV3(sdDot(m.cx, v), sdDot(m.cy, v), sdDot(m.cz, v));
}

static inline sdMat33 sdMat33_Transpose(sdMat33 m) {
    return sdMat33_Columns(sdV3(m.cx.x, m.cy.x, m.cz.x), sdV3(m.cx.y, m.cy.y, m.cz.y),
                           sdV3(m.cx.z, m.cy.z, m.cz.z));
}

static inline sdMat33 sdMulMM(sdMat33 a, sdMat33 b) {
    return sdMat33_Columns(sdMulMV(a, b.cx), sdMulMV(a, b.cy), sdMulMV(a, b.cz));
}

static inline sdMat33 sdMat33_Add(sdMat33 a, sdMat33 b) {
    return sdMat33_Columns(sdAdd(a.cx, b.cx), sdAdd(a.cy, b.cy), sdAdd(a.cz, b.cz));
}

static inline sdMat33 sdMat33_Scale(float s, sdMat33 m) {
    return sdMat33_Columns(sdScale(s, m.cx), sdScale(s, m.cy), sdScale(s, m.cz));
}

static inline float sdMat33_Determinant(sdMat33 m) {
    return sdDot(m.cx, sdCross(m.cy, m.cz));
}

/// The matrix with M v = a × v.
static inline sdMat33 sdMat33_Skew(sdVec3 a) {
    return sdMat33_Columns(sdV3(0.0f, a.z, -a.y), sdV3(-a.z, 0.0f, a.x), sdV3(a.y, -a.x, 0.0f));
}

/// The inverse, or zero when M is singular in double precision or when the inverse has entries
/// beyond FLT_MAX. Like the functions below, computed in double: entries of any size work.
SD_API sdMat33 sdMat33_Inverse(sdMat33 m);

/// x with M x = b, or zero as above.
SD_API sdVec3 sdMat33_Solve(sdMat33 m, sdVec3 b);

/// Symmetric M = V diag(values) Vᵀ by Jacobi rotations. Values descend; V is a rotation
/// (determinant +1). Reads the lower triangle only; if that is not finite, V is the identity and
/// the values are zero.
SD_API sdMat33 sdMat33_Eigen(sdMat33 m, sdVec3* values);

/// The rotation nearest to M (its polar factor); also for singular and reflecting M. The identity
/// when M is zero or not finite.
SD_API sdMat33 sdMat33_PolarRotation(sdMat33 m);

// ---- quaternions ---------------------------------------------------------------------------

static inline sdQuat sdQuat_Identity(void) {
    sdQuat r = {{0.0f, 0.0f, 0.0f}, 1.0f};
    return r;
}

/// Rotate by b, then by a.
static inline sdQuat sdMulQ(sdQuat a, sdQuat b) {
    sdQuat r;
    r.v = sdAdd(sdAdd(sdCross(a.v, b.v), sdScale(a.s, b.v)), sdScale(b.s, a.v));
    r.s = a.s * b.s - sdDot(a.v, b.v);
    return r;
}

static inline sdQuat sdConjugate(sdQuat q) {
    sdQuat r = {sdNeg(q.v), q.s};
    return r;
}

/// inverse(a) * b
static inline sdQuat sdInvMulQ(sdQuat a, sdQuat b) {
    return sdMulQ(sdConjugate(a), b);
}

static inline float sdDotQ(sdQuat a, sdQuat b) {
    return sdDot(a.v, b.v) + a.s * b.s;
}

static inline sdVec3 sdRotate(sdQuat q, sdVec3 v) {
    // v + 2 s (u × v) + 2 u × (u × v)
    sdVec3 t = sdScale(2.0f, sdCross(q.v, v));
    return sdAdd(sdMulAdd(v, q.s, t), sdCross(q.v, t));
}

static inline sdVec3 sdInvRotate(sdQuat q, sdVec3 v) {
    sdVec3 t = sdScale(2.0f, sdCross(v, q.v));
    return sdAdd(sdMulAdd(v, q.s, t), sdCross(t, q.v));
}

/// Unit quaternion; the identity when q is too short to have a direction.
static inline sdQuat sdNormalizeQ(sdQuat q) {
    float squared = sdDotQ(q, q);
    if (!(squared >= FLT_MIN)) {
        return sdQuat_Identity();
    }
    float s = 1.0f / sqrtf(squared);
    sdQuat r = {sdScale(s, q.v), s * q.s};
    return r;
}

static inline bool sdQuat_IsFinite(sdQuat q) {
    return sdVec3_IsFinite(q.v) && sdIsFinite(q.s);
}

/// Finite and of unit length within 1e-3, as the library wants every rotation that is given to it.
static inline bool sdQuat_IsUnit(sdQuat q) {
    return sdQuat_IsFinite(q) && sdAbsF(sdDotQ(q, q) - 1.0f) < 1e-3f;
}

/// @param axis of unit length
static inline sdQuat sdQuat_FromAxisAngle(sdVec3 axis, float angle) {
    sdQuat r = {sdScale(sdSin(0.5f * angle), axis), sdCos(0.5f * angle)};
    return r;
}

static inline sdMat33 sdQuat_ToMatrix(sdQuat q) {
    float x2 = q.v.x + q.v.x, y2 = q.v.y + q.v.y, z2 = q.v.z + q.v.z;
    float xx = q.v.x * x2, yy = q.v.y * y2, zz = q.v.z * z2;
    float xy = q.v.x * y2, xz = q.v.x * z2, yz = q.v.y * z2;
    float sx = q.s * x2, sy = q.s * y2, sz = q.s * z2;
    return sdMat33_Columns(sdV3(1.0f - yy - zz, xy + sz, xz - sy),
                           sdV3(xy - sz, 1.0f - xx - zz, yz + sx),
                           sdV3(xz + sy, yz - sx, 1.0f - xx - yy));
}

/// @param m a rotation; small errors are evened out
SD_API sdQuat sdQuat_FromMatrix(sdMat33 m);

/// The shortest rotation that takes the direction `from` to the direction `to`; for opposite ones
/// half a turn about some axis across them, for a zero vector the identity.
SD_API sdQuat sdQuat_Between(sdVec3 from, sdVec3 to);

/// The rotation by |v| about v, accurate for small and large v.
SD_API sdQuat sdQuat_FromRotationVector(sdVec3 v);

/// The inverse of the above by the shorter way, |v| <= pi.
SD_API sdVec3 sdQuat_ToRotationVector(sdQuat q);

/// q turned by the angular velocity w (in world coordinates) for a time h: the exact rotation
/// when w is constant, of unit length.
SD_API sdQuat sdQuat_Integrate(sdQuat q, sdVec3 w, float h);

/// The tensor of a turned body, I = R I₀ Rᵀ, exactly symmetric.
SD_API sdMat33 sdRotateInertia(sdQuat q, sdMat33 inertia);

// ---- transforms ----------------------------------------------------------------------------

static inline sdTransform sdTransform_Identity(void) {
    sdTransform r = {{0.0f, 0.0f, 0.0f}, {{0.0f, 0.0f, 0.0f}, 1.0f}};
    return r;
}

static inline sdTransform sdTransform_Make(sdVec3 p, sdQuat q) {
    sdTransform r = {p, q};
    return r;
}

static inline sdVec3 sdTransformPoint(sdTransform xf, sdVec3 p) {
    return sdAdd(sdRotate(xf.q, p), xf.p);
}

static inline sdVec3 sdInvTransformPoint(sdTransform xf, sdVec3 p) {
    return sdInvRotate(xf.q, sdSub(p, xf.p));
}

/// xfAC = xfAB * xfBC
static inline sdTransform sdMulXf(sdTransform ab, sdTransform bc) {
    return sdTransform_Make(sdTransformPoint(ab, bc.p), sdMulQ(ab.q, bc.q));
}

/// xfAB = inverse(xfWA) * xfWB
static inline sdTransform sdInvMulXf(sdTransform wa, sdTransform wb) {
    return sdTransform_Make(sdInvTransformPoint(wa, wb.p), sdInvMulQ(wa.q, wb.q));
}

static inline sdTransform sdInvertXf(sdTransform xf) {
    return sdTransform_Make(sdInvRotate(xf.q, sdNeg(xf.p)), sdConjugate(xf.q));
}

/// Finite, with a unit rotation.
static inline bool sdTransform_IsValid(sdTransform xf) {
    return sdVec3_IsFinite(xf.p) && sdQuat_IsUnit(xf.q);
}

// ---- world positions -----------------------------------------------------------------------

static inline sdPos sdPos_Make(double x, double y, double z) {
    sdPos r = {x, y, z};
    return r;
}

/// a - b, rounded to float only after the subtraction.
static inline sdVec3 sdPos_Sub(sdPos a, sdPos b) {
    return sdV3((float)(a.x - b.x), (float)(a.y - b.y), (float)(a.z - b.z));
}

static inline sdPos sdPos_Add(sdPos a, sdVec3 b) {
    return sdPos_Make(a.x + (double)b.x, a.y + (double)b.y, a.z + (double)b.z);
}

static inline bool sdPos_IsFinite(sdPos a) {
    // x - x is 0 for finite numbers and NaN for all others
    return a.x - a.x == 0.0 && a.y - a.y == 0.0 && a.z - a.z == 0.0;
}

/// xfAB of two bodies, exact in the difference of their positions.
static inline sdTransform sdWorldTransform_Relative(sdWorldTransform wa, sdWorldTransform wb) {
    return sdTransform_Make(sdInvRotate(wa.q, sdPos_Sub(wb.p, wa.p)), sdInvMulQ(wa.q, wb.q));
}

SD_END_C

#endif
