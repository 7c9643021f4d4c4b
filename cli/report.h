// SPDX-License-Identifier: MIT
// report.h - what a run found, as a table for people or one JSON object for programs.

#ifndef SD_CLI_REPORT_H
#define SD_CLI_REPORT_H

#include "measure.h"
#include "scenes.h"

typedef struct CliReport {
    const char *name, *title;
    const sdWorld* world; ///< at the end
    const CliMeasure* measure;
    int steps;
    double dt; ///< s
    int threads;
    const char* solver;
    sdEnergy energy;
    bool isEnd;      ///< the scene's own end: what must be true there was looked at
    bool holds;      ///< and is true
    const char* end; ///< what must be true, a clause
    char reason[SD_SCENE_REASON_SIZE];
} CliReport;

void CliReport_PrintTable(const CliReport* report);
/// Time by stage, counts and memory.
void CliReport_PrintStats(const CliReport* report);
void CliReport_PrintJson(const CliReport* report);

#endif
