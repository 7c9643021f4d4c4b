// SPDX-License-Identifier: MIT
// Joints in their world: breaking, colliding, sleeping, bad input, memory, same bits everywhere.

#include "joint_support.h"
#include "simd_level.h"
#include "sudar/snapshot.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static sdBodyId addBall(sdWorld* world, sdBodyType type, double x, double y, float radius) {
    return TestWorld_AddBody(world, type, sdPos_Make(x, y, 0.0), sdQuat_Identity(),
                             sdShapeDef_Default(sdShape_Sphere(radius)));
}

// ---- breaking and colliding ----------------------------------------------------------------

/// What sleeps on a kinematic body that is awake is of its island when that becomes dynamic.
SD_TEST(joint_wakes_what_hangs_on_a_body_that_becomes_dynamic) {
    sdWorld* world = TestWorld_Make(sdWorldDef_Default());
    sdBodyDef def = sdBodyDef_Default();
    def.type = SD_BODY_KINEMATIC;
    def.position = sdPos_Make(0.0, 9.0, 0.0);
    sdBodyId holder,
        weight = TestWorld_AddDynamic(world, sdPos_Make(0.0, 8.0, 0.0), TestWorld_BoxOf(0.2f));
    CHECK_INT(sdBody_Create(world, &def, &holder), SD_OK);
    sdShapeDef shape = TestWorld_BoxOf(0.2f);
    CHECK_INT(sdBody_AddShape(world, holder, &shape, NULL), SD_OK);
    sdJointDef joint = sdJointDef_Make(SD_JOINT_BALL, holder, weight);
    CHECK_INT(sdJointDef_Place(world, &joint, def.position, sdV3(0.0f, 1.0f, 0.0f)), SD_OK);
    sdJointId id;
    CHECK_INT(sdJoint_Create(world, &joint, &id), SD_OK);
    CHECK_INT(sdBody_EnableSleep(world, holder, false), SD_OK);
    for (int i = 0; i < 600 && sdBody_IsAwake(world, weight); ++i) {
        CHECK_INT(sdWorld_Step(world, DT), SD_OK);
    }
    CHECK(!sdBody_IsAwake(world, weight) && sdBody_IsAwake(world, holder));
    CHECK_INT(sdBody_SetType(world, holder, SD_BODY_DYNAMIC), SD_OK);
    CHECK(sdBody_IsAwake(world, weight) && sdBody_IsAwake(world, holder));
    TestWorld_Run(world, 30);
    CHECK(sdBody_GetCenter(world, weight).y < 7.5 && sdBody_GetCenter(world, holder).y < 8.5);
    sdWorld_Destroy(world);
}

/// A kinematic body pulls one into the floor until the joint breaks. What the floor gave against it
/// must not throw the body up.
SD_TEST(joint_that_breaks_leaves_no_force_behind) {
    const sdShape shapes[] = {sdShape_Box(0.2f, 0.2f, 0.2f), sdShape_Cylinder(0.2f, 0.2f)};
    for (int i = 0; i < 6; ++i) {
        sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
        TestWorld_AddFloor(world, sdMaterial_Default());
        sdBodyId body = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.2, 0.0),
                                             sdShapeDef_Default(shapes[i % 2]));
        TestWorld_Run(world, 30);
        sdBodyDef def = sdBodyDef_Default();
        def.type = SD_BODY_KINEMATIC;
        def.position = sdPos_Make(0.5, 0.2, 0.0);
        def.velocity = sdV3(0.0f, -2.0f - 2.0f * (float)(i / 2), 0.0f);
        sdBodyId puller;
        CHECK_INT(sdBody_Create(world, &def, &puller), SD_OK);
        sdJointDef joint = sdJointDef_Make(SD_JOINT_BALL, body, puller);
        CHECK_INT(
            sdJointDef_Place(world, &joint, sdBody_GetCenter(world, body), sdV3(0.0f, 0.0f, 1.0f)),
            SD_OK);
        joint.maxForce = 1e4f;
        sdJointId id;
        CHECK_INT(sdJoint_Create(world, &joint, &id), SD_OK);
        float fastest = 0.0f;
        for (int step = 0; step < 30; ++step) {
            CHECK_INT(sdWorld_Step(world, DT), SD_OK);
            fastest = sdMaxF(fastest, sdLength(sdBody_GetVelocity(world, body)));
        }
        CHECK(!sdJoint_IsValid(world, id));
        // up to 71 m/s with what was left of the floor's force
        if (!CHECK(fastest < 2.0f)) {
            sdTest_Print("case %d: %g m/s", i, (double)fastest);
        }
        sdWorld_Destroy(world);
    }
}

