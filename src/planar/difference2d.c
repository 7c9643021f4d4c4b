// SPDX-License-Identifier: MIT
// difference2d.c - the Minkowski difference of two convex polygons: nearest point, ray.
//
// In:   two polygons with radii and a pose.
// Out:  A - B as a convex polygon of at most n + m vertices, in O(n + m).
// Ref:  de Berg et al., "Computational geometry", 2008, 13.3 (merging edges by angle).
// Note: distance, depth and time of contact are those of the origin and this polygon. Each of its
//       corners is a pair of vertices, so that witnesses and features come with it.

#include "planar/difference2d.h"

/// How far cosine² + sine² may be from 1 before a rotation counts as damaged; floats give 1e-7.
#define ROTATION_TOLERANCE 1e-3

/// 1 - cosine. A normal this near to an edge's is the edge's: parallel edges of both bodies follow
/// each other on the difference, and what is between them is no corner.
#define SAME_NORMAL 1e-10

/// Relative to the size. Bodies that a cast has brought together are this near.
#define TOUCHING 1e-9

// ---- making it -----------------------------------------------------------------------------

static double larger(double a, double b) {
    return a > b ? a : b;
}

static bool isUsable(const sdPolygon2* polygon) {
    if (polygon == NULL || polygon->count < 1 || polygon->count > SD_POLYGON2_MAX_VERTICES ||
        !sdIsFinite(polygon->radius) || polygon->radius < 0.0f) {
        return false;
    }
    for (int i = 0; i < polygon->count; ++i) {
        if (!sdVec2_IsFinite(polygon->vertices[i])) {
            return false;
        }
    }
    return true;
}

static sdVec2d turn(sdVec2d rotation, sdVec2d a) {
    return (sdVec2d){rotation.x * a.x - rotation.y * a.y, rotation.y * a.x + rotation.x * a.y};
}

/// Edges are turned by themselves, so that far from the origin they keep their direction.
static void placeCore(const sdPolygon2* polygon, sdVec2d rotation, sdVec2d offset, sdCore2* out) {
    out->count = polygon->count;
    out->radius = (double)polygon->radius;
    for (int i = 0; i < polygon->count; ++i) {
        int next = i + 1 < polygon->count ? i + 1 : 0;
        sdVec2d here = sdVec2d_From(polygon->vertices[i]);
        out->vertices[i] = sdAdd2D(turn(rotation, here), offset);
        out->edges[i] = turn(rotation, sdSub2D(sdVec2d_From(polygon->vertices[next]), here));
    }
}

/// A walk around a polygon from its lowest vertex (the leftmost of those) up to the highest and
/// back. Whether an edge is on the way up is read from its place on the walk, not from its sign:
/// rounding cannot put edges out of order by more than their angles are uncertain.
typedef struct Walk {
    int start, upCount, edgeCount, step;
} Walk;

static bool isBelow(sdVec2d a, sdVec2d b, double sign) {
    return a.y != b.y ? sign * a.y < sign * b.y : sign * a.x < sign * b.x;
}

static Walk makeWalk(const sdCore2* core, double sign) {
    int low = 0, high = 0;
    for (int i = 1; i < core->count; ++i) {
        low = isBelow(core->vertices[i], core->vertices[low], sign) ? i : low;
        high = isBelow(core->vertices[high], core->vertices[i], sign) ? i : high;
    }
    int up = high >= low ? high - low : high - low + core->count;
    return (Walk){low, up, core->count > 1 ? core->count : 0, 0};
}

static int walkIndex(const Walk* walk, const sdCore2* core) {
    int i = walk->start + walk->step;
    return i < core->count ? i : i - core->count;
}

/// Whether A's next edge comes before B's by angle.
static bool isNextOfA(const sdDifference2* d, const Walk* a, const Walk* b) {
    if (a->step == a->edgeCount || b->step == b->edgeCount) {
        return a->step < a->edgeCount;
    }
    bool isUpA = a->step < a->upCount, isUpB = b->step < b->upCount;
    if (isUpA != isUpB) {
        return isUpA;
    }
    sdVec2d edgeB = d->b.edges[walkIndex(b, &d->b)];
    return sdCross2D(d->a.edges[walkIndex(a, &d->a)], (sdVec2d){-edgeB.x, -edgeB.y}) >= 0.0;
}

