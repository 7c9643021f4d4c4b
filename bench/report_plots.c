// SPDX-License-Identifier: MIT
// report_plots.c - plots of the benchmarks, by what the lab draws with.
//
// Truth: error against cost, a line an engine. All else: a bar an engine for each row.

#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 1e-9 // what is drawn instead of zero: axes are logarithmic
#define MAX_RATES 8
#define MAX_BARS 16  // rows of one plot
#define MAX_LABEL 22 // letters below a bar: gnuplot has no room for more

/// What the run function of an experiment is to draw: the lab hands nothing on.
static struct {
    const reportRows* rows;
    const char* group;
    const char* family;
} job;

static const char* slugOf(Lab* lab, const char* text) {
    char slug[REPORT_MAX_TEXT];
    report_GetSlug(text, slug);
    return Lab_Text(lab, "%s", slug);
}

// ---- truth ---------------------------------------------------------------------------------

/// "period, 1/60 s" is a measure and a length of step; others are not.
static bool splitRow(const char* row, char metric[REPORT_MAX_TEXT], int* rate) {
    const char* comma = strstr(row, ", 1/");
    if (comma == NULL || sscanf(comma, ", 1/%d s", rate) != 1) {
        return false;
    }
    snprintf(metric, REPORT_MAX_TEXT, "%.*s", (int)(comma - row), row);
    return true;
}

static double valueAt(const char* metric, int rate, const char* engine) {
    char row[2 * REPORT_MAX_TEXT];
    snprintf(row, sizeof row, "%s, 1/%d s", metric, rate);
    int i = reportRows_Find(job.rows, job.group, row, engine);
    return i >= 0 ? job.rows->data[i].value : NAN;
}

static void drawMetric(Lab* lab, const char* metric, const char* unit) {
    const char* engines[REPORT_MAX_ENGINES];
    int engineCount, rates[MAX_RATES], rateCount = 0;
    reportRows_GetEngines(job.rows, job.group, engines, &engineCount);
    for (int i = 0; i < job.rows->count && rateCount < MAX_RATES; ++i) {
        char name[REPORT_MAX_TEXT];
        int rate;
        const reportRow* r = &job.rows->data[i];
        if (strcmp(r->group, job.group) == 0 && strcmp(r->engine, REPORT_OURS) == 0 &&
            splitRow(r->row, name, &rate) && strcmp(name, metric) == 0) {
            rates[rateCount++] = rate;
        }
    }
    LabTable* t = Lab_AddTable(lab, slugOf(lab, metric), metric);
    LabPlot plot = {.name = slugOf(lab, metric),
                    .title = Lab_Text(lab, "%s: error of %s", job.group + 6, metric),
                    .text = "Lower left is better: less error for less time. Points are lengths "
                            "of step.",
                    .x = {"processor time for a second of motion", "us", .isLog = true},
                    .y = {Lab_Text(lab, "error of %s", metric), unit, .isLog = true}};
    int seriesCount = 0;
    for (int e = 0; e < engineCount && seriesCount < LAB_MAX_SERIES; ++e) {
        int cost = LabTable_AddColumn(t, Lab_Text(lab, "%s, cost", engines[e]), "us");
        int error = LabTable_AddColumn(t, Lab_Text(lab, "%s", engines[e]), unit);
        bool hasPoints = false;
        for (int i = 0; i < rateCount; ++i) {
            hasPoints = hasPoints || isfinite(valueAt(metric, rates[i], engines[e]));
        }
        if (hasPoints) {
            plot.series[seriesCount++] = (LabSeries){t, cost, error, engines[e], .like = e + 1};
        }
    }
    for (int i = 0; i < rateCount; ++i) {
        LabTable_AddRow(t, NULL);
        for (int e = 0; e < engineCount; ++e) {
            double value = valueAt(metric, rates[i], engines[e]);
            LabTable_Put(t, 2 * e, valueAt("cost", rates[i], engines[e]));
            LabTable_Put(t, 2 * e + 1, isfinite(value) ? fmax(value, LEAST) : NAN);
        }
    }
    Lab_AddPlot(lab, plot);
}

static void drawTruth(Lab* lab) {
    char done[8][REPORT_MAX_TEXT];
    int doneCount = 0;
    for (int i = 0; i < job.rows->count; ++i) {
        const reportRow* r = &job.rows->data[i];
        char metric[REPORT_MAX_TEXT];
        int rate;
        if (strcmp(r->group, job.group) != 0 || !splitRow(r->row, metric, &rate) ||
            strcmp(metric, "cost") == 0) {
            continue;
        }
        bool isDone = doneCount == 8;
        for (int k = 0; k < doneCount; ++k) {
            isDone = isDone || strcmp(done[k], metric) == 0;
        }
        if (!isDone) {
            memcpy(done[doneCount++], metric, sizeof metric);
            drawMetric(lab, metric, Lab_Text(lab, "%s", r->unit));
        }
    }
}

// ---- bars ----------------------------------------------------------------------------------

