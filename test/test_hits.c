// SPDX-License-Identifier: MIT
// test_hits.c - how hard bodies meet: impulses of contacts against momentum, and hit events.

#include "world_support.h"

#include "sudar/concave.h"
#include "sudar/joint.h"
#include "sudar/models.h"

#include <float.h>
#include <math.h>

#define MAX_CONTACTS 64
/// Places from which bodies start, so that they meet at all times within a step.
#define PLACES 40

static const sdVec3 zero = {0.0f, 0.0f, 0.0f};

static sdShapeDef bouncing(sdShape shape, float restitution) {
    sdShapeDef def = sdShapeDef_Default(shape);
    def.material = (sdMaterial){.restitution = restitution};
    return def;
}

/// Impulses of all contacts in the last step, on their bodies B.
static double sumImpulses(const sdWorld* world) {
    static sdContactInfo contacts[MAX_CONTACTS];
    int count = sdWorld_GetContacts(world, contacts, MAX_CONTACTS);
    double sum = 0.0;
    CHECK(count <= MAX_CONTACTS);
    for (int i = 0; i < sdMinI(count, MAX_CONTACTS); ++i) {
        for (int k = 0; k < contacts[i].pointCount; ++k) {
            sum += (double)contacts[i].points[k].normalImpulse;
        }
    }
    return sum;
}

/// What happened to one body that falls on a floor.
typedef struct Fall {
    double impulse;   ///< of all steps together
    double imbalance; ///< greatest difference of momentum and impulses in a step
    int hitCount;
    sdHitEvent hit; ///< the first
} Fall;

static Fall runFall(sdWorld* world, sdBodyId body, int steps) {
    Fall fall = {.impulse = 0.0};
    double mass = (double)sdBody_GetMass(world, body).mass;
    double weight = mass * (double)(sdWorld_GetDef(world).gravity.y * DT);
    for (int i = 0; i < steps; ++i) {
        double before = (double)sdBody_GetVelocity(world, body).y;
        TestWorld_Run(world, 1);
        double given = sumImpulses(world);
        double change = mass * ((double)sdBody_GetVelocity(world, body).y - before);
        fall.impulse += given;
        fall.imbalance = fmax(fall.imbalance, fabs(change - weight - given));
        sdWorldEvents events = sdWorld_GetEvents(world);
        if (fall.hitCount == 0 && events.hitCount > 0) {
            fall.hit = events.hits[0];
        }
        fall.hitCount += events.hitCount;
    }
    return fall;
}

// ---- bounces -------------------------------------------------------------------------------

/// (1 + e) m v, whenever in a step it comes.
static void checkBounce(sdSolver solver, sdShape shape, float restitution) {
    const float speed = 3.0f;
    for (int i = 0; i < PLACES; ++i) {
        sdWorldDef def = TestWorld_FreeDef();
        def.solver = solver;
        sdWorld* world = TestWorld_Make(def);
        TestWorld_AddFloor(world, (sdMaterial){.restitution = 0.0f});
        sdBodyId body = TestWorld_AddDynamic(world, sdPos_Make(1.0, 0.8 + 0.003 * (double)i, 2.0),
                                             bouncing(shape, restitution));
        CHECK_INT(sdBody_SetVelocity(world, body, sdV3(0.0f, -speed, 0.0f), zero), SD_OK);
        Fall fall = runFall(world, body, 15);
        double given = (double)sdBody_GetMass(world, body).mass * (double)speed;
        double wanted = (1.0 + (double)restitution) * given;
        CHECK_NEAR(fall.impulse, wanted, 1e-4 * given);
        CHECK(fall.imbalance < 1e-4 * given);
        if (CHECK_INT(fall.hitCount, 1)) {
            CHECK_NEAR(fall.hit.speed, speed, 1e-4);
            CHECK_NEAR(fall.hit.impulse, wanted, 1e-4 * given);
            CHECK(sdShapeId_GetBody(world, fall.hit.shapeA) == body ||
                  sdShapeId_GetBody(world, fall.hit.shapeB) == body);
            CHECK_NEAR(fabs((double)fall.hit.normal.y), 1.0, 1e-6);
            CHECK_NEAR(fall.hit.point.x, 1.0, 1e-3);
            CHECK_NEAR(fall.hit.point.y, 0.0, 0.03);
            CHECK_NEAR(fall.hit.point.z, 2.0, 1e-3);
        }
        sdWorld_Destroy(world);
    }
}

