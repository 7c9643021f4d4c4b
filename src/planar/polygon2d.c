// SPDX-License-Identifier: MIT
// polygon2d.c - shapes in the plane, and their projection on a direction.
//
// In:   points, or the measures of a circle, capsule, segment or box.
// Out:  a convex polygon with normals and radius, by value.
// Ref:  O'Rourke, "Computational geometry in C", 1998, 7.9 (extreme point by bisection);
//       S3 §2.3.

#include "base/memory.h"
#include "planar/difference2d.h"

#include <string.h>

/// Radians. Normals are rounded to float: 1e-7.
#define NORMAL_TOLERANCE 1e-6

sdTransform2 sdTransform2_Make(sdVec2 position, float angle) {
    return (sdTransform2){position, sdCos(angle), sdSin(angle)};
}

// ---- shapes --------------------------------------------------------------------------------

static sdVec2 edgeNormal(sdVec2 from, sdVec2 to) {
    sdVec2d e = sdSub2D(sdVec2d_From(to), sdVec2d_From(from));
    double length = sqrt(sdDot2D(e, e));
    return length > 0.0 ? sdV2((float)(e.y / length), (float)(-e.x / length)) : sdV2(0.0f, 0.0f);
}

static void setNormals(sdPolygon2* polygon) {
    for (int i = 0; polygon->count >= 2 && i < polygon->count; ++i) {
        int next = i + 1 < polygon->count ? i + 1 : 0;
        polygon->normals[i] = edgeNormal(polygon->vertices[i], polygon->vertices[next]);
    }
}

static bool isRadius(float radius) {
    return sdIsFinite(radius) && radius >= 0.0f;
}

sdResult sdPolygon2_Make(const sdContext* context, const sdVec2* points, int count, float radius,
                         sdPolygon2* out) {
    sdContext resolved;
    sdResult result = sdContext_Resolve(context, &resolved);
    if (result != SD_OK) {
        return result;
    }
    if (points == NULL || out == NULL) {
        return sdFail(&resolved, SD_ERROR_INVALID_ARGUMENT,
                      "sdPolygon2_Make: points or out is NULL");
    }
    memset(out, 0, sizeof *out);
    if (count < 1 || count > SD_POLYGON2_MAX_POINTS) {
        return sdFail(&resolved, SD_ERROR_INVALID_ARGUMENT,
                      "sdPolygon2_Make: %d points, but 1 to %d are allowed", count,
                      SD_POLYGON2_MAX_POINTS);
    }
    if (!isRadius(radius)) {
        return sdFail(&resolved, SD_ERROR_INVALID_ARGUMENT,
                      "sdPolygon2_Make: the radius must be finite and not negative");
    }
    sdVec2 sorted[SD_POLYGON2_MAX_POINTS], hull[SD_POLYGON2_MAX_POINTS + 1];
    for (int i = 0; i < count; ++i) {
        if (!sdVec2_IsFinite(points[i])) {
            return sdFail(&resolved, SD_ERROR_INVALID_ARGUMENT,
                          "sdPolygon2_Make: point %d is not finite", i);
        }
        sorted[i] = points[i];
    }
    int hullCount = sdHull2_Chain(sorted, count, hull);
    if (hullCount > SD_POLYGON2_MAX_VERTICES) {
        return sdFail(
            &resolved, SD_ERROR_LIMIT,
            "sdPolygon2_Make: the hull has %d vertices, at most %d are allowed; drop some",
            hullCount, SD_POLYGON2_MAX_VERTICES);
    }
    memcpy(out->vertices, hull, (size_t)hullCount * sizeof *hull);
    out->count = hullCount;
    out->radius = radius;
    setNormals(out);
    return SD_OK;
}

sdPolygon2 sdPolygon2_Capsule(sdVec2 a, sdVec2 b, float radius) {
    sdPolygon2 out = {0};
    if (!sdVec2_IsFinite(a) || !sdVec2_IsFinite(b) || !isRadius(radius)) {
        return out;
    }
    out.vertices[0] = a;
    out.vertices[1] = b;
    out.count = a.x == b.x && a.y == b.y ? 1 : 2;
    out.radius = radius;
    setNormals(&out);
    return out;
}

sdPolygon2 sdPolygon2_Circle(sdVec2 center, float radius) {
    return sdPolygon2_Capsule(center, center, radius);
}

sdPolygon2 sdPolygon2_Segment(sdVec2 a, sdVec2 b) {
    return sdPolygon2_Capsule(a, b, 0.0f);
}

