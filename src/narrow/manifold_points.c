// SPDX-License-Identifier: MIT
// manifold_points.c - contact points of two faces, edges or corners that look at each other.
//
// In:   the parts of both surfaces that look along a normal.
// Out:  points on both, the deepest always among them.
// Ref:  clipping as in Gregorius, "Robust contact creation for physics simulations", GDC 2015;
//       Sutherland, Hodgman, "Reentrant polygon clipping", CACM 1974.
// Note: faces are projected along the normal and intersected in the plane, where a point is two
//       numbers: every corner of what they have in common lies on both surfaces.

#include "narrow/manifold.h"

/// In the names of the points at its ends.
#define LABEL_CAPSULE_END 0x70
/// Sine of the angle below which two edges touch along their length.
#define PARALLEL 0.02
/// Marks the label of a side as that of the corner where it starts.
#define CORNER_LABEL 0x4000

// ---- points --------------------------------------------------------------------------------

/// Where a point goes. Points that are as good as one become one, the deepest of them.
/// @return SD_NULL_INDEX when it is not wanted
static inline int placeFor(sdPairContact* contact, double u, double v, double separation,
                           uint32_t id) {
    double tie = SD_MANIFOLD_DEEPEST * contact->size;
    // what is deeper than the deepest point lies beside a sharp corner, within the rim tolerance
    if (separation > contact->limit || separation < contact->deepest - tie) {
        return SD_NULL_INDEX;
    }
    int at = sdFlatPoints_Find(contact->flat, contact->count, u, v, contact->size);
    if (at < contact->count && !(separation < contact->flat[at].separation - tie)) {
        return SD_NULL_INDEX;
    }
    contact->flat[at].u = u;
    contact->flat[at].v = v;
    contact->flat[at].separation = separation;
    contact->flat[at].id = id;
    contact->count = at < contact->count ? contact->count : at + 1;
    return at;
}

static void addPoint(sdPairContact* contact, sdVec3d a, sdVec3d b, uint32_t id) {
    int at = placeFor(contact, sdDotD(contact->across[0], a), sdDotD(contact->across[1], a),
                      sdDotD(contact->normal, sdSubD(b, a)), id);
    if (at != SD_NULL_INDEX) {
        contact->pointsA[at] = a;
        contact->pointsB[at] = b;
    }
}

/// From p along the direction n to the plane of a face.
static sdVec3d onFace(const sdSupportFace* face, sdVec3d p, sdVec3d n) {
    double height = sdDotD(face->normal, sdSubD(p, face->polygon.points[0].p));
    return sdMulAddD(p, -height / sdDotD(face->normal, n), n);
}

// ---- faces ---------------------------------------------------------------------------------

/// A polygon as seen along the normal: places, and labels of the sides that end and start there.
/// Arrays of numbers, because structs that are written in parts and read whole stall.
typedef struct FlatPolygon {
    double u[SD_CLIP_MAX_POINTS + 2];
    double v[SD_CLIP_MAX_POINTS + 2];
    int32_t in[SD_CLIP_MAX_POINTS + 2];
    int32_t out[SD_CLIP_MAX_POINTS + 2];
    int count;
} FlatPolygon;

static void flatten(const sdPairContact* contact, const sdClipPolygon* polygon, FlatPolygon* out) {
    const sdVec3d e = contact->across[0], f = contact->across[1];
    for (int i = 0; i < polygon->count; ++i) {
        const sdClipPoint* point = &polygon->points[i];
        out->u[i] = sdDotD(e, point->p);
        out->v[i] = sdDotD(f, point->p);
        out->in[i] = point->in;
        out->out[i] = point->out;
    }
    out->count = polygon->count;
}