SD_TEST(joint_breaks_above_its_force_only) {
    for (int i = 0; i < 2; ++i) {
        sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
        sdBodyId pin =
            TestJoint_AddMass(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), 0.0f, 0.0f);
        sdBodyId bob =
            TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(0.0, -1.0, 0.0), 2.0f, 0.1f);
        sdJointDef def = sdJointDef_Make(SD_JOINT_BALL, pin, bob);
        def.maxForce = (i == 0 ? 1.05f : 0.95f) * 2.0f * 9.81f;
        sdJointId joint =
            TestJoint_Join(world, def, sdPos_Make(0.0, 0.0, 0.0), sdV3(0.0f, 1.0f, 0.0f));
        int count = 0;
        const sdJointId* broken = NULL;
        for (int step = 0; step < 10 && count == 0; ++step) {
            TestWorld_Run(world, 1);
            broken = sdWorld_GetBrokenJoints(world, &count);
        }
        CHECK_INT(count, i);
        CHECK(sdJoint_IsValid(world, joint) == (i == 0));
        CHECK(i == 0 || broken[0] == joint);
        TestWorld_Run(world, 1);
        sdWorld_GetBrokenJoints(world, &count);
        CHECK_INT(count, 0);
        sdWorld_Destroy(world);
    }
}

SD_TEST(joint_bodies_collide_when_they_may_and_when_it_is_gone) {
    for (int i = 0; i < 3; ++i) {
        sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
        sdBodyId floor = addBall(world, SD_BODY_STATIC, 0.0, 0.0, 1.0f);
        sdBodyId ball = addBall(world, SD_BODY_DYNAMIC, 0.0, 1.6, 0.5f);
        sdJointDef def = sdJointDef_Make(SD_JOINT_SLIDER, floor, ball);
        def.collideConnected = i == 0;
        sdJointId joint =
            TestJoint_Join(world, def, sdPos_Make(0.0, 1.6, 0.0), sdV3(0.0f, 1.0f, 0.0f));
        TestWorld_Run(world, i == 2 ? 2 : 60);
        if (i == 2) {
            // the pair is near by now, and nobody will report it again
            CHECK_INT(sdJoint_Destroy(world, joint), SD_OK);
            TestWorld_Run(world, 30);
        }
        double y = sdBody_GetCenter(world, ball).y;
        CHECK(i == 1 ? y < 0.0 : y > 1.48);
        sdWorld_Destroy(world);
    }
}

/// What hangs at rest is held in every step, however much heavier than the links it is.
SD_TEST(joint_force_of_a_load_at_rest_is_its_weight) {
    enum { LINKS = 30, STEPS = 80 };
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    sdBodyId last = TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 20.0, 0.0),
                                      sdQuat_Identity(), TestWorld_BoxOf(0.1f));
    sdVec3 up = sdV3(0.0f, 1.0f, 0.0f);
    sdJointId top = SD_NULL_JOINT;
    double weight = 0.0;
    for (int i = 0; i <= LINKS; ++i) {
        double anchor = 20.0 - 0.2 * i;
        bool isLoad = i == LINKS;
        sdBodyId next = TestWorld_AddDynamic(
            world, sdPos_Make(0.0, anchor - (isLoad ? 0.5 : 0.1), 0.0),
            isLoad ? TestWorld_BoxOf(0.5f) : sdShapeDef_Default(sdShape_Capsule(0.06f, 0.04f)));
        sdJointId joint = TestJoint_Join(world, sdJointDef_Make(SD_JOINT_BALL, last, next),
                                         sdPos_Make(0.0, anchor, 0.0), up);
        top = i == 0 ? joint : top;
        weight += GRAVITY * (double)sdBody_GetMass(world, next).mass;
        last = next;
    }
    for (int i = 0; i < STEPS; ++i) {
        CHECK_INT(sdWorld_Step(world, DT), SD_OK);
        CHECK_NEAR(sdJoint_GetForce(world, top).y, weight, 0.02 * weight);
    }
    sdWorld_Destroy(world);
}

/// A hub that is held, and arms that hang on it all round: what holds it carries all of them. Some
/// have as many joints as a slender set may have at a body, others more.
SD_TEST(joint_hub_carries_any_number_of_arms) {
    const int counts[] = {7, 8, 9, 12, 24};
    for (int k = 0; k < 5; ++k) {
        sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
        sdBodyId ground =
            TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 12.0, 0.0), sdQuat_Identity(),
                              sdShapeDef_Default(sdShape_Sphere(0.1f)));
        sdBodyId hub = TestWorld_AddDynamic(world, sdPos_Make(0.0, 10.0, 0.0),
                                            sdShapeDef_Default(sdShape_Box(1.0f, 0.2f, 1.0f)));
        sdVec3 up = sdV3(0.0f, 1.0f, 0.0f);
        sdJointId top = TestJoint_Join(world, sdJointDef_Make(SD_JOINT_FIXED, ground, hub),
                                       sdPos_Make(0.0, 10.0, 0.0), up);
        double weight = (double)sdBody_GetMass(world, hub).mass * GRAVITY;
        for (int i = 0; i < counts[k]; ++i) {
            double angle = 6.283185307 * i / counts[k], x = 3.0 * cos(angle), z = 3.0 * sin(angle);
            sdBodyId arm = TestWorld_AddDynamic(world, sdPos_Make(x, 9.5, z),
                                                sdShapeDef_Default(sdShape_Box(0.1f, 0.3f, 0.1f)));
            sdJointType type = i % 2 == 0 ? SD_JOINT_BALL : SD_JOINT_HINGE;
            TestJoint_Join(world, sdJointDef_Make(type, hub, arm), sdPos_Make(x, 10.0, z), up);
            weight += (double)sdBody_GetMass(world, arm).mass * GRAVITY;
        }
        TestWorld_Run(world, 120);
        CHECK_NEAR(sdJoint_GetForce(world, top).y, weight, 0.01 * weight);
        CHECK(sdLength(sdBody_GetVelocity(world, hub)) < 2e-3f);
        CHECK(TestJoint_WorstError(world, NULL) < 2e-3f);
        sdWorld_Destroy(world);
    }
}

