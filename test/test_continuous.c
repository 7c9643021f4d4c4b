// SPDX-License-Identifier: MIT
// test_continuous.c - nothing passes through anything, however fast, small or thin.

#include "world_support.h"

#include <math.h>

#define FAST 200.0f

static sdShapeDef shapeOf(sdShape shape, float restitution, float friction) {
    sdShapeDef def = sdShapeDef_Default(shape);
    def.material = TestWorld_Friction(friction);
    def.material.restitution = restitution;
    return def;
}

static sdBodyId addFlying(sdWorld* world, sdPos position, sdShapeDef shape, sdVec3 velocity,
                          sdVec3 spin) {
    sdBodyId body = TestWorld_AddDynamic(world, position, shape);
    CHECK_INT(sdBody_SetVelocity(world, body, velocity, spin), SD_OK);
    return body;
}

// ---- one against one -----------------------------------------------------------------------

/// A ball of 1 cm at 200 m/s from every distance of a step, along x, against what stands at 0.
/// @return how many came to x > 0.1
static int shoot(sdShapeDef target, bool isDynamic, float restitution) {
    int passed = 0;
    for (int i = 0; i < 40; ++i) {
        sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
        sdBodyType type = isDynamic ? SD_BODY_DYNAMIC : SD_BODY_STATIC;
        sdBodyId wall =
            TestWorld_AddBody(world, type, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(), target);
        sdPos start = {-1.0 - 0.09 * (double)i, 0.013, 0.021};
        sdBodyId ball = addFlying(world, start, shapeOf(sdShape_Sphere(0.01f), restitution, 0.3f),
                                  sdV3(FAST, 1.0f, 0.0f), sdV3(0.0f, 0.0f, 0.0f));
        TestWorld_Run(world, 6);
        double ahead = sdBody_GetCenter(world, ball).x - sdBody_GetCenter(world, wall).x;
        passed += ahead > 0.0 ? 1 : 0;
        sdVec3 v = sdBody_GetVelocity(world, ball);
        if (!isDynamic) {
            CHECK(fabsf(v.x + restitution * FAST) < 0.02f * FAST);
        }
        sdWorld_Destroy(world);
    }
    return passed;
}

SD_TEST(ccd_a_ball_does_not_pass_a_wall) {
    CHECK_INT(shoot(shapeOf(sdShape_Box(0.005f, 2.0f, 2.0f), 0.0f, 0.3f), false, 0.5f), 0);
    CHECK_INT(shoot(shapeOf(sdShape_Box(0.005f, 2.0f, 2.0f), 0.0f, 0.3f), false, 0.0f), 0);
    CHECK_INT(shoot(shapeOf(sdShape_Box(0.0005f, 2.0f, 2.0f), 0.0f, 0.3f), false, 1.0f), 0);
}

SD_TEST(ccd_a_ball_does_not_pass_a_plate_that_moves) {
    CHECK_INT(shoot(shapeOf(sdShape_Box(0.0005f, 0.5f, 0.5f), 0.0f, 0.3f), true, 0.5f), 0);
    CHECK_INT(shoot(shapeOf(sdShape_Box(0.0005f, 0.5f, 0.5f), 0.0f, 0.3f), true, 0.0f), 0);
}

static sdMesh* makeSheet(void) {
    sdVec3 vertices[4] = {
        {0.0f, -2.0f, -2.0f}, {0.0f, 2.0f, -2.0f}, {0.0f, 2.0f, 2.0f}, {0.0f, -2.0f, 2.0f}};
    int32_t triangles[6] = {0, 2, 1, 0, 3, 2};
    sdMeshDef def = sdMeshDef_Default();
    def.data = (sdMeshData){vertices, 4, triangles, 2};
    sdMesh* mesh = NULL;
    CHECK_INT(sdMesh_Create(NULL, &def, &mesh), SD_OK);
    return mesh;
}

SD_TEST(ccd_a_ball_does_not_pass_an_open_mesh) {
    sdMesh* mesh = makeSheet();
    CHECK_INT(shoot(shapeOf(sdShape_Mesh(mesh), 0.0f, 0.3f), false, 0.5f), 0);
    sdMesh_Release(mesh);
}

SD_TEST(ccd_there_is_no_stop_at_the_time_of_impact) {
    // where a ball is after each step is where its reflected way says
    for (int i = 0; i < 30; ++i) {
        sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
        TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(),
                          shapeOf(sdShape_Box(0.05f, 2.0f, 2.0f), 1.0f, 0.0f));
        double start = -3.0 - 0.11 * (double)i;
        sdBodyId ball = addFlying(world, sdPos_Make(start, 0.0, 0.0),
                                  shapeOf(sdShape_Sphere(0.01f), 1.0f, 0.0f),
                                  sdV3(FAST, 3.0f, 0.0f), sdV3(0.0f, 0.0f, 0.0f));
        for (int j = 1; j < 5; ++j) {
            TestWorld_Run(world, 1);
            double way = start + (double)FAST * (double)j * (double)DT, turn = -0.06;
            double expected = way < turn ? way : 2.0 * turn - way;
            CHECK_NEAR(sdBody_GetCenter(world, ball).x, expected, 1e-3);
        }
        sdWorld_Destroy(world);
    }
}

