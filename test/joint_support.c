// SPDX-License-Identifier: MIT
// joint_support.c - a body on a joint, for tests.

#include "joint_support.h"

sdBodyId TestJoint_AddMass(sdWorld* world, sdBodyType type, sdPos position, float mass,
                           float inertia) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = type;
    def.position = position;
    sdBodyId body = SD_NULL_BODY;
    CHECK_INT(sdBody_Create(world, &def, &body), SD_OK);
    if (type == SD_BODY_DYNAMIC) {
        sdMassProps props = {.mass = mass};
        props.inertia.cx.x = props.inertia.cy.y = props.inertia.cz.z = inertia;
        CHECK_INT(sdBody_SetMass(world, body, props), SD_OK);
    }
    return body;
}

sdJointId TestJoint_Join(sdWorld* world, sdJointDef def, sdPos anchor, sdVec3 axis) {
    sdJointId joint = SD_NULL_JOINT;
    CHECK_INT(sdJointDef_Place(world, &def, anchor, axis), SD_OK);
    CHECK_INT(sdJoint_Create(world, &def, &joint), SD_OK);
    return joint;
}

JointRig JointRig_MakeFrom(sdWorldDef def, sdJointDef jointDef, sdPos anchor) {
    JointRig rig = {.world = TestWorld_Make(def)};
    rig.a = TestJoint_AddMass(rig.world, SD_BODY_STATIC, anchor, 0.0f, 0.0f);
    rig.b = TestJoint_AddMass(rig.world, SD_BODY_DYNAMIC, anchor, RIG_MASS, RIG_INERTIA);
    jointDef.bodyA = rig.a;
    jointDef.bodyB = rig.b;
    rig.joint = TestJoint_Join(rig.world, jointDef, anchor, sdV3(1.0f, 0.0f, 0.0f));
    return rig;
}

JointRig JointRig_Make(sdWorldDef def, sdJointType type) {
    return JointRig_MakeFrom(def, sdJointDef_Make(type, SD_NULL_BODY, SD_NULL_BODY),
                             sdPos_Make(0.0, 0.0, 0.0));
}

void JointRig_SetAxis(JointRig* rig, sdAxis axis, sdJointAxis settings) {
    CHECK_INT(sdJoint_SetAxis(rig->world, rig->joint, axis, settings), SD_OK);
}

void JointRig_Push(JointRig* rig, sdVec3 force, sdVec3 torque, int steps) {
    for (int i = 0; i < steps; ++i) {
        CHECK_INT(sdBody_ApplyForceToCenter(rig->world, rig->b, force), SD_OK);
        CHECK_INT(sdBody_ApplyTorque(rig->world, rig->b, torque), SD_OK);
        CHECK_INT(sdWorld_Step(rig->world, DT), SD_OK);
    }
}

void JointRig_Free(JointRig* rig) {
    sdWorld_Destroy(rig->world);
}

sdBodyId TestJoint_AddChain(sdWorld* world, int count, sdPos start, sdVec3 way, float mass) {
    float length = sdLength(way);
    sdBodyId last = TestJoint_AddMass(world, SD_BODY_STATIC, start, 0.0f, 0.0f);
    for (int i = 0; i < count; ++i) {
        sdPos anchor = sdPos_Add(start, sdScale((float)i, way));
        // as long as a rod, so that it has the moments of one, nearly
        sdBodyId next =
            TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Add(anchor, sdScale(0.5f, way)), mass,
                              mass * length * length / 12.0f);
        TestJoint_Join(world, sdJointDef_Make(SD_JOINT_BALL, last, next), anchor,
                       sdScale(1.0f / length, way));
        last = next;
    }
    return last;
}

float TestJoint_WorstError(const sdWorld* world, float* angle) {
    enum { MOST = 2048 };
    static sdJointId joints[MOST];
    int count = sdMinI(sdWorld_GetJoints(world, joints, MOST), MOST);
    float worst = 0.0f, worstAngle = 0.0f, turned;
    for (int i = 0; i < count; ++i) {
        worst = sdMaxF(worst, sdJoint_GetError(world, joints[i], &turned));
        worstAngle = sdMaxF(worstAngle, turned);
    }
    if (angle != NULL) {
        *angle = worstAngle;
    }
    return worst;
}

double TestJoint_Energy(const sdWorld* world) {
    sdEnergy energy = sdWorld_GetEnergy(world);
    return energy.kinetic + energy.potential;
}
