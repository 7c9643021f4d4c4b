// SPDX-License-Identifier: MIT
// table.c - samples, tables and the exponents that fit them.

#include "lab_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- samples -------------------------------------------------------------------------------

// Welford 1962: mean and squares without the loss of a sum of squares.
void LabSample_Add(LabSample* sample, double value) {
    ++sample->count;
    double before = value - sample->mean;
    sample->mean += before / sample->count;
    sample->squares += before * (value - sample->mean);
    sample->least = sample->count == 1 || value < sample->least ? value : sample->least;
    sample->most = sample->count == 1 || value > sample->most ? value : sample->most;
}

double LabSample_GetSpread(const LabSample* sample) {
    return sample->count > 1 ? sqrt(sample->squares / (sample->count - 1)) : 0.0;
}

// ---- tables --------------------------------------------------------------------------------

int LabTable_AddColumn(LabTable* table, const char* name, const char* unit) {
    if (table->columnCount == LAB_MAX_COLUMNS) {
        Lab_Fail(table->lab, "table '%s' has more than %d columns", table->name, LAB_MAX_COLUMNS);
        return 0;
    }
    table->columns[table->columnCount] = (LabColumn){.name = name, .unit = unit};
    return table->columnCount++;
}

/// Room for one more row.
static bool reserveRow(LabTable* table) {
    if (table->rowCount < table->rowCapacity) {
        return true;
    }
    int capacity = 2 * table->rowCapacity + 16;
    LabCell* cells =
        realloc(table->cells, (size_t)capacity * LAB_MAX_COLUMNS * sizeof *table->cells);
    table->cells = cells != NULL ? cells : table->cells;
    const char** labels =
        cells != NULL ? realloc(table->labels, (size_t)capacity * sizeof *labels) : NULL;
    if (labels == NULL) {
        Lab_Fail(table->lab, "no memory for table '%s'", table->name);
        return false;
    }
    table->labels = labels;
    table->rowCapacity = capacity;
    return true;
}

void LabTable_AddRow(LabTable* table, const char* label) {
    if (table == &table->lab->spare || !reserveRow(table)) {
        return;
    }
    table->labels[table->rowCount] = label;
    table->hasLabels = table->hasLabels || label != NULL;
    LabCell* row = &table->cells[(size_t)table->rowCount * LAB_MAX_COLUMNS];
    for (int i = 0; i < LAB_MAX_COLUMNS; ++i) {
        row[i] = (LabCell){.value = NAN};
    }
    ++table->rowCount;
}

static void put(LabTable* table, int column, double value, double spread) {
    if (table->rowCount == 0 || column < 0 || column >= table->columnCount) {
        if (table != &table->lab->spare) {
            Lab_Fail(table->lab, "table '%s' has no cell for column %d", table->name, column);
        }
        return;
    }
    table->cells[(size_t)(table->rowCount - 1) * LAB_MAX_COLUMNS + (size_t)column] =
        (LabCell){value, spread};
}

void LabTable_Put(LabTable* table, int column, double value) {
    put(table, column, value, 0.0);
}

void LabTable_PutSample(LabTable* table, int column, const LabSample* sample) {
    put(table, column, sample->count > 0 ? sample->mean : (double)NAN, LabSample_GetSpread(sample));
    if (column >= 0 && column < table->columnCount) {
        table->columns[column].hasSpread = true;
    }
}

int LabTable_GetRowCount(const LabTable* table) {
    return table->rowCount;
}

double LabTable_Get(const LabTable* table, int row, int column) {
    if (row < 0 || row >= table->rowCount || column < 0 || column >= table->columnCount) {
        return NAN;
    }
    return table->cells[(size_t)row * LAB_MAX_COLUMNS + (size_t)column].value;
}

// Least squares of log y = log c + p log x.
double LabTable_FitExponentAbove(const LabTable* table, int xColumn, int yColumn, double least) {
    double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (int i = 0; i < table->rowCount; ++i) {
        double x = LabTable_Get(table, i, xColumn), y = LabTable_Get(table, i, yColumn);
        if (x > 0.0 && y > least) {
            double lx = log(x), ly = log(y);
            n += 1.0;
            sx += lx;
            sy += ly;
            sxx += lx * lx;
            sxy += lx * ly;
        }
    }
    double determinant = n * sxx - sx * sx;
    return n >= 2.0 && determinant > 0.0 ? (n * sxy - sx * sy) / determinant : (double)NAN;
}

double LabTable_FitExponent(const LabTable* table, int xColumn, int yColumn) {
    return LabTable_FitExponentAbove(table, xColumn, yColumn, 0.0);
}

void LabTable_Free(LabTable* table) {
    free(table->cells);
    free((void*)table->labels);
    table->cells = NULL;
    table->labels = NULL;
}
