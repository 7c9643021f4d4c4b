// SPDX-License-Identifier: MIT
// lab.c - one run of one experiment: what it says is kept in order, and its first failure.

// clock_gettime
#define _POSIX_C_SOURCE 200809L

#include "lab_data.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct LabTextBlock {
    LabTextBlock* next;
    char text[];
};

// ---- run -----------------------------------------------------------------------------------

Lab* Lab_Run(const LabExperiment* experiment, LabSize size, LabStopFcn* isStopped) {
    Lab* lab = calloc(1, sizeof *lab);
    if (lab == NULL) {
        return NULL;
    }
    lab->experiment = experiment;
    lab->size = size;
    lab->isStopped = isStopped;
    double start = Lab_Now();
    experiment->run(lab);
    lab->seconds = Lab_Now() - start;
    if (lab->reason[0] == '\0' && lab->findingCount == 0 && Lab_GoesOn(lab)) {
        Lab_Fail(lab, "it found nothing");
    }
    return lab;
}

void Lab_Destroy(Lab* lab) {
    if (lab == NULL) {
        return;
    }
    for (int i = 0; i < lab->tableCount; ++i) {
        LabTable_Free(&lab->tables[i]);
    }
    while (lab->texts != NULL) {
        LabTextBlock* next = lab->texts->next;
        free(lab->texts);
        lab->texts = next;
    }
    free(lab);
}

LabSize Lab_GetSize(const Lab* lab) {
    return lab->size;
}

const char* LabSize_GetName(LabSize size) {
    static const char* const names[] = {"smallest", "quick", "full"};
    return names[size];
}

int Lab_Choose(const Lab* lab, int smallest, int quick, int full) {
    return lab->size == LAB_SMALLEST ? smallest : (lab->size == LAB_QUICK ? quick : full);
}

bool Lab_GoesOn(const Lab* lab) {
    return lab->reason[0] == '\0' && (lab->isStopped == NULL || !lab->isStopped());
}

