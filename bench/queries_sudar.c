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

// Answers are written where they stay: a struct that is made of small parts and then copied whole
// stalls the processor for longer than some of the queries take.

static void setSeparation(rivalAnswer* answer, const sdSeparation* s) {
    answer->separation = s->separation;
    answer->normal[0] = s->normal.x;
    answer->normal[1] = s->normal.y;
    answer->normal[2] = s->normal.z;
    answer->pointCount = 0;
    answer->isOverlapping = s->separation <= 0.0f;
    answer->isFailed = s->status >= SD_STATUS_LIMIT;
}

static void setManifold(rivalAnswer* answer, const sdManifold* manifold) {
    float least = 0.0f;
    for (int i = 0; i < manifold->pointCount; ++i) {
        float separation = manifold->points[i].separation;
        least = i == 0 ? separation : sdMinF(least, separation);
    }
    answer->separation = least;
    answer->normal[0] = manifold->normal.x;
    answer->normal[1] = manifold->normal.y;
    answer->normal[2] = manifold->normal.z;
    answer->pointCount = manifold->pointCount;
    answer->isOverlapping = manifold->pointCount > 0 && least <= 0.0f;
    answer->isFailed = manifold->status >= SD_STATUS_LIMIT;
}

static void ask(const sdShape* a, const sdShape* b, const sdTransform* xf, rivalQuery query,
                sdPairCache* cache, rivalAnswer* answer) {
    switch (query) {
        case RIVAL_OVERLAP: {
            sdOverlapResult result = sdOverlap(a, b, *xf, cache);
            *answer = (rivalAnswer){.isOverlapping = result.isOverlapping,
                                    .isFailed = result.status >= SD_STATUS_LIMIT};
            break;
        }
        case RIVAL_DISTANCE: {
            sdSeparation result = sdDistance(a, b, *xf, cache);
            setSeparation(answer, &result);
            break;
        }
        case RIVAL_DEPTH: {
            sdSeparation result = sdPenetration(a, b, *xf, cache);
            setSeparation(answer, &result);
            break;
        }
        default: {
            sdManifold manifold;
            bool isOverlapOnly = a->type == SD_SHAPE_BOX && query == RIVAL_MANIFOLD;
            sdCollide(a, b, *xf, isOverlapOnly ? 0.0f : RIVAL_MANIFOLD_MARGIN, cache, &manifold);
            setManifold(answer, &manifold);
            break;
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
        ask(a, b, xf, query, isCached ? &sudar->caches[i] : NULL, &answers[i]);
    }
}

const rivalMethod rivalSudar = {"Sudar", 1.0, can, create, destroy, forget, run};