SD_TEST(joint_kinematic_partner_carries) {
    sdWorld* world = TestWorld_Make(sdWorldDef_Default());
    sdBodyId cart =
        TestJoint_AddMass(world, SD_BODY_KINEMATIC, sdPos_Make(0.0, 0.0, 0.0), 0.0f, 0.0f);
    sdBodyId bob =
        TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(0.0, -1.0, 0.0), 2.0f, 0.1f);
    sdJointId joint = TestJoint_Join(world, sdJointDef_Make(SD_JOINT_FIXED, cart, bob),
                                     sdPos_Make(0.0, 0.0, 0.0), sdV3(1.0f, 0.0f, 0.0f));
    CHECK_INT(sdBody_SetVelocity(world, cart, sdV3(1.5f, 0.0f, 0.0f), sdV3(0.0f, 0.5f, 0.0f)),
              SD_OK);
    TestWorld_Run(world, 120);
    CHECK_NEAR(sdBody_GetCenter(world, bob).x, 3.0, 1e-3);
    CHECK_NEAR(sdBody_GetAngularVelocity(world, bob).y, 0.5, 1e-3);
    CHECK(sdJoint_GetError(world, joint, NULL) < 1e-4f);
    sdWorld_Destroy(world);
}

/// Bodies with locks are as heavy as they are locked.
SD_TEST(joint_on_a_body_that_cannot_turn) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    sdBodyId pin = TestJoint_AddMass(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), 0.0f, 0.0f);
    sdBodyId rail =
        TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(0.5, 0.0, 0.0), 2.0f, 0.1f);
    CHECK_INT(
        sdBody_SetLocks(world, rail, SD_LOCK_ROTATION_X | SD_LOCK_ROTATION_Y | SD_LOCK_ROTATION_Z),
        SD_OK);
    sdJointId joint = TestJoint_Join(world, sdJointDef_Make(SD_JOINT_BALL, pin, rail),
                                     sdPos_Make(0.0, 0.0, 0.0), sdV3(0.0f, 1.0f, 0.0f));
    TestWorld_Run(world, 120);
    CHECK(sdJoint_GetError(world, joint, NULL) < 1e-4f);
    CHECK_NEAR(sdJoint_GetForce(world, joint).y, 2.0 * GRAVITY, 0.05);
    sdWorld_Destroy(world);
}

// ---- sleep ---------------------------------------------------------------------------------

SD_TEST(joint_conducts_sleep_and_waking) {
    sdWorld* world = TestWorld_Make(sdWorldDef_Default());
    TestWorld_AddFloor(world, TestWorld_Friction(0.6f));
    sdBodyId links[4];
    for (int i = 0; i < 4; ++i) {
        links[i] =
            TestWorld_AddDynamic(world, sdPos_Make(1.2 * i, 0.5, 0.0), TestWorld_BoxOf(0.5f));
        if (i > 0) {
            TestJoint_Join(world, sdJointDef_Make(SD_JOINT_BALL, links[i - 1], links[i]),
                           sdPos_Make(1.2 * i - 0.6, 0.5, 0.0), sdV3(1.0f, 0.0f, 0.0f));
        }
    }
    TestWorld_Run(world, 180);
    CHECK(!sdBody_IsAwake(world, links[0]) && !sdBody_IsAwake(world, links[3]));
    CHECK_INT(sdBody_ApplyImpulse(world, links[3], sdV3(100.0f, 0.0f, 0.0f),
                                  sdBody_GetCenter(world, links[3])),
              SD_OK);
    CHECK(sdBody_IsAwake(world, links[0]));
    TestWorld_Run(world, 180);
    CHECK(!sdBody_IsAwake(world, links[0]));
    sdJointId joints[4];
    REQUIRE(sdBody_GetJoints(world, links[0], joints, 4) == 1);
    CHECK_INT(
        sdJoint_SetAxis(world, joints[0], SD_AXIS_TURN_X, (sdJointAxis){.mode = SD_AXIS_LIMITED}),
        SD_OK);
    CHECK(sdBody_IsAwake(world, links[3]));
    sdWorld_Destroy(world);
}

// ---- on the floor --------------------------------------------------------------------------

