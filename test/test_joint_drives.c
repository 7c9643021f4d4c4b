// SPDX-License-Identifier: MIT
// Limits, motors, springs and friction of joints against what is known of them.

#include "joint_support.h"

#include "math/vec3d.h"

#include <float.h>
#include <math.h>

#define DEGREE 0.0174532925f
/// By which a limit may give, and, m, the same of a slider.
#define LIMIT_TOLERANCE (0.5f * DEGREE)
#define MOVE_TOLERANCE 1e-3f

static const sdVec3 none = {0.0f, 0.0f, 0.0f};

static sdWorldDef freeDef(bool enableDirect) {
    sdWorldDef def = TestWorld_FreeDef();
    def.enableDirect = enableDirect;
    return def;
}

static sdJointAxis limited(float lower, float upper) {
    return (sdJointAxis){.mode = SD_AXIS_LIMITED, .lower = lower, .upper = upper};
}

static sdJointAxis driven(sdDriveKind drive, float target, float maxForce) {
    return (sdJointAxis){.drive = drive,
                         .target = target,
                         .maxForce = maxForce,
                         .frequency = 1.0f,
                         .dampingRatio = 0.0f};
}

static sdVec3 along(int i, float value) {
    return sdV3(i == 0 ? value : 0.0f, i == 1 ? value : 0.0f, i == 2 ? value : 0.0f);
}

/// Push an axis of a six-axis joint with everything else locked.
static JointRig makeOneAxis(int axis, sdJointAxis settings, bool enableDirect) {
    sdJointDef def = sdJointDef_Make(SD_JOINT_SIX, SD_NULL_BODY, SD_NULL_BODY);
    for (int i = 0; i < 6; ++i) {
        def.axes[i].mode = SD_AXIS_LOCKED;
    }
    def.axes[axis] = settings;
    return JointRig_MakeFrom(freeDef(enableDirect), def, sdPos_Make(0.0, 0.0, 0.0));
}

static void pushAxis(JointRig* rig, int axis, float push, int steps) {
    JointRig_Push(rig, axis < 3 ? along(axis, push) : none, axis < 3 ? none : along(axis - 3, push),
                  steps);
}

// ---- limits --------------------------------------------------------------------------------

SD_TEST(joint_limits_hold_from_both_sides) {
    for (int i = 0; i < 12; ++i) {
        int axis = i % 6;
        bool isTurn = axis >= 3;
        JointRig rig = makeOneAxis(axis, limited(-0.5f, 0.8f), i < 6);
        float tolerance = isTurn ? LIMIT_TOLERANCE : MOVE_TOLERANCE, worst = 0.0f;
        // to and fro, so that limits are hit at speed and left again
        for (int k = 0; k < 8; ++k) {
            for (int step = 0; step < 60; ++step) {
                pushAxis(&rig, axis, k % 2 == 0 ? 10.0f : -10.0f, 1);
                float place = sdJoint_GetPlace(rig.world, rig.joint, (sdAxis)axis);
                worst = sdMaxF(worst, sdMaxF(place - 0.8f, -0.5f - place));
            }
            float place = sdJoint_GetPlace(rig.world, rig.joint, (sdAxis)axis);
            CHECK_NEAR(place, k % 2 == 0 ? 0.8f : -0.5f, tolerance);
            // held by the limit
            sdVec3 held = isTurn ? sdJoint_GetTorque(rig.world, rig.joint)
                                 : sdJoint_GetForce(rig.world, rig.joint);
            CHECK_NEAR(sdLength(sdSub(held, along(axis % 3, k % 2 == 0 ? -10.0f : 10.0f))), 0.0,
                       0.02);
        }
        CHECK(worst < tolerance);
        JointRig_Free(&rig);
    }
}

