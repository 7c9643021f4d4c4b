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
//       the axis says, it proves the answer; if not, the boxes are apart by corners. Most boxes
//       that just touch have one point only, which is known without all that: a corner over a face,
//       or two edges that cross.

#include "narrow/collide_boxes.h"

#include "narrow/collide_box_axes.h"
#include "narrow/collide_box_faces.h"
#include "narrow/manifold.h"
#include "narrow/sat.h"

/// Fraction of the smaller box by which another axis must be better than the remembered one.
#define HYSTERESIS 1e-3
/// Fraction of the smaller box within which nearest points must be so.
#define EXACT 1e-9

/// Depth, as a fraction of the smaller box, from which one point is not looked for.
#define DEEP 0.05

/// Two boxes and the axis on which they touch.
typedef struct Contact {
    const sdBoxPair* pair;
    int axis; ///< SD_BOX_AXIS_COUNT: none of the axes, as between corners
    double gap;
    sdVec3d normal, normalInB;
    double size;        ///< of the smaller box; points nearer than a fraction of it become one
    double rim;         ///< see SD_MANIFOLD_RIM, m
    double tolerance;   ///< of the deepest point, m
    double limit;       ///< points further apart are not wanted
    sdPairCache* cache; ///< may be NULL
} Contact;

static void setAxis(Contact* contact, int axis, double gap) {
    contact->axis = axis;
    contact->gap = gap;
    contact->normal = sdBoxPair_Normal(contact->pair, axis);
    contact->normalInB = sdBoxPair_InB(contact->pair, contact->normal);
}

// ---- one point -----------------------------------------------------------------------------

/// The face of a box that looks along a direction.
typedef struct Facing {
    int axis, u, v;
    int label;     ///< of its sides, see sdBoxFaces
    bool isTurned; ///< it looks against its axis
} Facing;

SD_INLINE Facing facingOf(const double d[3]) {
    int axis = sdLargestAxis(sdV3d(d[0], d[1], d[2]));
    bool isTurned = d[axis] < 0.0;
    return (Facing){axis, axis == 2 ? 0 : axis + 1, axis == 0 ? 2 : axis - 1,
                    4 * (2 * axis + (isTurned ? 1 : 0)), isTurned};
}

/// Number of the corner of the face that is furthest along the direction.
SD_INLINE int cornerOf(const Facing* facing, const double d[3]) {
    int isBackV = (d[facing->v] < 0.0) != facing->isTurned;
    return (d[facing->u] < 0.0) ^ (3 * isBackV);
}

/// Number of the side of the face along an axis that is furthest along the direction.
SD_INLINE int sideOf(const Facing* facing, int axis, const double d[3]) {
    int isBackV = (d[facing->v] < 0.0) != facing->isTurned, isBackU = d[facing->u] < 0.0;
    const int sides[2] = {3 - 2 * isBackU, 2 * isBackV};
    return sides[axis == facing->u];
}

/// 1 when a place and two steps from it stay in an interval.
SD_INLINE int isWithin(double at, double step, double otherStep, double half) {
    return (fabs(at) <= half) & (fabs(at + step) <= half) & (fabs(at + otherStep) <= half);
}

