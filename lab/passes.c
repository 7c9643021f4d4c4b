// SPDX-License-Identifier: MIT
// passes.c - experiment: how fast contact passes converge, with and without contact graph and shock
// propagation (S2 §8.2 - 8.4).

#include "experiments.h"
#include "scene_run.h"

#define MODE_COUNT 3

static const struct {
    const char* name;
    bool enableGraph, enableShock;
} modes[MODE_COUNT] = {
    {"any order", false, false}, {"graph", true, false}, {"graph and shock", true, true}};

#define HEIGHT_COUNT 2
static const int heights[HEIGHT_COUNT] = {5, 10};

/// One second of a tower.
typedef struct Tower {
    double sank;     ///< mm
    double impulses; ///< a step
    double looks;    ///< at pairs, a step
    double pairs;    ///< of boxes that are near each other
    double ms;       ///< a step
} Tower;

static Tower stand(Lab* lab, int height, const sdWorldDef* def, int steps) {
    LabScene run;
    Tower tower = {0};
    if (LabScene_Start(&run, lab, "tower", def, height)) {
        double start = LabScene_GetPosition(&run, run.bodyCount - 1).y;
        LabScene_Steps(&run, steps);
        tower = (Tower){1e3 * (start - LabScene_GetPosition(&run, run.bodyCount - 1).y),
                        run.impulses / steps, run.looks / steps,
                        sdWorld_GetStats(run.world).pairCount, 1e3 * run.seconds / steps};
    }
    LabScene_Stop(&run);
    return tower;
}

// ---- sinking by passes ---------------------------------------------------------------------

typedef struct ByPasses {
    LabTable* table;
    int passes, sank[HEIGHT_COUNT][MODE_COUNT], impulses[HEIGHT_COUNT][MODE_COUNT];
} ByPasses;

/// Sinking below this is held: the slop of contacts.
#define HELD 0.01 // mm

static ByPasses measurePasses(Lab* lab) {
    ByPasses c = {.table = Lab_AddTable(lab, "passes", "The top of a tower after one second")};
    c.passes = LabTable_AddColumn(c.table, "contact passes", "");
    for (int h = 0; h < HEIGHT_COUNT; ++h) {
        for (int m = 0; m < MODE_COUNT; ++m) {
            const char* name = Lab_Text(lab, "%d boxes, %s", heights[h], modes[m].name);
            c.sank[h][m] = LabTable_AddColumn(c.table, Lab_Text(lab, "%s, sank", name), "mm");
            c.impulses[h][m] =
                LabTable_AddColumn(c.table, Lab_Text(lab, "%s, impulses a step", name), "");
        }
    }
    int seeds = Lab_Choose(lab, 1, 3, 10);
    for (int passes = 5; passes <= Lab_Choose(lab, 40, 160, 320) && Lab_GoesOn(lab); passes *= 2) {
        LabTable_AddRow(c.table, NULL);
        LabTable_Put(c.table, c.passes, passes);
        for (int k = 0; k < HEIGHT_COUNT * MODE_COUNT; ++k) {
            int h = k / MODE_COUNT, m = k % MODE_COUNT;
            LabSample sank = {0}, impulses = {0};
            for (int seed = 0; seed < seeds && Lab_GoesOn(lab); ++seed) {
                sdWorldDef def = LabScene_GetDocumentDef("tower");
                def.impulse.contactPassCount = passes;
                def.impulse.enableGraph = modes[m].enableGraph;
                def.impulse.enableShock = modes[m].enableShock;
                def.impulse.seed = (uint32_t)(seed + 1);
                Tower tower = stand(lab, heights[h], &def, 60);
                // what is below the contacts' own slop is no sinking
                LabSample_Add(&sank, tower.sank > HELD ? tower.sank : HELD);
                LabSample_Add(&impulses, tower.impulses);
            }
            LabTable_PutSample(c.table, c.sank[h][m], &sank);
            LabTable_PutSample(c.table, c.impulses[h][m], &impulses);
        }
    }
    return c;
}

