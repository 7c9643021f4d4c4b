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

/// Fraction of the smaller box by which another axis must be better than the remembered one.
#define HYSTERESIS 1e-3
/// Fraction of the smaller box within which nearest points must be so.
#define EXACT 1e-9

/// Depth, as a fraction of the smaller box, from which one point is not looked for.
#define DEEP 0.05

/// Two boxes and the axis on which they touch.
typedef struct Touch {
    sdBoxLanes pair;
    sdBoxView views[2];
    int axis; ///< SD_BOX_AXIS_COUNT: none of the axes, as between corners
    double gap;
    sdD4 normal, normalInB;
    sdBoxFaceLanes faces;
    sdBoxPoints points;
} Touch;

SD_INLINE void setAxis(Touch* touch, int axis, double gap) {
    touch->axis = axis;
    touch->gap = gap;
    touch->normal = sdBoxLanes_Normal(&touch->pair, &touch->views[0], axis);
    touch->normalInB = sdBoxLanes_InB(&touch->pair, touch->normal);
}

/// What both faces have in common along the normal.
/// @return whether the deepest point is as deep as the gap on the axis says
SD_INLINE bool findPoints(Touch* touch) {
    const sdBoxLanes* pair = &touch->pair;
    sdBoxFaceLanes_Set(&touch->faces, pair, &touch->views[0], touch->normal, touch->normalInB);
    double tolerance = SD_MANIFOLD_DEEPEST * pair->size;
    sdBoxRange range = {sdD4_Splat(SD_MANIFOLD_RIM * pair->size),
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

/// 0: a corner touches, 1: an edge, 2: a face.
/// @param n unit, in the box's frame
SD_INLINE int touchOf(sdD4 n) {
    sdD4 square = n * n, x = SD_D4_LANE(square, 0), y = SD_D4_LANE(square, 1);
    sdD4 z = SD_D4_LANE(square, 2), most = sdD4_Max(sdD4_Max(x, y), z);
    sdD4 least = sdD4_Min(sdD4_Min(x, y), z);
    double flat = SD_MANIFOLD_FLAT_TILT * SD_MANIFOLD_FLAT_TILT;
    return (least[0] <= flat) + ((x + y + z - most)[0] <= flat);
}

SD_INLINE void storeAxis(int axis, sdVec3 normal, sdPairCache* cache) {
    cache->axis = normal;
    cache->kind = SD_CACHE_SAT_BOX;
    cache->count = 1;
    cache->indexA[0] = (uint16_t)axis;
    cache->featureType = (uint8_t)(SD_FEATURE_FACE_A + (axis >= 3) + (axis >= SD_BOX_FACE_AXES));
}

SD_INLINE void writeHead(const Touch* touch, sdPairCache* cache, int count, sdManifold* out) {
    sdF4 n = sdF4_FromDoubles(touch->normal);
    out->normal = sdV3(n[0], n[1], n[2]);
    out->pointCount = count;
    out->kind = kindOf(touch->normal, touch->normalInB);
    if (cache != NULL && touch->axis != SD_BOX_AXIS_COUNT) {
        storeAxis(touch->axis, out->normal, cache);
    }
}

/// @param mask all ones, or zero for a point that is not there
SD_INLINE void writePoint(const Touch* touch, unsigned index, int32_t mask, float margin,
                          sdManifoldPoint* out) {
    const sdBoxFaceLanes* f = &touch->faces;
    const sdBoxPoints* points = &touch->points;
    double separation = points->separation[index];
    sdD4 uv = __builtin_shufflevector(sdD4_Splat(points->u[index]), sdD4_Splat(points->v[index]),
                                      0, 5, 2, 7);
    sdD4 onA = __builtin_shufflevector(uv, f->half, 0, 1, 6, 7);
    sdD4 onB = onA + sdD4_Splat(separation) * f->normal;
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

/// All but the id of a point.
SD_INLINE void writePlaces(sdF4 a, sdF4 b, double separation, float margin, sdManifoldPoint* out) {
    out->pointA = sdV3(a[0], a[1], a[2]);
    out->pointB = sdV3(b[0], b[1], b[2]);
    out->separation = sdMinF((float)separation, margin);
}

// ---- one point -----------------------------------------------------------------------------

/// Everything but the points and the normal.
SD_INLINE void finishOne(int axis, int kind, uint32_t id, sdPairCache* cache, sdManifold* out) {
    out->pointCount = 1;
    out->kind = (sdContactKind)kind;
    out->points[0].id = id;
    memset(&out->points[1], 0, 3 * sizeof out->points[0]);
    if (cache != NULL) {
        storeAxis(axis, out->normal, cache);
        cache->pointCount = 1;
        cache->pointIds[0] = id;
    }
}

/// Name of the corner furthest along a direction, as one of the face that looks that way.
/// @param face axis of that
/// @param signs of the direction, a bit each
SD_INLINE uint32_t cornerId(int face, unsigned signs, bool isOfA) {
    int u = face == 2 ? 0 : face + 1, v = face == 0 ? 2 : face - 1;
    unsigned isTurned = signs >> face & 1u, isBackV = (signs >> v & 1u) ^ isTurned;
    int corner = (int)((signs >> u & 1u) ^ (3u * isBackV)), label = 4 * (2 * face + (int)isTurned);
    int to = label + corner, from = label + ((corner + 3) & 3);
    return isOfA ? sdManifold_Id(~to, ~from) : sdManifold_Id(from, to);
}

/// A corner over a face. The face that it belongs to rises from there, along two edges; when it
/// leaves the limit before the edges end, and before they leave the other face, there are no more
/// points.
SD_INLINE bool isCornerAlone(const sdBoxView* own, sdD4 p, sdD4 corner, sdD4 d, sdD4 half, int axis,
                             int face, double slack, double rim) {
    sdD4 size = sdD4_Abs(d), slacks = sdD4_Splat(slack), back = sdD4_Turn(slacks / size, corner);
    sdD4 room = sdD4_Load(own->half) - sdD4_Splat(rim);
    // lanes: edges of the corner
    unsigned isLong = (unsigned)sdL4_MaskBits(sdD4_Less(slacks, (half + half) * size));
    // lanes: directions of the other box
    unsigned isIn = (unsigned)sdL4_MaskBits(sdD4_Less(sdD4_Abs(p), room));
    sdD4 ends[3] = {p - SD_D4_LANE(back, 0) * sdD4_Load(own->rows[0]),
                    p - SD_D4_LANE(back, 1) * sdD4_Load(own->rows[1]),
                    p - SD_D4_LANE(back, 2) * sdD4_Load(own->rows[2])};
    for (int j = 0; j < 3; ++j) {
        unsigned isEndIn = (unsigned)sdL4_MaskBits(sdD4_Less(sdD4_Abs(ends[j]), room));
        isIn &= isEndIn | (face == j ? 7u : 0u);
    }
    return (((isIn | 1u << axis) & (isLong | 1u << face)) & 7u) == 7u;
}

/// @return false when there may be more points
SD_INLINE bool collideCorner(const Touch* touch, float margin, sdPairCache* cache,
                             sdManifold* out) {
    // whose corner: B's over a face of A, or A's over one of B
    int which = touch->axis >= 3, axis = touch->axis - 3 * which;
    const sdBoxView *own = &touch->views[which], *other = &touch->views[1 - which];
    sdD4 side = sdD4_Splat(own->t[axis]), zero = sdD4_Splat(0.0), half = sdD4_Load(other->half);
    sdD4 d = zero - sdD4_Turn(sdD4_Load(other->rows[axis]), side), corner = sdD4_Turn(half, d);
    sdD4 p = sdD4_Load(own->t) + SD_D4_LANE(corner, 0) * sdD4_Load(own->rows[0]) +
             SD_D4_LANE(corner, 1) * sdD4_Load(own->rows[1]) +
             SD_D4_LANE(corner, 2) * sdD4_Load(own->rows[2]);
    int face = sdD4_LargestAxis(d);
    const sdBoxLanes* pair = &touch->pair;
    if (!isCornerAlone(own, p, corner, d, half, axis, face, pair->limit - touch->gap,
                       SD_MANIFOLD_RIM * pair->size)) {
        return false;
    }
    int64_t isOfA = -(int64_t)which;
    sdL4 mask = {isOfA, isOfA, isOfA, isOfA};
    sdD4 gap = sdD4_Splat(touch->gap);
    sdD4 n = sdD4_Select(mask, d, sdD4_Turn(sdD4_Load(sdBoxOwnAxes[axis]), side));
    sdD4 onA = sdD4_Select(mask, corner, p - gap * n), onB = onA + gap * n;
    sdF4 normal = sdF4_FromDoubles(n);
    out->normal = sdV3(normal[0], normal[1], normal[2]);
    writePlaces(sdF4_FromDoubles(onA), sdF4_FromDoubles(onB), touch->gap, margin, &out->points[0]);
    finishOne(touch->axis, sdManifold_Kind(2, touchOf(d)), cornerId(face, (unsigned)sdL4_MaskBits((sdL4)d), which != 0),
              cache, out);
    return true;
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

SD_INLINE void writePoints(Touch* touch, float margin, sdPairCache* cache, sdManifold* out) {
    sdBoxPoints* points = &touch->points;
    double merge = SD_MANIFOLD_MERGE * touch->pair.size;
    unsigned bits = points->bits, rest = bits & (bits - 1);
    unsigned first = firstOf(bits), second = firstOf(rest);
    double du = points->u[second] - points->u[first], dv = points->v[second] - points->v[first];
    // a single point is far from any other
    static const double far[2] = {0.0, DBL_MAX};
    int isAlone = rest == 0, count = 2 - isAlone;
    double apart = du * du + dv * dv + far[isAlone];
    if (((rest & (rest - 1)) != 0) | (apart <= merge * merge)) {
        count = choosePoints(points, touch->pair.size, cache);
        first = 0;
        second = 1;
    } else if (cache != NULL) {
        cache->pointCount = (uint8_t)count;
        cache->pointIds[0] = points->ids[first];
        cache->pointIds[1] = points->ids[second];
    }
    writeHead(touch, cache, count, out);
    writePoint(touch, first, -1, margin, &out->points[0]);
    writePoint(touch, second, -(int32_t)(count > 1), margin, &out->points[1]);
    if (count > 2) {
        writePoint(touch, 2, -1, margin, &out->points[2]);
        writePoint(touch, 3, -(int32_t)(count > 3), margin, &out->points[3]);
    } else {
        memset(&out->points[2], 0, 2 * sizeof out->points[0]);
    }
}

/// Boxes that are apart by corners, or a corner and an edge. Begins anew, so that others need not
/// keep anything for it.
static __attribute__((noinline)) sdBoxAnswer collideCorners(const sdShape* a, const sdShape* b,
                                                            const sdTransform* xfAB, float margin,
                                                            sdPairCache* cache, sdManifold* out) {
    sdBoxPair pair;
    sdBoxGaps gaps;
    Touch touch;
    double gap;
    sdVec3d onA, onB, n;
    sdBoxLanes_Set(&touch.pair, a, b, xfAB, margin);
    sdBoxLanes_View(&touch.pair, touch.views);
    SD_KERNEL(sdSatBox_Gaps)(a->box.halfExtents, b->box.halfExtents, xfAB, 0.0, &pair, &gaps);
    int axis = sdBoxGaps_Best(&gaps, SD_SAT_TIE * touch.pair.size, &gap);
    n = sdBoxPair_Normal(&pair, axis);
    sdBoxPair_Deepest(&pair, axis, gap, n, sdBoxPair_InB(&pair, n), &onA, &onB);
    if (!sdBoxPair_FindNearest(&pair, onA, EXACT * touch.pair.size, &onA, &onB, &n, &touch.gap)) {
        return SD_BOX_UNKNOWN;
    }
    if (touch.gap > touch.pair.limit) {
        return SD_BOX_APART;
    }
    touch.axis = SD_BOX_AXIS_COUNT;
    touch.normal = (sdD4){n.x, n.y, n.z, 0.0};
    touch.normalInB = sdBoxLanes_InB(&touch.pair, touch.normal);
    if (!findPoints(&touch)) {
        return SD_BOX_UNKNOWN;
    }
    writePoints(&touch, margin, cache, out);
    return SD_BOX_CONTACT;
}

/// The gap on an axis.
static double gapOn(const sdBoxGapLanes* gaps, int axis) {
    if (axis < SD_BOX_FACE_AXES) {
        return axis < 3 ? gaps->faceA[axis] : gaps->faceB[axis - 3];
    }
    int i = sdBoxAxis_EdgeA(axis), j = sdBoxAxis_EdgeB(axis);
    return sdSignedRoot(gaps->cross[j >= i ? j - i : j - i + 3][i]);
}

/// The remembered axis, while no other is clearly better.
SD_INLINE int lastAxis(const sdBoxGapLanes* gaps, double size, const sdPairCache* cache, int best,
                       double* gap) {
    int axis = cache->indexA[0];
    if (cache->kind != SD_CACHE_SAT_BOX || axis >= SD_BOX_AXIS_COUNT || axis == best) {
        return best;
    }
    double last = gapOn(gaps, axis);
    bool isAsClosed = last > 0.0 || *gap <= 0.0;
    if (!isAsClosed || !(last >= *gap - HYSTERESIS * size)) {
        return best;
    }
    *gap = last;
    return axis;
}

sdBoxAnswer SD_KERNEL(sdBoxes_Collide)(const sdShape* a, const sdShape* b, const sdTransform* xfAB,
                                       float margin, sdPairCache* cache, sdManifold* out) {
    Touch touch;
    sdBoxGapLanes gaps;
    if (!sdBoxLanes_Set(&touch.pair, a, b, xfAB, margin)) {
        return SD_BOX_UNKNOWN;
    }
    sdBoxLanes_View(&touch.pair, touch.views);
    sdBoxLanes_Gaps(&touch.pair, &gaps);
    double gap, bestGap, size = touch.pair.size;
    bool isApart;
    int best = sdBoxGapLanes_Best(&gaps, SD_SAT_TIE * size, touch.pair.limit, &bestGap, &isApart);
    gap = bestGap;
    if (isApart) {
        return SD_BOX_APART;
    }
    int axis = cache != NULL ? lastAxis(&gaps, size, cache, best, &gap) : best;
    touch.axis = axis;
    touch.gap = gap;
    if (axis < SD_BOX_FACE_AXES && gap > -DEEP * size && collideCorner(&touch, margin, cache, out)) {
        return SD_BOX_CONTACT;
    }
    setAxis(&touch, axis, gap);
    if (findPoints(&touch)) {
        writePoints(&touch, margin, cache, out);
        return SD_BOX_CONTACT;
    }
    if (axis != best) {
        setAxis(&touch, best, bestGap);
        if (findPoints(&touch)) {
            writePoints(&touch, margin, cache, out);
            return SD_BOX_CONTACT;
        }
    }
    return bestGap > 0.0 ? collideCorners(a, b, xfAB, margin, cache, out) : SD_BOX_UNKNOWN;
}
