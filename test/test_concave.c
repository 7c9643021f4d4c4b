// SPDX-License-Identifier: MIT
// Meshes that may move: how they are made, and where they touch others.

#include "world_support.h"

#include "geometry/concave.h"
#include "narrow/collide_concave.h"
#include "narrow/distance_lanes.h"

#include <math.h>

// ---- making --------------------------------------------------------------------------------

static sdConcave* makeModel(sdModelKind kind, float size) {
    sdMesh* mesh = NULL;
    sdConcave* concave = NULL;
    sdConcaveDef def = sdConcaveDef_Default();
    CHECK_INT(sdModel_Create(NULL, kind, size, &mesh), SD_OK);
    CHECK_INT(sdConcave_Create(NULL, mesh, &def, &concave), SD_OK);
    sdMesh_Release(mesh);
    return concave;
}

SD_TEST(concave_models_have_fields) {
    for (int kind = 0; kind < SD_MODEL_COUNT; ++kind) {
        sdConcave* concave = makeModel((sdModelKind)kind, 1.0f);
        REQUIRE(concave != NULL);
        sdConcaveInfo info = sdConcave_GetInfo(concave);
        CHECK_INT(info.route, SD_CONCAVE_FIELD);
        CHECK(sdConcave_GetField(concave) != NULL);
        CHECK(info.wall > 0.0f && info.wall <= 1.01f);
        float cell = sdField_GetInfo(sdConcave_GetField(concave)).cellSize;
        CHECK(info.wall >= 2.9f * cell || cell <= 1.01f / SD_CONCAVE_MAX_RESOLUTION);
        CHECK(info.vertexCount > 0 && info.edgeCount >= 0);
        sdConcave_Release(concave);
    }
}

/// A square without thickness.
static sdMesh* makeSheet(const sdContext* context) {
    const sdVec3 vertices[4] = {{-1, 0, -1}, {-1, 0, 1}, {1, 0, 1}, {1, 0, -1}};
    const int32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    sdMeshDef def = sdMeshDef_Default();
    def.data = (sdMeshData){vertices, 4, triangles, 2};
    sdMesh* mesh = NULL;
    CHECK_INT(sdMesh_Create(context, &def, &mesh), SD_OK);
    return mesh;
}

SD_TEST(concave_open_mesh_takes_triangles_and_says_so) {
    TestContext test;
    TestContext_Init(&test);
    sdMesh* sheet = makeSheet(&test.context);
    sdConcaveDef def = sdConcaveDef_Default();
    sdConcave* concave = NULL;
    REQUIRE(sdConcave_Create(&test.context, sheet, &def, &concave) == SD_OK);
    sdConcaveInfo info = sdConcave_GetInfo(concave);
    CHECK_INT(info.route, SD_CONCAVE_TRIANGLES);
    CHECK_TEXT(info.reason, "open");
    CHECK_TEXT(test.lastText, "triangles will collide");
    CHECK(sdConcave_GetField(concave) == NULL);
    CHECK_INT(info.vertexCount, 4);
    CHECK_INT(info.edgeCount, 4);
    sdConcave_Release(concave);
    def.route = SD_CONCAVE_FIELD;
    CHECK_INT(sdConcave_Create(&test.context, sheet, &def, &concave), SD_ERROR_BAD_MESH);
    CHECK(concave == NULL);
    CHECK_TEXT(test.lastError, "open");
    sdMesh_Release(sheet);
    TestContext_Finish(&test);
}

