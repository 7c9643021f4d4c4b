// SPDX-License-Identifier: MIT
// solvers.c - experiment: the two solvers, with and without shock propagation, on what solvers find
// hard: a tower, a heavy box on a light one, chains, a heap of skulls.

#include "experiments.h"

#include "scenes.h"

#include <math.h>
#include <stdlib.h>

#define KIND_COUNT 3
static const char* const kindNames[KIND_COUNT] = {"soft", "impulse", "impulse + shock"};

#define MAX_CONTACTS 4000
#define MAX_JOINTS 400
/// Times of so many parts of a run are one sample each.
#define PART_COUNT 10

// ---- one world -----------------------------------------------------------------------------

typedef struct Trial {
    sdWorld* world;
    sdBodyId* bodies;
    sdPos* starts;
    sdContactInfo* contacts;
    int bodyCount;
    double startEnergy, weight; ///< J, N
} Trial;

static void endTrial(Trial* trial) {
    sdWorld_Destroy(trial->world);
    free(trial->bodies);
    free(trial->starts);
    free(trial->contacts);
}

static double getEnergy(const sdWorld* world) {
    sdEnergy energy = sdWorld_GetEnergy(world);
    return energy.kinetic + energy.potential;
}

/// A scene with one of the solvers, nothing asleep.
static bool startTrial(Lab* lab, const sdScene* scene, int size, int kind, Trial* trial) {
    *trial = (Trial){0};
    sdWorldDef def = sdScene_GetWorldDef(scene);
    def.enableSleep = false;
    def.solver = kind == 0 ? SD_SOLVER_SOFT : SD_SOLVER_IMPULSE;
    def.impulse.enableShock = kind == 2;
    sdSceneOptions options = {.size = size};
    if (!Lab_Check(lab, sdWorld_Create(NULL, &def, &trial->world), "a world") ||
        !Lab_Check(lab, sdScene_Build(scene, trial->world, &options), scene->name)) {
        return false;
    }
    int count = sdWorld_GetBodies(trial->world, NULL, 0);
    trial->bodies = calloc((size_t)count, sizeof *trial->bodies);
    trial->starts = calloc((size_t)count, sizeof *trial->starts);
    trial->contacts = calloc(MAX_CONTACTS, sizeof *trial->contacts);
    if (trial->bodies == NULL || trial->starts == NULL || trial->contacts == NULL) {
        Lab_Fail(lab, "no memory");
        return false;
    }
    sdWorld_GetBodies(trial->world, trial->bodies, count);
    for (int i = 0; i < count; ++i) {
        sdBodyId body = trial->bodies[i];
        if (sdBody_GetType(trial->world, body) == SD_BODY_DYNAMIC) {
            trial->bodies[trial->bodyCount] = body;
            trial->starts[trial->bodyCount++] = sdBody_GetCenter(trial->world, body);
            trial->weight +=
                (double)(sdBody_GetMass(trial->world, body).mass * sdLength(def.gravity));
        }
    }
    trial->startEnergy = getEnergy(trial->world);
    return true;
}

/// What is wrong with a world, all in mm: `height` is the change of its energy by its weight.
typedef struct Faults {
    double drift, depth, joint, height;
} Faults;

static Faults findFaults(const Trial* trial) {
    Faults f = {0};
    for (int i = 0; i < trial->bodyCount; ++i) {
        sdVec3 move = sdPos_Sub(sdBody_GetCenter(trial->world, trial->bodies[i]), trial->starts[i]);
        f.drift = fmax(f.drift, 1e3 * (double)sdLength(move));
    }
    int count = sdWorld_GetContacts(trial->world, trial->contacts, MAX_CONTACTS);
    for (int i = 0; i < count && i < MAX_CONTACTS; ++i) {
        for (int k = 0; k < trial->contacts[i].pointCount; ++k) {
            f.depth = fmax(f.depth, -1e3 * (double)trial->contacts[i].points[k].separation);
        }
    }
    sdJointId joints[MAX_JOINTS];
    count = sdWorld_GetJoints(trial->world, joints, MAX_JOINTS);
    for (int i = 0; i < count && i < MAX_JOINTS; ++i) {
        f.joint = fmax(f.joint, 1e3 * (double)sdJoint_GetError(trial->world, joints[i], NULL));
    }
    f.height = 1e3 * (getEnergy(trial->world) - trial->startEnergy) / trial->weight;
    return f;
}

// ---- one scene -----------------------------------------------------------------------------

/// What is plotted of a scene over time.
typedef enum Quantity { DRIFT, DEPTH, JOINT, HEIGHT, QUANTITY_COUNT } Quantity;

static const char* const quantityNames[QUANTITY_COUNT] = {
    "greatest move of a body", "deepest overlap", "greatest error of a joint",
    "change of energy by weight"};

