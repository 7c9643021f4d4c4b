// SPDX-License-Identifier: MIT
// tunnelling.c - experiment: fast bodies that are not seen, by discrete, sub-stepped and continuous
// detection (S3 §4, §6.3).

#include "experiments.h"

#include <math.h>

#define RADIUS 0.02f   // m, of the bullet
#define THICKNESS 0.1f // m, of the wall
#define DT (1.0f / 60.0f)

// ---- a bullet and a wall -------------------------------------------------------------------

#define WAY_COUNT 4
static const struct {
    const char* name;
    int subSteps; ///< 0: continuous
} ways[WAY_COUNT] = {{"discrete", 1}, {"4 sub-steps", 4}, {"16 sub-steps", 16}, {"continuous", 0}};
enum { DISCRETE, SUB_4, SUB_16, CONTINUOUS };

/// Whether a bullet is seen, and by how many tests or iterations.
typedef struct Flight {
    bool isSeen;
    int testCount;
} Flight;

/// Along x through the middle of the wall, from `x` on.
static Flight fly(float x, float speed, int subSteps) {
    sdShape wall = sdShape_Box(0.5f * THICKNESS, 1.0f, 1.0f), bullet = sdShape_Sphere(RADIUS);
    float way = speed * DT;
    Flight flight = {false, 0};
    for (; x < THICKNESS && !flight.isSeen; x += way) {
        if (subSteps == 0) {
            sdTransform still = sdTransform_Identity(), start = still;
            start.p.x = x;
            sdToiInput input = {.a = &wall,
                                .b = &bullet,
                                .sweepA = {.start = still},
                                .sweepB = {.start = start, .translation = sdV3(way, 0.0f, 0.0f)},
                                .method = SD_TOI_CONSERVATIVE};
            sdToiResult r = sdTimeOfImpact(&input);
            flight.isSeen = r.state != SD_TOI_SEPARATED;
            flight.testCount += r.iterations;
        }
        for (int i = 1; i <= subSteps && !flight.isSeen; ++i) {
            sdTransform xf = sdTransform_Identity();
            xf.p.x = x + way * (float)i / (float)subSteps;
            flight.isSeen = sdOverlap(&wall, &bullet, xf, NULL).isOverlapping;
            flight.testCount += 1;
        }
    }
    return flight;
}

