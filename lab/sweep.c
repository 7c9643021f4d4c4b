// SPDX-License-Identifier: MIT
// sweep.c - experiments: sweep and prune against hierarchies, and the four ways to build a
// hierarchy (S3 §5.3).

#include "experiments.h"

#include <math.h>
#include <stdlib.h>

// ---- boxes that move -----------------------------------------------------------------------

/// Boxes of about 1 m, one in eight cubic metres.
typedef struct Boxes {
    Lab* lab;
    LabRandom random;
    int count;
    float half; ///< of the space
    sdVec3 *positions, *velocities;
    float* halfSides;
    sdWorldBox* boxes;
    sdProxyId* ids;
    sdBroadphase* broadphase;
} Boxes;

static void writeBox(Boxes* b, int i) {
    double h = (double)b->halfSides[i];
    sdVec3 p = b->positions[i];
    b->boxes[i] = sdWorldBox_Make(sdPos_Make((double)p.x - h, (double)p.y - h, (double)p.z - h),
                                  sdPos_Make((double)p.x + h, (double)p.y + h, (double)p.z + h));
}

static void destroyBoxes(Boxes* b) {
    sdBroadphase_Destroy(b->broadphase);
    free(b->positions);
    free(b->velocities);
    free(b->halfSides);
    free(b->boxes);
    free(b->ids);
}

/// @param stepWay m that a box goes in a step
static bool makeBoxes(Boxes* b, Lab* lab, const sdBroadphaseDef* def, int count, float stepWay) {
    size_t n = (size_t)count;
    *b = (Boxes){.lab = lab,
                 .random = LabRandom_Make(1),
                 .count = count,
                 .half = cbrtf((float)count),
                 .positions = malloc(n * sizeof(sdVec3)),
                 .velocities = malloc(n * sizeof(sdVec3)),
                 .halfSides = malloc(n * sizeof(float)),
                 .boxes = malloc(n * sizeof(sdWorldBox)),
                 .ids = malloc(n * sizeof(sdProxyId))};
    if (b->positions == NULL || b->velocities == NULL || b->halfSides == NULL || b->boxes == NULL ||
        b->ids == NULL) {
        Lab_Fail(lab, "no memory for boxes");
        return false;
    }
    bool isMade = Lab_Check(lab, sdBroadphase_Create(NULL, def, &b->broadphase), "a broad phase");
    for (int i = 0; i < count && isMade; ++i) {
        b->positions[i] = LabRandom_InBox(&b->random, b->half);
        b->velocities[i] = sdScale(stepWay, LabRandom_OnSphere(&b->random));
        b->halfSides[i] = LabRandom_Float(&b->random, 0.25f, 0.75f);
        writeBox(b, i);
        sdProxyDef proxy = sdProxyDef_Default();
        proxy.box = b->boxes[i];
        isMade = Lab_Check(lab, sdBroadphase_Add(b->broadphase, &proxy, &b->ids[i]), "a proxy");
    }
    return isMade && Lab_Check(lab, sdBroadphase_UpdatePairs(b->broadphase, NULL), "pairs");
}

static float bounced(float p, float v, float half) {
    return (p > half && v > 0.0f) || (p < -half && v < 0.0f) ? -v : v;
}

static void moveBoxes(Boxes* b) {
    for (int i = 0; i < b->count; ++i) {
        sdVec3 v = b->velocities[i], p = sdAdd(b->positions[i], v);
        b->positions[i] = p;
        b->velocities[i] = sdV3(bounced(p.x, v.x, b->half), bounced(p.y, v.y, b->half),
                                bounced(p.z, v.z, b->half));
        writeBox(b, i);
    }
}

