// SPDX-License-Identifier: MIT
// view_bounds.c - bounding volumes of shapes: smallest ball, oriented box, hull, k-DOP.
//
// In:   a shape; its points are the corners of its triangles.
// Out:  volumes in its own frame; the k-DOP as lines.
// Note: what is round has as many corners as a picture of it has, so its volumes are as much too
//       small as its picture.

#include "view_bounds.h"

#include "support.h"
#include "tessellate.h"

/// Around what is round.
#define SEGMENTS 24

/// Corners of a 14-DOP at most: three planes meet in each of them.
#define MAX_CORNERS 512

/// Share of its size within which a point is on a plane.
#define ON_PLANE 1e-4

static bool isSame(const sdShape* a, const sdShape* b) {
    if (a->type != b->type) {
        return false;
    }
    switch (a->type) {
        case SD_SHAPE_SPHERE:
            return a->sphere.radius == b->sphere.radius;
        case SD_SHAPE_BOX:
            return a->box.halfExtents.x == b->box.halfExtents.x &&
                   a->box.halfExtents.y == b->box.halfExtents.y &&
                   a->box.halfExtents.z == b->box.halfExtents.z;
        case SD_SHAPE_HULL:
            return a->hull == b->hull;
        case SD_SHAPE_MESH:
            return a->mesh == b->mesh;
        default:
            return false;
    }
}

/// Corners of the triangles, in views->points.
/// @return how many, or -1 when there is no memory
static int listPoints(sdViews* v, const sdShape* shape) {
    sdTessellation t;
    sdTessellationDef def = sdTessellationDef_Default();
    def.segmentCount = SEGMENTS;
    if (sdTessellate(&v->context, shape, &def, &t) != SD_OK) {
        return -1;
    }
    int count = t.vertexCount;
    bool ok = sdRender_Reserve(&v->context.allocator, (void**)&v->points, &v->pointCapacity, count,
                               sizeof *v->points);
    for (int i = 0; i < count && ok; ++i) {
        v->points[i] = t.vertices[i].position;
    }
    sdTessellation_Free(&t);
    return ok ? count : -1;
}

const sdViewBounds* sdViews_FindBounds(sdViews* v, const sdShape* shape, uint32_t flags) {
    for (int i = 0; i < v->boundsCount; ++i) {
        if (isSame(&v->bounds[i].shape, shape)) {
            return &v->bounds[i];
        }
    }
    sdViewBounds own = {.shape = *shape};
    int count = listPoints(v, shape);
    if (count <= 0 ||
        !sdRender_Reserve(&v->context.allocator, (void**)&v->bounds, &v->boundsCapacity,
                          v->boundsCount + 1, sizeof(sdViewBounds))) {
        return NULL;
    }
    bool ok = true;
    if (flags & SD_VIEW_SPHERES) {
        ok = sdBall_FitSmallest(&v->context, v->points, count, &own.ball) == SD_OK;
    }
    if (ok && (flags & SD_VIEW_OBBS)) {
        ok = sdOBB_FitSmallest(&v->context, v->points, count, &own.obb) == SD_OK;
    }
    if (ok && (flags & (SD_VIEW_HULLS | SD_VIEW_KDOPS))) {
        ok = sdRender_MakeHull(&v->context, v->points, count, &own.hull);
    }
    v->bounds[v->boundsCount] = own;
    v->boundsCount += ok;
    return ok ? &v->bounds[v->boundsCount - 1] : NULL;
}

void sdViews_ForgetBounds(sdViews* v) {
    for (int i = 0; i < v->boundsCount; ++i) {
        sdHull_Release(v->bounds[i].hull);
    }
    v->boundsCount = 0;
}

// ---- k-DOP ---------------------------------------------------------------------------------

typedef struct Side {
    double n[3], offset; ///< n . x <= offset
} Side;

/// Where three planes meet.
static bool meet(const Side* a, const Side* b, const Side* c, double out[3]) {
    double x[3] = {b->n[1] * c->n[2] - b->n[2] * c->n[1], b->n[2] * c->n[0] - b->n[0] * c->n[2],
                   b->n[0] * c->n[1] - b->n[1] * c->n[0]};
    double det = a->n[0] * x[0] + a->n[1] * x[1] + a->n[2] * x[2];
    if (fabs(det) < 1e-9) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double ca = c->n[j] * a->n[k] - c->n[k] * a->n[j];
        double ab = a->n[j] * b->n[k] - a->n[k] * b->n[j];
        out[i] = (a->offset * x[i] + b->offset * ca + c->offset * ab) / det;
    }
    return true;
}

static bool isInside(const Side* sides, int count, const double p[3], double slack) {
    for (int i = 0; i < count; ++i) {
        const double* n = sides[i].n;
        if (n[0] * p[0] + n[1] * p[1] + n[2] * p[2] > sides[i].offset + slack) {
            return false;
        }
    }
    return true;
}

static int listCorners(const sdKdop* kdop, double size, sdVec3 corners[MAX_CORNERS]) {
    int slabCount;
    const sdVec3* directions = sdKdop_GetDirections(kdop->kind, &slabCount);
    Side sides[2 * SD_KDOP_MAX_SLABS];
    int sideCount = 2 * slabCount, count = 0;
    for (int i = 0; i < slabCount; ++i) {
        sdVec3 d = directions[i];
        Side upper = {{(double)d.x, (double)d.y, (double)d.z}, (double)kdop->upper[i]};
        Side lower = {{-(double)d.x, -(double)d.y, -(double)d.z}, -(double)kdop->lower[i]};
        sides[2 * i] = upper;
        sides[2 * i + 1] = lower;
    }
    for (int i = 0; i < sideCount; ++i) {
        for (int j = i + 1; j < sideCount; ++j) {
            for (int k = j + 1; k < sideCount && count < MAX_CORNERS; ++k) {
                double p[3];
                if (meet(&sides[i], &sides[j], &sides[k], p) &&
                    isInside(sides, sideCount, p, ON_PLANE * size)) {
                    corners[count++] = sdV3((float)p[0], (float)p[1], (float)p[2]);
                }
            }
        }
    }
    return count;
}

bool sdViews_AddKdop(sdViews* v, const sdViewBounds* bounds, sdTransform xfES,
                     const uint8_t color[4]) {
    if (bounds->hull == NULL) {
        return true;
    }
    // the corners of the hull are enough
    int count;
    const sdVec3* vertices = sdHull_GetVertices(bounds->hull, &count);
    if (!sdRender_Reserve(&v->context.allocator, (void**)&v->points, &v->pointCapacity, count,
                          sizeof *v->points)) {
        return false;
    }
    float size = 0.0f;
    for (int i = 0; i < count; ++i) {
        v->points[i] = sdRotate(xfES.q, vertices[i]);
        size = sdMaxF(size, sdLength(v->points[i]));
    }
    sdKdop kdop;
    sdVec3 corners[MAX_CORNERS];
    if (sdKdop_Fit(SD_KDOP_14, v->points, count, &kdop) != SD_OK) {
        return false;
    }
    int cornerCount = listCorners(&kdop, (double)size, corners);
    sdHull* hull = NULL;
    if (cornerCount > 0 && !sdRender_MakeHull(&v->context, corners, cornerCount, &hull)) {
        return false;
    }
    if (hull != NULL) {
        sdTransform shift = sdTransform_Make(xfES.p, sdQuat_Identity());
        sdOverlay_AddHull(&v->overlay, shift, hull, color);
        sdHull_Release(hull);
    }
    return true;
}