/// Two rims that meet at a sharp corner reach far beyond it.
/// @return about the sine of the sharpest corner, from 1 to 2 times that; 1 without sharp ones
static double sharpness(const FlatPolygon* polygon) {
    double least = 1.0;
    int last = polygon->count - 1;
    double u = polygon->u[0] - polygon->u[last], v = polygon->v[0] - polygon->v[last];
    for (int i = 0; i <= last; ++i) {
        int next = i < last ? i + 1 : 0;
        double du = polygon->u[next] - polygon->u[i], dv = polygon->v[next] - polygon->v[i];
        double turn = 2.0 * (u * dv - v * du), along = u * du + v * dv;
        double lengths = (fabs(u) + fabs(v)) * (fabs(du) + fabs(dv));
        double sine = along < 0.0 ? turn / lengths : 1.0;
        least = sine < least ? sine : least;
        u = du;
        v = dv;
    }
    return least > SD_MANIFOLD_LEAST_RIM ? least : SD_MANIFOLD_LEAST_RIM;
}

/// What sticks out of the rim of a steep face is far from its plane.
/// @param polygon the face as seen along the normal
static double rimTolerance(const sdPairContact* contact, const sdSupportFace* face,
                           const FlatPolygon* polygon) {
    double rim = SD_MANIFOLD_RIM * contact->size * fabs(sdDotD(face->normal, contact->normal));
    return rim * sharpness(polygon);
}

static inline void setCorner(FlatPolygon* polygon, int at, double u, double v, int32_t in,
                             int32_t out) {
    polygon->u[at] = u;
    polygon->v[at] = v;
    polygon->in[at] = in;
    polygon->out[at] = out;
}

/// Every other corner, so that there is room for more.
static void thin(FlatPolygon* polygon) {
    int kept = 0;
    for (int i = 0; i < polygon->count; i += 2) {
        setCorner(polygon, kept++, polygon->u[i], polygon->v[i], polygon->in[i], polygon->out[i]);
    }
    polygon->count = kept;
}

/// Keep what is left of a side of the other polygon.
/// @param heights of the corners over the side
static void cutBySide(const FlatPolygon* from, const double* heights, int32_t label,
                      FlatPolygon* to) {
    int count = 0;
    // one more than before at the most, unless rounding has bent the polygon
    for (int i = 0; i < from->count && count <= SD_CLIP_MAX_POINTS; ++i) {
        int j = i + 1 < from->count ? i + 1 : 0;
        if (heights[i] <= 0.0) {
            setCorner(to, count++, from->u[i], from->v[i], from->in[i], from->out[i]);
        }
        // a corner on the side is where they cross
        if (heights[i] * heights[j] < 0.0) {
            bool isLeaving = heights[i] < 0.0;
            double t = heights[i] / (heights[i] - heights[j]);
            setCorner(to, count++, from->u[i] + t * (from->u[j] - from->u[i]),
                      from->v[i] + t * (from->v[j] - from->v[i]), isLeaving ? from->out[i] : ~label,
                      isLeaving ? ~label : from->out[i]);
        }
    }
    to->count = count;
    if (count >= SD_CLIP_MAX_POINTS) {
        thin(to);
    }
}

/// What lies inside of another polygon, which is counter-clockwise.
/// @param tolerance corners that stick out by no more are kept as they are, m
/// @param spare room to work in
/// @return where it is: the polygon itself or the spare one
static const FlatPolygon* clip(FlatPolygon* polygon, const FlatPolygon* sides, double tolerance,
                               FlatPolygon* spare) {
    for (int i = 0; i < sides->count && polygon->count > 0; ++i) {
        int next = i + 1 < sides->count ? i + 1 : 0;
        double u = sides->u[i], v = sides->v[i], du = sides->u[next] - u, dv = sides->v[next] - v;
        // between the length and 1.5 times that; a side without length cuts nothing
        double length = fabs(du) + fabs(dv), slack = tolerance * length, most = 0.0;
        double heights[SD_CLIP_MAX_POINTS + 2];
        for (int k = 0; k < polygon->count; ++k) {
            double height = (polygon->u[k] - u) * dv - (polygon->v[k] - v) * du;
            most = height > most ? height : most;
            double below = height < 0.0 ? height : 0.0;
            heights[k] = height > slack ? height : below;
        }
        if (most > slack) {
            cutBySide(polygon, heights, sides->out[i], spare);
            FlatPolygon* swap = polygon;
            polygon = spare;
            spare = swap;
        }
    }
    return polygon;
}

/// A plane as heights along the normal: base + slopes[0] u + slopes[1] v.
typedef struct Slope {
    double base, slopes[2];
} Slope;

