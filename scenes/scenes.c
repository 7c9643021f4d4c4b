// SPDX-License-Identifier: MIT
// scenes.c - the table of scenes, how one is built and how its end is judged.

#include "scene_parts.h"

#include <stdio.h>
#include <string.h>

/// Those of the documents come first, in their order.
static const sdScene* const table[] = {
    &sdSceneOctahedra, &sdSceneCubes,         &sdSceneSmallCubes,  &sdSceneMixedCubes,
    &sdSceneSlope,     &sdSceneSeesaw,        &sdScenePlank,       &sdSceneBilliards,
    &sdSceneDominoes,  &sdSceneDominoRing,    &sdSceneRings,       &sdSceneSkulls,
    &sdScenePendulum,  &sdSceneRigidPendulum, &sdSceneHingeSlider, &sdSceneSkullChain,
    &sdSceneRings500,  &sdSceneBones500,      &sdScenePyramid,     &sdSceneTightPyramid,
    &sdSceneTower,     &sdSceneHeavy,         &sdSceneCardHouse,   &sdSceneArch,
    &sdScenePile,      &sdSceneWidePile,      &sdSceneRain,        &sdSceneSleepers,
    &sdSceneChains,    &sdSceneJointGrid,     &sdSceneRagdolls,    &sdSceneBullets,
    &sdSceneBowls,     &sdSceneHangingChain,  &sdSceneNut,         &sdSceneNutHolds,
};

#define DEFAULT_SEED 1
#define DEFAULT_DENSITY 1000.0f // kg/m³: water, plastics

int sdScene_GetCount(void) {
    return (int)(sizeof table / sizeof table[0]);
}

const sdScene* sdScene_Get(int index) {
    return index >= 0 && index < sdScene_GetCount() ? table[index] : NULL;
}

const sdScene* sdScene_Find(const char* name) {
    for (int i = 0; i < sdScene_GetCount() && name != NULL; ++i) {
        if (strcmp(table[i]->name, name) == 0) {
            return table[i];
        }
    }
    return NULL;
}

sdWorldDef sdScene_GetWorldDef(const sdScene* scene) {
    sdWorldDef def = sdWorldDef_Default();
    if (scene != NULL && scene->configure != NULL) {
        scene->configure(&def);
    }
    return def;
}

/// With defaults filled in.
static sdSceneOptions resolve(const sdScene* scene, const sdSceneOptions* options) {
    sdSceneOptions r = {0};
    if (options != NULL) {
        r = *options;
    }
    r.size = r.size == 0 ? scene->size : r.size;
    r.seed = r.seed == 0 ? DEFAULT_SEED : r.seed;
    r.scale = r.scale == 0.0f ? 1.0f : r.scale;
    return r;
}

sdResult sdScene_Build(const sdScene* scene, sdWorld* world, const sdSceneOptions* options) {
    if (scene == NULL || world == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    sdSceneOptions o = resolve(scene, options);
    if (o.size < scene->minSize || o.size > scene->maxSize ||
        (o.scale != 1.0f && !(scene->hasScale && o.scale > 0.0f))) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    sdSceneBuilder builder = {.world = world,
                              .context = o.context,
                              .size = o.size,
                              .random = o.seed,
                              .scale = o.scale,
                              .material = sdMaterial_Default(),
                              .density = DEFAULT_DENSITY,
                              .result = SD_OK};
    scene->build(&builder);
    return builder.result;
}

/// Both worlds have the same bodies in the same slots, because nothing was removed.
static bool checkBodies(const sdScene* scene, sdSceneEnd* end, sdBodyId* ids) {
    sdWorld_GetBodies(end->world, ids, end->bodyCount);
    sdWorld_GetBodies(end->start, ids + end->bodyCount, end->bodyCount);
    end->bodies = ids;
    end->startBodies = ids + end->bodyCount;
    for (int i = 0; i < end->bodyCount; ++i) {
        sdWorldTransform pose = sdSceneEnd_GetPose(end, i);
        if (!sdPos_IsFinite(pose.p) || !sdQuat_IsFinite(pose.q)) {
            return sdSceneEnd_Say(end, false, "body %d has a pose that is not finite", i);
        }
    }
    return scene->check(end);
}

bool sdScene_Check(const sdScene* scene, const sdWorld* world, const sdSceneOptions* options,
                   char* reason, int capacity) {
    if (scene == NULL || world == NULL) {
        return false;
    }
    sdSceneOptions o = resolve(scene, options);
    sdContext context = o.context != NULL ? *o.context : sdContext_Default();
    sdWorldDef def = sdScene_GetWorldDef(scene);
    sdSceneEnd end = {.size = o.size,
                      .scale = o.scale,
                      .world = world,
                      .bodyCount = sdWorld_GetBodies(world, NULL, 0),
                      .reason = reason,
                      .capacity = capacity};
    sdWorld* start = NULL;
    size_t size = 2 * (size_t)end.bodyCount * sizeof(sdBodyId);
    sdBodyId* ids = context.allocator.allocate(context.allocator.user, size, sizeof(sdBodyId));
    bool isTrue = false;
    if (ids == NULL || sdWorld_Create(&context, &def, &start) != SD_OK ||
        sdScene_Build(scene, start, &o) != SD_OK) {
        sdSceneEnd_Say(&end, false, "the scene could not be built again to compare with");
    } else if (sdWorld_GetBodies(start, NULL, 0) != end.bodyCount) {
        sdSceneEnd_Say(&end, false, "the world has %d bodies, the scene %d", end.bodyCount,
                       sdWorld_GetBodies(start, NULL, 0));
    } else {
        end.start = start;
        isTrue = checkBodies(scene, &end, ids);
    }
    sdWorld_Destroy(start);
    if (ids != NULL) {
        context.allocator.release(context.allocator.user, ids, size);
    }
    return isTrue;
}
