// SPDX-License-Identifier: MIT
// triangles.c - experiment: triangle test, spheres and GJK by the number of triangles (S0 §7.2).
//
// Two octahedra fly in a closed room; their poses are recorded first, so that every method and
// every body is asked the same questions, and nothing else is in the time.

#include "experiments.h"

#include "scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROW_COUNT 10
#define MAX_TRIANGLES 80
#define MAX_VERTICES 42
#define BODY_VOLUME 0.04 // m³, a two hundredth of the scene's room
#define MAX_FLIGHTS 5
#define FIRST_SEED 3 // a flight on which the bodies meet early
/// Steps to which times are scaled, as in the document.
#define DOCUMENT_STEPS 10000

/// Table 7.1. The document gives no unit.
static const struct {
    int triangleCount;
    double triangle, sphere, gjk;
} document[ROW_COUNT] = {
    {8, 11.35, 8.55, 8.62},      {16, 26.31, 15.81, 11.61},   {24, 48.89, 23.41, 13.67},
    {32, 79.67, 36.65, 16.58},   {40, 117.54, 44.98, 19.59},  {48, 164.06, 64.38, 22.38},
    {56, 216.99, 77.55, 25.67},  {64, 296.23, 102.74, 29.63}, {72, 403.87, 121.49, 32.07},
    {80, 524.69, 150.34, 34.12},
};

typedef enum Method {
    TRIANGLE,
    SPHERE,
    GJK,
    GJK_COLD,
    DISTANCE,
    DISTANCE_COLD,
    METHOD_COUNT
} Method;

static const char* const methodNames[METHOD_COUNT] = {
    "triangle test",       "sphere + triangle test", "GJK",
    "GJK without witness", "GJK distance",           "GJK distance without witness"};

// ---- bodies and their motion ---------------------------------------------------------------

/// Poses of B in A's frame.
typedef struct Flight {
    sdTransform* poses;
    int stepCount;
} Flight;

/// Let the scene run with octahedra and note where B is, seen from A, in every step.
static bool recordFlight(Lab* lab, uint64_t seed, int stepCount, Flight* flight) {
    *flight = (Flight){malloc((size_t)stepCount * sizeof *flight->poses), stepCount};
    const sdScene* scene = sdScene_Find("octahedra");
    sdWorldDef def = sdScene_GetWorldDef(scene);
    sdSceneOptions options = {.seed = seed};
    sdWorld* world = NULL;
    sdBodyId bodies[16], moving[2] = {SD_NULL_BODY, SD_NULL_BODY};
    bool isGood = flight->poses != NULL &&
                  Lab_Check(lab, sdWorld_Create(NULL, &def, &world), "a world") &&
                  Lab_Check(lab, sdScene_Build(scene, world, &options), "the scene");
    int count = isGood ? sdWorld_GetBodies(world, bodies, 16) : 0;
    for (int i = 0, found = 0; i < count && i < 16 && found < 2; ++i) {
        if (sdBody_GetType(world, bodies[i]) == SD_BODY_DYNAMIC) {
            moving[found++] = bodies[i];
        }
    }
    isGood = isGood && moving[1] != SD_NULL_BODY;
    for (int i = 0; i < stepCount && isGood; ++i) {
        flight->poses[i] = sdWorldTransform_Relative(sdBody_GetTransform(world, moving[0]),
                                                     sdBody_GetTransform(world, moving[1]));
        isGood = Lab_Check(lab, sdWorld_Step(world, scene->dt), "a step") && Lab_GoesOn(lab);
    }
    sdWorld_Destroy(world);
    if (!isGood) {
        Lab_Fail(lab, "no memory, or the scene 'octahedra' has no two bodies");
    }
    return isGood;
}

typedef enum Family { FLAT, ROUND, FAMILY_COUNT } Family;

static const char* const familyNames[FAMILY_COUNT] = {"flat", "round"};

/// Corners and triangles, of at most 80.
typedef struct Body {
    sdVec3 vertices[MAX_VERTICES];
    int32_t triangles[3 * MAX_TRIANGLES];
    int vertexCount, triangleCount;
    sdHull* hull;
    float radius; ///< of the smallest ball about it
} Body;

