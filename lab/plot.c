// SPDX-License-Identifier: MIT
// plot.c - plots by gnuplot, from the CSV files beside them.
//
// In:   a plot as data.
// Out:  NAME.gp, which anybody can run again there (`gnuplot NAME.gp`), and NAME.svg.
// Note: gnuplot draws axes and words in black. A style in the SVG makes that light where the reader
//       likes dark; the colours of series are of a middle tone that is seen on both.

// chdir, dup2, fork, setpgid, waitpid
#define _POSIX_C_SOURCE 200809L

#include "page.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_NOT_FOUND 127
/// Longest words of gnuplot that are passed on, bytes.
#define MAX_WORDS 600

/// Seen on white and on black, and told apart by those who see few colours (by lightness, too).
static const char* const colors[] = {"#2f7ed8", "#d9730d", "#2e9e5b", "#c2429b",
                                     "#8a63d2", "#17a2b8", "#b58900", "#d64545",
                                     "#7a9a01", "#a0705a", "#5f7c95", "#e07ab0"};
#define COLOR_COUNT ((int)(sizeof colors / sizeof colors[0]))
#define DOCUMENT_COLOR "#8c8c8c"

static const char darkStyle[] =
    "<style>@media (prefers-color-scheme: dark) {"
    "[color='black'] { color: #d6dce3 } [stroke='black'] { stroke: #d6dce3 }"
    "[fill='black'] { fill: #d6dce3 } [color='white'] { color: #1d2127 } }</style>\n";

// ---- script --------------------------------------------------------------------------------

/// A text in gnuplot's single quotes.
static void addQuoted(LabPage* page, const char* text) {
    LabPage_Add(page, "'", 1);
    for (const char* c = text; *c != '\0'; ++c) {
        LabPage_Add(page, c, 1);
        LabPage_Add(page, c, *c == '\'' ? 1 : 0);
    }
    LabPage_Add(page, "'", 1);
}

static void addAxis(LabPage* page, char letter, const LabAxis* axis) {
    char label[256];
    bool hasUnit = axis->unit != NULL && axis->unit[0] != '\0';
    snprintf(label, sizeof label, "%s%s%s%s", axis->label, hasUnit ? " (" : "",
             hasUnit ? axis->unit : "", hasUnit ? ")" : "");
    LabPage_Print(page, "set %clabel ", letter);
    addQuoted(page, label);
    LabPage_Print(page, "\n");
    if (axis->isLog) {
        // a range without powers of ten has powers of two
        bool isNarrow = axis->from > 0.0 && axis->to < 30.0 * axis->from;
        LabPage_Print(page, "set logscale %c %d\nset format %c '%%g'\n", letter, isNarrow ? 2 : 10,
                      letter);
    }
    if (axis->from != 0.0 || axis->to != 0.0) {
        LabPage_Print(page, "set %crange [%.9g:%.9g]\n", letter, axis->from, axis->to);
    }
}

static bool hasBars(const LabPlot* plot) {
    return plot->series[0].style == LAB_BARS;
}

static bool hasSpread(const LabSeries* s) {
    return s->table->columns[s->y].hasSpread;
}

static const char* getSeriesTitle(const LabSeries* s) {
    return s->title != NULL ? s->title : s->table->columns[s->y].name;
}

static void addBarStyle(LabPage* page, const LabPlot* plot) {
    bool hasAnySpread = false;
    size_t longest = 0;
    int rowCount = plot->series[0].table->rowCount;
    for (int i = 0; i < LabPlot_GetSeriesCount(plot); ++i) {
        hasAnySpread = hasAnySpread || hasSpread(&plot->series[i]);
    }
    for (int i = 0; i < rowCount; ++i) {
        const char* label = plot->series[0].table->labels[i];
        size_t length = label != NULL ? strlen(label) : 0;
        longest = length > longest ? length : longest;
    }
    LabPage_Print(page, "set style data histogram\nset style histogram %s gap 1\n",
                  hasAnySpread ? "errorbars lw 1" : "clustered");
    LabPage_Print(page, "set style fill solid 0.85 border -1\nset boxwidth 0.9\n");
    // a bar is as long as what it stands for
    if (!plot->y.isLog && plot->y.from == 0.0 && plot->y.to == 0.0) {
        LabPage_Print(page, "set yrange [0:*]\n");
    }
    // names that would run into each other are turned
    if (longest * (size_t)rowCount > 70) {
        LabPage_Print(page, "set xtics rotate by -25\n");
    }
}

