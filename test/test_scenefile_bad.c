// SPDX-License-Identifier: MIT
// Scene files with a mistake: each is refused with its line, column, reason and advice.

#include "support.h"

#include "scenefile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct BadFile {
    const char* text;
    int line, column;
    const char* message; ///< a part of it
} BadFile;

/// A file whose second line is to be looked at.
#define SCENE(rest) "{\"sudar\": 1,\n" rest
/// A file with one body.
#define BODY(rest) SCENE("\"bodies\": [{" rest "}]}")
/// ... with one shape.
#define SHAPE(rest) BODY("\"type\": \"dynamic\", \"shapes\": [{\"shape\":\n" rest "]")
#define JOINT(rest)                                                                                \
    SCENE("\"bodies\": [{\"name\": \"floor\"}, {\"name\": \"door\", \"type\": \"dynamic\"}],\n"    \
          "\"joints\": [{\"type\": \"hinge\", " rest "}]}")

static const BadFile syntax[] = {
    {"", 1, 1, "the file is empty"},
    {"  // nothing but a comment\n", 2, 1, "the file is empty"},
    {"{\"sudar\": 1,\n \"bodies\": [", 2, 13,
     "inside of a list that began in line 2; a ']' is missing"},
    {"{\"sudar\": 1,\n \"bodies\": [{}", 2, 15, "inside of a list that began in line 2; a ']'"},
    {"{\"sudar\": 1,\n \"bodies\": []\n", 3, 1, "inside of an object that began in line 1; a '}'"},
    {SCENE("\"bodies\": [1, 2,]}"), 2, 17, "not ']'; take away the comma before it"},
    {SCENE("\"bodies\": [],}"), 2, 14, "not '}'; take away the comma before it"},
    {SCENE("\"bodies\": [{} {}]}"), 2, 15, "a ',' or ']' is wanted here, not '{'"},
    {SCENE("bodies: []}"), 2, 1, "not 'bodies'; keys stand between double quotes"},
    {SCENE("\"bodies\" []}"), 2, 10, "a ':' is missing after the key 'bodies'"},
    {SCENE("'bodies': []}"), 2, 1, "keys stand between double quotes"},
    {SCENE("\"name\": 'x'}"), 2, 9, "texts stand between double quotes"},
    {SCENE("\"name\": \"x}\n"), 2, 9, "this text has no end"},
    {SCENE("\"name\": \"a\tb\"}"), 2, 11, "write \\t for a tab"},
    {SCENE("\"name\": \"\\q\"}"), 2, 10, "write \\\\ for itself"},
    {SCENE("\"name\": \"\\ud83d\"}"), 2, 10, "four hexadecimal digits"},
    {SCENE("\"name\": \"\xC3\x28\"}"), 2, 10, "this is not UTF-8"},
    {SCENE("\"bodies\": True}"), 2, 11, "not 'True'; write true"},
    {SCENE("\"bodies\": NaN}"), 2, 11, "numbers must be finite"},
    {SCENE("\"bodies\": .5}"), 2, 11, "write a 0 before the point"},
    {SCENE("\"bodies\": +5}"), 2, 11, "numbers have no '+' in front"},
    {SCENE("\"bodies\": 05}"), 2, 11, "'05' is not a number"},
    {SCENE("\"bodies\": 1e999}"), 2, 11, "this number is beyond 1.8e308"},
    {SCENE("\"bodies\": []} []"), 2, 15, "the document has ended before this '['"},
    {SCENE("/* \"bodies\": []}"), 2, 1, "this comment has no end"},
    {SCENE("# bodies\n}"), 2, 1, "keys stand between double quotes"},
    {SCENE("\"bodies\": [], \"bodies\": []}"), 2, 15, "'bodies' is given twice, first in line 2"},
    {SCENE("\"ä\": \"ö\", \"bodies\": x}"), 2, 21, "a value is wanted here, not 'x'"},
};

