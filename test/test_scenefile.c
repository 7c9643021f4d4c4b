// SPDX-License-Identifier: MIT
// Scene files: every scene written and read back does the same to the bit; numbers are exact; what
// is wrong in a file is told with its place.

#include "support.h"

#include "number.h"
#include "scenefile.h"
#include "scenes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- writing into memory -------------------------------------------------------------------

typedef struct Text {
    char* data;
    size_t length, capacity;
} Text;

static bool addText(void* user, const char* text, size_t length) {
    Text* out = user;
    if (out->length + length + 1 > out->capacity) {
        out->capacity = 2 * (out->length + length + 1);
        out->data = realloc(out->data, out->capacity);
    }
    memcpy(out->data + out->length, text, length);
    out->length += length;
    out->data[out->length] = '\0';
    return true;
}

static bool refuseText(void* user, const char* text, size_t length) {
    (void)text;
    return (*(int*)user -= (int)length) > 0;
}

static sdResult parse(const char* text, sdSceneFile** file, sdFault* fault) {
    return sdSceneFile_Parse(NULL, "test.json", text, strlen(text), NULL, file, fault);
}

static sdWorld* buildFile(const sdSceneFile* file) {
    sdWorld* world = NULL;
    CHECK_INT(sdWorld_Create(NULL, sdSceneFile_GetWorldDef(file), &world), SD_OK);
    CHECK_INT(sdSceneFile_Build(file, world, NULL), SD_OK);
    return world;
}

/// A copy of a world by way of its text.
static sdWorld* copyByText(const sdWorld* world, const sdSceneInfo* info, Text* text) {
    sdSceneFile* file = NULL;
    sdFault fault = {0};
    CHECK_INT(sdSceneFile_Write(NULL, world, info, addText, text), SD_OK);
    CHECK_INT(sdSceneFile_Parse(NULL, "copy.json", text->data, text->length, NULL, &file, &fault),
              SD_OK);
    if (file == NULL) {
        sdTest_Print("%d:%d: %s", fault.line, fault.column, fault.text);
        return NULL;
    }
    sdWorld* copy = buildFile(file);
    sdSceneFile_Destroy(file);
    return copy;
}

static void stepBoth(sdWorld* a, sdWorld* b, float dt, int count, const char* name) {
    for (int i = 0; i < count; ++i) {
        sdWorld_Step(a, dt);
        sdWorld_Step(b, dt);
        if (!CHECK(sdWorld_GetHash(a) == sdWorld_GetHash(b))) {
            sdTest_Print("%s: step %d", name, i + 1);
            return;
        }
    }
}

// ---- round trips ---------------------------------------------------------------------------

/// Small enough to be quick, large enough to have all of its parts.
#define SCENE_SIZE 12
#define SCENE_STEPS 40

SD_TEST(scenefile_scenes_come_back_to_the_bit) {
    size_t bytes = 0;
    for (int i = 0; i < sdScene_GetCount(); ++i) {
        const sdScene* scene = sdScene_Get(i);
        sdWorldDef def = sdScene_GetWorldDef(scene);
        sdSceneOptions options = {.size = sdMinI(scene->size, sdMaxI(scene->minSize, SCENE_SIZE))};
        sdWorld* world = NULL;
        REQUIRE(sdWorld_Create(NULL, &def, &world) == SD_OK);
        REQUIRE(sdScene_Build(scene, world, &options) == SD_OK);
        Text text = {0}, again = {0};
        sdSceneInfo info = {.name = scene->name,
                            .title = scene->title,
                            .text = scene->text,
                            .dt = scene->dt,
                            .stepCount = scene->stepCount,
                            .hasCamera = true,
                            .eye = scene->eye,
                            .target = scene->target};
        sdWorld* copy = copyByText(world, &info, &text);
        REQUIRE(copy != NULL);
        CHECK(sdWorld_GetHash(world) == sdWorld_GetHash(copy));
        // what is written of the copy is the same text
        CHECK_INT(sdSceneFile_Write(NULL, copy, &info, addText, &again), SD_OK);
        CHECK(text.length == again.length && memcmp(text.data, again.data, text.length) == 0);
        stepBoth(world, copy, scene->dt, SCENE_STEPS, scene->name);
        bytes += text.length;
        sdWorld_Destroy(world);
        sdWorld_Destroy(copy);
        free(text.data);
        free(again.data);
    }
    sdTest_Print("%d scenes, %zu KB of text", sdScene_GetCount(), bytes / 1024);
}

