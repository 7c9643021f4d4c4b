// SPDX-License-Identifier: MIT
// query_scene.c - see query_scene.h.

#include "query_scene.h"

#include "mesh_support.h"

#define SCENE_BODIES 64

static sdMesh* makeTorus(const sdContext* context) {
    TestMesh torus = {0};
    TestMesh_AddTorus(&torus, 2.0, 0.7, 24, 12);
    sdMesh* mesh = TestMesh_Build(context, &torus);
    TestMesh_Free(&torus);
    return mesh;
}

static sdCompound* makeCross(const QueryScene* scene, TestRandom* random) {
    sdCompoundChild children[3];
    for (int i = 0; i < 3; ++i) {
        children[i] =
            (sdCompoundChild){ShapeZoo_Pick(&scene->zoo, random), TestRandom_Pose(random, 1.0f)};
    }
    sdCompound* compound = NULL;
    CHECK_INT(sdCompound_Create(&scene->zoo.test.context, children, 3, &compound), SD_OK);
    return compound;
}

static void addShape(QueryScene* scene, TestRandom* random, sdBodyId body, sdShape shape) {
    sdShapeDef def = sdShapeDef_Default(shape);
    def.xf = TestRandom_Pose(random, 0.5f);
    def.isSensor = TestRandom_Int(random, 8) == 0;
    def.filter.category = 1u << TestRandom_Int(random, 3);
    def.filter.mask = TestRandom_Int(random, 4) == 0 ? 6u : 0xFFFFFFFFu;
    def.filter.group = TestRandom_Int(random, 6) == 0 ? -3 : 0;
    CHECK_INT(sdBody_AddShape(scene->world, body, &def, NULL), SD_OK);
}

static void addBody(QueryScene* scene, TestRandom* random, int index) {
    sdBodyDef def = sdBodyDef_Default();
    def.type = (sdBodyType)(index % 3);
    def.position = sdPos_Add(scene->center, TestRandom_InBox(random, QUERY_REACH));
    def.rotation = TestRandom_Rotation(random);
    def.velocity = def.type == SD_BODY_STATIC ? sdV3(0, 0, 0) : TestRandom_InBox(random, 5.0f);
    sdBodyId body;
    CHECK_INT(sdBody_Create(scene->world, &def, &body), SD_OK);
    int count = 1 + TestRandom_Int(random, 2);
    for (int i = 0; i < count; ++i) {
        if (index % 8 == 5) {
            sdCompound* compound = makeCross(scene, random);
            addShape(scene, random, body, sdShape_Compound(compound));
            sdCompound_Release(compound);
        } else if (index % 24 == 3) {
            sdMesh* mesh = makeTorus(&scene->zoo.test.context);
            addShape(scene, random, body, sdShape_Mesh(mesh));
            sdMesh_Release(mesh);
        } else {
            addShape(scene, random, body, ShapeZoo_Pick(&scene->zoo, random));
        }
    }
    if (index % 16 == 15) {
        CHECK_INT(sdBody_SetEnabled(scene->world, body, false), SD_OK);
    }
}

static void addFloor(QueryScene* scene) {
    sdShapeDef def = sdShapeDef_Default(sdShape_HalfSpace());
    sdQuat tilt = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), 0.1f);
    sdPos p = sdPos_Add(scene->center, sdV3(0.0f, -0.7f * QUERY_REACH, 0.0f));
    TestWorld_AddBody(scene->world, SD_BODY_STATIC, p, tilt, def);
}

/// Where all shapes are that a query may see.
static void listTargets(QueryScene* scene) {
    sdBodyId bodies[SCENE_BODIES + 1];
    int count = sdWorld_GetBodies(scene->world, bodies, SCENE_BODIES + 1);
    scene->targetCount = 0;
    for (int i = 0; i < count; ++i) {
        sdShapeId shapes[4];
        int shapeCount = sdBody_GetShapes(scene->world, bodies[i], shapes, 4);
        sdWorldTransform xf = sdBody_GetTransform(scene->world, bodies[i]);
        for (int k = 0; k < shapeCount && sdBody_IsEnabled(scene->world, bodies[i]); ++k) {
            const sdShapeDef* def = sdShapeId_GetDef(scene->world, shapes[k]);
            scene->targets[scene->targetCount++] =
                (QueryTarget){bodies[i], shapes[k], def, sdPos_Add(xf.p, sdRotate(xf.q, def->xf.p)),
                              sdMulQ(xf.q, def->xf.q)};
        }
    }
}

void QueryScene_Init(QueryScene* scene, QuerySceneDef def) {
    TestContext_Init(&scene->test);
    ShapeZoo_Init(&scene->zoo);
    scene->scheduler = NULL;
    scene->center = def.center;
    sdContext context = scene->test.context;
    if (def.threadCount > 1) {
        CHECK_INT(sdScheduler_Create(&scene->zoo.test.context, def.threadCount, &scene->scheduler),
                  SD_OK);
        context.tasks = sdScheduler_GetTasks(scene->scheduler);
    }
    sdWorldDef worldDef = sdWorldDef_Default();
    worldDef.broadphase.kind = def.kind;
    CHECK_INT(sdWorld_Create(&context, &worldDef, &scene->world), SD_OK);
    TestRandom random = TestRandom_Make(4711);
    for (int i = 0; i < SCENE_BODIES; ++i) {
        addBody(scene, &random, i);
    }
    addFloor(scene);
    TestWorld_Run(scene->world, def.stepCount);
    if (def.isPrepared) {
        CHECK_INT(sdWorld_PrepareQueries(scene->world, 1000), SD_OK);
    }
    listTargets(scene);
}

void QueryScene_Free(QueryScene* scene) {
    sdWorld_Destroy(scene->world);
    sdScheduler_Destroy(scene->scheduler);
    TestContext_Finish(&scene->test);
    ShapeZoo_Free(&scene->zoo);
}

const QuerySceneDef querySceneDefs[3] = {
    {.center = {0.0, 0.0, 0.0}, .threadCount = 1, .stepCount = 3, .isPrepared = true},
    {.center = {1e7, -1e7, 1e7}, .threadCount = 1, .stepCount = 3},
    {.center = {3.0, 2.0, 1.0}, .threadCount = 1, .stepCount = 0},
};
