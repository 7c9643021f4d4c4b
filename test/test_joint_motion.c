// SPDX-License-Identifier: MIT
// How truly joints move: periods, energy, long chains, heavy weights, and sets of joints that hold
// the same thing twice.

#include "joint_support.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979

SD_TEST(joint_pendulum_swings_in_time) {
    for (int i = 0; i < 2; ++i) {
        sdWorldDef worldDef = TestWorld_AwakeDef();
        worldDef.enableDirect = i == 0;
        sdWorld* world = TestWorld_Make(worldDef);
        double length = 1.0, angle = 0.2;
        sdBodyId pin =
            TestJoint_AddMass(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), 0.0f, 0.0f);
        sdBodyId bob = TestJoint_AddMass(world, SD_BODY_DYNAMIC,
                                         sdPos_Make(length * sin(angle), -length * cos(angle), 0.0),
                                         2.0f, 0.1f);
        TestJoint_Join(world, sdJointDef_Make(SD_JOINT_HINGE, pin, bob), sdPos_Make(0.0, 0.0, 0.0),
                       sdV3(0.0f, 0.0f, 1.0f));
        // from the first to the eleventh time that it comes through the middle
        double first = 0.0, last = 0.0, before = sdBody_GetCenter(world, bob).x;
        int count = 0;
        for (int step = 1; step < 1000 && count < 11; ++step) {
            TestWorld_Run(world, 1);
            double now = sdBody_GetCenter(world, bob).x;
            if ((before > 0.0) != (now > 0.0)) {
                last = ((double)step - now / (now - before)) / 60.0;
                first = count == 0 ? last : first;
                count += 1;
            }
            before = now;
        }
        double plain = 2.0 * PI * sqrt((0.1 + 2.0 * length * length) / (2.0 * GRAVITY * length));
        double period = plain * (1.0 + angle * angle / 16.0 + 11.0 / 3072.0 * pow(angle, 4.0));
        sdTest_Print("period %.5f s, %.5f expected", (last - first) / 5.0, period);
        CHECK_NEAR((last - first) / 5.0, period, 1e-3 * period);
        sdWorld_Destroy(world);
    }
}

/// A small ball on a long arm is no light link under load: nothing pulls at its other end.
SD_TEST(joint_small_ball_on_a_long_arm_keeps_its_energy) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    sdBodyId pin = TestJoint_AddMass(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), 0.0f, 0.0f);
    sdBodyId bob =
        TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(1.0, 0.0, 0.0), 1.0f, 1e-3f);
    TestJoint_Join(world, sdJointDef_Make(SD_JOINT_HINGE, pin, bob), sdPos_Make(0.0, 0.0, 0.0),
                   sdV3(0.0f, 0.0f, 1.0f));
    double start = TestJoint_Energy(world), worst = 0.0;
    for (int i = 0; i < 600; ++i) {
        TestWorld_Run(world, 1);
        worst = fmax(worst, fabs(TestJoint_Energy(world) - start));
    }
    sdTest_Print("energy within %.1e of m g L", worst / GRAVITY);
    CHECK(worst < 1e-3 * GRAVITY);
    sdWorld_Destroy(world);
}

SD_TEST(joint_double_pendulum_keeps_its_energy) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    TestJoint_AddChain(world, 2, sdPos_Make(0.0, 0.0, 0.0), sdV3(1.0f, 0.0f, 0.0f), 1.0f);
    double start = TestJoint_Energy(world), worst = 0.0;
    // between level and hanging straight, twice
    double scale = GRAVITY * (0.5 + 1.5) * 2.0;
    float error = 0.0f;
    for (int i = 0; i < 60 * 240; ++i) {
        CHECK_INT(sdWorld_Step(world, 1.0f / 240.0f), SD_OK);
        worst = fmax(worst, fabs(TestJoint_Energy(world) - start));
        error = sdMaxF(error, TestJoint_WorstError(world, NULL));
    }
    sdTest_Print("energy off by %.3f %% at most, joints by %.3f mm", 100.0 * worst / scale,
                 1e3 * (double)error);
    CHECK(worst < 0.01 * scale);
    CHECK(error < 1e-4f);
    sdWorld_Destroy(world);
}

