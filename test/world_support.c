// SPDX-License-Identifier: MIT
// world_support.c - small worlds for tests.

#include "world_support.h"

sdWorld* TestWorld_Make(sdWorldDef def) {
    sdWorld* world = NULL;
    CHECK_INT(sdWorld_Create(NULL, &def, &world), SD_OK);
    return world;
}

sdWorldDef TestWorld_FreeDef(void) {
    sdWorldDef def = TestWorld_AwakeDef();
    def.gravity = sdV3(0.0f, 0.0f, 0.0f);
    return def;
}

sdWorldDef TestWorld_AwakeDef(void) {
    sdWorldDef def = sdWorldDef_Default();
    def.enableSleep = false;
    return def;
}

sdBodyId TestWorld_AddBody(sdWorld* world, sdBodyType type, sdPos position, sdQuat rotation,
                           sdShapeDef shape) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = type;
    def.position = position;
    def.rotation = rotation;
    sdBodyId body = SD_NULL_BODY;
    CHECK_INT(sdBody_Create(world, &def, &body), SD_OK);
    CHECK_INT(sdBody_AddShape(world, body, &shape, NULL), SD_OK);
    return body;
}

sdBodyId TestWorld_AddDynamic(sdWorld* world, sdPos position, sdShapeDef shape) {
    return TestWorld_AddBody(world, SD_BODY_DYNAMIC, position, sdQuat_Identity(), shape);
}

sdBodyId TestWorld_AddFloor(sdWorld* world, sdMaterial material) {
    sdShapeDef shape = sdShapeDef_Default(sdShape_HalfSpace());
    shape.material = material;
    return TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(),
                             shape);
}

sdShapeDef TestWorld_BoxOf(float half) {
    return sdShapeDef_Default(sdShape_Box(half, half, half));
}

sdMaterial TestWorld_Friction(float friction) {
    return (sdMaterial){.staticFriction = friction, .slidingFriction = friction};
}

void TestWorld_Run(sdWorld* world, int steps) {
    for (int i = 0; i < steps; ++i) {
        CHECK_INT(sdWorld_Step(world, DT), SD_OK);
    }
}
