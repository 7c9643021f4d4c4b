// SPDX-License-Identifier: MIT
// test_continuous_parts.c - what continuous detection is made of: times of impact of balls against
// the general method, what is told to pass without it, ways in lanes, the order of impacts against
// a plain search.

#include "shape_zoo.h"
#include "support.h"

#include "dynamics/agenda.h"
#include "dynamics/meeting.h"
#include "dynamics/way.h"
#include "dynamics/way_block.h"
#include "narrow/toi.h"

#include <math.h>

// ---- balls ---------------------------------------------------------------------------------

static sdToiInput randomBall(TestRandom* random, const sdShape* ball, const sdShape* other) {
    sdToiInput input = {.a = ball, .b = other, .target = 1e-4f};
    sdVec3 from = TestRandom_InBox(random, 3.0f), to = TestRandom_InBox(random, 1.0f);
    bool turns = TestRandom_Int(random, 2) == 0;
    sdVec3 zero = {0.0f, 0.0f, 0.0f};
    input.sweepA = (sdSweep){.start = sdTransform_Make(from, TestRandom_Rotation(random)),
                             .translation = sdScale(2.0f, sdSub(to, from)),
                             .rotation = TestRandom_InBox(random, 3.0f)};
    input.sweepB = (sdSweep){.start = sdTransform_Make(zero, TestRandom_Rotation(random)),
                             .center = TestRandom_InBox(random, 0.2f),
                             .translation = TestRandom_InBox(random, 0.5f),
                             .rotation = turns ? TestRandom_InBox(random, 2.0f) : zero};
    return input;
}

SD_TEST(ccd_balls_meet_when_the_general_method_says) {
    ShapeZoo zoo;
    ShapeZoo_Init(&zoo);
    TestRandom random = TestRandom_Make(11);
    int counts[3] = {0}, differences = 0, trials = 2000 * TestScale();
    for (int i = 0; i < trials; ++i) {
        sdShape other = ShapeZoo_Pick(&zoo, &random);
        sdShape ball = sdShape_Sphere(TestRandom_Float(&random, 0.01f, 0.3f));
        sdToiInput input = randomBall(&random, &ball, &other);
        CHECK(sdToi_IsBallPair(&input));
        sdToiResult quick = sdToi_AdvanceBall(&input), general = sdTimeOfImpact(&input);
        counts[quick.state] += 1;
        // both stop within a quarter of the target; a grazing way makes much of that
        float way = sdLength(input.sweepA.translation);
        bool isSame = quick.state == general.state &&
                      (quick.state != SD_TOI_HIT || fabsf(quick.time - general.time) * way < 0.05f);
        if (!isSame) {
            sdToiInput nearer = input;
            nearer.target = 2.0f * input.target;
            sdToiResult early = sdTimeOfImpact(&nearer);
            nearer.target = 0.5f * input.target;
            sdToiResult late = sdTimeOfImpact(&nearer);
            bool isBetween = quick.state == SD_TOI_HIT
                                 ? early.state == SD_TOI_HIT && quick.time >= early.time - 1e-4f
                                 : late.state != SD_TOI_HIT;
            differences += isBetween ? 0 : 1;
        }
    }
    sdTest_Print("%d trials: %d apart, %d hits, %d overlaps; %d disagreements", trials, counts[0],
                 counts[1], counts[2], differences);
    CHECK_INT(differences, 0);
    CHECK(counts[SD_TOI_HIT] > trials / 10 && counts[SD_TOI_SEPARATED] > trials / 10);
    ShapeZoo_Free(&zoo);
}

// ---- what passes ---------------------------------------------------------------------------

typedef struct Pass {
    sdShape ball, shape;
    sdToiInput input;
    sdPassing passing;
} Pass;

