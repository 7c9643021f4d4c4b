// SPDX-License-Identifier: MIT
// test_joint_dolls.c - dolls whose joints sub-steps are too long to follow, and dolls that are
// struck by what moves by itself.

#include "joint_support.h"
#include "scenes.h"

#include <math.h>

enum { DOLLS = 64, PARTS = 14 };

static sdWorld* dropDolls(sdWorldDef def, int count, uint64_t seed) {
    sdWorld* world = TestWorld_Make(def);
    sdSceneOptions options = {.size = count, .seed = seed};
    CHECK_INT(sdScene_Build(sdScene_Find("ragdolls"), world, &options), SD_OK);
    return world;
}

/// Limbs that land turn by half a radian in such a sub-step, and solutions for where they should be
/// fail now and then. What these gave, 1e5 N s of joints and contacts, was kept as the first guess
/// of the next sub-step, although velocities were not: of 64 dolls one was thrown out of the world.
SD_TEST(joint_dolls_land_in_long_sub_steps) {
    static const struct {
        int subStepCount;
        float dt, gap;
    } cases[] = {{2, 1.0f / 60.0f, 0.4f}, {3, 1.0f / 30.0f, 0.8f}, {2, 1.0f / 30.0f, 1.5f}};
    for (int i = 0; i < 3 * 2; ++i) {
        sdWorldDef def = sdScene_GetWorldDef(sdScene_Find("ragdolls"));
        def.subStepCount = def.jointSubStepCount = cases[i / 2].subStepCount;
        sdWorld* world = dropDolls(def, DOLLS, i % 2 == 0 ? 385 : 462);
        double start = TestJoint_Energy(world), most = start;
        float gap = 0.0f, dt = cases[i / 2].dt;
        for (int step = 0; step < (int)(2.5f / dt); ++step) {
            CHECK_INT(sdWorld_Step(world, dt), SD_OK);
            most = fmax(most, TestJoint_Energy(world));
            gap = sdMaxF(gap, TestJoint_WorstError(world, NULL));
        }
        double end = TestJoint_Energy(world);
        sdTest_Print(
            "%d sub-steps of 1/%.0f s: joints off by %.0f mm, energy %.2f at most, %.2f at "
            "the end",
            cases[i / 2].subStepCount, 1.0 / (double)dt, 1e3 * (double)gap, most / start,
            end / start);
        CHECK(most < 1.01 * start && end < 0.2 * start);
        CHECK(gap < cases[i / 2].gap);
        sdWorld_Destroy(world);
    }
}

/// A wall on its way sweeps a doll that lies along. While a doll touched nothing but that and the
/// ground, all the energy that it could get was taken for an error: it was 10 cm in the wall, and
/// took a third of a second to get going.
SD_TEST(joint_doll_is_struck_by_what_moves_by_itself) {
    sdWorldDef def = sdScene_GetWorldDef(sdScene_Find("ragdolls"));
    sdWorld* world = dropDolls(def, 1, 0);
    sdBodyId bodies[1 + PARTS];
    CHECK_INT(sdWorld_GetBodies(world, bodies, 1 + PARTS), 1 + PARTS);
    TestWorld_Run(world, 180);
    sdPos hips = sdBody_GetCenter(world, bodies[1]);
    sdVec3 half = {0.5f, 1.5f, 2.0f};
    sdBodyId wall = TestWorld_AddBody(
        world, SD_BODY_KINEMATIC, sdPos_Make(hips.x - 3.0, hips.y + 0.5, hips.z), sdQuat_Identity(),
        sdShapeDef_Default(sdShape_Box(half.x, half.y, half.z)));
    CHECK_INT(sdBody_SetVelocity(world, wall, sdV3(10.0f, 0.0f, 0.0f), sdV3(0.0f, 0.0f, 0.0f)),
              SD_OK);
    double inside = 0.0;
    for (int step = 0; step < 30; ++step) {
        TestWorld_Run(world, 1);
        double front = sdBody_GetCenter(world, wall).x + (double)half.x;
        for (int i = 1; i <= PARTS; ++i) {
            inside = fmax(inside, front - sdBody_GetCenter(world, bodies[i]).x);
        }
    }
    double slowest = INFINITY;
    for (int i = 1; i <= PARTS; ++i) {
        slowest = fmin(slowest, (double)sdBody_GetVelocity(world, bodies[i]).x);
    }
    sdTest_Print("middles of parts at most %.0f mm in the wall; the slowest goes %.1f m/s",
                 1e3 * inside, slowest);
    CHECK(inside < 0.02);
    CHECK(slowest > 5.0);
    CHECK(TestJoint_WorstError(world, NULL) < 0.01f);
    sdWorld_Destroy(world);
}