/// The longest side of a triangle gets a corner in its middle, in the one behind it, too.
static void splitLongest(Body* body) {
    int32_t from = 0, to = 0;
    float longest = 0.0f;
    for (int i = 0; i < 3 * body->triangleCount; ++i) {
        int32_t a = body->triangles[i];
        int32_t b = body->triangles[i % 3 == 2 ? i - 2 : i + 1];
        float length = sdLengthSquared(sdSub(body->vertices[a], body->vertices[b]));
        // of sides that are equal but for rounding, the first
        if (length > 1.0001f * longest) {
            longest = length;
            from = a;
            to = b;
        }
    }
    int32_t middle = body->vertexCount++;
    body->vertices[middle] = sdScale(0.5f, sdAdd(body->vertices[from], body->vertices[to]));
    for (int i = 0, count = body->triangleCount; i < count; ++i) {
        int32_t* t = &body->triangles[3 * i];
        int ends = 0;
        for (int k = 0; k < 3; ++k) {
            ends += t[k] == from || t[k] == to;
        }
        if (ends == 2) {
            int32_t* other = &body->triangles[3 * body->triangleCount++];
            for (int k = 0; k < 3; ++k) {
                other[k] = t[k] == from ? middle : t[k];
                t[k] = t[k] == to ? middle : t[k];
            }
        }
    }
}

static void copyMesh(const sdMesh* mesh, Body* body) {
    sdMeshData data = sdMesh_GetData(mesh);
    body->vertexCount = data.vertexCount;
    body->triangleCount = data.triangleCount;
    memcpy(body->vertices, data.vertices, (size_t)data.vertexCount * sizeof *data.vertices);
    memcpy(body->triangles, data.triangles,
           3 * (size_t)data.triangleCount * sizeof *data.triangles);
}

/// Of half a hundredth of the room, as the octahedra are.
static bool makeBody(Lab* lab, Family family, int triangleCount, Body* body) {
    *body = (Body){0};
    sdMassProps unit = {.mass = 1.0f};
    sdMesh* mesh = NULL;
    int first = family == FLAT ? 8 : triangleCount;
    bool isGood = Lab_Check(lab, sdModel_CreateOctahedron(NULL, first, 1.0f, &mesh), "a body") &&
                  Lab_Check(lab, sdMesh_GetMass(mesh, 1.0f, &unit), "its volume");
    if (isGood) {
        copyMesh(mesh, body);
    }
    sdMesh_Release(mesh);
    while (isGood && body->triangleCount < triangleCount) {
        splitLongest(body);
    }
    float scale = (float)cbrt(BODY_VOLUME / (double)unit.mass);
    for (int i = 0; i < body->vertexCount; ++i) {
        body->vertices[i] = sdScale(scale, body->vertices[i]);
    }
    sdHullDef def = sdHullDef_Default();
    def.points = body->vertices;
    def.pointCount = body->vertexCount;
    sdBall ball = {0};
    isGood = isGood && Lab_Check(lab, sdHull_Create(NULL, &def, &body->hull), "its hull") &&
             Lab_Check(lab, sdBall_FitSmallest(NULL, body->vertices, body->vertexCount, &ball),
                       "its ball");
    body->radius = ball.radius;
    return isGood;
}

// ---- methods -------------------------------------------------------------------------------

/// What one run of a method did.
typedef struct Work {
    int64_t hitCount;      ///< steps in which the bodies overlap
    int64_t triangleTests; ///< pairs of triangles
    int64_t iterations;    ///< of GJK
    int64_t sphereHits;    ///< steps in which the balls overlap
    double seconds;
} Work;

/// Every triangle of one with every triangle of the other, until two meet.
static bool testTriangles(const Body* body, const sdTransform* xfAB, int64_t* testCount) {
    sdVec3 moved[MAX_VERTICES];
    for (int i = 0; i < body->vertexCount; ++i) {
        moved[i] = sdTransformPoint(*xfAB, body->vertices[i]);
    }
    for (int i = 0; i < body->triangleCount; ++i) {
        const int32_t* s = &body->triangles[3 * i];
        const sdVec3 a[3] = {body->vertices[s[0]], body->vertices[s[1]], body->vertices[s[2]]};
        for (int j = 0; j < body->triangleCount; ++j) {
            const int32_t* t = &body->triangles[3 * j];
            const sdVec3 b[3] = {moved[t[0]], moved[t[1]], moved[t[2]]};
            ++*testCount;
            if (sdTriTri_Test(a, b).isIntersecting) {
                return true;
            }
        }
    }
    return false;
}

