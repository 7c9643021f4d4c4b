// SPDX-License-Identifier: MIT
// bounds_obb_fit.c - oriented boxes around points: by covariance, and nearly the smallest.
//
// In:   points.
// Out:  a box that contains every point by sdOBB_ContainsPoint.
// Ref:  Gottschalk, "Collision queries using oriented bounding boxes", 2000 (covariance);
//       O'Rourke, "Finding minimal enclosing boxes", 1985;
//       Chang, Gorissen, Melchior, "Fast oriented bounding box optimization on the rotation
//       group", 2011 (calipers about one axis as the step of a search).
// Note: given one axis, calipers around the body's outline along it complete the box with the two
//       others in the best way. So only one direction is searched for: first among the hull's
//       face normals and edges, then downhill from the best of them.

#include "base/memory.h"
#include "geometry/bounds.h"
#include "sudar/hull.h"

/// Width by length. Below, a flat set is a line: rounding in double is coarser than its width.
/// Floats that are on a line within their own rounding are wider.
#define THINNEST 1e-12

/// Elements of the hull (vertices, faces, half-edges) looked at in each of the two stages, all
/// directions together: about 0.1 s. On larger hulls fewer directions are tried.
#define WORK_LIMIT 3.0e7

/// Directions that the search goes downhill from; on large hulls as few as LEAST_STARTS.
#define START_COUNT 8
#define LEAST_STARTS 2

/// Boxes tried on one way downhill, about.
#define DESCENT_COST 400.0

/// Rounds of calipers about each axis of a box in turn; more have not been seen to help.
#define TURN_LIMIT 16

/// Steps of the search over directions, in radians: from about the distance between the normals of
/// a body of a hundred faces, halved until a box changes by less than 1e-4 of its size.
#define FIRST_STEP 0.2
#define LAST_STEP 1e-4

/// Moves of the search, each to a better direction.
#define MOVE_LIMIT 256

/// Relative. A box must be smaller by more than the rounding of its outline to count as better.
#define BETTER (1.0 - 1e-6)

/// m, below which points have no hull (hull.h).
#define SMALLEST_HULL 1e-30

/// A box without its place: what is searched for.
typedef struct Frame {
    sdVec3d axes[3];
    double volume;
} Frame;

/// The hull with room for its outline along some direction.
typedef struct Outline {
    const sdVec3* vertices;
    const sdHalfEdge* edges;
    const sdPlane* planes;
    int vertexCount, edgeCount, faceCount;
    bool* isFront; ///< of each face
    int* lastUse;  ///< of each vertex: the number of the outline that it was last part of
    int outlineNumber;
    double scale; ///< makes the largest side of the box 1, far from the ends of float
    sdVec2* points;
    sdVec2* ring;
    void* memory;
    size_t size;
} Outline;

static void ignoreLog(void* user, sdLogLevel level, const char* text) {
    (void)user;
    (void)level;
    (void)text;
}

/// Where every search starts: the axes of coordinates, worse than anything found.
static Frame worstFrame(void) {
    return (Frame){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, INFINITY};
}

// ---- frames --------------------------------------------------------------------------------

static sdVec3d unit(sdVec3d a) {
    return sdScaleD(1.0 / sdLengthD(a), a);
}

/// Two more axes for a unit vector. Axes of coordinates lead to axes of coordinates, exactly.
static void complete(sdVec3d w, sdVec3d* u, sdVec3d* v) {
    double x = fabs(w.x), y = fabs(w.y), z = fabs(w.z);
    sdVec3d other = sdV3d(0.0, 0.0, 1.0);
    if (x <= y && x <= z) {
        other = sdV3d(1.0, 0.0, 0.0);
    } else if (y <= z) {
        other = sdV3d(0.0, 1.0, 0.0);
    }
    *u = unit(sdCrossD(other, w));
    *v = sdCrossD(w, *u);
}

