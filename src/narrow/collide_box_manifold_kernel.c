// SPDX-License-Identifier: MIT
// collide_box_manifold_kernel.c - two boxes: contact points.
//
// In:   half extents, B's pose in A's frame, the last axis of the pair.
// Out:  a manifold.
// Ref:  clipping as in Gregorius, "Robust contact creation for physics simulations", GDC 2015.
// Note: the axis of the least overlap is the normal. The face of B that looks against it is
//       projected along it into the plane of the face of A that looks along it, where A's face is
//       a rectangle: what both have in common has corners of B inside of the rectangle, corners of
//       A inside of the parallelogram, and crossings of sides. If the deepest of them is as deep as
//       the axis says, it proves the answer; if not, the boxes are apart by corners. Up to four
//       points, which is nearly always, there is no branch that is taken now and then.

#include "narrow/collide_boxes.h"

#include "narrow/collide_box_axes.h"
#include "narrow/collide_box_choose.h"
#include "narrow/collide_box_one.h"
#include "narrow/collide_box_write.h"
#include "narrow/manifold.h"
#include "narrow/sat.h"

#include <limits.h>

/// Fraction of the smaller box by which another axis must be better than the remembered one.
#define HYSTERESIS 1e-3
/// Distance by which the least depth may have changed since all axes were searched, as a fraction
/// of the smaller box; see sdPairCache.
#define MOTION_FRACTION (0.01 - HYSTERESIS)
/// Of boxes that are deeper than the limit by more than this fraction of the smaller, points are
/// seldom alone.
#define ONE_RISE 0.1
/// From the nearest point of last time to that of now, and once more where it was rounded.
#define KEPT_STEPS 2
/// What sdPairCache.indexA[1] holds when the last point was the only one.
#define ALONE 1
/// Fraction of the smaller box within which nearest points must be so.
#define EXACT 1e-9

/// Two boxes and the axis on which they touch.
typedef struct Touch {
    const sdBoxLanes* pair;
    const sdBoxView* view;
    int axis; ///< SD_BOX_AXIS_COUNT: none of the axes, as between corners
    double gap;
    sdD4 normal, normalInB; ///< of that length
    sdD4 length;
    sdBoxFaceLanes faces;
    sdBoxPoints points;
} Touch;

/// What both faces have in common along the normal.
/// @return whether the deepest point is as deep as the gap on the axis says
SD_INLINE bool findPoints(Touch* touch) {
    const sdBoxLanes* pair = touch->pair;
    sdBoxFaceLanes_Set(&touch->faces, pair, touch->view, touch->normal, touch->normalInB,
                       touch->length);
    double tolerance = SD_MANIFOLD_DEEPEST * pair->size;
    // what sticks out of the rim of a steep face is far from its plane: by the squares of cosines
    sdD4 facing = SD_D4_LANE(touch->faces.normal, 2) * sdD4_Greatest3(sdD4_Abs(touch->normalInB));
    sdD4 steep = facing / (touch->length * touch->length);
    sdBoxRange range = {sdD4_Splat(SD_MANIFOLD_RIM * pair->size) * steep * steep,
                        sdD4_Splat(touch->gap - tolerance), sdD4_Splat(pair->limit),
                        sdD4_Splat(touch->gap + tolerance)};
    sdBoxPoints_Find(&touch->points, &touch->faces, &range);
    return touch->points.hasDeepest;
}

// ---- result --------------------------------------------------------------------------------

SD_INLINE void storeAxis(int axis, sdVec3 normal, sdPairCache* cache) {
    cache->axis = normal;
    cache->kind = SD_CACHE_SAT_BOX;
    cache->count = 1;
    cache->indexA[0] = (uint16_t)axis;
    cache->featureType = (uint8_t)(SD_FEATURE_FACE_A + (axis >= 3) + (axis >= SD_BOX_FACE_AXES));
}

SD_INLINE void writeHead(const Touch* touch, sdPairCache* cache, int count, sdManifold* out) {
    sdD4 scale = sdD4_Splat(1.0) / touch->length, unit = touch->normal * scale;
    sdF4 n = sdF4_FromDoubles(unit);
    out->normal = sdV3(n[0], n[1], n[2]);
    out->pointCount = count;
    out->kind = sdBox_KindOf(n, sdF4_FromDoubles(touch->normalInB * scale));
    if (cache != NULL) {
        storeAxis(touch->axis, out->normal, cache);
    }
}

