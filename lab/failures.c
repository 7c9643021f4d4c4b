// SPDX-License-Identifier: MIT
// failures.c - experiment: scenes that end wrongly when a part of the method is taken away: a row
// of billiard balls with too few collision passes or without rolling friction, a seesaw by shock
// propagation alone, dominoes in a ring (S2 §12, figures 28 to 32).

#include "experiments.h"
#include "scene_run.h"

#include <math.h>

// ---- billiards: collision passes (figures 30 and 31) ---------------------------------------

#define ROW_COUNT 3
static const int rows[ROW_COUNT] = {3, 6, 12};
#define STRIKE_SPEED 2.0 // m/s

/// Speeds just after the row was struck.
typedef struct Blow {
    double last;   ///< of the last ball, share of the striker's
    double others; ///< the fastest of the others, the same
} Blow;

static Blow strike(Lab* lab, int balls, int passes, uint32_t seed) {
    LabScene run;
    Blow blow = {0.0, 0.0};
    sdWorldDef def = LabScene_GetDocumentDef("billiards");
    def.impulse.collisionPassCount = passes;
    def.impulse.seed = seed;
    if (!LabScene_Start(&run, lab, "billiards", &def, balls)) {
        return blow;
    }
    // body 0 is the table, then come the balls of the row, then the one that strikes
    int striker = run.bodyCount - 1;
    bool goesOn = true;
    for (int i = 0; i < 120 && goesOn && LabScene_GetVelocity(&run, striker).x > 1.5f; ++i) {
        goesOn = LabScene_Step(&run, run.scene->dt);
    }
    LabScene_Steps(&run, 2);
    blow.last = (double)LabScene_GetVelocity(&run, striker - 1).x / STRIKE_SPEED;
    for (int i = 1; i < striker - 1; ++i) {
        blow.others =
            fmax(blow.others, (double)sdLength(LabScene_GetVelocity(&run, i)) / STRIKE_SPEED);
    }
    LabScene_Stop(&run);
    return blow;
}

/// The last ball goes, the others stay.
static bool isRight(double last, double others) {
    return last > 0.75 && others < 0.05;
}

static void measureBilliards(Lab* lab) {
    LabTable* t = Lab_AddTable(lab, "billiards", "A row of balls just after it was struck");
    int passes = LabTable_AddColumn(t, "collision passes", ""), last[ROW_COUNT], others[ROW_COUNT];
    for (int k = 0; k < ROW_COUNT; ++k) {
        last[k] = LabTable_AddColumn(t, Lab_Text(lab, "%d balls, the last", rows[k]), "% of speed");
        others[k] =
            LabTable_AddColumn(t, Lab_Text(lab, "%d balls, fastest other", rows[k]), "% of speed");
    }
    static const int counts[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 30, 60};
    int wrongUpTo[ROW_COUNT] = {0};
    Blow four = {0}, most = {0};
    for (int i = 0; i < (int)(sizeof counts / sizeof counts[0]) && Lab_GoesOn(lab); ++i) {
        if (Lab_GetSize(lab) == LAB_SMALLEST && counts[i] > 6 && counts[i] < 60) {
            continue;
        }
        LabTable_AddRow(t, NULL);
        LabTable_Put(t, passes, counts[i]);
        for (int k = 0; k < ROW_COUNT; ++k) {
            LabSample end = {0}, rest = {0};
            for (int seed = 1; seed <= Lab_Choose(lab, 1, 5, 20) && Lab_GoesOn(lab); ++seed) {
                Blow blow = strike(lab, rows[k], counts[i], (uint32_t)seed);
                LabSample_Add(&end, 100.0 * blow.last);
                LabSample_Add(&rest, 100.0 * blow.others);
            }
            LabTable_PutSample(t, last[k], &end);
            LabTable_PutSample(t, others[k], &rest);
            Blow mean = {end.mean / 100.0, rest.mean / 100.0};
            wrongUpTo[k] = isRight(mean.last, mean.others) ? wrongUpTo[k] : counts[i];
            four = k == ROW_COUNT - 1 && counts[i] == 4 ? mean : four;
            most = k == ROW_COUNT - 1 ? mean : most;
        }
    }
    LabPlot plot = {
        .name = "billiards-passes",
        .title = "The last ball of a row by collision passes (figures 30 and 31)",
        .text = "What friction leaves of the striker's speed reaches the last ball when there are "
                "passes enough. Bars: "
                "spread over orders of the pairs.",
        .x = {"collision passes a step", "", .isLog = true},
        .y = {"speed of the last ball", "% of the striker's"}};
    for (int k = 0; k < ROW_COUNT; ++k) {
        plot.series[k] = (LabSeries){t, passes, last[k], Lab_Text(lab, "%d balls", rows[k])};
    }
    Lab_AddPlot(lab, plot);
    Lab_AddFinding(
        lab, (LabFinding){
                 .claim = "With too few collision passes the balls do not bounce correctly.",
                 .document = "figure 31: 4 passes are not enough",
                 .ours = Lab_Text(lab,
                                  "12 balls, 4 passes: the last leaves with %.0f %% of the "
                                  "speed, another with %.0f %%; with 60 passes %.0f %% and "
                                  "%.1f %%. Wrong up to %d, %d and %d passes for 3, 6 and 12 "
                                  "balls",
                                  100.0 * four.last, 100.0 * four.others, 100.0 * most.last,
                                  100.0 * most.others, wrongUpTo[0], wrongUpTo[1], wrongUpTo[2]),
                 .agrees = !isRight(four.last, four.others) && isRight(most.last, most.others),
                 .why = "A pass in an unlucky order carries the blow on by one ball only, so a "
                        "row needs about as many passes as it has balls."});
}