static void plotPasses(Lab* lab, const ByPasses* c) {
    for (int h = 0; h < HEIGHT_COUNT; ++h) {
        LabPlot plot = {.name = Lab_Text(lab, "sinking-%d", heights[h]),
                        .title = Lab_Text(lab, "A tower of %d boxes after one second", heights[h]),
                        .text = "Boxes of 1 m that should stand still. 0.01 mm stands for "
                                "everything below it.",
                        .x = {"contact passes a step", "", .isLog = true},
                        .y = {"the top sank by", "mm", .isLog = true, .from = 0.005, .to = 3000.0}};
        for (int m = 0; m < MODE_COUNT; ++m) {
            plot.series[m] = (LabSeries){c->table, c->passes, c->sank[h][m], modes[m].name};
        }
        Lab_AddPlot(lab, plot);
    }
}

static void findPasses(Lab* lab, const ByPasses* c) {
    enum { ANY, GRAPH, SHOCK };
    const int tall = HEIGHT_COUNT - 1, documentRow = 1; // 10 passes
    int last = LabTable_GetRowCount(c->table) - 1;
    double most = LabTable_Get(c->table, last, c->passes);
    double any = LabTable_Get(c->table, documentRow, c->sank[tall][ANY]);
    double graph = LabTable_Get(c->table, documentRow, c->sank[tall][GRAPH]);
    double best = LabTable_Get(c->table, last, c->sank[tall][GRAPH]);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "The propagating model converges slowly: stacks need many "
                                   "passes.",
                          .document = "§8.2, two boxes by hand: the upper one is only half as fast "
                                      "after a pass",
                          .ours = Lab_Text(lab,
                                           "ten boxes, ten passes in any order: the top sinks by "
                                           "%.0f mm in a second",
                                           any),
                          .agrees = any > 100.0,
                          .why = "A pass stops a box on the one below it by half, and that one has "
                                 "to be stopped again."});
    bool isBetter = true;
    for (int i = 0; i <= last; ++i) {
        for (int h = 0; h < HEIGHT_COUNT; ++h) {
            isBetter = isBetter && LabTable_Get(c->table, i, c->sank[h][GRAPH]) <
                                       LabTable_Get(c->table, i, c->sank[h][ANY]);
        }
    }
    Lab_AddFinding(
        lab, (LabFinding){.claim = "The contact graph makes passes more efficient.",
                          .document = "§8.3, no numbers",
                          .ours = Lab_Text(lab,
                                           "ten boxes, ten passes: %.0f mm instead of %.0f; less "
                                           "in every row",
                                           graph, any),
                          .agrees = isBetter,
                          .why = "From the ground up, one pass pushes every pair; in any order it "
                                 "comes to pairs whose lower box has not been stopped yet."});
    Lab_AddFinding(
        lab, (LabFinding){.claim = "However many passes, without shock propagation bodies sink "
                                   "into each other after a while.",
                          .document = "§8.4",
                          .ours = Lab_Text(lab,
                                           "ten boxes with the graph: %.1f mm in a second with "
                                           "%.0f passes",
                                           best, most),
                          .agrees = best > 1.0,
                          .why = "What is left of the speed after the last pass is there in every "
                                 "step again."});
    double worst = 0.0;
    for (int i = 0; i <= last; ++i) {
        double sank = LabTable_Get(c->table, i, c->sank[tall][SHOCK]);
        worst = sank > worst ? sank : worst;
    }
    double spent = LabTable_Get(c->table, documentRow, c->impulses[tall][SHOCK]);
    double wasted = LabTable_Get(c->table, last, c->impulses[tall][GRAPH]);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "Shock propagation stops all bodies of a stack in one go.",
                          .document = "§8.4, figure 19",
                          .ours = Lab_Text(lab,
                                           "ten boxes sink by at most %.2f mm with any number of "
                                           "passes; %.0f impulses a step with ten of them, %.0f "
                                           "for %.0f passes without",
                                           worst, spent, wasted, most),
                          .agrees = worst <= 2.0 * HELD && spent < wasted,
                          .why = "Each level is stopped on one below it that counts as fixed, so "
                                 "nothing has to be stopped twice."});
}

