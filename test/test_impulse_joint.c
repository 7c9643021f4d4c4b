// SPDX-License-Identifier: MIT
// Joints of the impulse solver: what they hold and what they leave free, how exactly, at what cost
// of momentum and energy, one by one and together.

#include "joint_support.h"

#include <float.h>
#include <math.h>

static sdWorldDef impulseDef(sdImpulseJointing joints) {
    sdWorldDef def = TestWorld_AwakeDef();
    def.solver = SD_SOLVER_IMPULSE;
    def.impulse.joints = joints;
    return def;
}

static sdWorldDef floatDef(sdImpulseJointing joints) {
    sdWorldDef def = impulseDef(joints);
    def.gravity = sdV3(0.0f, 0.0f, 0.0f);
    return def;
}

// ---- kinds ---------------------------------------------------------------------------------

#define PUSH_STEPS 30

static const sdVec3 pushForce = {0.6f, -0.9f, 0.5f}, pushTorque = {0.2f, 0.15f, -0.25f};

static float at(sdVec3 v, int i) {
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

/// Semi-implicit Euler, from rest.
static float wayOf(float acceleration) {
    return 0.5f * acceleration * DT * DT * (float)(PUSH_STEPS * (PUSH_STEPS + 1));
}

/// Push B along and about all axes: locked ones hold it with as much, the others give way.
static void pushAllAxes(JointRig* rig, uint32_t locked) {
    JointRig_Push(rig, pushForce, pushTorque, PUSH_STEPS);
    sdVec3 f = sdJoint_GetForce(rig->world, rig->joint);
    sdVec3 m = sdJoint_GetTorque(rig->world, rig->joint);
    int turning = 0;
    for (int i = 3; i < 6; ++i) {
        turning += (locked >> i & 1) == 0 ? 1 : 0;
    }
    for (int i = 0; i < 6; ++i) {
        bool isTurn = i >= 3;
        float push = isTurn ? at(pushTorque, i - 3) : at(pushForce, i);
        float place = sdJoint_GetPlace(rig->world, rig->joint, (sdAxis)i);
        float held = isTurn ? at(m, i - 3) : at(f, i);
        if ((locked >> i & 1) != 0) {
            CHECK_NEAR(place, 0.0, 2e-6);
            // what turns takes axes of torque along
            CHECK_NEAR(held, -push, isTurn && turning > 0 ? 0.03 : 1e-3);
        } else {
            float way = wayOf(push / (isTurn ? RIG_INERTIA : RIG_MASS));
            CHECK_NEAR(place, way, isTurn && turning > 1 ? 0.003 : 2e-5);
            CHECK_NEAR(held, 0.0, isTurn && turning == 2 ? 0.02 : 1e-4);
        }
    }
}

SD_TEST(impulse_joint_kinds_hold_and_leave_free) {
    static const struct {
        sdJointType type;
        uint32_t locked;
    } kinds[] = {
        {SD_JOINT_BALL, 7}, {SD_JOINT_HINGE, 7 | 48}, {SD_JOINT_SLIDER, 62}, {SD_JOINT_FIXED, 63}};
    for (int i = 0; i < 8; ++i) {
        JointRig rig = JointRig_Make(floatDef((sdImpulseJointing)(i / 4)), kinds[i % 4].type);
        pushAllAxes(&rig, kinds[i % 4].locked);
        JointRig_Free(&rig);
    }
}

/// S2 §9: 3, 2, 1 or no translations and as many rotations, in any combination.
SD_TEST(impulse_joint_takes_away_any_freedoms) {
    for (uint32_t locked = 0; locked < 128; ++locked) {
        sdJointDef def = sdJointDef_Make(SD_JOINT_SIX, SD_NULL_BODY, SD_NULL_BODY);
        for (int i = 0; i < 6; ++i) {
            def.axes[i].mode = (locked >> i & 1) != 0 ? SD_AXIS_LOCKED : SD_AXIS_FREE;
        }
        JointRig rig = JointRig_MakeFrom(floatDef((sdImpulseJointing)(locked >> 6)), def,
                                         sdPos_Make(1e5, 0.0, -1e5));
        pushAllAxes(&rig, locked & 63);
        JointRig_Free(&rig);
    }
}

/// Long bodies on ball, hinge, rod and slider, with all sorts of moments, swing and turn.
SD_TEST(impulse_joint_holds_what_swings) {
    static const sdJointType types[] = {SD_JOINT_BALL, SD_JOINT_HINGE, SD_JOINT_DISTANCE,
                                        SD_JOINT_SLIDER};
    for (int i = 0; i < 4; ++i) {
        sdWorld* world = TestWorld_Make(impulseDef(SD_JOINTS_TOGETHER));
        sdBodyId a =
            TestJoint_AddMass(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), 0.0f, 0.0f);
        sdBodyId b = TestWorld_AddDynamic(world, sdPos_Make(0.8, 0.1, 0.0),
                                          sdShapeDef_Default(sdShape_Box(0.5f, 0.1f, 0.2f)));
        CHECK_INT(sdBody_SetVelocity(world, b, sdV3(0.0f, 0.0f, 0.0f), sdV3(1.0f, 1.0f, 0.5f)),
                  SD_OK);
        sdJointDef def = sdJointDef_Make(types[i], a, b);
        if (types[i] == SD_JOINT_DISTANCE) {
            def.frameB.p = sdV3(-0.4f, 0.1f, 0.1f);
            def.axes[0].lower = def.axes[0].upper = sdLength(sdV3(0.4f, 0.2f, 0.1f));
            sdJointId id;
            CHECK_INT(sdJoint_Create(world, &def, &id), SD_OK);
        } else {
            TestJoint_Join(world, def, sdPos_Make(0.2, 0.0, 0.1), sdV3(0.48f, 0.6f, 0.64f));
        }
        TestWorld_Run(world, 1);
        double start = TestJoint_Energy(world), most = start, least = start;
        float worst = 0.0f, worstAngle = 0.0f;
        for (int step = 0; step < 240; ++step) {
            TestWorld_Run(world, 1);
            float angle;
            worst = sdMaxF(worst, TestJoint_WorstError(world, &angle));
            worstAngle = sdMaxF(worstAngle, angle);
            most = fmax(most, TestJoint_Energy(world));
            least = fmin(least, TestJoint_Energy(world));
        }
        double scale = (double)sdBody_GetMass(world, b).mass * GRAVITY;
        sdTest_Print("kind %d: off by %.5f mm and %.5f mrad, energy from %.3f to %.3f m of height",
                     (int)types[i], 1e3 * (double)worst, 1e3 * (double)worstAngle,
                     (least - start) / scale, (most - start) / scale);
        CHECK(worst < 2e-4f && worstAngle < 2e-4f);
        CHECK(most - start < 0.1 * scale);
        CHECK(types[i] == SD_JOINT_SLIDER || start - least < 0.1 * scale);
        sdWorld_Destroy(world);
    }
}

