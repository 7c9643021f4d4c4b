// SPDX-License-Identifier: MIT
// test_render.c - cameras, and what pictures show.

#include "hull_check.h"

#include "render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- cameras -------------------------------------------------------------------------------

static sdBodyId addBody(sdWorld* world, sdBodyType type, sdPos position, sdShape shape) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = type;
    def.position = position;
    sdBodyId body = SD_NULL_BODY;
    CHECK_INT(sdBody_Create(world, &def, &body), SD_OK);
    sdShapeDef shapeDef = sdShapeDef_Default(shape);
    CHECK_INT(sdBody_AddShape(world, body, &shapeDef, NULL), SD_OK);
    return body;
}

/// Where a point is seen: -1 .. 1 from left to right and from below to above.
static sdVec2 project(const sdCamera* camera, float aspect, sdPos point) {
    sdVec3 back = sdNormalize(sdPos_Sub(camera->eye, camera->target));
    sdVec3 right = sdNormalize(sdCross(camera->up, back)), up = sdCross(back, right);
    sdVec3 p = sdPos_Sub(point, camera->eye);
    float tangent = sdSin(0.5f * camera->fieldOfView) / sdCos(0.5f * camera->fieldOfView);
    float depth = -sdDot(p, back) * tangent;
    return sdV2(sdDot(p, right) / (depth * aspect), sdDot(p, up) / depth);
}

SD_TEST(render_camera_frames_the_bodies) {
    TestRandom random = TestRandom_Make(5);
    for (int trial = 0; trial < 20; ++trial) {
        sdWorld* world = NULL;
        REQUIRE(sdWorld_Create(NULL, NULL, &world) == SD_OK);
        sdPos middle = sdPos_Make(trial % 2 == 0 ? 0.0 : 1e6, 5.0, -3.0);
        sdVec3 spread = sdV3(TestRandom_Float(&random, 0.1f, 20.0f), 5.0f, 2.0f);
        sdPos places[60];
        // the floor is not to be framed, nor is one body of sixty that fell off
        addBody(world, SD_BODY_STATIC, middle, sdShape_Box(1000.0f, 1.0f, 1000.0f));
        for (int i = 0; i < 60; ++i) {
            places[i] = sdPos_Add(middle, sdMul(spread, TestRandom_InBox(&random, 1.0f)));
            addBody(world, SD_BODY_DYNAMIC, places[i], sdShape_Sphere(0.25f));
        }
        addBody(world, SD_BODY_DYNAMIC, sdPos_Make(middle.x, -5000.0, 0.0), sdShape_Sphere(0.25f));

        sdCamera camera;
        float aspect = trial % 3 == 0 ? 0.6f : 1.8f;
        sdVec3 direction = TestRandom_OnSphere(&random);
        REQUIRE(sdCamera_Frame(NULL, world, direction, aspect, &camera) == SD_OK);
        CHECK(sdCamera_IsValid(&camera));
        sdVec2 lower = {1e9f, 1e9f}, upper = {-1e9f, -1e9f};
        for (int i = 0; i < 60; ++i) {
            sdVec2 p = project(&camera, aspect, places[i]);
            lower = sdV2(sdMinF(lower.x, p.x), sdMinF(lower.y, p.y));
            upper = sdV2(sdMaxF(upper.x, p.x), sdMaxF(upper.y, p.y));
        }
        // all in view, which is not much larger than needed
        CHECK(lower.x > -1.0f && lower.y > -1.0f && upper.x < 1.0f && upper.y < 1.0f);
        CHECK(sdMaxF(upper.x - lower.x, upper.y - lower.y) > 1.0f);
        sdWorld_Destroy(world);
    }
}

SD_TEST(render_camera_of_odd_worlds) {
    TestContext test;
    TestContext_Init(&test);
    sdWorld* world = NULL;
    REQUIRE(sdWorld_Create(&test.context, NULL, &world) == SD_OK);
    sdCamera camera;
    sdVec3 above = sdV3(0.0f, 3.0f, 0.0f);
    CHECK_INT(sdCamera_Frame(&test.context, world, above, 1.0f, &camera), SD_OK);
    CHECK(sdCamera_IsValid(&camera));
    addBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), sdShape_HalfSpace());
    CHECK_INT(sdCamera_Frame(&test.context, world, above, 1.0f, &camera), SD_OK);
    CHECK(sdCamera_IsValid(&camera));

    sdVec3 none = sdV3(0.0f, 0.0f, 0.0f), broken = sdV3(TestNaN(), 0.0f, 0.0f);
    CHECK_INT(sdCamera_Frame(&test.context, world, none, 1.0f, &camera), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdCamera_Frame(&test.context, world, broken, 1.0f, &camera),
              SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdCamera_Frame(&test.context, world, above, 0.0f, &camera),
              SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdCamera_Frame(&test.context, NULL, above, 1.0f, &camera), SD_ERROR_INVALID_ARGUMENT);
    test.failAt = test.allocationCount + 1;
    CHECK_INT(sdCamera_Frame(&test.context, world, above, 1.0f, &camera), SD_ERROR_OUT_OF_MEMORY);
    test.failAt = -1;
    sdWorld_Destroy(world);
    TestContext_Finish(&test);
}