/// What whips must neither gain energy nor lose much, with steps as long as those of games. One way
/// to fall is luck: links that whip are chaos.
SD_TEST(joint_chains_keep_their_energy_in_long_steps) {
    static const int counts[] = {2, 5, 20};
    const double length = 0.2;
    for (int k = 0; k < 3; ++k) {
        const int count = counts[k], trials = 6;
        // between level and hanging straight
        double scale = 0.5 * GRAVITY * length * count * count, sum = 0.0, most = 0.0;
        for (int i = 0; i < trials; ++i) {
            double tilt = 0.16 * i - 0.3;
            sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
            sdVec3 way = {(float)(length * cos(tilt)), (float)(length * sin(tilt)), 0.0f};
            TestJoint_AddChain(world, count, sdPos_Make(0.0, 0.0, 0.0), way, 1.0f);
            double start = TestJoint_Energy(world);
            TestWorld_Run(world, 600);
            double change = (TestJoint_Energy(world) - start) / scale;
            sum += change;
            most = fmax(most, change);
            sdWorld_Destroy(world);
        }
        sdTest_Print("%d links: energy off by %.2f %% on average", count, 100.0 * sum / trials);
        CHECK(fabs(sum / trials) < 0.02 && most < 0.01);
    }
}

/// A crane: 100 links, a load of a thousand times a link's mass.
SD_TEST(joint_long_chain_holds_a_heavy_weight) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    sdVec3 way = {0.0f, -0.1f, 0.0f};
    sdBodyId last = TestJoint_AddChain(world, 100, sdPos_Make(0.0, 0.0, 0.0), way, 0.1f);
    sdBodyId load =
        TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(0.0, -10.5, 0.0), 100.0f, 10.0f);
    sdJointId hook = TestJoint_Join(world, sdJointDef_Make(SD_JOINT_BALL, last, load),
                                    sdPos_Make(0.0, -10.0, 0.0), sdV3(0.0f, 1.0f, 0.0f));
    TestWorld_Run(world, 10);
    CHECK_INT(sdBody_SetVelocity(world, load, sdV3(2.0f, 0.0f, 0.0f), sdV3(0.0f, 0.0f, 0.0f)),
              SD_OK);
    float worst = 0.0f;
    for (int i = 0; i < 300; ++i) {
        TestWorld_Run(world, 1);
        worst = sdMaxF(worst, TestJoint_WorstError(world, NULL));
    }
    sdTest_Print("joints off by %.4f mm at most, of links of 100 mm", 1e3 * (double)worst);
    CHECK(worst < 0.01f * 0.1f);
    // it swings
    CHECK(sdLength(sdBody_GetVelocity(world, load)) > 0.2f);
    sdVec3 f = sdJoint_GetForce(world, hook);
    CHECK_NEAR(sdLength(f), 100.0 * GRAVITY, 300.0);
    sdWorld_Destroy(world);
}

/// A chain that is let go level whips: its links turn by some 0.2 rad in a sub-step.
SD_TEST(joint_whipping_chain_stays_together) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    TestJoint_AddChain(world, 20, sdPos_Make(0.0, 0.0, 0.0), sdV3(0.2f, 0.0f, 0.0f), 1.0f);
    double start = TestJoint_Energy(world), most = start;
    float worst = 0.0f;
    for (int i = 0; i < 600; ++i) {
        TestWorld_Run(world, 1);
        worst = sdMaxF(worst, TestJoint_WorstError(world, NULL));
        most = fmax(most, TestJoint_Energy(world));
    }
    sdTest_Print("joints off by %.3f mm at most, energy rose by %.3f %%, is %.1f %% at the end",
                 1e3 * (double)worst, 100.0 * (most - start) / (20.0 * GRAVITY * 2.0),
                 100.0 * (TestJoint_Energy(world) - start) / (20.0 * GRAVITY * 2.0));
    CHECK(worst < 3e-3f);
    CHECK(most - start < 0.01 * 20.0 * GRAVITY * 2.0);
    sdWorld_Destroy(world);
}

