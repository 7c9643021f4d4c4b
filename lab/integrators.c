// SPDX-License-Identifier: MIT
// integrators.c - experiment: error of a step against its length, by integrator (S0 §3).

#include "experiments.h"

#include <math.h>

#define KIND_COUNT 3
static const sdIntegrator kinds[KIND_COUNT] = {SD_INTEGRATOR_EXPLICIT_EULER,
                                               SD_INTEGRATOR_SEMI_IMPLICIT, SD_INTEGRATOR_RK4};
static const char* const kindNames[KIND_COUNT] = {"Euler", "semi-implicit Euler", "RK4"};

/// rad/s, of the spring.
#define SPRING_RATE 5.0f
/// rad/s, of the top: about its axis and across it.
#define TOP_SPIN 6.0f
#define TOP_TUMBLE 4.0f

/// Errors below these are those of float numbers, not of the integrator.
#define SPRING_ROUNDING 1e-6
#define TOP_ROUNDING 6e-5

// ---- one run -------------------------------------------------------------------------------

/// A body alone in a world without gravity; NULL, and the run has failed, when there is none.
static sdWorld* makeWorld(Lab* lab, sdIntegrator kind, sdShape shape, const sdBodyDef* bodyDef,
                          sdBodyId* body) {
    sdWorldDef def = sdWorldDef_Default();
    def.gravity = sdV3(0.0f, 0.0f, 0.0f);
    def.integrator = kind;
    def.subStepCount = 1;
    def.enableSleep = false;
    sdWorld* world = NULL;
    sdShapeDef shapeDef = sdShapeDef_Default(shape);
    if (!Lab_Check(lab, sdWorld_Create(NULL, &def, &world), "a world") ||
        !Lab_Check(lab, sdBody_Create(world, bodyDef, body), "a body") ||
        !Lab_Check(lab, sdBody_AddShape(world, *body, &shapeDef, NULL), "its shape")) {
        sdWorld_Destroy(world);
        return NULL;
    }
    return world;
}

static bool run(Lab* lab, sdWorld* world, int stepCount, float dt) {
    for (int i = 0; i < stepCount; ++i) {
        if (!Lab_Check(lab, sdWorld_Step(world, dt), "a step")) {
            return false;
        }
    }
    return true;
}

typedef struct Spring {
    int askedCount; ///< how often the force was asked for
} Spring;

static void pull(void* user, const sdWorld* world, sdBodyId body, const sdMotionState* state,
                 sdVec3* force, sdVec3* torque) {
    (void)torque;
    ++((Spring*)user)->askedCount;
    float stiffness = sdBody_GetMass(world, body).mass * SPRING_RATE * SPRING_RATE;
    *force = sdAdd(*force, sdV3(-stiffness * (float)state->center.x, 0.0f, 0.0f));
}

/// Distance in the plane of position and velocity from the closed form, after one second.
/// @param asked receives how often the force was asked for
static double findSpringError(Lab* lab, sdIntegrator kind, int stepCount, int* asked) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = SD_BODY_DYNAMIC;
    def.position = sdPos_Make(1.0, 0.0, 0.0);
    sdBodyId body;
    sdWorld* world = makeWorld(lab, kind, sdShape_Sphere(0.5f), &def, &body);
    if (world == NULL) {
        return NAN;
    }
    Spring spring = {0};
    sdWorld_SetForceFcn(world, pull, &spring);
    bool isRun = run(lab, world, stepCount, 1.0f / (float)stepCount);
    double rate = (double)SPRING_RATE;
    double x = sdBody_GetCenter(world, body).x - cos(rate);
    double v = (double)sdBody_GetVelocity(world, body).x / rate + sin(rate);
    sdWorld_Destroy(world);
    *asked = spring.askedCount;
    return isRun ? hypot(x, v) : (double)NAN;
}