SD_TEST(ccd_two_bullets_bounce_off_each_other) {
    for (int i = 0; i < 60; ++i) {
        float restitution = 0.5f * (float)(i % 3);
        sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
        sdShapeDef light = shapeOf(sdShape_Sphere(0.01f), restitution, 0.0f);
        sdShapeDef heavy = light;
        heavy.density = 3.0f * light.density;
        sdBodyId a = addFlying(world, sdPos_Make(-1.0 - 0.07 * (double)i, 0.0, 0.0), light,
                               sdV3(FAST, 0.0f, 0.0f), sdV3(0.0f, 0.0f, 0.0f));
        sdBodyId b = addFlying(world, sdPos_Make(1.3, 0.0, 0.0), heavy, sdV3(-FAST, 0.0f, 0.0f),
                               sdV3(0.0f, 0.0f, 0.0f));
        TestWorld_Run(world, 4);
        double va = (double)sdBody_GetVelocity(world, a).x;
        double vb = (double)sdBody_GetVelocity(world, b).x;
        CHECK_NEAR(va + 3.0 * vb, -2.0 * (double)FAST, 0.01);
        CHECK_NEAR(vb - va, 2.0 * (double)(restitution * FAST), 0.02);
        CHECK(sdBody_GetCenter(world, a).x < sdBody_GetCenter(world, b).x);
        sdWorld_Destroy(world);
    }
}

SD_TEST(ccd_a_bounce_within_a_step_is_told) {
    sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
    sdBodyId wall =
        TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(),
                          shapeOf(sdShape_Box(0.05f, 2.0f, 2.0f), 1.0f, 0.0f));
    sdBodyId ball =
        addFlying(world, sdPos_Make(-5.0, 0.5, 0.0), shapeOf(sdShape_Sphere(0.01f), 1.0f, 0.0f),
                  sdV3(FAST, 0.0f, 0.0f), sdV3(0.0f, 0.0f, 0.0f));
    int total = 0;
    for (int i = 0; i < 5; ++i) {
        TestWorld_Run(world, 1);
        sdWorldEvents events = sdWorld_GetEvents(world);
        CHECK_INT(events.beginCount + events.endCount, 0);
        total += events.hitCount;
        if (events.hitCount > 0) {
            const sdHitEvent* hit = &events.hits[0];
            CHECK_INT(i, 1);
            CHECK(sdShapeId_GetBody(world, hit->shapeA) == ball);
            CHECK(sdShapeId_GetBody(world, hit->shapeB) == wall);
            CHECK_NEAR(hit->speed, FAST, 1e-2);
            CHECK_NEAR(hit->normal.x, 1.0, 1e-5);
            CHECK_NEAR(hit->point.x, -0.05, 1e-3);
            CHECK_NEAR(hit->point.y, 0.5, 1e-3);
            double mass = (double)sdBody_GetMass(world, ball).mass;
            CHECK_NEAR(hit->impulse, 2.0 * mass * (double)FAST, 1e-3 * mass * (double)FAST);
        }
    }
    CHECK_INT(total, 1);
    sdWorld_Destroy(world);
}

SD_TEST(ccd_a_rod_that_spins_hits_a_peg_with_its_tip) {
    int missed = 0;
    for (int i = 0; i < 50; ++i) {
        sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
        TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.95, 0.0, 0.0), sdQuat_Identity(),
                          shapeOf(sdShape_Cylinder(0.3f, 0.005f), 0.5f, 0.0f));
        sdShapeDef rod = shapeOf(sdShape_Box(0.005f, 0.005f, 1.0f), 0.5f, 0.0f);
        // a sixth of a turn in a step, from every angle of it
        sdBodyId body = TestWorld_AddBody(
            world, SD_BODY_DYNAMIC, sdPos_Make(0.0, 0.0, 0.0),
            sdQuat_FromAxisAngle(sdV3(0.0f, 1.0f, 0.0f), 0.1f + 0.02f * (float)i), rod);
        CHECK_INT(sdBody_SetVelocity(world, body, sdV3(0.0f, 0.0f, 0.0f), sdV3(0.0f, 60.0f, 0.0f)),
                  SD_OK);
        TestWorld_Run(world, 4);
        missed += sdBody_GetAngularVelocity(world, body).y > 59.0f ? 1 : 0;
        sdWorld_Destroy(world);
    }
    CHECK_INT(missed, 0);
}