static const char* getColor(const LabPlot* plot, int index) {
    const LabSeries* s = &plot->series[index];
    if (s->like > 0 && s->like <= LAB_MAX_SERIES) {
        index = s->like - 1;
    } else if (s->style == LAB_DOCUMENT) {
        return DOCUMENT_COLOR;
    }
    return colors[index % COLOR_COUNT];
}

/// How points and lines of a series look.
static void addStyle(LabPage* page, const LabPlot* plot, int index) {
    const LabSeries* s = &plot->series[index];
    // each with a point of its own
    static const int points[] = {7, 5, 9, 13, 11, 15};
    int point = points[index % 6];
    bool isSpread = hasSpread(s);
    switch (s->style) {
        case LAB_LINE:
            LabPage_Print(page, "with %s lw 2 pt %d ps 0.55",
                          isSpread ? "yerrorlines" : "linespoints", point);
            break;
        case LAB_CURVE:
            LabPage_Print(page, "with lines lw 1.6");
            break;
        case LAB_POINTS:
            LabPage_Print(page, "with %s lw 1.5 pt %d ps 0.6", isSpread ? "yerrorbars" : "points",
                          point);
            break;
        case LAB_DOCUMENT:
            LabPage_Print(page, "with linespoints lw 1.3 dt 2 pt 6 ps 0.7");
            break;
        case LAB_BARS:
            break;
    }
    LabPage_Print(page, " lc rgb '%s'", getColor(plot, index));
}

static void addSeries(LabPage* page, const LabPlot* plot, int index) {
    const LabSeries* s = &plot->series[index];
    int y = LabTable_GetCsvColumn(s->table, s->y);
    LabPage_Print(page, "%s'%s.csv' skip 1", index == 0 ? "plot " : ", \\\n     ", s->table->name);
    if (s->rowFrom != 0 || s->rowCount != 0) {
        LabPage_Print(page, " every ::%d", s->rowFrom);
        if (s->rowCount != 0) {
            LabPage_Print(page, "::%d", s->rowFrom + s->rowCount - 1);
        }
    }
    if (hasBars(plot)) {
        bool isError = false;
        for (int i = 0; i < LabPlot_GetSeriesCount(plot); ++i) {
            isError = isError || hasSpread(&plot->series[i]);
        }
        LabPage_Print(page, " using %d", y);
        if (isError) {
            LabPage_Print(page, hasSpread(s) ? ":%d" : ":(0)", y + 1);
        }
        LabPage_Print(page, "%s", s->table->hasLabels ? ":xtic(1)" : "");
    } else {
        LabPage_Print(page, " using %d:%d", LabTable_GetCsvColumn(s->table, s->x), y);
        if (hasSpread(s) && (s->style == LAB_LINE || s->style == LAB_POINTS)) {
            LabPage_Print(page, ":%d", y + 1);
        }
        LabPage_Print(page, " ");
    }
    addStyle(page, plot, index);
    LabPage_Print(page, " title ");
    addQuoted(page, getSeriesTitle(s));
}

/// The title at the top, and below it names of series, as many in a line as there is room for.
static void addHead(LabPage* page, const LabPlot* plot) {
    size_t longest = 1;
    int count = LabPlot_GetSeriesCount(plot);
    for (int i = 0; i < count; ++i) {
        size_t length = strlen(getSeriesTitle(&plot->series[i]));
        longest = length > longest ? length : longest;
    }
    // of 90 letters' width, with room for a piece of line each
    int columnCount = 90 / (int)(longest + 9);
    columnCount = columnCount < 1 ? 1 : columnCount;
    int lineCount = (count + columnCount - 1) / columnCount;
    LabPage_Print(page, "set label 1 ");
    addQuoted(page, plot->title);
    LabPage_Print(page,
                  " at screen 0.5,0.96 center font ',16'\n"
                  "set key at screen 0.5,0.925 center top vertical maxrows %d\n"
                  "set tmargin at screen %.3f\n",
                  lineCount, 0.9 - 0.043 * lineCount);
}