/// A corner over a face. The face that it belongs to rises from there, along two edges; when it
/// leaves the limit before the edges end, and before they leave the other face, there are no more
/// points.
SD_INLINE bool findCorner(const Contact* c, sdVec3d* onA, uint32_t* id) {
    const sdBoxPair* pair = c->pair;
    sdVec3d n = c->normal, inB = c->normalInB;
    sdVec3d cornerA = sdBoxPair_CornerOfA(pair, n), cornerB = sdBoxPair_CornerOfB(pair, inB);
    sdVec3d own = sdBoxPair_InB(pair, sdSubD(cornerA, sdV3d(pair->t[0], pair->t[1], pair->t[2])));
    // whose corner: B's over a face of A, or A's over one of B
    const double along[2][3] = {{-inB.x, -inB.y, -inB.z}, {n.x, n.y, n.z}};
    const double over[2][3] = {{cornerB.x, cornerB.y, cornerB.z}, {own.x, own.y, own.z}};
    int which = c->axis < 3 ? 0 : 1, face = which == 0 ? c->axis : c->axis - 3;
    const double *d = along[which], *p = over[which];
    const double *half = which == 0 ? pair->a : pair->b, *edges = which == 0 ? pair->b : pair->a;
    // component of edge i on axis k of the other box: r[i][k] or r[k][i]
    int forEdge = which == 0 ? 3 : 1, forAxis = which == 0 ? 1 : 3;
    const double* r = &pair->r[0][0];
    Facing facing = facingOf(d);
    int k = face == 2 ? 0 : face + 1, l = face == 0 ? 2 : face - 1;
    // to where the limit is reached, back from the corner
    double slack = c->limit - c->gap, u = -slack / d[facing.u], v = -slack / d[facing.v];
    const double *edgeU = r + forEdge * facing.u, *edgeV = r + forEdge * facing.v;
    int isOne = (fabs(u) < 2.0 * edges[facing.u]) & (fabs(v) < 2.0 * edges[facing.v]) &
                isWithin(p[k], u * edgeU[forAxis * k], v * edgeV[forAxis * k], half[k] - c->rim) &
                isWithin(p[l], u * edgeU[forAxis * l], v * edgeV[forAxis * l], half[l] - c->rim);
    int corner = cornerOf(&facing, d);
    int to = facing.label + corner, from = facing.label + ((corner + 3) & 3);
    *id = which == 0 ? sdManifold_Id(from, to) : sdManifold_Id(~to, ~from);
    *onA = which == 0 ? sdMulAddD(cornerB, -c->gap, n) : cornerA;
    return isOne != 0;
}

/// Two edges that cross. The faces beside them rise from there, each along the edge of the other;
/// when they leave the limit before the edges and the faces end, there are no more points.
SD_INLINE bool findCrossing(const Contact* c, sdVec3d* onA, uint32_t* id) {
    const sdBoxPair* pair = c->pair;
    const double n[3] = {c->normal.x, c->normal.y, c->normal.z};
    const double back[3] = {-c->normalInB.x, -c->normalInB.y, -c->normalInB.z};
    int i = sdBoxAxis_EdgeA(c->axis), j = sdBoxAxis_EdgeB(c->axis);
    sdVec3d p = sdBoxPair_CornerOfA(pair, c->normal), q = sdBoxPair_CornerOfB(pair, c->normalInB);
    sdBoxPair_Slide(pair, i, j, &p, &q);
    const double* r = pair->r[j];
    const double place[3] = {p.x, p.y, p.z};
    double alongB =
        (q.x - pair->t[0]) * r[0] + (q.y - pair->t[1]) * r[1] + (q.z - pair->t[2]) * r[2];
    Facing a = facingOf(n), b = facingOf(back);
    int acrossA = 3 - i - a.axis, acrossB = 3 - j - b.axis;
    // along each edge to where the limit is reached over the other face
    double slack = c->limit - c->gap;
    double stepA = slack * back[b.axis] / pair->r[b.axis][i], stepB = slack * n[a.axis] / r[a.axis];
    double inwardA = stepB * r[acrossA] - slack * n[acrossA];
    double inwardB = stepA * pair->r[acrossB][i] - slack * back[acrossB];
    int isOne = isWithin(place[i], stepA, stepB * r[i], pair->a[i] - c->rim) &
                isWithin(alongB, stepB, stepA * r[i], pair->b[j] - c->rim) &
                (fabs(inwardA) <= 2.0 * pair->a[acrossA]) &
                (fabs(inwardB) <= 2.0 * pair->b[acrossB]);
    int sideA = sideOf(&a, i, n), sideB = sideOf(&b, j, back);
    // sides run against u, against v, along u, along v, where v is turned with the face
    bool isBack = (sideB < 2) != (j == b.v && b.isTurned);
    bool isLeaving = (r[acrossA] * n[acrossA] < 0.0) == isBack;
    int labelA = ~(a.label + sideA), labelB = b.label + sideB;
    *id = isLeaving ? sdManifold_Id(labelB, labelA) : sdManifold_Id(labelA, labelB);
    *onA = p;
    return isOne != 0;
}

