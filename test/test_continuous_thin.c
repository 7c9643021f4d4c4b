// SPDX-License-Identifier: MIT
// test_continuous_thin.c - bodies that touch something already when they are fast: they are held by
// it and meet what else there is; far from the origin, too.

#include "world_support.h"

#include "narrow/toi.h"

#include <math.h>

/// Thickness of walls and floors, m.
#define WALL 0.01f

static sdShapeDef shapeOf(sdShape shape, float restitution, float friction) {
    sdShapeDef def = sdShapeDef_Default(shape);
    def.material = TestWorld_Friction(friction);
    def.material.restitution = restitution;
    return def;
}

/// A tray in one mesh: a floor with its upper side at 0, and a wall that stands on it at x = 1;
/// both are closed boxes.
static sdMesh* makeTray(void) {
    static const int32_t corners[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                        2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    const sdAABB boxes[2] = {{{-2.0f, -WALL, -2.0f}, {2.0f, 0.0f, 2.0f}},
                             {{1.0f, 1e-4f, -2.0f}, {1.0f + WALL, 1.0f, 2.0f}}};
    sdVec3 vertices[16];
    int32_t triangles[72];
    for (int i = 0; i < 16; ++i) {
        sdVec3 l = boxes[i / 8].lower, u = boxes[i / 8].upper;
        vertices[i] =
            sdV3((i & 1) != 0 ? u.x : l.x, (i & 2) != 0 ? u.y : l.y, (i & 4) != 0 ? u.z : l.z);
    }
    for (int i = 0; i < 72; ++i) {
        triangles[i] = corners[i % 36] + (i >= 36 ? 8 : 0);
    }
    sdMeshDef def = sdMeshDef_Default();
    def.data = (sdMeshData){vertices, 16, triangles, 24};
    sdMesh* mesh = NULL;
    CHECK_INT(sdMesh_Create(NULL, &def, &mesh), SD_OK);
    return mesh;
}

/// A floor of a box or of the tray.
static void addFloor(sdWorld* world, const sdMesh* mesh) {
    double y = mesh == NULL ? -0.5 * (double)WALL : 0.0;
    sdShape shape = mesh != NULL ? sdShape_Mesh(mesh) : sdShape_Box(2.0f, 0.5f * WALL, 2.0f);
    TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, y, 0.0), sdQuat_Identity(),
                      shapeOf(shape, 0.0f, 0.5f));
}

static sdBodyId addFlying(sdWorld* world, sdPos position, sdShapeDef shape, sdVec3 velocity,
                          sdVec3 spin) {
    sdBodyId body = TestWorld_AddDynamic(world, position, shape);
    CHECK_INT(sdBody_SetVelocity(world, body, velocity, spin), SD_OK);
    return body;
}

SD_TEST(ccd_what_lies_on_a_floor_is_not_shot_through_it) {
    sdMesh* mesh = makeTray();
    const sdShape shapes[3] = {sdShape_Box(0.1f, 0.0005f, 0.1f),
                               sdShape_Box(0.0005f, 0.0005f, 0.15f),
                               sdShape_Box(0.02f, 0.01f, 0.03f)};
    int count = 0;
    for (int i = 0; i < 48; ++i) {
        sdShape shape = shapes[i % 3];
        sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
        addFloor(world, i % 2 == 0 ? NULL : mesh);
        // in the floor by up to 1 mm, as in a pile
        double depth = 1e-3 * (double)(i % 5) / 4.0;
        sdBodyId body = TestWorld_AddDynamic(
            world, sdPos_Make(0.0, (double)shape.box.halfExtents.y - depth, 0.0),
            shapeOf(shape, 0.2f, 0.5f));
        double x = (double)shape.box.halfExtents.x * (double)(i % 7 - 3) / 4.0;
        double z = (double)shape.box.halfExtents.z * (double)(i % 11 - 5) / 6.0;
        sdShapeDef bullet = shapeOf(sdShape_Sphere(0.01f), 0.5f, 0.3f);
        addFlying(world, sdPos_Make(x, 1.0, z), bullet, sdV3(0.0f, -60.0f, 0.0f),
                  sdV3(0.0f, 0.0f, 0.0f));
        for (int j = 0; j < 30; ++j) {
            TestWorld_Run(world, 1);
            sdPos p = sdBody_GetCenter(world, body);
            // it may roll off the edge
            bool isOver = fabs(p.x) < 1.9 && fabs(p.z) < 1.9;
            count += isOver && p.y < -0.2 * (double)WALL ? 1 : 0;
        }
        sdWorld_Destroy(world);
    }
    CHECK_INT(count, 0);
    sdMesh_Release(mesh);
}

