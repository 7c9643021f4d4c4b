// SPDX-License-Identifier: MIT
// test_churn.c - a world in which everything comes and goes, for a minute or an hour; and several
// such worlds at once, each on a thread of its own.

#include "world_support.h"

#include "sudar/query.h"
#include "sudar/snapshot.h"

#include <math.h>
#if !defined(__wasi__)
#include <pthread.h>
#endif

/// Bodies that there are at a time, the floor and walls not counted.
#define LIVING 40
#define MAX_JOINTS 24
/// Steps of an hour, which `make soak` makes.
#define HOUR_STEPS 216000
#define USUAL_STEPS 1200
/// A slot is used by 255 bodies, one after the other, and then rests: bytes of all that it has, for
/// each body that there ever was.
#define REST_BYTES 16.0
/// kg, of the heaviest; it falls from 6 m at most, with 40 m/s at most.
#define MOST_MASS 60.0
/// J, with which a body is made.
#define OWN_ENERGY (MOST_MASS * (0.5 * 40.0 * 40.0 + GRAVITY * 6.0))
/// J: nobody puts energy in but whoever makes a body, so there is never more than forty bodies can
/// be made with.
#define MOST_ENERGY (LIVING * OWN_ENERGY)
/// J, kinetic and potential, that a step may add: bodies are made in each other and then pushed
/// apart, which is 12 kJ at most if all are pushed at 3 m/s (maxPushSpeed); 3 kJ are usual, 21 were
/// seen once in an hour. Whatever threw a body would pass this by far.
#define STEP_GROWTH OWN_ENERGY

typedef struct Churn {
    const sdContext* context;
    sdWorld* world;
    sdHull* hull;
    sdMesh* mesh;
    sdConcave* concave;
    TestRandom random;
    sdBodyId bodies[LIVING];
    int64_t madeCount;
    double mostEnergy, mostGrowth; ///< J, kinetic; in a step, of both kinds
} Churn;

static void Churn_Init(Churn* churn, const sdContext* context, uint64_t seed) {
    *churn = (Churn){.context = context, .random = TestRandom_Make(seed)};
    CHECK_INT(sdModel_Create(context, SD_MODEL_STAR, 0.6f, &churn->mesh), SD_OK);
    sdConcaveDef concave = sdConcaveDef_Default();
    concave.field.resolution = 16;
    CHECK_INT(sdConcave_Create(context, churn->mesh, &concave, &churn->concave), SD_OK);
    sdMeshData data = sdMesh_GetData(churn->mesh);
    sdHullDef hull = sdHullDef_Default();
    hull.points = data.vertices;
    hull.pointCount = data.vertexCount;
    CHECK_INT(sdHull_Create(context, &hull, &churn->hull), SD_OK);
    CHECK_INT(sdWorld_Create(context, NULL, &churn->world), SD_OK);
    // a pit, so that nobody gets away
    TestWorld_AddFloor(churn->world, sdMaterial_Default());
    for (int i = 0; i < 4; ++i) {
        float x = i < 2 ? 1.0f : 0.0f, sign = i % 2 == 0 ? 3.5f : -3.5f;
        sdShapeDef wall =
            sdShapeDef_Default(sdShape_Box(i < 2 ? 0.5f : 4.0f, 20.0f, i < 2 ? 4.0f : 0.5f));
        TestWorld_AddBody(churn->world, SD_BODY_STATIC,
                          sdPos_Make((double)(x * sign), 20.0, (double)((1.0f - x) * sign)),
                          sdQuat_Identity(), wall);
    }
}

static void Churn_Free(Churn* churn) {
    sdWorld_Destroy(churn->world);
    sdHull_Release(churn->hull);
    sdConcave_Release(churn->concave);
    sdMesh_Release(churn->mesh);
}

