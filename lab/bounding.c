// SPDX-License-Identifier: MIT
// bounding.c - experiment: how tight bounding volumes are, and what they cost (S3 §5.2; S0 §6.1,
// S1 §3.1).

#include "experiments.h"

#include <math.h>
#include <stdlib.h>

typedef enum VolumeKind {
    BALL_BOX,
    BALL_CENTROID,
    BALL_SMALLEST,
    AABB,
    OBB_COVARIANCE,
    OBB_SMALLEST,
    DOP_14,
    DOP_18,
    DOP_26,
    HULL,
    KIND_COUNT
} VolumeKind;

static const char* const kindNames[KIND_COUNT] = {
    "ball of the box", "ball of the mean", "smallest ball", "AABB",   "OBB by covariance",
    "smallest OBB",    "14-DOP",           "18-DOP",        "26-DOP", "hull"};

typedef struct Volume {
    VolumeKind kind;
    sdBall ball;
    sdAABB box;
    sdOBB obb;
    sdKdop kdop;
    sdHull* hull;
} Volume;

static sdKdopKind kdopOf(VolumeKind kind) {
    return kind == DOP_14 ? SD_KDOP_14 : kind == DOP_18 ? SD_KDOP_18 : SD_KDOP_26;
}

static sdResult fit(VolumeKind kind, const sdVec3* points, int count, Volume* out) {
    *out = (Volume){.kind = kind};
    switch (kind) {
        case BALL_BOX:
            return sdBall_FitBox(points, count, &out->ball);
        case BALL_CENTROID:
            return sdBall_FitCentroid(points, count, &out->ball);
        case BALL_SMALLEST:
            return sdBall_FitSmallest(NULL, points, count, &out->ball);
        case AABB:
            return sdAABB_Fit(points, count, &out->box);
        case OBB_COVARIANCE:
            return sdOBB_FitCovariance(NULL, points, count, &out->obb);
        case OBB_SMALLEST:
            return sdOBB_FitSmallest(NULL, points, count, &out->obb);
        case HULL: {
            sdHullDef def = sdHullDef_Default();
            def.points = points;
            def.pointCount = count;
            return sdHull_Create(NULL, &def, &out->hull);
        }
        default:
            return sdKdop_Fit(kdopOf(kind), points, count, &out->kdop);
    }
}

static double volumeOf(const Volume* v) {
    sdMassProps mass;
    switch (v->kind) {
        case BALL_BOX:
        case BALL_CENTROID:
        case BALL_SMALLEST:
            return (double)sdBall_Volume(v->ball);
        case AABB:
            return (double)sdAABB_Volume(v->box);
        case OBB_COVARIANCE:
        case OBB_SMALLEST:
            return (double)sdOBB_Volume(&v->obb);
        case HULL:
            sdHull_GetMass(v->hull, 1.0f, &mass);
            return (double)mass.mass;
        default:
            return (double)sdKdop_Volume(&v->kdop);
    }
}

static bool overlaps(const Volume* a, const Volume* b) {
    switch (a->kind) {
        case BALL_BOX:
        case BALL_CENTROID:
        case BALL_SMALLEST:
            return sdBall_Overlaps(a->ball, b->ball);
        case AABB:
            return sdAABB_Overlaps(a->box, b->box);
        case OBB_COVARIANCE:
        case OBB_SMALLEST:
            return sdOBB_Overlaps(&a->obb, &b->obb);
        case HULL: {
            sdShape x = sdShape_Hull(a->hull), y = sdShape_Hull(b->hull);
            return sdGjk_Overlap(&x, &y, sdTransform_Identity(), NULL).isOverlapping;
        }
        default:
            return sdKdop_Overlaps(&a->kdop, &b->kdop);
    }
}

// ---- bodies --------------------------------------------------------------------------------

#define MAX_POINTS 2000
#define PAIR_COUNT 64

