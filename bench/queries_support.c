// SPDX-License-Identifier: MIT
// queries_support.c - intervals of projection by looking at all vertices and by searching, and the
// number of vertices from which searching is faster (B5, S3 §2.3).

#include "bench.h"
#include "queries.h"

#include <stdio.h>
#include <stdlib.h>

#define DIRECTION_COUNT 8192 // more than a processor learns by heart
#define LARGEST 4096
#define CELL_SIDE 24
#define CELL_COUNT (2 * CELL_SIDE * CELL_SIDE)
#define REPEATS 20

typedef struct Support {
    const sdHull* hull;
    const sdVec2* polygon;
    int count;
    sdVec3 directions[DIRECTION_COUNT];
    int starts[CELL_COUNT];
    int sum;
} Support;

typedef void Job(void* arg);

static void scan(void* arg) {
    Support* s = arg;
    for (int i = 0; i < DIRECTION_COUNT; ++i) {
        s->sum += sdHull_SupportScan(s->hull, s->directions[i]);
    }
    bench_Use(s);
}

/// From a vertex that has nothing to do with the direction.
static void climbFar(void* arg) {
    Support* s = arg;
    for (int i = 0; i < DIRECTION_COUNT; ++i) {
        s->sum += sdHull_SupportClimb(s->hull, s->directions[i], 0);
    }
    bench_Use(s);
}

static int bin(float u) {
    return u > 0.0f ? (int)sdMinF(u, CELL_SIDE - 1.0f) : 0;
}

/// As the library does it, which has no way to be asked to climb small hulls like this.
static int cellOf(sdVec3 d) {
    float scale = 0.5f * CELL_SIDE / (sdAbsF(d.x) + sdAbsF(d.y) + sdAbsF(d.z));
    int u = bin(0.5f * CELL_SIDE + (d.x + d.y) * scale);
    int v = bin(0.5f * CELL_SIDE + (d.x - d.y) * scale);
    return ((d.z < 0.0f ? CELL_SIDE : 0) + u) * CELL_SIDE + v;
}

/// From the answer for another direction in the same cell of an octahedron.
static void climbNear(void* arg) {
    Support* s = arg;
    for (int i = 0; i < DIRECTION_COUNT; ++i) {
        sdVec3 d = s->directions[i];
        s->sum += sdHull_SupportClimb(s->hull, d, s->starts[cellOf(d)]);
    }
    bench_Use(s);
}

/// The library's choice.
static void choose(void* arg) {
    Support* s = arg;
    for (int i = 0; i < DIRECTION_COUNT; ++i) {
        s->sum += sdHull_Support(s->hull, s->directions[i]);
    }
    bench_Use(s);
}

static void project2(Support* s, sdProject2Method method) {
    for (int i = 0; i < DIRECTION_COUNT; ++i) {
        sdVec2 d = {s->directions[i].x, s->directions[i].y};
        s->sum += sdProject2(s->polygon, s->count, d, method).upperIndex;
    }
    bench_Use(s);
}

static void scan2(void* arg) {
    project2(arg, SD_PROJECT2_SCAN);
}

static void search2(void* arg) {
    project2(arg, SD_PROJECT2_SEARCH);
}

static void setDirections(Support* s, uint64_t* state) {
    for (int i = 0; i < DIRECTION_COUNT; ++i) {
        s->directions[i] = bench_RandomInBall(state);
    }
}

static void findStarts(Support* s) {
    for (int i = 0; i < CELL_COUNT; ++i) {
        float u = ((float)(i / CELL_SIDE % CELL_SIDE) + 0.5f) * (2.0f / CELL_SIDE) - 1.0f;
        float v = ((float)(i % CELL_SIDE) + 0.5f) * (2.0f / CELL_SIDE) - 1.0f;
        sdVec3 d = sdV3(0.5f * (u + v), 0.5f * (u - v), 0.0f);
        d.z = (1.0f - sdAbsF(d.x) - sdAbsF(d.y)) * (i < CELL_COUNT / 2 ? 1.0f : -1.0f);
        s->starts[i] = sdHull_SupportScan(s->hull, d);
    }
}