static const char* const everything =
    "{ // all kinds\n"
    "  \"$schema\": \"docs/scene.schema.json\", \"sudar\": 1, \"name\": \"all\",\n"
    "  \"settings\": {\"gravity\": [0, \"-9.8 m/s2\", 0], \"subStepCount\": 8,\n"
    "    \"broadphase\": {\"kind\": \"octree\"}, \"combineFriction\": \"minimum\"},\n"
    "  \"materials\": {\"ice\": {\"staticFriction\": 0.1, \"slidingFriction\": 0.05}},\n"
    "  \"meshes\": {\"ring\": {\"model\": \"ring\", \"size\": \"50 cm\"},\n"
    "    \"tent\": {\"vertices\": [0,0,0, 1,0,0, 0,1,0, 0,0,1],\n"
    "      \"triangles\": [0,2,1, 0,1,3, 0,3,2, 1,2,3]}},\n"
    "  \"shapes\": {\n"
    "    \"ring\": {\"type\": \"concave\", \"mesh\": \"ring\",\n"
    "      \"field\": {\"resolution\": 24, \"layout\": \"dense\"}},\n"
    "    \"wedge\": {\"type\": \"hull\", \"points\": [0,0,0, 1,0,0, 0,1,0, 0,0,1]},\n"
    "    \"parts\": {\"type\": \"convex-parts\", \"mesh\": \"ring\", \"resolution\": 24},\n"
    "    \"dumbbell\": {\"type\": \"compound\", \"children\": [\n"
    "      {\"shape\": {\"type\": \"sphere\", \"radius\": 0.3}, \"position\": [0.5, 0, 0]},\n"
    "      {\"shape\": \"wedge\", \"rotation\": {\"axis\": [0, 0, 2], \"degrees\": 30}}]}\n"
    "  },\n"
    "  \"bodies\": [\n"
    "    {\"name\": \"floor\", \"shapes\": [{\"shape\": {\"type\": \"half-space\"}}]},\n"
    "    {\"name\": \"slab\", \"shapes\": [{\"shape\": {\"type\": \"mesh\", \"mesh\": \"tent\"}},\n"
    "      {\"shape\": {\"type\": \"triangle\", \"vertices\": [9,0,0, 9,1,0, 9,0,1]}}]},\n"
    "    {\"name\": \"lift\", \"type\": \"kinematic\", \"position\": [7, 1, 0],\n"
    "      \"velocity\": [0, 0.1, 0], \"shapes\": [{\"shape\": {\"type\": \"box\",\n"
    "      \"halfExtents\": [1, \"10 cm\", 1]}, \"isSensor\": true}]},\n"
    "    {\"name\": \"a\", \"type\": \"dynamic\", \"position\": [0, 3, 0.1],\n"
    "      \"angularVelocity\": [1, \"20 deg/s\", 0], \"linearDamping\": 0.1, \"isBullet\": true,\n"
    "      \"shapes\": [{\"shape\": \"ring\", \"material\": \"ice\", \"density\": \"2 g/cm3\"},\n"
    "        {\"shape\": {\"type\": \"capsule\", \"halfLength\": 0.1, \"radius\": 0.2},\n"
    "         \"position\": [0.3, 0.1, 0], \"rotation\": [0, 0, 0.6, 0.8],\n"
    "         \"material\": {\"restitution\": 0.5}, \"userData\": 18446744073709551615}]},\n"
    "    {\"name\": \"b\", \"type\": \"dynamic\", \"position\": [1, 3, 0.1], \"locks\": [\"z\"],\n"
    "      \"shapes\": [{\"shape\": \"dumbbell\", \"filter\": {\"category\": 2, \"group\": "
    "-3}}]},\n"
    "    {\"name\": \"c\", \"type\": \"dynamic\", \"position\": [2, 3, 0.1], \"gravityScale\": "
    "0.5,\n"
    "      \"mass\": {\"mass\": 2, \"center\": [0.1, 0, 0], \"inertia\": [1, 1, 1]},\n"
    "      \"velocity\": [1, 2, 3], \"angularVelocity\": [0, 1, 0],\n"
    "      \"shapes\": [{\"shape\": {\"type\": \"cylinder\", \"halfHeight\": 0.2, \"radius\": "
    "0.1}},\n"
    "        {\"shape\": {\"type\": \"cone\", \"halfHeight\": 0.2, \"radius\": 0.1},\n"
    "         \"position\": [0, 0.4, 0]}]},\n"
    "    {\"type\": \"dynamic\", \"position\": [4, 5, 0], \"isAwake\": false, \"enableSleep\": "
    "false,\n"
    "      \"shapes\": [{\"shape\": \"parts\"}]},\n"
    "    {\"type\": \"dynamic\", \"position\": [4, 9, 0], \"isEnabled\": false,\n"
    "      \"shapes\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 1}}]}\n"
    "  ],\n"
    "  /* how they hang together */ \"joints\": [\n"
    "    {\"type\": \"hinge\", \"bodyA\": \"a\", \"bodyB\": \"b\", \"anchor\": [0.5, 3, 0.1],\n"
    "      \"axis\": [0, 0, 1], \"axes\": {\"turnX\": {\"mode\": \"limited\",\n"
    "      \"lower\": \"-30 deg\", \"upper\": 1, \"drive\": \"motor\", \"target\": 2,\n"
    "      \"maxForce\": 5}}},\n"
    "    {\"type\": \"six\", \"bodyA\": 4, \"bodyB\": \"c\", \"coneAngle\": \"90 deg\",\n"
    "      \"frameA\": {\"position\": [1, 0, 0]}, \"frameB\": {\"rotation\": [0, 1, 0, 0]},\n"
    "      \"axes\": {\"moveX\": {\"drive\": \"spring\", \"frequency\": 2, \"dampingRatio\": "
    "0.3}},\n"
    "      \"maxForce\": 1e6, \"collideConnected\": true, \"userData\": 7},\n"
    "    {\"type\": \"distance\", \"bodyA\": 0, \"bodyB\": \"c\",\n"
    "      \"axes\": {\"moveX\": {\"mode\": \"limited\", \"lower\": 1, \"upper\": 6}}}\n"
    "  ]\n"
    "}\n";

