// SPDX-License-Identifier: MIT
// report.c - what a run found, as a table for people or one JSON object for programs.

#include "report.h"

#include <stdio.h>

/// A length with a unit that leaves few zeros.
static void formatLength(double m, char* text, size_t capacity) {
    if (m >= 1.0) {
        snprintf(text, capacity, "%.3f m", m);
    } else if (m >= 1e-3) {
        snprintf(text, capacity, "%.2f mm", 1e3 * m);
    } else {
        snprintf(text, capacity, "%.1f um", 1e6 * m);
    }
}

static double realTimeFactor(const CliReport* r) {
    return r->measure->seconds > 0.0 ? sdWorld_GetTime(r->world) / r->measure->seconds : 0.0;
}

static void printTimes(const CliReport* r) {
    const CliMeasure* m = r->measure;
    printf("%-18s%d of %g ms: %.2f s simulated in %.2f s\n", "steps", r->steps, 1e3 * r->dt,
           sdWorld_GetTime(r->world), m->seconds);
    if (r->steps > 0) {
        printf("%-18smean %.3f  p50 %.3f  p99 %.3f  max %.3f\n", "ms per step",
               CliMeasure_GetMean(m), CliMeasure_GetQuantile(m, 0.5),
               CliMeasure_GetQuantile(m, 0.99), CliMeasure_GetQuantile(m, 1.0));
        printf("%-18s%.1f\n", "real-time factor", realTimeFactor(r));
    }
}

void CliReport_PrintTable(const CliReport* r) {
    sdWorldStats stats = sdWorld_GetStats(r->world);
    char depth[32];
    formatLength(r->measure->maxPenetration, depth, sizeof depth);
    printf("%s%s%s\n", Cli_Color(stdout, CLI_BOLD), r->title, Cli_Color(stdout, CLI_PLAIN));
    printf("%-18s%d, %d of them awake\n", "bodies", stats.bodyCount, stats.awakeCount);
    printf("%-18s%d with %s\n", "contacts", r->measure->contactCount,
           Cli_Count(r->measure->pointCount, "point", "points").text);
    if (stats.jointCount > 0) {
        printf("%-18s%d\n", "joints", stats.jointCount);
    }
    printf("%-18s%s, %s\n", "solver", r->solver, Cli_Count(r->threads, "thread", "threads").text);
    printTimes(r);
    printf("%-18s%s\n", "max penetration", depth);
    printf("%-18s%.6g J: kinetic %.4g, potential %.6g\n", "energy",
           r->energy.kinetic + r->energy.potential, r->energy.kinetic, r->energy.potential);
    if (r->isEnd) {
        printf("%-18s%s%s%s: %s\n", "end", Cli_Color(stdout, r->holds ? CLI_GREEN : CLI_RED),
               r->holds ? "as it must be" : "NOT as it must be", Cli_Color(stdout, CLI_PLAIN),
               r->reason);
    }
    printf("%-18s%016llx\n", "hash", (unsigned long long)sdWorld_GetHash(r->world));
}

void CliReport_PrintStats(const CliReport* r) {
    sdWorldStats stats = sdWorld_GetStats(r->world);
    int steps = r->steps > 0 ? r->steps : 1;
    printf("stage        mean ms    most ms\n");
    for (int i = 0; i < CLI_STAGE_COUNT && r->steps > 0; ++i) {
        printf("  %-10s%8.3f   %8.3f\n", CliStage_Name((CliStage)i),
               r->measure->stageSum[i] / steps, r->measure->stageMost[i]);
    }
    printf("pairs %d, islands %d, colours %d, parts %d, memory %zu KB\n", stats.pairCount,
           stats.islandCount, stats.colorCount, stats.partCount, stats.byteCount / 1024);
}

void CliReport_PrintJson(const CliReport* r) {
    const CliMeasure* m = r->measure;
    sdWorldStats stats = sdWorld_GetStats(r->world);
    printf("{\"scene\": ");
    CliJson_Text(stdout, r->name);
    printf(", \"title\": ");
    CliJson_Text(stdout, r->title);
    printf(", \"bodies\": %d, \"steps\": %d, \"dt\": %.9g, \"threads\": %d, \"solver\": ",
           stats.bodyCount, r->steps, r->dt, r->threads);
    CliJson_Text(stdout, r->solver);
    printf(", \"contacts\": %d,\n \"stepMs\": {\"mean\": %.6g, \"p50\": %.6g, \"p99\": %.6g, "
           "\"max\": %.6g}, \"realTimeFactor\": %.6g,\n \"maxPenetration\": %.9g, \"energy\": ",
           m->contactCount, CliMeasure_GetMean(m), CliMeasure_GetQuantile(m, 0.5),
           CliMeasure_GetQuantile(m, 0.99), CliMeasure_GetQuantile(m, 1.0), realTimeFactor(r),
           m->maxPenetration);
    CliJson_Number(stdout, r->energy.kinetic + r->energy.potential);
    printf(",\n \"endConditions\": [");
    if (r->isEnd) {
        printf("{\"what\": ");
        CliJson_Text(stdout, r->end);
        printf(", \"ok\": %s}", r->holds ? "true" : "false");
    }
    printf("], \"hash\": \"%016llx\"}\n", (unsigned long long)sdWorld_GetHash(r->world));
}
