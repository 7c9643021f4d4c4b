// SPDX-License-Identifier: MIT
// Worlds that are solved by impulses: friction and bounces against closed forms, stacks with and
// without shock propagation, and all that must go on working whatever solver there is.

#include "world_support.h"

#include "sudar/joint.h"
#include "sudar/snapshot.h"

#include <math.h>
#include <stdlib.h>

static sdWorldDef impulseDef(void) {
    sdWorldDef def = TestWorld_AwakeDef();
    def.solver = SD_SOLVER_IMPULSE;
    return def;
}

static void setVelocity(sdWorld* world, sdBodyId body, sdVec3 v) {
    CHECK_INT(sdBody_SetVelocity(world, body, v, sdBody_GetAngularVelocity(world, body)), SD_OK);
}

static void setSpin(sdWorld* world, sdBodyId body, sdVec3 w) {
    CHECK_INT(sdBody_SetVelocity(world, body, sdBody_GetVelocity(world, body), w), SD_OK);
}

static double heightOf(const sdWorld* world, sdBodyId body) {
    return sdBody_GetCenter(world, body).y;
}

// ---- motion and bounces --------------------------------------------------------------------

SD_TEST(impulse_free_fall_is_the_integrators) {
    for (int i = 0; i < SD_INTEGRATOR_COUNT; ++i) {
        sdWorldDef def = impulseDef();
        def.integrator = (sdIntegrator)i;
        sdWorld* world = TestWorld_Make(def);
        sdBodyId body =
            TestWorld_AddDynamic(world, sdPos_Make(0.0, 100.0, 0.0), TestWorld_BoxOf(0.5f));
        TestWorld_Run(world, 60);
        // semi-implicit and explicit Euler err by g t dt / 2 to either side, RK4 does not
        double side =
            i == SD_INTEGRATOR_SEMI_IMPLICIT ? -1.0 : (i == SD_INTEGRATOR_RK4 ? 0.0 : 1.0);
        CHECK_NEAR(heightOf(world, body), 100.0 - 0.5 * GRAVITY * (1.0 - side / 60.0), 1e-3);
        CHECK_NEAR(sdBody_GetVelocity(world, body).y, -GRAVITY, 1e-4);
        sdWorld_Destroy(world);
    }
}

SD_TEST(impulse_bounce_keeps_restitution) {
    for (int i = 0; i <= 4; ++i) {
        float e = 0.25f * (float)i;
        sdWorldDef def = impulseDef();
        def.gravity = sdV3(0.0f, 0.0f, 0.0f);
        sdWorld* world = TestWorld_Make(def);
        TestWorld_AddFloor(world, (sdMaterial){.restitution = e});
        sdShapeDef shape = sdShapeDef_Default(sdShape_Sphere(0.5f));
        shape.material = (sdMaterial){.restitution = e};
        sdBodyId ball = TestWorld_AddDynamic(world, sdPos_Make(0.0, 2.0, 0.0), shape);
        setVelocity(world, ball, sdV3(0.0f, -3.0f, 0.0f));
        TestWorld_Run(world, 60);
        CHECK_NEAR(sdBody_GetVelocity(world, ball).y, 3.0f * e, 1e-5);
        CHECK(heightOf(world, ball) > 0.4999);
        sdWorld_Destroy(world);
    }
}

SD_TEST(impulse_ball_bounces_without_gaining_height) {
    // with gravity: of every bounce, and for a long time
    sdWorld* world = TestWorld_Make(impulseDef());
    TestWorld_AddFloor(world, (sdMaterial){.restitution = 1.0f});
    sdShapeDef shape = sdShapeDef_Default(sdShape_Sphere(0.5f));
    shape.material = (sdMaterial){.restitution = 1.0f};
    sdBodyId ball = TestWorld_AddDynamic(world, sdPos_Make(0.0, 3.0, 0.0), shape);
    double top = 0.0, last = 3.0, before = 3.0;
    int bounceCount = 0;
    for (int i = 0; i < 1200; ++i) {
        TestWorld_Run(world, 1);
        double y = heightOf(world, ball);
        bool isRising = y > last;
        top = isRising ? y : top;
        if (!isRising && top > 0.0) {
            CHECK(top < before);
            before = top;
            top = 0.0;
            bounceCount += 1;
        }
        last = y;
    }
    sdTest_Print("%d bounces, the last to %.3f m", bounceCount, before);
    CHECK(bounceCount > 8);
    CHECK(before > 1.0);
    sdWorld_Destroy(world);
}

// ---- friction ------------------------------------------------------------------------------

