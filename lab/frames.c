// SPDX-License-Identifier: MIT
// frames.c - experiments: what a frame of many bodies costs with and without bounding volumes, by
// the speed of the bodies and by their triangles (S1 §5.3, §5.4, §5.5).

#include "experiments.h"
#include "room.h"
#include "scenes.h"

#include <math.h>

// ---- bounding volumes (figure 5.9) ---------------------------------------------------------

#define MODE_COUNT 4

static const struct {
    const char* name;
    bool isUnbounded;
    int depth;
} modes[MODE_COUNT] = {{"nothing", true, 0},
                       {"octree alone", true, 4},
                       {"balls alone", false, 0},
                       {"octree and balls", false, 4}};
enum { MODE_NOTHING, MODE_OCTREE, MODE_BALLS, MODE_BOTH };

typedef struct ByMode {
    LabTable* table;
    int bodies, tests[MODE_COUNT], rate[MODE_COUNT];
} ByMode;

static ByMode measureVolumes(Lab* lab) {
    ByMode c = {.table = Lab_AddTable(lab, "volumes", "Cubes of 1 m: a frame")};
    c.bodies = LabTable_AddColumn(c.table, "bodies", "");
    for (int k = 0; k < MODE_COUNT; ++k) {
        c.tests[k] =
            LabTable_AddColumn(c.table, Lab_Text(lab, "%s, triangle tests", modes[k].name), "");
    }
    for (int k = 0; k < MODE_COUNT; ++k) {
        c.rate[k] = LabTable_AddColumn(c.table, Lab_Text(lab, "%s, frames", modes[k].name), "1/s");
    }
    for (int n = 10; n <= Lab_Choose(lab, 20, 80, 200) && Lab_GoesOn(lab); n += n < 20 ? 5 : 10) {
        LabTable_AddRow(c.table, NULL);
        LabTable_Put(c.table, c.bodies, n);
        for (int k = 0; k < MODE_COUNT; ++k) {
            LabSample tests = {0}, rate = {0};
            for (int i = 0; i < Lab_Choose(lab, 2, 3, 5) && Lab_GoesOn(lab); ++i) {
                LabRoomDef def = LabRoomDef_Default(n, 1.0f);
                def.depth = modes[k].depth;
                def.isUnbounded = modes[k].isUnbounded;
                def.seed = (uint64_t)(i + 1);
                LabFrames f = LabRoom_Run(lab, &def, Lab_Choose(lab, 1, 2, 5));
                LabSample_Add(&tests, f.triangleTests / f.count);
                LabSample_Add(&rate, f.count / f.seconds);
            }
            LabTable_PutSample(c.table, c.tests[k], &tests);
            LabTable_PutSample(c.table, c.rate[k], &rate);
        }
    }
    return c;
}