/// A chain of capsules, held at x = -0.8 side and level towards 0.
/// @return its last link
static sdBodyId addCapsules(sdWorld* world, float side, double z, int group) {
    sdShapeDef def = sdShapeDef_Default(sdShape_Capsule(0.06f, 0.04f));
    def.filter.group = group;
    sdQuat level = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), (float)(0.5 * PI));
    double start = -0.8 * (double)side, way = 0.2 * (double)side;
    sdBodyId last = TestJoint_AddMass(world, SD_BODY_STATIC, sdPos_Make(start, 0.0, z), 0.0f, 0.0f);
    for (int i = 0; i < 5; ++i) {
        sdBodyId next = TestWorld_AddBody(world, SD_BODY_DYNAMIC,
                                          sdPos_Make(start + way * (i + 0.5), 0.0, z), level, def);
        TestJoint_Join(world, sdJointDef_Make(SD_JOINT_BALL, last, next),
                       sdPos_Make(start + way * i, 0.0, z), sdV3(1.0f, 0.0f, 0.0f));
        last = next;
    }
    return last;
}

/// Chains that swing past each other, 3 cm apart, are seen by contacts, but move as if the other
/// were not there: points that will not meet keep no set of joints from making its step alone.
SD_TEST(joint_chains_that_pass_each_other_swing_alone) {
    sdWorldTransform ends[2][2];
    int seenCount = 0;
    for (int i = 0; i < 2; ++i) {
        sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
        sdBodyId links[2] = {addCapsules(world, 1.0f, 0.0, -i),
                             addCapsules(world, -1.0f, 0.11, -i)};
        for (int step = 0; step < 60; ++step) {
            TestWorld_Run(world, 1);
            seenCount += sdWorld_GetContacts(world, NULL, 0);
            CHECK_INT(sdWorld_GetStats(world).contactCount, 0);
        }
        ends[i][0] = sdBody_GetTransform(world, links[0]);
        ends[i][1] = sdBody_GetTransform(world, links[1]);
        sdWorld_Destroy(world);
    }
    sdTest_Print("%d points seen", seenCount);
    CHECK(seenCount > 0);
    CHECK(memcmp(ends[0], ends[1], sizeof ends[0]) == 0);
}

/// Of sixteen chains every other one lies on a table. They are solved eight at a time: those that
/// swing are not held up by those that lie, and move as if these were not there.
SD_TEST(joint_chains_swing_alone_beside_those_that_lie) {
    enum { COUNT = 16 };
    sdWorldTransform ends[2][COUNT];
    for (int hasTables = 0; hasTables < 2; ++hasTables) {
        sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
        sdBodyId links[COUNT];
        for (int i = 0; i < COUNT; ++i) {
            links[i] = addCapsules(world, 1.0f, (double)i, 0);
            if (hasTables == 1 && i % 2 == 1) {
                TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(-0.3, -0.55, (double)i),
                                  sdQuat_Identity(),
                                  sdShapeDef_Default(sdShape_Box(1.0f, 0.5f, 0.2f)));
            }
        }
        for (int step = 0; step < 60; ++step) {
            TestWorld_Run(world, 1);
            int lying = sdWorld_GetStats(world).contactCount;
            CHECK(step < 10 || (hasTables == 1 ? lying >= COUNT / 2 : lying == 0));
        }
        for (int i = 0; i < COUNT; ++i) {
            ends[hasTables][i] = sdBody_GetTransform(world, links[i]);
        }
        sdWorld_Destroy(world);
    }
    for (int i = 0; i < COUNT; i += 2) {
        CHECK(memcmp(&ends[0][i], &ends[1][i], sizeof ends[0][i]) == 0);
        CHECK(ends[1][i + 1].p.y > -0.1);
    }
}

// ---- more joints than needed ---------------------------------------------------------------