SD_TEST(hits_a_ball_that_bounces_gives_its_momentum) {
    for (int i = 0; i < 3; ++i) {
        checkBounce(SD_SOLVER_SOFT, sdShape_Sphere(0.5f), 0.5f * (float)i);
        checkBounce(SD_SOLVER_IMPULSE, sdShape_Sphere(0.5f), 0.5f * (float)i);
    }
}

SD_TEST(hits_a_box_that_lands_flat_gives_it_at_all_points) {
    for (int i = 0; i < 3; ++i) {
        checkBounce(SD_SOLVER_SOFT, sdShape_Box(0.5f, 0.5f, 0.5f), 0.5f * (float)i);
        checkBounce(SD_SOLVER_IMPULSE, sdShape_Box(0.5f, 0.5f, 0.5f), 0.5f * (float)i);
    }
}

/// Two bodies far away, on a joint with limits: where it is swept, so are all contacts, several
/// times a sub-step, and what they give is to be counted once.
static void addSweptJoint(sdWorld* world) {
    sdBodyId ends[2];
    for (int i = 0; i < 2; ++i) {
        ends[i] = TestWorld_AddDynamic(world, sdPos_Make(50.0 + 2.0 * (double)i, 9.0, 0.0),
                                       TestWorld_BoxOf(0.5f));
    }
    sdJointDef joint = sdJointDef_Make(SD_JOINT_HINGE, ends[0], ends[1]);
    sdVec3 axis = {0.0f, 0.0f, 1.0f};
    CHECK_INT(sdJointDef_Place(world, &joint, sdPos_Make(51.0, 9.0, 0.0), axis), SD_OK);
    joint.axes[SD_AXIS_TURN_X].mode = SD_AXIS_LIMITED;
    joint.axes[SD_AXIS_TURN_X].lower = -0.1f;
    joint.axes[SD_AXIS_TURN_X].upper = 0.1f;
    sdJointId id;
    CHECK_INT(sdJoint_Create(world, &joint, &id), SD_OK);
}

SD_TEST(hits_of_what_falls_are_as_fast_as_it_falls) {
    for (int i = 0; i < 2 * PLACES; ++i) {
        float restitution = 0.25f * (float)(i % 4);
        double height = 1.0 + 0.037 * (double)(i % PLACES);
        sdWorldDef def = TestWorld_AwakeDef();
        def.enableDirect = i < PLACES;
        sdWorld* world = TestWorld_Make(def);
        if (i >= PLACES) {
            addSweptJoint(world);
        }
        TestWorld_AddFloor(world, (sdMaterial){.restitution = 0.0f});
        sdBodyId ball = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.5 + height, 0.0),
                                             bouncing(sdShape_Sphere(0.5f), restitution));
        double mass = (double)sdBody_GetMass(world, ball).mass;
        double speed = sqrt(2.0 * GRAVITY * height);
        Fall fall = runFall(world, ball, (int)(60.0 * speed / GRAVITY) + 3);
        CHECK(fall.imbalance < 1e-4 * mass * speed);
        CHECK_INT(fall.hitCount, 1);
        CHECK_NEAR(fall.hit.speed, speed, 0.01 * speed);
        // the floor bears its weight for the rest of the step
        double wanted = (1.0 + (double)restitution) * mass * speed;
        CHECK(fall.hit.impulse > wanted * 0.98 &&
              fall.hit.impulse < wanted * 1.01 + 2.0 * mass * GRAVITY * (double)DT);
        sdWorld_Destroy(world);
    }
}