// ---- looks at pairs ------------------------------------------------------------------------

static void measureLooks(Lab* lab) {
    LabTable* t = Lab_AddTable(lab, "looks", "A tower of ten boxes, one second: work of a step");
    int looks = LabTable_AddColumn(t, "looks at pairs", "");
    int impulses = LabTable_AddColumn(t, "impulses", "");
    int sank = LabTable_AddColumn(t, "sank", "mm");
    int ms = LabTable_AddColumn(t, "time", "ms");
    static const char* const names[3] = {"after each impulse (the document's)", "each pass",
                                         "once a step (soft solver)"};
    for (int k = 0; k < 3 && Lab_GoesOn(lab); ++k) {
        sdWorldDef def = LabScene_GetDocumentDef("tower");
        def.impulse.detection = k == 0 ? SD_DETECT_EACH_IMPULSE : SD_DETECT_EACH_PASS;
        def.solver = k == 2 ? SD_SOLVER_SOFT : SD_SOLVER_IMPULSE;
        Tower tower = stand(lab, 10, &def, 60);
        LabTable_AddRow(t, names[k]);
        // the soft solver takes what was found before it: each pair is looked at once
        LabTable_Put(t, looks, k == 2 ? tower.pairs : tower.looks);
        if (k < 2) {
            LabTable_Put(t, impulses, tower.impulses);
        }
        LabTable_Put(t, sank, tower.sank);
        LabTable_Put(t, ms, tower.ms);
    }
    double each = LabTable_Get(t, 0, looks), pass = LabTable_Get(t, 1, looks);
    double once = LabTable_Get(t, 2, looks);
    double more = LabTable_Get(t, 0, sank), less = LabTable_Get(t, 1, sank);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "The method is slow mostly because collisions are detected far "
                                   "too often; fast ones do so once a step.",
                          .document = "§13",
                          .ours = Lab_Text(lab,
                                           "%.0f looks at pairs a step when they are looked at "
                                           "after each impulse, %.0f once a pass, %.0f with the "
                                           "soft solver; the top sinks by %.3f, %.3f and %.3f mm",
                                           each, pass, once, more, less, LabTable_Get(t, 2, sank)),
                          .agrees = each > 3.0 * pass && pass > 3.0 * once,
                          .why = "Between impulses a point can be carried on by the change of "
                                 "velocity: the same result with a fraction of the looks."});
}

static void run(Lab* lab) {
    Lab_AddSetting(lab, "step", "1/60 s, 60 steps");
    Lab_AddSetting(lab, "seeds", "%d, of the order of pairs", Lab_Choose(lab, 1, 3, 10));
    ByPasses c = measurePasses(lab);
    if (Lab_GoesOn(lab)) {
        plotPasses(lab, &c);
        findPasses(lab, &c);
        measureLooks(lab);
    }
}

const LabExperiment labPasses = {
    .name = "passes",
    .title = "Contact passes, contact graph, shock propagation",
    .source = "S2 §8.2 to 8.4, §13",
    .question = "How many contact passes does a stack need, and what do graph and shock "
                "propagation change?",
    .setup = "Boxes of 1 m, one on the other, with the impulse solver in the new order. Contact "
             "passes go over all pairs in an order that is drawn anew each time, or from the "
             "ground up along the contact graph; or shock propagation follows them. How far the "
             "top sinks in one second is what passes leave undone.",
    .document = "Bodies converge slowly to the right solution, so that many iterations are needed; "
                "the graph makes them more efficient; still, whatever their number, bodies sink "
                "into each other after some time, unless shock propagation follows. The method is "
                "rather slow because of too many detections.",
    .run = run,
};