static void checkQuiet(sdWorld* world, int steps, float error, float speed) {
    TestWorld_Run(world, steps);
    enum { MOST = 512 };
    sdBodyId bodies[MOST];
    int count = sdMinI(sdWorld_GetBodies(world, bodies, MOST), MOST);
    float fastest = 0.0f, angle, worst = TestJoint_WorstError(world, &angle);
    for (int i = 0; i < count; ++i) {
        fastest = sdMaxF(fastest, sdLength(sdBody_GetVelocity(world, bodies[i])));
    }
    sdTest_Print("joints off by %.3f mm and %.4f rad, fastest %.4f m/s", 1e3 * (double)worst,
                 (double)angle, (double)fastest);
    CHECK(worst < error);
    CHECK(angle < 0.01f);
    CHECK(fastest < speed);
    sdWorld_Destroy(world);
}

SD_TEST(joint_door_on_two_hinges_is_quiet) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    sdBodyId wall = TestJoint_AddMass(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), 0.0f, 0.0f);
    sdBodyId door =
        TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(0.5, 1.0, 0.0), 20.0f, 4.0f);
    sdJointId joints[2];
    for (int i = 0; i < 2; ++i) {
        joints[i] = TestJoint_Join(world, sdJointDef_Make(SD_JOINT_HINGE, wall, door),
                                   sdPos_Make(0.0, 0.3 + 1.4 * i, 0.0), sdV3(0.0f, 1.0f, 0.0f));
    }
    CHECK_INT(sdBody_SetVelocity(world, door, sdV3(0.0f, 0.0f, -1.0f), sdV3(0.0f, 2.0f, 0.0f)),
              SD_OK);
    TestWorld_Run(world, 120);
    // nothing brakes it
    CHECK_NEAR(sdBody_GetAngularVelocity(world, door).y, 2.0, 0.01);
    sdVec3 f = sdAdd(sdJoint_GetForce(world, joints[0]), sdJoint_GetForce(world, joints[1]));
    CHECK_NEAR(f.y, 20.0 * GRAVITY, 1.0);
    checkQuiet(world, 1, 1e-3f, 1.1f);
}

SD_TEST(joint_bridge_is_quiet) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    sdVec3 way = {0.5f, 0.0f, 0.0f};
    sdBodyId last = TestJoint_AddChain(world, 30, sdPos_Make(0.0, 0.0, 0.0), way, 2.0f);
    sdBodyId end = TestJoint_AddMass(world, SD_BODY_STATIC, sdPos_Make(15.0, 0.0, 0.0), 0.0f, 0.0f);
    TestJoint_Join(world, sdJointDef_Make(SD_JOINT_BALL, last, end), sdPos_Make(15.0, 0.0, 0.0),
                   sdV3(1.0f, 0.0f, 0.0f));
    // undamped it would swing for long
    enum { MOST = 64 };
    sdBodyId bodies[MOST];
    int count = sdWorld_GetBodies(world, bodies, MOST);
    for (int i = 0; i < count; ++i) {
        CHECK_INT(sdBody_SetDamping(world, bodies[i], 2.0f, 2.0f), SD_OK);
    }
    checkQuiet(world, 360, 1e-3f, 0.05f);
}

SD_TEST(joint_ring_is_quiet) {
    sdWorld* world = TestWorld_Make(TestWorld_FreeDef());
    enum { COUNT = 12 };
    sdBodyId links[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        double a = 2.0 * PI * (i + 0.5) / COUNT;
        links[i] =
            TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(cos(a), sin(a), 0.0), 1.0f, 0.02f);
    }
    for (int i = 0; i < COUNT; ++i) {
        double a = 2.0 * PI * (i + 1.0) / COUNT;
        // hinges lock three more than a ring needs
        TestJoint_Join(world, sdJointDef_Make(SD_JOINT_HINGE, links[i], links[(i + 1) % COUNT]),
                       sdPos_Make(cos(a), sin(a), 0.0), sdV3(0.0f, 0.0f, 1.0f));
    }
    CHECK_INT(sdBody_SetVelocity(world, links[0], sdV3(1.0f, 0.5f, 0.0f), sdV3(0.0f, 0.0f, 0.0f)),
              SD_OK);
    checkQuiet(world, 300, 1e-3f, 2.0f);
}

