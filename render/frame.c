// SPDX-License-Identifier: MIT
// frame.c - what the passes of one picture share: the view, and that of the light.
//
// In:   camera, options, what is drawn.
// Out:  matrices, squares of the floor, the map of shadows.

#include "frame.h"

/// Near and far end of what is drawn, in distances to the target. Their ratio leaves 24-bit depth
/// a resolution of 3e-5 distances at the target.
#define NEAR_SHARE 0.002f
#define FAR_SHARE 600.0f

/// Shadows end so many distances to the target away from it: beyond, texels would be too coarse.
#define SHADOW_REACH 2.0f

/// Squares of the floor are about this many to the distance to the target.
#define CELLS_TO_TARGET 12.0f

/// Towards the light.
static const sdVec3 lightDirection = {-0.46f, 0.74f, 0.50f};

/// The largest of 1, 2, 5, 10 ... times a power of ten, m, that is not above `limit`.
static float roundCell(float limit) {
    static const double factors[3] = {2.0, 2.5, 2.0};
    // in double, so that 0.5 and 1 come out as such
    double cell = 1e-6;
    // 1e-6 to 1e12 m in three steps a power of ten
    for (int i = 0; i < 54 && (float)(cell * factors[i % 3]) <= limit; ++i) {
        cell *= factors[i % 3];
    }
    return (float)cell;
}

typedef struct Casters {
    const sdDrawItem* items;
    int count;
    sdRadiusFcn* getRadius;
    const void* user;
} Casters;

typedef struct CasterBounds {
    sdVec3 lower, upper; ///< in axes of the light
} CasterBounds;

/// The box of all that casts shadows, or only of what can move.
static CasterBounds boundCasters(const Casters* casters, const sdMat33* axes, bool onlyMovable) {
    CasterBounds bounds = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    for (int i = 0; i < casters->count; ++i) {
        const sdDrawItem* item = &casters->items[i];
        const sdInstance* in = &item->instance;
        if (item->group != SD_GROUP_OPAQUE || (onlyMovable && !item->isMovable)) {
            continue;
        }
        float scale = sdMaxF(in->scale.x, sdMaxF(in->scale.y, in->scale.z));
        float radius = scale * casters->getRadius(casters->user, item->mesh) + in->radius;
        sdVec3 p = sdMulTMV(*axes, in->position), pad = sdV3(radius, radius, radius);
        bounds.lower = sdMin(bounds.lower, sdSub(p, pad));
        bounds.upper = sdMax(bounds.upper, sdAdd(p, pad));
    }
    return bounds;
}

sdFrame sdFrame_Make(const sdCamera* camera, int width, int height, const sdDrawOptions* options) {
    sdFrame f = {0};
    sdVec3 back = sdPos_Sub(camera->eye, camera->target);
    float distance = sdLength(back), angle = 0.5f * camera->fieldOfView;
    f.back = sdNormalize(back);
    f.right = sdNormalize(sdCross(camera->up, f.back));
    f.up = sdCross(f.back, f.right);
    f.tanY = sdSin(angle) / sdCos(angle);
    f.tanX = f.tanY * (float)width / (float)height;
    f.light = sdNormalize(lightDirection);
    f.view = (sdView){.eye = camera->eye,
                      .distance = distance,
                      .pixelsPerSlope = 0.5f * (float)height / f.tanY,
                      .gridCell = roundCell(distance / CELLS_TO_TARGET),
                      .options = options};
    sdMat44 turn = sdMat44_FromRows(f.right, f.up, f.back, sdV3(0.0f, 0.0f, 0.0f));
    f.clipFromEye = sdMat44_Mul(
        sdMat44_Perspective(f.tanX, f.tanY, NEAR_SHARE * distance, FAR_SHARE * distance), turn);
    return f;
}

void sdFrame_FitShadow(sdFrame* f, const sdDrawItem* items, int count, sdRadiusFcn* getRadius,
                       const void* user) {
    Casters casters = {items, count, getRadius, user};
    sdVec3 x = sdPerp(f->light), y = sdCross(f->light, x);
    sdMat33 axes = sdMat33_Columns(x, y, f->light);
    CasterBounds all = boundCasters(&casters, &axes, false),
                 moving = boundCasters(&casters, &axes, true);
    if (!(f->view.options->views & SD_VIEW_SHADOWS) || all.lower.x > all.upper.x) {
        f->shadowTexel = 0.0f;
        return;
    }
    // everything may throw a shadow on what moves
    CasterBounds shown = moving.lower.x <= moving.upper.x ? moving : all;
    sdVec3 lower = sdV3(shown.lower.x, shown.lower.y, all.lower.z);
    sdVec3 upper = sdV3(shown.upper.x, shown.upper.y, all.upper.z);
    // near the target only
    sdVec3 target = sdMulTMV(axes, sdScale(-f->view.distance, f->back));
    float reach = SHADOW_REACH * f->view.distance;
    sdVec3 pad = sdV3(reach, reach, 0.0f);
    sdVec3 nearLower = sdMax(lower, sdSub(target, pad)),
           nearUpper = sdMin(upper, sdAdd(target, pad));
    if (nearLower.x < nearUpper.x && nearLower.y < nearUpper.y) {
        lower = sdV3(nearLower.x, nearLower.y, lower.z);
        upper = sdV3(nearUpper.x, nearUpper.y, upper.z);
    }
    float half = 0.5f * sdMaxF(upper.x - lower.x, upper.y - lower.y);
    float step = roundCell(0.25f * half);
    half = step * (floorf(half / step) + 2.0f);
    float texel = 2.0f * half / SD_SHADOW_SIZE;
    float centerX = step * floorf(0.5f * (lower.x + upper.x) / step + 0.5f);
    float centerY = step * floorf(0.5f * (lower.y + upper.y) / step + 0.5f);

    // depth grows away from the light; what receives shadows may lie deeper than all casters
    float top = upper.z + texel, range = sdMaxF(upper.z - lower.z + 2.0f * texel, 4.0f * half);
    sdVec3 shift = sdV3(-centerX / half, -centerY / half, 2.0f * top / range - 1.0f);
    f->shadowClipFromEye = sdMat44_FromRows(sdScale(1.0f / half, x), sdScale(1.0f / half, y),
                                            sdScale(-2.0f / range, f->light), shift);
    f->shadowTexel = texel;
}
