// SPDX-License-Identifier: MIT
// projection.c - experiment: projection intervals by looking at all vertices and by searching
// (S3 §2.3).

#include "experiments.h"

#include <math.h>
#include <stdlib.h>

#define MAX_VERTICES 4096
#define MAX_DIRECTIONS 2048

typedef struct Work {
    sdVec2 polygon[MAX_VERTICES];
    sdVec3 points[MAX_VERTICES];
    sdVec3 directions[MAX_DIRECTIONS];
    int count; ///< vertices
    int directionCount;
    sdHull* hull;
    double sum; ///< of what was found, so that it must be found
} Work;

static void drawDirections(Work* work, LabRandom* random, int count) {
    work->directionCount = count;
    for (int i = 0; i < count; ++i) {
        work->directions[i] = LabRandom_OnSphere(random);
    }
}

/// Where the second of two columns becomes the smaller one, between rows on logarithmic axes; NaN
/// when it does not.
/// @param share of the first that the second has to be below: 1, or less where both may be the same
static double crossing(const LabTable* t, int x, int first, int second, double share) {
    double at = (double)NAN;
    for (int i = 1; i < LabTable_GetRowCount(t); ++i) {
        double was = log(LabTable_Get(t, i - 1, second) / (share * LabTable_Get(t, i - 1, first)));
        double is = log(LabTable_Get(t, i, second) / (share * LabTable_Get(t, i, first)));
        if (was > 0.0 && is <= 0.0) {
            double a = LabTable_Get(t, i - 1, x), b = LabTable_Get(t, i, x);
            at = a * pow(b / a, was / (was - is));
        }
    }
    return at;
}

// ---- polygons ------------------------------------------------------------------------------

enum { SCAN, SEARCH, WAY_COUNT };

/// @return ns for one interval; `looks` receives vertices looked at
static double timePolygon(Work* work, sdProject2Method method, double* looks) {
    *looks = 0.0;
    double start = Lab_Now();
    for (int i = 0; i < work->directionCount; ++i) {
        sdVec2 d = {work->directions[i].x, work->directions[i].y};
        sdProjection2 p = sdProject2(work->polygon, work->count, d, method);
        work->sum += p.upper - p.lower;
        *looks += p.lookCount;
    }
    double ns = 1e9 * (Lab_Now() - start) / work->directionCount;
    *looks /= work->directionCount;
    Lab_Use(work);
    return ns;
}

static void measurePolygons(Lab* lab, Work* work) {
    LabTable* t = Lab_AddTable(lab, "polygons", "Interval of a convex polygon, both ends");
    int n = LabTable_AddColumn(t, "vertices", ""), looks[WAY_COUNT], ns[WAY_COUNT];
    static const char* const names[WAY_COUNT] = {"all vertices", "bisection"};
    for (int k = 0; k < WAY_COUNT; ++k) {
        looks[k] = LabTable_AddColumn(t, Lab_Text(lab, "%s, looked at", names[k]), "");
        ns[k] = LabTable_AddColumn(t, Lab_Text(lab, "%s, time", names[k]), "ns");
    }
    LabRandom random = LabRandom_Make(1);
    drawDirections(work, &random, Lab_Choose(lab, 200, 1000, MAX_DIRECTIONS));
    for (int count = 4; count <= Lab_Choose(lab, 1024, 4096, 4096) && Lab_GoesOn(lab); count *= 2) {
        for (int i = 0; i < count; ++i) {
            double angle = 2.0 * (double)SD_PI * i / count;
            work->polygon[i] = (sdVec2){(float)cos(angle), (float)sin(angle)};
        }
        work->count = count;
        LabTable_AddRow(t, NULL);
        LabTable_Put(t, n, count);
        for (int k = 0; k < WAY_COUNT; ++k) {
            LabSample times = {0};
            double made = 0.0;
            for (int r = 0; r < Lab_Choose(lab, 1, 5, 20); ++r) {
                LabSample_Add(&times, timePolygon(work, (sdProject2Method)k, &made));
            }
            LabTable_PutSample(t, ns[k], &times);
            LabTable_Put(t, looks[k], made);
        }
    }
    LabPlot counts = {.name = "polygon-looks",
                      .title = "Polygons: vertices looked at",
                      .text = "Both axes are logarithmic: bisection grows with the logarithm.",
                      .x = {"vertices of the polygon", "", .isLog = true},
                      .y = {"vertices looked at", "", .isLog = true}};
    LabPlot times = {.name = "polygon-time",
                     .title = "Polygons: time of an interval",
                     .text = "Where the lines cross, bisection begins to pay.",
                     .x = {"vertices of the polygon", "", .isLog = true},
                     .y = {"time of an interval", "ns", .isLog = true}};
    for (int k = 0; k < WAY_COUNT; ++k) {
        counts.series[k] = (LabSeries){t, n, looks[k], names[k]};
        times.series[k] = (LabSeries){t, n, ns[k], names[k]};
    }
    Lab_AddPlot(lab, counts);
    Lab_AddPlot(lab, times);
    double linear = LabTable_FitExponent(t, n, looks[SCAN]);
    double slow = LabTable_FitExponent(t, n, looks[SEARCH]);
    Lab_AddFinding(
        lab,
        (LabFinding){.claim = "Projecting all vertices is linear; a search finds the ends in "
                              "O(log n).",
                     .document = "§2.3, after Eberly",
                     .ours = Lab_Text(lab,
                                      "vertices looked at grow with exponent %.2f and %.2f; "
                                      "%.0f of %.0f by bisection",
                                      linear, slow,
                                      LabTable_Get(t, LabTable_GetRowCount(t) - 1, looks[SEARCH]),
                                      LabTable_Get(t, LabTable_GetRowCount(t) - 1, n)),
                     .agrees = linear > 0.99 && slow < 0.4,
                     .why = "Heights around a convex polygon rise once and fall once."});
    double byLooks = crossing(t, n, looks[SCAN], looks[SEARCH], 1.0);
    double byTime = crossing(t, n, ns[SCAN], ns[SEARCH], 1.0);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "For polygons the search pays from 32 to 64 vertices on.",
                          .document = "Eberly's measurement: n between 32 and 64",
                          .ours = Lab_Text(lab,
                                           "from %.0f vertices on by time, from %.0f by vertices "
                                           "looked at",
                                           byTime, byLooks),
                          .agrees = byTime > 24.0 && byTime < 80.0,
                          .isExplained = byLooks < 32.0,
                          .why = "Bisection looks at three vertices for each halving, without "
                                 "building a tree of intervals, so it pays earlier than Eberly's.",
                          .isTimed = true});
}

