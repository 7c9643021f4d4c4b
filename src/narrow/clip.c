// SPDX-License-Identifier: MIT
// clip.c - convex polygons cut by planes.
//
// Ref:  Sutherland, Hodgman, "Reentrant polygon clipping", CACM 1974.

#include "narrow/clip.h"

void sdClip_SetFace(sdClipPolygon* polygon, const sdSatPair* pair, bool isOfA, int face) {
    const sdPolyhedron* body = isOfA ? &pair->a : &pair->b;
    int first = body->faceEdges[face], sideCount = 0;
    for (int e = first; sideCount == 0 || e != first; e = body->edges[e].next) {
        sideCount += 1;
    }
    // leave room for as many planes
    const int room = SD_CLIP_MAX_POINTS / 2;
    int step = (sideCount + room - 1) / room;
    polygon->count = 0;
    polygon->isThinned = step > 1;
    int previous = SD_NULL_INDEX, e = first;
    for (int i = 0; i < sideCount; ++i, e = body->edges[e].next) {
        if (i % step == 0) {
            sdVec3d p = sdVec3d_From(body->vertices[body->edges[e].origin]);
            polygon->points[polygon->count++] =
                (sdClipPoint){isOfA ? p : sdConvexPair_ToA(&pair->convex, p), previous, e};
        }
        previous = e;
    }
    polygon->points[0].in = previous;
}

static void thin(sdClipPolygon* polygon) {
    int count = 0;
    for (int i = 0; i < polygon->count; i += 2) {
        polygon->points[count++] = polygon->points[i];
    }
    polygon->count = count;
    polygon->isThinned = true;
}

void sdClip_ByPlane(sdClipPolygon* polygon, sdVec3d normal, double offset, double tolerance,
                    int32_t label) {
    double heights[SD_CLIP_MAX_POINTS];
    int outside = 0;
    for (int i = 0; i < polygon->count; ++i) {
        double height = sdDotD(normal, polygon->points[i].p) - offset;
        heights[i] = height > 0.0 && height <= tolerance ? 0.0 : height;
        outside += height > tolerance ? 1 : 0;
    }
    if (outside == 0) {
        return;
    }
    sdClipPoint kept[2 * SD_CLIP_MAX_POINTS];
    int count = 0;
    for (int i = 0; i < polygon->count; ++i) {
        int j = i + 1 < polygon->count ? i + 1 : 0;
        const sdClipPoint *a = &polygon->points[i], *b = &polygon->points[j];
        if (heights[i] <= 0.0) {
            kept[count++] = *a;
        }
        // a corner on the plane is where the side crosses it
        bool isLeaving = heights[i] < 0.0 && heights[j] > 0.0;
        bool isComing = heights[i] > 0.0 && heights[j] < 0.0;
        if (isLeaving || isComing) {
            double t = heights[i] / (heights[i] - heights[j]);
            sdVec3d p = sdMulAddD(a->p, t, sdSubD(b->p, a->p));
            kept[count++] =
                isLeaving ? (sdClipPoint){p, a->out, ~label} : (sdClipPoint){p, ~label, a->out};
        }
    }
    // one more than before at the most, unless rounding has bent the polygon
    polygon->count = count < SD_CLIP_MAX_POINTS ? count : SD_CLIP_MAX_POINTS;
    memcpy(polygon->points, kept, (size_t)polygon->count * sizeof kept[0]);
    if (polygon->count == SD_CLIP_MAX_POINTS) {
        thin(polygon);
    }
}

void sdClip_BySides(sdClipPolygon* polygon, const sdClipPolygon* sides, sdVec3d normal,
                    double tolerance) {
    for (int i = 0; i < sides->count; ++i) {
        const sdClipPoint* a = &sides->points[i];
        const sdClipPoint* b = &sides->points[i + 1 < sides->count ? i + 1 : 0];
        sdVec3d outward = sdCrossD(sdSubD(b->p, a->p), normal);
        double length = sdLengthD(outward);
        // a side without length cuts nothing
        if (length > 0.0) {
            outward = sdScaleD(1.0 / length, outward);
            sdClip_ByPlane(polygon, outward, sdDotD(outward, a->p), tolerance, a->out);
        }
    }
}
