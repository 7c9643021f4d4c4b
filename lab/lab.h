// SPDX-License-Identifier: MIT
// lab.h - experiments: what the documents report, measured again.
//
// An experiment is a C file with one LabExperiment and a row in the table of experiments.c. Its run
// function fills tables, describes plots of them and says what was found:
//
//     static void run(Lab* lab) {
//         LabTable* t = Lab_AddTable(lab, "growth", "Time of 10 000 steps");
//         int n = LabTable_AddColumn(t, "triangles", "");
//         int ms = LabTable_AddColumn(t, "triangle test", "ms");
//         int tests = LabTable_AddColumn(t, "tests", "");
//         int document = LabTable_AddColumn(t, "document", "ms");
//         for (int i = 0; i < 10 && Lab_GoesOn(lab); ++i) {
//             LabSample times = {0};
//             for (int repeat = 0; repeat < Lab_Choose(lab, 1, 3, 10); ++repeat) {
//                 double start = Lab_Now();
//                 ...
//                 LabSample_Add(&times, 1e3 * (Lab_Now() - start));
//             }
//             LabTable_AddRow(t, NULL);
//             LabTable_Put(t, n, 8 * (i + 1));
//             LabTable_PutSample(t, ms, &times);    // with its spread: error bars in plots
//             LabTable_Put(t, document, documentMs[i]);
//         }
//         Lab_AddPlot(lab, (LabPlot){
//             .name = "growth", .title = "Time by size", .text = "Both axes are logarithmic.",
//             .x = {"triangles of a body", "", .isLog = true}, .y = {"time", "ms", .isLog = true},
//             .series = {{t, n, ms, "triangle test"},
//                        {t, n, document, "the document's", .style = LAB_DOCUMENT}}});
//         double p = LabTable_FitExponent(t, n, tests);
//         Lab_AddFinding(lab, (LabFinding){
//             .claim = "The triangle test grows with the square of the triangles.",
//             .document = "exponent 1.64 over the ten rows",
//             .ours = Lab_Text(lab, "exponent %.2f of tests made", p),
//             .agrees = p > 1.7,
//             .why = "Every triangle is tested against every other one."});
//     }
//
//     const LabExperiment labTriangles = {.name = "triangles", ..., .run = run};
//
// There is nothing to free and no error to hand on: what cannot be had (memory, a world) is told by
// Lab_Fail, after which the run function should return; Lab_GoesOn says so in loops. Pointers to
// tables are never NULL and hold until the experiment is over.
//
// An experiment has three sizes. The smallest is what `make test` runs, in a fraction of a second:
// all findings that are not `isTimed` are checked there, so let them rest on counts (tests made,
// iterations, depths), not on times. Everything random comes from a fixed seed.

#ifndef SD_LAB_H
#define SD_LAB_H

#include "sudar/sudar.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LAB_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define LAB_PRINTF(text, first)
#endif

// ---- experiments ---------------------------------------------------------------------------

typedef struct Lab Lab; ///< one run of one experiment

typedef enum LabSize {
    LAB_SMALLEST, ///< for tests: well below a second
    LAB_QUICK,    ///< the default: all experiments together in two minutes
    LAB_FULL      ///< the documents' sizes
} LabSize;

typedef struct LabExperiment {
    const char* name;     ///< lower case, words joined by hyphens
    const char* title;    ///< a few words
    const char* source;   ///< "S0 §7.2, table 7.1"; "ours" where no document has it
    const char* question; ///< a sentence or two
    const char* setup;    ///< what is measured, on what, how: a paragraph
    const char* document; ///< what the document found, a paragraph; NULL for ours
    void (*run)(Lab* lab);
} LabExperiment;

/// In the order of the report; NULL outside 0 .. count - 1.
const LabExperiment* LabExperiment_Get(int index);
int LabExperiment_GetCount(void);
/// NULL when there is none of that name.
const LabExperiment* LabExperiment_Find(const char* name);

// ---- while one runs ------------------------------------------------------------------------

LabSize Lab_GetSize(const Lab* lab);
/// One of three numbers by the size of the run.
int Lab_Choose(const Lab* lab, int smallest, int quick, int full);

/// False after a failure and when the user wants to stop: leave loops then.
bool Lab_GoesOn(const Lab* lab);
/// The experiment is broken: the first reason counts.
void Lab_Fail(Lab* lab, const char* format, ...) LAB_PRINTF(2, 3);
/// @return whether the result is SD_OK; fails with `what` and the result's name otherwise
bool Lab_Check(Lab* lab, sdResult result, const char* what);

/// A text that lives as long as the run.
const char* Lab_Text(Lab* lab, const char* format, ...) LAB_PRINTF(2, 3);
/// A paragraph for the report, after the plots so far.
void Lab_AddNote(Lab* lab, const char* format, ...) LAB_PRINTF(2, 3);
/// A setting of this run, listed in the report: "steps", "10 000".
void Lab_AddSetting(Lab* lab, const char* name, const char* format, ...) LAB_PRINTF(3, 4);