/// The factor that makes the largest side of the box 1; 1 for a point.
static double unitScale(sdAABB box) {
    sdVec3d d = sdSubD(sdVec3d_From(box.upper), sdVec3d_From(box.lower));
    double size = d.x > d.y ? d.x : d.y;
    size = d.z > size ? d.z : size;
    return size > 0.0 ? 1.0 / size : 1.0;
}

static sdVec2 project(sdVec3d d, sdVec3d u, sdVec3d v) {
    return sdV2((float)sdDotD(d, u), (float)sdDotD(d, v));
}

/// A right-handed frame with axes[2] = w and axes[0] at `axis` of the plane u, v.
static void setAxes(sdVec3d axes[3], sdVec3d u, sdVec3d v, sdVec3d w, sdVec2d axis) {
    axes[0] = sdAddD(sdScaleD(axis.x, u), sdScaleD(axis.y, v));
    axes[1] = sdAddD(sdScaleD(-axis.y, u), sdScaleD(axis.x, v));
    axes[2] = w;
}

/// The box of given axes, which are rounded to float first; then its centre, likewise; then what
/// the points need.
static sdResult surround(const sdVec3* points, int count, const sdVec3d axes[3], sdOBB* out) {
    sdOBB box = {.axes = sdMat33_Columns(sdVec3d_Round(axes[0]), sdVec3d_Round(axes[1]),
                                         sdVec3d_Round(axes[2]))};
    const sdVec3d rounded[3] = {sdVec3d_From(box.axes.cx), sdVec3d_From(box.axes.cy),
                                sdVec3d_From(box.axes.cz)};
    sdVec3d center = sdVec3d_From(points[0]);
    double lower[3], upper[3], reach[3];
    SD_DISPATCH(sdPoints_Project)(points, count, center, rounded, lower, upper);
    for (int i = 0; i < 3; ++i) {
        center = sdMulAddD(center, 0.5 * (lower[i] + upper[i]), rounded[i]);
    }
    box.center = sdVec3d_Round(center);
    SD_DISPATCH(sdPoints_Project)(points, count, sdVec3d_From(box.center), rounded, lower, upper);
    for (int i = 0; i < 3; ++i) {
        reach[i] = -lower[i] > upper[i] ? -lower[i] : upper[i];
    }
    box.halfExtents = sdV3(sdRoundUp(reach[0]), sdRoundUp(reach[1]), sdRoundUp(reach[2]));
    if (!sdVec3_IsFinite(box.center) || !sdVec3_IsFinite(box.halfExtents)) {
        return SD_ERROR_LIMIT;
    }
    *out = box;
    return SD_OK;
}

// ---- flat sets -----------------------------------------------------------------------------

/// Unit normal of the plane, and a unit direction in it, of points that lie in one or nearly so.
/// Points on a line or all equal get some plane through them.
static void findPlane(const sdVec3* points, int count, sdVec3d* along, sdVec3d* normal) {
    sdVec3d origin = sdVec3d_From(points[0]);
    double squared;
    int index = SD_DISPATCH(sdPoints_Farthest)(points, count, origin, &squared);
    sdVec3d d = sdSubD(sdVec3d_From(points[index]), origin);
    *along = squared > 0.0 ? unit(d) : sdV3d(1.0, 0.0, 0.0);
    sdVec3d widest = {0};
    double widestSquared = 0.0;
    for (int i = 0; i < count; ++i) {
        sdVec3d n = sdCrossD(*along, sdSubD(sdVec3d_From(points[i]), origin));
        double s = sdDotD(n, n);
        if (s > widestSquared) {
            widestSquared = s;
            widest = n;
        }
    }
    sdVec3d other;
    complete(*along, normal, &other);
    if (widestSquared > THINNEST * THINNEST * squared) {
        *normal = unit(sdMulAddD(widest, -sdDotD(widest, *along), *along));
    }
}

