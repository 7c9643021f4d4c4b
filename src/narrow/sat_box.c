// SPDX-License-Identifier: MIT
// sat_box.c - two boxes by their 15 separating axes.
//
// In:   half extents, B's pose in A's frame.
// Out:  greatest separation, its axis and features. Never allocates.
// Ref:  Gottschalk, Lin, Manocha, "OBBTree", SIGGRAPH 1996; S4.
// Note: the offset between the centres and B's axes are both in A's frame, R = R_Aᵀ R_B (S4 has
//       them in the world's). Everything is in double: for stacked boxes, whose edges are parallel
//       to a thousandth, single precision leaves four digits of an edge axis.

#include "narrow/sat.h"

/// Half extents and distances beyond this are refused, as for all convex queries, m.
#define MAX_REACH 1e12

#define FACE_AXES 6
#define AXIS_COUNT 15

/// Axis k is axis k of A, axis k - 3 of B, or the cross product of axis (k - 6) / 3 of A and axis
/// (k - 6) % 3 of B.
typedef struct BoxPair {
    double r[3][3];    ///< r[j]: axis j of B in A's frame
    double m[3][3];    ///< absolute values of r
    double a[3], b[3]; ///< half extents
    double t[3];       ///< centre of B in A's frame
    double tie;        ///< see SD_SAT_TIE, m
} BoxPair;

typedef struct AxisGap {
    int axis;
    double gap; ///< on the unit axis
} AxisGap;

static const int next[3] = {1, 2, 0};
static const int previous[3] = {2, 0, 1};

static bool setHalf(double half[3], sdVec3 v) {
    half[0] = (double)v.x;
    half[1] = (double)v.y;
    half[2] = (double)v.z;
    // written so that NaN is refused
    return half[0] >= 0.0 && half[1] >= 0.0 && half[2] >= 0.0 &&
           half[0] + half[1] + half[2] <= MAX_REACH;
}

static bool setPair(BoxPair* pair, sdVec3 halfA, sdVec3 halfB, sdTransform xfAB) {
    double x = (double)xfAB.q.v.x, y = (double)xfAB.q.v.y, z = (double)xfAB.q.v.z;
    double s = (double)xfAB.q.s;
    double squared = x * x + y * y + z * z + s * s;
    pair->t[0] = (double)xfAB.p.x;
    pair->t[1] = (double)xfAB.p.y;
    pair->t[2] = (double)xfAB.p.z;
    bool isValid = setHalf(pair->a, halfA) && setHalf(pair->b, halfB) &&
                   fabs(squared - 1.0) < 1e-3 &&
                   fabs(pair->t[0]) + fabs(pair->t[1]) + fabs(pair->t[2]) <= MAX_REACH;
    if (!isValid) {
        return false;
    }
    // a quaternion that is a little too long must not make B larger
    double n = 2.0 / squared;
    pair->r[0][0] = 1.0 - n * (y * y + z * z);
    pair->r[0][1] = n * (x * y + s * z);
    pair->r[0][2] = n * (x * z - s * y);
    pair->r[1][0] = n * (x * y - s * z);
    pair->r[1][1] = 1.0 - n * (x * x + z * z);
    pair->r[1][2] = n * (y * z + s * x);
    pair->r[2][0] = n * (x * z + s * y);
    pair->r[2][1] = n * (y * z - s * x);
    pair->r[2][2] = 1.0 - n * (x * x + y * y);
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            pair->m[j][i] = fabs(pair->r[j][i]);
        }
    }
    double sizeA = pair->a[0] + pair->a[1] + pair->a[2];
    double sizeB = pair->b[0] + pair->b[1] + pair->b[2];
    pair->tie = SD_SAT_TIE * (sizeA < sizeB ? sizeA : sizeB);
    return true;
}

// ---- results -------------------------------------------------------------------------------