static void runVolumes(Lab* lab) {
    ByMode c = measureVolumes(lab);
    LabPlot rate = {.name = "volumes-rate",
                    .title = "Frames a second with and without balls (figure 5.9)",
                    .text = "Detection alone, one thread; higher is better.",
                    .x = {"bodies", ""},
                    .y = {"frames a second", "1/s", .isLog = true}};
    LabPlot tests = {.name = "volumes-tests",
                     .title = "The same: triangle tests",
                     .text = "Rooms in which no two balls overlap make no triangle tests at all.",
                     .x = {"bodies", ""},
                     .y = {"triangle tests a frame", "", .isLog = true, .from = 10.0, .to = 3e6}};
    for (int k = 0; k < MODE_COUNT; ++k) {
        rate.series[k] = (LabSeries){c.table, c.bodies, c.rate[k], modes[k].name};
        tests.series[k] = (LabSeries){c.table, c.bodies, c.tests[k], modes[k].name};
    }
    Lab_AddPlot(lab, rate);
    Lab_AddPlot(lab, tests);
    int last = LabTable_GetRowCount(c.table) - 1;
    double nothing = LabTable_Get(c.table, last, c.tests[MODE_NOTHING]);
    double octree = LabTable_Get(c.table, last, c.tests[MODE_OCTREE]);
    double balls = LabTable_Get(c.table, last, c.tests[MODE_BALLS]);
    double bodies = LabTable_Get(c.table, last, c.bodies);
    Lab_AddFinding(
        lab,
        (LabFinding){
            .claim = "Bounding volumes bring a great deal, even with few bodies: without them no "
                     "simulation in real time would be possible.",
            .document = "\"očekivano su dobivena velika poboljšanja\"",
            .ours = Lab_Text(lab, "%.0f cubes: %.0f triangle tests without, %.0f with balls",
                             bodies, nothing, balls),
            .agrees = balls < 0.02 * nothing,
            .why = "Two cubes have 144 pairs of triangles; a ball test is one distance."});
    Lab_AddFinding(
        lab, (LabFinding){.claim = "An octree without bounding volumes helps far less than these.",
                          .document = "figure 5.9 has both curves, both poor",
                          .ours = Lab_Text(lab,
                                           "%.0f cubes: %.0f triangle tests with the octree "
                                           "alone, %.0f with balls alone",
                                           bodies, octree, balls),
                          .agrees = octree < nothing && octree > 2.0 * balls,
                          .why = "Who shares a cell of a few metres is mostly not near."});
}

const LabExperiment labVolumes = {
    .name = "volumes",
    .title = "With and without bounding volumes",
    .source = "S1 §5.3, figure 5.9",
    .question = "What do balls around bodies save, and can an octree stand in for them?",
    .setup = "Cubes of 1 m in the room of 20 m. Every two of them (or, with the octree, every two "
             "that share a cell) have all 12 x 12 pairs of their triangles tested by Möller's "
             "test; with balls, only those whose balls overlap. All tests are really made.",
    .document = "Large gains; without bounding volumes results were very poor already with a "
                "relatively small number of bodies, because the triangle tests are expensive.",
    .run = runVolumes,
};

// ---- speed of bodies (figure 5.10) ---------------------------------------------------------

#define SPEED_COUNT 5
static const float speeds[SPEED_COUNT] = {1.0f, 2.0f, 5.0f, 10.0f, 20.0f};

/// One more: the fastest, looked at on its way.
#define FLIGHT_COUNT (SPEED_COUNT + 1)

static const char* flightName(Lab* lab, int k) {
    return Lab_Text(lab, "%g m/s%s", (double)speeds[sdMinI(k, SPEED_COUNT - 1)],
                    k == SPEED_COUNT ? ", continuous" : "");
}

typedef struct Flight {
    double begun; ///< contacts, a second
    double rate;  ///< frames a second
} Flight;

