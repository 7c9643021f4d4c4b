// SPDX-License-Identifier: MIT
// collide_boxes_kernel.c - two boxes: depth and contact points.
//
// In:   half extents, B's pose in A's frame, the last axis of the pair.
// Out:  deepest points or a manifold.
// Ref:  Gottschalk, Lin, Manocha, "OBBTree", SIGGRAPH 1996; clipping as in Gregorius, "Robust
// contact
//       creation for physics simulations", GDC 2015.
// Note: the axis of the least overlap is the normal. The face of B that looks against it is
//       projected along it into the plane of the face of A that looks along it, where A's face is
//       a rectangle: what both have in common has corners of B inside of the rectangle, corners of
//       A inside of the parallelogram, and crossings of sides. If the deepest of them is as deep as
//       the axis says, it proves the answer; if not, what is nearest is not on these faces. For the
//       depth alone a corner over a face, or two edges that cross, are tried first.

#include "narrow/collide_boxes.h"

#include "narrow/collide_box_faces.h"
#include "narrow/manifold.h"
#include "narrow/sat.h"
#include "narrow/sat_box.h"

/// Fraction of the smaller box by which another axis must be better than the remembered one.
#define HYSTERESIS 1e-3

/// Fraction of the smaller box within which deepest points must be on both surfaces: far above the
/// rounding of doubles and far below that of floats.
#define EXACT 1e-9

/// Most pairs that overlap need one to a common point; shallow ones have it between their deepest
/// points.
#define COMMON_STEPS 2

/// Most pairs that are apart by corners are there after two.
#define NEAREST_STEPS 3
/// Points nearer than this many tolerances are as good as touching: their direction is not known.
#define LEAST_DISTANCE 10.0

// ---- axes ----------------------------------------------------------------------------------

// Which axis has the greatest gap cannot be foreseen, so it is found without branches: the number
// of the axis is written into the last bits of its gap, where it costs 1e-15 of it, and the
// greatest number wins.

#define TAG_BITS 15u

static inline double tagged(double gap, unsigned axis) {
    uint64_t bits;
    memcpy(&bits, &gap, sizeof bits);
    bits = (bits & ~(uint64_t)TAG_BITS) | axis;
    memcpy(&gap, &bits, sizeof bits);
    return gap;
}

static inline int tagOf(double gap) {
    uint64_t bits;
    memcpy(&bits, &gap, sizeof bits);
    return (int)(bits & TAG_BITS);
}

static inline double greater(double a, double b) {
    return a > b ? a : b;
}

static inline double greatestOf3(const double gaps[3], unsigned x, unsigned y, unsigned z) {
    return greater(greater(tagged(gaps[0], x), tagged(gaps[1], y)), tagged(gaps[2], z));
}

static double rootOf(double signedSquare) {
    return copysign(sqrt(fabs(signedSquare)), signedSquare);
}

static double gapOf(const sdBoxGaps* gaps, int axis) {
    int i = (axis - SD_BOX_FACE_AXES) / 3, j = (axis - SD_BOX_FACE_AXES) % 3;
    return axis < 3                  ? gaps->faceA[axis]
           : axis < SD_BOX_FACE_AXES ? gaps->faceB[axis - 3]
                                     : rootOf(gaps->cross[(j - i + 3) % 3][i]);
}

/// Whether an axis of a later group takes the place of the best so far.
static inline bool isClearlyMore(double gap, double best, double tie) {
    // what separates always beats what does not
    return (gap > best) & ((gap > best + tie) | ((gap > 0.0) & (best <= 0.0)));
}

