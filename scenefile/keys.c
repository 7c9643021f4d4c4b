// SPDX-License-Identifier: MIT
// keys.c - the tables of keys.h.
//
// Note: ranges are those that the library checks, where they are a pair of numbers; what depends on
//       more than one number is left to it.

#include "keys.h"

#include <float.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))
#define AT(type, field) offsetof(type, field)
#define TABLE(tableName, tableId, tableText, tableKeys)                                            \
    {                                                                                              \
        .name = (tableName), .id = (tableId), .text = (tableText), .keys = (tableKeys),            \
        .keyCount = COUNT(tableKeys)                                                               \
    }

#define MAX_LENGTH SD_MAX_COORDINATE
#define MAX_BITS 4294967295.0
#define MAX_INT 2147483647.0
#define LARGEST ((double)FLT_MAX)

// ---- units ---------------------------------------------------------------------------------

static const struct {
    const char* word;
    sdUnit unit;
    double factor;
} units[] = {
    {"m", SD_UNIT_LENGTH, 1.0},
    {"km", SD_UNIT_LENGTH, 1e3},
    {"cm", SD_UNIT_LENGTH, 1e-2},
    {"mm", SD_UNIT_LENGTH, 1e-3},
    {"um", SD_UNIT_LENGTH, 1e-6},
    {"in", SD_UNIT_LENGTH, 0.0254},
    {"ft", SD_UNIT_LENGTH, 0.3048},
    {"rad", SD_UNIT_ANGLE, 1.0},
    {"deg", SD_UNIT_ANGLE, 0.017453292519943295},
    {"s", SD_UNIT_TIME, 1.0},
    {"ms", SD_UNIT_TIME, 1e-3},
    {"min", SD_UNIT_TIME, 60.0},
    {"kg", SD_UNIT_MASS, 1.0},
    {"g", SD_UNIT_MASS, 1e-3},
    {"t", SD_UNIT_MASS, 1e3},
    {"m/s", SD_UNIT_SPEED, 1.0},
    {"mm/s", SD_UNIT_SPEED, 1e-3},
    {"cm/s", SD_UNIT_SPEED, 1e-2},
    {"km/h", SD_UNIT_SPEED, 1.0 / 3.6},
    {"rad/s", SD_UNIT_ANGULAR_SPEED, 1.0},
    {"deg/s", SD_UNIT_ANGULAR_SPEED, 0.017453292519943295},
    {"rpm", SD_UNIT_ANGULAR_SPEED, 0.10471975511965977},
    {"m/s2", SD_UNIT_ACCELERATION, 1.0},
    {"kg/m3", SD_UNIT_DENSITY, 1.0},
    {"g/cm3", SD_UNIT_DENSITY, 1e3},
    {"Hz", SD_UNIT_FREQUENCY, 1.0},
    {"1/s", SD_UNIT_RATE, 1.0},
    {"N", SD_UNIT_FORCE, 1.0},
    {"kN", SD_UNIT_FORCE, 1e3},
    {"N m", SD_UNIT_TORQUE, 1.0},
    {"kN m", SD_UNIT_TORQUE, 1e3},
    {"kg m2", SD_UNIT_INERTIA, 1.0},
};

static const struct {
    const char *name, *words;
} unitNames[SD_UNIT_COUNT] = {
    [SD_UNIT_NONE] = {"a plain number", "none"},
    [SD_UNIT_LENGTH] = {"a length", "m, km, cm, mm, um, in, ft"},
    [SD_UNIT_ANGLE] = {"an angle", "rad, deg"},
    [SD_UNIT_TIME] = {"a time", "s, ms, min"},
    [SD_UNIT_MASS] = {"a mass", "kg, g, t"},
    [SD_UNIT_SPEED] = {"a speed", "m/s, mm/s, cm/s, km/h"},
    [SD_UNIT_ANGULAR_SPEED] = {"an angular speed", "rad/s, deg/s, rpm"},
    [SD_UNIT_ACCELERATION] = {"an acceleration", "m/s2"},
    [SD_UNIT_DENSITY] = {"a density", "kg/m3, g/cm3"},
    [SD_UNIT_FREQUENCY] = {"a frequency", "Hz"},
    [SD_UNIT_RATE] = {"a rate", "1/s"},
    [SD_UNIT_FORCE] = {"a force", "N, kN"},
    [SD_UNIT_TORQUE] = {"a torque", "N m, kN m"},
    [SD_UNIT_INERTIA] = {"a moment of inertia", "kg m2"},
    [SD_UNIT_DRIVE] = {"an amount along or about an axis", "those of moving or of turning"},
};

const char* sdUnit_Name(sdUnit unit) {
    return unitNames[unit].name;
}

const char* sdUnit_Words(sdUnit unit) {
    return unitNames[unit].words;
}

bool sdUnit_Find(const char* word, sdUnit* unit, double* factor) {
    for (int i = 0; i < COUNT(units); ++i) {
        if (strcmp(units[i].word, word) == 0) {
            *unit = units[i].unit;
            *factor = units[i].factor;
            return true;
        }
    }
    return false;
}

// ---- words ---------------------------------------------------------------------------------

static const sdWord integratorWords[] = {{"semi-implicit", SD_INTEGRATOR_SEMI_IMPLICIT},
                                         {"explicit-euler", SD_INTEGRATOR_EXPLICIT_EULER},
                                         {"rk4", SD_INTEGRATOR_RK4},
                                         {NULL, 0}};
static const sdWord solverWords[] = {
    {"soft", SD_SOLVER_SOFT}, {"impulse", SD_SOLVER_IMPULSE}, {NULL, 0}};
static const sdWord narrowphaseWords[] = {{"auto", SD_NARROWPHASE_AUTO},
                                          {"gjk", SD_NARROWPHASE_GJK},
                                          {"sat", SD_NARROWPHASE_SAT},
                                          {"vclip", SD_NARROWPHASE_VCLIP},
                                          {NULL, 0}};
