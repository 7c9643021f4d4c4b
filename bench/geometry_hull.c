// SPDX-License-Identifier: MIT
// geometry_hull.c - convex hulls against libqhull, and support queries by scan and by climbing.

#include "bench.h"
#include "geometry.h"
#include "sudar/hull.h"

#include <libqhull_r/qhull_ra.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct HullJob {
    sdVec3* points;
    double* coordinates; ///< the same, for qhull
    int count;
    sdHullMethod method;
    int repeats; ///< hulls in one run
} HullJob;

static uint64_t randomState = 1;

static void runSudar(void* arg) {
    const HullJob* job = arg;
    sdHullDef def = sdHullDef_Default();
    def.points = job->points;
    def.pointCount = job->count;
    def.method = job->method;
    for (int i = 0; i < job->repeats; ++i) {
        sdHull* hull;
        sdHull_Create(NULL, &def, &hull);
        bench_Use(hull);
        sdHull_Release(hull);
    }
}

static void runQhull(void* arg) {
    const HullJob* job = arg;
    for (int i = 0; i < job->repeats; ++i) {
        qhT qh;
        char options[] = "qhull Pp";
        qh_zero(&qh, stderr);
        int error = qh_new_qhull(&qh, 3, job->count, job->coordinates, 0, options, NULL, stderr);
        bench_Use(&error);
        int shortLeft, totalLeft;
        qh_freeqhull(&qh, !qh_ALL);
        qh_memfreeshort(&qh, &shortLeft, &totalLeft);
    }
}

static void compareHulls(const char* what, int count, bool isSphere, double goal) {
    HullJob job = {.count = count, .repeats = count < 1000 ? 100 : 1};
    job.points = malloc((size_t)count * sizeof(sdVec3));
    job.coordinates = malloc((size_t)count * 3 * sizeof(double));
    if (job.points == NULL || job.coordinates == NULL) {
        return;
    }
    for (int i = 0; i < count; ++i) {
        sdVec3 p = bench_RandomInBall(&randomState);
        p = isSphere ? sdNormalize(p) : p;
        job.points[i] = p;
        job.coordinates[3 * i] = (double)p.x;
        job.coordinates[3 * i + 1] = (double)p.y;
        job.coordinates[3 * i + 2] = (double)p.z;
    }
    double own, other;
    bench_Pair(runSudar, runQhull, &job, count > 50000 ? 3 : 9, &own, &other);
    char row[128];
    snprintf(row, sizeof row, "hull, %d points %s: %.3f ms, qhull %.3f ms; ratio", count, what,
             1e3 * own / job.repeats, 1e3 * other / job.repeats);
    bench_Row(row, own / other, "", goal);
    snprintf(row, sizeof row, "hull, %d %s", count, what);
    bench_RecordValue(row, "Sudar", 1e3 * own / job.repeats, "ms");
    bench_RecordValue(row, "libqhull", 1e3 * other / job.repeats, "ms");
    free(job.points);
    free(job.coordinates);
}

typedef struct SupportJob {
    const sdHull* hull;
    sdVec3 directions[256];
    int kind; ///< scan, climb, climb from the last answer, the library's choice
    int sum;
} SupportJob;

static void runSupport(void* arg) {
    SupportJob* job = arg;
    int last = 0;
    for (int i = 0; i < 256; ++i) {
        sdVec3 d = job->directions[i];
        last = job->kind == 0   ? sdHull_SupportScan(job->hull, d)
               : job->kind == 1 ? sdHull_SupportClimb(job->hull, d, 0)
               : job->kind == 2 ? sdHull_SupportClimb(job->hull, d, last)
                                : sdHull_Support(job->hull, d);
        job->sum += last;
    }
    bench_Use(job);
}

static void compareSupport(int count) {
    sdVec3* points = malloc((size_t)count * sizeof(sdVec3));
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = count;
    sdHull* hull;
    for (int i = 0; i < count && points != NULL; ++i) {
        points[i] = sdNormalize(bench_RandomInBall(&randomState));
    }
    if (sdHull_Create(NULL, &def, &hull) != SD_OK) {
        return;
    }
    SupportJob job = {.hull = hull};
    double ns[5];
    for (int kind = 0; kind < 5; ++kind) {
        // the fourth: directions that change little, as from step to step
        for (int i = 0; i < 256; ++i) {
            sdVec3 d = bench_RandomInBall(&randomState);
            sdVec3 last = job.directions[i > 0 ? i - 1 : 0];
            job.directions[i] = kind == 3 && i > 0 ? sdMulAdd(last, 0.02f, d) : d;
        }
        job.kind = kind == 3 ? 2 : (kind == 4 ? 3 : kind);
        ns[kind] = bench_Best(runSupport, &job, 200) / 256.0 * 1e9;
    }
    printf(
        "support, %5d vertices: scan %7.1f ns, climb %7.1f, from the last answer %7.1f, the same "
        "turning slowly %6.1f, sdHull_Support %6.1f\n",
        count, ns[0], ns[1], ns[2], ns[3], ns[4]);
    sdHull_Release(hull);
    free(points);
}

void bench_Hull(void) {
    compareHulls("on a sphere", 10000, true, 1.0);
    compareHulls("in a ball", 10000, false, 1.0);
    compareHulls("on a sphere", 100000, true, 1.0);
    compareHulls("in a ball", 100000, false, 1.0);
    compareHulls("on a sphere", 32, true, 1.0);
    compareHulls("on a sphere", 256, true, 1.0);
    compareHulls("in a ball", 256, false, 1.0);
    for (int count = 8; count <= 8192; count *= 2) {
        compareSupport(count);
    }
}