static const BadFile keys[] = {
    {"[]", 1, 1, "a scene is an object, { ... }, not a list"},
    {"{\"bodies\": []}", 1, 1, "a scene wants 'sudar': version of this format"},
    {"{\"sudar\": 2, \"bodis\": []}", 1, 11, "this is version 2 of the format"},
    {"{\"sudar\": 1}", 1, 1, "a scene wants 'bodies'"},
    {SCENE("\"bodis\": []}"), 2, 1, "a scene has no key 'bodis'; did you mean 'bodies'?"},
    {SCENE("\"xyzzy\": []}"), 2, 1, "a scene has no key 'xyzzy'; it has: $schema, sudar"},
    {SCENE("\"bodies\": {}}"), 2, 11, "'bodies' wants a list, not an object"},
    {SCENE("\"settings\": {\"gravty\": 3}, \"bodies\": []}"), 2, 14, "did you mean 'gravity'?"},
    {SCENE("\"settings\": {\"gravity\": 9.81}, \"bodies\": []}"), 2, 25,
     "'gravity' wants a list, not a number"},
    {SCENE("\"settings\": {\"gravity\": [0, -9.81]}, \"bodies\": []}"), 2, 25,
     "'gravity' wants 3 numbers, not 2"},
    {SCENE("\"settings\": {\"subStepCount\": 0}, \"bodies\": []}"), 2, 30,
     "'subStepCount' must be within 1 and 64, not 0"},
    {SCENE("\"settings\": {\"subStepCount\": 2.5}, \"bodies\": []}"), 2, 30,
     "'subStepCount' wants a whole number, not 2.5"},
    {SCENE("\"settings\": {\"integrator\": \"rk5\"}, \"bodies\": []}"), 2, 28,
     "'integrator' cannot be 'rk5'; did you mean 'rk4'?"},
    {SCENE("\"settings\": {\"integrator\": \"leapfrog\"}, \"bodies\": []}"), 2, 28,
     "it is one of: semi-implicit, explicit-euler, rk4"},
    {SCENE("\"settings\": {\"slop\": 0}, \"bodies\": []}"), 2, 13, "not positive"},
    {SCENE("\"settings\": {\"enableSleep\": 1}, \"bodies\": []}"), 2, 29,
     "'enableSleep' wants true or false, not a number"},
    {SCENE("\"camera\": {\"eye\": [1, 1, 1], \"target\": [1, 1, 1]}, \"bodies\": []}"), 2, 11,
     "the same place"},
    {SCENE("\"recording\": {\"dt\": \"5 m\"}, \"bodies\": []}"), 2, 21,
     "'dt' is a time, not a length; its units are: s, ms, min"},
};

