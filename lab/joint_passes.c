// SPDX-License-Identifier: MIT
// joint_passes.c - experiment: how many joint passes keep pendulums together (S2 §9, §12, figures
// 34 and 35).

#include "experiments.h"
#include "scene_run.h"

#include <math.h>

#define CHOICE_COUNT 4

static const struct {
    const char *name, *scene;
    sdImpulseJointing jointing;
} choices[CHOICE_COUNT] = {
    {"ball joints, one by one", "pendulum", SD_JOINTS_ONE_BY_ONE},
    {"ball joints, together", "pendulum", SD_JOINTS_TOGETHER},
    {"rigid, one by one", "rigid-pendulum", SD_JOINTS_ONE_BY_ONE},
    {"rigid, together", "rigid-pendulum", SD_JOINTS_TOGETHER},
};
enum { BALL_ONE, BALL_TOGETHER, RIGID_ONE, RIGID_TOGETHER };

/// Worst over a swing.
typedef struct Swing {
    double error; ///< mm
    double angle; ///< mrad
} Swing;

static Swing swing(Lab* lab, int choice, int size, int passes, float dt, double seconds) {
    LabScene run;
    Swing worst = {0.0, 0.0};
    sdWorldDef def = LabScene_GetDocumentDef(choices[choice].scene);
    def.impulse.joints = choices[choice].jointing;
    def.impulse.jointPassCount = passes;
    def.impulse.jointTolerance = 1e-7f;
    def.impulse.enableShock = false; // which would be one more pass
    if (LabScene_Start(&run, lab, choices[choice].scene, &def, size)) {
        for (int i = 0; i < (int)(seconds / (double)dt + 0.5) && LabScene_Step(&run, dt); ++i) {
            double angle, error = LabScene_GetJointError(&run, &angle);
            worst.error = fmax(worst.error, 1e3 * error);
            worst.angle = fmax(worst.angle, 1e3 * angle);
        }
    }
    LabScene_Stop(&run);
    return worst;
}

// ---- five cubes by passes ------------------------------------------------------------------

typedef struct ByPasses {
    LabTable* table;
    int passes, error[CHOICE_COUNT], angle[CHOICE_COUNT];
} ByPasses;

static ByPasses measurePasses(Lab* lab) {
    ByPasses c = {.table = Lab_AddTable(lab, "passes", "Five cubes let go level, worst in 2 s")};
    c.passes = LabTable_AddColumn(c.table, "joint passes", "");
    for (int k = 0; k < CHOICE_COUNT; ++k) {
        c.error[k] = LabTable_AddColumn(c.table, Lab_Text(lab, "%s, apart", choices[k].name), "mm");
        if (k >= RIGID_ONE) {
            c.angle[k] =
                LabTable_AddColumn(c.table, Lab_Text(lab, "%s, bent", choices[k].name), "mrad");
        }
    }
    for (int passes = 1; passes <= Lab_Choose(lab, 16, 32, 128) && Lab_GoesOn(lab);
         passes = passes == 8    ? 10
                  : passes == 10 ? 16
                                 : 2 * passes) {
        LabTable_AddRow(c.table, NULL);
        LabTable_Put(c.table, c.passes, passes);
        for (int k = 0; k < CHOICE_COUNT; ++k) {
            Swing worst = swing(lab, k, 5, passes, 1.0f / 60.0f, 2.0);
            LabTable_Put(c.table, c.error[k], worst.error);
            if (k >= RIGID_ONE) {
                LabTable_Put(c.table, c.angle[k], worst.angle);
            }
        }
    }
    return c;
}

static int rowOf(const ByPasses* c, int passes) {
    int row = 0;
    for (int i = 0; i < LabTable_GetRowCount(c->table); ++i) {
        row = LabTable_Get(c->table, i, c->passes) <= passes ? i : row;
    }
    return row;
}