static Slope slopeOf(const sdPairContact* contact, const sdSupportFace* face) {
    double scale = 1.0 / sdDotD(face->normal, contact->normal);
    return (Slope){scale * sdDotD(face->normal, face->polygon.points[0].p),
                   {-scale * sdDotD(face->normal, contact->across[0]),
                    -scale * sdDotD(face->normal, contact->across[1])}};
}

static void addFacePoints(sdPairContact* contact) {
    FlatPolygon faceA, faceB, spare;
    flatten(contact, &contact->faceA.polygon, &faceA);
    flatten(contact, &contact->faceB.polygon, &faceB);
    const FlatPolygon* common =
        clip(&faceB, &faceA, rimTolerance(contact, &contact->faceA, &faceA), &spare);
    Slope slopeA = slopeOf(contact, &contact->faceA), slopeB = slopeOf(contact, &contact->faceB);
    for (int i = 0; i < common->count; ++i) {
        double u = common->u[i], v = common->v[i];
        double heightA = slopeA.base + u * slopeA.slopes[0] + v * slopeA.slopes[1];
        double heightB = slopeB.base + u * slopeB.slopes[0] + v * slopeB.slopes[1];
        int at = placeFor(contact, u, v, heightB - heightA,
                          sdManifold_Id(common->in[i], common->out[i]));
        if (at != SD_NULL_INDEX) {
            sdVec3d foot = sdMulAddD(sdScaleD(u, contact->across[0]), v, contact->across[1]);
            contact->pointsA[at] = sdMulAddD(foot, heightA, contact->normal);
            contact->pointsB[at] = sdMulAddD(foot, heightB, contact->normal);
        }
    }
}

// ---- segments ------------------------------------------------------------------------------

/// An end of what is left of a segment.
typedef struct SegmentEnd {
    double t;
    int32_t label;
} SegmentEnd;

/// A cut at the corner of a polygon belongs to the corner: either of its sides may have made it.
static int32_t cutLabel(const sdClipPoint* from, const sdClipPoint* to, sdVec3d cut,
                        double tolerance) {
    sdVec3d side = sdSubD(to->p, from->p);
    double along = sdDotD(sdSubD(cut, from->p), side), length = sdLengthD(side);
    if (along <= tolerance * length) {
        return ~(from->out | CORNER_LABEL);
    }
    return ~(along >= (length - tolerance) * length ? to->out | CORNER_LABEL : from->out);
}

/// The part of a segment over or under a polygon.
/// @param axis the polygon is counter-clockwise around it
/// @param corner see SD_MANIFOLD_MERGE, m
static bool clipSegment(const sdClipPolygon* segment, const sdClipPolygon* polygon, sdVec3d axis,
                        double tolerance, double corner, SegmentEnd ends[2]) {
    sdVec3d p = segment->points[0].p, d = sdSubD(segment->points[1].p, p);
    SegmentEnd first = {0.0, segment->points[0].out};
    SegmentEnd last = {1.0, segment->points[1].out};
    for (int i = 0; i < polygon->count; ++i) {
        const sdClipPoint* from = &polygon->points[i];
        const sdClipPoint* to = &polygon->points[i + 1 < polygon->count ? i + 1 : 0];
        sdVec3d outward = sdCrossD(sdSubD(to->p, from->p), axis);
        double slack = tolerance * sdLengthD(outward);
        double height = sdDotD(outward, sdSubD(p, from->p)), rise = sdDotD(outward, d);
        bool isFirstOut = height > slack, isLastOut = height + rise > slack;
        if (isFirstOut && isLastOut) {
            return false;
        }
        if (isFirstOut || isLastOut) {
            double t = -height / rise;
            t = t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
            SegmentEnd cut = {t, cutLabel(from, to, sdMulAddD(p, t, d), corner)};
            first = isFirstOut && t > first.t ? cut : first;
            last = isLastOut && t < last.t ? cut : last;
        }
    }
    ends[0] = first;
    ends[1] = last;
    // where only a corner is met, the deepest point says all
    return (last.t - first.t) * sdLengthD(d) > corner;
}