// ---- accuracy ------------------------------------------------------------------------------

/// S2 §9.1: "one to two iterations" at 25 Hz to 1e-6 m, unless bodies are fast.
SD_TEST(impulse_joint_two_iterations_are_exact_at_25_hz) {
    for (int mode = 0; mode < SD_JOINTING_COUNT; ++mode) {
        sdWorldDef def = impulseDef((sdImpulseJointing)mode);
        def.impulse.jointPassCount = mode == SD_JOINTS_TOGETHER ? 2 : 10;
        sdWorld* world = TestWorld_Make(def);
        // let go 20 degrees from the plumb line, as a swing
        TestJoint_AddChain(world, 5, sdPos_Make(0.0, 0.0, 0.0), sdV3(0.171f, -0.4698f, 0.0f), 1.0f);
        float worst = 0.0f;
        for (int i = 0; i < 250; ++i) {
            CHECK_INT(sdWorld_Step(world, 0.04f), SD_OK);
            worst = sdMaxF(worst, TestJoint_WorstError(world, NULL));
        }
        sdTest_Print("%s, %d iterations: off by %.6f mm at most",
                     mode == SD_JOINTS_TOGETHER ? "together" : "one by one",
                     def.impulse.jointPassCount, 1e3 * (double)worst);
        CHECK(worst < (mode == SD_JOINTS_TOGETHER ? 1e-6f : 1e-2f));
        sdWorld_Destroy(world);
    }
}

typedef struct Momentum {
    double linear[3], angular[3];
} Momentum;