static void reportPasses(Lab* lab, const ByPasses* c) {
    LabPlot plot = {.name = "joint-error",
                    .title = "Five cubes on joints by passes (figures 34 and 35)",
                    .text = "The worst that two ends of a joint are apart while it swings.",
                    .x = {"joint passes a step", "", .isLog = true},
                    .y = {"joints are apart by", "mm", .isLog = true}};
    for (int k = 0; k < CHOICE_COUNT; ++k) {
        plot.series[k] = (LabSeries){c->table, c->passes, c->error[k], choices[k].name};
    }
    Lab_AddPlot(lab, plot);
    Lab_AddPlot(lab,
                (LabPlot){.name = "joint-angle",
                          .title = "The rigid pendulum: how far it bends",
                          .text = "With one pass, solving one joint disturbs the next.",
                          .x = {"joint passes a step", "", .isLog = true},
                          .y = {"joints are turned by", "mrad", .isLog = true},
                          .series = {{c->table, c->passes, c->angle[RIGID_ONE], "one by one"},
                                     {c->table, c->passes, c->angle[RIGID_TOGETHER], "together"}}});
    int one = rowOf(c, 1), ten = rowOf(c, 10);
    double bent1 = LabTable_Get(c->table, one, c->angle[RIGID_ONE]);
    double bent10 = LabTable_Get(c->table, ten, c->angle[RIGID_ONE]);
    double apart1 = LabTable_Get(c->table, one, c->error[RIGID_ONE]);
    double apart10 = LabTable_Get(c->table, ten, c->error[RIGID_ONE]);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "A pendulum with all freedoms removed works with 10 joint "
                                   "passes and visibly fails with 1.",
                          .document = "figure 35",
                          .ours = Lab_Text(lab,
                                           "one by one: apart by %.1f mm and bent by %.1f mrad "
                                           "with 1 pass, %.2f mm and %.2f mrad with 10",
                                           apart1, bent1, apart10, bent10),
                          .agrees = apart1 > 10.0 && bent1 > 30.0 && apart10 < 2.0 && bent10 < 5.0,
                          .why = "Solving one joint disturbs its neighbours; passes make up for "
                                 "it."});
    double together = LabTable_Get(c->table, rowOf(c, 2), c->error[RIGID_TOGETHER]);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "Solved all at once, joints need two passes, not ten.",
                          .ours = Lab_Text(lab,
                                           "rigid pendulum, 2 passes: apart by %.2g mm together; "
                                           "one by one %.2g mm with 10",
                                           together, apart10),
                          .agrees = together < apart10,
                          .why = "The joints of a set are one system of equations: nothing is "
                                 "disturbed, and a pass is a step of Newton's method."});
}

// ---- one joint at 25 steps a second --------------------------------------------------------

#define LINK_PASSES 4

static void measureLink(Lab* lab) {
    LabTable* t = Lab_AddTable(lab, "link", "One cube on one joint, steps of 0.04 s, worst in 2 s");
    int passes = LabTable_AddColumn(t, "joint passes", ""), error[2];
    error[0] = LabTable_AddColumn(t, "let go level", "mm");
    error[1] = LabTable_AddColumn(t, "slow: a tenth of a second", "mm");
    for (int n = 1; n <= LINK_PASSES && Lab_GoesOn(lab); ++n) {
        LabTable_AddRow(t, NULL);
        LabTable_Put(t, passes, n);
        LabTable_Put(t, error[0], swing(lab, BALL_ONE, 1, n, 0.04f, 2.0).error);
        LabTable_Put(t, error[1], swing(lab, BALL_ONE, 1, n, 0.04f, 0.12).error);
    }
    Lab_AddPlot(lab, (LabPlot){.name = "link",
                               .title = "One joint at 25 steps a second",
                               .text = "The document's tolerance is 0.001 mm.",
                               .x = {"joint passes a step", ""},
                               .y = {"joint is apart by", "mm", .isLog = true},
                               .series = {{t, passes, error[0], "a whole swing"},
                                          {t, passes, error[1], "while it is slow"}}});
    double slow = LabTable_Get(t, 0, error[1]), fast = LabTable_Get(t, 0, error[0]);
    double two = LabTable_Get(t, 1, error[0]);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "At 0.04 s one or two iterations close a joint to 10⁻⁶ m, but "
                                   "where bodies are fast.",
                          .document = "§9.1.1, after [13]",
                          .ours = Lab_Text(lab,
                                           "one pass: %.2g mm while it is slow, %.2g mm over a "
                                           "whole swing; two passes: %.2g mm over all of it",
                                           slow, fast, two),
                          .agrees = slow < 1e-3 && fast > 1e-3 && two < 1e-3,
                          .why = "The equation is solved as if the way were straight; the faster a "
                                 "body turns, the more of it is left for the next pass."});
}

static void run(Lab* lab) {
    Lab_AddSetting(lab, "cubes", "0.4 m, 0.5 m from middle to middle, let go level");
    ByPasses c = measurePasses(lab);
    if (Lab_GoesOn(lab)) {
        reportPasses(lab, &c);
        measureLink(lab);
    }
}

const LabExperiment labJointPasses = {
    .name = "joint-passes",
    .title = "Joint passes",
    .source = "S2 §9.1.1, §12, figures 34 and 35",
    .question = "How many passes keep joints together?",
    .setup = "Five cubes in a row, held to each other at points (\"pendulum\") or in all six "
             "freedoms (\"rigid-pendulum\"), are let go level. The document solves joint after "
             "joint; our impulse solver can also solve all that hang together at once. Shock "
             "propagation, which would be one more pass, is off.",
    .document = "10 iterations are right; with 1 the rigid pendulum fails, because solving one "
                "joint makes an error in another. For a single joint at 0.04 s one or two "
                "iterations reach 10⁻⁶ m, except where bodies are fast.",
    .run = run,
};
