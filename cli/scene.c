// SPDX-License-Identifier: MIT
// scene.c - `sudar scene FILE`: check a scene file, make one of a built-in scene or of a file of
// another program, print the schema.

#include "cli.h"

#include "file.h"
#include "import.h"
#include "scene.h"
#include "scenefile.h"
#include "scenes.h"

#include <stdlib.h>
#include <string.h>

typedef struct SceneOptions {
    const char* out;
    bool isStrict, schema;
    int size;
    uint64_t seed;
} SceneOptions;

static bool parse(int argc, char** argv, SceneOptions* o, const char** path, CliExit* code) {
    const CliOption options[] = {
        {"--out", "FILE", "write it as a scene file; - for standard output", CLI_TEXT, &o->out, 0,
         0},
        {"--strict", "", "what an import ignores or approximates is an error", CLI_FLAG,
         &o->isStrict, 0, 0},
        {"--size", "N", "of a built-in scene", CLI_INT, &o->size, 1, INT32_MAX},
        {"--seed", "N", "of a built-in scene", CLI_SEED, &o->seed, 0, 0},
        {"--schema", "", "print the JSON Schema of scene files", CLI_FLAG, &o->schema, 0, 0},
    };
    const CliSyntax syntax = {
        .command = "scene",
        .argument = "FILE",
        .summary = "Check a scene file (JSON), or make one of a built-in scene, of URDF, MJCF "
                   "(.xml, .mjcf) or\nglTF with KHR_physics_rigid_bodies (.gltf, .glb). What an "
                   "import ignores or approximates is listed.",
        .notes = "for example:\n  sudar scene robot.urdf --strict --out robot.json\n"
                 "  sudar scene tower --size 5 --out tower.json",
        .options = options,
        .optionCount = (int)(sizeof options / sizeof options[0]),
    };
    return Cli_Parse(&syntax, argc, argv, path, code);
}

// ---- loading -------------------------------------------------------------------------------

static CliExit failAt(const char* path, int line, const char* text) {
    if (line > 0) {
        fprintf(stderr, "%s:%d: %s\n", path, line, text);
    } else {
        fprintf(stderr, "%s: %s\n", path, text);
    }
    return CLI_FAILED;
}

static void printNotes(const CliImport* import) {
    for (int i = 0; i < import->noteCount; ++i) {
        if (import->noteLines[i] > 0) {
            fprintf(stderr, "%s:%d: %s\n", import->path, import->noteLines[i], import->notes[i]);
        } else {
            fprintf(stderr, "%s: %s\n", import->path, import->notes[i]);
        }
    }
    if (import->moreNotes > 0) {
        fprintf(stderr, "%s: and %d more\n", import->path, import->moreNotes);
    }
}

/// @param text receives the scene file that was made; may be NULL
static CliExit loadImport(const char* path, bool isStrict, sdSceneFile** out, CliBuffer* text) {
    CliImport import = {.path = path};
    CliExit code = CliImport_Read(&import) ? CLI_OK : failAt(path, import.faultLine, import.fault);
    printNotes(&import);
    if (code == CLI_OK && isStrict && import.noteCount > 0) {
        code = failAt(path, 0, "not all of it can be kept (--strict)");
    }
    if (code == CLI_OK) {
        sdMeshReader reader = CliMeshFile_GetReader();
        sdFault fault;
        if (sdSceneFile_Parse(NULL, path, import.out.data, import.out.length, &reader, out,
                              &fault) != SD_OK) {
            // a place in the text that was made, not in the file
            code = failAt(path, 0, fault.text);
        }
    }
    if (code == CLI_OK && text != NULL) {
        *text = import.out;
        import.out = (CliBuffer){0};
    }
    CliImport_Free(&import);
    return code;
}