static bool testSpheres(const Body* body, const sdTransform* xfAB) {
    float reach = 2.0f * body->radius;
    return sdLengthSquared(xfAB->p) <= reach * reach;
}

static Work runMethod(const Body* body, const Flight* flight, Method method) {
    Work work = {0};
    sdShape shape = sdShape_Hull(body->hull);
    sdPairCache cache = {0};
    sdPairCache* witness = method == GJK || method == DISTANCE ? &cache : NULL;
    double start = Lab_Now();
    for (int i = 0; i < flight->stepCount; ++i) {
        const sdTransform* xfAB = &flight->poses[i];
        switch (method) {
            case TRIANGLE:
                work.hitCount += testTriangles(body, xfAB, &work.triangleTests);
                break;
            case SPHERE:
                if (testSpheres(body, xfAB)) {
                    ++work.sphereHits;
                    work.hitCount += testTriangles(body, xfAB, &work.triangleTests);
                }
                break;
            case GJK:
            case GJK_COLD: {
                sdOverlapResult r = sdGjk_Overlap(&shape, &shape, *xfAB, witness);
                work.hitCount += r.isOverlapping;
                work.iterations += r.iterations;
                break;
            }
            case DISTANCE:
            case DISTANCE_COLD: {
                sdSeparation r = sdGjk_Distance(&shape, &shape, *xfAB, witness);
                work.hitCount += r.separation <= 0.0f;
                work.iterations += r.iterations;
                break;
            }
            case METHOD_COUNT:
                break;
        }
    }
    work.seconds = Lab_Now() - start;
    return work;
}

// ---- tables --------------------------------------------------------------------------------

/// Of one family of bodies.
typedef struct Columns {
    Family family;
    LabTable *times, *counts;
    int n, time[METHOD_COUNT], document[3];             ///< of times
    int n2, tests, sphereTests, falseHits, vertexCount; ///< of counts
    int iterations[METHOD_COUNT], looks[METHOD_COUNT];
    int64_t disagreements; ///< steps in which methods do not agree
    int64_t hits;
} Columns;

static Columns makeColumns(Lab* lab, Family family) {
    const char* name = familyNames[family];
    Columns c = {.family = family};
    c.times =
        Lab_AddTable(lab, Lab_Text(lab, "times-%s", name),
                     Lab_Text(lab, "Time of 10 000 steps, %s bodies%s", name,
                              family == FLAT ? ", beside table 7.1 (which has no unit)" : ""));
    c.counts = Lab_AddTable(lab, Lab_Text(lab, "counts-%s", name),
                            Lab_Text(lab, "Work in one step, %s bodies", name));
    c.n = LabTable_AddColumn(c.times, "triangles", "");
    c.n2 = LabTable_AddColumn(c.counts, "triangles", "");
    for (int m = 0; m < METHOD_COUNT; ++m) {
        c.time[m] = LabTable_AddColumn(c.times, methodNames[m], "ms");
    }
    for (int m = 0; m < 3 && family == FLAT; ++m) {
        const char* title = Lab_Text(lab, "document: %s", methodNames[m]);
        c.document[m] = LabTable_AddColumn(c.times, title, "");
    }
    c.vertexCount = LabTable_AddColumn(c.counts, "vertices of the hull", "");
    c.tests = LabTable_AddColumn(c.counts, "pairs of triangles", "");
    c.sphereTests = LabTable_AddColumn(c.counts, "pairs of triangles after spheres", "");
    c.falseHits = LabTable_AddColumn(c.counts, "false hits of spheres", "%");
    for (int m = GJK; m < METHOD_COUNT; ++m) {
        const char* title = Lab_Text(lab, "%s: iterations", methodNames[m]);
        c.iterations[m] = LabTable_AddColumn(c.counts, title, "");
    }
    for (int m = GJK; m < METHOD_COUNT; ++m) {
        const char* title = Lab_Text(lab, "%s: vertices", methodNames[m]);
        c.looks[m] = LabTable_AddColumn(c.counts, title, "");
    }
    return c;
}

