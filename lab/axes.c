// SPDX-License-Identifier: MIT
// axes.c - experiment: two boxes by 15 axes (S4): which of them separate, in which order to ask,
// what a test of spheres saves, and the readable form beside the expanded one.

#include "experiments.h"

#include <math.h>

#define AXIS_COUNT 15
#define FACE_AXES 6
#define FACE_SET ((1u << FACE_AXES) - 1u)
#define SEED 4

/// Cross products shorter than this are of parallel edges.
#define PARALLEL 1e-4f
/// Pairs whose gap is smaller are left out where answers are compared: they touch but for rounding.
#define ROUNDING 1e-5f

static const char* const axisNames[AXIS_COUNT] = {"Ax",    "Ay",    "Az",    "Bx",    "By",
                                                  "Bz",    "Ax×Bx", "Ax×By", "Ax×Bz", "Ay×Bx",
                                                  "Ay×By", "Ay×Bz", "Az×Bx", "Az×By", "Az×Bz"};

typedef struct Pair {
    sdBox a, b;
    sdTransform xfAB;
} Pair;

/// Where pairs come from.
typedef enum Source { ANYWHERE, NEAR, SOURCE_COUNT } Source;

static const char* const sourceNames[SOURCE_COUNT] = {"anywhere", "boxes of the broad phase meet"};

// ---- pairs ---------------------------------------------------------------------------------

/// Axis-aligned boxes in a world in which A is turned.
static bool doBoundsMeet(const Pair* pair, sdQuat turn) {
    sdAABB a = {sdNeg(pair->a.halfExtents), pair->a.halfExtents};
    sdAABB b = {sdNeg(pair->b.halfExtents), pair->b.halfExtents};
    sdTransform xfWA = sdTransform_Make(sdV3(0.0f, 0.0f, 0.0f), turn);
    sdTransform xfWB = sdTransform_Make(sdRotate(turn, pair->xfAB.p), sdMulQ(turn, pair->xfAB.q));
    return sdAABB_Overlaps(sdAABB_Transform(xfWA, a), sdAABB_Transform(xfWB, b));
}

static Pair makePair(LabRandom* random, Source source) {
    Pair pair = {0};
    for (;;) {
        sdVec3* halves[2] = {&pair.a.halfExtents, &pair.b.halfExtents};
        for (int i = 0; i < 2; ++i) {
            halves[i]->x = LabRandom_Float(random, 0.2f, 1.0f);
            halves[i]->y = LabRandom_Float(random, 0.2f, 1.0f);
            halves[i]->z = LabRandom_Float(random, 0.2f, 1.0f);
        }
        pair.xfAB.q = LabRandom_Rotation(random);
        pair.xfAB.p = LabRandom_InBox(random, 3.0f);
        if (source == ANYWHERE || doBoundsMeet(&pair, LabRandom_Rotation(random))) {
            return pair;
        }
    }
}

/// The document's readable form: project both boxes onto each axis.
/// @param gaps receives the gap on each, on the unit axis; -FLT_MAX for parallel edges
static void findGaps(const Pair* pair, float gaps[AXIS_COUNT]) {
    sdVec3 a[3] = {sdV3(1.0f, 0.0f, 0.0f), sdV3(0.0f, 1.0f, 0.0f), sdV3(0.0f, 0.0f, 1.0f)}, b[3];
    for (int i = 0; i < 3; ++i) {
        b[i] = sdRotate(pair->xfAB.q, a[i]);
    }
    sdVec3 ha = pair->a.halfExtents, hb = pair->b.halfExtents;
    for (int k = 0; k < AXIS_COUNT; ++k) {
        sdVec3 n = k < 3           ? a[k]
                   : k < FACE_AXES ? b[k - 3]
                                   : sdCross(a[(k - FACE_AXES) / 3], b[(k - FACE_AXES) % 3]);
        float length = sdLength(n);
        if (length < PARALLEL) {
            gaps[k] = -FLT_MAX;
            continue;
        }
        float reach = ha.x * fabsf(sdDot(n, a[0])) + ha.y * fabsf(sdDot(n, a[1])) +
                      ha.z * fabsf(sdDot(n, a[2])) + hb.x * fabsf(sdDot(n, b[0])) +
                      hb.y * fabsf(sdDot(n, b[1])) + hb.z * fabsf(sdDot(n, b[2]));
        gaps[k] = (fabsf(sdDot(n, pair->xfAB.p)) - reach) / length;
    }
}

