// SPDX-License-Identifier: MIT
// manifold.c - where two convex shapes touch: up to four points for a solver.
//
// In:   two shapes, B's pose in A's frame, a margin.
// Out:  a normal, points on both surfaces with their separation along it, what touches what.
// Ref:  S0 §4.2 (with its remark on face-face contact corrected); clipping as in Gregorius, "Robust
//       contact creation for physics simulations", GDC 2015.
// Note: the normal comes from the nearest or deepest points. The faces of both bodies that look
//       along it are projected along it and intersected: every corner of what they have in common
//       lies on both surfaces. The deepest point is always among those that are given.

#include "narrow/manifold.h"
#include "geometry/hull.h"
#include "narrow/collide_box.h"
#include "narrow/collide_mesh.h"
#include "narrow/half_space.h"
#include "narrow/sat_box.h"
#include "narrow/support_face.h"

/// Points this much further away than the margin, as a fraction of the smaller body, still count:
/// faces that touch exactly must not lose corners by rounding.
#define MARGIN_TOLERANCE 1e-6
/// A deepest point that no corner has is given by moving the nearest corner there, when it is
/// within this fraction of the smaller face.
#define SNAP_FRACTION 0.2
/// Sine of the angle below which two edges touch along their length.
#define PARALLEL 0.02
/// Angle within which a flat or straight part of a round body gives the exact normal, rad.
#define POLISH_ANGLE 2e-3
/// Fraction of the smaller body by which a normal may be worse and still be preferred for being
/// that of a flat part: the accuracy of EPA for round bodies.
#define POLISH_TOLERANCE 2e-7

/// Squares of the lengths of remembered axes differ from 1 by less than this.
#define UNIT_TOLERANCE 1e-5

/// Of points that no corner or crossing made.
#define WITNESS_ID 0x7FFF7FFFu
/// Marks the label of a side as that of the corner where it starts.
#define CORNER_LABEL 0x4000

#define MAX_CANDIDATES (SD_CLIP_MAX_POINTS + 1)

typedef struct Candidate {
    sdVec3d a, b;
    double separation;
    uint32_t id;
} Candidate;

typedef struct Contact {
    const sdShape *a, *b;
    sdPose pose;
    sdVec3d normal;
    double size;    ///< of the smaller body
    double limit;   ///< points further apart are not wanted
    double deepest; ///< least separation
    sdSupportFace faceA, faceB;
    Candidate candidates[MAX_CANDIDATES];
    int count;
} Contact;

// ---- points --------------------------------------------------------------------------------

/// Points that are as good as one become one, the deepest of them.
static void addPoint(Contact* contact, sdVec3d a, sdVec3d b, uint32_t id) {
    double separation = sdDotD(contact->normal, sdSubD(b, a));
    double merge = SD_MANIFOLD_MERGE * contact->size;
    double tie = SD_MANIFOLD_DEEPEST * contact->size;
    // what is deeper than the deepest point lies beside a sharp corner, within the rim tolerance
    if (separation > contact->limit || separation < contact->deepest - tie) {
        return;
    }
    const Candidate point = {a, b, separation, id};
    for (int i = 0; i < contact->count; ++i) {
        Candidate* other = &contact->candidates[i];
        sdVec3d d = sdSubD(a, other->a);
        if (sdDotD(d, d) <= merge * merge) {
            *other = separation < other->separation - tie ? point : *other;
            return;
        }
    }
    contact->candidates[contact->count++] = point;
}

/// From p along the direction n to the plane of a face.
static sdVec3d onFace(const sdSupportFace* face, sdVec3d p, sdVec3d n) {
    double height = sdDotD(face->normal, sdSubD(p, face->polygon.points[0].p));
    return sdMulAddD(p, -height / sdDotD(face->normal, n), n);
}

/// What sticks out of the rim of a steep face is far from its plane.
static double rimTolerance(const Contact* contact, const sdSupportFace* face) {
    return SD_MANIFOLD_RIM * contact->size * fabs(sdDotD(face->normal, contact->normal));
}