/// What all methods did with one body on all flights.
typedef struct Sums {
    LabSample times[METHOD_COUNT], iterations[METHOD_COUNT];
    LabSample tests, sphereTests, falseHits;
} Sums;

static Sums measureBody(Lab* lab, Columns* c, const Body* body, const Flight* flights, int count) {
    Sums sums = {0};
    for (int i = 0; i < count && Lab_GoesOn(lab); ++i) {
        Work work[METHOD_COUNT];
        double steps = flights[i].stepCount, scale = 1e3 * DOCUMENT_STEPS / steps;
        for (int m = 0; m < METHOD_COUNT; ++m) {
            work[m] = runMethod(body, &flights[i], (Method)m);
            LabSample_Add(&sums.times[m], scale * work[m].seconds);
            LabSample_Add(&sums.iterations[m], (double)work[m].iterations / steps);
            c->disagreements += llabs(work[m].hitCount - work[TRIANGLE].hitCount);
        }
        int64_t wrong = work[SPHERE].sphereHits - work[SPHERE].hitCount;
        c->hits += work[TRIANGLE].hitCount;
        LabSample_Add(&sums.tests, (double)work[TRIANGLE].triangleTests / steps);
        LabSample_Add(&sums.sphereTests, (double)work[SPHERE].triangleTests / steps);
        LabSample_Add(&sums.falseHits, 100.0 * (double)wrong / steps);
    }
    return sums;
}

static void measureRow(Lab* lab, Columns* c, int row, const Flight* flights, int flightCount) {
    Body body;
    Sums sums = {0};
    int vertexCount = 0, n = document[row].triangleCount;
    if (makeBody(lab, c->family, n, &body)) {
        sums = measureBody(lab, c, &body, flights, flightCount);
        sdHull_GetVertices(body.hull, &vertexCount);
    }
    sdHull_Release(body.hull);
    LabTable_AddRow(c->times, NULL);
    LabTable_Put(c->times, c->n, n);
    const double own[3] = {document[row].triangle, document[row].sphere, document[row].gjk};
    for (int m = 0; m < METHOD_COUNT; ++m) {
        LabTable_PutSample(c->times, c->time[m], &sums.times[m]);
    }
    for (int m = 0; m < 3 && c->family == FLAT; ++m) {
        LabTable_Put(c->times, c->document[m], own[m]);
    }
    LabTable_AddRow(c->counts, NULL);
    LabTable_Put(c->counts, c->n2, n);
    LabTable_Put(c->counts, c->vertexCount, vertexCount);
    LabTable_PutSample(c->counts, c->tests, &sums.tests);
    LabTable_PutSample(c->counts, c->sphereTests, &sums.sphereTests);
    LabTable_PutSample(c->counts, c->falseHits, &sums.falseHits);
    for (int m = GJK; m < METHOD_COUNT; ++m) {
        LabTable_PutSample(c->counts, c->iterations[m], &sums.iterations[m]);
        // each iteration looks at all vertices of both
        LabTable_Put(c->counts, c->looks[m], sums.iterations[m].mean * 2.0 * vertexCount);
    }
}

// ---- plots ---------------------------------------------------------------------------------

#define GROWTH_COUNT 4

