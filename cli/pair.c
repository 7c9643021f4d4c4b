// SPDX-License-Identifier: MIT
// pair.c - shapes and poses from words.

#include "pair.h"

#include "mesh_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NUMBERS 16

const char* const CliShape_Notation =
    "shapes (lengths in m, halves as in shapes.h):\n"
    "  sphere:R  capsule:HALF,R  box:HX,HY,HZ  cylinder:HALF,R  cone:HALF,R  half-space\n"
    "  triangle:x,y,z,x,y,z,x,y,z  hull:FILE  mesh:FILE  MODEL:SIZE  hull:MODEL:SIZE\n"
    "  where MODEL is box sphere torus ring post skull bone bolt nut chain-link star bowl tetrapod";

/// Numbers separated by commas.
/// @return how many; -1 when they are something else
static int readNumbers(const char* text, double* out) {
    int count = 0;
    while (*text != '\0' && count < MAX_NUMBERS) {
        char* end;
        out[count] = strtod(text, &end);
        if (end == text || !isfinite(out[count]) || (*end != ',' && *end != '\0')) {
            return -1;
        }
        ++count;
        text = *end == ',' ? end + 1 : end;
    }
    return *text == '\0' ? count : -1;
}

CliExit CliPose_Read(const char* command, const char* option, const char* text, sdTransform* out) {
    double v[MAX_NUMBERS];
    int count = text != NULL ? readNumbers(text, v) : 0;
    *out = sdTransform_Identity();
    if (text == NULL) {
        return CLI_OK;
    }
    sdVec3 axis = count == 7 ? sdV3((float)v[3], (float)v[4], (float)v[5]) : sdV3(1.0f, 0.0f, 0.0f);
    float length = sdLength(axis);
    if ((count != 3 && count != 7) || !(length > 0.0f)) {
        return Cli_Fail(CLI_USAGE, command,
                        "%s wants x,y,z or x,y,z and an axis with degrees, x,y,z,ax,ay,az,deg, "
                        "not '%s'",
                        option, text);
    }
    out->p = sdV3((float)v[0], (float)v[1], (float)v[2]);
    if (count == 7) {
        out->q = sdQuat_FromAxisAngle(sdScale(1.0f / length, axis),
                                      (float)(v[6] * 0.017453292519943295));
    }
    return CLI_OK;
}

// ---- meshes --------------------------------------------------------------------------------

/// Names of models with hyphens, as in scene files.
static int findModel(const char* name, size_t length) {
    for (int kind = 0; kind < SD_MODEL_COUNT; ++kind) {
        const char* own = sdModel_Name((sdModelKind)kind);
        bool isSame = strlen(own) == length;
        for (size_t i = 0; i < length && isSame; ++i) {
            isSame = own[i] == name[i] || (own[i] == ' ' && name[i] == '-');
        }
        if (isSame) {
            return kind;
        }
    }
    return -1;
}

/// "skull:0.2" or a file.
static CliExit readMesh(const char* command, const char* text, sdMesh** out) {
    const char* colon = strchr(text, ':');
    int model = colon != NULL ? findModel(text, (size_t)(colon - text)) : -1;
    if (model >= 0) {
        double size[MAX_NUMBERS];
        if (readNumbers(colon + 1, size) != 1 ||
            sdModel_Create(NULL, (sdModelKind)model, (float)size[0], out) != SD_OK) {
            return Cli_Fail(CLI_USAGE, command, "'%s': a model wants its size in m", text);
        }
        return CLI_OK;
    }
    CliMeshFile file;
    char reason[512];
    if (!CliMeshFile_Read(text, 1.0f, &file, reason, sizeof reason)) {
        bool hasLine = reason[0] >= '0' && reason[0] <= '9';
        return Cli_Fail(CLI_FAILED, command, "%s:%s%s", text, hasLine ? "" : " ", reason);
    }
    sdMeshDef def = sdMeshDef_Default();
    def.data = (sdMeshData){file.vertices, file.vertexCount, file.triangles, file.triangleCount};
    sdResult result = sdMesh_Create(NULL, &def, out);
    CliMeshFile_Free(&file);
    return result == SD_OK ? CLI_OK
                           : Cli_Fail(CLI_FAILED, command, "%s: %s", text, sdResult_Text(result));
}