// ---- pictures ------------------------------------------------------------------------------

#define WIDTH 160
#define HEIGHT 120

/// False, and a line that says so, where there is nothing to draw with.
static bool canDraw(void) {
    if (!sdRenderer_IsAvailable()) {
        sdTest_Print("NOT TESTED: this build has no EGL, OpenGL ES 3 or libpng");
    }
    return sdRenderer_IsAvailable();
}

typedef struct Pixel {
    int r, g, b;
} Pixel;

static Pixel getPixel(const uint8_t* pixels, int x, int y) {
    const uint8_t* p = &pixels[4 * (y * WIDTH + x)];
    return (Pixel){p[0], p[1], p[2]};
}

static int brightness(Pixel p) {
    return p.r + p.g + p.b;
}

/// Largest difference of all bytes.
static int difference(const uint8_t* a, const uint8_t* b) {
    int largest = 0;
    for (int i = 0; i < 4 * WIDTH * HEIGHT; ++i) {
        int d = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
        largest = d > largest ? d : largest;
    }
    return largest;
}

/// A floor and a box of 1 m on it, seen from the front and above; the box is in the middle.
typedef struct Stage {
    sdWorld* world;
    sdRenderer* renderer;
    sdCamera camera;
    sdDrawOptions options;
    sdBodyId body;
} Stage;

/// A ball 40 m above the floor: a film of it has room for both ends of its fall.
SD_TEST(render_camera_of_a_film_sees_where_bodies_land) {
    sdWorld* world = NULL;
    REQUIRE(sdWorld_Create(NULL, NULL, &world) == SD_OK);
    addBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), sdShape_HalfSpace());
    addBody(world, SD_BODY_DYNAMIC, sdPos_Make(3.0, 40.0, 0.0), sdShape_Sphere(0.5f));
    sdCamera still, film;
    sdVec3 direction = sdV3(0.0f, 0.2f, 1.0f);
    REQUIRE(sdCamera_Frame(NULL, world, direction, 1.5f, &still) == SD_OK);
    REQUIRE(sdCamera_FrameFall(NULL, world, direction, 1.5f, &film) == SD_OK);
    CHECK_NEAR(still.target.y, 40.0, 0.1);
    CHECK_NEAR(film.target.y, 20.0, 1.0);
    CHECK_NEAR(film.target.x, 3.0, 0.1);
    CHECK(sdLength(sdPos_Sub(film.eye, film.target)) > 40.0f);
    // without gravity nothing falls
    REQUIRE(sdWorld_SetGravity(world, sdV3(0.0f, 0.0f, 0.0f)) == SD_OK);
    REQUIRE(sdCamera_FrameFall(NULL, world, direction, 1.5f, &film) == SD_OK);
    CHECK_NEAR(film.target.y, 40.0, 0.1);
    sdWorld_Destroy(world);
}

static bool openStage(Stage* stage, sdShape shape, double x) {
    *stage = (Stage){.options = sdDrawOptions_Default()};
    stage->camera = sdCamera_LookAt(sdPos_Make(x, 3.0, 6.0), sdPos_Make(x, 0.5, 0.0));
    bool ok = sdWorld_Create(NULL, NULL, &stage->world) == SD_OK &&
              sdRenderer_Create(NULL, WIDTH, HEIGHT, &stage->renderer) == SD_OK;
    if (CHECK(ok)) {
        addBody(stage->world, SD_BODY_STATIC, sdPos_Make(x, 0.0, 0.0), sdShape_HalfSpace());
        bool isSolid = shape.type != SD_SHAPE_TRIANGLE && shape.type != SD_SHAPE_MESH;
        sdBodyType type = isSolid ? SD_BODY_DYNAMIC : SD_BODY_STATIC;
        stage->body = addBody(stage->world, type, sdPos_Make(x, 0.5, 0.0), shape);
    }
    return ok;
}

