// SPDX-License-Identifier: MIT
// test_continuous.c - nothing passes through anything, however fast, small or thin.

#include "world_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FAST 200.0f

static sdShapeDef shapeOf(sdShape shape, float restitution, float friction) {
    sdShapeDef def = sdShapeDef_Default(shape);
    def.material = TestWorld_Friction(friction);
    def.material.restitution = restitution;
    return def;
}

static sdBodyId addFlying(sdWorld* world, sdPos position, sdShapeDef shape, sdVec3 velocity,
                          sdVec3 spin) {
    sdBodyId body = TestWorld_AddDynamic(world, position, shape);
    CHECK_INT(sdBody_SetVelocity(world, body, velocity, spin), SD_OK);
    return body;
}

/// Kinetic, J.
static double energyOf(const sdWorld* world, sdBodyId body) {
    sdMassProps mass = sdBody_GetMass(world, body);
    sdVec3 v = sdBody_GetVelocity(world, body);
    sdVec3 w = sdBody_GetLocalVector(world, body, sdBody_GetAngularVelocity(world, body));
    return 0.5 * (double)mass.mass * (double)sdDot(v, v) +
           0.5 * (double)sdDot(w, sdMulMV(mass.inertia, w));
}

// ---- one against one -----------------------------------------------------------------------

/// A ball of 1 cm at 200 m/s from every distance of a step, along x, against what stands at 0.
/// @return how many came to x > 0.1
static int shoot(sdShapeDef target, bool isDynamic, float restitution) {
    int passed = 0;
    for (int i = 0; i < 40; ++i) {
        sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
        sdBodyType type = isDynamic ? SD_BODY_DYNAMIC : SD_BODY_STATIC;
        sdBodyId wall =
            TestWorld_AddBody(world, type, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(), target);
        sdPos start = {-1.0 - 0.09 * (double)i, 0.013, 0.021};
        sdBodyId ball = addFlying(world, start, shapeOf(sdShape_Sphere(0.01f), restitution, 0.3f),
                                  sdV3(FAST, 1.0f, 0.0f), sdV3(0.0f, 0.0f, 0.0f));
        TestWorld_Run(world, 6);
        double ahead = sdBody_GetCenter(world, ball).x - sdBody_GetCenter(world, wall).x;
        passed += ahead > 0.0 ? 1 : 0;
        sdVec3 v = sdBody_GetVelocity(world, ball);
        if (!isDynamic) {
            CHECK(fabsf(v.x + restitution * FAST) < 0.02f * FAST);
        }
        sdWorld_Destroy(world);
    }
    return passed;
}

SD_TEST(ccd_a_ball_does_not_pass_a_wall) {
    CHECK_INT(shoot(shapeOf(sdShape_Box(0.005f, 2.0f, 2.0f), 0.0f, 0.3f), false, 0.5f), 0);
    CHECK_INT(shoot(shapeOf(sdShape_Box(0.005f, 2.0f, 2.0f), 0.0f, 0.3f), false, 0.0f), 0);
    CHECK_INT(shoot(shapeOf(sdShape_Box(0.0005f, 2.0f, 2.0f), 0.0f, 0.3f), false, 1.0f), 0);
}

SD_TEST(ccd_a_ball_does_not_pass_a_plate_that_moves) {
    CHECK_INT(shoot(shapeOf(sdShape_Box(0.0005f, 0.5f, 0.5f), 0.0f, 0.3f), true, 0.5f), 0);
    CHECK_INT(shoot(shapeOf(sdShape_Box(0.0005f, 0.5f, 0.5f), 0.0f, 0.3f), true, 0.0f), 0);
}

static sdMesh* makeSheet(void) {
    sdVec3 vertices[4] = {
        {0.0f, -2.0f, -2.0f}, {0.0f, 2.0f, -2.0f}, {0.0f, 2.0f, 2.0f}, {0.0f, -2.0f, 2.0f}};
    int32_t triangles[6] = {0, 2, 1, 0, 3, 2};
    sdMeshDef def = sdMeshDef_Default();
    def.data = (sdMeshData){vertices, 4, triangles, 2};
    sdMesh* mesh = NULL;
    CHECK_INT(sdMesh_Create(NULL, &def, &mesh), SD_OK);
    return mesh;
}

