// SPDX-License-Identifier: MIT
// The world: free motion, friction, bounces, stacks, sleep, events, filters, bad input.

#include "world_support.h"

#include <math.h>

// ---- free motion ---------------------------------------------------------------------------

SD_TEST(world_projectile_flies_on_a_parabola) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    sdBodyId ball = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.0, 0.0),
                                         sdShapeDef_Default(sdShape_Sphere(0.5f)));
    CHECK_INT(sdBody_SetVelocity(world, ball, sdV3(3.0f, 10.0f, 0.0f), sdV3(0.0f, 0.0f, 0.0f)),
              SD_OK);
    TestWorld_Run(world, 60);
    sdPos p = sdBody_GetCenter(world, ball);
    // sub-steps would be below it by g h t / 2, 14 mm
    CHECK_NEAR(p.x, 3.0, 1e-5);
    CHECK_NEAR(p.y, 10.0 - 0.5 * GRAVITY, 1e-5);
    CHECK_NEAR(sdBody_GetVelocity(world, ball).y, 10.0 - GRAVITY, 1e-4);
    CHECK_NEAR(sdWorld_GetTime(world), 1.0, 1e-6);
    sdWorld_Destroy(world);
}

SD_TEST(world_damping_decays_exponentially) {
    sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
    sdBodyId ball = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.0, 0.0),
                                         sdShapeDef_Default(sdShape_Sphere(0.5f)));
    CHECK_INT(sdBody_SetDamping(world, ball, 0.5f, 0.25f), SD_OK);
    CHECK_INT(sdBody_SetVelocity(world, ball, sdV3(2.0f, 0.0f, 0.0f), sdV3(0.0f, 4.0f, 0.0f)),
              SD_OK);
    TestWorld_Run(world, 120);
    CHECK_NEAR(sdBody_GetVelocity(world, ball).x, 2.0 * exp(-1.0), 2e-3);
    CHECK_NEAR(sdBody_GetAngularVelocity(world, ball).y, 4.0 * exp(-0.5), 2e-3);
    sdWorld_Destroy(world);
}

/// Free rotation about the middle axis flips over with the period of Jacobi's elliptic functions:
/// 4 K(m) / lambda. Returns the time between the first and the third change of sign of ω_y.
static double flipPeriod(sdIntegrator integrator, int subSteps, double* energyError) {
    sdWorldDef def = TestWorld_FreeDef();
    def.integrator = integrator;
    def.subStepCount = subSteps;
    sdWorld* world = TestWorld_Make(def);
    sdBodyId body = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.0, 0.0),
                                         sdShapeDef_Default(sdShape_Box(0.05f, 0.2f, 0.45f)));
    sdVec3 w = {0.1f, 5.0f, 0.1f};
    CHECK_INT(sdBody_SetVelocity(world, body, sdV3(0.0f, 0.0f, 0.0f), w), SD_OK);
    sdMassProps mass = sdBody_GetMass(world, body);
    double energy0 = (double)sdDot(w, sdMulMV(mass.inertia, w));
    double crossings[3] = {0.0, 0.0, 0.0};
    int count = 0;
    double before = 5.0, worst = 0.0;
    for (int i = 0; i < 60 * 12 && count < 3; ++i) {
        TestWorld_Run(world, 1);
        sdQuat q = sdBody_GetTransform(world, body).q;
        sdVec3 local = sdInvRotate(q, sdBody_GetAngularVelocity(world, body));
        double now = (double)local.y;
        if ((now > 0.0) != (before > 0.0)) {
            crossings[count++] = sdWorld_GetTime(world) - (double)DT * now / (now - before);
        }
        before = now;
        double energy = (double)sdDot(local, sdMulMV(mass.inertia, local));
        worst = fmax(worst, fabs(energy / energy0 - 1.0));
    }
    *energyError = worst;
    sdWorld_Destroy(world);
    return count == 3 ? crossings[2] - crossings[0] : 0.0;
}

