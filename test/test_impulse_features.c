// SPDX-License-Identifier: MIT
// The impulse solver in a world that has everything: settings, events, sleep, kinematic bodies,
// locks, snapshots, threads, memory that fails; and meshes that move.

#include "world_support.h"

#include "sudar/concave.h"
#include "sudar/models.h"
#include "sudar/snapshot.h"

#include <math.h>
#include <stdlib.h>

static sdWorldDef impulseDef(void) {
    sdWorldDef def = TestWorld_AwakeDef();
    def.solver = SD_SOLVER_IMPULSE;
    return def;
}

// ---- settings ------------------------------------------------------------------------------

SD_TEST(impulse_bad_settings_are_refused_with_words) {
    TestContext test;
    TestContext_Init(&test);
    sdWorld* world = NULL;
    CHECK_INT(sdWorld_Create(&test.context, NULL, &world), SD_OK);
    sdWorldDef good = sdWorld_GetDef(world);
    CHECK_INT(good.solver, SD_SOLVER_SOFT);
    CHECK_INT(good.impulse.collisionPassCount, 5);
    CHECK_INT(good.impulse.contactPassCount, 10);
    CHECK_INT(good.impulse.jointPassCount, 10);
    sdWorldDef bad[10];
    const char* words[10] = {"solver",
                             "impulse.order",
                             "detection",
                             "motion",
                             "collisionPassCount",
                             "contactPassCount",
                             "jointPassCount",
                             "jointTolerance",
                             "jointTolerance",
                             "collisionPassCount"};
    for (int i = 0; i < 10; ++i) {
        bad[i] = good;
    }
    bad[0].solver = SD_SOLVER_COUNT;
    bad[1].impulse.order = (sdImpulseOrder)7;
    bad[2].impulse.detection = (sdImpulseDetection)-1;
    bad[3].impulse.motion = SD_MOTION_COUNT;
    bad[4].impulse.collisionPassCount = -1;
    bad[5].impulse.contactPassCount = 1001;
    bad[6].impulse.jointPassCount = 0;
    bad[7].impulse.jointTolerance = 0.0f;
    bad[8].impulse.jointTolerance = TestNaN();
    bad[9].impulse.collisionPassCount = 1 << 30;
    for (int i = 0; i < 10; ++i) {
        CHECK_INT(sdWorld_SetDef(world, &bad[i]), SD_ERROR_INVALID_ARGUMENT);
        CHECK_TEXT(test.lastError, words[i]);
        sdWorld* none = NULL;
        CHECK_INT(sdWorld_Create(&test.context, &bad[i], &none), SD_ERROR_INVALID_ARGUMENT);
        CHECK(none == NULL);
    }
    CHECK_INT(sdWorld_GetDef(world).impulse.contactPassCount, 10);
    sdWorld_Destroy(world);
    TestContext_Finish(&test);
}

// ---- both orders, both ways ----------------------------------------------------------------

/// An elastic cube lies on a floor with tilted gravity; friction would hold it.
/// @return its mean speed up and down
static double hop(sdImpulseOrder order, double* way) {
    sdWorldDef def = impulseDef();
    def.impulse.order = order;
    def.gravity = sdV3(2.0f, -9.6f, 0.0f);
    sdWorld* world = TestWorld_Make(def);
    sdMaterial elastic = TestWorld_Friction(0.1f);
    elastic.restitution = 1.0f;
    TestWorld_AddFloor(world, elastic);
    sdShapeDef shape = TestWorld_BoxOf(0.5f);
    shape.material = elastic;
    sdBodyId cube = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.5, 0.0), shape);
    double sum = 0.0;
    for (int i = 0; i < 120; ++i) {
        TestWorld_Run(world, 1);
        sum += fabs((double)sdBody_GetVelocity(world, cube).y);
    }
    *way = sdBody_GetCenter(world, cube).x;
    sdWorld_Destroy(world);
    return sum / 120.0;
}

SD_TEST(impulse_new_order_slides_where_the_ordinary_hops) {
    double wayNew, wayOld, hopNew = hop(SD_ORDER_NEW, &wayNew);
    double hopOld = hop(SD_ORDER_ORDINARY, &wayOld);
    // a = g (sin - 0.1 cos) for 2 s
    double expected = 0.5 * (2.0 - 0.96) * 4.0;
    sdTest_Print("goes up and down at %.4f m/s and slides %.3f m of %.3f m; in the ordinary order "
                 "at %.4f m/s",
                 hopNew, wayNew, expected, hopOld);
    CHECK(hopNew < 1e-3);
    CHECK_NEAR(wayNew, expected, 0.05 * expected);
    CHECK(hopOld > 0.02);
}

