// SPDX-License-Identifier: MIT
// world.c - our world beside Bullet, ODE and MuJoCo: same scenes, same run.
//
// bench_world [--quick] [TEXT]
// TEXT selects the parts whose names have it: "pyramid 40", "pile", "sleepers" ...
// --quick: fewer steps, less patience.
//
// Scenes come from scenes/; adapters read them through the public API, so all have the same shapes,
// masses and friction, steps of 1/60 s, no sleep, and their own default settings. Ratios are to
// Bullet, and the machine is a noisy one: all run a scene in turns, several times, and of each step
// the shortest time counts. Depths and shifts are measured on the final poses by one piece of code.

#include "world.h"
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUDAR, SUDAR2, BULLET, ODE, MUJOCO, ENGINE_COUNT };

static const struct {
    const rivalEngine* engine;
    const char* name;
    int threadCount;
} engines[ENGINE_COUNT] = {
    [SUDAR] = {&rivalSudarWorld, "Sudar", 1},
    [SUDAR2] = {&rivalSudarWorld, "Sudar, 2 threads", 2},
    [BULLET] = {&rivalBulletWorld, "Bullet", 1},
    [ODE] = {&rivalOdeWorld, "ODE", 1},
    [MUJOCO] = {&rivalMujocoWorld, "MuJoCo", 1},
};

/// Of one scene; 0: nobody has set one.
typedef struct Bars {
    double bar[2], goal[2]; ///< ratios to Bullet, with 1 and 2 threads
    double worstMm, meanMm, shiftMm, gapMm;
} Bars;

typedef struct Row {
    const char* part; ///< name for selection
    const char* scene;
    int size, stepCount, firstMeasured, quickStepCount;
    Bars bars;
} Row;

static const Row rows[] = {
    {"pyramid 40", "pyramid", 40, 300, 60, 120, {{0.30, 0.17}, {0.20, 0.11}, 2.0, 0.0, 10.0, 0.0}},
    {"tight pyramid 40",
     "tight-pyramid",
     40,
     300,
     60,
     120,
     {{0.30, 0.17}, {0.20, 0.11}, 2.0, 0.0, 10.0, 0.0}},
    {"pyramid 100", "pyramid", 100, 300, 60, 90, {{0.30, 0.17}, {0.20, 0.11}, 2.0, 0.0, 10.0, 0.0}},
    {"pile 4000", "pile", 4000, 600, 300, 330, {{0.28, 0.16}, {0.18, 0.10}, 20.0, 2.0, 0.0, 0.0}},
    {"rain 1200", "rain", 1200, 600, 300, 330, {{0.0, 0.0}, {0.0, 0.0}, 20.0, 2.0, 0.0, 0.0}},
    {"chains 100", "chains", 100, 300, 60, 120, {{0.25, 0.15}, {0.15, 0.08}, 0.0, 0.0, 0.0, 1.0}},
    {"joint grid 10000",
     "joint-grid",
     10000,
     120,
     20,
     60,
     {{0.33, 0.33}, {0.33, 0.33}, 0.0, 0.0, 0.0, 0.0}},
    {"ragdolls 1000",
     "ragdolls",
     1000,
     240,
     60,
     90,
     {{0.33, 0.33}, {0.33, 0.33}, 0.0, 0.0, 0.0, 0.0}},
};

#define LIMIT_SECONDS 60.0 // that an engine may take for a scene
#define QUICK_LIMIT_SECONDS 30.0
// All engines run a scene in turns, again and again, and of each step the shortest time counts.
#define MIN_ROUNDS 2
#define MAX_ROUNDS 15
#define ROUNDS_SECONDS 20.0 // rounds are added until then

typedef struct Bench {
    bool isQuick;
    const char* text;
    int missedCount;
} Bench;

static bool isWanted(const Bench* bench, const char* part) {
    return bench->text == NULL || strstr(part, bench->text) != NULL;
}

static const char* judge(Bench* bench, double value, double limit) {
    if (limit <= 0.0) {
        return "";
    }
    bench->missedCount += value <= limit ? 0 : 1;
    return value <= limit ? "met" : "NOT MET";
}