static const uint8_t* draw(Stage* stage) {
    CHECK_INT(sdRenderer_Draw(stage->renderer, stage->world, &stage->camera, &stage->options),
              SD_OK);
    int width = 0, height = 0;
    const uint8_t* pixels = sdRenderer_GetPixels(stage->renderer, &width, &height);
    CHECK(pixels != NULL && width == WIDTH && height == HEIGHT);
    return pixels;
}

static void closeStage(Stage* stage) {
    sdRenderer_Destroy(stage->renderer);
    sdWorld_Destroy(stage->world);
}

SD_TEST(render_shows_sky_floor_and_body) {
    Stage stage;
    if (!canDraw() || !openStage(&stage, sdShape_Box(0.5f, 0.5f, 0.5f), 0.0)) {
        return;
    }
    const uint8_t* pixels = draw(&stage);
    // the floor is nearly white, the sky bluish, the body has its own hue
    Pixel floor = getPixel(pixels, 10, HEIGHT - 10);
    CHECK(floor.r > 190 && floor.g > 190 && floor.b > 190);
    stage.camera.target = sdPos_Make(0.0, 30.0, 0.0);
    Pixel sky = getPixel(draw(&stage), WIDTH / 2, 5);
    CHECK(sky.b > sky.r + 8 && sky.b > 150);

    stage.camera.target = sdPos_Make(0.0, 0.5, 0.0);
    pixels = draw(&stage);
    Pixel body = getPixel(pixels, WIDTH / 2, HEIGHT / 2 + 4);
    uint8_t color[3];
    sdRenderer_GetColor(SD_BODY_DYNAMIC, stage.body, color);
    float dot = (float)(body.r * color[0] + body.g * color[1] + body.b * color[2]);
    float lengths = sqrtf((float)(body.r * body.r + body.g * body.g + body.b * body.b)) *
                    sqrtf((float)(color[0] * color[0] + color[1] * color[1] + color[2] * color[2]));
    CHECK(dot / lengths > 0.99f);
    for (int i = 3; i < 4 * WIDTH * HEIGHT; i += 4) {
        CHECK(pixels[i] == 255);
    }
    closeStage(&stage);
}

SD_TEST(render_gives_the_same_bytes_again) {
    Stage a, b;
    if (!canDraw() || !openStage(&a, sdShape_Capsule(0.2f, 0.3f), 0.0) ||
        !openStage(&b, sdShape_Capsule(0.2f, 0.3f), 0.0)) {
        return;
    }
    static uint8_t first[4 * WIDTH * HEIGHT];
    memcpy(first, draw(&a), sizeof first);
    CHECK_INT(difference(first, draw(&a)), 0);
    CHECK_INT(difference(first, draw(&b)), 0);
    closeStage(&a);
    closeStage(&b);
}

SD_TEST(render_is_as_good_far_from_the_origin) {
    // a whole number of squares away, the picture is the same but for rounding
    Stage near, far;
    if (!canDraw() || !openStage(&near, sdShape_Box(0.5f, 0.5f, 0.5f), 0.0) ||
        !openStage(&far, sdShape_Box(0.5f, 0.5f, 0.5f), 1e7)) {
        return;
    }
    static uint8_t first[4 * WIDTH * HEIGHT];
    memcpy(first, draw(&near), sizeof first);
    CHECK(difference(first, draw(&far)) <= 2);
    // also when the floor's own origin is where the world's is
    sdBodyId floor;
    sdWorld_GetBodies(far.world, &floor, 1);
    sdQuat turned = sdQuat_Identity();
    REQUIRE(sdBody_SetTransform(far.world, floor, sdPos_Make(0.0, 0.0, 0.0), turned) == SD_OK);
    CHECK(difference(first, draw(&far)) <= 2);
    closeStage(&near);
    closeStage(&far);
}

