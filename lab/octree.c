// SPDX-License-Identifier: MIT
// octree.c - experiments: depth of an octree, and bodies that a cell may hold (S1 §5.1, §5.2).

#include "experiments.h"
#include "room.h"

#define SIZE_COUNT 3
#define MAX_DEPTH 7

/// Sides of cubes, m.
static const struct {
    float least, most;
    const char *name, *file, *figure;
} sizes[SIZE_COUNT] = {{1.0f, 1.0f, "side 1.0", "large", "5.2"},
                       {0.1f, 0.1f, "side 0.1", "small", "5.4"},
                       {0.001f, 1.0f, "side 0 to 1", "mixed", "5.6"}};

static LabRoomDef roomOf(int size, int count, int depth, uint64_t seed) {
    LabRoomDef def = LabRoomDef_Default(count, sizes[size].most);
    def.leastDiameter = LabRoom_Diameter(sizes[size].least);
    def.depth = depth;
    def.seed = seed;
    return def;
}

/// Over seeds, each for so many frames: a frame's comparisons, cells of a body, frames a second.
typedef struct Measured {
    LabSample comparisons, copies, rate;
} Measured;

static Measured measure(Lab* lab, LabRoomDef def) {
    Measured m = {0};
    int seeds = Lab_Choose(lab, 1, 3, 5), frames = Lab_Choose(lab, 2, 10, 100);
    for (int i = 0; i < seeds && Lab_GoesOn(lab); ++i) {
        def.seed = (uint64_t)(i + 1);
        LabFrames f = LabRoom_Run(lab, &def, frames);
        if (f.count > 0) {
            LabSample_Add(&m.comparisons, f.comparisons / f.count);
            LabSample_Add(&m.copies, f.copies / f.count);
            LabSample_Add(&m.rate, f.count / f.seconds);
        }
    }
    return m;
}

// ---- depth by number of bodies (figures 5.2, 5.4, 5.6) -------------------------------------

#define DEPTH_CHOICES 5
static const int depths[DEPTH_CHOICES] = {0, 1, 2, 3, 5};

typedef struct ByCount {
    LabTable* table;
    int bodies, comparisons[DEPTH_CHOICES], rate[DEPTH_CHOICES];
} ByCount;

static const char* depthName(Lab* lab, int depth) {
    return depth == 0 ? "no octree" : Lab_Text(lab, "depth %d", depth);
}

static ByCount measureByCount(Lab* lab, int size) {
    ByCount c = {.table = Lab_AddTable(lab, sizes[size].file,
                                       Lab_Text(lab, "Cubes of %s m", sizes[size].name))};
    c.bodies = LabTable_AddColumn(c.table, "bodies", "");
    for (int d = 0; d < DEPTH_CHOICES; ++d) {
        const char* name = depthName(lab, depths[d]);
        c.comparisons[d] = LabTable_AddColumn(c.table, Lab_Text(lab, "%s, comparisons", name), "");
    }
    for (int d = 0; d < DEPTH_CHOICES; ++d) {
        const char* name = depthName(lab, depths[d]);
        c.rate[d] = LabTable_AddColumn(c.table, Lab_Text(lab, "%s, frames", name), "1/s");
    }
    for (int n = 100; n <= 500 && Lab_GoesOn(lab); n += Lab_Choose(lab, 400, 100, 50)) {
        LabTable_AddRow(c.table, NULL);
        LabTable_Put(c.table, c.bodies, n);
        for (int d = 0; d < DEPTH_CHOICES; ++d) {
            Measured m = measure(lab, roomOf(size, n, depths[d], 1));
            LabTable_PutSample(c.table, c.comparisons[d], &m.comparisons);
            LabTable_PutSample(c.table, c.rate[d], &m.rate);
        }
    }
    LabPlot plot = {.name = Lab_Text(lab, "rate-%s", sizes[size].file),
                    .title = Lab_Text(lab, "Cubes of %s m: frames a second (figure %s)",
                                      sizes[size].name, sizes[size].figure),
                    .text = "Detection alone, one thread; higher is better.",
                    .x = {"bodies", ""},
                    .y = {"frames a second", "1/s", .isLog = true}};
    for (int d = 0; d < DEPTH_CHOICES; ++d) {
        plot.series[d] = (LabSeries){c.table, c.bodies, c.rate[d], depthName(lab, depths[d])};
    }
    Lab_AddPlot(lab, plot);
    return c;
}