/// A segment of one body and a face of the other.
static void addSegmentPoints(sdPairContact* contact, bool isSegmentOfA) {
    const sdSupportFace* segment = isSegmentOfA ? &contact->faceA : &contact->faceB;
    const sdSupportFace* face = isSegmentOfA ? &contact->faceB : &contact->faceA;
    sdVec3d axis = isSegmentOfA ? sdScaleD(-1.0, contact->normal) : contact->normal;
    FlatPolygon flat;
    flatten(contact, &face->polygon, &flat);
    SegmentEnd ends[2];
    if (!clipSegment(&segment->polygon, &face->polygon, axis, rimTolerance(contact, face, &flat),
                     SD_MANIFOLD_MERGE * contact->size, ends)) {
        return;
    }
    sdVec3d p = segment->polygon.points[0].p, d = sdSubD(segment->polygon.points[1].p, p);
    for (int i = 0; i < 2; ++i) {
        sdVec3d own = sdMulAddD(p, ends[i].t, d), other = onFace(face, own, contact->normal);
        addPoint(contact, isSegmentOfA ? own : other, isSegmentOfA ? other : own,
                 sdManifold_Id(segment->polygon.points[i].in, ends[i].label));
    }
}

/// Two segments that are nearly parallel: the ends of what they have in common.
static void addParallelPoints(sdPairContact* contact, sdVec3d a, sdVec3d u, sdVec3d b, sdVec3d v) {
    double uu = sdDotD(u, u), vv = sdDotD(v, v);
    const sdClipPoint *pointsA = contact->faceA.polygon.points,
                      *pointsB = contact->faceB.polygon.points;
    double s0 = sdDotD(sdSubD(b, a), u) / uu, s1 = s0 + sdDotD(u, v) / uu;
    bool isTurned = s1 < s0;
    double lower = isTurned ? s1 : s0, upper = isTurned ? s0 : s1;
    double ends[2] = {lower > 0.0 ? lower : 0.0, upper < 1.0 ? upper : 1.0};
    if (!(ends[0] <= ends[1])) {
        return;
    }
    uint32_t ids[2] = {
        lower > 0.0 ? sdManifold_Id(~pointsB[isTurned ? 1 : 0].out, pointsB[isTurned ? 1 : 0].out)
                    : sdManifold_Id(pointsA[0].in, pointsA[0].out),
        upper < 1.0 ? sdManifold_Id(~pointsB[isTurned ? 0 : 1].out, pointsB[isTurned ? 0 : 1].out)
                    : sdManifold_Id(pointsA[1].in, pointsA[1].out)};
    sdVec3d wholeU = sdSubD(pointsA[1].p, pointsA[0].p),
            wholeV = sdSubD(pointsB[1].p, pointsB[0].p);
    for (int i = 0; i < 2; ++i) {
        sdVec3d onA = sdMulAddD(a, ends[i], wholeU);
        double t = sdDotD(sdSubD(onA, b), v) / vv;
        t = t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
        addPoint(contact, onA, sdMulAddD(b, t, wholeV), ids[i]);
    }
}

static sdVec3d across(sdVec3d a, sdVec3d n) {
    return sdMulAddD(a, -sdDotD(a, n), n);
}

/// How far along n a line meets the side of a cylinder.
/// @param p a point of the line, from a point of the axis
/// @param sign 1: where it comes out; -1: where it goes in
/// @return false when it passes by
static bool meetSide(sdVec3d p, sdVec3d axis, sdVec3d n, double radius, double sign, double* way) {
    sdVec3d q = across(p, axis), m = across(n, axis);
    double mm = sdDotD(m, m), qm = sdDotD(q, m);
    double root = qm * qm - mm * (sdDotD(q, q) - radius * radius);
    if (!(root >= 0.0) || !(mm > 0.0)) {
        return false;
    }
    *way = (sign * sqrt(root) - qm) / mm;
    return true;
}