/// The scene of 1 m cubes, at another speed; half a second after a quarter of one to get warm.
static Flight fly(Lab* lab, int count, float speed, bool isContinuous, uint64_t seed) {
    const sdScene* scene = sdScene_Find("cubes");
    sdWorldDef def = sdScene_GetWorldDef(scene);
    // as the document: everything is looked at anew in each step, and only where it stands
    def.broadphase.kind = SD_BROADPHASE_OCTREE;
    def.broadphase.margin = def.broadphase.prediction = 0.0f;
    def.enableContinuous = isContinuous;
    sdSceneOptions options = {.size = count, .seed = seed};
    sdWorld* world = NULL;
    Flight flight = {0.0, 0.0};
    if (!Lab_Check(lab, sdWorld_Create(NULL, &def, &world), "a world") ||
        !Lab_Check(lab, sdScene_Build(scene, world, &options), "cubes")) {
        sdWorld_Destroy(world);
        return flight;
    }
    sdBodyId bodies[LAB_ROOM_MAX_COUNT + 6];
    int bodyCount =
        sdMinI(sdWorld_GetBodies(world, bodies, LAB_ROOM_MAX_COUNT + 6), LAB_ROOM_MAX_COUNT + 6);
    for (int i = 0; i < bodyCount; ++i) {
        if (sdBody_GetType(world, bodies[i]) == SD_BODY_DYNAMIC) {
            sdVec3 v = sdNormalize(sdBody_GetVelocity(world, bodies[i]));
            Lab_Check(lab, sdBody_SetVelocity(world, bodies[i], sdScale(speed, v), sdV3(1, 0, 0)),
                      "a velocity");
        }
    }
    int steps = Lab_Choose(lab, 20, 30, 120);
    double start = 0.0, contacts = 0.0;
    for (int i = -15; i < steps && Lab_GoesOn(lab); ++i) {
        start = i == 0 ? Lab_Now() : start;
        Lab_Check(lab, sdWorld_Step(world, scene->dt), "a step");
        contacts += i >= 0 ? sdWorld_GetEvents(world).beginCount : 0;
    }
    flight = (Flight){contacts / (steps * (double)scene->dt), steps / (Lab_Now() - start)};
    sdWorld_Destroy(world);
    return flight;
}

static void runSpeed(Lab* lab) {
    LabTable* t = Lab_AddTable(lab, "speed", "Cubes of 1 m that bounce, whole steps of the world");
    int n = LabTable_AddColumn(t, "bodies", ""), begun[FLIGHT_COUNT], rate[FLIGHT_COUNT];
    for (int k = 0; k < FLIGHT_COUNT; ++k) {
        const char* name = flightName(lab, k);
        begun[k] = LabTable_AddColumn(t, Lab_Text(lab, "%s, contacts begun", name), "1/s");
        rate[k] = LabTable_AddColumn(t, Lab_Text(lab, "%s, frames", name), "1/s");
    }
    for (int count = 100; count <= Lab_Choose(lab, 100, 500, 500) && Lab_GoesOn(lab);
         count += 100) {
        LabTable_AddRow(t, NULL);
        LabTable_Put(t, n, count);
        for (int k = 0; k < FLIGHT_COUNT; ++k) {
            LabSample contacts = {0}, frames = {0};
            for (int i = 0; i < Lab_Choose(lab, 1, 3, 5) && Lab_GoesOn(lab); ++i) {
                Flight flight = fly(lab, count, speeds[sdMinI(k, SPEED_COUNT - 1)],
                                    k == SPEED_COUNT, (uint64_t)(i + 1));
                LabSample_Add(&contacts, flight.begun);
                LabSample_Add(&frames, flight.rate);
            }
            LabTable_PutSample(t, begun[k], &contacts);
            LabTable_PutSample(t, rate[k], &frames);
        }
    }
    LabPlot rates = {.name = "speed-rate",
                     .title = "Frames a second by speed of the bodies (figure 5.10)",
                     .text = "Whole steps of the world with an octree, one thread.",
                     .x = {"bodies", ""},
                     .y = {"frames a second", "1/s", .isLog = true}};
    LabPlot contacts = {.name = "speed-contacts",
                        .title = "Contacts that begin",
                        .text = "Twice the speed, twice the encounters.",
                        .x = {"bodies", ""},
                        .y = {"contacts begun a second", "1/s", .isLog = true}};
    for (int k = 0; k < FLIGHT_COUNT; ++k) {
        const char* name = flightName(lab, k);
        rates.series[k] = (LabSeries){t, n, rate[k], name};
        contacts.series[k] = (LabSeries){t, n, begun[k], name};
    }
    Lab_AddPlot(lab, rates);
    Lab_AddPlot(lab, contacts);
    int last = LabTable_GetRowCount(t) - 1;
    double slow = LabTable_Get(t, last, begun[0]), fast = LabTable_Get(t, last, begun[3]);
    double bodies = LabTable_Get(t, last, n);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "Faster bodies collide more often in the same time.",
                          .document = "given as the likely reason of fewer frames",
                          .ours = Lab_Text(lab,
                                           "%.0f cubes: %.0f contacts begin in a second at 1 m/s, "
                                           "%.0f at 10 m/s",
                                           bodies, slow, fast),
                          .agrees = fast > 4.0 * slow,
                          .why = "The way that a body sweeps in a second grows with its speed."});
    double at1 = LabTable_Get(t, last, rate[0]), at20 = LabTable_Get(t, last, rate[4]);
    double at10 = LabTable_Get(t, last, rate[3]);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "More speed costs a few frames, and high speeds hardly differ.",
                          .document = "\"malog pada u brzini iscrtavanja\"",
                          .ours = Lab_Text(lab,
                                           "%.0f cubes: %.0f frames a second at 1 m/s, %.0f at 10, "
                                           "%.0f at 20 m/s",
                                           bodies, at1, at10, at20),
                          .agrees = at20 < at1 && at20 > 0.3 * at1 && at20 > 0.6 * at10,
                          .isExplained = at20 < at1 && fast > 4.0 * slow,
                          .why = "Only the few pairs that touch cost more when there are more of "
                                 "them; the rest of a frame does not know of speed.",
                          .isTimed = true});
    double way = LabTable_Get(t, last, rate[SPEED_COUNT]);
    Lab_AddFinding(lab, (LabFinding){.claim = "Looking at bodies on their way costs much more.",
                                     .ours = Lab_Text(lab,
                                                      "at 20 m/s %.0f frames a second discrete, "
                                                      "%.0f continuous",
                                                      at20, way),
                                     .agrees = way<at20, .isExplained = fast> slow,
                                     .why = "The document's program does not do it: a cube that "
                                            "goes through a corner of another between two frames "
                                            "is not seen.",
                                     .isTimed = true});
}