static void addCross(double* sum, const double* a, const double* b) {
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        sum[i] += a[j] * b[k] - a[k] * b[j];
    }
}

static Momentum momentumOf(const sdWorld* world) {
    sdBodyId bodies[64];
    Momentum r = {{0.0}, {0.0}};
    int count = sdMinI(sdWorld_GetBodies(world, bodies, 64), 64);
    for (int i = 0; i < count; ++i) {
        sdMassProps mass = sdBody_GetMass(world, bodies[i]);
        sdVec3 v = sdBody_GetVelocity(world, bodies[i]);
        sdVec3 w =
            sdBody_GetLocalVector(world, bodies[i], sdBody_GetAngularVelocity(world, bodies[i]));
        sdVec3 l = sdBody_GetWorldVector(world, bodies[i], sdMulMV(mass.inertia, w));
        sdPos p = sdBody_GetCenter(world, bodies[i]);
        double m = (double)mass.mass, x[3] = {p.x, p.y, p.z};
        double mv[3] = {m * (double)v.x, m * (double)v.y, m * (double)v.z};
        for (int k = 0; k < 3; ++k) {
            r.linear[k] += mv[k];
            r.angular[k] += (double)at(l, k);
        }
        addCross(r.angular, x, mv);
    }
    return r;
}

/// A chain of boxes, joined in all ways, that floats, is thrown and turns.
static void addFlail(sdWorld* world) {
    static const sdJointType types[] = {SD_JOINT_BALL, SD_JOINT_HINGE, SD_JOINT_FIXED,
                                        SD_JOINT_SLIDER};
    sdBodyId last = SD_NULL_BODY;
    for (int i = 0; i < 9; ++i) {
        sdShapeDef shape = sdShapeDef_Default(sdShape_Box(0.15f, 0.05f, 0.1f));
        sdBodyId next = TestWorld_AddDynamic(world, sdPos_Make(0.4 * i, 0.0, 0.0), shape);
        CHECK_INT(sdBody_SetVelocity(world, next, sdV3(0.3f, 1.5f * sinf((float)i), 0.4f),
                                     sdV3(0.0f, 1.0f, 0.5f * (float)(i % 3))),
                  SD_OK);
        if (i > 0) {
            sdJointDef def = sdJointDef_Make(types[i % 4], last, next);
            if (types[i % 4] == SD_JOINT_SLIDER) {
                def.axes[SD_AXIS_MOVE_X].mode = SD_AXIS_LIMITED;
                def.axes[SD_AXIS_MOVE_X].lower = -0.05f;
                def.axes[SD_AXIS_MOVE_X].upper = 0.2f;
            }
            TestJoint_Join(world, def, sdPos_Make(0.4 * i - 0.2, 0.0, 0.0), sdV3(1.0f, 0.0f, 0.0f));
        }
        last = next;
    }
}

SD_TEST(impulse_joint_momentum_is_kept) {
    for (int mode = 0; mode < SD_JOINTING_COUNT; ++mode) {
        sdWorld* world = TestWorld_Make(floatDef((sdImpulseJointing)mode));
        addFlail(world);
        Momentum before = momentumOf(world);
        double energy = TestJoint_Energy(world), most = 0.0, worst = 0.0;
        for (int i = 0; i < 240; ++i) {
            TestWorld_Run(world, 1);
            Momentum now = momentumOf(world);
            for (int k = 0; k < 3; ++k) {
                worst = fmax(worst, fabs(now.linear[k] - before.linear[k]));
                worst = fmax(worst, fabs(now.angular[k] - before.angular[k]));
            }
            most = fmax(most, TestJoint_Energy(world));
        }
        sdTest_Print("momentum off by %.4f of about 40, energy %.1f of %.1f J at most", worst, most,
                     energy);
        CHECK(worst < 0.04);
        CHECK(most < 1.001 * energy);
        sdWorld_Destroy(world);
    }
}