SD_TEST(ccd_a_ball_does_not_pass_an_open_mesh) {
    sdMesh* mesh = makeSheet();
    CHECK_INT(shoot(shapeOf(sdShape_Mesh(mesh), 0.0f, 0.3f), false, 0.5f), 0);
    sdMesh_Release(mesh);
}

SD_TEST(ccd_there_is_no_stop_at_the_time_of_impact) {
    // where a ball is after each step is where its reflected way says
    for (int i = 0; i < 30; ++i) {
        sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
        TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(),
                          shapeOf(sdShape_Box(0.05f, 2.0f, 2.0f), 1.0f, 0.0f));
        double start = -3.0 - 0.11 * (double)i;
        sdBodyId ball = addFlying(world, sdPos_Make(start, 0.0, 0.0),
                                  shapeOf(sdShape_Sphere(0.01f), 1.0f, 0.0f),
                                  sdV3(FAST, 3.0f, 0.0f), sdV3(0.0f, 0.0f, 0.0f));
        for (int j = 1; j < 5; ++j) {
            TestWorld_Run(world, 1);
            double way = start + (double)FAST * (double)j * (double)DT, turn = -0.06;
            double expected = way < turn ? way : 2.0 * turn - way;
            CHECK_NEAR(sdBody_GetCenter(world, ball).x, expected, 1e-3);
        }
        sdWorld_Destroy(world);
    }
}

SD_TEST(ccd_two_bullets_bounce_off_each_other) {
    for (int i = 0; i < 60; ++i) {
        float restitution = 0.5f * (float)(i % 3);
        sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
        sdShapeDef light = shapeOf(sdShape_Sphere(0.01f), restitution, 0.0f);
        sdShapeDef heavy = light;
        heavy.density = 3.0f * light.density;
        sdBodyId a = addFlying(world, sdPos_Make(-1.0 - 0.07 * (double)i, 0.0, 0.0), light,
                               sdV3(FAST, 0.0f, 0.0f), sdV3(0.0f, 0.0f, 0.0f));
        sdBodyId b = addFlying(world, sdPos_Make(1.3, 0.0, 0.0), heavy, sdV3(-FAST, 0.0f, 0.0f),
                               sdV3(0.0f, 0.0f, 0.0f));
        TestWorld_Run(world, 4);
        double va = (double)sdBody_GetVelocity(world, a).x;
        double vb = (double)sdBody_GetVelocity(world, b).x;
        CHECK_NEAR(va + 3.0 * vb, -2.0 * (double)FAST, 0.01);
        CHECK_NEAR(vb - va, 2.0 * (double)(restitution * FAST), 0.02);
        CHECK(sdBody_GetCenter(world, a).x < sdBody_GetCenter(world, b).x);
        sdWorld_Destroy(world);
    }
}

SD_TEST(ccd_a_rod_that_spins_hits_a_peg_with_its_tip) {
    int missed = 0;
    for (int i = 0; i < 50; ++i) {
        sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
        TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.95, 0.0, 0.0), sdQuat_Identity(),
                          shapeOf(sdShape_Cylinder(0.3f, 0.005f), 0.5f, 0.0f));
        sdShapeDef rod = shapeOf(sdShape_Box(0.005f, 0.005f, 1.0f), 0.5f, 0.0f);
        // a sixth of a turn in a step, from every angle of it
        sdBodyId body = TestWorld_AddBody(
            world, SD_BODY_DYNAMIC, sdPos_Make(0.0, 0.0, 0.0),
            sdQuat_FromAxisAngle(sdV3(0.0f, 1.0f, 0.0f), 0.1f + 0.02f * (float)i), rod);
        CHECK_INT(sdBody_SetVelocity(world, body, sdV3(0.0f, 0.0f, 0.0f), sdV3(0.0f, 60.0f, 0.0f)),
                  SD_OK);
        TestWorld_Run(world, 4);
        missed += sdBody_GetAngularVelocity(world, body).y > 59.0f ? 1 : 0;
        sdWorld_Destroy(world);
    }
    CHECK_INT(missed, 0);
}