SD_TEST(hits_two_balls_share_their_momentum) {
    for (int i = 0; i < 3 * PLACES; ++i) {
        float restitution = 0.5f * (float)(i % 3), speed = 2.5f;
        sdWorldDef def = TestWorld_FreeDef();
        def.solver = i % 2 == 0 ? SD_SOLVER_SOFT : SD_SOLVER_IMPULSE;
        sdWorld* world = TestWorld_Make(def);
        sdShapeDef light = bouncing(sdShape_Sphere(0.5f), restitution), heavy = light;
        heavy.density = 3.0f * light.density;
        sdBodyId a =
            TestWorld_AddDynamic(world, sdPos_Make(-1.0 - 0.002 * (double)i, 0.0, 0.0), light);
        sdBodyId b = TestWorld_AddDynamic(world, sdPos_Make(1.0, 0.0, 0.0), heavy);
        CHECK_INT(sdBody_SetVelocity(world, a, sdV3(speed, 0.0f, 0.0f), zero), SD_OK);
        CHECK_INT(sdBody_SetVelocity(world, b, sdV3(-speed, 0.0f, 0.0f), zero), SD_OK);
        double mass = (double)sdBody_GetMass(world, a).mass * 3.0 / 4.0, impulse = 0.0;
        double wanted = (1.0 + (double)restitution) * mass * 2.0 * (double)speed;
        int hitCount = 0;
        for (int k = 0; k < 20; ++k) {
            TestWorld_Run(world, 1);
            impulse += sumImpulses(world);
            sdWorldEvents events = sdWorld_GetEvents(world);
            hitCount += events.hitCount;
            if (events.hitCount > 0) {
                CHECK_NEAR(events.hits[0].speed, 2.0f * speed, 1e-3);
                CHECK_NEAR(events.hits[0].impulse, wanted, 1e-3 * wanted);
            }
        }
        CHECK_INT(hitCount, 1);
        CHECK_NEAR(impulse, wanted, 1e-3 * wanted);
        sdWorld_Destroy(world);
    }
}

SD_TEST(hits_friction_is_that_of_the_whole_step) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    TestWorld_AddFloor(world, TestWorld_Friction(0.4f));
    sdShapeDef shape = TestWorld_BoxOf(0.5f);
    shape.material = TestWorld_Friction(0.4f);
    sdBodyId box = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.5, 0.0), shape);
    CHECK_INT(sdBody_SetVelocity(world, box, sdV3(5.0f, 0.0f, 0.0f), zero), SD_OK);
    double mass = (double)sdBody_GetMass(world, box).mass;
    for (int i = 0; i < 20; ++i) {
        double before = (double)sdBody_GetVelocity(world, box).x;
        TestWorld_Run(world, 1);
        sdContactInfo contact;
        REQUIRE(sdWorld_GetContacts(world, &contact, 1) == 1);
        double given = 0.0, sign = (double)contact.normal.y;
        for (int k = 0; k < contact.pointCount; ++k) {
            given += sign * (double)contact.points[k].tangentImpulse.x;
        }
        double change = mass * ((double)sdBody_GetVelocity(world, box).x - before);
        CHECK_NEAR(given, change, 1e-4 * mass);
        CHECK_NEAR(given, -0.4 * mass * GRAVITY * (double)DT, 1e-3 * mass);
    }
    CHECK_INT(sdWorld_GetEvents(world).hitCount, 0);
    sdWorld_Destroy(world);
}

/// A ball that skids as it bounces: friction is that of the whole blow, (1 + e) m v, and turns it.
SD_TEST(hits_friction_of_a_bounce_is_that_of_its_blow) {
    const double friction = 0.2, along = 5.0, down = 3.0;
    for (int i = 0; i < 3 * PLACES; ++i) {
        double restitution = 0.25 + 0.25 * (double)(i % 3);
        sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
        sdMaterial material = TestWorld_Friction((float)friction);
        TestWorld_AddFloor(world, material);
        sdShapeDef shape = bouncing(sdShape_Sphere(0.5f), (float)restitution);
        shape.material = material;
        shape.material.restitution = (float)restitution;
        sdBodyId ball =
            TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.8 + 0.001 * (double)i, 0.0), shape);
        CHECK_INT(sdBody_SetVelocity(world, ball, sdV3((float)along, (float)-down, 0.0f), zero),
                  SD_OK);
        TestWorld_Run(world, 15);
        double change = friction * (1.0 + restitution) * down;
        CHECK_NEAR(sdBody_GetVelocity(world, ball).x, along - change, 1e-4);
        CHECK_NEAR(sdBody_GetVelocity(world, ball).y, restitution * down, 1e-4);
        // m change r = 0.4 m r² w; arms are those of the start of the step, longer by half of the
        // gap
        double spin = change / (0.4 * 0.5);
        CHECK_NEAR(sdBody_GetAngularVelocity(world, ball).z, -1.03 * spin, 0.04 * spin);
        sdWorld_Destroy(world);
    }
}