static void replaceBody(Churn* churn, int place) {
    TestRandom* random = &churn->random;
    const sdShape shapes[] = {sdShape_Box(0.2f, 0.15f, 0.25f), sdShape_Sphere(0.2f),
                              sdShape_Capsule(0.2f, 0.12f),    sdShape_Hull(churn->hull),
                              sdShape_Concave(churn->concave), sdShape_Cylinder(0.15f, 0.2f),
                              sdShape_Cone(0.2f, 0.2f),        sdShape_Box(0.3f, 0.05f, 0.3f)};
    if (churn->bodies[place] != SD_NULL_BODY) {
        CHECK_INT(sdBody_Destroy(churn->world, churn->bodies[place]), SD_OK);
        CHECK(!sdBody_IsValid(churn->world, churn->bodies[place]));
    }
    sdBodyDef def = sdBodyDef_Default();
    def.type = SD_BODY_DYNAMIC;
    sdVec3 p = TestRandom_InBox(random, 2.4f);
    def.position = sdPos_Make((double)p.x, 4.0 + (double)p.y * 0.8, (double)p.z);
    def.rotation = TestRandom_Rotation(random);
    def.isBullet = TestRandom_Int(random, 8) == 0;
    def.velocity = def.isBullet ? sdV3(0.0f, -40.0f, 0.0f) : sdV3(0.0f, 0.0f, 0.0f);
    CHECK_INT(sdBody_Create(churn->world, &def, &churn->bodies[place]), SD_OK);
    sdShapeDef shape = sdShapeDef_Default(shapes[TestRandom_Int(random, 8)]);
    shape.isSensor = false;
    CHECK_INT(sdBody_AddShape(churn->world, churn->bodies[place], &shape, NULL), SD_OK);
    churn->madeCount += 1;
}

static void addJoint(Churn* churn) {
    TestRandom* random = &churn->random;
    sdBodyId a = churn->bodies[TestRandom_Int(random, LIVING)];
    sdBodyId b = churn->bodies[TestRandom_Int(random, LIVING)];
    if (a == b || sdBody_GetType(churn->world, a) != SD_BODY_DYNAMIC || b == SD_NULL_BODY ||
        sdWorld_GetStats(churn->world).jointCount >= MAX_JOINTS) {
        return;
    }
    sdPos p = sdBody_GetCenter(churn->world, a), q = sdBody_GetCenter(churn->world, b);
    if (sdLength(sdPos_Sub(p, q)) > 1.0f) {
        return;
    }
    sdJointDef def =
        sdJointDef_Make((sdJointType)TestRandom_Int(random, SD_JOINT_TYPE_COUNT), a, b);
    CHECK_INT(sdJointDef_Place(churn->world, &def, p, TestRandom_OnSphere(random)), SD_OK);
    def.maxForce = 1e4f;
    sdJointId joint;
    CHECK_INT(sdJoint_Create(churn->world, &def, &joint), SD_OK);
}

static void stir(Churn* churn, int step) {
    TestRandom* random = &churn->random;
    if (step % 4 == 0) {
        replaceBody(churn, TestRandom_Int(random, LIVING));
    }
    if (step % 9 == 0) {
        addJoint(churn);
    }
    sdBodyId body = churn->bodies[TestRandom_Int(random, LIVING)];
    if (step % 50 == 7 && body != SD_NULL_BODY) {
        CHECK_INT(sdBody_SetEnabled(churn->world, body, !sdBody_IsEnabled(churn->world, body)),
                  SD_OK);
    }
    if (step % 50 == 21 && body != SD_NULL_BODY) {
        sdBodyType type = sdBody_GetType(churn->world, body) == SD_BODY_DYNAMIC ? SD_BODY_KINEMATIC
                                                                                : SD_BODY_DYNAMIC;
        CHECK_INT(sdBody_SetType(churn->world, body, type), SD_OK);
        // one that moves on whatever is in its way crushes it, and puts in any amount of energy
        sdVec3 none = {0.0f, 0.0f, 0.0f};
        CHECK_INT(sdBody_SetVelocity(churn->world, body, none, none), SD_OK);
    }
    // a minute by one solver, a minute by the other
    if (step % 600 == 0) {
        sdWorldDef def = sdWorld_GetDef(churn->world);
        def.solver = step % 1200 == 0 ? SD_SOLVER_SOFT : SD_SOLVER_IMPULSE;
        CHECK_INT(sdWorld_SetDef(churn->world, &def), SD_OK);
    }
}