SD_TEST(ccd_what_slides_over_a_mesh_meets_its_walls) {
    sdMesh* mesh = makeTray();
    for (int i = 0; i < 24; ++i) {
        sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
        addFloor(world, mesh);
        bool isBall = i % 2 == 0;
        sdShape shape = isBall ? sdShape_Sphere(0.01f) : sdShape_Capsule(0.05f, 0.01f);
        // in the floor, on it, or about to graze it
        double depth = 3e-4 * (double)(i % 3 - 1);
        float speed = 5.0f + 8.0f * (float)i;
        sdBodyId body =
            addFlying(world, sdPos_Make(0.9 - 0.01 * (double)i, 0.01 - depth, 0.0),
                      shapeOf(shape, 0.0f, 0.0f), sdV3(speed, depth < 0.0 ? -0.1f : 0.0f, 0.0f),
                      sdV3(0.0f, 0.0f, 0.0f));
        if (!isBall) {
            // along its way
            sdQuat turn = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), 0.5f * SD_PI);
            CHECK_INT(sdBody_SetTransform(world, body, sdBody_GetCenter(world, body), turn), SD_OK);
        }
        double reach = isBall ? 0.01 : 0.06, most = 0.0;
        for (int j = 0; j < 10; ++j) {
            TestWorld_Run(world, 1);
            most = fmax(most, sdBody_GetCenter(world, body).x + reach - 1.0);
        }
        CHECK(most < 1e-3);
        sdWorld_Destroy(world);
    }
    sdMesh_Release(mesh);
}

SD_TEST(ccd_a_needle_that_spins_about_itself_is_seen_by_contacts) {
    sdMesh* mesh = makeTray();
    for (int i = 0; i < 16; ++i) {
        sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
        addFloor(world, i % 2 == 0 ? NULL : mesh);
        sdShape shape =
            i % 4 < 2 ? sdShape_Box(0.0005f, 0.15f, 0.0005f) : sdShape_Capsule(0.1f, 0.001f);
        sdBodyId body = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.2 + 0.003 * (double)i, 0.0),
                                             shapeOf(shape, 0.3f, 0.5f));
        sdQuat tilt = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), 1.2f + 0.02f * (float)i);
        CHECK_INT(sdBody_SetTransform(world, body, sdBody_GetCenter(world, body), tilt), SD_OK);
        sdVec3 axis = sdRotate(tilt, sdV3(0.0f, 1.0f, 0.0f));
        CHECK_INT(sdBody_SetVelocity(world, body, sdV3(0.0f, 0.0f, 0.0f), sdScale(800.0f, axis)),
                  SD_OK);
        double least = 1.0;
        for (int j = 0; j < 120; ++j) {
            TestWorld_Run(world, 1);
            least = fmin(least, sdBody_GetCenter(world, body).y);
        }
        CHECK(least > -1e-3);
        CHECK(sdLength(sdBody_GetVelocity(world, body)) < 3.0f);
        sdWorld_Destroy(world);
    }
    sdMesh_Release(mesh);
}