/// Boxes that tumble as they bounce, with friction: no step gives them energy.
SD_TEST(hits_with_friction_give_no_energy) {
    TestRandom random = TestRandom_Make(31);
    double worst = 0.0;
    for (int i = 0; i < 150; ++i) {
        sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
        TestWorld_AddFloor(world, TestWorld_Friction(0.6f));
        sdShapeDef shape = bouncing(sdShape_Box(0.5f, i % 2 == 0 ? 0.5f : 0.25f, 0.6f), 0.0f);
        shape.material = TestWorld_Friction(0.6f);
        shape.material.restitution = i % 3 == 0 ? 0.5f : 1.0f;
        sdBodyId box = TestWorld_AddDynamic(world, sdPos_Make(0.0, 1.5, 0.0), shape);
        CHECK_INT(sdBody_SetTransform(world, box, sdPos_Make(0.0, 1.5, 0.0),
                                      TestRandom_Rotation(&random)),
                  SD_OK);
        sdVec3 v = TestRandom_InBox(&random, 3.0f), w = TestRandom_InBox(&random, 4.0f);
        v.y = -4.0f;
        CHECK_INT(sdBody_SetVelocity(world, box, v, w), SD_OK);
        double before = sdWorld_GetEnergy(world).kinetic, first = before;
        for (int k = 0; k < 40; ++k) {
            TestWorld_Run(world, 1);
            double now = sdWorld_GetEnergy(world).kinetic;
            worst = fmax(worst, (now - before) / first);
            before = now;
        }
        sdWorld_Destroy(world);
    }
    sdTest_Print("the most that a step gave: %.1e of the energy", worst);
    CHECK(worst < 1e-4);
}

/// A ring of triangles, whose step is made in parts.
SD_TEST(hits_of_meshes_are_of_all_parts_of_a_step) {
    sdMesh* mesh = NULL;
    sdConcave* concave = NULL;
    sdConcaveDef def = sdConcaveDef_Default();
    REQUIRE(sdModel_CreateTorus(NULL, 0.04f, 0.01f, 32, 16, &mesh) == SD_OK);
    REQUIRE(sdConcave_Create(NULL, mesh, &def, &concave) == SD_OK);
    sdMesh_Release(mesh);
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    TestWorld_AddFloor(world, (sdMaterial){.restitution = 0.0f});
    sdBodyId ring = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.5, 0.0),
                                         bouncing(sdShape_Concave(concave), 0.0f));
    Fall fall = runFall(world, ring, 40);
    double mass = (double)sdBody_GetMass(world, ring).mass;
    double speed = sqrt(2.0 * GRAVITY * 0.49);
    CHECK(sdWorld_GetStats(world).partCount > 1);
    CHECK(fall.imbalance < 0.02 * mass * speed);
    CHECK_INT(fall.hitCount, 1);
    CHECK_NEAR(fall.hit.speed, speed, 0.02 * speed);
    CHECK_NEAR(fall.hit.impulse, mass * speed, 0.1 * mass * speed);
    sdWorld_Destroy(world);
    sdConcave_Release(concave);
}

// ---- what is no hit ------------------------------------------------------------------------

/// Events of a pair in two steps that follow each other.
typedef struct Repeats {
    sdHitEvent last[256];
    int lastCount;
    int count, total;
    float slowest;
} Repeats;

static void noteRepeats(Repeats* repeats, const sdWorld* world) {
    sdWorldEvents events = sdWorld_GetEvents(world);
    REQUIRE(events.hitCount <= 256);
    for (int i = 0; i < events.hitCount; ++i) {
        const sdHitEvent* hit = &events.hits[i];
        for (int k = 0; k < repeats->lastCount; ++k) {
            repeats->count +=
                repeats->last[k].shapeA == hit->shapeA && repeats->last[k].shapeB == hit->shapeB;
        }
        repeats->slowest = fminf(repeats->slowest, hit->speed);
    }
    for (int i = 0; i < events.hitCount; ++i) {
        repeats->last[i] = events.hits[i];
    }
    repeats->lastCount = events.hitCount;
    repeats->total += events.hitCount;
}

