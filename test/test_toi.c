// SPDX-License-Identifier: MIT
// test_toi.c - times of impact against overlap tests at many times, and bodies that must not pass.

#include "shape_zoo.h"
#include "support.h"

static sdSweep sweepOf(sdVec3 p, sdQuat q, sdVec3 translation, sdVec3 rotation) {
    return (sdSweep){
        .start = sdTransform_Make(p, q), .translation = translation, .rotation = rotation};
}

static sdTransform relativeAt(const sdToiInput* input, double t) {
    return sdInvMulXf(sdSweep_Pose(&input->sweepA, (float)t),
                      sdSweep_Pose(&input->sweepB, (float)t));
}

static double separationAt(const sdToiInput* input, double t) {
    return (double)sdEpa_Penetration(input->a, input->b, relativeAt(input, t), NULL).separation;
}

/// Some time before `end` at which the bodies overlap by more than rounding; -1: none found.
static double findOverlap(const sdToiInput* input, double end, int count, double depth) {
    sdPairCache cache = {.count = 0};
    for (int i = 0; i < count; ++i) {
        double t = end * (double)i / (double)count;
        if (sdGjk_Overlap(input->a, input->b, relativeAt(input, t), &cache).isOverlapping &&
            separationAt(input, t) < -depth) {
            return t;
        }
    }
    return -1.0;
}

static sdToiInput randomInput(TestRandom* random, const sdShape* a, const sdShape* b, float turns) {
    sdToiInput input = {.a = a, .b = b, .method = SD_TOI_CONSERVATIVE};
    sdVec3 pa = TestRandom_InBox(random, 2.5f), pb = TestRandom_InBox(random, 2.5f);
    sdQuat qa = TestRandom_Rotation(random), qb = TestRandom_Rotation(random);
    // most meet: where B goes, A is about to be
    sdVec3 va = TestRandom_InBox(random, 3.0f), aside = TestRandom_InBox(random, 1.5f);
    sdVec3 way = sdScale(TestRandom_Float(random, 0.5f, 2.0f), sdSub(pa, pb));
    sdVec3 vb = sdAdd(sdAdd(va, way), aside);
    sdVec3 wa = TestRandom_InBox(random, turns), wb = TestRandom_InBox(random, turns);
    input.sweepA = sweepOf(pa, qa, va, wa);
    input.sweepB = sweepOf(pb, qb, vb, wb);
    input.sweepA.center = TestRandom_InBox(random, 0.3f);
    input.sweepB.center = TestRandom_InBox(random, 0.3f);
    return input;
}

typedef struct Tally {
    int hits, separated, overlapped, limits;
    int late, early, missed;
    long long iterations;
} Tally;

/// Never late: no overlap at any of many earlier times. Not early: at the target when it says so.
static void checkInput(const sdToiInput* input, int sampleCount, Tally* tally) {
    sdToiResult r = sdTimeOfImpact(input);
    tally->iterations += r.iterations;
    tally->limits += r.status == SD_STATUS_LIMIT ? 1 : 0;
    CHECK(r.status != SD_STATUS_INVALID);
    if (r.state == SD_TOI_OVERLAPPED) {
        tally->overlapped += 1;
        CHECK(r.time == 0.0f);
        tally->early += separationAt(input, 0.0) > 1e-6 ? 1 : 0;
        return;
    }
    double end = r.state == SD_TOI_HIT ? (double)r.time : 1.0;
    bool isOverlapping = findOverlap(input, end, sampleCount, 4e-6) >= 0.0;
    if (r.state == SD_TOI_SEPARATED) {
        tally->separated += 1;
        tally->missed += isOverlapping ? 1 : 0;
        CHECK(r.time == 1.0f);
        return;
    }
    tally->hits += 1;
    tally->late += isOverlapping ? 1 : 0;
    CHECK_NEAR(sdLength(r.normal), 1.0, 1e-5);
    double gap = separationAt(input, (double)r.time);
    tally->early += gap > 1e-4 && r.status != SD_STATUS_LIMIT ? 1 : 0;
    tally->late += gap < -4e-6 ? 1 : 0;
}