/// @param ratio to Bullet; 0: it cannot
static void printSpeed(Bench* bench, const Row* row, int index, double ms, double ratio) {
    printf("  %-17s %9.3f", engines[index].name, ms);
    if (ratio > 0.0) {
        printf(" %7.3f", ratio);
    } else {
        printf(" %7s", "-");
    }
    int column = engines[index].threadCount - 1;
    if (index > SUDAR2 || row->bars.bar[column] <= 0.0 || ratio <= 0.0) {
        printf("  %-15s %-15s", "", "");
        return;
    }
    double bar = row->bars.bar[column], goal = row->bars.goal[column];
    printf("  %5.2f %-9s %5.2f %-9s", bar, judge(bench, ratio, bar), goal,
           judge(bench, ratio, goal));
}

static void printQuality(Bench* bench, const Row* row, int index, const rivalWorldScene* scene,
                         const benchRun* run) {
    benchQuality quality;
    if (!run->hasPoses || !bench_MeasureQuality(scene, run->poses, &quality)) {
        printf("\n");
        return;
    }
    if (!quality.isFinite) {
        printf("  poses that are not finite\n");
        return;
    }
    if (engines[index].threadCount == 1) {
        bench_RecordValue("deepest overlap at the end", engines[index].name, quality.worstMm, "mm");
        if (row->bars.shiftMm > 0.0) {
            bench_RecordValue("farthest shift", engines[index].name, quality.shiftMm, "mm");
        }
        if (quality.jointCount > 0) {
            bench_RecordValue("worst joint", engines[index].name, quality.gapMm, "mm");
        }
    }
    printf(" %9.2f %9.3f %10.1f", quality.worstMm, quality.meanMm, quality.shiftMm);
    if (quality.jointCount > 0) {
        printf(", worst joint %.3f mm", quality.gapMm);
    }
    if (index == SUDAR) {
        const char* verdicts[4] = {judge(bench, quality.worstMm, row->bars.worstMm),
                                   judge(bench, quality.meanMm, row->bars.meanMm),
                                   judge(bench, quality.shiftMm, row->bars.shiftMm),
                                   judge(bench, quality.gapMm, row->bars.gapMm)};
        for (int i = 0; i < 4; ++i) {
            printf("%s%s", verdicts[i][0] != '\0' ? "  " : "", verdicts[i]);
        }
    }
    if (run->outcome == BENCH_TOO_SLOW) {
        printf("  after %d steps only: time was up", run->stepCount);
    }
    printf("\n");
}

static void printStages(const benchRun* run) {
    const sdWorldStats* s = &run->stats;
    printf(
        "  stages of Sudar, ms: pairs %.3f, contacts %.3f, islands and colours %.3f, solve %.3f, "
        "refit %.3f, sleep %.3f; %d contacts, %d points, %d colours\n",
        (double)s->pairMs, (double)s->contactMs, (double)s->islandMs, (double)s->solveMs,
        (double)s->refitMs, (double)s->sleepMs, s->contactCount, s->pointCount, s->colorCount);
}

/// One engine once more.
static void runAgain(benchRun** best, int i, const rivalWorldScene* scene, const Row* row,
                     int steps, double limit) {
    rivalWorldScene own = *scene;
    own.threadCount = engines[i].threadCount;
    benchRun* run = bench_RunWorld(engines[i].engine, &own, steps, row->firstMeasured, limit);
    if (run == NULL) {
        fprintf(stderr, "bench_world: no memory or no processes left\n");
        exit(EXIT_FAILURE);
    }
    if (*best == NULL) {
        *best = run;
    } else {
        bench_KeepLeast(*best, run);
        bench_FreeRun(run, scene);
    }
}

/// @return rounds that were run
static int runAll(const Bench* bench, const Row* row, const rivalWorldScene* scene, int steps,
                  benchRun** runs) {
    double limit = bench->isQuick ? QUICK_LIMIT_SECONDS : LIMIT_SECONDS;
    double start = bench_Now();
    int round = 0;
    while (round < MIN_ROUNDS || (round < MAX_ROUNDS && bench_Now() - start < ROUNDS_SECONDS)) {
        for (int i = 0; i < ENGINE_COUNT; ++i) {
            // who cannot, or had no time for all steps, is not asked again
            if (runs[i] == NULL || runs[i]->outcome == BENCH_FINISHED) {
                runAgain(&runs[i], i, scene, row, steps, limit);
            }
        }
        ++round;
    }
    return round;
}