static bool areSpheresApart(const Pair* pair) {
    float reach = sdLength(pair->a.halfExtents) + sdLength(pair->b.halfExtents);
    return sdLengthSquared(pair->xfAB.p) > reach * reach;
}

// ---- which axes separate -------------------------------------------------------------------

typedef struct Census {
    int pairCount, apartCount, sphereCount; ///< sphereCount: apart by their spheres already
    int byFace, byEdge;                     ///< apart by some normal, by some pair of edges
    int separates[AXIS_COUNT], alone[AXIS_COUNT];
    int sets[1 << AXIS_COUNT]; ///< pairs by the set of axes that separate them
    int wrongCount;            ///< pairs on which the library's two forms and ours do not agree
} Census;

/// The set of axes that separate a pair, a bit each.
static unsigned findSet(const Pair* pair, float* most) {
    float gaps[AXIS_COUNT];
    unsigned set = 0;
    findGaps(pair, gaps);
    *most = -FLT_MAX;
    for (int k = 0; k < AXIS_COUNT; ++k) {
        *most = gaps[k] > *most ? gaps[k] : *most;
        set |= gaps[k] > 0.0f ? 1u << k : 0u;
    }
    return set;
}

static void takeCensus(Lab* lab, Source source, int count, Census* c) {
    *c = (Census){.pairCount = count};
    LabRandom random = LabRandom_Make(SEED + (uint64_t)source);
    for (int i = 0; i < count && Lab_GoesOn(lab); ++i) {
        Pair pair = makePair(&random, source);
        float most;
        unsigned set = findSet(&pair, &most);
        ++c->sets[set];
        for (int k = 0; k < AXIS_COUNT; ++k) {
            c->separates[k] += (set >> k & 1u) != 0;
            c->alone[k] += set == 1u << k;
        }
        c->apartCount += set != 0;
        c->byFace += (set & FACE_SET) != 0;
        c->byEdge += (set & ~FACE_SET) != 0;
        c->sphereCount += areSpheresApart(&pair);
        if (fabsf(most) > ROUNDING) {
            sdSatResult readable = sdSatBox_Readable(pair.a, pair.b, pair.xfAB);
            sdSatResult expanded = sdSatBox_Expanded(pair.a, pair.b, pair.xfAB, NULL);
            c->wrongCount += (readable.separation > 0.0f) != (most > 0.0f) ||
                             (expanded.separation > 0.0f) != (most > 0.0f);
        }
    }
}

static void reportAxes(Lab* lab, const Census census[SOURCE_COUNT]) {
    LabTable* t = Lab_AddTable(lab, "axes", "How often each axis separates pairs that are apart");
    int share[SOURCE_COUNT], alone[SOURCE_COUNT];
    for (int s = 0; s < SOURCE_COUNT; ++s) {
        share[s] = LabTable_AddColumn(t, Lab_Text(lab, "separates; %s", sourceNames[s]), "%");
        alone[s] = LabTable_AddColumn(t, Lab_Text(lab, "is the only one; %s", sourceNames[s]), "%");
    }
    for (int k = 0; k < AXIS_COUNT; ++k) {
        LabTable_AddRow(t, axisNames[k]);
        for (int s = 0; s < SOURCE_COUNT; ++s) {
            double percent = 100.0 / census[s].apartCount;
            LabTable_Put(t, share[s], percent * census[s].separates[k]);
            LabTable_Put(t, alone[s], percent * census[s].alone[k]);
        }
    }
    LabPlot plot = {.name = "axes",
                    .title = "Which axes separate boxes that are apart",
                    .text = "All 15 separate about as often; the first six are normals.",
                    .x = {"axis", ""},
                    .y = {"pairs that it separates", "%"},
                    .series = {{t, 0, share[ANYWHERE], sourceNames[ANYWHERE], LAB_BARS},
                               {t, 0, share[NEAR], sourceNames[NEAR], LAB_BARS}}};
    Lab_AddPlot(lab, plot);
    plot.name = "alone";
    plot.title = "Which axes are the only one that separates";
    plot.text = "Without such an axis these pairs would be taken for overlapping.";
    plot.y = (LabAxis){"pairs that no other axis separates", "%"};
    plot.series[0].y = alone[ANYWHERE];
    plot.series[1].y = alone[NEAR];
    Lab_AddPlot(lab, plot);
}

