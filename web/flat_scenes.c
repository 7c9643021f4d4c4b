// SPDX-License-Identifier: MIT
// flat_scenes.c - the demonstrations in the plane (E5), and how they are built.
//
// Ref:  S3 §6.

#include "flat_parts.h"

#include "support.h"

#include <math.h>

// ---- building ------------------------------------------------------------------------------

static int addBody(sdFlat* f, sdFlatKind kind, sdVec2 p, sdVec2 v, float spin, float reach) {
    f->bodies[f->bodyCount] =
        (sdFlatBody){.kind = kind, .p = p, .v = v, .start = p, .spin = spin, .reach = reach};
    return f->bodyCount++;
}

static void addPiece(sdFlat* f, int body, sdPolygon2 shape, int group) {
    sdVec2 center = sdV2(0.0f, 0.0f);
    for (int i = 0; i < shape.count; ++i) {
        center.x += shape.vertices[i].x / (float)shape.count;
        center.y += shape.vertices[i].y / (float)shape.count;
    }
    f->pieces[f->pieceCount++] = (sdFlatPiece){shape, center, body, group};
}

static sdPolygon2 makeHull(const sdVec2* points, int count) {
    sdPolygon2 r = {.count = 0};
    sdPolygon2_Make(NULL, points, count, 0.0f, &r);
    return r;
}

/// Corners on a circle.
static sdPolygon2 makeRegular(int corners, float radius) {
    sdVec2 points[SD_POLYGON2_MAX_VERTICES];
    for (int i = 0; i < corners; ++i) {
        float angle = 2.0f * SD_PI * (float)i / (float)corners;
        points[i] = sdV2(radius * cosf(angle), radius * sinf(angle));
    }
    return makeHull(points, corners);
}

// ---- shapes that touch ---------------------------------------------------------------------

static sdPolygon2 makeShape(int number) {
    switch (number % 6) {
        case 0:
            return sdPolygon2_Box(sdV2(0.5f, 0.3f));
        case 1:
            return sdPolygon2_Circle(sdV2(0.0f, 0.0f), 0.4f);
        case 2:
            return makeRegular(3, 0.55f);
        case 3:
            return sdPolygon2_Capsule(sdV2(-0.4f, 0.0f), sdV2(0.4f, 0.0f), 0.2f);
        case 4:
            return makeRegular(5, 0.5f);
        default:
            return makeRegular(8, 0.45f);
    }
}

static void buildTouch(sdFlat* f, int size) {
    for (int i = 0; i < size; ++i) {
        // along a spiral, so that they start apart, and into all directions
        float turn = 2.399963f * (float)i, r = 0.95f * sqrtf((float)i);
        float angle = 1.7f * (float)i;
        sdVec2 p = sdV2(1.25f * r * cosf(turn), 0.8f * r * sinf(turn));
        sdVec2 v = sdV2(0.9f * cosf(angle), 0.9f * sinf(angle));
        int body = addBody(f, SD_FLAT_FREE, p, v, 0.5f * sinf(3.0f * (float)i), 0.6f);
        addPiece(f, body, makeShape(i), 0);
    }
}

// ---- bullets -------------------------------------------------------------------------------

static void buildBullets(sdFlat* f, int size) {
    // a step at the usual speed ends between all but the last
    static const float places[] = {-2.0f, 0.0f, 2.0f, 3.55f};
    f->laneHalf = 1.2f;
    for (int lane = 0; lane < 2; ++lane) {
        float y = lane == 0 ? 1.5f : -1.5f;
        sdFlatKind kind = lane == 0 ? SD_FLAT_BLIND_BULLET : SD_FLAT_BULLET;
        for (int i = 0; i < 4; ++i) {
            int wall = addBody(f, SD_FLAT_WALL, sdV2(places[i], y), sdV2(0, 0), 0, 0);
            addPiece(f, wall, sdPolygon2_Box(sdV2(0.04f, 1.0f)), lane);
        }
        int bullet = addBody(f, kind, sdV2(-5.5f, y), sdV2((float)size, 0.0f), 0.0f, 0.1f);
        f->bodies[bullet].speed = (float)size;
        addPiece(f, bullet, sdPolygon2_Circle(sdV2(0.0f, 0.0f), 0.12f), lane);
    }
}

// ---- a figure of parts ---------------------------------------------------------------------

#define BAR_COUNT 4