// ---- depth by size (figure 5.7) ------------------------------------------------------------

#define DEPTH_BODIES 200

typedef struct ByDepth {
    LabTable* table;
    int depth, comparisons[SIZE_COUNT], copies[SIZE_COUNT], rate[SIZE_COUNT];
    int lastRow;
} ByDepth;

/// @param isEndless cells are split as long as the depth allows, however few bodies they have
static ByDepth measureByDepth(Lab* lab, const char* name, const char* title, bool isEndless) {
    ByDepth c = {.table = Lab_AddTable(lab, name, title)};
    c.depth = LabTable_AddColumn(c.table, "depth", "");
    for (int s = 0; s < SIZE_COUNT; ++s) {
        const char* size = sizes[s].name;
        c.comparisons[s] = LabTable_AddColumn(c.table, Lab_Text(lab, "%s, comparisons", size), "");
        c.copies[s] = LabTable_AddColumn(c.table, Lab_Text(lab, "%s, cells of a body", size), "");
        c.rate[s] = LabTable_AddColumn(c.table, Lab_Text(lab, "%s, frames", size), "1/s");
    }
    int deepest = MAX_DEPTH;
    for (int d = 0; d <= deepest && Lab_GoesOn(lab); ++d) {
        LabTable_AddRow(c.table, NULL);
        LabTable_Put(c.table, c.depth, d);
        for (int s = 0; s < SIZE_COUNT; ++s) {
            LabRoomDef def = roomOf(s, DEPTH_BODIES, d, 1);
            def.mergeLimit = isEndless ? 0 : def.mergeLimit;
            def.splitLimit = isEndless ? 1 : def.splitLimit;
            def.isBroadOnly = isEndless;
            Measured m = measure(lab, def);
            LabTable_PutSample(c.table, c.comparisons[s], &m.comparisons);
            LabTable_PutSample(c.table, c.rate[s], &m.rate);
            if (d > 0) {
                LabTable_PutSample(c.table, c.copies[s], &m.copies);
            }
        }
    }
    c.lastRow = LabTable_GetRowCount(c.table) - 1;
    return c;
}

static void plotByDepth(Lab* lab, const ByDepth* limited, const ByDepth* endless) {
    LabPlot rate = {.name = "rate-by-depth",
                    .title = "200 cubes: frames a second by depth (figure 5.7)",
                    .text = "Depth 0 is the classical method: every body against every other.",
                    .x = {"depth that the octree may have", ""},
                    .y = {"frames a second", "1/s", .isLog = true}};
    LabPlot tests = {.name = "comparisons-by-depth",
                     .title = "200 cubes: comparisons by depth",
                     .text = "With the limit of 3 to 6 bodies a cell the tree stops by itself; "
                             "where cells of single bodies are still wanted, large bodies stand "
                             "in hundreds of cells and are compared in each that they share.",
                     .x = {"depth that the octree may have", ""},
                     .y = {"comparisons a frame", "", .isLog = true}};
    for (int s = 0; s < SIZE_COUNT; ++s) {
        rate.series[s] =
            (LabSeries){limited->table, limited->depth, limited->rate[s], sizes[s].name};
        tests.series[2 * s] = (LabSeries){limited->table, limited->depth, limited->comparisons[s],
                                          Lab_Text(lab, "%s, 3-6 a cell", sizes[s].name)};
        tests.series[2 * s + 1] =
            (LabSeries){endless->table, endless->depth, endless->comparisons[s],
                        Lab_Text(lab, "%s, 1 a cell", sizes[s].name)};
    }
    Lab_AddPlot(lab, rate);
    Lab_AddPlot(lab, tests);
}

/// Least of a column but for its first rows.
static double leastOf(const LabTable* table, int column, int fromRow) {
    double least = LabTable_Get(table, fromRow, column);
    for (int i = fromRow; i < LabTable_GetRowCount(table); ++i) {
        double value = LabTable_Get(table, i, column);
        least = value < least ? value : least;
    }
    return least;
}

