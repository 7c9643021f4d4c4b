// SPDX-License-Identifier: MIT
// collect.c - what is to be drawn: every shape of a world as an instance of some triangles.
//
// In:   a world and where it is looked at from.
// Out:  items, in the order of bodies and their shapes, positions relative to the eye.
// Note: the subtraction is done in double, so that worlds far from the origin look no worse.

#include "collect.h"

#include "support.h"

/// A thickness of zero has no normals; this is thinner than a pixel of any picture.
#define MIN_SCALE 1e-6f

/// Sides of a static box, in squares of the floor, from which on it is a floor itself.
#define FLOOR_CELLS 4.0f

/// Sine of the slope of a wall, and its thickness in sides of the smallest floor.
#define WALL_SLOPE 0.3f
#define WALL_THICKNESS 1.0f

/// A half-space reaches so many times as far as the target.
#define PLANE_REACH 400.0f

// ---- colours -------------------------------------------------------------------------------

static const uint8_t floorColor[3] = {216, 218, 221};
static const uint8_t sensorColor[4] = {120, 190, 255, 70};
static const uint8_t wallColor[4] = {196, 210, 226, 30};

/// Half-way to grey, and a fifth darker.
static void dim(uint8_t rgb[3]) {
    int grey = (2 * rgb[0] + 5 * rgb[1] + rgb[2]) / 8;
    for (int i = 0; i < 3; ++i) {
        rgb[i] = (uint8_t)((rgb[i] + grey) * 2 / 5);
    }
}

// ---- shapes --------------------------------------------------------------------------------

static int detail(const sdView* view, sdVec3 position, float radius) {
    float distance = sdMaxF(sdLength(position), MIN_SCALE);
    float pixels = view->pixelsPerSlope * radius / distance;
    int level = 0;
    while (level < SD_DETAIL_COUNT - 1 && pixels > sdDetails[level].pixels) {
        ++level;
    }
    return level;
}

/// Static boxes that are large in two directions are floors, or walls when they are thin and stand
/// upright: these become glass, for what they hold is behind them.
typedef enum BoxRole { BOX_BODY, BOX_FLOOR, BOX_WALL } BoxRole;

static BoxRole boxRole(const sdView* view, sdBodyType type, sdVec3 h, sdQuat rotation) {
    float limit = 0.5f * FLOOR_CELLS * view->gridCell;
    int large = (h.x >= limit) + (h.y >= limit) + (h.z >= limit);
    if (type != SD_BODY_STATIC || large < 2) {
        return BOX_BODY;
    }
    sdVec3 thin = h.x <= h.y && h.x <= h.z
                      ? sdV3(1.0f, 0.0f, 0.0f)
                      : (h.y <= h.z ? sdV3(0.0f, 1.0f, 0.0f) : sdV3(0.0f, 0.0f, 1.0f));
    bool isUpright = sdAbsF(sdRotate(rotation, thin).y) < WALL_SLOPE;
    return isUpright && sdDot(thin, h) < WALL_THICKNESS * limit ? BOX_WALL : BOX_FLOOR;
}

static sdPos rotatePos(sdQuat q, sdPos p) {
    sdMat33 m = sdQuat_ToMatrix(q);
    return sdPos_Make((double)m.cx.x * p.x + (double)m.cy.x * p.y + (double)m.cz.x * p.z,
                      (double)m.cx.y * p.x + (double)m.cy.y * p.y + (double)m.cz.y * p.z,
                      (double)m.cx.z * p.x + (double)m.cy.z * p.y + (double)m.cz.z * p.z);
}

/// Where a plane's square is put: below the eye, but shifted only by whole pairs of squares, so
/// that their pattern stays where it is in the world. In double, for floors are large.
static sdVec3 planeCenter(const sdView* view, sdWorldTransform xfWB, sdTransform xfBS) {
    sdQuat q = sdMulQ(xfWB.q, xfBS.q);
    sdPos origin = sdPos_Add(xfWB.p, sdRotate(xfWB.q, xfBS.p));
    sdPos toEye = {view->eye.x - origin.x, view->eye.y - origin.y, view->eye.z - origin.z};
    sdPos local = rotatePos(sdConjugate(q), toEye);
    double period = 2.0 * (double)view->gridCell;
    sdPos shift = rotatePos(
        q, sdPos_Make(period * floor(local.x / period), 0.0, period * floor(local.z / period)));
    return sdPos_Sub(shift, toEye);
}

