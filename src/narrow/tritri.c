// SPDX-License-Identifier: MIT
// tritri.c - intersection of two triangles, and the contact of two that cross.
//
// In:   six points; triangles without area are the segments or points that they are.
// Out:  whether they meet, the common segment, intervals on the common line; a contact.
// Ref:  Möller, "A fast triangle-triangle intersection test", 1997 (S1 §3.2, S0 §4.3); Guigue and
//       Devillers, "Fast and robust triangle-triangle overlap test", 2003; S1 §3.3 (contact).
// Note: Möller compares the intervals in which the triangles meet the common line of their planes.
//       Which of two ends comes first is the sign of the volume that the two edges span which make
//       them: no division, degree 3 instead of 7, and signs that are exact for all floats.

#include "narrow/orient.h"
#include "narrow/segment.h"
#include "sudar/collide.h"

typedef struct Corners {
    sdVec3d v[3];
    double height[3]; ///< over the other triangle's plane, in any unit, with an exact sign
} Corners;

/// How two triangles lie.
typedef enum Relation {
    APART,
    COPLANAR, ///< all six corners are in a plane, and they meet
    PIERCED,  ///< one is a segment and meets the other one in a point
    CROSSED   ///< the common segment is on the line of both planes
} Relation;

/// What is known of two triangles that meet.
typedef struct Meeting {
    Relation relation;
    sdVec3d points[2]; ///< ends of the common segment
    // of CROSSED: corner 0 of each is alone on its side of the other's plane, and the ends on the
    // common line are at edges 0-1 and 0-2: A from `a2` to `a1`, B from `b1` to `b2`
    Corners a, b;
    sdVec3d a1, a2, b1, b2;
    double lower; ///< sign: b1 comes after a2
    double upper; ///< sign: b2 comes after a1
    double flip;  ///< sign of the line's direction against N_A × N_B as given
} Meeting;