/// A box on a slope, as a floor with tilted gravity.
/// @return how far it has slid in a second
static double slide(float tangent, float staticFriction, float slidingFriction) {
    sdWorldDef def = impulseDef();
    float cosine = 1.0f / sqrtf(1.0f + tangent * tangent);
    def.gravity = sdV3(9.81f * tangent * cosine, -9.81f * cosine, 0.0f);
    sdWorld* world = TestWorld_Make(def);
    sdMaterial material = {.staticFriction = staticFriction, .slidingFriction = slidingFriction};
    TestWorld_AddFloor(world, material);
    sdShapeDef shape = TestWorld_BoxOf(0.5f);
    shape.material = material;
    sdBodyId box = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.5, 0.0), shape);
    TestWorld_Run(world, 60);
    double way = sdBody_GetCenter(world, box).x;
    CHECK_NEAR(heightOf(world, box), 0.5, 2e-3);
    sdWorld_Destroy(world);
    return way;
}

SD_TEST(impulse_box_on_a_slope_holds_or_slides) {
    float tangents[] = {0.1f, 0.3f, 0.55f, 0.58f, 0.62f, 0.7f, 0.9f};
    for (int i = 0; i < 7; ++i) {
        double t = (double)tangents[i], cosine = 1.0 / sqrt(1.0 + t * t);
        double way = slide(tangents[i], 0.6f, 0.4f);
        double expected = t < 0.6 ? 0.0 : 0.5 * 9.81 * cosine * (t - 0.4) * 61.0 / 60.0;
        sdTest_Print("tangent %.2f: slid %.4f m, should be %.4f", t, way, expected);
        CHECK_NEAR(way, expected, 0.01 + 0.05 * expected);
    }
}

SD_TEST(impulse_rolling_friction_stops_a_ball) {
    sdWorld* world = TestWorld_Make(impulseDef());
    sdMaterial material = TestWorld_Friction(0.6f);
    material.rollingFriction = 0.05f;
    TestWorld_AddFloor(world, material);
    sdShapeDef shape = sdShapeDef_Default(sdShape_Sphere(0.5f));
    shape.material = material;
    sdBodyId ball = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.5, 0.0), shape);
    setVelocity(world, ball, sdV3(2.0f, 0.0f, 0.0f));
    setSpin(world, ball, sdV3(0.0f, 0.0f, -4.0f));
    TestWorld_Run(world, 360);
    // torque c m g on (m r² + I): a = c g / (1.4 r)
    double a = 0.05 * 9.81 / (1.4 * 0.5), way = 2.0 * 2.0 / (2.0 * a);
    sdTest_Print("rolled %.3f m, should be %.3f", sdBody_GetCenter(world, ball).x, way);
    CHECK_NEAR(sdBody_GetCenter(world, ball).x, way, 0.03 * way);
    CHECK_NEAR(sdLength(sdBody_GetVelocity(world, ball)), 0.0, 1e-3);
    // without it the ball would not stop
    sdWorld_Destroy(world);
}

SD_TEST(impulse_spin_friction_stops_a_top) {
    sdWorld* world = TestWorld_Make(impulseDef());
    sdMaterial material = TestWorld_Friction(0.6f);
    material.spinFriction = 0.02f;
    TestWorld_AddFloor(world, material);
    sdShapeDef shape = sdShapeDef_Default(sdShape_Sphere(0.5f));
    shape.material = material;
    sdBodyId ball = TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.5, 0.0), shape);
    setSpin(world, ball, sdV3(0.0f, 10.0f, 0.0f));
    // c m g / (0.4 m r²) = 1.962 rad/s²
    TestWorld_Run(world, 120);
    CHECK_NEAR(sdBody_GetAngularVelocity(world, ball).y, 10.0 - 2.0 * 0.02 * 9.81 / 0.1, 0.1);
    TestWorld_Run(world, 240);
    CHECK_NEAR(sdBody_GetAngularVelocity(world, ball).y, 0.0, 1e-4);
    sdWorld_Destroy(world);
}

// ---- conservation --------------------------------------------------------------------------

typedef struct Totals {
    double energy;
    sdVec3 momentum;
} Totals;

static Totals totalsOf(const sdWorld* world, const sdBodyId* bodies, int count) {
    Totals r = {0};
    for (int i = 0; i < count; ++i) {
        sdMassProps mass = sdBody_GetMass(world, bodies[i]);
        sdVec3 v = sdBody_GetVelocity(world, bodies[i]);
        sdWorldTransform pose = sdBody_GetTransform(world, bodies[i]);
        sdVec3 w = sdInvRotate(pose.q, sdBody_GetAngularVelocity(world, bodies[i]));
        r.energy += 0.5 * (double)mass.mass * (double)sdLengthSquared(v) +
                    0.5 * (double)sdDot(w, sdMulMV(mass.inertia, w));
        r.momentum = sdMulAdd(r.momentum, mass.mass, v);
    }
    return r;
}