SD_TEST(ccd_a_bullet_drives_into_a_pile) {
    sdWorld* world = TestWorld_Make(sdWorldDef_Default());
    TestWorld_AddFloor(world, TestWorld_Friction(0.6f));
    sdBodyId boxes[5];
    for (int i = 0; i < 5; ++i) {
        boxes[i] = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.1 + 0.2 * (double)i, 0.0),
                                        TestWorld_BoxOf(0.1f));
    }
    TestWorld_Run(world, 120);
    CHECK(!sdBody_IsAwake(world, boxes[4]));
    sdBodyId ball =
        addFlying(world, sdPos_Make(-5.0, 0.5, 0.0), shapeOf(sdShape_Sphere(0.02f), 0.0f, 0.5f),
                  sdV3(FAST, 0.0f, 0.0f), sdV3(0.0f, 0.0f, 0.0f));
    float momentum = sdBody_GetMass(world, ball).mass * FAST;
    TestWorld_Run(world, 2);
    CHECK(sdBody_IsAwake(world, boxes[2]));
    CHECK(sdBody_GetCenter(world, ball).x < sdBody_GetCenter(world, boxes[2]).x);
    float sum = sdBody_GetMass(world, ball).mass * sdBody_GetVelocity(world, ball).x;
    for (int i = 0; i < 5; ++i) {
        sum += sdBody_GetMass(world, boxes[i]).mass * sdBody_GetVelocity(world, boxes[i]).x;
    }
    CHECK_NEAR(sum, momentum, 0.1f * momentum);
    sdWorld_Destroy(world);
}

SD_TEST(ccd_filters_and_sensors_hold) {
    sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
    sdShapeDef wall = shapeOf(sdShape_Box(0.05f, 2.0f, 2.0f), 0.0f, 0.3f);
    wall.isSensor = true;
    TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(), wall);
    wall.isSensor = false;
    wall.filter.category = 2u;
    TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(1.0, 0.0, 0.0), sdQuat_Identity(), wall);
    sdShapeDef ball = shapeOf(sdShape_Sphere(0.01f), 0.0f, 0.0f);
    ball.filter.mask = ~2u;
    sdBodyId body = addFlying(world, sdPos_Make(-3.0, 0.0, 0.0), ball, sdV3(FAST, 0.0f, 0.0f),
                              sdV3(0.0f, 0.0f, 0.0f));
    TestWorld_Run(world, 6);
    CHECK_NEAR(sdBody_GetCenter(world, body).x, -3.0 + 20.0, 1e-3);
    sdWorld_Destroy(world);
}

SD_TEST(ccd_flag_of_a_body) {
    sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
    sdBodyId body = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.0, 0.0), TestWorld_BoxOf(0.1f));
    CHECK(!sdBody_IsBullet(world, body));
    CHECK_INT(sdBody_SetBullet(world, body, true), SD_OK);
    CHECK(sdBody_IsBullet(world, body));
    CHECK_INT(sdBody_SetBullet(world, SD_NULL_BODY, true), SD_ERROR_STALE_ID);
    CHECK_INT(sdBody_SetBullet(NULL, body, true), SD_ERROR_INVALID_ARGUMENT);
    CHECK(!sdBody_IsBullet(NULL, body));
    sdWorld_Destroy(world);
}

// ---- slow ----------------------------------------------------------------------------------

static uint64_t throwSlowly(bool isContinuous) {
    sdWorldDef def = sdWorldDef_Default();
    def.enableContinuous = isContinuous;
    sdWorld* world = TestWorld_Make(def);
    TestWorld_AddFloor(world, TestWorld_Friction(0.6f));
    for (int i = 0; i < 20; ++i) {
        sdPos p = {0.45 * (double)(i % 4), 0.25 + 0.45 * (double)(i / 4), 0.1 * (double)(i % 3)};
        sdBodyId body = TestWorld_AddDynamic(world, p, TestWorld_BoxOf(0.2f));
        CHECK_INT(sdBody_SetVelocity(world, body, sdV3(2.0f, 0.0f, 0.0f), sdV3(1.0f, 2.0f, 0.0f)),
                  SD_OK);
    }
    TestWorld_Run(world, 120);
    uint64_t hash = sdWorld_GetHash(world);
    sdWorld_Destroy(world);
    return hash;
}

SD_TEST(ccd_slow_scenes_do_not_know_of_it) {
    CHECK(throwSlowly(true) == throwSlowly(false));
}

// ---- parts ---------------------------------------------------------------------------------

SD_TEST(ccd_what_whirls_keeps_its_energy) {
    // bodies that turn by up to 200 rad in a step, in the air
    for (int i = 0; i < 6; ++i) {
        sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
        sdShapeDef shape = shapeOf(sdShape_Box(0.02f, 0.03f, 0.01f), 1.0f, 0.0f);
        float spin = 100.0f * (float)(1 << i) * 3.7f;
        sdBodyId body = addFlying(world, sdPos_Make(0.0, 0.0, 0.0), shape, sdV3(1.0f, 0.0f, 0.0f),
                                  sdScale(spin, sdNormalize(sdV3(1.0f, 2.0f, 3.0f))));
        sdMat33 inertia = sdBody_GetMass(world, body).inertia;
        sdVec3 w = sdBody_GetLocalVector(world, body, sdBody_GetAngularVelocity(world, body));
        double before = (double)sdDot(w, sdMulMV(inertia, w));
        TestWorld_Run(world, 60);
        w = sdBody_GetLocalVector(world, body, sdBody_GetAngularVelocity(world, body));
        CHECK_NEAR((double)sdDot(w, sdMulMV(inertia, w)) / before, 1.0, 1e-3);
        sdWorld_Destroy(world);
    }
}