static void load(double out[3], sdVec3d a) {
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

static int longestAxis(sdVec3d a) {
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    return x >= y && x >= z ? 0 : (y >= z ? 1 : 2);
}

static int shortestAxis(sdVec3d a) {
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    return x <= y && x <= z ? 0 : (y <= z ? 1 : 2);
}

/// Cross product of b - a and c - a, its components zero exactly where they are.
static sdVec3d normalOf(sdVec3d a, sdVec3d b, sdVec3d c) {
    double p[3][3];
    load(p[0], a);
    load(p[1], b);
    load(p[2], c);
    return sdV3d(sdOrient2d(p[0], p[1], p[2], 1, 2), sdOrient2d(p[0], p[1], p[2], 2, 0),
                 sdOrient2d(p[0], p[1], p[2], 0, 1));
}

static bool isZero(sdVec3d a) {
    return a.x == 0.0 && a.y == 0.0 && a.z == 0.0;
}

static void measureHeights(Corners* corners, const sdVec3d plane[3]) {
    for (int i = 0; i < 3; ++i) {
        corners->height[i] = sdOrient3d(plane[0], plane[1], plane[2], corners->v[i]);
    }
}

static bool isOnOneSide(const double h[3]) {
    return (h[0] > 0.0 && h[1] > 0.0 && h[2] > 0.0) || (h[0] < 0.0 && h[1] < 0.0 && h[2] < 0.0);
}

static bool isInPlane(const double h[3]) {
    return h[0] == 0.0 && h[1] == 0.0 && h[2] == 0.0;
}

// ---- six corners in a plane ----------------------------------------------------------------

/// Points that both have: corners of one in the other and crossings of edges. Together they span
/// all that is common.
typedef struct Common {
    sdVec3d points[15];
    int count;
} Common;

/// A triangle or segment or point, seen along an axis.
typedef struct Flat {
    const sdVec3d* v;
    double p[3][3];
    int axisX, axisY;
    bool hasArea;
} Flat;

static Flat flatten(const sdVec3d v[3], int axis) {
    Flat flat = {.v = v, .axisX = (axis + 1) % 3, .axisY = (axis + 2) % 3};
    for (int i = 0; i < 3; ++i) {
        load(flat.p[i], v[i]);
    }
    flat.hasArea = sdOrient2d(flat.p[0], flat.p[1], flat.p[2], flat.axisX, flat.axisY) != 0.0;
    return flat;
}

static double sideOf(const Flat* flat, int edge, const double p[3]) {
    return sdOrient2d(flat->p[edge], flat->p[(edge + 1) % 3], p, flat->axisX, flat->axisY);
}

static bool isInBox(const Flat* flat, const double p[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        double a = flat->p[0][axis], b = flat->p[1][axis], c = flat->p[2][axis];
        double lower = a < b ? (a < c ? a : c) : (b < c ? b : c);
        double upper = a > b ? (a > c ? a : c) : (b > c ? b : c);
        if (p[axis] < lower || p[axis] > upper) {
            return false;
        }
    }
    return true;
}

static bool containsPoint(const Flat* flat, const double p[3]) {
    double s0 = sideOf(flat, 0, p), s1 = sideOf(flat, 1, p), s2 = sideOf(flat, 2, p);
    bool isInside = (s0 >= 0.0 && s1 >= 0.0 && s2 >= 0.0) || (s0 <= 0.0 && s1 <= 0.0 && s2 <= 0.0);
    // without area, being on the line is not enough
    return isInside && (flat->hasArea || isInBox(flat, p));
}

static void addCorners(Common* common, const Flat* flat, const Flat* other) {
    for (int i = 0; i < 3; ++i) {
        if (containsPoint(other, flat->p[i])) {
            common->points[common->count++] = flat->v[i];
        }
    }
}

/// Edges that cross between their ends; touching ends are corners in the other triangle.
static void addCrossings(Common* common, const Flat* a, const Flat* b) {
    for (int i = 0; i < 3; ++i) {
        int next = (i + 1) % 3;
        for (int k = 0; k < 3; ++k) {
            double s0 = sideOf(b, k, a->p[i]), s1 = sideOf(b, k, a->p[next]);
            double t0 = sideOf(a, i, b->p[k]), t1 = sideOf(a, i, b->p[(k + 1) % 3]);
            bool isCrossing = ((s0 < 0.0 && s1 > 0.0) || (s0 > 0.0 && s1 < 0.0)) &&
                              ((t0 < 0.0 && t1 > 0.0) || (t0 > 0.0 && t1 < 0.0));
            if (isCrossing) {
                sdVec3d edge = sdSubD(a->v[next], a->v[i]);
                common->points[common->count++] = sdMulAddD(a->v[i], s0 / (s0 - s1), edge);
            }
        }
    }
}

/// @param axis along which the common plane is seen with area
static void meetInPlane(Meeting* meeting, int axis) {
    Flat a = flatten(meeting->a.v, axis), b = flatten(meeting->b.v, axis);
    Common common = {.count = 0};
    addCorners(&common, &a, &b);
    addCorners(&common, &b, &a);
    addCrossings(&common, &a, &b);
    if (common.count == 0) {
        return;
    }
    meeting->relation = COPLANAR;
    // the two that are furthest apart
    double furthest = -1.0;
    for (int i = 0; i < common.count; ++i) {
        for (int k = i; k < common.count; ++k) {
            sdVec3d d = sdSubD(common.points[i], common.points[k]);
            if (sdDotD(d, d) > furthest) {
                furthest = sdDotD(d, d);
                meeting->points[0] = common.points[i];
                meeting->points[1] = common.points[k];
            }
        }
    }
}

// ---- triangles without area ----------------------------------------------------------------

/// The two corners that are furthest apart.
static void findEnds(const sdVec3d v[3], sdVec3d ends[2]) {
    int longest = 0;
    double furthest = -1.0;
    for (int i = 0; i < 3; ++i) {
        sdVec3d d = sdSubD(v[(i + 1) % 3], v[i]);
        longest = sdDotD(d, d) > furthest ? i : longest;
        furthest = sdDotD(d, d) > furthest ? sdDotD(d, d) : furthest;
    }
    ends[0] = v[longest];
    ends[1] = v[(longest + 1) % 3];
}

/// A segment, whose heights over the plane are known, and a triangle.
static void meetSegment(Meeting* meeting, const Corners* segment, const sdVec3d triangle[3],
                        sdVec3d normal) {
    if (isInPlane(segment->height)) {
        meetInPlane(meeting, longestAxis(normal));
        return;
    }
    sdVec3d ends[2];
    findEnds(segment->v, ends);
    double h0 = sdOrient3d(triangle[0], triangle[1], triangle[2], ends[0]);
    double h1 = sdOrient3d(triangle[0], triangle[1], triangle[2], ends[1]);
    double s0 = sdOrient3d(ends[0], ends[1], triangle[0], triangle[1]);
    double s1 = sdOrient3d(ends[0], ends[1], triangle[1], triangle[2]);
    double s2 = sdOrient3d(ends[0], ends[1], triangle[2], triangle[0]);
    bool isThrough = (s0 >= 0.0 && s1 >= 0.0 && s2 >= 0.0) || (s0 <= 0.0 && s1 <= 0.0 && s2 <= 0.0);
    if (isThrough) {
        meeting->relation = PIERCED;
        meeting->points[0] = sdMulAddD(ends[0], h0 / (h0 - h1), sdSubD(ends[1], ends[0]));
        meeting->points[1] = meeting->points[0];
    }
}

/// Two segments or points meet only in a plane. Where they are on a line, any plane with it will
/// do.
static void meetSegments(Meeting* meeting) {
    sdVec3d a[2], b[2];
    findEnds(meeting->a.v, a);
    findEnds(meeting->b.v, b);
    if (sdOrient3d(a[0], a[1], b[0], b[1]) != 0.0) {
        return;
    }
    const sdVec3d candidates[4] = {
        normalOf(a[0], a[1], b[0]),
        normalOf(a[0], a[1], b[1]),
        normalOf(b[0], b[1], a[0]),
        normalOf(b[0], b[1], a[1]),
    };
    for (int i = 0; i < 4; ++i) {
        if (!isZero(candidates[i])) {
            meetInPlane(meeting, longestAxis(candidates[i]));
            return;
        }
    }
    sdVec3d along = sdSubD(a[1], a[0]);
    along = isZero(along) ? sdSubD(b[1], b[0]) : along;
    along = isZero(along) ? sdSubD(b[0], a[0]) : along;
    meetInPlane(meeting, shortestAxis(along));
}

// ---- triangles that cross ------------------------------------------------------------------

/// Turn the corners until number 0 is alone on its side; one on the plane counts as being on the
/// side where the others are not.
/// @return 1 when that is the upper side, -1 when it is the lower one
static double isolate(Corners* c) {
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double hi = c->height[i], hj = c->height[j], hk = c->height[k];
        bool isUpper = hi >= 0.0 && hj <= 0.0 && hk <= 0.0 && (hi > 0.0 || (hj < 0.0 && hk < 0.0));
        bool isLower = hi <= 0.0 && hj >= 0.0 && hk >= 0.0 && (hi < 0.0 || (hj > 0.0 && hk > 0.0));
        if (isUpper || isLower) {
            *c = (Corners){{c->v[i], c->v[j], c->v[k]}, {hi, hj, hk}};
            return isUpper ? 1.0 : -1.0;
        }
    }
    return 1.0;
}