/// A tree of joints with contacts all over it loses energy, and comes to rest.
/// Each body in turn takes no part: what hangs below it falls, what is above stays, and both are as
/// before when it is back.
SD_TEST(joint_of_a_disabled_body_holds_nothing) {
    for (int solver = 0; solver < 2; ++solver) {
        for (int off = 0; off < 3; ++off) {
            sdWorldDef worldDef = sdWorldDef_Default();
            worldDef.solver = solver == 0 ? SD_SOLVER_SOFT : SD_SOLVER_IMPULSE;
            sdWorld* world = TestWorld_Make(worldDef);
            sdBodyId bodies[4];
            for (int i = 0; i < 4; ++i) {
                bodies[i] =
                    addBall(world, i == 0 ? SD_BODY_STATIC : SD_BODY_DYNAMIC, 0.0, -i, 0.2f);
                if (i > 0) {
                    TestJoint_Join(world, sdJointDef_Make(SD_JOINT_BALL, bodies[i - 1], bodies[i]),
                                   sdPos_Make(0.0, 0.5 - i, 0.0), sdV3(0.0f, 1.0f, 0.0f));
                }
            }
            // asleep, so that it must wake what hung on it
            TestWorld_Run(world, 120);
            CHECK(!sdBody_IsAwake(world, bodies[3]));
            CHECK_INT(sdBody_SetEnabled(world, bodies[off], false), SD_OK);
            TestWorld_Run(world, 30);
            for (int i = 1; i < 4; ++i) {
                double fall = -i - sdBody_GetCenter(world, bodies[i]).y;
                CHECK(i > off ? fall > 1.0 : fall < 1e-3);
            }
            // a joint that is made now waits, too
            sdJointId last =
                TestJoint_Join(world, sdJointDef_Make(SD_JOINT_BALL, bodies[off], bodies[3]),
                               sdPos_Make(0.0, 0.0, 0.0), sdV3(0.0f, 1.0f, 0.0f));
            TestWorld_Run(world, 2);
            CHECK(sdLength(sdJoint_GetForce(world, last)) == 0.0f);
            CHECK_INT(sdJoint_Destroy(world, last), SD_OK);
            CHECK_INT(sdBody_SetEnabled(world, bodies[off], true), SD_OK);
            TestWorld_Run(world, 240);
            float gap = TestJoint_WorstError(world, NULL);
            printf("  solver %d, body %d: off by %.3f mm when it is back\n", solver, off,
                   1e3 * (double)gap);
            CHECK(gap < 2e-3f);
            sdWorld_Destroy(world);
        }
    }
}

/// A link is put metres away, more than a set may be drawn together in the time that it takes to
/// fall asleep.
SD_TEST(joint_torn_apart_stays_awake_until_it_fits) {
    static const sdJointType types[] = {SD_JOINT_BALL, SD_JOINT_HINGE, SD_JOINT_FIXED};
    for (int t = 0; t < 3; ++t) {
        sdWorld* world = TestWorld_Make(sdWorldDef_Default());
        sdBodyId bodies[7];
        for (int i = 0; i < 7; ++i) {
            bodies[i] =
                addBall(world, i == 0 ? SD_BODY_STATIC : SD_BODY_DYNAMIC, 0.0, -0.4 * i, 0.1f);
            if (i > 0) {
                TestJoint_Join(world, sdJointDef_Make(types[t], bodies[i - 1], bodies[i]),
                               sdPos_Make(0.0, 0.2 - 0.4 * i, 0.0), sdV3(1.0f, 0.0f, 0.0f));
            }
        }
        TestWorld_Run(world, 30);
        sdWorldTransform xf = sdBody_GetTransform(world, bodies[3]);
        xf.p.x += 5.0;
        CHECK_INT(sdBody_SetTransform(world, bodies[3], xf.p, xf.q), SD_OK);
        TestWorld_Run(world, 180);
        float gap = TestJoint_WorstError(world, NULL);
        printf("  kind %d: off by %.3f mm\n", (int)types[t], 1e3 * (double)gap);
        CHECK(gap < 1e-3f);
        sdWorld_Destroy(world);
    }
}

SD_TEST(joint_chain_on_the_floor_comes_to_rest) {
    for (int k = 0; k < 2; ++k) {
        sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
        TestWorld_AddFloor(world, TestWorld_Friction(0.6f));
        sdBodyId links[8];
        for (int i = 0; i < 8; ++i) {
            links[i] =
                TestWorld_AddBody(world, SD_BODY_DYNAMIC, sdPos_Make(0.3 * i, 0.8 + 0.05 * i, 0.0),
                                  sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), 1.5707963f),
                                  sdShapeDef_Default(sdShape_Capsule(0.1f, 0.05f)));
            if (i > 0) {
                sdJointDef def = sdJointDef_Make(k == 0 ? SD_JOINT_BALL : SD_JOINT_HINGE,
                                                 links[i - 1], links[i]);
                def.coneAngle = 0.5f;
                def.axes[SD_AXIS_TURN_X] =
                    (sdJointAxis){.mode = SD_AXIS_LIMITED, .lower = -0.4f, .upper = 0.4f};
                TestJoint_Join(world, def, sdPos_Make(0.3 * i - 0.15, 0.775 + 0.05 * i, 0.0),
                               sdV3(0.0f, 0.0f, 1.0f));
            }
        }
        double most = TestJoint_Energy(world), start = most;
        // hinges let it stand on edge for a while
        for (int step = 0; step < 600; ++step) {
            TestWorld_Run(world, 1);
            double now = TestJoint_Energy(world);
            most = now > most ? now : most;
        }
        float speed = 0.0f, angle, error = TestJoint_WorstError(world, &angle);
        for (int i = 0; i < 8; ++i) {
            speed = sdMaxF(speed, sdLength(sdBody_GetVelocity(world, links[i])));
        }
        sdTest_Print("fastest %.4f m/s, joints off by %.3f mm and %.4f rad", (double)speed,
                     1e3 * (double)error, (double)angle);
        CHECK(most - start < 0.01 * start);
        CHECK(speed < 0.05f);
        CHECK(error < 1e-3f && angle < 0.01f);
        sdWorld_Destroy(world);
    }
}

