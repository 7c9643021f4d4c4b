// SPDX-License-Identifier: MIT
// Whatever a world is given, it says no or stays finite and usable.

#include "world_support.h"

#include <float.h>
#include <math.h>

static const sdVec3 zero = {0.0f, 0.0f, 0.0f};

static bool isFiniteWorld(const sdWorld* world) {
    sdBodyId bodies[64];
    int count = sdWorld_GetBodies(world, bodies, 64);
    bool isFinite = true;
    for (int i = 0; i < count && i < 64; ++i) {
        sdWorldTransform xf = sdBody_GetTransform(world, bodies[i]);
        isFinite = isFinite && sdPos_IsFinite(xf.p) && sdQuat_IsUnit(xf.q) &&
                   sdVec3_IsFinite(sdBody_GetVelocity(world, bodies[i])) &&
                   sdVec3_IsFinite(sdBody_GetAngularVelocity(world, bodies[i]));
    }
    return isFinite;
}

/// A floor, three boxes and a ball that touch each other.
static sdWorld* makeHeap(TestContext* test, sdWorldDef def, sdBodyId bodies[4]) {
    sdWorld* world = NULL;
    CHECK_INT(sdWorld_Create(&test->context, &def, &world), SD_OK);
    TestWorld_AddFloor(world, sdMaterial_Default());
    for (int i = 0; i < 4; ++i) {
        sdShapeDef shape =
            i == 3 ? sdShapeDef_Default(sdShape_Sphere(0.5f)) : TestWorld_BoxOf(0.5f);
        bodies[i] = TestWorld_AddDynamic(world, sdPos_Make(0.1 * i, 0.5 + i, 0.0), shape);
    }
    return world;
}

// ---- numbers -------------------------------------------------------------------------------

SD_TEST(world_input_steps_of_any_length) {
    static const float steps[] = {1e-30f, FLT_MIN, 1e-9f, 1e-5f, 0.25f, 1.0f, 1e-30f, 0.02f};
    TestContext test;
    TestContext_Init(&test);
    sdBodyId bodies[4];
    sdWorld* world = makeHeap(&test, sdWorldDef_Default(), bodies);
    for (int i = 0; i < 80; ++i) {
        CHECK_INT(sdWorld_Step(world, steps[i % 8]), SD_OK);
        CHECK(isFiniteWorld(world));
    }
    double time = sdWorld_GetTime(world);
    float bad[] = {0.0f, -0.0f, -1e-3f, 1.001f, FLT_MAX, TestNaN(), TestInfinity()};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        CHECK_INT(sdWorld_Step(world, bad[i]), SD_ERROR_INVALID_ARGUMENT);
        CHECK_TEXT(test.lastError, "dt");
    }
    CHECK(sdWorld_GetTime(world) == time);
    CHECK_INT(sdWorld_Step(NULL, DT), SD_ERROR_INVALID_ARGUMENT);
    sdWorld_Destroy(world);
    TestContext_Finish(&test);
}