static sdShape shapeWithBox(TestRandom* random) {
    float a = TestRandom_Float(random, 0.02f, 0.5f), b = TestRandom_Float(random, 0.02f, 0.5f);
    switch (TestRandom_Int(random, 5)) {
        case 0:
            return sdShape_Sphere(a);
        case 1:
            return sdShape_Capsule(a, b);
        case 2:
            return sdShape_Cylinder(a, b);
        case 3:
            return sdShape_Cone(a, b);
        default:
            return sdShape_Box(a, b, TestRandom_Float(random, 0.02f, 5.0f));
    }
}

/// A ball that passes a shape on a body that may turn: near it, or just off its surface.
static void makePass(TestRandom* random, Pass* pass) {
    sdVec3 zero = {0.0f, 0.0f, 0.0f}, to = TestRandom_InBox(random, 0.7f);
    sdVec3 from = TestRandom_InBox(random, 3.0f), way = sdScale(2.0f, sdSub(to, from));
    pass->ball = sdShape_Sphere(TestRandom_Float(random, 0.01f, 0.3f));
    pass->shape = shapeWithBox(random);
    sdTransform start = {TestRandom_InBox(random, 0.2f), TestRandom_Rotation(random)};
    float speed = TestRandom_Int(random, 2) == 0 ? TestRandom_Float(random, 0.001f, 2.0f) : 0.0f;
    sdVec3 spin = sdScale(speed, TestRandom_InBox(random, 1.0f));
    sdVec3 carried = TestRandom_InBox(random, 0.5f);
    if (TestRandom_Int(random, 2) == 0) {
        sdTransform xf = {sdInvTransformPoint(start, from), sdQuat_Identity()};
        sdSeparation at = sdDistance(&pass->shape, &pass->ball, xf, NULL);
        float gap = TestRandom_Float(random, 2e-5f, 2e-4f);
        from = sdMulAdd(from, gap - at.separation, sdRotate(start.q, at.normal));
        way = TestRandom_InBox(random, 3.0f);
    }
    pass->input = (sdToiInput){
        .a = &pass->ball,
        .b = &pass->shape,
        .target = SD_MEETING_TARGET,
        .sweepA = {.start = {from, sdQuat_Identity()}, .translation = sdAdd(way, carried)},
        .sweepB = {.center = sdInvTransformPoint(start, zero),
                   .start = start,
                   .translation = carried,
                   .rotation = spin},
    };
    bool isPoseNow = TestRandom_Int(random, 2) == 0;
    sdTransform end = sdSweep_Pose(&pass->input.sweepB, 1.0f);
    end.p = sdSub(end.p, carried);
    sdAABB box = sdShape_GetBounds(&pass->shape, sdTransform_Identity());
    pass->passing = (sdPassing){
        .shape = &pass->shape,
        .frame = isPoseNow ? start : end,
        .turnWay = sdLength(spin) * (sdLength(start.p) + sdLength(box.upper)),
        .isPoseNow = isPoseNow || speed == 0.0f,
        .center = from,
        .motion = way,
        .radius = pass->ball.sphere.radius,
        .part = TestRandom_Float(random, 0.2f, 2.0f),
        .isBall = TestRandom_Int(random, 4) != 0,
    };
}

typedef enum PassKind { PASS_MEETS, PASS_APART, PASS_PARTS } PassKind;

/// By the time of impact. Two that touch and part meet if they come half as near.
static PassKind kindOf(const Pass* pass) {
    sdToiInput input = pass->input;
    sdToiResult hit = sdTimeOfImpact(&input);
    if (hit.state == SD_TOI_SEPARATED || hit.time > pass->passing.part) {
        return PASS_APART;
    }
    if (hit.state == SD_TOI_OVERLAPPED || hit.time > 0.0f || !pass->passing.isBall) {
        return PASS_MEETS;
    }
    sdTransform xf = sdInvMulXf(input.sweepA.start, input.sweepB.start);
    input.target = 0.5f * sdDistance(input.a, input.b, xf, NULL).separation;
    return sdTimeOfImpact(&input).state == SD_TOI_SEPARATED ? PASS_PARTS : PASS_MEETS;
}