/// Seconds that this thread has had a processor for: other people's work is not in it. Worlds on
/// one thread (the default context) can be timed by it.
double Lab_Now(void);
/// Keep the compiler from leaving out what computed this.
void Lab_Use(const void* p);

/// PCG32: the same numbers everywhere.
typedef struct LabRandom {
    uint64_t state;
} LabRandom;

LabRandom LabRandom_Make(uint64_t seed);
float LabRandom_Float(LabRandom* random, float a, float b); ///< a <= x < b
sdVec3 LabRandom_InBox(LabRandom* random, float halfSize);
sdVec3 LabRandom_OnSphere(LabRandom* random); ///< unit
sdQuat LabRandom_Rotation(LabRandom* random); ///< all equally likely

// ---- samples -------------------------------------------------------------------------------

/// One quantity measured several times. Zero it first.
typedef struct LabSample {
    int count;
    double mean, squares; ///< squares: sum of squared differences from the mean
    double least, most;
} LabSample;

void LabSample_Add(LabSample* sample, double value);
/// Standard deviation over the repeats; 0 for fewer than two.
double LabSample_GetSpread(const LabSample* sample);

// ---- tables --------------------------------------------------------------------------------

#define LAB_MAX_COLUMNS 24

typedef struct LabTable LabTable;

/// Written as NAME.csv, shown in the report below the plots; the first one unfolded.
/// @param name a word for file names, unique in the experiment
LabTable* Lab_AddTable(Lab* lab, const char* name, const char* title);
/// @param unit "" for none
/// @return its index
int LabTable_AddColumn(LabTable* table, const char* name, const char* unit);
/// The rows to come have it; what is not put stays empty.
/// @param label the row's name, in front of all columns; NULL for none
void LabTable_AddRow(LabTable* table, const char* label);
/// Into the newest row.
void LabTable_Put(LabTable* table, int column, double value);
/// Mean and spread.
void LabTable_PutSample(LabTable* table, int column, const LabSample* sample);

int LabTable_GetRowCount(const LabTable* table);
/// NaN where nothing was put, and outside the table.
double LabTable_Get(const LabTable* table, int row, int column);
/// The p of y = c x^p that fits best, over rows where both are above 0; NaN for fewer than two.
double LabTable_FitExponent(const LabTable* table, int xColumn, int yColumn);
/// The same over rows where y is above `least`: what is below may be rounding only.
double LabTable_FitExponentAbove(const LabTable* table, int xColumn, int yColumn, double least);

// ---- plots ---------------------------------------------------------------------------------

#define LAB_MAX_SERIES 12

typedef struct LabAxis {
    const char* label;
    const char* unit; ///< "" or NULL for none
    bool isLog;
    double from, to; ///< both 0: what the data needs
} LabAxis;

typedef enum LabStyle {
    LAB_LINE,     ///< points joined by a line, bars of spread where there is one
    LAB_CURVE,    ///< a line without points: many rows
    LAB_POINTS,   ///< points alone
    LAB_DOCUMENT, ///< the document's own numbers: open points, dashed, grey
    LAB_BARS      ///< a bar for each row, named by the rows' labels; all series of the plot
} LabStyle;

typedef struct LabSeries {
    const LabTable* table;
    int x, y; ///< columns; x does not matter to bars
    const char* title;
    LabStyle style;
    int like;              ///< n: in the colour of the n-th series (from 1); 0: in its own
    int rowFrom, rowCount; ///< part of the table; rowCount 0: to its end
} LabSeries;

/// Drawn by gnuplot as NAME.svg, from the tables' CSV files.
typedef struct LabPlot {
    const char* name;  ///< unique in the experiment
    const char* title; ///< a few words
    const char* text;  ///< what there is to see in it, a sentence: caption and words for the blind
    LabAxis x, y;
    LabSeries series[LAB_MAX_SERIES]; ///< up to the first without a table
} LabPlot;

/// Copied; texts must live as long as the run (literals, Lab_Text).
void Lab_AddPlot(Lab* lab, LabPlot plot);

// ---- findings ------------------------------------------------------------------------------

typedef enum LabVerdict {
    LAB_AGREES,     ///< what the document says came out here
    LAB_DIFFERS,    ///< it did not, and the data shows why
    LAB_UNEXPLAINED ///< it did not, and nobody knows why: the command and the test fail
} LabVerdict;

typedef struct LabFinding {
    const char* claim;    ///< what the document says, a sentence, or what is to be seen for ours
    const char* document; ///< its numbers; NULL for ours
    const char* ours;     ///< our numbers
    bool agrees;          ///< whether the claim is true of our numbers
    bool isExplained;     ///< if not: whether our numbers show what `why` says
    const char* why;      ///< why it is so, or why it differs
    bool isTimed;         ///< rests on times, which others' work changes: reported, never a failure
} LabFinding;

/// Copied; texts must live as long as the run (literals, Lab_Text).
void Lab_AddFinding(Lab* lab, LabFinding finding);
LabVerdict LabFinding_GetVerdict(const LabFinding* finding);

#endif