static sdSatResult invalidResult(void) {
    return (sdSatResult){
        .indexA = SD_NULL_INDEX, .indexB = SD_NULL_INDEX, .status = SD_STATUS_INVALID};
}

/// The axis, not of unit length when it is a cross product.
static sdVec3d axisVector(const BoxPair* pair, int axis) {
    if (axis < 3) {
        return sdV3d(axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0);
    }
    int j = axis < FACE_AXES ? axis - 3 : (axis - FACE_AXES) % 3;
    const double* r = pair->r[j];
    if (axis < FACE_AXES) {
        return sdV3d(r[0], r[1], r[2]);
    }
    switch ((axis - FACE_AXES) / 3) {
        case 0:
            return sdV3d(0.0, -r[2], r[1]);
        case 1:
            return sdV3d(r[2], 0.0, -r[0]);
        default:
            return sdV3d(-r[1], r[0], 0.0);
    }
}

static sdSatResult resultOf(const BoxPair* pair, AxisGap best, int axisCount) {
    sdVec3d n = axisVector(pair, best.axis);
    double along = n.x * pair->t[0] + n.y * pair->t[1] + n.z * pair->t[2];
    double length = best.axis < FACE_AXES ? 1.0 : sdLengthD(n);
    n = sdScaleD((along < 0.0 ? -1.0 : 1.0) / length, n);
    sdSatResult result = {
        .separation = (float)best.gap,
        .axis = sdVec3d_Round(n),
        .indexA = SD_NULL_INDEX,
        .indexB = SD_NULL_INDEX,
        .axisCount = axisCount,
        .status = SD_STATUS_EXACT,
    };
    if (best.axis < 3) {
        result.featureType = SD_FEATURE_FACE_A;
        result.indexA = 2 * best.axis + (along < 0.0 ? 1 : 0);
    } else if (best.axis < FACE_AXES) {
        // B's face looks back at A
        result.featureType = SD_FEATURE_FACE_B;
        result.indexB = 2 * (best.axis - 3) + (along < 0.0 ? 0 : 1);
    } else {
        int i = (best.axis - FACE_AXES) / 3, j = (best.axis - FACE_AXES) % 3;
        sdVec3d inB = sdV3d(-(n.x * pair->r[0][0] + n.y * pair->r[0][1] + n.z * pair->r[0][2]),
                            -(n.x * pair->r[1][0] + n.y * pair->r[1][1] + n.z * pair->r[1][2]),
                            -(n.x * pair->r[2][0] + n.y * pair->r[2][1] + n.z * pair->r[2][2]));
        result.featureType = SD_FEATURE_EDGE_EDGE;
        result.indexA = sdPolyhedron_BoxEdge(i, n);
        result.indexB = sdPolyhedron_BoxEdge(j, inB);
    }
    return result;
}

static void store(sdPairCache* cache, const sdSatResult* result, int axis) {
    if (cache == NULL) {
        return;
    }
    cache->axis = result->axis;
    cache->kind = SD_CACHE_SAT_BOX;
    cache->count = 1;
    cache->indexA[0] = (uint16_t)axis;
    cache->rotation = (sdQuat){.s = 0.0f}; // at no pose that sdCollide knows of
    cache->featureType = (uint8_t)result->featureType;
}

// ---- the readable form ---------------------------------------------------------------------

/// Half the length of a box's projection onto an axis.
static double reachAlong(const double half[3], sdVec3d x, sdVec3d y, sdVec3d z, sdVec3d axis) {
    return half[0] * fabs(sdDotD(x, axis)) + half[1] * fabs(sdDotD(y, axis)) +
           half[2] * fabs(sdDotD(z, axis));
}

static double gapAlong(const BoxPair* pair, sdVec3d axis) {
    double reachA =
        reachAlong(pair->a, axisVector(pair, 0), axisVector(pair, 1), axisVector(pair, 2), axis);
    double reachB =
        reachAlong(pair->b, axisVector(pair, 3), axisVector(pair, 4), axisVector(pair, 5), axis);
    sdVec3d offset = sdV3d(pair->t[0], pair->t[1], pair->t[2]);
    return fabs(sdDotD(offset, axis)) - reachA - reachB;
}