static CliExit readHull(const char* command, const char* text, CliShape* out) {
    CliExit code = readMesh(command, text, &out->mesh);
    if (code != CLI_OK) {
        return code;
    }
    sdMeshData data = sdMesh_GetData(out->mesh);
    sdHullDef def = sdHullDef_Default();
    def.points = data.vertices;
    def.pointCount = data.vertexCount;
    if (sdHull_Create(NULL, &def, &out->hull) != SD_OK) {
        return Cli_Fail(CLI_FAILED, command, "%s has no hull", text);
    }
    out->shape = sdShape_Hull(out->hull);
    return CLI_OK;
}

// ---- shapes --------------------------------------------------------------------------------

typedef struct Primitive {
    const char* name;
    int count; ///< of its numbers
    sdShapeType type;
} Primitive;

static const Primitive* findPrimitive(const char* name, size_t length) {
    static const Primitive all[] = {{"sphere", 1, SD_SHAPE_SPHERE},
                                    {"capsule", 2, SD_SHAPE_CAPSULE},
                                    {"box", 3, SD_SHAPE_BOX},
                                    {"cylinder", 2, SD_SHAPE_CYLINDER},
                                    {"cone", 2, SD_SHAPE_CONE},
                                    {"triangle", 9, SD_SHAPE_TRIANGLE},
                                    {"half-space", 0, SD_SHAPE_HALF_SPACE}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        if (strlen(all[i].name) == length && strncmp(all[i].name, name, length) == 0) {
            return &all[i];
        }
    }
    return NULL;
}

/// @param v as many numbers as it has
static sdShape makePrimitive(const Primitive* primitive, const double* v) {
    float f[9] = {0.0f};
    for (int i = 0; i < primitive->count; ++i) {
        f[i] = (float)v[i];
    }
    switch (primitive->type) {
        case SD_SHAPE_SPHERE:
            return sdShape_Sphere(f[0]);
        case SD_SHAPE_CAPSULE:
            return sdShape_Capsule(f[0], f[1]);
        case SD_SHAPE_BOX:
            return sdShape_Box(f[0], f[1], f[2]);
        case SD_SHAPE_CYLINDER:
            return sdShape_Cylinder(f[0], f[1]);
        case SD_SHAPE_CONE:
            return sdShape_Cone(f[0], f[1]);
        case SD_SHAPE_TRIANGLE:
            return sdShape_Triangle(sdV3(f[0], f[1], f[2]), sdV3(f[3], f[4], f[5]),
                                    sdV3(f[6], f[7], f[8]));
        default:
            return sdShape_HalfSpace();
    }
}

static CliExit readPrimitive(const char* command, const char* text, const Primitive* primitive,
                             CliShape* out) {
    const char* colon = strchr(text, ':');
    double v[MAX_NUMBERS];
    int count = colon != NULL ? readNumbers(colon + 1, v) : 0;
    if (count != primitive->count) {
        return Cli_Fail(CLI_USAGE, command, "'%s': a %s has %s", text, primitive->name,
                        Cli_Count(primitive->count, "number", "numbers").text);
    }
    out->shape = makePrimitive(primitive, v);
    return sdShape_IsValid(&out->shape)
               ? CLI_OK
               : Cli_Fail(CLI_USAGE, command, "'%s': a size is negative", text);
}

CliExit CliShape_Read(const char* command, const char* text, CliShape* out) {
    *out = (CliShape){0};
    if (text == NULL) {
        return Cli_Fail(CLI_USAGE, command, "which two shapes? See 'sudar collide --help'");
    }
    const char* colon = strchr(text, ':');
    size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text);
    const Primitive* primitive = findPrimitive(text, length);
    if (primitive != NULL) {
        return readPrimitive(command, text, primitive, out);
    }
    if (colon != NULL && strncmp(text, "hull:", 5) == 0) {
        return readHull(command, colon + 1, out);
    }
    bool isMesh = colon != NULL && strncmp(text, "mesh:", 5) == 0;
    if (isMesh || (colon != NULL && findModel(text, length) >= 0)) {
        CliExit code = readMesh(command, isMesh ? colon + 1 : text, &out->mesh);
        if (code == CLI_OK) {
            out->shape = sdShape_Mesh(out->mesh);
        }
        return code;
    }
    return Cli_Fail(CLI_USAGE, command,
                    "'%s' is not a shape; such are box:1,1,1, sphere:0.5, "
                    "hull:file.obj and skull:0.2",
                    text);
}

void CliShape_Free(CliShape* shape) {
    sdHull_Release(shape->hull);
    sdMesh_Release(shape->mesh);
}