static void merge(sdDifference2* d) {
    Walk a = makeWalk(&d->a, 1.0), b = makeWalk(&d->b, -1.0);
    int count = a.edgeCount + b.edgeCount;
    d->count = count > 0 ? count : 1;
    for (int k = 0; k < d->count; ++k) {
        // at the end of its walk a body is at its start again
        int i = a.step < a.edgeCount ? walkIndex(&a, &d->a) : a.start;
        int j = b.step < b.edgeCount ? walkIndex(&b, &d->b) : b.start;
        d->vertices[k] = sdSub2D(d->a.vertices[i], d->b.vertices[j]);
        d->indexA[k] = (uint8_t)i;
        d->indexB[k] = (uint8_t)j;
        if (count == 0) {
            return;
        }
        d->isEdgeOfA[k] = isNextOfA(d, &a, &b);
        sdVec2d e = d->isEdgeOfA[k] ? d->a.edges[i] : (sdVec2d){-d->b.edges[j].x, -d->b.edges[j].y};
        d->lengths[k] = sqrt(sdDot2D(e, e));
        if (d->lengths[k] > 0.0) {
            d->normals[k] = (sdVec2d){e.y / d->lengths[k], -e.x / d->lengths[k]};
        }
        a.step += d->isEdgeOfA[k] ? 1 : 0;
        b.step += d->isEdgeOfA[k] ? 0 : 1;
    }
}

bool sdDifference2_Make(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB,
                        sdDifference2* out) {
    if (!isUsable(a) || !isUsable(b) || !sdVec2_IsFinite(xfAB.p) || !sdIsFinite(xfAB.c) ||
        !sdIsFinite(xfAB.s)) {
        return false;
    }
    sdVec2d rotation = {(double)xfAB.c, (double)xfAB.s};
    double length = sqrt(sdDot2D(rotation, rotation));
    if (!(fabs(length * length - 1.0) <= ROTATION_TOLERANCE)) {
        return false;
    }
    *out = (sdDifference2){0};
    rotation = (sdVec2d){rotation.x / length, rotation.y / length};
    placeCore(a, (sdVec2d){1.0, 0.0}, (sdVec2d){0.0, 0.0}, &out->a);
    placeCore(b, rotation, sdVec2d_From(xfAB.p), &out->b);
    out->radius = out->a.radius + out->b.radius;
    out->size = out->radius;
    for (int i = 0; i < a->count; ++i) {
        out->size = larger(out->size, fabs(out->a.vertices[i].x));
        out->size = larger(out->size, fabs(out->a.vertices[i].y));
    }
    for (int i = 0; i < b->count; ++i) {
        out->size = larger(out->size, fabs(out->b.vertices[i].x));
        out->size = larger(out->size, fabs(out->b.vertices[i].y));
    }
    merge(out);
    return true;
}

void sdDifference2_Translate(sdDifference2* d, sdVec2d translation) {
    for (int i = 0; i < d->b.count; ++i) {
        d->b.vertices[i] = sdAdd2D(d->b.vertices[i], translation);
    }
    for (int k = 0; k < d->count; ++k) {
        d->vertices[k] = sdSub2D(d->vertices[k], translation);
    }
}

// ---- nearest point -------------------------------------------------------------------------

/// Fraction along edge k, 0 .. 1, of its point nearest to the origin.
static double edgeFraction(const sdDifference2* d, int k) {
    if (!(d->lengths[k] > 0.0)) {
        return 0.0;
    }
    sdVec2d along = {-d->normals[k].y, d->normals[k].x};
    double t = -sdDot2D(along, d->vertices[k]) / d->lengths[k];
    return t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
}

static sdVec2d pointOnCore(const sdCore2* core, int i, bool isMoving, double t) {
    return isMoving ? sdMulAdd2D(core->vertices[i], t, core->edges[i]) : core->vertices[i];
}

/// For the normal where bodies touch in a corner, or points that coincide.
static sdVec2d unitOr(sdVec2d a, sdVec2d fallback, double tiny) {
    double length = sqrt(sdDot2D(a, a));
    if (length > tiny) {
        return (sdVec2d){a.x / length, a.y / length};
    }
    bool isNone = fallback.x == 0.0 && fallback.y == 0.0;
    return isNone ? (sdVec2d){1.0, 0.0} : fallback;
}

static sdNearest2 atEdge(const sdDifference2* d, int k, double t) {
    sdNearest2 out = {0};
    out.edge = k;
    out.isVertex = t <= 0.0 || t >= 1.0;
    out.pointA = pointOnCore(&d->a, d->indexA[k], d->isEdgeOfA[k] && d->count > 1, t);
    out.pointB = pointOnCore(&d->b, d->indexB[k], !d->isEdgeOfA[k] && d->count > 1, t);
    return out;
}

/// A corner between parallel edges is a place on an edge.
static void flatten(const sdDifference2* d, sdNearest2* nearest) {
    for (int i = -1; i <= 1 && nearest->isVertex && d->count > 1; ++i) {
        int k = (nearest->edge + i + d->count) % d->count;
        if (sdDot2D(d->normals[k], nearest->normal) >= 1.0 - SAME_NORMAL) {
            nearest->edge = k;
            nearest->isVertex = false;
        }
    }
}

