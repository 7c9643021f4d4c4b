// SPDX-License-Identifier: MIT
// The scenes of document S2 §12 with the impulse solver: each ends as the document shows, and fails
// as it shows when the part that it is about is taken away.

#include "support.h"

#include "scenes.h"
#include "sudar/joint.h"

#include <math.h>
#include <string.h>

typedef struct Run {
    const sdScene* scene;
    sdWorld* world;
    sdBodyId bodies[128];
    int bodyCount;
    sdSceneOptions options;
} Run;

static sdWorldDef defOf(const char* name) {
    sdWorldDef def = sdScene_GetWorldDef(sdScene_Find(name));
    def.solver = SD_SOLVER_IMPULSE;
    return def;
}

/// With a world of NULL on failure, with CHECKs that say where.
static Run start(const char* name, const sdWorldDef* def, int size) {
    Run run = {.scene = sdScene_Find(name), .options = {.size = size}};
    if (CHECK(run.scene != NULL) && CHECK_INT(sdWorld_Create(NULL, def, &run.world), SD_OK)) {
        CHECK_INT(sdScene_Build(run.scene, run.world, &run.options), SD_OK);
        run.bodyCount = sdMinI(sdWorld_GetBodies(run.world, run.bodies, 128), 128);
    }
    return run;
}

static void go(Run* run, int steps) {
    bool isGood = run->world != NULL;
    for (int i = 0; i < steps && isGood; ++i) {
        isGood = CHECK_INT(sdWorld_Step(run->world, run->scene->dt), SD_OK);
    }
}

static bool isAsItSays(const Run* run) {
    char reason[SD_SCENE_REASON_SIZE] = "";
    bool isTrue = sdScene_Check(run->scene, run->world, &run->options, reason, sizeof reason);
    sdTest_Print("%s: %s", run->scene->name, reason);
    return isTrue;
}

static sdWorldTransform poseOf(const Run* run, int body) {
    return sdBody_GetTransform(run->world, run->bodies[body]);
}

static sdVec3 velocityOf(const Run* run, int body) {
    return sdBody_GetVelocity(run->world, run->bodies[body]);
}

/// Sine of the angle that a body's x axis has with the ground.
static float tiltOf(const Run* run, int body) {
    return sdBody_GetWorldVector(run->world, run->bodies[body], sdV3(1.0f, 0.0f, 0.0f)).y;
}

// ---- F3: perfectly elastic cubes on a slope (fig. 27) --------------------------------------

/// What cubes do that should stay on the slope.
typedef struct Hops {
    float highest; ///< m above it
    int count;     ///< of all: times that one began to leave it
} Hops;

static Hops watchHops(Run* run) {
    sdVec3 up = {0.4472136f, 0.8944272f, 0.0f};
    Hops hops = {0.0f, 0};
    bool wasLeaving[64] = {false};
    for (int i = 0; i < run->scene->stepCount; ++i) {
        go(run, 1);
        for (int k = 1; k < run->bodyCount && k < 64; ++k) {
            sdPos p = poseOf(run, k).p;
            float high = up.x * (float)p.x + up.y * (float)p.y - 0.5f;
            bool isLeaving = sdDot(up, velocityOf(run, k)) > 0.02f;
            hops.highest = sdMaxF(hops.highest, high);
            hops.count += isLeaving && !wasLeaving[k] ? 1 : 0;
            wasLeaving[k] = isLeaving;
        }
    }
    sdTest_Print("%d hops of %d cubes, the highest %.2f mm", hops.count, run->bodyCount - 1,
                 1e3 * (double)hops.highest);
    return hops;
}

SD_TEST(impulse_scene_slope_slides_in_the_new_order) {
    sdWorldDef def = defOf("slope");
    Run run = start("slope", &def, 0);
    Hops hops = watchHops(&run);
    CHECK(hops.highest < 0.002f);
    CHECK(hops.count < 10);
    CHECK(isAsItSays(&run));
    sdWorld_Destroy(run.world);
}

SD_TEST(impulse_scene_slope_hops_in_the_ordinary_order) {
    sdWorldDef def = defOf("slope");
    def.impulse.order = SD_ORDER_ORDINARY;
    Run run = start("slope", &def, 0);
    Hops hops = watchHops(&run);
    CHECK(hops.highest > 0.05f && hops.count > 20);
    CHECK(!isAsItSays(&run));
    sdWorld_Destroy(run.world);
}

// ---- F4: seesaw (fig. 28) ------------------------------------------------------------------

enum { SEESAW_PLANK = 2, SEESAW_LIGHT, SEESAW_HEAVY };

SD_TEST(impulse_scene_seesaw_tips) {
    sdWorldDef def = defOf("seesaw");
    Run run = start("seesaw", &def, 0);
    float lowest = 0.0f;
    for (int i = 0; i < run.scene->stepCount; ++i) {
        go(&run, 1);
        lowest = sdMinF(lowest, tiltOf(&run, SEESAW_PLANK));
    }
    sdTest_Print("tipped to %.3f by the heavy cube", (double)lowest);
    CHECK(lowest < -0.2f);
    CHECK(isAsItSays(&run));
    sdWorld_Destroy(run.world);
}

