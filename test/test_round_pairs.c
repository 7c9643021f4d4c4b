// SPDX-License-Identifier: MIT
// test_round_pairs.c - spheres and capsules in lanes: how far apart, how fast they part, and that
// none of those on joints that come near is left alone.

#include "dynamics/round_pairs.h"
#include "world_support.h"

// ---- one pair ------------------------------------------------------------------------------

/// A sphere or capsule on a body that moves, near the origin of a place far from that of the world.
typedef struct Part {
    sdBody body;
    sdFixture fixture;
} Part;

static Part makePart(TestRandom* random, sdPos around, float spread, int kind) {
    Part part;
    memset(&part, 0, sizeof part);
    float half = TestRandom_Float(random, 0.05f, 2.0f),
          radius = TestRandom_Float(random, 0.0f, 0.5f);
    sdVec3 p = TestRandom_InBox(random, spread);
    part.fixture.def.shape = kind % 3 == 0 ? sdShape_Sphere(radius) : sdShape_Capsule(half, radius);
    part.fixture.def.xf = kind % 2 == 0 ? sdTransform_Identity()
                                        : sdTransform_Make(TestRandom_InBox(random, 1.0f),
                                                           TestRandom_Rotation(random));
    part.body.center = sdPos_Add(around, p);
    part.body.rotation = TestRandom_Rotation(random);
    part.body.localCenter = TestRandom_InBox(random, kind % 2 == 0 ? 0.0f : 0.5f);
    part.body.velocity = TestRandom_InBox(random, 5.0f);
    part.body.angularVelocity = TestRandom_InBox(random, 5.0f);
    return part;
}

/// Turn B so that its core lies along A's, but for an angle.
static void align(Part* a, Part* b, sdVec3 axis, float angle) {
    sdQuat own = sdMulQ(a->body.rotation, a->fixture.def.xf.q);
    sdQuat tilt = sdQuat_FromAxisAngle(axis, angle);
    b->fixture.def.xf = sdTransform_Identity();
    b->body.rotation = sdNormalizeQ(sdMulQ(tilt, own));
}

static sdWorldTransform poseAfter(const Part* part, float time) {
    const sdBody* body = &part->body;
    sdQuat turn = sdQuat_FromRotationVector(sdScale(time, body->angularVelocity));
    sdQuat q = sdNormalizeQ(sdMulQ(turn, body->rotation));
    sdPos center = sdPos_Add(body->center, sdScale(time, body->velocity));
    sdVec3 local = sdSub(part->fixture.def.xf.p, body->localCenter);
    return (sdWorldTransform){sdPos_Add(center, sdRotate(q, local)),
                              sdMulQ(q, part->fixture.def.xf.q)};
}

static float separationAfter(const Part* a, const Part* b, float time) {
    sdTransform xfAB = sdWorldTransform_Relative(poseAfter(a, time), poseAfter(b, time));
    return sdDistance(&a->fixture.def.shape, &b->fixture.def.shape, xfAB, NULL).separation;
}

static void setPair(sdRoundPairs* pairs, int lane, const Part* a, const Part* b) {
    sdVec3 between = sdPos_Sub(b->body.center, a->body.center);
    sdRoundPairs_Set(pairs, lane, 0, &a->body, &a->fixture);
    sdRoundPairs_Set(pairs, lane, 1, &b->body, &b->fixture);
    pairs->between[0][lane] = between.x;
    pairs->between[1][lane] = between.y;
    pairs->between[2][lane] = between.z;
}