SD_TEST(ccd_what_is_told_to_pass_does_not_meet) {
    TestRandom random = TestRandom_Make(23);
    int counts[3] = {0}, told[3] = {0}, trials = 20000 * TestScale();
    for (int i = 0; i < trials; ++i) {
        Pass pass;
        makePass(&random, &pass);
        PassKind kind = kindOf(&pass);
        counts[kind] += 1;
        told[kind] += sdPassing_MayTouch(&pass.passing) ? 0 : 1;
    }
    sdTest_Print("%d meet, %d told to pass; %d of %d that pass, %d of %d that part", counts[0],
                 told[0], told[1], counts[1], told[2], counts[2]);
    CHECK_INT(told[PASS_MEETS], 0);
    CHECK(counts[PASS_MEETS] > trials / 10);
    CHECK(5 * told[PASS_APART] > 2 * counts[PASS_APART]);
    CHECK(4 * told[PASS_PARTS] > counts[PASS_PARTS]);
}

// ---- ways in lanes -------------------------------------------------------------------------

static sdAABB boxOfBall(sdVec3 from, sdVec3 to, float radius) {
    return sdAABB_Grow((sdAABB){sdMin(from, to), sdMax(from, to)}, radius);
}

static void setLane(sdWayBlock* block, int lane, sdAABB box) {
    sdVec3x8_SetLane(&block->lower, lane, box.lower);
    sdVec3x8_SetLane(&block->upper, lane, box.upper);
}

/// Short or long.
static sdWayLine randomLine(TestRandom* random) {
    sdVec3 start = TestRandom_InBox(random, 2.0f);
    sdVec3 motion = TestRandom_InBox(random, TestRandom_Int(random, 2) == 0 ? 0.2f : 3.0f);
    float radius = TestRandom_Float(random, 0.01f, 0.3f),
          now = TestRandom_Float(random, 0.0f, 1.0f);
    return (sdWayLine){.box = boxOfBall(start, sdAdd(start, motion), radius),
                       .start = start,
                       .motion = motion,
                       .radius = radius,
                       .now = now,
                       .part = TestRandom_Float(random, 0.0f, 1.0f)};
}

/// By which the balls of two ways are apart where they are nearest, from `a->now` on.
static double gapOf(const sdWayLine* a, const sdWayLine* b) {
    double square = 0.0, along = 0.0, slope = 0.0, d[3], v[3];
    const float from[3] = {b->start.x - a->start.x, b->start.y - a->start.y,
                           b->start.z - a->start.z};
    const float way[3] = {b->motion.x - a->motion.x, b->motion.y - a->motion.y,
                          b->motion.z - a->motion.z};
    double rest = 1.0 - (double)a->now;
    for (int i = 0; i < 3; ++i) {
        d[i] = (double)from[i] + (double)a->now * (double)way[i];
        v[i] = rest * (double)way[i];
        slope += v[i] * v[i];
        along -= v[i] * d[i];
    }
    double t = fmin(fmax(along / fmax(slope, 1e-30), 0.0), (double)a->part);
    for (int i = 0; i < 3; ++i) {
        square += (d[i] + t * v[i]) * (d[i] + t * v[i]);
    }
    return sqrt(square) - (double)a->radius - (double)b->radius;
}