// ---- hulls ---------------------------------------------------------------------------------

/// Vertices that climbing looks at: it goes to the highest neighbour until none is higher.
static int countClimb(const sdHull* hull, sdVec3 direction, int* top) {
    int vertexCount, edgeCount, looks = 1, best = 0;
    const sdVec3* vertices = sdHull_GetVertices(hull, &vertexCount);
    const sdHalfEdge* edges = sdHull_GetEdges(hull, &edgeCount);
    const int32_t* first = sdHull_GetVertexEdges(hull);
    for (int step = 0; step < vertexCount; ++step) {
        int from = best;
        int e = first[from];
        do {
            int other = edges[edges[e].twin].origin;
            looks += 1;
            best =
                sdDot(direction, vertices[other]) > sdDot(direction, vertices[best]) ? other : best;
            e = edges[edges[e].twin].next;
        } while (e != first[from]);
        if (best == from) {
            break;
        }
    }
    *top = best;
    return looks;
}

enum { HULL_SCAN, HULL_CLIMB, HULL_CHOSEN, HULL_WAYS };

static int supportOf(const Work* work, int way, sdVec3 d) {
    return way == HULL_SCAN    ? sdHull_SupportScan(work->hull, d)
           : way == HULL_CLIMB ? sdHull_SupportClimb(work->hull, d, 0)
                               : sdHull_Support(work->hull, d);
}

static double timeHull(Work* work, int way) {
    double start = Lab_Now();
    for (int i = 0; i < work->directionCount; ++i) {
        work->sum += supportOf(work, way, work->directions[i]);
    }
    Lab_Use(work);
    return 1e9 * (Lab_Now() - start) / work->directionCount;
}

static bool makeHull(Lab* lab, Work* work, LabRandom* random, int count) {
    for (int i = 0; i < count; ++i) {
        work->points[i] = LabRandom_OnSphere(random);
    }
    sdHullDef def = sdHullDef_Default();
    def.points = work->points;
    def.pointCount = count;
    return Lab_Check(lab, sdHull_Create(NULL, &def, &work->hull), "a hull");
}