// ---- orders --------------------------------------------------------------------------------

#define ORDER_COUNT 5
static const char* const orderNames[ORDER_COUNT] = {"most of what is left first",
                                                    "document's 1 to 15", "most frequent first",
                                                    "document's 15 to 1", "least frequent first"};

/// Each time the axis that separates most of the pairs that those before it do not.
static void makeGreedyOrder(const Census* census, int order[AXIS_COUNT]) {
    unsigned asked = 0;
    for (int place = 0; place < AXIS_COUNT; ++place) {
        int counts[AXIS_COUNT] = {0}, best = 0;
        for (unsigned set = 1; set < 1u << AXIS_COUNT; ++set) {
            for (int k = 0; k < AXIS_COUNT && (set & asked) == 0; ++k) {
                counts[k] += (set >> k & 1u) != 0 ? census->sets[set] : 0;
            }
        }
        while ((asked >> best & 1u) != 0) {
            ++best;
        }
        for (int k = 0; k < AXIS_COUNT; ++k) {
            best = (asked >> k & 1u) == 0 && counts[k] > counts[best] ? k : best;
        }
        order[place] = best;
        asked |= 1u << best;
    }
}

static void makeOrders(const Census* census, int orders[ORDER_COUNT][AXIS_COUNT]) {
    makeGreedyOrder(census, orders[0]);
    for (int k = 0; k < AXIS_COUNT; ++k) {
        int rank = 0;
        for (int j = 0; j < AXIS_COUNT; ++j) {
            int own = census->separates[k], other = census->separates[j];
            rank += other > own || (other == own && j < k);
        }
        orders[1][k] = k;
        orders[2][rank] = k;
        orders[3][AXIS_COUNT - 1 - k] = k;
        orders[4][AXIS_COUNT - 1 - rank] = k;
    }
}

/// Axes asked until one separates, over pairs that are apart, without and with spheres first.
typedef struct Asked {
    LabSample plain, spheres;
} Asked;

#define BATCH_COUNT 5

static void askInOrders(Lab* lab, Source source, int count, const Census* census,
                        Asked asked[ORDER_COUNT]) {
    int orders[ORDER_COUNT][AXIS_COUNT];
    makeOrders(census, orders);
    // other pairs than those that the order was made from
    LabRandom random = LabRandom_Make(SEED + 100 + (uint64_t)source);
    for (int batch = 0; batch < BATCH_COUNT && Lab_GoesOn(lab); ++batch) {
        double plain[ORDER_COUNT] = {0.0}, spheres[ORDER_COUNT] = {0.0};
        int apartCount = 0;
        for (int i = 0; i < count / BATCH_COUNT; ++i) {
            Pair pair = makePair(&random, source);
            float most;
            unsigned set = findSet(&pair, &most);
            apartCount += set != 0;
            for (int o = 0; o < ORDER_COUNT && set != 0; ++o) {
                int tests = 1;
                while ((set >> orders[o][tests - 1] & 1u) == 0) {
                    ++tests;
                }
                plain[o] += tests;
                spheres[o] += areSpheresApart(&pair) ? 0 : tests;
            }
        }
        for (int o = 0; o < ORDER_COUNT; ++o) {
            LabSample_Add(&asked[o].plain, plain[o] / apartCount);
            LabSample_Add(&asked[o].spheres, spheres[o] / apartCount);
        }
    }
}

