// SPDX-License-Identifier: MIT
// overlay.c - points, lines and triangles of one colour each: boxes, circles, edges of shapes.
//
// Note: positions are relative to the eye. Lines that solids may hide are drawn a little nearer
//       than they are, so that those on a surface are seen.

#include "overlay.h"

#include "support.h"

#include <string.h>

/// Lines of a circle.
#define CIRCLE_LINES 32

void sdOverlay_Clear(sdOverlay* o) {
    for (int i = 0; i < SD_OVERLAY_COUNT; ++i) {
        o->count[i] = 0;
    }
    o->isBroken = false;
}

void sdOverlay_Free(sdOverlay* o) {
    for (int i = 0; i < SD_OVERLAY_COUNT; ++i) {
        sdRender_Free(&o->allocator, o->vertices[i],
                      (size_t)o->capacity[i] * sizeof *o->vertices[i]);
        o->vertices[i] = NULL;
        o->count[i] = o->capacity[i] = 0;
    }
}

void sdOverlay_AddVertex(sdOverlay* o, sdOverlayKind kind, sdVec3 p, const uint8_t color[4]) {
    if (!sdRender_Reserve(&o->allocator, (void**)&o->vertices[kind], &o->capacity[kind],
                          o->count[kind] + 1, sizeof *o->vertices[kind])) {
        o->isBroken = true;
        return;
    }
    sdOverlayVertex* v = &o->vertices[kind][o->count[kind]++];
    v->position = kind == SD_OVERLAY_LINES || kind == SD_OVERLAY_DOTS
                      ? sdScale(1.0f - SD_OVERLAY_NEARER, p)
                      : p;
    memcpy(v->color, color, 4);
}

void sdOverlay_AddLine(sdOverlay* o, sdOverlayKind kind, sdVec3 a, sdVec3 b,
                       const uint8_t color[4]) {
    sdOverlay_AddVertex(o, kind, a, color);
    sdOverlay_AddVertex(o, kind, b, color);
}

static void addEdge(sdOverlay* o, sdTransform xf, sdVec3 a, sdVec3 b, const uint8_t color[4]) {
    sdOverlay_AddLine(o, SD_OVERLAY_LINES, sdTransformPoint(xf, a), sdTransformPoint(xf, b), color);
}

// ---- figures -------------------------------------------------------------------------------

void sdOverlay_AddBox(sdOverlay* o, sdTransform xf, sdVec3 center, sdVec3 h,
                      const uint8_t color[4]) {
    for (int i = 0; i < 8; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            int k = i | 1 << axis;
            if (k == i) {
                continue;
            }
            sdVec3 a = sdV3(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z);
            sdVec3 b = sdV3(k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z);
            addEdge(o, xf, sdAdd(center, a), sdAdd(center, b), color);
        }
    }
}

/// A part of a circle about `center`, from u on towards v.
static void addArc(sdOverlay* o, sdTransform xf, sdVec3 center, sdVec3 u, sdVec3 v, int count,
                   const uint8_t color[4]) {
    sdVec3 last = sdAdd(center, u);
    for (int i = 1; i <= count; ++i) {
        float angle = 2.0f * SD_PI * (float)i / CIRCLE_LINES;
        sdVec3 next = sdMulAdd(sdMulAdd(center, sdCos(angle), u), sdSin(angle), v);
        addEdge(o, xf, last, next, color);
        last = next;
    }
}

void sdOverlay_AddCircle(sdOverlay* o, sdTransform xf, float y, float r, const uint8_t color[4]) {
    addArc(o, xf, sdV3(0.0f, y, 0.0f), sdV3(r, 0.0f, 0.0f), sdV3(0.0f, 0.0f, r), CIRCLE_LINES,
           color);
}

void sdOverlay_AddBall(sdOverlay* o, sdTransform xf, sdVec3 c, float r, const uint8_t color[4]) {
    sdVec3 x = sdV3(r, 0.0f, 0.0f), y = sdV3(0.0f, r, 0.0f), z = sdV3(0.0f, 0.0f, r);
    addArc(o, xf, c, x, y, CIRCLE_LINES, color);
    addArc(o, xf, c, y, z, CIRCLE_LINES, color);
    addArc(o, xf, c, z, x, CIRCLE_LINES, color);
}