/// The plank has infinite mass before the heavy cube is asked.
SD_TEST(impulse_scene_seesaw_sticks_with_shock_alone) {
    sdWorldDef def = defOf("seesaw");
    def.impulse.contactPassCount = 0;
    def.impulse.collisionPassCount = 0;
    Run run = start("seesaw", &def, 0);
    go(&run, 180);
    float tilt = tiltOf(&run, SEESAW_PLANK);
    sdTest_Print("tilt %.4f after 3 s", (double)tilt);
    CHECK(sdAbsF(tilt) < 0.01f);
    CHECK_NEAR(poseOf(&run, SEESAW_HEAVY).p.x, 1.6, 0.01);
    sdWorld_Destroy(run.world);
}

// ---- F5: plank over an edge (fig. 29) ------------------------------------------------------

enum { PLANK_PLANK = 2, PLANK_FIRST };

SD_TEST(impulse_scene_plank_topples_when_the_large_cube_comes) {
    sdWorldDef def = defOf("plank");
    for (int i = 0; i < 2; ++i) {
        Run run = start("plank", &def, 0);
        if (i == 1) {
            // without it, the others hold the plank
            CHECK_INT(sdBody_Destroy(run.world, run.bodies[run.bodyCount - 1]), SD_OK);
        }
        go(&run, 12);
        float started = -tiltOf(&run, PLANK_PLANK);
        go(&run, 40);
        float held = -tiltOf(&run, PLANK_PLANK);
        go(&run, run.scene->stepCount - 52);
        float end = -tiltOf(&run, PLANK_PLANK);
        sdTest_Print("tilt %.4f after 0.2 s, %.4f before the large cube comes, %.3f in the end",
                     (double)started, (double)held, (double)end);
        CHECK(started > 0.003f && sdAbsF(held) < 0.05f);
        CHECK(i == 0 ? isAsItSays(&run) : sdAbsF(end) < 0.02f);
        sdWorld_Destroy(run.world);
    }
}

// ---- F6: billiards (fig. 30, 31) -----------------------------------------------------------

/// Body 0 is the table, then come the balls of the row, then the one that strikes.
static float fastestButLast(const Run* run) {
    float fastest = 0.0f;
    for (int i = 1; i < run->bodyCount - 2; ++i) {
        fastest = sdMaxF(fastest, sdLength(velocityOf(run, i)));
    }
    return fastest;
}

/// Until just after the strike.
static void strike(Run* run) {
    for (int i = 0; i < 120 && velocityOf(run, run->bodyCount - 1).x > 1.5f; ++i) {
        go(run, 1);
    }
    go(run, 2);
}

SD_TEST(impulse_scene_billiards_pass_the_blow_on) {
    sdWorldDef def = defOf("billiards");
    Run run = start("billiards", &def, 0);
    strike(&run);
    float last = velocityOf(&run, run.bodyCount - 2).x, others = fastestButLast(&run);
    sdTest_Print("the last ball leaves at %.3f m/s, the others at %.3f", (double)last,
                 (double)others);
    CHECK(last > 1.5f && others < 0.1f);
    go(&run, run.scene->stepCount - 60);
    CHECK(isAsItSays(&run));
    sdWorld_Destroy(run.world);
}

SD_TEST(impulse_scene_billiards_four_passes_are_not_enough) {
    sdWorldDef def = defOf("billiards");
    def.impulse.collisionPassCount = 4;
    Run run = start("billiards", &def, 0);
    strike(&run);
    float last = velocityOf(&run, run.bodyCount - 2).x, others = fastestButLast(&run);
    sdTest_Print("the last ball leaves at %.3f m/s, the others at %.3f", (double)last,
                 (double)others);
    // all go on together, as if they were one body
    CHECK(others > 0.05f);
    CHECK(last < 1.0f);
    sdWorld_Destroy(run.world);
}

SD_TEST(impulse_scene_billiards_never_stop_without_rolling_friction) {
    sdWorldDef def = defOf("billiards");
    Run run = start("billiards", &def, 0);
    for (int i = 0; i < run.bodyCount; ++i) {
        sdShapeId shape;
        CHECK_INT(sdBody_GetShapes(run.world, run.bodies[i], &shape, 1), 1);
        sdMaterial material = sdShapeId_GetDef(run.world, shape)->material;
        material.rollingFriction = 0.0f;
        CHECK_INT(sdShapeId_SetMaterial(run.world, shape, material), SD_OK);
    }
    go(&run, 300);
    float before = velocityOf(&run, run.bodyCount - 2).x;
    go(&run, 300);
    float after = velocityOf(&run, run.bodyCount - 2).x;
    sdTest_Print("the last ball: %.4f m/s after 5 s, %.4f m/s after 10 s", (double)before,
                 (double)after);
    CHECK(before > 0.5f && sdAbsF(after - before) < 0.01f * before);
    sdWorld_Destroy(run.world);
}

// ---- F7: dominoes (fig. 32, 18) ------------------------------------------------------------