// ---- all points ----------------------------------------------------------------------------

typedef struct Points {
    sdFlatPoint points[SD_BOX_MAX_POINTS];
    int count;
} Points;

/// Points that are as good as one become one, the deepest of them.
static void mergePoints(const Contact* contact, Points* points) {
    const double merge = SD_MANIFOLD_MERGE * contact->size;
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
        int at = sdFlatPoints_Find(points->points, count, point.u, point.v, contact->size);
        if (at == count || point.separation < points->points[at].separation - contact->tolerance) {
            points->points[at] = point;
            count += at == count ? 1 : 0;
        }
    }
    points->count = count;
}

/// What both faces have in common along the axis.
/// @return whether the deepest point is as deep as the gap on the axis says
static bool findPoints(const Contact* contact, sdBoxFaces* faces, Points* points) {
    sdBoxFaces_Set(faces, contact->pair, contact->normal, contact->normalInB);
    double deepest = DBL_MAX;
    points->count = SD_KERNEL(sdBoxFaces_Intersect)(
        faces, contact->rim, contact->gap - contact->tolerance, contact->limit, points->points);
    for (int i = 0; i < points->count; ++i) {
        double separation = points->points[i].separation;
        deepest = separation < deepest ? separation : deepest;
    }
    return deepest <= contact->gap + contact->tolerance;
}

// ---- result --------------------------------------------------------------------------------

/// 0: a corner touches, 1: an edge, 2: a face.
/// @param n unit, in the box's frame
SD_INLINE int touchOf(sdVec3d n) {
    double x = n.x * n.x, y = n.y * n.y, z = n.z * n.z;
    double most = x > y ? x : y, least = x < y ? x : y;
    most = most > z ? most : z;
    least = least < z ? least : z;
    const double flat = SD_MANIFOLD_FLAT_TILT * SD_MANIFOLD_FLAT_TILT;
    return (least <= flat ? 1 : 0) + (x + y + z - most <= flat ? 1 : 0);
}

static void store(const Contact* contact, sdPairCache* cache) {
    if (cache == NULL || contact->axis == SD_BOX_AXIS_COUNT) {
        return;
    }
    int axis = contact->axis;
    cache->axis = sdVec3d_Round(contact->normal);
    cache->kind = SD_CACHE_SAT_BOX;
    cache->count = 1;
    cache->indexA[0] = (uint16_t)axis;
    cache->featureType = (uint8_t)(axis < 3                  ? SD_FEATURE_FACE_A
                                   : axis < SD_BOX_FACE_AXES ? SD_FEATURE_FACE_B
                                                             : SD_FEATURE_EDGE_EDGE);
}

static void writeHead(const Contact* contact, sdManifold* out) {
    out->normal = sdVec3d_Round(contact->normal);
    out->kind = sdManifold_Kind(touchOf(contact->normal), touchOf(contact->normalInB));
}

SD_INLINE void writePoint(const Contact* contact, sdVec3d onA, double separation, uint32_t id,
                          sdManifoldPoint* out) {
    out->pointA = sdVec3d_Round(onA);
    out->pointB = sdVec3d_Round(sdMulAddD(onA, separation, contact->normal));
    out->separation = (float)separation;
    out->id = id;
}

static void writePoints(const Contact* contact, const sdBoxFaces* faces, const Points* points,
                        sdManifold* out) {
    int chosen[SD_MANIFOLD_MAX_POINTS];
    writeHead(contact, out);
    out->pointCount =
        sdFlatPoints_Choose(points->points, points->count, contact->size, contact->cache, chosen);
    for (int i = 0; i < out->pointCount; ++i) {
        const sdFlatPoint* point = &points->points[chosen[i]];
        writePoint(contact, sdBoxFaces_Place(faces, contact->pair, point), point->separation,
                   point->id, &out->points[i]);
    }
}

