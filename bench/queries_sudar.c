// SPDX-License-Identifier: MIT
// queries_sudar.c - Sudar in the same place as the others: public functions, one cache a pair.

#include "queries.h"

#include <stdlib.h>
#include <string.h>

typedef struct Sudar {
    const benchScene* scene;
    sdPairCache* caches;
} Sudar;

static void forget(void* self) {
    Sudar* sudar = self;
    memset(sudar->caches, 0, (size_t)sudar->scene->scene.pairCount * sizeof *sudar->caches);
}

static void* create(const rivalScene* scene) {
    Sudar* sudar = calloc(1, sizeof *sudar);
    if (sudar == NULL) {
        return NULL;
    }
    sudar->scene = scene->origin;
    sudar->caches = calloc((size_t)scene->pairCount, sizeof *sudar->caches);
    if (sudar->caches == NULL) {
        free(sudar);
        return NULL;
    }
    return sudar;
}

static void destroy(void* self) {
    Sudar* sudar = self;
    if (sudar != NULL) {
        free(sudar->caches);
    }
    free(sudar);
}

static bool can(rivalQuery query, bool isBox, bool isCached) {
    (void)query, (void)isBox, (void)isCached;
    return true;
}

static rivalAnswer fromSeparation(const sdSeparation* s) {
    return (rivalAnswer){.separation = s->separation,
                         .normal = {s->normal.x, s->normal.y, s->normal.z},
                         .isOverlapping = s->separation <= 0.0f,
                         .isFailed = s->status >= SD_STATUS_LIMIT};
}

static rivalAnswer fromManifold(const sdManifold* manifold) {
    rivalAnswer answer = {.normal = {manifold->normal.x, manifold->normal.y, manifold->normal.z},
                          .pointCount = manifold->pointCount,
                          .isFailed = manifold->status >= SD_STATUS_LIMIT};
    for (int i = 0; i < manifold->pointCount; ++i) {
        float separation = manifold->points[i].separation;
        answer.separation = i == 0 ? separation : sdMinF(answer.separation, separation);
    }
    answer.isOverlapping = manifold->pointCount > 0 && answer.separation <= 0.0f;
    return answer;
}

static rivalAnswer ask(const sdShape* a, const sdShape* b, const sdTransform* xf, rivalQuery query,
                       sdPairCache* cache) {
    switch (query) {
        case RIVAL_OVERLAP: {
            sdOverlapResult result = sdOverlap(a, b, *xf, cache);
            return (rivalAnswer){.isOverlapping = result.isOverlapping,
                                 .isFailed = result.status >= SD_STATUS_LIMIT};
        }
        case RIVAL_DISTANCE: {
            sdSeparation result = sdDistance(a, b, *xf, cache);
            return fromSeparation(&result);
        }
        case RIVAL_DEPTH: {
            sdSeparation result = sdPenetration(a, b, *xf, cache);
            return fromSeparation(&result);
        }
        default: {
            sdManifold manifold;
            sdCollide(a, b, *xf, RIVAL_MANIFOLD_MARGIN, cache, &manifold);
            return fromManifold(&manifold);
        }
    }
}

static void run(void* self, rivalQuery query, rivalRange range, bool isCached,
                rivalAnswer* answers) {
    Sudar* sudar = self;
    const benchScene* scene = sudar->scene;
    for (int i = range.first; i < range.end; ++i) {
        const sdShape* a = &scene->shapes[scene->scene.pairs[i][0]];
        const sdShape* b = &scene->shapes[scene->scene.pairs[i][1]];
        const sdTransform* xf = &scene->poses[range.frame * scene->scene.pairCount + i];
        answers[i] = ask(a, b, xf, query, isCached ? &sudar->caches[i] : NULL);
    }
}

const rivalMethod rivalSudar = {"Sudar", 1.0, can, create, destroy, forget, run};
