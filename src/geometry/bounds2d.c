// SPDX-License-Identifier: MIT
// bounds2d.c - bounding volumes in the plane: hull, boxes, circle, 8-DOP.
//
// In:   points.
// Out:  volumes that contain every point by their own test.
// Ref:  Andrew, "Another efficient algorithm for convex hulls in two dimensions", 1979;
//       Shamos, "Computational geometry", 1978 (rotating calipers);
//       Shewchuk, "Adaptive precision floating-point arithmetic", 1997 (orientation).

#include "base/memory.h"
#include "geometry/bounds.h"

/// Relative error of the orientation in plain double: (3 + 16 e) e, e = 2^-53 (Shewchuk).
#define ORIENTATION_ERROR 3.3306690738754716e-16

/// Relative. Projections onto an axis in double are off by less.
#define PROJECTION_ROUNDING 1e-14

/// Passes before sdCircle2_FitSmallest turns to Welzl's algorithm; see bounds_ball.c.
#define CIRCLE_PASS_LIMIT 48

static sdVec2d fromFloat(sdVec2 a) {
    return (sdVec2d){(double)a.x, (double)a.y};
}

static sdVec2d sub(sdVec2d a, sdVec2d b) {
    return (sdVec2d){a.x - b.x, a.y - b.y};
}

static double dot(sdVec2d a, sdVec2d b) {
    return a.x * b.x + a.y * b.y;
}

static double cross(sdVec2d a, sdVec2d b) {
    return a.x * b.y - a.y * b.x;
}