/// Places as floats.
SD_INLINE void roundPlaces(sdD4 u, sdD4 v, sdD4 w, sdF4 out[3]) {
    out[0] = sdF4_FromDoubles(u);
    out[1] = sdF4_FromDoubles(v);
    out[2] = sdF4_FromDoubles(w);
}

SD_INLINE void writeFour(const Touch* touch, const unsigned at[4], int count, float margin,
                         sdManifoldPoint out[4]) {
    const sdBoxFaceLanes* f = &touch->faces;
    const double *u = touch->points.u, *v = touch->points.v, *s = touch->points.separation;
    const uint32_t* ids = touch->points.ids;
    sdD4 u4 = {u[at[0]], u[at[1]], u[at[2]], u[at[3]]};
    sdD4 v4 = {v[at[0]], v[at[1]], v[at[2]], v[at[3]]}, w4 = SD_D4_LANE(f->half, 2);
    sdD4 separation = {s[at[0]], s[at[1]], s[at[2]], s[at[3]]}, steps = separation / touch->length;
    sdI4 id = {(int32_t)ids[at[0]], (int32_t)ids[at[1]], (int32_t)ids[at[2]], (int32_t)ids[at[3]]};
    sdF4 onA[3], onB[3];
    roundPlaces(u4, v4, w4, onA);
    roundPlaces(u4 + steps * SD_D4_LANE(f->normal, 0), v4 + steps * SD_D4_LANE(f->normal, 1),
                w4 + steps * SD_D4_LANE(f->normal, 2), onB);
    sdBoxFrame_WriteFour(f->frame, onA, onB, sdF4_FromDoubles(separation), id, count, margin, out);
}

/// By vectors: compilers clear so much by an instruction that nothing overlaps with.
SD_INLINE void clearPoints(sdManifoldPoint* points, int count) {
    const sdI4 none[2] = {{0}, {0}};
    for (int i = 0; i < count; ++i) {
        memcpy(&points[i], none, sizeof none);
    }
}

/// Points that are as good as one become one, the deepest of them.
static int mergePoints(sdFlatPoint* points, int count, double size) {
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        const sdFlatPoint point = points[i];
        int at = sdFlatPoints_Find(points, kept, point.u, point.v, size);
        if (at == kept || point.separation < points[at].separation - SD_MANIFOLD_DEEPEST * size) {
            points[at] = point;
            kept += at == kept ? 1 : 0;
        }
    }
    return kept;
}

/// More points than are wanted, or some that are as good as one.
/// @param at gets those that are left
/// @return how many they are
static __attribute__((noinline)) int choosePoints(sdBoxPoints* points, unsigned at[4], double size,
                                                  sdPairCache* cache) {
    sdFlatPoint flat[SD_BOX_CANDIDATES];
    int chosen[SD_MANIFOLD_MAX_POINTS], count = 0;
    for (unsigned left = points->bits; left != 0; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctz(left);
        flat[count++] =
            (sdFlatPoint){points->u[k], points->v[k], points->separation[k], points->ids[k]};
    }
    count = mergePoints(flat, count, size);
    count = sdFlatPoints_Choose(flat, count, size, cache, chosen);
    for (int i = 0; i < count; ++i) {
        const sdFlatPoint* point = &flat[chosen[i]];
        points->u[i] = point->u;
        points->v[i] = point->v;
        points->separation[i] = point->separation;
        points->ids[i] = point->id;
    }
    for (unsigned i = 0; i < 4; ++i) {
        at[i] = i;
    }
    return count;
}

SD_INLINE void rememberPoints(const sdBoxPoints* points, const unsigned at[4], int count,
                              sdPairCache* cache) {
    if (cache != NULL) {
        cache->pointCount = (uint8_t)count;
        for (int i = 0; i < 4; ++i) {
            cache->pointIds[i] = points->ids[at[i]];
        }
    }
}