SD_TEST(ccd_a_bullet_drives_into_a_pile) {
    sdWorld* world = TestWorld_Make(sdWorldDef_Default());
    TestWorld_AddFloor(world, TestWorld_Friction(0.6f));
    sdBodyId boxes[5];
    for (int i = 0; i < 5; ++i) {
        boxes[i] = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.1 + 0.2 * (double)i, 0.0),
                                        TestWorld_BoxOf(0.1f));
    }
    TestWorld_Run(world, 120);
    CHECK(!sdBody_IsAwake(world, boxes[4]));
    sdBodyId ball =
        addFlying(world, sdPos_Make(-5.0, 0.5, 0.0), shapeOf(sdShape_Sphere(0.02f), 0.0f, 0.5f),
                  sdV3(FAST, 0.0f, 0.0f), sdV3(0.0f, 0.0f, 0.0f));
    float momentum = sdBody_GetMass(world, ball).mass * FAST;
    TestWorld_Run(world, 2);
    CHECK(sdBody_IsAwake(world, boxes[2]));
    CHECK(sdBody_GetCenter(world, ball).x < sdBody_GetCenter(world, boxes[2]).x);
    float sum = sdBody_GetMass(world, ball).mass * sdBody_GetVelocity(world, ball).x;
    for (int i = 0; i < 5; ++i) {
        sum += sdBody_GetMass(world, boxes[i]).mass * sdBody_GetVelocity(world, boxes[i]).x;
    }
    CHECK_NEAR(sum, momentum, 0.1f * momentum);
    sdWorld_Destroy(world);
}

SD_TEST(ccd_filters_and_sensors_hold) {
    sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
    sdShapeDef wall = shapeOf(sdShape_Box(0.05f, 2.0f, 2.0f), 0.0f, 0.3f);
    wall.isSensor = true;
    TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(), wall);
    wall.isSensor = false;
    wall.filter.category = 2u;
    TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(1.0, 0.0, 0.0), sdQuat_Identity(), wall);
    sdShapeDef ball = shapeOf(sdShape_Sphere(0.01f), 0.0f, 0.0f);
    ball.filter.mask = ~2u;
    sdBodyId body = addFlying(world, sdPos_Make(-3.0, 0.0, 0.0), ball, sdV3(FAST, 0.0f, 0.0f),
                              sdV3(0.0f, 0.0f, 0.0f));
    TestWorld_Run(world, 6);
    CHECK_NEAR(sdBody_GetCenter(world, body).x, -3.0 + 20.0, 1e-3);
    sdWorld_Destroy(world);
}

SD_TEST(ccd_flag_of_a_body) {
    sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
    sdBodyId body = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.0, 0.0), TestWorld_BoxOf(0.1f));
    CHECK(!sdBody_IsBullet(world, body));
    CHECK_INT(sdBody_SetBullet(world, body, true), SD_OK);
    CHECK(sdBody_IsBullet(world, body));
    CHECK_INT(sdBody_SetBullet(world, SD_NULL_BODY, true), SD_ERROR_STALE_ID);
    CHECK_INT(sdBody_SetBullet(NULL, body, true), SD_ERROR_INVALID_ARGUMENT);
    CHECK(!sdBody_IsBullet(NULL, body));
    sdWorld_Destroy(world);
}

// ---- slow ----------------------------------------------------------------------------------

static uint64_t throwSlowly(bool isContinuous) {
    sdWorldDef def = sdWorldDef_Default();
    def.enableContinuous = isContinuous;
    sdWorld* world = TestWorld_Make(def);
    TestWorld_AddFloor(world, TestWorld_Friction(0.6f));
    for (int i = 0; i < 20; ++i) {
        sdPos p = {0.45 * (double)(i % 4), 0.25 + 0.45 * (double)(i / 4), 0.1 * (double)(i % 3)};
        sdBodyId body = TestWorld_AddDynamic(world, p, TestWorld_BoxOf(0.2f));
        CHECK_INT(sdBody_SetVelocity(world, body, sdV3(2.0f, 0.0f, 0.0f), sdV3(1.0f, 2.0f, 0.0f)),
                  SD_OK);
    }
    TestWorld_Run(world, 120);
    uint64_t hash = sdWorld_GetHash(world);
    sdWorld_Destroy(world);
    return hash;
}