SD_TEST(scenefile_all_kinds_come_back_to_the_bit) {
    sdSceneFile* file = NULL;
    sdFault fault;
    sdResult result = parse(everything, &file, &fault);
    if (!CHECK_INT(result, SD_OK)) {
        sdTest_Print("%d:%d: %s", fault.line, fault.column, fault.text);
        return;
    }
    CHECK_INT(sdSceneFile_GetBodyCount(file), 8);
    CHECK_INT(sdSceneFile_GetJointCount(file), 3);
    CHECK_INT(sdSceneFile_FindBody(file, "c"), 5);
    CHECK(strcmp(sdSceneFile_GetInfo(file)->name, "all") == 0);
    sdWorld* world = buildFile(file);
    sdSceneFile_Destroy(file);
    // what the file says holds to the bit
    sdBodyId ids[8];
    CHECK_INT(sdWorld_GetBodies(world, ids, 8), 8);
    sdVec3 v = sdBody_GetVelocity(world, ids[5]);
    CHECK(v.x == 1.0f && v.y == 2.0f && v.z == 3.0f);
    CHECK(sdBody_HasGivenMass(world, ids[5]) && !sdBody_HasGivenMass(world, ids[4]));
    CHECK(!sdBody_HasGivenMass(world, SD_NULL_BODY));
    CHECK(!sdBody_IsAwake(world, ids[6]) && !sdBody_IsEnabled(world, ids[7]));
    CHECK_NEAR(sdBody_GetAngularVelocity(world, ids[3]).y, 20.0 * 0.017453292519943295, 1e-7);
    Text text = {0};
    sdWorld* copy = copyByText(world, NULL, &text);
    REQUIRE(copy != NULL);
    CHECK_TEXT(text.data, "{\"model\": \"ring\", \"size\": 0.5}");
    stepBoth(world, copy, 1.0f / 60.0f, 120, "all kinds");
    // and once more, from what has moved
    Text moved = {0};
    sdWorld* third = copyByText(world, NULL, &moved);
    REQUIRE(third != NULL);
    CHECK_INT(sdWorld_GetBodies(third, ids, 8), 8);
    sdBodyId own[8];
    sdWorld_GetBodies(world, own, 8);
    for (int i = 0; i < 8; ++i) {
        // files have positions, of which centres of mass are made
        sdPos a = sdBody_GetCenter(world, own[i]), b = sdBody_GetCenter(third, ids[i]);
        CHECK(sdLength(sdPos_Sub(a, b)) < 1e-14f);
        sdVec3 va = sdBody_GetVelocity(world, own[i]), vb = sdBody_GetVelocity(third, ids[i]);
        CHECK(memcmp(&va, &vb, sizeof va) == 0);
    }
    sdWorld_Destroy(third);
    sdWorld_Destroy(copy);
    sdWorld_Destroy(world);
    free(text.data);
    free(moved.data);
}

