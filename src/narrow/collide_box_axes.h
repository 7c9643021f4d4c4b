// SPDX-License-Identifier: MIT
// collide_box_axes.h - which axis parts two boxes least, and the corners and edges that meet on it.
//
// Everything here is inline and has few branches: which axis, which face and which corner it is
// cannot be foreseen.

#ifndef SD_NARROW_COLLIDE_BOX_AXES_H
#define SD_NARROW_COLLIDE_BOX_AXES_H

#include "narrow/sat_box.h"

/// Most pairs that are apart by corners are there after two.
#define SD_BOX_NEAREST_STEPS 3
/// Points nearer than this many tolerances are as good as touching: their direction is not known.
#define SD_BOX_LEAST_DISTANCE 10.0

// ---- the axis of the greatest gap ----------------------------------------------------------
// The number of the axis is written into the last bits of its gap, where it costs 1e-15 of it, and
// the greatest number wins.

#define SD_BOX_TAG_BITS 15u

SD_INLINE double sdBoxTag_Set(double gap, unsigned axis) {
    uint64_t bits;
    memcpy(&bits, &gap, sizeof bits);
    bits = (bits & ~(uint64_t)SD_BOX_TAG_BITS) | axis;
    memcpy(&gap, &bits, sizeof bits);
    return gap;
}

SD_INLINE int sdBoxTag_Get(double gap) {
    uint64_t bits;
    memcpy(&bits, &gap, sizeof bits);
    return (int)(bits & SD_BOX_TAG_BITS);
}

SD_INLINE double sdBoxTag_Greater(double a, double b) {
    return a > b ? a : b;
}

SD_INLINE double sdBoxTag_GreatestOf3(const double gaps[3], unsigned x, unsigned y, unsigned z) {
    return sdBoxTag_Greater(sdBoxTag_Greater(sdBoxTag_Set(gaps[0], x), sdBoxTag_Set(gaps[1], y)),
                            sdBoxTag_Set(gaps[2], z));
}

SD_INLINE double sdSignedRoot(double signedSquare) {
    return copysign(sqrt(fabs(signedSquare)), signedSquare);
}

/// The axes after and before one. Looked up, for compilers make branches of comparisons, and which
/// axis it is cannot be foreseen.
static const uint8_t sdNextAxis[3] = {1, 2, 0};
static const uint8_t sdPreviousAxis[3] = {2, 0, 1};

/// Edges of A and B whose cross product the axis is.
SD_INLINE int sdBoxAxis_EdgeA(int axis) {
    return (axis - SD_BOX_FACE_AXES) / 3;
}

SD_INLINE int sdBoxAxis_EdgeB(int axis) {
    return (axis - SD_BOX_FACE_AXES) % 3;
}

SD_INLINE double sdBoxGaps_On(const sdBoxGaps* gaps, int axis) {
    if (axis < SD_BOX_FACE_AXES) {
        return axis < 3 ? gaps->faceA[axis] : gaps->faceB[axis - 3];
    }
    int i = sdBoxAxis_EdgeA(axis), j = sdBoxAxis_EdgeB(axis);
    return sdSignedRoot(gaps->cross[j >= i ? j - i : j - i + 3][i]);
}

/// The axis of the greatest gap: a face of A rather than one of B, and a face rather than edges,
/// unless the other is more by the tie, or parts the boxes where the first does not.
SD_INLINE int sdBoxGaps_Best(const sdBoxGaps* gaps, double tie, double* gap) {
    double faceA = sdBoxTag_GreatestOf3(gaps->faceA, 0, 1, 2);
    double faceB = sdBoxTag_GreatestOf3(gaps->faceB, 3, 4, 5);
    double edges =
        sdBoxTag_Greater(sdBoxTag_Greater(sdBoxTag_GreatestOf3(gaps->cross[0], 6, 10, 14),
                                          sdBoxTag_GreatestOf3(gaps->cross[1], 7, 11, 12)),
                         sdBoxTag_GreatestOf3(gaps->cross[2], 8, 9, 13));
    bool isFaceB = (faceB > faceA + tie) | ((faceB > 0.0) & (faceA <= 0.0));
    double face = isFaceB ? faceB : faceA, enough = face + tie;
    // squares with the sign of the gap
    bool isEdges = (edges > enough * fabs(enough)) | ((edges > 0.0) & (face <= 0.0));
    int axis = sdBoxTag_Get(isEdges ? edges : face);
    *gap = sdBoxTag_Set(isEdges ? sdSignedRoot(edges) : face, 0);
    return axis;
}

