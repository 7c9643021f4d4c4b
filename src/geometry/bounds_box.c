// SPDX-License-Identifier: MIT
// bounds_box.c - axis-aligned boxes: fit and transform.
//
// In:   points, or a box and a transform.
// Out:  the smallest box with float corners; never smaller than the exact one.
// Ref:  Arvo, "Transforming axis-aligned bounding boxes", Graphics Gems, 1990.

#include "geometry/bounds.h"

/// Relative. A sum of seven products in double is off by less than 8 * 2^-53 of its terms.
#define TRANSFORM_ROUNDING 1e-15

/// Every float lies in it.
static sdAABB everything(void) {
    sdAABB r = {{-FLT_MAX, -FLT_MAX, -FLT_MAX}, {FLT_MAX, FLT_MAX, FLT_MAX}};
    return r;
}

/// One coordinate of the moved box: translation t, row (rx, ry, rz) of the rotation.
static void moveRow(double t, sdVec3d row, sdVec3d center, sdVec3d half, float* lower,
                    float* upper) {
    sdVec3d size = sdV3d(fabs(row.x), fabs(row.y), fabs(row.z));
    double middle = t + sdDotD(row, center);
    double reach = sdDotD(size, half);
    double terms =
        fabs(t) + reach + sdDotD(size, sdV3d(fabs(center.x), fabs(center.y), fabs(center.z)));
    reach += TRANSFORM_ROUNDING * terms;
    *lower = sdMaxF(sdRoundDown(middle - reach), -FLT_MAX);
    *upper = sdMinF(sdRoundUp(middle + reach), FLT_MAX);
}

sdResult sdAABB_Fit(const sdVec3* points, int count, sdAABB* out) {
    if (points == NULL || count < 1 || out == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    sdAABB box;
    if (!SD_DISPATCH(sdPoints_Box)(points, count, &box)) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    *out = box;
    return SD_OK;
}

sdAABB sdAABB_Transform(sdTransform xfAB, sdAABB box) {
    bool isFinite = sdVec3_IsFinite(box.lower) && sdVec3_IsFinite(box.upper) &&
                    sdVec3_IsFinite(xfAB.p) && sdQuat_IsFinite(xfAB.q);
    if (!isFinite) {
        return everything();
    }
    if (!sdAABB_IsValid(box)) {
        return sdAABB_Empty();
    }
    sdVec3d lower = sdVec3d_From(box.lower), upper = sdVec3d_From(box.upper);
    sdVec3d center = sdScaleD(0.5, sdAddD(lower, upper));
    sdVec3d half = sdScaleD(0.5, sdSubD(upper, lower));
    double x = (double)xfAB.q.v.x, y = (double)xfAB.q.v.y, z = (double)xfAB.q.v.z;
    double s = (double)xfAB.q.s;
    sdVec3d rowX = sdV3d(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - s * z), 2.0 * (x * z + s * y));
    sdVec3d rowY = sdV3d(2.0 * (x * y + s * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - s * x));
    sdVec3d rowZ = sdV3d(2.0 * (x * z - s * y), 2.0 * (y * z + s * x), 1.0 - 2.0 * (x * x + y * y));
    sdAABB r;
    moveRow((double)xfAB.p.x, rowX, center, half, &r.lower.x, &r.upper.x);
    moveRow((double)xfAB.p.y, rowY, center, half, &r.lower.y, &r.upper.y);
    moveRow((double)xfAB.p.z, rowZ, center, half, &r.lower.z, &r.upper.z);
    return r;
}
