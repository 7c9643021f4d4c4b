// SPDX-License-Identifier: MIT
// query_scene.h - a world with every kind of shape, and where each of them is, to ask questions to.

#ifndef SD_TEST_QUERY_SCENE_H
#define SD_TEST_QUERY_SCENE_H

#include "shape_zoo.h"
#include "world_support.h"

#include "sudar/query.h"

#define QUERY_MAX_SHAPES 160
#define QUERY_REACH 8.0f // m, of the cube with the bodies

typedef struct QueryTarget {
    sdBodyId body;
    sdShapeId shape;
    const sdShapeDef* def;
    sdPos p; ///< of the shape's frame
    sdQuat q;
} QueryTarget;

typedef struct QueryScene {
    TestContext test;
    ShapeZoo zoo;
    sdScheduler* scheduler;
    sdWorld* world;
    sdPos center;
    QueryTarget targets[QUERY_MAX_SHAPES];
    int targetCount;
} QueryScene;

typedef struct QuerySceneDef {
    sdPos center;
    sdBroadphaseKind kind;
    int threadCount;
    int stepCount;
    bool isPrepared;
} QuerySceneDef;

void QueryScene_Init(QueryScene* scene, QuerySceneDef def);
void QueryScene_Free(QueryScene* scene);

/// In the middle, far away, before the first step.
extern const QuerySceneDef querySceneDefs[3];

#endif