SD_TEST(world_free_rotation_has_the_period_of_jacobi) {
    // zeros of ω_y at 1.1660, 4.1944, 7.2228 s (scpeters' box)
    double expected = 7.2228 - 1.1660, energyError;
    double period = flipPeriod(SD_INTEGRATOR_SEMI_IMPLICIT, 4, &energyError);
    sdTest_Print("midpoint: period %.5f of %.5f s, energy within %.1e", period, expected,
                 energyError);
    CHECK_NEAR(period, expected, 1e-3 * expected);
    CHECK(energyError < 1e-3);
    period = flipPeriod(SD_INTEGRATOR_RK4, 4, &energyError);
    sdTest_Print("rk4: period %.5f s, energy within %.1e", period, energyError);
    CHECK_NEAR(period, expected, 1e-3 * expected);
    CHECK(energyError < 1e-3);
}

static void spring(void* user, const sdWorld* world, sdBodyId body, const sdMotionState* state,
                   sdVec3* force, sdVec3* torque) {
    (void)user;
    (void)torque;
    float mass = sdBody_GetMass(world, body).mass;
    *force = sdAdd(*force, sdV3(-mass * 25.0f * (float)state->center.x, 0.0f, 0.0f));
}

/// Error of an oscillator of 5 rad/s after one second.
static double springError(sdIntegrator integrator, int subSteps) {
    sdWorldDef def = TestWorld_FreeDef();
    def.integrator = integrator;
    def.subStepCount = subSteps;
    sdWorld* world = TestWorld_Make(def);
    sdBodyId ball = TestWorld_AddDynamic(world, sdPos_Make(1.0, 0.0, 0.0),
                                         sdShapeDef_Default(sdShape_Sphere(0.5f)));
    sdWorld_SetForceFcn(world, spring, NULL);
    for (int i = 0; i < 4; ++i) {
        CHECK_INT(sdWorld_Step(world, 0.25f), SD_OK);
    }
    double error = fabs(sdBody_GetCenter(world, ball).x - cos(5.0));
    sdWorld_Destroy(world);
    return error;
}

SD_TEST(world_integrators_have_their_order) {
    static const struct {
        sdIntegrator integrator;
        double order;
        int subSteps;
    } cases[] = {{SD_INTEGRATOR_SEMI_IMPLICIT, 1.0, 16},
                 {SD_INTEGRATOR_EXPLICIT_EULER, 1.0, 16},
                 {SD_INTEGRATOR_RK4, 4.0, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        double coarse = springError(cases[i].integrator, cases[i].subSteps);
        double fine = springError(cases[i].integrator, 2 * cases[i].subSteps);
        double order = log2(coarse / fine);
        sdTest_Print("integrator %d: error %.2e, %.2e with half the step: order %.2f",
                     (int)cases[i].integrator, coarse, fine, order);
        CHECK_NEAR(order, cases[i].order, 0.35);
    }
}

SD_TEST(world_momentum_is_kept_in_collisions) {
    sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
    TestRandom random = TestRandom_Make(5);
    sdBodyId bodies[20];
    for (int i = 0; i < 20; ++i) {
        sdVec3 p = TestRandom_InBox(&random, 2.0f);
        bodies[i] = TestWorld_AddDynamic(world, sdPos_Make((double)p.x, (double)p.y, (double)p.z),
                                         TestWorld_BoxOf(TestRandom_Float(&random, 0.2f, 0.5f)));
        sdVec3 v = sdScale(-1.0f, p);
        CHECK_INT(sdBody_SetVelocity(world, bodies[i], v, TestRandom_OnSphere(&random)), SD_OK);
    }
    sdVec3 before = {0.0f, 0.0f, 0.0f}, after = before;
    float scale = 0.0f;
    for (int i = 0; i < 20; ++i) {
        float mass = sdBody_GetMass(world, bodies[i]).mass;
        before = sdMulAdd(before, mass, sdBody_GetVelocity(world, bodies[i]));
        scale += mass;
    }
    TestWorld_Run(world, 120);
    for (int i = 0; i < 20; ++i) {
        float mass = sdBody_GetMass(world, bodies[i]).mass;
        after = sdMulAdd(after, mass, sdBody_GetVelocity(world, bodies[i]));
    }
    CHECK_NEAR(sdLength(sdSub(after, before)) / scale, 0.0, 1e-4);
    sdWorld_Destroy(world);
}

// ---- friction and bounces ------------------------------------------------------------------

/// How far a box slides down a slope in two seconds, once it has settled for half a second or, to
/// slide from rest, at once.
static double slide(double angle, float friction, int settleSteps) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    sdMaterial material = {.staticFriction = friction, .slidingFriction = friction};
    sdQuat tilt = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), (float)-angle);
    sdShapeDef slope = sdShapeDef_Default(sdShape_Box(50.0f, 1.0f, 5.0f));
    slope.material = material;
    TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), tilt, slope);
    sdShapeDef shape = TestWorld_BoxOf(0.5f);
    shape.material = material;
    sdVec3 start = sdRotate(tilt, sdV3(0.0f, 1.5f, 0.0f));
    sdPos p = {(double)start.x, (double)start.y, (double)start.z};
    sdBodyId box = TestWorld_AddBody(world, SD_BODY_DYNAMIC, p, tilt, shape);
    TestWorld_Run(world, settleSteps);
    p = sdBody_GetCenter(world, box);
    TestWorld_Run(world, 120);
    sdPos q = sdBody_GetCenter(world, box);
    double distance = hypot(q.x - p.x, q.y - p.y);
    sdWorld_Destroy(world);
    return distance;
}