/// The box alone, its shadow falling to the right and to the back: the floor there is darker.
SD_TEST(render_casts_shadows_and_none_on_what_is_lit) {
    Stage stage;
    if (!canDraw() || !openStage(&stage, sdShape_Box(0.5f, 0.5f, 0.5f), 0.0)) {
        return;
    }
    stage.camera = sdCamera_LookAt(sdPos_Make(0.0, 8.0, 0.01), sdPos_Make(0.0, 0.0, 0.0));
    static uint8_t lit[4 * WIDTH * HEIGHT];
    stage.options.views &= ~(uint32_t)SD_VIEW_SHADOWS;
    memcpy(lit, draw(&stage), sizeof lit);
    stage.options.views |= SD_VIEW_SHADOWS;
    const uint8_t* pixels = draw(&stage);
    int darker = 0, otherwise = 0;
    for (int y = 0; y < HEIGHT; ++y) {
        for (int x = 0; x < WIDTH; ++x) {
            int change = brightness(getPixel(lit, x, y)) - brightness(getPixel(pixels, x, y));
            bool isBehind = x > WIDTH / 2 - 14 && y < HEIGHT / 2 + 14;
            darker += change > 60 && isBehind;
            // nothing else is darker: no surface shades itself
            otherwise += change != 0 && !isBehind;
        }
    }
    CHECK(darker > 150);
    CHECK_INT(otherwise, 0);
    // nor does the upper face of the box
    CHECK_INT(brightness(getPixel(lit, WIDTH / 2, HEIGHT / 2)),
              brightness(getPixel(pixels, WIDTH / 2, HEIGHT / 2)));
    closeStage(&stage);
}

SD_TEST(render_draws_every_kind_of_shape) {
    if (!canDraw()) {
        return;
    }
    sdHull* hull = TestHull_OnSphere(20);
    sdMesh* mesh = NULL;
    REQUIRE(sdModel_Create(NULL, SD_MODEL_SPHERE, 1.0f, &mesh) == SD_OK);
    sdCompoundChild child = {sdShape_Box(0.4f, 0.4f, 0.4f), TestAt(0.0f, 0.0f, 0.0f)};
    sdCompound* compound = NULL;
    REQUIRE(sdCompound_Create(NULL, &child, 1, &compound) == SD_OK);
    const sdShape shapes[] = {
        sdShape_Sphere(0.5f),
        sdShape_Capsule(0.2f, 0.3f),
        sdShape_Box(0.5f, 0.5f, 0.5f),
        sdShape_Cylinder(0.5f, 0.4f),
        sdShape_Cone(0.5f, 0.5f),
        sdShape_Triangle(sdV3(-0.5f, -0.5f, 0.0f), sdV3(0.5f, -0.5f, 0.0f), sdV3(0.0f, 0.5f, 0.0f)),
        sdShape_Triangle(sdV3(0.5f, -0.5f, 0.0f), sdV3(-0.5f, -0.5f, 0.0f), sdV3(0.0f, 0.5f, 0.0f)),
        sdShape_Hull(hull),
        sdShape_Mesh(mesh),
        sdShape_Compound(compound)};
    for (int i = 0; i < (int)(sizeof shapes / sizeof shapes[0]); ++i) {
        Stage with, without;
        if (!openStage(&with, shapes[i], 0.0) || !openStage(&without, shapes[i], 0.0)) {
            return;
        }
        sdBody_Destroy(without.world, without.body);
        const uint8_t *a = draw(&with), *b = draw(&without);
        Pixel p = getPixel(a, WIDTH / 2, HEIGHT / 2), q = getPixel(b, WIDTH / 2, HEIGHT / 2);
        if (!CHECK(p.r != q.r || p.g != q.g || p.b != q.b)) {
            sdTest_Print("%s", sdShapeType_Name(shapes[i].type));
        }
        // and nothing where the shape is not
        CHECK_INT(brightness(getPixel(a, 3, HEIGHT - 4)), brightness(getPixel(b, 3, HEIGHT - 4)));
        closeStage(&with);
        closeStage(&without);
    }
    sdHull_Release(hull);
    sdMesh_Release(mesh);
    sdCompound_Release(compound);
}

/// Pixels of a pure colour.
static int countColor(const uint8_t* pixels, Pixel color) {
    int count = 0;
    for (int y = 0; y < HEIGHT; ++y) {
        for (int x = 0; x < WIDTH; ++x) {
            Pixel p = getPixel(pixels, x, y);
            count += p.r == color.r && p.g == color.g && p.b == color.b;
        }
    }
    return count;
}