/// The bars of a W, each a parallelogram.
static void listBar(int bar, sdVec2 out[4]) {
    static const sdVec2 corners[BAR_COUNT + 1] = {
        {-1.3f, 0.9f}, {-0.65f, -0.9f}, {0.0f, 0.6f}, {0.65f, -0.9f}, {1.3f, 0.9f}};
    const float half = 0.16f;
    for (int i = 0; i < 4; ++i) {
        sdVec2 p = corners[bar + i / 2];
        out[i] = sdV2(p.x + (i % 2 == 0 ? -half : half), p.y);
    }
}

static void addFigure(sdFlat* f, sdVec2 p, int partCount, int group) {
    int body = addBody(f, SD_FLAT_FREE, p, sdV2(0.0f, 0.0f), 0.25f, 0.0f);
    int bars = BAR_COUNT / partCount;
    for (int i = 0; i < partCount; ++i) {
        sdVec2 points[4 * BAR_COUNT];
        for (int k = 0; k < bars; ++k) {
            listBar(i * bars + k, &points[4 * k]);
        }
        addPiece(f, body, makeHull(points, 4 * bars), group);
    }
    for (int i = 0; i < 2; ++i) {
        float side = i == 0 ? 1.0f : -1.0f;
        int ball = addBody(f, SD_FLAT_SWAYING, p, sdV2(0.75f * side, 1.3f * side), 0.0f, 0.2f);
        f->bodies[ball].speed = 0.8f;
        addPiece(f, ball, sdPolygon2_Circle(sdV2(0.0f, 0.0f), 0.14f), group);
    }
}

static void buildFigure(sdFlat* f, int size) {
    (void)size;
    for (int i = 0; i < 3; ++i) {
        addFigure(f, sdV2(-3.8f + 3.8f * (float)i, 0.0f), 1 << i, i);
    }
}

// ---- table ---------------------------------------------------------------------------------

typedef struct Entry {
    sdFlatScene scene;
    void (*build)(sdFlat*, int);
} Entry;

static const Entry entries[] = {
    {{"flat-touch", "Plane: shapes that touch",
      "Circles, capsules and polygons drift through each other. What touches is red; contact "
      "points "
      "are cyan when new, white when kept.",
      "shapes", 12, 2, 40, 1.0f / 60.0f, 5.5f, 3.4f},
     buildTouch},
    {{"flat-bullet", "Plane: bullets and thin walls",
      "Above, a bullet looks where it has come to after each step, and passes walls; below, it "
      "looks "
      "along its way (sdShapeCast2), and never does.",
      "speed of the bullets, m/s", 60, 2, 400, 1.0f / 60.0f, 6.0f, 3.2f},
     buildBullets},
    {{"flat-figure", "Plane: a figure of 1, 2 and 4 parts",
      "The same W as one convex part (its hull), as two and as four: the fewer the parts, the more "
      "air counts as body. Boxes are those of the parts.",
      "", 1, 1, 1, 1.0f / 60.0f, 6.0f, 2.6f},
     buildFigure},
};

#define SCENE_COUNT ((int)(sizeof entries / sizeof *entries))

int sdFlatScene_GetCount(void) {
    return SCENE_COUNT;
}

const sdFlatScene* sdFlatScene_Get(int index) {
    return index >= 0 && index < SCENE_COUNT ? &entries[index].scene : NULL;
}

sdResult sdFlat_Create(const sdContext* context, int scene, int size, sdFlat** out) {
    sdContext ctx = sdRender_GetContext(context);
    const sdFlatScene* info = sdFlatScene_Get(scene);
    *out = NULL;
    if (info == NULL) {
        return sdRender_Fail(&ctx, SD_ERROR_INVALID_ARGUMENT, "there is no plane %d", scene);
    }
    if (size != 0 && (size < info->minSize || size > info->maxSize)) {
        return sdRender_Fail(&ctx, SD_ERROR_INVALID_ARGUMENT, "%s: size is %d; %d .. %d can be had",
                             info->name, size, info->minSize, info->maxSize);
    }
    sdFlat* f = sdRender_Alloc(&ctx.allocator, sizeof *f);
    if (f == NULL) {
        return sdRender_Fail(&ctx, SD_ERROR_OUT_OF_MEMORY, "no memory for %s", info->name);
    }
    f->context = ctx;
    f->scene = info;
    entries[scene].build(f, size != 0 ? size : info->size);
    sdFlat_FindContacts(f);
    *out = f;
    return SD_OK;
}

void sdFlat_Destroy(sdFlat* f) {
    if (f != NULL) {
        sdContext ctx = f->context;
        sdRender_Free(&ctx.allocator, f, sizeof *f);
    }
}