static sdResult flatFrame(const sdContext* context, const char* function, const sdVec3* points,
                          int count, double scale, sdVec3d axes[3]) {
    sdBlockLayout layout = {0};
    size_t pointsAt = sdBlockLayout_Add(&layout, (size_t)count, sizeof(sdVec2));
    size_t ringAt = sdBlockLayout_Add(&layout, (size_t)count + 1, sizeof(sdVec2));
    char* memory = layout.overflow ? NULL : sdAlloc(&context->allocator, layout.size);
    if (memory == NULL) {
        return sdFailMemory(context, function, layout.size);
    }
    sdVec2* flat = (sdVec2*)(memory + pointsAt);
    sdVec2* ring = (sdVec2*)(memory + ringAt);
    sdVec3d u, w;
    findPlane(points, count, &u, &w);
    sdVec3d v = sdCrossD(w, u), origin = sdVec3d_From(points[0]);
    for (int i = 0; i < count; ++i) {
        sdVec3d d = sdSubD(sdVec3d_From(points[i]), origin);
        flat[i] = project(sdScaleD(scale, d), u, v);
    }
    int ringCount = sdHull2_Chain(flat, count, ring);
    sdVec2d axis;
    sdHull2_SmallestBox(ring, ringCount, &axis);
    setAxes(axes, u, v, w, axis);
    sdFree(&context->allocator, memory, layout.size);
    return SD_OK;
}

// ---- the box about one axis ----------------------------------------------------------------

static sdResult openOutline(const sdContext* context, const sdHull* hull, Outline* o) {
    *o = (Outline){.outlineNumber = 0};
    o->vertices = sdHull_GetVertices(hull, &o->vertexCount);
    o->edges = sdHull_GetEdges(hull, &o->edgeCount);
    o->planes = sdHull_GetPlanes(hull, &o->faceCount);
    o->scale = unitScale(sdHull_GetBounds(hull));
    sdBlockLayout layout = {0};
    size_t vertexCount = (size_t)o->vertexCount;
    size_t frontAt = sdBlockLayout_Add(&layout, (size_t)o->faceCount, sizeof(bool));
    size_t useAt = sdBlockLayout_Add(&layout, vertexCount, sizeof(int));
    size_t pointsAt = sdBlockLayout_Add(&layout, vertexCount, sizeof(sdVec2));
    size_t ringAt = sdBlockLayout_Add(&layout, vertexCount + 1, sizeof(sdVec2));
    char* memory = layout.overflow ? NULL : sdAllocZero(&context->allocator, layout.size);
    if (memory == NULL) {
        return sdFailMemory(context, "sdOBB_FitSmallest", layout.size);
    }
    o->isFront = (bool*)(memory + frontAt);
    o->lastUse = (int*)(memory + useAt);
    o->points = (sdVec2*)(memory + pointsAt);
    o->ring = (sdVec2*)(memory + ringAt);
    o->memory = memory;
    o->size = layout.size;
    return SD_OK;
}

/// The vertices where faces that look along w meet faces that do not, projected onto u and v.
static int projectOutline(Outline* o, sdVec3d u, sdVec3d v, sdVec3d w) {
    for (int i = 0; i < o->faceCount; ++i) {
        o->isFront[i] = sdDotD(sdVec3d_From(o->planes[i].normal), w) > 0.0;
    }
    o->outlineNumber += 1;
    sdVec3d origin = sdVec3d_From(o->vertices[0]);
    int count = 0;
    for (int i = 0; i < o->edgeCount; ++i) {
        const sdHalfEdge* edge = &o->edges[i];
        int vertex = edge->origin;
        bool isOutline = o->isFront[edge->face] != o->isFront[o->edges[edge->twin].face];
        if (isOutline && o->lastUse[vertex] != o->outlineNumber) {
            o->lastUse[vertex] = o->outlineNumber;
            sdVec3d d = sdSubD(sdVec3d_From(o->vertices[vertex]), origin);
            o->points[count++] = project(sdScaleD(o->scale, d), u, v);
        }
    }
    return count;
}