/// A box with two equal moments turns freely: about its angular momentum L by |L| / I₁ and about
/// its own axis e by (1/I₃ - 1/I₁) L·e. That is its attitude after a second.
static sdQuat findTopAttitude(sdMassProps mass, sdVec3 w) {
    float across = mass.inertia.cx.x, along = mass.inertia.cz.z;
    sdVec3 momentum = sdV3(across * w.x, across * w.y, along * w.z);
    sdQuat round = sdQuat_FromRotationVector(sdScale(1.0f / across, momentum));
    float own = (1.0f / along - 1.0f / across) * momentum.z;
    return sdMulQ(round, sdQuat_FromRotationVector(sdV3(0.0f, 0.0f, own)));
}

/// Angle to that attitude, rad.
static double findTopError(Lab* lab, sdIntegrator kind, int stepCount) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = SD_BODY_DYNAMIC;
    def.angularVelocity = sdV3(TOP_TUMBLE, 0.0f, TOP_SPIN);
    sdBodyId body;
    sdWorld* world = makeWorld(lab, kind, sdShape_Box(0.2f, 0.2f, 0.5f), &def, &body);
    if (world == NULL) {
        return NAN;
    }
    sdQuat exact = findTopAttitude(sdBody_GetMass(world, body), def.angularVelocity);
    bool isRun = run(lab, world, stepCount, 1.0f / (float)stepCount);
    sdQuat turn = sdMulQ(sdBody_GetTransform(world, body).q, sdConjugate(exact));
    sdWorld_Destroy(world);
    return isRun ? (double)sdLength(sdQuat_ToRotationVector(turn)) : (double)NAN;
}

// ---- error against step --------------------------------------------------------------------

/// One row a step length, one column a kind.
typedef struct Columns {
    LabTable* table;
    int step, error[KIND_COUNT];
} Columns;

static Columns makeColumns(Lab* lab, const char* name, const char* title, const char* unit) {
    Columns c = {.table = Lab_AddTable(lab, name, title)};
    c.step = LabTable_AddColumn(c.table, "step", "s");
    for (int k = 0; k < KIND_COUNT; ++k) {
        c.error[k] = LabTable_AddColumn(c.table, kindNames[k], unit);
    }
    return c;
}

static void plotErrors(Lab* lab, const Columns* c, const char* name, const char* title,
                       const char* text, const char* unit) {
    LabPlot plot = {.name = name,
                    .title = title,
                    .text = text,
                    .x = {"length of a step", "s", .isLog = true},
                    .y = {"error after one second", unit, .isLog = true}};
    for (int k = 0; k < KIND_COUNT; ++k) {
        plot.series[k] = (LabSeries){c->table, c->step, c->error[k], kindNames[k]};
    }
    Lab_AddPlot(lab, plot);
}