// ---- bad input -----------------------------------------------------------------------------

static void checkRefused(sdWorld* world, const sdJointDef* def) {
    sdJointId joint = 7;
    CHECK_INT(sdJoint_Create(world, def, &joint), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(joint, SD_NULL_JOINT);
}

SD_TEST(joint_numbers_that_are_none_are_refused) {
    TestContext quiet;
    TestContext_Init(&quiet);
    sdWorld* world;
    REQUIRE(sdWorld_Create(&quiet.context, NULL, &world) == SD_OK);
    sdBodyId a = TestJoint_AddMass(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), 0.0f, 0.0f);
    sdBodyId b = TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(1.0, 0.0, 0.0), 1.0f, 1.0f);
    float wrong[2] = {TestNaN(), -1.0f};
    for (int i = 0; i < 2; ++i) {
        sdJointDef def = sdJointDef_Make(SD_JOINT_SIX, a, b);
        def.coneAngle = wrong[i];
        checkRefused(world, &def);
        def = sdJointDef_Make(SD_JOINT_SIX, a, b);
        def.maxForce = wrong[i];
        checkRefused(world, &def);
        def = sdJointDef_Make(SD_JOINT_SIX, a, b);
        def.axes[1].drive = SD_DRIVE_SPRING;
        def.axes[1].frequency = wrong[i];
        checkRefused(world, &def);
        def.axes[1].frequency = 1.0f;
        def.axes[1].maxForce = wrong[i];
        checkRefused(world, &def);
    }
    sdJointDef def = sdJointDef_Make(SD_JOINT_BALL, a, b);
    def.frameA.p.x = TestInfinity();
    checkRefused(world, &def);
    // finite, but its square is not
    def.frameA.p.x = 1e26f;
    checkRefused(world, &def);
    def = sdJointDef_Make(SD_JOINT_BALL, a, b);
    def.frameB.q.s = 2.0f;
    checkRefused(world, &def);
    def = sdJointDef_Make(SD_JOINT_HINGE, a, b);
    def.axes[SD_AXIS_TURN_X].mode = SD_AXIS_LIMITED;
    def.axes[SD_AXIS_TURN_X].upper = 4.0f;
    checkRefused(world, &def);
    def = sdJointDef_Make((sdJointType)99, a, b);
    checkRefused(world, &def);
    def = sdJointDef_Make(SD_JOINT_DISTANCE, a, b);
    def.axes[0].mode = SD_AXIS_LOCKED;
    checkRefused(world, &def);
    CHECK_INT(sdJointDef_Place(world, &def, sdPos_Make(0.0, 0.0, 0.0), sdV3(0.0f, 0.0f, 0.0f)),
              SD_ERROR_INVALID_ARGUMENT);
    sdWorld_Destroy(world);
    TestContext_Finish(&quiet);
}

SD_TEST(joint_stale_ids_answer_zeros) {
    TestContext quiet;
    TestContext_Init(&quiet);
    sdWorld* world;
    REQUIRE(sdWorld_Create(&quiet.context, NULL, &world) == SD_OK);
    sdJointId stale = 12345;
    CHECK(!sdJoint_IsValid(world, stale) && sdJoint_GetDef(world, stale) == NULL);
    CHECK_NEAR(sdJoint_GetPlace(world, stale, SD_AXIS_MOVE_X), 0.0, 0.0);
    CHECK_NEAR(sdJoint_GetSpeed(world, stale, SD_AXIS_MOVE_X), 0.0, 0.0);
    CHECK_NEAR(sdLength(sdJoint_GetForce(world, stale)), 0.0, 0.0);
    CHECK_NEAR(sdLength(sdJoint_GetTorque(world, stale)), 0.0, 0.0);
    CHECK_NEAR(sdJoint_GetError(world, stale, NULL), 0.0, 0.0);
    CHECK_INT(sdJoint_Destroy(world, stale), SD_ERROR_STALE_ID);
    CHECK_INT(sdJoint_SetAxis(world, stale, SD_AXIS_MOVE_X, (sdJointAxis){.mode = SD_AXIS_FREE}),
              SD_ERROR_STALE_ID);
    CHECK_INT(sdBody_GetJoints(world, stale, NULL, 0), 0);
    CHECK_INT(sdJoint_Create(NULL, NULL, NULL), SD_ERROR_INVALID_ARGUMENT);
    sdWorld_Destroy(world);
    TestContext_Finish(&quiet);
}

