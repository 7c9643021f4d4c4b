// SPDX-License-Identifier: MIT
// world_bullets.c - fast bodies in a closed room, beside Bullet and ODE: time, and who got out.
//
// Bullet sweeps a ball inside of each of its bullets, as its manual says; ODE looks at where bodies
// are at the ends of steps only. Whoever lets bodies out has less to do afterwards, so that the
// time of a step is that of the first steps, too, while all are still inside.

#include "bench.h"
#include "world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE 1000
#define STEPS 240
#define QUICK_STEPS 60
#define FIRST_STEPS 10
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

static void print(const char* name, const benchRun* run, const rivalWorldScene* scene,
                  const benchRun* first, const benchRun* ours[2]) {
    if (run->measuredCount == 0) {
        printf("  %-8s cannot: %s\n", name, run->why);
        return;
    }
    double ms = bench_StepMs(run, 1), early = bench_StepMs(first, 1);
    int outside = run->hasPoses ? countOutside(scene, run->poses) : scene->bodyCount;
    printf("  %-8s %8.3f ms a step, %8.3f ms of the first %d; %d of %d bodies outside after %d "
           "steps\n",
           name, ms, early, FIRST_STEPS, outside, 2 * SIZE, run->stepCount);
    if (run != ours[0]) {
        char text[80];
        snprintf(text, sizeof text, "    Sudar's part of that time, all steps, beside %s", name);
        bench_Row(text, bench_StepMs(ours[0], 1) / ms, "", RATIO_GOAL);
        snprintf(text, sizeof text, "    the same, first %d steps", FIRST_STEPS);
        bench_Row(text, bench_StepMs(ours[1], 1) / early, "", RATIO_GOAL);
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
    benchRun *runs[ENGINE_COUNT], *firsts[ENGINE_COUNT];
    for (int i = 0; i < ENGINE_COUNT; ++i) {
        firsts[i] = bench_RunWorld(engines[i], &scene, FIRST_STEPS, 0, LIMIT_SECONDS);
        runs[i] =
            bench_RunWorld(engines[i], &scene, isQuick ? QUICK_STEPS : STEPS, 0, LIMIT_SECONDS);
        if (runs[i] == NULL || firsts[i] == NULL) {
            fprintf(stderr, "bench_world: no memory or no processes left\n");
            exit(EXIT_FAILURE);
        }
    }
    const benchRun* ours[2] = {runs[SUDAR], firsts[SUDAR]};
    for (int i = 0; i < ENGINE_COUNT; ++i) {
        print(engines[i]->name, runs[i], &scene, firsts[i], ours);
    }
    for (int i = 0; i < ENGINE_COUNT; ++i) {
        bench_FreeRun(runs[i], &scene);
        bench_FreeRun(firsts[i], &scene);
    }
    bench_CloseScene(&scene);
}