/// Not fmin and fmax, whose choice between 0 and -0 differs from system to system.
static double smaller(double a, double b) {
    return a < b ? a : b;
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

// ---- orientation ---------------------------------------------------------------------------

/// Add b to a sum that is kept as parts which do not overlap, smallest first: exact.
static void growSum(double* parts, int* count, double b) {
    for (int i = 0; i < *count; ++i) {
        double sum = b + parts[i];
        double bRounded = sum - parts[i];
        double partRounded = sum - bRounded;
        parts[i] = (b - bRounded) + (parts[i] - partRounded);
        b = sum;
    }
    parts[(*count)++] = b;
}

/// Twice the area of a, b, c with the right sign. Products of two floats are exact in double, so
/// that only the sum needs care.
static double exactOrientation(sdVec2d a, sdVec2d b, sdVec2d c) {
    const double products[6] = {a.x * b.y,  -a.y * b.x, b.x * c.y,
                                -b.y * c.x, c.x * a.y,  -c.y * a.x};
    double parts[6];
    int count = 0;
    for (int i = 0; i < 6; ++i) {
        growSum(parts, &count, products[i]);
    }
    // the last part that is not zero is larger than all before it together
    while (count > 1 && parts[count - 1] == 0.0) {
        count -= 1;
    }
    return parts[count - 1];
}

/// Positive when a, b, c turn left, 0 when they lie on a line.
static double orientation(sdVec2 pa, sdVec2 pb, sdVec2 pc) {
    sdVec2d a = fromFloat(pa), b = fromFloat(pb), c = fromFloat(pc);
    double left = (b.x - a.x) * (c.y - a.y);
    double right = (b.y - a.y) * (c.x - a.x);
    double r = left - right;
    bool isSure = fabs(r) > ORIENTATION_ERROR * (fabs(left) + fabs(right));
    return isSure ? r : exactOrientation(a, b, c);
}

// ---- hull ----------------------------------------------------------------------------------

static bool isBefore(sdVec2 a, sdVec2 b) {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

static void merge(const sdVec2* from, int begin, int middle, int end, sdVec2* to) {
    int i = begin, j = middle;
    for (int k = begin; k < end; ++k) {
        bool takesRight = i == middle || (j < end && isBefore(from[j], from[i]));
        to[k] = takesRight ? from[j++] : from[i++];
    }
}

/// By x, then by y. Merging from the bottom up: no recursion, no memory, no bad case.
static void sortPoints(sdVec2* points, int count, sdVec2* scratch) {
    for (int64_t width = 1; width < count; width *= 2) {
        for (int64_t begin = 0; begin < count; begin += 2 * width) {
            int64_t middle = begin + width < count ? begin + width : count;
            int64_t end = begin + 2 * width < count ? begin + 2 * width : count;
            merge(points, (int)begin, (int)middle, (int)end, scratch);
        }
        memcpy(points, scratch, (size_t)count * sizeof *points);
    }
}

static bool isSame(sdVec2 a, sdVec2 b) {
    return a.x == b.x && a.y == b.y;
}

/// Push p on a chain that must turn left; entries below `floor` stay.
static int pushTurn(sdVec2* chain, int count, int floor, sdVec2 p) {
    while (count > floor && orientation(chain[count - 2], chain[count - 1], p) <= 0.0) {
        count -= 1;
    }
    chain[count] = p;
    return count + 1;
}

int sdHull2_Chain(sdVec2* points, int count, sdVec2* hull) {
    sortPoints(points, count, hull);
    int distinct = 1;
    for (int i = 1; i < count; ++i) {
        if (!isSame(points[i], points[distinct - 1])) {
            points[distinct++] = points[i];
        }
    }
    if (distinct == 1) {
        hull[0] = points[0];
        return 1;
    }
    // below from left to right, then above from right to left
    int size = 0;
    for (int i = 0; i < distinct; ++i) {
        size = pushTurn(hull, size, 1, points[i]);
    }
    int floor = size;
    for (int i = distinct - 2; i >= 0; --i) {
        size = pushTurn(hull, size, floor, points[i]);
    }
    // the first point closes the ring
    return size - 1;
}

/// From one hull vertex to another; numbers run on beyond the last.
static sdVec2d step(const sdVec2* hull, int count, int from, int to) {
    return sub(fromFloat(hull[to % count]), fromFloat(hull[from % count]));
}

double sdHull2_SmallestBox(const sdVec2* hull, int count, sdVec2d* axis) {
    if (count < 3) {
        sdVec2d e = count > 1 ? step(hull, count, 0, 1) : (sdVec2d){1.0, 0.0};
        double length = sqrt(dot(e, e));
        *axis = (sdVec2d){e.x / length, e.y / length};
        return 0.0;
    }
    // one side lies on each edge in turn; the three other supports only move forward
    double best = INFINITY;
    int right = 1, top = 1, left = 1;
    for (int i = 0; i < count; ++i) {
        sdVec2d e = step(hull, count, i, i + 1);
        right = sdMaxI(right, i + 1);
        while (right < i + count && dot(step(hull, count, right, right + 1), e) > 0.0) {
            right += 1;
        }
        top = sdMaxI(top, right);
        while (top < i + count && cross(e, step(hull, count, top, top + 1)) > 0.0) {
            top += 1;
        }
        left = sdMaxI(left, top);
        while (left < i + count && dot(step(hull, count, left, left + 1), e) < 0.0) {
            left += 1;
        }
        double squared = dot(e, e);
        double area =
            dot(step(hull, count, left, right), e) * cross(e, step(hull, count, i, top)) / squared;
        if (area < best) {
            best = area;
            *axis = (sdVec2d){e.x / sqrt(squared), e.y / sqrt(squared)};
        }
    }
    return best;
}

// ---- helpers of the public functions -------------------------------------------------------

static bool areFinite(const sdVec2* points, int count) {
    for (int i = 0; i < count; ++i) {
        if (!sdVec2_IsFinite(points[i])) {
            return false;
        }
    }
    return true;
}

/// Copies of a context and of points, with room for their hull; one block.
typedef struct Plane {
    sdContext context;
    size_t size;
    void* memory;
    sdVec2* points; ///< sorted by sdHull2_Chain
    sdVec2* hull;
    int hullCount;
} Plane;

static sdResult openPlane(const sdContext* context, const char* function, const sdVec2* points,
                          int count, Plane* plane) {
    sdResult result = sdContext_Resolve(context, &plane->context);
    if (result != SD_OK) {
        return result;
    }
    if (points == NULL || count < 1 || !areFinite(points, count)) {
        return sdFail(&plane->context, SD_ERROR_INVALID_ARGUMENT,
                      "%s: needs one or more points, all finite", function);
    }
    sdBlockLayout layout = {0};
    size_t pointsAt = sdBlockLayout_Add(&layout, (size_t)count, sizeof(sdVec2));
    size_t hullAt = sdBlockLayout_Add(&layout, (size_t)count + 1, sizeof(sdVec2));
    plane->size = layout.size;
    plane->memory = layout.overflow ? NULL : sdAlloc(&plane->context.allocator, layout.size);
    if (plane->memory == NULL) {
        return sdFailMemory(&plane->context, function, layout.size);
    }
    plane->points = (sdVec2*)((char*)plane->memory + pointsAt);
    plane->hull = (sdVec2*)((char*)plane->memory + hullAt);
    memcpy(plane->points, points, (size_t)count * sizeof *points);
    plane->hullCount = sdHull2_Chain(plane->points, count, plane->hull);
    return SD_OK;
}

static void closePlane(Plane* plane) {
    sdFree(&plane->context.allocator, plane->memory, plane->size);
}

static sdVec2d perp(sdVec2d a) {
    return (sdVec2d){-a.y, a.x};
}

/// The box with a given axis: the centre first, rounded to float, then what the points need.
static sdResult boxAlong(const sdVec2* points, int count, sdVec2 axis, sdOBB2* out) {
    sdVec2d u = fromFloat(axis), v = perp(u), origin = fromFloat(points[0]);
    sdVec2d lower = {0.0, 0.0}, upper = {0.0, 0.0};
    for (int i = 1; i < count; ++i) {
        sdVec2d d = sub(fromFloat(points[i]), origin);
        sdVec2d p = {dot(d, u), dot(d, v)};
        lower = (sdVec2d){smaller(lower.x, p.x), smaller(lower.y, p.y)};
        upper = (sdVec2d){larger(upper.x, p.x), larger(upper.y, p.y)};
    }
    sdVec2d middle = {0.5 * (lower.x + upper.x), 0.5 * (lower.y + upper.y)};
    sdOBB2 box = {.axis = axis};
    box.center.x = (float)(origin.x + middle.x * u.x + middle.y * v.x);
    box.center.y = (float)(origin.y + middle.x * u.y + middle.y * v.y);
    sdVec2d center = fromFloat(box.center), reach = {0.0, 0.0};
    for (int i = 0; i < count; ++i) {
        sdVec2d d = sub(fromFloat(points[i]), center);
        reach = (sdVec2d){larger(reach.x, fabs(dot(d, u))), larger(reach.y, fabs(dot(d, v)))};
    }
    box.halfExtents = sdV2(sdRoundUp(reach.x), sdRoundUp(reach.y));
    if (!sdVec2_IsFinite(box.center) || !sdVec2_IsFinite(box.halfExtents)) {
        return SD_ERROR_LIMIT;
    }
    *out = box;
    return SD_OK;
}

/// Four corners' projection onto u, and what rounding of axis and projection may have taken off.
static double reachAlong(sdOBB2 box, sdVec2d u) {
    sdVec2d axis = fromFloat(box.axis);
    double x = (double)box.halfExtents.x, y = (double)box.halfExtents.y;
    double stretch = fabs(1.0 - dot(axis, axis));
    double slack = (2.0 * stretch + PROJECTION_ROUNDING) * (x + y) * (fabs(u.x) + fabs(u.y));
    return x * fabs(dot(axis, u)) + y * fabs(cross(axis, u)) + slack;
}

static bool isApartAlong(sdOBB2 a, sdOBB2 b, sdVec2d u) {
    double distance = fabs(dot(sub(fromFloat(b.center), fromFloat(a.center)), u));
    return distance * (1.0 - PROJECTION_ROUNDING) > reachAlong(a, u) + reachAlong(b, u);
}

static sdVec2d diagonals(sdVec2 p) {
    return (sdVec2d){(double)p.x + (double)p.y, (double)p.x - (double)p.y};
}

// ---- public --------------------------------------------------------------------------------

sdResult sdHull2_Fit(const sdContext* context, const sdVec2* points, int count, sdVec2* out,
                     int* outCount) {
    if (out == NULL || outCount == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    *outCount = 0;
    Plane plane;
    sdResult result = openPlane(context, "sdHull2_Fit", points, count, &plane);
    if (result != SD_OK) {
        return result;
    }
    memcpy(out, plane.hull, (size_t)plane.hullCount * sizeof *out);
    *outCount = plane.hullCount;
    closePlane(&plane);
    return SD_OK;
}

sdResult sdAABB2_Fit(const sdVec2* points, int count, sdAABB2* out) {
    if (points == NULL || count < 1 || out == NULL || !areFinite(points, count)) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    sdAABB2 box = {points[0], points[0]};
    for (int i = 1; i < count; ++i) {
        box.lower = sdV2(sdMinF(box.lower.x, points[i].x), sdMinF(box.lower.y, points[i].y));
        box.upper = sdV2(sdMaxF(box.upper.x, points[i].x), sdMaxF(box.upper.y, points[i].y));
    }
    *out = box;
    return SD_OK;
}

bool sdAABB2_Overlaps(sdAABB2 a, sdAABB2 b) {
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
           b.lower.y <= a.upper.y;
}

bool sdAABB2_ContainsPoint(sdAABB2 box, sdVec2 p) {
    return box.lower.x <= p.x && p.x <= box.upper.x && box.lower.y <= p.y && p.y <= box.upper.y;
}

sdResult sdCircle2_FitSmallest(const sdContext* context, const sdVec2* points, int count,
                               sdCircle2* out) {
    sdContext resolved;
    sdResult result = sdContext_Resolve(context, &resolved);
    if (result != SD_OK) {
        return result;
    }
    if (points == NULL || count < 1 || out == NULL || !areFinite(points, count)) {
        return sdFail(&resolved, SD_ERROR_INVALID_ARGUMENT,
                      "sdCircle2_FitSmallest: needs one or more points, all finite, and out");
    }
    // a great circle of the smallest ball of the same points in space
    size_t size = (size_t)count * sizeof(sdVec3);
    sdVec3* lifted = sdAllocArray(&resolved.allocator, (size_t)count, sizeof(sdVec3));
    if (lifted == NULL) {
        return sdFailMemory(&resolved, "sdCircle2_FitSmallest", size);
    }
    for (int i = 0; i < count; ++i) {
        lifted[i] = sdV3(points[i].x, points[i].y, 0.0f);
    }
    sdBall ball;
    result = sdBall_FitInPasses(&resolved, lifted, count, CIRCLE_PASS_LIMIT, &ball);
    sdFree(&resolved.allocator, lifted, size);
    if (result == SD_ERROR_LIMIT) {
        return sdFail(&resolved, result, "sdCircle2_FitSmallest: the radius is over FLT_MAX");
    }
    if (result == SD_OK) {
        *out = (sdCircle2){sdV2(ball.center.x, ball.center.y), ball.radius};
    }
    return result;
}

bool sdCircle2_Overlaps(sdCircle2 a, sdCircle2 b) {
    sdVec2d d = sub(fromFloat(a.center), fromFloat(b.center));
    double reach = (double)a.radius + (double)b.radius;
    return dot(d, d) <= reach * reach;
}

bool sdCircle2_ContainsPoint(sdCircle2 circle, sdVec2 p) {
    sdVec2d d = sub(fromFloat(p), fromFloat(circle.center));
    return dot(d, d) <= (double)circle.radius * (double)circle.radius;
}

sdResult sdOBB2_FitSmallest(const sdContext* context, const sdVec2* points, int count,
                            sdOBB2* out) {
    if (out == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    Plane plane;
    sdResult result = openPlane(context, "sdOBB2_FitSmallest", points, count, &plane);
    if (result != SD_OK) {
        return result;
    }
    sdVec2d axis;
    sdHull2_SmallestBox(plane.hull, plane.hullCount, &axis);
    closePlane(&plane);
    result = boxAlong(points, count, sdV2((float)axis.x, (float)axis.y), out);
    if (result != SD_OK) {
        return sdFail(&plane.context, result, "sdOBB2_FitSmallest: the box is over FLT_MAX");
    }
    return SD_OK;
}

bool sdOBB2_Overlaps(sdOBB2 a, sdOBB2 b) {
    sdVec2d u = fromFloat(a.axis), v = fromFloat(b.axis);
    return !isApartAlong(a, b, u) && !isApartAlong(a, b, perp(u)) && !isApartAlong(a, b, v) &&
           !isApartAlong(a, b, perp(v));
}

bool sdOBB2_ContainsPoint(sdOBB2 box, sdVec2 p) {
    sdVec2d d = sub(fromFloat(p), fromFloat(box.center));
    sdVec2d u = fromFloat(box.axis);
    return fabs(dot(d, u)) <= (double)box.halfExtents.x &&
           fabs(dot(d, perp(u))) <= (double)box.halfExtents.y;
}

sdResult sdKdop2_Fit(const sdVec2* points, int count, sdKdop2* out) {
    sdAABB2 box;
    if (out == NULL || sdAABB2_Fit(points, count, &box) != SD_OK) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    sdVec2d lower = diagonals(points[0]), upper = lower;
    for (int i = 1; i < count; ++i) {
        sdVec2d d = diagonals(points[i]);
        lower = (sdVec2d){smaller(lower.x, d.x), smaller(lower.y, d.y)};
        upper = (sdVec2d){larger(upper.x, d.x), larger(upper.y, d.y)};
    }
    sdKdop2 kdop = {{box.lower.x, box.lower.y, sdRoundDown(lower.x), sdRoundDown(lower.y)},
                    {box.upper.x, box.upper.y, sdRoundUp(upper.x), sdRoundUp(upper.y)}};
    for (int i = 0; i < 4; ++i) {
        if (!sdIsFinite(kdop.lower[i]) || !sdIsFinite(kdop.upper[i])) {
            return SD_ERROR_LIMIT;
        }
    }
    *out = kdop;
    return SD_OK;
}

bool sdKdop2_Overlaps(const sdKdop2* a, const sdKdop2* b) {
    if (a == NULL || b == NULL) {
        return false;
    }
    for (int i = 0; i < 4; ++i) {
        if (a->lower[i] > b->upper[i] || b->lower[i] > a->upper[i]) {
            return false;
        }
    }
    return true;
}

bool sdKdop2_ContainsPoint(const sdKdop2* kdop, sdVec2 p) {
    if (kdop == NULL) {
        return false;
    }
    sdVec2d d = diagonals(p);
    const double along[4] = {(double)p.x, (double)p.y, d.x, d.y};
    for (int i = 0; i < 4; ++i) {
        if (!((double)kdop->lower[i] <= along[i] && along[i] <= (double)kdop->upper[i])) {
            return false;
        }
    }
    return true;
}