/// One step. @return comparisons; `us` receives the time
static double updateBoxes(Boxes* b, double* us) {
    moveBoxes(b);
    double start = Lab_Now();
    bool isMade =
        Lab_Check(b->lab, sdBroadphase_MoveMany(b->broadphase, b->ids, b->boxes, b->count),
                  "moving boxes") &&
        Lab_Check(b->lab, sdBroadphase_UpdatePairs(b->broadphase, NULL), "pairs");
    *us = 1e6 * (Lab_Now() - start);
    return isMade ? (double)sdBroadphase_GetStats(b->broadphase).testCount : 0.0;
}

// ---- sweep and prune beside the others -----------------------------------------------------

#define KIND_COUNT 5
static const struct {
    const char* name;
    sdBroadphaseKind kind;
    int axisCount;
} kinds[KIND_COUNT] = {{"all pairs", SD_BROADPHASE_BRUTE, 1},
                       {"sweep, 1 axis", SD_BROADPHASE_SAP, 1},
                       {"sweep, 3 axes", SD_BROADPHASE_SAP, 3},
                       {"octree", SD_BROADPHASE_OCTREE, 1},
                       {"hierarchy", SD_BROADPHASE_TREE, 1}};
enum { ALL_PAIRS, SWEEP_1, SWEEP_3, OCTREE, HIERARCHY };

static sdBroadphaseDef defOf(int kind) {
    sdBroadphaseDef def = sdBroadphaseDef_Default();
    def.kind = kinds[kind].kind;
    def.sapAxisCount = kinds[kind].axisCount;
    def.margin = def.prediction = 0.0f; // each step looks for everything anew
    return def;
}

static void measureKinds(Lab* lab) {
    LabTable* t = Lab_AddTable(lab, "kinds", "A step in which every box moves by 1 cm");
    int n = LabTable_AddColumn(t, "boxes", ""), tests[KIND_COUNT], us[KIND_COUNT];
    int pairs = LabTable_AddColumn(t, "pairs", "");
    for (int k = 0; k < KIND_COUNT; ++k) {
        tests[k] = LabTable_AddColumn(t, Lab_Text(lab, "%s, comparisons", kinds[k].name), "");
        us[k] = LabTable_AddColumn(t, Lab_Text(lab, "%s, time", kinds[k].name), "µs");
    }
    int different = 0;
    for (int count = 100; count <= Lab_Choose(lab, 800, 6400, 25600) && Lab_GoesOn(lab);
         count *= 2) {
        LabTable_AddRow(t, NULL);
        LabTable_Put(t, n, count);
        int expected = -1;
        for (int k = 0; k < KIND_COUNT && Lab_GoesOn(lab); ++k) {
            if (k == ALL_PAIRS && count > 6400) {
                continue;
            }
            Boxes b;
            sdBroadphaseDef def = defOf(k);
            LabSample made = {0}, times = {0};
            if (makeBoxes(&b, lab, &def, count, 0.01f)) {
                for (int i = 0; i < Lab_Choose(lab, 2, 5, 20); ++i) {
                    double time;
                    LabSample_Add(&made, updateBoxes(&b, &time));
                    LabSample_Add(&times, time);
                }
                int found = sdBroadphase_GetPairCount(b.broadphase);
                different += expected >= 0 && found != expected ? 1 : 0;
                expected = found;
                LabTable_Put(t, pairs, found);
            }
            destroyBoxes(&b);
            LabTable_PutSample(t, tests[k], &made);
            LabTable_PutSample(t, us[k], &times);
        }
    }
    LabPlot counts = {.name = "comparisons",
                      .title = "Comparisons by kind of broad phase",
                      .text = "The same density for every number of boxes.",
                      .x = {"boxes", "", .isLog = true},
                      .y = {"comparisons a step", "", .isLog = true}};
    LabPlot times = {.name = "time",
                     .title = "Time of a step",
                     .text = "Every box moves, and every pair is looked for anew; one thread.",
                     .x = {"boxes", "", .isLog = true},
                     .y = {"time of a step", "µs", .isLog = true}};
    for (int k = 0; k < KIND_COUNT; ++k) {
        counts.series[k] = (LabSeries){t, n, tests[k], kinds[k].name};
        times.series[k] = (LabSeries){t, n, us[k], kinds[k].name};
    }
    Lab_AddPlot(lab, counts);
    Lab_AddPlot(lab, times);
    double p[KIND_COUNT];
    for (int k = 0; k < KIND_COUNT; ++k) {
        p[k] = LabTable_FitExponent(t, n, tests[k]);
    }
    Lab_AddFinding(
        lab,
        (LabFinding){.claim = "Partitions of space spare most of the n² tests.",
                     .document = "§5.3",
                     .ours = Lab_Text(lab,
                                      "comparisons grow with exponent %.2f (all pairs), %.2f "
                                      "(sweep), %.2f (octree), %.2f (hierarchy); pairs "
                                      "differ in %d rows",
                                      p[ALL_PAIRS], p[SWEEP_1], p[OCTREE], p[HIERARCHY], different),
                     .agrees = p[ALL_PAIRS] > 1.95 && p[HIERARCHY] < 1.4 && p[OCTREE] < 1.4 &&
                               different == 0,
                     .why = "At equal density each box has the same number of neighbours."});
    Lab_AddFinding(
        lab,
        (LabFinding){.claim = "Sweep and prune takes O(n log n + k).",
                     .document = "§5.3.1",
                     .ours = Lab_Text(lab, "its comparisons grow with exponent %.2f", p[SWEEP_1]),
                     .agrees = p[SWEEP_1]<1.25, .isExplained = p[SWEEP_1]> 1.5 && p[SWEEP_1] < 1.8,
                     .why = "k is the number of overlaps on the axis, not of boxes. In space "
                            "a slab as thick as a box holds n^(2/3) of them, so the sweep "
                            "compares n^(5/3): the claim is right on a line only."});
}

