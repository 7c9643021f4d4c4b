// SPDX-License-Identifier: MIT
// Bodies that change: type, taking part, small settings, points and directions.

#include "world_support.h"

#include "sudar/joint.h"

#include <math.h>

static const sdVec3 zero = {0.0f, 0.0f, 0.0f};

SD_TEST(world_body_changes_its_type) {
    sdWorld* world = TestWorld_Make(sdWorldDef_Default());
    TestWorld_AddFloor(world, sdMaterial_Default());
    sdBodyId below = TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 2.5, 0.0),
                                       sdQuat_Identity(), TestWorld_BoxOf(0.5f));
    sdBodyId above = TestWorld_AddDynamic(world, sdPos_Make(0.0, 3.5, 0.0), TestWorld_BoxOf(0.5f));
    TestWorld_Run(world, 90);
    CHECK_NEAR(sdBody_GetCenter(world, above).y, 3.5, 1e-2);
    CHECK(!sdBody_IsAwake(world, above));
    CHECK(sdBody_GetMass(world, below).mass == 0.0f);
    // what rested on it notices
    CHECK_INT(sdBody_SetType(world, below, SD_BODY_DYNAMIC), SD_OK);
    CHECK_INT(sdBody_GetType(world, below), SD_BODY_DYNAMIC);
    CHECK_NEAR(sdBody_GetMass(world, below).mass, 1000.0, 1e-3);
    CHECK(sdBody_IsAwake(world, above));
    TestWorld_Run(world, 120);
    CHECK_NEAR(sdBody_GetCenter(world, below).y, 0.5, 1e-2);
    CHECK_NEAR(sdBody_GetCenter(world, above).y, 1.5, 1e-2);
    // a platform that rises
    CHECK_INT(sdBody_SetType(world, below, SD_BODY_KINEMATIC), SD_OK);
    CHECK(sdBody_GetMass(world, below).mass == 0.0f);
    CHECK_INT(sdBody_SetVelocity(world, below, sdV3(0.0f, 1.0f, 0.0f), zero), SD_OK);
    TestWorld_Run(world, 60);
    CHECK_NEAR(sdBody_GetCenter(world, below).y, 1.5, 1e-2);
    CHECK_NEAR(sdBody_GetCenter(world, above).y, 2.5, 2e-2);
    // and stops
    CHECK_INT(sdBody_SetType(world, below, SD_BODY_STATIC), SD_OK);
    CHECK_NEAR(sdLength(sdBody_GetVelocity(world, below)), 0.0, 0.0);
    CHECK(!sdBody_IsAwake(world, below));
    TestWorld_Run(world, 60);
    CHECK_NEAR(sdBody_GetCenter(world, below).y, 1.5, 1e-2);
    CHECK_NEAR(sdBody_GetCenter(world, above).y, 2.5, 2e-2);
    sdWorld_Destroy(world);
}

