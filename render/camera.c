// SPDX-License-Identifier: MIT
// camera.c - where to look from.
//
// In:   a world and a direction.
// Out:  a camera with all but the furthest bodies in view.
// Note: bodies are taken as balls. Along the view's own axes, a ball of radius r at (x, y, z) from
//       the target is in view from a distance of z + (|x| + r / cos(a)) / tan(a), a being half the
//       angle of view: the largest of these is the distance.

#include "render.h"

#include "support.h"

#include "sudar/query.h"

#include <stdlib.h>

/// One body in so many may be out of view.
#define STRAYED_SHARE 50

/// More than what is needed, so that nothing touches the rim of the picture.
#define MARGIN 1.06f

/// m: what is further below is not looked for.
#define MAX_FALL 1e4f

/// How far from the origin an empty world is looked at, m.
#define EMPTY_DISTANCE 10.0f

#define DEFAULT_FIELD_OF_VIEW (40.0f * SD_PI / 180.0f)

/// Sine of the angle between view and upright, below which a picture has no upright.
#define MIN_SINE 1e-4f

typedef struct Ball {
    sdVec3 center; ///< relative to the first body
    float radius;
    float order; ///< what it is sorted by
} Ball;

static int compareOrder(const void* a, const void* b) {
    float x = ((const Ball*)a)->order, y = ((const Ball*)b)->order;
    return (x > y) - (x < y);
}

/// The middle one of all coordinates along an axis.
static float median(Ball* balls, int count, int axis) {
    for (int i = 0; i < count; ++i) {
        balls[i].order = sdVec3_Get(balls[i].center, axis);
    }
    qsort(balls, (size_t)count, sizeof *balls, compareOrder);
    return balls[count / 2].order;
}

/// @return how many balls are left, those furthest from the middle taken away
static int dropStrayed(Ball* balls, int count) {
    sdVec3 middle = sdV3(median(balls, count, 0), median(balls, count, 1), median(balls, count, 2));
    for (int i = 0; i < count; ++i) {
        balls[i].order = sdLength(sdSub(balls[i].center, middle));
    }
    qsort(balls, (size_t)count, sizeof *balls, compareOrder);
    return count - count / STRAYED_SHARE;
}

static Ball bodyBall(const sdWorld* world, sdBodyId body, sdPos origin) {
    sdWorldTransform xf = sdBody_GetTransform(world, body);
    Ball ball = {.center = sdPos_Sub(xf.p, origin)};
    sdShapeId shapes[8];
    int count = sdMinI(sdBody_GetShapes(world, body, shapes, 8), 8);
    for (int i = 0; i < count; ++i) {
        const sdShapeDef* def = sdShapeId_GetDef(world, shapes[i]);
        sdAABB box = sdShape_GetBounds(&def->shape, def->xf);
        if (def->shape.type != SD_SHAPE_HALF_SPACE) {
            sdVec3 far = sdMax(sdAbs(box.lower), sdAbs(box.upper));
            ball.radius = sdMaxF(ball.radius, sdLength(far));
        }
    }
    return ball;
}

/// Of dynamic bodies, or of all when there are none.
static int fillBalls(const sdWorld* world, const sdBodyId* bodies, int count, sdPos* origin,
                     Ball* balls) {
    for (int pass = 0; pass < 2; ++pass) {
        int found = 0;
        for (int i = 0; i < count; ++i) {
            if (pass == 1 || sdBody_GetType(world, bodies[i]) == SD_BODY_DYNAMIC) {
                if (found == 0) {
                    *origin = sdBody_GetTransform(world, bodies[i]).p;
                }
                balls[found++] = bodyBall(world, bodies[i], *origin);
            }
        }
        if (found > 0) {
            return found;
        }
    }
    return 0;
}

// ---- falling -------------------------------------------------------------------------------

static bool isFixed(void* user, sdBodyId body, sdShapeId shape) {
    (void)shape;
    return sdBody_GetType(user, body) == SD_BODY_STATIC;
}

/// The furthest one: what stands on the ground may be slid down along.
static float keepFurthest(void* user, const sdQueryHit* hit, float maxFraction) {
    sdQueryHit* furthest = user;
    if (furthest->body == SD_NULL_BODY || hit->fraction > furthest->fraction) {
        *furthest = *hit;
    }
    return maxFraction;
}

/// Add where each ball comes to lie on what does not move, if there is anything below it.
/// @return how many balls there are now
static int addLandings(const sdWorld* world, sdPos origin, Ball* balls, int count) {
    sdVec3 gravity = sdWorld_GetDef(world).gravity;
    if (!(sdLengthSquared(gravity) > 0.0f)) {
        return count;
    }
    sdQueryFilter filter = sdQueryFilter_Default();
    filter.accept = isFixed;
    filter.user = (void*)(uintptr_t)world;
    int found = count;
    for (int i = 0; i < count; ++i) {
        sdRay ray = {sdPos_Add(origin, balls[i].center), sdScale(MAX_FALL, sdNormalize(gravity))};
        sdQueryHit hit = {.body = SD_NULL_BODY};
        if (sdWorld_RaycastEach(world, &ray, &filter, keepFurthest, &hit) == SD_OK &&
            hit.body != SD_NULL_BODY) {
            balls[found] = balls[i];
            balls[found++].center = sdPos_Sub(hit.point, origin);
        }
    }
    return found;
}