/// Times by their own with eight triangles, ours and the document's.
static void plotGrowth(Lab* lab, const Columns* flat, const Columns* round) {
    const struct {
        const char* title;
        const LabTable* table;
        int column;
    } curves[GROWTH_COUNT + 3] = {
        {"triangle test", flat->times, flat->time[TRIANGLE]},
        {"sphere + triangle test", flat->times, flat->time[SPHERE]},
        {"GJK distance, round bodies", round->times, round->time[DISTANCE_COLD]},
        {"GJK distance, flat bodies", flat->times, flat->time[DISTANCE_COLD]},
        {"document: triangle test", flat->times, flat->document[TRIANGLE]},
        {"document: sphere + triangle test", flat->times, flat->document[SPHERE]},
        {"document: GJK", flat->times, flat->document[GJK]},
    };
    LabTable* t = Lab_AddTable(lab, "growth", "Times, each by its own with eight triangles");
    int n = LabTable_AddColumn(t, "triangles", ""), columns[GROWTH_COUNT + 3];
    LabPlot plot = {
        .name = "growth",
        .title = "How times grow",
        .text = "Each time by its own with eight triangles: ours in full lines, the document's "
                "dashed in the same colour. The slope is the exponent.",
        .x = {"triangles of a body", "", .isLog = true, .from = 7, .to = 90},
        .y = {"time, by that of 8 triangles", "", .isLog = true}};
    for (int i = 0; i < GROWTH_COUNT + 3; ++i) {
        columns[i] = LabTable_AddColumn(t, curves[i].title, "");
        plot.series[i] = (LabSeries){t, n, columns[i], curves[i].title};
        if (i >= GROWTH_COUNT) {
            plot.series[i].style = LAB_DOCUMENT;
            plot.series[i].like = i - GROWTH_COUNT + 1;
        }
    }
    for (int row = 0; row < LabTable_GetRowCount(flat->times); ++row) {
        LabTable_AddRow(t, NULL);
        LabTable_Put(t, n, LabTable_Get(flat->times, row, flat->n));
        for (int i = 0; i < GROWTH_COUNT + 3; ++i) {
            LabTable_Put(t, columns[i],
                         LabTable_Get(curves[i].table, row, curves[i].column) /
                             LabTable_Get(curves[i].table, 0, curves[i].column));
        }
    }
    Lab_AddPlot(lab, plot);
}

static void plotAll(Lab* lab, const Columns* flat, const Columns* round) {
    plotGrowth(lab, flat, round);
    LabAxis x = {"triangles of a body", "", .isLog = true, .from = 7, .to = 90};
    LabPlot times = {.name = "times",
                     .title = "Time of 10 000 steps, flat bodies",
                     .text = "Processor time of detection alone, mean and spread over flights.",
                     .x = x,
                     .y = {"time of 10 000 steps", "ms", .isLog = true}};
    for (int m = 0; m <= GJK; ++m) {
        times.series[m] = (LabSeries){flat->times, flat->n, flat->time[m], methodNames[m]};
    }
    Lab_AddPlot(lab, times);
    const LabTable *f = flat->counts, *r = round->counts;
    Lab_AddPlot(
        lab, (LabPlot){.name = "work",
                       .title = "Work of a step, by counts",
                       .text = "Pairs of triangles tested, and vertices that GJK looks at.",
                       .x = x,
                       .y = {"tests in a step", "", .isLog = true},
                       .series = {{f, flat->n2, flat->tests, "triangle test"},
                                  {f, flat->n2, flat->sphereTests, "after spheres, flat"},
                                  {r, round->n2, round->sphereTests, "after spheres, round"},
                                  {r, round->n2, round->looks[DISTANCE_COLD], "GJK, round"},
                                  {r, round->n2, round->looks[DISTANCE], "GJK with witness, round"},
                                  {f, flat->n2, flat->looks[DISTANCE_COLD], "GJK, flat"}}});
    Lab_AddPlot(
        lab,
        (LabPlot){
            .name = "witness",
            .title = "Iterations of GJK with and without witness, round bodies",
            .text = "A step of 2 ms moves little: what was nearest before is a good start.",
            .x = {"triangles of a body", "", .from = 0.0, .to = 84.0},
            .y = {"iterations a step", "", .from = 0.0, .to = 4.0},
            .series = {{r, round->n2, round->iterations[DISTANCE_COLD], "distance, from nothing"},
                       {r, round->n2, round->iterations[DISTANCE], "distance, from the witness"},
                       {r, round->n2, round->iterations[GJK_COLD], "overlap, from nothing"},
                       {r, round->n2, round->iterations[GJK], "overlap, from the witness"}}});
}

// ---- findings ------------------------------------------------------------------------------

/// Mean over the rows.
static double meanOf(const LabTable* table, int column) {
    double sum = 0.0;
    for (int i = 0; i < LabTable_GetRowCount(table); ++i) {
        sum += LabTable_Get(table, i, column);
    }
    return sum / LabTable_GetRowCount(table);
}

