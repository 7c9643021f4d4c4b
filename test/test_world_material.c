// SPDX-License-Identifier: MIT
// What materials do: bounces, sticking and sliding, rolling, spinning; against closed forms.

#include "world_support.h"

#include <math.h>

#define PI 3.14159265358979

static sdBodyId addOf(sdWorld* world, sdPos p, sdQuat q, sdShape shape, sdMaterial material) {
    sdShapeDef def = sdShapeDef_Default(shape);
    def.material = material;
    return TestWorld_AddBody(world, SD_BODY_DYNAMIC, p, q, def);
}

static sdQuat lying(void) {
    return sdQuat_FromAxisAngle(sdV3(1.0f, 0.0f, 0.0f), (float)(0.5 * PI));
}

/// Where what is measured depends on the length of a sub-step.
#define FINE_SUB_STEPS 8

// ---- bounces -------------------------------------------------------------------------------

SD_TEST(world_material_bounces_follow_the_powers_of_e) {
    for (float e = 0.6f; e < 0.95f; e += 0.15f) {
        sdWorldDef def = TestWorld_AwakeDef();
        def.subStepCount = FINE_SUB_STEPS;
        sdWorld* world = TestWorld_Make(def);
        sdMaterial material = {.restitution = e};
        TestWorld_AddFloor(world, material);
        sdBodyId ball = addOf(world, sdPos_Make(0.0, 2.5, 0.0), sdQuat_Identity(),
                              sdShape_Sphere(0.5f), material);
        double top = 0.0, expected = 2.0, worst = 0.0, smallest = 1.0;
        bool isRising = false;
        int bounces = 0;
        for (int i = 0; i < 1500; ++i) {
            TestWorld_Run(world, 1);
            double height = sdBody_GetCenter(world, ball).y - 0.5;
            bool rises = sdBody_GetVelocity(world, ball).y > 0.0f;
            top = rises && !isRising ? 0.0 : fmax(top, height);
            if (!rises && isRising && expected > 0.02) {
                expected *= (double)e * (double)e;
                bounces += 1;
                worst = fmax(worst, fabs(top / expected - 1.0));
                smallest = top;
            }
            isRising = rises;
        }
        sdTest_Print("restitution %.2f: %d bounces down to %.1f mm, within %.1f %%", (double)e,
                     bounces, smallest * 1e3, worst * 1e2);
        CHECK(bounces > 3);
        CHECK(worst < 0.12);
        // and then it lies still
        CHECK_NEAR(sdBody_GetCenter(world, ball).y, 0.5, 1e-3);
        CHECK_NEAR(sdLength(sdBody_GetVelocity(world, ball)), 0.0, 1e-3);
        sdWorld_Destroy(world);
    }
}

SD_TEST(world_material_flat_landing_bounces_without_turning) {
    sdShape shapes[] = {sdShape_Box(0.4f, 0.2f, 0.3f), sdShape_Cylinder(0.2f, 0.4f),
                        sdShape_Capsule(0.3f, 0.2f)};
    for (int i = 0; i < 3; ++i) {
        sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
        sdMaterial material = {.restitution = 0.5f};
        TestWorld_AddFloor(world, material);
        sdBodyId body = addOf(world, sdPos_Make(0.0, 1.2, 0.0),
                              i == 2 ? lying() : sdQuat_Identity(), shapes[i], material);
        double top = 0.0;
        bool hasBounced = false;
        for (int k = 0; k < 60; ++k) {
            TestWorld_Run(world, 1);
            hasBounced = hasBounced || sdBody_GetVelocity(world, body).y > 0.0f;
            top = hasBounced ? fmax(top, sdBody_GetCenter(world, body).y - 0.2) : 0.0;
        }
        CHECK_NEAR(top, 0.25, 0.01);
        CHECK_NEAR(sdLength(sdBody_GetAngularVelocity(world, body)), 0.0, 0.01);
        sdWorld_Destroy(world);
    }
}