SD_TEST(joint_net_is_quiet) {
    enum { SIDE = 20 };
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    static sdBodyId knots[SIDE][SIDE];
    for (int i = 0; i < SIDE * SIDE; ++i) {
        int x = i % SIDE, z = i / SIDE;
        bool isFixed = (x == 0 || x == SIDE - 1) && (z == 0 || z == SIDE - 1);
        knots[z][x] = TestJoint_AddMass(world, isFixed ? SD_BODY_STATIC : SD_BODY_DYNAMIC,
                                        sdPos_Make(0.2 * x, 0.0, 0.2 * z), 0.1f, 0.001f);
    }
    for (int z = 0; z < SIDE; ++z) {
        for (int x = 0; x < SIDE; ++x) {
            for (int k = 0; k < 2; ++k) {
                int nx = x + (k == 0 ? 1 : 0), nz = z + (k == 1 ? 1 : 0);
                if (nx < SIDE && nz < SIDE) {
                    TestJoint_Join(
                        world, sdJointDef_Make(SD_JOINT_BALL, knots[z][x], knots[nz][nx]),
                        sdPos_Make(0.1 * (x + nx), 0.0, 0.1 * (z + nz)), sdV3(0.0f, 1.0f, 0.0f));
                }
            }
        }
    }
    checkQuiet(world, 360, 0.02f, 1.0f);
}

/// A beam of two parts, one of them far heavier than the other, that swings down from level.
/// @param firstCount sub-steps of the first step; others have as many as by default
static void checkBeam(float ratio, int firstCount) {
    sdWorldDef def = TestWorld_AwakeDef(), first = def;
    first.subStepCount = firstCount;
    sdWorld* world = TestWorld_Make(first);
    sdBodyId pin = TestJoint_AddMass(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), 0.0f, 0.0f);
    sdBodyId a = TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(0.5, 0.0, 0.0), 1.0f, 0.1f);
    sdBodyId b =
        TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(1.5, 0.0, 0.0), ratio, 0.1f * ratio);
    TestJoint_Join(world, sdJointDef_Make(SD_JOINT_HINGE, pin, a), sdPos_Make(0.0, 0.0, 0.0),
                   sdV3(0.0f, 0.0f, 1.0f));
    TestJoint_Join(world, sdJointDef_Make(SD_JOINT_FIXED, a, b), sdPos_Make(1.0, 0.0, 0.0),
                   sdV3(0.0f, 0.0f, 1.0f));
    float worst = 0.0f, angle, worstAngle = 0.0f;
    for (int step = 0; step < 300; ++step) {
        TestWorld_Run(world, 1);
        CHECK_INT(sdWorld_SetDef(world, &def), SD_OK);
        worst = sdMaxF(worst, TestJoint_WorstError(world, &angle));
        worstAngle = sdMaxF(worstAngle, angle);
    }
    sdTest_Print("%.0e : 1 off by %.3f mm, %.5f rad", (double)ratio, 1e3 * (double)worst,
                 (double)worstAngle);
    CHECK(worst < 3e-3f);
    CHECK(worstAngle < 0.015f);
    sdWorld_Destroy(world);
}

SD_TEST(joint_between_masses_far_apart_holds) {
    checkBeam(1e-4f, 6);
    // floats tell masses that far apart just so: one ratio that holds is luck
    for (int i = 0; i <= 10; ++i) {
        checkBeam(8e3f + 400.0f * (float)i, 6);
    }
    checkBeam(3e4f, 6);
    checkBeam(1e5f, 6);
}

/// What joints gave in a short sub-step is too little for a long one: the heavy part came off by
/// 0.3 m.
SD_TEST(joint_between_masses_far_apart_holds_when_sub_steps_change) {
    checkBeam(1e4f, 8);
    checkBeam(1e4f, 16);
    checkBeam(1e-4f, 8);
}