SD_TEST(impulse_box_rests_in_every_way_of_solving) {
    for (int order = 0; order < SD_ORDER_COUNT; ++order) {
        for (int detection = 0; detection < SD_DETECT_COUNT; ++detection) {
            for (int motion = 0; motion < SD_MOTION_COUNT; ++motion) {
                sdWorldDef def = impulseDef();
                def.impulse.order = (sdImpulseOrder)order;
                def.impulse.detection = (sdImpulseDetection)detection;
                def.impulse.motion = (sdImpulseMotion)motion;
                sdWorld* world = TestWorld_Make(def);
                TestWorld_AddFloor(world, TestWorld_Friction(0.6f));
                sdBodyId boxes[3];
                for (int i = 0; i < 3; ++i) {
                    sdPos p = sdPos_Make(0.1 * i, 0.5 + 1.01 * i, 0.0);
                    boxes[i] = TestWorld_AddDynamic(world, p, TestWorld_BoxOf(0.5f));
                }
                TestWorld_Run(world, 120);
                for (int i = 0; i < 3; ++i) {
                    sdPos p = sdBody_GetCenter(world, boxes[i]);
                    // the ordinary order lets bodies fall into each other before it looks
                    CHECK_NEAR(p.y, 0.5 + i, order == SD_ORDER_NEW ? 2e-3 : 3e-2);
                    CHECK_NEAR(p.x, 0.1 * i, 1e-2);
                }
                sdWorld_Destroy(world);
            }
        }
    }
}

/// S0 figure 2.1: two balls whose ways cross, one after the other; what the first is moved into has
/// gone by then only if they are moved together.
static float cross(sdImpulseMotion motion) {
    sdWorldDef def = impulseDef();
    def.gravity = sdV3(0.0f, 0.0f, 0.0f);
    def.enableContinuous = false;
    def.impulse.motion = motion;
    sdWorld* world = TestWorld_Make(def);
    sdShapeDef shape = sdShapeDef_Default(sdShape_Sphere(0.5f));
    shape.material = (sdMaterial){.restitution = 1.0f};
    sdBodyId a = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.0, 0.0), shape);
    sdBodyId b = TestWorld_AddDynamic(world, sdPos_Make(1.03, 0.0, 0.0), shape);
    CHECK_INT(sdBody_SetVelocity(world, a, sdV3(3.0f, 0.0f, 0.0f), sdV3(0.0f, 0.0f, 0.0f)), SD_OK);
    CHECK_INT(sdBody_SetVelocity(world, b, sdV3(0.0f, 0.0f, 12.0f), sdV3(0.0f, 0.0f, 0.0f)), SD_OK);
    TestWorld_Run(world, 1);
    float speed = sdBody_GetVelocity(world, a).x;
    sdWorld_Destroy(world);
    return speed;
}

SD_TEST(impulse_bodies_moved_one_by_one_meet_what_is_gone) {
    CHECK_NEAR(cross(SD_MOTION_TOGETHER), 3.0, 1e-4);
    CHECK(cross(SD_MOTION_ONE_BY_ONE) < 1.0f);
}

SD_TEST(impulse_inelastic_impact_ends_at_the_surface) {
    // not where it was when the impact was foreseen
    sdWorldDef def = impulseDef();
    sdWorld* world = TestWorld_Make(def);
    TestWorld_AddFloor(world, TestWorld_Friction(0.6f));
    sdBodyId box = TestWorld_AddDynamic(world, sdPos_Make(0.0, 3.0, 0.0), TestWorld_BoxOf(0.5f));
    double last = 3.0, lowest = 3.0;
    for (int i = 0; i < 60; ++i) {
        TestWorld_Run(world, 1);
        double y = sdBody_GetCenter(world, box).y;
        CHECK(y <= last + 1e-4);
        lowest = fmin(lowest, y);
        last = y;
    }
    CHECK_NEAR(last, 0.5, 1e-4);
    CHECK(lowest > 0.4999);
    sdWorld_Destroy(world);
}