/// The smallest box that has the unit vector w as an axis; infinite volume if it cannot be found.
static Frame boxAbout(Outline* o, sdVec3d w) {
    sdVec3d u, v;
    complete(w, &u, &v);
    Frame frame = worstFrame();
    int count = projectOutline(o, u, v, w);
    int ringCount = count > 0 ? sdHull2_Chain(o->points, count, o->ring) : 0;
    if (ringCount < 3) {
        return frame;
    }
    sdVec2d axis;
    double area = sdHull2_SmallestBox(o->ring, ringCount, &axis);
    const sdVec3d axes[3] = {w, w, w};
    double lower[3], upper[3];
    SD_DISPATCH(sdPoints_Project)
    (o->vertices, o->vertexCount, sdVec3d_From(o->vertices[0]), axes, lower, upper);
    frame.volume = area / (o->scale * o->scale) * (upper[0] - lower[0]);
    setAxes(frame.axes, u, v, w, axis);
    return frame;
}

// ---- covariance ----------------------------------------------------------------------------

typedef struct Moments {
    double area;
    sdVec3d first;
    double second[6]; ///< xx yx zx yy zy zz
} Moments;

/// Of a triangle's surface; the weight of its middle is nine times that of a corner.
static void addTriangle(Moments* m, sdVec3d a, sdVec3d b, sdVec3d c) {
    double area = 0.5 * sdLengthD(sdCrossD(sdSubD(b, a), sdSubD(c, a)));
    sdVec3d middle = sdScaleD(1.0 / 3.0, sdAddD(sdAddD(a, b), c));
    m->area += area;
    m->first = sdMulAddD(m->first, area, middle);
    const sdVec3d points[4] = {middle, a, b, c};
    for (int i = 0; i < 4; ++i) {
        double weight = area / 12.0 * (i == 0 ? 9.0 : 1.0);
        sdVec3d p = points[i];
        m->second[0] += weight * p.x * p.x;
        m->second[1] += weight * p.y * p.x;
        m->second[2] += weight * p.z * p.x;
        m->second[3] += weight * p.y * p.y;
        m->second[4] += weight * p.z * p.y;
        m->second[5] += weight * p.z * p.z;
    }
}

static Moments momentsOf(const sdHull* hull) {
    int vertexCount, edgeCount, faceCount;
    const sdVec3* vertices = sdHull_GetVertices(hull, &vertexCount);
    const sdHalfEdge* edges = sdHull_GetEdges(hull, &edgeCount);
    const int32_t* faceEdges = sdHull_GetFaceEdges(hull);
    sdHull_GetPlanes(hull, &faceCount);
    Moments m = {0};
    sdVec3d origin = sdVec3d_From(vertices[0]);
    for (int i = 0; i < faceCount; ++i) {
        // a fan over the polygon
        const sdHalfEdge* first = &edges[faceEdges[i]];
        sdVec3d a = sdSubD(sdVec3d_From(vertices[first->origin]), origin);
        const sdHalfEdge* edge = &edges[first->next];
        for (int k = 0; k < edgeCount && edges[edge->next].origin != first->origin; ++k) {
            sdVec3d b = sdSubD(sdVec3d_From(vertices[edge->origin]), origin);
            edge = &edges[edge->next];
            addTriangle(&m, a, b, sdSubD(sdVec3d_From(vertices[edge->origin]), origin));
        }
    }
    return m;
}

/// Principal axes of the surface of a hull.
static void principalAxes(const sdHull* hull, sdVec3d axes[3]) {
    Moments m = momentsOf(hull);
    sdVec3d c = sdScaleD(1.0 / m.area, m.first);
    const double products[6] = {c.x * c.x, c.y * c.x, c.z * c.x, c.y * c.y, c.z * c.y, c.z * c.z};
    double s[6];
    for (int i = 0; i < 6; ++i) {
        s[i] = m.second[i] / m.area - products[i];
    }
    // axes do not depend on scale; floats like numbers near 1
    double scale = 1.0 / (s[0] + s[3] + s[5]);
    sdMat33 matrix = {{(float)(scale * s[0]), (float)(scale * s[1]), (float)(scale * s[2])},
                      {(float)(scale * s[1]), (float)(scale * s[3]), (float)(scale * s[4])},
                      {(float)(scale * s[2]), (float)(scale * s[4]), (float)(scale * s[5])}};
    sdVec3 values;
    sdMat33 v = sdMat33_Eigen(matrix, &values);
    // orthonormal once more, in double
    axes[0] = unit(sdVec3d_From(v.cx));
    axes[2] = unit(sdCrossD(axes[0], sdVec3d_From(v.cy)));
    axes[1] = sdCrossD(axes[2], axes[0]);
}

