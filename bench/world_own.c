// SPDX-License-Identifier: MIT
// world_own.c - what only our world is asked: sleeping bodies, memory, allocations, growth,
// snapshots.

#include "bench.h"
#include "sudar/snapshot.h"
#include "world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static sdWorld* open(const char* name, int size, const sdContext* context) {
    const sdScene* scene = sdScene_Find(name);
    sdWorldDef def = sdScene_GetWorldDef(scene);
    sdSceneOptions options = {.size = size, .context = context};
    sdWorld* world = NULL;
    if (sdWorld_Create(context, &def, &world) != SD_OK ||
        sdScene_Build(scene, world, &options) != SD_OK) {
        fprintf(stderr, "bench_world: could not build %s\n", name);
        exit(EXIT_FAILURE);
    }
    return world;
}

/// Mean processor time of a step, ms.
static double stepMs(sdWorld* world, int warm, int measured) {
    for (int i = 0; i < warm; ++i) {
        sdWorld_Step(world, 1.0f / 60.0f);
    }
    double start = bench_ThreadTime();
    for (int i = 0; i < measured; ++i) {
        sdWorld_Step(world, 1.0f / 60.0f);
    }
    return measured > 0 ? 1e3 * (bench_ThreadTime() - start) / measured : 0.0;
}

// ---- sleepers ------------------------------------------------------------------------------

#define SLEEPERS_GOAL_MS 0.5

void bench_Sleepers(bool isQuick) {
    int count = isQuick ? 20000 : 100000;
    sdWorld* world = open("sleepers", count, NULL);
    // those that have just been made may look around for a moment
    double ms = stepMs(world, 60, 100);
    sdWorldStats stats = sdWorld_GetStats(world);
    char text[80];
    snprintf(text, sizeof text, "%d boxes on the ground, %d of them awake", count,
             stats.awakeCount);
    bench_Row(text, ms, "ms", SLEEPERS_GOAL_MS);
    sdWorld_Destroy(world);
}

// ---- memory --------------------------------------------------------------------------------

#define BODY_GOAL 1024.0 // bytes
#define CONTACT_GOAL 500.0

typedef struct Counter {
    sdAllocator inner;
    long long count;
} Counter;

static void* countAllocate(void* user, size_t size, size_t alignment) {
    Counter* counter = (Counter*)user;
    ++counter->count;
    return counter->inner.allocate(counter->inner.user, size, alignment);
}

static void countRelease(void* user, void* memory, size_t size) {
    Counter* counter = (Counter*)user;
    counter->inner.release(counter->inner.user, memory, size);
}

/// Bodies without a contact: those of the pile before they have fallen.
static double bytesPerBody(int count) {
    sdWorld* world = open("pile", count, NULL);
    sdWorld_Step(world, 1.0f / 60.0f);
    sdWorldStats stats = sdWorld_GetStats(world);
    sdWorld_Destroy(world);
    return (double)stats.byteCount / stats.bodyCount;
}

void bench_Memory(void) {
    enum { COUNT = 4000, WARM = 400, STEPS = 200 };
    double body = bytesPerBody(COUNT);
    bench_Row("bytes a body, 4000 that do not touch yet", body, "B", BODY_GOAL);

    sdContext context = sdContext_Default();
    Counter counter = {context.allocator, 0};
    context.allocator = (sdAllocator){countAllocate, countRelease, &counter};
    sdWorld* world = open("pile", COUNT, &context);
    for (int i = 0; i < WARM; ++i) {
        sdWorld_Step(world, 1.0f / 60.0f);
    }
    long long before = counter.count;
    for (int i = 0; i < STEPS; ++i) {
        sdWorld_Step(world, 1.0f / 60.0f);
    }
    sdWorldStats stats = sdWorld_GetStats(world);
    double rest = (double)stats.byteCount - body * stats.bodyCount;
    char text[80];
    snprintf(text, sizeof text, "bytes a contact beside that, pile of 4000, %d contacts",
             stats.contactCount);
    bench_Row(text, rest / stats.contactCount, "B", CONTACT_GOAL);
    snprintf(text, sizeof text, "bytes a pair of near shapes, of which there are %d",
             stats.pairCount);
    bench_Row(text, rest / stats.pairCount, "B", CONTACT_GOAL);
    printf("  besides, memory of a step: %.2f MB, %.0f bytes a contact\n",
           1e-6 * (double)stats.scratchByteCount,
           (double)stats.scratchByteCount / stats.contactCount);
    bench_Row("allocations in 200 steps after 400 of the pile", (double)(counter.count - before),
              "", 0.0);
    sdWorld_Destroy(world);
}

// ---- growth --------------------------------------------------------------------------------

#define GROWTH_GOAL 1.1 // exponent