// ---- memory and bits -----------------------------------------------------------------------

/// Chains, limits and drives of every sort. Two must not be in the same place: nine balls of 10 cm
/// that hang 15 cm from one point have no room about it, and contacts and joints would fight.
static sdResult buildMachine(sdWorld* world, double z) {
    sdBodyDef def = sdBodyDef_Default();
    sdBodyId last;
    def.position = sdPos_Make(0.0, 0.0, z);
    sdResult result = sdBody_Create(world, &def, &last);
    def.type = SD_BODY_DYNAMIC;
    for (int i = 0; i < 24 && result == SD_OK; ++i) {
        sdBodyId next;
        def.position = sdPos_Make(0.3 * i + 0.15, 2.0, z + 0.02 * (i % 5));
        result = sdBody_Create(world, &def, &next);
        sdShapeDef shape = sdShapeDef_Default(sdShape_Sphere(0.1f));
        result = result == SD_OK ? sdBody_AddShape(world, next, &shape, NULL) : result;
        sdJointDef joint = sdJointDef_Make((sdJointType)(i % SD_JOINT_TYPE_COUNT), last, next);
        joint.coneAngle = 0.7f;
        if (joint.type == SD_JOINT_HINGE) {
            joint.axes[SD_AXIS_TURN_X] = (sdJointAxis){.mode = SD_AXIS_LIMITED,
                                                       .lower = -0.5f,
                                                       .upper = 0.5f,
                                                       .drive = SD_DRIVE_MOTOR,
                                                       .target = 1.0f,
                                                       .maxForce = 5.0f};
        } else if (joint.type == SD_JOINT_DISTANCE) {
            joint.axes[0].upper = 0.4f;
        }
        result = result == SD_OK ? sdJointDef_Place(world, &joint, sdPos_Make(0.3 * i, 2.0, z),
                                                    sdV3(0.0f, 0.6f, 0.8f))
                                 : result;
        sdJointId id;
        result = result == SD_OK ? sdJoint_Create(world, &joint, &id) : result;
        last = i % 8 == 7 ? last : next;
    }
    return result;
}

static sdResult buildAndStep(const sdContext* context, void* arg) {
    (void)arg;
    sdWorld* world = NULL;
    sdResult result = sdWorld_Create(context, NULL, &world);
    result = result == SD_OK ? buildMachine(world, 0.0) : result;
    for (int i = 0; i < 3 && result == SD_OK; ++i) {
        result = sdWorld_Step(world, DT);
    }
    sdWorld_Destroy(world);
    return result;
}

SD_TEST(joint_survives_every_failing_allocation) {
    CHECK(TestContext_FailEach(buildAndStep, NULL) > 10);
}

SD_TEST(joint_steps_allocate_nothing_once_warm) {
    TestContext test;
    TestContext_Init(&test);
    sdWorld* world;
    sdWorldDef def = TestWorld_AwakeDef();
    REQUIRE(sdWorld_Create(&test.context, &def, &world) == SD_OK);
    CHECK_INT(buildMachine(world, 0.0), SD_OK);
    // until everything has touched what it will
    TestWorld_Run(world, 2400);
    int count = test.allocationCount;
    TestWorld_Run(world, 60);
    CHECK_INT(test.allocationCount, count);
    sdWorld_Destroy(world);
    TestContext_Finish(&test);
}

static uint64_t hashOfRun(int threadCount) {
    sdScheduler* scheduler = NULL;
    sdContext context = sdContext_Default();
    if (threadCount > 1 && CHECK_INT(sdScheduler_Create(NULL, threadCount, &scheduler), SD_OK)) {
        context.tasks = sdScheduler_GetTasks(scheduler);
    }
    sdWorld* world = NULL;
    uint64_t hash = 0;
    if (CHECK_INT(sdWorld_Create(&context, NULL, &world), SD_OK)) {
        for (int i = 0; i < 9; ++i) {
            CHECK_INT(buildMachine(world, 0.4 * i), SD_OK);
        }
        double energy = TestJoint_Energy(world);
        TestWorld_Run(world, TestIsShort() ? 20 : 60);
        hash = sdWorld_GetHash(world);
        // motors of 5 N m at 1 rad/s may have given a little
        CHECK(TestJoint_Energy(world) < 1.02 * energy);
        CHECK(TestJoint_WorstError(world, NULL) < 5e-3f);
    }
    sdWorld_Destroy(world);
    sdScheduler_Destroy(scheduler);
    return hash;
}

SD_TEST(joint_hash_is_the_same_for_all_threads_and_levels) {
    uint64_t hash = hashOfRun(1);
    CHECK(hashOfRun(2) == hash);
    CHECK(hashOfRun(4) == hash);
    TestSimd_ForceBase(true);
    CHECK(hashOfRun(1) == hash);
    TestSimd_ForceBase(false);
}

