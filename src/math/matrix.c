// SPDX-License-Identifier: MIT
// matrix.c - small dense algebra: inverse, solution, eigenvectors, nearest rotation.
//
// Ref:  Golub, Van Loan, "Matrix Computations", 8.5 (Jacobi's method) and 8.6 (one-sided Jacobi).
// Note: all of it runs in double and rounds at the end. Entries of any size work, and matrices
//       whose rows or columns differ by many powers of ten keep their small parts.

#include "math/vec3d.h"

/// A determinant below this part of the sum of the sizes of its six terms is rounding: each term
/// carries about 2^-52.
#define SINGULAR_TOLERANCE 0x1p-48

/// Square of the cosine below which two directions count as orthogonal: rounding of double.
#define ORTHOGONAL_SQUARED 1e-32

/// Jacobi's method converges quadratically and needs 4 or 5 sweeps; later ones only stir rounding.
#define MAX_SWEEPS 16

typedef struct Mat33d {
    sdVec3d c[3];
} Mat33d;

static Mat33d widen(sdMat33 m) {
    return (Mat33d){{sdVec3d_From(m.cx), sdVec3d_From(m.cy), sdVec3d_From(m.cz)}};
}

static bool isFinite(sdMat33 m) {
    return sdVec3_IsFinite(m.cx) && sdVec3_IsFinite(m.cy) && sdVec3_IsFinite(m.cz);
}

static sdMat33 zeroMatrix(void) {
    return sdMat33_Diagonal(0.0f, 0.0f, 0.0f);
}

static sdVec3d absD(sdVec3d a) {
    return sdV3d(fabs(a.x), fabs(a.y), fabs(a.z));
}

/// The rows of the adjugate, M⁻¹ times the determinant.
/// @return the determinant, or 0 when M is singular or not finite
static double adjugate(sdMat33 m, sdVec3d rows[3]) {
    Mat33d a = widen(m);
    rows[0] = sdCrossD(a.c[1], a.c[2]);
    rows[1] = sdCrossD(a.c[2], a.c[0]);
    rows[2] = sdCrossD(a.c[0], a.c[1]);
    double determinant = sdDotD(a.c[0], rows[0]);

    // the same sum with every sign positive, so the test does not change when rows or columns scale
    sdVec3d x = absD(a.c[0]), y = absD(a.c[1]), z = absD(a.c[2]);
    double size = x.x * (y.y * z.z + y.z * z.y) + x.y * (y.z * z.x + y.x * z.z) +
                  x.z * (y.x * z.y + y.y * z.x);
    return fabs(determinant) > SINGULAR_TOLERANCE * size ? determinant : 0.0;
}

sdMat33 sdMat33_Inverse(sdMat33 m) {
    sdVec3d rows[3];
    double determinant = adjugate(m, rows);
    if (determinant == 0.0) {
        return zeroMatrix();
    }
    double s = 1.0 / determinant;
    sdMat33 r =
        sdMat33_Columns(sdVec3d_Round(sdScaleD(s, rows[0])), sdVec3d_Round(sdScaleD(s, rows[1])),
                        sdVec3d_Round(sdScaleD(s, rows[2])));
    return isFinite(r) ? sdMat33_Transpose(r) : zeroMatrix();
}

sdVec3 sdMat33_Solve(sdMat33 m, sdVec3 b) {
    sdVec3d rows[3];
    double determinant = adjugate(m, rows);
    if (determinant == 0.0) {
        return sdV3(0.0f, 0.0f, 0.0f);
    }
    sdVec3d v = sdVec3d_From(b);
    sdVec3d x = sdV3d(sdDotD(rows[0], v), sdDotD(rows[1], v), sdDotD(rows[2], v));
    sdVec3 r = sdVec3d_Round(sdScaleD(1.0 / determinant, x));
    return sdVec3_IsFinite(r) ? r : sdV3(0.0f, 0.0f, 0.0f);
}

/// Cosine and sine of the rotation that makes [p g; g q] diagonal, by the smaller of both angles.
/// @return its tangent: the diagonal becomes p - t g, q + t g
static double jacobiRotation(double p, double q, double g, double* cosine, double* sine) {
    double theta = (q - p) / (2.0 * g);
    double t = 1.0 / (fabs(theta) + sqrt(theta * theta + 1.0));
    t = theta < 0.0 ? -t : t;
    *cosine = 1.0 / sqrt(t * t + 1.0);
    *sine = t * *cosine;
    return t;
}

static void rotateColumns(sdVec3d* p, sdVec3d* q, double cosine, double sine) {
    sdVec3d a = *p, b = *q;
    *p = sdSubD(sdScaleD(cosine, a), sdScaleD(sine, b));
    *q = sdAddD(sdScaleD(sine, a), sdScaleD(cosine, b));
}