static const sdWord orderWords[] = {
    {"new", SD_ORDER_NEW}, {"ordinary", SD_ORDER_ORDINARY}, {NULL, 0}};
static const sdWord detectionWords[] = {
    {"each-pass", SD_DETECT_EACH_PASS}, {"each-impulse", SD_DETECT_EACH_IMPULSE}, {NULL, 0}};
static const sdWord motionWords[] = {
    {"together", SD_MOTION_TOGETHER}, {"one-by-one", SD_MOTION_ONE_BY_ONE}, {NULL, 0}};
static const sdWord jointingWords[] = {
    {"together", SD_JOINTS_TOGETHER}, {"one-by-one", SD_JOINTS_ONE_BY_ONE}, {NULL, 0}};
static const sdWord combineWords[] = {{"geometric-mean", SD_COMBINE_GEOMETRIC_MEAN},
                                      {"average", SD_COMBINE_AVERAGE},
                                      {"minimum", SD_COMBINE_MINIMUM},
                                      {"maximum", SD_COMBINE_MAXIMUM},
                                      {"product", SD_COMBINE_PRODUCT},
                                      {NULL, 0}};
static const sdWord broadphaseWords[] = {{"tree", SD_BROADPHASE_TREE},
                                         {"octree", SD_BROADPHASE_OCTREE},
                                         {"sap", SD_BROADPHASE_SAP},
                                         {"brute", SD_BROADPHASE_BRUTE},
                                         {"all-pairs", SD_BROADPHASE_ALL_PAIRS},
                                         {NULL, 0}};
static const sdWord builderWords[] = {
    {"hilbert", SD_TREE_HILBERT},     {"morton", SD_TREE_MORTON},
    {"top-down", SD_TREE_TOP_DOWN},   {"bottom-up", SD_TREE_BOTTOM_UP},
    {"insertion", SD_TREE_INSERTION}, {NULL, 0}};
static const sdWord bodyTypeWords[] = {{"static", SD_BODY_STATIC},
                                       {"kinematic", SD_BODY_KINEMATIC},
                                       {"dynamic", SD_BODY_DYNAMIC},
                                       {NULL, 0}};
static const sdWord lockWords[] = {{"x", SD_LOCK_X},
                                   {"y", SD_LOCK_Y},
                                   {"z", SD_LOCK_Z},
                                   {"rotation-x", SD_LOCK_ROTATION_X},
                                   {"rotation-y", SD_LOCK_ROTATION_Y},
                                   {"rotation-z", SD_LOCK_ROTATION_Z},
                                   {NULL, 0}};
static const sdWord jointWords[] = {{"ball", SD_JOINT_BALL},         {"hinge", SD_JOINT_HINGE},
                                    {"slider", SD_JOINT_SLIDER},     {"fixed", SD_JOINT_FIXED},
                                    {"distance", SD_JOINT_DISTANCE}, {"motor", SD_JOINT_MOTOR},
                                    {"six", SD_JOINT_SIX},           {NULL, 0}};
static const sdWord modeWords[] = {
    {"free", SD_AXIS_FREE}, {"limited", SD_AXIS_LIMITED}, {"locked", SD_AXIS_LOCKED}, {NULL, 0}};
static const sdWord driveWords[] = {{"none", SD_DRIVE_NONE},
                                    {"motor", SD_DRIVE_MOTOR},
                                    {"spring", SD_DRIVE_SPRING},
                                    {"friction", SD_DRIVE_FRICTION},
                                    {NULL, 0}};
static const sdWord hullWords[] = {
    {"quick", SD_HULL_QUICK}, {"incremental", SD_HULL_INCREMENTAL}, {NULL, 0}};
static const sdWord routeWords[] = {{"auto", SD_CONCAVE_AUTO},
                                    {"field", SD_CONCAVE_FIELD},
                                    {"triangles", SD_CONCAVE_TRIANGLES},
                                    {NULL, 0}};
static const sdWord signWords[] = {{"auto", SD_FIELD_SIGN_AUTO},
                                   {"pseudo-normal", SD_FIELD_SIGN_PSEUDO_NORMAL},
                                   {"parity", SD_FIELD_SIGN_PARITY},
                                   {"winding", SD_FIELD_SIGN_WINDING},
                                   {NULL, 0}};
static const sdWord layoutWords[] = {
    {"sparse", SD_FIELD_SPARSE}, {"dense", SD_FIELD_DENSE}, {NULL, 0}};
static const sdWord repairWords[] = {{"weld", SD_MESH_WELD},
                                     {"drop-degenerate", SD_MESH_DROP_DEGENERATE},
                                     {"drop-duplicate", SD_MESH_DROP_DUPLICATE},
                                     {"orient", SD_MESH_ORIENT},
                                     {NULL, 0}};
/// As sdModel_Name has them; a test compares.
static const sdWord modelWords[] = {
    {"box", SD_MODEL_BOX},           {"sphere", SD_MODEL_SPHERE},
    {"torus", SD_MODEL_TORUS},       {"ring", SD_MODEL_RING},
    {"post", SD_MODEL_POST},         {"skull", SD_MODEL_SKULL},
    {"bone", SD_MODEL_BONE},         {"bolt", SD_MODEL_BOLT},
    {"nut", SD_MODEL_NUT},           {"chain-link", SD_MODEL_CHAIN_LINK},
    {"star", SD_MODEL_STAR},         {"bowl", SD_MODEL_BOWL},
    {"tetrapod", SD_MODEL_TETRAPOD}, {NULL, 0}};

// ---- settings ------------------------------------------------------------------------------