/// What hangs on a kinematic body and sleeps wakes when that begins to move.
SD_TEST(joint_kinematic_partner_wakes) {
    sdWorld* world = TestWorld_Make(sdWorldDef_Default());
    sdBodyId cart =
        TestJoint_AddMass(world, SD_BODY_KINEMATIC, sdPos_Make(0.0, 0.0, 0.0), 0.0f, 0.0f);
    sdBodyId bob =
        TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(0.0, -1.0, 0.0), 2.0f, 0.1f);
    TestJoint_Join(world, sdJointDef_Make(SD_JOINT_BALL, cart, bob), sdPos_Make(0.0, 0.0, 0.0),
                   sdV3(0.0f, 1.0f, 0.0f));
    TestWorld_Run(world, 120);
    CHECK(!sdBody_IsAwake(world, bob));
    CHECK_INT(sdBody_SetVelocity(world, cart, sdV3(1.0f, 0.0f, 0.0f), sdV3(0.0f, 0.0f, 0.0f)),
              SD_OK);
    CHECK(sdBody_IsAwake(world, bob));
    TestWorld_Run(world, 60);
    CHECK(sdBody_GetCenter(world, bob).x > 0.5);
    sdWorld_Destroy(world);
}

/// A joint that is taken away and put back is the last in the lists of its bodies now: how its set
/// is solved must depend on what a snapshot holds, and on nothing that was before.
SD_TEST(joint_made_again_is_the_same_after_a_snapshot) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    sdSnapshot* snapshot = NULL;
    sdJointId ids[6] = {SD_NULL_JOINT};
    REQUIRE(sdSnapshot_Create(NULL, &snapshot) == SD_OK);
    sdBodyId middle =
        TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(0.0, 0.0, 0.0), 1.0f, 0.1f);
    for (int i = 0; i < 6; ++i) {
        sdPos place = sdPos_Make(i % 3 == 0 ? 1.0 : -0.7, i % 2 == 1 ? 1.0 : -0.3, 0.3 * i - 1.0);
        sdBodyId leaf = TestJoint_AddMass(world, SD_BODY_DYNAMIC, place, 1.0f + (float)i, 0.1f);
        ids[i] = TestJoint_Join(world, sdJointDef_Make(SD_JOINT_BALL, middle, leaf),
                                sdPos_Make(0.3 * place.x, 0.3 * place.y, 0.3 * place.z),
                                sdV3(0.0f, 1.0f, 0.0f));
        sdBody_SetVelocity(world, leaf, sdV3(1.0f, 2.0f, -3.0f), sdV3(3.0f, (float)i, 2.0f));
    }
    for (int i = 0; i < 6; ++i) {
        TestWorld_Run(world, 1);
        sdJointDef def = *sdJoint_GetDef(world, ids[i]);
        CHECK_INT(sdJoint_Destroy(world, ids[i]), SD_OK);
        CHECK_INT(sdJoint_Create(world, &def, &ids[i]), SD_OK);
        CHECK_INT(sdWorld_Save(world, snapshot), SD_OK);
        sdWorld* other = TestWorld_Make(TestWorld_AwakeDef());
        CHECK_INT(sdWorld_Restore(other, snapshot), SD_OK);
        TestWorld_Run(world, 5);
        TestWorld_Run(other, 5);
        CHECK(sdWorld_GetHash(world) == sdWorld_GetHash(other));
        sdWorld_Destroy(other);
    }
    sdSnapshot_Destroy(snapshot);
    sdWorld_Destroy(world);
}

/// Round bodies have a way of their own through the solver of nets: it goes where the other goes.
SD_TEST(joint_net_of_round_bodies_moves_as_any_other) {
    enum { SIDE = 6 };
    sdPos ends[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int run = 0; run < 2; ++run) {
        sdWorldDef def = TestWorld_AwakeDef();
        def.enableDirect = false; // a small net would be solved at once
        sdWorld* world = TestWorld_Make(def);
        sdBodyId knots[SIDE * SIDE];
        for (int i = 0; i < SIDE * SIDE; ++i) {
            int x = i % SIDE, z = i / SIDE;
            bool isFixed = (x == 0 || x == SIDE - 1) && (z == 0 || z == SIDE - 1);
            sdPos place = sdPos_Make(0.4 * x, 0.0, 0.4 * z);
            knots[i] = TestJoint_AddMass(world, isFixed ? SD_BODY_STATIC : SD_BODY_DYNAMIC, place,
                                         1.0f, 0.01f);
            if (run == 1 && !isFixed) {
                sdMassProps mass = sdBody_GetMass(world, knots[i]);
                mass.inertia.cx.x *= 1.00001f;
                CHECK_INT(sdBody_SetMass(world, knots[i], mass), SD_OK);
            }
            sdVec3 up = {0.0f, 1.0f, 0.0f};
            if (x > 0) {
                TestJoint_Join(world, sdJointDef_Make(SD_JOINT_BALL, knots[i - 1], knots[i]),
                               sdPos_Make(place.x - 0.2, 0.0, place.z), up);
            }
            if (z > 0) {
                TestJoint_Join(world, sdJointDef_Make(SD_JOINT_BALL, knots[i - SIDE], knots[i]),
                               sdPos_Make(place.x, 0.0, place.z - 0.2), up);
            }
        }
        TestWorld_Run(world, 30);
        ends[run] = sdBody_GetCenter(world, knots[SIDE * SIDE / 2 + SIDE / 2]);
        sdWorld_Destroy(world);
    }
    float apart = sdLength(sdPos_Sub(ends[1], ends[0]));
    sdTest_Print("a knot fell by %.3f m, %.5f mm beside the other's", -ends[0].y,
                 1e3 * (double)apart);
    CHECK(ends[0].y < -0.05);
    CHECK(apart < 1e-4f);
}

