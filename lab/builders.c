// SPDX-License-Identifier: MIT
// builders.c - experiment: the ways to build a hierarchy of boxes, by time and by quality
// (S3 §5.3.3).

#include "experiments.h"

#include <math.h>
#include <stdlib.h>

/// In the document's order; the last one is ours.
static const struct {
    const char* name;
    sdTreeBuilder builder;
} builders[SD_TREE_BUILDER_COUNT] = {{"bottom-up", SD_TREE_BOTTOM_UP},
                                     {"top-down", SD_TREE_TOP_DOWN},
                                     {"insertion", SD_TREE_INSERTION},
                                     {"linear (Morton)", SD_TREE_MORTON},
                                     {"linear (Hilbert)", SD_TREE_HILBERT}};
enum { BOTTOM_UP, TOP_DOWN, INSERTION, MORTON, HILBERT };

typedef struct Built {
    double ms;      ///< to build
    double cost;    ///< nodes that a point in the tree lies in
    double depth;   ///< levels
    double queryUs; ///< of a query by one box
    int found;      ///< by all queries
} Built;

static bool countFound(void* arg, sdProxyId id, uint64_t userData) {
    (void)id;
    (void)userData;
    *(int*)arg += 1;
    return true;
}

static sdWorldBox drawBox(LabRandom* random, float space, float least, float most) {
    sdVec3 p = LabRandom_InBox(random, space);
    double h = (double)LabRandom_Float(random, least, most);
    return sdWorldBox_Make(sdPos_Make((double)p.x - h, (double)p.y - h, (double)p.z - h),
                           sdPos_Make((double)p.x + h, (double)p.y + h, (double)p.z + h));
}

#define QUERY_COUNT 1000

static Built build(Lab* lab, int kind, int count, uint64_t seed) {
    Built built = {0};
    sdBroadphaseDef def = sdBroadphaseDef_Default();
    def.treeBuilder = builders[kind].builder;
    sdBroadphase* bp = NULL;
    LabRandom random = LabRandom_Make(seed);
    float space = cbrtf((float)count);
    bool isMade = Lab_Check(lab, sdBroadphase_Create(NULL, &def, &bp), "a broad phase");
    for (int i = 0; i < count && isMade; ++i) {
        sdProxyDef proxy = sdProxyDef_Default();
        sdProxyId id;
        proxy.box = drawBox(&random, space, 0.1f, 0.75f);
        isMade = Lab_Check(lab, sdBroadphase_Add(bp, &proxy, &id), "a proxy");
    }
    isMade = isMade && Lab_Check(lab, sdBroadphase_Refresh(bp), "a tree");
    double start = Lab_Now();
    isMade = isMade && Lab_Check(lab, sdBroadphase_Rebuild(bp, builders[kind].builder), "a tree");
    built.ms = 1e3 * (Lab_Now() - start);
    if (isMade) {
        sdBroadphaseStats stats = sdBroadphase_GetStats(bp);
        built.cost = (double)stats.sahCost;
        built.depth = stats.depth;
        start = Lab_Now();
        for (int i = 0; i < QUERY_COUNT; ++i) {
            sdBroadphase_QueryBox(bp, drawBox(&random, space, 0.5f, 0.5f), ~0u, countFound,
                                  &built.found);
        }
        built.queryUs = 1e6 * (Lab_Now() - start) / QUERY_COUNT;
    }
    sdBroadphase_Destroy(bp);
    return built;
}

typedef struct Columns {
    LabTable* table;
    int boxes, ms[SD_TREE_BUILDER_COUNT], cost[SD_TREE_BUILDER_COUNT];
    int depth[SD_TREE_BUILDER_COUNT], query[SD_TREE_BUILDER_COUNT];
    int different; ///< rows in which queries found another number of boxes
} Columns;

