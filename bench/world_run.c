// SPDX-License-Identifier: MIT
// world_run.c - one scene in one engine, in a process of its own, with limits of time and memory.

#define _DEFAULT_SOURCE

#include "bench.h"
#include "world.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/// Address space of an engine, bytes: some ask for as much as there is.
#define MEMORY_LIMIT ((rlim_t)4 << 30)
/// Seconds beyond its time after which an engine that does not come back from a step is ended.
#define PATIENCE 20.0

static size_t sizeOfRun(const rivalWorldScene* scene) {
    return sizeof(benchRun) + (size_t)scene->bodyCount * sizeof(sdWorldTransform);
}

static void addTimes(sdWorldStats* sum, const sdWorldStats* stats) {
    sdWorldStats r = *stats;
    r.pairMs += sum->pairMs;
    r.contactMs += sum->contactMs;
    r.islandMs += sum->islandMs;
    r.solveMs += sum->solveMs;
    r.refitMs += sum->refitMs;
    r.sleepMs += sum->sleepMs;
    r.stepMs += sum->stepMs;
    *sum = r;
}

static void scaleTimes(sdWorldStats* stats, float scale) {
    stats->pairMs *= scale;
    stats->contactMs *= scale;
    stats->islandMs *= scale;
    stats->solveMs *= scale;
    stats->refitMs *= scale;
    stats->sleepMs *= scale;
    stats->stepMs *= scale;
}

static void runSteps(benchRun* run, const rivalEngine* engine, void* self, int stepCount,
                     int firstMeasured, double end) {
    for (int i = 0; i < stepCount && bench_Now() < end; ++i) {
        double wall = bench_Now(), cpu = bench_ThreadTime();
        engine->step(self);
        cpu = bench_ThreadTime() - cpu;
        wall = bench_Now() - wall;
        // what had no time for more is judged by what there is
        if (i == firstMeasured) {
            run->firstMeasured = i;
            run->stats = (sdWorldStats){0};
        }
        run->cpuMs[i] = (float)(1e3 * cpu);
        run->wallMs[i] = (float)(1e3 * wall);
        run->stepCount = i + 1;
        if (engine->getStats != NULL) {
            sdWorldStats stats;
            engine->getStats(self, &stats);
            addTimes(&run->stats, &stats);
        }
    }
    run->outcome = run->stepCount < stepCount ? BENCH_TOO_SLOW : BENCH_FINISHED;
}

/// What the process that runs an engine is to do.
typedef struct Order {
    benchRun* run;
    const rivalEngine* engine;
    const rivalWorldScene* scene;
    int stepCount, firstMeasured;
    double end;
} Order;

static void runOrder(void* arg) {
    const Order* order = (const Order*)arg;
    benchRun* run = order->run;
    snprintf(run->why, sizeof run->why, "could not make its world");
    void* self = order->engine->create(order->scene, run->why);
    if (self == NULL) {
        run->isRefused = true;
        return;
    }
    snprintf(run->why, sizeof run->why, "did not come back from a step");
    runSteps(run, order->engine, self, order->stepCount, order->firstMeasured, order->end);
    int measured = bench_CountMeasured(run);
    scaleTimes(&run->stats, measured > 0 ? 1.0f / (float)measured : 0.0f);
    order->engine->getPoses(self, run->poses);
    run->hasPoses = true;
    order->engine->destroy(self);
}

static void waitFor(pid_t child, double end) {
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (bench_Now() > end) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return;
        }
        usleep(2000);
    }
}

bool bench_RunApart(void (*run)(void* arg), void* arg, double limitSeconds) {
    // nothing is printed twice
    fflush(NULL);
    double end = bench_Now() + limitSeconds;
    pid_t child = fork();
    if (child < 0) {
        return false;
    }
    if (child == 0) {
        struct rlimit memory = {MEMORY_LIMIT, MEMORY_LIMIT};
        setrlimit(RLIMIT_AS, &memory);
        run(arg);
        _exit(EXIT_SUCCESS);
    }
    waitFor(child, end);
    return true;
}

void* bench_ShareMemory(size_t size) {
    void* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void bench_UnshareMemory(void* memory, size_t size) {
    munmap(memory, size);
}

benchRun* bench_RunWorld(const rivalEngine* engine, const rivalWorldScene* scene, int stepCount,
                         int firstMeasured, double limitSeconds) {
    benchRun* run = bench_ShareMemory(sizeOfRun(scene));
    if (run == NULL) {
        return NULL;
    }
    run->outcome = BENCH_FAILED;
    Order order = {run, engine, scene, stepCount, firstMeasured, bench_Now() + limitSeconds};
    if (!bench_RunApart(runOrder, &order, limitSeconds + PATIENCE)) {
        bench_FreeRun(run, scene);
        return NULL;
    }
    return run;
}

void bench_FreeRun(benchRun* run, const rivalWorldScene* scene) {
    bench_UnshareMemory(run, sizeOfRun(scene));
}

#define PART_COUNT 5

double bench_StepSpread(const benchRun* run) {
    int size = bench_CountMeasured(run) / PART_COUNT;
    double sum = 0.0, squares = 0.0;
    for (int part = 0; part < PART_COUNT && size > 0; ++part) {
        double mean = 0.0;
        for (int i = 0; i < size; ++i) {
            mean += (double)run->cpuMs[run->firstMeasured + part * size + i] / size;
        }
        sum += mean;
        squares += mean * mean;
    }
    double mean = sum / PART_COUNT, variance = squares / PART_COUNT - mean * mean;
    return mean > 0.0 && variance > 0.0 ? sqrt(variance) / mean : 0.0;
}

void bench_RecordFailure(const char* row, const char* engine, const char* unit,
                         const benchRun* run) {
    char note[RIVAL_WHY_SIZE + 24];
    snprintf(note, sizeof note, "%s: %s", run->isRefused ? "not supported" : "failed", run->why);
    bench_Record(
        (benchRecord){.row = row, .engine = engine, .value = NAN, .unit = unit, .note = note});
}

static double sumMs(const benchRun* run, int threadCount, int first, int end) {
    const float* ms = threadCount == 1 ? run->cpuMs : run->wallMs;
    double sum = 0.0;
    for (int i = first; i < end; ++i) {
        sum += (double)ms[i];
    }
    return sum;
}

double bench_StepMs(const benchRun* run, int threadCount) {
    int count = bench_CountMeasured(run);
    return count > 0 ? sumMs(run, threadCount, run->firstMeasured, run->stepCount) / count : 0.0;
}

double bench_StepRatio(const benchRun* run, int threadCount, const benchRun* other) {
    int first = sdMinI(run->firstMeasured, other->firstMeasured);
    int end = sdMinI(run->stepCount, other->stepCount);
    double sum = sumMs(other, 1, first, end);
    return sum > 0.0 ? sumMs(run, threadCount, first, end) / sum : 0.0;
}

void bench_KeepLeast(benchRun* run, const benchRun* again) {
    int count = sdMinI(run->stepCount, again->stepCount);
    for (int i = 0; i < count; ++i) {
        run->cpuMs[i] = sdMinF(run->cpuMs[i], again->cpuMs[i]);
        run->wallMs[i] = sdMinF(run->wallMs[i], again->wallMs[i]);
    }
    run->stats = again->stats.stepMs < run->stats.stepMs ? again->stats : run->stats;
}