// ---- billiards: rolling friction (figure 30) -----------------------------------------------

static bool startRolling(LabScene* run, Lab* lab, bool hasRollingFriction) {
    sdWorldDef def = sdScene_GetWorldDef(sdScene_Find("billiards"));
    if (!LabScene_Start(run, lab, "billiards", &def, 3)) {
        return false;
    }
    for (int i = 0; i < run->bodyCount && !hasRollingFriction; ++i) {
        sdShapeId shape;
        sdBody_GetShapes(run->world, run->bodies[i], &shape, 1);
        sdMaterial material = sdShapeId_GetDef(run->world, shape)->material;
        material.rollingFriction = 0.0f;
        Lab_Check(lab, sdShapeId_SetMaterial(run->world, shape, material), "a material");
    }
    return true;
}

static void measureRolling(Lab* lab) {
    LabTable* t = Lab_AddTable(lab, "rolling", "The last ball of three, after the strike");
    int time = LabTable_AddColumn(t, "time", "s"), speed[2];
    speed[0] = LabTable_AddColumn(t, "static friction alone", "m/s");
    speed[1] = LabTable_AddColumn(t, "with rolling friction", "m/s");
    LabScene runs[2];
    bool goesOn = startRolling(&runs[0], lab, false) && startRolling(&runs[1], lab, true);
    double end[2] = {0.0, 0.0}, middle = 0.0;
    for (int i = 1; i <= Lab_Choose(lab, 100, 120, 120) && goesOn; ++i) {
        LabTable_AddRow(t, NULL);
        LabTable_Put(t, time, i / 10.0);
        for (int k = 0; k < 2; ++k) {
            goesOn = LabScene_Steps(&runs[k], 6) && goesOn;
            end[k] = (double)LabScene_GetVelocity(&runs[k], 3).x;
            LabTable_Put(t, speed[k], end[k]);
        }
        middle = i == 40 ? end[0] : middle;
    }
    LabScene_Stop(&runs[0]);
    LabScene_Stop(&runs[1]);
    Lab_AddPlot(lab,
                (LabPlot){.name = "rolling",
                          .title = "The last ball rolls on, or stops (figure 30)",
                          .text = "Static friction makes it roll and then does nothing more.",
                          .x = {"time", "s"},
                          .y = {"speed", "m/s"},
                          .series = {{t, time, speed[0], "static friction alone", LAB_CURVE},
                                     {t, time, speed[1], "with rolling friction", LAB_CURVE}}});
    Lab_AddFinding(
        lab, (LabFinding){.claim = "Rolling friction stops the last ball; with static friction "
                                   "alone it never stops.",
                          .document = "figure 30",
                          .ours = Lab_Text(lab,
                                           "with: %.3f m/s in the end; without: %.3f m/s after 4 "
                                           "s, %.3f m/s in the end",
                                           end[1], middle, end[0]),
                          .agrees = fabs(end[1]) < 0.01 && middle > 0.5 &&
                                    fabs(end[0] - middle) < 0.01 * middle,
                          .why = "A ball that rolls does not slip, so static friction has nothing "
                                 "to act on. (Its coefficient is a length: the document's formula "
                                 "for the limit lacks that.)"});
}

// ---- seesaw (figure 28) --------------------------------------------------------------------

#define SEESAW_PLANK 2