/// Whether an axis of a later group (faces of B, edge pairs) takes the place of the best so far.
static bool isClearlyMore(const BoxPair* pair, double gap, double best) {
    // what separates always beats what does not
    return gap > best && (gap > best + pair->tie || (gap > 0.0 && best <= 0.0));
}

sdSatResult sdSatBox_Readable(sdBox a, sdBox b, sdTransform xfAB) {
    BoxPair pair;
    if (!setPair(&pair, a.halfExtents, b.halfExtents, xfAB)) {
        return invalidResult();
    }
    AxisGap groups[3] = {{0, -DBL_MAX}, {0, -DBL_MAX}, {0, -DBL_MAX}};
    for (int k = 0; k < AXIS_COUNT; ++k) {
        sdVec3d axis = axisVector(&pair, k);
        double length = sdLengthD(axis);
        // parallel edges say nothing
        if (length <= SD_SAT_PARALLEL) {
            continue;
        }
        double gap = gapAlong(&pair, sdScaleD(1.0 / length, axis));
        AxisGap* group = &groups[k < FACE_AXES ? k / 3 : 2];
        if (gap > group->gap) {
            *group = (AxisGap){k, gap};
        }
    }
    AxisGap best = groups[0];
    for (int g = 1; g < 3; ++g) {
        if (isClearlyMore(&pair, groups[g].gap, best.gap)) {
            best = groups[g];
        }
    }
    return resultOf(&pair, best, AXIS_COUNT);
}

// ---- the expanded form ---------------------------------------------------------------------

static inline double gapA(const BoxPair* pair, int i) {
    return fabs(pair->t[i]) - pair->a[i] - pair->b[0] * pair->m[0][i] - pair->b[1] * pair->m[1][i] -
           pair->b[2] * pair->m[2][i];
}

static inline double gapB(const BoxPair* pair, int j) {
    const double *r = pair->r[j], *m = pair->m[j];
    return fabs(pair->t[0] * r[0] + pair->t[1] * r[1] + pair->t[2] * r[2]) - pair->b[j] -
           pair->a[0] * m[0] - pair->a[1] * m[1] - pair->a[2] * m[2];
}

/// Times the length of the cross product.
static inline double gapCross(const BoxPair* pair, int i, int j) {
    int i1 = next[i], i2 = previous[i], j1 = next[j], j2 = previous[j];
    const double *r = pair->r[j], *m = pair->m[j];
    return fabs(pair->t[i2] * r[i1] - pair->t[i1] * r[i2]) - pair->a[i1] * m[i2] -
           pair->a[i2] * m[i1] - pair->b[j1] * pair->m[j2][i] - pair->b[j2] * pair->m[j1][i];
}

/// Not 1 - r_i², which loses all digits of edges that are nearly parallel.
static inline double crossSquared(const BoxPair* pair, int i, int j) {
    double y = pair->r[j][next[i]], z = pair->r[j][previous[i]];
    return y * y + z * z;
}

static double gapOf(const BoxPair* pair, int axis) {
    if (axis < FACE_AXES) {
        return axis < 3 ? gapA(pair, axis) : gapB(pair, axis - 3);
    }
    int i = (axis - FACE_AXES) / 3, j = (axis - FACE_AXES) % 3;
    double squared = crossSquared(pair, i, j);
    return squared > SD_SAT_PARALLEL * SD_SAT_PARALLEL ? gapCross(pair, i, j) / sqrt(squared)
                                                       : -DBL_MAX;
}

static inline AxisGap greatestOf3(double x, double y, double z, int firstAxis) {
    AxisGap best = {firstAxis, x};
    best = y > best.gap ? (AxisGap){firstAxis + 1, y} : best;
    return z > best.gap ? (AxisGap){firstAxis + 2, z} : best;
}