/// Axes of A in its own frame.
static const double sdOwnAxes[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

/// The unit axis, A to B.
SD_INLINE sdVec3d sdBoxPair_Normal(const sdBoxPair* pair, int axis) {
    double n[3] = {0.0, 0.0, 0.0}, scale = 1.0;
    const double* from =
        axis < 3 ? sdOwnAxes[axis] : pair->r[axis < SD_BOX_FACE_AXES ? axis - 3 : 0];
    if (axis >= SD_BOX_FACE_AXES) {
        int i = sdBoxAxis_EdgeA(axis), i1 = sdNextAxis[i], i2 = sdPreviousAxis[i];
        const double* r = pair->r[sdBoxAxis_EdgeB(axis)];
        n[i1] = -r[i2];
        n[i2] = r[i1];
        scale = 1.0 / sqrt(r[i1] * r[i1] + r[i2] * r[i2]);
        from = n;
    }
    sdVec3d d = sdV3d(from[0], from[1], from[2]);
    double along = d.x * pair->t[0] + d.y * pair->t[1] + d.z * pair->t[2];
    return sdScaleD(along < 0.0 ? -scale : scale, d);
}

SD_INLINE sdVec3d sdBoxPair_InB(const sdBoxPair* pair, sdVec3d d) {
    const double(*r)[3] = pair->r;
    return sdV3d(d.x * r[0][0] + d.y * r[0][1] + d.z * r[0][2],
                 d.x * r[1][0] + d.y * r[1][1] + d.z * r[1][2],
                 d.x * r[2][0] + d.y * r[2][1] + d.z * r[2][2]);
}

SD_INLINE bool sdBoxPair_HasThickness(const sdBoxPair* pair) {
    return (pair->a[0] > 0.0) & (pair->a[1] > 0.0) & (pair->a[2] > 0.0) & (pair->b[0] > 0.0) &
           (pair->b[1] > 0.0) & (pair->b[2] > 0.0);
}

// ---- corners and edges ---------------------------------------------------------------------

/// The axis with the largest component; the first of equal ones.
SD_INLINE int sdLargestAxis(sdVec3d d) {
    double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    return x >= y && x >= z ? 0 : (y >= z ? 1 : 2);
}

/// Corner of A furthest along d.
SD_INLINE sdVec3d sdBoxPair_CornerOfA(const sdBoxPair* pair, sdVec3d d) {
    return sdV3d(copysign(pair->a[0], d.x), copysign(pair->a[1], d.y), copysign(pair->a[2], d.z));
}

/// Corner of B furthest against d, in A's frame.
/// @param inB d in B's frame
SD_INLINE sdVec3d sdBoxPair_CornerOfB(const sdBoxPair* pair, sdVec3d inB) {
    double x = copysign(pair->b[0], inB.x), y = copysign(pair->b[1], inB.y);
    double z = copysign(pair->b[2], inB.z);
    const double(*r)[3] = pair->r;
    return sdV3d(pair->t[0] - x * r[0][0] - y * r[1][0] - z * r[2][0],
                 pair->t[1] - x * r[0][1] - y * r[1][1] - z * r[2][1],
                 pair->t[2] - x * r[0][2] - y * r[1][2] - z * r[2][2]);
}

/// From corners of both to where the edges i of A and j of B that end there cross, seen along the
/// normal.
SD_INLINE void sdBoxPair_Slide(const sdBoxPair* pair, int i, int j, sdVec3d* onA, sdVec3d* onB) {
    const double* r = pair->r[j];
    sdVec3d axisB = sdV3d(r[0], r[1], r[2]), d = sdSubD(*onB, *onA);
    const double along[3] = {d.x, d.y, d.z};
    int i1 = sdNextAxis[i], i2 = sdPreviousAxis[i];
    double turn = r[i1] * r[i1] + r[i2] * r[i2];
    double slideB = -(along[i1] * r[i1] + along[i2] * r[i2]) / turn;
    double slideA = along[i] + slideB * r[i];
    const double* axisA = sdOwnAxes[i];
    *onA = sdMulAddD(*onA, slideA, sdV3d(axisA[0], axisA[1], axisA[2]));
    *onB = sdMulAddD(*onB, slideB, axisB);
}

/// A corner over a face, or where two edges cross: a point of each box, apart along the normal by
/// the gap if they are on both.
SD_INLINE void sdBoxPair_Deepest(const sdBoxPair* pair, int axis, double gap, sdVec3d normal,
                                 sdVec3d normalInB, sdVec3d* onA, sdVec3d* onB) {
    *onA = sdBoxPair_CornerOfA(pair, normal);
    *onB = sdBoxPair_CornerOfB(pair, normalInB);
    if (axis < 3) {
        *onA = sdMulAddD(*onB, -gap, normal);
    } else if (axis < SD_BOX_FACE_AXES) {
        *onB = sdMulAddD(*onA, gap, normal);
    } else {
        sdBoxPair_Slide(pair, sdBoxAxis_EdgeA(axis), sdBoxAxis_EdgeB(axis), onA, onB);
    }
}

// ---- nearest points ------------------------------------------------------------------------

SD_INLINE double sdClampTo(double x, double half) {
    double most = x < half ? x : half;
    return most > -half ? most : -half;
}

SD_INLINE sdVec3d sdNearestInBox(const double half[3], sdVec3d p) {
    return sdV3d(sdClampTo(p.x, half[0]), sdClampTo(p.y, half[1]), sdClampTo(p.z, half[2]));
}

/// The point of B that is nearest to p.
/// @param isInside whether that is p
SD_INLINE sdVec3d sdBoxPair_NearestInB(const sdBoxPair* pair, sdVec3d p, bool* isInside) {
    const double(*r)[3] = pair->r;
    sdVec3d middle = sdV3d(pair->t[0], pair->t[1], pair->t[2]);
    sdVec3d own = sdBoxPair_InB(pair, sdSubD(p, middle)), q = sdNearestInBox(pair->b, own);
    *isInside = (q.x == own.x) & (q.y == own.y) & (q.z == own.z);
    sdVec3d result = sdMulAddD(middle, q.x, sdV3d(r[0][0], r[0][1], r[0][2]));
    result = sdMulAddD(result, q.y, sdV3d(r[1][0], r[1][1], r[1][2]));
    return sdMulAddD(result, q.z, sdV3d(r[2][0], r[2][1], r[2][2]));
}

/// Boxes that are apart by corners: to the nearest point of one box and of the other in turns ends
/// there at once. The gap along the line between two points proves that none are nearer.
SD_INLINE bool sdBoxPair_FindNearest(const sdBoxPair* pair, sdVec3d start, double tolerance,
                                     sdVec3d* onA, sdVec3d* onB, sdVec3d* normal,
                                     double* distance) {
    bool isInside;
    sdVec3d p = sdNearestInBox(pair->a, start), q = p;
    for (int step = 0; step < SD_BOX_NEAREST_STEPS; ++step) {
        q = sdBoxPair_NearestInB(pair, p, &isInside);
        p = sdNearestInBox(pair->a, q);
    }
    sdVec3d d = sdSubD(q, p);
    *distance = sdLengthD(d);
    if (!(*distance > SD_BOX_LEAST_DISTANCE * tolerance)) {
        return false;
    }
    sdVec3d n = sdScaleD(1.0 / *distance, d), inB = sdBoxPair_InB(pair, n);
    double gap = n.x * pair->t[0] + n.y * pair->t[1] + n.z * pair->t[2] -
                 (fabs(n.x) * pair->a[0] + fabs(n.y) * pair->a[1] + fabs(n.z) * pair->a[2]) -
                 (fabs(inB.x) * pair->b[0] + fabs(inB.y) * pair->b[1] + fabs(inB.z) * pair->b[2]);
    *onA = p;
    *onB = q;
    *normal = n;
    return gap >= *distance - tolerance;
}

#endif
