// SPDX-License-Identifier: MIT
// subject.c - what is simulated: found by name, built, judged at its end.

#include "subject.h"

static const char* getSceneName(const void* user, int i) {
    (void)user;
    const sdScene* scene = sdScene_Get(i);
    return scene != NULL ? scene->name : NULL;
}

static CliExit failUnknown(const char* command, const char* name) {
    const char* nearest = Cli_Nearest(name, getSceneName, NULL);
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

CliExit CliSubject_Find(const char* command, const char* name, const CliSizes* sizes,
                        CliSubject* out) {
    if (name == NULL) {
        return Cli_Fail(CLI_USAGE, command, "which scene? 'sudar scenes' lists them");
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
    sdResult result = sdScene_Build(subject->scene, world, &subject->options);
    return result == SD_OK ? CLI_OK
                           : Cli_Fail(CLI_FAILED, command, "cannot build %s: %s", subject->name,
                                      sdResult_Text(result));
}

bool CliSubject_Check(const CliSubject* subject, const sdWorld* world, char* reason) {
    return sdScene_Check(subject->scene, world, &subject->options, reason, SD_SCENE_REASON_SIZE);
}

const char* CliSubject_GetEnd(const CliSubject* subject) {
    return subject->scene->end;
}