/// Whether a row has its bars in the plot at hand.
static bool isDrawn(const reportRow* row) {
    if (job.family != NULL) {
        size_t length = strlen(job.family);
        return strncmp(row->group, job.family, length) == 0 &&
               strncmp(row->group + length, ", ", 2) == 0 && strcmp(row->row, "ms a step") == 0;
    }
    // what has a second engine, and is no exponent or bound
    return strcmp(row->group, job.group) == 0 && row->unit[0] != '\0' &&
           strstr(row->row, "kept") == NULL &&
           reportRows_GetPlace(job.rows, (int)(row - job.rows->data)) != REPORT_ALONE;
}

static void drawBars(Lab* lab) {
    const char* engines[REPORT_MAX_ENGINES] = {REPORT_OURS};
    int engineCount = 1, barCount = 0;
    const char* unit = "";
    for (int i = 0; i < job.rows->count; ++i) {
        const reportRow* r = &job.rows->data[i];
        bool isKnown = !isDrawn(r) || !isfinite(r->value);
        for (int k = 0; k < engineCount; ++k) {
            isKnown = isKnown || strcmp(engines[k], r->engine) == 0;
        }
        if (!isKnown && engineCount < LAB_MAX_SERIES) {
            engines[engineCount++] = r->engine;
            unit = r->unit;
        }
    }
    const char* what = job.family != NULL ? job.family : job.group;
    LabTable* t = Lab_AddTable(lab, "times", what);
    LabPlot plot = {.name = "times",
                    .title = Lab_Text(lab, "%s: time", what),
                    .text = "Lower is better; the axis is logarithmic.",
                    .x = {"", ""},
                    .y = {"time", Lab_Text(lab, "%s", unit), .isLog = true}};
    for (int e = 0; e < engineCount; ++e) {
        LabTable_AddColumn(t, engines[e], unit);
        plot.series[e] = (LabSeries){t, 0, e, engines[e], LAB_BARS};
    }
    for (int i = 0; i < job.rows->count && barCount < MAX_BARS; ++i) {
        const reportRow* r = &job.rows->data[i];
        if (!isDrawn(r) || !reportRows_IsNewRow(job.rows, i)) {
            continue;
        }
        const char* comma = strstr(r->group, ", ");
        const char* label = job.family != NULL && comma != NULL ? comma + 2 : r->row;
        LabTable_AddRow(t, Lab_Text(lab, "%.*s", MAX_LABEL, label));
        barCount += 1;
        for (int e = 0; e < engineCount; ++e) {
            int k = reportRows_Find(job.rows, r->group, r->row, engines[e]);
            if (k >= 0 && isfinite(job.rows->data[k].value)) {
                LabTable_Put(t, e, fmax(job.rows->data[k].value, LEAST));
            }
        }
    }
    if (barCount > 0 && engineCount > 1) {
        Lab_AddPlot(lab, plot);
    }
}

// ---- files ---------------------------------------------------------------------------------

/// The lab asks every experiment for a finding; here plots are all that is wanted of it.
static void addFinding(Lab* lab) {
    Lab_AddFinding(lab,
                   (LabFinding){.claim = "drawn", .ours = "drawn", .agrees = true, .why = "-"});
}

static void runTruth(Lab* lab) {
    drawTruth(lab);
    addFinding(lab);
}

static void runBars(Lab* lab) {
    drawBars(lab);
    addFinding(lab);
}

static sdResult draw(LabPage* page, const char* name, void (*run)(Lab*), const char* folder) {
    char slug[REPORT_MAX_TEXT], path[LAB_MAX_PATH];
    report_GetSlug(name, slug);
    snprintf(path, sizeof path, "%s/%s", folder, slug);
    LabExperiment experiment = {.name = slug, .title = name, .source = "ours", .run = run};
    Lab* lab = Lab_Run(&experiment, LAB_QUICK, NULL);
    if (lab == NULL || lab->reason[0] != '\0') {
        fprintf(stderr, "bench_report: %s: %s\n", name, lab != NULL ? lab->reason : "no memory");
        Lab_Destroy(lab);
        return SD_ERROR_OUT_OF_MEMORY;
    }
    sdResult result = lab->plotCount > 0 ? LabFolder_Make(&page->context, path) : SD_OK;
    for (int i = 0; i < lab->plotCount && result == SD_OK; ++i) {
        result = LabTable_SaveCsv(&lab->tables[i], &page->context, path);
        result = result != SD_OK ? result : LabPlot_Save(&lab->plots[i], &page->context, path);
    }
    LabPage_Print(page, lab->plotCount > 0 ? "<div class='plots'>\n" : "");
    for (int i = 0; i < lab->plotCount; ++i) {
        LabSection_AddPlot(page, slug, &lab->plots[i]);
    }
    LabPage_Print(page, lab->plotCount > 0 ? "</div>\n" : "");
    Lab_Destroy(lab);
    return result;
}

sdResult report_AddPlots(LabPage* page, const reportRows* rows, const char* group,
                         const char* folder) {
    job.rows = rows;
    job.group = group;
    job.family = NULL;
    return draw(page, group, reportRows_IsTruth(group) ? runTruth : runBars, folder);
}

sdResult report_AddFamilyPlot(LabPage* page, const reportRows* rows, const char* family,
                              const char* folder) {
    job.rows = rows;
    job.group = NULL;
    job.family = family;
    return draw(page, family, runBars, folder);
}
