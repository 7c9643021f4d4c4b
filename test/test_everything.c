// SPDX-License-Identifier: MIT
// test_everything.c - one world with all that there is: every allocation of its life fails once,
// and whatever failed is tried again, to the same end.

#include "world_support.h"

#include "sudar/query.h"
#include "sudar/snapshot.h"

#define LIFE_STEPS 12
/// Of all allocations, one of so many fails where random tests are short.
#define SHORT_STRIDE 7

typedef struct Life {
    TestContext test;
    sdWorld* world;
    sdHull* hull;
    sdMesh* mesh;
    sdConcave* concave;
    sdCompound* compound;
    sdSnapshot* snapshot;
    sdHistory* history;
    sdBodyId bodies[16];
    int bodyCount;
    int refusedCount; ///< calls that said that there was no memory
} Life;

/// Call again what had no memory: it must have changed nothing.
#define RETRY(life, call)                                                                          \
    do {                                                                                           \
        sdResult result_ = (call);                                                                 \
        if (result_ == SD_ERROR_OUT_OF_MEMORY) {                                                   \
            (life)->refusedCount += 1;                                                             \
            result_ = (call);                                                                      \
        }                                                                                          \
        CHECK_INT(result_, SD_OK);                                                                 \
    } while (0)

static void makeShapes(Life* life) {
    const sdContext* context = &life->test.context;
    RETRY(life, sdModel_CreateOctahedron(context, 16, 0.4f, &life->mesh));
    sdConcaveDef concave = sdConcaveDef_Default();
    concave.route = SD_CONCAVE_FIELD;
    concave.field.resolution = 8;
    RETRY(life, sdConcave_Create(context, life->mesh, &concave, &life->concave));
    sdMeshData data = sdMesh_GetData(life->mesh);
    sdHullDef hull = sdHullDef_Default();
    hull.points = data.vertices;
    hull.pointCount = data.vertexCount;
    RETRY(life, sdHull_Create(context, &hull, &life->hull));
    sdCompoundChild children[] = {{sdShape_Box(0.3f, 0.1f, 0.1f), sdTransform_Identity()},
                                  {sdShape_Hull(life->hull), TestAt(0.3f, 0.0f, 0.0f)}};
    RETRY(life, sdCompound_Create(context, children, 2, &life->compound));
}

static sdBodyId addBody(Life* life, sdBodyDef def, sdShapeDef shape) {
    sdBodyId body = SD_NULL_BODY;
    RETRY(life, sdBody_Create(life->world, &def, &body));
    RETRY(life, sdBody_AddShape(life->world, body, &shape, NULL));
    life->bodies[life->bodyCount++] = body;
    return body;
}

static void fillWorld(Life* life) {
    const sdShape shapes[] = {sdShape_Box(0.2f, 0.2f, 0.2f),    sdShape_Sphere(0.2f),
                              sdShape_Capsule(0.2f, 0.1f),      sdShape_Hull(life->hull),
                              sdShape_Compound(life->compound), sdShape_Concave(life->concave),
                              sdShape_Concave(life->concave),   sdShape_Cone(0.2f, 0.2f)};
    sdBodyDef def = sdBodyDef_Default();
    addBody(life, def, sdShapeDef_Default(sdShape_HalfSpace()));
    def.position = sdPos_Make(2.0, 0.0, 0.0);
    addBody(life, def, sdShapeDef_Default(sdShape_Mesh(life->mesh)));
    def.position = sdPos_Make(0.0, 0.5, 0.0);
    sdShapeDef sensor = sdShapeDef_Default(sdShape_Box(2.0f, 0.5f, 2.0f));
    sensor.isSensor = true;
    addBody(life, def, sensor);
    def.type = SD_BODY_DYNAMIC;
    for (int i = 0; i < (int)(sizeof shapes / sizeof shapes[0]); ++i) {
        def.position = sdPos_Make(0.1 * i, 0.4 + 0.5 * i, 0.05 * i);
        def.isBullet = i == 1;
        def.velocity = sdV3(0.0f, i == 1 ? -60.0f : -2.0f, 0.0f);
        addBody(life, def, sdShapeDef_Default(shapes[i]));
    }
    for (int kind = 0; kind < SD_JOINT_TYPE_COUNT; ++kind) {
        int first = 3 + kind % 7;
        sdJointDef joint =
            sdJointDef_Make((sdJointType)kind, life->bodies[first], life->bodies[first + 1]);
        joint.maxForce = kind == 0 ? 1.0f : joint.maxForce;
        sdJointId id;
        RETRY(life, sdJointDef_Place(life->world, &joint,
                                     sdBody_GetCenter(life->world, life->bodies[first]),
                                     sdV3(0.0f, 0.0f, 1.0f)));
        RETRY(life, sdJoint_Create(life->world, &joint, &id));
    }
}