static void reportOrders(Lab* lab, Asked asked[SOURCE_COUNT][ORDER_COUNT]) {
    LabTable* t = Lab_AddTable(lab, "orders", "Axes asked until one separates");
    int column[SOURCE_COUNT][2];
    for (int s = 0; s < SOURCE_COUNT; ++s) {
        column[s][0] = LabTable_AddColumn(t, sourceNames[s], "axes");
        column[s][1] =
            LabTable_AddColumn(t, Lab_Text(lab, "%s; spheres first", sourceNames[s]), "axes");
    }
    for (int o = 0; o < ORDER_COUNT; ++o) {
        LabTable_AddRow(t, orderNames[o]);
        for (int s = 0; s < SOURCE_COUNT; ++s) {
            LabTable_PutSample(t, column[s][0], &asked[s][o].plain);
            LabTable_PutSample(t, column[s][1], &asked[s][o].spheres);
        }
    }
    Lab_AddPlot(
        lab, (LabPlot){.name = "orders",
                       .title = "Axes asked until one separates",
                       .text = "Pairs that are apart; mean and spread over five samples.",
                       .x = {"order in which axes are asked", ""},
                       .y = {"axes asked of a pair", ""},
                       .series = {{t, 0, column[0][0], "anywhere", LAB_BARS},
                                  {t, 0, column[0][1], "anywhere, spheres first", LAB_BARS},
                                  {t, 0, column[1][0], "broad phase", LAB_BARS},
                                  {t, 0, column[1][1], "broad phase, spheres first", LAB_BARS}}});
}

// ---- forms ---------------------------------------------------------------------------------

/// B flies past A in small steps and turns: the axis of the step before is asked first.
static void flyPast(Lab* lab, int count, double* cold, double* warm) {
    LabRandom random = LabRandom_Make(SEED + 200);
    int64_t asked[2] = {0}, steps = 0;
    for (int i = 0; i < count && Lab_GoesOn(lab); ++i) {
        Pair pair = makePair(&random, NEAR);
        sdVec3 move = sdScale(0.02f, LabRandom_OnSphere(&random));
        sdQuat turn = sdQuat_FromRotationVector(sdScale(0.02f, LabRandom_OnSphere(&random)));
        sdPairCache cache = {0};
        for (int step = 0; step < 50; ++step) {
            sdSatResult from = sdSatBox_Expanded(pair.a, pair.b, pair.xfAB, NULL);
            sdSatResult again = sdSatBox_Expanded(pair.a, pair.b, pair.xfAB, &cache);
            // what the spheres decide asks no axis
            if (from.separation > 0.0f && from.axisCount > 0 && step > 0) {
                asked[0] += from.axisCount;
                asked[1] += again.axisCount;
                ++steps;
            }
            pair.xfAB.p = sdAdd(pair.xfAB.p, move);
            pair.xfAB.q = sdNormalizeQ(sdMulQ(turn, pair.xfAB.q));
        }
    }
    *cold = (double)asked[0] / (double)steps;
    *warm = (double)asked[1] / (double)steps;
}

#define TIMED_PAIRS 2000

/// ns a pair, of pairs that are apart or that overlap.
static void timeForms(Lab* lab, LabTable* t, int readable, int expanded, bool isApart) {
    static Pair pairs[TIMED_PAIRS];
    LabRandom random = LabRandom_Make(SEED + 300);
    for (int i = 0; i < TIMED_PAIRS;) {
        pairs[i] = makePair(&random, NEAR);
        i +=
            (sdSatBox_Readable(pairs[i].a, pairs[i].b, pairs[i].xfAB).separation > 0.0f) == isApart;
    }
    LabSample times[2] = {0};
    for (int repeat = 0; repeat < Lab_Choose(lab, 1, 10, 20); ++repeat) {
        for (int form = 0; form < 2; ++form) {
            double start = Lab_Now();
            for (int round = 0; round < Lab_Choose(lab, 1, 10, 50); ++round) {
                for (int i = 0; i < TIMED_PAIRS; ++i) {
                    sdSatResult r =
                        form == 0 ? sdSatBox_Readable(pairs[i].a, pairs[i].b, pairs[i].xfAB)
                                  : sdSatBox_Expanded(pairs[i].a, pairs[i].b, pairs[i].xfAB, NULL);
                    Lab_Use(&r);
                }
            }
            double seconds = Lab_Now() - start;
            LabSample_Add(&times[form], 1e9 * seconds / TIMED_PAIRS / Lab_Choose(lab, 1, 10, 50));
        }
    }
    LabTable_AddRow(t, isApart ? "apart" : "overlapping");
    LabTable_PutSample(t, readable, &times[0]);
    LabTable_PutSample(t, expanded, &times[1]);
}