SD_TEST(world_box_on_a_slope_slips_when_the_tangent_exceeds_friction) {
    for (double mu = 0.2; mu < 0.9; mu += 0.2) {
        double stuck = slide(atan(mu * 0.99), (float)mu, 30),
               slipping = slide(atan(mu * 1.01), (float)mu, 30);
        double angle = atan(mu * 1.5);
        double fast = slide(angle, (float)mu, 0);
        double expected = 0.5 * GRAVITY * (sin(angle) - mu * cos(angle)) * 4.0;
        sdTest_Print("friction %.1f: %.3f mm below, %.0f mm above; %.3f m of %.3f m at 1.5", mu,
                     stuck * 1e3, slipping * 1e3, fast, expected);
        CHECK(stuck < 3e-4);
        CHECK(slipping > 0.02);
        CHECK_NEAR(fast, expected, 0.03 * expected);
    }
}

SD_TEST(world_sliding_ball_comes_to_roll_at_five_sevenths) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    sdMaterial material = {.staticFriction = 0.3f, .slidingFriction = 0.3f};
    TestWorld_AddFloor(world, material);
    sdShapeDef shape = sdShapeDef_Default(sdShape_Sphere(0.5f));
    shape.material = material;
    sdBodyId ball = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.5, 0.0), shape);
    CHECK_INT(sdBody_SetVelocity(world, ball, sdV3(7.0f, 0.0f, 0.0f), sdV3(0.0f, 0.0f, 0.0f)),
              SD_OK);
    TestWorld_Run(world, 180);
    CHECK_NEAR(sdBody_GetVelocity(world, ball).x, 5.0, 0.02);
    CHECK_NEAR(sdBody_GetAngularVelocity(world, ball).z, -10.0, 0.04);
    sdWorld_Destroy(world);
}

SD_TEST(world_rolling_friction_stops_a_ball) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    sdMaterial material = sdMaterial_Default();
    material.rollingFriction = 0.01f;
    TestWorld_AddFloor(world, material);
    sdShapeDef shape = sdShapeDef_Default(sdShape_Sphere(0.5f));
    shape.material = material;
    sdBodyId ball = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.5, 0.0), shape);
    CHECK_INT(sdBody_SetVelocity(world, ball, sdV3(2.0f, 0.0f, 0.0f), sdV3(0.0f, 0.0f, -4.0f)),
              SD_OK);
    TestWorld_Run(world, 60);
    // torque c m g against 7/5 m r² about the point of contact
    double deceleration = 0.01 * GRAVITY / (1.4 * 0.5);
    CHECK_NEAR(sdBody_GetVelocity(world, ball).x, 2.0 - deceleration, 0.01);
    TestWorld_Run(world, 60 * 16);
    CHECK_NEAR(sdBody_GetVelocity(world, ball).x, 0.0, 1e-3);
    sdWorld_Destroy(world);
}

