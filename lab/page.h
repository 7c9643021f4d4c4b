// SPDX-License-Identifier: MIT
// page.h - a text that grows and then becomes a file, whole or not at all: CSV, gnuplot, HTML.

#ifndef SD_LAB_PAGE_H
#define SD_LAB_PAGE_H

#include "file.h"
#include "lab_data.h"

/// After a failure nothing more is added, and saving fails.
typedef struct LabPage {
    sdContext context;
    sdByteArray text;
} LabPage;

LabPage LabPage_Start(const sdContext* context);
void LabPage_Print(LabPage* page, const char* format, ...) LAB_PRINTF(2, 3);
void LabPage_Add(LabPage* page, const char* bytes, size_t size);
/// As text of HTML: < & > and quotes become what they mean there.
void LabPage_Escape(LabPage* page, const char* text);
/// With as many digits as are worth reading; a dash for NaN.
void LabPage_Number(LabPage* page, double number);
/// Write it as FOLDER/NAME and be empty.
/// @return SD_ERROR_IO and SD_ERROR_OUT_OF_MEMORY, which were said
sdResult LabPage_Save(LabPage* page, const char* folder, const char* name);

/// Longest path of a file of the report, bytes.
#define LAB_MAX_PATH 4096

/// Head of a page in the lab's style, up to its title and the start of its body.
void LabPage_AddHead(LabPage* page, const char* title);
/// A folder with all folders above it.
/// @return SD_ERROR_IO, which was said
sdResult LabFolder_Make(const sdContext* context, const char* folder);

// ---- what is written by it -----------------------------------------------------------------

/// NAME.csv: one line a row; a column with spreads has two.
sdResult LabTable_SaveCsv(const LabTable* table, const sdContext* context, const char* folder);
/// Where a column stands in that file, from 1; the row's names come before the others.
int LabTable_GetCsvColumn(const LabTable* table, int column);

/// @return SD_ERROR_IO, and says so, when there is no program `gnuplot`
sdResult LabPlot_FindGnuplot(const sdContext* context);
/// NAME.gp and, by gnuplot, NAME.svg, which is readable on light and dark ground.
sdResult LabPlot_Save(const LabPlot* plot, const sdContext* context, const char* folder);

/// A plot that lies in the folder `name`, with its words.
void LabSection_AddPlot(LabPage* page, const char* name, const LabPlot* plot);
/// section.html: all of one experiment, for the report.
sdResult LabSection_Save(const Lab* lab, const sdContext* context, const char* folder);

#endif
