// SPDX-License-Identifier: MIT
// crane.c - a trolley carries a load of a thousand links' weight on a chain of 100 links.
//
// It is also a test: it returns 1 when the chain stretches by 1 % of a link, does not hold what it
// should, or the load is not where the trolley went.

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

#define LINK_COUNT 100
#define LINK_LENGTH 0.1f // m
#define LINK_RADIUS 0.02f
#define HEIGHT 12.0 // m, of the trolley
#define STEP (1.0f / 60.0f)
#define SPEED 0.5f // m/s, of the trolley
#define DRIVE_STEPS 240

static sdResult addBody(sdWorld* world, sdBodyType type, double y, sdShape shape, sdBodyId* out) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = type;
    def.position = sdPos_Make(0.0, y, 0.0);
    // air, so that the load does not swing for ever
    def.linearDamping = 0.2f;
    def.angularDamping = 0.5f;
    sdResult result = sdBody_Create(world, &def, out);
    sdShapeDef shapeDef = sdShapeDef_Default(shape);
    return result == SD_OK ? sdBody_AddShape(world, *out, &shapeDef, NULL) : result;
}

static sdResult hang(sdWorld* world, sdBodyId above, sdBodyId below, double y, sdJointId* out) {
    sdJointDef def = sdJointDef_Make(SD_JOINT_BALL, above, below);
    sdResult result =
        sdJointDef_Place(world, &def, sdPos_Make(0.0, y, 0.0), sdV3(0.0f, -1.0f, 0.0f));
    return result == SD_OK ? sdJoint_Create(world, &def, out) : result;
}

int main(void) {
    sdWorld* world = NULL;
    CHECKED(sdWorld_Create(NULL, NULL, &world));
    sdBodyId trolley, last, load;
    sdJointId joints[LINK_COUNT + 1];
    CHECKED(addBody(world, SD_BODY_KINEMATIC, HEIGHT, sdShape_Box(0.3f, 0.1f, 0.3f), &trolley));
    double y = HEIGHT - 0.1;
    last = trolley;
    for (int i = 0; i < LINK_COUNT; ++i) {
        sdBodyId link;
        CHECKED(addBody(world, SD_BODY_DYNAMIC, y - 0.5 * (double)LINK_LENGTH,
                        sdShape_Capsule(0.5f * LINK_LENGTH - LINK_RADIUS, LINK_RADIUS), &link));
        CHECKED(hang(world, last, link, y, &joints[i]));
        y -= (double)LINK_LENGTH;
        last = link;
    }
    CHECKED(addBody(world, SD_BODY_DYNAMIC, y - 0.25, sdShape_Box(0.25f, 0.25f, 0.25f), &load));
    CHECKED(hang(world, last, load, y, &joints[LINK_COUNT]));
    float linkMass = sdBody_GetMass(world, last).mass, loadMass = 1000.0f * linkMass;
    sdMassProps props = sdBody_GetMass(world, load);
    float scale = loadMass / props.mass;
    props.mass = loadMass;
    props.inertia.cx = sdScale(scale, props.inertia.cx);
    props.inertia.cy = sdScale(scale, props.inertia.cy);
    props.inertia.cz = sdScale(scale, props.inertia.cz);
    CHECKED(sdBody_SetMass(world, load, props));

    float worst = 0.0f;
    for (int i = 0; i < 1200; ++i) {
        if (i == 60 || i == 60 + DRIVE_STEPS) {
            sdVec3 velocity = {i == 60 ? SPEED : 0.0f, 0.0f, 0.0f};
            CHECKED(sdBody_SetVelocity(world, trolley, velocity, sdV3(0.0f, 0.0f, 0.0f)));
        }
        CHECKED(sdWorld_Step(world, STEP));
        for (int k = 0; k <= LINK_COUNT; ++k) {
            worst = sdMaxF(worst, sdJoint_GetError(world, joints[k], NULL));
        }
    }
    float weight = 9.81f * (loadMass + (float)LINK_COUNT * linkMass);
    float held = sdLength(sdJoint_GetForce(world, joints[0]));
    sdPos end = sdBody_GetCenter(world, load), start = sdBody_GetCenter(world, trolley);
    printf("A load of %.0f kg on %d links of %.0f g each; joints were off by %.4f mm at most.\n",
           (double)loadMass, LINK_COUNT, 1e3 * (double)linkMass, 1e3 * (double)worst);
    printf("The trolley went to %.2f m, the load is at %.2f m; the top link holds %.0f N of %.0f "
           "N.\n",
           start.x, end.x, (double)held, (double)weight);
    bool isRight = worst < 0.01f * LINK_LENGTH && sdAbsF(held - weight) < 0.05f * weight &&
                   sdAbsF((float)(end.x - start.x)) < 0.5f && start.x > 1.9;
    sdWorld_Destroy(world);
    return isRight ? 0 : 1;
}