SD_TEST(impulse_cloud_keeps_momentum_and_energy) {
    enum { COUNT = 40 };
    float restitutions[] = {1.0f, 0.5f, 0.0f};
    for (int k = 0; k < 3; ++k) {
        sdWorldDef def = impulseDef();
        def.gravity = sdV3(0.0f, 0.0f, 0.0f);
        sdWorld* world = TestWorld_Make(def);
        TestRandom random = TestRandom_Make(7);
        sdBodyId bodies[COUNT];
        for (int i = 0; i < COUNT; ++i) {
            sdShapeDef shape =
                i % 2 == 0 ? TestWorld_BoxOf(0.4f) : sdShapeDef_Default(sdShape_Sphere(0.45f));
            shape.material.restitution = restitutions[k];
            sdPos p =
                sdPos_Make(1.5 * (i % 4) - 2.0, 1.5 * (i / 4 % 4) - 2.0, 1.5 * (i / 16) - 1.0);
            bodies[i] = TestWorld_AddDynamic(world, p, shape);
            // all of them inwards
            sdVec3 v = sdScale(-1.0f, sdV3((float)p.x, (float)p.y, (float)p.z));
            setVelocity(world, bodies[i], sdAdd(v, TestRandom_InBox(&random, 1.0f)));
            setSpin(world, bodies[i], TestRandom_InBox(&random, 2.0f));
        }
        Totals start = totalsOf(world, bodies, COUNT), last = start;
        double worst = 0.0;
        for (int i = 0; i < 120; ++i) {
            TestWorld_Run(world, 1);
            Totals now = totalsOf(world, bodies, COUNT);
            worst = fmax(worst, (now.energy - last.energy) / start.energy);
            last = now;
        }
        double lost = (double)sdLength(sdSub(last.momentum, start.momentum));
        sdTest_Print(
            "e = %.1f: energy %.1f -> %.1f J, grew by %.1e at most; momentum off by %.1e of "
            "%.0f N s",
            (double)restitutions[k], start.energy, last.energy, worst, lost,
            (double)sdLength(start.momentum));
        CHECK(worst < 1e-5);
        CHECK(last.energy < start.energy);
        CHECK_NEAR(lost, 0.0, 0.05);
        sdWorld_Destroy(world);
    }
}

// ---- stacks --------------------------------------------------------------------------------

/// A tower of boxes of a metre on a floor.
static void addTower(sdWorld* world, int count, sdBodyId* bodies) {
    TestWorld_AddFloor(world, TestWorld_Friction(0.6f));
    for (int i = 0; i < count; ++i) {
        bodies[i] =
            TestWorld_AddDynamic(world, sdPos_Make(0.0, 0.5 + i, 0.0), TestWorld_BoxOf(0.5f));
    }
}

typedef struct Sinking {
    double sank, shifted;
} Sinking;

static Sinking watchTower(int count, bool enableShock, int steps) {
    enum { MOST = 64 };
    sdBodyId bodies[MOST];
    sdWorldDef def = impulseDef();
    def.impulse.enableShock = enableShock;
    sdWorld* world = TestWorld_Make(def);
    addTower(world, count, bodies);
    TestWorld_Run(world, steps);
    sdPos top = sdBody_GetCenter(world, bodies[count - 1]);
    sdWorld_Destroy(world);
    return (Sinking){count - 0.5 - top.y, sqrt(top.x * top.x + top.z * top.z)};
}

/// S2 §8.3: the same passes go further when they come from the ground up; and both are counted.
SD_TEST(impulse_tower_sinks_less_along_the_contact_graph) {
    double sank[2];
    for (int i = 0; i < 2; ++i) {
        sdBodyId bodies[4];
        sdWorldDef def = impulseDef();
        def.impulse.enableShock = false;
        def.impulse.enableGraph = i == 1;
        sdWorld* world = TestWorld_Make(def);
        addTower(world, 4, bodies);
        TestWorld_Run(world, 1);
        sdWorldStats stats = sdWorld_GetStats(world);
        // one look for collisions, which finds none, and one before each of ten contact passes;
        // each pushes each of four points of a pair at most once, and all of them from the ground
        // up
        CHECK_INT(stats.lookCount, 11 * 4);
        CHECK(stats.impulseCount > 10 * 4 && stats.impulseCount <= 10 * 4 * 4);
        CHECK(i == 0 || stats.impulseCount == 10 * 4 * 4);
        TestWorld_Run(world, 59);
        sank[i] = 3.5 - sdBody_GetCenter(world, bodies[3]).y;
        sdWorld_Destroy(world);
    }
    sdTest_Print("the top sank by %.1f mm in any order, by %.1f mm from the ground up",
                 1e3 * sank[0], 1e3 * sank[1]);
    CHECK(sank[1] > 0.0 && sank[0] > 1.15 * sank[1]);
}

SD_TEST(impulse_tower_of_50_stands_by_shock) {
    int steps = TestScale() > 1 ? 1800 : 120;
    Sinking with = watchTower(50, true, steps), without = watchTower(50, false, steps);
    sdTest_Print(
        "after %d steps the top of 50 boxes sank by %.3f mm and shifted by %.3f mm; without "
        "shock propagation by %.0f mm",
        steps, 1e3 * with.sank, 1e3 * with.shifted, 1e3 * without.sank);
    CHECK(with.sank < 0.01 && with.sank > -0.01);
    CHECK(with.shifted < 0.01);
    CHECK(without.sank > 0.5);
}
