// SPDX-License-Identifier: MIT
// world_own.c - what only our world is asked: sleeping bodies, memory, allocations, growth.

#include "bench.h"
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
    return 1e3 * (bench_ThreadTime() - start) / measured;
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
