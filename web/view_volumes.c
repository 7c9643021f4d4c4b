// SPDX-License-Identifier: MIT
// view_volumes.c - what is drawn of bodies and joints as lines: bounding volumes as in the
// command's pictures, boxes of the same inertia, limits of joints.

#include "view_support.h"
#include "views.h"

#define ARC_LINES 24

static const uint8_t inertiaColor[4] = {150, 90, 30, 255}, limitColor[4] = {150, 70, 230, 255};
static const uint8_t nowColor[4] = {255, 150, 20, 255};

// ---- inertia -------------------------------------------------------------------------------

/// The box of even density that turns as the body does.
static void addInertia(const sdViewBodies* b, sdOverlay* o) {
    for (int i = 0; i < b->count; ++i) {
        sdMassProps props = sdBody_GetMass(b->world, b->ids[i]);
        if (!(props.mass > 0.0f)) {
            continue;
        }
        sdVec3 m;
        sdTransform axes = sdMassProps_PrincipalFrame(props, &m);
        sdPos c = sdBody_GetCenter(b->world, b->ids[i]);
        sdQuat q = sdMulQ(sdBody_GetTransform(b->world, b->ids[i]).q, axes.q);
        // of a box: Ixx = m (hy² + hz²) / 3
        float s = 1.5f / props.mass;
        sdVec3 half = sdV3(sqrtf(sdMaxF(0.0f, s * (m.y + m.z - m.x))),
                           sqrtf(sdMaxF(0.0f, s * (m.x + m.z - m.y))),
                           sqrtf(sdMaxF(0.0f, s * (m.x + m.y - m.z))));
        sdOverlay_AddBox(o, sdTransform_Make(sdV3((float)c.x, (float)c.y, (float)c.z), q),
                         sdV3(0.0f, 0.0f, 0.0f), half, inertiaColor);
    }
}

// ---- limits --------------------------------------------------------------------------------

static sdVec3 axisOf(int axis) {
    return sdV3(axis == 0 ? 1.0f : 0.0f, axis == 1 ? 1.0f : 0.0f, axis == 2 ? 1.0f : 0.0f);
}

static void addLine(sdOverlay* o, sdTransform xf, sdVec3 a, sdVec3 b, const uint8_t color[4]) {
    sdOverlay_AddLine(o, SD_OVERLAY_LINES, sdTransformPoint(xf, a), sdTransformPoint(xf, b), color);
}

/// From the lower to the upper angle about an axis, with both ends to the middle.
static void addArc(sdOverlay* o, sdTransform xf, int axis, float lower, float upper, float size) {
    sdVec3 zero = sdV3(0.0f, 0.0f, 0.0f), u = axisOf((axis + 1) % 3), v = axisOf((axis + 2) % 3);
    sdVec3 last = zero;
    for (int i = 0; i <= ARC_LINES; ++i) {
        float angle = lower + (upper - lower) * (float)i / ARC_LINES;
        sdVec3 p = sdAdd(sdScale(size * cosf(angle), u), sdScale(size * sinf(angle), v));
        addLine(o, xf, last, p, limitColor);
        last = p;
    }
    addLine(o, xf, last, zero, limitColor);
}

static void addCone(sdOverlay* o, sdTransform xf, float angle, float size) {
    for (int i = 0; i < ARC_LINES; ++i) {
        sdVec3 rim[2];
        for (int k = 0; k < 2; ++k) {
            float t = 2.0f * SD_PI * (float)(i + k) / ARC_LINES;
            rim[k] = sdV3(size * cosf(angle), size * sinf(angle) * cosf(t),
                          size * sinf(angle) * sinf(t));
        }
        addLine(o, xf, rim[0], rim[1], limitColor);
        if (i % 6 == 0) {
            addLine(o, xf, sdV3(0.0f, 0.0f, 0.0f), rim[0], limitColor);
        }
    }
}

/// A frame of a joint as it stands in the world.
static sdTransform placeFrame(const sdWorld* world, sdBodyId body, sdTransform frame) {
    sdWorldTransform xf = sdBody_GetTransform(world, body);
    sdVec3 p = sdV3((float)xf.p.x, (float)xf.p.y, (float)xf.p.z);
    return sdMulXf(sdTransform_Make(p, xf.q), frame);
}

static void addLimits(const sdViewBodies* b, float size, sdOverlay* o) {
    for (int i = 0; i < b->jointCount; ++i) {
        const sdJointDef* def = sdJoint_GetDef(b->world, b->joints[i]);
        if (def == NULL || def->type == SD_JOINT_DISTANCE) {
            continue;
        }
        sdTransform a = placeFrame(b->world, def->bodyA, def->frameA);
        sdTransform now = placeFrame(b->world, def->bodyB, def->frameB);
        for (int k = 0; k < 3; ++k) {
            const sdJointAxis *move = &def->axes[k], *turn = &def->axes[SD_AXIS_TURN_X + k];
            if (move->mode == SD_AXIS_LIMITED) {
                addLine(o, a, sdScale(move->lower, axisOf(k)), sdScale(move->upper, axisOf(k)),
                        limitColor);
            }
            if (turn->mode == SD_AXIS_LIMITED) {
                addArc(o, a, k, turn->lower, turn->upper, size);
                addLine(o, now, sdV3(0.0f, 0.0f, 0.0f), sdScale(size, axisOf((k + 1) % 3)),
                        nowColor);
            }
        }
        if (def->coneAngle < SD_PI) {
            addCone(o, a, def->coneAngle, size);
            addLine(o, now, sdV3(0.0f, 0.0f, 0.0f), sdScale(size, axisOf(0)), nowColor);
        }
    }
}

// ---- public --------------------------------------------------------------------------------

int sdView_GetLines(const sdWorld* world, uint32_t views, float size, float* out, int capacity) {
    const uint32_t volumes =
        SD_VIEW_FAT_BOXES | SD_VIEW_SPHERES | SD_VIEW_OBBS | SD_VIEW_KDOPS | SD_VIEW_HULLS;
    sdDrawOptions options = {.views = views & volumes};
    sdView view = {.options = &options, .pixelsPerSlope = 1.0f, .distance = 1.0f};
    sdViews own = {.context = sdContext_Default()};
    own.overlay.allocator = own.context.allocator;
    sdOverlay* o = &own.overlay;
    sdViewBodies bodies;
    int count = 0;
    if (sdViews_Fill(&own, world, &view) == SD_OK && sdViewBodies_Open(&bodies, world)) {
        if ((views & SD_VIEW_INERTIA) != 0) {
            addInertia(&bodies, o);
        }
        if ((views & SD_VIEW_LIMITS) != 0) {
            addLimits(&bodies, size, o);
        }
        sdViewBodies_Close(&bodies);
        count = o->isBroken ? 0 : o->count[SD_OVERLAY_LINES] * SD_VIEW_LINE_SIZE;
    }
    for (int i = 0; (i + 1) * SD_VIEW_LINE_SIZE <= sdMinI(count, capacity); ++i) {
        const sdOverlayVertex* v = &o->vertices[SD_OVERLAY_LINES][i];
        float* row = &out[i * SD_VIEW_LINE_SIZE];
        // there is no eye here, from which lines were to be nearer
        sdVec3 p = sdScale(1.0f / (1.0f - SD_OVERLAY_NEARER), v->position);
        row[0] = p.x;
        row[1] = p.y;
        row[2] = p.z;
        for (int k = 0; k < 3; ++k) {
            row[3 + k] = (float)v->color[k] / 255.0f;
        }
    }
    sdViews_Free(&own);
    return count;
}
