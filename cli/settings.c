// SPDX-License-Identifier: MIT
// settings.c - the settings of a world by name, as `--set key=value` gives them.
//
// In:   a table with the place, kind and meaning of every field of sdWorldDef.
// Out:  the field changed, or one line that says what is wrong. Ranges are the world's to check.

#include "settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Longest key and its value, bytes.
#define MAX_TEXT 128

typedef enum Kind { KIND_INT, KIND_FLOAT, KIND_BOOL, KIND_VECTOR, KIND_NAME } Kind;

typedef struct Setting {
    const char* key;
    Kind kind;
    size_t offset;
    const char* names; ///< of KIND_NAME, in the order of the enumeration: "tree|octree"
    const char* help;
} Setting;

#define INTEGRATORS "semi-implicit|explicit-euler|rk4"
#define COMBINES "geometric-mean|average|minimum|maximum|product"
#define BROADPHASES "tree|octree|sap|brute|all-pairs"
#define BUILDERS "hilbert|morton|top-down|bottom-up|insertion"

#define SOLVERS "soft|impulse"
#define ORDERS "new|ordinary"
#define DETECTIONS "each-pass|each-impulse"
#define MOTIONS "together|one-by-one"

#define AT(field) offsetof(sdWorldDef, field)

static const Setting settings[] = {
    {"gravity", KIND_VECTOR, AT(gravity), NULL, "m/s^2"},
    {"solver", KIND_NAME, AT(solver), SOLVERS, "of contacts and joints"},
    {"subStepCount", KIND_INT, AT(subStepCount), NULL, "sub-steps of a step, 1 .. 64"},
    {"jointSubStepCount", KIND_INT, AT(jointSubStepCount), NULL,
     "the same of bodies on which only joints act"},
    {"maxPartCount", KIND_INT, AT(maxPartCount), NULL,
     "whole steps that one is divided into at most, for small meshes, 1 .. 64"},
    {"integrator", KIND_NAME, AT(integrator), INTEGRATORS, "of free motion"},
    {"combineFriction", KIND_NAME, AT(combineFriction), COMBINES, "of two materials"},
    {"combineRestitution", KIND_NAME, AT(combineRestitution), COMBINES, "of two materials"},
    {"slop", KIND_FLOAT, AT(slop), NULL, "m of overlap that resting contacts keep"},
    {"pushRate", KIND_FLOAT, AT(pushRate), NULL, "1/s, share of an overlap that goes in a second"},
    {"maxPushSpeed", KIND_FLOAT, AT(maxPushSpeed), NULL, "m/s, at which overlaps are pushed apart"},
    {"enableDirect", KIND_BOOL, AT(enableDirect), NULL, "solve towers and arches all at once"},
    {"enableContinuous", KIND_BOOL, AT(enableContinuous), NULL, "look at fast bodies on their way"},
    {"impulse.order", KIND_NAME, AT(impulse.order), ORDERS, "of the impulse solver's step"},
    {"impulse.detection", KIND_NAME, AT(impulse.detection), DETECTIONS, "when it looks anew"},
    {"impulse.motion", KIND_NAME, AT(impulse.motion), MOTIONS, "how bodies get their positions"},
    {"impulse.collisionPassCount", KIND_INT, AT(impulse.collisionPassCount), NULL,
     "how far an impact goes in a step, 0 .. 1000"},
    {"impulse.contactPassCount", KIND_INT, AT(impulse.contactPassCount), NULL, "0 .. 1000"},
    {"impulse.jointPassCount", KIND_INT, AT(impulse.jointPassCount), NULL, "1 .. 1000"},
    {"impulse.jointTolerance", KIND_FLOAT, AT(impulse.jointTolerance), NULL,
     "m by which joints may be apart"},
    {"impulse.seed", KIND_INT, AT(impulse.seed), NULL, "of the order of pairs"},
    {"impulse.enableShock", KIND_BOOL, AT(impulse.enableShock), NULL,
     "stop bodies from the ground up"},
    {"enableSleep", KIND_BOOL, AT(enableSleep), NULL, "what rests costs nothing"},
    {"sleepSpeed", KIND_FLOAT, AT(sleepSpeed), NULL, "m/s below which a body may fall asleep"},
    {"sleepTime", KIND_FLOAT, AT(sleepTime), NULL, "s that it must be so slow"},
    {"broadphase.kind", KIND_NAME, AT(broadphase.kind), BROADPHASES, "which boxes meet"},
    {"broadphase.margin", KIND_FLOAT, AT(broadphase.margin), NULL, "m by which boxes are grown"},
    {"broadphase.marginFraction", KIND_FLOAT, AT(broadphase.marginFraction), NULL,
     "of a box's longest side, by which it is grown at most"},
    {"broadphase.prediction", KIND_FLOAT, AT(broadphase.prediction), NULL,
     "times its last way that a box is grown ahead"},
    {"broadphase.maxPairs", KIND_INT, AT(broadphase.maxPairs), NULL, "more are refused"},
    {"broadphase.treeBuilder", KIND_NAME, AT(broadphase.treeBuilder), BUILDERS, "of the tree"},
    {"broadphase.octreeMaxDepth", KIND_INT, AT(broadphase.octreeMaxDepth), NULL, "levels of cells"},
    {"broadphase.octreeSplitLimit", KIND_INT, AT(broadphase.octreeSplitLimit), NULL,
     "a cell with more bodies is split"},
    {"broadphase.octreeMergeLimit", KIND_INT, AT(broadphase.octreeMergeLimit), NULL,
     "eight cells with so few become one"},
    {"broadphase.octreeMaxCopies", KIND_FLOAT, AT(broadphase.octreeMaxCopies), NULL,
     "cells that a body may stand in, on average, 1 .. 8"},
    {"broadphase.sapAxisCount", KIND_INT, AT(broadphase.sapAxisCount), NULL,
     "axes of sweep and prune, 1 .. 3"},
    {"broadphase.enableTiming", KIND_BOOL, AT(broadphase.enableTiming), NULL, "measure its times"},
};
#define SETTING_COUNT ((int)(sizeof settings / sizeof settings[0]))