SD_TEST(world_ball_bounces_to_e_squared_of_its_height) {
    for (float e = 0.25f; e <= 1.0f; e += 0.25f) {
        sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
        sdMaterial material = sdMaterial_Default();
        material.restitution = e;
        TestWorld_AddFloor(world, material);
        sdShapeDef shape = sdShapeDef_Default(sdShape_Sphere(0.5f));
        shape.material = material;
        sdBodyId ball = TestWorld_AddDynamic(world, sdPos_Make(0.0, 5.5, 0.0), shape);
        double top = 0.0, before = 0.0;
        bool hasBounced = false;
        for (int i = 0; i < 300; ++i) {
            TestWorld_Run(world, 1);
            double v = (double)sdBody_GetVelocity(world, ball).y;
            hasBounced = hasBounced || (v > 0.0 && before < 0.0);
            before = v;
            if (hasBounced) {
                top = fmax(top, sdBody_GetCenter(world, ball).y - 0.5);
            }
            if (hasBounced && v < 0.0) {
                break;
            }
        }
        double expected = 5.0 * (double)e * (double)e;
        sdTest_Print("restitution %.2f: %.3f m of %.3f m", (double)e, top, expected);
        CHECK_NEAR(top, expected, 0.05 * expected + 0.02);
        sdWorld_Destroy(world);
    }
}

// ---- stacks, sleep, events -----------------------------------------------------------------

SD_TEST(world_stack_stands_and_sleeps) {
    sdWorld* world = TestWorld_Make(sdWorldDef_Default());
    TestWorld_AddFloor(world, sdMaterial_Default());
    sdBodyId bodies[8];
    for (int i = 0; i < 8; ++i) {
        bodies[i] =
            TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.5 + i, 0.0), TestWorld_BoxOf(0.5f));
    }
    TestWorld_Run(world, 180);
    sdPos top = sdBody_GetCenter(world, bodies[7]);
    sdTest_Print("top sank by %.2f mm, shifted by %.2f mm", (7.5 - top.y) * 1e3,
                 hypot(top.x, top.z) * 1e3);
    CHECK_NEAR(top.y, 7.5, 0.05);
    CHECK_NEAR(hypot(top.x, top.z), 0.0, 1e-3);
    CHECK_INT(sdWorld_GetStats(world).awakeCount, 0);
    // a push at the bottom wakes all of it
    CHECK_INT(sdBody_ApplyImpulse(world, bodies[0], sdV3(1.0f, 0.0f, 0.0f),
                                  sdBody_GetCenter(world, bodies[0])),
              SD_OK);
    CHECK_INT(sdWorld_GetStats(world).awakeCount, 8);
    // so does taking it away
    TestWorld_Run(world, 180);
    CHECK_INT(sdWorld_GetStats(world).awakeCount, 0);
    CHECK_INT(sdBody_Destroy(world, bodies[0]), SD_OK);
    CHECK_INT(sdWorld_GetStats(world).awakeCount, 7);
    TestWorld_Run(world, 60);
    CHECK(sdBody_GetCenter(world, bodies[1]).y < 1.0);
    sdWorld_Destroy(world);
}

SD_TEST(world_events_begin_and_end_once) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    TestWorld_AddFloor(world, sdMaterial_Default());
    sdBodyId box = TestWorld_AddDynamic(world, sdPos_Make(0.0, 1.0, 0.0), TestWorld_BoxOf(0.5f));
    sdShapeDef zone = TestWorld_BoxOf(1.0f);
    zone.isSensor = true;
    TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(3.0, 1.0, 0.0), sdQuat_Identity(), zone);
    int begins = 0, ends = 0, enters = 0, leaves = 0;
    for (int i = 0; i < 240; ++i) {
        if (i == 60) {
            sdBody_SetTransform(world, box, sdPos_Make(3.0, 3.0, 0.0), sdQuat_Identity());
        }
        if (i == 180) {
            sdBody_SetTransform(world, box, sdPos_Make(9.0, 3.0, 0.0), sdQuat_Identity());
        }
        TestWorld_Run(world, 1);
        sdWorldEvents events = sdWorld_GetEvents(world);
        begins += events.beginCount;
        ends += events.endCount;
        enters += events.sensorBeginCount;
        leaves += events.sensorEndCount;
    }
    CHECK_INT(begins, 3);
    CHECK_INT(ends, 2);
    CHECK_INT(enters, 1);
    CHECK_INT(leaves, 1);
    sdWorld_Destroy(world);
}