static void Churn_Run(Churn* churn, int first, int end) {
    for (int step = first; step < end; ++step) {
        stir(churn, step);
        sdEnergy before = sdWorld_GetEnergy(churn->world);
        CHECK_INT(sdWorld_Step(churn->world, DT), SD_OK);
        sdEnergy energy = sdWorld_GetEnergy(churn->world);
        double growth = energy.kinetic + energy.potential - before.kinetic - before.potential;
        // fails for NaN
        if (!(energy.kinetic <= MOST_ENERGY && energy.kinetic >= 0.0 && growth <= STEP_GROWTH)) {
            sdTest_Print("step %d: kinetic energy %g J, %g J more of both kinds", step,
                         energy.kinetic, growth);
            CHECK(energy.kinetic <= MOST_ENERGY);
            CHECK(growth <= STEP_GROWTH);
            return;
        }
        churn->mostEnergy = fmax(churn->mostEnergy, energy.kinetic);
        churn->mostGrowth = fmax(churn->mostGrowth, growth);
    }
}

SD_TEST(churn_neither_grows_nor_leaves_the_numbers) {
    TestContext test;
    TestContext_Init(&test);
    Churn churn;
    Churn_Init(&churn, &test.context, 61);
    int steps = TestScale() >= 10 ? HOUR_STEPS : TestRounds(USUAL_STEPS);
    // until arrays are as large as they need to be
    Churn_Run(&churn, 0, steps / 4);
    int64_t bytes = test.liveBytes, made = churn.madeCount;
    Churn_Run(&churn, steps / 4, steps);
    double growth = (double)(test.liveBytes - bytes) / (double)(churn.madeCount - made);
    sdTest_Print("%d steps: %lld bodies made, %.1f B more for each, %lld B at last, kinetic energy "
                 "%.3g J at most, %.3g J more of both kinds in a step",
                 steps, (long long)churn.madeCount, growth, (long long)test.liveBytes,
                 churn.mostEnergy, churn.mostGrowth);
    // arrays grow by halves: what is short has not seen its largest
    CHECK(steps < HOUR_STEPS || growth <= REST_BYTES);
    Churn_Free(&churn);
    TestContext_Finish(&test);
}

#if !defined(__wasi__)
#define WORLD_COUNT 4

typedef struct Alone {
    Churn churn;
    int steps;
    uint64_t hash;
} Alone;

static void* runAlone(void* arg) {
    Alone* alone = arg;
    Churn_Run(&alone->churn, 0, alone->steps);
    alone->hash = sdWorld_GetHash(alone->churn.world);
    return NULL;
}

/// Several worlds at once, each stepped by a thread of its own; all share one pool of workers.
SD_TEST(churn_of_worlds_in_parallel_is_that_of_each_alone) {
    static Alone worlds[WORLD_COUNT];
    sdScheduler* scheduler = NULL;
    CHECK_INT(sdScheduler_Create(NULL, 3, &scheduler), SD_OK);
    sdContext shared = sdContext_Default(), own = shared;
    shared.tasks = sdScheduler_GetTasks(scheduler);
    int steps = TestRounds(240);
    uint64_t expected[WORLD_COUNT];
    for (int i = 0; i < WORLD_COUNT; ++i) {
        worlds[i].steps = steps;
        Churn_Init(&worlds[i].churn, &own, 62 + (uint64_t)i);
        runAlone(&worlds[i]);
        expected[i] = worlds[i].hash;
        Churn_Free(&worlds[i].churn);
        Churn_Init(&worlds[i].churn, &shared, 62 + (uint64_t)i);
    }
    pthread_t threads[WORLD_COUNT];
    for (int i = 0; i < WORLD_COUNT; ++i) {
        CHECK_INT(pthread_create(&threads[i], NULL, runAlone, &worlds[i]), 0);
    }
    for (int i = 0; i < WORLD_COUNT; ++i) {
        CHECK_INT(pthread_join(threads[i], NULL), 0);
        CHECK(worlds[i].hash == expected[i]);
        Churn_Free(&worlds[i].churn);
    }
    sdScheduler_Destroy(scheduler);
}
#endif
