// SPDX-License-Identifier: MIT
// lab_data.h - what one run of one experiment leaves: read by the report and by tests.
//
//     Lab* lab = Lab_Run(experiment, LAB_QUICK, NULL);
//     if (lab == NULL) ... no memory
//     if (lab->reason[0] != '\0') ... broken, and why
//     ... lab->findings, lab->tables, lab->plots
//     Lab_Destroy(lab);

#ifndef SD_LAB_DATA_H
#define SD_LAB_DATA_H

#include "lab.h"

#define LAB_MAX_TABLES 24
#define LAB_MAX_PLOTS 24
#define LAB_MAX_NOTES 24
#define LAB_MAX_FINDINGS 24
#define LAB_MAX_SETTINGS 24
#define LAB_MAX_ITEMS (LAB_MAX_PLOTS + LAB_MAX_NOTES)

typedef struct LabColumn {
    const char *name, *unit;
    bool hasSpread;
} LabColumn;

typedef struct LabCell {
    double value, spread; ///< NaN: nothing was put; spread 0 for a value without
} LabCell;

struct LabTable {
    Lab* lab;
    const char *name, *title;
    LabColumn columns[LAB_MAX_COLUMNS];
    int columnCount;
    LabCell* cells;      ///< LAB_MAX_COLUMNS of each row
    const char** labels; ///< NULL: none
    bool hasLabels;
    int rowCount, rowCapacity;
};

/// Plots and notes stand in the report in the order in which they came.
typedef enum LabItemKind { LAB_ITEM_PLOT, LAB_ITEM_NOTE } LabItemKind;

typedef struct LabItem {
    LabItemKind kind;
    int index;
} LabItem;

typedef struct LabSetting {
    const char *name, *value;
} LabSetting;

typedef struct LabTextBlock LabTextBlock; ///< lab.c

typedef bool LabStopFcn(void);

struct Lab {
    const LabExperiment* experiment;
    LabSize size;
    LabStopFcn* isStopped; ///< NULL: never
    char reason[512];      ///< why it is broken; "": it is not
    double seconds;        ///< that it took, of this thread's processor time

    LabTable tables[LAB_MAX_TABLES];
    LabPlot plots[LAB_MAX_PLOTS];
    const char* notes[LAB_MAX_NOTES];
    LabFinding findings[LAB_MAX_FINDINGS];
    LabSetting settings[LAB_MAX_SETTINGS];
    LabItem items[LAB_MAX_ITEMS];
    int tableCount, plotCount, noteCount, findingCount, settingCount, itemCount;

    LabTable spare; ///< handed out when there is no room: takes everything and keeps nothing
    LabTextBlock* texts;
};

/// @param isStopped asked now and then; NULL: never stopped
/// @return NULL when there is no memory; a broken experiment has a reason
Lab* Lab_Run(const LabExperiment* experiment, LabSize size, LabStopFcn* isStopped);
/// NULL is allowed.
void Lab_Destroy(Lab* lab);
int Lab_CountVerdicts(const Lab* lab, LabVerdict verdict);

/// "smallest", "quick", "full".
const char* LabSize_GetName(LabSize size);
/// How many series a plot has.
int LabPlot_GetSeriesCount(const LabPlot* plot);
void LabTable_Free(LabTable* table);

#endif