SD_TEST(world_filters_and_groups_keep_shapes_apart) {
    static const struct {
        sdFilter a, b;
        bool meets;
    } cases[] = {
        {{1, 0xFFFFFFFFu, 0}, {1, 0xFFFFFFFFu, 0}, true},
        {{1, 2, 0}, {1, 0xFFFFFFFFu, 0}, false},
        {{1, 2, 0}, {2, 1, 0}, true},
        {{1, 0, 7}, {1, 0, 7}, true},
        {{1, 0xFFFFFFFFu, -7}, {1, 0xFFFFFFFFu, -7}, false},
        {{1, 0xFFFFFFFFu, -7}, {1, 0xFFFFFFFFu, -8}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
        sdShapeDef below = TestWorld_BoxOf(0.5f), above = TestWorld_BoxOf(0.5f);
        below.filter = cases[i].a;
        above.filter = cases[i].b;
        TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(),
                          below);
        sdBodyId box = TestWorld_AddDynamic(world, sdPos_Make(0.0, 1.0, 0.0), above);
        TestWorld_Run(world, 60);
        CHECK((sdBody_GetCenter(world, box).y > 0.9) == cases[i].meets);
        sdWorld_Destroy(world);
    }
}

SD_TEST(world_locks_keep_bodies_in_the_plane) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    TestWorld_AddFloor(world, sdMaterial_Default());
    TestRandom random = TestRandom_Make(3);
    sdBodyId bodies[12];
    for (int i = 0; i < 12; ++i) {
        sdBodyDef def = sdBodyDef_Default();
        def.type = SD_BODY_DYNAMIC;
        def.locks = SD_LOCK_PLANAR;
        def.position = sdPos_Make((double)TestRandom_Float(&random, -1.0f, 1.0f), 1.0 + i, 0.0);
        def.rotation =
            sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), TestRandom_Float(&random, 0.0f, 3.0f));
        CHECK_INT(sdBody_Create(world, &def, &bodies[i]), SD_OK);
        sdShapeDef shape = TestWorld_BoxOf(0.4f);
        CHECK_INT(sdBody_AddShape(world, bodies[i], &shape, NULL), SD_OK);
    }
    TestWorld_Run(world, 240);
    for (int i = 0; i < 12; ++i) {
        CHECK_NEAR(sdBody_GetCenter(world, bodies[i]).z, 0.0, 1e-9);
        sdVec3 axis = sdRotate(sdBody_GetTransform(world, bodies[i]).q, sdV3(0.0f, 0.0f, 1.0f));
        CHECK_NEAR(axis.z, 1.0, 1e-5);
        CHECK(sdBody_GetCenter(world, bodies[i]).y > 0.3);
    }
    sdWorld_Destroy(world);
}

/// What turns about one axis only keeps its speed, however its tensor lies.
SD_TEST(world_locks_keep_the_spin_of_a_skew_body) {
    sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
    for (int axis = 0; axis < 3; ++axis) {
        float spin = axis == 2 ? 40.0f : 5.0f; // lanes, and what is too fast for them
        sdVec3 w = sdV3(axis == 0 ? spin : 0.0f, axis == 1 ? spin : 0.0f, axis == 2 ? spin : 0.0f);
        sdBodyDef def = sdBodyDef_Default();
        def.type = SD_BODY_DYNAMIC;
        def.position = sdPos_Make(5.0 * axis, 0.0, 0.0);
        def.rotation = sdQuat_FromRotationVector(sdV3(0.3f, 0.5f, -0.4f));
        def.velocity = sdV3(1.0f, 0.0f, 0.0f);
        def.angularVelocity = w;
        def.locks = (uint32_t)SD_LOCK_X | (56u & ~(8u << axis));
        sdBodyId body;
        CHECK_INT(sdBody_Create(world, &def, &body), SD_OK);
        sdShapeDef shape = sdShapeDef_Default(sdShape_Box(0.1f, 0.3f, 0.6f));
        CHECK_INT(sdBody_AddShape(world, body, &shape, NULL), SD_OK);
        sdVec3 before = sdInvRotate(def.rotation, w);
        TestWorld_Run(world, 120);
        sdVec3 spun = sdBody_GetAngularVelocity(world, body);
        sdVec3 after = sdInvRotate(sdBody_GetTransform(world, body).q, w);
        CHECK_NEAR(sdLength(sdSub(spun, w)), 0.0, 1e-5);
        // the axis stays where it is in the body
        CHECK_NEAR(sdLength(sdSub(after, before)) / spin, 0.0, 1e-4);
        CHECK_NEAR(sdBody_GetCenter(world, body).x, 5.0 * axis, 0.0);
    }
    sdWorld_Destroy(world);
}