const LabExperiment labSpeed = {
    .name = "speed",
    .title = "Speed of the bodies",
    .source = "S1 §5.4, figure 5.10",
    .question = "Does detection cost more when bodies are faster?",
    .setup =
        "The scene \"cubes\" (elastic cubes of 1 m in the room of 20 m) with an octree, all "
        "cubes at one speed. Here they do bounce off each other: whole steps of a world, with "
        "detection where bodies stand, as in the document, and once with continuous detection.",
    .document = "A small drop of frames a second with speed, perhaps because there are more "
                "collisions in the same time; higher speeds do not differ much.",
    .run = runSpeed,
};

// ---- triangles of a body (figures 5.12, 5.13) ----------------------------------------------

#define DETAIL_COUNT 6
static const int triangleCounts[DETAIL_COUNT] = {8, 12, 20, 40, 80, 216};

/// A body of so many triangles; NULL, and the run has failed, when there is none.
static sdMesh* makeBody(Lab* lab, int triangles) {
    sdMesh* mesh = NULL;
    sdResult result = triangles == 12    ? sdModel_Create(NULL, SD_MODEL_BOX, 1.0f, &mesh)
                      : triangles == 216 ? sdModel_Create(NULL, SD_MODEL_RING, 1.0f, &mesh)
                                         : sdModel_CreateOctahedron(NULL, triangles, 1.0f, &mesh);
    Lab_Check(lab, result, "a body");
    return mesh;
}