static const BadFile bodies[] = {
    {BODY("\"type\": \"dynamc\""), 2, 21, "'type' cannot be 'dynamc'; did you mean 'dynamic'?"},
    {BODY("\"position\": [0, 0, 2e12]"), 2, 32, "'position' must be within -1e+12 and 1e+12"},
    {BODY("\"position\": [0, \"0.5\", 0]"), 2, 29, "write 0.5 without quotes"},
    {BODY("\"position\": [0, \"high\", 0]"), 2, 29, "not the text 'high'"},
    {BODY("\"position\": [0, \"3 parsec\", 0]"), 2, 29,
     "'parsec' is not a unit; 'position' is a l"},
    {BODY("\"velocity\": [0, \"3 m\", 0]"), 2, 29, "'velocity' is a speed, not a length"},
    {BODY("\"rotation\": [0, 0, 0, 2]"), 2, 25, "has length 2, not 1"},
    {BODY("\"rotation\": [0, 0, 0]"), 2, 25, "'rotation' wants 4 numbers, not 3"},
    {BODY("\"rotation\": {\"axis\": [0, 0, 0], \"degrees\": 9}"), 2, 34, "has no direction"},
    {BODY("\"rotation\": {\"axis\": [0, 0, 1], \"grad\": 9}"), 2, 25, "'degrees' or 'radians'"},
    {BODY("\"linearDamping\": -1"), 2, 30, "'linearDamping' must not be negative"},
    {BODY("\"locks\": [\"x\", \"w\"]"), 2, 28, "'locks' cannot be 'w'"},
    {BODY("\"userData\": -1"), 2, 25, "a whole number from 0 to 2^64 - 1"},
    {BODY("\"mass\": {\"mass\": 1}"), 2, 21, "a mass wants 'inertia'"},
    {BODY("\"type\": \"dynamic\", \"mass\": {\"mass\": 1, \"inertia\": [1, 1, 5]}"), 2, 12,
     "the body: not the mass of a solid"},
    {BODY("\"name\": \"a\"}, {\"name\": \"a\""), 2, 36, "two bodies have the name 'a'"},
    {BODY("\"shapes\": [{}]"), 2, 24, "a body's shape wants 'shape'"},
    {BODY("\"shapes\": [{\"shape\": \"bal\"}]"), 2, 34, "there is no shape 'bal' up to here"},
    {SHAPE("{\"radius\": 1}}"), 3, 1, "a shape wants 'type', one of: sphere, capsule"},
    {SHAPE("{\"type\": \"spher\"}}"), 3, 10, "did you mean 'sphere'?"},
    {SHAPE("{\"type\": \"sphere\", \"raduis\": 1}}"), 3, 20,
     "a sphere has no key 'raduis'; did you mean 'radius'?"},
    {SHAPE("{\"type\": \"sphere\"}}"), 3, 1, "a sphere wants 'radius'"},
    {SHAPE("{\"type\": \"sphere\", \"radius\": -1}}"), 3, 30, "'radius' must be within 0 and"},
    {SHAPE("{\"type\": \"half-space\"}}"), 3, 1, "a half-space cannot be on a dynamic body"},
    {SHAPE("{\"type\": \"hull\"}}"), 3, 1, "a hull wants 'points' or 'mesh'"},
    {SHAPE("{\"type\": \"hull\", \"points\": [1, 2]}}"), 3, 28, "x, y and z of each point, not 2"},
    {SHAPE("{\"type\": \"hull\", \"points\": [0,0,0, 1,0,0, 0,1,0, 1,1,0]}}"), 3, 1,
     "the hull cannot be made: all 4 points are in a plane"},
    {SHAPE("{\"type\": \"mesh\", \"mesh\": {\"size\": 1}}}"), 3, 26,
     "a mesh wants one of the keys: model, path, vertices"},
    {SHAPE("{\"type\": \"mesh\", \"mesh\": {\"model\": \"skul\", \"size\": 1}}}"), 3, 36,
     "did you mean 'skull'?"},
    {SHAPE("{\"type\": \"mesh\", \"mesh\": {\"path\": \"a.obj\"}}}"), 3, 35,
     "meshes by path cannot be read here"},
    {SHAPE("{\"type\": \"mesh\", \"mesh\": {\"vertices\": [0,0,0], \"triangles\": [0,0,1]}}}"), 3,
     66, "a vertex of a triangle is a whole number from 0 to 0"},
    {SHAPE("{\"type\": \"concave\", \"mesh\": {\"vertices\": [0,0,0,1,0,0,0,1,0],\n\"triangles\": "
           "[0,1,2]}, \"route\": \"field\"}}"),
     3, 1, "the shape cannot be made: there can be no field"},
    {SHAPE("{\"type\": \"mesh\", \"mesh\": {\"model\": \"ring\", \"size\": 1}}}"), 3, 1,
     "the type 'concave' makes one that may move"},
    {SHAPE("{\"type\": \"compound\", \"children\": []}}"), 3, 1, "the compound cannot be made"},
    {SHAPE("{\"type\": \"compound\", \"children\": [{\"shape\":\n{\"type\": \"compound\", "
           "\"children\": []}}]}}"),
     4, 1, "a child of a compound cannot be a compound"},
    {SCENE("\"materials\": {\"ice\": {\"restitution\": 2}}, \"bodies\": []}"), 2, 38,
     "'restitution' must be within 0 and 1, not 2"},
    {SHAPE("{\"type\": \"sphere\", \"radius\": 1},\n \"material\": \"iec\"}"), 4, 14,
     "there is no material 'iec'; give it in 'materials'"},
    {SHAPE("{\"type\": \"sphere\", \"radius\": 1},\n \"material\": {\"slidingFriction\": 1}}"), 2,
     43, "sliding friction is larger than static friction"},
};

