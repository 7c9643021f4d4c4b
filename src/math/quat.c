// SPDX-License-Identifier: MIT
// quat.c - rotations from and to matrices, directions and rotation vectors; turning a body.
//
// Ref:  Shepperd, "Quaternion from rotation matrix", J. Guidance and Control 1, 1978.
// Note: in double, rounded at the end, so that a body that turns for hours does not wear out.

#include "math/quatd.h"
#include "math/trig.h"

/// |from + to| below which two unit vectors are taken as opposite. Rounding in double is 1e-16,
/// different floats are 1e-8 apart.
#define OPPOSITE_TOLERANCE 1e-12

/// The rotation by |v| about v. Most turns are small, and need neither their length nor a
/// reduction.
static sdQuatd fromRotationVector(sdVec3d v) {
    double square = 0.25 * sdDotD(v, v);
    if (square <= SD_SERIES_ANGLE * SD_SERIES_ANGLE) {
        return (sdQuatd){sdScaleD(0.5 * sdSincSeries(square), v), sdCosineSeries(square)};
    }
    double angle = sdLengthD(v);
    double sine, cosine;
    sdSinCosD(0.5 * angle, &sine, &cosine);
    return (sdQuatd){sdScaleD(sine / angle, v), cosine};
}

sdQuat sdQuat_FromMatrix(sdMat33 m) {
    double xx = (double)m.cx.x, yy = (double)m.cy.y, zz = (double)m.cz.z;
    double yz = (double)m.cy.z, zy = (double)m.cz.y;
    double zx = (double)m.cz.x, xz = (double)m.cx.z;
    double xy = (double)m.cx.y, yx = (double)m.cy.x;
    // each case is 4 s, 4 x, 4 y or 4 z times the quaternion; take the largest
    double trace = xx + yy + zz;
    sdQuatd q;
    if (trace >= xx && trace >= yy && trace >= zz) {
        q = (sdQuatd){{yz - zy, zx - xz, xy - yx}, 1.0 + trace};
    } else if (xx >= yy && xx >= zz) {
        q = (sdQuatd){{1.0 + xx - yy - zz, xy + yx, xz + zx}, yz - zy};
    } else if (yy >= zz) {
        q = (sdQuatd){{xy + yx, 1.0 - xx + yy - zz, yz + zy}, zx - xz};
    } else {
        q = (sdQuatd){{zx + xz, yz + zy, 1.0 - xx - yy + zz}, xy - yx};
    }
    return sdQuatd_Round(q);
}

sdQuat sdQuat_Between(sdVec3 from, sdVec3 to) {
    sdVec3d a = sdVec3d_From(from);
    sdVec3d b = sdVec3d_From(to);
    double lengthA = sdLengthD(a);
    double lengthB = sdLengthD(b);
    if (!(lengthA > 0.0 && lengthB > 0.0)) {
        return sdQuat_Identity();
    }
    a = sdScaleD(1.0 / lengthA, a);
    b = sdScaleD(1.0 / lengthB, b);
    // |a + b| = 2 cos(angle / 2), |a x b| = sin(angle) = |a + b| sin(angle / 2)
    double sum = sdLengthD(sdAddD(a, b));
    if (sum < OPPOSITE_TOLERANCE) {
        return (sdQuat){sdPerp(sdVec3d_Round(a)), 0.0f};
    }
    return sdQuatd_Round((sdQuatd){sdScaleD(1.0 / sum, sdCrossD(a, b)), 0.5 * sum});
}

sdQuat sdQuat_FromRotationVector(sdVec3 v) {
    sdQuatd q = fromRotationVector(sdVec3d_From(v));
    return (sdQuat){sdVec3d_Round(q.v), (float)q.s};
}

sdVec3 sdQuat_ToRotationVector(sdQuat q) {
    sdQuatd r = sdQuatd_From(q);
    double length = sdLengthD(r.v);
    if (length == 0.0) {
        return sdV3(0.0f, 0.0f, 0.0f);
    }
    // q and -q are the same rotation; the one with s >= 0 is the shorter way
    double angle = 2.0 * sdAtan2D(length, fabs(r.s));
    return sdVec3d_Round(sdScaleD((r.s < 0.0 ? -angle : angle) / length, r.v));
}

sdQuat sdQuat_Integrate(sdQuat q, sdVec3 w, float h) {
    sdQuatd a = fromRotationVector(sdScaleD((double)h, sdVec3d_From(w)));
    return sdQuatd_Round(sdMulQD(a, sdQuatd_From(q)));
}

static void rowsOf(sdQuat q, sdVec3d rows[3]) {
    sdQuatd u = sdQuatd_From(q);
    double squared = sdDotD(u.v, u.v) + u.s * u.s;
    double k = squared > 0.0 ? 2.0 / squared : 0.0;
    double x = u.v.x, y = u.v.y, z = u.v.z, s = u.s;
    rows[0] = sdV3d(1.0 - k * (y * y + z * z), k * (x * y - s * z), k * (x * z + s * y));
    rows[1] = sdV3d(k * (x * y + s * z), 1.0 - k * (x * x + z * z), k * (y * z - s * x));
    rows[2] = sdV3d(k * (x * z - s * y), k * (y * z + s * x), 1.0 - k * (x * x + y * y));
}

/// Row i of the result is A times row i of the rotation; only the lower triangle is summed.
static sdMat33 turnInertia(const sdVec3d rows[3], const sdMat33* m) {
    sdVec3d c[3] = {sdVec3d_From(m->cx), sdVec3d_From(m->cy), sdVec3d_From(m->cz)};
    // what stands along its axes, as most bodies do, comes to the same with fewer products
    bool isDiagonal = m->cx.y == 0.0f && m->cx.z == 0.0f && m->cy.z == 0.0f && m->cy.x == 0.0f &&
                      m->cz.x == 0.0f && m->cz.y == 0.0f;
    float r[3][3];
    for (int i = 0; i < 3; ++i) {
        sdVec3d t =
            isDiagonal ? sdV3d(rows[i].x * c[0].x, rows[i].y * c[1].y, rows[i].z * c[2].z)
                       : sdV3d(sdDotD(rows[i], c[0]), sdDotD(rows[i], c[1]), sdDotD(rows[i], c[2]));
        for (int j = 0; j <= i; ++j) {
            r[i][j] = (float)sdDotD(t, rows[j]);
            r[j][i] = r[i][j];
        }
    }
    return sdMat33_Columns(sdV3(r[0][0], r[0][1], r[0][2]), sdV3(r[1][0], r[1][1], r[1][2]),
                           sdV3(r[2][0], r[2][1], r[2][2]));
}

sdMat33 sdRotateInertia(sdQuat q, sdMat33 inertia) {
    sdVec3d rows[3];
    rowsOf(q, rows);
    return turnInertia(rows, &inertia);
}