/// Eight random pairs. Cores are parallel in one lane, nearly so in others, and cross in one.
static void makePairs(TestRandom* random, Part parts[2][SD_LANES], sdRoundPairs* pairs) {
    static const float angles[SD_LANES] = {0.0f, 1e-5f, 1e-3f, 0.05f, 0.0f, 0.0f, 0.0f, 0.0f};
    for (int i = 0; i < SD_LANES; ++i) {
        int kind = TestRandom_Int(random, 6);
        sdPos around = sdPos_Make(1e5 * (double)(kind - 2), 0.0, 7.0 * (double)i);
        parts[0][i] = makePart(random, around, 0.0f, kind);
        parts[1][i] = makePart(random, around, 3.0f, TestRandom_Int(random, 6));
        if (i < 4) {
            align(&parts[0][i], &parts[1][i], TestRandom_OnSphere(random), angles[i]);
        }
        if (i == 4) {
            parts[1][i].body.center = parts[0][i].body.center;
        }
        setPair(pairs, i, &parts[0][i], &parts[1][i]);
    }
}

/// What is claimed must be so, or a contact would be missed; and it must be close to the truth, or
/// nothing would be gained.
SD_TEST(round_pairs_are_as_far_apart_as_one_by_one) {
    TestRandom random = TestRandom_Make(3);
    static Part parts[2][SD_LANES];
    int count = TestRounds(20000), beside = 0;
    double most = -1.0, least = 1.0;
    for (int round = 0; round < count; ++round) {
        sdRoundPairs pairs;
        sdRoundGaps gaps;
        makePairs(&random, parts, &pairs);
        SD_DISPATCH(sdRoundPairs_Measure)(&pairs, &gaps);
        for (int i = 0; i < SD_LANES; ++i) {
            float exact = separationAfter(&parts[0][i], &parts[1][i], 0.0f);
            double over = (double)gaps.gap[i] - (double)exact;
            most = over > most ? over : most;
            // of those that overlap only that is wanted
            least = exact > 0.01f && over < least ? over : least;
            beside += gaps.parting[i] == -FLT_MAX ? 1 : 0;
        }
    }
    sdTest_Print("from %.2g m below to %.2g m above; %d of %d beside each other", least, most,
                 beside, SD_LANES * count);
    CHECK(most <= 1e-7);
    CHECK(least >= -1e-3);
    CHECK(beside > count && beside < 4 * count);
}

/// Against where they are a moment later.
SD_TEST(round_pairs_part_as_fast_as_they_do) {
    TestRandom random = TestRandom_Make(5);
    static Part parts[2][SD_LANES];
    const float moment = 1e-3f;
    int compared = 0;
    for (int round = 0; round < TestRounds(2000); ++round) {
        sdRoundPairs pairs;
        sdRoundGaps gaps;
        makePairs(&random, parts, &pairs);
        SD_DISPATCH(sdRoundPairs_Measure)(&pairs, &gaps);
        for (int i = 0; i < SD_LANES; ++i) {
            // far enough for nearest points that do not jump, and speeds that do not change
            if (gaps.gap[i] < 0.5f || gaps.parting[i] == -FLT_MAX) {
                continue;
            }
            float after = separationAfter(&parts[0][i], &parts[1][i], moment);
            float before = separationAfter(&parts[0][i], &parts[1][i], -moment);
            compared += 1;
            CHECK_NEAR((after - before) / (2.0f * moment), gaps.parting[i], 0.15);
        }
    }
    CHECK(compared >= TestRounds(2000));
}

#if defined(SD_HAVE_AVX2_KERNELS)
SD_TEST(round_pairs_agree_at_both_levels) {
    TestRandom random = TestRandom_Make(9);
    static Part parts[2][SD_LANES];
    for (int round = 0; round < 1000 && sdSimd_HasAvx2(); ++round) {
        sdRoundPairs pairs;
        sdRoundGaps base, avx2;
        makePairs(&random, parts, &pairs);
        sdRoundPairs_Measure_base(&pairs, &base);
        sdRoundPairs_Measure_avx2(&pairs, &avx2);
        CHECK(memcmp(&base, &avx2, sizeof base) == 0);
    }
}
#endif

// ---- on joints -----------------------------------------------------------------------------

enum { SETS = 14, PARTS = 3, RODS = SETS * PARTS };