/// Whether those of last time need not be compared with these.
SD_INLINE bool isNoneOther(const sdBoxPoints* points, const unsigned at[4],
                           const sdPairCache* cache) {
    uint32_t other = 0;
    for (int i = 0; i < 4; ++i) {
        other |= cache->pointIds[i] ^ points->ids[at[i]];
    }
    return cache->pointCount == 0 || (cache->pointCount == 4 && other == 0);
}

/// Four of more points.
static __attribute__((noinline)) int chooseFour(sdBoxPoints* points, unsigned at[4], double size,
                                                sdPairCache* cache) {
    int count = __builtin_popcount(points->bits);
    unsigned bits = count <= SD_BOX_MOST_POINTS ? sdBoxPoints_ChooseFour(points, count, size) : 0u,
             rest = bits;
    if (bits != 0) {
        for (int i = 0; i < 4; ++i) {
            at[i] = (unsigned)__builtin_ctz(rest);
            rest &= rest - 1;
        }
        if (cache == NULL || isNoneOther(points, at, cache)) {
            rememberPoints(points, at, 4, cache);
            return 4;
        }
    }
    return choosePoints(points, at, size, cache);
}

int SD_KERNEL(sdBoxPoints_Choose)(sdBoxPoints* points, unsigned at[4], double size,
                                  sdPairCache* cache) {
    return __builtin_popcount(points->bits) > 4 ? chooseFour(points, at, size, cache)
                                                : choosePoints(points, at, size, cache);
}

/// Whether two of up to four points are as good as one.
SD_INLINE bool isAnyNear(const sdBoxPoints* points, const unsigned at[4], int count, double merge) {
    static const double far[4][4] = {{0.0, 1e100, 2e100, 3e100},
                                     {0.0, 0.0, 1e100, 2e100},
                                     {0.0, 0.0, 0.0, 1e100},
                                     {0.0, 0.0, 0.0, 0.0}};
    sdD4 u = {points->u[at[0]], points->u[at[1]], points->u[at[2]], points->u[at[3]]};
    sdD4 v = {points->v[at[0]], points->v[at[1]], points->v[at[2]], points->v[at[3]]};
    u += sdD4_Load(far[count - 1]);
    sdD4 u1 = u - __builtin_shufflevector(u, u, 1, 2, 3, 0);
    sdD4 u2 = u - __builtin_shufflevector(u, u, 2, 3, 0, 1);
    sdD4 v1 = v - __builtin_shufflevector(v, v, 1, 2, 3, 0);
    sdD4 v2 = v - __builtin_shufflevector(v, v, 2, 3, 0, 1);
    sdD4 least = sdD4_Min(u1 * u1 + v1 * v1, u2 * u2 + v2 * v2);
    return sdL4_MaskBits(sdD4_Less(sdD4_Splat(merge * merge), least)) != 15;
}

SD_INLINE void writePoints(Touch* touch, float margin, sdPairCache* cache, sdManifold* out) {
    sdBoxPoints* points = &touch->points;
    unsigned at[4], rest = points->bits;
    int count = 1;
    for (int i = 0; i < 4; ++i) {
        at[i] = sdBoxPoints_First(rest);
        rest &= rest - 1;
        count += rest != 0 ? 1 : 0;
    }
    if (count > 4) {
        count = chooseFour(points, at, touch->pair->size, cache);
    } else if (isAnyNear(points, at, count, SD_MANIFOLD_MERGE * touch->pair->size)) {
        count = choosePoints(points, at, touch->pair->size, cache);
    } else {
        rememberPoints(points, at, count, cache);
    }
    writeHead(touch, cache, count, out);
    writeFour(touch, at, count, margin, out->points);
}