static void reportForms(Lab* lab) {
    LabTable* t = Lab_AddTable(lab, "forms", "Time of a pair whose boxes of the broad phase meet");
    int readable = LabTable_AddColumn(t, "readable", "ns");
    int expanded = LabTable_AddColumn(t, "expanded", "ns");
    timeForms(lab, t, readable, expanded, true);
    timeForms(lab, t, readable, expanded, false);
    Lab_AddPlot(lab, (LabPlot){.name = "forms",
                               .title = "The readable and the expanded form",
                               .text = "Processor time of one pair, mean and spread over repeats.",
                               .x = {"boxes", ""},
                               .y = {"time of a pair", "ns"},
                               .series = {{t, 0, readable, "readable", LAB_BARS},
                                          {t, 0, expanded, "expanded", LAB_BARS}}});
    double apart = LabTable_Get(t, 0, readable) / LabTable_Get(t, 0, expanded);
    double deep = LabTable_Get(t, 1, readable) / LabTable_Get(t, 1, expanded);
    Lab_AddFinding(
        lab,
        (LabFinding){
            .claim = "In A's frame, with the 15 cases written out, the test is faster.",
            .document = "\"pozwala na uniknięcie wielu niepotrzebnych obliczeń\"; no numbers",
            .ours = Lab_Text(lab, "%.1f times as fast apart, %.1f times overlapping", apart, deep),
            .agrees = apart > 1.0 && deep > 1.0,
            .why = "Products with the axes of A vanish, the lengths of cross products are not "
                   "needed, and it stops at the first group that separates.",
            .isTimed = true});
}

// ---- findings ------------------------------------------------------------------------------

static void findAxes(Lab* lab, const Census census[SOURCE_COUNT]) {
    const Census* near = &census[NEAR];
    double byFace = 100.0 * near->byFace / near->apartCount;
    double byEdge = 100.0 * near->byEdge / near->apartCount;
    Lab_AddFinding(
        lab, (LabFinding){.claim = "Two boxes need 15 axes: six normals and nine pairs of edges.",
                          .document = "15 axes, from the two kinds of collision",
                          .ours = Lab_Text(lab,
                                           "without pairs of edges %.1f %% of the near pairs "
                                           "that are apart would be taken for overlapping; "
                                           "without normals %.1f %%",
                                           100.0 - byFace, 100.0 - byEdge),
                          .agrees = byFace < 100.0 && byEdge < 100.0,
                          .why = "Edges that cross at a distance show it only on the axis across "
                                 "both."});
    Lab_AddFinding(
        lab, (LabFinding){
                 .claim = "Six normals do as much as nine pairs of edges.",
                 .document = "normals are axes 1 to 6; no numbers",
                 .ours = Lab_Text(lab,
                                  "near pairs: the six normals separate %.1f %% of "
                                  "those that are apart, the nine pairs of edges "
                                  "%.1f %%",
                                  byFace, byEdge),
                 .agrees = fabs(byFace - byEdge) < 5.0 && byFace > 80.0,
                 .why = "A box reaches least along its own normals, but there are fewer of them."});
    Lab_AddFinding(lab,
                   (LabFinding){.claim = "Both forms decide alike.",
                                .document = "derived from each other",
                                .ours = Lab_Text(lab,
                                                 "%d of %d pairs on which they and a third, in "
                                                 "floats, differ",
                                                 near->wrongCount + census[ANYWHERE].wrongCount,
                                                 near->pairCount + census[ANYWHERE].pairCount),
                                .agrees = near->wrongCount + census[ANYWHERE].wrongCount == 0,
                                .why = "They are the same sums, written out or not."});
}