static void checkTally(const char* name, const Tally* tally, int count) {
    sdTest_Print(
        "%s: %d pairs, %d disagreements (%d hits, %d separated, %d overlapped at the start; "
        "%d late, %d early, %d missed, %d at the limit; %.1f iterations)",
        name, count, tally->late + tally->early + tally->missed, tally->hits, tally->separated,
        tally->overlapped, tally->late, tally->early, tally->missed, tally->limits,
        (double)tally->iterations / (double)count);
    CHECK_INT(tally->late + tally->early + tally->missed, 0);
    CHECK_INT(tally->limits, 0);
}

SD_TEST(toi_sweeps_never_tunnel_nor_come_late) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(11);
    Tally tally = {0};
    int count = TestCount(100000);
    for (int i = 0; i < count; ++i) {
        sdShape a = ShapeZoo_Pick(&zoo, &random), b = ShapeZoo_Pick(&zoo, &random);
        sdToiInput input = randomInput(&random, &a, &b, i % 4 == 0 ? 0.0f : 3.0f);
        checkInput(&input, 100, &tally);
    }
    checkTally("sweeps", &tally, count);
    CHECK(tally.hits > count / 5);
    CHECK(tally.separated > count / 10);
    ShapeZoo_Free(&zoo);
}

SD_TEST(toi_plates_needles_and_spinning_blades_never_pass) {
    TestRandom random = TestRandom_Make(12);
    Tally tally = {0};
    int count = TestCount(10000);
    for (int i = 0; i < count; ++i) {
        sdShape plate = sdShape_Box(1.0f, i % 2 == 0 ? 0.0f : 1e-3f, 1.0f);
        sdShape needle = sdShape_Capsule(1.0f, 1e-5f);
        sdShape blade = sdShape_Triangle(sdV3(-1.0f, 0.0f, 0.0f), sdV3(1.0f, 0.0f, 0.0f),
                                         sdV3(0.0f, 0.0f, 0.01f));
        const sdShape* shapes[3] = {&plate, &needle, &blade};
        const sdShape* a = shapes[TestRandom_Int(&random, 3)];
        const sdShape* b = shapes[TestRandom_Int(&random, 3)];
        sdToiInput input = randomInput(&random, a, b, 10.0f);
        checkInput(&input, 400, &tally);
    }
    checkTally("plates, needles and blades", &tally, count);
    CHECK(tally.hits > count / 10);
}

/// A small ball through a thin plate: few sub-steps do not see it.
SD_TEST(toi_bullet_passes_sub_steps_but_nothing_else) {
    sdShape plate = sdShape_Box(1.0f, 0.005f, 1.0f), bullet = sdShape_Sphere(0.01f);
    sdQuat q = sdQuat_Identity();
    sdVec3 none = sdV3(0.0f, 0.0f, 0.0f);
    sdToiInput input = {.a = &plate, .b = &bullet};
    input.sweepA = sweepOf(none, q, none, none);
    input.sweepB = sweepOf(sdV3(0.1f, 7.3f, 0.2f), q, sdV3(0.0f, -20.0f, 0.0f), none);
    double expected = (7.3 - 0.015) / 20.0;

    input.method = SD_TOI_SUBSTEPS;
    input.subStepCount = 10;
    CHECK_INT(sdTimeOfImpact(&input).state, SD_TOI_SEPARATED);
    input.subStepCount = 4000;
    sdToiResult r = sdTimeOfImpact(&input);
    CHECK_INT(r.state, SD_TOI_HIT);
    CHECK_NEAR(r.time, expected, 1e-5);

    input.method = SD_TOI_CONSERVATIVE;
    r = sdTimeOfImpact(&input);
    CHECK_INT(r.state, SD_TOI_HIT);
    CHECK_NEAR(r.time, expected, 1e-5);
    CHECK((double)r.time <= expected);
    CHECK_NEAR(r.normal.y, 1.0, 1e-6);
    CHECK_NEAR(r.point.y, 0.005, 1e-4);

    input.method = SD_TOI_BISECTION;
    r = sdTimeOfImpact(&input);
    CHECK_INT(r.state, SD_TOI_HIT);
    CHECK_NEAR(r.time, expected, 1e-5);
    CHECK((double)r.time <= expected);

    input.method = SD_TOI_SWEPT_VOLUME;
    CHECK_INT(sdTimeOfImpact(&input).state, SD_TOI_HIT);
    // a blade half a turn away: the same places at the end of both sweeps, contact in between
    sdShape rod = sdShape_Box(1.0f, 0.01f, 0.01f);
    input.a = &rod;
    input.sweepA = sweepOf(none, q, none, sdV3(0.0f, 0.0f, SD_PI));
    input.sweepB = sweepOf(sdV3(0.0f, 0.9f, 0.0f), q, none, none);
    input.method = SD_TOI_SUBSTEPS;
    input.subStepCount = 1;
    CHECK_INT(sdTimeOfImpact(&input).state, SD_TOI_SEPARATED);
    input.method = SD_TOI_CONSERVATIVE;
    r = sdTimeOfImpact(&input);
    CHECK_INT(r.state, SD_TOI_HIT);
    CHECK_NEAR(r.time, 0.5 - 0.02 / 0.9 / 3.14159265, 1e-4);
}