/// A chain that is let go level, and whips.
SD_TEST(impulse_joint_energy_does_not_grow) {
    for (int count = 1; count <= 20; count += 19) {
        sdWorld* world = TestWorld_Make(impulseDef(SD_JOINTS_TOGETHER));
        TestJoint_AddChain(world, count, sdPos_Make(0.0, 0.0, 0.0), sdV3(0.2f, 0.0f, 0.0f), 1.0f);
        double fall = GRAVITY * count * 0.1 * count, most = -DBL_MAX;
        float worst = 0.0f;
        for (int i = 0; i < 600; ++i) {
            TestWorld_Run(world, 1);
            most = fmax(most, TestJoint_Energy(world));
            worst = sdMaxF(worst, TestJoint_WorstError(world, NULL));
        }
        sdTest_Print("%d links: energy %.2f %% of the fall at most, at the end %.2f %%; joints off "
                     "by %.4f mm",
                     count, 1e2 * most / fall, 1e2 * TestJoint_Energy(world) / fall,
                     1e3 * (double)worst);
        CHECK(most < 0.1 * fall);
        // twenty links whip by more than Newton's method can follow at 60 steps a second
        CHECK(worst < (count == 1 ? 1e-5f : 0.1f));
        sdWorld_Destroy(world);
    }
}

// ---- limits and drives ---------------------------------------------------------------------

static sdJointAxis driven(sdDriveKind drive, float target, float maxForce) {
    return (sdJointAxis){.mode = SD_AXIS_FREE,
                         .drive = drive,
                         .target = target,
                         .maxForce = maxForce,
                         .frequency = 1.5f,
                         .dampingRatio = 0.5f};
}

SD_TEST(impulse_joint_limits_hold) {
    for (int mode = 0; mode < SD_JOINTING_COUNT; ++mode) {
        for (int sign = -1; sign <= 1; sign += 2) {
            JointRig rig = JointRig_Make(floatDef((sdImpulseJointing)mode), SD_JOINT_HINGE);
            sdJointAxis axis = {.mode = SD_AXIS_LIMITED, .lower = -0.4f, .upper = 0.6f};
            JointRig_SetAxis(&rig, SD_AXIS_TURN_X, axis);
            JointRig_Push(&rig, sdV3(1.0f, 2.0f, 3.0f), sdV3((float)sign, 0.2f, 0.1f), 120);
            CHECK_NEAR(sdJoint_GetPlace(rig.world, rig.joint, SD_AXIS_TURN_X),
                       sign > 0 ? 0.6 : -0.4, 1e-4);
            CHECK_NEAR(sdJoint_GetTorque(rig.world, rig.joint).x, -(double)sign, 1e-2);
            // and lets go
            JointRig_Push(&rig, sdV3(0.0f, 0.0f, 0.0f), sdV3(-0.1f * (float)sign, 0.0f, 0.0f), 30);
            CHECK(sdAbsF(sdJoint_GetPlace(rig.world, rig.joint, SD_AXIS_TURN_X)) < 0.59f);
            JointRig_Free(&rig);
        }
    }
}

SD_TEST(impulse_joint_rope_and_cone_hold) {
    sdWorld* world = TestWorld_Make(impulseDef(SD_JOINTS_TOGETHER));
    sdBodyId a = TestJoint_AddMass(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), 0.0f, 0.0f);
    sdBodyId b = TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(0.5, 0.0, 0.0), 2.0f, 0.1f);
    sdJointDef rope = sdJointDef_Make(SD_JOINT_DISTANCE, a, b);
    rope.axes[0].upper = 1.0f;
    sdJointId ropeId;
    CHECK_INT(sdJoint_Create(world, &rope, &ropeId), SD_OK);
    sdBodyId c = TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(5.0, 0.4, 0.0), 2.0f, 0.1f);
    sdJointDef ball = sdJointDef_Make(SD_JOINT_BALL, a, c);
    ball.coneAngle = 0.5f;
    sdJointId ballId =
        TestJoint_Join(world, ball, sdPos_Make(5.0, 0.0, 0.0), sdV3(0.0f, 1.0f, 0.0f));
    CHECK_INT(sdBody_SetVelocity(world, c, sdV3(0.3f, 0.0f, 0.1f), sdV3(0.0f, 0.0f, 0.0f)), SD_OK);
    float longest = 0.0f, widest = 0.0f;
    for (int i = 0; i < 300; ++i) {
        TestWorld_Run(world, 1);
        longest = sdMaxF(longest, sdJoint_GetPlace(world, ropeId, SD_AXIS_MOVE_X));
        sdVec3 axis = sdBody_GetWorldVector(world, c, sdV3(0.0f, 1.0f, 0.0f));
        widest = sdMaxF(widest, sdAcos(axis.y));
    }
    sdTest_Print("rope of 1 m: %.4f m, cone of 0.5: %.4f", (double)longest, (double)widest);
    CHECK(longest < 1.002f && longest > 0.99f);
    CHECK(widest < 0.51f && widest > 0.49f);
    CHECK(sdJoint_GetError(world, ballId, NULL) < 1e-4f);
    sdWorld_Destroy(world);
}