static void measureBullets(Lab* lab) {
    LabTable* t = Lab_AddTable(lab, "bullets",
                               "A ball of 4 cm through a wall of 10 cm, 60 frames "
                               "a second");
    int speed = LabTable_AddColumn(t, "speed", "m/s"), lost[WAY_COUNT], tests[WAY_COUNT];
    int expected = LabTable_AddColumn(t, "discrete, expected", "%");
    for (int k = 0; k < WAY_COUNT; ++k) {
        lost[k] = LabTable_AddColumn(t, Lab_Text(lab, "%s, lost", ways[k].name), "%");
        tests[k] = LabTable_AddColumn(t, Lab_Text(lab, "%s, tests", ways[k].name), "");
    }
    int flights = Lab_Choose(lab, 50, 200, 2000);
    double off = 0.0, lostContinuous = 0.0, lostSub = 0.0, lostMost = 0.0;
    for (float v = 2.0f; v < 600.0f && Lab_GoesOn(lab); v *= 1.5f) {
        LabTable_AddRow(t, NULL);
        LabTable_Put(t, speed, (double)v);
        double seen = (double)(THICKNESS + 2.0f * RADIUS) / (double)(v * DT);
        LabTable_Put(t, expected, 100.0 * fmax(0.0, 1.0 - seen));
        for (int k = 0; k < WAY_COUNT; ++k) {
            LabSample share = {0}, made = {0};
            for (int batch = 0; batch < 5; ++batch) {
                LabRandom random = LabRandom_Make((uint64_t)batch + 1);
                int lostCount = 0;
                for (int i = 0; i < flights / 5; ++i) {
                    float x = -0.5f * THICKNESS - RADIUS - LabRandom_Float(&random, 0.0f, v * DT);
                    Flight flight = fly(x, v, ways[k].subSteps);
                    lostCount += flight.isSeen ? 0 : 1;
                    LabSample_Add(&made, flight.testCount);
                }
                LabSample_Add(&share, 100.0 * lostCount / (flights / 5));
            }
            LabTable_PutSample(t, lost[k], &share);
            LabTable_Put(t, tests[k], made.mean);
            off = k == DISCRETE ? fmax(off, fabs(share.mean - 100.0 * fmax(0.0, 1.0 - seen))) : off;
            lostContinuous += k == CONTINUOUS ? share.mean : 0.0;
            lostSub = k == SUB_16 ? fmax(lostSub, share.mean) : lostSub;
            lostMost = k == DISCRETE ? fmax(lostMost, share.mean) : lostMost;
        }
    }
    LabPlot plot = {.name = "tunnelling",
                    .title = "Bullets that pass a wall unseen",
                    .text = "Grey: what is left of a step's way when wall and bullet are taken "
                            "off it.",
                    .x = {"speed", "m/s", .isLog = true},
                    .y = {"bullets lost", "%", .from = -2.0, .to = 105.0}};
    LabPlot cost = {.name = "tunnelling-cost",
                    .title = "What it costs to see them",
                    .text = "Tests of the bullet where it stands, or iterations of conservative "
                            "advancement, until it is seen or past.",
                    .x = {"speed", "m/s", .isLog = true},
                    .y = {"tests for a flight", "", .isLog = true}};
    for (int k = 0; k < WAY_COUNT; ++k) {
        plot.series[k] = (LabSeries){t, speed, lost[k], ways[k].name};
        cost.series[k] = (LabSeries){t, speed, tests[k], ways[k].name};
    }
    plot.series[WAY_COUNT] = (LabSeries){t, speed, expected, "discrete, expected", LAB_DOCUMENT};
    Lab_AddPlot(lab, plot);
    Lab_AddPlot(lab, cost);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "Discrete detection loses small fast bodies whose way in a step "
                                   "is longer than they and the wall are.",
                          .document = "§4, figure 4.1, no numbers",
                          .ours = Lab_Text(lab,
                                           "up to %.0f %% are lost; the share is 1 - (w + 2r)/(v "
                                           "dt) to %.1f %%",
                                           lostMost, off),
                          .agrees = lostMost > 80.0 && off < 12.0,
                          .why = "A bullet is seen if one of its places falls into the wall."});
    Lab_AddFinding(
        lab, (LabFinding){.claim = "Shorter steps lessen it and do not end it; continuous methods "
                                   "do.",
                          .document = "§4.1",
                          .ours = Lab_Text(lab,
                                           "16 sub-steps lose up to %.0f %%, continuous detection "
                                           "%.0f",
                                           lostSub, lostContinuous),
                          .agrees = lostSub > 5.0 && lostSub < lostMost && lostContinuous <= 0.0,
                          .why = "Sub-steps move the speed at which it begins by their number; "
                                 "conservative advancement never goes further than the distance "
                                 "allows."});
}

// ---- bodies that both move and turn --------------------------------------------------------

#define METHOD_COUNT 5
static const struct {
    const char* name;
    sdToiMethod method;
    int subSteps;
} methods[METHOD_COUNT] = {{"4 sub-steps", SD_TOI_SUBSTEPS, 4},
                           {"16 sub-steps", SD_TOI_SUBSTEPS, 16},
                           {"bisection", SD_TOI_BISECTION, 0},
                           {"conservative advancement", SD_TOI_CONSERVATIVE, 0},
                           {"swept volume", SD_TOI_SWEPT_VOLUME, 0}};
enum { BISECTION = 2, CONSERVATIVE, SWEPT };

/// Places at which the truth is looked at: finer than the thinnest body goes.
#define TRUTH_STEPS 1000

static sdSweep drawSweep(LabRandom* random) {
    return (sdSweep){.start = {LabRandom_InBox(random, 2.0f), LabRandom_Rotation(random)},
                     .translation = LabRandom_InBox(random, 3.0f),
                     .rotation = sdScale(3.0f, LabRandom_OnSphere(random))};
}