SD_TEST(world_kinematic_platform_carries_a_box) {
    sdWorld* world = TestWorld_Make(sdWorldDef_Default());
    sdBodyId platform =
        TestWorld_AddBody(world, SD_BODY_KINEMATIC, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(),
                          sdShapeDef_Default(sdShape_Box(2.0f, 0.5f, 2.0f)));
    sdBodyId box = TestWorld_AddDynamic(world, sdPos_Make(0.0, 1.0, 0.0), TestWorld_BoxOf(0.5f));
    CHECK_INT(sdBody_SetVelocity(world, platform, sdV3(1.0f, 0.0f, 0.0f), sdV3(0.0f, 0.0f, 0.0f)),
              SD_OK);
    TestWorld_Run(world, 300);
    CHECK_NEAR(sdBody_GetCenter(world, platform).x, 5.0, 1e-3);
    CHECK_NEAR(sdBody_GetCenter(world, box).x, 5.0, 0.1);
    CHECK_NEAR(sdBody_GetVelocity(world, box).x, 1.0, 1e-3);
    sdWorld_Destroy(world);
}

SD_TEST(world_bodies_rest_on_meshes_and_compounds) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    sdMesh* ground = NULL;
    REQUIRE(sdModel_Create(NULL, SD_MODEL_POST, 1.0f, &ground) == SD_OK);
    sdCompoundChild children[2] = {
        {sdShape_Box(0.2f, 0.1f, 0.1f), {{-0.2f, 0.0f, 0.0f}, sdQuat_Identity()}},
        {sdShape_Sphere(0.15f), {{0.2f, 0.0f, 0.0f}, sdQuat_Identity()}}};
    sdCompound* dumbbell = NULL;
    REQUIRE(sdCompound_Create(NULL, children, 2, &dumbbell) == SD_OK);
    TestWorld_AddFloor(world, sdMaterial_Default());
    TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(3.0, 0.0, 0.0), sdQuat_Identity(),
                      sdShapeDef_Default(sdShape_Mesh(ground)));
    sdBodyId a = TestWorld_AddDynamic(world, sdPos_Make(0.0, 1.0, 0.0),
                                      sdShapeDef_Default(sdShape_Compound(dumbbell)));
    sdAABB box = sdMesh_GetBounds(ground);
    double top = (double)box.upper.y;
    sdBodyId b =
        TestWorld_AddDynamic(world, sdPos_Make(3.0, top + 0.6, 0.0), TestWorld_BoxOf(0.3f));
    TestWorld_Run(world, 240);
    CHECK(sdBody_GetCenter(world, a).y > 0.08 && sdBody_GetCenter(world, a).y < 0.2);
    CHECK_NEAR(sdLength(sdBody_GetVelocity(world, a)), 0.0, 0.02);
    CHECK(sdBody_GetCenter(world, b).y > 0.25);
    // references are kept by the world
    sdMesh_Release(ground);
    sdCompound_Release(dumbbell);
    TestWorld_Run(world, 10);
    sdWorld_Destroy(world);
}

// ---- same bits -----------------------------------------------------------------------------