SD_TEST(world_input_settings_are_checked) {
    TestContext test;
    TestContext_Init(&test);
    float nan = TestNaN(), inf = TestInfinity();
    sdWorldDef good = sdWorldDef_Default();
    sdWorld* world = NULL;
    REQUIRE(sdWorld_Create(&test.context, &good, &world) == SD_OK);
    for (int i = 0; i < 18; ++i) {
        sdWorldDef def = good;
        switch (i) {
            case 0:
                def.gravity.x = nan;
                break;
            case 1:
                def.gravity.y = inf;
                break;
            case 2:
                def.subStepCount = 0;
                break;
            case 3:
                def.subStepCount = 65;
                break;
            case 4:
                def.integrator = SD_INTEGRATOR_COUNT;
                break;
            case 5:
                def.integrator = (sdIntegrator)-1;
                break;
            case 6:
                def.combineFriction = SD_COMBINE_COUNT;
                break;
            case 7:
                def.combineRestitution = (sdCombine)-2;
                break;
            case 8:
                def.slop = 0.0f;
                break;
            case 9:
                def.slop = nan;
                break;
            case 10:
                def.pushRate = -1.0f;
                break;
            case 11:
                def.pushRate = inf;
                break;
            case 12:
                def.maxPushSpeed = 0.0f;
                break;
            case 13:
                def.sleepSpeed = -1.0f;
                break;
            case 14:
                def.sleepTime = nan;
                break;
            case 15:
                def.sleepSpeed = inf;
                break;
            case 16:
                def.gravity.z = 1e20f;
                break;
            default:
                def.maxPushSpeed = 1e20f;
                break;
        }
        sdWorld* none = world;
        CHECK_INT(sdWorld_Create(&test.context, &def, &none), SD_ERROR_INVALID_ARGUMENT);
        CHECK(none == NULL);
        CHECK_INT(sdWorld_SetDef(world, &def), SD_ERROR_INVALID_ARGUMENT);
        CHECK(sdWorld_GetDef(world).gravity.y == good.gravity.y);
    }
    CHECK_INT(sdWorld_Create(&test.context, &good, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdWorld_SetDef(world, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdWorld_SetDef(NULL, &good), SD_ERROR_INVALID_ARGUMENT);
    sdWorld_Destroy(world);
    TestContext_Finish(&test);
}

SD_TEST(world_input_bodies_and_shapes_are_checked) {
    TestContext test;
    TestContext_Init(&test);
    float nan = TestNaN(), inf = TestInfinity();
    sdWorld* world = NULL;
    REQUIRE(sdWorld_Create(&test.context, NULL, &world) == SD_OK);
    sdBodyId id;
    for (int i = 0; i < 13; ++i) {
        sdBodyDef def = sdBodyDef_Default();
        def.type = SD_BODY_DYNAMIC;
        switch (i) {
            case 0:
                def.type = (sdBodyType)7;
                break;
            case 1:
                def.position.y = (double)inf;
                break;
            case 2:
                def.position.x = 1e15;
                break;
            case 3:
                def.rotation.s = nan;
                break;
            case 4:
                def.rotation = (sdQuat){{0.0f, 0.0f, 0.0f}, 0.0f};
                break;
            case 5:
                def.velocity.x = 1e30f;
                break;
            case 6:
                def.velocity.z = nan;
                break;
            case 7:
                def.angularVelocity.x = inf;
                break;
            case 8:
                def.linearDamping = -1.0f;
                break;
            case 9:
                def.angularDamping = nan;
                break;
            case 10:
                def.gravityScale = inf;
                break;
            case 11:
                def.gravityScale = 1e20f;
                break;
            default:
                def.locks = 64u;
                break;
        }
        CHECK_INT(sdBody_Create(world, &def, &id), SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(id, SD_NULL_BODY);
    }
    sdBodyDef def = sdBodyDef_Default();
    def.type = SD_BODY_DYNAMIC;
    REQUIRE(sdBody_Create(world, &def, &id) == SD_OK);
    CHECK_INT(sdBody_Create(world, NULL, &id), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdBody_Create(world, &def, NULL), SD_ERROR_INVALID_ARGUMENT);
    REQUIRE(sdBody_Create(world, &def, &id) == SD_OK);
    for (int i = 0; i < 16; ++i) {
        sdShapeDef shape = TestWorld_BoxOf(0.5f);
        switch (i) {
            case 0:
                shape.shape = sdShape_Box(0.5f, nan, 0.5f);
                break;
            case 1:
                shape.shape = sdShape_Sphere(inf);
                break;
            case 2:
                shape.shape = sdShape_Capsule(-1.0f, 0.5f);
                break;
            case 3:
                shape.xf.p.x = nan;
                break;
            case 4:
                shape.xf.q.s = 3.0f;
                break;
            case 5:
                shape.density = -1.0f;
                break;
            case 6:
                shape.density = inf;
                break;
            case 7:
                shape.material.staticFriction = nan;
                break;
            case 8:
                shape.material.slidingFriction = -1.0f;
                break;
            case 9:
                shape.material.slidingFriction = 0.9f;
                break;
            case 10:
                shape.material.restitution = 1.5f;
                break;
            case 11:
                shape.material.rollingFriction = inf;
                break;
            case 12:
                shape.material.spinFriction = -1.0f;
                break;
            case 13:
                shape.shape = sdShape_HalfSpace();
                break;
            case 14:
                shape.density = 1e38f;
                break;
            default:
                shape.xf.p.x = 1e20f;
                break;
        }
        sdShapeId shapeId = 5;
        CHECK_INT(sdBody_AddShape(world, id, &shape, &shapeId), SD_ERROR_INVALID_ARGUMENT);
        CHECK_INT(shapeId, SD_NULL_SHAPE);
    }
    CHECK_INT(sdBody_AddShape(world, id, NULL, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdBody_GetShapes(world, id, NULL, 0), 0);
    sdWorld_Destroy(world);
    TestContext_Finish(&test);
}

/// Forces, velocities and masses at the ends of what floats hold.
SD_TEST(world_input_extremes_stay_finite_and_are_reported) {
    static const float sizes[] = {1e38f, 1e30f, 1e20f, 1e9f};
    for (int i = 0; i < 4; ++i) {
        for (int kind = 0; kind < 6; ++kind) {
            TestContext test;
            TestContext_Init(&test);
            sdBodyId bodies[4];
            sdWorld* world = makeHeap(&test, TestWorld_AwakeDef(), bodies);
            sdVec3 big = {sizes[i], -sizes[i], sizes[i]};
            sdPos at = sdBody_GetCenter(world, bodies[1]);
            at.x += 0.5;
            sdResult result = SD_OK;
            switch (kind) {
                case 0:
                    result = sdBody_ApplyForce(world, bodies[1], big, at);
                    break;
                case 1:
                    result = sdBody_ApplyForceToCenter(world, bodies[1], big);
                    break;
                case 2:
                    result = sdBody_ApplyTorque(world, bodies[1], big);
                    break;
                case 3:
                    result = sdBody_ApplyImpulse(world, bodies[1], big, at);
                    break;
                case 4:
                    result = sdBody_ApplyAngularImpulse(world, bodies[1], big);
                    break;
                default:
                    result = sdBody_SetVelocity(world, bodies[1], big, big);
                    break;
            }
            // twice, so that sums overflow
            if (kind == 1) {
                CHECK_INT(sdBody_ApplyForceToCenter(world, bodies[1], big), SD_OK);
                CHECK_INT(sdBody_ApplyForceToCenter(world, bodies[1], big), SD_OK);
            }
            CHECK(result == SD_OK || result == SD_ERROR_INVALID_ARGUMENT ||
                  result == SD_ERROR_LIMIT);
            for (int k = 0; k < 10; ++k) {
                CHECK_INT(sdWorld_Step(world, DT), SD_OK);
                CHECK(isFiniteWorld(world));
            }
            // a force that no body can follow is not followed silently
            if (kind <= 2 && sizes[i] >= 1e30f) {
                CHECK_TEXT(test.lastText, "1e9");
                sdVec3 v = kind == 2 ? sdBody_GetAngularVelocity(world, bodies[1])
                                     : sdBody_GetVelocity(world, bodies[1]);
                CHECK(sdLength(v) > 1.0f);
            }
            sdWorld_Destroy(world);
            TestContext_Finish(&test);
        }
    }
}

SD_TEST(world_input_masses_of_any_ratio_stay_finite) {
    static const float masses[] = {1e-30f, 1e-10f, 1.0f, 1e10f, 1e30f};
    for (int i = 0; i < 25; ++i) {
        TestContext test;
        TestContext_Init(&test);
        sdBodyId bodies[4];
        sdWorld* world = makeHeap(&test, TestWorld_AwakeDef(), bodies);
        for (int k = 0; k < 4; ++k) {
            float mass = masses[k % 2 == 0 ? i / 5 : i % 5], moment = 0.16f * mass;
            sdMassProps props = {mass, zero, sdMat33_Diagonal(moment, moment, moment)};
            sdResult result = sdBody_SetMass(world, bodies[k], props);
            CHECK(result == SD_OK || result == SD_ERROR_INVALID_ARGUMENT);
        }
        for (int k = 0; k < 60; ++k) {
            CHECK_INT(sdWorld_Step(world, DT), SD_OK);
        }
        CHECK(isFiniteWorld(world));
        // none falls through the floor, unless it is crushed by something 1e20 times as heavy
        for (int k = 0; k < 4; ++k) {
            float ratio = masses[i / 5] / masses[i % 5];
            bool isCrushed = ratio > 1e15f || ratio < 1e-15f;
            CHECK(isCrushed || sdBody_GetCenter(world, bodies[k]).y > 0.2);
        }
        sdWorld_Destroy(world);
        TestContext_Finish(&test);
    }
}

/// A centre of mass may be far from the shapes, but not where the radius about it is no number:
/// such a world could be saved, but not loaded.
SD_TEST(world_input_centre_of_mass_is_within_the_world) {
    static const float distances[] = {1e3f, 1e11f, 1e13f, 1e20f, 1e38f};
    for (int i = 0; i < 5; ++i) {
        TestContext test;
        TestContext_Init(&test);
        sdBodyId bodies[4];
        sdWorld* world = makeHeap(&test, TestWorld_AwakeDef(), bodies);
        sdMassProps props = sdBody_GetMass(world, bodies[1]);
        props.center = sdV3(0.0f, -distances[i], 0.0f);
        bool isNear = distances[i] < 1e12f;
        CHECK_INT(sdBody_SetMass(world, bodies[1], props),
                  isNear ? SD_OK : SD_ERROR_INVALID_ARGUMENT);
        if (!isNear) {
            CHECK_TEXT(test.lastText, "centre of mass");
        } else {
            // its shape goes faster than any body may
            sdVec3 w = {0.0f, 0.0f, 1e9f};
            CHECK_INT(sdBody_SetVelocity(world, bodies[1], zero, w), SD_OK);
        }
        sdSnapshot *saved = NULL, *copy = NULL;
        CHECK_INT(sdSnapshot_Create(&test.context, &saved), SD_OK);
        CHECK_INT(sdSnapshot_Create(&test.context, &copy), SD_OK);
        for (int k = 0; k < 5; ++k) {
            size_t size;
            CHECK_INT(sdWorld_Step(world, DT), SD_OK);
            CHECK(isFiniteWorld(world));
            sdWorldEvents events = sdWorld_GetEvents(world);
            for (int hit = 0; hit < events.hitCount; ++hit) {
                CHECK(sdIsFinite(events.hits[hit].speed));
            }
            CHECK_INT(sdWorld_Save(world, saved), SD_OK);
            const void* bytes = sdSnapshot_GetBytes(saved, &size);
            CHECK_INT(sdSnapshot_SetBytes(copy, bytes, size, NULL, 0), SD_OK);
        }
        sdSnapshot_Destroy(saved);
        sdSnapshot_Destroy(copy);
        sdWorld_Destroy(world);
        TestContext_Finish(&test);
    }
}

SD_TEST(world_input_sizes_from_a_micrometre_to_a_thousand_kilometres) {
    for (float size = 1e-6f; size < 2e6f; size *= 10.0f) {
        sdWorldDef def = TestWorld_AwakeDef();
        def.gravity = sdScale(size, def.gravity);
        def.slop *= size;
        def.maxPushSpeed *= size;
        TestContext test;
        TestContext_Init(&test);
        sdWorld* world = NULL;
        REQUIRE(sdWorld_Create(&test.context, &def, &world) == SD_OK);
        TestWorld_AddFloor(world, sdMaterial_Default());
        sdBodyId box = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.6 * (double)size, 0.0),
                                            TestWorld_BoxOf(0.5f * size));
        TestWorld_Run(world, 90);
        CHECK_NEAR(sdBody_GetCenter(world, box).y / (double)size, 0.5, 0.03);
        CHECK(isFiniteWorld(world));
        CHECK(test.lastText[0] == '\0');
        sdWorld_Destroy(world);
        TestContext_Finish(&test);
    }
}

SD_TEST(world_input_fast_spinning_far_away) {
    TestContext test;
    TestContext_Init(&test);
    sdWorldDef def = TestWorld_AwakeDef();
    sdWorld* world = NULL;
    REQUIRE(sdWorld_Create(&test.context, &def, &world) == SD_OK);
    for (int i = 0; i < 8; ++i) {
        double far = i < 4 ? 1e12 : 1e6;
        sdBodyId body =
            TestWorld_AddDynamic(world, sdPos_Make(far, 0.9 * i, -far), TestWorld_BoxOf(0.5f));
        float spin = i % 2 == 0 ? 1e6f : 1e9f;
        CHECK_INT(sdBody_SetVelocity(world, body, sdV3(i % 4 == 3 ? 1e9f : 0.0f, 0.0f, 0.0f),
                                     sdV3(spin, spin, -0.5f * spin)),
                  SD_OK);
    }
    for (int k = 0; k < 200; ++k) {
        CHECK_INT(sdWorld_Step(world, k < 100 ? DT : 1.0f), SD_OK);
    }
    CHECK(isFiniteWorld(world));
    sdWorld_Destroy(world);
    TestContext_Finish(&test);
}

static void badForce(void* user, const sdWorld* world, sdBodyId body, const sdMotionState* state,
                     sdVec3* force, sdVec3* torque) {
    (void)world;
    (void)body;
    (void)state;
    const float* value = (const float*)user;
    *force = sdV3(*value, 0.0f, 0.0f);
    *torque = sdV3(0.0f, *value, 0.0f);
}

SD_TEST(world_input_force_callback_may_say_anything) {
    float values[] = {TestNaN(), TestInfinity(), 3e38f, -3e38f};
    for (int integrator = 0; integrator < SD_INTEGRATOR_COUNT; ++integrator) {
        for (int i = 0; i < 4; ++i) {
            TestContext test;
            TestContext_Init(&test);
            sdWorldDef def = TestWorld_AwakeDef();
            def.integrator = (sdIntegrator)integrator;
            sdBodyId bodies[4];
            sdWorld* world = makeHeap(&test, def, bodies);
            sdWorld_SetForceFcn(world, badForce, &values[i]);
            for (int k = 0; k < 10; ++k) {
                CHECK_INT(sdWorld_Step(world, DT), SD_OK);
            }
            CHECK(isFiniteWorld(world));
            CHECK_TEXT(test.lastText, "force");
            sdWorld_Destroy(world);
            TestContext_Finish(&test);
        }
    }
}

// ---- ids and callbacks ---------------------------------------------------------------------

/// Call everything that changes a world with a body and a shape.
/// @return how many calls did not give the expected answer
static int changeAll(sdWorld* world, sdBodyId body, sdShapeId shape, sdResult expected) {
    sdPos p = {0.0, 1.0, 0.0};
    sdQuat q = sdQuat_Identity();
    sdMassProps mass = {1.0f, zero, sdMat33_Diagonal(1.0f, 1.0f, 1.0f)};
    sdShapeDef def = TestWorld_BoxOf(0.1f);
    const sdResult results[] = {
        sdBody_SetTransform(world, body, p, q),
        sdBody_SetVelocity(world, body, zero, zero),
        sdBody_ApplyForce(world, body, zero, p),
        sdBody_ApplyForceToCenter(world, body, zero),
        sdBody_ApplyTorque(world, body, zero),
        sdBody_ApplyImpulse(world, body, zero, p),
        sdBody_ApplyAngularImpulse(world, body, zero),
        sdBody_SetMass(world, body, mass),
        sdBody_ResetMass(world, body),
        sdBody_SetAwake(world, body, true),
        sdBody_SetLocks(world, body, 0),
        sdBody_SetDamping(world, body, 0.0f, 0.0f),
        sdBody_SetGravityScale(world, body, 1.0f),
        sdBody_AddShape(world, body, &def, NULL),
        sdShapeId_SetMaterial(world, shape, sdMaterial_Default()),
        sdShapeId_SetFilter(world, shape, sdFilter_Default()),
        sdShapeId_Remove(world, shape),
        sdBody_Destroy(world, body),
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof results / sizeof results[0]; ++i) {
        wrong += results[i] != expected;
    }
    return wrong;
}

SD_TEST(world_input_stale_ids_are_caught_everywhere) {
    TestContext test;
    TestContext_Init(&test);
    sdWorld* world = NULL;
    REQUIRE(sdWorld_Create(&test.context, NULL, &world) == SD_OK);
    sdBodyId old = TestWorld_AddDynamic(world, sdPos_Make(1.0, 2.0, 3.0), TestWorld_BoxOf(0.5f));
    sdShapeId oldShape;
    CHECK_INT(sdBody_GetShapes(world, old, &oldShape, 1), 1);
    CHECK_INT(sdBody_Destroy(world, old), SD_OK);
    // the next one gets the same slot, but not the same name
    sdBodyId other = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.0, 0.0), TestWorld_BoxOf(0.5f));
    CHECK(other != old);
    const sdBodyId ids[] = {old, SD_NULL_BODY, 0xFFFFFFFFu, 77u};
    const sdShapeId shapes[] = {oldShape, SD_NULL_SHAPE, 0xFFFFFFFFu, 77u};
    for (int i = 0; i < 4; ++i) {
        CHECK_INT(changeAll(world, ids[i], shapes[i], SD_ERROR_STALE_ID), 0);
        CHECK(!sdBody_IsValid(world, ids[i]) && !sdShapeId_IsValid(world, shapes[i]));
        CHECK(!sdBody_IsAwake(world, ids[i]));
        CHECK_INT(sdBody_GetType(world, ids[i]), SD_BODY_STATIC);
        CHECK_INT(sdBody_GetUserData(world, ids[i]), 0);
        CHECK(sdBody_GetMass(world, ids[i]).mass == 0.0f);
        CHECK(sdBody_GetCenter(world, ids[i]).x == 0.0);
        CHECK(sdBody_GetTransform(world, ids[i]).q.s == 1.0f);
        CHECK(sdLength(sdBody_GetVelocityAt(world, ids[i], sdPos_Make(1.0, 1.0, 1.0))) == 0.0f);
        CHECK_INT(sdBody_GetShapes(world, ids[i], &oldShape, 1), 0);
        CHECK(sdShapeId_GetDef(world, shapes[i]) == NULL);
        CHECK_INT(sdShapeId_GetBody(world, shapes[i]), SD_NULL_BODY);
        CHECK_INT(sdShapeId_GetUserData(world, shapes[i]), 0);
        CHECK_INT(changeAll(NULL, ids[i], shapes[i], SD_ERROR_INVALID_ARGUMENT), 0);
    }
    CHECK_INT(sdWorld_GetStats(world).bodyCount, 1);
    sdWorld_Destroy(world);
    TestContext_Finish(&test);
}

