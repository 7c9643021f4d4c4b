// SPDX-License-Identifier: MIT
// mass.c - moving, turning, adding and checking mass properties (A4).
//
// Ref:  S2 §4.6 (parallel axes), (4.21) I = R I₀ Rᵀ.
// Note: sums run in double and keep to the form I = I₁ + I₂ + μ (d² 1 - d dᵀ) with the reduced mass
//       μ = m₁ m₂ / (m₁ + m₂) and d between the two centres. Going through the origin instead
//       would lose all digits of a small body far away from it.

#include "sudar/mass.h"

#include "math/vec3d.h"

/// Part of the largest moment by which moments may miss the triangle inequality, and by which
/// mirrored entries may differ: 100 roundings of float.
#define MOMENT_TOLERANCE 1e-5f

/// I + s J + m (d² 1 - d dᵀ)
static sdMat33 combineInertia(sdMat33 i, double s, sdMat33 j, double m, sdVec3d d) {
    double squared = sdDotD(d, d);
    sdVec3d columns[3] = {
        {m * (squared - d.x * d.x), -m * d.x * d.y, -m * d.x * d.z},
        {-m * d.x * d.y, m * (squared - d.y * d.y), -m * d.y * d.z},
        {-m * d.x * d.z, -m * d.y * d.z, m * (squared - d.z * d.z)},
    };
    const sdVec3 iColumns[3] = {i.cx, i.cy, i.cz};
    const sdVec3 jColumns[3] = {j.cx, j.cy, j.cz};
    for (int k = 0; k < 3; ++k) {
        columns[k] = sdAddD(columns[k], sdVec3d_From(iColumns[k]));
        columns[k] = sdMulAddD(columns[k], s, sdVec3d_From(jColumns[k]));
    }
    return sdMat33_Columns(sdVec3d_Round(columns[0]), sdVec3d_Round(columns[1]),
                           sdVec3d_Round(columns[2]));
}

/// Add b with its mass and tensor times `sign`.
static sdMassProps combine(sdMassProps a, double sign, sdMassProps b) {
    double massA = (double)a.mass;
    double massB = sign * (double)b.mass;
    double mass = massA + massB;
    sdMassProps r = {0};
    if (!(mass > 0.0)) {
        r.center = a.center;
        return r;
    }
    sdVec3d center = sdVec3d_From(a.center);
    sdVec3d offset = sdSubD(sdVec3d_From(b.center), center);
    r.mass = (float)mass;
    r.center = sdVec3d_Round(sdMulAddD(center, massB / mass, offset));
    r.inertia = combineInertia(a.inertia, sign, b.inertia, massA * massB / mass, offset);
    return r;
}

sdMassProps sdMassProps_Transform(sdMassProps props, sdTransform xfAB) {
    props.center = sdTransformPoint(xfAB, props.center);
    props.inertia = sdRotateInertia(xfAB.q, props.inertia);
    return props;
}

sdMassProps sdMassProps_Add(sdMassProps a, sdMassProps b) {
    return combine(a, 1.0, b);
}

sdMassProps sdMassProps_Subtract(sdMassProps a, sdMassProps b) {
    return combine(a, -1.0, b);
}

sdMat33 sdMassProps_InertiaAbout(sdMassProps props, sdVec3 point) {
    sdVec3d d = sdSubD(sdVec3d_From(props.center), sdVec3d_From(point));
    return combineInertia(props.inertia, 0.0, props.inertia, (double)props.mass, d);
}

sdTransform sdMassProps_PrincipalFrame(sdMassProps props, sdVec3* moments) {
    sdMat33 axes = sdMat33_Eigen(props.inertia, moments);
    return sdTransform_Make(props.center, sdQuat_FromMatrix(axes));
}

bool sdMassProps_IsValid(sdMassProps props) {
    sdMat33 i = props.inertia;
    bool isFinite = sdIsFinite(props.mass) && sdVec3_IsFinite(props.center) &&
                    sdVec3_IsFinite(i.cx) && sdVec3_IsFinite(i.cy) && sdVec3_IsFinite(i.cz);
    if (!isFinite || !(props.mass > 0.0f)) {
        return false;
    }
    sdVec3 moments;
    sdMat33_Eigen(i, &moments);
    float tolerance = MOMENT_TOLERANCE * moments.x;
    bool isSymmetric = sdAbsF(i.cx.y - i.cy.x) <= tolerance &&
                       sdAbsF(i.cx.z - i.cz.x) <= tolerance && sdAbsF(i.cy.z - i.cz.y) <= tolerance;
    return isSymmetric && moments.z > 0.0f && moments.x <= moments.y + moments.z + tolerance;
}