SD_TEST(scenefile_models_are_known_by_name) {
    for (int kind = 0; kind < SD_MODEL_COUNT; ++kind) {
        char name[64], text[256], model[128];
        snprintf(name, sizeof name, "%s", sdModel_Name((sdModelKind)kind));
        for (char* c = name; *c != '\0'; ++c) {
            *c = *c == ' ' ? '-' : *c;
        }
        snprintf(model, sizeof model, "{\"model\": \"%s\", \"size\": 0.3}", name);
        snprintf(text, sizeof text,
                 "{\"sudar\": 1, \"bodies\": [{\"shapes\": [{\"shape\": {\"type\": \"mesh\", "
                 "\"mesh\": %s}}]}]}",
                 model);
        sdSceneFile* file = NULL;
        sdFault fault;
        REQUIRE(parse(text, &file, &fault) == SD_OK);
        sdWorld* world = buildFile(file);
        sdSceneFile_Destroy(file);
        // and found again by its triangles
        Text written = {0};
        CHECK_INT(sdSceneFile_Write(NULL, world, NULL, addText, &written), SD_OK);
        CHECK_TEXT(written.data, model);
        free(written.data);
        sdWorld_Destroy(world);
    }
}

SD_TEST(scenefile_leaves_out_joints_that_hold_nothing) {
    sdSceneFile* file = NULL;
    sdFault fault;
    REQUIRE(parse("{\"sudar\": 1, \"bodies\": [{}, {\"type\": \"dynamic\"}, "
                  "{\"type\": \"dynamic\"}], \"joints\": [{\"type\": \"ball\", \"bodyA\": 0, "
                  "\"bodyB\": 1}, {\"type\": \"ball\", \"bodyA\": 1, \"bodyB\": 2}]}",
                  &file, &fault) == SD_OK);
    sdWorld* world = buildFile(file);
    sdSceneFile_Destroy(file);
    sdBodyId bodies[3];
    CHECK_INT(sdWorld_GetBodies(world, bodies, 3), 3);
    CHECK_INT(sdBody_SetType(world, bodies[1], SD_BODY_KINEMATIC), SD_OK);
    TestContext test;
    TestContext_Init(&test);
    Text text = {0};
    CHECK_INT(sdSceneFile_Write(&test.context, world, NULL, addText, &text), SD_OK);
    CHECK_TEXT(test.lastText, "1 joints are left out");
    TestContext_Finish(&test);
    free(text.data);
    text = (Text){0};
    sdWorld* copy = copyByText(world, NULL, &text);
    REQUIRE(copy != NULL);
    CHECK_INT(sdWorld_GetStats(copy).jointCount, 1);
    free(text.data);
    sdWorld_Destroy(copy);
    sdWorld_Destroy(world);
}