static const sdKey broadphaseKeys[] = {
    {"kind", SD_KEY_WORD, AT(sdBroadphaseDef, kind), .words = broadphaseWords,
     .text = "how pairs of boxes are found"},
    {"margin", SD_KEY_FLOAT, AT(sdBroadphaseDef, margin), 0, 1e6, SD_UNIT_LENGTH,
     .text = "by which boxes are grown on each side, at most"},
    {"marginFraction", SD_KEY_FLOAT, AT(sdBroadphaseDef, marginFraction), 0, 1e3,
     .text = "of a box's longest side, by which it is grown, at most"},
    {"prediction", SD_KEY_FLOAT, AT(sdBroadphaseDef, prediction), 0, 1e3,
     .text = "times its last way that a moving box is grown ahead"},
    {"maxPairs", SD_KEY_INT, AT(sdBroadphaseDef, maxPairs), 1, SD_BROADPHASE_MAX_PAIRS,
     .text = "more are refused"},
    {"treeBuilder", SD_KEY_WORD, AT(sdBroadphaseDef, treeBuilder), .words = builderWords,
     .text = "of a tree, when it is built anew"},
    {"octreeMaxDepth", SD_KEY_INT, AT(sdBroadphaseDef, octreeMaxDepth), 0, SD_OCTREE_MAX_DEPTH,
     .text = "of cells below the first"},
    {"octreeSplitLimit", SD_KEY_INT, AT(sdBroadphaseDef, octreeSplitLimit), 1, 1e6,
     .text = "a cell with more bodies is split"},
    {"octreeMergeLimit", SD_KEY_INT, AT(sdBroadphaseDef, octreeMergeLimit), 0, 1e6,
     .text = "eight cells with so few bodies become one"},
    {"octreeMaxCopies", SD_KEY_FLOAT, AT(sdBroadphaseDef, octreeMaxCopies), 1, 8,
     .text = "cells of the eight that each body would stand in, on average, at most"},
    {"sapAxisCount", SD_KEY_INT, AT(sdBroadphaseDef, sapAxisCount), 1, 3,
     .text = "axes along which ends are kept sorted"},
    {"enableTiming", SD_KEY_BOOL, AT(sdBroadphaseDef, enableTiming),
     .text = "measure the times of updates"},
};
static const sdTable broadphaseTable =
    TABLE("broadphase", "broadphase", "Which boxes meet: sdBroadphaseDef.", broadphaseKeys);

static const sdKey impulseKeys[] = {
    {"order", SD_KEY_WORD, AT(sdImpulseDef, order), .words = orderWords,
     .text = "in which a step is made"},
    {"detection", SD_KEY_WORD, AT(sdImpulseDef, detection), .words = detectionWords,
     .text = "when it is looked where bodies touch"},
    {"motion", SD_KEY_WORD, AT(sdImpulseDef, motion), .words = motionWords,
     .text = "how bodies get their new positions"},
    {"joints", SD_KEY_WORD, AT(sdImpulseDef, joints), .words = jointingWords,
     .text = "how joints are solved"},
    {"collisionPassCount", SD_KEY_INT, AT(sdImpulseDef, collisionPassCount), 0, 1000,
     .text = "how far an impact goes from body to body in a step"},
    {"contactPassCount", SD_KEY_INT, AT(sdImpulseDef, contactPassCount), 0, 1000,
     .text = "passes over all contacts"},
    {"jointPassCount", SD_KEY_INT, AT(sdImpulseDef, jointPassCount), 1, 1000,
     .text = "passes over all joints, at most"},
    {"jointTolerance", SD_KEY_FLOAT, AT(sdImpulseDef, jointTolerance), 0, 1e6, SD_UNIT_LENGTH,
     .text = "by which joints may be apart"},
    {"seed", SD_KEY_BITS, AT(sdImpulseDef, seed), 0, MAX_BITS, .text = "of the order of pairs"},
    {"enableShock", SD_KEY_BOOL, AT(sdImpulseDef, enableShock),
     .text = "stop bodies from the ground up"},
    {"enableGraph", SD_KEY_BOOL, AT(sdImpulseDef, enableGraph),
     .text = "contact passes go from the ground up"},
};
static const sdTable impulseTable =
    TABLE("impulse", "impulse", "Settings of the impulse solver: sdImpulseDef.", impulseKeys);