SD_INLINE void writeOne(const Touch* touch, const sdBoxOne* one, float margin, sdPairCache* cache,
                        sdManifold* out) {
    sdD4 onB = one->onA + sdD4_Splat(touch->gap) / touch->length * touch->normal;
    sdF4 a = sdF4_FromDoubles(one->onA), b = sdF4_FromDoubles(onB);
    float id, least = sdMinF((float)touch->gap, margin);
    memcpy(&id, &one->id, sizeof id);
    sdF4 tail = {least, id, 0.0f, 0.0f};
    sdF4 parts[2] = {__builtin_shufflevector(a, b, 0, 1, 2, 4),
                     __builtin_shufflevector(b, tail, 1, 2, 4, 5)};
    memcpy(&out->points[0], parts, sizeof parts);
    clearPoints(&out->points[1], 3);
    if (cache != NULL) {
        cache->pointCount = 1;
        cache->pointIds[0] = one->id;
    }
    writeHead(touch, cache, 1, out);
}

/// Boxes that are apart by corners: to the nearest point of one box and of the other in turns ends
/// there at once. The gap along the line between two points proves that none are nearer.
SD_INLINE bool findNearest(const sdBoxLanes* pair, const sdBoxView* view, sdD4 start, int steps,
                           double tolerance, sdD4* onA, sdD4* normal, sdD4* inB, double* distance) {
    const sdD4 zero = sdD4_Splat(0.0), lowA = zero - pair->a, lowB = zero - pair->b;
    sdD4 p = sdD4_Max(sdD4_Min(start, pair->a), lowA), q = p;
    for (int step = 0; step < steps; ++step) {
        sdD4 own = sdD4_Max(sdD4_Min(sdBoxLanes_InB(pair, p - pair->t), pair->b), lowB);
        q = pair->t + SD_D4_LANE(own, 0) * sdD4_Load(view->rows[0]) +
            SD_D4_LANE(own, 1) * sdD4_Load(view->rows[1]) +
            SD_D4_LANE(own, 2) * sdD4_Load(view->rows[2]);
        p = sdD4_Max(sdD4_Min(q, pair->a), lowA);
    }
    sdD4 d = q - p, length = sdD4_Sqrt(sdD4_Sum(d * d)), n = d / length;
    *distance = length[0];
    *onA = p;
    *normal = n;
    *inB = sdBoxLanes_InB(pair, n);
    sdD4 gap = sdD4_Sum(n * pair->t - sdD4_Abs(n) * pair->a - sdD4_Abs(*inB) * pair->b);
    return *distance > SD_BOX_LEAST_DISTANCE * tolerance && gap[0] >= *distance - tolerance;
}

/// A corner over a face, or where two edges cross, on A or beside it: nearest points are not far.
SD_INLINE sdD4 startOf(const sdBoxLanes* pair, const sdBoxView* view, int axis) {
    sdD4 squared, n = sdBoxLanes_Axis(pair, view, axis, &squared), zero = sdD4_Splat(0.0);
    sdD4 onA = sdD4_Turn(pair->a, n), onB = sdD4_Turn(pair->b, zero - sdBoxLanes_InB(pair, n));
    onB = pair->t + SD_D4_LANE(onB, 0) * sdD4_Load(view->rows[0]) +
          SD_D4_LANE(onB, 1) * sdD4_Load(view->rows[1]) +
          SD_D4_LANE(onB, 2) * sdD4_Load(view->rows[2]);
    sdD4 edge = sdD4_Load(sdBoxOwnAxes[sdBoxAxisEdges[axis][0]]), d = onB - onA;
    sdD4 other = sdD4_Load(view->rows[sdBoxAxisEdges[axis][1]]);
    sdD4 slide = sdD4_Sum((edge * other - other) * d) / squared;
    sdD4 crossing = onA + (sdD4_Sum(edge * d) + slide * sdD4_Sum(edge * other)) * edge;
    return axis < 3 ? onB : (axis < SD_BOX_FACE_AXES ? onA : crossing);
}