SD_TEST(world_body_refuses_a_type_that_does_not_fit) {
    TestContext test;
    TestContext_Init(&test);
    sdWorld* world = NULL;
    REQUIRE(sdWorld_Create(&test.context, NULL, &world) == SD_OK);
    sdBodyId floor = TestWorld_AddFloor(world, sdMaterial_Default());
    sdShapeDef more = TestWorld_BoxOf(0.5f);
    CHECK_INT(sdBody_AddShape(world, floor, &more, NULL), SD_OK);
    CHECK_INT(sdBody_SetType(world, floor, SD_BODY_DYNAMIC), SD_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT(test.lastError, "half-space");
    CHECK_INT(sdBody_SetType(world, floor, (sdBodyType)9), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdBody_SetType(world, 77u, SD_BODY_STATIC), SD_ERROR_STALE_ID);
    CHECK_INT(sdBody_GetType(world, floor), SD_BODY_STATIC);
    // it is what it was
    sdBodyId box = TestWorld_AddDynamic(world, sdPos_Make(3.0, 0.6, 0.0), TestWorld_BoxOf(0.5f));
    TestWorld_Run(world, 60);
    CHECK_NEAR(sdBody_GetCenter(world, box).y, 0.5, 1e-2);
    // a given mass is forgotten
    sdMassProps mass = {5.0f, zero, sdMat33_Diagonal(1.0f, 1.0f, 1.0f)};
    CHECK_INT(sdBody_SetMass(world, box, mass), SD_OK);
    CHECK_INT(sdBody_SetType(world, box, SD_BODY_STATIC), SD_OK);
    CHECK_INT(sdBody_SetType(world, box, SD_BODY_DYNAMIC), SD_OK);
    CHECK_NEAR(sdBody_GetMass(world, box).mass, 1000.0, 1e-3);
    sdWorld_Destroy(world);
    TestContext_Finish(&test);
}

static sdResult retype(const sdContext* context, void* arg) {
    (void)arg;
    sdWorld* world;
    sdResult result = sdWorld_Create(context, NULL, &world);
    if (result != SD_OK) {
        return result;
    }
    sdBodyDef def = sdBodyDef_Default();
    sdShapeDef shape = TestWorld_BoxOf(0.5f);
    sdBodyId body;
    result = sdBody_Create(world, &def, &body);
    for (int i = 0; i < 40 && result == SD_OK; ++i) {
        shape.xf.p.x = (float)i;
        result = sdBody_AddShape(world, body, &shape, NULL);
    }
    if (result == SD_OK) {
        result = sdBody_SetType(world, body, SD_BODY_DYNAMIC);
        // all or nothing
        CHECK_INT(sdBody_GetType(world, body), result == SD_OK ? SD_BODY_DYNAMIC : SD_BODY_STATIC);
        sdResult stepped = sdWorld_Step(world, DT);
        CHECK(stepped == SD_OK || result == SD_OK);
        result = result == SD_OK ? stepped : result;
    }
    sdWorld_Destroy(world);
    return result;
}

SD_TEST(world_body_type_survives_every_failing_allocation) {
    TestContext_FailEach(retype, NULL);
}

SD_TEST(world_body_that_is_not_enabled_takes_no_part) {
    sdWorld* world = TestWorld_Make(sdWorldDef_Default());
    TestWorld_AddFloor(world, sdMaterial_Default());
    sdBodyId below = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.5, 0.0), TestWorld_BoxOf(0.5f));
    sdBodyId above = TestWorld_AddDynamic(world, sdPos_Make(0.0, 1.5, 0.0), TestWorld_BoxOf(0.5f));
    TestWorld_Run(world, 120);
    CHECK(!sdBody_IsAwake(world, above));
    CHECK(sdBody_IsEnabled(world, below));
    CHECK_INT(sdBody_SetEnabled(world, below, false), SD_OK);
    CHECK_INT(sdBody_SetEnabled(world, below, false), SD_OK);
    CHECK(!sdBody_IsEnabled(world, below) && !sdBody_IsAwake(world, below));
    TestWorld_Run(world, 1);
    // its contacts with the box above and the floor have ended
    CHECK_INT(sdWorld_GetEvents(world).endCount, 2);
    CHECK_INT(sdBody_ApplyImpulse(world, below, sdV3(1e3f, 0.0f, 0.0f), sdPos_Make(0.0, 0.5, 0.0)),
              SD_OK);
    CHECK_INT(sdBody_SetVelocity(world, below, zero, zero), SD_OK);
    // shapes that come now are not seen either
    sdShapeDef more = TestWorld_BoxOf(0.2f);
    sdShapeId shape;
    CHECK_INT(sdBody_AddShape(world, below, &more, &shape), SD_OK);
    CHECK_INT(sdShapeId_SetFilter(world, shape, sdFilter_Default()), SD_OK);
    TestWorld_Run(world, 120);
    CHECK_NEAR(sdBody_GetCenter(world, above).y, 0.5, 1e-2);
    CHECK_NEAR(sdBody_GetCenter(world, below).y, 0.5, 1e-2);
    // put aside, and back
    CHECK_INT(sdBody_SetTransform(world, below, sdPos_Make(0.0, 3.0, 0.0), sdQuat_Identity()),
              SD_OK);
    TestWorld_Run(world, 60);
    CHECK_NEAR(sdBody_GetCenter(world, below).y, 3.0, 1e-6);
    CHECK_INT(sdBody_SetEnabled(world, below, true), SD_OK);
    TestWorld_Run(world, 120);
    CHECK_NEAR(sdBody_GetCenter(world, below).y, 1.5, 1e-2);
    CHECK_INT(sdBody_SetEnabled(world, 77u, true), SD_ERROR_STALE_ID);
    sdWorld_Destroy(world);
}