// ---- sorting what is nearly sorted ---------------------------------------------------------

typedef struct Counted {
    double* data;
    double comparisons;
} Counted;

static void insertionSort(Counted* c, int count) {
    for (int i = 1; i < count; ++i) {
        double x = c->data[i];
        int j = i;
        for (c->comparisons += 1.0; j > 0 && c->data[j - 1] > x; --j, c->comparisons += 1.0) {
            c->data[j] = c->data[j - 1];
        }
        c->data[j] = x;
    }
}

/// As it is first taught, with the first for a pivot, or with the middle one.
static void quickSort(Counted* c, int from, int to, bool isMiddle) {
    while (to - from > 1) {
        double pivot = c->data[isMiddle ? from + (to - from - 1) / 2 : from];
        int i = from - 1, j = to;
        for (;;) {
            do {
                ++i;
                c->comparisons += 1.0;
            } while (c->data[i] < pivot);
            do {
                --j;
                c->comparisons += 1.0;
            } while (c->data[j] > pivot);
            if (i >= j) {
                break;
            }
            double t = c->data[i];
            c->data[i] = c->data[j];
            c->data[j] = t;
        }
        // the smaller part by a call, so that few are open at once
        if (j + 1 - from < to - j - 1) {
            quickSort(c, from, j + 1, isMiddle);
            from = j + 1;
        } else {
            quickSort(c, j + 1, to, isMiddle);
            to = j + 1;
        }
    }
}