static const sdKey settingsKeys[] = {
    {"gravity", SD_KEY_VECTOR, AT(sdWorldDef, gravity), -1e9, 1e9, SD_UNIT_ACCELERATION,
     .text = "acceleration of all bodies"},
    {"solver", SD_KEY_WORD, AT(sdWorldDef, solver), .words = solverWords,
     .text = "how contacts and joints are solved"},
    {"impulse", SD_KEY_OBJECT, AT(sdWorldDef, impulse), .table = &impulseTable,
     .text = "settings of the impulse solver"},
    {"subStepCount", SD_KEY_INT, AT(sdWorldDef, subStepCount), 1, 64,
     .text = "of a step: more are more accurate, and cost as much more"},
    {"jointSubStepCount", SD_KEY_INT, AT(sdWorldDef, jointSubStepCount), 1, 64,
     .text = "the same of bodies on which only joints act"},
    {"maxPartCount", SD_KEY_INT, AT(sdWorldDef, maxPartCount), 1, 64,
     .text = "whole steps that a step is divided into at most, for small meshes that move"},
    {"integrator", SD_KEY_WORD, AT(sdWorldDef, integrator), .words = integratorWords,
     .text = "how free motion is carried forward in time"},
    {"broadphase", SD_KEY_OBJECT, AT(sdWorldDef, broadphase), .table = &broadphaseTable,
     .text = "which boxes meet"},
    {"narrowphase", SD_KEY_WORD, AT(sdWorldDef, narrowphase), .words = narrowphaseWords,
     .text = "where convex shapes touch: by the fastest algorithm for each pair, or by this one"},
    {"combineFriction", SD_KEY_WORD, AT(sdWorldDef, combineFriction), .words = combineWords,
     .text = "what two frictions become where bodies meet"},
    {"combineRestitution", SD_KEY_WORD, AT(sdWorldDef, combineRestitution), .words = combineWords,
     .text = "what two restitutions become where bodies meet"},
    {"slop", SD_KEY_FLOAT, AT(sdWorldDef, slop), 0, 1e6, SD_UNIT_LENGTH,
     .text = "overlap that resting contacts keep"},
    {"pushRate", SD_KEY_FLOAT, AT(sdWorldDef, pushRate), 0, 1e6, SD_UNIT_RATE,
     .text = "share of a small overlap that goes in a second"},
    {"maxPushSpeed", SD_KEY_FLOAT, AT(sdWorldDef, maxPushSpeed), 0, 1e9, SD_UNIT_SPEED,
     .text = "at which overlaps are pushed apart at most"},
    {"enableDirect", SD_KEY_BOOL, AT(sdWorldDef, enableDirect),
     .text = "solve slender islands (towers, arches) all at once, besides"},
    {"enableContinuous", SD_KEY_BOOL, AT(sdWorldDef, enableContinuous),
     .text = "look at fast bodies on their way through a step"},
    {"hitSpeed", SD_KEY_FLOAT, AT(sdWorldDef, hitSpeed), 0, 1e9, SD_UNIT_SPEED,
     .text = "above which two that meet are told as a hit"},
    {"enableSleep", SD_KEY_BOOL, AT(sdWorldDef, enableSleep),
     .text = "let what is at rest fall asleep"},
    {"sleepSpeed", SD_KEY_FLOAT, AT(sdWorldDef, sleepSpeed), 0, 1e9, SD_UNIT_SPEED,
     .text = "at a body's rim, below which it may fall asleep"},
    {"sleepTime", SD_KEY_FLOAT, AT(sdWorldDef, sleepTime), 0, 1e9, SD_UNIT_TIME,
     .text = "that all of an island must be slow"},
};
const sdTable sdSettingsTable =
    TABLE("settings", "settings", "Settings of the world: sdWorldDef.", settingsKeys);

// ---- materials and meshes ------------------------------------------------------------------

static const sdKey materialKeys[] = {
    {"staticFriction", SD_KEY_FLOAT, AT(sdMaterial, staticFriction), 0, LARGEST,
     .text = "largest tangential over normal force while nothing slides"},
    {"slidingFriction", SD_KEY_FLOAT, AT(sdMaterial, slidingFriction), 0, LARGEST,
     .text = "the same while it does; not more than staticFriction, which it follows down"},
    {"restitution", SD_KEY_FLOAT, AT(sdMaterial, restitution), 0, 1,
     .text = "speed of parting over speed of approach"},
    {"rollingFriction", SD_KEY_FLOAT, AT(sdMaterial, rollingFriction), 0, LARGEST, SD_UNIT_LENGTH,
     .text = "largest torque against rolling over normal force"},
    {"spinFriction", SD_KEY_FLOAT, AT(sdMaterial, spinFriction), 0, LARGEST, SD_UNIT_LENGTH,
     .text = "the same about the normal"},
};
const sdTable sdMaterialTable =
    TABLE("a material", "material", "What a surface does to another: sdMaterial.", materialKeys);

static const sdKey modelKeys[] = {
    {"model", SD_KEY_WORD, AT(sdMeshDoc, model), .words = modelWords, .isRequired = true,
     .text = "a body that comes with the library"},
    {"size", SD_KEY_FLOAT, AT(sdMeshDoc, size), 1e-6, 1e6, SD_UNIT_LENGTH, .isRequired = true,
     .text = "longest side of its box"},
};
static const sdTable modelTable =
    TABLE("a model", "model-mesh", "A procedural body: models.h.", modelKeys);

static const sdKey pathKeys[] = {
    {"path", SD_KEY_TEXT, AT(sdMeshDoc, path), .isRequired = true,
     .text = "of a mesh file, seen from the folder of the scene file"},
    {"scale", SD_KEY_FLOAT, AT(sdMeshDoc, scale), 1e-9, 1e9,
     .text = "metres of one unit of the file"},
    {"repairs", SD_KEY_WORDS, AT(sdMeshDoc, repairs), .words = repairWords,
     .text = "that are made; all of them by default"},
    {"weldDistance", SD_KEY_FLOAT, AT(sdMeshDoc, weldDistance), 0, 1e6, SD_UNIT_LENGTH,
     .text = "up to which vertices are joined"},
};
static const sdTable pathTable =
    TABLE("a mesh by path", "file-mesh", "A mesh in a file of its own.", pathKeys);

static const sdKey inlineKeys[] = {
    {"vertices", SD_KEY_NODE, AT(sdMeshDoc, vertices), 0, 0, SD_UNIT_LENGTH,
     .form = SD_FORM_NUMBERS, .isRequired = true, .text = "x, y, z of one after the other, m"},
    {"triangles", SD_KEY_NODE, AT(sdMeshDoc, triangles), .form = SD_FORM_INTEGERS,
     .isRequired = true,
     .text = "three vertices each, counter-clockwise seen from outside, counted from 0"},
    {"repairs", SD_KEY_WORDS, AT(sdMeshDoc, repairs), .words = repairWords,
     .text = "that are made; none by default"},
    {"weldDistance", SD_KEY_FLOAT, AT(sdMeshDoc, weldDistance), 0, 1e6, SD_UNIT_LENGTH,
     .text = "up to which vertices are joined"},
};
static const sdTable inlineTable =
    TABLE("a mesh", "inline-mesh", "A mesh that stands here.", inlineKeys);

static const sdTable* const meshVariants[] = {&modelTable, &pathTable, &inlineTable};
const sdTable sdMeshTable = {.name = "a mesh",
                             .id = "mesh",
                             .text = "Triangles, by one of three keys: model, path or vertices.",
                             .variants = meshVariants,
                             .variantCount = COUNT(meshVariants)};

