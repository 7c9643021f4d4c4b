// SPDX-License-Identifier: MIT
// views.c - what a picture explains besides the bodies (E2).
//
// In:   a world, what is asked for.
// Out:  points, lines and loose triangles, relative to the eye.

#include "views.h"

#include "view_bounds.h"

#include "sudar/concave.h"
#include "sudar/debug.h"
#include "sudar/joint.h"

#include "support.h"

#include <string.h>

/// Pixels along a contact's normal, and of the axes of a joint or centre of mass.
#define NORMAL_PIXELS 22.0f
#define AXIS_PIXELS 26.0f

/// Cells of a slice through a distance field, along its longer side.
#define SLICE_CELLS 64

/// Share of a field's size over which the colour of a distance fades.
#define SLICE_FADE 0.22f

static const uint8_t newColor[4] = {0, 230, 245, 255}, keptColor[4] = {255, 255, 255, 255};
static const uint8_t normalColor[4] = {255, 214, 64, 255};
static const uint8_t wireColor[4] = {30, 34, 42, 255};
static const uint8_t boxColor[4] = {30, 110, 220, 255}, fatColor[4] = {130, 170, 225, 255};
static const uint8_t ballColor[4] = {200, 80, 200, 255}, obbColor[4] = {235, 120, 20, 255};
static const uint8_t kdopColor[4] = {20, 150, 90, 255}, hullColor[4] = {200, 30, 60, 255};
static const uint8_t sampleColor[4] = {255, 200, 40, 255};
static const uint8_t jointColor[4] = {255, 90, 60, 255}, armColor[4] = {90, 90, 100, 255};
static const uint8_t axisColors[3][4] = {
    {225, 60, 60, 255}, {60, 175, 75, 255}, {65, 105, 225, 255}};

/// One shape of a body, compounds taken apart, where the eye sees it.
typedef struct Part {
    const sdShape* shape;
    sdTransform xfES;
    bool isStatic;
} Part;

typedef struct Context {
    sdViews* views;
    const sdWorld* world;
    const sdView* view;
    uint32_t flags;
} Context;

static bool has(const Context* c, uint32_t flag) {
    return (c->flags & flag) != 0;
}

static sdTransform frameOf(const Context* c, sdWorldTransform xf) {
    return sdTransform_Make(sdPos_Sub(xf.p, c->view->eye), xf.q);
}

/// m that so many pixels are at a place.
static float lengthOf(const Context* c, sdVec3 p, float pixels) {
    return pixels * sdLength(p) / c->view->pixelsPerSlope;
}

// ---- shapes --------------------------------------------------------------------------------

/// Samples of meshes that may move, corners of what has some.
static bool addSamples(const Context* c, const Part* part) {
    sdViews* v = c->views;
    int count = 0;
    if (part->shape->concave != NULL) {
        count = sdConcave_GetSamples(part->shape->concave, NULL, 0);
    } else if (part->shape->type == SD_SHAPE_MESH) {
        count = sdMesh_CountSamples(part->shape->mesh, 0);
    }
    if (!sdRender_Reserve(&v->context.allocator, (void**)&v->points, &v->pointCapacity, count + 8,
                          sizeof *v->points)) {
        return false;
    }
    const sdVec3* points = v->points;
    if (part->shape->concave != NULL) {
        sdConcave_GetSamples(part->shape->concave, v->points, count);
    } else if (part->shape->type == SD_SHAPE_MESH) {
        sdMesh_GetSamples(part->shape->mesh, 0, v->points);
    } else if (part->shape->type == SD_SHAPE_HULL) {
        points = sdHull_GetVertices(part->shape->hull, &count);
    } else if (part->shape->type == SD_SHAPE_BOX) {
        sdVec3 h = part->shape->box.halfExtents;
        for (count = 0; count < 8; ++count) {
            v->points[count] =
                sdV3(count & 1 ? h.x : -h.x, count & 2 ? h.y : -h.y, count & 4 ? h.z : -h.z);
        }
    }
    for (int i = 0; i < count; ++i) {
        sdOverlay_AddVertex(&v->overlay, SD_OVERLAY_DOTS, sdTransformPoint(part->xfES, points[i]),
                            sampleColor);
    }
    return true;
}

/// Inside green, outside red, paler away from the surface.
static void sliceColor(float distance, float fade, uint8_t color[4]) {
    float t = sdMinF(1.0f, sdAbsF(distance) / fade), light = 1.0f - 0.6f * t;
    bool isInside = distance < 0.0f;
    color[0] = (uint8_t)(255.0f * (isInside ? 0.15f * light : light));
    color[1] = (uint8_t)(255.0f * (isInside ? light : 0.18f * light));
    color[2] = (uint8_t)(255.0f * 0.2f * light);
    color[3] = 255;
}