SD_TEST(concave_bad_input) {
    TestContext test;
    TestContext_Init(&test);
    sdMesh* mesh = NULL;
    sdConcave* out = NULL;
    sdConcaveDef def = sdConcaveDef_Default();
    CHECK_INT(sdModel_Create(&test.context, SD_MODEL_RING, 1.0f, &mesh), SD_OK);
    CHECK_INT(sdConcave_Create(&test.context, NULL, &def, &out), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdConcave_Create(&test.context, mesh, NULL, &out), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdConcave_Create(&test.context, mesh, &def, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdConcave_CreateWithField(&test.context, mesh, NULL, &out),
              SD_ERROR_INVALID_ARGUMENT);
    def.route = (sdConcaveRoute)7;
    CHECK_INT(sdConcave_Create(&test.context, mesh, &def, &out), SD_ERROR_INVALID_ARGUMENT);
    def = sdConcaveDef_Default();
    def.field.resolution = -1;
    CHECK_INT(sdConcave_Create(&test.context, mesh, &def, &out), SD_ERROR_INVALID_ARGUMENT);
    def.field.resolution = 0;
    def.field.cellSize = TestNaN();
    CHECK_INT(sdConcave_Create(&test.context, mesh, &def, &out), SD_ERROR_INVALID_ARGUMENT);
    CHECK(out == NULL);
    // a field of something else
    sdMesh* larger = NULL;
    sdField* field = NULL;
    sdFieldDef fieldDef = sdFieldDef_Default();
    CHECK_INT(sdModel_Create(&test.context, SD_MODEL_RING, 3.0f, &larger), SD_OK);
    CHECK_INT(sdField_Create(&test.context, mesh, &fieldDef, &field), SD_OK);
    CHECK_INT(sdConcave_CreateWithField(&test.context, larger, field, &out),
              SD_ERROR_INVALID_ARGUMENT);
    CHECK_INT(sdConcave_CreateWithField(&test.context, mesh, field, &out), SD_OK);
    CHECK(sdConcave_GetField(out) == field);
    sdConcave_Release(out);
    sdConcave_Retain(NULL);
    sdConcave_Release(NULL);
    CHECK(sdConcave_GetMesh(NULL) == NULL);
    sdShape nothing = sdShape_Concave(NULL);
    CHECK(!sdShape_IsValid(&nothing));
    sdField_Release(field);
    sdMesh_Release(larger);
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}

static sdResult createConcave(const sdContext* context, void* arg) {
    sdConcaveDef def = sdConcaveDef_Default();
    sdConcave* concave = NULL;
    sdResult result = sdConcave_Create(context, arg, &def, &concave);
    CHECK((result == SD_OK) == (concave != NULL));
    sdConcave_Release(concave);
    return result;
}

SD_TEST(concave_memory_may_fail) {
    sdMesh* mesh = NULL;
    CHECK_INT(sdModel_Create(NULL, SD_MODEL_STAR, 1.0f, &mesh), SD_OK);
    CHECK(TestContext_FailEach(createConcave, mesh) > 3);
    sdMesh_Release(mesh);
}

// ---- distances -----------------------------------------------------------------------------

SD_TEST(concave_distances_of_shapes_agree_with_queries) {
    TestRandom random = TestRandom_Make(1);
    sdVec3 points[20];
    for (int i = 0; i < 20; ++i) {
        points[i] = TestRandom_OnSphere(&random);
    }
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = 20;
    sdHull* hull = NULL;
    CHECK_INT(sdHull_Create(NULL, &def, &hull), SD_OK);
    const sdShape shapes[] = {sdShape_Sphere(0.8f),          sdShape_Capsule(0.5f, 0.4f),
                              sdShape_Box(0.4f, 0.7f, 1.0f), sdShape_Cylinder(0.6f, 0.8f),
                              sdShape_Cone(0.7f, 0.9f),      sdShape_Hull(hull)};
    int wrong = 0, count = 4000;
    sdShape point = sdShape_Sphere(0.0f);
    for (int i = 0; i < count; ++i) {
        const sdShape* shape = &shapes[i % 6];
        sdVec3 p = TestRandom_InBox(&random, 1.6f);
        sdVec3x8 gradient;
        sdF8 lanes = sdShape_Distances(shape, sdVec3x8_Splat(p), &gradient);
        sdVec3 normal = sdV3(gradient.x[3], gradient.y[3], gradient.z[3]);
        sdSeparation exact = sdPenetration(shape, &point, TestAt(p.x, p.y, p.z), NULL);
        float error = lanes[3] - exact.separation;
        // outside of edges and corners of a hull the largest distance from a face is less
        bool isLess = shape->type == SD_SHAPE_HULL && exact.separation > 0.0f;
        wrong += isLess ? error > 1e-4f || lanes[3] < -1e-4f : fabsf(error) > 1e-4f;
        wrong += fabsf(sdLength(normal) - 1.0f) > 1e-4f;
        // downhill to the surface
        sdVec3 foot = sdMulAdd(p, -lanes[3], normal);
        lanes = sdShape_Distances(shape, sdVec3x8_Splat(foot), &gradient);
        wrong += shape->type != SD_SHAPE_HULL && fabsf(lanes[3]) > 1e-3f;
    }
    sdTest_Print("%d points, %d wrong", count, wrong);
    CHECK_INT(wrong, 0);
    sdHull_Release(hull);
}

static int compareTouches(const sdTouchList* a, const sdTouchList* b) {
    int missing = 0;
    for (int i = 0; i < a->count; ++i) {
        bool isThere = false;
        for (int j = 0; j < b->count; ++j) {
            isThere = isThere || (a->items[i].id == b->items[j].id &&
                                  a->items[i].distance == b->items[j].distance);
        }
        missing += !isThere;
    }
    return missing;
}

/// The tree of spheres leaves out nothing that touches.
SD_TEST(concave_tree_finds_what_a_list_finds) {
    TestRandom random = TestRandom_Make(2);
    const sdModelKind kinds[4] = {SD_MODEL_RING, SD_MODEL_SKULL, SD_MODEL_STAR, SD_MODEL_BOLT};
    sdConcave* models[4];
    for (int i = 0; i < 4; ++i) {
        models[i] = makeModel(kinds[i], 1.0f);
    }
    int missing = 0, found = 0;
    static sdTouchList byTree, byList;
    for (int i = 0; i < 400; ++i) {
        const sdConcave* a = models[TestRandom_Int(&random, 4)];
        const sdConcave* b = models[TestRandom_Int(&random, 4)];
        sdShape shape = sdShape_Concave(a);
        sdTouchQuery query = {
            .target = {.shape = &shape, .field = a->field},
            .turn = sdQuat_ToMatrix(TestRandom_Rotation(&random)),
            .shift = sdScale(0.9f, TestRandom_InBall(&random)),
            .margin = 0.01f,
            .slack = sdField_GetInfo(a->field).cellSize,
        };
        for (int side = 0; side < 2; ++side) {
            const sdSampleTree* tree = side == 0 ? &b->corners : &b->edges;
            sdSampleTree list = *tree;
            list.levelCount = 0;
            byTree.count = byList.count = byTree.lostCount = byList.lostCount = 0;
            SD_DISPATCH(sdTouchQuery_Find)(&query, tree, &byTree);
            SD_DISPATCH(sdTouchQuery_Find)(&query, &list, &byList);
            if (byList.lostCount == 0) {
                found += byList.count;
                missing += compareTouches(&byList, &byTree);
                CHECK(byTree.count <= byList.count);
            }
        }
    }
    sdTest_Print("%d touches, %d missing", found, missing);
    CHECK(found > 10000);
    CHECK_INT(missing, 0);
    for (int i = 0; i < 4; ++i) {
        sdConcave_Release(models[i]);
    }
}

/// Swapped bodies touch in the same places, the normals turned around.
SD_TEST(concave_swapped_pairs_mirror) {
    TestRandom random = TestRandom_Make(3);
    sdConcave* ring = makeModel(SD_MODEL_RING, 1.0f);
    sdShape rings = sdShape_Concave(ring);
    const sdShape others[] = {sdShape_Sphere(0.3f),          sdShape_Capsule(0.3f, 0.1f),
                              sdShape_Box(0.2f, 0.3f, 0.4f), sdShape_Cylinder(0.2f, 0.3f),
                              sdShape_Cone(0.3f, 0.2f),      rings};
    int wrong = 0, touching = 0;
    for (int i = 0; i < 600; ++i) {
        const sdShape* other = &others[i % 6];
        sdTransform xf = {sdScale(0.8f, TestRandom_InBall(&random)), TestRandom_Rotation(&random)};
        sdManifold forth[SD_TOUCH_MAX_PATCHES], back[SD_TOUCH_MAX_PATCHES];
        int n = sdConcave_Collide(&rings, other, xf, 0.01f, NULL, forth, SD_TOUCH_MAX_PATCHES);
        int m = sdConcave_Collide(other, &rings, sdInvertXf(xf), 0.01f, NULL, back,
                                  SD_TOUCH_MAX_PATCHES);
        touching += n > 0;
        wrong += n != m;
        if (n > 0 && m > 0) {
            // the deepest first
            wrong += fabsf(forth[0].points[0].separation - back[0].points[0].separation) > 1e-3f;
            sdVec3 turned = sdNeg(sdRotate(xf.q, back[0].normal));
            wrong += sdDot(turned, forth[0].normal) < 0.8f;
        }
        for (int k = 0; k < n; ++k) {
            wrong += fabsf(sdLength(forth[k].normal) - 1.0f) > 1e-4f;
            wrong += forth[k].pointCount < 1 || forth[k].pointCount > 4;
        }
    }
    sdTest_Print("%d touching, %d wrong", touching, wrong);
    CHECK(touching > 200);
    CHECK(wrong <= touching / 50);
    sdConcave_Release(ring);
}

// ---- worlds --------------------------------------------------------------------------------

static float lowestVertex(const sdWorld* world, sdBodyId body, const sdConcave* concave) {
    sdWorldTransform xf = sdBody_GetTransform(world, body);
    sdMeshData data = sdMesh_GetData(sdConcave_GetMesh(concave));
    float lowest = 1e9f;
    for (int i = 0; i < data.vertexCount; ++i) {
        sdVec3 p = sdRotate(xf.q, data.vertices[i]);
        lowest = sdMinF(lowest, (float)xf.p.y + p.y);
    }
    return lowest;
}

SD_TEST(concave_every_model_comes_to_rest) {
    for (int kind = 0; kind < SD_MODEL_COUNT; ++kind) {
        sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
        TestWorld_AddFloor(world, TestWorld_Friction(0.5f));
        sdConcave* concave = makeModel((sdModelKind)kind, 1.0f);
        sdShapeDef shape = sdShapeDef_Default(sdShape_Concave(concave));
        shape.material.rollingFriction = 0.02f;
        sdBodyId body = TestWorld_AddBody(
            world, SD_BODY_DYNAMIC, sdPos_Make(0.0, 1.0, 0.0),
            sdQuat_FromAxisAngle(sdNormalize(sdV3(1.0f, 2.0f, 3.0f)), 0.7f), shape);
        TestWorld_Run(world, 600);
        float lowest = lowestVertex(world, body, concave);
        float speed = sdLength(sdBody_GetVelocity(world, body));
        if (!(fabsf(lowest) < 0.01f) || !(speed < 0.01f)) {
            sdTest_Print("%s: lowest %g m, %g m/s", sdModel_Name((sdModelKind)kind), (double)lowest,
                         (double)speed);
        }
        CHECK(fabsf(lowest) < 0.01f);
        CHECK(speed < 0.01f);
        sdWorld_Destroy(world);
        sdConcave_Release(concave);
    }
}

/// A bowl catches whatever falls into it.
SD_TEST(concave_bowl_holds_every_shape) {
    sdConcave* bowl = makeModel(SD_MODEL_BOWL, 2.0f);
    sdConcave* star = makeModel(SD_MODEL_STAR, 0.4f);
    const sdShape shapes[] = {sdShape_Sphere(0.2f),           sdShape_Capsule(0.2f, 0.1f),
                              sdShape_Box(0.1f, 0.2f, 0.15f), sdShape_Cylinder(0.1f, 0.2f),
                              sdShape_Cone(0.2f, 0.15f),      sdShape_Concave(star)};
    for (int i = 0; i < 6; ++i) {
        sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
        TestWorld_AddFloor(world, TestWorld_Friction(0.5f));
        sdShapeDef bowlDef = sdShapeDef_Default(sdShape_Concave(bowl));
        sdAABB box = sdMesh_GetBounds(sdConcave_GetMesh(bowl));
        sdBodyId base =
            TestWorld_AddDynamic(world, sdPos_Make(0.0, (double)-box.lower.y, 0.0), bowlDef);
        sdShapeDef shape = sdShapeDef_Default(shapes[i]);
        shape.material.rollingFriction = 0.02f;
        sdBodyId body = TestWorld_AddDynamic(world, sdPos_Make(0.2, 1.5, 0.1), shape);
        TestWorld_Run(world, 600);
        sdPos p = sdBody_GetTransform(world, body).p, q = sdBody_GetTransform(world, base).p;
        CHECK(hypot(p.x - q.x, p.z - q.z) < 0.8);
        CHECK(p.y > 0.1 && p.y < 1.0);
        CHECK(sdLength(sdBody_GetVelocity(world, body)) < 0.05f);
        sdWorld_Destroy(world);
    }
    sdConcave_Release(star);
    sdConcave_Release(bowl);
}

/// Rings and skulls that fall on each other.
static void buildHeap(sdWorld* world) {
    TestWorld_AddFloor(world, TestWorld_Friction(0.5f));
    sdConcave* ring = makeModel(SD_MODEL_RING, 1.0f);
    sdConcave* skull = makeModel(SD_MODEL_SKULL, 0.8f);
    TestRandom random = TestRandom_Make(4);
    for (int i = 0; i < 24; ++i) {
        sdPos at = sdPos_Make(0.4 * (i % 3), 0.8 + 0.5 * i, 0.3 * (i % 2));
        TestWorld_AddBody(world, SD_BODY_DYNAMIC, at, TestRandom_Rotation(&random),
                          sdShapeDef_Default(sdShape_Concave(i % 3 == 0 ? skull : ring)));
    }
    sdConcave_Release(ring);
    sdConcave_Release(skull);
}

static uint64_t runHeap(int workerCount, int steps) {
    sdScheduler* scheduler = NULL;
    sdContext context = sdContext_Default();
    if (workerCount > 1) {
        CHECK_INT(sdScheduler_Create(NULL, workerCount, &scheduler), SD_OK);
        context.tasks = sdScheduler_GetTasks(scheduler);
    }
    sdWorldDef def = sdWorldDef_Default();
    sdWorld* world = NULL;
    CHECK_INT(sdWorld_Create(&context, &def, &world), SD_OK);
    buildHeap(world);
    TestWorld_Run(world, steps);
    uint64_t hash = sdWorld_GetHash(world);
    sdWorld_Destroy(world);
    sdScheduler_Destroy(scheduler);
    return hash;
}

SD_TEST(concave_heap_goes_back_and_on_again) {
    sdWorld* world = TestWorld_Make(sdWorldDef_Default());
    buildHeap(world);
    sdSnapshot* snapshot = NULL;
    CHECK_INT(sdSnapshot_Create(NULL, &snapshot), SD_OK);
    for (int i = 0; i < 4; ++i) {
        TestWorld_Run(world, 40);
        CHECK_INT(sdWorld_Save(world, snapshot), SD_OK);
        TestWorld_Run(world, 40);
        uint64_t hash = sdWorld_GetHash(world);
        CHECK_INT(sdWorld_Restore(world, snapshot), SD_OK);
        TestWorld_Run(world, 40);
        CHECK(sdWorld_GetHash(world) == hash);
    }
    sdSnapshot_Destroy(snapshot);
    sdWorld_Destroy(world);
}

SD_TEST(concave_parallel_heap_is_the_same) {
    uint64_t one = runHeap(1, 150);
    sdTest_Print("hash %016llx", (unsigned long long)one);
    CHECK(runHeap(2, 150) == one);
    CHECK(runHeap(4, 150) == one);
}

/// In a step of 1/60 s rings of 1 cm fall a quarter of their size.
SD_TEST(concave_small_bodies_come_to_rest) {
    sdWorld* world = TestWorld_Make(TestWorld_AwakeDef());
    TestWorld_AddFloor(world, TestWorld_Friction(0.5f));
    sdConcave* ring = makeModel(SD_MODEL_RING, 0.01f);
    TestRandom random = TestRandom_Make(5);
    sdBodyId bodies[16];
    for (int i = 0; i < 16; ++i) {
        sdPos at = sdPos_Make(0.011 * (i % 2), 0.01 + 0.012 * (i / 4), 0.011 * (i / 2 % 2));
        bodies[i] = TestWorld_AddBody(world, SD_BODY_DYNAMIC, at, TestRandom_Rotation(&random),
                                      sdShapeDef_Default(sdShape_Concave(ring)));
    }
    TestWorld_Run(world, 600);
    for (int i = 0; i < 16; ++i) {
        float lowest = lowestVertex(world, bodies[i], ring);
        CHECK(lowest > -1e-4f);
        CHECK(sdBody_GetTransform(world, bodies[i]).p.y < 0.03);
        CHECK(sdLength(sdBody_GetVelocity(world, bodies[i])) < 1e-3f);
    }
    sdWorld_Destroy(world);
    sdConcave_Release(ring);
}

/// What a world says that it holds is nearly all that it has taken.
SD_TEST(concave_world_counts_its_memory) {
    TestContext test;
    TestContext_Init(&test);
    sdWorldDef def = sdWorldDef_Default();
    sdWorld* world = NULL;
    CHECK_INT(sdWorld_Create(&test.context, &def, &world), SD_OK);
    buildHeap(world);
    for (int i = 0; i < 120; ++i) {
        CHECK_INT(sdWorld_Step(world, 1.0f / 60.0f), SD_OK);
        sdWorldStats stats = sdWorld_GetStats(world);
        double counted = (double)(stats.byteCount + stats.scratchByteCount);
        CHECK(counted <= 1.02 * (double)test.liveBytes);
        CHECK(counted >= 0.8 * (double)test.liveBytes);
    }
    sdWorld_Destroy(world);
    TestContext_Finish(&test);
}

SD_TEST(concave_world_refuses_plain_meshes_that_move) {
    TestContext test;
    TestContext_Init(&test);
    sdWorldDef def = sdWorldDef_Default();
    sdWorld* world = NULL;
    CHECK_INT(sdWorld_Create(&test.context, &def, &world), SD_OK);
    sdMesh* mesh = NULL;
    CHECK_INT(sdModel_Create(&test.context, SD_MODEL_RING, 1.0f, &mesh), SD_OK);
    sdBodyDef bodyDef = sdBodyDef_Default();
    bodyDef.type = SD_BODY_DYNAMIC;
    sdBodyId body;
    CHECK_INT(sdBody_Create(world, &bodyDef, &body), SD_OK);
    sdShapeDef shape = sdShapeDef_Default(sdShape_Mesh(mesh));
    CHECK_INT(sdBody_AddShape(world, body, &shape, NULL), SD_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT(test.lastError, "sdConcave_Create");
    sdWorld_Destroy(world);
    sdMesh_Release(mesh);
    TestContext_Finish(&test);
}