SD_TEST(scenefile_concave_settings_are_told) {
    sdMesh* mesh = NULL;
    REQUIRE(sdModel_Create(NULL, SD_MODEL_BOWL, 0.3f, &mesh) == SD_OK);
    sdConcaveDef def = sdConcaveDef_Default();
    def.field.resolution = 40;
    def.field.marginCells = 3;
    sdConcave *first = NULL, *second = NULL, *third = NULL;
    REQUIRE(sdConcave_Create(NULL, mesh, &def, &first) == SD_OK);
    sdConcaveDef told = sdConcave_GetDef(first);
    CHECK(told.route == def.route && memcmp(&told.field, &def.field, sizeof told.field) == 0);
    // of one with a given field: settings that make the same cells
    const sdField* field = sdConcave_GetField(first);
    REQUIRE(sdConcave_CreateWithField(NULL, mesh, field, &second) == SD_OK);
    told = sdConcave_GetDef(second);
    REQUIRE(sdConcave_Create(NULL, mesh, &told, &third) == SD_OK);
    sdFieldInfo a = sdField_GetInfo(field), b = sdField_GetInfo(sdConcave_GetField(third));
    CHECK(a.cellSize == b.cellSize && a.brickCount == b.brickCount);
    CHECK(a.cells[0] == b.cells[0] && a.cells[1] == b.cells[1] && a.cells[2] == b.cells[2]);
    CHECK_INT(sdConcave_GetDef(NULL).route, SD_CONCAVE_AUTO);
    sdConcave_Release(first);
    sdConcave_Release(second);
    sdConcave_Release(third);
    sdMesh_Release(mesh);
}

// ---- numbers -------------------------------------------------------------------------------

static bool readsAs(const char* text, double value) {
    double read = 0.0;
    return sdNumber_Scan(text, strlen(text)) == strlen(text) &&
           sdNumber_Read(text, strlen(text), &read) && memcmp(&read, &value, sizeof read) == 0;
}

SD_TEST(scenefile_numbers_are_exact) {
    TestRandom random = TestRandom_Make(7);
    char text[SD_NUMBER_SIZE], large[1200];
    for (int i = 0; i < TestRounds(20000); ++i) {
        uint64_t bits = (uint64_t)TestRandom_Next(&random) << 32 | TestRandom_Next(&random);
        uint32_t few = TestRandom_Next(&random);
        double d, back;
        float f;
        // every other one is near 0, where doubles have fewer digits
        bits = i % 4 == 0 ? bits >> (12 + TestRandom_Int(&random, 40)) : bits;
        memcpy(&d, &bits, sizeof d);
        memcpy(&f, &few, sizeof f);
        if (!isfinite(d) || !isfinite(f)) {
            continue;
        }
        sdNumber_WriteDouble(d, text);
        CHECK(readsAs(text, d));
        CHECK(strtod(text, NULL) == d);
        sdNumber_WriteFloat(f, text);
        CHECK(sdNumber_Read(text, strlen(text), &back) && (float)back == f);
        // any number of digits, against the C library
        snprintf(large, sizeof large, "%.*e", TestRandom_Int(&random, 40), d);
        CHECK(!isfinite(strtod(large, NULL)) || readsAs(large, strtod(large, NULL)));
    }
    CHECK(readsAs("-0", -0.0) && readsAs("0e999999999999", 0.0) && readsAs("1e-400", 0.0));
    CHECK(readsAs("4.9e-324", 4.9406564584124654e-324) && readsAs("2.4703282292062327e-324", 0.0));
    CHECK(readsAs("2.4703282292062328e-324", 4.9406564584124654e-324));
    CHECK(readsAs("1.7976931348623158e308", DBL_MAX));
    // halfway between two doubles, and a little more far behind
    CHECK(readsAs("9007199254740993", 9007199254740992.0));
    CHECK(readsAs("9007199254740993.00000000000000000000000000000000001", 9007199254740994.0));
    double none;
    CHECK(!sdNumber_Read("1e309", 5, &none) && !sdNumber_Read("1.7976931348623159e308", 22, &none));
    static const char* const bad[] = {"", "-", "01", ".5", "1.", "1e", "1e+", "+1", "x"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        CHECK_INT(sdNumber_Scan(bad[i], strlen(bad[i])), 0);
    }
}

// ---- memory and files ----------------------------------------------------------------------