void bench_Growth(bool isQuick) {
    static const int sizes[] = {1000, 2000, 5000, 10000, 20000, 50000};
    int sizeCount = (int)(sizeof sizes / sizeof sizes[0]) - (isQuick ? 3 : 0);
    double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    printf("  %8s %10s %10s %8s %12s\n", "bodies", "contacts", "ms", "us/body", "bytes/body");
    for (int i = 0; i < sizeCount; ++i) {
        sdWorld* world = open("wide-pile", sizes[i], NULL);
        double ms = stepMs(world, 120, sizes[i] > 10000 ? 10 : 30);
        sdWorldStats stats = sdWorld_GetStats(world);
        printf("  %8d %10d %10.3f %8.2f %12.0f\n", sizes[i], stats.contactCount, ms,
               1e3 * ms / sizes[i], (double)stats.byteCount / sizes[i]);
        fflush(stdout);
        sdWorld_Destroy(world);
        char text[64];
        snprintf(text, sizeof text, "%d bodies", sizes[i]);
        bench_RecordValue(text, "Sudar", ms, "ms");
        double x = log((double)sizes[i]), y = log(ms);
        n += 1.0;
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    bench_Row("exponent of ms a step over the number of bodies",
              (n * sxy - sx * sy) / (n * sxx - sx * sx), "", GROWTH_GOAL);
}

// ---- snapshots -----------------------------------------------------------------------------

#define SNAPSHOT_GOAL_MS 2.0
#define HISTORY_COUNT 60

/// Save and restore a pile that is settling, with a few steps between, so that caches are cold.
/// One thread by its processor time, several by the clock.
static void benchSnapshot(sdWorld* world, sdSnapshot* snapshot, int threadCount, int repeats) {
    double (*time)(void) = threadCount > 1 ? bench_Now : bench_ThreadTime;
    double save = INFINITY, restore = INFINITY, next = INFINITY, after = INFINITY;
    for (int i = 0; i < repeats; ++i) {
        double start = time();
        sdWorld_Save(world, snapshot);
        save = fmin(save, time() - start);
        next = fmin(next, stepMs(world, 0, 1));
        stepMs(world, 0, 7);
        start = time();
        sdWorld_Restore(world, snapshot);
        restore = fmin(restore, time() - start);
        after = fmin(after, stepMs(world, 0, 1));
    }
    size_t size;
    sdSnapshot_GetBytes(snapshot, &size);
    if (threadCount == 1) {
        printf("  %.2f MB; save %.2f ms, restore 8 steps back %.2f ms; a step takes %.2f ms, the "
               "first one after a restore %.2f ms\n",
               1e-6 * (double)size, 1e3 * save, 1e3 * restore, next, after);
    }
    char text[80];
    snprintf(text, sizeof text, "save and restore: %d contacts, %d thread%s",
             sdWorld_GetStats(world).contactCount, threadCount, threadCount > 1 ? "s" : "");
    bench_Row(text, 1e3 * (save + restore), "ms", SNAPSHOT_GOAL_MS);
}

static void benchHistory(sdWorld* world, size_t imageSize) {
    sdHistory* history = NULL;
    if (sdHistory_Create(NULL, HISTORY_COUNT, &history) != SD_OK) {
        return;
    }
    double record = INFINITY;
    for (int i = 0; i < HISTORY_COUNT; ++i) {
        double start = bench_ThreadTime();
        sdHistory_Record(history, world);
        record = fmin(record, bench_ThreadTime() - start);
        stepMs(world, 0, 1);
    }
    size_t size = sdHistory_GetByteCount(history);
    double start = bench_ThreadTime();
    sdHistory_Restore(history, world, 8);
    double restore = bench_ThreadTime() - start;
    printf("  history of %d, %d bodies awake: %.2f ms to record, %.2f ms to go 8 back, %.1f MB "
           "(%.0f %% of "
           "that many snapshots)\n",
           HISTORY_COUNT, sdWorld_GetStats(world).awakeCount, 1e3 * record, 1e3 * restore,
           1e-6 * (double)size, 100.0 * (double)size / (double)(HISTORY_COUNT * imageSize));
    sdHistory_Destroy(history);
}

void bench_Snapshots(bool isQuick) {
    for (int threadCount = 1; threadCount <= 2; ++threadCount) {
        sdScheduler* scheduler = NULL;
        sdSnapshot* snapshot = NULL;
        sdContext context = sdContext_Default();
        if (sdScheduler_Create(NULL, threadCount, &scheduler) != SD_OK ||
            sdSnapshot_Create(NULL, &snapshot) != SD_OK) {
            fprintf(stderr, "bench_world: no memory for a snapshot\n");
            exit(EXIT_FAILURE);
        }
        context.tasks = sdScheduler_GetTasks(scheduler);
        sdWorld* world = open("pile", 4000, &context);
        stepMs(world, 300, 0);
        benchSnapshot(world, snapshot, threadCount, isQuick ? 5 : 20);
        size_t size;
        sdSnapshot_GetBytes(snapshot, &size);
        if (threadCount == 1) {
            benchHistory(world, size);
        }
        sdWorld_Destroy(world);
        sdSnapshot_Destroy(snapshot);
        sdScheduler_Destroy(scheduler);
    }
}