static double volumeAlong(const sdHull* hull, const sdVec3d axes[3]) {
    int count;
    const sdVec3* vertices = sdHull_GetVertices(hull, &count);
    double lower[3], upper[3];
    SD_DISPATCH(sdPoints_Project)(vertices, count, sdVec3d_From(vertices[0]), axes, lower, upper);
    return (upper[0] - lower[0]) * (upper[1] - lower[1]) * (upper[2] - lower[2]);
}

/// Covariance says nothing about bodies that are alike in all directions, such as a cube; then the
/// axes of coordinates may be better.
static Frame covarianceFrame(const sdHull* hull) {
    Frame plain = worstFrame(), turned = worstFrame();
    principalAxes(hull, turned.axes);
    plain.volume = volumeAlong(hull, plain.axes);
    turned.volume = volumeAlong(hull, turned.axes);
    return turned.volume < plain.volume ? turned : plain;
}

// ---- search --------------------------------------------------------------------------------

/// Keep the best few, best first. Equal volumes are taken for one box, found once by each axis.
static void keep(Frame starts[START_COUNT], Frame frame) {
    for (int i = 0; i < START_COUNT; ++i) {
        if (frame.volume < BETTER * starts[i].volume) {
            Frame worse = starts[i];
            starts[i] = frame;
            frame = worse;
        } else if (BETTER * frame.volume <= starts[i].volume) {
            return;
        }
    }
}

static double elementsOf(const Outline* o) {
    return (double)o->vertexCount + (double)o->faceCount + (double)o->edgeCount;
}

/// Face normals and edge directions; on large hulls every n-th of them.
static void tryHull(Outline* o, Frame starts[START_COUNT]) {
    int limit = sdMaxI((int)(WORK_LIMIT / elementsOf(o)), 1);
    int stride = (o->faceCount + o->edgeCount / 2) / limit + 1;
    for (int i = 0; i < o->faceCount; i += stride) {
        keep(starts, boxAbout(o, unit(sdVec3d_From(o->planes[i].normal))));
    }
    for (int i = 0; i < o->edgeCount; i += stride) {
        const sdHalfEdge* edge = &o->edges[i];
        if (i < edge->twin) {
            sdVec3d a = sdVec3d_From(o->vertices[edge->origin]);
            sdVec3d b = sdVec3d_From(o->vertices[o->edges[edge->twin].origin]);
            keep(starts, boxAbout(o, unit(sdSubD(b, a))));
        }
    }
}

/// Calipers about each axis in turn until none finds better.
static Frame turn(Outline* o, Frame frame) {
    bool isBetter = true;
    for (int round = 0; round < TURN_LIMIT && isBetter; ++round) {
        isBetter = false;
        for (int i = 0; i < 3; ++i) {
            Frame other = boxAbout(o, frame.axes[i]);
            if (other.volume < BETTER * frame.volume) {
                frame = other;
                isBetter = true;
            }
        }
    }
    return frame;
}

/// One step from the axis k of a frame to each of eight sides.
static Frame bestAround(Outline* o, const Frame* frame, int k, double step) {
    static const double sides[8][2] = {{1.0, 0.0}, {-1.0, 0.0}, {0.0, 1.0},  {0.0, -1.0},
                                       {0.7, 0.7}, {-0.7, 0.7}, {0.7, -0.7}, {-0.7, -0.7}};
    sdVec3d u = frame->axes[(k + 1) % 3], v = frame->axes[(k + 2) % 3];
    Frame best = worstFrame();
    for (int i = 0; i < 8; ++i) {
        sdVec3d w = sdMulAddD(frame->axes[k], step * sides[i][0], u);
        Frame other = boxAbout(o, unit(sdMulAddD(w, step * sides[i][1], v)));
        best = other.volume < best.volume ? other : best;
    }
    return best;
}

