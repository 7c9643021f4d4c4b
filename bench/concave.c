// SPDX-License-Identifier: MIT
// concave.c - worlds of non-convex bodies: ours, and beside Bullet's GImpact and ODE's meshes.
//
// bench_concave [--quick] [TEXT]
// TEXT selects the parts whose names have it: "rings", "skulls 50", "shape" ...
// --quick: a third of the steps, before all has come to rest.
//
// Scenes come from scenes/, steps of 1/60 s, no sleep, the mean of the last second, when all is
// piled up. How deep bodies are in each other is measured on the meshes at the end, the same way
// for every engine (scenes/mesh_depth.h).

#include "bench.h"
#include "mesh_depth.h"
#include "world.h"

#include "sudar/concave.h"
#include "sudar/models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAST_STEPS 60       // that are measured
#define LIMIT_SECONDS 120.0 // that an engine may take for a scene
#define DEPTH_LIMIT 0.02f   // of a body's size
#define DEPTH_TOLERANCE 0.004f

typedef struct Row {
    const char* part; ///< name for selection
    const char* scene;
    int size, stepCount, threadCount;
    double goal;                    ///< ms a step
    double bulletFactor, odeFactor; ///< how many times as fast as these; 0: not compared
} Row;

static const Row rows[] = {
    {"rings 60 (F8)", "rings", 60, 720, 1, 1.0, 7.0, 7.0},
    {"rings 500 (F14)", "rings-500", 500, 720, 2, 16.0, 0.0, 0.0},
    {"skulls 50 (F9)", "skulls", 50, 420, 1, 2.0, 15.0, 4.0},
    {"skulls 500", "skulls", 500, 420, 2, 16.0, 0.0, 0.0},
    {"skull chain 108 (F13)", "skull-chain", 18, 360, 2, 5.0, 0.0, 0.0},
    {"bones 500 (F14)", "bones-500", 500, 600, 2, 16.0, 0.0, 0.0},
};

typedef struct Bench {
    bool isQuick;
    const char* text;
    int missedCount;
} Bench;

static bool isWanted(const Bench* bench, const char* part) {
    return bench->text == NULL || strstr(part, bench->text) != NULL;
}

static const char* judge(Bench* bench, bool isMet) {
    bench->missedCount += isMet ? 0 : 1;
    return isMet ? "met" : "NOT MET";
}

static void fail(const char* what) {
    fprintf(stderr, "bench_concave: %s\n", what);
    exit(EXIT_FAILURE);
}

static void printDepth(Bench* bench, const rivalWorldScene* scene, const benchRun* run,
                       const char* name, bool isOurs) {
    if (!run->hasPoses) {
        printf("\n");
        return;
    }
    sdWorldDepth depth;
    if (!sdMeshDepth_OfWorld(scene->world, run->poses, DEPTH_LIMIT, DEPTH_TOLERANCE, &depth)) {
        fail("no memory left");
    }
    bench_RecordValue("deepest overlap", name, 1e2 * (double)depth.ratio, "% of a body");
    printf("  deepest %6.2f %% of a body, %d pairs over 2 %%", 1e2 * (double)depth.ratio,
           depth.deepCount);
    if (isOurs) {
        printf(" (goal <= 2 %%) %s", judge(bench, depth.ratio <= DEPTH_LIMIT));
    }
    printf("%s\n", run->outcome == BENCH_TOO_SLOW ? ", not all steps: time was up" : "");
}

/// Of a step in `count` steps from `first` on: processor time of one thread; by the clock, of
/// several.
static double meanMs(const benchRun* run, int threadCount, int first, int count) {
    double sum = 0.0;
    for (int i = first; i < first + count; ++i) {
        sum += (double)(threadCount == 1 ? run->cpuMs[i] : run->wallMs[i]);
    }
    return count > 0 ? sum / count : 0.0;
}

/// The second that took longest, ms a step.
static double slowestMs(const benchRun* run, int threadCount) {
    double slowest = 0.0;
    for (int first = 0; first + LAST_STEPS <= run->stepCount; first += LAST_STEPS / 4) {
        slowest = fmax(slowest, meanMs(run, threadCount, first, LAST_STEPS));
    }
    return slowest;
}

/// @return ms a step; 0 when it cannot
static double runEngine(Bench* bench, const Row* row, rivalWorldScene* scene,
                        const rivalEngine* engine, int threadCount) {
    int steps = bench->isQuick ? row->stepCount / 3 : row->stepCount;
    scene->threadCount = threadCount;
    benchRun* run = bench_RunWorld(engine, scene, steps, 0, LIMIT_SECONDS);
    if (run == NULL) {
        fail("no memory or no processes left");
    }
    int last = sdMinI(LAST_STEPS, run->stepCount);
    double ms = meanMs(run, threadCount, run->stepCount - last, last);
    bool isOurs = engine == &rivalSudarWorld;
    char name[64];
    snprintf(name, sizeof name, "%s%s", engine->name, threadCount > 1 ? ", 2 threads" : "");
    if (run->stepCount == 0) {
        printf("  %-7s cannot: %s\n", engine->name, run->why);
        bench_RecordFailure("ms a step", name, "ms", run);
    } else {
        bench_Record((benchRecord){
            .row = "ms a step",
            .engine = name,
            .value = ms,
            .unit = "ms",
            .spread = bench_StepSpread(run),
            .hasGoal = isOurs && threadCount == row->threadCount,
            .goal = row->goal,
            .note = run->outcome == BENCH_TOO_SLOW ? "not all steps: time was up" : ""});
        printf("  %-7s %d thread%s %8.3f ms a step, all steps %8.3f, slowest second %8.3f;",
               engine->name, threadCount, threadCount == 1 ? " " : "s", ms,
               meanMs(run, threadCount, 0, run->stepCount), slowestMs(run, threadCount));
        printDepth(bench, scene, run, name, isOurs);
    }
    if (isOurs && run->stepCount > 0) {
        const sdWorldStats* s = &run->stats;
        printf("          pairs %.3f, contacts %.3f, islands %.3f, solve %.3f, refit %.3f ms; %d "
               "contacts, %d points, %.2f KB a body\n",
               (double)s->pairMs, (double)s->contactMs, (double)s->islandMs, (double)s->solveMs,
               (double)s->refitMs, s->contactCount, s->pointCount,
               1e-3 * (double)s->byteCount / sdMaxI(s->bodyCount, 1));
    }
    fflush(stdout);
    bench_FreeRun(run, scene);
    return ms;
}