SD_TEST(toi_methods_agree) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(13);
    int wrong = 0, hits = 0, volume = 0, limits = 0, count = TestRounds(400);
    for (int i = 0; i < count; ++i) {
        sdShape a = ShapeZoo_Pick(&zoo, &random), b = ShapeZoo_Pick(&zoo, &random);
        sdToiInput input = randomInput(&random, &a, &b, 3.0f);
        sdToiResult exact = sdTimeOfImpact(&input);
        input.method = SD_TOI_BISECTION;
        sdToiResult bisected = sdTimeOfImpact(&input);
        limits += bisected.status == SD_STATUS_LIMIT ? 1 : 0;
        input.method = SD_TOI_SWEPT_VOLUME;
        volume +=
            exact.state != SD_TOI_SEPARATED && sdTimeOfImpact(&input).state == SD_TOI_SEPARATED;
        hits += exact.state == SD_TOI_HIT ? 1 : 0;
        if (exact.state != bisected.state || exact.state == SD_TOI_HIT) {
            // at both times they are at the target, or one of them passed it narrowly
            double t = (double)sdMinF(exact.time, bisected.time);
            bool isTouching = separationAt(&input, t) < 1e-4;
            wrong += isTouching || bisected.status == SD_STATUS_LIMIT ? 0 : 1;
        }
    }
    sdTest_Print("%d hits, %d wrong; bisection %d times at its limit; %d swept volumes missed",
                 hits, wrong, limits, volume);
    CHECK_INT(wrong + volume, 0);
    CHECK(limits <= count / 50);
    CHECK(hits > count / 5);
    ShapeZoo_Free(&zoo);
}

SD_TEST(toi_is_the_same_for_swapped_bodies) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(14);
    int wrong = 0;
    for (int i = 0; i < 2000; ++i) {
        sdShape a = ShapeZoo_Pick(&zoo, &random), b = ShapeZoo_Pick(&zoo, &random);
        sdToiInput input = randomInput(&random, &a, &b, 3.0f);
        sdToiInput swapped = input;
        swapped.a = &b;
        swapped.b = &a;
        swapped.sweepA = input.sweepB;
        swapped.sweepB = input.sweepA;
        sdToiResult r = sdTimeOfImpact(&input), s = sdTimeOfImpact(&swapped);
        bool isSame = r.state == s.state && sdAbsF(r.time - s.time) < 1e-5f;
        if (isSame && r.state == SD_TOI_HIT) {
            isSame = sdLength(sdAdd(r.normal, s.normal)) < 2e-2f;
        }
        // where they graze, the first time that is near enough is not sharp
        double t = (double)sdMaxF(r.time, s.time);
        wrong += isSame || fabs(separationAt(&input, t)) < 5e-5 ? 0 : 1;
    }
    sdTest_Print("%d differ", wrong);
    CHECK_INT(wrong, 0);
    ShapeZoo_Free(&zoo);
}