/// Light links, a heavy load, and a throw in the very first step: whatever comes of it is finite,
/// and no energy is gained.
SD_TEST(joint_light_chain_that_is_thrown_stays_finite) {
    for (int k = 0; k < 4; ++k) {
        sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
        sdBodyId last = TestJoint_AddChain(world, 10 * (k + 1), sdPos_Make(0.0, 0.0, 0.0),
                                           sdV3(0.0f, -0.1f, 0.0f), k % 2 == 0 ? 0.1f : 0.001f);
        double y = -(double)(k + 1);
        sdBodyId load = TestJoint_AddMass(world, SD_BODY_DYNAMIC, sdPos_Make(0.0, y - 0.5, 0.0),
                                          1000.0f, 100.0f);
        TestJoint_Join(world, sdJointDef_Make(SD_JOINT_BALL, last, load), sdPos_Make(0.0, y, 0.0),
                       sdV3(0.0f, 1.0f, 0.0f));
        CHECK_INT(sdBody_SetVelocity(world, load, sdV3(7.0f, 5.0f, -20.0f), sdV3(3.0f, 0.0f, 1.0f)),
                  SD_OK);
        double start = TestJoint_Energy(world), most = start;
        for (int i = 0; i < 60; ++i) {
            TestWorld_Run(world, 1);
            double energy = TestJoint_Energy(world);
            // not a number is not less
            CHECK(energy < 1e9);
            most = fmax(most, energy);
        }
        sdTest_Print("energy %.3g of %.3g J at most", most, start);
        CHECK(most < 1.1 * start);
        sdWorld_Destroy(world);
    }
}

/// A light foot under a heavy load meets the ground: the ground stops both at once, so that the
/// joint does not part, and the foot is not spun by forces that go through it.
SD_TEST(joint_light_foot_stops_a_heavy_load) {
    for (int i = 0; i < 5; ++i) {
        sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
        sdShapeDef ground = sdShapeDef_Default(sdShape_HalfSpace());
        TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(0.0, 0.0, 0.0), sdQuat_Identity(),
                          ground);
        sdQuat level = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), 1.57079633f);
        sdShapeDef toe = sdShapeDef_Default(sdShape_Capsule(0.1f, 0.05f));
        toe.density = 500.0f;
        sdBodyId foot = TestWorld_AddBody(
            world, SD_BODY_DYNAMIC, sdPos_Make(0.0, 0.8, 0.0),
            sdMulQ(sdQuat_FromAxisAngle(sdV3(1.0f, 0.0f, 0.0f), 0.1f * (float)i), level), toe);
        sdShapeDef heavy = sdShapeDef_Default(sdShape_Sphere(0.2f));
        heavy.density = 2000.0f;
        sdBodyId load = TestWorld_AddBody(world, SD_BODY_DYNAMIC, sdPos_Make(0.0, 1.2, 0.0),
                                          sdQuat_Identity(), heavy);
        sdJointId ankle = TestJoint_Join(world, sdJointDef_Make(SD_JOINT_BALL, load, foot),
                                         sdPos_Make(0.02 * i, 0.9, 0.0), sdV3(0.0f, 1.0f, 0.0f));
        float gap = 0.0f, speed = 0.0f;
        double energy = TestJoint_Energy(world);
        for (int step = 0; step < 60; ++step) {
            TestWorld_Run(world, 1);
            gap = sdMaxF(gap, sdJoint_GetError(world, ankle, NULL));
            speed = sdMaxF(speed, sdLength(sdBody_GetVelocity(world, foot)));
            CHECK(TestJoint_Energy(world) < 1.01 * energy);
        }
        sdTest_Print("%.0f : 1, joint off by %.2f mm, foot at %.1f m/s at most",
                     (double)(sdBody_GetMass(world, load).mass / sdBody_GetMass(world, foot).mass),
                     1e3 * (double)gap, (double)speed);
        CHECK(gap < 1e-3f);
        CHECK(speed < 15.0f);
        sdWorld_Destroy(world);
    }
}