static void findDepth(Lab* lab, const ByCount* large, const ByCount* small,
                      const ByDepth* endless) {
    int last = LabTable_GetRowCount(small->table) - 1;
    double all = LabTable_Get(small->table, last, small->comparisons[0]);
    double few = LabTable_Get(small->table, last, small->comparisons[3]);
    Lab_AddFinding(
        lab, (LabFinding){
                 .claim = "While bodies are small beside the scene, an octree is a good choice.",
                 .document = "figure 5.4: side 0.1, more frames a second with depth",
                 .ours = Lab_Text(lab,
                                  "500 cubes of 0.1 m: %.0f comparisons without, %.0f "
                                  "with depth 3",
                                  all, few),
                 .agrees = few < 0.02 * all,
                 .why = "A body of 0.1 m stands in 1.2 cells on average, so each halving of "
                        "the cells takes seven eighths of the comparisons away."});
    double least = leastOf(endless->table, endless->comparisons[0], 1);
    double deepest = LabTable_Get(endless->table, endless->lastRow, endless->comparisons[0]);
    double copies = LabTable_Get(endless->table, endless->lastRow, endless->copies[0]);
    double pairs = LabTable_Get(endless->table, 0, endless->comparisons[0]);
    Lab_AddFinding(
        lab,
        (LabFinding){
            .claim = "For larger bodies a deep octree works against itself: bodies stand in many "
                     "cells, and there are more tests than without it.",
            .document = "figures 5.2 and 5.7, side 1.0; no numbers in the text",
            .ours = Lab_Text(lab,
                             "200 cubes of 1 m, cells split to the end: %.0f comparisons at the "
                             "best depth, %.0f at depth %d, where a body stands in %.0f cells; "
                             "%.0f without a tree",
                             least, deepest, MAX_DEPTH, copies, pairs),
            .agrees = deepest > pairs && deepest > 5.0 * least,
            .why = "Below the size of a body each halving doubles the cells along each side that "
                   "two bodies share."});
    double best = leastOf(large->table, large->comparisons[4], last);
    double flat = LabTable_Get(large->table, last, large->comparisons[0]);
    double gain = LabTable_Get(large->table, last, large->rate[3]) /
                  LabTable_Get(large->table, last, large->rate[0]);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "For bodies of side 1.0 a shallow octree is slightly faster "
                                   "than the classical method, not more.",
                          .document = "\"nisu se pokazali kao znatno ubrzanje\"",
                          .ours = Lab_Text(lab,
                                           "500 cubes of 1 m: %.0f comparisons instead of %.0f, "
                                           "but only %.2f times the frames",
                                           best, flat, gain),
                          .agrees = gain > 0.9 && gain < 2.5,
                          .isExplained = best < 0.1 * flat,
                          .why = "Hundreds of pairs are truly near, and their triangles take the "
                                 "time; that is the same with any broad phase.",
                          .isTimed = true});
}

static void runDepth(Lab* lab) {
    Lab_AddSetting(lab, "frames", "%d a room", Lab_Choose(lab, 2, 10, 100));
    Lab_AddSetting(lab, "rooms", "%d, each from its own seed", Lab_Choose(lab, 1, 3, 5));
    ByCount c[SIZE_COUNT];
    for (int s = 0; s < SIZE_COUNT; ++s) {
        c[s] = measureByCount(lab, s);
    }
    ByDepth limited = measureByDepth(lab, "depth", "200 cubes, cells split above 6 bodies", false);
    ByDepth endless = measureByDepth(
        lab, "depth-endless", "200 cubes, cells split above 1 body, broad phase alone", true);
    plotByDepth(lab, &limited, &endless);
    if (Lab_GoesOn(lab)) {
        findDepth(lab, &c[0], &c[1], &endless);
    }
}

const LabExperiment labOctree = {
    .name = "octree",
    .title = "Depth of an octree",
    .source = "S1 §5.1, figures 5.2, 5.4, 5.6, 5.7",
    .question = "When does an octree help to find who may touch whom, and when does it hurt?",
    .setup = "Cubes fly about in a cube of side 20 m at 2 m/s. Each frame brings the octree up to "
             "date, compares the boxes of all that share a cell, then balls, then all triangles "
             "of the pairs whose balls overlap. A cell is split above 6 bodies and joined again "
             "at 3, the document's best. Nothing is kept from frame to frame. Comparisons are "
             "counted, not only timed.",
    .document = "Graphs of frames a second, drawing included. For cubes of 0.1 the octree is a "
                "good choice; for cubes of 1.0 it becomes counterproductive because bodies are in "
                "many octants, and only shallow trees are slightly better than the classical "
                "method.",
    .run = runDepth,
};

