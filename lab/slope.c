// SPDX-License-Identifier: MIT
// slope.c - experiment: a perfectly elastic cube on a slope, by the ordinary step and by the new
// one (S2 §5, figure 27).

#include "experiments.h"
#include "scene_run.h"

#include <math.h>

#define ORDER_COUNT 2
static const sdImpulseOrder orders[ORDER_COUNT] = {SD_ORDER_ORDINARY, SD_ORDER_NEW};
static const char* const orderNames[ORDER_COUNT] = {"ordinary step", "new step"};
enum { ORDINARY, NEW };

/// Of the slope of 1 in 2.
#define SINE 0.4472136
#define COSINE 0.8944272
#define GRAVITY 9.81
/// Body 0 is the slope; the cubes' friction is 0.1, 0.2, 0.3 ...
#define CUBE_COUNT 9
#define CUBE 3 // that is drawn
#define FRICTION 0.3

/// Faster than this away from the slope, m/s, it hops.
#define HOP_SPEED 0.02

/// Cubes on their way down.
typedef struct Slide {
    LabScene run;
    double high, way;               ///< of one of them, now: mm above the slope, m down along it
    double highest[CUBE_COUNT + 1]; ///< mm, of each
    double hops;                    ///< of all: times that one began to leave
    bool isLeaving[CUBE_COUNT + 1];
} Slide;

static bool startSlide(Slide* slide, Lab* lab, sdImpulseOrder order) {
    sdWorldDef def = LabScene_GetDocumentDef("slope");
    def.impulse.order = order;
    *slide = (Slide){0};
    return LabScene_Start(&slide->run, lab, "slope", &def, CUBE_COUNT);
}

static bool stepSlide(Slide* slide, float dt) {
    bool isMade = LabScene_Step(&slide->run, dt);
    for (int k = 1; k <= CUBE_COUNT && isMade; ++k) {
        sdPos p = LabScene_GetPosition(&slide->run, k);
        sdVec3 v = LabScene_GetVelocity(&slide->run, k);
        bool isLeaving = SINE * (double)v.x + COSINE * (double)v.y > HOP_SPEED;
        double high = 1e3 * (SINE * p.x + COSINE * p.y - 0.5);
        slide->highest[k] = fmax(slide->highest[k], high);
        slide->hops += isLeaving && !slide->isLeaving[k] ? 1.0 : 0.0;
        slide->isLeaving[k] = isLeaving;
        if (k == CUBE) {
            slide->high = high;
            slide->way = COSINE * p.x - SINE * p.y;
        }
    }
    return isMade;
}

static double highestOf(const Slide* slide) {
    double highest = 0.0;
    for (int k = 1; k <= CUBE_COUNT; ++k) {
        highest = fmax(highest, slide->highest[k]);
    }
    return highest;
}

/// Coulomb's way down, m.
static double wayAfter(double time) {
    return 0.5 * GRAVITY * (SINE - FRICTION * COSINE) * time * time;
}

// ---- two seconds, step by step -------------------------------------------------------------

static void measureCurves(Lab* lab) {
    LabTable* t = Lab_AddTable(lab, "slope", "Two seconds, steps of 1/60 s");
    int time = LabTable_AddColumn(t, "time", "s"), high[ORDER_COUNT], way[ORDER_COUNT];
    int wanted = LabTable_AddColumn(t, "Coulomb's way", "m");
    Slide slides[ORDER_COUNT];
    bool goesOn = true;
    for (int k = 0; k < ORDER_COUNT; ++k) {
        high[k] = LabTable_AddColumn(t, Lab_Text(lab, "%s, height", orderNames[k]), "mm");
        way[k] = LabTable_AddColumn(t, Lab_Text(lab, "%s, way", orderNames[k]), "m");
        goesOn = startSlide(&slides[k], lab, orders[k]) && goesOn;
    }
    for (int i = 1; i <= 120 && goesOn; ++i) {
        LabTable_AddRow(t, NULL);
        LabTable_Put(t, time, i / 60.0);
        LabTable_Put(t, wanted, wayAfter(i / 60.0));
        for (int k = 0; k < ORDER_COUNT; ++k) {
            goesOn = stepSlide(&slides[k], 1.0f / 60.0f) && goesOn;
            LabTable_Put(t, high[k], slides[k].high);
            LabTable_Put(t, way[k], slides[k].way);
        }
    }
    for (int k = 0; k < ORDER_COUNT; ++k) {
        LabScene_Stop(&slides[k].run);
    }
    Lab_AddPlot(
        lab,
        (LabPlot){.name = "slope-height",
                  .title = "A perfectly elastic cube on a slope (figure 27)",
                  .text = "The cube of friction 0.3 of nine: its middle above where it would be "
                          "if it slid.",
                  .x = {"time", "s"},
                  .y = {"height above the slope", "mm"},
                  .series = {{t, time, high[0], orderNames[0], LAB_CURVE},
                             {t, time, high[1], orderNames[1], LAB_CURVE}}});
    Lab_AddPlot(lab, (LabPlot){.name = "slope-way",
                               .title = "The way that it slides",
                               .text = "By the new step it is the way that Coulomb's law gives.",
                               .x = {"time", "s"},
                               .y = {"way down the slope", "m"},
                               .series = {{t, time, way[0], orderNames[0], LAB_CURVE},
                                          {t, time, way[1], orderNames[1], LAB_CURVE},
                                          {t, time, wanted, "Coulomb's law", LAB_DOCUMENT}}});
    double off = fabs(slides[NEW].way / wayAfter(2.0) - 1.0);
    Lab_AddFinding(
        lab,
        (LabFinding){.claim = "By the ordinary step the cube hops without control.",
                     .document = "figure 27, left",
                     .ours = Lab_Text(lab, "%.0f hops of nine cubes in two seconds, up to %.0f mm",
                                      slides[ORDINARY].hops, highestOf(&slides[ORDINARY])),
                     .agrees = slides[ORDINARY].hops > 20.0 && highestOf(&slides[ORDINARY]) > 20.0,
                     .why = "Gravity has given it speed before anybody looks whether it "
                            "touches; that speed is taken for an impact and sent back."});
    Lab_AddFinding(
        lab, (LabFinding){.claim = "By the new step it slides down as it should, without any "
                                   "threshold of speed.",
                          .document = "figure 27, right",
                          .ours = Lab_Text(lab,
                                           "%.0f hops, at most %.3f mm above; the way is off by "
                                           "%.2f %% from Coulomb's law",
                                           slides[NEW].hops, highestOf(&slides[NEW]), 100.0 * off),
                          .agrees = slides[NEW].hops < 10.0 && highestOf(&slides[NEW]) < 0.5 &&
                                    off < 0.02,
                          .why = "Collisions see the speed before gravity, which is none across "
                                 "the slope; gravity comes after them and contacts take it "
                                 "away."});
}