static sdResult loadAndBuild(const sdContext* context, void* arg) {
    sdSceneFile* file = NULL;
    const char* text = arg;
    sdResult result = sdSceneFile_Parse(context, "m.json", text, strlen(text), NULL, &file, NULL);
    sdWorld* world = NULL;
    if (result == SD_OK) {
        result = sdWorld_Create(context, sdSceneFile_GetWorldDef(file), &world);
    }
    if (result == SD_OK) {
        result = sdSceneFile_Build(file, world, NULL);
    }
    if (result == SD_OK) {
        Text out = {0};
        result = sdSceneFile_Write(context, world, NULL, addText, &out);
        free(out.data);
    }
    sdWorld_Destroy(world);
    sdSceneFile_Destroy(file);
    return result;
}

SD_TEST(scenefile_no_memory_at_any_time) {
    char small[] =
        "{\"sudar\": 1, \"materials\": {\"a\": {}}, \"meshes\": {\"m\": {\"vertices\": [0,0,0, "
        "1,0,0, 0,1,0, 0,0,1], \"triangles\": [0,2,1, 0,1,3, 0,3,2, 1,2,3]}}, \"shapes\": "
        "{\"h\": {\"type\": \"hull\", \"mesh\": \"m\"}, \"c\": {\"type\": \"compound\", "
        "\"children\": [{\"shape\": \"h\"}, {\"shape\": {\"type\": \"mesh\", \"mesh\": \"m\"}}]}},"
        " \"bodies\": [{\"name\": \"x\", \"shapes\": [{\"shape\": \"c\", \"material\": \"a\"}]}, "
        "{\"type\": \"dynamic\", \"shapes\": [{\"shape\": \"h\"}]}], \"joints\": [{\"type\": "
        "\"ball\", \"bodyA\": \"x\", \"bodyB\": 1}]}";
    int count = TestContext_FailEach(loadAndBuild, small);
    sdTest_Print("%d allocations, each failed once", count);
    CHECK(count > 20);
}