static void reverse(Corners* c) {
    *c = (Corners){{c->v[0], c->v[2], c->v[1]}, {c->height[0], c->height[2], c->height[1]}};
}

/// Where edge 0-k meets the other plane.
static sdVec3d meetPlane(const Corners* c, int k) {
    double h0 = c->height[0], hk = c->height[k];
    return sdMulAddD(c->v[0], h0 / (h0 - hk), sdSubD(c->v[k], c->v[0]));
}

static void cross(Meeting* meeting) {
    Corners* a = &meeting->a;
    Corners* b = &meeting->b;
    // both corners 0 shall be above the other plane; turning a triangle over moves its plane's
    // upper side
    double sideA = isolate(a), sideB = isolate(b);
    if (sideA < 0.0) {
        reverse(b);
    }
    if (sideB < 0.0) {
        reverse(a);
    }
    meeting->flip = sideA * sideB;
    // b1 not after a1, and b2 not before a2
    if (sdOrient3d(a->v[0], a->v[1], b->v[0], b->v[1]) > 0.0 ||
        sdOrient3d(a->v[0], a->v[2], b->v[0], b->v[2]) < 0.0) {
        return;
    }
    meeting->relation = CROSSED;
    meeting->lower = sdOrient3d(a->v[0], a->v[2], b->v[0], b->v[1]);
    meeting->upper = sdOrient3d(a->v[0], a->v[1], b->v[0], b->v[2]);
    meeting->a1 = meetPlane(a, 1);
    meeting->a2 = meetPlane(a, 2);
    meeting->b1 = meetPlane(b, 1);
    meeting->b2 = meetPlane(b, 2);
    int first = meeting->flip > 0.0 ? 0 : 1;
    meeting->points[first] = meeting->lower >= 0.0 ? meeting->b1 : meeting->a2;
    meeting->points[1 - first] = meeting->upper >= 0.0 ? meeting->a1 : meeting->b2;
}

