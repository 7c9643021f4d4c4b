// SPDX-License-Identifier: MIT
// bullets.c - a closed room in which bullets fly among other bodies, and nothing is lost.

#include "scene_parts.h"

#define PITCH 1.2f          // m from body to body: no two touch, however turned
#define WALL 0.1f           // m, thickness: a bullet goes 3.3 m in a step
#define BULLET_RADIUS 0.02f // m
#define BULLET_SPEED 200.0f // m/s
#define ENERGY_SHARE 0.02f  // by which the energy of all may change

static void floatAwake(sdWorldDef* def) {
    def->gravity = sdV3(0.0f, 0.0f, 0.0f);
    def->enableSleep = false;
}

static int sideOf(int size) {
    int side = 1;
    while (side * side * side < size) {
        side += 1;
    }
    return side;
}

static float halfOf(int size) {
    return 0.5f * PITCH * (float)(sideOf(size) + 1);
}

/// The middle of a cell of the room.
static sdPos cellAt(int size, int index) {
    int side = sideOf(size);
    float first = -0.5f * PITCH * (float)(side - 1);
    float x = first + PITCH * (float)(index % side);
    float y = first + PITCH * (float)(index / side % side);
    float z = first + PITCH * (float)(index / (side * side));
    return sdPos_Make((double)x, (double)y, (double)z);
}

/// About half a metre: a box, a sphere or a capsule.
static sdShape pieceOf(int kind) {
    return kind == 0   ? sdShape_Box(0.2f, 0.25f, 0.22f)
           : kind == 1 ? sdShape_Sphere(0.25f)
                       : sdShape_Capsule(0.15f, 0.15f);
}

static sdVec3 randomDirection(sdSceneBuilder* builder) {
    return sdRotate(sdSceneBuilder_RandomRotation(builder), sdV3(1.0f, 0.0f, 0.0f));
}

static void buildBullets(sdSceneBuilder* builder) {
    sdSceneBuilder_SetFriction(builder, 0.0f);
    builder->material.restitution = 1.0f;
    sdSceneBuilder_AddRoom(builder, halfOf(builder->size), WALL);
    for (int i = 0; i < builder->size; ++i) {
        sdQuat q = sdSceneBuilder_RandomRotation(builder);
        sdSceneBuilder_AddDynamic(builder, cellAt(builder->size, i), q, pieceOf(i % 3));
    }
    for (int i = 0; i < builder->size; ++i) {
        // from between the bodies
        sdVec3 corner = {0.5f * PITCH, 0.5f * PITCH, 0.5f * PITCH};
        sdBodyDef def = sdBodyDef_Default();
        def.type = SD_BODY_DYNAMIC;
        def.position = sdPos_Add(cellAt(builder->size, i), corner);
        def.velocity = sdScale(BULLET_SPEED, randomDirection(builder));
        def.isBullet = true;
        sdSceneBuilder_Add(builder, &def, sdShape_Sphere(BULLET_RADIUS));
    }
}

static bool checkBullets(const sdSceneEnd* end) {
    return sdSceneEnd_SayOfRoom(end, halfOf(end->size), ENERGY_SHARE);
}

const sdScene sdSceneBullets = {
    .name = "bullets",
    .title = "Bullets in a room",
    .text =
        "Balls of 4 cm at 200 m/s among as many bodies that float in a closed room; all elastic.",
    .end = "nobody has left the room, and the energy is the same within 2 %",
    .rows = "B16",
    .sizeName = "bullets, and other bodies",
    .size = 1000,
    .minSize = 1,
    .maxSize = 20000,
    .stepCount = 240,
    .dt = 1.0f / 60.0f,
    .eye = {14.0f, 10.0f, 16.0f},
    .target = {0.0f, 0.0f, 0.0f},
    .configure = floatAwake,
    .build = buildBullets,
    .check = checkBullets,
};
