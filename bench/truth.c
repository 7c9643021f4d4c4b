// SPDX-License-Identifier: MIT
// truth.c - motions whose outcome is known: error against cost, in every engine.
//
// bench_truth [--quick] [--check] [TEXT]
// TEXT selects the tests whose names have it: "slope", "666" ...
// --quick: fewer lengths of step and no repeats. --check: only the references, against published
// numbers.
//
// Engines get the same bodies and the same lengths of step, with their own default settings. Cost
// is processor time for a second of the motion, the least of some repeats. An engine is beaten at a
// point if ours is as exact, or both are below what can be told, for no more than 1.1 of its cost.
// Longer steps than the longest here are nobody's: see isBeaten.

#include "truth.h"
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const truthTest* const tests[] = {
    &truthRolling,  &truthBouncing,  &truthGrid,    &truthElasticGrid, &truthKapla,
    &truthFreeBox,  &truthThreshold, &truthSliding, &truthSphereSlope, &truthSlipRoll,
    &truthPendulum, &truthTop,       &truthCradle,  &truthScrew,       &truthArch,
    &truthDominoes, &truthRod,
};

enum { SUDAR, BULLET, ODE, MUJOCO, ENGINE_COUNT };
static const rivalEngine* const engines[ENGINE_COUNT] = {&rivalSudarWorld, &rivalBulletWorld,
                                                         &rivalOdeWorld, &rivalMujocoWorld};

#define SAMPLE_RATE 60
#define LIMIT_SECONDS 20.0 // that one run may take
#define REPEATS 3
#define EQUAL_COST 1.1

typedef enum Outcome { NOT_SUPPORTED, FAILED, DONE } Outcome;

/// What came of a test in an engine, with one length of step. In memory that processes share.
typedef struct Point {
    Outcome outcome;
    int rate;
    double cost, costSpread; ///< s of the processor for a second; share of it between repeats
    double errors[TRUTH_MAX_METRICS];
    char note[RIVAL_WHY_SIZE]; ///< why it failed, or what a test says
} Point;

typedef struct Order {
    const truthTest* test;
    const rivalEngine* engine;
    const rivalWorldScene* scene;
    Point* point;
    double end;
} Order;

static sdResult buildTest(const rivalWorldScene* scene, sdWorld* world) {
    sdSceneBuilder builder = {.world = world,
                              .random = 1,
                              .scale = 1.0f,
                              .material = sdMaterial_Default(),
                              .density = 1000.0f};
    ((const truthTest*)scene->source)->build(&builder);
    return builder.result;
}

// ---- one run -------------------------------------------------------------------------------

static void sample(truthRun* run) {
    run->engine->getPoses(run->self, run->poses);
    run->engine->getVelocities(run->self, run->velocities, run->angular);
    if (run->test->watch != NULL) {
        run->test->watch(run);
    }
}

static bool isFinite(const truthRun* run) {
    for (int i = 0; i < run->scene->bodyCount; ++i) {
        if (!sdPos_IsFinite(run->poses[i].p) || !sdQuat_IsFinite(run->poses[i].q)) {
            return false;
        }
    }
    return true;
}

/// @return processor time, s; below 0 when time was up or numbers are not finite any more
static double runSteps(truthRun* run, int rate, double end) {
    int count = (int)lround(run->test->seconds * rate);
    int every = run->test->isSampledByStep ? 1 : sdMaxI(rate / SAMPLE_RATE, 1);
    double cost = 0.0;
    sample(run);
    for (int i = 0; i < count;) {
        double start = bench_ThreadTime();
        for (int k = 0; k < every && i < count; ++k, ++i) {
            if (run->test->force != NULL) {
                run->test->force(run);
            }
            run->engine->step(run->self);
        }
        cost += bench_ThreadTime() - start;
        run->time = (double)i / rate;
        run->sampleCount += 1;
        sample(run);
        if (bench_Now() > end || !isFinite(run)) {
            return -1.0;
        }
    }
    return cost;
}