SD_TEST(render_marks_contacts_and_sleepers) {
    Stage stage;
    if (!canDraw() || !openStage(&stage, sdShape_Box(0.5f, 0.5f, 0.5f), 0.0)) {
        return;
    }
    const Pixel cyan = {0, 230, 245}, white = {255, 255, 255};
    stage.options.views |= SD_VIEW_CONTACTS;
    REQUIRE(sdWorld_Step(stage.world, 1.0f / 60.0f) == SD_OK);
    const uint8_t* pixels = draw(&stage);
    CHECK(countColor(pixels, cyan) > 20);
    CHECK_INT(countColor(pixels, white), 0);
    REQUIRE(sdWorld_Step(stage.world, 1.0f / 60.0f) == SD_OK);
    pixels = draw(&stage);
    CHECK_INT(countColor(pixels, cyan), 0);
    CHECK(countColor(pixels, white) > 20);

    stage.options.views &= ~(uint32_t)SD_VIEW_CONTACTS;
    Pixel awake = getPixel(draw(&stage), WIDTH / 2, HEIGHT / 2 + 4);
    REQUIRE(sdBody_SetAwake(stage.world, stage.body, false) == SD_OK);
    Pixel asleep = getPixel(draw(&stage), WIDTH / 2, HEIGHT / 2 + 4);
    CHECK(brightness(asleep) < brightness(awake) - 30);
    stage.options.views &= ~(uint32_t)SD_VIEW_SLEEP;
    Pixel shown = getPixel(draw(&stage), WIDTH / 2, HEIGHT / 2 + 4);
    CHECK_INT(brightness(shown), brightness(awake));
    closeStage(&stage);
}

/// A ring that may move, each view by itself: it changes the picture, and not that of an empty
/// world. The slice through the field is green inside and red outside.
SD_TEST(render_views_show_what_they_say) {
    if (!canDraw()) {
        return;
    }
    sdMesh* mesh = NULL;
    sdConcave* concave = NULL;
    sdConcaveDef def = sdConcaveDef_Default();
    REQUIRE(sdModel_Create(NULL, SD_MODEL_RING, 1.0f, &mesh) == SD_OK);
    REQUIRE(sdConcave_Create(NULL, mesh, &def, &concave) == SD_OK);
    Stage stage;
    if (!openStage(&stage, sdShape_Concave(concave), 0.0)) {
        return;
    }
    REQUIRE(sdBody_SetType(stage.world, stage.body, SD_BODY_DYNAMIC) == SD_OK);
    for (int i = 0; i < 40; ++i) {
        REQUIRE(sdWorld_Step(stage.world, 1.0f / 60.0f) == SD_OK);
    }
    static uint8_t nothing[4 * WIDTH * HEIGHT], solid[4 * WIDTH * HEIGHT];
    stage.options.views = 0;
    memcpy(nothing, draw(&stage), sizeof nothing);
    stage.options.views = SD_VIEW_SOLID;
    memcpy(solid, draw(&stage), sizeof solid);
    CHECK(difference(nothing, solid) > 30);
    for (int i = 0; i < SD_VIEW_COUNT; ++i) {
        uint32_t view = 1u << i;
        // these change solids; a world without joints has none to show, and nobody sleeps
        bool isOfSolids =
            (view & (SD_VIEW_SOLID | SD_VIEW_SHADOWS | SD_VIEW_ISLANDS | SD_VIEW_LEVELS)) != 0;
        if (isOfSolids || (view & (SD_VIEW_JOINTS | SD_VIEW_SLEEP | SD_VIEW_CELLS)) != 0) {
            continue;
        }
        stage.options.views = view;
        if (!CHECK(difference(nothing, draw(&stage)) > 30)) {
            sdTest_Print("%s", sdDrawView_Name(i));
        }
    }
    stage.options.views = SD_VIEW_FIELD;
    const uint8_t* pixels = draw(&stage);
    int green = 0, red = 0;
    for (int i = 0; i < 4 * WIDTH * HEIGHT; i += 4) {
        green += pixels[i + 1] > 90 && pixels[i] < 60 && pixels[i + 2] < 70;
        red += pixels[i] > 90 && pixels[i + 1] < 60 && pixels[i + 2] < 70;
    }
    CHECK(green > 20 && red > 20);
    // from far away, each volume is seen around the ring
    sdBody_Destroy(stage.world, stage.body);
    stage.options.views = (1u << SD_VIEW_COUNT) - 1 - SD_VIEW_CELLS - SD_VIEW_WIREFRAME;
    pixels = draw(&stage);
    int lines = 0;
    for (int i = 0; i < 4 * WIDTH * HEIGHT; i += 4) {
        lines += abs(pixels[i] - nothing[i]) > 60;
    }
    CHECK_INT(lines, 0);
    closeStage(&stage);
    sdMesh_Release(mesh);
    sdConcave_Release(concave);
}