/// What lies at one limit and is thrown to the other comes there as fast as it was thrown: the
/// impulse of the first one does not act at the second.
SD_TEST(joint_limit_that_changes_sides_starts_anew) {
    JointRig rig = makeOneAxis(SD_AXIS_MOVE_X, limited(-0.005f, 0.005f), true);
    JointRig_Push(&rig, sdV3(-1000.0f, 0.0f, 0.0f), none, 30);
    CHECK_INT(sdBody_SetVelocity(rig.world, rig.b, sdV3(0.6f, 0.0f, 0.0f), none), SD_OK);
    TestWorld_Run(rig.world, 1);
    CHECK_NEAR(sdJoint_GetPlace(rig.world, rig.joint, SD_AXIS_MOVE_X), 0.005, 5e-4);
    TestWorld_Run(rig.world, 1);
    CHECK_NEAR(sdBody_GetVelocity(rig.world, rig.b).x, 0.0, 1e-3);
    JointRig_Free(&rig);
}

SD_TEST(joint_hinge_limits_hold_a_swinging_door) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    sdBodyId pin = TestJoint_AddMass(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), 0.0f, 0.0f);
    sdBodyId bar = TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(0.5, 0.0, 0.0), 3.0f, 0.1f);
    sdJointDef def = sdJointDef_Make(SD_JOINT_HINGE, pin, bar);
    def.axes[SD_AXIS_TURN_X] = limited(-1.0f, 0.5f);
    sdJointId joint = TestJoint_Join(world, def, sdPos_Make(0.0, 0.0, 0.0), sdV3(0.0f, 0.0f, 1.0f));
    float least = 0.0f;
    for (int i = 0; i < 180; ++i) {
        TestWorld_Run(world, 1);
        least = sdMinF(least, sdJoint_GetPlace(world, joint, SD_AXIS_TURN_X));
    }
    CHECK_NEAR(least, -1.0, LIMIT_TOLERANCE);
    CHECK_NEAR(sdJoint_GetPlace(world, joint, SD_AXIS_TURN_X), -1.0, LIMIT_TOLERANCE);
    CHECK_NEAR(sdJoint_GetTorque(world, joint).z, 3.0 * GRAVITY * 0.5 * cos(1.0), 0.1);
    sdWorld_Destroy(world);
}

/// A small body at the end of a long arm: what stops its turning is mostly the lock of its anchor.
/// Limits that spun it up before locks held it threw it away.
static void dropOnLimit(sdJointType type, float length, float inertia, int subSteps) {
    sdWorldDef def = sdWorldDef_Default();
    def.jointSubStepCount = subSteps;
    sdWorld* world = NULL;
    REQUIRE(sdWorld_Create(NULL, &def, &world) == SD_OK);
    sdBodyId a = TestJoint_AddMass(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), 1.0f, 1.0f);
    sdBodyId b = TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make((double)length, 0.0, 0.0),
                                   RIG_MASS, inertia);
    sdJointDef jointDef = sdJointDef_Make(type, a, b);
    jointDef.coneAngle = 0.5f;
    jointDef.axes[SD_AXIS_TURN_X] = limited(-0.5f, 0.5f);
    // the axis of a hinge lies level, that of a cone along the arm
    sdJointId joint =
        TestJoint_Join(world, jointDef, sdPos_Make(0.0, 0.0, 0.0),
                       type == SD_JOINT_BALL ? sdV3(1.0f, 0.0f, 0.0f) : sdV3(0.0f, 0.0f, 1.0f));
    float fastest = 0.0f, worst = 0.0f, angle;
    for (int i = 0; i < 240; ++i) {
        REQUIRE(sdWorld_Step(world, 1.0f / 60.0f) == SD_OK);
        fastest = sdMaxF(fastest, sdLength(sdBody_GetVelocity(world, b)));
        worst = sdMaxF(worst, sdJoint_GetError(world, joint, &angle));
    }
    // no faster than what falls as far
    double drop = (double)length * sin(0.5);
    CHECK((double)fastest < 1.1 * sqrt(2.0 * 9.81 * drop));
    CHECK((double)fastest > 0.8 * sqrt(2.0 * 9.81 * drop * 0.8));
    CHECK(worst < 0.01f * length);
    CHECK_NEAR(sdBody_GetCenter(world, b).y, -drop, 0.01 * (double)length);
    sdWorld_Destroy(world);
}