SD_TEST(impulse_joint_motors_and_friction) {
    JointRig rig = JointRig_Make(floatDef(SD_JOINTS_TOGETHER), SD_JOINT_HINGE);
    JointRig_SetAxis(&rig, SD_AXIS_TURN_X, driven(SD_DRIVE_MOTOR, 3.0f, FLT_MAX));
    JointRig_Push(&rig, sdV3(0.0f, 0.0f, 0.0f), sdV3(-2.0f, 0.0f, 0.0f), 30);
    CHECK_NEAR(sdJoint_GetSpeed(rig.world, rig.joint, SD_AXIS_TURN_X), 3.0, 1e-3);
    CHECK_NEAR(sdJoint_GetTorque(rig.world, rig.joint).x, 2.0, 1e-2);
    // as strong as it may be: 0.5 N m on 0.5 kg m²
    JointRig_SetAxis(&rig, SD_AXIS_TURN_X, driven(SD_DRIVE_MOTOR, 30.0f, 0.5f));
    TestWorld_Run(rig.world, 60);
    CHECK_NEAR(sdJoint_GetSpeed(rig.world, rig.joint, SD_AXIS_TURN_X), 4.0, 1e-2);
    JointRig_SetAxis(&rig, SD_AXIS_TURN_X, driven(SD_DRIVE_FRICTION, 0.0f, 1.0f));
    TestWorld_Run(rig.world, 60);
    CHECK_NEAR(sdJoint_GetSpeed(rig.world, rig.joint, SD_AXIS_TURN_X), 2.0, 1e-2);
    TestWorld_Run(rig.world, 90);
    CHECK_NEAR(sdJoint_GetSpeed(rig.world, rig.joint, SD_AXIS_TURN_X), 0.0, 1e-4);
    JointRig_Free(&rig);
}

/// x'' + 2 z w x' + w² x = 0 from x0 at rest.
static double swing(double x0, double frequency, double damping, double t) {
    double w = 6.283185307179586 * frequency, d = w * sqrt(1.0 - damping * damping);
    return x0 * exp(-damping * w * t) * (cos(d * t) + damping * w / d * sin(d * t));
}

/// On an axis with its locks: of a door, the spring's frequency is that with the door's mass.
SD_TEST(impulse_joint_springs_have_their_frequency) {
    for (int kind = 0; kind < 2; ++kind) {
        sdWorld* world = TestWorld_Make(floatDef(SD_JOINTS_TOGETHER));
        sdBodyId a =
            TestJoint_AddMass(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), 0.0f, 0.0f);
        sdBodyId b =
            TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(0.0, 0.6, 0.0), 2.0f, 0.1f);
        sdJointDef def = sdJointDef_Make(kind == 0 ? SD_JOINT_HINGE : SD_JOINT_SLIDER, a, b);
        sdAxis axis = kind == 0 ? SD_AXIS_TURN_X : SD_AXIS_MOVE_X;
        def.axes[axis] = driven(SD_DRIVE_SPRING, 0.3f, FLT_MAX);
        sdJointId joint =
            TestJoint_Join(world, def, sdPos_Make(0.0, 0.0, 0.0), sdV3(1.0f, 0.0f, 0.0f));
        double worst = 0.0;
        for (int i = 1; i <= 360; ++i) {
            CHECK_INT(sdWorld_Step(world, 1.0f / 240.0f), SD_OK);
            double expected = 0.3 + swing(-0.3, 1.5, 0.5, (double)i / 240.0);
            worst = fmax(worst, fabs((double)sdJoint_GetPlace(world, joint, axis) - expected));
        }
        sdTest_Print("off by %.4f of 0.3", worst);
        CHECK(worst < 0.015);
        sdWorld_Destroy(world);
    }
}

