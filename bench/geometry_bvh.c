// SPDX-License-Identifier: MIT
// geometry_bvh.c - nearest points, rays and inside tests through a mesh's tree.
//
// The points are those of a 64³ field of the skull within five cells of its surface, in blocks of
// 2 x 2 x 2, as a builder of fields asks for them.

#include "bench.h"
#include "geometry.h"
#include "sudar/sudar.h"

#include <stdlib.h>

#define RESOLUTION 64
#define BAND_CELLS 5.0f
#define REPEATS 15

typedef struct Work {
    sdMesh* mesh;
    sdVec3* points;
    sdMeshPoint* nearest;
    int count;
    float band;
} Work;

static void closestUnbounded(void* arg) {
    Work* work = arg;
    for (int i = 0; i < work->count; ++i) {
        work->nearest[i] = sdMesh_ClosestPoint(work->mesh, work->points[i], INFINITY);
    }
    bench_Use(work->nearest);
}

static void closestInBand(void* arg) {
    Work* work = arg;
    for (int i = 0; i < work->count; ++i) {
        work->nearest[i] = sdMesh_ClosestPoint(work->mesh, work->points[i], work->band);
    }
    bench_Use(work->nearest);
}

static void closestTogether(void* arg) {
    Work* work = arg;
    sdMesh_ClosestPoints(work->mesh, work->points, work->count, INFINITY, work->nearest);
    bench_Use(work->nearest);
}

static void signedDistances(void* arg) {
    Work* work = arg;
    for (int i = 0; i < work->count; ++i) {
        work->nearest[i].distance = sdMesh_SignedDistance(work->mesh, work->points[i]);
    }
    bench_Use(work->nearest);
}

static void parities(void* arg) {
    Work* work = arg;
    for (int i = 0; i < work->count; ++i) {
        work->nearest[i].triangle = sdMesh_ContainsByParity(work->mesh, work->points[i]);
    }
    bench_Use(work->nearest);
}

static void windings(void* arg) {
    Work* work = arg;
    for (int i = 0; i < work->count; ++i) {
        work->nearest[i].distance = sdMesh_WindingNumberFast(work->mesh, work->points[i]);
    }
    bench_Use(work->nearest);
}

static void raycasts(void* arg) {
    Work* work = arg;
    for (int i = 0; i < work->count; ++i) {
        sdVec3 p = work->points[i];
        sdMeshHit hit = sdMesh_Raycast(work->mesh, p, sdScale(-2.0f, p));
        work->nearest[i].distance = hit.fraction;
    }
    bench_Use(work->nearest);
}

/// Keep the blocks that have a point in the band.
static void makePoints(Work* work) {
    sdAABB bounds = sdMesh_GetBounds(work->mesh);
    sdVec3 size = sdSub(bounds.upper, bounds.lower);
    float cell = sdMaxF(size.x, sdMaxF(size.y, size.z)) / (float)RESOLUTION;
    work->band = BAND_CELLS * cell;
    for (int k = 0; k < RESOLUTION * RESOLUTION * RESOLUTION; k += 8) {
        bool isNear = false;
        for (int i = 0; i < 8; ++i) {
            int x = (k >> 3) % 32 * 2 + (i & 1);
            int y = (k >> 8) % 32 * 2 + (i >> 1 & 1);
            int z = (k >> 13) % 32 * 2 + (i >> 2);
            sdVec3 p = sdMulAdd(bounds.lower, cell, sdV3((float)x, (float)y, (float)z));
            work->points[work->count + i] = p;
            isNear = isNear || sdMesh_ClosestPoint(work->mesh, p, work->band).triangle >= 0;
        }
        work->count += isNear ? 8 : 0;
    }
}

static void row(const char* what, benchFcn* run, Work* work, double goal) {
    bench_Row(what, bench_Best(run, work, REPEATS) / work->count * 1e9, "ns", goal);
}

static void createLarge(void* arg) {
    Work* work = arg;
    sdMesh* mesh = NULL;
    if (sdModel_CreateTorus(NULL, 1.0f, 0.4f, 1000, 500, &mesh) == SD_OK) {
        work->count = sdMesh_GetReport(mesh)->triangleCount;
        sdMesh_Release(mesh);
    }
}

void bench_MeshQueries(void) {
    size_t capacity = (size_t)RESOLUTION * RESOLUTION * RESOLUTION;
    Work work = {.points = malloc(capacity * sizeof(sdVec3)),
                 .nearest = malloc(capacity * sizeof(sdMeshPoint))};
    if (work.points != NULL && work.nearest != NULL &&
        sdModel_Create(NULL, SD_MODEL_SKULL, 1.0f, &work.mesh) == SD_OK) {
        makePoints(&work);
        row("mesh: nearest point, skull, no bound", closestUnbounded, &work, 350.0);
        row("mesh: nearest point, skull, bound of 5 cells", closestInBand, &work, 250.0);
        row("mesh: nearest points, skull, eight together", closestTogether, &work, 150.0);
        row("mesh: signed distance, skull", signedDistances, &work, 350.0);
        row("mesh: inside by parity, skull", parities, &work, 500.0);
        row("mesh: fast winding number, skull", windings, &work, 5000.0);
        row("mesh: raycast, skull", raycasts, &work, 400.0);
        work.count = 0;
        double seconds = bench_Best(createLarge, &work, 2);
        bench_Row("mesh: create a torus of 1 000 000 triangles", seconds, "s", 2.0);
    }
    sdMesh_Release(work.mesh);
    free(work.points);
    free(work.nearest);
}