static bool touches(const sdToiInput* input) {
    bool isTouching = false;
    for (int i = 0; i <= TRUTH_STEPS && !isTouching; ++i) {
        float time = (float)i / TRUTH_STEPS;
        sdTransform a = sdSweep_Pose(&input->sweepA, time), b = sdSweep_Pose(&input->sweepB, time);
        isTouching = sdOverlap(input->a, input->b, sdInvMulXf(a, b), NULL).isOverlapping;
    }
    return isTouching;
}

static void measureMethods(Lab* lab) {
    LabTable* t = Lab_AddTable(lab, "methods", "Thin rods that fly and turn past each other");
    int missed = LabTable_AddColumn(t, "hits missed", "%");
    int wrong = LabTable_AddColumn(t, "false hits", "%");
    int iterations = LabTable_AddColumn(t, "iterations", "");
    sdShape rodA = sdShape_Box(1.0f, 0.02f, 0.02f), rodB = sdShape_Box(0.02f, 0.6f, 0.02f);
    int missedCount[METHOD_COUNT] = {0}, wrongCount[METHOD_COUNT] = {0}, hits = 0, misses = 0;
    LabSample made[METHOD_COUNT] = {0};
    LabRandom random = LabRandom_Make(1);
    for (int i = 0; i < Lab_Choose(lab, 150, 1500, 20000) && Lab_GoesOn(lab); ++i) {
        sdToiInput input = {
            .a = &rodA, .b = &rodB, .sweepA = drawSweep(&random), .sweepB = drawSweep(&random)};
        bool isHit = touches(&input);
        hits += isHit ? 1 : 0;
        misses += isHit ? 0 : 1;
        for (int k = 0; k < METHOD_COUNT; ++k) {
            input.method = methods[k].method;
            input.subStepCount = methods[k].subSteps;
            sdToiResult r = sdTimeOfImpact(&input);
            bool isSaid = r.state != SD_TOI_SEPARATED;
            missedCount[k] += isHit && !isSaid ? 1 : 0;
            wrongCount[k] += !isHit && isSaid ? 1 : 0;
            LabSample_Add(&made[k], r.iterations);
        }
    }
    for (int k = 0; k < METHOD_COUNT; ++k) {
        LabTable_AddRow(t, methods[k].name);
        LabTable_Put(t, missed, 100.0 * missedCount[k] / sdMaxI(hits, 1));
        LabTable_Put(t, wrong, 100.0 * wrongCount[k] / sdMaxI(misses, 1));
        LabTable_PutSample(t, iterations, &made[k]);
    }
    Lab_AddNote(lab, "%d of %d flights hit, by %d places looked at on each.", hits, hits + misses,
                TRUTH_STEPS);
    Lab_AddPlot(lab, (LabPlot){.name = "methods",
                               .title = "Rods that fly and turn: wrong answers by method",
                               .text = "Share of the hits that are missed, and of the misses that "
                                       "are called hits.",
                               .x = {"method", ""},
                               .y = {"share", "%"},
                               .series = {{t, 0, missed, "hits missed", LAB_BARS},
                                          {t, 0, wrong, "false hits", LAB_BARS}}});
    double few = LabTable_Get(t, 0, missed), more = LabTable_Get(t, 1, missed);
    Lab_AddFinding(
        lab,
        (LabFinding){.claim = "Sub-tests that are too coarse miss collisions.",
                     .document = "§4.2, after Ericson and Jimenez, Thomas, Torras",
                     .ours = Lab_Text(lab,
                                      "%.0f %% of the hits are missed by 4 sub-steps, %.0f "
                                      "%% by 16, %d by bisection and %d by conservative "
                                      "advancement",
                                      few, more, missedCount[BISECTION], missedCount[CONSERVATIVE]),
                     .agrees = few > more && more > 1.0 && missedCount[BISECTION] == 0 &&
                               missedCount[CONSERVATIVE] == 0,
                     .why = "The rods are 4 cm thick and go metres."});
    Lab_AddFinding(
        lab, (LabFinding){.claim = "Swept volumes of two moving bodies meet though the bodies do "
                                   "not.",
                          .document = "§4.2, figure 4.3",
                          .ours = Lab_Text(lab,
                                           "%.0f %% of the misses are called hits; no hit is "
                                           "missed (%d)",
                                           LabTable_Get(t, SWEPT, wrong), missedCount[SWEPT]),
                          .agrees = LabTable_Get(t, SWEPT, wrong) > 10.0 && missedCount[SWEPT] == 0,
                          .why = "They are at the same place at different times."});
}

