// SPDX-License-Identifier: MIT
// What a world tells: events, sensors, contact points; and who may meet whom.

#include "sudar/collide.h"
#include "world_support.h"

#include <math.h>
#include <string.h>

static const sdVec3 zero = {0.0f, 0.0f, 0.0f};

static sdBodyId addSensor(sdWorld* world, sdBodyType type, sdPos p, float half) {
    sdShapeDef zone = TestWorld_BoxOf(half);
    zone.isSensor = true;
    return TestWorld_AddBody(world, type, p, sdQuat_Identity(), zone);
}

static sdShapeId shapeOf(const sdWorld* world, sdBodyId body) {
    sdShapeId shape = SD_NULL_SHAPE;
    sdBody_GetShapes(world, body, &shape, 1);
    return shape;
}

/// Run and add up what the sensors tell.
static void watch(sdWorld* world, int steps, int* begins, int* ends) {
    for (int i = 0; i < steps; ++i) {
        TestWorld_Run(world, 1);
        sdWorldEvents events = sdWorld_GetEvents(world);
        *begins += events.sensorBeginCount;
        *ends += events.sensorEndCount;
    }
}

// ---- sensors -------------------------------------------------------------------------------

SD_TEST(world_events_sensors_on_bodies_of_every_type) {
    static const sdBodyType types[] = {SD_BODY_STATIC, SD_BODY_KINEMATIC, SD_BODY_DYNAMIC};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            // what does not move is not seen by what does not move
            bool isSeen = types[i] != SD_BODY_STATIC || types[k] != SD_BODY_STATIC;
            sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
            sdBodyId sensor = addSensor(world, types[i], sdPos_Make(0.0, 0.0, 0.0), 1.0f);
            sdBodyId other = TestWorld_AddBody(world, types[k], sdPos_Make(-3.0, 0.0, 0.0),
                                               sdQuat_Identity(), TestWorld_BoxOf(0.5f));
            sdBodyId mover = types[k] != SD_BODY_STATIC ? other : sensor;
            sdVec3 v = {mover == other ? 3.0f : -3.0f, 0.0f, 0.0f};
            if (isSeen) {
                CHECK_INT(sdBody_SetVelocity(world, mover, v, zero), SD_OK);
            }
            int begins = 0, ends = 0;
            watch(world, 60, &begins, &ends);
            CHECK_INT(begins, isSeen ? 1 : 0);
            CHECK_INT(ends, 0);
            if (isSeen) {
                // it is not stopped
                CHECK_NEAR(sdLength(sdBody_GetVelocity(world, mover)), 3.0, 1e-4);
            }
            watch(world, 60, &begins, &ends);
            CHECK_INT(ends, isSeen ? 1 : 0);
            sdWorld_Destroy(world);
        }
    }
}