static void compare(Bench* bench, const char* name, double ms, double rivalMs, double factor) {
    if (ms > 0.0 && rivalMs > 0.0) {
        printf("  %.1f times as fast as %s (goal >= %g) %s\n", rivalMs / ms, name, factor,
               judge(bench, rivalMs >= factor * ms));
    }
}

static void benchScene(Bench* bench, const Row* row) {
    rivalWorldScene scene;
    if (!bench_OpenScene(row->scene, row->size, &scene)) {
        fail("could not build a scene");
    }
    printf("\n%s: %d bodies\n", row->part, scene.bodyCount);
    bench_SetGroup("concave, %s", row->part);
    double ms[3] = {0};
    for (int threads = 1; threads <= 2; ++threads) {
        ms[threads] = runEngine(bench, row, &scene, &rivalSudarWorld, threads);
    }
    double own = ms[row->threadCount];
    printf("  goal <= %g ms with %d thread%s: %s\n", row->goal, row->threadCount,
           row->threadCount == 1 ? "" : "s", judge(bench, own > 0.0 && own <= row->goal));
    if (row->bulletFactor > 0.0) {
        compare(bench, "Bullet's GImpact", ms[1],
                runEngine(bench, row, &scene, &rivalBulletWorld, 1), row->bulletFactor);
    }
    if (row->odeFactor > 0.0) {
        compare(bench, "ODE's meshes", ms[1], runEngine(bench, row, &scene, &rivalOdeWorld, 1),
                row->odeFactor);
    }
    bench_CloseScene(&scene);
}

// ---- shapes --------------------------------------------------------------------------------

typedef struct Shape {
    const sdMesh* mesh;
    sdConcave* concave;
} Shape;

static void build(void* arg) {
    Shape* shape = (Shape*)arg;
    sdConcave_Release(shape->concave);
    sdConcaveDef def = sdConcaveDef_Default();
    if (sdConcave_Create(NULL, shape->mesh, &def, &shape->concave) != SD_OK) {
        fail("could not make a shape");
    }
}

/// Bodies that have not met anything yet.
static double bytesOfBody(void) {
    rivalWorldScene scene;
    if (!bench_OpenScene("skulls", 500, &scene)) {
        fail("could not build a scene");
    }
    sdWorldStats stats = sdWorld_GetStats(scene.world);
    bench_CloseScene(&scene);
    return (double)stats.byteCount / stats.bodyCount;
}

static void benchShapes(void) {
    static const sdModelKind kinds[] = {SD_MODEL_SKULL,      SD_MODEL_RING, SD_MODEL_BONE,
                                        SD_MODEL_CHAIN_LINK, SD_MODEL_BOLT, SD_MODEL_NUT};
    bench_SetGroup("concave, shapes");
    printf("\nshape\n");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        sdMesh* mesh = NULL;
        if (sdModel_Create(NULL, kinds[i], 1.0f, &mesh) != SD_OK) {
            fail("could not make a model");
        }
        Shape shape = {.mesh = mesh};
        double ms = 1e3 * bench_Best(build, &shape, 5);
        sdConcaveInfo info = sdConcave_GetInfo(shape.concave);
        char text[80];
        snprintf(text, sizeof text, "%s: build, one thread", sdModel_Name(kinds[i]));
        bench_Row(text, ms, "ms", 100.0);
        snprintf(text, sizeof text, "%s: memory, %d corners, %d edges", sdModel_Name(kinds[i]),
                 info.vertexCount, info.edgeCount);
        bench_Row(text, 1e-3 * (double)info.byteCount, "KB", 400.0);
        sdConcave_Release(shape.concave);
        sdMesh_Release(mesh);
    }
    bench_Row("memory of a body that touches nothing", 1e-3 * bytesOfBody(), "KB", 2.0);
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
        fprintf(stderr, "usage: bench_concave [--quick] [TEXT]\n");
        return 2;
    }
    double start = bench_Now();
    printf("Non-convex bodies, steps of 1/60 s, the last second of each scene. One thread: "
           "processor time; two: time by the clock. Stages are means of all steps.\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if (isWanted(&bench, rows[i].part)) {
            benchScene(&bench, &rows[i]);
        }
    }
    if (isWanted(&bench, "shape")) {
        benchShapes();
    }
    printf("\n%d goals of scenes not met; %.0f s\n", bench.missedCount, bench_Now() - start);
    return 0;
}