/// Boxes that are apart by corners, or a corner and an edge.
/// @param start from where nearest points are not far
/// @param steps at least as many as it takes from there
static __attribute__((noinline)) sdBoxAnswer
collideCorners(const sdBoxLanes* pair, const sdBoxView* view, const sdD4* start, int steps,
               float margin, sdPairCache* cache, sdManifold* out) {
    Touch touch;
    touch.pair = pair;
    touch.view = view;
    touch.axis = SD_BOX_AXIS_COUNT;
    touch.length = sdD4_Splat(1.0);
    sdD4 onA;
    if (!findNearest(pair, view, *start, steps, EXACT * pair->size, &onA, &touch.normal,
                     &touch.normalInB, &touch.gap)) {
        return SD_BOX_UNKNOWN;
    }
    if (touch.gap > pair->limit) {
        return SD_BOX_APART;
    }
    if (cache != NULL) {
        sdF4 nearest = sdF4_FromDoubles(onA);
        cache->origin = sdV3(nearest[0], nearest[1], nearest[2]);
    }
    sdBoxOne one = {.gap = touch.gap, .rise = pair->limit - touch.gap};
    bool isEdgeB = sdD4_Least3(sdD4_Abs(touch.normalInB))[0] < SD_BOX_ACROSS;
    if (sdBoxOne_IsCorner(&one, pair, isEdgeB, touch.normal, touch.normalInB)) {
        writeOne(&touch, &one, margin, cache, out);
        return SD_BOX_CONTACT;
    }
    if (!findPoints(&touch)) {
        return SD_BOX_UNKNOWN;
    }
    writePoints(&touch, margin, cache, out);
    return SD_BOX_CONTACT;
}

/// The gap on an axis.
SD_INLINE double gapOn(const sdBoxGapLanes* gaps, int axis) {
    // groups of three, and the lane in it
    static const uint8_t places[SD_BOX_AXIS_COUNT + 1] = {0,  1,  2, 4,  5,  6,  8,  12,
                                                          16, 17, 9, 13, 14, 18, 10, 0};
    double all[5][4];
    sdD4_Store(all[0], gaps->faceA);
    sdD4_Store(all[1], gaps->faceB);
    for (int k = 0; k < 3; ++k) {
        sdD4_Store(all[2 + k], gaps->cross[k]);
    }
    double gap = (&all[0][0])[places[axis]];
    return axis < SD_BOX_FACE_AXES ? gap : sdSignedRoot(gap);
}

/// Whether no other axis is clearly better than the remembered one.
SD_INLINE bool isStillGood(double last, double best, double size) {
    return (last > 0.0 || best <= 0.0) && last >= best - HYSTERESIS * size;
}

/// Contact points on an axis.
SD_INLINE sdBoxAnswer collideOnAxis(Touch* touch, float margin, sdPairCache* cache,
                                    sdManifold* out) {
    if (findPoints(touch)) {
        writePoints(touch, margin, cache, out);
        return SD_BOX_CONTACT;
    }
    return SD_BOX_UNKNOWN;
}

/// Next time it is asked first.
SD_INLINE void rememberAxis(const sdBoxLanes* pair, const sdBoxView* view, int axis,
                            sdPairCache* cache) {
    if (cache != NULL) {
        sdD4 squared, n = sdBoxLanes_Axis(pair, view, axis, &squared);
        sdF4 unit = sdF4_FromDoubles(n / sdD4_Sqrt(squared));
        storeAxis(axis, sdV3(unit[0], unit[1], unit[2]), cache);
    }
}

/// The origin of the smaller box in the frame of the other.
SD_INLINE sdD4 originOf(const sdBoxLanes* pair) {
    return sdD4_Select(pair->isSmallerB, pair->t, sdD4_Splat(0.0) - sdBoxLanes_InB(pair, pair->t));
}

/// Whether no point of the smaller box has moved far, seen from the other, since all axes were
/// searched. A turn by an angle has |q - q'| = 2 sin(angle / 4) and moves a point at r by
/// 2 r sin(angle / 2), which is less than 2 r |q - q'|.
SD_INLINE bool hasMovedLittle(const sdBoxLanes* pair, const sdTransform* xfAB,
                              const sdPairCache* cache) {
    sdF4 q, last, origin = {cache->origin.x, cache->origin.y, cache->origin.z, 0.0f};
    memcpy(&q, &xfAB->q, sizeof q);
    memcpy(&last, &cache->rotation, sizeof last);
    double reach = 2.0 * pair->size, most = 0.5 * MOTION_FRACTION * pair->size;
    sdD4 moved = originOf(pair) - sdD4_FromFloats(origin);
    sdD4 turned = sdD4_Splat(reach) * sdD4_FromFloats(q - last);
    // the square of a sum is at most twice the sum of squares; written so that NaN is refused
    return sdD4_Sum(moved * moved + turned * turned)[0] <= 0.5 * most * most;
}