/// A needle lies on a floor, and a disc of ninety times its mass comes down on it.
/// @return how deep the needle's middle was in the floor, m
static double strikeNeedle(const sdMesh* mesh, int trial) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    addFloor(world, mesh);
    float restitution = trial % 3 == 0 ? 0.0f : 0.8f, x = 0.01f * (float)(trial % 7);
    sdBodyId needle =
        TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.0005, 0.0),
                             shapeOf(sdShape_Box(0.0005f, 0.0005f, 0.15f), restitution, 0.5f));
    TestWorld_Run(world, 10);
    sdBodyId disc =
        addFlying(world, sdPos_Make((double)x, 0.03 + 0.0005 * (double)trial, 0.03),
                  shapeOf(sdShape_Cylinder(0.005f, 0.03f), restitution, 0.5f),
                  sdV3(-0.8f, -0.6f - 0.1f * (float)(trial % 5), -0.1f), sdV3(6.0f, -3.0f, 26.0f));
    sdQuat tilt = sdQuat_FromAxisAngle(sdNormalize(sdV3(1.0f, 0.2f, 0.7f)), 0.2f * (float)trial);
    CHECK_INT(sdBody_SetTransform(world, disc, sdBody_GetCenter(world, disc), tilt), SD_OK);
    double least = 0.0;
    for (int i = 0; i < 30; ++i) {
        TestWorld_Run(world, 1);
        least = fmin(least, sdBody_GetCenter(world, needle).y);
    }
    sdWorld_Destroy(world);
    return -least;
}

SD_TEST(ccd_a_needle_between_a_floor_and_a_disc_stays_above) {
    sdMesh* mesh = makeTray();
    double deepest = 0.0;
    for (int i = 0; i < 64; ++i) {
        deepest = fmax(deepest, strikeNeedle(mesh, i));
        deepest = fmax(deepest, strikeNeedle(NULL, i));
    }
    sdTest_Print("its middle was in the floor by %.2f mm", 1e3 * deepest);
    CHECK(deepest < 1e-3);
    sdMesh_Release(mesh);
}

/// Something thin touches a floor with its lowest point, which does not come nearer, and turns: how
/// deep it is in the floor after a step, m.
static double turnOnFloor(const sdMesh* mesh, sdShape shape, TestRandom* random) {
    sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
    addFloor(world, mesh);
    sdQuat turn = TestRandom_Rotation(random);
    sdVec3 up = {0.0f, 1.0f, 0.0f}, lowest = {0.0f, 1.0f, 0.0f};
    for (int i = 0; i < 8; ++i) {
        sdVec3 half = shape.box.halfExtents;
        sdVec3 corner =
            sdRotate(turn, sdV3((i & 1) != 0 ? half.x : -half.x, (i & 2) != 0 ? half.y : -half.y,
                                (i & 4) != 0 ? half.z : -half.z));
        lowest = corner.y < lowest.y ? corner : lowest;
    }
    double gap = (double)TestRandom_Float(random, -1e-4f, 2e-4f);
    sdBodyId body = TestWorld_AddDynamic(world, sdPos_Make(0.0, gap - (double)lowest.y, 0.0),
                                         shapeOf(shape, 0.5f, 0.0f));
    CHECK_INT(sdBody_SetTransform(world, body, sdBody_GetCenter(world, body), turn), SD_OK);
    sdVec3 w = sdScale(TestRandom_Float(random, 5.0f, 40.0f), TestRandom_OnSphere(random));
    float down = TestRandom_Float(random, 0.0f, 0.2f) + sdDot(up, sdCross(w, lowest));
    CHECK_INT(sdBody_SetVelocity(world, body, sdV3(3.0f, -down, 0.0f), w), SD_OK);
    TestWorld_Run(world, 1);
    sdWorldTransform xf = sdBody_GetTransform(world, body);
    sdAABB box = sdShape_GetBounds(&shape, (sdTransform){{0.0f, 0.0f, 0.0f}, xf.q});
    sdWorld_Destroy(world);
    return -(xf.p.y + (double)box.lower.y);
}