/// The bounce does not depend on the speed of anything but the two that meet.
SD_TEST(world_material_restitution_is_the_same_on_what_moves) {
    sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
    sdMaterial material = {.restitution = 0.7f};
    sdBodyId a =
        addOf(world, sdPos_Make(-2.0, 0.0, 0.0), sdQuat_Identity(), sdShape_Sphere(0.5f), material);
    sdBodyId b =
        addOf(world, sdPos_Make(2.0, 0.0, 0.0), sdQuat_Identity(), sdShape_Sphere(0.5f), material);
    sdVec3 zero = {0.0f, 0.0f, 0.0f};
    CHECK_INT(sdBody_SetVelocity(world, a, sdV3(103.0f, 0.0f, 0.0f), zero), SD_OK);
    CHECK_INT(sdBody_SetVelocity(world, b, sdV3(97.0f, 0.0f, 0.0f), zero), SD_OK);
    TestWorld_Run(world, 60);
    CHECK_NEAR(sdBody_GetVelocity(world, a).x, 97.0 + 0.9, 0.01);
    CHECK_NEAR(sdBody_GetVelocity(world, b).x, 103.0 - 0.9, 0.01);
    sdWorld_Destroy(world);
}

/// A row of balls that touch hands a blow on: the last one leaves, all others rest.
SD_TEST(world_material_blow_goes_through_balls_that_touch) {
    sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
    sdMaterial material = {.restitution = 1.0f};
    sdBodyId balls[6];
    for (int i = 0; i < 6; ++i) {
        double x = i == 0 ? -0.5 : 0.2 * (i - 1);
        balls[i] = addOf(world, sdPos_Make(x, 0.0, 0.0), sdQuat_Identity(), sdShape_Sphere(0.1f),
                         material);
    }
    sdVec3 zero = {0.0f, 0.0f, 0.0f};
    CHECK_INT(sdBody_SetVelocity(world, balls[0], sdV3(1.0f, 0.0f, 0.0f), zero), SD_OK);
    TestWorld_Run(world, 60);
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(sdBody_GetVelocity(world, balls[i]).x, i == 5 ? 1.0 : 0.0, 1e-5);
    }
    sdWorld_Destroy(world);
}

/// Columns of elastic balls that fall on the floor and on each other neither gain nor lose energy.
SD_TEST(world_material_elastic_columns_keep_their_energy) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    sdMaterial material = {.restitution = 1.0f};
    TestWorld_AddFloor(world, material);
    sdBodyId balls[24];
    double start = 0.0, worst = 0.0;
    for (int i = 0; i < 24; ++i) {
        double off = 1e-3 * (i * 7 % 5);
        balls[i] = addOf(world, sdPos_Make(0.21 * (i % 4) + off, 1.1 + 0.21 * (i / 4), off),
                         sdQuat_Identity(), sdShape_Sphere(0.1f), material);
        start += GRAVITY * (sdBody_GetCenter(world, balls[i]).y - 0.1);
    }
    for (int k = 0; k < 300; ++k) {
        TestWorld_Run(world, 1);
        double energy = 0.0;
        for (int i = 0; i < 24; ++i) {
            double speed = (double)sdLength(sdBody_GetVelocity(world, balls[i]));
            energy += 0.5 * speed * speed + GRAVITY * (sdBody_GetCenter(world, balls[i]).y - 0.1);
        }
        worst = fmax(worst, fabs(energy / start - 1.0));
    }
    sdTest_Print("energy within %.2f %%", 100.0 * worst);
    CHECK(worst < 0.05);
    sdWorld_Destroy(world);
}

// ---- sticking and sliding ------------------------------------------------------------------

/// How far a box slides down a slope in a second after it was set on it.
static double slideDown(double tangent, sdMaterial material) {
    sdWorldDef def = TestWorld_AwakeDef();
    def.subStepCount = FINE_SUB_STEPS;
    double angle = atan(tangent);
    def.gravity = sdV3((float)(GRAVITY * sin(angle)), (float)(-GRAVITY * cos(angle)), 0.0f);
    sdWorld* world = TestWorld_Make(def);
    TestWorld_AddFloor(world, material);
    sdBodyId box = addOf(world, sdPos_Make(0.0, 0.2, 0.0), sdQuat_Identity(),
                         sdShape_Box(0.5f, 0.2f, 0.5f), material);
    TestWorld_Run(world, 60);
    double distance = sdBody_GetCenter(world, box).x;
    sdWorld_Destroy(world);
    return distance;
}

SD_TEST(world_material_sticks_by_one_friction_and_slides_by_the_other) {
    sdMaterial material = {.staticFriction = 0.6f, .slidingFriction = 0.3f};
    double below = slideDown(0.59, material), above = slideDown(0.62, material);
    double angle = atan(0.62);
    double expected = 0.5 * GRAVITY * (sin(angle) - 0.3 * cos(angle));
    sdTest_Print("%.4f mm below, %.3f m of %.3f m above", below * 1e3, above, expected);
    CHECK(fabs(below) < 1e-3);
    CHECK_NEAR(above, expected, 0.03 * expected);
}

