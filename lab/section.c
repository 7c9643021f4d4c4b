// SPDX-License-Identifier: MIT
// section.c - one experiment as a section of the report.
//
// In:   what a run left.
// Out:  section.html: question, set-up, the document's result, findings beside it, plots, tables.

#include "page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// The first table is unfolded if it has no more rows.
#define MAX_OPEN_ROWS 12

static void addParagraph(LabPage* page, const char* head, const char* text) {
    LabPage_Print(page, "<p>%s%s%s", head[0] != '\0' ? "<b>" : "", head,
                  head[0] != '\0' ? "</b> " : "");
    LabPage_Escape(page, text);
    LabPage_Print(page, "</p>\n");
}

static void addCell(LabPage* page, const char* tag, const char* text) {
    LabPage_Print(page, "<%s>", tag);
    LabPage_Escape(page, text != NULL ? text : "–");
    LabPage_Print(page, "</%s>", tag);
}

// ---- findings ------------------------------------------------------------------------------

static void addFindings(LabPage* page, const Lab* lab) {
    static const char* const words[] = {"agrees", "differs", "unexplained"};
    bool hasDocument = lab->experiment->document != NULL;
    LabPage_Print(page,
                  "<table class='findings'><thead><tr><th>finding</th>%s<th>here</th>"
                  "<th>%s</th></tr></thead><tbody>\n",
                  hasDocument ? "<th>in the document</th>" : "",
                  hasDocument ? "do they agree, and why" : "does it hold, and why");
    for (int i = 0; i < lab->findingCount; ++i) {
        const LabFinding* f = &lab->findings[i];
        LabVerdict verdict = LabFinding_GetVerdict(f);
        LabPage_Print(page, "<tr>");
        addCell(page, "td", f->claim);
        if (hasDocument) {
            addCell(page, "td", f->document);
        }
        addCell(page, "td", f->ours);
        LabPage_Print(page, "<td><span class='%s'>%s</span> ", words[verdict],
                      hasDocument || verdict != LAB_AGREES ? words[verdict] : "holds");
        if (f->isTimed && !f->agrees && !f->isExplained) {
            LabPage_Print(page, "in the times of this run (a busy machine?). ");
        }
        LabPage_Escape(page, f->why);
        LabPage_Print(page, "%s</td></tr>\n", f->isTimed ? " <i>(rests on times)</i>" : "");
    }
    LabPage_Print(page, "</tbody></table>\n");
}

// ---- plots and tables ----------------------------------------------------------------------

void LabSection_AddPlot(LabPage* page, const char* name, const LabPlot* plot) {
    LabPage_Print(page,
                  "<figure><img src='%s/%s.svg' width='760' height='460' loading='lazy' alt=\"",
                  name, plot->name);
    LabPage_Escape(page, plot->title);
    LabPage_Print(page, ". ");
    LabPage_Escape(page, plot->text != NULL ? plot->text : "");
    LabPage_Print(page, "\"><figcaption>");
    LabPage_Escape(page, plot->text != NULL ? plot->text : plot->title);
    LabPage_Print(page, " <a href='%s/%s.gp'>gnuplot</a></figcaption></figure>\n", name,
                  plot->name);
}

static void addRow(LabPage* page, const LabTable* table, int row) {
    LabPage_Print(page, "<tr>");
    if (table->hasLabels) {
        addCell(page, "th", table->labels[row] != NULL ? table->labels[row] : "");
    }
    for (int i = 0; i < table->columnCount; ++i) {
        const LabCell* cell = &table->cells[(size_t)row * LAB_MAX_COLUMNS + (size_t)i];
        LabPage_Print(page, "<td>");
        LabPage_Number(page, cell->value);
        if (table->columns[i].hasSpread && isfinite(cell->value)) {
            LabPage_Print(page, " ± ");
            LabPage_Number(page, cell->spread);
        }
        LabPage_Print(page, "</td>");
    }
    LabPage_Print(page, "</tr>\n");
}

static void addTable(LabPage* page, const char* experiment, const LabTable* table, bool isOpen) {
    LabPage_Print(page, "<details%s><summary>",
                  isOpen && table->rowCount <= MAX_OPEN_ROWS ? " open" : "");
    LabPage_Escape(page, table->title);
    LabPage_Print(page,
                  " <a href='%s/%s.csv'>CSV</a></summary><div class='wide'><table><thead><tr>",
                  experiment, table->name);
    if (table->hasLabels) {
        LabPage_Print(page, "<th></th>");
    }
    for (int i = 0; i < table->columnCount; ++i) {
        const char* unit = table->columns[i].unit;
        LabPage_Print(page, "<th>");
        LabPage_Escape(page, table->columns[i].name);
        if (unit != NULL && unit[0] != '\0') {
            LabPage_Print(page, "<br><small>");
            LabPage_Escape(page, unit);
            LabPage_Print(page, "</small>");
        }
        LabPage_Print(page, "</th>");
    }
    LabPage_Print(page, "</tr></thead><tbody>\n");
    for (int row = 0; row < table->rowCount; ++row) {
        addRow(page, table, row);
    }
    LabPage_Print(page, "</tbody></table></div></details>\n");
}

// ---- all -----------------------------------------------------------------------------------

static void addHead(LabPage* page, const Lab* lab) {
    const LabExperiment* e = lab->experiment;
    LabPage_Print(page, "<section id='%s'>\n<h2>", e->name);
    LabPage_Escape(page, e->title);
    LabPage_Print(page, "</h2>\n<p class='source'><code>%s</code> · ", e->name);
    LabPage_Escape(page, e->source);
    LabPage_Print(page, " · %s, %.1f s</p>\n", LabSize_GetName(lab->size), lab->seconds);
    addParagraph(page, "Question.", e->question);
    addParagraph(page, "Set-up.", e->setup);
    if (lab->settingCount > 0) {
        LabPage_Print(page, "<p class='settings'>");
        for (int i = 0; i < lab->settingCount; ++i) {
            LabPage_Print(page, "<span>");
            LabPage_Escape(page, lab->settings[i].name);
            LabPage_Print(page, " <b>");
            LabPage_Escape(page, lab->settings[i].value);
            LabPage_Print(page, "</b></span> ");
        }
        LabPage_Print(page, "</p>\n");
    }
    if (e->document != NULL) {
        addParagraph(page, "The document.", e->document);
    }
}

/// With the notes between them; neighbours stand side by side where there is room.
static void addPlots(LabPage* page, const Lab* lab) {
    bool isRow = false;
    for (int i = 0; i < lab->itemCount; ++i) {
        LabItem item = lab->items[i];
        bool isPlot = item.kind == LAB_ITEM_PLOT;
        if (isPlot != isRow) {
            LabPage_Print(page, isPlot ? "<div class='plots'>\n" : "</div>\n");
            isRow = isPlot;
        }
        if (isPlot) {
            LabSection_AddPlot(page, lab->experiment->name, &lab->plots[item.index]);
        } else {
            addParagraph(page, "", lab->notes[item.index]);
        }
    }
    LabPage_Print(page, isRow ? "</div>\n" : "");
}

sdResult LabSection_Save(const Lab* lab, const sdContext* context, const char* folder) {
    LabPage page = LabPage_Start(context);
    addHead(&page, lab);
    addFindings(&page, lab);
    addPlots(&page, lab);
    for (int i = 0; i < lab->tableCount; ++i) {
        addTable(&page, lab->experiment->name, &lab->tables[i], i == 0);
    }
    LabPage_Print(&page, "</section>\n");
    return LabPage_Save(&page, folder, "section.html");
}