// ---- the rest of the world -----------------------------------------------------------------

SD_TEST(impulse_contacts_carry_the_weight) {
    sdWorld* world = TestWorld_Make(impulseDef());
    TestWorld_AddFloor(world, TestWorld_Friction(0.6f));
    TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.5, 0.0), TestWorld_BoxOf(0.5f));
    TestWorld_AddDynamic(world, sdPos_Make(0.0, 1.5, 0.0), TestWorld_BoxOf(0.5f));
    TestWorld_Run(world, 30);
    sdContactInfo contacts[4];
    REQUIRE(sdWorld_GetContacts(world, contacts, 4) == 2);
    double sums[2] = {0.0};
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < contacts[i].pointCount; ++j) {
            sums[i] += (double)contacts[i].points[j].normalImpulse;
        }
    }
    double weight = 1000.0 * GRAVITY / 60.0;
    double less = fmin(sums[0], sums[1]), more = fmax(sums[0], sums[1]);
    CHECK_NEAR(less, weight, 0.02 * weight);
    // shock stops what is above as if the lower box were fixed: its own share is felt before that
    CHECK(more > 0.9 * weight);
    sdWorld_Destroy(world);
}

SD_TEST(impulse_events_sleep_and_waking_go_on) {
    sdWorldDef def = sdWorldDef_Default();
    def.solver = SD_SOLVER_IMPULSE;
    sdWorld* world = TestWorld_Make(def);
    TestWorld_AddFloor(world, TestWorld_Friction(0.6f));
    sdBodyId lower = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.6, 0.0), TestWorld_BoxOf(0.5f));
    sdBodyId upper = TestWorld_AddDynamic(world, sdPos_Make(0.0, 1.8, 0.0), TestWorld_BoxOf(0.5f));
    sdShapeDef sensor = TestWorld_BoxOf(0.2f);
    sensor.isSensor = true;
    TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.5, 0.0), sdQuat_Identity(), sensor);
    int beginCount = 0, endCount = 0, sensorCount = 0;
    for (int i = 0; i < 240; ++i) {
        TestWorld_Run(world, 1);
        sdWorldEvents events = sdWorld_GetEvents(world);
        beginCount += events.beginCount;
        endCount += events.endCount;
        sensorCount += events.sensorBeginCount;
    }
    CHECK_INT(beginCount - endCount, 2);
    CHECK_INT(sensorCount, 1);
    CHECK_INT(sdWorld_GetStats(world).awakeCount, 0);
    // a third one falls on them and wakes them
    sdBodyId third = TestWorld_AddDynamic(world, sdPos_Make(0.0, 4.0, 0.0), TestWorld_BoxOf(0.5f));
    bool isWoken = false;
    for (int i = 0; i < 240; ++i) {
        TestWorld_Run(world, 1);
        isWoken = isWoken || sdBody_IsAwake(world, lower);
    }
    CHECK(isWoken);
    CHECK_INT(sdWorld_GetStats(world).awakeCount, 0);
    CHECK_NEAR(sdBody_GetCenter(world, upper).y, 1.5, 2e-3);
    CHECK_NEAR(sdBody_GetCenter(world, third).y, 2.5, 2e-3);
    sdWorld_Destroy(world);
}

SD_TEST(impulse_lift_carries_a_stack_up_and_a_belt_along) {
    sdWorld* world = TestWorld_Make(impulseDef());
    sdShapeDef plate = sdShapeDef_Default(sdShape_Box(3.0f, 0.25f, 3.0f));
    sdBodyId lift = TestWorld_AddBody(world, SD_BODY_KINEMATIC, sdPos_Make(0.0, -0.25, 0.0),
                                      sdQuat_Identity(), plate);
    sdBodyId boxes[5];
    for (int i = 0; i < 5; ++i) {
        boxes[i] =
            TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.5 + i, 0.0), TestWorld_BoxOf(0.5f));
    }
    sdVec3 zero = {0.0f, 0.0f, 0.0f};
    CHECK_INT(sdBody_SetVelocity(world, lift, sdV3(0.0f, 1.0f, 0.0f), zero), SD_OK);
    TestWorld_Run(world, 120);
    for (int i = 0; i < 5; ++i) {
        sdPos p = sdBody_GetCenter(world, boxes[i]);
        CHECK_NEAR(p.y, 2.5 + i, 0.02);
        CHECK_NEAR(p.x, 0.0, 0.02);
    }
    CHECK_INT(sdBody_SetVelocity(world, lift, sdV3(0.5f, 0.0f, 0.0f), zero), SD_OK);
    TestWorld_Run(world, 120);
    CHECK_NEAR(sdBody_GetVelocity(world, boxes[0]).x, 0.5, 0.02);
    sdWorld_Destroy(world);
}