SD_TEST(hits_of_a_pile_end_when_it_lies) {
    for (int k = 0; k < 2; ++k) {
        sdWorldDef def = TestWorld_AwakeDef();
        def.solver = k == 0 ? SD_SOLVER_SOFT : SD_SOLVER_IMPULSE;
        sdWorld* world = TestWorld_Make(def);
        TestWorld_AddFloor(world, TestWorld_Friction(0.5f));
        for (int i = 0; i < 40; ++i) {
            sdShapeDef shape =
                i % 2 == 0 ? TestWorld_BoxOf(0.2f) : sdShapeDef_Default(sdShape_Sphere(0.2f));
            TestWorld_AddDynamic(world, sdPos_Make(0.1 * (i % 7), 0.5 + 0.45 * i, 0.1 * (i % 5)),
                                 shape);
        }
        static Repeats repeats;
        repeats = (Repeats){.slowest = FLT_MAX};
        int late = 0;
        for (int i = 0; i < 480; ++i) {
            TestWorld_Run(world, 1);
            noteRepeats(&repeats, world);
            late += i >= 420 ? sdWorld_GetEvents(world).hitCount : 0;
        }
        sdTest_Print("%d hits, the slowest at %.2f m/s; %d of pairs that had one the step before",
                     repeats.total, (double)repeats.slowest, repeats.count);
        CHECK(repeats.total >= 40 && repeats.total < 600);
        CHECK(repeats.slowest > 1.0f);
        CHECK(repeats.count <= repeats.total / 50);
        CHECK_INT(late, 0);
        sdWorld_Destroy(world);
    }
}

/// Two walls close on a body and go on: each is told when it comes.
SD_TEST(hits_of_what_is_pinched_are_told_once) {
    static const float speeds[] = {2.0f, 20.0f};
    for (int k = 0; k < 4; ++k) {
        sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
        sdShape wall = sdShape_Box(0.5f, 2.0f, 2.0f);
        sdShape needle = k < 2 ? sdShape_Box(0.1f, 0.1f, 0.1f) : sdShape_Box(0.005f, 0.005f, 0.3f);
        TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.0, 0.0), sdShapeDef_Default(needle));
        for (int side = -1; side <= 1; side += 2) {
            sdBodyId body =
                TestWorld_AddBody(world, SD_BODY_KINEMATIC, sdPos_Make(1.2 * side, 0.0, 0.0),
                                  sdQuat_Identity(), sdShapeDef_Default(wall));
            CHECK_INT(sdBody_SetVelocity(world, body,
                                         sdV3(-(float)side * speeds[k % 2], 0.0f, 0.0f), zero),
                      SD_OK);
        }
        static Repeats repeats;
        repeats = (Repeats){.slowest = FLT_MAX};
        for (int i = 0; i < 60; ++i) {
            TestWorld_Run(world, 1);
            noteRepeats(&repeats, world);
        }
        sdTest_Print("%d hits, the slowest at %.2f m/s", repeats.total, (double)repeats.slowest);
        CHECK(repeats.total >= 1 && repeats.total <= 8);
        CHECK(repeats.slowest > 1.0f);
        sdWorld_Destroy(world);
    }
}

SD_TEST(hits_are_told_above_the_speed_that_is_set) {
    for (int i = 0; i < 4; ++i) {
        sdWorldDef def = TestWorld_FreeDef();
        def.hitSpeed = i % 2 == 0 ? 2.9f : 3.1f;
        def.enableContinuous = true;
        sdWorld* world = TestWorld_Make(def);
        TestWorld_AddFloor(world, sdMaterial_Default());
        sdBodyDef body = sdBodyDef_Default();
        body.type = SD_BODY_DYNAMIC;
        body.position = sdPos_Make(0.0, 0.8, 0.0);
        body.velocity = sdV3(0.0f, -3.0f, 0.0f);
        body.isBullet = i >= 2;
        sdShapeDef shape = bouncing(sdShape_Sphere(0.5f), 0.0f);
        sdBodyId ball = SD_NULL_BODY;
        CHECK_INT(sdBody_Create(world, &body, &ball), SD_OK);
        CHECK_INT(sdBody_AddShape(world, ball, &shape, NULL), SD_OK);
        CHECK_INT(runFall(world, ball, 20).hitCount, i % 2 == 0 ? 1 : 0);
        sdWorld_Destroy(world);
    }
    const float bad[] = {-1.0f, INFINITY, NAN};
    for (int i = 0; i < 3; ++i) {
        sdWorldDef def = sdWorldDef_Default();
        sdWorld* world = TestWorld_Make(def);
        def.hitSpeed = bad[i];
        CHECK_INT(sdWorld_SetDef(world, &def), SD_ERROR_INVALID_ARGUMENT);
        CHECK_NEAR(sdWorld_GetDef(world).hitSpeed, 1.0, 0.0);
        sdWorld_Destroy(world);
    }
}