/// Of parallel edges that follow each other, the one that holds the foot of the origin.
static int footEdge(const sdDifference2* d, int axis) {
    int best = axis;
    double least = DBL_MAX;
    for (int i = -1; i <= 1; ++i) {
        int k = (axis + i + d->count) % d->count;
        sdVec2d along = {-d->normals[k].y, d->normals[k].x};
        sdVec2d p = sdMulAdd2D(d->vertices[k], edgeFraction(d, k) * d->lengths[k], along);
        bool isParallel = sdDot2D(d->normals[k], d->normals[axis]) >= 1.0 - SAME_NORMAL;
        if (isParallel && sdDot2D(p, p) < least) {
            least = sdDot2D(p, p);
            best = k;
        }
    }
    return best;
}

sdNearest2 sdDifference2_Nearest(const sdDifference2* d) {
    double tiny = SD_PLANAR_ROUNDING * d->size;
    double greatest = -DBL_MAX, leastSquared = DBL_MAX;
    int axis = 0, nearest = 0;
    for (int k = 0; k < d->count; ++k) {
        double along = -sdDot2D(d->normals[k], d->vertices[k]);
        if (d->lengths[k] > 0.0 && along > greatest) {
            greatest = along;
            axis = k;
        }
        if (along < -tiny) {
            continue; // faces away: of a segment only the near side counts
        }
        // the corner at the end of one edge is the start of the next, so clamping covers both
        double t = edgeFraction(d, k);
        sdVec2d along2 = {-d->normals[k].y, d->normals[k].x};
        sdVec2d p = sdMulAdd2D(d->vertices[k], t * d->lengths[k], along2);
        double squared = sdDot2D(p, p);
        if (squared < leastSquared) {
            leastSquared = squared;
            nearest = k;
        }
    }
    double least = sqrt(leastSquared);
    // inside: behind every edge, and the nearest edge is as near as the boundary; the latter fails
    // beyond the ends of a difference without area
    bool isInside =
        (greatest < -tiny && greatest > -DBL_MAX) || (greatest <= 0.0 && least <= tiny - greatest);
    if (d->count > 1 && isInside) {
        int foot = footEdge(d, axis);
        sdNearest2 out = atEdge(d, foot, edgeFraction(d, foot));
        out.normal = d->normals[axis];
        out.separation = greatest;
        out.isVertex = false;
        return out;
    }
    sdNearest2 out = atEdge(d, nearest, edgeFraction(d, nearest));
    out.separation = least;
    // an edge's own normal is better than the direction of a short difference
    sdVec2d fallback = d->normals[d->count > 1 && greatest > -tiny ? axis : nearest];
    // and where it shows all of the distance it is proved, which the end of a long edge is not
    bool isProved = d->count > 1 && greatest >= least - tiny;
    sdVec2d direct = unitOr(sdSub2D(out.pointB, out.pointA), fallback, tiny);
    out.normal = isProved                        ? d->normals[axis]
                 : out.isVertex || d->count == 1 ? direct
                                                 : d->normals[nearest];
    flatten(d, &out);
    return out;
}

sdNearest2 sdDifference2_NearestAhead(const sdDifference2* d, sdVec2d velocity) {
    double tolerance = TOUCHING * d->size;
    sdNearest2 out = sdDifference2_Nearest(d);
    if (out.separation > tolerance) {
        return out; // rounded bodies have one normal everywhere
    }
    double least = DBL_MAX;
    for (int k = 0; k < d->count && d->count > 1; ++k) {
        double t = edgeFraction(d, k), speed = sdDot2D(d->normals[k], velocity);
        sdNearest2 other = atEdge(d, k, t);
        sdVec2d gap = sdSub2D(other.pointB, other.pointA);
        if (speed < least && sdDot2D(gap, gap) <= tolerance * tolerance) {
            least = speed;
            out = other;
            out.normal = d->normals[k];
            out.separation = 0.0;
            out.isVertex = false;
        }
    }
    if (least >= 0.0 && out.separation >= 0.0) { // point against point, or along a segment
        out.normal = unitOr((sdVec2d){-velocity.x, -velocity.y}, out.normal, 0.0);
    }
    return out;
}