static void findQuadratic(Lab* lab, const Columns* c) {
    double tests = LabTable_FitExponent(c->counts, c->n2, c->tests);
    Lab_AddFinding(
        lab, (LabFinding){
                 .claim = "The triangle test alone grows so fast that it is unacceptable.",
                 .document = Lab_Text(lab,
                                      "11.35 to 524.69: exponent %.2f over ten rows "
                                      "(\"eksponencijalna složenost\")",
                                      LabTable_FitExponent(c->times, c->n, c->document[TRIANGLE])),
                 .ours = Lab_Text(lab, "exponent %.2f of tests made, %.2f of time", tests,
                                  LabTable_FitExponent(c->times, c->n, c->time[TRIANGLE])),
                 .agrees = tests > 1.7,
                 .why = "Every triangle meets every other: the square of their number, not an "
                        "exponential. The document's times have drawing, walls and motion in "
                        "them, which grow more slowly."});
    double after = LabTable_FitExponent(c->counts, c->n2, c->sphereTests);
    double falseHits = meanOf(c->counts, c->falseHits);
    double share = meanOf(c->counts, c->sphereTests) / meanOf(c->counts, c->tests);
    Lab_AddFinding(
        lab, (LabFinding){
                 .claim = "Spheres first: better, but nearly as steep, because of false hits.",
                 .document = Lab_Text(lab,
                                      "8.55 to 150.34: exponent %.2f; 29 %% of the triangle "
                                      "test's time at 80",
                                      LabTable_FitExponent(c->times, c->n, c->document[SPHERE])),
                 .ours = Lab_Text(lab,
                                  "exponent %.2f of tests made, %.2f of time; %.0f %% of the "
                                  "tests; balls meet without the bodies in %.1f %% of steps",
                                  after, LabTable_FitExponent(c->times, c->n, c->time[SPHERE]),
                                  100.0 * share, falseHits),
                 .agrees = after > 1.7 && falseHits > 0.0 && share < 0.5,
                 .why = "Whenever the balls meet, all pairs are tested. How often they do depends "
                        "on the flight alone, not on the number of triangles."});
}

static void findLinear(Lab* lab, const Columns* flat, const Columns* round) {
    double looks = LabTable_FitExponent(round->counts, round->n2, round->looks[DISTANCE_COLD]);
    double still = LabTable_FitExponent(flat->counts, flat->n2, flat->looks[DISTANCE_COLD]);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "GJK grows linearly at most.",
                          .document = Lab_Text(
                              lab,
                              "8.62 to 34.12: exponent %.2f (\"linearnu "
                              "složenost\")",
                              LabTable_FitExponent(flat->times, flat->n, flat->document[GJK])),
                          .ours = Lab_Text(lab,
                                           "vertices looked at: exponent %.2f for round "
                                           "bodies, %.2f for flat ones",
                                           looks, still),
                          .agrees = looks < 1.2 && looks > 0.5 && fabs(still) < 0.2,
                          .why = "A support point costs a look at every vertex of the hull; the "
                                 "number of iterations hardly changes. Flat bodies keep the six "
                                 "vertices of their hull, however many triangles they have."});
    double cold = meanOf(round->counts, round->iterations[DISTANCE_COLD]);
    double warm = meanOf(round->counts, round->iterations[DISTANCE]);
    double growth = LabTable_FitExponent(round->counts, round->n2, round->iterations[DISTANCE]);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "With the witness of the step before, GJK is of constant cost "
                                   "while the bodies are apart.",
                          .document = "\"konstantnu složenost\"; no numbers",
                          .ours = Lab_Text(lab,
                                           "%.2f iterations a step, %.2f from nothing; they "
                                           "grow with exponent %.2f",
                                           warm, cold, growth),
                          .agrees = warm < 0.75 * cold && warm < 2.0 && fabs(growth) < 0.2,
                          .why = "One iteration proves that the old simplex is still nearest. The "
                                 "proof itself looks at every vertex once."});
}

