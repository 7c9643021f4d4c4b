// SPDX-License-Identifier: MIT
// orient.c - signs of determinants of points with float coordinates.
//
// In:   three or four points.
// Out:  the determinant, its sign exact.
// Ref:  Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric
//       predicates", 1997: the error bound and the exact sum.
// Note: a double holds the product of two floats exactly and a second double what the product of
//       three leaves. The determinant in these products, with no difference taken first, is a sum
//       that can be made exact by a few lines. It is needed only where points are flat to within
//       rounding.

#include "narrow/orient.h"

/// Rounding of a determinant of differences, as a part of the same sum without signs: Shewchuk's
/// (7 + 56 eps) eps and (3 + 16 eps) eps, where eps is half of DBL_EPSILON, rounded up.
#define ERROR_3D (4.0 * DBL_EPSILON)
#define ERROR_2D (2.0 * DBL_EPSILON)

/// Splits a double into two of half as many digits.
#define SPLITTER 134217729.0

// ---- exact sums ----------------------------------------------------------------------------

/// A number as the exact sum of doubles that do not overlap, the largest last, none of them zero.
typedef struct Sum {
    double parts[48];
    int count;
} Sum;

static void addExactly(Sum* sum, double a) {
    int count = 0;
    for (int i = 0; i < sum->count; ++i) {
        double b = sum->parts[i];
        double s = a + b;
        double other = s - a;
        double rest = (a - (s - other)) + (b - other);
        a = s;
        if (rest != 0.0) {
            sum->parts[count++] = rest;
        }
    }
    if (a != 0.0) {
        sum->parts[count++] = a;
    }
    sum->count = count;
}

/// Add sign·x·y·z of floats.
static void addProduct(Sum* sum, double sign, double x, double y, double z) {
    double xy = sign * x * y;
    double product = xy * z;
    double c = SPLITTER * xy;
    double high = c - (c - xy);
    double low = xy - high;
    addExactly(sum, (high * z - product) + low * z);
    addExactly(sum, product);
}

/// Add sign·det(a, b, c).
static void addDeterminant(Sum* sum, double sign, sdVec3d a, sdVec3d b, sdVec3d c) {
    addProduct(sum, sign, a.x, b.y, c.z);
    addProduct(sum, -sign, a.x, b.z, c.y);
    addProduct(sum, sign, a.y, b.z, c.x);
    addProduct(sum, -sign, a.y, b.x, c.z);
    addProduct(sum, sign, a.z, b.x, c.y);
    addProduct(sum, -sign, a.z, b.y, c.x);
}

static double valueOf(const Sum* sum) {
    return sum->count > 0 ? sum->parts[sum->count - 1] : 0.0;
}

// ---- determinants --------------------------------------------------------------------------

static double orient3dExactly(sdVec3d a, sdVec3d b, sdVec3d c, sdVec3d d) {
    Sum sum = {.count = 0};
    addDeterminant(&sum, 1.0, b, c, d);
    addDeterminant(&sum, -1.0, a, c, d);
    addDeterminant(&sum, 1.0, a, b, d);
    addDeterminant(&sum, -1.0, a, b, c);
    return valueOf(&sum);
}

double sdOrient3d(sdVec3d a, sdVec3d b, sdVec3d c, sdVec3d d) {
    sdVec3d u = sdSubD(b, a), v = sdSubD(c, a), w = sdSubD(d, a);
    double xy = u.x * v.y, yx = u.y * v.x;
    double yz = u.y * v.z, zy = u.z * v.y;
    double zx = u.z * v.x, xz = u.x * v.z;
    double value = (yz - zy) * w.x + (zx - xz) * w.y + (xy - yx) * w.z;
    double size = (fabs(yz) + fabs(zy)) * fabs(w.x) + (fabs(zx) + fabs(xz)) * fabs(w.y) +
                  (fabs(xy) + fabs(yx)) * fabs(w.z);
    return fabs(value) > ERROR_3D * size ? value : orient3dExactly(a, b, c, d);
}

static double orient2dExactly(double ax, double ay, double bx, double by, double cx, double cy) {
    Sum sum = {.count = 0};
    addExactly(&sum, bx * cy);
    addExactly(&sum, -by * cx);
    addExactly(&sum, -ax * cy);
    addExactly(&sum, ay * cx);
    addExactly(&sum, ax * by);
    addExactly(&sum, -ay * bx);
    return valueOf(&sum);
}

double sdOrient2d(const double a[3], const double b[3], const double c[3], int axisX, int axisY) {
    double left = (b[axisX] - a[axisX]) * (c[axisY] - a[axisY]);
    double right = (b[axisY] - a[axisY]) * (c[axisX] - a[axisX]);
    double value = left - right;
    if (fabs(value) > ERROR_2D * (fabs(left) + fabs(right))) {
        return value;
    }
    return orient2dExactly(a[axisX], a[axisY], b[axisX], b[axisY], c[axisX], c[axisY]);
}