static sdResult saveScript(const LabPlot* plot, const sdContext* context, const char* folder) {
    LabPage page = LabPage_Start(context);
    LabPage_Print(&page,
                  "# gnuplot %s.gp\n"
                  "set terminal svg noenhanced size 760,460 dynamic font 'sans-serif,14'\n"
                  "set output '%s.svg'\nset datafile separator ','\nset encoding utf8\n",
                  plot->name, plot->name);
    addHead(&page, plot);
    LabPage_Print(&page, "set grid lw 0.6 lc rgb '#999999'\nset tics nomirror\nset border 3\n");
    addAxis(&page, 'x', &plot->x);
    addAxis(&page, 'y', &plot->y);
    if (hasBars(plot)) {
        addBarStyle(&page, plot);
    }
    for (int i = 0; i < LabPlot_GetSeriesCount(plot); ++i) {
        addSeries(&page, plot, i);
    }
    LabPage_Print(&page, "\n");
    char name[128];
    snprintf(name, sizeof name, "%s.gp", plot->name);
    return LabPage_Save(&page, folder, name);
}

// ---- gnuplot -------------------------------------------------------------------------------

/// Run it in a folder, with one word after its name.
/// @param words receives what it said
/// @return its exit code; -1 when it could not be started
static int runGnuplot(const char* folder, const char* word, char words[MAX_WORDS]) {
    words[0] = '\0';
    FILE* said = tmpfile();
    if (said == NULL) {
        snprintf(words, MAX_WORDS, "%s", strerror(errno));
        return -1;
    }
    pid_t process = fork();
    if (process == 0) {
        // Ctrl-C is for us, who then end in order
        setpgid(0, 0);
        // in other locales than of UTF-8 it complains of degree signs
        if (setenv("LC_ALL", "C.UTF-8", 1) == 0 && chdir(folder) == 0 &&
            dup2(fileno(said), STDERR_FILENO) >= 0 && dup2(fileno(said), STDOUT_FILENO) >= 0) {
            execlp("gnuplot", "gnuplot", word, (char*)NULL);
        }
        _exit(EXIT_NOT_FOUND);
    }
    int status = 0;
    pid_t ended = process;
    while (process > 0 && (ended = waitpid(process, &status, 0)) < 0 && errno == EINTR) {
    }
    rewind(said);
    size_t length = fread(words, 1, MAX_WORDS - 1, said);
    words[length] = '\0';
    fclose(said);
    return ended > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

sdResult LabPlot_FindGnuplot(const sdContext* context) {
    char words[MAX_WORDS];
    sdContext ctx = sdRender_GetContext(context);
    if (runGnuplot(".", "--version", words) == 0) {
        return SD_OK;
    }
    return sdRender_Fail(&ctx, SD_ERROR_IO,
                         "plots need the program 'gnuplot', which does not run here; install it "
                         "(Debian: apt-get install gnuplot-nox)");
}

/// Put the style for dark ground into what gnuplot wrote.
static sdResult adaptSvg(const LabPlot* plot, const sdContext* context, const char* folder) {
    char path[LAB_MAX_PATH], name[128];
    snprintf(name, sizeof name, "%s.svg", plot->name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    uint8_t* bytes;
    size_t size;
    sdResult result = sdOutput_ReadFile(context, path, &bytes, &size);
    if (result != SD_OK) {
        return result;
    }
    static const char place[] = "<title>";
    size_t at = 0;
    while (at + sizeof place <= size && memcmp(bytes + at, place, sizeof place - 1) != 0) {
        ++at;
    }
    LabPage page = LabPage_Start(context);
    LabPage_Add(&page, (const char*)bytes, at);
    LabPage_Add(&page, darkStyle, sizeof darkStyle - 1);
    LabPage_Add(&page, (const char*)bytes + at, size - at);
    sdOutput_Free(&page.context, bytes, size);
    return LabPage_Save(&page, folder, name);
}

sdResult LabPlot_Save(const LabPlot* plot, const sdContext* context, const char* folder) {
    sdContext ctx = sdRender_GetContext(context);
    sdResult result = saveScript(plot, &ctx, folder);
    if (result != SD_OK) {
        return result;
    }
    char script[128], words[MAX_WORDS];
    snprintf(script, sizeof script, "%s.gp", plot->name);
    // it says nothing when all is well, and ends well in spite of some mistakes
    int code = runGnuplot(folder, script, words);
    if (code != 0 || strstr(words, "error") != NULL || strstr(words, "warning") != NULL) {
        return sdRender_Fail(&ctx, SD_ERROR_IO, "gnuplot could not draw %s/%s: %s", folder, script,
                             words[0] != '\0' ? words : "it could not be run");
    }
    return adaptSvg(plot, &ctx, folder);
}