/// @return false when what is nearest is not on faces or edges of this axis
/// @param onA a corner or crossing there, on A or beside it; not when they overlap
static bool collideOnAxis(const Contact* contact, sdVec3d* onA, sdManifold* out) {
    uint32_t id;
    // what overlaps so much hardly ever has one point
    bool isDeep = contact->gap < -DEEP * contact->size;
    bool isOne = !isDeep && (contact->axis < SD_BOX_FACE_AXES ? findCorner(contact, onA, &id)
                                                              : findCrossing(contact, onA, &id));
    if (isOne) {
        writeHead(contact, out);
        out->pointCount = 1;
        writePoint(contact, *onA, contact->gap, id, &out->points[0]);
        return true;
    }
    sdBoxFaces faces;
    Points points;
    if (!findPoints(contact, &faces, &points)) {
        return false;
    }
    mergePoints(contact, &points);
    writePoints(contact, &faces, &points, out);
    return true;
}

/// Boxes that are apart by corners, or a corner and an edge.
/// @param start where the search begins
static sdBoxAnswer collideCorners(Contact* contact, sdVec3d start, sdManifold* out) {
    sdVec3d onA, onB;
    sdBoxFaces faces;
    Points points;
    if (!sdBoxPair_FindNearest(contact->pair, start, EXACT * contact->size, &onA, &onB,
                               &contact->normal, &contact->gap)) {
        return SD_BOX_UNKNOWN;
    }
    if (contact->gap > contact->limit) {
        return SD_BOX_APART;
    }
    contact->axis = SD_BOX_AXIS_COUNT;
    contact->normalInB = sdBoxPair_InB(contact->pair, contact->normal);
    if (!findPoints(contact, &faces, &points)) {
        return SD_BOX_UNKNOWN;
    }
    mergePoints(contact, &points);
    writePoints(contact, &faces, &points, out);
    return SD_BOX_CONTACT;
}

sdBoxAnswer SD_KERNEL(sdBoxes_Collide)(const sdShape* a, const sdShape* b, const sdTransform* xfAB,
                                       double limit, double size, sdPairCache* cache,
                                       sdManifold* out) {
    sdBoxPair pair;
    sdBoxGaps gaps;
    SD_KERNEL(sdSatBox_Gaps)(a->box.halfExtents, b->box.halfExtents, xfAB, limit, &pair, &gaps);
    Contact contact = {.pair = &pair,
                       .cache = cache,
                       .size = size,
                       .rim = SD_MANIFOLD_RIM * size,
                       .tolerance = SD_MANIFOLD_DEEPEST * size,
                       .limit = limit};
    sdVec3d onA;
    double gap;
    int best = sdBoxGaps_Best(&gaps, SD_SAT_TIE * size, &gap), axis = best;
    if (gaps.isApart || !sdBoxPair_HasThickness(&pair)) {
        setAxis(&contact, best, gap);
        store(&contact, cache);
        return gaps.isApart ? SD_BOX_APART : SD_BOX_UNKNOWN;
    }
    // the remembered axis, while no other is clearly better
    if (cache != NULL && cache->kind == SD_CACHE_SAT_BOX && cache->indexA[0] < SD_BOX_AXIS_COUNT &&
        cache->indexA[0] != best) {
        double last = sdBoxGaps_On(&gaps, cache->indexA[0]);
        bool isAsClosed = last > 0.0 || gap <= 0.0;
        axis = isAsClosed && last >= gap - HYSTERESIS * size ? cache->indexA[0] : best;
    }
    if (axis != best) {
        setAxis(&contact, axis, sdBoxGaps_On(&gaps, axis));
        if (collideOnAxis(&contact, &onA, out)) {
            store(&contact, cache);
            return SD_BOX_CONTACT;
        }
    }
    setAxis(&contact, best, gap);
    if (collideOnAxis(&contact, &onA, out)) {
        store(&contact, cache);
        return SD_BOX_CONTACT;
    }
    return gap > 0.0 ? collideCorners(&contact, onA, out) : SD_BOX_UNKNOWN;
}