sdPolygon2 sdPolygon2_Box(sdVec2 halfExtents) {
    float x = halfExtents.x, y = halfExtents.y;
    sdPolygon2 out = {0};
    if (!isRadius(x) || !isRadius(y)) {
        return out;
    }
    if (x == 0.0f || y == 0.0f) {
        return sdPolygon2_Segment(sdV2(-x, -y), sdV2(x, y));
    }
    out.vertices[0] = sdV2(-x, -y);
    out.vertices[1] = sdV2(x, -y);
    out.vertices[2] = sdV2(x, y);
    out.vertices[3] = sdV2(-x, y);
    out.count = 4;
    setNormals(&out);
    return out;
}

bool sdPolygon2_IsValid(const sdPolygon2* polygon) {
    if (polygon == NULL || polygon->count < 1 || polygon->count > SD_POLYGON2_MAX_VERTICES ||
        !isRadius(polygon->radius)) {
        return false;
    }
    int count = polygon->count;
    sdVec2 sorted[SD_POLYGON2_MAX_VERTICES], hull[SD_POLYGON2_MAX_VERTICES + 1];
    for (int i = 0; i < count; ++i) {
        if (!sdVec2_IsFinite(polygon->vertices[i])) {
            return false;
        }
        sorted[i] = polygon->vertices[i];
    }
    if (sdHull2_Chain(sorted, count, hull) != count) {
        return false;
    }
    int start = 0; // of the hull in the polygon: both are in the same order
    while (start < count && memcmp(&polygon->vertices[start], &hull[0], sizeof *hull) != 0) {
        start += 1;
    }
    for (int i = 0; i < count; ++i) {
        int at = (start + i) % count;
        sdVec2 v = polygon->vertices[at], n = polygon->normals[at];
        if (v.x != hull[i].x || v.y != hull[i].y) {
            return false;
        }
        sdVec2 right = count >= 2 ? edgeNormal(v, hull[(i + 1) % count]) : n;
        if (!((double)sdAbsF(n.x - right.x) <= NORMAL_TOLERANCE &&
              (double)sdAbsF(n.y - right.y) <= NORMAL_TOLERANCE)) {
            return false;
        }
    }
    return true;
}

// ---- projection ----------------------------------------------------------------------------

static double height(const sdVec2* vertices, int i, sdVec2d direction) {
    return sdDot2D(sdVec2d_From(vertices[i]), direction);
}

static int highestByScan(const sdVec2* vertices, int count, sdVec2d direction, int* lookCount) {
    int best = 0;
    *lookCount += count;
    for (int i = 1; i < count; ++i) {
        best = height(vertices, i, direction) > height(vertices, best, direction) ? i : best;
    }
    return best;
}

/// Heights around a convex polygon rise once and fall once. Halve the arc a .. b that holds the
/// highest vertex; edges that cannot decide (rounding) leave it to the scan.
static int highestBySearch(const sdVec2* vertices, int count, sdVec2d direction, int* lookCount) {
    int a = 0, b = count;
    *lookCount += 3;
    bool isRisingA = height(vertices, 1 % count, direction) > height(vertices, 0, direction);
    if (!isRisingA && height(vertices, count - 1, direction) <= height(vertices, 0, direction)) {
        return 0;
    }
    while (b - a > 1) {
        int c = a + (b - a) / 2;
        *lookCount += 3;
        double here = height(vertices, c, direction);
        bool isRising = height(vertices, c + 1 < count ? c + 1 : 0, direction) > here;
        if (!isRising && height(vertices, c - 1, direction) <= here) {
            return c;
        }
        bool isAHigher = height(vertices, a, direction) > here;
        bool isBeforeC = isRisingA ? !isRising || isAHigher : !isRising && !isAHigher;
        if (isBeforeC) {
            b = c;
        } else {
            a = c;
            isRisingA = isRising;
        }
    }
    return highestByScan(vertices, count, direction, lookCount);
}

sdProjection2 sdProject2(const sdVec2* vertices, int count, sdVec2 direction,
                         sdProject2Method method) {
    sdProjection2 out = {0};
    if (vertices == NULL || count < 1) {
        return out;
    }
    sdVec2d up = sdVec2d_From(direction), down = {-up.x, -up.y};
    int (*find)(const sdVec2*, int, sdVec2d, int*) =
        method == SD_PROJECT2_SCAN ? highestByScan : highestBySearch;
    out.upperIndex = find(vertices, count, up, &out.lookCount);
    out.lowerIndex = find(vertices, count, down, &out.lookCount);
    out.upper = height(vertices, out.upperIndex, up);
    out.lower = height(vertices, out.lowerIndex, up);
    return out;
}