static void benchScene(Bench* bench, const Row* row) {
    rivalWorldScene scene;
    if (!bench_OpenScene(row->scene, row->size, &scene)) {
        fprintf(stderr, "bench_world: could not build %s\n", row->scene);
        exit(EXIT_FAILURE);
    }
    int steps = bench->isQuick ? row->quickStepCount : row->stepCount;
    bench_SetGroup("world, %s", row->part);
    benchRun* runs[ENGINE_COUNT] = {NULL};
    int rounds = runAll(bench, row, &scene, steps, runs);
    printf("\n%s: %d bodies, %d steps, mean after %d, best of %d rounds\n", row->part,
           scene.bodyCount, steps, row->firstMeasured, rounds);
    printf("  %-17s %9s %7s  %-15s %-15s %9s %9s %10s\n", "", "ms a step", "ratio", "bar", "goal",
           "worst mm", "mean mm", "shift mm");
    for (int i = 0; i < ENGINE_COUNT; ++i) {
        if (runs[i]->stepCount == 0) {
            printf("  %-17s cannot: %s\n", engines[i].name, runs[i]->why);
            bench_RecordFailure("ms a step", engines[i].name, "ms", runs[i]);
        } else {
            int threads = engines[i].threadCount;
            double ms = bench_StepMs(runs[i], threads);
            printSpeed(bench, row, i, ms, bench_StepRatio(runs[i], threads, runs[BULLET]));
            bench_Record((benchRecord){
                .row = "ms a step",
                .engine = engines[i].name,
                .value = ms,
                .unit = "ms",
                .spread = bench_StepSpread(runs[i]),
                .note = runs[i]->outcome == BENCH_TOO_SLOW ? "not all steps: time was up" : ""});
            printQuality(bench, row, i, &scene, runs[i]);
        }
    }
    printStages(runs[SUDAR]);
    fflush(stdout);
    for (int i = 0; i < ENGINE_COUNT; ++i) {
        bench_FreeRun(runs[i], &scene);
    }
    bench_CloseScene(&scene);
}

static bool readArguments(int argc, char** argv, Bench* bench) {
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--quick") == 0) {
            bench->isQuick = true;
        } else if (argv[i][0] != '-' && bench->text == NULL) {
            bench->text = argv[i];
        } else {
            return false;
        }
    }
    return true;
}

int main(int argc, char** argv) {
    Bench bench = {0};
    if (!readArguments(argc, argv, &bench)) {
        fprintf(stderr, "usage: bench_world [--quick] [TEXT]\n");
        return 2;
    }
    double start = bench_Now();
    printf("Worlds, steps of 1/60 s. One thread: mean processor time; two: mean time by the "
           "clock, which other programs disturb.\nAll run a scene in turns, several times; of each "
           "step the shortest time counts.\nEngines as they come:");
    for (int i = SUDAR; i < ENGINE_COUNT; ++i) {
        if (i != SUDAR2) {
            printf(" %s: %s.", engines[i].name, engines[i].engine->settings);
        }
    }
    printf("\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if (isWanted(&bench, rows[i].part)) {
            benchScene(&bench, &rows[i]);
        }
    }
    if (isWanted(&bench, "bullets")) {
        bench_SetGroup("world, bullets");
        printf("\n1000 bullets at 200 m/s in a closed room with 1000 bodies, all elastic\n");
        bench_Bullets(bench.isQuick);
    }
    if (isWanted(&bench, "rays")) {
        bench_SetGroup("world, rays");
        printf("\nrays against a pile of 4000 at rest\n");
        bench_Rays(bench.isQuick);
    }
    if (isWanted(&bench, "sleepers")) {
        bench_SetGroup("world, ours alone");
        printf("\nsleepers\n");
        bench_Sleepers(bench.isQuick);
    }
    if (isWanted(&bench, "memory")) {
        bench_SetGroup("world, ours alone");
        printf("\nmemory\n");
        bench_Memory();
    }
    if (isWanted(&bench, "growth")) {
        bench_SetGroup("world, growth");
        printf("\ngrowth: a pile five deep and as wide as it takes\n");
        bench_Growth(bench.isQuick);
    }
    if (isWanted(&bench, "snapshots")) {
        bench_SetGroup("world, ours alone");
        printf("\nsnapshots of the pile of 4000\n");
        bench_Snapshots(bench.isQuick);
    }
    printf("\n%d bars and goals of scenes not met; %.0f s\n", bench.missedCount,
           bench_Now() - start);
    return 0;
}