static const char* const yesNames[] = {"yes", "true", "on", "1"};
static const char* const noNames[] = {"no", "false", "off", "0"};

// ---- values --------------------------------------------------------------------------------

static bool isOneOf(const char* text, const char* const names[4]) {
    for (int i = 0; i < 4; ++i) {
        if (strcmp(text, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool readFloat(const char* text, char** end, float* out) {
    *out = strtof(text, end);
    return *end != text && isfinite(*out);
}

static bool readVector(const char* text, sdVec3* out) {
    float v[3];
    char* end = (char*)text;
    for (int i = 0; i < 3; ++i) {
        if (!readFloat(end, &end, &v[i]) || *end != (i < 2 ? ',' : '\0')) {
            return false;
        }
        ++end;
    }
    *out = sdV3(v[0], v[1], v[2]);
    return true;
}

/// The number of a name in "one|two|three"; negative when it is not there.
static int findName(const char* names, const char* text) {
    size_t length = strlen(text);
    int index = 0;
    for (const char* name = names; name != NULL; ++index) {
        const char* bar = strchr(name, '|');
        size_t own = bar != NULL ? (size_t)(bar - name) : strlen(name);
        if (own == length && memcmp(name, text, length) == 0) {
            return index;
        }
        name = bar != NULL ? bar + 1 : NULL;
    }
    return -1;
}

static void copyName(const char* names, int index, char* text, size_t capacity) {
    const char* name = names;
    for (int i = 0; i < index && name != NULL; ++i) {
        name = strchr(name, '|');
        name = name != NULL ? name + 1 : NULL;
    }
    snprintf(text, capacity, "%.*s", name != NULL ? (int)strcspn(name, "|") : 1,
             name != NULL ? name : "?");
}

static const char* wanted(const Setting* setting) {
    switch (setting->kind) {
        case KIND_INT:
            return "a whole number";
        case KIND_FLOAT:
            return "a number";
        case KIND_BOOL:
            return "yes or no";
        case KIND_VECTOR:
            return "three numbers, x,y,z";
        default:
            return setting->names;
    }
}

static bool setValue(const Setting* setting, sdWorldDef* def, const char* text) {
    char* field = (char*)def + setting->offset;
    char* end;
    switch (setting->kind) {
        case KIND_INT: {
            long value = strtol(text, &end, 10);
            bool ok = end != text && *end == '\0' && value >= INT32_MIN && value <= INT32_MAX;
            if (ok) {
                *(int*)(void*)field = (int)value;
            }
            return ok;
        }
        case KIND_FLOAT: {
            float value;
            bool ok = readFloat(text, &end, &value) && *end == '\0';
            if (ok) {
                *(float*)(void*)field = value;
            }
            return ok;
        }
        case KIND_BOOL: {
            bool isYes = isOneOf(text, yesNames);
            *(bool*)(void*)field = isYes;
            return isYes || isOneOf(text, noNames);
        }
        case KIND_VECTOR:
            return readVector(text, (sdVec3*)(void*)field);
        case KIND_NAME: {
            // every enumeration is as large as the first
            int index = findName(setting->names, text);
            if (index >= 0) {
                memcpy(field, &(sdIntegrator){(sdIntegrator)index}, sizeof(sdIntegrator));
            }
            return index >= 0;
        }
    }
    return false;
}

static void describe(const Setting* setting, const sdWorldDef* def, char* text, size_t capacity) {
    const char* field = (const char*)def + setting->offset;
    sdVec3 v;
    switch (setting->kind) {
        case KIND_INT:
            snprintf(text, capacity, "%d", *(const int*)(const void*)field);
            break;
        case KIND_FLOAT:
            snprintf(text, capacity, "%g", (double)*(const float*)(const void*)field);
            break;
        case KIND_BOOL:
            snprintf(text, capacity, "%s", *(const bool*)(const void*)field ? "yes" : "no");
            break;
        case KIND_VECTOR:
            memcpy(&v, field, sizeof v);
            snprintf(text, capacity, "%g,%g,%g", (double)v.x, (double)v.y, (double)v.z);
            break;
        case KIND_NAME: {
            sdIntegrator value;
            memcpy(&value, field, sizeof value);
            copyName(setting->names, (int)value, text, capacity);
            break;
        }
    }
}

// ---- public --------------------------------------------------------------------------------

const char* CliSettings_GetKey(const void* user, int i) {
    (void)user;
    return i < SETTING_COUNT ? settings[i].key : NULL;
}

static const Setting* findSetting(const char* key) {
    for (int i = 0; i < SETTING_COUNT; ++i) {
        if (strcmp(settings[i].key, key) == 0) {
            return &settings[i];
        }
    }
    return NULL;
}

CliExit CliSettings_SetKey(const char* command, sdWorldDef* def, const char* key, const char* value,
                           const char* option) {
    const Setting* setting = findSetting(key);
    if (setting == NULL) {
        const char* nearest = Cli_Nearest(key, CliSettings_GetKey, NULL);
        return nearest != NULL ? Cli_Fail(CLI_USAGE, command,
                                          "%s: there is no setting '%s'; did you mean '%s'?",
                                          option, key, nearest)
                               : Cli_Fail(CLI_USAGE, command,
                                          "%s: there is no setting '%s'; 'sudar help settings' "
                                          "lists them",
                                          option, key);
    }
    return setValue(setting, def, value) ? CLI_OK
                                         : Cli_Fail(CLI_USAGE, command, "%s: %s wants %s, not '%s'",
                                                    option, key, wanted(setting), value);
}

CliExit CliSettings_Set(const char* command, sdWorldDef* def, const char* text) {
    const char* equals = strchr(text, '=');
    char key[MAX_TEXT];
    if (equals == NULL || equals == text || (size_t)(equals - text) >= sizeof key) {
        return Cli_Fail(CLI_USAGE, command,
                        "--set wants key=value, not '%s'; 'sudar help settings' lists the keys",
                        text);
    }
    memcpy(key, text, (size_t)(equals - text));
    key[equals - text] = '\0';
    return CliSettings_SetKey(command, def, key, equals + 1, "--set");
}

void CliSettings_Print(const sdWorldDef* def) {
    printf("Settings of a world, for --set key=value, and what they are unless a scene says "
           "otherwise:\n\n");
    for (int i = 0; i < SETTING_COUNT; ++i) {
        char text[MAX_TEXT];
        describe(&settings[i], def, text, sizeof text);
        printf("  %-28s%-16s%s\n", settings[i].key, text, settings[i].help);
        if (settings[i].kind == KIND_NAME) {
            printf("  %-44s%s\n", "", settings[i].names);
        }
    }
}