static void measureSpring(Lab* lab) {
    Columns c = makeColumns(lab, "spring", "Error of a body on a spring after one second", "m");
    int asked[KIND_COUNT];
    for (int k = 0; k < KIND_COUNT; ++k) {
        const char* name = Lab_Text(lab, "%s, forces asked", kindNames[k]);
        asked[k] = LabTable_AddColumn(c.table, name, "");
    }
    for (int n = 16; n <= Lab_Choose(lab, 256, 1024, 4096) && Lab_GoesOn(lab); n *= 2) {
        LabTable_AddRow(c.table, NULL);
        LabTable_Put(c.table, c.step, 1.0 / n);
        for (int k = 0; k < KIND_COUNT; ++k) {
            int count = 0;
            LabTable_Put(c.table, c.error[k], findSpringError(lab, kinds[k], n, &count));
            LabTable_Put(c.table, asked[k], count);
        }
    }
    plotErrors(
        lab, &c, "spring-error", "A body on a spring",
        "Both axes are logarithmic: the slope is the order. RK4 ends where float numbers do.", "m");
    LabPlot cost = {.name = "spring-cost",
                    .title = "The same by what it costs",
                    .text = "For the same number of forces, RK4 is closer by orders of magnitude.",
                    .x = {"forces asked for", "", .isLog = true},
                    .y = {"error after one second", "m", .isLog = true}};
    for (int k = 0; k < KIND_COUNT; ++k) {
        cost.series[k] = (LabSeries){c.table, asked[k], c.error[k], kindNames[k]};
    }
    Lab_AddPlot(lab, cost);

    double p[KIND_COUNT];
    for (int k = 0; k < KIND_COUNT; ++k) {
        p[k] = LabTable_FitExponentAbove(c.table, c.step, c.error[k], SPRING_ROUNDING);
    }
    Lab_AddFinding(
        lab, (LabFinding){.claim = "The error that RK4 gathers is of the order h⁴.",
                          .document = "\"reda h⁴\" (eq. 3.4 - 3.9)",
                          .ours = Lab_Text(lab, "slope %.2f above rounding", p[2]),
                          .agrees = fabs(p[2] - 4.0) < 0.3,
                          .why = "The world's step asks forces four times a step, at its start, "
                                 "twice in its middle and at its end."});
    Lab_AddFinding(
        lab, (LabFinding){.claim = "Euler's method is of the first order, in both its forms.",
                          .document = "\"one of the simplest methods\"; no order given",
                          .ours = Lab_Text(lab,
                                           "slopes %.2f (position by the old velocity) and "
                                           "%.2f (by the new one)",
                                           p[0], p[1]),
                          .agrees = fabs(p[0] - 1.0) < 0.2 && fabs(p[1] - 1.0) < 0.2,
                          .why = "One force a step leaves an error of h² in each, and there are "
                                 "1/h of them."});
    // a row of RK4 asks as often as Euler's two rows below it
    double euler = LabTable_Get(c.table, 2, c.error[0]), rk4 = LabTable_Get(c.table, 0, c.error[2]);
    Lab_AddFinding(
        lab,
        (LabFinding){.claim = "Euler's method is not precise enough; RK4 is used instead.",
                     .document = "\"nije dovoljno precizna za naše potrebe\"",
                     .ours = Lab_Text(lab,
                                      "64 forces a second: %.2g m off by Euler's method, "
                                      "%.2g m by RK4",
                                      euler, rk4),
                     .agrees =
                         LabTable_Get(c.table, 2, asked[0]) == LabTable_Get(c.table, 0, asked[2]) &&
                         euler > 100.0 * rk4,
                     .why = "At the same cost RK4 has four times the step, and is still more than "
                            "a hundred times closer."});
}

static void measureTop(Lab* lab) {
    Columns c = makeColumns(lab, "top", "Error of attitude of a free top after one second", "rad");
    // 16, 24, 32, 48, 64, ...: few are above rounding
    for (int n = 16; n <= 1024 && Lab_GoesOn(lab); n += n % 3 == 0 ? n / 3 : n / 2) {
        LabTable_AddRow(c.table, NULL);
        LabTable_Put(c.table, c.step, 1.0 / n);
        for (int k = 0; k < KIND_COUNT; ++k) {
            LabTable_Put(c.table, c.error[k], findTopError(lab, kinds[k], n));
        }
    }
    plotErrors(lab, &c, "top-error", "A top that nothing acts on",
               "The semi-implicit step keeps the angular momentum and follows the attitude by "
               "RK4, so it has that slope.",
               "rad");
    double p[KIND_COUNT];
    for (int k = 0; k < KIND_COUNT; ++k) {
        p[k] = LabTable_FitExponentAbove(c.table, c.step, c.error[k], TOP_ROUNDING);
    }
    Lab_AddFinding(
        lab, (LabFinding){.claim = "The orders are the same for a body that turns freely.",
                          .document = "one method for all of the state (eq. 3.1)",
                          .ours = Lab_Text(lab, "slopes %.2f (Euler) and %.2f (RK4)", p[0], p[2]),
                          .agrees = fabs(p[0] - 1.0) < 0.2 && fabs(p[2] - 4.0) < 0.4,
                          .why = "Both integrate attitude and angular velocity like position and "
                                 "velocity."});
    Lab_AddFinding(
        lab, (LabFinding){.claim = "Semi-implicit Euler turns a body to the first order, too.",
                          .document = "not in the document; the textbook's answer",
                          .ours = Lab_Text(lab, "slope %.2f", p[1]),
                          .agrees = fabs(p[1] - 1.0) < 0.2,
                          .isExplained = p[1] > 3.5,
                          .why = "The default step does better: it keeps the angular momentum and "
                                 "turns the body by RK4 about it, which costs no force."});
}

// ---- energy of a tumbling box --------------------------------------------------------------