// ---- limits of a cell (figure 5.8) ---------------------------------------------------------

#define LIMIT_COUNT 7
static const int limits[LIMIT_COUNT][2] = {{0, 1},   {1, 2},   {3, 6},   {9, 11},
                                           {24, 26}, {49, 51}, {99, 101}};
#define CELL_DEPTH 8 // cells of 8 cm
enum { LIMIT_BEST = 2, LIMIT_50 = 5, LIMIT_100 = 6 };

typedef struct ByLimit {
    LabTable* table;
    int bodies, comparisons[LIMIT_COUNT], cells[LIMIT_COUNT], rate[LIMIT_COUNT];
} ByLimit;

static ByLimit measureLimits(Lab* lab) {
    ByLimit c = {.table = Lab_AddTable(lab, "limits", "Cubes of 0.1 m, an octree of depth 8")};
    c.bodies = LabTable_AddColumn(c.table, "bodies", "");
    for (int k = 0; k < LIMIT_COUNT; ++k) {
        const char* name = Lab_Text(lab, "%d-%d", limits[k][0], limits[k][1]);
        c.comparisons[k] = LabTable_AddColumn(c.table, Lab_Text(lab, "%s, comparisons", name), "");
        c.cells[k] = LabTable_AddColumn(c.table, Lab_Text(lab, "%s, cells", name), "");
        c.rate[k] = LabTable_AddColumn(c.table, Lab_Text(lab, "%s, frames", name), "1/s");
    }
    for (int n = 100; n <= 500 && Lab_GoesOn(lab); n += 100) {
        LabTable_AddRow(c.table, NULL);
        LabTable_Put(c.table, c.bodies, n);
        for (int k = 0; k < LIMIT_COUNT; ++k) {
            LabSample comparisons = {0}, cells = {0}, rate = {0};
            for (int i = 0; i < Lab_Choose(lab, 2, 5, 10) && Lab_GoesOn(lab); ++i) {
                LabRoomDef def = roomOf(1, n, CELL_DEPTH, (uint64_t)(i + 1));
                def.mergeLimit = limits[k][0];
                def.splitLimit = limits[k][1];
                LabFrames f = LabRoom_Run(lab, &def, Lab_Choose(lab, 2, 20, 100));
                LabSample_Add(&comparisons, f.comparisons / f.count);
                LabSample_Add(&cells, f.cells / f.count);
                LabSample_Add(&rate, f.count / f.seconds);
            }
            LabTable_PutSample(c.table, c.comparisons[k], &comparisons);
            LabTable_PutSample(c.table, c.cells[k], &cells);
            LabTable_PutSample(c.table, c.rate[k], &rate);
        }
    }
    return c;
}

static void plotLimits(Lab* lab, const ByLimit* c) {
    LabPlot plot = {.name = "limits-rate",
                    .title = "Cubes of 0.1 m by limits of a cell: frames a second (figure 5.8)",
                    .text = "Limits are bodies at which cells are joined, and above which they "
                            "are split.",
                    .x = {"bodies", ""},
                    .y = {"frames a second", "1/s", .isLog = true}};
    LabPlot tests = {.name = "limits-comparisons",
                     .title = "The same: comparisons",
                     .text = "With high limits there are fewer comparisons for more bodies, just "
                             "after the cells have been split.",
                     .x = {"bodies", ""},
                     .y = {"comparisons a frame", "", .isLog = true, .from = 10.0, .to = 30000.0}};
    for (int k = 0; k < LIMIT_COUNT; ++k) {
        const char* name = Lab_Text(lab, "%d to %d", limits[k][0], limits[k][1]);
        plot.series[k] = (LabSeries){c->table, c->bodies, c->rate[k], name};
        if (k > 0) {
            tests.series[k - 1] = (LabSeries){c->table, c->bodies, c->comparisons[k], name};
        }
    }
    Lab_AddPlot(lab, plot);
    Lab_AddPlot(lab, tests);
}

