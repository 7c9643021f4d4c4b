// SPDX-License-Identifier: MIT
// test_joint.c - joints: what is free moves, what is locked does not.

#include "sudar/sudar.h"
#include "world_support.h"

#include <stdio.h>

static sdBodyId addBall(sdWorld* world, sdBodyType type, sdPos position, float radius) {
    return TestWorld_AddBody(world, type, position, sdQuat_Identity(),
                             sdShapeDef_Default(sdShape_Sphere(radius)));
}

SD_TEST(joint_pendulum_keeps_its_length_and_energy) {
    sdWorld* world;
    REQUIRE(sdWorld_Create(NULL, NULL, &world) == SD_OK);
    sdBodyId pin = addBall(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), 0.1f);
    sdBodyId bob = addBall(world, SD_BODY_DYNAMIC, sdPos_Make(1.0, 0.0, 0.0), 0.1f);
    sdJointDef def = sdJointDef_Make(SD_JOINT_BALL, pin, bob);
    REQUIRE(sdJointDef_Place(world, &def, sdPos_Make(0.0, 0.0, 0.0), sdV3(1.0f, 0.0f, 0.0f)) ==
            SD_OK);
    sdJointId joint;
    REQUIRE(sdJoint_Create(world, &def, &joint) == SD_OK);
    float worst = 0.0f;
    double drift = 0.0;
    for (int i = 0; i < 600; ++i) {
        REQUIRE(sdWorld_Step(world, DT) == SD_OK);
        sdVec3 v = sdBody_GetVelocity(world, bob), w = sdBody_GetAngularVelocity(world, bob);
        sdMassProps mass = sdBody_GetMass(world, bob);
        double energy = 0.5 * (double)sdDot(v, v) +
                        0.5 * (double)(mass.inertia.cx.x / mass.mass * sdDot(w, w)) +
                        9.81 * sdBody_GetCenter(world, bob).y;
        drift = energy * energy > drift * drift ? energy : drift;
        worst = sdMaxF(worst, sdJoint_GetError(world, joint, NULL));
    }
    printf("  off by %.2f mm at most, energy by %.3f of 9.81 J/kg\n", (double)worst * 1e3, drift);
    CHECK(worst < 2.5e-3f);
    CHECK(drift < 0.1 && drift > -0.1);
    sdWorld_Destroy(world);
}

SD_TEST(joint_refuses_what_cannot_be) {
    TestContext quiet;
    TestContext_Init(&quiet);
    sdWorld* world;
    REQUIRE(sdWorld_Create(&quiet.context, NULL, &world) == SD_OK);
    sdBodyId a = addBall(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), 0.1f);
    sdBodyId b = addBall(world, SD_BODY_STATIC, sdPos_Make(1.0, 0.0, 0.0), 0.1f);
    sdBodyId c = addBall(world, SD_BODY_DYNAMIC, sdPos_Make(2.0, 0.0, 0.0), 0.1f);
    sdJointId joint = 7;
    sdJointDef def = sdJointDef_Make(SD_JOINT_BALL, a, b);
    CHECK(sdJoint_Create(world, &def, &joint) == SD_ERROR_INVALID_ARGUMENT && joint == 0);
    def = sdJointDef_Make(SD_JOINT_BALL, c, c);
    CHECK(sdJoint_Create(world, &def, &joint) == SD_ERROR_INVALID_ARGUMENT);
    def = sdJointDef_Make(SD_JOINT_HINGE, a, c);
    def.axes[SD_AXIS_TURN_X].mode = SD_AXIS_LIMITED;
    def.axes[SD_AXIS_TURN_X].lower = 1.0f;
    def.axes[SD_AXIS_TURN_X].upper = -1.0f;
    CHECK(sdJoint_Create(world, &def, &joint) == SD_ERROR_INVALID_ARGUMENT);
    def = sdJointDef_Make(SD_JOINT_FIXED, a, c);
    REQUIRE(sdJoint_Create(world, &def, &joint) == SD_OK);
    CHECK(sdJoint_SetAxis(world, joint, SD_AXIS_TURN_X, def.axes[3]) == SD_ERROR_INVALID_ARGUMENT);
    CHECK(sdBody_Destroy(world, a) == SD_OK);
    CHECK(!sdJoint_IsValid(world, joint));
    CHECK(sdJoint_Destroy(world, joint) == SD_ERROR_STALE_ID);
    CHECK(sdJoint_Create(world, &def, &joint) == SD_ERROR_STALE_ID);
    sdWorld_Destroy(world);
    TestContext_Finish(&quiet);
}
