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
#include "narrow/collide_box_lanes.h"
#include "narrow/manifold.h"
#include "narrow/sat.h"

#include <limits.h>

/// Fraction of the smaller box by which another axis must be better than the remembered one.
#define HYSTERESIS 1e-3
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

SD_INLINE void setAxis(Touch* touch, int axis, double gap) {
    touch->axis = axis;
    touch->gap = gap;
    sdD4 squared;
    touch->normal = sdBoxLanes_Axis(touch->pair, touch->view, axis, &squared);
    touch->length = sdD4_Sqrt(squared);
    touch->normalInB = sdBoxLanes_InB(touch->pair, touch->normal);
}

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
        memset(&out->points[2], 0, 2 * sizeof out->points[0]);
    }
}

/// Boxes that are apart by corners: to the nearest point of one box and of the other in turns ends
/// there at once. The gap along the line between two points proves that none are nearer.
SD_INLINE bool findNearest(const sdBoxLanes* pair, const sdBoxView* view, sdD4 start,
                           double tolerance, sdD4* normal, sdD4* inB, double* distance) {
    const sdD4 zero = sdD4_Splat(0.0), lowA = zero - pair->a, lowB = zero - pair->b;
    sdD4 p = sdD4_Max(sdD4_Min(start, pair->a), lowA), q = p;
    for (int step = 0; step < SD_BOX_NEAREST_STEPS; ++step) {
        sdD4 own = sdD4_Max(sdD4_Min(sdBoxLanes_InB(pair, p - pair->t), pair->b), lowB);
        q = pair->t + SD_D4_LANE(own, 0) * sdD4_Load(view->rows[0]) +
            SD_D4_LANE(own, 1) * sdD4_Load(view->rows[1]) +
            SD_D4_LANE(own, 2) * sdD4_Load(view->rows[2]);
        p = sdD4_Max(sdD4_Min(q, pair->a), lowA);
    }
    sdD4 d = q - p, length = sdD4_Sqrt(sdD4_Sum(d * d)), n = d / length;
    *distance = length[0];
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
/// @param axis of the greatest gap
static __attribute__((noinline)) sdBoxAnswer collideCorners(const sdBoxLanes* pair,
                                                            const sdBoxView* view, int axis,
                                                            float margin, sdPairCache* cache,
                                                            sdManifold* out) {
    Touch touch;
    touch.pair = pair;
    touch.view = view;
    touch.axis = SD_BOX_AXIS_COUNT;
    touch.length = sdD4_Splat(1.0);
    if (!findNearest(pair, view, startOf(pair, view, axis), EXACT * pair->size, &touch.normal,
                     &touch.normalInB, &touch.gap)) {
        return SD_BOX_UNKNOWN;
    }
    if (touch.gap > pair->limit) {
        return SD_BOX_APART;
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
SD_INLINE sdBoxAnswer collideOnAxis(const sdBoxLanes* pair, const sdBoxView* view, int axis,
                                    double gap, float margin, sdPairCache* cache, sdManifold* out) {
    // not by an initialiser, which clears all that is written later
    Touch touch;
    touch.pair = pair;
    touch.view = view;
    setAxis(&touch, axis, gap);
    if (findPoints(&touch)) {
        writePoints(&touch, margin, cache, out);
        return SD_BOX_CONTACT;
    }
    return gap > 0.0 ? collideCorners(pair, view, axis, margin, cache, out) : SD_BOX_UNKNOWN;
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

sdBoxAnswer SD_KERNEL(sdBoxes_Collide)(const sdShape* a, const sdShape* b, const sdTransform* xfAB,
                                       float margin, sdPairCache* cache, sdManifold* out) {
    sdBoxLanes pair;
    sdBoxView view;
    sdBoxGapLanes gaps;
    if (!sdBoxLanes_Set(&pair, a, b, xfAB, margin)) {
        return SD_BOX_UNKNOWN;
    }
    sdBoxLanes_View(&pair, &view);
    sdBoxLanes_Gaps(&pair, &gaps);
    double bestGap;
    bool isApart;
    int best = sdBoxGapLanes_Best(&gaps, SD_SAT_TIE * pair.size, pair.limit, &bestGap, &isApart);
    if (isApart) {
        rememberAxis(&pair, &view, best, cache);
        return SD_BOX_APART;
    }
    // nearly always the axis is that of last time: what follows does not wait for the others
    int last = cache != NULL && cache->kind == SD_CACHE_SAT_BOX ? cache->indexA[0] : INT_MAX;
    if (last < SD_BOX_AXIS_COUNT) {
        double gap = gapOn(&gaps, last);
        if (last == best || isStillGood(gap, bestGap, pair.size)) {
            sdBoxAnswer answer = collideOnAxis(&pair, &view, last, gap, margin, cache, out);
            if (answer != SD_BOX_UNKNOWN || last == best) {
                return answer;
            }
        }
    } else if (last == SD_BOX_AXIS_COUNT && bestGap > 0.0) {
        sdBoxAnswer answer = collideCorners(&pair, &view, best, margin, cache, out);
        if (answer != SD_BOX_UNKNOWN) {
            return answer;
        }
    }
    return collideOnAxis(&pair, &view, best, bestGap, margin, cache, out);
}