static double getQuantity(const Faults* f, Quantity q) {
    const double values[QUANTITY_COUNT] = {f->drift, f->depth, f->joint, f->height};
    return values[q];
}

/// How a scene went with each solver.
typedef struct Course {
    LabTable* table;
    int time, columns[QUANTITY_COUNT][KIND_COUNT];
    Faults worst[KIND_COUNT], last[KIND_COUNT]; ///< worst: greatest of each over the run
    LabSample cost[KIND_COUNT];                 ///< ms a step
} Course;

static void noteWorst(Faults* worst, const Faults* now) {
    worst->drift = fmax(worst->drift, now->drift);
    worst->depth = fmax(worst->depth, now->depth);
    worst->joint = fmax(worst->joint, now->joint);
    worst->height = fmax(worst->height, now->height);
}

/// All solvers in step, so that a row of the table has a time.
static void runCourse(Lab* lab, Course* course, Trial trials[KIND_COUNT], int stepCount, float dt,
                      const Quantity quantities[2]) {
    int rowSteps = stepCount > 200 ? stepCount / 100 : 2, partSteps = stepCount / PART_COUNT;
    double seconds[KIND_COUNT] = {0.0};
    for (int step = 1; step <= stepCount && Lab_GoesOn(lab); ++step) {
        bool isRow = step % rowSteps == 0;
        if (isRow) {
            LabTable_AddRow(course->table, NULL);
            LabTable_Put(course->table, course->time, step * (double)dt);
        }
        for (int k = 0; k < KIND_COUNT; ++k) {
            double start = Lab_Now();
            Lab_Check(lab, sdWorld_Step(trials[k].world, dt), "a step");
            seconds[k] += Lab_Now() - start;
            if (isRow) {
                course->last[k] = findFaults(&trials[k]);
                noteWorst(&course->worst[k], &course->last[k]);
                for (int q = 0; q < 2; ++q) {
                    LabTable_Put(course->table, course->columns[quantities[q]][k],
                                 getQuantity(&course->last[k], quantities[q]));
                }
            }
            if (step % partSteps == 0) {
                LabSample_Add(&course->cost[k], 1e3 * seconds[k] / partSteps);
                seconds[k] = 0.0;
            }
        }
    }
}

static Course measureScene(Lab* lab, const char* name, int size, int stepCount,
                           const Quantity quantities[2]) {
    const sdScene* scene = sdScene_Find(name);
    Course course = {.table =
                         Lab_AddTable(lab, name, Lab_Text(lab, "%s: what happened", scene->title))};
    course.time = LabTable_AddColumn(course.table, "time", "s");
    for (int q = 0; q < 2; ++q) {
        for (int k = 0; k < KIND_COUNT; ++k) {
            course.columns[quantities[q]][k] = LabTable_AddColumn(
                course.table, Lab_Text(lab, "%s, %s", quantityNames[quantities[q]], kindNames[k]),
                "mm");
        }
    }
    Trial trials[KIND_COUNT] = {{0}};
    bool isGood = true;
    for (int k = 0; k < KIND_COUNT && isGood; ++k) {
        isGood = startTrial(lab, scene, size, k, &trials[k]);
    }
    if (isGood) {
        runCourse(lab, &course, trials, stepCount, scene->dt, quantities);
    }
    for (int k = 0; k < KIND_COUNT; ++k) {
        endTrial(&trials[k]);
    }
    return course;
}

static void plotCourse(Lab* lab, const Course* c, const char* name, Quantity quantity, bool isLog,
                       const char* title, const char* text) {
    LabPlot plot = {.name = name,
                    .title = title,
                    .text = text,
                    .x = {"time", "s"},
                    .y = {quantityNames[quantity], "mm", .isLog = isLog}};
    for (int k = 0; k < KIND_COUNT; ++k) {
        plot.series[k] =
            (LabSeries){c->table, c->time, c->columns[quantity][k], kindNames[k], LAB_CURVE};
    }
    Lab_AddPlot(lab, plot);
}

// ---- mass ratio ----------------------------------------------------------------------------

typedef struct Ratios {
    LabTable* table;
    int ratio, sunk[KIND_COUNT];
} Ratios;

