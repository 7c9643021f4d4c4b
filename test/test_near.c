// SPDX-License-Identifier: MIT
// test_near.c - which pairs have contacts: by rough boxes and without.

#include "support.h"

#include <string.h>

enum { SIDE = 6, COUNT = SIDE * SIDE * SIDE, STEPS = 90, IDLERS = 4000 };

/// Bodies of all simple kinds that fly at each other and at a floor, from a corner far from the
/// origin.
static void addBodies(sdWorld* world, sdBodyId bodies[COUNT]) {
    TestRandom random = TestRandom_Make(91);
    sdShapeDef floor = sdShapeDef_Default(sdShape_Box(20.0f, 0.5f, 20.0f));
    sdBodyDef ground = sdBodyDef_Default();
    ground.position = sdPos_Make(3000.0, -0.5, -700.0);
    sdBodyId id;
    sdShapeId shapeId;
    CHECK_INT(sdBody_Create(world, &ground, &id), SD_OK);
    CHECK_INT(sdBody_AddShape(world, id, &floor, &shapeId), SD_OK);
    for (int i = 0; i < COUNT; ++i) {
        int x = i % SIDE, y = i / SIDE % SIDE, z = i / (SIDE * SIDE);
        sdBodyDef def = sdBodyDef_Default();
        def.type = SD_BODY_DYNAMIC;
        def.position = sdPos_Make(3000.0 + 0.6 * x, 1.0 + 0.6 * y, -700.0 + 0.6 * z);
        def.rotation = TestRandom_Rotation(&random);
        def.velocity = TestRandom_InBox(&random, 8.0f);
        def.angularVelocity = TestRandom_InBox(&random, 10.0f);
        sdShape shape = i % 3 == 0   ? sdShape_Sphere(0.15f)
                        : i % 3 == 1 ? sdShape_Capsule(0.15f, 0.1f)
                                     : sdShape_Box(0.2f, 0.1f, 0.15f);
        sdShapeDef shapeDef = sdShapeDef_Default(shape);
        CHECK_INT(sdBody_Create(world, &def, &bodies[i]), SD_OK);
        CHECK_INT(sdBody_AddShape(world, bodies[i], &shapeDef, &shapeId), SD_OK);
    }
}

/// Shapes that never meet anything: with as many, rough boxes are not worth while.
static void addIdlers(sdWorld* world) {
    for (int i = 0; i < IDLERS; ++i) {
        sdBodyDef def = sdBodyDef_Default();
        def.position = sdPos_Make(5.0 * i, -500.0, 0.0);
        sdShapeDef shape = sdShapeDef_Default(sdShape_Sphere(0.1f));
        sdBodyId id;
        sdShapeId shapeId;
        CHECK_INT(sdBody_Create(world, &def, &id), SD_OK);
        CHECK_INT(sdBody_AddShape(world, id, &shape, &shapeId), SD_OK);
    }
}

/// A world that looks at rough boxes first comes to the same bits as one that does not.
SD_TEST(near_by_rough_boxes_is_near) {
    sdWorld* worlds[2] = {NULL, NULL};
    sdBodyId bodies[2][COUNT];
    int roughCount = 0;
    sdWorldDef def = sdWorldDef_Default();
    for (int i = 0; i < 2; ++i) {
        if (!CHECK_INT(sdWorld_Create(NULL, &def, &worlds[i]), SD_OK)) {
            return;
        }
        addBodies(worlds[i], bodies[i]);
    }
    addIdlers(worlds[1]);
    for (int step = 0; step < STEPS; ++step) {
        for (int i = 0; i < 2; ++i) {
            CHECK_INT(sdWorld_Step(worlds[i], 1.0f / 60.0f), SD_OK);
        }
        sdWorldStats rough = sdWorld_GetStats(worlds[0]), plain = sdWorld_GetStats(worlds[1]);
        roughCount += rough.pairCount >= rough.shapeCount ? 1 : 0;
        CHECK(plain.pairCount < plain.shapeCount);
        CHECK_INT(rough.pointCount, plain.pointCount);
    }
    for (int i = 0; i < COUNT; ++i) {
        sdWorldTransform a = sdBody_GetTransform(worlds[0], bodies[0][i]);
        sdWorldTransform b = sdBody_GetTransform(worlds[1], bodies[1][i]);
        CHECK(memcmp(&a.p, &b.p, sizeof a.p) == 0 && memcmp(&a.q, &b.q, sizeof a.q) == 0);
    }
    CHECK(roughCount > STEPS / 2);
    sdWorld_Destroy(worlds[0]);
    sdWorld_Destroy(worlds[1]);
}