SD_TEST(impulse_locked_bodies_keep_to_their_axes) {
    sdWorld* world = TestWorld_Make(impulseDef());
    TestWorld_AddFloor(world, TestWorld_Friction(0.6f));
    sdBodyId body = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.5, 0.0), TestWorld_BoxOf(0.5f));
    CHECK_INT(
        sdBody_SetLocks(world, body,
                        SD_LOCK_Z | SD_LOCK_ROTATION_X | SD_LOCK_ROTATION_Y | SD_LOCK_ROTATION_Z),
        SD_OK);
    sdBodyId ball = TestWorld_AddDynamic(world, sdPos_Make(-2.0, 0.9, 0.2),
                                         sdShapeDef_Default(sdShape_Sphere(0.4f)));
    sdVec3 zero = {0.0f, 0.0f, 0.0f};
    CHECK_INT(sdBody_SetVelocity(world, ball, sdV3(5.0f, 0.0f, 0.0f), zero), SD_OK);
    TestWorld_Run(world, 120);
    sdWorldTransform pose = sdBody_GetTransform(world, body);
    CHECK(pose.p.z == 0.0);
    CHECK(pose.p.x > 0.05);
    CHECK_NEAR(pose.p.y, 0.5, 2e-3);
    CHECK_NEAR(sdLength(pose.q.v), 0.0, 1e-7);
    sdWorld_Destroy(world);
}

SD_TEST(impulse_solver_is_switched_while_the_world_runs) {
    sdWorldDef def = TestWorld_AwakeDef();
    sdWorld* world = TestWorld_Make(def);
    TestWorld_AddFloor(world, TestWorld_Friction(0.6f));
    sdBodyId top = SD_NULL_BODY;
    for (int i = 0; i < 10; ++i) {
        top = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.5 + i, 0.0), TestWorld_BoxOf(0.5f));
    }
    double worst = 0.0;
    for (int round = 0; round < 6; ++round) {
        def.solver = round % 2 == 0 ? SD_SOLVER_SOFT : SD_SOLVER_IMPULSE;
        CHECK_INT(sdWorld_SetDef(world, &def), SD_OK);
        for (int i = 0; i < 40; ++i) {
            TestWorld_Run(world, 1);
            worst = fmax(worst, fabs(sdBody_GetCenter(world, top).y - 9.5));
        }
    }
    sdTest_Print("the top of ten boxes moved by %.3f mm at most", 1e3 * worst);
    CHECK(worst < 2e-3);
    sdWorld_Destroy(world);
}

// ---- same bits -----------------------------------------------------------------------------

/// Boxes, balls and skulls, on a static floor.
static sdWorld* makeMixed(const sdContext* context, sdWorldDef def, sdConcave* skull) {
    sdWorld* world = NULL;
    CHECK_INT(sdWorld_Create(context, &def, &world), SD_OK);
    TestWorld_AddFloor(world, sdMaterial_Default());
    TestRandom random = TestRandom_Make(4);
    for (int i = 0; i < 40; ++i) {
        sdShapeDef shape = i % 5 == 4 && skull != NULL ? sdShapeDef_Default(sdShape_Concave(skull))
                           : i % 2 == 0                ? TestWorld_BoxOf(0.4f)
                                                       : sdShapeDef_Default(sdShape_Sphere(0.45f));
        shape.material.restitution = i % 3 == 0 ? 0.5f : 0.0f;
        sdPos p = sdPos_Make(0.9 * (i % 3), 0.6 + 0.95 * (i / 6), 0.9 * (i / 3 % 2));
        TestWorld_AddBody(world, SD_BODY_DYNAMIC, p, TestRandom_Rotation(&random), shape);
    }
    return world;
}