/// Hinges between bodies that are locked to a plane hold the same turns twice, up to rounding of
/// their axes: they swing as they do without the locks.
SD_TEST(joint_hinges_swing_in_a_locked_plane) {
    for (int solver = 0; solver < SD_SOLVER_COUNT; ++solver) {
        sdPos ends[2];
        for (int isLocked = 0; isLocked < 2; ++isLocked) {
            sdWorldDef worldDef = TestWorld_AwakeDef();
            worldDef.solver = (sdSolver)solver;
            sdWorld* world = TestWorld_Make(worldDef);
            sdBodyId last = TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(-0.3, 0.0, 0.0),
                                              sdQuat_Identity(), TestWorld_BoxOf(0.1f));
            for (int i = 0; i < 3; ++i) {
                sdBodyDef def = sdBodyDef_Default();
                def.type = SD_BODY_DYNAMIC;
                def.position = sdPos_Make(0.2 * (i + 0.5), 0.0, 0.0);
                def.locks = isLocked != 0 ? SD_LOCK_PLANAR : 0u;
                sdBodyId next;
                CHECK_INT(sdBody_Create(world, &def, &next), SD_OK);
                sdShapeDef shape = sdShapeDef_Default(sdShape_Box(0.08f, 0.03f, 0.03f));
                CHECK_INT(sdBody_AddShape(world, next, &shape, NULL), SD_OK);
                TestJoint_Join(world, sdJointDef_Make(SD_JOINT_HINGE, last, next),
                               sdPos_Make(0.2 * i, 0.0, 0.0), sdV3(0.0f, 0.0f, 1.0f));
                last = next;
            }
            TestWorld_Run(world, 20);
            ends[isLocked] = sdBody_GetCenter(world, last);
            sdWorld_Destroy(world);
        }
        sdTest_Print("solver %d: %.4f %.4f, locked %.4f %.4f", solver, ends[0].x, ends[0].y,
                     ends[1].x, ends[1].y);
        CHECK(ends[0].y < -0.2);
        CHECK_NEAR(ends[1].x, ends[0].x, 1e-2);
        CHECK_NEAR(ends[1].y, ends[0].y, 1e-2);
    }
}

/// Sets that are locked to a plane make their steps alone; pushes across leave them in it.
SD_TEST(joint_sets_in_a_locked_plane_stay_there) {
    const uint32_t locks[3] = {SD_LOCK_X | SD_LOCK_ROTATION_Y | SD_LOCK_ROTATION_Z,
                               SD_LOCK_Y | SD_LOCK_ROTATION_Z | SD_LOCK_ROTATION_X, SD_LOCK_PLANAR};
    for (int axis = 0; axis < 3; ++axis) {
        const float unit[3] = {axis == 0 ? 1.0f : 0.0f, axis == 1 ? 1.0f : 0.0f,
                               axis == 2 ? 1.0f : 0.0f};
        // u is across the plane, v and w are in it
        sdVec3 u = sdV3(unit[0], unit[1], unit[2]), v = sdV3(unit[1], unit[2], unit[0]);
        sdVec3 w = sdCross(u, v);
        sdWorldDef worldDef = TestWorld_AwakeDef();
        worldDef.gravity = sdAdd(sdScale(-10.0f, w), sdScale(3.0f, u));
        sdWorld* world = TestWorld_Make(worldDef);
        sdBodyId last = TestWorld_AddBody(world, SD_BODY_STATIC,
                                          sdPos_Add(sdPos_Make(0.0, 0.0, 0.0), sdScale(-0.3f, v)),
                                          sdQuat_Identity(), TestWorld_BoxOf(0.1f));
        sdBodyId links[6];
        sdJointId joints[6];
        for (int i = 0; i < 6; ++i) {
            sdBodyDef def = sdBodyDef_Default();
            def.type = SD_BODY_DYNAMIC;
            def.position =
                sdPos_Add(sdPos_Make(0.0, 0.0, 0.0), sdScale(0.2f * ((float)i + 0.5f), v));
            def.velocity = sdAdd(sdScale(2.0f, u), sdScale(0.5f * (float)i, w));
            def.locks = locks[axis];
            CHECK_INT(sdBody_Create(world, &def, &links[i]), SD_OK);
            sdShapeDef shape = sdShapeDef_Default(sdShape_Box(0.03f, 0.05f, 0.04f));
            CHECK_INT(sdBody_AddShape(world, links[i], &shape, NULL), SD_OK);
            joints[i] = TestJoint_Join(
                world, sdJointDef_Make(SD_JOINT_HINGE, last, links[i]),
                sdPos_Add(sdPos_Make(0.0, 0.0, 0.0), sdScale(0.2f * (float)i, v)), u);
            last = links[i];
        }
        float lowest = 0.0f, gap = 0.0f;
        for (int step = 0; step < 180; ++step) {
            TestWorld_Run(world, 1);
            for (int i = 0; i < 6; ++i) {
                sdVec3 place =
                    sdPos_Sub(sdBody_GetCenter(world, links[i]), sdPos_Make(0.0, 0.0, 0.0));
                sdVec3 side = sdRotate(sdBody_GetTransform(world, links[i]).q, u);
                CHECK_NEAR(sdDot(place, u), 0.0, 0.0);
                CHECK_NEAR(sdDot(side, u), 1.0, 1e-6);
                lowest = sdMinF(lowest, sdDot(place, w));
                gap = sdMaxF(gap, sdJoint_GetError(world, joints[i], NULL));
            }
        }
        sdTest_Print("axis %d: joints off by %.4f mm at most", axis, 1e3 * (double)gap);
        CHECK(lowest < -0.9f);
        CHECK(gap < 1e-3f);
        sdWorld_Destroy(world);
    }
}