/// The greatest of the nine, -DBL_MAX when all edges are parallel.
static AxisGap greatestCross(const BoxPair* pair) {
    // by signed squares: one root at the end instead of nine
    double best = -DBL_MAX;
    int axis = FACE_AXES;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double gap = gapCross(pair, i, j), squared = crossSquared(pair, i, j);
            double square =
                squared > SD_SAT_PARALLEL * SD_SAT_PARALLEL ? gap * fabs(gap) / squared : -DBL_MAX;
            axis = square > best ? FACE_AXES + 3 * i + j : axis;
            best = square > best ? square : best;
        }
    }
    if (best == -DBL_MAX) {
        return (AxisGap){axis, best};
    }
    return (AxisGap){axis, best < 0.0 ? -sqrt(-best) : sqrt(best)};
}

/// The spheres around both boxes; no face or edge is behind this answer.
static bool areSpheresApart(const BoxPair* pair, sdSatResult* result) {
    const double *a = pair->a, *b = pair->b, *t = pair->t;
    double a2 = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    double b2 = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    double t2 = t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
    // |a| + |b| <= sqrt(2 a² + 2 b²)
    if (!(t2 > 2.0 * (a2 + b2))) {
        return false;
    }
    sdVec3d n = sdScaleD(1.0 / sqrt(t2), sdV3d(t[0], t[1], t[2]));
    *result = (sdSatResult){
        .separation = (float)gapAlong(pair, n),
        .axis = sdVec3d_Round(n),
        .indexA = SD_NULL_INDEX,
        .indexB = SD_NULL_INDEX,
        .status = SD_STATUS_EXACT,
    };
    return true;
}

/// All groups of axes; stops after one that separates unless all are wanted.
static AxisGap searchAxes(const BoxPair* pair, bool isFull, int* axisCount) {
    AxisGap best = greatestOf3(gapA(pair, 0), gapA(pair, 1), gapA(pair, 2), 0);
    *axisCount += 3;
    if (best.gap > 0.0 && !isFull) {
        return best;
    }
    AxisGap faceB = greatestOf3(gapB(pair, 0), gapB(pair, 1), gapB(pair, 2), 3);
    *axisCount += 3;
    best = isClearlyMore(pair, faceB.gap, best.gap) ? faceB : best;
    if (best.gap > 0.0 && !isFull) {
        return best;
    }
    AxisGap cross = greatestCross(pair);
    *axisCount += 9;
    return isClearlyMore(pair, cross.gap, best.gap) ? cross : best;
}

sdSatResult sdSatBox_Run(sdVec3 halfA, sdVec3 halfB, sdTransform xfAB, bool isFull,
                         sdPairCache* cache) {
    BoxPair pair;
    if (!setPair(&pair, halfA, halfB, xfAB)) {
        return invalidResult();
    }
    int axisCount = 0;
    sdSatResult result;
    if (!isFull && cache != NULL && cache->kind == SD_CACHE_SAT_BOX &&
        cache->indexA[0] < AXIS_COUNT) {
        AxisGap last = {cache->indexA[0], gapOf(&pair, cache->indexA[0])};
        axisCount += 1;
        if (last.gap > 0.0) {
            result = resultOf(&pair, last, axisCount);
            cache->axis = result.axis;
            return result;
        }
    }
    if (!isFull && areSpheresApart(&pair, &result)) {
        return result;
    }
    AxisGap best = searchAxes(&pair, isFull, &axisCount);
    result = resultOf(&pair, best, axisCount);
    store(cache, &result, best.axis);
    return result;
}

sdSatResult sdSatBox_Expanded(sdBox a, sdBox b, sdTransform xfAB, sdPairCache* cache) {
    return sdSatBox_Run(a.halfExtents, b.halfExtents, xfAB, false, cache);
}