SD_TEST(world_material_friction_is_the_same_in_every_direction) {
    double least = 1e9, most = 0.0;
    for (int i = 0; i < 12; ++i) {
        double angle = 2.0 * PI * i / 12.0 + 0.1;
        sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
        sdMaterial material = TestWorld_Friction(0.4f);
        TestWorld_AddFloor(world, material);
        sdBodyId box = addOf(world, sdPos_Make(0.0, 0.1, 0.0), sdQuat_Identity(),
                             sdShape_Box(0.5f, 0.1f, 0.3f), material);
        sdVec3 v = {(float)(4.0 * cos(angle)), 0.0f, (float)(4.0 * sin(angle))};
        CHECK_INT(sdBody_SetVelocity(world, box, v, sdV3(0.0f, 0.0f, 0.0f)), SD_OK);
        TestWorld_Run(world, 30);
        sdVec3 now = sdBody_GetVelocity(world, box);
        double speed = (double)sdLength(now);
        least = fmin(least, speed);
        most = fmax(most, speed);
        // it does not turn off its way
        CHECK_NEAR(sdLength(sdCross(now, v)) / 16.0f, 0.0, 2e-3);
        sdWorld_Destroy(world);
    }
    sdTest_Print("after half a second %.4f .. %.4f m/s of %.4f m/s", least, most,
                 4.0 - 0.4 * GRAVITY * 0.5);
    CHECK_NEAR(least, 4.0 - 0.4 * GRAVITY * 0.5, 0.01);
    CHECK(most - least < 2e-3);
}

SD_TEST(world_material_combine_rules) {
    static const struct {
        sdCombine rule;
        double friction;
    } cases[] = {{SD_COMBINE_GEOMETRIC_MEAN, 0.4},
                 {SD_COMBINE_AVERAGE, 0.5},
                 {SD_COMBINE_MINIMUM, 0.2},
                 {SD_COMBINE_MAXIMUM, 0.8},
                 {SD_COMBINE_PRODUCT, 0.16}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sdWorldDef def = TestWorld_AwakeDef();
        sdWorld* world = TestWorld_Make(def);
        TestWorld_AddFloor(world, TestWorld_Friction(0.2f));
        sdBodyId box = addOf(world, sdPos_Make(0.0, 0.1, 0.0), sdQuat_Identity(),
                             sdShape_Box(0.5f, 0.1f, 0.5f), TestWorld_Friction(0.8f));
        // a rule that changes counts for contacts that are there
        TestWorld_Run(world, 5);
        def.combineFriction = cases[i].rule;
        CHECK_INT(sdWorld_SetDef(world, &def), SD_OK);
        CHECK_INT(sdBody_SetVelocity(world, box, sdV3(5.0f, 0.0f, 0.0f), sdV3(0.0f, 0.0f, 0.0f)),
                  SD_OK);
        TestWorld_Run(world, 30);
        CHECK_NEAR(sdBody_GetVelocity(world, box).x, 5.0 - cases[i].friction * GRAVITY * 0.5, 0.02);
        sdWorld_Destroy(world);
    }
}

// ---- rolling and spinning ------------------------------------------------------------------