/// The axis of the greatest gap: a face of A rather than one of B, and a face rather than edges.
static inline int bestAxis(const sdBoxGaps* gaps, double tie, double* gap) {
    double faceA = greatestOf3(gaps->faceA, 0, 1, 2), faceB = greatestOf3(gaps->faceB, 3, 4, 5);
    double edges = greater(
        greater(greatestOf3(gaps->cross[0], 6, 10, 14), greatestOf3(gaps->cross[1], 7, 11, 12)),
        greatestOf3(gaps->cross[2], 8, 9, 13));
    double edgeGap = rootOf(edges);
    bool isFaceB = isClearlyMore(faceB, faceA, tie);
    double face = isFaceB ? faceB : faceA;
    bool isEdges = isClearlyMore(edgeGap, face, tie);
    int axis = tagOf(isEdges ? edges : face);
    *gap = gapOf(gaps, axis);
    return axis;
}

/// The unit axis, A to B.
static inline sdVec3d normalOf(const sdBoxPair* pair, int axis) {
    static const double own[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    sdVec3d n;
    double scale = 1.0;
    if (axis < SD_BOX_FACE_AXES) {
        const double* face = axis < 3 ? own[axis] : pair->r[axis - 3];
        n = sdV3d(face[0], face[1], face[2]);
    } else {
        n = sdBoxPair_Axis(pair, axis);
        scale = 1.0 / sdLengthD(n);
    }
    double along = n.x * pair->t[0] + n.y * pair->t[1] + n.z * pair->t[2];
    return sdScaleD(along < 0.0 ? -scale : scale, n);
}

SD_INLINE sdVec3d inFrameOfB(const sdBoxPair* pair, sdVec3d d) {
    const double(*r)[3] = pair->r;
    return sdV3d(d.x * r[0][0] + d.y * r[0][1] + d.z * r[0][2],
                 d.x * r[1][0] + d.y * r[1][1] + d.z * r[1][2],
                 d.x * r[2][0] + d.y * r[2][1] + d.z * r[2][2]);
}

// ---- points --------------------------------------------------------------------------------

/// The axis with the largest component.
static int largestAxis(sdVec3d d) {
    double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    return x >= y && x >= z ? 0 : (y >= z ? 1 : 2);
}

/// Into the plane of A's face along the normal.
/// @param d a direction or, with the height of the plane taken off, a place
SD_INLINE void project(const sdBoxFaces* faces, const double n[3], const double d[3], double away,
                       double out[3]) {
    double separation = (faces->sideA * d[faces->axisA] - away) / (faces->sideA * n[faces->axisA]);
    out[0] = d[faces->uA] - separation * n[faces->uA];
    out[1] = faces->sideA * (d[faces->vA] - separation * n[faces->vA]);
    out[2] = separation;
}

SD_INLINE void setFaces(sdBoxFaces* faces, const sdBoxPair* pair, sdVec3d normal,
                        sdVec3d normalInB) {
    const double n[3] = {normal.x, normal.y, normal.z};
    int axis = largestAxis(normal);
    faces->axisA = axis;
    faces->uA = axis == 2 ? 0 : axis + 1;
    faces->vA = axis == 0 ? 2 : axis - 1;
    faces->sideA = copysign(1.0, n[axis]);
    faces->labelA = 4 * (2 * axis + (n[axis] < 0.0 ? 1 : 0));
    faces->halfU = pair->a[faces->uA];
    faces->halfV = pair->a[faces->vA];

    const double against[3] = {-normalInB.x, -normalInB.y, -normalInB.z};
    int axisB = largestAxis(normalInB);
    int uB = axisB == 2 ? 0 : axisB + 1, vB = axisB == 0 ? 2 : axisB - 1;
    double sideB = copysign(1.0, against[axisB]);
    faces->labelB = 4 * (2 * axisB + (against[axisB] < 0.0 ? 1 : 0));
    double middle[3], u[3], v[3];
    for (int k = 0; k < 3; ++k) {
        middle[k] = pair->t[k] + sideB * pair->b[axisB] * pair->r[axisB][k];
        u[k] = pair->b[uB] * pair->r[uB][k];
        v[k] = sideB * pair->b[vB] * pair->r[vB][k];
    }
    project(faces, n, middle, pair->a[axis], faces->middle);
    project(faces, n, u, 0.0, faces->u);
    project(faces, n, v, 0.0, faces->v);
}

typedef struct Points {
    sdFlatPoint points[SD_BOX_MAX_POINTS];
    int count;
    double size;      ///< of the smaller box; points nearer than a fraction of it become one
    double rim;       ///< see SD_MANIFOLD_RIM, m
    double tolerance; ///< of the deepest point, m
    double limit;     ///< points further apart are not wanted
} Points;

/// Points that are as good as one become one, the deepest of them.
static void mergePoints(Points* points) {
    const double merge = SD_MANIFOLD_MERGE * points->size;
    double nearest = DBL_MAX;
    for (int i = 1; i < points->count; ++i) {
        for (int j = 0; j < i; ++j) {
            double du = points->points[i].u - points->points[j].u;
            double dv = points->points[i].v - points->points[j].v;
            double squared = du * du + dv * dv;
            nearest = squared < nearest ? squared : nearest;
        }
    }
    if (nearest > merge * merge) {
        return;
    }
    int count = 0;
    for (int i = 0; i < points->count; ++i) {
        const sdFlatPoint point = points->points[i];
        int at = sdFlatPoints_Find(points->points, count, point.u, point.v, points->size);
        if (at == count || point.separation < points->points[at].separation - points->tolerance) {
            points->points[at] = point;
            count += at == count ? 1 : 0;
        }
    }
    points->count = count;
}

/// What both faces have in common along an axis.
/// @return whether the deepest point is as deep as the gap on the axis says
static bool findContact(const sdBoxPair* pair, double gap, sdVec3d normal, sdVec3d normalInB,
                        sdBoxFaces* faces, Points* points) {
    setFaces(faces, pair, normal, normalInB);
    double least = gap - points->tolerance, deepest = DBL_MAX;
    points->count =
        SD_KERNEL(sdBoxFaces_Intersect)(faces, points->rim, least, points->limit, points->points);
    for (int i = 0; i < points->count; ++i) {
        double separation = points->points[i].separation;
        deepest = separation < deepest ? separation : deepest;
    }
    return deepest <= gap + points->tolerance;
}

/// A point of the manifold on A.
SD_INLINE sdVec3d placeOf(const sdBoxPair* pair, const sdBoxFaces* f, const sdFlatPoint* point) {
    double p[3];
    p[f->axisA] = f->sideA * pair->a[f->axisA];
    p[f->uA] = point->u;
    p[f->vA] = f->sideA * point->v;
    return sdV3d(p[0], p[1], p[2]);
}

// ---- answers -------------------------------------------------------------------------------

static bool hasThickness(const sdBoxPair* pair) {
    return pair->a[0] > 0.0 && pair->a[1] > 0.0 && pair->a[2] > 0.0 && pair->b[0] > 0.0 &&
           pair->b[1] > 0.0 && pair->b[2] > 0.0;
}

static double sizeOf(const double half[3]) {
    return sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
}

// ---- depth and distance --------------------------------------------------------------------

/// Corner of A furthest along d.
static inline sdVec3d cornerOfA(const sdBoxPair* pair, sdVec3d d) {
    return sdV3d(copysign(pair->a[0], d.x), copysign(pair->a[1], d.y), copysign(pair->a[2], d.z));
}

/// Corner of B furthest against d, in A's frame.
/// @param inB d in B's frame
static inline sdVec3d cornerOfB(const sdBoxPair* pair, sdVec3d inB) {
    double x = copysign(pair->b[0], inB.x), y = copysign(pair->b[1], inB.y);
    double z = copysign(pair->b[2], inB.z);
    const double(*r)[3] = pair->r;
    return sdV3d(pair->t[0] - x * r[0][0] - y * r[1][0] - z * r[2][0],
                 pair->t[1] - x * r[0][1] - y * r[1][1] - z * r[2][1],
                 pair->t[2] - x * r[0][2] - y * r[1][2] - z * r[2][2]);
}

/// From corners of both to where two edges that end there cross, seen along the normal.
static inline void slideAlongEdges(const sdBoxPair* pair, int i, int j, sdVec3d* onA,
                                   sdVec3d* onB) {
    const double* r = pair->r[j];
    sdVec3d axisB = sdV3d(r[0], r[1], r[2]), d = sdSubD(*onB, *onA);
    const double along[3] = {d.x, d.y, d.z};
    int i1 = i == 2 ? 0 : i + 1, i2 = i == 0 ? 2 : i - 1;
    double turn = r[i1] * r[i1] + r[i2] * r[i2];
    double slideB = -(along[i1] * r[i1] + along[i2] * r[i2]) / turn;
    double slideA = along[i] + slideB * r[i];
    *onA =
        sdMulAddD(*onA, slideA, sdV3d(i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0));
    *onB = sdMulAddD(*onB, slideB, axisB);
}

static inline bool isInA(const sdBoxPair* pair, sdVec3d p, double tolerance) {
    return (fabs(p.x) <= pair->a[0] + tolerance) & (fabs(p.y) <= pair->a[1] + tolerance) &
           (fabs(p.z) <= pair->a[2] + tolerance);
}

static inline bool isInB(const sdBoxPair* pair, sdVec3d p, double tolerance) {
    sdVec3d d = inFrameOfB(pair, sdSubD(p, sdV3d(pair->t[0], pair->t[1], pair->t[2])));
    return (fabs(d.x) <= pair->b[0] + tolerance) & (fabs(d.y) <= pair->b[1] + tolerance) &
           (fabs(d.z) <= pair->b[2] + tolerance);
}

/// A corner over a face, or two edges: a point of each box, apart along the normal by the gap.
SD_INLINE bool findCorner(const sdBoxPair* pair, int axis, double gap, sdVec3d normal,
                          sdVec3d normalInB, double tolerance, sdVec3d* pointA) {
    sdVec3d onA = cornerOfA(pair, normal), onB = cornerOfB(pair, normalInB);
    if (axis < 3) {
        onA = sdMulAddD(onB, -gap, normal);
    } else if (axis < SD_BOX_FACE_AXES) {
        onB = sdMulAddD(onA, gap, normal);
    } else {
        slideAlongEdges(pair, (axis - SD_BOX_FACE_AXES) / 3, (axis - SD_BOX_FACE_AXES) % 3, &onA,
                        &onB);
    }
    *pointA = onA;
    sdVec3d off = sdSubD(onB, sdMulAddD(onA, gap, normal));
    return sdDotD(off, off) <= tolerance * tolerance && isInA(pair, onA, tolerance) &&
           isInB(pair, onB, tolerance);
}

/// The deepest of the points that faces have in common.
static bool findDeepest(const sdBoxPair* pair, double gap, sdVec3d normal, sdVec3d normalInB,
                        double tolerance, sdVec3d* pointA) {
    sdBoxFaces faces;
    Points points;
    points.size = 0.0;
    points.rim = tolerance;
    points.tolerance = tolerance;
    points.limit = DBL_MAX;
    if (!findContact(pair, gap, normal, normalInB, &faces, &points)) {
        return false;
    }
    int deepest = 0;
    for (int i = 1; i < points.count; ++i) {
        deepest = points.points[i].separation < points.points[deepest].separation ? i : deepest;
    }
    *pointA = placeOf(pair, &faces, &points.points[deepest]);
    return true;
}

static inline double clampTo(double x, double half) {
    double most = x < half ? x : half;
    return most > -half ? most : -half;
}

static inline sdVec3d nearestInBox(const double half[3], sdVec3d p) {
    return sdV3d(clampTo(p.x, half[0]), clampTo(p.y, half[1]), clampTo(p.z, half[2]));
}

/// The point of B that is nearest to p.
/// @param isInside whether that is p
SD_INLINE sdVec3d nearestInB(const sdBoxPair* pair, sdVec3d p, bool* isInside) {
    const double(*r)[3] = pair->r;
    sdVec3d middle = sdV3d(pair->t[0], pair->t[1], pair->t[2]);
    sdVec3d own = inFrameOfB(pair, sdSubD(p, middle)), q = nearestInBox(pair->b, own);
    *isInside = (q.x == own.x) & (q.y == own.y) & (q.z == own.z);
    sdVec3d result = sdMulAddD(middle, q.x, sdV3d(r[0][0], r[0][1], r[0][2]));
    result = sdMulAddD(result, q.y, sdV3d(r[1][0], r[1][1], r[1][2]));
    return sdMulAddD(result, q.z, sdV3d(r[2][0], r[2][1], r[2][2]));
}

/// To the nearest point of one box and of the other in turns, until it is in both.
SD_INLINE bool findCommon(const sdBoxPair* pair, sdVec3d start, sdVec3d* common) {
    bool isInside = false;
    sdVec3d p = nearestInBox(pair->a, start);
    for (int step = 0; step < COMMON_STEPS; ++step) {
        sdVec3d q = nearestInB(pair, p, &isInside);
        *common = p;
        if (isInside) {
            return true;
        }
        p = nearestInBox(pair->a, q);
    }
    return false;
}

/// Boxes that are apart by corners: to the nearest point of one box and of the other in turns ends
/// there at once. The gap along the line between two points proves that none are nearer.
SD_INLINE bool findNearest(const sdBoxPair* pair, sdVec3d start, double tolerance,
                           sdPairResult* out) {
    bool isInside;
    sdVec3d p = nearestInBox(pair->a, start), q = p;
    for (int step = 0; step < NEAREST_STEPS; ++step) {
        q = nearestInB(pair, p, &isInside);
        p = nearestInBox(pair->a, q);
    }
    sdVec3d d = sdSubD(q, p);
    double distance = sdLengthD(d);
    if (!(distance > LEAST_DISTANCE * tolerance)) {
        return false;
    }
    sdVec3d n = sdScaleD(1.0 / distance, d), inB = inFrameOfB(pair, n);
    double gap = n.x * pair->t[0] + n.y * pair->t[1] + n.z * pair->t[2] -
                 (fabs(n.x) * pair->a[0] + fabs(n.y) * pair->a[1] + fabs(n.z) * pair->a[2]) -
                 (fabs(inB.x) * pair->b[0] + fabs(inB.y) * pair->b[1] + fabs(inB.z) * pair->b[2]);
    out->separation = distance;
    out->normal = n;
    out->pointA = p;
    out->pointB = q;
    out->common = q;
    return gap >= distance - tolerance;
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
    bool wantsCommon = !wantsDepth && !gaps.isApart;
    if (wantsCommon && findCommon(&pair, sdV3d(pair.t[0], pair.t[1], pair.t[2]), &out->common)) {
        return true;
    }
    if (!hasThickness(&pair)) {
        return false;
    }
    int axis = bestAxis(&gaps, 0.0, &gap);
    gap = gaps.isApart || gap < 0.0 ? gap : 0.0;
    double tolerance = EXACT * (sizeA < sizeB ? sizeA : sizeB);
    sdVec3d normal = normalOf(&pair, axis), normalInB = inFrameOfB(&pair, normal);
    sdVec3d onA;
    if (!findCorner(&pair, axis, gap, normal, normalInB, tolerance, &onA)) {
        if (gaps.isApart) {
            return findNearest(&pair, onA, tolerance, out);
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

// ---- manifold ------------------------------------------------------------------------------

/// 0: a corner touches, 1: an edge, 2: a face.
/// @param n unit, in the box's frame
SD_INLINE int touchOf(sdVec3d n) {
    double x = n.x * n.x, y = n.y * n.y, z = n.z * n.z;
    double most = x > y ? x : y, least = x < y ? x : y;
    most = most > z ? most : z;
    least = least < z ? least : z;
    const double flat = SD_MANIFOLD_FLAT_TILT * SD_MANIFOLD_FLAT_TILT;
    return x + y + z - most <= flat ? 2 : (least <= flat ? 1 : 0);
}

static void store(sdPairCache* cache, int axis, sdVec3d normal) {
    if (cache == NULL) {
        return;
    }
    cache->axis = sdVec3d_Round(normal);
    cache->kind = SD_CACHE_SAT_BOX;
    cache->count = 1;
    cache->indexA[0] = (uint16_t)axis;
    cache->featureType = (uint8_t)(axis < 3                  ? SD_FEATURE_FACE_A
                                   : axis < SD_BOX_FACE_AXES ? SD_FEATURE_FACE_B
                                                             : SD_FEATURE_EDGE_EDGE);
}

static void writeManifold(const sdBoxPair* pair, const sdBoxFaces* faces, const Points* points,
                          sdVec3d normal, sdVec3d normalInB, sdManifold* out) {
    int chosen[SD_MANIFOLD_MAX_POINTS];
    out->normal = sdVec3d_Round(normal);
    out->kind = sdManifold_Kind(touchOf(normal), touchOf(normalInB));
    out->pointCount = sdFlatPoints_Choose(points->points, points->count, points->size, chosen);
    for (int i = 0; i < out->pointCount; ++i) {
        const sdFlatPoint* point = &points->points[chosen[i]];
        sdVec3d onA = placeOf(pair, faces, point);
        out->points[i] = (sdManifoldPoint){
            .pointA = sdVec3d_Round(onA),
            .pointB = sdVec3d_Round(sdMulAddD(onA, point->separation, normal)),
            .separation = (float)point->separation,
            .id = point->id,
        };
    }
}

sdBoxAnswer SD_KERNEL(sdBoxes_Collide)(const sdShape* a, const sdShape* b, const sdTransform* xfAB,
                                       double limit, double size, sdPairCache* cache,
                                       sdManifold* out) {
    sdBoxPair pair;
    sdBoxGaps gaps;
    SD_KERNEL(sdSatBox_Gaps)(a->box.halfExtents, b->box.halfExtents, xfAB, limit, &pair, &gaps);
    double bestGap;
    int best = bestAxis(&gaps, SD_SAT_TIE * size, &bestGap);
    if (gaps.isApart || !hasThickness(&pair)) {
        store(cache, best, normalOf(&pair, best));
        return gaps.isApart ? SD_BOX_APART : SD_BOX_UNKNOWN;
    }
    // the remembered axis, while no other is clearly better
    int axis = best;
    double gap = bestGap;
    if (cache != NULL && cache->kind == SD_CACHE_SAT_BOX && cache->indexA[0] < SD_BOX_AXIS_COUNT &&
        cache->indexA[0] != best) {
        double last = gapOf(&gaps, cache->indexA[0]);
        bool isAsClosed = last > 0.0 || bestGap <= 0.0;
        if (isAsClosed && last >= bestGap - HYSTERESIS * size) {
            axis = cache->indexA[0];
            gap = last;
        }
    }
    sdBoxFaces faces;
    Points points;
    points.size = size;
    points.rim = SD_MANIFOLD_RIM * size;
    points.tolerance = SD_MANIFOLD_DEEPEST * size;
    points.limit = limit;
    for (int attempt = 0; attempt < 2; ++attempt, axis = best, gap = bestGap) {
        sdVec3d normal = normalOf(&pair, axis), normalInB = inFrameOfB(&pair, normal);
        if (findContact(&pair, gap, normal, normalInB, &faces, &points)) {
            mergePoints(&points);
            writeManifold(&pair, &faces, &points, normal, normalInB, out);
            store(cache, axis, normal);
            return SD_BOX_CONTACT;
        }
        if (axis == best) {
            break;
        }
    }
    return SD_BOX_UNKNOWN;
}
