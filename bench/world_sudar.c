// SPDX-License-Identifier: MIT
// world_sudar.c - ours as one of the engines, and opening scenes.

#include "world.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Sudar {
    sdScheduler* scheduler;
    sdWorld* world;
    sdBodyId* bodies;
    int bodyCount;
    float dt;
} Sudar;

static void destroy(void* arg) {
    Sudar* self = (Sudar*)arg;
    sdWorld_Destroy(self->world);
    sdScheduler_Destroy(self->scheduler);
    free(self->bodies);
    free(self);
}

static void* create(const rivalWorldScene* scene, char* why) {
    Sudar* self = calloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    sdContext context = sdContext_Default();
    self->dt = scene->dt;
    self->bodyCount = scene->bodyCount;
    self->bodies = calloc((size_t)scene->bodyCount, sizeof *self->bodies);
    bool isReady = self->bodies != NULL;
    if (scene->threadCount > 1) {
        isReady =
            isReady && sdScheduler_Create(NULL, scene->threadCount, &self->scheduler) == SD_OK;
        context.tasks = sdScheduler_GetTasks(self->scheduler);
    }
    if (!isReady || sdWorld_Create(&context, &scene->def, &self->world) != SD_OK ||
        scene->build(scene, self->world) != SD_OK) {
        snprintf(why, RIVAL_WHY_SIZE, "could not build the scene");
        destroy(self);
        return NULL;
    }
    sdWorld_GetBodies(self->world, self->bodies, self->bodyCount);
    return self;
}

static void step(void* arg) {
    Sudar* self = (Sudar*)arg;
    sdWorld_Step(self->world, self->dt);
}

static void getPoses(void* arg, sdWorldTransform* poses) {
    const Sudar* self = (const Sudar*)arg;
    for (int i = 0; i < self->bodyCount; ++i) {
        poses[i] = sdBody_GetTransform(self->world, self->bodies[i]);
    }
}

static void getStats(void* arg, sdWorldStats* stats) {
    *stats = sdWorld_GetStats(((const Sudar*)arg)->world);
}

static void getVelocities(void* arg, sdVec3* velocities, sdVec3* angular) {
    const Sudar* self = (const Sudar*)arg;
    for (int i = 0; i < self->bodyCount; ++i) {
        velocities[i] = sdBody_GetVelocity(self->world, self->bodies[i]);
        angular[i] = sdBody_GetAngularVelocity(self->world, self->bodies[i]);
    }
}

static void addForce(void* arg, int body, sdVec3 force) {
    const Sudar* self = (const Sudar*)arg;
    sdBody_ApplyForceToCenter(self->world, self->bodies[body], force);
}

const rivalEngine rivalSudarWorld = {"Sudar",  "its defaults", create,        step,    getPoses,
                                     getStats, destroy,        getVelocities, addForce};

static sdResult buildFromTable(const rivalWorldScene* scene, sdWorld* world) {
    sdSceneOptions options = {.size = scene->size};
    return sdScene_Build((const sdScene*)scene->source, world, &options);
}

bool bench_OpenScene(const char* name, int size, rivalWorldScene* scene) {
    const sdScene* found = sdScene_Find(name);
    *scene = (rivalWorldScene){.def = sdScene_GetWorldDef(found),
                               .build = buildFromTable,
                               .source = found,
                               .size = size,
                               .dt = found->dt};
    return bench_BuildScene(scene);
}

bool bench_BuildScene(rivalWorldScene* scene) {
    // as for all engines
    scene->def.enableSleep = false;
    scene->threadCount = 1;
    sdWorld* world = NULL;
    if (sdWorld_Create(NULL, &scene->def, &world) != SD_OK || scene->build(scene, world) != SD_OK) {
        sdWorld_Destroy(world);
        return false;
    }
    int count = sdWorld_GetBodies(world, NULL, 0);
    sdBodyId* bodies = calloc((size_t)count, sizeof *bodies);
    if (bodies == NULL) {
        sdWorld_Destroy(world);
        return false;
    }
    sdWorld_GetBodies(world, bodies, count);
    scene->world = world;
    scene->bodies = bodies;
    scene->bodyCount = count;
    return true;
}

void bench_CloseScene(rivalWorldScene* scene) {
    // opened here, so it is ours to change
    free((void*)(uintptr_t)scene->bodies);
    sdWorld_Destroy((sdWorld*)(uintptr_t)scene->world);
}