CliExit CliScene_Load(const char* path, bool isStrict, sdSceneFile** out) {
    if (CliImport_IsKnown(path)) {
        return loadImport(path, isStrict, out, NULL);
    }
    sdMeshReader reader = CliMeshFile_GetReader();
    sdFault fault;
    if (sdSceneFile_Load(NULL, path, &reader, out, &fault) == SD_OK) {
        return CLI_OK;
    }
    char text[1024];
    sdFault_Describe(&fault, path, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return CLI_FAILED;
}

bool CliScene_IsFile(const char* name) {
    size_t length = strlen(name);
    return strchr(name, '/') != NULL || CliImport_IsKnown(name) ||
           (length > 5 && strcmp(name + length - 5, ".json") == 0);
}

// ---- writing -------------------------------------------------------------------------------

static bool writeBuffer(void* user, const char* text, size_t length) {
    CliBuffer* buffer = user;
    CliBuffer_Print(buffer, "%.*s", (int)length, text);
    return true;
}

static CliExit writeOut(const char* path, const CliBuffer* text) {
    if (strcmp(path, "-") == 0) {
        return fwrite(text->data, 1, text->length, stdout) == text->length
                   ? CLI_OK
                   : Cli_Fail(CLI_FAILED, "scene", "cannot write to standard output");
    }
    sdOutFile file;
    if (sdOutFile_Open(NULL, path, &file) != SD_OK) {
        return CLI_FAILED;
    }
    bool ok = sdOutFile_Write(&file, text->data, text->length) == SD_OK &&
              sdOutFile_Commit(&file) == SD_OK;
    sdOutFile_Close(&file);
    return ok ? CLI_OK : CLI_FAILED;
}

static CliExit writeWorld(const sdWorld* world, const sdSceneInfo* info, const char* path) {
    CliBuffer text = {0};
    sdResult result = sdSceneFile_Write(NULL, world, info, writeBuffer, &text);
    CliExit code = result == SD_OK ? writeOut(path, &text)
                                   : Cli_Fail(CLI_FAILED, "scene", "%s", sdResult_Text(result));
    CliBuffer_Free(&text);
    return code;
}

static CliExit saveBuiltIn(const sdScene* scene, const SceneOptions* o) {
    sdWorldDef def = sdScene_GetWorldDef(scene);
    sdSceneOptions options = {.size = o->size, .seed = o->seed};
    if (o->size != 0 && (o->size < scene->minSize || o->size > scene->maxSize)) {
        return Cli_Fail(CLI_USAGE, "scene", "--size of %s is from %d to %d (%s), not %d",
                        scene->name, scene->minSize, scene->maxSize, scene->sizeName, o->size);
    }
    sdWorld* world = NULL;
    sdResult result = sdWorld_Create(NULL, &def, &world);
    result = result == SD_OK ? sdScene_Build(scene, world, &options) : result;
    sdSceneInfo info = {.name = scene->name,
                        .title = scene->title,
                        .text = scene->text,
                        .dt = scene->dt,
                        .stepCount = scene->stepCount,
                        .hasCamera = true,
                        .eye = scene->eye,
                        .target = scene->target};
    CliExit code = result == SD_OK ? writeWorld(world, &info, o->out != NULL ? o->out : "-")
                                   : Cli_Fail(CLI_FAILED, "scene", "cannot build %s: %s",
                                              scene->name, sdResult_Text(result));
    if (code == CLI_OK && o->out != NULL && strcmp(o->out, "-") != 0) {
        sdWorldStats stats = sdWorld_GetStats(world);
        printf("%s: %s: %s, %s\n", o->out, scene->title,
               Cli_Count(stats.bodyCount, "body", "bodies").text,
               Cli_Count(stats.jointCount, "joint", "joints").text);
    }
    sdWorld_Destroy(world);
    return code;
}

static CliExit saveFile(const sdSceneFile* file, const char* path) {
    sdWorld* world = NULL;
    sdResult result = sdWorld_Create(NULL, sdSceneFile_GetWorldDef(file), &world);
    result = result == SD_OK ? sdSceneFile_Build(file, world, NULL) : result;
    CliExit code = result == SD_OK ? writeWorld(world, sdSceneFile_GetInfo(file), path)
                                   : Cli_Fail(CLI_FAILED, "scene", "%s", sdResult_Text(result));
    sdWorld_Destroy(world);
    return code;
}

static CliExit checkFile(const char* path, const SceneOptions* o) {
    sdSceneFile* file = NULL;
    CliBuffer text = {0};
    bool isImport = CliImport_IsKnown(path);
    CliExit code = isImport ? loadImport(path, o->isStrict, &file, &text)
                            : CliScene_Load(path, o->isStrict, &file);
    if (code == CLI_OK && o->out != NULL) {
        // names and comments of a made file stay; one that is read again is written in full
        code = isImport ? writeOut(o->out, &text) : saveFile(file, o->out);
    }
    if (code == CLI_OK && (o->out == NULL || strcmp(o->out, "-") != 0)) {
        const sdSceneInfo* info = sdSceneFile_GetInfo(file);
        printf("%s: %s%s%s, %s, %s of %g s\n", path, info->title,
               info->title[0] != '\0' ? ": " : "",
               Cli_Count(sdSceneFile_GetBodyCount(file), "body", "bodies").text,
               Cli_Count(sdSceneFile_GetJointCount(file), "joint", "joints").text,
               Cli_Count(info->stepCount, "step", "steps").text, (double)info->dt);
    }
    CliBuffer_Free(&text);
    sdSceneFile_Destroy(file);
    return code;
}

static const char* getSceneName(const void* user, int i) {
    (void)user;
    const sdScene* scene = sdScene_Get(i);
    return scene != NULL ? scene->name : NULL;
}

static CliExit failUnknown(const char* name) {
    const char* nearest = sdNearestWord(name, getSceneName, NULL);
    return nearest != NULL
               ? Cli_Fail(CLI_USAGE, "scene", "there is no scene '%s'; did you mean '%s'?", name,
                          nearest)
               : Cli_Fail(CLI_USAGE, "scene",
                          "'%s' is neither a built-in scene nor a file that ends in .json, .urdf, "
                          ".xml, .mjcf, .gltf or .glb",
                          name);
}

CliExit Cli_Scene(int argc, char** argv) {
    SceneOptions o = {0};
    const char* path;
    CliExit code;
    if (!parse(argc, argv, &o, &path, &code)) {
        return code;
    }
    if (o.schema) {
        CliBuffer text = {0};
        sdSceneFile_WriteSchema(writeBuffer, &text);
        code = writeOut(o.out != NULL ? o.out : "-", &text);
        CliBuffer_Free(&text);
        return code;
    }
    if (path == NULL) {
        return Cli_Fail(CLI_USAGE, "scene", "which file? See 'sudar scene --help'");
    }
    if (CliScene_IsFile(path)) {
        return checkFile(path, &o);
    }
    const sdScene* scene = sdScene_Find(path);
    return scene != NULL ? saveBuiltIn(scene, &o) : failUnknown(path);
}