static void makeGlass(sdDrawItem* item, const uint8_t color[4]) {
    item->group = SD_GROUP_GLASS;
    for (int i = 0; i < 4; ++i) {
        item->instance.color[i] = color[i];
    }
}

static void makeFloor(sdDrawItem* item) {
    item->group = item->group == SD_GROUP_OPAQUE ? SD_GROUP_FLOOR : item->group;
    item->instance.surface = (float)SD_SURFACE_CHECKERED;
    for (int i = 0; i < 3; ++i) {
        item->instance.color[i] = floorColor[i];
    }
}

/// Everything but compounds.
static bool addConvexOrMesh(sdCollector* c, const sdView* view, sdBodyType type,
                            const sdShape* shape, sdDrawItem item) {
    sdInstance* instance = &item.instance;
    float scale[3] = {1.0f, 1.0f, 1.0f};
    bool withEdges = view->options->showEdges;
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            instance->radius = shape->sphere.radius;
            item.mesh = SD_UNIT_SPHERE + detail(view, instance->position, instance->radius);
            break;
        case SD_SHAPE_CAPSULE:
            instance->radius = shape->capsule.radius;
            scale[1] = shape->capsule.halfLength;
            item.mesh = SD_UNIT_CAPSULE + detail(view, instance->position, instance->radius);
            break;
        case SD_SHAPE_BOX:
            scale[0] = shape->box.halfExtents.x;
            scale[1] = shape->box.halfExtents.y;
            scale[2] = shape->box.halfExtents.z;
            instance->surface = (float)(withEdges ? SD_SURFACE_BOX_EDGES : SD_SURFACE_PLAIN);
            switch (boxRole(view, type, shape->box.halfExtents, instance->rotation)) {
                case BOX_BODY:
                    break;
                case BOX_FLOOR:
                    makeFloor(&item);
                    break;
                case BOX_WALL:
                    makeGlass(&item, wallColor);
                    break;
            }
            item.mesh = SD_UNIT_BOX;
            break;
        case SD_SHAPE_CYLINDER:
            scale[0] = scale[2] = shape->cylinder.radius;
            scale[1] = shape->cylinder.halfHeight;
            item.mesh = SD_UNIT_CYLINDER + detail(view, instance->position, scale[0]);
            break;
        case SD_SHAPE_CONE:
            scale[0] = scale[2] = shape->cone.radius;
            scale[1] = shape->cone.halfHeight;
            item.mesh = SD_UNIT_CONE + detail(view, instance->position, scale[0]);
            break;
        case SD_SHAPE_HALF_SPACE:
            scale[0] = scale[2] = PLANE_REACH * view->distance;
            makeFloor(&item);
            item.mesh = SD_UNIT_PLANE;
            break;
        default:
            instance->surface =
                (float)(shape->type == SD_SHAPE_HULL && withEdges ? SD_SURFACE_RIMS
                                                                  : SD_SURFACE_PLAIN);
            item.mesh = c->findMesh(c->user, shape);
            break;
    }
    instance->scale =
        sdV3(sdMaxF(scale[0], MIN_SCALE), sdMaxF(scale[1], MIN_SCALE), sdMaxF(scale[2], MIN_SCALE));
    // without solids there is still the ground
    if (!(view->options->views & SD_VIEW_SOLID) && item.group != SD_GROUP_FLOOR) {
        return true;
    }
    if (item.mesh < 0 || !sdRender_Reserve(&c->allocator, (void**)&c->items, &c->itemCapacity,
                                           c->itemCount + 1, sizeof *c->items)) {
        return false;
    }
    c->items[c->itemCount++] = item;
    return true;
}

static bool addShape(sdCollector* c, const sdView* view, sdBodyType type, const sdShapeDef* def,
                     sdWorldTransform xfWB, sdDrawItem item) {
    int count = 1;
    const sdCompoundChild* children = NULL;
    if (def->shape.type == SD_SHAPE_COMPOUND) {
        children = sdCompound_GetChildren(def->shape.compound, &count);
    }
    sdTransform xfEB = sdTransform_Make(sdPos_Sub(xfWB.p, view->eye), xfWB.q);
    sdTransform xfES = sdMulXf(xfEB, def->xf);
    if (def->shape.type == SD_SHAPE_HALF_SPACE) {
        xfES.p = planeCenter(view, xfWB, def->xf);
    }
    for (int i = 0; i < count; ++i) {
        sdTransform xf = children != NULL ? sdMulXf(xfES, children[i].xf) : xfES;
        item.instance.position = xf.p;
        item.instance.rotation = xf.q;
        const sdShape* shape = children != NULL ? &children[i].shape : &def->shape;
        if (!addConvexOrMesh(c, view, type, shape, item)) {
            return false;
        }
    }
    return true;
}