static void live(Life* life, int step) {
    sdWorld* world = life->world;
    if (step == LIFE_STEPS / 2) {
        sdWorldDef def = sdWorld_GetDef(world);
        def.solver = SD_SOLVER_IMPULSE;
        def.broadphase.kind = SD_BROADPHASE_SAP;
        RETRY(life, sdWorld_SetDef(world, &def));
    }
    if (step == 3) {
        RETRY(life, sdBody_SetType(world, life->bodies[5], SD_BODY_KINEMATIC));
        RETRY(life, sdBody_SetEnabled(world, life->bodies[4], false));
    } else if (step == 5) {
        RETRY(life, sdBody_SetEnabled(world, life->bodies[4], true));
        RETRY(life, sdBody_Destroy(world, life->bodies[10]));
        RETRY(life, sdWorld_Save(world, life->snapshot));
    } else if (step == 8) {
        RETRY(life, sdWorld_Restore(world, life->snapshot));
        RETRY(life, sdHistory_Restore(life->history, world, 1));
    }
    RETRY(life, sdWorld_Step(world, DT));
    RETRY(life, sdHistory_Record(life->history, world));
    RETRY(life, sdWorld_PrepareQueries(world, 100));
    sdRay ray = {sdPos_Make(0.0, 5.0, 0.0), {0.1f, -8.0f, 0.1f}};
    sdQueryHit hits[4];
    int count;
    CHECK_INT(sdWorld_RaycastAll(world, &ray, NULL, hits, 4, &count), SD_OK);
}

/// @return the hash at the end of its life
static uint64_t runLife(Life* life, int failAt) {
    *life = (Life){.bodyCount = 0};
    TestContext_Init(&life->test);
    life->test.failAt = failAt;
    const sdContext* context = &life->test.context;
    makeShapes(life);
    RETRY(life, sdWorld_Create(context, NULL, &life->world));
    RETRY(life, sdSnapshot_Create(context, &life->snapshot));
    RETRY(life, sdHistory_Create(context, 4, &life->history));
    fillWorld(life);
    for (int step = 0; step < LIFE_STEPS; ++step) {
        live(life, step);
    }
    uint64_t hash = sdWorld_GetHash(life->world);
    sdHistory_Destroy(life->history);
    sdSnapshot_Destroy(life->snapshot);
    sdWorld_Destroy(life->world);
    sdCompound_Release(life->compound);
    sdHull_Release(life->hull);
    sdConcave_Release(life->concave);
    sdMesh_Release(life->mesh);
    TestContext_Finish(&life->test);
    return hash;
}

SD_TEST(everything_goes_on_after_each_allocation_that_fails) {
    static Life life;
    uint64_t expected = runLife(&life, -1);
    int count = life.test.allocationCount, refused = 0, tried = 0;
    CHECK(count > 100);
    for (int failAt = 0; failAt < count; failAt += TestIsShort() ? SHORT_STRIDE : 1) {
        bool isSame = runLife(&life, failAt) == expected;
        refused += life.refusedCount;
        tried += 1;
        if (!CHECK(isSame) || !CHECK(life.refusedCount <= 1)) {
            sdTest_Print("allocation %d of %d, %d calls refused", failAt, count, life.refusedCount);
        }
    }
    sdTest_Print("%d of %d allocations failed one by one, %d calls said so", tried, count, refused);
    CHECK(refused > tried * 9 / 10);
}
