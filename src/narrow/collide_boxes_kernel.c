// SPDX-License-Identifier: MIT
// collide_boxes_kernel.c - two boxes: depth and distance.
//
// In:   half extents, B's pose in A's frame.
// Out:  deepest or nearest points.
// Ref:  Gottschalk, Lin, Manocha, "OBBTree", SIGGRAPH 1996.
// Note: the axis of the least overlap is the normal. The deepest points are a corner over a face,
//       or on two edges that cross; where neither is, they are among the points that the faces
//       have in common.

#include "narrow/collide_boxes.h"

#include "narrow/collide_box_axes.h"
#include "narrow/collide_box_faces.h"

/// Fraction of the smaller box within which deepest points must be on both surfaces: far above the
/// rounding of doubles and far below that of floats.
#define EXACT 1e-9

/// Most pairs that overlap need one to a common point; shallow ones have it between their deepest
/// points.
#define COMMON_STEPS 2

static double sizeOf(const double half[3]) {
    return sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
}

// ---- depth and distance --------------------------------------------------------------------

static inline bool isInA(const sdBoxPair* pair, sdVec3d p, double tolerance) {
    return (fabs(p.x) <= pair->a[0] + tolerance) & (fabs(p.y) <= pair->a[1] + tolerance) &
           (fabs(p.z) <= pair->a[2] + tolerance);
}

static inline bool isInB(const sdBoxPair* pair, sdVec3d p, double tolerance) {
    sdVec3d d = sdBoxPair_InB(pair, sdSubD(p, sdV3d(pair->t[0], pair->t[1], pair->t[2])));
    return (fabs(d.x) <= pair->b[0] + tolerance) & (fabs(d.y) <= pair->b[1] + tolerance) &
           (fabs(d.z) <= pair->b[2] + tolerance);
}

/// A corner over a face, or two edges: a point of each box, apart along the normal by the gap.
SD_INLINE bool findCorner(const sdBoxPair* pair, int axis, double gap, sdVec3d normal,
                          sdVec3d normalInB, double tolerance, sdVec3d* pointA) {
    sdVec3d onA, onB;
    sdBoxPair_Deepest(pair, axis, gap, normal, normalInB, &onA, &onB);
    *pointA = onA;
    sdVec3d off = sdSubD(onB, sdMulAddD(onA, gap, normal));
    return sdDotD(off, off) <= tolerance * tolerance && isInA(pair, onA, tolerance) &&
           isInB(pair, onB, tolerance);
}

/// The deepest of the points that faces have in common.
static bool findDeepest(const sdBoxPair* pair, double gap, sdVec3d normal, sdVec3d normalInB,
                        double tolerance, sdVec3d* pointA) {
    sdBoxFaces faces;
    sdFlatPoint points[SD_BOX_CANDIDATES];
    sdBoxFaces_Set(&faces, pair, normal, normalInB);
    int count =
        SD_KERNEL(sdBoxFaces_Intersect)(&faces, tolerance, gap - tolerance, DBL_MAX, points);
    int deepest = 0;
    for (int i = 1; i < count; ++i) {
        deepest = points[i].separation < points[deepest].separation ? i : deepest;
    }
    *pointA = sdBoxFaces_Place(&faces, pair, &points[deepest]);
    return count > 0 && points[deepest].separation <= gap + tolerance;
}

/// To the nearest point of one box and of the other in turns, until it is in both.
SD_INLINE bool findCommon(const sdBoxPair* pair, sdVec3d start, sdVec3d* common) {
    bool isInside = false;
    sdVec3d p = sdNearestInBox(pair->a, start);
    for (int step = 0; step < COMMON_STEPS; ++step) {
        sdVec3d q = sdBoxPair_NearestInB(pair, p, &isInside);
        *common = p;
        if (isInside) {
            return true;
        }
        p = sdNearestInBox(pair->a, q);
    }
    return false;
}

SD_INLINE bool setNearest(const sdBoxPair* pair, sdVec3d start, double tolerance,
                          sdPairResult* out) {
    bool isFound = sdBoxPair_FindNearest(pair, start, tolerance, &out->pointA, &out->pointB,
                                         &out->normal, &out->separation);
    out->common = out->pointB;
    return isFound;
}

/// What is the same in all answers.
static void setExact(const sdBoxPair* pair, double size, sdPairResult* out) {
    double away = sqrt(pair->t[0] * pair->t[0] + pair->t[1] * pair->t[1] + pair->t[2] * pair->t[2]);
    out->indexA = SD_NULL_INDEX;
    out->indexB = SD_NULL_INDEX;
    out->iterations = 1;
    out->status = SD_STATUS_EXACT;
    out->error = sdPairResult_Rounding(size + away);
}

/// Of boxes that are not apart, where rounding may say so, and of those that are.
static const double mostGaps[2] = {0.0, DBL_MAX};

bool SD_KERNEL(sdBoxes_Separate)(const sdShape* a, const sdShape* b, const sdTransform* xfAB,
                                 bool wantsDepth, sdPairResult* out) {
    sdBoxPair pair;
    sdBoxGaps gaps;
    SD_KERNEL(sdSatBox_Gaps)(a->box.halfExtents, b->box.halfExtents, xfAB, 0.0, &pair, &gaps);
    double sizeA = sizeOf(pair.a), sizeB = sizeOf(pair.b), gap;
    out->isDeep = !gaps.isApart;
    out->separation = 0.0;
    out->normal = sdV3d(0.0, 1.0, 0.0);
    setExact(&pair, sizeA + sizeB, out);
    // not by branches: whether boxes that touch are apart cannot be foreseen
    bool wantsCommon = !wantsDepth & !gaps.isApart;
    if (wantsCommon && findCommon(&pair, sdV3d(pair.t[0], pair.t[1], pair.t[2]), &out->common)) {
        return true;
    }
    if (!sdBoxPair_HasThickness(&pair)) {
        return false;
    }
    int axis = sdBoxGaps_Best(&gaps, 0.0, &gap);
    gap = gap < mostGaps[gaps.isApart] ? gap : mostGaps[gaps.isApart];
    double tolerance = EXACT * (sizeA < sizeB ? sizeA : sizeB);
    sdVec3d normal = sdBoxPair_Normal(&pair, axis), normalInB = sdBoxPair_InB(&pair, normal);
    sdVec3d onA;
    if (!findCorner(&pair, axis, gap, normal, normalInB, tolerance, &onA)) {
        if (gaps.isApart) {
            return setNearest(&pair, onA, tolerance, out);
        }
        if (!findDeepest(&pair, gap, normal, normalInB, tolerance, &onA)) {
            return false;
        }
    }
    if (wantsCommon) {
        return findCommon(&pair, sdMulAddD(onA, 0.5 * gap, normal), &out->common);
    }
    sdVec3d onB = sdMulAddD(onA, gap, normal);
    out->separation = gap;
    out->normal = normal;
    out->pointA = onA;
    out->pointB = onB;
    out->common = onB;
    return true;
}