static const BadFile joints[] = {
    {JOINT("\"bodyA\": \"flor\", \"bodyB\": 1"), 3, 39, "no body 'flor'; did you mean 'floor'?"},
    {JOINT("\"bodyA\": 0, \"bodyB\": 2"), 3, 51,
     "there is no body 2; they are counted from 0 to 1"},
    {JOINT("\"bodyA\": 0"), 3, 12, "a joint wants 'bodyB'"},
    {JOINT("\"bodyA\": 1, \"bodyB\": 1"), 3, 12, "the joint: "},
    {JOINT("\"bodyA\": 0, \"bodyB\": 1, \"axis\": [1, 0, 0]"), 3, 62, "nothing without 'anchor'"},
    {JOINT("\"bodyA\": 0, \"bodyB\": 1, \"anchor\": [1, 0, 0], \"frameB\": {}"), 3, 85,
     "frames are in the way of 'anchor'"},
    {JOINT("\"bodyA\": 0, \"bodyB\": 1, \"axes\": {\"turnX\": {\"upper\": 1}}"), 3, 82,
     "'upper' does nothing here; add \"mode\": \"limited\""},
    {JOINT("\"bodyA\": 0, \"bodyB\": 1, \"axes\": {\"turnX\": {\"target\": 1}}"), 3, 83,
     "'target' does nothing here; add a 'drive'"},
    {JOINT("\"bodyA\": 0, \"bodyB\": 1, \"axes\": {\"turnX\": {\"mode\": \"limited\", \"lower\": "
           "2}}"),
     3, 12, "the joint: "},
    {JOINT("\"bodyA\": 0, \"bodyB\": 1, \"maxForce\": \"3 N m\""), 3, 66,
     "'maxForce' is a force, not a torque"},
};

static void checkAll(const BadFile* files, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const BadFile* bad = &files[i];
        TestContext test;
        TestContext_Init(&test);
        sdSceneFile* file = NULL;
        sdFault fault;
        sdResult result = sdSceneFile_Parse(&test.context, "bad.json", bad->text, strlen(bad->text),
                                            NULL, &file, &fault);
        bool ok = CHECK(result != SD_OK && file == NULL);
        ok = CHECK_INT(fault.line, bad->line) && ok;
        ok = CHECK_INT(fault.column, bad->column) && ok;
        ok = CHECK_TEXT(fault.text, bad->message) && ok;
        if (!ok) {
            sdTest_Print("of:\n%s\nit is said: %d:%d: %s", bad->text, fault.line, fault.column,
                         fault.text);
        }
        TestContext_Finish(&test);
    }
}

#define CHECK_ALL(files) checkAll((files), sizeof(files) / sizeof(files)[0])

SD_TEST(scenefile_bad_syntax_is_told_with_its_place) {
    CHECK_ALL(syntax);
}

SD_TEST(scenefile_bad_keys_are_told_with_their_place) {
    CHECK_ALL(keys);
}

SD_TEST(scenefile_bad_bodies_are_told_with_their_place) {
    CHECK_ALL(bodies);
}

SD_TEST(scenefile_bad_joints_are_told_with_their_place) {
    CHECK_ALL(joints);
}

SD_TEST(scenefile_deep_and_wide_files_end) {
    // deeper than allowed, at the depth that is one too many
    char deep[400];
    memset(deep, '[', sizeof deep);
    sdSceneFile* file = NULL;
    sdFault fault;
    CHECK_INT(sdSceneFile_Parse(NULL, "deep.json", deep, sizeof deep, NULL, &file, &fault),
              SD_ERROR_BAD_FILE);
    CHECK_INT(fault.column, 65);
    CHECK_TEXT(fault.text, "more than 64 lists and objects in each other");
    // a hundred thousand keys, the last of which was there before
    size_t count = 100000, used = 0;
    char* wide = malloc(24 * count);
    for (size_t i = 0; i < count; ++i) {
        size_t key = i + 1 < count ? i : 7;
        used += (size_t)snprintf(wide + used, 24, "%c\"k%zu\":0", i == 0 ? '{' : ',', key);
    }
    wide[used++] = '}';
    CHECK_INT(sdSceneFile_Parse(NULL, "wide.json", wide, used, NULL, &file, &fault),
              SD_ERROR_BAD_FILE);
    CHECK_TEXT(fault.text, "'k7' is given twice");
    free(wide);
}