static void runOnce(const Order* order, int repeat) {
    Point* point = order->point;
    truthRun run = {.test = order->test,
                    .scene = order->scene,
                    .engine = order->engine,
                    .dt = (double)order->scene->dt};
    size_t count = (size_t)order->scene->bodyCount;
    run.poses = calloc(count, sizeof *run.poses);
    run.velocities = calloc(count, sizeof *run.velocities);
    run.angular = calloc(count, sizeof *run.angular);
    snprintf(point->note, sizeof point->note, "could not make its world");
    run.self = order->engine->create(order->scene, point->note);
    if (run.self == NULL || run.poses == NULL || run.velocities == NULL || run.angular == NULL) {
        point->outcome = NOT_SUPPORTED;
        return;
    }
    point->outcome = FAILED;
    snprintf(point->note, sizeof point->note, "did not come back from a step");
    double cost = runSteps(&run, point->rate, order->end);
    if (cost < 0.0) {
        snprintf(point->note, sizeof point->note, "%s",
                 isFinite(&run) ? "time was up" : "poses that are not finite");
        return;
    }
    cost /= order->test->seconds;
    run.test->finish(&run);
    memcpy(point->errors, run.errors, sizeof point->errors);
    snprintf(point->note, sizeof point->note, "%s", run.note);
    // spread: how far apart the repeats are, of the least
    double most = repeat == 0 ? cost : fmax(cost, point->cost * (1.0 + point->costSpread));
    point->cost = repeat == 0 ? cost : fmin(cost, point->cost);
    point->costSpread = point->cost > 0.0 ? most / point->cost - 1.0 : 0.0;
    point->outcome = DONE;
    order->engine->destroy(run.self);
    free(run.poses);
    free(run.velocities);
    free(run.angular);
}

static int repeatCount = REPEATS;

static void runOrder(void* arg) {
    const Order* order = (const Order*)arg;
    double start = bench_Now();
    for (int i = 0; i < repeatCount; ++i) {
        runOnce(order, i);
        // long runs are steady by themselves
        if (order->point->outcome != DONE || bench_Now() - start > 0.5) {
            return;
        }
    }
}

// ---- tables --------------------------------------------------------------------------------

static void printPoint(const truthTest* test, const rivalEngine* engine, const Point* p) {
    printf("  %-8s 1/%-5d", engine->name, p->rate);
    if (p->outcome != DONE) {
        printf(" %s: %s\n", p->outcome == FAILED ? "failed" : "not supported", p->note);
        return;
    }
    for (int k = 0; k < TRUTH_MAX_METRICS && test->metrics[k].name != NULL; ++k) {
        printf(" %12.3e", p->errors[k]);
    }
    printf(" %12.1f  %s\n", 1e6 * p->cost, p->note);
}

static void recordPoint(const truthTest* test, const rivalEngine* engine, const Point* p) {
    char row[128];
    bool isDone = p->outcome == DONE;
    const char* why = p->outcome == FAILED ? "failed: " : (isDone ? "" : "not supported: ");
    char note[RIVAL_WHY_SIZE + 24];
    snprintf(note, sizeof note, "%s%s", why, p->note);
    bench_SetGroup("truth %s", test->name);
    for (int k = 0; k < TRUTH_MAX_METRICS && test->metrics[k].name != NULL; ++k) {
        snprintf(row, sizeof row, "%s, 1/%d s", test->metrics[k].name, p->rate);
        bench_Record((benchRecord){.row = row,
                                   .engine = engine->name,
                                   .value = isDone ? p->errors[k] : NAN,
                                   .unit = test->metrics[k].unit,
                                   .note = note});
    }
    snprintf(row, sizeof row, "cost, 1/%d s", p->rate);
    bench_Record((benchRecord){.row = row,
                               .engine = engine->name,
                               .value = isDone ? 1e6 * p->cost : NAN,
                               .unit = "us for a second",
                               .spread = p->costSpread,
                               .note = note});
}

typedef struct Table {
    Point points[ENGINE_COUNT][TRUTH_MAX_RATES];
} Table;

/// Whether ours is as good as this point of another for as much time. What costs less than any of
/// ours and is worse than all of ours is beaten, too: the same could be had with longer steps.
static bool isBeaten(const truthTest* test, const Table* table, const Point* rival, int metric) {
    double limit = fmax(rival->errors[metric], test->metrics[metric].floor);
    bool isCheaper = true, isWorse = true;
    for (int i = 0; i < TRUTH_MAX_RATES && test->rates[i] > 0; ++i) {
        const Point* ours = &table->points[SUDAR][i];
        bool isAsGood = ours->outcome == DONE && ours->errors[metric] <= limit;
        bool isAsCheap = ours->outcome == DONE && ours->cost <= EQUAL_COST * rival->cost;
        if (isAsGood && isAsCheap) {
            return true;
        }
        isCheaper = isCheaper && !isAsCheap;
        isWorse = isWorse && isAsGood;
    }
    return isCheaper && isWorse;
}