static void rememberPose(const sdBoxLanes* pair, const sdTransform* xfAB, sdPairCache* cache) {
    sdF4 origin = sdF4_FromDoubles(originOf(pair));
    cache->origin = sdV3(origin[0], origin[1], origin[2]);
    cache->rotation = xfAB->q;
}

/// An axis and, for two edges, what it is made of. Nothing waits for which way it looks.
/// @return the gap on it
SD_INLINE double setAxis(Touch* touch, sdBoxCrossing* crossing, const sdD4 rows[3], int axis) {
    const sdBoxLanes* pair = touch->pair;
    sdL4 isX = sdL4_Splat(sdBoxAxes[axis].isX), isY = sdL4_Splat(sdBoxAxes[axis].isY);
    sdD4 along, edge = sdD4_Select(isX, rows[0], sdD4_Select(isY, rows[1], rows[2]));
    sdD4 n = sdBoxLanes_AxisOf(pair, axis, edge, &crossing->squared, &along);
    sdD4 inB = sdBoxLanes_InB(pair, n), slack = sdD4_Splat(SD_BOX_SLACK);
    sdD4 sizes = sdD4_Abs(n) * pair->a + sdD4_Abs(inB) * pair->b +
                 slack * (pair->a + pair->b + sdD4_Abs(pair->t));
    touch->axis = axis;
    touch->normal = sdD4_Turn(n, along);
    touch->normalInB = sdD4_Turn(inB, along);
    touch->length = sdD4_Sqrt(crossing->squared);
    crossing->axis = axis;
    crossing->rows = rows;
    crossing->edge = edge;
    crossing->n = touch->normal;
    crossing->inB = touch->normalInB;
    crossing->isTurned = sdD4_Signs3(along) & 1u;
    // whether a point is alone need not wait for a root: with length l of the axis, 1 / l is no
    // more than half of 1 + 1 / l²
    const sdD4 unit = sdD4_Splat(1.0), half = sdD4_Splat(0.5);
    sdD4 inverse = unit / crossing->squared, gap = sdD4_Abs(along) - sdD4_Sum(sizes);
    crossing->inverse = inverse;
    crossing->slope = sdD4_Splat(pair->limit) * (half + half * inverse) - gap * inverse;
    return (gap * (unit / touch->length))[0];
}

/// A corner on a face, or two edges that cross, when no other point is within the limit.
SD_INLINE bool collideOne(const Touch* touch, const sdBoxCrossing* crossing, float margin,
                          sdPairCache* cache, sdManifold* out) {
    const sdBoxLanes* pair = touch->pair;
    sdBoxOne one = {.gap = touch->gap, .rise = crossing->slope[0]};
    bool isOne = touch->axis < SD_BOX_FACE_AXES ? sdBoxOne_IsCorner(&one, pair, touch->axis >= 3,
                                                                    touch->normal, touch->normalInB)
                                                : sdBoxOne_IsCrossing(&one, pair, crossing);
    if (isOne) {
        writeOne(touch, &one, margin, cache, out);
    }
    return isOne;
}