SD_TEST(joint_limits_stop_small_bodies_on_long_arms) {
    static const float lengths[] = {0.3f, 1.0f, 7.0f};
    static const float shares[] = {0.4f, 1e-2f, 4e-3f, 1e-3f};
    for (int i = 0; i < 3 * 4 * 2 * 2; ++i) {
        float length = lengths[i % 3], share = shares[i / 3 % 4];
        dropOnLimit(i / 12 % 2 == 0 ? SD_JOINT_HINGE : SD_JOINT_BALL, length,
                    share * RIG_MASS * length * length, i / 24 == 0 ? 4 : 8);
    }
}

SD_TEST(joint_cone_and_twist_hold) {
    for (int i = 0; i < 2; ++i) {
        sdJointDef def = sdJointDef_Make(SD_JOINT_BALL, SD_NULL_BODY, SD_NULL_BODY);
        def.coneAngle = 0.6f;
        def.axes[SD_AXIS_TURN_X] = limited(-0.3f, 0.4f);
        JointRig rig = JointRig_MakeFrom(freeDef(i == 0), def, sdPos_Make(0.0, 0.0, 0.0));
        TestRandom random = TestRandom_Make(5);
        float cone = 0.0f, twist = 0.0f;
        for (int k = 0; k < 20; ++k) {
            sdVec3 push = sdScale(5.0f, TestRandom_OnSphere(&random));
            for (int step = 0; step < 40; ++step) {
                JointRig_Push(&rig, none, push, 1);
                sdVec3 x = sdBody_GetWorldVector(rig.world, rig.b, sdV3(1.0f, 0.0f, 0.0f));
                cone = sdMaxF(cone, sdAcos(x.x) - 0.6f);
                float turned = sdJoint_GetPlace(rig.world, rig.joint, SD_AXIS_TURN_X);
                twist = sdMaxF(twist, sdMaxF(turned - 0.4f, -0.3f - turned));
            }
        }
        sdTest_Print("cone by %.3f, twist by %.3f degrees", (double)(cone / DEGREE),
                     (double)(twist / DEGREE));
        // something has been at the limits
        CHECK(cone > -LIMIT_TOLERANCE && twist > -LIMIT_TOLERANCE);
        CHECK(cone < LIMIT_TOLERANCE && twist < LIMIT_TOLERANCE);
        JointRig_Free(&rig);
    }
}

/// Axes that point away from each other come back into their cone, without being thrown.
SD_TEST(joint_cone_takes_back_what_is_far_outside) {
    static const float cones[] = {0.05f, 0.5f, 1.57f, 2.5f, 3.0f};
    for (int i = 0; i < 5 * 2 * 4; ++i) {
        float angle = cones[i % 5], beyond = SD_PI - (float)(i / 10) * 0.03f;
        sdJointDef def = sdJointDef_Make((i / 5) % 2 == 0 ? SD_JOINT_BALL : SD_JOINT_SIX,
                                         SD_NULL_BODY, SD_NULL_BODY);
        def.coneAngle = angle;
        JointRig rig = JointRig_MakeFrom(freeDef(true), def, sdPos_Make(0.0, 0.0, 0.0));
        sdQuat q = sdQuat_FromAxisAngle(sdV3(0.0f, 0.6f, 0.8f), beyond);
        CHECK_INT(sdBody_SetTransform(rig.world, rig.b, sdPos_Make(0.0, 0.0, 0.0), q), SD_OK);
        float fastest = 0.0f;
        for (int k = 0; k < 240; ++k) {
            TestWorld_Run(rig.world, 1);
            fastest = sdMaxF(fastest, sdLength(sdBody_GetAngularVelocity(rig.world, rig.b)));
        }
        sdVec3 x = sdBody_GetWorldVector(rig.world, rig.b, sdV3(1.0f, 0.0f, 0.0f));
        CHECK(sdAcos(x.x) < angle + LIMIT_TOLERANCE);
        CHECK(fastest < 8.0f);
        JointRig_Free(&rig);
    }
}

