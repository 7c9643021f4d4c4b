// SPDX-License-Identifier: MIT
// scenes.h - one table of scenes for command, tests, benchmarks, lab and viewer.
//
//     const sdScene* scene = sdScene_Find("pyramid");
//     sdWorldDef def = sdScene_GetWorldDef(scene);
//     sdWorld_Create(NULL, &def, &world);
//     sdScene_Build(scene, world, NULL);
//     for (int i = 0; i < scene->stepCount; ++i) {
//         sdWorld_Step(world, scene->dt);
//     }
//     char reason[SD_SCENE_REASON_SIZE];
//     if (!sdScene_Check(scene, world, NULL, reason, sizeof reason)) {
//         puts(reason);
//     }
//
// The same name, size and seed give the same bodies to the last bit, on every machine.

#ifndef SD_SCENES_H
#define SD_SCENES_H

#include "sudar/world.h"

SD_BEGIN_C

/// Enough for every reason.
#define SD_SCENE_REASON_SIZE 256

typedef struct sdSceneOptions {
    int size;                 ///< of what sdScene.sizeName says; 0: the scene's default
    uint64_t seed;            ///< of what is random in the scene; 0: its default
    float scale;              ///< of all lengths, in scenes that have it; 0: 1
    const sdContext* context; ///< of hulls and meshes; NULL: the default one
} sdSceneOptions;

typedef struct sdSceneBuilder sdSceneBuilder; ///< scene_parts.h
typedef struct sdSceneEnd sdSceneEnd;         ///< scene_parts.h

typedef struct sdScene {
    const char* name;  ///< lower case, words joined by hyphens
    const char* title; ///< a few words
    const char* text;  ///< one sentence
    const char* end;   ///< what must be true at the end, a clause
    const char* rows;  ///< of the list of features, "F7"; "" for none

    const char* sizeName; ///< what the option `size` counts: "boxes along the base"
    int size;             ///< default
    int minSize, maxSize;
    int stepCount; ///< after which `end` must be true
    float dt;      ///< s
    bool hasScale; ///< whether it can be built with other lengths

    /// Where to look from at the default size. Other sizes are seen well from the same direction.
    sdVec3 eye, target;

    void (*configure)(sdWorldDef* def); ///< changes default settings; NULL: none
    void (*build)(sdSceneBuilder* builder);
    bool (*check)(const sdSceneEnd* end);
} sdScene;

int sdScene_GetCount(void);
/// In the order in which they are to be listed; NULL outside 0 .. count - 1.
const sdScene* sdScene_Get(int index);
/// NULL when there is none of that name.
const sdScene* sdScene_Find(const char* name);

/// The settings that a world for this scene is created with.
sdWorldDef sdScene_GetWorldDef(const sdScene* scene);

/// Fill a new world.
/// @param options NULL for the default
/// @return SD_ERROR_INVALID_ARGUMENT for a size outside minSize .. maxSize and a scale that it does
///         not have, and whatever the world answers; what was built until then stays
sdResult sdScene_Build(const sdScene* scene, sdWorld* world, const sdSceneOptions* options);

/// Whether `end` is true. Bodies are compared with those of a fresh copy of the scene, so the world
/// must hold just what sdScene_Build put there.
/// @param options those that the world was built with
/// @param reason a sentence with figures: what holds, or what does not; may be NULL
bool sdScene_Check(const sdScene* scene, const sdWorld* world, const sdSceneOptions* options,
                   char* reason, int capacity);

SD_END_C

#endif