// ---- framing -------------------------------------------------------------------------------

static sdCamera frameBalls(const Ball* balls, int count, sdPos origin, sdVec3 back, float aspect) {
    sdVec3 up = sdV3(0.0f, 1.0f, 0.0f);
    if (sdLength(sdCross(up, back)) < MIN_SINE) {
        up = sdV3(0.0f, 0.0f, -1.0f);
    }
    sdVec3 right = sdNormalize(sdCross(up, back)), upright = sdCross(back, right);

    sdVec3 lower = sdV3(FLT_MAX, FLT_MAX, FLT_MAX), upper = sdNeg(lower);
    for (int i = 0; i < count; ++i) {
        sdVec3 c = balls[i].center, r = sdV3(balls[i].radius, balls[i].radius, balls[i].radius);
        sdVec3 p = sdV3(sdDot(c, right), sdDot(c, upright), sdDot(c, back));
        lower = sdMin(lower, sdSub(p, r));
        upper = sdMax(upper, sdAdd(p, r));
    }
    sdVec3 middle = sdScale(0.5f, sdAdd(lower, upper));

    float angle = 0.5f * DEFAULT_FIELD_OF_VIEW;
    float tanY = sdSin(angle) / sdCos(angle), tanX = tanY * aspect;
    float secY = sqrtf(1.0f + tanY * tanY), secX = sqrtf(1.0f + tanX * tanX);
    float distance = 0.0f;
    for (int i = 0; i < count; ++i) {
        sdVec3 c = balls[i].center;
        float x = sdAbsF(sdDot(c, right) - middle.x) + balls[i].radius * secX;
        float y = sdAbsF(sdDot(c, upright) - middle.y) + balls[i].radius * secY;
        float z = sdDot(c, back) - middle.z;
        distance = sdMaxF(distance, z + sdMaxF(x / tanX, y / tanY));
    }
    sdVec3 target =
        sdAdd(sdAdd(sdScale(middle.x, right), sdScale(middle.y, upright)), sdScale(middle.z, back));
    sdPos at = sdPos_Add(origin, target);
    distance = distance > 0.0f ? MARGIN * distance : EMPTY_DISTANCE;
    sdCamera camera = sdCamera_LookAt(sdPos_Add(at, sdScale(distance, back)), at);
    camera.up = up;
    return camera;
}

sdCamera sdCamera_LookAt(sdPos eye, sdPos target) {
    return (sdCamera){eye, target, {0.0f, 1.0f, 0.0f}, DEFAULT_FIELD_OF_VIEW};
}

bool sdCamera_IsValid(const sdCamera* camera) {
    if (!sdPos_IsFinite(camera->eye) || !sdPos_IsFinite(camera->target)) {
        return false;
    }
    sdVec3 view = sdNormalize(sdPos_Sub(camera->target, camera->eye));
    sdVec3 up = sdNormalize(camera->up);
    return sdVec3_IsFinite(view) && sdVec3_IsFinite(up) &&
           sdLength(sdCross(view, up)) >= MIN_SINE && camera->fieldOfView > 0.01f &&
           camera->fieldOfView < 3.0f;
}

static sdResult frame(const sdContext* context, const sdWorld* world, sdVec3 direction,
                      float aspect, bool withFall, sdCamera* out) {
    sdContext ctx = sdRender_GetContext(context);
    sdVec3 back = sdNormalize(direction);
    if (world == NULL || out == NULL || !(sdLengthSquared(back) > 0.5f) || !(aspect > 0.0f)) {
        return sdRender_Fail(&ctx, SD_ERROR_INVALID_ARGUMENT,
                             "sdCamera_Frame: a world, a direction other than zero, an aspect "
                             "above zero and a camera are needed");
    }
    int count = sdWorld_GetBodies(world, NULL, 0);
    size_t bodySize = (size_t)(count + 1) * sizeof(sdBodyId);
    size_t ballSize = (size_t)(2 * count + 1) * sizeof(Ball);
    sdBodyId* bodies = sdRender_Alloc(&ctx.allocator, bodySize);
    Ball* balls = sdRender_Alloc(&ctx.allocator, ballSize);
    sdResult result = SD_OK;
    if (bodies == NULL || balls == NULL) {
        result = sdRender_Fail(&ctx, SD_ERROR_OUT_OF_MEMORY,
                               "sdCamera_Frame: no memory to look at %d bodies", count);
    } else {
        sdWorld_GetBodies(world, bodies, count);
        sdPos origin = {0.0, 0.0, 0.0};
        int found = fillBalls(world, bodies, count, &origin, balls);
        // an empty world has one point to look at
        found = found > 0 ? dropStrayed(balls, found) : 1;
        found = withFall && count > 0 ? addLandings(world, origin, balls, found) : found;
        *out = frameBalls(balls, found, origin, back, aspect);
    }
    sdRender_Free(&ctx.allocator, bodies, bodySize);
    sdRender_Free(&ctx.allocator, balls, ballSize);
    return result;
}

sdResult sdCamera_Frame(const sdContext* context, const sdWorld* world, sdVec3 direction,
                        float aspect, sdCamera* out) {
    return frame(context, world, direction, aspect, false, out);
}

sdResult sdCamera_FrameFall(const sdContext* context, const sdWorld* world, sdVec3 direction,
                            float aspect, sdCamera* out) {
    return frame(context, world, direction, aspect, true, out);
}
