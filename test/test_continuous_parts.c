// SPDX-License-Identifier: MIT
// test_continuous_parts.c - what continuous detection is made of: times of impact of balls against
// the general method, the order of impacts against a plain search.

#include "shape_zoo.h"
#include "support.h"

#include "dynamics/agenda.h"
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
