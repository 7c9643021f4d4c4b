// SPDX-License-Identifier: MIT
// test_everything.c - one world with all that there is: every allocation of its life fails once,
// and whatever failed is tried again, to the same end. With one thread, and with several.

// getpid
#define _POSIX_C_SOURCE 200809L

#include "world_support.h"

#include "sudar/debug.h"
#include "sudar/query.h"
#include "sudar/snapshot.h"

#include "scenefile.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#if defined(SD_TEST_OUTPUT)
#include "record.h"

#include <unistd.h>
#endif

#define LIFE_STEPS 12
/// Of all allocations, one of so many fails where random tests are short, and with threads where
/// they are not long.
#define SHORT_STRIDE 7
#define THREADS_STRIDE 23
/// Boxes beside all that is there, so that several threads have something to do.
#define HEAP_COUNT 60
#define RAY_COUNT 40
#define MAX_TEXT 200000
#define MAX_OBJECTS 256

typedef struct Life {
    TestContext test;
    sdContext context; ///< that of the test, which several threads may ask
    atomic_flag isAsked;
    sdWorld* world;
    sdHull* hull;
    sdMesh* mesh;
    sdConcave* concave;
    sdCompound* compound;
    sdSnapshot* snapshot;
    sdHistory* history;
    sdBodyId bodies[16 + HEAP_COUNT];
    int bodyCount;
    int refusedCount; ///< calls that said that there was no memory
} Life;

// ---- memory for several threads ------------------------------------------------------------

static void lock(Life* life) {
    while (atomic_flag_test_and_set_explicit(&life->isAsked, memory_order_acquire)) {
    }
}

static void unlock(Life* life) {
    atomic_flag_clear_explicit(&life->isAsked, memory_order_release);
}

static void* allocateInTurn(void* user, size_t size, size_t alignment) {
    Life* life = user;
    lock(life);
    void* memory = life->test.context.allocator.allocate(&life->test, size, alignment);
    unlock(life);
    return memory;
}

static void releaseInTurn(void* user, void* memory, size_t size) {
    Life* life = user;
    lock(life);
    life->test.context.allocator.release(&life->test, memory, size);
    unlock(life);
}

static void logInTurn(void* user, sdLogLevel level, const char* text) {
    Life* life = user;
    lock(life);
    life->test.context.logger.log(&life->test, level, text);
    unlock(life);
}

static void initMemory(Life* life, int failAt, sdTaskSystem tasks) {
    TestContext_Init(&life->test);
    life->test.failAt = failAt;
    atomic_flag_clear(&life->isAsked);
    life->context.allocator = (sdAllocator){allocateInTurn, releaseInTurn, life};
    life->context.logger = (sdLogger){logInTurn, life};
    life->context.tasks = tasks;
}