static Columns measure(Lab* lab) {
    Columns c = {.table = Lab_AddTable(lab, "builders", "A hierarchy of boxes")};
    c.boxes = LabTable_AddColumn(c.table, "boxes", "");
    for (int k = 0; k < SD_TREE_BUILDER_COUNT; ++k) {
        const char* name = builders[k].name;
        c.ms[k] = LabTable_AddColumn(c.table, Lab_Text(lab, "%s, time", name), "ms");
        c.cost[k] = LabTable_AddColumn(c.table, Lab_Text(lab, "%s, nodes of a point", name), "");
        c.depth[k] = LabTable_AddColumn(c.table, Lab_Text(lab, "%s, levels", name), "");
        c.query[k] = LabTable_AddColumn(c.table, Lab_Text(lab, "%s, a query", name), "µs");
    }
    for (int count = 250; count <= Lab_Choose(lab, 2000, 8000, 64000) && Lab_GoesOn(lab);
         count *= 2) {
        LabTable_AddRow(c.table, NULL);
        LabTable_Put(c.table, c.boxes, count);
        for (int k = 0, expected = 0; k < SD_TREE_BUILDER_COUNT; ++k) {
            LabSample ms = {0}, cost = {0}, depth = {0}, query = {0};
            int found = 0;
            for (int seed = 1; seed <= Lab_Choose(lab, 1, 3, 5) && Lab_GoesOn(lab); ++seed) {
                Built built = build(lab, k, count, (uint64_t)seed);
                LabSample_Add(&ms, built.ms);
                LabSample_Add(&cost, built.cost);
                LabSample_Add(&depth, built.depth);
                LabSample_Add(&query, built.queryUs);
                found += built.found;
            }
            c.different += k > 0 && found != expected ? 1 : 0;
            expected = found;
            LabTable_PutSample(c.table, c.ms[k], &ms);
            LabTable_PutSample(c.table, c.cost[k], &cost);
            LabTable_PutSample(c.table, c.depth[k], &depth);
            LabTable_PutSample(c.table, c.query[k], &query);
        }
    }
    return c;
}

static void plotColumns(Lab* lab, const Columns* c, const int* columns, const char* name,
                        const char* title, const char* text, LabAxis y) {
    LabPlot plot = {
        .name = name, .title = title, .text = text, .x = {"boxes", "", .isLog = true}, .y = y};
    for (int k = 0; k < SD_TREE_BUILDER_COUNT; ++k) {
        plot.series[k] = (LabSeries){c->table, c->boxes, columns[k], builders[k].name};
    }
    Lab_AddPlot(lab, plot);
}

