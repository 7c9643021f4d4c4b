// SPDX-License-Identifier: MIT
// lab_report.c - see lab_report.h.
//
// Out:  FOLDER/index.html, and in FOLDER/NAME: tables as CSV, plots as SVG with their scripts,
//       section.html, and last of all `finished`, which says by what all that was made.

// mkdir
#define _POSIX_C_SOURCE 200809L

#include "lab_report.h"

#include "page.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Changes when the files of a section do.
#define FORMAT 2

static const char style[] =
    ":root { color-scheme: light dark; --ground: #f4f6f8; --card: #fff; --ink: #1b1f24;"
    " --soft: #57606a; --line: #d5dbe1; --accent: #0b62c4; --good: #1a7f37; --warn: #8a5a00;"
    " --bad: #b3261e }\n"
    "@media (prefers-color-scheme: dark) { :root { --ground: #14171c; --card: #1d2127;"
    " --ink: #e8ecf1; --soft: #a3adb8; --line: #333a43; --accent: #6fb1ff; --good: #5fd07a;"
    " --warn: #e0b050; --bad: #ff8a80 } }\n"
    "body { margin: 0 auto; max-width: 100rem; padding: 1rem 1.5rem; background: var(--ground);"
    " color: var(--ink); font: 16px/1.5 system-ui, sans-serif }\n"
    "section, .card { background: var(--card); border: 1px solid var(--line); border-radius: 8px;"
    " padding: .2rem 1.4rem 1rem; margin: 1.4rem 0 }\n"
    "p { max-width: 50rem } h1 { margin-bottom: .2rem } h2 { margin-bottom: 0 }\n"
    ".source, figcaption, small, .settings { color: var(--soft) } .source { margin-top: 0 }\n"
    ".settings span { display: inline-block; border: 1px solid var(--line); border-radius: 6px;"
    " padding: 0 .5rem; margin: .1rem } a { color: var(--accent) }\n"
    "table { border-collapse: collapse; margin: .6rem 0 } th, td { padding: .25rem .7rem;"
    " border-bottom: 1px solid var(--line); text-align: right; vertical-align: top }\n"
    "th { text-align: left; font-weight: 600 } thead th { vertical-align: bottom }\n"
    "td { white-space: nowrap } .findings td, .note { white-space: normal }\n"
    ".note { min-width: 7rem; line-height: 1.2 }\n"
    ".findings td, .list td { text-align: left } .findings td { width: 25% }\n"
    ".agrees, .differs, .unexplained { font-weight: 600 } .agrees { color: var(--good) }\n"
    ".differs { color: var(--warn) } .unexplained { color: var(--bad) }\n"
    ".plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(32rem, 100%), "
    "1fr));"
    " gap: 1rem } figure { margin: .6rem 0 } figure img { width: 100%; height: auto;"
    " max-width: 760px } .wide { overflow-x: auto } summary { cursor: pointer }\n";

// ---- folders and what is finished ----------------------------------------------------------

sdResult LabFolder_Make(const sdContext* context, const char* folder) {
    char path[LAB_MAX_PATH];
    size_t length = strlen(folder);
    if (length == 0 || length >= sizeof path) {
        return sdRender_Fail(context, SD_ERROR_IO, "a folder's name has 1 to %d bytes",
                             LAB_MAX_PATH - 1);
    }
    for (size_t i = 1; i <= length; ++i) {
        if (folder[i] != '/' && folder[i] != '\0') {
            continue;
        }
        snprintf(path, sizeof path, "%.*s", (int)i, folder);
        struct stat info;
        bool isThere = mkdir(path, 0777) == 0 ||
                       (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode));
        if (!isThere) {
            return sdRender_Fail(context, SD_ERROR_IO, "cannot make the folder %s: %s", path,
                                 errno == EEXIST ? "a file has that name" : strerror(errno));
        }
    }
    return SD_OK;
}

static void getFolder(const LabReport* report, int index, char path[LAB_MAX_PATH]) {
    snprintf(path, LAB_MAX_PATH, "%s/%s", report->folder, LabExperiment_Get(index)->name);
}

/// What must be the same for an experiment to be kept, one line.
static void getKey(const LabReport* report, char key[512]) {
    snprintf(key, 512, "format %d, %s, commit %s, program %s, %s", FORMAT,
             LabSize_GetName(report->size), report->machine.commit, report->machine.program,
             report->machine.processor);
}

static void findOutcome(LabReport* report, int index) {
    LabOutcome* outcome = &report->outcomes[index];
    char folder[LAB_MAX_PATH], path[LAB_MAX_PATH + 16], key[512], line[512];
    getFolder(report, index, folder);
    getKey(report, key);
    snprintf(path, sizeof path, "%s/finished", folder);
    FILE* file = fopen(path, "r");
    if (file == NULL) {
        return;
    }
    LabOutcome found = {0};
    if (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        int* counts = found.verdictCounts;
        found.isFinished =
            strcmp(line, key) == 0 &&
            fscanf(file, "agrees %d differs %d unexplained %d seconds %lf date %31s", &counts[0],
                   &counts[1], &counts[2], &found.seconds, found.date) == 5;
    }
    fclose(file);
    if (found.isFinished) {
        *outcome = found;
    }
}