void sdOverlay_AddHull(sdOverlay* o, sdTransform xf, const sdHull* hull, const uint8_t color[4]) {
    int count, vertexCount;
    const sdVec3* vertices = sdHull_GetVertices(hull, &vertexCount);
    const sdHalfEdge* edges = sdHull_GetEdges(hull, &count);
    for (int i = 0; i < count; ++i) {
        if (i < edges[i].twin) {
            addEdge(o, xf, vertices[edges[i].origin], vertices[edges[edges[i].twin].origin], color);
        }
    }
}

// ---- shapes --------------------------------------------------------------------------------

static void addMesh(sdOverlay* o, sdTransform xf, const sdMesh* mesh, const uint8_t color[4]) {
    int count;
    const sdMeshEdge* edges = sdMesh_GetEdges(mesh, &count);
    sdMeshData data = sdMesh_GetData(mesh);
    for (int i = 0; i < count; ++i) {
        addEdge(o, xf, data.vertices[edges[i].vertices[0]], data.vertices[edges[i].vertices[1]],
                color);
    }
}

static void addCapsule(sdOverlay* o, sdTransform xf, sdCapsule c, const uint8_t color[4]) {
    float r = c.radius, h = c.halfLength;
    const sdVec3 sides[2] = {{r, 0.0f, 0.0f}, {0.0f, 0.0f, r}};
    sdOverlay_AddCircle(o, xf, h, r, color);
    sdOverlay_AddCircle(o, xf, -h, r, color);
    for (int i = 0; i < 2; ++i) {
        sdVec3 s = sides[i], up = sdV3(0.0f, h, 0.0f), top = sdV3(0.0f, r, 0.0f);
        addEdge(o, xf, sdAdd(s, up), sdSub(s, up), color);
        addEdge(o, xf, sdSub(up, s), sdNeg(sdAdd(up, s)), color);
        addArc(o, xf, up, s, top, CIRCLE_LINES / 2, color);
        addArc(o, xf, sdNeg(up), s, sdNeg(top), CIRCLE_LINES / 2, color);
    }
}

/// A cylinder, or a cone with its tip on top.
static void addTurned(sdOverlay* o, sdTransform xf, float h, float r, bool isCone,
                      const uint8_t color[4]) {
    sdOverlay_AddCircle(o, xf, -h, r, color);
    if (!isCone) {
        sdOverlay_AddCircle(o, xf, h, r, color);
    }
    for (int i = 0; i < 8; ++i) {
        float angle = 0.25f * SD_PI * (float)i;
        float x = r * sdCos(angle), z = r * sdSin(angle), top = isCone ? 0.0f : 1.0f;
        addEdge(o, xf, sdV3(x, -h, z), sdV3(top * x, h, top * z), color);
    }
}

void sdOverlay_AddShape(sdOverlay* o, sdTransform xf, const sdShape* shape,
                        const uint8_t color[4]) {
    const sdVec3 zero = {0.0f, 0.0f, 0.0f};
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            sdOverlay_AddBall(o, xf, zero, shape->sphere.radius, color);
            break;
        case SD_SHAPE_CAPSULE:
            addCapsule(o, xf, shape->capsule, color);
            break;
        case SD_SHAPE_BOX:
            sdOverlay_AddBox(o, xf, zero, shape->box.halfExtents, color);
            break;
        case SD_SHAPE_CYLINDER:
            addTurned(o, xf, shape->cylinder.halfHeight, shape->cylinder.radius, false, color);
            break;
        case SD_SHAPE_CONE:
            addTurned(o, xf, shape->cone.halfHeight, shape->cone.radius, true, color);
            break;
        case SD_SHAPE_TRIANGLE:
            for (int i = 0; i < 3; ++i) {
                addEdge(o, xf, shape->triangle.vertices[i], shape->triangle.vertices[(i + 1) % 3],
                        color);
            }
            break;
        case SD_SHAPE_HULL:
            sdOverlay_AddHull(o, xf, shape->hull, color);
            break;
        case SD_SHAPE_MESH:
            addMesh(o, xf, shape->mesh, color);
            break;
        default:
            break;
    }
}