static uint64_t hashOfPile(const sdContext* context, sdBroadphaseKind kind) {
    sdWorldDef def = sdWorldDef_Default();
    def.broadphase.kind = kind;
    sdWorld* world = NULL;
    CHECK_INT(sdWorld_Create(context, &def, &world), SD_OK);
    TestWorld_AddFloor(world, sdMaterial_Default());
    TestRandom random = TestRandom_Make(21);
    for (int i = 0; i < 120; ++i) {
        sdVec3 p = TestRandom_InBox(&random, 1.5f);
        float size = TestRandom_Float(&random, 0.1f, 0.3f);
        sdShape shapes[4] = {sdShape_Box(size, size, 1.5f * size), sdShape_Sphere(size),
                             sdShape_Capsule(size, size), sdShape_Cylinder(size, size)};
        TestWorld_AddBody(world, SD_BODY_DYNAMIC,
                          sdPos_Make((double)p.x, 1.0 + 0.15 * i, (double)p.z),
                          TestRandom_Rotation(&random), sdShapeDef_Default(shapes[i % 4]));
    }
    TestWorld_Run(world, 150);
    uint64_t hash = sdWorld_GetHash(world);
    sdWorld_Destroy(world);
    return hash;
}

SD_TEST(world_parallel_steps_give_the_same_bits) {
    uint64_t expected = hashOfPile(NULL, sdBroadphaseDef_Default().kind);
    for (int workers = 2; workers <= 4; workers *= 2) {
        sdScheduler* scheduler = NULL;
        REQUIRE(sdScheduler_Create(NULL, workers, &scheduler) == SD_OK);
        sdContext context = sdContext_Default();
        context.tasks = sdScheduler_GetTasks(scheduler);
        CHECK(hashOfPile(&context, sdBroadphaseDef_Default().kind) == expected);
        sdScheduler_Destroy(scheduler);
    }
    CHECK(hashOfPile(NULL, SD_BROADPHASE_BRUTE) == expected);
    sdTest_Print("hash %016llx", (unsigned long long)expected);
}

// ---- bad input -----------------------------------------------------------------------------

SD_TEST(world_bad_input_is_refused) {
    TestContext test;
    TestContext_Init(&test);
    sdWorld* world = NULL;
    REQUIRE(sdWorld_Create(&test.context, NULL, &world) == SD_OK);
    float nan = TestNaN();
    float bad[] = {0.0f, -1.0f, nan, TestInfinity(), 2.0f};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        CHECK_INT(sdWorld_Step(world, bad[i]), SD_ERROR_INVALID_ARGUMENT);
    }
    sdBodyDef def = sdBodyDef_Default();
    sdBodyId id;
    def.position.x = (double)TestNaN();
    CHECK_INT(sdBody_Create(world, &def, &id), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(id, SD_NULL_BODY);
    def = sdBodyDef_Default();
    def.rotation = (sdQuat){{0.0f, 0.0f, 0.0f}, 2.0f};
    CHECK_INT(sdBody_Create(world, &def, &id), SD_ERROR_INVALID_ARGUMENT);
    def = sdBodyDef_Default();
    def.velocity.y = TestInfinity();
    CHECK_INT(sdBody_Create(world, &def, &id), SD_ERROR_INVALID_ARGUMENT);
    def = sdBodyDef_Default();
    def.type = SD_BODY_DYNAMIC;
    CHECK_INT(sdBody_Create(world, &def, &id), SD_OK);
    sdShapeDef shape = sdShapeDef_Default(sdShape_Sphere(-1.0f));
    CHECK_INT(sdBody_AddShape(world, id, &shape, NULL), SD_ERROR_INVALID_ARGUMENT);
    shape = sdShapeDef_Default(sdShape_HalfSpace());
    CHECK_INT(sdBody_AddShape(world, id, &shape, NULL), SD_ERROR_INVALID_ARGUMENT);
    shape = TestWorld_BoxOf(0.5f);
    shape.material.staticFriction = -1.0f;
    CHECK_INT(sdBody_AddShape(world, id, &shape, NULL), SD_ERROR_INVALID_ARGUMENT);
    shape = TestWorld_BoxOf(0.5f);
    shape.density = nan;
    CHECK_INT(sdBody_AddShape(world, id, &shape, NULL), SD_ERROR_INVALID_ARGUMENT);
    // forces that overflow are clamped: the world stays finite
    shape = TestWorld_BoxOf(0.5f);
    CHECK_INT(sdBody_AddShape(world, id, &shape, NULL), SD_OK);
    CHECK_INT(sdBody_ApplyForceToCenter(world, id, sdV3(3e38f, 0.0f, 0.0f)), SD_OK);
    CHECK_INT(sdWorld_Step(world, DT), SD_OK);
    CHECK(sdVec3_IsFinite(sdBody_GetVelocity(world, id)));
    CHECK(sdPos_IsFinite(sdBody_GetCenter(world, id)));
    CHECK_INT(sdBody_Destroy(world, id), SD_OK);
    CHECK_INT(sdBody_Destroy(world, id), SD_ERROR_STALE_ID);
    CHECK_INT(sdBody_SetVelocity(world, id, sdV3(0.0f, 0.0f, 0.0f), sdV3(0.0f, 0.0f, 0.0f)),
              SD_ERROR_STALE_ID);
    CHECK(!sdBody_IsValid(world, id));
    sdWorld_Destroy(world);
    TestContext_Finish(&test);
}