typedef struct Work {
    sdVec3 points[MAX_POINTS];
    int count;
    Volume first[PAIR_COUNT], second[PAIR_COUNT];
    bool isTouching[PAIR_COUNT]; ///< the bodies themselves
} Work;

/// What is measured of a kind over all models.
typedef struct Score {
    LabSample tightness, fitUs, testNs;
    int saidCount; ///< pairs whose volumes overlap though the bodies do not
    int apartCount;
    int missedCount; ///< pairs that touch and whose volumes do not: must be none
} Score;

static void placePoints(Work* work, const sdMesh* mesh, sdTransform xf) {
    sdMeshData data = sdMesh_GetData(mesh);
    work->count = sdMinI(data.vertexCount, MAX_POINTS);
    for (int i = 0; i < work->count; ++i) {
        work->points[i] = sdTransformPoint(xf, data.vertices[i]);
    }
}

static bool fitTimed(Lab* lab, Work* work, VolumeKind kind, Volume* out, Score* score) {
    double start = Lab_Now();
    sdResult result = fit(kind, work->points, work->count, out);
    LabSample_Add(&score->fitUs, 1e6 * (Lab_Now() - start));
    return Lab_Check(lab, result, kindNames[kind]);
}

/// Two copies of a body so near that they may touch.
static sdTransform drawPlace(LabRandom* random, float reach) {
    sdVec3 p = sdScale(LabRandom_Float(random, 0.3f, 1.1f) * reach, LabRandom_OnSphere(random));
    return sdTransform_Make(p, LabRandom_Rotation(random));
}

/// @param columns tightness of each kind
static void measureModel(Lab* lab, Work* work, sdModelKind model, int pairs, Score* scores,
                         double* tightness) {
    sdMesh* mesh = NULL;
    sdMassProps mass = {.mass = 1.0f};
    if (!Lab_Check(lab, sdModel_Create(NULL, model, 1.0f, &mesh), "a model") ||
        !Lab_Check(lab, sdMesh_GetMass(mesh, 1.0f, &mass), "its volume")) {
        sdMesh_Release(mesh);
        return;
    }
    sdTransform placesA[PAIR_COUNT], placesB[PAIR_COUNT];
    LabRandom random = LabRandom_Make((uint64_t)model + 1);
    sdShape shape = sdShape_Mesh(mesh);
    for (int i = 0; i < pairs; ++i) {
        placesA[i] = sdTransform_Make(sdV3(0.0f, 0.0f, 0.0f), LabRandom_Rotation(&random));
        placesB[i] = drawPlace(&random, 1.0f);
        work->isTouching[i] =
            sdOverlap(&shape, &shape, sdInvMulXf(placesA[i], placesB[i]), NULL).isOverlapping;
    }
    for (int kind = 0; kind < KIND_COUNT && Lab_GoesOn(lab); ++kind) {
        Score* score = &scores[kind];
        LabSample own = {0};
        bool isFit = true;
        int fitted = 0;
        for (int i = 0; i < pairs && isFit; ++i) {
            placePoints(work, mesh, placesA[i]);
            isFit = fitTimed(lab, work, (VolumeKind)kind, &work->first[i], score);
            LabSample_Add(&own, volumeOf(&work->first[i]) / (double)mass.mass);
            placePoints(work, mesh, placesB[i]);
            isFit = fitTimed(lab, work, (VolumeKind)kind, &work->second[i], score) && isFit;
            fitted = i + 1;
        }
        double start = Lab_Now();
        int said = 0;
        for (int i = 0; i < fitted; ++i) {
            bool isSaid = overlaps(&work->first[i], &work->second[i]);
            said += isSaid && !work->isTouching[i] ? 1 : 0;
            score->missedCount += !isSaid && work->isTouching[i] ? 1 : 0;
            score->apartCount += work->isTouching[i] ? 0 : 1;
        }
        LabSample_Add(&score->testNs, 1e9 * (Lab_Now() - start) / sdMaxI(fitted, 1));
        score->saidCount += said;
        LabSample_Add(&score->tightness, own.mean);
        tightness[kind] = own.mean;
        for (int i = 0; i < fitted; ++i) {
            sdHull_Release(work->first[i].hull);
            sdHull_Release(work->second[i].hull);
        }
    }
    sdMesh_Release(mesh);
}

