// SPDX-License-Identifier: MIT
// measure.h - figures of a run: how long steps took, how deep bodies were in each other.

#ifndef SD_CLI_MEASURE_H
#define SD_CLI_MEASURE_H

#include "cli.h"

#include "sudar/world.h"

typedef enum CliStage {
    CLI_STAGE_PAIRS,
    CLI_STAGE_CONTACTS,
    CLI_STAGE_ISLANDS,
    CLI_STAGE_SOLVE,
    CLI_STAGE_REFIT,
    CLI_STAGE_SLEEP,
    CLI_STAGE_COUNT
} CliStage;

const char* CliStage_Name(CliStage stage);

typedef struct CliMeasure {
    float* stepMs; ///< of all steps; sorted by CliMeasure_Finish
    int count, capacity;
    double seconds;                                               ///< in steps
    double maxPenetration;                                        ///< m, over all steps
    double stageSum[CLI_STAGE_COUNT], stageMost[CLI_STAGE_COUNT]; ///< ms
    int contactCount, pointCount;                                 ///< at the end, asleep or not
    sdContactInfo* contacts;
    int contactCapacity;
} CliMeasure;

void CliMeasure_Open(CliMeasure* measure);
/// After a step that took so many seconds.
/// @return false when there is no memory
bool CliMeasure_Add(CliMeasure* measure, const sdWorld* world, double seconds);
/// After the last one.
void CliMeasure_Finish(CliMeasure* measure);
void CliMeasure_Close(CliMeasure* measure);

/// ms; 0 without steps.
double CliMeasure_GetMean(const CliMeasure* measure);
/// The time that the share of all steps did not exceed, ms.
double CliMeasure_GetQuantile(const CliMeasure* measure, double share);

#endif