sdResult LabReport_Open(LabReport* report, const sdContext* context, const char* folder,
                        LabSize size) {
    *report = (LabReport){.context = sdRender_GetContext(context),
                          .folder = folder,
                          .size = size,
                          .machine = LabMachine_Look()};
    sdResult result = LabFolder_Make(&report->context, folder);
    if (result == SD_OK && access(folder, W_OK) != 0) {
        result = sdRender_Fail(&report->context, SD_ERROR_IO, "cannot write to the folder %s: %s",
                               folder, strerror(errno));
    }
    if (result == SD_OK && strlen(folder) > LAB_MAX_PATH - 256) {
        result = sdRender_Fail(&report->context, SD_ERROR_IO, "the folder's name is too long");
    }
    result = result != SD_OK ? result : LabPlot_FindGnuplot(&report->context);
    for (int i = 0; i < LabExperiment_GetCount() && result == SD_OK; ++i) {
        findOutcome(report, i);
    }
    return result;
}

// ---- one experiment ------------------------------------------------------------------------

static sdResult saveFiles(const LabReport* report, const Lab* lab, const char* folder) {
    sdResult result = SD_OK;
    for (int i = 0; i < lab->tableCount && result == SD_OK; ++i) {
        result = LabTable_SaveCsv(&lab->tables[i], &report->context, folder);
    }
    for (int i = 0; i < lab->plotCount && result == SD_OK; ++i) {
        result = LabPlot_Save(&lab->plots[i], &report->context, folder);
    }
    return result != SD_OK ? result : LabSection_Save(lab, &report->context, folder);
}

sdResult LabReport_Add(LabReport* report, int index, const Lab* lab) {
    LabOutcome* outcome = &report->outcomes[index];
    *outcome = (LabOutcome){.seconds = lab->seconds};
    char folder[LAB_MAX_PATH], path[LAB_MAX_PATH + 16], key[512];
    getFolder(report, index, folder);
    getKey(report, key);
    sdResult result = LabFolder_Make(&report->context, folder);
    snprintf(path, sizeof path, "%s/finished", folder);
    unlink(path);
    if (result != SD_OK || lab->reason[0] != '\0') {
        snprintf(outcome->reason, sizeof outcome->reason, "%s", lab->reason);
        return result;
    }
    result = saveFiles(report, lab, folder);
    if (result != SD_OK) {
        snprintf(outcome->reason, sizeof outcome->reason, "its files could not be written");
        return result;
    }
    for (int i = 0; i <= LAB_UNEXPLAINED; ++i) {
        outcome->verdictCounts[i] = Lab_CountVerdicts(lab, (LabVerdict)i);
    }
    snprintf(outcome->date, sizeof outcome->date, "%s", report->machine.date);
    LabPage page = LabPage_Start(&report->context);
    const int* counts = outcome->verdictCounts;
    LabPage_Print(&page, "%s\nagrees %d differs %d unexplained %d seconds %.3f date %s\n", key,
                  counts[0], counts[1], counts[2], outcome->seconds, outcome->date);
    result = LabPage_Save(&page, folder, "finished");
    outcome->isFinished = result == SD_OK;
    return result;
}

// ---- index ---------------------------------------------------------------------------------

static void addMachine(LabPage* page, const LabReport* report) {
    const LabMachine* m = &report->machine;
    LabPage_Print(page, "<div class='card'><h2>Measured on</h2><table class='list'>\n");
    LabPage_Print(page, "<tr><th>processor</th><td>%s, %d cores, %s</td></tr>\n", m->processor,
                  m->coreCount, m->memory);
    LabPage_Print(page, "<tr><th>system</th><td>%s</td></tr>\n", m->system);
    LabPage_Print(page, "<tr><th>compiler</th><td>%s</td></tr>\n", m->compiler);
    LabPage_Print(page, "<tr><th>Sudar</th><td>%s, commit %s</td></tr>\n", m->version, m->commit);
    LabPage_Print(page, "<tr><th>size</th><td>%s</td></tr>\n", LabSize_GetName(report->size));
    LabPage_Print(page,
                  "</table><p>Times are processor time of one thread. To cite: "
                  "<i>Sudar %s, lab report, commit %s, %s run of %.10s on %s.</i></p></div>\n",
                  m->version, m->commit, LabSize_GetName(report->size), m->date, m->processor);
}