static int compareDoubles(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

#define SORT_COUNT 3
static const char* const sortNames[SORT_COUNT] = {"insertion sort", "quicksort, first as pivot",
                                                  "quicksort, middle as pivot"};

static void measureSorting(Lab* lab) {
    int count = Lab_Choose(lab, 500, 2000, 5000);
    LabTable* t = Lab_AddTable(lab, "sorting",
                               Lab_Text(lab, "%d ends of intervals, sorted a step ago", count));
    int way = LabTable_AddColumn(t, "way of a box in a step", "m"), made[SORT_COUNT];
    for (int k = 0; k < SORT_COUNT; ++k) {
        made[k] = LabTable_AddColumn(t, sortNames[k], "comparisons an end");
    }
    double* sorted = malloc((size_t)count * sizeof *sorted);
    double* work = malloc((size_t)count * sizeof *work);
    if (sorted == NULL || work == NULL) {
        Lab_Fail(lab, "no memory for ends");
    }
    double half = cbrt(count / 2.0);
    for (double step = 1e-4; step < 3.0 && Lab_GoesOn(lab); step *= 10.0) {
        LabTable_AddRow(t, NULL);
        LabTable_Put(t, way, step);
        for (int k = 0; k < SORT_COUNT; ++k) {
            LabSample sample = {0};
            for (int seed = 1; seed <= 3; ++seed) {
                LabRandom random = LabRandom_Make((uint64_t)seed);
                for (int i = 0; i < count; ++i) {
                    sorted[i] = (double)LabRandom_Float(&random, (float)-half, (float)half);
                }
                qsort(sorted, (size_t)count, sizeof *sorted, compareDoubles);
                for (int i = 0; i < count; ++i) {
                    work[i] = sorted[i] + step * (double)LabRandom_Float(&random, -1.0f, 1.0f);
                }
                Counted c = {work, 0.0};
                if (k == 0) {
                    insertionSort(&c, count);
                } else {
                    quickSort(&c, 0, count, k == 2);
                }
                LabSample_Add(&sample, c.comparisons / count);
            }
            LabTable_PutSample(t, made[k], &sample);
        }
    }
    free(sorted);
    free(work);
    LabPlot plot = {.name = "sorting",
                    .title = "Sorting ends that were sorted a step ago",
                    .text = "The less boxes move, the less insertion sort has to do.",
                    .x = {"way of a box in a step", "m", .isLog = true},
                    .y = {"comparisons an end", "", .isLog = true}};
    for (int k = 0; k < SORT_COUNT; ++k) {
        plot.series[k] = (LabSeries){t, way, made[k], sortNames[k]};
    }
    Lab_AddPlot(lab, plot);
    double insertion = LabTable_Get(t, 0, made[0]), first = LabTable_Get(t, 0, made[1]);
    double middle = LabTable_Get(t, 0, made[2]);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "Insertion sort is quick on lists that are nearly sorted.",
                          .document = "§5.3.1",
                          .ours = Lab_Text(lab, "%.2f comparisons an end when boxes move by 0.1 mm",
                                           insertion),
                          .agrees = insertion < 2.0,
                          .why = "Each end is compared with the one before it, and stays."});
    Lab_AddFinding(
        lab,
        (LabFinding){.claim = "So is quicksort.",
                     .document = "§5.3.1 names both as examples",
                     .ours = Lab_Text(lab,
                                      "%.0f comparisons an end with the first as pivot, %.1f "
                                      "with the middle one",
                                      first, middle),
                     .agrees = first < 2.0 * insertion &&
                               middle<2.0 * insertion, .isExplained = first> 20.0 * insertion &&
                               middle > 4.0 * insertion,
                     .why = "It does not use the order that is there: n log n at best, and n² "
                            "when the pivot is the first of a sorted list."});
}

static void runSweep(Lab* lab) {
    Lab_AddSetting(lab, "boxes", "0.5 to 1.5 m wide, one in 8 m³");
    measureKinds(lab);
    measureSorting(lab);
}

const LabExperiment labSweep = {
    .name = "sweep",
    .title = "Sweep and prune beside hierarchies",
    .source = "S3 §5.3.1, §5.3.2",
    .question = "How does the work of finding near pairs grow, by broad phase, and which sort "
                "suits a sweep?",
    .setup = "Boxes at equal density, each moved by 1 cm a step, without margins, so that every "
             "pair is looked for in every step. Comparisons of boxes are counted. Then the ends "
             "of intervals on one axis are moved and sorted again, and comparisons of that "
             "counted.",
    .document = "Sweep and prune is O(n log n + k): lists stay nearly sorted from step to step, so "
                "that insertion sort and quicksort suit it. A hierarchy needs O(log n) tests a "
                "body.",
    .run = runSweep,
};