void Lab_Fail(Lab* lab, const char* format, ...) {
    if (lab->reason[0] != '\0') {
        return;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(lab->reason, sizeof lab->reason, format, args);
    va_end(args);
}

bool Lab_Check(Lab* lab, sdResult result, const char* what) {
    if (result != SD_OK) {
        Lab_Fail(lab, "%s: %s", what, sdResult_Text(result));
    }
    return result == SD_OK;
}

// ---- words ---------------------------------------------------------------------------------

static const char* keepText(Lab* lab, const char* format, va_list args) {
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    LabTextBlock* block = length < 0 ? NULL : malloc(sizeof *block + (size_t)length + 1);
    if (block != NULL) {
        vsnprintf(block->text, (size_t)length + 1, format, again);
        block->next = lab->texts;
        lab->texts = block;
    } else {
        Lab_Fail(lab, "no memory");
    }
    va_end(again);
    return block != NULL ? block->text : "";
}

const char* Lab_Text(Lab* lab, const char* format, ...) {
    va_list args;
    va_start(args, format);
    const char* text = keepText(lab, format, args);
    va_end(args);
    return text;
}

/// Room for one more, or a failure.
static bool hasRoom(Lab* lab, int count, int limit, const char* what) {
    if (count >= limit) {
        Lab_Fail(lab, "more than %d %s: raise the limit in lab_data.h", limit, what);
    }
    return count < limit;
}

static void addItem(Lab* lab, LabItemKind kind, int index) {
    lab->items[lab->itemCount++] = (LabItem){kind, index};
}

void Lab_AddNote(Lab* lab, const char* format, ...) {
    if (!hasRoom(lab, lab->noteCount, LAB_MAX_NOTES, "notes")) {
        return;
    }
    va_list args;
    va_start(args, format);
    lab->notes[lab->noteCount] = keepText(lab, format, args);
    va_end(args);
    addItem(lab, LAB_ITEM_NOTE, lab->noteCount++);
}

void Lab_AddSetting(Lab* lab, const char* name, const char* format, ...) {
    if (!hasRoom(lab, lab->settingCount, LAB_MAX_SETTINGS, "settings")) {
        return;
    }
    va_list args;
    va_start(args, format);
    lab->settings[lab->settingCount++] = (LabSetting){name, keepText(lab, format, args)};
    va_end(args);
}

// ---- tables, plots, findings ---------------------------------------------------------------

/// Names become files.
static bool isName(const char* name) {
    return name != NULL && name[0] != '\0' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

LabTable* Lab_AddTable(Lab* lab, const char* name, const char* title) {
    bool isNew = isName(name);
    for (int i = 0; i < lab->tableCount && isNew; ++i) {
        isNew = strcmp(lab->tables[i].name, name) != 0;
    }
    if (!isNew) {
        Lab_Fail(lab, "table '%s': names are unique, of a-z, 0-9 and -", name);
    }
    if (!isNew || !hasRoom(lab, lab->tableCount, LAB_MAX_TABLES, "tables")) {
        lab->spare = (LabTable){.lab = lab, .name = "", .title = ""};
        return &lab->spare;
    }
    LabTable* table = &lab->tables[lab->tableCount++];
    *table = (LabTable){.lab = lab, .name = name, .title = title};
    return table;
}

int LabPlot_GetSeriesCount(const LabPlot* plot) {
    int count = 0;
    while (count < LAB_MAX_SERIES && plot->series[count].table != NULL) {
        ++count;
    }
    return count;
}

void Lab_AddPlot(Lab* lab, LabPlot plot) {
    bool isNew = isName(plot.name);
    for (int i = 0; i < lab->plotCount && isNew; ++i) {
        isNew = strcmp(lab->plots[i].name, plot.name) != 0;
    }
    if (!isNew) {
        Lab_Fail(lab, "plot '%s': names are unique, of a-z, 0-9 and -", plot.name);
        return;
    }
    if (plot.title == NULL || plot.x.label == NULL || plot.y.label == NULL) {
        Lab_Fail(lab, "plot '%s' wants a title and words at both axes", plot.name);
        return;
    }
    int count = LabPlot_GetSeriesCount(&plot);
    for (int i = 0; i < count; ++i) {
        const LabSeries* s = &plot.series[i];
        int columnCount = s->table->columnCount;
        if (s->x < 0 || s->x >= columnCount || s->y < 0 || s->y >= columnCount) {
            Lab_Fail(lab, "plot '%s', series %d: no such column", plot.name, i);
            return;
        }
    }
    if (count == 0) {
        Lab_Fail(lab, "plot '%s' has no series", plot.name);
    } else if (hasRoom(lab, lab->plotCount, LAB_MAX_PLOTS, "plots")) {
        lab->plots[lab->plotCount] = plot;
        addItem(lab, LAB_ITEM_PLOT, lab->plotCount++);
    }
}

void Lab_AddFinding(Lab* lab, LabFinding finding) {
    if (finding.claim == NULL || finding.ours == NULL || finding.why == NULL) {
        Lab_Fail(lab, "a finding wants a claim, our numbers and a reason");
    } else if (hasRoom(lab, lab->findingCount, LAB_MAX_FINDINGS, "findings")) {
        lab->findings[lab->findingCount++] = finding;
    }
}

LabVerdict LabFinding_GetVerdict(const LabFinding* finding) {
    bool isKnown = finding->isExplained || finding->isTimed;
    return finding->agrees ? LAB_AGREES : (isKnown ? LAB_DIFFERS : LAB_UNEXPLAINED);
}

int Lab_CountVerdicts(const Lab* lab, LabVerdict verdict) {
    int count = 0;
    for (int i = 0; i < lab->findingCount; ++i) {
        count += LabFinding_GetVerdict(&lab->findings[i]) == verdict;
    }
    return count;
}

// ---- time and chance -----------------------------------------------------------------------

double Lab_Now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void Lab_Use(const void* p) {
    __asm__ volatile("" : : "r"(p) : "memory");
}

static uint32_t nextBits(LabRandom* random) {
    uint64_t old = random->state;
    random->state = old * 6364136223846793005u + 1442695040888963407u;
    uint32_t mixed = (uint32_t)(((old >> 18) ^ old) >> 27);
    uint32_t turn = (uint32_t)(old >> 59);
    return (mixed >> turn) | (mixed << ((32 - turn) & 31));
}

LabRandom LabRandom_Make(uint64_t seed) {
    LabRandom random = {seed * 2 + 1};
    nextBits(&random);
    random.state += seed;
    nextBits(&random);
    return random;
}

float LabRandom_Float(LabRandom* random, float a, float b) {
    float unit = (float)(nextBits(random) >> 8) * (1.0f / 16777216.0f);
    return a + unit * (b - a);
}

sdVec3 LabRandom_InBox(LabRandom* random, float halfSize) {
    sdVec3 p;
    p.x = LabRandom_Float(random, -halfSize, halfSize);
    p.y = LabRandom_Float(random, -halfSize, halfSize);
    p.z = LabRandom_Float(random, -halfSize, halfSize);
    return p;
}

sdVec3 LabRandom_OnSphere(LabRandom* random) {
    for (;;) {
        sdVec3 p = LabRandom_InBox(random, 1.0f);
        float square = sdLengthSquared(p);
        if (square > 0.01f && square <= 1.0f) {
            return sdNormalize(p);
        }
    }
}

sdQuat LabRandom_Rotation(LabRandom* random) {
    for (;;) {
        sdVec3 v = LabRandom_InBox(random, 1.0f);
        float w = LabRandom_Float(random, -1.0f, 1.0f);
        float square = sdLengthSquared(v) + w * w;
        if (square > 0.01f && square <= 1.0f) {
            return sdNormalizeQ((sdQuat){v, w});
        }
    }
}
