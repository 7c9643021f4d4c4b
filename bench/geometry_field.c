// SPDX-License-Identifier: MIT
// geometry_field.c - distance fields: time to build, memory, time to sample.

#include "bench.h"
#include "geometry.h"
#include "sudar/sudar.h"

#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 1536, SAMPLE_REPEATS = 2000 };

typedef struct BuildArg {
    sdMesh* mesh;
    sdFieldDef def;
    sdField* field;
} BuildArg;

typedef struct SampleArg {
    const sdField* field;
    sdVec3 points[POINTS];
    float distances[POINTS];
    sdVec3 gradients[POINTS];
} SampleArg;

static void build(void* arg) {
    BuildArg* b = arg;
    sdField_Release(b->field);
    b->field = NULL;
    if (sdField_Create(NULL, b->mesh, &b->def, &b->field) != SD_OK) {
        exit(1);
    }
}

static void sampleMany(void* arg) {
    SampleArg* s = arg;
    sdField_SampleMany(s->field, s->points, POINTS, s->distances, s->gradients);
    bench_Use(s);
}

static void sampleDistances(void* arg) {
    SampleArg* s = arg;
    sdField_SampleMany(s->field, s->points, POINTS, s->distances, NULL);
    bench_Use(s);
}

static void sampleSingly(void* arg) {
    SampleArg* s = arg;
    for (int i = 0; i < POINTS; ++i) {
        s->distances[i] = sdField_SampleGradient(s->field, s->points[i], s->gradients + i);
    }
    bench_Use(s);
}

static float randomUnit(uint64_t* state) {
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (float)(*state >> 40) * (1.0f / 16777216.0f);
}

/// Points of the grid's box, all of them or those within half a cell of the surface.
static void choosePoints(SampleArg* s, bool atSurface) {
    sdFieldInfo info = sdField_GetInfo(s->field);
    uint64_t state = 1;
    for (int count = 0; count < POINTS;) {
        sdVec3 t = {randomUnit(&state), randomUnit(&state), randomUnit(&state)};
        sdVec3 p = sdAdd(info.bounds.lower, sdMul(t, sdSub(info.bounds.upper, info.bounds.lower)));
        if (!atSurface || sdAbsF(sdField_Sample(s->field, p)) < 0.5f * info.cellSize) {
            s->points[count++] = p;
        }
    }
}

static void row(const char* name, const char* what, double value, const char* unit, double goal) {
    char text[160];
    snprintf(text, sizeof text, "field: %s, %s", name, what);
    bench_Row(text, value, unit, goal);
}

static void sampleModel(const char* name, const sdField* field) {
    static SampleArg s;
    s.field = field;
    const double scale = 1e9 / POINTS;
    choosePoints(&s, true);
    row(name, "distance and gradient at the surface",
        scale * bench_Best(sampleMany, &s, SAMPLE_REPEATS), "ns", 6.0);
    row(name, "distance at the surface", scale * bench_Best(sampleDistances, &s, SAMPLE_REPEATS),
        "ns", 6.0);
    row(name, "the same, one point a call", scale * bench_Best(sampleSingly, &s, 200), "ns", 40.0);
    choosePoints(&s, false);
    row(name, "distance and gradient anywhere", scale * bench_Best(sampleMany, &s, SAMPLE_REPEATS),
        "ns", 6.0);
}

static void buildModel(sdModelKind kind, int resolution, double goalMs, double goalKb) {
    BuildArg arg = {.def = sdFieldDef_Default()};
    arg.def.resolution = resolution;
    if (sdModel_Create(NULL, kind, 1.0f, &arg.mesh) != SD_OK) {
        exit(1);
    }
    char name[64];
    int triangles = sdMesh_GetReport(arg.mesh)->triangleCount;
    snprintf(name, sizeof name, "%s (%d triangles), %d cells", sdModel_Name(kind), triangles,
             resolution);
    double seconds = bench_Best(build, &arg, 10);
    row(name, "build", 1e3 * seconds, "ms", goalMs);
    row(name, "memory", 1e-3 * (double)sdField_GetInfo(arg.field).byteCount, "kB", goalKb);
    if (resolution <= 64) {
        sampleModel(name, arg.field);
    }
    sdField_Release(arg.field);
    sdMesh_Release(arg.mesh);
}

void bench_Field(void) {
    buildModel(SD_MODEL_RING, 64, 60.0, 300.0);
    buildModel(SD_MODEL_SKULL, 64, 60.0, 300.0);
    buildModel(SD_MODEL_SKULL, 128, 300.0, 1500.0);
}