static void findRest(Lab* lab, const Columns* flat, const Columns* round) {
    int last = LabTable_GetRowCount(flat->times) - 1;
    double triangle = LabTable_Get(flat->times, last, flat->time[TRIANGLE]);
    double sphere = LabTable_Get(flat->times, last, flat->time[SPHERE]);
    double gjk = LabTable_Get(flat->times, last, flat->time[GJK]);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "GJK is the fastest of the three, by far.",
                          .document = "80 triangles: 524.69, 150.34 and 34.12: GJK is 15.4 and "
                                      "4.4 times as fast",
                          .ours = Lab_Text(lab,
                                           "80 triangles: %.0f, %.0f and %.2f ms: GJK is %.0f "
                                           "and %.0f times as fast",
                                           triangle, sphere, gjk, triangle / gjk, sphere / gjk),
                          .agrees = gjk < sphere && sphere < triangle,
                          .why = "Our times have detection alone in them, and GJK has tests of "
                                 "balls before it, too.",
                          .isTimed = true});
    double first = LabTable_Get(round->counts, 0, round->falseHits);
    double end = LabTable_Get(round->counts, last, round->falseHits);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "False hits come from spheres that fit badly.",
                          .document = "\"sfera ne prianja u potpunosti\"; no numbers",
                          .ours = Lab_Text(lab,
                                           "%.1f %% of the steps for octahedra, %.1f %% for "
                                           "round bodies of the same volume with 80 triangles",
                                           first, end),
                          .agrees = end < 0.5 * first,
                          .why = "A rounder body of the same volume has a smaller ball."});
    Lab_AddFinding(
        lab, (LabFinding){.claim = "All three detect the same collisions.",
                          .document = "taken for granted",
                          .ours = Lab_Text(lab,
                                           "%lld steps with overlap, %lld disagreements "
                                           "between six methods",
                                           (long long)(flat->hits + round->hits),
                                           (long long)(flat->disagreements + round->disagreements)),
                          .agrees = flat->disagreements + round->disagreements == 0,
                          .why = "Triangles are tested exactly; GJK decides in double precision."});
}

static void run(Lab* lab) {
    int stepCount = Lab_Choose(lab, 400, 1000, DOCUMENT_STEPS);
    int flightCount = Lab_Choose(lab, 1, 3, MAX_FLIGHTS);
    Lab_AddSetting(lab, "steps", "%d of 2 ms, times scaled to %d", stepCount, DOCUMENT_STEPS);
    Lab_AddSetting(lab, "flights", "%d", flightCount);
    Flight flights[MAX_FLIGHTS] = {{0}};
    for (int i = 0; i < flightCount && Lab_GoesOn(lab); ++i) {
        recordFlight(lab, FIRST_SEED + (uint64_t)i, stepCount, &flights[i]);
    }
    Columns columns[FAMILY_COUNT];
    for (int family = 0; family < FAMILY_COUNT; ++family) {
        columns[family] = makeColumns(lab, (Family)family);
        // the smallest form has every third row: 8, 32, 56, 80
        for (int row = 0; row < ROW_COUNT && Lab_GoesOn(lab); row += Lab_Choose(lab, 3, 1, 1)) {
            measureRow(lab, &columns[family], row, flights, flightCount);
        }
    }
    for (int i = 0; i < flightCount; ++i) {
        free(flights[i].poses);
    }
    if (Lab_GoesOn(lab)) {
        plotAll(lab, &columns[FLAT], &columns[ROUND]);
        findQuadratic(lab, &columns[FLAT]);
        findLinear(lab, &columns[FLAT], &columns[ROUND]);
        findRest(lab, &columns[FLAT], &columns[ROUND]);
    }
}

const LabExperiment labTriangles = {
    .name = "triangles",
    .title = "Triangle test, spheres and GJK",
    .source = "S0 §7.2, table 7.1",
    .question = "How does the cost of finding a collision grow with the number of triangles of the "
                "two bodies?",
    .setup =
        "Two octahedra that together fill a hundredth of a closed cube fly and turn in it, and "
        "their poses are recorded. Then each method is asked about bodies of the same volume in "
        "those poses: all pairs of triangles (Möller); the same if the smallest balls meet; GJK, "
        "with the result of the step before as a witness and without. The document does not say "
        "how an octahedron gets 16, 24 ... 80 triangles, so both ways are taken: flat bodies have "
        "the longest edges split and stay octahedra; round ones have the new corners on the "
        "sphere, so that every one is a corner of the hull. GJK for overlap has tests of balls "
        "before it; the distance, which always searches, stands beside it for the counts.",
    .document = "Times of 10 000 steps of 2 ms for ten numbers of triangles: the triangle test "
                "grows \"exponentially\", spheres in front of it help but are nearly as steep "
                "because of false hits, GJK grows linearly, and with a witness it is of constant "
                "cost while nothing touches. (Mobile AMD Sempron 3500+; the whole simulation was "
                "timed, in a unit that is not given.)",
    .run = run,
};
