// SPDX-License-Identifier: MIT
// count_steps.c - a scene and nothing else, for counting the instructions of its steps:
//
//     count_steps SCENE SIZE STEPS
//
// tools/count_instructions.sh runs it under callgrind. Kernels are those of the base level, so that
// counts do not depend on the processor, and valgrind knows every instruction.

#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
/// What gcc's __builtin_cpu_supports looks at, filled in before main.
extern struct { unsigned vendor, type, subtype, features; } __cpu_model;
#define AVX2_BIT (1u << 10)

static bool useBaseLevel(void) {
    __cpu_model.features &= ~AVX2_BIT;
    return __builtin_cpu_supports("avx2") == 0;
}
#else
static bool useBaseLevel(void) {
    return false;
}
#endif

int main(int argc, char** argv) {
    const sdScene* scene = argc == 4 ? sdScene_Find(argv[1]) : NULL;
    if (scene == NULL) {
        fprintf(stderr, "usage: count_steps SCENE SIZE STEPS\n");
        return 2;
    }
    if (!useBaseLevel()) {
        fprintf(stderr, "count_steps: made for gcc on x86-64\n");
        return 3;
    }
    sdSceneOptions options = {.size = atoi(argv[2])};
    sdWorldDef def = sdScene_GetWorldDef(scene);
    def.enableSleep = false;
    sdWorld* world = NULL;
    sdResult result = sdWorld_Create(NULL, &def, &world);
    result = result != SD_OK ? result : sdScene_Build(scene, world, &options);
    for (int i = 0; i < atoi(argv[3]) && result == SD_OK; ++i) {
        result = sdWorld_Step(world, scene->dt);
    }
    if (result != SD_OK) {
        fprintf(stderr, "count_steps: %s\n", sdResult_Text(result));
    }
    sdWorld_Destroy(world);
    return result == SD_OK ? 0 : 1;
}