SD_TEST(toi_without_turning_is_a_cast) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(15);
    int wrong = 0, hits = 0;
    for (int i = 0; i < 2000; ++i) {
        sdShape a = ShapeZoo_Pick(&zoo, &random), b = ShapeZoo_Pick(&zoo, &random);
        sdToiInput input = randomInput(&random, &a, &b, 0.0f);
        sdToiResult r = sdTimeOfImpact(&input);
        sdVec3 way = sdSub(input.sweepB.translation, input.sweepA.translation);
        sdVec3 local = sdInvRotate(input.sweepA.start.q, way);
        sdCastHit cast = sdShapeCast(&a, &b, relativeAt(&input, 0.0), local);
        if (r.state == SD_TOI_HIT && cast.isHit) {
            hits += 1;
            double slope = (double)sdAbsF(sdDot(cast.normal, local));
            double error = fabs((double)r.time - (double)cast.fraction);
            wrong += error * slope < 1e-4 ? 0 : 1;
        } else if ((r.state != SD_TOI_SEPARATED) != cast.isHit) {
            wrong += separationAt(&input, (double)r.time) < 5e-5 ? 0 : 1;
        }
    }
    sdTest_Print("%d hits, %d differ", hits, wrong);
    CHECK_INT(wrong, 0);
    CHECK(hits > 200);
    ShapeZoo_Free(&zoo);
}

SD_TEST(toi_scales_with_the_bodies) {
    TestRandom random = TestRandom_Make(16);
    for (int i = 0; i < 200; ++i) {
        sdShape a = sdShape_Box(0.5f, 0.2f, 0.7f), b = sdShape_Cylinder(0.3f, 0.4f);
        sdToiInput input = randomInput(&random, &a, &b, 2.0f);
        sdToiResult r = sdTimeOfImpact(&input);
        for (int k = -10; k <= 10; k += 10) {
            // powers of two, which change nothing but the exponent
            float s = k < 0 ? 1.0f / 1048576.0f : (k > 0 ? 1048576.0f : 1.0f);
            sdShape sa = sdShape_Box(0.5f * s, 0.2f * s, 0.7f * s);
            sdShape sb = sdShape_Cylinder(0.3f * s, 0.4f * s);
            sdToiInput scaled = input;
            scaled.a = &sa;
            scaled.b = &sb;
            sdSweep* sweeps[2] = {&scaled.sweepA, &scaled.sweepB};
            for (int j = 0; j < 2; ++j) {
                sweeps[j]->center = sdScale(s, sweeps[j]->center);
                sweeps[j]->start.p = sdScale(s, sweeps[j]->start.p);
                sweeps[j]->translation = sdScale(s, sweeps[j]->translation);
            }
            sdToiResult q = sdTimeOfImpact(&scaled);
            CHECK_INT(q.state, r.state);
            CHECK_NEAR(q.time, r.time, 1e-5);
        }
    }
}

SD_TEST(toi_start_touching_inside_parting_and_far) {
    sdShape box = sdShape_Box(1.0f, 1.0f, 1.0f);
    sdQuat q = sdQuat_Identity();
    sdVec3 none = sdV3(0.0f, 0.0f, 0.0f);
    sdToiInput input = {.a = &box, .b = &box};
    input.sweepA = sweepOf(none, q, none, none);
    input.sweepB = input.sweepA;
    sdToiResult r = sdTimeOfImpact(&input);
    CHECK_INT(r.state, SD_TOI_OVERLAPPED);
    CHECK_NEAR(sdLength(r.normal), 1.0, 1e-5);
    input.sweepB.start.p.x = 1.5f;
    r = sdTimeOfImpact(&input);
    CHECK_INT(r.state, SD_TOI_OVERLAPPED);
    CHECK_NEAR(r.normal.x, 1.0, 1e-5);
    // apart and parting, turning as well
    input.sweepB.start.p.x = 2.1f;
    input.sweepB.translation.x = 5.0f;
    CHECK_INT(sdTimeOfImpact(&input).state, SD_TOI_SEPARATED);
    // at rest
    input.sweepB.translation.x = 0.0f;
    CHECK_INT(sdTimeOfImpact(&input).state, SD_TOI_SEPARATED);
    // a corner comes round
    input.sweepB.rotation.z = 1.0f;
    r = sdTimeOfImpact(&input);
    CHECK_INT(r.state, SD_TOI_HIT);
    // from a million metres, both moving
    input.sweepB = sweepOf(sdV3(1e6f, 0.0f, 0.0f), q, sdV3(-1e6f, 0.0f, 0.0f), none);
    input.sweepA.translation.x = 1e6f;
    r = sdTimeOfImpact(&input);
    CHECK_INT(r.state, SD_TOI_HIT);
    CHECK_NEAR(r.time, 0.499999, 1e-6);
    // a target of its own
    input.sweepA = sweepOf(none, q, none, none);
    input.sweepB = sweepOf(sdV3(5.0f, 0.0f, 0.0f), q, sdV3(-5.0f, 0.0f, 0.0f), none);
    input.target = 0.5f;
    CHECK_NEAR(sdTimeOfImpact(&input).time, 0.5, 1e-5);
}