static void runLimits(Lab* lab) {
    ByLimit c = measureLimits(lab);
    if (!Lab_GoesOn(lab)) {
        return;
    }
    plotLimits(lab, &c);
    double n300 = LabTable_Get(c.table, 2, c.comparisons[LIMIT_50]);
    double n400 = LabTable_Get(c.table, 3, c.comparisons[LIMIT_50]);
    double n500 = LabTable_Get(c.table, 4, c.comparisons[LIMIT_50]);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "With 49 to 51 bodies a cell, 400 and 500 bodies go faster than "
                                   "300, because their cells have been split.",
                          .document = "called unexpected; figure 5.8",
                          .ours = Lab_Text(lab,
                                           "%.0f comparisons for 300, %.0f for 400, %.0f for "
                                           "500 bodies",
                                           n300, n400, n500),
                          .agrees = n400 < n300 && n500 < n300,
                          .why = "Eight cells of 37 bodies are below the limit; of 50 about half "
                                 "are above it, and of 62 nearly all."});
    double n100 = LabTable_Get(c.table, 0, c.comparisons[LIMIT_100]);
    double n200 = LabTable_Get(c.table, 1, c.comparisons[LIMIT_100]);
    Lab_AddFinding(
        lab, (LabFinding){
                 .claim = "With 99 to 101 bodies a cell, 200 bodies go faster than 100.",
                 .document = "figure 5.8",
                 .ours = Lab_Text(lab, "%.0f comparisons for 100, %.0f for 200 bodies", n100, n200),
                 .agrees = n200 < n100,
                 .why = "A hundred bodies are one cell; two hundred are eight of 25."});
    double best = LabTable_Get(c.table, 4, c.rate[LIMIT_BEST]);
    double fewer = LabTable_Get(c.table, 4, c.rate[0]);
    double more = LabTable_Get(c.table, 4, c.rate[LIMIT_100]);
    double cells =
        LabTable_Get(c.table, 4, c.cells[0]) / LabTable_Get(c.table, 4, c.cells[LIMIT_BEST]);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "Limits of 3 to 6 are best; smaller ones bring nothing more, "
                                   "larger ones cost.",
                          .document = "\"najbolje rezultate pokazala je granica od 3 do 6\"",
                          .ours = Lab_Text(lab,
                                           "500 bodies: %.0f frames a second with 3 to 6, %.0f "
                                           "with 0 to 1, %.0f with 99 to 101",
                                           best, fewer, more),
                          .agrees = best > 1.1 * fewer && best > 1.1 * more,
                          .isExplained = cells > 2.0,
                          .why = Lab_Text(lab,
                                          "Few comparisons are left below 6; %.1f times as "
                                          "many cells cost more than those.",
                                          cells),
                          .isTimed = true});
    double c6 = LabTable_Get(c.table, 4, c.comparisons[LIMIT_BEST]);
    double c101 = LabTable_Get(c.table, 4, c.comparisons[LIMIT_100]);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "Large limits are no good: there are too many tests in a cell.",
                          .document = "\"zbog povećanja broja testova unutar oktana\"",
                          .ours = Lab_Text(lab,
                                           "500 bodies: %.0f comparisons with 3 to 6, %.0f "
                                           "with 99 to 101",
                                           c6, c101),
                          .agrees = c101 > 10.0 * c6,
                          .why = "In a cell every body is compared with every other."});
}

const LabExperiment labCells = {
    .name = "cells",
    .title = "Bodies that a cell may hold",
    .source = "S1 §5.2, figure 5.8",
    .question = "How many bodies should a cell of an octree hold before it is split?",
    .setup = "The room of 20 m with 100 to 500 cubes of 0.1 m. The octree may have eight "
             "levels; what is changed is the number of bodies at which eight cells become one and "
             "that above which a cell becomes eight.",
    .document = "3 to 6 bodies are best; smaller limits bring no more. With 49 to 51 the program "
                "was faster with 400 and 500 bodies than with 300, with 99 to 101 faster with 200 "
                "than with 100: cells had been split once more.",
    .run = runLimits,
};