SD_TEST(world_events_end_when_one_is_destroyed) {
    for (int i = 0; i < 6; ++i) {
        sdWorld* world = TestWorld_Make(sdWorldDef_Default());
        TestWorld_AddFloor(world, sdMaterial_Default());
        sdBodyId sensor = addSensor(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.5, 0.0), 1.0f);
        sdBodyId box =
            TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.5, 0.0), TestWorld_BoxOf(0.5f));
        sdShapeId sensorShape = shapeOf(world, sensor), boxShape = shapeOf(world, box);
        int begins = 0, ends = 0;
        // asleep in the end, which ends nothing
        watch(world, 120, &begins, &ends);
        CHECK(!sdBody_IsAwake(world, box));
        CHECK_INT(begins, 1);
        CHECK_INT(ends, 0);
        sdFilter none = {1u, 0u, 0};
        switch (i) {
            case 0:
                CHECK_INT(sdBody_Destroy(world, box), SD_OK);
                break;
            case 1:
                CHECK_INT(sdBody_Destroy(world, sensor), SD_OK);
                break;
            case 2:
                CHECK_INT(sdShapeId_Remove(world, boxShape), SD_OK);
                break;
            case 3:
                CHECK_INT(sdShapeId_SetFilter(world, boxShape, none), SD_OK);
                break;
            case 4:
                CHECK_INT(
                    sdBody_SetTransform(world, box, sdPos_Make(9.0, 9.0, 9.0), sdQuat_Identity()),
                    SD_OK);
                break;
            default:
                CHECK_INT(sdBody_SetTransform(world, sensor, sdPos_Make(9.0, 9.0, 9.0),
                                              sdQuat_Identity()),
                          SD_OK);
        }
        TestWorld_Run(world, 1);
        sdWorldEvents events = sdWorld_GetEvents(world);
        if (CHECK_INT(events.sensorEndCount, 1)) {
            CHECK_INT(events.sensorEnd[0].shapeA, sensorShape);
            CHECK_INT(events.sensorEnd[0].shapeB, boxShape);
        }
        // the floor is left, too, unless it was the sensor that went
        CHECK_INT(events.endCount, i == 1 || i == 5 ? 0 : 1);
        TestWorld_Run(world, 1);
        CHECK_INT(sdWorld_GetEvents(world).sensorEndCount, 0);
        CHECK_INT(sdWorld_GetEvents(world).endCount, 0);
        sdWorld_Destroy(world);
    }
}

// ---- events and points ---------------------------------------------------------------------

/// A pile that falls on a floor, with all its events in one number.
static uint64_t hashEvents(const sdContext* context) {
    sdWorld* world = NULL;
    CHECK_INT(sdWorld_Create(context, NULL, &world), SD_OK);
    TestWorld_AddFloor(world, sdMaterial_Default());
    addSensor(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.5, 0.0), 1.0f);
    for (int i = 0; i < 60; ++i) {
        sdShapeDef shape =
            i % 2 == 0 ? TestWorld_BoxOf(0.2f) : sdShapeDef_Default(sdShape_Sphere(0.2f));
        TestWorld_AddDynamic(world, sdPos_Make(0.1 * (i % 7), 0.5 + 0.35 * i, 0.1 * (i % 5)),
                             shape);
    }
    uint64_t hash = TEST_HASH_START;
    int hitCount = 0;
    for (int i = 0; i < 150; ++i) {
        TestWorld_Run(world, 1);
        sdWorldEvents events = sdWorld_GetEvents(world);
        const size_t size = sizeof(sdContactEvent);
        hash = TestHash(hash, events.begin, (size_t)events.beginCount * size);
        hash = TestHash(hash, events.end, (size_t)events.endCount * size);
        hash = TestHash(hash, events.sensorBegin, (size_t)events.sensorBeginCount * size);
        hash = TestHash(hash, events.sensorEnd, (size_t)events.sensorEndCount * size);
        hash = TestHash(hash, events.hits, (size_t)events.hitCount * sizeof(sdHitEvent));
        hitCount += events.hitCount;
    }
    CHECK(hitCount > 60);
    sdWorld_Destroy(world);
    return hash;
}

SD_TEST(world_events_come_in_the_same_order_parallel) {
    uint64_t expected = hashEvents(NULL);
    sdScheduler* scheduler = NULL;
    REQUIRE(sdScheduler_Create(NULL, 4, &scheduler) == SD_OK);
    sdContext context = sdContext_Default();
    context.tasks = sdScheduler_GetTasks(scheduler);
    CHECK(hashEvents(&context) == expected);
    sdScheduler_Destroy(scheduler);
}