// ---- by length of a step -------------------------------------------------------------------

#define RATE_COUNT 5
static const int rates[RATE_COUNT] = {25, 60, 120, 240, 480};

static void measureSteps(Lab* lab) {
    LabTable* t = Lab_AddTable(lab, "steps", "Nine cubes for two seconds, by length of a step");
    int rate = LabTable_AddColumn(t, "steps a second", "1/s");
    int highest[ORDER_COUNT], hops[ORDER_COUNT];
    for (int k = 0; k < ORDER_COUNT; ++k) {
        highest[k] = LabTable_AddColumn(t, Lab_Text(lab, "%s, highest", orderNames[k]), "mm");
        hops[k] = LabTable_AddColumn(t, Lab_Text(lab, "%s, hops", orderNames[k]), "");
    }
    double newest = 0.0;
    for (int i = 0; i < Lab_Choose(lab, 3, RATE_COUNT, RATE_COUNT) && Lab_GoesOn(lab); ++i) {
        LabTable_AddRow(t, NULL);
        LabTable_Put(t, rate, rates[i]);
        for (int k = 0; k < ORDER_COUNT; ++k) {
            Slide slide;
            LabSample sample = {0};
            bool goesOn = startSlide(&slide, lab, orders[k]);
            for (int j = 0; j < 2 * rates[i] && goesOn; ++j) {
                goesOn = stepSlide(&slide, 1.0f / (float)rates[i]);
            }
            LabScene_Stop(&slide.run);
            for (int j = 1; j <= CUBE_COUNT; ++j) {
                LabSample_Add(&sample, slide.highest[j]);
            }
            LabTable_PutSample(t, highest[k], &sample);
            LabTable_Put(t, hops[k], slide.hops);
            newest = k == NEW ? fmax(newest, highestOf(&slide)) : newest;
        }
    }
    Lab_AddPlot(lab, (LabPlot){.name = "slope-steps",
                               .title = "The highest hop by length of a step",
                               .text = "Mean and spread over nine cubes of rising friction.",
                               .x = {"steps a second", "1/s", .isLog = true},
                               .y = {"highest hop in two seconds", "mm"},
                               .series = {{t, rate, highest[0], orderNames[0]},
                                          {t, rate, highest[1], orderNames[1]}}});
    int last = LabTable_GetRowCount(t) - 1;
    double few = LabTable_Get(t, 0, hops[ORDINARY]), many = LabTable_Get(t, last, hops[ORDINARY]);
    double high = LabTable_Get(t, 1, highest[ORDINARY]);
    double low = LabTable_Get(t, last, highest[ORDINARY]);
    Lab_AddFinding(
        lab,
        (LabFinding){.claim = "Shorter steps make the ordinary one's hops lower, not fewer; "
                              "the new one has none at any length.",
                     .ours = Lab_Text(lab,
                                      "ordinary: %.0f hops at 25 steps a second, %.0f at "
                                      "%.0f, the mean of the highest falls from %.1f to %.2f "
                                      "mm; new: %.2f mm at most",
                                      few, many, LabTable_Get(t, last, rate), high, low, newest),
                     .agrees = many > few && low < 0.1 * high && newest < 1.0,
                     .why = "A hop is as fast as gravity makes a body in one step, and starts "
                            "anew with each that lands."});
}

static void run(Lab* lab) {
    Lab_AddSetting(lab, "slope", "1 in 2; cubes of friction 0.1 to 0.9, restitution 1");
    measureCurves(lab);
    measureSteps(lab);
}

const LabExperiment labSlope = {
    .name = "slope",
    .title = "An elastic cube on a slope, old step and new",
    .source = "S2 §5, §12, figure 27",
    .question = "Does the order of a step tell what rests from what bounces?",
    .setup = "Perfectly elastic cubes of 1 m lie on a slope of 1 in 2, each with other friction. "
             "The ordinary step makes "
             "new velocities and positions and then looks for collisions; the new one looks for "
             "collisions, makes new velocities, looks for contacts, makes new positions. 5 "
             "collision and 10 contact passes, as in the document.",
    .document = "With the ordinary step the cube hops without control; with the new one it slides "
                "down the slope correctly.",
    .run = run,
};
