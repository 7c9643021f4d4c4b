// SPDX-License-Identifier: MIT
// surface_face.c - points of a body over the face of a triangle.
//
// In:   a body, a triangle, which of its sides have no flat neighbour.
// Out:  the corners of what the body shows to the face, as far as they are over the triangle, and
//       where its outline crosses the open sides.

#include "narrow/surface.h"

/// A body's lowest point that no corner has takes the place of a corner within this fraction of
/// what it touches with: as for sdCollide.
#define SNAP_FRACTION 0.2
/// Sine of the angle within which triangles are of one plane, to rounding.
#define SAME_PLANE 1e-9

// ---- what the body shows to a face ---------------------------------------------------------

/// The lowest point, where no corner is as low.
static void addLowest(sdSurfaceView* view, double size) {
    double least = DBL_MAX, nearest = DBL_MAX, spread = 0.0;
    int at = 0;
    for (int i = 0; i < view->count; ++i) {
        double height = sdDotD(view->normal, view->points[i]);
        sdVec3d d = sdSubD(view->points[i], view->lowest);
        sdVec3d across = sdSubD(view->points[i], view->points[0]);
        double squared = sdDotD(d, d), wide = sdDotD(across, across);
        least = height < least ? height : least;
        at = squared < nearest ? i : at;
        nearest = squared < nearest ? squared : nearest;
        spread = wide > spread ? wide : spread;
    }
    if (least <= sdDotD(view->normal, view->lowest) + SD_MANIFOLD_DEEPEST * size) {
        return;
    }
    bool isSnapped = nearest <= SNAP_FRACTION * SNAP_FRACTION * spread;
    at = isSnapped ? at : view->count++;
    view->ids[at] = isSnapped ? view->ids[at] : SD_MANIFOLD_WITNESS_ID;
    view->points[at] = view->lowest;
}

void sdSurfaceSearch_Look(sdSurfaceSearch* search, sdVec3d normal) {
    sdSurfaceView* view = &search->view;
    sdVec3d turn = sdSubD(normal, view->normal);
    if (!search->hasView || sdDotD(turn, turn) > SAME_PLANE * SAME_PLANE) {
        search->hasView = true;
        view->hasFace = false;
        view->normal = normal;
        view->down = sdPose_InvRotate(&search->pose, sdScaleD(-1.0, normal));
        view->lowest = sdPose_Point(&search->pose, sdSupport_Point(search->body, view->down));
    }
}

/// What a sphere or capsule shows to the face, as sdSupportFace_Find has it: a point, or a segment.
static void lookAtRound(sdSurfaceSearch* search) {
    sdSurfaceView* view = &search->view;
    sdVec3d down = view->down;
    const sdCapsule* capsule = &search->body->capsule;
    double half = search->body->type == SD_SHAPE_CAPSULE ? (double)capsule->halfLength : 0.0;
    view->hasFace = true;
    if (!(fabs(down.y) <= SD_SUPPORT_CAPSULE_TILT) || half <= 0.0) {
        view->face.polygon.count = 1;
        view->count = 1;
        view->points[0] = view->lowest;
        view->ids[0] = SD_MANIFOLD_WITNESS_ID;
        view->kind = SD_CONTACT_VERTEX_FACE;
        return;
    }
    double length = sqrt(down.x * down.x + down.z * down.z);
    double x = search->radius * (down.x / length), z = search->radius * (down.z / length);
    sdClipPoint* points = view->face.polygon.points;
    view->face.polygon.count = 2;
    view->count = 2;
    for (int i = 0; i < 2; ++i) {
        int in = SD_SUPPORT_LABEL_SIDE + (i == 0 ? 1 : 0), out = SD_SUPPORT_LABEL_SIDE + i;
        view->points[i] = sdPose_Point(&search->pose, sdV3d(x, i == 0 ? -half : half, z));
        view->ids[i] = sdManifold_Id(in, out);
        points[i] = (sdClipPoint){view->points[i], in, out};
    }
    sdVec3d edge = sdSubD(points[1].p, points[0].p);
    double rise = sdDotD(edge, view->normal), flat = SD_MANIFOLD_FLAT_TILT * SD_MANIFOLD_FLAT_TILT;
    view->kind =
        rise * rise <= flat * sdDotD(edge, edge) ? SD_CONTACT_EDGE_FACE : SD_CONTACT_VERTEX_FACE;
    addLowest(view, search->size);
}

/// All that it shows to the face.
static void lookClosely(sdSurfaceSearch* search) {
    sdSurfaceView* view = &search->view;
    const sdShape* body = search->body;
    if (view->hasFace) {
        return;
    }
    if (search->isRound) {
        lookAtRound(search);
        return;
    }
    int vertex = body->type == SD_SHAPE_HULL ? sdHull_Support(body->hull, sdVec3d_Round(view->down))
                                             : SD_NULL_INDEX;
    sdSupportFace_Find(&view->face, body, view->down, vertex, &search->pose);
    const sdClipPolygon* polygon = &view->face.polygon;
    view->hasFace = true;
    view->count = polygon->count > 1 ? polygon->count : 0;
    for (int i = 0; i < view->count; ++i) {
        view->points[i] = polygon->points[i].p;
        view->ids[i] = sdManifold_Id(polygon->points[i].in, polygon->points[i].out);
    }
    addLowest(view, search->size);
    int touch = sdSupportFace_Touch(&view->face, sdScaleD(-1.0, view->normal));
    view->kind = sdManifold_Kind(2, touch);
}