SD_TEST(world_events_points_are_new_kept_and_removed) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    TestWorld_AddFloor(world, sdMaterial_Default());
    sdBodyId box = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.5, 0.0), TestWorld_BoxOf(0.5f));
    sdContactInfo info = {0};
    for (int i = 0; i < 3; ++i) {
        TestWorld_Run(world, 1);
        CHECK_INT(sdWorld_GetContacts(world, &info, 1), 1);
        CHECK_INT(info.pointCount, 4);
        CHECK_INT(info.removedCount, 0);
        float impulse = 0.0f;
        for (int k = 0; k < info.pointCount; ++k) {
            CHECK_INT(info.points[k].state, i == 0 ? SD_POINT_NEW : SD_POINT_KEPT);
            CHECK_NEAR(info.points[k].position.y, 0.0, 1e-3);
            CHECK_NEAR(fabs(info.points[k].position.x), 0.5, 1e-3);
            impulse += info.points[k].normalImpulse;
        }
        CHECK_NEAR(impulse, 1000.0 * GRAVITY / 60.0, 0.5);
    }
    // on its edge two points are left
    sdQuat tilt = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), 0.3f);
    double lift = 0.5 * (sin(0.3) + cos(0.3));
    CHECK_INT(sdBody_SetTransform(world, box, sdPos_Make(0.0, lift, 0.0), tilt), SD_OK);
    TestWorld_Run(world, 1);
    CHECK_INT(sdWorld_GetContacts(world, &info, 1), 1);
    CHECK_INT(info.pointCount, 2);
    CHECK_INT(info.removedCount, 2);
    // room for none is no harm
    CHECK_INT(sdWorld_GetContacts(world, NULL, 0), 1);
    sdWorld_Destroy(world);
}

// ---- who meets whom ------------------------------------------------------------------------

typedef struct Chooser {
    sdShapeId banned;
    int callCount;
} Chooser;

static bool choose(void* user, const sdWorld* world, sdShapeId a, sdShapeId b) {
    Chooser* chooser = (Chooser*)user;
    chooser->callCount += 1;
    CHECK(sdShapeId_IsValid(world, a) && sdShapeId_IsValid(world, b));
    return a != chooser->banned && b != chooser->banned;
}

SD_TEST(world_events_custom_filter_is_asked_once_a_pair) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    TestWorld_AddFloor(world, sdMaterial_Default());
    sdBodyId a = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.5, 0.0), TestWorld_BoxOf(0.5f));
    sdBodyId b = TestWorld_AddDynamic(world, sdPos_Make(5.0, 0.5, 0.0), TestWorld_BoxOf(0.5f));
    Chooser chooser = {.banned = shapeOf(world, b)};
    sdWorld_SetFilterFcn(world, choose, &chooser);
    TestWorld_Run(world, 30);
    CHECK_INT(chooser.callCount, 2);
    CHECK_NEAR(sdBody_GetCenter(world, a).y, 0.5, 1e-2);
    CHECK(sdBody_GetCenter(world, b).y < 0.0);
    sdWorld_Destroy(world);
}

SD_TEST(world_events_kinematic_wall_pushes_a_pile) {
    sdWorld* world = TestWorld_Make(sdWorldDef_Default());
    TestWorld_AddFloor(world, TestWorld_Friction(0.3f));
    sdBodyId wall =
        TestWorld_AddBody(world, SD_BODY_KINEMATIC, sdPos_Make(-1.0, 1.0, 0.0), sdQuat_Identity(),
                          sdShapeDef_Default(sdShape_Box(0.2f, 1.0f, 2.0f)));
    sdBodyId boxes[9];
    for (int i = 0; i < 9; ++i) {
        boxes[i] =
            TestWorld_AddDynamic(world, sdPos_Make(0.1 + 0.61 * (i % 3), 0.3 + 0.6 * (i / 3), 0.0),
                                 TestWorld_BoxOf(0.3f));
    }
    // it wakes what sleeps when it comes
    TestWorld_Run(world, 120);
    CHECK_INT(sdBody_SetVelocity(world, wall, sdV3(1.0f, 0.0f, 0.0f), zero), SD_OK);
    TestWorld_Run(world, 240);
    CHECK_NEAR(sdBody_GetCenter(world, wall).x, 3.0, 1e-4);
    CHECK_NEAR(sdBody_GetVelocity(world, wall).x, 1.0, 0.0);
    for (int i = 0; i < 9; ++i) {
        // none is left behind or in the wall
        CHECK(sdBody_GetCenter(world, boxes[i]).x > 3.0 + 0.2 + 0.3 - 0.02);
        CHECK(sdBody_GetCenter(world, boxes[i]).y > 0.25);
    }
    sdWorld_Destroy(world);
}