SD_TEST(ccd_slow_scenes_do_not_know_of_it) {
    CHECK(throwSlowly(true) == throwSlowly(false));
}

// ---- rooms ---------------------------------------------------------------------------------

#define ROOM 4.0f ///< half of its width, m
#define KINDS 8

static sdHull* makeHull(void) {
    sdVec3 points[6] = {{0.03f, 0.0f, 0.0f},  {-0.03f, 0.0f, 0.0f}, {0.0f, 0.02f, 0.0f},
                        {0.0f, -0.04f, 0.0f}, {0.0f, 0.0f, 0.05f},  {0.0f, 0.0f, -0.02f}};
    sdHull* hull = NULL;
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = 6;
    CHECK_INT(sdHull_Create(NULL, &def, &hull), SD_OK);
    return hull;
}

static sdShape smallShape(int kind, const sdHull* hull, const sdCompound* compound) {
    switch (kind) {
        case 0:
            return sdShape_Sphere(0.01f);
        case 1:
            return sdShape_Box(0.02f, 0.03f, 0.01f);
        case 2:
            return sdShape_Box(0.1f, 0.0005f, 0.1f); // plate
        case 3:
            return sdShape_Box(0.0005f, 0.15f, 0.0005f); // needle
        case 4:
            return sdShape_Capsule(0.1f, 0.001f);
        case 5:
            return sdShape_Cylinder(0.005f, 0.03f);
        case 6:
            return sdShape_Hull(hull);
        default:
            return sdShape_Compound(compound);
    }
}