// ---- shapes --------------------------------------------------------------------------------

#define TAG                                                                                        \
    { "type", SD_KEY_TAG, .isRequired = true, .text = "kind of shape" }
#define RADIUS(field)                                                                              \
    {                                                                                              \
        "radius", SD_KEY_FLOAT, AT(sdShapeDoc, shape.field), 0, MAX_LENGTH, SD_UNIT_LENGTH,        \
            .isRequired = true, .text = "m"                                                        \
    }
#define HALF_HEIGHT(field)                                                                         \
    {                                                                                              \
        "halfHeight", SD_KEY_FLOAT, AT(sdShapeDoc, shape.field), 0, MAX_LENGTH, SD_UNIT_LENGTH,    \
            .isRequired = true, .text = "from the middle to either end, along y"                   \
    }
#define MESH                                                                                       \
    {                                                                                              \
        "mesh", SD_KEY_NODE, AT(sdShapeDoc, mesh), .form = SD_FORM_NAME_OR_OBJECT,                 \
                                                   .table = &sdMeshTable, .isRequired = true,      \
                                                   .text = "by name, or here"                      \
    }

static const sdKey sphereKeys[] = {TAG, RADIUS(sphere.radius)};
static const sdTable sphereTable = TABLE("a sphere", "sphere", NULL, sphereKeys);

static const sdKey capsuleKeys[] = {
    TAG,
    {"halfLength", SD_KEY_FLOAT, AT(sdShapeDoc, shape.capsule.halfLength), 0, MAX_LENGTH,
     SD_UNIT_LENGTH, .isRequired = true, .text = "of its segment, along y"},
    RADIUS(capsule.radius)};
static const sdTable capsuleTable = TABLE("a capsule", "capsule", NULL, capsuleKeys);

static const sdKey boxKeys[] = {
    TAG,
    {"halfExtents", SD_KEY_VECTOR, AT(sdShapeDoc, shape.box.halfExtents), 0, MAX_LENGTH,
     SD_UNIT_LENGTH, .isRequired = true, .text = "halves of its sides"}};
static const sdTable boxTable = TABLE("a box", "box", NULL, boxKeys);

static const sdKey cylinderKeys[] = {TAG, HALF_HEIGHT(cylinder.halfHeight),
                                     RADIUS(cylinder.radius)};
static const sdTable cylinderTable = TABLE("a cylinder", "cylinder", NULL, cylinderKeys);

static const sdKey coneKeys[] = {TAG, HALF_HEIGHT(cone.halfHeight), RADIUS(cone.radius)};
static const sdTable coneTable =
    TABLE("a cone", "cone", "Apex at +halfHeight, base at -halfHeight.", coneKeys);

static const sdKey triangleKeys[] = {TAG,
                                     {"vertices", SD_KEY_NODE, AT(sdShapeDoc, vertices), 0, 0,
                                      SD_UNIT_LENGTH, .form = SD_FORM_NUMBERS, .isRequired = true,
                                      .text = "nine numbers: x, y, z of each corner"}};
static const sdTable triangleTable = TABLE("a triangle", "triangle", NULL, triangleKeys);

static const sdKey hullKeys[] = {
    TAG,
    {"points", SD_KEY_NODE, AT(sdShapeDoc, points), 0, 0, SD_UNIT_LENGTH, .form = SD_FORM_NUMBERS,
     .text = "x, y, z of one after the other; or give a mesh"},
    {"mesh", SD_KEY_NODE, AT(sdShapeDoc, mesh), .form = SD_FORM_NAME_OR_OBJECT,
     .table = &sdMeshTable, .text = "whose vertices are the points"},
    {"method", SD_KEY_WORD, AT(sdShapeDoc, method), .words = hullWords, .text = "how it is built"},
    {"maxVertexCount", SD_KEY_INT, AT(sdShapeDoc, maxVertexCount), 0, MAX_INT,
     .text = "0: no limit, else at least 4"}};
static const sdTable hullTable = TABLE("a hull", "hull", "The convex hull of points.", hullKeys);

static const sdKey halfSpaceKeys[] = {TAG};
static const sdTable halfSpaceTable =
    TABLE("a half-space", "half-space", "All below y = 0: a floor.", halfSpaceKeys);

static const sdKey meshShapeKeys[] = {TAG, MESH};
static const sdTable meshShapeTable =
    TABLE("a mesh", "mesh", "For bodies that are not dynamic.", meshShapeKeys);

static const sdKey fieldKeys[] = {
    {"resolution", SD_KEY_INT, AT(sdFieldDef, resolution), 0, SD_FIELD_MAX_RESOLUTION,
     .text = "cells along the longest side; 0: chosen from the mesh"},
    {"cellSize", SD_KEY_FLOAT, AT(sdFieldDef, cellSize), 0, MAX_LENGTH, SD_UNIT_LENGTH,
     .text = "0: from the resolution"},
    {"marginCells", SD_KEY_INT, AT(sdFieldDef, marginCells), 1, SD_FIELD_MAX_MARGIN,
     .text = "cells added on each side"},
    {"sign", SD_KEY_WORD, AT(sdFieldDef, sign), .words = signWords,
     .text = "how inside is told from outside"},
    {"layout", SD_KEY_WORD, AT(sdFieldDef, layout), .words = layoutWords,
     .text = "what is stored away from the surface"},
};
static const sdTable fieldTable =
    TABLE("a field", "field", "A signed distance field: sdFieldDef.", fieldKeys);

static const sdKey concaveKeys[] = {
    TAG,
    MESH,
    {"route", SD_KEY_WORD, AT(sdShapeDoc, concave.route), .words = routeWords,
     .text = "what collides: a distance field, or the triangles themselves"},
    {"field", SD_KEY_OBJECT, AT(sdShapeDoc, concave.field), .table = &fieldTable,
     .text = "its distance field"}};