static void addFacePoints(Contact* contact) {
    sdClipPolygon* polygon = &contact->faceB.polygon;
    sdClip_BySides(polygon, &contact->faceA.polygon, contact->normal,
                   rimTolerance(contact, &contact->faceA));
    for (int i = 0; i < polygon->count; ++i) {
        const sdClipPoint* point = &polygon->points[i];
        addPoint(contact, onFace(&contact->faceA, point->p, contact->normal), point->p,
                 sdManifold_Id(point->in, point->out));
    }
}

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
static void addSegmentPoints(Contact* contact, bool isSegmentOfA) {
    const sdSupportFace* segment = isSegmentOfA ? &contact->faceA : &contact->faceB;
    const sdSupportFace* face = isSegmentOfA ? &contact->faceB : &contact->faceA;
    sdVec3d axis = isSegmentOfA ? sdScaleD(-1.0, contact->normal) : contact->normal;
    SegmentEnd ends[2];
    if (!clipSegment(&segment->polygon, &face->polygon, axis, rimTolerance(contact, face),
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
static void addParallelPoints(Contact* contact, sdVec3d a, sdVec3d u, sdVec3d b, sdVec3d v) {
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

static void addEdgePoints(Contact* contact) {
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

static void addPoints(Contact* contact) {
    int countA = contact->faceA.polygon.count, countB = contact->faceB.polygon.count;
    contact->count = 0;
    if (countA > 2 && countB > 2) {
        addFacePoints(contact);
    } else if (countA == 2 && countB == 2) {
        addEdgePoints(contact);
    } else if (countA >= 2 && countB >= 2) {
        addSegmentPoints(contact, countA == 2);
    }
}

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

/// Corners of a face are not its lowest point where it is round, and touching corners can be lost
/// by rounding: the deepest point is known from elsewhere.
static void addDeepest(Contact* contact, const sdPairResult* deepest, double spread) {
    double least = DBL_MAX, nearest = DBL_MAX;
    int at = 0;
    for (int i = 0; i < contact->count; ++i) {
        sdVec3d d = sdSubD(contact->candidates[i].a, deepest->pointA);
        double squared = sdDotD(d, d), separation = contact->candidates[i].separation;
        least = separation < least ? separation : least;
        at = squared < nearest ? i : at;
        nearest = squared < nearest ? squared : nearest;
    }
    if (least <= deepest->separation + SD_MANIFOLD_DEEPEST * contact->size) {
        return;
    }
    double snap = SNAP_FRACTION * spread;
    bool isSnapped = nearest <= snap * snap;
    at = isSnapped ? at : contact->count++;
    uint32_t id = isSnapped ? contact->candidates[at].id : WITNESS_ID;
    contact->candidates[at] =
        (Candidate){deepest->pointA, deepest->pointB, deepest->separation, id};
}

// ---- reduction -----------------------------------------------------------------------------

static int findDeepest(const Contact* contact) {
    double tie = SD_MANIFOLD_DEEPEST * contact->size;
    int best = 0;
    for (int i = 1; i < contact->count; ++i) {
        bool isDeeper =
            contact->candidates[i].separation < contact->candidates[best].separation - tie;
        best = isDeeper ? i : best;
    }
    return best;
}

static int findFarthest(const Contact* contact, int from) {
    double most = -1.0;
    int best = from;
    for (int i = 0; i < contact->count; ++i) {
        sdVec3d d = sdSubD(contact->candidates[i].a, contact->candidates[from].a);
        double squared = sdDotD(d, d);
        if (squared > most * (1.0 + SD_MANIFOLD_TIE)) {
            most = squared;
            best = i;
        }
    }
    return best;
}

/// Twice the area of a triangle, positive when it turns left around the normal.
static double areaOf(const Contact* contact, int i, int j, int k) {
    const Candidate* c = contact->candidates;
    return sdDotD(contact->normal, sdCrossD(sdSubD(c[j].a, c[i].a), sdSubD(c[k].a, c[i].a)));
}

/// The point that adds most area to a triangle or, with k = i, to a segment.
/// @return SD_NULL_INDEX when there is none outside of it
static int findOutermost(const Contact* contact, int i, int j, int k) {
    double most = 0.0;
    int best = SD_NULL_INDEX;
    bool isSegment = k == i;
    double turn = isSegment || areaOf(contact, i, j, k) > 0.0 ? 1.0 : -1.0;
    for (int p = 0; p < contact->count; ++p) {
        double area = -turn * areaOf(contact, i, j, p);
        if (isSegment) {
            area = fabs(area);
        } else {
            double second = -turn * areaOf(contact, j, k, p);
            double third = -turn * areaOf(contact, k, i, p);
            area = second > area ? second : area;
            area = third > area ? third : area;
        }
        if (area > most * (1.0 + SD_MANIFOLD_TIE)) {
            most = area;
            best = p;
        }
    }
    return best;
}

/// The deepest, the one farthest from it, and those that span most area with them; in the order of
/// the candidates.
static int choose(const Contact* contact, int chosen[SD_MANIFOLD_MAX_POINTS]) {
    if (contact->count <= SD_MANIFOLD_MAX_POINTS) {
        for (int i = 0; i < contact->count; ++i) {
            chosen[i] = i;
        }
        return contact->count;
    }
    int count = 2;
    chosen[0] = findDeepest(contact);
    chosen[1] = findFarthest(contact, chosen[0]);
    int third = findOutermost(contact, chosen[0], chosen[1], chosen[0]);
    if (third != SD_NULL_INDEX) {
        chosen[count++] = third;
        int fourth = findOutermost(contact, chosen[0], chosen[1], third);
        if (fourth != SD_NULL_INDEX) {
            chosen[count++] = fourth;
        }
    }
    for (int i = 1; i < count; ++i) {
        for (int j = i; j > 0 && chosen[j] < chosen[j - 1]; --j) {
            int swap = chosen[j];
            chosen[j] = chosen[j - 1];
            chosen[j - 1] = swap;
        }
    }
    return count;
}

// ---- result --------------------------------------------------------------------------------

/// 0: a corner touches, 1: an edge, 2: a face.
static int touchOf(const sdSupportFace* face, sdVec3d n) {
    const sdClipPolygon* polygon = &face->polygon;
    if (polygon->count > 2 && sdLengthD(across(face->normal, n)) <= SD_MANIFOLD_FLAT_TILT) {
        return 2;
    }
    int best = 0;
    double most = -DBL_MAX;
    for (int i = 0; i < polygon->count; ++i) {
        double height = sdDotD(n, polygon->points[i].p);
        best = height > most ? i : best;
        most = height > most ? height : most;
    }
    for (int i = 0; i < 2 && polygon->count >= 2; ++i) {
        int other = best + (i == 0 ? 1 : polygon->count - 1);
        other = other >= polygon->count ? other - polygon->count : other;
        sdVec3d edge = sdSubD(polygon->points[other].p, polygon->points[best].p);
        if (fabs(sdDotD(edge, n)) <= SD_MANIFOLD_FLAT_TILT * sdLengthD(edge)) {
            return 1;
        }
    }
    return 0;
}

/// Ids are cut to 16 bits a side, so hulls with very many edges could have two that are equal.
static uint32_t uniqueId(const sdManifold* out, int count, uint32_t id) {
    for (int i = 0; i < count; ++i) {
        if (out->points[i].id == id) {
            id += 0x00010001u;
            i = -1;
        }
    }
    return id;
}

static void writePoints(const Contact* contact, float margin, sdManifold* out) {
    int chosen[SD_MANIFOLD_MAX_POINTS];
    out->normal = sdVec3d_Round(contact->normal);
    out->pointCount = choose(contact, chosen);
    for (int i = 0; i < out->pointCount; ++i) {
        const Candidate* c = &contact->candidates[chosen[i]];
        out->points[i] = (sdManifoldPoint){
            .pointA = sdVec3d_Round(c->a),
            .pointB = sdVec3d_Round(c->b),
            .separation = sdMinF((float)c->separation, margin),
            .id = uniqueId(out, i, c->id),
        };
    }
}

// ---- normals of round bodies ---------------------------------------------------------------

/// How far B has to move along n to leave A; minus the gap when they are apart.
static double exitDepth(const Contact* contact, sdVec3d n) {
    sdVec3d inB = sdPose_InvRotate(&contact->pose, sdScaleD(-1.0, n));
    return sdSupport_Height(contact->a, n) + sdSupport_Height(contact->b, inB) -
           sdDotD(n, contact->pose.offset);
}

static bool isRound(const sdShape* shape) {
    return shape->type == SD_SHAPE_CYLINDER || shape->type == SD_SHAPE_CONE;
}

/// The direction across the straight line that a round body touches with, nearest to n.
/// @param face with that line, a segment
static sdVec3d acrossSegment(const sdSupportFace* face, sdVec3d n) {
    sdVec3d d = sdSubD(face->polygon.points[1].p, face->polygon.points[0].p);
    double squared = sdDotD(d, d);
    return squared > 0.0 ? sdMulAddD(n, -sdDotD(n, d) / squared, d) : n;
}

/// The best normal so far.
typedef struct Polish {
    sdVec3d normal;
    double depth;
    bool isOfA; ///< it is that of a part of A
} Polish;

static void tryNormal(const Contact* contact, sdVec3d candidate, bool isOfA, Polish* best) {
    double length = sdLengthD(candidate);
    if (!(length > 0.0)) {
        return;
    }
    candidate = sdScaleD(1.0 / length, candidate);
    sdVec3d turn = sdCrossD(candidate, contact->normal);
    double angle = sdDotD(candidate, contact->normal) > 0.0 ? sdLengthD(turn) : 1.0;
    if (angle <= POLISH_ANGLE) {
        double depth = exitDepth(contact, candidate);
        *best = depth <= best->depth ? (Polish){candidate, depth, isOfA} : *best;
    }
}

static void tryFace(const Contact* contact, const sdSupportFace* face, bool isOfA, Polish* best) {
    if (face->polygon.count > 2) {
        tryNormal(contact, sdScaleD(isOfA ? 1.0 : -1.0, face->normal), isOfA, best);
    } else if (face->polygon.count == 2) {
        tryNormal(contact, acrossSegment(face, contact->normal), isOfA, best);
    }
}

/// EPA knows the normal of a round surface as well as the root of its tolerance. Where a flat or
/// straight part touches, the exact normal is that of the part: every normal gives a depth, and the
/// least one is right.
/// @return true when the normal has changed
static bool polishNormal(Contact* contact, sdPairResult* result) {
    if (!result->isDeep || (!isRound(contact->a) && !isRound(contact->b))) {
        return false;
    }
    const sdSupportFace *faceA = &contact->faceA, *faceB = &contact->faceB;
    double depth = exitDepth(contact, contact->normal) + POLISH_TOLERANCE * contact->size;
    const Polish start = {contact->normal, depth, true};
    Polish best = start;
    tryFace(contact, faceA, true, &best);
    tryFace(contact, faceB, false, &best);
    if (faceA->polygon.count == 2 && faceB->polygon.count == 2) {
        sdVec3d u = sdSubD(faceA->polygon.points[1].p, faceA->polygon.points[0].p);
        sdVec3d v = sdSubD(faceB->polygon.points[1].p, faceB->polygon.points[0].p);
        sdVec3d both = sdCrossD(u, v);
        double side = sdDotD(both, contact->normal) < 0.0 ? -1.0 : 1.0;
        tryNormal(contact, sdScaleD(side, both), true, &best);
    }
    if (best.depth == start.depth) {
        return false;
    }
    contact->normal = best.normal;
    result->separation = -best.depth;
    // what is flat can be touched a little beside; a corner cannot
    if (best.isOfA) {
        result->pointA = sdMulAddD(result->pointB, best.depth, best.normal);
    } else {
        result->pointB = sdMulAddD(result->pointA, -best.depth, best.normal);
    }
    return true;
}

// ---- pairs ---------------------------------------------------------------------------------

/// No point of the shape is further from its origin.
static double reachOf(const sdShape* shape) {
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            return (double)shape->sphere.radius;
        case SD_SHAPE_CAPSULE:
            return (double)shape->capsule.radius + (double)shape->capsule.halfLength;
        case SD_SHAPE_BOX:
            return sdLengthD(sdVec3d_From(shape->box.halfExtents));
        case SD_SHAPE_CYLINDER:
            return (double)shape->cylinder.radius + (double)shape->cylinder.halfHeight;
        case SD_SHAPE_CONE:
            return (double)shape->cone.radius + (double)shape->cone.halfHeight;
        case SD_SHAPE_TRIANGLE: {
            sdVec3 far =
                sdMax(sdMax(sdAbs(shape->triangle.vertices[0]), sdAbs(shape->triangle.vertices[1])),
                      sdAbs(shape->triangle.vertices[2]));
            return sdLengthD(sdVec3d_From(far));
        }
        case SD_SHAPE_HULL: {
            sdAABB bounds = shape->hull->bounds;
            return sdLengthD(sdVec3d_From(sdMax(sdAbs(bounds.lower), sdAbs(bounds.upper))));
        }
        default:
            return DBL_MAX;
    }
}

static void startContact(Contact* contact, const sdShape* a, const sdShape* b,
                         const sdTransform* xfAB, float margin) {
    contact->a = a;
    contact->b = b;
    contact->count = 0;
    double reachA = reachOf(a), reachB = reachOf(b);
    contact->size = reachA < reachB ? reachA : reachB;
    contact->limit = (double)margin + MARGIN_TOLERANCE * contact->size +
                     sdPairResult_Rounding((double)sdLength(xfAB->p));
}

static void findFaces(Contact* contact, const sdPairResult* result) {
    sdVec3d inB = sdPose_InvRotate(&contact->pose, sdScaleD(-1.0, contact->normal));
    sdSupportFace_Find(&contact->faceA, contact->a, contact->normal, result->indexA, NULL);
    sdSupportFace_Find(&contact->faceB, contact->b, inB, result->indexB, &contact->pose);
}

static void collideConvex(Contact* contact, sdPairResult* result, float margin, sdManifold* out) {
    contact->normal = result->normal;
    findFaces(contact, result);
    if (polishNormal(contact, result)) {
        findFaces(contact, result);
    }
    // what touches is asked before the faces are cut
    int touchA = touchOf(&contact->faceA, contact->normal);
    int touchB = touchOf(&contact->faceB, sdScaleD(-1.0, contact->normal));
    double spreadA = spreadOf(&contact->faceA), spreadB = spreadOf(&contact->faceB);
    contact->deepest = result->separation;
    addPoints(contact);
    addDeepest(contact, result, spreadA < spreadB ? spreadA : spreadB);
    writePoints(contact, margin, out);
    out->kind = sdManifold_Kind(touchA, touchB);
}

/// The corners of the face that looks at the plane.
static void collideHalfSpace(Contact* contact, const sdSeparation* deepest, float margin,
                             sdManifold* out) {
    bool isPlaneA = contact->a->type == SD_SHAPE_HALF_SPACE;
    sdVec3d up = isPlaneA ? sdV3d(0.0, 1.0, 0.0) : contact->pose.columns[1];
    sdVec3d origin = isPlaneA ? sdV3d(0.0, 0.0, 0.0) : contact->pose.offset;
    sdVec3d down = sdScaleD(-1.0, up);
    contact->normal = isPlaneA ? up : down;
    if (isPlaneA) {
        sdSupportFace_Find(&contact->faceB, contact->b, sdPose_InvRotate(&contact->pose, down),
                           SD_NULL_INDEX, &contact->pose);
    } else {
        sdSupportFace_Find(&contact->faceA, contact->a, down, SD_NULL_INDEX, NULL);
    }
    const sdSupportFace* face = isPlaneA ? &contact->faceB : &contact->faceA;
    contact->deepest = (double)deepest->separation;
    for (int i = 0; i < face->polygon.count && face->polygon.count > 1; ++i) {
        const sdClipPoint* point = &face->polygon.points[i];
        sdVec3d foot = sdMulAddD(point->p, -sdDotD(up, sdSubD(point->p, origin)), up);
        addPoint(contact, isPlaneA ? foot : point->p, isPlaneA ? point->p : foot,
                 sdManifold_Id(point->in, point->out));
    }
    sdPairResult result = {.separation = (double)deepest->separation,
                           .pointA = sdVec3d_From(deepest->pointA),
                           .pointB = sdVec3d_From(deepest->pointB)};
    addDeepest(contact, &result, spreadOf(face));
    writePoints(contact, margin, out);
    int touch = touchOf(face, down);
    out->kind = sdManifold_Kind(2, touch);
}

/// How far apart the bodies are along the axis of the last query, at least; -DBL_MAX without one.
static double gapOnLastAxis(const sdShape* a, const sdShape* b, const sdTransform* xfAB,
                            const sdPairCache* cache) {
    sdVec3d axis = sdVec3d_From(cache->axis);
    // what callers leave in a cache may be anything
    if (!(fabs(sdDotD(axis, axis) - 1.0) < UNIT_TOLERANCE) || !sdTransform_IsValid(*xfAB)) {
        return -DBL_MAX;
    }
    // into B's frame, for quaternions that are not quite of unit length, too
    sdVec3d u = sdVec3d_From(xfAB->q.v);
    double s = (double)xfAB->q.s, n = 2.0 / (sdDotD(u, u) + s * s);
    sdVec3d t = sdCrossD(axis, u);
    sdVec3d inB = sdMulAddD(sdMulAddD(axis, n * s, t), n, sdCrossD(t, u));
    return sdDotD(axis, sdVec3d_From(xfAB->p)) - sdSupport_Height(a, axis) -
           sdSupport_Height(b, sdScaleD(-1.0, inB));
}

/// @return SD_BOX_UNKNOWN also for boxes that are not valid
static sdBoxAnswer collideBoxes(const Contact* contact, const sdTransform* xfAB, float margin,
                                sdPairCache* cache, sdManifold* out) {
    sdVec3 halfA = contact->a->box.halfExtents, halfB = contact->b->box.halfExtents;
    if (!sdBoxPair_IsValid(halfA, halfB, *xfAB)) {
        return SD_BOX_UNKNOWN;
    }
    sdBoxAnswer answer =
        sdBoxes_Collide(halfA, halfB, xfAB, contact->limit, contact->size, cache, out);
    if (answer != SD_BOX_UNKNOWN) {
        out->status = SD_STATUS_EXACT;
        out->iterations = 1;
    }
    for (int i = 0; i < out->pointCount; ++i) {
        out->points[i].separation = sdMinF(out->points[i].separation, margin);
    }
    return answer;
}

static void collidePlane(Contact* contact, sdTransform xfAB, float margin, sdManifold* out) {
    sdSeparation deepest = sdHalfSpace_Separation(contact->a, contact->b, xfAB, true);
    out->status = deepest.status;
    out->iterations = deepest.iterations;
    if (deepest.status != SD_STATUS_INVALID && (double)deepest.separation <= contact->limit) {
        sdPose_Set(&contact->pose, xfAB);
        collideHalfSpace(contact, &deepest, margin, out);
    }
}

static void collidePair(Contact* contact, sdTransform xfAB, float margin, sdPairCache* cache,
                        sdManifold* out) {
    const sdShape *a = contact->a, *b = contact->b;
    if (cache != NULL && cache->isApart && sdShape_IsValid(a) && sdShape_IsValid(b) &&
        gapOnLastAxis(a, b, &xfAB, cache) > contact->limit) {
        out->status = SD_STATUS_EXACT;
        out->iterations = 1;
        return;
    }
    if (a->type == SD_SHAPE_BOX && b->type == SD_SHAPE_BOX &&
        collideBoxes(contact, &xfAB, margin, cache, out) != SD_BOX_UNKNOWN) {
        return;
    }
    sdPairResult result;
    if (!sdPair_Separate(a, b, xfAB, true, contact->limit, cache, &result)) {
        return;
    }
    out->status = result.status;
    out->iterations = result.iterations;
    if (result.separation <= contact->limit) {
        sdPose_Set(&contact->pose, xfAB);
        collideConvex(contact, &result, margin, out);
    }
}

int sdCollide(const sdShape* a, const sdShape* b, sdTransform xfAB, float margin,
              sdPairCache* cache, sdManifold* out) {
    if (out == NULL) {
        return 0;
    }
    out->normal = sdV3(0.0f, 0.0f, 0.0f);
    out->pointCount = 0;
    out->kind = SD_CONTACT_NONE;
    out->childA = SD_NULL_INDEX;
    out->childB = SD_NULL_INDEX;
    out->status = SD_STATUS_INVALID;
    out->iterations = 0;
    bool isPlane = sdHalfSpace_IsInPair(a, b);
    bool isConvexA = sdShape_IsConvex(a), isConvexB = sdShape_IsConvex(b);
    if (margin >= 0.0f && sdIsFinite(margin) &&
        (isPlane ? isConvexA != isConvexB : isConvexA && isConvexB)) {
        Contact contact;
        startContact(&contact, a, b, &xfAB, margin);
        if (isPlane) {
            collidePlane(&contact, xfAB, margin, out);
        } else {
            collidePair(&contact, xfAB, margin, cache, out);
        }
    }
    // where there are no points at all, nobody looks at them
    if (out->pointCount > 0 || out->status == SD_STATUS_INVALID) {
        for (int i = out->pointCount; i < SD_MANIFOLD_MAX_POINTS; ++i) {
            out->points[i] = (sdManifoldPoint){.id = 0};
        }
    }
    if (cache != NULL) {
        cache->isApart = out->pointCount == 0;
    }
    return out->pointCount;
}

static bool hasPieces(const sdShape* shape) {
    return shape != NULL && (shape->type == SD_SHAPE_MESH || shape->type == SD_SHAPE_COMPOUND);
}

int sdCollideMany(const sdShape* a, const sdShape* b, sdTransform xfAB, float margin,
                  sdManifold* out, int capacity, int* total) {
    if (hasPieces(a) || hasPieces(b)) {
        return sdMeshPair_CollideMany(a, b, xfAB, margin, out, capacity, total);
    }
    sdManifold manifold;
    int count = sdCollide(a, b, xfAB, margin, NULL, &manifold) > 0 ? 1 : 0;
    if (total != NULL) {
        *total = count;
    }
    if (count == 0 || capacity < 1 || out == NULL) {
        return 0;
    }
    *out = manifold;
    return 1;
}