static void meet(Meeting* meeting, const sdVec3 a[3], const sdVec3 b[3]) {
    meeting->relation = APART;
    for (int i = 0; i < 3; ++i) {
        meeting->a.v[i] = sdVec3d_From(a[i]);
        meeting->b.v[i] = sdVec3d_From(b[i]);
    }
    measureHeights(&meeting->a, meeting->b.v);
    if (isOnOneSide(meeting->a.height)) {
        return;
    }
    measureHeights(&meeting->b, meeting->a.v);
    if (isOnOneSide(meeting->b.height)) {
        return;
    }
    // heights over a plane that is none are all zero
    bool isFlatA = isInPlane(meeting->a.height), isFlatB = isInPlane(meeting->b.height);
    if (!isFlatA && !isFlatB) {
        cross(meeting);
        return;
    }
    sdVec3d normalA = normalOf(meeting->a.v[0], meeting->a.v[1], meeting->a.v[2]);
    sdVec3d normalB = normalOf(meeting->b.v[0], meeting->b.v[1], meeting->b.v[2]);
    if (!isZero(normalB)) {
        meetSegment(meeting, &meeting->a, meeting->b.v, normalB);
    } else if (!isZero(normalA)) {
        meetSegment(meeting, &meeting->b, meeting->a.v, normalA);
    } else {
        meetSegments(meeting);
    }
}

// ---- test ----------------------------------------------------------------------------------

static bool areFinite(const sdVec3 a[3], const sdVec3 b[3]) {
    bool isFinite = true;
    for (int i = 0; i < 3; ++i) {
        isFinite = isFinite && sdVec3_IsFinite(a[i]) && sdVec3_IsFinite(b[i]);
    }
    return isFinite;
}

/// Unit vector, or the other one where there is no direction.
static sdVec3d unitOr(sdVec3d a, sdVec3d other) {
    double length = sdLengthD(a);
    return length > 0.0 ? sdScaleD(1.0 / length, a) : other;
}

static sdVec3d faceNormal(const sdVec3 t[3]) {
    return normalOf(sdVec3d_From(t[0]), sdVec3d_From(t[1]), sdVec3d_From(t[2]));
}

sdTriTriResult sdTriTri_Test(const sdVec3 a[3], const sdVec3 b[3]) {
    sdTriTriResult result = {.isIntersecting = false};
    if (a == NULL || b == NULL || !areFinite(a, b)) {
        return result;
    }
    Meeting meeting;
    meet(&meeting, a, b);
    if (meeting.relation == APART) {
        return result;
    }
    result.isIntersecting = true;
    result.isCoplanar = meeting.relation == COPLANAR;
    result.segment[0] = sdVec3d_Round(meeting.points[0]);
    result.segment[1] = sdVec3d_Round(meeting.points[1]);
    if (meeting.relation == CROSSED) {
        sdVec3d along = unitOr(sdCrossD(faceNormal(a), faceNormal(b)), sdV3d(0.0, 0.0, 0.0));
        sdVec3d origin = sdVec3d_From(a[0]);
        float a1 = (float)sdDotD(along, sdSubD(meeting.a1, origin));
        float a2 = (float)sdDotD(along, sdSubD(meeting.a2, origin));
        float b1 = (float)sdDotD(along, sdSubD(meeting.b1, origin));
        float b2 = (float)sdDotD(along, sdSubD(meeting.b2, origin));
        bool isAhead = meeting.flip > 0.0;
        result.intervalA[0] = isAhead ? a2 : a1;
        result.intervalA[1] = isAhead ? a1 : a2;
        result.intervalB[0] = isAhead ? b1 : b2;
        result.intervalB[1] = isAhead ? b2 : b1;
    }
    return result;
}

// ---- contact -------------------------------------------------------------------------------