static const sdTable concaveTable =
    TABLE("a concave shape", "concave", "A mesh that may move: concave.h.", concaveKeys);

static const sdKey partsKeys[] = {
    TAG,
    MESH,
    {"maxPartCount", SD_KEY_INT, AT(sdShapeDoc, decompose.maxPartCount), 1, SD_DECOMPOSE_MAX_PARTS,
     .text = "convex parts, at most"},
    {"maxConcavity", SD_KEY_FLOAT, AT(sdShapeDoc, decompose.maxConcavity), 0, 1,
     .text = "how far parts may bulge over the mesh, as a part of its diagonal"},
    {"resolution", SD_KEY_INT, AT(sdShapeDoc, decompose.resolution), SD_DECOMPOSE_MIN_RESOLUTION,
     SD_DECOMPOSE_MAX_RESOLUTION, .text = "cells along the longest side"},
    {"maxHullVertexCount", SD_KEY_INT, AT(sdShapeDoc, decompose.maxHullVertexCount), 0, MAX_INT,
     .text = "of each part; 0: no limit, else at least 4"}};
static const sdTable partsTable = TABLE("a decomposition", "convex-parts",
                                        "A mesh as convex parts: sdMesh_Decompose.", partsKeys);

static const sdKey compoundKeys[] = {TAG,
                                     {"children", SD_KEY_NODE, AT(sdShapeDoc, children),
                                      .form = SD_FORM_OBJECTS, .table = &sdChildTable,
                                      .isRequired = true, .text = "the shapes that it is made of"}};
static const sdTable compoundTable =
    TABLE("a compound", "compound", "Several shapes as one.", compoundKeys);

static const sdTable* const shapeVariants[] = {
    &sphereTable, &capsuleTable,   &boxTable,       &cylinderTable, &coneTable,  &triangleTable,
    &hullTable,   &halfSpaceTable, &meshShapeTable, &concaveTable,  &partsTable, &compoundTable};
const sdTable sdShapeTable = {.name = "a shape",
                              .id = "shape",
                              .text = "A shape: shapes.h, concave.h.",
                              .variants = shapeVariants,
                              .variantCount = COUNT(shapeVariants),
                              .isTagged = true};

#define POSE(type, field)                                                                          \
    {"position", SD_KEY_VECTOR,  AT(type, field.p), -MAX_LENGTH,                                   \
     MAX_LENGTH, SD_UNIT_LENGTH, .text = "m"},                                                     \
    {                                                                                              \
        "rotation", SD_KEY_ROTATION, AT(type, field.q), .text = "quaternion, or axis and angle"    \
    }

static const sdKey childKeys[] = {{"shape", SD_KEY_NODE, AT(sdChildDoc, shape),
                                   .form = SD_FORM_NAME_OR_OBJECT, .table = &sdShapeTable,
                                   .isRequired = true, .text = "by name, or here; not a compound"},
                                  POSE(sdChildDoc, xf)};
const sdTable sdChildTable = TABLE("a child", "child", "A shape of a compound.", childKeys);

// ---- bodies --------------------------------------------------------------------------------

static const sdKey filterKeys[] = {
    {"category", SD_KEY_BITS, AT(sdFilter, category), 0, MAX_BITS, .text = "bits"},
    {"mask", SD_KEY_BITS, AT(sdFilter, mask), 0, MAX_BITS, .text = "categories that it meets"},
    {"group", SD_KEY_INT, AT(sdFilter, group), -MAX_INT, MAX_INT,
     .text = "the same positive one always meets, the same negative one never; 0: none"}};
static const sdTable filterTable =
    TABLE("a filter", "filter", "Who meets whom: sdFilter.", filterKeys);

static const sdKey fixtureKeys[] = {
    {"shape", SD_KEY_NODE, AT(sdFixtureDoc, shape), .form = SD_FORM_NAME_OR_OBJECT,
     .table = &sdShapeTable, .isRequired = true, .text = "by name, or here"},
    POSE(sdFixtureDoc, def.xf),
    {"material", SD_KEY_NODE, AT(sdFixtureDoc, material), .form = SD_FORM_NAME_OR_OBJECT,
     .table = &sdMaterialTable, .text = "by name, or here"},
    {"density", SD_KEY_FLOAT, AT(sdFixtureDoc, def.density), 0, LARGEST, SD_UNIT_DENSITY,
     .text = "kg/m³; 0: adds no mass"},
    {"filter", SD_KEY_OBJECT, AT(sdFixtureDoc, def.filter), .table = &filterTable,
     .text = "who meets whom"},
    {"isSensor", SD_KEY_BOOL, AT(sdFixtureDoc, def.isSensor),
     .text = "reports what overlaps it, collides with nothing"},
    {"userData", SD_KEY_ID, AT(sdFixtureDoc, def.userData), .text = "a whole number of yours"}};
const sdTable sdFixtureTable =
    TABLE("a body's shape", "body-shape", "A shape on a body: sdShapeDef.", fixtureKeys);

static const sdKey massKeys[] = {
    {"mass", SD_KEY_FLOAT, AT(sdMassProps, mass), 1e-24, 1e24, SD_UNIT_MASS, .isRequired = true,
     .text = "kg"},
    {"center", SD_KEY_VECTOR, AT(sdMassProps, center), -MAX_LENGTH, MAX_LENGTH, SD_UNIT_LENGTH,
     .text = "of mass, in the body's frame"},
    {"inertia", SD_KEY_TENSOR, AT(sdMassProps, inertia), 0, 0, SD_UNIT_INERTIA, .isRequired = true,
     .text = "about the centre: nine numbers by columns, or the three of the diagonal"}};
static const sdTable massTable = TABLE("a mass", "mass", "Mass properties: sdMassProps.", massKeys);

