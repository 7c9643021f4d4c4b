// SPDX-License-Identifier: MIT
// report.c - what the benchmarks recorded, as a page: out/bench/index.html.
//
// bench_report ROWS.csv VERSIONS.txt FOLDER [README.md]
// ROWS.csv: what programs wrote with BENCH_CSV. VERSIONS.txt: a line an engine, shown as it is.
// With README.md, its tables between two marks are made anew.

#include "report.h"
#include "machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char* prefix;
    const char* title;
    const char* text;
} families[] = {
    {"world", "Worlds",
     "The same scenes, steps of 1/60 s, nothing asleep, each engine as it comes."},
    {"concave", "Bodies that are not convex", "Meshes that move; the last second of each scene."},
    {"planar", "In the plane",
     "Engines of the plane beside ours, which is one of space with its bodies locked to a plane: "
     "they have less to do."},
    {"wasm", "WebAssembly", "In Node, one thread; each engine as its package comes."},
    {"queries", "Pair queries", "One question about many pairs; the shortest time of each."},
    {"broad phase", "Broad phases", "Telling all boxes, finding pairs, what is new and lost."},
    {"geometry", "Geometry", "Ours, with goals; hulls beside libqhull."},
    {"truth", "Truth",
     "Motions whose outcome is known. Error against cost; first at equal cost means: for every "
     "point of another, ours is as exact for no more time."},
};
#define FAMILY_COUNT ((int)(sizeof families / sizeof families[0]))

static bool isOfFamily(const char* group, const char* prefix) {
    size_t length = strlen(prefix);
    char next = strncmp(group, prefix, length) == 0 ? group[length] : 'x';
    return next == '\0' || next == ',' || next == ' ';
}

// ---- tables --------------------------------------------------------------------------------

static void addCell(LabPage* page, const reportRow* r, double own) {
    if (r == NULL) {
        LabPage_Print(page, "<td></td>");
        return;
    }
    LabPage_Print(page, isfinite(r->value) ? "<td>" : "<td class='note'>");
    if (!isfinite(r->value)) {
        LabPage_Print(page, "<small>");
        LabPage_Escape(page, r->note[0] != '\0' ? r->note : "failed");
        LabPage_Print(page, "</small></td>");
        return;
    }
    LabPage_Number(page, r->value);
    if (r->spread > 0.0) {
        LabPage_Print(page, " <small>± %.0f %%</small>", 1e2 * r->spread);
    }
    bool isOurs = strncmp(r->engine, REPORT_OURS, strlen(REPORT_OURS)) == 0;
    if (!isOurs && own > 0.0 && !reportRows_IsTruth(r->group)) {
        LabPage_Print(page, " <small>(%.2f×)</small>", r->value / own);
    }
    if (isfinite(r->goal)) {
        LabPage_Print(page, "<br><small>goal %g</small>", r->goal);
    }
    if (r->note[0] != '\0') {
        LabPage_Print(page, "<br><small>");
        LabPage_Escape(page, r->note);
        LabPage_Print(page, "</small>");
    }
    LabPage_Print(page, "</td>");
}

static void addTable(LabPage* page, const reportRows* rows, const char* group) {
    static const char* const places[] = {"", "first", "not first"};
    static const char* const classes[] = {"", "agrees", "differs"};
    const char* engines[REPORT_MAX_ENGINES];
    int engineCount;
    reportRows_GetEngines(rows, group, engines, &engineCount);
    LabPage_Print(page,
                  "<details%s><summary>all rows</summary><div class='wide'><table><thead><tr>"
                  "<th></th><th>unit</th>",
                  reportRows_IsTruth(group) ? "" : " open");
    for (int e = 0; e < engineCount; ++e) {
        LabPage_Print(page, "<th>%s</th>", engines[e]);
    }
    LabPage_Print(page, "<th></th></tr></thead><tbody>\n");
    for (int i = 0; i < rows->count; ++i) {
        const reportRow* r = &rows->data[i];
        if (strcmp(r->group, group) != 0 || !reportRows_IsNewRow(rows, i)) {
            continue;
        }
        int own = reportRows_Find(rows, group, r->row, REPORT_OURS);
        LabPage_Print(page, "<tr><th>");
        LabPage_Escape(page, r->row);
        LabPage_Print(page, "</th><td>");
        LabPage_Escape(page, r->unit);
        LabPage_Print(page, "</td>");
        for (int e = 0; e < engineCount; ++e) {
            int k = reportRows_Find(rows, group, r->row, engines[e]);
            addCell(page, k >= 0 ? &rows->data[k] : NULL, own >= 0 ? rows->data[own].value : 0.0);
        }
        reportPlace place = reportRows_GetPlace(rows, i);
        LabPage_Print(page, "<td class='%s'>%s</td></tr>\n", classes[place], places[place]);
    }
    LabPage_Print(page, "</tbody></table></div></details>\n");
}

// ---- sections ------------------------------------------------------------------------------