// ---- report --------------------------------------------------------------------------------

typedef struct Columns {
    LabTable* table;
    int tightness, wrong, fitUs, testNs;
} Columns;

static Columns tabulate(Lab* lab, const Score* scores) {
    Columns c = {.table = Lab_AddTable(lab, "volumes", "Over all models")};
    c.tightness = LabTable_AddColumn(c.table, "volume over the body's", "");
    c.wrong = LabTable_AddColumn(c.table, "false overlaps", "% of pairs apart");
    c.fitUs = LabTable_AddColumn(c.table, "time to fit", "µs");
    c.testNs = LabTable_AddColumn(c.table, "time of a test", "ns");
    for (int k = 0; k < KIND_COUNT; ++k) {
        LabTable_AddRow(c.table, kindNames[k]);
        LabTable_PutSample(c.table, c.tightness, &scores[k].tightness);
        LabTable_Put(c.table, c.wrong,
                     100.0 * scores[k].saidCount / sdMaxI(scores[k].apartCount, 1));
        LabTable_PutSample(c.table, c.fitUs, &scores[k].fitUs);
        LabTable_PutSample(c.table, c.testNs, &scores[k].testNs);
    }
    Lab_AddPlot(lab, (LabPlot){.name = "tightness",
                               .title = "How much larger than the body",
                               .text = "Mean over models in random attitudes.",
                               .x = {"bounding volume", ""},
                               .y = {"volume over the body's", "", .isLog = true},
                               .series = {{c.table, 0, c.tightness, "volume", LAB_BARS}}});
    Lab_AddPlot(lab, (LabPlot){.name = "false-overlaps",
                               .title = "Pairs that are apart and called near",
                               .text = "Of two copies of a body at random places near each "
                                       "other.",
                               .x = {"bounding volume", ""},
                               .y = {"false overlaps", "% of pairs apart"},
                               .series = {{c.table, 0, c.wrong, "false overlaps", LAB_BARS}}});
    Lab_AddPlot(lab, (LabPlot){.name = "cost",
                               .title = "What a volume costs",
                               .text = "Fitting, in units of a microsecond, and one test of two "
                                       "volumes, in nanoseconds.",
                               .x = {"bounding volume", ""},
                               .y = {"time", "µs to fit, ns to test", .isLog = true},
                               .series = {{c.table, 0, c.fitUs, "to fit (µs)", LAB_BARS},
                                          {c.table, 0, c.testNs, "to test (ns)", LAB_BARS}}});
    return c;
}