SD_TEST(scenefile_files_appear_when_complete) {
    sdWorld* world = NULL;
    REQUIRE(sdWorld_Create(NULL, NULL, &world) == SD_OK);
    int room = 10;
    CHECK_INT(sdSceneFile_Write(NULL, world, NULL, refuseText, &room), SD_ERROR_IO);
    CHECK_INT(sdSceneFile_Write(NULL, NULL, NULL, refuseText, &room), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdSceneFile_Write(NULL, world, NULL, NULL, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdSceneFile_Save(NULL, world, NULL, "no/such/folder/a.json"), SD_ERROR_IO);
    sdWorld_Destroy(world);
    sdSceneFile* file = NULL;
    sdFault fault;
    CHECK_INT(sdSceneFile_Load(NULL, "no/such/file.json", NULL, &file, &fault), SD_ERROR_IO);
    CHECK(file == NULL);
    CHECK_TEXT(fault.text, "no such file");
    CHECK_INT(sdSceneFile_Parse(NULL, NULL, "", 0, NULL, &file, &fault), SD_ERROR_INVALID_ARGUMENT);
    TestContext test;
    TestContext_Init(&test);
    CHECK_INT(sdSceneFile_Parse(&test.context, "log.json", "{]", 2, NULL, &file, NULL),
              SD_ERROR_BAD_FILE);
    CHECK_TEXT(test.lastError, "log.json:1:2: a key is wanted here");
    TestContext_Finish(&test);
}

/// Without what takes long to make.
static const char* const short_text =
    "{\"sudar\": 1, \"name\": \"\\u00e4\\n\", \"settings\": {\"gravity\": [0, \"-9.8 m/s2\", 0]},\n"
    " \"meshes\": {\"t\": {\"vertices\": [0,0,0, 1,0,0, 0,1,0, 0,0,1],\n"
    "   \"triangles\": [0,2,1, 0,1,3, 0,3,2, 1,2,3]}}, // a comment\n"
    " \"shapes\": {\"h\": {\"type\": \"hull\", \"mesh\": \"t\"}},\n"
    " \"bodies\": [{\"name\": \"a\", \"shapes\": [{\"shape\": {\"type\": \"box\", "
    "\"halfExtents\":\n"
    "   [1, 1, 1]}}]}, /* and */ {\"type\": \"dynamic\", \"position\": [0, 1e0, -0.5],\n"
    "   \"isBullet\": true, \"shapes\": [{\"shape\": \"h\", \"density\": 3}]}],\n"
    " \"joints\": [{\"type\": \"hinge\", \"bodyA\": \"a\", \"bodyB\": 1, \"axes\": {\"turnX\":\n"
    "   {\"mode\": \"limited\", \"lower\": -1, \"upper\": 1}}}]}\n";

/// Whatever the bytes, it ends, and with a place.
SD_TEST(scenefile_damaged_text_is_refused) {
    TestRandom random = TestRandom_Make(3);
    size_t length = strlen(short_text);
    char* text = malloc(length);
    int good = 0;
    for (int i = 0; i < TestRounds(20000); ++i) {
        memcpy(text, short_text, length);
        size_t cut = i % 3 == 0 ? (size_t)TestRandom_Int(&random, (int)length) : length;
        for (int k = 0; k < i % 4; ++k) {
            static const char bytes[] = "{}[]\",:0-.e/*\\x\n\x80\xFF";
            text[TestRandom_Int(&random, (int)length)] =
                bytes[TestRandom_Int(&random, (int)sizeof bytes - 1)];
        }
        sdSceneFile* file = NULL;
        sdFault fault;
        sdResult result = sdSceneFile_Parse(NULL, "d.json", text, cut, NULL, &file, &fault);
        good += result == SD_OK;
        if (result != SD_OK) {
            CHECK(file == NULL && fault.line > 0 && fault.column > 0 && fault.text[0] != '\0');
        }
        sdSceneFile_Destroy(file);
    }
    CHECK(good > 0);
    free(text);
}

// ---- settings by name ----------------------------------------------------------------------

SD_TEST(scenefile_settings_by_name) {
    sdWorldDef def = sdWorldDef_Default(), changed = def;
    sdSetting setting;
    sdFault fault;
    int count = 0;
    // what is told of a setting can be said again, and changes nothing
    for (; sdSetting_Get(&def, count, &setting); ++count) {
        CHECK(setting.key[0] != '\0' && setting.wanted[0] != '\0' && setting.text[0] != '\0');
        CHECK_INT(sdSetting_Set(&changed, setting.key, setting.value, &fault), SD_OK);
        sdSetting again;
        CHECK(sdSetting_Get(&changed, count, &again));
        CHECK(strcmp(setting.value, again.value) == 0);
    }
    CHECK(count > 30);
    CHECK_INT(sdSetting_Set(&changed, "slop", "2 mm", &fault), SD_OK);
    CHECK_NEAR(changed.slop, 0.002f, 1e-9f);
    CHECK_INT(sdSetting_Set(&changed, "gravity", "0,-1.62,0", &fault), SD_OK);
    CHECK_NEAR(changed.gravity.y, -1.62f, 1e-6f);
    CHECK_INT(sdSetting_Set(&changed, "broadphase.kind", "sap", &fault), SD_OK);
    CHECK_INT(changed.broadphase.kind, SD_BROADPHASE_SAP);
    CHECK_INT(sdSetting_Set(&changed, "enableSleep", "no", &fault), SD_OK);
    CHECK(!changed.enableSleep);
}

SD_TEST(scenefile_settings_refuse_what_does_not_fit) {
    static const char* const bad[][2] = {
        {"subStepCont", "3"},      {"", ""},          {"broadphase", "sap"},
        {"subStepCount", "1.5"},   {"slop", "1 kg"},  {"subStepCount", "65"},
        {"gravity", "1,2"},        {"gravity", ""},   {"gravity", "1,2,3]}, \"x\": [1"},
        {"broadphase.kind", "sa"}, {"slop", ""},      {"slop", "1\", \"solver\": \"impulse"},
        {"enableSleep", "maybe"},  {"slop", "1e999"}, {"slop", "nan"},
    };
    sdWorldDef def = sdWorldDef_Default();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        sdWorldDef changed = def;
        sdFault fault;
        CHECK(sdSetting_Set(&changed, bad[i][0], bad[i][1], &fault) != SD_OK);
        CHECK(fault.text[0] != '\0');
        CHECK(memcmp(&changed, &def, sizeof def) == 0);
    }
}