/// What a callback tries with the world that it may only read.
typedef struct Intruder {
    sdBodyId body;
    sdShapeId shape;
    int callCount, wrongCount;
} Intruder;

static void intrude(Intruder* intruder, const sdWorld* locked) {
    sdWorld* world = (sdWorld*)(uintptr_t)locked;
    sdBodyDef def = sdBodyDef_Default();
    sdWorldDef settings = sdWorldDef_Default();
    sdBodyId id;
    intruder->callCount += 1;
    intruder->wrongCount += changeAll(world, intruder->body, intruder->shape, SD_ERROR_LOCKED);
    intruder->wrongCount += sdBody_Create(world, &def, &id) != SD_ERROR_LOCKED;
    intruder->wrongCount += sdWorld_SetDef(world, &settings) != SD_ERROR_LOCKED;
    intruder->wrongCount += sdWorld_Step(world, DT) != SD_ERROR_LOCKED;
}

static bool intrudingFilter(void* user, const sdWorld* world, sdShapeId a, sdShapeId b) {
    intrude((Intruder*)user, world);
    return a != b;
}

static void intrudingForce(void* user, const sdWorld* world, sdBodyId body,
                           const sdMotionState* state, sdVec3* force, sdVec3* torque) {
    (void)body;
    (void)state;
    (void)force;
    (void)torque;
    intrude((Intruder*)user, world);
}

