// SPDX-License-Identifier: MIT
// Every kind of joint alone: its free axes move as if it were not there, its locked ones do not,
// and what it holds is what statics says.

#include "joint_support.h"

/// Pushed by these for so many steps.
#define STEPS 30
static const sdVec3 force = {0.8f, -1.1f, 0.6f};
static const sdVec3 torque = {0.2f, -0.15f, 0.1f};

static float at(sdVec3 v, int i) {
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

/// As the midpoint of all the positions that sub-steps go through would have it: a t² / 2, and a t
/// h / 2 more.
static float wayOf(float acceleration, const sdWorld* world) {
    float t = (float)STEPS * DT, h = DT / (float)(2 * sdWorld_GetDef(world).jointSubStepCount);
    return 0.5f * acceleration * t * (t + h);
}

/// @param locked axes, as bits
static void pushAllAxes(JointRig* rig, uint32_t locked) {
    JointRig_Push(rig, force, torque, STEPS);
    sdVec3 f = sdJoint_GetForce(rig->world, rig->joint);
    sdVec3 m = sdJoint_GetTorque(rig->world, rig->joint);
    int turning = 0;
    for (int i = 3; i < 6; ++i) {
        turning += (locked >> i & 1) == 0 ? 1 : 0;
    }
    for (int i = 0; i < 6; ++i) {
        bool isTurn = i >= 3, isLocked = (locked >> i & 1) != 0;
        float push = isTurn ? at(torque, i - 3) : at(force, i);
        float place = sdJoint_GetPlace(rig->world, rig->joint, (sdAxis)i);
        float held = isTurn ? at(m, i - 3) : at(f, i);
        if (isLocked) {
            CHECK_NEAR(place, 0.0, 1e-5);
            // what turns takes axes of torque along
            CHECK_NEAR(held, -push, isTurn && turning > 0 ? 0.03 : 1e-3);
        } else {
            float way = wayOf(push / (isTurn ? RIG_INERTIA : RIG_MASS), rig->world);
            CHECK_NEAR(place, way, isTurn && turning > 1 ? 0.003 : 2e-5);
            // a locked axis leans when others turn
            CHECK_NEAR(held, 0.0, isTurn && turning == 2 ? 0.01 : 1e-4);
        }
    }
}

static sdWorldDef freeDef(bool enableDirect) {
    sdWorldDef def = TestWorld_FreeDef();
    def.enableDirect = enableDirect;
    return def;
}

SD_TEST(joint_kinds_move_freely_and_hold) {
    static const struct {
        sdJointType type;
        uint32_t locked;
    } kinds[] = {
        {SD_JOINT_BALL, 7}, {SD_JOINT_HINGE, 7 | 48}, {SD_JOINT_SLIDER, 62}, {SD_JOINT_FIXED, 63}};
    for (int i = 0; i < 8; ++i) {
        JointRig rig = JointRig_Make(freeDef(i < 4), kinds[i % 4].type);
        pushAllAxes(&rig, kinds[i % 4].locked);
        JointRig_Free(&rig);
    }
}

SD_TEST(joint_six_axes_in_all_combinations) {
    for (uint32_t locked = 0; locked < 128; ++locked) {
        sdJointDef def = sdJointDef_Make(SD_JOINT_SIX, SD_NULL_BODY, SD_NULL_BODY);
        for (int i = 0; i < 6; ++i) {
            def.axes[i].mode = (locked >> i & 1) != 0 ? SD_AXIS_LOCKED : SD_AXIS_FREE;
        }
        JointRig rig = JointRig_MakeFrom(freeDef(locked < 64), def, sdPos_Make(0.0, 0.0, 0.0));
        pushAllAxes(&rig, locked & 63);
        JointRig_Free(&rig);
    }
}

SD_TEST(joint_at_a_distance_is_as_at_the_origin) {
    sdJointType types[4] = {SD_JOINT_BALL, SD_JOINT_HINGE, SD_JOINT_SLIDER, SD_JOINT_FIXED};
    for (int i = 0; i < 4; ++i) {
        sdJointDef def = sdJointDef_Make(types[i], SD_NULL_BODY, SD_NULL_BODY);
        JointRig near = JointRig_MakeFrom(freeDef(true), def, sdPos_Make(0.0, 0.0, 0.0));
        JointRig far = JointRig_MakeFrom(freeDef(true), def, sdPos_Make(1e6, -1e6, 1e6));
        JointRig_Push(&near, force, torque, STEPS);
        JointRig_Push(&far, force, torque, STEPS);
        for (int k = 0; k < 6; ++k) {
            CHECK_NEAR(sdJoint_GetPlace(far.world, far.joint, (sdAxis)k),
                       sdJoint_GetPlace(near.world, near.joint, (sdAxis)k), 1e-6);
        }
        JointRig_Free(&near);
        JointRig_Free(&far);
    }
}

/// A joint of A with B is one of B with A.
SD_TEST(joint_of_swapped_bodies_is_the_same) {
    sdJointType types[5] = {SD_JOINT_BALL, SD_JOINT_HINGE, SD_JOINT_SLIDER, SD_JOINT_FIXED,
                            SD_JOINT_DISTANCE};
    for (int t = 0; t < 5; ++t) {
        sdPos ends[2];
        sdVec3 forces[2];
        for (int s = 0; s < 2; ++s) {
            sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
            sdBodyId pin =
                TestJoint_AddMass(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), 0.0f, 0.0f);
            sdBodyId bob = TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(0.5, 0.0, 0.2),
                                             RIG_MASS, RIG_INERTIA);
            sdJointDef def = sdJointDef_Make(types[t], s == 0 ? pin : bob, s == 0 ? bob : pin);
            sdJointId joint;
            if (types[t] == SD_JOINT_DISTANCE) {
                def.axes[0].lower = def.axes[0].upper = sdLength(sdV3(0.5f, 0.0f, 0.2f));
                CHECK_INT(sdJoint_Create(world, &def, &joint), SD_OK);
            } else {
                joint =
                    TestJoint_Join(world, def, sdPos_Make(0.0, 0.0, 0.0), sdV3(0.6f, 0.0f, 0.8f));
            }
            TestWorld_Run(world, 20);
            ends[s] = sdBody_GetCenter(world, bob);
            forces[s] = sdScale(s == 0 ? 1.0f : -1.0f, sdJoint_GetForce(world, joint));
            sdWorld_Destroy(world);
        }
        CHECK_NEAR(sdLength(sdPos_Sub(ends[0], ends[1])), 0.0, 1e-4);
        CHECK_NEAR(sdLength(sdSub(forces[0], forces[1])), 0.0, 0.02 * (double)sdLength(forces[0]));
    }
}

