// SPDX-License-Identifier: MIT
// report.h - parts of bench_report: rows of all benchmarks, as they were recorded.

#ifndef SD_BENCH_REPORT_H
#define SD_BENCH_REPORT_H

#include "page.h"

#define REPORT_MAX_TEXT 160
#define REPORT_MAX_ENGINES 16
#define REPORT_OURS "Sudar"

typedef struct reportRow {
    char group[REPORT_MAX_TEXT], row[REPORT_MAX_TEXT], engine[REPORT_MAX_TEXT];
    char unit[REPORT_MAX_TEXT], note[REPORT_MAX_TEXT];
    double value;  ///< NaN: none, and the note says why
    double spread; ///< share of the value; 0: not known
    double goal;   ///< NaN: none
} reportRow;

typedef struct reportRows {
    reportRow* data;
    int count, capacity;
} reportRows;

/// @return false, and says why on stderr
bool reportRows_Read(reportRows* rows, const char* path);
void reportRows_Free(reportRows* rows);

/// -1 when there is none.
int reportRows_Find(const reportRows* rows, const char* group, const char* row, const char* engine);
/// Whether nothing before it has the same group; the same row of that group.
bool reportRows_IsNewGroup(const reportRows* rows, int index);
bool reportRows_IsNewRow(const reportRows* rows, int index);
/// Engines of a group, ours first, in the order in which they come; `*count` at most
/// REPORT_MAX_ENGINES.
void reportRows_GetEngines(const reportRows* rows, const char* group,
                           const char* engines[REPORT_MAX_ENGINES], int* count);
bool reportRows_IsTruth(const char* group);

typedef enum reportPlace { REPORT_ALONE, REPORT_FIRST, REPORT_NOT_FIRST } reportPlace;

/// Where ours stands in a row: first if no other is better by more than noise. Rows of truth are
/// judged by bench_truth at equal cost; all but its verdicts are alone.
reportPlace reportRows_GetPlace(const reportRows* rows, int index);

/// Plots of a group as NAME.svg in FOLDER/SLUG, and figures that show them.
sdResult report_AddPlots(LabPage* page, const reportRows* rows, const char* group,
                         const char* folder);
/// One plot of all groups of a family, as in "world, pile": their times of a step.
sdResult report_AddFamilyPlot(LabPage* page, const reportRows* rows, const char* family,
                              const char* folder);
/// A group as a word for files and links.
void report_GetSlug(const char* group, char slug[REPORT_MAX_TEXT]);

/// The tables of README.md, between its two marks.
/// @return false, and says why on stderr
bool report_UpdateReadme(const reportRows* rows, const char* path, const char* machine);

#endif