/// From blue at the lowest level to red at the highest.
static void colorLevel(const sdView* view, int level, uint8_t rgb[3]) {
    static const float stops[5][3] = {
        {60, 90, 200}, {50, 170, 190}, {90, 190, 80}, {240, 190, 60}, {220, 60, 50}};
    float t = 4.0f * (float)(level - 1) / (float)sdMaxI(1, view->levelCount - 2);
    int i = sdMinI(3, (int)t);
    for (int k = 0; k < 3; ++k) {
        rgb[k] = (uint8_t)(stops[i][k] + (t - (float)i) * (stops[i + 1][k] - stops[i][k]));
    }
}

static bool addBody(sdCollector* c, const sdWorld* world, const sdView* view, int index) {
    sdBodyId body = c->bodies[index];
    sdBodyType type = sdBody_GetType(world, body);
    sdWorldTransform xfWB = sdBody_GetTransform(world, body);
    sdDrawItem item = {0};
    sdRenderer_GetColor(type, body, item.instance.color);
    item.instance.color[3] = 255;
    item.isMovable = type != SD_BODY_STATIC;
    int slot = (int)(body & 0xFFFFFFu);
    if (view->islands != NULL && slot < view->slotCount && type == SD_BODY_DYNAMIC) {
        sdRenderer_GetColor(type, (sdBodyId)view->islands[slot], item.instance.color);
    }
    if (view->levels != NULL && type == SD_BODY_DYNAMIC) {
        colorLevel(view, view->levels[index], item.instance.color);
    }
    if ((view->options->views & SD_VIEW_SLEEP) && type == SD_BODY_DYNAMIC &&
        !sdBody_IsAwake(world, body)) {
        dim(item.instance.color);
    }

    int shapeCount = sdBody_GetShapes(world, body, NULL, 0);
    if (!sdRender_Reserve(&c->allocator, (void**)&c->shapes, &c->shapeCapacity, shapeCount,
                          sizeof *c->shapes)) {
        return false;
    }
    sdBody_GetShapes(world, body, c->shapes, shapeCount);
    for (int i = 0; i < shapeCount; ++i) {
        const sdShapeDef* def = sdShapeId_GetDef(world, c->shapes[i]);
        sdDrawItem own = item;
        if (def->isSensor) {
            if (!view->options->showSensors) {
                continue;
            }
            makeGlass(&own, sensorColor);
        }
        if (!addShape(c, view, type, def, xfWB, own)) {
            return false;
        }
    }
    return true;
}

sdResult sdCollector_Collect(sdCollector* c, const sdWorld* world, const sdView* view) {
    c->itemCount = 0;
    int bodyCount = sdWorld_GetBodies(world, NULL, 0);
    if (!sdRender_Reserve(&c->allocator, (void**)&c->bodies, &c->bodyCapacity, bodyCount,
                          sizeof *c->bodies)) {
        return SD_ERROR_OUT_OF_MEMORY;
    }
    sdWorld_GetBodies(world, c->bodies, bodyCount);
    for (int i = 0; i < bodyCount; ++i) {
        if (!addBody(c, world, view, i)) {
            return SD_ERROR_OUT_OF_MEMORY;
        }
    }
    return SD_OK;
}

void sdCollector_Free(sdCollector* c) {
    sdRender_Free(&c->allocator, c->items, (size_t)c->itemCapacity * sizeof *c->items);
    sdRender_Free(&c->allocator, c->bodies, (size_t)c->bodyCapacity * sizeof *c->bodies);
    sdRender_Free(&c->allocator, c->shapes, (size_t)c->shapeCapacity * sizeof *c->shapes);
    c->items = NULL;
    c->bodies = NULL;
    c->shapes = NULL;
    c->itemCapacity = c->bodyCapacity = c->shapeCapacity = c->itemCount = 0;
}
