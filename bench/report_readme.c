// SPDX-License-Identifier: MIT
// report_readme.c - the tables of README.md that come from a run, between two marks.

#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN_MARK "<!-- scoreboard -->\n"
#define END_MARK "<!-- end of scoreboard -->\n"

static void addValue(LabPage* page, const reportRows* rows, int index, double own) {
    if (index < 0) {
        LabPage_Print(page, " |");
        return;
    }
    const reportRow* r = &rows->data[index];
    if (!isfinite(r->value)) {
        bool isLacking = strncmp(r->note, "not supported", 13) == 0;
        LabPage_Print(page, " %s |", isLacking ? "not supported" : "failed");
        return;
    }
    LabPage_Print(page, " %.3g", r->value);
    if (own > 0.0 && strncmp(r->engine, REPORT_OURS, strlen(REPORT_OURS)) != 0) {
        LabPage_Print(page, " (%.1f×)", r->value / own);
    }
    LabPage_Print(page, " |");
}

/// Engines that have a time of a step in a group of the family.
static int findEngines(const reportRows* rows, const char* family,
                       const char* engines[REPORT_MAX_ENGINES]) {
    int count = 1;
    engines[0] = REPORT_OURS;
    for (int i = 0; i < rows->count; ++i) {
        const reportRow* r = &rows->data[i];
        bool isKnown = strncmp(r->group, family, strlen(family)) != 0 ||
                       strcmp(r->row, "ms a step") != 0 || !isfinite(r->value);
        for (int k = 0; k < count; ++k) {
            isKnown = isKnown || strcmp(engines[k], r->engine) == 0;
        }
        if (!isKnown && count < REPORT_MAX_ENGINES) {
            engines[count++] = r->engine;
        }
    }
    return count;
}

static void addFamily(LabPage* page, const reportRows* rows, const char* family,
                      const char* title) {
    const char* engines[REPORT_MAX_ENGINES];
    int engineCount = findEngines(rows, family, engines);
    bool hasHead = false;
    for (int i = 0; i < rows->count; ++i) {
        const reportRow* r = &rows->data[i];
        if (strncmp(r->group, family, strlen(family)) != 0 || strcmp(r->row, "ms a step") != 0 ||
            !reportRows_IsNewRow(rows, i)) {
            continue;
        }
        if (!hasHead) {
            LabPage_Print(page, "\n| %s |", title);
            for (int e = 0; e < engineCount; ++e) {
                LabPage_Print(page, " %s |", engines[e]);
            }
            LabPage_Print(page, "\n|---|");
            for (int e = 0; e < engineCount; ++e) {
                LabPage_Print(page, "---:|");
            }
            LabPage_Print(page, "\n");
            hasHead = true;
        }
        int own = reportRows_Find(rows, r->group, r->row, REPORT_OURS);
        LabPage_Print(page, "| %s |", r->group + strlen(family));
        for (int e = 0; e < engineCount; ++e) {
            addValue(page, rows, reportRows_Find(rows, r->group, r->row, engines[e]),
                     own >= 0 ? rows->data[own].value : 0.0);
        }
        LabPage_Print(page, "\n");
    }
}

/// The first measure of each test, with the steps of 1/60 s that most games have.
static void addTruth(LabPage* page, const reportRows* rows) {
    static const char* const engines[] = {REPORT_OURS, "Bullet", "ODE", "MuJoCo"};
    LabPage_Print(page,
                  "\n| error of, with steps of 1/60 s | Sudar | Bullet | ODE | MuJoCo | first "
                  "at equal cost |\n|---|---:|---:|---:|---:|---|\n");
    for (int i = 0; i < rows->count; ++i) {
        const reportRow* r = &rows->data[i];
        const char* place = strstr(r->row, ", 1/60 s");
        bool isMetric = reportRows_IsTruth(r->group) && place != NULL &&
                        strncmp(r->row, "cost", 4) != 0 && strcmp(r->engine, REPORT_OURS) == 0;
        if (!isMetric) {
            continue;
        }
        int length = (int)(place - r->row);
        LabPage_Print(page, "| %s: %.*s (%s) |", r->group + 6, length, r->row, r->unit);
        for (int e = 0; e < 4; ++e) {
            int k = reportRows_Find(rows, r->group, r->row, engines[e]);
            // what an engine lacks was told once, with its first length of step
            for (int other = 0; other < rows->count && k < 0; ++other) {
                const reportRow* o = &rows->data[other];
                bool isSame = strcmp(o->group, r->group) == 0 &&
                              strcmp(o->engine, engines[e]) == 0 && !isfinite(o->value);
                k = isSame ? other : k;
            }
            addValue(page, rows, k, 0.0);
        }
        for (int k = 0; k < rows->count; ++k) {
            const reportRow* v = &rows->data[k];
            if (strcmp(v->group, r->group) == 0 && strncmp(v->row, r->row, (size_t)length) == 0 &&
                strncmp(v->row + length, ": points", 8) == 0) {
                LabPage_Print(page, " %s%s |", v->value > 0.0 ? "but for " : "yes",
                              v->value > 0.0 ? v->note : "");
            }
        }
        LabPage_Print(page, "\n");
    }
}

static char* readAll(const char* path) {
    FILE* file = fopen(path, "rb");
    char* text = NULL;
    long size = 0;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0) {
        rewind(file);
        text = calloc((size_t)size + 1, 1);
        if (text != NULL && fread(text, 1, (size_t)size, file) != (size_t)size) {
            free(text);
            text = NULL;
        }
    }
    if (text == NULL) {
        fprintf(stderr, "bench_report: cannot read %s: %s\n", path, strerror(errno));
    }
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

bool report_UpdateReadme(const reportRows* rows, const char* path, const char* machine) {
    char* text = readAll(path);
    if (text == NULL) {
        return false;
    }
    char *begin = strstr(text, BEGIN_MARK), *end = strstr(text, END_MARK);
    if (begin == NULL || end == NULL || end < begin) {
        fprintf(stderr, "bench_report: %s lacks the lines %sand %s", path, BEGIN_MARK, END_MARK);
        free(text);
        return false;
    }
    begin += strlen(BEGIN_MARK);
    LabPage page = LabPage_Start(NULL);
    LabPage_Add(&page, text, (size_t)(begin - text));
    LabPage_Print(&page,
                  "Made by `make bench`, %s. Times in ms a step; in brackets how many times "
                  "as long as ours with one thread.\n",
                  machine);
    addFamily(&page, rows, "world, ", "world");
    addFamily(&page, rows, "concave, ", "bodies that are not convex");
    addFamily(&page, rows, "planar, ", "in the plane");
    addFamily(&page, rows, "wasm, ", "WebAssembly, in Node");
    addTruth(&page, rows);
    LabPage_Print(&page, "\n");
    LabPage_Add(&page, end, strlen(end));
    free(text);
    const char* slash = strrchr(path, '/');
    char folder[LAB_MAX_PATH] = ".";
    if (slash != NULL) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    }
    return LabPage_Save(&page, folder, slash != NULL ? slash + 1 : path) == SD_OK;
}