// ---- faces ---------------------------------------------------------------------------------

/// A point of the body over a triangle.
/// @return whether it is near enough
static bool addPoint(sdSurfaceSearch* search, const sdSurfaceTriangle* triangle, sdVec3d p,
                     uint32_t id, bool isCrossing) {
    double height = sdSurfaceTriangle_Height(triangle, p);
    if (height <= search->limit) {
        sdSurfacePoint point = {
            sdMulAddD(p, -height, triangle->normal), p, height, id, triangle->index, isCrossing};
        sdSurfacePatches_Add(&search->patches, triangle->normal, search->view.kind, &point);
    }
    return height <= search->limit;
}

/// The part of a side, as fractions, that is under the body's polygon.
static bool clipSide(const sdSurfaceView* view, sdVec3d from, sdVec3d side, double* first,
                     double* last) {
    const sdClipPolygon* polygon = &view->face.polygon;
    *first = 0.0;
    *last = 1.0;
    for (int i = 0; i < polygon->count; ++i) {
        sdVec3d p = polygon->points[i].p;
        sdVec3d edge = sdSubD(polygon->points[i + 1 < polygon->count ? i + 1 : 0].p, p);
        // counter-clockwise around its own normal, which looks down
        sdVec3d outward = sdCrossD(view->normal, edge);
        double height = sdDotD(outward, sdSubD(from, p)), rise = sdDotD(outward, side);
        if (rise == 0.0) {
            if (height > 0.0) {
                return false;
            }
            continue;
        }
        double t = -height / rise;
        *last = rise > 0.0 && t < *last ? t : *last;
        *first = rise < 0.0 && t > *first ? t : *first;
    }
    return *first <= *last;
}

static uint32_t sideId(const sdSurfaceTriangle* triangle, int side, int end) {
    uint32_t name = 6u * (uint32_t)triangle->index + 2u * (uint32_t)side + (uint32_t)end;
    return 0x80000000u | (name * 0x9E3779B1u);
}

/// Where a side under the body's polygon begins and ends.
static bool addSideOfPolygon(sdSurfaceSearch* search, const sdSurfaceTriangle* triangle, int side) {
    const sdSurfaceView* view = &search->view;
    sdVec3d from = triangle->corners[side];
    sdVec3d d = sdSubD(triangle->corners[side == 2 ? 0 : side + 1], from);
    double ends[2];
    if (!clipSide(view, from, d, &ends[0], &ends[1])) {
        return false;
    }
    bool isFound = false;
    double slope = sdDotD(view->face.normal, view->normal);
    for (int i = 0; i < 2; ++i) {
        sdVec3d foot = sdMulAddD(from, ends[i], d);
        sdVec3d to = sdSubD(view->face.polygon.points[0].p, foot);
        double height = sdDotD(view->face.normal, to) / slope;
        sdVec3d p = sdMulAddD(foot, height, view->normal);
        isFound |= addPoint(search, triangle, p, sideId(triangle, side, i), true);
    }
    return isFound;
}

/// Where the body's edge crosses a side.
static bool addSideOfSegment(sdSurfaceSearch* search, const sdSurfaceTriangle* triangle, int side,
                             double rim) {
    const sdClipPoint* points = search->view.face.polygon.points;
    sdVec3d outward = triangle->outward[side], corner = triangle->corners[side];
    double h0 = sdDotD(outward, sdSubD(points[0].p, corner));
    double h1 = sdDotD(outward, sdSubD(points[1].p, corner));
    if ((h0 > 0.0) != (h1 > 0.0)) {
        sdVec3d p = sdMulAddD(points[0].p, h0 / (h0 - h1), sdSubD(points[1].p, points[0].p));
        if (sdSurfaceTriangle_IsUnder(triangle, p, rim)) {
            return addPoint(search, triangle, p, sideId(triangle, side, h0 > 0.0), true);
        }
    }
    return false;
}

bool sdSurfaceSearch_AddFace(sdSurfaceSearch* search, const sdSurfaceTriangle* triangle,
                             uint32_t sides, double rim) {
    sdSurfaceSearch_Look(search, triangle->normal);
    lookClosely(search);
    const sdSurfaceView* view = &search->view;
    bool isFound = false;
    for (int i = 0; i < view->count; ++i) {
        if (sdSurfaceTriangle_IsUnder(triangle, view->points[i], rim)) {
            isFound |= addPoint(search, triangle, view->points[i], view->ids[i], false);
        }
    }
    int corners = view->face.polygon.count;
    for (int i = 0; i < 3 && corners > 1; ++i) {
        if ((sides >> i & 1) != 0) {
            if (corners > 2) {
                isFound |= addSideOfPolygon(search, triangle, i);
            } else {
                isFound |= addSideOfSegment(search, triangle, i, rim);
            }
        }
    }
    return isFound;
}
