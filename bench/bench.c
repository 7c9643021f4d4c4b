// SPDX-License-Identifier: MIT
// bench.c - see bench.h.

#define _POSIX_C_SOURCE 199309L

#include "bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double readClock(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_Now(void) {
    return readClock(CLOCK_MONOTONIC);
}

double bench_ThreadTime(void) {
    return readClock(CLOCK_THREAD_CPUTIME_ID);
}

static double once(benchFcn* run, void* arg) {
    double start = bench_Now();
    run(arg);
    return bench_Now() - start;
}

double bench_Best(benchFcn* run, void* arg, int repeats) {
    double best = once(run, arg);
    for (int i = 1; i < repeats; ++i) {
        double t = once(run, arg);
        best = t < best ? t : best;
    }
    return best;
}

void bench_Pair(benchFcn* runA, benchFcn* runB, void* arg, int repeats, double* a, double* b) {
    *a = once(runA, arg);
    *b = once(runB, arg);
    for (int i = 1; i < repeats; ++i) {
        double ta = once(runA, arg);
        double tb = once(runB, arg);
        *a = ta < *a ? ta : *a;
        *b = tb < *b ? tb : *b;
    }
}

void bench_Row(const char* what, double value, const char* unit, double goal) {
    printf("%-58s %10.3f %-6s  goal <= %-8g %s\n", what, value, unit, goal,
           value <= goal ? "met" : "NOT MET");
    fflush(stdout);
    bench_Record((benchRecord){.row = what,
                               .engine = "Sudar",
                               .value = value,
                               .unit = unit,
                               .hasGoal = true,
                               .goal = goal});
}

// ---- rows for the report -------------------------------------------------------------------

static char group[96];

void bench_SetGroup(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(group, sizeof group, format, arguments);
    va_end(arguments);
}

void bench_RecordValue(const char* row, const char* engine, double value, const char* unit) {
    bench_Record((benchRecord){.row = row, .engine = engine, .value = value, .unit = unit});
}

static void writeText(FILE* file, const char* text) {
    fputc('"', file);
    for (const char* c = text != NULL ? text : ""; *c != '\0'; ++c) {
        if (*c == '"') {
            fputc('"', file);
        }
        fputc(*c == '\n' ? ' ' : *c, file);
    }
    fputc('"', file);
}

void bench_Record(benchRecord record) {
    const char* path = getenv("BENCH_CSV");
    if (path == NULL) {
        return;
    }
    // line by line: engines run in processes of their own
    FILE* file = fopen(path, "a");
    if (file == NULL) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    const char* texts[] = {group, record.row, record.engine};
    for (int i = 0; i < 3; ++i) {
        writeText(file, texts[i]);
        fputc(',', file);
    }
    if (isfinite(record.value)) {
        fprintf(file, "%.9g", record.value);
    }
    fputc(',', file);
    writeText(file, record.unit);
    fputc(',', file);
    if (record.spread > 0.0) {
        fprintf(file, "%.4g", record.spread);
    }
    fputc(',', file);
    if (record.hasGoal) {
        fprintf(file, "%.9g", record.goal);
    }
    fputc(',', file);
    writeText(file, record.note);
    fputc('\n', file);
    if (fclose(file) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

float bench_RandomFloat(uint64_t* state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (float)(*state >> 40) * (2.0f / 16777216.0f) - 1.0f;
}

sdVec3 bench_RandomInBall(uint64_t* state) {
    sdVec3 p;
    do {
        p.x = bench_RandomFloat(state);
        p.y = bench_RandomFloat(state);
        p.z = bench_RandomFloat(state);
    } while (sdLengthSquared(p) > 1.0f || sdLengthSquared(p) < 1e-4f);
    return p;
}

void bench_Use(const void* p) {
    __asm__ volatile("" : : "r"(p) : "memory");
}