SD_TEST(world_events_planar_world_stays_planar_to_the_bit) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    TestWorld_AddFloor(world, sdMaterial_Default());
    TestRandom random = TestRandom_Make(8);
    sdBodyId bodies[24];
    for (int i = 0; i < 24; ++i) {
        sdBodyDef def = sdBodyDef_Default();
        def.type = SD_BODY_DYNAMIC;
        def.locks = SD_LOCK_PLANAR;
        def.position = sdPos_Make((double)TestRandom_Float(&random, -1.0f, 1.0f), 0.7 * i, 0.25);
        def.rotation =
            sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), TestRandom_Float(&random, 0.0f, 3.0f));
        def.velocity = sdV3(0.0f, -1.0f, 5.0f);
        def.angularVelocity = sdV3(3.0f, 2.0f, 1.0f);
        CHECK_INT(sdBody_Create(world, &def, &bodies[i]), SD_OK);
        sdShapeDef shape = i % 3 == 0 ? sdShapeDef_Default(sdShape_Sphere(0.3f))
                                      : sdShapeDef_Default(sdShape_Box(0.4f, 0.2f, 0.3f));
        CHECK_INT(sdBody_AddShape(world, bodies[i], &shape, NULL), SD_OK);
    }
    TestWorld_Run(world, 240);
    for (int i = 0; i < 24; ++i) {
        sdWorldTransform at = sdBody_GetTransform(world, bodies[i]);
        sdVec3 v = sdBody_GetVelocity(world, bodies[i]);
        sdVec3 w = sdBody_GetAngularVelocity(world, bodies[i]);
        CHECK(at.p.z == 0.25);
        CHECK(at.q.v.x == 0.0f && at.q.v.y == 0.0f);
        CHECK(v.z == 0.0f && w.x == 0.0f && w.y == 0.0f);
        CHECK(at.p.y > 0.15);
    }
    sdWorld_Destroy(world);
}

// ---- which pairs have contacts -------------------------------------------------------------

enum { SWARM = 40 };

/// Whether two shapes are among the contacts.
static bool isListed(const sdContactInfo* contacts, int count, sdShapeId a, sdShapeId b) {
    bool isFound = false;
    for (int i = 0; i < count && !isFound; ++i) {
        isFound = (contacts[i].shapeA == a && contacts[i].shapeB == b) ||
                  (contacts[i].shapeA == b && contacts[i].shapeB == a);
    }
    return isFound;
}

/// Balls and rods that go the same way at 12 m/s, turn, and part slowly; every fourth lies still
/// and is met by them.
static void addSwarm(sdWorld* world, TestRandom* random, sdBodyId* bodies, sdShape* shapes) {
    for (int i = 0; i < SWARM; ++i) {
        bool isStill = i % 4 == 3;
        sdVec3 p = TestRandom_InBox(random, 0.7f), w = TestRandom_InBox(random, 3.0f);
        sdVec3 v = sdAdd(sdV3(12.0f, 0.0f, 0.0f), TestRandom_InBox(random, 1.0f));
        shapes[i] = i % 2 == 0 ? sdShape_Sphere(0.1f) : sdShape_Capsule(0.15f, 0.06f);
        bodies[i] = TestWorld_AddDynamic(
            world, sdPos_Make((double)p.x + (isStill ? 6.0 : 0.0), (double)p.y, (double)p.z),
            sdShapeDef_Default(shapes[i]));
        if (!isStill) {
            CHECK_INT(sdBody_SetVelocity(world, bodies[i], v, w), SD_OK);
        }
        if (isStill) {
            CHECK_INT(sdBody_SetAwake(world, bodies[i], false), SD_OK);
        }
    }
}