/// Points of others that ours does not beat, one line for each measure.
static int judge(const truthTest* test, const Table* table) {
    int missed = 0;
    for (int k = 0; k < TRUTH_MAX_METRICS && test->metrics[k].name != NULL; ++k) {
        int count = 0, unbeaten = 0;
        char which[RIVAL_WHY_SIZE] = "";
        for (int e = BULLET; e < ENGINE_COUNT; ++e) {
            int of = 0, better = 0;
            for (int i = 0; i < TRUTH_MAX_RATES && test->rates[i] > 0; ++i) {
                const Point* p = &table->points[e][i];
                bool counts = p->outcome == DONE && isfinite(p->errors[k]);
                of += counts ? 1 : 0;
                better += counts && !isBeaten(test, table, p, k) ? 1 : 0;
            }
            count += of;
            unbeaten += better;
            if (better > 0) {
                size_t used = strlen(which);
                snprintf(which + used, sizeof which - used, "%s%s at %d of %d",
                         used > 0 ? ", " : "", engines[e]->name, better, of);
            }
        }
        printf("  %s: first at equal cost%s%s\n", test->metrics[k].name,
               unbeaten == 0 ? "" : " but for ", which);
        char row[128];
        snprintf(row, sizeof row, "%s: points of %d that ours does not beat", test->metrics[k].name,
                 count);
        bench_Record((benchRecord){
            .row = row, .engine = "Sudar", .value = unbeaten, .hasGoal = true, .note = which});
        missed += unbeaten > 0 ? 1 : 0;
    }
    return missed;
}

static int benchTest(const truthTest* test, Table* table, bool isQuick) {
    printf("\n%s: %s\n  %s\n  %-16s", test->name, test->title, test->reference, "");
    for (int k = 0; k < TRUTH_MAX_METRICS && test->metrics[k].name != NULL; ++k) {
        printf(" %12.12s", test->metrics[k].name);
    }
    printf(" %12s\n", "us for 1 s");
    memset(table, 0, sizeof *table);
    for (int e = 0; e < ENGINE_COUNT; ++e) {
        bool isTold = false;
        for (int i = 0; i < TRUTH_MAX_RATES && test->rates[i] > 0; ++i) {
            Point* p = &table->points[e][i];
            p->rate = test->rates[i];
            rivalWorldScene scene = {.def = sdWorldDef_Default(),
                                     .build = buildTest,
                                     .source = test,
                                     .dt = 1.0f / (float)p->rate};
            scene.def.gravity = test->gravity;
            if (!bench_BuildScene(&scene)) {
                fprintf(stderr, "bench_truth: could not build %s\n", test->name);
                exit(EXIT_FAILURE);
            }
            snprintf(p->note, sizeof p->note, "ended by itself");
            p->outcome = FAILED;
            Order order = {test, engines[e], &scene, p, bench_Now() + LIMIT_SECONDS};
            repeatCount = isQuick ? 1 : REPEATS;
            if (!bench_RunApart(runOrder, &order, 1.5 * LIMIT_SECONDS)) {
                fprintf(stderr, "bench_truth: no processes left\n");
                exit(EXIT_FAILURE);
            }
            // what it lacks it lacks with every step
            if (!isTold) {
                printPoint(test, engines[e], p);
                recordPoint(test, engines[e], p);
            }
            isTold = p->outcome == NOT_SUPPORTED;
            bench_CloseScene(&scene);
        }
    }
    return judge(test, table);
}

// ---- program -------------------------------------------------------------------------------

/// The references that are computed, against published numbers.
static bool checkReferences(void) {
    double zeros = truth_CheckFreeBox(), arch = truth_CriticalArch(401);
    printf("zeros of w_y of the box are off by %.1e s (published to 1e-4)\n", zeros);
    printf("arch of 401 wedges: %.5f (published: 0.1075), of 27: %.5f\n", arch,
           truth_CriticalArch(27));
    return zeros < 1.5e-4 && fabs(arch - 0.1075) < 1e-4;
}

int main(int argc, char** argv) {
    bool isQuick = false, isCheck = false;
    const char* text = NULL;
    for (int i = 1; i < argc; ++i) {
        isQuick = isQuick || strcmp(argv[i], "--quick") == 0;
        isCheck = isCheck || strcmp(argv[i], "--check") == 0;
        if (argv[i][0] != '-' && text == NULL) {
            text = argv[i];
        } else if (strcmp(argv[i], "--quick") != 0 && strcmp(argv[i], "--check") != 0) {
            fprintf(stderr, "usage: bench_truth [--quick] [--check] [TEXT]\n");
            return 2;
        }
    }
    if (!checkReferences()) {
        fprintf(stderr, "bench_truth: a reference is wrong\n");
        return 1;
    }
    Table* table = bench_ShareMemory(sizeof *table);
    if (table == NULL) {
        fprintf(stderr, "bench_truth: no memory\n");
        return 1;
    }
    int missed = 0;
    double start = bench_Now();
    for (size_t i = 0; i < sizeof tests / sizeof tests[0] && !isCheck; ++i) {
        if (text == NULL || strstr(tests[i]->name, text) != NULL) {
            missed += benchTest(tests[i], table, isQuick);
        }
    }
    printf("\n%d measures in which another is better at its cost; %.0f s\n", missed,
           bench_Now() - start);
    bench_UnshareMemory(table, sizeof *table);
    return 0;
}