/// Both limits at once are a lock.
SD_TEST(joint_equal_limits_lock) {
    for (int axis = 0; axis < 6; ++axis) {
        JointRig rig = makeOneAxis(axis, limited(0.2f, 0.2f), true);
        pushAxis(&rig, axis, 3.0f, 60);
        CHECK_NEAR(sdJoint_GetPlace(rig.world, rig.joint, (sdAxis)axis), 0.2, 1e-3);
        pushAxis(&rig, axis, -3.0f, 60);
        CHECK_NEAR(sdJoint_GetPlace(rig.world, rig.joint, (sdAxis)axis), 0.2, 1e-3);
        JointRig_Free(&rig);
    }
}

// ---- motors --------------------------------------------------------------------------------

SD_TEST(joint_motor_reaches_its_speed) {
    for (int i = 0; i < 12; ++i) {
        int axis = i % 6;
        float inertia = axis < 3 ? RIG_MASS : RIG_INERTIA, speed = 2.0f, torque = 4.0f;
        JointRig rig = makeOneAxis(axis, driven(SD_DRIVE_MOTOR, speed, torque), i < 6);
        int steps = 6;
        TestWorld_Run(rig.world, steps);
        // as fast as its force allows
        float expected = torque / inertia * (float)steps * DT;
        CHECK_NEAR(sdJoint_GetSpeed(rig.world, rig.joint, (sdAxis)axis), sdMinF(expected, speed),
                   1e-3 * (double)speed);
        // against a load that it can bear
        pushAxis(&rig, axis, -0.5f * torque, 150);
        CHECK_NEAR(sdJoint_GetSpeed(rig.world, rig.joint, (sdAxis)axis), speed,
                   1e-3 * (double)speed);
        sdVec3 held = axis < 3 ? sdJoint_GetForce(rig.world, rig.joint)
                               : sdJoint_GetTorque(rig.world, rig.joint);
        CHECK_NEAR(sdLength(held), 0.5 * (double)torque, 0.01);
        // and one that it cannot
        pushAxis(&rig, axis, -2.0f * torque, 10);
        CHECK_NEAR(sdJoint_GetSpeed(rig.world, rig.joint, (sdAxis)axis),
                   speed - torque / inertia * 10.0f * DT, 2e-3 * (double)speed);
        JointRig_Free(&rig);
    }
}

SD_TEST(joint_motor_turns_fast_for_long) {
    JointRig rig = JointRig_Make(freeDef(true), SD_JOINT_HINGE);
    JointRig_SetAxis(&rig, SD_AXIS_TURN_X, driven(SD_DRIVE_MOTOR, 60.0f, FLT_MAX));
    float worst = 0.0f;
    for (int i = 0; i < 300; ++i) {
        JointRig_Push(&rig, sdV3(0.0f, 1.0f, 0.0f), sdV3(0.0f, 1.0f, 2.0f), 1);
        float angle, error = sdJoint_GetError(rig.world, rig.joint, &angle);
        worst = sdMaxF(worst, sdMaxF(error, angle));
    }
    CHECK_NEAR(sdJoint_GetSpeed(rig.world, rig.joint, SD_AXIS_TURN_X), 60.0, 0.06);
    CHECK(worst < 1e-3f);
    // and is told to stop
    JointRig_SetAxis(&rig, SD_AXIS_TURN_X, driven(SD_DRIVE_MOTOR, 0.0f, FLT_MAX));
    TestWorld_Run(rig.world, 2);
    CHECK_NEAR(sdJoint_GetSpeed(rig.world, rig.joint, SD_AXIS_TURN_X), 0.0, 1e-3);
    JointRig_Free(&rig);
}

// ---- springs -------------------------------------------------------------------------------

/// x'' + 2 z w x' + w² x = 0 from x0 at rest.
static double swing(double x0, double frequency, double damping, double t) {
    double w = 6.283185307179586 * frequency, d = w * sqrt(1.0 - damping * damping);
    return x0 * exp(-damping * w * t) * (cos(d * t) + damping * w / d * sin(d * t));
}

