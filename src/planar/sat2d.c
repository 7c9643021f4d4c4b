// SPDX-License-Identifier: MIT
// sat2d.c - separating axes of two convex polygons in the plane, in two forms.
//
// In:   two polygons without rounding and a pose.
// Out:  whether they overlap, the axis of least overlap, how many axes it took.
// Ref:  Eberly, "Game physics", 2010, 8.2; S3 algorithms 2.7 to 2.9.
// Note: algorithm 2.7 there skips the last edge and 2.8 tests one polygon against itself; here
// every
//       edge of both is tested against the other polygon.

#include "planar/difference2d.h"

typedef struct Span {
    double lower, upper;
} Span;

static Span project(const sdCore2* core, sdVec2d axis) {
    Span span = {DBL_MAX, -DBL_MAX};
    for (int i = 0; i < core->count; ++i) {
        double t = sdDot2D(axis, core->vertices[i]);
        span.lower = t < span.lower ? t : span.lower;
        span.upper = t > span.upper ? t : span.upper;
    }
    return span;
}

static sdVec2d outwardNormal(const sdCore2* core, int i) {
    sdVec2d e = core->edges[i];
    double length = sqrt(sdDot2D(e, e));
    return (sdVec2d){e.y / length, -e.x / length};
}

static bool open(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB, sdDifference2* d,
                 sdSatResult2* out) {
    *out = (sdSatResult2){.indexA = SD_NULL_INDEX, .indexB = SD_NULL_INDEX};
    bool isMade = sdDifference2_Make(a, b, xfAB, d);
    if (!isMade || a->count < 3 || b->count < 3 || a->radius > 0.0f || b->radius > 0.0f) {
        out->status = SD_STATUS_INVALID;
        return false;
    }
    return true;
}

static void setAxis(sdSatResult2* out, sdVec2d axis, bool isOfA, int edge) {
    out->axis = sdVec2d_ToFloat(axis);
    out->indexA = isOfA ? edge : SD_NULL_INDEX;
    out->indexB = isOfA ? SD_NULL_INDEX : edge;
}

sdSatResult2 sdSat2_Test(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB, bool isFull) {
    sdSatResult2 out;
    sdDifference2 d;
    if (!open(a, b, xfAB, &d, &out)) {
        return out;
    }
    double greatest = -DBL_MAX;
    for (int i = 0; i < a->count + b->count && (isFull || greatest <= 0.0); ++i) {
        bool isOfA = i < a->count;
        int edge = isOfA ? i : i - a->count;
        sdVec2d axis = outwardNormal(isOfA ? &d.a : &d.b, edge);
        Span spanA = project(&d.a, axis), spanB = project(&d.b, axis);
        double ahead = spanB.lower - spanA.upper, behind = spanA.lower - spanB.upper;
        double separation = ahead > behind ? ahead : behind;
        out.axisCount += 1;
        if (separation > greatest) {
            greatest = separation;
            setAxis(&out, ahead > behind ? axis : (sdVec2d){-axis.x, -axis.y}, isOfA, edge);
        }
    }
    out.separation = (float)greatest;
    out.isOverlapping = greatest <= 0.0;
    return out;
}

/// Whether all of the polygon is strictly ahead of the line through `point`.
static bool isAhead(const sdCore2* core, sdVec2d point, sdVec2d direction) {
    for (int i = 0; i < core->count; ++i) {
        if (sdDot2D(direction, sdSub2D(core->vertices[i], point)) <= 0.0) {
            return false;
        }
    }
    return true;
}

sdSatResult2 sdSat2_WhichSide(const sdPolygon2* a, const sdPolygon2* b, sdTransform2 xfAB) {
    sdSatResult2 out;
    sdDifference2 d;
    if (!open(a, b, xfAB, &d, &out)) {
        return out;
    }
    for (int i = 0; i < a->count + b->count; ++i) {
        bool isOfA = i < a->count;
        int edge = isOfA ? i : i - a->count;
        const sdCore2* own = isOfA ? &d.a : &d.b;
        sdVec2d normal = {own->edges[edge].y, -own->edges[edge].x};
        out.axisCount += 1;
        if (isAhead(isOfA ? &d.b : &d.a, own->vertices[edge], normal)) {
            sdVec2d unit = outwardNormal(own, edge);
            setAxis(&out, isOfA ? unit : (sdVec2d){-unit.x, -unit.y}, isOfA, edge);
            return out;
        }
    }
    out.isOverlapping = true;
    return out;
}