SD_TEST(world_body_settings_are_read_back) {
    sdWorld* world = TestWorld_Make(sdWorldDef_Default());
    TestWorld_AddFloor(world, sdMaterial_Default());
    sdBodyId box = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.5, 0.0), TestWorld_BoxOf(0.5f));
    sdShapeId shape;
    sdBody_GetShapes(world, box, &shape, 1);
    CHECK_INT(sdBody_SetUserData(world, box, 42u), SD_OK);
    CHECK_INT(sdBody_GetUserData(world, box), 42);
    CHECK_INT(sdShapeId_SetUserData(world, shape, 43u), SD_OK);
    CHECK_INT(sdShapeId_GetUserData(world, shape), 43);
    CHECK_INT(sdBody_SetLocks(world, box, SD_LOCK_PLANAR), SD_OK);
    CHECK_INT(sdBody_GetLocks(world, box), SD_LOCK_PLANAR);
    CHECK_INT(sdBody_SetLocks(world, box, 64u), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdBody_SetDamping(world, box, 0.5f, 0.25f), SD_OK);
    CHECK_NEAR(sdBody_GetLinearDamping(world, box), 0.5, 0.0);
    CHECK_NEAR(sdBody_GetAngularDamping(world, box), 0.25, 0.0);
    CHECK_INT(sdBody_SetGravityScale(world, box, 2.0f), SD_OK);
    CHECK_NEAR(sdBody_GetGravityScale(world, box), 2.0, 0.0);
    CHECK(sdBody_IsSleepEnabled(world, box));
    CHECK_INT(sdBody_EnableSleep(world, box, false), SD_OK);
    TestWorld_Run(world, 120);
    CHECK(sdBody_IsAwake(world, box));
    CHECK_INT(sdBody_EnableSleep(world, box, true), SD_OK);
    TestWorld_Run(world, 120);
    CHECK(!sdBody_IsAwake(world, box));
    // gravity wakes
    CHECK_INT(sdWorld_SetGravity(world, sdV3(0.0f, 5.0f, 0.0f)), SD_OK);
    CHECK(sdBody_IsAwake(world, box));
    TestWorld_Run(world, 60);
    CHECK(sdBody_GetCenter(world, box).y > 2.0);
    CHECK_INT(sdWorld_SetGravity(world, sdV3(0.0f, TestNaN(), 0.0f)), SD_ERROR_INVALID_ARGUMENT);
    sdWorld_Destroy(world);
}