SD_TEST(impulse_scene_dominoes_fall) {
    sdWorldDef def = defOf("dominoes");
    Run run = start("dominoes", &def, 16);
    go(&run, 600);
    CHECK(isAsItSays(&run));
    sdWorld_Destroy(run.world);
}

/// Each leans on the next, so that no one is lowest: a search that follows who is below whom would
/// not end.
SD_TEST(impulse_scene_domino_ring_does_not_hang) {
    sdWorldDef def = defOf("domino-ring");
    Run run = start("domino-ring", &def, 20);
    go(&run, 900);
    CHECK(isAsItSays(&run));
    sdWorld_Destroy(run.world);
}

// ---- F10: multiple pendulum (fig. 34) ------------------------------------------------------

SD_TEST(impulse_scene_pendulum_swings) {
    sdWorldDef def = defOf("pendulum");
    Run run = start("pendulum", &def, 0);
    go(&run, run.scene->stepCount);
    CHECK(isAsItSays(&run));
    sdWorld_Destroy(run.world);
}

// ---- F11: rigid pendulum (fig. 35) ---------------------------------------------------------

static void worstOfJoints(const Run* run, float* error, float* angle) {
    sdJointId joints[64];
    int count = sdMinI(sdWorld_GetJoints(run->world, joints, 64), 64);
    for (int i = 0; i < count; ++i) {
        float turned;
        *error = sdMaxF(*error, sdJoint_GetError(run->world, joints[i], &turned));
        *angle = sdMaxF(*angle, turned);
    }
}

static void swingRigid(const sdWorldDef* def, float* error, float* angle) {
    Run run = start("rigid-pendulum", def, 0);
    *error = *angle = 0.0f;
    for (int i = 0; i < 240; ++i) {
        go(&run, 1);
        worstOfJoints(&run, error, angle);
    }
    sdTest_Print("%s, %d passes: joints off by %.4f mm and %.4f mrad at most",
                 def->impulse.joints == SD_JOINTS_TOGETHER ? "together" : "one by one",
                 def->impulse.jointPassCount, 1e3 * (double)*error, 1e3 * (double)*angle);
    sdWorld_Destroy(run.world);
}

SD_TEST(impulse_scene_rigid_pendulum_needs_passes) {
    float error, angle;
    sdWorldDef def = defOf("rigid-pendulum");
    def.impulse.joints = SD_JOINTS_ONE_BY_ONE;
    swingRigid(&def, &error, &angle);
    CHECK(error < 0.002f && angle < 0.005f);
    // the failure: it bends and comes apart, ten times as far
    def.impulse.jointPassCount = 1;
    swingRigid(&def, &error, &angle);
    CHECK(error > 0.01f && angle > 0.03f);
}

SD_TEST(impulse_scene_rigid_pendulum_swings) {
    float error, angle;
    sdWorldDef def = defOf("rigid-pendulum");
    swingRigid(&def, &error, &angle);
    CHECK(error < 1e-4f && angle < 1e-4f);
    Run run = start("rigid-pendulum", &def, 0);
    go(&run, run.scene->stepCount);
    CHECK(isAsItSays(&run));
    sdWorld_Destroy(run.world);
}

// ---- F12: hinge and slider (fig. 36) -------------------------------------------------------

enum { HINGE_CUBE = 1, SLIDER_CUBE = 3 };

SD_TEST(impulse_scene_hinge_and_slider_move_along_their_freedoms) {
    sdWorldDef def = defOf("hinge-slider");
    for (int mode = 0; mode < SD_JOINTING_COUNT; ++mode) {
        def.impulse.joints = (sdImpulseJointing)mode;
        Run run = start("hinge-slider", &def, 0);
        sdWorldTransform hinge = poseOf(&run, HINGE_CUBE), slider = poseOf(&run, SLIDER_CUBE);
        float lowest = 0.0f;
        for (int i = 0; i < 40; ++i) {
            go(&run, 1);
            sdVec3 turned = sdPos_Sub(poseOf(&run, HINGE_CUBE).p, hinge.p);
            lowest = sdMinF(lowest, turned.y);
            CHECK_NEAR(turned.z, 0.0, 1e-5);
            CHECK_NEAR(sdLength(sdV3(turned.x - 0.5f, turned.y, 0.0f)), 0.5, 1e-5);
        }
        // semi-implicit Euler along the axis, 0.5 rad below the level
        float dt = run.scene->dt, way = 0.5f * 9.81f * sdSin(0.5f) * dt * dt * 40.0f * 41.0f;
        sdVec3 slid = sdPos_Sub(poseOf(&run, SLIDER_CUBE).p, slider.p);
        CHECK_NEAR(slid.x, way * sdCos(0.5f), 1e-3);
        CHECK_NEAR(slid.y, -way * sdSin(0.5f), 1e-3);
        CHECK_NEAR(slid.z, 0.0, 1e-5);
        CHECK(lowest < -0.4f);
        go(&run, run.scene->stepCount - 40);
        CHECK(isAsItSays(&run));
        sdWorld_Destroy(run.world);
    }
}
