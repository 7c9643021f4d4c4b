// SPDX-License-Identifier: MIT
// page.c - see page.h; tables as CSV.

#include "page.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

LabPage LabPage_Start(const sdContext* context) {
    return (LabPage){.context = sdRender_GetContext(context)};
}

void LabPage_Add(LabPage* page, const char* bytes, size_t size) {
    sdByteArray_Add(&page->text, &page->context, bytes, size);
}

void LabPage_Print(LabPage* page, const char* format, ...) {
    char text[2048];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof text) {
        // long texts go through LabPage_Add and LabPage_Escape
        page->text.isBroken = true;
        return;
    }
    LabPage_Add(page, text, (size_t)length);
}

void LabPage_Escape(LabPage* page, const char* text) {
    while (*text != '\0') {
        size_t plain = strcspn(text, "<>&\"");
        LabPage_Add(page, text, plain);
        text += plain;
        if (*text != '\0') {
            const char* word = *text == '<'   ? "&lt;"
                               : *text == '>' ? "&gt;"
                               : *text == '&' ? "&amp;"
                                              : "&quot;";
            LabPage_Add(page, word, strlen(word));
            ++text;
        }
    }
}

void LabPage_Number(LabPage* page, double number) {
    double size = fabs(number);
    if (isnan(number)) {
        LabPage_Print(page, "–");
    } else if (number == floor(number) && size < 1e7) {
        LabPage_Print(page, "%.0f", number);
    } else if (size >= 1000.0 && size < 1e7) {
        LabPage_Print(page, "%.0f", number);
    } else if (size >= 100.0 && size < 1000.0) {
        LabPage_Print(page, "%.1f", number);
    } else {
        LabPage_Print(page, "%.3g", number);
    }
}

sdResult LabPage_Save(LabPage* page, const char* folder, const char* name) {
    char path[LAB_MAX_PATH];
    sdOutFile file = {0};
    sdResult result = SD_OK;
    if (page->text.isBroken ||
        snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
        result = sdRender_Fail(&page->context, SD_ERROR_OUT_OF_MEMORY,
                               "cannot write %s/%s: no memory, or too long", folder, name);
    } else {
        result = sdOutFile_Open(&page->context, path, &file);
    }
    result = result != SD_OK ? result : sdOutFile_Write(&file, page->text.data, page->text.count);
    result = result != SD_OK ? result : sdOutFile_Commit(&file);
    sdOutFile_Close(&file);
    sdByteArray_Free(&page->text, &page->context);
    return result;
}

// ---- CSV -----------------------------------------------------------------------------------

/// In quotes where the format wants them (RFC 4180).
static void addField(LabPage* page, const char* text) {
    bool isPlain = strpbrk(text, ",\"\n") == NULL;
    LabPage_Add(page, "\"", isPlain ? 0 : 1);
    for (const char* c = text; *c != '\0'; ++c) {
        LabPage_Add(page, c, 1);
        LabPage_Add(page, c, !isPlain && *c == '"' ? 1 : 0);
    }
    LabPage_Add(page, "\"", isPlain ? 0 : 1);
}

static void addHead(LabPage* page, const LabColumn* column, const char* ending) {
    char text[256];
    bool hasUnit = column->unit != NULL && column->unit[0] != '\0';
    snprintf(text, sizeof text, "%s%s%s%s%s", column->name, ending, hasUnit ? " (" : "",
             hasUnit ? column->unit : "", hasUnit ? ")" : "");
    addField(page, text);
}

sdResult LabTable_SaveCsv(const LabTable* table, const sdContext* context, const char* folder) {
    LabPage page = LabPage_Start(context);
    const char* comma = "";
    if (table->hasLabels) {
        LabPage_Print(&page, "name");
        comma = ",";
    }
    for (int i = 0; i < table->columnCount; ++i, comma = ",") {
        LabPage_Print(&page, "%s", comma);
        addHead(&page, &table->columns[i], "");
        if (table->columns[i].hasSpread) {
            LabPage_Print(&page, ",");
            addHead(&page, &table->columns[i], " spread");
        }
    }
    LabPage_Print(&page, "\n");
    for (int row = 0; row < table->rowCount; ++row) {
        comma = table->hasLabels ? "," : "";
        if (table->hasLabels) {
            addField(&page, table->labels[row] != NULL ? table->labels[row] : "");
        }
        for (int i = 0; i < table->columnCount; ++i, comma = ",") {
            const LabCell* cell = &table->cells[(size_t)row * LAB_MAX_COLUMNS + (size_t)i];
            bool isThere = isfinite(cell->value);
            LabPage_Print(&page, isThere ? "%s%.9g" : "%s", comma, cell->value);
            if (table->columns[i].hasSpread) {
                LabPage_Print(&page, isThere ? ",%.3g" : ",", cell->spread);
            }
        }
        LabPage_Print(&page, "\n");
    }
    char name[128];
    snprintf(name, sizeof name, "%s.csv", table->name);
    return LabPage_Save(&page, folder, name);
}

int LabTable_GetCsvColumn(const LabTable* table, int column) {
    int place = 1 + table->hasLabels;
    for (int i = 0; i < column; ++i) {
        place += 1 + table->columns[i].hasSpread;
    }
    return place;
}