/// A cut through the field's middle, across the axis that points most to the eye.
static void addSlice(const Context* c, const Part* part) {
    const sdField* field =
        part->shape->concave != NULL ? sdConcave_GetField(part->shape->concave) : NULL;
    if (field == NULL) {
        return;
    }
    sdAABB box = sdField_GetInfo(field).bounds;
    sdVec3 center = sdAABB_Center(box), half = sdAABB_HalfExtents(box);
    sdVec3 toEye = sdAbs(sdRotate(sdConjugate(part->xfES.q), part->xfES.p));
    int across = toEye.x >= toEye.y && toEye.x >= toEye.z ? 0 : (toEye.y >= toEye.z ? 1 : 2);
    sdVec3 u = sdV3(across == 0 ? 0.0f : half.x, across == 0 ? half.y : 0.0f, 0.0f);
    sdVec3 w = sdV3(0.0f, across == 2 ? half.y : 0.0f, across == 2 ? 0.0f : half.z);
    float cell = 2.0f * sdMaxF(sdLength(u), sdLength(w)) / SLICE_CELLS;
    int countU = sdMaxI(1, (int)(2.0f * sdLength(u) / cell));
    int countW = sdMaxI(1, (int)(2.0f * sdLength(w) / cell));
    float fade = SLICE_FADE * sdMaxF(half.x, sdMaxF(half.y, half.z));
    static const float corners[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    for (int i = 0; i < countU; ++i) {
        for (int k = 0; k < countW; ++k) {
            float fu = 2.0f / (float)countU, fw = 2.0f / (float)countW;
            sdVec3 middle = sdMulAdd(sdMulAdd(center, ((float)i + 0.5f) * fu - 1.0f, u),
                                     ((float)k + 0.5f) * fw - 1.0f, w);
            uint8_t color[4];
            sliceColor(sdField_Sample(field, middle), fade, color);
            for (int n = 0; n < 6; ++n) {
                sdVec3 p = sdMulAdd(sdMulAdd(center, ((float)i + corners[n][0]) * fu - 1.0f, u),
                                    ((float)k + corners[n][1]) * fw - 1.0f, w);
                sdOverlay_AddVertex(&c->views->overlay, SD_OVERLAY_TRIANGLES,
                                    sdTransformPoint(part->xfES, p), color);
            }
        }
    }
}

/// Bounding volumes of one shape.
static bool addBounds(const Context* c, const Part* part) {
    sdOverlay* o = &c->views->overlay;
    const uint32_t fitted = SD_VIEW_SPHERES | SD_VIEW_OBBS | SD_VIEW_KDOPS | SD_VIEW_HULLS;
    if (has(c, SD_VIEW_BOXES)) {
        sdAABB box = sdShape_GetBounds(part->shape, part->xfES);
        sdOverlay_AddBox(o, sdTransform_Identity(), sdAABB_Center(box), sdAABB_HalfExtents(box),
                         boxColor);
    }
    if (!has(c, fitted)) {
        return true;
    }
    const sdViewBounds* b = sdViews_FindBounds(c->views, part->shape, c->flags);
    if (b == NULL) {
        return false;
    }
    if (has(c, SD_VIEW_SPHERES)) {
        sdOverlay_AddBall(o, part->xfES, b->ball.center, b->ball.radius, ballColor);
    }
    if (has(c, SD_VIEW_OBBS)) {
        sdTransform own = sdTransform_Make(b->obb.center, sdQuat_FromMatrix(b->obb.axes));
        sdOverlay_AddBox(o, sdMulXf(part->xfES, own), sdV3(0.0f, 0.0f, 0.0f), b->obb.halfExtents,
                         obbColor);
    }
    if (has(c, SD_VIEW_HULLS) && b->hull != NULL) {
        sdOverlay_AddHull(o, part->xfES, b->hull, hullColor);
    }
    return !has(c, SD_VIEW_KDOPS) || sdViews_AddKdop(c->views, b, part->xfES, kdopColor);
}

static bool addPart(const Context* c, const Part* part) {
    if (part->shape->type == SD_SHAPE_HALF_SPACE) {
        return true;
    }
    if (has(c, SD_VIEW_WIREFRAME)) {
        sdOverlay_AddShape(&c->views->overlay, part->xfES, part->shape, wireColor);
    }
    if (part->isStatic) {
        return true;
    }
    if (has(c, SD_VIEW_SAMPLES) && !addSamples(c, part)) {
        return false;
    }
    if (has(c, SD_VIEW_FIELD)) {
        addSlice(c, part);
    }
    return addBounds(c, part);
}

static void addFatBox(const Context* c, sdShapeId shape) {
    sdAABB box = sdShapeId_GetFatBox(c->world, shape);
    sdVec3 h = sdAABB_HalfExtents(box);
    if (sdAABB_IsValid(box) && sdVec3_IsFinite(h)) {
        sdPos eye = c->view->eye;
        sdVec3 m = sdAABB_Center(box);
        sdVec3 p = sdV3((float)((double)m.x - eye.x), (float)((double)m.y - eye.y),
                        (float)((double)m.z - eye.z));
        sdOverlay_AddBox(&c->views->overlay, sdTransform_Identity(), p, h, fatColor);
    }
}

static void addCenter(const Context* c, sdBodyId body) {
    sdWorldTransform xf = sdBody_GetTransform(c->world, body);
    sdVec3 p = sdPos_Sub(sdBody_GetCenter(c->world, body), c->view->eye), moments;
    sdTransform axes = sdMassProps_PrincipalFrame(sdBody_GetMass(c->world, body), &moments);
    sdMat33 m = sdQuat_ToMatrix(sdMulQ(xf.q, axes.q));
    float length = lengthOf(c, p, AXIS_PIXELS);
    const sdVec3 directions[3] = {m.cx, m.cy, m.cz};
    for (int i = 0; i < 3; ++i) {
        sdOverlay_AddLine(&c->views->overlay, SD_OVERLAY_TOP_LINES, p,
                          sdMulAdd(p, length, directions[i]), axisColors[i]);
    }
    sdOverlay_AddVertex(&c->views->overlay, SD_OVERLAY_POINTS, p, keptColor);
}

static bool addBody(const Context* c, sdBodyId body) {
    sdViews* v = c->views;
    bool isStatic = sdBody_GetType(c->world, body) == SD_BODY_STATIC;
    sdTransform xfEB = frameOf(c, sdBody_GetTransform(c->world, body));
    int count = sdBody_GetShapes(c->world, body, NULL, 0);
    if (!sdRender_Reserve(&v->context.allocator, (void**)&v->shapes, &v->shapeCapacity, count,
                          sizeof *v->shapes)) {
        return false;
    }
    sdBody_GetShapes(c->world, body, v->shapes, count);
    bool ok = true;
    for (int i = 0; i < count && ok; ++i) {
        const sdShapeDef* def = sdShapeId_GetDef(c->world, v->shapes[i]);
        sdTransform xfES = sdMulXf(xfEB, def->xf);
        int childCount = 1;
        const sdCompoundChild* children =
            def->shape.type == SD_SHAPE_COMPOUND
                ? sdCompound_GetChildren(def->shape.compound, &childCount)
                : NULL;
        for (int k = 0; k < childCount && ok; ++k) {
            Part part = {children != NULL ? &children[k].shape : &def->shape,
                         children != NULL ? sdMulXf(xfES, children[k].xf) : xfES, isStatic};
            ok = addPart(c, &part);
        }
        if (has(c, SD_VIEW_FAT_BOXES) && !isStatic) {
            addFatBox(c, v->shapes[i]);
        }
    }
    if (has(c, SD_VIEW_CENTERS) && sdBody_GetType(c->world, body) == SD_BODY_DYNAMIC) {
        addCenter(c, body);
    }
    return ok;
}

// ---- the world -----------------------------------------------------------------------------

static bool addCell(void* arg, sdAABB box, int depth, int proxyCount) {
    const Context* c = arg;
    (void)proxyCount;
    sdVec3 h = sdAABB_HalfExtents(box), m = sdAABB_Center(box);
    // the cells of things without end would only be lines through the picture
    if (!sdVec3_IsFinite(h) || sdLength(h) > 100.0f * c->view->distance) {
        return true;
    }
    // from blue at the root to red
    float t = sdMinF(1.0f, (float)depth / 6.0f);
    const uint8_t color[4] = {(uint8_t)(40.0f + 200.0f * t), 90, (uint8_t)(230.0f - 190.0f * t),
                              255};
    sdPos eye = c->view->eye;
    sdVec3 p = sdV3((float)((double)m.x - eye.x), (float)((double)m.y - eye.y),
                    (float)((double)m.z - eye.z));
    sdOverlay_AddBox(&c->views->overlay, sdTransform_Identity(), p, h, color);
    return true;
}

static bool listContacts(sdViews* v, const sdWorld* world, int* count) {
    *count = sdWorld_GetContacts(world, NULL, 0);
    if (!sdRender_Reserve(&v->context.allocator, (void**)&v->contacts, &v->contactCapacity, *count,
                          sizeof *v->contacts)) {
        return false;
    }
    sdWorld_GetContacts(world, v->contacts, *count);
    return true;
}

static bool addContacts(const Context* c) {
    int count;
    if (!listContacts(c->views, c->world, &count)) {
        return false;
    }
    sdOverlay* o = &c->views->overlay;
    for (int i = 0; i < count; ++i) {
        const sdContactInfo* contact = &c->views->contacts[i];
        for (int k = 0; k < contact->pointCount; ++k) {
            const sdContactPoint* point = &contact->points[k];
            sdVec3 p = sdPos_Sub(point->position, c->view->eye);
            sdOverlay_AddLine(o, SD_OVERLAY_TOP_LINES, p,
                              sdMulAdd(p, lengthOf(c, p, NORMAL_PIXELS), contact->normal),
                              normalColor);
            sdOverlay_AddVertex(o, SD_OVERLAY_POINTS, p,
                                point->state == SD_POINT_NEW ? newColor : keptColor);
        }
    }
    return true;
}

/// From both centres of mass to the anchors, with the axis of what has one.
static bool addJoints(const Context* c) {
    sdViews* v = c->views;
    int count = sdWorld_GetJoints(c->world, NULL, 0);
    size_t size = ((size_t)count + 1) * sizeof(sdJointId);
    sdJointId* joints = sdRender_Alloc(&v->context.allocator, size);
    if (joints == NULL) {
        return false;
    }
    sdWorld_GetJoints(c->world, joints, count);
    for (int i = 0; i < count; ++i) {
        const sdJointDef* def = sdJoint_GetDef(c->world, joints[i]);
        const sdBodyId bodies[2] = {def->bodyA, def->bodyB};
        const sdTransform frames[2] = {def->frameA, def->frameB};
        sdVec3 anchors[2];
        for (int k = 0; k < 2; ++k) {
            sdTransform xf = frameOf(c, sdBody_GetTransform(c->world, bodies[k]));
            anchors[k] = sdTransformPoint(xf, frames[k].p);
            if (sdBody_GetType(c->world, bodies[k]) == SD_BODY_DYNAMIC) {
                sdVec3 center = sdPos_Sub(sdBody_GetCenter(c->world, bodies[k]), c->view->eye);
                sdOverlay_AddLine(&v->overlay, SD_OVERLAY_TOP_LINES, center, anchors[k], armColor);
            }
            if (k == 0 && (def->type == SD_JOINT_HINGE || def->type == SD_JOINT_SLIDER)) {
                sdVec3 axis = sdRotate(sdMulQ(xf.q, frames[k].q), sdV3(1.0f, 0.0f, 0.0f));
                float length = lengthOf(c, anchors[k], AXIS_PIXELS);
                sdOverlay_AddLine(&v->overlay, SD_OVERLAY_TOP_LINES,
                                  sdMulAdd(anchors[k], -length, axis),
                                  sdMulAdd(anchors[k], length, axis), axisColors[0]);
            }
            sdOverlay_AddVertex(&v->overlay, SD_OVERLAY_POINTS, anchors[k], jointColor);
        }
        sdOverlay_AddLine(&v->overlay, SD_OVERLAY_TOP_LINES, anchors[0], anchors[1], jointColor);
    }
    sdRender_Free(&v->context.allocator, joints, size);
    return true;
}

// ---- islands -------------------------------------------------------------------------------

static int slotOf(sdBodyId body) {
    return (int)(body & 0xFFFFFFu);
}

static int findRoot(int* groups, int i) {
    while (groups[i] != i) {
        groups[i] = groups[groups[i]];
        i = groups[i];
    }
    return i;
}

/// The lower slot is the root, so numbers do not depend on the order.
static void join(const sdWorld* world, int* groups, sdBodyId a, sdBodyId b) {
    if (sdBody_GetType(world, a) != SD_BODY_DYNAMIC ||
        sdBody_GetType(world, b) != SD_BODY_DYNAMIC) {
        return;
    }
    int i = findRoot(groups, slotOf(a)), k = findRoot(groups, slotOf(b));
    groups[i > k ? i : k] = i < k ? i : k;
}

sdResult sdViews_FindIslands(sdViews* v, const sdWorld* world, const int** groups, int* count) {
    int bodyCount = sdWorld_GetBodies(world, NULL, 0), contactCount;
    if (!sdRender_Reserve(&v->context.allocator, (void**)&v->bodies, &v->bodyCapacity, bodyCount,
                          sizeof *v->bodies) ||
        !listContacts(v, world, &contactCount)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    sdWorld_GetBodies(world, v->bodies, bodyCount);
    int slotCount = bodyCount > 0 ? slotOf(v->bodies[bodyCount - 1]) + 1 : 0;
    if (!sdRender_Reserve(&v->context.allocator, (void**)&v->groups, &v->groupCapacity, slotCount,
                          sizeof *v->groups)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    for (int i = 0; i < slotCount; ++i) {
        v->groups[i] = i;
    }
    for (int i = 0; i < contactCount; ++i) {
        join(world, v->groups, sdShapeId_GetBody(world, v->contacts[i].shapeA),
             sdShapeId_GetBody(world, v->contacts[i].shapeB));
    }
    for (int i = 0; i < bodyCount; ++i) {
        sdJointId joints[16];
        int jointCount = sdMinI(16, sdBody_GetJoints(world, v->bodies[i], joints, 16));
        for (int k = 0; k < jointCount; ++k) {
            const sdJointDef* def = sdJoint_GetDef(world, joints[k]);
            join(world, v->groups, def->bodyA, def->bodyB);
        }
    }
    for (int i = 0; i < slotCount; ++i) {
        v->groups[i] = findRoot(v->groups, i);
    }
    *groups = v->groups;
    *count = slotCount;
    return SD_OK;
}

sdResult sdViews_FindLevels(sdViews* v, const sdWorld* world, const int** levels, int* count) {
    int bodyCount = sdWorld_GetBodies(world, NULL, 0);
    if (!sdRender_Reserve(&v->context.allocator, (void**)&v->levels, &v->levelCapacity, bodyCount,
                          sizeof *v->levels) ||
        sdWorld_FindLevels(world, v->levels, bodyCount) != SD_OK) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    *levels = v->levels;
    *count = 1;
    for (int i = 0; i < bodyCount; ++i) {
        *count = sdMaxI(*count, v->levels[i] + 1);
    }
    return SD_OK;
}

// ---- public --------------------------------------------------------------------------------

sdResult sdViews_Fill(sdViews* v, const sdWorld* world, const sdView* view) {
    Context c = {v, world, view, view->options->views};
    const uint32_t ofBodies = SD_VIEW_WIREFRAME | SD_VIEW_SAMPLES | SD_VIEW_FIELD | SD_VIEW_BOXES |
                              SD_VIEW_FAT_BOXES | SD_VIEW_SPHERES | SD_VIEW_OBBS | SD_VIEW_KDOPS |
                              SD_VIEW_HULLS | SD_VIEW_CENTERS;
    sdOverlay_Clear(&v->overlay);
    sdViews_ForgetBounds(v);
    bool ok = true;
    if (has(&c, ofBodies)) {
        int count = sdWorld_GetBodies(world, NULL, 0);
        ok = sdRender_Reserve(&v->context.allocator, (void**)&v->bodies, &v->bodyCapacity, count,
                              sizeof *v->bodies);
        count = ok ? sdWorld_GetBodies(world, v->bodies, count) : 0;
        for (int i = 0; i < count && ok; ++i) {
            ok = addBody(&c, v->bodies[i]);
        }
    }
    if (has(&c, SD_VIEW_CELLS)) {
        sdWorld_VisitCells(world, addCell, &c);
    }
    ok = ok && (!has(&c, SD_VIEW_JOINTS) || addJoints(&c));
    ok = ok && (!has(&c, SD_VIEW_CONTACTS) || addContacts(&c));
    return ok && !v->overlay.isBroken ? SD_OK : SD_ERROR_OUT_OF_MEMORY;
}

void sdViews_Free(sdViews* v) {
    const sdAllocator* a = &v->context.allocator;
    sdViews_ForgetBounds(v);
    sdRender_Free(a, v->contacts, (size_t)v->contactCapacity * sizeof *v->contacts);
    sdRender_Free(a, v->bodies, (size_t)v->bodyCapacity * sizeof *v->bodies);
    sdRender_Free(a, v->shapes, (size_t)v->shapeCapacity * sizeof *v->shapes);
    sdRender_Free(a, v->points, (size_t)v->pointCapacity * sizeof *v->points);
    sdRender_Free(a, v->groups, (size_t)v->groupCapacity * sizeof *v->groups);
    sdRender_Free(a, v->levels, (size_t)v->levelCapacity * sizeof *v->levels);
    sdRender_Free(a, v->bounds, (size_t)v->boundsCapacity * sizeof(sdViewBounds));
    sdOverlay_Free(&v->overlay);
}