/// Downhill over directions, by steps that get smaller.
static Frame descend(Outline* o, Frame frame) {
    frame = turn(o, frame);
    double step = FIRST_STEP;
    for (int move = 0; move < MOVE_LIMIT && step > LAST_STEP; ++move) {
        Frame best = worstFrame();
        for (int k = 0; k < 3; ++k) {
            Frame other = bestAround(o, &frame, k, step);
            best = other.volume < best.volume ? other : best;
        }
        if (best.volume < BETTER * frame.volume) {
            frame = turn(o, best);
        } else {
            step *= 0.5;
        }
    }
    return frame;
}

static sdResult solidFrame(const sdContext* context, const sdHull* hull, Frame* out) {
    Outline outline;
    sdResult result = openOutline(context, hull, &outline);
    if (result != SD_OK) {
        return result;
    }
    Frame starts[START_COUNT];
    for (int i = 0; i < START_COUNT; ++i) {
        starts[i] = worstFrame();
    }
    tryHull(&outline, starts);
    // never worse than the quick box
    Frame best = covarianceFrame(hull);
    keep(starts, turn(&outline, best));
    int startCount = (int)(WORK_LIMIT / (DESCENT_COST * elementsOf(&outline)));
    startCount = sdMaxI(sdMinI(startCount, START_COUNT), LEAST_STARTS);
    for (int i = 0; i < startCount; ++i) {
        Frame frame = starts[i].volume < INFINITY ? descend(&outline, starts[i]) : starts[i];
        best = frame.volume < best.volume ? frame : best;
    }
    *out = best;
    sdFree(&context->allocator, outline.memory, outline.size);
    return SD_OK;
}

// ---- public --------------------------------------------------------------------------------

static sdResult fit(const sdContext* context, const char* function, const sdVec3* points, int count,
                    bool isSmallest, sdOBB* out) {
    sdContext resolved;
    sdResult result = sdContext_Resolve(context, &resolved);
    if (result != SD_OK) {
        return result;
    }
    sdAABB bounds;
    if (out == NULL || sdAABB_Fit(points, count, &bounds) != SD_OK) {
        return sdFail(&resolved, SD_ERROR_INVALID_ARGUMENT,
                      "%s: needs one or more points, all finite, and out", function);
    }
    // a flat set is no fault here, so the hull need not report it
    sdContext quiet = resolved;
    quiet.logger = (sdLogger){ignoreLog, NULL};
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = count;
    sdHull* hull = NULL;
    result = sdHull_Create(&quiet, &def, &hull);
    Frame frame = worstFrame();
    if (result == SD_OK && isSmallest) {
        result = solidFrame(&resolved, hull, &frame);
    } else if (result == SD_OK) {
        frame = covarianceFrame(hull);
    } else if (result == SD_ERROR_DEGENERATE) {
        result = flatFrame(&resolved, function, points, count, unitScale(bounds), frame.axes);
    } else if (result == SD_ERROR_LIMIT && unitScale(bounds) > 1.0 / SMALLEST_HULL) {
        // nobody can tell how it lies: a box along the axes
        result = SD_OK;
    } else {
        result = sdFail(&resolved, result, "%s: no hull: %s", function, sdResult_Text(result));
    }
    sdHull_Release(hull);
    if (result != SD_OK) {
        return result;
    }
    result = surround(points, count, frame.axes, out);
    if (result != SD_OK) {
        return sdFail(&resolved, result, "%s: the box is over FLT_MAX", function);
    }
    return SD_OK;
}

sdResult sdOBB_FitCovariance(const sdContext* context, const sdVec3* points, int count,
                             sdOBB* out) {
    return fit(context, "sdOBB_FitCovariance", points, count, false, out);
}

sdResult sdOBB_FitSmallest(const sdContext* context, const sdVec3* points, int count, sdOBB* out) {
    return fit(context, "sdOBB_FitSmallest", points, count, true, out);
}