static void measureSeesaw(Lab* lab) {
    LabTable* t = Lab_AddTable(lab, "seesaw", "Tilt of the plank");
    int time = LabTable_AddColumn(t, "time", "s"), tilt[2];
    tilt[0] = LabTable_AddColumn(t, "10 contact passes, then shock", "");
    tilt[1] = LabTable_AddColumn(t, "shock propagation alone", "");
    LabScene runs[2];
    double lowest[2] = {0.0, 0.0}, highest[2] = {0.0, 0.0};
    bool goesOn = true;
    for (int k = 0; k < 2; ++k) {
        sdWorldDef def = LabScene_GetDocumentDef("seesaw");
        if (k == 1) {
            def.impulse.contactPassCount = def.impulse.collisionPassCount = 0;
        }
        goesOn = LabScene_Start(&runs[k], lab, "seesaw", &def, 0) && goesOn;
    }
    for (int i = 1; i <= 160 && goesOn; ++i) {
        LabTable_AddRow(t, NULL);
        LabTable_Put(t, time, i / 20.0);
        for (int k = 0; k < 2; ++k) {
            goesOn = LabScene_Steps(&runs[k], 3) && goesOn;
            double now = LabScene_GetTilt(&runs[k], SEESAW_PLANK);
            LabTable_Put(t, tilt[k], now);
            lowest[k] = fmin(lowest[k], now);
            highest[k] = fmax(highest[k], now);
        }
    }
    LabScene_Stop(&runs[0]);
    LabScene_Stop(&runs[1]);
    Lab_AddPlot(lab, (LabPlot){.name = "seesaw",
                               .title = "A seesaw with a light and a heavy cube (figure 28)",
                               .text = "Below zero the heavy cube's end is down; when it has slid "
                                       "off, the light one tips the plank back.",
                               .x = {"time", "s"},
                               .y = {"tilt of the plank (sine)", ""},
                               .series = {{t, time, tilt[0], "passes, then shock", LAB_CURVE},
                                          {t, time, tilt[1], "shock alone", LAB_CURVE}}});
    Lab_AddFinding(
        lab, (LabFinding){
                 .claim = "The heavy cube tips the seesaw; when it has slid off, the "
                          "light one tips it back.",
                 .document = "figure 28",
                 .ours = Lab_Text(lab, "tilt down to %.2f, then up to %.2f", lowest[0], highest[0]),
                 .agrees = lowest[0] < -0.2 && highest[0] > 0.1,
                 .why = "Contact passes let the plank feel the weight of both cubes."});
    Lab_AddFinding(
        lab,
        (LabFinding){.claim = "With shock propagation alone the seesaw stays where it is.",
                     .document = "§8.4, figure 20, and §12",
                     .ours = Lab_Text(lab, "tilt between %.4f and %.4f", lowest[1], highest[1]),
                     .agrees = lowest[1] > -0.01 && highest[1] < 0.01,
                     .why = "The plank counts as fixed before the heavy cube is asked."});
}

// ---- dominoes in a ring (figures 18 and 32) ------------------------------------------------

static void measureRing(Lab* lab) {
    LabScene run;
    sdWorldDef def = LabScene_GetDocumentDef("domino-ring");
    if (!LabScene_Start(&run, lab, "domino-ring", &def, Lab_Choose(lab, 12, 20, 60))) {
        return;
    }
    int largest = 0, levels[LAB_SCENE_MAX_BODIES];
    bool goesOn = true;
    for (int i = 0; i < 90 && goesOn; ++i) {
        goesOn = LabScene_Steps(&run, 10) &&
                 Lab_Check(lab, sdWorld_FindLevels(run.world, levels, run.bodyCount), "levels");
        // whoever lies in the ring stands on one level with all others of it
        int counts[LAB_SCENE_MAX_BODIES] = {0};
        for (int k = 1; k < run.bodyCount && goesOn; ++k) {
            largest = sdMaxI(largest, ++counts[sdMinI(levels[k], run.bodyCount)]);
        }
    }
    char reason[SD_SCENE_REASON_SIZE] = "";
    bool isFallen =
        goesOn && sdScene_Check(run.scene, run.world, &run.options, reason, sizeof reason);
    int dominoes = run.bodyCount - 1;
    LabScene_Stop(&run);
    Lab_AddFinding(
        lab,
        (LabFinding){.claim = "Dominoes that lean on each other in a ring fall; a search that "
                              "does not gather cycles would run for ever.",
                     .document = "figures 18 and 32",
                     .ours = Lab_Text(lab, "%s; up to %d of %d dominoes on one level of the graph",
                                      reason, largest, dominoes),
                     .agrees = isFallen && largest >= dominoes / 2,
                     .why = "Who supports each other in a circle is one level (strongly "
                            "connected components)."});
}

static void run(Lab* lab) {
    Lab_AddSetting(lab, "passes", "5 collision, 10 contact, but for what is changed");
    measureBilliards(lab);
    measureRolling(lab);
    measureSeesaw(lab);
    measureRing(lab);
}

const LabExperiment labFailures = {
    .name = "failures",
    .title = "What fails when a part is missing",
    .source = "S2 §12, figures 28 to 32",
    .question = "Do the document's scenes end as it shows, and fail as it shows when the part that "
                "they are about is taken away?",
    .setup = "The scenes \"billiards\", \"seesaw\" and \"domino-ring\" with the impulse solver: a "
             "ball strikes a row of 3, 6 or 12 that touch, with 1 to 60 collision passes and in "
             "several orders of the pairs; with and without rolling friction; a seesaw with and "
             "without contact passes before shock propagation.",
    .document = "With 4 collision passes the balls do not bounce correctly. Rolling friction "
                "stops the last ball, with static friction alone it would never stop. The heavy "
                "cube tips the seesaw; with shock propagation alone it stays where it was. "
                "Dominoes fall correctly; without handling of cycles the program would hang.",
    .run = run,
};