static void findBounds(Lab* lab, const Columns* c, const Score* scores) {
    double v[KIND_COUNT], wrong[KIND_COUNT];
    int missed = 0;
    for (int k = 0; k < KIND_COUNT; ++k) {
        v[k] = LabTable_Get(c->table, k, c->tightness);
        wrong[k] = LabTable_Get(c->table, k, c->wrong);
        missed += scores[k].missedCount;
    }
    Lab_AddFinding(
        lab, (LabFinding){.claim = "Balls stand off furthest, then AABB, then OBB; the hull is the "
                                   "tightest.",
                          .document = "§5.2.4, no numbers",
                          .ours = Lab_Text(lab,
                                           "volume over the body's: ball %.1f, AABB %.1f, OBB "
                                           "%.1f, hull %.1f",
                                           v[BALL_SMALLEST], v[AABB], v[OBB_SMALLEST], v[HULL]),
                          .agrees = v[BALL_SMALLEST] > v[AABB] && v[AABB] > v[OBB_SMALLEST] &&
                                    v[OBB_SMALLEST] > v[HULL],
                          .why = "Each is free to follow the body in more directions than the one "
                                 "before."});
    Lab_AddFinding(
        lab,
        (LabFinding){.claim = "A k-DOP is a compromise between AABB and OBB, and tighter with "
                              "k.",
                     .document = "§5.2.3, §5.2.4",
                     .ours = Lab_Text(lab,
                                      "AABB %.2f, 14-DOP %.2f, 18-DOP %.2f, 26-DOP %.2f, "
                                      "OBB %.2f",
                                      v[AABB], v[DOP_14], v[DOP_18], v[DOP_26], v[OBB_SMALLEST]),
                     .agrees = v[DOP_14] < v[AABB] && v[DOP_18] < v[DOP_14] &&
                               v[DOP_26] < v[DOP_18] && v[DOP_26] > v[OBB_SMALLEST],
                     .isExplained = v[DOP_26] < v[DOP_18] && v[DOP_14] < v[AABB] &&
                                    v[DOP_26] < v[OBB_SMALLEST],
                     .why = "It is tighter with k. But 26 planes in fixed directions are "
                            "tighter than six that may turn, because these bodies are more "
                            "round than boxy; only the hull is better."});
    Lab_AddFinding(
        lab, (LabFinding){.claim = "The ball about the mean of the points is not the best one; "
                                   "Welzl's is.",
                          .document = "§5.2.1, algorithm 5.1 and [15]",
                          .ours = Lab_Text(lab, "mean %.1f, box %.1f, smallest %.1f times the body",
                                           v[BALL_CENTROID], v[BALL_BOX], v[BALL_SMALLEST]),
                          .agrees = v[BALL_SMALLEST] < v[BALL_CENTROID] &&
                                    v[BALL_SMALLEST] <= v[BALL_BOX] + 1e-4,
                          .why = "The mean is drawn to where there are many points."});
    Lab_AddFinding(
        lab, (LabFinding){.claim = "What is tighter is wrong less often, and nothing that touches "
                                   "is missed.",
                          .document = "§5.1",
                          .ours = Lab_Text(lab,
                                           "false overlaps: ball %.0f, AABB %.0f, OBB %.0f, hull "
                                           "%.0f %%; %d touching pairs missed",
                                           wrong[BALL_SMALLEST], wrong[AABB], wrong[OBB_SMALLEST],
                                           wrong[HULL], missed),
                          .agrees = wrong[BALL_SMALLEST] > wrong[OBB_SMALLEST] &&
                                    wrong[OBB_SMALLEST] > wrong[HULL] && missed == 0,
                          .why = "A volume holds all of its body, so what is apart is apart."});
    double ball = LabTable_Get(c->table, BALL_BOX, c->testNs);
    double obb = LabTable_Get(c->table, OBB_SMALLEST, c->testNs);
    double hull = LabTable_Get(c->table, HULL, c->testNs);
    Lab_AddFinding(
        lab,
        (LabFinding){.claim = "The tighter, the dearer: balls are quickest, OBB take longer, "
                              "hulls longest.",
                     .document = "§5.2.4",
                     .ours = Lab_Text(lab,
                                      "a test takes %.0f ns (ball), %.0f (AABB), %.0f "
                                      "(OBB), %.0f (hull)",
                                      ball, LabTable_Get(c->table, AABB, c->testNs), obb, hull),
                     .agrees = ball < obb && obb < hull,
                     .isExplained = ball < hull,
                     .why = "One distance; six comparisons; up to fifteen axes; an iteration "
                            "over all vertices.",
                     .isTimed = true});
}

// ---- a test that is none -------------------------------------------------------------------