SD_TEST(world_input_callbacks_cannot_change_the_world) {
    TestContext test;
    TestContext_Init(&test);
    sdBodyId bodies[4];
    sdWorld* world = makeHeap(&test, TestWorld_AwakeDef(), bodies);
    Intruder filter = {.body = bodies[0]}, force = {.body = bodies[1]};
    sdBody_GetShapes(world, bodies[0], &filter.shape, 1);
    sdBody_GetShapes(world, bodies[1], &force.shape, 1);
    sdWorld_SetFilterFcn(world, intrudingFilter, &filter);
    sdWorld_SetForceFcn(world, intrudingForce, &force);
    for (int i = 0; i < 3; ++i) {
        CHECK_INT(sdWorld_Step(world, DT), SD_OK);
    }
    CHECK(filter.callCount > 0 && force.callCount > 0);
    CHECK_INT(filter.wrongCount, 0);
    CHECK_INT(force.wrongCount, 0);
    CHECK_INT(sdWorld_GetStats(world).bodyCount, 5);
    sdWorld_Destroy(world);
    TestContext_Finish(&test);
}

// ---- memory --------------------------------------------------------------------------------

/// What a scene with some of everything is made of. Made outside of the memory that fails.
typedef struct Parts {
    sdMesh* mesh;
    sdCompound* compound;
} Parts;

