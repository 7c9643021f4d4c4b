// SPDX-License-Identifier: MIT
// bounds_obb.c - oriented boxes: overlap, containment, size. The fits are in bounds_obb_fit.c.
//
// In:   boxes whose axes are rotations rounded to float.
// Out:  answers that are right for the boxes as given.
// Ref:  Gottschalk, Lin, Manocha, "OBBTree", SIGGRAPH 1996 (15 axes).
// Note: both boxes are projected onto each axis, whatever it is, instead of by the formulas for
//       perfect rotations. Then every axis that shows a gap is a proof of it, nearly parallel edges
//       need no tolerance, and a zero cross product shows no gap and so says nothing.

#include "geometry/bounds.h"

/// Relative. Projections in double are off by less.
#define PROJECTION_ROUNDING 1e-14

/// How much longer, in units of the rounding of the axes, a box cut out by slabs (as in
/// sdOBB_ContainsPoint) can be than the one spanned by corners.
#define SLAB_FACTOR 4.0

typedef struct Box {
    sdVec3d axes[3];
    double half[3];
    double slack; ///< on every unit axis: what the corners miss of the box of slabs
} Box;

static void axesOf(const sdOBB* box, sdVec3d axes[3]) {
    axes[0] = sdVec3d_From(box->axes.cx);
    axes[1] = sdVec3d_From(box->axes.cy);
    axes[2] = sdVec3d_From(box->axes.cz);
}

static Box openBox(const sdOBB* box) {
    Box r;
    axesOf(box, r.axes);
    r.half[0] = (double)box->halfExtents.x;
    r.half[1] = (double)box->halfExtents.y;
    r.half[2] = (double)box->halfExtents.z;
    // how far the axes are from orthonormal
    double error = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            double e = fabs(sdDotD(r.axes[i], r.axes[j]) - (i == j ? 1.0 : 0.0));
            error = e > error ? e : error;
        }
    }
    double sum = r.half[0] + r.half[1] + r.half[2];
    r.slack = sum * (SLAB_FACTOR * error + PROJECTION_ROUNDING);
    return r;
}

static double reachAlong(const Box* box, sdVec3d axis) {
    return box->half[0] * fabs(sdDotD(box->axes[0], axis)) +
           box->half[1] * fabs(sdDotD(box->axes[1], axis)) +
           box->half[2] * fabs(sdDotD(box->axes[2], axis));
}

/// @param offset from the centre of a to that of b
static bool isApartAlong(const Box* a, const Box* b, sdVec3d offset, sdVec3d axis) {
    double distance = fabs(sdDotD(offset, axis));
    // |axis| at most, so that no root is needed
    double length = fabs(axis.x) + fabs(axis.y) + fabs(axis.z);
    double rounding =
        PROJECTION_ROUNDING * (fabs(offset.x) + fabs(offset.y) + fabs(offset.z)) * length;
    return distance >
           reachAlong(a, axis) + reachAlong(b, axis) + (a->slack + b->slack) * length + rounding;
}

bool sdOBB_Overlaps(const sdOBB* a, const sdOBB* b) {
    if (a == NULL || b == NULL) {
        return false;
    }
    Box boxA = openBox(a), boxB = openBox(b);
    sdVec3d offset = sdSubD(sdVec3d_From(b->center), sdVec3d_From(a->center));
    for (int i = 0; i < 3; ++i) {
        if (isApartAlong(&boxA, &boxB, offset, boxA.axes[i]) ||
            isApartAlong(&boxA, &boxB, offset, boxB.axes[i])) {
            return false;
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            sdVec3d axis = sdCrossD(boxA.axes[i], boxB.axes[j]);
            if (isApartAlong(&boxA, &boxB, offset, axis)) {
                return false;
            }
        }
    }
    return true;
}

bool sdOBB_ContainsPoint(const sdOBB* box, sdVec3 p) {
    if (box == NULL) {
        return false;
    }
    sdVec3d axes[3];
    axesOf(box, axes);
    sdVec3d d = sdSubD(sdVec3d_From(p), sdVec3d_From(box->center));
    return fabs(sdDotD(d, axes[0])) <= (double)box->halfExtents.x &&
           fabs(sdDotD(d, axes[1])) <= (double)box->halfExtents.y &&
           fabs(sdDotD(d, axes[2])) <= (double)box->halfExtents.z;
}

float sdOBB_Volume(const sdOBB* box) {
    if (box == NULL) {
        return 0.0f;
    }
    return (float)(8.0 * (double)box->halfExtents.x * (double)box->halfExtents.y *
                   (double)box->halfExtents.z);
}

void sdOBB_GetCorners(const sdOBB* box, sdVec3 corners[8]) {
    if (box == NULL || corners == NULL) {
        return;
    }
    Box b = openBox(box);
    for (int i = 0; i < 8; ++i) {
        // bit k of the number of a corner: on the positive side of axis k
        sdVec3d p = sdVec3d_From(box->center);
        for (int k = 0; k < 3; ++k) {
            p = sdMulAddD(p, i >> k & 1 ? b.half[k] : -b.half[k], b.axes[k]);
        }
        corners[i] = sdVec3d_Round(p);
    }
}