SD_TEST(world_body_points_go_there_and_back) {
    sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
    sdShapeDef shape = TestWorld_BoxOf(0.5f);
    shape.xf.p = sdV3(1.0f, 0.0f, 0.0f);
    sdQuat q = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), 0.5f * 3.14159265f);
    sdBodyId body = TestWorld_AddBody(world, SD_BODY_DYNAMIC, sdPos_Make(1e9, 2.0, 3.0), q, shape);
    sdVec3 local = {1.0f, 0.5f, -0.25f};
    sdPos p = sdBody_GetWorldPoint(world, body, local);
    CHECK_NEAR(p.x - 1e9, -0.5, 1e-6);
    CHECK_NEAR(p.y, 3.0, 1e-6);
    CHECK_NEAR(p.z, 2.75, 1e-6);
    CHECK_NEAR(sdDistanceSquared(sdBody_GetLocalPoint(world, body, p), local), 0.0, 1e-12);
    sdVec3 v = sdBody_GetWorldVector(world, body, sdV3(1.0f, 0.0f, 0.0f));
    CHECK_NEAR(v.y, 1.0, 1e-6);
    CHECK_NEAR(sdBody_GetLocalVector(world, body, v).x, 1.0, 1e-6);
    // the origin of the frame is where the body was put
    p = sdBody_GetWorldPoint(world, body, zero);
    CHECK_NEAR(p.y, 2.0, 1e-6);
    sdWorld_Destroy(world);
}

/// A body may be made asleep; one that is hit wakes in time to take the whole blow.
SD_TEST(world_body_asleep_is_struck_like_one_awake) {
    for (int isAsleep = 0; isAsleep < 2; ++isAsleep) {
        sdWorldDef def = sdWorldDef_Default();
        def.gravity = zero;
        sdWorld* world = TestWorld_Make(def);
        sdShapeDef shape = sdShapeDef_Default(sdShape_Sphere(0.5f));
        shape.material.restitution = 1.0f;
        sdBodyDef body = sdBodyDef_Default();
        body.type = SD_BODY_DYNAMIC;
        body.isAwake = isAsleep == 0;
        sdBodyId target, ball;
        REQUIRE(sdBody_Create(world, &body, &target) == SD_OK);
        REQUIRE(sdBody_AddShape(world, target, &shape, NULL) == SD_OK);
        CHECK(sdBody_IsAwake(world, target) == (isAsleep == 0));
        body.isAwake = true;
        body.position = sdPos_Make(-2.0, 0.0, 0.0);
        body.velocity = sdV3(3.0f, 0.0f, 0.0f);
        REQUIRE(sdBody_Create(world, &body, &ball) == SD_OK);
        REQUIRE(sdBody_AddShape(world, ball, &shape, NULL) == SD_OK);
        TestWorld_Run(world, 30);
        CHECK_NEAR(sdBody_GetVelocity(world, target).x, 3.0, 1e-3);
        CHECK_NEAR(sdBody_GetVelocity(world, ball).x, 0.0, 1e-3);
        sdWorld_Destroy(world);
    }
}

SD_TEST(world_energy_is_that_of_its_dynamic_bodies) {
    sdWorldDef def = TestWorld_AwakeDef();
    def.gravity = sdV3(0.0f, -10.0f, 0.0f);
    sdWorld* world = TestWorld_Make(def);
    CHECK_NEAR(sdWorld_GetEnergy(world).kinetic + sdWorld_GetEnergy(NULL).potential, 0.0, 0.0);
    const sdBodyType types[] = {SD_BODY_STATIC, SD_BODY_KINEMATIC, SD_BODY_DYNAMIC};
    for (int i = 0; i < 3; ++i) {
        sdBodyDef body = sdBodyDef_Default();
        body.type = types[i];
        body.position = sdPos_Make(5.0 * i, 3.0, 0.0);
        // a quarter turn brings the box's x to the world's y
        body.rotation = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), 0.5f * SD_PI);
        body.velocity = sdV3(1.0f, 2.0f, -2.0f);
        body.angularVelocity = sdV3(0.0f, 3.0f, 0.0f);
        body.gravityScale = 0.5f;
        sdBodyId id;
        CHECK_INT(sdBody_Create(world, &body, &id), SD_OK);
        sdShapeDef shape = sdShapeDef_Default(sdShape_Box(0.5f, 1.0f, 1.5f));
        shape.density = 2.0f;
        CHECK_INT(sdBody_AddShape(world, id, &shape, NULL), SD_OK);
    }
    // m = 2 * 6 kg, I of its x axis = m (2² + 3²) / 12
    CHECK_NEAR(sdWorld_GetEnergy(world).kinetic, 0.5 * 12.0 * 9.0 + 0.5 * 13.0 * 9.0, 1e-3);
    CHECK_NEAR(sdWorld_GetEnergy(world).potential, 0.5 * 12.0 * 10.0 * 3.0, 1e-3);
    sdWorld_Destroy(world);
}