/// A call that is made again when there was no memory.
#define INSIST(call)                                                                               \
    do {                                                                                           \
        sdResult answer = (call);                                                                  \
        failures += answer == SD_ERROR_OUT_OF_MEMORY;                                              \
        answer = answer == SD_ERROR_OUT_OF_MEMORY ? (call) : answer;                               \
        CHECK_INT(answer, SD_OK);                                                                  \
    } while (0)

/// @return a hash of the world at the end
static uint64_t runEverything(const sdContext* context, const Parts* parts, int* failureCount) {
    int failures = 0;
    sdWorld* world = NULL;
    INSIST(sdWorld_Create(context, NULL, &world));
    sdShape shapes[] = {sdShape_Mesh(parts->mesh),         sdShape_Box(0.3f, 0.2f, 0.3f),
                        sdShape_Compound(parts->compound), sdShape_Sphere(0.3f),
                        sdShape_Cylinder(0.3f, 0.2f),      sdShape_Box(1.0f, 1.0f, 1.0f)};
    sdBodyId bodies[18];
    for (int i = 0; i < 18; ++i) {
        sdBodyDef def = sdBodyDef_Default();
        sdShapeDef shape = sdShapeDef_Default(shapes[i == 0 ? 0 : (i == 17 ? 5 : 1 + i % 4)]);
        def.type = i == 0 ? SD_BODY_STATIC : (i == 1 ? SD_BODY_KINEMATIC : SD_BODY_DYNAMIC);
        def.type = i == 17 ? SD_BODY_STATIC : def.type;
        shape.isSensor = i == 17;
        def.position = sdPos_Make(0.1 * (i % 4), 0.5 * i, 0.05 * (i % 3));
        def.velocity = i == 1 ? sdV3(0.2f, 0.0f, 0.0f) : zero;
        INSIST(sdBody_Create(world, &def, &bodies[i]));
        INSIST(sdBody_AddShape(world, bodies[i], &shape, NULL));
    }
    for (int i = 0; i < 25; ++i) {
        INSIST(sdWorld_Step(world, DT));
        if (i == 15) {
            INSIST(sdBody_Destroy(world, bodies[5]));
        }
    }
    uint64_t hash = sdWorld_GetHash(world);
    sdWorld_Destroy(world);
    *failureCount = failures;
    return hash;
}