/// How far a heavy box has sunk into a light one after some seconds, by their ratio.
static Ratios measureRatios(Lab* lab) {
    Ratios r = {Lab_AddTable(lab, "ratio", "Heavy on light: move of a box after two seconds")};
    r.ratio = LabTable_AddColumn(r.table, "ratio of masses", "");
    for (int k = 0; k < KIND_COUNT; ++k) {
        r.sunk[k] = LabTable_AddColumn(r.table, kindNames[k], "mm");
    }
    const sdScene* scene = sdScene_Find("heavy");
    for (int ratio = 1; ratio <= Lab_Choose(lab, 10000, 10000, 1000000) && Lab_GoesOn(lab);
         ratio *= 10) {
        LabTable_AddRow(r.table, NULL);
        LabTable_Put(r.table, r.ratio, ratio);
        for (int k = 0; k < KIND_COUNT && Lab_GoesOn(lab); ++k) {
            Trial trial;
            bool isGood = startTrial(lab, scene, ratio, k, &trial);
            for (int step = 0; step < 120 && isGood; ++step) {
                isGood = Lab_Check(lab, sdWorld_Step(trial.world, scene->dt), "a step");
            }
            if (isGood) {
                LabTable_Put(r.table, r.sunk[k], findFaults(&trial).drift);
            }
            endTrial(&trial);
        }
    }
    LabPlot plot = {.name = "ratio",
                    .title = "A heavy box on a light one",
                    .text = "The light box must carry what is on it, however heavy it is.",
                    .x = {"mass of the upper box by that of the lower", "", .isLog = true},
                    .y = {"move of a box after two seconds", "mm", .isLog = true}};
    for (int k = 0; k < KIND_COUNT; ++k) {
        plot.series[k] = (LabSeries){r.table, r.ratio, r.sunk[k], kindNames[k]};
    }
    Lab_AddPlot(lab, plot);
    return r;
}

// ---- findings ------------------------------------------------------------------------------

static const char* list(Lab* lab, const double values[KIND_COUNT], const char* unit) {
    return Lab_Text(lab, "%.3g %s soft, %.3g %s impulse, %.3g %s impulse + shock", values[0], unit,
                    values[1], unit, values[2], unit);
}

static void findTower(Lab* lab, const Course* c, int size) {
    const double drift[KIND_COUNT] = {c->last[0].drift, c->last[1].drift, c->last[2].drift};
    Lab_AddFinding(
        lab, (LabFinding){.claim = Lab_Text(lab,
                                            "A tower of %d boxes stands with the soft solver, "
                                            "and with impulses only by shock propagation.",
                                            size),
                          .ours = Lab_Text(lab, "moved by %s", list(lab, drift, "mm")),
                          .agrees = drift[0] < 5.0 && drift[2] < 5.0 && drift[1] > 20.0,
                          .why = "Impulses carry a load one box further in a pass; shock "
                                 "propagation goes through all from the ground up, and the soft "
                                 "solver solves slender stacks all at once."});
    const double gain = fmax(c->worst[0].height, c->worst[2].height);
    Lab_AddFinding(lab, (LabFinding){.claim = "What stands gains no energy.",
                                     .ours = Lab_Text(lab,
                                                      "at most %.3g mm of its height gained (soft, "
                                                      "impulse + shock)",
                                                      gain),
                                     .agrees = gain < 0.5,
                                     .why = "Overlap is pushed out gently, or never made."});
}

static void findRatio(Lab* lab, const Ratios* r) {
    // 10 000 to one
    const double sunk[KIND_COUNT] = {LabTable_Get(r->table, 4, r->sunk[0]),
                                     LabTable_Get(r->table, 4, r->sunk[1]),
                                     LabTable_Get(r->table, 4, r->sunk[2])};
    Lab_AddFinding(
        lab,
        (LabFinding){.claim = "A box carries one of 10 000 times its mass.",
                     .ours = list(lab, sunk, "mm"),
                     .agrees = sunk[0] < 5.0 && sunk[2] < 5.0 && sunk[1] > 10.0 * sunk[2],
                     .why = "An impulse between the two hardly moves the heavy one; with "
                            "shock propagation the light one counts as fixed once it stands."});
}

static void findChains(Lab* lab, const Course* c) {
    const double joint[KIND_COUNT] = {c->worst[0].joint, c->worst[1].joint, c->worst[2].joint};
    Lab_AddFinding(
        lab,
        (LabFinding){.claim = "Chains that fall from level hold together best with the soft "
                              "solver.",
                     .ours = Lab_Text(lab, "joints are off by at most %s", list(lab, joint, "mm")),
                     .agrees = joint[0] < 1.0 && joint[0] < joint[1] && joint[0] < joint[2],
                     .why = "Chains are solved exactly in every sub-step. Impulses meet the "
                            "positions at the end of a whole step, which a whip is far from."});
    const double lost[KIND_COUNT] = {c->last[0].height, c->last[1].height, c->last[2].height};
    double gain = fmax(c->worst[0].height, fmax(c->worst[1].height, c->worst[2].height));
    Lab_AddFinding(
        lab, (LabFinding){.claim = "No solver drives chains; the soft one keeps most energy.",
                          .ours = Lab_Text(lab, "at the end %s of height; most gained %.3g mm",
                                           list(lab, lost, "mm"), gain),
                          .agrees = gain < 20.0 && lost[0] > lost[1] && lost[0] > lost[2],
                          .why = "Impulses that mend positions take energy from fast links."});
}