SD_TEST(toi_refuses_bad_input) {
    sdShape box = sdShape_Box(1.0f, 1.0f, 1.0f);
    sdVec3 none = sdV3(0.0f, 0.0f, 0.0f);
    sdToiInput good = {.a = &box, .b = &box};
    good.sweepA = sweepOf(none, sdQuat_Identity(), none, none);
    good.sweepB = sweepOf(sdV3(3.0f, 0.0f, 0.0f), sdQuat_Identity(), none, none);
    CHECK_INT(sdTimeOfImpact(&good).state, SD_TOI_SEPARATED);
    CHECK_INT(sdTimeOfImpact(NULL).status, SD_STATUS_INVALID);
    sdToiInput bad = good;
    bad.a = NULL;
    CHECK_INT(sdTimeOfImpact(&bad).status, SD_STATUS_INVALID);
    bad = good;
    bad.target = -1.0f;
    CHECK_INT(sdTimeOfImpact(&bad).status, SD_STATUS_INVALID);
    bad = good;
    bad.method = SD_TOI_SUBSTEPS;
    CHECK_INT(sdTimeOfImpact(&bad).status, SD_STATUS_INVALID);
    float* numbers[] = {&bad.sweepA.start.p.x,     &bad.sweepA.start.q.s,  &bad.sweepB.center.y,
                        &bad.sweepB.translation.z, &bad.sweepA.rotation.x, &bad.target};
    for (int i = 0; i < 6; ++i) {
        bad = good;
        *numbers[i] = i % 2 == 0 ? TestNaN() : TestInfinity();
        sdToiResult r = sdTimeOfImpact(&bad);
        CHECK_INT(r.status, SD_STATUS_INVALID);
        CHECK(r.time == 0.0f && r.state == SD_TOI_SEPARATED);
    }
}

SD_TEST(toi_pose_turns_about_the_centre) {
    TestRandom random = TestRandom_Make(17);
    for (int i = 0; i < 100; ++i) {
        sdSweep sweep = {.center = TestRandom_InBox(&random, 1.0f),
                         .start = TestRandom_Pose(&random, 3.0f),
                         .translation = TestRandom_InBox(&random, 2.0f),
                         .rotation = TestRandom_InBox(&random, 4.0f)};
        sdTransform start = sdSweep_Pose(&sweep, 0.0f);
        CHECK_NEAR(sdLength(sdSub(start.p, sweep.start.p)), 0.0, 0.0);
        float t = TestRandom_Float(&random, 0.0f, 1.0f);
        sdTransform xf = sdSweep_Pose(&sweep, t);
        sdVec3 center = sdTransformPoint(sweep.start, sweep.center);
        sdVec3 expected = sdMulAdd(center, t, sweep.translation);
        CHECK_NEAR(sdLength(sdSub(sdTransformPoint(xf, sweep.center), expected)), 0.0, 3e-6);
        sdQuat q = sdQuat_Integrate(sweep.start.q, sweep.rotation, t);
        CHECK_NEAR(sdAbsF(sdDotQ(q, xf.q)), 1.0, 1e-5);
    }
}