static Mat33d identity(void) {
    return (Mat33d){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
}

/// The order in which three numbers descend; equal ones stay as they are.
static void descendingOrder(const double values[3], int order[3]) {
    order[0] = 0;
    order[1] = 1;
    order[2] = 2;
    for (int pass = 0; pass < 3; ++pass) {
        int i = pass & 1;
        if (values[order[i]] < values[order[i + 1]]) {
            int first = order[i];
            order[i] = order[i + 1];
            order[i + 1] = first;
        }
    }
}

/// Make one off-diagonal element zero. Elements are numbered by the row and column they are not
/// in: off[0] is (1, 2), off[1] is (2, 0), off[2] is (0, 1).
/// @return false when it was nothing beside the diagonal already
static bool diagonalize(double diagonal[3], double off[3], Mat33d* v, int k) {
    int p = (k + 1) % 3;
    int q = (k + 2) % 3;
    double g = off[k];
    if (g * g <= ORTHOGONAL_SQUARED * fabs(diagonal[p] * diagonal[q])) {
        return false;
    }
    double cosine, sine;
    double t = jacobiRotation(diagonal[p], diagonal[q], g, &cosine, &sine);
    diagonal[p] -= t * g;
    diagonal[q] += t * g;
    off[k] = 0.0;
    double kq = off[p], kp = off[q];
    off[q] = cosine * kp - sine * kq;
    off[p] = sine * kp + cosine * kq;
    rotateColumns(&v->c[p], &v->c[q], cosine, sine);
    return true;
}

sdMat33 sdMat33_Eigen(sdMat33 m, sdVec3* values) {
    double diagonal[3] = {(double)m.cx.x, (double)m.cy.y, (double)m.cz.z};
    double off[3] = {(double)m.cy.z, (double)m.cx.z, (double)m.cx.y};
    Mat33d v = identity();
    *values = sdV3(0.0f, 0.0f, 0.0f);
    if (!sdVec3_IsFinite(m.cx) || !sdIsFinite(m.cy.y) || !sdIsFinite(m.cy.z) ||
        !sdIsFinite(m.cz.z)) {
        return sdMat33_Identity();
    }

    bool isBusy = true;
    for (int sweep = 0; sweep < MAX_SWEEPS && isBusy; ++sweep) {
        isBusy = false;
        for (int k = 2; k >= 0; --k) {
            isBusy = diagonalize(diagonal, off, &v, k) || isBusy;
        }
    }

    int order[3];
    descendingOrder(diagonal, order);
    *values = sdV3((float)diagonal[order[0]], (float)diagonal[order[1]], (float)diagonal[order[2]]);
    // two columns give the third, with the sign that makes a rotation of them
    sdVec3d x = v.c[order[0]], y = v.c[order[1]];
    return sdMat33_Columns(sdVec3d_Round(x), sdVec3d_Round(y), sdVec3d_Round(sdCrossD(x, y)));
}

/// Turn two columns of W = M V so that they are orthogonal.
/// @return false when they were already
static bool orthogonalize(Mat33d* w, Mat33d* v, int p, int q) {
    double pp = sdDotD(w->c[p], w->c[p]);
    double qq = sdDotD(w->c[q], w->c[q]);
    double pq = sdDotD(w->c[p], w->c[q]);
    if (pq * pq <= ORTHOGONAL_SQUARED * (pp * qq)) {
        return false;
    }
    double cosine, sine;
    jacobiRotation(pp, qq, pq, &cosine, &sine);
    rotateColumns(&w->c[p], &w->c[q], cosine, sine);
    rotateColumns(&v->c[p], &v->c[q], cosine, sine);
    return true;
}

/// The unit vector of a, at right angles to the unit vector `axis`.
/// @return false when there is no such direction in a
static bool directionAcross(sdVec3d a, sdVec3d axis, sdVec3d* out) {
    double length = sdLengthD(a);
    if (!(length > 0.0)) {
        return false;
    }
    a = sdScaleD(1.0 / length, a);
    // twice, as the first pass leaves the rounding of a, which is large beside a small remainder
    for (int pass = 0; pass < 2; ++pass) {
        a = sdMulAddD(a, -sdDotD(a, axis), axis);
        length = sdLengthD(a);
        // half of it at least must be left for the direction to be that of the column
        if (!(length > 0.5)) {
            return false;
        }
        a = sdScaleD(1.0 / length, a);
    }
    *out = a;
    return true;
}

static sdVec3 sumOf(double a, sdVec3d u, double b, sdVec3d v, double c, sdVec3d w) {
    return sdVec3d_Round(sdMulAddD(sdMulAddD(sdScaleD(a, u), b, v), c, w));
}

// With M = U S Vᵀ the nearest rotation is U Vᵀ, where the sign of the third column of U, which
// belongs to the smallest singular value, is the one that makes a rotation of it. So two columns
// of U are enough. Where M says nothing (rank 0 and 1), directions stay what they are if they can.
sdMat33 sdMat33_PolarRotation(sdMat33 m) {
    if (!isFinite(m)) {
        return sdMat33_Identity();
    }
    Mat33d w = widen(m);
    Mat33d v = identity();
    bool isBusy = true;
    for (int sweep = 0; sweep < MAX_SWEEPS && isBusy; ++sweep) {
        isBusy = orthogonalize(&w, &v, 0, 1);
        isBusy = orthogonalize(&w, &v, 0, 2) || isBusy;
        isBusy = orthogonalize(&w, &v, 1, 2) || isBusy;
    }

    double sizes[3] = {sdDotD(w.c[0], w.c[0]), sdDotD(w.c[1], w.c[1]), sdDotD(w.c[2], w.c[2])};
    int order[3];
    descendingOrder(sizes, order);
    sdVec3d v0 = v.c[order[0]], v1 = v.c[order[1]];
    sdVec3d v2 = sdCrossD(v0, v1);
    sdVec3d u0 = v0, u1 = v1;
    if (sizes[order[0]] > 0.0) {
        u0 = sdScaleD(1.0 / sqrt(sizes[order[0]]), w.c[order[0]]);
    }
    if (!directionAcross(w.c[order[1]], u0, &u1) && !directionAcross(v1, u0, &u1)) {
        // v1 lies along u0, so v2 cannot
        directionAcross(v2, u0, &u1);
    }
    sdVec3d u2 = sdCrossD(u0, u1);

    return sdMat33_Columns(sumOf(v0.x, u0, v1.x, u1, v2.x, u2), sumOf(v0.y, u0, v1.y, u1, v2.y, u2),
                           sumOf(v0.z, u0, v1.z, u1, v2.z, u2));
}