static sdConcave* makeSkull(void) {
    sdMesh* mesh = NULL;
    sdConcave* skull = NULL;
    sdConcaveDef def = sdConcaveDef_Default();
    CHECK_INT(sdModel_Create(NULL, SD_MODEL_SKULL, 1.0f, &mesh), SD_OK);
    CHECK_INT(sdConcave_Create(NULL, mesh, &def, &skull), SD_OK);
    sdMesh_Release(mesh);
    return skull;
}

static uint64_t runMixed(const sdContext* context, sdConcave* skull, sdImpulseDetection detection) {
    sdWorldDef def = impulseDef();
    def.impulse.detection = detection;
    sdWorld* world = makeMixed(context, def, skull);
    TestWorld_Run(world, 40);
    uint64_t hash = sdWorld_GetHash(world);
    sdWorld_Destroy(world);
    return hash;
}

SD_TEST(impulse_same_bits_by_any_number_of_threads) {
    sdConcave* skull = makeSkull();
    for (int detection = 0; detection < SD_DETECT_COUNT; ++detection) {
        sdConcave* body = detection == SD_DETECT_EACH_PASS ? skull : NULL;
        uint64_t expected = runMixed(NULL, body, (sdImpulseDetection)detection);
        sdTest_Print("hash %016llx", (unsigned long long)expected);
        for (int workers = 2; workers <= 4; workers += 2) {
            sdScheduler* scheduler = NULL;
            REQUIRE(sdScheduler_Create(NULL, workers, &scheduler) == SD_OK);
            sdContext context = sdContext_Default();
            context.tasks = sdScheduler_GetTasks(scheduler);
            CHECK(runMixed(&context, body, (sdImpulseDetection)detection) == expected);
            sdScheduler_Destroy(scheduler);
        }
    }
    sdConcave_Release(skull);
}

SD_TEST(impulse_goes_back_to_a_snapshot_and_on_to_the_same_bits) {
    sdConcave* skull = makeSkull();
    sdWorld* world = makeMixed(NULL, impulseDef(), skull);
    sdSnapshot* snapshot = NULL;
    REQUIRE(sdSnapshot_Create(NULL, &snapshot) == SD_OK);
    TestWorld_Run(world, 30);
    CHECK_INT(sdWorld_Save(world, snapshot), SD_OK);
    TestWorld_Run(world, 20);
    uint64_t expected = sdWorld_GetHash(world);
    for (int i = 0; i < 2; ++i) {
        CHECK_INT(sdWorld_Restore(world, snapshot), SD_OK);
        CHECK_INT(sdWorld_GetDef(world).solver, SD_SOLVER_IMPULSE);
        TestWorld_Run(world, 20);
        CHECK(sdWorld_GetHash(world) == expected);
    }
    sdSnapshot_Destroy(snapshot);
    sdWorld_Destroy(world);
    sdConcave_Release(skull);
}

// ---- memory --------------------------------------------------------------------------------

typedef struct Trial {
    sdConcave* skull;
    uint64_t expected; ///< 0: not known yet
    int motion;
} Trial;

static sdResult stepOrSay(const sdContext* context, void* arg) {
    Trial* trial = (Trial*)arg;
    sdWorldDef def = impulseDef();
    def.impulse.motion = (sdImpulseMotion)trial->motion;
    sdWorld* world = NULL;
    sdResult result = sdWorld_Create(context, &def, &world);
    if (result != SD_OK) {
        return result;
    }
    sdBodyDef body = sdBodyDef_Default();
    sdBodyId ids[6];
    for (int i = 0; i < 6 && result == SD_OK; ++i) {
        sdShapeDef shape =
            i == 3 ? sdShapeDef_Default(sdShape_Concave(trial->skull)) : TestWorld_BoxOf(0.5f);
        body.type = i == 0 ? SD_BODY_STATIC : SD_BODY_DYNAMIC;
        body.position = sdPos_Make(0.1 * i, 0.95 * i, 0.0);
        result = sdBody_Create(world, &body, &ids[i]);
        result = result == SD_OK ? sdBody_AddShape(world, ids[i], &shape, NULL) : result;
    }
    for (int i = 0; i < 4 && result == SD_OK; ++i) {
        sdPos before[6];
        for (int j = 0; j < 6; ++j) {
            before[j] = sdBody_GetCenter(world, ids[j]);
        }
        result = sdWorld_Step(world, DT);
        if (result != SD_OK) {
            for (int j = 0; j < 6; ++j) {
                CHECK(sdLength(sdPos_Sub(sdBody_GetCenter(world, ids[j]), before[j])) == 0.0f);
            }
            // when there is memory again it goes on as if nothing had been
            for (; i < 4; ++i) {
                CHECK_INT(sdWorld_Step(world, DT), SD_OK);
            }
            CHECK(trial->expected == 0 || sdWorld_GetHash(world) == trial->expected);
        }
    }
    trial->expected = result == SD_OK ? sdWorld_GetHash(world) : trial->expected;
    sdWorld_Destroy(world);
    return result;
}

