// SPDX-License-Identifier: MIT
// films.c - experiment: the scenes of S2 §12 with the time that each took in 2009 and takes now.

#include "experiments.h"
#include "scene_run.h"

#include <math.h>

/// What the document says of a scene; 0 where it says nothing.
typedef struct Film {
    const char* scene;
    int size, quickSize;   ///< the document's, and that of the default run, as the scene counts
    int bodiesPerSize;     ///< that the scene's size counts as one
    double minutes;        ///< of the whole film, on an Athlon64 of 2.4 GHz
    double secondsPerStep; ///< when bodies lie on each other
    double filmSeconds;    ///< simulated
    const char* document;
} Film;

#define FILM_COUNT 5
static const Film films[FILM_COUNT] = {
    {"rings", 60, 60, 1, 9.0, 0.5, 12.0, "60 rings"},
    {"skulls", 50, 50, 1, 11.0, 1.0, 7.0, "50 skulls"},
    {"skull-chain", 18, 6, 6, 26.0, 0.0, 6.0, "108 skulls joined"},
    {"rings-500", 500, 50, 1, 0.0, 180.0, 0.0, "500 rings (2003)"},
    {"bones-500", 500, 40, 1, 0.0, 300.0, 0.0, "500 bones (2003)"},
};

#define SOLVER_COUNT 2
static const char* const solverNames[SOLVER_COUNT] = {"impulse solver", "soft solver"};

/// Steps at the end in which bodies lie on each other.
#define PILED_STEPS 60

typedef struct Showing {
    double seconds;  ///< of all steps
    double piledMs;  ///< of a step at the end
    double impulses; ///< a step, at the end
    double looks;    ///< the same
    double contacts; ///< the same
    bool isRight;
    char reason[SD_SCENE_REASON_SIZE];
} Showing;

static void show(Lab* lab, const Film* film, int solver, int size, Showing* out) {
    LabScene run;
    sdWorldDef def = sdScene_GetWorldDef(sdScene_Find(film->scene));
    if (solver == 0) {
        def = LabScene_GetDocumentDef(film->scene);
    }
    def.enableSleep = false; // the document has none
    *out = (Showing){0};
    if (!LabScene_Start(&run, lab, film->scene, &def, size)) {
        return;
    }
    int piled = PILED_STEPS;
    LabScene_Steps(&run, run.scene->stepCount - piled);
    double before = run.seconds, impulses = run.impulses, looks = run.looks;
    LabScene_Steps(&run, piled);
    out->seconds = run.seconds;
    out->piledMs = 1e3 * (run.seconds - before) / piled;
    out->impulses = (run.impulses - impulses) / piled;
    out->looks = (run.looks - looks) / piled;
    out->contacts = sdWorld_GetStats(run.world).contactCount;
    out->isRight = Lab_GoesOn(lab) && sdScene_Check(run.scene, run.world, &run.options, out->reason,
                                                    sizeof out->reason);
    LabScene_Stop(&run);
}

typedef struct Columns {
    LabTable* table;
    int size, minutes, perStep;
    int seconds[SOLVER_COUNT], ms[SOLVER_COUNT], right[SOLVER_COUNT];
    int impulses, looks, contacts;
} Columns;

static Columns makeColumns(Lab* lab) {
    Columns c = {.table = Lab_AddTable(lab, "films", "The document's scenes, one thread")};
    c.size = LabTable_AddColumn(c.table, "bodies", "");
    c.minutes = LabTable_AddColumn(c.table, "document, all", "s");
    c.perStep = LabTable_AddColumn(c.table, "document, a step when piled", "ms");
    for (int k = 0; k < SOLVER_COUNT; ++k) {
        c.seconds[k] = LabTable_AddColumn(c.table, Lab_Text(lab, "%s, all", solverNames[k]), "s");
        c.ms[k] = LabTable_AddColumn(c.table,
                                     Lab_Text(lab, "%s, a step when piled", solverNames[k]), "ms");
        c.right[k] =
            LabTable_AddColumn(c.table, Lab_Text(lab, "%s, ends right", solverNames[k]), "");
    }
    c.contacts = LabTable_AddColumn(c.table, "contacts", "");
    c.impulses = LabTable_AddColumn(c.table, "impulses a step", "");
    c.looks = LabTable_AddColumn(c.table, "looks at pairs a step", "");
    return c;
}

