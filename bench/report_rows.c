// SPDX-License-Identifier: MIT
// report_rows.c - reading what benchmarks recorded, and who is first.

#include "report.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOISE 1.05 // ratios closer to 1 than this are ties
#define COLUMN_COUNT 8

/// One field of a line, with or without quotes.
/// @return where the next one begins; NULL after the last
static const char* readField(const char* c, char out[REPORT_MAX_TEXT]) {
    int length = 0;
    bool isQuoted = *c == '"';
    c += isQuoted ? 1 : 0;
    while (*c != '\0' && (isQuoted || *c != ',')) {
        if (isQuoted && *c == '"') {
            if (c[1] != '"') {
                ++c;
                break;
            }
            ++c;
        }
        if (length < REPORT_MAX_TEXT - 1) {
            out[length++] = *c;
        }
        ++c;
    }
    out[length] = '\0';
    return *c == ',' ? c + 1 : NULL;
}

static double readNumber(const char* text, double otherwise) {
    char* end;
    double value = strtod(text, &end);
    return end != text ? value : otherwise;
}

static bool readRow(const char* line, reportRow* row) {
    char fields[COLUMN_COUNT][REPORT_MAX_TEXT];
    const char* c = line;
    int count = 0;
    while (c != NULL && count < COLUMN_COUNT) {
        c = readField(c, fields[count++]);
    }
    if (count != COLUMN_COUNT) {
        return false;
    }
    memcpy(row->group, fields[0], REPORT_MAX_TEXT);
    memcpy(row->row, fields[1], REPORT_MAX_TEXT);
    memcpy(row->engine, fields[2], REPORT_MAX_TEXT);
    row->value = readNumber(fields[3], NAN);
    memcpy(row->unit, fields[4], REPORT_MAX_TEXT);
    row->spread = readNumber(fields[5], 0.0);
    row->goal = readNumber(fields[6], NAN);
    memcpy(row->note, fields[7], REPORT_MAX_TEXT);
    return true;
}

bool reportRows_Read(reportRows* rows, const char* path) {
    FILE* file = fopen(path, "r");
    if (file == NULL) {
        fprintf(stderr, "bench_report: cannot read %s: %s\n", path, strerror(errno));
        return false;
    }
    char line[2048];
    bool isReady = true;
    for (int number = 1; isReady && fgets(line, sizeof line, file) != NULL; ++number) {
        line[strcspn(line, "\n")] = '\0';
        if (rows->count == rows->capacity) {
            int capacity = 2 * rows->capacity + 256;
            reportRow* data = realloc(rows->data, (size_t)capacity * sizeof *data);
            if (data == NULL) {
                fprintf(stderr, "bench_report: no memory\n");
                isReady = false;
                break;
            }
            rows->data = data;
            rows->capacity = capacity;
        }
        if (!readRow(line, &rows->data[rows->count])) {
            fprintf(stderr, "bench_report: %s:%d: not the %d columns of a row\n", path, number,
                    COLUMN_COUNT);
            isReady = false;
        }
        rows->count += isReady ? 1 : 0;
    }
    fclose(file);
    return isReady;
}

void reportRows_Free(reportRows* rows) {
    free(rows->data);
    *rows = (reportRows){0};
}

int reportRows_Find(const reportRows* rows, const char* group, const char* row,
                    const char* engine) {
    for (int i = 0; i < rows->count; ++i) {
        const reportRow* r = &rows->data[i];
        if (strcmp(r->group, group) == 0 && strcmp(r->row, row) == 0 &&
            strcmp(r->engine, engine) == 0) {
            return i;
        }
    }
    return -1;
}

bool reportRows_IsNewGroup(const reportRows* rows, int index) {
    for (int i = 0; i < index; ++i) {
        if (strcmp(rows->data[i].group, rows->data[index].group) == 0) {
            return false;
        }
    }
    return true;
}

bool reportRows_IsNewRow(const reportRows* rows, int index) {
    for (int i = 0; i < index; ++i) {
        if (strcmp(rows->data[i].group, rows->data[index].group) == 0 &&
            strcmp(rows->data[i].row, rows->data[index].row) == 0) {
            return false;
        }
    }
    return true;
}

void reportRows_GetEngines(const reportRows* rows, const char* group,
                           const char* engines[REPORT_MAX_ENGINES], int* count) {
    engines[0] = REPORT_OURS;
    *count = 1;
    for (int i = 0; i < rows->count; ++i) {
        bool isKnown = strcmp(rows->data[i].group, group) != 0;
        for (int k = 0; k < *count; ++k) {
            isKnown = isKnown || strcmp(engines[k], rows->data[i].engine) == 0;
        }
        if (!isKnown && *count < REPORT_MAX_ENGINES) {
            engines[(*count)++] = rows->data[i].engine;
        }
    }
}

bool reportRows_IsTruth(const char* group) {
    return strncmp(group, "truth ", 6) == 0;
}

reportPlace reportRows_GetPlace(const reportRows* rows, int index) {
    const reportRow* row = &rows->data[index];
    if (reportRows_IsTruth(row->group)) {
        if (strstr(row->row, "that ours does not beat") == NULL) {
            return REPORT_ALONE;
        }
        return row->value > 0.0 ? REPORT_NOT_FIRST : REPORT_FIRST;
    }
    int own = reportRows_Find(rows, row->group, row->row, REPORT_OURS);
    double best = INFINITY;
    for (int i = 0; i < rows->count; ++i) {
        const reportRow* r = &rows->data[i];
        bool isRival = strncmp(r->engine, REPORT_OURS, strlen(REPORT_OURS)) != 0;
        if (isRival && strcmp(r->group, row->group) == 0 && strcmp(r->row, row->row) == 0 &&
            isfinite(r->value)) {
            best = fmin(best, r->value);
        }
    }
    // what has no unit is an exponent or a ratio
    if (own < 0 || isinf(best) || row->unit[0] == '\0') {
        return REPORT_ALONE;
    }
    return rows->data[own].value <= NOISE * best ? REPORT_FIRST : REPORT_NOT_FIRST;
}

void report_GetSlug(const char* group, char slug[REPORT_MAX_TEXT]) {
    int length = 0;
    for (const char* c = group; *c != '\0' && length < REPORT_MAX_TEXT - 1; ++c) {
        bool isPlain = isalnum((unsigned char)*c) != 0 || *c == '.'; // 0.1 is not 0..1
        if (isPlain || (length > 0 && slug[length - 1] != '-')) {
            slug[length++] = (char)(isPlain ? tolower((unsigned char)*c) : '-');
        }
    }
    slug[length] = '\0';
}
