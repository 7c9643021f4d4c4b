// SPDX-License-Identifier: MIT
// world_bullets.c - fast bodies in a closed room, beside Bullet and ODE: time, and who got out.
//
// Bullet sweeps a ball inside of each of its bullets, as its manual says; ODE looks at where bodies
// are at the ends of steps only. Whoever lets bodies out or slows them down has less to do
// afterwards: so the time is that of the first steps, in which all are as fast as each other, and
// what all steps take stands beside how far bullets still go in the last of them.

#include "bench.h"
#include "world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE 1000
#define STEPS 240
#define QUICK_STEPS 60
#define FIRST_STEPS 10
// Engines take turns, and of each step the shortest time counts (world.c).
#define ROUNDS 5
#define LIMIT_SECONDS 60.0
#define RATIO_GOAL (1.0 / 3.0)

enum { SUDAR, BULLET, ODE, ENGINE_COUNT };

/// Bodies that move and are not within the walls any more.
static int countOutside(const rivalWorldScene* scene, const sdWorldTransform* poses) {
    double half = INFINITY;
    for (int i = 0; i < scene->bodyCount; ++i) {
        if (sdBody_GetType(scene->world, scene->bodies[i]) == SD_BODY_STATIC) {
            sdPos p = sdBody_GetTransform(scene->world, scene->bodies[i]).p;
            half = fmin(half, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
        }
    }
    int count = 0;
    for (int i = 0; i < scene->bodyCount; ++i) {
        sdPos p = poses[i].p;
        bool isInside = fabs(p.x) <= half && fabs(p.y) <= half && fabs(p.z) <= half;
        count += isInside ? 0 : 1;
    }
    // the walls themselves are not counted: their middles are where `half` is
    return count;
}

/// Mean way of the bullets from one pose to the next, m.
static double meanWay(const rivalWorldScene* scene, const benchRun* run, const benchRun* next) {
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < scene->bodyCount && run->hasPoses && next->hasPoses; ++i) {
        if (sdBody_IsBullet(scene->world, scene->bodies[i])) {
            sum += (double)sdLength(sdPos_Sub(next->poses[i].p, run->poses[i].p));
            count += 1;
        }
    }
    return count > 0 ? sum / count : 0.0;
}

/// One engine: its first steps, all of them, and one more.
typedef struct Runs {
    benchRun *first, *all, *more;
} Runs;

static void print(const char* name, const Runs* runs, const rivalWorldScene* scene,
                  const Runs* ours) {
    if (runs->all->stepCount == 0) {
        printf("  %-8s cannot: %s\n", name, runs->all->why);
        bench_RecordFailure("ms a step, first 10 steps", name, "ms", runs->all);
        return;
    }
    int outside = countOutside(scene, runs->all->poses);
    double ms = bench_StepMs(runs->first, 1), all = bench_StepMs(runs->all, 1);
    printf(
        "  %-8s %8.3f ms of the first %d steps, %8.3f ms of %d; %d of %d bodies outside, bullets "
        "go %.2f m in the last\n",
        name, ms, FIRST_STEPS, all, runs->all->stepCount, outside, 2 * SIZE,
        meanWay(scene, runs->all, runs->more));
    char note[96];
    snprintf(note, sizeof note, "%d of %d bodies got out", outside, 2 * SIZE);
    bench_Record((benchRecord){.row = "ms a step, first 10 steps",
                               .engine = name,
                               .value = outside > 0 ? NAN : ms,
                               .unit = "ms",
                               .spread = bench_StepSpread(runs->first),
                               .note = outside > 0 ? note : ""});
    if (runs != ours && outside > 0) {
        printf("    no comparison: it does not look at what is between the ends of a step\n");
    } else if (runs != ours) {
        char text[80];
        snprintf(text, sizeof text, "    Sudar's part of the time of %s, first %d steps", name,
                 FIRST_STEPS);
        bench_Row(text, bench_StepMs(ours->first, 1) / ms, "", RATIO_GOAL);
    }
}

static benchRun* run(const rivalEngine* engine, const rivalWorldScene* scene, int steps) {
    benchRun* r = bench_RunWorld(engine, scene, steps, 0, LIMIT_SECONDS);
    if (r == NULL) {
        fprintf(stderr, "bench_world: no memory or no processes left\n");
        exit(EXIT_FAILURE);
    }
    return r;
}

/// Once more, if it is not the first time.
static void runAgain(benchRun** best, const rivalEngine* engine, const rivalWorldScene* scene,
                     int steps) {
    benchRun* again = run(engine, scene, steps);
    if (*best == NULL) {
        *best = again;
    } else {
        bench_KeepLeast(*best, again);
        bench_FreeRun(again, scene);
    }
}

void bench_Bullets(bool isQuick) {
    static const rivalEngine* const engines[ENGINE_COUNT] = {&rivalSudarWorld, &rivalBulletWorld,
                                                             &rivalOdeWorld};
    rivalWorldScene scene;
    if (!bench_OpenScene("bullets", SIZE, &scene)) {
        fprintf(stderr, "bench_world: could not build bullets\n");
        exit(EXIT_FAILURE);
    }
    int steps = isQuick ? QUICK_STEPS : STEPS;
    Runs runs[ENGINE_COUNT] = {{NULL, NULL, NULL}};
    for (int i = 0; i < ROUNDS * ENGINE_COUNT; ++i) {
        int engine = i % ENGINE_COUNT;
        runAgain(&runs[engine].first, engines[engine], &scene, FIRST_STEPS);
        runAgain(&runs[engine].all, engines[engine], &scene, steps);
    }
    for (int i = 0; i < ENGINE_COUNT; ++i) {
        runs[i].more = run(engines[i], &scene, steps + 1);
    }
    for (int i = 0; i < ENGINE_COUNT; ++i) {
        print(engines[i]->name, &runs[i], &scene, &runs[SUDAR]);
        fflush(stdout);
    }
    for (int i = 0; i < ENGINE_COUNT; ++i) {
        bench_FreeRun(runs[i].first, &scene);
        bench_FreeRun(runs[i].all, &scene);
        bench_FreeRun(runs[i].more, &scene);
    }
    bench_CloseScene(&scene);
}