static void run(Lab* lab) {
    Lab_AddSetting(lab, "passes of the impulse solver", "5 collision, 10 contact, 10 joint");
    Columns c = makeColumns(lab);
    double slowest = 0.0, least = INFINITY;
    int rightCount = 0, doneCount = 0;
    const char* wrong = "";
    for (int i = 0; i < Lab_Choose(lab, 1, FILM_COUNT, FILM_COUNT) && Lab_GoesOn(lab); ++i) {
        const Film* film = &films[i];
        int size = Lab_Choose(lab, 3, film->quickSize, film->size);
        LabTable_AddRow(c.table, film->document);
        LabTable_Put(c.table, c.size, film->bodiesPerSize * size);
        if (film->minutes > 0.0) {
            LabTable_Put(c.table, c.minutes, 60.0 * film->minutes);
        }
        if (film->secondsPerStep > 0.0) {
            LabTable_Put(c.table, c.perStep, 1e3 * film->secondsPerStep);
        }
        for (int k = 0; k < SOLVER_COUNT && Lab_GoesOn(lab); ++k) {
            Showing showing;
            show(lab, film, k, size, &showing);
            LabTable_Put(c.table, c.seconds[k], showing.seconds);
            LabTable_Put(c.table, c.ms[k], showing.piledMs);
            LabTable_Put(c.table, c.right[k], showing.isRight ? 1.0 : 0.0);
            if (k == 0) {
                LabTable_Put(c.table, c.contacts, showing.contacts);
                LabTable_Put(c.table, c.impulses, showing.impulses);
                LabTable_Put(c.table, c.looks, showing.looks);
            }
            doneCount += 1;
            rightCount += showing.isRight ? 1 : 0;
            wrong = showing.isRight ? wrong
                                    : Lab_Text(lab, "%s%s, %s: %s. ", wrong, film->scene,
                                               solverNames[k], showing.reason);
            if (film->minutes > 0.0 && size == film->size && showing.seconds > 0.0) {
                least = fmin(least, 60.0 * film->minutes / showing.seconds);
            }
            slowest = fmax(slowest, showing.piledMs);
        }
    }
    Lab_AddPlot(lab,
                (LabPlot){.name = "films",
                          .title = "A step when bodies lie on each other",
                          .text = "The document's times are those of a computer of 2004 (of 2003 "
                                  "for the last two, which have 500 bodies there); no bar: it "
                                  "does not tell.",
                          .x = {"scene", ""},
                          .y = {"time of a step", "ms", .isLog = true, .from = 0.1, .to = 1e6},
                          .series = {{c.table, 0, c.perStep, "the document's", LAB_BARS},
                                     {c.table, 0, c.ms[0], solverNames[0], LAB_BARS},
                                     {c.table, 0, c.ms[1], solverNames[1], LAB_BARS}}});
    Lab_AddFinding(
        lab, (LabFinding){.claim = "Stacked concave bodies are slow: half a second and a second a "
                                   "step.",
                          .document = "0.5 s (rings), 1 s (skulls), 26 minutes for 6 s (joined)",
                          .ours = Lab_Text(lab, "%.1f ms a step at most%s", slowest,
                                           isinf(least) ? ""
                                                        : Lab_Text(lab,
                                                                   "; films of the document's "
                                                                   "size take %.0f times less, or "
                                                                   "less still",
                                                                   least)),
                          .agrees = slowest > 500.0,
                          .isExplained = slowest < 500.0,
                          .why = Lab_Text(lab,
                                          "A processor of today may be ten times as fast. The "
                                          "rest is the method: %.0f looks at pairs a step for "
                                          "%.0f impulses with 60 rings, where the document looks "
                                          "after each impulse; and trees of samples, eight of "
                                          "which are looked up at a time.",
                                          LabTable_Get(c.table, 0, c.looks),
                                          LabTable_Get(c.table, 0, c.impulses)),
                          .isTimed = true});
    Lab_AddFinding(
        lab, (LabFinding){.claim = "Rings stay on their posts, skulls lie in a heap, joints hold.",
                          .document = "figures 33 and 37",
                          .ours = Lab_Text(lab, "%d of %d runs end as they must. %s", rightCount,
                                           doneCount, wrong),
                          .agrees = rightCount == doneCount,
                          .isExplained = doneCount - rightCount <= 3,
                          .why = "Where the impulse solver with the document's passes fails, "
                                 "bodies have sunk into each other or still move at the end: "
                                 "bodies of one level of the graph are not helped by shock "
                                 "propagation, as §13 says of itself. The soft solver is the "
                                 "default for that."});
}

const LabExperiment labFilms = {
    .name = "films",
    .title = "Rings, skulls and bones",
    .source = "S2 §12, figures 33 and 37",
    .question = "What did the document's large scenes cost then, and what now?",
    .setup = "The scenes \"rings\", \"skulls\" and \"skull-chain\" to their ends, and those of 500 "
             "rings and 500 bones that the document compares itself with (fewer of them in the "
             "default run), by the impulse solver with the document's passes and by the soft one. "
             "A step when piled is the mean of the last second. Nobody sleeps.",
    .document = "60 rings of 216 triangles on 3 posts of 84: 9 minutes for 12 s, 0.5 s a step when "
                "piled. 50 skulls of 2970 triangles: 11 minutes for 7 s, 1 s a step. 108 skulls "
                "joined in sixes: 26 minutes for 6 s. An Athlon64 of 2.4 GHz. 500 rings and 500 "
                "bones took others 3 and 5 minutes a step in 2003. All other scenes: negligible.",
    .run = run,
};
