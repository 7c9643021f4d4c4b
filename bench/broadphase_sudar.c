// SPDX-License-Identifier: MIT
// broadphase_sudar.c - our broad phases as bench_broadphase uses them.

#include "bench.h"
#include "broadphase.h"

#include <stdlib.h>

typedef struct Own {
    sdBroadphase* broadphase;
    sdProxyId* ids;
} Own;

static void destroy(void* self) {
    Own* own = self;
    sdBroadphase_Destroy(own->broadphase);
    free(own->ids);
    free(own);
}

void* benchOwn_Create(const rivalBoxes* boxes, const sdBroadphaseDef* def) {
    Own* own = calloc(1, sizeof(Own));
    if (own == NULL) {
        return NULL;
    }
    own->ids = calloc((size_t)boxes->count, sizeof(sdProxyId));
    sdResult result = own->ids != NULL ? sdBroadphase_Create(NULL, def, &own->broadphase)
                                       : SD_ERROR_OUT_OF_MEMORY;
    for (int i = 0; i < boxes->count && result == SD_OK; ++i) {
        sdProxyDef proxy = sdProxyDef_Default();
        proxy.box = ((const sdWorldBox*)boxes->own)[i];
        proxy.userData = (uint64_t)i;
        result = sdBroadphase_Add(own->broadphase, &proxy, own->ids + i);
    }
    if (result == SD_OK) {
        result = sdBroadphase_UpdatePairs(own->broadphase, NULL);
    }
    if (result != SD_OK) {
        destroy(own);
        return NULL;
    }
    return own;
}

sdBroadphaseStats benchOwn_GetStats(const void* self) {
    return sdBroadphase_GetStats(((const Own*)self)->broadphase);
}

static void step(void* self, const rivalBoxes* boxes, rivalCounts* counts) {
    Own* own = self;
    sdPairChanges changes = {0};
    sdBroadphase_MoveMany(own->broadphase, own->ids, boxes->own, boxes->count);
    sdBroadphase_UpdatePairs(own->broadphase, &changes);
    bench_Use(changes.newPairs);
    if (counts != NULL) {
        counts->pairs = sdBroadphase_GetPairCount(own->broadphase);
        counts->added = changes.newCount;
        counts->lost = changes.lostCount;
    }
}

/// Boxes are grown by the same margin as the others'.
static void* createKind(const rivalBoxes* boxes, sdBroadphaseKind kind) {
    sdBroadphaseDef def = sdBroadphaseDef_Default();
    def.kind = kind;
    def.margin = boxes->margin;
    def.marginFraction = 1e6f;
    return benchOwn_Create(boxes, &def);
}

static void* createTree(const rivalBoxes* boxes) {
    return createKind(boxes, SD_BROADPHASE_TREE);
}

static void* createOctree(const rivalBoxes* boxes) {
    return createKind(boxes, SD_BROADPHASE_OCTREE);
}

static void* createSap(const rivalBoxes* boxes) {
    return createKind(boxes, SD_BROADPHASE_SAP);
}

static void* createBrute(const rivalBoxes* boxes) {
    return createKind(boxes, SD_BROADPHASE_BRUTE);
}

const rivalPhase rivalTree = {"tree", createTree, step, destroy};
const rivalPhase rivalOctree = {"octree", createOctree, step, destroy};
const rivalPhase rivalSap = {"sap", createSap, step, destroy};
const rivalPhase rivalBrute = {"brute", createBrute, step, destroy};