static sdResult addFamily(LabPage* page, const reportRows* rows, int family, const char* folder) {
    const char* prefix = families[family].prefix;
    bool isTimed = strcmp(prefix, "world") == 0 || strcmp(prefix, "concave") == 0 ||
                   strcmp(prefix, "planar") == 0 || strcmp(prefix, "wasm") == 0;
    sdResult result = SD_OK;
    bool hasHead = false;
    for (int i = 0; i < rows->count && result == SD_OK; ++i) {
        const char* group = rows->data[i].group;
        if (!isOfFamily(group, prefix) || !reportRows_IsNewGroup(rows, i)) {
            continue;
        }
        if (!hasHead) {
            LabPage_Print(page, "<section id='%s'><h2>%s</h2><p>%s</p>\n", prefix,
                          families[family].title, families[family].text);
            result = isTimed ? report_AddFamilyPlot(page, rows, prefix, folder) : SD_OK;
            hasHead = true;
        }
        LabPage_Print(page, "<h3>");
        LabPage_Escape(page, group);
        LabPage_Print(page, "</h3>\n");
        if (!isTimed && result == SD_OK) {
            result = report_AddPlots(page, rows, group, folder);
        }
        addTable(page, rows, group);
    }
    LabPage_Print(page, hasHead ? "</section>\n" : "");
    return result;
}

static void addSummary(LabPage* page, const reportRows* rows) {
    int counts[3] = {0};
    for (int i = 0; i < rows->count; ++i) {
        if (reportRows_IsNewRow(rows, i)) {
            counts[reportRows_GetPlace(rows, i)] += 1;
        }
    }
    int compared = counts[REPORT_FIRST] + counts[REPORT_NOT_FIRST];
    printf("first in %d of %d rows that others have, too\n", counts[REPORT_FIRST], compared);
    LabPage_Print(page,
                  "<div class='card'><h2>Summary</h2><p>Sudar is <span class='agrees'>first</span> "
                  "in %d of %d rows that others have, too (ties within 5 %%). It is "
                  "<span class='differs'>not first</span> in:</p><ul>\n",
                  counts[REPORT_FIRST], compared);
    for (int i = 0; i < rows->count; ++i) {
        const reportRow* r = &rows->data[i];
        if (reportRows_IsNewRow(rows, i) && reportRows_GetPlace(rows, i) == REPORT_NOT_FIRST) {
            LabPage_Print(page, "<li>");
            LabPage_Escape(page, r->group);
            LabPage_Print(page, ": ");
            LabPage_Escape(page, r->row);
            LabPage_Print(page, r->note[0] != '\0' ? " (" : "");
            LabPage_Escape(page, r->note);
            LabPage_Print(page, r->note[0] != '\0' ? ")</li>\n" : "</li>\n");
            printf("  not first: %s: %s\n", r->group, r->row);
        }
    }
    LabPage_Print(page, "</ul></div>\n");
}

static void addMachine(LabPage* page, const LabMachine* m, const char* versions) {
    LabPage_Print(page,
                  "<div class='card'><h2>Measured on</h2><table class='list'>"
                  "<tr><th>processor</th><td>%s, %d cores, %s</td></tr>"
                  "<tr><th>system</th><td>%s</td></tr><tr><th>compiler</th><td>%s</td></tr>"
                  "<tr><th>Sudar</th><td>%s, commit %s, %s</td></tr>\n",
                  m->processor, m->coreCount, m->memory, m->system, m->compiler, m->version,
                  m->commit, m->date);
    FILE* file = fopen(versions, "r");
    char line[256];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        LabPage_Print(page, "<tr><th>beside it</th><td>");
        LabPage_Escape(page, line);
        LabPage_Print(page, "</td></tr>\n");
    }
    if (file != NULL) {
        fclose(file);
    }
    LabPage_Print(page, "</table><p>Every number stands in <a href='rows.csv'>rows.csv</a>. "
                        "Machines are noisy: ratios of one run count.</p></div>\n");
}

int main(int argc, char** argv) {
    if (argc != 4 && argc != 5) {
        fprintf(stderr, "usage: bench_report ROWS.csv VERSIONS.txt FOLDER [README.md]\n");
        return 2;
    }
    reportRows rows = {0};
    if (!reportRows_Read(&rows, argv[1])) {
        return 1;
    }
    LabMachine machine = LabMachine_Look();
    LabPage page = LabPage_Start(NULL);
    LabPage_AddHead(&page, "Sudar: the scoreboard");
    LabPage_Print(&page,
                  "<p>Speed and truth beside other engines, by <code>make bench</code>: one "
                  "machine, one run, the same scenes by one neutral description, each engine "
                  "with its own default settings. Lower is better in every row.</p>\n");
    addSummary(&page, &rows);
    addMachine(&page, &machine, argv[2]);
    sdResult result = LabFolder_Make(&page.context, argv[3]);
    result = result != SD_OK ? result : LabPlot_FindGnuplot(&page.context);
    for (int i = 0; i < FAMILY_COUNT && result == SD_OK; ++i) {
        result = addFamily(&page, &rows, i, argv[3]);
    }
    LabPage_Print(&page, "</body></html>\n");
    result = result != SD_OK ? result : LabPage_Save(&page, argv[3], "index.html");
    bool isReady = result == SD_OK;
    if (isReady && argc == 5) {
        char text[256];
        snprintf(text, sizeof text, "%.10s, commit %.12s, %s, %d cores", machine.date,
                 machine.commit, machine.processor, machine.coreCount);
        isReady = report_UpdateReadme(&rows, argv[4], text);
    }
    reportRows_Free(&rows);
    return isReady ? 0 : 1;
}