/// Where two capsules are beside each other: at both ends of what they have in common, however
/// their axes cross, for they are round and touch along their length as long as they are nearly
/// parallel.
static void addCapsulePoints(sdPairContact* contact) {
    const sdCapsule *a = &contact->a->capsule, *b = &contact->b->capsule;
    double rA = (double)a->radius, rB = (double)b->radius, reach = rA + rB;
    sdVec3d n = contact->normal, center = contact->pose.offset, axis = contact->pose.columns[1];
    sdVec3d up = {0.0, 1.0, 0.0};
    if (!(fabs(axis.y) >= SD_MANIFOLD_CAPSULE_TWIST) || !(reach > 0.0)) {
        return;
    }
    // what is met along a normal that leans must be of the sides, too
    double lean = fabs(n.y) > fabs(sdDotD(n, axis)) ? fabs(n.y) : fabs(sdDotD(n, axis));
    double halfA = (double)a->halfLength - lean * reach;
    double halfB = ((double)b->halfLength - lean * reach) * fabs(axis.y);
    double ends[2] = {center.y - halfB > -halfA ? center.y - halfB : -halfA,
                      center.y + halfB < halfA ? center.y + halfB : halfA};
    for (int i = 0; i < 2 && ends[0] <= ends[1]; ++i) {
        sdVec3d onA = sdV3d(0.0, ends[i], 0.0);
        sdVec3d onB = sdMulAddD(center, (ends[i] - center.y) / axis.y, axis);
        sdVec3d aside = sdScaleD(rA / reach, across(sdSubD(onB, onA), n));
        sdVec3d start = sdAddD(onA, aside);
        double wayA, wayB;
        if (meetSide(aside, up, n, rA, 1.0, &wayA) &&
            meetSide(sdSubD(start, onB), axis, n, rB, -1.0, &wayB)) {
            addPoint(contact, sdMulAddD(start, wayA, n), sdMulAddD(start, wayB, n),
                     sdManifold_Id(LABEL_CAPSULE_END, LABEL_CAPSULE_END + i));
        }
    }
}

static void addEdgePoints(sdPairContact* contact) {
    if (contact->a->type == SD_SHAPE_CAPSULE && contact->b->type == SD_SHAPE_CAPSULE) {
        addCapsulePoints(contact);
        return;
    }
    const sdClipPoint *pointsA = contact->faceA.polygon.points,
                      *pointsB = contact->faceB.polygon.points;
    sdVec3d n = contact->normal, a = pointsA[0].p, b = pointsB[0].p;
    sdVec3d wholeU = sdSubD(pointsA[1].p, a), wholeV = sdSubD(pointsB[1].p, b);
    sdVec3d u = across(wholeU, n), v = across(wholeV, n);
    double turn = sdDotD(n, sdCrossD(u, v)), lengths = sqrt(sdDotD(u, u) * sdDotD(v, v));
    // edges that cross touch at the deepest point only
    if (fabs(turn) <= PARALLEL * lengths && lengths > 0.0) {
        addParallelPoints(contact, a, u, b, v);
    }
}

void sdPairContact_AddPoints(sdPairContact* contact) {
    int countA = contact->faceA.polygon.count, countB = contact->faceB.polygon.count;
    contact->count = 0;
    sdManifold_SetAcross(contact->normal, contact->across);
    if (countA > 2 && countB > 2) {
        addFacePoints(contact);
    } else if (countA == 2 && countB == 2) {
        addEdgePoints(contact);
    } else if (countA >= 2 && countB >= 2) {
        addSegmentPoints(contact, countA == 2);
    }
}

void sdPairContact_AddFeet(sdPairContact* contact, bool isPlaneA, sdVec3d origin) {
    sdVec3d n = contact->normal;
    const sdClipPolygon* polygon = isPlaneA ? &contact->faceB.polygon : &contact->faceA.polygon;
    contact->count = 0;
    sdManifold_SetAcross(contact->normal, contact->across);
    for (int i = 0; i < polygon->count && polygon->count > 1; ++i) {
        const sdClipPoint* point = &polygon->points[i];
        sdVec3d foot = sdMulAddD(point->p, -sdDotD(n, sdSubD(point->p, origin)), n);
        addPoint(contact, isPlaneA ? foot : point->p, isPlaneA ? point->p : foot,
                 sdManifold_Id(point->in, point->out));
    }
}

// ---- the deepest point ---------------------------------------------------------------------