/// What S0 to S4 stand for.
static void addDocuments(LabPage* page) {
    static const char* const documents[][2] = {
        {"S0", "Detekcija sudara čvrstih tijela: triangles, spheres, hulls, GJK, EPA; RK4 "
               "(Croatian thesis)"},
        {"S1", "Simulacija sudara krutih tijela: octree, bounding volumes, triangles (Igor Poljak, "
               "Zagreb 2010)"},
        {"S2", "A thesis after \"Nonconvex Rigid Bodies with Stacking\": distance fields, "
               "impulses, shock propagation, joints (Croatian, 2009)"},
        {"S3", "Detekcija kolizija: separating axes, continuous detection, bounding volumes, "
               "hierarchies (Ana Parać, Zagreb 2020)"},
        {"S4", "Detekcja kolizji brył sztywnych: boxes by 15 axes, V-Clip, GJK (Jacek Matulewski, "
               "slides, Toruń)"},
    };
    LabPage_Print(page, "<div class='card'><h2>The documents</h2><table class='list'>\n");
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; ++i) {
        LabPage_Print(page, "<tr><th>%s</th><td style='white-space: normal'>", documents[i][0]);
        LabPage_Escape(page, documents[i][1]);
        LabPage_Print(page, "</td></tr>\n");
    }
    LabPage_Print(page, "</table></div>\n");
}

static void addListRow(LabPage* page, const LabReport* report, int index) {
    const LabExperiment* e = LabExperiment_Get(index);
    const LabOutcome* o = &report->outcomes[index];
    LabPage_Print(page, "<tr><td><a href='#%s'>%s</a></td><td>", e->name, e->name);
    LabPage_Escape(page, e->title);
    LabPage_Print(page, "</td><td>");
    LabPage_Escape(page, e->source);
    LabPage_Print(page, "</td>");
    if (o->isFinished) {
        LabPage_Print(page,
                      "<td class='agrees'>%d</td><td class='differs'>%d</td>"
                      "<td class='unexplained'>%d</td><td>%.1f s</td></tr>\n",
                      o->verdictCounts[0], o->verdictCounts[1], o->verdictCounts[2], o->seconds);
    } else {
        LabPage_Print(page, "<td colspan='4'><span class='%s'>",
                      o->reason[0] != '\0' ? "unexplained" : "source");
        LabPage_Escape(page, o->reason[0] != '\0' ? o->reason : "not run yet");
        LabPage_Print(page, "</span></td></tr>\n");
    }
}

static void addList(LabPage* page, const LabReport* report) {
    int sums[LAB_UNEXPLAINED + 1] = {0};
    for (int i = 0; i < LabExperiment_GetCount(); ++i) {
        for (int v = 0; v <= LAB_UNEXPLAINED && report->outcomes[i].isFinished; ++v) {
            sums[v] += report->outcomes[i].verdictCounts[v];
        }
    }
    LabPage_Print(page,
                  "<div class='card'><h2>All experiments</h2><p>%d of %d findings come out "
                  "as they should; %d differ for a reason that the data shows; %d differ "
                  "without one.</p>\n",
                  sums[0], sums[0] + sums[1] + sums[2], sums[1], sums[2]);
    LabPage_Print(page, "<div class='wide'><table class='list'><thead><tr><th>name</th><th></th>"
                        "<th>from</th><th>agree</th><th>differ</th><th>unexplained</th>"
                        "<th>time</th></tr></thead><tbody>\n");
    for (int i = 0; i < LabExperiment_GetCount(); ++i) {
        addListRow(page, report, i);
    }
    LabPage_Print(page, "</tbody></table></div></div>\n");
}

static sdResult addSection(LabPage* page, const LabReport* report, int index) {
    char path[LAB_MAX_PATH + 16], folder[LAB_MAX_PATH];
    getFolder(report, index, folder);
    snprintf(path, sizeof path, "%s/section.html", folder);
    uint8_t* bytes;
    size_t size;
    sdResult result = sdOutput_ReadFile(&report->context, path, &bytes, &size);
    if (result == SD_OK) {
        LabPage_Add(page, (const char*)bytes, size);
        sdOutput_Free(&report->context, bytes, size);
    }
    return result;
}

void LabPage_AddHead(LabPage* page, const char* title) {
    LabPage_Print(page,
                  "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
                  "<meta name='viewport' content='width=device-width, initial-scale=1'>"
                  "<title>%s</title>\n<style>\n",
                  title);
    LabPage_Add(page, style, sizeof style - 1);
    LabPage_Print(page, "</style></head><body>\n<h1>%s</h1>\n", title);
}

sdResult LabReport_SaveIndex(const LabReport* report) {
    LabPage page = LabPage_Start(&report->context);
    LabPage_AddHead(&page, "Sudar: the lab");
    LabPage_Print(&page,
                  "<p>Sudar grew from five documents on collision and dynamics of rigid bodies. "
                  "Here their experiments are made again, and some of our own. For each: the "
                  "question, the set-up, what the document found, what comes out here, and whether "
                  "the two agree and why. Made by <code>sudar lab%s</code>; every number stands in "
                  "a CSV file beside its plot.</p>\n",
                  report->size == LAB_FULL ? " --full" : "");
    addList(&page, report);
    addDocuments(&page);
    addMachine(&page, report);
    sdResult result = SD_OK;
    for (int i = 0; i < LabExperiment_GetCount() && result == SD_OK; ++i) {
        if (report->outcomes[i].isFinished) {
            result = addSection(&page, report, i);
        }
    }
    LabPage_Print(&page, "</body></html>\n");
    if (result != SD_OK) {
        sdByteArray_Free(&page.text, &page.context);
        return result;
    }
    return LabPage_Save(&page, report->folder, "index.html");
}