/// Pairs are left alone while they cannot come near each other, by how far they go beside each
/// other: none that is near is missed, also when those that went along are asleep or stop.
SD_TEST(world_events_no_pair_that_is_near_is_missed) {
    sdWorldDef def = sdWorldDef_Default();
    def.gravity = sdV3(0.0f, 0.0f, 0.0f);
    sdWorld* world = TestWorld_Make(def);
    TestRandom random = TestRandom_Make(7);
    sdBodyId bodies[SWARM];
    sdShape shapes[SWARM];
    sdWorldTransform before[SWARM];
    bool wasAwake[SWARM], isSeen[SWARM];
    static sdContactInfo contacts[4 * SWARM * SWARM];
    addSwarm(world, &random, bodies, shapes);
    int near = 0, missed = 0;
    for (int step = 0; step < 90; ++step) {
        if (step == 30) { // some that went along lie down in the middle of the others
            for (int i = 0; i < SWARM; i += 5) {
                CHECK_INT(sdBody_SetAwake(world, bodies[i], false), SD_OK);
            }
        }
        for (int i = 0; i < SWARM; ++i) {
            before[i] = sdBody_GetTransform(world, bodies[i]);
            // what whirls is looked at on its way instead
            float turn = DT * sdLength(sdBody_GetAngularVelocity(world, bodies[i]));
            isSeen[i] = turn < 0.25f;
            wasAwake[i] = sdBody_IsAwake(world, bodies[i]);
        }
        CHECK_INT(sdWorld_Step(world, DT), SD_OK);
        int count = sdWorld_GetContacts(world, contacts, 4 * SWARM * SWARM);
        for (int i = 0; i < SWARM * SWARM; ++i) {
            int a = i / SWARM, b = i % SWARM;
            if (a >= b || !(wasAwake[a] || wasAwake[b]) || !isSeen[a] || !isSeen[b]) {
                continue;
            }
            sdTransform xfAB = sdWorldTransform_Relative(before[a], before[b]);
            if (sdDistance(&shapes[a], &shapes[b], xfAB, NULL).separation < 0.015f) {
                sdShapeId shapeA, shapeB;
                sdBody_GetShapes(world, bodies[a], &shapeA, 1);
                sdBody_GetShapes(world, bodies[b], &shapeB, 1);
                near += 1;
                missed += isListed(contacts, count, shapeA, shapeB) ? 0 : 1;
            }
        }
    }
    sdTest_Print("%d times two were near each other, %d missed", near, missed);
    CHECK(near > 60);
    CHECK_INT(missed, 0);
    sdWorld_Destroy(world);
}

/// Two that go side by side come no nearer; when the first of them lies down, the other meets it.
SD_TEST(world_events_what_went_along_and_stopped_is_met) {
    sdWorldDef def = sdWorldDef_Default();
    def.gravity = zero;
    sdWorld* world = TestWorld_Make(def);
    sdBodyId bodies[2];
    for (int i = 0; i < 2; ++i) {
        bodies[i] = TestWorld_AddDynamic(world, sdPos_Make(0.24 * i, 0.0, 0.0),
                                         sdShapeDef_Default(sdShape_Sphere(0.1f)));
        CHECK_INT(sdBody_SetVelocity(world, bodies[i], sdV3(1.0f, 0.0f, 0.0f), zero), SD_OK);
    }
    TestWorld_Run(world, 30);
    CHECK_INT(sdBody_SetAwake(world, bodies[1], false), SD_OK);
    int met = 0;
    for (int i = 0; i < 30; ++i) {
        CHECK_INT(sdWorld_Step(world, DT), SD_OK);
        met += sdWorld_GetEvents(world).beginCount;
    }
    CHECK_INT(met, 1);
    CHECK(sdBody_GetCenter(world, bodies[0]).x < sdBody_GetCenter(world, bodies[1]).x);
    sdWorld_Destroy(world);
}