SD_TEST(world_material_round_bodies_roll_to_rest_by_rolling_friction) {
    // moment of inertia over m r²
    const double capsule =
        (0.5 * 0.4 * 2.0 + 0.4 * 4.0 / 3.0 * 0.3) / (0.4 * 2.0 + 4.0 / 3.0 * 0.3);
    const struct {
        sdShape shape;
        sdQuat rotation;
        double inertia;
    } cases[] = {{sdShape_Sphere(0.3f), sdQuat_Identity(), 0.4},
                 {sdShape_Cylinder(0.4f, 0.3f), lying(), 0.5},
                 {sdShape_Capsule(0.4f, 0.3f), lying(), capsule}};
    for (int i = 0; i < 3; ++i) {
        sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
        sdMaterial material = {0.8f, 0.8f, 0.0f, 0.02f, 0.0f};
        TestWorld_AddFloor(world, material);
        sdBodyId body =
            addOf(world, sdPos_Make(0.0, 0.3, 0.0), cases[i].rotation, cases[i].shape, material);
        CHECK_INT(sdBody_SetVelocity(world, body, sdV3(1.5f, 0.0f, 0.0f), sdV3(0.0f, 0.0f, -5.0f)),
                  SD_OK);
        // torque c m g about the line of contact
        double slowing = 0.02 * GRAVITY / (0.3 * (1.0 + cases[i].inertia));
        TestWorld_Run(world, 60);
        double v = (double)sdBody_GetVelocity(world, body).x;
        sdTest_Print("shape %d: %.4f m/s of %.4f m/s", i, v, 1.5 - slowing);
        CHECK_NEAR(v, 1.5 - slowing, 0.01);
        CHECK_NEAR(v, -0.3 * (double)sdBody_GetAngularVelocity(world, body).z, 0.01);
        TestWorld_Run(world, (int)(60.0 * 1.5 / slowing) - 50);
        CHECK_NEAR(sdLength(sdBody_GetVelocity(world, body)), 0.0, 2e-3);
        sdWorld_Destroy(world);
    }
}

SD_TEST(world_material_rolling_friction_does_not_hold_a_box_that_slides) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    sdMaterial material = {0.2f, 0.2f, 0.0f, 0.1f, 0.1f};
    TestWorld_AddFloor(world, material);
    sdBodyId box = addOf(world, sdPos_Make(0.0, 0.1, 0.0), sdQuat_Identity(),
                         sdShape_Box(0.5f, 0.1f, 0.5f), material);
    CHECK_INT(sdBody_SetVelocity(world, box, sdV3(3.0f, 0.0f, 0.0f), sdV3(0.0f, 0.0f, 0.0f)),
              SD_OK);
    TestWorld_Run(world, 60);
    CHECK_NEAR(sdBody_GetVelocity(world, box).x, 3.0 - 0.2 * GRAVITY, 0.01);
    CHECK_NEAR(sdLength(sdBody_GetAngularVelocity(world, box)), 0.0, 1e-3);
    sdWorld_Destroy(world);
}

/// Time in which a spinning body comes to rest.
static double spinDown(sdShape shape, double height, sdMaterial material, float spin) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    TestWorld_AddFloor(world, material);
    sdBodyId body = addOf(world, sdPos_Make(0.0, height, 0.0), sdQuat_Identity(), shape, material);
    CHECK_INT(sdBody_SetVelocity(world, body, sdV3(0.0f, 0.0f, 0.0f), sdV3(0.0f, spin, 0.0f)),
              SD_OK);
    int steps = 0;
    while (sdLength(sdBody_GetAngularVelocity(world, body)) > 1e-2f * spin && steps < 1200) {
        TestWorld_Run(world, 1);
        steps += 1;
    }
    sdPos p = sdBody_GetCenter(world, body);
    CHECK_NEAR(hypot(p.x, p.z), 0.0, 5e-3);
    sdWorld_Destroy(world);
    return steps / 60.0;
}

SD_TEST(world_material_spinning_bodies_come_to_rest_in_time) {
    // a ball by spin friction alone: torque c m g
    sdMaterial ball = {0.5f, 0.5f, 0.0f, 0.0f, 0.01f};
    double expected = 10.0 * 0.4 * 0.3 * 0.3 / (0.01 * GRAVITY);
    double time = spinDown(sdShape_Sphere(0.3f), 0.3, ball, 10.0f);
    sdTest_Print("ball: %.2f s of %.2f s", time, expected);
    CHECK_NEAR(time, 0.99 * expected, 0.05);
    // a disc by sliding friction under an even pressure: torque 2/3 μ m g r
    sdMaterial disc = {0.5f, 0.3f, 0.0f, 0.0f, 0.0f};
    expected = 0.75 * 10.0 * 0.4 / (0.3 * GRAVITY);
    time = spinDown(sdShape_Cylinder(0.1f, 0.4f), 0.1, disc, 10.0f);
    sdTest_Print("disc: %.2f s of %.2f s", time, expected);
    CHECK_NEAR(time, 0.99 * expected, 0.05);
    // without spin friction a ball goes on
    sdMaterial none = {0.5f, 0.5f, 0.0f, 0.0f, 0.0f};
    CHECK(spinDown(sdShape_Sphere(0.3f), 0.3, none, 10.0f) >= 19.0);
}
