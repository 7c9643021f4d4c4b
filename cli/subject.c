// SPDX-License-Identifier: MIT
// subject.c - what is simulated: found by name, built, judged at its end.

#include "subject.h"

#include "scene.h"

#include "scenefile.h"

#include <string.h>

static const char* getSceneName(const void* user, int i) {
    (void)user;
    const sdScene* scene = sdScene_Get(i);
    return scene != NULL ? scene->name : NULL;
}

static CliExit failUnknown(const char* command, const char* name) {
    const char* nearest = sdNearestWord(name, getSceneName, NULL);
    return nearest != NULL ? Cli_Fail(CLI_USAGE, command, "unknown scene '%s'; did you mean '%s'?",
                                      name, nearest)
                           : Cli_Fail(CLI_USAGE, command,
                                      "unknown scene '%s'; 'sudar scenes' lists them", name);
}

static CliExit checkSizes(const char* command, const sdScene* scene, const CliSizes* sizes) {
    if (sizes->size != 0 && (sizes->size < scene->minSize || sizes->size > scene->maxSize)) {
        return Cli_Fail(CLI_USAGE, command, "--size of %s is from %d to %d (%s), not %d",
                        scene->name, scene->minSize, scene->maxSize, scene->sizeName, sizes->size);
    }
    if (sizes->scale != 0.0 && sizes->scale != 1.0 && !scene->hasScale) {
        return Cli_Fail(CLI_USAGE, command, "%s cannot be built with other lengths (--scale)",
                        scene->name);
    }
    return CLI_OK;
}

static bool isFile(const char* name) {
    return strpbrk(name, "./") != NULL;
}

static CliExit openFile(const char* command, const char* path, const CliSizes* sizes,
                        CliSubject* out) {
    if (sizes->size != 0 || sizes->seed != 0 || sizes->scale != 0.0) {
        return Cli_Fail(CLI_USAGE, command, "--size, --seed and --scale are for built-in scenes");
    }
    sdSceneFile* file;
    CliExit code = CliScene_Load(path, sizes->isStrict, &file);
    if (code != CLI_OK) {
        return code;
    }
    const sdSceneInfo* info = sdSceneFile_GetInfo(file);
    const char* slash = strrchr(path, '/');
    *out = (CliSubject){
        .file = file,
        .def = *sdSceneFile_GetWorldDef(file),
        .name = info->name[0] != '\0' ? info->name : (slash != NULL ? slash + 1 : path),
        .title = info->title[0] != '\0' ? info->title : path,
        .dt = (double)info->dt,
        .stepCount = info->stepCount,
        // from the front, a little above, unless the file says otherwise
        .eye = info->hasCamera ? info->eye : sdV3(0.5f, 0.4f, 1.0f),
        .target = info->hasCamera ? info->target : sdV3(0.0f, 0.0f, 0.0f),
        .isOwnSize = info->hasCamera,
    };
    return CLI_OK;
}

CliExit CliSubject_Find(const char* command, const char* name, const CliSizes* sizes,
                        CliSubject* out) {
    if (name == NULL) {
        return Cli_Fail(CLI_USAGE, command, "which scene? 'sudar scenes' lists them");
    }
    if (isFile(name)) {
        return openFile(command, name, sizes, out);
    }
    const sdScene* scene = sdScene_Find(name);
    if (scene == NULL) {
        return failUnknown(command, name);
    }
    *out = (CliSubject){
        .scene = scene,
        .options = {.size = sizes->size, .seed = sizes->seed, .scale = (float)sizes->scale},
        .def = sdScene_GetWorldDef(scene),
        .name = scene->name,
        .title = scene->title,
        .dt = (double)scene->dt,
        .stepCount = scene->stepCount,
        .eye = scene->eye,
        .target = scene->target,
        .isOwnSize = (sizes->size == 0 || sizes->size == scene->size) &&
                     (sizes->scale == 0.0 || sizes->scale == 1.0),
    };
    return checkSizes(command, scene, sizes);
}

CliExit CliSubject_Build(const CliSubject* subject, const char* command, sdWorld* world) {
    sdResult result = subject->file != NULL
                          ? sdSceneFile_Build(subject->file, world, NULL)
                          : sdScene_Build(subject->scene, world, &subject->options);
    return result == SD_OK ? CLI_OK
                           : Cli_Fail(CLI_FAILED, command, "cannot build %s: %s", subject->name,
                                      sdResult_Text(result));
}

void CliSubject_Close(CliSubject* subject) {
    sdSceneFile_Destroy(subject->file);
    subject->file = NULL;
}

bool CliSubject_HasEnd(const CliSubject* subject) {
    return subject->scene != NULL;
}

bool CliSubject_Check(const CliSubject* subject, const sdWorld* world, char* reason) {
    return sdScene_Check(subject->scene, world, &subject->options, reason, SD_SCENE_REASON_SIZE);
}

const char* CliSubject_GetEnd(const CliSubject* subject) {
    return subject->scene != NULL ? subject->scene->end : "";
}