/// Edges nearer than this fraction of their lengths touch: the direction from one to the other is
/// rounding.
#define TOUCH 1e-9

typedef struct Contact {
    double separation;
    sdVec3d normal; ///< A to B
    sdVec3d pointA, pointB;
    sdContactKind kind;
} Contact;

/// Both triangles with what a contact needs of them.
typedef struct Faces {
    sdVec3d a[3], b[3];
    sdVec3d normalA, normalB; ///< unit, or zero without area
} Faces;

/// The deepest corner of one triangle behind the other: S1 §3.3, first case, with the nearest point
/// on the plane.
static Contact vertexInFace(const Faces* faces, bool isCornerOfA) {
    const sdVec3d* corners = isCornerOfA ? faces->a : faces->b;
    const sdVec3d* face = isCornerOfA ? faces->b : faces->a;
    sdVec3d outward = isCornerOfA ? faces->normalB : faces->normalA;
    int deepest = 0;
    double height = DBL_MAX;
    for (int i = 0; i < 3; ++i) {
        double h = sdDotD(outward, sdSubD(corners[i], face[0]));
        deepest = h < height ? i : deepest;
        height = h < height ? h : height;
    }
    height = height < 0.0 ? height : 0.0;
    sdVec3d foot = sdMulAddD(corners[deepest], -height, outward);
    return (Contact){.separation = height,
                     .normal = isCornerOfA ? sdScaleD(-1.0, outward) : outward,
                     .pointA = isCornerOfA ? corners[deepest] : foot,
                     .pointB = isCornerOfA ? foot : corners[deepest],
                     .kind = SD_CONTACT_VERTEX_FACE};
}

/// Nearest points of the two edges: S1 §3.3, second case. Each edge is behind the other one's face,
/// so that the way from B's to A's is the normal from A to B.
static Contact edgeToEdge(const Faces* faces, sdVec3d a0, sdVec3d a1, sdVec3d b0, sdVec3d b1) {
    sdSegmentPointsD nearest = sdClosestPointsOfSegmentsD(a0, a1, b0, b1);
    sdVec3d edgeA = sdSubD(a1, a0), edgeB = sdSubD(b1, b0);
    sdVec3d toA = sdSubD(nearest.pointA, nearest.pointB);
    double distance = sqrt(nearest.distanceSquared);
    Contact contact = {-distance, toA, nearest.pointA, nearest.pointB, SD_CONTACT_EDGE_EDGE};
    if (distance > TOUCH * (sdLengthD(edgeA) + sdLengthD(edgeB))) {
        contact.normal = sdScaleD(1.0 / distance, toA);
        return contact;
    }
    // at right angles to both, out of A
    sdVec3d outward = sdSubD(faces->normalA, faces->normalB);
    sdVec3d normal = unitOr(sdCrossD(edgeA, edgeB), unitOr(outward, faces->normalA));
    contact.normal = sdDotD(normal, outward) < 0.0 ? sdScaleD(-1.0, normal) : normal;
    return contact;
}

static Contact crossedContact(const Meeting* meeting, const Faces* faces) {
    bool isAInB = meeting->lower <= 0.0 && meeting->upper >= 0.0;
    bool isBInA = meeting->lower >= 0.0 && meeting->upper <= 0.0;
    if (isAInB || isBInA) {
        Contact first = vertexInFace(faces, isAInB);
        Contact second = isAInB && isBInA ? vertexInFace(faces, false) : first;
        return second.separation > first.separation ? second : first;
    }
    const sdVec3d* a = meeting->a.v;
    const sdVec3d* b = meeting->b.v;
    int k = meeting->lower > 0.0 ? 1 : 2;
    return edgeToEdge(faces, a[0], a[k], b[0], b[k]);
}