SD_TEST(render_lets_go_of_what_is_gone) {
    if (!canDraw()) {
        return;
    }
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = NULL;
    REQUIRE(sdModel_Create(&test.context, SD_MODEL_RING, 1.0f, &mesh) == SD_OK);
    Stage stage;
    if (!openStage(&stage, sdShape_Mesh(mesh), 0.0)) {
        return;
    }
    sdMesh_Release(mesh);
    draw(&stage);
    REQUIRE(sdBody_Destroy(stage.world, stage.body) == SD_OK);
    // the renderer is the last one that knows the mesh
    CHECK(test.liveCount > 0);
    draw(&stage);
    CHECK_INT(test.liveCount, 0);
    closeStage(&stage);
    TestContext_Finish(&test);
}

/// A world with one of each group, drawn by a renderer of that context.
static sdResult drawAction(const sdContext* context, void* arg) {
    Stage* stage = arg;
    sdRenderer* renderer = NULL;
    sdResult result = sdRenderer_Create(context, 8, 8, &renderer);
    sdDrawOptions options = sdDrawOptions_Default();
    options.views = (1u << SD_VIEW_COUNT) - 1;
    if (result == SD_OK) {
        result = sdRenderer_Draw(renderer, stage->world, &stage->camera, &options);
    }
    sdRenderer_Destroy(renderer);
    return result;
}

SD_TEST(render_survives_lack_of_memory) {
    sdHull* hull = TestHull_OnSphere(12);
    Stage stage;
    if (canDraw() && openStage(&stage, sdShape_Hull(hull), 0.0)) {
        REQUIRE(sdWorld_Step(stage.world, 1.0f / 60.0f) == SD_OK);
        CHECK(TestContext_FailEach(drawAction, &stage) > 10);
        closeStage(&stage);
    }
    sdHull_Release(hull);
}

SD_TEST(render_refuses_bad_input) {
    TestContext test;
    TestContext_Init(&test);
    sdRenderer* renderer = NULL;
    if (!sdRenderer_IsAvailable()) {
        CHECK(sdRenderer_Create(&test.context, 8, 8, &renderer) != SD_OK);
        CHECK_TEXT(test.lastError, "libegl-dev");
        TestContext_Finish(&test);
        return;
    }
    CHECK_INT(sdRenderer_Create(&test.context, 0, 8, &renderer), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdRenderer_Create(&test.context, 8, 8, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdRenderer_Create(&test.context, 1 << 30, 8, &renderer), SD_ERROR_LIMIT);
    CHECK(renderer == NULL);

    sdWorld* world = NULL;
    REQUIRE(sdWorld_Create(NULL, NULL, &world) == SD_OK);
    REQUIRE(sdRenderer_Create(&test.context, 8, 8, &renderer) == SD_OK);
    CHECK(sdRenderer_GetPixels(renderer, NULL, NULL) == NULL);
    CHECK_INT(sdRenderer_WritePng(renderer, "/tmp/never.png"), SD_ERROR_INVALID_ARGUMENT);
    sdCamera camera = sdCamera_LookAt(sdPos_Make(1.0, 1.0, 1.0), sdPos_Make(1.0, 1.0, 1.0));
    CHECK_INT(sdRenderer_Draw(renderer, world, &camera, NULL), SD_ERROR_INVALID_ARGUMENT);
    camera = sdCamera_LookAt(sdPos_Make(0.0, 1.0, 0.0), sdPos_Make(0.0, 0.0, 0.0));
    CHECK_INT(sdRenderer_Draw(renderer, world, &camera, NULL), SD_ERROR_INVALID_ARGUMENT);
    camera.eye.x = (double)TestNaN();
    CHECK_INT(sdRenderer_Draw(renderer, world, &camera, NULL), SD_ERROR_INVALID_ARGUMENT);
    // an empty world is a picture of the sky
    camera = sdCamera_LookAt(sdPos_Make(0.0, 1.0, 5.0), sdPos_Make(0.0, 0.0, 0.0));
    CHECK_INT(sdRenderer_Draw(renderer, world, &camera, NULL), SD_OK);
    CHECK_INT(sdRenderer_WritePng(renderer, "/nowhere/at/all.png"), SD_ERROR_IO);
    CHECK_TEXT(test.lastError, "cannot write /nowhere/at/all.png: No such file or directory");
    CHECK_INT(sdRenderer_WritePng(renderer, NULL), SD_ERROR_INVALID_ARGUMENT);
    sdRenderer_Destroy(renderer);
    sdRenderer_Destroy(NULL);
    sdWorld_Destroy(world);
    TestContext_Finish(&test);
}
