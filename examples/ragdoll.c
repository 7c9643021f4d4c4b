// SPDX-License-Identifier: MIT
// ragdoll.c - a doll of 14 capsules falls, crumples and lies still.
//
// It is also a test: it returns 1 when the doll comes apart, bends a knee the wrong way, falls
// through the floor or never rests.

#include <sudar/sudar.h>

#include <stdio.h>

#define CHECKED(call)                                                                              \
    do {                                                                                           \
        sdResult result_ = (call);                                                                 \
        if (result_ != SD_OK) {                                                                    \
            fprintf(stderr, "%s: %s\n", #call, sdResult_Text(result_));                            \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

/// A capsule, and the joint by which it hangs on its parent; m, standing upright.
typedef struct Part {
    const char* name;
    int parent;
    sdVec3 from, to; ///< ends of its axis
    float radius;
    sdVec3 joint;
    float cone; ///< rad; 0: a hinge that bends backwards
} Part;

static const Part parts[] = {
    {"hips", -1, {0.0f, 1.0f, -0.08f}, {0.0f, 1.0f, 0.08f}, 0.1f, {0.0f, 0.0f, 0.0f}, 0.0f},
    {"belly", 0, {0.0f, 1.2f, -0.05f}, {0.0f, 1.2f, 0.05f}, 0.1f, {0.0f, 1.1f, 0.0f}, 0.3f},
    {"chest", 1, {0.0f, 1.42f, -0.1f}, {0.0f, 1.42f, 0.1f}, 0.11f, {0.0f, 1.3f, 0.0f}, 0.3f},
    {"head", 2, {0.0f, 1.68f, 0.0f}, {0.0f, 1.74f, 0.0f}, 0.09f, {0.0f, 1.56f, 0.0f}, 0.5f},
    {"arm", 2, {0.0f, 1.46f, 0.28f}, {0.0f, 1.46f, 0.46f}, 0.05f, {0.0f, 1.46f, 0.22f}, 1.2f},
    {"arm", 2, {0.0f, 1.46f, -0.28f}, {0.0f, 1.46f, -0.46f}, 0.05f, {0.0f, 1.46f, -0.22f}, 1.2f},
    {"hand", 4, {0.0f, 1.46f, 0.57f}, {0.0f, 1.46f, 0.73f}, 0.045f, {0.0f, 1.46f, 0.515f}, 0.9f},
    {"hand", 5, {0.0f, 1.46f, -0.57f}, {0.0f, 1.46f, -0.73f}, 0.045f, {0.0f, 1.46f, -0.515f}, 0.9f},
    {"thigh", 0, {0.0f, 0.82f, 0.1f}, {0.0f, 0.58f, 0.1f}, 0.07f, {0.0f, 0.9f, 0.1f}, 0.8f},
    {"thigh", 0, {0.0f, 0.82f, -0.1f}, {0.0f, 0.58f, -0.1f}, 0.07f, {0.0f, 0.9f, -0.1f}, 0.8f},
    {"shin", 8, {0.0f, 0.44f, 0.1f}, {0.0f, 0.2f, 0.1f}, 0.06f, {0.0f, 0.51f, 0.1f}, 0.0f},
    {"shin", 9, {0.0f, 0.44f, -0.1f}, {0.0f, 0.2f, -0.1f}, 0.06f, {0.0f, 0.51f, -0.1f}, 0.0f},
    {"foot", 10, {0.0f, 0.08f, 0.1f}, {0.12f, 0.08f, 0.1f}, 0.045f, {0.0f, 0.14f, 0.1f}, 0.4f},
    {"foot", 11, {0.0f, 0.08f, -0.1f}, {0.12f, 0.08f, -0.1f}, 0.045f, {0.0f, 0.14f, -0.1f}, 0.4f},
};

#define PART_COUNT ((int)(sizeof parts / sizeof parts[0]))
#define DROP 1.0 // m
/// m that joints part at most.
#define MAX_GAP 0.005f
#define STEP (1.0f / 60.0f)
#define KNEE_LIMIT 2.2f // rad

static sdPos place(sdVec3 p) {
    return sdPos_Make((double)p.x, (double)p.y + DROP, (double)p.z);
}

static sdResult addPart(sdWorld* world, const Part* part, sdBodyId* out) {
    sdVec3 way = sdSub(part->to, part->from);
    float length = sdLength(way);
    sdBodyDef def = sdBodyDef_Default();
    def.type = SD_BODY_DYNAMIC;
    def.position = place(sdScale(0.5f, sdAdd(part->from, part->to)));
    // capsules stand along y
    def.rotation = sdQuat_Between(sdV3(0.0f, 1.0f, 0.0f), sdScale(1.0f / length, way));
    sdResult result = sdBody_Create(world, &def, out);
    sdShapeDef shape = sdShapeDef_Default(sdShape_Capsule(0.5f * length, part->radius));
    return result == SD_OK ? sdBody_AddShape(world, *out, &shape, NULL) : result;
}

static sdResult addJoint(sdWorld* world, const Part* part, sdBodyId parent, sdBodyId body,
                         sdJointId* out) {
    bool isKnee = part->cone == 0.0f;
    sdJointDef def = sdJointDef_Make(isKnee ? SD_JOINT_HINGE : SD_JOINT_BALL, parent, body);
    sdJointAxis* turn = &def.axes[SD_AXIS_TURN_X];
    turn->mode = SD_AXIS_LIMITED;
    turn->lower = isKnee ? -KNEE_LIMIT : -0.5f;
    turn->upper = isKnee ? 0.0f : 0.5f;
    // stiff joints come to rest sooner
    turn->drive = SD_DRIVE_FRICTION;
    turn->maxForce = 1.0f;
    def.coneAngle = part->cone;
    sdVec3 along = sdNormalize(sdSub(part->to, part->from));
    sdResult result =
        sdJointDef_Place(world, &def, place(part->joint), isKnee ? sdV3(0.0f, 0.0f, 1.0f) : along);
    return result == SD_OK ? sdJoint_Create(world, &def, out) : result;
}

int main(void) {
    sdWorld* world = NULL;
    CHECKED(sdWorld_Create(NULL, NULL, &world));
    sdBodyDef groundDef = sdBodyDef_Default();
    sdBodyId ground, bodies[PART_COUNT];
    sdJointId joints[PART_COUNT];
    CHECKED(sdBody_Create(world, &groundDef, &ground));
    sdShapeDef floor = sdShapeDef_Default(sdShape_HalfSpace());
    CHECKED(sdBody_AddShape(world, ground, &floor, NULL));
    for (int i = 0; i < PART_COUNT; ++i) {
        CHECKED(addPart(world, &parts[i], &bodies[i]));
        if (parts[i].parent >= 0) {
            CHECKED(addJoint(world, &parts[i], bodies[parts[i].parent], bodies[i], &joints[i]));
        }
    }
    // a push, so that it does not land on its feet
    CHECKED(sdBody_ApplyImpulse(world, bodies[2], sdV3(30.0f, 0.0f, 10.0f),
                                sdBody_GetCenter(world, bodies[2])));
    float worst = 0.0f, knee = 0.0f;
    int steps = 0;
    while (steps < 1200 && sdBody_IsAwake(world, bodies[0])) {
        CHECKED(sdWorld_Step(world, STEP));
        steps += 1;
        for (int i = 1; i < PART_COUNT; ++i) {
            worst = sdMaxF(worst, sdJoint_GetError(world, joints[i], NULL));
            float turn = sdJoint_GetPlace(world, joints[i], SD_AXIS_TURN_X);
            knee = parts[i].cone == 0.0f ? sdMaxF(knee, turn) : knee;
        }
    }
    double lowest = 1.0, highest = 0.0;
    for (int i = 0; i < PART_COUNT; ++i) {
        double y = sdBody_GetCenter(world, bodies[i]).y;
        lowest = y < lowest ? y : lowest;
        highest = y > highest ? y : highest;
    }
    printf("The doll lies still after %.1f s, between %.2f and %.2f m.\n",
           (double)steps * (double)STEP, lowest, highest);
    printf("Joints were off by %.2f mm at most, knees bent forwards by %.2f degrees.\n",
           1e3 * (double)worst, 57.29578 * (double)knee);
    bool isRight = !sdBody_IsAwake(world, bodies[0]) && lowest > 0.0 && highest < 1.0 &&
                   worst < MAX_GAP && knee < 0.05f;
    sdWorld_Destroy(world);
    return isRight ? 0 : 1;
}
