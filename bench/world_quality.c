// SPDX-License-Identifier: MIT
// world_quality.c - how deep bodies are in each other and how far they went, from poses alone.

#include "world.h"

#include "sudar/joint.h"

#include <math.h>
#include <stdlib.h>

/// A shape of the scene at its final place.
typedef struct Placed {
    const sdShapeDef* def;
    sdWorldTransform pose;
} Placed;

static bool addShapes(const rivalWorldScene* scene, const sdWorldTransform* poses,
                      sdBroadphase* broadphase, Placed* placed, sdProxyId* proxies, int* count) {
    for (int i = 0; i < scene->bodyCount; ++i) {
        sdShapeId ids[RIVAL_MAX_SHAPES];
        int shapeCount = sdBody_GetShapes(scene->world, scene->bodies[i], ids, RIVAL_MAX_SHAPES);
        for (int k = 0; k < sdMinI(shapeCount, RIVAL_MAX_SHAPES); ++k) {
            const sdShapeDef* def = sdShapeId_GetDef(scene->world, ids[k]);
            sdWorldTransform pose = {sdPos_Add(poses[i].p, sdRotate(poses[i].q, def->xf.p)),
                                     sdNormalizeQ(sdMulQ(poses[i].q, def->xf.q))};
            sdAABB box =
                sdShape_GetBounds(&def->shape, sdTransform_Make(sdV3(0.0f, 0.0f, 0.0f), pose.q));
            sdProxyDef proxy = sdProxyDef_Default();
            proxy.box = sdWorldBox_FromLocal(pose.p, box);
            proxy.isStatic = sdBody_GetType(scene->world, scene->bodies[i]) == SD_BODY_STATIC;
            placed[*count] = (Placed){def, pose};
            if (sdBroadphase_Add(broadphase, &proxy, &proxies[*count]) != SD_OK) {
                return false;
            }
            ++*count;
        }
    }
    return sdBroadphase_UpdatePairs(broadphase, NULL) == SD_OK;
}

static void measurePairs(const Placed* placed, const sdProxyPair* pairs, int pairCount,
                         const int* shapeOfSlot, benchQuality* out) {
    double sum = 0.0;
    for (int i = 0; i < pairCount; ++i) {
        const Placed* a = &placed[shapeOfSlot[sdProxyId_Slot(pairs[i].a)]];
        const Placed* b = &placed[shapeOfSlot[sdProxyId_Slot(pairs[i].b)]];
        sdTransform xfAB = sdWorldTransform_Relative(a->pose, b->pose);
        sdSeparation answer = sdPenetration(&a->def->shape, &b->def->shape, xfAB, NULL);
        if (answer.separation < 0.0f) {
            double depth = -1e3 * (double)answer.separation;
            sum += depth;
            out->worstMm = fmax(out->worstMm, depth);
            ++out->overlapCount;
        }
    }
    out->meanMm = out->overlapCount > 0 ? sum / out->overlapCount : 0.0;
}

static void measureShift(const rivalWorldScene* scene, const sdWorldTransform* poses,
                         benchQuality* out) {
    out->isFinite = true;
    for (int i = 0; i < scene->bodyCount; ++i) {
        if (!sdPos_IsFinite(poses[i].p) || !sdQuat_IsFinite(poses[i].q)) {
            out->isFinite = false;
            return;
        }
        sdVec3 move = sdPos_Sub(poses[i].p, sdBody_GetTransform(scene->world, scene->bodies[i]).p);
        out->shiftMm = fmax(out->shiftMm, 1e3 * hypot((double)move.x, (double)move.z));
    }
}

static sdPos anchorOf(const rivalWorldScene* scene, const sdWorldTransform* poses, sdBodyId id,
                      sdVec3 anchor) {
    int i = 0;
    while (scene->bodies[i] != id) {
        i += 1;
    }
    return sdPos_Add(poses[i].p, sdRotate(poses[i].q, anchor));
}

/// How far the anchors of joints are apart.
static bool measureJoints(const rivalWorldScene* scene, const sdWorldTransform* poses,
                          benchQuality* out) {
    int count = sdWorld_GetJoints(scene->world, NULL, 0);
    sdJointId* ids = calloc((size_t)count + 1, sizeof *ids);
    if (ids == NULL) {
        return false;
    }
    sdWorld_GetJoints(scene->world, ids, count);
    for (int i = 0; i < count; ++i) {
        const sdJointDef* def = sdJoint_GetDef(scene->world, ids[i]);
        sdVec3 gap = sdPos_Sub(anchorOf(scene, poses, def->bodyA, def->frameA.p),
                               anchorOf(scene, poses, def->bodyB, def->frameB.p));
        out->gapMm = fmax(out->gapMm, 1e3 * (double)sdLength(gap));
    }
    out->jointCount = count;
    free(ids);
    return true;
}

bool bench_MeasureQuality(const rivalWorldScene* scene, const sdWorldTransform* poses,
                          benchQuality* out) {
    *out = (benchQuality){0};
    measureShift(scene, poses, out);
    if (!out->isFinite) {
        return true;
    }
    if (!measureJoints(scene, poses, out)) {
        return false;
    }
    size_t most = (size_t)scene->bodyCount * RIVAL_MAX_SHAPES;
    Placed* placed = calloc(most, sizeof *placed);
    sdProxyId* proxies = calloc(most, sizeof *proxies);
    int* shapeOfSlot = calloc(most + 1, sizeof *shapeOfSlot);
    sdProxyPair* pairs = NULL;
    sdBroadphase* broadphase = NULL;
    int count = 0;
    bool isReady = placed != NULL && proxies != NULL && shapeOfSlot != NULL &&
                   sdBroadphase_Create(NULL, NULL, &broadphase) == SD_OK &&
                   addShapes(scene, poses, broadphase, placed, proxies, &count);
    if (isReady) {
        for (int i = 0; i < count; ++i) {
            shapeOfSlot[sdProxyId_Slot(proxies[i])] = i;
        }
        int pairCount = sdBroadphase_GetPairCount(broadphase);
        pairs = calloc((size_t)pairCount + 1, sizeof *pairs);
        isReady = pairs != NULL;
        if (isReady) {
            sdBroadphase_GetPairs(broadphase, pairs, pairCount);
            measurePairs(placed, pairs, pairCount, shapeOfSlot, out);
        }
    }
    sdBroadphase_Destroy(broadphase);
    free(pairs);
    free(shapeOfSlot);
    free(proxies);
    free(placed);
    return isReady;
}