/// What sleeps wakes when a static body changes that it leans on, hangs on or has come into.
SD_TEST(world_body_sleepers_notice_static_bodies_that_change) {
    enum { ANCHOR, MATERIAL, ARRIVAL, ENABLED, FILTER, CASES };
    for (int c = 0; c < CASES; ++c) {
        sdWorld* world = TestWorld_Make(sdWorldDef_Default());
        sdBodyId floor =
            TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, -0.5, 0.0), sdQuat_Identity(),
                              sdShapeDef_Default(sdShape_Box(4.0f, 0.5f, 4.0f)));
        sdShapeDef wall = sdShapeDef_Default(sdShape_Box(0.2f, 0.2f, 0.2f));
        double away = c == ARRIVAL || c == ANCHOR ? 3.0 : 0.3;
        if (c == FILTER) {
            wall.filter.mask = 0;
        }
        sdBodyId block = TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(away, 0.2, 0.0),
                                           sdQuat_Identity(), wall);
        if (c == ENABLED) {
            CHECK_INT(sdBody_SetEnabled(world, block, false), SD_OK);
        }
        sdBodyId box =
            TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.2, 0.0), TestWorld_BoxOf(0.2f));
        sdJointId joint = SD_NULL_JOINT;
        if (c == ANCHOR) {
            sdJointDef def = sdJointDef_Make(SD_JOINT_BALL, block, box);
            CHECK_INT(
                sdJointDef_Place(world, &def, sdPos_Make(1.5, 0.2, 0.0), sdV3(1.0f, 0.0f, 0.0f)),
                SD_OK);
            CHECK_INT(sdJoint_Create(world, &def, &joint), SD_OK);
        }
        for (int i = 0; i < 300 && sdBody_IsAwake(world, box); ++i) {
            CHECK_INT(sdWorld_Step(world, DT), SD_OK);
        }
        CHECK(!sdBody_IsAwake(world, box));
        sdShapeId shape;
        CHECK_INT(sdBody_GetShapes(world, c == MATERIAL ? floor : block, &shape, 1), 1);
        switch (c) {
            case ANCHOR:
                CHECK_INT(
                    sdBody_SetTransform(world, block, sdPos_Make(3.0, 1.2, 0.0), sdQuat_Identity()),
                    SD_OK);
                break;
            case MATERIAL:
                CHECK_INT(sdShapeId_SetMaterial(world, shape, TestWorld_Friction(0.0f)), SD_OK);
                break;
            case ARRIVAL:
                CHECK_INT(
                    sdBody_SetTransform(world, block, sdPos_Make(0.3, 0.2, 0.0), sdQuat_Identity()),
                    SD_OK);
                break;
            case ENABLED:
                CHECK_INT(sdBody_SetEnabled(world, block, true), SD_OK);
                break;
            default:
                CHECK_INT(sdShapeId_SetFilter(world, shape, sdShapeDef_Default(wall.shape).filter),
                          SD_OK);
        }
        CHECK(sdBody_IsAwake(world, box));
        TestWorld_Run(world, 120);
        if (c == ANCHOR) {
            CHECK(sdJoint_GetError(world, joint, NULL) < 1e-3f);
        } else if (c != MATERIAL) {
            // out of what has come
            CHECK(sdBody_GetCenter(world, box).x < -0.09);
        }
        sdWorld_Destroy(world);
    }
}