/// Chains that whip against the block on which they hang: anchors hold, and nothing gains energy.
/// The block was stiffened as if it could turn, and a step gained what its sub-steps did.
SD_TEST(joint_chains_hold_where_they_whip_at_their_block) {
    TestRandom random = TestRandom_Make(11);
    float worst = 0.0f;
    double gain = 0.0;
    for (int run = 0; run < TestRounds(400); ++run) {
        sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
        sdBodyId last = TestWorld_AddBody(world, SD_BODY_STATIC, sdPos_Make(-0.3, 0.0, 0.0),
                                          sdQuat_Identity(), TestWorld_BoxOf(0.1f));
        sdJointId joints[6];
        float half = run % 2 == 0 ? 0.03f : 0.08f;
        for (int i = 0; i < 6; ++i) {
            sdBodyDef def = sdBodyDef_Default();
            def.type = SD_BODY_DYNAMIC;
            def.position = sdPos_Make(0.2 * (i + 0.5), 0.0, 0.0);
            def.velocity = sdV3(0.0f, TestRandom_Float(&random, -3.0f, 3.0f), 0.0f);
            def.locks = run % 4 < 2 ? SD_LOCK_PLANAR : 0u;
            sdBodyId next;
            CHECK_INT(sdBody_Create(world, &def, &next), SD_OK);
            sdShapeDef shape = sdShapeDef_Default(sdShape_Box(half, 0.03f, 0.05f));
            CHECK_INT(sdBody_AddShape(world, next, &shape, NULL), SD_OK);
            joints[i] = TestJoint_Join(world, sdJointDef_Make(SD_JOINT_HINGE, last, next),
                                       sdPos_Make(0.2 * i, 0.0, 0.0), sdV3(0.0f, 0.0f, 1.0f));
            last = next;
        }
        double energy = TestJoint_Energy(world), mass = 6.0 * (double)half * 0.06 * 0.1 * 2000.0;
        for (int step = 0; step < 240; ++step) {
            TestWorld_Run(world, 1);
            for (int i = 0; i < 6; ++i) {
                worst = sdMaxF(worst, sdJoint_GetError(world, joints[i], NULL));
            }
            gain = fmax(gain, (TestJoint_Energy(world) - energy) / mass);
        }
        sdWorld_Destroy(world);
    }
    sdTest_Print("joints off by %.2f mm at most, energy up by %.2f J/kg", 1e3 * (double)worst,
                 gain);
    CHECK(worst < 0.015f);
    CHECK(gain < 3.0);
}