static void measureHulls(Lab* lab, Work* work) {
    LabTable* t = Lab_AddTable(lab, "hulls", "Furthest vertex of a hull, one end");
    int n = LabTable_AddColumn(t, "vertices", ""), ns[HULL_WAYS], looks[2];
    looks[0] = LabTable_AddColumn(t, "all vertices, looked at", "");
    looks[1] = LabTable_AddColumn(t, "climbing, looked at", "");
    static const char* const names[HULL_WAYS] = {
        "all vertices, eight at a time", "climbing from any vertex", "the library's choice"};
    for (int k = 0; k < HULL_WAYS; ++k) {
        ns[k] = LabTable_AddColumn(t, names[k], "ns");
    }
    LabRandom random = LabRandom_Make(2);
    drawDirections(work, &random, Lab_Choose(lab, 200, 1000, MAX_DIRECTIONS));
    int wrong = 0;
    for (int count = 8; count <= Lab_Choose(lab, 512, 4096, 4096) && Lab_GoesOn(lab); count *= 2) {
        if (!makeHull(lab, work, &random, count)) {
            return;
        }
        LabTable_AddRow(t, NULL);
        LabTable_Put(t, n, count);
        LabTable_Put(t, looks[0], count);
        LabSample made = {0};
        for (int i = 0; i < work->directionCount; ++i) {
            int top;
            LabSample_Add(&made, countClimb(work->hull, work->directions[i], &top));
            wrong += top != sdHull_SupportScan(work->hull, work->directions[i]) ? 1 : 0;
        }
        LabTable_PutSample(t, looks[1], &made);
        for (int k = 0; k < HULL_WAYS; ++k) {
            LabSample times = {0};
            for (int r = 0; r < Lab_Choose(lab, 1, 5, 20); ++r) {
                LabSample_Add(&times, timeHull(work, k));
            }
            LabTable_PutSample(t, ns[k], &times);
        }
        sdHull_Release(work->hull);
        work->hull = NULL;
    }
    Lab_AddPlot(
        lab, (LabPlot){.name = "hull-looks",
                       .title = "Hulls: vertices looked at",
                       .text = "Bars: spread over directions.",
                       .x = {"vertices of the hull", "", .isLog = true},
                       .y = {"vertices looked at", "", .isLog = true},
                       .series = {{t, n, looks[0], "all vertices"}, {t, n, looks[1], "climbing"}}});
    LabPlot times = {.name = "hull-time",
                     .title = "Hulls: time of a furthest vertex",
                     .text = "The library scans small hulls and climbs large ones from a vertex "
                             "near the answer.",
                     .x = {"vertices of the hull", "", .isLog = true},
                     .y = {"time", "ns", .isLog = true}};
    for (int k = 0; k < HULL_WAYS; ++k) {
        times.series[k] = (LabSeries){t, n, ns[k], names[k]};
    }
    Lab_AddPlot(lab, times);
    double p = LabTable_FitExponent(t, n, looks[1]);
    double byLooks = crossing(t, n, looks[0], looks[1], 1.0);
    double byTime = crossing(t, n, ns[HULL_SCAN], ns[HULL_CHOSEN], 0.85);
    Lab_AddFinding(
        lab,
        (LabFinding){.claim = "In 3D, too, a search is better for many vertices.",
                     .document = "§2.4.2: a better asymptotic complexity with trees",
                     .ours = Lab_Text(lab,
                                      "climbing looks at n^%.2f vertices, fewer than all from %.0f "
                                      "on, and never ends at another vertex (%d did)",
                                      p, byLooks, wrong),
                     .agrees = p < 0.7 && byLooks < 128.0 && wrong == 0,
                     .why = "A walk over a sphere of n vertices takes about the square root of n "
                            "steps, each of six neighbours."});
    Lab_AddFinding(lab, (LabFinding){.claim = "Eight lanes move the cross-over far up.",
                                     .ours = Lab_Text(lab,
                                                      "the library's choice beats the full scan "
                                                      "from %.0f vertices on",
                                                      byTime),
                                     .agrees = isnan(byTime) || byTime > 32.0,
                                     .isExplained = true,
                                     .why = "A full scan takes vertices eight at a time and never "
                                            "guesses a branch wrong.",
                                     .isTimed = true});
}

static void run(Lab* lab) {
    Work* work = calloc(1, sizeof *work);
    if (work == NULL) {
        Lab_Fail(lab, "no memory for directions");
        return;
    }
    Lab_AddSetting(lab, "directions", "%d", Lab_Choose(lab, 200, 1000, MAX_DIRECTIONS));
    measurePolygons(lab, work);
    measureHulls(lab, work);
    free(work);
}

const LabExperiment labProjection = {
    .name = "projection",
    .title = "Projection intervals: all vertices or a search",
    .source = "S3 §2.3, §2.4",
    .question = "From how many vertices on does a search beat looking at all of them?",
    .setup = "Regular polygons: the interval on random directions by all vertices and by "
             "bisection over the angle. Hulls of points on a sphere: the furthest vertex by all "
             "vertices (eight at a time), by climbing from neighbour to neighbour, and by the "
             "library's choice of the two. Vertices looked at are counted.",
    .document = "All vertices: linear. Eberly finds the ends in O(log n) by a binary tree and "
                "bisection, and measured that it pays from n vertices on, n between 32 and 64. "
                "The tree must be balanced, or it is linear again.",
    .run = run,
};