static bool destroyInCallback(void* user, const sdWorld* world, sdShapeId a, sdShapeId b) {
    (void)b;
    // a filter has only a const world; what a user would do is cast it away
    sdResult* result = (sdResult*)user;
    *result = sdBody_Destroy((sdWorld*)(uintptr_t)world, sdShapeId_GetBody(world, a));
    return true;
}

SD_TEST(world_is_locked_while_it_steps) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    TestWorld_AddFloor(world, sdMaterial_Default());
    sdBodyId box = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.5, 0.0), TestWorld_BoxOf(0.5f));
    sdResult result = SD_OK;
    sdWorld_SetFilterFcn(world, destroyInCallback, &result);
    TestWorld_Run(world, 2);
    CHECK_INT(result, SD_ERROR_LOCKED);
    CHECK(sdBody_IsValid(world, box));
    sdWorld_Destroy(world);
}

static sdResult buildAndStep(const sdContext* context, void* arg) {
    (void)arg;
    sdWorld* world;
    sdResult result = sdWorld_Create(context, NULL, &world);
    if (result != SD_OK) {
        return result;
    }
    sdBodyDef def = sdBodyDef_Default();
    sdShapeDef shape = TestWorld_BoxOf(0.5f);
    for (int i = 0; i < 6 && result == SD_OK; ++i) {
        sdBodyId body;
        def.type = i == 0 ? SD_BODY_STATIC : SD_BODY_DYNAMIC;
        def.position = sdPos_Make(0.2 * i, 0.95 * i, 0.0);
        result = sdBody_Create(world, &def, &body);
        if (result == SD_OK) {
            result = sdBody_AddShape(world, body, &shape, NULL);
        }
    }
    for (int i = 0; i < 3 && result == SD_OK; ++i) {
        result = sdWorld_Step(world, DT);
        // one that failed can be made again, now that there is memory
        CHECK(result == SD_OK || sdWorld_Step(world, DT) == SD_OK);
    }
    sdWorld_Destroy(world);
    return result;
}

SD_TEST(world_survives_every_failing_allocation) {
    int count = TestContext_FailEach(buildAndStep, NULL);
    sdTest_Print("%d allocations", count);
}

SD_TEST(world_warm_steps_allocate_nothing) {
    TestContext test;
    TestContext_Init(&test);
    sdWorldDef def = TestWorld_AwakeDef();
    sdWorld* world = NULL;
    REQUIRE(sdWorld_Create(&test.context, &def, &world) == SD_OK);
    TestWorld_AddFloor(world, sdMaterial_Default());
    for (int i = 0; i < (TestIsShort() ? 20 : 60); ++i) {
        TestWorld_AddDynamic(world, sdPos_Make(0.3 * (i % 5), 0.5 + 0.9 * (i / 5), 0.2 * (i % 3)),
                             TestWorld_BoxOf(0.3f));
    }
    TestWorld_Run(world, 300);
    int count = test.allocationCount;
    TestWorld_Run(world, 60);
    CHECK_INT(test.allocationCount, count);
    sdWorld_Destroy(world);
    TestContext_Finish(&test);
}