static const sdKey bodyKeys[] = {
    {"name", SD_KEY_TEXT, AT(sdBodyDoc, name), .text = "for joints to refer to; unique"},
    {"type", SD_KEY_WORD, AT(sdBodyDoc, def.type), .words = bodyTypeWords,
     .text = "static by default"},
    {"position", SD_KEY_POSITION, AT(sdBodyDoc, def.position), -MAX_LENGTH, MAX_LENGTH,
     SD_UNIT_LENGTH, .text = "of the body's origin"},
    {"rotation", SD_KEY_ROTATION, AT(sdBodyDoc, def.rotation),
     .text = "quaternion, or axis and angle"},
    {"velocity", SD_KEY_VECTOR, AT(sdBodyDoc, def.velocity), -1e9, 1e9, SD_UNIT_SPEED,
     .text = "of the centre of mass, m/s"},
    {"angularVelocity", SD_KEY_VECTOR, AT(sdBodyDoc, def.angularVelocity), -1e9, 1e9,
     SD_UNIT_ANGULAR_SPEED, .text = "rad/s, in the world's axes"},
    {"linearDamping", SD_KEY_FLOAT, AT(sdBodyDoc, def.linearDamping), 0, LARGEST, SD_UNIT_RATE,
     .text = "velocity decays as exp(-damping t)"},
    {"angularDamping", SD_KEY_FLOAT, AT(sdBodyDoc, def.angularDamping), 0, LARGEST, SD_UNIT_RATE,
     .text = "the same of angular velocity"},
    {"gravityScale", SD_KEY_FLOAT, AT(sdBodyDoc, def.gravityScale), -1e9, 1e9,
     .text = "times the world's gravity"},
    {"locks", SD_KEY_WORDS, AT(sdBodyDoc, def.locks), .words = lockWords,
     .text = "directions in which it cannot move, in the world's axes"},
    {"enableSleep", SD_KEY_BOOL, AT(sdBodyDoc, def.enableSleep), .text = "may fall asleep"},
    {"isAwake", SD_KEY_BOOL, AT(sdBodyDoc, def.isAwake), .text = "at the start"},
    {"isBullet", SD_KEY_BOOL, AT(sdBodyDoc, def.isBullet),
     .text = "is looked at on its way in every step"},
    {"isEnabled", SD_KEY_BOOL, AT(sdBodyDoc, isEnabled), .text = "takes part"},
    {"userData", SD_KEY_ID, AT(sdBodyDoc, def.userData), .text = "a whole number of yours"},
    {"mass", SD_KEY_OBJECT, AT(sdBodyDoc, mass), .table = &massTable,
     .text = "instead of that of its shapes"},
    {"shapes", SD_KEY_NODE, AT(sdBodyDoc, shapes), .form = SD_FORM_OBJECTS,
     .table = &sdFixtureTable, .text = "what it is made of"}};
const sdTable sdBodyTable = TABLE("a body", "body", "A rigid body: sdBodyDef.", bodyKeys);

// ---- joints --------------------------------------------------------------------------------

static const sdKey axisKeys[] = {
    {"mode", SD_KEY_WORD, AT(sdJointAxis, mode), .words = modeWords, .text = "free by default"},
    {"lower", SD_KEY_FLOAT, AT(sdJointAxis, lower), -LARGEST, LARGEST, SD_UNIT_DRIVE,
     .text = "of a limited axis: m or rad"},
    {"upper", SD_KEY_FLOAT, AT(sdJointAxis, upper), -LARGEST, LARGEST, SD_UNIT_DRIVE,
     .text = "of a limited axis: m or rad"},
    {"drive", SD_KEY_WORD, AT(sdJointAxis, drive), .words = driveWords,
     .text = "what acts along or about it"},
    {"target", SD_KEY_FLOAT, AT(sdJointAxis, target), -LARGEST, LARGEST, SD_UNIT_DRIVE,
     .text = "speed of a motor, place of a spring"},
    {"maxForce", SD_KEY_FLOAT, AT(sdJointAxis, maxForce), 0, LARGEST, SD_UNIT_DRIVE,
     .text = "of the drive: N or N m"},
    {"frequency", SD_KEY_FLOAT, AT(sdJointAxis, frequency), 0, LARGEST, SD_UNIT_FREQUENCY,
     .text = "of a spring with the masses that it holds"},
    {"dampingRatio", SD_KEY_FLOAT, AT(sdJointAxis, dampingRatio), 0, LARGEST,
     .text = "of a spring; 1: as fast as it can without swinging"}};
static const sdTable axisTable = TABLE("an axis", "axis", "One of the six: sdJointAxis.", axisKeys);

#define AXIS(keyName, axis)                                                                        \
    {                                                                                              \
        keyName, SD_KEY_OBJECT, (axis) * sizeof(sdJointAxis), .table = &axisTable,                 \
                                                              .text = "of A's frame"               \
    }
static const sdKey axesKeys[] = {AXIS("moveX", SD_AXIS_MOVE_X), AXIS("moveY", SD_AXIS_MOVE_Y),
                                 AXIS("moveZ", SD_AXIS_MOVE_Z), AXIS("turnX", SD_AXIS_TURN_X),
                                 AXIS("turnY", SD_AXIS_TURN_Y), AXIS("turnZ", SD_AXIS_TURN_Z)};
static const sdTable axesTable = TABLE("axes", "axes", "What is free, and how far.", axesKeys);

static const sdKey frameKeys[] = {
    {"position", SD_KEY_VECTOR, AT(sdTransform, p), -MAX_LENGTH, MAX_LENGTH, SD_UNIT_LENGTH,
     .text = "m"},
    {"rotation", SD_KEY_ROTATION, AT(sdTransform, q), .text = "quaternion, or axis and angle"}};
static const sdTable frameTable = TABLE("a frame", "frame", "A pose on a body.", frameKeys);