SD_TEST(impulse_joint_motor_draws_to_a_pose) {
    JointRig rig = JointRig_Make(impulseDef(SD_JOINTS_TOGETHER), SD_JOINT_MOTOR);
    sdJointAxis axis = driven(SD_DRIVE_SPRING, 0.4f, FLT_MAX);
    axis.dampingRatio = 1.0f;
    JointRig_SetAxis(&rig, SD_AXIS_MOVE_X, axis);
    JointRig_SetAxis(&rig, SD_AXIS_TURN_Z, axis);
    TestWorld_Run(rig.world, 240);
    CHECK_NEAR(sdJoint_GetPlace(rig.world, rig.joint, SD_AXIS_MOVE_X), 0.4, 1e-3);
    CHECK_NEAR(sdJoint_GetPlace(rig.world, rig.joint, SD_AXIS_TURN_Z), 0.4, 1e-3);
    JointRig_Free(&rig);
}

// ---- world ---------------------------------------------------------------------------------

SD_TEST(impulse_joint_reads_a_weight_and_breaks) {
    for (int i = 0; i < 2; ++i) {
        sdJointDef def = sdJointDef_Make(SD_JOINT_FIXED, SD_NULL_BODY, SD_NULL_BODY);
        float weight = RIG_MASS * (float)GRAVITY;
        def.maxForce = i == 0 ? 1.05f * weight : 0.95f * weight;
        JointRig rig =
            JointRig_MakeFrom(impulseDef(SD_JOINTS_TOGETHER), def, sdPos_Make(0.0, 0.0, 0.0));
        TestWorld_Run(rig.world, 1);
        int broken;
        sdWorld_GetBrokenJoints(rig.world, &broken);
        CHECK_INT(broken, i);
        TestWorld_Run(rig.world, 10);
        CHECK_NEAR(sdJoint_GetForce(rig.world, rig.joint).y, i == 0 ? (double)weight : 0.0, 1e-3);
        CHECK((sdBody_GetCenter(rig.world, rig.b).y < -0.01) == (i == 1));
        JointRig_Free(&rig);
    }
}

SD_TEST(impulse_joint_kinematic_partner_carries) {
    sdWorld* world = TestWorld_Make(impulseDef(SD_JOINTS_TOGETHER));
    sdBodyId a = TestJoint_AddMass(world, SD_BODY_KINEMATIC, sdPos_Make(0.0, 5.0, 0.0), 0.0f, 0.0f);
    sdBodyId b = TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(0.0, 4.0, 0.0), 1.0f, 0.1f);
    TestJoint_Join(world, sdJointDef_Make(SD_JOINT_FIXED, a, b), sdPos_Make(0.0, 4.5, 0.0),
                   sdV3(1.0f, 0.0f, 0.0f));
    CHECK_INT(sdBody_SetVelocity(world, a, sdV3(1.0f, 0.5f, 0.0f), sdV3(0.0f, 0.0f, 0.0f)), SD_OK);
    TestWorld_Run(world, 60);
    sdPos p = sdBody_GetCenter(world, b);
    CHECK_NEAR(p.x, 1.0, 1e-4);
    CHECK_NEAR(p.y, 4.5, 1e-4);
    sdWorld_Destroy(world);
}

/// Six boxes in a ring of hinges that falls on the ground: joints, contacts and shock in one step.
SD_TEST(impulse_joint_ring_comes_to_rest_on_the_ground) {
    sdWorld* world = TestWorld_Make(impulseDef(SD_JOINTS_TOGETHER));
    TestWorld_AddFloor(world, TestWorld_Friction(0.6f));
    sdBodyId bodies[6];
    for (int i = 0; i < 6; ++i) {
        float angle = (float)i * (SD_PI / 3.0f);
        sdPos p = {(double)sdCos(angle), 1.0, (double)sdSin(angle)};
        bodies[i] = TestWorld_AddBody(world, SD_BODY_DYNAMIC, p,
                                      sdQuat_FromAxisAngle(sdV3(0.0f, 1.0f, 0.0f), -angle),
                                      sdShapeDef_Default(sdShape_Box(0.15f, 0.1f, 0.3f)));
    }
    for (int i = 0; i < 6; ++i) {
        float angle = ((float)i + 0.5f) * (SD_PI / 3.0f);
        TestJoint_Join(world, sdJointDef_Make(SD_JOINT_BALL, bodies[i], bodies[(i + 1) % 6]),
                       sdPos_Make(0.9 * (double)sdCos(angle), 1.0, 0.9 * (double)sdSin(angle)),
                       sdV3(0.0f, 1.0f, 0.0f));
    }
    float worst = 0.0f, speed = 0.0f;
    for (int i = 0; i < 240; ++i) {
        TestWorld_Run(world, 1);
        worst = sdMaxF(worst, TestJoint_WorstError(world, NULL));
    }
    for (int i = 0; i < 6; ++i) {
        speed = sdMaxF(speed, sdLength(sdBody_GetVelocity(world, bodies[i])));
        CHECK_NEAR(sdBody_GetCenter(world, bodies[i]).y, 0.1, 2e-3);
    }
    sdTest_Print("joints off by %.3f mm at most, in the end %.4f mm; %.5f m/s", 1e3 * (double)worst,
                 1e3 * (double)TestJoint_WorstError(world, NULL), (double)speed);
    CHECK(worst < 2e-3f && speed < 1e-3f);
    sdWorld_Destroy(world);
}