// ---- what bisection costs ------------------------------------------------------------------

static int countIterations(sdToiMethod method, float gap) {
    // past the edge of a wall, at a distance
    sdShape wall = sdShape_Box(0.5f, 0.5f, 0.5f), bullet = sdShape_Sphere(RADIUS);
    sdTransform still = sdTransform_Identity(), start = still;
    start.p = sdV3(-2.0f, 0.5f + RADIUS + gap, 0.0f);
    sdToiInput input = {.a = &wall,
                        .b = &bullet,
                        .sweepA = {.start = still},
                        .sweepB = {.start = start, .translation = sdV3(4.0f, 0.0f, 0.0f)},
                        .method = method};
    return sdTimeOfImpact(&input).iterations;
}

static void measureGrazing(Lab* lab) {
    LabTable* t = Lab_AddTable(lab, "grazing", "A ball past a wall of 1 m at a distance");
    int gap = LabTable_AddColumn(t, "distance", "m");
    int bisection = LabTable_AddColumn(t, "bisection, iterations", "");
    int advancement = LabTable_AddColumn(t, "conservative advancement, iterations", "");
    for (float d = 0.5f; d > 0.002f && Lab_GoesOn(lab); d *= 0.5f) {
        LabTable_AddRow(t, NULL);
        LabTable_Put(t, gap, (double)d);
        LabTable_Put(t, bisection, countIterations(SD_TOI_BISECTION, d));
        LabTable_Put(t, advancement, countIterations(SD_TOI_CONSERVATIVE, d));
    }
    Lab_AddPlot(lab, (LabPlot){.name = "grazing",
                               .title = "Flights past a wall",
                               .text = "The nearer it passes, the more intervals of time cannot "
                                       "be left out.",
                               .x = {"distance at which it passes", "m", .isLog = true},
                               .y = {"iterations", "", .isLog = true},
                               .series = {{t, gap, bisection, "bisection"},
                                          {t, gap, advancement, "conservative advancement"}}});
    double p = LabTable_FitExponent(t, gap, bisection);
    int hit = countIterations(SD_TOI_BISECTION, -0.5f - RADIUS);
    double near = LabTable_Get(t, LabTable_GetRowCount(t) - 1, bisection);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "The recursive algorithm takes O(log n).",
                          .document = "§4.2, algorithm 4.1",
                          .ours = Lab_Text(lab,
                                           "%d iterations for a flight into the wall, %.0f for one "
                                           "that passes at 4 mm: (distance)^%.2f",
                                           hit, near, p),
                          .agrees = near < 2.0 * hit && p > -0.2,
                          .isExplained = p < -0.5 && near > 2.0 * hit,
                          .why = "Only a hit is found by halving one interval; while a body passes "
                                 "near another, neither half can be left out. (As printed, the "
                                 "first recursive call also drops the time of the hit.)"});
}

static void run(Lab* lab) {
    Lab_AddSetting(lab, "flights", "%d a speed", Lab_Choose(lab, 50, 200, 2000));
    measureBullets(lab);
    measureMethods(lab);
    measureGrazing(lab);
}

const LabExperiment labTunnelling = {
    .name = "tunnelling",
    .title = "Fast bodies: discrete and continuous detection",
    .source = "S3 §4, §6.3",
    .question = "How many fast bodies are lost by each way of looking, and what does it cost to "
                "lose none?",
    .setup = "First a ball of 4 cm flies through a wall of 10 cm at 60 frames a second, from a "
             "random place before it: tested where it stands in each frame, in sub-steps, or by "
             "its time of impact. Then two thin rods that fly and turn, by each method for the "
             "time of impact. Then flights that just pass a wall.",
    .document = "Discrete detection may miss small fast bodies; shorter steps lessen that at a "
                "price; swept volumes of two moving bodies give false hits; adaptive sampling by "
                "the distance, and bisection by algorithm 4.1, which is said to be O(log n), miss "
                "none.",
    .run = run,
};