static void run(Lab* lab) {
    Lab_AddSetting(lab, "boxes", "0.2 to 1.5 m wide, one in 8 m³, %d seeds",
                   Lab_Choose(lab, 1, 3, 5));
    Columns c = measure(lab);
    if (!Lab_GoesOn(lab)) {
        return;
    }
    plotColumns(lab, &c, c.ms, "build-time", "Time to build", "Both axes are logarithmic.",
                (LabAxis){"time", "ms", .isLog = true});
    plotColumns(lab, &c, c.cost, "quality", "Nodes that a point lies in",
                "Expected from surfaces: what a query for a point would visit; less is better.",
                (LabAxis){"nodes of a point", ""});
    plotColumns(lab, &c, c.query, "query-time", "Time of a query by a box of 1 m",
                "Better trees are quicker to ask.", (LabAxis){"time of a query", "µs"});
    int last = LabTable_GetRowCount(c.table) - 1;
    double cost[SD_TREE_BUILDER_COUNT], ms[SD_TREE_BUILDER_COUNT];
    for (int k = 0; k < SD_TREE_BUILDER_COUNT; ++k) {
        cost[k] = LabTable_Get(c.table, last, c.cost[k]);
        ms[k] = LabTable_Get(c.table, last, c.ms[k]);
    }
    double boxes = LabTable_Get(c.table, last, c.boxes);
    Lab_AddFinding(
        lab,
        (LabFinding){.claim = "Bottom-up joins nearest boxes, so that its volumes are of the "
                              "best size.",
                     .document = "§5.3.3",
                     .ours = Lab_Text(lab,
                                      "%.0f boxes: a point lies in %.1f nodes (bottom-up), "
                                      "%.1f (top-down), %.1f (insertion), %.1f (Morton), "
                                      "%.1f (Hilbert)",
                                      boxes, cost[BOTTOM_UP], cost[TOP_DOWN], cost[INSERTION],
                                      cost[MORTON], cost[HILBERT]),
                     .agrees = cost[BOTTOM_UP] < cost[INSERTION] &&
                               cost[BOTTOM_UP] < cost[MORTON] && cost[BOTTOM_UP] < cost[TOP_DOWN],
                     .isExplained = cost[BOTTOM_UP] < cost[MORTON],
                     .why = "It is better than a linear build. But who is joined first is "
                            "decided by what is nearest, not by what is best for the whole: "
                            "cutting from the top by surfaces, or looking for the cheapest "
                            "place of each box, may do as well or better."});
    bool isLogarithmic = true;
    for (int k = 0; k < SD_TREE_BUILDER_COUNT; ++k) {
        isLogarithmic = isLogarithmic && LabTable_FitExponent(c.table, c.boxes, c.depth[k]) < 0.35;
    }
    Lab_AddFinding(
        lab, (LabFinding){.claim = "Balanced trees have a depth of log n, and queries leave out "
                                   "most of the boxes.",
                          .document = "§5.3.2",
                          .ours = Lab_Text(lab,
                                           "%.0f to %.0f levels for %.0f boxes, eight children a "
                                           "node; all queries find the same boxes (%d rows "
                                           "differ)",
                                           LabTable_Get(c.table, last, c.depth[TOP_DOWN]),
                                           LabTable_Get(c.table, last, c.depth[BOTTOM_UP]), boxes,
                                           c.different),
                          .agrees = isLogarithmic && c.different == 0,
                          .why = "Each level has a share of the boxes of the one above."});
    Lab_AddFinding(
        lab, (LabFinding){.claim = "The linear build is the simplest and quickest.",
                          .document = "§5.3.3: a list sorted by Morton's codes, cut in halves",
                          .ours = Lab_Text(lab,
                                           "%.0f boxes: %.2f ms (Morton), %.2f (Hilbert), %.2f "
                                           "(insertion), %.2f (top-down), %.2f (bottom-up)",
                                           boxes, ms[MORTON], ms[HILBERT], ms[INSERTION],
                                           ms[TOP_DOWN], ms[BOTTOM_UP]),
                          .agrees = ms[MORTON] < ms[INSERTION] && ms[MORTON] < ms[TOP_DOWN] &&
                                    ms[MORTON] < ms[BOTTOM_UP],
                          .isExplained = ms[MORTON] < ms[BOTTOM_UP],
                          .why = "It sorts once. Hilbert's curve, which has no long jumps, costs "
                                 "no more and gives better trees.",
                          .isTimed = true});
    Lab_AddFinding(lab, (LabFinding){.claim = "Hilbert's order gives better trees than Morton's.",
                                     .ours = Lab_Text(lab,
                                                      "a point lies in %.1f nodes instead of "
                                                      "%.1f",
                                                      cost[HILBERT], cost[MORTON]),
                                     .agrees = cost[HILBERT] < cost[MORTON],
                                     .why = "Neighbours on the curve are neighbours in space."});
}

const LabExperiment labBuilders = {
    .name = "builders",
    .title = "Four ways to build a hierarchy",
    .source = "S3 §5.3.3",
    .question = "Which way to build a hierarchy of boxes is quickest, and which gives the best?",
    .setup = "Boxes at equal density; the tree is built anew over all of them in each way, and "
             "asked by 1000 boxes of 1 m. Quality is the number of nodes that a point in the tree "
             "lies in, as expected from surfaces.",
    .document = "Bottom-up joins the nearest, top-down divides, insertion looks for the cheapest "
                "place (O(n log n), in random order), linear sorts along a Z curve. Bottom-up "
                "volumes are of optimal size. No measurements.",
    .run = run,
};