SD_TEST(impulse_no_failing_allocation_changes_a_bit) {
    Trial trial = {.skull = makeSkull()};
    for (int motion = 0; motion < SD_MOTION_COUNT; ++motion) {
        trial.motion = motion;
        trial.expected = 0;
        CHECK_INT(stepOrSay(NULL, &trial), SD_OK);
        int count = TestContext_FailEach(stepOrSay, &trial);
        sdTest_Print("%d allocations", count);
    }
    sdConcave_Release(trial.skull);
}

// ---- meshes that move ----------------------------------------------------------------------

/// Skulls on each other in a shaft.
/// @return by how much the top sank in the second half of the time, and how deep any two are in
///         each other at the end
static double watchSkulls(sdConcave* skull, int count, bool enableShock, int steps,
                          double* deepest) {
    sdWorldDef def = impulseDef();
    def.impulse.enableShock = enableShock;
    sdWorld* world = TestWorld_Make(def);
    TestWorld_AddFloor(world, sdMaterial_Default());
    // 5 mm to every side, so that none can turn over
    sdAABB box = sdMesh_GetBounds(sdConcave_GetMesh(skull));
    sdShapeDef wall = sdShapeDef_Default(sdShape_Box(1.0f, 30.0f, 1.0f));
    for (int side = 0; side < 4; ++side) {
        double x = side == 0 ? (double)box.upper.x + 1.005 : (double)box.lower.x - 1.005;
        double z = side == 2 ? (double)box.upper.z + 1.005 : (double)box.lower.z - 1.005;
        sdPos p = side < 2 ? sdPos_Make(x, 30.0, 0.0) : sdPos_Make(0.0, 30.0, z);
        TestWorld_AddBody(world, SD_BODY_STATIC, p, sdQuat_Identity(), wall);
    }
    double height = (double)(box.upper.y - box.lower.y);
    sdBodyId top = SD_NULL_BODY;
    for (int i = 0; i < count; ++i) {
        sdShapeDef shape = sdShapeDef_Default(sdShape_Concave(skull));
        shape.material.rollingFriction = 0.005f;
        top = TestWorld_AddDynamic(world, sdPos_Make(0.0, height * i - (double)box.lower.y, 0.0),
                                   shape);
    }
    TestWorld_Run(world, steps / 2);
    double before = sdBody_GetCenter(world, top).y;
    TestWorld_Run(world, steps - steps / 2);
    double after = sdBody_GetCenter(world, top).y;
    static sdContactInfo contacts[4000];
    int contactCount = sdWorld_GetContacts(world, contacts, 4000);
    *deepest = 0.0;
    for (int i = 0; i < contactCount; ++i) {
        for (int j = 0; j < contacts[i].pointCount; ++j) {
            *deepest = fmax(*deepest, -(double)contacts[i].points[j].separation);
        }
    }
    sdWorld_Destroy(world);
    return before - after;
}

SD_TEST(impulse_stack_of_skulls_stands_by_shock) {
    sdConcave* skull = makeSkull();
    bool isLong = TestScale() > 1;
    int count = isLong ? 20 : (TestIsShort() ? 4 : 8), steps = isLong ? 1800 : 160;
    double deepWith, deepWithout;
    double with = watchSkulls(skull, count, true, steps, &deepWith);
    double without = watchSkulls(skull, count, false, steps, &deepWithout);
    sdTest_Print("%d skulls, %d steps: in the second half the top sank by %.1f mm, %.1f mm deep at "
                 "the end; without shock by %.1f mm, %.1f mm deep",
                 count, steps, 1e3 * with, 1e3 * deepWith, 1e3 * without, 1e3 * deepWithout);
    CHECK(deepWith < 0.015 && fabs(with) < 0.005);
    CHECK(deepWithout > 0.02 && without > 0.01);
    sdConcave_Release(skull);
}