static const sdKey jointKeys[] = {
    {"name", SD_KEY_TEXT, AT(sdJointDoc, name), .text = "for the reader"},
    {"type", SD_KEY_WORD, AT(sdJointDoc, def.type), .words = jointWords, .isRequired = true,
     .text = "kind of joint"},
    {"bodyA", SD_KEY_NODE, AT(sdJointDoc, bodyA), .form = SD_FORM_NAME_OR_INDEX, .isRequired = true,
     .text = "by name, or by its place in 'bodies', from 0"},
    {"bodyB", SD_KEY_NODE, AT(sdJointDoc, bodyB), .form = SD_FORM_NAME_OR_INDEX, .isRequired = true,
     .text = "the same"},
    {"anchor", SD_KEY_POSITION, AT(sdJointDoc, anchor), -MAX_LENGTH, MAX_LENGTH, SD_UNIT_LENGTH,
     .text = "in the world: both frames are put here, instead of frameA and frameB"},
    {"axis", SD_KEY_VECTOR, AT(sdJointDoc, axis), .text = "with anchor: x of both frames"},
    {"frameA", SD_KEY_OBJECT, AT(sdJointDoc, def.frameA), .table = &frameTable,
     .text = "in body A's frame"},
    {"frameB", SD_KEY_OBJECT, AT(sdJointDoc, def.frameB), .table = &frameTable,
     .text = "in body B's frame"},
    {"axes", SD_KEY_OBJECT, AT(sdJointDoc, def.axes), .table = &axesTable,
     .text = "limits and drives"},
    {"coneAngle", SD_KEY_FLOAT, AT(sdJointDoc, def.coneAngle), 0, LARGEST, SD_UNIT_ANGLE,
     .text = "most between both x axes, of ball and six; pi or more: no limit"},
    {"collideConnected", SD_KEY_BOOL, AT(sdJointDoc, def.collideConnected),
     .text = "whether the two bodies collide"},
    {"maxForce", SD_KEY_FLOAT, AT(sdJointDoc, def.maxForce), 0, LARGEST, SD_UNIT_FORCE,
     .text = "it breaks when it holds more"},
    {"maxTorque", SD_KEY_FLOAT, AT(sdJointDoc, def.maxTorque), 0, LARGEST, SD_UNIT_TORQUE,
     .text = "the same"},
    {"userData", SD_KEY_ID, AT(sdJointDoc, def.userData), .text = "a whole number of yours"}};
const sdTable sdJointTable =
    TABLE("a joint", "joint", "What holds two bodies together: sdJointDef.", jointKeys);

// ---- the whole -----------------------------------------------------------------------------

static const sdKey recordingKeys[] = {
    {"dt", SD_KEY_FLOAT, AT(sdSceneDoc, recording.dt), 1e-6, 1, SD_UNIT_TIME, .text = "a step"},
    {"steps", SD_KEY_INT, AT(sdSceneDoc, recording.steps), 0, 1e9, .text = "how many"}};
static const sdTable recordingTable =
    TABLE("recording", "recording", "How long it is run, and in which steps.", recordingKeys);

static const sdKey cameraKeys[] = {
    {"eye", SD_KEY_VECTOR, AT(sdSceneDoc, camera.eye), -MAX_LENGTH, MAX_LENGTH, SD_UNIT_LENGTH,
     .isRequired = true, .text = "where it is seen from"},
    {"target", SD_KEY_VECTOR, AT(sdSceneDoc, camera.target), -MAX_LENGTH, MAX_LENGTH,
     SD_UNIT_LENGTH, .isRequired = true, .text = "what is looked at"}};
static const sdTable cameraTable =
    TABLE("camera", "camera", "Where pictures are taken from.", cameraKeys);

static const sdKey sceneKeys[] = {
    {"$schema", SD_KEY_IGNORED, .text = "for editors"},
    {"sudar", SD_KEY_INT, AT(sdSceneDoc, version), 1, 1, .isRequired = true,
     .text = "version of this format"},
    {"name", SD_KEY_TEXT, AT(sdSceneDoc, name), .text = "a word"},
    {"title", SD_KEY_TEXT, AT(sdSceneDoc, title), .text = "a few words"},
    {"text", SD_KEY_TEXT, AT(sdSceneDoc, text), .text = "a sentence"},
    {"settings", SD_KEY_OBJECT, AT(sdSceneDoc, settings), .table = &sdSettingsTable,
     .text = "of the world"},
    {"recording", SD_KEY_OBJECT, 0, .table = &recordingTable, .text = "how long it is run"},
    {"camera", SD_KEY_OBJECT, 0, .table = &cameraTable, .text = "where it is seen from"},
    {"materials", SD_KEY_NODE, AT(sdSceneDoc, materials), .form = SD_FORM_NAMED,
     .table = &sdMaterialTable, .text = "by name"},
    {"meshes", SD_KEY_NODE, AT(sdSceneDoc, meshes), .form = SD_FORM_NAMED, .table = &sdMeshTable,
     .text = "by name"},
    {"shapes", SD_KEY_NODE, AT(sdSceneDoc, shapes), .form = SD_FORM_NAMED, .table = &sdShapeTable,
     .text = "by name, so that many bodies share them"},
    {"bodies", SD_KEY_NODE, AT(sdSceneDoc, bodies), .form = SD_FORM_OBJECTS, .table = &sdBodyTable,
     .isRequired = true, .text = "in the order in which they are made"},
    {"joints", SD_KEY_NODE, AT(sdSceneDoc, joints), .form = SD_FORM_OBJECTS, .table = &sdJointTable,
     .text = "in the order in which they are made"}};
const sdTable sdSceneTable =
    TABLE("a scene", "scene", "A scene of rigid bodies for Sudar.", sceneKeys);

int sdTable_Find(const sdTable* table, const char* key) {
    for (int i = 0; i < table->keyCount; ++i) {
        if (strcmp(table->keys[i].name, key) == 0) {
            return i;
        }
    }
    return SD_NULL_INDEX;
}