SD_TEST(ccd_ways_in_lanes_are_found_when_balls_meet) {
    enum { BLOCKS = 13, TOPS = 2, WAYS = BLOCKS * SD_LANES };
    TestRandom random = TestRandom_Make(31);
    sdWayBlock blocks[BLOCKS], tops[TOPS];
    sdWayLine ways[WAYS];
    sdAABB nowhere = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    for (int i = 0; i < TOPS * SD_LANES; ++i) {
        setLane(&tops[i / SD_LANES], i % SD_LANES, nowhere);
    }
    for (int i = 0; i < BLOCKS; ++i) {
        sdAABB around = nowhere;
        for (int lane = 0; lane < SD_LANES; ++lane) {
            sdWayLine* way = &ways[i * SD_LANES + lane];
            *way = randomLine(&random);
            setLane(&blocks[i], lane, way->box);
            sdVec3x8_SetLane(&blocks[i].start, lane, way->start);
            sdVec3x8_SetLane(&blocks[i].motion, lane, way->motion);
            sdF8_SetLane(&blocks[i].radius, lane, way->radius);
            around = sdAABB_Union(around, way->box);
        }
        setLane(&tops[i / SD_LANES], i % SD_LANES, around);
    }
    int met = 0, near = 0, missed = 0, idle = 0, early = 0, trials = 2000 * TestScale();
    for (int i = 0; i < trials; ++i) {
        bool isFound[WAYS] = {false};
        sdWayLine line = randomLine(&random);
        int begin = TestRandom_Int(&random, BLOCKS);
        for (int block = begin; block < BLOCKS;) {
            uint64_t mask;
            int first = SD_DISPATCH(sdWayBlock_FindNext)(tops, blocks, block, BLOCKS, &line, &mask);
            CHECK(mask != 0 || first >= WAYS);
            for (; mask != 0; mask &= mask - 1) {
                isFound[first + __builtin_ctzll(mask)] = true;
            }
            block = first / SD_LANES + SD_LANES;
        }
        for (int j = 0; j < WAYS; ++j) {
            double gap = gapOf(&line, &ways[j]);
            bool isAsked = j >= begin * SD_LANES;
            met += isAsked && gap < 0.0 ? 1 : 0;
            near += isAsked && gap < 1e-3 ? 1 : 0;
            missed += isAsked && gap < 0.0 && !isFound[j] ? 1 : 0;
            idle += gap >= 1e-3 && isFound[j] ? 1 : 0;
            early += !isAsked && isFound[j] ? 1 : 0;
        }
    }
    sdTest_Print("%d meet or nearly, %d missed, %d found that do not", near, missed, idle);
    CHECK_INT(missed + idle + early, 0);
    CHECK(met > trials / 10);
}

// ---- order ---------------------------------------------------------------------------------

SD_TEST(ccd_agenda_knows_the_first_impact_and_who_waits) {
    enum { BODIES = 37 };
    TestContext test;
    TestContext_Init(&test);
    sdArena arena;
    sdArena_Init(&arena, &test.context.allocator);
    sdAgenda agenda;
    float times[BODIES];
    int others[BODIES];
    TestRandom random = TestRandom_Make(5);
    REQUIRE(sdAgenda_Alloc(&agenda, &arena, BODIES));
    sdAgenda_Clear(&agenda);
    CHECK_INT(sdAgenda_First(&agenda), 0);
    for (int i = 0; i < BODIES; ++i) {
        times[i] = SD_NEVER;
        others[i] = SD_NULL_INDEX;
    }
    for (int i = 0; i < 5000; ++i) {
        int flight = TestRandom_Int(&random, BODIES);
        bool isMet = TestRandom_Int(&random, 4) != 0;
        // few different times, so that many are equal
        times[flight] = isMet ? 0.05f * (float)TestRandom_Int(&random, 20) : SD_NEVER;
        others[flight] = isMet ? TestRandom_Int(&random, BODIES) : SD_NULL_INDEX;
        sdAgenda_Set(&agenda, flight, times[flight], others[flight]);
        int first = 0, waiting = 0, counted = 0, body = TestRandom_Int(&random, BODIES);
        for (int j = 0; j < BODIES; ++j) {
            first = times[j] < times[first] ? j : first;
            waiting += others[j] == body ? 1 : 0;
        }
        for (int j = agenda.firstWaiting[body]; j != SD_NULL_INDEX; j = agenda.next[j]) {
            CHECK_INT(others[j], body);
            counted += 1;
        }
        CHECK_INT(sdAgenda_First(&agenda), first);
        CHECK_INT(counted, waiting);
    }
    sdArena_Free(&arena);
    TestContext_Finish(&test);
}