/// Too wide to be solved together: it stretches, but stays what it is.
SD_TEST(impulse_joint_net_stays_together) {
    enum { SIDE = 8 };
    sdWorld* world = TestWorld_Make(impulseDef(SD_JOINTS_TOGETHER));
    sdBodyId knots[SIDE][SIDE];
    for (int x = 0; x < SIDE; ++x) {
        for (int z = 0; z < SIDE; ++z) {
            bool isCorner = (x == 0 || x == SIDE - 1) && (z == 0 || z == SIDE - 1);
            knots[x][z] = TestJoint_AddMass(world, isCorner ? SD_BODY_STATIC : SD_BODY_DYNAMIC,
                                            sdPos_Make(0.2 * x, 0.0, 0.2 * z), 0.1f, 0.001f);
            sdPos left = {0.2 * x - 0.1, 0.0, 0.2 * z}, front = {0.2 * x, 0.0, 0.2 * z - 0.1};
            if (x > 0) {
                TestJoint_Join(world, sdJointDef_Make(SD_JOINT_BALL, knots[x - 1][z], knots[x][z]),
                               left, sdV3(1.0f, 0.0f, 0.0f));
            }
            if (z > 0) {
                TestJoint_Join(world, sdJointDef_Make(SD_JOINT_BALL, knots[x][z - 1], knots[x][z]),
                               front, sdV3(1.0f, 0.0f, 0.0f));
            }
        }
    }
    float worst = 0.0f;
    for (int i = 0; i < 60; ++i) {
        TestWorld_Run(world, 1);
        worst = sdMaxF(worst, TestJoint_WorstError(world, NULL));
    }
    sdTest_Print("off by %.1f mm at most, of 200 mm", 1e3 * (double)worst);
    CHECK(worst < 0.2f);
    sdWorld_Destroy(world);
}

static sdResult buildAndStep(const sdContext* context, void* arg) {
    sdWorldDef def = impulseDef(*(const sdImpulseJointing*)arg);
    sdWorld* world = NULL;
    sdBodyDef bodyDef = sdBodyDef_Default();
    sdBodyId last, next;
    sdJointId id;
    sdResult result = sdWorld_Create(context, &def, &world);
    result = result == SD_OK ? sdBody_Create(world, &bodyDef, &last) : result;
    bodyDef.type = SD_BODY_DYNAMIC;
    for (int i = 0; i < 10 && result == SD_OK; ++i) {
        bodyDef.position.x = 0.5 * i;
        result = sdBody_Create(world, &bodyDef, &next);
        sdJointDef joint = sdJointDef_Make((sdJointType)(i % SD_JOINT_TYPE_COUNT), last, next);
        result = result == SD_OK ? sdJoint_Create(world, &joint, &id) : result;
        last = next;
    }
    for (int i = 0; i < 3 && result == SD_OK; ++i) {
        result = sdWorld_Step(world, DT);
    }
    sdWorld_Destroy(world);
    return result;
}

SD_TEST(impulse_joint_survives_every_failing_allocation) {
    for (int mode = 0; mode < SD_JOINTING_COUNT; ++mode) {
        sdImpulseJointing joints = (sdImpulseJointing)mode;
        CHECK(TestContext_FailEach(buildAndStep, &joints) > 5);
    }
}