static void findOrders(Lab* lab, const Census census[SOURCE_COUNT],
                       Asked asked[SOURCE_COUNT][ORDER_COUNT]) {
    double best = asked[NEAR][0].plain.mean, usual = asked[NEAR][1].plain.mean;
    double frequent = asked[NEAR][2].plain.mean, back = asked[NEAR][3].plain.mean;
    Lab_AddFinding(
        lab, (LabFinding){.claim = "Axes should be asked in the order of their probability.",
                          .document = "\"kolejność testów: prawdopodobieństwo spełnienia\"; no "
                                      "numbers",
                          .ours = Lab_Text(lab,
                                           "near pairs ask %.2f axes by the share of what is "
                                           "left, %.2f from 1 to 15, %.2f from 15 to 1, %.2f "
                                           "by frequency alone",
                                           best, usual, back, frequent),
                          .agrees = best <= usual + 0.02 && usual < back && best < frequent,
                          .why = "It is the probability among pairs that no axis has separated "
                                 "yet. Axes that separate often mostly separate the same pairs; "
                                 "normals first is close to the best."});
    const Census* any = &census[ANYWHERE];
    double by = 100.0 * any->sphereCount / any->apartCount;
    double plain = asked[ANYWHERE][1].plain.mean, spheres = asked[ANYWHERE][1].spheres.mean;
    double nearBy = 100.0 * census[NEAR].sphereCount / census[NEAR].apartCount;
    Lab_AddFinding(
        lab, (LabFinding){.claim = "A test of spheres before saves axes.",
                          .document = "\"zazwyczaj poprzedzone testem BS\"; no numbers",
                          .ours = Lab_Text(lab,
                                           "anywhere: spheres decide %.0f %% of pairs that "
                                           "are apart, %.2f axes become %.2f; after a broad "
                                           "phase %.1f %%",
                                           by, plain, spheres, nearBy),
                          .agrees = spheres < 0.8 * plain && nearBy < by,
                          .why = "It pays where nothing else has looked before. Pairs of a broad "
                                 "phase are mostly nearer than their spheres."});
    double cold, warm;
    flyPast(lab, Lab_Choose(lab, 200, 2000, 20000), &cold, &warm);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "The axis of the step before is the best first guess.",
                          .document = "not in the document",
                          .ours = Lab_Text(lab,
                                           "%.2f axes a step with it, %.2f from nothing, B "
                                           "flying past A",
                                           warm, cold),
                          .agrees = warm < 0.5 * cold,
                          .why = "What separated still does while the boxes move little. (The "
                                 "library's form asks axes in groups of 3, 3 and 9.)"});
}

static void run(Lab* lab) {
    int count = Lab_Choose(lab, 4000, 200000, 2000000);
    Lab_AddSetting(lab, "pairs", "%d of each kind", count);
    Lab_AddSetting(lab, "half sides", "0.2 to 1 m");
    Census census[SOURCE_COUNT];
    Asked asked[SOURCE_COUNT][ORDER_COUNT] = {0};
    for (int s = 0; s < SOURCE_COUNT && Lab_GoesOn(lab); ++s) {
        takeCensus(lab, (Source)s, count, &census[s]);
        askInOrders(lab, (Source)s, count, &census[s], asked[s]);
    }
    if (!Lab_GoesOn(lab)) {
        return;
    }
    findAxes(lab, census);
    findOrders(lab, census, asked);
    reportAxes(lab, census);
    reportOrders(lab, asked);
    reportForms(lab);
}

const LabExperiment labAxes = {
    .name = "axes",
    .title = "Two boxes by 15 axes",
    .source = "S4, OBB",
    .question = "How often does each of the 15 axes separate two boxes, in which order should they "
                "be asked, and what do the test of spheres and the expanded form save?",
    .setup = "Pairs of random boxes, turned any way. In one sample the second stands anywhere in a "
             "cube of 6 m about the first; in the other the pair has passed a broad phase: their "
             "axis-aligned boxes meet. All 15 gaps are found by projection, as in the document's "
             "readable form; orders are tried on other pairs than those they were made from.",
    .document =
        "A readable test loops over 15 axes and projects both boxes. It can be made faster "
        "in A's frame with the 15 cases written out, with a test of bounding spheres before "
        "it, and by asking axes in the order of their probability. The slides give no "
        "numbers.",
    .run = run,
};