/// By the axis of last time, or what was nearest. Where the boxes are apart, points at the distance
/// that the axis says prove it.
/// @return SD_BOX_UNKNOWN: all axes have to be searched
SD_INLINE sdBoxAnswer collideAsBefore(const sdBoxLanes* pair, const sdTransform* xfAB, float margin,
                                      sdPairCache* cache, sdManifold* out) {
    int last = cache->indexA[0];
    sdBoxView view;
    if (last >= SD_BOX_AXIS_COUNT) {
        sdF4 origin = {cache->origin.x, cache->origin.y, cache->origin.z, 0.0f};
        sdD4 start = sdD4_FromFloats(origin);
        sdBoxLanes_View(pair, &view);
        return last == SD_BOX_AXIS_COUNT
                   ? collideCorners(pair, &view, &start, KEPT_STEPS, margin, cache, out)
                   : SD_BOX_UNKNOWN;
    }
    Touch touch;
    sdBoxCrossing crossing;
    sdD4 rows[3];
    touch.pair = pair;
    touch.view = &view;
    sdBoxLanes_Rows(pair->own, pair->above, pair->below, rows);
    touch.gap = setAxis(&touch, &crossing, rows, last);
    bool isKnown = (touch.gap > 0.0) | hasMovedLittle(pair, xfAB, cache);
    if (touch.gap > pair->limit || !isKnown) {
        return SD_BOX_UNKNOWN;
    }
    // what it was tells early what it will be
    if (cache->indexA[1] == ALONE) {
        if (collideOne(&touch, &crossing, margin, cache, out)) {
            return SD_BOX_KEPT;
        }
        cache->indexA[1] = 0;
    }
    sdBoxLanes_View(pair, &view);
    return collideOnAxis(&touch, margin, cache, out) == SD_BOX_CONTACT ? SD_BOX_KEPT
                                                                       : SD_BOX_UNKNOWN;
}

/// By all axes.
static __attribute__((noinline)) sdBoxAnswer search(const sdBoxLanes* pair, const sdTransform* xfAB,
                                                    float margin, sdPairCache* cache,
                                                    sdManifold* out) {
    sdBoxView views, *view = &views;
    sdBoxLanes_View(pair, view);
    sdBoxGapLanes gaps;
    sdBoxLanes_Gaps(pair, &gaps);
    double bestGap;
    bool isApart;
    int best = sdBoxGapLanes_Best(&gaps, SD_SAT_TIE * pair->size, pair->limit, &bestGap, &isApart);
    if (isApart) {
        rememberAxis(pair, view, best, cache);
        return SD_BOX_APART;
    }
    // not by an initialiser, which clears all that is written later
    Touch touch;
    touch.pair = pair;
    touch.view = view;
    touch.gap = bestGap;
    int axis = best;
    if (cache != NULL) {
        int last = cache->kind == SD_CACHE_SAT_BOX ? cache->indexA[0] : INT_MAX;
        double gap = last < SD_BOX_AXIS_COUNT ? gapOn(&gaps, last) : -DBL_MAX;
        if (isStillGood(gap, bestGap, pair->size)) {
            axis = last;
            touch.gap = gap;
        }
    }
    sdD4 rows[3];
    sdBoxCrossing crossing;
    sdBoxLanes_Rows(pair->own, pair->above, pair->below, rows);
    setAxis(&touch, &crossing, rows, axis);
    bool isAlone = pair->limit - touch.gap < ONE_RISE * pair->size &&
                   collideOne(&touch, &crossing, margin, cache, out);
    sdBoxAnswer answer = isAlone ? SD_BOX_CONTACT : collideOnAxis(&touch, margin, cache, out);
    if (answer == SD_BOX_UNKNOWN && axis != best) {
        touch.gap = bestGap;
        setAxis(&touch, &crossing, rows, best);
        answer = collideOnAxis(&touch, margin, cache, out);
    }
    if (cache != NULL) {
        rememberPose(pair, xfAB, cache);
        cache->indexA[1] = isAlone ? ALONE : 0;
    }
    if (answer != SD_BOX_UNKNOWN || !(bestGap > 0.0)) {
        return answer;
    }
    sdD4 start = startOf(pair, view, best);
    return collideCorners(pair, view, &start, SD_BOX_NEAREST_STEPS, margin, cache, out);
}

sdBoxAnswer SD_KERNEL(sdBoxes_Collide)(const sdShape* a, const sdShape* b, const sdTransform* xfAB,
                                       float margin, sdPairCache* cache, sdManifold* out) {
    sdBoxLanes pair;
    if (!sdBoxLanes_Set(&pair, a, b, xfAB, margin)) {
        return SD_BOX_UNKNOWN;
    }
    if (cache != NULL && cache->kind == SD_CACHE_SAT_BOX && !cache->isApart) {
        sdBoxAnswer answer = collideAsBefore(&pair, xfAB, margin, cache, out);
        if (answer != SD_BOX_UNKNOWN) {
            return answer;
        }
    }
    return search(&pair, xfAB, margin, cache, out);
}