static void findSkulls(Lab* lab, const Course* c) {
    const double depth[KIND_COUNT] = {c->worst[0].depth, c->worst[1].depth, c->worst[2].depth};
    Lab_AddFinding(
        lab, (LabFinding){.claim = "Skulls that fall into a heap are never in each other by 5 % of "
                                   "their size.",
                          .ours = Lab_Text(lab, "deepest at any time: %s", list(lab, depth, "mm")),
                          .agrees = depth[0] < 50.0 && depth[2] < 50.0 && depth[2] > 0.0,
                          .why = "A skull is 1 m high. All solvers get the same points from the "
                                 "same distance fields."});
}

static void reportCost(Lab* lab, const Course* courses, const char* const* names, int count) {
    LabTable* t = Lab_AddTable(lab, "cost", "Time of a step");
    int column[KIND_COUNT];
    LabPlot plot = {.name = "cost",
                    .title = "Time of a step",
                    .text = "Processor time of one thread, mean and spread over tenths of the run.",
                    .x = {"scene", ""},
                    .y = {"time of a step", "ms", .isLog = true}};
    for (int k = 0; k < KIND_COUNT; ++k) {
        column[k] = LabTable_AddColumn(t, kindNames[k], "ms");
        plot.series[k] = (LabSeries){t, 0, column[k], kindNames[k], LAB_BARS};
    }
    for (int i = 0; i < count; ++i) {
        LabTable_AddRow(t, names[i]);
        for (int k = 0; k < KIND_COUNT; ++k) {
            LabTable_PutSample(t, column[k], &courses[i].cost[k]);
        }
    }
    Lab_AddPlot(lab, plot);
}

static void run(Lab* lab) {
    static const char* const names[3] = {"tower", "chains", "skulls"};
    static const Quantity quantities[3][2] = {{DRIFT, HEIGHT}, {JOINT, HEIGHT}, {DEPTH, HEIGHT}};
    const int sizes[3] = {Lab_Choose(lab, 20, 40, 100), Lab_Choose(lab, 1, 3, 10),
                          Lab_Choose(lab, 2, 16, 50)};
    const int steps[3] = {Lab_Choose(lab, 120, 600, 1800), Lab_Choose(lab, 120, 300, 600),
                          Lab_Choose(lab, 90, 300, 420)};
    Course courses[3];
    for (int i = 0; i < 3 && Lab_GoesOn(lab); ++i) {
        Lab_AddSetting(lab, names[i], "%d %s, %d steps of 1/60 s", sizes[i],
                       sdScene_Find(names[i])->sizeName, steps[i]);
        courses[i] = measureScene(lab, names[i], sizes[i], steps[i], quantities[i]);
    }
    if (!Lab_GoesOn(lab)) {
        return;
    }
    plotCourse(lab, &courses[0], "tower", DRIFT, true, "A tower of boxes",
               "How far a box is from where it began, at most: it should not move.");
    Ratios ratios = measureRatios(lab);
    plotCourse(lab, &courses[1], "chains", JOINT, true, "Chains that are let go level",
               "How far a joint is apart, at most.");
    plotCourse(lab, &courses[1], "chains-energy", HEIGHT, false, "Energy of the chains",
               "All energy, as a height by which all would have been lifted or dropped: it should "
               "not change.");
    plotCourse(lab, &courses[2], "skulls", DEPTH, false, "Skulls that fall into a pen",
               "How deep the deepest point of a body is in another.");
    reportCost(lab, courses, names, 3);
    findTower(lab, &courses[0], sizes[0]);
    findRatio(lab, &ratios);
    findChains(lab, &courses[1]);
    findSkulls(lab, &courses[2]);
}

const LabExperiment labSolvers = {
    .name = "solvers",
    .title = "Soft constraints, impulses, impulses with shock propagation",
    .source = "ours",
    .question = "What holds better, and at which cost: sub-steps of soft constraints, the impulses "
                "of S2, or these with shock propagation?",
    .setup = "The same scenes with three settings of the world, everything else as it is by "
             "default, steps of 1/60 s, nothing asleep: a tower of boxes; a box on one of 1 to "
             "10 000 times less mass; chains of 20 capsules, let go level; skulls of 2 970 "
             "triangles that fall into a pen. Noted are the greatest move of a body, the deepest "
             "overlap, the greatest error of a joint and the change of all energy by all weight.",
    .run = run,
};