static void runDetail(Lab* lab) {
    static const int bodies[2] = {300, 500};
    LabTable* t = Lab_AddTable(lab, "detail", "Bodies in balls of 1 m: a frame");
    int triangles = LabTable_AddColumn(t, "triangles", ""), tests[2], rate[2], pairs[2];
    for (int k = 0; k < 2; ++k) {
        tests[k] = LabTable_AddColumn(t, Lab_Text(lab, "%d bodies, triangle tests", bodies[k]), "");
        pairs[k] = LabTable_AddColumn(t, Lab_Text(lab, "%d bodies, touching", bodies[k]), "");
        rate[k] = LabTable_AddColumn(t, Lab_Text(lab, "%d bodies, frames", bodies[k]), "1/s");
    }
    for (int i = 0; i < Lab_Choose(lab, 4, DETAIL_COUNT, DETAIL_COUNT) && Lab_GoesOn(lab); ++i) {
        sdMesh* mesh = makeBody(lab, triangleCounts[i]);
        LabTable_AddRow(t, NULL);
        LabTable_Put(t, triangles, triangleCounts[i]);
        for (int k = 0; k < 2 && mesh != NULL; ++k) {
            LabSample made = {0}, frames = {0}, touching = {0};
            for (int r = 0; r < Lab_Choose(lab, 1, 3, 5) && Lab_GoesOn(lab); ++r) {
                LabRoomDef def = LabRoomDef_Default(bodies[k], 1.0f);
                def.leastDiameter = def.mostDiameter = 1.0f;
                def.mesh = mesh;
                def.seed = (uint64_t)(r + 1);
                LabFrames f = LabRoom_Run(lab, &def, Lab_Choose(lab, 1, 2, 10));
                LabSample_Add(&made, f.triangleTests / f.count);
                LabSample_Add(&touching, f.touchingPairs / f.count);
                LabSample_Add(&frames, f.count / f.seconds);
            }
            LabTable_PutSample(t, tests[k], &made);
            LabTable_PutSample(t, pairs[k], &touching);
            LabTable_PutSample(t, rate[k], &frames);
        }
        sdMesh_Release(mesh);
    }
    Lab_AddPlot(lab, (LabPlot){.name = "detail-rate",
                               .title = "Frames a second by triangles of a body (figure 5.13)",
                               .text = "Octahedra of 8, 20, 40 and 80 triangles, cubes of 12, "
                                       "rings of 216, all in balls of 1 m.",
                               .x = {"triangles of a body", "", .isLog = true},
                               .y = {"frames a second", "1/s", .isLog = true},
                               .series = {{t, triangles, rate[0], "300 bodies"},
                                          {t, triangles, rate[1], "500 bodies"}}});
    Lab_AddPlot(lab, (LabPlot){.name = "detail-tests",
                               .title = "The same: triangle tests",
                               .text = "A straight line of slope 2.",
                               .x = {"triangles of a body", "", .isLog = true},
                               .y = {"triangle tests a frame", "", .isLog = true},
                               .series = {{t, triangles, tests[0], "300 bodies"},
                                          {t, triangles, tests[1], "500 bodies"}}});
    double p = LabTable_FitExponent(t, triangles, tests[1]);
    double q = LabTable_FitExponent(t, triangles, rate[1]);
    Lab_AddFinding(
        lab, (LabFinding){.claim = "Though triangles are tested in the narrow phase only, more of "
                                   "them cost many frames.",
                          .document = "figures 5.12 and 5.13; \"znatno smanjuje\"",
                          .ours = Lab_Text(lab,
                                           "500 bodies: tests grow with exponent %.2f, frames a "
                                           "second with %.2f",
                                           p, q),
                          .agrees = p > 1.9 && p < 2.1,
                          .why = "Every triangle of one is tested against every one of the other: "
                                 "the square of their number, for each pair whose balls overlap."});
}

const LabExperiment labDetail = {
    .name = "detail",
    .title = "Triangles of a body",
    .source = "S1 §5.5, figures 5.11 to 5.13",
    .question = "How does a frame grow with the triangles of the bodies?",
    .setup = "300 and 500 bodies in balls of 1 m diameter in the room of 20 m, with octree and "
             "balls. For each pair whose balls overlap all triangles are tested against all, "
             "really, one by one.",
    .document = "Frames a second fall considerably with the number of triangles, although these "
                "are tested in the narrow phase only; that phase should be improved.",
    .run = runDetail,
};
