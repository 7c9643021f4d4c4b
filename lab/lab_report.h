// SPDX-License-Identifier: MIT
// lab_report.h - a folder with what the experiments found: index.html, and a folder for each of
// them.
//
// What is finished stays finished: an experiment that was run to its end with the same size,
// sources and machine is found again, so an interrupted run goes on where it stopped.

#ifndef SD_LAB_REPORT_H
#define SD_LAB_REPORT_H

#include "lab_data.h"
#include "machine.h"

#define LAB_MAX_EXPERIMENTS 64

/// How an experiment ended.
typedef struct LabOutcome {
    bool isFinished;
    int verdictCounts[LAB_UNEXPLAINED + 1];
    double seconds;
    char date[32];
    char reason[512]; ///< why it is broken; "": it is not
} LabOutcome;

typedef struct LabReport {
    sdContext context;
    const char* folder;
    LabSize size;
    LabMachine machine;
    LabOutcome outcomes[LAB_MAX_EXPERIMENTS]; ///< in the order of the experiments
} LabReport;

/// Make the folder, see that it can be written and that gnuplot is there, and find what is
/// finished.
/// @param folder must live as long as the report
/// @return SD_ERROR_IO, and the log says why
sdResult LabReport_Open(LabReport* report, const sdContext* context, const char* folder,
                        LabSize size);
/// Write all files of one experiment, or note that it is broken.
/// @param index of the experiment
sdResult LabReport_Add(LabReport* report, int index, const Lab* lab);
/// index.html: a table of all experiments and the sections of those that are finished.
sdResult LabReport_SaveIndex(const LabReport* report);

#endif
