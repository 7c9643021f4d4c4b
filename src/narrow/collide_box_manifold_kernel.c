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
#include "narrow/collide_box_one.h"
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

/// By what both boxes touch with: 0: a corner, 1: an edge, 2: a face.
SD_INLINE sdContactKind kindOf(sdD4 n, sdD4 inB) {
    sdD4 a = n * n, b = inB * inB;
    // x and z of both, then y
    sdD4 xz = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    sdD4 y = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    sdD4 z = __builtin_shufflevector(xz, xz, 2, 3, 2, 3);
    sdD4 most = sdD4_Max(sdD4_Max(xz, y), z), least = sdD4_Min(sdD4_Min(xz, y), z);
    const sdD4 flat = sdD4_Splat(SD_MANIFOLD_FLAT_TILT * SD_MANIFOLD_FLAT_TILT);
    unsigned notEdge = (unsigned)sdL4_MaskBits(sdD4_Less(flat, least));
    unsigned notFace = (unsigned)sdL4_MaskBits(sdD4_Less(flat, xz + y + z - most));
    int touchA = 2 - (int)(notEdge & 1u) - (int)(notFace & 1u);
    int touchB = 2 - (int)(notEdge >> 1 & 1u) - (int)(notFace >> 1 & 1u);
    return sdManifold_Kind(touchA, touchB);
}

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
    out->kind = kindOf(unit, touch->normalInB * scale);
    if (cache != NULL) {
        storeAxis(touch->axis, out->normal, cache);
    }
}