/// Shortest times in ns, in turns.
static void timeJobs(Support* s, Job* const* jobs, int jobCount, int repeats, double* ns) {
    for (int r = 0; r < repeats; ++r) {
        for (int i = 0; i < jobCount; ++i) {
            double start = bench_ThreadTime();
            jobs[i](s);
            double t = 1e9 * (bench_ThreadTime() - start) / DIRECTION_COUNT;
            ns[i] = r == 0 || t < ns[i] ? t : ns[i];
        }
    }
}

/// Where the second way becomes faster than the first, between two sizes on logarithmic axes; 0
/// when it does not.
static double crossing(int countBefore, const double before[2], int count, const double now[2]) {
    double was = log2(before[1] / before[0]), is = log2(now[1] / now[0]);
    return was > 0.0 && is <= 0.0 ? countBefore * pow((double)count / countBefore, was / (was - is))
                                  : 0.0;
}

static void makeHull(int count, uint64_t* state, sdHull** hull) {
    *hull = NULL;
    sdVec3* points = malloc((size_t)count * sizeof *points);
    if (points == NULL) {
        return;
    }
    for (int i = 0; i < count; ++i) {
        points[i] = sdNormalize(bench_RandomInBall(state));
    }
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = count;
    sdHull_Create(NULL, &def, hull);
    free(points);
}

static void benchHulls(int repeats) {
    static Job* const jobs[4] = {scan, climbFar, climbNear, choose};
    static const int counts[] = {8,   16,  32,  64,  128,  256,  320,    384,
                                 448, 512, 640, 768, 1024, 2048, LARGEST};
    uint64_t state = 1;
    double before[2] = {0}, cross = 0.0;
    int countBefore = 0;
    printf("\nsupport of hulls, ns%16s %8s %8s %8s\n", "scan", "climb", "near", "chosen");
    for (int k = 0; k < (int)(sizeof counts / sizeof counts[0]); ++k) {
        sdHull* hull;
        makeHull(counts[k], &state, &hull);
        if (hull == NULL) {
            continue;
        }
        Support s = {.hull = hull, .count = counts[k]};
        setDirections(&s, &state);
        findStarts(&s);
        double ns[4];
        timeJobs(&s, jobs, 4, repeats, ns);
        printf("  %6d vertices %18.1f %8.1f %8.1f %8.1f\n", counts[k], ns[0], ns[1], ns[2], ns[3]);
        double now[2] = {ns[0], ns[2]};
        double at = k > 0 ? crossing(countBefore, before, counts[k], now) : 0.0;
        cross = at > 0.0 ? at : cross;
        before[0] = now[0];
        before[1] = now[1];
        countBefore = counts[k];
        sdHull_Release(hull);
    }
    printf("  climbing from a vertex near the answer is faster than the scan from about %.0f "
           "vertices\n",
           cross);
}

static void benchPolygons(int repeats) {
    static Job* const jobs[2] = {scan2, search2};
    uint64_t state = 1;
    double before[2] = {0}, cross = 0.0;
    sdVec2* polygon = malloc(LARGEST * sizeof *polygon);
    printf("\ninterval of polygons, ns%12s %8s\n", "scan", "search");
    for (int count = 3; count <= LARGEST && polygon != NULL; count += count < 8 ? 1 : count) {
        for (int i = 0; i < count; ++i) {
            double angle = 2.0 * (double)SD_PI * i / count;
            polygon[i] = (sdVec2){(float)cos(angle), (float)sin(angle)};
        }
        Support s = {.polygon = polygon, .count = count};
        setDirections(&s, &state);
        double ns[2];
        timeJobs(&s, jobs, 2, repeats, ns);
        printf("  %6d vertices %18.1f %8.1f\n", count, ns[0], ns[1]);
        double at =
            count > 3 ? crossing(count < 9 ? count - 1 : count / 2, before, count, ns) : 0.0;
        cross = at > 0.0 ? at : cross;
        before[0] = ns[0];
        before[1] = ns[1];
    }
    printf("  searching is faster from about %.1f vertices\n", cross);
    free(polygon);
}

void bench_Support(bool isQuick) {
    int repeats = isQuick ? REPEATS / 4 : REPEATS;
    benchHulls(repeats);
    benchPolygons(repeats);
}