// ---- what is kept from step to step --------------------------------------------------------

/// What a user may do to joints and bodies between two steps that changes how joints are solved.
static void changeJoints(sdWorld* world, const sdBodyId* links, sdBodyId box, int step) {
    sdJointId joints[64];
    int count = sdWorld_GetJoints(world, joints, 64);
    sdJointAxis limited = {.mode = SD_AXIS_LIMITED, .lower = -0.1f, .upper = 0.1f};
    sdJointId id;
    if (step == 20 && count > 3) {
        CHECK_INT(sdJoint_SetAxis(world, joints[3], SD_AXIS_TURN_X, limited), SD_OK);
    } else if (step == 30) {
        CHECK_INT(sdBody_SetType(world, links[2], SD_BODY_KINEMATIC), SD_OK);
    } else if (step == 40) {
        CHECK_INT(sdBody_SetType(world, links[2], SD_BODY_DYNAMIC), SD_OK);
    } else if (step == 50) {
        CHECK_INT(sdJoint_Destroy(world, joints[1]), SD_OK);
    } else if (step == 60) {
        sdJointDef def = sdJointDef_Make(SD_JOINT_BALL, links[0], links[1]);
        def.frameA.p = sdV3(0.2f, 0.0f, 0.0f);
        def.frameB.p = sdV3(-0.2f, 0.0f, 0.0f);
        CHECK_INT(sdJoint_Create(world, &def, &id), SD_OK);
    } else if (step == 70) {
        CHECK_INT(sdBody_SetEnabled(world, links[4], false), SD_OK);
    } else if (step == 80) {
        CHECK_INT(sdBody_SetEnabled(world, links[4], true), SD_OK);
    } else if (step == 150) {
        CHECK(!sdBody_IsAwake(world, box)); // it was numbered before the links
        CHECK_INT(sdBody_SetAwake(world, box, true), SD_OK);
    }
}

/// A world that keeps how joints are solved comes out as one that finds it anew in every step.
SD_TEST(joint_plan_follows_all_changes) {
    enum { LINKS = 6, STEPS = 200 };
    for (int isDirect = 0; isDirect < 2; ++isDirect) {
        sdWorldDef def = sdWorldDef_Default();
        def.enableDirect = isDirect != 0;
        sdWorld *world = TestWorld_Make(def), *twin = TestWorld_Make(def);
        sdSnapshot* snapshot = NULL;
        CHECK_INT(sdSnapshot_Create(NULL, &snapshot), SD_OK);
        TestWorld_AddFloor(world, TestWorld_Friction(0.6f));
        sdBodyId box =
            TestWorld_AddDynamic(world, sdPos_Make(5.0, 0.2, 0.0), TestWorld_BoxOf(0.2f));
        sdBodyId links[LINKS], before = TestJoint_AddMass(world, SD_BODY_STATIC,
                                                          sdPos_Make(0.0, 4.0, 0.0), 0.0f, 0.0f);
        for (int i = 0; i < LINKS; ++i) {
            links[i] = addBall(world, SD_BODY_DYNAMIC, 0.2 + 0.4 * i, 4.0, 0.15f);
            CHECK_INT(sdBody_EnableSleep(world, links[i], false), SD_OK);
            TestJoint_Join(world, sdJointDef_Make(SD_JOINT_BALL, before, links[i]),
                           sdPos_Make(0.4 * i, 4.0, 0.0), sdV3(1.0f, 0.0f, 0.0f));
            before = links[i];
        }
        int wrong = 0;
        for (int i = 0; i < STEPS; ++i) {
            changeJoints(world, links, box, i);
            CHECK_INT(sdWorld_Save(world, snapshot), SD_OK);
            CHECK_INT(sdWorld_Restore(twin, snapshot), SD_OK);
            CHECK_INT(sdWorld_Step(world, DT), SD_OK);
            CHECK_INT(sdWorld_Step(twin, DT), SD_OK);
            wrong += sdWorld_GetHash(world) != sdWorld_GetHash(twin) ? 1 : 0;
        }
        CHECK_INT(wrong, 0);
        sdSnapshot_Destroy(snapshot);
        sdWorld_Destroy(twin);
        sdWorld_Destroy(world);
    }
}