#define TUMBLE_RATE 60 // steps a second

static void measureEnergy(Lab* lab) {
    LabTable* t = Lab_AddTable(lab, "energy", "Energy of a tumbling box, steps of 1/60 s");
    int time = LabTable_AddColumn(t, "time", "s"), column[KIND_COUNT];
    sdWorld* worlds[KIND_COUNT] = {NULL};
    double start[KIND_COUNT], worst[KIND_COUNT] = {0.0};
    sdBodyDef def = sdBodyDef_Default();
    def.type = SD_BODY_DYNAMIC;
    def.angularVelocity = sdV3(0.1f, 5.0f, 0.1f);
    for (int k = 0; k < KIND_COUNT; ++k) {
        sdBodyId body;
        column[k] = LabTable_AddColumn(t, kindNames[k], "% of the start");
        worlds[k] = makeWorld(lab, kinds[k], sdShape_Box(0.05f, 0.2f, 0.45f), &def, &body);
        start[k] = worlds[k] != NULL ? sdWorld_GetEnergy(worlds[k]).kinetic : 1.0;
    }
    int seconds = Lab_Choose(lab, 5, 20, 60);
    for (int i = 0; i <= 10 * seconds && Lab_GoesOn(lab); ++i) {
        LabTable_AddRow(t, NULL);
        LabTable_Put(t, time, i / 10.0);
        for (int k = 0; k < KIND_COUNT; ++k) {
            double share = sdWorld_GetEnergy(worlds[k]).kinetic / start[k];
            LabTable_Put(t, column[k], 100.0 * share);
            worst[k] = fmax(worst[k], fabs(share - 1.0));
            run(lab, worlds[k], TUMBLE_RATE / 10, 1.0f / TUMBLE_RATE);
        }
    }
    for (int k = 0; k < KIND_COUNT; ++k) {
        sdWorld_Destroy(worlds[k]);
    }
    LabPlot plot = {.name = "tumble",
                    .title = "A box that tumbles about its middle axis",
                    .text = "Nothing acts on it: its energy should not change.",
                    .x = {"time", "s"},
                    .y = {"kinetic energy", "% of the start"}};
    for (int k = 0; k < KIND_COUNT; ++k) {
        plot.series[k] = (LabSeries){t, time, column[k], kindNames[k], LAB_CURVE};
    }
    Lab_AddPlot(lab, plot);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "Euler's method does not keep the energy; the others do.",
                          .document = "\"nije dovoljno precizna\" [Hecker96]",
                          .ours = Lab_Text(lab,
                                           "off by up to %.1f %% (Euler), %.3f %% (semi-implicit), "
                                           "%.3f %% (RK4) in %d s",
                                           100.0 * worst[0], 100.0 * worst[1], 100.0 * worst[2],
                                           seconds),
                          .agrees = worst[0] > 0.05 && worst[1] < 1e-3 && worst[2] < 1e-3,
                          .why = "Each of Euler's steps is off by h², always to the same side."});
}

static void runAll(Lab* lab) {
    Lab_AddSetting(lab, "spring", "%g rad/s", (double)SPRING_RATE);
    Lab_AddSetting(lab, "top", "0.4 x 0.4 x 1 m, %g rad/s about its axis, %g across",
                   (double)TOP_SPIN, (double)TOP_TUMBLE);
    measureSpring(lab);
    measureTop(lab);
    measureEnergy(lab);
}

const LabExperiment labIntegrators = {
    .name = "integrators",
    .title = "Euler, semi-implicit Euler and RK4",
    .source = "S0 §3",
    .question = "How does the error of a motion shrink with the length of a step, by integrator?",
    .setup =
        "One body in a world without gravity, one sub-step a step. First on a spring (5 rad/s), "
        "whose motion is a cosine; then a top that turns freely, whose attitude has a closed "
        "form because two of its moments are equal; then a box that tumbles about its middle "
        "axis, whose energy must stay.",
    .document = "Euler's method is one of the simplest, but not precise enough; RK4 takes steps "
                "between to cancel errors of lower order, so that its error is of the order h⁴. "
                "The document gives no measurement.",
    .run = runAll,
};