/// The origin as a mean of three corners, from the fan of triangles around corner 0; the same mean
/// of A's vertices is in B too.
sdVec2d sdDifference2_CommonPoint(const sdDifference2* d) {
    for (int k = 1; k + 1 < d->count; ++k) {
        sdVec2d p = d->vertices[0], q = d->vertices[k], r = d->vertices[k + 1];
        double wp = sdCross2D(q, r), wq = sdCross2D(r, p), wr = sdCross2D(p, q);
        double sum = wp + wq + wr;
        if (wp >= 0.0 && wq >= 0.0 && wr >= 0.0 && sum > 0.0) {
            sdVec2d a = d->a.vertices[d->indexA[0]];
            a = sdMulAdd2D(a, wq / sum, sdSub2D(d->a.vertices[d->indexA[k]], a));
            sdVec2d from0 = sdSub2D(d->a.vertices[d->indexA[k + 1]], d->a.vertices[d->indexA[0]]);
            return sdMulAdd2D(a, wr / sum, from0);
        }
    }
    return sdDifference2_Nearest(d).pointA;
}

// ---- ray -----------------------------------------------------------------------------------

typedef struct Interval {
    double enter, leave; ///< empty when enter > leave
} Interval;

#define INTERVAL_EMPTY ((Interval){DBL_MAX, -DBL_MAX})
#define INTERVAL_ALL ((Interval){-DBL_MAX, DBL_MAX})

/// Keep the times at which position + t * speed is in lower .. upper.
static Interval clip(Interval range, double position, double speed, double lower, double upper) {
    if (speed == 0.0) {
        return position < lower || position > upper ? INTERVAL_EMPTY : range;
    }
    double t0 = (lower - position) / speed, t1 = (upper - position) / speed;
    double enter = t0 < t1 ? t0 : t1, leave = t0 < t1 ? t1 : t0;
    range.enter = larger(range.enter, enter);
    range.leave = leave < range.leave ? leave : range.leave;
    return range;
}

static Interval unite(Interval a, Interval b) {
    if (a.enter > a.leave || b.enter > b.leave) {
        return b.enter > b.leave ? a : b;
    }
    return (Interval){a.enter < b.enter ? a.enter : b.enter, larger(a.leave, b.leave)};
}

static Interval throughPolygon(const sdDifference2* d, sdVec2d velocity) {
    Interval range = d->count > 2 ? INTERVAL_ALL : INTERVAL_EMPTY;
    double thickness = 0.0;
    for (int k = 0; k < d->count && range.enter <= range.leave; ++k) {
        double position = -sdDot2D(d->normals[k], d->vertices[k]);
        range = clip(range, position, sdDot2D(d->normals[k], velocity), -DBL_MAX, 0.0);
        thickness =
            larger(thickness, sdDot2D(d->normals[0], sdSub2D(d->vertices[0], d->vertices[k])));
    }
    // without area the edges do not bound it lengthwise; the rounded edges below do
    return thickness > SD_PLANAR_ROUNDING * d->size ? range : INTERVAL_EMPTY;
}

/// The rectangle between an edge and its copy at the radius.
static Interval throughEdge(const sdDifference2* d, int k, sdVec2d velocity) {
    sdVec2d normal = d->normals[k], along = {-normal.y, normal.x};
    double tiny = SD_PLANAR_ROUNDING * d->size;
    Interval range = clip(INTERVAL_ALL, -sdDot2D(normal, d->vertices[k]), sdDot2D(normal, velocity),
                          -tiny, d->radius + tiny);
    return clip(range, -sdDot2D(along, d->vertices[k]), sdDot2D(along, velocity), -tiny,
                d->lengths[k] + tiny);
}

static Interval throughCircle(sdVec2d center, double radius, sdVec2d velocity) {
    double a = sdDot2D(velocity, velocity), b = sdDot2D(velocity, center);
    if (a == 0.0) {
        return sdDot2D(center, center) <= radius * radius ? INTERVAL_ALL : INTERVAL_EMPTY;
    }
    // by the distance of the line from the centre, which does not cancel far away
    double distance = sdCross2D(velocity, center);
    double root = radius * radius * a - distance * distance;
    if (root < 0.0) {
        return INTERVAL_EMPTY;
    }
    root = sqrt(root);
    return (Interval){(b - root) / a, (b + root) / a};
}

/// The rounded polygon is the union of the polygon, a rectangle for each edge and a circle for each
/// corner. It is convex: the first and the last time of all pieces are its own.
bool sdDifference2_Ray(const sdDifference2* d, sdVec2d velocity, double* enter, double* leave) {
    double tiny = SD_PLANAR_ROUNDING * d->size;
    Interval range = throughPolygon(d, velocity);
    for (int k = 0; k < d->count; ++k) {
        if (d->lengths[k] > 0.0) {
            range = unite(range, throughEdge(d, k, velocity));
        }
        range = unite(range, throughCircle(d->vertices[k], d->radius + tiny, velocity));
    }
    *enter = range.enter;
    *leave = range.leave;
    return range.enter <= range.leave;
}