SD_TEST(ccd_what_grazes_with_one_end_strikes_with_the_other) {
    sdMesh* mesh = makeTray();
    TestRandom random = TestRandom_Make(3);
    double deepest = 0.0;
    for (int i = 0; i < TestRounds(4000); ++i) {
        sdShape shape =
            i % 2 == 0 ? sdShape_Box(0.1f, 0.0005f, 0.1f) : sdShape_Box(0.0005f, 0.0005f, 0.15f);
        deepest = fmax(deepest, turnOnFloor(i % 4 < 2 ? NULL : mesh, shape, &random));
    }
    sdTest_Print("%.2f mm in the floor", 1e3 * deepest);
    CHECK(deepest < 1e-3);
    sdMesh_Release(mesh);
}

SD_TEST(ccd_is_the_same_far_from_the_origin) {
    const sdPos origins[2] = {{0.0, 0.0, 0.0}, {1e7, -1e7, 1e7}};
    for (int i = 0; i < 20; ++i) {
        double ends[2];
        float speeds[2];
        for (int far = 0; far < 2; ++far) {
            sdPos o = origins[far];
            sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
            TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(o.x, o.y, o.z), sdQuat_Identity(),
                              shapeOf(sdShape_Box(0.5f * WALL, 2.0f, 2.0f), 0.5f, 0.3f));
            sdPos start = {o.x - 1.0 - 0.17 * (double)i, o.y, o.z};
            sdBodyId body =
                addFlying(world, start, shapeOf(sdShape_Capsule(0.05f, 0.002f), 0.5f, 0.3f),
                          sdV3(200.0f, 2.0f, 0.0f), sdV3(0.0f, 5.0f, 30.0f));
            TestWorld_Run(world, 5);
            ends[far] = sdBody_GetCenter(world, body).x - o.x;
            speeds[far] = sdBody_GetVelocity(world, body).x;
            sdWorld_Destroy(world);
        }
        // 1e7 m is known to 2e-9 m
        CHECK(ends[0] < 0.0 && ends[1] < 0.0);
        CHECK_NEAR(ends[0], ends[1], 1e-3);
        CHECK_NEAR((double)speeds[0], (double)speeds[1], 0.05);
    }
}

// ---- time of impact beyond planes ----------------------------------------------------------

SD_TEST(toi_beyond_the_floor_of_a_mesh_there_is_its_wall) {
    sdMesh* mesh = makeTray();
    sdShape tray = sdShape_Mesh(mesh), ball = sdShape_Sphere(0.1f);
    sdToiPlane floor = {{0.0f, 1.0f, 0.0f}, 1e-3f};
    TestRandom random = TestRandom_Make(5);
    for (int i = 0; i < 500; ++i) {
        // in the floor, from anywhere on it to anywhere behind the wall
        sdVec3 start = {TestRandom_Float(&random, -1.5f, 0.8f),
                        TestRandom_Float(&random, 0.02f, 0.099f),
                        TestRandom_Float(&random, -1.0f, 1.0f)};
        sdVec3 way = {TestRandom_Float(&random, 3.0f, 6.0f), 0.0f,
                      TestRandom_Float(&random, -0.5f, 0.5f)};
        sdToiInput input = {
            .a = &ball,
            .b = &tray,
            .sweepA = {.start = TestAt(start.x, start.y, start.z), .translation = way},
            .sweepB = {.start = sdTransform_Identity()},
            .target = 1e-4f};
        CHECK(sdTimeOfImpact(&input).state == SD_TOI_OVERLAPPED);
        sdToiResult hit = sdToi_AdvanceBeyond(&input, &floor, 1);
        CHECK_INT(hit.state, SD_TOI_HIT);
        CHECK_NEAR((double)(start.x + hit.time * way.x), 0.9, 2e-4);
        CHECK_NEAR((double)hit.normal.x, 1.0, 1e-5);
        // away from it there is nothing
        input.sweepA.translation = sdNeg(way);
        CHECK_INT(sdToi_AdvanceBeyond(&input, &floor, 1).state, SD_TOI_SEPARATED);
    }
    sdToiInput bad = {.a = &tray, .b = &ball, .target = 1e-4f};
    CHECK_INT(sdToi_AdvanceBeyond(&bad, &floor, 1).status, SD_STATUS_INVALID);
    sdMesh_Release(mesh);
}