/// Walls of 1 cm: a box with a box inside of it, which faces the other way.
static sdMesh* makeRoomMesh(void) {
    static const int32_t corners[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                        2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    sdVec3 vertices[16];
    int32_t triangles[72];
    for (int i = 0; i < 16; ++i) {
        float half = i < 8 ? ROOM : ROOM + 0.01f;
        vertices[i] = sdV3((i & 1) != 0 ? half : -half, (i & 2) != 0 ? half : -half,
                           (i & 4) != 0 ? half : -half);
    }
    for (int i = 0; i < 36; ++i) {
        triangles[i] = corners[i - i % 3 + 2 - i % 3];
        triangles[36 + i] = corners[i] + 8;
    }
    sdMeshDef def = sdMeshDef_Default();
    def.data = (sdMeshData){vertices, 16, triangles, 24};
    sdMesh* mesh = NULL;
    CHECK_INT(sdMesh_Create(NULL, &def, &mesh), SD_OK);
    return mesh;
}

static void addWalls(sdWorld* world, float restitution, float friction) {
    for (int i = 0; i < 6; ++i) {
        float side = (i & 1) != 0 ? 1.0f : -1.0f, thick = 0.005f;
        float c = side * (ROOM + thick);
        sdVec3 half = {ROOM + 0.1f, ROOM + 0.1f, ROOM + 0.1f};
        sdPos p = {0.0, 0.0, 0.0};
        if (i / 2 == 0) {
            half.x = thick;
            p.x = (double)c;
        } else if (i / 2 == 1) {
            half.y = thick;
            p.y = (double)c;
        } else {
            half.z = thick;
            p.z = (double)c;
        }
        TestWorld_AddBody(world, SD_BODY_STATIC, p, sdQuat_Identity(),
                          shapeOf(sdShape_Box(half.x, half.y, half.z), restitution, friction));
    }
}

typedef struct Room {
    sdWorld* world;
    sdMesh* mesh;
    sdHull* hull;
    sdCompound* compound;
    sdBodyId* bodies;
    int count;
} Room;

static Room makeRoom(const sdContext* context, sdWorldDef def, int count, bool isMesh,
                     float restitution, float friction) {
    Room room = {.hull = makeHull(), .count = count, .bodies = malloc((size_t)count * 4u)};
    sdCompoundChild children[2] = {
        {.shape = sdShape_Box(0.05f, 0.003f, 0.003f), .xf = TestAt(0.0f, 0.0f, 0.0f)},
        {.shape = sdShape_Sphere(0.01f), .xf = TestAt(0.05f, 0.0f, 0.0f)}};
    CHECK_INT(sdCompound_Create(NULL, children, 2, &room.compound), SD_OK);
    CHECK_INT(sdWorld_Create(context, &def, &room.world), SD_OK);
    if (isMesh) {
        room.mesh = makeRoomMesh();
        TestWorld_AddBody(room.world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(),
                          shapeOf(sdShape_Mesh(room.mesh), restitution, friction));
    } else {
        addWalls(room.world, restitution, friction);
    }
    TestRandom random = TestRandom_Make(77);
    for (int i = 0; i < count; ++i) {
        sdShapeDef shape =
            shapeOf(smallShape(i % KINDS, room.hull, room.compound), restitution, friction);
        sdVec3 p = TestRandom_InBox(&random, ROOM - 0.3f);
        room.bodies[i] = TestWorld_AddBody(room.world, SD_BODY_DYNAMIC,
                                           sdPos_Make((double)p.x, (double)p.y, (double)p.z),
                                           TestRandom_Rotation(&random), shape);
        float speed = TestRandom_Float(&random, 5.0f, FAST);
        float spin = TestRandom_Float(&random, 0.0f, 100.0f);
        sdVec3 v = sdScale(speed, TestRandom_OnSphere(&random));
        sdVec3 w = sdScale(spin, TestRandom_OnSphere(&random));
        CHECK_INT(sdBody_SetVelocity(room.world, room.bodies[i], v, w), SD_OK);
    }
    return room;
}

static void freeRoom(Room* room) {
    sdWorld_Destroy(room->world);
    sdMesh_Release(room->mesh);
    sdHull_Release(room->hull);
    sdCompound_Release(room->compound);
    free(room->bodies);
}

static int countEscapes(const Room* room, int* kinds) {
    int count = 0;
    for (int i = 0; i < room->count; ++i) {
        sdPos p = sdBody_GetCenter(room->world, room->bodies[i]);
        double most = fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
        if (!(most <= (double)ROOM)) {
            count += 1;
            kinds[i % KINDS] += 1;
        }
    }
    return count;
}

static double energyOfRoom(const Room* room) {
    double sum = 0.0;
    for (int i = 0; i < room->count; ++i) {
        sum += energyOf(room->world, room->bodies[i]);
    }
    return sum;
}

static void runRoom(const char* name, sdWorldDef def, bool isMesh, float restitution,
                    float friction) {
    int count = TestScale() >= 10 ? 1000 : 300;
    int steps = TestScale() >= 10 ? 3600 : (isMesh ? 40 : 120);
    Room room = makeRoom(NULL, def, count, isMesh, restitution, friction);
    double before = energyOfRoom(&room);
    for (int i = 0; i < steps; ++i) {
        CHECK_INT(sdWorld_Step(room.world, DT), SD_OK);
    }
    int kinds[KINDS] = {0};
    int escapes = countEscapes(&room, kinds);
    double after = energyOfRoom(&room);
    printf("    %s: %d bodies, %d steps, %d escapes, energy %.3f of the first\n", name, count,
           steps, escapes, after / before);
    for (int i = 0; escapes > 0 && i < KINDS; ++i) {
        printf("      kind %d: %d\n", i, kinds[i]);
    }
    CHECK_INT(escapes, 0);
    if (restitution == 1.0f) {
        CHECK(after < 1.1 * before && after > 0.5 * before);
    } else {
        CHECK(after < 1.05 * before);
    }
    freeRoom(&room);
}

SD_TEST(ccd_nobody_leaves_a_room_of_boxes) {
    runRoom("boxes, restitution 1", TestWorld_FreeDef(), false, 1.0f, 0.0f);
    runRoom("boxes, restitution 0.8, gravity", TestWorld_AwakeDef(), false, 0.8f, 0.5f);
}

SD_TEST(ccd_nobody_leaves_a_room_of_a_mesh) {
    runRoom("mesh, restitution 1", TestWorld_FreeDef(), true, 1.0f, 0.0f);
    runRoom("mesh, restitution 0.8, gravity", TestWorld_AwakeDef(), true, 0.8f, 0.5f);
}
