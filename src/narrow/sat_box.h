// SPDX-License-Identifier: MIT
// sat_box.h - two boxes made ready for their 15 separating axes, and all axes at once.

#ifndef SD_NARROW_SAT_BOX_H
#define SD_NARROW_SAT_BOX_H

#include "base/simd.h"
#include "narrow/pair.h"

/// Where a pose is; the fourth lane is 0. Compilers that are given three numbers put them together
/// anew for each order of lanes, and to read four at once would have to wait for the pose, which
/// has just been copied in parts.
SD_INLINE sdF4 sdTransform_Place(const sdTransform* xf) {
#if defined(__SSE2__)
    __m128 xy = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i*)(const void*)&xf->p));
    return (sdF4)_mm_movelh_ps(xy, _mm_load_ss(&xf->p.z));
#else
    return (sdF4){xf->p.x, xf->p.y, xf->p.z, 0.0f};
#endif
}

/// Axis k is axis k of A, axis k - 3 of B, or the cross product of axis (k - 6) / 3 of A and axis
/// (k - 6) % 3 of B.
#define SD_BOX_AXIS_COUNT 15
#define SD_BOX_FACE_AXES 6

typedef struct sdBoxPair {
    double r[3][3];    ///< r[j]: axis j of B in A's frame
    double a[3], b[3]; ///< half extents
    double t[3];       ///< centre of B in A's frame
} sdBoxPair;

/// Gaps on all axes; negative: overlap.
typedef struct sdBoxGaps {
    double faceA[4]; ///< three are used
    double faceB[4];
    /// Square of the gap of edges i of A and i + k of B at [k][i], with the gap's sign
    double cross[3][4];
    bool isApart; ///< some gap is above the limit
} sdBoxGaps;

/// Numbers that the queries of boxes can work with. NaN is refused.
static inline bool sdBoxPair_IsValid(sdVec3 halfA, sdVec3 halfB, const sdTransform* xfAB) {
    float sizeA = halfA.x + halfA.y + halfA.z, sizeB = halfB.x + halfB.y + halfB.z;
    float away = sdAbsF(xfAB->p.x) + sdAbsF(xfAB->p.y) + sdAbsF(xfAB->p.z);
    return halfA.x >= 0.0f && halfA.y >= 0.0f && halfA.z >= 0.0f && halfB.x >= 0.0f &&
           halfB.y >= 0.0f && halfB.z >= 0.0f && sizeA <= SD_MAX_REACH && sizeB <= SD_MAX_REACH &&
           away <= SD_MAX_REACH && sdAbsF(sdDotQ(xfAB->q, xfAB->q) - 1.0f) < 1e-3f;
}

/// The axis in A's frame; not of unit length when it is a cross product.
static inline sdVec3d sdBoxPair_Axis(const sdBoxPair* pair, int axis) {
    if (axis < 3) {
        return sdV3d(axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0);
    }
    int j = axis < SD_BOX_FACE_AXES ? axis - 3 : (axis - SD_BOX_FACE_AXES) % 3;
    const double* r = pair->r[j];
    if (axis < SD_BOX_FACE_AXES) {
        return sdV3d(r[0], r[1], r[2]);
    }
    switch ((axis - SD_BOX_FACE_AXES) / 3) {
        case 0:
            return sdV3d(0.0, -r[2], r[1]);
        case 1:
            return sdV3d(r[2], 0.0, -r[0]);
        default:
            return sdV3d(-r[1], r[0], 0.0);
    }
}

/// Two boxes that are valid; the pose goes to `pair`.
/// @param limit see sdBoxGaps.isApart, m
SD_DECLARE_KERNEL(void, sdSatBox_Gaps,
                  (sdVec3 halfA, sdVec3 halfB, const sdTransform* xfAB, double limit,
                   sdBoxPair* pair, sdBoxGaps* gaps));

static inline bool sdShape_AreBoxes(const sdShape* a, const sdShape* b) {
    return a != NULL && b != NULL && a->type == SD_SHAPE_BOX && b->type == SD_SHAPE_BOX;
}

typedef enum sdBoxVerdict {
    SD_BOXES_UNSURE,     ///< ask in double; so, too, when something is not valid
    SD_BOXES_APART,      ///< by more than the limit
    SD_BOXES_OVERLAPPING ///< not just touching
} sdBoxVerdict;

/// What single precision can say for sure. Both shapes are boxes; nothing needs to be valid.
/// @param limit gaps up to this do not count, m; >= 0
SD_DECLARE_KERNEL(sdBoxVerdict, sdSatBox_Quick,
                  (const sdShape* a, const sdShape* b, const sdTransform* xfAB, float limit));

/// The axis of the least depth of boxes that overlap for sure, up to rounding in single precision:
/// 1e-6 of their sizes and distance, up to ten times that between edges that are nearly parallel.
/// Of axes that are as good a face of A rather than one of B, and that rather than edges.
/// @param limit gaps up to this do not count, m; >= 0
/// @return SD_NULL_INDEX: apart by more than the limit; SD_BOX_AXIS_COUNT: ask in double
SD_DECLARE_KERNEL(int, sdSatBox_QuickAxis,
                  (const sdShape* a, const sdShape* b, const sdTransform* xfAB, float limit));

/// Whether single precision can say for sure that they are apart along an axis. Nothing needs to be
/// valid.
/// @param axis in A's frame, A to B
SD_DECLARE_KERNEL(bool, sdSatBox_IsApartOn,
                  (const sdShape* a, const sdShape* b, const sdTransform* xfAB, float limit,
                   sdVec3 axis));

/// Whether two boxes that are valid have a common point.
SD_DECLARE_KERNEL(bool, sdSatBox_AreOverlapping,
                  (sdVec3 halfA, sdVec3 halfB, const sdTransform* xfAB));

#endif
