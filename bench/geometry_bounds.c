// SPDX-License-Identifier: MIT
// geometry_bounds.c - time of bounding volumes: smallest balls of many points, boxes, k-DOPs.

#include "bench.h"
#include "geometry.h"
#include "sudar/bounds.h"

#include <stdio.h>
#include <stdlib.h>

#define LARGEST 1000000
#define PAIR_COUNT 4096

typedef enum Cloud { BALL, SPHERE, CUBE, EQUAL, GRID, LINE, CLOUD_COUNT } Cloud;

static const char* const cloudNames[CLOUD_COUNT] = {
    "in a ball", "on a sphere", "in a cube", "all equal", "on a grid, of one sphere", "on a line"};

typedef struct BoundsJob {
    const sdVec3* points;
    int count;
    sdOBB* boxes;
} BoundsJob;

static uint64_t randomState = 1;

static sdVec3 cloudPoint(Cloud cloud) {
    sdVec3 p = sdV3(bench_RandomFloat(&randomState), bench_RandomFloat(&randomState),
                    bench_RandomFloat(&randomState));
    switch (cloud) {
        case BALL:
            return bench_RandomInBall(&randomState);
        case SPHERE:
            return sdNormalize(bench_RandomInBall(&randomState));
        case EQUAL:
            return sdV3(0.3f, -0.7f, 0.1f);
        case GRID:
            // 49 = 4 + 9 + 36: 24 points, each many times
            p = sdV3(p.x < 0.0f ? -2.0f : 2.0f, p.y < 0.0f ? -3.0f : 3.0f,
                     p.z < 0.0f ? -6.0f : 6.0f);
            return bench_RandomFloat(&randomState) < 0.0f ? p : sdV3(p.y, p.z, p.x);
        case LINE:
            return sdScale(p.x, sdV3(1.0f, 2.0f, -1.0f));
        default:
            return p;
    }
}

static void runSmallestBall(void* arg) {
    const BoundsJob* job = arg;
    sdBall ball;
    sdBall_FitSmallest(NULL, job->points, job->count, &ball);
    bench_Use(&ball);
}

static void runBox(void* arg) {
    const BoundsJob* job = arg;
    sdAABB box;
    sdAABB_Fit(job->points, job->count, &box);
    bench_Use(&box);
}

static void runKdop(void* arg) {
    const BoundsJob* job = arg;
    sdKdop kdop;
    sdKdop_Fit(SD_KDOP_26, job->points, job->count, &kdop);
    bench_Use(&kdop);
}

static void runCovarianceBox(void* arg) {
    const BoundsJob* job = arg;
    sdOBB box;
    sdOBB_FitCovariance(NULL, job->points, job->count, &box);
    bench_Use(&box);
}

static void runSmallestBox(void* arg) {
    const BoundsJob* job = arg;
    sdOBB box;
    sdOBB_FitSmallest(NULL, job->points, job->count, &box);
    bench_Use(&box);
}

static void runOverlaps(void* arg) {
    const BoundsJob* job = arg;
    int count = 0;
    for (int i = 0; i < PAIR_COUNT; ++i) {
        count += sdOBB_Overlaps(&job->boxes[2 * i], &job->boxes[2 * i + 1]) ? 1 : 0;
    }
    bench_Use(&count);
}

/// Time by number of points, and the exponent of its growth.
static void benchBall(Cloud cloud, sdVec3* points) {
    for (int i = 0; i < LARGEST; ++i) {
        points[i] = cloudPoint(cloud);
    }
    double times[3];
    const int counts[3] = {LARGEST / 100, LARGEST / 10, LARGEST};
    for (int i = 0; i < 3; ++i) {
        BoundsJob job = {points, counts[i], NULL};
        times[i] = bench_Best(runSmallestBall, &job, 40);
    }
    char text[80];
    snprintf(text, sizeof text, "smallest ball, 1 000 000 points %s", cloudNames[cloud]);
    bench_Row(text, times[2], "s", 0.2);
    printf("    10^4 %.3f ms, 10^5 %.3f ms, 10^6 %.3f ms: grows with exponent %.2f\n",
           1e3 * times[0], 1e3 * times[1], 1e3 * times[2], 0.5 * log10(times[2] / times[0]));
}

static void benchOverlap(void) {
    sdOBB* boxes = malloc(2 * PAIR_COUNT * sizeof *boxes);
    for (int i = 0; boxes != NULL && i < 2 * PAIR_COUNT; ++i) {
        sdQuat q = {bench_RandomInBall(&randomState), bench_RandomFloat(&randomState)};
        sdVec3 half = sdAbs(bench_RandomInBall(&randomState));
        boxes[i] =
            (sdOBB){bench_RandomInBall(&randomState), sdQuat_ToMatrix(sdNormalizeQ(q)), half};
    }
    BoundsJob job = {NULL, 0, boxes};
    if (boxes != NULL) {
        double time = bench_Best(runOverlaps, &job, 20) / PAIR_COUNT;
        bench_Row("overlap of two oriented boxes, half of them apart", 1e9 * time, "ns", 500.0);
    }
    free(boxes);
}

void bench_Bounds(void) {
    sdVec3* points = malloc(LARGEST * sizeof *points);
    if (points == NULL) {
        return;
    }
    for (int i = 0; i < CLOUD_COUNT; ++i) {
        benchBall((Cloud)i, points);
    }
    for (int i = 0; i < LARGEST; ++i) {
        points[i] = cloudPoint(SPHERE);
    }
    BoundsJob job = {points, LARGEST, NULL};
    bench_Row("axis-aligned box, 1 000 000 points", 1e3 * bench_Best(runBox, &job, 10), "ms", 5.0);
    bench_Row("26-DOP, 1 000 000 points", 1e3 * bench_Best(runKdop, &job, 10), "ms", 30.0);
    job.count = 10000;
    bench_Row("box by covariance, 10 000 points on a sphere", bench_Best(runCovarianceBox, &job, 5),
              "s", 0.1);
    bench_Row("smallest box, 10 000 points on a sphere", bench_Best(runSmallestBox, &job, 3), "s",
              1.0);
    job.count = 100;
    bench_Row("smallest box, 100 points on a sphere", 1e3 * bench_Best(runSmallestBox, &job, 10),
              "ms", 20.0);
    benchOverlap();
    free(points);
}