/// Sets of three rods on joints.
static void addSets(sdWorld* world, TestRandom* random, sdBodyId* bodies, sdShape shape) {
    for (int i = 0; i < RODS; ++i) {
        int part = i % PARTS;
        sdVec3 p = TestRandom_InBox(random, 0.9f);
        sdPos at = part == 0
                       ? sdPos_Make((double)p.x, (double)p.y, (double)p.z)
                       : sdPos_Add(sdBody_GetCenter(world, bodies[i - 1]), sdV3(0.0f, 0.44f, 0.0f));
        bodies[i] = TestWorld_AddDynamic(world, at, sdShapeDef_Default(shape));
        if (part > 0) {
            sdJointDef def = sdJointDef_Make(SD_JOINT_BALL, bodies[i - 1], bodies[i]);
            def.frameA.p = sdV3(0.0f, 0.22f, 0.0f);
            def.frameB.p = sdV3(0.0f, -0.22f, 0.0f);
            sdJointId joint;
            CHECK_INT(sdJoint_Create(world, &def, &joint), SD_OK);
        }
    }
}

/// Throw all at each other.
static void throwSets(sdWorld* world, TestRandom* random, const sdBodyId* bodies) {
    for (int i = 0; i < RODS; ++i) {
        sdPos at = sdBody_GetCenter(world, bodies[i]);
        sdVec3 p = sdV3((float)at.x, (float)at.y, (float)at.z);
        sdVec3 v = sdSub(TestRandom_InBox(random, 2.0f), sdScale(3.0f, p));
        CHECK_INT(sdBody_SetVelocity(world, bodies[i], v, TestRandom_InBox(random, 4.0f)), SD_OK);
    }
}

/// Points of two on joints are left alone where they stay apart: whatever touches is not.
SD_TEST(round_pairs_on_joints_are_not_missed) {
    sdWorldDef def = sdWorldDef_Default();
    def.gravity = sdV3(0.0f, 0.0f, 0.0f);
    sdWorld* world = TestWorld_Make(def);
    TestRandom random = TestRandom_Make(11);
    static sdContactInfo contacts[4 * RODS * RODS];
    static bool isListed[RODS][RODS];
    sdBodyId bodies[RODS];
    sdWorldTransform before[RODS];
    sdShape shape = sdShape_Capsule(0.15f, 0.05f);
    addSets(world, &random, bodies, shape);
    int touching = 0, missed = 0, apart = 0, listed = 0;
    for (int step = 0; step < 160; ++step) {
        if (step % 20 == 0) {
            throwSets(world, &random, bodies);
        }
        for (int i = 0; i < RODS; ++i) {
            before[i] = sdBody_GetTransform(world, bodies[i]);
        }
        CHECK_INT(sdWorld_Step(world, DT), SD_OK);
        int count = sdWorld_GetContacts(world, contacts, 4 * RODS * RODS);
        memset(isListed, 0, sizeof isListed);
        for (int i = 0; i < count; ++i) {
            // bodies were made one after the other, and so were their shapes
            int a = (int)(contacts[i].shapeA & 0xFFFFFF), b = (int)(contacts[i].shapeB & 0xFFFFFF);
            isListed[a < b ? a : b][a < b ? b : a] = true;
        }
        for (int i = 0; i < RODS * RODS; ++i) {
            int a = i / RODS, b = i % RODS;
            bool areJoined = b == a + 1 && b % PARTS != 0;
            if (a >= b || areJoined) {
                continue;
            }
            sdTransform xfAB = sdWorldTransform_Relative(before[a], before[b]);
            float separation = sdDistance(&shape, &shape, xfAB, NULL).separation;
            touching += separation < def.slop ? 1 : 0;
            missed += separation < def.slop && !isListed[a][b] ? 1 : 0;
            apart += separation > def.slop && separation < 0.05f ? 1 : 0;
            listed += separation > def.slop && separation < 0.05f && isListed[a][b] ? 1 : 0;
        }
    }
    sdTest_Print("%d times two touched, %d missed; of %d near ones %d were looked at", touching,
                 missed, apart, listed);
    CHECK(touching > 200);
    CHECK_INT(missed, 0);
    CHECK(listed < apart);
    sdWorld_Destroy(world);
}