/// @param mask all ones, or zero for a point that is not there
SD_INLINE void writePoint(const Touch* touch, unsigned index, int32_t mask, float margin,
                          sdManifoldPoint* out) {
    const sdBoxFaceLanes* f = &touch->faces;
    const sdBoxPoints* points = &touch->points;
    double separation = points->separation[index];
    sdD4 uv = __builtin_shufflevector(sdD4_Splat(points->u[index]), sdD4_Splat(points->v[index]), 0,
                                      5, 2, 7);
    sdD4 onA = __builtin_shufflevector(uv, f->half, 0, 1, 6, 7);
    sdD4 onB = onA + sdD4_Splat(separation) / touch->length * f->normal;
    sdF4 a = sdBoxFrame_Back(f->frame, sdF4_FromDoubles(onA));
    sdF4 b = sdBoxFrame_Back(f->frame, sdF4_FromDoubles(onB));
    float id, least = sdMinF((float)separation, margin);
    memcpy(&id, &points->ids[index], sizeof id);
    sdF4 tail = {least, id, 0.0f, 0.0f};
    sdI4 masks = {mask, mask, mask, mask};
    sdI4 parts[2] = {(sdI4)__builtin_shufflevector(a, b, 0, 1, 2, 4) & masks,
                     (sdI4)__builtin_shufflevector(b, tail, 1, 2, 4, 5) & masks};
    _Static_assert(sizeof parts == sizeof *out, "a point is written as two vectors");
    memcpy(out, parts, sizeof parts);
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
/// @return how many are left: they come first now
static __attribute__((noinline)) int choosePoints(sdBoxPoints* points, double size,
                                                  sdPairCache* cache) {
    sdFlatPoint flat[SD_BOX_CANDIDATES];
    int chosen[SD_MANIFOLD_MAX_POINTS], count = 0;
    for (unsigned left = points->bits; left != 0; left &= left - 1) {
        unsigned at = (unsigned)__builtin_ctz(left);
        flat[count++] =
            (sdFlatPoint){points->u[at], points->v[at], points->separation[at], points->ids[at]};
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
    points->bits = (1u << count) - 1u;
    return count;
}

/// Number of the first of some points; 0 when there are none.
SD_INLINE unsigned firstOf(unsigned bits) {
    return (unsigned)__builtin_ctz(bits | 1u << SD_BOX_CANDIDATES) % SD_BOX_CANDIDATES;
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
        at[i] = firstOf(rest);
        rest &= rest - 1;
        count += rest != 0 ? 1 : 0;
    }
    if (count > 4 || isAnyNear(points, at, count, SD_MANIFOLD_MERGE * touch->pair->size)) {
        count = choosePoints(points, touch->pair->size, cache);
        for (unsigned i = 0; i < 4; ++i) {
            at[i] = i;
        }
    } else if (cache != NULL) {
        cache->pointCount = (uint8_t)count;
        for (int i = 0; i < 4; ++i) {
            cache->pointIds[i] = points->ids[at[i]];
        }
    }
    writeHead(touch, cache, count, out);
    writePoint(touch, at[0], -1, margin, &out->points[0]);
    writePoint(touch, at[1], -(int32_t)(count > 1), margin, &out->points[1]);
    if (count > 2) {
        writePoint(touch, at[2], -1, margin, &out->points[2]);
        writePoint(touch, at[3], -(int32_t)(count > 3), margin, &out->points[3]);
    } else {
        clearPoints(&out->points[2], 2);
    }
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
    int64_t j = sdBoxAxisEdges[axis][1], is0 = -(int64_t)(j == 0), is1 = -(int64_t)(j == 1);
    sdL4 mask0 = {is0, is0, is0, is0}, mask1 = {is1, is1, is1, is1};
    sdD4 along, edge = sdD4_Select(mask0, rows[0], sdD4_Select(mask1, rows[1], rows[2]));
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
    crossing->inverse = sdD4_Splat(1.0) / touch->length;
    return ((sdD4_Abs(along) - sdD4_Sum(sizes)) * crossing->inverse)[0];
}

/// The same for the axis of a face.
SD_INLINE double setFace(Touch* touch, int axis) {
    const sdBoxLanes* pair = touch->pair;
    sdD4 n = sdD4_Load(axis < 3 ? sdBoxOwnAxes[axis] : touch->view->rows[axis - 3]);
    sdD4 along = sdD4_Sum(n * pair->t), inB = sdBoxLanes_InB(pair, n);
    sdD4 sizes = sdD4_Abs(n) * pair->a + sdD4_Abs(inB) * pair->b +
                 sdD4_Splat(SD_BOX_SLACK) * (pair->a + pair->b + sdD4_Abs(pair->t));
    touch->axis = axis;
    touch->normal = sdD4_Turn(n, along);
    touch->normalInB = sdD4_Turn(inB, along);
    touch->length = sdD4_Splat(1.0);
    return (sdD4_Abs(along) - sdD4_Sum(sizes))[0];
}

/// A corner on a face, or two edges that cross, when no other point is within the limit.
SD_INLINE bool collideOne(const Touch* touch, const sdBoxCrossing* crossing, float margin,
                          sdPairCache* cache, sdManifold* out) {
    const sdBoxLanes* pair = touch->pair;
    sdBoxOne one = {.gap = touch->gap, .rise = pair->limit - touch->gap};
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

/// Boxes that overlap, by the axis of a face or of two edges: which it is cannot be foreseen, but
/// the way of faces is shorter.
SD_INLINE sdBoxAnswer collideOn(const sdBoxLanes* pair, int axis, bool isFace, float margin,
                                sdManifold* out) {
    Touch touch;
    sdBoxView view;
    sdBoxCrossing crossing;
    sdD4 rows[3];
    touch.pair = pair;
    touch.view = &view;
    sdBoxLanes_Rows(pair->own, pair->above, pair->below, rows);
    sdBoxLanes_View(pair, &view);
    touch.gap = isFace ? setFace(&touch, axis) : setAxis(&touch, &crossing, rows, axis);
    if (pair->limit - touch.gap < ONE_RISE * pair->size &&
        collideOne(&touch, &crossing, margin, NULL, out)) {
        return SD_BOX_CONTACT;
    }
    return collideOnAxis(&touch, margin, NULL, out);
}

sdBoxAnswer SD_KERNEL(sdBoxes_CollideOn)(const sdShape* a, const sdShape* b,
                                         const sdTransform* xfAB, float margin, int axis,
                                         sdManifold* out) {
    sdBoxLanes pair;
    if (!sdBoxLanes_Set(&pair, a, b, xfAB, margin)) {
        return SD_BOX_UNKNOWN;
    }
    return axis < SD_BOX_FACE_AXES ? collideOn(&pair, axis, true, margin, out)
                                   : collideOn(&pair, axis, false, margin, out);
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