SD_TEST(joint_spring_has_its_frequency_and_damping) {
    for (int i = 0; i < 24; ++i) {
        int axis = i % 6;
        float damping = i / 6 % 2 == 0 ? 0.1f : 0.7f, target = 0.3f;
        sdJointAxis spring = driven(SD_DRIVE_SPRING, target, FLT_MAX);
        spring.frequency = 1.5f;
        spring.dampingRatio = damping;
        JointRig rig = makeOneAxis(axis, spring, i < 12);
        double worst = 0.0;
        for (int step = 1; step <= 90; ++step) {
            TestWorld_Run(rig.world, 1);
            double expected =
                (double)target + swing(-(double)target, 1.5, (double)damping, (double)step / 60.0);
            double place = (double)sdJoint_GetPlace(rig.world, rig.joint, (sdAxis)axis);
            worst = fmax(worst, fabs(place - expected));
        }
        // implicit springs damp a little more than they say: by w h / 2
        CHECK(worst < 0.05 * (double)target);
        JointRig_Free(&rig);
    }
}

SD_TEST(joint_distance_spring_hangs_where_it_should) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    sdJointDef def = sdJointDef_Make(SD_JOINT_DISTANCE, SD_NULL_BODY, SD_NULL_BODY);
    def.bodyA = TestJoint_AddMass(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), 0.0f, 0.0f);
    def.bodyB = TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(0.0, -1.0, 0.0), 2.0f, 1.0f);
    def.axes[0].drive = SD_DRIVE_SPRING;
    def.axes[0].target = 1.0f;
    def.axes[0].frequency = 2.0f;
    def.axes[0].dampingRatio = 1.0f;
    sdJointId joint;
    REQUIRE(sdJoint_Create(world, &def, &joint) == SD_OK);
    TestWorld_Run(world, 180);
    // m g / k with k = m w²
    CHECK_NEAR(sdJoint_GetPlace(world, joint, SD_AXIS_MOVE_X), 1.0 + GRAVITY / (157.9137), 1e-3);
    CHECK_NEAR(sdJoint_GetForce(world, joint).y, 2.0 * GRAVITY, 0.02);
    sdWorld_Destroy(world);
}

SD_TEST(joint_motor_to_a_pose_draws_the_body_there) {
    JointRig rig = JointRig_Make(freeDef(true), SD_JOINT_MOTOR);
    CHECK_INT(sdBody_SetTransform(rig.world, rig.b, sdPos_Make(0.5, -0.3, 0.2),
                                  sdQuat_FromRotationVector(sdV3(0.4f, -0.7f, 1.2f))),
              SD_OK);
    TestWorld_Run(rig.world, 120);
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(sdJoint_GetPlace(rig.world, rig.joint, (sdAxis)i), 0.0, 1e-3);
    }
    JointRig_Free(&rig);
}

// ---- friction ------------------------------------------------------------------------------

SD_TEST(joint_friction_holds_up_to_its_force) {
    for (int i = 0; i < 12; ++i) {
        int axis = i % 6;
        JointRig rig = makeOneAxis(axis, driven(SD_DRIVE_FRICTION, 0.0f, 2.0f), i < 6);
        pushAxis(&rig, axis, 1.9f, 60);
        CHECK_NEAR(sdJoint_GetPlace(rig.world, rig.joint, (sdAxis)axis), 0.0, 1e-5);
        pushAxis(&rig, axis, 3.0f, 30);
        float inertia = axis < 3 ? RIG_MASS : RIG_INERTIA;
        CHECK_NEAR(sdJoint_GetSpeed(rig.world, rig.joint, (sdAxis)axis), 1.0f / inertia * 0.5f,
                   2e-3);
        pushAxis(&rig, axis, 0.0f, 60);
        CHECK_NEAR(sdJoint_GetSpeed(rig.world, rig.joint, (sdAxis)axis), 0.0, 1e-5);
        JointRig_Free(&rig);
    }
}