SD_TEST(world_input_no_failing_allocation_changes_a_bit) {
    Parts parts = {NULL, NULL};
    REQUIRE(sdModel_Create(NULL, SD_MODEL_BOWL, 4.0f, &parts.mesh) == SD_OK);
    sdCompoundChild children[2] = {
        {sdShape_Box(0.2f, 0.1f, 0.1f), {{-0.2f, 0.0f, 0.0f}, sdQuat_Identity()}},
        {sdShape_Capsule(0.1f, 0.1f), {{0.2f, 0.0f, 0.0f}, sdQuat_Identity()}}};
    REQUIRE(sdCompound_Create(NULL, children, 2, &parts.compound) == SD_OK);
    int failures;
    TestContext test;
    TestContext_Init(&test);
    uint64_t expected = runEverything(&test.context, &parts, &failures);
    int count = test.allocationCount;
    CHECK_INT(failures, 0);
    TestContext_Finish(&test);
    for (int i = 0; i < count; ++i) {
        TestContext_Init(&test);
        test.failAt = i;
        uint64_t hash = runEverything(&test.context, &parts, &failures);
        if (!CHECK(hash == expected && failures == 1)) {
            sdTest_Print("allocation %d of %d: %d failures, hash %016llx", i, count, failures,
                         (unsigned long long)hash);
        }
        TestContext_Finish(&test);
    }
    sdTest_Print("%d allocations", count);
    sdMesh_Release(parts.mesh);
    sdCompound_Release(parts.compound);
}