/// Extent of a face, measured from its first corner.
static double spreadOf(const sdSupportFace* face) {
    double most = 0.0;
    for (int i = 1; i < face->polygon.count; ++i) {
        sdVec3d d = sdSubD(face->polygon.points[i].p, face->polygon.points[0].p);
        double squared = sdDotD(d, d);
        most = squared > most ? squared : most;
    }
    return sqrt(most);
}

bool sdPairContact_HasDeepest(const sdPairContact* contact) {
    double least = DBL_MAX;
    for (int i = 0; i < contact->count; ++i) {
        least = contact->flat[i].separation < least ? contact->flat[i].separation : least;
    }
    return least <= contact->deepest + SD_MANIFOLD_DEEPEST * contact->size;
}

void sdPairContact_AddDeepest(sdPairContact* contact, sdVec3d pointA, sdVec3d pointB) {
    if (sdPairContact_HasDeepest(contact)) {
        return;
    }
    double nearest = DBL_MAX;
    int at = 0;
    for (int i = 0; i < contact->count; ++i) {
        sdVec3d d = sdSubD(contact->pointsA[i], pointA);
        double squared = sdDotD(d, d);
        at = squared < nearest ? i : at;
        nearest = squared < nearest ? squared : nearest;
    }
    double spreadA = contact->a->type == SD_SHAPE_HALF_SPACE ? DBL_MAX : spreadOf(&contact->faceA);
    double spreadB = contact->b->type == SD_SHAPE_HALF_SPACE ? DBL_MAX : spreadOf(&contact->faceB);
    double snap = SD_MANIFOLD_SNAP * (spreadA < spreadB ? spreadA : spreadB);
    bool isSnapped = nearest <= snap * snap;
    at = isSnapped ? at : contact->count++;
    uint32_t id = isSnapped ? contact->flat[at].id : SD_MANIFOLD_WITNESS_ID;
    contact->flat[at] = (sdFlatPoint){sdDotD(contact->across[0], pointA),
                                      sdDotD(contact->across[1], pointA), contact->deepest, id};
    contact->pointsA[at] = pointA;
    contact->pointsB[at] = pointB;
}

// ---- result --------------------------------------------------------------------------------

int sdSupportFace_Touch(const sdSupportFace* face, sdVec3d n) {
    const double flat = SD_MANIFOLD_FLAT_TILT * SD_MANIFOLD_FLAT_TILT;
    const sdClipPolygon* polygon = &face->polygon;
    int count = polygon->count;
    if (count > 2) {
        sdVec3d turn = sdCrossD(face->normal, n);
        if (sdDotD(turn, turn) <= flat) {
            return 2;
        }
    }
    int best = 0;
    double most = -DBL_MAX;
    for (int i = 0; i < count; ++i) {
        double height = sdDotD(n, polygon->points[i].p);
        best = height > most ? i : best;
        most = height > most ? height : most;
    }
    for (int i = 0; i < 2 && count >= 2; ++i) {
        int other = best + (i == 0 ? 1 : count - 1);
        other = other >= count ? other - count : other;
        sdVec3d edge = sdSubD(polygon->points[other].p, polygon->points[best].p);
        double along = sdDotD(edge, n);
        if (along * along <= flat * sdDotD(edge, edge)) {
            return 1;
        }
    }
    return 0;
}

void sdPairContact_Write(const sdPairContact* contact, float margin, sdPairCache* cache,
                         sdManifold* out) {
    int chosen[SD_MANIFOLD_MAX_POINTS];
    out->normal = sdVec3d_Round(contact->normal);
    out->pointCount =
        sdFlatPoints_Choose(contact->flat, contact->count, contact->size, cache, chosen);
    for (int i = 0; i < out->pointCount; ++i) {
        const sdFlatPoint* point = &contact->flat[chosen[i]];
        out->points[i] = (sdManifoldPoint){
            .pointA = sdVec3d_Round(contact->pointsA[chosen[i]]),
            .pointB = sdVec3d_Round(contact->pointsB[chosen[i]]),
            .separation = sdMinF((float)point->separation, margin),
            .id = sdManifold_UniqueId(out, i, point->id),
        };
    }
}