static Contact coplanarContact(const Meeting* meeting, const Faces* faces) {
    const sdVec3d* p = meeting->points;
    sdVec3d middle = sdMulAddD(p[0], 0.5, sdSubD(p[1], p[0]));
    bool hasAreaA = !isZero(faces->normalA), hasAreaB = !isZero(faces->normalB);
    sdVec3d normal = hasAreaA ? faces->normalA : sdScaleD(-1.0, faces->normalB);
    Contact contact = {0.0, normal, middle, middle, SD_CONTACT_EDGE_FACE};
    if (hasAreaA && hasAreaB) {
        contact.kind = SD_CONTACT_FACE_FACE;
    } else if (!hasAreaA && !hasAreaB) {
        // at right angles to both segments as far as they have directions
        sdVec3d a[2], b[2];
        findEnds(faces->a, a);
        findEnds(faces->b, b);
        sdVec3d edgeA = sdSubD(a[1], a[0]), edgeB = sdSubD(b[1], b[0]);
        sdVec3 along = sdVec3d_Round(unitOr(edgeA, unitOr(edgeB, sdV3d(1.0, 0.0, 0.0))));
        contact.normal = unitOr(sdCrossD(edgeA, edgeB), sdVec3d_From(sdPerp(along)));
        contact.kind = SD_CONTACT_EDGE_EDGE;
    }
    return contact;
}

static void keepNearer(Contact* best, sdVec3d pointA, sdVec3d pointB) {
    sdVec3d d = sdSubD(pointB, pointA);
    double distance = sdLengthD(d);
    if (distance < best->separation) {
        *best = (Contact){distance, d, pointA, pointB, SD_CONTACT_NONE};
    }
}

static sdVec3d nearestOnTriangle(sdVec3d p, const sdVec3 t[3]) {
    return sdVec3d_From(sdClosestPointOnTriangle(sdVec3d_Round(p), t[0], t[1], t[2]).point);
}

/// Triangles that do not meet are nearest at a corner and a face, or at two edges.
static Contact apartContact(const Faces* faces, const sdVec3 a[3], const sdVec3 b[3]) {
    Contact best = {.separation = DBL_MAX};
    for (int i = 0; i < 3; ++i) {
        keepNearer(&best, faces->a[i], nearestOnTriangle(faces->a[i], b));
        keepNearer(&best, nearestOnTriangle(faces->b[i], a), faces->b[i]);
        for (int k = 0; k < 3; ++k) {
            sdSegmentPointsD nearest = sdClosestPointsOfSegmentsD(
                faces->a[i], faces->a[(i + 1) % 3], faces->b[k], faces->b[(k + 1) % 3]);
            keepNearer(&best, nearest.pointA, nearest.pointB);
        }
    }
    best.normal = unitOr(best.normal, unitOr(faces->normalA, sdV3d(0.0, 1.0, 0.0)));
    return best;
}

static Contact contactOf(const Meeting* meeting, const Faces* faces, const sdVec3 a[3],
                         const sdVec3 b[3]) {
    switch (meeting->relation) {
        case CROSSED:
            return crossedContact(meeting, faces);
        case PIERCED:
            return vertexInFace(faces, isZero(faces->normalA));
        case COPLANAR:
            return coplanarContact(meeting, faces);
        default:
            return apartContact(faces, a, b);
    }
}

sdSeparation sdTriTri_Contact(const sdVec3 a[3], const sdVec3 b[3], sdContactKind* kind) {
    sdSeparation result = {
        .childA = SD_NULL_INDEX, .childB = SD_NULL_INDEX, .status = SD_STATUS_INVALID};
    if (kind != NULL) {
        *kind = SD_CONTACT_NONE;
    }
    if (a == NULL || b == NULL || !areFinite(a, b)) {
        return result;
    }
    Meeting meeting;
    meet(&meeting, a, b);
    sdVec3d none = sdV3d(0.0, 0.0, 0.0);
    Faces faces = {.normalA = unitOr(faceNormal(a), none), .normalB = unitOr(faceNormal(b), none)};
    double reach = 0.0;
    for (int i = 0; i < 3; ++i) {
        faces.a[i] = sdVec3d_From(a[i]);
        faces.b[i] = sdVec3d_From(b[i]);
        reach += sdLengthD(faces.a[i]) + sdLengthD(faces.b[i]);
    }
    Contact contact = contactOf(&meeting, &faces, a, b);
    if (kind != NULL) {
        *kind = contact.kind;
    }
    result.separation = (float)contact.separation;
    result.normal = sdVec3d_Round(contact.normal);
    result.pointA = sdVec3d_Round(contact.pointA);
    result.pointB = sdVec3d_Round(contact.pointB);
    result.status = SD_STATUS_EXACT;
    result.iterations = 1;
    result.error = (float)((double)FLT_EPSILON * reach);
    return result;
}