/// S3 §5.2.2: comparing the distance of centres with the sum of half diagonals.
static void measureRectangles(Lab* lab) {
    LabRandom random = LabRandom_Make(7);
    int wrong = 0, apart = 0, count = Lab_Choose(lab, 2000, 20000, 200000);
    for (int i = 0; i < count; ++i) {
        sdOBB2 boxes[2];
        for (int k = 0; k < 2; ++k) {
            float angle = LabRandom_Float(&random, 0.0f, SD_PI);
            boxes[k].center =
                sdV2(LabRandom_Float(&random, -1.5f, 1.5f), LabRandom_Float(&random, -1.5f, 1.5f));
            boxes[k].axis = sdV2(sdCos(angle), sdSin(angle));
            boxes[k].halfExtents =
                sdV2(LabRandom_Float(&random, 0.1f, 1.0f), LabRandom_Float(&random, 0.1f, 1.0f));
        }
        float distance = sdLength2(sdSub2(boxes[0].center, boxes[1].center));
        bool isNear = distance <= sdLength2(boxes[0].halfExtents) + sdLength2(boxes[1].halfExtents);
        bool isTouching = sdOBB2_Overlaps(boxes[0], boxes[1]);
        apart += isTouching ? 0 : 1;
        wrong += isNear && !isTouching ? 1 : 0;
    }
    double share = 100.0 * wrong / sdMaxI(apart, 1);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "In 2D, centres and half diagonals are enough to test oriented "
                                   "rectangles.",
                          .document = "§5.2.2; false positives are admitted for boxes only",
                          .ours = Lab_Text(lab,
                                           "%.0f %% of %d pairs that are apart are called "
                                           "overlapping",
                                           share, apart),
                          .agrees = wrong == 0,
                          .isExplained = share > 5.0,
                          .why = "It is the test of two circles around them, in the plane as in "
                                 "space; separating axes are needed in both."});
}

static void run(Lab* lab) {
    Work* work = calloc(1, sizeof *work);
    if (work == NULL) {
        Lab_Fail(lab, "no memory for points");
        return;
    }
    Score scores[KIND_COUNT] = {0};
    LabTable* t = Lab_AddTable(lab, "models", "Volume over the body's, by model");
    int columns[KIND_COUNT];
    for (int k = 0; k < KIND_COUNT; ++k) {
        columns[k] = LabTable_AddColumn(t, kindNames[k], "");
    }
    int pairs = Lab_Choose(lab, 4, 12, PAIR_COUNT), every = Lab_Choose(lab, 3, 1, 1);
    for (int model = 0; model < SD_MODEL_COUNT && Lab_GoesOn(lab); model += every) {
        double tightness[KIND_COUNT] = {0.0};
        measureModel(lab, work, (sdModelKind)model, pairs, scores, tightness);
        LabTable_AddRow(t, sdModel_Name((sdModelKind)model));
        for (int k = 0; k < KIND_COUNT; ++k) {
            LabTable_Put(t, columns[k], tightness[k]);
        }
    }
    Lab_AddSetting(lab, "attitudes", "%d of each model", pairs);
    if (Lab_GoesOn(lab)) {
        Columns c = tabulate(lab, scores);
        findBounds(lab, &c, scores);
        measureRectangles(lab);
    }
    free(work);
}

const LabExperiment labBounding = {
    .name = "bounding",
    .title = "Bounding volumes: tightness and cost",
    .source = "S3 §5.2 (also S0 §6.1, S1 §3.1)",
    .question = "How tight is each bounding volume, how often is it wrong, and what does it cost?",
    .setup = "Thirteen models, from box and bone to skull and bowl, in random attitudes. Each "
             "volume is fitted to the vertices where they are, compared with the volume of the "
             "body, and tested on pairs of copies near each other, for which the bodies "
             "themselves are tested, too.",
    .document = "Balls are quickest and stand off furthest; AABB fit better, OBB better still and "
                "take longer; k-DOPs are a compromise between these two; hulls are the tightest "
                "and the most expensive. No measurements.",
    .run = run,
};