// ---- statics -------------------------------------------------------------------------------

SD_TEST(joint_reads_a_weight_and_a_lever) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    sdBodyId wall = TestJoint_AddMass(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), 0.0f, 0.0f);
    sdBodyId beam =
        TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(1.5, 0.0, 0.0), RIG_MASS, RIG_INERTIA);
    sdJointId root = TestJoint_Join(world, sdJointDef_Make(SD_JOINT_FIXED, wall, beam),
                                    sdPos_Make(0.0, 0.0, 0.0), sdV3(1.0f, 0.0f, 0.0f));
    // hangs at the beam's end
    sdBodyId weight =
        TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(3.0, -1.0, 0.0), 5.0f, 1.0f);
    sdJointId hook = TestJoint_Join(world, sdJointDef_Make(SD_JOINT_BALL, beam, weight),
                                    sdPos_Make(3.0, 0.0, 0.0), sdV3(0.0f, 1.0f, 0.0f));
    TestWorld_Run(world, 120);
    sdVec3 f = sdJoint_GetForce(world, hook);
    CHECK_NEAR(f.y, 5.0 * GRAVITY, 0.02);
    CHECK_NEAR(f.x, 0.0, 0.05);
    f = sdJoint_GetForce(world, root);
    CHECK_NEAR(f.y, 7.0 * GRAVITY, 0.05);
    sdVec3 m = sdJoint_GetTorque(world, root);
    CHECK_NEAR(m.z, GRAVITY * (2.0 * 1.5 + 5.0 * 3.0), 0.5);
    sdWorld_Destroy(world);
}

/// A rope holds a weight and lets it rise; a rod does neither.
SD_TEST(joint_distance_is_a_rope_or_a_rod) {
    for (int i = 0; i < 4; ++i) {
        bool isRod = i % 2 == 1;
        sdJointDef def = sdJointDef_Make(SD_JOINT_DISTANCE, SD_NULL_BODY, SD_NULL_BODY);
        def.axes[0].lower = isRod ? 1.0f : 0.0f;
        def.axes[0].upper = 1.0f;
        sdWorldDef worldDef = TestWorld_AwakeDef();
        worldDef.enableDirect = i < 2;
        sdWorld* world = TestWorld_Make(worldDef);
        def.bodyA = TestJoint_AddMass(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), 0.0f, 0.0f);
        def.bodyB = TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(0.0, -1.0, 0.0), RIG_MASS,
                                      RIG_INERTIA);
        sdJointId joint;
        REQUIRE(sdJoint_Create(world, &def, &joint) == SD_OK);
        TestWorld_Run(world, 60);
        CHECK_NEAR(sdJoint_GetPlace(world, joint, SD_AXIS_MOVE_X), 1.0, 1e-3);
        CHECK_NEAR(sdJoint_GetForce(world, joint).y, 2.0 * GRAVITY, 0.05);
        // 5 m/s would take it up by 1.27 m
        CHECK_INT(
            sdBody_SetVelocity(world, def.bodyB, sdV3(0.0f, 4.0f, 0.0f), sdV3(0.0f, 0.0f, 0.0f)),
            SD_OK);
        TestWorld_Run(world, 20);
        double length = (double)sdJoint_GetPlace(world, joint, SD_AXIS_MOVE_X);
        CHECK(isRod ? length > 0.995 && length < 1.005 : length < 0.5);
        sdWorld_Destroy(world);
    }
}