// ---- a life --------------------------------------------------------------------------------

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
    const sdContext* context = &life->context;
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
    for (int i = 0; i < HEAP_COUNT && life->context.tasks.workerCount > 1; ++i) {
        def.position = sdPos_Make(-2.0 - 0.3 * (i % 5), 0.1 + 0.21 * (i / 5), 0.0);
        addBody(life, def, sdShapeDef_Default(sdShape_Box(0.1f, 0.1f, 0.1f)));
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

static void ask(Life* life) {
    sdWorld* world = life->world;
    RETRY(life, sdWorld_PrepareQueries(world, RAY_COUNT));
    sdRay rays[RAY_COUNT];
    sdQueryHit hits[RAY_COUNT];
    for (int i = 0; i < RAY_COUNT; ++i) {
        rays[i] = (sdRay){sdPos_Make(0.1 * i - 2.0, 5.0, 0.0), {0.1f, -8.0f, 0.1f}};
    }
    int count, levels[16 + HEAP_COUNT];
    RETRY(life, sdWorld_RaycastMany(world, rays, RAY_COUNT, NULL, hits));
    RETRY(life, sdWorld_RaycastAll(world, &rays[20], NULL, hits, 4, &count));
    sdPlacedShape box = {.shape = sdShape_Box(1.0f, 1.0f, 1.0f)};
    box.xf = (sdWorldTransform){sdPos_Make(0.0, 4.0, 0.0), sdQuat_Identity()};
    RETRY(life, sdWorld_ShapeCast(world, &box, sdV3(0.0f, -5.0f, 0.0f), NULL, hits));
    RETRY(life, sdWorld_OverlapAll(world, &box, NULL, hits, 4, &count));
    RETRY(life, sdWorld_FindNearest(world, box.xf.p, 9.0f, NULL, hits));
    RETRY(life, sdWorld_FindLevels(world, levels, 16 + HEAP_COUNT));
}

/// A snapshot as bytes, in another world.
static sdResult goOnElsewhere(Life* life) {
    sdShape objects[MAX_OBJECTS];
    size_t size;
    sdSnapshot* copy = NULL;
    sdWorld* other = NULL;
    sdWorldDef def = sdWorld_GetDef(life->world);
    int count = sdSnapshot_GetObjects(life->snapshot, objects, MAX_OBJECTS);
    const void* bytes = sdSnapshot_GetBytes(life->snapshot, &size);
    sdResult result = sdSnapshot_Create(&life->context, &copy);
    if (result == SD_OK) {
        result = sdSnapshot_SetBytes(copy, bytes, size, objects, count);
    }
    if (result == SD_OK) {
        result = sdWorld_Create(&life->context, &def, &other);
    }
    if (result == SD_OK) {
        result = sdWorld_Restore(other, copy);
    }
    if (result == SD_OK) {
        result = sdWorld_Step(other, DT);
    }
    sdWorld_Destroy(other);
    sdSnapshot_Destroy(copy);
    return result;
}

typedef struct Text {
    char data[MAX_TEXT];
    size_t length;
} Text;

static bool addText(void* user, const char* text, size_t length) {
    Text* out = user;
    if (length > MAX_TEXT - out->length) {
        return false;
    }
    memcpy(out->data + out->length, text, length);
    out->length += length;
    return true;
}

/// The world as a scene file, and a world of it.
static sdResult writeAndRead(Life* life) {
    static Text text;
    text.length = 0;
    sdSceneFile* file = NULL;
    sdWorld* other = NULL;
    sdResult result = sdSceneFile_Write(&life->context, life->world, NULL, addText, &text);
    if (result == SD_OK) {
        result = sdSceneFile_Parse(&life->context, "life.json", text.data, text.length, NULL, &file,
                                   NULL);
    }
    if (result == SD_OK) {
        result = sdWorld_Create(&life->context, sdSceneFile_GetWorldDef(file), &other);
    }
    if (result == SD_OK) {
        result = sdSceneFile_Build(file, other, NULL);
    }
    sdSceneFile_Destroy(file);
    if (result == SD_OK) {
        result = sdWorld_Step(other, DT);
    }
    sdWorld_Destroy(other);
    return result;
}

/// Two frames in a file, and back.
static sdResult recordAndShow(Life* life) {
#if defined(SD_TEST_OUTPUT)
    char path[64];
    snprintf(path, sizeof path, "/tmp/sudar_test_%ld_life.sdr", (long)getpid());
    sdRecordInfo info = {.name = "life", .dt = (double)DT};
    sdRecorder* recorder = NULL;
    sdRecording* recording = NULL;
    sdWorld* shown = NULL;
    sdResult result = sdRecorder_Create(&life->context, path, life->world, &info, &recorder);
    for (int i = 0; i < 2 && result == SD_OK; ++i) {
        result = sdRecorder_AddFrame(recorder, life->world, i * (double)DT);
    }
    if (result == SD_OK) {
        result = sdRecorder_Finish(recorder, sdWorld_GetHash(life->world));
    }
    sdRecorder_Destroy(recorder);
    if (result == SD_OK) {
        result = sdRecording_Load(&life->context, path, &recording);
    }
    if (result == SD_OK) {
        result = sdRecording_CreateWorld(recording, &life->context, &shown);
    }
    if (result == SD_OK) {
        result = sdRecording_Show(recording, 1, shown, NULL);
    }
    sdWorld_Destroy(shown);
    sdRecording_Destroy(recording);
    remove(path);
    return result;
#else
    (void)life;
    return SD_OK;
#endif
}

static void changeSettings(Life* life, int step) {
    // all broad phases, both solvers
    sdWorldDef def = sdWorld_GetDef(life->world);
    def.solver = step < LIFE_STEPS / 2 ? SD_SOLVER_SOFT : SD_SOLVER_IMPULSE;
    def.broadphase.kind = (sdBroadphaseKind)(step / 2 % SD_BROADPHASE_KIND_COUNT);
    RETRY(life, sdWorld_SetDef(life->world, &def));
}

static void live(Life* life, int step) {
    sdWorld* world = life->world;
    if (step % 2 == 0) {
        changeSettings(life, step);
    }
    if (step == 3) {
        RETRY(life, sdBody_SetType(world, life->bodies[5], SD_BODY_KINEMATIC));
        RETRY(life, sdBody_SetEnabled(world, life->bodies[4], false));
    } else if (step == 5) {
        RETRY(life, sdBody_SetEnabled(world, life->bodies[4], true));
        RETRY(life, sdBody_Destroy(world, life->bodies[10]));
        RETRY(life, sdWorld_Save(world, life->snapshot));
        RETRY(life, goOnElsewhere(life));
    } else if (step == 7) {
        RETRY(life, writeAndRead(life));
        RETRY(life, recordAndShow(life));
    } else if (step == 8) {
        RETRY(life, sdWorld_Restore(world, life->snapshot));
        RETRY(life, sdHistory_Restore(life->history, world, 1));
    }
    RETRY(life, sdWorld_Step(world, DT));
    RETRY(life, sdHistory_Record(life->history, world));
    if (step % 4 == 0) {
        ask(life);
    }
}

/// @return the hash at the end of its life
static uint64_t runLife(Life* life, int failAt, sdTaskSystem tasks) {
    memset(life, 0, sizeof *life);
    initMemory(life, failAt, tasks);
    const sdContext* context = &life->context;
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

static void failEach(sdTaskSystem tasks, int stride) {
    static Life life;
    uint64_t expected = runLife(&life, -1, tasks);
    int count = life.test.allocationCount, refused = 0, tried = 0;
    CHECK(count > 300);
    for (int failAt = 0; failAt < count; failAt += stride) {
        bool isSame = runLife(&life, failAt, tasks) == expected;
        refused += life.refusedCount;
        tried += 1;
        if (!CHECK(isSame) || !CHECK(life.refusedCount <= 1)) {
            sdTest_Print("allocation %d of %d, %d calls refused", failAt, count, life.refusedCount);
        }
    }
    sdTest_Print("%d of %d allocations failed one by one with %d threads, %d calls said so", tried,
                 count, tasks.workerCount, refused);
    CHECK(refused >= tried * 9 / 10);
}

SD_TEST(everything_goes_on_after_each_allocation_that_fails) {
    failEach(sdContext_Default().tasks, TestIsShort() ? SHORT_STRIDE : 1);
}

SD_TEST(everything_goes_on_in_parallel_after_each_allocation_that_fails) {
    sdScheduler* scheduler = NULL;
    CHECK_INT(sdScheduler_Create(NULL, 4, &scheduler), SD_OK);
    int stride = TestScale() >= 10 ? 1 : THREADS_STRIDE * (TestIsShort() ? SHORT_STRIDE : 1);
    failEach(sdScheduler_GetTasks(scheduler), stride);
    sdScheduler_Destroy(scheduler);
}
